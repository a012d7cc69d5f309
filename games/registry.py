"""The games that there are. A new game adds its stem here and is found everywhere."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import shown, unknown

if TYPE_CHECKING:
    from pathlib import Path

    from .game import Game
    from .option import Value

NAMES: tuple[str, ...] = ("enigma", "davinci", "omnia", "painters_studio", "oh_hell", "leduc_poker",
                          "connect_four")


def game_class(name: str) -> type[Game]:
    """The class of a registered game; its module is imported at the first call."""
    if name not in NAMES:
        raise unknown("bad_game", "game", name if isinstance(name, str) else shown(name), NAMES)
    found: type[Game] = import_module(f".{name}", __package__).GAME
    return found


def load(name: str, cards: str | Path | None = None, **options: Value) -> Game:
    """A game by name, with rule options as keywords and, if wanted, another card table."""
    return game_class(name)(cards, **options)
