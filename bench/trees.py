"""Trees and positions that several parts grow: the plain search (`so`, chance open, noise 1, to the end)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sfumato.games
from sfumato.ext.tree import Tree

if TYPE_CHECKING:
    from sfumato.ext.state import Position

EXPLORATION = 0.7


def enigma(players: int = 2) -> Position:
    return sfumato.games.load("enigma").new(players=players, seed=1).position


def grown(position: Position, sims: int, seed: int = 1, variant: str = "so", c: float = EXPLORATION,
          score: float = 0.0) -> Tree:
    """A new tree after so many simulations; `score` is the weight of points in the payoff, the win has the
    rest."""
    tree = Tree(position, variant, seed, c=c, score=score)
    tree.run(sims)
    return tree


def grow(position: Position, sims: int, times: int = 1, variant: str = "so", c: float = EXPLORATION,
         score: float = 0.0) -> None:
    """So many trees, one after the other, each with a seed of its own."""
    for seed in range(times):
        grown(position, sims, seed, variant, c, score)
