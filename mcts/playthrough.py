"""A whole game as plain text: every legal move, and what each seat saw and knew after each step.

This is the format of the golden files: the same for a seed on every machine, so that a change of behaviour
shows as a difference that a person can read.
"""

from __future__ import annotations

import json
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from .agents import WRITTEN, agent, around, decide
from .games.option import spoken

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .games import Game, State, Step

WIDTH = 110
#: fields of an observation that the header has for all seats
ENVELOPE = ("game", "cards", "options", "players", "seat")


def playthrough(game: Game, players: int, seed: int, specs: Sequence[str] = WRITTEN) -> Iterator[str]:
    """The lines of one game between agents, one after the other."""
    state = game.new(players, seed)
    specs = around(specs, players)
    agents = [agent(spec) for spec in specs]
    yield from header(game, players, seed, specs)
    known = [state.observation(seat) for seat in range(players)]
    for seat in range(players):
        yield from ("", f"seat {seat} at the start")
        yield told("sees", state.setup_words(seat))
        for name, value in known[seat].items():
            if name not in ENVELOPE:
                yield f"  {name}: {plain(value)}"
    move = 0
    while (mover := state.to_move) is not None:
        yield from ("", f"{move + 1}. seat {mover}, {state.phase}")
        yield from legal(state)
        step = state.apply(decide(agents[mover], state, mover, seed, move))
        yield f"  plays [{step.action}] {step.label(None)}"
        for seat in range(players):
            before, known[seat] = known[seat], state.observation(seat)
            yield from seen(step, seat, before, known[seat])
        move += 1
    yield from ("", f"over after {move} moves")
    yield from outcome(state)


def header(game: Game, players: int, seed: int, specs: Sequence[str]) -> Iterator[str]:
    """What the game needs to be played again."""
    options = ", ".join(f"{name}={spoken(value)}" for name, value in game.option_values(players).items())
    yield f"game: {game.name}"
    yield f"players: {players}"
    yield f"options: {options or 'none'}"
    yield f"cards: {game.cards_digest}"
    yield f"seed: {seed}"
    yield f"agents: {' '.join(specs)}"


def legal(state: State) -> Iterator[str]:
    """Every legal move with its id; several on a line."""
    # A move's own spaces must not break over a line's end.
    moves = [f"[{action}] {state.words(action)}".replace(" ", "\0") for action in state.legal_actions]
    for line in wrap("  ".join(moves), WIDTH, initial_indent="  legal ", subsequent_indent="        "):
        yield line.replace("\0", " ")


def seen(step: Step, seat: int, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What the step showed to a seat, and what changed in all that the seat knows."""
    yield told(f"seat {seat} sees", [step.label(seat), *step.words(seat)])
    old, new = leaves(before, step.game.per_seat), leaves(after, step.game.per_seat)
    for path, value in new.items():
        if old.get(path) != value:
            yield f"    {path}: {value}"
    for path in old:
        if not any(within(path, other) or within(other, path) for other in new):
            yield f"    {path}: gone"


def leaves(observation: dict[str, Any], per_seat: Sequence[str]) -> dict[str, str]:
    """The smallest parts of an observation by their paths.

    Maps are opened, and the game's lists with an entry per seat; other lists (hands, keys) read better in one
    piece.
    """
    parts: dict[str, str] = {}
    for name, value in observation.items():
        if name in per_seat:
            for seat, entry in enumerate(value):
                parts |= opened(entry, f"{name}[{seat}]")
        else:
            parts |= opened(value, name)
    return parts


def opened(value: Any, path: str) -> dict[str, str]:
    """A value in one piece; a map entry by entry, unless it is empty."""
    if not isinstance(value, dict) or not value:
        return {path: plain(value)}
    parts: dict[str, str] = {}
    for name, inner in value.items():
        parts |= opened(inner, f"{path}.{name}")
    return parts


def within(path: str, other: str) -> bool:
    """Whether a path is the other one or leads on from it."""
    return f"{path}.".startswith(f"{other}.")


def outcome(state: State) -> Iterator[str]:
    """The result of a finished game, seat by seat."""
    for seat, (score, rank, share) in enumerate(zip(*state.outcome, strict=True)):
        yield f"  seat {seat}: rank {rank}, score {score:g}, win share {share:g}"


def told(who: str, words: Sequence[str]) -> str:
    """A line of words seen."""
    return f"  {who}: {'; '.join(words) or 'nothing'}"


def plain(value: Any) -> str:
    """A value of an observation as it is written in JSON."""
    return json.dumps(value, ensure_ascii=False)
