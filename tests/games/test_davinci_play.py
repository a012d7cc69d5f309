"""Atelier Da Vinci: the greedy rule, playouts and the evaluation."""

from __future__ import annotations

from random import Random

import pytest
from davinci_greedy import decisions, greedy_choice
from davinci_model import Referee
from davinci_table import davinci, hand, look, position
from sfumato.games import State

# --- greedy ---------------------------------------------------------------------------------------------


def greedy(*given, **more):
    state = position(*given, **more)
    return state.words(state.greedy)


def test_greedy_takes_the_most_valuable_set():
    """DV-C1: blue2 and red2, needed by cena, are worth 1.5 + 1.5 + 0.4; green4 alone 2.5 + 0.2"""
    assert greedy([], ["cena", "gioconda"], "blue2 red2 green4") == "take blue2"


def test_greedy_draws_only_if_there_is_nothing_else():
    """DV-C2"""
    assert greedy([], ["cena", "gioconda"], "") == "draw"


def test_greedy_paints_rather_than_takes_with_a_full_hand():
    """DV-P5, DV-C5: brown4 and yellow4 bring 8 and 1.5; a card taken costs 2"""
    assert (
        greedy(["brown4 yellow4 red1 blue1 green1"], ["gioconda", "cena"], "blue4")
        == "paint gioconda 0 brown4"
    )


def test_greedy_completes_a_painting_with_a_low_card():
    """DV-P9: ginevra for green1 is worth 2 - 0.3; for green4 2 - 1.2"""
    assert greedy(["green1 green4"], ["ginevra open 3", "ermellino"], "") == "paint ginevra 3 green1"


def test_greedy_leaves_no_single_open_slot_for_a_low_card():
    """DV-P10: yellow1 on ginevra with 1 and 3 open is worth 1 - 1 = 0; red1 of the table 0.5 + 0.5 + 0.2"""
    assert greedy(["yellow1"], ["ginevra open 1 3", "battista"], "red1") == "take red1"


def test_greedy_claims_a_mastery_early():
    """DV-M1: 1.08 * 2 colours * 6 paintings / 3 players = 4.32, the three cards painted 1 + 1 + 1"""
    assert greedy(["blue1 blue1 red1"], ["cena", "gioconda"], "") == "claim blue_red"


def test_greedy_discards_the_least_useful_card():
    """DV-C5: no slot of green is open, so green1 is worth 0.5"""
    state = position(
        ["blue1 blue2 red1 red2 red3 green1"], ["cena 3=green2", "ermellino"], phase="discard", to_discard=1
    )
    assert state.words(state.greedy) == "discard green1"


def test_greedy_gives_leonardo_the_lowest_card():
    """DV-L1"""
    state = position(places=["cena", "gioconda"], table="red4 green2 blue1", phase="leonardo", leonardo=0)
    assert state.words(state.greedy) == "leonardo gioconda 5 blue1"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("options", [{}, {"wet_paint": "off"}], ids=["ring", "off"])
def test_greedy_does_what_its_rule_says(players, options):
    """DV-C1, DV-C5, DV-P4, DV-P9, DV-M1, DV-L1: at every step of games, half of them at random"""
    game = davinci(**options)
    for seed in range(6):
        luck = Random(seed)
        state = game.new(players=players, seed=seed)
        referee = Referee([state.observation(seat) for seat in range(players)])
        while not state.is_terminal:
            chosen = state.words(state.greedy)
            worth = decisions(referee)
            # Equal worths may differ in the last bit of a floating-point number.
            assert float(worth[chosen]) == pytest.approx(float(max(worth.values())), abs=1e-9)
            if len({*worth.values()}) == len(worth):
                assert chosen == greedy_choice(referee)
            step = state.apply(
                luck.choice([*state.legal_actions, *[state.greedy] * len(state.legal_actions)])
            )
            referee.step(step.label(None), step.words(None))


def test_greedy_looks_at_no_hidden_card():
    """R16: other hands and another deck, the same move"""
    state = davinci().new(players=4, seed=3)
    luck = Random(3)
    for _ in range(60):
        moves = {state.dealt(state.to_move, seed).greedy for seed in range(5)}
        assert moves == {state.greedy}
        state.apply(luck.choice(state.legal_actions))


def test_greedy_beats_random_players():
    """DV-G4: alone among random players it wins nearly always"""
    won = 0.0
    for seed in range(60):
        players, luck = 2 + seed % 4, Random(seed)
        seat = seed % players
        state = davinci().new(players=players, seed=seed)
        while not state.is_terminal:
            state.apply(state.greedy if state.to_move == seat else luck.choice(state.legal_actions))
        won += state.outcome.win_shares[seat]
    assert won > 54


# --- playouts -------------------------------------------------------------------------------------------


def one_ply(state, seed, noise=0.0):
    after, played = state.position.playout(seed, noise, 1)
    assert played == 1
    return State(state.game, after)


def test_a_playout_paints_with_three_cards_that_fit():
    """DV-P1"""
    state = position(["brown4 yellow3 red1"], ["gioconda", "cena"], "blue4 green4")
    for seed in range(20):
        after = one_ply(state, seed)
        assert (after.to_move, after.phase) == (0, "paint")


def test_a_playout_takes_with_an_empty_hand():
    """DV-C1: of what is needed the highest value"""
    state = position([], ["ermellino", "battista"], "blue3 red4 brown1")
    for seed in range(20):
        assert hand(one_ply(state, seed), 0) in ("red4", "blue3")


def test_a_playout_takes_a_painting_that_is_worth_more_than_its_cards():
    """DV-P9, DV-P11"""
    state = position(["green1 brown2 yellow2"], ["ginevra open 3", "rocce"])
    taken = [State(state.game, state.position.playout(seed, 0.0, 4)[0]) for seed in range(20)]
    assert all(look(after)["taken"] == {"ginevra": 0} for after in taken)


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_playouts_end(players, noise):
    """DV-G1, R17: at most 11 decisions a turn"""
    state = davinci().new(players=players, seed=3)
    for seed in range(20):
        after, played = state.position.playout(seed, noise, -1)
        assert after.to_move == -1
        assert after.check() == 0
        assert played <= 60 * players * 11


def test_a_playout_may_be_cut():
    """DV-T2"""
    state = davinci().new(players=3, seed=3)
    for plies in (0, 1, 5):
        after, played = state.position.playout(1, 0.0, plies)
        assert (played, after.check()) == (plies, 0)


# --- evaluation -----------------------------------------------------------------------------------------


def shares(**more):
    """Win shares of a table of three in the middle of a game."""
    given = {"hands": ["red1", "red1", "red2"], "places": ["cena", "gioconda"], "esteem": [12, 12, 12]}
    found, scores = position(
        **{**given, **more}, achievements=["five_cards", "two_paintings"]
    ).position.evaluate()
    assert sum(found) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in found)
    assert [share > found[0] for share in found] == [score > scores[0] for score in scores]
    return found


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"esteem": [12, 16, 12]}, id="more esteem"),
        pytest.param({"hands": ["red1", "red4", "red2"]}, id="a better card"),
        pytest.param({"hands": ["red1", "red1 blue3", "red2"]}, id="one card more"),
        pytest.param({"masteries": {"palette": 1}}, id="a mastery"),
        pytest.param({"taken": {"rocce": 1}}, id="a painting"),
        pytest.param(
            {"hands": ["red1", "red1 red3 blue1 blue2 green1", "red2"]}, id="an achievement fulfilled"
        ),
    ],
)
def test_what_a_seat_has_raises_its_share(more):
    """DV-P5, DV-P8, DV-P11, DV-G2: seat 1 has it, everybody else has as much as before"""
    assert shares(**more)[1] > shares()[1]


def test_a_card_that_a_slot_needs_is_worth_more():
    """DV-P2: blue3 where blue is open, and where it is not"""
    needed, idle = ["cena", "gioconda"], ["ginevra", "rocce"]
    gain = [
        shares(places=places, hands=["red1", "red1 blue3", "red2"])[1] - shares(places=places)[1]
        for places in (needed, idle)
    ]
    assert gain[0] > gain[1] > 0


def test_near_the_end_totals_decide():
    """DV-G1, DV-G2: no painting is left; seat 1 has 25 + 4 + 4 and `empty_hand`, seat 0 20 + 5 + 3"""
    state = position(
        ["red1", "", "blue1"],
        [None, None],
        paintings_left=0,
        esteem=[20, 25, 0],
        leonardo=1,
        taken={"gioconda": 0, "cena": 1, "rocce": 1, "magi": 0, "annunciazione": 2, "ermellino": 2},
        achievements=["five_cards", "empty_hand"],
    )
    found, _ = state.position.evaluate()
    assert found[1] > 0.9 > 0.1 > found[0] > found[2]


def test_the_shares_of_a_finished_game_are_its_result():
    """DV-G4"""
    state = position(
        ["red1", "red2", ""],
        ["cena", "magi"],
        to_move=None,
        phase="over",
        game=davinci(round_cap=1),
        esteem=[9, 9, 3],
        achievements=["five_cards", "two_paintings"],
    )
    assert state.position.evaluate() == ([0.5, 0.5, 0], [9, 9, 3])
