"""`mo` and `ris` against `so`: simulations per second on Enigma, 10,000 simulations."""

from __future__ import annotations

from functools import partial

import sfumato.games

from .measure import Row, middle, paired
from .trees import enigma, grow

SIMULATIONS = 10_000
TIMES = 10
ROUNDS = 9
MUST = {"mo": 0.6, "ris": 0.5}


def row(variant: str, players: int, must: float | None) -> Row:
    position = enigma(players)
    ours, so = (partial(grow, position, SIMULATIONS, TIMES, each) for each in (variant, "so"))
    rounds = paired(ours, so, ROUNDS)
    ratio = middle([plain / mine for mine, plain in rounds])
    mine, plain = (SIMULATIONS * TIMES / middle([pair[side] for pair in rounds]) / 1e6 for side in (0, 1))
    work = f"`enigma` simulations/s of `{variant}` against `so`, {players} players"
    figure = f"{ratio:.2f} ({mine:.2f}M/s, {plain:.2f}M/s)"
    return Row(work, figure, f">= {must}", ratio >= must) if must else Row(work, figure)


def rows() -> list[Row]:
    if "enigma" not in sfumato.games.NAMES:
        return []
    return [row(variant, players, must if players == 2 else None)
            for players in (2, 4) for variant, must in MUST.items()]
