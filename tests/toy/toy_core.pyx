"""A game given as a table, for tests of the search: no words, no cards, nothing but nodes.

A hidden world is drawn first; each seat knows the class of worlds that it is in. Then a tree of nodes is
walked: a node is decided by a seat, openly or in secret, or drawn by its weights, or is an end at which the
world says who wins. Nodes that a seat cannot tell apart, after another's secret choice, are one to it.

It is compiled against the installed package, as a game of somebody else's would be.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t
from sfumato.ext.rng cimport PLAYS, Chance, below, draw_from_counts
from sfumato.ext.state cimport Core, Seen, Table, make_table

cdef enum:
    SEATS = 5
    NODES = 64
    WIDTH = 8               # children of a node
    WORLDS = 8
    DRAWN = -2              # the node's mover: chance
    END = -1
    EVERYBODY = 100         # the winner of a draw
    DECIDE = 0
    OVER = 1
    WORLD = 0               # streams
    DRAW = 1

cdef struct Node:
    int8_t mover
    uint8_t secret          # others do not see what is chosen
    uint8_t n               # children
    uint8_t shown           # 1: what is drawn here is shown to all
    uint8_t child[WIDTH]
    uint8_t weight[WIDTH]   # of chance
    uint8_t winner[WORLDS]  # at an end
    uint8_t same[SEATS]     # the lowest node that the seat cannot tell from this one
    uint8_t zero[3]

cdef struct Rules:
    uint8_t players
    uint8_t worlds
    uint8_t nodes
    uint8_t zero
    uint8_t view[SEATS][WORLDS]     # the lowest world that the seat cannot tell from this one
    Node node[NODES]

cdef struct State:
    int8_t to_move
    uint8_t phase
    uint8_t world
    uint8_t node

cdef struct Event:
    uint32_t drawn          # the children drawn and shown, a digit of base 9 each; 0: none

NODE = [("mover", "i1"), ("secret", "u1"), ("n", "u1"), ("shown", "u1"), ("child", "u1", (WIDTH,)),
        ("weight", "u1", (WIDTH,)), ("winner", "u1", (WORLDS,)), ("same", "u1", (SEATS,)), ("zero", "u1", (3,))]
RULES = [("players", "u1"), ("worlds", "u1"), ("nodes", "u1"), ("zero", "u1"),
         ("view", "u1", (SEATS, WORLDS)), ("node", NODE, (NODES,))]
STATE = [("to_move", "i1"), ("phase", "u1"), ("world", "u1"), ("node", "u1")]
EVENT = [("drawn", "u4")]


cdef void arrive(const Rules *r, State *s, int node, Chance *chance, Event *event) noexcept nogil:
    cdef uint8_t weight[WIDTH]
    cdef int total, k
    while r.node[node].mover == DRAWN:
        total = 0
        for k in range(WIDTH):
            weight[k] = r.node[node].weight[k]
            total += weight[k]
        k = draw_from_counts(chance, DRAW, weight, total)
        if event != NULL and r.node[node].shown:
            event.drawn = 9 * event.drawn + 1 + k
        node = r.node[node].child[k]
    s.node = <uint8_t>node
    s.to_move = r.node[node].mover
    s.phase = OVER if s.to_move == END else DECIDE


cdef void new(const void *rules, void *state, Chance *chance) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    s.world = <uint8_t>below(chance, WORLD, r.worlds)
    arrive(r, s, 0, chance, NULL)


cdef int legal(const void *rules, const void *state, uint16_t *out) noexcept nogil:
    cdef int k, n = (<const Rules *>rules).node[(<const State *>state).node].n
    for k in range(n):
        out[k] = <uint16_t>k
    return n


cdef void apply(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    if event != NULL:
        (<Event *>event).drawn = 0
    arrive(r, s, r.node[s.node].child[action], chance, <Event *>event)


cdef void hide(const void *rules, void *state, int seat) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    s.world = r.view[seat][s.world]
    s.node = r.node[s.node].same[seat]


cdef void deal(const void *rules, void *state, int seat, Chance *chance) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef int k, met = 0, world = s.world, node = s.node
    for k in range(r.worlds):
        if r.view[seat][k] == r.view[seat][world]:
            met += 1
            if below(chance, WORLD, met) == 0:
                s.world = <uint8_t>k
    met = 0
    for k in range(r.nodes):
        if r.node[k].same[seat] == r.node[node].same[seat]:
            met += 1
            if below(chance, WORLD, met) == 0:
                s.node = <uint8_t>k


cdef int label(const void *rules, const void *state, int action, int seat) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef bint secret = (<const Rules *>rules).node[s.node].secret
    return WIDTH if secret and seat != s.to_move else action


cdef Seen seen(const void *rules, const void *event, int seat) noexcept nogil:
    cdef Seen key
    key.revealed = 0
    key.chance = (<const Event *>event).drawn
    return key


cdef void outcome(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef const State *s = <const State *>state
    cdef int seat, winner = r.node[s.node].winner[s.world]
    for seat in range(r.players):
        ranks[seat] = 1 if winner == EVERYBODY or winner == seat else 2
        scores[seat] = ranks[seat] == 1


cdef int playout(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil:
    cdef const Rules *r = <const Rules *>rules
    cdef State *s = <State *>state
    cdef int played = 0
    while s.to_move >= 0 and played != plies:
        apply(rules, state, <int>below(chance, PLAYS, r.node[s.node].n), chance, NULL)
        played += 1
    return played


cdef int greedy(const void *rules, const void *state) noexcept nogil:
    return 0


cdef void evaluate(const void *rules, const void *state, double *shares, double *scores) noexcept nogil:
    cdef int seat, players = (<const Rules *>rules).players
    for seat in range(players):
        shares[seat] = 1.0 / players
        scores[seat] = 0.0


cdef int check(const void *rules, const void *state) noexcept nogil:
    return 0


include "sfumato/ext/core.pxi"

core.actions = WIDTH
core.labels = 1
core.max_legal = WIDTH
core.public_phases = 1 << DECIDE
core.fixed_phases = 1 << DECIDE
core.telling_phases = 0
core.hidden = True
core.random = True


def table(rules: bytes) -> Table:
    return make_table(&core, rules, (<const Rules *><const char *>rules).players, 0, 1)
