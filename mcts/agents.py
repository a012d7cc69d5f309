"""Agents by name: `random`, `greedy:noise=0.1`. The same short strings serve everywhere.

An agent is handed what its seat knows (`State.hidden`) and a seed, never the true state, and answers with the
id of an action. Each kind of agent declares its parameters, from which parsing, errors and help texts come.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Protocol

from .games.errors import SfumatoError, unknown
from .games.option import spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .games import State

Value = str | int | float | bool


class Agent(Protocol):
    """A player."""

    def choose(self, hidden: State, seed: int) -> int:
        """The id of the action to play, from the mover's canonical world. The same seed: the same answer."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of an agent.

    The default's type is the parameter's: a number from `low` to `high`, a word among `choices`, or a switch,
    which is on when it is named without a value.
    """

    name: str
    help: str
    default: Value
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """The allowed values in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return " or ".join(self.choices)
        number = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{number} from {self.low} to {self.high}"

    def parse(self, text: str | None) -> Value:
        """The value that a spec names; None: the parameter stands there without a value."""
        if isinstance(self.default, bool):
            if text in (None, "true", "false"):
                return text != "false"
        elif isinstance(self.default, str):
            if text in self.choices:
                return text
        elif text is not None:
            try:
                number = type(self.default)(text)
            except ValueError:
                pass
            else:
                if self.low <= number <= self.high:  # false for a NaN
                    return number
        given = "nothing" if text is None else repr(text)
        raise SfumatoError("bad_agent", f"expected {self.expected}, got {given}", self.name)


@dataclass(frozen=True)
class Kind:
    """A kind of agent: its name in specs, and how one is made from its parameters."""

    name: str
    help: str
    make: Callable[..., Agent]
    parameters: tuple[Parameter, ...] = ()

    def describe(self) -> str:
        """The form of its spec, with the defaults."""
        defaults = ",".join(f"{each.name}={spoken(each.default)}" for each in self.parameters)
        return f"{self.name}[:{defaults}]" if defaults else self.name


class RandomAgent:
    """Plays any legal move, each equally likely."""

    def choose(self, hidden: State, seed: int) -> int:
        return one_of(hidden.legal_actions, Random(seed))


@dataclass(frozen=True)
class GreedyAgent:
    """Plays the move of the game's simple sensible player; a share `noise` of its moves is random."""

    noise: float

    def choose(self, hidden: State, seed: int) -> int:
        chance = Random(seed)
        return one_of(hidden.legal_actions, chance) if chance.random() < self.noise else hidden.greedy


def one_of(actions: Sequence[int], chance: Random) -> int:
    """One of them. Of Python's generator only `random()` is promised to stay the same in every version."""
    return actions[int(chance.random() * len(actions))]


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
    )
}

#: Who plays where nobody was named: in turn, from seat 0 on.
DEFAULT = ("greedy", "random")


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
    return kind.make(**{each.name: given.get(each.name, each.default) for each in kind.parameters})


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


def decide(player: Agent, state: State, seat: int, seed: int, move: int) -> int:
    """What the agent at a seat plays as the game's move number `move`.

    It sees what its seat knows, and a seed that depends on the game's seed, the seat and the move, never on
    the agent's name.
    """
    own = hashlib.blake2b(f"{seed} {seat} {move}".encode(), digest_size=8).digest()
    return player.choose(state.hidden(seat), int.from_bytes(own, "little"))
