"""Atelier Da Vinci: the Leonardo Action, and the deck that runs out."""

from __future__ import annotations

import pytest
from davinci_table import davinci, deck, hidden, leonardo, look, position


def leonardo_words(*placements):
    return [leonardo(*placement) for placement in placements]


def test_leonardo_chooses_a_table_card_and_a_slot_but_never_the_last_slot():
    """EX12, DV-L1, DV-L2: only ermellino (blue red red - yellow blue); battista lacks one card"""
    state = position(
        places=["battista open 2", "ermellino"], table="red4 blue1", phase="leonardo", leonardo=0
    )
    assert state.legal_words == leonardo_words(
        ("ermellino", 0, "blue1"),
        ("ermellino", 1, "red4"),
        ("ermellino", 2, "red4"),
        ("ermellino", 5, "blue1"),
    )


def test_leonardo_gives_no_points():
    """EX12, DV-L3: value 4, level 2 and a mastery of red, and nothing of it"""
    state = position(
        places=["battista open 2", "ermellino"],
        table="red4 blue1",
        phase="leonardo",
        leonardo=0,
        esteem=[15],
        masteries={"blue_red": 0},
    )
    step = state.apply(leonardo("ermellino", 1, "red4"))
    seen = look(state)
    assert seen["esteem"] == [15, 0, 0]
    assert seen["table"] == {"blue1": 1}
    assert seen["places"][1]["cards"] == [None, "red4", None, None, None, None]
    assert seen["places"][1]["fresh"] == [], "the turn is over, the paint is dry"
    assert (state.to_move, state.phase) == (1, "main")
    assert step.words(None) == []


def test_leonardo_respects_the_wet_paint_of_the_same_turn():
    """EX13, DV-L5, R4: the fresh blue3 on slot 0 keeps red off slot 1"""
    state = position(["blue3"], ["ermellino", "ginevra open 3"], "red4", leonardo=0)
    state.apply("paint ermellino 0 blue3")
    assert state.phase == "leonardo"
    assert state.legal_words == leonardo_words(("ermellino", 2, "red4"))
    assert look(state)["places"][0]["fresh"] == [0]


def test_an_unmarked_slot_separates_wet_paint():
    """EX13, R3: slot 3 of ermellino lies between 2 and 4"""
    state = position(["yellow3"], ["ermellino", "ginevra open 3"], "red4", leonardo=0)
    state.apply("paint ermellino 4 yellow3")
    assert state.legal_words == leonardo_words(("ermellino", 1, "red4"), ("ermellino", 2, "red4"))


def test_leonardos_card_comes_on_top_of_the_four():
    """R4, DV-L5: a fifth card by the Leonardo Action; slot 1 of cena touches the fresh red"""
    state = position(["brown4 brown3 yellow4 red4"], ["rocce", "cena"], "blue1", leonardo=0)
    for words in ("rocce 1 brown4", "rocce 2 brown3", "rocce 4 yellow4", "cena 2 red4"):
        state.apply(f"paint {words}")
    assert (state.phase, look(state)["esteem"][0]) == ("leonardo", 4 + 3 + 4 + 4)
    assert state.legal_words == leonardo_words(("cena", 0, "blue1"))
    state.apply(leonardo("cena", 0, "blue1"))
    assert look(state)["esteem"][0] == 15


def test_with_wet_paint_off_leonardo_may_paint_beside_fresh_cards():
    """R3: the same table with `wet_paint=off`"""
    state = position(
        ["brown4 brown3 red4"], ["rocce", "cena"], "green2", leonardo=0, game=davinci(wet_paint="off")
    )
    for words in ("rocce 1 brown4", "rocce 2 brown3", "cena 2 red4"):
        state.apply(f"paint {words}")
    assert state.legal_words == leonardo_words(
        ("cena", 3, "green2"), ("rocce", 0, "green2"), ("rocce", 3, "green2")
    )


def test_leonardo_takes_a_table_card_whenever_one_fits():
    """R10, DV-L1, DV-L4: no deck card instead, whatever the player would like"""
    state = position(["red1"], ["rocce", "gioconda"], "yellow1", leonardo=0)
    step = state.apply("draw")
    assert state.phase == "leonardo"
    assert state.legal_words == leonardo_words(
        ("gioconda", 2, "yellow1"), ("gioconda", 4, "yellow1"), ("rocce", 4, "yellow1")
    )
    assert not any(word.startswith("turn") for word in step.words(None))


@pytest.mark.parametrize(
    ("places", "table"),
    [
        pytest.param(["rocce", "cena"], "", id="an empty table"),
        pytest.param(["battista", "ermellino open 1 2"], "yellow1 yellow4", id="no matching colour"),
        pytest.param(["ginevra open 3", "rocce open 4"], "green1 yellow1", id="only completing placements"),
    ],
)
def test_if_no_table_card_can_be_placed_a_card_is_turned_over(places, table):
    """R10, DV-L4"""
    state = position(places=places, table=table, leonardo=0)
    step = state.apply("draw")
    assert [word.split()[0] for word in step.words(None)] == ["draw", "turn"]
    assert [word.split()[0] for word in step.words(1)] == ["turn"]


def test_a_card_turned_over_must_be_placed_if_it_can_and_the_holder_chooses_where():
    """DV-L4: red2 on ermellino, slots 1 and 2 are red"""
    state = position(places=["ermellino", "ginevra open 3"], table="brown1", leonardo=0)
    step = state.apply("draw", ["draw blue1", "turn red2"])
    assert step.words(2) == ["turn red2"]
    assert (state.to_move, state.phase, look(state)["drawn"]) == (0, "leo_drawn", "red2")
    assert state.legal_words == leonardo_words(("ermellino", 1, "red2"), ("ermellino", 2, "red2"))
    state.apply(leonardo("ermellino", 2, "red2"))
    seen = look(state)
    assert seen["places"][0]["cards"][2] == "red2"
    assert (seen["drawn"], seen["esteem"], seen["table"]) == (None, [0, 0, 0], {"brown1": 1})
    assert (state.to_move, state.phase) == (1, "main")


def test_a_card_turned_over_may_not_complete_a_painting_either():
    """R10, DV-L2, DV-L4: green2 would fit ginevra's last slot and is discarded"""
    state = position(places=["ginevra open 3", "ermellino"], table="brown1", leonardo=0)
    state.apply("draw", ["draw blue1", "turn green2"])
    assert (state.to_move, look(state)["discard"]) == (1, {"green2": 1})


def test_two_paintings_with_one_open_slot_each_make_the_action_a_discard():
    """EX14, DV-L2, DV-L4"""
    state = position(places=["ginevra open 3", "battista open 2"], table="green3 blue3 red4", leonardo=0)
    step = state.apply("take red4")
    (turned,) = step.words(None)
    assert turned.startswith("turn ")
    assert look(state)["discard"] == {turned.removeprefix("turn "): 1}
    assert (state.to_move, look(state)["table"]) == (1, {"green3": 1, "blue3": 1})


def nearly_all_laid(**more):
    """Two players, every card but two on the table, in hands or on paintings: 4 + 4 + 5 + 10 of 25."""
    return position(
        ["green1 green2 green2 yellow1", "yellow2 yellow2 yellow3 brown1 brown2"],
        [
            "cena 0=blue1 1=blue2 2=red2 3=green3 4=red2",
            "gioconda 0=brown2 1=red3 2=yellow4 3=green4 5=blue2",
        ],
        "blue3 blue4 red4 brown3",
        players=2,
        leonardo=0,
        unseen="",
        **more,
    )


def test_an_empty_deck_is_made_anew_from_the_discard_pile_for_the_leonardo_action():
    """EX14, DV-E2, R14: red1 and brown4 become the deck of cycle 1, one of them is turned and discarded"""
    state = nearly_all_laid()
    assert look(state)["discard"] == {"red1": 1, "brown4": 1}
    step = state.apply("take brown3", ["reshuffle", "turn red1"])
    seen = look(state)
    assert step.words(1) == ["reshuffle", "turn red1"]
    assert (seen["cycle"], seen["deck_count"], seen["discard"]) == (1, 1, {"red1": 1})
    assert deck(state) == ["brown4"]


def test_the_last_card_of_the_deck_brings_no_reshuffle():
    """R14, DV-E2: only when a card is needed and there is none; cards on table and paintings stay"""
    state = position(unseen="red1", table="blue4 green4", players=4)
    before = look(state)
    state.apply("draw", ["draw red1"])
    seen = look(state, 1)
    assert (seen["cycle"], seen["deck_count"], seen["discard"]) == (0, 0, before["discard"])
    step = state.apply("draw", ["reshuffle", "draw red2"])
    seen = look(state, 1)
    assert (seen["cycle"], seen["discard"]) == (1, {})
    assert seen["deck_count"] == sum(before["discard"].values()) - 1
    assert (seen["table"], seen["places"]) == (before["table"], before["places"])
    assert hidden(state, 1) == [(1, "red2")], "a card drawn after the reshuffle is of the new cycle"
    assert [step.words(seat) for seat in (0, 1)] == [["reshuffle"], ["reshuffle", "draw red2"]]
