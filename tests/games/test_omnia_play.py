"""OMNIA: the greedy rule, playouts and the evaluation."""

from __future__ import annotations

from random import Random

import pytest
from omnia_greedy import greedy_choice
from omnia_model import Referee
from omnia_table import CITIES, draft, finished, look, omnia, owned, position, turn
from sfumato.games import State
from walks import choices

DECLINES = ("done", "skip", "forgo", "activate_none")
#: every city is active, so that none can be drawn
ALL = " ".join(CITIES)


# --- greedy ---------------------------------------------------------------------------------------------


def greedy(state):
    return state.words(state.greedy)


def test_greedy_keeps_the_cards_with_the_best_symbols():
    """OM-D1: WW/2, II/2 and WI/2 weigh 2.0 each; the two lowest of them"""
    state = draft(2)
    assert greedy(state) == "keep WW/2"
    state.apply("keep WW/2")
    assert greedy(state) == "keep II/2"


def test_greedy_completes_a_set():
    """OM-E4: a third purple work brings milano 8, a red one 0.8"""
    state = turn("WI/2", own=["purple purple", ""], works="purple red orange")
    assert greedy(state) == "work purple"


def test_greedy_takes_points_for_coins():
    """OM-P1, OM-A3: Francesco I is worth 6 + 0.6 less 4 coins at 0.5, Caterina 1 + 0.6"""
    state = turn("P2/2", characters="caterina francesco_i salai", coins=[4, 14])
    assert greedy(state) == "character francesco_i"


@pytest.mark.parametrize(("coins", "expected"), [(2, "invention azure"), (1, "skip")])
def test_greedy_declines_an_effect_that_costs_more_than_it_brings(coins, expected):
    """OM-A6, R10: with venezia a coin is 2.5; an invention without a price is always worth 0.8"""
    inventions = "azure leo_i0 leo_i2" if coins == 2 else "leo_i0 leo_i1 leo_i2"
    state = turn(
        "PC/2",
        characters="luca_pacioli ludovico_il_moro lisa_gherardini",
        coins=[coins + 1, 1],
        inventions=inventions,
        cities=ALL,
    )
    state.apply("character luca_pacioli")
    assert greedy(state) == expected


def test_greedy_draws_cities_first():
    """OM-C1"""
    assert greedy(turn("C1/2")) == "draw_city"


@pytest.mark.parametrize(
    ("own", "drawn", "expected"),
    [
        pytest.param(["azure azure", ""], "vinci parma roma", "activate vinci", id="only for itself"),
        pytest.param(["", "azure azure"], "vinci parma roma", "activate_none", id="only for the other"),
        pytest.param(["azure azure", "teal teal"], "vinci parma roma", "activate vinci", id="for both"),
        pytest.param(["", ""], "vinci parma roma", "activate_none", id="for nobody"),
        pytest.param(["azure azure red", "teal teal"], "vinci parma roma", "activate parma", id="the most"),
    ],
)
def test_greedy_activates_what_brings_more_to_it_than_to_others(own, drawn, expected):
    """OM-C2, OM-C5"""
    state = turn("C1/2", own=own, cities="genova")
    state.apply("draw_city", [f"drawn {drawn}"])
    assert greedy(state) == expected


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(
    "options", [{}, {"set_repeat": "double", "leonardo_in_majorities": True}], ids=["default", "other"]
)
def test_greedy_does_what_its_rule_says(players, options):
    """OM-D1, OM-C2, OM-A6, OM-T4, OM-E7: at every step of games, half of the moves at random"""
    game = omnia(**options)
    for seed in range(12):
        luck = Random(seed)
        state = game.new(players=players, seed=seed)
        referee = Referee(players, game.option_values(players), state.setup_words(None))
        while not state.is_terminal:
            assert greedy(state) == greedy_choice(referee)
            action = state.greedy if luck.random() < 0.5 else luck.choice(state.legal_actions)
            step = state.apply(action)
            referee.step(step.label(None), step.words(None))


def test_greedy_looks_at_no_hidden_card():
    """R23: other hands and another city pack, the same move"""
    state = omnia().new(players=4, seed=3)
    luck = Random(3)
    while not state.is_terminal:
        assert {state.dealt(state.to_move, seed).greedy for seed in range(3)} == {state.greedy}
        state.apply(luck.choice(state.legal_actions))


def test_greedy_beats_random_players():
    """OM-X1: alone among random players it wins nearly always"""
    won = 0.0
    for seed in range(60):
        players, luck = 2 + seed % 3, Random(seed)
        seat = seed % players
        state = omnia().new(players=players, seed=seed)
        while not state.is_terminal:
            state.apply(state.greedy if state.to_move == seat else luck.choice(state.legal_actions))
        won += state.outcome.win_shares[seat]
    assert won > 50


# --- playouts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_playouts_decline_nothing_while_something_can_be_done(players):
    """OM-T4: one ply at a time along games; of drawn cities they choose as the greedy rule does"""
    luck = Random(players)
    state = omnia().new(players=players, seed=players)
    declined = 0
    while not state.is_terminal:
        legal = {state.words(action) for action in state.legal_actions}
        played = {state.words(action) for action in choices(state, luck.getrandbits(30), 0.0)}
        if state.phase == "city":
            assert state.words(state.greedy) in played
        elif not legal <= set(DECLINES):
            assert not played <= set(DECLINES), (legal, played)
        declined += bool(legal & set(DECLINES))
        state.apply(luck.choice(state.legal_actions))
    assert declined > 10


def test_a_playout_passes_rather_than_ends_the_turn():
    """OM-T4, EX15: a double symbol with one plain card"""
    state = turn("WW/2", works="purple leo_w0 leo_w2", coins=[1, 1])
    for seed in range(10):
        after, _ = state.position.playout(seed, 0.0, 2)
        assert owned(State(state.game, after), 0) == "purple"


@pytest.mark.parametrize("noise", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_playouts_end(players, noise):
    """OM-T1, R19: a turn has at most 9 picks, 9 draws and a few declines"""
    state = omnia().new(players=players, seed=3)
    for seed in range(30):
        after, played = state.position.playout(seed, noise, -1)
        assert after.to_move == -1
        assert after.check() == 0
        assert 12 * players <= played <= 12 * players + 6 * players * 20


def test_a_playout_may_be_cut():
    """OM-T1"""
    state = omnia().new(players=3, seed=3)
    for plies in (0, 1, 5):
        after, played = state.position.playout(1, 0.0, plies)
        assert (played, after.check()) == (plies, 0)


# --- evaluation -----------------------------------------------------------------------------------------


def shares(**more):
    """Win shares of a table of three in the middle of a game."""
    given = {
        "players": 3,
        "round": 4,
        "own": ["purple", "yellow", "red"],
        "coins": [2, 2, 2],
        "cities": "roma",
        "works": "purple yellow red",
    }
    found, scores = position(**{**given, **more}).position.evaluate()
    assert sum(found) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in found)
    assert len(found) == len(scores) == 3
    return found


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"own": ["purple", "yellow francesco_i", "red"]}, id="points"),
        pytest.param({"own": ["purple", "yellow orange", "red"]}, id="a work"),
        pytest.param({"own": ["purple", "yellow azure", "red"]}, id="an invention"),
        pytest.param({"own": ["purple", "yellow bramante", "red"]}, id="a character"),
        pytest.param({"coins": [2, 4, 2]}, id="coins"),
        pytest.param({"cities": "venezia", "coins": [2, 3, 2]}, id="coins that are points"),
    ],
)
def test_what_a_seat_has_raises_its_share(more):
    """OM-E1, OM-E4: seat 1 has it, everybody else has as much as before"""
    assert shares(**more)[1] > shares()[1]


def test_a_lead_weighs_more_near_the_end():
    """OM-T1: the same six points in rounds 1 and 5"""
    own = ["purple", "yellow francesco_i", "red"]
    assert shares(own=own, round=5)[1] > shares(own=own, round=1)[1]


def test_who_has_not_yet_played_in_a_round_may_still_gain():
    """OM-T1: seat 0 has played, seats 1 and 2 have not"""
    found = shares(to_move=1, seat=1)
    assert found[1] > found[0]


def test_the_shares_of_a_finished_game_are_its_result():
    """OM-X2, R16"""
    state = finished(["caterina", "ser_piero", ""], "milano")
    assert state.position.evaluate() == ([0.5, 0.5, 0], [1, 1, 0])
    assert look(state)["phase"] == "over"
