"""A question to an agent, checked against the engine's bounds, and its answer.

A question holds what the seat to move knows (`State.hidden`) and nothing else of a table: whatever is
answered, reported or included comes from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .agents import KINDS, SearchAgent, agent
from .ext.rng import mixed
from .games import SfumatoError
from .games.state import fresh
from .methods import Found, Judged, Ply
from .search import DEFAULT_SIMS, LIMITS, Run, Searcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from .agents import Agent, Kind
    from .bounds import Bounds
    from .games import State
    from .methods import BestMove
    from .parameters import Value
    from .search import Report, Result

#: worlds behind a belief
BELIEF_WORLDS = 1000


@dataclass(frozen=True)
class Question:
    """What to think about, and how."""

    hidden: State
    seat: int
    player: Agent
    asked: BestMove
    settings: dict[str, Any]
    limits: dict[str, Any]

    @property
    def threads(self) -> int:
        return int(self.settings.get("threads", 1))


def question(asked: BestMove, hidden: State, bounds: Bounds, searching: bool) -> Question:
    """The question of a request; `searching`: only an agent that searches can answer it."""
    seat = hidden.to_move
    assert seat is not None
    player = read_agent(asked.agent)
    fresh(asked.seed)
    if asked.worlds > bounds.worlds:
        raise SfumatoError("too_large", f"at most {bounds.worlds} worlds, not {asked.worlds}", "worlds")
    if isinstance(player, SearchAgent):
        return Question(hidden, seat, player, asked, *efforts(asked, player, bounds))
    if searching:
        kinds = ", ".join(name for name in KINDS if isinstance(agent(name), SearchAgent))
        raise SfumatoError("bad_agent", f"expected one that searches ({kinds}), got {asked.agent}", "agent")
    return Question(hidden, seat, player, asked, {}, {})


def read_agent(spec: str) -> Agent:
    try:
        return agent(spec)
    except SfumatoError as error:
        raise SfumatoError("bad_agent", error.message, "agent") from None


def efforts(asked: BestMove, player: SearchAgent, bounds: Bounds) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings and the limits of a search, from the spec and from the request, none beyond its bound."""
    _, _, rest = asked.agent.partition(":")
    named = {part.partition("=")[0] for part in rest.split(",")}
    names = [each.name for each in LIMITS]
    limits: dict[str, Value] = {name: player.limits[name] for name in names if name in named}
    for name in names:
        value = getattr(asked.limits, name)
        if value is not None:
            once(name, limits, f"limits.{name}")
            limits[name] = value
    settings = {name: value for name, value in player.settings.items() if value is not None}
    if asked.threads is not None:
        once("threads", settings, "threads")
        settings["threads"] = asked.threads
    settings.setdefault("memory", bounds.memory)
    bounded: list[tuple[str, dict[str, Any], int, str]] = [
        ("ms", limits, bounds.ms, "limits.ms"), ("nodes", limits, bounds.nodes, "limits.nodes"),
        ("threads", settings, min(bounds.threads, bounds.workers), "threads"),
        ("memory", settings, bounds.memory, "agent"),
    ]
    for name, given, most, path in bounded:
        if given.get(name, 0) > most:
            message = f"at most {most} {name}, not {given[name]}"
            raise SfumatoError("too_large", message, "agent" if name in named else path)
    if not limits:
        limits["sims"] = DEFAULT_SIMS
    if "ms" not in limits:
        # Said in full, since the bound below must not count as a limit of time that was asked for.
        limits.setdefault("sims", Run.enough(limits))
        limits["ms"] = bounds.ms
    return settings, limits


def offered(kind: Kind, bounds: Bounds) -> dict[str, Any]:
    """A kind of agent as plain data, with the defaults that hold within the bounds."""
    described = kind.to_map()
    for each in described["parameters"]:
        if each["name"] == "memory":
            each["default"] = bounds.memory
    return described


def once(name: str, given: dict[str, Any], path: str) -> None:
    if name in given:
        raise SfumatoError("bad_params", f"the agent's spec names {name} too", path)


def answer(asked: Question, cancelled: Callable[[], bool], clock: Callable[[], float],
           report: Callable[[Found], None]) -> Found:
    """What the agent finds; `report` is told now and then what there is so far, if the request wants it."""
    extra = {} if cancelled() else extras(asked)
    if not isinstance(asked.player, SearchAgent):
        start = clock()
        action = asked.player.choose(asked.hidden, asked.asked.seed)
        return instant(asked, action, (clock() - start) * 1000, extra)
    searcher = Searcher(**asked.settings)
    every = asked.asked.report_every_ms
    told: Report | None = None if every is None else lambda result: report(found(asked, result, {}))
    try:
        result = searcher.search(asked.hidden, seed=asked.asked.seed, cancelled=cancelled, report=told,
                                 report_every_ms=every or 0, clock=clock, **asked.limits)
    except SfumatoError as error:  # settings that do not go together
        raise SfumatoError("bad_agent", str(error), "agent") from None
    return found(asked, result, extra)


def extras(asked: Question) -> dict[str, Any]:
    """What `include` asks for beyond the search."""
    hidden, seat, seed, wanted = asked.hidden, asked.seat, asked.asked.seed, asked.asked.include
    more: dict[str, Any] = {}
    if "belief" in wanted:
        more["belief"] = hidden.belief(seat, BELIEF_WORLDS, seed)
    if "worlds" in wanted:
        worlds = (hidden.dealt(seat, mixed(seed, number)) for number in range(asked.asked.worlds))
        more["worlds"] = [hidden.game.hidden_places(world.fields(), seat, world.players) for world in worlds]
    return more


def found(asked: Question, result: Result, extra: dict[str, Any]) -> Found:
    """A search's result as it is answered."""
    best = result.moves[:asked.asked.top]
    moves = [Judged(**{**move._asdict(), "interval": list(move.interval)}) for move in best]
    line = [Ply(**ply._asdict()) for ply in result.variation] if "variation" in asked.asked.include else None
    return Found(
        seat=asked.seat, action=result.best.action, words=result.best.words, moves=moves,
        shares=result.shares, scores=result.scores, stop=result.stop,  # type: ignore[arg-type]
        sims=result.sims, nodes=result.nodes, full=result.full, elapsed_ms=result.elapsed * 1000,
        agent=asked.asked.agent, seed=asked.asked.seed, variation=line,
        belief=extra.get("belief"), worlds=extra.get("worlds"),
    )


def instant(asked: Question, action: int, elapsed: float, extra: dict[str, Any]) -> Found:
    """The move of an agent that does not search."""
    return Found(
        seat=asked.seat, action=action, words=asked.hidden.words(action), moves=[], shares=None, scores=None,
        stop="none", sims=0, nodes=0, full=False, elapsed_ms=elapsed, agent=asked.asked.agent,
        seed=asked.asked.seed, variation=None, belief=extra.get("belief"), worlds=extra.get("worlds"),
    )
