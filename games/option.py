"""Rule options: what may be chosen, and how a value is read and refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import SfumatoError, shown

Value = str | int | bool


@dataclass(frozen=True)
class Option:
    """One option of a game. Its default stands in the game's card table, under [options]: a value, or a
    table with a value per player count."""

    name: str
    help: str
    choices: tuple[Value, ...] = ()
    low: int = 0
    high: int = 0

    @property
    def expected(self) -> str:
        """The allowed values in words."""
        if self.choices:
            return " or ".join(spoken(choice) for choice in self.choices)
        return f"a whole number from {self.low} to {self.high}"

    def accept(self, value: object, path: str = "") -> Value:
        """The value, if it is one of the allowed ones."""
        for choice in self.choices:
            if type(value) is type(choice) and value == choice:
                return choice
        if not self.choices and type(value) is int and self.low <= value <= self.high:
            return value
        raise SfumatoError("bad_option", f"expected {self.expected}, got {shown(value)}", path or self.name)

    def parse(self, text: str) -> Value:
        """The value that a command line names."""
        for choice in self.choices:
            if text == spoken(choice):
                return choice
        if not self.choices and isinstance(text, str) and re.fullmatch("-?[0-9]{1,18}", text):
            return self.accept(int(text))
        raise SfumatoError("bad_option", f"expected {self.expected}, got {shown(text)}", self.name)

    def default(self, written: object, players: int, path: str) -> Value:
        """The default for a player count, as the card table's [options] writes it."""
        if isinstance(written, Mapping):
            if str(players) not in written:
                raise SfumatoError("bad_cards", f"no value for {players} players", path)
            return self.accept(written[str(players)], f"{path}.{players}")
        return self.accept(written, path)


def spoken(value: Any) -> str:
    """A value as it is typed: true and false in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)
