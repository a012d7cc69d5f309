"""Every table of The Painter's Studio that a seat cannot tell from the one it sees, in plain Python."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from painters_studio_table import PATRONS, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def worlds(seen: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str | None], ...]]:
    """Every assignment of the patrons that the seat has not seen to hands and returned cards of the others,
    each once: hand and returned card per other seat, lowest seat first. What is left is the body.

    A returned card that somebody has drawn lies in that hand too. All of them are equally likely."""
    seat, seats = seen["seat"], range(seen["players"])
    others = [other for other in seats if other != seat]
    entries = seen["returned"]
    taker = {other: entry["taker"] for other, entry in enumerate(entries) if entry}
    known = {*seen["patrons"][seat], *(entry["patron"] for entry in entries if entry and entry["patron"])}
    unknown = [card for card in PATRONS if card not in known]
    secret = [other for other in others if other in taker and taker[other] != seat]
    sizes = [
        seen["patron_counts"][other] - sum(taken_by == other for taken_by in taker.values())
        for other in others
    ]

    def hands(left: list[str], sizes: Sequence[int]) -> Iterator[list[tuple[str, ...]]]:
        if not sizes:
            yield []
            return
        for own in combinations(left, sizes[0]):
            rest = [card for card in left if card not in own]
            for more in hands(rest, sizes[1:]):
                yield [own, *more]

    for kept in hands(unknown, sizes):
        rest = [card for card in unknown if all(card not in own for own in kept)]
        for cards in permutations(rest, len(secret)):
            tail = {other: entry["patron"] for other, entry in enumerate(entries) if entry}
            tail |= dict(zip(secret, cards, strict=True))
            yield tuple(
                (
                    " ".join(in_order([*own, *(tail[by] for by in taker if taker[by] == other)], PATRONS)),
                    tail.get(other),
                )
                for other, own in zip(others, kept, strict=True)
            )
