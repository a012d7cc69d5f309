"""The greedy rule of Atelier Da Vinci in plain Python, from the rules page alone: what each decision is
worth, in exact fractions, for the seat to move of a `Referee`."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from davinci_model import HAND_LIMIT, NUMBER, PAINT_MAX, Referee, level
from davinci_table import FACES, IN_PLAY, MASTERIES, POINTS, SLOTS, colour_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: cards of a Paint action: place, slot, face
Placed = tuple[int, int, str]
NOTHING_ELSE = Fraction(-1000)


def decisions(referee: Referee) -> dict[str, Fraction]:
    """What each legal decision is worth: the best set of cards that it begins."""
    return WORTH[referee.phase](referee)


def best_of(pairs: Iterator[tuple[str, Fraction]]) -> dict[str, Fraction]:
    best: dict[str, Fraction] = {}
    for words, worth in pairs:
        best[words] = max(worth, best.get(words, worth))
    return best


def worth_of_card(referee: Referee, face: str) -> Fraction:
    """Half its value, and a half more if a slot of its colour is open."""
    needed = any(
        SLOTS[place.painting][slot] == colour_of(face)
        for place in referee.places
        if place
        for slot in place.open_slots()
    )
    return Fraction(value_of(face) + needed, 2)


# --- take -----------------------------------------------------------------------------------------------


def takes(referee: Referee, first: int, left: int) -> Iterator[tuple[str, Fraction]]:
    """Every set of table cards from a face on, by its first card."""
    room = HAND_LIMIT - len(referee.hands[referee.mover])
    for cards in table_sets(referee.table, first, left):
        worth = sum((worth_of_card(referee, face) + Fraction(1, 5) for face in cards), Fraction(0))
        yield f"take {cards[0]}", worth - 2 * (len(cards) - min(len(cards), max(0, room)))


def table_sets(table: Counter[str], first: int, left: int) -> Iterator[list[str]]:
    for number in range(first, len(FACES)):
        face = FACES[number]
        if table[face] and value_of(face) <= left:
            yield [face]
            rest = table - Counter([face])
            for others in table_sets(rest, number, left - value_of(face)):
                yield [face, *others]


# --- paint ----------------------------------------------------------------------------------------------


def paints(referee: Referee) -> Iterator[tuple[str, Fraction]]:
    """Every set of own cards on slots that may be painted, by its first card."""
    held = Counter(face for face, _ in referee.hands[referee.mover])
    for cards in paint_sets(referee, referee.usable(), held, PAINT_MAX - referee.placed):
        number, slot, face = cards[0]
        yield f"paint {referee.places[number].painting} {slot} {face}", worth_of_set(referee, cards)


def paint_sets(
    referee: Referee, usable: Sequence[tuple[int, int]], held: Counter[str], left: int
) -> Iterator[list[Placed]]:
    for at, (number, slot) in enumerate(usable):
        colours = SLOTS[referee.places[number].painting]
        for face in [face for face in held if held[face] and colour_of(face) == colours[slot]]:
            yield [(number, slot, face)]
            if left > 1:
                wet = referee.options["wet_paint"] == "ring"
                dry = [
                    (other, beside)
                    for other, beside in usable[at + 1 :]
                    if not wet
                    or other != number
                    or (beside - slot) % 6 not in (1, 5)
                    or colours[beside] == colours[slot]
                ]
                for others in paint_sets(referee, dry, held - Counter([face]), left - 1):
                    yield [(number, slot, face), *others]


def points_of(referee: Referee, face: str) -> int:
    """The card's value and the points of own masteries."""
    own = [name for name, owner in referee.masteries.items() if owner == referee.mover]
    return value_of(face) + sum(colour_of(face) in MASTERIES[name] for name in own)


def worth_of_set(referee: Referee, cards: Sequence[Placed]) -> Fraction:
    worth = Fraction(0)
    for number, place in enumerate(referee.places):
        here = [face for other, _, face in cards if other == number]
        if not here:
            continue
        still_open = len(place.open_slots()) - len(here)
        if still_open:
            worth += sum(points_of(referee, face) for face in here) - (still_open == 1)
        else:
            collected = sum(points_of(referee, place.cards[slot]) for slot in place.fresh)
            worth += POINTS[place.painting] - Fraction(3, 10) * sum(map(value_of, here)) - collected
    return worth


# --- each phase -----------------------------------------------------------------------------------------


def in_main(referee: Referee) -> dict[str, Fraction]:
    mover = referee.mover
    limit = 5 if referee.help == mover else 4
    extra = level(referee.esteem[mover]) + (Fraction(3, 2) if len(referee.hands[mover]) >= 4 else 0)
    found = best_of(takes(referee, 0, limit))
    found |= {words: worth + extra for words, worth in best_of(paints(referee)).items()}
    for words in referee.legal():
        if words.startswith("claim "):
            found[words] = worth_of_claim(referee, words.removeprefix("claim "))
    return {"draw": NOTHING_ELSE, **found}


def worth_of_claim(referee: Referee, name: str) -> Fraction:
    unfinished = IN_PLAY[referee.players] - len(referee.taken)
    worth = Fraction(108, 100) * len(set(MASTERIES[name])) * unfinished / referee.players
    second = list(referee.masteries.values()).count(referee.mover) == 1
    return worth + (4 if second and "two_masteries" in referee.achievements else 0)


def in_take(referee: Referee) -> dict[str, Fraction]:
    return {"stop": Fraction(0), **best_of(takes(referee, referee.last, referee.take_left))}


def in_paint(referee: Referee) -> dict[str, Fraction]:
    return {"stop": Fraction(0), **best_of(paints(referee))}


def in_discard(referee: Referee) -> dict[str, Fraction]:
    return {words: -worth_of_card(referee, words.split()[-1]) for words in referee.legal()}


def in_leonardo(referee: Referee) -> dict[str, Fraction]:
    return {words: Fraction(-value_of(words)) for words in referee.legal()}


WORTH = {
    "main": in_main,
    "take": in_take,
    "paint": in_paint,
    "discard": in_discard,
    "leonardo": in_leonardo,
    "leo_drawn": in_leonardo,
}


def number_of(words: str) -> tuple[int, ...]:
    """The order of decisions of equal worth: by the ids of the page."""
    name, *rest = words.split()
    kind = ("stop", "draw", "take", "discard", "claim", "paint", "leonardo").index(name)
    if name in ("paint", "leonardo"):
        return kind, list(SLOTS).index(rest[0]), int(rest[1]), NUMBER[rest[2]]
    if name == "claim":
        return kind, list(MASTERIES).index(rest[0])
    return kind, *(NUMBER[face] for face in rest)


def greedy_choice(referee: Referee) -> str:
    """The best decision; of equal ones that with the lowest id."""
    worth = decisions(referee)
    return min(worth, key=lambda words: (-worth[words], number_of(words)))
