"""OMNIA: words, drawing and observations of ext/omnia.pyx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import msgspec

from ..ext import omnia
from .game import Game, Observation, place
from .omnia_draw import Drawing
from .omnia_seen import (
    COLOURS,
    FACES,
    IN_PACKET,
    NONE,
    SYMBOLS,
    Reader,
    Seen,
    Visit,
    cards_at,
    cards_of,
    hand_of,
    numbers_of,
    padded,
)
from .option import Option
from .speech import Speech, Spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import SimpleNamespace

    from .game import Setting
    from .option import Value

PEOPLE = 16
CITIES = 16
COINS = 18
#: letters on action cards, in the order of the symbols
LETTERS = "12WIPC"
MODES = ("any", "same", "diff")
MAJORITIES = ("works", "inventions", "characters", "cards", "coins", "works_inventions")
RESOURCES = ("works", "inventions", "characters", "coins")
#: set cities of one resource alone, and likewise mixed ones, that the core can hold
OF_ONE = 4
#: actions of a turn that belong to no card
DECLINING = ("done", "skip", "forgo")
FIRST_PICK = 59

Effect = Literal["none", "coins1", "coins2", "work", "invention", "character", "city"]
Name = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$", max_length=18)]
Pair = Annotated[str, msgspec.Meta(pattern="^[WIPC12]{2}$")]
Price = Annotated[int, msgspec.Meta(ge=0, le=COINS)]
Points = Annotated[int, msgspec.Meta(ge=0, le=15)]
SetPoints = Annotated[int, msgspec.Meta(ge=1, le=15)]
MajorityPoints = Annotated[int, msgspec.Meta(ge=1, le=99)]
Need = Annotated[int, msgspec.Meta(ge=0, le=16)]


class Counts(msgspec.Struct, forbid_unknown_fields=True):
    cities: Annotated[int, msgspec.Meta(ge=1, le=CITIES)]
    characters: Annotated[int, msgspec.Meta(ge=3, le=PEOPLE)]
    works: Annotated[int, msgspec.Meta(ge=3, le=32)]
    inventions: Annotated[int, msgspec.Meta(ge=3, le=32)]
    actions: Literal[28]
    coins: Annotated[int, msgspec.Meta(ge=4, le=COINS)]
    source: str = ""


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    start_coins: Annotated[int, msgspec.Meta(ge=0, le=4)]
    hand: Literal[7]
    rounds: Literal[6]
    market: Literal[3]
    city_draw: Literal[3]
    source: str = ""


class Actions(msgspec.Struct, forbid_unknown_fields=True):
    mark2: Annotated[list[Pair], msgspec.Meta(min_length=14, max_length=14)]
    mark3: Annotated[list[Pair], msgspec.Meta(min_length=7, max_length=7)]
    mark4: Annotated[list[Pair], msgspec.Meta(min_length=7, max_length=7)]
    source: str = ""


class Face(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A work or an invention."""

    copies: Annotated[int, msgspec.Meta(ge=1, le=4)]
    price: Price
    points: Points
    effect: Effect


class Character(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    price: Price
    points: Points
    effect: Effect


class City(msgspec.Struct, forbid_unknown_fields=True):
    """An objective: a set or a majority."""

    set: SetPoints | None = None
    works: Need = 0
    works_mode: Literal["any", "same", "diff"] = "any"
    inventions: Need = 0
    inventions_mode: Literal["any", "same", "diff"] = "any"
    characters: Need = 0
    coins: Need = 0
    majority: MajorityPoints | None = None
    of: Literal["works", "inventions", "characters", "cards", "coins", "works_inventions"] | None = None

    @property
    def needs(self) -> dict[str, int]:
        """What a set uses, and how many of it."""
        return {name: getattr(self, name) for name in RESOURCES if getattr(self, name)}


class Cards(msgspec.Struct, forbid_unknown_fields=True):
    counts: Counts
    rules: Numbers
    actions: Actions
    works: dict[str, Any]
    inventions: dict[str, Any]
    characters: dict[str, Any]
    cities: dict[str, Any]


Entry = TypeVar("Entry", Face, Character, City)


class Omnia(Game):
    """Draft action cards in secret; collect works, inventions and characters for the cities that score."""

    name = "omnia"
    title = "OMNIA"
    seats = range(2, 5)
    phases = ("draft", "play", "act", "effect", "city", "over")
    core = omnia
    card_table = Cards
    observation: ClassVar[type[Observation]] = Seen
    per_seat = ("played", "works", "inventions", "characters", "coins")
    # bench/README.md has the matches
    search: ClassVar[Mapping[str, Setting]] = {"noise": 0.0, "score": 0.2}
    invariants = (
        "a phase, seat, round or step that cannot be, or not together",
        "action cards that cannot have been kept so",
        "cards played that cannot have been, or not so many",
        "an action card in use that cannot be, or not so far",
        "works or inventions that are not those of the table, or a market too large or too small",
        "characters that are not those of the table, or a market too large or too small",
        "the coins are not those of the table",
        "the cities are not those of the table, or none is active",
        "a city known to nobody at the table, or drawn and not known",
        "an unused place that is not empty",
        "nothing can be decided",
    )
    options = (
        Option("refill", "the market is filled up after every turn, or after every round", ("turn", "round")),
        Option("first_player", "seat 0 begins every round, or the next seat each time", ("fixed", "rotate")),
        Option("leonardo_in_majorities", "whether Leonardo's own cards count for majorities", (False, True)),
        Option("set_repeat", "every set of a city scores, or two at most", ("each", "double")),
    )

    # --- cards ---------------------------------------------------------------------------------------

    def prepare(self, cards: Cards) -> None:
        self.counts, self.numbers = cards.counts, cards.rules
        marks = [(cards.actions.mark2, 2), (cards.actions.mark3, 3), (cards.actions.mark4, 4)]
        self.cards = [f"{pair}/{mark}" for pairs, mark in marks for pair in pairs]
        self.symbols = [sorted(LETTERS.index(letter) for letter in card[:2]) for card in self.cards]
        self._check_actions(marks)
        sides = [self._entries(getattr(cards, kind), Face, kind) for kind in ("works", "inventions")]
        characters = self._entries(cards.characters, Character, "characters")
        cities = self._entries(cards.cities, City, "cities")
        #: names of works and of inventions
        self.faces = [list(side) for side in sides]
        self.copies = [[face.copies for face in side.values()] for side in sides]
        self.people, self.city_names = list(characters), list(cities)
        #: price, points and effect of each work, invention and character
        self.kinds: list[list[Face] | list[Character]] = [*(list(side.values()) for side in sides),
                                                          list(characters.values())]
        self.cities = list(cities.values())
        self._check_names()
        self._check_counts()
        self._check_cities()
        refills = [*padded(self.faces[0], "", FACES), *padded(self.faces[1], "", FACES), *self.people]
        self.refills = {name: number for number, name in enumerate(refills) if name}
        #: words of the actions that take coins or a card
        self.picks = [words for words in self.action_words()[FIRST_PICK:FIRST_PICK + 2 + 2 * FACES + PEOPLE]
                      if words is not None]
        self.speech = Speech(
            Spoken("packet", self.cards, seat=True, unordered=True),
            Spoken("cities", self.city_names),
            Spoken("refill", self.refills, unordered=True),
            Spoken("drawn", self.city_names),
            Spoken("place"),
        )

    def _entries(self, section: Mapping[str, Any], kind: type[Entry], path: str) -> dict[str, Entry]:
        """The cards of a section, each by its name."""
        found: dict[str, Entry] = {}
        for name, written in section.items():
            if name == "source":
                continue
            try:
                msgspec.convert(name, Name)
            except msgspec.ValidationError:
                message = "expected a name of small letters, digits and _, at most 18 of them"
                raise self.bad_cards(message, f"{path}.{name}") from None
            try:
                found[name] = msgspec.convert(written, kind)
            except msgspec.ValidationError as error:
                message, inner = place(error)
                dot = "." if inner and not inner.startswith("[") else ""
                raise self.bad_cards(message, f"{path}.{name}{dot}{inner}") from None
        return found

    def _check_actions(self, marks: Sequence[tuple[Sequence[str], int]]) -> None:
        met: set[str] = set()
        for pairs, mark in marks:
            for at, pair in enumerate(pairs):
                word = "".join(sorted(pair)) + str(mark)
                if word in met:
                    raise self.bad_cards(f"{pair}/{mark} is listed twice", f"actions.mark{mark}[{at}]")
                met.add(word)

    def _check_names(self) -> None:
        met: set[str] = set()
        sections = {"works": self.faces[0], "inventions": self.faces[1], "characters": self.people,
                    "cities": self.city_names}
        for path, names in sections.items():
            for name in names:
                if name in met:
                    raise self.bad_cards(f"{name} is the name of another card too", f"{path}.{name}")
                met.add(name)

    def _check_counts(self) -> None:
        found = {"works": sum(self.copies[0]), "inventions": sum(self.copies[1]),
                 "characters": len(self.people), "cities": len(self.cities)}
        for path, names in zip(("works", "inventions"), self.faces, strict=True):
            if not COLOURS <= len(names) <= FACES:
                raise self.bad_cards(f"expected {COLOURS} to {FACES} faces, got {len(names)}", path)
        for path, count in found.items():
            due = getattr(self.counts, path)
            if count != due:
                raise self.bad_cards(f"expected {due} cards as counts says, got {count}", path)
        most = self.seats[-1] * self.numbers.start_coins
        if most > self.counts.coins:
            message = f"{self.seats[-1]} players get {most} coins, there are {self.counts.coins}"
            raise self.bad_cards(message, "rules.start_coins")

    def _check_cities(self) -> None:
        kinds: dict[str, int] = {}
        for name, city in zip(self.city_names, self.cities, strict=True):
            path = f"cities.{name}"
            if (city.set is None) == (city.majority is None):
                raise self.bad_cards("expected either set or majority, with its points", path)
            needs, modes = city.needs, (city.works_mode, city.inventions_mode)
            if (city.majority is None) != (city.of is None):
                raise self.bad_cards("majority and of belong together", path)
            if city.majority is not None:
                if needs or modes != ("any", "any"):
                    raise self.bad_cards("a majority has no cards of a set", path)
                continue
            if not needs:
                raise self.bad_cards("a set of no cards", path)
            for side, mode in zip(RESOURCES, modes, strict=False):
                if mode != "any" and side not in needs:
                    raise self.bad_cards(f"{mode} of no {side}", f"{path}.{side}_mode")
                if mode != "any" and needs[side] > COLOURS:
                    raise self.bad_cards(f"no more than {COLOURS} can be {mode}", f"{path}.{side}")
            kind = f"of {next(iter(needs))} alone" if len(needs) == 1 else "of several kinds"
            kinds[kind] = kinds.get(kind, 0) + 1
            if kinds[kind] > OF_ONE:
                raise self.bad_cards(f"at most {OF_ONE} cities have sets {kind}", path)

    def digest_of(self, cards: Cards) -> object:
        coins = [cards.counts.coins, cards.rules.start_coins]
        kinds = [*self.faces, self.people, self.city_names]
        return msgspec.to_builtins([coins, self.cards, kinds, self.kinds, self.cities])

    def action_pack(self, players: int) -> list[str]:
        """The action cards in play (OM-S6)."""
        return [card for card in self.cards if int(card[-1]) <= players]

    def write_rules(self, players: int, options: Mapping[str, Value]) -> dict[str, Any]:
        free = [[card.price == 0 and card.effect == "none" for card in kind] for kind in self.kinds]
        picks = [True, True, *padded(free[0], False, FACES), *padded(free[1], False, FACES), *free[2]]
        needs = [[city.needs.get(name, 0) for name in RESOURCES] for city in self.cities]
        modes = [[MODES.index(city.works_mode), MODES.index(city.inventions_mode)] for city in self.cities]
        of = [0 if city.of is None else MAJORITIES.index(city.of) for city in self.cities]
        return {
            "plain": flags(picks) << len(DECLINING),
            "pack": flags(int(card[-1]) <= players for card in self.cards),
            "affordable": [
                [flags(card.price <= coins for card in kind) for coins in range(COINS + 1)]
                for kind in self.kinds
            ],
            "symbols": self.symbols,
            "price": [padded((card.price for card in kind), 0, PEOPLE) for kind in self.kinds],
            "points": [padded((card.points for card in kind), 0, PEOPLE) for kind in self.kinds],
            "effect": [padded((effect(card.effect) for card in kind), NONE, PEOPLE) for kind in self.kinds],
            "copies": [padded(copies, 0, FACES) for copies in self.copies],
            "set_points": padded((city.set or 0 for city in self.cities), 0, CITIES),
            "need": padded(needs, [0] * len(RESOURCES), CITIES),
            "mode": padded(modes, [0, 0], CITIES),
            "majority": padded((city.majority or 0 for city in self.cities), 0, CITIES),
            "of": padded(of, 0, CITIES),
            "players": players,
            "characters": len(self.people),
            "cities": len(self.cities),
            "coins": self.counts.coins,
            "start_coins": self.numbers.start_coins,
            "refill_round": options["refill"] == "round",
            "rotate": options["first_player"] == "rotate",
            "leonardo_counts": options["leonardo_in_majorities"],
            "twice": options["set_repeat"] == "double",
        }

    # --- words ---------------------------------------------------------------------------------------

    def action_words(self) -> list[str | None]:
        words: list[str | None] = [f"{verb} {card}" for verb in ("keep", "play") for card in self.cards]
        words += [*DECLINING, "coins1", "coins2"]
        words += padded((f"work {face}" for face in self.faces[0]), None, FACES)
        words += padded((f"invention {face}" for face in self.faces[1]), None, FACES)
        words += padded((f"character {name}" for name in self.people), None, PEOPLE)
        words.append("draw_city")
        words += padded((f"activate {city}" for city in self.city_names), None, CITIES)
        return [*words, "activate_none", "keep ?"]

    def tell(self, event: SimpleNamespace, seat: int | None) -> list[str]:
        words = [
            self.speech.say("packet", *numbers_of(cards), seat=other)
            for other, cards in enumerate(event.packet)
            if cards and seat in (None, other)
        ]
        if event.drawn[0] != NONE and seat in (None, event.mover):
            words.append(self.speech.say("drawn", *(city for city in event.drawn if city != NONE)))
        if event.place:
            words.append(self.speech.say("place", event.place))
        return [*words, *self._refill(event.refill, event.refill_characters)]

    def _refill(self, sides: Sequence[Sequence[int]], people: int) -> list[str]:
        """The word of cards that came into the market, if any did."""
        cards = [FACES * side + face for side, counts in enumerate(sides) for face in cards_of(counts)]
        cards += [2 * FACES + person for person in numbers_of(people)]
        return [self.speech.say("refill", *cards)] if cards else []

    def tell_setup(self, state: SimpleNamespace, seat: int | None, players: int) -> list[str]:
        words = [
            self.speech.say("packet", *cards_at(state, other, IN_PACKET), seat=other)
            for other in range(players)
            if seat in (None, other)
        ]
        cities = numbers_of(state.cities_active)
        if seat is None:
            cities += state.city_pack[: state.city_len]
        words.append(self.speech.say("cities", *cities))
        return [*words, *self._refill(state.market, state.char_market)]

    # --- observations --------------------------------------------------------------------------------

    def observe(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, Any]:
        played = set(numbers_of(state.played))
        hands = [hand_of(state, other, players) for other in range(players)]
        return {
            "round": state.round,
            "draft_step": state.draft_step,
            "kept_now": kept_now(state, players),
            "visits": [self._visit(state, seat, step, players) for step in range(state.draft_step + 1)],
            "hand": [self.cards[card] for card in hands[seat] if card not in played],
            "played": [[self.cards[card] for card in hand if card in played] for hand in hands],
            "card": None if state.card == NONE else self.cards[state.card],
            "left": [SYMBOLS[symbol] for symbol in state.left if symbol != NONE],
            "passed": bool(state.passed),
            "first_plain": None if state.first_plain == NONE else self.words(state.first_plain),
            "pending": None if state.pending == NONE else SYMBOLS[state.pending],
            "work_market": self._counts(0, state.market[0]),
            "invention_market": self._counts(1, state.market[1]),
            "character_market": self._people(state.char_market),
            "works": [self._counts(0, state.owned[other][0]) for other in range(players)],
            "inventions": [self._counts(1, state.owned[other][1]) for other in range(players)],
            "characters": [self._people(state.characters[other]) for other in range(players)],
            "coins": state.coins[:players],
            "bank": state.bank,
            "cities_active": self._active(state),
            "city_pack": [
                self.city_names[city] if known >> seat & 1 else None
                for city, known in list(zip(state.city_pack, state.city_known, strict=True))[: state.city_len]
            ],
            "city_known": [numbers_of(known) for known in state.city_known[: state.city_len]],
        }

    def _visit(self, state: SimpleNamespace, seat: int, step: int, players: int) -> Visit:
        """What a seat saw when it held a packet: whatever was kept of it then or later."""
        packet = (seat - step) % players
        seen = [card for card, slot in enumerate(state.slot) if slot >> 3 == packet and slot & 7 >= step]
        kept = cards_at(state, packet, step)
        return Visit(packet, step, [self.cards[card] for card in seen], [self.cards[card] for card in kept])

    def _counts(self, side: int, counts: Sequence[int]) -> dict[str, int]:
        return {name: count for name, count in zip(self.faces[side], counts, strict=False) if count}

    def _people(self, bits: int) -> list[str]:
        return [self.people[person] for person in numbers_of(bits)]

    def _active(self, state: SimpleNamespace) -> list[str]:
        return [self.city_names[city] for city in numbers_of(state.cities_active)]

    def hidden_places(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        played = set(numbers_of(state.played))
        for other in range(players):
            if other == seat:
                continue
            hand = hand_of(state, other, players)
            found[f"hand {other}"] = [self.cards[card] for card in hand if card not in played]
            if self.phases[state.phase] == "draft":
                packet = (other - state.draft_step) % players
                found[f"packet {other}"] = [self.cards[c] for c in cards_at(state, packet, IN_PACKET)]
        return found

    def normal(self, seen: Seen) -> Seen:
        """Lists in their order; whatever they hold is checked by now."""
        by_id = self.cards.index
        visits = [
            Visit(visit.packet, visit.step, sorted(visit.seen, key=by_id), sorted(visit.kept, key=by_id))
            for visit in sorted(seen.visits, key=lambda visit: visit.step)
        ]
        return msgspec.structs.replace(
            seen,
            visits=visits,
            hand=sorted(seen.hand, key=by_id),
            played=[sorted(cards, key=by_id) for cards in seen.played],
            left=sorted(seen.left, key=SYMBOLS.index),
            character_market=sorted(seen.character_market, key=self.people.index),
            characters=[sorted(people, key=self.people.index) for people in seen.characters],
            cities_active=sorted(seen.cities_active, key=self.city_names.index),
            city_known=[sorted(seats) for seats in seen.city_known],
        )

    def restore(self, seen: Seen) -> dict[str, Any]:
        reader = Reader(self, seen)
        reader.check_header()
        reader.check_names()
        reader.check_visits()
        reader.check_hands()
        reader.check_market()
        reader.check_coins()
        reader.check_cities()
        reader.check_turn()
        fields = reader.fields()
        if seen.to_move is not None:
            reader.check_decision(fields)
        return fields

    # --- drawing -------------------------------------------------------------------------------------

    def draw(self, state: SimpleNamespace, seat: int | None, players: int) -> str:
        return Drawing(self, state, seat, players).text()


def effect(name: str) -> int:
    return NONE if name == "none" else SYMBOLS.index(name)


def flags(given: Iterable[bool]) -> int:
    return sum(1 << number for number, flag in enumerate(given) if flag)


def kept_now(state: SimpleNamespace, players: int) -> int:
    """How many cards the seat to move has kept in this step of the draft."""
    if state.draft_step > 2:
        return 0
    return len(cards_at(state, (state.to_move - state.draft_step) % players, state.draft_step))


GAME = Omnia
