"""The Painter's Studio: First Master, the last round, every patron, the score and the ranks."""

from __future__ import annotations

import pytest
from painters_studio_table import (
    NOTHING,
    PAINTINGS,
    finished,
    hand,
    legal,
    look,
    play,
    position,
    students,
    studio,
)
from sfumato.games import SfumatoError, load

# --- First Master and the last round --------------------------------------------------------------------

THIRD = {"paint": [NOTHING, PAINTINGS["po09"].cost], "paintings": ["", "im08 re08"], "display": "po09"}


def test_the_third_masterpiece_takes_the_token_and_sets_the_clock():
    """EX9, PS-E1, PS-E2, R18: round 9, so round 10 is the last"""
    state = position("5", to_move=1, active=[1, 1, 2], round=9, **THIRD)
    state.apply("paint po09", ["refill im01", "roll 1 1"])
    seen = look(state)
    assert (seen["first_master"], seen["final_round"], seen["round"]) == (1, 10, 9)
    turns = []
    while not state.is_terminal:
        turns.append((look(state)["round"], state.to_move))
        state.apply("inspire")
    # Round 9 is completed; round 10 starts with seat (0 + 9) mod 3 = 0 and has 4 dice for each.
    assert turns == [(9, 2), (9, 0), (9, 2), *((10, turn % 3) for turn in range(12))]
    assert look(state)["round"] == 10


def test_the_third_masterpiece_as_the_last_decision_of_a_round():
    """EX9, PS-E2"""
    state = position("5", to_move=1, active=[0, 1, 0], round=9, **THIRD)
    state.apply("paint po09", ["refill im01", "roll 1 1 1 1"])
    seen = look(state)
    assert (seen["round"], seen["final_round"], state.to_move) == (10, 10, 0)
    for turn in range(12):
        assert state.to_move == turn % 3
        state.apply("inspire")
    assert state.is_terminal


def test_two_masterpieces_and_a_plain_painting_are_not_enough():
    """PS-E1"""
    paintings = {"paintings": ["", "im08 re08 im01 im02"], "display": "im04"}
    state = position("3 5", to_move=1, paint=[NOTHING, PAINTINGS["im04"].cost], **paintings)
    state.apply("paint im04")
    assert (look(state)["first_master"], look(state)["final_round"]) == (None, None)


def test_the_token_is_taken_when_the_painting_is_placed():
    """R18, PS-E1: before students return"""
    state = position("5 3", to_move=1, students=[NOTHING, (1, 1, 1, 0)], **THIRD)
    state.apply("paint po09")
    assert (state.phase, look(state)["first_master"], look(state)["final_round"]) == ("return", 1, 2)


def test_the_token_never_changes_hands():
    """EX9, PS-E1: seat 2's third, and fourth, masterpiece in the last round"""
    state = position(
        "5",
        to_move=2,
        active=[1, 0, 1],
        round=10,
        final_round=10,
        first_master=1,
        paintings=["", "im08 re08 po09", "im09 im10 po08"],
        paint=[NOTHING, NOTHING, PAINTINGS["re09"].cost],
        display="re09",
    )
    state.apply("paint re09", ["refill im01", "roll 1"])
    seen = look(state)
    assert (seen["first_master"], seen["final_round"], seen["round"]) == (1, 10, 10)
    state.apply("inspire")
    assert state.is_terminal
    # im08 5, re08 5, po09 7 and the token 4; im09 7, im10 9, po08 5, re09 7; patrons come on top
    assert state.outcome.scores[1] >= 5 + 5 + 7 + 4
    assert state.outcome.scores[2] >= 7 + 9 + 5 + 7


def test_the_end_lays_all_hands_open_and_forgets_who_returned_what():
    """R24, PS-E3"""
    state = position("3", to_move=0, active=[1, 0, 0], round=40, patrons="school critic")
    hands = [hand(state, seat) for seat in range(3)]
    step = state.apply("inspire")
    assert state.is_terminal
    words = [f"hand {seat} {cards}" for seat, cards in enumerate(hands)]
    assert [step.words(seat) for seat in (0, 1, 2, None)] == [words] * 4
    seen = look(state, 2)
    assert [" ".join(cards) for cards in seen["patrons"]] == hands
    assert seen["returned"] == [None, None, None]
    assert (seen["active"], seen["dice"], seen["used"], seen["to_move"]) == ([0, 0, 0], [], [], None)
    assert state.legal_actions == []
    assert look(state, 0) | {"seat": 2} == seen


def test_the_cap():
    """EX14, R17: nobody has the token"""
    state = position("3", active=[1, 0, 0], round=40)
    state.apply("inspire")
    seen = look(state)
    assert state.is_terminal
    assert (seen["round"], seen["first_master"], seen["final_round"]) == (40, None, None)


def test_the_round_before_the_cap_is_not_the_last():
    """EX14, R17"""
    state = position("3", active=[1, 0, 0], round=39)
    state.apply("inspire")
    assert (state.is_terminal, look(state)["round"]) == (False, 40)


def test_first_master_in_the_round_of_the_cap():
    """EX14, R17, PS-E3: the token counts, round 41 is not played; 5 + 5 + 7 + 4, and the patrons add up"""
    state = position(
        "5", to_move=1, seat=1, active=[0, 1, 0], round=40, patrons="muse", own_returned="school", **THIRD
    )
    state.apply("paint po09", ["refill im01"])
    seen = look(state)
    assert state.is_terminal
    assert (seen["first_master"], seen["final_round"], seen["round"]) == (1, 41, 40)
    assert state.outcome.scores[1] == 5 + 5 + 7 + 4 + 2 * 1


@pytest.mark.parametrize("cap", [1, 2, 99])
def test_option_max_rounds(cap):
    """R17"""
    state = position("3", active=[1, 0, 0], round=cap, game=studio(max_rounds=cap))
    state.apply("inspire")
    assert state.is_terminal


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_rounds", 0),
        ("max_rounds", 100),
        ("max_rounds", "40"),
        ("power_refresh", "game"),
        ("inspiration_ends_turn", "yes"),
        ("canonical", 1),
        ("weather", "fine"),
    ],
)
def test_an_option_that_does_not_exist_is_refused(option, value):
    """R1, R3, R17, R19"""
    with pytest.raises(SfumatoError) as refused:
        load("painters_studio", **{option: value})
    assert refused.value.code == "bad_option"


# --- patrons --------------------------------------------------------------------------------------------


def patron_points(patron, paintings="", players=2, **more):
    """What a patron brings seat 0 at the end, on top of its paintings and the token."""
    names = paintings.split()
    masterpieces = sum(PAINTINGS[name].masterpiece for name in names)
    if masterpieces >= 3:
        more |= {"first_master": 0, "final_round": 40}
    rest = ["museum", "realism", "dealer", "critic"]
    hands = [patron, *[other for other in rest if other != patron][: players - 1]]
    scores = finished(hands, paintings=[paintings], **more).outcome.scores
    return scores[0] - sum(PAINTINGS[name].points for name in names) - 4 * (masterpieces >= 3)


@pytest.mark.parametrize(
    ("patron", "prefix", "other"),
    [
        ("impressionism", "im", "po01 re01 ro01"),
        ("post_impressionism", "po", "im01 re01 ro01"),
        ("realism", "re", "im01 po01 ro01"),
        ("romanticism", "ro", "im01 po01 re01"),
    ],
)
def test_a_patron_of_a_category(patron, prefix, other):
    """PS-E3, PS-P1: 2 for each of its paintings, at most 8"""
    own = [f"{prefix}0{number}" for number in range(1, 7)]
    assert patron_points(patron, other) == 0
    assert patron_points(patron, f"{other} {own[0]}") == 2
    assert patron_points(patron, f"{other} {own[0]} {own[1]} {own[2]}") == 2 * 3
    assert patron_points(patron, " ".join(own[:4])) == 2 * 4
    assert patron_points(patron, " ".join(own[:5])) == 8, "10 is too much"


@pytest.mark.parametrize(
    ("patron", "without", "with_colour"),
    [
        ("blue_salon", "po01 re02 re03 ro04", "im01 im02 im03 po02 po03 re01 re04"),
        ("green_salon", "im01 po02 po03 re01", "im02 im03 im04 po01 po04 re02 ro01"),
        ("red_salon", "im02 im03 po01 ro01", "im01 im04 im05 po02 po05 re01 re02"),
        ("yellow_salon", "im01 im03 im04 re01", "im02 im05 im06 po01 po02 po03 po04"),
    ],
)
def test_a_salon(patron, without, with_colour):
    """PS-E3: 1 for each painting whose cost has the colour, however many of it, at most 6"""
    own = with_colour.split()
    assert patron_points(patron, without) == 0
    assert patron_points(patron, own[0]) == 1
    assert patron_points(patron, f"{without} {own[0]} {own[2]}") == 2
    assert patron_points(patron, " ".join(own[:6])) == 6
    assert patron_points(patron, " ".join(own[:7])) == 6


@pytest.mark.parametrize(
    ("paintings", "expected"),
    [
        ("im01 im02 po01 po02 re01 re02", 0),
        ("im01 im02 po01 re01 ro01 ro02", 6),
        ("im01 im02 po01 po02 re01 re02 ro01 ro02", 12),
        ("im01 im02 im03 po01 po02 po03 re01 re02 re03 ro01 ro02 ro03", 12),
    ],
)
def test_the_academy(paintings, expected):
    """PS-E3: 6 for each set of all four categories, at most 12"""
    assert patron_points("academy", paintings) == expected


@pytest.mark.parametrize(
    ("paintings", "expected"),
    [("im01 im10", 2), ("im01 im09 im10", 4), ("im08 im09 im10 po08", 8), ("im08 im09 im10 po08 po09", 8)],
)
def test_the_museum(paintings, expected):
    """PS-E3: 2 for each masterpiece, at most 8"""
    assert patron_points("museum", paintings) == expected


@pytest.mark.parametrize(
    ("paintings", "expected"),
    [
        ("im09 im10", 0),
        ("im01 im09", 1),
        ("im01 im02 im03 im04 im05 im06", 6),
        ("im01 im02 im03 im04 im05 im06 im07", 6),
    ],
)
def test_the_dealer(paintings, expected):
    """PS-E3: 1 for each painting without the symbol, at most 6"""
    assert patron_points("dealer", paintings) == expected


@pytest.mark.parametrize(
    ("paintings", "expected"),
    [("im04 im06", 0), ("im01 im04", 1), ("im01 im03 im08", 3), ("im01 im02 im03 im05 im07 im08 po01", 6)],
)
def test_the_inventor(paintings, expected):
    """PS-E3, PS-P2: 1 for each power of either kind, at most 6"""
    assert patron_points("inventor", paintings) == expected


@pytest.mark.parametrize(("held", "expected"), [(0, 0), (1, 2), (2, 4), (3, 6), (4, 6), (9, 6)])
def test_the_muse(held, expected):
    """PS-E3: 2 for each token left, at most 6"""
    assert patron_points("muse", tokens=[held]) == expected


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        pytest.param([(1, 0, 0, 0)], 2, id="one pile alone"),
        pytest.param([(1, 1, 0, 0), (0, 1, 0, 0)], 2, id="two players: a tie is no lead"),
        pytest.param([(1, 2, 1, 1), (0, 1, 0, 0)], 8, id="all four"),
        pytest.param([NOTHING, NOTHING], 0, id="nobody anywhere"),
        pytest.param([(1, 1, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)], 0, id="three players: ties"),
        pytest.param([(1, 1, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), NOTHING], 4, id="four players: ties lead"),
        pytest.param([NOTHING, NOTHING, NOTHING, NOTHING], 0, id="four players: not without a student"),
    ],
)
def test_the_school(placed, expected):
    """PS-E3, R21, PS-D4, R5: 2 for each pile led at the end, as for collecting"""
    players = max(2, len(placed))
    assert patron_points("school", players=players, students=placed) == expected


def test_the_school_looks_at_no_stock():
    """R21: all blue paint is held"""
    assert patron_points("school", students=[(1, 0, 0, 0)], paint=[NOTHING, (15, 0, 0, 0)]) == 2


@pytest.mark.parametrize(
    ("held", "expected"), [(NOTHING, 0), ((1, 0, 0, 0), 1), ((1, 2, 0, 3), 6), ((4, 4, 4, 4), 6)]
)
def test_the_colourman(held, expected):
    """PS-E3: 1 for each cylinder left, at most 6"""
    assert patron_points("colourman", paint=[held]) == expected


@pytest.mark.parametrize(
    ("paintings", "expected"),
    [("im06 po06 re06", 0), ("im06 im08", 2), ("im08 re10", 4), ("im08 im09 im10 po08 po09", 8)],
)
def test_the_critic(paintings, expected):
    """PS-E3: 2 for each painting of 5 points or more, at most 8"""
    assert patron_points("critic", paintings) == expected


def test_several_patrons_add_up():
    """PS-E3: museum 2 * 1, inventor 1, muse 2 * 2; im08 itself is worth 5"""
    state = finished(["museum inventor muse", "critic"], paintings=["im08"], tokens=[2])
    assert state.outcome.scores[0] == 5 + 2 + 1 + 4


def test_a_patron_looks_at_its_holder_only():
    """PS-E3"""
    state = finished(["museum", "critic"], paintings=["", "im08"])
    assert state.outcome.scores == [0, 5 + 2]


# --- score and ranks ------------------------------------------------------------------------------------

EX10 = {
    "hands": ["impressionism", "academy", "museum muse"],
    "paintings": [
        "im01 im05 im09 re08 ro10",
        "po04 po09 re06 im08 ro06 im04 re04",
        "re10 po08 ro05 re03 po01 ro01",
    ],
    "tokens": [1, 1, 4],
    "first_master": 0,
    "round": 11,
    "final_round": 11,
}


@pytest.mark.parametrize(
    ("paint", "ranks"),
    [
        pytest.param([(2, 0, 0, 0), (0, 1, 1, 1)], [2, 1, 3], id="more paint"),
        pytest.param([(2, 0, 0, 0), (0, 0, 1, 1)], [1, 2, 3], id="the token"),
        pytest.param([(2, 0, 0, 0), NOTHING, (9, 9, 9, 9)], [1, 2, 3], id="paint does not beat points"),
    ],
)
def test_a_score_and_its_ties(paint, ranks):
    """EX10, PS-E3, PS-E4"""
    state = finished(**EX10, paint=paint)
    a = (1 + 3 + 7 + 5 + 9) + 4 + 3 * 2
    b = (3 + 7 + 4 + 5 + 4 + 3 + 3) + 1 * 6
    c = (9 + 5 + 3 + 2 + 1 + 1) + 2 * 2 + min(6, 4 * 2)
    assert (a, b, c) == (35, 35, 31)
    assert state.outcome.scores == [a, b, c]
    assert state.outcome.ranks == ranks
    assert state.outcome.win_shares == [float(rank == 1) for rank in ranks]


def test_players_equal_in_everything_share_the_rank():
    """EX10, PS-E4, PS-E5: 1, 1, 3 and half a win each"""
    state = finished(
        ["museum", "critic", "academy"], paintings=["im01", "im02", ""], paint=[(1, 0, 0, 0), (0, 1, 0, 0)]
    )
    assert state.outcome.scores == [1, 1, 0]
    assert state.outcome.ranks == [1, 1, 3]
    assert state.outcome.win_shares == [0.5, 0.5, 0]


def test_the_keys_order_all_places():
    """PS-E5: 3 points; 1 point with 2, 1 and 1 paints"""
    state = finished(
        ["museum", "critic", "academy", "inventor"],
        paintings=["im01", "im04", "po04", ""],
        paint=[(1, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 0)],
    )
    assert state.outcome.scores == [1, 3, 3, 0]
    assert state.outcome.ranks == [3, 2, 1, 4]
    state = finished(["museum", "critic", "academy", "dealer"], paintings=["im04", "po04", "re04", ""])
    assert state.outcome.scores == [3, 3, 3, 0]
    assert state.outcome.ranks == [1, 1, 1, 4]


def test_tokens_students_and_paint_are_worth_nothing_in_themselves():
    """PS-E6"""
    state = finished(["museum", "critic"], tokens=[9, 1], students=[(3, 3, 3, 3)], paint=[(9, 9, 9, 9)])
    assert state.outcome.scores == [0, 0]
    assert state.outcome.ranks == [1, 2], "but paint breaks the tie"


def test_the_outcome_of_a_game_that_runs_is_refused():
    """PS-E3"""
    with pytest.raises(SfumatoError) as refused:
        _ = position("1 1 1 1").outcome
    assert refused.value.code == "not_over"


def test_a_student_placed_in_the_last_turn_counts_for_the_school():
    """R21, PS-E2: seat 0's last die, in the last round"""
    state = position("1", active=[1, 0, 0], round=40, patrons="school", students=[NOTHING, (1, 0, 0, 0)])
    assert legal(state, "place")
    state.apply("place yellow")
    assert state.is_terminal
    assert (students(state), state.outcome.scores[0]) == ((0, 0, 0, 1), 2)


def test_every_dice_of_the_last_round_is_played():
    """PS-E2: four turns of each seat"""
    state = position("3 3 3 3", round=40, players=2)
    play(state, *["inspire"] * 7)
    assert not state.is_terminal
    state.apply("inspire")
    assert state.is_terminal
