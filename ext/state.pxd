# The state contract: all that the rest of Sfumato asks of a game.
#
# A game core is plain C data and plain C functions, all `noexcept nogil`, with no allocation. It knows
# numbers only; its words, drawings and maps are in games/. The search knows this page and no game.
#
# Rules   One read-only struct per (card table, options, player count), written once by games/ and shared
#         by all states and threads. Player count and options live here, not in the state.
# State   One struct of fixed size without pointers or padding, copied with memcpy, compared with memcmp:
#         equal positions are equal bytes (sets as bit masks, counts or sorted arrays; unused places hold
#         one agreed value). Nothing about the past that no rule needs. Its first two bytes are the
#         `Header`, so that whose turn it is and what is asked cost no call.
# Event   What one step brought, for `seen` and for the words of games/; not needed to play on. `apply` writes
#         all of it.
#
# Actions are small numbers with one meaning in every position and world (card faces and kinds, never
# hidden slots). Labels are numbers from `actions` on: "one of these", for a seat that does not see which.
#
# Who knows what (the laws of tests/test_laws.py):
#   hide(hide(s)) == hide(s) and hide(deal(hide(s))) == hide(s), byte for byte; both are legal worlds.
#   `legal`, `greedy` and `playout`'s sensible moves use the mover's knowledge only.
#   `deal` gives each assignment of the physical cards that the seat cannot exclude the same chance.
#   `seen`, `label` and the header after the step together tell all that a seat learns from it.
# Other players' choices, and our canonical orders of small decisions, are no evidence.

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint64_t
from .rng cimport Chance

cdef enum:
    MAX_SEATS = 5
    STATE_WORDS = 64        # a buffer for any state, in words of eight bytes: aligned for every struct
    EVENT_WORDS = 32        # likewise for any event
    MAX_LEGAL = 96          # actions legal at once, for any card table
    MAX_LABELS = 1 << 15    # actions and labels in all

cdef struct Header:
    int8_t to_move          # the one seat that decides now, -1 when the game is over
    uint8_t phase           # what is asked, 0..63; a game with sub-steps numbers each of them

cdef struct Seen:
    uint64_t revealed       # what the step laid open that was settled before (a card's origin, a hand)
    uint64_t chance         # what the step drew

cdef struct Core:
    # Constants
    int32_t rules_size      # bytes
    int32_t state_size
    int32_t event_size
    int32_t actions         # action ids are 0..actions-1
    int32_t labels          # label ids are actions..actions+labels-1
    int32_t max_legal       # upper bound of `legal` for any card table, at most MAX_LEGAL
    # Flags of phases, a bit each. A legal set that is fixed follows from an earlier position and from the
    # labels, revelations and headers since, whatever was drawn: so it is public too.
    uint64_t public_phases  # everybody can work out the legal set
    uint64_t fixed_phases   # the legal set is fixed
    uint64_t telling_phases     # a step out of it may have a key `Seen.revealed`
    bint hidden             # some seat may not know something
    bint random             # something is drawn

    # Sets the game up: the whole state is written.
    void (*new)(const void *rules, void *state, Chance *chance) noexcept nogil

    # Asked only while somebody is to move: `legal`, `apply`, `label`, `playout` and `greedy`.

    # Writes the legal action ids, ascending, and returns their number; at least one until the game is
    # over. Computed from what the mover knows.
    int (*legal)(const void *rules, const void *state, uint16_t *out) noexcept nogil

    # Plays a legal action and resolves all chance up to the next decision. `event` may be NULL (in
    # playouts and in the descent of a search that does not key on it).
    void (*apply)(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil

    # Replaces the true world by the canonical world of what `seat` knows: the unknown cards lie in the
    # unknown places in sorted order.
    void (*hide)(const void *rules, void *state, int seat) noexcept nogil

    # Replaces everything that `seat` does not know by a random consistent world, out of any world: the
    # true one, a hidden one, one dealt from another seat's view. A core may look at the script, without
    # taking words, and lay named cards where the coming step needs them; likewise the card of the
    # script's `label`, so that a rare move can be followed.
    void (*deal)(const void *rules, void *state, int seat, Chance *chance) noexcept nogil

    # What `seat` sees of an action about to be played: its id, or a label's.
    int (*label)(const void *rules, const void *state, int action, int seat) noexcept nogil

    # A key of what the step showed to `seat` beyond the label: 0 if nothing, or if the game is over.
    # Exact where it fits into 64 bits, else a hash of all of it.
    Seen (*seen)(const void *rules, const void *event, int seat) noexcept nogil

    # At the end: points, and finishing order from 1, ties shared (1, 2, 2, 4).
    void (*outcome)(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil

    # Plays on by a cheap sensible rule, a share `noise` of the decisions uniformly among `legal`, for
    # `plies` decisions or (plies < 0) to the end; returns the number of decisions. One call per
    # simulation: no table call per ply. It obeys no script.
    int (*playout)(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil

    # The move of a simple sensible player, from the mover's knowledge; ties go to the lowest id.
    int (*greedy)(const void *rules, const void *state) noexcept nogil

    # Expected win share (summing to 1) and points per seat, for any position: of this world, whoever
    # knows what in it.
    void (*evaluate)(const void *rules, const void *state, double *shares, double *scores) noexcept nogil

    # 0, or the number of the broken invariant. Safe on any bytes, and asked before anything else about
    # bytes from outside; whatever passes can be played to its end.
    int (*check)(const void *rules, const void *state) noexcept nogil


cdef inline int to_move(const void *state) noexcept nogil:
    return (<const Header *>state).to_move


cdef inline int phase(const void *state) noexcept nogil:
    return (<const Header *>state).phase


cdef class Table:
    # A core with its rules: what games/ and the search hold. Read-only, so any number of threads share it.
    cdef const Core *core
    cdef void *rules
    cdef readonly int players
    cdef int min_score              # the range of `outcome`'s points under these rules
    cdef int max_score


cdef class Position:
    # A state with its chance, for Python. The bytes stand in the object itself: a copy is one memcpy.
    cdef readonly Table table
    cdef uint64_t state[STATE_WORDS]
    cdef Chance chance
    cdef Position twin(self)


cdef Table make_table(const Core *core, bytes rules, int players, int min_score, int max_score)
