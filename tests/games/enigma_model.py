"""Enigma in plain Python, from the rules alone: what a careful referee, and a player with perfect memory,
write down. Slow and simple; nothing here knows the core.

`Referee` follows a game from its words and says what the table must look like. `Memory` follows it from one
seat and says which cards that seat has not seen, and all worlds behind them. `greedy_choice` is the greedy
rule.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SYMBOLS = "abcdefghijkl"
CELLS = ("top", "left", "centre", "right", "bottom")
COLUMN, ROW = (0, 2, 4), (1, 2, 3)

#: a card with the shuffle that it last went through
Card = tuple[int, str]


def shown(cross: Sequence[str], lines: Sequence[Sequence[int]] = (COLUMN, ROW)) -> set[str]:
    """The symbols that some line shows (EN-K2)."""
    return {symbol for line in lines for symbol in SYMBOLS if all(symbol in cross[cell] for cell in line)}


def counting_lines(cell: int, standing_lines: str) -> list[tuple[int, ...]]:
    """The lines that count after a play in this cell (R4)."""
    return [line for line in (COLUMN, ROW) if standing_lines == "count" or cell in line]


class Referee:
    """The whole table, told step by step: action, mark of the played card, drawn card."""

    def __init__(
        self,
        crosses: Sequence[str],
        hands: Sequence[str],
        deck: Mapping[str, int],
        first: int,
        options: Mapping[str, object],
    ) -> None:
        self.players = len(crosses)
        self.crosses = [cross.split() for cross in crosses]
        self.hands: list[list[Card]] = [[(0, face) for face in hand.split()] for hand in hands]
        self.keys: list[set[str]] = [set() for _ in crosses]
        self.bonus_used: set[int] = set()
        self.deck, self.discard = Counter(deck), Counter[str]()
        self.options = options
        self.mover, self.phase, self.turns, self.shuffle = first, "play", 0, 0

    def supply(self, seat: int) -> set[str]:
        """The keys that the seat could receive."""
        if self.options["key_supply"] == "per_player":
            return set(SYMBOLS) - self.keys[seat]
        return set(SYMBOLS).difference(*self.keys)

    def legal(self) -> set[str]:
        if self.phase == "over":
            return set()
        if self.phase == "bonus":
            return {f"take_key {symbol}" for symbol in self.supply(self.mover)} | {"decline"}
        return {f"play {face} {cell}" for _, face in self.hands[self.mover] for cell in CELLS}

    def step(self, action: str, mark: int | None, drawn: str | None) -> None:
        """Plays an action; the mark is told for a play, the drawn card for a step that ends the turn."""
        name, *names = action.split()
        bonus_due = False
        if name == "play":
            bonus_due = self._play(names[0], CELLS.index(names[1]), mark)
        elif name == "take_key":
            self.keys[self.mover].add(names[0])
            self.bonus_used.add(self.mover)
        if name != "decline" and (len(self.keys[self.mover]) >= 7 or self._dead_end()):
            self.phase = "over"
        elif bonus_due:
            self.phase = "bonus"
        if self.phase == "over" or bonus_due:
            assert drawn is None, "no card is drawn"
        else:
            assert drawn is not None, "a card is drawn"
            self._draw(drawn)

    def _play(self, face: str, cell: int, mark: int | None) -> bool:
        """Push, discard and line keys; whether a bonus is due."""
        mover = self.mover
        assert mark == min(m for m, other in self.hands[mover] if other == face), (
            "the older copy is played (R19)"
        )
        self.hands[mover].remove((mark, face))
        left = (mover + 1) % self.players
        self.discard[self.crosses[left][cell]] += 1
        self.crosses[left][cell] = self.crosses[mover][cell]
        self.crosses[mover][cell] = face
        lines = counting_lines(cell, str(self.options["standing_lines"]))
        self.keys[mover] |= shown(self.crosses[mover], lines) & self.supply(mover)
        five = set(SYMBOLS).intersection(*self.crosses[mover])
        return bool(five and mover not in self.bonus_used and self.supply(mover))

    def _dead_end(self) -> bool:
        if self.options["key_supply"] == "per_player":
            return False
        return max(map(len, self.keys)) + len(self.supply(0)) < 7

    def _draw(self, face: str) -> None:
        if not self.deck.total():
            self.deck, self.discard = self.discard, Counter()
            self.shuffle += 1
        assert self.deck[face] > 0, "the card drawn was in the deck"
        self.deck[face] -= 1
        self.hands[self.mover].append((self.shuffle, face))
        self.turns += 1
        self.mover = (self.mover + 1) % self.players
        self.phase = "over" if self.turns == self.players * int(str(self.options["max_rounds"])) else "play"

    def result(self) -> tuple[str, list[int]]:
        """Reason and ranks of a finished game (section "Result")."""
        counts = [len(own) for own in self.keys]
        most = max(counts)
        reason = "keys" if most >= 7 else "dead_end" if min(map(len, self.hands)) == 4 else "cap"
        if reason != "keys" and self.options["cap_result"] == "draw":
            return reason, [1] * self.players
        if self.options["losers"] == "by_keys":
            return reason, [1 + sum(other > own for other in counts) for own in counts]
        return reason, [1 if own == most else 1 + counts.count(most) for own in counts]


class Memory:
    """What one seat remembers: the cards of each shuffle not seen since, and everybody's marks."""

    def __init__(
        self, seat: int, crosses: Sequence[str], hand: str, copies: Mapping[str, int], first: int = 0
    ) -> None:
        self.seat, self.players, self.mover = seat, len(crosses), first
        self.crosses = [cross.split() for cross in crosses]
        self.unseen: dict[int, Counter[str]] = {0: Counter(copies)}
        self.unseen[0].subtract(" ".join([*crosses, hand]).split())
        self.marks = [Counter({0: 5}) for _ in crosses]
        self.discard = Counter[str]()
        self.deck = self.unseen[0].total() - 5 * (self.players - 1)
        self.shuffle = 0

    def step(self, action: str, seen: Sequence[str], turn_ends: bool) -> None:
        """One step: the action, the words that this seat saw, and whether the turn ended with a draw."""
        words = dict(word.split() for word in seen)
        name, *names = action.split()
        if name == "play":
            face, cell, mark = names[0], CELLS.index(names[1]), int(words["from"])
            self.marks[self.mover][mark] -= 1
            if self.mover != self.seat:
                self.unseen[mark][face] -= 1
            left = (self.mover + 1) % self.players
            self.discard[self.crosses[left][cell]] += 1
            self.crosses[left][cell] = self.crosses[self.mover][cell]
            self.crosses[self.mover][cell] = face
        if turn_ends:
            if self.deck == 0:
                self.shuffle += 1
                self.unseen[self.shuffle] = self.discard
                self.deck, self.discard = self.discard.total(), Counter()
            self.deck -= 1
            self.marks[self.mover][self.shuffle] += 1
            if self.mover == self.seat:
                self.unseen[self.shuffle][words["draw"]] -= 1
            self.mover = (self.mover + 1) % self.players

    def pools(self) -> dict[int, Counter[str]]:
        """The cards of each shuffle that lie hidden somewhere."""
        return {mark: +pool for mark, pool in self.unseen.items() if pool.total()}

    def places(self) -> dict[int, dict[int, int]]:
        """For each pool: how many of its cards each other seat holds (the rest is the deck)."""
        others = [seat for seat in range(self.players) if seat != self.seat]
        return {mark: {seat: self.marks[seat][mark] for seat in others} for mark in self.pools()}

    def worlds(self) -> Counter[tuple[tuple[Card, ...], ...]]:
        """Every world that this seat holds possible: the others' hands, with the number of assignments of
        single cards behind them."""
        return all_worlds(self.pools(), self.places())


def all_worlds(
    pools: Mapping[int, Mapping[str, int]], places: Mapping[int, Mapping[int, int]]
) -> Counter[tuple[tuple[Card, ...], ...]]:
    """The others' hands, lowest seat first, with the number of assignments of single cards that give them."""
    seats = sorted({seat for held in places.values() for seat in held})
    worlds: Counter[tuple[tuple[Card, ...], ...]] = Counter({tuple(() for _ in seats): 1})
    for mark, pool in pools.items():
        cards = [face for face, count in pool.items() for _ in range(count)]
        sizes = [places[mark].get(seat, 0) for seat in seats]
        grown: Counter[tuple[tuple[Card, ...], ...]] = Counter()
        for parts in splits(cards, sizes):
            for world, weight in worlds.items():
                hands = [
                    tuple(sorted((*held, *((mark, face) for face in part))))
                    for held, part in zip(world, parts, strict=True)
                ]
                grown[tuple(hands)] += weight
        worlds = grown
    return worlds


def splits(cards: Sequence[str], sizes: Sequence[int]) -> Iterator[list[list[str]]]:
    """Every way to choose so many single cards for each seat in turn; equal cards count apart."""
    if not sizes:
        yield []
        return
    for chosen in combinations(range(len(cards)), sizes[0]):
        rest = [card for index, card in enumerate(cards) if index not in chosen]
        for others in splits(rest, sizes[1:]):
            yield [[cards[index] for index in chosen], *others]


# --- greedy rule ----------------------------------------------------------------------------------------


def in_lines(cross: Sequence[str], needed: set[str], least: int) -> int:
    """(line, symbol) pairs where at least so many of the three cards have the needed symbol."""
    return sum(
        sum(symbol in cross[cell] for cell in line) >= least for line in (COLUMN, ROW) for symbol in needed
    )


def greedy_choice(referee: Referee, face_ids: Mapping[str, int]) -> str:
    """The greedy rule's move."""
    mover = referee.mover
    hand = [face for _, face in referee.hands[mover]]
    if referee.phase == "bonus":

        def showing(symbol: str) -> int:
            own = sum(symbol in card for card in referee.crosses[mover])
            return 2 * own + sum(symbol in face for face in hand)

        return f"take_key {min(sorted(referee.supply(mover)), key=showing)}"
    best, best_value = "", None
    for face in sorted(set(hand), key=lambda face: face_ids[face]):
        for cell, name in enumerate(CELLS):
            value, wins = play_value(referee, face, cell)
            if wins:
                return f"play {face} {name}"
            if best_value is None or value > best_value:
                best, best_value = f"play {face} {name}", value
    return best


def play_value(referee: Referee, face: str, cell: int) -> tuple[int, bool]:
    """The greedy rule's value of a play, and whether its gain reaches 7 keys."""
    mover, left = referee.mover, (referee.mover + 1) % referee.players
    own, next_cross = list(referee.crosses[mover]), list(referee.crosses[left])
    next_cross[cell], own[cell] = own[cell], face
    lines = counting_lines(cell, str(referee.options["standing_lines"]))
    received = shown(own, lines) & referee.supply(mover)
    needed = referee.supply(mover) - received
    needed_next = referee.supply(left)
    if referee.options["key_supply"] == "single":
        needed_next -= received
    bonus = bool(set(SYMBOLS).intersection(*own)) and mover not in referee.bonus_used and bool(needed)
    gain = len(received) + bonus
    block = in_lines(next_cross, needed_next, 2) + 7 * in_lines(next_cross, needed_next, 3)
    value = 10 * gain + in_lines(own, needed, 2) - 2 * block
    return value, len(referee.keys[mover]) + gain >= 7
