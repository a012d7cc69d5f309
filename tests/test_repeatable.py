"""Repeatability: a seed tells a whole game, wherever and after whatever it is played."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from walks import TABLES, Setup, choose, over, running

GAMMA = 0x9E3779B97F4A7C15
PLAYS = 7


def transcript(setup: Setup, seed: int) -> str:
    """A digest of all that happens in a game of a seed, and of what every seat sees of it."""
    record = hashlib.blake2b(digest_size=16)
    luck = random.Random(seed)
    state = setup.new(seed)
    while not state.is_terminal:
        for seat in setup.seats:
            record.update(json.dumps([state.observation(seat), state.render(seat)]).encode())
        step = state.apply(choose(state, 0.5, luck))
        record.update(json.dumps([step.words(None), state.legal_words]).encode())
        record.update(state.position.playout(seed, 0.3)[0].state_bytes)
    record.update(state.to_bytes())
    record.update(repr(state.outcome).encode())
    return record.hexdigest()


@over(TABLES)
def test_a_seed_gives_the_same_game_again(setup: Setup) -> None:
    assert transcript(setup, 5) == transcript(setup, 5)


@over(TABLES)
def test_a_seed_gives_the_same_game_after_other_games(setup: Setup) -> None:
    before = transcript(setup, 5)
    for other in TABLES:
        transcript(other, 6)
    assert transcript(setup, 5) == before


def test_a_seed_gives_the_same_game_in_a_new_process() -> None:
    program = (
        "import json, test_repeatable as here\n"
        "print(json.dumps({str(setup): here.transcript(setup, 5) for setup in reversed(here.TABLES)}))"
    )
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parent,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout) == {str(setup): transcript(setup, 5) for setup in TABLES}


@over(TABLES)
def test_other_seeds_give_other_games(setup: Setup) -> None:
    if not setup.game.random:
        assert len({setup.new(seed).position.state_bytes for seed in range(20)}) == 1
        return
    assert len({transcript(setup, seed) for seed in range(20)}) > 10


@over(TABLES)
def test_a_table_without_a_seed_has_a_fresh_one(setup: Setup) -> None:
    assert setup.game.new(setup.players).position.streams != setup.game.new(setup.players).position.streams


# The table's future


@over(TABLES)
def test_copies_do_not_share_the_future_of_the_table(setup: Setup) -> None:
    """Two tables in the same position, with different futures, make the same copies."""
    for state in running(setup, 20):
        one, two = state.clone(1), state.clone(2)
        assert one.position.streams != two.position.streams
        action = state.legal_actions[0]
        assert one.clone(3).position.streams == two.clone(3).position.streams
        assert one.clone().position.streams not in (one.position.streams, one.clone().position.streams)
        assert one.child(action, 3).to_bytes() == two.child(action, 3).to_bytes()
        for seat in setup.seats:
            assert one.hidden(seat).to_bytes() == two.hidden(seat).to_bytes()
            assert one.dealt(seat, 3).to_bytes() == two.dealt(seat, 3).to_bytes()
        assert one.position.playout(3)[0] == two.position.playout(3)[0]


@over(TABLES)
def test_looking_ahead_does_not_change_the_future(setup: Setup) -> None:
    curious, calm = setup.new(9), setup.new(9)
    luck = random.Random(9)
    while not calm.is_terminal:
        action = choose(calm, 0.5, luck)
        for other in curious.legal_actions:
            curious.child(other)
        for seat in setup.seats:
            curious.observation(seat)
            curious.dealt(seat)
        curious.position.perft(2)
        curious.position.playout(1)
        curious.apply(action)
        calm.apply(action)
        assert curious.to_bytes() == calm.to_bytes()


@over(TABLES)
def test_a_step_draws_from_its_streams_in_order(setup: Setup) -> None:
    """A step moves each stream on by whole draws, so that the k-th draw from a source is the same whoever
    draws it, and leaves the stream of a playout's own decisions alone."""
    luck = random.Random(4)
    state = setup.new(4)
    start = streams(state.position.streams)
    drawn = [0] * len(start)
    while not state.is_terminal:
        state.apply(choose(state, 0.8, luck))
        now = streams(state.position.streams)
        for stream, (first, last) in enumerate(zip(start, now, strict=True)):
            count = ((last - first) * pow(GAMMA, -1, 1 << 64)) % (1 << 64)
            assert drawn[stream] <= count <= drawn[stream] + 10_000
            drawn[stream] = count
    assert drawn[PLAYS] == 0
    assert setup.game.random or not any(drawn)


def streams(data: bytes) -> list[int]:
    return [int.from_bytes(data[k : k + 8], sys.byteorder) for k in range(0, len(data), 8)]


@over(TABLES)
def test_a_playout_of_noise_1_repeats_by_its_seed(setup: Setup) -> None:
    for state in running(setup, 20):
        assert state.position.playout(5) == state.position.playout(5)
        if len(state.legal_actions) > 1:
            ends = {state.position.playout(seed, 1.0, 1)[0].state_bytes for seed in range(40)}
            assert len(ends) > 1


@pytest.mark.parametrize("seed", [0, (1 << 64) - 1])
@over(TABLES)
def test_the_smallest_and_the_largest_seed_play(setup: Setup, seed: int) -> None:
    assert transcript(setup, seed) == transcript(setup, seed)
