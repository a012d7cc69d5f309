"""One `deal` of a hidden Enigma position against one noise-1 playout from it.

Positions are met in random games of 2, 3 and 4 players, one in every tenth of each game, hidden for the
seat to move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sfumato.games
from sfumato.ext.rng import Source
from sfumato.ext.state import deals, playouts

from .measure import Row, middle, paired

if TYPE_CHECKING:
    from sfumato.ext.state import Position

GAMES = 10
COUNT = 200
ROUNDS = 15
MUST = 0.5


def positions(players: int) -> list[Position]:
    """Hidden positions through whole games."""
    found = []
    for seed in range(GAMES):
        state = sfumato.games.load("enigma").new(players=players, seed=seed)
        choices, met = Source(seed), []
        while not state.is_terminal:
            met.append(state.position.hide(state.position.to_move))
            legal = state.legal_actions
            state.apply(legal[choices.below(0, len(legal))])
        found += [met[len(met) * tenth // 10] for tenth in range(10)]
    return found


def row(players: int) -> Row:
    met = positions(players)

    def deal_all() -> None:
        for position in met:
            deals(position, position.to_move, 1, COUNT)

    def play_all() -> None:
        for position in met:
            playouts(position, 1, COUNT)

    rounds = paired(deal_all, play_all, ROUNDS)
    ratio = middle([deal / play for deal, play in rounds])
    each = middle([deal for deal, _ in rounds]) / (COUNT * len(met)) * 1e9
    work = f"`enigma` one deal against one noise-1 playout, {players} players"
    return Row(work, f"{ratio:.2f} ({each:.0f} ns a deal, {len(met)} positions)", f"<= {MUST}", ratio <= MUST)


def rows() -> list[Row]:
    return [row(players) for players in (2, 3, 4)] if "enigma" in sfumato.games.NAMES else []
