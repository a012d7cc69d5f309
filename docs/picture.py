"""Draws docs/demo.svg, the recorded demo in README.md: `make picture`, when the demo shows something else."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from sfumato import load
from sfumato.agents import SHOWN
from sfumato.demo import demo

GAME, TRICKS, SEED = "oh_hell", 4, 1


def picture() -> str:
    """The session as an SVG that needs nothing from elsewhere: the reader's own letters will do."""
    console = Console(record=True, file=io.StringIO(), width=80, force_terminal=True, no_color=False,
                      color_system="truecolor", highlight=False, markup=False, emoji=False)
    game = load(GAME, tricks=TRICKS)
    demo(console, game, game.seats[0], SEED, SHOWN, every=0)
    local = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    title = f"sfumato demo {GAME} -o tricks={TRICKS} --seed {SEED} --every 0"
    return console.export_svg(title=title, code_format=local, unique_id="demo")


if __name__ == "__main__":
    Path(__file__).with_name("demo.svg").write_text(picture(), "utf-8")
