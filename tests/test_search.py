"""The search as a program sees it: limits, threads, statistics, parameters, keeping a tree, cancelling."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from itertools import pairwise
from typing import Any

import pytest
from sfumato import SfumatoError, State, load, search
from sfumato.ext.tree import Tree
from sfumato.games import NAMES
from sfumato.search import LEVEL, LIMITS, MEANS, SETTINGS, Result, Searcher, interval
from toy import chance_of, decide, draws, position, wins
from walks import GAMES, TABLES, Setup, over, running

VARIANTS = ("so", "mo", "ris", "pimc", "flat")


def told(result: Result) -> str:
    """A result without its time, to the last digit."""
    return repr((result.moves, result.shares, result.scores, result.variation, result.stop, result.sims,
                 result.nodes, result.memory, result.full))


# Statistics


@over(TABLES)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("chance", ["open", "split"])
def test_statistics_add_up(setup: Setup, variant: str, chance: str) -> None:
    for number, state in enumerate(running(setup, 4)):
        result = search(state, sims=500, variant=variant, chance=chance, seed=number, worlds=5)
        visits = sum(move.visits for move in result.moves)
        only = len(state.legal_actions) == 1
        assert result.sims == (64 if only else 500)
        assert result.stop == ("only_move" if only else "sims")
        # with ris, simulations belong to the seats in turn
        mine = len(range(0, result.sims, setup.players)) if variant == "ris" else result.sims
        assert visits == mine
        assert all(move.availability >= move.visits for move in result.moves)
        assert sorted(move.action for move in result.moves) == state.legal_actions
        assert all(move.words == state.words(move.action) for move in result.moves)
        assert sum(result.shares) == pytest.approx(1)
        low, high = setup.game.table(setup.players).score_range
        assert all(low <= score <= high for score in result.scores)
        for move in result.moves:
            if move.win_share is not None:
                assert 0 <= move.interval[0] <= move.win_share <= move.interval[1] <= 1
        if variant != "flat":
            assert all(first.visits >= second.visits for first, second in pairwise(result.moves))
        assert result.variation[0] == (state.to_move, result.best.words)
        assert result.nodes >= len([move for move in result.moves if move.visits])


@over(TABLES)
@pytest.mark.parametrize("variant", ["so", "mo", "ris", "perfect", "flat"])
@pytest.mark.parametrize("memory", [1 << 30, 1 << 15])
def test_trees_are_sound_also_when_their_room_is_full(setup: Setup, variant: str, memory: int) -> None:
    for split in (False, True):
        tree = Tree(setup.new(3).position, variant, 5, split=split, memory=memory)
        tree.run(3000)
        assert tree.check() == 0
        assert tree.sims == 3000
        if memory < 1 << 20:
            assert tree.memory <= memory or tree.nodes < 100


@pytest.mark.parametrize("percent", [10, 50, 85])
def test_intervals_cover_the_truth_as_often_as_they_say(percent: int) -> None:
    """On a game of one decision and chance, where simulations are independent. 95 percent of 2,000: 1,900,
    with a deviation of 10."""
    state = position(decide(0, chance_of(percent), chance_of(30)))
    covered = 0
    for seed in range(2000):
        result = search(state, sims=200, variant="flat", seed=seed)
        low, high = next(move.interval for move in result.moves if move.action == 0)
        covered += low <= percent / 100 <= high
    assert 1850 <= covered <= 1960


def test_an_interval_is_wilsons() -> None:
    # by hand: n = 10, p = 0.5, z = 1.96: the middle is (0.5 + 0.192) / 1.384 = 0.5, and half the width
    # 1.96 / 1.384 * sqrt(0.025 + 0.0096) = 0.2634
    assert interval(0.5, 10, LEVEL) == pytest.approx((0.2366, 0.7634), abs=1e-3)
    assert interval(0.0, 10, LEVEL)[0] == 0.0
    assert interval(None, 0, LEVEL) == (0.0, 1.0)
    assert interval(0.5, 100, 0.5)[1] < interval(0.5, 100, 0.99)[1]


@pytest.mark.parametrize("name", NAMES)
def test_more_simulations_make_narrower_intervals(name: str) -> None:
    state = load(name).new(seed=2)
    few, many = (search(state, sims=sims, seed=1).best for sims in (200, 20_000))
    assert many.interval[1] - many.interval[0] < few.interval[1] - few.interval[0]


# Repeatability


@over(GAMES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_seed_repeats_a_search_whatever_was_searched_before_and_however_it_is_cut(
    setup: Setup, variant: str
) -> None:
    state = setup.new(4)
    given = {"sims": 700, "seed": 9, "variant": variant, "worlds": 7, "plain": True}
    first = told(search(state, **given))
    search(setup.new(5), sims=300, seed=1)
    assert told(search(state, **given)) == first
    ticks = iter(range(10**9))
    assert told(search(state, clock=lambda: next(ticks) / 7, **given)) == first, "batches of one simulation"
    assert told(search(state, **{**given, "seed": 10})) != first


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("trees", [1, 2, 5])
def test_threads_are_no_part_of_the_result(variant: str, trees: int) -> None:
    state = load("oh_hell").new(seed=4)
    several = {"worlds": trees} if variant == "pimc" else {"trees": trees}
    results = {
        told(search(state, sims=2000, seed=9, variant=variant, threads=threads, **several))
        for threads in (1, 2, 3)
    }
    assert len(results) == 1


def test_trees_share_the_simulations() -> None:
    state = load("oh_hell").new(seed=4)
    one, three = (search(state, sims=1000, seed=9, trees=trees) for trees in (1, 3))
    assert told(one) != told(three)
    assert three.sims == sum(move.visits for move in three.moves) == 1000


SCRIPT = """
import json, sys
from sfumato import load, search
name, players, variant = sys.argv[1], int(sys.argv[2]), sys.argv[3]
result = search(load(name).new(players, 4), sims=500, seed=9, variant=variant, chance="split")
print(json.dumps([[move.action, move.visits, repr(move.win_share)] for move in result.moves]))
"""


@over(GAMES)
def test_a_new_process_finds_the_same(setup: Setup) -> None:
    for variant in ("so", "ris"):
        command = [sys.executable, "-c", SCRIPT, setup.name, str(setup.players), variant]
        other = {"PYTHONHASHSEED": "7"}
        there = subprocess.run(command, capture_output=True, text=True, check=True, env=other)
        here = search(setup.new(4), sims=500, seed=9, variant=variant, chance="split")
        assert json.loads(there.stdout) == [[m.action, m.visits, repr(m.win_share)] for m in here.moves]


# Limits


class Ticking:
    """A clock that moves on by a millisecond whenever it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


@pytest.fixture
def state() -> State:
    return load("enigma").new(seed=3)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_limit_of_milliseconds_is_kept_and_named(state: State, threads: int) -> None:
    result = search(state, ms=200, seed=1, clock=Ticking(), threads=threads)
    assert result.stop == "ms"
    # a batch is followed by a look at the clock, and each look takes a millisecond here
    assert 0.2 <= result.elapsed < 0.22
    assert search(state, ms=0, seed=1, clock=Ticking()).stop == "ms"


def test_under_a_limit_of_time_every_thread_has_a_tree(state: State) -> None:
    timed = search(state, ms=50, seed=1, clock=Ticking(), threads=2)
    assert timed.sims > 0
    searcher = Searcher(threads=2)
    searcher.search(state, ms=20, seed=1, clock=Ticking())
    assert len(searcher._trees) == 2
    searcher = Searcher(threads=2)
    searcher.search(state, sims=20, seed=1)
    assert len(searcher._trees) == 1


@pytest.mark.parametrize("variant", ["so", "mo", "ris", "pimc"])
@pytest.mark.parametrize("trees", [1, 3])
def test_the_limit_of_nodes_is_kept_to_a_hundredth_and_named(state: State, variant: str, trees: int) -> None:
    several = {"worlds": trees} if variant == "pimc" else {"trees": trees}
    result = search(state, nodes=5000, sims=10**6, seed=1, variant=variant, **several)
    assert result.stop == "nodes"
    assert 5000 <= result.nodes <= 5050


def test_the_limit_of_confidence_is_judged_at_fixed_counts_and_named() -> None:
    clear = position(decide(0, chance_of(10), chance_of(90)))
    result = search(clear, confidence=0.95, sims=10**6, seed=1)
    assert result.stop == "confidence"
    assert result.sims < 2000
    again = search(clear, confidence=0.95, sims=10**6, seed=1, clock=Ticking())
    assert told(again) == told(result)
    even = position(decide(0, chance_of(50), chance_of(50)))
    assert search(even, confidence=0.999, sims=3000, seed=1).stop == "sims"


def test_the_first_limit_that_is_reached_stops_it(state: State) -> None:
    assert search(state, sims=300, nodes=10**6, ms=10**6, seed=1, clock=Ticking()).stop == "sims"
    assert search(state, sims=10**6, nodes=100, ms=10**6, seed=1, clock=Ticking()).stop == "nodes"
    assert search(state, sims=10**8, nodes=10**6, ms=5, seed=1, clock=Ticking()).stop == "ms"


def test_without_a_limit_ten_thousand_simulations_are_run() -> None:
    result = search(load("leduc_poker").new(seed=1), seed=1)
    assert (result.sims, result.stop) == (10_000, "sims")


def test_a_limit_that_cannot_be_reached_does_not_run_for_ever() -> None:
    small = position(decide(0, chance_of(50), chance_of(50)))
    result = search(small, nodes=50, seed=1)
    assert (result.stop, result.sims) == ("sims", 5000)


@pytest.mark.parametrize("several", [{"trees": 3}, {"variant": "pimc", "worlds": 20}])
def test_limits_of_nodes_and_of_confidence_together_end_it(several: dict[str, Any]) -> None:
    """A tree may have its share of the nodes before the next look at the intervals is due."""
    for name in ("leduc_poker", "connect_four"):
        result = search(load(name).new(seed=1), confidence=0.999, nodes=150, seed=1, **several)
        assert result.stop in ("nodes", "confidence", "sims")


def test_even_without_time_something_is_found(state: State) -> None:
    for variant in VARIANTS:
        for given in ({"ms": 0}, {"sims": 1}, {"sims": 10**6, "cancelled": lambda: True}):
            result = search(state, variant=variant, seed=1, **given)
            assert result.sims >= 1
            assert sum(result.shares) == pytest.approx(1)
            assert result.best.visits >= 1


def test_so_many_outcomes_that_not_all_find_a_place_are_played_out_all_the_same() -> None:
    """A step with 4,096 outcomes that are told apart: half of them have nodes of their own."""
    many = draws(4, decide(0, chance_of(90), chance_of(10)))
    tree = Tree(position(decide(0, chance_of(20), many)).position, "so", 1, split=True)
    tree.run(40_000)
    assert tree.check() == 0
    assert tree.nodes > 2048
    assert tree.moves()[1].payoff > 0.3


def test_when_no_room_is_left_the_search_goes_on_without_new_nodes(state: State) -> None:
    result = search(state, sims=150_000, memory=1, seed=1)
    assert result.full
    assert result.sims == 150_000
    assert result.memory <= 1 << 20
    assert not search(state, sims=1000, memory=1, seed=1).full


def test_one_legal_move_is_answered_at_once() -> None:
    forced = position(decide(0, chance_of(30)))
    result = search(forced, sims=10**9, seed=1)
    assert (result.stop, result.sims, result.best.action) == ("only_move", 64, 0)


@pytest.mark.parametrize(("given", "message"), [
    ({"sims": 0}, "sims: expected a whole number from 1 to 1,000,000,000, got 0"),
    ({"sims": -5}, "sims: expected a whole number from 1 to 1,000,000,000, got -5"),
    ({"sims": 1.5}, "sims: expected a whole number"),
    ({"sims": "many"}, "sims: expected a whole number"),
    ({"ms": -1}, "ms: expected a number from 0 to 1,000,000,000, got -1"),
    ({"ms": float("nan")}, "ms: expected a number"),
    ({"nodes": 0}, "nodes: expected a whole number from 1"),
    ({"confidence": 1.0}, "confidence: expected a number from 0.5 to 0.999999, got 1.0"),
    ({"variant": "mcts"}, "variant: expected so or mo or ris or pimc or flat, got 'mcts'"),
    ({"noise": 2}, "noise: expected a number from 0 to 1, got 2"),
    ({"rank": 0.6, "score": 0.6}, "rank and score are shares of 1"),
    ({"threads": 0}, "threads: expected a whole number from 1 to 256, got 0"),
    ({"simms": 3}, "unknown parameter of a search 'simms' (did you mean sims?)"),
    ({"seed": -1}, "seed: expected a whole number"),
    ({"seat": 1}, "seat: seat 0 is to move, not seat 1"),
    ({"varient": "mo"}, "(did you mean variant?)"),
    ({"variant": "pimc", "trees": 2}, "trees: variant pimc has no use for it"),
    ({"variant": "flat", "c": 0.2}, "c: variant flat has no use for it"),
    ({"rank": 0.5}, "here 0.5 and 1.0 (score is the game's own)"),
    ({"memory": 1, "trees": 1000}, "memory: 1 MB are too little for 1000 trees"),
])
def test_a_wrong_call_is_refused_by_name(given: dict[str, object], message: str) -> None:
    with pytest.raises(SfumatoError) as refused:
        search(load("leduc_poker").new(seed=1), **given)
    assert message in str(refused.value)


def test_a_finished_game_is_refused() -> None:
    state = load("leduc_poker").new(seed=1)
    state.apply("raise")
    state.apply("fold")
    with pytest.raises(SfumatoError, match="the game is over: there is no move to search for"):
        search(state)


# Cancelling and reports


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_cancelled_from_another_thread_returns_what_it_has(state: State, threads: int) -> None:
    searcher = Searcher(threads=threads, trees=threads)
    begun = threading.Event()
    results: list[Result] = []
    thread = threading.Thread(
        target=lambda: results.append(
            searcher.search(state, sims=10**9, seed=1, report=lambda _: begun.set(), report_every_ms=1)
        )
    )
    thread.start()
    assert begun.wait(60)
    searcher.cancel()
    thread.join(60)
    [result] = results
    assert result.stop == "cancelled"
    assert 0 < result.sims == sum(move.visits for move in result.moves) < 10**9
    assert result.best.action in state.legal_actions
    # and it can search again
    assert searcher.search(state, sims=50, seed=1).stop == "sims"


def test_a_search_that_is_cancelled_before_it_begins_ends_at_once(state: State) -> None:
    result = search(state, sims=10**9, seed=1, cancelled=lambda: True)
    assert (result.stop, result.sims) == ("cancelled", 1)


def test_a_searcher_does_one_thing_at_a_time(state: State) -> None:
    searcher = Searcher()
    refused: list[str] = []

    def disturb(_: Result) -> None:
        for call in (lambda: searcher.search(state, sims=1), lambda: searcher.advance(step, after)):
            with pytest.raises(SfumatoError) as error:
                call()
            refused.append(error.value.code)

    after = state.clone(1)
    step = after.apply(state.greedy)
    result = searcher.search(state, sims=30_000, seed=1, report=disturb, report_every_ms=1)
    assert set(refused) == {"busy"}
    assert sum(move.visits for move in result.moves) == 30_000


def test_a_tree_that_runs_in_another_thread_is_left_alone(state: State) -> None:
    tree = Tree(state.position, "so", 1)
    thread = threading.Thread(target=tree.run, args=(10**9,))
    thread.start()
    try:
        while tree.sims == 0:
            pass
        for call in (tree.moves, tree.check, lambda: tree.variation(0, 3), lambda: tree.run(1),
                     lambda: tree.rebase(state.position, 1), lambda: tree.advance(0, 0, 0, 0, 0, 0)):
            with pytest.raises(RuntimeError, match="in another thread"):
                call()
    finally:
        tree.cancel()
        thread.join(60)
    assert tree.check() == 0


def test_reports_come_while_it_runs_and_grow(state: State) -> None:
    reports: list[Result] = []
    clock = Ticking()
    result = search(state, sims=30_000, seed=1, clock=clock, report=reports.append, report_every_ms=20)
    assert len(reports) >= 2
    assert all(report.stop == "running" for report in reports)
    counts = [report.sims for report in (*reports, result)]
    assert counts == sorted(counts)
    assert told(result) == told(search(state, sims=30_000, seed=1)), "reports change nothing"


# Parameters


@pytest.mark.parametrize(("name", "value"), [
    ("variant", "mo"), ("variant", "ris"), ("variant", "pimc"), ("variant", "flat"), ("chance", "split"),
    ("c", 0.2), ("urgency", 0.1), ("guided", True), ("noise", 0.3), ("cut", 4), ("rank", 0.5), ("score", 0.5),
])
def test_every_setting_bites(name: str, value: str | float) -> None:
    state = load("enigma").new(3, seed=3)
    plain = {"sims": 1500, "seed": 1, "plain": True}
    assert told(search(state, **plain, **{name: value})) != told(search(state, **plain))


def test_worlds_and_memory_bite(state: State) -> None:
    few, many = (search(state, sims=1000, seed=1, variant="pimc", worlds=worlds) for worlds in (2, 20))
    assert told(few) != told(many)
    assert search(state, sims=150_000, memory=1, seed=1).nodes < search(state, sims=150_000, seed=1).nodes


def test_every_setting_is_tried_here() -> None:
    tried = "variant chance c urgency guided noise cut rank score worlds plain"
    assert {each.name for each in SETTINGS} == set(tried.split())
    assert {each.name for each in LIMITS} == {"sims", "ms", "nodes", "confidence"}
    assert {each.name for each in MEANS} == {"trees", "threads", "memory"}


@pytest.mark.parametrize("name", NAMES)
def test_the_plain_search_knows_nothing_of_the_game(name: str) -> None:
    state = load(name).new(seed=3)
    plain = {each.name: each.default for each in SETTINGS if each.name != "plain"}
    assert told(search(state, sims=300, seed=1, plain=True)) == told(search(state, sims=300, seed=1, **plain))
    assert Searcher().settings(state.game).items() >= dict(state.game.search).items()


# Keeping a tree


def test_a_tree_is_kept_where_everything_is_seen() -> None:
    state = load("connect_four").new(seed=1)
    searcher = Searcher()
    first = searcher.search(state, sims=5000, seed=1)
    for action in (first.best.action, 3):
        assert searcher.advance(state.apply(action), state)
    again = searcher.search(state, sims=500, seed=1)
    assert again.sims == 500
    assert sum(move.visits for move in again.moves) > 600
    assert [tree.check() for tree in searcher._trees] == [0]


def test_what_was_learnt_from_other_draws_is_not_kept() -> None:
    """An own draw that the tree did not tell apart leads to a new tree; where chance splits, to a branch."""
    state = load("enigma").new(seed=3)
    shared, split = Searcher(plain=True), Searcher(plain=True, chance="split", noise=1.0)
    for searcher in (shared, split):
        searcher.search(state, sims=20_000, seed=1)
    best = split.search(state, sims=20_000, seed=1).best
    step = state.apply(best)
    assert not shared.advance(step, state)
    assert split.advance(step, state)


@over(TABLES)
@pytest.mark.parametrize("variant", ["so", "mo", "ris", "pimc", "flat"])
def test_a_kept_tree_plays_whole_games_and_stays_sound(setup: Setup, variant: str) -> None:
    state = setup.new(6)
    searchers = [Searcher(variant=variant, chance="split", worlds=2) for _ in setup.seats]
    moves = 0
    while (seat := state.to_move) is not None and moves < 60:
        result = searchers[seat].search(state, sims=60, seed=moves)
        assert not any(tree.check() for tree in searchers[seat]._trees)
        assert sorted(move.action for move in result.moves) == state.legal_actions
        step = state.apply(result.best)
        moves += 1
        for searcher in searchers:
            searcher.advance(step, state)


def test_a_searcher_does_not_mix_tables_or_seats() -> None:
    searcher = Searcher()
    first = load("connect_four").new(seed=1)
    searcher.search(first, sims=100, seed=1)
    other = load("leduc_poker").new(seed=1)
    assert sum(move.visits for move in searcher.search(other, sims=100, seed=1).moves) == 100
    first.apply(0)
    assert sum(move.visits for move in searcher.search(first, sims=100, seed=1).moves) == 100


def test_a_searcher_may_play_both_seats() -> None:
    """Nothing is hidden: both seats know the same. A tree serves its own seat only."""
    state = load("connect_four").new(seed=1)
    searcher = Searcher()
    for _ in range(4):
        result = searcher.search(state, sims=300, seed=1)
        assert sum(move.visits for move in result.moves) == 300
        searcher.advance(state.apply(result.best), state)


def test_a_kept_root_has_no_moves_but_the_legal_ones() -> None:
    """Two moves that nobody told the searcher of fill a column; what is kept must not drop discs into it."""
    state = load("connect_four").new(seed=1)
    for _ in range(2):
        state.apply(0)
        state.apply(0)
    searcher = Searcher(plain=True)
    searcher.search(state, sims=20_000, seed=1)
    state.apply(0)
    state.apply(0)
    for column in (3, 4):
        step = state.apply(column)
        kept = searcher.advance(step, state)
    assert kept
    result = searcher.search(state, sims=2000, seed=1)
    assert 0 not in [move.action for move in result.moves]
    assert sum(move.availability >= move.visits for move in result.moves) == 6
    rows = searcher._trees[0].moves()
    assert sum(row.sims for row in rows) == 2000
    assert searcher._trees[0].check() == 0


@pytest.mark.parametrize("trees", [1, 4, 10])
def test_flat_tries_every_move_whatever_the_number_of_trees(trees: int) -> None:
    state = load("enigma").new(seed=3)
    result = search(state, sims=250, variant="flat", trees=trees, seed=1)
    assert min(move.visits for move in result.moves) >= 5


def test_a_new_search_of_the_same_position_starts_anew() -> None:
    """Only what `advance` has followed is kept."""
    state = load("connect_four").new(seed=1)
    searcher = Searcher()
    assert told(searcher.search(state, sims=100, seed=1)) == told(searcher.search(state, sims=100, seed=1))


def test_a_move_can_be_played_as_it_is() -> None:
    state = load("connect_four").new(seed=1)
    result = search(state, sims=200, seed=1)
    assert state.apply(result.best).action == result.best.action
    assert position(decide(0, wins(0), wins(1))).to_move == 0
