"""Enigma: card tables, their limits, and how a bad file is refused."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement, product

import pytest
from enigma_table import (
    DIFFERENT20,
    DIFFERENT22,
    PAIRS66,
    SYMBOLS,
    cross,
    enigma,
    faces_of,
    hand,
    keys,
    pile,
    position,
)
from sfumato.games import SfumatoError, load

PRODUCT = [upper + lower for upper, lower in product("abcdef", "ghijkl")]


def rows(faces, copies=1):
    return "".join(
        f'[[deck.face]]\nsymbols = ["{face[0]}", "{face[1]}"]\ncopies = {copies}\n' for face in faces
    )


@pytest.fixture
def file(tmp_path):
    """Writes a card table and gives its path."""

    def write(text):
        path = tmp_path / "cards.toml"
        path.write_text(text, "utf-8")
        return path

    return write


# --- tables ---------------------------------------------------------------------------------------------


def test_the_default_table_has_36_faces_in_two_copies():
    """R2, EN-K1: each of 12 symbols on 12 cards; upper symbols a to f, lower g to l"""
    state = enigma().new(players=2, seed=1)
    everything = pile(state, "deck")
    for seat in range(2):
        everything += cross(state, seat).split() + hand(state, seat).split()
    assert Counter(everything) == dict.fromkeys(PRODUCT, 2)
    assert Counter("".join(everything)) == dict.fromkeys(SYMBOLS, 12)


@pytest.mark.parametrize(("players", "left"), [(2, 46), (3, 36), (4, 26)])
def test_all_pairs_of_twelve_symbols(players, left):
    """R2, EN-S6: 66 cards, ids in the order of the rows"""
    game = enigma(PAIRS66)
    assert list(faces_of(game)) == ["".join(pair) for pair in combinations(SYMBOLS, 2)]
    assert (
        game.action_id("play ab top"),
        game.action_id("play ac top"),
        game.action_id("play kl bottom"),
    ) == (0, 5, 329)
    state = game.new(players=players, seed=1)
    assert state.fields().deck_n == left


def test_with_pairs_of_any_symbols_upper_and_lower_do_not_matter():
    """R17, EN-K2: `ab bg bh` shows b"""
    state = position(["ab cd bg ef ij", "ac de fg hi jk"], ["bh"], game=enigma(PAIRS66))
    state.apply("play bh bottom")
    assert keys(state, 0) == "b"


def test_a_card_may_show_one_symbol_twice(file):
    """R17: `aa` has the symbol a, once"""
    faces = ["".join(pair) for pair in combinations_with_replacement(SYMBOLS, 2)]
    game = load("enigma", cards=file(rows(faces)))
    assert len(faces) == 78
    assert game.action_id("play ll bottom") == 389
    state = position(["aa cd ab ef ij", "bc de fg hi jk"], ["ac"], game=game)
    state.apply("play ac bottom")
    assert keys(state, 0) == "a"
    state = position(["aa cd ee ef ij", "bc de fg hi jk"], ["ac"], game=game)
    state.apply("play ac bottom")
    assert keys(state, 0) == "", "two cards with a, whatever the first shows twice"


def test_one_line_may_show_two_symbols_if_there_are_three_copies(file):
    """R2, EN-K4: `ag ag ag` shows a and g"""
    game = load("enigma", cards=file(rows(PRODUCT, 3)))
    state = position(["ag bh ag cj dk", "fl ah bi cj dk"], ["ag"], game=game)
    state.apply("play ag bottom")
    assert keys(state, 0) == "ag"


def test_the_symbols_of_a_row_may_stand_in_any_order(file):
    """R17: a face is written in alphabetical order"""
    game = load("enigma", cards=file(rows([face[::-1] for face in PRODUCT], 2)))
    assert game.words(0) == "play ag top"
    assert game.cards_digest == enigma().cards_digest


def test_names_of_symbols_change_no_play(file):
    """R2: display only"""
    names = "".join(f'{symbol} = "name {symbol}"\n' for symbol in SYMBOLS)
    assert load("enigma", cards=file(f"[symbols]\n{names}")).cards_digest == enigma().cards_digest


def test_copies_change_the_digest(file):
    """R2"""
    text = "[deck]\ncopies = 3\nupper = ['a','b','c','d','e','f']\nlower = ['g','h','i','j','k','l']"
    assert load("enigma", cards=file(text)).cards_digest != enigma().cards_digest


def test_a_file_may_set_options(file):
    """R14, R15"""
    game = load("enigma", cards=file('[options]\nlosers = "by_keys"\nmax_rounds = 7\n'))
    assert game.option_values(3) == {
        "standing_lines": "count",
        "key_supply": "per_player",
        "losers": "by_keys",
        "max_rounds": 7,
        "cap_result": "most_keys",
    }
    assert game.cards_digest == enigma().cards_digest


@pytest.mark.parametrize("players", [3, 4])
def test_too_few_cards_for_the_players_are_refused(players):
    """R12: 22 cards serve two players"""
    assert enigma(DIFFERENT22).new(players=2, seed=1).fields().deck_n == 2
    assert enigma(DIFFERENT20).new(players=2, seed=1).fields().deck_n == 0
    with pytest.raises(SfumatoError):
        enigma(DIFFERENT22).new(players=players, seed=1)


def test_the_largest_decks(file):
    """R2: 250 cards; 20 copies of a face"""
    assert load("enigma", cards=file(rows(PRODUCT[:25], 10))).new(players=4, seed=1).fields().deck_n == 210
    few = load("enigma", cards=file(rows(PRODUCT[:2], 20))).new(players=4, seed=1)
    assert few.fields().deck_n == 0
    assert len(few.legal_actions) in (5, 10)


def test_a_table_of_one_face(file):
    """R12, R17, EN-K4: every line shows both symbols, and five cards share them"""
    state = load("enigma", cards=file(rows(["ag"], 20))).new(players=2, seed=1, seen=["first 0"])
    assert state.legal_words == [f"play ag {cell}" for cell in ("top", "left", "centre", "right", "bottom")]
    state.apply("play ag top")
    assert (state.phase, keys(state, 0)) == ("bonus", "ag")


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param(rows(PRODUCT, 0), "copies", id="no copies"),
        pytest.param(rows(PRODUCT[:2], 21), "copies", id="21 copies"),
        pytest.param(rows([*PRODUCT, "ag"]), "", id="a pair twice"),
        pytest.param(rows([*PRODUCT, "ga"]), "", id="a pair twice, in the other order"),
        pytest.param(rows([*PRODUCT[:-1], "am"]), "symbols", id="a symbol that is not there"),
        pytest.param(
            '[[deck.face]]\nsymbols = ["a", "b", "c"]\ncopies = 20\n', "symbols", id="three symbols"
        ),
        pytest.param('[[deck.face]]\nsymbols = ["a"]\ncopies = 20\n', "symbols", id="one symbol"),
        pytest.param('[[deck.face]]\nsymbols = ["a", "b"]\n', "deck.face[0]", id="a field missing"),
        pytest.param(rows(PRODUCT[:26], 10), "", id="260 cards"),
        pytest.param(rows(PRODUCT[:19]), "", id="19 cards"),
        pytest.param("[deck]\nface = []\n", "", id="no cards"),
        pytest.param("[numbers]\nhand = 6\n", "numbers", id="another hand size"),
        pytest.param("[numbers]\nkeys_to_win = 6\n", "numbers", id="fewer keys to win"),
        pytest.param("[colours]\nred = 1\n", "", id="an unknown section"),
        pytest.param(rows(PRODUCT, 2) + "[options]\nhand = 6\n", "options", id="an unknown option"),
        pytest.param('[options]\nlosers = "all"\n', "options.losers", id="an unknown value"),
        pytest.param("[options]\nmax_rounds = 0\n", "options.max_rounds", id="no rounds"),
        pytest.param("[deck", "", id="no TOML"),
    ],
)
def test_a_bad_card_table_is_refused_with_its_file_and_place(file, text, place):
    """R2, R12, R17"""
    path = file(text)
    with pytest.raises(SfumatoError) as refused:
        load("enigma", cards=path)
    assert refused.value.code == "bad_cards"
    assert str(path) in refused.value.path
    assert place in refused.value.path


def test_a_missing_file_is_refused(tmp_path):
    """R2"""
    with pytest.raises(SfumatoError) as refused:
        load("enigma", cards=tmp_path / "nowhere.toml")
    assert refused.value.code == "bad_cards"
