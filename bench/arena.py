"""What the arena costs beside the searches of its agents, and what a second worker brings.

Outside search: whole runs in one process, results written to a file, against the time of all calls of
`Searcher.search` in them, both by the processor's clock. Two workers against one: the same games, by the
clock on the wall and by the processor time of all processes together, their start included.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

from sfumato import NAMES
from sfumato.arena import Executor, Processes, here, run
from sfumato.plan import Settings, entrants, tables
from sfumato.records import opened
from sfumato.search import Searcher

from .measure import Row, all_cores, in_turn, middle

#: deals of a round of every game alone, as many as make it last, and of all games together
DEALS = dict.fromkeys(NAMES, 1) | {"enigma": 2, "connect_four": 20, "oh_hell": 4, "leduc_poker": 100}
TOGETHER = 2
#: the most that may be spent outside search
MUST = 0.03
ROUNDS = 5
#: for one worker and for two: the game and its deals
SHARED, SHARED_DEALS, PAIRS = "enigma", 20, 3
FASTER, DEARER = 1.8, 1.05
AGENTS = ("one=ismcts:sims=1000", "other=ismcts:sims=1000")


class Cost(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float


def plan(games: Sequence[str], blocks: int) -> Settings:
    return Settings(tables(games), entrants(AGENTS), blocks=blocks)


def play(settings: Settings, executor: Executor, file: Path) -> None:
    with opened(file, settings, 0) as results:
        for _ in run(settings, executor, results):
            pass


@contextmanager
def timed() -> Iterator[list[float]]:
    """Seconds that each search takes meanwhile."""
    real, taken = Searcher.search, []

    def search(self: Any, *given: Any, **limits: Any) -> Any:
        start = process_time()
        found = real(self, *given, **limits)
        taken.append(process_time() - start)
        return found

    Searcher.search = search  # type: ignore[method-assign]
    try:
        yield taken
    finally:
        Searcher.search = real  # type: ignore[method-assign]


def outside(settings: Settings, folder: Path) -> tuple[float, float]:
    """The share of the processor's time that is not within a search, and the seconds of a search."""
    shares, searches = [], []
    for turn in range(ROUNDS + 1):
        with timed() as taken:
            start = process_time()
            play(settings, here, folder / f"{settings.games[0].name}-{len(settings.games)}-{turn}")
            shares.append(1 - sum(taken) / (process_time() - start))
        searches.append(mean(taken))
    return middle(shares[1:]), middle(searches[1:])


def shares(folder: Path) -> Iterator[Row]:
    """All games together have the bar; the shorter a game's searches are, the larger is its share."""
    share, _ = outside(plan(list(DEALS), TOGETHER), folder)
    work = "arena, agents of 1,000 simulations: processor time outside search"
    yield Row(f"{work}, all games", f"{share:.1%}", f"<= {MUST:.0%}", share <= MUST)
    for game, deals in DEALS.items():
        share, search = outside(plan([game], deals), folder)
        yield Row(f"`{game}` {work}", f"{share:.1%} (a search takes {search * 1e3:.2f} ms)")


def cost(workers: int, folder: Path, numbers: Any) -> Cost:
    """What a run with so many workers costs, all processes together."""
    before, wall = os.times(), perf_counter()
    play(plan([SHARED], SHARED_DEALS), Processes(workers), folder / f"workers-{next(numbers)}")
    after = os.times()
    return Cost(perf_counter() - wall, sum(after[:4]) - sum(before[:4]))


def workers(folder: Path) -> Row:
    numbers = count()
    with all_cores():
        costs = in_turn(partial(cost, 2, folder, numbers), partial(cost, 1, folder, numbers), PAIRS)
    faster = middle([one.wall / two.wall for two, one in costs])
    dearer = middle([two.cpu / one.cpu for two, one in costs])
    games = plan([SHARED], SHARED_DEALS).total
    return Row(f"`{SHARED}` arena, {games} games: two workers against one",
               f"{faster:.2f} x as fast, {dearer:.2f} x the processor time per game",
               f">= {FASTER} x, or <= {DEARER} x the processor time", faster >= FASTER or dearer <= DEARER)


def rows() -> list[Row]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        return [*shares(folder), workers(folder)]
