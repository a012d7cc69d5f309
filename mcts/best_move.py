"""`sfumato best-move`: a position from the command line, one search, and what it found.

A position is a deal with the moves played in it, or what one seat knows of a table (an observation). Either
way the search is handed what the seat to move knows, and nothing else is ever printed.
"""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from .agents import KINDS, SearchAgent, agent
from .games import NAMES, SfumatoError, State, game_class, load
from .games.errors import short, shown, unknown
from .progress import thinking
from .search import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .games import Game
    from .parameters import Value
    from .search import Result

#: simulations of an answer where no limit is named: a fraction of a second
DEFAULT_SIMS = 100_000
#: bytes of a file of moves or of an observation; no honest one comes near
LARGEST = 1 << 20


# --- the position ---------------------------------------------------------------------------------------


def from_deal(game: Game, players: int, seed: int, moves: str) -> tuple[State, dict[str, int]]:
    """A table with moves played at it, and what it came from."""
    state = game.new(players, seed)
    try:
        played = play_moves(state, read_moves(moves))
    except SfumatoError as error:
        if not error.path.startswith("move 1 ") or not is_file(moves):
            raise
        message = f"there is a file of this name: --moves @{moves} plays what it says"
        raise SfumatoError("bad_action", message, error.path) from None
    return state, {"seed": seed, "played": played}


def is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long, or with a null in it
        return False


def play_moves(state: State, written: str) -> int:
    """Plays a list of moves, in words or by ids, separated by commas or lines; returns how many."""
    parts = (" ".join(part.split()) for line in written.splitlines() for part in line.split(","))
    moves = [part for part in parts if part]
    for number, move in enumerate(moves, 1):
        try:
            state.apply(int(move) if move.isdecimal() and len(move) < 10 else move)
        except SfumatoError as error:
            raise SfumatoError(error.code, error.message, f"move {number} ({short(move)})") from None
    return len(moves)


def read_moves(given: str) -> str:
    """The moves of the option: the text itself, `@FILE`, or `-` for the standard input."""
    if given == "-":
        data = content("-")
    elif given.startswith("@"):
        data = content(given[1:])
    else:
        return given
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SfumatoError("bad_file", "expected moves as text", called(given.removeprefix("@"))) from None


def from_observation(file: str, name: str | None, cards: str | None) -> tuple[State, dict[str, int]]:
    """A table that the seat of an observation cannot tell from the real one. It comes from no known deal."""
    try:
        return restored(read_observation(content(file)), name, cards), {}
    except SfumatoError as error:
        path = f"{called(file)}: {error.path}" if error.path else called(file)
        raise SfumatoError(error.code, error.message, path) from None


def restored(seen: dict[str, Any], name: str | None, cards: str | None) -> State:
    """The table of an observation, which names its game and its options."""
    found = seen.get("game")
    if not isinstance(found, str):
        raise SfumatoError("bad_game", f"expected the name of a game, got {shown(found)}", "game")
    if found not in NAMES:
        raise unknown("bad_game", "game", found, NAMES, "game")
    if name not in (None, found):
        raise SfumatoError("bad_game", f"the observation is of {found}, not of {name}", "game")
    state = load(found, cards, **options_of(seen)).from_observation(seen, seed=0)
    if state.to_move is not None and seen["seat"] != state.to_move:
        message = f"seat {state.to_move} is to move, and this is what seat {seen['seat']} knows"
        raise SfumatoError("bad_seat", message, "seat")
    return state


def options_of(seen: Mapping[str, Any]) -> dict[str, Any]:
    """The rule options that an observation names; whether their values fit, the game says."""
    options = seen.get("options")
    if not isinstance(options, dict):
        raise SfumatoError("bad_field", f"expected a map, got {shown(options)}", "options")
    known = [option.name for option in game_class(seen["game"]).options]
    for name in options:
        if name not in known:
            given = name if isinstance(name, str) else shown(name)
            raise unknown("bad_option", f"option of {seen['game']}", given, known, "options")
    return options


def read_observation(data: bytes) -> dict[str, Any]:
    """The map that a file holds, as JSON or MessagePack: the first byte tells them apart."""
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    try:
        found = msgspec.json.decode(text) if text[:1] in (b"{", b"[") else msgspec.msgpack.decode(data)
    except msgspec.DecodeError as error:
        if text[:1] == b"{":
            raise SfumatoError("bad_file", str(error)) from None
        found = None
    except (RecursionError, ValueError, TypeError):  # nested without end; keys that no map can have
        found = None
    if not isinstance(found, dict):
        raise SfumatoError("bad_file", "expected an observation: a map, as JSON or MessagePack")
    return found


def content(file: str) -> bytes:
    """The bytes of a file; `-` is the standard input."""
    if file == "-":
        if sys.stdin is None:
            raise SfumatoError("closed", "the standard input is closed")
        data = sys.stdin.buffer.read(LARGEST + 1)
    else:
        with Path(file).open("rb") as opened:
            data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise SfumatoError("bad_file", f"longer than {LARGEST:,} bytes", called(file))
    return data


def called(file: str) -> str:
    return "standard input" if file == "-" else file


# --- the search -----------------------------------------------------------------------------------------


def searcher(spec: str, more: Mapping[str, Value]) -> tuple[str, SearchAgent]:
    """The agent of a spec with further parameters, and its whole spec. It must be one that searches."""
    if not isinstance(agent(spec), SearchAgent):
        kinds = ", ".join(name for name in KINDS if isinstance(agent(name), SearchAgent))
        raise SfumatoError("bad_agent", f"expected one that searches ({kinds})", f"agent {spec}")
    _, _, rest = spec.partition(":")
    named = {*(part.partition("=")[0] for part in rest.split(",")), *more}
    added = dict(more)
    if not named & {limit.name for limit in LIMITS}:
        added["sims"] = DEFAULT_SIMS
    for name, value in added.items():
        spec += f"{',' if ':' in spec else ':'}{name}={value}"
    return spec, agent(spec)  # type: ignore[return-value]


def answer(player: SearchAgent, state: State, seed: int, no_color: bool = False) -> Result:
    """What the search finds for the seat to move; an interrupt ends it early."""
    seat = state.to_move
    if seat is None:
        raise SfumatoError("over", "the game is over: there is no move to search for")
    with interrupts() as interrupted, thinking(f"seat {seat}", player, no_color) as report:
        return player.think(state.hidden(seat), seed, report, lambda: bool(interrupted))


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """The interrupts while it lasts: the search looks at them and returns what it has. A second one ends the
    program."""
    before = signal.getsignal(signal.SIGINT)
    met: list[int] = []

    def note(number: int, _: object) -> None:
        signal.signal(signal.SIGINT, before)
        met.append(number)

    signal.signal(signal.SIGINT, note)
    try:
        yield met
    finally:
        signal.signal(signal.SIGINT, before)


def as_map(result: Result, top: int | None) -> dict[str, Any]:
    """The result as plain data: its fields by name, the best `top` moves."""
    fields = {name: getattr(result, name) for name in result.__dataclass_fields__}
    fields["moves"] = [move._asdict() for move in result.moves[:top]]
    fields["variation"] = [ply._asdict() for ply in result.variation]
    return fields
