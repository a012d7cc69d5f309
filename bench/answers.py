"""The first answer of a query from the shell against `python -c "import numpy"`, each in fresh processes.

The times are the processor's, of the whole process.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from .imports import KEPT, NUMPY, children, fresh
from .measure import Row, middle, paired

SFUMATO = str(Path(sys.executable).with_name("sfumato"))
QUERY = ["best-move", "enigma", "--sims", "1"]
ROUNDS = 21
MUST = 2.0


def ask() -> None:
    subprocess.run([SFUMATO, *QUERY], check=True, env=KEPT, capture_output=True)


def rows() -> list[Row]:
    work = f"`sfumato {' '.join(QUERY)}` against `import numpy`, whole process"
    try:
        ask()
    except (OSError, subprocess.CalledProcessError) as failed:
        words = getattr(failed, "stderr", None)
        why = words.decode().strip().splitlines()[-1] if words else str(failed)
        return [Row(work, f"not measured: {why}", f"<= {MUST}", False)]
    times = paired(ask, partial(fresh, NUMPY), ROUNDS, children)
    ratio = middle([ours / numpy for ours, numpy in times])
    ours, numpy = (middle([pair[side] for pair in times]) * 1e3 for side in (0, 1))
    return [Row(work, f"{ratio:.2f} ({ours:.0f} ms, numpy {numpy:.0f} ms)", f"<= {MUST}", ratio <= MUST)]
