"""The Painter's Studio: place, move, collect, paint and gain, and the order of small decisions."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import pytest
from painters_studio_table import (
    COLOURS,
    NOTHING,
    PAINTINGS,
    dice,
    legal,
    look,
    paint,
    play,
    pool,
    position,
    stock,
    students,
    studio,
    tokens,
)
from sfumato.games import SfumatoError

# --- place ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("face", [1, 2])
@pytest.mark.parametrize("colour", [0, 1, 2, 3])
def test_a_1_or_a_2_places_a_student_at_any_pile(face, colour):
    """PS-D1"""
    state = position(f"{face} 3 3", students=[(1, 1, 1, 1)])
    state.apply(f"place {COLOURS[colour]}")
    assert students(state) == tuple(1 + (other == colour) for other in range(4))
    assert (pool(state), dice(state)) == (7, "3 3")


@pytest.mark.parametrize(("placed", "possible"), [((3, 3, 3, 2), True), ((3, 3, 3, 3), False)])
def test_an_empty_pool_places_nobody(placed, possible):
    """PS-D1, PS-S5, R4: 12 students"""
    state = position("1 1 3", students=[placed])
    assert legal(state, "place") == ([f"place {colour}" for colour in COLOURS] if possible else [])


# --- move -----------------------------------------------------------------------------------------------


def test_of_each_player_none_or_one_student_moves():
    """EX7, PS-D2: mover seat 1; the owners come from the mover clockwise, those without students left out"""
    state = position("3 6", to_move=1, students=[(1, 0, 0, 0), NOTHING, (0, 2, 0, 0)])
    state.apply("move")
    assert dice(state) == "6"
    assert (state.phase, look(state)["sub"]["owner"], look(state)["sub"]["moved"]) == ("move", 2, False)
    assert sorted(legal(state)) == ["shift green blue", "shift green red", "shift green yellow", "skip"]
    other = state.child("skip", seed=1)
    assert look(other)["sub"]["owner"] == 0
    assert legal(other) == ["shift blue green", "shift blue red", "shift blue yellow"]
    state.apply("shift green red")
    assert look(state)["sub"] == {
        "card": None,
        "pending": False,
        "left": None,
        "colour": None,
        "owner": 0,
        "moved": True,
    }
    assert sorted(legal(state)) == ["shift blue green", "shift blue red", "shift blue yellow", "skip"]
    state.apply("skip")
    assert [students(state, seat) for seat in range(3)] == [(1, 0, 0, 0), NOTHING, (0, 1, 1, 0)]
    assert (state.phase, state.to_move) == ("turn", 1)


def moves(state):
    """All results of a move: the students of all seats after it, with the number of ways to say it."""
    found = Counter()
    open_states = [state.child("move", seed=1)]
    while open_states:
        at = open_states.pop()
        if at.phase != "move":
            found[tuple(students(at, seat) for seat in range(at.players))] += 1
            continue
        open_states += [at.child(words, seed=1) for words in at.legal_words]
    return found


def test_sources_and_targets_are_independent():
    """PS-D2: seat 0 at blue, seat 1 at blue and red, seat 2 nowhere: 3 + 1 ways for seat 0, 6 + 1 for seat 1,
    without moving nobody 4 * 7 - 1 = 27; each result is said in one way"""
    state = position("3 6", students=[(1, 0, 0, 0), (1, 0, 1, 0)])
    found = moves(state)
    assert len(found) == 4 * 7 - 1
    assert set(found.values()) == {1}
    assert ((1, 0, 0, 0), (1, 0, 1, 0), NOTHING) not in found
    assert ((0, 1, 0, 0), (0, 0, 1, 1), NOTHING) in found, "both leave blue, for different piles"
    assert ((0, 1, 0, 0), (1, 1, 0, 0), NOTHING) in found, "different piles, one target"


def test_no_student_at_any_pile_means_no_move():
    """PS-D2, R4"""
    assert "move" not in position("3 6").legal_words
    assert "move" in position("3 6", students=[NOTHING, (0, 0, 0, 1)]).legal_words


def test_the_last_owner_must_move_if_nobody_did():
    """PS-D2, EX7: one student of another player only"""
    state = position("3 6", students=[NOTHING, (0, 0, 0, 1)])
    state.apply("move")
    assert legal(state) == ["shift yellow blue", "shift yellow green", "shift yellow red"]


# --- collect --------------------------------------------------------------------------------------------

A, B, C, D = (2, 1, 0, 1), (1, 1, 3, 1), (0, 0, 0, 1), (0, 1, 0, 0)


@pytest.mark.parametrize(
    ("table", "seat", "expected"),
    [
        pytest.param([A, B, C], 0, (1, 0, 0, 0), id="three players, blue 2 to 1"),
        pytest.param([A, B, C], 1, (0, 0, 1, 0), id="three players, red alone"),
        pytest.param([A, B, C], 2, None, id="three players, a tie for yellow"),
        pytest.param([A, B, C, D], 0, (1, 1, 0, 1), id="four players, ties pay"),
        pytest.param([A, B, C, D], 1, (0, 1, 1, 1), id="four players, blue is behind"),
        pytest.param([A, B, C, D], 2, (0, 0, 0, 1), id="four players, yellow only"),
        pytest.param([A, B, C, D], 3, (0, 1, 0, 0), id="four players, not without a student"),
        pytest.param([(1, 0, 0, 2), (1, 1, 0, 1)], 0, (0, 0, 0, 1), id="two players, a tie pays nobody"),
    ],
)
def test_collecting_where_one_has_the_most_students(table, seat, expected):
    """EX2, PS-D3, PS-D4, R5"""
    state = position("4 6", players=len(table), to_move=seat, students=table)
    if expected is None:
        assert "collect" not in state.legal_words
        return
    state.apply("collect")
    assert paint(state, seat) == expected
    assert dice(state) == "6"


def test_an_empty_pile_is_passed_over():
    """EX2, PS-D10: with four players A leads blue, green and yellow; all 15 blue cylinders are taken"""
    state = position("4 6", players=4, students=[A, B, C, D], paint=[NOTHING, (15, 0, 0, 0)])
    state.apply("collect")
    assert paint(state) == (0, 1, 0, 1)


def test_a_collect_that_takes_nothing_is_not_allowed():
    """R4, PS-D10: the only lead is at an empty pile"""
    assert (
        "collect"
        not in position("4 6", students=[(1, 0, 0, 0)], paint=[(7, 0, 0, 0), (8, 0, 0, 0)]).legal_words
    )
    assert (
        "collect" in position("4 6", students=[(1, 0, 0, 0)], paint=[(7, 0, 0, 0), (7, 0, 0, 0)]).legal_words
    )


# --- gain -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("colour", [0, 1, 2, 3])
def test_a_6_takes_a_paint_of_any_colour(colour):
    """PS-D9: students do not matter"""
    state = position("3 6 6", students=[NOTHING, (3, 3, 3, 3)])
    state.apply(f"gain {COLOURS[colour]}")
    assert paint(state) == tuple(int(other == colour) for other in range(4))
    assert sum(stock(state)) == 59
    assert dice(state) == "3 6"


@pytest.mark.parametrize(("held", "possible"), [(14, True), (15, False)])
def test_nothing_is_taken_from_an_empty_pile(held, possible):
    """PS-D10, PS-S4, R4: 15 cylinders of a colour"""
    state = position("6 6", paint=[NOTHING, (0, 0, held, 0)])
    assert ("gain red" in state.legal_words) is possible
    assert len(legal(state, "gain")) == 3 + possible


def test_a_6_is_useless_when_all_60_paints_are_held():
    """R4, PS-D10, R14: no limit but the piles"""
    state = position("6 6", paint=[(15, 15, 0, 0), (0, 0, 15, 15)], tokens=[0])
    assert legal(state, "gain", "inspire") == ["inspire"]


# --- paint ----------------------------------------------------------------------------------------------


def test_painting_pays_exactly_the_cost_and_fills_the_display_up():
    """PS-D5, PS-D8, PS-P1: im06 costs 3 blue and 1 yellow"""
    state = position("5 6", paint=[(4, 1, 0, 2)], display="im06 ro01", students=[NOTHING, (1, 0, 0, 0)])
    assert sorted(legal(state, "paint")) == ["paint im06", "paint ro01"]
    step = state.apply("paint im06", ["refill po02"])
    seen = look(state)
    assert paint(state) == (1, 1, 0, 1)
    assert stock(state) == (14, 14, 15, 14)
    assert seen["paintings"] == [["im06"], [], []]
    assert len(seen["display"]) == 7
    assert "po02" in seen["display"] and "im06" not in seen["display"]
    assert step.words(1) == ["refill po02"]
    assert dice(state) == "6"


@pytest.mark.parametrize(
    ("held", "payable"),
    [
        ((3, 0, 0, 1), True),
        ((2, 0, 0, 1), False),
        ((3, 0, 0, 0), False),
        ((3, 5, 5, 0), False),
        ((9, 9, 9, 9), True),
    ],
)
def test_a_painting_must_be_paid_in_its_own_colours(held, payable):
    """PS-D5, R4"""
    state = position("5 6", paint=[held], display="im06")
    assert ("paint im06" in state.legal_words) is payable


def test_only_a_face_up_painting_can_be_painted():
    """PS-D5: im01 lies in the deck"""
    state = position("5 6", paint=[(9, 9, 9, 9)], display="im02 im03 im04 im05 im06 im07 im08")
    assert legal(state, "paint") == [f"paint im0{number}" for number in range(2, 9)]


def test_the_order_of_painting():
    """EX3, PS-D5, PS-D6, PS-D7, PS-D8, R9, R11: pay, students go home, the power, then the refill"""
    state = position("5 6", paint=[(2, 1, 1, 1)], students=[(0, 2, 1, 0)], display="im05")
    state.apply("paint im05")
    assert (paint(state), len(look(state)["display"])) == ((0, 1, 0, 0), 6)
    assert (state.phase, legal(state)) == ("return", ["back green", "back red"])
    state.apply("back red")
    assert (students(state), pool(state), len(look(state)["display"])) == ((0, 2, 0, 0), 10, 6)
    assert (state.phase, legal(state)) == ("e_place", [f"place {colour}" for colour in COLOURS])
    other = state.child("place green", seed=1)
    assert legal(other) == ["place green", "place red", "place yellow"]
    state.apply("place blue")
    assert legal(state) == [f"place {colour}" for colour in COLOURS]
    assert len(look(state)["display"]) == 6
    state.apply("place yellow", ["refill po01"])
    assert (students(state), pool(state)) == ((1, 2, 0, 1), 8)
    assert (state.phase, len(look(state)["display"])) == ("turn", 7)


def test_nobody_at_a_pile_nobody_goes_home():
    """EX3, PS-D6: the power follows at once"""
    state = position("5 6", paint=[(2, 1, 1, 1)], display="im05")
    state.apply("paint im05")
    assert (state.phase, pool(state)) == ("e_place", 12)


def test_students_of_one_pile_go_home_by_themselves():
    """EX3, R16"""
    state = position("5 6", paint=[(2, 1, 1, 1)], students=[(0, 0, 3, 0)], display="im05")
    state.apply("paint im05")
    assert (state.phase, students(state)) == ("e_place", (0, 0, 2, 0))


@pytest.mark.parametrize(
    ("placed", "left"), [((1, 0, 0, 1), NOTHING), ((0, 0, 0, 2), NOTHING), ((0, 0, 3, 0), NOTHING)]
)
def test_as_many_students_return_as_there_are(placed, left):
    """PS-D6: ro10 sends 3 home"""
    state = position("5 6", paint=[(1, 3, 2, 1)], students=[placed], display="ro10")
    state.apply("paint ro10")
    assert (state.phase, students(state), pool(state)) == ("turn", left, 12)


def returns(state):
    """Every result of sending students home, with the number of ways to say it."""
    found = Counter()
    open_states = [state]
    while open_states:
        at = open_states.pop()
        if at.phase == "return":
            open_states += [at.child(words, seed=1) for words in at.legal_words]
        else:
            found[students(at)] += 1
    return found


def test_the_painter_chooses_the_piles_and_each_choice_is_said_in_one_way():
    """PS-D6, R9: 3 of (2, 1, 0, 2) go home: of 5 students 2 stay"""
    state = position("5 6", paint=[(1, 3, 2, 1)], students=[(2, 1, 0, 2)], display="ro10")
    found = returns(state.child("paint ro10", seed=1))
    stay = [(2, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 0, 2)]
    assert found == dict.fromkeys(stay, 1)


def test_back_goes_on_in_the_order_of_the_colours():
    """PS-D6, R9, R16: after `back green` no blue; yellow alone would not suffice for three, nor for two"""
    state = position("5 6", paint=[(1, 3, 2, 1)], students=[(2, 3, 0, 1)], display="ro10")
    state.apply("paint ro10")
    assert legal(state) == ["back blue", "back green"]
    assert look(state)["sub"] == {
        "card": "ro10",
        "pending": True,
        "left": 3,
        "colour": "blue",
        "owner": None,
        "moved": None,
    }
    # A second green student must follow, which happens by itself: yellow has one.
    state.apply("back green")
    assert (students(state), legal(state)) == ((2, 1, 0, 1), ["back green", "back yellow"])
    assert (look(state)["sub"]["left"], look(state)["sub"]["colour"]) == (1, "green")


def test_a_smaller_display_when_the_deck_is_empty():
    """R11, PS-D8: 33 paintings are owned, the display has the other 7; painting one leaves 6"""
    shown = "im01 im02 im03 im04 im05 im06 im07"
    rest = [name for name in PAINTINGS if name not in shown.split()]
    # First Master was taken long ago: seat 0 owns masterpieces, and this is the last round.
    owned = [" ".join(rest[:12]), " ".join(rest[12:24]), " ".join(rest[24:])]
    given = {"first_master": 0, "final_round": 6, "round": 6, "paintings": owned, "display": shown}
    state = position("5 6", paint=[(1, 0, 1, 0)], **given)
    step = state.apply("paint im01")
    assert step.words(None) == []
    assert len(look(state)["display"]) == 6
    with pytest.raises(SfumatoError) as refused:
        position("5 6", paint=[(1, 0, 1, 0)], **given).apply("paint im01", ["refill po01"])
    assert refused.value.code == "bad_event"


def test_a_painting_may_be_painted_with_the_paint_of_the_same_turn():
    """PS-T4, PS-D5: a 6 brings the missing red"""
    state = position("5 6", paint=[(1, 0, 0, 0)], display="im01")
    assert legal(state, "paint") == []
    state.apply("gain red")
    assert legal(state, "paint") == ["paint im01"]


def test_any_number_of_paints_tokens_and_paintings_may_be_held():
    """R14"""
    state = position("6 6", paint=[(15, 15, 15, 0)], tokens=[17, 1, 1])
    play(state, "gain yellow", "gain yellow")
    assert paint(state) == (15, 15, 15, 2)
    assert tokens(state)[0] == 17


# --- the order of small decisions -----------------------------------------------------------------------


def test_places_come_before_gains_and_colours_in_order():
    """EX8, R19"""
    state = position("1 2 6 6")
    assert legal(state, "place", "gain") == [
        f"{word} {colour}" for word in ("place", "gain") for colour in COLOURS
    ]
    gained = state.child("gain red", seed=1)
    assert legal(gained) == ["gain red", "gain yellow", "end_turn"]
    assert look(gained)["last"] == "gain red"
    state.apply("place green")
    assert legal(state, "place") == ["place green", "place red", "place yellow"]
    assert legal(state, "gain") == [f"gain {colour}" for colour in COLOURS]
    assert "end_turn" in state.legal_words
    assert look(state)["last"] == "place green"


def test_an_end_that_is_all_that_the_order_leaves_is_played_by_itself():
    """EX8, R16, R19: a place die is active, but places come first"""
    state = position("1 2 6 6")
    state.apply("gain red")
    step = state.apply("gain yellow", ["roll 1 1 1 1"])
    assert step.words(0) == ["roll 1 1 1 1"]
    assert (state.to_move, look(state)["active"]) == (1, [2, 4, 4])


def test_another_decision_ends_the_run():
    """R19: after a collect the order starts anew"""
    state = position("1 4 6 6", students=[(1, 0, 0, 0)])
    play(state, "gain yellow", "collect")
    assert look(state)["last"] is None
    assert legal(state, "place") == [f"place {colour}" for colour in COLOURS]
    assert legal(state, "gain") == [f"gain {colour}" for colour in COLOURS]


def test_the_run_of_a_turn_does_not_bind_the_next_turn():
    """R19: the same player, the next turn"""
    state = position("1 6", active=[2, 0, 0])
    state.apply("gain yellow", ["roll 1"])
    assert (state.to_move, look(state)["last"], look(state)["active"]) == (0, None, [1, 0, 0])
    assert legal(state, "place") == [f"place {colour}" for colour in COLOURS]


def test_the_order_of_an_effect_is_its_own():
    """R19: im05's students may stand anywhere, though a die's `place` was yellow"""
    state = position("1 1 5", paint=[(2, 0, 1, 1)], display="im05", students=[(0, 0, 0, 0)])
    play(state, "place yellow", "paint im05")
    assert state.phase == "e_place"
    assert legal(state) == [f"place {colour}" for colour in COLOURS]


def test_option_canonical_off_keeps_no_order():
    """R19"""
    state = position("1 2 6 6", game=studio(canonical=False))
    state.apply("gain red")
    assert look(state)["last"] is None
    assert legal(state, "place") == [f"place {colour}" for colour in COLOURS]
    assert legal(state, "gain") == [f"gain {colour}" for colour in COLOURS]
    play(state, "gain blue", "place yellow", "place blue")
    assert (paint(state), students(state)) == ((1, 0, 1, 0), (1, 0, 0, 1))


def ends_of_turn(state):
    """Paint and students of seat 0 wherever its turn may be ended, over all ways of placing and gaining."""
    found = Counter()
    open_states = [state]
    while open_states:
        at = open_states.pop()
        if at.to_move != 0:
            found[paint(at), students(at)] += 1
            continue
        if "end_turn" in at.legal_words:
            found[paint(at), students(at)] += 1
        open_states += [at.child(words, seed=1) for words in legal(at, "place", "gain")]
    return found


@pytest.mark.parametrize("held", [(0, 0, 0, 0), (0, 14, 15, 0)])
def test_nothing_is_lost_by_the_order(held):
    """R19: the same positions can be reached with and without it, also with scarce piles; with it each in one
    way"""
    given = {"dice": "1 1 6 6", "paint": [NOTHING, held], "tokens": [0]}
    ordered = ends_of_turn(position(**given))
    free = ends_of_turn(position(**given, game=studio(canonical=False)))
    assert set(ordered) == set(free)
    assert set(ordered.values()) == {1}
    by_hand = set()
    for places, gains in product(range(3), range(3)):
        for colours in product(range(4), repeat=places + gains):
            gained = tuple(colours[places:].count(colour) for colour in range(4))
            placed = tuple(colours[:places].count(colour) for colour in range(4))
            if places + gains and all(15 - h >= g for h, g in zip(held, gained, strict=True)):
                by_hand.add((gained, placed))
    assert set(ordered) == by_hand


def test_every_order_of_the_dice_of_different_kinds_is_possible():
    """PS-T4, R19: move, collect and paint may come in any order between the others"""
    for order in permutations(["move", "collect", "place blue"]):
        state = position("1 3 4", students=[(2, 0, 0, 0), (0, 2, 0, 0)])
        for words in order:
            assert words in state.legal_words
            state.apply(words)
            if state.phase == "move":
                play(state, "skip", "shift green red")
        assert paint(state) == (1, 0, 0, 0)
