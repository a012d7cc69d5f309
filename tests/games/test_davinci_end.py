"""Atelier Da Vinci: the end of the round, the end of the game, totals and ranks."""

from __future__ import annotations

from collections import Counter

import pytest
from davinci_table import (
    ACHIEVEMENTS,
    POINTS,
    davinci,
    deck,
    expanded,
    hand,
    hidden,
    laid_open,
    look,
    observed,
    of_chance,
    position,
    shows,
)
from sfumato.games import SfumatoError, game_class
from statistics_of_counts import fits

#: seat 1 is the last of the round: the order is 2 0 1
LAST = {"to_move": 1, "leonardo": 2}

# --- end of the round -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "size"), [(2, 4), (3, 6), (4, 8), (5, 10)])
def test_after_the_last_turn_the_table_is_filled_up(players, size):
    """DV-E1, DV-E4, R14: red4 stays, the other cards come from the deck; the token moves on"""
    last = players - 2
    state = position(table="red4 blue4", players=players, to_move=last, leonardo=players - 1)
    before = look(state)["deck_count"]
    step = state.apply("take blue4")
    seen = look(state)
    assert sum(seen["table"].values()) == size
    assert seen["table"]["red4"] >= 1
    assert seen["deck_count"] == before - (size - 1)
    assert (seen["round"], seen["leonardo"], state.to_move) == (2, 0, 0)
    words = step.words(0)
    assert len(words) == size - 1 and all(word.startswith("refill ") for word in words)
    assert words == step.words(1) == sorted(words, key=lambda word: look_order(word.split()[1]))


def look_order(face):
    return ("blue", "red", "yellow", "brown", "green").index(face[:-1]), face[-1]


def test_a_full_table_is_left_alone():
    """DV-E1: nobody took a card"""
    state = position(table="blue4 red4 red3 green1 green2 green3", **LAST)
    step = state.apply("draw")
    assert look(state)["table"] == {"blue4": 1, "red3": 1, "red4": 1, "green1": 1, "green2": 1, "green3": 1}
    assert step.words(0) == []


def test_the_refill_goes_on_with_the_discard_pile():
    """DV-E1, DV-E2, R14: two cards are left in the deck, three more come from the reshuffled pile"""
    state = position(table="blue4 red4", unseen="brown1 green1", **LAST)
    words = ["refill brown1", "refill green1", "reshuffle", "refill blue1", "refill red1", "refill yellow1"]
    step = state.apply("take red4", words)
    seen = look(state)
    assert step.words(0) == step.words(2) == words
    assert seen["table"] == dict.fromkeys(["blue1", "blue4", "red1", "yellow1", "brown1", "green1"], 1)
    assert (seen["cycle"], seen["discard"]) == (1, {})
    assert seen["deck_count"] == 35 - 6 - 1, "all but the table and red4"


def test_cards_of_the_refill_come_from_the_deck_by_their_numbers():
    """DV-E1: one card of red1 red1 blue4"""
    found = Counter()
    for seed in range(450):
        state = position(
            table="green1 green2 green3 green4 brown1",
            unseen="red1 red1 blue4",
            seed=seed,
            hands=["", "red4"],
            places=["magi", "cena"],
            **LAST,
        )
        state.apply("paint magi 0 red4")
        (card,) = set(look(state)["table"]) & {"red1", "blue4"}
        found[card] += 1
    assert fits(found, {"red1": 2, "blue4": 1})


@pytest.mark.parametrize(
    ("hands", "esteem", "before", "after"),
    [
        pytest.param((2, 3, 2), (12, 4, 9), None, 2, id="tie of cards, fewest esteem"),
        pytest.param((2, 3, 2), (9, 4, 9), None, None, id="still tied: with nobody"),
        pytest.param((2, 3, 2), (9, 4, 9), 1, 1, id="still tied: stays with a seat outside the tie"),
        pytest.param((2, 3, 2), (9, 4, 9), 2, 2, id="still tied: stays within the tie"),
        pytest.param((1, 3, 2), (90, 0, 0), 2, 0, id="fewest cards, whatever the esteem"),
        pytest.param((4, 3, 4), (0, 9, 0), None, 1, id="the last mover"),
        pytest.param((3, 3, 3), (5, 4, 5), 0, 1, id="three tied"),
    ],
)
def test_help_goes_to_the_player_with_the_fewest_cards(hands, esteem, before, after):
    """EX15, DV-E3, R18: counted after the last turn, in which seat 1 takes a card"""
    cards = ["red1 red2 red3 green1", "blue1 blue2 blue3 brown1", "yellow1 yellow2 yellow3 green2"]
    sizes = (hands[0], hands[1] - 1, hands[2])
    held = [" ".join(words.split()[:size]) for words, size in zip(cards, sizes, strict=True)]
    state = position(held, table="brown4", esteem=esteem, help=before, **LAST)
    state.apply("take brown4")
    assert [len(hand(state, seat).split()) for seat in range(3)] == list(hands)
    assert look(state)["help"] == after


def test_paintings_do_not_count_in_the_tie_for_help():
    """R18, DV-E3: seats 0 and 2 have no card; seat 0 owns 9 points of paintings and has less esteem"""
    taken = {"gioconda": 0, "cena": 0}
    state = position(["", "red1", ""], ["rocce", "magi"], "brown4", esteem=[3, 0, 4], taken=taken, **LAST)
    state.apply("take brown4")
    assert look(state)["help"] == 0


def test_help_stays_where_it_is_during_a_round():
    """DV-E3: seat 0 has fewer cards than the holder at once, and gets it at the end of the round only"""
    state = position(["red1", "blue1", "blue2"], ["magi", "cena"], "green4", help=1)
    state.apply("paint magi 0 red1")
    assert look(state)["help"] == 1
    state.apply("draw")
    assert (look(state)["round"], look(state)["help"]) == (2, 0)


# --- end of the game ------------------------------------------------------------------------------------


def last_painting():
    """EX17: order 1 2 0; seat 1 can complete the last painting."""
    return position(
        ["?", "?green1 ?blue1", "? red1"],
        ["ginevra open 3", None],
        "red4 blue4",
        to_move=1,
        leonardo=1,
        paintings_left=0,
        help=2,
    )


def test_after_the_last_painting_the_round_is_played_to_its_end():
    """EX17, DV-G1, R11, R12, R19: a Leonardo card is turned and discarded, then take, draw or claim only"""
    state = last_painting()
    step = state.apply("paint ginevra 3 green1")
    assert step.words(0)[0] == shows(1, 0, "green1")
    assert step.words(0)[1].startswith("turn ")
    assert look(state)["places"] == [None, None]
    assert (state.to_move, state.phase) == (2, "main")
    assert state.legal_words == ["draw", "take blue4", "take red4"]
    state.apply("take red4")
    assert (state.to_move, state.legal_words) == (0, ["draw", "take blue4"])
    before = look(state)
    state.apply("take blue4")
    seen = look(state)
    assert (state.is_terminal, state.phase, seen["to_move"]) == (True, "over", None)
    assert state.legal_actions == []
    assert seen["table"] == {}, "no refill"
    assert (seen["help"], seen["leonardo"], seen["round"]) == (2, 1, 1), "neither moves"
    assert seen["deck_count"] == before["deck_count"]


def test_at_the_end_all_hands_are_laid_open():
    """EX17, DV-G5, R22: seat 0 draws last; the draw is told as a draw, every other hidden card is shown"""
    state = last_painting()
    state.apply("paint ginevra 3 green1")
    state.apply("take red4")
    held = [hidden(state, seat) for seat in range(3)]
    top = f"draw {deck(state)[0]}"
    step = state.apply("draw", [top])
    everything = [(seat, cycle, face) for seat in range(3) for cycle, face in held[seat]]
    assert len(everything) == 3
    assert laid_open(step.words(None)) == everything
    for seat in range(3):
        assert laid_open(step.words(seat)) == [card for card in everything if card[0] != seat]
        assert of_chance(step.words(seat)) == [top]
        assert look(state, seat)["own_hidden"] == []
        assert look(state, seat)["old_pools"] == []
        assert all(own["hidden"] == [] for own in look(state, seat)["hands"])
    assert state.hidden(0) == state == state.dealt(1, seed=5)


def test_a_claim_in_the_last_round_counts():
    """R19, DV-M1, DV-G2: the second mastery brings `two_masteries`"""
    state = position(
        ["blue1 blue2 red1"],
        [None, None],
        "red4",
        paintings_left=0,
        leonardo=1,
        masteries={"palette": 0},
        achievements=["two_masteries", "two_paintings"],
    )
    state.apply("claim blue_red")
    assert state.is_terminal
    assert state.outcome.scores[0] == 5


def test_with_one_painting_left_the_game_goes_on():
    """EX18, DV-G1, R13: the end begins when the other place is empty too"""
    state = position(["red1"], ["magi open 0 3", None], paintings_left=0, players=2, leonardo=1)
    state.apply("paint magi 0 red1")
    assert (look(state)["round"], state.phase) == (2, "main")


def test_both_places_and_the_painting_deck_must_be_empty():
    """DV-G1: the last face-up painting, and the end at the end of this round"""
    state = position(["red1"], ["magi open 0", None], paintings_left=0, players=2, leonardo=1)
    state.apply("paint magi 0 red1")
    assert state.is_terminal
    assert look(state)["taken"]["magi"] == 0


@pytest.mark.parametrize("cap", [1, 3, 60, 250])
def test_the_game_ends_after_the_last_round_of_the_cap(cap):
    """R17, DV-G1, R12"""
    game = davinci(round_cap=cap)
    state = position(table="red4 blue4", game=game, round=cap, esteem=[7, 1, 2], **LAST)
    state.apply("take red4")
    assert state.is_terminal
    assert look(state)["round"] == cap
    assert state.outcome.scores == [7, 1, 2]
    if cap > 1:
        state = position(table="red4 blue4", game=game, round=cap - 1, **LAST)
        state.apply("take red4")
        assert not state.is_terminal


@pytest.mark.parametrize("cap", [0, 251, "many"])
def test_other_caps_are_refused(cap):
    """R17: 1 to 250"""
    with pytest.raises(SfumatoError) as refused:
        davinci(round_cap=cap)
    assert refused.value.code == "bad_option"


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("wet_paint", ("ring", "off")),
        ("mastery_bonus", ("card", "colour", "action")),
        ("completion_bonus", ("level", "none", "all")),
        ("round_cap", (60,)),
    ],
)
def test_options_and_their_defaults(option, values):
    """R3, R6, R7, R17: the first value is the default; any other is refused"""
    assert davinci().option_values(3)[option] == values[0]
    (known,) = (one for one in game_class("davinci").options if one.name == option)
    assert not known.choices or tuple(known.choices) == values
    for value in values:
        assert davinci(**{option: value}).option_values(2)[option] == value
    with pytest.raises(SfumatoError) as refused:
        davinci(**{option: "loud"})
    assert refused.value.code == "bad_option"


# --- totals ---------------------------------------------------------------------------------------------


def finished(**more):
    """A game that is over."""
    return position(places=[None, None], to_move=None, phase="over", **more)


def test_the_final_count_of_the_rulebook():
    """EX19, DV-G2, DV-G3, R21: Diana 28 + 10 + 0 = 38, Peter 36 + 4 + 3 = 43"""
    state = finished(
        players=2,
        hands=["blue1 red1", "yellow1 yellow2"],
        esteem=[28, 36],
        taken={"rocce": 0, "annunciazione": 0, "magi": 0, "ginevra": 1, "battista": 1},
        masteries={"blue_red": 0, "palette": 1},
        achievements=["two_masteries", "colour_pair"],
    )
    assert state.outcome.scores == [28 + 4 + 3 + 3 + 0, 36 + 2 + 2 + 3]
    assert state.outcome.ranks == [2, 1]
    assert state.outcome.win_shares == [0, 1]


SEVEN = {
    "gioconda": 0,
    "battista": 0,
    "cena": 1,
    "rocce": 2,
    "ermellino": 2,
    "magi": 3,
    "annunciazione": 3,
}


def test_ties_are_broken_by_paintings_and_shared_beyond_that():
    """EX20, DV-G4: totals 40 40 40 35, paintings 2 1 2 2: ranks 1 3 1 4"""
    state = finished(
        players=4,
        esteem=[40 - 5 - 2, 40 - 4, 40 - 4 - 3, 35 - 3 - 3],
        taken=SEVEN,
        leonardo=0,
        achievements=["five_cards", "two_masteries"],
    )
    assert state.outcome.scores == [40, 40, 40, 35]
    assert state.outcome.ranks == [1, 3, 1, 4]
    assert state.outcome.win_shares == [0.5, 0, 0.5, 0]


def test_a_win_shared_by_all():
    """DV-G4: nothing tells three players apart"""
    state = position(
        places=["cena", "magi"],
        to_move=None,
        phase="over",
        round=1,
        game=davinci(round_cap=1),
        achievements=["five_cards", "two_masteries"],
    )
    assert state.outcome.ranks == [1, 1, 1]
    assert state.outcome.win_shares == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(("painting", "points"), POINTS.items())
def test_every_painting_is_worth_its_points(painting, points):
    """DV-P11, DV-G2: at the end only"""
    game = davinci(round_cap=1)
    places = [name for name in POINTS if name != painting][:2]
    state = position(
        table="red4",
        places=places,
        game=game,
        taken={painting: 2},
        achievements=["five_cards", "two_masteries"],
        **LAST,
    )
    assert look(state)["esteem"] == [0, 0, 0]
    state.apply("take red4")
    assert state.outcome.scores == [0, 0, points]


def scores_with(achievement, hands=(), **more):
    """The points of each seat for one achievement; the other one is fulfilled by nobody."""
    other = "two_paintings" if achievement == "two_masteries" else "two_masteries"
    in_order = [name for name in ACHIEVEMENTS if name in (achievement, other)]
    state = position(
        hands,
        ["cena", "gioconda"],
        to_move=None,
        phase="over",
        seat=0,
        game=davinci(round_cap=1),
        achievements=in_order,
        **more,
    )
    return state.outcome.scores


@pytest.mark.parametrize(
    ("achievement", "hands", "scores"),
    [
        ("five_cards", ["blue1 red1 red2 red3 red4", "green1 green2 green3 green4", ""], [4, 0, 0]),
        ("colour_pair", ["blue1 red1 green1", "blue2 blue3", "brown1 brown1 brown2"], [0, 3, 3]),
        (
            "four_colours",
            ["blue1 red1 yellow1 brown1", "blue2 red2 yellow2", "blue3 red3 green3 green4"],
            [4, 0, 0],
        ),
        ("empty_hand", ["", "blue1", ""], [3, 0, 3]),
    ],
)
def test_achievements_about_cards_look_at_the_hand_at_the_end(achievement, hands, scores):
    """DV-G2, DV-G3: several players may have the same"""
    assert scores_with(achievement, hands) == scores


def test_five_colours_are_at_least_four():
    """DV-G3"""
    assert scores_with("four_colours", ["blue1 red1 yellow1 brown1 green1"]) == [4, 0, 0]


def test_the_achievement_about_masteries_looks_at_what_is_owned():
    """DV-G3, R21: two or more of any kind"""
    masteries = {
        "blue_red": 0,
        "palette": 0,
        "red_yellow": 1,
        "green_blue": 2,
        "brown_green": 2,
        "yellow_brown": 2,
    }
    assert scores_with("two_masteries", masteries=masteries) == [5, 0, 5]


def test_the_achievement_about_paintings_looks_at_what_is_owned():
    """DV-G3: 3 points on top of the paintings' own"""
    taken = {"magi": 0, "ginevra": 0, "battista": 1}
    assert scores_with("two_paintings", taken=taken) == [3 + 2 + 3, 2, 0]


def test_one_player_may_have_both():
    """DV-G2"""
    state = position(
        ["blue1 blue2 red1 yellow1 brown1"],
        ["cena", "magi"],
        to_move=None,
        phase="over",
        game=davinci(round_cap=1),
        achievements=["five_cards", "colour_pair"],
    )
    assert state.outcome.scores == [4 + 3, 0, 0]


def test_a_card_drawn_unseen_counts_for_the_achievements():
    """DV-G3, DV-G5, R22"""
    state = position(
        ["?", "?blue1", ""],
        [None, None],
        "",
        paintings_left=0,
        achievements=["colour_pair", "empty_hand"],
        **LAST,
    )
    state.apply("draw", ["draw blue2"])
    assert state.outcome.scores[1] == 3
    assert set(expanded(look(state)["hands"][1]["known"])) == {"blue1", "blue2"}


def test_a_position_that_is_over_has_no_hidden_card():
    """R22, DV-G5: `hand_count`"""
    seen = observed(["?blue1"], [None, None], to_move=None, phase="over", paintings_left=0)
    with pytest.raises(SfumatoError) as refused:
        davinci().from_observation(seen)
    assert refused.value.code == "hand_count"
