"""Enigma: line keys, the bonus key, the end of the game and its result, with every option."""

from __future__ import annotations

import pytest
from enigma_table import QUIET, bonus_used, cross, enigma, faces_in_hand, keys, pile, position
from sfumato.games import SfumatoError

PLAYED_LINE = {"standing_lines": "played_line"}
SINGLE = {"key_supply": "single"}

#: EX2: `al bottom` completes a column of `a`
COLUMN = ("ag bh ai cj dk", "fl ch di ej bk")
#: EX3: `ah centre` completes a column of `a` and a row of `h`
BOTH = ("ag bh ci dh ak", "fl ch di ej bk")
#: EX8: `al bottom` completes five of `a`
FIVE = ("ag ah ai aj dk", "fl ch di ej bk")
#: two more crosses for tables of four
OTHERS = ("bg dl ei fj ck", "cg eh fi dj el")


def played(crosses, words, hands, keys_owned=(), **options):
    """The table after one play of seat 0."""
    more = {name: options.pop(name) for name in ("bonus_used", "turns", "to_move") if name in options}
    state = position(crosses, hands, keys_owned, game=enigma(**options), **more)
    state.apply(words)
    return state


# --- line keys ------------------------------------------------------------------------------------------


def test_a_column_gives_its_key():
    """EX2, EN-K1, EN-K2, EN-K3, R5"""
    state = played(COLUMN, "play al bottom", ["al"])
    assert cross(state, 0) == "ag bh ai cj al"
    assert cross(state, 1) == "fl ch di ej dk"
    assert [keys(state, 0), keys(state, 1)] == ["a", ""]
    assert (state.phase, state.to_move) == ("play", 1)
    assert len(faces_in_hand(state, 0)) == 5


def test_a_row_gives_its_key():
    """EN-K2, EN-K3: `bh ch dh` shows h"""
    state = played(["ag bh ch dj ek", QUIET[1]], "play dh right", ["dh"])
    assert keys(state, 0) == "h"


def test_an_arm_of_each_line_is_no_line():
    """EN-K2, R3: three cards with `a`, in top, left and centre, and top, left, right, bottom alike"""
    corner = played(["ag bh ai cj dk", QUIET[1]], "play ak left", ["ak"])
    assert cross(corner, 0) == "ag ak ai cj dk"
    assert keys(corner, 0) == ""
    arms = played(["ag ah ci aj dk", QUIET[1]], "play al bottom", ["al"])
    assert cross(arms, 0) == "ag ah ci aj al"
    assert keys(arms, 0) == ""


def test_two_lines_give_two_keys():
    """EX3, EN-K4"""
    state = played(BOTH, "play ah centre", ["ah"])
    assert cross(state, 0) == "ag bh ah dh ak"
    assert keys(state, 0) == "ah"


def test_an_owned_key_is_not_received_again():
    """EX4, EN-K7"""
    state = played(COLUMN, "play al bottom", ["al"], ["a"])
    assert keys(state, 0) == "a"
    assert (state.phase, state.to_move) == ("play", 1)


@pytest.mark.parametrize("options", [{}, PLAYED_LINE])
def test_a_pushed_card_helps_to_complete_a_line_later(options):
    """EX5, EN-K5, EN-K6, R4"""
    state = position(["ag bh ci dj ek", "fl ch dg ei al"], ["fk", "bg"], game=enigma(**options))
    state.apply("play fk top")
    assert [cross(state, 0), cross(state, 1)] == ["fk bh ci dj ek", "ag ch dg ei al"]
    assert pile(state, "discard") == ["fl"]
    assert [keys(state, 0), keys(state, 1)] == ["", ""]
    state.apply("play bg bottom")
    assert [cross(state, 0), cross(state, 1)] == ["fk bh ci dj al", "ag ch dg ei bg"]
    assert pile(state, "discard") == ["ek", "fl"]
    assert [keys(state, 0), keys(state, 1)] == ["", "g"]


@pytest.mark.parametrize(
    ("words", "options", "received"),
    [
        ("play el right", {}, "g"),
        ("play el right", PLAYED_LINE, ""),
        ("play el bottom", {}, ""),
        ("play el bottom", PLAYED_LINE, ""),
    ],
)
def test_a_line_made_by_a_pushed_card_counts_if_it_stands_after_the_owners_play(words, options, received):
    """EX6, EN-K5, EN-K6, R4"""
    state = position(["ag bh ci dj ek", "fl ch dg ei bg"], ["fk", "el"], game=enigma(**options))
    state.apply("play fk top")
    assert cross(state, 1) == "ag ch dg ei bg"
    assert keys(state, 1) == "", "nothing in another seat's turn"
    state.apply(words)
    assert keys(state, 1) == received


@pytest.mark.parametrize(("options", "received"), [({}, "h"), (PLAYED_LINE, "")])
def test_a_dealt_line_counts_if_it_stands_after_the_play(options, received):
    """EX7, EN-K5, EN-K6, R4"""
    words = ["first 0", "cross 0 bg ah ch eh fk", "hand 0 dl bi cj dk ek", "cross 1 fl bh di ej al"]
    state = enigma(**options).new(players=2, seed=1, seen=words)
    assert keys(state, 0) == ""
    state.apply("play dl top")
    assert cross(state, 0) == "dl ah ch eh fk"
    assert keys(state, 0) == received


def test_a_play_in_the_centre_checks_both_lines():
    """R4, EX3: `played_line`, a play in the centre"""
    assert keys(played(BOTH, "play ah centre", ["ah"], **PLAYED_LINE), 0) == "ah"


def test_played_line_asks_for_the_line_of_the_cell_alone():
    """R4: a standing row of `h`; `dh` to the row counts, `dl` to the column does not, whatever was there"""
    crosses = ["bg ah ch eh fk", QUIET[1]]
    assert keys(played(crosses, "play dh left", ["dh"], **PLAYED_LINE), 0) == "h"
    assert keys(played(crosses, "play dl bottom", ["dl"], **PLAYED_LINE), 0) == ""
    assert keys(played(crosses, "play dl bottom", ["dl"]), 0) == "h"


def test_only_the_player_to_move_receives_keys():
    """EN-K5: seat 1's dealt column of `l` is worth nothing in seat 0's turn"""
    state = played(["ag bh ci dj ek", "fl ch dl ei al"], "play fk left", ["fk"])
    assert [keys(state, 0), keys(state, 1)] == ["", ""]


def test_every_key_is_there_for_every_player():
    """EN-K9, R6: seat 1 owns `a` already"""
    state = played(COLUMN, "play al bottom", ["al"], ["", "a"])
    assert [keys(state, 0), keys(state, 1)] == ["a", "a"]


def test_with_single_keys_the_first_come_is_the_first_served():
    """EX15, R6"""
    state = played(COLUMN, "play al bottom", ["al"], ["", "a"], **SINGLE)
    assert [keys(state, 0), keys(state, 1)] == ["", "a"]
    assert keys(played(COLUMN, "play al bottom", ["al"], **SINGLE), 0) == "a"


def test_keys_stay_when_the_line_is_broken():
    """EN-K8"""
    state = played(COLUMN, "play al bottom", ["al fk"])
    state.apply(state.legal_actions[0])
    state.apply("play fk centre")
    assert "a" in keys(state, 0)
    assert "a" in state.observation(1)["keys"][0], "for all to see"


# --- bonus ----------------------------------------------------------------------------------------------


def test_five_identical_symbols_offer_a_key_of_choice():
    """EX8, EN-K10, EN-K11, R8, R9"""
    state = played(FIVE, "play al bottom", ["al"], ["bg"])
    assert keys(state, 0) == "abg", "the line key comes first"
    assert (state.phase, state.to_move) == ("bonus", 0)
    assert state.legal_words == [f"take_key {symbol}" for symbol in "cdefhijkl"] + ["decline"]
    assert state.legal_actions == [392, 393, 394, 395, 397, 398, 399, 400, 401, 402]
    state.apply("take_key k")
    assert keys(state, 0) == "abgk"
    assert bonus_used(state) == [0]
    assert (state.phase, state.to_move, len(faces_in_hand(state, 0))) == ("play", 1, 5)


def test_the_bonus_does_not_need_a_line_key():
    """EX9, EN-K10: 11 keys and decline, the most decisions there are"""
    state = played(FIVE, "play al bottom", ["al"], ["a"])
    assert keys(state, 0) == "a"
    assert state.legal_words == [f"take_key {symbol}" for symbol in "bcdefghijkl"] + ["decline"]
    assert len(state.legal_actions) == 12


def test_a_used_bonus_is_not_offered_again():
    """EX9, EN-K11"""
    state = played(FIVE, "play al bottom", ["al"], ["a"], bonus_used=[0])
    assert (state.phase, state.to_move, state.fields().turns) == ("play", 1, 1)
    assert bonus_used(state) == [0]


def test_each_player_has_a_bonus_of_his_own():
    """EN-K11: seat 1 used it, seat 0 did not"""
    assert played(FIVE, "play al bottom", ["al"], bonus_used=[1]).phase == "bonus"


def test_four_identical_symbols_are_not_enough():
    """EN-K10, R8"""
    state = played(FIVE, "play bl bottom", ["bl"])
    assert cross(state, 0) == "ag ah ai aj bl"
    assert keys(state, 0) == "a", "the row alone"
    assert state.phase == "play"


def test_a_lower_symbol_counts_as_well():
    """EN-K10, R8: five cards with `k`"""
    state = played(["ak bk ck dk eh", QUIET[1]], "play ek bottom", ["ek"])
    assert (state.phase, keys(state, 0)) == ("bonus", "k")


def test_a_pushed_card_offers_no_bonus_to_its_receiver():
    """EN-K5, EN-K10: seat 1 gets its fifth `a` from seat 0 and waits for its own turn"""
    state = position(["ag bh ci dj ek", "fl ah ai aj al"], ["fk", "ak"])
    state.apply("play fk top")
    assert cross(state, 1) == "ag ah ai aj al"
    assert (state.phase, state.to_move, keys(state, 1)) == ("play", 1, "")
    state.apply("play ak right")
    assert (state.phase, state.to_move, keys(state, 1)) == ("bonus", 1, "a")


def test_the_bonus_counts_under_played_line_too():
    """R4, R8: the row was played, all five have `a`; the line key comes from the row"""
    state = played(["ag bh ai aj al", QUIET[1]], "play ak left", ["ak"], **PLAYED_LINE)
    assert (state.phase, keys(state, 0)) == ("bonus", "a")


def test_decline_keeps_the_bonus_for_later():
    """R9, EN-K10, EN-K11"""
    state = position(["ag ah ai aj dk", "ag ch di ej bk"], ["al ak", "fl"])
    state.apply("play al bottom")
    state.apply("decline")
    assert (keys(state, 0), bonus_used(state), state.to_move) == ("a", [], 1)
    state.apply("play fl top")
    assert cross(state, 0) == "ag ah ai aj al", "the other `ag` came back"
    state.apply("play ak left")
    assert (state.phase, cross(state, 0)) == ("bonus", "ag ak ai aj al")
    state.apply("take_key l")
    assert (keys(state, 0), bonus_used(state)) == ("al", [0])


def test_with_single_keys_the_bonus_offers_what_is_left():
    """R8, EX15: seats 1 to 3 own c d e f g h, seat 0 owns a"""
    state = played((*FIVE, *OTHERS), "play al bottom", ["al"], ["a", "cd", "ef", "gh"], **SINGLE)
    assert state.legal_words == [f"take_key {symbol}" for symbol in "bijkl"] + ["decline"]


def test_with_single_keys_five_identical_symbols_of_anothers_key_offer_the_bonus():
    """R8, R6: seat 1 owns a, so no line key comes"""
    state = played(FIVE, "play al bottom", ["al"], ["b", "a"], **SINGLE)
    assert (state.phase, keys(state, 0)) == ("bonus", "b")
    assert state.legal_words == [f"take_key {symbol}" for symbol in "cdefghijkl"] + ["decline"]


# --- winning --------------------------------------------------------------------------------------------


def result(state, seat=0):
    return state.observation(seat)["result"]


def test_the_seventh_key_wins_at_once_and_nothing_is_drawn():
    """EX10, EN-W1, EN-W2, EN-W3, R10, R13: 6 + 2 = 8 keys"""
    state = played(BOTH, "play ah centre", ["ah"], ["cdefgi"])
    assert keys(state, 0) == "acdefghi"
    assert (state.phase, state.to_move, state.is_terminal) == ("over", None, True)
    assert len(faces_in_hand(state, 0)) == 4
    assert (state.fields().deck_n, state.fields().turns) == (52, 0)
    assert pile(state, "discard") == ["di"], "the push is complete"
    assert state.outcome == ([8, 0], [1, 2], [1, 0])
    assert result(state) == result(state, 1) == {"reason": "keys", "ranks": [1, 2]}
    assert state.legal_actions == []


@pytest.mark.parametrize("owned", ["bcdefg", "ghijkl", "bdfhjl"])
def test_any_seven_keys_win(owned):
    """EN-W1, R10"""
    state = played(COLUMN, "play al bottom", ["al"], [owned])
    assert (state.phase, len(keys(state, 0))) == ("over", 7)


def test_six_keys_do_not_win():
    """EN-W1"""
    assert played(COLUMN, "play al bottom", ["al"], ["bcdef"]).phase == "play"


def test_the_bonus_key_may_be_the_seventh():
    """EX11, EN-W1, EN-K10"""
    for symbol in "ghijkl":
        state = played(FIVE, "play al bottom", ["al"], ["abcdef", "gh"])
        assert state.legal_words == [f"take_key {other}" for other in "ghijkl"] + ["decline"]
        state.apply(f"take_key {symbol}")
        assert (state.phase, state.to_move, state.fields().turns) == ("over", None, 0)
        assert len(faces_in_hand(state, 0)) == 4
        assert state.outcome == ([7, 2], [1, 2], [1, 0])


def test_a_game_won_by_a_line_key_has_no_bonus_phase():
    """EX11, R9"""
    state = played(FIVE, "play al bottom", ["al"], ["bcdefg"])
    assert (state.phase, keys(state, 0)) == ("over", "abcdefg")
    assert bonus_used(state) == []


def test_declining_with_six_keys_goes_on():
    """EX11, R9"""
    state = played(FIVE, "play al bottom", ["al"], ["abcdef"])
    state.apply("decline")
    assert (state.phase, state.to_move, keys(state, 0)) == ("play", 1, "abcdef")


@pytest.mark.parametrize(("losers", "ranks"), [("equal", [1, 2, 2, 2]), ("by_keys", [1, 2, 2, 4])])
def test_the_losers_share_the_second_rank_or_stand_by_their_keys(losers, ranks):
    """EN-W2, EN-W3, R14"""
    state = played((*COLUMN, *OTHERS), "play al bottom", ["al"], ["bcdefg", "abc", "def", "k"], losers=losers)
    assert state.outcome == ([7, 3, 3, 1], ranks, [1, 0, 0, 0])
    assert result(state, 2) == {"reason": "keys", "ranks": ranks}


@pytest.mark.parametrize(
    ("owned", "ranks", "shares"),
    [
        (["abcd", "efgh"], [1, 1], [0.5, 0.5]),
        (["abcde", "fghi"], [1, 2], [1, 0]),
        (["", "a"], [2, 1], [0, 1]),
    ],
)
def test_at_the_cap_the_most_keys_win(owned, ranks, shares):
    """EX14, EN-W4, R15: turn 120 of two players"""
    state = played(QUIET[:2], "play fk left", ["fk"], owned, turns=119)
    assert (state.phase, state.to_move, state.fields().turns) == ("over", None, 120)
    assert [len(faces_in_hand(state, seat)) for seat in range(2)] == [5, 5]
    assert state.outcome == ([len(owned[0]), len(owned[1])], ranks, shares)
    assert result(state) == {"reason": "cap", "ranks": ranks}


def test_the_turn_before_the_cap_is_followed_by_another():
    """EX14, EN-W4"""
    state = played(QUIET[:2], "play fk left", ["fk"], turns=118)
    assert (state.phase, state.fields().turns) == ("play", 119)


def test_a_seventh_key_in_the_last_turn_wins_by_keys():
    """EX14, EN-W1: turn 120 itself"""
    state = played(COLUMN, "play al bottom", ["al"], ["bcdefg", "hijkl"], turns=119)
    assert result(state) == {"reason": "keys", "ranks": [1, 2]}
    assert state.fields().turns == 119


def test_the_last_turn_may_bring_a_key_and_a_bonus_before_the_cap():
    """EN-W4, EN-K10: keys of the last turn count"""
    state = played(FIVE, "play al bottom", ["al"], ["", "bcd"], turns=119)
    assert state.phase == "bonus"
    state.apply("take_key k")
    assert result(state) == {"reason": "cap", "ranks": [2, 1]}
    assert state.outcome.scores == [2, 3]


@pytest.mark.parametrize(
    ("options", "ranks", "shares"),
    [
        ({}, [1, 1, 3, 3], [0.5, 0.5, 0, 0]),
        ({"losers": "by_keys"}, [1, 1, 3, 4], [0.5, 0.5, 0, 0]),
        ({"cap_result": "draw"}, [1, 1, 1, 1], [0.25] * 4),
        ({"cap_result": "draw", "losers": "by_keys"}, [1, 1, 1, 1], [0.25] * 4),
    ],
)
def test_ranks_at_the_cap(options, ranks, shares):
    """EN-W4, R14, R15: two leaders with 4 keys, then 2 and 1"""
    state = played(QUIET, "play fk left", ["fk"], ["abcd", "efgh", "ab", "a"], turns=399, **options)
    assert state.outcome == ([4, 4, 2, 1], ranks, shares)


@pytest.mark.parametrize(("players", "rounds"), [(2, 60), (3, 100), (4, 100)])
def test_the_cap_is_60_rounds_for_two_and_100_for_more(players, rounds):
    """EN-W4, R15"""
    state = enigma().new(players=players, seed=1)
    assert state.observation(0)["options"]["max_rounds"] == rounds
    last = rounds * players - 1
    early = position(QUIET[:players], ["fl"], turns=last - 1)
    early.apply("play fl right")
    assert early.phase == "play"
    late = position(QUIET[:players], ["fl"], turns=last)
    late.apply("play fl right")
    assert late.phase == "over"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_one_number_of_rounds_holds_for_every_player_count(players):
    """R15: max_rounds = 1, every seat has one turn"""
    state = enigma(max_rounds=1).new(players=players, seed=3)
    for _ in range(players):
        assert not state.is_terminal
        state.apply(state.legal_actions[0])
        if state.phase == "bonus":
            state.apply("decline")
    assert state.is_terminal
    assert result(state)["reason"] == "cap"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_rounds", 0),
        ("max_rounds", 1001),
        ("max_rounds", True),
        ("max_rounds", "60"),
        ("standing_lines", "never"),
        ("key_supply", "double"),
        ("losers", ""),
        ("cap_result", None),
        ("hand_size", 6),
    ],
)
def test_other_options_and_values_are_refused(option, value):
    """R4, R6, R14, R15"""
    with pytest.raises(SfumatoError) as refused:
        enigma.__wrapped__(**{option: value})
    assert refused.value.code == "bad_option"


# --- dead end (single keys) -----------------------------------------------------------------------------


def test_a_dead_end_ends_the_game_at_once():
    """EX15, R7: 8 keys taken, 4 left, nobody can reach 7"""
    state = played((*COLUMN, *OTHERS), "play al bottom", ["al"], ["b", "cd", "ef", "gh"], **SINGLE)
    assert keys(state, 0) == "ab"
    assert (state.phase, state.to_move, state.fields().turns) == ("over", None, 0)
    assert len(faces_in_hand(state, 0)) == 4
    assert state.outcome == ([2, 2, 2, 2], [1, 1, 1, 1], [0.25] * 4)
    assert result(state) == {"reason": "dead_end", "ranks": [1, 1, 1, 1]}


def test_while_somebody_can_reach_seven_the_game_goes_on():
    """EX15, R7: seat 0 owns three, four are left"""
    state = played((*COLUMN, *OTHERS), "play al bottom", ["al"], ["bi", "c", "ef", "gh"], **SINGLE)
    assert keys(state, 0) == "abi"
    assert (state.phase, state.to_move) == ("play", 1)


def test_a_bonus_key_may_bring_the_dead_end():
    """R7, R8: checked after every key; declining does not bring it"""
    owned = ["a", "cd", "ef", "gh"]
    state = played((*FIVE, *OTHERS), "play al bottom", ["al"], owned, **SINGLE)
    state.apply("take_key b")
    assert result(state) == {"reason": "dead_end", "ranks": [1, 1, 1, 1]}
    assert len(faces_in_hand(state, 0)) == 4
    declined = played((*FIVE, *OTHERS), "play al bottom", ["al"], owned, **SINGLE)
    declined.apply("decline")
    assert (declined.phase, declined.to_move) == ("play", 1)


@pytest.mark.parametrize(
    ("options", "ranks"),
    [({}, [2, 1, 2, 2]), ({"losers": "by_keys"}, [4, 1, 3, 2]), ({"cap_result": "draw"}, [1, 1, 1, 1])],
)
def test_a_dead_end_has_the_result_of_the_cap(options, ranks):
    """R7, R14, R15: keys 1, 4, 2, 3 and two left: 4 + 2 < 7"""
    owned = ["", "bcde", "fg", "hij"]
    state = played((*COLUMN, *OTHERS), "play al bottom", ["al"], owned, **SINGLE, **options)
    assert result(state) == {"reason": "dead_end", "ranks": ranks}


def test_per_player_keys_know_no_dead_end():
    """R6, R7"""
    state = played((*COLUMN, *OTHERS), "play al bottom", ["al"], ["b", "cd", "ef", "gh"])
    assert state.phase == "play"
