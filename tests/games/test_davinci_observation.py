"""Atelier Da Vinci: the observation map, and what `from_observation` refuses, code by code."""

from __future__ import annotations

import copy
import json
from random import Random

import pytest
from davinci_table import FACES, davinci, look, observed, position
from sfumato.games import SfumatoError
from walks import play_to_end

OPTIONS = {"wet_paint": "ring", "mastery_bonus": "card", "completion_bonus": "level", "round_cap": 60}


def middle(**more):
    """Seat 0 of three is to move; hidden cards of two cycles."""
    given = {
        "hands": ["red1 ?blue2 ?red2:1", "? ?:1 green1", "?:1"],
        "places": ["gioconda 3=green2 5=blue1", "ermellino 1=red3"],
        "table": "blue1 brown1 brown3",
        "old": {0: "yellow4"},
        "cycle": 1,
        "unseen": 8,
        "taken": {"rocce": 1},
        "masteries": {"palette": 2},
        "esteem": [7, 12, 0],
        "help": 2,
        "round": 4,
    }
    return observed(**{**given, **more})


def in_take(**more):
    return observed(["blue2 red1"], table="red2 brown1", phase="take", take_left=2, last_face="blue2", **more)


def in_discard(**more):
    cards = ["blue1 blue2 red1 red2 red3 ?green1"]
    return observed(cards, phase="discard", to_discard=1, **more)


def in_paint(**more):
    given = {"places": ["cena 0=blue1* 2=red1*", "magi"], "last_slot": [0, 2], "placed": 2}
    return observed(["red1 yellow2"], phase="paint", **{**given, **more})


def in_leonardo(**more):
    given = {"table": "red4 blue1", "places": ["battista open 2", "ermellino 0=blue3*"], "leonardo": 0}
    return observed(["red1"], phase="leonardo", **{**given, **more})


def in_leo_drawn(**more):
    given = {"table": "brown1", "places": ["ginevra open 3", "ermellino"], "leonardo": 0, "drawn": "red2"}
    return observed(["red1"], phase="leo_drawn", **{**given, **more})


def over(**more):
    given = {"places": [None, None], "paintings_left": 0, "to_move": None}
    return observed(["red1", "blue1", "green1"], phase="over", **{**given, **more})


EVERY_PHASE = [middle, in_take, in_discard, in_paint, in_leonardo, in_leo_drawn, over]

# --- the map --------------------------------------------------------------------------------------------


def test_the_map_of_a_new_table():
    """DV-S4, DV-S9, R22: every field, as its owner sees it"""
    state = davinci().new(players=2, seed=11)
    seen = state.observation(1)
    ((cycle, face),) = seen.pop("own_hidden")
    assert cycle == 0 and face in FACES
    assert sum(seen.pop("table").values()) == 4
    assert [place["painting"] for place in seen.pop("places")] != []
    assert len(seen.pop("achievements")) == 2
    assert seen == {
        "game": "davinci",
        "cards": davinci().cards_digest,
        "options": OPTIONS,
        "players": 2,
        "seat": 1,
        "to_move": 0,
        "phase": "main",
        "round": 1,
        "leonardo": 0,
        "help": None,
        "cycle": 0,
        "discard": {},
        "deck_count": 19,
        "paintings_left": 3,
        "taken": {},
        "masteries": {},
        "esteem": [0, 0],
        "hands": [{"known": {}, "hidden": [[0, 1]]}] * 2,
        "old_pools": [],
        "take_left": 0,
        "last_face": None,
        "last_slot": None,
        "placed": 0,
        "to_discard": 0,
        "drawn": None,
        "done_count": {},
    }


@pytest.mark.parametrize("make", EVERY_PHASE)
def test_a_map_is_read_and_written_back_in_every_phase(make):
    """R16, R22: two writings of one thing, plain data"""
    seen = make()
    assert json.loads(json.dumps(seen)) == seen
    for seed in range(5):
        state = davinci().from_observation(seen, seed=seed)
        assert state.observation(seen["seat"]) == seen
        assert state.hidden(seen["seat"]).observation(seen["seat"]) == seen


@pytest.mark.parametrize("make", EVERY_PHASE)
def test_what_is_read_can_be_played_to_its_end(make):
    """R2, DV-G1"""
    for seed in range(5):
        state = davinci().from_observation(make(), seed=seed)
        assert play_to_end(state, Random(seed)).is_terminal


def test_counts_stand_in_the_order_of_the_faces_and_zeros_are_left_out():
    """R15"""
    state = position(["red1"], table="green4 blue1 brown3", unseen=5)
    for zone in (look(state)["table"], look(state)["discard"]):
        assert list(zone) == [face for face in FACES if face in zone]
        assert 0 not in zone.values()


def test_the_observation_of_one_seat_does_not_depend_on_the_others_hidden_cards():
    """R16, DV-C2"""
    seen = middle()
    states = [davinci().from_observation(seen, seed=seed) for seed in range(30)]
    assert len({str(state.observation(1)["own_hidden"]) for state in states}) > 3
    assert all(state.observation(0) == seen for state in states)


# --- refusals -------------------------------------------------------------------------------------------


def refusal(seen, game=None):
    """Code and place of the refusal."""
    before = copy.deepcopy(seen)
    with pytest.raises(SfumatoError) as refused:
        (game or davinci()).from_observation(seen, seed=1)
    assert seen == before
    assert refused.value.message
    return refused.value.code, refused.value.path


def place_of(path):
    """The field that a path begins with."""
    return path.split(".")[0].split("[")[0]


@pytest.mark.parametrize(
    ("code", "field", "value"),
    [
        ("bad_field", "game", "enigma"),
        ("bad_field", "phase", "sleep"),
        ("bad_field", "round", "1"),
        ("bad_field", "hands", {}),
        ("bad_field", "table", {"blue1": -1}),
        ("bad_field", "esteem", [0.5, 0, 0]),
        ("bad_table", "cards", "0" * 32),
        ("bad_players", "players", 6),
        ("bad_players", "players", 1),
        ("bad_players", "seat", 3),
        ("bad_players", "to_move", 3),
        ("bad_players", "esteem", [0, 0]),
        ("bad_players", "hands", [{"known": {}, "hidden": []}]),
        ("bad_option", "options", {**OPTIONS, "round_cap": 59}),
        ("bad_option", "options", {**OPTIONS, "wet_paint": "off"}),
        ("bad_option", "options", {}),
        ("bad_turn", "to_move", None),
    ],
)
def test_the_envelope_is_checked_as_in_every_game(code, field, value):
    """DV-S1, R3, R17"""
    got, path = refusal({**middle(), field: value})
    assert (got, place_of(path)) == (code, field)


def test_every_field_must_be_there_and_no_other():
    """R22: bad_field"""
    whole = middle()
    for name in whole:
        seen = {field: value for field, value in whole.items() if field != name}
        assert refusal(seen) == ("bad_field", name)
    assert refusal({**whole, "weather": "fine"}) == ("bad_field", "weather")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("round", 0),
        ("round", 61),
        ("leonardo", 3),
        ("leonardo", -1),
        ("help", 3),
        ("help", -1),
        ("table", {"blue5": 1}),
        ("discard", {"pink1": 1}),
        ("places", [{"painting": "mona", "cards": [None] * 6, "fresh": []}, None]),
        ("taken", {"mona": 0}),
        ("taken", {"rocce": 3}),
        ("masteries", {"rocce": 0}),
        ("masteries", {"palette": 3}),
        ("achievements", ["colour_pair", "rich"]),
        ("own_hidden", [[0, "blue5"], [1, "red2"]]),
        ("esteem", [-1, 0, 0]),
        ("drawn", "blue0"),
        ("last_face", "blue0"),
    ],
)
def test_bad_value(field, value):
    """DV-S1, R17: names and numbers that the game does not have"""
    code, path = refusal({**middle(), field: value})
    assert code == "bad_value"
    assert place_of(path) == field


@pytest.mark.parametrize(
    ("face", "fields"),
    [
        pytest.param("red4", {"table": {"red4": 1}, "discard": {"red4": 1}}, id="table and discard"),
        pytest.param("yellow4", {"table": {"yellow4": 1, "blue1": 1}}, id="table and old pool"),
        pytest.param("red2", {"discard": {"red2": 2}}, id="discard and own hidden card"),
    ],
)
def test_too_many_cards(face, fields):
    """DV-S2: each 4 exists once with three players"""
    seen = {**middle(), **fields}
    with pytest.raises(SfumatoError) as refused:
        davinci().from_observation(seen)
    assert refused.value.code == "too_many_cards"
    assert face in str(refused.value)


@pytest.mark.parametrize("change", [-1, 1])
def test_card_count(change):
    """DV-S2: the deck and the others' hidden cards are what is left of the whole"""
    seen = middle()
    seen["deck_count"] += change
    code, path = refusal(seen)
    assert (code, place_of(path)) == ("card_count", "deck_count")


@pytest.mark.parametrize(
    "pools",
    [
        pytest.param([], id="no pool for a hidden card of cycle 0"),
        pytest.param([{"cycle": 0, "cards": {"yellow4": 1, "yellow3": 1}}], id="two cards for one place"),
    ],
)
def test_pool_count(pools):
    """R16: each old pool has as many cards as the others hold of its cycle"""
    code, path = refusal(middle(old_pools=pools))
    assert (code, place_of(path)) == ("pool_count", "old_pools")


def test_pool_count_of_a_pool_that_nobody_holds():
    """R16"""
    seen = middle(hands=["red1 ?blue2 ?red2:1", "?:1 green1", "?:1"])
    code, path = refusal(seen)
    assert (code, place_of(path)) == ("pool_count", "old_pools")


@pytest.mark.parametrize(
    "own_hidden",
    [
        pytest.param([[0, "blue2"]], id="a card too few"),
        pytest.param([[0, "blue2"], [0, "red2"]], id="another cycle"),
        pytest.param([[0, "blue2"], [1, "red2"], [1, "red3"]], id="a card too many"),
    ],
)
def test_hand_count(own_hidden):
    """R16: the own hidden cards and the own entry of `hands` agree"""
    code, path = refusal(middle(own_hidden=own_hidden))
    assert (code, place_of(path)) == ("hand_count", "own_hidden")


def test_hand_count_at_the_end():
    """R22: nothing is hidden when the game is over"""
    seen = over()
    seen["hands"][1] = {"known": {}, "hidden": [[0, 1]]}
    code, path = refusal(seen)
    assert (code, place_of(path)) == ("hand_count", "hands")


TAKING = {"table": "red2 brown1", "phase": "take", "take_left": 2, "last_face": "blue2"}
DISCARDING = {"phase": "discard", "to_discard": 1}


@pytest.mark.parametrize(
    ("hands", "fields"),
    [
        pytest.param(["blue1 blue2 red1 red2 red3 green1"], {}, id="six cards before a decision"),
        pytest.param(["", "? ? ? ? ? ?"], {}, id="six hidden cards"),
        pytest.param(["blue2 blue1 red1 red2 red3 green1 green2 green3"], TAKING, id="more than were taken"),
        pytest.param(["blue1 blue2 red1 red2 red3"], DISCARDING, id="nothing to discard"),
        pytest.param(["blue1 blue2 red1 red2 red3 green1 green2"], DISCARDING, id="two cards too many"),
    ],
)
def test_hand_limit(hands, fields):
    """DV-C5, DV-C6"""
    code, path = refusal(observed(hands, **fields))
    assert (code, place_of(path)) == ("hand_limit", "hands")


def test_table_size():
    """DV-S3: two cards per player at most"""
    code, path = refusal(observed(table="blue1 blue2 red1 red2 red3 green1 green2"))
    assert (code, place_of(path)) == ("table_size", "table")


@pytest.mark.parametrize(
    "places",
    [
        pytest.param(["cena 0=red1", "magi"], id="a card of another colour"),
        pytest.param(["ginevra 0=red1", "magi"], id="a card on an unmarked slot"),
        pytest.param(["ginevra open", "magi"], id="a complete painting"),
        pytest.param(["cena 0=blue1*", "magi"], id="fresh paint before the action"),
    ],
)
def test_slot(places):
    """DV-P2, DV-P3, DV-P10"""
    code, path = refusal(observed(places=places))
    assert (code, place_of(path)) == ("slot", "places")


@pytest.mark.parametrize(
    ("cards", "fresh"),
    [
        pytest.param("cena 0=blue1", [0, 2], id="fresh paint without a card"),
        pytest.param("cena 1=blue1* 2=red2*", None, id="wet neighbours of two colours"),
        pytest.param("cena 0=blue1* 5=brown2*", None, id="wet neighbours round the corner"),
    ],
)
def test_slot_of_fresh_paint(cards, fresh):
    """DV-P4, R3"""
    seen = in_paint(places=[cards, "magi"])
    if fresh:
        seen["places"][0]["fresh"] = fresh
    code, path = refusal(seen)
    assert (code, place_of(path)) == ("slot", "places")


def test_wet_neighbours_are_no_fault_with_wet_paint_off():
    """R3"""
    game = davinci(wet_paint="off")
    seen = in_paint(places=["cena 1=blue1* 2=red2*", "magi"], game=game)
    assert game.from_observation(seen, seed=1).phase == "paint"


@pytest.mark.parametrize(("places", "taken"), [(["cena", "cena"], {}), (["cena", "magi"], {"cena": 0})])
def test_painting(places, taken):
    """DV-S6, DV-P11: no painting is in two places"""
    code, path = refusal(observed(places=places, taken=taken))
    assert code == "painting"
    assert place_of(path) in ("places", "taken")


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        pytest.param({"paintings_left": 3}, "paintings_left", id="one too few"),
        pytest.param({"paintings_left": 5}, "paintings_left", id="one too many"),
        pytest.param({"paintings_left": -1}, "paintings_left", id="below 0"),
    ],
)
def test_painting_count(fields, place):
    """DV-S5, DV-P13: six in play with three players, two face up, none taken"""
    code, path = refusal({**observed(), **fields})
    assert (code, place_of(path)) == ("painting_count", place)


def test_painting_count_of_an_empty_place():
    """DV-P13: a place is empty only if no painting is left"""
    code, path = refusal(observed(places=["cena", None]))
    assert code == "painting_count"
    assert place_of(path) in ("places", "paintings_left")


@pytest.mark.parametrize(
    "names", [["colour_pair", "colour_pair"], ["colour_pair"], [], ["five_cards"] * 3]
)
def test_achievement(names):
    """DV-S7: two different ones"""
    code, path = refusal(observed(achievements=names))
    assert code in ("achievement", "bad_field")
    assert place_of(path) == "achievements"


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(in_leonardo, {"leonardo": 1}, id="without the token"),
        pytest.param(in_leonardo, {"table": "brown1"}, id="with no card that fits"),
        pytest.param(
            in_leonardo,
            {"table": "blue3", "places": ["battista open 2", "ginevra open 3"]},
            id="only completing",
        ),
        pytest.param(
            in_leonardo,
            {"table": "red4", "places": ["battista open 2", "cena 1=blue1* 3=green1* 5=brown1*"]},
            id="only wet placements",
        ),
        pytest.param(in_leo_drawn, {"leonardo": 2}, id="a card turned without the token"),
        pytest.param(in_leo_drawn, {"drawn": "green3"}, id="a card turned that fits nowhere"),
    ],
)
def test_phase(make, fields):
    """DV-T3, DV-L1, DV-L4, DV-L5"""
    code, path = refusal(make(**fields))
    assert code == "phase"
    assert place_of(path) in ("phase", "to_move", "leonardo")


@pytest.mark.parametrize(
    ("make", "field", "value", "expected"),
    [
        (middle, "take_left", 1, "mid"),
        (middle, "to_discard", 1, "mid"),
        (middle, "placed", 1, "mid"),
        (middle, "last_face", "blue1", "mid"),
        (middle, "last_slot", [0, 1], "mid"),
        (middle, "drawn", "blue3", "mid"),
        (middle, "done_count", {"blue": 1}, "mid"),
        (in_take, "take_left", 0, "mid"),
        (in_take, "take_left", 5, "bad_value"),
        (in_take, "last_face", None, "mid"),
        (in_take, "last_face", "green4", "mid"),
        (in_discard, "to_discard", 0, "hand_limit"),
        (in_discard, "to_discard", 2, "hand_limit"),
        (in_discard, "to_discard", 6, "bad_value"),
        (in_paint, "placed", 0, "mid"),
        (in_paint, "placed", 4, "bad_value"),
        (in_paint, "placed", 1, "mid"),
        (in_paint, "last_slot", [2, 0], "bad_value"),
        (in_paint, "last_slot", [0, 6], "bad_value"),
        (in_paint, "done_count", {"blue": 1}, "mid"),
        (in_leo_drawn, "drawn", None, "mid"),
    ],
)
def test_mid(make, field, value, expected):
    """R20, DV-P1: what is counted in the middle of an action, and nothing elsewhere"""
    seen = {**make(), field: value}
    if field == "drawn":
        # The card has to lie somewhere.
        seen["deck_count"] += 1 if value is None else -1
    code, path = refusal(seen)
    assert code == expected
    assert place_of(path) == (field if code != "hand_limit" else "hands")


def test_mid_of_completed_cards_with_the_option_that_counts_them():
    """R6: `done_count` and the fresh cards are no more than were placed"""
    game = davinci(completion_bonus="all")
    seen = in_paint(game=game, placed=3, done_count={"blue": 1}, last_slot=None, taken={"rocce": 0})
    assert game.from_observation(seen, seed=1).observation(0) == seen
    code, path = refusal({**seen, "placed": 2}, game)
    assert code == "mid"
    assert place_of(path) in ("placed", "done_count")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"hands": ["red1", "?:2"], "old": {}, "unseen": 8}, id="a card of a cycle to come"),
        pytest.param({"old": {0: "yellow4", 1: "yellow3"}}, id="an old pool of this cycle"),
    ],
)
def test_cycle(fields):
    """R16, DV-E2"""
    code, path = refusal(middle(**fields))
    assert code == "cycle"
    assert place_of(path) in ("hands", "old_pools")


def test_a_game_is_over_for_a_reason():
    """DV-G1, R17: paintings are left, and so are rounds"""
    code, _ = refusal(observed(["red1"], phase="over", to_move=None))
    assert code == "inconsistent"
    assert davinci(round_cap=4).from_observation(
        observed(["red1"], phase="over", to_move=None, round=4, game=davinci(round_cap=4))
    ).is_terminal


def test_lists_may_come_in_any_order():
    """R16"""
    seen = middle()
    mixed = copy.deepcopy(seen)
    mixed["own_hidden"].reverse()
    mixed["hands"][1]["hidden"].reverse()
    mixed["achievements"].reverse()
    mixed["table"] = dict(reversed(mixed["table"].items()))
    assert davinci().from_observation(mixed, seed=1).observation(0) == seen
