"""`sfumato serve` and its answer to `hello` against `python -c "import numpy"`, each in fresh processes.

By the processor's clock the whole process counts, its end included; by the clock on the wall the engine's
time ends with its answer.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter

from .child import ENGINE, Child, request
from .imports import NUMPY, against_numpy, process, whole
from .measure import Row, in_turn, seconds

HELLO = request(1, "hello")
ROUNDS = 21
MUST = 2.0


def answered() -> float:
    """Seconds from the start of an engine to its answer."""
    start = perf_counter()
    with Child() as engine:
        engine.trip(HELLO)
        return perf_counter() - start


def rows() -> list[Row]:
    numpy = partial(whole, NUMPY)
    cpu = in_turn(partial(process, ENGINE, HELLO), numpy, ROUNDS)
    wall = in_turn(answered, partial(seconds, numpy, perf_counter), ROUNDS)
    work = "`sfumato serve`, answer to `hello`, against `import numpy`"
    return [against_numpy(f"{work}, whole process", cpu, MUST),
            against_numpy(f"{work}, by the wall clock", wall, MUST)]
