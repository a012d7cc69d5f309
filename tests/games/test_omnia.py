"""OMNIA: the set-up, the draft, rounds, and the words of decisions."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from omnia_table import (
    ACTIONS,
    CHARACTERS,
    CITIES,
    INVENTIONS,
    LETTERS,
    MARKS,
    WORKS,
    action_pack,
    city_order,
    draft,
    hand,
    keep_all,
    keep_lowest,
    look,
    market,
    money,
    omnia,
    position,
    slots,
    symbols_of,
)
from sfumato.games import SfumatoError
from statistics_of_counts import fits, is_uniform


def cards(*numbers):
    """Action cards by their ids."""
    return [ACTIONS[number] for number in numbers]


# --- set-up ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_to_four_players_begin_with_the_draft(players):
    """OM-S1, R6"""
    state = omnia().new(players=players, seed=1)
    assert (state.players, state.to_move, state.phase) == (players, 0, "draft")
    assert len(look(state)["coins"]) == players


@pytest.mark.parametrize("players", [0, 1, 5])
def test_other_player_counts_are_refused(players):
    """OM-S1, R6"""
    with pytest.raises(SfumatoError) as refused:
        omnia().new(players=players)
    assert refused.value.code == "bad_players"


def test_the_components_are_those_of_the_box():
    """OM-S2, R7: 16 + 16 cards, 19 works, 19 inventions, 28 = 14 + 7 + 7 action cards"""
    assert (len(CITIES), len(CHARACTERS), len(ACTIONS)) == (16, 16, 28)
    for faces in (WORKS, INVENTIONS):
        assert sum(copies for copies, *_ in faces.values()) == 19 == 4 * 4 + 3
    assert [len(MARKS[mark]) for mark in (2, 3, 4)] == [14, 7, 7]
    assert len(set(ACTIONS)) == 28, "R5: no two are alike"


@pytest.mark.parametrize(
    ("players", "by_symbol"),
    [
        (2, {"work": 7, "invention": 7, "character": 4, "city": 4, "coins1": 3, "coins2": 3}),
        (3, {"work": 11, "invention": 10, "character": 7, "city": 5, "coins1": 5, "coins2": 4}),
        (4, {"work": 14, "invention": 14, "character": 10, "city": 7, "coins1": 6, "coins2": 5}),
    ],
)
def test_the_action_pack_grows_with_the_players_and_is_dealt_out(players, by_symbol):
    """OM-S6, OM-S8, R7: 14, 21, 28 cards, seven each; two symbols on every card"""
    state = omnia().new(players=players, seed=4)
    packets = [look(state, seat)["visits"][0]["seen"] for seat in range(players)]
    assert [len(packet) for packet in packets] == [7] * players
    dealt = [card for packet in packets for card in packet]
    assert sorted(dealt) == sorted(action_pack(players))
    assert len(dealt) == 7 * players
    assert Counter(LETTERS[letter] for card in dealt for letter in card[:2]) == by_symbol
    assert sum(by_symbol.values()) == 14 * players


@pytest.mark.parametrize(("players", "bank"), [(2, 16), (3, 15), (4, 14)])
def test_the_set_up_shows_one_city_three_cards_of_each_pack_and_gives_a_coin_to_each(players, bank):
    """OM-S4, OM-S5, OM-S7: 18 coins less one for each player"""
    seen = look(omnia().new(players=players, seed=7), 1)
    assert len(seen["cities_active"]) == 1
    assert seen["city_pack"] == [None] * 15
    assert seen["city_known"] == [[]] * 15
    assert sum(seen["work_market"].values()) == sum(seen["invention_market"].values()) == 3
    assert len(set(seen["character_market"])) == 3
    assert seen["coins"] == [1] * players
    assert seen["bank"] == bank == 18 - players
    assert seen["works"] == seen["inventions"] == [{}] * players
    assert seen["characters"] == seen["played"] == [[]] * players


def test_every_card_comes_up_as_often_as_it_should():
    """OM-S3, OM-S5, OM-S8: over 1600 set-ups of two; works by their copies"""
    up, works, inventions, characters, packets = (Counter() for _ in range(5))
    below = Counter()
    for seed in range(1600):
        state = omnia().new(players=2, seed=seed)
        seen = look(state)
        up.update(seen["cities_active"])
        below[city_order(state)[14]] += 1
        works.update(seen["work_market"])
        inventions.update(seen["invention_market"])
        characters.update(seen["character_market"])
        packets.update(seen["visits"][0]["seen"])
    assert is_uniform(up, CITIES)
    assert is_uniform(below, CITIES)
    # The cards of one market hang together a little, which makes their counts more even.
    assert fits(works, {face: entry[0] for face, entry in WORKS.items()})
    assert fits(inventions, {face: entry[0] for face, entry in INVENTIONS.items()})
    assert is_uniform(characters, CHARACTERS)
    assert is_uniform(packets, action_pack(2))


SCRIPT = [
    "packet 0 WW/2 II/2 WI/2 WP/2 IP/2 WC/2 IC/2",
    "packet 1 W1/2 I1/2 W2/2 I2/2 PC/2 P2/2 C1/2",
    "cities milano vinci amboise firenze roma imola pavia urbino mantova venezia bologna vigevano parma "
    "cesena genova piombino",
    "refill purple purple leo_w0 azure green leo_i2 cesare_borgia caterina salai",
]


def test_a_scripted_set_up_lays_the_cards_as_the_words_say():
    """OM-S3, OM-S4, OM-S5, OM-S8, OM-C1: a seat sees its packet, the city face up and the market"""
    state = omnia().new(players=2, seed=8, seen=SCRIPT)
    seen = look(state)
    assert seen["visits"] == [{"packet": 0, "step": 0, "seen": ACTIONS[:7], "kept": []}]
    assert look(state, 1)["visits"][0]["seen"] == ACTIONS[7:14]
    assert seen["cities_active"] == ["milano"]
    assert city_order(state) == [city for city in CITIES if city != "milano"]
    assert market(state) == "purple purple leo_w0 azure green leo_i2 cesare_borgia caterina salai"
    assert state.setup_words(None) == SCRIPT
    assert state.setup_words(1) == [SCRIPT[1], "cities milano", SCRIPT[3]]


def test_what_a_script_leaves_open_is_random():
    """OM-S3, OM-S8"""
    words = [SCRIPT[1], "cities milano"]
    tables = [omnia().new(players=2, seed=seed, seen=words) for seed in range(30)]
    assert {tuple(look(state, 1)["visits"][0]["seen"]) for state in tables} == {tuple(ACTIONS[7:14])}
    assert {tuple(look(state)["cities_active"]) for state in tables} == {("milano",)}
    assert len({tuple(city_order(state)) for state in tables}) == 30
    assert len({market(state) for state in tables}) > 20


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["packet 0 WW/2 WW/2"], id="a card twice"),
        pytest.param(["packet 0 WW/2", "packet 1 WW/2"], id="a card for two seats"),
        pytest.param(["packet 2 WW/2"], id="a seat that is not there"),
        pytest.param(["packet 0 WI/3"], id="a card marked for three players"),
        pytest.param([f"packet 0 {' '.join(ACTIONS[:8])}"], id="eight cards"),
        pytest.param(["cities milano milano"], id="a city twice"),
        pytest.param(["refill purple purple purple purple"], id="four works"),
        pytest.param(["refill leo_w0 leo_w0"], id="a single card twice"),
        pytest.param(["drawn milano vinci roma"], id="a word of another step"),
        pytest.param(["packet 0 XX/2"], id="a card that is not there"),
    ],
)
def test_a_set_up_that_cannot_be_is_refused(words):
    """OM-S2, OM-S5, OM-S6, OM-S8"""
    with pytest.raises(SfumatoError) as refused:
        omnia().new(players=2, seed=1, seen=words)
    assert refused.value.code == "bad_event"


# --- draft ----------------------------------------------------------------------------------------------


def words_of(name, numbers):
    return [f"{name} {card}" for card in cards(*numbers)]


def test_a_draft_of_two():
    """EX8, OM-D1, OM-D2, OM-D3, OM-D4, R2: seven, five, three cards, two kept of each; the last comes by
    itself"""
    state = draft(2)
    assert state.legal_words == words_of("keep", range(6)), "the highest cannot be the first"
    keep_all(state, *cards(0))
    assert (state.to_move, state.legal_words) == (0, words_of("keep", range(1, 7)))
    keep_all(state, *cards(2))
    assert (state.to_move, look(state)["draft_step"]) == (1, 0)
    assert state.legal_words == words_of("keep", range(7, 13))
    keep_all(state, *cards(9, 10))
    assert (state.to_move, look(state)["draft_step"]) == (0, 1)
    assert look(state)["visits"][1] == {
        "packet": 1,
        "step": 1,
        "seen": cards(7, 8, 11, 12, 13),
        "kept": [],
    }
    assert state.legal_words == words_of("keep", [7, 8, 11, 12])
    keep_all(state, *cards(12, 13))
    assert look(state, 1)["visits"][1]["seen"] == cards(1, 3, 4, 5, 6)
    keep_all(state, *cards(3, 4))
    assert look(state, 0)["visits"][2]["seen"] == cards(1, 5, 6)
    assert look(state, 1)["visits"][2]["seen"] == cards(7, 8, 11)
    keep_all(state, *cards(1, 5, 8, 11))
    assert (state.phase, state.to_move, look(state)["round"]) == ("play", 0, 0)
    assert hand(state, 0) == cards(0, 1, 2, 5, 7, 12, 13)
    assert hand(state, 1) == cards(3, 4, 6, 8, 9, 10, 11)


def test_a_second_card_is_above_the_first_and_is_asked_even_if_it_is_the_only_one():
    """OM-D1, OM-D3: 5 of {1, 5, 6}, then 6 alone"""
    state = draft(2)
    keep_all(state, *cards(0, 2, 9, 10, 12, 13, 3, 4, 5))
    assert (state.to_move, state.legal_words) == (0, words_of("keep", [6]))


@pytest.mark.parametrize(
    ("players", "holders"),
    [
        (2, [(0, 1, 0, 1), (1, 0, 1, 0)]),
        (3, [(0, 1, 2, 0), (1, 2, 0, 1), (2, 0, 1, 2)]),
        (4, [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]),
    ],
)
def test_packets_go_to_the_left(players, holders):
    """EX9, OM-D1, OM-D2, OM-D3, OM-D4: with three players the last card comes home"""
    state = keep_lowest(draft(players))
    for seat in range(players):
        for visit in look(state, seat)["visits"]:
            assert holders[visit["packet"]][visit["step"]] == seat
            assert len(visit["seen"]) == (7, 5, 3, 1)[visit["step"]]
            assert len(visit["kept"]) == (2, 2, 2, 1)[visit["step"]]
    assert [len(hand(state, seat)) for seat in range(players)] == [7] * players


def test_a_draft_of_three_in_which_all_keep_the_lowest():
    """EX21, EX9, OM-D4"""
    state = keep_lowest(draft(3))
    assert hand(state, 0) == cards(0, 1, 6, 11, 12, 16, 17)
    assert hand(state, 1) == cards(2, 3, 7, 8, 13, 18, 19)
    assert hand(state, 2) == cards(4, 5, 9, 10, 14, 15, 20)


def test_packets_move_only_when_all_have_chosen_and_seats_choose_in_turn():
    """OM-D5, R2: two decisions of each seat in each of three steps"""
    state = omnia().new(players=4, seed=3)
    movers = []
    while state.phase == "draft":
        movers.append((look(state)["draft_step"], state.to_move, look(state)["kept_now"]))
        state.apply(state.legal_actions[-1])
    assert movers == [(step, seat, kept) for step in range(3) for seat in range(4) for kept in range(2)]


def test_nobody_sees_what_another_keeps():
    """OM-D5, OM-D6, EX20, R2: `keep ?` and nothing more, until the packets move"""
    state = draft(2)
    first = state.apply("keep WW/2")
    second = state.apply("keep WI/2")
    assert [first.label(0), second.label(0)] == ["keep WW/2", "keep WI/2"]
    assert [first.label(1), second.label(1)] == ["keep ?", "keep ?"]
    assert [step.words(seat) for step in (first, second) for seat in range(2)] == [[]] * 4
    third = state.apply("keep W2/2")
    last = state.apply("keep I2/2")
    assert [third.label(0), last.label(0), third.label(1), last.label(1)] == [
        "keep ?",
        "keep ?",
        "keep W2/2",
        "keep I2/2",
    ]
    assert last.words(0) == ["packet 0 W1/2 I1/2 PC/2 P2/2 C1/2"]
    assert last.words(1) == ["packet 1 II/2 WP/2 IP/2 WC/2 IC/2"]


def test_the_label_of_a_kept_card_tells_nothing():
    """OM-D5, R2, R23: whatever seat 0 keeps, the others see the same"""
    views = set()
    for first in (0, 3, 5):
        state = draft(3)
        keep_all(state, *cards(first, 6))
        views.add(str(look(state, 1)) + str(look(state, 2)))
    assert len(views) == 1


def test_a_script_may_name_the_packet_that_comes():
    """R2, OM-D2: seat 1 keeps two cards that seat 0 has not seen; which five come is still open to seat 0"""
    state = draft(2)
    keep_all(state, "WW/2", "WI/2", "W2/2")
    step = state.apply("keep I2/2", ["packet 0 W1/2 W2/2 PC/2 P2/2 C1/2"])
    assert step.words(0) == ["packet 0 W1/2 W2/2 PC/2 P2/2 C1/2"]
    assert slots(state)["I1/2"] == (1, 0), "it changed places with W2/2"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("packet 0 II/2 I1/2 PC/2 P2/2 C1/2", id="a card that seat 0 passed on"),
        pytest.param("packet 0 W1/2 I1/2 PC/2 P2/2", id="four cards"),
        pytest.param("packet 1 W1/2 I1/2 PC/2 P2/2 C1/2", id="another seat"),
    ],
)
def test_a_packet_that_cannot_come_is_refused(words):
    """EX20, R2"""
    state = draft(2)
    keep_all(state, "WW/2", "WI/2", "W2/2")
    before = state.to_bytes()
    with pytest.raises(SfumatoError) as refused:
        state.apply("keep I2/2", [words])
    assert refused.value.code == "bad_event"
    assert state.to_bytes() == before


# --- rounds ---------------------------------------------------------------------------------------------


def play_on(state, luck=None):
    """Plays a game to its end and lists the seat and the round of each card played."""
    luck = luck or Random(1)
    played = []
    while not state.is_terminal:
        if state.phase == "play":
            played.append((look(state)["round"], state.to_move))
        state.apply(luck.choice(state.legal_actions))
    return played


@pytest.mark.parametrize("players", [2, 3, 4])
def test_six_rounds_of_one_card_each(players):
    """OM-T1, OM-T2, R3: seat 0 begins every round; the seventh card is left"""
    state = omnia().new(players=players, seed=2)
    assert play_on(state) == [(number, seat) for number in range(6) for seat in range(players)]
    assert [len(look(state)["played"][seat]) for seat in range(players)] == [6] * players
    assert [len(hand(state, seat)) for seat in range(players)] == [1] * players
    assert (state.phase, look(state)["round"], look(state)["to_move"]) == ("over", 6, None)
    assert state.legal_actions == []


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_first_player_may_rotate(players):
    """R3, OM-T1: `first_player = rotate`; with three players 0 1 2, 1 2 0, 2 0 1, 0 1 2, ..."""
    state = omnia(first_player="rotate").new(players=players, seed=2)
    assert play_on(state) == [
        (number, (number + turn) % players) for number in range(6) for turn in range(players)
    ]


def test_a_card_is_chosen_at_the_start_of_the_turn_and_shown():
    """OM-D6, OM-T1, R4, R5: any of the seven; all see it from then on"""
    state = position(["C1/2 WW/2 W2/2"])
    assert state.legal_words == [f"play {card}" for card in hand(state, 0)]
    assert len(state.legal_words) == 7
    step = state.apply("play C1/2")
    assert step.label(1) == "play C1/2"
    for seat in range(2):
        seen = look(state, seat)
        assert (seen["played"], seen["card"]) == ([["C1/2"], []], "C1/2")
        assert seen["left"] == ["coins1", "city"]
    assert "C1/2" not in hand(state, 0)


def test_two_cards_with_the_same_symbols_are_two_decisions():
    """R5: WI/2, WI/3 and WI/4"""
    state = position(["WI/2 WI/3 WI/4"], players=4)
    assert {"play WI/2", "play WI/3", "play WI/4"} <= set(state.legal_words)


def test_tableaux_and_coins_are_open():
    """OM-T6: all seats see the same of them"""
    state = position(own=["purple caterina", "leo_i1"], coins=[4, 2])
    one, other = look(state, 0), look(state, 1)
    for field in ("works", "inventions", "characters", "coins", "bank", "work_market", "cities_active"):
        assert one[field] == other[field]
    assert one["works"] == [{"purple": 1}, {}]
    assert one["characters"] == [["caterina"], []]
    assert money(state) == (4, 2, 12)


# --- words and ids --------------------------------------------------------------------------------------


def test_ids_and_words_of_decisions():
    """EX14, OM-T5, R5: 111 decisions and one label"""
    game = omnia()
    table = {
        **{number: f"keep {card}" for number, card in enumerate(ACTIONS)},
        **{28 + number: f"play {card}" for number, card in enumerate(ACTIONS)},
        **dict(enumerate(["done", "skip", "forgo", "coins1", "coins2"], 56)),
        **{61 + number: f"work {face}" for number, face in enumerate(WORKS)},
        **{69 + number: f"invention {face}" for number, face in enumerate(INVENTIONS)},
        **{77 + number: f"character {name}" for number, name in enumerate(CHARACTERS)},
        93: "draw_city",
        **{94 + number: f"activate {city}" for number, city in enumerate(CITIES)},
        110: "activate_none",
        111: "keep ?",
    }
    assert {number: game.words(number) for number in table} == table
    assert all(game.action_id(words) == number for number, words in table.items())
    for number in (68, 76, 112):
        with pytest.raises(SfumatoError):
            game.words(number)


@pytest.mark.parametrize(
    ("card", "symbols"),
    [
        ("WW/2", ["work", "work"]),
        ("C1/2", ["coins1", "city"]),
        ("WP/3", ["work", "character"]),
        ("I2/4", ["coins2", "invention"]),
        ("PC/4", ["character", "city"]),
    ],
)
def test_the_letters_of_a_card_are_its_symbols(card, symbols):
    """OM-T5: in the order coins1, coins2, work, invention, character, city"""
    assert symbols_of(card) == symbols
    state = position([card], players=4)
    state.apply(f"play {card}")
    assert look(state)["left"] == symbols


def test_a_draft_decision_that_is_not_legal_is_refused():
    """OM-D1: the highest card first, a card of another packet, a card kept before"""
    state = draft(2)
    for words in ("keep IC/2", "keep C1/2", "keep WI/3", "keep ?", "done", "play WW/2"):
        with pytest.raises(SfumatoError) as refused:
            state.apply(words)
        assert refused.value.code == "bad_action"
    state.apply("keep WI/2")
    for words in ("keep WW/2", "keep WI/2"):
        with pytest.raises(SfumatoError):
            state.apply(words)
