"""What a seat knows in OMNIA: the observation's types, and reading one back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from ..ext.state import Impossible
from .errors import unknown
from .game import Observation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import SimpleNamespace

    from .errors import SfumatoError
    from .omnia import Omnia

NONE = 255
SEATS = 4
FACES = 8
COLOURS = 4
CARDS = 28
HAND = 7
ROUNDS = 6
MARKET = 3
DRAWN = 3
PACK_OF_CITIES = 15
LAST_STEP, IN_PACKET = 3, 4
#: cards in a packet, by step of the draft
PACKET = (7, 5, 3, 1)
SYMBOLS = ("coins1", "coins2", "work", "invention", "character", "city")
#: invariants of the core
TURN, DECISION = 4, 11
#: groups of action cards that are not of a visit
UNSEEN, OWN = "unseen", "own"

Count = Annotated[int, msgspec.Meta(ge=1)]


class Visit(msgspec.Struct, forbid_unknown_fields=True):
    """A packet that the seat has held."""

    packet: int
    step: int
    #: all cards of the packet as it arrived
    seen: list[str]
    #: those that the seat has kept of it
    kept: list[str]


class Seen(Observation):
    """What a seat knows in OMNIA. Action cards, faces, characters, cities and symbols are words; maps of
    counts hold no zeros."""

    #: 0 to 5, in the draft 0, after the end 6
    round: int
    #: 0 to 2, after the draft 3
    draft_step: int
    #: cards that the seat to move has kept in this step of the draft
    kept_now: int
    #: the packets that this seat has held, by step
    visits: list[Visit]
    #: own action cards that were kept and not played
    hand: list[str]
    #: per seat: action cards
    played: list[list[str]]
    #: the action card of this turn
    card: str | None
    #: its symbols neither used nor given up
    left: list[str]
    #: whether the other symbol was given up for a plain pick of the one left
    passed: bool
    #: the first pick of a double symbol, if it was a plain one: the action
    first_plain: str | None
    #: the effect to decide on
    pending: str | None
    #: face to number of cards
    work_market: dict[str, Count]
    invention_market: dict[str, Count]
    character_market: list[str]
    #: per seat: face to number of cards
    works: list[dict[str, Count]]
    inventions: list[dict[str, Count]]
    characters: list[list[str]]
    coins: list[int]
    bank: int
    cities_active: list[str]
    #: from the top; null where this seat does not know the card
    city_pack: list[str | None]
    #: per place of the pack the seats that know the card there
    city_known: list[list[int]]


def group_of(players: int, seat: int, step: int, packet: int, kept: int) -> int | str:
    """What a seat knows at a step of the draft about a card kept from a packet at another one: its own, one
    of those seen at its last visit before, or never seen."""
    group: int | str = UNSEEN
    for visit in range((seat - packet) % players, min(step, kept) + 1, players):
        if visit == kept:
            return OWN
        group = visit
    return group


class Reader:
    """Reads an observation back: the checks in their order, then the hidden state's fields."""

    def __init__(self, game: Omnia, seen: Seen) -> None:
        self.game = game
        self.seen = seen
        self.players = seen.players
        self.options = game.option_values(seen.players)
        self.pack = game.action_pack(seen.players)

    def refuse(self, code: str, message: str, path: str) -> SfumatoError:
        return self.game.refuse(code, message, path)

    # --- checks --------------------------------------------------------------------------------------

    def check_header(self) -> None:
        """bad_header."""
        seen, draft, over = self.seen, self.seen.phase == "draft", self.seen.phase == "over"
        last_step = 2 if draft else LAST_STEP
        between = draft and seen.to_move is not None
        for field, low, high in [
            ("round", ROUNDS if over else 0, 0 if draft else ROUNDS if over else ROUNDS - 1),
            ("draft_step", 0 if draft else LAST_STEP, last_step),
            ("kept_now", 0, 1 if between else 0),
        ]:
            value = getattr(seen, field)
            if not low <= value <= high:
                due = str(low) if low == high else f"{low} to {high}"
                message = f"expected {due} in phase {seen.phase}, got {value}"
                raise self.refuse("bad_header", message, field)

    def check_names(self) -> None:
        """bad_name."""
        for path, names, known in self._named():
            for name in names:
                if name is not None and name not in known:
                    raise unknown("bad_name", "name", name, known, path)
        for at, seats in enumerate(self.seen.city_known):
            for seat in seats:
                if not 0 <= seat < self.players:
                    message = f"expected 0 to {self.players - 1}, got {seat}"
                    raise self.refuse("bad_city", message, f"city_known[{at}]")

    def _named(self) -> Iterator[tuple[str, Iterable[str | None], Sequence[str]]]:
        seen, game = self.seen, self.game
        works, inventions = game.faces
        for at, visit in enumerate(seen.visits):
            yield f"visits[{at}].seen", visit.seen, game.cards
            yield f"visits[{at}].kept", visit.kept, game.cards
        yield "hand", seen.hand, game.cards
        for seat, cards in enumerate(seen.played):
            yield f"played[{seat}]", cards, game.cards
        yield "card", [seen.card], game.cards
        yield "left", seen.left, SYMBOLS
        yield "pending", [seen.pending], SYMBOLS
        yield "first_plain", [seen.first_plain], game.picks
        yield "work_market", seen.work_market, works
        yield "invention_market", seen.invention_market, inventions
        yield "character_market", seen.character_market, game.people
        for seat in range(self.players):
            yield f"works[{seat}]", seen.works[seat], works
            yield f"inventions[{seat}]", seen.inventions[seat], inventions
            yield f"characters[{seat}]", seen.characters[seat], game.people
        yield "cities_active", seen.cities_active, game.city_names
        yield "city_pack", seen.city_pack, game.city_names

    def check_visits(self) -> None:
        """bad_visit."""
        seen = self.seen
        due = list(range(seen.draft_step + 1))
        if sorted(visit.step for visit in seen.visits) != due:
            raise self.refuse("bad_visit", f"expected one for each of the steps {due}", "visits")
        met: dict[str, int] = {}
        left: dict[int, set[str]] = {}
        for visit in sorted(seen.visits, key=lambda visit: visit.step):
            path = f"visits[{seen.visits.index(visit)}]"
            self._check_visit(visit, path)
            for card in visit.seen:
                if met.setdefault(card, visit.packet) != visit.packet:
                    raise self.refuse("bad_visit", f"{card} was in packet {met[card]}", f"{path}.seen")
            if visit.packet in left and not set(visit.seen) <= left[visit.packet]:
                raise self.refuse("bad_visit", "a card that was not left in this packet", f"{path}.seen")
            left[visit.packet] = set(visit.seen) - set(visit.kept)

    def _check_visit(self, visit: Visit, path: str) -> None:
        packet = (self.seen.seat - visit.step) % self.players
        if visit.packet != packet:
            message = f"expected {packet} at step {visit.step}, got {visit.packet}"
            raise self.refuse("bad_visit", message, f"{path}.packet")
        for field, cards, due in [
            ("seen", visit.seen, PACKET[visit.step]),
            ("kept", visit.kept, self._kept_at(self.seen.seat, visit.step)),
        ]:
            if len(cards) != due or len(set(cards)) != due:
                message = f"expected {due} different cards, got {len(cards)}"
                raise self.refuse("bad_visit", message, f"{path}.{field}")
        for card in visit.seen:
            if card not in self.pack:
                message = f"{card} is not in the game with {self.players} players"
                raise self.refuse("bad_visit", message, f"{path}.seen")
        if not set(visit.kept) <= set(visit.seen):
            raise self.refuse("bad_visit", "a card that was not seen", f"{path}.kept")
        if len(visit.kept) == 1 and len(visit.seen) > 1 and visit.kept[0] == max(visit.seen, key=self._id):
            raise self.refuse("bad_visit", "the first card kept is never the highest", f"{path}.kept")

    def _id(self, card: str) -> int:
        return self.game.cards.index(card)

    def _kept_at(self, seat: int, step: int) -> int:
        """How many cards a seat has kept at a step that has come."""
        seen = self.seen
        if step == LAST_STEP:
            return 1
        if step < seen.draft_step or seen.to_move is None or seat < seen.to_move:
            return 2
        return seen.kept_now if seat == seen.to_move else 0

    def check_hands(self) -> None:
        """bad_played, bad_hand, impossible_play."""
        seen = self.seen
        kept = [card for visit in seen.visits for card in visit.kept]
        met: set[str] = set()
        for seat, cards in enumerate(seen.played):
            path = f"played[{seat}]"
            due = self._plays_of(seat)
            if len(cards) != due:
                raise self.refuse("bad_played", f"expected {due} cards, got {len(cards)}", path)
            for card in cards:
                if card in met:
                    raise self.refuse("bad_played", f"{card} stands twice", path)
                if card not in self.pack:
                    message = f"{card} is not in the game with {self.players} players"
                    raise self.refuse("bad_played", message, path)
                if (card in kept) != (seat == seen.seat):
                    whose = "this seat has kept it" if card in kept else "this seat has not kept it"
                    raise self.refuse("impossible_play", f"{card}: {whose}", path)
                met.add(card)
        if sorted(seen.hand) != sorted(set(kept) - set(seen.played[seen.seat])):
            raise self.refuse("bad_hand", "expected the cards kept and not played", "hand")
        self.slots = self._lay_cards()

    def _first_seat(self) -> int:
        """The seat that begins this round."""
        return self.seen.round % self.players if self.options["first_player"] == "rotate" else 0

    def _plays_of(self, seat: int) -> int:
        """How many cards a seat has played."""
        seen = self.seen
        if seen.phase == "draft" or seen.to_move is None:
            return seen.round
        turn, now = ((each - self._first_seat()) % self.players for each in (seat, seen.to_move))
        return seen.round + (turn < now or (turn == now and seen.phase != "play"))

    def _lay_cards(self) -> dict[str, tuple[int, int]]:
        """Packet and step of every card: each group in rising order over its places, as `hide` lays it."""
        slots: dict[str, tuple[int, int]] = {}
        cards: dict[int | str, list[str]] = {}
        met: set[str] = set()
        for visit in sorted(self.seen.visits, key=lambda visit: -visit.step):
            slots.update(dict.fromkeys(visit.kept, (visit.packet, visit.step)))
            # a later visit of the same packet tells of the cards that were still there
            cards[visit.step] = [card for card in visit.seen if card not in visit.kept and card not in met]
            met |= set(visit.seen)
        cards[UNSEEN] = [card for card in self.pack if card not in met]
        for group, places in self._places().items():
            slots.update(self._lay_group(sorted(cards[group], key=self._id), places))
        return slots

    def _places(self) -> dict[int | str, list[tuple[int, int]]]:
        """The places of each group, ascending."""
        seen, places = self.seen, dict[int | str, list[tuple[int, int]]]()
        for packet in range(self.players):
            left = HAND
            for step in range(IN_PACKET + 1):
                count = left
                if step < IN_PACKET:
                    come = step <= seen.draft_step
                    count = self._kept_at((packet + step) % self.players, step) if come else 0
                left -= count
                group = group_of(self.players, seen.seat, seen.draft_step, packet, step)
                if group != OWN:
                    places.setdefault(group, []).extend([(packet, step)] * count)
        return places

    def _lay_group(self, cards: list[str], places: list[tuple[int, int]]) -> dict[str, tuple[int, int]]:
        laid: dict[str, tuple[int, int]] = {}
        for seat, played in enumerate(self.seen.played):
            for card in cards:
                if card in played:
                    kept = (place for place in places if place[1] < IN_PACKET)
                    place = next((place for place in kept if sum(place) % self.players == seat), None)
                    if place is None:
                        message = f"{card} cannot have been kept by this seat"
                        raise self.refuse("impossible_play", message, f"played[{seat}]")
                    places.remove(place)
                    laid[card] = place
        rest = [card for card in cards if card not in laid]
        return {**laid, **dict(zip(rest, places, strict=True))}

    def check_market(self) -> None:
        """bad_cards."""
        seen, game = self.seen, self.game
        owned = [seen.works, seen.inventions]
        markets = [seen.work_market, seen.invention_market]
        self.packs = []
        kinds = zip(("works", "inventions"), game.faces, game.copies, owned, markets, strict=True)
        for field, names, copies, piles, market in kinds:
            counts = Counter(dict(zip(names, copies, strict=True)))
            for pile in [market, *piles]:
                counts.subtract(pile)
            for face, count in counts.items():
                if count < 0:
                    raise self.refuse("bad_cards", f"{-count} more of {face} than there are", field)
            self.packs.append([counts[face] for face in names])
        people = Counter([*seen.character_market, *(name for cards in seen.characters for name in cards)])
        for name, count in people.items():
            if count > 1:
                raise self.refuse("bad_cards", f"{name} stands twice", "characters")
        self.people_left = [name for name in game.people if not people[name]]
        shown = [sum(market.values()) for market in markets] + [len(seen.character_market)]
        left = [*map(sum, self.packs), len(self.people_left)]
        fields = ("work_market", "invention_market", "character_market")
        for field, count, pack in zip(fields, shown, left, strict=True):
            if count > MARKET or (count < MARKET and pack and self._just_filled()):
                raise self.refuse("bad_cards", f"expected {MARKET} cards, got {count}", field)

    def _just_filled(self) -> bool:
        seen = self.seen
        if seen.phase != "play":
            return seen.phase == "draft"
        return self.options["refill"] == "turn" or seen.to_move == self._first_seat()

    def check_coins(self) -> None:
        """bad_coins."""
        seen, due = self.seen, self.game.counts.coins
        for path, coins in [("bank", seen.bank), *((f"coins[{at}]", n) for at, n in enumerate(seen.coins))]:
            if not 0 <= coins <= due:
                raise self.refuse("bad_coins", f"expected 0 to {due}, got {coins}", path)
        if seen.bank + sum(seen.coins) != due:
            message = f"expected {due} with those of the seats, got {seen.bank + sum(seen.coins)}"
            raise self.refuse("bad_coins", message, "bank")

    def check_cities(self) -> None:
        """bad_city."""
        seen, due = self.seen, len(self.game.city_names)
        if not seen.cities_active:
            raise self.refuse("bad_city", "at least one city is active", "cities_active")
        if len(seen.city_pack) + len(seen.cities_active) != due:
            message = f"expected {due} cities with the active ones"
            raise self.refuse("bad_city", message, "city_pack")
        if len(seen.city_known) != len(seen.city_pack):
            raise self.refuse("bad_city", f"expected {len(seen.city_pack)} lists", "city_known")
        for city, count in Counter([*seen.cities_active, *seen.city_pack]).items():
            if city is not None and count > 1:
                raise self.refuse("bad_city", f"{city} stands twice", "city_pack")
        for at, (city, seats) in enumerate(zip(seen.city_pack, seen.city_known, strict=True)):
            if (city is not None) != (seen.seat in seats):
                what = "this seat knows the city here" if seen.seat in seats else "this seat does not know it"
                raise self.refuse("bad_city", what, f"city_pack[{at}]")
            if len(set(seats)) != len(seats):
                raise self.refuse("bad_city", "a seat stands twice", f"city_known[{at}]")
            if seen.phase == "city" and at < DRAWN and seen.to_move not in seats:
                raise self.refuse("bad_city", "the seat to move has drawn it", f"city_known[{at}]")
        if seen.phase == "city" and not seen.city_pack:
            raise self.refuse("bad_city", "no city was drawn", "city_pack")

    def check_turn(self) -> None:
        """bad_turn."""
        seen = self.seen
        turn = ("act", "effect", "city")
        for field, phases, always in [
            ("card", turn, True),
            ("pending", ("effect",), True),
            ("left", turn, seen.phase == "act"),
            ("passed", ("act",), False),
            ("first_plain", ("act",), False),
        ]:
            used = bool(getattr(seen, field))
            if used and seen.phase not in phases:
                raise self.refuse("bad_turn", f"must not be set in phase {seen.phase}", field)
            if always and not used and seen.phase in phases:
                raise self.refuse("bad_turn", f"missing in phase {seen.phase}", field)
        if seen.phase in turn:
            self._check_card()

    def _check_card(self) -> None:
        seen = self.seen
        assert seen.card is not None
        assert seen.to_move is not None
        if seen.card not in seen.played[seen.to_move]:
            raise self.refuse("bad_turn", "the seat to move has not played it", "card")
        symbols = Counter(SYMBOLS[symbol] for symbol in self.game.symbols[self._id(seen.card)])
        if Counter(seen.left) - symbols:
            raise self.refuse("bad_turn", f"expected symbols of {seen.card}", "left")

    def check_decision(self, fields: dict[str, Any]) -> None:
        """bad_turn: the core knows how far a turn can have come."""
        position = self.game.write_state({**fields, "to_move": self.seen.to_move})
        try:
            self.game.table(self.players).read(position)
        except Impossible as error:
            if error.invariant in (TURN, DECISION):
                raise self.refuse("bad_turn", f"no such turn: {self.game.broken(error)}", "left") from None
            raise

    # --- the state -----------------------------------------------------------------------------------

    def fields(self) -> dict[str, Any]:
        """The hidden state."""
        seen, game = self.seen, self.game
        slots = [
            NONE if card not in self.slots else self.slots[card][0] << 3 | self.slots[card][1]
            for card in game.cards
        ]
        shown = {*seen.cities_active, *seen.city_pack}
        hidden = iter([name for name in game.city_names if name not in shown])
        cities = [game.city_names.index(next(hidden) if city is None else city) for city in seen.city_pack]
        known = [sum(1 << seat for seat in seats) for seats in seen.city_known]
        symbols = sorted(SYMBOLS.index(symbol) for symbol in seen.left)
        both = zip(seen.works, seen.inventions, strict=True)
        owned = [[self._counts(0, works), self._counts(1, inventions)] for works, inventions in both]
        return {
            "phase": game.phases.index(seen.phase),
            "round": seen.round,
            "draft_step": seen.draft_step,
            "played": bits(game.cards, (card for cards in seen.played for card in cards)),
            "characters": padded([bits(game.people, cards) for cards in seen.characters], 0, SEATS),
            "char_market": bits(game.people, seen.character_market),
            "char_pack": bits(game.people, self.people_left),
            "cities_active": bits(game.city_names, seen.cities_active),
            "slot": padded(slots, NONE, CARDS),
            "card": NONE if seen.card is None else game.cards.index(seen.card),
            "left": padded(symbols, NONE, 2),
            "passed": seen.passed,
            "first_plain": NONE if seen.first_plain is None else game.action_id(seen.first_plain),
            "pending": NONE if seen.pending is None else SYMBOLS.index(seen.pending),
            "market": [self._counts(0, seen.work_market), self._counts(1, seen.invention_market)],
            "pack": [padded(pack, 0, FACES) for pack in self.packs],
            "coins": padded(seen.coins, 0, SEATS),
            "bank": seen.bank,
            "owned": padded(owned, [[0] * FACES] * 2, SEATS),
            "city_pack": padded(cities, NONE, PACK_OF_CITIES),
            "city_known": padded(known, 0, PACK_OF_CITIES),
            "city_len": len(cities),
        }

    def _counts(self, side: int, cards: dict[str, int]) -> list[int]:
        return padded([cards.get(face, 0) for face in self.game.faces[side]], 0, FACES)


def padded(values: Iterable[Any], filler: Any, length: int) -> list[Any]:
    """An entry for each place that there can be."""
    written = list(values)
    return written + [filler] * (length - len(written))


def bits(names: Sequence[str], chosen: Iterable[str]) -> int:
    return sum(1 << names.index(name) for name in chosen)


def numbers_of(bits: int) -> list[int]:
    return [number for number in range(bits.bit_length()) if bits >> number & 1]


def cards_of(counts: Sequence[int]) -> list[int]:
    """The faces of a pile, one by one."""
    return [face for face, count in enumerate(counts) for _ in range(count)]


def cards_at(state: SimpleNamespace, packet: int, step: int) -> list[int]:
    """The action cards kept from a packet at a step, or still in it."""
    return [card for card, slot in enumerate(state.slot) if slot == packet << 3 | step]


def hand_of(state: SimpleNamespace, seat: int, players: int) -> list[int]:
    """The action cards that a seat has kept, played or not."""
    return [
        card
        for card, slot in enumerate(state.slot)
        if slot != NONE and slot & 7 != IN_PACKET and ((slot >> 3) + (slot & 7)) % players == seat
    ]
