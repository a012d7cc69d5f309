"""Atelier Da Vinci in plain Python, from the rules alone: what a careful referee, and a player with perfect
memory, write down. Slow and simple; nothing here knows the core.

`Referee` follows a game from its words and says what the table must look like. `Memory` follows it from one
seat and says which cards may lie where that seat cannot see.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from davinci_table import (
    ACHIEVEMENTS,
    COLOURS,
    FACES,
    IN_PLAY,
    MASTERIES,
    POINTS,
    SLOTS,
    by_face,
    colour_of,
    current_pool,
    expanded,
    laid_open,
    of_chance,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: a hand's card: its face, and the cycle it was drawn in, None if everybody knows it
Card = tuple[str, int | None]
HAND_LIMIT, PAINT_MAX = 5, 4
NUMBER = {face: number for number, face in enumerate(FACES)}


def level(esteem: int) -> int:
    """The bonus for painting (DV-P7)."""
    return (esteem >= 1) + (esteem >= 11) + (esteem >= 21) + (esteem >= 31)


class Place:
    """A painting face up, its cards by slot, and the slots that got their card in this turn."""

    def __init__(self, painting: str) -> None:
        self.painting = painting
        self.cards: dict[int, str] = {}
        self.fresh: set[int] = set()

    def open_slots(self) -> list[int]:
        colours = enumerate(SLOTS[self.painting])
        return [slot for slot, colour in colours if colour and slot not in self.cards]

    def dry_enough(self, slot: int, wet_paint: str) -> bool:
        """No neighbour of another colour was painted in this turn (DV-P4, R3)."""
        if wet_paint == "off":
            return True
        colours = SLOTS[self.painting]
        neighbours = {(slot + 1) % 6, (slot - 1) % 6}
        return all(colours[other] == colours[slot] for other in neighbours & self.fresh)


class Referee:
    """The whole table, told step by step: the action, and all that it showed."""

    def __init__(self, views: Sequence[Mapping[str, Any]]) -> None:
        """The set-up, from what each seat sees of it."""
        seen = views[0]
        self.players: int = seen["players"]
        self.options = seen["options"]
        self.table = Counter(seen["table"])
        self.discard = Counter[str]()
        self.hands: list[list[Card]] = [
            [(face, cycle) for cycle, face in view["own_hidden"]] for view in views
        ]
        self.deck = current_pool(seen)
        self.deck.subtract(face for hand in self.hands[1:] for face, _ in hand)
        self.places: list[Place | None] = [Place(place["painting"]) for place in seen["places"]]
        self.paintings_left = IN_PLAY[self.players] - 2
        self.taken: dict[str, int] = {}
        self.masteries: dict[str, int] = {}
        self.achievements = list(seen["achievements"])
        self.esteem = [0] * self.players
        self.help: int | None = None
        self.token = self.mover = 0
        self.phase, self.round, self.cycle = "main", 1, 0
        self._rest()

    def _rest(self) -> None:
        self.take_left = self.placed = self.to_discard = 0
        self.last: int | None = None
        self.drawn: str | None = None
        self.finished = Counter[str]()

    # --- what may be done ---------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(getattr(self, f"_in_{self.phase}")())

    def _in_over(self) -> list[str]:
        return []

    def _in_main(self) -> list[str]:
        claims = [f"claim {name}" for name in MASTERIES if self._can_claim(name)]
        return ["draw", *(f"take {face}" for face in +self.table), *self._paints(), *claims]

    def _in_take(self) -> list[str]:
        return ["stop", *(f"take {face}" for face in self._takes())]

    def _takes(self) -> list[str]:
        return [
            face
            for face in +self.table
            if NUMBER[face] >= (self.last or 0) and value_of(face) <= self.take_left
        ]

    def _in_discard(self) -> list[str]:
        held = [NUMBER[face] for face, _ in self.hands[self.mover]]
        return [
            f"discard {FACES[number]}"
            for number in set(held)
            if number >= (self.last or 0) and sum(other >= number for other in held) >= self.to_discard
        ]

    def _in_paint(self) -> list[str]:
        return ["stop", *self._paints()]

    def usable(self) -> list[tuple[int, int]]:
        """Place and slot of every slot that may be painted now, in rising order after the last."""
        return [
            (number, slot)
            for number, place in enumerate(self.places)
            if place
            for slot in place.open_slots()
            if place.dry_enough(slot, self.options["wet_paint"])
            and (self.last is None or number * 6 + slot > self.last)
        ]

    def _paints(self) -> list[str]:
        words = []
        held = {face for face, _ in self.hands[self.mover]}
        for number, slot in self.usable():
            painting = self.places[number].painting
            words += [
                f"paint {painting} {slot} {face}" for face in held if colour_of(face) == SLOTS[painting][slot]
            ]
        return words

    def _can_claim(self, name: str) -> bool:
        held = Counter(colour_of(face) for face, _ in self.hands[self.mover])
        return name not in self.masteries and Counter(MASTERIES[name]) <= held

    def _in_leonardo(self) -> list[str]:
        return self._leonardo_with(+self.table)

    def _in_leo_drawn(self) -> list[str]:
        return self._leonardo_with([self.drawn])

    def _leonardo_with(self, faces: Iterable[str]) -> list[str]:
        return [
            f"leonardo {place.painting} {slot} {face}"
            for face in faces
            for place in self.places
            if place and len(place.open_slots()) >= 2
            for slot in place.open_slots()
            if SLOTS[place.painting][slot] == colour_of(face)
            and place.dry_enough(slot, self.options["wet_paint"])
        ]

    # --- what follows -------------------------------------------------------------------------------

    def step(self, action: str, told: Sequence[str]) -> None:
        """Plays an action; `told` is all that it showed."""
        self.chance = of_chance(told)[::-1]
        self.shown: list[tuple[int, int, str]] = []
        self.fresh_draw: Card | None = None
        name, *names = action.split()
        getattr(self, f"_{name}")(*names)
        assert not self.chance, f"nothing brings {self.chance}"
        expected = sorted(self.shown, key=lambda card: (card[0], card[1], NUMBER[card[2]]))
        assert laid_open(told) == expected

    def _card(self, word: str) -> str:
        """The next card from the deck (DV-E2)."""
        if not self.deck.total():
            assert self.chance.pop() == "reshuffle"
            self.deck, self.discard = self.discard, Counter()
            self.cycle += 1
        name, face = self.chance.pop().split()
        assert name == word
        assert self.deck[face] > 0, f"{face} was not in the deck"
        self.deck[face] -= 1
        return face

    def _take(self, face: str) -> None:
        if self.phase == "main":
            self.take_left = 5 if self.help == self.mover else 4
        self.phase = "take"
        self.table[face] -= 1
        self.hands[self.mover].append((face, None))
        self.take_left -= value_of(face)
        self.last = NUMBER[face]
        if not self._takes():
            self._collected()

    def _draw(self) -> None:
        face = self._card("draw")
        self.fresh_draw = (face, self.cycle)
        self.hands[self.mover].append(self.fresh_draw)
        self._collected()

    def _collected(self) -> None:
        self._rest()
        self.to_discard = max(0, len(self.hands[self.mover]) - HAND_LIMIT)
        self.phase = "discard"
        if not self.to_discard:
            self._action_done()

    def _stop(self) -> None:
        if self.phase == "take":
            self._collected()
        else:
            self._painted()

    def _discard(self, face: str) -> None:
        self._play_card(face)
        self.discard[face] += 1
        self.last = NUMBER[face]
        self.to_discard -= 1
        if not self.to_discard:
            self._action_done()

    def _play_card(self, face: str) -> None:
        """A card leaves the hand: a known one first, then the one of the oldest cycle (R16)."""
        own = self.hands[self.mover]
        card = min(
            (card for card in own if card[0] == face), key=lambda card: -1 if card[1] is None else card[1]
        )
        own.remove(card)
        if card[1] is not None:
            self.shown.append((self.mover, card[1], face))

    def _claim(self, name: str) -> None:
        self.masteries[name] = self.mover
        for colour, needed in Counter(MASTERIES[name]).items():
            own = [card for card in self.hands[self.mover] if colour_of(card[0]) == colour]
            # Known cards first, then hidden ones by value, then cycle (R9, R16).
            own.sort(key=lambda card: (card[1] is not None, card[0], card[1] or 0))
            for face, cycle in own[:needed]:
                if cycle is not None:
                    self.hands[self.mover].remove((face, cycle))
                    self.hands[self.mover].append((face, None))
                    self.shown.append((self.mover, cycle, face))
        self._action_done()

    def _paint(self, painting: str, slot_name: str, face: str) -> None:
        if self.phase == "main":
            self.phase = "paint"
        number = next(n for n, place in enumerate(self.places) if place and place.painting == painting)
        place, slot = self.places[number], int(slot_name)
        self._play_card(face)
        place.cards[slot] = face
        place.fresh.add(slot)
        self.placed += 1
        self.last = number * 6 + slot
        if not place.open_slots():
            self._complete(number)
        if self.placed == PAINT_MAX or not self.hands[self.mover] or not self.usable():
            self._painted()

    def _complete(self, number: int) -> None:
        place = self.places[number]
        self.taken[place.painting] = self.mover
        self.finished.update(colour_of(place.cards[slot]) for slot in place.fresh)
        self.discard.update(place.cards.values())
        self.places[number] = None
        if self.paintings_left:
            self.paintings_left -= 1
            word, painting = self.chance.pop().split()
            assert word == "painting"
            assert painting not in self.taken
            assert all(other is None or other.painting != painting for other in self.places)
            self.places[number] = Place(painting)
            self.last = None

    def _painted(self) -> None:
        """The points of a Paint action (DV-P5 to DV-P9)."""
        scoring = [place.cards[slot] for place in self.places if place for slot in place.fresh]
        gained = sum(map(value_of, scoring))
        if scoring or self.options["completion_bonus"] != "none":
            gained += level(self.esteem[self.mover])
        colours = Counter(map(colour_of, scoring))
        if self.options["completion_bonus"] == "all":
            colours += self.finished
        for name, owner in self.masteries.items():
            if owner == self.mover:
                each = [colours[colour] for colour in set(MASTERIES[name])]
                gained += {
                    "card": sum(each),
                    "colour": sum(count > 0 for count in each),
                    "action": int(any(each)),
                }[self.options["mastery_bonus"]]
        self.esteem[self.mover] += gained
        self._action_done()

    def _action_done(self) -> None:
        self._rest()
        if self.mover != self.token:
            self._turn_done()
            return
        self.phase = "leonardo"
        if self._in_leonardo():
            return
        self.drawn = self._card("turn")
        self.phase = "leo_drawn"
        if not self._in_leo_drawn():
            self.discard[self.drawn] += 1
            self._turn_done()

    def _leonardo(self, painting: str, slot: str, face: str) -> None:
        if self.phase == "leonardo":
            self.table[face] -= 1
        place = next(place for place in self.places if place and place.painting == painting)
        place.cards[int(slot)] = face
        self._turn_done()

    def _turn_done(self) -> None:
        self._rest()
        for place in self.places:
            if place:
                place.fresh.clear()
        self.mover = (self.mover + 1) % self.players
        self.phase = "main"
        if self.mover == self.token:
            self._round_done()

    def _round_done(self) -> None:
        if not any(self.places) or self.round == self.options["round_cap"]:
            self._lay_hands_open()
            self.phase = "over"
            return
        refilled: list[str] = []
        while self.table.total() < 2 * self.players:
            cycle = self.cycle
            face = self._card("refill")
            if cycle != self.cycle:
                refilled.clear()
            refilled.append(face)
            assert refilled == by_face(refilled), "cards of one deck are told in the order of the faces"
            self.table[face] += 1
        self._give_help()
        self.token = self.mover = (self.token + 1) % self.players
        self.round += 1

    def _give_help(self) -> None:
        few = min(map(len, self.hands))
        tied = [seat for seat in range(self.players) if len(self.hands[seat]) == few]
        low = min(self.esteem[seat] for seat in tied)
        tied = [seat for seat in tied if self.esteem[seat] == low]
        if len(tied) == 1:
            self.help = tied[0]

    def _lay_hands_open(self) -> None:
        for seat, own in enumerate(self.hands):
            secret = [card for card in own if card[1] is not None]
            self.hands[seat] = [(face, None) for face, _ in own]
            # A card drawn in this very step is told as drawn.
            if seat == self.mover_before_end() and self.fresh_draw in secret:
                secret.remove(self.fresh_draw)
            self.shown += [(seat, cycle, face) for face, cycle in secret]

    def mover_before_end(self) -> int:
        """The last seat of the round; the turn has passed on already."""
        return (self.mover - 1) % self.players

    # --- the end ------------------------------------------------------------------------------------

    def fulfils(self, seat: int, achievement: str) -> bool:
        faces = [face for face, _ in self.hands[seat]]
        colours = Counter(map(colour_of, faces))
        return {
            "five_cards": len(faces) >= 5,
            "two_masteries": list(self.masteries.values()).count(seat) >= 2,
            "colour_pair": any(count >= 2 for count in colours.values()),
            "two_paintings": list(self.taken.values()).count(seat) >= 2,
            "four_colours": len(colours) >= 4,
            "empty_hand": not faces,
        }[achievement]

    def totals(self) -> list[int]:
        return [
            self.esteem[seat]
            + sum(POINTS[name] for name, owner in self.taken.items() if owner == seat)
            + sum(ACHIEVEMENTS[name] for name in self.achievements if self.fulfils(seat, name))
            for seat in range(self.players)
        ]

    def ranks(self) -> list[int]:
        paintings = [list(self.taken.values()).count(seat) for seat in range(self.players)]
        standing = list(zip(self.totals(), paintings, strict=True))
        return [1 + sum(other > own for other in standing) for own in standing]

    # --- the same table as an observation writes it -------------------------------------------------

    def seen_by(self, seat: int) -> dict[str, Any]:
        """The fields of a seat's observation that follow from the table alone (not the pools)."""
        over = self.phase == "over"
        return {
            "to_move": None if over else self.mover,
            "phase": self.phase,
            "round": self.round,
            "leonardo": self.token,
            "help": self.help,
            "cycle": self.cycle,
            "table": dict(+self.table),
            "discard": dict(+self.discard),
            "deck_count": self.deck.total(),
            "paintings_left": self.paintings_left,
            "places": [place and self._place(place) for place in self.places],
            "taken": self.taken,
            "masteries": self.masteries,
            "achievements": self.achievements,
            "esteem": self.esteem,
            "hands": [self._hand(own) for own in self.hands],
            "own_hidden": [
                [cycle, face]
                for cycle, face in sorted(
                    ((cycle, face) for face, cycle in self.hands[seat] if cycle is not None),
                    key=lambda card: (card[0], NUMBER[card[1]]),
                )
            ],
            "take_left": self.take_left,
            "last_face": FACES[self.last]
            if self.phase in ("take", "discard") and self.last is not None
            else None,
            "last_slot": [*divmod(self.last, 6)] if self.phase == "paint" and self.last is not None else None,
            "placed": self.placed,
            "to_discard": self.to_discard,
            "drawn": self.drawn,
            "done_count": self._done(),
        }

    def _done(self) -> dict[str, int]:
        if self.options["completion_bonus"] != "all":
            return {}
        return {colour: self.finished[colour] for colour in COLOURS if self.finished[colour]}

    def _place(self, place: Place) -> dict[str, Any]:
        cards = [place.cards.get(slot) for slot in range(6)]
        return {"painting": place.painting, "cards": cards, "fresh": sorted(place.fresh)}

    def _hand(self, own: list[Card]) -> dict[str, Any]:
        cycles = Counter(cycle for _, cycle in own if cycle is not None)
        return {
            "known": dict(Counter(face for face, cycle in own if cycle is None)),
            "hidden": [list(pair) for pair in sorted(cycles.items())],
        }


class Memory:
    """What one seat remembers: the faces of every deck that it has not seen since, by cycle."""

    def __init__(self, first: Mapping[str, Any]) -> None:
        self.cycle = 0
        self.pools = {0: current_pool(first)}

    def step(self, seen: Sequence[str], after: Mapping[str, Any]) -> None:
        """One step: the words that this seat saw, and its observation after it."""
        for _, cycle, face in laid_open(seen):
            self.pools[cycle][face] -= 1
        started = self.cycle
        for word in of_chance(seen):
            name, *faces = word.split()
            if name == "reshuffle":
                self.cycle += 1
            elif name in ("draw", "turn", "refill") and self.cycle == started:
                self.pools[self.cycle].subtract(faces)
        if self.cycle > started:
            # Its cards are those of the discard pile: all that is left of the whole deck.
            kept = {"old_pools": [{"cards": pool} for pool in self.pools.values()]}
            self.pools[self.cycle] = current_pool({**after, **kept})

    def known_pools(self) -> dict[int, Counter[str]]:
        return {cycle: +pool for cycle, pool in self.pools.items() if pool.total()}


def places_of(seen: Mapping[str, Any]) -> dict[int, dict[int, int]]:
    """For each cycle how many hidden cards of it each other seat holds."""
    found: dict[int, dict[int, int]] = {}
    others = [seat for seat in range(seen["players"]) if seat != seen["seat"]]
    for cycle in range(seen["cycle"] + 1):
        found[cycle] = {
            seat: dict(map(tuple, seen["hands"][seat]["hidden"])).get(cycle, 0) for seat in others
        }
    return found


def sorted_world(seen: Mapping[str, Any], pools: Mapping[int, Counter[str]]) -> tuple[tuple[Any, ...], ...]:
    """The canonical world: each pool in rising order on the others' hidden cards, seats rising."""
    places = places_of(seen)
    hands: dict[int, list[tuple[int, str]]] = {seat: [] for seat in places[0]}
    for cycle, pool in pools.items():
        faces = expanded(pool)
        for seat, count in places[cycle].items():
            hands[seat] += [(cycle, faces.pop(0)) for _ in range(count)]
    return tuple(tuple(sorted(hands[seat])) for seat in sorted(hands))
