"""Atelier: The Painter's Studio: the core (numbers only; words and maps are in games/painters_studio.py).

Zones    Four piles of paint with students at them; seven paintings face up and a deck of them; each seat's
         paint, students, tokens, dice, paintings and patrons; a patron deck, whose lower part, the tail, is
         the cards that the seats returned in set-up. Decks have no order: what lies in them is what lies
         nowhere else, and a draw takes any of it.
Phases   0 patron, 1 start: set-up. 2 turn: a die, tokens or a power is used, or the turn ends. 3 return:
         students go home after a painting. 4 move: a student of each seat may change its pile. 5 to 11: the
         decisions of a painting's power. 12 over.
Unknown  Other seats' patrons, the patron deck, and the order of the paintings. A seat knows the card that it
         returned, wherever it lies since; everybody knows whose card was drawn by whom.
Shown    Every decision but the choice of a patron; dice; new paintings; all hands at the end. A drawn patron,
         to the one who draws.

A set of cards is a mask; so is a set of colours, 0 to 3. Dice are counted by kind: faces 1 and 2 are one.

Rule ids (PS-...) and rulings (R...) are those of games/painters_studio.md.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from .maths cimport exponential
from .rng cimport (
    PLAYS, Chance, Word, below, misfit, named, noise_threshold, noisy, scripted, shuffle,
)
from .state cimport Core, Seen, Table, make_table

cdef extern from *:
    """
    #define ALL_PAINTINGS ((UINT64_C(1) << 40) - 1)
    #define ONES UINT32_C(0x01010101)
    #define HIGH UINT32_C(0x80808080)
    """
    const uint64_t ALL_PAINTINGS
    const uint32_t ONES
    const uint32_t HIGH
    int popcount "__builtin_popcount"(unsigned int) noexcept nogil
    int popcount64 "__builtin_popcountll"(unsigned long long) noexcept nogil
    int lowest_bit "__builtin_ctz"(unsigned int) noexcept nogil
    int lowest_bit64 "__builtin_ctzll"(unsigned long long) noexcept nogil

cdef enum:
    SEATS = 4
    COLOURS = 4
    CATEGORIES = 4
    PAINTINGS = 40
    PATRONS = 16
    ALL_PATRONS = 0xFFFF
    ALL_COLOURS = 15
    KINDS = 5
    # numbers of the rulebook
    PAINT_PER_COLOUR = 15
    TOKENS = 20
    STUDENTS = 12
    DICE = 4
    DISPLAY = 7
    MASTER_POINTS = 4
    MASTERPIECES_TO_END = 3
    REROLL_COST = 1
    PAINT_COST = 2
    PATRON_COST = 3
    # phases
    PATRON = 0
    START = 1
    TURN = 2
    RETURN = 3
    MOVE = 4
    E_GAIN = 5
    E_PLACE = 6
    E_OWN = 7
    E_SWAP = 8
    E_SET = 9
    E_REROLL = 10
    E_BUY = 11
    OVER = 12
    # kinds of dice
    PLACE_DIE = 0
    MOVE_DIE = 1
    COLLECT_DIE = 2
    PAINT_DIE = 3
    GAIN_DIE = 4
    # actions: the first of each kind; behind it a patron, a colour, a pair of colours, a kind or a painting
    FIRST_KEEP = 0
    FIRST_PLACE = 16
    FIRST_GAIN = 20
    FIRST_BACK = 24
    DO_MOVE = 28
    DO_COLLECT = 29
    INSPIRE = 30
    REROLL = 31
    DRAW_PATRON = 32
    END_TURN = 33
    SKIP = 34
    FIRST_SHIFT = 35
    FIRST_DIE = 47
    FIRST_PAINT = 52
    FIRST_TOKEN_PAINT = 92
    FIRST_USE = 132
    ACTIONS = 172
    KEEP_SOME = 172         # the one label
    # streams of chance
    STARTER = 0
    NEW_PAINTING = 1
    NEW_PATRON = 2
    ROLLS = 3
    # words of scripts
    WORD_START = 0          # the starting player
    WORD_DISPLAY = 1
    WORD_DEAL = 2           # deal SEAT with two patrons
    WORD_DIE = 3
    WORD_PATRON = 4
    WORD_REFILL = 5
    WORD_ROLL = 6           # kinds
    WORD_HAND = 7           # hand SEAT with its patrons
    # when a power works
    NO_POWER = 0
    IN_TURN = 1
    WHEN_PAINTED = 2
    # effects
    GAIN_PAINT = 0
    GAIN_INSPIRATION = 1
    PLACE_STUDENTS = 2
    COLLECT_PAINT = 3
    MOVE_STUDENTS = 4
    ONE_PATRON = 5
    RECOVER_DIE = 6
    SWAP_PAINT = 7
    SET_DIE = 8
    REROLL_DIE = 9
    MOVE_OWN = 10
    BUY_PAINT = 11
    EFFECTS = 12
    # what a patron counts
    OF_SET = 0              # own paintings of its set
    FULL_SETS = 1           # of all categories
    TOKENS_LEFT = 2
    PILES_LED = 3
    PAINT_LEFT = 4
    COUNTED = 5
    NONE = 255

cdef struct Rules:
    uint64_t category[CATEGORIES]       # sets of paintings
    uint64_t masterpieces
    uint64_t turn_powers
    uint64_t counted[PATRONS]           # OF_SET: the paintings that a patron counts
    uint8_t cost[PAINTINGS][COLOURS]
    uint8_t points[PAINTINGS]
    uint8_t sends_home[PAINTINGS]
    uint8_t when[PAINTINGS]
    uint8_t effect[PAINTINGS]
    uint8_t amount[PAINTINGS]           # of the effect; set_die: the kind
    uint8_t patron_counts[PATRONS]      # OF_SET, ...
    uint8_t patron_unit[PATRONS]        # so many are counted as one
    uint8_t patron_points[PATRONS]
    uint8_t patron_most[PATRONS]
    uint8_t players
    uint8_t max_rounds
    uint8_t inspiration_ends            # inspiration_ends_turn = true (R1)
    uint8_t once_a_round                # power_refresh = "round" (R3)
    uint8_t canonical                   # R19
    uint8_t zero[3]

cdef struct State:
    int8_t to_move
    uint8_t phase
    uint8_t first_start         # the first starting player
    uint8_t round               # 0 in set-up
    uint8_t final_round         # 0: not settled
    int8_t first_master         # -1: nobody
    uint8_t spent               # 1: a die was spent in this turn
    uint8_t last_rank           # R19: of the decision before; 0: none
    uint64_t display            # sets of paintings
    uint64_t owned[SEATS]
    uint64_t used               # powers
    uint16_t hand[SEATS]        # sets of patrons
    int8_t tail[SEATS]          # the patron that a seat returned; -1: none yet
    int8_t taker[SEATS]         # who has drawn it since; -1: nobody
    uint8_t students[SEATS][COLOURS]    # at the piles
    uint8_t paint[SEATS][COLOURS]
    uint8_t tokens[SEATS]
    uint8_t active[SEATS]       # dice
    uint8_t dice[KINDS]         # of the seat to move
    uint8_t inspired            # 1: this turn's die was spent on a token, and the turn goes on (R1)
    # Inside an action, else 0 (card -1)
    uint8_t left                # return, e_gain, e_place: steps still to do
    uint8_t colour              # the same: the lowest colour still allowed
    uint8_t owner               # move: the seat whose student is moved
    uint8_t moved               # move: 1: something was
    uint8_t pending             # 1: a painting was painted, and the display has a gap
    int8_t card                 # the painting at work
    uint8_t zero[4]

cdef struct Event:
    uint16_t hand[SEATS]        # at the end, else 0
    uint8_t roll[KINDS]         # 0: nothing was rolled
    uint8_t mover
    uint8_t die                 # kind; 255: none
    uint8_t patron              # drawn; 255: none
    uint8_t refill              # painting; 255: none
    uint8_t collected           # colours, a bit each
    uint8_t master              # the seat that became First Master; 255: none did
    uint8_t round               # that began; 0: none did
    uint8_t over                # 1: the game ended
    uint8_t zero[3]

# The same structs for Python, in the notation of numpy.dtype.
RULES = [("category", "u8", (CATEGORIES,)), ("masterpieces", "u8"), ("turn_powers", "u8"),
         ("counted", "u8", (PATRONS,)), ("cost", "u1", (PAINTINGS, COLOURS)), ("points", "u1", (PAINTINGS,)),
         ("sends_home", "u1", (PAINTINGS,)), ("when", "u1", (PAINTINGS,)), ("effect", "u1", (PAINTINGS,)),
         ("amount", "u1", (PAINTINGS,)), ("patron_counts", "u1", (PATRONS,)),
         ("patron_unit", "u1", (PATRONS,)), ("patron_points", "u1", (PATRONS,)),
         ("patron_most", "u1", (PATRONS,)), ("players", "u1"), ("max_rounds", "u1"),
         ("inspiration_ends", "u1"), ("once_a_round", "u1"), ("canonical", "u1"), ("zero", "u1", (3,))]
STATE = [("to_move", "i1"), ("phase", "u1"), ("first_start", "u1"), ("round", "u1"), ("final_round", "u1"),
         ("first_master", "i1"), ("spent", "u1"), ("last_rank", "u1"), ("display", "u8"),
         ("owned", "u8", (SEATS,)), ("used", "u8"), ("hand", "u2", (SEATS,)), ("tail", "i1", (SEATS,)),
         ("taker", "i1", (SEATS,)), ("students", "u1", (SEATS, COLOURS)), ("paint", "u1", (SEATS, COLOURS)),
         ("tokens", "u1", (SEATS,)), ("active", "u1", (SEATS,)), ("dice", "u1", (KINDS,)), ("inspired", "u1"),
         ("left", "u1"), ("colour", "u1"), ("owner", "u1"), ("moved", "u1"), ("pending", "u1"),
         ("card", "i1"), ("zero", "u1", (4,))]
EVENT = [("hand", "u2", (SEATS,)), ("roll", "u1", (KINDS,)), ("mover", "u1"), ("die", "u1"),
         ("patron", "u1"), ("refill", "u1"), ("collected", "u1"), ("master", "u1"), ("round", "u1"),
         ("over", "u1"), ("zero", "u1", (3,))]


include "painters_studio_table.pxi"


# Set-up

cdef uint64_t named_set(Chance *chance, int word, int seat, int count, uint64_t among) noexcept nogil:
    # The cards that a script names, if it names so many different ones of these; 0: left to chance.
    cdef Word *due = scripted(chance, word, seat)
    cdef uint64_t cards = 0
    cdef int i
    if due == NULL:
        return 0
    for i in range(due.count):
        if 0 <= due.value[i] < 64:
            cards |= <uint64_t>1 << due.value[i]
    if due.count != count or popcount64(cards) != count or cards & ~among:
        misfit(chance)
        return 0
    return cards


cdef int starter(const Rules *r, Chance *chance) noexcept nogil:
    # PS-S7
    cdef int seat = <int>below(chance, STARTER, r.players)
    cdef Word *told = scripted(chance, WORD_START, -1)
    if told == NULL:
        return seat
    if told.count == 1 and 0 <= told.value[0] < r.players:
        return told.value[0]
    misfit(chance)
    return seat


cdef void new(const void *rules, void *state, Chance *chance) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef uint64_t unseen = ALL_PATRONS
    cdef int seat, _card
    memset(s, 0, sizeof(State))
    s.first_master = s.card = -1
    memset(s.tail, -1, sizeof(s.tail))
    memset(s.taker, -1, sizeof(s.taker))
    s.first_start = <uint8_t>starter(r, chance)
    s.to_move = <int8_t>s.first_start
    # PS-S2
    s.display = named_set(chance, WORD_DISPLAY, -1, DISPLAY, ALL_PAINTINGS)
    for _card in range(popcount64(s.display), DISPLAY):
        s.display |= any_of(ALL_PAINTINGS & ~s.display, chance, NEW_PAINTING)
    # PS-S5, PS-S8: cards that a script names leave the deck before any other is drawn.
    for seat in range(r.players):
        s.tokens[seat] = 1
        s.hand[seat] = <uint16_t>named_set(chance, WORD_DEAL, seat, 2, unseen)
        unseen &= ~<uint64_t>s.hand[seat]
    for seat in range(r.players):
        for _card in range(popcount(s.hand[seat]), 2):
            s.hand[seat] |= <uint16_t>any_of(unseen, chance, NEW_PATRON)
            unseen &= ~<uint64_t>s.hand[seat]


# Decisions

cdef struct Choices:
    # What may be done in a turn
    uint32_t place              # colours
    uint32_t gain
    uint64_t paint              # paintings
    uint64_t token_paint
    uint64_t use
    bint move
    bint collect
    bint patron


cdef void look_round(const Rules *r, const State *s, Choices *c) noexcept nogil:
    cdef int seat = s.to_move
    cdef uint32_t ranks
    cdef uint64_t payable = 0, powers
    memset(c, 0, sizeof(Choices))
    if (s.dice[PAINT_DIE] and not s.inspired) or s.tokens[seat] >= PAINT_COST:
        payable = payable_now(r, s, seat)
    if not s.inspired:
        ranks = <uint32_t>0x1FE >> s.last_rank << s.last_rank
        if s.dice[PLACE_DIE] and pool(s, seat):
            c.place = ranks >> 1 & ALL_COLOURS
        if s.dice[GAIN_DIE]:
            c.gain = ranks >> 5 & stocked(s)
        c.move = s.dice[MOVE_DIE] and anybody_out(s)
        c.collect = s.dice[COLLECT_DIE] and collected(r, s, seat)
        if s.dice[PAINT_DIE]:
            c.paint = payable
    if s.tokens[seat] >= PAINT_COST:
        c.token_paint = payable
    c.patron = s.tokens[seat] >= PATRON_COST and patron_deck(r, s) > 0
    powers = s.owned[seat] & r.turn_powers & ~s.used
    while powers:
        if usable(r, s, lowest_bit64(powers)):
            c.use |= powers & (0 - powers)
        powers &= powers - 1


cdef inline bint nothing_left(const Choices *c) noexcept nogil:
    return not (c.place | c.gain | c.paint | c.token_paint | c.use | c.move | c.collect | c.patron)


cdef inline int list_set(uint64_t members, int first, uint16_t *out, int n) noexcept nogil:
    while members:
        out[n] = <uint16_t>(first + lowest_bit64(members))
        n += 1
        members &= members - 1
    return n


cdef inline int list_if(bint there, int action, uint16_t *out, int n) noexcept nogil:
    if there:
        out[n] = <uint16_t>action
        return n + 1
    return n


cdef int list_turn(const Rules *r, const State *s, uint16_t *out) noexcept nogil:
    cdef Choices c
    cdef int n
    look_round(r, s, &c)
    n = list_set(c.place, FIRST_PLACE, out, 0)
    n = list_set(c.gain, FIRST_GAIN, out, n)
    n = list_if(c.move, DO_MOVE, out, n)
    n = list_if(c.collect, DO_COLLECT, out, n)
    n = list_if(not s.spent, INSPIRE, out, n)
    n = list_if(not s.spent and s.tokens[s.to_move] >= REROLL_COST, REROLL, out, n)
    n = list_if(c.patron, DRAW_PATRON, out, n)
    n = list_if(s.spent, END_TURN, out, n)
    n = list_set(c.paint, FIRST_PAINT, out, n)
    n = list_set(c.token_paint, FIRST_TOKEN_PAINT, out, n)
    return list_set(c.use, FIRST_USE, out, n)


cdef int list_rising(const State *s, const uint8_t *counts, int first, uint16_t *out) noexcept nogil:
    # Colours come in rising order; behind each there must be enough for the steps still to do.
    cdef int colour, n = 0, behind = 0
    for colour in range(s.colour, COLOURS):
        behind += counts[colour]
    for colour in range(s.colour, COLOURS):
        if counts[colour] and behind >= s.left:
            out[n] = <uint16_t>(first + colour)
            n += 1
        behind -= counts[colour]
    return n


cdef int list_shifts(uint32_t givers, uint32_t takers, uint16_t *out, int n) noexcept nogil:
    # Every pair of different colours, one of these and one of those.
    cdef int giver, taker
    for giver in range(COLOURS):
        if givers >> giver & 1:
            for taker in range(COLOURS):
                if taker != giver and takers >> taker & 1:
                    out[n] = <uint16_t>(FIRST_SHIFT + 3 * giver + taker - (taker > giver))
                    n += 1
    return n


cdef int list_dice(const State *s, int other_than, uint16_t *out, int n) noexcept nogil:
    cdef int kind
    for kind in range(KINDS):
        n = list_if(s.dice[kind] and kind != other_than, FIRST_DIE + kind, out, n)
    return n


cdef int list_step(const Rules *r, const State *s, uint16_t *out) noexcept nogil:
    # The next step of an action that is not over. R10: what might hurt when painted may be declined.
    cdef uint8_t counts[COLOURS]
    cdef int n
    if s.phase == RETURN:
        return list_rising(s, s.students[s.to_move], FIRST_BACK, out)
    if s.phase == E_GAIN:
        stock(s, counts)
        return list_rising(s, counts, FIRST_GAIN, out)
    if s.phase == E_PLACE:
        memset(counts, STUDENTS, COLOURS)
        return list_rising(s, counts, FIRST_PLACE, out)
    if s.phase == MOVE:
        n = list_if(s.moved or next_owner(r, s, s.owner) >= 0, SKIP, out, 0)
        return list_shifts(some(s.students[s.owner]), ALL_COLOURS, out, n)
    if s.phase == E_BUY:
        n = list_set(stocked(s), FIRST_GAIN, out, 0)
        return list_if(s.pending, SKIP, out, n)
    n = list_if(s.pending, SKIP, out, 0)
    if s.phase == E_OWN:
        return list_shifts(some(s.students[s.to_move]), ALL_COLOURS, out, n)
    if s.phase == E_SWAP:
        return list_shifts(some(s.paint[s.to_move]), stocked(s), out, n)
    return list_dice(s, r.amount[s.card] if s.phase == E_SET else NONE, out, n)


cdef int legal(const void *rules, const void *state, uint16_t *out) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    if s.phase == TURN:
        return list_turn(r, s, out)
    if s.phase == PATRON:
        return list_set(s.hand[s.to_move], FIRST_KEEP, out, 0)
    if s.phase == START:
        return list_set(ALL_COLOURS, FIRST_PLACE, out, 0)
    return list_step(r, s, out)


# What follows a decision

include "painters_studio_turn.pxi"


cdef void apply(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil:
    cdef State *s = <State *>state
    cdef Event *e = <Event *>event
    if e != NULL:
        memset(e, 0, sizeof(Event))
        e.mover = <uint8_t>s.to_move
        e.die = e.patron = e.refill = e.master = NONE
    step(<const Rules *>rules, s, action, chance, e)


# Scoring

cdef int patron_score(const Rules *r, const State *s, int seat, int patron, uint64_t owned) noexcept nogil:
    # Of a patron of the seat, if it had these paintings.
    cdef int rule = r.patron_counts[patron], i, count
    if rule == OF_SET:
        count = popcount64(owned & r.counted[patron])
    elif rule == FULL_SETS:
        count = PAINTINGS
        for i in range(CATEGORIES):
            count = min(count, popcount64(owned & r.category[i]))
    elif rule == TOKENS_LEFT:
        count = s.tokens[seat]
    elif rule == PILES_LED:
        count = popcount(led(r, s, seat))
    else:
        count = in_all(s.paint[seat])
    return min(count // r.patron_unit[patron] * r.patron_points[patron], <int>r.patron_most[patron])


cdef int hand_score(const Rules *r, const State *s, int seat, uint64_t owned) noexcept nogil:
    cdef uint32_t patrons = s.hand[seat]
    cdef int points = 0
    while patrons:
        points += patron_score(r, s, seat, lowest_bit(patrons), owned)
        patrons &= patrons - 1
    return points


cdef int painting_score(const Rules *r, uint64_t owned) noexcept nogil:
    cdef int points = 0
    while owned:
        points += r.points[lowest_bit64(owned)]
        owned &= owned - 1
    return points


cdef int score(const Rules *r, const State *s, int seat) noexcept nogil:
    # PS-E3
    return (painting_score(r, s.owned[seat]) + hand_score(r, s, seat, s.owned[seat])
            + (MASTER_POINTS if s.first_master == seat else 0))


cdef void outcome(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil:
    # PS-E4, PS-E5
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int total[SEATS]
    cdef int seat, other
    for seat in range(r.players):
        scores[seat] = score(r, s, seat)
        total[seat] = 128 * <int>scores[seat] + 2 * in_all(s.paint[seat]) + (s.first_master == seat)
    for seat in range(r.players):
        ranks[seat] = 1
        for other in range(r.players):
            ranks[seat] += total[other] > total[seat]


# Hiding and dealing

include "painters_studio_deal.pxi"


cdef int label(const void *rules, const void *state, int action, int seat) noexcept nogil:
    cdef const State *s = <const State *>state
    return KEEP_SOME if s.phase == PATRON and seat != s.to_move else action


cdef Seen seen(const void *rules, const void *event, int seat) noexcept nogil:
    # Three bits per kind of `roll`, then 1 + kind, 1 + painting, 1 + patron. The returned cards are drawn
    # face down from a deck as the others are: they count as chance.
    cdef const Event *e = <const Event *>event
    cdef Seen key
    cdef int kind
    key.revealed = 0
    key.chance = 0
    if e.over:
        return key
    for kind in range(KINDS):
        key.chance |= <uint64_t>e.roll[kind] << 3 * kind
    if e.die != NONE:
        key.chance |= <uint64_t>(1 + e.die) << 15
    if e.refill != NONE:
        key.chance |= <uint64_t>(1 + e.refill) << 18
    if e.patron != NONE and e.mover == seat:
        key.chance |= <uint64_t>(1 + e.patron) << 24
    return key


include "painters_studio_greedy.pxi"
include "painters_studio_play.pxi"
include "painters_studio_check.pxi"


# The core

include "core.pxi"

core.actions = ACTIONS
core.labels = 1
# 4 to place, 4 to gain, move, collect, draw, two of inspire, reroll, end_turn; 7 paintings twice, 33 powers
core.max_legal = 60
core.public_phases = (1 << OVER) - 1 & ~(1 << PATRON)
# what changes students, paint and tokens is all told by labels; dice and paintings are drawn
core.fixed_phases = core.public_phases & ~(1 << TURN | 1 << E_SET | 1 << E_REROLL)
core.telling_phases = 0
core.hidden = True
core.random = True


def table(rules: bytes) -> Table:
    """The core with these rules (a RULES struct)."""
    cdef const Rules *r = <const Rules *><const char *>rules
    if len(rules) != sizeof(Rules):
        raise ValueError(f"the rules have {sizeof(Rules)} bytes, not {len(rules)}")
    if not 2 <= r.players <= SEATS or not 1 <= r.max_rounds <= 99:
        raise ValueError("expected 2 to 4 players and 1 to 99 rounds")
    if not rules_fit(r):
        raise ValueError("not the rules of Atelier: The Painter's Studio")
    return make_table(&core, rules, r.players, 0, most_points(r))
