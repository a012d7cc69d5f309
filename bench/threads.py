"""2 trees on 2 threads against 1 tree on 1 thread: 200,000 simulations of Enigma with 2 players in all.

The clock on the wall needs two cores that nobody else uses, so this part is not kept on one core. Where the
machine is busy, the processor's time per simulation says what the threads themselves cost.
"""

from __future__ import annotations

import os
from functools import partial
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import sfumato.games
from sfumato.search import Searcher

from .measure import Row, all_cores, middle, paired

if TYPE_CHECKING:
    from sfumato.games import State

SIMULATIONS = 200_000
ROUNDS = 9
MUST = 1.85
MUST_CPU = 1.05


def search(state: State, threads: int) -> None:
    Searcher(trees=threads, threads=threads).search(state, sims=SIMULATIONS, seed=1)


def rows() -> list[Row]:
    if "enigma" not in sfumato.games.NAMES:
        return []
    state = sfumato.games.load("enigma").new(players=2, seed=1)
    two, one = partial(search, state, 2), partial(search, state, 1)
    with all_cores():
        wall = paired(two, one, ROUNDS, perf_counter)
        cpu = paired(two, one, ROUNDS, process_time)
    faster = middle([single / double for double, single in wall])
    dearer = middle([double / single for double, single in cpu])
    work = f"`enigma` {SIMULATIONS:,} simulations, 2 trees on 2 threads against 1 on 1"
    times = [middle([pair[side] for pair in wall]) * 1e3 for side in (0, 1)]
    busy = "" if (os.cpu_count() or 1) > 1 else ", on one core"
    return [
        Row(f"{work}: by the wall clock", f"{faster:.2f} x ({times[0]:.0f} ms, {times[1]:.0f} ms{busy})",
            f">= {MUST} x, or the next row", faster >= MUST or dearer <= MUST_CPU),
        Row("the same: processor time per simulation", f"{dearer:.2f}", f"<= {MUST_CPU}", dearer <= MUST_CPU),
    ]
