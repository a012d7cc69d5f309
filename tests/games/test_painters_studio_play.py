"""The Painter's Studio: the greedy rule, playouts and the evaluation."""

from __future__ import annotations

from random import Random

import pytest
from painters_studio_greedy import Greedy
from painters_studio_model import Referee
from painters_studio_table import (
    NOTHING,
    PAINTINGS,
    finished,
    look,
    position,
    studio,
)
from sfumato.games import State

# --- greedy ---------------------------------------------------------------------------------------------


def greedy(dice, **more):
    state = position(dice, **more)
    return state.words(state.greedy)


@pytest.mark.parametrize(
    ("dealt", "kept"),
    [
        pytest.param("academy museum", "museum", id="5 before 4"),
        pytest.param("academy school", "academy", id="4 before 3"),
        pytest.param("muse school", "school", id="3 before 2"),
        pytest.param("realism dealer", "realism", id="both 4: the lowest id"),
        pytest.param("realism critic", "critic", id="critic counts what museum counts: the masterpieces"),
    ],
)
def test_greedy_keeps_the_patron_that_pays_most(dealt, kept):
    """PS-S8"""
    state = studio().new(players=2, seed=1, seen=["start 0", f"deal 0 {dealt}"])
    assert state.words(state.greedy) == f"keep {kept}"


def test_greedy_places_its_first_student_where_the_display_asks_for_paint():
    """PS-S9: the display costs (6, 6, 9, 10); each student there counts 3 less: yellow, then red 9 before 7,
    then yellow 7 before 6"""
    display = "im01 im05 po06 po09 re04 ro07 ro10"
    costs = zip(*(PAINTINGS[name].cost for name in display.split()), strict=True)
    assert tuple(map(sum, costs)) == (6, 6, 9, 10)
    state = studio().new(players=3, seed=1, seen=["start 0", f"display {display}"])
    while state.phase == "patron":
        state.apply(state.greedy)
    for expected in ("yellow", "red", "yellow"):
        assert state.words(state.greedy) == f"place {expected}"
        state.apply(state.greedy)


def test_greedy_paints_a_masterpiece_that_it_can_pay():
    """PS-D5: 7 points and more against a paint or a student"""
    given = {"paint": [(1, 1, 1, 3)], "display": "po09"}
    assert greedy("1 4 5 6", **given) == "paint po09"


def test_greedy_paints_for_tokens_without_a_5():
    """PS-I2: 7 + 1.5 - 1.6"""
    given = {"paint": [(1, 1, 1, 3)], "display": "po09", "tokens": [2]}
    assert greedy("1 4 6 6", **given) == "inspire_paint po09"


@pytest.mark.parametrize(("held", "expected"), [(1, "inspire"), (2, "reroll"), (4, "draw_patron")])
def test_greedy_with_useless_dice(held, expected):
    """PS-I1, PS-I3, R6: a reroll (0.45) needs two tokens, else a token (0.42); a patron (3) with four"""
    assert greedy("5 5 5 5", tokens=[held]) == expected


def test_greedy_takes_the_third_masterpiece():
    """PS-E1: re08 (5 points) with the token 4 before im06 (4 points)"""
    given = {"paintings": ["im08 po09"], "paint": [(3, 0, 2, 1)], "display": "im06 re08"}
    assert greedy("3 5 5 5", **given) == "paint re08"


def test_greedy_collects_where_it_leads_several_piles():
    """PS-D3"""
    assert greedy("3 3 4 4", students=[(1, 1, 1, 1)]) == "collect"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_does_what_its_rule_says(players):
    """PS-D2, PS-D3, PS-D5, PS-D6, PS-I2, PS-I3, PS-P2: at every step of games, half of it at random; of equal
    decisions the one with the lowest id"""
    for seed in range(6):
        luck = Random(seed)
        state = studio().new(players=players, seed=seed)
        referee = Referee([state.observation(seat) for seat in range(players)])
        while not state.is_terminal:
            plan = Greedy(referee)
            worth = {words: plan.worth(words) for words in state.legal_words}
            best = max(worth.values())
            chosen = next(words for words in worth if worth[words] > best - 1e-9)
            assert state.words(state.greedy) == chosen, worth
            step = state.apply(luck.choice([luck.choice(state.legal_actions), state.greedy]))
            referee.step(step.label(None), step.words(None))


def test_greedy_looks_at_no_hidden_card():
    """PS-S8: other hands and another deck, the same move"""
    state = studio().new(players=4, seed=3)
    luck = Random(3)
    for _ in range(120):
        moves = {state.dealt(state.to_move, seed).greedy for seed in range(4)}
        assert moves == {state.greedy}
        state.apply(luck.choice(state.legal_actions))


def test_greedy_beats_random_players():
    """PS-E3: alone among random players it wins nearly always"""
    won = 0.0
    for seed in range(60):
        players, luck = 2 + seed % 3, Random(seed)
        seat = seed % players
        state = studio().new(players=players, seed=seed)
        while not state.is_terminal:
            state.apply(state.greedy if state.to_move == seat else luck.choice(state.legal_actions))
        won += state.outcome.win_shares[seat]
    assert won > 54


# --- playouts -------------------------------------------------------------------------------------------


def one_ply(state, seed, noise=0.0):
    after, played = state.position.playout(seed, noise, 1)
    assert played == 1
    return State(state.game, after)


def test_a_playout_paints_the_payable_painting_of_the_most_points():
    """PS-D5: im09 (7) before im06 (4)"""
    state = position("5 5 6 6", paint=[(3, 1, 1, 1)], display="im06 im09")
    for seed in range(20):
        assert "im09" in look(one_ply(state, seed))["paintings"][0]


def test_a_playout_takes_a_token_with_useless_dice():
    """PS-T5, R6"""
    state = position("5 5 5 5", tokens=[0])
    for seed in range(20):
        assert look(one_ply(state, seed))["tokens"][0] == 1


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_playouts_end(players, noise):
    """PS-E2, R17"""
    state = studio().new(players=players, seed=3)
    for seed in range(20):
        after, played = state.position.playout(seed, noise, -1)
        assert after.to_move == -1
        assert after.check() == 0
        assert played < 40 * players * 100


def test_a_playout_may_be_cut():
    """PS-T4"""
    state = studio().new(players=3, seed=3)
    for plies in (0, 1, 5, 50):
        after, played = state.position.playout(1, 0.0, plies)
        assert (played, after.check()) == (plies, 0)


# --- evaluation -----------------------------------------------------------------------------------------


def shares(**more):
    """Win shares of a table of three in the middle of a game; nobody has more than another."""
    found, _ = position("3 3 3 3", round=5, **more).position.evaluate()
    assert sum(found) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in found)
    return found


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"paintings": ["", "im06"]}, id="a painting"),
        pytest.param({"paint": [NOTHING, (1, 1, 1, 1)]}, id="paint"),
        pytest.param({"students": [NOTHING, (1, 1, 0, 0)]}, id="piles led"),
    ],
)
def test_what_a_seat_has_raises_its_share(more):
    """PS-E3, PS-D3: seat 1 has it, everybody else has as much as before"""
    assert shares(**more)[1] > shares()[1]


def test_the_shares_of_a_finished_game_are_its_result():
    """PS-E4, PS-E5"""
    state = finished(["museum", "critic", "academy"], paintings=["im01", "im02", ""])
    found, scores = state.position.evaluate()
    assert list(found) == [0.5, 0.5, 0]
    assert list(scores) == [1, 1, 0]
