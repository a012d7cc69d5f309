"""A game of `sfumato play` that can be put away: the table, who sits where, and the way back.

The file is the referee's: it holds the whole table, its future included.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from .agents import OPPONENT, agent, around
from .games import SfumatoError, State, load
from .games.state import checksum, fresh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .games import Game
    from .games.option import Value

MAGIC = b"sfumato play "
VERSION = b"1"
CHECKSUM = len(checksum(b""))
#: No honest file comes near: a card table, and a few thousand decisions with a state each.
LARGEST = 32 << 20


class Decision(NamedTuple):
    """A moment at which a person was asked: the way back for `undo`."""

    seat: int
    move: int
    state: bytes


@dataclass
class Session:
    """A table with people and agents around it."""

    game: Game
    state: State
    #: an agent's spec per seat; None: a person
    seats: list[str | None]
    seed: int
    options: dict[str, Value]
    #: the text of the card table that replaced the game's own
    cards: str | None = None
    #: moves played
    move: int = 0
    #: the people's decisions so far
    decisions: list[Decision] = field(default_factory=list)
    #: the files that hold this game, each with the checksum of what was last read or written there
    files: dict[Path, bytes] = field(default_factory=dict)

    @property
    def people(self) -> list[int]:
        return [seat for seat, spec in enumerate(self.seats) if spec is None]

    def remember(self, seat: int) -> None:
        """Keeps the moment before a person's decision."""
        self.decisions.append(Decision(seat, self.move, self.state.to_bytes()))

    def undo(self, seat: int) -> bool:
        """Goes back to the seat's last decision, the table's future as it was; False if there is none."""
        for index in reversed(range(len(self.decisions))):
            decision = self.decisions[index]
            if decision.seat == seat:
                self.state, self.move = self.game.from_bytes(decision.state), decision.move
                del self.decisions[index:]
                return True
        return False


def begin(name: str, options: dict[str, Value], cards: str | None, players: int | None, people: Sequence[int],
          specs: Sequence[str], seed: int | None) -> Session:
    """A new table: people at their seats, agents (the given ones in turn, else `OPPONENT`) at the others."""
    text = None if cards is None else read_cards(cards)
    game = load_with(name, text, options, cards or "")
    state = game.new(players, seed := fresh(seed))
    for seat in people:
        state.require_seat(seat)
    others = [seat for seat in range(state.players) if seat not in people]
    seats: list[str | None] = [None] * state.players
    if others:
        for seat, spec in zip(others, around(specs or (OPPONENT,), len(others)), strict=True):
            agent(spec)
            seats[seat] = spec
    return Session(game, state, seats, seed, options, text)


def read_cards(file: str) -> str:
    """The text of a card table, read once: the game is set up with it, and saved with it."""
    try:
        return Path(file).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise SfumatoError("bad_cards", f"not a TOML file: {error}", file) from None


class File(msgspec.Struct, forbid_unknown_fields=True):
    """What a file holds after its heading."""

    game: str
    options: dict[str, str | int | bool]
    cards: str | None
    seats: list[str | None]
    seed: Annotated[int, msgspec.Meta(ge=0)]
    move: Annotated[int, msgspec.Meta(ge=0)]
    state: bytes
    decisions: list[Decision]


def save(session: Session, path: Path) -> None:
    """Writes the session, all or nothing. A file that does not hold this very game is left alone."""
    require_own(session, path)
    body = msgspec.msgpack.encode(File(
        session.game.name, session.options, session.cards, session.seats, session.seed, session.move,
        session.state.to_bytes(), session.decisions,
    ))
    data = MAGIC + VERSION + b"\n" + checksum(body) + body
    target = path.resolve()
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            Path(file.name).replace(target)
        except BaseException:
            Path(file.name).unlink()
            raise
    session.files[target] = checksum(data)


def require_own(session: Session, path: Path) -> None:
    """Refuses to write over anything but what this session has itself saved or resumed."""
    if not path.exists() and not path.is_symlink():
        return
    data = content(path) if path.is_file() else b""
    if session.files.get(path.resolve()) != checksum(data):
        what = "saved game" if data.startswith(MAGIC) else "file"
        message = f"there is another {what} of this name; choose another name"
        raise SfumatoError("bad_file", message, str(path))


def free_name(stem: str) -> Path:
    """The first of `stem.sfumato`, `stem-2.sfumato`, ... in this folder that is no file yet."""
    names = (Path(f"{stem}{again}.sfumato") for again in chain([""], (f"-{number}" for number in count(2))))
    return next(name for name in names if not name.exists())


def resume(path: Path) -> Session:
    """What `save` wrote; anything else is refused."""
    data = content(path)
    try:
        session = check(read(data))
    except SfumatoError as error:
        raise SfumatoError("bad_file", str(error), str(path)) from None
    session.files[path.resolve()] = checksum(data)
    return session


def content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST)


def read(data: bytes) -> File:
    """The content of a file whose heading and checksum are right."""
    heading, _, rest = data.partition(b"\n")
    if not heading.startswith(MAGIC):
        raise SfumatoError("bad_file", "this is not a game that `sfumato play` saved")
    if heading != MAGIC + VERSION:
        version = heading[len(MAGIC):][:20].decode("ascii", "replace")
        message = f"saved in format {version}; this program reads format {VERSION.decode()}"
        raise SfumatoError("bad_file", message)
    body = rest[CHECKSUM:]
    if rest[:CHECKSUM] != checksum(body):
        raise SfumatoError("bad_file", "the file is cut short or damaged: its checksum does not fit")
    try:
        return msgspec.msgpack.decode(body, type=File)
    except msgspec.MsgspecError as error:
        raise SfumatoError("bad_file", str(error)) from None


def check(file: File) -> Session:
    """The session of a file whose parts fit together."""
    game = load_with(file.game, file.cards, file.options, "cards")
    state = game.from_bytes(file.state)
    session = Session(
        game, state, file.seats, file.seed, file.options, file.cards, file.move, file.decisions
    )
    if len(file.seats) != state.players or not session.people:
        raise SfumatoError("bad_file", f"seats: expected {state.players} with a person among them")
    for spec in file.seats:
        if spec is not None:
            agent(spec)
    for decision in file.decisions:
        earlier = game.from_bytes(decision.state)
        if earlier.players != state.players or earlier.to_move != decision.seat:
            raise SfumatoError("bad_file", "decisions: one of them is of another table")
    return session


def load_with(name: str, cards: str | None, options: dict[str, Value], called: str) -> Game:
    """The game; the text of a card table, if there is one, stands in place of a file called so."""
    if cards is None:
        return load(name, None, **options)
    handle, written = tempfile.mkstemp(suffix=".toml", text=True)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(cards)
        game = load(name, written, **options)
    except SfumatoError as error:
        raise SfumatoError(error.code, error.message, error.path.replace(written, called)) from None
    finally:
        Path(written).unlink()
    game.cards_file = called
    return game
