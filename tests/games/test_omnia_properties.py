"""OMNIA: whole games against the rules in plain Python, and what holds after every step."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from random import Random

import numpy as np
import omnia_model
import omnia_table
import pytest
from omnia_model import Referee
from omnia_table import CHARACTERS, CITIES, INVENTIONS, WORKS, omnia
from sfumato.ext import omnia as core
from sfumato.games import load

ROOT = Path(__file__).parents[2]
PLAYERS = (2, 3, 4)
NAMES = ("refill", "first_player", "leonardo_in_majorities", "set_repeat")
EVERY_OPTION = [
    dict(zip(NAMES, values, strict=True))
    for values in product(("turn", "round"), ("fixed", "rotate"), (False, True), ("each", "double"))
]
DECLINES = ("done", "skip", "forgo", "activate_none")


def named(options):
    return "-".join(str(value) for value in options.values()) or "default"


# --- against the rules in plain Python ------------------------------------------------------------------


def choice(state, luck, taste):
    """A move: at random, greedy, or one that declines nothing, by the taste of the game."""
    if taste == "greedy" and luck.random() < 0.8:
        return state.greedy
    if taste == "busy":
        busy = [action for action in state.legal_actions if state.words(action) not in DECLINES]
        return luck.choice(busy or state.legal_actions)
    return luck.choice(state.legal_actions)


def follow_with_the_model(game, players, seed, taste, every=6):
    """One game, the plain-Python referee beside it: legal moves and words at every step, the whole table now
    and then and at the end."""
    luck = Random(seed)
    state = game.new(players=players, seed=seed)
    referee = Referee(players, game.option_values(players), state.setup_words(None))
    steps = 0
    while not state.is_terminal:
        legal = state.legal_words
        assert len(legal) == len(set(legal)) <= 7
        assert sorted(legal) == sorted(referee.legal())
        if steps % every == 0:
            compare_views(state, referee, luck.randrange(players))
        step = state.apply(choice(state, luck, taste))
        referee.step(step.label(None), step.words(None))
        steps += 1
    for seat in range(players):
        compare_views(state, referee, seat)
    assert state.outcome.scores == referee.totals()
    assert state.outcome.ranks == referee.ranks()
    winners = referee.ranks().count(1)
    assert state.outcome.win_shares == [1 / winners if rank == 1 else 0 for rank in referee.ranks()]


def compare_views(state, referee, seat):
    """All that a seat knows, field by field."""
    seen, expected = state.observation(seat), referee.seen_by(seat)
    envelope = ("game", "cards", "options", "players", "seat")
    assert {name: value for name, value in seen.items() if name not in envelope} == expected


TASTES = ("random", "busy", "greedy")


@pytest.mark.parametrize("players", PLAYERS)
def test_games_follow_the_rules_in_plain_python(players):
    """OM-D1 to OM-X2, R1 to R23: default options, 30 games of each taste"""
    for seed, taste in product(range(30), TASTES):
        follow_with_the_model(omnia(), players, seed, taste)


@pytest.mark.parametrize("options", EVERY_OPTION[1:], ids=named)
def test_games_follow_the_rules_under_every_option(options):
    """R1, R3, R11, R13: every combination of values, all player counts"""
    for seed, players in enumerate((2, 3, 4, 4)):
        follow_with_the_model(omnia(**options), players, seed, ("busy", "random", "busy", "greedy")[seed])


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("options", EVERY_OPTION, ids=named)
def test_thousands_of_games_follow_the_rules_in_plain_python(players, options):
    """OM-D1 to OM-X2, R1 to R23: 150 games of every table, 7,200 in all"""
    for seed in range(150):
        follow_with_the_model(omnia(**options), players, 1000 + seed, TASTES[seed % 3], every=3)


#: sets of several kinds that ask for colours too
MIXED = {
    "{ set = 5, works = 2, inventions = 1 }": '{ set = 5, works = 2, works_mode = "same", inventions = 1 }',
    "{ set = 7, inventions = 3, characters = 1 }": '{ set = 7, inventions = 3, inventions_mode = "diff", '
    "characters = 1 }",
}
OTHER_CARDS = """
[counts]
cities = 16
characters = 16
works = 19
inventions = 19
actions = 28
coins = 12

[rules]
start_coins = 2
hand = 7
rounds = 6
market = 3
city_draw = 3

[actions]
mark2 = ["11", "22", "12", "CC", "PP", "WW", "II", "WI", "PC", "IC", "W1", "P2", "WP", "IP"]
mark3 = ["CC", "PP", "WW", "II", "12", "WC", "P1"]
mark4 = ["CC", "PP", "WW", "II", "PC", "P2", "WI"]

[works]
mauve = [4, 1, 1, "none"]
pink = [3, 0, 0, "coins1"]
rust = [4, 0, 0, "none"]
gold = [2, 0, 2, "city"]
leo_a = [3, 0, 0, "none"]
leo_b = [1, 3, 4, "work"]
leo_c = [1, 0, 0, "invention"]
leo_d = [1, 1, 0, "coins2"]

[inventions]
sky = [4, 0, 0, "none"]
sea = [4, 0, 0, "invention"]
ice = [4, 1, 1, "none"]
fog = [4, 0, 0, "none"]
leo_e = [3, 2, 1, "character"]

[characters]
ada = [0, 0, "none"]
bea = [0, 0, "character"]
cid = [0, 0, "character"]
dan = [1, 0, "coins2"]
eve = [1, 1, "coins1"]
fay = [2, 9, "none"]
gil = [0, 1, "none"]
hal = [0, 0, "work"]
ian = [0, 0, "invention"]
joy = [1, 2, "city"]
kim = [0, 0, "city"]
lee = [0, 3, "none"]
max = [5, 9, "none"]
ned = [2, 0, "coins2"]
oda = [0, 0, "none"]
pam = [0, 1, "work"]

[cities]
arezzo = { set = 5, works = 2, inventions = 1 }
bari = { set = 4, works = 2, works_mode = "diff" }
como = { set = 3, inventions = 2 }
dozza = { set = 6, characters = 1, coins = 1 }
elba = { set = 2, coins = 3 }
fermo = { set = 1, coins = 1 }
gela = { set = 9, works = 1, inventions = 1, characters = 1, coins = 1 }
helsa = { set = 7, inventions = 3, characters = 1 }
ivrea = { set = 2, works = 1 }
lecce = { set = 12, works = 4, works_mode = "same" }
monza = { majority = 9, of = "coins" }
nola = { majority = 5, of = "cards" }
ostia = { majority = 8, of = "works" }
pisa = { majority = 6, of = "inventions" }
quarto = { majority = 3, of = "characters" }
rimini = { majority = 7, of = "works_inventions" }
"""


@pytest.fixture(params=[{}, MIXED], ids=["colours of one kind", "colours of several"])
def other_cards(request, tmp_path, monkeypatch):
    """A card table in which nearly every number differs, for the game and for the referee."""
    text = OTHER_CARDS
    for old, new in request.param.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = tmp_path / "cards.toml"
    path.write_text(text, "utf-8")
    cards = tomllib.loads(text)
    for name, entries in {
        "WORKS": {face: tuple(entry) for face, entry in cards["works"].items()},
        "INVENTIONS": {face: tuple(entry) for face, entry in cards["inventions"].items()},
        "CHARACTERS": {face: (1, *entry) for face, entry in cards["characters"].items()},
        "CITIES": cards["cities"],
    }.items():
        shared = getattr(omnia_table, name)
        for key in list(shared):
            monkeypatch.delitem(shared, key)
        for key, entry in entries.items():
            monkeypatch.setitem(shared, key, entry)
    actions = [f"{card}/{mark}" for mark in (2, 3, 4) for card in cards["actions"][f"mark{mark}"]]
    monkeypatch.setattr(omnia_table, "ACTIONS", actions)
    monkeypatch.setattr(omnia_model, "NUMBER", {card: number for number, card in enumerate(actions)})
    monkeypatch.setattr(omnia_model, "COINS", 12)
    monkeypatch.setattr(omnia_model, "START_COINS", 2)
    omnia_model.best_sets.cache_clear()
    yield path
    omnia_model.best_sets.cache_clear()


@pytest.mark.parametrize("options", [EVERY_OPTION[0], EVERY_OPTION[-1]], ids=named)
@pytest.mark.parametrize("players", PLAYERS)
def test_games_with_other_cards_follow_the_rules_in_plain_python(other_cards, players, options):
    """OM-S6, OM-S7, OM-A5, OM-A9, OM-E4, OM-E7, R12, R13, R20: double symbols of every kind, other prices,
    effects and objectives; sets that mix sides and coins"""
    game = load("omnia", cards=other_cards, **options)
    for seed in range(12):
        follow_with_the_model(game, players, seed, TASTES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_many_games_with_other_cards_follow_the_rules_in_plain_python(other_cards, players):
    """OM-S6, OM-S7, OM-A5, OM-A9, OM-E4, OM-E7, R12, R13, R20: 2,400 games"""
    for options in EVERY_OPTION[:2]:
        game = load("omnia", cards=other_cards, **options)
        for seed in range(200):
            follow_with_the_model(game, players, 100 + seed, "busy")


# --- invariants -----------------------------------------------------------------------------------------


PHASES = omnia().phases
NONE = 255
COPIES = np.zeros((2, 8), int)
for side, faces in enumerate((WORKS, INVENTIONS)):
    COPIES[side, : len(faces)] = [entry[0] for entry in faces.values()]


def random_games(game, players, seeds):
    """All positions of random games as one array, and the number of the game of each; in every other game
    nothing is declined. What is legal is checked on the way."""
    states, owner = [], []
    declines = {game.action_id(words) for words in DECLINES}
    for number, seed in enumerate(seeds):
        luck = Random(seed)
        position = game.new(players=players, seed=seed).position
        while True:
            states.append(position.state_bytes)
            owner.append(number)
            if position.to_move < 0:
                scores, _ = position.outcome()
                assert all(0 <= score <= 204 for score in scores)
                break
            legal = position.legal()
            assert 0 < len(legal) <= 7
            assert all(one < other for one, other in pairwise(legal))
            busy = [action for action in legal if action not in declines] if seed % 2 else legal
            position.apply(luck.choice(busy or legal))
    return np.frombuffer(b"".join(states), core.STATE), np.array(owner)


def in_phase(states, *names):
    return np.isin(states["phase"], [PHASES.index(name) for name in names])


def bit(mask, number):
    return mask[..., None] >> np.arange(number, dtype=mask.dtype) & 1


def assert_time_is_right(states):
    """Invariant 1."""
    over, draft = in_phase(states, "over"), in_phase(states, "draft")
    assert ((states["to_move"] == -1) == over).all()
    assert ((states["round"] == 6) == over).all()
    assert ((states["draft_step"] < 3) == draft).all()
    assert not states["round"][draft].any()


def assert_every_action_card_has_its_place(states, players):
    """Invariants 2 and 3: two kept of every packet in each finished step, one in the last."""
    cards = 7 * players
    slot = states["slot"].astype(int)
    assert (slot[:, cards:] == NONE).all()
    packet, step = slot[:, :cards] >> 3, slot[:, :cards] & 7
    draft = in_phase(states, "draft")
    for home in range(players):
        left = np.full(len(states), 7)
        for at in range(4):
            number = ((packet == home) & (step == at)).sum(axis=1)
            seat = (home + at) % players
            due = np.where(states["draft_step"] > at, 2, 0) if at < 3 else np.where(draft, 0, 1)
            running = draft & (states["draft_step"] == at)
            due = np.where(running & (states["to_move"] > seat), 2, due)
            now = running & (states["to_move"] == seat)
            assert (number == due)[~now].all()
            assert (number[now] <= 1).all()
            left -= number
        assert (((packet == home) & (step == 4)).sum(axis=1) == left).all()
    played = bit(states["played"], 28)
    assert not played[draft].any() and not played[:, cards:].any()
    holder = (packet + step) % players
    for seat in range(players):
        number = (played[:, :cards] & (holder == seat)).sum(axis=1)
        more = number - states["round"]
        assert ((more == 0) | (more == 1))[~draft].all()
        assert (number == 6)[in_phase(states, "over")].all()
    assert ((step < 4) | (played[:, :cards] == 0)).all()


def assert_cards_and_coins_are_kept(states, players, options):
    """Invariants 5 to 7: every card once; three face up when a card is to be played, while the packs last."""
    market, pack = states["market"].astype(int), states["pack"].astype(int)
    owned = states["owned"].astype(int)
    assert (market + pack + owned.sum(axis=1) == COPIES).all()
    assert not owned[:, players:].any()
    people = bit(states["characters"], 16).sum(axis=1)
    up, rest = bit(states["char_market"], 16), bit(states["char_pack"], 16)
    assert (people + up + rest == 1).all()
    shown = np.column_stack([market.sum(axis=2), up.sum(axis=1)])
    left = np.column_stack([pack.sum(axis=2), rest.sum(axis=1)])
    assert (shown <= 3).all()
    full = in_phase(states, "play", "draft")
    if options.get("refill") == "round":
        first = states["round"] % players if options.get("first_player") == "rotate" else 0
        full &= (states["to_move"] == first) | in_phase(states, "draft")
    assert ((shown == 3) | (left == 0))[full].all()
    assert (states["coins"].astype(int).sum(axis=1) + states["bank"] == 18).all()
    assert (states["coins"] <= 18).all() and not states["coins"][:, players:].any()


def assert_cities_are_kept(states, players):
    """Invariants 8 to 10."""
    length = states["city_len"].astype(int)
    there = np.arange(15) < length[:, None]
    pack = states["city_pack"].astype(int)
    assert (pack[~there] == NONE).all() and not states["city_known"][~there].any()
    in_pack = ((pack[:, :, None] == np.arange(16)) & there[:, :, None]).sum(axis=1)
    active = bit(states["cities_active"], 16)
    assert (in_pack + active == 1).all()
    assert (active.sum(axis=1) >= 1).all()
    assert (states["city_known"] < 1 << players).all()
    drawing = in_phase(states, "city")
    assert (length[drawing] > 0).all()
    mover = states["to_move"][drawing].astype(int)
    for at in range(3):
        known = states["city_known"][drawing][:, at] >> mover & 1
        assert ((known == 1) | (length[drawing] <= at)).all()


def assert_the_turn_is_right(states):
    """Invariant 4: what is left of the card played."""
    acting, effect, city = (in_phase(states, name) for name in ("act", "effect", "city"))
    turn = acting | effect | city
    number = (states["left"] != NONE).sum(axis=1)
    assert ((states["card"] != NONE) == turn).all()
    assert (states["played"][turn] >> states["card"][turn].astype(np.uint32) & 1 == 1).all()
    assert not number[~turn].any()
    assert (number[acting] >= 1).all() and (number[effect | city] <= 1).all()
    special = (states["passed"] != 0) | (states["first_plain"] != NONE)
    assert not special[~acting].any()
    assert (number[special] == 1).all()
    assert not ((states["passed"] != 0) & (states["first_plain"] != NONE)).any()
    assert ((states["pending"] != NONE) == effect).all()


def assert_the_game_goes_on(states, owner, players):
    """Along a game: 6n turns, a city draw takes one card out of the pack or none, nothing is given back."""
    same = owner[1:] == owner[:-1]
    before, after = states[:-1][same], states[1:][same]
    change = after["city_len"].astype(int) - before["city_len"]
    drawing = in_phase(before, "city")
    assert np.isin(change[drawing], (0, -1)).all() and not change[~drawing].any()
    assert (bit(after["cities_active"], 16) >= bit(before["cities_active"], 16)).all()
    assert (after["owned"] >= before["owned"]).all()
    assert (bit(after["characters"], 16) >= bit(before["characters"], 16)).all()
    assert (bit(after["played"], 28) >= bit(before["played"], 28)).all()
    plays = np.bincount(owner, weights=in_phase(states, "play"))
    keeps = np.bincount(owner, weights=in_phase(states, "draft"))
    assert (plays == 6 * players).all() and (keeps == 6 * players).all()


def assert_invariants(options, players, games, first=0, batch=100):
    game = omnia(**options)
    for start in range(first, first + games, batch):
        states, owner = random_games(game, players, range(start, min(start + batch, first + games)))
        assert_time_is_right(states)
        assert_every_action_card_has_its_place(states, players)
        assert_cards_and_coins_are_kept(states, players, options)
        assert_cities_are_kept(states, players)
        assert_the_turn_is_right(states)
        assert_the_game_goes_on(states, owner, players)


SOME_OPTIONS = [
    {},
    {"refill": "round"},
    {"refill": "round", "first_player": "rotate"},
    {"first_player": "rotate", "leonardo_in_majorities": True, "set_repeat": "double"},
]


@pytest.mark.parametrize("options", SOME_OPTIONS, ids=named)
@pytest.mark.parametrize("players", PLAYERS)
def test_what_holds_after_every_step(players, options):
    """OM-S2, OM-S6, OM-D4, OM-T1, OM-T7, OM-A5, OM-C4, R1, R18, R19, R21: 60 games of each table"""
    assert_invariants(options, players, 60)


@pytest.mark.slow
@pytest.mark.parametrize("options", SOME_OPTIONS, ids=named)
@pytest.mark.parametrize("players", PLAYERS)
def test_what_holds_after_every_step_of_100_000_games(players, options):
    """OM-S2, OM-S6, OM-D4, OM-T1, OM-T7, OM-A5, OM-C4, R1, R18, R19, R21: 8,400 of each table"""
    assert_invariants(options, players, 8400, first=10_000)


def test_the_core_finds_nothing_wrong_in_games_and_much_in_altered_ones():
    """R19: `check` is 0 along games, and not with a card or a coin too many"""
    state = omnia().new(players=3, seed=5)
    luck = Random(5)
    while not state.is_terminal:
        assert state.position.check() == 0
        values = vars(state.fields())
        changes = {
            "bank": values["bank"] + 1,
            "coins": [values["coins"][0] + 1, *values["coins"][1:]],
            "market": [[values["market"][0][0] + 1, *values["market"][0][1:]], values["market"][1]],
            "cities_active": 0,
            "slot": [NONE, *values["slot"][1:]],
            "round": 6,
            "char_pack": values["char_pack"] ^ 1,
        }
        for field, value in changes.items():
            with pytest.raises(ValueError, match="invariant"):
                state.game.table(3).read(state.game.write_state({**values, field: value}))
        state.apply(luck.choice(state.legal_actions))


# --- the tests themselves -------------------------------------------------------------------------------


def test_every_rule_example_ruling_and_position_of_the_page_has_a_test():
    """Rulings stand in a table of the page; their ids mean something in this game's tests alone."""
    page = (ROOT / "games/omnia.md").read_text("utf-8")
    ids = re.findall(r"^(?:- |\| )\**((?:OM-[A-Z]|EX|KN|R)\d+)\b", page, re.MULTILINE)
    assert len(ids) == len(set(ids))
    assert Counter(re.sub(r"\d+$", "", rule) for rule in ids) == {
        "OM-S": 8,
        "OM-D": 6,
        "OM-T": 7,
        "OM-A": 9,
        "OM-C": 5,
        "OM-W": 4,
        "OM-P": 2,
        "OM-E": 7,
        "OM-X": 2,
        "EX": 22,
        "R": 23,
        "KN": 9,
    }
    tests = "\n".join(
        test
        for file in Path(__file__).parent.glob("test_omnia*.py")
        for test in re.findall(
            r'^def test_.*?\n    """(.*?)"""', file.read_text("utf-8"), re.MULTILINE | re.DOTALL
        )
    )
    named_in_tests = set(re.findall(r"\b(?:OM-[A-Z]|EX|KN|R)\d+\b", tests))
    assert set(ids) - named_in_tests == set()
    assert named_in_tests - set(ids) == set(), "every id that a test names is on the page"


def test_the_page_has_the_numbers_of_the_tables():
    """OM-S2, OM-E6: every character and city of the page's tables, with its numbers"""
    page = (ROOT / "games/omnia.md").read_text("utf-8")
    for name, (_, price, worth, effect) in CHARACTERS.items():
        shown = "" if effect == "none" else f" `{effect}`"
        assert re.search(rf"^\| `{name}` \| {price} \| {worth} \|{shown} \|", page, re.MULTILINE), name
    for name, objective in CITIES.items():
        worth = objective.get("set", objective.get("majority"))
        kind = "set" if "set" in objective else "majority"
        assert re.search(rf"^\| `{name}` \| {worth} \| {kind} \|", page, re.MULTILINE), name
