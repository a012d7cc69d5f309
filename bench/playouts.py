"""Random playouts per second against OpenSpiel's random rollout evaluator.

OpenSpiel's side is one move of its compiled MCTSBot (Connect Four) or ISMCTSBot (Leduc poker): 10
simulations with 2,000 rollouts each, so that its tree costs next to nothing. Its rollouts start a move or
two below the first decision of the game, ours at that decision: the difference is in its favour.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import sfumato.games
from sfumato.ext.state import playouts

from .measure import Row, middle, paired

SIMULATIONS = 10
ROLLOUTS = 2_000
EXPLORATION = 2.0
ROUNDS = 15
MUST = {"connect_four": 50, "leduc_poker": 6}


def theirs(name: str) -> tuple[Any, Any]:
    """OpenSpiel's bot and the first decision of the game."""
    import pyspiel

    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=ROLLOUTS, seed=1)
    if name == "leduc_poker":
        return pyspiel.ISMCTSBot(1, evaluator, EXPLORATION, SIMULATIONS), state
    return pyspiel.MCTSBot(game, evaluator, EXPLORATION, SIMULATIONS, 100, False, 1, False), state


def row(name: str, must: int) -> Row:
    work = f"`{name}` random playouts/s against OpenSpiel"
    try:
        bot, state = theirs(name)
    except ImportError:
        return Row(work, "not measured: the extra `bench` (open_spiel) is missing", f">= {must} x", False)
    position = sfumato.games.load(name).new(seed=1).position
    # Long enough to time, and about as long as OpenSpiel's move.
    count, rollouts = 20_000 * must, SIMULATIONS * ROLLOUTS
    rounds = paired(partial(playouts, position, 1, count), partial(bot.step, state), ROUNDS)
    ratio = middle([(count / mine) / (rollouts / other) for mine, other in rounds])
    ours = count / middle([mine for mine, _ in rounds])
    other = rollouts / middle([other for _, other in rounds])
    figure = f"{ratio:.1f} x ({ours / 1e6:.2f}M/s, OpenSpiel {other / 1e6:.2f}M/s)"
    return Row(work, figure, f">= {must} x", ratio >= must)


def rows() -> list[Row]:
    return [row(name, must) for name, must in MUST.items() if name in sfumato.games.NAMES]
