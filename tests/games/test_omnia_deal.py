"""OMNIA: who knows what. Hiding, dealing against enumerations in plain Python, and following a table."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product
from math import factorial
from random import Random

import pytest
from omnia_model import NUMBER, allowed, canonical, city_orders, world_count, worlds
from omnia_table import (
    ACTIONS,
    CITIES,
    by_id,
    city_order,
    draft,
    hand,
    holder,
    keep_all,
    keep_lowest,
    look,
    omnia,
    position,
    slots,
    slots_seen,
    turn,
)
from sfumato.games import SfumatoError
from statistics_of_counts import fits, is_uniform


def cards(*numbers):
    return [ACTIONS[number] for number in numbers]


def frozen(world):
    return tuple(world[card] for card in sorted(world, key=NUMBER.get))


def listed(state, seat):
    """All worlds that the seat thinks possible, enumerated card by card."""
    found = [frozen(world) for world in worlds(look(state, seat))]
    assert len(found) == len(set(found))
    return found


def dealt(state, seat, count):
    return Counter(frozen(slots(state.dealt(seat, seed))) for seed in range(count))


def assert_dealt_evenly(state, seat, number, each=8):
    """As many worlds as expected; all of them are dealt, no other, and equally often."""
    found = listed(state, seat)
    assert len(found) == number == world_count(look(state, seat))
    counts = dealt(state, seat, each * number + 20)
    assert set(counts) <= set(found)
    assert is_uniform(counts, found)
    assert frozen(slots(state)) in set(found), "the truth is among them"


# --- two players ----------------------------------------------------------------------------------------


def test_hiding_in_the_draft_of_two():
    """EX19, R2, R23: the kept cards are the lowest, until the packets move and all is known"""
    state = draft(2)
    keep_all(state, *cards(0, 2))
    shown = slots(state.hidden(1))
    assert [shown[card] for card in cards(0, 1)] == [(0, 0)] * 2
    assert [shown[card] for card in cards(2, 3, 4, 5, 6)] == [(0, 4)] * 5
    assert slots(state.hidden(0)) == slots(state)
    assert len(listed(state, 1)) == 21 and len(listed(state, 0)) == 1
    keep_all(state, *cards(9))
    shown = slots(state.hidden(0))
    assert shown[ACTIONS[7]] == (1, 0)
    assert [shown[card] for card in cards(*range(8, 14))] == [(1, 4)] * 6
    assert len(listed(state, 0)) == 6
    assert {world[13] for world in listed(state, 0)} == {(1, 4)}, "13 cannot be a first card"
    keep_all(state, *cards(10))
    assert slots(state.hidden(0)) == slots(state) == slots(state.hidden(1))
    assert len(listed(state, 0)) == len(listed(state, 1)) == 1


@pytest.mark.parametrize(("step", "number"), [(0, 21), (1, 10), (2, 3)])
def test_two_players_know_all_but_what_the_other_keeps_now(step, number):
    """KN1: 7 over 2, 5 over 2, 3 over 2"""
    state = draft(2)
    for _ in range(4 * step + 2):
        state.apply(state.legal_actions[0])
    assert (state.to_move, look(state)["draft_step"]) == (1, step)
    assert_dealt_evenly(state, 1, number, each=30)


@pytest.mark.parametrize(("step", "number"), [(0, 6), (1, 4), (2, 2)])
def test_between_two_keeps_the_first_card_is_not_the_highest(step, number):
    """KN2, R23: six of the seven cards in step 0; that is the one order of ours that must hold"""
    state = draft(2)
    for _ in range(4 * step + 1):
        state.apply(state.legal_actions[0])
    assert (state.to_move, look(state)["kept_now"]) == (0, 1)
    assert_dealt_evenly(state, 1, number, each=40)


def test_two_players_know_everything_when_a_step_begins_and_after_the_draft():
    """KN3"""
    state = draft(2)
    for _ in range(3):
        assert [len(listed(state, seat)) for seat in range(2)] == [1, 1]
        assert slots(state.hidden(0)) == slots(state) == slots(state.hidden(1))
        for _ in range(4):
            state.apply(state.legal_actions[-1])
    assert state.phase == "play"
    for seat in range(2):
        assert len(listed(state, seat)) == 1
        assert slots(state.hidden(seat)) == slots(state)
        assert hand(state.dealt(seat, 3), 1 - seat) == hand(state, 1 - seat)


# --- three players --------------------------------------------------------------------------------------


def table_of_three(*plays):
    """EX21: packets by id, everybody keeps the lowest; then some cards are played and nothing else done."""
    state = keep_lowest(draft(3))
    for card in plays:
        state.apply(f"play {card}")
        if state.phase == "act":
            state.apply("done")
    return state


def test_the_groups_of_a_seat_after_the_draft_of_three():
    """EX21, KN4: 6 x 3 x 1 x 90 = 1620 worlds; they hide to the truth, in which all is in order"""
    state = table_of_three()
    where = allowed(look(state))
    assert all(where[card] == [(0, 1), (0, 2)] for card in cards(2, 3, 4, 5))
    assert all(where[card] == [(2, 2), (2, 3)] for card in cards(18, 19, 20))
    assert where[ACTIONS[13]] == [(1, 3)]
    never = {(1, 0), (1, 1), (2, 0)}
    assert all(set(where[card]) == never for card in cards(7, 8, 9, 10, 14, 15))
    for seat in range(3):
        assert world_count(look(state, seat)) == 6 * 3 * 90 == 1620
    assert slots(state.hidden(0)) == slots(state)


def test_worlds_after_the_draft_of_three():
    """KN4, R23: all 1620, equally often"""
    assert_dealt_evenly(table_of_three(), 0, 1620, each=7)


def with_two_played():
    """EX21: seat 1 has played 3, seat 2 has played 14 (and seat 0 has played 0)."""
    return table_of_three(*cards(0, 3, 14))


def test_played_cards_lie_with_their_players():
    """EX21, KN4, R4: 3 x 3 x 60 = 540 worlds; hidden, 14 lies on (1, 1), 9 on (1, 1), 10 and 15 on (2, 0)"""
    state = with_two_played()
    assert look(state)["played"] == [cards(0), cards(3), cards(14)]
    shown = slots(state.hidden(0))
    assert shown[ACTIONS[14]] == shown[ACTIONS[9]] == (1, 1)
    assert shown[ACTIONS[10]] == shown[ACTIONS[15]] == (2, 0)
    truth = slots(state)
    rest = [card for card in truth if card not in cards(9, 10, 14, 15)]
    assert {card: shown[card] for card in rest} == {card: truth[card] for card in rest}
    assert_dealt_evenly(state, 0, 540)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_worlds_in_the_middle_of_a_draft_of_three(seat):
    """R23, KN7: step 2, seat 0 to keep: never seen 90, of the own packet 10, of the last one 1"""
    state = draft(3, packets_of(3, 5))
    luck = Random(4)
    for _ in range(12):
        state.apply(luck.choice(state.legal_actions))
    assert (look(state)["draft_step"], state.to_move) == (2, 0)
    assert_dealt_evenly(state, seat, 900, each=7)


@pytest.mark.parametrize(("seat", "number"), [(0, 10 * 90), (1, 30 * 90 * 2 // 3), (2, 10 * 2 * 90)])
def test_worlds_between_two_keeps_of_another(seat, number):
    """R23, KN7, KN2: step 2, seat 0 has kept one card of three; it is not the highest that is left"""
    state = draft(3, packets_of(3, 6))
    luck = Random(6)
    for _ in range(13):
        state.apply(luck.choice(state.legal_actions))
    assert (look(state)["draft_step"], state.to_move, look(state)["kept_now"]) == (2, 0, 1)
    assert_dealt_evenly(state, seat, number, each=6)


def packets_of(players, seed):
    """A random deal, so that ids and places have nothing to do with each other."""
    pack = ACTIONS[: 7 * players]
    Random(seed).shuffle(pack)
    return [" ".join(pack[7 * seat : 7 * seat + 7]) for seat in range(players)]


@pytest.mark.parametrize(
    ("players", "step", "number"),
    [
        (3, 1, factorial(9) // (2 * 2 * factorial(5))),
        (3, 2, 90 * 10),
        (4, 1, factorial(16) // (2 * 2 * factorial(5) * 2 * factorial(5))),
        (4, 2, factorial(13) // (2**5 * 6) * 10),
    ],
)
def test_the_number_of_worlds_when_a_step_begins(players, step, number):
    """KN7, KN8: 756 and 900; 181,621,440 and 324,324,000"""
    state = draft(players)
    for _ in range(2 * players * step):
        state.apply(state.legal_actions[0])
    assert (look(state)["draft_step"], state.to_move) == (step, 0)
    assert [world_count(look(state, seat)) for seat in range(players)] == [number] * players
    assert number in (756, 900, 181_621_440, 324_324_000)


# --- four players ---------------------------------------------------------------------------------------


def shares_of(seen, some):
    """The exact share of every way to lay some cards, counted and not listed."""
    where = allowed(seen)
    weights = {}
    for places in product(*(where[card] for card in some)):
        number = world_count(seen, dict(zip(some, places, strict=True)))
        if number:
            weights[places] = number
    assert sum(weights.values()) == world_count(seen)
    return weights


def assert_marginals(state, seat, count, pairs=8, most=28):
    """Single cards and pairs of them lie on each slot as often as counting says; each world is possible."""
    seen = look(state, seat)
    where = allowed(seen)
    samples = [slots(state.dealt(seat, seed)) for seed in range(count)]
    assert all(world[card] in where[card] for world in samples for card in where)
    unsure = [card for card in where if len(where[card]) > 1]
    luck = Random(seat)
    single = luck.sample([(card,) for card in unsure], min(most, len(unsure)))
    for some in single + luck.sample(list(combinations(unsure, 2)), pairs):
        expected = shares_of(seen, some)
        least = min(expected.values()) / sum(expected.values())
        if least * count >= 5:
            assert fits(Counter(tuple(world[card] for card in some) for world in samples), expected)


@pytest.mark.parametrize(
    ("decisions", "seat"),
    [(10, 0), (10, 1), (11, 0), (18, 0), (18, 2), (19, 3), (20, 3)],
)
def test_worlds_in_the_middle_of_a_draft_of_four(decisions, seat):
    """R23, KN8: steps 1 and 2, some between two keeps; too many worlds to list, so single cards and pairs
    against exact counts"""
    state = draft(4, packets_of(4, 7))
    luck = Random(7)
    for _ in range(decisions):
        state.apply(luck.choice(state.legal_actions))
    between = look(state)["kept_now"] == 1
    assert between == (decisions % 2 == 1)
    # Counting is slower there.
    few = {"pairs": 1, "most": 5} if between else {}
    assert_marginals(state, seat, 900, **few)


def test_worlds_after_the_draft_of_four():
    """KN5: 30 x 3 x 7,484,400"""
    state = keep_lowest(draft(4))
    for seat in range(4):
        assert world_count(look(state, seat)) == 30 * 3 * 7_484_400 == 673_596_000
    assert_marginals(state, 2, 900)


def late(players, seed, rounds):
    """A game in which so many rounds were played."""
    luck = Random(seed)
    state = draft(players, packets_of(players, seed), seed=seed)
    while look(state)["round"] < rounds:
        state.apply(luck.choice(state.legal_actions))
    return state


@pytest.mark.parametrize(("players", "rounds", "seed"), [(3, 3, 1), (3, 5, 2), (4, 5, 3), (4, 5, 9)])
def test_worlds_after_cards_were_played(players, rounds, seed):
    """KN6, R4, R23: every card that was played lies with its player; all that is left, equally often"""
    state = late(players, seed, rounds)
    for seat in range(players):
        found = listed(state, seat)
        assert len(found) == world_count(look(state, seat)) > 1
        if len(found) <= 700:
            counts = dealt(state, seat, 7 * len(found) + 20)
            assert set(counts) <= set(found)
            assert is_uniform(counts, found)
        else:
            possible = set(found)
            assert set(dealt(state, seat, 300)) <= possible
            assert_marginals(state, seat, 600, pairs=4)


def seventh(world, seat, played):
    """The card that a seat has not played."""
    (card,) = [card for card in world if holder(world[card], 4) == seat and card not in played]
    return card


def test_the_seventh_cards_stay_unseen_after_the_end():
    """R23, OM-T2, KN6: the seat that looks still holds them possible that it did before"""
    open_ones = 0
    for seed in range(4):
        luck = Random(seed)
        state = late(4, seed, 5)
        while not state.is_terminal:
            state.apply(luck.choice(state.legal_actions))
        played = {card for cards in look(state)["played"] for card in cards}
        for seat in range(4):
            other = (seat + 1) % 4
            possible = {seventh(world, other, played) for world in worlds(look(state, seat))}
            found = {hand(state.dealt(seat, number), other)[0] for number in range(60)}
            assert found == possible
            open_ones += len(possible) > 1
    assert open_ones > 4


# --- the city pack --------------------------------------------------------------------------------------


def drawn(state, cities, action):
    """The seat to move plays a card with a city and draws these."""
    state.apply("draw_city", [f"drawn {cities}"])
    state.apply(action)
    while state.phase == "act":
        state.apply("done")


def two_draws():
    """EX17: seat 0 buries vinci and roma, seat 1 then three others."""
    state = position(["C1/2", "PC/2"])
    state.apply("play C1/2")
    drawn(state, "vinci parma roma", "activate parma")
    state.apply("play PC/2")
    drawn(state, "genova amboise imola", "activate_none")
    return state


def test_the_memory_of_buried_cities():
    """EX17, OM-C3, R8, KN9: positions 9, 10 are known to seat 0, 11 to 13 to seat 1"""
    state = two_draws()
    one, other = look(state, 0), look(state, 1)
    assert one["city_pack"] == [None] * 9 + ["vinci", "roma"] + [None] * 3
    assert other["city_pack"] == [None] * 11 + ["genova", "amboise", "imola"]
    assert one["city_known"] == other["city_known"] == [[]] * 9 + [[0]] * 2 + [[1]] * 3
    assert city_orders(one) == factorial(12)
    assert city_orders(other) == factorial(11)


def test_hiding_the_city_pack():
    """EX22, R8: what a seat does not know lies by id, what it knows in its place"""
    state = turn("C1/2")
    drawn(state, "vinci parma roma", "activate parma")
    assert city_order(state.hidden(0)) == [
        "amboise",
        "firenze",
        "imola",
        "pavia",
        "urbino",
        "mantova",
        "venezia",
        "bologna",
        "vigevano",
        "cesena",
        "genova",
        "piombino",
        "vinci",
        "roma",
    ]
    rest = [city for city in CITIES if city not in ("milano", "parma")]
    assert city_order(state.hidden(1)) == rest


def test_a_seat_in_the_middle_of_a_draw_sees_three_cards_and_the_others_none():
    """OM-C1, EX22, R8: hidden from seat 1 the drawn ones are the lowest"""
    state = turn("C1/2")
    state.apply("draw_city", ["drawn roma vinci genova"])
    assert city_order(state.hidden(0))[:3] == ["roma", "vinci", "genova"]
    assert city_order(state.hidden(1))[:3] == ["vinci", "amboise", "firenze"]
    assert look(state)["city_known"][:3] == [[0]] * 3


#: two players have buried cards: seat 1 the last two, seat 0 one of them and the two before
BURIED = {"cities": "milano vinci amboise firenze roma imola pavia urbino", "players": 3}
BURIED_PACK = "? ? ? parma:0 ?:12 cesena:02 ?:1 ?:1"


def expected_orders(seen):
    """Every order of the unknown cities on their positions."""
    unknown = [city for city in CITIES if city not in seen["city_pack"] and city not in seen["cities_active"]]
    places = [at for at, city in enumerate(seen["city_pack"]) if city is None]
    found = []
    for order in permutations(unknown):
        pack = list(seen["city_pack"])
        for at, city in zip(places, order, strict=True):
            pack[at] = city
        found.append(tuple(pack))
    return found


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_orders_of_a_pack_in_which_two_players_have_buried_cards(seat):
    """KN9, R8, R23, EX17: k unknown positions, k! orders, equally likely"""
    known = {
        0: BURIED_PACK,
        1: "? ? ? ?:0 genova:12 ?:02 parma:1 cesena:1",
        2: "? ? ? ?:0 genova:12 cesena:02 ?:1 ?:1",
    }
    state = position(seat=seat, pack=known[seat], **BURIED)
    orders = expected_orders(look(state, seat))
    assert len(orders) == factorial({0: 6, 1: 5, 2: 6}[seat]) == city_orders(look(state, seat))
    counts = Counter(tuple(city_order(state.dealt(seat, seed))) for seed in range(7 * len(orders)))
    assert set(counts) <= set(orders)
    assert is_uniform(counts, orders)


def test_a_city_that_two_players_have_seen_is_known_to_both():
    """R8, OM-C3, KN9: seat 1 draws what seat 0 has buried, and buries it again"""
    active = " ".join(list(CITIES)[:12])
    state = position(["", "PC/2"], cities=active, pack="? ? cesena:0 genova:0", to_move=1, seat=0)
    first = city_order(state)
    assert set(first[:2]) == {"parma", "cesena", "genova", "piombino"} - set(first[2:])
    state.apply("play PC/2")
    state.apply("draw_city")
    assert look(state)["city_known"] == [[1], [1], [0, 1], [0]]
    state.apply("activate_none")
    seen = look(state)
    assert seen["city_known"] == [[0], [1], [1], [0, 1]]
    assert seen["city_pack"] == [first[3], None, None, first[2]]
    assert look(state, 1)["city_pack"] == [None, *first[:3]]


# --- along whole games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_hiding_lays_what_a_seat_cannot_tell_apart_in_rising_order(players):
    """EX19, EX21, EX22, R23: at every fifth step; what is hidden or dealt looks the same to the seat"""
    for seed in range(3):
        luck = Random(seed)
        state = omnia().new(players=players, seed=seed)
        steps = 0
        while True:
            if steps % 5 == 0 or state.is_terminal:
                seat = luck.randrange(players)
                seen = look(state, seat)
                shown = state.hidden(seat)
                assert slots(shown) == canonical(seen)
                unknown = [at for at, city in enumerate(seen["city_pack"]) if city is None]
                order, truth = city_order(shown), city_order(state)
                numbers = [list(CITIES).index(order[at]) for at in unknown]
                assert numbers == sorted(list(CITIES).index(truth[at]) for at in unknown)
                world = state.dealt(seat, steps)
                assert look(world, seat) == look(shown, seat) == seen
                assert world.hidden(seat) == shown.hidden(seat) == shown
                assert slots_seen(state) == slots(state)
                if state.to_move == seat:
                    assert world.legal_actions == shown.legal_actions == state.legal_actions
                    assert world.greedy == shown.greedy == state.greedy
            if state.is_terminal:
                break
            state.apply(luck.choice(state.legal_actions))
            steps += 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_following_a_game_gives_the_referees_observations(players):
    """R2, R8, R23, EX20: every seat, every step, from the set-up to the end"""
    game = omnia()
    luck = Random(players)
    state = game.new(players=players, seed=40 + players)
    views = [game.start(players, seat, state.setup_words(seat)) for seat in range(players)]
    assert views == [state.observation(seat) for seat in range(players)]
    while not state.is_terminal:
        step = state.apply(luck.choice(state.legal_actions))
        views = [game.follow(view, step.label(seat), step.words(seat)) for seat, view in enumerate(views)]
        assert views == [state.observation(seat) for seat in range(players)]


def followed(view, *reports):
    for action, words in reports:
        view = omnia().follow(view, action, words)
    return view


START = [
    "packet 0 WW/2 II/2 WI/2 WP/2 IP/2 WC/2 IC/2",
    "cities milano",
    "refill purple purple red azure green blue caterina salai bramante",
]


def test_a_draft_is_followed_from_either_seat():
    """EX20, R2: what seat 0 and seat 1 see of the four decisions of EX19"""
    view = followed(
        omnia().start(2, 0, START),
        ("keep WW/2", []),
        ("keep WI/2", []),
        ("keep ?", []),
        ("keep ?", ["packet 0 W1/2 I1/2 PC/2 P2/2 C1/2"]),
    )
    assert view["visits"][1] == {"packet": 1, "step": 1, "seen": cards(7, 8, 11, 12, 13), "kept": []}
    other = followed(
        omnia().start(2, 1, [f"packet 1 {' '.join(ACTIONS[7:14])}", *START[1:]]),
        ("keep ?", []),
        ("keep ?", []),
        ("keep W2/2", []),
        ("keep I2/2", ["packet 1 II/2 WP/2 IP/2 WC/2 IC/2"]),
    )
    assert other["visits"][1]["seen"] == cards(1, 3, 4, 5, 6)
    assert (other["hand"], other["to_move"], other["draft_step"]) == (cards(9, 10), 0, 1)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param("keep ?", ["packet 0 II/2 I1/2 PC/2 P2/2 C1/2"], id="a card that seat 0 passed on"),
        pytest.param("keep ?", ["packet 0 I1/2 PC/2 P2/2 C1/2"], id="four cards"),
        pytest.param("keep ?", [], id="no packet"),
        pytest.param("keep ?", ["packet 1 W1/2 I1/2 PC/2 P2/2 C1/2"], id="the packet of another"),
        pytest.param("keep W2/2", ["packet 0 W1/2 I1/2 PC/2 P2/2 C1/2"], id="a choice that nobody sees"),
        pytest.param("play W2/2", [], id="another phase"),
    ],
)
def test_a_report_of_the_draft_that_cannot_be_is_refused(action, words):
    """EX20, R2"""
    view = followed(omnia().start(2, 0, START), ("keep WW/2", []), ("keep WI/2", []), ("keep ?", []))
    with pytest.raises(SfumatoError) as refused:
        omnia().follow(view, action, words)
    assert refused.value.code in ("bad_event", "bad_action")


def test_a_city_draw_of_another_is_followed():
    """EX22, R8: seat 1 hears of the draw, of the city laid down and of its place among the three"""
    state = turn("C1/2")
    before = look(state, 1)
    after = followed(before, ("draw_city", []), ("activate parma", ["place 2"]), ("coins1", []))
    assert after["city_pack"] == [None] * 14
    assert after["city_known"] == [[]] * 12 + [[0], [0]]
    assert after["cities_active"] == ["milano", "parma"]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param("activate parma", [], id="without its place"),
        pytest.param("activate parma", ["place 4"], id="a fourth card"),
        pytest.param("activate milano", ["place 1"], id="a city that is active"),
        pytest.param("activate_none", ["place 1"], id="none, at a place"),
        pytest.param("activate roma", ["place 1"], id="a city that lies at the bottom"),
    ],
)
def test_a_report_of_a_city_that_cannot_be_is_refused(action, words):
    """EX22, R8: seat 1 has buried roma itself"""
    state = turn("C1/2", seat=1, pack="roma:1")
    view = followed(look(state, 1), ("draw_city", []))
    with pytest.raises(SfumatoError) as refused:
        omnia().follow(view, action, words)
    assert refused.value.code in ("bad_event", "bad_action")


def test_a_card_that_another_cannot_hold_cannot_be_followed():
    """R4, EX21: 13 came home to seat 1, so seat 2 cannot play it; seat 0's own cards nobody else plays"""
    state = table_of_three(*cards(0, 3))
    view = look(state, 0)
    for card in cards(13, 16, 3, 7):
        possible = (2 in {holder(place, 3) for place in allowed(view)[card]}) and card != ACTIONS[3]
        if possible:
            assert card in omnia().follow(view, f"play {card}", [])["played"][2]
        else:
            with pytest.raises(SfumatoError) as refused:
                omnia().follow(view, f"play {card}", [])
            assert refused.value.code == "bad_action"


def test_what_others_may_hold_is_told_card_by_card():
    """KN4, R23: 13 is seat 1's for certain; of 2, 3, 4, 5 two are seat 1's"""
    state = table_of_three()
    belief = state.belief(0, worlds=400, seed=1)
    assert belief["hand 1"][ACTIONS[13]] == pytest.approx(1)
    for card in cards(2, 3, 4, 5):
        assert belief["hand 1"][card] == pytest.approx(1 / 2, abs=0.12)
    # Of 18, 19, 20 seat 1 has two; of the six never seen it has the two of slot (1, 0).
    assert belief["hand 1"][ACTIONS[18]] == pytest.approx(2 / 3, abs=0.12)
    assert belief["hand 1"][ACTIONS[14]] == pytest.approx(1 / 3, abs=0.12)
    assert sum(belief["hand 1"].values()) == pytest.approx(7)
    assert by_id(belief["hand 1"]) == cards(2, 3, 4, 5, 7, 8, 9, 10, 13, 14, 15, 18, 19, 20)
