"""Ratings of any number of agents from the finishing orders of games with any number of seats.

The model is that of Plackett and Luce: whoever comes next in the order is drawn from those who are left, in
proportion to exp(strength + seat effect). For two seats it is that of Bradley and Terry. Seats have an effect
per game, which sums to zero. A tie counts as every order of those who tie, each to the same part: between two
it is half a win for both. Strengths are the most likely ones with a weak prior, which keeps them finite where
somebody won or lost everything. Intervals come from how much deals differ, since the games of a deal are not
independent, by Student's measure.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.stats import t as student

from .elo import CONFIDENCE, SCALE, Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    #: a matrix that is mostly zero
    Sparse = Any

#: the standard deviations, in Elo, of the priors of strengths and of seat effects. Where deals are few,
#: losses that all fell on one seat would else be taken for its effect, and the winner for too strong.
STRENGTH_PRIOR = 1000
SEAT_PRIOR = 300
TAIL = (1 - CONFIDENCE) / 2
#: how many deals, in all and of every game, an interval is made from at least
FEWEST = 8
FEWEST_OF_A_GAME = 2
#: how many deals count as seen, for every agent and every seat, in which all went well, and in which all went
#: wrong: deals that happen to be alike are no proof that all are. Between two
#: agents it is half a deal in all. With none, intervals of 10 deals that mostly tie hold the truth in 86%.
UNSEEN = 0.125
#: digits of Elo; what lies beyond is rounding
DIGITS = 3


class Finished(Protocol):
    """What is asked of a record: who sat where on which deal, and how it ended."""

    @property
    def game(self) -> int: ...
    @property
    def block(self) -> int: ...
    @property
    def agents(self) -> Sequence[int]: ...
    @property
    def ranks(self) -> Sequence[int]: ...


class Seat(msgspec.Struct, frozen=True):
    """How much a seat of a game is worth."""

    #: index of the game
    game: int
    seat: int
    elo: Estimate


class Ratings(msgspec.Struct, frozen=True):
    """What the finishing orders say, in Elo. Lists are by the index of the agent.

    A figure has no value, and no bound on that side, where results set none: an agent that beat another, and
    all whom that one or another of these beat or tied, every time, may be stronger by any amount. The lower
    bound is then the figure that it would have, had it lost so many of these deals that with a probability of
    2.5% no loss would be seen; and likewise for one that lost to them every time. Where deals are too few,
    there are values without bounds.
    """

    anchor: int
    #: above the anchor
    elo: list[Estimate]
    #: best first; those who tie by index
    order: list[int]
    seats: list[Seat]
    #: of row above column; None: they never met, directly or through others
    ahead: list[list[Estimate | None]]
    #: how sure it is that the row is above the column; None: nothing can be said
    superiority: list[list[float | None]]
    #: agents that met, directly or through others; ratings of different groups cannot be compared
    groups: list[list[int]]


class Outcome(NamedTuple):
    """A way in which games end, whatever the deal."""

    game: int
    agents: tuple[int, ...]
    ranks: tuple[int, ...]


#: those who are left at a stage of an order: the indices of strength and of seat effect of each
Left = tuple[tuple[int, int], ...]


class Stages(NamedTuple):
    """The likelihood of outcomes, taken apart into the stages of their orders.

    The log-likelihood of an order is the sum of the parameters of those who were drawn, less at every stage
    the logarithm of the sum of exponentials over those who were left. So all that is needed of results is how
    often each was drawn and how often each set was left.
    """

    #: outcome by parameter
    drawn: Floats
    #: outcome by set
    left: Sparse
    #: of strength and of seat effect: set by member: the index of the parameter
    members: NDArray[np.int_]
    #: set by member: 0, or minus infinity where the set has no such member
    absent: Floats
    #: by parameter: the weight of its square in the loss
    penalty: Floats


class Field(NamedTuple):
    """Results, sorted out."""

    agents: int
    #: game and block of each deal
    deals: list[tuple[int, int]]
    outcomes: list[Outcome]
    #: deal by outcome
    counts: Sparse
    stages: Stages

    @classmethod
    def of(cls, finished: Iterable[Finished], agents: int) -> Field:
        tally = Counter(((each.game, each.block), Outcome(each.game, tuple(each.agents), tuple(each.ranks)))
                        for each in finished)
        deals = sorted({deal for deal, _ in tally})
        outcomes = sorted({outcome for _, outcome in tally})
        rows, columns = ({each: index for index, each in enumerate(known)} for known in (deals, outcomes))
        times = {(rows[deal], columns[outcome]): float(times) for (deal, outcome), times in tally.items()}
        counts = sparse(times, (len(deals), len(outcomes)))
        return cls(agents, deals, outcomes, counts, staged([{each: 1.0} for each in outcomes], agents))


class Fit(NamedTuple):
    """The most likely parameters and their covariance."""

    point: Floats
    covariance: Floats


class Spans(NamedTuple):
    """Figures with their bounds."""

    value: Floats
    low: Floats
    high: Floats


def rate(finished: Iterable[Finished], agents: int, anchor: int = 0) -> Ratings:
    """The ratings of so many agents, the anchor's being 0."""
    field = Field.of(finished, agents)
    best = solved(field, field.stages, extremes(field))
    beaten = reached(field)
    spans = apart(field, best, beaten)
    unknown = ~(beaten & beaten.T)
    ahead = [estimates(*row) for row in zip(np.where(unknown, np.nan, spans.value), spans.low, spans.high,
                                            strict=True)]
    return Ratings(
        anchor,
        [row[anchor] for row in ahead],
        sorted(range(agents), key=lambda agent: -spans.value[agent, anchor]),
        seat_effects(field, best),
        [[each if known else None for each, known in zip(*row, strict=True)]
         for row in zip(ahead, comparable(beaten), strict=True)],
        superiority(spans, beaten, freedom(field)),
        groups(beaten),
    )


# --- the likelihood -------------------------------------------------------------------------------------


def staged(mixtures: Sequence[Mapping[Outcome, float]], agents: int) -> Stages:
    """The stages of outcomes, or of mixtures of outcomes."""
    seats = seat_parameters((each for mixture in mixtures for each in mixture), agents)
    drawn = np.zeros((len(mixtures), agents + len(seats)))
    sets: dict[Left, int] = {}
    times: defaultdict[tuple[int, int], float] = defaultdict(float)
    for row, mixture in enumerate(mixtures):
        for outcome, share in mixture.items():
            players = [(agent, seats[outcome.game, seat]) for seat, agent in enumerate(outcome.agents)]
            for player in players:
                drawn[row, player] += share
            for some, part in left_of(players, outcome.ranks).items():
                times[row, sets.setdefault(some, len(sets))] += share * part
    priors = np.array([STRENGTH_PRIOR] * agents + [SEAT_PRIOR] * len(seats))
    left = sparse(times, (len(mixtures), len(sets)))
    return Stages(drawn, left, *members_of(list(sets)), (SCALE / priors) ** 2 / 2)


def sparse(entries: Mapping[tuple[int, int], float], shape: tuple[int, int]) -> Sparse:
    places = np.array(list(entries), dtype=int).reshape(-1, 2).T
    return csr_array((list(entries.values()), tuple(places)), shape=shape)


def seat_parameters(outcomes: Iterable[Outcome], agents: int) -> dict[tuple[int, int], int]:
    """The parameter of every seat of every game."""
    sizes = sorted({(each.game, len(each.agents)) for each in outcomes})
    seats = [(game, seat) for game, players in sizes for seat in range(players)]
    return {seat: agents + index for index, seat in enumerate(seats)}


def left_of(players: Sequence[tuple[int, int]], ranks: Sequence[int]) -> dict[Left, float]:
    """Who was left at the stages of an order, and how often: of k who tie, every choice of j is what is left
    of them in the same share of their orders."""
    found: dict[Left, float] = {}
    for rank in set(ranks):
        tied = [player for player, own in zip(players, ranks, strict=True) if own == rank]
        later = [player for player, own in zip(players, ranks, strict=True) if own > rank]
        for size in range(1, len(tied) + 1):
            for some in combinations(tied, size):
                found[tuple(sorted([*some, *later]))] = 1 / math.comb(len(tied), size)
    return found


def members_of(sets: Sequence[Left]) -> tuple[NDArray[np.int_], Floats]:
    most = max(map(len, sets), default=0)
    members = np.zeros((2, len(sets), most), dtype=int)
    absent = np.full((len(sets), most), -np.inf)
    for row, left in enumerate(sets):
        members[:, row, :len(left)] = np.array(left).T
        absent[row, :len(left)] = 0
    return members, absent


def chances(stages: Stages, point: Floats) -> tuple[Floats, Floats]:
    """Of every member of every set to come next, and the logarithms of the sums of exponentials."""
    worth = point[stages.members].sum(0) + stages.absent
    logs = np.logaddexp.reduce(worth, axis=1)
    return np.exp(worth - logs[:, None]), logs


def summed(places: Iterable[NDArray[np.int_]], weights: Floats, size: int) -> Floats:
    """The sums of the weights by place, of which each weight has several."""
    total = np.zeros(size)
    for each in places:
        total += np.bincount(each.ravel(), weights.ravel(), size)
    return total


def expected(stages: Stages, chance: Floats) -> Floats:
    """Set by parameter: how often it is drawn."""
    shape = len(chance), len(stages.penalty)
    rows = np.arange(shape[0])[:, None] * shape[1]
    return summed(rows + stages.members, chance, math.prod(shape)).reshape(shape)


def curvature(stages: Stages, left: Floats, point: Floats) -> Floats:
    """The second derivatives of the loss, given how often each set was left."""
    chance, _ = chances(stages, point)
    means, size = expected(stages, chance), len(point)
    pairs = (one * size + other for one, other in product(stages.members, repeat=2))
    second = summed(pairs, left[:, None] * chance, size * size)
    # einsum, not a matrix product: that one starts threads, which on a busy machine takes far longer
    first = np.einsum("s,sp,sq->pq", left, means, means)
    whole: Floats = second.reshape(size, size) - first + 2 * np.diag(stages.penalty)
    return whole


def fit(stages: Stages, counts: Floats, start: Floats) -> Floats:
    """The most likely parameters, given how often each outcome was seen."""
    times, left = counts @ stages.drawn, counts @ stages.left

    def loss(point: Floats) -> tuple[float, Floats]:
        chance, logs = chances(stages, point)
        slope = (summed(stages.members, left[:, None] * chance, len(point)) - times
                 + 2 * stages.penalty * point)
        return float(left @ logs - times @ point + stages.penalty @ point ** 2), slope

    found: Floats = minimize(loss, start, jac=True, method="trust-exact",
                             hess=lambda point: curvature(stages, left, point)).x
    return found


# --- intervals ------------------------------------------------------------------------------------------


def solved(field: Field, stages: Stages, ends: Stages | None = None) -> Fit:
    """The parameters from all counts. Their covariance comes from how far the deals of a game pull them apart
    (the sandwich of clustered data), and from the ends of what a deal can do, as if these were seen too."""
    counts = field.counts.sum(0)
    point = fit(stages, counts, np.zeros(stages.drawn.shape[1]))
    pulls = field.counts @ slopes(stages, point)
    spread = UNSEEN * squared(slopes(ends, point)) if ends else np.zeros((len(point), len(point)))
    for deals in by_game(field).values():
        spread += squared(pulls[deals] - pulls[deals].mean(0)) * len(deals) / max(len(deals) - 1, 1)
    curve = curvature(stages, counts @ stages.left, point)
    covariance: Floats = np.linalg.solve(curve, np.linalg.solve(curve, spread).T).astype(float)
    return Fit(point, covariance)


def slopes(stages: Stages, point: Floats) -> Floats:
    """Outcome by parameter: how the log-likelihood rises."""
    found: Floats = stages.drawn - stages.left @ expected(stages, chances(stages, point)[0])
    return found


def squared(pulls: Floats) -> Floats:
    found: Floats = np.einsum("dp,dq->pq", pulls, pulls)
    return found


def by_game(field: Field) -> dict[int, list[int]]:
    """The deals of every game."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for deal, (game, _) in enumerate(field.deals):
        found[game].append(deal)
    return found


def freedom(field: Field) -> int:
    """Student's degrees of freedom; 0: deals are too few for intervals."""
    games = by_game(field)
    few = len(field.deals) < FEWEST or min(map(len, games.values())) < FEWEST_OF_A_GAME
    return 0 if few else len(field.deals) - len(games)


def reach(field: Field) -> float:
    """How many standard deviations an interval extends to either side."""
    free = freedom(field)
    return float(student.ppf(1 - TAIL, free)) if free else math.inf


def extremes(field: Field) -> Stages:
    """What it would change in the typical deal of a game, had an agent, or whoever sat at a seat, come first
    in all of its games, or last: a row each."""
    seats = seat_parameters(field.outcomes, field.agents)
    deals = by_game(field)
    ends: defaultdict[tuple[int, int, bool], defaultdict[Outcome, float]] = defaultdict(
        lambda: defaultdict(float))
    for outcome, times in zip(field.outcomes, field.counts.sum(0), strict=True):
        share = float(times) / len(deals[outcome.game])
        players = [(agent, seats[outcome.game, seat]) for seat, agent in enumerate(outcome.agents)]
        for parameter, last in product(set(chain.from_iterable(players)), (False, True)):
            changed = ends[outcome.game, parameter, last]
            changed[behind(outcome, [(parameter in player) == last for player in players])] += share
            changed[outcome] -= share
    return staged(list(ends.values()), field.agents)


def apart(field: Field, best: Fit, beaten: NDArray[np.bool_]) -> Spans:
    """By how much the agent of the row is above that of the column, in Elo."""
    value, low, high = differences(best, field.agents, reach(field))
    for weak, above in enumerate(~beaten):
        if above.any():
            doubts = solved(field, doubted(field, above))
            low[above, weak] = differences(doubts, field.agents, reach(field)).low[above, weak]
            high[weak, above] = -low[above, weak]
    low[~beaten] = -np.inf
    high[~beaten.T] = np.inf
    return Spans(value, low, high)


def differences(found: Fit, agents: int, reach: float) -> Spans:
    """Of every two strengths, in Elo."""
    point, covariance = found.point[:agents], found.covariance[:agents, :agents]
    value = tidy(SCALE * (point[:, None] - point))
    own = np.diag(covariance)
    error = SCALE * np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 0))
    np.fill_diagonal(error, 0)
    return bounded(value, error, reach)


def bounded(value: Floats, error: Floats, reach: float) -> Spans:
    away = np.full(error.shape, np.inf) if math.isinf(reach) else reach * error
    return Spans(value, value - away, value + away)


def tidy(elo: Floats) -> Floats:
    """Without rounding errors, and without a negative zero."""
    return np.round(elo, DIGITS) + 0.0


def doubted(field: Field, above: NDArray[np.bool_]) -> Stages:
    """The stages, if those above had not won all their deals against the others, but had come after them in
    so many that none would have been seen with a probability of 2.5%."""
    met = [len({above[agent] for agent in outcome.agents}) == 2 for outcome in field.outcomes]
    deals = int(np.count_nonzero(field.counts @ np.array(met, float)))
    lost = 1 - TAIL ** (1 / max(deals, 1))
    mixtures = [{outcome: 1 - lost, behind(outcome, [bool(above[agent]) for agent in outcome.agents]): lost}
                if both else {outcome: 1.0} for outcome, both in zip(field.outcomes, met, strict=True)]
    return staged(mixtures, field.agents)


def behind(outcome: Outcome, seats: Sequence[bool]) -> Outcome:
    """The outcome with those at these seats behind all others, and otherwise in their order."""
    players = len(outcome.ranks)
    return outcome._replace(ranks=tuple(rank + players * int(last)
                                        for rank, last in zip(outcome.ranks, seats, strict=True)))


def estimates(values: Floats, low: Floats, high: Floats) -> list[Estimate]:
    return [Estimate(*(float(each) if math.isfinite(each) else None for each in tidy(np.array(three))))
            for three in zip(values, low, high, strict=True)]


def seat_effects(field: Field, best: Fit) -> list[Seat]:
    """What the seats are worth, in Elo."""
    seats = seat_parameters(field.outcomes, field.agents)
    error = SCALE * np.sqrt(np.diag(best.covariance))
    found = estimates(*bounded(SCALE * best.point, error, reach(field)))
    return [Seat(game, seat, found[parameter]) for (game, seat), parameter in seats.items()]


# --- who can be compared --------------------------------------------------------------------------------


def reached(field: Field) -> NDArray[np.bool_]:
    """Whether the agent of the row beat or tied that of the column, directly or through others."""
    beat = np.zeros((field.agents, field.agents))
    for outcome in field.outcomes:
        for one, rank in zip(outcome.agents, outcome.ranks, strict=True):
            for other, behind in zip(outcome.agents, outcome.ranks, strict=True):
                beat[one, other] += rank <= behind
    found: NDArray[np.bool_] = np.isfinite(shortest_path(beat, unweighted=True))
    return found


def groups(beaten: NDArray[np.bool_]) -> list[list[int]]:
    """The agents that met, directly or through others."""
    count, labels = connected_components(beaten, directed=True, connection="weak")
    return [np.flatnonzero(labels == label).tolist() for label in range(count)]


def comparable(beaten: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the agents of row and column are different ones that met, directly or through others."""
    found = np.zeros(beaten.shape, dtype=bool)
    for group in groups(beaten):
        found[np.ix_(group, group)] = True
    np.fill_diagonal(found, val=False)
    return found


def superiority(spans: Spans, beaten: NDArray[np.bool_], free: int) -> list[list[float | None]]:
    """How sure it is that the row is above the column: above 97.5% exactly where the interval of their
    difference lies above 0. Where that has one bound, it tells the spread to both sides."""
    agents = range(len(beaten))
    found: list[list[float | None]] = [[None] * len(agents) for _ in agents]
    if free:
        away = np.where(np.isfinite(spans.low), spans.value - spans.low, spans.high - spans.value)
        for one, other in np.argwhere(comparable(beaten) & np.isfinite(away)):
            distance = spans.value[one, other] / away[one, other] * student.ppf(1 - TAIL, free)
            found[one][other] = float(student.cdf(distance, free))
    return found


def cycles(beats: Sequence[Sequence[bool]]) -> list[list[int]]:
    """The shortest cycle through every agent that is in one: each beats the next, and the last the first."""
    found = (shortest_cycle(beats, start) for start in range(len(beats)))
    turned = (cycle[cycle.index(min(cycle)):] + cycle[:cycle.index(min(cycle))] for cycle in found if cycle)
    return [list(cycle) for cycle in dict.fromkeys(map(tuple, turned))]


def shortest_cycle(beats: Sequence[Sequence[bool]], start: int) -> list[int]:
    """From the start back to it; empty if there is no way."""
    paths = deque([[start]])
    seen = set()
    while paths:
        path = paths.popleft()
        for other in (other for other, beaten in enumerate(beats[path[-1]]) if beaten):
            if other == start:
                return path
            if other not in seen:
                seen.add(other)
                paths.append([*path, other])
    return []
