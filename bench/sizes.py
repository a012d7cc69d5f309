"""Bytes per state."""

from __future__ import annotations

import sfumato.games

from .measure import Row

#: the sketches of the rules, and a fifth more
MUST = {"enigma": 320, "davinci": 376, "omnia": 225, "painters_studio": 153}


def rows() -> list[Row]:
    return [row(name) for name in sfumato.games.NAMES]


def row(name: str) -> Row:
    game = sfumato.games.load(name)
    size = max(game.table(players).state_size for players in game.seats)
    work = f"`{name}` bytes per state"
    if name not in MUST:
        return Row(work, str(size))
    return Row(work, str(size), f"<= {MUST[name]}", size <= MUST[name])
