"""The commands `tournament` and `match`: plays a plan to its end, or until it is decided.

What only the tables need is imported after the games: it takes longer than to start playing.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from . import __version__
from .arena import Processes, here, run
from .games import SfumatoError, game_class, load
from .games.option import spoken
from .plan import load_table
from .records import FORMAT, Heading, Results, opened, read
from .seated import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from .arena import Executor
    from .elo import Sprt
    from .games import Game, State
    from .plan import Settings
    from .plan import Table as Played
    from .records import Record
    from .standings import Standings


@dataclass(frozen=True)
class Means:
    """How games are played and kept: nothing here changes what comes out."""

    #: processes; 0: this one; None: as many as there are processors
    workers: int | None = None
    #: the address of a Dask scheduler
    dask: str | None = None
    #: the file of results
    out: Path | None = None
    resume: bool = False
    no_color: bool = False

    @property
    def executor(self) -> Executor:
        if self.dask is not None:
            from .cluster import Cluster

            return Cluster(self.dask, signature())
        workers = processors() if self.workers is None else self.workers
        return Processes(workers) if workers else here

    def results(self, settings: Settings) -> AbstractContextManager[Results]:
        if self.out is None:
            return nullcontext(Results())
        return opened(self.out, settings, signature(), self.resume)


def processors() -> int:
    """How many this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def signature() -> int:
    """The number of this program; it takes a second."""
    from . import signature as module

    return module.signature()


class Goal:
    """When a run has played enough. This one wants all games."""

    #: where a sequential test stands
    sprt: Sprt | None = None

    def add(self, record: Record) -> None:
        """Takes one more record."""

    @property
    def decided(self) -> bool:
        return False

    def counted(self, records: Sequence[Record]) -> Sequence[Record]:
        """The records that count, whatever else was played before it was decided."""
        return records


@dataclass
class Run:
    """What there is after playing: the records by number, and whether somebody interrupted it."""

    settings: Settings
    means: Means
    records: list[Record]
    interrupted: bool = False

    @property
    def interruption(self) -> str:
        """How to go on."""
        so_far = f"interrupted after {len(self.records):,} of {self.settings.total:,} games"
        if self.means.out is None:
            return f"{so_far}; with --out FILE they would have been kept"
        return f"{so_far}, kept in {self.means.out}; the same command with --resume goes on"


def play(settings: Settings, means: Means, goal: Goal) -> Run:
    """Plays all games, or as many as the goal wants."""
    require_able(settings)
    with means.results(settings) as results:
        played = Run(settings, means, list(results.records))
        for record in played.records:
            goal.add(record)
        if not goal.decided:
            play_on(played, results, goal)
    if played.interrupted and means.out is not None:
        played.records = read(means.out)[1]  # an interrupt may come after a game is written, before it counts
    played.records.sort(key=lambda record: record.number)
    return played


def play_on(played: Run, results: Results, goal: Goal) -> None:
    try:
        with shown(played, goal) as show, \
             closing(run(played.settings, played.means.executor, results)) as games:
            for record in games:
                played.records.append(record)
                goal.add(record)
                show(record)
                if goal.decided:
                    break
    except KeyboardInterrupt:
        played.interrupted = True


def shown(played: Run, goal: Goal) -> AbstractContextManager[Callable[[Record], None]]:
    """Takes records and draws how far the run is, where somebody sees it: on a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return nullcontext(lambda _record: None)
    from .scoreboard import live

    return live(played.settings, played.records, goal, played.means.no_color)


def require_able(settings: Settings) -> None:
    """Refuses agents that cannot play these games, before any game is played."""
    seats = [(load_table(table), table.players) for table in settings.games]
    for agent in settings.agents:
        check(agent.spec, seats)


# --- what blocks are worth ------------------------------------------------------------------------------


def copies(settings: Settings, records: Sequence[Record]) -> str | None:
    """A warning of match-ups whose blocks at a game are all the same: they are no independent evidence."""
    blocks: dict[tuple[int, int], dict[int, list[Record]]] = {}
    for record in records:
        blocks.setdefault((record.game, record.matchup), {}).setdefault(record.block, []).append(record)
    found = [f"{settings.games[game].name}, {met(settings, deals)}"
             for (game, _), deals in sorted(blocks.items())
             if len(deals) > 1 and alike(deals.values()) and one_deal(settings.games[game], deals.values())]
    if not found:
        return None
    return (f"Every block is a copy of the first, and counts as if it were not: {'; '.join(found)}. "
            "The intervals are too narrow")


def met(settings: Settings, deals: dict[int, list[Record]]) -> str:
    """Who plays a match-up."""
    agents = sorted({agent for games in deals.values() for record in games for agent in record.agents})
    return " and ".join(settings.agents[agent].name for agent in agents)


def alike(deals: Iterable[Sequence[Record]]) -> bool:
    """Whether the same was played in all of these blocks. One that is not whole yet is like no other."""
    return len({tuple(sorted((record.agents, record.actions) for record in games)) for games in deals}) == 1


def one_deal(table: Played, deals: Iterable[Sequence[Record]]) -> bool:
    """Whether games of the same actions come to the same end, so that nothing was dealt otherwise."""
    game = load_table(table)
    first, *others = [replayed(game, games[0]) for games in deals]
    return all(end == first for end in others)


def replayed(game: Game, record: Record) -> State:
    """The table at the end of a game."""
    state = game.new(len(record.agents), record.seed)
    for action in record.actions:
        state.apply(action)
    return state


# --- the page -------------------------------------------------------------------------------------------


def write_page(path: Path, played: Run, found: Standings) -> None:
    """The report as a page for a browser."""
    from .report import page

    heading = Heading(__version__, FORMAT, signature(), played.settings)
    try:
        path.write_text(page(heading, found, played.records, shlex.join(command(played.settings))), "utf-8")
    except OSError as error:  # what fails while writing does not know the name
        raise OSError(error.errno, error.strerror, str(path)) from None


def require_page(path: Path, out: Path | None) -> None:
    """Refuses to begin what could not be written at the end, or only over the results."""
    if path.is_dir() or not path.parent.is_dir():
        raise SfumatoError("bad_file", "expected a file in a folder that exists", str(path))
    if out is not None and (path.resolve() == out.resolve() or
                            (path.exists() and out.exists() and path.samefile(out))):
        raise SfumatoError("bad_file", "--html would write over the results of --out", str(path))


def command(settings: Settings) -> list[str]:
    """The words that play the same games again."""
    return ["sfumato", "tournament", *dict.fromkeys(table.name for table in settings.games),
            *players_words(settings), *option_words(settings),
            "--agents", *(each.spec if each.name == each.spec else f"{each.name}={each.spec}"
                          for each in settings.agents),
            *(["--gauntlet"] if settings.pairing == "gauntlet" else []),
            "--blocks", str(settings.blocks), "--seed", str(settings.seed),
            *(["--move-ms", str(settings.move_ms)] if settings.move_ms else []),
            *(["--game-ms", str(settings.game_ms)] if settings.game_ms else [])]


def players_words(settings: Settings) -> list[str]:
    """The player counts of the games that do not have their fewest alone."""
    played: dict[str, list[int]] = {}
    for table in settings.games:
        played.setdefault(table.name, []).append(table.players)
    counts = dict.fromkeys(players for name, each in played.items()
                           if each != [game_class(name).seats[0]] for players in each)
    return ["--players", ",".join(map(str, counts))] if counts else []


def option_words(settings: Settings) -> Iterator[str]:
    """The options that are not as the game has them."""
    changed = [f"{name}={spoken(value)}" for table in settings.games for name, value in given(table).items()]
    for written in dict.fromkeys(changed):
        yield from ("-o", written)


def given(table: Played) -> dict[str, str | int | bool]:
    usual = load(table.name).option_values(table.players)
    return {name: value for name, value in table.options.items() if value != usual[name]}
