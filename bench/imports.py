"""`import sfumato; sfumato.load("enigma")` against `import numpy`, each in fresh processes.

The times are of the whole process, and again of the statement alone, without the start of Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from resource import RUSAGE_CHILDREN, getrusage
from typing import TYPE_CHECKING

from .measure import Row, in_turn, middle

if TYPE_CHECKING:
    from collections.abc import Sequence

OURS = "import sfumato; sfumato.load('enigma')"
NUMPY = "import numpy"
ROUNDS = 21
MUST = 1.5


#: Byte code is kept, as it is for numpy, which was installed with it.
KEPT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def whole(statement: str) -> float:
    """Seconds of a fresh process that runs the statement."""
    return process([sys.executable, "-c", statement])


def process(command: Sequence[str], said: bytes | None = None) -> float:
    """Seconds of a command from its start to its end, with these bytes as its input."""
    before = children()
    subprocess.run(command, check=True, env=KEPT, capture_output=True, input=said)
    return children() - before


def children() -> float:
    """Seconds of the processes that this one has started and that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def alone(statement: str) -> float:
    """Seconds that the statement itself takes in a fresh process."""
    timed = f"from time import process_time as now; start = now(); {statement}; print(now() - start)"
    run = subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, env=KEPT)
    return float(run.stdout)


def against_numpy(work: str, times: list[tuple[float, float]], must: float) -> Row:
    """Our seconds and numpy's, round by round, as a line of the table."""
    ratio = middle([ours / numpy for ours, numpy in times])
    ours, numpy = (middle([pair[side] for pair in times]) * 1e3 for side in (0, 1))
    figure = f"{ratio:.2f} ({ours:.0f} ms, numpy {numpy:.0f} ms)"
    return Row(work, figure, f"<= {must}", ratio <= must)


def rows() -> list[Row]:
    return [
        against_numpy(f"import and load `enigma` against `import numpy`, {work}",
                      in_turn(partial(took, OURS), partial(took, NUMPY), ROUNDS), MUST)
        for work, took in (("whole process", whole), ("statement alone", alone))
    ]
