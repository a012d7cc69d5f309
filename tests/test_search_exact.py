"""The search finds what can be worked out: small games as tables (tests/toy), and the references.

Each position is explained where it stands; the shares that it is worth are worked out there, by hand.
"""

from __future__ import annotations

import pytest
import sfumato
from sfumato.search import Result, search
from toy import EVERYBODY, chance_of, decide, draw, position, secretly, wins

#: the variants that know what a seat cannot know
INFORMED = ("so", "mo", "ris")
TREES = (*INFORMED, "pimc")


def chosen(result: Result) -> int:
    return result.best.action


def share(result: Result, action: int) -> float:
    found = next(move.win_share for move in result.moves if move.action == action)
    assert found is not None
    return found


# Chance


@pytest.mark.parametrize("variant", [*TREES, "flat"])
@pytest.mark.parametrize("chance", ["open", "split"])
def test_in_a_game_of_pure_chance_the_shares_are_the_chances(variant, chance):
    state = position(decide(0, chance_of(20), chance_of(45), chance_of(70)))
    result = search(state, sims=8000, variant=variant, chance=chance, seed=1)
    assert chosen(result) == 2
    for action, percent in enumerate((20, 45, 70)):
        # six standard deviations of as many draws
        move = next(move for move in result.moves if move.action == action)
        assert abs(share(result, action) - percent / 100) < 6 * (0.25 / move.visits) ** 0.5


@pytest.mark.parametrize("variant", TREES)
def test_what_is_drawn_in_the_open_may_be_answered(variant):
    """Move 1: a coin is thrown for all to see, then seat 0 names its side, and wins. Better than 80 percent.

    Where chance shares a node (`open`) the answer is learnt for both sides of the coin at once, and is
    worth one half; where it splits the tree (`split`) each side has its own.
    """
    coin = draw((1, decide(0, wins(0), wins(1))), (1, decide(0, wins(1), wins(0))))
    state = position(decide(0, chance_of(80), coin))
    split = search(state, sims=4000, variant=variant, chance="split", seed=1)
    shared = search(state, sims=4000, variant=variant, chance="open", seed=1)
    assert chosen(split) == 1
    assert chosen(shared) == 0
    assert share(split, 1) > 0.9
    assert share(shared, 1) < 0.7


# Who decides for whom


@pytest.mark.parametrize("variant", TREES)
def test_with_three_players_everybody_looks_after_himself(variant):
    """Seat 2 can make seat 1 win, or draw lots: 60 percent for itself, 40 for seat 0. A seat that played
    against seat 0 would crown seat 1; one that plays for itself draws lots. So move 1 is worth 0.4, move 0
    only 0.25."""
    kingmaker = decide(2, draw((60, wins(2)), (40, wins(0))), wins(1))
    state = position(decide(0, chance_of(25, 0, 1), kingmaker), players=3)
    result = search(state, sims=6000, variant=variant, seed=1)
    assert chosen(result) == 1
    assert share(result, 1) == pytest.approx(0.4, abs=0.06)


@pytest.mark.parametrize("variant", TREES)
def test_shared_wins_are_shares(variant):
    """Seat 2 prefers a third of the win to none: move 0 is worth a third to seat 0, move 1 a quarter."""
    shared = decide(2, wins(EVERYBODY), wins(1))
    state = position(decide(0, shared, chance_of(25, 0, 1)), players=3)
    result = search(state, sims=6000, variant=variant, seed=1)
    assert chosen(result) == 0
    assert share(result, 0) == pytest.approx(1 / 3, abs=0.03)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("variant", TREES)
def test_every_seat_can_search_and_be_searched_for(players, variant):
    """Each seat in turn may take the win, or pass it on: seat 0, which is asked first, takes it."""
    tree = wins(players - 1)
    for seat in reversed(range(players)):
        tree = decide(seat, tree, wins(seat))
    result = search(position(tree, players), sims=600, variant=variant, seed=1)
    assert chosen(result) == 1
    assert sum(result.shares) == pytest.approx(1)
    assert result.shares[0] > 0.8


# What is hidden


def test_strategy_fusion_misleads_only_the_search_that_looks_into_each_world():
    """A hidden coin lies on the table; nobody has seen it. Move 0 wins with 60 percent. Move 1 lets seat 0
    guess the coin: 50 percent. In every single world, though, guessing right looks like a sure win: whoever
    searches world by world with open eyes chooses to guess."""
    state = position(decide(0, chance_of(60), decide(0, wins(0, 1), wins(1, 0))), views=[[0, 0], [0, 0]])
    for variant in INFORMED:
        result = search(state, sims=3000, variant=variant, seed=1)
        assert chosen(result) == 0, variant
        assert share(result, 1) < 0.6
    result = search(state, sims=3000, variant="pimc", seed=1)
    assert chosen(result) == 1
    assert share(result, 1) > 0.8


def test_only_a_search_that_deals_again_keeps_the_own_secret_from_its_opponent():
    """Seat 0 has seen the coin, seat 1 has not. Move 0 wins with 20 percent. Move 1 makes seat 1 guess the
    coin: half a chance, since it cannot know. In the worlds that seat 0 deals the coin always lies as it
    does, so an opponent that learns from these alone guesses right; dealt again from its own view, it
    cannot."""
    right = dict.fromkeys(TREES, 0)
    for seed in range(40):
        bluff = decide(1, wins(1, 0), wins(0, 1))
        state = position(decide(0, chance_of(20), bluff), views=[[0, 1], [0, 0]], world=seed % 2)
        for variant in TREES:
            right[variant] += chosen(search(state, sims=3000, variant=variant, seed=seed)) == 1
    assert right["so"] == right["mo"] == right["pimc"] == 0
    # not always: what the opponent happens to be used to is an estimate too
    assert right["ris"] >= 34


def test_pimc_says_what_a_move_is_worth_over_all_its_worlds():
    """Nobody knows the coin; naming it is the only decision: 50 percent. In a world each side is a sure win
    or a sure loss, and most simulations go to the win; over the worlds it is a half all the same."""
    state = position(decide(0, wins(0, 1), wins(1, 0)), views=[[0, 0], [0, 0]])
    result = search(state, sims=4000, variant="pimc", worlds=200, seed=1)
    for move in result.moves:
        assert move.win_share == pytest.approx(0.5, abs=0.15)
        assert move.interval[0] < 0.5 < move.interval[1]


def test_a_choice_made_in_secret_is_not_told_apart():
    """Move 0 wins with 75 percent. Move 1: seat 1 puts a coin down in secret, seat 0 guesses it: about 50
    percent, as far as seat 1 has no habits. A search that told the two secret moves apart would always
    guess right."""
    guess = secretly(1, decide(0, wins(0), wins(1)), decide(0, wins(1), wins(0)))
    state = position(decide(0, chance_of(75), guess))
    for variant in INFORMED:
        result = search(state, sims=4000, variant=variant, seed=1)
        assert chosen(result) == 0, variant
        assert share(result, 1) < 0.75
    assert chosen(search(state, sims=4000, variant="pimc", seed=1)) == 1


def test_the_seat_that_has_chosen_in_secret_is_dealt_with():
    """The same coin, already down: seat 0, to guess, deals both sides and finds both guesses equal."""
    guess = decide(0, wins(0), wins(1)), decide(0, wins(1), wins(0))
    state = position(secretly(1, *guess))
    for side in (0, 1):
        after = state.clone(1)
        after.position.apply(side)
        for variant in INFORMED:
            result = search(after, sims=4000, variant=variant, seed=1)
            assert share(result, 0) == pytest.approx(0.5, abs=0.05)
            assert share(result, 1) == pytest.approx(0.5, abs=0.05)


# The references


def four(*columns: int) -> sfumato.State:
    state = sfumato.load("connect_four").new(seed=1)
    for column in columns:
        state.apply(column)
    return state


@pytest.mark.parametrize("variant", TREES)
def test_connect_four_a_win_is_taken_and_a_threat_is_met(variant):
    given = {"sims": 2000, "variant": variant, "worlds": 2, "seed": 1}
    # seat 0 has three in column 3, seat 1 three in column 0
    assert search(four(3, 0, 3, 0, 3, 0), **given).best.words == "column 3"
    # seat 1 to move against three in column 3
    assert search(four(3, 0, 3, 0, 3), **given).best.words == "column 3"


@pytest.mark.parametrize("variant", TREES)
def test_connect_four_a_win_in_three_plies_is_found(variant):
    """Seat 0 has 2 and 3 on the ground, both neighbours free: a third disc beside them makes two
    threats."""
    result = search(four(3, 3, 2, 2), sims=20_000, variant=variant, worlds=1, seed=1)
    assert result.best.words in ("column 1", "column 4")
    assert result.best.win_share is not None and result.best.win_share > 0.9


@pytest.mark.parametrize("variant", [*TREES, "flat"])
@pytest.mark.parametrize("card", ["J", "Q", "K"])
def test_leduc_poker_nobody_folds_a_pair(variant, card):
    """A hand that pairs the public card cannot be beaten: the other card of its rank lies on the table."""
    game = sfumato.load("leduc_poker")
    state = game.new(seed=1, seen=[f"hand 1 {card}"])
    state.apply("call")
    state.apply("call", seen=[f"public {card}"])
    state.apply("raise")
    result = search(state, sims=2000, variant=variant, score=1.0, seed=1)
    assert result.best.words != "fold"
    worst = min(result.moves, key=lambda move: move.score if move.score is not None else 0)
    assert worst.words == "fold"
