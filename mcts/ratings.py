"""Ratings of any number of agents from the finishing orders of games with any number of seats.

The model is that of Plackett and Luce: whoever comes next in the order is drawn from those who are left, in
proportion to exp(strength + seat effect). For two seats it is that of Bradley and Terry. Seats have an effect
per game, which sums to zero. A tie counts as every order of those who tie, each to the same part: between two
it is half a win for both. Strengths are found by maximum likelihood; a prior, so weak that it does not show
next to results, keeps them finite where somebody won or lost everything. Intervals come from resampling
deals, since the games of a deal are not independent.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.special import ndtr, ndtri
from scipy.stats import t as student

from .elo import CONFIDENCE, EDGE, SCALE, Estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    #: a matrix that is mostly zero
    Sparse = Any

#: the standard deviations, in Elo, of the priors of strengths and of seat effects. Where deals are few,
#: losses that all fell on one seat would else be taken for its effect, and the winner for too strong.
STRENGTH_PRIOR = 1000
SEAT_PRIOR = 100
RESAMPLES = 1000
TAIL = (1 - CONFIDENCE) / 2


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

    An interval has no bound on a side to which the results set none: an agent that beat the anchor, and all
    whom the anchor or another of these beat or tied, every time, may be stronger by any amount. The lower
    bound is then the rating that it would have, had it lost so many of these deals that with a probability of
    2.5% no loss would be seen; and likewise for one that lost to them every time.
    """

    anchor: int
    elo: list[Estimate]
    seats: list[Seat]
    #: of row above column: the share of resamples; None: they never met, directly or through others
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


class Draws(NamedTuple):
    """Figures from all results, from every resample, and what every deal contributes to them."""

    best: Floats
    samples: Floats
    influence: Floats


def rate(finished: Iterable[Finished], agents: int, anchor: int = 0, seed: int = 0,
         resamples: int = RESAMPLES) -> Ratings:
    """The ratings of so many agents, the anchor's being 0."""
    field = Field.of(finished, agents)
    resampled = resample(field, resamples, seed)
    draws = drawn(field, field.stages, resampled)
    low, high = spread(against(draws, agents, anchor))
    beaten = reached(field)
    above, below = ~beaten[anchor], ~beaten[:, anchor]
    if above.any():
        doubts = drawn(field, doubted(field, above), resampled)
        low = np.where(above, spread(against(doubts, agents, anchor))[0], low)
    if below.any():
        doubts = drawn(field, doubted(field, ~below), resampled)
        high = np.where(below, spread(against(doubts, agents, anchor))[1], high)
    return Ratings(
        anchor,
        estimates(against(draws, agents, anchor).best,
                  np.where(below, -np.inf, low), np.where(above, np.inf, high)),
        seat_effects(field, draws),
        superiority(draws.samples[:, :agents], beaten),
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


def resample(field: Field, resamples: int, seed: int) -> Floats:
    """Counts of outcomes as they might have been: as many deals of every game as there were, drawn from those
    with replacement."""
    generator = np.random.default_rng(seed)
    games = np.array([game for game, _ in field.deals], dtype=int)
    samples = np.zeros((resamples, len(field.outcomes)))
    for game in np.unique(games):
        deals = np.flatnonzero(games == game)
        times = generator.multinomial(len(deals), np.full(len(deals), 1 / len(deals)), size=resamples)
        samples += times @ field.counts[deals]
    return samples


def drawn(field: Field, stages: Stages, resampled: Floats) -> Draws:
    """The parameters from all counts and from every resample of them."""
    counts = field.counts.sum(0)
    best = fit(stages, counts, np.zeros(stages.drawn.shape[1]))
    samples = np.array([fit(stages, each, best) for each in resampled]).reshape(-1, len(best))
    slopes = stages.drawn - stages.left @ expected(stages, chances(stages, best)[0])
    curve = curvature(stages, counts @ stages.left, best)
    influence: Floats = np.linalg.solve(curve, (field.counts @ slopes).T).T.astype(float)
    return Draws(best, samples, influence)


def against(draws: Draws, agents: int, anchor: int) -> Draws:
    """The strengths in Elo, the anchor's being 0."""
    return Draws(*(SCALE * (each[..., :agents] - each[..., [anchor]]) for each in draws))


def spread(draws: Draws) -> Floats:
    """The lower and the upper bounds of intervals: quantiles of the samples, corrected for bias and for a
    spread that depends on the figure (Efron's BCa), and taken further out to make up for the spread of few
    deals being too small and known too badly (Student's measure)."""
    deals, figures = draws.influence.shape
    if deals < 2 or not len(draws.samples):
        return np.array([[-np.inf], [np.inf]]) * np.ones(figures)
    below = (draws.samples < draws.best).mean(0) + (draws.samples == draws.best).mean(0) / 2
    bias = ndtri(below.clip(EDGE, 1 - EDGE))
    squares = (draws.influence ** 2).sum(0)
    skew = (draws.influence ** 3).sum(0) / (6 * np.where(squares > 0, squares, 1) ** 1.5)
    reach = student.ppf(TAIL, deals - 1) * math.sqrt(deals / (deals - 1))
    levels = (ndtr(bias + (bias + each) / (1 - skew * (bias + each))) for each in (reach, -reach))
    return np.array([[np.quantile(column, level) for column, level in zip(draws.samples.T, row, strict=True)]
                     for row in levels])


def doubted(field: Field, above: NDArray[np.bool_]) -> Stages:
    """The stages, if those above had not won all their deals against the others, but had come after them in
    so many that none would have been seen with a probability of 2.5%."""
    met = [len({above[agent] for agent in outcome.agents}) == 2 for outcome in field.outcomes]
    deals = int(np.count_nonzero(field.counts @ np.array(met, float)))
    lost = 1 - TAIL ** (1 / max(deals, 1))
    mixtures = [{outcome: 1 - lost, lowered(outcome, above): lost} if both else {outcome: 1.0}
                for outcome, both in zip(field.outcomes, met, strict=True)]
    return staged(mixtures, field.agents)


def lowered(outcome: Outcome, above: NDArray[np.bool_]) -> Outcome:
    """The outcome with those agents behind all others, and otherwise in their order."""
    seats = len(outcome.ranks)
    ranks = tuple(rank + seats * int(above[agent])
                  for agent, rank in zip(outcome.agents, outcome.ranks, strict=True))
    return outcome._replace(ranks=ranks)


def estimates(values: Floats, low: Floats, high: Floats) -> list[Estimate]:
    return [Estimate(*(float(each) if math.isfinite(each) else None for each in three))
            for three in zip(values, low, high, strict=True)]


def seat_effects(field: Field, draws: Draws) -> list[Seat]:
    """What the seats are worth, in Elo."""
    seats = seat_parameters(field.outcomes, field.agents)
    found = estimates(SCALE * draws.best, *SCALE * spread(draws))
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


def superiority(samples: Floats, beaten: NDArray[np.bool_]) -> list[list[float | None]]:
    """The share of samples in which the row is above the column; ties count half."""
    if not len(samples):
        return [[None] * len(beaten) for _ in beaten]
    ahead = (samples[:, :, None] > samples[:, None, :]).mean(0)
    share = (1 + ahead - ahead.T) / 2
    together = {pair for group in groups(beaten) for pair in permutations(group, 2)}
    agents = range(len(beaten))
    return [[float(share[one, other]) if (one, other) in together else None for other in agents]
            for one in agents]


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
