"""The Painter's Studio: the observation map, written and read back in every phase."""

from __future__ import annotations

import copy
import json
from random import Random

import pytest
from painters_studio_phases import EVERY_PHASE, in_turn
from painters_studio_table import OPTIONS, studio
from walks import play_to_end


def test_the_map_of_a_new_table():
    """PS-S5, PS-S6, PS-S8: every field, as its owner sees it"""
    words = ["start 1", "display im01 im05 po06 po09 re04 ro07 ro10", "deal 1 muse critic"]
    state = studio().new(players=2, seed=1, seen=words)
    assert state.observation(1) == {
        "game": "painters_studio",
        "cards": studio().cards_digest,
        "options": OPTIONS,
        "players": 2,
        "seat": 1,
        "to_move": 1,
        "phase": "patron",
        "first_start": 1,
        "round": 0,
        "final_round": None,
        "first_master": None,
        "display": ["im01", "im05", "po06", "po09", "re04", "ro07", "ro10"],
        "paintings": [[], []],
        "used": [],
        "paint": [{"blue": 0, "green": 0, "red": 0, "yellow": 0}] * 2,
        "students": [{"blue": 0, "green": 0, "red": 0, "yellow": 0}] * 2,
        "tokens": [1, 1],
        "active": [0, 0],
        "dice": [],
        "spent": False,
        "inspired": False,
        "last": None,
        "patrons": [None, ["muse", "critic"]],
        "patron_counts": [2, 2],
        "returned": [None, None],
        "sub": None,
    }


def test_every_phase_is_met_here():
    """PS-P2: the phases of the game, in their order"""
    assert tuple(make()["phase"] for make in EVERY_PHASE) == studio().phases


@pytest.mark.parametrize("make", EVERY_PHASE)
def test_a_map_is_read_and_written_back_in_every_phase(make):
    """PS-S8, R24: two writings of one thing, plain data"""
    seen = make()
    assert json.loads(json.dumps(seen)) == seen
    for seed in range(5):
        state = studio().from_observation(seen, seed=seed)
        assert state.observation(seen["seat"]) == seen
        assert state.hidden(seen["seat"]).observation(seen["seat"]) == seen


@pytest.mark.parametrize("make", EVERY_PHASE)
def test_what_is_read_can_be_played_to_its_end(make):
    """R4, R17, PS-E2"""
    for seed in range(5):
        state = studio().from_observation(make(), seed=seed)
        assert play_to_end(state, Random(seed)).is_terminal


def test_lists_may_come_in_any_order_and_a_place_die_as_a_2():
    """PS-D1"""
    seen = in_turn()
    mixed = copy.deepcopy(seen)
    for name in ("display", "dice"):
        mixed[name].reverse()
    mixed["dice"][-1] = 2
    mixed["paintings"][1].reverse()
    mixed["patrons"][0].reverse()
    mixed["paint"][0] = dict(reversed(mixed["paint"][0].items()))
    assert studio().from_observation(mixed, seed=1).observation(0) == seen


def test_the_observation_of_one_seat_does_not_depend_on_the_others_patrons():
    """PS-S8, PS-I3"""
    seen = in_turn()
    states = [studio().from_observation(seen, seed=seed) for seed in range(30)]
    assert len({str(state.observation(1)["patrons"]) for state in states}) > 5
    assert all(state.observation(0) == seen for state in states)
