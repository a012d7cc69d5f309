"""Leduc poker: the rules by example, dealing against an enumeration, OpenSpiel step by step."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, product

import pyspiel
import pytest
from openspiel import assert_same_games
from sfumato.games import SfumatoError, State, load

RANKS = "JQK"
GAME = load("leduc_poker")


def dealt(first: str, second: str) -> State:
    return GAME.new(seed=1, seen=[f"hand 0 {first}", f"hand 1 {second}"])


def played(first: str, second: str, *actions: str, public: str = "Q") -> State:
    """The table after these actions; the public card comes when the first round ends."""
    state = dealt(first, second)
    for action in actions:
        now = state.fields()
        ends_the_first_round = now.round == 0 and action == "call" and (now.raises or now.calls)
        state.apply(action, [f"public {public}"] if ends_the_first_round else [])
    return state


# The rules

def test_the_deck_has_two_cards_of_each_of_three_ranks():
    """LE-1"""
    assert dealt("J", "Q").fields().deck == [1, 1, 2]
    with pytest.raises(SfumatoError, match="is for 2 players, not 3"):
        GAME.new(players=3)


def test_each_seat_antes_one_chip_and_is_told_its_own_card_only():
    """LE-2"""
    state = dealt("K", "J")
    assert state.fields().paid == [1, 1]
    assert (state.setup_words(0), state.setup_words(1)) == (["hand 0 K"], ["hand 1 J"])
    assert state.setup_words(None) == ["hand 0 K", "hand 1 J"]


def test_a_third_card_of_a_rank_cannot_be_dealt():
    """LE-1"""
    with pytest.raises(SfumatoError, match="cannot bring"):
        played("K", "K", "call", "call", public="K")


@pytest.mark.parametrize("opening", [["call", "call"], ["raise", "call"], ["call", "raise", "call"]])
def test_seat_0_begins_both_rounds_whoever_raised(opening):
    """LE-3"""
    assert dealt("K", "J").to_move == 0
    state = played("K", "J", *opening)
    assert (state.to_move, state.fields().round) == (0, 1)


def test_a_check_costs_nothing_and_a_call_pays_the_raise():
    """LE-4"""
    assert played("K", "J", "call").fields().paid == [1, 1]
    assert played("K", "J", "raise", "call").fields().paid == [3, 3]


def test_a_raise_is_two_chips_in_the_first_round_and_four_in_the_second():
    """LE-5"""
    assert played("K", "J", "raise").fields().paid == [3, 1]
    assert played("K", "J", "raise", "raise").fields().paid == [3, 5]
    assert played("K", "J", "call", "call", "raise").fields().paid == [5, 1]
    assert played("K", "J", "call", "call", "raise", "raise").fields().paid == [5, 9]


@pytest.mark.parametrize("before", [[], ["raise", "raise", "call"]])
def test_two_raises_a_round_and_no_fold_without_a_raise(before):
    """LE-6 LE-7"""
    assert played("K", "J", *before).legal_words == ["call", "raise"]
    assert played("K", "J", *before, "call").legal_words == ["call", "raise"]
    assert played("K", "J", *before, "raise").legal_words == ["fold", "call", "raise"]
    assert played("K", "J", *before, "raise", "raise").legal_words == ["fold", "call"]
    assert played("K", "J", *before, "call", "raise", "raise").legal_words == ["fold", "call"]


def test_a_round_ends_with_two_checks_or_the_call_of_a_raise():
    """LE-8"""
    assert played("K", "J", "call").fields().round == 0
    assert played("K", "J", "call", "raise").fields().round == 0
    assert played("K", "J", "call", "call").fields().round == 1
    assert played("K", "J", "call", "raise", "call").fields().round == 1
    assert not played("K", "J", "call", "call", "call").is_terminal
    assert played("K", "J", "call", "call", "call", "call").is_terminal
    assert played("K", "J", "call", "call", "raise", "call").is_terminal


def test_the_public_card_comes_out_of_the_deck_after_the_first_round_and_all_see_it():
    """LE-9"""
    state = dealt("K", "J")
    assert state.apply("call").words(0) == []
    step = state.apply("call", ["public J"])
    assert step.words(0) == step.words(1) == ["public J"]
    assert state.fields().deck == [0, 2, 1]
    assert state.observation(1)["public_card"] == "J"


@pytest.mark.parametrize(("actions", "scores"), [
    (["raise", "fold"], [1, -1]),
    (["call", "raise", "fold"], [-1, 1]),
    (["raise", "raise", "fold"], [-3, 3]),
    (["raise", "call", "call", "raise", "fold"], [-3, 3]),
    (["raise", "raise", "call", "raise", "raise", "fold"], [-9, 9]),
])
def test_who_folds_loses_what_he_paid_whatever_the_cards(actions, scores):
    """LE-7 LE-10 LE-12"""
    for hands in ("KJ", "JK", "QQ"):
        outcome = played(*hands, *actions, public="K").outcome
        assert outcome.scores == scores
        assert outcome.ranks == ([1, 2] if scores[0] > 0 else [2, 1])


@pytest.mark.parametrize(("hands", "public", "scores"), [
    ("KJ", "Q", [1, -1]),           # the higher rank
    ("JQ", "K", [-1, 1]),
    ("JK", "J", [1, -1]),           # a pair beats a higher rank
    ("KQ", "Q", [-1, 1]),
    ("QQ", "K", [0, 0]),            # equal ranks share
    ("JJ", "Q", [0, 0]),
])
def test_showdown(hands, public, scores):
    """LE-11"""
    outcome = played(*hands, *["call"] * 4, public=public).outcome
    assert outcome.scores == scores
    assert outcome.win_shares == [0.5 + 0.5 * score for score in scores]


def test_the_winner_gets_what_the_other_paid_at_most_thirteen():
    """LE-12: ante 1, two raises of 2, two raises of 4"""
    most = played("K", "J", *["raise", "raise", "call"] * 2)
    assert most.fields().paid == [13, 13]
    assert most.outcome.scores == [13, -13]
    assert most.position.table.score_range == (-13, 13)


def test_an_observation_has_no_trace_of_the_other_card_until_a_showdown():
    """LE-13 LE-14"""
    for actions in ([], ["raise"], ["call", "call"], ["call", "call", "raise"], ["raise", "fold"]):
        seen = [played("Q", other, *actions, public="K").observation(0) for other in RANKS]
        assert seen[0] == seen[1] == seen[2]
        assert seen[0]["hand"] == "Q"
        assert seen[0]["other_hand"] is None
    showdown = played("Q", "J", *["call"] * 4, public="K")
    assert (showdown.observation(0)["other_hand"], showdown.observation(1)["other_hand"]) == ("J", "Q")


def test_a_fold_shows_no_card_and_a_showdown_shows_each_seat_the_other_one():
    """LE-14"""
    assert played("K", "J", "raise").apply("fold").words(None) == []
    step = played("K", "J", *["call"] * 3).apply("call")
    assert (step.words(0), step.words(1)) == (["hand 1 J"], ["hand 0 K"])
    assert step.words(None) == ["hand 0 K", "hand 1 J"]


def test_the_table_is_drawn_from_a_seat():
    state = played("K", "J", "call", "call", "raise", public="Q")
    assert state.render(1).splitlines() == [
        "round 2   pot 6   public card Q",
        "seat 0  card ?  paid  5",
        "seat 1  card J  paid  1  to move",
    ]
    assert "card K" in state.render(None)


# Dealing

@pytest.mark.parametrize(("mine", "public"), [("K", None), ("J", "Q"), ("Q", "Q"), ("K", "J")])
@pytest.mark.parametrize("seat", [0, 1])
def test_every_card_that_the_seat_does_not_see_is_equally_likely_in_the_other_hand(mine, public, seat):
    """LE-13"""
    unseen = [rank for rank in RANKS for _suit in range(2)]
    unseen.remove(mine)
    if public is not None:
        unseen.remove(public)
    other = unseen[-1]
    hands = (mine, other) if seat == 0 else (other, mine)
    state = dealt(*hands) if public is None else played(*hands, "call", "call", public=public)
    deals = 4000
    worlds = [state.dealt(seat, seed).fields() for seed in range(deals)]
    assert {RANKS[world.hand[seat]] for world in worlds} == {mine}
    found = Counter(RANKS[world.hand[1 - seat]] for world in worlds)
    assert set(found) == set(unseen)
    expected = {rank: deals * number / len(unseen) for rank, number in Counter(unseen).items()}
    chi_square = sum((found[rank] - number) ** 2 / number for rank, number in expected.items())
    assert chi_square < 18.4        # two degrees of freedom: 1 in 10,000


# Which positions there are

def successors(state: State, action: int) -> list[State]:
    """The positions after an action, one for each public card that it may turn over."""
    after = []
    for rank in RANKS:
        child = state.clone(seed=0)
        try:
            child.apply(action, [f"public {rank}"])
        except SfumatoError:
            continue
        after.append(child)
    return after or [state.child(action, seed=0)]


@pytest.fixture(scope="module")
def reachable() -> list[State]:
    """Every position of the game, once."""
    found = {}
    waiting = [dealt(first, second) for first, second in product(RANKS, RANKS)]
    while waiting:
        state = waiting.pop()
        if state.position.state_bytes not in found:
            found[state.position.state_bytes] = state
            waiting += [child for action in state.legal_actions for child in successors(state, action)]
    return list(found.values())


def test_the_game_has_as_many_positions_as_counted_by_hand(reachable):
    """In a round nobody has raised (seat 0 decides, or seat 1 after a check), or one or two raises stand, the
    last by either seat, or one of these four was folded to. The second round may also end in a showdown
    after 0, 1 or 2 raises. There are 9 pairs of hands, 24 with a public card, and the second round begins
    with 1, 3 or 5 chips of each seat.
    """
    first, second = 2 + 4 + 4, 2 + 4 + 4 + 3
    assert len(reachable) == 9 * first + 24 * 3 * second


def test_check_admits_every_position_of_the_game(reachable):
    assert all(state.position.check() == 0 for state in reachable)
    assert all(GAME.from_bytes(state.to_bytes()) == state for state in reachable)


def is_admitted(data: bytes) -> bool:
    try:
        GAME.table(2).read(data)
    except ValueError:
        return False
    return True


def test_check_refuses_everything_that_is_one_field_away_from_the_game(reachable):
    known = {state.position.state_bytes for state in reachable}
    values = [*range(15), 127, 128, 254, 255]
    for data in known:
        for place, value in product(range(len(data)), values):
            changed = data[:place] + bytes([value]) + data[place + 1:]
            assert is_admitted(changed) == (changed in known), changed


def test_check_refuses_what_is_two_or_three_fields_away(reachable):
    known = {state.position.state_bytes for state in reachable}
    choice = random.Random(5)
    for data in sorted(known):
        places_changed = [*combinations(range(len(data)), 2), *combinations(range(len(data)), 3)]
        for places in choice.sample(places_changed, 60):
            changed = bytearray(data)
            for place in places:
                changed[place] = choice.choice([0, 1, 2, 3, 5, 7, 9, 255])
            assert is_admitted(bytes(changed)) == (bytes(changed) in known), changed


# Playing it well

@pytest.mark.parametrize(("hands", "actions", "public", "move"), [
    ("KJ", [], "Q", "raise"),
    ("QK", [], "Q", "call"),
    ("JK", [], "Q", "call"),
    ("KJ", ["raise"], "Q", "fold"),
    ("KQ", ["raise"], "Q", "call"),
    ("QK", ["raise"], "Q", "raise"),
    ("JK", ["call", "call"], "J", "raise"),
    ("KJ", ["call", "call", "raise"], "J", "raise"),
    ("KJ", ["raise", "raise"], "Q", "call"),
])
def test_the_simple_player(hands, actions, public, move):
    state = played(*hands, *actions, public=public)
    assert state.words(state.greedy) == move


@pytest.mark.parametrize(("hands", "actions", "public", "shares", "scores"), [
    ("KJ", [], "Q", [0.75, 0.25], [0.5, -0.5]),             # of J Q Q K one, the jack, makes seat 1 win
    ("KJ", ["raise"], "Q", [0.75, 0.25], [1.5, -1.5]),
    ("KK", [], "Q", [0.5, 0.5], [0, 0]),
    ("KJ", ["raise", "call"], "J", [0, 1], [-3, 3]),
    ("QJ", ["call", "call", "raise"], "K", [1, 0], [5, -5]),
    ("KJ", ["raise", "fold"], "Q", [1, 0], [1, -1]),
    ("QQ", ["call"] * 4, "K", [0.5, 0.5], [0, 0]),
])
def test_evaluation_is_the_showdown_over_the_public_cards_to_come(hands, actions, public, shares, scores):
    assert played(*hands, *actions, public=public).position.evaluate() == (shares, scores)


# OpenSpiel

def word_of(theirs: pyspiel.State, card: int) -> str:
    """OpenSpiel deals to seat 0, to seat 1, and then the public card: two cards of each rank."""
    dealt_before = sum(outcome.player == pyspiel.PlayerId.CHANCE for outcome in theirs.full_history())
    place = ("hand 0", "hand 1", "public")[dealt_before]
    return f"{place} {RANKS[card // 2]}"


def test_as_openspiel_step_by_step():
    """LE-1 to LE-12"""
    assert_same_games(GAME, 2_000, word_of)


@pytest.mark.slow
def test_as_openspiel_along_many_games():
    assert_same_games(GAME, 10_000, word_of)


# Bad input

@pytest.mark.parametrize(("change", "code", "path"), [
    ({"hand": "A"}, "bad_face", "hand"),
    ({"hand": ""}, "bad_face", "hand"),
    ({"public_card": "T"}, "bad_face", "public_card"),
    ({"public_card": None}, "inconsistent", ""),
    ({"other_hand": "J"}, "bad_cards", "other_hand"),
    ({"folded": 0}, "inconsistent", ""),
    ({"folded": 7}, "inconsistent", ""),
    ({"round": 0}, "inconsistent", ""),
    ({"round": 2}, "inconsistent", ""),
    ({"raises": 2}, "inconsistent", ""),
    ({"raises": -1}, "inconsistent", "raises"),
    ({"calls": 1}, "inconsistent", ""),
    ({"paid": [3]}, "bad_players", "paid"),
    ({"paid": [7, 3, 3]}, "bad_players", "paid"),
    ({"paid": [3, 7]}, "inconsistent", ""),
    ({"paid": [8, 4]}, "inconsistent", ""),
    ({"paid": [7, 300]}, "inconsistent", "paid"),
    ({"paid": [7, "3"]}, "bad_field", "paid[1]"),
    ({"to_move": 0}, "inconsistent", ""),
    ({"to_move": None}, "bad_turn", "to_move"),
    ({"phase": "over", "folded": 1}, "bad_turn", "to_move"),
    ({"phase": "over", "to_move": None}, "bad_cards", "other_hand"),
    ({"deck": [1, 1, 1]}, "bad_field", "deck"),
])
def test_a_bad_observation_is_refused_by_its_place(change, code, path):
    """Seat 0 has K, the public card is Q, seat 0 has raised from 3 to 7 chips."""
    seen = played("K", "J", "raise", "call", "raise").observation(0)
    GAME.from_observation(seen)
    with pytest.raises(SfumatoError) as refused:
        GAME.from_observation({**seen, **change})
    assert (refused.value.code, refused.value.path) == (code, path)


def test_an_observation_cannot_name_a_rank_three_times():
    seen = played("K", "J", *["call"] * 4, public="K").observation(0)
    with pytest.raises(SfumatoError) as refused:
        GAME.from_observation({**seen, "other_hand": "K"})
    assert (refused.value.code, refused.value.path) == ("bad_cards", "other_hand")


FIELDS = ["round", "raises", "calls", "folded", "public_card", "hand", "other_hand", "paid"]


@pytest.mark.parametrize("field", FIELDS)
def test_an_observation_must_have_every_field(field):
    seen = dealt("K", "J").observation(0)
    del seen[field]
    with pytest.raises(SfumatoError, match=field):
        GAME.from_observation(seen)


@pytest.mark.parametrize(("section", "place"), [
    ('[deck]\nsource = "x"\nranks = ["J", "Q", "Q"]\ncopies = 2', "deck.ranks"),
    ('[deck]\nsource = "x"\nranks = ["J", "Q", "red K"]\ncopies = 2', "deck.ranks"),
    ('[deck]\nsource = "x"\nranks = ["J", "Q", "K"]\ncopies = 0', "deck.copies"),
    ('[betting]\nsource = "x"\nante = 0\nraises = [2, 4]\nmost_raises = 2', "betting.ante"),
    ('[betting]\nsource = "x"\nante = 1\nraises = [4, 4]\nmost_raises = 32', "betting"),
])
def test_a_bad_card_table_is_refused_by_file_and_place(tmp_path, section, place):
    cards = tmp_path / "mine.toml"
    cards.write_text(section)
    with pytest.raises(SfumatoError) as refused:
        load("leduc_poker", cards=cards)
    assert refused.value.path == f"{cards}: {place}"


def test_another_card_table_changes_ranks_copies_and_stakes(tmp_path):
    cards = tmp_path / "mine.toml"
    cards.write_text('[deck]\nsource = "x"\nranks = ["low", "mid", "top"]\ncopies = 1\n'
                     '[betting]\nsource = "x"\nante = 2\nraises = [1, 3]\nmost_raises = 1\n')
    state = load("leduc_poker", cards=cards).new(seed=1, seen=["hand 0 top", "hand 1 low"])
    state.apply("raise")
    assert state.legal_words == ["fold", "call"]
    assert state.apply("call").words(0) == ["public mid"]       # the only card left
    for action in ("raise", "call"):
        state.apply(action)
    assert state.outcome.scores == [6, -6]
