"""The first answer of a query from the shell against `python -c "import numpy"`, each in fresh processes.

The times are the processor's, of the whole process.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from .imports import NUMPY, against_numpy, process, whole
from .measure import Row, in_turn

SFUMATO = str(Path(sys.executable).with_name("sfumato"))
QUERY = ["best-move", "enigma", "--sims", "1"]
ROUNDS = 21
MUST = 2.0


def rows() -> list[Row]:
    times = in_turn(partial(process, [SFUMATO, *QUERY]), partial(whole, NUMPY), ROUNDS)
    work = f"`sfumato {' '.join(QUERY)}` against `import numpy`, whole process"
    return [against_numpy(work, times, MUST)]
