"""Atelier Da Vinci: whole games against the rules in plain Python, and what holds after every step."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from random import Random

import davinci_model
import davinci_table
import numpy as np
import pytest
from davinci_model import Referee
from davinci_table import FACES, SLOTS, davinci, prepared
from sfumato.ext import davinci as core
from sfumato.games import load

ROOT = Path(__file__).parents[2]
PLAYERS = (2, 3, 4, 5)
EVERY_OPTION = [
    dict(zip(("wet_paint", "mastery_bonus", "completion_bonus"), values, strict=True))
    for values in product(("ring", "off"), ("card", "colour", "action"), ("level", "none", "all"))
]
SHORT = {"round_cap": 7}
DEFAULT, OPTIONS = EVERY_OPTION[0], EVERY_OPTION[1:]


def named(options):
    return "-".join(map(str, options.values()))


# --- against the rules in plain Python ------------------------------------------------------------------


def choice(state, luck, taste):
    """A move: at random, greedy, or drawing often, by the taste of the game."""
    if taste == "drawing" and state.phase == "main" and luck.random() < 0.4:
        return state.action("draw")
    if taste == "greedy" and luck.random() < 0.8:
        return state.greedy
    return luck.choice(state.legal_actions)


def follow_with_the_model(game, players, seed, taste, every=7):
    """One game, the plain-Python referee beside it: legal moves at every step, the whole table now and then
    and at the end."""
    luck = Random(seed)
    state = game.new(players=players, seed=seed)
    referee = Referee([state.observation(seat) for seat in range(players)])
    steps = 0
    while not state.is_terminal:
        step = state.apply(choice(state, luck, taste))
        referee.step(step.label(None), step.words(None))
        legal = state.legal_words
        assert len(legal) == len(set(legal))
        assert set(legal) == referee.legal()
        if steps % every == 0 or state.is_terminal:
            seat = steps % players
            seen = state.observation(seat)
            assert {name: seen[name] for name in referee.seen_by(seat)} == referee.seen_by(seat)
        steps += 1
    assert state.outcome.scores == referee.totals()
    assert state.outcome.ranks == referee.ranks()
    winners = referee.ranks().count(1)
    assert state.outcome.win_shares == [1 / winners if rank == 1 else 0 for rank in referee.ranks()]


TASTES = ("random", "drawing", "greedy")


@pytest.mark.parametrize("players", PLAYERS)
def test_games_follow_the_rules_in_plain_python(players):
    """DV-T1 to DV-G5, R2 to R22: default options, 20 games of each taste"""
    for seed, taste in product(range(20), TASTES):
        follow_with_the_model(davinci(), players, seed, taste)


@pytest.mark.parametrize("options", [*OPTIONS, SHORT], ids=named)
def test_games_follow_the_rules_under_every_option(options):
    """R3, R6, R7, R17: every combination of values, 4 player counts"""
    for seed, players in enumerate(PLAYERS):
        follow_with_the_model(davinci(**options), players, seed, TASTES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("options", [*EVERY_OPTION, SHORT], ids=named)
def test_thousands_of_games_follow_the_rules_in_plain_python(players, options):
    """DV-T1 to DV-G5, R2 to R22: 100 games of every table, 7,600 in all"""
    for seed in range(100):
        follow_with_the_model(davinci(**options), players, 1000 + seed, TASTES[seed % 3], every=3)


OTHER_CARDS = """
[deck]
base = [1, 1, 1, 1, 4]
mark3 = [4, 2]
mark4 = [3, 3]
mark5 = [1, 1]

[esteem]
from = [3, 4, 9, 40]
bonus = [2, 0, 9, 1]

[cards]
painting = [
    { id = "one", points = 20, slots = ["blue", "blue", "-", "blue", "-", "blue"] },
    { id = "two", points = 0, slots = ["red", "-", "red", "-", "red", "red"] },
    { id = "three", points = 1, slots = ["red", "yellow", "red", "yellow", "red", "yellow"] },
    { id = "four", points = 6, slots = ["-", "-", "brown", "brown", "green", "green"] },
    { id = "five", points = 3, slots = ["green", "blue", "green", "blue", "-", "yellow"] },
    { id = "six", points = 3, slots = ["yellow", "yellow", "yellow", "yellow", "yellow", "yellow"] },
    { id = "seven", points = 2, slots = ["brown", "red", "blue", "-", "brown", "green"] },
    { id = "eight", points = 4, slots = ["brown", "-", "brown", "blue", "green", "red"] },
]
mastery = [
    { id = "a", cards = ["blue"] },
    { id = "b", cards = ["blue", "blue", "blue", "blue", "blue"] },
    { id = "c", cards = ["red", "blue"] },
    { id = "d", cards = ["red", "red", "blue", "blue", "green"] },
    { id = "e", cards = ["blue", "brown"] },
    { id = "f", cards = ["blue", "yellow", "green"] },
]
achievement = [
    { id = "empty_hand", points = 20 },
    { id = "four_colours", points = 0 },
    { id = "five_cards", points = 1 },
    { id = "two_paintings", points = 2 },
    { id = "colour_pair", points = 7 },
    { id = "two_masteries", points = 9 },
]
"""


@pytest.fixture
def other_cards(tmp_path, monkeypatch):
    """A card table in which nearly every number differs, for the game and for the referee."""
    path = tmp_path / "cards.toml"
    path.write_text(OTHER_CARDS, "utf-8")
    cards = tomllib.loads(OTHER_CARDS)
    values: list[int] = []
    for players, part in zip(PLAYERS, cards["deck"].values(), strict=True):
        values += part
        monkeypatch.setitem(davinci_table.VALUES, players, tuple(values))
    lists = cards["cards"]
    for name, entries in {
        "SLOTS": {
            card["id"]: [colour.strip("-") or None for colour in card["slots"]] for card in lists["painting"]
        },
        "POINTS": {card["id"]: card["points"] for card in lists["painting"]},
        "MASTERIES": {card["id"]: card["cards"] for card in lists["mastery"]},
        "ACHIEVEMENTS": {card["id"]: card["points"] for card in lists["achievement"]},
    }.items():
        shared = getattr(davinci_table, name)
        for key in list(shared):
            monkeypatch.delitem(shared, key)
        for key, entry in entries.items():
            monkeypatch.setitem(shared, key, entry)
    steps = list(zip(cards["esteem"]["from"], cards["esteem"]["bonus"], strict=True))
    monkeypatch.setattr(
        davinci_model, "level", lambda esteem: [0, *(bonus for start, bonus in steps if esteem >= start)][-1]
    )
    return path


@pytest.mark.parametrize("options", [DEFAULT, OPTIONS[-1]], ids=named)
@pytest.mark.parametrize("players", PLAYERS)
def test_games_with_other_cards_follow_the_rules_in_plain_python(other_cards, players, options):
    """DV-S2, DV-P7, DV-P8, DV-P10, DV-M1, DV-G2, R2, R5: other decks, levels, borders, masteries, points"""
    game = load("davinci", cards=other_cards, **options)
    for seed in range(6):
        follow_with_the_model(game, players, seed, TASTES[seed % 3])


# --- invariants -----------------------------------------------------------------------------------------


PHASES = davinci().phases
NONE = 255
COLOURS = ("blue", "red", "yellow", "brown", "green")
#: colour of each slot of each painting, and -1 where it is unmarked
COLOUR = np.array([[COLOURS.index(colour) if colour else -1 for colour in slots] for slots in SLOTS.values()])
#: the most that one Paint action brings: 16 for cards, level 4, and 3 masteries of one colour on 4 cards
MOST_ESTEEM = 16 + 4 + 3 * 4


def random_games(game, players, seeds):
    """All positions of random games as one array, and the number of the game of each. What is legal is
    checked on the way."""
    states, owner = [], []
    for number, seed in enumerate(seeds):
        luck = Random(seed)
        position = game.new(players=players, seed=seed).position
        while True:
            states.append(position.state_bytes)
            owner.append(number)
            if position.to_move < 0:
                break
            legal = position.legal()
            assert legal and len(legal) <= 40
            assert all(one < other for one, other in pairwise(legal))
            phase = PHASES[position.phase]
            assert phase != "main" or 1 in legal, "one may always draw"
            assert phase not in ("take", "paint") or legal[0] == 0, "one may always stop"
            position.apply(luck.choice(legal))
    return np.frombuffer(b"".join(states), core.STATE), np.array(owner)


def in_phase(states, *names):
    return np.isin(states["phase"], [PHASES.index(name) for name in names])


def faces_on_slots(states):
    """The face on each slot of both places, and -1 where there is none."""
    painting = np.where(states["place"] == NONE, 0, states["place"])
    value = states["slot_value"].astype(int)
    assert not value[states["place"] == NONE].any(), "an empty place has no cards"
    assert (COLOUR[painting][value > 0] >= 0).all(), "cards lie on marked slots only"
    return np.where(value > 0, COLOUR[painting] * 4 + value - 1, -1)


def one_hot(faces, where):
    """How many of each face there are in each row, of those that count."""
    rows = faces.reshape(len(faces), -1, 1) == np.arange(len(FACES))
    return (rows & where.reshape(len(faces), -1, 1)).sum(axis=1)


def assert_cards_are_kept(states, players):
    """Invariant 1: every card is in exactly one place."""
    slots = faces_on_slots(states)
    held = np.arange(states["hid_face"].shape[2]) < states["hid_n"][:, :, None]
    drawn = in_phase(states, "leo_drawn")
    total = sum(states[zone].astype(int) for zone in ("deck", "discard", "table"))
    total = total + states["known"].astype(int).sum(axis=1) + one_hot(states["hid_face"], held)
    total = total + one_hot(slots, slots >= 0) + one_hot(states["drawn"][:, None], drawn[:, None])
    assert (total == [prepared(players)[face] for face in FACES]).all()


def assert_hands_are_within_their_limits(states, players):
    """Invariant 3: five cards, the mover more only while taking and discarding; at the end none hidden."""
    hidden = states["hid_n"].astype(int)
    size = hidden + states["known"].astype(int).sum(axis=2)
    seats = np.arange(size.shape[1])
    mover = states["to_move"][:, None] == seats
    assert not size[:, players:].any()
    assert (size[~mover] <= 5).all()
    own, own_hidden = (np.where(mover, count, 0).sum(axis=1) for count in (size, hidden))
    limit = np.where(states["help"] == states["to_move"], 5, 4)
    most = np.full(len(states), 5)
    taking, discarding = in_phase(states, "take"), in_phase(states, "discard")
    most[taking] += (limit - states["take_left"])[taking]
    most[discarding] += states["to_discard"][discarding]
    assert (own <= most).all()
    assert (own == most)[discarding].all()
    assert (own_hidden <= 5 + (discarding & (states["to_discard"] == 1))).all()
    assert not hidden[in_phase(states, "over")].any()


def assert_paintings_are_kept(states, players):
    """Invariants 4 and 5: no complete painting lies face up, none is in two places."""
    up = states["place"] != NONE
    marked = COLOUR[np.where(up, states["place"], 0)] >= 0
    assert (((states["slot_value"] == 0) & marked).any(axis=2) | ~up).all()
    owned = states["paint_owner"] != NONE
    in_play = {2: 5, 3: 6, 4: 7, 5: 8}[players]
    count = owned.sum(axis=1) + up.sum(axis=1)
    assert (count <= in_play).all()
    assert (count == in_play)[~up.all(axis=1)].all()
    assert ((states["place"][:, 0] != states["place"][:, 1]) | ~up.any(axis=1)).all()
    for place in (0, 1):
        rows = np.flatnonzero(up[:, place])
        assert not owned[rows, states["place"][rows, place]].any()


def assert_wet_paint_is_apart(states, options):
    """Invariant 8: fresh paint lies on cards, in the phases of painting, and touches no other colour."""
    fresh = (states["fresh"][:, :, None] >> np.arange(6) & 1).astype(bool)
    assert not fresh[~in_phase(states, "paint", "leonardo", "leo_drawn")].any()
    slots = faces_on_slots(states)
    assert (slots[fresh] >= 0).all()
    if options.get("wet_paint", "ring") == "ring":
        touching = fresh & np.roll(fresh, -1, axis=2)
        assert (slots // 4 == np.roll(slots, -1, axis=2) // 4)[touching].all()


def assert_counts_of_the_middle_rest_elsewhere(states):
    """Invariant 12."""
    for field, phase, low, high in (
        ("take_left", "take", 1, 4),
        ("to_discard", "discard", 1, 5),
        ("placed", "paint", 1, 3),
    ):
        there = in_phase(states, phase)
        assert (low <= states[field][there]).all() and (states[field][there] <= high).all()
        assert not states[field][~there].any()
    assert ((states["drawn"] != NONE) == in_phase(states, "leo_drawn")).all()
    assert (states["last"][~in_phase(states, "take", "discard", "paint")] == NONE).all()
    assert not states["done_count"][~in_phase(states, "paint")].any()
    assert ((states["to_move"] == -1) == in_phase(states, "over")).all()


def assert_time_runs_forward(states, owner, players, cap):
    """Invariants 6, 7, 9 and 11: what may change from one decision to the next."""
    same = owner[1:] == owner[:-1]
    before, after = states[:-1][same], states[1:][same]
    gain = after["esteem"].astype(int) - before["esteem"]
    assert (gain >= 0).all() and (gain <= MOST_ESTEEM).all()
    painting = in_phase(before, "main", "paint")
    assert not gain[~painting].any()
    mover = before["to_move"][:, None] == np.arange(gain.shape[1])
    assert not gain[~mover].any()
    new_round = after["round"] != before["round"]
    assert (after["round"][new_round] == before["round"][new_round] + 1).all()
    assert (after["help"] == before["help"])[~new_round].all()
    assert (after["leonardo"] == before["leonardo"])[~new_round].all()
    assert (after["leonardo"] == (before["leonardo"] + 1) % players)[new_round].all()
    assert (after["to_move"] == after["leonardo"])[new_round].all()
    table = states["table"].sum(axis=1)
    assert (table <= 2 * players).all()
    assert (after["table"].sum(axis=1) == 2 * players)[new_round].all()
    assert ((before["mast_owner"] == NONE) | (before["mast_owner"] == after["mast_owner"])).all()
    assert ((before["paint_owner"] == NONE) | (before["paint_owner"] == after["paint_owner"])).all()
    assert (states["round"] <= cap).all()
    assert ((after["cycle"] - before["cycle"]) <= 1).all()


def assert_invariants(options, players, games, first=0, batch=50):
    game = davinci(**options)
    cap = game.option_values(players)["round_cap"]
    for start in range(first, first + games, batch):
        states, owner = random_games(game, players, range(start, min(start + batch, first + games)))
        assert_cards_are_kept(states, players)
        assert_hands_are_within_their_limits(states, players)
        assert_paintings_are_kept(states, players)
        assert_wet_paint_is_apart(states, options)
        assert_counts_of_the_middle_rest_elsewhere(states)
        assert_time_runs_forward(states, owner, players, cap)


SOME_OPTIONS = [
    {},
    {"wet_paint": "off"},
    {"mastery_bonus": "colour", "completion_bonus": "none"},
    {"mastery_bonus": "action", "completion_bonus": "all"},
    SHORT,
]


@pytest.mark.parametrize("options", SOME_OPTIONS, ids=lambda options: named(options) or "default")
@pytest.mark.parametrize("players", PLAYERS)
def test_what_holds_after_every_step(players, options):
    """DV-S2, DV-T2, DV-C5, DV-P4, DV-P10, DV-M2, DV-E1, DV-E3, DV-E4, R2, R17, R22: 15 games of each table"""
    assert_invariants(options, players, 15)


@pytest.mark.slow
@pytest.mark.parametrize("options", SOME_OPTIONS, ids=lambda options: named(options) or "default")
@pytest.mark.parametrize("players", PLAYERS)
def test_what_holds_after_every_step_of_100_000_games(players, options):
    """DV-S2, DV-T2, DV-C5, DV-P4, DV-P10, DV-M2, DV-E1, DV-E3, DV-E4, R2, R17, R22: 5,000 of each table"""
    assert_invariants(options, players, 5000, first=10_000)


def test_the_core_finds_nothing_wrong_in_games_and_much_in_altered_ones():
    """R2: `check` is 0 along games, and not with a card too many in any zone"""
    state = davinci().new(players=3, seed=5)
    luck = Random(5)
    while not state.is_terminal:
        assert state.position.check() == 0
        values = vars(state.fields())
        for zone in ("deck", "discard", "table"):
            altered = list(values[zone])
            altered[luck.randrange(20)] += 1
            with pytest.raises(ValueError, match="invariant"):
                state.game.table(3).read(state.game.write_state({**values, zone: altered}))
        state.apply(luck.choice(state.legal_actions))


# --- the tests themselves -------------------------------------------------------------------------------


def test_every_rule_example_ruling_and_position_of_the_page_has_a_test():
    """Rulings stand in a table of the page; their ids mean something in this game's tests alone."""
    page = (ROOT / "games/davinci.md").read_text("utf-8")
    ids = re.findall(r"^(?:- |\| )\**((?:DV-[A-Z]|EX|KN|R)\d+)\b", page, re.MULTILINE)
    assert Counter(re.sub(r"\d+$", "", rule) for rule in ids) == {
        "DV-S": 9,
        "DV-T": 3,
        "DV-C": 6,
        "DV-P": 14,
        "DV-M": 3,
        "DV-L": 5,
        "DV-E": 4,
        "DV-G": 5,
        "EX": 22,
        "R": 22,
        "KN": 4,
    }
    tests = "\n".join(
        test
        for file in Path(__file__).parent.glob("test_davinci*.py")
        for test in re.findall(
            r'^def test_.*?\n    """(.*?)"""', file.read_text("utf-8"), re.MULTILINE | re.DOTALL
        )
    )
    named_in_tests = set(re.findall(r"\b(?:DV-[A-Z]|EX|KN|R)\d+\b", tests))
    assert set(ids) - named_in_tests == set()
    assert named_in_tests - set(ids) == set(), "every id that a test names is on the page"
