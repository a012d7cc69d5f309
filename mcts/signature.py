"""One number that pins the behaviour of all games and of the search.

On every registered game and player count, games are begun by searches of a fixed number of simulations, with
every variant and chance mode, and played on to the end by the simple player; a large search with every
variant follows. What the searches found of every move, to the last bit, and how the games ended go into one
hash. It does not depend on time, threads, the machine's byte order or Python's hashing: the same number means
the same behaviour.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, NamedTuple

from .ext.rng import mixed
from .games import NAMES, load
from .search import SETTINGS, Searcher, search

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .games import Game, State
    from .parameters import Value
    from .search import Result

#: searches of each game that is played for the signature, and the simulations of each
MOVES = 8
SIMS = 160
#: simulations of the searches whose trees grow large: a change has been met that moved what searches of 5,000
#: simulations find, and none of 2,000
MANY_SIMS = 10_000
#: milliseconds for which the speed of each table is measured
MEASURED = 150.0


BY_NAME = {each.name: each for each in SETTINGS}


class Speed(NamedTuple):
    """How fast the search plays at a table on this machine, with the game's own settings."""

    game: str
    players: int
    sims_per_second: float


def signature() -> int:
    """The number."""
    pinned = hashlib.blake2b(digest_size=4)
    for line in behaviour():
        pinned.update(line.encode() + b"\n")
    return int.from_bytes(pinned.digest(), "big")


def behaviour() -> Iterator[str]:
    """What the signature covers, line by line."""
    for name in NAMES:
        game = load(name)
        for players in game.seats:
            for number, settings in enumerate(all_settings()):
                yield f"{name} {players} {sorted(settings.items())}"
                yield from played(game, players, mixed(players, number), settings)
            for variant in BY_NAME["variant"].choices:
                yield f"{name} {players} {variant} {MANY_SIMS}"
                state = game.new(players, seed=1)
                yield from found(search(state, variant=variant, worlds=5, sims=MANY_SIMS, seed=1))


def all_settings() -> Iterator[dict[str, Value]]:
    """The game's own, every variant with every chance mode, and what these leave out."""
    yield {}
    for variant in BY_NAME["variant"].choices:
        for chance in BY_NAME["chance"].choices:
            yield {"variant": variant, "chance": chance, "worlds": 5}
    yield {"plain": True, "trees": 2}
    yield {"cut": 3, "noise": 0.25, "rank": 0.25, "score": 0.25, "c": 0.5}


def played(game: Game, players: int, seed: int, settings: Mapping[str, Value]) -> Iterator[str]:
    """A game: some moves by searches that keep their trees, then the simple player's to the end."""
    state = game.new(players, seed)
    searchers = [Searcher(**settings) for _ in range(players)]
    for move in range(MOVES):
        if state.to_move is None:
            break
        result = searchers[state.to_move].search(state, seed=mixed(seed, move), sims=SIMS)
        yield from found(result)
        step = state.apply(result.best)
        for searcher in searchers:
            searcher.advance(step, state)
    yield from ended(state)


def found(result: Result) -> Iterator[str]:
    """What a search found, every figure in full."""
    for move in result.moves:
        yield f"{move.action} {move.visits} {move.availability} {move.win_share!r} {move.score!r}"
    line = [f"{ply.seat} {ply.words}" for ply in result.variation]
    yield f"{result.seat} {result.shares!r} {result.scores!r} {line} {result.nodes} {result.stop}"


def ended(state: State) -> Iterator[str]:
    """The simple player's moves, and the outcome."""
    moves = []
    while not state.is_terminal:
        moves.append(state.greedy)
        state.apply(moves[-1])
    yield f"{moves} {state.outcome!r}"


def speeds() -> Iterator[Speed]:
    """The speed at every table, from the first move on."""
    for name in NAMES:
        game = load(name)
        for players in game.seats:
            state = game.new(players, seed=1)
            search(state, seed=1, sims=100)  # so that what happens once is not measured
            start = time.perf_counter()
            result = search(state, seed=1, ms=MEASURED)
            yield Speed(name, players, result.sims / (time.perf_counter() - start))
