"""Oh Hell: words, drawing and observations of ext/oh_hell.pyx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from ..ext import oh_hell
from .errors import shown
from .game import Game, Observation
from .option import Option
from .speech import Speech, Spoken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import SimpleNamespace

    from .game import Setting
    from .option import Value

SEATS = 3
SUITS = 4
CARDS = 52
MOST_TRICKS = 17
NO_CARD = 255
NO_BID = -1

#: a name of one character
Letter = Annotated[str, msgspec.Meta(pattern=r"^\S$", max_length=1)]


class Deck(msgspec.Struct, forbid_unknown_fields=True):
    """The names of suits and ranks; a card is called by both, suit first."""

    source: str
    suits: Annotated[list[Letter], msgspec.Meta(min_length=4, max_length=4)]
    ranks: Annotated[list[Letter], msgspec.Meta(min_length=13, max_length=13)]


class Cards(msgspec.Struct, forbid_unknown_fields=True):
    """The card table."""

    deck: Deck


class Seen(Observation):
    """What a seat knows in Oh Hell. Cards are written suit first: SJ is the jack of spades."""

    #: tricks to be played in all
    tricks: int
    dealer: int
    #: the card turned up; its suit is trump
    trump: str
    #: bid of each seat, null before it has bid
    bids: list[int | None]
    #: tricks taken by each seat
    won: list[int]
    #: suits that each seat has shown not to hold, by not following
    voids: list[list[str]]
    #: the seat's own hand
    hand: list[str]
    #: the cards on the table, in the order played
    trick: list[str]
    #: all cards that have left a hand, those on the table included
    played: list[str]


class OhHell(Game):
    """Bid how many tricks you will take, then take exactly as many."""

    name = "oh_hell"
    title = "Oh Hell"
    seats = range(SEATS, SEATS + 1)
    phases = ("bid", "play", "over")
    options = (
        Option("tricks", "number of tricks, 0: drawn from 1 to 17", low=0, high=MOST_TRICKS),
        Option("points_per_trick", "points for each trick (under the penalty: off the bid)", low=0, high=10),
        Option("off_bid_penalty", "a missed bid costs points instead of earning them", choices=(False, True)),
    )
    core = oh_hell
    card_table = Cards
    observation: ClassVar[type[Observation]] = Seen
    per_seat = ("bids", "won", "voids")
    # bench/README.md has the matches
    search: ClassVar[Mapping[str, Setting]] = {"noise": 0.0, "score": 1.0}
    invariants = (
        "a number that the game does not have",
        "a card that is in two places or in none",
        "the bids do not fit the turn, or are the dealer's forbidden sum",
        "tricks taken, cards played, hands and turn do not agree",
        "the voids do not fit the hands and the trick on the table",
    )

    def prepare(self, cards: Cards) -> None:
        for field, names in (("suits", cards.deck.suits), ("ranks", cards.deck.ranks)):
            if len(set(names)) != len(names):
                raise self.bad_cards("expected different letters", f"deck.{field}")
        self.suits = cards.deck.suits
        self.ranks = cards.deck.ranks
        #: the names of the cards in the order of their ids
        self.faces = [suit + rank for rank in self.ranks for suit in self.suits]
        self.speech = Speech(
            Spoken("tricks"),
            Spoken("dealer"),
            Spoken("hand", self.faces, seat=True, unordered=True),
            Spoken("trump", self.faces),
        )

    def digest_of(self, cards: Cards) -> object:
        return [cards.deck.suits, cards.deck.ranks]

    def write_rules(self, players: int, options: Mapping[str, Value]) -> dict[str, Any]:  # noqa: ARG002
        return dict(options)

    # --- words --------------------------------------------------------------------------------------

    def action_words(self) -> list[str | None]:
        return [*(f"play {face}" for face in self.faces), *(f"bid {bid}" for bid in range(MOST_TRICKS + 1))]

    def tell(self, event: SimpleNamespace, seat: int | None) -> list[str]:  # noqa: ARG002
        # Bids and cards are open: a step shows nothing beyond its action.
        return []

    def remarks(self, event: SimpleNamespace) -> list[str]:
        return [f"seat {event.taken_by} takes the trick"] if event.taken_by >= 0 else []

    def tell_setup(self, state: SimpleNamespace, seat: int | None, players: int) -> list[str]:
        return [
            self.speech.say("tricks", state.tricks),
            self.speech.say("dealer", state.dealer),
            *(
                self.speech.say("hand", *members(state.hand[other]), seat=other)
                for other in range(players)
                if seat is None or other == seat
            ),
            self.speech.say("trump", state.trump),
        ]

    # --- observations -------------------------------------------------------------------------------

    def observe(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, Any]:  # noqa: ARG002
        return {
            "tricks": state.tricks,
            "dealer": state.dealer,
            "trump": self.faces[state.trump],
            "bids": [None if bid == NO_BID else bid for bid in state.bid],
            "won": state.won,
            "voids": [self._suits(voids) for voids in state.voids],
            "hand": self._names(state.hand[seat]),
            "trick": [self.faces[card] for card in state.trick if card != NO_CARD],
            "played": self._names(state.played),
        }

    def hidden_places(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, list[str]]:
        others = [other for other in range(players) if other != seat]
        return {f"hand {other}": self._names(state.hand[other]) for other in others}

    def normal(self, seen: Seen) -> Seen:
        """Sets of cards and suits may come in any order."""
        return msgspec.structs.replace(
            seen,
            voids=[sorted(voids, key=self.suits.index) for voids in seen.voids],
            hand=sorted(seen.hand, key=self.faces.index),
            played=sorted(seen.played, key=self.faces.index),
        )

    def restore(self, seen: Seen) -> dict[str, Any]:
        self._check_numbers(seen)
        trump = self._card(seen.trump, "trump")
        hand = self._set(seen.hand, self.faces, "hand")
        played = self._set(seen.played, self.faces, "played")
        trick = self._set(seen.trick, self.faces, "trick")
        voids = [self._set(suits, self.suits, f"voids[{seat}]") for seat, suits in enumerate(seen.voids)]
        self._check_places(seen, trump, hand, played, trick)
        sizes = self._sizes(seen)
        if len(seen.hand) != sizes[seen.seat]:
            raise self.refuse("bad_count", f"expected {sizes[seen.seat]} cards, got {len(seen.hand)}", "hand")
        return {
            "phase": self.phases.index(seen.phase),
            "tricks": seen.tricks,
            "dealer": seen.dealer,
            "trump": trump,
            "trick": [self.faces.index(face) for face in seen.trick] + [NO_CARD] * (2 - len(seen.trick)),
            "bid": [NO_BID if bid is None else bid for bid in seen.bids],
            "won": seen.won,
            "voids": voids,
            "hand": self._hands(seen.seat, hand, sizes, voids, played | 1 << trump),
            "played": played,
        }

    def _check_numbers(self, seen: Seen) -> None:
        fixed = self.option_values(SEATS)["tricks"]
        if not 1 <= seen.tricks <= MOST_TRICKS or (fixed and seen.tricks != fixed):
            expected = str(fixed) if fixed else f"1 to {MOST_TRICKS}"
            raise self.refuse("bad_count", f"expected {expected}, got {seen.tricks}", "tricks")
        if not 0 <= seen.dealer < SEATS:
            raise self.refuse("bad_players", f"expected 0 to {SEATS - 1}, got {seen.dealer}", "dealer")
        for field, numbers in (("bids", seen.bids), ("won", seen.won)):
            for seat, number in enumerate(numbers):
                if number is not None and not 0 <= number <= seen.tricks:
                    message = f"expected 0 to {seen.tricks}, got {number}"
                    raise self.refuse("bad_count", message, f"{field}[{seat}]")

    def _check_places(self, seen: Seen, trump: int, hand: int, played: int, trick: int) -> None:
        """Every card is in one place, and as many were played as the tricks say."""
        if len(seen.trick) >= SEATS:
            raise self.refuse("bad_count", f"a trick of {SEATS} cards is taken, not on the table", "trick")
        for index, face in enumerate(seen.hand):
            if played >> self.faces.index(face) & 1:
                raise self.refuse("bad_cards", f"{face} was played already", f"hand[{index}]")
        if (hand | played) >> trump & 1:
            raise self.refuse("bad_cards", f"{seen.trump} is in the hand or was played", "trump")
        if trick & ~played:
            raise self.refuse("bad_cards", "a card on the table is not among those played", "trick")
        expected = SEATS * sum(seen.won) + len(seen.trick)
        if len(seen.played) != expected:
            message = f"expected the {expected} cards of all tricks so far, got {len(seen.played)}"
            raise self.refuse("bad_count", message, "played")

    def _sizes(self, seen: Seen) -> list[int]:
        """How many cards each seat holds: one less if its card is on the table."""
        left = seen.tricks - sum(seen.won)
        if left < 0 or (left == 0) != (seen.to_move is None):
            message = f"{sum(seen.won)} of {seen.tricks} tricks are taken in phase {seen.phase!r}"
            raise self.refuse("bad_count", message, "won")
        sizes = [left] * SEATS
        if seen.to_move is not None:
            for back in range(1, len(seen.trick) + 1):
                sizes[(seen.to_move - back) % SEATS] -= 1
        return sizes

    def _hands(self, seat: int, own: int, sizes: list[int], voids: list[int], known: int) -> list[int]:
        """All hands, those of the others as `hide` has them: the lowest cards, first of those that only
        that seat may hold.
        """
        unseen = [card for card in range(CARDS) if not (known | own) >> card & 1]
        hands = [0] * SEATS
        hands[seat] = own
        others = [(seat + 1) % SEATS, (seat + 2) % SEATS]
        for other, rival in (others, others[::-1]):
            may = [card for card in unseen if not voids[other] >> card % SUITS & 1]
            may.sort(key=lambda card: (not voids[rival] >> card % SUITS & 1, card))
            taken = may[: sizes[other]]
            if len(taken) < sizes[other]:
                raise self.refuse("inconsistent", f"too few cards are left for seat {other}", "voids")
            hands[other] = sum(1 << card for card in taken)
            unseen = [card for card in unseen if card not in taken]
        return hands

    def _set(self, names: Sequence[str], known: Sequence[str], path: str) -> int:
        """A list of cards or suits as a bit mask; an unknown one, or one that comes twice, is refused."""
        found = 0
        for index, name in enumerate(names):
            if name not in known:
                what = f"one of {', '.join(known)}" if len(known) == SUITS else "a card such as " + known[0]
                raise self.refuse("bad_face", f"expected {what}, got {shown(name)}", f"{path}[{index}]")
            number = known.index(name)
            if found >> number & 1:
                raise self.refuse("bad_cards", f"{name} comes twice", f"{path}[{index}]")
            found |= 1 << number
        return found

    def _card(self, face: str, path: str) -> int:
        if face not in self.faces:
            raise self.refuse("bad_face", f"expected a card such as {self.faces[0]}, got {shown(face)}", path)
        return self.faces.index(face)

    def _names(self, cards: int) -> list[str]:
        return [self.faces[card] for card in members(cards)]

    def _suits(self, suits: int) -> list[str]:
        return [self.suits[suit] for suit in members(suits)]

    # --- drawing ------------------------------------------------------------------------------------

    def draw(self, state: SimpleNamespace, seat: int | None, players: int) -> str:
        number = min(sum(state.won) + 1, state.tricks)
        table = " ".join(self.faces[card] for card in state.trick if card != NO_CARD)
        lines = [
            f"trick {number} of {state.tricks}   trump {self.faces[state.trump]}   "
            f"dealer seat {state.dealer}   on the table {table or '-'}"
        ]
        for other in range(players):
            size = len(members(state.hand[other]))
            cards = self._by_suit(state.hand[other]) if seat is None or other == seat else f"{size} cards"
            if state.to_move < 0:
                cards = f"{state.scores[other]:g} points"
            bid = "-" if state.bid[other] == NO_BID else state.bid[other]
            mark = ">" if state.to_move == other else " "
            voids = "".join(self._suits(state.voids[other])) or "-"
            line = f"{mark} seat {other}  bid {bid:>2}  won {state.won[other]:>2}  void {voids:<4}  {cards}"
            lines.append(line.rstrip())
        return "\n".join(lines)

    def _by_suit(self, cards: int) -> str:
        """A hand as people hold it: suit by suit, the highest rank first."""
        ranks = [""] * SUITS
        for card in reversed(members(cards)):
            ranks[card % SUITS] += self.ranks[card // SUITS]
        return "  ".join(f"{suit} {held}" for suit, held in zip(self.suits, ranks, strict=True) if held)


def members(mask: int) -> list[int]:
    """The numbers of a set that is written as a bit mask, ascending."""
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


GAME = OhHell
