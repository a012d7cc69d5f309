"""Every game's core, call by call, so that a change can be compared with what was before it:

    pytest bench --benchmark-only --benchmark-autosave
    pytest bench --benchmark-only --benchmark-compare
"""

from __future__ import annotations

import pytest
import sfumato.games
from sfumato.ext.state import deals, playouts
from sfumato.games import NAMES, State
from sfumato.search import search

COUNT = 20_000       # so many that the processor cannot learn them by heart


@pytest.fixture(params=NAMES)
def state(request: pytest.FixtureRequest) -> State:
    return sfumato.games.load(request.param).new(seed=1)


def test_playouts_by_chance(benchmark, state):
    benchmark(playouts, state.position, 1, COUNT, 1.0)


def test_playouts_by_the_sensible_rule(benchmark, state):
    benchmark(playouts, state.position, 1, COUNT, 0.0)


def test_deals(benchmark, state):
    benchmark(deals, state.position, state.to_move, 1, COUNT)


def test_a_game_of_first_moves_through_apply(benchmark, state):
    def play():
        position = state.position.copy(1)
        while position.to_move >= 0:
            position.apply(position.legal()[0])

    benchmark(play)


def test_an_observation_and_back(benchmark, state):
    seat = state.to_move
    benchmark(lambda: state.game.from_observation(state.observation(seat), seed=1))


def test_a_search(benchmark, state):
    benchmark(lambda: search(state, sims=10_000, seed=1))
