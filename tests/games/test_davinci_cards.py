"""Atelier Da Vinci: card tables, their limits, and how a bad file is refused."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest
from davinci_table import (
    ACHIEVEMENTS,
    COLOURS,
    FACES,
    MASTERIES,
    POINTS,
    SLOTS,
    VALUES,
    davinci,
    look,
    position,
)
from sfumato import games
from sfumato.games import SfumatoError, load

DEFAULT = Path(games.__file__).with_name("davinci.toml").read_text("utf-8")


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
    """DV-S2, DV-P7, R2, R5, R21, EX19: 55 cards, 8 paintings, 6 masteries, 6 achievements"""
    table = tomllib.loads(DEFAULT)
    cards = table["deck"]
    assert cards["base"] == list(VALUES[2])
    assert cards["base"] + cards["mark3"] + cards["mark4"] + cards["mark5"] == list(VALUES[5])
    assert table["colours"]["order"] == list(COLOURS)
    paintings = {
        card["id"]: tuple(None if slot == "-" else slot for slot in card["slots"])
        for card in table["cards"]["painting"]
    }
    assert paintings == SLOTS
    assert {card["id"]: card["points"] for card in table["cards"]["painting"]} == POINTS
    assert {card["id"]: tuple(card["cards"]) for card in table["cards"]["mastery"]} == MASTERIES
    assert {card["id"]: card["points"] for card in table["cards"]["achievement"]} == ACHIEVEMENTS
    assert (table["esteem"]["from"], table["esteem"]["bonus"]) == ([1, 11, 21, 31], [1, 2, 3, 4])


def test_every_number_has_a_source():
    """R5, R21"""
    table = tomllib.loads(DEFAULT)
    for section in ("colours", "deck", "setup", "esteem", "cards"):
        assert any(word in table[section]["source"] for word in ("rulebook", "public", "reconstructed"))


def test_colours_are_spread_evenly_over_paintings_and_masteries():
    """DV-P2, DV-M1: each colour on 9 slots, at most twice on a painting, and on 3 masteries; 26 points"""
    marked = Counter(colour for slots in SLOTS.values() for colour in slots if colour)
    assert marked == dict.fromkeys(COLOURS, 9)
    assert all(max(Counter(filter(None, slots)).values()) == 2 for slots in SLOTS.values())
    assert Counter(colour for cards in MASTERIES.values() for colour in set(cards)) == dict.fromkeys(
        COLOURS, 3
    )
    assert sum(POINTS.values()) == 26


# --- other tables ---------------------------------------------------------------------------------------


def test_a_deck_may_differ_by_colour(altered):
    """DV-S2: blue has four 4s where the others have 1 2 2 3 4"""
    by_colour = ", ".join(f"{colour} = [1, 2, 2, 3, 4]" for colour in COLOURS[1:])
    path = altered(
        ("base = [1, 2, 2, 3, 4]          #", f"base = {{ blue = [4, 4, 4, 4, 1], {by_colour} }} #")
    )
    game = load("davinci", cards=path)
    state = game.new(players=2, seed=1)
    everything = game_deck(state)
    assert (everything["blue4"], everything["blue1"], everything["blue2"]) == (4, 1, 0)
    assert everything.total() == 25
    assert game.cards_digest != davinci().cards_digest


def game_deck(state):
    """All cards of a new table."""
    read = state.fields()
    cards = Counter({face: read.deck[number] + read.table[number] for number, face in enumerate(FACES)})
    cards.update(FACES[read.hid_face[seat][0]] for seat in range(state.players))
    return cards


def test_the_points_of_a_painting_may_be_changed(altered):
    """DV-G2: ginevra is worth 9, and the digest differs"""
    path = altered(('{ id = "ginevra", points = 2', '{ id = "ginevra", points = 9'))
    game = load("davinci", cards=path, round_cap=1)
    state = position(table="red4", game=game, taken={"ginevra": 0}, to_move=1, leonardo=2)
    state.apply("take red4")
    assert state.outcome.scores[0] == 9
    assert game.cards_digest != davinci().cards_digest


def test_the_levels_may_be_changed(altered):
    """DV-P7, R5: level 1 from 5 on, worth 3"""
    path = altered(
        ("from = [1, 11, 21, 31]", "from = [5, 11, 21, 31]"), ("bonus = [1, 2, 3, 4]", "bonus = [3, 4, 5, 6]")
    )
    game = load("davinci", cards=path)
    for before, after in ((4, 4 + 2), (5, 5 + 2 + 3), (31, 31 + 2 + 6)):
        state = position(["brown2"], ["gioconda", "cena"], game=game, esteem=[before])
        state.apply("paint gioconda 0 brown2")
        assert look(state)["esteem"][0] == after


def test_a_mastery_may_ask_for_other_cards(altered):
    """DV-M1: one blue card is enough"""
    path = altered(('cards = ["blue", "blue", "red"]', 'cards = ["blue"]'))
    state = position(["blue1"], game=load("davinci", cards=path))
    assert "claim blue_red" in state.legal_words


def test_a_painting_may_have_four_marked_slots(altered):
    """DV-P10"""
    path = altered(
        ('["blue", "blue", "red", "green", "red", "brown"]', '["blue", "-", "red", "-", "red", "brown"]')
    )
    game = load("davinci", cards=path)
    state = position(["brown1"], ["cena 0=blue1 2=red1 4=red2", "magi"], game=game)
    state.apply("paint cena 5 brown1", ["painting rocce"])
    assert look(state)["taken"] == {"cena": 0}


def test_sources_change_no_play(altered):
    """R2"""
    path = altered(('source = "rulebook"', 'source = "our own copy"'))
    assert load("davinci", cards=path).cards_digest == davinci().cards_digest


def test_a_file_may_hold_one_section_only(tmp_path):
    """R3, R17"""
    path = tmp_path / "cards.toml"
    path.write_text('[options]\nwet_paint = "off"\nround_cap = 7\n', "utf-8")
    game = load("davinci", cards=path)
    assert game.option_values(4) == {
        "wet_paint": "off",
        "mastery_bonus": "card",
        "completion_bonus": "level",
        "round_cap": 7,
    }
    assert game.cards_digest == davinci().cards_digest


# --- refusals -------------------------------------------------------------------------------------------

PAINTING = '    { id = "cena", points = 4, slots = ["blue", "blue", "red", "green", "red", "brown"] },\n'
MASTERY = '    { id = "palette", cards = ["blue", "red", "yellow", "brown", "green"] },\n'


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        pytest.param("mark5 = [1, 3]", "mark5 = [1, 5]", "deck", id="a value of 5"),
        pytest.param("mark5 = [1, 3]", "mark5 = [0, 3]", "deck", id="a value of 0"),
        pytest.param("mark5 = [1, 3]", "mark5 = [1]", "deck", id="50 cards in all"),
        pytest.param("mark5 = [1, 3]", "mark5 = [1, 3, 3]", "deck", id="60 cards in all"),
        pytest.param("mark3 = [1, 3]", "mark3 = { blue = [1, 3] }", "deck", id="a colour without cards"),
        pytest.param("mark3 = [1, 3]", 'mark3 = "many"', "deck", id="no list"),
        pytest.param('order = ["blue", "red",', 'order = ["blue", "blue",', "colours", id="a colour twice"),
        pytest.param(', "green"]\n\n[deck]', "]\n\n[deck]", "colours", id="four colours"),
        pytest.param(
            "table_cards = [4, 6, 8, 10]", "table_cards = [4, 6, 8, 9]", "setup", id="another table"
        ),
        pytest.param("dealt = 1", "dealt = 2", "setup", id="another deal"),
        pytest.param(
            "paintings_aside = [3, 2, 1, 0]",
            "paintings_aside = [3, 2, 1, 1]",
            "setup",
            id="other paintings aside",
        ),
        pytest.param("faceup_paintings = 2", "faceup_paintings = 3", "setup", id="three paintings"),
        pytest.param("hand_limit = 5", "hand_limit = 6", "setup", id="another hand limit"),
        pytest.param("take_limit = 4", "take_limit = 5", "setup", id="another limit of a take"),
        pytest.param("take_limit_help = 5", "take_limit_help = 6", "setup", id="another limit with help"),
        pytest.param("paint_max = 4", "paint_max = 5", "setup", id="five cards to paint"),
        pytest.param("from = [1, 11, 21, 31]", "from = [1, 21, 11, 31]", "esteem", id="levels that fall"),
        pytest.param("from = [1, 11, 21, 31]", "from = [1, 11, 21]", "esteem", id="three levels"),
        pytest.param("bonus = [1, 2, 3, 4]", "bonus = [1, 2, 3]", "esteem", id="three bonuses"),
        pytest.param("bonus = [1, 2, 3, 4]", "bonus = [1, 2, 3, -4]", "esteem", id="a bonus below 0"),
        pytest.param(PAINTING, "", "cards", id="seven paintings"),
        pytest.param(PAINTING, PAINTING * 2, "cards", id="a painting twice"),
        pytest.param(
            'slots = ["blue", "blue", "red", "green", "red", "brown"]',
            'slots = ["blue", "-", "red", "-", "-", "brown"]',
            "cards",
            id="three marked slots",
        ),
        pytest.param(
            'slots = ["blue", "blue", "red", "green", "red", "brown"]',
            'slots = ["blue", "blue", "red", "green", "red"]',
            "cards",
            id="five slots",
        ),
        pytest.param(
            'slots = ["blue", "blue", "red", "green", "red", "brown"]',
            'slots = ["blue", "pink", "red", "green", "red", "brown"]',
            "cards",
            id="an unknown colour",
        ),
        pytest.param('{ id = "cena", points = 4', '{ id = "cena", points = -4', "cards", id="points below 0"),
        pytest.param(
            '{ id = "cena", points = 4', '{ id = "gioconda", points = 4', "cards", id="a title twice"
        ),
        pytest.param(MASTERY, "", "cards", id="five masteries"),
        pytest.param(
            '{ id = "palette", cards = ["blue", "red", "yellow", "brown", "green"]',
            '{ id = "palette", cards = []',
            "cards",
            id="a mastery of no card",
        ),
        pytest.param(
            '{ id = "palette", cards = ["blue", "red", "yellow", "brown", "green"]',
            '{ id = "palette", cards = ["blue", "blue", "blue", "blue", "blue", "red"]',
            "cards",
            id="a mastery of six cards",
        ),
        pytest.param(
            '{ id = "palette", cards = ["blue",',
            '{ id = "palette", cards = ["pink",',
            "cards",
            id="a mastery of an unknown colour",
        ),
        pytest.param('{ id = "palette"', '{ id = "blue_red"', "cards", id="a mastery twice"),
        pytest.param('{ id = "five_cards", points = 4 },', "", "cards", id="five achievements"),
        pytest.param('{ id = "five_cards"', '{ id = "six_cards"', "cards", id="an unknown achievement"),
        pytest.param('{ id = "five_cards"', '{ id = "empty_hand"', "cards", id="an achievement twice"),
        pytest.param(
            '{ id = "five_cards", points = 4',
            '{ id = "five_cards", points = -1',
            "cards",
            id="an achievement below 0",
        ),
        pytest.param(
            'wet_paint = "ring"', 'wet_paint = "square"', "options.wet_paint", id="an unknown value"
        ),
        pytest.param("round_cap = 60", "round_cap = 0", "options.round_cap", id="no rounds"),
        pytest.param("round_cap = 60", "round_cap = 251", "options.round_cap", id="too many rounds"),
        pytest.param("round_cap = 60", "weather = 60", "options", id="an unknown option"),
        pytest.param("[esteem] ", "[steam] ", "", id="an unknown section"),
        pytest.param("[esteem] ", "[esteem ", "", id="no TOML"),
    ],
)
def test_a_bad_card_table_is_refused_with_its_file_and_place(altered, old, new, place):
    """DV-S2, DV-S3, DV-S4, DV-S5, DV-S6, DV-S7, DV-P1, DV-P7, DV-C1, DV-C3, DV-C5, R2, R5, R21"""
    path = altered((old, new))
    with pytest.raises(SfumatoError) as refused:
        load("davinci", cards=path)
    assert refused.value.code == "bad_cards"
    assert refused.value.path.startswith(str(path))
    assert place in refused.value.path.removeprefix(str(path))


def test_a_deck_that_could_leave_nothing_to_draw_is_refused(altered):
    """R2: two players need 7 * 2 + 6 + 6 - 2 + 1 = 25 cards; with 20 at two players the table is refused,
    though there are 55 in all"""
    path = altered(
        ("base = [1, 2, 2, 3, 4]          #", "base = [1, 2, 3, 4] #"),
        ("mark5 = [1, 3]", "mark5 = [1, 3, 2]"),
    )
    with pytest.raises(SfumatoError) as refused:
        load("davinci", cards=path)
    assert refused.value.code == "bad_cards"
    assert "25" in refused.value.message


def test_the_bound_counts_the_two_largest_paintings(altered):
    """R2: three players need 7 * 3 + 10 + 1 = 32 cards: 30 are too few"""
    path = altered(("mark3 = [1, 3]", "mark3 = [1]"), ("mark5 = [1, 3]", "mark5 = [1, 3, 2]"))
    with pytest.raises(SfumatoError) as refused:
        load("davinci", cards=path)
    assert refused.value.code == "bad_cards"
    assert "32" in refused.value.message


def test_a_missing_file_is_refused(tmp_path):
    """R2"""
    with pytest.raises(SfumatoError) as refused:
        load("davinci", cards=tmp_path / "nowhere.toml")
    assert refused.value.code == "bad_cards"
