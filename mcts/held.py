"""Games that an engine holds as their referee: the table, the way back, and who may ask what.

Only the referee may save a game, take moves back or script what is drawn: draw, look, undo would be a peek.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from .games import SfumatoError
from .games.errors import shown
from .games.state import checksum, require_seat
from .methods import NewGameReply, Outcome, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from .bounds import Bounds
    from .games import Game, State
    from .library import Library
    from .methods import Role

MAGIC = b"sfumato game 1\n"
#: moves of a game that a blob may tell
MOST_PLAYED = 1 << 31
CHECKSUM = len(checksum(b""))


def secret() -> str:
    """A token that nobody can guess."""
    return os.urandom(16).hex()


@dataclass
class Held:
    """A game under way."""

    id: str
    game: Game
    state: State
    #: the table before each of the latest moves
    history: deque[State]
    #: a token per seat, then the referee's; None: not private
    tokens: list[str] | None = None
    played: int = 0
    #: searches of it that are not answered yet
    searches: int = 0
    #: when it was last asked for, in requests
    used: int = 0

    def seat_of(self, token: str | None, role: Role, method: str) -> int | None:
        """The seat that a token speaks for; None: the referee. Refuses who may not ask."""
        if self.tokens is None:
            if token is not None:
                raise SfumatoError("forbidden", f"{self.id} is not private: it has no tokens", "token")
            return None
        if token is None:
            raise SfumatoError("forbidden", f"{self.id} is private: a token is needed", "token")
        given = token.encode("utf-8", "replace")
        found = [number for number, mine in enumerate(self.tokens) if compare_digest(mine.encode(), given)]
        if not found:
            raise SfumatoError("forbidden", f"this is no token of {self.id}", "token")
        seat = None if found[0] == self.state.players else found[0]
        if seat is not None and role == "referee":
            raise SfumatoError("forbidden", f"{method} is the referee's alone", "token")
        return seat

    def view(self, own: int | None, asked: int | None, path: str = "seat") -> int | None:
        """The seat whose view is asked for: a seat's token opens its own only; None: nobody said."""
        if own is not None and asked not in (None, own):
            raise SfumatoError("forbidden", f"the token is seat {own}'s, not seat {asked}'s", path)
        seat = own if own is not None else asked
        if seat is not None:
            require_seat(seat, self.state.players, path)
        return seat

    def status(self) -> dict[str, Any]:
        """What everybody at the table sees."""
        state = self.state
        over = Outcome(**state.outcome._asdict()) if state.is_terminal else None
        return {"game": self.id, "players": state.players, "to_move": state.to_move, "phase": state.phase,
                "played": self.played, "outcome": over}

    def opened(self) -> NewGameReply:
        tokens = self.tokens
        return NewGameReply(**self.status(), tokens=tokens[:-1] if tokens else None,
                            referee=tokens[-1] if tokens else None)

    def take_back(self, moves: int) -> Status:
        """The table as it was so many moves ago, its future included."""
        if moves > len(self.history):
            message = f"{len(self.history)} moves can be taken back, not {moves}"
            raise SfumatoError("bad_params", message, "moves")
        self.state = [self.history.pop() for _ in range(moves)][-1]
        self.played -= moves
        return Status(**self.status())


@dataclass
class HeldGames:
    """All games of an engine. There is room for `bounds.games`; a new one takes the place of the one that
    was asked for longest ago and is not being searched."""

    bounds: Bounds
    secret: Callable[[], str] = secret
    games: dict[str, Held] = field(default_factory=dict)
    opened: int = 0
    clock: int = 0

    def find(self, name: str) -> Held:
        """A held game by its id."""
        held = self.games.get(name)
        if held is None:
            raise SfumatoError("no_game", self.why_not(name), "game")
        self.touch(held)
        return held

    def why_not(self, name: str) -> str:
        """Why no game of this id is held."""
        number = name[1:]
        if name[:1] != "g" or not number.isdecimal() or len(number) > 9 or not 0 < int(number) <= self.opened:
            return f"there is no game {shown(name)}"
        room = f"more than {self.bounds.games} games were held and it had not been used for longest"
        return f"{name} is closed: it was asked to close, or {room}"

    def touch(self, held: Held) -> None:
        self.clock += 1
        held.used = self.clock

    def hold(self, state: State, played: int, private: bool) -> Held:
        """A new game."""
        if len(self.games) >= self.bounds.games:
            idle = [held for held in self.games.values() if not held.searches]
            if not idle:
                raise SfumatoError("busy", f"all of {len(self.games)} games are being searched")
            del self.games[min(idle, key=lambda held: held.used).id]
        self.opened += 1
        held = Held(f"g{self.opened}", state.game, state, deque(maxlen=self.bounds.undo), played=played)
        if private:
            held.tokens = [self.secret() for _ in range(state.players + 1)]
        self.games[held.id] = held
        self.touch(held)
        return held


class Saved(msgspec.Struct, forbid_unknown_fields=True, array_like=True):
    """What a blob holds after its heading and checksum."""

    game: str
    cards: str
    options: dict[str, str | int | bool]
    played: Annotated[int, msgspec.Meta(ge=0, le=MOST_PLAYED)]
    state: bytes


def save(held: Held) -> bytes:
    """The whole table as an opaque blob."""
    state = held.state
    body = msgspec.msgpack.encode(Saved(
        held.game.name, held.game.cards_digest, held.game.option_values(state.players), held.played,
        state.to_bytes(),
    ))
    return MAGIC + checksum(body) + body


def restore(blob: bytes, library: Library) -> tuple[State, int]:
    """What `save` wrote: the table, and the moves played; anything else is refused."""
    body = blob[len(MAGIC) + CHECKSUM:]
    if not blob.startswith(MAGIC[:-3]):
        raise SfumatoError("bad_blob", "this is not a game that save_game gave", "blob")
    if not blob.startswith(MAGIC):
        raise SfumatoError("bad_blob", "the game was saved by another version", "blob")
    if blob[len(MAGIC):len(MAGIC) + CHECKSUM] != checksum(body):
        raise SfumatoError("bad_blob", "the blob is cut short or damaged: its checksum does not fit", "blob")
    try:
        saved = msgspec.msgpack.decode(body, type=Saved)
        state = library.game(saved.game, saved.cards, saved.options).from_bytes(saved.state)
    except SfumatoError as error:
        code = "bad_table" if error.code == "bad_table" else "bad_blob"
        raise SfumatoError(code, error.message, "blob") from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise SfumatoError("bad_blob", f"the blob holds no game: {type(error).__name__}", "blob") from None
    return state, saved.played
