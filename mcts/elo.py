"""How much stronger one agent is than another, and how sure that is: statistics of block scores.

A block score is the mean score, 0 to 1, of one agent against another over the games of one deal; blocks are
independent, the games of a block are not. Of the distribution of block scores nothing is assumed: all that is
said of its mean comes from one likelihood, that of all distributions on the scores that were seen and on the
two ends (empirical likelihood). For the five scores of a pair of games it is the pentanomial likelihood.
Elo is logistic throughout: 400 points are odds of 10 to 1.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np
from scipy.optimize import brentq
from scipy.stats import t as student

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Elo points per unit of log odds
SCALE = 400 / math.log(10)
#: of every interval
CONFIDENCE = 0.95
#: how many blocks count as seen at an end of the scale where none was: enough that every mean is possible
UNSEEN = 1e-3
#: means are told apart from 0, from 1 and from each other by no less
EDGE = 1e-9
#: halvings by which a multiplier is found, to the last digit
HALVINGS = 60
#: blocks from which on it is said what blocking saved: of fewer, the ratio of two variances is a guess
ENOUGH = 30
PAIR_SCORES = (0, 0.25, 0.5, 0.75, 1)


class Estimate(msgspec.Struct, frozen=True):
    """A figure with its interval; None: without bound on that side (or, of the value, infinite)."""

    value: float | None
    low: float | None
    high: float | None


class Bounds(msgspec.Struct, frozen=True):
    """What a sequential test decides between, in logistic Elo: no stronger than `elo0`, or as strong as
    `elo1`. `alpha`: the share of false "H1" at elo0; `beta`: the share of false "H0" at elo1."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"expected two numbers of which the first is lower, got {self.elo0} {self.elo1}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            message = f"expected shares above 0, together below 1, got {self.alpha} {self.beta}"
            raise ValueError(message)

    @property
    def low(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def high(self) -> float:
        return math.log((1 - self.beta) / self.alpha)


class Sprt(msgspec.Struct, frozen=True):
    """Where a sequential test stands: the log-likelihood ratio, its two bounds, and what is decided."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    llr: float
    low: float
    high: float
    blocks: int
    decision: Literal["H0", "H1"] | None


class Saved(msgspec.Struct, frozen=True):
    """What blocking saved: games without shared deals, at random seats, would have given an interval as
    narrow as that of `games` only with `unpaired` of them; None: the blocks are too few to tell, or do not
    differ at all."""

    games: int
    unpaired: float | None


class Tally(NamedTuple):
    """How often each score was seen; the ends 0 and 1 are always among the scores."""

    scores: Floats
    counts: Floats


# --- scores and Elo -------------------------------------------------------------------------------------


def score_of(elo: float) -> float:
    """The expected score of a player who is so many Elo points stronger."""
    return 1 / (1 + math.exp(-elo / SCALE))


def elo_of(score: float) -> float:
    """The Elo points that an expected score stands for; infinite at the ends."""
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return SCALE * math.log(score / (1 - score))


def pair_score(mine: Sequence[int], theirs: Sequence[int]) -> float:
    """The score of one agent against another in a game, from the ranks of their seats: the mean over every
    seat of the one and every seat of the other of 1, 1/2 or 0."""
    points = sum((rank < against) + (rank == against) / 2 for rank in mine for against in theirs)
    return points / (len(mine) * len(theirs))


def pentanomial(scores: Sequence[float]) -> list[int]:
    """How many blocks of two games brought 0, 1/2, 1, 3/2 and 2 points."""
    counts = Counter(scores)
    return [counts[score] for score in PAIR_SCORES]


# --- the likelihood of a mean ---------------------------------------------------------------------------


def tally(scores: Sequence[float]) -> Tally:
    found, counts = np.unique([0.0, 1.0, *scores], return_counts=True)
    seen = counts.astype(float)
    seen[[0, -1]] -= 1
    return Tally(found, with_ends(seen))


def with_ends(counts: Floats) -> Floats:
    """The counts, with as good as nothing at an end where nothing was seen."""
    counts[..., [0, -1]] = np.maximum(counts[..., [0, -1]], UNSEEN)
    return counts


def log_ratio(scores: Floats, counts: Floats, mean: float) -> Floats:
    """The log-likelihood of the best distribution with this mean, less that of the best of all. `counts` may
    have further axes in front.

    The best one weighs a score in proportion to count / (1 + x (score - mean)); x is what gives it the mean.
    """
    away = scores - mean
    low = np.full(counts.shape[:-1], -1 / away[-1])
    high = np.full(counts.shape[:-1], -1 / away[0])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        rising = (counts * away / (1 + middle[..., None] * away)).sum(-1) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    multiplier = (low + high) / 2
    ratio: Floats = -(counts * np.log1p(multiplier[..., None] * away)).sum(-1)
    return ratio


def interval(scores: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The means that block scores allow: those whose likelihood is not too far below the best, by Student's
    measure. With all blocks won, lost or tied it is as wide as their number makes it."""
    if not scores:
        return 0.0, 1.0
    seen = tally(scores)
    limit = float(student.ppf((1 + confidence) / 2, freedom(scores))) ** 2 / 2
    best = float(seen.scores @ seen.counts / seen.counts.sum())

    def excess(mean: float) -> float:
        return float(log_ratio(*seen, mean) + limit)

    def limit_from(end: float, inner: float) -> float:
        return end if excess(inner) > 0 else float(brentq(excess, inner, best, xtol=EDGE))

    return limit_from(0.0, EDGE), limit_from(1.0, 1 - EDGE)


def freedom(scores: Sequence[float]) -> int:
    """Student's degrees of freedom."""
    return max(len(scores) - 1, 1)


def estimate(scores: Sequence[float]) -> Estimate:
    """The mean of block scores with its interval; without any: nothing is known."""
    return Estimate(float(np.mean(scores)) if scores else None, *interval(scores))


def as_elo(score: Estimate) -> Estimate:
    """A score with its interval, in Elo."""
    return Estimate(*(None if each is None or math.isinf(elo := elo_of(each)) else elo
                      for each in (score.value, score.low, score.high)))


def superiority(scores: Sequence[float]) -> float:
    """The likelihood of superiority: how sure it is that the mean is above one half. It is above 97.5%
    exactly where the interval lies above one half."""
    if not scores:
        return 0.5
    distance = math.sqrt(max(0.0, -2 * float(log_ratio(*tally(scores), 0.5))))
    return float(student.cdf(math.copysign(distance, float(np.mean(scores)) - 0.5), freedom(scores)))


# --- the sequential test --------------------------------------------------------------------------------


def llr_path(scores: Sequence[float], bounds: Bounds) -> Floats:
    """The log-likelihood ratio of elo1 against elo0 after every block: both with the best distribution of
    their mean (the generalized test, as fishtest has it on pairs)."""
    found = tally(scores).scores
    counts = with_ends(np.cumsum(np.asarray(scores)[:, None] == found, axis=0, dtype=float))
    first, second = (log_ratio(found, counts, score_of(elo)) for elo in (bounds.elo0, bounds.elo1))
    return second - first


def sprt(scores: Sequence[float], bounds: Bounds) -> Sprt:
    """The test on block scores in their order, up to the first that decides it."""
    path = llr_path(scores, bounds) if scores else np.zeros(0)
    over = (path <= bounds.low) | (path >= bounds.high)
    blocks = int(np.argmax(over)) + 1 if over.any() else len(scores)
    llr = float(path[blocks - 1]) if blocks else 0.0
    decision: Literal["H0", "H1"] | None = "H1" if llr >= bounds.high else "H0" if llr <= bounds.low else None
    return Sprt(bounds.elo0, bounds.elo1, bounds.alpha, bounds.beta, llr, bounds.low, bounds.high, blocks,
                decision)


# --- what blocking saved --------------------------------------------------------------------------------


def saved(blocks: Sequence[Sequence[float]]) -> Saved:
    """From the scores of the games, block by block: the variance that a block's mean would have, were its
    games independent, against the one that it has."""
    games = np.array(list(chain.from_iterable(blocks)))
    if len(blocks) < ENOUGH:
        return Saved(len(games), None)
    variance = float(np.var([np.mean(block) for block in blocks], ddof=1))
    if variance == 0:
        return Saved(len(games), None)
    # the spread of the games about their own mean lacks the mean's own error
    single = float(np.var(games)) + variance / len(blocks)
    independent = single * float(np.mean([1 / len(block) for block in blocks]))
    return Saved(len(games), len(games) * independent / variance)
