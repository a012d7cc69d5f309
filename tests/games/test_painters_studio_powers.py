"""The Painter's Studio: inspiration, and every power of a painting, when painted and on later turns."""

from __future__ import annotations

from collections import Counter

import pytest
from painters_studio_table import (
    COLOURS,
    NOTHING,
    PAINTINGS,
    PATRONS,
    dice,
    hand,
    legal,
    look,
    paint,
    play,
    pool,
    position,
    students,
    studio,
    supply,
    tokens,
    with_power,
)
from sfumato.games import SfumatoError, load
from statistics_of_counts import fits, is_uniform

# --- inspiration actions --------------------------------------------------------------------------------


def test_a_reroll_costs_a_token_and_rolls_all_active_dice():
    """PS-I1, PS-I4, R8: again and again while tokens last"""
    state = position("1 1 3 3", tokens=[2])
    step = state.apply("reroll", ["roll 4 5 5 6"])
    assert (dice(state), tokens(state), supply(state)) == ("4 5 5 6", [1, 1, 1], 17)
    assert step.words(2) == ["roll 4 5 5 6"]
    state.apply("reroll", ["roll 1 1 1 1"])
    assert (dice(state), tokens(state), look(state)["active"]) == ("1 1 1 1", [0, 1, 1], [4, 4, 4])
    assert "reroll" not in state.legal_words


def test_a_reroll_rolls_no_spent_die():
    """PS-I1, PS-T6: two dice are left of the turn before"""
    state = position("3 3", tokens=[1])
    state.apply("reroll", ["roll 6 6"])
    assert dice(state) == "6 6"


def test_no_reroll_after_a_die():
    """PS-I1"""
    state = position("1 1 3 6", tokens=[6])
    assert "reroll" in state.legal_words
    state.apply("place blue")
    assert "reroll" not in state.legal_words


def test_tokens_before_dice():
    """EX4, PS-I1, PS-I2, R7, R8: a token painting neither spends a die nor closes the reroll"""
    state = position("3 3 4 5", tokens=[3], paint=[(1, 0, 1, 0)], display="im01")
    state.apply("inspire_paint im01", ["refill im02"])
    assert (tokens(state)[0], look(state)["active"][0], look(state)["spent"]) == (1, 4, False)
    assert "end_turn" not in state.legal_words
    assert "inspire" in state.legal_words
    state.apply("reroll", ["roll 3 3 3 3"])
    assert (tokens(state)[0], dice(state)) == (0, "3 3 3 3")
    assert "end_turn" not in state.legal_words
    assert "inspire" in state.legal_words


def test_a_reroll_after_a_patron_and_a_power():
    """R8, PS-T7, PS-T8"""
    state = position("3 3 4 5", tokens=[4], paint=[(1, 0, 0, 0)], paintings=["im01"])
    play(state, ("draw_patron", "patron school"), "use im01", "shift blue red")
    assert "reroll" in state.legal_words


@pytest.mark.parametrize(("held", "possible"), [(1, False), (2, True)])
def test_a_painting_for_two_tokens(held, possible):
    """PS-I2: everything as with a die: pay, students home, power, refill"""
    state = position("3 3", tokens=[held], paint=[(2, 0, 1, 1)], display="im05", students=[(0, 0, 2, 0)])
    assert ("inspire_paint im05" in state.legal_words) is possible
    if not possible:
        return
    state.apply("inspire_paint im05")
    assert (state.phase, paint(state), students(state)) == ("e_place", NOTHING, (0, 0, 1, 0))
    play(state, "place blue", ("place blue", "refill im01"))
    assert (students(state), dice(state), tokens(state)[0]) == ((2, 0, 1, 0), "3 3", 0)
    assert len(look(state)["display"]) == 7


def test_a_painting_for_tokens_must_be_payable():
    """PS-I2, R4"""
    assert legal(position("3 3", tokens=[9], display="im05"), "inspire_paint") == []


@pytest.mark.parametrize(("held", "possible"), [(2, False), (3, True)])
def test_a_patron_for_three_tokens(held, possible):
    """PS-I3, PS-I4: the drawer alone sees it"""
    state = position("3 3", tokens=[held])
    assert ("draw_patron" in state.legal_words) is possible
    if not possible:
        return
    step = state.apply("draw_patron", ["patron academy"])
    assert [step.words(seat) for seat in (0, 1, 2, None)] == [
        ["patron academy"],
        [],
        [],
        ["patron academy"],
    ]
    assert (hand(state, 0), tokens(state), supply(state)) == ("academy critic", [0, 1, 1], 18)
    seen = look(state, 1)
    assert (seen["patrons"][0], seen["patron_counts"]) == (None, [2, 1, 1])
    assert (state.to_move, dice(state)) == (0, "3 3")


def test_the_patron_drawn_is_any_of_the_body():
    """PS-I3, PS-S3: two players, seat 0 holds critic and returned muse: each of 14 others is as likely"""
    drawn = Counter()
    for seed in range(700):
        state = position("3 3", players=2, tokens=[3], seed=seed)
        state.apply("draw_patron")
        drawn[hand(state, 0).replace("critic", "").strip()] += 1
    assert is_uniform(drawn, [card for card in PATRONS if card not in ("critic", "muse")])


#: 15 patrons in seat 0's hand, seat 1 has one: nothing is left of the deck
ALL_BUT_ACADEMY = (
    "impressionism post_impressionism realism romanticism blue_salon green_salon red_salon yellow_salon "
    "museum dealer inventor muse school colourman critic"
)


def test_no_patron_can_be_drawn_from_an_empty_deck():
    """R12, PS-I3, PS-S8: 14 draws of seat 0 of two: its own returned card and seat 1's came last"""
    state = position(
        "3 3",
        players=2,
        tokens=[6],
        patrons=ALL_BUT_ACADEMY,
        taken={0: 0, 1: 0},
        took={1: "school"},
    )
    assert hand(state, 1) == "academy"
    assert "draw_patron" not in state.legal_words


def test_the_effect_draw_patron_does_nothing_with_an_empty_deck():
    """R12, R10: po07 is painted all the same"""
    state = position(
        "5 6",
        players=2,
        patrons=ALL_BUT_ACADEMY,
        taken={0: 0, 1: 0},
        took={1: "school"},
        paint=[(2, 1, 0, 2)],
        display="po07",
    )
    step = state.apply("paint po07", ["refill im01"])
    assert step.words(0) == ["refill im01"]
    assert look(state)["patron_counts"] == [15, 1]


def test_the_last_patron_of_the_deck():
    """R12, EX13: the deck holds seat 1's returned card only; then there is none"""
    state = position(
        "3 3",
        players=2,
        tokens=[6],
        patrons=ALL_BUT_ACADEMY.replace("school ", ""),
        taken={0: 0},
        own_returned="muse",
    )
    state.apply("draw_patron")
    assert look(state)["returned"][1]["taker"] == 0
    assert "draw_patron" not in state.legal_words


def test_an_empty_supply_gives_no_token():
    """EX6, PS-I4, R6: 11 and 9 tokens; the die is spent, the turn is over"""
    state = position("3 3", players=2, tokens=[11, 9])
    assert "inspire" in state.legal_words
    state.apply("inspire")
    assert (tokens(state), look(state)["active"], state.to_move) == ([11, 9], [1, 4], 1)


@pytest.mark.parametrize(
    ("action", "expected"), [("paint im08", [11, 9]), ("inspire_paint im08", [10 - 2 + 2, 9])]
)
def test_an_almost_empty_supply_gives_what_it_has(action, expected):
    """EX6, PS-I4, R10: 10 and 9 tokens are held; im08 gives 2 if it can; tokens paid are back first"""
    state = position("5 6", players=2, tokens=[10, 9], paint=[(2, 1, 2, 0)], display="im08")
    state.apply(action)
    assert tokens(state) == expected


# --- when painted ---------------------------------------------------------------------------------------


def paintable(name, **more):
    """Seat 0 of three can pay for this painting exactly and has a 5 and a 3."""
    return position("3 5", **{"paint": [PAINTINGS[name].cost], "display": name, **more})


@pytest.mark.parametrize(("name", "number"), [("im03", 1), ("re05", 2), ("im08", 2)])
def test_gain_inspiration(name, number):
    """PS-D7, PS-P2: im03, re05, im08"""
    state = paintable(name)
    state.apply(f"paint {name}", ["refill im01"])
    assert tokens(state) == [1 + number, 1, 1]


@pytest.mark.parametrize(("name", "number"), [("po03", 1), ("im05", 2), ("re08", 2)])
def test_place_students(name, number):
    """PS-D7, PS-P2: po03, im05, re08; the colours in order"""
    state = paintable(name)
    state.apply(f"paint {name}")
    for left in range(number, 0, -1):
        assert (state.phase, look(state)["sub"]["left"]) == ("e_place", left)
        state.apply("place red")
    assert (students(state), pool(state)) == ((0, 0, number, 0), 12 - number)


def test_place_students_with_one_student_left():
    """R10, PS-D6: im05 places 2, but the pool was empty and only one student came home"""
    state = paintable("im05", students=[(0, 0, 0, 12)])
    state.apply("paint im05")
    assert (pool(state), look(state)["sub"]["left"]) == (1, 1)
    state.apply("place blue", ["refill im01"])
    assert (students(state), state.phase) == ((1, 0, 0, 11), "turn")


@pytest.mark.parametrize(("name", "number"), [("po05", 1), ("re03", 1), ("ro07", 2)])
def test_gain_paint(name, number):
    """PS-D7, PS-P2: po05, re03, ro07"""
    state = paintable(name)
    state.apply(f"paint {name}")
    for left in range(number, 0, -1):
        assert (state.phase, look(state)["sub"]["left"]) == ("e_gain", left)
        assert legal(state) == [f"gain {colour}" for colour in COLOURS]
        state.apply("gain blue")
    assert paint(state) == (number, 0, 0, 0)
    assert state.phase == "turn"


def test_gain_paint_takes_what_the_piles_hold():
    """R10, PS-D10: all 60 are held until ro07 returns (0, 2, 2, 1); after a yellow one nothing would come
    behind it, so yellow cannot be the first of two"""
    state = paintable("ro07", paint=[(0, 2, 2, 1), (15, 13, 13, 14)])
    state.apply("paint ro07")
    assert legal(state) == ["gain green", "gain red"]
    state.apply("gain red")
    assert legal(state) == ["gain red", "gain yellow"]


def test_gain_paint_of_what_was_just_paid():
    """R10: all 60 are held until re03 returns 2 red and 1 yellow"""
    state = paintable("re03", paint=[(0, 0, 2, 1), (15, 15, 13, 14)])
    state.apply("paint re03")
    assert legal(state) == ["gain red", "gain yellow"]
    state.apply("gain yellow", ["refill im01"])
    assert paint(state) == (0, 0, 0, 1)


@pytest.mark.parametrize("name", ["im07", "ro05"])
def test_collect_paint(name):
    """PS-D7, PS-P2, PS-D3: im07 and ro05 send one student home before; blue and yellow are led"""
    state = paintable(name, students=[(2, 1, 0, 1), (1, 1, 3, 0)])
    play(state, f"paint {name}", ("back green", "refill im01"))
    assert (paint(state), students(state)) == ((1, 0, 0, 1), (2, 0, 0, 1))


def test_collect_paint_without_a_lead_is_lost():
    """R10: the student that went home was the lead"""
    state = paintable("im07", students=[(1, 0, 0, 0)])
    state.apply("paint im07", ["refill im01"])
    assert (paint(state), state.phase) == (NOTHING, "turn")


def test_move_students():
    """PS-D7, PS-P2, PS-D2: ro03; as with a 3, and at least one must move"""
    state = paintable("ro03", students=[(0, 0, 2, 0), (1, 0, 0, 0)])
    state.apply("paint ro03")
    assert (state.phase, look(state)["sub"]["card"], look(state)["sub"]["pending"]) == ("move", "ro03", True)
    assert "skip" in state.legal_words
    state.apply("skip")
    assert legal(state) == ["shift blue green", "shift blue red", "shift blue yellow"]
    assert len(look(state)["display"]) == 6
    state.apply("shift blue red", ["refill im01"])
    assert [students(state, seat) for seat in (0, 1)] == [(0, 0, 1, 0), (0, 0, 1, 0)]
    assert dice(state) == "3"


def test_move_students_with_nobody_at_the_piles():
    """R10"""
    state = paintable("ro03", students=[(0, 0, 1, 0)])
    state.apply("paint ro03", ["refill im01"])
    assert (state.phase, students(state)) == ("turn", NOTHING)


@pytest.mark.parametrize("name", ["po07", "ro08"])
def test_draw_patron(name):
    """PS-D7, PS-P2, PS-I3: po07 and ro08 cost no tokens; the drawer sees the card, then all the refill"""
    state = paintable(name, students=[NOTHING, (1, 0, 0, 0)])
    step = state.apply(f"paint {name}", ["patron academy", "refill im01"])
    assert step.words(0) == ["patron academy", "refill im01"]
    assert step.words(1) == ["refill im01"]
    assert (hand(state, 0), tokens(state)) == ("academy critic", [1, 1, 1])


@pytest.mark.parametrize(("name", "home"), [("re07", 1), ("po08", 2)])
def test_recover_die(name, home):
    """EX11, PS-D7, PS-P2, R20: the die comes back, is rolled and may be spent at once"""
    state = position("5", paint=[PAINTINGS[name].cost], display=name, students=[(0, 0, 3, 0)])
    step = state.apply(f"paint {name}", ["die 6", "refill im01"])
    assert step.words(1) == ["die 6", "refill im01"]
    assert students(state) == (0, 0, 3 - home, 0)
    assert (look(state)["active"][0], dice(state)) == (1, "6")
    assert legal(state) == [*(f"gain {colour}" for colour in COLOURS), "end_turn"]


def test_recover_die_may_be_kept_for_a_later_turn():
    """EX11, R20"""
    state = position("5", paint=[PAINTINGS["re07"].cost], display="re07", active=[1, 0, 0])
    state.apply("paint re07", ["die 6", "refill im01"])
    state.apply("end_turn", ["roll 4"])
    assert (state.to_move, dice(state), look(state)["round"]) == (0, "4", 1)


def test_recover_die_without_a_spent_die_does_nothing():
    """EX11, R10: painted for tokens with four active dice"""
    state = position("1 3 3 5", paint=[PAINTINGS["re07"].cost], display="re07", tokens=[2])
    step = state.apply("inspire_paint re07", ["refill im01"])
    assert step.words(None) == ["refill im01"]
    assert dice(state) == "1 3 3 5"


def test_recover_die_for_tokens():
    """R20, PS-I2: one die was spent in an earlier turn; spending a die is still due"""
    state = position("3 3 5", paint=[PAINTINGS["re07"].cost], display="re07", tokens=[2])
    state.apply("inspire_paint re07", ["die 1", "refill im01"])
    assert (dice(state), look(state)["active"][0], look(state)["spent"]) == ("1 3 3 5", 4, False)
    assert "end_turn" not in state.legal_words


def test_the_recovered_die_shows_each_face_as_often_as_it_should():
    """R20"""
    faces = Counter()
    for seed in range(600):
        state = position("5", paint=[PAINTINGS["re07"].cost], display="re07", tokens=[2], seed=seed)
        faces[state.apply("paint re07").words(None)[0]] += 1
    assert fits(faces, {"die 1": 2, "die 3": 1, "die 4": 1, "die 5": 1, "die 6": 1})


@pytest.mark.parametrize("name", [name for name, card in PAINTINGS.items() if card.when is None])
def test_a_painting_without_a_power_has_none(name):
    """PS-P1: pay, students home, refill"""
    state = paintable(name, students=[(0, 0, 0, 5)])
    state.apply(f"paint {name}", ["refill im01"])
    assert (paint(state), pool(state)) == (NOTHING, 7 + PAINTINGS[name].ret)
    assert (tokens(state), look(state)["paintings"][0]) == ([1, 1, 1], [name])
    assert legal(state, "use") == []


# --- turn powers ----------------------------------------------------------------------------------------


def owning(name, rolled="1 3 4 5", **more):
    """Seat 0 of three owns this painting."""
    return position(rolled, paintings=[name], **more)


@pytest.mark.parametrize("name", ["im01", "ro01"])
def test_swap_paint(name):
    """PS-P2, PS-P3: im01 and ro01; one for another colour, as the piles stood before"""
    state = owning(name, paint=[(1, 2, 0, 0), (0, 0, 15, 0)])
    state.apply(f"use {name}")
    assert state.phase == "e_swap"
    assert legal(state) == [
        "shift blue green",
        "shift blue yellow",
        "shift green blue",
        "shift green yellow",
    ]
    state.apply("shift green yellow")
    assert (paint(state), state.phase, look(state)["used"]) == ((1, 1, 0, 1), "turn", [name])
    assert legal(state, "use") == []


def test_swap_paint_needs_paint_and_a_pile():
    """PS-P3: nothing to give; or nothing to take but the own colour"""
    assert legal(owning("im01"), "use") == []
    full = [(1, 0, 0, 0), (0, 15, 15, 15)]
    assert legal(owning("im01", paint=full), "use") == []


@pytest.mark.parametrize(("name", "face", "kind"), [("im02", 5, "paint"), ("re01", 4, "collect")])
def test_set_die(name, face, kind):
    """PS-P2: im02 makes a 5, re01 a 4; a die of that kind is not offered"""
    state = owning(name, "1 3 4 5")
    state.apply(f"use {name}")
    assert state.phase == "e_set"
    offered = [words.removeprefix("die ") for words in state.legal_words]
    assert kind not in offered and "place" in offered
    before = look(state)["dice"]
    state.apply("die place")
    after = list(before)
    after.remove(1)
    assert look(state)["dice"] == sorted([*after, face])
    assert look(state)["active"][0] == 4
    assert look(state)["spent"] is False


def test_set_die_needs_a_die_of_another_kind():
    """PS-P2"""
    assert legal(owning("im02", "5 5"), "use") == []
    assert legal(owning("im02", "4 5"), "use") == ["use im02"]


def test_set_die_in_the_turn_of_painting():
    """EX12, PS-T8, PS-P2, PS-P3: usable at once, then not before the next own turn"""
    cost = PAINTINGS["im02"].cost
    state = position("1 3 5", paint=[cost], display="im02", active=[3, 0, 0], students=[(1, 0, 0, 0)])
    state.apply("paint im02", ["refill im01"])
    assert "use im02" in state.legal_words
    state.apply("use im02")
    assert legal(state) == ["die place", "die move"]
    state.apply("die move")
    assert (dice(state), legal(state, "use")) == ("1 5", [])
    state.apply("end_turn", ["roll 1 3"])
    assert (state.to_move, look(state)["round"], look(state)["used"]) == (0, 1, [])
    assert "use im02" in state.legal_words, "the next own turn, in the same round"


@pytest.mark.parametrize("name", ["po01", "ro02"])
def test_reroll_die(name):
    """PS-P2: po01 and ro02; one chosen die"""
    state = owning(name, "1 3 5 5")
    state.apply(f"use {name}")
    assert (state.phase, legal(state)) == ("e_reroll", ["die place", "die move", "die paint"])
    step = state.apply("die paint", ["die 6"])
    assert step.words(2) == ["die 6"]
    assert (dice(state), look(state)["spent"], look(state)["active"][0]) == ("1 3 5 6", False, 4)


def test_reroll_die_with_a_single_kind_is_rolled_at_once():
    """R16: one kind of die, nothing to choose"""
    state = owning("po01", "5 5")
    step = state.apply("use po01", ["die 6"])
    assert (step.words(0), dice(state), state.phase) == (["die 6"], "5 6", "turn")


def test_reroll_die_needs_an_active_die():
    """PS-P2, R22: the last die is spent; only the end is left, so it comes by itself"""
    state = owning("po01", "6")
    state.apply("gain blue")
    assert state.to_move == 1


def test_move_own():
    """PS-P2: re02; an own student only"""
    state = owning("re02", students=[(1, 0, 0, 0), (0, 2, 0, 0)])
    state.apply("use re02")
    assert state.phase == "e_own"
    assert legal(state) == ["shift blue green", "shift blue red", "shift blue yellow"]
    state.apply("shift blue yellow")
    assert [students(state, seat) for seat in (0, 1)] == [(0, 0, 0, 1), (0, 2, 0, 0)]


def test_move_own_needs_an_own_student():
    """PS-P2"""
    assert legal(owning("re02", students=[NOTHING, (0, 2, 0, 0)]), "use") == []


def test_buy_paint():
    """PS-P2, PS-I4: po02; the token is paid with the choice"""
    state = owning("po02", tokens=[2], paint=[NOTHING, (0, 0, 15, 0)])
    state.apply("use po02")
    assert (state.phase, legal(state)) == ("e_buy", ["gain blue", "gain green", "gain yellow"])
    assert tokens(state)[0] == 2
    state.apply("gain yellow")
    assert (paint(state), tokens(state), supply(state)) == ((0, 0, 0, 1), [1, 1, 1], 17)


def test_buy_paint_needs_a_token_and_paint():
    """PS-P2, PS-D10"""
    assert legal(owning("po02", tokens=[0]), "use") == []
    assert legal(owning("po02", paint=[(15, 15, 0, 0), (0, 0, 15, 15)]), "use") == []


def test_the_powers_of_others_cannot_be_used():
    """PS-T8"""
    state = position("1 3 4 5", paintings=["", "im01"], paint=[(1, 1, 1, 1), (1, 1, 1, 1)])
    assert legal(state, "use") == []


def test_a_power_when_painted_is_not_used_again():
    """PS-P2"""
    state = position("1 3 4 5", paintings=["im03 im05 im07 po03 po05 ro03"], students=[(1, 0, 0, 0)])
    assert legal(state, "use") == []


def test_each_power_works_once_in_a_turn():
    """PS-P3, R3: two different swaps are two powers; the next turn has both again"""
    state = position("3 6", paintings=["im01 ro01"], paint=[(2, 0, 0, 0)], active=[2, 0, 0])
    assert legal(state, "use") == ["use im01", "use ro01"]
    play(state, "use im01", "shift blue red")
    assert legal(state, "use") == ["use ro01"]
    play(state, "use ro01", "shift blue green")
    assert legal(state, "use") == []
    state.apply("inspire", ["roll 3"])
    assert legal(state, "use") == ["use im01", "use ro01"]


def test_option_power_refresh_round_leaves_a_power_used_until_the_round_ends():
    """R3: once per round"""
    game = studio(power_refresh="round")
    state = position("3 6", game=game, paintings=["im01"], paint=[(2, 0, 0, 0)], active=[2, 0, 1])
    play(state, "use im01", "shift blue red", ("inspire", "roll 3"))
    assert (state.to_move, look(state)["used"]) == (2, ["im01"])
    state.apply("inspire", ["roll 6"])
    assert (state.to_move, legal(state, "use"), look(state)["round"]) == (0, [], 1)
    state.apply("inspire")
    assert (look(state)["round"], look(state)["used"]) == (2, [])


def test_every_painting_with_a_power_has_the_timing_of_the_table():
    """PS-P2: 8 turn powers, 16 when painted"""
    powers = Counter(card.when for card in PAINTINGS.values())
    assert powers == {"turn": 8, "painted": 16, None: 16}


# --- other tables: every effect with the other timing ---------------------------------------------------


@pytest.fixture
def repainted(tmp_path):
    """Loads the game with one painting, im04, that has another power."""

    def make(when, effect, number=1):
        return load("painters_studio", cards=with_power(tmp_path, "im04", when, effect, number))

    return make


OWNED = {"paintings": ["im04"], "students": [(2, 0, 0, 0), (0, 1, 0, 0)], "paint": [(1, 0, 0, 0)]}


@pytest.mark.parametrize(
    ("effect", "number", "steps", "after"),
    [
        pytest.param("gain_paint", 2, ["gain red", "gain red"], {"paint": (1, 0, 2, 0)}, id="gain_paint"),
        pytest.param("gain_inspiration", 3, [], {"tokens": 4}, id="gain_inspiration"),
        pytest.param("place_students", 1, ["place red"], {"students": (2, 0, 1, 0)}, id="place_students"),
        pytest.param("collect_paint", 1, [], {"paint": (2, 0, 0, 0)}, id="collect_paint"),
        pytest.param(
            "move_students",
            1,
            ["shift blue red", "skip"],
            {"students": (1, 0, 1, 0)},
            id="move_students",
        ),
        pytest.param("draw_patron", 1, [], {"patrons": 2}, id="draw_patron"),
    ],
)
def test_an_effect_may_be_a_turn_power(repainted, effect, number, steps, after):
    """PS-P2, PS-P3: what our table has when painted only"""
    state = position("3 3", game=repainted("turn", effect, number), **OWNED)
    play(state, "use im04", *steps)
    assert (state.phase, look(state)["used"]) == ("turn", ["im04"])
    found = {"paint": paint(state), "tokens": tokens(state)[0], "students": students(state)}
    found["patrons"] = look(state)["patron_counts"][0]
    assert {name: found[name] for name in after} == after
    assert legal(state, "use") == []


@pytest.mark.parametrize(
    ("effect", "number", "phase", "steps", "after"),
    [
        pytest.param("swap_paint", 1, "e_swap", ["shift blue red"], {"paint": (0, 0, 1, 0)}, id="swap_paint"),
        pytest.param("set_die", 6, "e_set", ["die move"], {"dice": "6"}, id="set_die"),
        pytest.param("reroll_die", 1, "e_reroll", [("die move", "die 6")], {"dice": "6"}, id="reroll_die"),
        pytest.param("move_own", 1, "e_own", ["shift blue red"], {"students": (0, 0, 1, 0)}, id="move_own"),
        pytest.param(
            "buy_paint", 1, "e_buy", ["gain red"], {"paint": (1, 0, 1, 0), "tokens": 0}, id="buy_paint"
        ),
    ],
)
@pytest.mark.parametrize("skipped", [False, True])
def test_an_effect_that_could_hurt_may_be_declined_when_painted(
    repainted, effect, number, phase, steps, after, skipped
):
    """R10, PS-D7, PS-D8: what our table has as turn powers only; im04 costs (1, 1, 1, 0)"""
    game = repainted("painted", effect, number)
    state = position("3 5", game=game, paint=[(2, 1, 1, 0)], students=[(2, 0, 0, 0)], display="im04")
    state.apply("paint im04")
    assert state.phase == phase
    assert "skip" in state.legal_words
    assert len(look(state)["display"]) == 6
    play(state, *(["skip"] if skipped else steps))
    found = {
        "paint": paint(state),
        "students": students(state),
        "dice": dice(state),
        "tokens": tokens(state)[0],
    }
    untouched = {"paint": (1, 0, 0, 0), "students": (1, 0, 0, 0), "dice": "3", "tokens": 1}
    assert found == untouched | ({} if skipped else after)
    assert (state.phase, len(look(state)["display"])) == ("turn", 7)


def test_a_turn_power_that_was_begun_cannot_be_declined():
    """R10: `skip` is for When Painted only"""
    state = owning("im01", paint=[(1, 1, 0, 0)])
    state.apply("use im01")
    with pytest.raises(SfumatoError):
        state.apply("skip")
