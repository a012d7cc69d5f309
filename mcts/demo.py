"""One whole game between agents, told to a spectator, who sees everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agents import SearchAgent, agent, around, own_seed
from .progress import thinking
from .table import draw_outcome, draw_table, percent, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from .agents import Agent
    from .games import Game, State


def demo(console: Console, game: Game, players: int, seed: int, specs: Sequence[str], every: int) -> None:
    """Plays and tells a game; the table is drawn at both ends and, unless `every` is 0, in between."""
    state = game.new(players, seed)
    specs = around(specs, players)
    agents = [agent(spec) for spec in specs]
    names = [f"seat {seat} ({spec})" for seat, spec in enumerate(specs)]
    draw_table(console, state, None, game.title)
    move = 0
    while (seat := state.to_move) is not None:
        own = own_seed(seed, seat, move)
        action, share = consider(agents[seat], state, seat, own, console.no_color)
        step = state.apply(action)
        move += 1
        expects = "" if share is None else f" [{percent(share)}]"
        console.print(f"{move:>3} ", tell(step, None, names[seat]), expects, sep="")
        if every and move % every == 0 and not state.is_terminal:
            draw_table(console, state, None, f"after {move} moves")
    if any(isinstance(player, SearchAgent) for player in agents):
        console.print("[in brackets: the share of the win that a search expects of its move]", style="dim")
    draw_table(console, state, None, f"the end, after {move} moves")
    draw_outcome(console, state, names)
    console.print(f"seed {seed}: with --seed {seed} the same game is shown again")


def consider(player: Agent, state: State, seat: int, seed: int, no_color: bool) -> tuple[int, float | None]:
    """The move of an agent, and the share of the win that it expects of it, if it searches."""
    hidden = state.hidden(seat)
    with thinking(f"seat {seat}", player, no_color) as report:
        if not isinstance(player, SearchAgent):
            return player.choose(hidden, seed, report), None
        best = player.think(hidden, seed, report).best
        return best.action, best.win_share
