"""How soon the engine obeys `cancel` under full load: every worker searches, and 64 more searches wait.

By the clock on the wall, on all cores, from sending it to its own answer and to that of the cancelled
search. One that runs and one that waits are cancelled in turn, and another takes its place. All are of one
held game, so they begin in the order in which they came.
"""

from __future__ import annotations

from collections import deque
from itertools import count
from time import perf_counter, sleep
from typing import TYPE_CHECKING

import sfumato.games

from .child import Child, request
from .measure import Row, all_cores, spread

if TYPE_CHECKING:
    from collections.abc import Iterator

WAITING = 64
RUNS = 200
#: seconds that the engine searches before each cancel
BEFORE = 0.02
AIM = 0.05


class Crowd:
    """An engine with as many searches as it has workers, and those that wait behind them."""

    def __init__(self, engine: Child) -> None:
        self.engine = engine
        self.numbers: Iterator[int] = count(1)
        self.game = engine.ask("new_game", game="enigma", players=2, seed=1)["game"]
        #: ids of the searches that are not answered, those that run first
        self.searches: deque[int] = deque()
        for _ in range(engine.ask("hello")["limits"]["workers"] + WAITING):
            self.search()

    def search(self) -> None:
        """One more, which nothing but a cancel will end."""
        self.searches.append(next(self.numbers))
        self.engine.send(request(self.searches[-1], "best_move", game=self.game, limits={"sims": 10**9}))

    def cancel(self, search: int) -> tuple[float, float]:
        """Seconds to the answer of `cancel`, and to that of the search."""
        asked = next(self.numbers)
        times: dict[int, float] = {}
        start = perf_counter()
        self.engine.send(request(asked, "cancel", id=search))
        while len(times) < 2:
            times |= dict.fromkeys(self.engine.answers(), perf_counter() - start)
        if times.keys() != {asked, search}:
            raise RuntimeError("a search ended that nobody had cancelled")
        self.search()
        return times[asked], times[search]


def row(which: str, answer: str, times: list[float]) -> Row:
    work = f"`enigma`, all workers busy, {WAITING} waiting: from the cancel of one that {which} to {answer}"
    return Row(work, f"{spread(times)} ({len(times)} searches)", f"report (aim: {AIM * 1e3:.0f} ms)")


def rows() -> list[Row]:
    if "enigma" not in sfumato.games.NAMES:
        return []
    running, waiting = [], []
    with all_cores(), Child() as engine:
        crowd = Crowd(engine)
        for _ in range(RUNS):
            sleep(BEFORE)
            running.append(crowd.cancel(crowd.searches.popleft()))
            sleep(BEFORE)
            waiting.append(crowd.cancel(crowd.searches.pop()))
    return [row(which, answer, [pair[side] for pair in times])
            for which, times in (("runs", running), ("waits", waiting))
            for side, answer in enumerate(("its answer", "the search's"))]
