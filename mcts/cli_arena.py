"""The arena's commands: `tournament`, `match` and `replay`. What they do lives in the modules they call."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .agents import OPPONENT
from .cli import (
    F,
    cli,
    complete_agent,
    complete_game,
    complete_option,
    echo_json,
    fail,
    json_option,
    no_color_option,
    require_game,
    require_seed,
)
from .games import NAMES
from .games.state import fresh

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from .plan import Settings
    from .records import Record
    from .tournament import Means, Run

#: of a tournament or a match
MOST_BLOCKS = 1_000_000
#: columns of a table that goes to no terminal
PIPED = 1000
#: of a clock: a day
LONGEST_MS = 86_400_000
TOURNAMENT = f"""\b
Examples:
  sfumato tournament {NAMES[0]} --agents random greedy ismcts:sims=1000
  sfumato tournament {" ".join(NAMES[:2])} --agents new=cmd:./engine greedy \\
      --gauntlet --blocks 50 --out results.jsonl --html report.html
  sfumato tournament {NAMES[0]} --agents "cmd[ms=200]:./engine --flag" cheat
"""
MATCH = f"""\b
Examples:
  sfumato match ismcts:sims=1000 greedy --game {NAMES[0]} --blocks 200
  sfumato match new=ismcts:c=0.9 old=ismcts --game {NAMES[0]} --sprt 0 10 \\
      --out match.jsonl
"""


class ArenaCommand(click.Command):
    """A command that plays many games. Of its option --agent, --agents takes several at once: all words up to
    the next option."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(context, list(one_by_one(args)))

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        from .seated import HELP

        with formatter.section("Agents"):
            formatter.write_text(HELP)
        super().format_epilog(context, formatter)


def one_by_one(args: Sequence[str]) -> Iterator[str]:
    """`--agents A B` as `--agent A --agent B`."""
    several = False
    for index, word in enumerate(args):
        if word == "--":
            yield from args[index:]
            return
        if several and not word.startswith("-"):
            yield from ("--agent", word)
            continue
        several = word == "--agents" and not "".join(args[index + 1:index + 2]).startswith("-")
        if not several or index + 1 == len(args):
            yield word


class FileName(click.Path):
    """A file to be written."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not value:
            self.fail("expected the name of a file, got ''", param, ctx)
        return super().convert(value, param, ctx)


class Seed(click.types.IntParamType):
    """A number, or a word for one that nobody can guess."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return fresh(None) if value == "random" else super().convert(value, param, ctx)


def arena_options(function: F) -> F:
    """The options of the commands that play many games."""
    for option in (
        no_color_option,
        json_option,
        click.option("--resume", is_flag=True,
                     help="Go on with the --out file, or begin it. --blocks may be more than before."),
        click.option("--out", type=FileName(), metavar="FILE",
                     help="Keep every game in this file, from which it can be replayed."),
        click.option("--dask", metavar="ADDRESS", help="Play on this Dask cluster, as in tcp://host:8786."),
        click.option("--workers", type=click.IntRange(0, 1024), metavar="N",
                     help="Processes that play; 0: this one.  [default: the processors]"),
        click.option("--game-ms", type=click.IntRange(1, LONGEST_MS), metavar="N",
                     help="Milliseconds for all moves of a seat in a game; who needs more, beyond a grace of "
                          "250 for the whole game, loses it."),
        click.option("--move-ms", type=click.IntRange(1, LONGEST_MS), metavar="N",
                     help="Milliseconds that every move may take; who needs more, beyond a grace of 250 for "
                          "each, loses the game."),
        click.option("--seed", type=Seed(), callback=require_seed, default=0, show_default=True,
                     metavar="N|random",
                     help="The seed of all deals and agents; random: one that nobody can guess, which the "
                          "output and the file name. Programs of strangers want that: who knows the seed "
                          "knows the cards."),
        click.option("-o", "--option", "options", multiple=True, metavar="NAME=VALUE",
                     shell_complete=complete_option,
                     help="A rule option, for every game that has it; `sfumato games` lists them."),
    ):
        function = option(function)
    return function


def read_counts(_context: click.Context, _parameter: click.Parameter, text: str | None) -> list[int]:
    """Player counts, separated by commas."""
    try:
        return [int(word) for word in text.split(",")] if text is not None else []
    except ValueError:
        raise click.BadParameter(f"expected numbers separated by commas, got {text!r}") from None


@cli.command("tournament", cls=ArenaCommand, epilog=TOURNAMENT)
@click.argument("games", nargs=-1, required=True, metavar="GAME...", shell_complete=complete_game)
@click.option("--agent", "--agents", "agents", multiple=True, metavar="[NAME=]SPEC",
              shell_complete=complete_agent,
              help="Who plays. --agents takes several at once, all words up to the next option: name the "
                   "games before it.")
@click.option("--gauntlet", is_flag=True, help="The first agent meets each other one; else all meet all.")
@click.option("--blocks", type=click.IntRange(1, MOST_BLOCKS), default=10, show_default=True, metavar="N",
              help="Deals of every game; each is played at every rotation of the seats.")
@click.option("--players", "counts", callback=read_counts, metavar="N[,N...]",
              help="Numbers of players, for the games that have them.  [default: the fewest]")
@click.option("--html", type=FileName(), metavar="FILE",
              help="Write a report as one page for a browser.")
@arena_options
@click.pass_context
def tournament_command(context: click.Context, /, games: tuple[str, ...], agents: tuple[str, ...],
                       gauntlet: bool, blocks: int, counts: list[int], html: Path | None,
                       options: tuple[str, ...], seed: int, move_ms: int | None, game_ms: int | None,
                       as_json: bool, no_color: bool, **how: Any) -> None:
    """Have agents play against each other, and rate them.

    The tables say which is stronger, by how much, and how sure that is. Every deal is played by every
    match-up with every rotation of the seats, so that the luck of the deal cancels out. The same settings
    give the same games and tables, on any machine and with any number of workers, unless an agent's limits
    depend on time.

    An agent that crashes, answers illegally or too late loses that game, with the reason recorded, and the
    tournament goes on. Ratings are Elo above `random`, or above the first agent. Ctrl-C ends it early; with
    --out nothing is lost that was played.
    """
    from . import tournament
    from .plan import Settings, entrants, tables

    means = means_of(context, no_color=no_color, **how)
    settings = Settings(tables(games, counts, options), entrants(agents),
                        "gauntlet" if gauntlet else "round-robin", blocks, seed, move_ms, game_ms)
    if html is not None:
        tournament.require_page(html, means.out)
    played = tournament.play(settings, means, tournament.Goal())

    from .standings import standings

    found = standings(settings, played.records)
    if html is not None:
        tournament.write_page(html, played, found)
    if as_json:
        echo_json({"settings": settings, "standings": found})
    else:
        from .scoreboard import draw_standings

        console = wide_screen(no_color)
        draw_standings(console, settings, found, played.records)
        draw_copies(console, settings, played.records)
    leave(context, played)


@cli.command("match", cls=ArenaCommand, epilog=MATCH)
@click.argument("a", metavar="A", shell_complete=complete_agent)
@click.argument("b", metavar="B", shell_complete=complete_agent)
@click.option("--game", required=True, callback=require_game, metavar="GAME", shell_complete=complete_game,
              help="The game.")
@click.option("--players", type=int, metavar="N", help="Number of players; the fewest if not given.")
@click.option("--blocks", type=click.IntRange(1, MOST_BLOCKS), metavar="N",
              help="Deals, with --sprt at most.  [default: 100; with --sprt: 10,000]")
@click.option("--sprt", type=float, nargs=2, metavar="ELO0 ELO1",
              help="Stop once it is decided whether A is stronger than B by ELO0 at most, or ELO1 at least.")
@click.option("--alpha", type=float, metavar="P",
              help="With --sprt: how often it may say ELO1 although ELO0 is true.  [default: 0.05]")
@click.option("--beta", type=float, metavar="P",
              help="With --sprt: how often it may say ELO0 although ELO1 is true.  [default: 0.05]")
@arena_options
@click.pass_context
def match_command(context: click.Context, /, a: str, b: str, game: str, players: int | None,
                  blocks: int | None, sprt: tuple[float, float] | None, alpha: float | None,
                  beta: float | None, options: tuple[str, ...], seed: int, move_ms: int | None,
                  game_ms: int | None, as_json: bool, no_color: bool, **how: Any) -> None:
    """Test whether agent A is stronger than agent B.

    A and B are specs, or NAME=SPEC. With two players every deal is played twice, with the seats changed; with
    more, A sits at every seat in turn with B at all others, and B with A at all others.

    With --sprt the match ends as soon as the test is decided. The deals are judged in the order of their
    numbers, so that neither workers nor their speed change the result.
    """
    from . import tournament
    from .plan import Settings, entrants, tables
    from .sequential import Sequential, read_bounds
    from .standings import match

    means = means_of(context, no_color=no_color, **how)
    if sprt is None and (alpha is not None or beta is not None):
        raise click.UsageError("--alpha and --beta are of a test: they need --sprt ELO0 ELO1", context)
    try:
        bounds = read_bounds(*sprt, alpha, beta) if sprt is not None else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--sprt, --alpha, --beta") from None
    settings = Settings(tables([game], [] if players is None else [players], options), entrants([a, b]),
                        "round-robin", blocks or (10_000 if bounds else 100), seed, move_ms, game_ms,
                        sprt=(bounds.elo0, bounds.elo1, bounds.alpha, bounds.beta) if bounds else None)
    goal = Sequential(settings, bounds) if bounds else tournament.Goal()
    played = tournament.play(settings, means, goal)
    records = goal.counted(played.records)
    found = match(settings, records, bounds)
    if as_json:
        echo_json({"settings": settings, "match": found})
    else:
        from .scoreboard import draw_match

        console = wide_screen(no_color)
        draw_match(console, settings, found, records)
        draw_copies(console, settings, records)
    leave(context, played)


def means_of(context: click.Context, resume: bool, out: Path | None, workers: int | None, dask: str | None,
             no_color: bool) -> Means:
    """How the games are played and kept, as the command line has it."""
    from .tournament import Means

    if resume and out is None:
        raise click.UsageError("--resume needs the file to go on with: --out FILE", context)
    if dask is not None and workers is not None:
        raise click.UsageError("--workers and --dask exclude each other", context)
    return Means(workers, dask, out, resume, no_color)


def wide_screen(no_color: bool) -> Console:
    """The terminal; who reads the tables through a pipe has room for every name."""
    from .table import screen

    console = screen(no_color)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED
    return console


def draw_copies(console: Console, settings: Settings, records: Sequence[Record]) -> None:
    """Warns of blocks that prove nothing."""
    from .tournament import copies

    if warning := copies(settings, records):
        console.print(warning, style="yellow")


def leave(context: click.Context, played: Run) -> None:
    """Says how to go on with a run that was interrupted."""
    if played.interrupted:
        context.exit(fail(played.interruption, 130, context))


@cli.command("replay")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.argument("number", type=int, required=False, metavar="[GAME_NO]")
@click.option("--seat", type=int, metavar="N", help="As seat N saw it; a spectator sees everything.")
@click.option("--every", type=click.IntRange(min=0), default=10, show_default=True, metavar="N",
              help="Draw the table after every N moves; 0: only at the start and the end.")
@click.option("--analyze", "spec", is_flag=False, flag_value=OPPONENT, metavar="[SPEC]",
              shell_complete=complete_agent,
              help=f"Tell what a search thinks of each move.  [without SPEC: {OPPONENT}]")
@json_option
@no_color_option
def replay_command(file: Path, number: int | None, seat: int | None, every: int, spec: str | None,
                   as_json: bool, no_color: bool) -> None:
    """Show a game that a tournament or a match recorded.

    FILE is a file of results, GAME_NO the number of one of its games; without a number they are listed.

    --analyze tells for every move its win share, from what the mover knew, the move that the search prefers,
    and the share lost; with --seat for that seat's moves alone. SPEC follows it at once, as in `sfumato
    replay FILE 3 --analyze ismcts:sims=5000`.
    """
    from . import replay

    if number is None:
        if seat is not None or spec is not None:
            raise click.UsageError("name the number of a game; without one the games are listed")
        if as_json:
            echo_json(replay.list_map(file))
        else:
            replay.draw_list(wide_screen(no_color), file)
        return
    game, judge = replay.recorded(file, number), replay.judge(spec, no_color)
    if as_json:
        echo_json(replay.replay_map(game, seat, judge))
    else:
        from .table import screen

        replay.draw_replay(screen(no_color), game, seat, every, judge)
