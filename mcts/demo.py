"""One whole game between agents, told to a spectator, who sees everything.

The table is here; the agents think in a child engine, which is told what the seat to move knows and nothing
else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agents import SearchAgent, agent, around, own_seed
from .client import COMMAND, Engine
from .progress import shown_bar
from .table import draw_outcome, draw_table, percent, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from .games import Game, State
    from .methods import Found

#: The engine is the spectator's own: it may do whatever an agent's spec says.
UNBOUNDED = ("--max-ms", "86400000", "--max-nodes", "10000000000", "--max-memory", "1000000",
             "--max-threads", "256", "--max-workers", "256")
#: milliseconds between two reports
REPORT_EVERY = 100


def demo(console: Console, game: Game, players: int, seed: int, specs: Sequence[str], every: int,
         cards: str | None = None) -> None:
    """Plays and tells a game; the table is drawn at both ends and, unless `every` is 0, in between."""
    state = game.new(players, seed)
    specs = around(specs, players)
    searching = any(isinstance(agent(spec), SearchAgent) for spec in specs)
    names = [f"seat {seat} ({spec})" for seat, spec in enumerate(specs)]
    tables = ("--cards", f"{game.name}={cards}") if cards else ()
    draw_table(console, state, None, game.title)
    move = 0
    with Engine([*COMMAND, *UNBOUNDED, *tables]) as engine:
        while (seat := state.to_move) is not None:
            found = consider(engine, state, specs[seat], own_seed(seed, seat, move), console.no_color)
            step = state.apply(found.action)
            move += 1
            share = found.moves[0].win_share if found.moves else None
            expects = "" if share is None else f" [{percent(share)}]"
            console.print(f"{move:>3} ", tell(step, None, names[seat]), expects, sep="")
            if every and move % every == 0 and not state.is_terminal:
                draw_table(console, state, None, f"after {move} moves")
    if searching:
        console.print("[in brackets: the share of the win that a search expects of its move]", style="dim")
    draw_table(console, state, None, f"the end, after {move} moves")
    draw_outcome(console, state.outcome, names)
    console.print(f"seed {seed}: with --seed {seed} the same game is shown again")


def consider(engine: Engine, state: State, spec: str, seed: int, no_color: bool) -> Found:
    """What the engine finds for the seat to move, from what this seat knows."""
    seat = state.to_move
    assert seat is not None
    with shown_bar(f"seat {seat}", agent(spec), no_color) as bar:
        def report(found: Found) -> None:
            assert bar is not None
            bar.draw(found.sims, found.nodes, found.elapsed_ms)

        return engine.best_move(report, observation=state.observation(seat), agent=spec, seed=seed,
                                report_every_ms=REPORT_EVERY if bar else None)
