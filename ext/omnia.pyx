"""OMNIA: the core (numbers only; words and maps are in games/omnia.py).

Zones    Action cards in packets (draft), then in hands, then played. A market of three works, three
         inventions and three characters beside their packs, which have no order: what is left is counted.
         A tableau and coins per seat, the bank. A pack of cities, whose order is remembered in parts, and
         the active cities, which are the objectives of all.
Phases   0 draft: keep two of a packet. 1 play: an action card. 2 act: one of its two actions. 3 effect: the
         lightning of a card just taken. 4 city: lay down one of three drawn. 5 over.
Unknown  Which cards others have kept, as far as packets seen do not tell, and the places in the city pack
         that a seat has not seen (omnia_deal.pxi).
Shown    Every decision but `keep`, which shows that a card was kept; a packet and drawn cities, to the seat
         that gets them; which of the drawn cities was laid down; the refill of the market.

An action card's slot says where it lies: kept from packet p at step t by seat (p + t) mod n, or still in the
packet. That is all the memory of the draft: what a seat has seen follows from it.

Rule ids (OM-...) and rulings (R...) are those of games/omnia.md.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from .maths cimport exponential
from .rng cimport (
    PLAYS, Chance, Word, below, confirm, draw_from_counts, misfit, noise_threshold, noisy, scripted, shuffle,
)
from .state cimport Core, Seen, Table, make_table

cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t) noexcept nogil
    int lowest "__builtin_ctzll"(uint64_t) noexcept nogil
    int leading_zeros "__builtin_clzll"(uint64_t) noexcept nogil

cdef enum:
    SEATS = 4
    CARDS = 28              # action cards
    HAND = 7
    ROUNDS = 6
    MARKET = 3
    DRAWN = 3               # cities of one draw
    FACES = 8               # of works, and of inventions
    COLOURS = 4             # the first faces; the others are Leonardo's
    COPIES = 4              # of a colour, at most
    CHARACTERS = 16
    CITIES = 16
    COINS = 18
    NONE = 255
    # phases
    DRAFT = 0
    PLAY = 1
    ACT = 2
    EFFECT = 3
    CITY = 4
    OVER = 5
    # steps of a slot
    LAST_STEP = 3           # the card received at it is kept without a decision
    IN_PACKET = 4
    # symbols, in their order
    COINS1 = 0
    COINS2 = 1
    WORK = 2
    INVENTION = 3
    CHARACTER = 4
    DRAW = 5
    # kinds of cards in the market: symbol - WORK
    WORKS = 0
    INVENTIONS = 1
    PEOPLE = 2
    KINDS = 3
    # actions
    FIRST_PLAY = 28
    DONE = 56
    SKIP = 57
    PASS = 58
    TAKE_COINS = 59         # coins1, coins2
    FIRST_PICK = 61         # works, inventions, characters
    DRAW_CITY = 93
    FIRST_ACTIVATE = 94
    ACTIVATE_NONE = 110
    KEEP_HIDDEN = 111       # the label of every keep, to the other seats
    # streams of chance
    ACTION_PACK = 0
    CITY_PACK = 1
    FIRST_PACK = 2          # works, inventions, characters
    # words of scripts
    WORD_PACKET = 0         # packet SEAT: action cards
    WORD_CITIES = 1         # the face-up city, then the pack from the top
    WORD_REFILL = 2         # works 0-7, inventions 8-15, characters 16-31
    WORD_DRAWN = 3          # cities
    WORD_PLACE = 4          # 1, 2, 3
    # scoring (omnia_score.pxi)
    OF_ONE = 4              # set cities of one resource alone, and likewise mixed ones, at most
    SUBSETS = 16            # of these
    COUNTS = 70             # ways to own 0 to 4 cards of four colours, whichever is which
    SIDE = 17               # 0 to 16 cards
    WAYS = 85               # to take a number of cards of four colours
    RESOURCES = 4           # works, inventions, characters, coins

# A decision of a turn as a bit: action - DONE.
cdef extern from *:
    """
    #define BIT(action) (UINT64_C(1) << ((action) - 56))
    #define DECLINING (BIT(56) | BIT(57) | BIT(58) | BIT(110))
    """
    uint64_t BIT(int action) noexcept nogil
    const uint64_t DECLINING        # done, skip, forgo, activate_none

cdef struct Rules:
    uint64_t plain                          # picks without price and effect, and coins: bit per action
    uint32_t pack                           # the action cards of this player count, bit per card
    uint16_t affordable[KINDS][COINS + 1]   # what so many coins can pay: bit per face or character
    uint16_t by_characters[SUBSETS][CHARACTERS + 1]     # best points of sets, see omnia_score.pxi
    uint16_t by_coins[SUBSETS][COINS + 1]
    uint16_t most_points                    # of a seat
    uint16_t ways[OF_ONE][2][WAYS]          # to take works, inventions for a set of a mixed city: codes
    uint8_t ways_n[OF_ONE][2]
    uint8_t by_colour[2][SUBSETS][COUNTS][SIDE]
    uint8_t one_sided[RESOURCES][OF_ONE]    # set cities that use this resource alone
    uint8_t mixed[OF_ONE]                   # set cities that use several
    uint8_t symbols[CARDS][2]               # in symbol order
    uint8_t price[KINDS][CHARACTERS]
    uint8_t points[KINDS][CHARACTERS]
    uint8_t effect[KINDS][CHARACTERS]       # a symbol
    uint8_t copies[2][FACES]
    uint8_t set_points[CITIES]              # 0: a majority
    uint8_t need[CITIES][RESOURCES]
    uint8_t mode[CITIES][2]                 # of works, of inventions: any, same, diff
    uint8_t majority[CITIES]                # points; 0: a set
    uint8_t of[CITIES]
    uint8_t players
    uint8_t characters                      # in all
    uint8_t cities
    uint8_t coins
    uint8_t start_coins
    uint8_t refill_round                    # refill = "round" (R1)
    uint8_t rotate                          # first_player = "rotate" (R3)
    uint8_t leonardo_counts                 # leonardo_in_majorities (R11)
    uint8_t twice                           # set_repeat = "double" (R13)
    uint8_t zero[3]

cdef struct State:
    int8_t to_move
    uint8_t phase
    uint8_t round                           # 0..5, 6 at the end
    uint8_t draft_step                      # 0..2, 3 after the draft
    uint32_t played                         # action cards, bit per card
    uint16_t characters[SEATS]
    uint16_t char_market
    uint16_t char_pack
    uint16_t cities_active
    uint8_t slot[CARDS]                     # packet << 3 | step; 255: not in this game
    uint8_t card                            # the action card of this turn
    uint8_t left[2]                         # its symbols neither used nor given up, in symbol order
    uint8_t passed                          # 1: the other symbol was given up for a plain pick of this one
    uint8_t first_plain                     # the first pick of a double symbol, if plain: an action
    uint8_t pending                         # the effect to decide on: a symbol
    uint8_t market[2][FACES]                # works, inventions: counts
    uint8_t pack[2][FACES]
    uint8_t coins[SEATS]
    uint8_t bank
    uint8_t owned[SEATS][2][FACES]
    uint8_t city_pack[CITIES - 1]           # from the top
    uint8_t city_known[CITIES - 1]          # who knows the card at this place: bit per seat
    uint8_t city_len

cdef struct Event:
    uint32_t packet[SEATS]                  # what each seat received: bit per card
    uint16_t refill_characters
    uint8_t refill[2][FACES]                # counts
    uint8_t drawn[DRAWN]                    # cities; 255: none
    uint8_t place                           # of the city laid down among those drawn, from 1; 0: none
    uint8_t mover
    uint8_t over                            # 1: the game ended

# The same structs for Python, in the notation of numpy.dtype.
RULES = [("plain", "u8"), ("pack", "u4"), ("affordable", "u2", (KINDS, COINS + 1)),
         ("by_characters", "u2", (SUBSETS, CHARACTERS + 1)), ("by_coins", "u2", (SUBSETS, COINS + 1)),
         ("most_points", "u2"),
         ("ways", "u2", (OF_ONE, 2, WAYS)), ("ways_n", "u1", (OF_ONE, 2)),
         ("by_colour", "u1", (2, SUBSETS, COUNTS, SIDE)), ("one_sided", "u1", (RESOURCES, OF_ONE)),
         ("mixed", "u1", (OF_ONE,)), ("symbols", "u1", (CARDS, 2)), ("price", "u1", (KINDS, CHARACTERS)),
         ("points", "u1", (KINDS, CHARACTERS)), ("effect", "u1", (KINDS, CHARACTERS)),
         ("copies", "u1", (2, FACES)), ("set_points", "u1", (CITIES,)), ("need", "u1", (CITIES, RESOURCES)),
         ("mode", "u1", (CITIES, 2)), ("majority", "u1", (CITIES,)), ("of", "u1", (CITIES,)),
         ("players", "u1"), ("characters", "u1"), ("cities", "u1"), ("coins", "u1"), ("start_coins", "u1"),
         ("refill_round", "u1"), ("rotate", "u1"), ("leonardo_counts", "u1"), ("twice", "u1"),
         ("zero", "u1", (3,))]
STATE = [("to_move", "i1"), ("phase", "u1"), ("round", "u1"), ("draft_step", "u1"), ("played", "u4"),
         ("characters", "u2", (SEATS,)), ("char_market", "u2"), ("char_pack", "u2"), ("cities_active", "u2"),
         ("slot", "u1", (CARDS,)), ("card", "u1"), ("left", "u1", (2,)), ("passed", "u1"),
         ("first_plain", "u1"), ("pending", "u1"), ("market", "u1", (2, FACES)), ("pack", "u1", (2, FACES)),
         ("coins", "u1", (SEATS,)), ("bank", "u1"), ("owned", "u1", (SEATS, 2, FACES)),
         ("city_pack", "u1", (CITIES - 1,)), ("city_known", "u1", (CITIES - 1,)), ("city_len", "u1")]
EVENT = [("packet", "u4", (SEATS,)), ("refill_characters", "u2"), ("refill", "u1", (2, FACES)),
         ("drawn", "u1", (DRAWN,)), ("place", "u1"), ("mover", "u1"), ("over", "u1")]


# Cards and slots

cdef inline int slot_of(int packet, int step) noexcept nogil:
    return packet << 3 | step


cdef inline int packet_held(const Rules *r, int seat, int step) noexcept nogil:
    # The packet that a seat holds at a step of the draft.
    return (seat - step + SEATS * r.players) % r.players


cdef inline uint32_t cards_at(const State *s, int slot) noexcept nogil:
    cdef uint32_t cards = 0
    cdef int card
    for card in range(CARDS):
        cards |= <uint32_t>(s.slot[card] == slot) << card
    return cards


cdef inline uint32_t hand_of(const Rules *r, const State *s, int seat) noexcept nogil:
    # The cards that a seat has kept and not played.
    cdef const uint8_t *holder = holder_of[r.players - 2]
    cdef uint32_t cards = 0
    cdef int card
    for card in range(CARDS):
        cards |= <uint32_t>(holder[s.slot[card] & 31] == seat) << card
    return cards & ~s.played


cdef inline int in_all(const uint8_t *counts) noexcept nogil:
    cdef int face, n = 0
    for face in range(FACES):
        n += counts[face]
    return n


cdef inline int nth(uint64_t bits, int n) noexcept nogil:
    while n:
        bits &= bits - 1
        n -= 1
    return lowest(bits)


include "omnia_deal.pxi"


# Set-up

cdef void deal_packets(const Rules *r, State *s, Chance *chance) noexcept nogil:
    # OM-S6, OM-S8
    cdef uint8_t cards[CARDS]
    cdef uint32_t named = 0
    cdef int card, seat, i, k, n = 0
    cdef Word *due
    for card in range(CARDS):
        s.slot[card] = NONE
        if r.pack >> card & 1:
            cards[n] = <uint8_t>card
            n += 1
    shuffle(chance, ACTION_PACK, cards, n)
    for seat in range(r.players):
        due = scripted(chance, WORD_PACKET, seat)
        if due == NULL:
            continue
        if due.count != HAND:
            misfit(chance)
            continue
        for k in range(HAND):
            card = due.value[k]
            if not (0 <= card < CARDS and r.pack >> card & 1 and not named >> card & 1):
                misfit(chance)
                continue
            named |= <uint32_t>1 << card
            i = 0
            while cards[i] != card:
                i += 1
            cards[i] = cards[HAND * seat + k]
            cards[HAND * seat + k] = <uint8_t>card
    for i in range(n):
        s.slot[cards[i]] = <uint8_t>slot_of(i // HAND, IN_PACKET)


cdef void lay_cities(const Rules *r, State *s, Chance *chance) noexcept nogil:
    # OM-S3, OM-S4
    cdef uint8_t cities[CITIES]
    cdef uint32_t named = 0
    cdef int i, k, city
    cdef Word *due = scripted(chance, WORD_CITIES, -1)
    for i in range(r.cities):
        cities[i] = <uint8_t>i
    shuffle(chance, CITY_PACK, cities, r.cities)
    if due != NULL and due.count > r.cities:
        misfit(chance)
    elif due != NULL:
        for k in range(due.count):
            city = due.value[k]
            if not (0 <= city < r.cities and not named >> city & 1):
                misfit(chance)
                continue
            named |= <uint32_t>1 << city
            i = 0
            while cities[i] != city:
                i += 1
            cities[i] = cities[k]
            cities[k] = <uint8_t>city
    s.cities_active = <uint16_t>(1 << cities[0])
    s.city_len = <uint8_t>(r.cities - 1)
    memset(s.city_pack, NONE, sizeof(s.city_pack))
    for i in range(s.city_len):
        s.city_pack[i] = cities[i + 1]


cdef void new(const void *rules, void *state, Chance *chance) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef int seat, kind, face
    memset(s, 0, sizeof(State))
    deal_packets(r, s, chance)
    lay_cities(r, s, chance)
    for kind in range(2):
        for face in range(FACES):
            s.pack[kind][face] = r.copies[kind][face]
    s.char_pack = <uint16_t>((1 << r.characters) - 1)
    clear_turn(s)
    refill(r, s, chance, NULL)
    # OM-S7
    for seat in range(r.players):
        s.coins[seat] = r.start_coins
    s.bank = <uint8_t>(r.coins - r.players * r.start_coins)


# Decisions

cdef inline uint32_t faces_shown(const uint8_t *counts) noexcept nogil:
    cdef uint32_t faces = 0
    cdef int face
    for face in range(FACES):
        faces |= <uint32_t>(counts[face] != 0) << face
    return faces


cdef inline uint64_t options(const Rules *r, const State *s, int symbol) noexcept nogil:
    # What the mover may do for a symbol or an effect, as bits of actions (OM-A1..A5, OM-C1).
    cdef int coins = s.coins[s.to_move]
    if symbol <= COINS2:
        return BIT(TAKE_COINS + symbol) if s.bank else 0
    if symbol == DRAW:
        return BIT(DRAW_CITY) if s.city_len else 0
    if symbol == CHARACTER:
        return BIT(FIRST_PICK + PEOPLE * FACES) * (s.char_market & r.affordable[PEOPLE][coins])
    symbol -= WORK
    return BIT(FIRST_PICK + FACES * symbol) * (faces_shown(s.market[symbol]) & r.affordable[symbol][coins])


cdef inline bint another(const State *s, int action) noexcept nogil:
    # Once this plain option is taken, it is still there.
    if action < FIRST_PICK:
        return s.bank > 1 + action - TAKE_COINS
    action -= FIRST_PICK
    return action < 2 * FACES and s.market[action // FACES][action % FACES] > 1


cdef inline uint64_t act_choices(const Rules *r, const State *s) noexcept nogil:
    # The cases of the canonical order (games/omnia.md): a plain pick of the second symbol waits until the
    # first is used or given up.
    cdef uint64_t first = options(r, s, s.left[0]), second, plain = first & r.plain
    cdef int highest
    if s.left[1] == NONE:
        if s.passed:
            return plain
        if s.first_plain != NONE:
            return plain & ~(BIT(s.first_plain) - 1)
        return first | BIT(DONE)
    if s.left[0] == s.left[1]:
        if plain == 0:
            return first | BIT(DONE)
        highest = DONE + 63 - leading_zeros(plain)
        if not another(s, highest):
            first &= ~BIT(highest)
        return first | BIT(DONE) | BIT(PASS)
    second = options(r, s, s.left[1])
    if first == 0 or second == 0:
        return first | second | BIT(DONE)
    return first | (second & ~r.plain) | BIT(DONE) | (BIT(PASS) if second & r.plain else 0)


cdef inline uint32_t draft_choices(const Rules *r, const State *s) noexcept nogil:
    # Two cards of a packet, the lower id first.
    cdef int packet = packet_held(r, s.to_move, s.draft_step)
    cdef uint32_t cards = cards_at(s, slot_of(packet, IN_PACKET))
    cdef uint32_t kept = cards_at(s, slot_of(packet, s.draft_step))
    if kept:
        return cards & ~((kept << 1) - 1)
    return cards & ~(<uint32_t>1 << (63 - leading_zeros(cards)))


cdef inline int cities_drawn(const State *s) noexcept nogil:
    return DRAWN if s.city_len > DRAWN else s.city_len


cdef inline uint64_t choices(const Rules *r, const State *s, int *first) noexcept nogil:
    # The legal actions as bits; `first` is the action of the lowest one.
    cdef uint64_t drawn = BIT(ACTIVATE_NONE)
    cdef int i
    if s.phase == DRAFT:
        first[0] = 0
        return draft_choices(r, s)
    if s.phase == PLAY:
        first[0] = FIRST_PLAY
        return hand_of(r, s, s.to_move)
    first[0] = DONE
    if s.phase == ACT:
        return act_choices(r, s)
    if s.phase == EFFECT:
        return options(r, s, s.pending) | BIT(SKIP)
    for i in range(cities_drawn(s)):
        drawn |= BIT(FIRST_ACTIVATE + s.city_pack[i])
    return drawn


cdef int legal(const void *rules, const void *state, uint16_t *out) noexcept nogil:
    cdef int first = 0, n = 0
    cdef uint64_t left = choices(<const Rules *>rules, <const State *>state, &first)
    while left:
        out[n] = <uint16_t>(first + lowest(left))
        n += 1
        left &= left - 1
    return n


# What follows a decision: the draft

cdef void keep(const Rules *r, State *s, int card, Chance *chance, Event *event) noexcept nogil:
    cdef int packet = packet_held(r, s.to_move, s.draft_step), other
    cdef int place = slot_of(packet, s.draft_step)
    s.slot[card] = <uint8_t>place
    if popcount(cards_at(s, place)) < 2:
        return
    if s.to_move + 1 < r.players:
        s.to_move += 1
        return
    # R2: all have chosen, the packets move to the left
    if chance.script != NULL:
        obey_packets(r, s, card, chance)
    s.draft_step += 1
    s.to_move = 0
    if event != NULL:
        for other in range(r.players):
            packet = packet_held(r, other, s.draft_step)
            event.packet[other] = cards_at(s, slot_of(packet, IN_PACKET))
    if s.draft_step == LAST_STEP:
        # OM-D4
        for card in range(CARDS):
            if s.slot[card] != NONE and s.slot[card] & 7 == IN_PACKET:
                s.slot[card] = s.slot[card] & ~7 | LAST_STEP
        s.phase = PLAY


# What follows a decision: a turn

cdef inline void clear_turn(State *s) noexcept nogil:
    s.card = s.left[0] = s.left[1] = s.first_plain = s.pending = NONE
    s.passed = 0


cdef inline int first_seat(const Rules *r, int round) noexcept nogil:
    # R3
    return round % r.players if r.rotate else 0


cdef inline void receive_coins(State *s, int coins) noexcept nogil:
    # OM-A5
    if coins > s.bank:
        coins = s.bank
    s.coins[s.to_move] += <uint8_t>coins
    s.bank -= <uint8_t>coins


cdef inline void refill_side(State *s, int side, int missing, Chance *chance, Event *event) noexcept nogil:
    cdef int face, _card, left = in_all(s.pack[side])
    for _card in range(missing):
        face = draw_from_counts(chance, FIRST_PACK + side, s.pack[side], left)
        left -= 1
        s.market[side][face] += 1
        if event != NULL:
            event.refill[side][face] += 1


cdef inline void refill_people(State *s, int missing, Chance *chance, Event *event) noexcept nogil:
    cdef int person, _card
    for _card in range(missing):
        person = nth(s.char_pack, <int>below(chance, FIRST_PACK + PEOPLE, popcount(s.char_pack)))
        s.char_pack ^= <uint16_t>(1 << person)
        s.char_market |= <uint16_t>(1 << person)
        if event != NULL:
            event.refill_characters |= <uint16_t>(1 << person)


cdef bint obey_refill(const Word *due, State *s, const int *missing, Event *event) noexcept nogil:
    # The cards that a script adds to the market; false, and nothing changed, if they cannot come.
    cdef uint8_t counts[2][FACES]
    cdef int added[KINDS]
    cdef uint32_t people = 0
    cdef int i, kind, face
    memset(counts, 0, sizeof(counts))
    memset(added, 0, sizeof(added))
    for i in range(due.count):
        face = due.value[i]
        if not 0 <= face < 2 * FACES + CHARACTERS:
            return False
        kind = face // FACES if face < 2 * FACES else PEOPLE
        face -= FACES * kind
        added[kind] += 1
        if kind == PEOPLE:
            if people >> face & 1 or not s.char_pack >> face & 1:
                return False
            people |= <uint32_t>1 << face
        else:
            counts[kind][face] += 1
            if counts[kind][face] > s.pack[kind][face]:
                return False
    for kind in range(KINDS):
        if added[kind] != missing[kind]:
            return False
    for kind in range(2):
        for face in range(FACES):
            s.pack[kind][face] -= counts[kind][face]
            s.market[kind][face] += counts[kind][face]
            if event != NULL:
                event.refill[kind][face] = counts[kind][face]
    s.char_pack &= <uint16_t>~people
    s.char_market |= <uint16_t>people
    if event != NULL:
        event.refill_characters = <uint16_t>people
    return True


cdef void refill(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # OM-S5, OM-T7, R1, R18
    cdef int missing[KINDS]
    cdef int side
    cdef Word *due
    for side in range(2):
        missing[side] = min(MARKET - in_all(s.market[side]), in_all(s.pack[side]))
    missing[PEOPLE] = min(MARKET - popcount(s.char_market), popcount(s.char_pack))
    if chance.script != NULL and missing[WORKS] + missing[INVENTIONS] + missing[PEOPLE]:
        due = scripted(chance, WORD_REFILL, -1)
        if due != NULL:
            if obey_refill(due, s, missing, event):
                return
            misfit(chance)
    for side in range(2):
        if missing[side]:
            refill_side(s, side, missing[side], chance, event)
    if missing[PEOPLE]:
        refill_people(s, missing[PEOPLE], chance, event)


cdef void end_turn(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # OM-T1, R1
    cdef int next_seat = s.to_move + 1 if s.to_move + 1 < r.players else 0
    cdef bint last = next_seat == first_seat(r, s.round)
    clear_turn(s)
    s.phase = PLAY
    if last:
        s.round += 1
        if s.round == ROUNDS:
            s.phase = OVER
            s.to_move = -1
            return
        next_seat = first_seat(r, s.round)
    if last or not r.refill_round:
        refill(r, s, chance, event)
    s.to_move = <int8_t>next_seat


cdef inline void go_on(const Rules *r, State *s, Chance *chance, Event *event) noexcept nogil:
    # Back to what is left of the card; if nothing can be done with it the turn is over (R17).
    s.phase = ACT
    s.pending = NONE
    if s.left[0] == NONE:
        end_turn(r, s, chance, event)
    elif not options(r, s, s.left[0]) and (s.left[1] == NONE or not options(r, s, s.left[1])):
        end_turn(r, s, chance, event)


cdef inline int symbol_of(int action) noexcept nogil:
    # The symbol that an option belongs to.
    if action < FIRST_PICK:
        return action - TAKE_COINS
    if action == DRAW_CITY:
        return DRAW
    return WORK + min(PEOPLE, (action - FIRST_PICK) // FACES)


cdef inline void use_symbol(const Rules *r, State *s, int action) noexcept nogil:
    cdef bint twice = s.left[0] == s.left[1]
    if s.left[0] == symbol_of(action):
        s.left[0] = s.left[1]
    s.left[1] = NONE
    s.passed = 0
    s.first_plain = <uint8_t>(action if twice and r.plain & BIT(action) else NONE)


cdef inline int take_card(const Rules *r, State *s, int action) noexcept nogil:
    # OM-A1..A3, OM-A8, OM-A9: the card, its price, coins that it brings. Returns its effect.
    cdef int kind = symbol_of(action) - WORK, face = action - FIRST_PICK - FACES * kind
    cdef int effect = r.effect[kind][face]
    if kind == PEOPLE:
        s.char_market ^= <uint16_t>(1 << face)
        s.characters[s.to_move] |= <uint16_t>(1 << face)
    else:
        s.market[kind][face] -= 1
        s.owned[s.to_move][kind][face] += 1
    s.coins[s.to_move] -= r.price[kind][face]
    s.bank += r.price[kind][face]
    if effect <= COINS2:
        receive_coins(s, 1 + effect)
    return effect


cdef void draw_cities(State *s, Chance *chance, Event *event) noexcept nogil:
    # OM-C1
    cdef int i, mover = s.to_move, n = cities_drawn(s)
    if chance.script != NULL:
        obey_drawn(s, n, chance)
    for i in range(n):
        s.city_known[i] |= <uint8_t>(1 << mover)
        if event != NULL:
            event.drawn[i] = s.city_pack[i]
    s.phase = CITY
    s.pending = NONE


cdef void lay_city(State *s, int action, Chance *chance, Event *event) noexcept nogil:
    # OM-C2..C4, R8, R21: the others go under the pack as they were drawn, and whoever knew them still does.
    cdef uint8_t below_city[DRAWN]
    cdef uint8_t below_known[DRAWN]
    cdef int i, n = cities_drawn(s), rest = 0
    for i in range(n):
        if FIRST_ACTIVATE + s.city_pack[i] == action:
            s.cities_active |= <uint16_t>(1 << s.city_pack[i])
            if event != NULL:
                event.place = <uint8_t>(i + 1)
            if chance.script != NULL:
                confirm(chance, WORD_PLACE, -1, i + 1)
        else:
            below_city[rest] = s.city_pack[i]
            below_known[rest] = s.city_known[i]
            rest += 1
    for i in range(n, s.city_len):
        s.city_pack[i - n] = s.city_pack[i]
        s.city_known[i - n] = s.city_known[i]
    for i in range(rest):
        s.city_pack[s.city_len - n + i] = below_city[i]
        s.city_known[s.city_len - n + i] = below_known[i]
    if rest < n:
        s.city_len -= 1
        s.city_pack[s.city_len] = NONE
        s.city_known[s.city_len] = 0


cdef void take_turn(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    cdef int effect
    if action == PASS:
        s.left[0] = s.left[1]
        s.left[1] = NONE
        s.passed = 1
        return
    if action == DONE:
        end_turn(r, s, chance, event)
        return
    if s.phase == ACT:
        use_symbol(r, s, action)
    if action == DRAW_CITY:
        draw_cities(s, chance, event)
        return
    if action >= FIRST_ACTIVATE:
        lay_city(s, action, chance, event)
    elif action >= FIRST_PICK:
        effect = take_card(r, s, action)
        # OM-A6, OM-A7, R10: an effect that cannot be done lapses
        if effect != NONE and effect > COINS2 and options(r, s, effect):
            s.phase = EFFECT
            s.pending = <uint8_t>effect
            return
    elif action >= TAKE_COINS:
        receive_coins(s, 1 + action - TAKE_COINS)
    go_on(r, s, chance, event)


cdef inline void step(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    cdef int card
    if action < FIRST_PLAY:
        keep(r, s, action, chance, event)
    elif action < DONE:
        # OM-T1, R4
        card = action - FIRST_PLAY
        s.played |= <uint32_t>1 << card
        s.card = <uint8_t>card
        s.left[0] = r.symbols[card][0]
        s.left[1] = r.symbols[card][1]
        go_on(r, s, chance, event)
    else:
        take_turn(r, s, action, chance, event)


cdef void apply(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil:
    cdef State *s = <State *>state
    cdef Event *e = <Event *>event
    if e != NULL:
        memset(e, 0, sizeof(Event))
        memset(e.drawn, NONE, sizeof(e.drawn))
        e.mover = <uint8_t>s.to_move
    step(<const Rules *>rules, s, action, chance, e)
    if e != NULL:
        e.over = s.phase == OVER


# What a step shows

cdef int label(const void *rules, const void *state, int action, int seat) noexcept nogil:
    # OM-D5
    if action < FIRST_PLAY and (<const State *>state).to_move != seat:
        return KEEP_HIDDEN
    return action


cdef Seen seen(const void *rules, const void *event, int seat) noexcept nogil:
    # Exact: a packet is 28 bits; of each face three cards come at most, two bits each, and a bit per person.
    cdef const Event *e = <const Event *>event
    cdef Seen key
    cdef int i, side
    key.revealed = 0
    key.chance = 0
    if e.over:
        return key
    key.revealed = e.place
    key.chance = e.packet[seat]
    if e.mover == seat:
        for i in range(DRAWN):
            if e.drawn[i] != NONE:
                key.chance |= <uint64_t>(1 + e.drawn[i]) << 8 * i
    for side in range(2):
        for i in range(FACES):
            key.chance |= <uint64_t>e.refill[side][i] << 2 * (FACES * side + i)
    key.chance |= <uint64_t>e.refill_characters << 32
    return key


include "omnia_score.pxi"
include "omnia_play.pxi"
include "omnia_check.pxi"


# The core

include "core.pxi"

core.actions = ACTIVATE_NONE + 1
core.labels = 1
core.max_legal = HAND
core.public_phases = 1 << ACT | 1 << EFFECT
core.fixed_phases = 0
core.telling_phases = 1 << CITY
core.hidden = True
core.random = True

fill_places()
fill_orders()


def table(rules: bytes) -> Table:
    """The core with these rules (a RULES struct, the tables of omnia_score.pxi left to fill)."""
    if len(rules) != sizeof(Rules):
        raise ValueError(f"the rules have {sizeof(Rules)} bytes, not {len(rules)}")
    filled = bytearray(rules)
    cdef char *data = filled
    cdef Rules *r = <Rules *>data
    if not rules_fit(r):
        raise ValueError("not the rules of OMNIA")
    fill_sets(r)
    r.most_points = <uint16_t>most_points(r)
    return make_table(&core, bytes(filled), r.players, 0, r.most_points)
