"""Leduc poker: the core (numbers only; words and maps are in games/leduc_poker.py).

Zones    A deck of six cards (three ranks, two of each), one card in each of two hands, one public card.
Phases   0 bet, 1 over. Two betting rounds: before and after the public card.
Unknown  The other seat's card, and the deck, which has no order: its cards are counted.
Shown    The public card, to all; at a showdown both hands. A folded hand stays secret.

The rules are OpenSpiel's `leduc_poker` (Southey et al. 2005): ante 1, raises of 2 and 4, at most two
raises a round, seat 0 opens both rounds, fold only against a raise.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t
from libc.string cimport memset
from .rng cimport (
    PLAYS, Chance, Word, below, confirm, draw_from_counts, misfit, named, noise_threshold, noisy, scripted,
)
from .state cimport Core, Seen, Table, make_table

cdef enum:
    RANKS = 3
    NO_CARD = 255
    MOST_PAID = 255         # by a seat, whatever the card table
    MOST_COPIES = 20        # of a rank
    BET = 0
    OVER = 1
    FOLD = 0
    CALL = 1
    RAISE = 2
    DECK = 0                # the stream of chance
    # words of scripts
    HAND = 0                # hand SEAT: the card dealt to a seat
    PUBLIC = 1              # the public card

cdef struct Rules:
    uint8_t copies[RANKS]
    uint8_t ante
    uint8_t raise_by[2]     # per round
    uint8_t max_raises      # per round

cdef struct State:
    int8_t to_move
    uint8_t phase
    uint8_t round           # 0, 1
    uint8_t raises          # in this round
    uint8_t calls           # in a row, in this round (a check is a call of nothing)
    int8_t folded           # the seat that folded, -1: nobody
    uint8_t public_card     # its rank; 255 before round 1
    uint8_t hand[2]
    uint8_t paid[2]
    uint8_t deck[RANKS]     # counts

cdef struct Event:
    uint8_t public_card     # turned over in this step, 255: none
    uint8_t showdown        # 1: this step laid both hands open
    uint8_t hand[2]         # then these

# The same structs for Python, in the notation of numpy.dtype.
RULES = [("copies", "u1", (RANKS,)), ("ante", "u1"), ("raise_by", "u1", (2,)), ("max_raises", "u1")]
STATE = [("to_move", "i1"), ("phase", "u1"), ("round", "u1"), ("raises", "u1"), ("calls", "u1"),
         ("folded", "i1"), ("public_card", "u1"), ("hand", "u1", (2,)), ("paid", "u1", (2,)),
         ("deck", "u1", (RANKS,))]
EVENT = [("public_card", "u1"), ("showdown", "u1"), ("hand", "u1", (2,))]
LIMITS = {"paid": MOST_PAID}


# Set-up

cdef int take(State *s, Chance *chance, int word, int seat) noexcept nogil:
    # A card out of the deck: the scripted one, or a drawn one.
    cdef int left = s.deck[0] + s.deck[1] + s.deck[2]
    cdef Word *due = scripted(chance, word, seat)
    if due != NULL:
        if due.count == 1 and 0 <= due.value[0] < RANKS and s.deck[due.value[0]]:
            s.deck[due.value[0]] -= 1
            return due.value[0]
        misfit(chance)
    return draw_from_counts(chance, DECK, s.deck, left)


cdef void new(const void *rules, void *state, Chance *chance) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef int rank, seat
    memset(s, 0, sizeof(State))
    s.folded = -1
    s.public_card = NO_CARD
    for rank in range(RANKS):
        s.deck[rank] = r.copies[rank]
    for seat in range(2):
        s.paid[seat] = r.ante
        s.hand[seat] = NO_CARD
    # A scripted card leaves the deck first, so that a hand left to chance is drawn from the rest.
    for seat in range(2):
        if named(chance, HAND, seat) != NULL:
            s.hand[seat] = <uint8_t>take(s, chance, HAND, seat)
    for seat in range(2):
        if s.hand[seat] == NO_CARD:
            s.hand[seat] = <uint8_t>take(s, chance, HAND, seat)


# Decisions

# The legal actions are all from the first to the last: to call is always one of them.

cdef inline int first_legal(const State *s) noexcept nogil:
    return FOLD if s.paid[s.to_move] < s.paid[1 - s.to_move] else CALL


cdef inline int last_legal(const Rules *r, const State *s) noexcept nogil:
    return RAISE if s.raises < r.max_raises else CALL


cdef int legal(const void *rules, const void *state, uint16_t *out) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int first = first_legal(s), last = last_legal(<const Rules *>rules, s), action
    for action in range(first, last + 1):
        out[action - first] = <uint16_t>action
    return last - first + 1


cdef inline void finish(State *s) noexcept nogil:
    s.to_move = -1
    s.phase = OVER


cdef inline void play(const Rules *r, State *s, int action, Chance *chance, Event *event) noexcept nogil:
    cdef int mover = s.to_move
    if event != NULL:
        event.public_card = NO_CARD
        event.showdown = 0
    if action == FOLD:
        s.folded = <int8_t>mover
        finish(s)
        return
    s.paid[mover] = s.paid[1 - mover]
    s.to_move = <int8_t>(1 - mover)
    if action == RAISE:
        s.paid[mover] += r.raise_by[s.round]
        s.raises += 1
        s.calls = 0
        return
    s.calls += 1
    # A round ends with two calls in a row, or with the call of a raise.
    if s.calls < 2 and s.raises == 0:
        return
    if s.round == 0:
        s.round = 1
        s.raises = 0
        s.calls = 0
        s.to_move = 0
        s.public_card = <uint8_t>take(s, chance, PUBLIC, -1)
        if event != NULL:
            event.public_card = s.public_card
        return
    finish(s)
    confirm(chance, HAND, 0, s.hand[0])
    confirm(chance, HAND, 1, s.hand[1])
    if event != NULL:
        event.showdown = 1
        event.hand[0] = s.hand[0]
        event.hand[1] = s.hand[1]


cdef void apply(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil:
    play(<const Rules *>rules, <State *>state, action, chance, <Event *>event)


# Scoring

cdef inline int strength(int hand, int public_card) noexcept nogil:
    return hand + (RANKS if hand == public_card else 0)


cdef inline int lead(const State *s, int public_card) noexcept nogil:
    # At a showdown: 1 if seat 0 wins, -1 if seat 1 does, 0 if they share.
    cdef int first = strength(s.hand[0], public_card), second = strength(s.hand[1], public_card)
    return (first > second) - (first < second)


cdef void outcome(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil:
    # The winner gets what the other seat paid.
    cdef const State *s = <const State *>state
    cdef int won = lead(s, s.public_card) if s.folded < 0 else 1 if s.folded == 1 else -1
    scores[0] = won * s.paid[1 if won > 0 else 0]
    scores[1] = 0.0 - scores[0]
    ranks[0] = 2 if won < 0 else 1
    ranks[1] = 2 if won > 0 else 1


# Hiding and dealing

cdef inline bint secret(const State *s) noexcept nogil:
    # The other hand is unknown until a showdown, and for ever after a fold.
    return s.phase != OVER or s.folded >= 0


cdef void hide(const void *rules, void *state, int seat) noexcept nogil:
    cdef State *s = <State *>state
    cdef int rank = 0
    if not secret(s):
        return
    s.deck[s.hand[1 - seat]] += 1
    while s.deck[rank] == 0:
        rank += 1
    s.deck[rank] -= 1
    s.hand[1 - seat] = <uint8_t>rank


cdef void deal(const void *rules, void *state, int seat, Chance *chance) noexcept nogil:
    cdef State *s = <State *>state
    if not secret(s):
        return
    s.deck[s.hand[1 - seat]] += 1
    s.hand[1 - seat] = <uint8_t>draw_from_counts(chance, DECK, s.deck, s.deck[0] + s.deck[1] + s.deck[2])


cdef int label(const void *rules, const void *state, int action, int seat) noexcept nogil:
    return action


cdef Seen seen(const void *rules, const void *event, int seat) noexcept nogil:
    # Hands laid open end the game, so only the public card counts.
    cdef Seen key
    cdef const Event *e = <const Event *>event
    key.revealed = 0
    key.chance = 0 if e.public_card == NO_CARD else 1 + e.public_card
    return key


# Playing it well

cdef inline int sensible(const Rules *r, const State *s) noexcept nogil:
    # Raise with a pair or the best rank, fold the worst rank against a raise, else call.
    cdef int mine = s.hand[s.to_move]
    cdef bint pair = mine == s.public_card
    if (pair or mine == RANKS - 1) and s.raises < r.max_raises:
        return RAISE
    if mine == 0 and not pair and s.paid[s.to_move] < s.paid[1 - s.to_move]:
        return FOLD
    return CALL


cdef int greedy(const void *rules, const void *state) noexcept nogil:
    return sensible(<const Rules *>rules, <const State *>state)


cdef int playout(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef int action, played = 0
    cdef unsigned int threshold = noise_threshold(noise)
    while s.to_move >= 0 and played != plies:
        if noise >= 1.0 or noisy(chance, threshold):
            action = first_legal(s)
            action += below(chance, PLAYS, last_legal(r, s) - action + 1)
        else:
            action = sensible(r, s)
        play(r, s, action, chance, NULL)
        played += 1
    return played


cdef void evaluate(const void *rules, const void *state, double *shares, double *scores) noexcept nogil:
    # Exact once the game is over; before, as if a raise that stands were called and nobody raised again:
    # the showdown of these two hands, over the public cards that may still be drawn.
    cdef const State *s = <const State *>state
    cdef int ranks[2]
    cdef int rank, left = 0
    cdef double won = 0.0
    if s.phase == OVER:
        outcome(rules, state, scores, ranks)
        won = ranks[1] - ranks[0]
    else:
        if s.public_card != NO_CARD:
            won = lead(s, s.public_card)
        else:
            for rank in range(RANKS):
                won += s.deck[rank] * lead(s, rank)
                left += s.deck[rank]
            won /= left
        scores[0] = won * max(s.paid[0], s.paid[1])
        scores[1] = 0.0 - scores[0]
    shares[0] = 0.5 + 0.5 * won
    shares[1] = 0.5 - 0.5 * won


# Invariants

cdef int check(const void *rules, const void *state) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int rank, held
    # 1 ranges, and unused places at rest
    if s.phase > OVER or not -1 <= s.to_move <= 1 or (s.to_move < 0) != (s.phase == OVER):
        return 1
    if s.round > 1 or not -1 <= s.folded <= 1 or (s.folded >= 0 and s.phase != OVER):
        return 1
    if s.hand[0] >= RANKS or s.hand[1] >= RANKS:
        return 1
    if s.public_card != NO_CARD if s.round == 0 else s.public_card >= RANKS:
        return 1
    # 2 every card is in one place
    for rank in range(RANKS):
        held = (s.hand[0] == rank) + (s.hand[1] == rank) + (s.public_card == rank)
        if s.deck[rank] + held != r.copies[rank]:
            return 2
    # 3 the betting so far is one that can happen
    return 0 if betting_fits(r, s) else 3


cdef bint betting_fits(const Rules *r, const State *s) noexcept nogil:
    cdef int low = min(s.paid[0], s.paid[1]), high = max(s.paid[0], s.paid[1])
    # without the ante and this round's raises: whole raises of the round before, if there was one
    cdef int before = high - r.ante - s.raises * r.raise_by[s.round]
    if s.raises > r.max_raises or before % r.raise_by[0]:
        return False
    if not 0 <= before <= s.round * r.max_raises * r.raise_by[0]:
        return False
    if s.phase == OVER and s.folded < 0:
        # a showdown: after two checks, or the call of a raise
        return s.round == 1 and low == high and s.calls == (1 if s.raises else 2)
    if s.phase != OVER and s.raises == 0:
        # nobody has raised: seat 0 decides, or seat 1 after a check
        return low == high and s.calls <= 1 and s.to_move == s.calls
    # a raise stands: the other seat owes it, or has folded
    return s.raises > 0 and s.calls == 0 and high - low == r.raise_by[s.round] and (
        s.paid[s.folded if s.phase == OVER else s.to_move] == low)


# The core

include "core.pxi"

core.actions = 3
core.labels = 0
core.max_legal = 3
core.public_phases = 1 << BET
core.fixed_phases = 1 << BET
core.telling_phases = 0
core.hidden = True
core.random = True


def table(rules: bytes) -> Table:
    """The core with these rules (a RULES struct)."""
    cdef const Rules *r = <const Rules *><const char *>rules
    if len(rules) != sizeof(Rules):
        raise ValueError(f"the rules have {sizeof(Rules)} bytes, not {len(rules)}")
    most = r.ante + r.max_raises * (r.raise_by[0] + r.raise_by[1])
    if most > MOST_PAID or 0 in (r.ante, r.raise_by[0], r.raise_by[1], r.max_raises):
        raise ValueError(f"betting: a seat may pay {most} chips, at most {MOST_PAID} are allowed")
    if any(not 1 <= copies <= MOST_COPIES for copies in r.copies):
        raise ValueError(f"copies: expected 1 to {MOST_COPIES} of each rank")
    return make_table(&core, rules, 2, -most, most)
