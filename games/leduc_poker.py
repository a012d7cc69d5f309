"""Leduc poker: words, drawing and observations of ext/leduc_poker.pyx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from ..ext import leduc_poker
from .errors import shown
from .game import Game, Observation
from .speech import Speech, Spoken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace

    from .game import Setting
    from .option import Value

NO_CARD = 255


class Deck(msgspec.Struct, forbid_unknown_fields=True):
    """The cards; ranks rise."""

    source: str
    ranks: Annotated[list[str], msgspec.Meta(min_length=3, max_length=3)]
    copies: Annotated[int, msgspec.Meta(ge=1, le=20)]


Chips = Annotated[int, msgspec.Meta(ge=1)]


class Betting(msgspec.Struct, forbid_unknown_fields=True):
    """The chips; `raises` has a value for each round."""

    source: str
    ante: Chips
    raises: Annotated[list[Chips], msgspec.Meta(min_length=2, max_length=2)]
    most_raises: Annotated[int, msgspec.Meta(ge=1)]


class Cards(msgspec.Struct, forbid_unknown_fields=True):
    """The file leduc_poker.toml."""

    deck: Deck
    betting: Betting


class Seen(Observation):
    """What a seat knows in Leduc poker."""

    #: betting round, 0 or 1
    round: int
    #: raises in this round
    raises: int
    #: calls in a row in this round
    calls: int
    #: the seat that folded
    folded: int | None
    public_card: str | None
    #: the seat's own card
    hand: str
    #: the other seat's card, after a showdown
    other_hand: str | None
    #: chips paid into the pot by each seat
    paid: list[int]


class LeducPoker(Game):
    """The smallest poker with a public card."""

    name = "leduc_poker"
    title = "Leduc poker"
    seats = range(2, 3)
    phases = ("bet", "over")
    core = leduc_poker
    card_table = Cards
    observation: ClassVar[type[Observation]] = Seen
    per_seat = ("paid",)
    # bench/README.md has the matches
    search: ClassVar[Mapping[str, Setting]] = {"chance": "split", "score": 1.0}
    invariants = (
        "a number that the game does not have, or the public card or a fold at the wrong time",
        "a card that is in two places or in none",
        "turn, calls, raises and chips paid do not agree",
    )

    def prepare(self, cards: Cards) -> None:
        ranks, betting = cards.deck.ranks, cards.betting
        if len(set(ranks)) != len(ranks) or any(rank.split() != [rank] for rank in ranks):
            raise self.bad_cards("expected three different words", "deck.ranks")
        paid = betting.ante + betting.most_raises * sum(betting.raises)
        most = leduc_poker.LIMITS["paid"]
        if paid > most:
            message = f"a seat may pay at most {most} chips, with these numbers {shown(paid)}"
            raise self.bad_cards(message, "betting")
        self.cards = cards
        self.ranks = cards.deck.ranks
        self.speech = Speech(Spoken("hand", self.ranks, seat=True), Spoken("public", self.ranks))

    def digest_of(self, cards: Cards) -> object:
        betting = cards.betting
        return [cards.deck.copies, betting.ante, betting.raises, betting.most_raises, self.ranks]

    def write_rules(self, players: int, options: Mapping[str, Value]) -> dict[str, Any]:  # noqa: ARG002
        betting = self.cards.betting
        return {
            "copies": [self.cards.deck.copies] * 3,
            "ante": betting.ante,
            "raise_by": betting.raises,
            "max_raises": betting.most_raises,
        }

    def action_words(self) -> list[str | None]:
        return ["fold", "call", "raise"]

    def tell(self, event: SimpleNamespace, seat: int | None) -> list[str]:
        words = []
        if event.public_card != NO_CARD:
            words.append(self.speech.say("public", event.public_card))
        if event.showdown:
            others = [other for other in range(2) if other != seat]
            words += [self.speech.say("hand", event.hand[other], seat=other) for other in others]
        return words

    def tell_setup(self, state: SimpleNamespace, seat: int | None, players: int) -> list[str]:
        dealt = range(players) if seat is None else [seat]
        return [self.speech.say("hand", state.hand[other], seat=other) for other in dealt]

    def observe(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, Any]:  # noqa: ARG002
        return {
            "round": state.round,
            "raises": state.raises,
            "calls": state.calls,
            "folded": None if state.folded < 0 else state.folded,
            "public_card": self._rank(state.public_card),
            "hand": self.ranks[state.hand[seat]],
            "other_hand": self.ranks[state.hand[1 - seat]] if showdown(state) else None,
            "paid": state.paid,
        }

    def hidden_places(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, list[str]]:
        others = [] if showdown(state) else [other for other in range(players) if other != seat]
        return {f"hand {other}": [self.ranks[state.hand[other]]] for other in others}

    def restore(self, seen: Seen) -> dict[str, Any]:
        if (seen.other_hand is not None) != (seen.phase == "over" and seen.folded is None):
            raise self.refuse("bad_cards", "is known after a showdown, and only then", "other_hand")
        deck = [self.cards.deck.copies] * len(self.ranks)
        hand = [NO_CARD, NO_CARD]
        hand[seen.seat] = self._take(deck, seen.hand, "hand")
        public = NO_CARD if seen.public_card is None else self._take(deck, seen.public_card, "public_card")
        # As `hide` has it: an unknown hand is the lowest card that may be there.
        lowest = next(rank for rank, left in zip(self.ranks, deck, strict=True) if left)
        other = lowest if seen.other_hand is None else seen.other_hand
        hand[1 - seen.seat] = self._take(deck, other, "other_hand")
        return {
            "phase": self.phases.index(seen.phase),
            "round": seen.round,
            "raises": seen.raises,
            "calls": seen.calls,
            "folded": -1 if seen.folded is None else seen.folded,
            "public_card": public,
            "hand": hand,
            "paid": seen.paid,
            "deck": deck,
        }

    def _rank(self, card: int) -> str | None:
        return None if card == NO_CARD else self.ranks[card]

    def _take(self, deck: list[int], rank: str, path: str) -> int:
        """Takes a card that the observation names out of the deck."""
        if rank not in self.ranks:
            raise self.refuse("bad_face", f"expected one of {', '.join(self.ranks)}, got {shown(rank)}", path)
        number = self.ranks.index(rank)
        if not deck[number]:
            raise self.refuse("bad_cards", f"all cards of rank {rank} lie elsewhere", path)
        deck[number] -= 1
        return number

    def draw(self, state: SimpleNamespace, seat: int | None, players: int) -> str:
        public_card = self._rank(state.public_card) or "-"
        lines = [f"round {state.round + 1}   pot {sum(state.paid)}   public card {public_card}"]
        for other in range(players):
            known = seat is None or other == seat or showdown(state)
            card = self.ranks[state.hand[other]] if known else "?"
            note = "folded" if state.folded == other else "to move" if state.to_move == other else ""
            lines.append(f"seat {other}  card {card}  paid {state.paid[other]:>2}  {note}".rstrip())
        return "\n".join(lines)


def showdown(state: SimpleNamespace) -> bool:
    """Both hands lie open."""
    return bool(state.to_move < 0 and state.folded < 0)


GAME = LeducPoker
