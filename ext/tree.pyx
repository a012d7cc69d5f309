"""Information-set Monte Carlo tree search, for every game (Cowling, Powley, Whitehouse 2012).

It knows the contract of state.pxd and no game, and it is handed what one seat knows: a hidden position. A
simulation deals a world behind it, walks down the tree by what the tree's owner sees, adds one node, plays
out, and teaches the nodes on its way the payoff of the seat that chose there. To read:

    tree.pyx            what a search holds, what an end is worth to each seat, and the class for Python
    tree_nodes.pxi      nodes in their arena
    tree_walk.pxi       a simulation: keys, choice, and the variants so, mo, ris, perfect (for pimc and for
                        cheating) and flat, a short function each

Floating point is +, -, *, / and square roots only, each rounded as IEEE 754 says, and logarithms come from a
table that is computed so: a result is the same on every machine.
"""

from collections import namedtuple

from libc.math cimport sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset
from .rng cimport PLAYS, Chance, below, mix64, seed_chance
from .state cimport (
    EVENT_WORDS, MAX_LEGAL, MAX_SEATS, STATE_WORDS, Core, Position, Seen, Table, phase, to_move,
)

include "tree_nodes.pxi"

cdef enum:
    ONE = 1 << 30           # the payoff 1
    ALWAYS = 10             # an urgency that no bound reaches
    MAX_DEPTH = 512         # decisions of a simulation inside the tree
    EVERYBODY = -1          # the owner of a tree that sees all
    MOST = 1000000000       # simulations of one tree
    # Numbers whose logarithm and square root stand in tables. With 4096 of them 0.92 of the simulations/s on
    # Leduc poker (medians of 5, 2026-11), with 65536 no more.
    TABLED = 16384
    # variants
    SO = 0
    MO = 1
    RIS = 2
    PERFECT = 3
    FLAT = 4

# A root move: what the tree has of it (mean payoff to the seat that searches), and over this tree's own
# simulations of it their number and the sums of win shares and of points per seat.
RootMove = namedtuple("RootMove", "action visits availability payoff sims shares scores")

#: of one tree: visits are counted in 31 bits, and as many again may have been kept
MOST_SIMS = MOST

VARIANTS = {"so": SO, "mo": MO, "ris": RIS, "perfect": PERFECT, "flat": FLAT}

cdef struct Edge:
    uint32_t block
    int32_t slot

cdef struct Search:
    const Core *core
    const void *rules
    # settings
    int variant
    bint split              # chance is a layer of the tree
    float c                 # exploration
    float urgency           # of moves not yet tried, beyond the mean of those tried; from ALWAYS on: first
    bint guided             # the game's simple move is tried first
    double noise            # of playouts
    int cut                 # plies of a playout before it is judged, -1: to the end
    double win              # weights of the payoff: share of the win, of the ranks, of the range of points
    double rank
    double score
    double lowest           # points
    double span
    uint64_t fixed          # phases in which the children of a node are the same in every world
    uint64_t telling        # phases whose steps must be looked at
    # the root
    int players
    int seat                # that searches
    int legal               # number of root moves
    uint16_t moves[MAX_LEGAL]
    uint8_t *place          # action id to place among the root moves
    # what a simulation walks on
    Chance chance
    uint64_t root[STATE_WORDS]
    uint64_t state[STATE_WORDS]
    uint64_t event[EVENT_WORDS]
    Arena arena[MAX_SEATS]  # a tree per seat; single trees use that of the seat that searches
    Edge path[MAX_SEATS][MAX_DEPTH]
    int depth
    int8_t movers[MAX_DEPTH]
    int32_t payoff[MAX_SEATS]
    double shares[MAX_SEATS]
    double scores[MAX_SEATS]
    # what has been learnt of the root moves, beyond the tree
    int64_t count[MAX_LEGAL]
    double share_sum[MAX_LEGAL][MAX_SEATS]
    double score_sum[MAX_LEGAL][MAX_SEATS]
    int64_t sims
    int offset              # flat: the first root move
    bint running
    bint cancelled


# Tables: square roots of logarithms and inverse square roots of small whole numbers.

cdef double LN[TABLED]
cdef float ROOT_LN[TABLED]
cdef float INVERSE_ROOT[TABLED]


cdef void fill_tables() noexcept:
    # ln n = ln (n / 2^k) + k ln 2, and ln x = 2 artanh((x - 1) / (x + 1)), by its series.
    cdef double x, power, total, squared
    cdef int n, k, i
    LN[0] = 0.0
    ROOT_LN[0] = 0.0
    INVERSE_ROOT[0] = 1.0
    for n in range(1, TABLED):
        x = n
        k = 0
        while x >= 2.0:
            x *= 0.5
            k += 1
        power = (x - 1.0) / (x + 1.0)
        squared = power * power
        total = 0.0
        for i in range(1, 60, 2):
            total += power / i
            power *= squared
        LN[n] = 2.0 * total + k * 0.6931471805599453
        ROOT_LN[n] = <float>sqrt(LN[n])
        INVERSE_ROOT[n] = <float>(1.0 / sqrt(<double>n))


fill_tables()


cdef inline float root_ln(int32_t n) noexcept nogil:
    # sqrt(ln n); above the table to three digits.
    cdef int k = 0
    if n < TABLED:
        return ROOT_LN[n]
    while n >= TABLED:
        n >>= 1
        k += 1
    return <float>sqrt(LN[n] + k * 0.6931471805599453)


cdef inline float inverse_root(int32_t n) noexcept nogil:
    return INVERSE_ROOT[n] if n < TABLED else <float>(1.0 / sqrt(<double>n))


# Payoffs

cdef void judge(Search *s) noexcept nogil:
    # Shares and points of the position at hand, and what they pay to each seat.
    cdef int ranks[MAX_SEATS]
    cdef bint over = to_move(s.state) < 0
    cdef int seat, winners = 0
    cdef double worth
    if over:
        s.core.outcome(s.rules, s.state, s.scores, ranks)
        for seat in range(s.players):
            winners += ranks[seat] == 1
        for seat in range(s.players):
            s.shares[seat] = 1.0 / winners if ranks[seat] == 1 else 0.0
    else:
        s.core.evaluate(s.rules, s.state, s.shares, s.scores)
    for seat in range(s.players):
        worth = s.win * s.shares[seat]
        if s.rank != 0.0:
            worth += s.rank * (share_of_ranks(s, ranks, seat) if over else share_of_odds(s, seat))
        if s.score != 0.0:
            worth += s.score * (s.scores[seat] - s.lowest) / s.span
        s.payoff[seat] = <int32_t>(min(max(worth, 0.0), 1.0) * ONE)


cdef inline double share_of_ranks(const Search *s, const int *ranks, int seat) noexcept nogil:
    # Of the other seats: how many are behind, those of the same rank by half.
    cdef int other
    cdef double behind = 0.0
    for other in range(s.players):
        if other != seat:
            behind += 1.0 if ranks[other] > ranks[seat] else 0.5 if ranks[other] == ranks[seat] else 0.0
    return behind / (s.players - 1)


cdef inline double share_of_odds(const Search *s, int seat) noexcept nogil:
    # The same in the middle of a game: one seat comes before another as their shares of the win are to each
    # other.
    cdef int other
    cdef double both, behind = 0.0
    for other in range(s.players):
        if other != seat:
            both = s.shares[seat] + s.shares[other]
            behind += s.shares[seat] / both if both > 0.0 else 0.5
    return behind / (s.players - 1)


cdef inline void learn(Stat *stat, int32_t payoff) noexcept nogil:
    # A running mean in whole numbers, rounded. After many visits, what is left of the division is rounded up
    # as often as it is large, spread evenly by the golden ratio: to the nearest, rounding would pull the mean
    # of 10^8 payoffs by half a hundredth.
    cdef int32_t surplus = payoff - stat.mean
    cdef uint32_t size = <uint32_t>(surplus if surplus >= 0 else -surplus)
    cdef uint32_t visits = <uint32_t>stat.visits + 1, part = visits >> 1
    if visits >= 1 << 16:
        part = <uint32_t>(<uint64_t>(visits * <uint32_t>0x9E3779B1) * visits >> 32)
    size = (size + part) // visits
    stat.visits = <int32_t>visits
    stat.mean += <int32_t>size if surplus >= 0 else -<int32_t>size


include "tree_walk.pxi"


# For Python

cdef class Tree:
    """One search from what one seat knows: trees that grow by `run`, and what has been learnt of the moves.

    `perfect` searches one world, dealt from the seat's view by the seed; with `truth` the very position that
    it was handed, hidden or not: for measuring what not knowing costs. `turn`, from 0 to 1, is where flat
    begins among the moves. While `run` is under way in another thread, only `cancel` may be called.
    """

    cdef Search *s
    cdef readonly Table table

    def __cinit__(self, position: Position, variant: str, seed: int, *, split: bool = False, c: float = 0.7,
                  urgency: float = ALWAYS, guided: bool = False, noise: float = 1.0, cut: int = -1,
                  rank: float = 0.0, score: float = 0.0, memory: int = 1 << 32, turn: float = 0.0,
                  truth: bool = False):
        cdef Search *s
        cdef Table table = position.table
        if to_move(position.state) < 0:
            raise ValueError("the game is over")
        s = self.s = <Search *>malloc(sizeof(Search))
        if s == NULL:
            raise MemoryError
        memset(s, 0, sizeof(Search))
        self.table = table
        s.core = table.core
        s.rules = table.rules
        s.variant = VARIANTS[variant]
        s.split = split
        s.c = c
        s.urgency = urgency
        s.guided = guided
        s.noise = noise
        s.cut = cut
        s.rank = rank
        s.score = score
        s.win = 1.0 - rank - score
        s.lowest = table.min_score
        s.span = table.max_score - table.min_score
        s.fixed = s.core.public_phases if s.split else s.core.fixed_phases
        s.telling = s.core.telling_phases
        if s.split and (s.core.random or s.core.hidden):
            s.telling = ~<uint64_t>0
        s.players = table.players
        s.place = <uint8_t *>malloc(s.core.actions)
        if s.place == NULL:
            raise MemoryError
        trees = table.players if s.variant in (MO, RIS) else 1
        begin_at(s, position, <uint64_t>seed, memory // (trees * sizeof(uint32_t)), truth)
        s.offset = <int>(turn * s.legal)

    def __dealloc__(self):
        cdef int seat
        if self.s != NULL:  # a constructor that was refused
            for seat in range(MAX_SEATS):
                free(self.s.arena[seat].words)
            free(self.s.place)
            free(self.s)

    def run(self, sims: int, nodes: int = 0) -> int:
        """Runs so many simulations, fewer if cancelled, once there are `nodes` nodes (0: no limit), or when
        MOST_SIMS have been run. Returns how many it ran."""
        cdef Search *s = self.s
        cdef Simulation simulation = SIMULATIONS[s.variant]
        cdef int64_t left = sims, most = nodes, ran = 0
        require_rest(s)
        left = min(left, MOST - s.sims)
        s.running = True
        with nogil:
            while ran < left and not s.cancelled:
                simulation(s)
                s.sims += 1
                ran += 1
                if most and count_nodes(s) >= most:
                    break
        s.running = False
        return ran

    def cancel(self) -> None:
        """Lets a `run` in another thread return after the simulation at hand."""
        self.s.cancelled = True

    @property
    def seat(self) -> int:
        return self.s.seat

    @property
    def sims(self) -> int:
        return self.s.sims

    @property
    def nodes(self) -> int:
        return count_nodes(self.s)

    @property
    def memory(self) -> int:
        """Bytes of all nodes, room that blocks keep for more included."""
        cdef int seat
        cdef uint64_t words = 0
        for seat in range(MAX_SEATS):
            words += self.s.arena[seat].top
        return words * sizeof(uint32_t)

    @property
    def full(self) -> bool:
        """No room was left for a node."""
        cdef int seat
        for seat in range(MAX_SEATS):
            if self.s.arena[seat].full:
                return True
        return False

    def moves(self) -> list[RootMove]:
        """The legal moves of the root, by their ids."""
        cdef Search *s = self.s
        cdef Arena *a = &s.arena[s.seat]
        cdef Stat stat
        cdef int i, slot, seat
        require_rest(s)
        found = []
        for i in range(s.legal):
            memset(&stat, 0, sizeof(Stat))
            slot = find(a, a.words[0], s.moves[i])
            if slot >= 0:
                stat = stats(a, a.words[0])[slot]
            # every legal move of the root can be chosen every time
            stat.available = <int32_t>a.words[a.words[0] + 1]
            found.append(RootMove(
                s.moves[i], stat.visits, stat.available, stat.mean / <double>ONE, s.count[i],
                [s.share_sum[i][seat] for seat in range(s.players)],
                [s.score_sum[i][seat] for seat in range(s.players)]))
        return found

    def variation(self, action: int, most: int) -> list[tuple[int, int]]:
        """The seats and labels of the most visited way down behind a root move, as its seat sees them."""
        cdef Arena *a = &self.s.arena[self.s.seat]
        cdef uint32_t ref = 0, block
        cdef int slot
        require_rest(self.s)
        slot = find(a, a.words[0], action)
        way = []
        while slot >= 0 and len(way) < most:
            block = a.words[ref]
            way.append((a.words[block] >> SEAT_SHIFT & 7, labels(a, block)[slot]))
            ref = most_visited_outcome(a, child_ref(block, slot))
            slot = most_visited(a, a.words[ref]) if ref else -1
        return way

    def check(self) -> int:
        """0, or the number of what does not hold in the trees: see `sound`; 7: nodes are counted wrongly."""
        cdef Search *s = self.s
        cdef int seat
        cdef int64_t found
        require_rest(s)
        for seat in range(s.players):
            if s.arena[seat].words != NULL:
                found = sound(&s.arena[seat], s.arena[seat].words[0],
                              EVERYBODY if s.variant == PERFECT else seat)
                if found != s.arena[seat].nodes:
                    return -found if found < 0 else 7
        return 0

    def advance(self, seat: int, label: int, revealed: int, chance: int, mover: int, asked: int) -> bool:
        """Goes below a step that was really played: who played it, its label and keys as the tree's own seat
        saw them, then whose turn it is and what is asked. False: the tree has nothing there. Where chance
        does not split the tree, what is below a draw that the seat saw was learnt from other draws too, and
        is not kept; nor is what was learnt in a single world."""
        cdef Search *s = self.s
        cdef Arena *a = &s.arena[s.seat]
        cdef uint32_t ref = 0
        cdef Seen seen
        cdef int slot
        require_rest(s)
        seen.revealed = revealed
        seen.chance = chance
        slot = find(a, a.words[0], label) if a.words[a.words[0]] >> SEAT_SHIFT & 7 == seat else -1
        if slot >= 0 and s.variant != PERFECT and (s.split or not chance):
            ref = known_outcome(a, child_ref(a.words[0], slot),
                                header_key(mover, asked) ^ stirred(s, 0, seen))
        if not ref:
            plant(a, mover if mover >= 0 else 0)
            return False
        a.words[0] = a.words[ref]
        return True

    def rebase(self, position: Position, seed: int) -> None:
        """Searches on from a later position of the same seat, with what `advance` has kept."""
        cdef Search *s = self.s
        cdef Arena kept
        cdef uint32_t root
        cdef uint64_t memory = s.arena[s.seat].most
        cdef int seat
        require_rest(s)
        if position.table is not self.table or to_move(position.state) != s.seat:
            raise ValueError("a tree goes on at the same table, when its seat is to move")
        if not start(&kept, memory):
            raise MemoryError
        root = transplant(&kept, &s.arena[s.seat], s.arena[s.seat].words[0])
        kept.words[0] = root
        for seat in range(MAX_SEATS):
            free(s.arena[seat].words)
            s.arena[seat].words = NULL
        begin_at(s, position, seed, memory)
        if kept.words[0] and not kept.full and kept.words[kept.words[0] + 1] <= MOST:
            free(s.arena[s.seat].words)
            s.arena[s.seat] = kept
            settle(s)
        else:
            free(kept.words)


cdef int require_rest(const Search *s) except -1:
    # The arena moves while simulations run.
    if s.running:
        raise RuntimeError("the tree is being searched in another thread")
    return 0


cdef void settle(Search *s) noexcept:
    # A root that was kept: it is complete if it has the moves that are legal here, and no other. Until now
    # only an incomplete one has counted how often each could be chosen.
    cdef Arena *a = &s.arena[s.seat]
    cdef uint32_t block = a.words[0]
    cdef int i, known = 0
    for i in range(s.legal):
        known += find(a, block, s.moves[i]) >= 0
    for i in range(children(a, block)):
        if a.words[block] & COMPLETE:
            stats(a, block)[i].available = <int32_t>a.words[block + 1]
    a.words[block] &= ~<uint32_t>COMPLETE
    if known == s.legal and children(a, block) == s.legal:
        a.words[block] |= COMPLETE


cdef int begin_at(Search *s, Position position, uint64_t seed, uint64_t memory, bint truth=False) except -1:
    # The root: what the seat to move knows, its moves, empty trees; nothing learnt of the moves.
    cdef int seat, i
    seed_chance(&s.chance, seed)
    memset(s.root, 0, sizeof(s.root))
    memcpy(s.root, position.state, s.core.state_size)
    s.seat = to_move(position.state)
    if not truth:
        s.core.hide(s.rules, s.root, s.seat)
        if s.variant == PERFECT:
            s.core.deal(s.rules, s.root, s.seat, &s.chance)
    s.legal = s.core.legal(s.rules, s.root, s.moves)
    memset(s.place, 0, s.core.actions)
    for i in range(s.legal):
        s.place[s.moves[i]] = <uint8_t>i
    memset(s.count, 0, sizeof(s.count))
    memset(s.share_sum, 0, sizeof(s.share_sum))
    memset(s.score_sum, 0, sizeof(s.score_sum))
    s.sims = 0
    s.cancelled = False
    for seat in range(s.players):
        if seat == s.seat or s.variant == MO or s.variant == RIS:
            if not start(&s.arena[seat], memory):
                raise MemoryError
            plant(&s.arena[seat], s.seat)
    return 0


cdef int64_t count_nodes(const Search *s) noexcept nogil:
    cdef int seat
    cdef int64_t nodes = 0
    for seat in range(s.players):
        nodes += s.arena[seat].nodes
    return nodes


cdef int most_visited(const Arena *a, uint32_t block) noexcept:
    cdef int slot, best = -1, most = 0
    for slot in range(children(a, block)):
        if stats(a, block)[slot].visits > most:
            most = stats(a, block)[slot].visits
            best = slot
    return best


cdef uint32_t most_visited_outcome(const Arena *a, uint32_t ref) noexcept:
    # The ref of the block below a child's word that most simulations have passed, 0: there is none.
    cdef uint32_t child = a.words[ref], best = 0, blocks
    cdef int i
    if child == 0 or not child & MANY:
        return ref if child else 0
    blocks = child & ~MANY
    for i in range(children(a, blocks)):
        ref = blocks + 1 + <uint32_t>i
        if not best or a.words[a.words[ref] + 1] > a.words[a.words[best] + 1]:
            best = ref
    return best
