"""How soon a search ends: after `cancel` from another thread, and after a limit of milliseconds.

By the clock on the wall, on all cores: the median and the 99th percentile of many searches. Whoever else
uses the machine counts here, most in the percentile. Enigma with 4 players has the slowest simulations of
all games.
"""

from __future__ import annotations

from threading import Thread
from time import perf_counter, sleep
from typing import TYPE_CHECKING

import sfumato.games
from sfumato.search import Searcher

from .measure import Row, all_cores, spread

if TYPE_CHECKING:
    from sfumato.games import State

RUNS = 200
#: milliseconds, and how many searches
LIMITS = {50: 200, 200: 100}
#: seconds that a search has run when it is cancelled, and after which it would end by itself
BEFORE, AT_MOST = 0.02, 5.0


def cancelled(state: State, threads: int, seed: int) -> float:
    """Seconds from the cancel to the end of the search."""
    searcher = Searcher(threads=threads)
    ended = []

    def search() -> None:
        result = searcher.search(state, ms=AT_MOST * 1000, seed=seed)
        ended.append((perf_counter(), result.stop))

    thread = Thread(target=search)
    thread.start()
    sleep(BEFORE)
    start = perf_counter()
    searcher.cancel()
    thread.join()
    end, stop = ended[0]
    if stop != "cancelled":
        raise RuntimeError(f"the search ended by {stop!r}: it had not begun when it was cancelled")
    return end - start


def late(state: State, ms: int, threads: int, seed: int) -> float:
    """Seconds that a search takes beyond its limit."""
    searcher = Searcher(threads=threads)
    start = perf_counter()
    searcher.search(state, ms=ms, seed=seed)
    return perf_counter() - start - ms / 1000


def row(work: str, aim: float, times: list[float]) -> Row:
    """Times and the aim are in seconds."""
    return Row(work, f"{spread(times)} ({len(times)} searches)", f"report (aim: {aim * 1e3:.0f} ms)")


def rows() -> list[Row]:
    if "enigma" not in sfumato.games.NAMES:
        return []
    made = []
    with all_cores():
        for players, threads in ((2, 1), (2, 2), (4, 1)):
            state = sfumato.games.load("enigma").new(players=players, seed=1)
            who = f"`enigma`, {players} players, {threads} {'threads' if threads > 1 else 'thread'}"
            times = [cancelled(state, threads, seed) for seed in range(RUNS)]
            made.append(row(f"{who}: from cancel to the end", 0.05, times))
            for ms, runs in LIMITS.items():
                times = [late(state, ms, threads, seed) for seed in range(runs)]
                made.append(row(f"{who}: beyond a limit of {ms} ms", max(0.005, 0.02 * ms / 1000), times))
    return made
