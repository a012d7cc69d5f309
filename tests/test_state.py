"""`Game` and `State`: what they give to people and programs, for every registered game."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from refusals import refused
from sfumato.games import NAMES, SfumatoError, State, game_class, load
from sfumato.games.layout import Layout
from walks import GAMES, TABLES, Setup, over, positions, running, walk

ENVELOPE = ["game", "cards", "options", "players", "seat", "to_move", "phase"]


@over(GAMES)
def test_one_stem_names_a_game(setup: Setup) -> None:
    game = setup.game
    assert game.name == setup.name
    assert game.title
    assert game.core.__name__ == f"sfumato.ext.{setup.name}"
    assert type(game) is game_class(setup.name)
    assert type(game).__module__ == f"sfumato.games.{setup.name}"
    assert game.cards_file == f"{setup.name}.toml"


@over(GAMES)
def test_every_game_has_a_rules_page(setup: Setup) -> None:
    assert setup.game.title in setup.game.rules_page.splitlines()[0]


def test_the_registry_lists_every_game_once() -> None:
    assert len(set(NAMES)) == len(NAMES) > 0


@over(TABLES)
def test_a_table_knows_its_players(setup: Setup) -> None:
    state = setup.new(0)
    assert state.players == setup.players
    assert setup.game.new(seed=0).players == setup.game.seats[0]
    assert state.to_move in setup.seats
    assert repr(state) == f"<{setup.name}, {setup.players} players, seat {state.to_move} to {state.phase}>"


@over(TABLES)
def test_a_finished_table_says_so(setup: Setup) -> None:
    *_, end = walk(setup, 0)
    assert end.to_move is None
    assert end.legal_actions == end.legal_words == []
    assert repr(end) == f"<{setup.name}, {setup.players} players, over>"
    for seat in setup.seats:
        assert end.observation(seat)["to_move"] is None
        assert setup.game.from_observation(end.observation(seat)).outcome == end.outcome


@over(TABLES)
def test_actions_are_named_by_id_or_in_words(setup: Setup) -> None:
    for state in running(setup, 20):
        for action in state.legal_actions:
            words = state.words(action)
            assert state.action(words) == state.action(action) == action
            assert state.child(words, 1) == state.child(action, 1)


@over(TABLES)
def test_a_step_tells_who_played_what_and_what_each_seat_saw(setup: Setup) -> None:
    for state in running(setup, 40):
        mover, action = state.to_move, state.legal_actions[-1]
        after = state.clone(1)
        step = after.apply(action)
        assert (step.seat, step.action) == (mover, action)
        assert step.label(mover) == step.label(None) == state.words(action)
        assert step.labels == tuple(state.position.label(action, seat) for seat in setup.seats)
        for seat in (None, *setup.seats):
            assert setup.game.speech.read(step.words(seat)) is not None


@over(TABLES)
def test_a_step_gives_each_seat_the_keys_of_what_it_showed(setup: Setup) -> None:
    """They stay the step's own, whatever is played on the table since."""
    for state in running(setup, 40):
        action = state.legal_actions[-1]
        table, twin = state.clone(1), state.clone(1)
        step = table.apply(action)
        event = twin.position.apply(action)
        if not table.is_terminal:
            table.apply(table.legal_actions[0])
        for seat in setup.seats:
            assert step.keys(seat) == twin.position.table.seen(event, seat)
            if not twin.is_terminal:
                assert (step.keys(seat) == (0, 0)) == (step.words(seat) == [])


@over(TABLES)
def test_what_is_printed_of_a_step_is_what_the_least_seeing_seat_saw(setup: Setup) -> None:
    for state in running(setup, 40):
        for action in state.legal_actions:
            step = state.clone(1).apply(action)
            least = setup.game.words(max(step.labels))
            assert repr(step) == f"<{setup.name}, seat {state.to_move}: {least}>"
            assert least in {step.label(seat) for seat in setup.seats}


@over(TABLES)
def test_what_is_printed_is_the_same_in_every_world(setup: Setup) -> None:
    """Nothing that some seat does not know is in a repr: it ends up in logs and tracebacks."""
    for state in running(setup, 20):
        for seat in setup.seats:
            for world in (state.hidden(seat), state.dealt(seat, 1)):
                assert repr(world) == repr(state)
        for thing in (setup.game, state.position, state.position.table):
            assert repr(thing) == object.__repr__(thing)


@over(TABLES)
def test_a_step_scripted_with_its_own_words_repeats(setup: Setup) -> None:
    """All that a step showed, given as a script, makes the same step whatever the chance."""
    for state in running(setup, 60):
        action = state.legal_actions[0]
        first, again = state.clone(1), state.clone(2)
        words = first.apply(action).words(None)
        assert again.apply(action, words).words(None) == words
        for seat in setup.seats:
            assert again.observation(seat) == first.observation(seat)


@over(TABLES)
def test_a_set_up_scripted_with_its_own_words_repeats(setup: Setup) -> None:
    for seed in range(20):
        first = setup.new(seed)
        again = setup.game.new(setup.players, seed + 1, first.setup_words(None))
        assert again.setup_words(None) == first.setup_words(None)
        for seat in setup.seats:
            assert again.observation(seat) == first.observation(seat)


@over(TABLES)
def test_a_script_that_the_step_cannot_obey_changes_nothing(setup: Setup) -> None:
    name = setup.game.speech.words[0].name if setup.game.speech.words else None
    if name is None:
        assert not setup.game.random
        return
    for state in running(setup, 20):
        before = state.to_bytes()
        # A word said 60 times is more than any step can obey.
        word = setup.game.speech.words[0].say(0, [])
        with pytest.raises(SfumatoError, match="cannot bring"):
            state.apply(state.legal_actions[0], [word] * 60)
        assert state.to_bytes() == before


@over(TABLES)
def test_observations_share_one_envelope(setup: Setup) -> None:
    game = setup.game
    for state in positions(setup)[:40]:
        for seat in setup.seats:
            seen = state.observation(seat)
            assert list(seen)[: len(ENVELOPE)] == ENVELOPE
            assert [seen[field] for field in ENVELOPE] == [
                setup.name, game.cards_digest, game.option_values(setup.players), setup.players, seat,
                state.to_move, state.phase,
            ]  # fmt: skip


@over(GAMES)
def test_the_schema_describes_every_field_of_an_observation(setup: Setup) -> None:
    schema = setup.game.schema()
    json.dumps(schema)
    described = schema["$defs"][setup.game.observation.__name__]
    seen = setup.new(0).observation(0)
    assert list(described["properties"]) == list(seen)
    assert described["required"] == list(seen)
    assert described["additionalProperties"] is False


@over(TABLES)
def test_only_a_new_table_tells_its_set_up(setup: Setup) -> None:
    state = setup.new(1)
    words = state.setup_words(0)
    assert state.clone(5).setup_words(0) == state.hidden(0).setup_words(0) == words
    seen, saved = state.observation(0), state.to_bytes()
    with refused(code="bad_action"):
        state.apply("no such action")
    assert state.setup_words(0) == words
    state.apply(state.legal_actions[0])
    for other in (
        state, state.clone(1), state.dealt(0, 1), setup.new(1).child(setup.new(1).legal_actions[0]),
        setup.game.from_observation(seen), setup.game.from_bytes(saved),
    ):  # fmt: skip
        for seat in (None, *setup.seats):
            with refused("only a new table", code="not_new"):
                other.setup_words(seat)


@over(GAMES)
def test_a_drawing_is_for_a_seat_or_expressly_for_spectators(setup: Setup) -> None:
    with pytest.raises(TypeError, match="seat"):
        setup.new(1).render()  # type: ignore[call-arg]


@over(TABLES)
def test_drawings_fit_a_terminal(setup: Setup) -> None:
    for state in positions(setup):
        for seat in (None, *setup.seats):
            drawing = state.render(seat)
            assert drawing.strip()
            assert drawing == drawing.rstrip()
            for line in drawing.splitlines():
                assert line == line.rstrip()
                assert len(line) <= 80, line


@over(TABLES)
def test_equal_positions_are_equal_states(setup: Setup) -> None:
    state = setup.new(1)
    assert state == state.clone(5)
    assert state != state.child(state.legal_actions[0])
    assert state != setup.name
    apart = load(setup.name).new(setup.players, 1)
    assert apart == state
    apart.apply(apart.legal_actions[0])
    assert apart != state
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)


@over(GAMES)
def test_states_under_other_options_are_other_states(setup: Setup) -> None:
    state = setup.new(1)
    for option in setup.game.options:
        here = setup.game.option_values(setup.players)[option.name]
        other_value = next(value for value in (*option.choices, option.low, option.high) if value != here)
        other = load(setup.name, **{option.name: other_value})
        assert other.rules_digest(setup.players) != setup.game.rules_digest(setup.players)
        with pytest.raises(SfumatoError, match="other cards, options or players"):
            other.from_bytes(state.to_bytes())
        with pytest.raises(SfumatoError, match=f"options.{option.name}"):
            other.from_observation(state.observation(0))


@over(GAMES)
def test_a_state_of_another_layout_is_another_state(setup: Setup) -> None:
    """The same size, but two fields have changed their names: the bytes would mean other things."""
    here = setup.game
    fields = [tuple(field) for field in here.core.STATE]
    first, second = fields[-1], fields[-2]
    other = load(setup.name)
    other._state = Layout([*fields[:-2], (first[0], *second[1:]), (second[0], *first[1:])])
    assert other._state.size == here.table(setup.players).state_size
    with refused("another layout", code="bad_state"):
        other.from_bytes(setup.new(1).to_bytes())


@over(TABLES)
def test_the_copy_module_makes_clones(setup: Setup) -> None:
    state = setup.new(1)
    for made in (copy.copy(state), copy.deepcopy(state)):
        assert made == state
        assert made.position.streams != state.position.streams
        made.apply(made.legal_actions[0])
        assert made != state
    with pytest.raises(TypeError):
        pickle.dumps(state)


@over(TABLES)
def test_saved_tables_are_also_read_from_other_kinds_of_bytes(setup: Setup) -> None:
    saved = setup.new(1).to_bytes()
    for data in (bytearray(saved), memoryview(saved)):
        assert setup.game.from_bytes(data) == setup.new(1)  # type: ignore[arg-type]


@over(TABLES)
def test_the_referee_takes_a_move_back(setup: Setup) -> None:
    state = setup.new(1)
    saved = state.to_bytes()
    once = state.apply(state.legal_actions[0])
    back: State = setup.game.from_bytes(saved)
    again = back.apply(back.legal_actions[0])
    assert again.words(None) == once.words(None)
    assert back == state
