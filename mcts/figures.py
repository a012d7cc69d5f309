"""Figures of a tournament in words: the same in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .elo import Estimate

NOTHING = "–"


def signed(value: float | None, digits: int = 0) -> str:
    """A difference; none has no sign."""
    said = NOTHING if value is None else minus(f"{value:+.{digits}f}")
    return said if said.strip("+−0.") else said.lstrip("+−")


def plain(value: float | None) -> str:
    return NOTHING if value is None else minus(f"{value:.2f}")


def minus(number: str) -> str:
    """A number with a sign that is as wide as a digit."""
    return number.replace("-", "−")


def percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f}%"


def likely(share: float | None) -> str:
    """How sure something is: never wholly, from games."""
    return percent(None if share is None else min(max(share, 0.001), 0.999))


def between(of: Estimate) -> str:
    """The interval of a figure."""
    if of.low is None and of.high is None:
        return "no bounds"
    if of.low is None:
        return f"at most {signed(of.high)}"
    return f"at least {signed(of.low)}" if of.high is None else f"{signed(of.low)} to {signed(of.high)}"


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def lasting(seconds: float) -> str:
    """A time for people."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
