"""A match that ends as soon as a sequential test has decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .elo import Bounds, sprt
from .standings import scores_of
from .tournament import Goal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .plan import Settings
    from .records import Record

#: the test is looked at again after one more deal in so many
SELDOM = 50


#: beyond so many Elo every score is 0 or 1
MOST_ELO = 2000
#: of alpha and of beta, where nothing is said
USUAL = 0.05


def read_bounds(elo0: float, elo1: float, alpha: float | None, beta: float | None) -> Bounds:
    """The bounds of a test that can be computed. Raises ValueError."""
    if not all(abs(elo) <= MOST_ELO for elo in (elo0, elo1)):  # which is false for nan, too
        raise ValueError(f"expected numbers from -{MOST_ELO} to {MOST_ELO}, got {elo0:g} {elo1:g}")
    return Bounds(elo0, elo1, USUAL if alpha is None else alpha, USUAL if beta is None else beta)


class Sequential(Goal):
    """A sequential test of a match, as records come. It judges the deals in the order of their numbers, in
    whatever order the games end: what it decides does not depend on the workers."""

    def __init__(self, settings: Settings, bounds: Bounds) -> None:
        self.games = len(settings.round)
        self.bounds = bounds
        self._open: dict[int, list[Record]] = {}
        self._scores: list[float] = []
        self._due = 1

    def add(self, record: Record) -> None:
        self._open.setdefault(record.block, []).append(record)
        while len(self._open.get(len(self._scores), ())) == self.games:
            deal = self._open.pop(len(self._scores))
            self._scores += scores_of([sorted(deal, key=lambda record: record.number)])
        if len(self._scores) >= self._due:
            self.sprt = sprt(self._scores, self.bounds)
            self._due = len(self._scores) + 1 + len(self._scores) // SELDOM

    @property
    def decided(self) -> bool:
        return self.sprt is not None and self.sprt.decision is not None

    def counted(self, records: Sequence[Record]) -> Sequence[Record]:
        if self.sprt is None or self.sprt.decision is None:
            return records
        return [record for record in records if record.block < self.sprt.blocks]
