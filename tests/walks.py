"""Tables to test and positions met in play: what the suites over all registered games share.

No game is named here: names, player counts and options come from the registry, so that a new game is
tested by registering.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import pytest
from sfumato.games import NAMES, Game, State, game_class, load
from sfumato.games.option import Option, Value, spoken

#: no game may take longer: one that does has lost its end
MOST_DECISIONS = 20_000
#: shares of random moves, game by game: the rest is greedy
NOISES = (1.0, 0.3, 0.0, 1.0, 0.6, 0.1)


@dataclass(frozen=True)
class Setup:
    """A game with options and a player count."""

    name: str
    players: int
    options: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        options = [f"{key}={spoken(value)}" for key, value in self.options]
        return "-".join([self.name, f"{self.players}p", *options])

    @property
    def game(self) -> Game:
        return loaded(self.name, self.options)

    def new(self, seed: int) -> State:
        return self.game.new(self.players, seed)

    @property
    def seats(self) -> range:
        return range(self.players)


@cache
def loaded(name: str, options: tuple[tuple[str, Value], ...]) -> Game:
    return load(name, **dict(options))


def values(option: Option) -> list[Value]:
    """The values that a test must try; the default is tried by every table without options."""
    return list(option.choices) or sorted({option.low, option.high})


def with_options(name: str) -> Iterator[Setup]:
    """Every value of every option once, at player counts that take turns."""
    game = game_class(name)
    for option in game.options:
        for number, value in enumerate(values(option)):
            yield Setup(name, game.seats[number % len(game.seats)], ((option.name, value),))


#: every game at every player count
TABLES = [Setup(name, players) for name in NAMES for players in game_class(name).seats]
#: the same, and every value of every option
ALL_TABLES = TABLES + [setup for name in NAMES for setup in with_options(name)]
#: every game once, at its largest player count
GAMES = [Setup(name, game_class(name).seats[-1]) for name in NAMES]


def over(setups: Sequence[Setup]) -> Callable[..., pytest.MarkDecorator]:
    """Runs a test for each of the tables."""
    return pytest.mark.parametrize("setup", setups, ids=str)


def choose(state: State, noise: float, luck: random.Random) -> int:
    """A move of a player who moves at random now and then and greedily else."""
    return luck.choice(state.legal_actions) if luck.random() < noise else state.greedy


def walk(setup: Setup, number: int) -> Iterator[State]:
    """All positions of one whole game, the end included; each is a copy of its own."""
    luck = random.Random(f"{setup} {number}")
    noise = NOISES[number % len(NOISES)]
    state = setup.new(number)
    for _ in range(MOST_DECISIONS):
        yield state.clone(number)
        if state.is_terminal:
            return
        state.apply(choose(state, noise, luck))
    pytest.fail(f"{setup}: game {number} did not end within {MOST_DECISIONS} decisions")


def positions(setup: Setup, count: int | None = None) -> tuple[State, ...]:
    """At least so many positions to decide (by default 200, and 40 where an option is tried), out of at least
    8 games, spread evenly over each of them from set-up to end; the ends come on top."""
    return met_in_play(setup, count or (40 if setup.options else 200))


@cache
def met_in_play(setup: Setup, count: int) -> tuple[State, ...]:
    met: list[State] = []
    number = 0
    while sum(not state.is_terminal for state in met) < count or number < 8:
        met += spread(list(walk(setup, number)), 2 + count // 8)
        number += 1
    return tuple(met)


def spread(states: Sequence[State], count: int) -> list[State]:
    """At most so many of them, evenly, the first and the last included."""
    if len(states) <= count:
        return list(states)
    return [states[round(k * (len(states) - 1) / (count - 1))] for k in range(count)]


def running(setup: Setup, count: int | None = None) -> list[State]:
    """So many positions in which somebody has to decide; by default as many as the laws ask for."""
    count = count or (40 if setup.options else 200)
    return spread([state for state in positions(setup) if not state.is_terminal], count)


def play_to_end(state: State, luck: random.Random) -> State:
    """Plays at random on this very state, its invariants asserted at every step."""
    for _ in range(MOST_DECISIONS):
        assert state.position.check() == 0
        if state.is_terminal:
            return state
        legal = state.legal_actions
        assert legal
        state.apply(luck.choice(legal))
    pytest.fail(f"no end within {MOST_DECISIONS} decisions")


def choices(state: State, seed: int, noise: float) -> tuple[int, ...]:
    """The actions that one ply of a playout may have been.

    A playout decides with a stream of its own, so that a step with the same seed finds every source of
    chance where the playout found it, and brings the same position. A playout may still keep a deck in
    another order than the state does; then one of the seats, that did not see the draw, sees the same.
    """
    after, _ = state.position.playout(seed, noise, 1)
    steps = {action: state.position.copy(seed) for action in state.legal_actions}
    for action, step in steps.items():
        step.apply(action)
    same = tuple(action for action, step in steps.items() if step == after)
    return same or tuple(
        action
        for action, step in steps.items()
        if any(step.hide(seat) == after.hide(seat) for seat in range(state.players))
    )


def chi_square_fits(counts: Sequence[int], expected: Sequence[float]) -> bool:
    """Whether counts agree with expectations, but for one sample in about 30,000 (Wilson and Hilferty 1931).

    The samples of these tests are seeded, so a test that passes once passes always.
    """
    degrees = len(counts) - 1
    statistic = sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True))
    spread_of_cube = 2 / (9 * degrees)
    limit: float = degrees * (1 - spread_of_cube + 4 * spread_of_cube**0.5) ** 3
    return statistic <= limit
