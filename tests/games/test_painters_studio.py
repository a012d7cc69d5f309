"""The Painter's Studio: set-up, the rulebook's round, rounds and turns, and the words of decisions."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from painters_studio_table import (
    COLOURS,
    KIND,
    KINDS,
    PAINTINGS,
    PATRONS,
    dice,
    hand,
    legal,
    look,
    paint,
    play,
    pool,
    position,
    returned,
    stock,
    students,
    studio,
    supply,
    tokens,
)
from sfumato.games import SfumatoError
from statistics_of_counts import fits, is_uniform

DISPLAY = "im01 im05 po06 po09 re04 ro07 ro10"
DEALT = ["muse critic", "academy dealer", "museum school", "impressionism realism"]


def new_table(players=3, start=0, **more):
    """A table set up by a script; patrons are still to be chosen."""
    words = [f"start {start}", f"display {DISPLAY}"]
    words += [f"deal {seat} {DEALT[seat]}" for seat in range(players)]
    return studio().new(players=players, seed=1, seen=words, **more)


def kept(players=3, start=0):
    """The same after the choice of patrons: everybody keeps the first of the two."""
    state = new_table(players, start)
    for step in range(players):
        state.apply(f"keep {DEALT[(start + step) % players].split()[0]}")
    return state


# --- set-up ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_new_table_for_two_to_four(players):
    """PS-S1, PS-S2, PS-S4, PS-S5, PS-S6, PS-S10: each seat the same things, whatever the number of players"""
    state = studio().new(players=players, seed=4)
    seen = look(state)
    assert (state.players, state.phase, seen["round"]) == (players, "patron", 0)
    assert len(set(seen["display"])) == 7
    assert [name for name in PAINTINGS if name in seen["display"]] == seen["display"]
    assert seen["paintings"] == [[]] * players
    assert [paint(state, seat) for seat in range(players)] == [(0, 0, 0, 0)] * players
    assert stock(state) == (15, 15, 15, 15)
    assert [pool(state, seat) for seat in range(players)] == [12] * players
    assert tokens(state) == [1] * players
    assert supply(state) == 20 - players
    assert (seen["first_master"], seen["final_round"]) == (None, None)
    assert seen["patron_counts"] == [2] * players


@pytest.mark.parametrize("players", [0, 1, 5])
def test_other_player_counts_are_refused(players):
    """PS-S1"""
    with pytest.raises(SfumatoError) as refused:
        studio().new(players=players)
    assert refused.value.code == "bad_players"


def test_every_painting_patron_and_start_comes_up_as_often_as_it_should():
    """PS-S2, PS-S3, PS-S7: 3000 set-ups of three; 40 paintings, 120 pairs of patrons, 3 seats"""
    up, pairs, starts = Counter(), Counter(), Counter()
    for seed in range(3000):
        state = studio().new(players=3, seed=seed)
        seen = look(state, seed % 3)
        up.update(seen["display"])
        pairs[tuple(seen["patrons"][seed % 3])] += 1
        starts[seen["first_start"]] += 1
    # The seven paintings of a display hang together a little, which makes their counts more even.
    assert is_uniform(up, PAINTINGS)
    assert is_uniform(pairs, combinations(PATRONS, 2)), "told in the order of the table"
    assert is_uniform(starts, range(3))


def test_no_patron_is_dealt_twice():
    """PS-S3, PS-S8"""
    for seed in range(50):
        state = studio().new(players=4, seed=seed)
        dealt = [card for seat in range(4) for card in hand(state, seat).split()]
        assert len(dealt) == len(set(dealt)) == 8


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_player_keeps_one_of_two_patrons_and_puts_the_other_under_the_deck(players):
    """PS-S8, R13: clockwise from the starting player; 16 - n cards are in the deck then"""
    start = players - 1
    state = new_table(players, start)
    movers = []
    for _ in range(players):
        assert state.phase == "patron"
        movers.append(state.to_move)
        first, second = DEALT[state.to_move].split()
        assert sorted(state.legal_words) == sorted([f"keep {first}", f"keep {second}"])
        state.apply(f"keep {second}")
    assert movers == [(start + step) % players for step in range(players)]
    assert [hand(state, seat) for seat in range(players)] == [pair.split()[1] for pair in DEALT[:players]]
    assert [returned(state, seat) for seat in range(players)] == [pair.split()[0] for pair in DEALT[:players]]
    seen = look(state)
    assert seen["patron_counts"] == [1] * players
    assert 16 - sum(seen["patron_counts"]) == {2: 14, 3: 13, 4: 12}[players]
    assert [entry["taker"] for entry in seen["returned"]] == [None] * players


def test_only_the_owner_sees_what_was_dealt_kept_and_returned():
    """PS-S8"""
    state = new_table()
    for seat in range(3):
        step = state.apply(f"keep {DEALT[seat].split()[0]}")
        for other in range(3):
            assert step.label(other) == (f"keep {DEALT[seat].split()[0]}" if other == seat else "keep ?")
            assert step.words(other) == []
    seen = look(state, 1)
    assert seen["patrons"] == [None, ["academy"], None]
    assert [entry["patron"] for entry in seen["returned"]] == [None, "dealer", None]


@pytest.mark.parametrize(
    ("players", "start", "order"),
    [
        (2, 0, [1, 0]),
        (2, 1, [0, 1]),
        (3, 0, [2, 1, 0]),
        (3, 1, [0, 2, 1]),
        (4, 0, [3, 2, 1, 0]),
        (4, 2, [1, 0, 3, 2]),
    ],
)
def test_first_students_are_placed_counter_clockwise_and_the_starting_player_is_last(players, start, order):
    """PS-S9, PS-T1: the right neighbour begins; any pile, also one that is taken"""
    state = kept(players, start)
    for seat in order:
        assert (state.phase, state.to_move) == ("start", seat)
        assert state.legal_words == [f"place {colour}" for colour in COLOURS]
        state.apply("place red")
    assert [students(state, seat) for seat in range(players)] == [(0, 0, 1, 0)] * players
    assert [pool(state, seat) for seat in range(players)] == [11] * players
    seen = look(state)
    assert (state.phase, state.to_move, seen["round"]) == ("turn", start, 1)
    assert seen["active"] == [4] * players
    assert len(seen["dice"]) == 4


def test_a_scripted_set_up_lays_the_cards_as_the_words_say():
    """PS-S2, PS-S7, PS-S8"""
    state = new_table(3, 2)
    seen = look(state)
    assert seen["display"] == DISPLAY.split()
    assert (seen["first_start"], state.to_move) == (2, 2)
    assert [hand(state, seat) for seat in range(3)] == ["muse critic", "academy dealer", "museum school"]
    deals = ["deal 0 muse critic", "deal 1 academy dealer", "deal 2 museum school"]
    assert state.setup_words(None) == ["start 2", f"display {DISPLAY}", *deals]
    assert state.setup_words(1) == ["start 2", f"display {DISPLAY}", "deal 1 academy dealer"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["start 3"], id="a seat that is not there"),
        pytest.param([f"display {DISPLAY} im02"], id="eight paintings"),
        pytest.param(["display im01 im05 po06 po09 re04 ro07"], id="six paintings"),
        pytest.param(["display im01 im01 po06 po09 re04 ro07 ro10"], id="a painting twice"),
        pytest.param(["display im11 im01 po06 po09 re04 ro07 ro10"], id="a painting that is not there"),
        pytest.param(["deal 0 muse muse"], id="a patron twice"),
        pytest.param(["deal 0 muse"], id="one patron"),
        pytest.param(["deal 0 muse critic school"], id="three patrons"),
        pytest.param(["deal 0 muse critic", "deal 1 muse school"], id="a patron for two seats"),
        pytest.param(["deal 0 muse critic", "deal 0 academy dealer"], id="two deals for one seat"),
        pytest.param(["deal 3 muse critic"], id="a deal for a seat that is not there"),
        pytest.param(["deal 0 muse banker"], id="a patron that is not there"),
        pytest.param(["roll 1 1 1 1"], id="a word of another step"),
    ],
)
def test_a_set_up_that_cannot_be_is_refused(words):
    """PS-S2, PS-S3, PS-S7, PS-S8"""
    with pytest.raises(SfumatoError) as refused:
        studio().new(players=3, seed=1, seen=words)
    assert refused.value.code == "bad_event"


# --- the rulebook's round -------------------------------------------------------------------------------


def test_the_round_of_alice_bill_and_carol():
    """EX1, PS-T1, PS-T2, PS-T4, PS-T5, PS-T9, PS-T10, PS-T11, PS-T12, PS-D4, PS-D9, R1, R15, R16: the
    rulebook's example, word by word"""
    state = kept()
    play(state, "place yellow", "place green")
    step = state.apply("place red", ["roll 1 2 3 6"])
    assert step.words(2) == ["roll 1 1 3 6"], "a place die is written 1"
    assert (state.to_move, dice(state)) == (0, "1 1 3 6")

    # 1. Alice places two students and passes.
    play(state, "place blue", "place red")
    assert "end_turn" in state.legal_words
    state.apply("end_turn", ["roll 1 2 6 6"])
    assert students(state, 0) == (1, 0, 2, 0)
    assert look(state)["active"] == [2, 4, 4]

    # 2. Bill spends everything; nothing but to end the turn is left, which is done by itself.
    assert state.to_move == 1
    play(state, "place green", "place yellow", "gain green", ("gain yellow", "roll 3 4 4 5"))
    assert (students(state, 1), paint(state, 1)) == ((0, 2, 0, 1), (0, 1, 0, 1))
    assert look(state)["active"] == [2, 0, 4]

    # 3. Carol: yellow is 1 to 1, three players: no collecting. She has no paint.
    assert state.to_move == 2
    assert legal(state) == ["move", "inspire", "reroll"]
    state.apply("inspire", ["roll 4 5"])
    assert tokens(state) == [1, 1, 2]
    assert look(state)["active"] == [2, 0, 3]

    # 4. Alice's two dice were rolled anew; she collects blue (1 to 0) and red (2 to 0) and paints with both.
    assert (state.to_move, dice(state)) == (0, "4 5")
    assert legal(state) == ["collect", "inspire", "reroll"]
    state.apply("collect")
    assert paint(state, 0) == (1, 0, 1, 0)
    assert sorted(legal(state)) == ["end_turn", "paint im01"]
    step = state.apply("paint im01", ["refill im02", "roll 1 3 6"])
    assert step.words(1) == ["refill im02", "roll 1 3 6"]
    seen = look(state)
    assert seen["paintings"] == [["im01"], [], []]
    assert seen["display"] == ["im02", "im05", "po06", "po09", "re04", "ro07", "ro10"]

    # 5. Bill is out of dice and passed over: Carol is on turn with three.
    assert (state.to_move, dice(state)) == (2, "1 3 6")
    assert seen["active"] == [0, 0, 3]
    assert tokens(state) == [1, 1, 2]
    assert supply(state) == 16
    assert [pool(state, seat) for seat in range(3)] == [9, 9, 11]
    assert stock(state) == (15, 14, 15, 14)

    # She plays on alone; her last die ends the round, and Bill starts the next one.
    play(state, ("inspire", "roll 4 5"), ("inspire", "roll 4"))
    assert (state.to_move, look(state)["active"]) == (2, [0, 0, 1])
    step = state.apply("inspire", ["roll 1 3 4 6"])
    assert step.words(0) == ["roll 1 3 4 6"]
    seen = look(state)
    assert (state.to_move, seen["round"], seen["active"]) == (1, 2, [4, 4, 4])
    assert tokens(state) == [1, 1, 5]


# --- round and turn -------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_turns_go_clockwise_and_the_start_moves_on_each_round(players):
    """PS-T1, PS-T5, PS-T11: everybody takes a token with every die: 4 turns each, three rounds"""
    state = kept(players, 1)
    while state.phase == "start":
        state.apply("place blue")
    movers = []
    while look(state)["round"] <= 3:
        movers.append(state.to_move)
        state.apply("inspire")
    starts = [(1 + number) % players for number in range(3)]
    assert movers == [(start + turn) % players for start in starts for turn in range(4 * players)]


def test_active_dice_are_rolled_again_at_each_turn_and_spent_ones_are_not():
    """PS-T2, PS-T6: seat 0 has spent two dice; its next roll has the other two only"""
    state = position("1 2 3 6", players=2, active=[4, 4])
    play(state, "place blue", "place blue", ("end_turn", "roll 5 5 5 5"), ("inspire", "roll 4 4"))
    assert (state.to_move, dice(state)) == (0, "4 4")
    with pytest.raises(SfumatoError) as refused:
        position("1 2 3 6", players=2).apply("inspire", ["roll 1 1 1"])
    assert refused.value.code == "bad_event"


def test_a_die_shows_each_face_as_often_as_it_should():
    """PS-T2, PS-D1: two faces of six place a student"""
    faces = Counter()
    for seed in range(600):
        state = position("3 3 3 3", seed=seed)
        state.apply("inspire")
        faces.update(look(state)["dice"])
    assert fits(faces, {1: 2, 3: 1, 4: 1, 5: 1, 6: 1})


def test_before_a_die_is_spent_a_turn_cannot_end_and_after_it_no_token_can_be_taken():
    """PS-T3, PS-T4, PS-T5, R15"""
    state = position("1 1 3 6")
    assert "inspire" in state.legal_words
    assert "end_turn" not in state.legal_words
    state.apply("place blue")
    assert "inspire" not in state.legal_words
    assert "end_turn" in state.legal_words
    state.apply("end_turn")
    assert (state.to_move, look(state)["active"]) == (1, [3, 4, 4])


def test_the_dice_of_a_turn_are_spent_one_by_one_in_any_order():
    """PS-T4, PS-T6: a 6, a 4 and a 1 of 1 3 4 6; the 3 stays active"""
    state = position("1 3 4 6", students=[(1, 0, 0, 0)])
    play(state, "gain red", "collect", "place yellow")
    assert (paint(state), students(state)) == ((1, 0, 1, 0), (1, 0, 0, 1))
    assert (state.to_move, dice(state), look(state)["spent"]) == (0, "3", True)
    state.apply("end_turn")
    assert look(state)["active"] == [1, 4, 4]


@pytest.mark.parametrize("face", [1, 2, 3, 4, 5, 6])
def test_a_die_of_any_face_buys_a_token_and_the_turn_is_over(face):
    """PS-T5, PS-T9, R1"""
    state = position(f"{face}", tokens=[4], students=[(1, 0, 0, 0)])
    state.apply("inspire", ["roll 1 1 1 1"])
    assert tokens(state) == [5, 1, 1]
    assert (state.to_move, look(state)["active"]) == (1, [0, 4, 4])


def test_tokens_and_powers_before_a_token_is_taken():
    """PS-T7, PS-T8, R1: a painting for tokens and its own power, then a die for a token"""
    state = position("3 3 3 4", tokens=[5], paint=[(2, 0, 1, 0)], display="im01")
    play(state, ("inspire_paint im01", "refill im02"), "use im01")
    assert (state.phase, legal(state)) == (
        "e_swap",
        ["shift blue green", "shift blue red", "shift blue yellow"],
    )
    play(state, "shift blue yellow", ("draw_patron", "patron school"), ("inspire", "roll 1 1 1 1"))
    assert paint(state) == (0, 0, 0, 1)
    assert tokens(state) == [5 - 2 - 3 + 1, 1, 1]
    assert (hand(state, 0), state.to_move) == ("school critic", 1)


def test_after_the_last_die_tokens_and_powers_are_still_allowed():
    """PS-T7, PS-T8, R22: no die is left; the token painting, a patron and a power come before the end"""
    state = position("6", tokens=[5], paint=[(1, 0, 0, 1)], display="im01")
    state.apply("gain red")
    assert (state.to_move, look(state)["active"][0]) == (0, 0)
    assert sorted(legal(state)) == ["draw_patron", "end_turn", "inspire_paint im01"]
    state.apply("inspire_paint im01", ["refill im02"])
    assert sorted(legal(state)) == ["draw_patron", "end_turn", "use im01"]
    state.apply("draw_patron", ["patron school"])
    assert sorted(legal(state)) == ["end_turn", "use im01"]


def test_nothing_comes_before_the_roll_or_into_the_middle_of_an_action():
    """R23, PS-T7, PS-T8: with tokens and a power, but a student to choose"""
    state = position("3 5", tokens=[6], paint=[(2, 1, 1, 1)], paintings=["re02"], students=[(1, 1, 0, 0)])
    state.apply("move")
    assert state.phase == "move"
    assert {words.split()[0] for words in state.legal_words} == {"shift"}


def test_a_player_without_dice_is_passed_over():
    """PS-T10: seat 1 has tokens and a power, but no die"""
    state = position(
        "1", active=[1, 0, 2], tokens=[1, 6, 1], paintings=["", "im01"], paint=[(0,) * 4, (1,) * 4]
    )
    step = state.apply("inspire", ["roll 5 5"])
    assert (state.to_move, step.words(None)) == (2, ["roll 5 5"])


def test_a_round_ends_when_nobody_has_a_die():
    """PS-T11: round 2 of three, first start 2: seat 0 began, seat 1 begins round 3"""
    state = position("6", active=[1, 0, 0], round=2, first_start=2)
    state.apply("gain blue", ["roll 1 1 1 1"])
    seen = look(state)
    assert (state.to_move, seen["round"], seen["active"]) == (1, 3, [4, 4, 4])


def test_one_player_takes_turn_after_turn_when_the_others_are_out():
    """PS-T12, PS-T2"""
    state = position("3 3 3", active=[3, 0, 0])
    state.apply("inspire", ["roll 1 6"])
    assert (state.to_move, dice(state)) == (0, "1 6")
    state.apply("place blue")
    state.apply("end_turn", ["roll 6"])
    assert (state.to_move, dice(state), look(state)["round"]) == (0, "6", 1)


# --- rulings on the turn --------------------------------------------------------------------------------


def test_option_inspiration_ends_turn_off_leaves_tokens_and_powers_after_the_token():
    """R1, R2: the die of the lowest kind goes; then no die, no second token, no reroll"""
    game = studio(inspiration_ends_turn=False)
    state = position(
        "1 4 5 6", game=game, tokens=[2], paint=[(2, 0, 1, 0)], paintings=["im01"], students=[(1, 0, 0, 0)]
    )
    state.apply("inspire")
    seen = look(state)
    assert (state.to_move, seen["spent"], seen["inspired"], seen["active"][0]) == (0, True, True, 3)
    assert dice(state) == "4 5 6"
    assert tokens(state) == [3, 1, 1]
    assert sorted(legal(state)) == ["draw_patron", "end_turn", "use im01"]
    play(state, ("draw_patron", "patron school"), "use im01", "shift blue green")
    assert (state.to_move, tokens(state)) == (1, [0, 1, 1]), "nothing but the end was left"


def test_option_inspiration_ends_turn_off_allows_a_token_painting_after_the_token():
    """R1: the token just taken is the second of the two"""
    game = studio(inspiration_ends_turn=False)
    state = position("3 3", game=game, tokens=[1], paint=[(1, 0, 1, 0)], display="im01")
    state.apply("inspire")
    assert sorted(legal(state)) == ["end_turn", "inspire_paint im01"]


def test_with_the_default_the_turn_is_over_at_once():
    """R1, PS-T9: the same position"""
    state = position("3 3", tokens=[1], paint=[(1, 0, 1, 0)], display="im01")
    state.apply("inspire")
    assert state.to_move == 1


@pytest.mark.parametrize(
    ("rolled", "left"), [("1 3 4 5", "3 4 5"), ("3 4 6 6", "4 6 6"), ("5 6 6", "6 6"), ("4 5", "5")]
)
def test_the_die_for_a_token_is_one_of_the_lowest_kind(rolled, left):
    """R2: place, move, collect, paint, gain"""
    game = studio(inspiration_ends_turn=False)
    state = position(rolled, game=game, tokens=[3])
    state.apply("inspire")
    assert dice(state) == left


def test_nothing_useful():
    """EX5, R4, R6, R16: a 4 without a lead, a 5 without paint"""
    for count, expected in (
        (0, ["inspire"]),
        (1, ["inspire", "reroll"]),
        (3, ["inspire", "reroll", "draw_patron"]),
    ):
        state = position("4 4 5 5", tokens=[count])
        assert sorted(legal(state)) == sorted(expected)
        assert state.to_move == 0, "a single `inspire` is not played by itself"


def test_a_forced_decision_is_played_inside_the_step():
    """R16: the only student goes home by itself, then the turn ends by itself"""
    state = position("5", paint=[(1, 1, 1, 0)], students=[(0, 0, 3, 0)], display="im04")
    step = state.apply("paint im04", ["refill im02", "roll 1 1 1 1"])
    assert step.words(None) == ["refill im02", "roll 1 1 1 1"]
    assert (students(state), state.to_move) == ((0, 0, 2, 0), 1)


def test_the_choice_of_a_patron_is_never_played_by_itself():
    """R16, PS-S8: two cards always; the first student has four piles"""
    state = studio().new(players=2, seed=3)
    for expected in (2, 2, 4, 4):
        assert len(state.legal_words) == expected
        state.apply(state.legal_actions[0])


# --- words ----------------------------------------------------------------------------------------------


def test_every_decision_has_the_id_of_the_rules_page():
    """PS-T4, PS-P1: 172 actions and one label"""
    shifts = [f"shift {a} {b}" for a in COLOURS for b in COLOURS if a != b]
    expected = [
        *(f"keep {name}" for name in PATRONS),
        *(f"place {colour}" for colour in COLOURS),
        *(f"gain {colour}" for colour in COLOURS),
        *(f"back {colour}" for colour in COLOURS),
        *("move", "collect", "inspire", "reroll", "draw_patron", "end_turn", "skip"),
        *shifts,
        *(f"die {kind}" for kind in KINDS),
        *(f"paint {name}" for name in PAINTINGS),
        *(f"inspire_paint {name}" for name in PAINTINGS),
        *(f"use {name}" for name in PAINTINGS),
        "keep ?",
    ]
    assert len(expected) == 173
    assert [studio().words(number) for number in range(173)] == expected
    assert len(shifts) == 12 and KIND[3] == "move"


def test_a_label_is_no_decision():
    """PS-S8"""
    with pytest.raises(SfumatoError) as refused:
        new_table().apply("keep ?")
    assert refused.value.code == "bad_action"


def test_a_decision_that_is_not_legal_is_refused_and_changes_nothing():
    """PS-T3, PS-T4"""
    state = position("1 1 3 6")
    before = look(state)
    for words in ("end_turn", "collect", "paint im01", "use im01", "back blue", "skip", "keep muse"):
        with pytest.raises(SfumatoError) as refused:
            state.apply(words)
        assert refused.value.code == "bad_action"
    assert look(state) == before


@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param("inspire", ["roll 1 1 1"], id="a die too few"),
        pytest.param("inspire", ["roll 1 1 1 7"], id="a face that is not there"),
        pytest.param("inspire", ["roll 1 1 1 1", "roll 1 1 1 1"], id="two rolls"),
        pytest.param("inspire", ["refill im02"], id="no painting was painted"),
        pytest.param("inspire", ["die 6"], id="no single die is rolled"),
        pytest.param("place blue", ["roll 1 1 1 1"], id="the turn is not over"),
        pytest.param("inspire_paint im01", ["refill im01"], id="the painting itself"),
        pytest.param("inspire_paint im01", ["refill im10"], id="one that lies face up"),
        pytest.param("inspire_paint im01", ["refill po01"], id="one that somebody owns"),
        pytest.param("draw_patron", ["patron critic"], id="a patron of the own hand"),
        pytest.param("draw_patron", ["patron muse"], id="the own returned patron"),
        pytest.param("inspire", ["hand 0 critic"], id="the game is not over"),
    ],
)
def test_chance_that_cannot_be_is_refused(action, words):
    """PS-T2, PS-D8, PS-I3"""
    state = position("1 1 3 6", tokens=[5], paint=[(1, 0, 1, 0)], display="im01 im10", paintings=["", "po01"])
    before = look(state)
    with pytest.raises(SfumatoError) as refused:
        state.apply(action, words)
    assert refused.value.code == "bad_event"
    assert look(state) == before
