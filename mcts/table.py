"""Drawing for the terminal: the table, the moves, the result. Sensible in 80 columns and 24 lines."""

from __future__ import annotations

from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from .games.option import spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .agents import Kind
    from .games import Game, Outcome, State, Step
    from .search import Move, Result
    from .signature import Speed

#: between two columns of moves
GAP = 3
#: why a search stopped, for people
STOPS = {
    "sims": "all simulations are done",
    "ms": "the time is up",
    "nodes": "all nodes are used",
    "confidence": "the best move stands out",
    "only_move": "there is only one move",
    "cancelled": "interrupted",
}


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


def draw_outcome(console: Console, result: Outcome, names: Sequence[str]) -> None:
    """The result, best rank first."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("rank", "seat"):
        table.add_column(column)
    for column in ("score", "win share"):
        table.add_column(column, justify="right")
    for seat in sorted(range(len(names)), key=lambda seat: result.ranks[seat]):
        rank, score, share = result.ranks[seat], result.scores[seat], result.win_shares[seat]
        table.add_row(str(rank), names[seat], f"{score:g}", f"{share:.3g}", style="bold" if rank == 1 else "")
    console.print(Rule(Text("result", "bold"), style="cyan", align="left"))
    console.print(table)


def draw_found(console: Console, result: Result, top: int, numbers: Sequence[int] | None = None) -> None:
    """The best moves that a search found; with the numbers by which a person chooses them, if there are."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("move")
    for column in ("visits", "of all", "win share", "95% interval", "score"):
        table.add_column(column, justify="right", no_wrap=True)
    total = sum(move.visits for move in result.moves)
    number_of = dict(zip(sorted(move.action for move in result.moves), numbers or (), strict=False))
    digits = len(str(max(number_of.values(), default=0)))
    for place, move in enumerate(result.moves[:top]):
        number = number_of.get(move.action)
        words = move.words if number is None else f"{number:>{digits}} {move.words}"
        table.add_row(words, *figures(move, total), style="" if place else "bold")
    console.print(table)
    if len(result.moves) > top:
        console.print(Text(f"and {len(result.moves) - top} more", "dim"))


def figures(move: Move, total: int) -> tuple[str, ...]:
    """What a search knows of a move."""
    low, high = move.interval
    never = move.win_share is None
    return (
        f"{move.visits:,}", percent(move.visits / total if total else 0),
        "-" if move.win_share is None else percent(move.win_share),
        "-" if never else f"{percent(low)} to {percent(high)}",
        "-" if move.score is None else f"{move.score:.2f}",
    )


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def draw_result(console: Console, state: State, deal: Mapping[str, int], result: Result, top: int) -> None:
    """The table as the seat to move sees it, and all that a search found there."""
    dealt = f", seed {deal['seed']}, {deal['played']} moves played" if deal else ""
    title = f"{state.game.name}, {state.players} players{dealt}: seat {state.to_move} to {state.phase}"
    draw_table(console, state, result.seat, title)
    draw_found(console, result, top)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column()
    seats = enumerate(zip(result.shares, result.scores, strict=True))
    grid.add_row("expected", ", ".join(f"seat {seat} {percent(share)} ({score:.2f} points)"
                                       for seat, (share, score) in seats))
    if result.variation:
        grid.add_row("line", ", ".join(f"{ply.seat}: {ply.words}" for ply in result.variation))
    speed = f" ({result.sims / result.elapsed:,.0f}/s)" if result.elapsed else ""
    full = "; there was no more memory for nodes" if result.full else ""
    took = f"{result.sims:,} simulations in {result.elapsed:.2f} s{speed}"
    grid.add_row("effort", f"{took}, {result.nodes:,} nodes")
    grid.add_row("stopped", f"{STOPS[result.stop]}{full}")
    console.print(grid)


def draw_agents(console: Console, kinds: Sequence[Kind]) -> None:
    """The kinds of agents, and their parameters: those that several share are said once."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for kind in kinds:
        grid.add_row(Text(kind.name, "bold"), kind.help)
    console.print(grid)
    rows = {each: (f"  {each.name}", each.range, said(kind.default(each)), each.help)
            for kind in kinds for each in kind.parameters}
    widths = [max(map(len, column)) for column in zip(*rows.values(), strict=True)][:3]
    owners = {each: ", ".join(kind.name for kind in kinds if each in kind.parameters) for each in rows}
    for names in dict.fromkeys(owners.values()):
        grid = Table.grid(padding=(0, 2, 0, 0))
        for width, style in zip((*widths, None), ("cyan", "", "", ""), strict=True):
            grid.add_column(width=width, style=style)
        for each in (each for each in rows if owners[each] == names):
            grid.add_row(*rows[each])
        console.print(Text.assemble("\n", (names, "bold"), ": range, default, meaning"))
        console.print(grid)
    console.print("\nA limit that is named stands in place of the default one. A game may have settings of "
                  "its own, which stand in place of these defaults, unless plain is named.")


def said(default: object) -> str:
    """A parameter's default, as it is typed; None: there is none."""
    return "none" if default is None else f"{default:,}" if type(default) is int else spoken(default)


def draw_signature(console: Console, number: int, speeds: Iterable[Speed]) -> None:
    """The signature, and how fast the search is here."""
    console.print(Text.assemble("signature ", (str(number), "bold")))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("game")
    for column in ("players", "simulations/s"):
        table.add_column(column, justify="right")
    for each in speeds:
        table.add_row(each.game, str(each.players), f"{each.sims_per_second:,.0f}")
    console.print(table)


def draw_games(console: Console, games: Iterable[Game]) -> None:
    """What there is to play."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("game", max_width=15)  # leaves the options room for a line each
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
