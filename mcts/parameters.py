"""Parameters of searches and agents: one declaration gives parsing, checking, errors and help texts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .games.errors import SfumatoError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Value = str | int | float | bool


@dataclass(frozen=True)
class Parameter:
    """One parameter.

    The default's type is the parameter's: a number from `low` to `high`, a word among `choices`, or a switch,
    which is on when it is named without a value.
    """

    name: str
    help: str
    default: Value
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    @property
    def range(self) -> str:
        """The allowed values, short."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return " or ".join(self.choices)
        return f"{self.low:,} to {self.high:,}"

    @property
    def expected(self) -> str:
        """The allowed values in words."""
        if isinstance(self.default, bool | str):
            return self.range
        return f"{'a whole number' if isinstance(self.default, int) else 'a number'} from {self.range}"

    @property
    def allowed(self) -> dict[str, Any]:
        """The allowed values as plain data: the choices, or the lowest and the highest number."""
        if isinstance(self.default, bool):
            return {"choices": [False, True]}
        if isinstance(self.default, str):
            return {"choices": list(self.choices)}
        return {"low": self.low, "high": self.high, "whole": isinstance(self.default, int)}

    def parse(self, text: str | None) -> Value:
        """The value that a spec names; None: the parameter stands there without a value."""
        if isinstance(self.default, bool):
            if text in (None, "true", "false"):
                return text != "false"
        elif isinstance(self.default, str):
            if text in self.choices:
                return text
        elif text is not None and len(text) <= 40:
            try:
                return self.accept(type(self.default)(text))
            except (SfumatoError, ValueError):
                pass
        raise self.refuse("nothing" if text is None else repr(text[:40]))

    def accept(self, value: object) -> Value:
        """The value that a program gives."""
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
        elif isinstance(self.default, str):
            if isinstance(value, str) and value in self.choices:
                return value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            whole = isinstance(self.default, int)
            if math.isfinite(value) and self.low <= value <= self.high and (not whole or value == int(value)):
                return type(self.default)(value)
        raise self.refuse(repr(value)[:60])

    def refuse(self, given: str) -> SfumatoError:
        return SfumatoError("bad_parameter", f"expected {self.expected}, got {given}", self.name)


def accept_all(parameters: Sequence[Parameter], given: Mapping[str, object], what: str,
               others: Sequence[Parameter] = ()) -> dict[str, Value]:
    """The given values, checked; None counts as not given. `others` are known too, but not taken here."""
    by_name = {each.name: each for each in parameters}
    for name in given:
        if name not in by_name:
            known = [*by_name, *(each.name for each in others)]
            raise unknown("bad_parameter", f"parameter of {what}", name, known)
    return {name: by_name[name].accept(value) for name, value in given.items() if value is not None}
