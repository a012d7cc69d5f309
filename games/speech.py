"""The words of chance and revelation: the same for reporting a step, for scripting it and for printing it.

Each game lists its words in the order of its core's numbers. A word is written `draw ck`, `hand 1 ag bh`:
its name, the seat if it names one, its values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ext.state import LIMITS
from .errors import SfumatoError, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

Script = list[tuple[int, int, list[int]]]


@dataclass(frozen=True)
class Spoken:
    """One word. `values` lists what its numbers are called; None: they are written as numbers. The values
    of an unordered word (the cards of a hand) may be given in any order."""

    name: str
    values: Sequence[str] | None = None
    seat: bool = False
    unordered: bool = False

    def say(self, seat: int, values: Sequence[int]) -> str:
        """The word as it is written."""
        names = [str(value) if self.values is None else self.values[value] for value in values]
        return " ".join([self.name, *([str(seat)] if self.seat else []), *names])


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
            raise SfumatoError("bad_event", f"expected words, got {text!r}", path)
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
        values = []
        for value in rest:
            if word.values is None:
                if not value.isdecimal() or len(value) > 4:
                    raise SfumatoError("bad_event", f"expected a number, got {value!r}", path)
                values.append(int(value))
            elif value in word.values:
                values.append(word.values.index(value))
            else:
                raise unknown("bad_event", "value", value, word.values, path)
        if len(values) > LIMITS["values"]:
            raise SfumatoError("bad_event", "too many values", path)
        return number, seat, sorted(values) if word.unordered else values
