"""One `deal` of a hidden position against one noise-1 playout from it.

Positions are met in random games, one in every tenth of each game, hidden for the seat to move.
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
MUST = {"enigma": 0.5}


def positions(name: str, players: int) -> list[Position]:
    """Hidden positions through whole games."""
    found = []
    for seed in range(GAMES):
        state = sfumato.games.load(name).new(players=players, seed=seed)
        choices, met = Source(seed), []
        while not state.is_terminal:
            met.append(state.position.hide(state.position.to_move))
            legal = state.legal_actions
            state.apply(legal[choices.below(0, len(legal))])
        found += [met[len(met) * tenth // 10] for tenth in range(10)]
    return found


def row(name: str, players: int) -> Row:
    met = positions(name, players)

    def deal_all() -> None:
        for position in met:
            deals(position, position.to_move, 1, COUNT)

    def play_all() -> None:
        for position in met:
            playouts(position, 1, COUNT)

    rounds = paired(deal_all, play_all, ROUNDS)
    ratio = middle([deal / play for deal, play in rounds])
    each = middle([deal for deal, _ in rounds]) / (COUNT * len(met)) * 1e9
    work = f"`{name}` one deal against one noise-1 playout, {players} players"
    figure = f"{ratio:.3f} ({each:.0f} ns a deal, {len(met)} positions)"
    return Row(work, figure, f"<= {MUST[name]}", ratio <= MUST[name]) if name in MUST else Row(work, figure)


def rows() -> list[Row]:
    games = [sfumato.games.load(name) for name in sfumato.games.NAMES]
    return [row(game.name, players) for game in games if game.hidden for players in game.seats]
