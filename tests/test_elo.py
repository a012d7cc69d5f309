"""Elo, intervals and sequential tests on block scores: published figures, and known truth by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sfumato.elo import (
    PAIR_SCORES,
    Bounds,
    Estimate,
    as_elo,
    elo_of,
    estimate,
    interval,
    log_ratio,
    pair_score,
    pentanomial,
    saved,
    score_of,
    sprt,
    superiority,
)

TRIPLE_SCORES = (0, 0.5, 1)


def listed(counts, scores=PAIR_SCORES):
    return [score for score, count in zip(scores, counts, strict=True) for _ in range(count)]


def published_llr(counts, scores, elo0, elo1):
    found, seen = np.array(scores, float), np.array(counts, float)
    return float(log_ratio(found, seen, score_of(elo1)) - log_ratio(found, seen, score_of(elo0)))


# --- published figures ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("elo", "score"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (200, 0.7597469)])
def test_elo_is_logistic_with_ten_to_one_at_400_points(elo, score):
    assert score_of(elo) == pytest.approx(score)
    assert elo_of(score) == pytest.approx(elo, abs=1e-4)


# Counts and figures: fastchess, sprt_test.cpp, its cases of logistic Elo.
@pytest.mark.parametrize(("counts", "scores", "elo0", "elo1", "llr"), [
    ((223, 9863, 21279, 10037, 246), PAIR_SCORES, 0.5, 2.5, -3.07),
    ((871, 26175, 55983, 26678, 821), PAIR_SCORES, 0, 2, -4.98),
    ((21184, 40708, 21404), TRIPLE_SCORES, 0.5, 2.5, -1.57),
    ((57030, 106593, 57433), TRIPLE_SCORES, 0, 2, -2.59),
])
def test_the_log_likelihood_ratio_is_that_of_fastchess(counts, scores, elo0, elo1, llr):
    assert published_llr(counts, scores, elo0, elo1) == pytest.approx(llr, abs=0.005)


# Counts and figures: fastchess, elo_test.cpp (the first two), and what it printed in matches of the engine
# cinder (pull requests 778, 800 and 879). Its errors and likelihoods are those of the normal distribution:
# ours, which are Student's, are a little less sure.
@pytest.mark.parametrize(("counts", "elo", "error", "los"), [
    ((34, 54, 63, 64, 75), 55.58, 27.65, 100.0),
    ((332, 433, 498, 333, 334), -8.64, 10.33, 5.05),
    ((46, 496, 1073, 640, 79), 15.64, 5.88, 100.0),
    ((147, 1252, 2509, 1445, 165), 7.21, 3.87, 99.99),
    ((115, 1156, 2443, 1233, 141), 4.40, 3.91, 98.64),
])
def test_elo_error_and_superiority_of_pairs_are_those_of_fastchess(counts, elo, error, los):
    scores = listed(counts)
    found = as_elo(estimate(scores))
    assert found.value == pytest.approx(elo, abs=0.005)
    assert (found.high - found.low) / 2 == pytest.approx(error, rel=0.004)
    assert 100 * superiority(scores) == pytest.approx(los, abs=0.03)


# Counts and figures: fastchess, elo_test.cpp, wins, draws and losses.
@pytest.mark.parametrize(("counts", "los"), [((89, 123, 76), 15.53), ((96, 111, 136), 99.60)])
def test_superiority_of_single_games_is_that_of_fastchess(counts, los):
    assert 100 * superiority(listed(counts, TRIPLE_SCORES)) == pytest.approx(los, abs=0.08)


def test_the_bounds_of_the_ratio_are_those_that_fastchess_prints():
    even, uneven = Bounds(0, 5), Bounds(0, 3, 0.05, 0.10)
    assert (even.low, even.high) == pytest.approx((-2.94, 2.94), abs=0.005)
    assert (uneven.low, uneven.high) == pytest.approx((-2.25, 2.89), abs=0.005)


# --- scores of games and blocks -------------------------------------------------------------------------


@pytest.mark.parametrize(("mine", "theirs", "score"), [
    ([1], [2], 1), ([2], [1], 0), ([1], [1], 0.5),
    ([2], [1, 3, 4], 2 / 3), ([1, 4], [2, 3], 0.5), ([1, 1], [1, 3], 0.75),
])
def test_a_score_is_the_mean_over_all_pairs_of_seats(mine, theirs, score):
    assert pair_score(mine, theirs) == pytest.approx(score)
    assert pair_score(theirs, mine) == pytest.approx(1 - score)


def test_pairs_of_games_are_counted_by_their_points():
    assert pentanomial([0, 0.25, 0.5, 0.5, 0.75, 1, 1, 1]) == [1, 1, 2, 1, 3]


# --- intervals ------------------------------------------------------------------------------------------


def test_blocks_that_were_all_won_leave_an_interval_open_above():
    found = as_elo(estimate([1.0] * 20))
    assert (found.value, found.high) == (None, None)
    assert 300 < found.low < 500


def test_more_won_blocks_say_more():
    lows = [interval([1.0] * count)[0] for count in (1, 2, 5, 20, 100)]
    assert lows == sorted(lows)
    assert lows[0] == 0
    assert 0.97 < lows[-1] < 0.99


@pytest.mark.parametrize("scores", [
    [1.0] * 7, [0.5] * 9, [0.6] * 30, [0.0, 0.25, 1.0, 0.75], listed((3, 1, 4, 1, 5)),
])
def test_the_interval_of_the_other_side_is_the_mirror(scores):
    low, high = interval(scores)
    assert interval([1 - score for score in scores]) == pytest.approx((1 - high, 1 - low), abs=1e-6)
    assert superiority([1 - score for score in scores]) == pytest.approx(1 - superiority(scores), abs=1e-6)


def test_tied_blocks_are_no_proof_of_equality():
    low, high = interval([0.5] * 20)
    assert low < 0.47
    assert high > 0.53
    assert superiority([0.5] * 20) == 0.5


def test_superiority_is_sure_exactly_where_the_interval_excludes_one_half():
    generator = np.random.default_rng(31)
    sure = 0
    for blocks in (2, 3, 5, 10, 30) * 40:
        scores = generator.choice(PAIR_SCORES, blocks, p=(0.05, 0.1, 0.2, 0.25, 0.4)).tolist()
        assert (superiority(scores) > 0.975) == (interval(scores)[0] > 0.5), scores
        sure += superiority(scores) > 0.975
    assert 40 < sure < 160


def test_without_blocks_nothing_is_known():
    assert estimate([]) == Estimate(None, 0.0, 1.0)
    assert as_elo(estimate([])) == Estimate(None, None, None)
    assert superiority([]) == 0.5


FOUR_SEATS = tuple(number / 24 for number in range(25))


def binomial(chance):
    return tuple(math.comb(24, times) * chance**times * (1 - chance)**(24 - times) for times in range(25))


#: distributions of block scores; the normal approximation covers the third with 63% in 50 blocks
TRUTHS = [
    (PAIR_SCORES, (0.1, 0.2, 0.4, 0.2, 0.1), 30),
    (PAIR_SCORES, (0.01, 0.02, 0.1, 0.2, 0.67), 30),
    ((0, 1), (0.02, 0.98), 50),
    (FOUR_SEATS, binomial(0.7), 20),
]


def covered(scores, shares, blocks, times, seed):
    chances = np.array(shares) / sum(shares)
    truth = float(chances @ scores)
    generator = np.random.default_rng(seed)
    intervals = [interval(generator.choice(scores, blocks, p=chances).tolist()) for _ in range(times)]
    return sum(low <= truth <= high for low, high in intervals)


@pytest.mark.parametrize(("scores", "shares", "blocks"), TRUTHS)
def test_an_interval_covers_the_truth(scores, shares, blocks):
    assert covered(scores, shares, blocks, times=40, seed=11) >= 34  # 95%, less three standard deviations


@pytest.mark.slow
@pytest.mark.parametrize(("scores", "shares", "blocks"), TRUTHS)
def test_an_interval_covers_the_truth_often(scores, shares, blocks):
    assert covered(scores, shares, blocks, times=1000, seed=12) >= 930


# --- the sequential test --------------------------------------------------------------------------------


def tilted(shares, scores, mean):
    """The shares, leaning so far that they have the mean."""
    scores, low, high = np.array(scores), -100.0, 100.0
    for _ in range(100):
        lean = (low + high) / 2
        chances = np.array(shares) * np.exp(lean * scores)
        chances /= chances.sum()
        low, high = (lean, high) if chances @ scores < mean else (low, lean)
    return chances


PLAYS = {
    "pairs": (PAIR_SCORES, (0.1, 0.2, 0.4, 0.2, 0.1), Bounds(0, 50), 600),
    "decisive pairs": (PAIR_SCORES, (0.2, 0.1, 0.4, 0.1, 0.2), Bounds(-10, 40), 1000),
    "tied pairs": (PAIR_SCORES, (0.01, 0.05, 0.88, 0.05, 0.01), Bounds(0, 20), 800),
    "four seats": (FOUR_SEATS, tuple(share + 0.01 for share in binomial(0.5)), Bounds(0, 60), 400),
}


def false_decisions(play, times, seed):
    """At elo0 and at elo1."""
    scores, shares, bounds, blocks = PLAYS[play]
    generator = np.random.default_rng(seed)

    def decisions(elo):
        chances = tilted(shares, scores, score_of(elo))
        played = generator.choice(scores, (times, blocks), p=chances)
        return [sprt(each.tolist(), bounds).decision for each in played]

    at_first, at_second = decisions(bounds.elo0), decisions(bounds.elo1)
    assert (at_first + at_second).count(None) <= times / 50
    return at_first.count("H1"), at_second.count("H0")


@pytest.mark.parametrize("play", ["pairs", "four seats"])
def test_a_sequential_test_errs_as_seldom_as_it_says(play):
    assert max(false_decisions(play, times=120, seed=21)) <= 13  # 5%, and three standard deviations


@pytest.mark.slow
@pytest.mark.parametrize("play", PLAYS)
def test_a_sequential_test_errs_as_seldom_as_it_says_often(play):
    assert max(false_decisions(play, times=2000, seed=22)) <= 130  # 5%, and three standard deviations


def test_what_comes_after_the_decision_changes_nothing():
    bounds = Bounds(0, 100)
    won = sprt([1.0] * 15 + [0.5] * 5, bounds)
    assert won.decision == "H1"
    assert won.blocks < 15
    assert sprt([1.0] * won.blocks + [0.0] * 100, bounds) == won
    assert sprt([1.0] * (won.blocks - 1), bounds).decision is None


def test_a_test_that_has_not_begun_is_undecided():
    test = sprt([], Bounds(0, 10))
    assert (test.llr, test.blocks, test.decision) == (0, 0, None)


def test_equal_players_end_with_the_lower_hypothesis():
    assert sprt([0.5] * 1000, Bounds(0, 20)).decision == "H0"


@pytest.mark.parametrize(("numbers", "message"), [
    ((5, 0), "the first is lower, got 5 0"), ((0, math.nan), "the first is lower"),
    ((0, 5, 0), "shares above 0"), ((0, 5, 0.5, 0.5), "together below 1"),
])
def test_bounds_that_decide_nothing_are_refused(numbers, message):
    with pytest.raises(ValueError, match=message):
        Bounds(*numbers)


# --- what blocking saved --------------------------------------------------------------------------------


def test_luck_that_cancels_within_a_block_saves_games():
    # Deals of which most decide every game: seats share the points of a deal.
    blocks = [[1, 0], [0, 1], [1, 0], [1, 1], [0, 1], [1, 0], [0, 0], [0, 1]] * 4
    found = saved(blocks)
    # variance of the block means: (8 * 0.25) / 31; of a game: 0.25 and the error of the mean
    single, block = 0.25 + 2 / 31 / 32, 2 / 31
    assert found.games == 64
    assert found.unpaired == pytest.approx(64 * single / 2 / block)


def test_independent_games_save_nothing():
    generator = np.random.default_rng(5)
    found = saved(generator.integers(0, 2, (20_000, 2)).tolist())
    assert found.unpaired == pytest.approx(found.games, rel=0.03)


def test_blocks_that_do_not_differ_have_no_figure():
    assert saved([[1, 0], [0, 1]] * 20).unpaired is None


def test_few_blocks_do_not_tell_what_blocking_saved():
    blocks = [[1, 0], [1, 1], [0, 0]] * 10
    assert saved(blocks[:29]).unpaired is None
    assert saved(blocks).unpaired is not None
