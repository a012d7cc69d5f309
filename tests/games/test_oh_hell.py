"""Oh Hell: its rules by example (the ids are those of games/oh_hell.md), who knows what, and OpenSpiel's
game step by step.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any

import pytest
import sfumato.games as games
from sfumato.games.errors import SfumatoError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sfumato.games.state import State

FACES = [suit + rank for rank in "23456789TJQKA" for suit in "CDSH"]

# Seat 2 deals; spades are trump. Seat 0 leads.
EXAMPLE = ["tricks 3", "dealer 2", "hand 0 C4 CA H2", "hand 1 C9 D5 S3", "hand 2 D6 DK HQ", "trump SJ"]
# The ace takes the clubs; seat 1 trumps the heart; seat 2's king takes the diamonds.
EXAMPLE_GAME = ["bid 1", "bid 1", "bid 0",
                "play CA", "play C9", "play D6",
                "play H2", "play S3", "play HQ",
                "play D5", "play DK", "play C4"]


def played(setup: list[str], moves: list[str], **options: int | bool) -> State:
    state = games.load("oh_hell", **options).new(seed=1, seen=setup)
    for move in moves:
        state.apply(move)
    return state


def example(moves: int, **options: int | bool) -> State:
    """The example after so many of its moves."""
    return played(EXAMPLE, EXAMPLE_GAME[:moves], **options)


def walk(seed: int, **options: int | bool) -> Iterator[State]:
    """All positions of a game of random moves."""
    chooser = random.Random(seed)
    state = games.load("oh_hell", **options).new(seed=seed)
    yield state
    while not state.is_terminal:
        state.apply(chooser.choice(state.legal_actions))
        yield state


def faces(hand: int) -> list[str]:
    return [face for card, face in enumerate(FACES) if hand >> card & 1]


# --- the rules ----------------------------------------------------------------------------------------


def test_every_number_of_tricks_and_every_dealer_comes_up() -> None:
    """OH-1, OH-2"""
    game = games.load("oh_hell")
    starts = [game.new(seed=seed).fields() for seed in range(400)]
    assert {start.tricks for start in starts} == set(range(1, 18))
    assert {start.dealer for start in starts} == {0, 1, 2}


@pytest.mark.parametrize("tricks", [1, 9, 17])
def test_the_option_tricks_fixes_their_number(tricks: int) -> None:
    """OH-1"""
    game = games.load("oh_hell", tricks=tricks)
    assert {game.new(seed=seed).observation(0)["tricks"] for seed in range(50)} == {tricks}


def test_only_three_can_play() -> None:
    for players in (2, 4):
        with pytest.raises(SfumatoError, match="oh_hell is for 3 players"):
            games.load("oh_hell").new(players=players)


def test_each_hand_has_as_many_cards_as_there_are_tricks_and_the_trump_card_is_nobodys() -> None:
    """OH-3, OH-4"""
    for seed in range(100):
        start = games.load("oh_hell").new(seed=seed).fields()
        dealt = [face for hand in start.hand for face in faces(hand)]
        assert [hand.bit_count() for hand in start.hand] == [start.tricks] * 3
        assert len({*dealt, FACES[start.trump]}) == 3 * start.tricks + 1


def test_the_seat_after_the_dealer_bids_first_and_anything_up_to_all_tricks() -> None:
    """OH-5"""
    state = example(0)
    assert (state.to_move, state.phase) == (0, "bid")
    assert state.legal_words == ["bid 0", "bid 1", "bid 2", "bid 3"]
    state.apply("bid 3")
    assert state.to_move == 1
    assert state.legal_words == ["bid 0", "bid 1", "bid 2", "bid 3"]


@pytest.mark.parametrize(
    ("bids", "allowed"),
    [(["bid 1", "bid 1"], [0, 2, 3]), (["bid 0", "bid 0"], [0, 1, 2]), (["bid 2", "bid 1"], [1, 2, 3]),
     (["bid 3", "bid 3"], [0, 1, 2, 3])],
)
def test_the_dealer_may_not_make_the_bids_add_up(bids: list[str], allowed: list[int]) -> None:
    """OH-6"""
    state = played(EXAMPLE, bids)
    assert state.to_move == 2
    assert state.legal_words == [f"bid {bid}" for bid in allowed]


def test_the_seat_after_the_dealer_leads_any_card() -> None:
    """OH-7"""
    state = example(3)
    assert (state.to_move, state.phase) == (0, "play")
    assert state.legal_words == ["play H2", "play C4", "play CA"]


def test_who_can_must_follow_suit_and_who_cannot_plays_anything() -> None:
    """OH-8"""
    state = example(4)
    assert state.legal_words == ["play C9"], "seat 1 has one club"
    state.apply("play C9")
    assert state.legal_words == ["play D6", "play HQ", "play DK"], "seat 2 has none"


def test_who_holds_a_trump_but_not_the_suit_led_need_not_trump() -> None:
    """OH-8: seat 1 holds a diamond and a trump against a heart."""
    assert example(7).legal_words == ["play S3", "play D5"]


def test_the_highest_card_of_the_suit_led_takes_a_trick_without_trumps_and_its_seat_leads() -> None:
    """OH-9, OH-10"""
    state = example(5)
    assert state.apply("play D6").event.taken_by == 0
    assert state.to_move == 0
    assert state.observation(0)["won"] == [1, 0, 0]


@pytest.mark.parametrize(
    ("led", "second", "third", "winner"),
    [
        ("C2", "DA", "HA", 0),  # higher cards of other suits take nothing
        ("C2", "C3", "D4", 1),
        ("C2", "C3", "C4", 2),
        ("C9", "C3", "C4", 0),
        ("CA", "S2", "CK", 1),  # the lowest trump beats an ace
        ("DA", "S3", "S9", 2),  # of two trumps the higher
        ("DA", "S9", "S3", 1),
        ("S5", "S4", "HA", 0),
    ],
)
def test_trumps_beat_the_suit_led_and_high_beats_low(led: str, second: str, third: str, winner: int) -> None:
    """OH-9: spades are trump."""
    setup = ["tricks 1", "dealer 2", f"hand 0 {led}", f"hand 1 {second}", f"hand 2 {third}", "trump SJ"]
    state = played(setup, ["bid 0", "bid 0", "bid 0", f"play {led}", f"play {second}", f"play {third}"])
    assert state.observation(0)["won"].index(1) == winner


def test_the_winner_of_a_trick_leads_to_the_next() -> None:
    """OH-10: seat 1 trumped."""
    state = example(9)
    assert (state.to_move, state.legal_words) == (1, ["play D5"])


def test_tricks_pay_a_point_each_and_an_exact_bid_ten_more() -> None:
    """OH-11, OH-14: bids 1, 1, 0 and one trick for each seat."""
    state = example(12)
    assert (state.is_terminal, state.to_move, state.phase) == (True, None, "over")
    assert state.outcome.scores == [11, 11, 1]
    assert state.outcome.ranks == [1, 1, 3]
    assert state.outcome.win_shares == [0.5, 0.5, 0]


@pytest.mark.parametrize(
    ("options", "scores"),
    [({"points_per_trick": 3}, [13, 13, 3]), ({"points_per_trick": 0}, [10, 10, 0]),
     ({"off_bid_penalty": True}, [11, 11, -1]),
     ({"points_per_trick": 4, "off_bid_penalty": True}, [14, 14, -4])],
)
def test_the_options_change_the_points(options: dict[str, int | bool], scores: list[int]) -> None:
    """OH-12, OH-13"""
    assert example(12, **options).outcome.scores == scores


def test_the_penalty_counts_tricks_below_the_bid_as_those_above() -> None:
    """OH-13: bids 3, 1, 3 and one trick for each seat."""
    moves = ["bid 3", "bid 1", "bid 3", *EXAMPLE_GAME[3:]]
    assert played(EXAMPLE, moves, off_bid_penalty=True, points_per_trick=2).outcome.scores == [-4, 12, -4]


def test_the_range_of_points_follows_the_options() -> None:
    """OH-11 to OH-13, with 17 tricks"""
    for points, penalty, expected in ((1, False, (0, 27)), (10, False, (0, 180)), (2, True, (-34, 44))):
        game = games.load("oh_hell", points_per_trick=points, off_bid_penalty=penalty)
        assert game.table(3).score_range == expected


@pytest.mark.parametrize(
    "option", [{"tricks": 18}, {"tricks": -1}, {"points_per_trick": 11}, {"off_bid_penalty": 1}]
)
def test_an_option_out_of_range_is_refused_by_name(option: dict[str, int]) -> None:
    with pytest.raises(SfumatoError) as refused:
        games.load("oh_hell", **option)
    assert (refused.value.code, refused.value.path) == ("bad_option", *option)


# --- scripts ------------------------------------------------------------------------------------------


def test_a_script_may_name_some_cards_and_the_rest_is_drawn_from_the_others() -> None:
    for seed in range(50):
        seen = games.load("oh_hell").new(seed=seed, seen=["hand 1 SA SK", "trump SQ"]).observation(1)
        assert {"SA", "SK"} <= set(seen["hand"])
        assert seen["trump"] == "SQ"
        assert len(seen["hand"]) == seen["tricks"]


@pytest.mark.parametrize(
    "words",
    [["tricks 18"], ["tricks 0"], ["dealer 3"], ["tricks 1", "hand 0 C2 C3"], ["hand 0 C2", "hand 1 C2"],
     ["hand 0 C2 C2"], ["hand 0 C2", "trump C2"], ["hand 3 C2"], ["trump C2", "trump C3"]],
)
def test_a_script_that_the_set_up_cannot_obey_is_refused(words: list[str]) -> None:
    with pytest.raises(SfumatoError) as refused:
        games.load("oh_hell").new(seed=1, seen=words)
    assert refused.value.code == "bad_event"


def test_a_script_cannot_change_a_fixed_number_of_tricks() -> None:
    with pytest.raises(SfumatoError, match="the set-up cannot be"):
        games.load("oh_hell", tricks=4).new(seed=1, seen=["tricks 5"])


# --- who knows what -----------------------------------------------------------------------------------


def test_a_seat_sees_its_own_hand_and_everything_that_was_played() -> None:
    """OH-15"""
    seen = example(8).observation(2)
    del seen["cards"]
    assert seen == {
        "game": "oh_hell", "options": {"tricks": 0, "points_per_trick": 1, "off_bid_penalty": False},
        "players": 3, "seat": 2, "to_move": 2, "phase": "play", "tricks": 3, "dealer": 2, "trump": "SJ",
        "bids": [1, 1, 0], "won": [1, 0, 0], "voids": [[], ["H"], ["C"]], "hand": ["HQ", "DK"],
        "trick": ["H2", "S3"], "played": ["H2", "S3", "D6", "C9", "CA"],
    }


def test_a_seat_that_did_not_follow_is_never_dealt_that_suit() -> None:
    """OH-15, OH-16: seat 2 threw a diamond on clubs, seat 1 trumped a heart."""
    for seed in range(300):
        own, first, second = (faces(hand) for hand in example(8).dealt(0, seed).fields().hand)
        assert own == ["C4"]
        assert len(first) == 1
        assert first[0][0] != "H"
        assert len(second) == 2
        assert "C" not in {face[0] for face in second}


def test_a_drawing_shows_the_own_hand_only_and_fits_80_columns() -> None:
    assert example(6).render(1).splitlines() == [
        "trick 2 of 3   trump SJ   dealer seat 2   on the table -",
        "> seat 0  bid  1  won  1  void -     2 cards",
        "  seat 1  bid  1  won  0  void -     D 5  S 3",
        "  seat 2  bid  0  won  0  void C     2 cards",
    ]
    assert "C 4  H 2" in example(6).render(None)
    assert example(12).render(1).splitlines()[2] == "  seat 1  bid  1  won  1  void H     11 points"
    for state in walk(3, tricks=17):
        assert max(len(line) for seat in (0, 1, 2, None) for line in state.render(seat).splitlines()) <= 80


Hands = tuple[frozenset[str], frozenset[str]]


def unseen(seen: dict[str, Any]) -> list[str]:
    return [face for face in FACES if face not in {*seen["hand"], *seen["played"], seen["trump"]}]


def others(seen: dict[str, Any]) -> list[tuple[int, set[str]]]:
    """The next two seats' numbers of cards and the suits that they have shown not to hold."""
    sizes = [seen["tricks"] - sum(seen["won"])] * 3
    for back in range(len(seen["trick"])):
        sizes[(seen["to_move"] - 1 - back) % 3] -= 1
    return [(sizes[seat % 3], set(seen["voids"][seat % 3])) for seat in (seen["seat"] + 1, seen["seat"] + 2)]


def worlds(seen: dict[str, Any]) -> list[Hands]:
    """All pairs of hands of the next two seats that an observation allows."""
    (size, none), (other_size, other_none) = others(seen)
    found = []
    for hand in combinations([face for face in unseen(seen) if face[0] not in none], size):
        rest = [face for face in unseen(seen) if face not in hand and face[0] not in other_none]
        found += [(frozenset(hand), frozenset(other)) for other in combinations(rest, other_size)]
    return found


def exclusive(seen: dict[str, Any]) -> tuple[set[str], set[str]]:
    """The unseen cards that only the next seat, and those that only the one after it, may hold."""
    (_, none), (_, other_none) = others(seen)
    return ({face for face in unseen(seen) if face[0] in other_none - none},
            {face for face in unseen(seen) if face[0] in none - other_none})


def dealt(state: State, seat: int, count: int) -> Iterator[Hands]:
    for seed in range(count):
        hands = state.dealt(seat, seed).fields().hand
        yield frozenset(faces(hands[(seat + 1) % 3])), frozenset(faces(hands[(seat + 2) % 3]))


def p_value(found: list[int], expected: list[float]) -> float:
    """Of Pearson's chi-square test."""
    stats = pytest.importorskip("scipy.stats", reason="needs scipy, which open_spiel brings")
    return float(stats.chisquare(found, expected).pvalue)


def assert_uniform(state: State, seat: int) -> None:
    possible = worlds(state.observation(seat))
    count = max(4000, 12 * len(possible))
    found = Counter(dealt(state, seat, count))
    assert set(found) <= set(possible)
    assert p_value([found[world] for world in possible], [count / len(possible)] * len(possible)) > 1e-4


def late_positions(tricks: int, voids: bool) -> Iterator[tuple[State, int]]:
    """The first position of each random game with few cards left in which, to some seat, each of the others
    has exclusive cards; or (no voids) neither has.
    """
    for seed in range(2000):
        for state in walk(seed, tricks=tricks):
            seen = state.observation(seed % 3)
            if seen["to_move"] is not None and sum(seen["won"]) >= tricks - 3:
                first, second = exclusive(seen)
                if (first and second) if voids else not (first or second):
                    if 10 <= len(worlds(seen)) <= 800:
                        yield state, seed % 3
                    break


@pytest.mark.parametrize("tricks", [15, 16, 17])
@pytest.mark.parametrize("voids", [False, True], ids=["no exclusive cards", "exclusive cards on both sides"])
def test_every_world_is_dealt_equally_often(tricks: int, voids: bool) -> None:
    """OH-16"""
    for state, seat in islice(late_positions(tricks, voids), 3):
        assert_uniform(state, seat)


def test_single_cards_are_dealt_equally_often() -> None:
    """OH-16: 50 unseen cards, one for each of the others."""
    state = games.load("oh_hell").new(seed=5, seen=["tricks 1"])
    assert len(worlds(state.observation(0))) == 50 * 49
    assert_uniform(state, 0)


def test_in_large_positions_exclusive_cards_are_shared_as_a_count_of_the_hands_says() -> None:
    """OH-16: how many exclusive cards each of the others is dealt, too many worlds to list."""
    state, first, second = next(
        (state, *sets) for seed in range(1000) for state in walk(seed, tricks=12)
        for sets in [exclusive(state.observation(0))]
        if sum(state.observation(0)["won"]) < 8 and min(map(len, sets)) >= 3
    )
    seen = state.observation(0)
    (size, none), (other_size, other_none) = others(seen)
    free = sum(face[0] not in none | other_none for face in unseen(seen))
    ways = {
        (x, y): math.comb(len(first), x) * math.comb(len(second), y)
        * math.comb(free, size - x) * math.comb(free - (size - x), other_size - y)
        for x in range(min(size, len(first)) + 1) for y in range(min(other_size, len(second)) + 1)
        if size - x + other_size - y <= free
    }
    count = 20_000
    found = Counter((len(a & first), len(b & second)) for a, b in dealt(state, 0, count))
    expected = {shares: count * number / sum(ways.values()) for shares, number in ways.items()}
    common = [shares for shares in ways if expected[shares] >= 5]
    rare = [shares for shares in ways if expected[shares] < 5]
    assert len(common) >= 6
    assert p_value(
        [*(found[shares] for shares in common), sum(found[shares] for shares in rare)],
        [*(expected[shares] for shares in common), sum(expected[shares] for shares in rare)],
    ) > 1e-4


def test_a_move_that_hardly_any_world_allows_can_be_followed() -> None:
    """OH-15: of 17 cards seat 1 has no diamond, though seat 0 sees only the 2 of them elsewhere. Of the
    C(34, 17) hands that it might hold C(22, 17) have none: 1 of 88,616.
    """
    mine = "C2 C3 C4 C5 C6 C7 S2 S3 S4 S5 S6 S7 H2 H3 H4 H5 D2"
    hers = "C8 C9 CT CJ CQ CK CA S8 S9 ST SJ SQ SK H6 H7 H8 H9"
    state = played(["tricks 17", "dealer 2", f"hand 0 {mine}", f"hand 1 {hers}", "trump SA"],
                   ["bid 0", "bid 0", "bid 0", "play D2"])
    before = state.observation(0)
    state.apply("play H9")
    assert games.load("oh_hell").follow(before, "play H9") == state.observation(0)


def test_a_card_that_cannot_be_played_cannot_be_followed() -> None:
    """Seat 2 looks: HQ is in its own hand, CA was played, SJ is the trump card, and the bids are made."""
    seen = example(7).observation(2)
    for move in ("play HQ", "play CA", "play SJ", "bid 1"):
        with pytest.raises(SfumatoError) as refused:
            games.load("oh_hell").follow(seen, move)
        assert refused.value.code == "bad_action"


# --- observations from outside ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "code", "path"),
    [
        ("hand", ["HQ", "DX"], "bad_face", "hand[1]"),
        ("hand", ["HQ", "HQ"], "bad_cards", "hand[1]"),
        ("hand", ["HQ", "CA"], "bad_cards", "hand[1]"),  # the ace was played
        ("hand", ["HQ"], "bad_count", "hand"),
        ("hand", ["HQ", "DK", "D2"], "bad_count", "hand"),
        ("hand", ["HQ", "C5"], "inconsistent", ""),  # seat 2 has shown that it has no clubs
        ("trump", "S1", "bad_face", "trump"),
        ("trump", "HQ", "bad_cards", "trump"),
        ("played", ["H2", "S3", "D6", "C9"], "bad_count", "played"),
        ("played", ["H2", "S3", "D6", "C9", "C9"], "bad_cards", "played[4]"),
        ("trick", ["H2", "S4"], "bad_cards", "trick"),
        ("trick", ["H2", "S3", "D6"], "bad_count", "trick"),
        ("voids", [[], ["X"], []], "bad_face", "voids[1][0]"),
        ("voids", [[], ["H", "H"], []], "bad_cards", "voids[1][1]"),
        ("voids", [[], ["H"]], "bad_players", "voids"),
        ("voids", [["C", "D", "S", "H"], ["H"], ["C"]], "inconsistent", "voids"),
        ("voids", [[], [], ["C"]], "inconsistent", ""),  # seat 1's trump on a heart shows a void
        ("bids", [1, 1, 1], "inconsistent", ""),  # the dealer's forbidden bid
        ("bids", [1, 4, 0], "bad_count", "bids[1]"),
        ("bids", [1, None, 0], "inconsistent", ""),
        ("won", [0, 0, 0], "bad_count", "played"),
        ("won", [0, 1, 0], "inconsistent", ""),  # seat 0 leads, but took no trick
        ("tricks", 18, "bad_count", "tricks"),
        ("tricks", 4, "bad_count", "hand"),
        ("dealer", 3, "bad_players", "dealer"),
        ("to_move", 1, "bad_count", "hand"),
        ("to_move", None, "bad_turn", "to_move"),
        ("phase", "bid", "inconsistent", ""),
    ],
)
def test_a_bad_observation_is_refused_with_its_place(field: str, value: object, code: str, path: str) -> None:
    seen = example(8).observation(2)
    with pytest.raises(SfumatoError) as refused:
        games.load("oh_hell").from_observation({**seen, field: value})
    assert (refused.value.code, refused.value.path) == (code, path)


@pytest.mark.parametrize("suit", ["C\\n", "\\n", "", " ", "CC", "C "])
def test_a_suit_is_called_by_one_character(suit: str, tmp_path: Path) -> None:
    ranks = ", ".join(f'"{rank}"' for rank in "23456789TJQKA")
    file = tmp_path / "other.toml"
    suits = f'"{suit}", "D", "S", "H"'
    file.write_text(f'[deck]\nsource = "here"\nsuits = [{suits}]\nranks = [{ranks}]\n', "utf-8")
    with pytest.raises(SfumatoError) as refused:
        games.load("oh_hell", cards=file)
    assert (refused.value.code, refused.value.path) == ("bad_cards", f"{file}: deck.suits[0]")


def test_the_cards_of_an_observation_may_come_in_any_order() -> None:
    seen = example(8).observation(2)
    jumbled = {**seen, "hand": seen["hand"][::-1], "played": seen["played"][::-1]}
    assert games.load("oh_hell").from_observation(jumbled, seed=1).observation(2) == seen


def test_the_order_of_the_trick_matters() -> None:
    """With the 3 of spades led, the heart would show that seat 1 has no spades."""
    seen = example(8).observation(2)
    with pytest.raises(SfumatoError, match="invariant 5"):
        games.load("oh_hell").from_observation({**seen, "trick": ["S3", "H2"]})


def test_altered_bytes_are_refused_or_can_be_played_to_the_end() -> None:
    chooser = random.Random(1)
    accepted = 0
    for seed in range(40):
        for state in walk(seed):
            for _ in range(10):
                data = bytearray(state.position.state_bytes)
                for _ in range(chooser.choice((1, 1, 2, 4))):
                    data[chooser.randrange(len(data))] ^= 1 << chooser.randrange(8)
                try:
                    position = state.position.table.read(bytes(data))
                except ValueError:
                    continue
                accepted += 1
                hidden = position.hide(0)
                assert hidden.deal(0, seed).hide(0) == hidden
                end, _ = position.playout(seed, 0.5)
                assert (end.to_move, end.check()) == (-1, 0)
    assert accepted > 100


# --- playing it well ----------------------------------------------------------------------------------


def greedy_words(setup: list[str], moves: list[str]) -> str:
    state = played(setup, moves)
    return state.words(state.greedy)


def test_greedy_bids_for_sure_tricks() -> None:
    sure = ["tricks 2", "dealer 2", "hand 0 SA SK", "hand 1 C2 D2", "trump SQ"]
    assert greedy_words(sure, []) == "bid 2"
    assert greedy_words(sure, ["bid 2"]) == "bid 0"


def test_greedy_steps_aside_from_the_forbidden_bid() -> None:
    assert greedy_words(["tricks 2", "dealer 0", "hand 0 SA SK", "trump SQ"], ["bid 0", "bid 0"]) == "bid 1"
    assert greedy_words(["tricks 2", "dealer 0", "hand 0 C2 D2", "trump SQ"], ["bid 2", "bid 0"]) == "bid 1"


SECOND_TO_LAST = ["tricks 2", "dealer 0", "hand 0 C5 CK", "hand 1 C9 D2", "hand 2 C3 H2", "trump SQ"]


@pytest.mark.parametrize(
    ("bid", "card"),
    [("bid 1", "play CK"), ("bid 0", "play C5")],
    ids=["takes a trick that it wants", "ducks one that it does not want"],
)
def test_greedy_plays_for_its_bid(bid: str, card: str) -> None:
    assert greedy_words(SECOND_TO_LAST, ["bid 0", "bid 0", bid, "play C9", "play C3"]) == card


def test_greedy_takes_a_trick_cheaply_when_last() -> None:
    setup = ["tricks 2", "dealer 0", "hand 0 CT CK", "hand 1 C9 D2", "hand 2 C3 H2", "trump SQ"]
    assert greedy_words(setup, ["bid 0", "bid 0", "bid 1", "play C9", "play C3"]) == "play CT"


@pytest.mark.parametrize("penalty", [False, True])
def test_after_a_missed_bid_greedy_takes_tricks_only_if_they_pay(penalty: bool) -> None:
    """Seat 0 bid 0, had to take the first trick with its ace, and leads the second."""
    setup = ["tricks 3", "dealer 2", "hand 0 CA D2 DA", "hand 1 C9 D3 H3", "hand 2 C3 D4 H4", "trump SQ"]
    moves = ["bid 0", "bid 0", "bid 0", "play CA", "play C9", "play C3"]
    state = played(setup, moves, off_bid_penalty=penalty)
    assert state.words(state.greedy) == ("play D2" if penalty else "play DA")


def test_an_evaluation_is_a_share_of_one_within_the_range_of_points_and_exact_at_the_end() -> None:
    for penalty in (False, True):
        for state in walk(7, off_bid_penalty=penalty):
            shares, scores = state.position.evaluate()
            low, high = state.position.table.score_range
            assert sum(shares) == pytest.approx(1)
            assert min(shares) >= 0
            assert low <= min(scores) <= max(scores) <= high
        assert (scores, shares) == (state.outcome.scores, pytest.approx(state.outcome.win_shares))


def test_an_evaluation_sees_who_will_reach_the_bid() -> None:
    """Seat 0 bid 2 with the two highest trumps; seats 1 and 2 have nothing, and bid 2 and 0."""
    setup = ["tricks 2", "dealer 2", "hand 0 SA SK", "hand 1 C2 D2", "hand 2 C3 D3", "trump SQ"]
    shares, scores = played(setup, ["bid 2", "bid 2", "bid 0"]).position.evaluate()
    assert min(shares[0], shares[2]) > shares[1]
    assert min(scores[0], scores[2]) > scores[1]


# --- OpenSpiel ----------------------------------------------------------------------------------------


def openspiel_names(options: dict[str, int | bool]) -> dict[str, int | bool]:
    return {"num_tricks_fixed" if name == "tricks" else name: value for name, value in options.items()}


def assert_same_games(count: int, **options: int | bool) -> None:
    """Our deals, played at random in both games side by side."""
    pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install open_spiel")
    game, theirs = games.load("oh_hell", **options), pyspiel.load_game("oh_hell", openspiel_names(options))
    chooser = random.Random(count)
    for seed in range(count):
        state, other = game.new(seed=seed), theirs.new_initial_state()
        start = state.fields()
        hands = [[card for card in range(52) if hand >> card & 1] for hand in start.hand]
        in_turn = [card for cards in zip(*hands, strict=True) for card in cards]
        for outcome in (start.tricks, start.dealer, *in_turn, start.trump):
            other.apply_action(outcome)
        while not state.is_terminal:
            assert (state.to_move, state.legal_actions) == (other.current_player(), other.legal_actions())
            action = chooser.choice(state.legal_actions)
            assert state.words(action).split()[1] == other.action_to_string(action)
            state.apply(action)
            other.apply_action(action)
        assert other.is_terminal()
        assert state.outcome.scores == other.returns()


def test_openspiel_plays_the_same_game() -> None:
    """OH-1 to OH-11"""
    assert_same_games(2000)


@pytest.mark.parametrize(
    "options",
    [{"tricks": 1}, {"tricks": 5}, {"tricks": 17}, {"points_per_trick": 3}, {"off_bid_penalty": True},
     {"tricks": 4, "points_per_trick": 2, "off_bid_penalty": True}],
)
def test_openspiel_plays_the_same_game_with_options(options: dict[str, int | bool]) -> None:
    """OH-1, OH-12, OH-13"""
    assert_same_games(100, **options)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"points_per_trick": 3, "off_bid_penalty": True}])
def test_openspiel_plays_the_same_game_ten_thousand_times(options: dict[str, int | bool]) -> None:
    assert_same_games(10_000, **options)
