"""Drawing for the terminal: the table, the moves, the result. Sensible in 80 columns and 24 lines."""

from __future__ import annotations

import os
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markdown import Markdown
from rich.pager import SystemPager
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from .games.option import spoken
from .streams import spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .games import Game, State, Step

#: between two columns of moves
GAP = 3


def screen(no_color: bool = False) -> Console:
    """The terminal. The games' words are data: nothing in them is markup. NO_COLOR is rich's to honour."""
    return Console(no_color=no_color or None, highlight=False, markup=False, emoji=False)


def draw_table(console: Console, state: State, seat: int | None, title: str) -> None:
    """The table as a seat sees it; None: everything."""
    console.print(Rule(Text(title, "bold"), style="cyan", align="left"))
    console.print(state.render(seat))


def draw_moves(console: Console, words: Sequence[str]) -> None:
    """The legal moves with their numbers, down the columns. Words with which all begin are said once."""
    shared = common_start(words)
    if shared:
        console.print(Text(f"{' '.join(shared)} ...", "dim"))
    rest = [move.split()[len(shared):] for move in words]
    digits = len(str(max(numbers(words))))
    moves = [
        Text.assemble((f"{number:>{digits}}", "cyan"), "" if move == [str(number)] else " " + " ".join(move))
        for number, move in zip(numbers(words), rest, strict=True)
    ]
    across = max(1, (console.width + GAP) // (max(map(len, moves)) + GAP))
    down = rows(rest, across)
    grid = Table.grid(padding=(0, GAP, 0, 0))
    for row in range(down):
        grid.add_row(*moves[row::down])
    console.print(grid)


def numbers(words: Sequence[str]) -> list[int]:
    """The numbers by which moves are chosen: 1, 2, 3, ...; or those in which alone the moves differ."""
    starts, _, ends = zip(*(move.rpartition(" ") for move in words), strict=True)
    if len(set(starts)) == 1 and all(end.isdecimal() for end in ends):
        return [int(end) for end in ends]
    return list(range(1, len(words) + 1))


def common_start(words: Sequence[str]) -> list[str]:
    """The words with which several moves all begin, but for the last word of each."""
    if len(words) < 2:
        return []
    places = zip(*(move.split()[:-1] for move in words), strict=False)
    return [place[0] for place in takewhile(lambda place: len(set(place)) == 1, places)]


def rows(moves: Sequence[Sequence[str]], across: int) -> int:
    """How many rows: a column for moves that begin alike, where that fits; else as few as there can be."""
    alike = [len(list(group)) for _, group in groupby(moves, key=lambda move: move[0])]
    if len(set(alike)) == 1 and len(alike) <= across:
        return alike[0]
    return -(-len(moves) // across)


def tell(step: Step, seat: int | None, name: str) -> Text:
    """A step as a seat saw it, in one line; None: all of it."""
    line = Text.assemble((name, "bold"), ": ", step.label(seat))
    seen = step.words(seat)
    if seen:
        line.append(f" ({', '.join(seen)})", "dim")
    for remark in step.remarks:
        line.append(f"; {remark}", "green")
    return line


def draw_outcome(console: Console, state: State, names: Sequence[str]) -> None:
    """The result, best rank first."""
    result = state.outcome
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("rank", "seat"):
        table.add_column(column)
    for column in ("score", "win share"):
        table.add_column(column, justify="right")
    for seat in sorted(range(state.players), key=lambda seat: result.ranks[seat]):
        rank, score, share = result.ranks[seat], result.scores[seat], result.win_shares[seat]
        table.add_row(str(rank), names[seat], f"{score:g}", f"{share:.3g}", style="bold" if rank == 1 else "")
    console.print(Rule(Text("result", "bold"), style="cyan", align="left"))
    console.print(table)


def draw_games(console: Console, games: Iterable[Game]) -> None:
    """What there is to play."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("game", max_width=14)  # leaves the options room for a line each
    for column in ("players", "options", "hidden", "random"):
        table.add_column(column, overflow="fold")
    for game in games:
        low, high = game.seats[0], game.seats[-1]
        table.add_row(
            Text.assemble((game.name, "bold"), "\n", game.title),
            str(low) if low == high else f"{low} to {high}",
            options_of(game),
            "yes" if game.hidden else "no",
            "yes" if game.random else "no",
        )
    console.print(table)


def options_of(game: Game) -> Text:
    """The options of a game, a line each, with their values."""
    lines = [
        Text.assemble((option.name, "cyan"), "=", "|".join(spoken(choice) for choice in option.choices)
                      or f"{option.low}..{option.high}")
        for option in game.options
    ]
    return Text("\n").join(lines)


def draw_rules(console: Console, page: str) -> None:
    """A rules page; in a terminal through the pager."""
    markdown = Markdown(spelled(page, console.encoding))  # before its lines are broken
    if not console.is_terminal:
        console.print(markdown)
        return
    # less shows colours and leaves a page that fits on the screen where it is, unless it was told otherwise
    os.environ.setdefault("LESS", "-FRX")
    with console.pager(SpellingPager(console.encoding), styles=True):
        console.print(markdown)


class SpellingPager(SystemPager):
    """The system's pager, for a terminal with this encoding."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding

    def show(self, content: str) -> None:
        super().show(spelled(content, self.encoding))
