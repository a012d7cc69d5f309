"""The Painter's Studio: card tables, their limits, and how a bad file is refused."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest
from painters_studio_table import (
    CARDS_FILE,
    NUMBERS,
    OPTIONS,
    PAINTINGS,
    PATRONS,
    Painting,
    Patron,
    finished,
    legal,
    look,
    play,
    position,
    studio,
    with_power,
)
from sfumato.games import SfumatoError, load

DEFAULT = CARDS_FILE.read_text("utf-8")


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


def test_the_default_table_has_the_cards_of_the_rules_page():
    """PS-S2, PS-S3, PS-P1, PS-P2: 40 paintings, 16 patrons"""
    cards = tomllib.loads(DEFAULT)["cards"]
    paintings = {
        row["id"]: Painting(
            row["cat"],
            tuple(row["cost"]),
            row["vp"],
            row["ret"],
            row.get("mp", False),
            row.get("when"),
            row.get("effect"),
            row.get("n", 0),
        )
        for row in cards["painting"]
    }
    assert list(paintings.items()) == list(PAINTINGS.items())
    patrons = {
        row["id"]: Patron(row["score"], row.get("arg"), row["vp"], row["max"]) for row in cards["patron"]
    }
    assert list(patrons.items()) == list(PATRONS.items())


def test_the_default_table_has_the_numbers_of_the_rulebook():
    """PS-S4, PS-S5, PS-S6, PS-I1, PS-I2, PS-I3, PS-E1, PS-E3, R1, R3, R17, R19"""
    table = tomllib.loads(DEFAULT)
    assert {name: table["numbers"][name] for name in NUMBERS} == NUMBERS
    assert table["options"] == OPTIONS
    assert studio().option_values(3) == OPTIONS


def test_every_section_has_a_source():
    """PS-P1"""
    table = tomllib.loads(DEFAULT)
    for section in ("cards", "numbers"):
        assert any(word in table[section]["source"] for word in ("rulebook", "public", "reconstructed"))


def test_the_totals_of_the_table():
    """PS-S2, PS-P1, PS-P2: 10 paintings and 3 masterpieces per category, each colour 42 times, 156 points, 48
    students returned, 24 powers"""
    cards = PAINTINGS.values()
    assert Counter(card.category for card in cards) == dict.fromkeys(
        ("impressionist", "post_impressionist", "realist", "romantic"), 10
    )
    assert set(Counter(card.category for card in cards if card.masterpiece).values()) == {3}
    assert [sum(card.cost[colour] for card in cards) for colour in range(4)] == [42] * 4
    assert (sum(card.points for card in cards), sum(card.ret for card in cards)) == (156, 48)
    assert Counter(card.when for card in cards) == {"turn": 8, "painted": 16, None: 16}


# --- other tables ---------------------------------------------------------------------------------------


def test_a_painting_may_cost_and_bring_something_else(altered):
    """PS-D5, PS-E3: im04 costs 1 yellow and is worth 8"""
    path = altered(
        ("cost = [1, 1, 1, 0], vp = 3, ret = 1, name", "cost = [0, 0, 0, 1], vp = 8, ret = 0, name")
    )
    game = load("painters_studio", cards=path)
    assert game.cards_digest != studio().cards_digest
    state = position("3 5", paint=[(0, 0, 0, 1)], display="im04", students=[(1, 0, 0, 0)], game=game)
    assert legal(state, "paint") == ["paint im04"]
    play(state, ("paint im04", "refill im01"))
    assert look(state)["students"][0]["blue"] == 1
    assert finished(["museum", "critic"], paintings=["im04"], game=game).outcome.scores == [8, 0]


def test_a_patron_may_count_something_else(altered):
    """PS-E3: the colourman counts pairs, 3 points each, at most 7"""
    path = altered(
        ('score = "per_paint", arg = 1, vp = 1, max = 6', 'score = "per_paint", arg = 2, vp = 3, max = 7')
    )
    game = load("painters_studio", cards=path)
    for held, expected in (((1, 0, 0, 0), 0), ((1, 2, 0, 0), 3), ((2, 2, 0, 1), 6), ((2, 2, 2, 0), 7)):
        state = finished(["colourman", "critic"], paint=[held], game=game)
        assert state.outcome.scores[0] == expected


def test_a_limit_of_another_patron(altered):
    """PS-E3: the critic asks for 7 points"""
    path = altered(('score = "per_big", arg = 5', 'score = "per_big", arg = 7'))
    state = finished(["critic", "museum"], paintings=["im08 im09"], game=load("painters_studio", cards=path))
    assert state.outcome.scores[0] == 5 + 7 + 2


@pytest.mark.parametrize(("n", "kind"), [(1, "place"), (2, "place"), (3, "move"), (6, "gain")])
def test_a_die_may_be_set_to_any_face(tmp_path, n, kind):
    """PS-P2: faces 1 and 2 are one kind"""
    path = with_power(tmp_path, "im02", "turn", "set_die", n)
    state = position("1 3 4 6", paintings=["im02"], game=load("painters_studio", cards=path))
    state.apply("use im02")
    assert f"die {kind}" not in state.legal_words
    assert len(state.legal_words) == 3
    state.apply("die collect")
    assert look(state)["dice"].count({"place": 1, "move": 3, "gain": 6}[kind]) == 2


def test_names_and_sources_change_no_play(altered):
    """PS-P1"""
    path = altered(
        ("Degas, The Dance Class", "Degas, The Rehearsal"), ('source = "rulebook"', 'source = "mine"')
    )
    assert load("painters_studio", cards=path).cards_digest == studio().cards_digest


def test_a_file_may_hold_one_section_only(tmp_path):
    """R1, R3, R17, R19"""
    path = tmp_path / "cards.toml"
    path.write_text('[options]\nmax_rounds = 7\npower_refresh = "round"\n', "utf-8")
    game = load("painters_studio", cards=path)
    assert game.option_values(4) == OPTIONS | {"max_rounds": 7, "power_refresh": "round"}
    assert game.cards_digest == studio().cards_digest


# --- refusals -------------------------------------------------------------------------------------------

ROW = next(line for line in DEFAULT.splitlines(keepends=True) if '"im04"' in line)
PATRON_ROW = next(line for line in DEFAULT.splitlines(keepends=True) if '"academy"' in line)
IM04 = 'id = "im04", cat = "impressionist", cost = [1, 1, 1, 0], vp = 3, ret = 1, name'


def im04(changes):
    """The row of im04 with some of its entries replaced."""
    new = IM04
    for old, other in changes.items():
        assert old in new
        new = new.replace(old, other)
    return new


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(im04({"[1, 1, 1, 0]": "[1, 1, 1]"}), id="three colours"),
        pytest.param(im04({"[1, 1, 1, 0]": "[1, 1, 1, 0, 0]"}), id="five colours"),
        pytest.param(im04({"[1, 1, 1, 0]": "[0, 0, 0, 0]"}), id="no cost"),
        pytest.param(im04({"[1, 1, 1, 0]": "[4, 4, 4, 1]"}), id="a cost of 13"),
        pytest.param(im04({"[1, 1, 1, 0]": "[1, 1, 1, -1]"}), id="a cost below 0"),
        pytest.param(im04({"[1, 1, 1, 0]": '"111"'}), id="no list"),
        pytest.param(im04({"ret = 1": "ret = 5"}), id="five students"),
        pytest.param(im04({"ret = 1": "ret = -1"}), id="students below 0"),
        pytest.param(im04({"vp = 3": "vp = -3"}), id="points below 0"),
        pytest.param(im04({"vp = 3": 'vp = "3"'}), id="points as text"),
        pytest.param(im04({"vp = 3, ": ""}), id="no points"),
        pytest.param(im04({'"impressionist"': '"cubist"'}), id="an unknown category"),
        pytest.param(im04({'"im04"': '"im05"'}), id="an id twice"),
        pytest.param(im04({"ret = 1": "ret = 1, frame = 1"}), id="an unknown entry"),
        pytest.param(im04({"ret = 1": 'ret = 1, when = "turn"'}), id="a time without an effect"),
        pytest.param(im04({"ret = 1": 'ret = 1, effect = "set_die", n = 3'}), id="an effect without a time"),
        pytest.param(
            im04({"ret = 1": 'ret = 1, when = "never", effect = "set_die", n = 3'}), id="an unknown time"
        ),
        pytest.param(
            im04({"ret = 1": 'ret = 1, when = "turn", effect = "steal_paint", n = 1'}), id="an unknown effect"
        ),
        pytest.param(
            im04({"ret = 1": 'ret = 1, when = "turn", effect = "recover_die", n = 1'}),
            id="recover_die as a turn power",
        ),
    ],
)
def test_a_bad_painting_is_refused_with_its_file_and_place(altered, new):
    """PS-P1, PS-P2, R20"""
    refuse(altered((IM04, new)), "cards.painting")


def refuse(path, place):
    with pytest.raises(SfumatoError) as refused:
        load("painters_studio", cards=path)
    assert refused.value.code == "bad_cards"
    assert refused.value.path.startswith(str(path))
    assert place in refused.value.path.removeprefix(str(path))
    assert refused.value.message
    return refused.value


@pytest.mark.parametrize(
    ("effect", "low", "high"),
    [
        ("gain_paint", 1, 4),
        ("gain_inspiration", 1, 4),
        ("place_students", 1, 4),
        ("set_die", 1, 6),
        ("collect_paint", 1, 1),
        ("move_students", 1, 1),
        ("draw_patron", 1, 1),
        ("recover_die", 1, 1),
        ("swap_paint", 1, 1),
        ("reroll_die", 1, 1),
        ("move_own", 1, 1),
        ("buy_paint", 1, 1),
    ],
)
def test_the_number_of_an_effect_has_its_range(tmp_path, effect, low, high):
    """PS-P2, R20"""
    for n in (low, high):
        assert load("painters_studio", cards=with_power(tmp_path, "im04", "painted", effect, n))
    for n in (low - 1, high + 1):
        refuse(with_power(tmp_path, "im04", "painted", effect, n), "cards.painting")


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        pytest.param(ROW, "", "cards", id="39 paintings"),
        pytest.param(ROW, ROW + ROW.replace("im04", "im11"), "cards", id="41 paintings"),
        pytest.param(PATRON_ROW, "", "cards", id="15 patrons"),
        pytest.param(
            PATRON_ROW, PATRON_ROW + PATRON_ROW.replace("academy", "guild"), "cards", id="17 patrons"
        ),
        pytest.param('id = "academy"', 'id = "museum"', "cards.patron", id="a patron twice"),
        pytest.param('score = "per_set"', 'score = "per_frame"', "cards.patron", id="an unknown score"),
        pytest.param('arg = "romantic"', 'arg = "cubist"', "cards.patron", id="an unknown category"),
        pytest.param('arg = "yellow"', 'arg = "pink"', "cards.patron", id="an unknown colour"),
        pytest.param(', arg = "yellow"', "", "cards.patron", id="a colour is missing"),
        pytest.param('"per_paint", arg = 1', '"per_paint", arg = 0', "cards.patron", id="none as one"),
        pytest.param(
            '"per_paint", arg = 1', '"per_paint", arg = "blue"', "cards.patron", id="a word for a number"
        ),
        pytest.param('"per_set", vp = 6', '"per_set", vp = -6', "cards.patron", id="points below 0"),
        pytest.param("vp = 6, max = 12", "vp = 6, max = -1", "cards.patron", id="a limit below 0"),
        pytest.param("paint_per_colour = 15", "paint_per_colour = 14", "numbers", id="less paint"),
        pytest.param("inspiration = 20", "inspiration = 21", "numbers", id="more tokens"),
        pytest.param("students = 12", "students = 11", "numbers", id="fewer students"),
        pytest.param("dice = 4", "dice = 5", "numbers", id="five dice"),
        pytest.param("display = 7", "display = 6", "numbers", id="six face up"),
        pytest.param("start_tokens = 1", "start_tokens = 0", "numbers", id="no token"),
        pytest.param("first_master_vp = 4", "first_master_vp = 5", "numbers", id="another token"),
        pytest.param("masterpieces_to_end = 3", "masterpieces_to_end = 2", "numbers", id="another end"),
        pytest.param("cost_reroll = 1", "cost_reroll = 2", "numbers", id="a dear reroll"),
        pytest.param("cost_paint = 2", "cost_paint = 1", "numbers", id="a cheap painting"),
        pytest.param("cost_patron = 3", "cost_patron = 2", "numbers", id="a cheap patron"),
        pytest.param("max_rounds = 40", "max_rounds = 0", "options.max_rounds", id="no rounds"),
        pytest.param("max_rounds = 40", "max_rounds = 100", "options.max_rounds", id="too many rounds"),
        pytest.param(
            'power_refresh = "turn"', 'power_refresh = "game"', "options.power_refresh", id="no such time"
        ),
        pytest.param("canonical = true", "canonical = 1", "options.canonical", id="a number for a choice"),
        pytest.param("canonical = true", "ordered = true", "options", id="an unknown option"),
        pytest.param("[numbers]\nsource", "[figures]\nsource", "", id="an unknown section"),
        pytest.param("[numbers]\nsource", "[numbers\nsource", "", id="no TOML"),
    ],
)
def test_a_bad_card_table_is_refused_with_its_file_and_place(altered, old, new, place):
    """PS-S2, PS-S3, PS-S4, PS-S5, PS-S6, PS-I1, PS-I2, PS-I3, PS-E1, PS-E3, R17"""
    refuse(altered((old, new)), place)


def test_a_table_with_too_few_masterpieces_is_refused(altered):
    """PS-E1, R17: somebody must be able to get three: 2 * 4 + 1 = 9; with 8 the table is refused"""
    rows = [line for line in DEFAULT.splitlines() if "mp = true" in line]
    assert len(rows) == 12
    plain = [(row, row.replace(", mp = true", "")) for row in rows]
    assert load("painters_studio", cards=altered(*plain[:3]))
    refuse(altered(*plain[:4]), "cards.painting")


def test_a_missing_file_is_refused(tmp_path):
    """PS-P1"""
    with pytest.raises(SfumatoError) as refused:
        load("painters_studio", cards=tmp_path / "nowhere.toml")
    assert refused.value.code == "bad_cards"
