"""`sfumato replay`: a game of a results file, move by move, as a spectator or one of its seats saw it.

A record has the deal's seed and the moves: the table is set up and played again here, and what comes out must
be what the file says. An analysis asks a search, for every move, what the mover could have known; shown to a
seat it keeps to that seat's own moves, for the rest would tell secrets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

from rich import box
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from .agents import own_seed
from .best_move import searcher
from .ext.rng import mixed
from .games import Outcome, SfumatoError
from .games.option import spoken
from .games.state import require_seat
from .plan import load_table
from .progress import thinking
from .records import read
from .table import draw_outcome, draw_table, percent, tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rich.console import Console

    from .agents import SearchAgent
    from .games import Game, State, Step
    from .plan import Settings
    from .records import Fault, Heading, Record
    from .search import Move

#: An analysis has seeds of its own: a player is not judged by the very search that chose its move.
OWN_SEEDS = 1
#: what people are not told of: it would read as 0.0%
NO_LOSS = 0.0005


# --- what is replayed -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recorded:
    """A game of a results file, with the game that it was played by."""

    place: str
    heading: Heading
    record: Record
    game: Game

    @property
    def settings(self) -> Settings:
        return self.heading.settings

    @property
    def players(self) -> int:
        return len(self.record.agents)

    @property
    def names(self) -> list[str]:
        return names_of(self.settings, self.record)

    @property
    def seats(self) -> list[str]:
        return [f"seat {seat} ({name})" for seat, name in enumerate(self.names)]

    @property
    def outcome(self) -> Outcome:
        """As the file has it: a seat at fault ends a game for which the table itself has no result."""
        ranks = list(self.record.ranks)
        winners = ranks.count(1)
        return Outcome(list(self.record.scores), ranks, [(rank == 1) / winners for rank in ranks])

    def refuse(self, message: str, place: str = "") -> SfumatoError:
        return SfumatoError("bad_file", message, f"{self.place}{place}")


def names_of(settings: Settings, record: Record) -> list[str]:
    """Who sat where."""
    return [settings.agents[index].name for index in record.agents]


def recorded(path: Path, number: int) -> Recorded:
    """A game of a file by its number."""
    heading, records = read(path)
    found = next((each for each in records if each.number == number), None)
    if found is None:
        last = f", the last is {records[-1].number}" if records else ""
        message = f"it has {len(records):,} of {heading.settings.total:,} games{last}"
        raise SfumatoError("bad_number", f"there is no game {number}: {message}", str(path))
    place = f"{path}: game {number}"
    try:
        game = load_table(heading.settings.games[found.game])
    except SfumatoError as error:
        raise SfumatoError(error.code, error.message, place) from None
    of = Recorded(place, heading, found, game)
    for _ in moves(of):  # what is wrong with it is told before anything is shown
        pass
    return of


class Played(NamedTuple):
    """A move of a replay: the table before it, and what it brought."""

    number: int
    seat: int
    before: State
    step: Step
    after: State


def moves(of: Recorded) -> Iterator[Played]:
    """The moves, one after the other. What the file says must be what the table does."""
    state = of.game.new(of.players, of.record.seed)
    hint = f"the file is damaged, or of another version than sfumato {of.heading.sfumato}"
    for number, action in enumerate(of.record.actions, 1):
        before, seat = state.kept(), state.to_move
        try:
            step = state.apply(action)
        except SfumatoError as error:
            raise of.refuse(f"{error.message}: {hint}", f", move {number}") from None
        assert seat is not None
        yield Played(number, seat, before, step, state)
    if of.record.fault is None and (not state.is_terminal or state.outcome[:2] != of.outcome[:2]):
        raise of.refuse(f"its moves lead to another end than it says: {hint}")


# --- the engine's opinion -------------------------------------------------------------------------------


class Opinion(NamedTuple):
    """What a search holds of a move that was played, from what the mover knew."""

    played: Move
    best: Move

    @property
    def agrees(self) -> bool:
        return self.played.action == self.best.action

    @property
    def lost(self) -> float | None:
        """Win share that the best move would have brought beyond; None: the search never tried the move."""
        if self.played.win_share is None or self.best.win_share is None:
            return None
        return max(0.0, self.best.win_share - self.played.win_share)

    def to_map(self) -> dict[str, Any]:
        return {"win_share": self.played.win_share, "best": self.best.words,
                "best_win_share": self.best.win_share, "lost": self.lost}


@dataclass
class Judge:
    """A search that says what it thinks of every move, and keeps count of it by seat."""

    spec: str
    player: SearchAgent
    no_color: bool = False
    #: by seat, the move's number with it
    opinions: dict[int, list[tuple[int, Opinion]]] = field(default_factory=dict)

    def look(self, at: Played, seed: int) -> Opinion | None:
        """Its opinion of a move; None if there was no other."""
        if len(at.before.legal_actions) == 1:
            return None
        own = own_seed(mixed(seed, OWN_SEEDS), at.seat, at.number - 1)
        with thinking(f"the judge of move {at.number}", self.player, self.no_color) as report:
            found = self.player.think(at.before.hidden(at.seat), own, report)
        played = next(move for move in found.moves if move.action == at.step.action)
        opinion = Opinion(played, found.best)
        self.opinions.setdefault(at.seat, []).append((at.number, opinion))
        return opinion

    def summary(self) -> list[Summary]:
        return [summed(seat, self.opinions[seat]) for seat in sorted(self.opinions)]


class Summary(NamedTuple):
    """How well a seat played, as the judge sees it; of the moves at which it had a choice."""

    seat: int
    moves: int
    #: share of them that were the judge's own choice
    agreed: float
    #: win share lost by a move, on average
    lost: float | None
    #: where it lost most: the move's number, and how much; None: nowhere
    worst: int | None
    worst_lost: float


def summed(seat: int, opinions: Sequence[tuple[int, Opinion]]) -> Summary:
    losses = [(opinion.lost, -number) for number, opinion in opinions if opinion.lost is not None]
    most, where = max(losses, default=(0.0, 0))
    agreed = mean(float(opinion.agrees) for _, opinion in opinions)
    lost = mean(loss for loss, _ in losses) if losses else None
    return Summary(seat, len(opinions), agreed, lost, -where if most > 0 else None, most)


def judge(spec: str | None, no_color: bool) -> Judge | None:
    """The judge of that spec, which must be one that searches."""
    return None if spec is None else Judge(*searcher(spec, {}), no_color)


def shows(seat: int | None, mover: int) -> bool:
    """Whether who looks may hear what is thought of a mover's move."""
    return seat is None or seat == mover


# --- for people -----------------------------------------------------------------------------------------


def draw_replay(console: Console, of: Recorded, seat: int | None, every: int, by: Judge | None) -> None:
    """Tells a recorded game; the table is drawn at both ends and, unless `every` is 0, in between."""
    if seat is not None:
        require_seat(seat, of.players)
    draw_heading(console, of, seat)
    state = of.game.new(of.players, of.record.seed)
    draw_table(console, state, seat, of.game.title)
    digits = len(str(len(of.record.actions)))
    for move in moves(of):
        state = move.after
        console.print(f"{move.number:>{digits}} ", tell(move.step, seat, of.seats[move.seat]), sep="")
        if by is not None and shows(seat, move.seat):
            opinion = by.look(move, of.record.seed)
            if opinion is not None:
                console.print(" " * digits, told(opinion))
        if every and move.number % every == 0 and move.number < len(of.record.actions):
            draw_table(console, state, seat, f"after {move.number} moves")
    draw_table(console, state, seat, f"the end, after {len(of.record.actions)} moves")
    if of.record.fault is not None:
        console.print(Text(told_fault(of.record.fault, of.seats), "bold"))
    draw_outcome(console, of.outcome, of.seats)
    if by is not None:
        draw_summary(console, of, by)


def draw_heading(console: Console, of: Recorded, seat: int | None) -> None:
    """Which game it is; its seed is for spectators only."""
    record, table = of.record, of.settings.games[of.record.game]
    options = "".join(f", {name}={spoken(value)}" for name, value in table.options.items())
    seed = f", seed {record.seed}" if seat is None else f", as seat {seat} saw it"
    which = f"game {record.number} of {of.settings.total:,}: {table.name}, {table.players} players"
    console.print(Text(f"{which}{options}, block {record.block}{seed}"))


def told(opinion: Opinion) -> Text:
    """The opinion of a move, in a line."""
    share, best = (said(move.win_share) for move in opinion)
    if opinion.agrees:
        return Text(f"win share {share}: the best move known", "dim")
    other = f"{opinion.best.words} ({best})"
    if opinion.lost is None:
        return Text(f"never tried by the search; best: {other}", "yellow")
    if opinion.lost < NO_LOSS:
        return Text(f"win share {share}; as good as {other}", "dim")
    return Text(f"win share {share}, {percent(opinion.lost)} lost; better: {other}", "yellow")


def told_fault(fault: Fault, seats: Sequence[str]) -> str:
    """Why a game has no result of its own."""
    lost = "nobody's fault" if fault.seat is None else f"{seats[fault.seat]} lost by a fault"
    return f"{lost}, {fault.kind}: {fault.reason}; there are no scores"


def said(share: float | None) -> str:
    return "-" if share is None else percent(share)


def draw_summary(console: Console, of: Recorded, by: Judge) -> None:
    """What the judge thinks of each seat."""
    console.print(Rule(Text(f"as {by.spec} sees it", "bold"), style="cyan", align="left"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("seat")
    for column in ("moves", "agreed", "mean loss", "worst"):
        table.add_column(column, justify="right")
    for each in by.summary():
        worst = "-" if each.worst is None else f"{percent(each.worst_lost)} at move {each.worst}"
        table.add_row(of.seats[each.seat], str(each.moves), percent(each.agreed), said(each.lost), worst)
    console.print(table)
    console.print("[from what the mover knew; moves without a choice are not counted]", style="dim")


def draw_list(console: Console, path: Path) -> None:
    """The games of a file, a row each."""
    heading, records = read(path)
    settings = heading.settings
    console.print(Text(f"{path}: {len(records):,} of {settings.total:,} games, sfumato {heading.sfumato}, "
                       f"seed {settings.seed}"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("no", "block", "moves"):
        table.add_column(column, justify="right")
    for column in ("game", "seat by seat: rank, who, score", "fault"):
        table.add_column(column, overflow="fold")
    for record in records:
        shown = settings.games[record.game]
        fault = record.fault
        table.add_row(
            str(record.number), str(record.block), str(record.plies), f"{shown.name} {shown.players}p",
            ", ".join(f"{rank} {name}" if fault else f"{rank} {name} {score:g}" for rank, name, score in
                      zip(record.ranks, names_of(settings, record), record.scores, strict=True)),
            "" if fault is None else fault.kind if fault.seat is None else f"{fault.kind}, seat {fault.seat}",
        )
    console.print(table)


# --- for programs ---------------------------------------------------------------------------------------


def replay_map(of: Recorded, seat: int | None, by: Judge | None) -> dict[str, Any]:
    """The game as plain data. As a seat saw it there are labels in place of ids, and no seed."""
    if seat is not None:
        require_seat(seat, of.players)
    return {
        **record_map(of.settings, of.record), "seat": seat,
        **({"seed": of.record.seed} if seat is None else {}),
        "setup": of.game.new(of.players, of.record.seed).setup_words(seat),
        "moves": [move_map(of, move, seat, by) for move in moves(of)],
        **({} if by is None else {"judge": by.spec, "summary": [each._asdict() for each in by.summary()]}),
    }


def move_map(of: Recorded, move: Played, seat: int | None, by: Judge | None) -> dict[str, Any]:
    shown = {
        "seat": move.seat, "phase": move.before.phase, "words": move.step.label(seat),
        "seen": move.step.words(seat), "remarks": move.step.remarks,
        **({"action": move.step.action} if shows(seat, move.seat) else {}),
    }
    if by is not None and shows(seat, move.seat):
        opinion = by.look(move, of.record.seed)
        shown["opinion"] = None if opinion is None else opinion.to_map()
    return shown


def record_map(settings: Settings, record: Record) -> dict[str, Any]:
    """What a list of games says of one."""
    table = settings.games[record.game]
    fault = record.fault
    return {
        "number": record.number, "game": table.name, "players": table.players, "options": table.options,
        "block": record.block, "agents": [settings.agents[index].spec for index in record.agents],
        "names": names_of(settings, record), "plies": record.plies, "scores": record.scores,
        "ranks": record.ranks,
        "fault": None if fault is None else {"seat": fault.seat, "kind": fault.kind, "reason": fault.reason},
    }


def list_map(path: Path) -> dict[str, Any]:
    """The games of a file as plain data."""
    heading, records = read(path)
    return {"sfumato": heading.sfumato, "signature": heading.signature, "total": heading.settings.total,
            "games": [record_map(heading.settings, record) for record in records]}
