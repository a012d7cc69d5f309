"""Atelier: The Painter's Studio: words, drawing and observations of ext/painters_studio.pyx."""

from __future__ import annotations

from itertools import permutations
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from ..ext import painters_studio
from .errors import unknown
from .game import Game, Observation
from .option import Option
from .painters_studio_seen import (
    COLOURS,
    FACES,
    RANKS,
    RISING,
    SET_UP,
    Counts,
    Reader,
    Returned,
    Seen,
    Sub,
)
from .speech import Speech, Spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import SimpleNamespace

    from .game import Setting
    from .option import Value

NONE = 255
WIDTH = 80
CATEGORIES = ("impressionist", "post_impressionist", "realist", "romantic")
KINDS = ("place", "move", "collect", "paint", "gain")
#: by the core's numbers
WHEN = (None, "turn", "painted")
EFFECTS = (
    "gain_paint", "gain_inspiration", "place_students", "collect_paint", "move_students", "draw_patron",
    "recover_die", "swap_paint", "set_die", "reroll_die", "move_own", "buy_paint",
)
#: effects whose number may be more than 1, and the most that it may be
AMOUNTS = {"gain_paint": 4, "gain_inspiration": 4, "place_students": 4, "set_die": 6}
#: what a patron counts, and how a person is told
SCORES = {
    "per_category": "{arg} painting",
    "per_colour": "painting with {arg}",
    "per_set": "set of all categories",
    "per_masterpiece": "masterpiece",
    "per_other": "painting without the symbol",
    "per_power": "painting with a power",
    "per_big": "painting of {arg} points or more",
    "per_inspiration": "token left",
    "per_lead": "pile led",
    "per_paint": "{arg} paint left",
}
#: scores that are no count of own paintings, by the core's numbers from 1 on
NOT_OF_SET = ("per_set", "per_inspiration", "per_lead", "per_paint")

PaintingId = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$", max_length=4)]
PatronId = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$", max_length=18)]
Small = Annotated[int, msgspec.Meta(ge=0, le=12)]
Points = Annotated[int, msgspec.Meta(ge=0, le=50)]


class Painting(msgspec.Struct, forbid_unknown_fields=True):
    id: PaintingId
    cat: str
    cost: Annotated[list[Small], msgspec.Meta(min_length=4, max_length=4)]
    vp: Points
    ret: Annotated[int, msgspec.Meta(ge=0, le=4)]
    mp: bool = False
    when: str | None = None
    effect: str | None = None
    n: int = 1
    name: str = ""


class Patron(msgspec.Struct, forbid_unknown_fields=True):
    id: PatronId
    score: str
    vp: Points
    max: Points
    arg: str | int | None = None


class Lists(msgspec.Struct, forbid_unknown_fields=True):
    painting: Annotated[list[Painting], msgspec.Meta(min_length=40, max_length=40)]
    patron: Annotated[list[Patron], msgspec.Meta(min_length=16, max_length=16)]
    source: str = ""


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    source: str = ""
    paint_per_colour: int = 15
    inspiration: int = 20
    students: int = 12
    dice: int = 4
    display: int = 7
    start_tokens: int = 1
    first_master_vp: int = 4
    masterpieces_to_end: int = 3
    cost_reroll: int = 1
    cost_paint: int = 2
    cost_patron: int = 3


class Cards(msgspec.Struct, forbid_unknown_fields=True):
    cards: Lists
    numbers: Numbers


class PaintersStudio(Game):
    """Send students for paint with dice, paint pictures with powers, and please your secret patrons."""

    name = "painters_studio"
    title = "Atelier: The Painter's Studio"
    seats = range(2, 5)
    phases = ("patron", "start", "turn", "return", "move", "e_gain", "e_place", "e_own", "e_swap", "e_set",
              "e_reroll", "e_buy", "over")
    core = painters_studio
    card_table = Cards
    observation: ClassVar[type[Observation]] = Seen
    per_seat = ("paintings", "paint", "students", "tokens", "active", "patrons", "patron_counts", "returned")
    # bench/README.md has the matches
    search: ClassVar[Mapping[str, Setting]] = {
        "c": 0.2, "urgency": 0.1, "guided": True, "noise": 0.0, "cut": 16, "score": 0.3,
    }
    invariants = (
        "a number that the game does not have",
        "patrons were not chosen in their order",
        "the first students were not placed in their order",
        "a painting in two places",
        "the display has more or fewer paintings than it should",
        "more paint than there is",
        "more students than a player has",
        "more tokens than there are",
        "dice that do not agree with the active ones",
        "a patron in two places, or none in a hand",
        "patrons that cannot have been drawn so",
        "the First Master or the last round cannot be so",
        "a power marked as used that cannot have been",
        "a turn in which no die was spent and none is left, or a die spent outside a turn",
        "a die spent on a token in a turn that such a die ends",
        "an order of dice where none holds",
        "an action that cannot have come so far",
    )
    options = (
        Option("inspiration_ends_turn", "a turn ends when its die is spent on a token", (True, False)),
        Option("power_refresh", "a power works once in every own turn, or once a round", ("turn", "round")),
        Option("max_rounds", "the game ends after so many rounds", low=1, high=99),
        Option("canonical", "dice that may come in any order come in one order only", (True, False)),
    )

    # --- cards ---------------------------------------------------------------------------------------

    def prepare(self, cards: Cards) -> None:
        if msgspec.structs.replace(cards.numbers, source="") != Numbers():
            raise self.bad_cards("these numbers are fixed and cannot be replaced", "numbers")
        self.paintings = cards.cards.painting
        self.patrons = cards.cards.patron
        self.painting_ids = self._distinct([each.id for each in self.paintings], "cards.painting")
        self.patron_ids = self._distinct([each.id for each in self.patrons], "cards.patron")
        for at, painting in enumerate(self.paintings):
            self._check_painting(painting, f"cards.painting[{at}]")
        for at, patron in enumerate(self.patrons):
            self._check_patron(patron, f"cards.patron[{at}]")
        masterpieces = sum(painting.mp for painting in self.paintings)
        if masterpieces < 9:
            message = f"expected at least 9 masterpieces, so that somebody gets 3; got {masterpieces}"
            raise self.bad_cards(message, "cards.painting")
        self.speech = Speech(
            Spoken("start"),
            Spoken("display", self.painting_ids, unordered=True),
            Spoken("deal", self.patron_ids, seat=True, unordered=True),
            Spoken("die", FACES),
            Spoken("patron", self.patron_ids),
            Spoken("refill", self.painting_ids),
            Spoken("roll", FACES, unordered=True),
            Spoken("hand", self.patron_ids, seat=True, unordered=True),
        )

    def _distinct(self, names: list[str], path: str) -> list[str]:
        for at, name in enumerate(names):
            if name in names[:at]:
                raise self.bad_cards(f"{name} is listed twice", f"{path}[{at}].id")
        return names

    def _check_word(self, what: str, word: str, known: Iterable[str], path: str) -> None:
        if word not in known:
            raise unknown("bad_cards", what, word, known, f"{self.cards_file}: {path}")

    def _check_painting(self, painting: Painting, path: str) -> None:
        self._check_word("category", painting.cat, CATEGORIES, f"{path}.cat")
        if not 1 <= sum(painting.cost) <= 12:
            raise self.bad_cards(f"expected 1 to 12 paints, got {sum(painting.cost)}", f"{path}.cost")
        if (painting.when is None) != (painting.effect is None):
            raise self.bad_cards("a power has both `when` and `effect`", path)
        if painting.when is None or painting.effect is None:
            if painting.n != 1:
                raise self.bad_cards("a painting without a power has no n", f"{path}.n")
            return
        self._check_word("time of a power", painting.when, ("turn", "painted"), f"{path}.when")
        self._check_word("effect", painting.effect, EFFECTS, f"{path}.effect")
        if painting.effect == "recover_die" and painting.when != "painted":
            raise self.bad_cards("recover_die works when painted only", f"{path}.when")
        most = AMOUNTS.get(painting.effect, 1)
        if not 1 <= painting.n <= most:
            expected = "1" if most == 1 else f"1 to {most}"
            raise self.bad_cards(f"expected {expected} for {painting.effect}, got {painting.n}", f"{path}.n")

    def _check_patron(self, patron: Patron, path: str) -> None:
        self._check_word("score", patron.score, SCORES, f"{path}.score")
        path = f"{path}.arg"
        if patron.score in ("per_category", "per_colour"):
            known = CATEGORIES if patron.score == "per_category" else COLOURS
            if not isinstance(patron.arg, str):
                raise self.bad_cards(f"expected one of {', '.join(known)}, got {patron.arg!r}", path)
            self._check_word(patron.score.removeprefix("per_"), patron.arg, known, path)
        elif patron.score in ("per_paint", "per_big"):
            if type(patron.arg) is not int or not 1 <= patron.arg <= 60:
                raise self.bad_cards(f"expected a number from 1 to 60, got {patron.arg!r}", path)
        elif patron.arg is not None:
            raise self.bad_cards(f"{patron.score} has no arg", path)

    def digest_of(self, cards: Cards) -> object:  # noqa: ARG002
        paintings = [msgspec.structs.replace(painting, name="") for painting in self.paintings]
        return msgspec.to_builtins([paintings, self.patrons])

    def write_rules(self, players: int, options: Mapping[str, Value]) -> dict[str, Any]:
        return {
            "category": [self._set(each.cat == name for each in self.paintings) for name in CATEGORIES],
            "masterpieces": self._set(each.mp for each in self.paintings),
            "turn_powers": self._set(each.when == "turn" for each in self.paintings),
            "counted": [
                self._set(counts(patron, each) for each in self.paintings) for patron in self.patrons
            ],
            "cost": [each.cost for each in self.paintings],
            "points": [each.vp for each in self.paintings],
            "sends_home": [each.ret for each in self.paintings],
            "when": [WHEN.index(each.when) for each in self.paintings],
            "effect": [EFFECTS.index(each.effect) if each.effect else 0 for each in self.paintings],
            "amount": [FACES[str(each.n)] if each.effect == "set_die" else each.n for each in self.paintings],
            "patron_counts": [
                1 + NOT_OF_SET.index(each.score) if each.score in NOT_OF_SET else 0 for each in self.patrons
            ],
            "patron_unit": [each.arg if each.score == "per_paint" else 1 for each in self.patrons],
            "patron_points": [each.vp for each in self.patrons],
            "patron_most": [each.max for each in self.patrons],
            "players": players,
            "max_rounds": options["max_rounds"],
            "inspiration_ends": options["inspiration_ends_turn"],
            "once_a_round": options["power_refresh"] == "round",
            "canonical": options["canonical"],
        }

    @staticmethod
    def _set(flags: Iterable[bool]) -> int:
        return sum(1 << number for number, flag in enumerate(flags) if flag)

    # --- words ---------------------------------------------------------------------------------------

    def action_words(self) -> list[str | None]:
        words = [f"keep {patron}" for patron in self.patron_ids]
        words += [f"{verb} {colour}" for verb in ("place", "gain", "back") for colour in COLOURS]
        words += ["move", "collect", "inspire", "reroll", "draw_patron", "end_turn", "skip"]
        words += [f"shift {giver} {taker}" for giver, taker in permutations(COLOURS, 2)]
        words += [f"die {kind}" for kind in KINDS]
        for verb in ("paint", "inspire_paint", "use"):
            words += [f"{verb} {painting}" for painting in self.painting_ids]
        return [*words, "keep ?"]

    def tell(self, event: SimpleNamespace, seat: int | None) -> list[str]:
        words = []
        if event.die != NONE:
            words.append(self.speech.say("die", event.die))
        if event.patron != NONE and seat in (None, event.mover):
            words.append(self.speech.say("patron", event.patron))
        if event.refill != NONE:
            words.append(self.speech.say("refill", event.refill))
        if any(event.roll):
            words.append(self.speech.say("roll", *kinds_of(event.roll)))
        hands = [(other, members(hand)) for other, hand in enumerate(event.hand) if hand]
        return words + [self.speech.say("hand", *hand, seat=other) for other, hand in hands]

    def remarks(self, event: SimpleNamespace) -> list[str]:
        said = []
        if event.collected:
            said.append(f"collects {', '.join(COLOURS[colour] for colour in members(event.collected))}")
        if event.master != NONE:
            said.append(f"seat {event.master} is First Master: one more round follows this one")
        if event.round:
            said.append(f"round {event.round} begins")
        return said

    def tell_setup(self, state: SimpleNamespace, seat: int | None, players: int) -> list[str]:
        words = [self.speech.say("start", state.first_start)]
        words.append(self.speech.say("display", *members(state.display)))
        return words + [
            self.speech.say("deal", *members(state.hand[other]), seat=other)
            for other in range(players)
            if seat in (None, other)
        ]

    # --- observations --------------------------------------------------------------------------------

    def observe(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, Any]:
        over, everybody = state.to_move < 0, range(players)
        return {
            "first_start": state.first_start,
            "round": state.round,
            "final_round": state.final_round or None,
            "first_master": seat_or_null(state.first_master),
            "display": self._names(state.display),
            "paintings": [self._names(state.owned[other]) for other in everybody],
            "used": self._names(state.used),
            "paint": [Counts(*state.paint[other]) for other in everybody],
            "students": [Counts(*state.students[other]) for other in everybody],
            "tokens": state.tokens[:players],
            "active": state.active[:players],
            "dice": faces_of(state.dice),
            "spent": bool(state.spent),
            "inspired": bool(state.inspired),
            "last": RANKS[state.last_rank - 1] if state.last_rank else None,
            "patrons": [
                self._patrons(state.hand[other]) if over or other == seat else None for other in everybody
            ],
            "patron_counts": [len(members(state.hand[other])) for other in everybody],
            "returned": [self._returned(state, other, seat) for other in everybody],
            "sub": self._sub(state),
        }

    def _names(self, paintings: int) -> list[str]:
        return [self.painting_ids[number] for number in members(paintings)]

    def _patrons(self, patrons: int) -> list[str]:
        return [self.patron_ids[number] for number in members(patrons)]

    def _returned(self, state: SimpleNamespace, other: int, seat: int | None) -> Returned | None:
        """The card that a seat returned, as far as a seat knows it; None: all is known."""
        if state.tail[other] < 0:
            return None
        known = seat in (None, other, state.taker[other])
        return Returned(
            self.patron_ids[state.tail[other]] if known else None, seat_or_null(state.taker[other])
        )

    def _sub(self, state: SimpleNamespace) -> Sub | None:
        phase = self.phases[state.phase]
        if phase in (*SET_UP, "turn", "over"):
            return None
        rising, move = phase in RISING, phase == "move"
        return Sub(
            card=None if state.card < 0 else self.painting_ids[state.card],
            pending=bool(state.pending),
            left=state.left if rising else None,
            colour=COLOURS[state.colour] if rising else None,
            owner=state.owner if move else None,
            moved=bool(state.moved) if move else None,
        )

    def hidden_places(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, list[str]]:
        others = [other for other in range(players) if other != seat]
        hands = {f"hand {other}": self._patrons(state.hand[other]) for other in others}
        under = [other for other in others if state.tail[other] >= 0 and state.taker[other] < 0]
        return hands | {f"returned {other}": [self.patron_ids[state.tail[other]]] for other in under}

    def normal(self, seen: Seen) -> Seen:
        """Lists in their order; whatever they hold is checked by now."""
        paintings, patrons = self.painting_ids.index, self.patron_ids.index
        return msgspec.structs.replace(
            seen,
            display=sorted(seen.display, key=paintings),
            paintings=[sorted(owned, key=paintings) for owned in seen.paintings],
            used=sorted(seen.used, key=paintings),
            patrons=[hand and sorted(hand, key=patrons) for hand in seen.patrons],
            dice=sorted(1 if face == 2 else face for face in seen.dice),
        )

    def restore(self, seen: Seen) -> dict[str, Any]:
        reader = Reader(self, seen)
        reader.check_names()
        reader.check_numbers()
        reader.check_patrons()
        reader.check_sub()
        fields = reader.fields()
        reader.check_position(fields)
        return fields

    # --- drawing -------------------------------------------------------------------------------------

    def draw(self, state: SimpleNamespace, seat: int | None, players: int) -> str:
        owned = sum(len(members(each)) for each in state.owned)
        deck = len(self.paintings) - owned - len(members(state.display))
        patrons = len(self.patrons) - sum(len(members(each)) for each in state.hand)
        head = f"round {state.round}" if state.round else "set-up"
        if state.final_round:
            head += " (the last)" if state.round == state.final_round else " (the last but one)"
        lines = [f"{head}   deck {deck}   patron deck {patrons}   tokens {20 - sum(state.tokens)}"]
        lines += ["", *self._display(state), "", *self._piles(state, players), ""]
        for other in range(players):
            lines += self._seat(state, other, seat)
        return "\n".join(line.rstrip() for line in lines)

    def _display(self, state: SimpleNamespace) -> list[str]:
        """The paintings face up: cost by colour, points, students that go home, power."""
        lines = [f"{'face up':<25} blue green red yellow pts home power"]
        for number in members(state.display):
            card = self.paintings[number]
            name = f"{card.id:<4} {'*' if card.mp else ' '} {card.cat}"
            row = zip((*card.cost, card.vp, card.ret), (4, 5, 3, 6, 3, 4), strict=True)
            cells = " ".join(f"{count or '.':>{width}}" for count, width in row)
            lines.append(f"{name:<25} {cells} {power(card)}")
        if len(lines) == 1:
            return ["no painting is left"]
        return [*lines, "*: masterpiece; a power works when painted, or in every turn"]

    def _piles(self, state: SimpleNamespace, players: int) -> list[str]:
        """Paint and students, colour by colour; a star marks the most students at a pile."""
        rows = [("piles", [15 - sum(held) for held in zip(*state.paint, strict=True)], "")]
        for other in range(players):
            out = state.students[other]
            rows.append((f"seat {other}  paint", state.paint[other], ""))
            rows.append(("        students", out, f"and {12 - sum(out)} at home"))
        lines = [f"{'':<18}" + "".join(f"{colour:>8}" for colour in COLOURS)]
        for at, (name, counts_of, note) in enumerate(rows):
            marks = [leads(state, at // 2 - 1, colour, players) if note else "" for colour in range(4)]
            cells = [f"{count or '.'}{mark or ' '}" for count, mark in zip(counts_of, marks, strict=True)]
            lines.append(f"{name:<18} " + "".join(f"{cell:>8}" for cell in cells) + f"  {note}")
        return lines

    def _seat(self, state: SimpleNamespace, other: int, seat: int | None) -> list[str]:
        """What a seat has besides paint and students."""
        points = sum(self.paintings[number].vp for number in members(state.owned[other]))
        master = 4 * (state.first_master == other)
        if state.to_move < 0:
            total = round(state.scores[other])
            parts = f"paintings {points} + patrons {total - points - master} + First Master {master}"
            notes = [f"seat {other}", f"{parts} = {total}", f"rank {state.ranks[other]}"]
        else:
            notes = [f"seat {other}", f"{points} points in paintings", *(["First Master"] if master else [])]
            notes += [f"{state.active[other]} active dice"] if state.round else []
        notes.append(f"tokens {state.tokens[other]}")
        lines = ["  ".join(notes), *self._turn(state, other)]
        owned = [self._owned(state, number) for number in members(state.owned[other])]
        lines += spread("  owns  ", owned) if owned else []
        return lines + spread("  patrons  ", self._hand(state, other, seat))

    def _owned(self, state: SimpleNamespace, number: int) -> str:
        """An own painting; a power that works in turns is named."""
        card = self.paintings[number]
        used = ", used" if state.used >> number & 1 else ""
        works = f" ({power(card).removeprefix('turn ')}{used})" if card.when == "turn" else ""
        return f"{card.id}{'*' if card.mp else ''} {card.vp}{works}"

    def _hand(self, state: SimpleNamespace, other: int, seat: int | None) -> list[str]:
        """The patrons of a seat, and the card that it has returned, as far as they are known."""
        hand = members(state.hand[other])
        if seat in (None, other) or state.to_move < 0:
            words = [described(self.patrons[number]) for number in hand]
        else:
            drawn = [card.patron for owner in range(len(state.tail))
                     if state.taker[owner] == other and (card := self._returned(state, owner, seat))]
            known = [name for name in drawn if name]
            words = [*known, *["?"] * (len(hand) - len(known))]
        card = self._returned(state, other, seat)
        if card:
            where = "under the deck" if card.taker is None else f"now with seat {card.taker}"
            words.append(f"[returned {card.patron or '?'}, {where}]")
        return words

    def _turn(self, state: SimpleNamespace, other: int) -> list[str]:
        """What the seat is doing, if it is the one to move."""
        if state.to_move != other:
            return []
        phase = self.phases[state.phase]
        if phase in SET_UP:
            return ["  keeps one of two patrons" if phase == "patron" else "  places the first student"]
        rolled = " ".join(str(face) for face in faces_of(state.dice)) or "none"
        doing = {
            "turn": "to move",
            "return": f"sends {state.left} home, from {COLOURS[state.colour]} on",
            "move": f"may move a student of seat {state.owner}",
            "e_gain": f"gains {state.left}, from {COLOURS[state.colour]} on",
            "e_place": f"places {state.left}, from {COLOURS[state.colour]} on",
            "e_own": "moves an own student",
            "e_swap": "swaps a paint",
            "e_set": "turns a die",
            "e_reroll": "rolls a die again",
            "e_buy": "buys a paint",
        }[phase]
        card = f" ({self.painting_ids[state.card]})" if state.card >= 0 else ""
        return [f"  {doing}{card}, rolled {rolled}"]


def counts(patron: Patron, painting: Painting) -> bool:
    """Whether a patron that counts own paintings counts this one."""
    arg = patron.arg
    if patron.score == "per_category":
        return painting.cat == arg
    if patron.score == "per_colour":
        return painting.cost[COLOURS.index(str(arg))] > 0
    if patron.score == "per_big":
        return isinstance(arg, int) and painting.vp >= arg
    if patron.score == "per_power":
        return painting.when is not None
    return patron.score not in NOT_OF_SET and painting.mp == (patron.score == "per_masterpiece")


def members(mask: int) -> list[int]:
    """The numbers in a set, rising."""
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def kinds_of(dice: Sequence[int]) -> list[int]:
    return [kind for kind, count in enumerate(dice) for _ in range(count)]


def faces_of(dice: Sequence[int]) -> list[int]:
    """The faces of dice that are counted by kind."""
    return [(1, 3, 4, 5, 6)[kind] for kind in kinds_of(dice)]


def seat_or_null(seat: int) -> int | None:
    return None if seat < 0 else seat


def leads(state: SimpleNamespace, seat: int, colour: int, players: int) -> str:
    """A star if the seat collects at the pile (PS-D3, PS-D4)."""
    mine = state.students[seat][colour]
    best = max(state.students[other][colour] for other in range(players) if other != seat)
    return "*" if mine and (mine > best or (mine == best and players == 4)) else ""


def power(card: Painting) -> str:
    """A painting's power; one that works in turns says so."""
    amount = f" {card.n}" if card.effect in AMOUNTS else ""
    return f"{'turn ' if card.when == 'turn' else ''}{card.effect or ''}{amount}"


def described(patron: Patron) -> str:
    what = SCORES[patron.score].format(arg=patron.arg).replace("_", " ").removeprefix("1 ")
    return f"{patron.id} ({patron.vp} per {what}, at most {patron.max})"


def spread(head: str, words: Iterable[str]) -> list[str]:
    """A line that begins with a head, broken where it is too long; a card's own spaces hold."""
    text = head + "  ".join(word.replace(" ", "\0") for word in words)
    lines = wrap(text, WIDTH, subsequent_indent=" " * len(head), break_long_words=False)
    return [line.replace("\0", " ") for line in lines]


GAME = PaintersStudio
