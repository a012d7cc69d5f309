"""From the records of a tournament to its tables, as plain data.

Only whole blocks count: a match-up's games on one deal, at all their seatings. All match-ups of a game's
block play the same deal, so what is independent, and what intervals are made of, are the deals. The tables
depend on settings and records alone, and not on the order or the times of the records.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain, product
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from .elo import Estimate, Saved, Sprt, as_elo, estimate, pair_score, pentanomial, saved, sprt, superiority
from .ratings import Seat, cycles, rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .elo import Bounds
    from .plan import Settings
    from .records import Record

#: the agent whose rating is 0, where it plays; else it is the first
ANCHOR = "random"


class Row(msgspec.Struct, frozen=True):
    """How an agent did. Means are over its games, and within a game over its seats."""

    #: index into the settings' agents
    agent: int
    name: str
    games: int
    #: Elo above the anchor
    rating: Estimate
    #: against all others: 1, 1/2 or 0 for every pair of seats by rank
    score: Estimate
    #: of every win; those who tie for the first place share it
    win_share: float | None
    #: those who tie share the mean of their places; None: tables differ in size
    mean_rank: float | None
    #: points above the mean of the others' seats; games that ended by a fault have none. None: there are
    #: several games, whose points are not of one scale
    margin: float | None
    #: games that its own faults ended
    faults: int


class Meeting(msgspec.Struct, frozen=True):
    """How one agent did against another where both were at the table."""

    deals: int
    games: int
    #: games by the score of the one against the other: above, at and below one half
    wins: int
    ties: int
    losses: int
    #: the mean of the deals' scores
    score: Estimate
    elo: Estimate
    #: how sure it is that the expected score is above one half
    superiority: float
    #: deals with 0, 1/2, 1, 3/2 and 2 points, where all were played twice with two seats
    pentanomial: list[int] | None
    margin: float | None
    saved: Saved


class Standings(msgspec.Struct, frozen=True):
    """The tables of a tournament. Matrices and groups are by index into the settings' agents."""

    agents: list[str]
    anchor: int
    deals: int
    #: in whole blocks, and those that were left out since their block is not whole yet
    games: int
    left_out: int
    #: best rating first; those who tie in the order of the settings
    rows: list[Row]
    #: of row against column; None: they never met
    cross: list[list[Meeting | None]]
    #: Elo of the row above the column; None: they cannot be compared
    ahead: list[list[Estimate | None]]
    #: how likely the rating of the row is above that of the column; None: nothing can be said
    superiority: list[list[float | None]]
    #: agents that met, directly or through others; ratings of different groups cannot be compared
    groups: list[list[int]]
    #: each clearly beats the next, and the last the first: a single rating does not tell that
    cycles: list[list[int]]
    seats: list[Seat]


class Match(msgspec.Struct, frozen=True):
    """The first agent against the second, over all deals from the first on that are whole; under a sequential
    test up to the deal that decided it."""

    agents: list[str]
    #: None: there is no whole deal
    meeting: Meeting | None
    sprt: Sprt | None
    left_out: int


class Deal(NamedTuple):
    """What is independent of all else. Sorted in the order of play."""

    block: int
    game: int


def standings(settings: Settings, records: Iterable[Record]) -> Standings:
    """The tables of what has been played."""
    played = list(records)
    counted = whole_blocks(settings, played)
    agents = range(len(settings.agents))
    anchor = next((index for index in agents if settings.agents[index].spec == ANCHOR), 0)
    ratings = rate(counted, len(agents), anchor)
    deals = by_deal(counted)
    cross = [[meeting(deals.values(), one, other) for other in agents] for one in agents]
    rows = [row_of(agent, settings, deals.values(), ratings.elo[agent]) for agent in ratings.order]
    return Standings(
        [each.name for each in settings.agents], anchor, len(deals), len(counted), len(played) - len(counted),
        rows, cross, ratings.ahead, ratings.superiority, ratings.groups,
        cycles([[clearly_won(against) for against in row] for row in cross]),
        ratings.seats,
    )


def match(settings: Settings, records: Iterable[Record], bounds: Bounds | None = None) -> Match:
    """The first agent against the second."""
    played = list(records)
    deals = whole_deals(settings, played)
    test = sprt(scores_of(deals), bounds) if bounds else None
    counted = deals[:test.blocks] if test else deals
    left_out = len(played) - sum(map(len, counted))
    return Match([each.name for each in settings.agents[:2]], meeting(counted, 0, 1), test, left_out)


def block_scores(settings: Settings, records: Iterable[Record]) -> list[float]:
    """The first agent's scores against the second on all deals from the first on that are whole."""
    return scores_of(whole_deals(settings, records))


# --- what counts ----------------------------------------------------------------------------------------


def by_deal(records: Iterable[Record]) -> dict[Deal, list[Record]]:
    """The records of every deal, all in the order of play."""
    deals: defaultdict[Deal, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.number):
        deals[Deal(record.block, record.game)].append(record)
    return dict(sorted(deals.items()))


def whole_blocks(settings: Settings, records: Sequence[Record]) -> list[Record]:
    """The records of blocks of which no game is missing."""
    planned = Counter((each.game, each.matchup) for each in settings.round)
    played = Counter((each.block, each.game, each.matchup) for each in records)
    return [each for each in records
            if played[each.block, each.game, each.matchup] == planned[each.game, each.matchup]]


def whole_deals(settings: Settings, records: Iterable[Record]) -> list[list[Record]]:
    """The records deal by deal in the order of play, up to the first deal of which a game is missing."""
    planned = Counter(each.game for each in settings.round)
    deals = by_deal(records)
    found = []
    for deal in (Deal(*each) for each in product(range(settings.blocks), range(len(settings.games)))):
        if len(deals.get(deal, ())) < planned[deal.game]:
            break
        found.append(deals[deal])
    return found


# --- the tables -----------------------------------------------------------------------------------------


def row_of(agent: int, settings: Settings, deals: Iterable[Sequence[Record]], rating: Estimate) -> Row:
    own = [[record for record in deal if agent in record.agents] for deal in deals]
    games = list(chain.from_iterable(own))
    seats = [(record, seat) for record in games for seat in seats_of(record, agent)]
    return Row(
        agent, settings.agents[agent].name, len(games), rating,
        estimate([fmean(score_in(record, agent) for record in deal) for deal in own if deal]),
        mean(win_share(record.ranks, record.ranks[seat]) for record, seat in seats),
        mean(middle_rank(record.ranks, record.ranks[seat]) for record, seat in seats)
        if len({len(record.agents) for record in games}) == 1 else None,
        mean(margins(games, agent)),
        sum(record.fault is not None and record.fault.seat in seats_of(record, agent) for record in games),
    )


def meeting(deals: Iterable[Sequence[Record]], one: int, other: int) -> Meeting | None:
    """One agent against another; None: they never met."""
    met = [[record for record in deal if one in record.agents and other in record.agents] for deal in deals]
    met = [deal for deal in met if deal]
    if one == other or not met:
        return None
    games = list(chain.from_iterable(met))
    blocks = [[score_in(record, one, other) for record in deal] for deal in met]
    points = list(chain.from_iterable(blocks))
    scores = [fmean(block) for block in blocks]
    score = estimate(scores)
    pairs = all(map(is_pair, met))
    return Meeting(
        len(met), len(games),
        sum(point > 0.5 for point in points), points.count(0.5), sum(point < 0.5 for point in points),
        score, as_elo(score), superiority(scores), pentanomial(scores) if pairs else None,
        mean(margins(games, one, other)), saved(blocks),
    )


def clearly_won(against: Meeting | None) -> bool:
    return against is not None and against.score.low is not None and against.score.low > 0.5


def scores_of(deals: Iterable[Sequence[Record]]) -> list[float]:
    """The first agent's against the second."""
    return [fmean(score_in(record, 0, 1) for record in deal) for deal in deals]


def is_pair(deal: Sequence[Record]) -> bool:
    return len(deal) == 2 and all(len(record.agents) == 2 for record in deal)


def mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


# --- one game -------------------------------------------------------------------------------------------


def seats_of(record: Record, agent: int) -> list[int]:
    return [seat for seat, who in enumerate(record.agents) if who == agent]


def score_in(record: Record, one: int, other: int | None = None) -> float:
    """The score of one agent against another; None: against all others."""
    mine, theirs = sides(record, one, other)
    return pair_score([record.ranks[seat] for seat in mine], [record.ranks[seat] for seat in theirs])


def margins(games: Sequence[Record], one: int, other: int | None = None) -> Iterator[float]:
    """By how many points one agent was ahead of another, of all others; a fault leaves no points, and those
    of several games are not of one scale."""
    if len({record.game for record in games}) > 1:
        return
    for record in games:
        if record.fault is None:
            mine, theirs = sides(record, one, other)
            yield fmean(record.scores[seat] for seat in mine) - fmean(record.scores[seat] for seat in theirs)


def sides(record: Record, one: int, other: int | None) -> tuple[list[int], list[int]]:
    """The seats of one agent and those of another, or of all others."""
    mine = seats_of(record, one)
    if other is not None:
        return mine, seats_of(record, other)
    return mine, [seat for seat in range(len(record.agents)) if seat not in mine]


def win_share(ranks: Sequence[int], rank: int) -> float:
    return 1 / ranks.count(1) if rank == 1 else 0.0


def middle_rank(ranks: Sequence[int], rank: int) -> float:
    """The mean of the places that those with this rank share."""
    return 1 + sum(other < rank for other in ranks) + (ranks.count(rank) - 1) / 2
