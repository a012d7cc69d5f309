"""OMNIA drawn for people: the table as a seat sees it, at most 80 columns wide."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from .omnia_seen import (
    COLOURS,
    DRAWN,
    FACES,
    IN_PACKET,
    NONE,
    OWN,
    SEATS,
    SYMBOLS,
    cards_at,
    cards_of,
    group_of,
    hand_of,
    numbers_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import SimpleNamespace

    from .omnia import Character, Face, Omnia

WIDTH = 80
#: columns of what stands before the words of a line
INDENT = 14
COLOURED = {"any": "", "same": " of one colour", "diff": " of different colours"}
#: kinds of cards in the market, in the order of their symbols
KINDS = ("works", "inventions", "characters")
WORK = SYMBOLS.index("work")


class Drawing:
    """A table to draw; its state is hidden already unless seat is None."""

    def __init__(self, game: Omnia, state: SimpleNamespace, seat: int | None, players: int) -> None:
        self.game = game
        self.state = state
        self.seat = seat
        self.players = players
        self.phase = game.phases[state.phase]
        self.known = None if seat is None else certain(state, seat, players)
        #: numbers of the cards in the market, by kind
        self.market = [*map(cards_of, state.market), numbers_of(state.char_market)]

    def text(self) -> str:
        state = self.state
        sizes = [*map(sum, state.pack), state.char_pack.bit_count(), state.city_len]
        names = (*KINDS, "cities")
        lines = [f"{self.when()}   bank {state.bank}"]
        lines += spread("packs", (f"{name} {size}" for name, size in zip(names, sizes, strict=True)))
        lines += spread("cities", (self.city(city) for city in numbers_of(state.cities_active)))
        lines += self.city_pack()
        for kind, name in enumerate(KINDS):
            lines += spread(name, (self.offer(kind, number) for number in self.market[kind]))
        if self.phase == "draft":
            for holder in range(self.players):
                packet = (holder - state.draft_step) % self.players
                lines += spread(f"packet {holder}", self.cards(cards_at(state, packet, IN_PACKET)))
        for other in range(self.players):
            lines += self.player(other)
        return "\n".join(lines)

    def when(self) -> str:
        if self.phase == "draft":
            return f"draft, step {self.state.draft_step + 1} of 3"
        return "the end" if self.phase == "over" else f"round {self.state.round + 1} of 6"

    # --- cards ---------------------------------------------------------------------------------------

    def cards(self, cards: Sequence[int]) -> list[str]:
        """Action cards that lie together, as far as the seat knows them."""
        known = cards if self.known is None else self.known
        return sorted((self.game.cards[card] if card in known else "?" for card in cards), key="?".__eq__)

    def name(self, kind: int, number: int) -> str:
        return self.game.people[number] if kind == len(KINDS) - 1 else self.game.faces[kind][number]

    def offer(self, kind: int, number: int) -> str:
        """A card of the market with what it costs and brings."""
        card = self.game.kinds[kind][number]
        notes = [f"costs {card.price}"] if card.price else []
        notes += [f"{card.points} points" if card.points > 1 else "1 point"] if card.points else []
        notes += [f"+{card.effect}"] if card.effect != "none" else []
        return self.name(kind, number) + (f" ({', '.join(notes)})" if notes else "")

    def owned(self, kind: int, number: int, count: int = 1) -> str:
        """A card of a tableau with its points, and how often it is there."""
        points, name = self.game.kinds[kind][number].points, self.name(kind, number)
        return name + (f" ({points})" if points else "") + (f" x{count}" if count > 1 else "")

    def city(self, number: int) -> str:
        """A city with its objective."""
        city, name = self.game.cities[number], self.game.city_names[number]
        if city.majority is not None:
            return f"{name} ({city.majority}: most {str(city.of).replace('_', ' + ')})"
        asks = []
        for resource, count in city.needs.items():
            mode = {"works": city.works_mode, "inventions": city.inventions_mode}.get(resource, "any")
            noun = resource if count > 1 else resource.removesuffix("s")
            asks.append(f"{count} {noun}{COLOURED[mode]}")
        return f"{name} ({city.set} each: {' + '.join(asks)})"

    def city_pack(self) -> list[str]:
        """The places of the pack that the seat knows, from the top, and what was drawn."""
        state = self.state
        places = [
            city if self.seat is None or known >> self.seat & 1 else NONE
            for city, known in zip(state.city_pack, state.city_known, strict=True)
        ][: state.city_len]
        names = self.game.city_names
        lines = spread("city pack", (f"{at} {names[c]}" for at, c in enumerate(places, 1) if c != NONE))
        if self.phase == "city":
            lines += spread("drawn", ("?" if city == NONE else self.city(city) for city in places[:DRAWN]))
        return lines

    # --- players -------------------------------------------------------------------------------------

    def player(self, other: int) -> list[str]:
        state = self.state
        hand = hand_of(state, other, self.players)
        held = [card for card in hand if not state.played >> card & 1]
        notes = [f"seat {other}", f"coins {state.coins[other]}"]
        if self.phase == "over":
            notes += [f"rank {state.ranks[other]}", self.total(other)]
        elif state.to_move == other:
            notes.append(self.turn())
        lines = ["  ".join(notes)]
        if state.to_move == other and self.may_pass():
            first, second = (SYMBOLS[symbol] for symbol in state.left)
            lines += spread("  forgo", [f"give up {first}, then take a {second} without price and effect"])
        lines += spread("  discarded" if self.phase == "over" else "  hand", self.cards(held))
        lines += spread("  played", (self.game.cards[card] for card in hand if card not in held))
        for kind, counts in enumerate(state.owned[other]):
            cards = (self.owned(kind, face, count) for face, count in enumerate(counts) if count)
            lines += spread(f"  {KINDS[kind]}", cards)
        people = numbers_of(state.characters[other])
        return [*lines, *spread("  characters", (self.owned(2, person) for person in people))]

    def turn(self) -> str:
        """What the seat to move is doing."""
        state = self.state
        left = " and ".join(SYMBOLS[symbol] for symbol in state.left if symbol != NONE)
        if self.phase == "act":
            return f"has played {self.game.cards[state.card]}, left: {left}"
        if self.phase == "effect":
            return f"effect: {SYMBOLS[state.pending]}" + (f", then {left}" if left else "")
        return {"draft": "keeps a card", "play": "to play", "city": "has drawn cities"}[self.phase]

    def may_pass(self) -> bool:
        """Whether a plain card waits behind the first of two symbols."""
        first, second = self.state.left
        offers = [self.affordable(symbol) for symbol in (first, second)]
        if second == NONE or not (offers[0] or (first < WORK and self.state.bank)):
            return False
        return any(card.price == 0 and card.effect == "none" for card in offers[1])

    def affordable(self, symbol: int) -> list[Face | Character]:
        """The cards of the market that the mover can pay for."""
        if not WORK <= symbol < WORK + len(KINDS):
            return []
        cards = (self.game.kinds[symbol - WORK][number] for number in self.market[symbol - WORK])
        return [card for card in cards if card.price <= self.state.coins[self.state.to_move]]

    # --- points --------------------------------------------------------------------------------------

    def total(self, other: int) -> str:
        """A seat's points at the end, and where they come from."""
        state = self.state
        cards = [*map(cards_of, state.owned[other]), numbers_of(state.characters[other])]
        printed = sum(self.game.kinds[kind][at].points for kind, found in enumerate(cards) for at in found)
        majorities = sum(self.majority(other, city) for city in numbers_of(state.cities_active))
        total = round(state.scores[other])
        sets = total - printed - majorities
        return f"points {total} = cards {printed} + majorities {majorities} + sets {sets}"

    def majority(self, other: int, number: int) -> int:
        """A seat's points for a city, if that is a majority."""
        city = self.game.cities[number]
        if city.majority is None:
            return 0
        counts = [self.counted(seat, str(city.of)) for seat in range(self.players)]
        return city.majority // counts.count(max(counts)) if counts[other] == max(counts) > 0 else 0

    def counted(self, seat: int, of: str) -> int:
        """What a majority counts of a seat."""
        state = self.state
        leonardo = self.game.option_values(self.players)["leonardo_in_majorities"]
        works, inventions = (sum(side[: FACES if leonardo else COLOURS]) for side in state.owned[seat])
        people: int = state.characters[seat].bit_count()
        counts: dict[str, int] = {
            "works": works, "inventions": inventions, "characters": people, "coins": state.coins[seat],
            "works_inventions": works + inventions, "cards": works + inventions + people,
        }
        return counts[of]


def certain(state: SimpleNamespace, seat: int, players: int) -> set[int]:
    """The action cards of which a seat knows who holds them, or in which packet they are: its own, and those
    of a group that lies in one hand or packet."""
    groups: dict[int | str, dict[int, int]] = {}
    for card, slot in enumerate(state.slot):
        if slot != NONE and not state.played >> card & 1:
            packet, step = slot >> 3, slot & 7
            holder = SEATS + packet if step == IN_PACKET else (packet + step) % players
            groups.setdefault(group_of(players, seat, state.draft_step, packet, step), {})[card] = holder
    return {
        card
        for group, holders in groups.items()
        if group == OWN or len(set(holders.values())) == 1
        for card in holders
    }


def spread(head: str, words: Iterable[str]) -> list[str]:
    """A line of words behind a head, broken where it is too long; a card's own spaces hold. No words: no
    line."""
    text = "  ".join(word.replace(" ", "\0") for word in words)
    lines = wrap(text, WIDTH - INDENT)
    heads = [head, *[""] * len(lines)]
    return [f"{head:<{INDENT}}{line}".replace("\0", " ") for head, line in zip(heads, lines, strict=False)]
