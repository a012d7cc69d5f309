"""A match that ends as soon as a sequential test has decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .elo import sprt
from .standings import scores_of
from .tournament import Goal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .elo import Bounds
    from .plan import Settings
    from .records import Record

#: the test is looked at again after one more deal in so many
SELDOM = 50


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
