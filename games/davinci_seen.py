"""What a seat knows in Atelier Da Vinci: the observation's types, and reading one back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec

from .errors import unknown
from .game import Observation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .davinci import DaVinci
    from .errors import SfumatoError

NONE = 255
SEATS = 5
FACES = 20
SLOTS = 6
HIDDEN = 6
CARDS = 55
UNMARKED = "-"

Count = Annotated[int, msgspec.Meta(ge=1)]


class Place(msgspec.Struct, forbid_unknown_fields=True):
    """A painting face up."""

    painting: str
    #: per slot the card there, null if there is none
    cards: Annotated[list[str | None], msgspec.Meta(min_length=6, max_length=6)]
    #: slots that got their card in this turn
    fresh: list[int]


class HiddenCards(msgspec.Struct, array_like=True, forbid_unknown_fields=True, order=True):
    """Cards of one cycle in a hand, and how many they are."""

    cycle: int
    count: Count


class Hand(msgspec.Struct, forbid_unknown_fields=True):
    """What everybody knows of a hand."""

    #: face to number of cards
    known: dict[str, Count]
    #: cycle and number of the cards that were drawn from that deck and are not known
    hidden: list[HiddenCards]


class OwnCard(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A hidden card of the own hand."""

    cycle: int
    face: str


class Spot(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A slot of the painting at a place."""

    place: int
    slot: int


class Pool(msgspec.Struct, forbid_unknown_fields=True):
    """The hidden cards of a past cycle in the other hands."""

    cycle: int
    cards: dict[str, Count]


class Seen(Observation):
    """What a seat knows in Atelier Da Vinci. Faces are a colour and a value; maps of counts hold no zeros. A
    cycle is the number of a deck: 0 for the first, one more whenever the discard pile becomes the deck."""

    round: int
    #: the seat with the Leonardo token
    leonardo: int
    #: the seat with the Help of the Maestro
    help: int | None
    #: number of the current deck
    cycle: int
    #: face to number of cards
    table: dict[str, Count]
    discard: dict[str, Count]
    deck_count: int
    #: paintings in the painting deck
    paintings_left: int
    places: Annotated[list[Place | None], msgspec.Meta(min_length=2, max_length=2)]
    #: completed paintings and who has them
    taken: dict[str, int]
    #: claimed masteries and who has them
    masteries: dict[str, int]
    achievements: Annotated[list[str], msgspec.Meta(min_length=2, max_length=2)]
    esteem: list[int]
    hands: list[Hand]
    #: the own hidden cards: cycle and face
    own_hidden: list[OwnCard]
    old_pools: list[Pool]
    #: phase take: the value that may still be taken
    take_left: int
    #: phases take and discard: the last card of the action; the next one is no lower
    last_face: str | None
    #: phase paint: place and slot of the last card; the next one comes behind it
    last_slot: Spot | None
    #: phase paint: cards of the action
    placed: int
    #: phase discard: cards still to go
    to_discard: int
    #: phase leo_drawn: the card turned over
    drawn: str | None
    #: phase paint, with completion_bonus=all: cards that completed a painting, by colour
    done_count: dict[str, Count]


class Reader:
    """Reads an observation back: the checks in their order, then the hidden state's fields."""

    def __init__(self, game: DaVinci, seen: Seen) -> None:
        self.game = game
        self.seen = seen
        self.options = game.option_values(seen.players)
        self.face_ids = {face: number for number, face in enumerate(game.faces)}

    def refuse(self, code: str, message: str, path: str) -> SfumatoError:
        return self.game.refuse(code, message, path)

    def check_names(self) -> None:
        """bad_value, for names."""
        seen, game = self.seen, self.game
        named: list[tuple[str, Iterable[str | None], Sequence[str]]] = [
            ("table", seen.table, game.faces),
            ("discard", seen.discard, game.faces),
            ("taken", seen.taken, game.painting_ids),
            ("masteries", seen.masteries, game.mastery_ids),
            ("achievements", seen.achievements, game.achievement_ids),
            ("own_hidden", (card.face for card in seen.own_hidden), game.faces),
            ("last_face", [seen.last_face], game.faces),
            ("drawn", [seen.drawn], game.faces),
            ("done_count", seen.done_count, game.colours),
        ]
        named += ((f"hands[{at}].known", hand.known, game.faces) for at, hand in enumerate(seen.hands))
        pools = enumerate(seen.old_pools)
        named += ((f"old_pools[{at}].cards", pool.cards, game.faces) for at, pool in pools)
        for at, place in enumerate(seen.places):
            if place:
                named.append((f"places[{at}].painting", [place.painting], game.painting_ids))
                named.append((f"places[{at}].cards", place.cards, game.faces))
        for path, names, known in named:
            for name in names:
                if name is not None and name not in known:
                    raise unknown("bad_value", "name", name, known, path)

    def check_numbers(self) -> None:
        """bad_value, achievement, table_size."""
        seen = self.seen
        last_seat = seen.players - 1
        numbers: list[tuple[str, int | None, int, int]] = [
            ("round", seen.round, 1, cast("int", self.options["round_cap"])),
            ("leonardo", seen.leonardo, 0, last_seat),
            ("help", seen.help, 0, last_seat),
            ("cycle", seen.cycle, 0, 9999),
            ("deck_count", seen.deck_count, 0, CARDS),
            ("take_left", seen.take_left, 0, 4),
            ("placed", seen.placed, 0, 3),
            ("to_discard", seen.to_discard, 0, 5),
            *((f"taken.{name}", owner, 0, last_seat) for name, owner in seen.taken.items()),
            *((f"masteries.{name}", owner, 0, last_seat) for name, owner in seen.masteries.items()),
            *((f"esteem[{at}]", points, 0, 9999) for at, points in enumerate(seen.esteem)),
        ]
        if seen.last_slot is not None:
            numbers.append(("last_slot[0]", seen.last_slot.place, 0, 1))
            numbers.append(("last_slot[1]", seen.last_slot.slot, 0, SLOTS - 1))
        for path, number, low, high in numbers:
            if number is not None and not low <= number <= high:
                raise self.refuse("bad_value", f"expected {low} to {high}, got {number}", path)
        if seen.achievements[0] == seen.achievements[1]:
            raise self.refuse("achievement", "expected two different ones", "achievements")
        if sum(seen.table.values()) > 2 * seen.players:
            raise self.refuse("table_size", f"expected at most {2 * seen.players} cards", "table")

    def check_paintings(self) -> None:
        """Slot, painting, painting_count."""
        seen = self.seen
        up = [place.painting for place in seen.places if place]
        for at, place in enumerate(seen.places):
            if place:
                self._check_place(place, f"places[{at}]")
                if place.painting in seen.taken or up.count(place.painting) > 1:
                    raise self.refuse("painting", f"{place.painting} stands twice", f"places[{at}].painting")
        left = seen.players + 3 - len(up) - len(seen.taken)
        if left < 0:
            raise self.refuse("painting_count", f"{seen.players + 3} are in play, here are more", "taken")
        if seen.paintings_left != left:
            message = f"expected {left}, got {seen.paintings_left}"
            raise self.refuse("painting_count", message, "paintings_left")
        if left and len(up) < 2:
            raise self.refuse("painting_count", "a place is empty though paintings are left", "places")

    def _border(self, place: Place) -> list[str]:
        return self.game.paintings[self.game.painting_ids.index(place.painting)].slots

    def _check_place(self, place: Place, path: str) -> None:
        border = self._border(place)
        wet = place.fresh if self.options["wet_paint"] == "ring" else []
        for slot, (colour, card) in enumerate(zip(border, place.cards, strict=True)):
            if card is not None and card[:-1] != colour:
                what = "is not marked" if colour == UNMARKED else f"takes {colour}"
                raise self.refuse("slot", f"slot {slot} {what}, not {card}", f"{path}.cards[{slot}]")
        if all(card or colour == UNMARKED for colour, card in zip(border, place.cards, strict=True)):
            raise self.refuse("slot", f"{place.painting} is complete", f"{path}.cards")
        if place.fresh and self.seen.phase not in ("paint", "leonardo", "leo_drawn"):
            raise self.refuse("slot", f"nothing is fresh in phase {self.seen.phase}", f"{path}.fresh")
        if len(set(place.fresh)) != len(place.fresh):
            raise self.refuse("slot", "a slot stands twice", f"{path}.fresh")
        for slot in place.fresh:
            if not 0 <= slot < SLOTS or place.cards[slot] is None:
                raise self.refuse("slot", f"there is no card on slot {slot}", f"{path}.fresh")
            beside = (slot + 1) % SLOTS
            if beside in wet and border[beside] != border[slot]:
                message = f"slots {slot} and {beside} touch in different colours"
                raise self.refuse("slot", message, f"{path}.fresh")

    def check_hands(self) -> None:
        """Cycle, hand_count, hand_limit."""
        seen = self.seen
        for at, hand in enumerate(seen.hands):
            cycles = [cards.cycle for cards in hand.hidden]
            if len(set(cycles)) != len(cycles):
                raise self.refuse("hand_count", "a cycle stands twice", f"hands[{at}].hidden")
            if any(not 0 <= cycle <= seen.cycle for cycle in cycles):
                raise self.refuse("cycle", f"expected 0 to {seen.cycle}", f"hands[{at}].hidden")
            if hand.hidden and seen.phase == "over":
                raise self.refuse("hand_count", "hands are open when the game is over", f"hands[{at}].hidden")
            self._check_size(at, hand)
        mine = by_cycle((card.cycle, 0) for card in seen.own_hidden)
        if mine != sorted(seen.hands[seen.seat].hidden):
            raise self.refuse("hand_count", f"does not agree with hands[{seen.seat}].hidden", "own_hidden")

    def _check_size(self, at: int, hand: Hand) -> None:
        seen = self.seen
        hidden = sum(cards.count for cards in hand.hidden)
        size, limit = sum(hand.known.values()) + hidden, 5
        if at == seen.to_move and seen.phase == "take":
            limit += 4 + (seen.help == at) - seen.take_left
        elif at == seen.to_move and seen.phase == "discard":
            limit += seen.to_discard
            if size != limit:
                raise self.refuse("hand_limit", f"expected {limit} cards, got {size}", f"hands[{at}]")
        if size > limit:
            raise self.refuse("hand_limit", f"expected at most {limit} cards, got {size}", f"hands[{at}]")
        drew = at == seen.to_move and seen.phase == "discard" and seen.to_discard == 1
        if hidden > 5 + drew:
            raise self.refuse("hand_limit", "too many hidden cards", f"hands[{at}].hidden")

    def check_pools(self) -> None:
        """Cycle, pool_count, too_many_cards, card_count."""
        seen = self.seen
        places = Counter[int]()
        for at, hand in enumerate(seen.hands):
            if at != seen.seat:
                places.update({cards.cycle: cards.count for cards in hand.hidden})
        cycles = [pool.cycle for pool in seen.old_pools]
        for at, pool in enumerate(seen.old_pools):
            if not 0 <= pool.cycle < seen.cycle:
                raise self.refuse("cycle", f"expected a cycle before {seen.cycle}", f"old_pools[{at}].cycle")
            if cycles.count(pool.cycle) > 1:
                raise self.refuse("pool_count", f"cycle {pool.cycle} stands twice", f"old_pools[{at}].cycle")
            held = sum(pool.cards.values())
            if held != places[pool.cycle] or not held:
                message = f"expected {places[pool.cycle]} cards, got {held}"
                raise self.refuse("pool_count", message, f"old_pools[{at}].cards")
        for cycle in places:
            if cycle != seen.cycle and cycle not in cycles:
                raise self.refuse("pool_count", f"no pool for cycle {cycle}", "old_pools")
        self.pool = self._current_pool()
        for face, count in zip(self.game.faces, self.pool, strict=True):
            if count < 0:
                raise self.refuse("too_many_cards", f"{-count} more of {face} than there are", f"face {face}")
        due = seen.deck_count + places[seen.cycle]
        if sum(self.pool) != due:
            message = f"{sum(self.pool)} cards are left for the deck and hidden cards, expected {due}"
            raise self.refuse("card_count", message, "deck_count")

    def _current_pool(self) -> list[int]:
        """What is left of the prepared deck, by face."""
        seen = self.seen
        pool = list(self.game.decks[seen.players])
        piles = [seen.table, seen.discard, *(hand.known for hand in seen.hands)]
        piles += [pool.cards for pool in seen.old_pools]
        cards = [card.face for card in seen.own_hidden]
        cards += [card for place in seen.places if place for card in place.cards if card]
        cards += [seen.drawn] if seen.drawn else []
        for pile in [*piles, Counter(cards)]:
            for face, count in pile.items():
                pool[self.face_ids[face]] -= count
        return pool

    def check_action(self) -> None:
        """Mid, phase."""
        seen = self.seen
        resting = {
            "take_left": (seen.take_left, 0, "take"),
            "to_discard": (seen.to_discard, 0, "discard"),
            "placed": (seen.placed, 0, "paint"),
            "drawn": (seen.drawn, None, "leo_drawn"),
        }
        for field, (value, rest, phase) in resting.items():
            if (value != rest) != (seen.phase == phase):
                raise self.refuse("mid", f"is used in phase {phase}, and only there", field)
        if seen.last_face is not None and seen.phase not in ("take", "discard"):
            raise self.refuse("mid", "is used in phases take and discard only", "last_face")
        if seen.last_slot is not None and seen.phase != "paint":
            raise self.refuse("mid", "is used in phase paint only", "last_slot")
        if seen.phase == "take" and seen.last_face not in seen.hands[cast("int", seen.to_move)].known:
            raise self.refuse("mid", "must be a known card of the seat that takes", "last_face")
        if seen.done_count and (seen.phase != "paint" or self.options["completion_bonus"] != "all"):
            raise self.refuse("mid", "is used in phase paint with completion_bonus=all only", "done_count")
        fresh = sum(len(place.fresh) for place in seen.places if place)
        if seen.phase == "paint" and seen.placed < fresh + sum(seen.done_count.values()):
            raise self.refuse("mid", "fewer than the fresh cards and those of done_count", "placed")
        if seen.phase in ("leonardo", "leo_drawn") and seen.to_move != seen.leonardo:
            raise self.refuse("phase", f"seat {seen.leonardo} has the Leonardo token", "to_move")
        if seen.phase in ("leonardo", "leo_drawn") and not self._leonardo_can_paint():
            raise self.refuse("phase", "no card can be placed", "phase")

    def _leonardo_can_paint(self) -> bool:
        cards = self.seen.table if self.seen.phase == "leonardo" else [cast("str", self.seen.drawn)]
        colours = {card[:-1] for card in cards}
        return any(self._takes(place, colours) for place in self.seen.places if place)

    def _takes(self, place: Place, colours: set[str]) -> bool:
        """Whether one of the colours may go on the painting and leave a slot open."""
        border = self._border(place)
        open_slots = [slot for slot in range(SLOTS) if border[slot] != UNMARKED and place.cards[slot] is None]
        wet = place.fresh if self.options["wet_paint"] == "ring" else []
        return len(open_slots) > 1 and any(
            border[slot] in colours
            and all(border[other] == border[slot] for other in neighbours(slot) if other in wet)
            for slot in open_slots
        )

    def fields(self) -> dict[str, Any]:
        """The hidden state: each pool in rising order over its places, as the core's `hide` lays it."""
        seen, game = self.seen, self.game
        pools = {pool.cycle: cards_of(self._numbers(pool.cards)) for pool in seen.old_pools}
        pools[seen.cycle] = cards_of(self.pool)
        cycles, faces = ([[0] * HIDDEN for _ in range(SEATS)] for _ in range(2))
        hid_n, hand_n = [0] * SEATS, [0] * SEATS
        for at, hand in enumerate(seen.hands):
            if at == seen.seat:
                cards = sorted((card.cycle, self.face_ids[card.face]) for card in seen.own_hidden)
            else:
                hidden = [each.cycle for each in sorted(hand.hidden) for _ in range(each.count)]
                cards = [(cycle, pools[cycle].pop(0)) for cycle in hidden]
            hid_n[at], hand_n[at] = len(cards), len(cards) + sum(hand.known.values())
            for place, (cycle, face) in enumerate(cards):
                cycles[at][place], faces[at][place] = cycle, face
        last = NONE if seen.last_face is None else self.face_ids[seen.last_face]
        if seen.last_slot is not None:
            last = SLOTS * seen.last_slot.place + seen.last_slot.slot
        places = [place or Place("", [None] * SLOTS, []) for place in seen.places]
        return {
            "phase": game.phases.index(seen.phase),
            "leonardo": seen.leonardo,
            "help": NONE if seen.help is None else seen.help,
            "round": seen.round,
            "take_left": seen.take_left,
            "last": last,
            "placed": seen.placed,
            "to_discard": seen.to_discard,
            "drawn": NONE if seen.drawn is None else self.face_ids[seen.drawn],
            "cycle": seen.cycle,
            "esteem": padded(seen.esteem, 0),
            "hid_cycle": cycles,
            "hid_face": faces,
            "hid_n": hid_n,
            "hand_n": hand_n,
            "deck_n": seen.deck_count,
            "deck": [pools[seen.cycle].count(face) for face in range(FACES)],
            "discard": self._numbers(seen.discard),
            "table": self._numbers(seen.table),
            "known": padded([self._numbers(hand.known) for hand in seen.hands], [0] * FACES),
            "place": [game.painting_ids.index(each.painting) if each.painting else NONE for each in places],
            "slot_value": [[int(card[-1]) if card else 0 for card in place.cards] for place in places],
            "fresh": [sum(1 << slot for slot in place.fresh) for place in places],
            "paint_owner": [seen.taken.get(name, NONE) for name in game.painting_ids],
            "mast_owner": [seen.masteries.get(name, NONE) for name in game.mastery_ids],
            "ach": sorted(game.achievement_ids.index(name) for name in seen.achievements),
            "done_count": [seen.done_count.get(colour, 0) for colour in game.colours],
        }

    def _numbers(self, cards: Mapping[str, int]) -> list[int]:
        return [cards.get(face, 0) for face in self.game.faces]


def padded(values: Sequence[Any], filler: Any) -> list[Any]:
    """An entry for each seat that there can be."""
    return [*values, *[filler] * (SEATS - len(values))]


def neighbours(slot: int) -> tuple[int, int]:
    return (slot - 1) % SLOTS, (slot + 1) % SLOTS


def cards_of(counts: Sequence[int]) -> list[int]:
    """The faces of a pile, one by one."""
    return [face for face, count in enumerate(counts) for _ in range(count)]


def by_cycle(cards: Iterable[tuple[int, int]]) -> list[HiddenCards]:
    """How many cards there are of each cycle."""
    counts = Counter(cycle for cycle, _ in cards)
    return [HiddenCards(cycle, counts[cycle]) for cycle in sorted(counts)]
