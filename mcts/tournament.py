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
from .records import FORMAT, Heading, Results, opened
from .seated import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from .arena import Executor
    from .elo import Sprt
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


# --- the page -------------------------------------------------------------------------------------------


def write_page(path: Path, played: Run, found: Standings) -> None:
    """The report as a page for a browser."""
    from .report import page

    heading = Heading(__version__, FORMAT, signature(), played.settings)
    path.write_text(page(heading, found, played.records, shlex.join(command(played.settings))), "utf-8")


def require_folder(path: Path) -> None:
    """Refuses to begin what could not be written at the end."""
    if path.is_dir() or not path.parent.is_dir():
        raise SfumatoError("bad_file", "expected a file in a folder that exists", str(path))


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
    """The player counts, unless every game has its fewest."""
    if all(table.players == game_class(table.name).seats[0] for table in settings.games):
        return []
    return ["--players", ",".join(map(str, sorted({table.players for table in settings.games})))]


def option_words(settings: Settings) -> Iterator[str]:
    """The options that are not as the game has them."""
    changed = [f"{name}={spoken(value)}" for table in settings.games for name, value in given(table).items()]
    for written in dict.fromkeys(changed):
        yield from ("-o", written)


def given(table: Played) -> dict[str, str | int | bool]:
    usual = load(table.name).option_values(table.players)
    return {name: value for name, value in table.options.items() if value != usual[name]}
