"""OMNIA: points at the end, majorities, sets, ranks."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from omnia_model import after_one_set, at_most_twice
from omnia_table import CHARACTERS, CITIES, INVENTIONS, WORKS, finished, omnia, points, turn

DOUBLE = {"set_repeat": "double"}
LEONARDO = {"leonardo_in_majorities": True}
#: a city that gives nobody anything while nobody has coins (R14)
QUIET = "genova"


def first(own, cities, coins=0, **options):
    """The points of seat 0, whose opponent has nothing."""
    return points([own, ""], cities, [coins, 0], game=omnia(**options))[0]


# --- printed points -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "worth"),
    [(name, entry[2]) for faces in (WORKS, INVENTIONS, CHARACTERS) for name, entry in faces.items()],
)
def test_every_card_gives_its_printed_points(name, worth):
    """OM-E1, OM-P1, OM-P2, OM-W4"""
    assert first(name, QUIET) == worth


def test_printed_points_count_for_cards_in_sets_too():
    """R22, OM-E1: mantova 3, cecilia 2, lisa 3"""
    assert first("cecilia_gallerani lisa_gherardini", "mantova") == 3 + 2 + 3


def test_roberta():
    """EX5, OM-E6, OM-E5: 6 on cards, parma 0 of 7, amboise 8, vinci 0, pavia 2 times 2: 18"""
    roberta = "purple yellow leo_w0 azure azure azure green blue ludovico_il_moro"
    matteo = "purple purple yellow red orange"
    got = points([roberta, matteo], "parma amboise vinci pavia")
    assert got[0] == (2 + 4) + 0 + 8 + 0 + 2 * 2 == 18
    assert got[1] == 7


def test_three_characters_of_the_rulebook_at_the_end():
    """EX3, OM-P2: 1 + 0 + 4"""
    assert first("cesare_borgia lorenzo_de_medici ludovico_il_moro", QUIET) == 5


def test_the_points_of_a_chain():
    """EX13: 2 + 2 + 1 + 1"""
    assert first("leo_w0 leo_i0 leo_w1 ser_piero", QUIET) == 6


# --- majorities -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("city", "own", "coins", "expected"),
    [
        pytest.param(
            "parma",
            ["purple purple red", "yellow yellow orange", "red"],
            (),
            [3, 3, 0],
            id="7 for two: 3 each",
        ),
        pytest.param(
            "bologna",
            ["lorenzo_de_medici bramante", "verrocchio salai", "luca_pacioli"],
            (),
            [2, 2, 0],
            id="4 for two",
        ),
        pytest.param("vigevano", ["purple", "red", "azure", "salai"], (), [0] * 4, id="3 for four"),
        pytest.param("genova", ["", ""], (0, 0), [0, 0], id="no coins: nobody"),
        pytest.param("genova", ["", "", ""], (2, 5, 5), [0, 2, 2], id="most coins"),
        pytest.param("cesena", ["azure", "azure teal", ""], (), [0, 7, 0], id="most inventions"),
        pytest.param(
            "piombino", ["azure red", "teal blue green", "red"], (), [0, 5, 0], id="works and inventions"
        ),
        pytest.param(
            "vigevano",
            ["azure red", "bramante salai lorenzo_de_medici", "purple azure"],
            (),
            [0, 3, 0],
            id="cards of all three kinds",
        ),
    ],
)
def test_majorities(city, own, coins, expected):
    """EX6, OM-E3, OM-E6, R14: shared equally, rounded down; nobody has a majority of nothing"""
    assert points(own, city, coins) == expected


def test_a_majority_of_characters_shared_by_three():
    """EX6, OM-E3: 4 for three is 1 each; six characters without points do not exist, so 1 is added for one"""
    own = ["lorenzo_de_medici verrocchio", "luca_pacioli bramante", "salai caterina"]
    assert points(own, "bologna") == [1, 1, 1 + 1]


def test_a_card_counts_for_any_number_of_majorities():
    """OM-E3, OM-E2: parma 7, piombino 5 and vigevano 3 with the same two works, then firenze with them too"""
    assert points(["purple purple", "azure"], "parma piombino vigevano") == [7 + 5 + 3, 0]
    assert points(["purple purple", "azure"], "parma piombino vigevano firenze") == [7 + 5 + 3 + 3, 0]


def test_leonardo_cards_count_for_no_majority():
    """EX7, OM-W2, R11: 2 coloured works and leo_w2 (3 points) against 3 coloured ones"""
    own = ["purple red leo_w2", "yellow yellow orange"]
    assert points(own, "parma") == [3, 7]
    assert points(own, "parma", game=omnia(**LEONARDO)) == [3 + 3, 3]


@pytest.mark.parametrize(
    ("city", "gain"), [("parma", 0), ("cesena", 7), ("piombino", 5), ("vigevano", 3), ("bologna", 0)]
)
def test_the_option_counts_leonardo_cards_of_both_packs(city, gain):
    """R11: leo_i1 is the only card, 1 point; with the option it is a majority"""
    assert first("leo_i1", city) == 1
    assert first("leo_i1", city, **LEONARDO) == 1 + gain


def test_characters_always_count_for_majorities():
    """R11, OM-E6"""
    for options in ({}, LEONARDO):
        assert first("bramante", "bologna vigevano", **options) == 4 + 3


def test_a_city_counts_for_everybody_whoever_activated_it():
    """OM-C5, OM-C4: seat 0 lays venezia down in the last turn but one; both have coins"""
    state = turn("C1/2", round=5, coins=[3, 4], cities="genova", own=["", ""])
    state.apply("draw_city", ["drawn venezia vinci roma"])
    state.apply("activate venezia")
    state.apply("coins1")
    state.apply(state.legal_actions[0])
    while not state.is_terminal:
        state.apply("done")
    assert state.outcome.scores == [2 * 4 + 2, 2 * 4 + 2], "genova is shared: 4 coins each"


# --- sets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("city", "own", "coins", "worth"),
    [
        ("vinci", "azure azure", 0, 3),
        ("vinci", "azure green", 0, 0),
        ("vinci", "azure azure green green", 0, 3 + 3),
        ("amboise", "azure azure azure", 0, 8),
        ("amboise", "azure azure green", 0, 0),
        ("firenze", "red red", 0, 3),
        ("firenze", "red purple", 0, 0),
        ("milano", "orange orange orange", 0, 8),
        ("milano", "orange orange red", 0, 0),
        ("roma", "purple yellow red orange", 0, 7),
        ("roma", "purple yellow red red", 0, 0),
        ("imola", "azure green blue teal", 0, 7),
        ("imola", "azure green blue blue", 0, 0),
        ("pavia", "azure red", 0, 2),
        ("pavia", "azure azure red red", 0, 2 + 2),
        ("pavia", "azure azure", 0, 0),
        ("urbino", "azure red bramante", 0, 4),
        ("urbino", "azure red", 0, 0),
        ("mantova", "bramante salai", 0, 3),
        ("mantova", "bramante", 0, 0),
        ("mantova", "bramante salai luca_pacioli verrocchio", 0, 3 + 3),
        ("venezia", "", 1, 2),
        ("venezia", "", 7, 7 * 2),
    ],
)
def test_sets_of_each_city(city, own, coins, worth):
    """OM-E4, OM-E6, OM-W1, OM-W3: once for every complete set"""
    assert first(own, city, coins) == worth


@pytest.mark.parametrize(
    ("city", "own"),
    [
        ("vinci", "azure leo_i0"),
        ("firenze", "purple leo_w0"),
        ("pavia", "leo_w0 azure"),
        ("pavia", "leo_i0 red"),
        ("roma", "purple yellow red leo_w2"),
        ("imola", "azure green blue leo_i2"),
        ("urbino", "leo_w1 azure bramante"),
        ("milano", "leo_w0 leo_w1 leo_w2"),
    ],
)
def test_leonardo_cards_complete_no_set(city, own):
    """OM-W2, OM-W3, R11: with and without the option only the printed points count"""
    printed = sum((WORKS | INVENTIONS | CHARACTERS)[card][2] for card in own.split())
    assert first(own, city) == printed
    assert first(own, city, **LEONARDO) == printed


def test_a_card_serves_one_set_only():
    """OM-E5: two azure make vinci 3, or two pairs 4 with two works; with one work 3 or 2, never 5"""
    assert first("azure azure red red", "vinci pavia") == 4
    assert first("azure azure red", "vinci pavia") == 3
    assert first("azure azure azure red", "vinci pavia") == 3 + 2


def test_the_best_assignment_counts():
    """EX10, OM-E7, R12: milano 8 and nothing more, or roma 7 + firenze 3"""
    own = "purple purple purple yellow red orange"
    assert first(own, "milano roma firenze") == 7 + 3 == 10
    assert first(own, "milano firenze") == 8
    assert first(own, "milano roma") == 8


def test_repeated_sets():
    """EX11, OM-E4, R13: three pairs of inventions; with `double` at most two sets of a city, coins apart"""
    own = "azure azure azure azure green green"
    assert first(own, "vinci") == 3 * 3
    assert first(own, "vinci", **DOUBLE) == 2 * 3
    for options in ({}, DOUBLE):
        assert first("", "venezia", 5, **options) == 5 * 2


@pytest.mark.parametrize(
    ("city", "own", "each", "twice"),
    [
        ("pavia", "azure azure azure red red red", 6, 4),
        ("urbino", "azure azure azure red red red bramante salai luca_pacioli", 12, 8),
        ("mantova", "bramante salai luca_pacioli verrocchio lorenzo_de_medici caterina", 9 + 1, 6 + 1),
        ("firenze", "red red red red purple purple", 9, 6),
        ("milano", "red red red purple purple purple orange orange orange", 24, 16),
    ],
)
def test_the_other_reading_of_repeated_sets(city, own, each, twice):
    """R13: `set_repeat`"""
    assert first(own, city) == each
    assert first(own, city, **DOUBLE) == twice


def test_mixed_sets():
    """EX12, OM-E7: three urbino sets; two and one pavia 8 + 2, or vinci 3 + urbino 4 + mantova 3, are less"""
    own = "purple purple yellow azure azure green bramante salai luca_pacioli"
    assert first(own, "pavia urbino mantova vinci") == 3 * 4
    assert first(own, "pavia mantova vinci") == max(3 + 2 + 3, 3 * 2 + 3)


def test_coins_are_used_like_cards_and_count_for_majorities_too():
    """R15, OM-E3: 3 coins: venezia 6, genova 4"""
    assert points(["", ""], "venezia genova", [3, 2]) == [3 * 2 + 4, 2 * 2]


def test_everything_in_one_hand():
    """OM-E1, OM-E2, OM-E7: printed 36, majorities 30, venezia 36, works and inventions 39 each, mantova 24"""
    everything = " ".join(
        f"{name} " * entry[0] for faces in (WORKS, INVENTIONS, CHARACTERS) for name, entry in faces.items()
    )
    printed = 6 + 6 + 24
    sets = 18 * 2 + 2 * (4 * 8 + 7) + 8 * 3
    majorities = 4 + 3 + 7 + 7 + 4 + 5
    assert first(everything, " ".join(CITIES), 18) == printed + sets + majorities == 204


# --- the optimiser against brute force ------------------------------------------------------------------


@cache
def brute_force(cities, works, inventions, characters, coins, repeat, used=()):
    """The most points of sets: any set of any city next, in every way, until none is possible."""
    best = 0
    for city in cities:
        if at_most_twice(city, repeat) and used.count(city) == 2:
            continue
        again = tuple(sorted((*used, city))) if repeat == "double" else ()
        for left in after_one_set(city, works, inventions, characters, coins):
            best = max(best, CITIES[city]["set"] + brute_force(cities, *left, repeat, again))
    return best


SET_CITIES = [city for city in CITIES if "set" in CITIES[city]]


def random_tableaux(luck, most):
    """Cards for four seats out of one box, at most so many works, inventions and characters for a seat."""
    own = [[] for _ in range(4)]
    for faces in (WORKS, INVENTIONS, CHARACTERS):
        box = [name for name, entry in faces.items() for _ in range(entry[0])]
        luck.shuffle(box)
        for seat in own:
            number = luck.randint(0, min(most, len(box)))
            seat += [box.pop() for _ in range(number)]
    return [" ".join(seat) for seat in own]


def expected_points(words, cities, coins, repeat):
    names = words.split()
    printed = sum((WORKS | INVENTIONS | CHARACTERS)[name][2] for name in names)
    works, inventions = (
        tuple(sorted(names.count(face) for face in list(faces)[:4])) for faces in (WORKS, INVENTIONS)
    )
    characters = sum(name in CHARACTERS for name in names)
    return printed + brute_force(cities, works, inventions, characters, coins, repeat)


def compare_with_brute_force(subsets, tables, most, repeat, seed):
    luck = Random(seed)
    game = omnia(set_repeat=repeat)
    for _ in range(subsets):
        cities = tuple(luck.sample(SET_CITIES, luck.randint(1, 7)))
        brute_force.cache_clear()
        for _ in range(tables):
            own = random_tableaux(luck, most)
            coins = [luck.randint(0, 3) for _ in own]
            got = points(own, " ".join(cities), coins, game=game)
            assert got == [
                expected_points(words, cities, count, repeat) for words, count in zip(own, coins, strict=True)
            ], (own, cities, coins)


def test_the_best_sets_equal_a_brute_force_search():
    """OM-E4, OM-E5, OM-E7, R12: 10,000 random tableaux, 40 choices of active cities"""
    compare_with_brute_force(subsets=40, tables=60, most=5, repeat="each", seed=1)
    compare_with_brute_force(subsets=10, tables=10, most=4, repeat="double", seed=2)


@pytest.mark.slow
@pytest.mark.parametrize(("repeat", "most"), [("each", 10), ("double", 6)])
def test_the_best_sets_of_large_tableaux_equal_a_brute_force_search(repeat, most):
    """OM-E4, OM-E5, OM-E7, R12, R13"""
    compare_with_brute_force(subsets=60, tables=40, most=most, repeat=repeat, seed=3)


@pytest.mark.parametrize("repeat", ["each", "double"])
def test_one_card_or_coin_more_never_costs_points(repeat):
    """OM-E7: of set cities"""
    luck = Random(5)
    game = omnia(set_repeat=repeat)
    plain = ["purple", "yellow", "red", "orange", "azure", "green", "blue", "teal", "bramante"]
    for _ in range(120):
        cities = " ".join(luck.sample(SET_CITIES, 4))
        own, coins = random_tableaux(luck, 4), [1, 1, 1, 1]
        before = points(own, cities, coins, game=game)
        assert points(own, cities, [2, 1, 1, 1], game=game)[0] >= before[0]
        used = " ".join(own).split()
        faces = WORKS | INVENTIONS | CHARACTERS
        more = next(card for card in plain if used.count(card) < faces[card][0])
        after = points([f"{own[0]} {more}", *own[1:]], cities, coins, game=game)
        assert after[0] >= before[0]
        assert after[1:] == before[1:], "nobody else gains or loses by it"


# --- ranks ----------------------------------------------------------------------------------------------


def test_the_ranking():
    """EX18, OM-X1, OM-X2, R16: points, then coins, then characters; D 1, A 2, B 2, C 4"""
    own = [
        "yellow yellow yellow green green green cecilia_gallerani lorenzo_de_medici verrocchio",
        "red red red blue blue blue botticelli luca_pacioli bramante",
        "orange orange leo_w2 teal teal teal salai caterina ser_piero cesare_borgia isabella_d_este",
        "purple purple purple azure azure azure leo_w0 leo_i0",
    ]
    outcome = finished(own, "milano amboise firenze", [2, 2, 1, 0]).outcome
    assert outcome.scores == [8 + 8 + 2, 8 + 8 + 2, 3 + 3 + 8 + 4, 8 + 8 + 4] == [18, 18, 18, 20]
    assert outcome.ranks == [2, 2, 4, 1]
    assert outcome.win_shares == [0, 0, 0, 1]


def test_a_tie_goes_to_the_one_with_more_coins_even_if_they_are_used_in_sets():
    """OM-X1, R15, R22: 3 coins with venezia against Francesco I"""
    outcome = finished(["", "francesco_i"], "venezia", [3, 0]).outcome
    assert (outcome.scores, outcome.ranks, outcome.win_shares) == ([6, 6], [1, 2], [1, 0])


def test_then_to_the_one_with_more_characters_even_if_they_are_used_in_sets():
    """OM-X1, R22: mantova with two characters against leo_w2"""
    outcome = finished(["leo_w2", "bramante salai"], "mantova", [2, 2]).outcome
    assert (outcome.scores, outcome.ranks) == ([3, 3], [2, 1])


@pytest.mark.parametrize(
    ("own", "ranks", "shares"),
    [
        (["caterina", "ser_piero"], [1, 1], [1 / 2, 1 / 2]),
        (["caterina", "ser_piero", "lorenzo_de_medici"], [1, 1, 3], [1 / 2, 1 / 2, 0]),
        (["caterina", "ser_piero", "cesare_borgia"], [1, 1, 1], [1 / 3] * 3),
        (["", "", "", ""], [1, 1, 1, 1], [1 / 4] * 4),
        (["francesco_i", "caterina", "ser_piero", ""], [1, 2, 2, 4], [1, 0, 0, 0]),
    ],
)
def test_who_is_still_level_shares_the_rank(own, ranks, shares):
    """OM-X1, OM-X2, R16"""
    outcome = finished(own, "milano").outcome
    assert outcome.ranks == ranks
    assert outcome.win_shares == pytest.approx(shares)
