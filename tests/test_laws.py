"""Who knows what: the laws of ext/state.pxd on positions met in random and in greedy play.

The uniformity of `deal` is tested in each game's own tests, against an enumeration written for that game.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from sfumato.games import SfumatoError, State, load
from walks import ALL_TABLES, TABLES, Setup, chi_square_fits, choices, choose, over, positions, running

#: worlds dealt per position and seat
WORLDS = 3


def views(setup: Setup) -> Iterator[tuple[State, int]]:
    """Every position met (200 at least), from every seat."""
    for state in positions(setup):
        for seat in setup.seats:
            yield state, seat


def text(value: object) -> str:
    """A map as bytes on a wire: equal texts are equal to the last field."""
    return json.dumps(value)


# Law 1: hiding and dealing


@over(ALL_TABLES)
def test_hiding_twice_is_hiding_once(setup: Setup) -> None:
    for state, seat in views(setup):
        hidden = state.hidden(seat)
        assert hidden.hidden(seat) == hidden


@over(ALL_TABLES)
def test_a_dealt_world_hides_to_the_same(setup: Setup) -> None:
    for state, seat in views(setup):
        hidden = state.hidden(seat)
        for seed in range(WORLDS):
            assert hidden.dealt(seat, seed).hidden(seat) == hidden
            assert state.dealt(seat, seed).hidden(seat) == hidden


@over(ALL_TABLES)
def test_a_deal_does_not_depend_on_the_truth(setup: Setup) -> None:
    """The same seed deals the same world, whichever of the possible worlds is the true one."""
    for state, seat in views(setup):
        dealt = state.hidden(seat).dealt(seat, 7)
        assert state.dealt(seat, 7) == dealt
        assert state.dealt(seat, 8).dealt(seat, 7) == dealt


@over(ALL_TABLES)
def test_hidden_and_dealt_worlds_are_legal_and_can_be_played_to_the_end(setup: Setup) -> None:
    for state, seat in views(setup):
        for world in (state.hidden(seat), *(state.dealt(seat, seed) for seed in range(WORLDS))):
            assert world.position.check() == 0
            assert (world.to_move, world.phase) == (state.to_move, state.phase)
            end, _ = world.position.playout(1)
            assert end.to_move == -1
            assert end.check() == 0


@over(ALL_TABLES)
def test_a_hidden_world_does_not_carry_the_chance_of_the_table(setup: Setup) -> None:
    for state, seat in views(setup):
        other = state.clone(seed=12345)
        assert state.hidden(seat).position.streams == other.hidden(seat).position.streams
        assert state.dealt(seat, 1).position.streams == other.dealt(seat, 1).position.streams


# Dealing again, from another seat's view, what was dealt from one


@over(ALL_TABLES)
def test_a_world_dealt_again_keeps_what_the_second_seat_knew_in_it(setup: Setup) -> None:
    for state, seat in views(setup):
        for other in setup.seats:
            first = state.hidden(seat).position.redeal([seat], 5)
            second = state.hidden(seat).position.redeal([seat, other], 5)
            assert second.check() == 0
            assert second.hide(other) == first.hide(other)
            assert first.hide(seat) == state.position.hide(seat)
            assert second.playout(1)[0].check() == 0


@over(TABLES)
def test_a_deal_is_as_random_out_of_any_world(setup: Setup) -> None:
    """Every byte of the state takes its values as often, dealt out of the hidden world and of a dealt one."""
    tried = 0
    for state in running(setup, 3):
        for seat in setup.seats:
            hidden = state.position.hide(seat)
            worlds = [
                [origin.redeal([seat], seed).state_bytes for seed in range(300 * k, 300 * (k + 1))]
                for k, origin in enumerate((hidden, hidden.redeal([seat], 99)))
            ]
            for byte in range(len(hidden.state_bytes)):
                first, second = (Counter(world[byte] for world in side) for side in worlds)
                if len(first | second) > 1:
                    tried += 1
                    values = sorted(first | second)
                    means = [(first[value] + second[value]) / 2 for value in values]
                    counts = [side[value] for side in (first, second) for value in values]
                    assert chi_square_fits(counts, means * 2), (state, seat, byte, counts)
    assert bool(tried) == setup.game.hidden


# Law 2: no peeking


@over(ALL_TABLES)
def test_legal_and_greedy_come_from_what_the_mover_knows(setup: Setup) -> None:
    met = [state for state in positions(setup) if not state.is_terminal]
    assert len(met) >= (40 if setup.options else 200)
    for state in met:
        mover = state.position.to_move
        for world in (state.hidden(mover), *(state.dealt(mover, seed) for seed in range(WORLDS))):
            assert world.legal_actions == state.legal_actions
            assert world.greedy == state.greedy
        assert state.greedy in state.legal_actions


@over(ALL_TABLES)
def test_sensible_moves_of_a_playout_come_from_what_the_mover_knows(setup: Setup) -> None:
    """The same seed makes the same choice in every world that the mover cannot tell from the true one."""
    for seed, state in enumerate(running(setup, 100)):
        mover = state.position.to_move
        played = set(choices(state, seed, 0.0))
        for world in (state.hidden(mover), state.dealt(mover, 1), state.dealt(mover, 2)):
            assert played & set(choices(world, seed, 0.0))


@over(ALL_TABLES)
def test_nothing_that_a_seat_reads_depends_on_what_it_cannot_know(setup: Setup) -> None:
    for state, seat in views(setup):
        observation, drawing = text(state.observation(seat)), state.render(seat)
        for world in (state.hidden(seat), *(state.dealt(seat, seed) for seed in range(WORLDS))):
            assert text(world.observation(seat)) == observation
            assert world.render(seat) == drawing


@over(ALL_TABLES)
def test_refusals_say_the_mover_no_more_than_it_knows(setup: Setup) -> None:
    actions = setup.game.table(setup.players).actions
    for state in running(setup, 40):
        mover = state.position.to_move
        illegal = [action for action in range(actions) if action not in state.legal_actions][:10]
        for given in (*illegal, actions, -1, "no such move"):
            assert refusal(state, given) == refusal(state.dealt(mover, 1), given)


def refusal(state: State, action: int | str) -> str:
    with pytest.raises(SfumatoError) as refused:
        state.apply(action)
    return str(refused.value)


@over(ALL_TABLES)
def test_set_up_words_tell_a_seat_what_it_can_know(setup: Setup) -> None:
    for seed in range(20):
        state = setup.new(seed)
        for seat in setup.seats:
            assert state.setup_words(seat) == state.dealt(seat, 1).setup_words(seat)
            assert state.setup_words(seat) == state.game.tell_setup(state.fields(), seat, setup.players)


# Law 3: observations carry exactly what a seat knows


@over(ALL_TABLES)
def test_an_observation_writes_down_the_hidden_world(setup: Setup) -> None:
    for state, seat in views(setup):
        observation = state.observation(seat)
        assert json.loads(text(observation)) == observation, "a plain map"
        restored = setup.game.from_observation(observation, seed=4)
        assert restored.hidden(seat) == state.hidden(seat)
        assert restored.observation(seat) == observation
        assert restored == setup.game.from_observation(observation, seed=4)


# Law 5: following


@over(ALL_TABLES)
def test_every_seat_starts_with_the_observation_of_the_table(setup: Setup) -> None:
    for seed in range(20):
        state = setup.new(seed)
        for seat in setup.seats:
            assert setup.game.start(setup.players, seat, state.setup_words(seat)) == state.observation(seat)


@over(ALL_TABLES)
def test_following_whole_games_keeps_every_seat_up_to_date(setup: Setup) -> None:
    game = setup.game
    number = followed = 0
    while number < 4 or followed < (40 if setup.options else 200):
        luck, state = random.Random(number), setup.new(number)
        memory = [game.start(setup.players, seat, state.setup_words(seat)) for seat in setup.seats]
        while not state.is_terminal:
            step = state.apply(choose(state, (1.0, 0.0, 0.5, 0.2)[number % 4], luck))
            for seat in setup.seats:
                memory[seat] = game.follow(memory[seat], step.label(seat), step.words(seat))
                assert memory[seat] == state.observation(seat)
            followed += 1
        number += 1


@over(TABLES)
def test_following_a_step_takes_at_most_a_thousand_worlds(setup: Setup) -> None:
    """A tenth of what `follow` deals before it refuses a report."""
    for number, state in enumerate(running(setup, 60)):
        before = [state.position.hide(seat) for seat in setup.seats]
        step = state.clone(number).apply(choose(state, 0.5, random.Random(number)))
        for seat in setup.seats:
            label, script = state.game.action_id(step.label(seat)), state.game.speech.read(step.words(seat))
            assert before[seat].follow(seat, label, script, 1000, number) is not None


# Law 6: labels, words and keys


def steps(state: State, seat: int, count: int) -> Iterator[tuple[State, int, list[str], tuple[int, int]]]:
    """Steps out of worlds that the seat cannot tell apart: the position after each, and what the seat gets
    to know of the step: label, words, keys."""
    luck = random.Random(seat)
    for seed in range(count):
        world = state.dealt(seat, seed)
        action = luck.choice(world.legal_actions)
        after = world.clone(seed)
        label = world.position.label(action, seat)
        event = after.position.apply(action)
        words = state.game.tell(state.game.read_event(event), seat)
        yield after, label, words, after.position.table.seen(event, seat)


@over(ALL_TABLES)
def test_label_and_words_tell_all_that_a_seat_learns(setup: Setup) -> None:
    """What a seat knows after a step follows from what it knew, the label and the words."""
    for state in running(setup):
        for seat in setup.seats:
            known: dict[tuple[int, str], dict[str, Any]] = {}
            for after, label, words, _ in steps(state, seat, 12):
                observation = after.observation(seat)
                assert known.setdefault((label, text(words)), observation) == observation


@over(ALL_TABLES)
def test_an_action_has_one_label_in_all_worlds_that_a_seat_cannot_tell_apart(setup: Setup) -> None:
    """A label that changed with the world would tell something about it."""
    for state in running(setup):
        for seat in setup.seats:
            labels: dict[int, int] = {}
            for world in (state, *(state.dealt(seat, seed) for seed in range(8))):
                for action in world.legal_actions:
                    label = world.position.label(action, seat)
                    assert labels.setdefault(action, label) == label


@over(ALL_TABLES)
def test_keys_are_equal_exactly_when_the_words_are(setup: Setup) -> None:
    for state in running(setup):
        for seat in setup.seats:
            key_of: dict[tuple[int, str], tuple[int, int]] = {}
            words_of: dict[tuple[int, tuple[int, int]], str] = {}
            for after, label, words, key in steps(state, seat, 12):
                if after.is_terminal:
                    assert key == (0, 0)
                    continue
                assert (key == (0, 0)) == (words == [])
                assert key_of.setdefault((label, text(words)), key) == key
                assert words_of.setdefault((label, key), text(words)) == text(words)


# Belief


@over(TABLES)
def test_a_belief_is_the_same_in_every_world_and_counts_every_hidden_card(setup: Setup) -> None:
    for number, state in enumerate(running(setup, 6)):
        for seat in setup.seats:
            belief = state.belief(seat, worlds=40, seed=number)
            assert state.dealt(seat, 1).belief(seat, worlds=40, seed=number) == belief
            held = setup.game.hidden_places(state.fields(), seat, setup.players)
            assert {place: pytest.approx(sum(belief[place].values())) for place in belief} == {
                place: len(cards) for place, cards in held.items()
            }


def test_a_belief_is_the_share_of_the_worlds() -> None:
    """Leduc poker: seat 0 holds a K, the public card is a J: of the other four, two are Q, one J, one K."""
    state = load("leduc_poker").new(seed=1, seen=["hand 0 K"])
    state.apply("call")
    state.apply("call", seen=["public J"])
    belief = state.belief(0, worlds=4000, seed=1)
    assert belief == {"hand 1": {"J": pytest.approx(0.25, abs=0.03), "K": pytest.approx(0.25, abs=0.03),
                                 "Q": pytest.approx(0.5, abs=0.03)}}


@pytest.mark.parametrize("worlds", [0, -1, 1.5, "all", 10**9])
def test_a_belief_out_of_no_worlds_is_refused(worlds: Any) -> None:
    with pytest.raises(SfumatoError, match="worlds: expected a whole number from 1"):
        load("leduc_poker").new(seed=1).belief(0, worlds)
