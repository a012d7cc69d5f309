"""What an engine's memory grows by with 1,000 held games: bytes per game as it is dealt, and after 20 moves,
each of which can be taken back; every game with as many players as it takes.

The engine holds and plays another 1,000 before, so that what its start has left free is used up.
"""

from __future__ import annotations

from pathlib import Path
from resource import getpagesize

import sfumato.games

from .child import ENGINE, Child, request
from .measure import Row

GAMES, MOVES = 1_000, 20
FLIGHT = 64
ROOM = ("--max-games", str(2 * GAMES))


def resident(child: Child) -> int:
    """Bytes of memory that the child occupies."""
    return int(Path(f"/proc/{child.pid}/statm").read_text().split()[1]) * getpagesize()


def first_moves(game: sfumato.games.Game, players: int, seed: int) -> list[int]:
    """Some way to begin a game; fewer moves where it ends before."""
    state = game.new(players, seed)
    moves: list[int] = []
    while len(moves) < MOVES and not state.is_terminal:
        legal = state.legal_actions
        moves.append(legal[(seed + len(moves)) % len(legal)])
        state.apply(moves[-1])
    return moves


def row(name: str) -> Row:
    game = sfumato.games.load(name)
    players = max(game.seats)
    lines = [first_moves(game, players, seed) for seed in range(GAMES)]
    openings = [request(seed, "new_game", game=name, players=players, seed=seed) for seed in range(GAMES)]
    sizes = []
    with Child((*ENGINE, *ROOM)) as engine:
        for _ in range(2):
            held = engine.all_results(openings, FLIGHT)
            sizes.append(resident(engine))
            moves = [{"game": held[seed]["game"], "action": action}
                     for seed, line in enumerate(lines) for action in line]
            steps = [request(number, "apply", **move) for number, move in enumerate(moves)]
            engine.all_results(steps, FLIGHT)
            sizes.append(resident(engine))
    _, before, dealt, later = sizes
    return Row(f"`{name}`, {players} players: memory of each of {GAMES:,} held games",
               f"{(dealt - before) / GAMES:,.0f} bytes; {(later - before) / GAMES:,.0f} after "
               f"{len(moves) / GAMES:.1f} moves")


def rows() -> list[Row]:
    return [row(name) for name in sfumato.games.NAMES]
