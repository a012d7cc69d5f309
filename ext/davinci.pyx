"""Atelier Da Vinci: the core (numbers only; words and maps are in games/davinci.py).

Zones    Colour cards lie on the table, in hands, on the borders of two shared paintings, in the deck and in
         the discard pile. A card is known by its face: 4 * colour + value - 1. Piles have no order: faces
         are counted. A hand has known cards, counted too, and hidden ones, each with its cycle: the number
         of the deck it was drawn from, 0 for the first and one more at each reshuffle.
Phases   0 main: the first decision of a turn, which is the choice of the action. 1 take, 2 discard and
         3 paint: the next card of that action. 4 leonardo, 5 leo_drawn: the token holder places a card of the
         table, or the one turned over. 6 over.
Unknown  The faces of other seats' hidden cards, and the deck. Cycles are public, and all the memory there is:
         hidden cards of a cycle are exactly the cards of that deck that a seat has not seen since.
Shown    Every decision; a hidden card when it is played, discarded or shown, with its cycle; cards turned
         over; new paintings; all hands at the end. A drawn card, to the one who draws.

A border has six slots, clockwise from the top. The slots of both places are numbered 6 * place + slot, which
is also the order in which one Paint action lays its cards; a set of slots is a mask of twelve bits.

Rule ids (DV-...) and rulings (R...) are those of games/davinci.md.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from .maths cimport exponential
from .rng cimport (
    PLAYS, Chance, Script, Word, below, draw_from_counts, misfit, mix64, noise_threshold, noisy,
)
from .state cimport Core, Seen, Table, make_table

cdef extern from *:
    """
    #define EVERY_BYTE UINT64_C(0x0101010101010101)
    #define GATHER UINT64_C(0x0102040810204080)     /* bit 8i of a factor comes to bit 56 + i */
    """
    const uint64_t EVERY_BYTE
    const uint64_t GATHER
    int popcount "__builtin_popcount"(unsigned int) noexcept nogil
    int lowest_bit "__builtin_ctz"(unsigned int) noexcept nogil
    int highest_zeros "__builtin_clz"(unsigned int) noexcept nogil

cdef enum:
    SEATS = 5
    COLOURS = 5
    VALUES = 4
    FACES = 20
    SLOTS = 6
    BOTH = 12               # slots of both places
    PAINTINGS = 8
    MASTERIES = 6
    ACHIEVEMENTS = 6
    LEVELS = 4
    HAND_LIMIT = 5
    HIDDEN = 6              # hidden cards in a hand: five, and the one just drawn
    TAKE_LIMIT = 4          # one more with the Help of the Maestro
    PAINT_MAX = 4
    MOST_ESTEEM = 9999      # an esteem that no game comes near; positions from outside stay below it
    NONE = 255
    # phases
    MAIN = 0
    TAKE = 1
    DISCARD = 2
    PAINT = 3
    LEONARDO = 4
    LEO_DRAWN = 5
    OVER = 6
    # actions: the first of each kind; behind it a face, a mastery, or 24 * painting + 4 * slot + value - 1
    STOP = 0
    DRAW = 1
    FIRST_TAKE = 2
    FIRST_DISCARD = 22
    FIRST_CLAIM = 42
    FIRST_PAINT = 48
    FIRST_LEONARDO = 240
    ACTIONS = 432
    # streams of chance
    DECK = 0
    NEW_PAINTING = 1
    AIMS = 2                # the achievements
    # words of scripts
    WORD_TABLE = 0          # faces laid out at set-up
    WORD_DEALT = 1          # dealt SEAT face
    WORD_PAINTING = 2
    WORD_ACHIEVEMENT = 3
    WORD_SHOWS = 4          # shows SEAT cycle faces
    WORD_DRAW = 5           # the face drawn
    WORD_TURN = 6           # the face turned over for the Leonardo Action
    WORD_REFILL = 7
    WORD_RESHUFFLE = 8
    # where in a step the reshuffle came: not, before the draw, before the turn, or behind so many refills
    UNSHUFFLED = 255
    BEFORE_DRAW = 100
    BEFORE_TURN = 101
    # achievements, by their rule
    FIVE_CARDS = 0
    TWO_MASTERIES = 1
    COLOUR_PAIR = 2
    TWO_PAINTINGS = 3
    FOUR_COLOURS = 4
    EMPTY_HAND = 5
    # mastery_bonus (R7), completion_bonus (R6)
    PER_CARD = 0
    PER_COLOUR = 1
    PER_ACTION = 2
    LEVEL_ALWAYS = 0
    LEVEL_FOR_FRESH = 1
    ALL_BONUSES = 2

cdef struct Rules:
    uint16_t level_from[LEVELS]         # DV-P7: esteem from which a level holds
    uint8_t level_bonus[LEVELS]
    uint8_t deck[FACES]                 # the prepared deck
    # Of each painting, and of none (row 8): masks of six slots
    uint8_t marked[PAINTINGS + 1]
    uint8_t of_colour[PAINTINGS + 1][COLOURS]
    uint8_t clash[PAINTINGS + 1][SLOTS]     # neighbours of another colour (R3); 0: wet_paint = "off"
    uint8_t colour[PAINTINGS][SLOTS]    # 255: unmarked
    uint8_t painting_points[PAINTINGS]
    uint8_t need[MASTERIES][COLOURS]    # cards of each colour that a claim shows
    uint8_t depicts[MASTERIES]          # bit per colour
    uint8_t achievement_rule[ACHIEVEMENTS]
    uint8_t achievement_points[ACHIEVEMENTS]
    uint8_t players
    uint8_t paintings                   # in play
    uint8_t round_cap
    uint8_t mastery_bonus
    uint8_t completion_bonus
    uint8_t smallest_claim              # cards of the smallest combination

cdef struct State:
    int8_t to_move
    uint8_t phase
    uint8_t leonardo            # the seat with the token
    uint8_t help                # the seat with the Help of the Maestro, 255: nobody
    uint8_t round               # from 1
    uint8_t take_left           # take: value that may still be taken
    uint8_t last                # take, discard: face; paint: slot; 255: none
    uint8_t placed              # paint: cards of this action
    uint8_t to_discard
    uint8_t drawn               # leo_drawn: face; 255: none
    uint16_t cycle
    uint16_t esteem[SEATS]
    uint16_t hid_cycle[SEATS][HIDDEN]
    uint8_t hid_face[SEATS][HIDDEN]     # sorted by (cycle, face); unused places are 0
    uint8_t hid_n[SEATS]
    uint8_t hand_n[SEATS]       # known and hidden cards
    uint8_t deck_n              # sum of deck
    uint8_t deck[FACES]         # counts by face
    uint8_t discard[FACES]
    uint8_t table[FACES]
    uint8_t known[SEATS][FACES]
    uint8_t place[2]            # painting; 255: none
    uint8_t slot_value[2][SLOTS]        # 0: no card
    uint8_t fresh[2]            # slots that got their card in this turn, a bit each
    uint8_t paint_owner[PAINTINGS]      # 255: nobody
    uint8_t mast_owner[MASTERIES]
    uint8_t ach[2]              # rising
    uint8_t done_count[COLOURS]         # paint, with completion_bonus = "all": cards used to complete

cdef struct Event:
    uint16_t shown_cycle[26]
    uint16_t gain               # esteem received
    uint8_t shown_seat[26]      # sorted by (seat, cycle, face)
    uint8_t shown_face[26]
    uint8_t shown_n
    uint8_t mover
    uint8_t drawn               # 255: nothing was drawn, turned over, revealed, completed
    uint8_t turned
    uint8_t painting
    uint8_t completed
    uint8_t refill[10]          # rising, before and behind a reshuffle
    uint8_t refill_n
    uint8_t reshuffle           # where it came
    uint8_t help                # the seat that the Help of the Maestro went to, 255: it stayed
    uint8_t over                # 1: the game ended

# The same structs for Python, in the notation of numpy.dtype.
RULES = [("level_from", "u2", (LEVELS,)), ("level_bonus", "u1", (LEVELS,)), ("deck", "u1", (FACES,)),
         ("marked", "u1", (PAINTINGS + 1,)), ("of_colour", "u1", (PAINTINGS + 1, COLOURS)),
         ("clash", "u1", (PAINTINGS + 1, SLOTS)), ("colour", "u1", (PAINTINGS, SLOTS)),
         ("painting_points", "u1", (PAINTINGS,)), ("need", "u1", (MASTERIES, COLOURS)),
         ("depicts", "u1", (MASTERIES,)), ("achievement_rule", "u1", (ACHIEVEMENTS,)),
         ("achievement_points", "u1", (ACHIEVEMENTS,)), ("players", "u1"), ("paintings", "u1"),
         ("round_cap", "u1"), ("mastery_bonus", "u1"), ("completion_bonus", "u1"), ("smallest_claim", "u1")]
STATE = [("to_move", "i1"), ("phase", "u1"), ("leonardo", "u1"), ("help", "u1"), ("round", "u1"),
         ("take_left", "u1"), ("last", "u1"), ("placed", "u1"), ("to_discard", "u1"), ("drawn", "u1"),
         ("cycle", "u2"), ("esteem", "u2", (SEATS,)), ("hid_cycle", "u2", (SEATS, HIDDEN)),
         ("hid_face", "u1", (SEATS, HIDDEN)), ("hid_n", "u1", (SEATS,)), ("hand_n", "u1", (SEATS,)),
         ("deck_n", "u1"), ("deck", "u1", (FACES,)), ("discard", "u1", (FACES,)), ("table", "u1", (FACES,)),
         ("known", "u1", (SEATS, FACES)), ("place", "u1", (2,)), ("slot_value", "u1", (2, SLOTS)),
         ("fresh", "u1", (2,)), ("paint_owner", "u1", (PAINTINGS,)), ("mast_owner", "u1", (MASTERIES,)),
         ("ach", "u1", (2,)), ("done_count", "u1", (COLOURS,))]
EVENT = [("shown_cycle", "u2", (26,)), ("gain", "u2"), ("shown_seat", "u1", (26,)),
         ("shown_face", "u1", (26,)), ("shown_n", "u1"), ("mover", "u1"), ("drawn", "u1"), ("turned", "u1"),
         ("painting", "u1"), ("completed", "u1"), ("refill", "u1", (10,)), ("refill_n", "u1"),
         ("reshuffle", "u1"), ("help", "u1"), ("over", "u1")]


include "davinci_cards.pxi"
include "davinci_script.pxi"


# Set-up

cdef int take_from(State *s, Chance *chance, int face) noexcept nogil:
    # A card that a script has named, out of the deck; -1: it has named none, or one that is not there.
    if face < 0:
        return -1
    if face >= FACES or s.deck[face] == 0:
        misfit(chance)
        return -1
    s.deck[face] -= 1
    s.deck_n -= 1
    return face


cdef inline int draw_card(State *s, Chance *chance) noexcept nogil:
    cdef int face = draw_from_counts(chance, DECK, s.deck, s.deck_n)
    s.deck_n -= 1
    return face


cdef int draw_painting(const Rules *r, const State *s, Chance *chance) noexcept nogil:
    # One of those neither in a place nor owned, each as likely (those set aside are unseen too).
    cdef int painting, unseen = 0, named = next_value(chance, WORD_PAINTING, -1), pick
    cdef uint8_t faces[PAINTINGS]
    for painting in range(PAINTINGS):
        if s.paint_owner[painting] == NONE and s.place[0] != painting and s.place[1] != painting:
            faces[unseen] = <uint8_t>painting
            unseen += 1
    pick = faces[below(chance, NEW_PAINTING, unseen)]
    if named < 0:
        return pick
    for painting in range(unseen):
        if faces[painting] == named:
            return named
    misfit(chance)
    return pick


cdef void draw_achievements(State *s, Chance *chance) noexcept nogil:
    cdef int first = <int>below(chance, AIMS, ACHIEVEMENTS)
    cdef int second = <int>below(chance, AIMS, ACHIEVEMENTS - 1)
    cdef int named = next_value(chance, WORD_ACHIEVEMENT, -1)
    cdef int other = next_value(chance, WORD_ACHIEVEMENT, -1)
    second += second >= first
    if named >= ACHIEVEMENTS or other >= ACHIEVEMENTS or (named >= 0 and named == other):
        misfit(chance)
    elif named >= 0:
        if second == named:
            second = first
        first = named
        if other >= 0:
            second = other
    s.ach[0] = <uint8_t>min(first, second)
    s.ach[1] = <uint8_t>max(first, second)


cdef void new(const void *rules, void *state, Chance *chance) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef int dealt[SEATS]
    cdef int seat, face, _card, laid = 0
    memset(s, 0, sizeof(State))
    memset(s.paint_owner, NONE, sizeof(s.paint_owner))
    memset(s.mast_owner, NONE, sizeof(s.mast_owner))
    s.place[0] = s.place[1] = s.help = s.last = s.drawn = NONE
    s.round = 1
    for face in range(FACES):
        s.deck[face] = r.deck[face]
        s.deck_n += r.deck[face]
    # Cards that a script names leave the deck before any other is drawn.
    while laid < 2 * r.players:
        face = next_value(chance, WORD_TABLE, -1)
        if face < 0:
            break
        face = take_from(s, chance, face)
        if face >= 0:
            s.table[face] += 1
            laid += 1
    for seat in range(r.players):
        dealt[seat] = take_from(s, chance, next_value(chance, WORD_DEALT, seat))
    # DV-S3, DV-S4
    for _card in range(laid, 2 * r.players):
        s.table[draw_card(s, chance)] += 1
    for seat in range(r.players):
        add_hidden(s, seat, dealt[seat] if dealt[seat] >= 0 else draw_card(s, chance))
    # DV-S5..S7
    s.place[0] = <uint8_t>draw_painting(r, s, chance)
    s.place[1] = <uint8_t>draw_painting(r, s, chance)
    draw_achievements(s, chance)
    settle(chance)


# Decisions

cdef inline bint shows_all(const Rules *r, int mastery, const int *counts) noexcept nogil:
    cdef int colour
    for colour in range(COLOURS):
        if counts[colour] < r.need[mastery][colour]:
            return False
    return True


cdef inline uint32_t claims(const Rules *r, const State *s, uint32_t faces) noexcept nogil:
    # DV-M1: the masteries that the mover, who holds these faces, can claim, a bit each. Its colours rule most
    # of them out before any card is counted.
    cdef uint32_t colours = colours_among(faces), found = 0
    cdef int counts[COLOURS]
    cdef int mastery
    cdef bint counted = False
    if s.hand_n[s.to_move] < r.smallest_claim:
        return 0
    for mastery in range(MASTERIES):
        if r.depicts[mastery] & ~colours or s.mast_owner[mastery] != NONE:
            continue
        if not counted:
            colours_held(s, s.to_move, counts)
            counted = True
        found |= <uint32_t>shows_all(r, mastery, counts) << mastery
    return found


cdef inline uint32_t faces_to_take(const State *s) noexcept nogil:
    # DV-C1; one order of the cards of a set only: rising faces.
    if s.phase == MAIN:
        return faces_in(s.table)
    return faces_in(s.table) & faces_up_to(s.take_left) >> s.last << s.last


cdef inline int list_faces(uint32_t faces, int first, uint16_t *out, int n) noexcept nogil:
    while faces:
        out[n] = <uint16_t>(first + lowest_bit(faces))
        n += 1
        faces &= faces - 1
    return n


cdef inline int list_slots(const Rules *r, const State *s, uint32_t slots, uint32_t faces, int first,
                           uint16_t *out, int n) noexcept nogil:
    # Every card of these faces on every slot of its colour among these. Ids rise with the painting's number,
    # whichever place it has.
    cdef int turn, place, slot, painting, number
    cdef uint32_t mine, values
    slots &= slots_for(r, s, faces)
    for turn in range(2):
        place = turn ^ (s.place[1] < s.place[0])
        painting = s.place[place]
        mine = slots >> SLOTS * place & 0x3F
        while mine:
            slot = lowest_bit(mine)
            mine &= mine - 1
            values = faces >> VALUES * r.colour[painting][slot] & 15
            number = first + VALUES * (SLOTS * painting + slot)
            while values:
                out[n] = <uint16_t>(number + lowest_bit(values))
                n += 1
                values &= values - 1
    return n


cdef int list_discards(const State *s, uint16_t *out) noexcept nogil:
    # Rising faces, as long as enough cards follow. In a world dealt in the middle of another seat's discard
    # the order may have no such card left: then any will do.
    cdef uint32_t faces = held(s, s.to_move), rest
    cdef int face, i, n = 0, behind = s.hand_n[s.to_move]
    cdef bint any_card = False
    while True:
        rest = faces
        while rest:
            face = lowest_bit(rest)
            rest &= rest - 1
            if any_card or ((s.last == NONE or face >= s.last) and behind >= s.to_discard):
                out[n] = <uint16_t>(FIRST_DISCARD + face)
                n += 1
            behind -= s.known[s.to_move][face]
            for i in range(s.hid_n[s.to_move]):
                behind -= s.hid_face[s.to_move][i] == face
        if n:
            return n
        any_card = True


cdef int list_main(const Rules *r, const State *s, uint16_t *out) noexcept nogil:
    cdef uint32_t faces = held(s, s.to_move)
    cdef int n
    out[0] = DRAW
    n = list_faces(faces_to_take(s), FIRST_TAKE, out, 1)
    n = list_faces(claims(r, s, faces), FIRST_CLAIM, out, n)
    return list_slots(r, s, usable_slots(r, s), faces, FIRST_PAINT, out, n)


cdef int legal(const void *rules, const void *state, uint16_t *out) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    if s.phase == MAIN:
        return list_main(r, s, out)
    if s.phase == DISCARD:
        return list_discards(s, out)
    if s.phase == LEONARDO:
        return list_slots(r, s, leonardo_slots(r, s), faces_in(s.table), FIRST_LEONARDO, out, 0)
    if s.phase == LEO_DRAWN:
        return list_slots(r, s, leonardo_slots(r, s), <uint32_t>1 << s.drawn, FIRST_LEONARDO, out, 0)
    out[0] = STOP
    if s.phase == TAKE:
        return list_faces(faces_to_take(s), FIRST_TAKE, out, 1)
    return list_slots(r, s, usable_slots(r, s) & slots_behind(s.last), held(s, s.to_move), FIRST_PAINT,
                      out, 1)


# What follows a decision

include "davinci_turn.pxi"


cdef void apply(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil:
    cdef State *s = <State *>state
    cdef Event *e = <Event *>event
    if e != NULL:
        memset(e, 0, sizeof(Event))
        e.mover = <uint8_t>s.to_move
        e.drawn = e.turned = e.painting = e.completed = e.help = NONE
        e.reshuffle = UNSHUFFLED
    step(<const Rules *>rules, s, action, chance, e)
    settle(chance)
    if e != NULL:
        e.over = s.phase == OVER


# Scoring

cdef bint fulfilled(const Rules *r, const State *s, int seat, int rule) noexcept nogil:
    # DV-G3
    cdef int counts[COLOURS]
    cdef int i, n = 0
    if rule == FIVE_CARDS:
        return s.hand_n[seat] >= 5
    if rule == EMPTY_HAND:
        return s.hand_n[seat] == 0
    if rule == TWO_PAINTINGS:
        return paintings_owned(s, seat) >= 2
    if rule == TWO_MASTERIES:
        for i in range(MASTERIES):
            n += s.mast_owner[i] == seat
        return n >= 2
    colours_held(s, seat, counts)
    for i in range(COLOURS):
        if rule == COLOUR_PAIR and counts[i] >= 2:
            return True
        n += counts[i] > 0
    return rule == FOUR_COLOURS and n >= 4


cdef int painting_points(const Rules *r, const State *s, int seat) noexcept nogil:
    cdef int painting, points = 0
    for painting in range(PAINTINGS):
        if s.paint_owner[painting] == seat:
            points += r.painting_points[painting]
    return points


cdef int achieved(const Rules *r, const State *s, int seat) noexcept nogil:
    cdef int i, points = 0
    for i in range(2):
        if fulfilled(r, s, seat, r.achievement_rule[s.ach[i]]):
            points += r.achievement_points[s.ach[i]]
    return points


cdef void outcome(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil:
    # DV-G2, DV-G4
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int total[SEATS]
    cdef int seat, other
    for seat in range(r.players):
        scores[seat] = s.esteem[seat] + painting_points(r, s, seat) + achieved(r, s, seat)
        total[seat] = 16 * <int>scores[seat] + paintings_owned(s, seat)
    for seat in range(r.players):
        ranks[seat] = 1
        for other in range(r.players):
            ranks[seat] += total[other] > total[seat]


# Hiding and dealing

include "davinci_deal.pxi"


cdef int label(const void *rules, const void *state, int action, int seat) noexcept nogil:
    return action


cdef Seen seen(const void *rules, const void *event, int seat) noexcept nogil:
    cdef const Event *e = <const Event *>event
    cdef Seen key
    cdef int i
    key.revealed = 0
    key.chance = 0
    if e.over:
        return key
    for i in range(e.shown_n):
        if e.shown_seat[i] != seat:
            key.revealed = mix64(key.revealed + 1
                                 + shown_key(e.shown_seat[i], e.shown_cycle[i], e.shown_face[i]))
    if e.drawn != NONE and e.mover == seat:
        key.chance = mix64(key.chance + 1 + e.drawn)
    if e.painting != NONE:
        key.chance = mix64(key.chance + 100 + e.painting)
    if e.turned != NONE:
        key.chance = mix64(key.chance + 200 + e.turned)
    for i in range(e.refill_n):
        key.chance = mix64(key.chance + 300 + e.refill[i])
    if e.reshuffle != UNSHUFFLED:
        key.chance = mix64(key.chance + 400 + e.reshuffle)
    return key


include "davinci_play.pxi"
include "davinci_check.pxi"


# The core

include "core.pxi"

core.actions = ACTIONS
core.labels = 0
core.max_legal = 1 + 2 * SEATS + MASTERIES + VALUES * BOTH
core.public_phases = 1 << TAKE | 1 << LEONARDO | 1 << LEO_DRAWN
core.fixed_phases = 0
core.telling_phases = 1 << MAIN | 1 << DISCARD | 1 << PAINT
core.hidden = True
core.random = True


def table(rules: bytes) -> Table:
    """The core with these rules (a RULES struct)."""
    cdef const Rules *r = <const Rules *><const char *>rules
    if len(rules) != sizeof(Rules):
        raise ValueError(f"the rules have {sizeof(Rules)} bytes, not {len(rules)}")
    if not 2 <= r.players <= SEATS or not 2 <= r.paintings <= PAINTINGS or not r.round_cap:
        raise ValueError("expected 2 to 5 players, 2 to 8 paintings and at least one round")
    if not rules_fit(r):
        raise ValueError("not the rules of Atelier Da Vinci")
    return make_table(&core, rules, r.players, 0, most_points(r))
