"""The Painter's Studio: whole games against the rules in plain Python, and what holds after every step."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from painters_studio_model import Referee
from painters_studio_table import (
    CARDS_FILE,
    COLOURS,
    PAINTINGS,
    PATRONS,
    Painting,
    Patron,
    studio,
)
from sfumato.ext import painters_studio as core
from sfumato.games import load

ROOT = Path(__file__).parents[2]
PLAYERS = (2, 3, 4)
EVERY_OPTION = [
    dict(zip(("inspiration_ends_turn", "power_refresh", "canonical"), values, strict=True))
    for values in product((True, False), ("turn", "round"), (True, False))
]


def named(options):
    return "-".join(str(value).lower() for value in options.values()) or "default"


# --- against the rules in plain Python ------------------------------------------------------------------


def choice(state, luck, taste):
    """A move: at random, greedy, or of players who like patrons, by the taste of the game."""
    if taste == "patrons":
        words = state.legal_words
        if "draw_patron" in words:
            return state.action("draw_patron")
        if "inspire" in words and luck.random() < 0.4:
            return state.action("inspire")
    if taste == "greedy" and luck.random() < 0.8:
        return state.greedy
    return luck.choice(state.legal_actions)


def follow_with_the_model(game, players, seed, taste, every=9):
    """One game, the plain-Python referee beside it: legal decisions at every step, the whole table now
    and then and at the end."""
    luck = Random(seed)
    state = game.new(players=players, seed=seed)
    referee = Referee([state.observation(seat) for seat in range(players)])
    steps = 0
    while not state.is_terminal:
        step = state.apply(choice(state, luck, taste))
        referee.step(step.label(None), step.words(None))
        legal = state.legal_words
        assert len(legal) == len(set(legal))
        assert set(legal) == referee.legal
        if steps % every == 0 or state.is_terminal:
            expected = referee.seen_by(steps % players)
            seen = state.observation(steps % players)
            assert {name: seen[name] for name in expected} == expected
        steps += 1
    assert state.outcome.scores == referee.scores()
    assert state.outcome.ranks == referee.ranks()
    winners = referee.ranks().count(1)
    assert state.outcome.win_shares == [1 / winners if rank == 1 else 0 for rank in referee.ranks()]


TASTES = ("random", "patrons", "greedy")


@pytest.mark.parametrize("taste", TASTES)
@pytest.mark.parametrize("players", PLAYERS)
def test_games_follow_the_rules_in_plain_python(players, taste):
    """PS-S8 to PS-E6, R1 to R24: default options, 30 games of each taste and player count"""
    for seed in range(30):
        follow_with_the_model(studio(), players, seed, taste)


@pytest.mark.parametrize("options", EVERY_OPTION, ids=named)
def test_games_follow_the_rules_under_every_option(options):
    """R1, R3, R17, R19: every combination of values, all player counts"""
    for seed, (players, taste) in enumerate(product(PLAYERS, TASTES)):
        follow_with_the_model(studio(**options, max_rounds=12), players, seed, taste)


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("options", EVERY_OPTION, ids=named)
def test_thousands_of_games_follow_the_rules_in_plain_python(players, options):
    """PS-S8 to PS-E6, R1 to R24: 150 games of every table, 3,600 in all"""
    for seed in range(150):
        follow_with_the_model(studio(**options), players, 1000 + seed, TASTES[seed % 3], every=3)


# --- other cards ----------------------------------------------------------------------------------------

EFFECTS = {
    "gain_paint": 4,
    "gain_inspiration": 4,
    "place_students": 4,
    "set_die": 6,
    **dict.fromkeys(["collect_paint", "move_students", "draw_patron", "recover_die"], 1),
    **dict.fromkeys(["swap_paint", "reroll_die", "move_own", "buy_paint"], 1),
}
SCORES = list(dict.fromkeys(patron.score for patron in PATRONS.values()))


def random_painting(luck, number):
    """A painting of a table in which every effect has either timing."""
    effect = luck.choice([None, *EFFECTS, *EFFECTS])
    when = (
        None if effect is None else "painted" if effect == "recover_die" else luck.choice(["turn", "painted"])
    )
    cost = tuple(luck.choice([0, 0, 1, 1, 2, 3]) for _ in COLOURS)
    return Painting(
        luck.choice(["impressionist", "post_impressionist", "realist", "romantic"]),
        cost if any(cost) else (1, 0, 0, 0),
        luck.randrange(12),
        luck.randrange(5),
        number % 4 == 0,
        when,
        effect,
        luck.randint(1, EFFECTS[effect]) if effect else 0,
    )


def random_patron(luck, number):
    score = SCORES[number % len(SCORES)]
    arg = {
        "per_category": luck.choice(["impressionist", "realist"]),
        "per_colour": luck.choice(COLOURS),
        "per_paint": luck.randint(1, 3),
        "per_big": luck.randint(1, 8),
    }.get(score)
    return Patron(score, arg, luck.randint(1, 4), luck.randint(0, 15))


def row(name, card, fields):
    """A row of a card table; what a card has not is left out."""
    written = {"id": name, **dict(zip(fields, card, strict=True))}
    left_out = {field for field, value in written.items() if value is None}
    if written.get("effect", "") is None:
        left_out.add("n")
    values = {
        field: str(value).lower()
        if isinstance(value, bool)
        else str(list(value))
        if isinstance(value, tuple)
        else f'"{value}"'
        if isinstance(value, str)
        else str(value)
        for field, value in written.items()
        if field not in left_out
    }
    return "{ " + ", ".join(f"{field} = {value}" for field, value in values.items()) + " },\n"


@pytest.fixture(params=range(6))
def other_cards(request, tmp_path, monkeypatch):
    """A card table in which every card differs, for the game and for the referee."""
    luck = Random(request.param)
    paintings = {f"p{number}": random_painting(luck, number) for number in range(40)}
    patrons = {f"q{number}": random_patron(luck, number) for number in range(16)}
    for table, cards in ((PAINTINGS, paintings), (PATRONS, patrons)):
        for name in list(table):
            monkeypatch.delitem(table, name)
        for name, card in cards.items():
            monkeypatch.setitem(table, name, card)
    fields = ["cat", "cost", "vp", "ret", "mp", "when", "effect", "n"]
    text = 'source = "our own"\npainting = [\n' + "".join(row(*card, fields) for card in paintings.items())
    text += "]\npatron = [\n" + "".join(row(*card, ["score", "arg", "vp", "max"]) for card in patrons.items())
    path = tmp_path / "cards.toml"
    path.write_text(f"[cards]\n{text}]\n", "utf-8")
    return path


@pytest.mark.parametrize("players", PLAYERS)
def test_games_with_other_cards_follow_the_rules_in_plain_python(other_cards, players):
    """PS-P1, PS-P2, PS-P3, PS-D5, PS-D6, PS-D7, PS-E3, R10, R20, R21: other costs, powers, patrons"""
    game = load("painters_studio", cards=other_cards, max_rounds=12)
    for seed in range(3):
        follow_with_the_model(game, players, seed, TASTES[seed % 3])


# --- invariants -----------------------------------------------------------------------------------------

PHASES = studio().phases
SET_UP = ("patron", "start")


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
            assert legal and len(legal) <= 34
            assert all(one < other for one, other in pairwise(legal))
            phase = PHASES[position.phase]
            # An `inspire` (30) or an `end_turn` (33) is always there, and never both.
            assert phase != "turn" or (30 in legal) != (33 in legal)
            assert phase in (*SET_UP, "turn") or len(legal) > 1, "a single decision is played by itself"
            assert legal != [33]
            position.apply(luck.choice(legal))
    return np.frombuffer(b"".join(states), core.STATE), np.array(owner)


def in_phase(states, *names):
    return np.isin(states["phase"], [PHASES.index(name) for name in names])


def size(masks):
    """Cards of each bit set."""
    bits = np.unpackbits(np.ascontiguousarray(masks)[..., None].view(np.uint8), axis=-1)
    return bits.sum(axis=-1, dtype=int)


def assert_things_are_kept(states, players):
    """60 paints, 20 tokens, 12 students each, 40 paintings and 16 patrons, each in one place."""
    paint, students = states["paint"].astype(int), states["students"].astype(int)
    assert (paint.sum(axis=1) <= 15).all()
    assert (students.sum(axis=2) <= 12).all()
    assert (states["tokens"].sum(axis=1) <= 20).all()
    for field in ("paint", "students", "tokens", "active", "owned", "hand"):
        assert not states[field][:, players:].any()
    owned, display = states["owned"], states["display"]
    together = np.bitwise_or.reduce(owned, axis=1) | display
    assert (size(together) == size(owned).sum(axis=1) + size(display)).all(), "no painting twice"
    assert (size(together) <= 40).all()
    hands = np.bitwise_or.reduce(states["hand"], axis=1)
    assert (size(hands) == size(states["hand"]).sum(axis=1)).all(), "no patron twice"
    deck = 40 - size(together)
    full = size(display) == 7 - states["pending"]
    assert (full | (deck == 0)).all()
    assert (size(display) <= 7).all()


def assert_turns_are_right(states, players, cap):
    """Nobody without dice begins a turn; dice rolled are the active ones; rounds keep the cap."""
    over, setting_up = in_phase(states, "over"), in_phase(states, *SET_UP)
    dice = states["dice"].astype(int).sum(axis=1)
    mover = np.where(over, 0, states["to_move"])
    active = states["active"].astype(int)
    own = active[np.arange(len(states)), mover]
    inside = ~(over | setting_up)
    assert (dice == own)[inside].all()
    assert not dice[~inside].any() and not active[~inside].any()
    assert (active <= 4).all()
    assert ((own > 0) | (states["spent"] == 1))[inside].all()
    assert (states["round"] <= cap).all()
    assert ((states["to_move"] == -1) == over).all()
    assert ((states["first_master"] == -1) == (states["final_round"] == 0)).all()
    assert (states["first_start"] < players).all()
    sub = ~(over | setting_up | in_phase(states, "turn"))
    assert not states["pending"][~sub].any()
    assert (states["last_rank"] == 0)[~in_phase(states, "turn")].all()


def assert_patrons_are_right(states, players):
    """Everybody has a hand; buried cards are taken in their order, when the body is empty."""
    over, choosing = in_phase(states, "over"), in_phase(states, "patron")
    hands = size(states["hand"])[:, :players]
    assert (hands >= 1).all()
    tail, taker = states["tail"][:, :players], states["taker"][:, :players]
    assert (tail[over] == -1).all() and (taker[over] == -1).all()
    settled = ~(over | choosing)
    assert (tail[settled] >= 0).all()
    untaken = ((tail >= 0) & (taker == -1)).sum(axis=1)
    body = 16 - hands.sum(axis=1) - untaken
    assert (body >= 0)[~over].all()
    assert (body == 0)[(taker >= 0).any(axis=1)].all()
    for at in range(players):
        drawn = settled & (taker[:, at] >= 0)
        masks = states["hand"][drawn, taker[drawn, at]]
        assert (masks >> tail[drawn, at].astype(masks.dtype) & 1).all(), "it lies in the taker's hand"
    order = (states["first_start"][:, None] + np.arange(players)) % players
    in_order = np.take_along_axis(taker, order, axis=1) >= 0
    assert (in_order[:, :-1] >= in_order[:, 1:])[settled].all()


def assert_time_runs_forward(states, owner, players):
    """What may change from one decision to the next."""
    same = owner[1:] == owner[:-1]
    before, after = states[:-1][same], states[1:][same]
    assert not (before["owned"] & ~after["owned"]).any(), "a painting is never lost"
    kept = ~in_phase(before, "patron")
    assert not (before["hand"] & ~after["hand"])[kept].any(), "nor a patron, after the choice"
    assert (after["first_start"] == before["first_start"]).all()
    taken = before["first_master"] != -1
    assert (after["first_master"] == before["first_master"])[taken].all()
    assert (after["final_round"] == before["final_round"])[taken].all()
    now = ~taken & (after["first_master"] != -1)
    assert (after["first_master"] == before["to_move"])[now].all()
    assert (after["final_round"] == before["round"] + 1)[now].all()
    new_round = after["round"] != before["round"]
    assert (after["round"] == before["round"] + 1)[new_round].all()
    start = (after["first_start"] + after["round"] - 1) % players
    assert (after["to_move"] == start)[new_round].all()
    assert (after["active"][:, :players] == 4)[new_round].all()
    assert not after["used"][new_round].any()
    others = np.arange(4) != before["to_move"][:, None]
    for field in ("paint", "tokens", "owned", "hand"):
        assert (after[field] == before[field])[others].all(), "only the mover's things change"


def assert_dice_are_counted(states, owner, players):
    """Each seat spends four dice a round and those that it recovered: a round ends with no active die, and a
    die comes back only where a painting that recovers one was painted."""
    same = owner[1:] == owner[:-1]
    before, after = states[:-1][same], states[1:][same]
    ongoing = (after["round"] == before["round"]) & ~in_phase(after, "over")
    change = after["active"].astype(int) - before["active"]
    assert (change <= 1)[ongoing].all()
    recovered = (change == 1).any(axis=1) & ongoing
    recovering = sum(1 << n for n, card in enumerate(PAINTINGS.values()) if card.effect == "recover_die")
    # The step may have painted it, or sent the last student home after it was painted.
    own = after["owned"][np.arange(len(after)), before["to_move"]]
    assert (own[recovered] & np.uint64(recovering)).all()
    new_round = (after["round"] == before["round"] + 1) & (before["round"] > 0)
    left = before["active"][new_round].astype(int).sum(axis=1)
    assert (left <= 1).all(), "the last die, or none"


def assert_invariants(options, players, games, first=0, batch=50):
    game = studio(**options)
    cap = game.option_values(players)["max_rounds"]
    for start in range(first, first + games, batch):
        states, owner = random_games(game, players, range(start, min(start + batch, first + games)))
        assert_things_are_kept(states, players)
        assert_turns_are_right(states, players, cap)
        assert_patrons_are_right(states, players)
        assert_time_runs_forward(states, owner, players)
        assert_dice_are_counted(states, owner, players)


SOME_OPTIONS = [
    {},
    {"inspiration_ends_turn": False},
    {"power_refresh": "round"},
    {"canonical": False},
    {"max_rounds": 7},
]


@pytest.mark.parametrize("options", SOME_OPTIONS, ids=named)
@pytest.mark.parametrize("players", PLAYERS)
def test_what_holds_after_every_step(players, options):
    """PS-S4, PS-S5, PS-S6, PS-T3, PS-T6, PS-T10, PS-T11, PS-D8, PS-E1, PS-E2, R4, R6, R11, R13, R16, R20"""
    assert_invariants(options, players, 10)


@pytest.mark.slow
@pytest.mark.parametrize("options", SOME_OPTIONS, ids=named)
@pytest.mark.parametrize("players", PLAYERS)
def test_what_holds_after_every_step_of_100_000_games(players, options):
    """PS-S4, PS-S5, PS-S6, PS-T3, PS-T6, PS-T10, PS-T11, PS-D8, PS-E1, PS-E2, R4, R6, R11, R13, R16, R20:
    6,700 of each table"""
    assert_invariants(options, players, 6700, first=10_000)


def test_the_core_finds_nothing_wrong_in_games_and_much_in_altered_ones():
    """PS-S4, PS-S5, PS-S6: `check` is 0 along a game, and not with a paint, a token or a student too many"""
    state = studio().new(players=3, seed=5)
    luck = Random(5)
    while not state.is_terminal:
        assert state.position.check() == 0
        values = vars(state.fields())
        for field, wrong in (
            ("tokens", [21, 0, 0, 0]),
            ("paint", [[16, 0, 0, 0]] + [[0] * 4] * 3),
            ("students", [[0, 0, 0, 13]] + [[0] * 4] * 3),
            ("hand", [values["hand"][1], *values["hand"][1:]]),
        ):
            with pytest.raises(ValueError, match="invariant"):
                state.game.table(3).read(state.game.write_state({**values, field: wrong}))
        state.apply(luck.choice(state.legal_actions))


def test_what_a_step_shows_comes_once_and_in_order():
    """EX16: die or patron, refill, roll, then a hand per seat"""
    order = {"die": 0, "patron": 0, "refill": 1, "roll": 2, "hand": 3}
    met = Counter()
    for seed in range(12):
        luck = Random(seed)
        state = studio(max_rounds=15).new(players=2 + seed % 3, seed=seed)
        while not state.is_terminal:
            words = [word.split()[0] for word in state.apply(choice(state, luck, "greedy")).words(None)]
            met.update(words)
            places = [order[word] for word in words if word != "hand"]
            assert places == sorted(set(places))
            assert words.count("hand") == (state.players if state.is_terminal else 0)
    assert set(met) == set(order)


# --- the tests themselves -------------------------------------------------------------------------------


def test_every_rule_example_ruling_and_position_of_the_page_has_a_test():
    """Rulings stand in a table of the page; their ids mean something in this game's tests alone."""
    page = (ROOT / "games/painters_studio.md").read_text("utf-8")
    ids = re.findall(r"^(?:- |\| )\**((?:PS-[A-Z]|EX|KN|R)\d+)\b", page, re.MULTILINE)
    assert len(ids) == len(set(ids))
    assert Counter(re.sub(r"\d+$", "", rule) for rule in ids) == {
        "PS-S": 10,
        "PS-T": 12,
        "PS-D": 10,
        "PS-I": 4,
        "PS-P": 3,
        "PS-E": 6,
        "EX": 16,
        "R": 24,
        "KN": 7,
    }
    tests = "\n".join(
        test
        for file in Path(__file__).parent.glob("test_painters_studio*.py")
        for test in re.findall(
            r'^def test_.*?\n    """(.*?)"""', file.read_text("utf-8"), re.MULTILINE | re.DOTALL
        )
    )
    named_in_tests = set(re.findall(r"\b(?:PS-[A-Z]|EX|KN|R)\d+\b", tests))
    assert set(ids) - named_in_tests == set()
    assert named_in_tests - set(ids) == set(), "every id that a test names is on the page"


def test_the_page_has_every_card_of_the_table():
    """PS-P1, PS-E3: each painting with its cost and points, each patron"""
    page = (ROOT / "games/painters_studio.md").read_text("utf-8")
    for name, card in PAINTINGS.items():
        line = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert " ".join(map(str, card.cost)) in line
        assert f"| {card.points} |" in line
    assert all(f"`{name}`" in page for name in PATRONS)
    assert CARDS_FILE.exists()
