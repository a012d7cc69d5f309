"""Atelier Da Vinci: words, drawing and observations of ext/davinci.pyx."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

import msgspec

from ..ext import davinci
from .davinci_seen import (
    CARDS,
    FACES,
    NONE,
    SLOTS,
    UNMARKED,
    Hand,
    OwnCard,
    Place,
    Pool,
    Reader,
    Seen,
    Spot,
    by_cycle,
    cards_of,
    neighbours,
)
from .errors import unknown
from .game import Game, Observation
from .option import Option
from .speech import Speech, Spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import SimpleNamespace

    from .game import Setting
    from .option import Value

COLOURS = 5
VALUES = (1, 2, 3, 4)
#: achievements by the core's number of their rule
ACHIEVEMENTS = ("five_cards", "two_masteries", "colour_pair", "two_paintings", "four_colours", "empty_hand")
#: where in a step the core says that the discard pile became the deck
BEFORE_DRAW, BEFORE_TURN = 100, 101
WIDTH = 80

Name = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z_]*$", max_length=13)]
Colour = Annotated[str, msgspec.Meta(pattern="^[a-z]+$", max_length=6)]
Points = Annotated[int, msgspec.Meta(ge=0, le=20)]
Threshold = Annotated[int, msgspec.Meta(ge=0, le=999)]
Bonus = Annotated[int, msgspec.Meta(ge=0, le=9)]
Values = list[Literal[1, 2, 3, 4]]


class Colours(msgspec.Struct, forbid_unknown_fields=True):
    order: Annotated[list[Colour], msgspec.Meta(min_length=5, max_length=5)]
    source: str = ""


class Deck(msgspec.Struct, forbid_unknown_fields=True):
    base: Values | dict[str, Values]
    mark3: Values | dict[str, Values]
    mark4: Values | dict[str, Values]
    mark5: Values | dict[str, Values]
    source: str = ""


class SetUp(msgspec.Struct, forbid_unknown_fields=True):
    source: str = ""
    table_cards: list[int] = msgspec.field(default_factory=lambda: [4, 6, 8, 10])
    dealt: int = 1
    paintings_aside: list[int] = msgspec.field(default_factory=lambda: [3, 2, 1, 0])
    faceup_paintings: int = 2
    hand_limit: int = 5
    take_limit: int = 4
    take_limit_help: int = 5
    paint_max: int = 4


class Esteem(msgspec.Struct, forbid_unknown_fields=True, rename={"start": "from"}):
    start: Annotated[list[Threshold], msgspec.Meta(min_length=4, max_length=4)]
    bonus: Annotated[list[Bonus], msgspec.Meta(min_length=4, max_length=4)]
    source: str = ""


class Painting(msgspec.Struct, forbid_unknown_fields=True):
    id: Name
    points: Points
    slots: Annotated[list[str], msgspec.Meta(min_length=6, max_length=6)]


class Mastery(msgspec.Struct, forbid_unknown_fields=True):
    id: Name
    cards: Annotated[list[str], msgspec.Meta(min_length=1, max_length=5)]


class Achievement(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    points: Points


class Lists(msgspec.Struct, forbid_unknown_fields=True):
    painting: Annotated[list[Painting], msgspec.Meta(min_length=8, max_length=8)]
    mastery: Annotated[list[Mastery], msgspec.Meta(min_length=6, max_length=6)]
    achievement: Annotated[list[Achievement], msgspec.Meta(min_length=6, max_length=6)]
    source: str = ""


class Cards(msgspec.Struct, forbid_unknown_fields=True):
    colours: Colours
    deck: Deck
    setup: SetUp
    esteem: Esteem
    cards: Lists


class DaVinci(Game):
    """Paint shared pictures with colour cards; small strokes early, and who completes a picture keeps it."""

    name = "davinci"
    title = "Atelier Da Vinci"
    seats = range(2, 6)
    phases = ("main", "take", "discard", "paint", "leonardo", "leo_drawn", "over")
    core = davinci
    card_table = Cards
    observation: ClassVar[type[Observation]] = Seen
    per_seat = ("esteem", "hands")
    # bench/README.md has the matches
    search: ClassVar[Mapping[str, Setting]] = {
        "c": 0.2, "urgency": 0.1, "guided": True, "noise": 0.0, "cut": 8,
    }
    invariants = (
        "a number that the game does not have",
        "nobody is to move before the end, or somebody after it",
        "the game is over though nothing ended it",
        "a hand with too many cards, or a hidden one after the end",
        "hidden cards out of order, or of a cycle yet to come",
        "paintings or cards on them that cannot be so",
        "the cards are not those of the table",
        "more cards on the table than there is room for",
        "an action that cannot have come so far",
        "cards that cannot have been placed in one turn",
        "no Leonardo Action is due",
        "more esteem or reshuffles than can be",
    )
    options = (
        Option("wet_paint", "may different colours of one turn touch on a painting: not, or off: they may",
               ("ring", "off")),
        Option("mastery_bonus", "a mastery's point comes per card, per colour or per action",
               ("card", "colour", "action")),
        Option("completion_bonus", "what completing cards bring: the level, nothing, or masteries too",
               ("level", "none", "all")),
        Option("round_cap", "the game ends after so many rounds", low=1, high=250),
    )

    # --- cards ---------------------------------------------------------------------------------------

    def prepare(self, cards: Cards) -> None:
        if msgspec.structs.replace(cards.setup, source="") != SetUp():
            raise self.bad_cards("these numbers are fixed and cannot be replaced", "setup")
        self.colours = self._distinct(cards.colours.order, "colours.order")
        self.faces = [f"{colour}{value}" for colour in self.colours for value in VALUES]
        self.decks = self._decks(cards.deck)
        if any(low >= high for low, high in zip(cards.esteem.start, cards.esteem.start[1:], strict=False)):
            raise self.bad_cards(f"expected rising numbers, got {cards.esteem.start}", "esteem.from")
        self.esteem = cards.esteem
        self.paintings = cards.cards.painting
        self.masteries = cards.cards.mastery
        self.achievements = cards.cards.achievement
        self.painting_ids = self._distinct([each.id for each in self.paintings], "cards.painting")
        self.mastery_ids = self._distinct([each.id for each in self.masteries], "cards.mastery")
        self.achievement_ids = self._distinct([each.id for each in self.achievements], "cards.achievement")
        self._check_lists()
        self._check_bound()
        self.speech = Speech(
            Spoken("table", self.faces),
            Spoken("dealt", self.faces, seat=True),
            Spoken("painting", self.painting_ids),
            Spoken("achievement", self.achievement_ids),
            Spoken("shows", self.faces, seat=True, unordered=True, first=(None,)),
            Spoken("draw", self.faces),
            Spoken("turn", self.faces),
            Spoken("refill", self.faces),
            Spoken("reshuffle", ()),
        )

    def _distinct(self, names: list[str], path: str) -> list[str]:
        for at, name in enumerate(names):
            if name in names[:at]:
                raise self.bad_cards(f"{name} is listed twice", f"{path}[{at}]")
        return names

    def _decks(self, deck: Deck) -> dict[int, list[int]]:
        """For each player count the number of cards of each face."""
        counts, decks = [0] * FACES, {}
        for players, part in zip(self.seats, ("base", "mark3", "mark4", "mark5"), strict=True):
            values = getattr(deck, part)
            if isinstance(values, dict):
                for colour in values:
                    if colour not in self.colours:
                        path = f"{self.cards_file}: deck.{part}"
                        raise unknown("bad_cards", "colour", colour, self.colours, path)
                for colour in self.colours:
                    if colour not in values:
                        raise self.bad_cards(f"no values for {colour}", f"deck.{part}")
            for at, colour in enumerate(self.colours):
                for value in values[colour] if isinstance(values, dict) else values:
                    counts[4 * at + value - 1] += 1
            decks[players] = list(counts)
        if sum(counts) != CARDS:
            raise self.bad_cards(f"expected {CARDS} cards in all, got {sum(counts)}", "deck")
        return decks

    def _check_lists(self) -> None:
        for at, painting in enumerate(self.paintings):
            self._check_colours(painting.slots, [*self.colours, UNMARKED], f"cards.painting[{at}].slots")
            marked = SLOTS - painting.slots.count(UNMARKED)
            if marked < 4:
                message = f"expected 4 to 6 marked slots, got {marked}"
                raise self.bad_cards(message, f"cards.painting[{at}].slots")
        for at, mastery in enumerate(self.masteries):
            self._check_colours(mastery.cards, self.colours, f"cards.mastery[{at}].cards")
        for at, achievement in enumerate(self.achievements):
            if achievement.id not in ACHIEVEMENTS:
                path = f"{self.cards_file}: cards.achievement[{at}].id"
                raise unknown("bad_cards", "achievement", achievement.id, ACHIEVEMENTS, path)

    def _check_colours(self, given: Sequence[str], allowed: Sequence[str], path: str) -> None:
        for at, colour in enumerate(given):
            if colour not in allowed:
                raise unknown("bad_cards", "colour", colour, allowed, f"{self.cards_file}: {path}[{at}]")

    def _check_bound(self) -> None:
        """R2: whatever lies elsewhere, a card can be drawn."""
        slots = sorted(SLOTS - painting.slots.count(UNMARKED) for painting in self.paintings)
        for players, counts in self.decks.items():
            least = 7 * players + sum(slots[-2:]) - 1
            if sum(counts) < least:
                message = f"{players} players need at least {least} cards, the deck has {sum(counts)}"
                raise self.bad_cards(message, "deck")

    def digest_of(self, cards: Cards) -> object:
        levels = [cards.esteem.start, cards.esteem.bonus]
        lists = [self.paintings, self.masteries, self.achievements]
        decks = [self.decks[players] for players in self.seats]
        return msgspec.to_builtins([self.colours, decks, levels, lists])

    def write_rules(self, players: int, options: Mapping[str, Value]) -> dict[str, Any]:
        wet = options["wet_paint"] == "ring"
        borders = [
            [self.colours.index(name) if name != UNMARKED else NONE for name in painting.slots]
            for painting in self.paintings
        ]
        rows = [*borders, [NONE] * SLOTS]
        needs = [[mastery.cards.count(colour) for colour in self.colours] for mastery in self.masteries]
        return {
            "level_from": self.esteem.start,
            "level_bonus": self.esteem.bonus,
            "deck": self.decks[players],
            "marked": [bits(slot != NONE for slot in border) for border in rows],
            "of_colour": [
                [bits(slot == colour for slot in border) for colour in range(COLOURS)] for border in rows
            ],
            "clash": [[clashing(border, slot) if wet else 0 for slot in range(SLOTS)] for border in rows],
            "colour": borders,
            "painting_points": [painting.points for painting in self.paintings],
            "need": needs,
            "depicts": [bits(count > 0 for count in need) for need in needs],
            "achievement_rule": [ACHIEVEMENTS.index(name) for name in self.achievement_ids],
            "achievement_points": [achievement.points for achievement in self.achievements],
            "players": players,
            "paintings": players + 3,
            "round_cap": options["round_cap"],
            "mastery_bonus": ("card", "colour", "action").index(cast("str", options["mastery_bonus"])),
            "smallest_claim": min(len(mastery.cards) for mastery in self.masteries),
            "completion_bonus": ("level", "none", "all").index(cast("str", options["completion_bonus"])),
        }

    # --- words ---------------------------------------------------------------------------------------

    def action_words(self) -> list[str | None]:
        words: list[str | None] = ["stop", "draw"]
        words += [f"take {face}" for face in self.faces]
        words += [f"discard {face}" for face in self.faces]
        words += [f"claim {mastery}" for mastery in self.mastery_ids]
        for verb in ("paint", "leonardo"):
            words += [
                None if colour == UNMARKED else f"{verb} {painting.id} {slot} {colour}{value}"
                for painting in self.paintings
                for slot, colour in enumerate(painting.slots)
                for value in VALUES
            ]
        return words

    def tell(self, event: SimpleNamespace, seat: int | None) -> list[str]:
        words = self._shown(event, seat)
        if event.reshuffle == BEFORE_DRAW:
            words.append("reshuffle")
        if event.drawn != NONE and (seat in (None, event.mover) or event.over):
            words.append(self.speech.say("draw", event.drawn))
        if event.painting != NONE:
            words.append(self.speech.say("painting", event.painting))
        if event.reshuffle == BEFORE_TURN:
            words.append("reshuffle")
        if event.turned != NONE:
            words.append(self.speech.say("turn", event.turned))
        for at, face in enumerate(event.refill[: event.refill_n]):
            if event.reshuffle == at:
                words.append("reshuffle")
            words.append(self.speech.say("refill", face))
        return words

    def _shown(self, event: SimpleNamespace, seat: int | None) -> list[str]:
        """A word for the cards of each hand and cycle that were laid open; nobody is told of its own."""
        cards = zip(event.shown_seat, event.shown_cycle, event.shown_face, strict=True)
        shown = [card for card in list(cards)[: event.shown_n] if card[0] != seat]
        return [
            self.speech.say("shows", cycle, *(face for _, _, face in group), seat=owner)
            for (owner, cycle), group in groupby(shown, key=lambda card: card[:2])
        ]

    def remarks(self, event: SimpleNamespace) -> list[str]:
        said = []
        if event.completed != NONE:
            said.append(f"{self.painting_ids[event.completed]} is complete")
        if event.gain:
            said.append(f"{event.gain} esteem")
        if event.help != NONE:
            said.append(f"the Help of the Maestro goes to seat {event.help}")
        return said

    def tell_setup(self, state: SimpleNamespace, seat: int | None, players: int) -> list[str]:
        words = [self.speech.say("table", face) for face in cards_of(state.table)]
        words += [
            self.speech.say("dealt", state.hid_face[other][0], seat=other)
            for other in range(players)
            if seat in (None, other)
        ]
        words += [self.speech.say("painting", painting) for painting in state.place]
        return [*words, *(self.speech.say("achievement", number) for number in state.ach)]

    # --- observations --------------------------------------------------------------------------------

    def observe(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, Any]:
        hands = [hidden_cards(state, other) for other in range(players)]
        old: dict[int, list[int]] = {}
        for other in range(players):
            for cycle, face in hands[other]:
                if other != seat and cycle != state.cycle:
                    old.setdefault(cycle, [0] * FACES)[face] += 1
        in_faces = self.phases[state.phase] in ("take", "discard")
        return {
            "round": state.round,
            "leonardo": state.leonardo,
            "help": None if state.help == NONE else state.help,
            "cycle": state.cycle,
            "table": self._counts(state.table),
            "discard": self._counts(state.discard),
            "deck_count": state.deck_n,
            "paintings_left": paintings_left(state, players),
            "places": [self._place(state, place) for place in range(2)],
            "taken": owners(self.painting_ids, state.paint_owner),
            "masteries": owners(self.mastery_ids, state.mast_owner),
            "achievements": [self.achievement_ids[number] for number in state.ach],
            "esteem": state.esteem[:players],
            "hands": [
                Hand(self._counts(state.known[other]), by_cycle(hands[other])) for other in range(players)
            ],
            "own_hidden": [OwnCard(cycle, self.faces[face]) for cycle, face in hands[seat]],
            "old_pools": [Pool(cycle, self._counts(old[cycle])) for cycle in sorted(old)],
            "take_left": state.take_left,
            "last_face": self.faces[state.last] if in_faces and state.last != NONE else None,
            "last_slot": Spot(*divmod(state.last, SLOTS)) if not in_faces and state.last != NONE else None,
            "placed": state.placed,
            "to_discard": state.to_discard,
            "drawn": None if state.drawn == NONE else self.faces[state.drawn],
            "done_count": {colour: n for colour, n in zip(self.colours, state.done_count, strict=True) if n},
        }

    def _counts(self, counts: Sequence[int]) -> dict[str, int]:
        return {self.faces[face]: count for face, count in enumerate(counts) if count}

    def _place(self, state: SimpleNamespace, place: int) -> Place | None:
        painting, values, fresh = state.place[place], state.slot_value[place], state.fresh[place]
        if painting == NONE:
            return None
        colours = self.paintings[painting].slots
        cards = [f"{colour}{value}" if value else None for colour, value in zip(colours, values, strict=True)]
        return Place(self.painting_ids[painting], cards, [slot for slot in range(SLOTS) if fresh >> slot & 1])

    def hidden_places(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, list[str]]:
        return {
            f"hand {other}": [self.faces[face] for _, face in hidden_cards(state, other)]
            for other in range(players)
            if other != seat
        }

    def normal(self, seen: Seen) -> Seen:
        """Lists in their order; whatever they hold is checked by now."""
        hands = [msgspec.structs.replace(hand, hidden=sorted(hand.hidden)) for hand in seen.hands]
        own = sorted(seen.own_hidden, key=lambda card: (card.cycle, self.faces.index(card.face)))
        pools = sorted(seen.old_pools, key=lambda pool: pool.cycle)
        places = [
            place and msgspec.structs.replace(place, fresh=sorted(place.fresh)) for place in seen.places
        ]
        aims = sorted(seen.achievements, key=self.achievement_ids.index)
        return msgspec.structs.replace(
            seen, hands=hands, own_hidden=own, old_pools=pools, places=places, achievements=aims
        )

    def restore(self, seen: Seen) -> dict[str, Any]:
        reader = Reader(self, seen)
        reader.check_names()
        reader.check_numbers()
        reader.check_paintings()
        reader.check_hands()
        reader.check_pools()
        reader.check_action()
        return reader.fields()

    # --- drawing -------------------------------------------------------------------------------------

    def draw(self, state: SimpleNamespace, seat: int | None, players: int) -> str:
        left = paintings_left(state, players)
        aims = [(self.achievement_ids[number], self.achievements[number].points) for number in state.ach]
        lines = [
            f"round {state.round}   deck {state.deck_n}   paintings left {left}",
            *spread("achievements  ", [f"{name} ({AIMS[name]}) {points}" for name, points in aims]),
            *self._masteries(state),
            *self._pile("table", state.table),
            *self._pile("discard", state.discard),
        ]
        if state.drawn != NONE:
            lines.append(f"turned over  {self.faces[state.drawn]}")
        lines += ["", *self._easels(state), ""]
        if any(state.fresh):
            lines.append("*: placed in this turn")
        if any(state.hid_n):
            lines.append("in brackets: known to the owner alone")
        for other in range(players):
            lines += self._seat(state, other, seat)
        return "\n".join(line.rstrip() for line in lines)

    def _masteries(self, state: SimpleNamespace) -> list[str]:
        """Those that nobody has, with the cards that a claim shows."""
        both = zip(self.masteries, state.mast_owner, strict=True)
        free = [f"{each.id} ({', '.join(tally(each.cards))})" for each, owner in both if owner == NONE]
        return spread("masteries  ", free or ["all claimed"])

    def _pile(self, name: str, counts: Sequence[int]) -> list[str]:
        """A pile that everybody sees: its size and its cards."""
        return spread(f"{name} {sum(counts)}  ", self._written(counts))

    def _written(self, counts: Sequence[int]) -> list[str]:
        return tally(self.faces[face] for face in cards_of(counts))

    def _easels(self, state: SimpleNamespace) -> list[str]:
        """The two paintings side by side."""
        left, right = (self._easel(state, place) for place in range(2))
        return [f"{one:<40}{two}" for one, two in zip_longest(left, right, fillvalue="")]

    def _easel(self, state: SimpleNamespace, place: int) -> list[str]:
        """A painting with its border: number, colour and card of each slot, clockwise from the top."""
        painting = state.place[place]
        if painting == NONE:
            return ["no painting"]
        cards = self.paintings[painting]
        slots = [""] * SLOTS
        for slot, (colour, value) in enumerate(zip(cards.slots, state.slot_value[place], strict=True)):
            if colour != UNMARKED:
                mark = "*" if state.fresh[place] >> slot & 1 else ""
                slots[slot] = f"{slot} {colour} {value or '_'}{mark}"
        top, right_upper, right_lower, bottom, left_lower, left_upper = slots
        return [
            f"{cards.id}, {cards.points} points".center(35),
            f"{'':<11} {top}",
            f"{left_upper:>11} +-----------+ {right_upper}",
            f"{'':>11} |           |",
            f"{left_lower:>11} +-----------+ {right_lower}",
            f"{'':<11} {bottom}",
        ]

    def _seat(self, state: SimpleNamespace, other: int, seat: int | None) -> list[str]:
        """A seat's points, with the bonus of its next Paint action, its hand and what it owns."""
        levels = zip(self.esteem.start, self.esteem.bonus, strict=True)
        bonus = [0, *(bonus for start, bonus in levels if state.esteem[other] >= start)][-1]
        notes = [f"esteem {state.esteem[other]} (+{bonus})"]
        notes += ["Leonardo"] if state.leonardo == other else []
        notes += ["Help of the Maestro"] if state.help == other else []
        points = sum(each.points for each, owner in zip(self.paintings, state.paint_owner, strict=True)
                     if owner == other)
        if state.to_move < 0:
            total = round(state.scores[other])
            aims = total - state.esteem[other] - points
            notes = [f"esteem {state.esteem[other]} + paintings {points} + achievements {aims} = {total}",
                     f"rank {state.ranks[other]}"]
        lines = [f"seat {other}  " + "  ".join(notes), *self._turn(state, other)]
        hidden = self._hidden(state, other, seat)
        lines += spread(f"  hand {state.hand_n[other]}  ", [*self._written(state.known[other]), *hidden])
        things = [*(f"{each.id} {each.points}" for each in self.paintings),
                  *(f"{each.id} ({', '.join(tally(each.cards))})" for each in self.masteries)]
        owners = zip(things, state.paint_owner + state.mast_owner, strict=True)
        owned = [thing for thing, owner in owners if owner == other]
        return [*lines, *(spread("  owns  ", owned) if owned else [])]

    def _hidden(self, state: SimpleNamespace, other: int, seat: int | None) -> list[str]:
        """The cards of a hand that not everybody knows, in brackets; from a later deck than the first the
        number of the deck tells the cards apart."""
        return [
            f"({self.faces[face] if seat in (None, other) else '?'}{f' deck {cycle}' if state.cycle else ''})"
            for cycle, face in hidden_cards(state, other)
        ]

    def _turn(self, state: SimpleNamespace, other: int) -> list[str]:
        """What the seat is doing, if it is the one to move."""
        if state.to_move != other:
            return []
        return ["  " + {
            "main": "to move",
            "take": f"takes on, in the order above, value {state.take_left} at most",
            "discard": f"discards {state.to_discard} more, in the order above",
            "paint": f"paints on, clockwise from the left, {state.placed} of 4 placed",
            "leonardo": "Leonardo Action",
            "leo_drawn": "Leonardo Action",
        }[self.phases[state.phase]]]


#: what the achievements ask for at the end
AIMS = {
    "five_cards": "5 cards in hand", "two_masteries": "2 masteries", "two_paintings": "2 paintings",
    "colour_pair": "2 cards of a colour in hand", "four_colours": "4 colours in hand",
    "empty_hand": "no card",
}


def bits(flags: Iterable[bool]) -> int:
    return sum(1 << number for number, flag in enumerate(flags) if flag)


def clashing(border: Sequence[int], slot: int) -> int:
    """The neighbours of a slot that are marked in another colour, a bit each (R3)."""
    beside = neighbours(slot) if border[slot] != NONE else ()
    return sum(1 << other for other in beside if border[other] not in (NONE, border[slot]))


def hidden_cards(state: SimpleNamespace, seat: int) -> list[tuple[int, int]]:
    """The (cycle, face) of each hidden card of a hand."""
    pairs = zip(state.hid_cycle[seat], state.hid_face[seat], strict=True)
    return list(pairs)[: state.hid_n[seat]]


def paintings_left(state: SimpleNamespace, players: int) -> int:
    """In the painting deck: those in play that nobody has and that lie in no place."""
    owned: int = sum(owner != NONE for owner in state.paint_owner)
    face_up: int = sum(painting != NONE for painting in state.place)
    return players + 3 - owned - face_up


def owners(names: Sequence[str], seats: Sequence[int]) -> dict[str, int]:
    return {name: seat for name, seat in zip(names, seats, strict=True) if seat != NONE}


def tally(words: Iterable[str]) -> list[str]:
    """Words with how often each occurs, if more than once."""
    return [word if count == 1 else f"{word} x{count}" for word, count in Counter(words).items()]


def spread(head: str, words: Iterable[str]) -> list[str]:
    """A line that begins with a head, broken where it is too long; a card's own spaces hold."""
    text = head + "  ".join(word.replace(" ", "\0") for word in words)
    lines = wrap(text, WIDTH, subsequent_indent=" " * len(head), break_long_words=False)
    return [line.replace("\0", " ") for line in lines]


GAME = DaVinci
