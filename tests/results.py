"""Small results files for tests: games between cheap agents, played here and not by the arena."""

from __future__ import annotations

from pathlib import Path

import msgspec
from sfumato import load
from sfumato.agents import agent, decide
from sfumato.plan import Entrant, Planned, Settings, Table
from sfumato.records import FORMAT, Fault, Heading, Record

#: a game of two seats and points, one of three seats
GAMES = (("leduc_poker", 2, {}), ("oh_hell", 3, {"tricks": 2}))


def settings(*specs: str, blocks: int = 3, games: tuple = GAMES, **more: object) -> Settings:
    """A tournament of these agents, each called by its spec."""
    tables = tuple(Table(name, players, options, load(name, **options).cards_digest)
                   for name, players, options in games)
    return Settings(tables, tuple(Entrant(spec, spec) for spec in specs), blocks=blocks, seed=7, **more)


def heading(of: Settings) -> Heading:
    return Heading("0.1.0", FORMAT, 1, of)


def play(of: Settings, planned: Planned) -> Record:
    """One game. Who searches is said to have run 100 simulations in a tenth of a second per move."""
    table = of.games[planned.game]
    specs = [of.agents[index].spec for index in planned.agents]
    state = load(table.name, **table.options).new(table.players, planned.seed)
    actions, moved = [], [0] * table.players
    while (seat := state.to_move) is not None:
        action = decide(agent(specs[seat]), state, seat, planned.seed, len(actions))
        state.apply(action)
        actions.append(action)
        moved[seat] += 1
    sims = tuple(100 * count if ":" in spec else 0 for spec, count in zip(specs, moved, strict=True))
    thought = tuple(count / 10 for count in moved)
    scores, ranks, _ = map(tuple, state.outcome)
    return Record(**planned._asdict(), actions=tuple(actions), scores=scores, ranks=ranks, fault=None,
                  plies=len(actions), sims=sims, thought=thought, seconds=sum(thought))


def played(of: Settings) -> list[Record]:
    return [play(of, of.planned(number)) for number in range(of.total)]


def spoilt(record: Record, seat: int | None, kind: str, reason: str) -> Record:
    """The same game, ended early by a fault, as the arena writes it."""
    last = len(record.agents)
    ranks = tuple(last if other == seat else 1 for other in range(last))
    actions = record.actions[:len(record.actions) // 2]
    return msgspec.structs.replace(record, actions=actions, plies=len(actions), ranks=ranks,
                                   scores=(0.0,) * last, fault=Fault(seat, kind, reason))


def write(file: Path, of: Settings, records: list[Record]) -> Path:
    """A results file: a line for the heading and one for each game."""
    lines = [msgspec.json.encode(each) for each in (heading(of), *records)]
    file.write_bytes(b"\n".join(lines) + b"\n")
    return file
