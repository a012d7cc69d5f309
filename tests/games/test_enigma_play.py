"""Enigma: the greedy rule, the playout rule and the evaluation, on positions worked out by hand."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import exp

import pytest
from enigma_table import CELLS, QUIET, cross, enigma, faces_in_hand, hand, keys, position
from sfumato.games import State
from statistics_of_counts import is_uniform

COLUMN = ("ag bh ai cj dk", "fl ch di ej bk")
BOTH = ("ag bh ci dh ak", "fl ch di ej bk")
FIVE = ("ag ah ai aj dk", "fl ch di ej bk")
#: a push of `ag` into the top completes seat 1's column of `g`
GIFT = ("ag bh ci dj ek", "fl ch dg ei bg")


def greedy(crosses, hand, keys_owned=(), **more):
    game = enigma(**{name: more.pop(name) for name in ("standing_lines", "key_supply") if name in more})
    state = position(crosses, [hand], keys_owned, game=game, **more)
    return state.words(state.greedy)


# --- greedy ---------------------------------------------------------------------------------------------


def test_greedy_takes_a_key():
    """EX2: `al bottom` is worth 10 for key a, less 2 for seat 1's `di dk`: 8; all others at most 2"""
    assert greedy(COLUMN, "al al fk fk ek") == "play al bottom"


def test_greedy_builds_pairs_and_breaks_ties_by_the_lowest_id():
    """EN-K2: `el top` (e e), `fg bottom` (g g) and `fh right` (h h) are worth 1 each, all others 0 or less;
    of the ids 145, 154 and 158 the lowest is taken"""
    assert greedy(QUIET[:2], "fg fg el el fh") == "play el top"


def test_greedy_breaks_the_pair_of_the_next_seat():
    """EN-T5: seat 1 has two `g` in its column. Any card to the bottom pushes `ek` there: 0. Top would push
    `ag`: -15 or -16; left keeps the pair: -2, with `dl` -1; centre makes `ch ci ei`: -3; right -4"""
    assert greedy(GIFT, "fk fk el el dl") == "play dl bottom"


def test_greedy_counts_a_standing_line():
    """EX7, R4: the row of h gives 10 wherever the column is played; `ek top` makes k k (11), `dl top` 10, and
    a card to the bottom makes seat 1's column `fl cj fk`, two f: 8"""
    assert greedy(["bg ah ch eh fk", "fl bi cj dk al"], "dl dl ek ek dj") == "play ek top"


def test_greedy_counts_a_due_bonus():
    """EX9: a is owned; `al bottom` makes five: 10, less 2 for seat 1's `di dk`"""
    assert greedy(FIVE, "al al bl bl fk", ["a"]) == "play al bottom"


def test_greedy_does_not_count_a_used_bonus():
    """EX9, EN-K11: `fk top` makes `fk dk` and gives seat 1 nothing: 1, as `fk centre`; others 0 or less"""
    assert greedy(FIVE, "al al bl bl fk", ["a"], bonus_used=[0]) == "play fk top"


def test_greedy_wins_at_once_with_the_lowest_id():
    """EN-W1: with six keys `ag centre` brings the seventh, and `ah centre`, worth more, brings two"""
    assert greedy(BOTH, "ag ah fl fk fj", ["cdefij"]) == "play ag centre"


def test_greedy_takes_two_keys_before_one():
    """EX3, EN-K4: as above with no key owned"""
    assert greedy(BOTH, "ag ah fl fk fj") == "play ah centre"


@pytest.mark.parametrize(
    ("owned", "hand", "taken"),
    [
        pytest.param("abg", "ck ck dk ek", "f", id="f is on no card of cross and hand"),
        pytest.param("abg", "ck dk ek fk", "c", id="c d e f on one hand card each: the lowest"),
        pytest.param("abcdef", "bk ck dk eg", "h", id="k three times in hand: 3; h on one cross card: 2"),
        pytest.param("abcdef", "bk bg ch di", "k", id="k once in hand: 1; j and l on one cross card: 2"),
    ],
)
def test_greedy_takes_the_bonus_key_that_is_hardest_to_get(owned, hand, taken):
    """EX8, EX11, EN-K10, R9: cross `ag ah ai aj al`"""
    state = position(["ag ah ai aj al", QUIET[1]], [hand], [owned], phase="bonus")
    assert state.words(state.greedy) == f"take_key {taken}"


def test_greedy_looks_at_no_hidden_card():
    """R18: other hands and another deck, the same move"""
    moves = {
        greedy_of(position(QUIET[:2], ["ah bi ck dl eg", other]))
        for other in ("fl fk fj fi fh", "ai aj ak al bg")
    }
    assert len(moves) == 1


def greedy_of(state):
    return state.words(state.greedy)


# --- playout --------------------------------------------------------------------------------------------


def one_play(state, seed, noise):
    """The table after one decision of a playout."""
    after, played = state.position.playout(seed, noise, 1)
    assert played == 1
    return State(state.game, after)


def plays(state, count, noise):
    """Seat 0's plays in so many playouts, read off its cross."""
    seen = Counter()
    before = cross(state, 0).split()
    for seed in range(count):
        after = cross(one_play(state, seed, noise), 0).split()
        (cell,) = [cell for cell in range(5) if before[cell] != after[cell]]
        seen[f"{after[cell]} {CELLS[cell]}"] += 1
    return seen


def test_a_playout_takes_the_most_keys():
    """EX3, EN-K4: `ah centre` brings two keys, `ai centre` one"""
    state = position(BOTH, ["ah ai fl fk fj"])
    assert set(plays(state, 200, 0.0)) == {"ah centre"}


def test_a_playout_chooses_at_random_among_equal_gains():
    """EX2: `al bottom` and `ak bottom`"""
    state = position(COLUMN, ["al ak fl fk fj"])
    assert is_uniform(plays(state, 400, 0.0), ["al bottom", "ak bottom"])


def test_a_playout_hands_over_no_line_if_it_can_be_avoided():
    """EN-K6: a card to the top would give seat 1 its column of g; the 12 other plays are chosen alike"""
    state = position(GIFT, ["fk fk el el dl"])
    others = [f"{face} {cell}" for face, cell in product(("dl", "el", "fk"), CELLS[1:])]
    assert is_uniform(plays(state, 1200, 0.0), others)


def test_a_line_of_an_owned_key_may_be_handed_over():
    """EN-K7: as above, but seat 1 owns g"""
    state = position(GIFT, ["fk fk el el dl"], ["", "g"])
    assert is_uniform(plays(state, 1500, 0.0), every_play(("dl", "el", "fk")))


def test_a_playout_plays_anything_if_every_play_hands_over_a_line():
    """EN-K6: seat 1's column shows a and its row h; no single push breaks both"""
    state = position(["dk ek aj fk cl", "ag bh ah ch ai"], ["bl bl ci ci dl"])
    assert is_uniform(plays(state, 1500, 0.0), every_play(("bl", "ci", "dl")))


def test_a_noisy_playout_is_uniform_over_decisions_not_over_cards():
    """R19: 15 decisions of a hand with two pairs"""
    state = position(COLUMN, ["al al fk fk ek"])
    assert is_uniform(plays(state, 1500, 1.0), every_play(("al", "ek", "fk")))


def every_play(faces):
    return [f"{face} {cell}" for face, cell in product(faces, CELLS)]


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_a_playout_plays_the_older_of_two_equal_cards(noise):
    """R19: `ai` of shuffle 0 and `ai` of shuffle 1"""
    state = position(QUIET[:2], ["ai ai:1 bj ck:1 dl:1"], turns=60, shuffle=1)
    played = 0
    for seed in range(100):
        after = one_play(state, seed, noise)
        if "ai" in cross(after, 0):
            assert {"ai", "ai:1"} & set(hand(after, 0).split()) == {"ai:1"}
            played += 1
    assert played > 5


def test_half_the_noise_is_half_the_time():
    """EX2: a key is taken in the sensible half, and in 2 of 15 plays of the other"""
    state = position(COLUMN, ["al al ak fk fk"])
    taken = sum("a" in keys(one_play(state, seed, 0.5), 0) for seed in range(1500))
    assert abs(taken / 1500 - (0.5 + 0.5 * 2 / 15)) < 0.06


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_playouts_end(players, noise):
    """EN-W1, EN-W4: at most two decisions a turn"""
    state = enigma().new(players=players, seed=3)
    for seed in range(20):
        after, played = state.position.playout(seed, noise, -1)
        assert after.to_move == -1
        assert after.check() == 0
        assert 7 * players <= played + 6 * players
        assert played <= 2 * players * (60 if players == 2 else 100)


def test_a_playout_may_be_cut():
    """EN-T2: so many decisions and no more"""
    state = enigma().new(players=3, seed=3)
    for plies in (0, 1, 5):
        after, played = state.position.playout(1, 0.0, plies)
        assert played == plies
        assert after.check() == 0


def test_a_playout_takes_the_bonus_as_the_greedy_rule_does():
    """EX8, R9"""
    state = position(["ag ah ai aj al", QUIET[1]], ["ck ck dk ek"], ["abg"], phase="bonus")
    for seed in range(20):
        assert keys(one_play(state, seed, 0.0), 0) == "abfg"


# --- evaluation -----------------------------------------------------------------------------------------


def softmax(values):
    weights = [exp(value) for value in values]
    return [weight / sum(weights) for weight in weights]


def evaluated(crosses, keys_owned, **more):
    state = position(crosses, (), keys_owned, **more)
    shares, scores = state.position.evaluate()
    assert len(shares) == len(scores) == state.players
    assert sum(shares) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in shares)
    assert all(len(keys(state, seat)) <= score <= 8 for seat, score in enumerate(scores))
    return shares


def test_shares_of_two_players_by_keys():
    """EN-W1: 1.7 for each key, 0.15 for seat 0 to move, both bonuses unused"""
    shares = evaluated(QUIET[:2], ["abc", "a"], turns=20)
    assert shares == pytest.approx(softmax([1.7 * 3 + 0.15, 1.7]), abs=0.005)


def test_shares_of_three_players_near_the_end():
    """EN-W1, EN-K11: 0.6 for each key, 0.5 more above 4, 0.2 for an unused bonus; seat 2 to move"""
    shares = evaluated(QUIET[:3], ["abcde", "abcd", ""], turns=20, to_move=2, bonus_used=[1])
    assert shares == pytest.approx(softmax([0.6 * 5 + 0.5 + 0.2, 0.6 * 4, 0.15 + 0.2]), abs=0.005)


def test_shares_of_four_players():
    """EN-W1: 0.5 for each key, 0.7 more above 4"""
    shares = evaluated(QUIET, ["abcdef", "abc", "ab", "a"], turns=20)
    assert shares == pytest.approx(softmax([0.5 * 6 + 1.4 + 0.15, 1.5, 1, 0.5]), abs=0.005)


def test_near_the_cap_keys_count_double():
    """EN-W4, R15: turns 115 to 117 of 120"""
    shares = evaluated(QUIET[:2], ["a", ""], turns=116)
    assert shares == pytest.approx(softmax([2 * 1.7 + 0.15, 0]), abs=0.005)


@pytest.mark.parametrize("turns", [118, 119])
def test_in_the_last_round_the_keys_decide(turns):
    """EN-W4, R15"""
    assert evaluated(QUIET[:2], ["abcd", "abc"], turns=turns)[0] > 0.8
    assert evaluated(QUIET[:2], ["abc", "abcd"], turns=turns)[0] < 0.2


def test_pairs_and_standing_lines_are_worth_something():
    """EN-K6: seat 0 to move with two g in its column, then with three"""
    quiet = evaluated(["ag bh ci dj ek", QUIET[1]], [], turns=20)
    pair = evaluated(["ag bh dg ej fk", QUIET[1]], [], turns=20)
    line = evaluated(["ag bh dg ej fg", QUIET[1]], [], turns=20)
    assert quiet[0] < pair[0] < line[0]


def test_the_shares_of_a_finished_game_are_its_result():
    """EN-W2, EN-W4"""
    won = position(COLUMN, ["al"], ["bcdefg", "a"])
    won.apply("play al bottom")
    assert won.position.evaluate() == ([1, 0], [7, 1])
    drawn = position(QUIET[:2], ["fk"], ["abcd", "efgh"], turns=119)
    drawn.apply("play fk left")
    assert drawn.position.evaluate() == ([0.5, 0.5], [4, 4])


def test_the_evaluation_looks_at_no_hand():
    """R18"""
    values = {
        str(position(QUIET[:2], [own, ""], ["ab"], turns=20).position.evaluate())
        for own in ("ah bi ck dl eg", "fl fk fj fi fh")
    }
    assert len(values) == 1
    assert len(faces_in_hand(position(QUIET[:2]), 0)) == 5
