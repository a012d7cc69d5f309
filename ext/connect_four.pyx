"""Connect Four: the core (numbers only; words and maps are in games/connect_four.py).

Zones    A board of seven columns and six rows, in which discs fall to the lowest empty cell.
Phases   0 drop, 1 over.
Unknown  Nothing, and nothing is drawn: `hide` and `deal` change nothing.

The rules are OpenSpiel's `connect_four`: seat 0 begins, four in a line win, a full board is a draw. An
action is a column.

A set of cells is a word of 64 bits: cell (column, row) is bit 7 * column + row, rows counted from below.
The seventh bit of every column stays empty, so that no line runs from the top of one column into the
next; adding 1 to a column carries to its lowest empty cell.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from .rng cimport PLAYS, Chance, next64, noise_threshold, noisy
from .state cimport Core, Seen, Table, make_table

cdef extern from *:
    """
    #define BOTTOM UINT64_C(0x40810204081)  /* the lowest cell of every column */
    #define BOARD (BOTTOM * 63)             /* all cells */
    #define COLUMN UINT64_C(127)            /* column 0 with the bit above it */
    """
    const uint64_t BOTTOM
    const uint64_t BOARD
    const uint64_t COLUMN

cdef enum:
    COLUMNS = 7
    ROWS = 6
    LINE = 4
    STEP = ROWS + 1         # from a cell to its neighbour in the next column
    DROP = 0
    OVER = 1

cdef struct Rules:          # the only ones that this layout can play: `table` sees to it
    uint8_t columns
    uint8_t rows
    uint8_t line

cdef struct State:
    int8_t to_move
    uint8_t phase
    int8_t winner           # -1: nobody (yet)
    uint8_t unused[5]       # 0
    uint64_t discs[2]       # per seat

cdef struct Event:
    uint8_t nothing         # a step shows the column and no more

# The same structs for Python, in the notation of numpy.dtype.
RULES = [("columns", "u1"), ("rows", "u1"), ("line", "u1")]
STATE = [("to_move", "i1"), ("phase", "u1"), ("winner", "i1"), ("unused", "u1", (5,)), ("discs", "u8", (2,))]
EVENT = [("nothing", "u1")]


# Set-up

cdef void new(const void *rules, void *state, Chance *chance) noexcept nogil:
    cdef State *s = <State *>state
    memset(s, 0, sizeof(State))
    s.winner = -1


# Decisions

cdef inline uint64_t open_cells(uint64_t taken) noexcept nogil:
    # The lowest empty cell of every column that is not full.
    return (taken + BOTTOM) & BOARD


cdef inline uint64_t column_cells(int column) noexcept nogil:
    return COLUMN << STEP * column


cdef inline bint four(uint64_t discs) noexcept nogil:
    # Some four of them stand in a line: pairs of neighbours, then pairs of pairs.
    cdef uint64_t upright = discs & (discs >> 1)
    cdef uint64_t level = discs & (discs >> STEP)
    cdef uint64_t falling = discs & (discs >> (STEP - 1))
    cdef uint64_t rising = discs & (discs >> (STEP + 1))
    return ((upright & (upright >> 2)) | (level & (level >> 2 * STEP))
            | (falling & (falling >> 2 * (STEP - 1))) | (rising & (rising >> 2 * (STEP + 1)))) != 0


cdef int legal(const void *rules, const void *state, uint16_t *out) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef uint64_t cells = open_cells(s.discs[0] | s.discs[1])
    cdef int column, n = 0
    for column in range(COLUMNS):
        if cells & column_cells(column):
            out[n] = <uint16_t>column
            n += 1
    return n


cdef inline void settle(State *s, int following) noexcept nogil:
    # After a disc: the other seat's four, a full board, or the turn of the seat that follows.
    if four(s.discs[1 - following]):
        s.winner = <int8_t>(1 - following)
    elif (s.discs[0] | s.discs[1]) != BOARD:
        s.to_move = <int8_t>following
        return
    s.to_move = -1
    s.phase = OVER


cdef void apply(const void *rules, void *state, int action, Chance *chance, void *event) noexcept nogil:
    cdef State *s = <State *>state
    cdef int mover = s.to_move
    s.discs[mover] |= open_cells(s.discs[0] | s.discs[1]) & column_cells(action)
    settle(s, 1 - mover)
    if event != NULL:
        (<Event *>event).nothing = 0


# Scoring

cdef void outcome(const void *rules, const void *state, double *scores, int *ranks) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int seat
    for seat in range(2):
        scores[seat] = 0.0 if s.winner < 0 else 1.0 if seat == s.winner else -1.0
        ranks[seat] = 1 if s.winner < 0 or seat == s.winner else 2


# Hiding and dealing

cdef void hide(const void *rules, void *state, int seat) noexcept nogil:
    pass


cdef void deal(const void *rules, void *state, int seat, Chance *chance) noexcept nogil:
    pass


cdef int label(const void *rules, const void *state, int action, int seat) noexcept nogil:
    return action


cdef Seen seen(const void *rules, const void *event, int seat) noexcept nogil:
    cdef Seen key
    key.revealed = 0
    key.chance = 0
    return key


# Playing it well

cdef inline uint64_t fourths(uint64_t discs, int step) noexcept nogil:
    # The cells that make three of `discs` along one direction a four; they may be taken already.
    cdef uint64_t before = (discs << step) & (discs << 2 * step)
    cdef uint64_t behind = (discs >> step) & (discs >> 2 * step)
    return ((before & ((discs << 3 * step) | (discs >> step)))
            | (behind & ((discs >> 3 * step) | (discs << step))))


cdef inline uint64_t winning_cells(uint64_t discs, uint64_t taken) noexcept nogil:
    # The empty cells, within reach or not, in which one more disc would win.
    return BOARD & ~taken & (fourths(discs, 1) | fourths(discs, STEP - 1) | fourths(discs, STEP)
                             | fourths(discs, STEP + 1))


cdef inline uint64_t most_central(uint64_t cells) noexcept nogil:
    # Columns 3, 2, 4, 1, 5, 0, 6: the centre takes part in the most lines.
    cdef int distance
    for distance in range(COLUMNS // 2 + 1):
        if cells & column_cells(COLUMNS // 2 - distance):
            return cells & column_cells(COLUMNS // 2 - distance)
        if cells & column_cells(COLUMNS // 2 + distance):
            return cells & column_cells(COLUMNS // 2 + distance)
    return 0


cdef inline uint64_t lowest(uint64_t cells) noexcept nogil:
    return cells & (~cells + 1)


cdef inline uint64_t sensible(uint64_t mine, uint64_t theirs) noexcept nogil:
    # Win, or else stop a win, or else take the most central cell that does not open a win above it.
    cdef uint64_t taken = mine | theirs
    cdef uint64_t cells = open_cells(taken)
    cdef uint64_t danger = winning_cells(theirs, taken)
    cdef uint64_t wins = winning_cells(mine, taken) & cells
    cdef uint64_t safe
    if wins:
        return lowest(wins)
    if danger & cells:
        return lowest(danger & cells)
    safe = cells & ~(danger >> 1)
    return most_central(safe if safe else cells)


cdef int greedy(const void *rules, const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef uint64_t cell = sensible(s.discs[s.to_move], s.discs[1 - s.to_move])
    cdef int column = 0
    while not cell & column_cells(column):
        column += 1
    return column


cdef struct Draws:          # random bits at hand
    uint64_t bits
    int left                # columns that they are still good for


cdef inline uint64_t any_cell(uint64_t taken, Draws *draws, Chance *chance) noexcept nogil:
    # An open cell at random: columns are drawn until one is open. Nine bits give a column: of 512 values
    # 73 fall to each of the seven, exactly, and one to an eighth, which has no cell. Seven columns out of
    # one random word: 0.85 of the time of a playout with a word for each (medians of 9, gcc 12, 2026-11).
    cdef uint64_t cells = open_cells(taken), cell = 0
    while not cell:
        if draws.left == 0:
            draws.bits = next64(chance, PLAYS)
            draws.left = 7
        cell = cells & column_cells(((draws.bits & 511) + 1) * COLUMNS >> 9)
        draws.bits >>= 9
        draws.left -= 1
    return cell


cdef inline int play_on(State *s, Chance *chance, bint uniform, uint32_t threshold, int plies) noexcept nogil:
    # `mine` and `theirs` change places after every disc and stay in registers.
    cdef int first = s.to_move, following, played = 0
    cdef uint64_t mine = s.discs[first], theirs = s.discs[1 - first], cell
    cdef bint over = False
    cdef Draws draws
    draws.left = 0
    while played != plies and not over:
        if uniform or noisy(chance, threshold):
            cell = any_cell(mine | theirs, &draws, chance)
        else:
            cell = sensible(mine, theirs)
        mine, theirs = theirs, mine | cell
        over = four(theirs) or (mine | theirs) == BOARD
        played += 1
    following = (first + played) & 1
    s.discs[following] = mine
    s.discs[1 - following] = theirs
    settle(s, following)
    return played


cdef int playout(const void *rules, void *state, Chance *chance, double noise, int plies) noexcept nogil:
    cdef State *s = <State *>state
    if s.to_move < 0:
        return 0
    # Two calls, so that the compiler makes a loop of its own for uniform play.
    if noise >= 1.0:
        return play_on(s, chance, True, 0, plies)
    return play_on(s, chance, False, noise_threshold(noise), plies)


cdef int count(uint64_t cells) noexcept nogil:
    cdef int n = 0
    while cells:
        cells &= cells - 1
        n += 1
    return n


cdef int standing(uint64_t discs, uint64_t taken) noexcept nogil:
    # Empty cells that would win are worth most, then discs near the centre.
    cdef int distance, worth = 4 * count(winning_cells(discs, taken))
    for distance in range(1, COLUMNS // 2 + 1):
        worth += count(discs & (BOARD >> STEP * distance) & (BOARD << STEP * distance))
    return worth


cdef void evaluate(const void *rules, const void *state, double *shares, double *scores) noexcept nogil:
    # Exact at the end and one move before it; else by how the two seats stand.
    cdef const State *s = <const State *>state
    cdef uint64_t taken = s.discs[0] | s.discs[1]
    cdef uint64_t cells = open_cells(taken)
    cdef int mover = s.to_move
    cdef double lead
    if s.phase == OVER:
        lead = 0.0 if s.winner < 0 else 1.0 if s.winner == 0 else -1.0
    elif winning_cells(s.discs[mover], taken) & cells:
        lead = 1.0 if mover == 0 else -1.0
    else:
        # 16: against the mean of 60 playouts (noise 0.3) from 1,500 positions the squared error is 0.020;
        # it is 0.024 with 8, 0.020 with 24, and 0.038 for always one half.
        lead = standing(s.discs[0], taken) - standing(s.discs[1], taken)
        lead = lead / (16.0 + (lead if lead > 0.0 else -lead))
    scores[0] = lead
    scores[1] = 0.0 - lead
    shares[0] = 0.5 + 0.5 * lead
    shares[1] = 0.5 - 0.5 * lead


# Invariants. Whether the discs can have come in turns, each on the one below, is not asked: every
# position that passes can be played on, and no rule looks back.

cdef bint just_won(uint64_t discs, uint64_t taken) noexcept nogil:
    # Without one of the uppermost discs there is no four: that one was played last.
    cdef uint64_t tops = discs & ((taken + BOTTOM) >> 1)
    while tops:
        if not four(discs ^ lowest(tops)):
            return True
        tops &= tops - 1
    return False


cdef int check(const void *rules, const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef uint64_t taken = s.discs[0] | s.discs[1]
    cdef int following = count(s.discs[0]) - count(s.discs[1])
    cdef int k
    # 1 ranges, and unused places at rest
    if s.phase > OVER or not -1 <= s.to_move <= 1 or (s.to_move < 0) != (s.phase == OVER):
        return 1
    if not -1 <= s.winner <= 1 or (s.winner >= 0 and s.phase != OVER):
        return 1
    for k in range(5):
        if s.unused[k]:
            return 1
    # 2 one disc in a cell, on the board, on another disc or on the ground
    if s.discs[0] & s.discs[1] or taken & ~BOARD or taken & (taken + BOTTOM):
        return 2
    # 3 the seats took turns, seat 0 first
    if not 0 <= following <= 1 or (s.to_move >= 0 and s.to_move != following):
        return 3
    # 4 a four ends the game, is the last disc's work and nobody else's; without one only a full board does
    if four(s.discs[following]) or four(s.discs[1 - following]) != (s.winner == 1 - following):
        return 4
    if s.winner == following or (s.winner >= 0 and not just_won(s.discs[s.winner], taken)):
        return 4
    if s.winner < 0 and (s.phase == OVER) != (taken == BOARD):
        return 4
    return 0


# The core

include "core.pxi"

core.actions = COLUMNS
core.labels = 0
core.max_legal = COLUMNS
core.public_phases = 1 << DROP
core.fixed_phases = 1 << DROP
core.telling_phases = 0
core.hidden = False
core.random = False


def table(rules: bytes) -> Table:
    """The core with these rules (a RULES struct)."""
    if rules != bytes((COLUMNS, ROWS, LINE)):
        raise ValueError(f"the board has {COLUMNS} columns, {ROWS} rows and lines of {LINE}")
    return make_table(&core, rules, 2, -1, 1)
