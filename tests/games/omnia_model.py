"""OMNIA in plain Python, from the rules alone: what a careful referee, and a player with perfect memory,
write down. Slow and simple; nothing here knows the core.

`Referee` follows a game from its words and says what may be done, what the table must look like to each seat
and who wins. `worlds` lists, card by card, where the action cards may lie that a seat cannot see.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from omnia_table import (
    ACTIONS,
    CHARACTERS,
    CITIES,
    COINS,
    DRAFT,
    DRAWN,
    KINDS,
    ROUNDS,
    SHOWN,
    World,
    action_pack,
    by_id,
    holder,
    in_order,
    symbols_of,
    turn_order,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

NUMBER = {card: number for number, card in enumerate(ACTIONS)}
START_COINS = 1


def kind_of(name: str) -> str:
    return next(kind for kind, faces in KINDS.items() if name in faces)


def is_plain(words: str) -> bool:
    """An option that costs nothing and opens nothing."""
    verb, *names = words.split()
    if verb in ("coins1", "coins2"):
        return True
    if verb == "draw_city":
        return False
    _, price, _, effect = KINDS[verb][names[0]]
    return price == 0 and effect == "none"


# --- points ---------------------------------------------------------------------------------------------


class Tableau:
    """Works, inventions, characters and coins of a seat."""

    def __init__(self) -> None:
        self.cards = {kind: Counter[str]() for kind in KINDS}
        self.coins = START_COINS

    def coloured(self, kind: str) -> tuple[int, ...]:
        """How many cards there are of each of the four colours (OM-W1, OM-W2)."""
        return tuple(self.cards[kind][face] for face in list(KINDS[kind])[:4])

    def printed(self) -> int:
        return sum(
            KINDS[kind][name][2] * count
            for kind, cards in self.cards.items()
            for name, count in cards.items()
        )

    def characters(self) -> int:
        return self.cards["character"].total()

    def count(self, what: str, leonardo: bool) -> int:
        """What a majority counts (OM-E3, R11)."""
        works, inventions = (
            self.cards[kind].total() if leonardo else sum(self.coloured(kind))
            for kind in ("work", "invention")
        )
        return {
            "works": works,
            "inventions": inventions,
            "works_inventions": works + inventions,
            "cards": works + inventions + self.characters(),
            "characters": self.characters(),
            "coins": self.coins,
        }[what]

    def sets(self, cities: Iterable[str], repeat: str) -> int:
        names = tuple(city for city in cities if "set" in CITIES[city])
        return best_sets(
            names,
            tuple(sorted(self.coloured("work"))),
            tuple(sorted(self.coloured("invention"))),
            self.characters(),
            self.coins,
            repeat,
        )


def ways(counts: tuple[int, ...], number: int, mode: str) -> set[tuple[int, ...]]:
    """What may be left of the coloured cards of one kind once a set took so many of them."""
    if number == 0:
        return {counts}
    if mode == "same":
        taken = [[number if at == colour else 0 for at in range(4)] for colour in range(4)]
    elif mode == "diff":
        taken = [[int(at in colours) for at in range(4)] for colours in combinations(range(4), number)]
    else:
        return {
            rest
            for colour in range(4)
            if counts[colour]
            for rest in ways(less(counts, [int(at == colour) for at in range(4)]), number - 1, mode)
        }
    return {less(counts, each) for each in taken if all(a >= b for a, b in zip(counts, each, strict=True))}


def less(counts: tuple[int, ...], taken: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(a - b for a, b in zip(counts, taken, strict=True)))


def after_one_set(
    city: str, works: tuple[int, ...], inventions: tuple[int, ...], characters: int, coins: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int, int]]:
    """What is left after one set of a city, in every way in which its cards can be chosen."""
    need = CITIES[city]
    characters -= need.get("characters", 0)
    coins -= need.get("coins", 0)
    if characters < 0 or coins < 0:
        return
    for one in ways(works, need.get("works", 0), need.get("works_mode", "any")):
        for other in ways(inventions, need.get("inventions", 0), need.get("inventions_mode", "any")):
            yield one, other, characters, coins


def at_most_twice(city: str, repeat: str) -> bool:
    """R13: the other reading of repeated sets; it does not touch sets of a single coin."""
    need = CITIES[city]
    single_coin = need.get("coins") == 1 and not any(
        need.get(kind) for kind in ("works", "inventions", "characters")
    )
    return repeat == "double" and not single_coin


@cache
def best_sets(
    cities: tuple[str, ...],
    works: tuple[int, ...],
    inventions: tuple[int, ...],
    characters: int,
    coins: int,
    repeat: str,
    done: int = 0,
) -> int:
    """The most points of disjoint sets (OM-E4, OM-E5, OM-E7): city by city, one set more or none."""
    if not cities:
        return 0
    city, *rest = cities
    best = best_sets(tuple(rest), works, inventions, characters, coins, repeat)
    if at_most_twice(city, repeat) and done == 2:
        return best
    for left in after_one_set(city, works, inventions, characters, coins):
        best = max(best, CITIES[city]["set"] + best_sets(cities, *left, repeat, done + 1))
    return best


def final_points(seats: Sequence[Tableau], cities: Iterable[str], options: Mapping[str, Any]) -> list[int]:
    """Printed points, majorities and sets of each seat (OM-E1 to OM-E7)."""
    cities = list(cities)
    totals = [seat.printed() + seat.sets(cities, options["set_repeat"]) for seat in seats]
    for city in cities:
        if "majority" in CITIES[city]:
            held = [seat.count(CITIES[city]["of"], options["leonardo_in_majorities"]) for seat in seats]
            first = [seat for seat, count in enumerate(held) if count == max(held) and count > 0]
            for seat in first:
                totals[seat] += CITIES[city]["majority"] // len(first)
    return totals


def ranking(totals: Sequence[int], seats: Sequence[Tableau]) -> list[int]:
    """OM-X1, OM-X2."""
    standing = [(total, seat.coins, seat.characters()) for total, seat in zip(totals, seats, strict=True)]
    return [1 + sum(other > own for other in standing) for own in standing]


# --- the whole table ------------------------------------------------------------------------------------


class Referee:
    """The whole table, told step by step: the action, and all that it showed."""

    def __init__(self, players: int, options: Mapping[str, Any], setup: Sequence[str]) -> None:
        """The set-up, from all of its words."""
        self.players, self.options = players, options
        self.packets: list[list[str]] = []
        for words in setup:
            name, *values = words.split()
            if name == "packet":
                assert int(values[0]) == len(self.packets)
                self.packets.append(by_id(values[1:]))
            elif name == "cities":
                self.active, self.pack = [values[0]], values[1:]
            else:
                first_market = words
        assert by_id(card for packet in self.packets for card in packet) == action_pack(players)
        assert in_order(self.active + self.pack, CITIES) == list(CITIES)
        self.known: list[set[int]] = [set() for _ in self.pack]
        self.seats = [Tableau() for _ in range(players)]
        self.bank = COINS - START_COINS * players
        self.market = {kind: Counter[str]() for kind in KINDS}
        self.visits: list[list[dict[str, Any]]] = [[] for _ in range(players)]
        self.played: list[list[str]] = [[] for _ in range(players)]
        self.phase, self.round, self.step_of_draft, self.mover = DRAFT, 0, 0, 0
        self.first: str | None = None
        self._clear_turn()
        self._refill(first_market)
        self._receive()

    def _clear_turn(self) -> None:
        self.card: str | None = None
        self.left: list[str] = []
        self.passed = False
        self.first_plain: str | None = None
        self.pending: str | None = None

    # --- what may be done ---------------------------------------------------------------------------

    def legal(self) -> list[str]:
        return getattr(self, f"_in_{self.phase}")()

    def _in_over(self) -> list[str]:
        return []

    def _in_draft(self) -> list[str]:
        inside = self.packets[self._packet_of(self.mover)]
        if self.first is None:
            return [f"keep {card}" for card in inside[:-1]]
        return [f"keep {card}" for card in inside if NUMBER[card] > NUMBER[self.first]]

    def _packet_of(self, seat: int) -> int:
        return (seat - self.step_of_draft) % self.players

    def hand(self, seat: int) -> list[str]:
        kept = [card for visit in self.visits[seat] for card in visit["kept"]]
        return by_id(card for card in kept if card not in self.played[seat])

    def _in_play(self) -> list[str]:
        return [f"play {card}" for card in self.hand(self.mover)]

    def options_of(self, symbol: str) -> list[str]:
        """What a symbol, or an effect of its name, allows now."""
        if symbol in ("coins1", "coins2"):
            return [symbol] if self.bank else []
        if symbol == "city":
            return ["draw_city"] if self.pack else []
        coins = self.seats[self.mover].coins
        shown = in_order(+self.market[symbol], KINDS[symbol])
        return [f"{symbol} {name}" for name in shown if KINDS[symbol][name][1] <= coins]

    def _in_act(self) -> list[str]:
        if len(self.left) == 1:
            return self._with_one_symbol(self.left[0])
        one, other = self.left
        first, second = self.options_of(one), self.options_of(other)
        declines = ["done"]
        if one == other:
            plain = [option for option in first if is_plain(option)]
            declines += ["forgo"] if plain else []
            pairs = [option for option in plain if self._plain_after(option)]
            return declines + [option for option in first if option not in plain or option in pairs]
        if first and second:
            declines += ["forgo"] if any(map(is_plain, second)) else []
            return declines + first + [option for option in second if not is_plain(option)]
        return declines + first + second

    def _with_one_symbol(self, symbol: str) -> list[str]:
        options = self.options_of(symbol)
        if self.first_plain:
            return self._from(options, self.first_plain)
        if self.passed:
            return [option for option in options if is_plain(option)]
        return ["done", *options]

    def _from(self, options: Sequence[str], least: str) -> list[str]:
        """The plain ones of a list in the order of ids that do not come before a certain one."""
        order = list(KINDS.get(least.split()[0], ()))
        place = {name: number for number, name in enumerate(order)}
        return [
            option
            for option in options
            if is_plain(option) and place.get(option.split()[-1], 0) >= place.get(least.split()[-1], 0)
        ]

    def _plain_after(self, option: str) -> list[str]:
        """The plain options no lower than this one, once it was taken."""
        verb, *names = option.split()
        if not names:
            return [option] if self.bank > int(verb[-1]) else []
        left = self.market[verb] - Counter(names)
        shown = in_order(left, KINDS[verb])
        return self._from([f"{verb} {name}" for name in shown], option)

    def _in_effect(self) -> list[str]:
        return ["skip", *self.options_of(self.pending)]

    def _in_city(self) -> list[str]:
        return [*(f"activate {city}" for city in self.pack[:DRAWN]), "activate_none"]

    # --- what follows -------------------------------------------------------------------------------

    def step(self, action: str, told: Sequence[str]) -> None:
        """Plays an action; `told` is all that it showed."""
        self.told = list(told)
        verb, *names = action.split()
        assert action in self.legal(), f"{action} is not legal in {self.phase}"
        getattr(self, f"_{verb}")(*names)
        assert not self.told, f"nothing brings {self.told}"

    def _say(self, words: str) -> None:
        assert self.told and self.told.pop(0) == words, f"expected {words}"

    def _keep(self, card: str) -> None:
        self.packets[self._packet_of(self.mover)].remove(card)
        self.visits[self.mover][-1]["kept"].append(card)
        if self.first is None:
            self.first = card
            return
        self.first = None
        self.mover += 1
        if self.mover == self.players:
            self._pass_on()

    def _pass_on(self) -> None:
        self.step_of_draft, self.mover = self.step_of_draft + 1, 0
        for seat in range(self.players):
            self._say(f"packet {seat} {' '.join(self.packets[self._packet_of(seat)])}")
        self._receive()
        if self.step_of_draft == 3:
            for seat in range(self.players):
                last = self.visits[seat][-1]
                last["kept"] = list(last["seen"])
            self.phase = "play"

    def _receive(self) -> None:
        """Everybody looks at the packet that came."""
        for seat in range(self.players):
            packet = self._packet_of(seat)
            seen = list(self.packets[packet])
            self.visits[seat].append({"packet": packet, "step": self.step_of_draft, "seen": seen, "kept": []})

    def _play(self, card: str) -> None:
        self.played[self.mover].append(card)
        self.card, self.left = card, symbols_of(card)
        self._go_on()

    def _go_on(self) -> None:
        """Back to the symbols that are left; the turn ends when none of them can be used."""
        self.phase, self.pending = "act", None
        if not any(self.options_of(symbol) for symbol in self.left):
            self._end_turn()

    def _use(self, symbol: str, option: str) -> None:
        """Takes a symbol off the card, unless an effect is performed."""
        if self.phase == "act":
            twice = self.left == [symbol, symbol]
            self.left.remove(symbol)
            self.first_plain = option if twice and is_plain(option) else None
            self.passed = False

    def _coins1(self) -> None:
        self._coins("coins1")

    def _coins2(self) -> None:
        self._coins("coins2")

    def _coins(self, symbol: str) -> None:
        self._use(symbol, symbol)
        self._receive_coins(int(symbol[-1]))
        self._go_on()

    def _receive_coins(self, number: int) -> None:
        number = min(number, self.bank)
        self.bank -= number
        self.seats[self.mover].coins += number

    def _work(self, name: str) -> None:
        self._pick("work", name)

    def _invention(self, name: str) -> None:
        self._pick("invention", name)

    def _character(self, name: str) -> None:
        self._pick("character", name)

    def _pick(self, kind: str, name: str) -> None:
        self._use(kind, f"{kind} {name}")
        own = self.seats[self.mover]
        _, price, _, effect = KINDS[kind][name]
        self.market[kind][name] -= 1
        own.cards[kind][name] += 1
        own.coins -= price
        self.bank += price
        assert own.coins >= 0
        if effect.startswith("coins"):
            self._receive_coins(int(effect[-1]))
        elif effect != "none" and self.options_of(effect):
            self.phase, self.pending = "effect", effect
            return
        self._go_on()

    def _skip(self) -> None:
        self._go_on()

    def _done(self) -> None:
        self.left = []
        self._end_turn()

    def _forgo(self) -> None:
        self.left.pop(0)
        self.passed = True

    def _draw_city(self) -> None:
        self._use("city", "draw_city")
        self.pending = None
        self.phase = "city"
        for seats in self.known[:DRAWN]:
            seats.add(self.mover)
        self._say(f"drawn {' '.join(self.pack[:DRAWN])}")

    def _activate(self, city: str) -> None:
        place = self.pack.index(city)
        self._say(f"place {place + 1}")
        drawn = len(self.pack[:DRAWN])
        self.active.append(self.pack.pop(place))
        self.known.pop(place)
        self._bury(drawn - 1)

    def _activate_none(self) -> None:
        self._bury(len(self.pack[:DRAWN]))

    def _bury(self, number: int) -> None:
        self.pack = self.pack[number:] + self.pack[:number]
        self.known = self.known[number:] + self.known[:number]
        self._go_on()

    def _end_turn(self) -> None:
        self._clear_turn()
        order = turn_order(self.players, self.round, self.options)
        turn = order.index(self.mover) + 1
        if turn == self.players:
            self.round += 1
            if self.round == ROUNDS:
                self.phase = "over"
                return
        if turn == self.players or self.options["refill"] == "turn":
            self._refill(self.told.pop(0) if self._gaps() else "refill")
        self.phase = "play"
        order = turn_order(self.players, self.round, self.options)
        self.mover = order[turn % self.players]

    # --- the market ---------------------------------------------------------------------------------

    def packed(self, kind: str) -> Counter[str]:
        """What is left in the pack of a kind."""
        pack = Counter({name: entry[0] for name, entry in KINDS[kind].items()})
        pack.subtract(self.market[kind])
        for seat in self.seats:
            pack.subtract(seat.cards[kind])
        return +pack

    def _gaps(self) -> dict[str, int]:
        """How many cards of each kind a refill adds now."""
        gaps = {kind: min(SHOWN - self.market[kind].total(), self.packed(kind).total()) for kind in KINDS}
        return {kind: number for kind, number in gaps.items() if number}

    def _refill(self, words: str) -> None:
        name, *cards = words.split()
        assert name == "refill"
        gaps = self._gaps()
        for kind, number in gaps.items():
            added, cards = cards[:number], cards[number:]
            assert added == in_order(added, KINDS[kind])
            assert Counter(added) <= self.packed(kind), "nothing comes that is not in the pack"
            self.market[kind].update(added)
        assert not cards

    # --- the end, and what is seen ------------------------------------------------------------------

    def totals(self) -> list[int]:
        return final_points(self.seats, self.active, self.options)

    def ranks(self) -> list[int]:
        return ranking(self.totals(), self.seats)

    def seen_by(self, seat: int) -> dict[str, Any]:
        """The fields of a seat's observation, but for the envelope."""
        over = self.phase == "over"
        return {
            "to_move": None if over else self.mover,
            "phase": self.phase,
            "round": self.round,
            "draft_step": self.step_of_draft,
            "kept_now": int(self.first is not None),
            "visits": [{**visit, "kept": by_id(visit["kept"])} for visit in self.visits[seat]],
            "hand": self.hand(seat),
            "played": [by_id(cards) for cards in self.played],
            "card": self.card,
            "left": self.left,
            "passed": self.passed,
            "first_plain": self.first_plain,
            "pending": self.pending,
            "work_market": dict(+self.market["work"]),
            "invention_market": dict(+self.market["invention"]),
            "character_market": in_order(+self.market["character"], CHARACTERS),
            "works": [dict(+own.cards["work"]) for own in self.seats],
            "inventions": [dict(+own.cards["invention"]) for own in self.seats],
            "characters": [in_order(+own.cards["character"], CHARACTERS) for own in self.seats],
            "coins": [own.coins for own in self.seats],
            "bank": self.bank,
            "cities_active": in_order(self.active, CITIES),
            "city_pack": [
                city if seat in seats else None for city, seats in zip(self.pack, self.known, strict=True)
            ],
            "city_known": [sorted(seats) for seats in self.known],
        }


# --- where hidden cards may lie -------------------------------------------------------------------------


def capacities(seen: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    """How many cards lie on each slot (packet, step), step 4 being the packet itself: all see that."""
    players, step = seen["players"], seen["draft_step"]
    room = {}
    for packet in range(players):
        left = 7
        for at in range(4):
            seat = holder((packet, at), players)
            if at == 3:
                number = 1 if step == 3 else 0
            elif at != step:
                number = 2 if at < step else 0
            elif seat == seen["to_move"]:
                number = seen["kept_now"]
            else:
                number = 2 if seat < seen["to_move"] else 0
            left -= number
            if number:
                room[packet, at] = number
        if left:
            room[packet, 4] = left
    return room


def allowed(seen: Mapping[str, Any]) -> dict[str, list[tuple[int, int]]]:
    """The slots on which each card may lie, by what the seat saw of it and by who played it."""
    players = seen["players"]
    room = capacities(seen)
    player = {card: seat for seat, cards in enumerate(seen["played"]) for card in cards}
    found = {}
    for card in action_pack(players):
        places = list(room)
        for visit in seen["visits"]:
            packet, at = visit["packet"], visit["step"]
            there = [place for place in room if place[0] == packet and place[1] >= at]
            if card in visit["kept"]:
                places = [(packet, at)]
                break
            # What it saw and did not keep stays in the packet for later; what it did not see is not there.
            later = [place for place in there if place[1] > at]
            places = [
                place for place in places if (place in later if card in visit["seen"] else place not in there)
            ]
        if card in player:
            places = [place for place in places if place[1] < 4 and holder(place, players) == player[card]]
        found[card] = places
    return found


def running_slot(seen: Mapping[str, Any]) -> tuple[int, int] | None:
    """The slot of the one card that the seat to move has kept so far in this step."""
    if seen["phase"] != DRAFT or not seen["kept_now"]:
        return None
    return (seen["to_move"] - seen["draft_step"]) % seen["players"], seen["draft_step"]


def breaks_the_order(world: World, seen: Mapping[str, Any]) -> bool:
    """A first card kept that is the highest of its packet: it could not have been the first."""
    slot = running_slot(seen)
    if slot is None:
        return False
    (first,) = [card for card, place in world.items() if place == slot]
    return all(NUMBER[card] < NUMBER[first] for card, place in world.items() if place == (slot[0], 4))


def worlds(seen: Mapping[str, Any]) -> Iterator[World]:
    """Every way to lay the action cards that the seat cannot tell from the truth, card by card. They are
    equally likely: so is every order of the shuffled pack, and what others choose is no evidence."""
    places = allowed(seen)
    room = capacities(seen)
    # Cards with few places first: dead ends show early.
    cards = sorted(places, key=lambda card: len(places[card]))
    world: World = {}

    def extend(number: int) -> Iterator[World]:
        if number == len(cards):
            if not breaks_the_order(world, seen):
                yield dict(world)
            return
        card = cards[number]
        for place in places[card]:
            if room[place]:
                room[place] -= 1
                world[card] = place
                yield from extend(number + 1)
                del world[card]
                room[place] += 1

    return extend(0)


def world_count(seen: Mapping[str, Any], fixed: Mapping[str, tuple[int, int]] | None = None) -> int:
    """The number of worlds in which some cards lie on certain slots, without listing them."""
    places = allowed(seen)
    for card, place in (fixed or {}).items():
        places[card] = [place] if place in places[card] else []
    room = capacities(seen)
    first = running_slot(seen)
    if first is None:
        return count_ways(places, room)
    # Less those worlds in which the first card kept is the highest: no higher one is left in the packet.
    left = (first[0], 4)
    total = 0
    for card in [card for card, where in places.items() if first in where]:
        with_it = {**places, card: [first]}
        below = {
            other: [place for place in where if place != left or NUMBER[other] < NUMBER[card]]
            for other, where in with_it.items()
        }
        total += count_ways(with_it, room) - count_ways(below, room)
    return total


def count_ways(places: Mapping[str, Sequence[tuple[int, int]]], room: Mapping[tuple[int, int], int]) -> int:
    """How many ways there are to lay every card on one of its slots, so that all slots are full."""
    slots = list(room)
    cards = sorted(places, key=lambda card: len(places[card]))

    @cache
    def count(number: int, left: tuple[int, ...]) -> int:
        if number == len(cards):
            return 1
        total = 0
        for at, place in enumerate(slots):
            if left[at] and place in places[cards[number]]:
                total += count(number + 1, (*left[:at], left[at] - 1, *left[at + 1 :]))
        return total

    return count(0, tuple(room.values()))


def canonical(seen: Mapping[str, Any]) -> World:
    """The one world that hiding shows: cards that a seat cannot tell apart lie in rising order, those that a
    seat has played on the lowest slots of that seat."""
    places = allowed({**seen, "played": [[] for _ in seen["played"]]})
    player = {card: seat for seat, cards in enumerate(seen["played"]) for card in cards}
    groups: dict[tuple[tuple[int, int], ...], list[str]] = {}
    for card, where in places.items():
        groups.setdefault(tuple(sorted(where)), []).append(card)
    room = capacities(seen)
    world: World = {}
    for where, cards in groups.items():
        free = [place for place in where for _ in range(room[place])]
        for card in sorted(cards, key=lambda card: (player.get(card, seen["players"]), NUMBER[card])):
            own = [p for p in free if card not in player or holder(p, seen["players"]) == player[card]]
            world[card] = own[0]
            free.remove(own[0])
    return world


def city_orders(seen: Mapping[str, Any], full: Sequence[str] = tuple(CITIES)) -> int:
    """How many orders of the city pack the seat thinks possible."""
    unknown = seen["city_pack"].count(None)
    named = {city for city in seen["city_pack"] if city} | set(seen["cities_active"])
    assert len([city for city in full if city not in named]) == unknown
    number = 1
    for factor in range(2, unknown + 1):
        number *= factor
    return number
