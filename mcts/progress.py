"""A bar on the error stream while a search thinks: only in a terminal, and gone once there is an answer.

It shows how far the search is, never what it has found: in a game against people that is the agent's secret.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .agents import SearchAgent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.progress import Progress, TaskID

    from .agents import Agent
    from .parameters import Value
    from .search import Report, Result


@contextmanager
def thinking(who: str, player: Agent, no_color: bool = False) -> Iterator[Report | None]:
    """What to tell a search to report to; None where nobody would see it."""
    with shown_bar(who, player, no_color) as bar:
        yield bar.show if bar else None


@contextmanager
def shown_bar(who: str, player: Agent, no_color: bool = False) -> Iterator[Bar | None]:
    """A bar for what the player searches; None where nobody would see it."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if not terminal or not isinstance(player, SearchAgent):
        yield None
        return
    bar = Bar(who, player.limits, no_color)
    try:
        yield bar
    finally:
        bar.stop()


class Bar:
    """How far a search is. A search that answers before its first report never has one."""

    def __init__(self, who: str, limits: Mapping[str, Value], no_color: bool) -> None:
        self.who = who
        self.limits = limits
        self.no_color = no_color
        self.progress: Progress | None = None
        self.task: TaskID

    def show(self, result: Result) -> None:
        """How far a search of this process is."""
        self.draw(result.sims, result.nodes, result.elapsed * 1000)

    def draw(self, sims: int, nodes: int, ms: float) -> None:
        """Draws it anew."""
        done = share_done({"sims": sims, "nodes": nodes, "ms": ms}, self.limits)
        if self.progress is None:
            self.start(None if done is None else 1.0)
        assert self.progress is not None
        self.progress.update(self.task, completed=done or 0, sims=f"{sims:,}", refresh=True)

    def start(self, total: float | None) -> None:
        from rich.console import Console  # slow to import, and seldom needed
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, no_color=self.no_color or None, highlight=False)
        self.progress = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(),
            TextColumn("{task.fields[sims]} simulations"),
            console=console, transient=True, auto_refresh=False,
        )
        self.task = self.progress.add_task(f"{self.who} thinks", total=total, sims="0")
        self.progress.start()

    def stop(self) -> None:
        if self.progress is not None:
            self.progress.stop()


def share_done(used: Mapping[str, float], limits: Mapping[str, Value]) -> float | None:
    """How much of the limit that is nearest has been used; None if no limit tells."""
    shares = [used[name] / float(limits[name]) for name in used if limits.get(name)]
    return min(1.0, max(shares)) if shares else None
