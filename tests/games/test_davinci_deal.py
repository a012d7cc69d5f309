"""Atelier Da Vinci: who knows what. Hiding, dealing against enumerations in plain Python, and following."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from davinci_model import Memory, places_of, sorted_world
from davinci_table import (
    current_pool,
    davinci,
    deck,
    hand,
    hidden,
    look,
    others_hidden,
    position,
    shows,
)
from enigma_model import all_worlds
from sfumato.games import SfumatoError
from statistics_of_counts import fits


def dealt_hands(state, seat, count):
    return Counter(others_hidden(state.dealt(seat, seed), seat) for seed in range(count))


def pools_of(seen):
    """All that a seat knows about hidden cards: the faces of each cycle."""
    old = {pool["cycle"]: Counter(pool["cards"]) for pool in seen["old_pools"]}
    current = +current_pool(seen)
    return {**old, **({seen["cycle"]: current} if current else {})}


def enumerated(seen):
    return all_worlds(pools_of(seen), places_of(seen))


# --- positions of the rules page ------------------------------------------------------------------------


def test_two_hidden_cards_out_of_five():
    """KN1: 20 ordered assignments, 13 different results"""
    state = position(["", "?", "?"], unseen="red1 red1 blue4 green2 yellow3")
    others = ["blue4", "green2", "yellow3"]
    by_hand = {("red1", "red1"): 2}
    by_hand |= {pair: 2 for x in others for pair in (("red1", x), (x, "red1"))}
    by_hand |= {(x, y): 1 for x in others for y in others if x != y}
    assert (len(by_hand), sum(by_hand.values())) == (13, 20)
    worlds = {(((0, one),), ((0, two),)): weight for (one, two), weight in by_hand.items()}
    assert enumerated(look(state)) == worlds
    assert look(state)["deck_count"] == 3
    assert fits(dealt_hands(state, 0, 2000), worlds)


def test_cards_of_two_decks_come_from_two_pools():
    """KN2, R16: seat 1 one card of each cycle, seat 2 one of cycle 0: 1/3 1/3 1/6 1/6"""
    state = position(["", "? ?:1", "?"], old={0: "blue1 red4"}, cycle=1, unseen="green2 green2 yellow3")
    worlds = {}
    for old, other in (("blue1", "red4"), ("red4", "blue1")):
        worlds[(((0, old), (1, "green2")), ((0, other),))] = 2
        worlds[(((0, old), (1, "yellow3")), ((0, other),))] = 1
    assert enumerated(look(state)) == worlds
    assert look(state)["deck_count"] == 2
    assert fits(dealt_hands(state, 0, 1200), worlds)


def test_with_two_players_the_old_cards_of_the_opponent_are_known():
    """KN3, R16: after a reshuffle, nothing drawn since: one world"""
    state = position(
        ["red1", "? ?"], old={0: "blue1 red4"}, cycle=1, unseen="green2 yellow3", players=2, leonardo=1
    )
    assert enumerated(look(state)) == {(((0, "blue1"), (0, "red4")),): 1}
    assert all(hidden(state.dealt(0, seed), 1) == [(0, "blue1"), (0, "red4")] for seed in range(30))
    assert state.hidden(0) == state
    assert state.belief(0, worlds=10, seed=1)["hand 1"] == pytest.approx({"blue1": 1, "red4": 1})


def test_an_empty_deck_leaves_the_pool_in_the_hands():
    """KN4: three opponents, blue1 blue1 red2: 1/3 each"""
    state = position(["", "?", "?", "?"], unseen="blue1 blue1 red2", players=4)
    assert look(state)["deck_count"] == 0
    worlds = {tuple(((0, "red2" if seat == red else "blue1"),) for seat in range(3)): 2 for red in range(3)}
    assert enumerated(look(state)) == worlds
    assert fits(dealt_hands(state, 0, 900), worlds)
    assert all(deck(state.dealt(0, seed)) == [] for seed in range(10))


def test_the_deck_gets_what_the_hands_leave():
    """KN1, KN2: the card that is drawn next, over worlds and draws"""
    state = position(["", "?", "?"], unseen="red1 red1 blue4 green2 yellow3")
    drawn = Counter()
    for seed in range(1000):
        world = state.dealt(0, seed)
        world.apply("draw")
        drawn[hidden(world, 0)[0][1]] += 1
    assert fits(drawn, {"red1": 2, "blue4": 1, "green2": 1, "yellow3": 1})


def test_in_the_middle_of_a_discard_any_hand_is_possible():
    """R16, DV-C5: that discards are told in rising order is our convention and no evidence; in a world where
    no card comes after the last one, every card may go"""
    state = position(
        ["", "blue1 blue2 ? ? ? ?"],
        unseen="blue3 blue4 red1 red2 green3 green4",
        phase="discard",
        to_discard=1,
        last_face="green3",
        to_move=1,
        seat=0,
    )
    kinds = Counter()
    for seed in range(100):
        world = state.dealt(0, seed)
        held = hand(world, 1).split()
        later = [face for face in held if face in ("green3", "green4")]
        assert world.legal_words == [f"discard {face}" for face in later or held]
        kinds[bool(later)] += 1
    assert kinds[True] > 50 and kinds[False] > 2, "of 15 hands one has no green card"


# --- dealing against a player's memory ------------------------------------------------------------------


def drawing_often(state, luck):
    """A random move that draws now and then, so that hands hide cards and decks run out."""
    if state.phase == "main" and luck.random() < 0.4:
        return state.action("draw")
    return luck.choice(state.legal_actions)


def watched_game(players, seat, seed, game=None):
    """Plays a game and lets a plain-Python memory watch it from the seat, by its words alone."""
    luck = Random(seed)
    state = (game or davinci()).new(players=players, seed=seed)
    memory = Memory(state.observation(seat))
    while not state.is_terminal:
        step = state.apply(drawing_often(state, luck))
        seen = state.observation(seat)
        memory.step(step.words(seat), seen)
        yield state, seen, memory


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_seat_knows_what_a_player_with_perfect_memory_knows(players):
    """R16, DV-E2, KN3: the pool of each deck at every step of whole games, through several reshuffles"""
    for seat in range(players):
        cycles = 0
        for state, seen, memory in watched_game(players, seat, 3 + seat):
            if state.is_terminal:
                assert (seen["own_hidden"], seen["old_pools"]) == ([], [])
            else:
                assert pools_of(seen) == memory.known_pools()
            cycles = max(cycles, seen["cycle"])
            assert seen["cycle"] == memory.cycle
        assert cycles >= 1


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_hiding_lays_each_pool_in_rising_order_over_the_other_hands(players):
    """R16, KN2: hidden and dealt worlds look the same to the seat, and hide to the same bytes"""
    for seat in range(players):
        for number, (state, seen, memory) in enumerate(watched_game(players, seat, 31 + seat)):
            if number % 5 or state.is_terminal:
                continue
            canonical = state.hidden(seat)
            assert others_hidden(canonical, seat) == sorted_world(seen, memory.known_pools())
            assert canonical.hidden(seat) == canonical
            world = canonical.dealt(seat, seed=number)
            assert world.hidden(seat) == canonical
            assert world.observation(seat) == canonical.observation(seat) == seen
            assert world.position.check() == canonical.position.check() == 0
            if state.to_move == seat:
                assert world.legal_actions == canonical.legal_actions == state.legal_actions
                assert world.greedy == canonical.greedy == state.greedy


@pytest.mark.parametrize(
    ("players", "seat", "seed"), [(2, 0, 1), (2, 1, 2), (3, 0, 3), (3, 2, 4), (4, 1, 5), (5, 3, 6)]
)
def test_worlds_are_dealt_as_often_as_their_assignments(players, seat, seed):
    """R16, KN1, KN2, KN3, KN4: small positions met in play, against all assignments of single cards"""
    tested, games = 0, 0
    while tested < 4 and games < 12:
        games += 1
        for state, seen, memory in watched_game(players, seat, 100 * seed + games):
            if tested == 4 or state.is_terminal or seen["phase"] != "main":
                continue
            places = places_of(seen)
            if sum(count for held in places.values() for count in held.values()) not in (2, 3):
                continue
            pools = memory.known_pools()
            if sum(len(pool) for pool in pools.values()) > 14:
                continue
            worlds = all_worlds(pools, places)
            rarest = min(worlds.values()) / worlds.total()
            if len(worlds) < 2 or rarest < 1 / 400:
                continue
            counts = dealt_hands(state, seat, int(8 / rarest) + 100)
            assert fits(counts, worlds)
            tested += 1
    assert tested >= 2


# --- following ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 5])
def test_following_a_game_gives_the_referees_observations(players):
    """R9, R16, R22: every seat, every step, through reshuffles to the open hands at the end"""
    game = davinci(round_cap=12)
    luck = Random(players)
    state = game.new(players=players, seed=40 + players)
    views = [game.start(players, seat, state.setup_words(seat)) for seat in range(players)]
    assert views == [state.observation(seat) for seat in range(players)]
    while not state.is_terminal:
        step = state.apply(drawing_often(state, luck))
        views = [game.follow(view, step.label(seat), step.words(seat)) for seat, view in enumerate(views)]
        assert views == [state.observation(seat) for seat in range(players)]
    assert look(state)["cycle"] >= 1


def test_a_hidden_card_that_is_played_is_followed_with_its_deck():
    """R16, KN2: seat 1 paints blue1 of cycle 0; red4 is then seat 2's for certain"""
    state = position(
        ["", "? ?:1", "?"],
        ["cena", "gioconda"],
        old={0: "blue1 red4"},
        cycle=1,
        unseen="green2 green2 yellow3",
        to_move=1,
        seat=0,
    )
    seen = davinci().follow(look(state), "paint cena 0 blue1", [shows(1, 0, "blue1")])
    assert seen["old_pools"] == [{"cycle": 0, "cards": {"red4": 1}}]
    assert seen["hands"][1]["hidden"] == [[1, 1]]
    assert seen["hands"][2]["hidden"] == [[0, 1]]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param("paint cena 0 blue1", [], id="a hidden card that nobody showed"),
        pytest.param("paint cena 0 blue1", [shows(1, 1, "blue1")], id="blue1 is of the other deck"),
        pytest.param("paint cena 0 blue1", [shows(2, 0, "blue1")], id="another hand"),
        pytest.param("paint cena 0 blue1", [shows(1, 0, "red4")], id="another card"),
        pytest.param("draw", ["draw green2"], id="a card that seat 0 cannot see"),
        pytest.param("draw", ["reshuffle"], id="a reshuffle of a deck with cards"),
    ],
)
def test_a_report_that_cannot_be_is_refused(action, words):
    """R16, R9"""
    state = position(
        ["", "? ?:1", "?"],
        ["cena", "gioconda"],
        old={0: "blue1 red4"},
        cycle=1,
        unseen="green2 green2 yellow3",
        to_move=1,
        seat=0,
    )
    with pytest.raises(SfumatoError) as refused:
        davinci().follow(look(state), action, words)
    assert refused.value.code in ("bad_event", "bad_action")


def test_an_action_that_cannot_be_is_refused():
    """KN1: seat 1 cannot hold a brown card"""
    state = position(
        ["", "?", "?"], ["cena", "gioconda"], unseen="red1 red1 blue4 green2 yellow3", to_move=1, seat=0
    )
    with pytest.raises(SfumatoError):
        davinci().follow(look(state), "paint cena 5 brown1", [shows(1, 0, "brown1")])


def test_a_claim_is_followed_with_the_cards_that_it_showed():
    """EX16, R9, DV-M3"""
    state = position(["", "blue1 ? ?"], unseen="blue4 red3 green1 green2", to_move=1, seat=0, leonardo=0)
    seen = davinci().follow(look(state), "claim blue_red", [shows(1, 0, "blue4", "red3")])
    assert seen["hands"][1] == {"known": {"blue1": 1, "blue4": 1, "red3": 1}, "hidden": []}
    assert seen["masteries"] == {"blue_red": 1}


def test_the_last_step_lays_the_hands_open_for_a_follower():
    """R22, EX17: seat 0 sees seat 1's draw and all hands"""
    state = position(["?red1", "?blue1", "?"], [None, None], paintings_left=0, to_move=1, leonardo=2, seat=1)
    before = state.observation(0)
    step = state.apply("draw", ["draw green1"])
    assert davinci().follow(before, "draw", step.words(0)) == state.observation(0)
    assert state.is_terminal
