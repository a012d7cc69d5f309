"""Ratings against a public implementation, against sums made by hand, and against simulated players."""

from __future__ import annotations

import math
from itertools import permutations
from typing import NamedTuple

import choix
import numpy as np
import pytest
from sfumato.elo import SCALE, elo_of
from sfumato.plan import matchups, seatings
from sfumato.ratings import Field, chances, cycles, fit, rate


class Game(NamedTuple):
    game: int
    block: int
    agents: tuple[int, ...]
    ranks: tuple[int, ...]


def fitted(games, agents, penalty, seats=False):
    """The parameters under a penalty of one's own; without a seat effect unless it is asked for."""
    field = Field.of(games, agents)
    held = 1e9 * (np.arange(len(field.stages.penalty)) >= agents) * (not seats)
    stages = field.stages._replace(penalty=penalty + held)
    return fit(stages, field.counts.sum(0), np.zeros(len(held)))


def log_likelihood(games, agents, point):
    stages = Field.of(games, agents).stages
    counts = Field.of(games, agents).counts.sum(0)
    return float(counts @ stages.drawn @ point - counts @ stages.left @ chances(stages, point)[1])


# --- simulated players ----------------------------------------------------------------------------------


class Players(NamedTuple):
    """Players whose finishing orders are those of Plackett and Luce, exactly."""

    strengths: tuple[float, ...]
    #: what the seats are worth; as many as there are players at a table
    seats: tuple[float, ...]
    #: the chance that a seat's luck is that of the deal, and not of the game
    shared: float
    #: how readily neighbours in the order tie
    ties: float

    def play(self, blocks, seed):
        generator = np.random.default_rng(seed)
        met = [seating for matchup in matchups(len(self.strengths), len(self.seats), "round-robin")
               for seating in seatings(matchup)]
        return [game for block in range(blocks) for game in self.deal(generator, block, met)]

    def deal(self, generator, block, met):
        """An order is that of strength and luck, if luck is of Gumbel's distribution."""
        luck = generator.gumbel(size=len(self.seats))
        for agents in met:
            own = generator.gumbel(size=len(self.seats))
            worth = np.array([self.strengths[agent] for agent in agents]) + self.seats
            felt = worth + np.where(generator.random(len(self.seats)) < self.shared, luck, own)
            yield Game(0, block, agents, self.ranked(generator, worth, np.argsort(-felt)))

    def ranked(self, generator, worth, order):
        """Neighbours tie with a chance that leaves the orders, with ties broken evenly, as they were."""
        ranks = np.argsort(order) + 1
        place = generator.integers(len(order) - 1)
        weights = np.exp(worth[order])[place:]
        turned = (weights.sum() - weights[0]) / (weights.sum() - weights[1])
        if generator.random() < self.ties / 2 * min(1, turned):
            ranks[order[place + 1]] = ranks[order[place]]
        return tuple(ranks.tolist())


TWO_SEATS = Players((0, 0.6, 1.2), (0.3, -0.3), 0.8, 0.3)
FOUR_SEATS = Players((0, 0.4, 0.8, 1.5), (0.4, 0.1, -0.2, -0.3), 0.8, 0.3)
SHARED_SEATS = Players((0, 0.7), (0.4, 0.1, -0.2, -0.3), 0.8, 0.3)


class Pairs(NamedTuple):
    """Two players, and the shares of deals that bring the second 0, 1/2, 1, 3/2 and 2 points. Nothing is seen
    of seats: what one game brings, the other does."""

    shares: tuple[float, ...]
    seats = (0, 0)
    games = (((1, 2), (2, 1)), ((1, 2), (1, 1)), ((1, 1), (1, 1)), ((2, 1), (1, 1)), ((2, 1), (1, 2)))

    @property
    def strengths(self):
        return 0, elo_of(sum(share * points / 4 for points, share in enumerate(self.shares))) / SCALE

    def play(self, blocks, seed):
        generator = np.random.default_rng(seed)
        for block, points in enumerate(generator.choice(5, blocks, p=self.shares)):
            ranks = self.games[points]
            if points in (1, 3) and generator.random() < 0.5:
                ranks = ranks[1], ranks[0][::-1]
            yield from (Game(0, block, agents, order)
                        for agents, order in zip(((0, 1), (1, 0)), ranks, strict=True))


MOSTLY_TIES = Pairs((0.01, 0.04, 0.85, 0.06, 0.04))
LEANING_TIES = Pairs((0, 0, 0.8, 0.1, 0.1))
FEW_DEALS = pytest.mark.parametrize("players", [TWO_SEATS, SHARED_SEATS, MOSTLY_TIES, LEANING_TIES], ids=[
    "two seats", "two agents at four seats", "mostly ties", "ties or wins"])


def covered(players, blocks, times, first=0):
    """How many intervals, of ratings and of seats, hold the truth; and how many there are."""
    ratings, seats = [], []
    for seed in range(first, first + times):
        found = rate(players.play(blocks, seed), len(players.strengths))
        ratings += [holds(each, SCALE * truth)
                    for each, truth in zip(found.elo[1:], players.strengths[1:], strict=True)]
        seats += [holds(each.elo, SCALE * players.seats[each.seat]) for each in found.seats]
    return sum(ratings), len(ratings), sum(seats), len(seats)


def holds(estimate, truth):
    return ((estimate.low is None or estimate.low <= truth)
            and (estimate.high is None or truth <= estimate.high))


def least(times):
    """95%, less three standard deviations; the intervals of one tournament are not independent."""
    return 0.95 - 3 * math.sqrt(0.95 * 0.05 / times)


@pytest.mark.parametrize("players", [TWO_SEATS, FOUR_SEATS], ids=["two seats", "four seats"])
def test_intervals_cover_the_truth(players):
    ratings, all_ratings, seats, all_seats = covered(players, blocks=30, times=25)
    assert ratings >= least(25) * all_ratings
    assert seats >= least(25) * all_seats


@pytest.mark.slow
@pytest.mark.parametrize("players", [TWO_SEATS, FOUR_SEATS, SHARED_SEATS],
                         ids=["two seats", "four seats", "two agents at four seats"])
def test_intervals_cover_the_truth_at_the_stated_rate(players):
    ratings, all_ratings, seats, all_seats = covered(players, blocks=40, times=400, first=1000)
    assert ratings >= least(400) * all_ratings
    assert seats >= least(400) * all_seats


@FEW_DEALS
def test_intervals_of_ten_deals_cover_the_truth(players):
    ratings, all_ratings, seats, all_seats = covered(players, blocks=10, times=60)
    assert ratings >= least(60) * all_ratings
    assert seats >= least(60) * all_seats


@pytest.mark.slow
@FEW_DEALS
@pytest.mark.parametrize("blocks", [8, 10, 20])
def test_intervals_of_few_deals_cover_the_truth_at_the_stated_rate(players, blocks):
    ratings, all_ratings, seats, all_seats = covered(players, blocks, times=600, first=1000)
    assert ratings >= least(600) * all_ratings
    assert seats >= least(600) * all_seats


def test_intervals_are_not_wider_than_they_need_be():
    found = rate(SHARED_SEATS.play(400, 3), 2).elo[1]
    # Of 400 deals with 8 games each: what so many independent games would give, and luck does not add to it.
    assert 10 < found.high - found.low < 40


@pytest.mark.parametrize("players", [TWO_SEATS, FOUR_SEATS], ids=["two", "four"])
def test_many_games_find_the_strengths_and_the_seats(players):
    found = rate(players.play(3000, 9), len(players.strengths))
    for each, truth in zip(found.elo, players.strengths, strict=True):
        assert each.value == pytest.approx(SCALE * truth, abs=8)
    for each in found.seats:
        assert each.elo.value == pytest.approx(SCALE * players.seats[each.seat], abs=8)


# --- where the model is another's -----------------------------------------------------------------------


def test_strengths_are_those_of_choix_without_ties_and_seats():
    games = FOUR_SEATS._replace(ties=0).play(60, 4)
    orders = [[agent for _, agent in sorted(zip(game.ranks, game.agents, strict=True))] for game in games]
    theirs = choix.opt_rankings(4, orders, alpha=0.05, tol=1e-10)
    assert fitted(games, 4, 0.05)[:4] == pytest.approx(theirs - theirs.mean(), abs=1e-5)


def test_two_seats_are_bradley_and_terry_with_half_a_win_for_a_tie():
    games = TWO_SEATS.play(80, 5)
    # every game twice; of a tie, each wins once
    won = [game.agents if ranks[0] < ranks[1] else game.agents[::-1]
           for game in games
           for ranks in ((game.ranks, game.ranks) if len(set(game.ranks)) == 2 else ((1, 2), (2, 1)))]
    theirs = choix.opt_pairwise(3, won, alpha=0.1, tol=1e-10)
    assert fitted(games, 3, 0.05)[:3] == pytest.approx(theirs, abs=1e-5)


def keeps(order, ranks):
    """Whether the order differs from the ranks in its ties only."""
    pairs = permutations(range(4), 2)
    return all(order[one] < order[other] for one, other in pairs if ranks[one] < ranks[other])


def test_a_tie_counts_as_the_mean_of_its_orders():
    point = np.array([0.3, -0.2, 0.9, 0.1, 0.5, -0.5, 0.2, -0.2])
    agents = (2, 0, 3, 1)
    for ranks in ((1, 1, 1, 1), (2, 2, 1, 2), (1, 3, 1, 3), (1, 1, 1, 4), (3, 1, 2, 3)):
        orders = [order for order in permutations((1, 2, 3, 4)) if keeps(order, ranks)]
        each = [log_likelihood([Game(0, 0, agents, order)], 4, point) for order in orders]
        assert log_likelihood([Game(0, 0, agents, ranks)], 4, point) == pytest.approx(np.mean(each))


def test_an_order_has_the_probability_of_plackett_and_luce():
    point = np.array([0.5, -0.5, 1.0, 0.25, 0.0, -0.25])
    worth = [math.exp(strength + seat) for strength, seat in ((1.0, 0.25), (0.5, 0.0), (-0.5, -0.25))]
    chance = worth[1] / sum(worth) * worth[2] / (worth[0] + worth[2])
    assert log_likelihood([Game(0, 0, (2, 0, 1), (3, 1, 2))], 3, point) == pytest.approx(math.log(chance))


def test_seat_effects_sum_to_zero_in_every_game():
    games = FOUR_SEATS.play(20, 1) + [each._replace(game=1) for each in FOUR_SEATS.play(20, 2)]
    seats = rate(games, 4).seats
    assert [(each.game, each.seat) for each in seats] == [(0, 0), (0, 1), (0, 2), (0, 3),
                                                          (1, 0), (1, 1), (1, 2), (1, 3)]
    for game in (0, 1):
        assert sum(each.elo.value for each in seats if each.game == game) == pytest.approx(0, abs=0.01)


# --- edges ----------------------------------------------------------------------------------------------


def beaten(winner, loser, blocks, first=0):
    return [Game(0, block, agents, (1, 2) if agents[0] == winner else (2, 1))
            for block in range(first, first + blocks) for agents in ((winner, loser), (loser, winner))]


def tied(one, other, blocks):
    return [Game(0, block, agents, (1, 1))
            for block in range(blocks) for agents in ((one, other), (other, one))]


def test_who_won_everything_has_a_rating_that_is_open_above():
    none, winner = rate(beaten(1, 0, 40), 2).elo
    assert (none.value, none.low, none.high) == (0, 0, 0)
    assert winner.high is None
    # 40 deals all won: with the chance 0.912 of one, that happens in 2.5%
    assert winner.low == pytest.approx(SCALE * math.log(0.912 / 0.088), abs=10)
    assert winner.value is None, "the figure would be the prior's"


def test_who_lost_everything_has_a_rating_that_is_open_below():
    loser = rate(beaten(0, 1, 40), 2).elo[1]
    winner = rate(beaten(1, 0, 40), 2).elo[1]
    assert loser.low is None
    assert loser.high == pytest.approx(-winner.low)


def test_an_anchor_that_loses_everything_leaves_the_others_comparable():
    games = beaten(1, 0, 30) + beaten(2, 0, 30) + beaten(1, 2, 20) + beaten(2, 1, 10, first=20)
    found = rate(games, 3)
    assert [each.high for each in found.elo[1:]] == [None, None]
    assert found.superiority[1][2] > 0.9
    assert found.ahead[1][2].value == pytest.approx(SCALE * math.log(2), abs=15)
    assert found.order == [1, 2, 0]


def test_an_agent_that_nobody_beats_leaves_the_intervals_of_the_others_as_they_are():
    between = beaten(0, 1, 20) + beaten(1, 0, 20, first=20)
    alone = rate(between, 2).elo[1]
    beside = rate(between + beaten(2, 0, 40) + beaten(2, 1, 40), 3).elo
    assert (beside[1].low, beside[1].high) == pytest.approx((alone.low, alone.high), abs=3)
    assert beside[2].high is None


def test_one_deal_makes_no_interval():
    found = rate(TWO_SEATS.play(1, 2), 3).elo
    assert [(each.low, each.high) for each in found[1:]] == [(None, None)] * 2


def test_agents_that_never_met_are_not_compared():
    games = tied(0, 1, 10) + beaten(2, 3, 10)
    found = rate(games, 5)
    assert found.groups == [[0, 1], [2, 3], [4]]
    assert [(each.low, each.high) for each in found.elo[2:]] == [(None, None)] * 3
    assert found.superiority[0][2] is None
    assert found.ahead[0][2] is None
    assert found.superiority[2][3] > 0.975


def test_without_games_nothing_is_known():
    found = rate([], 2)
    assert [(each.value, each.low, each.high) for each in found.elo[1:]] == [(None, None, None)]
    assert found.groups == [[0], [1]]
    assert found.order == [0, 1]


def test_ratings_do_not_depend_on_the_order_of_the_games():
    games = FOUR_SEATS.play(15, 8)
    assert rate(games[::-1], 4) == rate(games, 4)


def seat_won(seat, blocks):
    return [Game(0, block, agents, (1, 2) if seat == 0 else (2, 1))
            for block in range(blocks) for agents in ((0, 1), (1, 0))]


def test_equal_results_are_equal_to_the_last_digit():
    games = [game for one, other in ((0, 1), (0, 2), (1, 2)) for game in tied(one, other, 10)]
    found = rate(games + [each._replace(block=each.block + 10) for each in seat_won(0, 5)], 3, anchor=2)
    assert [each.value for each in found.elo] == [0, 0, 0]
    assert math.copysign(1, found.elo[0].value) == 1
    assert found.order == [0, 1, 2]
    assert found.superiority == [[None, 0.5, 0.5], [0.5, None, 0.5], [0.5, 0.5, None]]


@pytest.mark.parametrize("games", [
    tied(0, 1, 10), seat_won(0, 5) + [each._replace(block=each.block + 5) for each in seat_won(1, 5)],
    [Game(0, block, agents, ranks) for block in range(10)
     for agents, ranks in (((0, 1), (2, 1)), ((1, 0), (1, 1)))],
    beaten(1, 0, 10),
], ids=["all tied", "all decided by the seat", "all of 1½ points", "all won"])
def test_deals_that_are_all_alike_are_no_certainty(games):
    found = rate(games, 2)
    rating, seat = found.elo[1], found.seats[0].elo
    assert rating.high is None or rating.high - rating.low > 30
    assert seat.high - seat.low > 30
    assert seat.low < seat.value < seat.high


@pytest.mark.parametrize(("deals", "known"), [((7,), False), ((8,), True), ((4, 4), True), ((12, 1), False)])
def test_few_deals_make_no_interval_and_no_superiority(deals, known):
    games = [each._replace(game=game) for game, blocks in enumerate(deals)
             for each in TWO_SEATS.play(blocks, 2)]
    found = rate(games, 3)
    assert found.elo[1].value is not None
    assert (found.elo[1].low is not None) == known
    assert (found.seats[0].elo.low is not None) == known
    assert (found.superiority[1][0] is not None) == known


def test_superiority_is_sure_exactly_where_the_interval_of_the_difference_excludes_0():
    judged = [(found.superiority[one][other], found.ahead[one][other])
              for seed in range(40) for found in [rate(TWO_SEATS.play(8 + seed % 8, seed), 3)]
              for one, other in permutations(range(3), 2)]
    judged += [(found.superiority[1][0], found.ahead[1][0])
               for found in (rate(beaten(1, 0, deals), 2) for deals in range(8, 20))]
    assert all((sure > 0.975) == (ahead.low is not None and ahead.low > 0) for sure, ahead in judged)
    assert 20 < sum(sure > 0.975 for sure, _ in judged) < 120


def test_the_prior_of_seats_hardly_shows():
    """It shrank an effect of 208 Elo to 170 at ten deals."""
    players = Players((0, 0), (1.2, -1.2), 0.5, 0)
    found = [rate(players.play(10, seed), 2).seats[0].elo.value for seed in range(60)]
    assert np.mean(found) == pytest.approx(SCALE * 1.2, abs=25)


def test_ratings_are_told_from_the_anchor():
    games = FOUR_SEATS.play(30, 8)
    first, last = (rate(games, 4, anchor=anchor).elo for anchor in (0, 3))
    assert last[3].value == 0
    assert [each.value - first[3].value for each in first] == pytest.approx([each.value for each in last])


# --- cycles ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wins", "found"), [
    ([(0, 1), (1, 2), (0, 2)], []),
    ([(0, 1), (1, 2), (2, 0)], [[0, 1, 2]]),
    ([(1, 0), (0, 2), (2, 1), (3, 0), (3, 1), (3, 2)], [[0, 2, 1]]),
    ([(0, 1), (1, 2), (2, 3), (3, 0)], [[0, 1, 2, 3]]),
    ([(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)], [[0, 1, 2], [0, 3, 4]]),
])
def test_who_beats_whom_in_a_circle(wins, found):
    assert cycles([[(one, other) in wins for other in range(5)] for one in range(5)]) == found
