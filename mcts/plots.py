"""Plots as SVG, drawn here: intervals on a scale, histograms.

Places across are shares of the width: a plot is as wide as there is room, while its strokes and letters keep
their size. Each has a title that says in words what it shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from .figures import minus
from .markup import Html, el

if TYPE_CHECKING:
    from collections.abc import Sequence

#: pixels
ROW, AXIS, BARS = 30, 20, 56
#: marks on a scale, and bars of a histogram
MOST_TICKS = 5
MOST_BARS = 24
#: of a bar, as a share of the plot
WIDEST = 0.12


@dataclass(frozen=True)
class Scale:
    """A stretch of numbers across a plot, with round marks at both ends and in between."""

    ticks: tuple[float, ...]

    @classmethod
    def over(cls, values: Sequence[float]) -> Scale:
        """A scale that has room for all of them."""
        low, high = min(values), max(values)
        if low == high:
            low, high = low - 1, high + 1
        step = round_step((high - low) / (MOST_TICKS - 1))
        first, last = math.floor(low / step), math.ceil(high / step)
        return cls(tuple(place * step for place in range(first, last + 1)))

    def at(self, value: float) -> str:
        """Where a number lies, as a share of the width."""
        return share((value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0]))


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is no smaller."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least * (1 - 1e-9))


def share(of: float) -> str:
    return f"{100 * of:.2f}%"


def figure(title: str, said: str, height: int, *drawn: Html) -> Html:
    """An SVG, with what it shows in words for those who do not see it."""
    return el("svg", el("title", title), el("desc", said), *drawn, role="img", width="100%", height=height)


def grid(scale: Scale, height: int) -> list[Html]:
    return [el("line", x1=scale.at(tick), x2=scale.at(tick), y1=0, y2=height,
               class_="zero" if tick == 0 else "grid") for tick in scale.ticks]


def interval(scale: Scale, title: str, said: str, value: float, low: float | None,
             high: float | None) -> Html:
    """A number with its interval; an end that is None has no bound, and an arrow."""
    middle = ROW // 2
    left, right = ("0.00%" if low is None else scale.at(low)), ("100.00%" if high is None else scale.at(high))
    bar = el("line", x1=left, x2=right, y1=middle, y2=middle, class_="bar")
    dot = el("circle", cx=scale.at(value), cy=middle, r=5, class_="dot")
    both = (end(left, low is None, 1), end(right, high is None, -1))
    return figure(title, said, ROW, *grid(scale, ROW), bar, *both, dot)


def end(at: str, is_open: bool, inwards: int) -> Html:
    """The end of an interval: a drawing in the drawing, which begins at a share and goes on in pixels."""
    drawn = f"M{6 * inwards} -5L0 0L{6 * inwards} 5" if is_open else "M0 -5V5"
    return el("svg", el("path", d=drawn, class_="bar"), x=at, y=ROW // 2)


def axis(scale: Scale, title: str, signed: bool = False) -> Html:
    """The numbers below a column of intervals."""
    labels = [el("text", minus(f"{tick:+g}" if signed and tick else f"{tick:g}"), x=scale.at(tick), y=14,
                 text_anchor="middle", class_="tick") for tick in scale.ticks]
    return figure(title, f"from {scale.ticks[0]:g} to {scale.ticks[-1]:g}", AXIS, *labels)


def edges(values: Sequence[float]) -> list[float]:
    """Where the bars of a histogram begin and end: whole numbers apart if all values are whole."""
    low, high = min(values), max(values)
    if all(value == int(value) for value in values):
        step = math.ceil((high - low + 1) / MOST_BARS)
        count = math.ceil((high - low + 1) / step)
        return [low - 0.5 + step * place for place in range(count + 1)]
    width = (high - low) / MOST_BARS
    return [low + width * place for place in range(MOST_BARS)] + [high]


def counts(values: Sequence[float], at: Sequence[float]) -> list[int]:
    """How many values lie in each bar; the last one has its upper end too."""
    found = [sum(low <= value < high for value in values) for low, high in pairwise(at)]
    found[-1] += sum(value == at[-1] for value in values)
    return found


def histogram(values: Sequence[float], at: Sequence[float], title: str, height: int = BARS) -> Html:
    """How often values lie between these edges."""
    found = counts(values, at)
    most, room = max(found), 1 / len(found)
    width = min(0.8 * room, WIDEST)
    bars = [
        el("rect", el("title", f"{spoken(low, high)}: {count}"), x=share(room * (place + 0.5) - width / 2),
           width=share(width), y=f"{height - 1 - tall:.1f}", height=f"{tall:.1f}", class_="fill")
        for place, (count, (low, high)) in enumerate(zip(found, pairwise(at), strict=True)) if count
        for tall in [max(1.5, (height - 4) * count / most)]
    ]
    base = el("line", x1="0%", x2="100%", y1=height - 0.5, y2=height - 0.5, class_="zero")
    said = f"{len(values):,} from {min(values):g} to {max(values):g}"
    return figure(title, said, height, *bars, base)


def spoken(low: float, high: float) -> str:
    """The values of a bar."""
    if low == int(low):
        return f"{low:.3g} to {high:.3g}"
    first, last = math.ceil(low), math.floor(high)
    if low != first - 0.5:
        return f"{low:.3g} to {high:.3g}"
    return f"{first}" if first == last else f"{first} to {last}"
