"""What a seat knows in Atelier: The Painter's Studio: the observation's types, and reading one back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from ..ext.state import Impossible
from .errors import unknown
from .game import Observation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .errors import SfumatoError
    from .painters_studio import PaintersStudio

SEATS = 4
COLOURS = ("blue", "green", "red", "yellow")
#: the faces of dice by kind; the first is the one that is said
FACES = {"1": 0, "2": 0, "3": 1, "4": 2, "5": 3, "6": 4}
#: what `last` says, by the core's rank less 1
RANKS = [f"{verb} {colour}" for verb in ("place", "gain") for colour in COLOURS]
#: phases with steps in rising order of colours
RISING = ("return", "e_gain", "e_place")
SET_UP = ("patron", "start")

#: of each invariant of the core: the code and the place under which an observation is refused
REFUSALS = (
    ("bad_header", "round"), ("bad_header", "to_move"), ("bad_header", "students"),
    ("bad_painting", "paintings"), ("bad_display", "display"), ("bad_paint", "paint"),
    ("bad_students", "students"), ("bad_tokens", "tokens"), ("bad_dice", "dice"), ("bad_patron", "patrons"),
    ("bad_patron_deck", "returned"), ("bad_master", "first_master"), ("bad_used", "used"),
    ("bad_turn", "spent"), ("bad_turn", "inspired"), ("bad_turn", "last"), ("bad_sub", "sub"),
)


class Counts(msgspec.Struct, forbid_unknown_fields=True):
    """A number per colour."""

    blue: int
    green: int
    red: int
    yellow: int


class Returned(msgspec.Struct, forbid_unknown_fields=True):
    """A patron that a seat put under the deck in set-up."""

    #: null unless this seat returned it or drew it
    patron: str | None
    #: the seat that has drawn it since
    taker: int | None


class Sub(msgspec.Struct, forbid_unknown_fields=True):
    """An action that is not over."""

    #: the painting, or the one whose power it is; null for the move of a die
    card: str | None
    #: the painting was just painted, and its place in the display is empty
    pending: bool
    #: phases return, e_gain, e_place: steps still to do
    left: int | None
    #: the same phases: the lowest colour still allowed
    colour: str | None
    #: phase move: the seat whose student is moved
    owner: int | None
    #: phase move: something was moved already
    moved: bool | None


class Seen(Observation):
    """What a seat knows in Atelier: The Painter's Studio. Paintings and patrons are given by their ids."""

    #: the first starting player
    first_start: int
    #: 0 in set-up
    round: int
    #: the last round, null until somebody is First Master
    final_round: int | None
    first_master: int | None
    #: the paintings face up
    display: list[str]
    #: per seat
    paintings: list[list[str]]
    #: powers that cannot be used again yet
    used: list[str]
    paint: list[Counts]
    #: students at the piles
    students: list[Counts]
    tokens: list[int]
    #: active dice; 0 in set-up and when the game is over
    active: list[int]
    #: faces of the active dice of the seat to move; 1 and 2 are the same
    dice: list[int]
    #: a die was spent in this turn
    spent: bool
    #: with inspiration_ends_turn=false: a die was spent on a token
    inspired: bool
    #: with canonical=true: the decision before, such as "place green", if it sets the order of the next one
    last: str | None
    #: the own ones, null for other seats; all when the game is over
    patrons: list[list[str] | None]
    patron_counts: list[int]
    #: per seat, null before it has chosen and when the game is over
    returned: list[Returned | None]
    sub: Sub | None


class Reader:
    """Reads an observation back: the checks that the core cannot make, then the hidden state's fields, then
    the core's own checks."""

    def __init__(self, game: PaintersStudio, seen: Seen) -> None:
        self.game = game
        self.seen = seen
        self.options = game.option_values(seen.players)
        self.painting_ids = {name: number for number, name in enumerate(game.painting_ids)}
        self.patron_ids = {name: number for number, name in enumerate(game.patron_ids)}

    def refuse(self, code: str, message: str, path: str) -> SfumatoError:
        return self.game.refuse(code, message, path)

    def check_names(self) -> None:
        seen = self.seen
        lists = [("display", seen.display), ("used", seen.used)]
        lists += [(f"paintings[{at}]", owned) for at, owned in enumerate(seen.paintings)]
        for path, names in lists:
            self._check_list(names, self.painting_ids, "bad_painting", path)
        for at, hand in enumerate(seen.patrons):
            self._check_list(hand or [], self.patron_ids, "bad_patron", f"patrons[{at}]")
        alone: list[tuple[str, str | None, Iterable[str], str]] = [
            (f"returned[{at}].patron", each.patron, self.patron_ids, "bad_patron")
            for at, each in enumerate(seen.returned)
            if each
        ]
        alone.append(("last", seen.last, RANKS, "bad_turn"))
        if seen.sub:
            alone.append(("sub.card", seen.sub.card, self.painting_ids, "bad_sub"))
            alone.append(("sub.colour", seen.sub.colour, COLOURS, "bad_sub"))
        for path, name, known, code in alone:
            if name is not None and name not in known:
                raise unknown(code, "name", name, known, path)

    def _check_list(self, names: Sequence[str], known: Iterable[str], code: str, path: str) -> None:
        for at, name in enumerate(names):
            if name not in known:
                raise unknown(code, "name", name, known, f"{path}[{at}]")
            if name in names[:at]:
                raise self.refuse(code, f"{name} stands twice", f"{path}[{at}]")

    def check_numbers(self) -> None:
        for path, number, low, high, code in self._numbers():
            if number is not None and not low <= number <= high:
                raise self.refuse(code, f"expected {low} to {high}, got {number}", path)
        if len(self.seen.dice) > 4:
            raise self.refuse("bad_dice", f"expected at most 4, got {len(self.seen.dice)}", "dice")

    def _numbers(self) -> Iterator[tuple[str, int | None, int, int, str]]:
        """Place, number, smallest, largest, and the code of the refusal."""
        seen, last_seat = self.seen, self.seen.players - 1
        most_rounds = cast("int", self.options["max_rounds"])
        yield "first_start", seen.first_start, 0, last_seat, "bad_header"
        yield "round", seen.round, *((0, 0) if seen.phase in SET_UP else (1, most_rounds)), "bad_header"
        yield "final_round", seen.final_round, 1, most_rounds + 1, "bad_master"
        yield "first_master", seen.first_master, 0, last_seat, "bad_master"
        for at, face in enumerate(seen.dice):
            yield f"dice[{at}]", face, 1, 6, "bad_dice"
        for at in range(seen.players):
            for colour in COLOURS:
                yield f"paint[{at}].{colour}", getattr(seen.paint[at], colour), 0, 15, "bad_paint"
                yield f"students[{at}].{colour}", getattr(seen.students[at], colour), 0, 12, "bad_students"
            yield f"tokens[{at}]", seen.tokens[at], 0, 20, "bad_tokens"
            yield f"active[{at}]", seen.active[at], 0, 4, "bad_dice"
            yield f"patron_counts[{at}]", seen.patron_counts[at], 0, 16, "bad_patron"
            card = seen.returned[at]
            if card:
                yield f"returned[{at}].taker", card.taker, 0, last_seat, "bad_patron_deck"
        if seen.sub:
            yield "sub.left", seen.sub.left, 1, 4, "bad_sub"
            yield "sub.owner", seen.sub.owner, 0, last_seat, "bad_sub"

    def check_patrons(self) -> None:
        """What the seat can know, and that hands are as large as it is said."""
        seen, over = self.seen, self.seen.phase == "over"
        for at, hand in enumerate(seen.patrons):
            if (hand is not None) != (over or at == seen.seat):
                message = "expected null for the other seats, and nothing else" if hand else "expected a list"
                raise self.refuse("bad_knowledge", message, f"patrons[{at}]")
            if hand is not None and len(hand) != seen.patron_counts[at]:
                message = f"expected {seen.patron_counts[at]} patrons, got {len(hand)}"
                raise self.refuse("bad_patron", message, f"patrons[{at}]")
        for at, card in enumerate(seen.returned):
            if card is None:
                continue
            if over:
                raise self.refuse("bad_patron", "is null when the game is over", f"returned[{at}]")
            if card.taker is not None and seen.phase in SET_UP:
                raise self.refuse("bad_patron_deck", "nothing is drawn in set-up", f"returned[{at}].taker")
            if (card.patron is not None) != (seen.seat in (at, card.taker)):
                message = "is given exactly for the own card and those that this seat has drawn"
                raise self.refuse("bad_knowledge", message, f"returned[{at}].patron")
            if card.patron is not None and (card.patron in self._own_hand()) != (card.taker == seen.seat):
                message = "is in the own hand exactly if this seat has drawn it"
                raise self.refuse("bad_knowledge", message, f"returned[{at}].patron")

    def _own_hand(self) -> list[str]:
        return self.seen.patrons[self.seen.seat] or []

    def check_sub(self) -> None:
        seen, sub = self.seen, self.seen.sub
        inside = seen.phase not in (*SET_UP, "turn", "over")
        if (sub is not None) != inside:
            raise self.refuse("bad_sub", f"expected {'a map' if inside else 'null'} in this phase", "sub")
        if sub is None:
            return
        for field, phases in {"left": RISING, "colour": RISING, "owner": ["move"], "moved": ["move"]}.items():
            if (getattr(sub, field) is not None) != (seen.phase in phases):
                message = f"is used in phase {' and '.join(phases)}, and only there"
                raise self.refuse("bad_sub", message, f"sub.{field}")

    def fields(self) -> dict[str, Any]:
        """The hidden state's fields."""
        seen, sub = self.seen, self.seen.sub or Sub(None, False, None, None, None, None)
        hands, tail = self._lay_patrons()
        takers = [None if card is None else card.taker for card in seen.returned]
        kinds = [FACES[str(face)] for face in seen.dice]
        return {
            "phase": self.game.phases.index(seen.phase),
            "first_start": seen.first_start,
            "round": seen.round,
            "final_round": seen.final_round or 0,
            "first_master": or_none(seen.first_master),
            "spent": seen.spent,
            "last_rank": 0 if seen.last is None else 1 + RANKS.index(seen.last),
            "display": self._paintings(seen.display),
            "owned": padded([self._paintings(owned) for owned in seen.paintings], 0),
            "used": self._paintings(seen.used),
            "hand": padded(hands, 0),
            "tail": padded(tail, -1),
            "taker": padded([or_none(taker) for taker in takers], -1),
            "students": padded([msgspec.structs.astuple(counts) for counts in seen.students], [0] * 4),
            "paint": padded([msgspec.structs.astuple(counts) for counts in seen.paint], [0] * 4),
            "tokens": padded(seen.tokens, 0),
            "active": padded(seen.active, 0),
            "dice": [kinds.count(kind) for kind in range(5)],
            "inspired": seen.inspired,
            "left": sub.left or 0,
            "colour": 0 if sub.colour is None else COLOURS.index(sub.colour),
            "owner": sub.owner or 0,
            "moved": sub.moved or False,
            "pending": sub.pending,
            "card": -1 if sub.card is None else self.painting_ids[sub.card],
        }

    def _paintings(self, names: Iterable[str]) -> int:
        return sum(1 << self.painting_ids[name] for name in names)

    def _patrons(self, names: Iterable[str]) -> int:
        return sum(1 << self.patron_ids[name] for name in names)

    def _lay_patrons(self) -> tuple[list[int], list[int]]:
        """Hands and returned cards, the unknown ones in table order over their places, as the core's `hide`
        lays them."""
        seen = self.seen
        hands = [self._patrons(hand or []) for hand in seen.patrons]
        takers = [card.taker if card else None for card in seen.returned]
        tail = [self.patron_ids[card.patron] if card and card.patron else -1 for card in seen.returned]
        if seen.phase == "over":
            return hands, tail
        known = {*(self.patron_ids[name] for name in self._own_hand()), tail[seen.seat]}
        free = [patron for patron in range(len(self.patron_ids)) if patron not in known]
        others = [at for at in range(seen.players) if at != seen.seat]
        kept = {at: seen.patron_counts[at] - takers.count(at) for at in others}
        places = sum(kept.values()) + sum(card is not None and card.patron is None for card in seen.returned)
        if min(kept.values()) < 1 or places > len(free):
            raise self.refuse("bad_patron_deck", "so many cards cannot have been drawn", "patron_counts")
        for at in others:
            for _ in range(kept[at]):
                hands[at] |= 1 << free.pop(0)
        for at, card in enumerate(seen.returned):
            if card and card.patron is None:
                tail[at] = free.pop(0)
            taker = takers[at]
            if taker is not None:
                hands[taker] |= 1 << tail[at]
        return hands, tail

    def check_position(self, fields: dict[str, Any]) -> None:
        """The core's invariants, each under its own code."""
        to_move = -1 if self.seen.to_move is None else self.seen.to_move
        state = self.game.write_state({**fields, "to_move": to_move})
        try:
            self.game.table(self.seen.players).read(state)
        except Impossible as error:
            code, path = REFUSALS[error.invariant - 1]
            raise self.refuse(code, f"no such position: {self.game.broken(error)}", path) from None


def or_none(seat: int | None) -> int:
    return -1 if seat is None else seat


def padded(values: Sequence[Any], filler: Any) -> list[Any]:
    """An entry for each seat that there can be."""
    return [*values, *[filler] * (SEATS - len(values))]
