"""What people see of a tournament in the terminal: how far it is, and at the end its tables."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from .figures import NOTHING, between, counted, lasting, likely, percent, plain, signed
from .ratings import FEWEST, FEWEST_OF_A_GAME
from .standings import score_in, standings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType

    from .elo import Sprt
    from .plan import Settings
    from .records import Record
    from .standings import Match, Meeting, Standings
    from .tournament import Goal

#: agents of which a cross table has columns enough in 80
MOST_ACROSS = 8
#: agents that are shown while the games go on
MOST_LIVE = 12
#: faults that are told one by one
MOST_FAULTS = 5
#: seconds of play before it is said how many are left
SURE = 1.0
#: how several games are taken together
WEIGHTS = "Every deal weighs alike in the score, and every game played in the rating"
#: what a sequential test decides, in words
DECISIONS = {None: "open", "H0": "{elo0:+g} rather than {elo1:+g} Elo",
             "H1": "{elo1:+g} rather than {elo0:+g} Elo"}


# --- while it goes on -----------------------------------------------------------------------------------


@contextmanager
def live(settings: Settings, before: Sequence[Record], goal: Goal,
         no_color: bool) -> Iterator[Callable[[Record], None]]:
    """Takes records and draws how far the run is, until it is over."""
    board = Board(settings, goal)
    for record in before:
        board.count(record)
    console = Console(stderr=True, no_color=no_color or None, highlight=False, markup=False, emoji=False)
    with Live(get_renderable=board.draw, console=console, transient=True, refresh_per_second=4):
        yield board.add


class Board:
    """How far a run is, and who is ahead."""

    def __init__(self, settings: Settings, goal: Goal, now: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self.goal = goal
        self.now = now
        self.start = now()
        #: games in all, and of this run
        self.done = self.fresh = 0
        agents = len(settings.agents)
        self.games, self.faults, self.points = [0] * agents, [0] * agents, [0.0] * agents

    def add(self, record: Record) -> None:
        self.fresh += 1
        self.count(record)

    def count(self, record: Record) -> None:
        self.done += 1
        for agent in set(record.agents):
            self.games[agent] += 1
            self.points[agent] += score_in(record, agent)
        if record.fault is not None and record.fault.seat is not None:
            self.faults[record.agents[record.fault.seat]] += 1

    def draw(self) -> RenderableType:
        total = self.settings.total
        line = Table.grid(padding=(0, 2, 0, 0))
        most = "at most " if self.goal.sprt else ""
        line.add_row(ProgressBar(total, self.done, width=20), f"{self.done:,} of {most}{total:,} games",
                     self.pace())
        return Group(line, *self.test_so_far(), self.so_far())

    def pace(self) -> str:
        """Games per second, and the time that is left at this pace; a test may be decided at any time."""
        taken = self.now() - self.start
        if taken < SURE or not self.fresh:
            return ""
        left = (self.settings.total - self.done) * taken / self.fresh
        return f"{self.fresh / taken:.3g} a second" + ("" if self.goal.sprt else f"  {lasting(left)} left")

    def test_so_far(self) -> Iterator[RenderableType]:
        found = self.goal.sprt
        if found is not None:
            yield Text(likelihood(found))

    def so_far(self) -> Table:
        table = plain_table("agent", "games", "score")
        playing = [agent for agent, games in enumerate(self.games) if games]
        order = sorted(playing, key=lambda agent: -self.points[agent] / self.games[agent])
        for place, agent in enumerate(order[:MOST_LIVE], 1):
            score = percent(self.points[agent] / self.games[agent])
            told = f"  {counted(self.faults[agent], 'fault')}" if self.faults[agent] else ""
            name = self.settings.agents[agent].name
            table.add_row(str(place), name, f"{self.games[agent]:,}", score + told)
        return table


# --- at the end -----------------------------------------------------------------------------------------


def draw_standings(console: Console, settings: Settings, found: Standings, records: Sequence[Record]) -> None:
    """The tables of a tournament."""
    console.print(f"{counted(found.games, 'game')} on {counted(found.deals, 'deal')}, "
                  f"{counted(len(settings.agents), 'agent')}, seed {settings.seed}")
    console.print(rating_table(settings, found))
    if 2 < len(found.rows) <= MOST_ACROSS:
        console.print(cross_table(found))
    if len(settings.games) > 1:
        console.print(game_table(settings, found, records))
    for line in remarks(settings, found, records):
        console.print(line)


def rating_table(settings: Settings, found: Standings) -> Table:
    """The agents, best first, with the columns that say something."""
    ranks = max(table.players for table in settings.games) > 2 and any(row.mean_rank for row in found.rows)
    points = any(row.margin is not None for row in found.rows)
    faults = any(row.faults for row in found.rows)
    table = plain_table("agent", "games", "rating", "95% interval", "score", "wins", *["rank"] * ranks,
                        *["points ahead"] * points, *["faults"] * faults)
    for place, row in enumerate(found.rows, 1):
        anchored = row.agent == found.anchor
        table.add_row(
            str(place), row.name, f"{row.games:,}", signed(row.rating.value),
            "anchor" if anchored else between(row.rating), percent(row.score.value), percent(row.win_share),
            *[plain(row.mean_rank)] * ranks, *[signed(row.margin, 2)] * points,
            *[f"{row.faults:,}"] * faults)
    return table


def cross_table(found: Standings) -> Table:
    """The score of each against each."""
    places = [row.agent for row in found.rows]
    table = plain_table("score against", *map(str, range(1, len(places) + 1)))
    for place, row in enumerate(found.rows, 1):
        met = [found.cross[row.agent][other] for other in places]
        table.add_row(str(place), row.name,
                      *(percent(each.score.value) if each else NOTHING for each in met))
    return table


def game_table(settings: Settings, found: Standings, records: Sequence[Record]) -> Table:
    """The score of each in every game."""
    tables = [standings(settings, [record for record in records if record.game == game])
              for game in range(len(settings.games))]
    table = plain_table("score in", *(title(settings, game) for game in range(len(settings.games))))
    for place, row in enumerate(found.rows, 1):
        own = [next(each.score for each in one.rows if each.agent == row.agent) for one in tables]
        table.add_row(str(place), row.name, *(percent(score.value) for score in own))
    return table


def remarks(settings: Settings, found: Standings, records: Sequence[Record]) -> Iterator[Text]:
    """What else there is to say."""
    yield from map(Text, notes(settings, found))
    for game in range(len(settings.games)):
        seats = [each for each in found.seats if each.game == game]
        if seats:
            worth = (f"seat {each.seat} {signed(each.elo.value)} ({between(each.elo)})" for each in seats)
            yield Text(f"Elo of a seat in {title(settings, game)}: {', '.join(worth)}")
    for cycle in found.cycles:
        names = " beats ".join(found.agents[agent] for agent in (*cycle, cycle[0]))
        yield Text(f"A cycle, which no single rating tells: {names}", "yellow")
    if len(found.groups) > 1:
        yield Text("Some agents never met, directly or through others: their ratings cannot be compared",
                   "yellow")
    if found.left_out:
        yield Text(f"Left out, since their block is not whole yet: {counted(found.left_out, 'game')}")
    yield from fault_lines(settings, records)


def notes(settings: Settings, found: Standings) -> Iterator[str]:
    """What one has to know to read the table of ratings."""
    if found.games and all(share is None for row in found.superiority for share in row):
        yield f"No bounds: these take {FEWEST} deals, and {FEWEST_OF_A_GAME} of every game"
    if len(settings.games) > 1:
        yield WEIGHTS
    if any(row.faults for row in found.rows) and len(settings.games) == 1:
        yield "Points ahead: without the games that a fault ended"


def fault_lines(settings: Settings, records: Sequence[Record]) -> Iterator[Text]:
    """The first faults with their reasons."""
    faults = [(record, record.fault) for record in records if record.fault]
    for record, fault in faults[:MOST_FAULTS]:
        who = "" if fault.seat is None else f"{settings.agents[record.agents[fault.seat]].name} "
        yield Text(f"Game {record.number}: {who}{fault.kind}: {fault.reason}", "yellow")
    if len(faults) > MOST_FAULTS:
        yield Text(f"... and {counted(len(faults) - MOST_FAULTS, 'more fault', 'more faults')}", "yellow")


def draw_match(console: Console, settings: Settings, found: Match, records: Sequence[Record]) -> None:
    """What a match says of its two agents."""
    one, other = found.agents
    console.print(f"{one} against {other}: {settings.games[0].name}, "
                  f"{settings.games[0].players} players, seed {settings.seed}")
    if found.meeting is None:
        console.print("no deal has been played at all its seatings yet")
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, text in (*meeting_lines(found.meeting), *sprt_lines(found.sprt)):
        table.add_row(f"  {name}", text)
    console.print(table)
    for line in fault_lines(settings, records):
        console.print(line)


def meeting_lines(met: Meeting) -> Iterator[tuple[str, str]]:
    yield "score", f"{percent(met.score.value)} ({percent(met.score.low)} to {percent(met.score.high)})"
    yield "Elo", f"{signed(met.elo.value)} ({between(met.elo)})"
    yield "superiority", likely(met.superiority)
    yield "games", f"{met.games:,}: {met.wins:,} won, {met.ties:,} tied, {met.losses:,} lost"
    if met.pentanomial is None:
        yield "deals", f"{met.deals:,}"
    else:
        counts = ", ".join(f"{count:,} of {points}" for count, points in
                           zip(met.pentanomial, ("0", "½", "1", "1½", "2 points"), strict=True))
        yield "deals", f"{met.deals:,}: {counts}"
    yield "points ahead", signed(met.margin, 2)
    if met.saved.unpaired is not None:
        yield "blocking", (f"{counted(met.saved.games, 'game')} in blocks say as much as "
                           f"{met.saved.unpaired:,.0f} games with deals of their own")


def sprt_lines(test: Sprt | None) -> Iterator[tuple[str, str]]:
    if test is not None:
        what = DECISIONS[test.decision].format(elo0=test.elo0, elo1=test.elo1)
        yield "test", f"{likelihood(test)} after {counted(test.blocks, 'deal')}: {what}"


def likelihood(test: Sprt) -> str:
    return f"LLR {signed(test.llr, 2)} ({signed(test.low, 2)} to {signed(test.high, 2)})"


# --- parts ----------------------------------------------------------------------------------------------


def plain_table(first: str, *others: str) -> Table:
    """A table of places, names and figures."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def title(settings: Settings, game: int) -> str:
    """A game's name, with the number of players if it is played with several."""
    table = settings.games[game]
    alone = [each.name for each in settings.games].count(table.name) == 1
    return table.name if alone else f"{table.name} {table.players}p"
