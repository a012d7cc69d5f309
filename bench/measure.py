"""How everything here is timed: in rounds on one core; of two things that are compared, the median ratio."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial
from math import ceil
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Work = Callable[[], object]
    Clock = Callable[[], float]

Measured = TypeVar("Measured")


class Row(NamedTuple):
    """One line of the table."""

    work: str
    figure: str
    must: str = "report"
    #: False: the bar was missed
    reached: bool = True


def one_core() -> None:
    """Keeps this process, and those it starts, on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


@contextmanager
def all_cores() -> Iterator[None]:
    """Gives this process every core for a while, for what needs two."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    kept = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, kept)


def seconds(work: Work, clock: Clock = process_time) -> float:
    """Seconds of this process, so that others on the same core count less."""
    start = clock()
    work()
    return clock() - start


def paired(ours: Work, theirs: Work, rounds: int, clock: Clock = process_time) -> list[tuple[float, float]]:
    """Seconds of both, round by round."""
    return in_turn(partial(seconds, ours, clock), partial(seconds, theirs, clock), rounds)


def in_turn(ours: Callable[[], Measured], theirs: Callable[[], Measured],
            rounds: int) -> list[tuple[Measured, Measured]]:
    """What both say, round by round, after one round to warm up; each goes first in every other round."""
    times = []
    for turn in range(rounds + 1):
        if turn % 2:
            mine, other = ours(), theirs()
        else:
            other, mine = theirs(), ours()
        times.append((mine, other))
    return times[1:]


def middle(values: list[float]) -> float:
    return float(median(values))


def percentile(values: list[float], share: float) -> float:
    """The smallest value that so large a share of all does not exceed."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def spread(times: list[float], digits: int = 2) -> str:
    """Seconds in words."""
    half, most = middle(times) * 1e3, percentile(times, 0.99) * 1e3
    return f"median {half:.{digits}f} ms, 99th percentile {most:.{digits}f} ms"
