"""OMNIA: the observation map, and what `from_observation` refuses, code by code."""

from __future__ import annotations

import copy
import json
from random import Random

import pytest
from omnia_table import ACTIONS, CITIES, draft, finished, keep_all, look, observed, omnia, position, turn
from sfumato.games import SfumatoError
from walks import play_to_end

OPTIONS = {
    "refill": "turn",
    "first_player": "fixed",
    "leonardo_in_majorities": False,
    "set_repeat": "each",
}


def in_draft():
    """Seat 1 of three has kept one card of its second packet and looks."""
    state = draft(3)
    keep_all(state, *(ACTIONS[card] for card in (0, 1, 7, 8, 14, 15, 16, 17, 2)))
    return look(state, 1)


def in_draft_of_another():
    """The same as seat 2 sees it."""
    state = draft(3)
    keep_all(state, *(ACTIONS[card] for card in (0, 1, 7, 8, 14, 15, 16, 17, 2)))
    return look(state, 2)


def in_play(**more):
    """Seat 0 of three is to play its second card."""
    given = {
        "players": 3,
        "round": 1,
        "own": ["purple caterina", "azure azure", "leo_w0 machiavelli"],
        "coins": [2, 0, 5],
        "cities": "milano parma",
        "pack": "vinci:0 ?:1 ?:12",
    }
    return observed(**{**given, **more})


def in_act():
    return look(turn("WP/2", players=3))


def after_pass():
    state = turn("I1/2", players=3)
    state.apply("forgo")
    return look(state)


def after_a_plain_pick():
    state = turn("WW/2", players=3)
    state.apply("work purple")
    return look(state)


def in_effect():
    state = turn("WP/2", players=3)
    state.apply("character cesare_borgia")
    return look(state)


def in_city():
    state = turn("C1/2", players=3)
    state.apply("draw_city", ["drawn vinci parma roma"])
    return look(state)


def in_city_of_another():
    state = turn("C1/2", players=3)
    state.apply("draw_city", ["drawn vinci parma roma"])
    return look(state, 1)


def over():
    return look(finished(["purple", "azure caterina", ""], "milano vinci", [3, 0, 2]), 0)


EVERY_PHASE = [
    in_draft,
    in_draft_of_another,
    in_play,
    in_act,
    after_pass,
    after_a_plain_pick,
    in_effect,
    in_city,
    in_city_of_another,
    over,
]

# --- the map --------------------------------------------------------------------------------------------


def test_the_map_of_a_new_table():
    """OM-S4, OM-S5, OM-S7, OM-S8, R23: every field, as its owner sees it"""
    state = omnia().new(players=2, seed=11)
    seen = state.observation(1)
    (visit,) = seen.pop("visits")
    assert (visit["packet"], visit["step"], visit["kept"], len(visit["seen"])) == (1, 0, [], 7)
    assert sum(seen.pop("work_market").values()) == sum(seen.pop("invention_market").values()) == 3
    assert len(seen.pop("character_market")) == 3
    assert len(seen.pop("cities_active")) == 1
    assert seen == {
        "game": "omnia",
        "cards": omnia().cards_digest,
        "options": OPTIONS,
        "players": 2,
        "seat": 1,
        "to_move": 0,
        "phase": "draft",
        "round": 0,
        "draft_step": 0,
        "kept_now": 0,
        "hand": [],
        "played": [[], []],
        "card": None,
        "left": [],
        "passed": False,
        "first_plain": None,
        "pending": None,
        "works": [{}, {}],
        "inventions": [{}, {}],
        "characters": [[], []],
        "coins": [1, 1],
        "bank": 16,
        "city_pack": [None] * 15,
        "city_known": [[]] * 15,
    }


def test_the_maps_of_a_turn():
    """EX2, EX15, OM-T5: what is set in `act` and in `effect` only"""
    fields = ("phase", "card", "left", "passed", "first_plain", "pending")
    assert [in_act()[field] for field in fields] == ["act", "WP/2", ["work", "character"], False, None, None]
    assert [after_pass()[field] for field in fields] == ["act", "I1/2", ["invention"], True, None, None]
    assert [after_a_plain_pick()[field] for field in fields] == [
        "act",
        "WW/2",
        ["work"],
        False,
        "work purple",
        None,
    ]
    assert [in_effect()[field] for field in fields] == ["effect", "WP/2", ["work"], False, None, "city"]
    assert [in_city()[field] for field in fields] == ["city", "C1/2", ["coins1"], False, None, None]
    assert [in_play()[field] for field in fields] == ["play", None, [], False, None, None]


def test_the_maps_of_the_draft():
    """EX19, OM-D5: the running visit grows, others see only how many cards were kept"""
    own, other = in_draft(), in_draft_of_another()
    assert (own["draft_step"], own["to_move"], own["kept_now"]) == (1, 1, 1)
    assert own["visits"][1] == {
        "packet": 0,
        "step": 1,
        "seen": [ACTIONS[card] for card in (2, 3, 4, 5, 6)],
        "kept": [ACTIONS[2]],
    }
    assert own["hand"] == [ACTIONS[card] for card in (2, 7, 8)]
    assert (other["kept_now"], other["visits"][1]["kept"]) == (1, [])


@pytest.mark.parametrize("make", EVERY_PHASE)
def test_a_map_is_read_and_written_back_in_every_phase(make):
    """R23: two writings of one thing, plain data"""
    seen = make()
    assert json.loads(json.dumps(seen)) == seen
    for seed in range(5):
        state = omnia().from_observation(seen, seed=seed)
        assert state.observation(seen["seat"]) == seen
        assert state.hidden(seen["seat"]).observation(seen["seat"]) == seen


@pytest.mark.parametrize("make", EVERY_PHASE)
def test_what_is_read_can_be_played_to_its_end(make):
    """OM-T1, R19"""
    for seed in range(5):
        state = omnia().from_observation(make(), seed=seed)
        assert play_to_end(state, Random(seed)).is_terminal


def test_the_builder_writes_what_the_game_writes():
    """EX21: the position of the builder is that of a played draft"""
    state = draft(3, seed=1)
    while state.phase == "draft":
        state.apply(state.legal_actions[0])
    for seat in range(3):
        seen, built = look(state, seat), observed(players=3, seat=seat)
        for field in ("visits", "hand", "played", "draft_step", "round", "to_move", "phase"):
            assert seen[field] == built[field]


# --- refusals -------------------------------------------------------------------------------------------


def refusal(seen, game=None):
    """Code and place of the refusal."""
    before = copy.deepcopy(seen)
    with pytest.raises(SfumatoError) as refused:
        (game or omnia()).from_observation(seen, seed=1)
    assert seen == before
    assert refused.value.message
    return refused.value.code, refused.value.path


def place_of(path):
    """The field that a path begins with."""
    return path.split(".")[0].split("[")[0]


def assert_refused(seen, code, *fields, game=None):
    got, path = refusal(seen, game)
    assert (got, place_of(path) in fields) == (code, True), (got, path)


@pytest.mark.parametrize(
    ("code", "field", "value"),
    [
        ("bad_field", "game", "enigma"),
        ("bad_field", "phase", "sleep"),
        ("bad_field", "round", "1"),
        ("bad_field", "visits", {}),
        ("bad_field", "works", [{"purple": "many"}, {}, {}]),
        ("bad_field", "passed", 1),
        ("bad_table", "cards", "0" * 32),
        ("bad_players", "players", 5),
        ("bad_players", "players", 1),
        ("bad_players", "seat", 3),
        ("bad_players", "to_move", 3),
        ("bad_players", "coins", [2, 0]),
        ("bad_players", "played", [[]]),
        ("bad_players", "works", [{}, {}]),
        ("bad_option", "options", {**OPTIONS, "refill": "round"}),
        ("bad_option", "options", {**OPTIONS, "set_repeat": "double"}),
        ("bad_option", "options", {}),
        ("bad_turn", "to_move", None),
    ],
)
def test_the_envelope_is_checked_as_in_every_game(code, field, value):
    """OM-S1, R1, R13"""
    assert_refused({**in_play(), field: value}, code, field)


def test_every_field_must_be_there_and_no_other():
    """R23: bad_field"""
    whole = in_play()
    for name in whole:
        seen = {field: value for field, value in whole.items() if field != name}
        assert refusal(seen) == ("bad_field", name)
    assert refusal({**whole, "weather": "fine"}) == ("bad_field", "weather")


@pytest.mark.parametrize(
    ("make", "field", "value"),
    [
        (in_play, "round", 6),
        (in_play, "round", -1),
        (in_play, "draft_step", 2),
        (in_play, "draft_step", 4),
        (in_play, "kept_now", 1),
        (in_draft, "round", 1),
        (in_draft, "draft_step", 3),
        (in_draft, "kept_now", 2),
        (in_draft, "kept_now", -1),
        (over, "round", 5),
    ],
)
def test_bad_header(make, field, value):
    """OM-T1, OM-D1: round, step and phase fit each other"""
    assert_refused({**make(), field: value}, "bad_header", field)


def visits(make, number, **changes):
    seen = copy.deepcopy(make())
    seen["visits"][number] |= changes
    return seen


def names(*numbers):
    return [ACTIONS[number] for number in numbers]


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(lambda: visits(in_draft, 0, packet=2), id="another packet"),
        pytest.param(lambda: visits(in_draft, 0, step=1), id="another step"),
        pytest.param(lambda: visits(in_draft, 0, seen=names(7, 8, 9, 10, 11, 12)), id="six cards seen"),
        pytest.param(lambda: visits(in_draft, 0, kept=names(7)), id="one card kept of a past packet"),
        pytest.param(lambda: visits(in_draft, 0, kept=names(7, 8, 9)), id="three cards kept"),
        pytest.param(lambda: visits(in_draft, 0, kept=names(7, 20)), id="kept a card that it did not see"),
        pytest.param(lambda: visits(in_draft, 1, kept=[]), id="nothing kept though it has kept one"),
        pytest.param(lambda: visits(in_draft, 1, kept=names(6)), id="the highest card kept first"),
        pytest.param(lambda: visits(in_draft, 1, seen=names(2, 3, 4, 5, 9)), id="a card of another packet"),
        pytest.param(
            lambda: visits(in_draft, 1, seen=[*names(2, 3, 4, 5), "WI/4"]), id="a card for four players"
        ),
        pytest.param(lambda: visits(in_draft, 1, seen=names(2, 3, 4, 5, 5)), id="a card twice"),
        pytest.param(lambda: {**in_draft(), "visits": in_draft()["visits"][:1]}, id="a visit too few"),
        pytest.param(
            lambda: {**in_draft(), "visits": [*in_draft()["visits"], in_draft()["visits"][1]]},
            id="a visit too many",
        ),
        pytest.param(
            lambda: visits(in_play, 3, seen=names(0), kept=names(0)), id="a last card that it had kept"
        ),
    ],
)
def test_bad_visit(seen):
    """OM-D1, OM-D2, OM-D3, OM-D4, R23"""
    assert_refused(seen(), "bad_visit", "visits")


def test_a_packet_that_comes_back_has_no_new_cards():
    """OM-D3, EX8: two players; at step 2 the own packet is what was left of it"""
    state = draft(2)
    keep_all(state, *names(0, 2, 9, 10, 12, 13, 3, 4))
    seen = look(state)
    seen["visits"][2]["seen"] = names(1, 5, 8)
    assert_refused(seen, "bad_visit", "visits")


@pytest.mark.parametrize(
    "hand", [names(1, 6, 11, 12, 16), names(0, 1, 6, 11, 12, 16, 17), names(1, 6, 11, 12, 16, 18), []]
)
def test_bad_hand(hand):
    """OM-D6, OM-T2: own cards kept, less those played (0)"""
    assert in_play()["hand"] == names(1, 6, 11, 12, 16, 17)
    assert_refused({**in_play(), "hand": hand}, "bad_hand", "hand")


@pytest.mark.parametrize(
    "played",
    [
        pytest.param([names(0), names(2), []], id="one too few"),
        pytest.param([names(0), names(2, 3), names(4)], id="one too many"),
        pytest.param([names(0), names(2), names(2)], id="a card twice"),
        pytest.param([names(0), names(2), ["WI/4"]], id="a card for four players"),
    ],
)
def test_bad_played(played):
    """OM-T1, R4: one card each"""
    assert_refused({**in_play(), "played": played}, "bad_played", "played")


@pytest.mark.parametrize(
    "played",
    [
        pytest.param([names(0), names(20), names(4)], id="20 is on (2, 2) (2, 2) (2, 3): possible"),
        pytest.param([names(0), names(1), names(4)], id="a card of one's own played by another"),
        pytest.param([names(0), names(2), names(13)], id="the card that came home to seat 1"),
    ],
)
def test_impossible_play(played):
    """EX21, R4: a card that its player cannot hold"""
    seen = {**in_play(), "played": played}
    if played[1] == names(20):
        assert omnia().from_observation(seen).observation(0) == seen
    else:
        assert_refused(seen, "impossible_play", "played")


def test_impossible_play_of_more_cards_than_there_are_places():
    """EX21: of 2, 3, 4, 5 seat 1 holds two; a third cannot be its"""
    seen = observed(players=3, round=3, played=["", " ".join(names(2, 3, 7)), " ".join(names(4, 5, 9))])
    assert omnia().from_observation(seen).observation(0) == seen
    seen["played"][1:] = [names(2, 3, 4), names(5, 9, 10)]
    assert_refused(seen, "impossible_play", "played")


@pytest.mark.parametrize(
    ("make", "field", "value"),
    [
        (in_play, "work_market", {"purple": 2, "yellow": 1, "red": 1}),
        (in_play, "work_market", {"purple": 2}),
        (in_play, "work_market", {"purple": 2, "leo_w0": 1}),
        (in_play, "invention_market", {"azure": 3}),
        (in_play, "character_market", ["caterina", "salai", "bramante"]),
        (in_play, "character_market", ["salai", "salai", "bramante"]),
        (in_play, "character_market", ["salai", "bramante"]),
        (in_play, "works", [{"leo_w2": 1}, {"leo_w2": 1}, {}]),
        (in_play, "works", [{"purple": 4}, {}, {}]),
        (in_play, "characters", [["caterina"], ["caterina"], []]),
    ],
)
def test_bad_cards(make, field, value):
    """OM-S2, OM-S5, OM-T7, R18: every card once; three face up at the start of a turn"""
    seen = {**make(), field: value}
    code, path = refusal(seen)
    assert code == "bad_cards"
    assert place_of(path) in (
        "works",
        "inventions",
        "characters",
        "work_market",
        "invention_market",
        "character_market",
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("work_market", {"mauve": 3}),
        ("works", [{"azure": 1}, {}, {}]),
        ("character_market", ["salai", "bramante", "leonardo"]),
        ("hand", ["XX/2"]),
        ("cities_active", ["milano", "paris"]),
        ("city_pack", ["paris"] * 14),
        ("left", ["sleep"]),
        ("card", "XX/2"),
        ("pending", "sleep"),
        ("first_plain", "work mauve"),
    ],
)
def test_a_name_that_the_game_does_not_have_is_refused_with_its_place(field, value):
    """OM-S2"""
    code, path = refusal({**in_play(), field: value})
    assert code.startswith("bad_")
    assert place_of(path) == field


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"bank": 12}, ("bank", "coins")),
        ({"bank": 10}, ("bank", "coins")),
        ({"coins": [2, 0, 4]}, ("bank", "coins")),
        ({"coins": [-1, 3, 5]}, ("coins",)),
        ({"coins": [12, 4, 5], "bank": -3}, ("bank",)),
    ],
)
def test_bad_coins(fields, place):
    """OM-S7: 2 + 0 + 5 and 11 in the bank are 18"""
    assert in_play()["bank"] == 11
    assert_refused({**in_play(), **fields}, "bad_coins", *place)


def cities(**changes):
    seen = copy.deepcopy(in_play())
    for field, (at, value) in changes.items():
        seen[field][at] = value
    return seen


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(lambda: {**in_play(), "cities_active": []}, id="no active city"),
        pytest.param(lambda: {**in_play(), "cities_active": ["milano"]}, id="fifteen cities in all"),
        pytest.param(lambda: {**in_play(), "cities_active": ["milano", "milano"]}, id="a city active twice"),
        pytest.param(
            lambda: {**in_play(), "cities_active": ["milano", "vinci"]}, id="active and in the pack"
        ),
        pytest.param(lambda: cities(city_pack=(11, None)), id="null where the seat knows"),
        pytest.param(lambda: cities(city_pack=(0, "roma")), id="a city where it does not"),
        pytest.param(lambda: cities(city_known=(0, [3])), id="a seat that is not there"),
        pytest.param(lambda: {**in_play(), "city_pack": in_play()["city_pack"][1:]}, id="a city too few"),
        pytest.param(lambda: {**in_play(), "city_known": in_play()["city_known"][1:]}, id="two lengths"),
        pytest.param(
            lambda: {**in_city_of_another(), "city_known": [[]] * 15},
            id="a drawn city that the mover does not know",
        ),
    ],
)
def test_bad_city(seen):
    """OM-C1, OM-C4, R8, R21: sixteen cities, each once"""
    assert_refused(seen(), "bad_city", "cities_active", "city_pack", "city_known")


@pytest.mark.parametrize(
    ("make", "field", "value"),
    [
        (in_play, "card", "WW/2"),
        (in_play, "left", ["work"]),
        (in_play, "pending", "work"),
        (in_play, "passed", True),
        (in_play, "first_plain", "work purple"),
        (in_act, "card", None),
        (in_act, "card", "WI/2"),
        (in_act, "left", []),
        (in_act, "left", ["work", "city"]),
        (in_act, "left", ["work", "work"]),
        (in_act, "passed", True),
        (in_act, "first_plain", "work purple"),
        (in_act, "pending", "work"),
        (after_pass, "left", ["coins1", "invention"]),
        (after_pass, "first_plain", "invention azure"),
        (after_a_plain_pick, "first_plain", "invention azure"),
        (after_a_plain_pick, "first_plain", "work leo_w0"),
        (after_a_plain_pick, "passed", True),
        (in_effect, "pending", None),
        (in_effect, "pending", "coins2"),
        (in_effect, "left", ["work", "character"]),
        (in_effect, "passed", True),
        (in_city, "card", None),
        (in_city, "left", ["coins1", "city"]),
        (in_city, "pending", "city"),
        (over, "card", "WW/2"),
    ],
)
def test_bad_turn(make, field, value):
    """OM-T3, OM-T4, OM-T5, EX15: what is left of a card fits the phase"""
    code, path = refusal({**make(), field: value})
    assert code == "bad_turn"
    assert place_of(path) in ("card", "left", "pending", "passed", "first_plain")


def test_a_turn_in_which_nothing_can_be_done_is_refused():
    """R17: such a turn has ended by itself"""
    seen = in_act()
    seen |= {"left": ["character"], "character_market": ["francesco_i", "botticelli", "francesco_melzi"]}
    code, path = refusal(seen)
    assert code == "bad_turn"
    assert place_of(path) in ("left", "card", "phase")


def test_a_market_below_three_needs_an_empty_pack_or_the_option():
    """R1, R18, OM-T7: in the first turn of a round it is full with `refill = round` too"""
    game = omnia(refill="round")
    assert position(to_move=1, game=game, works="red", seat=1).to_move == 1
    assert_refused(observed(game=game, works="red"), "bad_cards", "work_market", game=game)
    assert_refused(observed(to_move=1, works="red"), "bad_cards", "work_market")


def test_lists_may_come_in_any_order():
    """R23"""
    seen = in_play()
    mixed = copy.deepcopy(seen)
    for field in ("hand", "character_market", "cities_active", "visits"):
        mixed[field].reverse()
    mixed["visits"][0]["seen"].reverse()
    mixed["work_market"] = dict(reversed(mixed["work_market"].items()))
    mixed["city_known"][-1].reverse()
    assert omnia().from_observation(mixed, seed=1).observation(0) == seen


def test_the_observation_of_one_seat_does_not_depend_on_what_it_cannot_see():
    """R23, OM-D6"""
    seen = in_play()
    states = [omnia().from_observation(seen, seed=seed) for seed in range(30)]
    assert len({str(state.observation(1)["hand"]) for state in states}) > 5
    assert all(state.observation(0) == seen for state in states)


def test_every_city_is_somewhere():
    """R21, OM-C4"""
    seen = in_play()
    assert len(seen["city_pack"]) + len(seen["cities_active"]) == len(CITIES)
