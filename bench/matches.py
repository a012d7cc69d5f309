"""One agent against another: the matches by which the search's settings were chosen.

    python -m bench.matches GAME A B [--players N] [--blocks N] [--first N]

A block is one deal, played once for every seat that A can have; the agents' seeds depend on the deal, the
seat and the move. A's score is the mean over the other seats of 1, 1/2 or 0 by rank. Intervals are those of
95 percent, over blocks.
"""

from __future__ import annotations

import argparse
import math
import os
from functools import partial
from multiprocessing import Pool
from statistics import mean, stdev
from typing import NamedTuple

from sfumato import Outcome, load
from sfumato.agents import agent, decide


class Block(NamedTuple):
    """What A made of one deal, over its seats."""

    score: float
    win_share: float
    margin: float


def game(name: str, players: int, number: int, specs: list[str]) -> Outcome:
    """The outcome of one game between agents."""
    state = load(name).new(players, number)
    agents = {spec: agent(spec) for spec in specs}
    move = 0
    while (seat := state.to_move) is not None:
        state.apply(decide(agents[specs[seat]], state, seat, number, move))
        move += 1
    return state.outcome


def block(name: str, players: int, first: str, second: str, number: int) -> Block:
    """One deal, A at every seat in turn."""
    scores, shares, margins = [], [], []
    for seat in range(players):
        specs = [first if other == seat else second for other in range(players)]
        points, ranks, wins = game(name, players, number, specs)
        others = [other for other in range(players) if other != seat]
        scores.append(mean(0.5 + 0.5 * ((ranks[other] > ranks[seat]) - (ranks[other] < ranks[seat]))
                           for other in others))
        shares.append(wins[seat])
        margins.append(points[seat] - mean(points[other] for other in others))
    return Block(mean(scores), mean(shares), mean(margins))


def told(values: list[float]) -> str:
    half = 1.96 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return f"{mean(values):.3f} ± {half:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("game")
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--first", type=int, default=1, help="the seed of the first deal")
    given = parser.parse_args()
    for spec in (given.a, given.b):
        agent(spec)
    play = partial(block, given.game, given.players, given.a, given.b)
    with Pool(os.cpu_count()) as pool:
        blocks = pool.map(play, range(given.first, given.first + given.blocks), chunksize=1)
    print(f"{given.a} against {given.b}: {given.game}, {given.players} players, {given.blocks} blocks")
    print(f"  score {told([each.score for each in blocks])}")
    print(f"  win share {told([each.win_share for each in blocks])}")
    print(f"  points ahead {told([each.margin for each in blocks])}")


if __name__ == "__main__":
    main()
