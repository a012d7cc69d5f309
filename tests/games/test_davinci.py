"""Atelier Da Vinci: the set-up, the turn, taking colours, and the words of decisions."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from davinci_table import (
    ACHIEVEMENTS,
    IN_PLAY,
    SLOTS,
    davinci,
    deck,
    expanded,
    hand,
    hidden,
    known,
    leonardo,
    look,
    position,
    prepared,
    value_of,
)
from sfumato.games import SfumatoError
from statistics_of_counts import fits, is_uniform

# --- set-up ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_two_to_five_players_sit_in_seats_from_0_and_seat_0_begins_with_the_token(players):
    """DV-S1, DV-S9, R1"""
    state = davinci().new(players=players, seed=1)
    seen = look(state)
    assert (state.players, state.to_move, state.phase) == (players, 0, "main")
    assert (seen["leonardo"], seen["round"], seen["cycle"]) == (0, 1, 0)


@pytest.mark.parametrize("players", [0, 1, 6])
def test_other_player_counts_are_refused(players):
    """DV-S1"""
    with pytest.raises(SfumatoError) as refused:
        davinci().new(players=players)
    assert refused.value.code == "bad_players"


@pytest.mark.parametrize(
    ("players", "cards", "by_value", "total"),
    [
        (2, 25, (5, 10, 5, 5), 5 + 20 + 15 + 20),
        (3, 35, (10, 10, 10, 5), 10 + 20 + 30 + 20),
        (4, 45, (10, 15, 10, 10), 10 + 30 + 30 + 40),
        (5, 55, (15, 15, 15, 10), 15 + 30 + 45 + 40),
    ],
)
def test_the_colour_deck_grows_with_the_players(players, cards, by_value, total):
    """DV-S2: 5 colours; the cards marked for more players leave"""
    state = davinci().new(players=players, seed=5)
    everything = deck(state) + expanded(look(state)["table"])
    for seat in range(players):
        everything += hand(state, seat).split()
    assert Counter(everything) == prepared(players)
    assert len(everything) == cards
    assert tuple(Counter(map(value_of, everything))[value] for value in (1, 2, 3, 4)) == by_value
    assert sum(map(value_of, everything)) == total


@pytest.mark.parametrize(
    ("players", "on_table", "in_deck", "paintings_left"),
    [(2, 4, 19, 3), (3, 6, 26, 4), (4, 8, 33, 5), (5, 10, 40, 6)],
)
def test_the_set_up_lays_two_cards_per_player_and_deals_one_to_each(
    players, on_table, in_deck, paintings_left
):
    """EX1, DV-S3, DV-S4, DV-S5, DV-S6, DV-S7, DV-S8"""
    seen = look(davinci().new(players=players, seed=7), 1)
    assert sum(seen["table"].values()) == on_table
    assert seen["hands"] == [{"known": {}, "hidden": [[0, 1]]}] * players
    assert len(seen["own_hidden"]) == 1
    assert (seen["deck_count"], seen["discard"], seen["old_pools"]) == (in_deck, {}, [])
    names = [place["painting"] for place in seen["places"]]
    assert len(set(names)) == 2 and set(names) <= set(SLOTS)
    assert all(place["cards"] == [None] * 6 and place["fresh"] == [] for place in seen["places"])
    assert seen["paintings_left"] == paintings_left == IN_PLAY[players] - 2
    assert (seen["help"], seen["masteries"], seen["taken"]) == (None, {}, {})
    assert seen["esteem"] == [0] * players
    assert len(set(seen["achievements"])) == 2


def test_only_the_owner_sees_the_card_that_was_dealt():
    """DV-S4: two tables that differ in seat 1's card alone look the same to seat 0"""
    state = davinci().new(players=2, seed=3)
    worlds = {hand(state.dealt(0, seed), 1) for seed in range(40)}
    assert len(worlds) > 5
    assert all(look(state.dealt(0, seed)) == look(state) for seed in range(40))
    assert all(hand(state.dealt(0, seed), 0) == hand(state, 0) for seed in range(40))


def test_every_card_painting_and_achievement_comes_up_as_often_as_it_should():
    """DV-S3, DV-S4, DV-S5, DV-S6, DV-S7: over 3000 set-ups of two; cards by their number in the deck"""
    dealt, up, goals, on_table = Counter(), Counter(), Counter(), Counter()
    for seed in range(3000):
        state = davinci().new(players=2, seed=seed)
        seen = look(state, 1)
        dealt[seen["own_hidden"][0][1]] += 1
        on_table.update(seen["table"])
        up[tuple(place["painting"] for place in seen["places"])] += 1
        goals[tuple(seen["achievements"])] += 1
    assert fits(dealt, prepared(2))
    # The four cards of a table hang together a little, which makes their counts more even.
    assert fits(on_table, prepared(2))
    assert is_uniform(up, [(one, other) for one in SLOTS for other in SLOTS if one != other])
    assert is_uniform(goals, combinations(ACHIEVEMENTS, 2)), "told in the order of the table"


SCRIPT = [
    "table blue4", "table red1", "table red2", "table green3", "dealt 0 brown4", "dealt 1 yellow4",
    "painting magi", "painting gioconda", "achievement five_cards", "achievement empty_hand",
]


def test_a_scripted_set_up_lays_the_cards_as_the_words_say():
    """EX1, DV-S3, DV-S4, DV-S6, DV-S7"""
    state = davinci().new(players=2, seed=8, seen=SCRIPT)
    seen = look(state)
    assert seen["table"] == {"blue4": 1, "red1": 1, "red2": 1, "green3": 1}
    assert [hand(state, seat) for seat in range(2)] == ["brown4", "yellow4"]
    assert [place["painting"] for place in seen["places"]] == ["magi", "gioconda"]
    assert seen["achievements"] == ["five_cards", "empty_hand"]
    assert state.setup_words(None) == SCRIPT
    assert state.setup_words(1) == [words for words in SCRIPT if words != "dealt 0 brown4"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["table red1", "table red1"], id="a card twice that two players have once"),
        pytest.param(["dealt 2 red1"], id="a card for a seat that is not there"),
        pytest.param(["dealt 0 red1", "dealt 0 red2"], id="two cards for one seat"),
        pytest.param(["table red5"], id="a card that is not there"),
        pytest.param(["painting magi", "painting magi"], id="a painting twice"),
        pytest.param(["achievement five_cards"] * 2, id="an achievement twice"),
        pytest.param([f"table red{value}" for value in (1, 2, 2, 3, 4)], id="five cards on a table of four"),
        pytest.param(["refill red1"], id="a word of another step"),
    ],
)
def test_a_set_up_that_cannot_be_is_refused(words):
    """DV-S2, DV-S3, DV-S4, DV-S6, DV-S7"""
    with pytest.raises(SfumatoError) as refused:
        davinci().new(players=2, seed=1, seen=words)
    assert refused.value.code == "bad_event"


# --- turn -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_round_is_one_turn_of_every_player_and_the_token_moves_on(players):
    """DV-T1, DV-E4: with three players 0 1 2, then 1 2 0, then 2 0 1"""
    state = davinci().new(players=players, seed=2)
    movers = []
    while look(state)["round"] <= players:
        if state.phase == "main":
            movers.append(state.to_move)
        state.apply("draw" if state.phase == "main" else state.legal_actions[0])
    turns = range(players)
    assert movers == [(first + turn) % players for first in turns for turn in turns]


def test_a_turn_is_one_action_out_of_three_and_nobody_passes():
    """DV-T2, R2: three faces to take, the deck, five slots to paint and a mastery to claim"""
    state = position(["blue1 blue2 red3"], ["cena", "gioconda"], "blue4 green1 green1")
    assert state.legal_words == [
        "draw",
        "take blue4",
        "take green1",
        "claim blue_red",
        "paint gioconda 1 red3",
        "paint gioconda 5 blue1",
        "paint gioconda 5 blue2",
        "paint cena 0 blue1",
        "paint cena 0 blue2",
        "paint cena 1 blue1",
        "paint cena 1 blue2",
        "paint cena 2 red3",
        "paint cena 4 red3",
    ]
    for words in ("stop", "discard blue1", "claim palette", "take red1"):
        with pytest.raises(SfumatoError) as refused:
            state.apply(words)
        assert refused.value.code == "bad_action"


def test_an_action_that_is_impossible_cannot_be_chosen():
    """DV-T2, R2: no card in hand, none on the table: only the deck is left"""
    assert position([], ["cena", "gioconda"], "").legal_words == ["draw"]


@pytest.mark.parametrize("action", ["draw", "take red1", "paint gioconda 1 red3", "claim blue_red"])
def test_after_every_action_the_holder_of_the_token_does_the_leonardo_action(action):
    """DV-T3, DV-L1: seat 0 holds the token; after each kind of action it must place green4 or red2"""
    places = ["gioconda", "annunciazione"]
    state = position(["blue1 blue2 red3"], places, "red1 green4", leonardo=0)
    state.apply(action)
    while state.phase in ("take", "paint"):
        state.apply("stop")
    assert (state.to_move, state.phase) == (0, "leonardo")
    assert all(words.startswith(leonardo("", 0, "").split()[0]) for words in state.legal_words)
    state.apply(leonardo("gioconda", 3, "green4"))
    assert (state.to_move, state.phase) == (1, "main")


@pytest.mark.parametrize("action", ["draw", "take green4", "paint gioconda 1 red3", "claim blue_red"])
def test_nobody_else_does_it(action):
    """DV-T3: seat 2 holds the token"""
    state = position(["blue1 blue2 red3"], ["gioconda", "annunciazione"], "red1 green4", leonardo=2)
    state.apply(action)
    while state.phase in ("take", "paint"):
        state.apply("stop")
    assert (state.to_move, state.phase) == (1, "main")


# --- take colours ---------------------------------------------------------------------------------------


def takes(state):
    """Every set of cards that the action can take, with the number of ways to say it."""
    found = Counter()
    paths = [(state, ())]
    while paths:
        at, taken = paths.pop()
        for words in at.legal_words:
            if not words.startswith("take "):
                continue
            after = at.child(words, seed=1)
            cards = (*taken, words.removeprefix("take "))
            found[cards] += 1
            if after.phase == "take":
                paths.append((after, cards))
    return found


def test_the_action_ends_by_itself_when_nothing_more_fits():
    """EX2, DV-C1, R20: blue2 and red2 make 4"""
    state = position(["green1"], table="blue2 red2 brown3 green1")
    state.apply("take blue2")
    assert (state.phase, look(state)["take_left"], look(state)["last_face"]) == ("take", 2, "blue2")
    assert state.legal_words == ["stop", "take red2", "take green1"]
    state.apply("take red2")
    assert (state.to_move, state.phase) == (1, "main")
    assert hand(state, 0) == known(state, 0) == "blue2 red2 green1"
    assert look(state)["table"] == {"brown3": 1, "green1": 1}


def test_cards_are_taken_in_rising_order_only():
    """EX2, DV-C1: after red2 the blue2 may not follow, and brown3 does not fit: the action is over"""
    state = position(["green1"], table="blue2 red2 brown3")
    state.apply("take red2")
    assert (state.to_move, state.phase, hand(state, 0)) == (1, "main", "red2 green1")


EX3_TAKES = [
    "blue1",
    "red2",
    "brown4",
    "green3",
    "blue1 blue1",
    "blue1 red2",
    "blue1 green3",
    "blue1 blue1 red2",
]
EX3_WITH_HELP = ["blue1 brown4", "red2 green3", "blue1 blue1 green3"]


@pytest.mark.parametrize(
    ("help_of", "expected"), [(None, EX3_TAKES), (0, EX3_TAKES + EX3_WITH_HELP), (1, EX3_TAKES)]
)
def test_all_sets_that_may_be_taken_each_in_one_way(help_of, expected):
    """EX3, DV-C1, DV-C3: 8 sets within 4, 11 within 5; another's `help` changes nothing"""
    state = position(table="blue1 blue1 red2 brown4 green3", help=help_of)
    assert takes(state) == dict.fromkeys((tuple(cards.split()) for cards in expected), 1)


@pytest.mark.parametrize(
    ("help_of", "face", "left"),
    [(None, "blue1", 3), (None, "red2", 2), (None, "blue3", 1), (0, "brown4", 1), (0, "blue3", 2)],
)
def test_the_first_card_opens_a_limit_of_4_or_5(help_of, face, left):
    """DV-C1, DV-C3"""
    state = position(table="blue1 blue3 red2 brown4 green1 green1", help=help_of)
    state.apply(f"take {face}")
    assert look(state)["take_left"] == left


def test_one_may_stop_with_less_but_not_with_nothing():
    """DV-C1"""
    state = position(table="blue1 red1 green1")
    assert "stop" not in state.legal_words
    state.apply("take blue1")
    state.apply("stop")
    assert (state.to_move, hand(state, 0)) == (1, "blue1")


def test_a_card_of_the_deck_is_seen_by_its_owner_alone():
    """DV-C2, DV-C3: exactly one card, also for the holder of `help`"""
    state = position(["red1"], help=0)
    step = state.apply("draw", ["draw yellow3"])
    assert hidden(state, 0) == [(0, "yellow3")]
    assert known(state, 0) == "red1"
    assert (state.to_move, state.phase) == (1, "main")
    assert [step.words(seat) for seat in (0, 1, 2, None)] == [["draw yellow3"], [], [], ["draw yellow3"]]
    assert look(state, 1)["hands"][0] == {"known": {"red1": 1}, "hidden": [[0, 1]]}


def test_the_card_drawn_is_any_card_of_the_deck():
    """DV-C2, DV-S3: red1 twice, blue4 once"""
    drawn = Counter()
    for seed in range(600):
        state = position(unseen="red1 red1 blue4", seed=seed)
        state.apply("draw")
        drawn[hand(state, 0)] += 1
    assert fits(drawn, {"red1": 2, "blue4": 1})


def test_the_table_is_not_filled_up_before_the_end_of_the_round():
    """DV-C4"""
    state = position(table="blue4 red4 green4")
    state.apply("take blue4")
    assert look(state)["table"] == {"red4": 1, "green4": 1}
    assert state.to_move == 1


def discards(state):
    """Every set of cards that may be discarded now, with the number of ways to say it."""
    found = Counter()
    paths = [(state, ())]
    while paths:
        at, gone = paths.pop()
        for words in at.legal_words:
            after = at.child(words, seed=1)
            cards = (*gone, words.removeprefix("discard "))
            if after.phase == "discard":
                paths.append((after, cards))
            else:
                found[cards] += 1
    return found


def seven_cards():
    """Seat 0 of four has taken blue1 and red2 and holds seven cards."""
    state = position(["blue1 red2 yellow3 ?green4 ?green4"], table="blue1 red2 brown4", players=4)
    state.apply("take blue1")
    state.apply("take red2")
    return state


def test_a_hand_above_five_is_reduced_by_cards_of_ones_choice():
    """EX4, DV-C5, DV-C6: two of seven, old and new alike: 6 pairs of different faces and 3 doubles"""
    state = seven_cards()
    assert (state.phase, look(state)["to_discard"], look(state)["last_face"]) == ("discard", 2, None)
    assert state.legal_words == ["discard blue1", "discard red2", "discard yellow3", "discard green4"]
    found = discards(state)
    assert set(found.values()) == {1}
    assert set(found) == {
        ("blue1", "red2"),
        ("blue1", "yellow3"),
        ("blue1", "green4"),
        ("red2", "yellow3"),
        ("red2", "green4"),
        ("yellow3", "green4"),
        ("blue1", "blue1"),
        ("red2", "red2"),
        ("green4", "green4"),
    }


def test_after_the_yellow_card_only_the_green_one_can_follow():
    """EX4, DV-C5, R15: the discard pile is open to all"""
    state = seven_cards()
    first = state.apply("discard yellow3")
    assert (state.legal_words, look(state)["to_discard"]) == (["discard green4"], 1)
    second = state.apply("discard green4")
    assert first.words(1) == [], "a card taken from the table was known"
    assert second.words(1) == ["shows 0 0 green4"]
    assert look(state, 2)["discard"] == {"yellow3": 1, "green4": 1}
    assert hand(state, 0) == "blue1 blue1 red2 red2 green4"
    assert (state.to_move, state.phase) == (1, "main")


def test_one_may_draw_with_five_cards_and_discard_the_new_one_or_an_old_one():
    """DV-C5, DV-C6"""
    state = position(["blue1 blue2 red1 red2 red3"])
    state.apply("draw", ["draw yellow3"])
    assert look(state)["to_discard"] == 1
    assert state.legal_words == [
        f"discard {face}" for face in ("blue1", "blue2", "red1", "red2", "red3", "yellow3")
    ]
    state.apply("discard yellow3")
    assert look(state)["discard"] == {"yellow3": 1}


def test_a_hand_of_five_after_the_action_is_left_alone():
    """DV-C5"""
    state = position(["blue1 blue2 red1 red2"], table="green4")
    state.apply("take green4")
    assert (state.to_move, len(hand(state, 0).split())) == (1, 5)


# --- decisions and words --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("stop", 0),
        ("draw", 1),
        ("take blue1", 2),
        ("take green4", 21),
        ("discard blue1", 22),
        ("discard red2", 27),
        ("discard green4", 41),
        ("claim blue_red", 42),
        ("claim palette", 47),
        ("paint gioconda 0 brown1", 48),
        ("paint gioconda 0 brown4", 51),
        ("paint cena 0 blue1", 48 + 6 * 4),
        ("paint ginevra 1 yellow1", 48 + (6 * 6 + 1) * 4),
        ("paint battista 5 green4", 239),
        ("leonardo gioconda 0 brown1", 240),
        ("leonardo battista 5 green4", 431),
    ],
)
def test_action_ids_are_fixed(words, number):
    """DV-T2, DV-L1: paint is 48 + (painting * 6 + slot) * 4 + value - 1, leonardo 192 more"""
    assert davinci().action_id(words) == number
    assert davinci().words(number) == words


def test_ids_of_unmarked_slots_are_refused():
    """DV-P2: ermellino's slot 3, ginevra's slot 0 and battista's slot 3 have no colour"""
    for painting, slot, first in product((5, 6, 7), (0, 3), (48, 240)):
        if (painting, slot) in ((5, 3), (6, 0), (7, 3)):
            for value in range(4):
                with pytest.raises(SfumatoError) as refused:
                    davinci().words(first + (painting * 6 + slot) * 4 + value)
                assert refused.value.code == "bad_action"


def test_the_constants_of_the_game():
    """DV-T2: 432 actions, no further labels, chance and hidden cards; what is legal hangs on the hand"""
    table = davinci().table(5)
    assert (table.actions, table.labels) == (432, 0)
    assert table.max_legal >= 40
    assert table.hidden and table.random
    main = davinci().phases.index("main")
    assert not table.public_phases >> main & 1


def test_every_decision_is_seen_by_everybody():
    """DV-T2, R15"""
    state = position(["?blue1 ?blue2 ?red1 ?red2 ?red3"], table="green4 green3")
    steps = [state.apply("take green3"), state.apply("discard red2")]
    assert [[step.label(seat) for seat in (0, 1, 2, None)] for step in steps] == [
        ["take green3"] * 4,
        ["discard red2"] * 4,
    ]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param("draw", ["draw zz"], id="no such face"),
        pytest.param("draw", ["draw brown4"], id="the only copy lies on the table"),
        pytest.param("draw", ["draw red1", "draw red2"], id="two cards"),
        pytest.param("draw", ["reshuffle", "draw red1"], id="a reshuffle of a deck that has cards"),
        pytest.param("take brown4", ["turn red1"], id="a card turned over by nobody"),
        pytest.param("draw", ["refill red1"], id="a refill before the end of the round"),
        pytest.param("draw", ["weather fine"], id="a word that is not there"),
    ],
)
def test_a_step_that_cannot_be_is_refused_and_changes_nothing(action, words):
    """DV-C2, DV-E2"""
    state = position(table="brown4 green1")
    before = state.to_bytes()
    with pytest.raises(SfumatoError) as refused:
        state.apply(action, words)
    assert refused.value.code == "bad_event"
    assert state.to_bytes() == before


def test_the_words_of_a_set_up_tell_each_seat_its_own_card_only():
    """DV-S4: and script the same table again"""
    state = davinci().new(players=3, seed=3)
    everything = state.setup_words(None)
    assert davinci().new(players=3, seed=99, seen=everything) == state
    for seat in range(3):
        assert davinci().start(3, seat, state.setup_words(seat)) == state.observation(seat)
        assert len(everything) - len(state.setup_words(seat)) == 2, "the two other cards dealt"
