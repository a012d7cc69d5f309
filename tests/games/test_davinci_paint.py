"""Atelier Da Vinci: painting, points, completed paintings, masteries, and the options about them."""

from __future__ import annotations

import pytest
from davinci_table import davinci, hand, hidden, known, look, position, shows
from sfumato.games import SfumatoError


def painted(state, *placements, stop=False):
    """Paints the placements `gioconda 0 brown4` in turn; gives the last step."""
    for words in placements:
        step = state.apply(f"paint {words}")
    return state.apply("stop") if stop else step


def esteem(state, seat=0):
    return look(state)["esteem"][seat]


def slots(state, place):
    return look(state)["places"][place]["cards"]


def paints(state):
    """The legal placements, without their verb."""
    return [words.removeprefix("paint ") for words in state.legal_words if words.startswith("paint ")]


# --- placing --------------------------------------------------------------------------------------------


def test_mark_paints_two_cards_and_scores_their_values():
    """EX5, DV-P1, DV-P2, DV-P5, DV-P7: 4 + 3 + level 0; the empty hand ends the action"""
    state = position(["brown4 yellow3"], ["gioconda 3=green2 5=blue1", "cena"])
    state.apply("paint gioconda 0 brown4")
    assert (state.phase, esteem(state)) == ("paint", 0), "points come at the end of the action"
    state.apply("paint gioconda 2 yellow3")
    assert (state.to_move, state.phase) == (1, "main")
    assert look(state)["esteem"] == [7, 0, 0]
    assert slots(state, 0) == ["brown4", None, "yellow3", "green2", None, "blue1"]
    assert hand(state, 0) == ""


def diana(esteem_before):
    """Mark (seat 0) has painted as in EX5; Diana is seat 1."""
    state = position(
        ["brown4 yellow3", "red2 yellow4 blue1"],
        ["gioconda 3=green2 5=blue1", "cena"],
        esteem=[0, esteem_before],
    )
    painted(state, "gioconda 0 brown4", "gioconda 2 yellow3")
    painted(state, "gioconda 1 red2")
    return state, state.apply("paint gioconda 4 yellow4", ["painting battista"])


@pytest.mark.parametrize(("before", "after"), [(0, 0), (7, 8)])
def test_diana_completes_the_painting_and_scores_nothing_for_its_cards(before, after):
    """EX6, DV-P6, DV-P9, DV-P10, DV-P11, DV-P12, DV-P13, DV-P14, R6: the level alone counts"""
    state, step = diana(before)
    seen = look(state)
    assert seen["taken"] == {"gioconda": 1}
    assert seen["discard"] == dict.fromkeys(["blue1", "red2", "yellow3", "yellow4", "brown4", "green2"], 1)
    assert seen["places"][0] == {"painting": "battista", "cards": [None] * 6, "fresh": []}
    assert (seen["paintings_left"], seen["placed"], seen["last_slot"]) == (3, 2, None)
    assert step.words(0) == ["painting battista"], "both cards were known"
    assert (state.phase, state.to_move) == ("paint", 1)
    assert paints(state) == ["cena 0 blue1", "cena 1 blue1", "battista 2 blue1"]
    state.apply("stop")
    assert look(state)["esteem"] == [7, after, 0]
    assert hand(state, 1) == "blue1"


def test_a_new_painting_may_be_painted_in_the_same_action():
    """EX6, DV-P14, DV-P13: blue1 on the new battista: 1 + level 1"""
    state, _ = diana(7)
    state.apply("paint battista 2 blue1")
    assert look(state)["esteem"] == [7, 7 + 1 + 1, 0]
    assert slots(state, 0) == [None, None, "blue1", None, None, None]


def test_four_cards_at_most_whatever_their_values():
    """DV-P1, DV-P5: 4 + 4 + 4 + 4, and the fifth card stays in hand"""
    state = position(["brown4 red4 green4 yellow4 blue4"], ["gioconda", "magi"])
    painted(state, "gioconda 0 brown4", "gioconda 2 yellow4", "magi 0 red4", "magi 4 blue4")
    assert (state.to_move, esteem(state), hand(state, 0)) == (1, 16, "green4")


def test_one_card_is_enough():
    """DV-P1, DV-P5"""
    state = position(["brown2 brown3"], ["gioconda", "magi"])
    painted(state, "gioconda 0 brown2", stop=True)
    assert (state.to_move, esteem(state), hand(state, 0)) == (1, 2, "brown3")


def test_each_card_goes_on_a_slot_of_its_colour_on_either_painting():
    """DV-P2: magi is red green brown red blue yellow, ermellino blue red red - yellow blue"""
    state = position(["red1 yellow2 ?red3"], ["magi", "ermellino"])
    assert set(paints(state)) == {
        "magi 0 red1",
        "magi 0 red3",
        "magi 3 red1",
        "magi 3 red3",
        "magi 5 yellow2",
        "ermellino 1 red1",
        "ermellino 1 red3",
        "ermellino 2 red1",
        "ermellino 2 red3",
        "ermellino 4 yellow2",
    }


def test_a_slot_takes_one_card():
    """DV-P3, R3"""
    state = position(["red1 red2"], ["magi 0=red3", "annunciazione"])
    assert paints(state) == ["magi 3 red1", "magi 3 red2"]
    state.apply("paint magi 3 red1")
    assert paints(state) == []


def test_slots_are_painted_in_rising_order_over_both_places():
    """DV-P2: after slot 2 of place 1 nothing before it; place 1 comes after place 0"""
    state = position(["red1 yellow2 blue1"], ["magi", "ermellino"])
    state.apply("paint ermellino 2 red1")
    assert look(state)["last_slot"] == [1, 2]
    assert state.legal_words == ["stop", "paint ermellino 4 yellow2", "paint ermellino 5 blue1"]


# --- wet paint ------------------------------------------------------------------------------------------


def test_different_colours_of_one_turn_do_not_touch():
    """EX8, DV-P4, R3: cena is blue blue red green red brown, round the corner 5 touches 0"""
    state = position(["blue3 blue1 red2 brown1"], ["cena", "gioconda"])
    state.apply("paint cena 0 blue3")
    assert paints(state) == [
        "gioconda 0 brown1",
        "gioconda 1 red2",
        "gioconda 5 blue1",
        "cena 1 blue1",
        "cena 2 red2",
        "cena 4 red2",
    ]
    state.apply("paint cena 1 blue1")
    assert [words for words in paints(state) if words.startswith("cena")] == ["cena 4 red2"]
    state.apply("paint cena 4 red2")
    assert paints(state) == ["gioconda 0 brown1"], "4-5 and 5-0 are both wet"


def test_a_fresh_red_keeps_brown_off_the_next_slot():
    """EX8, DV-P4: 4 and 5 are neighbours"""
    state = position(["red2 brown1 blue1"], ["cena", "magi"])
    state.apply("paint cena 4 red2")
    assert "cena 5 brown1" not in paints(state)


def test_in_the_next_turn_the_paint_is_dry():
    """EX8, DV-P4, R3"""
    state = position(["red1 brown1 blue4"], ["cena 0=blue3 1=blue1 4=red2", "gioconda"])
    assert {"cena 2 red1", "cena 5 brown1"} <= set(paints(state))


def test_the_paint_of_another_player_is_dry():
    """EX8, DV-P4, R3: seat 0 paints slot 1, seat 1 may paint beside it"""
    state = position(["blue3", "red2"], ["cena", "gioconda"])
    painted(state, "cena 1 blue3")
    assert look(state)["places"][0]["fresh"] == []
    assert "cena 2 red2" in paints(state)


def test_cards_of_different_paintings_never_touch():
    """R3, DV-P4: slot 5 of one painting and slot 0 of the other"""
    state = position(["blue3 brown1"], ["gioconda", "battista"])
    state.apply("paint gioconda 5 blue3")
    assert "battista 0 brown1" in paints(state)


def test_wet_paint_off_lets_colours_touch():
    """R3, EX8"""
    state = position(["blue3 blue1 red2 brown1"], ["cena", "gioconda"], game=davinci(wet_paint="off"))
    painted(state, "cena 0 blue3", "cena 1 blue1")
    assert [words for words in paints(state) if words.startswith("cena")] == [
        "cena 2 red2",
        "cena 4 red2",
        "cena 5 brown1",
    ]
    painted(state, "cena 2 red2", "cena 5 brown1")
    assert esteem(state) == 3 + 1 + 2 + 1


def test_a_completed_painting_takes_its_wet_paint_away():
    """DV-P4, DV-P13: fresh marks go with the painting; the new one in its place is dry"""
    state = position(["green1 green2 brown1"], ["ginevra open 3", "cena"])
    state.apply("paint ginevra 3 green1", ["painting rocce"])
    assert look(state)["places"][0]["fresh"] == []
    assert {"rocce 0 green2", "rocce 1 brown1", "rocce 3 green2"} <= set(paints(state))


# --- points ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        (0, 1, 0 + 1 + 0),
        (1, 1, 1 + 1 + 1),
        (7, 2, 7 + 2 + 1),
        (10, 1, 10 + 1 + 1),
        (11, 1, 11 + 1 + 2),
        (12, 3, 12 + 3 + 2),
        (20, 1, 20 + 1 + 2),
        (21, 1, 21 + 1 + 3),
        (30, 1, 30 + 1 + 3),
        (31, 1, 31 + 1 + 4),
        (99, 4, 99 + 4 + 4),
        (300, 4, 300 + 4 + 4),
    ],
)
def test_the_level_before_the_action_is_added_once(before, value, after):
    """EX7, DV-P6, DV-P7, R5, R8"""
    state = position([f"brown{value} red1"], ["gioconda", "magi"], esteem=[before])
    painted(state, f"gioconda 0 brown{value}", stop=True)
    assert esteem(state) == after


def test_the_level_is_added_once_however_many_cards():
    """DV-P6, R8: 9 + 1 + 1 passes 10 within the action, the level stays 1"""
    state = position(["brown1 yellow1"], ["gioconda", "cena"], esteem=[9])
    painted(state, "gioconda 0 brown1", "gioconda 2 yellow1")
    assert esteem(state) == 9 + 1 + 1 + 1


@pytest.mark.parametrize(
    ("bonus", "after"), [("card", 15 + 6 + 2 + 3), ("colour", 15 + 6 + 2 + 2), ("action", 15 + 6 + 2 + 1)]
)
def test_a_mastery_pays_by_card_by_colour_or_by_action(bonus, after):
    """EX9, DV-P8, R7: blue3 blue1 red2 with `blue_red`"""
    game = davinci(mastery_bonus=bonus)
    state = position(
        ["blue3 blue1 red2"], ["cena", "gioconda"], esteem=[15], masteries={"blue_red": 0}, game=game
    )
    painted(state, "cena 0 blue3", "cena 1 blue1", "cena 4 red2")
    assert esteem(state) == after


@pytest.mark.parametrize(("bonus", "each"), [("card", 2), ("colour", 1), ("action", 1)])
def test_two_masteries_of_one_colour_both_pay(bonus, each):
    """DV-P8, R7: two blue cards; `blue_red` and `palette` depict blue, `brown_green` does not"""
    game = davinci(mastery_bonus=bonus)
    owned = {"blue_red": 0, "brown_green": 0, "palette": 0}
    state = position(["blue1 blue2"], ["cena", "gioconda"], masteries=owned, game=game)
    painted(state, "cena 0 blue1", "cena 1 blue2")
    assert esteem(state) == 1 + 2 + each + each


def test_the_mastery_of_another_player_pays_nothing():
    """DV-P8"""
    state = position(["blue1"], ["cena", "gioconda"], masteries={"blue_red": 1})
    painted(state, "cena 0 blue1")
    assert look(state)["esteem"] == [1, 0, 0]


# --- completed paintings --------------------------------------------------------------------------------


def test_completing_one_painting_and_going_on_with_the_other():
    """EX10, DV-P9, DV-P14: green1 counts nothing; 4 + 2 + level 3"""
    state = position(["green1 yellow4 blue2"], ["ginevra open 3", "annunciazione"], esteem=[22])
    state.apply("paint ginevra 3 green1", ["painting magi"])
    painted(state, "annunciazione 0 yellow4", "annunciazione 4 blue2")
    assert esteem(state) == 22 + 4 + 2 + 3 == 31
    assert look(state)["taken"] == {"ginevra": 0}


@pytest.mark.parametrize(
    ("both", "after", "taken"), [(False, 22 + 4 + 3, {}), (True, 22 + 0 + 3, {"ginevra": 0})]
)
def test_cards_of_the_action_on_a_painting_that_it_completes_lose_their_points(both, after, taken):
    """EX11, DV-P9: also the card placed before the completing one"""
    state = position(["yellow4 green1"], ["ginevra open 1 3", "annunciazione"], esteem=[22])
    state.apply("paint ginevra 1 yellow4")
    state.apply("paint ginevra 3 green1" if both else "stop")
    assert (esteem(state), look(state)["taken"]) == (after, taken)


def test_a_painting_is_complete_with_every_marked_slot_filled():
    """DV-P10: battista has five; slot 3 is unmarked"""
    state = position(["green1 green2"], ["battista 0=brown1 1=green3 2=blue1 4=red1", "cena"])
    state.apply("paint battista 5 green1", ["painting rocce"])
    assert look(state)["taken"] == {"battista": 0}


def test_all_cards_of_the_painting_are_discarded_at_once_whoever_placed_them():
    """DV-P12, R15: public, in the middle of the action"""
    state = position(["?green1 blue2"], ["battista 0=brown1 1=green3 2=blue1 4=red1", "cena"])
    step = state.apply("paint battista 5 green1", ["painting rocce"])
    assert state.phase == "paint"
    assert look(state, 1)["discard"] == dict.fromkeys(["blue1", "red1", "brown1", "green1", "green3"], 1)
    assert step.words(1) == [shows(0, 0, "green1"), "painting rocce"]
    assert step.words(0) == ["painting rocce"]


def test_the_new_painting_is_any_that_was_not_seen():
    """DV-P13, DV-S5: three players, none taken: six unseen"""
    found = set()
    for seed in range(120):
        state = position(["green1 blue1"], ["ginevra open 3", "cena"], seed=seed)
        state.apply("paint ginevra 3 green1")
        found.add(look(state)["places"][0]["painting"])
    assert found == {"gioconda", "rocce", "annunciazione", "magi", "ermellino", "battista"}


def test_with_an_empty_painting_deck_the_place_stays_empty():
    """EX18, DV-P13, R13: place 0 goes on alone"""
    state = position(
        ["green1 blue1 red1"], ["cena", "ginevra open 3"], players=2, leonardo=1, paintings_left=0
    )
    step = state.apply("paint ginevra 3 green1")
    assert not any(word.startswith("painting") for word in step.words(None))
    seen = look(state)
    assert (seen["places"][1], seen["paintings_left"]) == (None, 0)
    assert (state.to_move, seen["round"]) == (0, 2), (
        "no slot is left after the last: action and round are over"
    )
    assert not state.is_terminal
    assert "paint cena 0 blue1" in state.legal_words


def test_several_paintings_may_be_completed_in_one_action():
    """DV-P14, DV-P9, R6: both at once, the level alone counts"""
    state = position(["green1 blue1 red1"], ["ginevra open 3", "battista open 2"], esteem=[12], players=4)
    state.apply("paint ginevra 3 green1", ["painting rocce"])
    state.apply("paint battista 2 blue1", ["painting magi"])
    assert [place["painting"] for place in look(state)["places"]] == ["rocce", "magi"]
    state.apply("stop")
    assert look(state)["taken"] == {"ginevra": 0, "battista": 0}
    assert esteem(state) == 12 + 2


def test_the_limit_of_four_holds_over_new_paintings():
    """DV-P1, DV-P14"""
    state = position(["green1 green2 brown1 yellow2 red2"], ["ginevra open 3", "magi"])
    state.apply("paint ginevra 3 green1", ["painting rocce"])
    painted(state, "rocce 0 green2", "rocce 2 brown1", "rocce 4 yellow2")
    assert (state.to_move, hand(state, 0)) == (1, "red2")
    assert esteem(state) == 2 + 1 + 2


EX21_OPEN = "gioconda open 0 4"


@pytest.mark.parametrize(
    ("bonus", "stopped", "went_on"), [("level", 22 + 3, 28), ("none", 22, 28), ("all", 22 + 3 + 1, 29)]
)
def test_what_a_completing_action_is_worth_by_option(bonus, stopped, went_on):
    """EX21, R6: owner of `brown_green`; going on: 2 + 3 + 1, with `all` one more for green1"""
    for second, expected in (("stop", stopped), ("paint gioconda 0 brown2", went_on)):
        state = position(
            ["green1 brown2"],
            ["ginevra open 3", EX21_OPEN],
            esteem=[22],
            masteries={"brown_green": 0},
            game=davinci(completion_bonus=bonus),
        )
        state.apply("paint ginevra 3 green1", ["painting magi"])
        assert look(state)["done_count"] == ({"green": 1} if bonus == "all" else {})
        state.apply(second)
        assert esteem(state) == expected


@pytest.mark.parametrize(("mastery", "after"), [("card", 2), ("colour", 1), ("action", 1)])
def test_completing_cards_count_for_the_mastery_in_each_way(mastery, after):
    """R6, R7: two greens, both completing"""
    game = davinci(completion_bonus="all", mastery_bonus=mastery)
    state = position(
        ["green1 green2"], ["battista open 1 5", "cena"], masteries={"brown_green": 0}, game=game
    )
    state.apply("paint battista 1 green1")
    state.apply("paint battista 5 green2", ["painting rocce"])
    assert esteem(state) == after


def ex22(paintings_left):
    state = position(
        ["red1 red3 blue2"], ["gioconda open 1 4", "magi open 0"], paintings_left=paintings_left, esteem=[5]
    )
    state.apply("paint gioconda 1 red1")
    assert look(state)["last_slot"] == [0, 1]
    return state


def test_after_a_reveal_the_order_starts_anew():
    """EX22, DV-P14: blue2 goes on slot 0 of the new painting, though slot 0 came before"""
    state = ex22(paintings_left=2)
    state.apply("paint magi 0 red3", ["painting cena"])
    assert look(state)["last_slot"] is None
    assert paints(state) == ["cena 0 blue2", "cena 1 blue2"]
    state.apply("paint cena 0 blue2")
    assert esteem(state) == 5 + 1 + 2 + 1, "red1 and blue2, and level 1; red3 completed"


def test_without_a_reveal_it_does_not():
    """EX22, R13, R20: no slot after the last one: the action ends by itself, 1 + level 1"""
    state = ex22(paintings_left=0)
    state.apply("paint magi 0 red3")
    assert (state.to_move, esteem(state), hand(state, 0)) == (1, 5 + 1 + 1, "blue2")


def test_a_player_without_a_fitting_card_is_still_asked():
    """R20: whether the hand fits is nobody's business; only `stop` is legal"""
    state = position(["red1 green1"], ["magi", "ermellino"])
    state.apply("paint magi 3 red1")
    assert state.legal_words == ["stop"]


# --- masteries ------------------------------------------------------------------------------------------


def test_a_claim_shows_the_combination_and_the_cards_stay_in_hand():
    """EX16, DV-M1, DV-M3, R9: blue1 was known, blue4 and red3 become so"""
    state = position(["blue1 ?blue4 ?red3"])
    step = state.apply("claim blue_red")
    assert look(state)["masteries"] == {"blue_red": 0}
    assert known(state, 0) == hand(state, 0) == "blue1 blue4 red3"
    assert step.words(1) == [shows(0, 0, "blue4", "red3")]
    assert step.words(0) == []
    assert (state.to_move, state.phase) == (1, "main")


def test_known_cards_are_shown_first_then_the_lower_hidden_ones():
    """EX16, R9: blue4 stays hidden"""
    state = position(["blue1 ?blue4 ?red3 ?blue2"])
    step = state.apply("claim blue_red")
    assert step.words(2) == [shows(0, 0, "blue2", "red3")]
    assert known(state, 0) == "blue1 blue2 red3"
    assert hidden(state, 0) == [(0, "blue4")]


def test_a_claim_with_known_cards_shows_nothing_new():
    """DV-M3, R9"""
    state = position(["blue1 blue2 red3 ?blue3"])
    assert state.apply("claim blue_red").words(1) == []
    assert hidden(state, 0) == [(0, "blue3")]


@pytest.mark.parametrize(
    ("cards", "claims"),
    [
        ("blue1 red1 red2", []),
        ("blue1 blue2 red1", ["blue_red"]),
        ("red1 red2 yellow1", ["red_yellow"]),
        ("yellow1 yellow2 brown1", ["yellow_brown"]),
        ("brown1 brown2 green1", ["brown_green"]),
        ("green1 green2 blue1", ["green_blue"]),
        ("blue1 red1 yellow1 brown1 green1", ["palette"]),
        ("blue1 blue2 red1 red2 yellow1", ["blue_red", "red_yellow"]),
        ("?blue1 ?blue2 ?green1 green2 red1", ["blue_red", "green_blue"]),
    ],
)
def test_a_mastery_asks_for_its_combination(cards, claims):
    """DV-M1"""
    state = position([cards])
    assert [w.removeprefix("claim ") for w in state.legal_words if w.startswith("claim ")] == claims


def test_one_mastery_per_action_and_never_again():
    """DV-M2: seat 1 has the cards too, but `blue_red` is gone; `green_blue` is not"""
    state = position(["blue1 blue2 red1 green1 green2", "blue3 blue4 red2 green3 green4"])
    state.apply("claim blue_red")
    assert state.to_move == 1
    assert [w for w in state.legal_words if w.startswith("claim")] == ["claim green_blue"]
    with pytest.raises(SfumatoError):
        state.apply("claim blue_red")


def test_a_player_may_own_several():
    """DV-M2"""
    state = position(["blue1 blue2 red1 green1 green2"], masteries={"blue_red": 0})
    state.apply("claim green_blue")
    assert look(state)["masteries"] == {"blue_red": 0, "green_blue": 0}


# --- which card is played -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "words", "left_hidden"),
    [
        pytest.param("red1 ?red1 blue1", [], [(0, "red1")], id="the known copy first"),
        pytest.param("?red1 ?red1:1 blue1", ["shows 0 0 red1"], [(1, "red1")], id="then the oldest"),
        pytest.param("?red1:1 ?red2 blue1", ["shows 0 1 red1"], [(0, "red2")], id="with its cycle"),
    ],
)
def test_of_equal_cards_the_known_one_is_played_then_the_oldest(cards, words, left_hidden):
    """R16: everybody sees from which deck a hidden card came"""
    state = position([cards], ["magi", "cena"], cycle=1)
    step = state.apply("paint magi 0 red1")
    assert step.words(1) == words
    state.apply("stop")
    assert hidden(state, 0) == left_hidden


def test_a_discard_follows_the_same_rule():
    """R16, R15"""
    state = position(["?red1 ?red1:1 blue1 blue2 blue3"], cycle=1)
    state.apply("draw", ["draw green2"])
    step = state.apply("discard red1")
    assert step.words(2) == ["shows 0 0 red1"]
    assert hidden(state, 0) == [(1, "red1"), (1, "green2")]
