"""`State`: a table of any game, for people and programs."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import msgspec

from ..ext.rng import mixed
from ..ext.state import Misfit
from .errors import SfumatoError, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace

    from ..ext.state import Position
    from .game import Game

MAGIC = b"sfumato1"
CHECKSUM = 16


class Outcome(NamedTuple):
    """A finished game: per seat the points, the rank (1 is best, ties shared) and the share of the win."""

    scores: list[float]
    ranks: list[int]
    win_shares: list[float]


class Step:
    """A move that was played. What each seat saw of it: `label(seat)` and `words(seat)`.

    The rest is the referee's: `action` and `event` may hold what some seat did not see.
    """

    def __init__(self, game: Game, seat: int, action: int, labels: tuple[int, ...], event: bytes) -> None:
        self.game = game
        self.seat = seat
        self.action = action
        self.labels = labels
        self._event = event

    def __repr__(self) -> str:
        # Labels have higher numbers than actions: the highest is what a seat saw that saw least.
        return f"<{self.game.name}, seat {self.seat}: {self.game.words(max(self.labels))}>"

    @cached_property
    def event(self) -> SimpleNamespace:
        """The core's own fields of what the step brought."""
        return self.game.read_event(self._event)

    def label(self, seat: int | None) -> str:
        """The action as the seat saw it; None: as it was."""
        if seat is None:
            return self.game.words(self.action)
        return self.game.words(self.labels[require_seat(seat, len(self.labels))])

    def words(self, seat: int | None) -> list[str]:
        """What the step showed to the seat beyond the action; None: all of it."""
        if seat is not None:
            require_seat(seat, len(self.labels))
        return self.game.tell(self.event, seat)

    def keys(self, seat: int) -> tuple[int, int]:
        """The same as two numbers, of what it laid open and of what it drew, by which a search finds the
        step in its tree; 0: nothing."""
        players = len(self.labels)
        return self.game.table(players).seen(self._event, require_seat(seat, players))

    @property
    def remarks(self) -> list[str]:
        """What followed from the step for all to see, for people: a key received, a trick taken."""
        return self.game.remarks(self.event)


class State:
    """A position and the chance of its table.

    `clone` and `child` copy the position, never the table's future: their chance is seeded anew. Only
    `to_bytes` keeps it, for the referee to save and to take back.
    """

    __slots__ = ("_new", "_position", "game")

    def __init__(self, game: Game, position: Position, new: bool = False) -> None:
        self.game = game
        self._position = position
        # Whether nothing was played since the set-up: a position alone does not tell.
        self._new = new

    def __repr__(self) -> str:
        turn = "over" if self.is_terminal else f"seat {self.to_move} to {self.phase}"
        return f"<{self.game.name}, {self.players} players, {turn}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        if self._position.table is other._position.table:
            return self._position == other._position
        # Two games loaded apart have tables of their own; their rules may still be the same.
        return (
            self._position.state_bytes == other._position.state_bytes
            and self.game.rules_digest(self.players) == other.game.rules_digest(other.players)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def players(self) -> int:
        return self._position.table.players

    @property
    def to_move(self) -> int | None:
        """The seat that decides now; None when the game is over."""
        seat = self._position.to_move
        return None if seat < 0 else seat

    @property
    def phase(self) -> str:
        return self.game.phases[self._position.phase]

    @property
    def is_terminal(self) -> bool:
        return self._position.to_move < 0

    @property
    def legal_actions(self) -> list[int]:
        """The ids of the legal actions, ascending; empty when the game is over."""
        return self._position.legal()

    @property
    def legal_words(self) -> list[str]:
        return [self.game.words(action) for action in self._position.legal()]

    @property
    def outcome(self) -> Outcome:
        """The result of a finished game."""
        if not self.is_terminal:
            raise SfumatoError("not_over", "the game is not over")
        scores, ranks = self._position.outcome()
        winners = ranks.count(1)
        return Outcome(scores, ranks, [1 / winners if rank == 1 else 0.0 for rank in ranks])

    @property
    def greedy(self) -> int:
        """The move of a simple sensible player, from what the mover knows."""
        self._require_running()
        return self._position.greedy()

    def words(self, action: int) -> str:
        return self.game.words(action)

    def action(self, words: SupportsIndex | str) -> int:
        """The id of a legal action given by id or in words."""
        self._require_running()
        action = self.game.action_id(words)
        legal = self._position.legal()
        if action not in legal:
            some = ", ".join([*map(self.game.words, legal[:5]), *(["..."] if len(legal) > 5 else [])])
            message = f"{self.game.words(action)!r} is not legal here; legal: {some}"
            raise SfumatoError("bad_action", message, "action")
        return action

    def apply(self, action: SupportsIndex | str, seen: Sequence[str] = ()) -> Step:
        """Plays an action. `seen` scripts its chance; what it leaves out is drawn. Refused: unchanged."""
        number = self.action(action)
        seat = self._position.to_move
        labels = tuple(self._position.label(number, other) for other in range(self.players))
        script = self.game.speech.read(seen)
        try:
            event = self._position.apply(number, script or None)
        except Misfit:
            message = f"{self.game.words(number)} cannot bring {shown(list(seen))} here"
            raise SfumatoError("bad_event", message, "seen") from None
        self._new = False
        return Step(self.game, seat, number, labels, event)

    def clone(self, seed: int | None = None) -> State:
        """The same position, with a future of its own."""
        return State(self.game, self._position.copy(fresh(seed)), self._new)

    def kept(self) -> State:
        """The same table with the same future, for the referee to go back to."""
        return State(self.game, self._position.copy(None), self._new)

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def child(self, action: SupportsIndex | str, seed: int | None = None) -> State:
        """The position after an action, with a future of its own."""
        other = self.clone(seed)
        other.apply(action)
        return other

    def hidden(self, seat: int) -> State:
        """The canonical world of what the seat knows: all that a search or an agent is ever handed."""
        self.require_seat(seat)
        return State(self.game, self._position.hide(seat), self._new)

    def dealt(self, seat: int, seed: int | None = None) -> State:
        """A random world that the seat cannot tell from this one."""
        self.require_seat(seat)
        return State(self.game, self._position.deal(seat, fresh(seed)), self._new)

    def observation(self, seat: int) -> dict[str, Any]:
        """All that the seat knows, as a plain map; `Game.from_observation` reads it."""
        self.require_seat(seat)
        game, to_move = self.game, self.to_move
        own = game.observe(self.hidden(seat).fields(), seat, self.players)
        envelope: dict[str, Any] = {
            "game": game.name, "cards": game.cards_digest, "options": game.option_values(self.players),
            "players": self.players, "seat": seat, "to_move": to_move, "phase": self.phase,
        }
        seen = game.observation(**envelope, **own)
        plain: dict[str, Any] = msgspec.to_builtins(seen)
        return plain

    def belief(self, seat: int, worlds: int = 1000, seed: int | None = None) -> dict[str, dict[str, float]]:
        """What may lie where the seat cannot see: per place (`hand 1`), per card, how many of it are there on
        average over so many dealt worlds. Others' choices are no evidence."""
        self.require_seat(seat)
        if type(worlds) is not int or not 1 <= worlds <= 1_000_000:
            message = f"expected a whole number from 1 to 1,000,000, got {shown(worlds)}"
            raise SfumatoError("bad_parameter", message, "worlds")
        seed, found = fresh(seed), dict[str, dict[str, float]]()
        for number in range(worlds):
            world = self.dealt(seat, mixed(seed, number))
            for place, cards in self.game.hidden_places(world.fields(), seat, self.players).items():
                counts = found.setdefault(place, {})
                for card in cards:
                    counts[card] = counts.get(card, 0.0) + 1 / worlds
        return {place: dict(sorted(counts.items())) for place, counts in found.items()}

    def setup_words(self, seat: int | None) -> list[str]:
        """What the set-up showed to the seat (None: all of it). Only a table that `Game.new` gave can tell,
        and its copies, until the first move."""
        if not self._new:
            message = "only a new table tells its set-up: not one that was played on, loaded or restored"
            raise SfumatoError("not_new", message)
        if seat is None:
            return self.game.tell_setup(self.fields(), None, self.players)
        return self.game.tell_setup(self.hidden(seat).fields(), seat, self.players)

    def render(self, seat: int | None) -> str:
        """The table for people, as the seat sees it; None: everything, for spectators."""
        if seat is None:
            return self.game.draw(self.fields(), None, self.players)
        return self.game.draw(self.hidden(seat).fields(), seat, self.players)

    def fields(self) -> SimpleNamespace:
        """The core's own fields of the true position; once the game is over, `scores` and `ranks` too."""
        fields = self.game.read_state(self._position.state_bytes)
        if self.is_terminal:
            fields.scores, fields.ranks = self._position.outcome()
        return fields

    @property
    def position(self) -> Position:
        """The compiled position, for searches, tests and benchmarks."""
        return self._position

    def to_bytes(self) -> bytes:
        """The table as the referee saves it, future included: never for a seat."""
        body = b"".join((
            MAGIC, bytes((self.players,)), self.game.rules_digest(self.players),
            self._position.streams, self._position.state_bytes,
        ))
        return body + checksum(body)

    @classmethod
    def read(cls, game: Game, data: bytes) -> State:
        """What `to_bytes` wrote; anything else is refused."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise SfumatoError("bad_state", f"expected bytes, got {type(data).__name__}")
        data = bytes(data)
        if not data.startswith(MAGIC):
            raise SfumatoError("bad_state", "this is not a saved state, or one of another version")
        if data[-CHECKSUM:] != checksum(data[:-CHECKSUM]):
            message = "the saved state is cut short or damaged: its checksum does not fit"
            raise SfumatoError("bad_state", message)
        body = data[len(MAGIC):-CHECKSUM]
        players, rules, streams, state = body[:1], body[1:17], body[17:81], body[81:]
        if len(streams) != 64:
            raise SfumatoError("bad_state", "the saved state is cut short")
        if players[0] not in game.seats or rules != game.rules_digest(players[0]):
            what = "other cards, options or players, or another layout"
            message = f"the saved state is of another game than this {game.name}: {what}"
            raise SfumatoError("bad_state", message)
        try:
            return cls(game, game.table(players[0]).read(state, streams))
        except ValueError as error:
            raise SfumatoError("bad_state", f"the saved state is impossible: {game.broken(error)}") from None

    def require_seat(self, seat: int) -> None:
        require_seat(seat, self.players)

    def _require_running(self) -> None:
        if self.is_terminal:
            raise SfumatoError("over", "the game is over")


def require_seat(seat: int, players: int, path: str = "seat") -> int:
    """A seat from outside; one that is not at the table is refused."""
    if type(seat) is not int or not 0 <= seat < players:
        raise SfumatoError("bad_seat", f"expected 0 to {players - 1}, got {shown(seat)}", path)
    return seat


def checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=CHECKSUM).digest()


def fresh(seed: int | None) -> int:
    """A seed from outside; None: a fresh one that nobody can guess."""
    if seed is None:
        return int.from_bytes(os.urandom(8), "little")
    if type(seed) is not int or not 0 <= seed < 1 << 64:
        message = f"expected a whole number from 0 to 2^64 - 1, got {shown(seed)}"
        raise SfumatoError("bad_seed", message, "seed")
    return seed
