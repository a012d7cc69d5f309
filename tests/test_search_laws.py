"""No peeking (law 2): a search finds the same in every world that its seat cannot tell from the true one.

For every variant, way with chance, game and player count; also asked through an observation.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sfumato import SfumatoError, State
from sfumato.search import Result, Searcher, search
from walks import TABLES, Setup, over, running

VARIANTS = ("so", "mo", "ris", "pimc", "flat")
SIMS = 60


def found(state: State, number: int, variant: str, chance: str) -> Result:
    return search(state, sims=SIMS, seed=number, variant=variant, chance=chance, worlds=3)


def same_in_all_worlds(setup: Setup, variant: str, chance: str, count: int) -> None:
    for number, state in enumerate(running(setup, count)):
        seat = state.position.to_move
        result = found(state, number, variant, chance)
        worlds = [state.hidden(seat), state.dealt(seat, 1), state.dealt(seat, 2),
                  setup.game.from_observation(state.observation(seat), seed=3)]
        for world in worlds:
            # equal to the last bit but for the time it took
            assert found(world, number, variant, chance) == result


@over(TABLES)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("chance", ["open", "split"])
def test_a_search_does_not_peek(setup: Setup, variant: str, chance: str) -> None:
    same_in_all_worlds(setup, variant, chance, 20)


@pytest.mark.slow
@over(TABLES)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("chance", ["open", "split"])
def test_a_search_does_not_peek_on_many_positions(setup: Setup, variant: str, chance: str) -> None:
    same_in_all_worlds(setup, variant, chance, 200)


@over(TABLES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_nor_does_a_tree_that_is_kept(setup: Setup, variant: str) -> None:
    """Two tables that look the same to a seat, and stay so after a step, lead its tree to the same place."""
    for number, state in enumerate(running(setup, 10)):
        seat = state.position.to_move
        searchers = [Searcher(variant=variant, chance="split", worlds=2) for _ in range(2)]
        action = searchers[0].search(state, sims=200, seed=number).best.action
        first = state.clone(number)
        step = first.apply(action)
        for second in twins(state, seat, action, step.words(seat)):
            searchers[1].search(second, sims=200, seed=number)
            assert searchers[0].search(state, sims=200, seed=number).best.action == action
            after = second.clone(number)
            other = after.apply(action, seen=step.words(seat))
            assert searchers[0].advance(step, first) == searchers[1].advance(other, after)
            if first.to_move == seat:
                again = [searcher.search(table, sims=50, seed=1)
                         for searcher, table in zip(searchers, (first, after), strict=True)]
                assert again[0] == again[1]


def twins(state: State, seat: int, action: int, words: list[str]) -> Iterator[State]:
    """Some tables that look the same to the seat, now and after the step that showed it these words."""
    for seed in range(30):
        twin = state.dealt(seat, seed)
        try:
            twin.clone(1).apply(action, seen=words)
        except SfumatoError:
            continue  # the card drawn lies elsewhere
        yield twin
        if seed > 3:
            return
