"""The games that an engine offers: each with its own card table, and with those that `--cards` brought.

A card table is asked for by its digest, never by a file's name: what a stranger sends opens no file.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .games import NAMES, SfumatoError, game_class, load
from .games.errors import short, shown, unknown
from .methods import GameOf, OptionOf, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .games import Game

#: games with options that are kept ready
MOST_LOADED = 64


class Library:
    """Loads games by name, digest and options, and keeps the latest."""

    def __init__(self, cards: Iterable[tuple[str, str]] = ()) -> None:
        self._files: dict[str, dict[str, str]] = {}
        self._loaded: OrderedDict[tuple[Any, ...], Game] = OrderedDict()
        for name, file in cards:
            self._files.setdefault(name, {})[load(name, file).cards_digest] = file

    def game(self, name: str, cards: str | None, options: Mapping[str, Any], path: str = "") -> Game:
        """The game with a card table (None: its own) and options; `path` is where the request names them."""
        if name not in NAMES:
            raise unknown("bad_game", "game", name, NAMES, f"{path}game")
        known = [each.name for each in game_class(name).options]
        for option in options:
            if option not in known:
                where = f"{path}options.{short(option)}"
                raise unknown("bad_option", f"option of {name}", option, known, where)
        chosen = tuple(sorted((key, type(value).__name__, value) for key, value in options.items()))
        key = (name, cards, *chosen)
        if key not in self._loaded:
            try:
                self._loaded[key] = load(name, self._file(name, cards, path), **options)
            except SfumatoError as error:
                where = f"{path}options.{error.path}" if error.code == "bad_option" else error.path
                raise SfumatoError(error.code, error.message, where) from None
        self._loaded.move_to_end(key)
        while len(self._loaded) > MOST_LOADED:
            self._loaded.popitem(last=False)
        return self._loaded[key]

    def _file(self, name: str, cards: str | None, path: str) -> str | None:
        """The file of a digest; None: the game's own."""
        others = self._files.get(name, {})
        if cards in others:
            return others[cards]
        own = load(name).cards_digest
        if cards not in (None, own):
            there = ", ".join([own, *others])
            message = f"{name} has the card tables {there}, not {shown(cards)}"
            raise SfumatoError("bad_table", message, f"{path}cards")
        return None

    def of_observation(self, seen: Mapping[str, Any]) -> Game:
        """The game that an observation names, with its card table and options."""
        name, cards, options = seen.get("game"), seen.get("cards"), seen.get("options")
        for field, value, kind, expected in (("game", name, str, "the name of a game"),
                                             ("cards", cards, str, "the digest of a card table"),
                                             ("options", options, dict, "a map")):
            if not isinstance(value, kind):
                message = f"expected {expected}, got {shown(value)}" if field in seen else "missing"
                raise SfumatoError("bad_observation", message, f"observation.{field}")
        for option, value in options.items():  # type: ignore[union-attr]
            if not isinstance(option, str) or not isinstance(value, str | int | bool):
                message = f"expected a text, a whole number, true or false, got {shown(value)}"
                raise SfumatoError("bad_observation", message, "observation.options")
        return self.game(name, cards, options, "observation.")  # type: ignore[arg-type]

    def listed(self) -> list[GameOf]:
        """All games, as `games` tells them."""
        return [self._listed(load(name)) for name in NAMES]

    def _listed(self, game: Game) -> GameOf:
        values = game.option_values(game.seats[0])
        others = self._files.get(game.name, {})
        files = {game.cards_digest: game.cards_file, **others}
        return GameOf(
            name=game.name, title=game.title, players=list(game.seats),
            hidden=game.hidden, random=game.random,
            options=[
                OptionOf(name=each.name, description=each.help, default=values[each.name],
                         choices=list(each.choices), low=each.low, high=each.high)
                for each in game.options
            ],
            tables=[Table(cards=digest, file=Path(file).name) for digest, file in files.items()],
        )
