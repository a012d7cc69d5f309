"""Agents by name: `random`, `greedy:noise=0.1`, `ismcts:sims=1000,variant=mo`. The same short strings serve
everywhere.

An agent is handed what its seat knows (`State.hidden`) and a seed, never the true state, and answers with the
id of an action. Each kind of agent declares its parameters, from which parsing, errors and help texts come.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from .games.errors import SfumatoError, unknown
from .parameters import Parameter
from .search import DEFAULT_SIMS, LIMITS, MEANS, SETTINGS, Searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random

    from .games import State
    from .parameters import Value
    from .search import Report, Result


class Agent(Protocol):
    """A player."""

    def choose(self, hidden: State, seed: int, report: Report | None = None) -> int:
        """The id of the action to play, from the mover's canonical world. The same seed: the same answer, as
        long as its limits do not depend on time. `report` is told now and then what a search has so far."""


@dataclass(frozen=True)
class Kind:
    """A kind of agent: its name in specs, and how one is made from the parameters that a spec names."""

    name: str
    help: str
    make: Callable[..., Agent]
    parameters: tuple[Parameter, ...] = ()

    def default(self, parameter: Parameter) -> Value | None:
        """What holds where a spec does not name the parameter; None: a limit that is not there."""
        limits = {each.name for each in LIMITS} - {"sims"}
        return None if parameter.name in limits else parameter.default

    def to_map(self) -> dict[str, Any]:
        """The kind as plain data."""
        return {
            "name": self.name, "help": self.help,
            "parameters": [{"name": each.name, "help": each.help, "default": self.default(each),
                            **each.allowed} for each in self.parameters],
        }


class RandomAgent:
    """Plays any legal move, each equally likely."""

    def choose(self, hidden: State, seed: int, report: Report | None = None) -> int:  # noqa: ARG002
        return one_of(hidden.legal_actions, chance_from(seed))


@dataclass(frozen=True)
class GreedyAgent:
    """Plays the move of the game's simple sensible player; a share `noise` of its moves is random."""

    noise: float = 0.0

    def choose(self, hidden: State, seed: int, report: Report | None = None) -> int:  # noqa: ARG002
        chance = chance_from(seed)
        return one_of(hidden.legal_actions, chance) if chance.random() < self.noise else hidden.greedy


class SearchAgent:
    """Plays what a search finds best. A new search for every move: an agent has no memory of its own."""

    def __init__(self, variant: str | None = None, **given: Value) -> None:
        limits = [each.name for each in LIMITS]
        self.limits = {name: given.pop(name) for name in limits if name in given} or {"sims": DEFAULT_SIMS}
        self.settings = {"variant": variant, **given}
        self.searcher = Searcher(**self.settings)

    def think(self, hidden: State, seed: int, report: Report | None = None,
              cancelled: Callable[[], bool] | None = None) -> Result:
        """The whole result; what there is once `cancelled` says so."""
        limits: dict[str, Any] = self.limits
        return self.searcher.search(hidden, seed=seed, report=report, cancelled=cancelled, **limits)

    def choose(self, hidden: State, seed: int, report: Report | None = None) -> int:
        return self.think(hidden, seed, report).best.action


def chance_from(seed: int) -> Random:
    from random import Random  # slow to import, and a search does without it

    return Random(seed)


def one_of(actions: Sequence[int], chance: Random) -> int:
    """One of them. Of Python's generator only `random()` is promised to stay the same in every version."""
    return actions[int(chance.random() * len(actions))]


BY_NAME = {each.name: each for each in (*LIMITS, *SETTINGS, *MEANS)}
#: what every agent that searches takes, and what every one that grows trees takes besides
SEARCH = "sims ms nodes confidence noise cut rank score plain threads"
TREES = "chance c urgency guided memory"


def parameters(names: str) -> tuple[Parameter, ...]:
    """Some of the search's."""
    return tuple(BY_NAME[name] for name in names.split())


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("random", "any legal move", RandomAgent),
        Kind(
            "greedy",
            "a simple sensible player",
            GreedyAgent,
            (Parameter("noise", "share of its moves that are random", 0.0, low=0, high=1),),
        ),
        Kind(
            "flat",
            "plays out every legal move equally often",
            partial(SearchAgent, variant="flat"),
            parameters(f"{SEARCH} trees"),
        ),
        Kind(
            "pimc",
            "searches several worlds as if all were open, and counts votes",
            partial(SearchAgent, variant="pimc"),
            parameters(f"{SEARCH} {TREES} worlds"),
        ),
        Kind(
            "ismcts",
            "searches what its seat knows, over all worlds at once",
            SearchAgent,
            (*parameters(f"{SEARCH} {TREES} trees"),
             replace(BY_NAME["variant"], choices=("so", "mo", "ris"),
                     help="one tree, one per seat, or one per seat in worlds dealt again")),
        ),
    )
}

#: Who plays where nobody was named, in turn from seat 0 on: in a game that is written down, in one that is
#: shown,
WRITTEN = ("greedy", "random")
SHOWN = ("ismcts:sims=20000", "greedy")
#: and against people, whom the same search gives hints.
OPPONENT = "ismcts:sims=20000"


def agent(spec: str, kinds: Mapping[str, Kind] = KINDS) -> Agent:
    """The agent that a spec NAME[:key=value,...] names."""
    name, colon, rest = spec.partition(":")
    if name not in kinds:
        raise unknown("bad_agent", "agent", name, kinds)
    kind = kinds[name]
    try:
        given = read_parameters(kind, rest.split(",") if colon else [])
    except SfumatoError as error:
        raise SfumatoError("bad_agent", str(error), f"agent {spec}") from None
    try:
        return kind.make(**given)
    except SfumatoError as error:
        raise SfumatoError("bad_agent", str(error), f"agent {spec}") from None


def read_parameters(kind: Kind, parts: Sequence[str]) -> dict[str, Value]:
    """The parameters that the parts `key=value` of a spec name."""
    by_name = {each.name: each for each in kind.parameters}
    given: dict[str, Value] = {}
    for part in parts:
        key, equals, text = part.partition("=")
        if key not in by_name:
            raise unknown("bad_agent", f"parameter of {kind.name}", key, by_name)
        if key in given:
            raise SfumatoError("bad_agent", "given twice", key)
        given[key] = by_name[key].parse(text if equals else None)
    return given


def around(specs: Sequence[str], players: int) -> list[str]:
    """A spec for every seat: the given ones in turn."""
    if len(specs) > players:
        message = f"{len(specs)} agents for {players} seats: {', '.join(specs)}"
        raise SfumatoError("bad_agent", message)
    return [specs[seat % len(specs)] for seat in range(players)]


def decide(player: Agent, state: State, seat: int, seed: int, move: int,
           report: Report | None = None) -> int:
    """What the agent at a seat plays as the game's move number `move`.

    It sees what its seat knows, and a seed of its own.
    """
    return player.choose(state.hidden(seat), own_seed(seed, seat, move), report)


def own_seed(seed: int, seat: int, move: int) -> int:
    """An agent's seed depends on the game's seed, the seat and the move, never on the agent's name."""
    digest = hashlib.blake2b(f"{seed} {seat} {move}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
