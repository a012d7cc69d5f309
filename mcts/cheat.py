"""The ceiling: a search that is handed the true table. Only the arena has it, to measure what not knowing
costs.

It knows every card that lies somewhere: all hands, and which cards a pack holds. It does not know what chance
will bring: packs without an order are drawn from, and dice are thrown, by chance of the search's own. Its
tree is one whose owner sees all, and in it the opponents see all too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agents import SearchAgent
from .search import Searcher

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .games import State
    from .parameters import Value


class OpenSearcher(Searcher):
    """Searches the very position that it is handed."""

    def _plant(self, state: State, settings: Mapping[str, Value], seed: int, timed: bool) -> None:
        self._trees = self._planted(state.position, "perfect", settings, seed, timed, truth=True)


class CheatAgent(SearchAgent):
    """Plays what a search of the true table finds best: `choose` and `think` want the table itself."""

    def __init__(self, **given: Value) -> None:
        super().__init__("so", **given)
        self.searcher = OpenSearcher(**self.settings)
