"""Enigma: the set-up, the turn, the deck, and the decisions with their words."""

from __future__ import annotations

from collections import Counter

import pytest
from enigma_table import (
    DIFFERENT20,
    DIFFERENT22,
    QUIET,
    cross,
    enigma,
    faces_in_hand,
    hand,
    keys,
    pile,
    position,
)
from sfumato.games import SfumatoError
from statistics_of_counts import is_uniform

# --- set-up ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_to_four_players_sit_in_seats_from_0(players):
    """EN-S1, R1"""
    state = enigma().new(players=players, seed=1)
    assert state.players == players
    assert state.to_move in range(players)
    assert state.phase == "play"


@pytest.mark.parametrize("players", [0, 1, 5])
def test_other_player_counts_are_refused(players):
    """EN-S1, R1"""
    with pytest.raises(SfumatoError) as refused:
        enigma().new(players=players)
    assert refused.value.code == "bad_players"


@pytest.mark.parametrize(("players", "left"), [(2, 52), (3, 42), (4, 32)])
def test_the_set_up_deals_ten_cards_to_each_seat_and_leaves_the_rest_as_the_deck(players, left):
    """EN-S2, EN-S3, EN-S5, EN-S6, R2: 72 cards, 36 faces in two copies; 52 / 42 / 32 in the deck"""
    state = enigma().new(players=players, seed=5)
    read = state.fields()
    assert (read.deck_n, read.turns, read.shuffle) == (left, 0, 0)
    assert pile(state, "discard") == []
    everything = pile(state, "deck")
    for seat in range(players):
        own_cross, own_hand = cross(state, seat).split(), hand(state, seat).split()
        assert (len(own_cross), len(own_hand)) == (5, 5)
        assert ":" not in hand(state, seat), "every card went through shuffle 0"
        everything += own_cross + own_hand
    assert Counter(everything) == {upper + lower: 2 for upper in "abcdef" for lower in "ghijkl"}


def test_nobody_owns_a_key_at_the_start_even_with_a_line_dealt():
    """EN-S7, EN-K5"""
    words = ["first 1", "cross 0 bg ah ch eh fk", "cross 1 ag bh ai cj ak"]
    state = enigma().new(players=2, seed=1, seen=words)
    assert [keys(state, 0), keys(state, 1)] == ["", ""]
    assert state.fields().bonus_used == 0


def test_the_first_player_is_drawn_uniformly():
    """EN-S8, R20"""
    first = Counter(enigma().new(players=3, seed=seed).to_move for seed in range(900))
    assert is_uniform(first, range(3))


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_the_first_player_may_be_given(seat):
    """EN-S8, R20"""
    assert all(
        enigma().new(players=4, seed=seed, seen=[f"first {seat}"]).to_move == seat for seed in range(5)
    )


def test_every_place_of_the_set_up_gets_every_face_alike():
    """EN-S2, EN-S4: a cell of the first and of the last seat, and a whole hand, over 3600 deals"""
    cells, cards = [Counter(), Counter()], Counter()
    for seed in range(3600):
        read = enigma().new(players=4, seed=seed).fields()
        cells[0][read.cross[0][0]] += 1
        cells[1][read.cross[3][4]] += 1
        cards.update(read.hand_face[2])
    assert is_uniform(cells[0], range(36))
    assert is_uniform(cells[1], range(36))
    # Five cards of one hand hang together a little (no third copy), which makes their counts more even.
    assert is_uniform(cards, range(36))


def test_a_scripted_set_up_lays_the_cards_as_the_words_say():
    """EN-S4, EN-S5, R20, EX1"""
    words = [
        "first 2",
        "cross 0 ag bh ci dj ek",
        "cross 1 fl ah bi cj dk",
        "cross 2 bg ch di ej fk",
        "hand 0 al al bi cj dk",
        "hand 2 el ek ej ei eh",
    ]
    state = enigma().new(players=3, seed=8, seen=words)
    assert [cross(state, seat) for seat in range(3)] == list(QUIET[:3])
    assert hand(state, 0) == "al al bi cj dk"
    assert hand(state, 2) == "eh ei ej ek el"
    assert state.to_move == 2
    assert state.fields().deck_n == 42
    assert not set(faces_in_hand(state, 1)) & {"al", "bi", "cj", "dk", "ek", "ej"}, (
        "both copies lie elsewhere"
    )


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["first 2"], id="a seat that is not there goes first"),
        pytest.param(["cross 2 ag bh ci dj ek"], id="a cross of a seat that is not there"),
        pytest.param(["hand 0 ag ag ag bh bh"], id="a third copy in one hand"),
        pytest.param(["cross 0 ag ag bh bh ci", "hand 1 ag dj dj ek ek"], id="a third copy in two places"),
        pytest.param(["draw ag"], id="a word of another step"),
        pytest.param(["hand 0 ag bh ci dj zz"], id="a face that is not there"),
        pytest.param(["deal 0 ag"], id="a word that is not there"),
    ],
)
def test_a_set_up_that_cannot_be_is_refused(words):
    """EN-S2, EN-S8"""
    with pytest.raises(SfumatoError) as refused:
        enigma().new(players=2, seed=1, seen=words)
    assert refused.value.code == "bad_event"


def test_the_words_of_a_set_up_tell_each_seat_its_own_hand_only():
    """EN-S5, R18, R20"""
    words = [
        "first 1",
        "cross 0 ag bh ci dj ek",
        "cross 1 fl ah bi cj dk",
        "hand 0 al bi cj dk fk",
        "hand 1 bg cl dh ek fi",
    ]
    state = enigma().new(players=2, seed=3, seen=words)
    assert sorted(state.setup_words(None)) == sorted(words)
    assert sorted(state.setup_words(0)) == sorted(words[:4])
    assert sorted(state.setup_words(1)) == sorted(words[:3] + words[4:])
    assert enigma().new(players=2, seed=99, seen=state.setup_words(None)) == state


# --- turn -----------------------------------------------------------------------------------------------


def test_a_play_pushes_the_replaced_card_to_the_left_and_discards_the_card_there():
    """EX1, EN-T4, EN-T5, EN-T6, EN-T7, EN-T8, R3"""
    state = position(crosses=QUIET[:3], hands=["al"])
    step = state.apply("play al left", ["from 0", "draw ck"])
    assert cross(state, 0) == "ag al ci dj ek"
    assert cross(state, 1) == "fl bh bi cj dk"
    assert cross(state, 2) == "bg ch di ej fk"
    assert pile(state, "discard") == ["ah"]
    assert [keys(state, seat) for seat in range(3)] == ["", "", ""]
    assert "ck" in faces_in_hand(state, 0) and len(faces_in_hand(state, 0)) == 5
    assert state.to_move == 1
    assert (state.fields().turns, state.fields().deck_n) == (1, 41)
    assert (step.seat, step.label(None)) == (0, "play al left")


@pytest.mark.parametrize(
    ("cell", "own", "left", "discarded"),
    [
        ("top", "al bh ci dj ek", "ag ah bi cj dk", "fl"),
        ("left", "ag al ci dj ek", "fl bh bi cj dk", "ah"),
        ("centre", "ag bh al dj ek", "fl ah ci cj dk", "bi"),
        ("right", "ag bh ci al ek", "fl ah bi dj dk", "cj"),
        ("bottom", "ag bh ci dj al", "fl ah bi cj ek", "dk"),
    ],
)
def test_each_cell_pushes_to_the_same_cell(cell, own, left, discarded):
    """EN-T3, EN-T4, EN-T5, EN-T6, R3"""
    state = position(crosses=QUIET[:2], hands=["al"])
    state.apply(f"play al {cell}")
    assert (cross(state, 0), cross(state, 1), pile(state, "discard")) == (own, left, [discarded])


def test_the_last_seat_pushes_to_seat_0():
    """EN-T1, EN-T5: after seat 2 of three comes seat 0"""
    state = position(crosses=QUIET[:3], hands=["", "", "al"], to_move=2, turns=2)
    state.apply("play al top")
    assert cross(state, 2) == "al ch di ej fk"
    assert cross(state, 0) == "bg bh ci dj ek"
    assert cross(state, 1) == QUIET[1]
    assert pile(state, "discard") == ["ag"]
    assert state.to_move == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_turns_go_clockwise(players):
    """EN-T1"""
    state = enigma().new(players=players, seed=2, seen=["first 1"])
    movers = []
    for _ in range(2 * players):
        movers.append(state.to_move)
        state.apply(state.legal_actions[0])
        while state.phase == "bonus":
            state.apply("decline")
    assert movers == [(1 + turn) % players for turn in range(2 * players)]


def test_keys_come_before_the_draw():
    """EN-T2, EN-K3: in phase `bonus` the card is played, the line key given, and the draw outstanding"""
    state = position(crosses=["ag ah ai aj dk", QUIET[1]], hands=["al"])
    before = state.fields().deck_n
    state.apply("play al bottom")
    assert (state.phase, state.to_move, keys(state, 0)) == ("bonus", 0, "a")
    assert (len(faces_in_hand(state, 0)), state.fields().deck_n, state.fields().turns) == (4, before, 0)
    assert pile(state, "discard") == ["dk"]
    state.apply("decline", ["draw ck"])
    assert "ck" in faces_in_hand(state, 0) and len(faces_in_hand(state, 0)) == 5
    assert (state.fields().deck_n, state.fields().turns, state.to_move) == (before - 1, 1, 1)


def test_every_hand_card_may_go_to_every_cell_and_nothing_else_is_allowed():
    """EN-T3: 5 faces, 5 cells, no pass"""
    state = position(crosses=QUIET[:2], hands=["ah bi ck dl eg"])
    cells = ("top", "left", "centre", "right", "bottom")
    assert state.legal_words == [
        f"play {face} {cell}" for face in ("ah", "bi", "ck", "dl", "eg") for cell in cells
    ]
    for words in ("decline", "take_key a", "play fl top"):
        with pytest.raises(SfumatoError) as refused:
            state.apply(words)
        assert refused.value.code == "bad_action"


def test_a_card_may_be_replaced_by_an_equal_one():
    """R16: the old card is pushed all the same"""
    state = position(crosses=QUIET[:2], hands=["ag"])
    state.apply("play ag top")
    assert cross(state, 0) == QUIET[0]
    assert cross(state, 1) == "ag ah bi cj dk"
    assert pile(state, "discard") == ["fl"]


def test_one_card_is_discarded_and_one_drawn_each_turn():
    """EN-T7, EN-T8"""
    state = enigma().new(players=4, seed=11)
    for turn in range(1, 33):
        state.apply(state.legal_actions[-1])
        if state.phase == "bonus":
            state.apply("decline")
        assert (len(pile(state, "discard")), state.fields().deck_n) == (turn, 32 - turn)
        assert all(len(faces_in_hand(state, seat)) == 5 for seat in range(4))


def test_two_equal_cards_are_one_decision_and_the_older_copy_is_played():
    """R19"""
    state = position(QUIET[:2], ["ai ai:1 bj ck:1 dl:1"], turns=60, shuffle=1)
    assert len(state.legal_actions) == 20
    step = state.apply("play ai top", ["draw el"])
    assert step.words(1) == ["from 0"]
    assert hand(state, 0) == "bj ai:1 ck:1 dl:1 el:1"


def test_a_script_may_name_the_other_copy():
    """R19, R18"""
    state = position(QUIET[:2], ["ai ai:1 bj ck:1 dl:1"], turns=60, shuffle=1)
    step = state.apply("play ai top", ["from 1", "draw el"])
    assert step.words(1) == ["from 1"]
    assert hand(state, 0) == "ai bj ck:1 dl:1 el:1"


# --- deck -----------------------------------------------------------------------------------------------


def test_an_empty_deck_is_made_anew_from_the_discard_pile_with_this_turns_card():
    """EX12, EN-D1, EN-D2, R11: turn 53 reshuffles 53 cards and draws one of them"""
    state = position(QUIET[:2], ["al"], turns=52, deck=0)
    assert len(pile(state, "discard")) == 52
    state.apply("play al left", ["from 0", "draw ah"])
    read = state.fields()
    assert (read.shuffle, read.deck_n, read.turns) == (1, 52, 53)
    assert pile(state, "discard") == []
    assert "ah:1" in hand(state, 0), "the card just discarded may be drawn again"


def test_the_deck_is_not_made_anew_while_a_card_is_left():
    """EN-D1, R11: the last card is drawn and the deck stays empty until the next draw"""
    state = position(QUIET[:2], ["al"], turns=51, to_move=0, deck="ck")
    state.apply("play al left")
    read = state.fields()
    assert (read.shuffle, read.deck_n) == (0, 0)
    assert "ck" in hand(state, 0).split()
    assert len(pile(state, "discard")) == 52


def test_reshuffles_come_in_turns_53_and_106():
    """EX12, EN-D1: 2 players, 72 cards"""
    state = enigma(max_rounds=1000).new(players=2, seed=4)
    sizes = {}
    while state.fields().turns < 107:
        quiet = [action for action in state.legal_actions if not gains(state, action)]
        state.apply((quiet or state.legal_actions)[0])
        read = state.fields()
        sizes[read.turns] = (read.shuffle, read.deck_n, len(pile(state, "discard")))
    assert sizes[52] == (0, 0, 52)
    assert sizes[53] == (1, 52, 0)
    assert sizes[105] == (1, 0, 52)
    assert sizes[106] == (2, 52, 0)


def gains(state, action):
    after = state.child(action, seed=1)
    return after.phase != "play" or keys(after, state.to_move) != keys(state, state.to_move)


def test_the_reshuffled_deck_is_drawn_from_uniformly():
    """EN-D1, EN-D2: two cards in the discard pile and the one of this turn, each drawn a third of the time"""
    drawn = Counter()
    for seed in range(900):
        state = position(
            ["ag bh ci dj ah", "ai bi ch dg aj"],
            ["cj ak al bg bj", "bk bl cg ck cl"],
            game=enigma(DIFFERENT22),
            turns=2,
            deck=0,
            seed=seed,
        )
        state.apply("play cj top")
        drawn[hand(state, 0).split()[-1]] += 1
    assert is_uniform(drawn, ["ai:1", "dh:1", "di:1"])


def test_a_draw_never_fails_even_if_the_deck_starts_empty():
    """EN-D3, R12: 20 cards, two players"""
    game = enigma(DIFFERENT20)
    state = game.new(players=2, seed=6)
    for turn in range(1, 41):
        assert len(state.legal_actions) == 25, "20 different faces: five faces in every hand"
        state.apply(state.legal_actions[7])
        if state.phase == "bonus":
            state.apply("decline")
        if state.is_terminal:
            break
        assert (state.fields().shuffle, state.fields().deck_n) == (turn, 0)
        assert all(len(faces_in_hand(state, seat)) == 5 for seat in range(2))
    assert turn > 10


def test_the_kth_card_drawn_is_the_same_whoever_draws_and_whatever_was_played():
    """EN-T7: equal chance, different plays, the same cards up to the reshuffle"""
    table = enigma().new(players=3, seed=21)
    drawn = []
    for choice in (0, -1):
        state = table.clone(seed=77)
        cards = []
        while len(cards) < 42:
            step = state.apply(state.legal_actions[choice])
            if state.phase == "bonus":
                step = state.apply("decline")
            cards.append(step.words(None)[-1])
        drawn.append(cards)
    assert drawn[0] == drawn[1]
    assert all(words.startswith("draw ") for words in drawn[0])


# --- decisions and words --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("play ag top", 0),
        ("play ag left", 1),
        ("play ag centre", 2),
        ("play ag right", 3),
        ("play ag bottom", 4),
        ("play al top", 25),
        ("play bg top", 30),
        ("play fl bottom", 179),
        ("take_key a", 390),
        ("take_key k", 400),
        ("take_key l", 401),
        ("decline", 402),
    ],
)
def test_action_ids_are_fixed(words, number):
    """EN-T3, EN-K10: play = 5 * face + cell, take_key = 390 + symbol, decline = 402"""
    assert enigma().action_id(words) == number
    assert enigma().words(number) == words


@pytest.mark.parametrize("number", [-1, 180, 389, 403])
def test_ids_of_no_card_in_the_table_are_refused(number):
    """R2: the 36 faces of the default table end with id 179"""
    with pytest.raises(SfumatoError) as refused:
        enigma().words(number)
    assert refused.value.code == "bad_action"


def test_the_constants_of_the_game():
    """EN-W1, R13: 403 actions, no further labels, at most 25 legal, 0 to 8 points, plays hang on the hand"""
    table = enigma().table(2)
    assert (table.actions, table.labels, table.max_legal, table.score_range) == (403, 0, 25, (0, 8))
    assert not table.public_phases & 1
    assert table.hidden and table.random


def test_every_decision_is_seen_by_everybody():
    """R18: the label of an action is the action"""
    state = position(["ag ah ai aj dk", *QUIET[1:3]], hands=["al"])
    play = state.apply("play al bottom")
    take = state.apply("take_key k")
    assert [play.label(seat) for seat in (0, 1, 2, None)] == ["play al bottom"] * 4
    assert [take.label(seat) for seat in (0, 1, 2, None)] == ["take_key k"] * 4


def test_the_mover_sees_the_draw_and_all_see_where_the_played_card_came_from():
    """R18, EX16: words of a play with its draw"""
    state = position(QUIET[:3], ["al"])
    step = state.apply("play al left", ["draw ck"])
    assert step.words(0) == ["from 0", "draw ck"]
    assert step.words(1) == ["from 0"]
    assert step.words(2) == ["from 0"]
    assert step.words(None) == ["from 0", "draw ck"]


def test_a_play_that_leads_to_the_bonus_shows_no_draw_and_the_bonus_decision_shows_it():
    """R9, R18"""
    for decision in ("take_key k", "decline"):
        state = position(["ag ah ai aj dk", QUIET[1]], hands=["al"])
        play = state.apply("play al bottom")
        assert [play.words(seat) for seat in (0, 1)] == [["from 0"], ["from 0"]]
        after = state.apply(decision, ["draw ck"])
        assert [after.words(seat) for seat in (0, 1)] == [["draw ck"], []]


def test_a_step_that_ends_the_game_shows_no_draw():
    """EN-W1, R18"""
    won = position(["ag bh ai cj dk", QUIET[1]], ["al"], ["bcdefg"])
    winning = won.apply("play al bottom")
    assert won.is_terminal
    assert [winning.words(seat) for seat in (0, 1)] == [["from 0"], ["from 0"]]
    taken = position(["ag ah ai aj dk", QUIET[1]], ["al"], ["abcdef"])
    taken.apply("play al bottom")
    winning = taken.apply("take_key k")
    assert taken.is_terminal
    assert [winning.words(seat) for seat in (0, 1)] == [[], []]


def test_the_keys_of_what_a_step_showed():
    """R18: 1 + mark as revelation for all, 1 + face as chance for the mover (ck is face 16)"""
    state = position(QUIET[:2], ["al:1"], turns=60, shuffle=1)
    script = enigma().speech.read(["from 1", "draw ck"])
    event = state.position.apply(enigma().action_id("play al left"), script)
    assert state.position.table.seen(event, 0) == (2, 17)
    assert state.position.table.seen(event, 1) == (2, 0)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["draw zz"], id="no such face"),
        pytest.param(["draw ah"], id="no such card in the deck"),
        pytest.param(["from 1"], id="no card of that shuffle in the hand"),
        pytest.param(["draw ck", "draw cl"], id="two draws"),
        pytest.param(["first 0"], id="a word of the set-up"),
    ],
)
def test_a_step_that_cannot_be_is_refused_and_changes_nothing(words):
    """R19, EN-T7: of `ah` one copy lies in a cross and one in the hand"""
    state = position(QUIET[:2], ["ah al"])
    before = state.to_bytes()
    with pytest.raises(SfumatoError) as refused:
        state.apply("play al left", words)
    assert refused.value.code == "bad_event"
    assert state.to_bytes() == before


def test_a_draw_named_for_a_play_that_leads_to_the_bonus_is_refused():
    """R9: the draw comes with the bonus decision"""
    state = position(["ag ah ai aj dk", QUIET[1]], hands=["al"])
    with pytest.raises(SfumatoError) as refused:
        state.apply("play al bottom", ["from 0", "draw ck"])
    assert refused.value.code == "bad_event"
    assert state.phase == "play"


# --- the drawing ----------------------------------------------------------------------------------------


def test_the_table_is_drawn_with_the_whole_discard_pile():
    """R18: a card that lies there twice is written once"""
    state = position(QUIET[:2], ["al al bk bk:1 el:1", "ai ai aj aj ak"], ["bg", ""],
                     turns=80, shuffle=1, bonus_used=[0], deck=30)
    assert state.render(0).splitlines() == [
        "turn 81 of 120   deck 30   shuffle 1   age: shuffles since a card was drawn",
        "discard 22  dl eg*2 eh*2 ei*2 ej*2 ek el fg*2 fh*2 fi*2 fj*2 fk*2 fl",
        "seat 0  to move     seat 1",
        "      ag                  fl",
        "   bh ci dj            ah bi cj",
        "      ek                  dk",
        "keys bg             keys - bonus",
        "hand al al bk bk el hand ?? ?? ?? ?? ??",
        "age   1  1  1  0  0 age   1  1  1  1  1",
        "a face  b eye  c hand  d skull  e horse  f bird  g flower",
        "h wheel  i wing  j cannon  k bridge  l wave",
    ]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_was_played_the_table_and_the_moves_fit_a_terminal_of_24_lines(players):
    """The title, the table, 25 moves under their heading, the prompt; and a line for each seat's turn."""
    for seed in range(40):
        state = enigma().new(players, seed)
        while not state.is_terminal:
            assert players + 1 + len(state.render(state.to_move).splitlines()) + 6 + 1 <= 24
            state.apply(state.greedy)
