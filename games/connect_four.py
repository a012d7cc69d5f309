"""Connect Four: words, drawing and observations of ext/connect_four.pyx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from ..ext import connect_four
from .game import Game, Observation
from .speech import Speech

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace

    from .game import Setting
    from .option import Value

COLUMNS, ROWS = 7, 6
EMPTY, DISCS = ".", "xo"


class Board(msgspec.Struct, forbid_unknown_fields=True):
    """The core's bits are laid out for one board, so each number allows one value."""

    source: str
    columns: Annotated[int, msgspec.Meta(ge=COLUMNS, le=COLUMNS)]
    rows: Annotated[int, msgspec.Meta(ge=ROWS, le=ROWS)]
    line: Annotated[int, msgspec.Meta(ge=4, le=4)]


class Cards(msgspec.Struct, forbid_unknown_fields=True):
    """The file connect_four.toml."""

    board: Board


Row = Annotated[str, msgspec.Meta(pattern="^[.xo]{7}$", max_length=COLUMNS)]


class Seen(Observation):
    """What a seat knows in Connect Four: everything."""

    #: rows from the top, each a string of seven cells: x is seat 0, o seat 1, . empty
    board: Annotated[list[Row], msgspec.Meta(min_length=ROWS, max_length=ROWS)]
    #: the seat that has four in a line
    winner: int | None


class ConnectFour(Game):
    """Four in a line, with discs that fall: nothing hidden, nothing random."""

    name = "connect_four"
    title = "Connect Four"
    seats = range(2, 3)
    phases = ("drop", "over")
    core = connect_four
    card_table = Cards
    observation: ClassVar[type[Observation]] = Seen
    # bench/README.md has the matches
    search: ClassVar[Mapping[str, Setting]] = {"noise": 0.0}
    invariants = (
        "a number that the game does not have, or a winner before the end",
        "a disc that rests on nothing, or two discs in a cell",
        "the seats did not take turns",
        "winner, lines of four and the end of the game do not agree",
    )

    def prepare(self, cards: Cards) -> None:
        self.cards = cards
        self.speech = Speech()

    def digest_of(self, cards: Cards) -> object:
        return [cards.board.columns, cards.board.rows, cards.board.line]

    def write_rules(self, players: int, options: Mapping[str, Value]) -> dict[str, Any]:  # noqa: ARG002
        board = self.cards.board
        return {"columns": board.columns, "rows": board.rows, "line": board.line}

    def action_words(self) -> list[str | None]:
        return [f"column {column}" for column in range(COLUMNS)]

    def tell(self, event: SimpleNamespace, seat: int | None) -> list[str]:  # noqa: ARG002
        return []

    def tell_setup(self, state: SimpleNamespace, seat: int | None, players: int) -> list[str]:  # noqa: ARG002
        return []

    def observe(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, Any]:  # noqa: ARG002
        return {"board": board_of(state.discs), "winner": None if state.winner < 0 else state.winner}

    def restore(self, seen: Seen) -> dict[str, Any]:
        discs = [0, 0]
        for row, cells in enumerate(reversed(seen.board)):
            for column, cell in enumerate(cells):
                if cell != EMPTY:
                    discs[DISCS.index(cell)] |= bit(column, row)
        return {
            "phase": self.phases.index(seen.phase),
            "winner": -1 if seen.winner is None else seen.winner,
            "discs": discs,
        }

    def draw(self, state: SimpleNamespace, seat: int | None, players: int) -> str:  # noqa: ARG002
        lines = [" ".join(str(column) for column in range(COLUMNS))]
        lines += [" ".join(cells) for cells in board_of(state.discs)]
        for other in range(players):
            note = "won" if state.winner == other else "to move" if state.to_move == other else ""
            lines.append(f"seat {other}  {DISCS[other]}  {note}".rstrip())
        return "\n".join(lines)


def bit(column: int, row: int) -> int:
    """The core's bit of a cell; rows are counted from below."""
    return 1 << ((ROWS + 1) * column + row)


def board_of(discs: list[int]) -> list[str]:
    """The rows from the top."""

    def cell(column: int, row: int) -> str:
        owners = [seat for seat in range(2) if discs[seat] & bit(column, row)]
        return DISCS[owners[0]] if owners else EMPTY

    return ["".join(cell(column, row) for column in range(COLUMNS)) for row in reversed(range(ROWS))]


GAME = ConnectFour
