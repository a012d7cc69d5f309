"""Rules pages in the terminal. Apart from other drawing: what reads Markdown is slow to import."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.markdown import Markdown
from rich.pager import SystemPager

from .streams import spelled

if TYPE_CHECKING:
    from rich.console import Console


def draw_rules(console: Console, page: str) -> None:
    """A rules page; in a terminal through the pager."""
    markdown = Markdown(spelled(page, console.encoding))  # before its lines are broken
    if not console.is_terminal:
        console.print(markdown)
        return
    # less shows colours and leaves a page that fits on the screen where it is, unless it was told otherwise
    os.environ.setdefault("LESS", "-FRX")
    with console.pager(SpellingPager(console.encoding), styles=True):
        console.print(markdown)


class SpellingPager(SystemPager):
    """The system's pager, for a terminal with this encoding."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding

    def show(self, content: str) -> None:
        super().show(spelled(content, self.encoding))
