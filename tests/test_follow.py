"""Following a table from a seat's place: whatever can happen is followed, whatever cannot is refused for the
right reason."""

from __future__ import annotations

import random
from typing import Any

import pytest
from refusals import refused
from sfumato.games import Game, State, load
from walks import TABLES, Setup, over, running

#: worlds out of which possible moves are gathered, per position and seat
WORLDS = 40


def moves(state: State, seat: int) -> dict[str, tuple[str, list[str]]]:
    """Every move that one of many worlds allows, once for each label: the label and what the seat sees."""
    luck = random.Random(seat)
    found: dict[str, tuple[str, list[str]]] = {}
    for seed in range(WORLDS):
        world = state.dealt(seat, seed)
        for action in luck.sample(world.legal_actions, min(3, len(world.legal_actions))):
            step = world.clone(seed).apply(action)
            found.setdefault(step.label(seat), (step.label(seat), step.words(seat)))
    return found


@over(TABLES)
def test_every_move_that_some_world_allows_can_be_followed(setup: Setup) -> None:
    for state in running(setup, 8):
        for seat in setup.seats:
            seen = state.observation(seat)
            for label, words in moves(state, seat).values():
                after = setup.game.follow(seen, label, words)
                assert setup.game.from_observation(after, seed=1).observation(seat) == after


@over(TABLES)
def test_a_possible_move_with_a_wrong_report_is_no_bad_action(setup: Setup) -> None:
    if not setup.game.speech.words:
        return
    wrong = [setup.game.speech.words[0].say(0, [])] * 60  # more than any step shows
    for state in running(setup, 4):
        for seat in setup.seats:
            for label, _ in list(moves(state, seat).values())[:8]:
                with refused(code="bad_event", path="seen"):
                    setup.game.follow(state.observation(seat), label, wrong)


@over(TABLES)
def test_a_move_that_no_world_allows_is_a_bad_action(setup: Setup) -> None:
    actions = range(setup.game.table(setup.players).actions)
    for state in running(setup, 4):
        mover = state.position.to_move
        impossible = [action for action in actions if action not in state.legal_actions]
        for action in impossible[:3]:
            with refused("cannot be played here", code="bad_action", path="action"):
                setup.game.follow(state.observation(mover), action)


class Counted:
    """A hidden position that counts the worlds dealt to follow a step."""

    def __init__(self, hidden: Any) -> None:
        self.hidden = hidden
        self.dealt: list[int] = []

    def follow(self, seat: int, label: int, script: Any, tries: int, seed: int) -> Any:
        found = self.hidden.follow(seat, label, script, tries, seed)
        if script == []:
            self.dealt.append(tries if found is None else found[2])
        return found


def counted(game: Game, monkeypatch: pytest.MonkeyPatch) -> list[Counted]:
    """The positions from which the game follows from now on."""
    met: list[Counted] = []

    def restored(seen: Any) -> Any:
        looked, hidden = type(game)._restored(game, seen)
        met.append(Counted(hidden))
        return looked, met[-1]

    monkeypatch.setattr(game, "_restored", restored)
    return met


def test_a_report_is_refused_after_all_tries_and_not_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    """A play in Enigma always tells the shuffle of the card; a report without it obeys, and never fits."""
    game = load("enigma")
    state = game.new(2, seed=1)
    met = counted(game, monkeypatch)
    with refused("expected the words ['from', 'draw'], got []", code="bad_event", path="seen"):
        game.follow(state.observation(0), state.legal_actions[0], [])
    assert sum(met[0].dealt) == game.follow_tries
