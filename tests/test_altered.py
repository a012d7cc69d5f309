"""Saved states and observations that were altered: refused, or a legal position; never a crash or a hang."""

from __future__ import annotations

import copy
import random
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused
from sfumato.games import SfumatoError, State
from sfumato.games.state import CHECKSUM, MAGIC, checksum
from walks import GAMES, TABLES, Setup, over, play_to_end, positions, running, spread

#: tries per table, in the default run and in the slow one
FEW, MANY = 150, 5_000
#: where the player count and the position stand in a saved state: magic, players, digest, chance, position
PLAYERS_AT = len(MAGIC)
STATE_AT = PLAYERS_AT + 1 + 16 + 64


def signed(body: bytes) -> bytes:
    """The bytes with a checksum that fits."""
    return body + checksum(body)


def require_sound(state: State) -> None:
    """A legal position can be hidden, dealt and played out, and all that comes of it is legal."""
    assert state.position.check() == 0
    assert state.is_terminal or state.greedy in state.legal_actions
    for noise in (0.0, 1.0):
        end, _ = state.position.playout(1, noise)
        assert (end.to_move, end.check()) == (-1, 0)
    for seat in range(state.players):
        hidden, world = state.hidden(seat), state.dealt(seat, 1)
        assert (hidden.position.check(), world.position.check()) == (0, 0)
        assert hidden.hidden(seat) == world.hidden(seat) == hidden


def require_playable(state: State) -> None:
    """The same, and everything that can be asked about a position is answered until its end."""
    require_sound(state)
    state.render(None)
    state.position.evaluate()
    for seat in range(state.players):
        restored = state.game.from_observation(state.observation(seat), seed=1)
        assert restored.hidden(seat) == state.hidden(seat)
        state.render(seat)
        play_to_end(state.dealt(seat, 1), random.Random(1))
    assert sum(play_to_end(state, random.Random(2)).outcome.win_shares) == pytest.approx(1)


def examples(count: int) -> settings:
    """So many tries: the same ones every time in the default run, new ones in the slow run."""
    return settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=count == FEW,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


# Saved states


@over(TABLES)
def test_a_state_cut_short_or_lengthened_is_refused(setup: Setup) -> None:
    saved = setup.new(1).to_bytes()
    body = saved[:-CHECKSUM]
    for length in range(len(saved)):
        with refused(code="bad_state"):
            setup.game.from_bytes(saved[:length])
    for length in range(len(body)):
        with refused(code="bad_state"):
            setup.game.from_bytes(signed(body[:length]))
    with refused("checksum", code="bad_state"):
        setup.game.from_bytes(saved + b"\0")
    with refused(f"a state has {len(body) - STATE_AT} bytes", code="bad_state"):
        setup.game.from_bytes(signed(body + b"\0"))


@over(TABLES)
def test_a_state_with_one_bit_changed_is_refused(setup: Setup) -> None:
    saved = setup.new(1).to_bytes()
    for at in range(len(saved)):
        damaged = bytearray(saved)
        damaged[at] ^= 1 << at % 8
        with refused("saved state", code="bad_state"):
            setup.game.from_bytes(bytes(damaged))


@pytest.mark.parametrize("data", ["text", None, 5, [1, 2]])
@over(GAMES)
def test_what_is_no_bytes_is_no_state(setup: Setup, data: Any) -> None:
    with refused("expected bytes", type(data).__name__, code="bad_state"):
        setup.game.from_bytes(data)


@over(GAMES)
def test_a_state_of_another_game_or_player_count_is_refused(setup: Setup) -> None:
    for other in TABLES:
        if other != setup:
            body = bytearray(other.new(1).to_bytes()[:-CHECKSUM])
            body[PLAYERS_AT] = setup.players
            with refused(f"of another game than this {setup.name}", code="bad_state"):
                setup.game.from_bytes(signed(bytes(body)))


@over(TABLES)
def test_every_single_byte_of_a_state_is_checked_or_harmless(setup: Setup) -> None:
    """Each byte of a few positions, nudged and set to its extremes."""
    for state in spread(positions(setup), 6):
        body = state.to_bytes()[:-CHECKSUM]
        for at in range(STATE_AT, len(body)):
            for value in {(body[at] + 1) % 256, (body[at] - 1) % 256, 0, 1, 127, 255}:
                altered = bytearray(body)
                altered[at] = value
                try:
                    loaded = setup.game.from_bytes(signed(bytes(altered)))
                except SfumatoError:
                    continue
                require_sound(loaded)


@over(TABLES)
def test_an_impossible_state_is_refused_with_what_is_wrong_in_words(setup: Setup) -> None:
    wrong = [f"the saved state is impossible: {words} (" for words in setup.game.invariants]
    for state in spread(positions(setup), 12):
        body = state.to_bytes()[:-CHECKSUM]
        for at in range(STATE_AT, len(body)):
            altered = bytearray(body)
            altered[at] = (altered[at] + 1) % 256
            try:
                setup.game.from_bytes(signed(bytes(altered)))
            except SfumatoError as error:
                assert str(error).startswith(tuple(wrong))


def altered_state(setup: Setup, data: st.DataObject) -> bytes:
    """A saved state with some bytes of the position changed; its checksum fits."""
    met = positions(setup, 60)
    body = bytearray(met[data.draw(st.integers(0, len(met) - 1), "position")].to_bytes()[:-CHECKSUM])
    byte = st.integers(STATE_AT, len(body) - 1)
    for _ in range(data.draw(st.integers(1, 3), "changes")):
        at, other = data.draw(byte, "byte"), data.draw(byte, "other byte")
        how = data.draw(st.sampled_from(["set", "nudge", "move one", "swap"]), "how")
        if how == "set":
            body[at] = data.draw(st.sampled_from([0, 1, 2, 127, 254, 255]) | st.integers(0, 255), "value")
        elif how == "nudge":
            body[at] = (body[at] + data.draw(st.sampled_from([1, -1, 2, -2]), "by")) % 256
        elif how == "move one":
            body[at], body[other] = (body[at] - 1) % 256, (body[other] + 1) % 256
        else:
            body[at], body[other] = body[other], body[at]
    return signed(bytes(body))


def try_altered_state(setup: Setup, data: st.DataObject) -> None:
    saved = altered_state(setup, data)
    try:
        state = setup.game.from_bytes(saved)
    except SfumatoError as error:
        assert error.code == "bad_state"
        return
    require_playable(state)


@over(TABLES)
def test_an_altered_state_is_refused_or_legal(setup: Setup) -> None:
    examples(FEW)(given(st.data())(lambda data: try_altered_state(setup, data)))()


@pytest.mark.slow
@over(TABLES)
def test_an_altered_state_is_refused_or_legal_often(setup: Setup) -> None:
    examples(MANY)(given(st.data())(lambda data: try_altered_state(setup, data)))()


# Bytes that were never a state


@over(TABLES)
def test_random_bytes_are_checked_safely(setup: Setup) -> None:
    """`check` is safe on any bytes; what passes it can be played to its end."""
    table = setup.game.table(setup.players)
    luck = random.Random(1)
    phases = range(len(setup.game.phases))
    heads = [bytes((seat % 256, phase)) for seat in range(-1, setup.players) for phase in phases]
    for number in range(3000):
        data = luck.randbytes(table.state_size)
        if number % 3 == 1:
            data = luck.choice(heads) + data[2:]
        elif number % 3 == 2:
            data = luck.choice(heads) + bytes(luck.choice((0, 0, 0, 1, 2, 255)) for _ in data[2:])
        try:
            position = table.read(data)
        except ValueError as error:
            assert "does not hold" in str(error)
        else:
            require_playable(State(setup.game, position))


@over(GAMES)
def test_bytes_of_the_wrong_length_are_no_position(setup: Setup) -> None:
    table = setup.game.table(setup.players)
    position = setup.new(1).position
    for data in (b"", position.state_bytes[:-1], position.state_bytes + b"\0"):
        with pytest.raises(ValueError, match=f"a state has {table.state_size} bytes, not {len(data)}"):
            table.read(data)
    with pytest.raises(ValueError, match="chance has 64 bytes, not 63"):
        table.read(position.state_bytes, bytes(63))
    with pytest.raises(ValueError, match="an event has"):
        position.table.seen(b"", 0)


# Observations


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all maps, lists and leaves inside a value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    deeper = [place for key, part in parts for place in places(part, (*path, key))]
    return [path, *deeper] if path else deeper


def at(seen: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        seen = seen[key]
    return seen


def words_in(value: Any) -> set[str]:
    return {part for place in places(value) if isinstance(part := at(value, place), str)}


@cache
def vocabulary(setup: Setup) -> list[str]:
    """Words that stand in observations of the game."""
    return sorted(set().union(*(words_in(state.observation(0)) for state in positions(setup, 60))))


def altered_observation(setup: Setup, data: st.DataObject) -> dict[str, Any]:
    """An observation with one or two places replaced, nudged, removed, doubled or exchanged."""
    met = positions(setup, 60)
    state = met[data.draw(st.integers(0, len(met) - 1), "position")]
    seen = state.observation(data.draw(st.sampled_from(setup.seats), "seat"))
    for _ in range(data.draw(st.integers(1, 2), "changes")):
        alter_one(seen, vocabulary(setup), data)
    return seen


def alter_one(seen: dict[str, Any], words: list[str], data: st.DataObject) -> None:
    *way, last = data.draw(st.sampled_from(places(seen)), "place")
    part = at(seen, tuple(way))
    old = part[last]
    ways = ["nudge", "exchange", "move one", "word", "replace", "remove", "double"]
    how = data.draw(st.sampled_from(ways), "how")
    if how == "nudge" and type(old) is int:
        part[last] = old + data.draw(st.sampled_from([1, -1, 2, 100, 256, 1 << 40, 1 << 70]), "by")
    elif how == "nudge" and type(old) is bool:
        part[last] = not old
    elif how in ("exchange", "move one"):
        alike = [place for place in places(seen) if type(at(seen, place)) is type(old)]
        *other_way, other_last = data.draw(st.sampled_from(alike), "other place")
        other = at(seen, tuple(other_way))
        if how == "exchange":
            part[last], other[other_last] = copy.deepcopy(other[other_last]), copy.deepcopy(old)
        elif type(old) is int:
            part[last] -= 1
            other[other_last] += 1
    elif how == "word":
        part[last] = data.draw(st.sampled_from(words), "word")
    elif how == "remove":
        del part[last]
    elif how == "double" and isinstance(part, list):
        part.insert(last, copy.deepcopy(old))
    else:
        values = [None, True, 0, -1, 255, 1.5, "", "x", [], {}, [[]], {"x": 1}]
        part[last] = data.draw(st.sampled_from(values), "value")


def try_altered_observation(setup: Setup, data: st.DataObject) -> None:
    seen = altered_observation(setup, data)
    before = copy.deepcopy(seen)
    try:
        state = setup.game.from_observation(seen, seed=1)
    except SfumatoError as error:
        assert error.message
        assert error.code.isidentifier()
    else:
        again = setup.game.from_observation(state.observation(seen["seat"]), seed=1)
        assert again == state
        require_playable(state)
    assert seen == before


@over(TABLES)
def test_an_altered_observation_is_refused_or_possible(setup: Setup) -> None:
    examples(FEW)(given(st.data())(lambda data: try_altered_observation(setup, data)))()


@pytest.mark.slow
@over(TABLES)
def test_an_altered_observation_is_refused_or_possible_often(setup: Setup) -> None:
    examples(MANY)(given(st.data())(lambda data: try_altered_observation(setup, data)))()


@over(TABLES)
def test_an_altered_observation_changes_nothing_at_the_table(setup: Setup) -> None:
    for state in running(setup, 10):
        before = state.to_bytes()
        seen = state.observation(0)
        for place in places(seen):
            altered = copy.deepcopy(seen)
            at(altered, place[:-1])[place[-1]] = None
            with suppress(SfumatoError):
                setup.game.from_observation(altered, seed=1)
        assert state.to_bytes() == before
        assert state.observation(0) == seen
