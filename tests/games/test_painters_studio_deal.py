"""The Painter's Studio: who knows what. Hiding, dealing against enumerations, and following."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations, islice
from random import Random

import pytest
from painters_studio_table import (
    PAINTINGS,
    PATRONS,
    hand,
    legal,
    look,
    observed,
    others,
    play,
    position,
    returned,
    studio,
)
from painters_studio_worlds import worlds
from sfumato.games import SfumatoError
from statistics_of_counts import is_uniform

NINE = "impressionism post_impressionism realism romanticism blue_salon green_salon red_salon museum critic"
TEN = f"{NINE} school"


def choosing(players, chosen, first_start=0):
    """Seat 0 has chosen, of the others only the first so many clockwise from the start."""
    seats = [(first_start + step) % players for step in range(players)]
    has = seats[:chosen]
    return studio().from_observation(
        observed(
            players=players,
            first_start=first_start,
            to_move=seats[chosen],
            seat=0,
            phase="patron",
            round=0,
            active=[0] * players,
            patron_counts=[1 if seat in has else 2 for seat in range(players)],
            returned=[
                {"patron": "muse" if seat == 0 else None, "taker": None} if seat in has else None
                for seat in range(players)
            ],
        ),
        seed=1,
    )


def after_the_body(**more):
    """Four players; seat 0 holds nine patrons, all eight of the body among them."""
    return position("3 3", players=4, patrons=NINE, **more)


def after_eleven_draws():
    """The same, and the first three of the tail were drawn by seats 0, 1 and 2."""
    return position(
        "3 3",
        players=4,
        first_start=2,
        patrons=TEN,
        patron_counts=[10, 2, 2, 1],
        taken={2: 0, 3: 1, 0: 2},
        took={2: "school"},
    )


def between_two(taken, count):
    return position(
        "3 3", players=2, first_start=1, patrons=f"{NINE} dealer", patron_counts=[10, count], taken=taken
    )


KN = {
    "KN1": (lambda: position("3 3", players=2), 14 * 13),
    "KN2": (after_the_body, 6 * 5 * 4 * 3 * 2 * 1),
    "KN3": (after_eleven_draws, 5 * 4 * 3 * 2 * 1),
    "KN4": (lambda: choosing(2, 1), 14 * 13 // 2),
    "KN6": (lambda: between_two({1: 1}, 5), 5),
    "KN7": (lambda: between_two({1: 1, 0: 1}, 6), 5),
}


# --- positions of the rules page ------------------------------------------------------------------------


@pytest.mark.parametrize("name", KN)
def test_every_world_is_dealt_and_each_as_often_as_the_others(name):
    """KN1, KN2, KN3, KN4, KN6, KN7, PS-S8, PS-I3: against all assignments of the unseen patrons"""
    make, count = KN[name]
    state = make()
    every = list(worlds(look(state)))
    assert len(every) == len(set(every)) == count
    dealt = Counter(others(state.dealt(0, seed), 0) for seed in range(max(200, 6 * count)))
    assert is_uniform(dealt, every)


def test_worlds_while_others_still_choose():
    """KN5: hand of seat 1: 14, of seat 2: 2 of 13, returned by seat 1: 11"""
    state = choosing(3, 2)
    every = set(worlds(look(state)))
    assert len(every) == 14 * (13 * 12 // 2) * 11 == 12012
    dealt = [others(state.dealt(0, seed), 0) for seed in range(3000)]
    assert set(dealt) <= every
    unseen = [card for card in PATRONS if card not in ("critic", "muse")]
    assert is_uniform(Counter(world[0][0] for world in dealt), unseen)
    assert is_uniform(Counter(world[0][1] for world in dealt), unseen)
    pairs = [" ".join(pair) for pair in combinations(unseen, 2)]
    assert is_uniform(Counter(world[1][0] for world in dealt), pairs)
    assert {world[1][1] for world in dealt} == {None}


@pytest.mark.slow
def test_all_12012_worlds_while_others_still_choose():
    """KN5"""
    state = choosing(3, 2)
    dealt = Counter(others(state.dealt(0, seed), 0) for seed in range(12012 * 10))
    assert is_uniform(dealt, worlds(look(state)))


def test_what_is_known_of_the_tail_is_in_every_world():
    """KN3, KN7, EX13: seat 0's returned card, muse, lies where it was drawn"""
    state = after_eleven_draws()
    for seed in range(60):
        world = state.dealt(0, seed)
        assert "muse" in hand(world, 2).split()
        assert returned(world, 2) == "school", "seat 0 has seen it"
        assert returned(world, 3) in hand(world, 1).split()
        assert returned(world, 1) not in hand(world, 1).split()
    state = between_two({1: 1, 0: 1}, 6)
    for seed in range(20):
        assert "muse" in hand(state.dealt(0, seed), 1).split()


def test_the_next_patron_is_any_that_the_world_leaves():
    """KN1, PS-I3: over worlds and draws each of 14 is as likely"""
    drawn = Counter()
    state = position("3 3", players=2, tokens=[3])
    for seed in range(1000):
        world = state.dealt(0, seed)
        drawn[world.apply("draw_patron").words(0)[0]] += 1
    assert is_uniform(drawn, [f"patron {card}" for card in PATRONS if card not in ("critic", "muse")])


def test_the_next_painting_is_any_of_the_deck():
    """PS-S2, PS-D8: 33 paintings, each as likely"""
    up = Counter()
    for seed in range(660):
        state = position("5 6", paint=[(1, 0, 1, 0)], display="im01", seed=seed)
        up[state.apply("paint im01").words(2)[0]] += 1
    display = look(position("5 6", paint=[(1, 0, 1, 0)], display="im01"))["display"]
    assert is_uniform(up, [f"refill {name}" for name in PAINTINGS if name not in display])


# --- examples -------------------------------------------------------------------------------------------


def test_the_tail_of_the_patron_deck():
    """EX13, EX16, PS-I3, R13: returned by seats 2, 3, 0, 1 from the top; who took whose is known to all"""
    state = after_the_body(first_start=2, tokens=[3, 3, 3, 3])
    mine = {seat: returned(state, seat) for seat in range(4)}
    assert mine[0] == "muse"
    for drawer, owner in ((0, 2), (1, 3), (2, 0)):
        step = state.apply("draw_patron")
        assert step.words(drawer) == [f"patron {mine[owner]}"]
        assert [step.words(seat) for seat in range(4) if seat != drawer] == [[]] * 3
        assert mine[owner] in hand(state, drawer).split()
        for seat in range(4):
            entry = look(state, seat)["returned"][owner]
            assert entry["taker"] == drawer
            assert entry["patron"] == (mine[owner] if seat in (drawer, owner) else None)
        state.apply("inspire")
    assert [entry["taker"] for entry in look(state)["returned"]] == [2, None, 0, 1]
    assert mine[2] in hand(state.dealt(2, 5), 0).split(), "seat 2 knows who has its card"
    assert mine[1] == look(state, 1)["returned"][1]["patron"]
    assert state.to_move == 3
    assert state.apply("draw_patron").words(3) == [f"patron {mine[1]}"]
    assert look(state)["patron_counts"] == [10, 2, 2, 2]
    assert legal(state, "draw_patron") == []


def test_what_a_draw_shows_from_the_tail_and_from_the_body():
    """EX16: a card, to the drawer alone; for a search both are chance"""
    tail = after_the_body(first_start=2, tokens=[3])
    step = tail.apply("draw_patron", ["patron school"])
    assert (step.words(0), step.words(2)) == (["patron school"], [])
    assert [returned(tail, 2), look(tail, 0)["returned"][2]] == ["school", {"patron": "school", "taker": 0}]
    assert look(tail, 1)["returned"][2] == {"patron": None, "taker": 0}
    assert all("school" in hand(tail.dealt(2, seed), 0).split() for seed in range(20))
    revealed, drawn = step.keys(0)
    assert revealed == 0 and drawn != 0
    assert step.keys(1) == step.keys(2) == (0, 0)
    body = position("3 3", players=4, patrons=NINE.replace("museum ", ""), first_start=2, tokens=[3])
    step = body.apply("draw_patron", ["patron school"])
    revealed, drawn = step.keys(0)
    assert revealed == 0 and drawn != 0
    assert step.keys(1) == (0, 0)
    assert look(body)["returned"][2] == {"patron": None, "taker": None}


def test_a_step_shows_what_follows_by_itself():
    """EX16, R16: painting ro08 with the last die: a patron, the refill, the next player's roll"""
    state = position("5", paint=[(0, 2, 1, 2)], display="ro08")
    step = state.apply("paint ro08", ["patron academy", "refill im01", "roll 1 3 4 6"])
    assert step.words(0) == ["patron academy", "refill im01", "roll 1 3 4 6"]
    assert step.words(1) == step.words(2) == ["refill im01", "roll 1 3 4 6"]


def test_the_canonical_world():
    """EX15: unknown patrons in the order of the table: hands first, then returned cards"""
    state = studio().new(players=2, seed=1, seen=["start 0", "deal 0 muse critic", "deal 1 academy dealer"])
    state.apply("keep critic")
    assert others(state.hidden(0), 0) == (("impressionism post_impressionism", None),)
    step = state.apply("keep academy")
    assert step.label(0) == "keep ?"
    assert others(state.hidden(0), 0) == (("impressionism", "post_impressionism"),)
    assert (hand(state.hidden(0), 0), returned(state.hidden(0), 0)) == ("critic", "muse")
    assert others(state.hidden(1), 1) == (("impressionism", "post_impressionism"),)
    assert (hand(state.hidden(1), 1), returned(state.hidden(1), 1)) == ("academy", "dealer")


# --- along games ----------------------------------------------------------------------------------------


def body_size(seen):
    """Cards of the patron deck that nobody has seen."""
    untaken = sum(entry is None or entry["taker"] is None for entry in seen["returned"])
    return 16 - sum(seen["patron_counts"]) - untaken


def collecting_patrons(state, luck, keen):
    """A random move; the keen seat collects patrons, all now and then the buried ones."""
    words = state.legal_words
    wants = luck.random() < 0.3 if body_size(look(state)) <= 0 else state.to_move == keen
    if "draw_patron" in words and wants:
        return "draw_patron"
    if "inspire" in words and (state.to_move == keen or luck.random() < 0.5):
        return "inspire"
    return luck.choice([word for word in words if word != "draw_patron"])


def games_of_patrons(players, seed):
    luck = Random(seed)
    state = studio(max_rounds=14).new(players=players, seed=seed)
    while not state.is_terminal:
        yield state
        state.apply(collecting_patrons(state, luck, seed % players))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_hiding_lays_the_unknown_patrons_in_order(players):
    """EX15, R13, PS-S8: along games, for every seat: the first of all worlds, in the table's order; dealt and
    hidden worlds look the same to the seat and hide to the same bytes"""
    taken = 0
    for number, state in enumerate(games_of_patrons(players, 7 * players)):
        seat = number % players
        seen = state.observation(seat)
        canonical = state.hidden(seat)
        assert others(canonical, seat) == next(worlds(seen))
        assert canonical.hidden(seat) == canonical
        world = canonical.dealt(seat, seed=number)
        assert world.hidden(seat) == canonical
        assert world.observation(seat) == canonical.observation(seat) == seen
        assert world.position.check() == canonical.position.check() == 0
        if state.to_move == seat:
            assert world.legal_actions == canonical.legal_actions == state.legal_actions
            assert world.greedy == canonical.greedy == state.greedy
        taken += any(entry and entry["taker"] is not None for entry in seen["returned"])
    assert taken > 10, "buried patrons were in play"


@pytest.mark.parametrize(("players", "seed"), [(2, 6), (2, 7), (3, 6), (3, 7), (4, 8), (4, 9)])
def test_worlds_met_in_play_are_dealt_as_often_as_their_assignments(players, seed):
    """KN3, KN6, KN7, EX13: small positions with buried patrons in play, against all assignments"""
    met = {}
    games = (games_of_patrons(players, seed + players * game) for game in range(20))
    for number, state in enumerate(chain.from_iterable(games)):
        if len(met) == 3:
            break
        seat = seed % players if number % 2 else number // 2 % players
        seen = state.observation(seat)
        takers = [entry and entry["taker"] for entry in seen["returned"]]
        shape = str((seat, seen["patron_counts"], takers))
        if shape in met or takers.count(None) == players:
            continue
        every = list(islice(worlds(seen), 151))
        if not 2 <= len(every) <= 150:
            continue
        met[shape] = others(state, seat)
        assert met[shape] in every
        dealt = Counter(others(state.dealt(seat, number), seat) for number in range(6 * len(every) + 60))
        assert is_uniform(dealt, every)
    assert len(met) == 3


# --- following ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_following_a_game_gives_the_referees_observations(players):
    """PS-S8, R13, R16, R24: every seat, every step, through the tail to the open hands at the end"""
    game = studio(max_rounds=14)
    luck = Random(players)
    state = game.new(players=players, seed=40 + players)
    views = [game.start(players, seat, state.setup_words(seat)) for seat in range(players)]
    assert views == [state.observation(seat) for seat in range(players)]
    takers = set()
    while not state.is_terminal:
        step = state.apply(collecting_patrons(state, luck, 1))
        views = [game.follow(view, step.label(seat), step.words(seat)) for seat, view in enumerate(views)]
        assert views == [state.observation(seat) for seat in range(players)]
        takers |= {entry["taker"] for entry in views[0]["returned"] if entry}
    assert takers > {None}, "the tail was reached"


def test_a_kept_patron_is_followed_by_its_owner_and_by_the_others():
    """EX15, PS-S8"""
    start = ["start 0", "display im01 im05 po06 po09 re04 ro07 ro10"]
    game = studio()
    own = game.start(2, 0, [*start, "deal 0 muse critic"])
    own = game.follow(own, "keep critic")
    assert (own["patrons"][0], own["returned"][0]) == (["critic"], {"patron": "muse", "taker": None})
    other = game.follow(game.start(2, 1, [*start, "deal 1 academy dealer"]), "keep ?")
    assert (other["patron_counts"], other["returned"][0]) == ([1, 2], {"patron": None, "taker": None})
    with pytest.raises(SfumatoError) as refused:
        game.follow(game.start(2, 0, [*start, "deal 0 muse critic"]), "keep academy")
    assert refused.value.code == "bad_action"


DRAWING = {"tokens": [3, 3, 3, 3], "first_start": 2}


@pytest.mark.parametrize(
    ("state", "seat", "action", "words"),
    [
        pytest.param({}, 0, "draw_patron", [], id="the drawer saw nothing"),
        pytest.param({}, 1, "draw_patron", ["patron academy"], id="another seat saw it"),
        pytest.param({}, 0, "draw_patron", ["patron muse"], id="the own returned card, not on top"),
        pytest.param({}, 0, "draw_patron", ["patron critic"], id="a card of the own hand"),
        pytest.param({}, 0, "draw_patron", ["patron academy", "patron school"], id="two cards"),
        pytest.param({}, 1, "inspire", [], id="a roll was not told"),
        pytest.param({}, 1, "inspire", ["roll 1 1 1"], id="too few dice"),
        pytest.param({}, 1, "inspire", ["roll 1 1 1 1", "refill im01"], id="a refill too many"),
        pytest.param({}, 1, "inspire", ["roll 1 1 1 1", "hand 0 critic"], id="a hand before the end"),
        pytest.param(
            {"first_start": 0}, 0, "draw_patron", ["patron academy"], id="the own returned card is on top"
        ),
    ],
)
def test_a_report_that_cannot_be_is_refused(state, seat, action, words):
    """EX16, PS-I3, PS-T2: eight body cards are drawn already"""
    table = after_the_body(**{**DRAWING, **state})
    with pytest.raises(SfumatoError) as refused:
        studio().follow(table.observation(seat), action, words)
    assert refused.value.code == "bad_event"


def test_the_own_returned_card_on_top_is_the_one_that_comes():
    """EX13, EX16: first start 0: seat 0's muse lies on top of the tail"""
    table = after_the_body(tokens=[3], first_start=0)
    seen = studio().follow(look(table), "draw_patron", ["patron muse"])
    assert seen["returned"][0] == {"patron": "muse", "taker": 0}
    assert "muse" in seen["patrons"][0]


def ending(**more):
    """The last die of the last round, seat 0's."""
    return position("3", active=[1, 0, 0], round=40, **more)


@pytest.mark.parametrize(
    "hands",
    [
        pytest.param(["critic", "academy", "academy"], id="a card twice"),
        pytest.param(["school", "academy", "museum"], id="another own hand"),
        pytest.param(["critic", "academy dealer", "museum"], id="a card too many"),
        pytest.param(["critic", "muse", "museum"], id="the own returned card in another hand"),
        pytest.param(["critic", "academy"], id="a hand too few"),
        pytest.param([], id="no hands"),
    ],
)
def test_hands_at_the_end_that_cannot_be_are_refused(hands):
    """EX16, R24: seat 0 holds critic and returned muse, which nobody drew"""
    words = [f"hand {seat} {cards}" for seat, cards in enumerate(hands)]
    with pytest.raises(SfumatoError) as refused:
        studio().follow(look(ending()), "inspire", words)
    assert refused.value.code == "bad_event"


def test_the_last_step_lays_the_hands_open_for_a_follower():
    """EX16, R24"""
    words = ["hand 0 critic", "hand 1 academy", "hand 2 museum"]
    seen = studio().follow(look(ending()), "inspire", words)
    assert (seen["phase"], seen["patrons"]) == ("over", [["critic"], ["academy"], ["museum"]])
    assert seen["returned"] == [None] * 3


def test_the_final_hands_of_four_are_followed_without_luck():
    """R24, EX16: long hands; a dealt world would show them about once in a million times"""
    table = position(
        "3",
        players=4,
        active=[1, 0, 0, 0],
        round=40,
        patrons="critic",
        patron_counts=[1, 4, 4, 3],
    )
    deal = [card for card in PATRONS if card not in ("critic", "muse")]
    hands = ["critic", " ".join(deal[8:12]), " ".join(deal[4:8]), " ".join(deal[1:4])]
    seen = studio().follow(
        look(table), "inspire", [f"hand {seat} {cards}" for seat, cards in enumerate(hands)]
    )
    assert [" ".join(cards) for cards in seen["patrons"]] == hands


def test_a_scripted_patron_changes_places_with_the_one_that_would_have_come():
    """EX16: whatever the table held, seat 0 draws school, and nobody else has it then"""
    for seed in range(30):
        state = position("3 3", players=3, tokens=[3], seed=seed)
        play(state, ("draw_patron", "patron school"))
        assert hand(state, 0) == "school critic"
        assert all("school" not in f"{cards} {back}" for cards, back in others(state, 0))
        assert state.position.check() == 0


def test_tables_that_look_the_same_to_a_seat_are_as_often_as_dealt_ones():
    """KN1, PS-S8: real set-ups in which seat 0 has the same two cards and seat 1 keeps either of its own"""
    met = Counter()
    for seed in range(2000):
        state = studio().new(players=2, seed=seed, seen=["start 0", "deal 0 muse critic"])
        state.apply("keep critic")
        state.apply(Random(seed).choice(state.legal_actions))
        met[others(state, 0)] += 1
    assert is_uniform(met, worlds(look(position("3 3", players=2))))


def test_a_belief_is_the_share_of_worlds():
    """KN1, KN6: each of 14 patrons in the hand of seat 1 with 1/14; then five that are certain"""
    belief = position("3 3", players=2).belief(0, worlds=3000, seed=1)["hand 1"]
    assert len(belief) == 14
    assert all(share == pytest.approx(1 / 14, abs=0.025) for share in belief.values())
    belief = between_two({1: 1}, 5).belief(0, worlds=50, seed=1)["hand 1"]
    assert belief == pytest.approx(dict.fromkeys(belief, 1)) and len(belief) == 5
