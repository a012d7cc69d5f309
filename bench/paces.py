"""Every game at its smallest and its largest table, from the first decision: simulations of the game's own
search, and noise-1 playouts with their length.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import sfumato.games
from sfumato.ext.state import playouts
from sfumato.search import search

from .measure import Row, middle, seconds

if TYPE_CHECKING:
    from sfumato.games import State

PLAYOUTS = 2_000
SIMULATIONS = 10_000
ROUNDS = 7


def row(state: State) -> Row:
    played = middle([seconds(partial(playouts, state.position, 1, PLAYOUTS)) for _ in range(ROUNDS)])
    length = playouts(state.position, 1, PLAYOUTS) / PLAYOUTS
    found = middle([seconds(partial(search, state, sims=SIMULATIONS, seed=1)) for _ in range(ROUNDS)])
    each = played / PLAYOUTS / length * 1e9
    who = f"`{state.game.name}`, {state.players} players"
    chance = f"{PLAYOUTS / played:,.0f}/s ({length:.0f} decisions, {each:.0f} ns each)"
    return Row(f"{who}: simulations/s of its own search; playouts/s by chance",
               f"{SIMULATIONS / found:,.0f}/s; {chance}")


def rows() -> list[Row]:
    games = [sfumato.games.load(name) for name in sfumato.games.NAMES]
    return [row(game.new(players, seed=1)) for game in games
            for players in sorted({game.seats[0], game.seats[-1]})]
