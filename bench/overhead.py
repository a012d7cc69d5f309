"""What the engine adds to a search: `best_move` of a held game against `Searcher.search`, both on one core
with the same 10,000 simulations.

Through the engine the processor's time is that of the client and the engine together. The direct call is
timed in a process of its own, from inside. Where a process's memory happens to lie moves a search by some per
cent, so both are started anew again and again. What an engine does before and after its search, by its own
clock, does not suffer from that.
"""

from __future__ import annotations

import sys
from functools import partial
from time import clock_gettime, perf_counter, process_time
from typing import Any, NamedTuple

import sfumato.games
from sfumato.search import Searcher

from .child import Child, request
from .echo import answer_all
from .measure import Row, in_turn, middle

#: per game with 2 players, the most that the engine may add
MUST = {"enigma": 0.02, "leduc_poker": None}
SIMULATIONS = 10_000
#: pairs of an engine and a direct caller, and rounds of each
PAIRS, ROUNDS = 15, 10
TABLE = {"players": 2, "seed": 1}
SEED = 1


class Cost(NamedTuple):
    """Seconds of a search."""

    cpu: float
    wall: float
    #: of the best move, to see that it was the same search
    visits: int
    #: on the wall, without the search itself
    around: float = 0.0


def used(child: Child) -> float:
    """Seconds of the processor that this process and the child have used."""
    # The number of another process's clock, as clock_getcpuclockid makes it on Linux.
    return process_time() + clock_gettime(~child.pid << 3 | 2)


def through(engine: Child, asking: bytes) -> Cost:
    cpu, wall = used(engine), perf_counter()
    found = engine.trip(asking)
    wall, cpu = perf_counter() - wall, used(engine) - cpu
    return Cost(cpu, wall, found["moves"][0]["visits"], wall - found["elapsed_ms"] / 1e3)


def direct(caller: Child) -> Cost:
    return Cost(*caller.ask("search"))


def called(state: sfumato.games.State, _: Any) -> Cost:
    """What a direct call costs, in the process that makes it."""
    cpu, wall = process_time(), perf_counter()
    found = Searcher().search(state, sims=SIMULATIONS, seed=SEED)
    return Cost(process_time() - cpu, perf_counter() - wall, found.best.visits)


def one_pair(name: str) -> list[tuple[Cost, Cost]]:
    with Child() as engine, Child((sys.executable, "-m", "bench.overhead", name)) as caller:
        game = engine.ask("new_game", game=name, **TABLE)["game"]
        asking = request(1, "best_move", game=game, limits={"sims": SIMULATIONS}, seed=SEED)
        costs = in_turn(partial(through, engine, asking), partial(direct, caller), ROUNDS)
    if any(ours.visits != bare.visits for ours, bare in costs):
        raise RuntimeError(f"{name}: these are two different searches")
    return costs


def row(work: str, times: list[tuple[float, float]], must: float | None = None, note: str = "") -> Row:
    ours, bare = (middle([pair[side] for pair in times]) for side in (0, 1))
    added = ours / bare - 1
    figure = f"{added:+.1%} ({ours * 1e3:.2f} ms, direct {bare * 1e3:.2f} ms{note})"
    return Row(work, figure) if must is None else Row(work, figure, f"<= {must:.0%}", added <= must)


def both(name: str, must: float | None) -> list[Row]:
    costs = [pair for _ in range(PAIRS) for pair in one_pair(name)]
    work = f"`{name}` `best_move` with {SIMULATIONS:,} simulations against the direct call"
    around = f"; before and after the search {middle([ours.around for ours, _ in costs]) * 1e3:.2f} ms"
    return [row(f"{work}, processor time", [(ours.cpu, bare.cpu) for ours, bare in costs], must),
            row(f"{work}, by the wall clock", [(ours.wall, bare.wall) for ours, bare in costs], note=around)]


def rows() -> list[Row]:
    return [each for name, must in MUST.items() if name in sfumato.games.NAMES for each in both(name, must)]


if __name__ == "__main__":
    answer_all(partial(called, sfumato.games.load(sys.argv[1]).new(TABLE["players"], TABLE["seed"])))
