"""`Game`: one set of rules (a game, its options, its card table), the same class for every game.

A game's own module subclasses it and gives the game its words: how rules are written from the card table,
what actions and events are called, what a seat's observation says, how a table is drawn. Everything else
is here, and speaks to the game through its core only.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from functools import cached_property
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

import msgspec

from ..ext.state import Impossible, Misfit
from .errors import SfumatoError, short, shown, unknown
from .layout import Layout, OutOfRange
from .state import State, fresh

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import SimpleNamespace

    from ..ext.state import Position, Table
    from .option import Option, Value
    from .speech import Speech


#: bytes of a card table's file
LARGEST_FILE = 1_000_000


#: a value of a search's setting
Setting = str | int | float


class Observation(msgspec.Struct, forbid_unknown_fields=True):
    """What a seat knows. Every game's observation starts with these fields."""

    game: str
    #: digest of the card table
    cards: str
    options: dict[str, str | int | bool]
    players: int
    #: the seat that looks
    seat: int
    #: the seat that decides, null when the game is over
    to_move: int | None
    #: what is asked
    phase: str


class Game:
    """A game with its rules; `load` makes one."""

    #: The one stem that names the game everywhere.
    name: ClassVar[str]
    title: ClassVar[str]
    #: player counts
    seats: ClassVar[range]
    #: words of the phases, in the core's order
    phases: ClassVar[tuple[str, ...]]
    options: ClassVar[tuple[Option, ...]] = ()
    #: the compiled module: RULES, STATE, EVENT and table()
    core: Any
    #: types of the card table and of the observation: validation and JSON Schema come from them
    card_table: ClassVar[type[msgspec.Struct]]
    observation: ClassVar[type[Observation]]
    #: the observation's lists with an entry per seat
    per_seat: ClassVar[tuple[str, ...]] = ()
    #: what each of the core's invariants is about, in the order of their numbers
    invariants: ClassVar[tuple[str, ...]] = ()
    #: worlds that `follow` deals before it refuses a report
    follow_tries: ClassVar[int] = 10_000
    #: settings with which a search plays this game best, by recorded matches; those left out are plain
    search: ClassVar[Mapping[str, Setting]] = {}

    # --- what a game's own module gives -------------------------------------------------------------

    #: the words of scripts and events, in the order of the core's numbers (set in `prepare`)
    speech: Speech

    def prepare(self, cards: Any) -> None:
        """Checks the card table beyond its types and keeps what words need. Raise `self.bad_cards`."""
        raise NotImplementedError

    def digest_of(self, cards: Any) -> object:
        """The part of the card table that changes play: what the digest covers."""
        raise NotImplementedError

    def write_rules(self, players: int, options: Mapping[str, Value]) -> dict[str, Any]:
        """The fields of the core's RULES struct."""
        raise NotImplementedError

    def action_words(self) -> list[str | None]:
        """The words of every action id and then of every label; None: no such card in this table."""
        raise NotImplementedError

    def tell(self, event: SimpleNamespace, seat: int | None) -> list[str]:
        """What a step showed to the seat beyond the action, in words; None: all of it."""
        raise NotImplementedError

    def remarks(self, event: SimpleNamespace) -> list[str]:  # noqa: ARG002
        """What a person may like to be told of a step although it follows from what all have seen."""
        return []

    def tell_setup(self, state: SimpleNamespace, seat: int | None, players: int) -> list[str]:
        """What the set-up showed to the seat: the position that `new` gave, in words."""
        raise NotImplementedError

    def observe(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, Any]:
        """The observation's own fields, after those of `Observation`. The state is hidden already."""
        raise NotImplementedError

    def hidden_places(
        self, state: SimpleNamespace, seat: int, players: int  # noqa: ARG002
    ) -> dict[str, list[str]]:
        """The cards that lie where the seat cannot see them in this world, place by place: others' hands."""
        return {}

    def restore(self, seen: Any) -> dict[str, Any]:
        """The fields of the core's STATE struct, hidden, from an observation whose envelope is checked.
        Raises `self.refuse(code, message, path)`."""
        raise NotImplementedError

    def draw(self, state: SimpleNamespace, seat: int | None, players: int) -> str:
        """The table for people, at most 80 columns wide. The state is hidden already unless seat is None."""
        raise NotImplementedError

    # --- loading ------------------------------------------------------------------------------------

    def __init__(self, cards: str | Path | None = None, **options: Value) -> None:
        self.cards_file = f"{self.name}.toml"
        if not isinstance(cards, str | Path | None):
            raise SfumatoError("bad_cards", f"expected the name of a file, got {shown(cards)}", "cards")
        if cards is not None:
            self.cards_file = str(cards)
        written = self._read_cards(cards)
        self._option_defaults: dict[str, Any] = written.pop("options", {})
        self._check_options(options)
        try:
            table = msgspec.convert(written, self.card_table)
        except msgspec.ValidationError as error:
            message, path = place(error)
            raise self.bad_cards(message, path) from None
        self.prepare(table)
        self.cards_digest = digest([self.name, self.digest_of(table)])
        self._tables: dict[int, Table] = {}
        self._state = Layout(self.core.STATE)
        self._event = Layout(self.core.EVENT)

    def _read_cards(self, cards: str | Path | None) -> dict[str, Any]:
        """The game's own TOML, with the sections that another file replaces."""
        written = tomllib.loads(Path(__file__).with_name(f"{self.name}.toml").read_text("utf-8"))
        if cards is None:
            return written
        try:
            with Path(cards).open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
            if len(data) > LARGEST_FILE:
                raise self.bad_cards(f"a card table has at most {LARGEST_FILE} bytes", "")
            other = tomllib.loads(data.decode())
        except OSError as error:
            raise self.bad_cards(error.strerror or "cannot be read", "") from None
        except (ValueError, RecursionError) as error:
            if isinstance(error, SfumatoError):
                raise
            raise self.bad_cards(f"not a TOML file: {error}", "") from None
        for section in other:
            if section not in written:
                raise unknown("bad_cards", "section", section, written, self.cards_file)
        if not isinstance(other.get("options", {}), dict):
            raise self.bad_cards(f"expected a section, got {shown(other['options'])}", "options")
        options = {**written.get("options", {}), **other.get("options", {})}
        return {**written, **other, **({"options": options} if options else {})}

    def _check_options(self, given: Mapping[str, Value]) -> None:
        by_name = {option.name: option for option in self.options}
        for name, value in given.items():
            if name not in by_name:
                raise unknown("bad_option", f"option of {self.name}", name, by_name)
            by_name[name].accept(value)
        for name in self._option_defaults:
            if name not in by_name:
                raise unknown("bad_cards", "option", name, by_name, f"{self.cards_file}: options")
        for option in self.options:
            if option.name not in self._option_defaults:
                raise self.bad_cards("missing", f"options.{option.name}")
            self._check_default(option, self._option_defaults[option.name])
        self._options_given = dict(given)

    def _check_default(self, option: Option, written: object) -> None:
        """Refuses a default that some player count cannot use, or that no player count would."""
        path = f"{self.cards_file}: options.{option.name}"
        if isinstance(written, dict):
            counts = [str(players) for players in self.seats]
            for players in written:
                if players not in counts:
                    raise unknown("bad_cards", "player count", players, counts, path)
        for players in self.seats:
            try:
                option.default(written, players, path)
            except SfumatoError as error:
                raise SfumatoError("bad_cards", error.message, error.path) from None

    def bad_cards(self, message: str, path: str) -> SfumatoError:
        """The error for a card table: file, entry and field."""
        return SfumatoError("bad_cards", message, f"{self.cards_file}: {path}" if path else self.cards_file)

    def option_values(self, players: int) -> dict[str, Value]:
        """The options in force with so many players."""
        self.require_players(players)
        return {
            option.name: self._options_given[option.name]
            if option.name in self._options_given
            else option.default(self._option_defaults[option.name], players, option.name)
            for option in self.options
        }

    def table(self, players: int) -> Table:
        """The core with the rules for so many players."""
        self.require_players(players)
        if players not in self._tables:
            rules = Layout(self.core.RULES).write(self.write_rules(players, self.option_values(players)))
            self._tables[players] = self.core.table(rules)
        return self._tables[players]

    def require_players(self, players: int) -> None:
        if type(players) is not int or players not in self.seats:
            low, high = self.seats[0], self.seats[-1]
            counts = str(low) if low == high else f"{low} to {high}"
            message = f"{self.name} is for {counts} players, not {shown(players)}"
            raise SfumatoError("bad_players", message, "players")

    def rules_digest(self, players: int) -> bytes:
        """What saved states are bound to: game, card table, options, player count and the state's layout."""
        options, layout = self.option_values(players), self._state.written
        return bytes.fromhex(digest([self.name, self.cards_digest, players, options, layout]))

    def read_state(self, data: bytes) -> SimpleNamespace:
        return self._state.read(data)

    def write_state(self, fields: Mapping[str, Any]) -> bytes:
        return self._state.write(fields)

    def read_event(self, data: bytes) -> SimpleNamespace:
        return self._event.read(data)

    # --- states -------------------------------------------------------------------------------------

    def new(self, players: int | None = None, seed: int | None = None, seen: Sequence[str] = ()) -> State:
        """A table set up. `seen` scripts the set-up; what it leaves out is drawn."""
        table = self.table(self.seats[0] if players is None else players)
        script = self.speech.read(seen)
        try:
            return State(self, table.new(fresh(seed), script or None), new=True)
        except Misfit:
            raise SfumatoError("bad_event", "the set-up cannot be as these words say", "seen") from None

    def from_bytes(self, data: bytes) -> State:
        """A state that `State.to_bytes` wrote."""
        return State.read(self, data)

    def from_observation(self, seen: Mapping[str, Any], seed: int | None = None) -> State:
        """A state that the observation's seat cannot tell from the real one."""
        observation, hidden = self._restored(seen)
        return State(self, hidden.deal(observation.seat, fresh(seed)))

    def start(self, players: int, seat: int, seen: Sequence[str]) -> dict[str, Any]:
        """The first observation of a seat, from the words of what the set-up showed to it."""
        state = self.new(players, seen=seen)
        self._require_same(state.setup_words(seat), seen)
        return state.observation(seat)

    def follow(
        self, observation: Mapping[str, Any], action: int | str, seen: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The seat's next observation, from what was played (an action, or the label that the seat saw)
        and what the seat saw of the step beyond it."""
        looked, hidden = self._restored(observation)
        if looked.to_move is None:
            raise SfumatoError("bad_action", "the game is over", "action")
        label = self.action_id(action)
        script = self.speech.read(seen)
        # Any seed will do: the result does not depend on the world (law 5). A world may obey the script
        # and still show more, or other things, than the report says: then it is another world's turn.
        # Each turn deals one world at least, so that there are no more than `follow_tries` in all.
        left, seed = self.follow_tries, 0
        other: dict[bytes, list[str]] = {}  # events met that are not the report's, and their words
        while left > 0 and (found := hidden.follow(looked.seat, label, script, left, seed)) is not None:
            world, event, dealt = found
            left, seed = left - dealt, seed + 1
            if event in other:
                continue
            told = self.tell(self.read_event(event), looked.seat)
            if self.speech.read(told) == script:
                return State(self, world).observation(looked.seat)
            other[event] = told
        if other:
            self._require_same(next(iter(other.values())), seen)
        # Was it the report, or the action? Without a script only the action has to fit.
        if hidden.follow(looked.seat, label, [], self.follow_tries, seed) is None:
            raise SfumatoError("bad_action", f"{self.words(label)} cannot be played here", "action")
        message = f"no possible table shows {shown(list(seen))} after {self.words(label)}"
        raise SfumatoError("bad_event", message, "seen")

    def _require_same(self, told: Sequence[str], seen: Sequence[str]) -> None:
        """Refuses a report with a word missing, too many, or out of order."""
        if self.speech.read(told) != self.speech.read(seen):
            due, said = self.speech.heads(told), self.speech.heads(seen)
            raise SfumatoError("bad_event", f"expected the words {due}, got {said}", "seen")

    def _restored(self, given: Mapping[str, Any]) -> tuple[Observation, Position]:
        """The observation, typed, and the hidden position that it writes down."""
        seen = self._typed(given)
        self._check_envelope(seen)
        self._check_turn(seen)
        try:
            fields = self.restore(seen)
            fields["to_move"] = -1 if seen.to_move is None else seen.to_move
            hidden = self.table(seen.players).read(self.write_state(fields)).hide(seen.seat)
        except OutOfRange as error:
            path = error.field if hasattr(seen, error.field) else ""
            raise SfumatoError("inconsistent", f"no such position: {error}", path) from None
        except ValueError as error:
            if isinstance(error, SfumatoError):
                raise
            raise SfumatoError("inconsistent", f"no such position: {self.broken(error)}") from None
        # The map and the hidden position are two writings of one thing.
        written = State(self, hidden).observation(seen.seat)
        differing = difference(msgspec.to_builtins(self.normal(seen)), written)
        if differing is not None:
            path, got, expected = differing
            raise SfumatoError("inconsistent", f"expected {expected}, got {got}", path)
        return seen, hidden

    def _typed(self, given: Mapping[str, Any]) -> Observation:
        try:
            seen = msgspec.convert(given, self.observation)
        except msgspec.ValidationError as error:
            message, path = place(error)
            raise SfumatoError("bad_field", message, path) from None
        except UnicodeEncodeError as error:
            raise SfumatoError("bad_field", f"a name is not text: {error.reason}") from None
        except (AttributeError, RecursionError, TypeError):
            # msgspec trips over some objects that no message could bring.
            raise SfumatoError("bad_field", "expected plain maps, lists, texts and numbers") from None
        # What no message could carry: numbers of more than 64 bits, text with half characters.
        for field in self.observation.__struct_fields__:
            try:
                msgspec.msgpack.encode(getattr(seen, field))
            except (OverflowError, UnicodeEncodeError):
                message = "expected text and numbers of at most 64 bits"
                raise SfumatoError("bad_field", message, field) from None
        return seen

    def broken(self, error: ValueError) -> str:
        """Why the core refused a position: an invariant by what it is about."""
        if isinstance(error, Impossible) and error.invariant <= len(self.invariants):
            return f"{self.invariants[error.invariant - 1]} ({error})"
        return str(error)

    def normal(self, seen: Any) -> Any:
        """The observation with its lists in the order in which they are written."""
        return seen

    def _check_envelope(self, seen: Observation) -> None:
        if seen.game != self.name:
            raise SfumatoError("bad_field", f"expected {self.name!r}, got {shown(seen.game)}", "game")
        if seen.phase not in self.phases:
            raise unknown("bad_field", "phase", seen.phase, self.phases, "phase")
        if seen.cards != self.cards_digest:
            raise SfumatoError("bad_table", f"the loaded card table is {self.cards_digest}", "cards")
        self.table(seen.players)
        if not 0 <= seen.seat < seen.players:
            message = f"expected 0 to {seen.players - 1}, got {shown(seen.seat)}"
            raise SfumatoError("bad_players", message, "seat")
        if seen.to_move is not None and not 0 <= seen.to_move < seen.players:
            message = f"expected 0 to {seen.players - 1}, got {shown(seen.to_move)}"
            raise SfumatoError("bad_players", message, "to_move")
        for field in self.per_seat:
            if len(getattr(seen, field)) != seen.players:
                message = f"expected one entry for each of {seen.players} seats"
                raise SfumatoError("bad_players", message, field)
        mine = self.option_values(seen.players)
        for name in seen.options:
            if name not in mine:
                raise unknown("bad_option", "option", name, mine, f"options.{short(name)}")
        for name, value in mine.items():
            if name not in seen.options:
                raise SfumatoError("bad_option", "missing", f"options.{name}")
            if type(seen.options[name]) is not type(value) or seen.options[name] != value:
                message = f"the loaded game has {value!r}, not {shown(seen.options[name])}"
                raise SfumatoError("bad_option", message, f"options.{name}")

    def _check_turn(self, seen: Observation) -> None:
        """Nobody is to move exactly in the last phase."""
        if (seen.to_move is None) != (seen.phase == self.phases[-1]):
            raise SfumatoError("bad_turn", f"must be null exactly in phase {self.phases[-1]!r}", "to_move")

    def refuse(self, code: str, message: str, path: str) -> SfumatoError:
        """The error for a place in an observation."""
        return SfumatoError(code, message, path)

    # --- words --------------------------------------------------------------------------------------

    @cached_property
    def _words(self) -> list[str | None]:
        return self.action_words()

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {words: number for number, words in enumerate(self._words) if words is not None}

    def words(self, action: int) -> str:
        """An action, or a label, in words."""
        words = self._words[action] if type(action) is int and 0 <= action < len(self._words) else None
        if words is None:
            raise SfumatoError("bad_action", f"{self.name} has no action {shown(action)}", "action")
        return words

    def action_id(self, action: SupportsIndex | str) -> int:
        """The id of an action or label given by id (a number, or a search's move) or in words."""
        if isinstance(action, str):
            words = " ".join(action.split())
            if words not in self._ids:
                raise unknown("bad_action", "action", words, self._ids, "action")
            return self._ids[words]
        number = action if isinstance(action, bool) or not hasattr(action, "__index__") else index(action)
        self.words(number)  # type: ignore[arg-type]
        return int(number)

    @property
    def hidden(self) -> bool:
        return self.table(self.seats[0]).hidden

    @property
    def random(self) -> bool:
        return self.table(self.seats[0]).random

    @cached_property
    def rules_page(self) -> str:
        """The game's rules, rulings and provenance of numbers, in Markdown."""
        return Path(__file__).with_name(f"{self.name}.md").read_text("utf-8")

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the game's observations."""
        return msgspec.json.schema(self.observation)


def digest(value: object) -> str:
    """A short name for a value made of plain data."""
    return hashlib.blake2b(msgspec.json.encode(value, order="sorted"), digest_size=16).hexdigest()


def place(error: msgspec.ValidationError) -> tuple[str, str]:
    """A validation error's message, and the path of the place without its leading `$.`."""
    message, _, path = str(error).partition(" - at `")
    if path.startswith("key` in `"):
        message, path = f"{message} as a name", path.removeprefix("key` in `")
    path = path.rstrip("`").removeprefix("$").removeprefix(".")
    # msgspec names the map that lacks a field, or has one too many; the field itself is a better place.
    field = re.search("(?:missing required|contains unknown) field `(.*)`$", message, re.DOTALL)
    if field:
        path = f"{path}.{short(field[1])}" if path else short(field[1])
    return message[:1].lower() + message[1:], path


def difference(given: Any, expected: Any, path: str = "") -> tuple[str, str, str] | None:
    """The first place where two plain values differ, and what stands there in each."""
    if given == expected:
        return None
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(given, dict) and isinstance(expected, dict):
        for name in {**expected, **given}:
            inner = f"{path}.{name}" if path else name
            if name not in given:
                return inner, "nothing", shown(expected[name])
            if name not in expected:
                return inner, shown(given[name]), "nothing"
            pairs.append((inner, given[name], expected[name]))
    elif isinstance(given, list) and isinstance(expected, list) and len(given) == len(expected):
        both = enumerate(zip(given, expected, strict=True))
        pairs = [(f"{path}[{index}]", *pair) for index, pair in both]
    found = (difference(mine, other, inner) for inner, mine, other in pairs)
    return next((differing for differing in found if differing), (path, shown(given), shown(expected)))
