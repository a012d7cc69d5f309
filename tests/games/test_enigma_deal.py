"""Enigma: who knows what. Hiding, dealing against enumerations in plain Python, and following a table."""

from __future__ import annotations

from collections import Counter

import pytest
from enigma_model import Memory, all_worlds
from enigma_table import (
    DIFFERENT20,
    DIFFERENT22,
    DOUBLE11,
    DOUBLE16,
    QUIET,
    cross,
    enigma,
    faces_in_hand,
    faces_of,
    hand,
    pile,
    position,
)
from sfumato.games import SfumatoError
from statistics_of_counts import fits


def others_hands(state, seat):
    """The other seats' cards, in the form of the enumeration."""
    return tuple(
        tuple(sorted((int((card + ":0").split(":")[1]), card[:2]) for card in hand(state, other).split()))
        for other in range(state.players)
        if other != seat
    )


def dealt_hands(state, seat, count):
    return Counter(others_hands(state.dealt(seat, seed), seat) for seed in range(count))


def unseen(state, seat):
    return state.observation(seat)["unseen"]


# --- positions of the rules page ------------------------------------------------------------------------


def test_seven_cards_for_five_places_are_21_worlds():
    """KN1, R18"""
    crosses = ["ag bh ci dj ah", "ai bi ch dg aj"]
    state = position(crosses, ["ak al bg bj bk"], game=enigma(DIFFERENT22))
    rest = ["bl", "cg", "cj", "ck", "cl", "dh", "di"]
    assert unseen(state, 0) == {"0": dict.fromkeys(rest, 1)}
    worlds = all_worlds({0: dict.fromkeys(rest, 1)}, {0: {1: 5}})
    assert len(worlds) == 21 and set(worlds.values()) == {1}
    assert fits(dealt_hands(state, 0, 2100), worlds)


def kn2(to_move=0):
    """Seat 1 holds ag bh ci of shuffle 0, and two of ag dj dj of shuffle 1; the third is the deck."""
    return position(
        ["ah bi ck dl eg", "fl ai bj cl dg"],
        ["bk bl cg ch dh", "ag bh ci ag:1 dj:1"],
        deck="dj",
        turns=104,
        shuffle=1,
        to_move=to_move,
    )


def test_an_old_pool_that_fills_its_places_is_certain_and_the_new_one_is_dealt_by_single_cards():
    """KN2: {dj, dj} with 1/3, {ag, dj} with 2/3"""
    state = kn2()
    assert unseen(state, 0) == {"0": {"ag": 1, "bh": 1, "ci": 1}, "1": {"ag": 1, "dj": 2}}
    old = ((0, "ag"), (0, "bh"), (0, "ci"))
    worlds = {((*old, (1, "dj"), (1, "dj")),): 1, ((*old, (1, "ag"), (1, "dj")),): 2}
    assert (
        all_worlds({0: {"ag": 1, "bh": 1, "ci": 1}, 1: {"ag": 1, "dj": 2}}, {0: {1: 3}, 1: {1: 2}}) == worlds
    )
    counts, decks = Counter(), Counter()
    for seed in range(900):
        world = state.dealt(0, seed)
        counts[others_hands(world, 0)] += 1
        decks[" ".join(pile(world, "deck"))] += 1
    assert fits(counts, worlds)
    assert fits(decks, {"ag": 1, "dj": 2})


def test_two_opponents_share_each_pool():
    """KN3: 2 x 70 = 140 worlds"""
    new = ["ai", "bj", "ck", "dl", "eg", "fh", "al", "bg"]
    state = position(
        ["ah bi cj dk el", "fg aj bk cl dg", "eh fi ak bl cg"],
        ["ch di ej fk ah", "ag ai:1 bj:1 ck:1 dl:1", "bh eg:1 fh:1 al:1 bg:1"],
        deck=0,
        turns=85,
        shuffle=1,
    )
    assert unseen(state, 0) == {"0": {"ag": 1, "bh": 1}, "1": dict.fromkeys(sorted(new), 1)}
    worlds = all_worlds({0: {"ag": 1, "bh": 1}, 1: dict.fromkeys(new, 1)}, {0: {1: 1, 2: 1}, 1: {1: 4, 2: 4}})
    assert len(worlds) == 140 and set(worlds.values()) == {1}
    assert fits(dealt_hands(state, 0, 5600), worlds)


def test_without_a_deck_the_card_drawn_is_the_card_just_discarded():
    """KN4, EN-D1, EN-D2"""
    state = position(["ag bh ci dh ah", "ai bi ch dg aj"], ["cj ak al bg bj"], game=enigma(DIFFERENT20))
    assert state.fields().deck_n == 0
    step = state.apply("play cj top")
    assert step.words(0) == ["from 0", "draw ai"]
    assert step.words(1) == ["from 0"]
    seen = state.observation(1)
    assert seen["unseen"] == {"0": {"ak": 1, "al": 1, "bg": 1, "bj": 1}, "1": {"ai": 1}}
    assert seen["hand_marks"] == [{"0": 4, "1": 1}, {"0": 5}]
    assert (seen["shuffle"], seen["deck_count"], seen["discard"]) == (1, 0, {})
    assert state.hidden(1) == state
    assert all(state.dealt(1, seed) == state for seed in range(20))


def played_to(state, turns):
    """Plays on, without keys where that is possible, until so many turns are complete."""
    while state.fields().turns < turns:
        before = state.fields().keys
        quiet = [
            action
            for action in state.legal_actions
            if state.child(action, seed=1).phase == "play"
            and state.child(action, seed=1).fields().keys == before
        ]
        state.apply((quiet or state.legal_actions)[0])
    return state


def test_when_the_deck_is_empty_two_players_know_everything():
    """KN5, EX13: after turn 52 seat 0 has not seen five cards, and seat 1 holds them"""
    state = played_to(enigma().new(players=2, seed=12, seen=["first 0"]), 52)
    assert state.fields().deck_n == 0
    assert unseen(state, 0) == {"0": dict(Counter(faces_in_hand(state, 1)))}
    assert state.hidden(0) == state
    assert all(state.dealt(0, seed) == state for seed in range(20))


def test_after_the_reshuffle_the_old_cards_stay_known():
    """EX13, KN5: four cards of seat 1 for certain, 52 candidates for the fifth"""
    state = played_to(enigma().new(players=2, seed=12, seen=["first 0"]), 54)
    seen = state.observation(0)
    old = [card for card in hand(state, 1).split() if ":" not in card]
    assert seen["hand_marks"][1] == {"0": 4, "1": 1}
    assert seen["unseen"]["0"] == dict(Counter(old))
    assert sum(seen["unseen"]["1"].values()) == 52
    assert seen["deck_count"] == 51
    for seed in range(50):
        assert [card for card in hand(state.dealt(0, seed), 1).split() if ":" not in card] == old


# --- dealing against a player's memory, after reshuffles ------------------------------------------------


def watched_game(game, players, seat, seed, turns):
    """Plays a game and lets a plain-Python memory watch it from the seat, by its words alone."""
    state = game.new(players=players, seed=seed)
    crosses = [cross(state, other) for other in range(players)]
    memory = Memory(seat, crosses, hand(state, seat), faces_of(game), state.to_move)
    while state.fields().turns < turns and not state.is_terminal:
        before = state.fields().turns
        number = state.legal_actions[(7 * state.fields().turns + seed) % len(state.legal_actions)]
        step = state.apply(number)
        memory.step(step.label(seat), step.words(seat), state.fields().turns > before)
        yield state, memory


def text_keys(pools):
    return {str(mark): dict(pool) for mark, pool in pools.items()}


@pytest.mark.parametrize(
    ("cards", "players"), [(None, 2), (None, 3), (None, 4), (DIFFERENT22, 2), (DOUBLE11, 2), (DOUBLE16, 3)]
)
def test_a_seat_knows_what_a_player_with_perfect_memory_knows(cards, players):
    """R18, EN-D1, KN5: pools and marks at every step, for every seat, through several reshuffles"""
    for seat in range(players):
        steps = 0
        for state, memory in watched_game(enigma(cards, max_rounds=1000), players, seat, seat + 3, 150):
            seen = state.observation(seat)
            assert seen["unseen"] == text_keys(memory.pools())
            assert [Counter(marks) for marks in seen["hand_marks"]] == [
                Counter({str(mark): count for mark, count in marks.items() if count})
                for marks in memory.marks
            ]
            assert (seen["deck_count"], seen["shuffle"]) == (memory.deck, memory.shuffle)
            assert Counter(seen["discard"]) == memory.discard
            steps += 1
        assert steps >= 20


@pytest.mark.parametrize(
    ("cards", "players", "seat", "seed"),
    [
        (DIFFERENT22, 2, 0, 1),
        (DIFFERENT22, 2, 1, 2),
        (DOUBLE11, 2, 0, 3),
        (DOUBLE11, 2, 1, 4),
        (DOUBLE16, 3, 1, 5),
    ],
)
def test_worlds_are_dealt_as_often_as_their_assignments(cards, players, seat, seed):
    """R18, KN1, KN2, KN3: positions met in play after reshuffles, where the discard pile of each reshuffle
    tells who cannot hold what"""
    tested = 0
    for state, memory in watched_game(enigma(cards, max_rounds=1000), players, seat, seed, 60):
        if memory.shuffle < 1 or state.is_terminal or tested == 6:
            continue
        if len(memory.pools()) < 2:
            continue
        worlds = memory.worlds()
        if not 2 <= len(worlds) <= 150:
            continue
        rarest = min(worlds.values()) / worlds.total()
        counts = dealt_hands(state, seat, max(400, int(10 / rarest)))
        assert fits(counts, worlds)
        tested += 1
    assert tested >= 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_hiding_changes_only_what_the_seat_cannot_see(players):
    """R18: hidden and dealt worlds are legal, look the same, and hide to the same bytes"""
    for seat in range(players):
        for state, _ in watched_game(enigma(), players, seat, 31 + seat, 70):
            hidden = state.hidden(seat)
            assert hidden.position.check() == 0
            assert hidden.hidden(seat) == hidden
            assert hidden.observation(seat) == state.observation(seat)
            dealt = hidden.dealt(seat, seed=9)
            assert dealt.position.check() == 0
            assert dealt.hidden(seat) == hidden
            for field in (
                "to_move",
                "phase",
                "bonus_used",
                "deck_n",
                "turns",
                "shuffle",
                "keys",
                "hand_mark",
                "cross",
                "discard",
            ):
                assert getattr(dealt.fields(), field) == getattr(state.fields(), field)
            if state.to_move == seat:
                assert dealt.legal_actions == state.legal_actions
                assert dealt.greedy == state.greedy


def test_the_hidden_world_gives_the_lowest_faces_to_the_lowest_seat():
    """R18: pools lie in face order, lowest seat first, what remains is the deck"""
    state = position(QUIET[:3], ["al al bi cj dk", "fl fk fj fi fh", "el ek ej ei eh"])
    hidden = state.hidden(0)
    # One `ag` and one `ah` lie in crosses; both `al` are seat 0's.
    assert hand(hidden, 1) == "ag ah ai ai aj"
    assert hand(hidden, 2) == "aj ak ak bg bh"
    assert hand(hidden, 0) == hand(state, 0)
    assert hidden.fields().deck_n == state.fields().deck_n


# --- following ------------------------------------------------------------------------------------------

EX16_SETUP = ["first 0", "cross 0 ag bh ci dj ek", "cross 1 fl ch dg ei al", "hand 1 bg cl dh ek fi"]


def test_a_table_followed_from_its_words():
    """EX16, EX5"""
    game = enigma()
    first = game.start(players=2, seat=1, seen=EX16_SETUP)
    assert first["to_move"] == 0
    assert (sum(first["unseen"]["0"].values()), first["unseen"]["0"]["fk"]) == (57, 2)
    second = game.follow(first, "play fk top", ["from 0"])
    assert (sum(second["unseen"]["0"].values()), second["unseen"]["0"]["fk"]) == (56, 1)
    assert (second["deck_count"], second["to_move"]) == (51, 1)
    third = game.follow(second, "play bg bottom", ["from 0", "draw bk"])
    assert third["keys"] == [[], ["g"]]
    assert third["hand"] == [{"face": face, "shuffle": 0} for face in ("bk", "cl", "dh", "ek", "fi")]
    assert (sum(third["unseen"]["0"].values()), third["unseen"]["0"]["bk"]) == (55, 1)
    assert third["discard"] == {"ek": 1, "fl": 1}
    assert (third["deck_count"], third["to_move"]) == (50, 0)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["draw bk"], id="without its mark"),
        pytest.param(["from 0"], id="without its draw"),
        pytest.param(["from 0", "draw ek"], id="both copies are seen"),
        pytest.param(["from 1", "draw bk"], id="a shuffle that never was"),
        pytest.param(["from 0", "draw bk", "draw bk"], id="two draws"),
    ],
)
def test_a_report_that_cannot_be_is_refused(words):
    """EX16"""
    game = enigma()
    second = game.follow(game.start(players=2, seat=1, seen=EX16_SETUP), "play fk top", ["from 0"])
    with pytest.raises(SfumatoError) as refused:
        game.follow(second, "play bg bottom", words)
    assert refused.value.code == "bad_event"


def test_a_play_that_cannot_be_is_refused():
    """EX16: seat 1 sees both copies of `ek`, and does not hold `fk`"""
    game = enigma()
    first = game.start(players=2, seat=1, seen=EX16_SETUP)
    with pytest.raises(SfumatoError):
        game.follow(first, "play ek top", ["from 0"])
    second = game.follow(first, "play fk top", ["from 0"])
    with pytest.raises(SfumatoError):
        game.follow(second, "play fk top", ["from 0", "draw bk"])


@pytest.mark.parametrize("words", [EX16_SETUP[:3], EX16_SETUP[1:], [*EX16_SETUP, "hand 0 ah ah ai ai aj"]])
def test_a_set_up_reported_with_a_word_missing_or_too_many_is_refused(words):
    """EX16"""
    with pytest.raises(SfumatoError) as refused:
        enigma().start(players=2, seat=1, seen=words)
    assert refused.value.code == "bad_event"


@pytest.mark.parametrize(
    ("mark", "pools", "marks"),
    [
        ("from 0", {"0": {"bh": 1, "ci": 1}, "1": {"ag": 1, "dj": 2}}, {"0": 2, "1": 3}),
        ("from 1", {"0": {"ag": 1, "bh": 1, "ci": 1}, "1": {"dj": 2}}, {"0": 3, "1": 2}),
    ],
)
def test_the_copy_that_was_played_is_told_and_nothing_is_concluded_from_the_convention(mark, pools, marks):
    """EX17, KN2, R19"""
    game = enigma()
    seen = game.follow(kn2(to_move=1).observation(0), "play ag left", [mark])
    assert seen["unseen"] == pools
    assert seen["hand_marks"][1] == marks
    assert seen["deck_count"] == 0
    hidden = game.from_observation(seen, seed=1)
    assert all(hidden.dealt(0, seed) == hidden for seed in range(20)), "the hand is known"


def test_the_referee_plays_the_older_copy():
    """EX17, R19"""
    state = kn2(to_move=1)
    assert state.apply("play ag left").words(0) == ["from 0"]
    assert hand(state, 1) == "bh ci ag:1 dj:1 dj:1"


@pytest.mark.parametrize("players", [2, 3])
def test_following_a_game_gives_the_referees_observations(players):
    """EX16, R18: every seat, every step, through a reshuffle"""
    game = enigma()
    state = game.new(players=players, seed=40 + players)
    views = [game.start(players, seat, state.setup_words(seat)) for seat in range(players)]
    for turn in range(58):
        step = state.apply(state.legal_actions[turn % len(state.legal_actions)])
        views = [game.follow(view, step.label(seat), step.words(seat)) for seat, view in enumerate(views)]
        assert views == [state.observation(seat) for seat in range(players)]
        if state.is_terminal:
            break
    assert state.fields().shuffle >= 1
