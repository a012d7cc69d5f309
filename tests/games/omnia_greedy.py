"""The greedy rule of OMNIA in plain Python, from the rules page alone: what each decision is worth, in exact
fractions, for the seat to move of a `Referee`."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import TYPE_CHECKING

from omnia_model import NUMBER, Referee, final_points
from omnia_table import CHARACTERS, CITIES, INVENTIONS, KINDS, WORKS, symbols_of

if TYPE_CHECKING:
    from collections.abc import Iterable

WEIGHTS = {"work": 10, "invention": 10, "character": 9, "city": 7, "coins2": 9, "coins1": 5}
EFFECTS = {
    "work": Fraction(16, 10),
    "invention": Fraction(16, 10),
    "character": Fraction(1),
    "city": Fraction(8, 10),
}
CITY_DRAW = Fraction(12, 10)
#: the order of decisions of equal worth
PICKS = [
    "coins1",
    "coins2",
    *(f"work {face}" for face in WORKS),
    *(f"invention {face}" for face in INVENTIONS),
    *(f"character {name}" for name in CHARACTERS),
    "draw_city",
    *(f"activate {city}" for city in CITIES),
]


def value(referee: Referee) -> Fraction:
    """What the mover has: points if the game ended now, and something for coins and cards."""
    own = referee.seats[referee.mover]
    points = final_points(referee.seats, referee.active, referee.options)[referee.mover]
    coloured = sum(own.coloured("work")) + sum(own.coloured("invention"))
    return points + Fraction(5 * own.coins + 8 * coloured + 6 * own.characters(), 10)


def gain(referee: Referee, option: str) -> Fraction:
    """What an option adds, its effect by a flat number."""
    if option == "draw_city":
        return CITY_DRAW
    verb, *names = option.split()
    after = copy.copy(referee)
    after.seats = copy.deepcopy(referee.seats)
    own, bank, effect = after.seats[referee.mover], referee.bank, "none"
    if names:
        _, price, _, effect = KINDS[verb][names[0]]
        own.cards[verb][names[0]] += 1
        own.coins -= price
        bank += price
    if verb.startswith("coins") or effect.startswith("coins"):
        own.coins += min(bank, int((verb if not names else effect)[-1]))
    return value(after) - value(referee) + EFFECTS.get(effect, 0)


def best(referee: Referee, options: Iterable[str]) -> tuple[Fraction, str] | None:
    """The greatest gain; of equal ones the lowest id."""
    rated = [(gain(referee, option), -PICKS.index(option), option) for option in options]
    if not rated:
        return None
    worth, _, option = max(rated)
    return worth, option


def weight(card: str) -> int:
    """The weights of both symbols, in tenths."""
    return sum(WEIGHTS[symbol] for symbol in symbols_of(card))


def in_draft(referee: Referee) -> str:
    cards = [words.split()[1] for words in referee.legal()]
    if referee.first is not None:
        return f"keep {max(cards, key=lambda card: (weight(card), -NUMBER[card]))}"
    packet = referee.packets[referee._packet_of(referee.mover)]
    two = sorted(packet, key=lambda card: (-weight(card), NUMBER[card]))[:2]
    return f"keep {min(two, key=NUMBER.get)}"


def in_play(referee: Referee) -> str:
    def worth(card: str) -> Fraction:
        found = [best(referee, referee.options_of(symbol)) for symbol in symbols_of(card)]
        return sum((max(Fraction(0), each[0]) for each in found if each), Fraction(0)) - Fraction(
            35 * weight(card), 1000
        )

    cards = [words.split()[1] for words in referee.legal()]
    return f"play {max(cards, key=lambda card: (worth(card), -NUMBER[card]))}"


def in_act(referee: Referee) -> str:
    legal = referee.legal()
    if "draw_city" in legal:
        return "draw_city"
    picks = [words for words in legal if words not in ("done", "forgo")]
    first = next(symbol for symbol in referee.left if referee.options_of(symbol))
    found = best(referee, [pick for pick in picks if pick.split()[0] == first])
    if found and found[0] > 0:
        return found[1]
    if "forgo" in legal:
        return "forgo"
    found = best(referee, picks)
    if found and (found[0] > 0 or "done" not in legal):
        return found[1]
    return "done"


def in_effect(referee: Referee) -> str:
    worth, option = best(referee, referee.options_of(referee.pending))
    return option if worth > 0 else "skip"


def in_city(referee: Referee) -> str:
    before = final_points(referee.seats, referee.active, referee.options)
    choices = []
    for words in referee.legal()[:-1]:
        city = words.split()[1]
        after = final_points(referee.seats, [*referee.active, city], referee.options)
        gains = [one - other for one, other in zip(after, before, strict=True)]
        own = gains.pop(referee.mover)
        lead = own - max(gains)
        if lead > 0 or (lead == 0 and own > 0):
            choices.append((lead, -PICKS.index(words), words))
    return max(choices)[2] if choices else "activate_none"


def greedy_choice(referee: Referee) -> str:
    return {
        "draft": in_draft,
        "play": in_play,
        "act": in_act,
        "effect": in_effect,
        "city": in_city,
    }[referee.phase](referee)
