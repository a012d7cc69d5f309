"""The Painter's Studio: what `from_observation` refuses, code by code."""

from __future__ import annotations

import copy

import pytest
from painters_studio_phases import (
    in_e_buy,
    in_e_gain,
    in_e_own,
    in_e_place,
    in_e_set,
    in_e_swap,
    in_move,
    in_patron,
    in_return,
    in_start,
    in_turn,
    over,
)
from painters_studio_table import NO_SUB, NOTHING, OPTIONS, PAINTINGS, by_colour, look, observed, studio
from sfumato.games import SfumatoError


def refusal(seen, game=None):
    """Code and place of the refusal."""
    before = copy.deepcopy(seen)
    with pytest.raises(SfumatoError) as refused:
        (game or studio()).from_observation(seen, seed=1)
    assert seen == before
    assert refused.value.message
    return refused.value.code, refused.value.path


def place_of(path):
    """The field that a path begins with."""
    return path.split(".")[0].split("[")[0]


def refused_as(code, *places):
    """Whether a refusal has this code and names one of these fields."""

    def holds(found):
        assert found[0] == code, found
        assert place_of(found[1]) in places, found
        return True

    return holds


@pytest.mark.parametrize(
    ("code", "field", "value"),
    [
        ("bad_field", "game", "davinci"),
        ("bad_field", "phase", "sleep"),
        ("bad_field", "round", "1"),
        ("bad_field", "paint", {}),
        ("bad_field", "tokens", [0.5, 0, 0]),
        ("bad_field", "students", [{"blue": 1}] * 3),
        ("bad_table", "cards", "0" * 32),
        ("bad_players", "players", 5),
        ("bad_players", "players", 1),
        ("bad_players", "seat", 3),
        ("bad_players", "to_move", 3),
        ("bad_players", "tokens", [0, 0]),
        ("bad_players", "active", [4] * 4),
        ("bad_players", "paint", [by_colour(NOTHING)] * 2),
        ("bad_players", "students", [by_colour(NOTHING)] * 4),
        ("bad_players", "paintings", [[], []]),
        ("bad_players", "patrons", [["critic", "school"]]),
        ("bad_players", "patron_counts", [2, 1]),
        ("bad_players", "returned", []),
        ("bad_option", "options", {**OPTIONS, "max_rounds": 39}),
        ("bad_option", "options", {**OPTIONS, "canonical": False}),
        ("bad_option", "options", {}),
        ("bad_turn", "to_move", None),
    ],
)
def test_the_envelope_is_checked_as_in_every_game(code, field, value):
    """PS-S1, R1, R3, R17, R19"""
    assert refused_as(code, field)(refusal({**in_turn(), field: value}))


def test_every_field_must_be_there_and_no_other():
    """PS-P1: bad_field"""
    whole = in_turn()
    for name in whole:
        seen = {field: value for field, value in whole.items() if field != name}
        assert refusal(seen) == ("bad_field", name)
    assert refusal({**whole, "weather": "fine"}) == ("bad_field", "weather")


@pytest.mark.parametrize(
    ("make", "fields", "places"),
    [
        pytest.param(in_turn, {"first_start": 3}, ["first_start"], id="a start that is not there"),
        pytest.param(in_turn, {"first_start": -1}, ["first_start"], id="a start below 0"),
        pytest.param(in_turn, {"round": 0}, ["round"], id="round 0 of a turn"),
        pytest.param(in_turn, {"round": 41}, ["round"], id="a round beyond the cap"),
        pytest.param(in_patron, {"round": 1}, ["round"], id="round 1 in the set-up"),
        pytest.param(in_patron, {"to_move": 1}, ["to_move"], id="who has chosen already"),
        pytest.param(
            in_patron,
            {"returned": [None, None, {"patron": None, "taker": None}]},
            ["returned", "to_move"],
            id="seat 2 before seat 1",
        ),
        pytest.param(
            in_patron, {"students": [(1, 0, 0, 0)]}, ["students", "to_move"], id="students before patrons"
        ),
        pytest.param(
            in_start, {"to_move": 1}, ["to_move", "students"], id="the start before its left neighbour"
        ),
        pytest.param(in_start, {"students": [NOTHING]}, ["to_move", "students"], id="seat 0 has not placed"),
        pytest.param(in_start, {"students": [(0, 2, 0, 0)]}, ["students", "to_move"], id="two students"),
        pytest.param(
            in_start,
            {"students": [(0, 1, 0, 0), (0, 1, 0, 0)]},
            ["students", "to_move"],
            id="seat 1 too early",
        ),
    ],
)
def test_bad_header(make, fields, places):
    """PS-S8, PS-S9, R13, R17"""
    assert refused_as("bad_header", *places)(refusal(make(**fields)))


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        pytest.param({"display": ["im99", *list(PAINTINGS)[1:7]]}, ["display"], id="an unknown painting"),
        pytest.param({"display": ["im02", "im02", *list(PAINTINGS)[2:7]]}, ["display"], id="twice face up"),
        pytest.param({"display": ["im01", *list(PAINTINGS)[1:7]]}, ["display", "paintings"], id="owned too"),
        pytest.param({"paintings": [["im01"], ["im01"], []]}, ["paintings"], id="owned by two"),
        pytest.param({"paintings": [["im01", "im01"], [], []]}, ["paintings"], id="owned twice"),
        pytest.param({"paintings": [["xx01"], [], []]}, ["paintings"], id="an unknown painting owned"),
    ],
)
def test_bad_painting(fields, places):
    """PS-S2, PS-D5: no painting is in two places"""
    assert refused_as("bad_painting", *places)(refusal({**in_turn(), **fields}))


@pytest.mark.parametrize("make", [in_patron, in_start])
def test_bad_painting_in_the_set_up(make):
    """PS-S5: nobody owns one yet"""
    assert refused_as("bad_painting", "paintings")(refusal(make(paintings=["im01"])))


@pytest.mark.parametrize("count", [0, 6, 8])
def test_bad_display(count):
    """PS-S2, PS-D8, R11: seven, while the deck has cards"""
    names = [name for name in PAINTINGS if name not in ("im01", "po09", "im08")]
    assert refused_as("bad_display", "display")(refusal({**in_turn(), "display": names[:count]}))


def test_bad_display_while_painting():
    """PS-D8, R11: six until the power is done"""
    seen = in_return()
    left = next(name for name in PAINTINGS if name not in (*seen["display"], "im08"))
    display = [name for name in PAINTINGS if name in (*seen["display"], left)]
    assert refused_as("bad_display", "display")(refusal({**seen, "display": display}))


@pytest.mark.parametrize(
    ("make", "paint"),
    [
        pytest.param(in_turn, [(8, 0, 0, 0), (8, 0, 0, 0)], id="16 of a colour"),
        pytest.param(in_turn, [(0, 0, 0, 16)], id="16 in one hand"),
        pytest.param(in_patron, [(1, 0, 0, 0)], id="paint in the set-up"),
        pytest.param(in_start, [(0, 0, 0, 1)], id="paint before round 1"),
    ],
)
def test_bad_paint(make, paint):
    """PS-S4, PS-S5"""
    assert refused_as("bad_paint", "paint")(refusal(make(paint=paint)))


@pytest.mark.parametrize("placed", [(12, 1, 0, 0), (4, 3, 3, 3), (0, 0, 0, 13)])
def test_bad_students(placed):
    """PS-S5: twelve"""
    assert refused_as("bad_students", "students")(refusal(in_turn(students=[NOTHING, placed])))


@pytest.mark.parametrize("field", ["paint", "students"])
def test_counts_below_0(field):
    """PS-S4, PS-S5"""
    code, path = refusal(in_turn(**{field: [(0, 0, 0, -1)]}))
    assert (code in ("bad_field", f"bad_{field}"), place_of(path)) == (True, field)


@pytest.mark.parametrize(
    ("make", "tokens"),
    [
        pytest.param(in_turn, [20, 1, 0], id="21 tokens"),
        pytest.param(in_patron, [2, 1, 1], id="two in the set-up"),
        pytest.param(in_start, [0, 1, 1], id="none before round 1"),
    ],
)
def test_bad_tokens(make, tokens):
    """PS-S5, PS-S6"""
    assert refused_as("bad_tokens", "tokens")(refusal(make(tokens=tokens)))


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(in_turn, {"dice": [1, 1, 4]}, id="a die too few"),
        pytest.param(in_turn, {"dice": [1, 1, 4, 6, 6]}, id="a die too many"),
        pytest.param(in_turn, {"dice": [1, 1, 4, 7]}, id="a 7"),
        pytest.param(in_turn, {"dice": [0, 1, 4, 6]}, id="a 0"),
        pytest.param(in_turn, {"active": [4, 5, 0]}, id="five active dice"),
        pytest.param(in_turn, {"active": [3, 2, 0]}, id="other dice than rolled"),
        pytest.param(in_patron, {"active": [4, 4, 4]}, id="dice in the set-up"),
        pytest.param(in_start, {"dice": [1]}, id="a roll before round 1"),
        pytest.param(over, {"active": [0, 1, 0]}, id="active dice at the end"),
        pytest.param(over, {"dice": [1]}, id="a roll at the end"),
    ],
)
def test_bad_dice(make, fields):
    """PS-S5, PS-T2"""
    assert refused_as("bad_dice", "dice", "active")(refusal({**make(), **fields}))


@pytest.mark.parametrize(
    ("make", "fields", "places"),
    [
        pytest.param(in_turn, {"patrons": [["critic", "banker"], None, None]}, ["patrons"], id="unknown"),
        pytest.param(in_turn, {"patrons": [["critic", "critic"], None, None]}, ["patrons"], id="twice"),
        pytest.param(
            in_turn, {"patrons": [["critic"], None, None]}, ["patrons", "patron_counts"], id="too few"
        ),
        pytest.param(in_turn, {"patron_counts": [3, 1, 3]}, ["patrons", "patron_counts"], id="another count"),
        pytest.param(
            in_turn,
            {"returned": [{"patron": "banker", "taker": None}, *[{"patron": None, "taker": None}] * 2]},
            ["returned"],
            id="an unknown card returned",
        ),
        pytest.param(
            over, {"patron_counts": [1, 2, 2]}, ["patrons", "patron_counts"], id="counts at the end"
        ),
        pytest.param(
            over,
            {"patrons": [[], ["school", "critic"], ["museum"]], "patron_counts": [0, 2, 1]},
            ["patrons", "patron_counts"],
            id="an empty hand at the end",
        ),
        pytest.param(
            over,
            {"patrons": [["academy"], ["school", "critic"], ["academy"]]},
            ["patrons"],
            id="in two hands",
        ),
        pytest.param(
            over,
            {"returned": [{"patron": "muse", "taker": None}, None, None]},
            ["returned"],
            id="a returned card at the end",
        ),
    ],
)
def test_bad_patron(make, fields, places):
    """PS-S3, R24"""
    assert refused_as("bad_patron", *places)(refusal({**make(), **fields}))


DEEP = (
    "impressionism post_impressionism realism romanticism blue_salon green_salon red_salon museum critic "
    "school"
)


def deep(**more):
    """Three players, start 0: seat 0 holds ten patrons, the others one: the body has one card left."""
    return observed(**{"dice": "3 3", "patrons": DEEP, **more})


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"patron_counts": [10, 3, 1]}, id="more cards than there are"),
        pytest.param({"patron_counts": [10, 0, 1]}, id="an empty hand"),
        pytest.param({"taken": {0: 0}, "patrons": DEEP + " muse"}, id="the tail before the body"),
        pytest.param(
            {"patron_counts": [10, 3, 1], "taken": {1: 1}}, id="out of order: seat 0's card is on top"
        ),
        pytest.param({"patron_counts": [10, 1, 2], "taken": {0: 1}}, id="nothing else in the taker's hand"),
    ],
)
def test_bad_patron_deck(fields):
    """PS-S8, PS-I3, R13, EX13"""
    assert refused_as("bad_patron_deck", "patron_counts", "returned", "patrons")(refusal(deep(**fields)))


def test_bad_patron_deck_without_a_returned_card():
    """PS-S8: everybody has returned one"""
    seen = deep()
    seen["returned"][2] = None
    assert refused_as("bad_patron_deck", "returned")(refusal(seen))


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"patron_counts": [2, 2, 2]}, id="two in hand after the choice"),
        pytest.param({"patron_counts": [2, 1, 3]}, id="three in hand before it"),
        pytest.param({"returned": [None, {"patron": None, "taker": 2}, None]}, id="a card taken"),
    ],
)
def test_bad_patron_deck_in_the_set_up(fields):
    """PS-S8"""
    found = refusal(in_patron(**fields))
    assert refused_as("bad_patron_deck", "patron_counts", "returned")(found)


def test_the_last_card_of_the_body_and_the_tail_in_order_are_no_fault():
    """EX13, R13"""
    assert studio().from_observation(deep(patron_counts=[10, 2, 1]), seed=1)
    assert studio().from_observation(deep(patron_counts=[10, 3, 1], taken={0: 1}), seed=1)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"patrons": [["critic", "school"], ["academy"], None]}, id="another's hand"),
        pytest.param({"patrons": [None, None, None]}, id="not the own hand"),
        pytest.param({"returned": [{"patron": None, "taker": None}] * 3}, id="not the own returned card"),
        pytest.param(
            {
                "returned": [
                    {"patron": "muse", "taker": None},
                    {"patron": "academy", "taker": None},
                    {"patron": None, "taker": None},
                ]
            },
            id="another's returned card",
        ),
        pytest.param(
            {"returned": [{"patron": "school", "taker": None}, *[{"patron": None, "taker": None}] * 2]},
            id="returned and still in hand",
        ),
    ],
)
def test_bad_knowledge(fields):
    """PS-S8: what this seat cannot know, or must know"""
    assert refused_as("bad_knowledge", "patrons", "returned")(refusal({**in_turn(), **fields}))


def test_bad_knowledge_of_a_card_that_this_seat_took():
    """EX13: seat 0 drew seat 1's card (start 1) and must know it; and it is in the own hand"""
    given = {"patrons": DEEP, "patron_counts": [10, 2, 2], "taken": {1: 0}, "first_start": 1, "dice": "3 3"}
    assert studio().from_observation(observed(**given, took={1: "school"}), seed=1)
    assert refused_as("bad_knowledge", "returned")(refusal(observed(**given)))
    code, path = refusal(observed(**given, took={1: "academy"}))
    assert (code in ("bad_knowledge", "bad_patron_deck"), place_of(path)) == (True, "returned")


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(in_turn, {"first_master": 1, "final_round": 6}, id="two masterpieces"),
        pytest.param(in_turn, {"paintings": ["", "po09 im08 re08"], "used": ""}, id="three and no token"),
        pytest.param(
            in_turn,
            {"paintings": ["", "po09 im08 re08"], "used": "", "first_master": 0, "final_round": 6},
            id="another holder",
        ),
        pytest.param(
            in_turn,
            {"paintings": ["", "po09 im08 re08"], "used": "", "first_master": 1},
            id="no last round",
        ),
        pytest.param(in_turn, {"final_round": 6}, id="a last round without a master"),
        pytest.param(
            in_turn,
            {"paintings": ["", "po09 im08 re08"], "used": "", "first_master": 1, "final_round": 7},
            id="a last round too late",
        ),
        pytest.param(
            in_turn,
            {"paintings": ["", "po09 im08 re08"], "used": "", "first_master": 1, "final_round": 4},
            id="a last round that is past",
        ),
        pytest.param(over, {"round": 39}, id="over before the cap"),
    ],
)
def test_bad_master(make, fields):
    """PS-E1, PS-E2, R17, R18"""
    found = refusal(make(**fields))
    assert refused_as("bad_master", "first_master", "final_round", "round", "paintings")(found)


@pytest.mark.parametrize("final_round", [5, 6])
def test_the_master_of_this_round_or_of_the_one_before_is_no_fault(final_round):
    """PS-E2"""
    given = {"paintings": ["", "po09 im08 re08"], "used": "", "first_master": 1, "final_round": final_round}
    assert studio().from_observation(in_turn(**given), seed=1)


@pytest.mark.parametrize(
    ("make", "used"),
    [
        pytest.param(in_turn, ["po09"], id="no power"),
        pytest.param(in_turn, ["im02"], id="not owned"),
        pytest.param(in_turn, ["im08"], id="when painted"),
        pytest.param(in_patron, ["im01"], id="in the set-up"),
        pytest.param(over, ["im01"], id="at the end"),
    ],
)
def test_bad_used(make, used):
    """PS-P2, PS-P3, R3"""
    assert refused_as("bad_used", "used")(refusal({**make(), "used": used}))


def test_bad_used_of_another_seat():
    """R3: with `power_refresh` round a power of another seat may be used up, with turn it may not"""
    given = {"paintings": ["", "im01"], "used": "im01"}
    assert refused_as("bad_used", "used")(refusal(in_turn(**given)))
    game = studio(power_refresh="round")
    assert game.from_observation(in_turn(**given, game=game), seed=1)


@pytest.mark.parametrize(
    ("make", "fields", "place"),
    [
        pytest.param(in_turn, {"inspired": True, "spent": True}, "inspired", id="inspire ends the turn"),
        pytest.param(in_turn, {"last": "place green"}, "last", id="a last die, and none spent"),
        pytest.param(in_turn, {"last": "paint green", "spent": True}, "last", id="no such last decision"),
        pytest.param(in_patron, {"spent": True}, "spent", id="in the set-up"),
        pytest.param(over, {"spent": True}, "spent", id="at the end"),
        pytest.param(in_return, {"last": "gain blue"}, "last", id="in the middle of a painting"),
    ],
)
def test_bad_turn(make, fields, place):
    """PS-T3, R1, R19"""
    assert refused_as("bad_turn", place)(refusal({**make(), **fields}))


def test_bad_turn_without_a_die():
    """PS-T10: nobody without active dice begins a turn"""
    assert refused_as("bad_turn", "spent", "active", "to_move")(refusal(in_turn(dice="")))
    assert studio().from_observation(in_turn(dice="", spent=True, tokens=[4, 0, 2]), seed=1)


def test_bad_turn_by_options():
    """R1, R19: `last` only with `canonical`, `inspired` only after a die that does not end the turn"""
    free = studio(canonical=False)
    seen = in_turn(game=free, last="gain blue", spent=True, dice="1 2 4")
    assert refused_as("bad_turn", "last")(refusal(seen, free))
    long_turns = studio(inspiration_ends_turn=False)
    seen = in_turn(game=long_turns, inspired=True, spent=True, dice="1 2 4")
    assert long_turns.from_observation(seen, seed=1)
    assert refused_as("bad_turn", "inspired", "spent")(refusal({**seen, "spent": False}, long_turns))
    assert refused_as("bad_turn", "last")(refusal({**seen, "last": "gain blue"}, long_turns))


@pytest.mark.parametrize(
    ("make", "change"),
    [
        pytest.param(in_return, {"card": None}, id="a painting that is not named"),
        pytest.param(in_return, {"card": "im01"}, id="a painting that is not owned"),
        pytest.param(in_return, {"pending": False}, id="students home without painting"),
        pytest.param(in_return, {"left": 0}, id="nobody goes home"),
        pytest.param(in_return, {"left": 3}, id="more than the painting sends home"),
        pytest.param(in_return, {"left": None}, id="no number"),
        pytest.param(in_return, {"colour": None}, id="no colour"),
        pytest.param(in_return, {"owner": 0}, id="an owner while going home"),
        pytest.param(in_return, {"moved": False}, id="moved while going home"),
        pytest.param(in_move, {"owner": None}, id="nobody's student"),
        pytest.param(in_move, {"owner": 2}, id="an owner without students"),
        pytest.param(in_move, {"moved": None}, id="moved or not"),
        pytest.param(in_move, {"left": 1}, id="steps of a move"),
        pytest.param(in_move, {"colour": "blue"}, id="a colour of a move"),
        pytest.param(in_e_gain, {"left": 3}, id="more paint than the power gives"),
        pytest.param(in_e_gain, {"left": 0}, id="no paint"),
        pytest.param(in_e_gain, {"card": "po09"}, id="a painting of another"),
        pytest.param(in_e_gain, {"pending": False}, id="when painted, later"),
        pytest.param(in_e_place, {"left": 3}, id="more students than the power places"),
        pytest.param(in_e_place, {"card": None}, id="no painting"),
        pytest.param(in_e_own, {"pending": True}, id="a turn power when painted"),
        pytest.param(in_e_own, {"left": 1}, id="steps of one shift"),
        pytest.param(in_e_swap, {"owner": 0}, id="an owner of paint"),
    ],
)
def test_bad_sub(make, change):
    """PS-D2, PS-D6, PS-D7, PS-P2"""
    seen = make()
    seen["sub"] |= change
    if "pending" in change:
        # The display has six paintings exactly while one is being painted.
        taken = {name for names in seen["paintings"] for name in names}
        names = [name for name in PAINTINGS if name not in taken]
        seen["display"] = names[: 7 - seen["sub"]["pending"]]
    assert refused_as("bad_sub", "sub")(refusal(seen))


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        pytest.param(in_turn, {"sub": NO_SUB}, id="in the middle of nothing"),
        pytest.param(in_move, {"sub": None}, id="a move without its middle"),
        pytest.param(in_e_set, {"sub": None}, id="a power without its middle"),
        pytest.param(in_e_own, {"phase": "e_swap"}, id="the phase of another power"),
        pytest.param(in_e_own, {"used": []}, id="a power at work that is not used"),
        pytest.param(in_e_buy, {"tokens": [0, 1, 1]}, id="nothing to pay with"),
        pytest.param(in_e_own, {"students": [by_colour(NOTHING)] * 3}, id="no own student"),
        pytest.param(in_e_swap, {"paint": [by_colour(NOTHING)] * 3}, id="no own paint"),
        pytest.param(in_e_set, {"dice": [5, 5]}, id="only dice of that kind"),
        pytest.param(
            in_return, {"students": [by_colour((0, 1, 0, 0))] * 3}, id="fewer students than go home"
        ),
        pytest.param(
            in_e_place, {"students": [by_colour((11, 0, 0, 0))] * 3}, id="fewer students in the pool"
        ),
        pytest.param(in_move, {"spent": False}, id="a die's move without a die"),
    ],
)
def test_bad_sub_of_the_table(make, fields):
    """PS-D2, PS-D6, PS-D7, PS-P2, PS-P3"""
    assert refused_as("bad_sub", "sub")(refusal({**make(), **fields}))


def test_a_game_is_over_for_a_reason():
    """PS-E2, R17: the last round, or the cap; then nobody is to move"""
    assert studio().from_observation(over()).is_terminal
    seen = over(round=9, final_round=9, first_master=0, paintings=["im08 im09 im10"])
    assert studio().from_observation(seen).is_terminal
    assert look(studio().from_observation(seen))["final_round"] == 9
