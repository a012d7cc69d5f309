"""HTML in pieces: text is escaped wherever it enters, unless it is markup already."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: elements without an end
EMPTY = {"br", "meta", "wbr"}


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def el(name: str, /, *inside: str, **attributes: object) -> Html:
    """An element. Of an attribute's name a `_` at the end falls away (`class_`), others become hyphens; one
    that is None is left out."""
    written = "".join(f' {key.removesuffix("_").replace("_", "-")}="{escape(str(value))}"'
                      for key, value in attributes.items() if value is not None)
    end = "" if name in EMPTY else f"</{name}>"
    return Html(f"<{name}{written}>{join(inside)}{end}")


def join(parts: Iterable[str], between: str = "") -> Html:
    """Pieces in a row, each escaped unless it is markup."""
    return Html(safe(between).join(map(safe, parts)))


def safe(text: str) -> Html:
    return text if isinstance(text, Html) else Html(escape(text))
