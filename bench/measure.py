"""How everything here is timed: in rounds on one core; of two things that are compared, the median ratio."""

from __future__ import annotations

import os
from functools import partial
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[], object]
    #: does some work, and says how many seconds it took
    Took = Callable[[], float]


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


def seconds(work: Work) -> float:
    """Seconds of this process, so that others on the same core count less."""
    start = process_time()
    work()
    return process_time() - start


def paired(ours: Work, theirs: Work, rounds: int) -> list[tuple[float, float]]:
    """Seconds of both, round by round."""
    return in_turn(partial(seconds, ours), partial(seconds, theirs), rounds)


def in_turn(ours: Took, theirs: Took, rounds: int) -> list[tuple[float, float]]:
    """What both took, round by round, after one round to warm up; each goes first in every other round."""
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
