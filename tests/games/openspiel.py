"""Our game and OpenSpiel's, played side by side."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pyspiel

if TYPE_CHECKING:
    from sfumato.games.game import Game

#: What an outcome of chance is called in our words: the OpenSpiel state before it, and the outcome.
WordOf = Callable[[pyspiel.State, int], str]


def no_chance(theirs: pyspiel.State, outcome: int) -> str:
    raise AssertionError(f"nothing is drawn in {theirs.get_game()}, but {outcome} was")


def assert_same_games(game: Game, games: int, word_of: WordOf = no_chance) -> None:
    """Along random games: the same player to move, the same legal actions, the same returns. OpenSpiel's
    chance is drawn at random and scripted in ours.
    """
    source = pyspiel.load_game(game.name)
    for seed in range(games):
        play_both(game, source.new_initial_state(), word_of, random.Random(seed))


def play_both(game: Game, theirs: pyspiel.State, word_of: WordOf, choice: random.Random) -> None:
    ours = game.new(players=theirs.num_players(), seed=0, seen=resolved(theirs, word_of, choice))
    while not theirs.is_terminal():
        assert ours.to_move == theirs.current_player(), theirs
        assert ours.legal_actions == theirs.legal_actions(), theirs
        action = choice.choice(theirs.legal_actions())
        theirs.apply_action(action)
        ours.apply(action, resolved(theirs, word_of, choice))
    assert ours.is_terminal, theirs
    assert ours.outcome.scores == theirs.returns(), theirs


def resolved(theirs: pyspiel.State, word_of: WordOf, choice: random.Random) -> list[str]:
    """Draws OpenSpiel's chance up to the next decision, and says it in our words."""
    words = []
    while theirs.is_chance_node():
        outcomes, weights = zip(*theirs.chance_outcomes(), strict=True)
        outcome = choice.choices(outcomes, weights)[0]
        words.append(word_of(theirs, outcome))
        theirs.apply_action(outcome)
    return words
