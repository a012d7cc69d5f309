"""OMNIA: card tables, their limits, and how a bad file is refused."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import omnia_table
import pytest
from omnia_table import (
    ACTIONS,
    CHARACTERS,
    CITIES,
    INVENTIONS,
    LETTERS,
    MARKS,
    WORKS,
    look,
    money,
    omnia,
    points,
    position,
    turn,
)
from sfumato import games
from sfumato.games import SfumatoError, load

DEFAULT = Path(games.__file__).with_name("omnia.toml").read_text("utf-8")


@pytest.fixture
def altered(tmp_path):
    """Writes the game's own card table with some texts replaced and gives its path."""

    def write(*changes):
        text = DEFAULT
        for old, new in changes:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the table"
            text = text.replace(old, new)
        path = tmp_path / "cards.toml"
        path.write_text(text, "utf-8")
        return path

    return write


# --- the game's own table -------------------------------------------------------------------------------


def test_the_default_table_has_the_numbers_of_the_rules_page():
    """OM-S2, OM-S7, OM-T1, OM-C1, OM-W1, OM-W4, OM-P2, OM-E6, R7"""
    table = tomllib.loads(DEFAULT)

    def entries(section):
        return {name: value for name, value in table[section].items() if name != "source"}

    assert entries("counts") == {
        "cities": 16,
        "characters": 16,
        "works": 19,
        "inventions": 19,
        "actions": 28,
        "coins": 18,
    }
    assert entries("rules") == {"start_coins": 1, "hand": 7, "rounds": 6, "market": 3, "city_draw": 3}
    assert entries("actions") == {f"mark{mark}": list(cards) for mark, cards in MARKS.items()}
    assert {name: tuple(entry) for name, entry in entries("works").items()} == WORKS
    assert {name: tuple(entry) for name, entry in entries("inventions").items()} == INVENTIONS
    assert {name: (1, *entry) for name, entry in entries("characters").items()} == CHARACTERS
    assert entries("cities") == CITIES
    for section, faces in (
        ("works", WORKS),
        ("inventions", INVENTIONS),
        ("characters", CHARACTERS),
        ("cities", CITIES),
    ):
        assert list(entries(section)) == list(faces), "ids follow the order of the file"


def test_every_number_has_a_source():
    """OM-S2, R7"""
    table = tomllib.loads(DEFAULT)
    for section in ("counts", "rules", "actions", "works", "inventions", "characters", "cities"):
        assert any(word in table[section]["source"] for word in ("rulebook", "public", "reconstructed"))


def test_the_symbols_are_balanced():
    """OM-T5, OM-S6: with four players 14 works and inventions, 10 characters, 7 cities, 16 coins"""
    symbols = Counter(LETTERS[letter] for card in ACTIONS for letter in card[:2])
    assert (symbols["work"], symbols["invention"], symbols["character"], symbols["city"]) == (14, 14, 10, 7)
    assert symbols["coins1"] + 2 * symbols["coins2"] == 16
    assert sum(effect == "city" for *_, effect in CHARACTERS.values()) == 2, "R9: at most 7 + 2 draws"


# --- other tables ---------------------------------------------------------------------------------------


def test_a_price_may_be_changed(altered):
    """OM-A9, OM-A4: Lorenzo for one coin; his own two coins do not pay for him"""
    game = load(
        "omnia",
        cards=altered(('lorenzo_de_medici = [0, 0, "coins2"]', 'lorenzo_de_medici = [1, 0, "coins2"]')),
    )
    assert game.cards_digest != omnia().cards_digest
    poor = turn("P2/2", game=game, coins=[0, 1])
    assert "character lorenzo_de_medici" not in poor.legal_words
    state = turn("P2/2", game=game, coins=[1, 17])
    state.apply("character lorenzo_de_medici")
    assert money(state) == (0 + 1, 17, 0), "the price is paid first, and then the bank has one coin to give"


def test_everybody_may_start_with_more_coins(altered):
    """OM-S7"""
    game = load("omnia", cards=altered(("start_coins = 1", "start_coins = 3")))
    assert money(game.new(players=4, seed=1)) == (3, 3, 3, 3, 6)


def test_a_city_may_be_changed(altered):
    """OM-E4, OM-E6: vinci asks for one work of any colour and two characters, or counts characters"""
    vinci = 'vinci = { set = 3, inventions = 2, inventions_mode = "same" }'
    mixed = load("omnia", cards=altered((vinci, "vinci = { set = 5, works = 1, characters = 2 }")))
    assert points(["red bramante salai", ""], "vinci", game=mixed) == [5, 0]
    assert points(["bramante salai", ""], "vinci", game=mixed) == [0, 0]
    majority = load("omnia", cards=altered((vinci, 'vinci = { majority = 9, of = "characters" }')))
    assert points(["bramante", ""], "vinci", game=majority) == [9, 0]


TWO_SIDES = '{ set = 6, works = 2, works_mode = "diff", inventions = 2, inventions_mode = "same" }'
IMOLA = 'imola = { set = 7, inventions = 4, inventions_mode = "diff" }'


@pytest.mark.parametrize(
    ("city", "own", "coins", "expected"),
    [
        ("{ set = 6, works = 2, coins = 1 }", "red purple", 0, 0),
        ("{ set = 6, works = 2, coins = 1 }", "red purple orange red", 3, 12),
        ('{ set = 6, inventions = 3, inventions_mode = "diff" }', "azure teal blue blue", 0, 6),
        ('{ set = 6, inventions = 3, inventions_mode = "diff" }', "azure teal teal blue blue azure", 0, 12),
        ("{ set = 6, inventions = 3 }", "azure blue blue", 0, 6),
        ("{ set = 6, coins = 4 }", "", 9, 12),
        ('{ set = 6, works = 2, works_mode = "same", inventions = 1 }', "red red azure", 0, 6),
        ('{ set = 6, works = 2, works_mode = "same", inventions = 1 }', "red purple azure", 0, 0),
        ('{ set = 6, works = 2, works_mode = "same", inventions = 1 }', "red red red red azure teal", 0, 12),
        (TWO_SIDES, "red purple azure azure", 0, 6),
        (TWO_SIDES, "red red azure azure", 0, 0),
        (TWO_SIDES, "red red purple purple azure azure teal teal", 0, 12),
        ("{ set = 6, characters = 1, coins = 1 }", "bramante salai luca_pacioli", 2, 12),
    ],
)
def test_other_sets_may_be_asked_for(altered, city, own, coins, expected):
    """OM-E4, OM-E7, R12, R15"""
    game = load("omnia", cards=altered((IMOLA, f"imola = {city}")))
    assert points([own, ""], "imola", [coins, 0], game=game) == [expected, 0]


@pytest.fixture
def with_cards(altered, monkeypatch):
    """The game with other action cards in place of those marked 3."""

    def change(*pairs):
        old = [*MARKS[3]]
        new = [*pairs, *old[len(pairs) :]]
        line = "mark3 = [{}]".format
        path = altered(
            (line(", ".join(f'"{card}"' for card in old)), line(", ".join(f'"{card}"' for card in new)))
        )
        monkeypatch.setattr(
            omnia_table, "ACTIONS", ACTIONS[:14] + [f"{card}/3" for card in new] + ACTIONS[21:]
        )
        return load("omnia", cards=path)

    return change


def test_other_pairs_of_symbols(with_cards):
    """OM-T5, R5: cards with two coins symbols and one with two cities"""
    game = with_cards("11", "CC", "12")
    state = position(["11/3 CC/3 12/3"], players=3, game=game)
    coins = state.child("play 11/3")
    assert coins.legal_words == ["done", "forgo", "coins1"]
    coins.apply("coins1")
    assert (look(coins)["first_plain"], coins.legal_words) == ("coins1", ["coins1"])
    coins.apply("coins1")
    assert money(coins) == (3, 1, 1, 13)
    both = state.child("play 12/3")
    assert both.legal_words == ["done", "forgo", "coins1"]
    draws = state.child("play CC/3")
    assert draws.legal_words == ["done", "draw_city"]
    draws.apply("draw_city")
    draws.apply("activate_none")
    assert draws.legal_words == ["done", "draw_city"]


def test_a_double_coin_with_one_coin_in_the_bank(with_cards):
    """OM-A5, EX16: after the first one nothing is left, so the one coin comes by `forgo`"""
    state = turn("11/3", players=3, game=with_cards("11"), coins=[1, 1, 15])
    assert state.legal_words == ["done", "forgo"]
    state.apply("forgo")
    assert state.legal_words == ["coins1"]


def test_sources_change_no_play(altered):
    """R7"""
    path = altered(('[counts]\nsource = "rulebook"', '[counts]\nsource = "our own copy"'))
    assert load("omnia", cards=path).cards_digest == omnia().cards_digest


def test_a_file_may_hold_one_section_only(tmp_path):
    """R1, R3, R11, R13: the options, and the cards of the game itself"""
    path = tmp_path / "cards.toml"
    path.write_text('[options]\nrefill = "round"\nleonardo_in_majorities = true\n', "utf-8")
    game = load("omnia", cards=path)
    assert game.option_values(4) == {
        "refill": "round",
        "first_player": "fixed",
        "leonardo_in_majorities": True,
        "set_repeat": "each",
    }
    assert game.cards_digest == omnia().cards_digest


@pytest.mark.parametrize(
    "options",
    [
        {"refill": "never"},
        {"first_player": 1},
        {"leonardo_in_majorities": "yes"},
        {"set_repeat": "thrice"},
        {"weather": "fine"},
    ],
)
def test_an_unknown_option_is_refused(options):
    """R1, R3, R11, R13"""
    with pytest.raises(SfumatoError) as refused:
        load("omnia", **options)
    assert refused.value.code == "bad_option"


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        pytest.param("cities = 16", "cities = 17", "cit", id="another number of cities"),
        pytest.param("characters = 16", "characters = 15", "characters", id="another number of characters"),
        pytest.param("works = 19", "works = 18", "works", id="another number of works"),
        pytest.param("inventions = 19", "inventions = 20", "inventions", id="another number of inventions"),
        pytest.param("actions = 28", "actions = 27", "actions", id="another number of action cards"),
        pytest.param("coins = 18", "coins = -1", "coins", id="fewer than no coins"),
        pytest.param("hand = 7", "hand = 8", "rules", id="another hand"),
        pytest.param("rounds = 6", "rounds = 7", "rules", id="another number of rounds"),
        pytest.param("market = 3", "market = 4", "rules", id="another market"),
        pytest.param("city_draw = 3", "city_draw = 2", "rules", id="another city draw"),
        pytest.param("start_coins = 1", "start_coins = 5", "start_coins", id="20 coins to start with"),
        pytest.param("start_coins = 1", "start_coins = -1", "start_coins", id="fewer than no coins to start"),
        pytest.param('mark3 = ["WI",', 'mark3 = ["WX",', "actions", id="an unknown symbol"),
        pytest.param('mark3 = ["WI",', 'mark3 = ["WIP",', "actions", id="three symbols"),
        pytest.param('mark3 = ["WI",', 'mark3 = ["WP",', "actions", id="a card twice"),
        pytest.param('mark3 = ["WI",', "mark3 = [", "actions", id="six cards with mark 3"),
        pytest.param('"P2", "C1"]', '"P2", "C1", "CC"]', "actions", id="fifteen cards with mark 2"),
        pytest.param('purple = [4, 0, 0, "none"]', 'purple = [5, 0, 0, "none"]', "works", id="20 works"),
        pytest.param(
            'purple = [4, 0, 0, "none"]', 'purple = [4, -1, 0, "none"]', "works", id="a price below 0"
        ),
        pytest.param(
            'purple = [4, 0, 0, "none"]', 'purple = [4, 0, 0, "sleep"]', "works", id="an unknown effect"
        ),
        pytest.param('purple = [4, 0, 0, "none"]', "purple = [4, 0, 0]", "works", id="no effect"),
        pytest.param(
            'azure = [4, 0, 0, "none"]', 'purple = [4, 0, 0, "none"]', "inventions", id="a name twice"
        ),
        pytest.param(
            'caterina = [0, 1, "none"]', 'milano = [0, 1, "none"]', "", id="a character called like a city"
        ),
        pytest.param('caterina = [0, 1, "none"]\n', "", "characters", id="fifteen characters"),
        pytest.param(
            'caterina = [0, 1, "none"]', 'caterina = [0, -1, "none"]', "characters", id="points below 0"
        ),
        pytest.param(
            'caterina = [0, 1, "none"]', 'caterina = ["free", 1, "none"]', "characters", id="no price"
        ),
        pytest.param("venezia = { set = 2, coins = 1 }\n", "", "cities", id="fifteen cities"),
        pytest.param(
            "venezia = { set = 2, coins = 1 }", "venezia = { set = 2 }", "cities", id="a set of nothing"
        ),
        pytest.param("venezia = { set = 2, coins = 1 }", "venezia = { coins = 1 }", "cities", id="no points"),
        pytest.param(
            "venezia = { set = 2, coins = 1 }",
            "venezia = { set = -2, coins = 1 }",
            "cities",
            id="a set below 0",
        ),
        pytest.param(
            "venezia = { set = 2, coins = 1 }",
            'venezia = { set = 2, majority = 2, of = "coins" }',
            "cities",
            id="both kinds",
        ),
        pytest.param(
            'parma = { majority = 7, of = "works" }',
            "parma = { majority = 7 }",
            "cities",
            id="a majority of nothing",
        ),
        pytest.param(
            'parma = { majority = 7, of = "works" }',
            'parma = { majority = 7, of = "cats" }',
            "cities",
            id="a majority of cats",
        ),
        pytest.param('works_mode = "diff"', 'works_mode = "odd"', "cities", id="an unknown mode"),
        pytest.param(
            "roma = { set = 7, works = 4",
            "roma = { set = 7, works = 5",
            "cities",
            id="five different colours",
        ),
        pytest.param(
            IMOLA,
            'imola = { set = 7, inventions_mode = "same", works = 1 }',
            "cities.imola.inventions_mode",
            id="colours of no card",
        ),
        pytest.param(
            IMOLA,
            'imola = { set = 7, inventions = 5, inventions_mode = "same" }',
            "cities.imola.inventions",
            id="five equal cards where four are the most",
        ),
        pytest.param(
            IMOLA,
            "imola = { set = 7, works = 2, characters = 1, majority = 2 }",
            "cities.imola",
            id="a set and a majority",
        ),
        pytest.param('refill = "turn"', 'refill = "never"', "options.refill", id="an unknown value"),
        pytest.param('refill = "turn"', 'weather = "turn"', "options", id="an unknown option"),
        pytest.param("[counts]", "[count]", "", id="an unknown section"),
        pytest.param("[counts]", "[counts", "", id="no TOML"),
    ],
)
def test_a_bad_card_table_is_refused_with_its_file_and_place(altered, old, new, place):
    """OM-S2, OM-S6, OM-S7, OM-T1, OM-C1, OM-T5, OM-E3, OM-E4, R1, R5, R7"""
    path = altered((old, new))
    with pytest.raises(SfumatoError) as refused:
        load("omnia", cards=path)
    assert refused.value.code == "bad_cards"
    assert refused.value.path.startswith(str(path))
    assert place in refused.value.path.removeprefix(str(path))


def test_a_missing_file_is_refused(tmp_path):
    """OM-S2"""
    with pytest.raises(SfumatoError) as refused:
        load("omnia", cards=tmp_path / "nowhere.toml")
    assert refused.value.code == "bad_cards"
