"""Enigma: the observation map, and what `from_observation` refuses, code by code."""

from __future__ import annotations

import copy
import json
from collections import Counter

import pytest
from enigma_table import PAIRS66, QUIET, enigma, faces_of, position
from sfumato.games import SfumatoError

CROSS = {"top": "ag", "left": "bh", "centre": "ci", "right": "dj", "bottom": "ek"}
OPTIONS = {
    "standing_lines": "count",
    "key_supply": "per_player",
    "losers": "equal",
    "max_rounds": 60,
    "cap_result": "most_keys",
}


def at_start():
    """EX5's set-up, seen by seat 1."""
    words = [
        "first 0",
        "cross 0 ag bh ci dj ek",
        "cross 1 fl ch dg ei al",
        "hand 0 fk ah bi cj dk",
        "hand 1 bg cl dh ek fi",
    ]
    return enigma().new(players=2, seed=1, seen=words)


def in_bonus(game=None):
    """Seat 0 has five `a` and the key `a`, and may take another."""
    state = position(["ag ah ai aj dk", QUIET[1]], ["al"], ["", "bc"], game=game, turns=10)
    state.apply("play al bottom")
    return state


def won():
    """Seat 0 has won with 7 keys, four cards in hand."""
    state = position(["ag bh ai cj dk", "fl ch di ej bk"], ["al"], ["bcdefg", "a"], turns=10)
    state.apply("play al bottom")
    return state


def capped():
    """Two players after turn 120, keys 5 and 4."""
    state = position(QUIET[:2], ["fk"], ["abcde", "fghi"], turns=119)
    state.apply("play fk left")
    return state


def later():
    """Seat 0 holds cards of two shuffles."""
    return position(QUIET[:2], ["ai aj:1 bj bk:1 ck:1", "ag bg cl:1 dl:1 el"], turns=60, shuffle=1, deck=45)


# --- the map --------------------------------------------------------------------------------------------


def test_the_map_says_all_that_the_seat_knows():
    """EX16, R18, EN-S5: the first observation of EX5's table"""
    rest = Counter(faces_of(enigma()))
    rest.subtract(["ag", "bh", "ci", "dj", "ek", "fl", "ch", "dg", "ei", "al", "bg", "cl", "dh", "ek", "fi"])
    assert at_start().observation(1) == {
        "game": "enigma",
        "cards": enigma().cards_digest,
        "options": OPTIONS,
        "players": 2,
        "seat": 1,
        "to_move": 0,
        "phase": "play",
        "turns": 0,
        "crosses": [CROSS, {"top": "fl", "left": "ch", "centre": "dg", "right": "ei", "bottom": "al"}],
        "keys": [[], []],
        "bonus_used": [False, False],
        "hand": [{"face": face, "shuffle": 0} for face in ("bg", "cl", "dh", "ek", "fi")],
        "hand_marks": [{"0": 5}, {"0": 5}],
        "discard": {},
        "deck_count": 52,
        "shuffle": 0,
        "unseen": {"0": dict(+rest)},
        "result": None,
    }


def test_the_map_is_plain_data_and_counts_stand_in_face_order():
    """R18: JSON and back; maps of counts hold only counts above 0"""
    seen = at_start().observation(0)
    assert json.loads(json.dumps(seen)) == seen
    pool = seen["unseen"]["0"]
    order = list(faces_of(enigma()))
    assert list(pool) == [face for face in order if pool.get(face)]
    assert "ek" in pool, "seat 0 does not see seat 1's copy"


def test_the_hand_is_written_by_shuffle_then_face():
    """R18"""
    seen = later().observation(0)
    assert [(card["shuffle"], card["face"]) for card in seen["hand"]] == [
        (0, "ai"),
        (0, "bj"),
        (1, "aj"),
        (1, "bk"),
        (1, "ck"),
    ]
    assert seen["hand_marks"] == [{"0": 2, "1": 3}, {"0": 3, "1": 2}]
    assert seen["unseen"]["0"] == {"ag": 1, "bg": 1, "el": 1}
    assert sum(seen["unseen"]["1"].values()) == 2 + 45
    assert seen["deck_count"] == 45


def test_a_bonus_and_a_result_are_seen_by_all():
    """EN-K8, EN-K10, EN-W2, R18"""
    bonus = in_bonus().observation(1)
    assert (bonus["phase"], bonus["to_move"], bonus["keys"]) == ("bonus", 0, [["a"], ["b", "c"]])
    assert bonus["hand_marks"] == [{"0": 4}, {"0": 5}]
    state = in_bonus()
    state.apply("take_key k")
    assert state.observation(1)["bonus_used"] == [True, False]
    over = won().observation(1)
    assert (over["phase"], over["to_move"], over["turns"]) == ("over", None, 10)
    assert over["result"] == {"reason": "keys", "ranks": [1, 2]}


def test_the_observation_of_one_seat_does_not_depend_on_the_others_cards():
    """R18: two tables that seat 1 cannot tell apart"""
    one = position(QUIET[:2], ["ah bi ck dl eg", "fl fk fj fi fh"])
    other = position(QUIET[:2], ["ai bj cl dg eh", "fl fk fj fi fh"])
    assert one.observation(1) == other.observation(1)
    assert one.observation(0) != other.observation(0)


@pytest.mark.parametrize("make", [at_start, in_bonus, won, capped, later])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_map_and_the_hidden_table_are_two_writings_of_one_thing(make, seat):
    """R18"""
    state = make()
    read = enigma().from_observation(state.observation(seat), seed=2)
    assert read.hidden(seat) == state.hidden(seat)
    assert read.observation(seat) == state.observation(seat)


def test_lists_may_come_in_any_order():
    """R18"""
    state = later()
    seen = state.observation(0)
    seen["hand"].reverse()
    seen["unseen"]["1"] = dict(reversed(seen["unseen"]["1"].items()))
    assert enigma().from_observation(seen, seed=1).hidden(0) == state.hidden(0)
    bonus = in_bonus()
    seen = bonus.observation(0)
    seen["keys"][1].reverse()
    assert enigma().from_observation(seen, seed=1).hidden(0) == bonus.hidden(0)


def test_the_digest_names_faces_and_copies():
    """R2: another table is another digest"""
    assert enigma(PAIRS66).cards_digest != enigma().cards_digest
    assert enigma(losers="by_keys").cards_digest == enigma().cards_digest


# --- refusals -------------------------------------------------------------------------------------------


def refusal(seen, game=None):
    """The code with which the map is refused."""
    before = copy.deepcopy(seen)
    with pytest.raises(SfumatoError) as refused:
        (game or enigma()).from_observation(seen, seed=1)
    assert seen == before
    return refused.value.code


def changed(make, /, **fields):
    """Seat 0's observation with some fields replaced; a function is called with the old value."""
    seen = make().observation(0)
    for name, value in fields.items():
        seen[name] = value(copy.deepcopy(seen[name])) if callable(value) else value
    return seen


def with_item(place, value):
    """Replaces one item of a list or a map."""

    def change(old):
        old[place] = value
        return old

    return change


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"game": "chess"}, id="another game"),
        pytest.param({"phase": "draw"}, id="an unknown phase"),
        pytest.param({"turns": "0"}, id="a string for a number"),
        pytest.param({"crosses": "ag bh"}, id="a string for a list"),
        pytest.param({"bonus_used": [0, 1]}, id="numbers for true and false"),
        pytest.param({"deck_count": None}, id="no number"),
        pytest.param({"deck_count": 1.5}, id="a broken number"),
        pytest.param({"hand": ["bg", "cl", "dh", "ek", "fi"]}, id="faces without their shuffles"),
        pytest.param({"discard": {"fl": 0}}, id="a count of 0"),
        pytest.param({"unseen": with_item("0", {"ag": -1})}, id="a count below 0"),
        pytest.param({"hand_marks": [{"0": 5, "1": 0}, {"0": 5}]}, id="a mark that nobody holds"),
        pytest.param({"weather": "fine"}, id="an unknown field"),
    ],
)
def test_bad_field(fields):
    """R18: every field present, no other, of its type; no count below 1"""
    seen = at_start().observation(1)
    for name, value in fields.items():
        seen[name] = value(seen[name]) if callable(value) else value
    assert refusal(seen) == "bad_field"


def test_every_field_must_be_there():
    """R18: bad_field"""
    whole = at_start().observation(1)
    for name in whole:
        seen = {field: value for field, value in whole.items() if field != name}
        assert refusal(seen) == "bad_field", name


def test_an_unknown_field_of_a_card_is_a_bad_field():
    """R18"""
    seen = at_start().observation(1)
    seen["hand"][0]["colour"] = "red"
    assert refusal(seen) == "bad_field"


def test_bad_table():
    """R2: the map of another card table"""
    assert refusal(changed(at_start, cards="0" * 32)) == "bad_table"
    other = enigma(PAIRS66).new(players=2, seed=1).observation(0)
    assert refusal(other) == "bad_table"


@pytest.mark.parametrize(
    "fields",
    [
        {"players": 1},
        {"players": 5},
        {"seat": 2},
        {"seat": -1},
        {"to_move": 2},
        {"to_move": -1},
        {"keys": [[]]},
        {"bonus_used": [False] * 3},
        {"hand_marks": [{"0": 5}]},
        {"crosses": [CROSS]},
    ],
)
def test_bad_players(fields):
    """EN-S1, R1"""
    assert refusal(changed(at_start, **fields)) == "bad_players"


@pytest.mark.parametrize(
    "options",
    [
        {**OPTIONS, "standing_lines": "played_line"},
        {**OPTIONS, "losers": "nobody"},
        {**OPTIONS, "max_rounds": 100},
        {**OPTIONS, "hand_size": 5},
        {name: value for name, value in OPTIONS.items() if name != "losers"},
        {},
    ],
)
def test_bad_option(options):
    """R4, R6, R14, R15: other options than those of the loaded game"""
    assert refusal(changed(at_start, options=options)) == "bad_option"


@pytest.mark.parametrize(
    "fields",
    [
        {"crosses": lambda old: [{**old[0], "top": "zz"}, old[1]]},
        {"crosses": lambda old: [{**old[0], "top": "ga"}, old[1]]},
        {"hand": with_item(0, {"face": "ab", "shuffle": 0})},
        {"discard": {"": 1}},
        {"unseen": with_item("0", {"gh": 57})},
    ],
)
def test_bad_face(fields):
    """R2: a face that is not in the table"""
    assert refusal(changed(at_start, **fields)) == "bad_face"


@pytest.mark.parametrize("symbol", ["m", "A", "", "ab", "0"])
def test_bad_symbol(symbol):
    """EN-K1: twelve symbols, a to l"""
    assert refusal(changed(at_start, keys=[[symbol], []])) == "bad_symbol"


@pytest.mark.parametrize(
    "cross",
    [
        {"top": "ag", "left": "bh", "centre": "ci", "right": "dj"},
        {**CROSS, "middle": "ek"},
        {"top": "ag", "left": "bh", "center": "ci", "right": "dj", "bottom": "ek"},
        {},
    ],
)
def test_bad_cross(cross):
    """R3: the five cells"""
    assert refusal(changed(at_start, crosses=with_item(0, cross))) == "bad_cross"


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        (at_start, {"to_move": None}),
        (at_start, {"turns": -1}),
        (at_start, {"turns": 121}),
        (at_start, {"turns": 120}),
        (in_bonus, {"turns": 120}),
        (won, {"to_move": 0}),
        (capped, {"turns": 121}),
        (at_start, {"turns": 1 << 40}),
    ],
)
def test_bad_turn(make, fields):
    """EN-W4: nobody moves exactly when the game is over; turns up to the cap"""
    assert refusal(changed(make, **fields)) == "bad_turn"


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(at_start, {"hand_marks": [{"0": 5}, {"0": 4}]}, id="another seat with four"),
        pytest.param(at_start, {"hand_marks": [{"0": 5}, {"0": 6}]}, id="another seat with six"),
        pytest.param(
            at_start, {"hand": lambda old: old[:4], "hand_marks": [{"0": 4}, {"0": 5}]}, id="own hand of four"
        ),
        pytest.param(in_bonus, {"to_move": 1}, id="the mover of a bonus with five"),
        pytest.param(capped, {"hand_marks": with_item(1, {"0": 4})}, id="four after the cap"),
        pytest.param(won, {"hand_marks": with_item(1, {"0": 4})}, id="two seats with four"),
        pytest.param(
            at_start,
            {"phase": "over", "to_move": None, "result": {"reason": "cap", "ranks": [1, 1]}},
            id="nobody with four in a game that ended early",
        ),
    ],
)
def test_bad_hand_size(make, fields):
    """EN-T7, EN-W1: five cards, four where the draw is outstanding"""
    assert refusal(changed(make, **fields)) == "bad_hand_size"


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(at_start, {"hand_marks": [{"0": 5}, {"0": 4, "1": 1}]}, id="a mark above the shuffle"),
        pytest.param(
            later, {"hand": with_item(0, {"face": "ai", "shuffle": 1})}, id="the hand and its marks disagree"
        ),
        pytest.param(
            later, {"hand_marks": with_item(0, {"0": 3, "1": 2})}, id="the marks and the hand disagree"
        ),
        pytest.param(at_start, {"shuffle": 1}, id="a reshuffle before the first turn"),
    ],
)
def test_bad_marks(make, fields):
    """R18: marks between 0 and the shuffle, the own hand in agreement, a reshuffle at most per turn"""
    assert refusal(changed(make, **fields)) == "bad_marks"


@pytest.mark.parametrize("mark", ["x", "-1", "1.0", "", "00", "99999999999999999999"])
def test_marks_that_are_no_shuffle_numbers_are_refused(mark):
    """R18"""
    assert refusal(changed(later, hand_marks=with_item(1, {"0": 3, mark: 2}))) in ("bad_field", "bad_marks")
    assert refusal(changed(later, unseen=with_item(mark, {"ag": 1}))) in (
        "bad_field",
        "bad_marks",
        "bad_pool",
    )


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(at_start, {"deck_count": 51}, id="a card too few in the deck"),
        pytest.param(at_start, {"deck_count": 53}, id="a card too many in the deck"),
        pytest.param(at_start, {"unseen": {}}, id="no pool"),
        pytest.param(later, {"hand_marks": with_item(1, {"0": 2, "1": 3})}, id="pools of other sizes"),
    ],
)
def test_bad_pool(make, fields):
    """R18: each pool fills the others' places of its shuffle, and the deck"""
    assert refusal(changed(make, **fields)) == "bad_pool"


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(
            at_start, {"crosses": with_item(0, {**CROSS, "top": "ah"})}, id="another card in a cross"
        ),
        pytest.param(at_start, {"discard": {"fl": 1}}, id="a card too many"),
        pytest.param(
            at_start, {"hand": with_item(0, {"face": "al", "shuffle": 0})}, id="another card in the hand"
        ),
        pytest.param(later, {"unseen": with_item("0", {"ag": 2, "el": 1})}, id="another card in a pool"),
    ],
)
def test_bad_cards(make, fields):
    """EN-S2: every copy lies in exactly one place"""
    assert refusal(changed(make, **fields)) == "bad_cards"


@pytest.mark.parametrize(
    ("make", "keys"),
    [
        pytest.param(at_start, [["g", "g"], []], id="one symbol twice"),
        pytest.param(at_start, [list("abcdefg"), []], id="seven while the game goes on"),
        pytest.param(in_bonus, [["a"], list("abcdefg")], id="seven of another seat"),
        pytest.param(capped, [list("abcdefg"), []], id="seven after the cap"),
        pytest.param(won, [["a"], list("bcdefgh")], id="seven of a seat with five cards"),
        pytest.param(won, [list("abcdefghi"), []], id="nine"),
    ],
)
def test_bad_keys(make, keys):
    """EN-K7, EN-W1, R13"""
    assert refusal(changed(make, keys=keys)) == "bad_keys"


def test_bad_keys_with_single_keys():
    """R6: nobody shares a key"""
    single = enigma(key_supply="single")
    seen = single.new(players=2, seed=1).observation(0)
    seen["keys"] = [["a", "b"], ["b"]]
    assert refusal(seen, single) == "bad_keys"


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"bonus_used": [True, False]}, id="used"),
        pytest.param({"keys": [["b"], []]}, id="the shared symbol is not owned yet"),
        pytest.param(
            {"crosses": lambda old: [{**old[0], "top": old[1]["top"]}, {**old[1], "top": old[0]["top"]}]},
            id="four of a kind",
        ),
    ],
)
def test_bad_bonus(fields):
    """EN-K10, EN-K11, R8"""
    assert refusal(changed(in_bonus, **fields)) == "bad_bonus"


def test_a_bonus_with_single_keys_asks_that_somebody_owns_the_symbol():
    """R6, R8: bad_bonus only if nobody does"""
    single = enigma(key_supply="single")
    seen = in_bonus(single).observation(0)
    seen["keys"] = [["b"], ["a", "c"]]
    assert single.from_observation(seen, seed=1).phase == "bonus"
    seen["keys"] = [["b"], ["c"]]
    assert refusal(seen, single) == "bad_bonus"


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(
            at_start, {"result": {"reason": "cap", "ranks": [1, 1]}}, id="a result while the game goes on"
        ),
        pytest.param(won, {"result": None}, id="no result at the end"),
        pytest.param(won, {"result": {"reason": "cap", "ranks": [1, 2]}}, id="another reason"),
        pytest.param(won, {"result": {"reason": "keys", "ranks": [2, 1]}}, id="another winner"),
        pytest.param(won, {"result": {"reason": "keys", "ranks": [1]}}, id="a rank missing"),
        pytest.param(won, {"keys": [list("abcdef"), []]}, id="over without a reason"),
        pytest.param(capped, {"keys": [list("abcd"), list("fghi")]}, id="the keys say another result"),
    ],
)
def test_bad_result(make, fields):
    """EN-W1, EN-W2, EN-W4"""
    assert refusal(changed(make, **fields)) == "bad_result"


def test_bad_result_in_a_dead_end():
    """R7: nobody can reach seven keys, and the map says that the game goes on"""
    single = enigma(key_supply="single")
    seen = single.new(players=4, seed=1).observation(0)
    seen["keys"] = [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]]
    assert refusal(seen, single) == "bad_result"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"turns": "0", "cards": ""}, "bad_field"),
        ({"cards": "", "players": 9}, "bad_table"),
        ({"players": 9, "options": {}}, "bad_players"),
        ({"options": {}, "keys": [["z"], []]}, "bad_option"),
        ({"turns": 120, "hand_marks": [{"0": 4}, {"0": 5}]}, "bad_turn"),
        ({"shuffle": 1, "deck_count": 51}, "bad_marks"),
        ({"deck_count": 51, "keys": [["a", "a"], []]}, "bad_pool"),
        ({"discard": {"fl": 1}, "keys": [["a", "a"], []]}, "bad_cards"),
        ({"keys": [["a", "a"], []], "result": {"reason": "cap", "ranks": [1, 1]}}, "bad_keys"),
    ],
)
def test_the_first_failure_counts(fields, code):
    """R18: of two faults the earlier check speaks"""
    assert refusal(changed(at_start, **fields)) == code


def test_a_refusal_names_the_place():
    """R18: the path of the field at fault"""
    for name, value in {"turns": "0", "deck_count": 51, "keys": [["m"], []]}.items():
        with pytest.raises(SfumatoError) as refused:
            enigma().from_observation(changed(at_start, **{name: value}), seed=1)
        assert refused.value.path.split(".")[0].split("[")[0] in (name, "unseen")
