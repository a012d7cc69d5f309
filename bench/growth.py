"""A large search against small ones, on Enigma with 2 players: simulations per second, and bytes per node.

The 10,000 simulations are repeated with 100 seeds, so that both sides run 1,000,000.
"""

from __future__ import annotations

from functools import partial

import sfumato.games

from .measure import Row, middle, paired
from .trees import enigma, grow, grown

SMALL, LARGE = 10_000, 1_000_000
ROUNDS = 5
SEEDS = 20
MUST = 0.82
MUST_BYTES = {LARGE: 40, SMALL: 55}


def speed() -> Row:
    position = enigma()
    large, small = partial(grow, position, LARGE), partial(grow, position, SMALL, LARGE // SMALL)
    rounds = paired(large, small, ROUNDS)
    ratio = middle([few / many for many, few in rounds])
    many, few = (LARGE / middle([pair[side] for pair in rounds]) / 1e6 for side in (0, 1))
    work = f"`enigma` simulations/s at {LARGE:,} simulations against {SMALL:,}, 2 players"
    return Row(work, f"{ratio:.2f} ({many:.2f}M/s, {few:.2f}M/s)", f">= {MUST}", ratio >= MUST)


def memory(sims: int) -> Row:
    trees = (grown(enigma(), sims, seed) for seed in range(max(1, SEEDS * SMALL // sims)))
    sizes = [(tree.memory / tree.nodes, tree.nodes) for tree in trees]
    each = middle([size for size, _ in sizes])
    work = f"`enigma` bytes per node at {sims:,} simulations, 2 players"
    return Row(work, f"{each:.1f} ({middle([nodes for _, nodes in sizes]):,.0f} nodes)",
               f"<= {MUST_BYTES[sims]}", each <= MUST_BYTES[sims])


def others(sims: int) -> Row:
    """The other games, in one line."""
    figures = []
    for name in sfumato.games.NAMES:
        if name != "enigma":
            tree = grown(sfumato.games.load(name).new(seed=1).position, sims)
            figures.append(f"`{name}` {tree.memory / tree.nodes:.1f} ({tree.nodes:,} nodes)")
    return Row(f"other games: bytes per node at {sims:,} simulations", ", ".join(figures))


def rows() -> list[Row]:
    if "enigma" not in sfumato.games.NAMES:
        return []
    return [speed(), memory(LARGE), memory(SMALL), others(LARGE), others(SMALL)]
