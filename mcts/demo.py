"""One whole game between agents, told to a spectator, who sees everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agents import agent, around, decide
from .table import draw_outcome, draw_table, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from .games import Game


def demo(console: Console, game: Game, players: int, seed: int, specs: Sequence[str], every: int) -> None:
    """Plays and tells a game; the table is drawn at both ends and, unless `every` is 0, in between."""
    state = game.new(players, seed)
    specs = around(specs, players)
    agents = [agent(spec) for spec in specs]
    names = [f"seat {seat} ({spec})" for seat, spec in enumerate(specs)]
    draw_table(console, state, None, game.title)
    move = 0
    while (seat := state.to_move) is not None:
        step = state.apply(decide(agents[seat], state, seat, seed, move))
        move += 1
        console.print(f"{move:>3} ", tell(step, None, names[seat]), sep="")
        if every and move % every == 0 and not state.is_terminal:
            draw_table(console, state, None, f"after {move} moves")
    draw_table(console, state, None, f"the end, after {move} moves")
    draw_outcome(console, state, names)
    console.print(f"seed {seed}: with --seed {seed} the same game is shown again")
