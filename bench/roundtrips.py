"""The engine's answers to small requests against those of a bare echo: how soon, and how many in a second.

By the clock on the wall, all on one core (on several it depends on who happens to run where), with the same
requests in turn: `ping`, and `best_move` with 1 simulation of Enigma, by a held game and by an observation.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any

import sfumato.games

from .child import ECHO, Child, request
from .measure import Row, in_turn, middle, seconds, spread

#: round trips of each request
TRIPS = 1_000
#: requests of a round, by how many are in flight
COUNTS = {1: 500, 64: 1_000}
ROUNDS = 9

#: a request's method and parameters, by what it is called in the table
Asked = dict[str, tuple[str, dict[str, Any]]]


def asked(engine: Child) -> Asked:
    made: Asked = {"`ping`": ("ping", {})}
    if "enigma" in sfumato.games.NAMES:
        game = engine.ask("new_game", game="enigma", players=2, seed=1)["game"]
        seen = engine.ask("observe", game=game, seat=0)["observation"]
        for way, known in (("a held game", {"game": game}), ("an observation", {"observation": seen})):
            work = f"`best_move` by {way}, 1 simulation of `enigma`"
            made[work] = "best_move", {**known, "limits": {"sims": 1}}
    return made


def took(child: Child, requests: list[bytes], flight: int) -> float:
    return seconds(partial(child.all_results, requests, flight), perf_counter)


def trips(engine: Child, echo: Child, name: str, data: bytes) -> Row:
    times = in_turn(partial(took, engine, [data], 1), partial(took, echo, [data], 1), TRIPS)
    ours, bare = (spread([pair[side] for pair in times], 3) for side in (0, 1))
    return Row(f"{name}: there and back", f"{ours}; bare echo {bare} ({TRIPS:,} times)")


def rate(engine: Child, echo: Child, name: str, requests: list[bytes], flight: int) -> Row:
    times = in_turn(partial(took, engine, requests, flight), partial(took, echo, requests, flight), ROUNDS)
    share = middle([bare / ours for ours, bare in times])
    ours, bare = (len(requests) / middle([pair[side] for pair in times]) for side in (0, 1))
    return Row(f"{name}: requests/s with {flight} in flight, against a bare echo",
               f"{share:.3f} ({ours:,.0f}/s, echo {bare:,.0f}/s)")


def rows() -> list[Row]:
    made = []
    with Child() as engine, Child(ECHO) as echo:
        for name, (method, params) in asked(engine).items():
            made.append(trips(engine, echo, name, request(1, method, **params)))
            for flight, count in COUNTS.items():
                requests = [request(number, method, **params) for number in range(count)]
                made.append(rate(engine, echo, name, requests, flight))
    return made
