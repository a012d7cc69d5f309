"""Enigma: whole games against the rules in plain Python, what holds after every step, and the invariants."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from enigma_model import Referee, greedy_choice
from enigma_table import (
    DIFFERENT20,
    DOUBLE16,
    PAIRS66,
    QUIET,
    SYMBOLS,
    bonus_used,
    cross,
    enigma,
    faces_in_hand,
    faces_of,
    fields,
    from_fields,
    hand,
    keys,
    pile,
    position,
)
from sfumato.games import SfumatoError, State

EVERY_OPTION = [
    {},
    {"standing_lines": "played_line"},
    {"key_supply": "single"},
    {"losers": "by_keys"},
    {"cap_result": "draw"},
    {"max_rounds": 5},
    {"key_supply": "single", "standing_lines": "played_line", "losers": "by_keys", "max_rounds": 70},
]


def referee_of(state):
    """A plain-Python referee at the same set-up."""
    players = range(state.players)
    return Referee(
        [cross(state, seat) for seat in players],
        [hand(state, seat) for seat in players],
        Counter(pile(state, "deck")),
        state.to_move,
        state.game.option_values(state.players),
    )


def told(step):
    """Mark of the played card and drawn card, from the words of a step."""
    words = dict(word.split() for word in step.words(None))
    return int(words["from"]) if "from" in words else None, words.get("draw")


def assert_same_table(state, referee):
    read = state.fields()
    assert (state.phase, read.turns, read.shuffle) == (referee.phase, referee.turns, referee.shuffle)
    assert state.to_move == (None if referee.phase == "over" else referee.mover)
    for seat in range(state.players):
        assert cross(state, seat).split() == referee.crosses[seat]
        cards = Counter((int((card + ":0").split(":")[1]), card[:2]) for card in hand(state, seat).split())
        assert cards == Counter(referee.hands[seat])
        assert set(keys(state, seat)) == referee.keys[seat]
    assert set(bonus_used(state)) == referee.bonus_used
    assert Counter(pile(state, "deck")) == +referee.deck
    assert Counter(pile(state, "discard")) == +referee.discard
    assert set(state.legal_words) == referee.legal()


def greedily_or_at_random(state, random):
    """Half the plays bring keys where they can, so that games reach bonuses and the end."""
    if random.random() < 0.3:
        return random.choice(state.legal_actions)
    mover = state.to_move

    def gain(action):
        after = state.child(action, seed=1)
        return len(keys(after, mover)) + (after.phase == "bonus"), random.random()

    return max(state.legal_actions, key=gain)


@pytest.mark.parametrize(
    "options", EVERY_OPTION, ids=lambda options: " ".join(map(str, options.values())) or "default"
)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_follow_the_rules_in_plain_python(players, options):
    """EN-T1..EN-T8, EN-K1..EN-K11, EN-D1..EN-D3, EN-W1..EN-W4, R4..R9, R11..R15, R19; the greedy rule too"""
    game = enigma(**options)
    ids = {face: index for index, face in enumerate(faces_of(game))}
    random = Random(players)
    for seed in range(2):
        state = game.new(players=players, seed=seed)
        referee = referee_of(state)
        while not state.is_terminal:
            assert state.words(state.greedy) == greedy_choice(referee, ids)
            step = state.apply(greedily_or_at_random(state, random))
            referee.step(step.label(None), *told(step))
            assert_same_table(state, referee)
        reason, ranks = referee.result()
        assert state.observation(0)["result"] == {"reason": reason, "ranks": ranks}
        assert state.outcome.ranks == ranks
        assert state.outcome.scores == [len(own) for own in referee.keys]


def random_position(game, players, random):
    """A position with few symbols in the crosses, so that pairs, lines and fives are common."""
    common = [face for face in faces_of(game) if face[0] in "abc" and face[1] in "ghi"] * 2
    random.shuffle(common)
    crosses = [" ".join(common[5 * seat : 5 * seat + 5]) for seat in range(players)]
    rest = Counter(faces_of(game)) - Counter(" ".join(crosses).split())
    own = " ".join(random.sample(sorted(rest.elements()), 5))
    owned = [random.sample("abcdghi", random.randrange(5)) for _ in range(players)]
    if game.option_values(players)["key_supply"] == "single":
        owned = [random.sample("abcd", random.randrange(4)), random.sample("ghij", random.randrange(4)), []]
    used = [seat for seat in range(players) if random.random() < 0.3]
    words = ["".join(sorted(own_keys)) for own_keys in owned[:players]]
    state = position(crosses, [own], words, game=game, bonus_used=used, turns=10)
    referee = Referee(crosses, [own], {}, 0, game.option_values(players))
    referee.keys = [set(own_keys) for own_keys in words]
    referee.bonus_used = set(used)
    return state, referee


@pytest.mark.parametrize("options", [{}, {"standing_lines": "played_line"}, {"key_supply": "single"}])
def test_the_greedy_rule_on_crowded_positions(options):
    """EN-K2, EN-K4, EN-K10, EN-W1, R4, R6: keys, pairs and standing lines weigh as the rule says"""
    game = enigma(**options)
    ids = {face: index for index, face in enumerate(faces_of(game))}
    random = Random(3)
    for _ in range(500):
        state, referee = random_position(game, random.choice([2, 3]), random)
        assert state.words(state.greedy) == greedy_choice(referee, ids)


def could_be_played(before, after):
    """Whether some decision and some draw lead from one table to the other."""
    mover = before.to_move
    for action in before.legal_actions:
        kept = Counter(faces_in_hand(before, mover))
        if before.phase == "play":
            kept[before.words(action).split()[1]] -= 1
        drawn = list((Counter(faces_in_hand(after, mover)) - kept).elements())
        child = before.clone(seed=1)
        try:
            child.apply(action, [f"draw {face}" for face in drawn])
        except SfumatoError:
            continue
        if child == after:
            return True
    return False


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize(
    ("cards", "options"),
    [
        (None, {}),
        (None, {"standing_lines": "played_line"}),
        (None, {"key_supply": "single"}),
        (DIFFERENT20, {}),
    ],
)
def test_every_step_of_a_playout_is_a_step_of_the_game(cards, options, noise):
    """EN-T2, EN-K3, EN-K10, EN-D1, EN-W1, R4, R6, R9, R19: met in play, and on crowded crosses"""
    game = enigma(cards, max_rounds=40, **options)
    random = Random(9)
    tables = [] if cards else [random_position(game, 2, random)[0] for _ in range(100)]
    tables.append(game.new(players=2, seed=8))
    bonuses = 0
    for seed, state in enumerate(tables):
        for _ in range(8 if seed + 1 < len(tables) else 80):
            if state.is_terminal:
                break
            bonuses += state.phase == "bonus"
            moved, played = state.position.playout(seed, noise, 1)
            after = State(game, moved)
            assert played == 1
            assert could_be_played(state, after)
            state = after
    assert cards or noise or bonuses > 5


@pytest.mark.parametrize(("cards", "players"), [(PAIRS66, 2), (PAIRS66, 4), (DIFFERENT20, 2), (DOUBLE16, 3)])
def test_games_with_other_cards_follow_the_rules_in_plain_python(cards, players):
    """R2, R12, R17: other faces, an empty deck, reshuffles in every third turn"""
    game = enigma(cards)
    random = Random(7)
    state = game.new(players=players, seed=5)
    referee = referee_of(state)
    while not state.is_terminal:
        step = state.apply(random.choice(state.legal_actions))
        referee.step(step.label(None), *told(step))
        assert_same_table(state, referee)
    assert state.observation(0)["result"]["reason"] == referee.result()[0]


@pytest.mark.parametrize(("players", "start"), [(2, 52), (3, 42), (4, 32)])
def test_what_holds_after_every_step(players, start):
    """EN-T1, EN-T5, EN-T7, EN-T8, EN-K3, EN-K4, EN-K8, EN-D1, EN-W2, R12, R13: at every player count"""
    period = start + 1
    random = Random(players)
    for seed in range(4):
        state = enigma().new(players=players, seed=seed)
        first = state.to_move
        while not state.is_terminal:
            mover, before = state.to_move, state.fields()
            crosses = [cross(state, seat).split() for seat in range(players)]
            legal = state.legal_actions
            assert legal and legal == sorted(set(legal)) and len(legal) <= 25
            if state.phase == "play":
                assert len(legal) >= 15, "two copies of a face: at least three faces in hand"
                assert (mover - before.turns) % players == first
            action = random.choice(legal) if seed % 2 else greedily_or_at_random(state, random)
            state.apply(action)
            after = state.fields()
            assert state.position.check() == 0
            outstanding = min(len(faces_in_hand(state, seat)) for seat in range(players)) == 4
            assert after.shuffle == after.turns // period
            assert after.deck_n == start - after.turns % period
            assert len(pile(state, "discard")) == after.turns % period + outstanding
            changed = [
                (seat, cell)
                for seat in range(players)
                for cell in range(5)
                if cross(state, seat).split()[cell] != crosses[seat][cell]
            ]
            assert {seat for seat, _ in changed} <= {mover, (mover + 1) % players}
            assert len({cell for _, cell in changed}) <= 1
            for seat in range(players):
                assert before.keys[seat] & ~after.keys[seat] == 0
                new = {
                    symbol
                    for index, symbol in enumerate(SYMBOLS)
                    if (after.keys[seat] & ~before.keys[seat]) >> index & 1
                }
                if seat != mover:
                    assert not new
                elif before.phase == 0:
                    assert len(new) <= 2 and new <= set(cross(state, mover).split()[2])
                else:
                    assert len(new) == (action != 402)
        assert sum(state.outcome.win_shares) == pytest.approx(1)
        if state.observation(0)["result"]["reason"] == "keys":
            assert state.outcome.ranks.count(1) == 1


# --- invariants -----------------------------------------------------------------------------------------


def broken(values, players=2, game=None):
    """The number of the invariant that these fields break."""
    with pytest.raises(ValueError, match="invariant") as refused:
        from_fields(game or enigma(), players, values)
    return int(str(refused.value).split()[1])


def quiet_fields(**more):
    return fields(QUIET[:2], ["al"], game=more.pop("game", enigma()), **more)


@pytest.mark.parametrize(
    ("field", "value"), [("to_move", 2), ("to_move", -2), ("phase", 3), ("bonus_used", 4)]
)
def test_invariant_1_ranges_of_numbers(field, value):
    """EN-S1: a seat, a phase or a bit that is not there"""
    assert broken({**quiet_fields(), field: value}) == 1


@pytest.mark.parametrize(
    ("field", "seat", "slot", "value"),
    [
        ("cross", 0, 0, 36),
        ("cross", 1, 4, 255),
        ("cross", 2, 0, 0),
        ("hand_face", 0, 0, 36),
        ("hand_face", 0, 0, 255),
        ("hand_face", 3, 0, 5),
        ("hand_mark", 2, 0, 1),
    ],
)
def test_invariant_1_faces_and_unused_slots(field, seat, slot, value):
    """R12: two players, 36 faces; unused seats hold no card, only a fifth card may be missing"""
    values = quiet_fields()
    values[field][seat][slot] = value
    assert broken(values) == 1


@pytest.mark.parametrize(
    ("field", "index", "value"), [("keys", 0, 1 << 12), ("keys", 2, 1), ("deck", 36, 1), ("discard", 77, 1)]
)
def test_invariant_1_keys_and_counts(field, index, value):
    """EN-K1: twelve keys; no card beyond the table"""
    values = quiet_fields()
    values[field][index] = value
    assert broken(values) == 1


def test_invariants_2_and_3_turn():
    """EN-W4: somebody moves until the game is over, and before the cap"""
    assert broken({**quiet_fields(), "to_move": -1}) == 2
    assert broken({**quiet_fields(), "phase": 2}) == 2
    assert broken(quiet_fields(turns=120)) == 3
    assert broken(quiet_fields(turns=121, phase="over")) == 3


def test_invariant_4_hand_sizes():
    """EN-T7, EN-W1: four cards for the mover in `bonus`, or for one seat of a game ended before a draw"""
    assert broken(quiet_fields(short=0)) == 4
    assert broken(quiet_fields(phase="over", turns=10)) == 4
    assert broken(quiet_fields(phase="over", turns=120, short=0)) == 4
    bonus = fields(["ag ah ai aj al", QUIET[1]], keys=["a"], game=enigma(), phase="bonus")
    assert from_fields(enigma(), 2, bonus).phase == "bonus"
    assert broken({**bonus, "to_move": 1}) == 4


def test_invariant_5_hands_and_marks():
    """R18: hands lie by mark and face, marks up to the shuffle, a reshuffle at most per turn"""
    values = fields(QUIET[:2], ["ah bi ck dl eg"], game=enigma())
    values["hand_face"][0].reverse()
    assert broken(values) == 5
    assert broken(fields(QUIET[:2], ["al:1"], game=enigma(), turns=60)) == 5
    assert broken(quiet_fields(shuffle=2, turns=1)) == 5


def test_invariant_6_cards():
    """EN-S2: every card is in exactly one place"""
    values = quiet_fields()
    assert broken({**values, "deck_n": values["deck_n"] - 1}) == 6
    values["discard"][0] += 1
    assert broken(values) == 6


def test_invariant_7_keys():
    """EN-W1, R6, R13: seven keys end the game; with single keys nobody shares one"""
    assert broken(quiet_fields(keys=["abcdefg"])) == 7
    assert broken(quiet_fields(keys=["abcdefg"], phase="over", turns=120)) == 7
    assert broken(quiet_fields(keys=["abcdefghi"], phase="over", turns=10, short=0)) == 7
    assert broken(quiet_fields(keys=["", "abcdefg"], phase="over", turns=10, short=0)) == 7
    single = enigma(key_supply="single")
    assert broken(quiet_fields(keys=["ab", "bc"], game=single), game=single) == 7


def test_invariant_8_bonus():
    """EN-K10, EN-K11, R8: unused, five cards with one symbol, which is owned by then"""
    five = {"crosses": ["ag ah ai aj al", QUIET[1]], "game": enigma(), "phase": "bonus"}
    assert broken(fields(keys=["a"], bonus_used=[0], **five)) == 8
    assert broken(fields(keys=["b"], **five)) == 8
    assert broken(quiet_fields(keys=["a"], phase="bonus")) == 8


def test_invariant_9_end():
    """EN-W1, EN-W4, R7: a game is over for a reason, and goes on only while it can be won"""
    assert broken(quiet_fields(keys=["abcdef"], phase="over", turns=10, short=0)) == 9
    single = enigma(key_supply="single")
    dead = fields(QUIET, keys=["ab", "cd", "ef", "gh"], game=single)
    assert broken(dead, 4, single) == 9


def test_positions_of_the_builders_have_every_card_once():
    """EN-S2: the builders of these tests are careful with cards"""
    state = position(QUIET[:2], ["al"], deck="ck dl", turns=70, shuffle=1)
    everything = Counter(pile(state, "deck") + pile(state, "discard"))
    for seat in range(2):
        everything.update(cross(state, seat).split() + faces_in_hand(state, seat))
    assert everything == faces_of(enigma())
    assert pile(state, "deck") == ["ck", "dl"]
