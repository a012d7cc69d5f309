"""From records to tables: what counts, what the figures mean, and that nothing else matters."""

from __future__ import annotations

import random

import msgspec
import pytest
from sfumato.elo import Bounds
from sfumato.plan import Entrant, Settings, Table
from sfumato.records import Fault, Record
from sfumato.standings import block_scores, match, standings


def settings(agents, players=2, blocks=10, games=1):
    return Settings(
        tuple(Table(f"game{number}", players, {}, "") for number in range(games)),
        tuple(Entrant(name, name) for name in agents),
        blocks=blocks,
    )


def record(planned, ranks, scores=None, fault=None):
    players = len(ranks)
    points = scores or [10.0 * (players - rank) for rank in ranks]
    return Record(
        **planned._asdict(), actions=(), scores=tuple(points), ranks=tuple(ranks), fault=fault, plies=0,
        sims=(0,) * players, thought=(0.0,) * players, seconds=0.0,
    )


def played(plan, outcome):
    """All games of the settings, with the ranks that the outcome gives to a planned game."""
    return [record(plan.planned(number), outcome(plan.planned(number))) for number in range(plan.total)]


def lower_index_wins(planned):
    """The agents in the order of their indices; an agent's seats tie."""
    return [1 + sum(other < agent for other in planned.agents) for agent in planned.agents]


def first_seat_wins(planned):
    return list(range(1, len(planned.agents) + 1))


def row_of(tables, name):
    return next(row for row in tables.rows if row.name == name)


# --- what counts ----------------------------------------------------------------------------------------


def test_only_whole_blocks_count():
    plan = settings("ab", blocks=3)
    games = played(plan, lower_index_wins)
    tables = standings(plan, games[:-1])
    assert (tables.deals, tables.games, tables.left_out) == (2, 4, 1)
    assert row_of(tables, "a").games == 4


def test_a_match_takes_the_deals_from_the_first_on_that_are_whole():
    plan = settings("ab", blocks=4)
    games = played(plan, lower_index_wins)
    found = match(plan, [*games[:3], *games[4:]])
    assert (found.meeting.deals, found.left_out) == (1, 5)
    assert block_scores(plan, games) == [1, 1, 1, 1]


def test_a_match_of_three_seats_needs_both_ways_to_share_them():
    plan = settings("ab", players=3, blocks=2)
    games = played(plan, first_seat_wins)
    assert plan.total == 12
    assert block_scores(plan, games[:11]) == pytest.approx([0.5])
    assert match(plan, games[:5]).meeting is None


def test_a_sequential_test_leaves_out_what_came_after_the_decision():
    plan = settings("ab", blocks=60)
    games = played(plan, lower_index_wins)
    found = match(plan, games, Bounds(0, 100))
    assert found.sprt.decision == "H1"
    assert found.meeting.deals == found.sprt.blocks < 60
    assert found.left_out == 120 - 2 * found.sprt.blocks
    assert match(plan, games[:2 * found.sprt.blocks], Bounds(0, 100)).meeting == found.meeting


def test_tables_depend_on_neither_order_nor_times():
    plan = settings("abc", players=3, blocks=6)
    games = played(plan, first_seat_wins)
    others = [msgspec.structs.replace(each, seconds=9.0, thought=(1.0, 2.0, 3.0)) for each in games]
    random.Random(1).shuffle(others)
    tables = standings(plan, games)
    assert msgspec.json.encode(standings(plan, others)) == msgspec.json.encode(tables)


def test_tables_are_read_back_from_json():
    plan = settings("abc", blocks=4)
    tables = standings(plan, played(plan, lower_index_wins))
    assert msgspec.json.decode(msgspec.json.encode(tables), type=type(tables)) == tables


def test_without_games_there_are_tables_all_the_same():
    tables = standings(settings("ab"), [])
    assert [row.games for row in tables.rows] == [0, 0]
    assert tables.cross == [[None, None], [None, None]]
    assert match(settings("ab"), [], Bounds(0, 5)).meeting is None


# --- what the figures mean ------------------------------------------------------------------------------


def test_who_wins_all_is_first_with_all_wins():
    plan = settings("cba", players=3, blocks=5)
    tables = standings(plan, played(plan, lower_index_wins))
    assert [row.name for row in tables.rows] == ["c", "b", "a"]
    assert [row.win_share for row in tables.rows] == [1, 0, 0]
    assert [row.mean_rank for row in tables.rows] == [1, 2, 3]
    assert [row.margin for row in tables.rows] == [15, 0, -15]
    assert [row.score.value for row in tables.rows] == [1, 0.5, 0]


def test_random_is_the_anchor_wherever_it_stands():
    plan = settings(["greedy", "random"], blocks=3)
    tables = standings(plan, played(plan, lower_index_wins))
    assert tables.anchor == 1
    assert row_of(tables, "random").rating.value == 0
    assert row_of(tables, "greedy").rating.high is None


def test_ties_share_places_and_wins():
    plan = settings("ab", blocks=5)
    tables = standings(plan, played(plan, lambda _: [1, 1]))
    for row in tables.rows:
        assert (row.win_share, row.mean_rank, row.score.value, row.rating.value) == (0.5, 1.5, 0.5, 0)


def test_points_are_compared_within_one_game_only():
    plan = settings("ab", blocks=4, games=2)
    tables = standings(plan, played(plan, lower_index_wins))
    assert [row.margin for row in tables.rows] == [None, None]
    assert tables.cross[0][1].margin is None
    assert [row.mean_rank for row in tables.rows] == [1, 2], "both games have two seats"


def test_ranks_are_compared_at_tables_of_one_size_only():
    plan = msgspec.structs.replace(settings("ab"), games=(Table("x", 2, {}, ""), Table("y", 3, {}, "")))
    tables = standings(plan, played(plan, lower_index_wins))
    assert [row.mean_rank for row in tables.rows] == [None, None]


def test_agents_that_tie_stand_in_the_order_of_the_settings():
    plan = settings("cab", blocks=9)
    tables = standings(plan, played(plan, first_seat_wins))
    assert [row.name for row in tables.rows] == ["c", "a", "b"]
    assert tables.superiority == [[None, 0.5, 0.5], [0.5, None, 0.5], [0.5, 0.5, None]]


def test_a_deal_that_decides_everything_ties_its_block():
    plan = settings("ab", blocks=5)
    found = match(plan, played(plan, first_seat_wins)).meeting
    assert (found.wins, found.ties, found.losses) == (5, 0, 5)
    assert found.pentanomial == [0, 0, 5, 0, 0]
    assert (found.score.value, found.elo.value, found.superiority) == (0.5, 0, 0.5)
    assert found.saved.unpaired is None


def test_the_cross_table_has_both_sides_of_a_meeting():
    plan = settings("abc", blocks=8)
    games = played(plan, lambda planned: (lower_index_wins, first_seat_wins)[planned.block % 2](planned))
    cross = standings(plan, games).cross
    assert cross[0][1].score.value == 0.75
    assert cross[1][0].score.value == 0.25
    assert cross[1][0].elo.value == pytest.approx(-cross[0][1].elo.value)
    assert cross[0][1].score.low == pytest.approx(1 - cross[1][0].score.high)
    assert cross[2][2] is None
    assert cross[0][2].pentanomial == [0, 0, 4, 0, 4]


def test_agents_that_share_seats_meet_in_every_pair_of_them():
    plan = settings("ab", players=3, blocks=1)
    games = played(plan, first_seat_wins)
    # seatings of a with two b: first, second, third of three; then the same for b
    found = match(plan, games).meeting
    assert found.games == 6
    assert (found.wins, found.ties, found.losses) == (2, 2, 2)
    assert found.pentanomial is None


def test_seats_are_told_per_game():
    plan = settings("ab", blocks=20, games=2)
    games = played(plan, lambda planned: first_seat_wins(planned) if planned.game else [1, 1])
    seats = standings(plan, games).seats
    assert [(each.game, each.seat) for each in seats] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert seats[0].elo.value == pytest.approx(0, abs=1e-3)
    assert seats[2].elo.value > 100
    assert seats[3].elo.value < -100


def test_a_fault_counts_against_its_agent_and_leaves_no_points():
    plan = settings("ab", blocks=1)
    fault = Fault(1, "crashed", "it ended with code 1")
    games = [record(plan.planned(0), [1, 2], [0.0, 0.0], fault), record(plan.planned(1), [2, 1], [3.0, 8.0])]
    tables = standings(plan, games)
    assert [(row.name, row.faults, row.margin, row.win_share) for row in tables.rows] == [
        ("a", 0, 5, 1), ("b", 1, -5, 0)]


def test_a_circle_is_told():
    plan = settings("abc", blocks=12)
    stronger = {(0, 1), (1, 2), (2, 0)}
    games = played(plan, lambda planned: [1, 2] if planned.agents in stronger else [2, 1])
    assert standings(plan, games).cycles == [[0, 1, 2]]
    few = played(settings("abc", blocks=1), lambda planned: [1, 2] if planned.agents in stronger else [2, 1])
    assert standings(settings("abc", blocks=1), few).cycles == []
