"""The first answer of a query from the shell against `python -c "import numpy"`, each in fresh processes.

The times are the processor's, of the whole process.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from .imports import NUMPY, process, whole
from .measure import Row, in_turn, middle

SFUMATO = str(Path(sys.executable).with_name("sfumato"))
QUERY = ["best-move", "enigma", "--sims", "1"]
ROUNDS = 21
MUST = 2.0


def rows() -> list[Row]:
    times = in_turn(partial(process, [SFUMATO, *QUERY]), partial(whole, NUMPY), ROUNDS)
    ratio = middle([ours / numpy for ours, numpy in times])
    ours, numpy = (middle([pair[side] for pair in times]) * 1e3 for side in (0, 1))
    work = f"`sfumato {' '.join(QUERY)}` against `import numpy`, whole process"
    return [Row(work, f"{ratio:.2f} ({ours:.0f} ms, numpy {numpy:.0f} ms)", f"<= {MUST}", ratio <= MUST)]
