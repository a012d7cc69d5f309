"""Connect Four: the rules by example, the bits against a plain board, OpenSpiel step by step."""

from __future__ import annotations

import random
import struct
from collections import Counter

import pytest
from openspiel import assert_same_games
from sfumato.games import SfumatoError, State, load

GAME = load("connect_four")
COLUMNS, ROWS = range(7), range(6)
EMPTY_ROW = "......."


def dropped(*columns: int) -> State:
    """The table after these columns, seat 0 first."""
    state = GAME.new(seed=1)
    for column in columns:
        state.apply(column)
    return state


def board(*rows: str) -> State:
    """The table with these rows, the lowest last; who moves follows from the number of discs."""
    discs = Counter("".join(rows))
    seen = GAME.new(seed=1).observation(0)
    seen["board"] = [EMPTY_ROW] * (6 - len(rows)) + list(rows)
    seen["to_move"] = discs["x"] - discs["o"]
    return GAME.from_observation(seen)


# The rules

def test_an_empty_board_and_seat_0_begins():
    """CF-1"""
    state = GAME.new(seed=1)
    assert state.observation(0)["board"] == [EMPTY_ROW] * 6
    assert (state.to_move, state.legal_actions) == (0, [0, 1, 2, 3, 4, 5, 6])
    assert dropped(3).to_move == 1
    assert dropped(3, 3).to_move == 0
    with pytest.raises(SfumatoError, match="is for 2 players, not 3"):
        GAME.new(players=3)


def test_discs_fall_to_the_lowest_empty_cell():
    """CF-2"""
    assert dropped(3, 3, 0, 3).observation(0)["board"][-3:] == ["...o...", "...o...", "x..x..."]


def test_a_full_column_takes_no_more_discs():
    """CF-3"""
    state = dropped(2, 2, 2, 2, 2, 2)
    assert state.legal_actions == [0, 1, 3, 4, 5, 6]
    with pytest.raises(SfumatoError, match="'column 2' is not legal here"):
        state.apply("column 2")


UPRIGHT = [0, 1, 0, 1, 0, 1, 0]
LEVEL = [0, 0, 1, 1, 2, 2, 3]
RISING = [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3]


@pytest.mark.parametrize("columns", [UPRIGHT, LEVEL, RISING, [6 - column for column in RISING]],
                         ids=["upright", "level", "rising", "falling"])
def test_four_in_a_line_win_at_once(columns):
    """CF-4 CF-7"""
    assert not dropped(*columns[:-1]).is_terminal
    state = dropped(*columns)
    assert (state.to_move, state.observation(1)["winner"]) == (None, 0)
    assert state.outcome.scores == [1, -1]
    assert state.outcome.ranks == [1, 2]


def test_seat_1_can_win_too():
    """CF-4 CF-7"""
    assert dropped(6, *UPRIGHT).outcome.scores == [-1, 1]


def test_more_than_four_and_two_lines_at_once_are_a_win():
    """CF-4"""
    seven = board("ooo.ooo", "xxx.xxx")
    level_and_upright = board("xxx....", "ooox...", "ooox...", "xxox..o")
    for state in (seven, level_and_upright):
        state.apply(3)
        assert state.outcome.scores == [1, -1]


def test_a_line_does_not_run_around_the_edge():
    """CF-5: the top of column 0 goes on at the bottom of column 1 in the core's bits only."""
    state = board("x......", "x......", "x......", "o......", "o......", "ox.....")
    assert state.to_move == 1


DRAW = [3, 3, 0, 2, 5, 4, 5, 6, 4, 2, 2, 3, 3, 5, 5, 2, 2, 4, 3, 3, 1,
        1, 2, 1, 5, 5, 0, 4, 0, 4, 4, 6, 6, 6, 6, 0, 1, 0, 6, 0, 1, 1]


def test_a_full_board_without_four_is_a_draw():
    """CF-6 CF-7"""
    assert not dropped(*DRAW[:-1]).is_terminal
    state = dropped(*DRAW)
    assert state.observation(0)["board"] == ["ooxoxox", "oxxxoxx", "oxoxoxo", "xoxooox", "xoooxxo", "xxoxoxo"]
    assert state.observation(0)["winner"] is None
    assert (state.outcome.scores, state.outcome.ranks) == ([0, 0], [1, 1])


def test_the_last_cell_of_the_board_can_still_win():
    """CF-4 CF-6: a disc of seat 1 in the last cell makes four from the left edge up to it."""
    state = board("xxx.xoo", "xooxxoo", "xoxooxx", "oooxxox", "xxxoxoo", "oooxxox")
    assert (state.to_move, state.legal_words) == (1, ["column 3"])
    state.apply(3)
    assert state.outcome.scores == [-1, 1]


def test_everybody_sees_everything():
    """CF-8"""
    state = dropped(3, 2, 3)
    assert not GAME.hidden
    assert not GAME.random
    assert {**state.observation(0), "seat": 1} == state.observation(1)
    for seat in range(2):
        assert state.hidden(seat) == state
        assert state.dealt(seat, seed=9) == state
    step = state.apply(0)
    assert (step.label(1), step.words(1)) == ("column 0", [])


def test_the_table_is_drawn_with_its_columns_numbered():
    assert dropped(3, 3, 0).render(1).splitlines() == [
        "0 1 2 3 4 5 6",
        *[". . . . . . ."] * 4,
        ". . . o . . .",
        "x . . x . . .",
        "seat 0  x",
        "seat 1  o  to move",
    ]


def test_every_sequence_of_seven_discs_but_seven_in_one_column():
    """CF-3 CF-4: nobody can win before the seventh disc."""
    assert GAME.new(seed=1).position.perft(7) == 7**7 - 7


# The bits against a plain board

LINES = [
    [(column + k * across, row + k * up) for k in range(4)]
    for column in COLUMNS for row in ROWS for across, up in ((0, 1), (1, 0), (1, 1), (1, -1))
    if column + 3 * across in COLUMNS and row + 3 * up in ROWS
]


class Plain:
    """A board as columns of seats, and the simple player by the words of the rules page."""

    def __init__(self) -> None:
        self.columns: list[list[int]] = [[] for _ in COLUMNS]

    def open(self) -> list[int]:
        return [column for column in COLUMNS if len(self.columns[column]) < 6]

    def wins(self, seat: int, column: int) -> bool:
        """A disc of the seat in this column would make four."""
        self.columns[column].append(seat)
        cells = {(c, r) for c in COLUMNS for r, owner in enumerate(self.columns[c]) if owner == seat}
        self.columns[column].pop()
        return any(cells.issuperset(line) for line in LINES)

    def opens_a_win(self, seat: int, column: int) -> bool:
        """A disc of the seat in this column would let the other seat win just above it."""
        self.columns[column].append(seat)
        opens = len(self.columns[column]) < 6 and self.wins(1 - seat, column)
        self.columns[column].pop()
        return opens

    def simple_move(self, seat: int) -> int:
        for owner in (seat, 1 - seat):
            for column in self.open():
                if self.wins(owner, column):
                    return column
        safe = [column for column in self.open() if not self.opens_a_win(seat, column)]
        return min(safe or self.open(), key=lambda column: (abs(column - 3), column))


def test_there_are_69_lines():
    assert len(LINES) == 69


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_wins_and_the_simple_player_are_those_of_a_plain_board(share):
    """CF-4 CF-5: in games where a share of the moves is random."""
    choice = random.Random(11)
    for _ in range(60):
        state, plain = GAME.new(seed=1), Plain()
        while not state.is_terminal:
            seat, move = state.to_move, state.greedy
            assert state.legal_actions == plain.open()
            assert move == plain.simple_move(seat)
            assert state.position.playout(seed=3, noise=0.0, plies=1)[0] == state.child(move).position
            if choice.random() < share:
                move = choice.choice(state.legal_actions)
            won = plain.wins(seat, move)
            plain.columns[move].append(seat)
            state.apply(move)
            assert state.observation(0)["winner"] == (seat if won else None)
            assert state.is_terminal == (won or not plain.open())


# Playouts

def test_a_random_playout_chooses_every_open_column_equally_often():
    """Two columns are full: five are left."""
    state = board("o.....o", "x.....x", "o.....o", "x.....x", "o.....o", "x.....x")
    found = Counter()
    for seed in range(5000):
        after, plies = state.position.playout(seed=seed, noise=1.0, plies=1)
        found[next(column for column in range(1, 6) if after == state.child(column).position)] += plies
    assert sum((found[column] - 1000) ** 2 / 1000 for column in range(1, 6)) < 23.5     # 1 in 10,000


def test_the_next_disc_of_a_random_playout_does_not_depend_on_the_one_before():
    """Several columns come out of one random word: the 49 pairs of the first two are equally likely."""
    start = GAME.new(seed=1)
    pairs = {dropped(*pair).position.state_bytes: pair for pair in ((a, b) for a in COLUMNS for b in COLUMNS)}
    found = Counter(pairs[start.position.playout(seed=seed, plies=2)[0].state_bytes] for seed in range(9800))
    assert sum((found[pair] - 200) ** 2 / 200 for pair in pairs.values()) < 92          # 1 in 10,000


def test_a_playout_ends_with_the_game():
    for seed in range(200):
        for noise in (0.0, 0.5, 1.0):
            after, plies = GAME.new(seed=1).position.playout(seed=seed, noise=noise)
            assert (after.to_move, after.check()) == (-1, 0)
            assert 7 <= plies <= 42
    assert after.playout(seed=1) == (after, 0)


@pytest.mark.parametrize("plies", [0, 1, 2, 6])
def test_a_playout_stops_after_so_many_discs(plies):
    after, played = dropped(3).position.playout(seed=5, noise=1.0, plies=plies)
    assert (played, after.to_move, after.check()) == (plies, (1 + plies) % 2, 0)


# Evaluation

@pytest.mark.parametrize(("columns", "shares"), [
    ([], [0.5, 0.5]),
    (UPRIGHT, [1, 0]),
    (UPRIGHT[:-1], [1, 0]),         # seat 0 wins with the next disc
    ([6, *UPRIGHT[:-1]], [0, 1]),
    (DRAW, [0.5, 0.5]),
])
def test_evaluation_is_exact_at_the_end_and_one_disc_before(columns, shares):
    assert dropped(*columns).position.evaluate()[0] == shares


def test_evaluation_likes_the_centre_and_cells_that_would_win():
    def share(*rows: str) -> float:
        (first, second), scores = board(*rows).position.evaluate()
        assert first + second == 1
        assert scores == pytest.approx([first - second, second - first])
        return first

    assert share("...x...") > share("..x....") > share(".x.....") > share("x......") == 0.5
    assert share(".x...o.") == 0.5
    # three in the second row: the fourth cell is in the air, or taken by the other seat
    assert share("xxx....", "oox..oo") > share("xxxo...", "ooxx.oo") > 0.5


# Which positions are refused

def bits(*rows: str) -> tuple[int, int]:
    """The core's discs of seat 0 and seat 1."""
    discs = {"x": 0, "o": 0, ".": 0}
    for row, line in enumerate(reversed(rows)):
        for column, disc in enumerate(line):
            discs[disc] |= 1 << 7 * column + row
    return discs["x"], discs["o"]


def broken(
    discs: tuple[int, int], to_move: int, phase: int = 0, winner: int = -1, unused: bytes = b""
) -> int:
    """The number of the broken invariant, 0 if none is."""
    data = struct.pack("bBb5sQQ", to_move, phase, winner, unused, *discs)
    try:
        GAME.table(2).read(data)
    except ValueError as error:
        return int(str(error).split()[1])
    return 0


LOST = ("o......", "o......", "o......", "xxxx...")
FULL = ("ooxoxox", "oxxxoxx", "oxoxoxo", "xoxooox", "xoooxxo", "xxoxoxo")


def test_positions_that_can_be_are_admitted():
    assert broken((0, 0), to_move=0) == 0
    assert broken(bits("...x..."), to_move=1) == 0
    assert broken(bits(*LOST), to_move=-1, phase=1, winner=0) == 0
    assert broken(bits(*FULL), to_move=-1, phase=1) == 0


@pytest.mark.parametrize("header", [
    {"to_move": 2}, {"to_move": -2}, {"to_move": -1}, {"to_move": 0, "phase": 1}, {"to_move": 0, "phase": 2},
    {"to_move": 0, "winner": 0}, {"to_move": -1, "phase": 1, "winner": 2}, {"to_move": 0, "winner": -2},
    {"to_move": 0, "unused": b"\0\0\0\0\1"},
])
def test_a_header_out_of_range_is_refused(header):
    assert broken((0, 0), **header) == 1


@pytest.mark.parametrize("discs", [
    bits("x......", ".......", "o......"),
    (1, 1),
    (0b1010101, 0b0101010),         # seven discs in a column
    (1 << 49, 1),
    (1, 1 << 63),
], ids=["in the air", "two in a cell", "above the board", "beside the board", "far away"])
def test_a_disc_that_cannot_be_there_is_refused(discs):
    """CF-2 CF-3"""
    assert broken(discs, to_move=0) == 2


def test_seats_take_turns():
    """CF-1"""
    assert broken(bits("x.x...."), to_move=0) == 3
    assert broken(bits("o......"), to_move=0) == 3
    assert broken(bits("x......"), to_move=0) == 3


@pytest.mark.parametrize(("rows", "header"), [
    (LOST, {"to_move": 1}),
    (LOST, {"to_move": -1, "phase": 1}),
    (LOST, {"to_move": -1, "phase": 1, "winner": 1}),
    (("xoxoxo.",), {"to_move": -1, "phase": 1}),
    (("xoxoxo.",), {"to_move": -1, "phase": 1, "winner": 1}),
    (FULL, {"to_move": 0}),
    (("oooo...", "xxxx..."), {"to_move": -1, "phase": 1, "winner": 1}),
    (("ooo....", "xxxx..o"), {"to_move": -1, "phase": 1, "winner": 0}),
    (("xxxx...", "ooox...", "ooox...", "xxxxooo"), {"to_move": -1, "phase": 1, "winner": 0}),
], ids=["goes on", "no winner", "the other won", "ended early", "won without four", "goes on when full",
        "both have four", "the seat to move won", "two fours without a common disc"])
def test_an_end_that_is_none_is_refused(rows, header):
    """CF-4 CF-6"""
    assert broken(bits(*rows), **header) == 4


def owned(discs: int) -> set[tuple[int, int]]:
    return {(column, row) for column in COLUMNS for row in ROWS if discs >> 7 * column + row & 1}


def possible(to_move: int, phase: int, winner: int, unused: bytes, first: int, second: int) -> bool:
    """The same invariants, cell by cell."""
    seats = owned(first), owned(second)
    taken = seats[0] | seats[1]
    following = len(seats[0]) - len(seats[1])
    if any(unused) or len(taken) != first.bit_count() + second.bit_count() or following not in (0, 1):
        return False
    if any(row and (column, row - 1) not in taken for column, row in taken):
        return False
    lines = [[line for line in LINES if seat.issuperset(line)] for seat in seats]
    tops = [cell for cell in seats[1 - following] if (cell[0], cell[1] + 1) not in taken]
    if lines[following]:
        return False
    if lines[1 - following]:
        last = any(all(cell in line for line in lines[1 - following]) for cell in tops)
        return last and (to_move, phase, winner) == (-1, 1, 1 - following)
    return (to_move, phase, winner) == ((-1, 1, -1) if len(taken) == 42 else (following, 0, -1))


def test_a_position_with_two_bits_changed_is_admitted_exactly_if_it_can_be():
    choice = random.Random(3)
    admitted = 0
    for _ in range(10):
        state = GAME.new(seed=1)
        while not state.is_terminal:
            state.apply(choice.choice(state.legal_actions))
            data = state.position.state_bytes
            for _ in range(150):
                changed = bytearray(data)
                for place in choice.sample(range(8 * len(data)), 2):
                    changed[place // 8] ^= 1 << place % 8
                fields = struct.unpack("bBb5sQQ", changed)
                assert (broken(fields[4:], *fields[:4]) == 0) == possible(*fields), fields
                admitted += possible(*fields)
    assert admitted > 20        # a disc moved, or given to the other seat


# OpenSpiel

def test_as_openspiel_step_by_step():
    """CF-1 to CF-7"""
    assert_same_games(GAME, 2_000)


@pytest.mark.slow
def test_as_openspiel_along_many_games():
    assert_same_games(GAME, 10_000)


# Bad input

@pytest.mark.parametrize(("change", "code", "path"), [
    ({"board": [EMPTY_ROW] * 5}, "bad_field", "board"),
    ({"board": [EMPTY_ROW] * 7}, "bad_field", "board"),
    ({"board": [*[EMPTY_ROW] * 5, "..x..."]}, "bad_field", "board[5]"),
    ({"board": [*[EMPTY_ROW] * 5, "...x....."]}, "bad_field", "board[5]"),
    ({"board": [*[EMPTY_ROW] * 5, "...X..."]}, "bad_field", "board[5]"),
    ({"board": [*[EMPTY_ROW] * 5, "...x..\n"]}, "bad_field", "board[5]"),
    ({"board": [*[EMPTY_ROW] * 5, "...x...\n"]}, "bad_field", "board[5]"),
    ({"board": ["...x...", *[EMPTY_ROW] * 5]}, "inconsistent", ""),
    ({"board": [*[EMPTY_ROW] * 5, "...xx.."]}, "inconsistent", ""),
    ({"board": "...x..."}, "bad_field", "board"),
    ({"winner": 0}, "inconsistent", ""),
    ({"winner": -1}, "inconsistent", "winner"),
    ({"winner": 300}, "inconsistent", "winner"),
    ({"winner": "x"}, "bad_field", "winner"),
    ({"to_move": 0}, "inconsistent", ""),
    ({"to_move": None}, "bad_turn", "to_move"),
    ({"to_move": None, "phase": "over"}, "inconsistent", ""),
    ({"turn": 1}, "bad_field", "turn"),
])
def test_a_bad_observation_is_refused_by_its_place(change, code, path):
    """One x in the middle of the lowest row, seat 1 to move."""
    seen = dropped(3).observation(0)
    assert GAME.from_observation(seen) == dropped(3)
    with pytest.raises(SfumatoError) as refused:
        GAME.from_observation({**seen, **change})
    assert (refused.value.code, refused.value.path) == (code, path)


@pytest.mark.parametrize("field", ["board", "winner"])
def test_an_observation_must_have_every_field(field):
    seen = dropped(3).observation(0)
    del seen[field]
    with pytest.raises(SfumatoError, match=field):
        GAME.from_observation(seen)


def test_nothing_is_drawn_so_no_word_can_be_scripted():
    with pytest.raises(SfumatoError, match=r"seen\[0\]: unknown word 'draw'"):
        dropped(3).apply(3, ["draw x"])


def test_the_board_of_another_card_table_must_be_this_one(tmp_path):
    cards = tmp_path / "mine.toml"
    cards.write_text('[board]\nsource = "x"\ncolumns = 8\nrows = 6\nline = 4\n')
    with pytest.raises(SfumatoError) as refused:
        load("connect_four", cards=cards)
    assert refused.value.path == f"{cards}: board.columns"
    with pytest.raises(ValueError, match="the board has 7 columns, 6 rows and lines of 4"):
        GAME.core.table(bytes((8, 6, 4)))
