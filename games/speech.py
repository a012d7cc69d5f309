"""The words of chance and revelation: the same for reporting a step, for scripting it and for printing it.

Each game lists its words in the order of its core's numbers. A word is written `draw ck`, `hand 1 ag bh`:
its name, the seat if it names one, its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ext.state import LIMITS
from .errors import SfumatoError, shown, unknown

Script = list[tuple[int, int, list[int]]]

#: What the numbers of a kind of value are called: a list in their order; a map from name to number, where a
#: number may have several names, the first of which is said; None: they are written as numbers.
Names = Sequence[str] | Mapping[str, int] | None


def name_of(names: Names, number: int) -> str:
    if names is None:
        return str(number)
    if isinstance(names, Mapping):
        return next(name for name, meant in names.items() if meant == number)
    return names[number]


def number_of(names: Names, name: str, path: str) -> int:
    """The number that a name means; an unknown one is refused by its place."""
    if names is None:
        if not name.isdecimal() or len(name) > 4:
            raise SfumatoError("bad_event", f"expected a number, got {shown(name)}", path)
        return int(name)
    if name not in names:
        raise unknown("bad_event", "value", name, names, path)
    return names[name] if isinstance(names, Mapping) else names.index(name)


@dataclass(frozen=True)
class Spoken:
    """One word, of any number of values. They are all of one kind, `values`, but for the first ones where
    `first` gives these kinds of their own: `shows 1 0 blue3 red2` is of seat 1, the number of a deck, then
    cards. The values of an unordered word (the cards of a hand) may be given in any order."""

    name: str
    values: Names = None
    seat: bool = False
    unordered: bool = False
    first: Sequence[Names] = ()

    def kind(self, place: int) -> Names:
        """The names of the value at a place."""
        return self.first[place] if place < len(self.first) else self.values

    def say(self, seat: int, values: Sequence[int]) -> str:
        """The word as it is written."""
        names = [name_of(self.kind(place), value) for place, value in enumerate(values)]
        return " ".join([self.name, *([str(seat)] if self.seat else []), *names])

    def read(self, names: Sequence[str], path: str) -> list[int]:
        """The numbers of the values that follow the word, and the seat if it names one."""
        if len(names) > LIMITS["values"]:
            raise SfumatoError("bad_event", f"at most {LIMITS['values']} values, got {len(names)}", path)
        values = [number_of(self.kind(place), name, path) for place, name in enumerate(names)]
        lead = len(self.first)
        return values[:lead] + (sorted(values[lead:]) if self.unordered else values[lead:])


class Speech:
    """All words of a game."""

    def __init__(self, *words: Spoken) -> None:
        self.words = words
        self.numbers = {word.name: number for number, word in enumerate(words)}

    def say(self, name: str, *values: int, seat: int = -1) -> str:
        return self.words[self.numbers[name]].say(seat, values)

    def read(self, words: Sequence[str], path: str = "seen") -> Script:
        """The script that these words write; an unknown one is refused by its place."""
        if not isinstance(words, list | tuple):
            message = f"expected a list of words such as ['draw x'], got {type(words).__name__}"
            raise SfumatoError("bad_event", message, path)
        if len(words) > LIMITS["words"]:
            raise SfumatoError("bad_event", f"at most {LIMITS['words']} words, got {len(words)}", path)
        return [self._read_one(word, f"{path}[{index}]") for index, word in enumerate(words)]

    def heads(self, words: Sequence[str]) -> list[str]:
        """The words without their values: what each is about."""
        return [self.words[number].say(seat, []) for number, seat, _ in self.read(words)]

    def _read_one(self, text: str, path: str) -> tuple[int, int, list[int]]:
        if not isinstance(text, str) or not text.split():
            raise SfumatoError("bad_event", f"expected words, got {shown(text)}", path)
        name, *rest = text.split()
        if name not in self.numbers:
            raise unknown("bad_event", "word", name, self.numbers, path)
        number = self.numbers[name]
        word = self.words[number]
        seat = -1
        if word.seat:
            if not rest or not rest[0].isdecimal() or len(rest[0]) > 2:
                raise SfumatoError("bad_event", f"{name} must name a seat first", path)
            seat = int(rest.pop(0))
        return number, seat, word.read(rest, path)
