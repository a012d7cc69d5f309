"""The contract of ext/state.pxd, for every registered game, player count and option value."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
from sfumato.ext.state import LIMITS
from sfumato.games import NAMES, SfumatoError, State, game_class
from sfumato.games.option import spoken
from walks import (
    ALL_TABLES,
    GAMES,
    TABLES,
    Setup,
    chi_square_fits,
    choices,
    choose,
    over,
    play_to_end,
    positions,
    running,
    spread,
    values,
    walk,
)

# Sizes and names


@over(TABLES)
def test_structs_for_python_are_as_large_as_the_cores(setup: Setup) -> None:
    game, table = setup.game, setup.game.table(setup.players)
    state = setup.new(0)
    assert np.dtype(game.core.STATE).itemsize == table.state_size <= LIMITS["state"]
    event = state.position.apply(state.legal_actions[0])
    assert np.dtype(game.core.EVENT).itemsize == len(event) <= LIMITS["event"]
    rules = np.dtype(game.core.RULES).itemsize
    for wrong in (bytes(rules - 1), bytes(rules + 1), b"\xff" * rules):
        with pytest.raises(ValueError):
            game.core.table(wrong)


@over(TABLES)
def test_structs_have_no_padding(setup: Setup) -> None:
    """Every byte has a name: so equal positions can be compared as bytes, and none is left to chance."""
    for layout in (setup.game.core.RULES, setup.game.core.STATE, setup.game.core.EVENT):
        assert np.dtype(layout, align=True).fields == np.dtype(layout).fields
        assert np.dtype(layout, align=True).itemsize == np.dtype(layout).itemsize


@over(TABLES)
def test_tables_and_positions_are_not_made_out_of_nothing(setup: Setup) -> None:
    """A blank one would have no core to ask."""
    position = setup.new(0).position
    for kind in (type(position), type(position.table)):
        for make in (kind, lambda kind=kind: kind.__new__(kind), lambda kind=kind: kind.__new__(kind, None)):
            with pytest.raises(TypeError):
                make()


@over(TABLES)
def test_a_state_opens_with_whose_turn_it_is_and_what_is_asked(setup: Setup) -> None:
    layout = np.dtype(setup.game.core.STATE)
    assert layout.fields is not None
    assert layout.fields["to_move"] == (np.dtype("i1"), 0)
    assert layout.fields["phase"] == (np.dtype("u1"), 1)
    for state in positions(setup):
        fields = state.fields()
        assert (fields.to_move, fields.phase) == (state.position.to_move, state.position.phase)
        assert state.phase == setup.game.phases[fields.phase]
        assert (state.to_move is None) == state.is_terminal == (state.phase == setup.game.phases[-1])


@over(TABLES)
def test_constants_keep_their_limits(setup: Setup) -> None:
    table = setup.game.table(setup.players)
    assert table.players == setup.players <= LIMITS["seats"]
    assert 1 <= table.max_legal <= LIMITS["legal"]
    assert table.actions >= table.max_legal
    assert table.labels >= 0
    assert table.score_range[0] < table.score_range[1]
    assert 0 <= table.public_phases < 1 << len(setup.game.phases) <= 1 << 64
    assert table.fixed_phases & ~table.public_phases == 0
    assert 0 <= table.telling_phases < 1 << len(setup.game.phases)


@over(TABLES)
def test_every_action_and_label_has_words_of_its_own(setup: Setup) -> None:
    game, table = setup.game, setup.game.table(setup.players)
    words = game.action_words()
    assert len(words) == table.actions + table.labels
    for number, text in enumerate(words):
        if text is None:
            with pytest.raises(SfumatoError, match=f"has no action {number}"):
                game.words(number)
        else:
            assert text == " ".join(text.split()) != ""
            assert game.words(number) == text
            assert game.action_id(text) == game.action_id(number) == number
            assert game.action_id(f"  {text.replace(' ', '   ')} ") == number


# Playing


@over(ALL_TABLES)
def test_legal_actions_ascend_and_apply_until_the_game_ends(setup: Setup) -> None:
    table = setup.game.table(setup.players)
    for state in spread(positions(setup, 60), 40):
        legal = state.legal_actions
        assert legal == sorted(set(legal))
        assert len(legal) <= table.max_legal
        assert bool(legal) != state.is_terminal
        assert all(0 <= action < table.actions for action in legal)
        assert state.legal_words == [state.words(action) for action in legal]
        for action in legal:
            child = state.child(action, seed=5)
            assert child.position.check() == 0
            assert bool(child.legal_actions) != child.is_terminal


@over(ALL_TABLES)
@pytest.mark.parametrize("number", range(3))
def test_games_end_with_every_invariant_kept_at_every_step(setup: Setup, number: int) -> None:
    for state in walk(setup, number):
        assert state.position.check() == 0
    assert state.is_terminal


@over(ALL_TABLES)
def test_no_step_touches_an_earlier_position(setup: Setup) -> None:
    kept: list[tuple[State, bytes, bytes]] = []

    def keep(state: State) -> State:
        kept.append((state, state.position.state_bytes, state.position.streams))
        return state

    luck = random.Random(1)
    state = keep(setup.new(1))
    while not state.is_terminal:
        for action in state.legal_actions:
            keep(state.child(action, seed=2))
        for seat in setup.seats:
            keep(state.hidden(seat))
            keep(state.dealt(seat, seed=3))
            state.observation(seat)
            state.render(seat)
        state.position.playout(4)
        state.position.evaluate()
        state = keep(state.child(choose(state, 0.5, luck), seed=luck.randrange(1 << 64)))
    for earlier, state_bytes, streams in kept:
        assert earlier.position.state_bytes == state_bytes
        assert earlier.position.streams == streams


@over(ALL_TABLES)
def test_a_saved_table_has_the_same_future(setup: Setup) -> None:
    luck = random.Random(2)
    state = setup.new(2)
    while not state.is_terminal:
        state.apply(choose(state, 0.7, luck))
        saved = state.to_bytes()
        loaded = setup.game.from_bytes(saved)
        assert loaded == state
        assert loaded.to_bytes() == saved
        if luck.random() < 0.1:
            end = setup.game.from_bytes(saved)
            assert play_to_end(end, random.Random(3)) == play_to_end(loaded, random.Random(3))
            assert end.to_bytes() == loaded.to_bytes()


@over(ALL_TABLES)
def test_an_illegal_action_is_refused_and_changes_nothing(setup: Setup) -> None:
    actions = setup.game.table(setup.players).actions
    for state in spread(positions(setup, 60), 6):
        before = state.to_bytes()
        for action in sorted(set(range(actions)) - set(state.legal_actions)):
            with pytest.raises(SfumatoError):
                state.apply(action)
            with pytest.raises(ValueError, match="is over" if state.is_terminal else "is not legal here"):
                state.position.apply(action)
        assert state.to_bytes() == before


@over(TABLES)
def test_labels_are_in_range_and_the_mover_sees_its_own_action(setup: Setup) -> None:
    table = setup.game.table(setup.players)
    for state in running(setup, 60):
        for action in state.legal_actions:
            for seat in setup.seats:
                label = state.position.label(action, seat)
                assert label == action or table.actions <= label < table.actions + table.labels
                assert setup.game.words(label)
            assert state.position.label(action, state.position.to_move) == action


@over(TABLES)
def test_what_is_flagged_bites(setup: Setup) -> None:
    """`hidden` and `random` are true exactly when something is hidden, when something is drawn."""
    table = setup.game.table(setup.players)
    met = positions(setup)
    hidden = any(state.hidden(seat) != state for state in met for seat in setup.seats)
    assert hidden == table.hidden == setup.game.hidden
    drawn = any(len({state_after(state, seed) for seed in range(12)}) > 1 for state in running(setup, 30))
    drawn = drawn or len({setup.new(seed).position.state_bytes for seed in range(12)}) > 1
    assert drawn == table.random == setup.game.random


def state_after(state: State, seed: int) -> bytes:
    return state.child(state.legal_actions[0], seed).position.state_bytes


@over(TABLES)
def test_where_the_legal_set_is_public_every_world_has_the_same(setup: Setup) -> None:
    public = setup.game.table(setup.players).public_phases
    for state in running(setup, 80):
        if public >> state.position.phase & 1:
            for seat in setup.seats:
                for seed in range(4):
                    assert state.dealt(seat, seed).legal_actions == state.legal_actions


@over(TABLES)
def test_where_the_legal_set_is_fixed_it_follows_from_labels_revelations_and_headers(setup: Setup) -> None:
    """Worlds that a seat has not told apart without looking at what was drawn have the same legal set."""
    fixed = setup.game.table(setup.players).fixed_phases
    for state in running(setup, 40):
        for seat in setup.seats:
            known: dict[tuple[int, ...], list[int]] = {}
            for seed in range(12):
                world, path = state.position.deal(seat, seed), ()
                for _ in range(6):
                    legal = world.legal()
                    if fixed >> world.phase & 1:
                        assert known.setdefault(path, legal) == legal
                    # few different moves, so that different worlds meet on one path
                    action = legal[len(path) * 7 % len(legal)] if seed % 3 else legal[0]
                    label = world.label(action, seat)
                    revealed, _ = world.table.seen(world.apply(action), seat)
                    path = (*path, label, revealed, world.to_move, world.phase)
                    if world.to_move < 0:
                        break


@over(TABLES)
def test_only_telling_phases_give_keys_of_revelations(setup: Setup) -> None:
    telling = setup.game.table(setup.players).telling_phases
    told = 0
    for state in running(setup, 100):
        for action in state.legal_actions:
            for seat in setup.seats:
                after = state.position.copy(1)
                revealed, _ = after.table.seen(after.apply(action), seat)
                if revealed:
                    assert telling >> state.position.phase & 1
                    told |= 1 << state.position.phase
    assert told == telling, "a phase that is flagged tells something now and then"


# The end


@over(ALL_TABLES)
def test_outcomes_rank_everybody_and_share_one_win(setup: Setup) -> None:
    low, high = setup.game.table(setup.players).score_range
    for number in range(6):
        *_, end = walk(setup, number)
        scores, ranks, shares = end.outcome
        assert len(scores) == len(ranks) == len(shares) == setup.players
        assert all(low <= score <= high for score in scores)
        assert ranks == [1 + sum(other < rank for other in ranks) for rank in ranks]
        assert math.isclose(sum(shares), 1)
        assert all((share > 0) == (rank == 1) for share, rank in zip(shares, ranks, strict=True))


@over(TABLES)
def test_an_unfinished_game_has_no_outcome_and_a_finished_one_no_move(setup: Setup) -> None:
    state = setup.new(0)
    with pytest.raises(SfumatoError, match="the game is not over"):
        _ = state.outcome
    *_, end = walk(setup, 0)
    for ask in (lambda: end.greedy, lambda: end.action(0), lambda: end.apply(0), lambda: end.child(0)):
        with pytest.raises(SfumatoError, match="the game is over"):
            ask()


# Judging and playing on


@over(ALL_TABLES)
def test_evaluations_are_shares_of_one_win_and_possible_points(setup: Setup) -> None:
    low, high = setup.game.table(setup.players).score_range
    for state in positions(setup, 60):
        shares, scores = state.position.evaluate()
        assert len(shares) == len(scores) == setup.players
        assert all(0 <= share <= 1 for share in shares)
        assert math.isclose(sum(shares), 1, abs_tol=1e-9)
        assert all(math.isfinite(score) and low <= score <= high for score in scores)


@over(ALL_TABLES)
def test_the_evaluation_of_a_finished_game_is_its_outcome(setup: Setup) -> None:
    for number in range(6):
        *_, end = walk(setup, number)
        shares, scores = end.position.evaluate()
        assert shares == pytest.approx(end.outcome.win_shares)
        assert scores == pytest.approx(end.outcome.scores)


@over(TABLES)
def test_evaluations_are_nearer_to_what_playouts_bring_than_knowing_nothing(setup: Setup) -> None:
    """Over many positions, shares and points that `evaluate` expects against the means of sensible playouts:
    nearer than equal shares, and than the middle of the range of points."""
    low, high = setup.game.table(setup.players).score_range
    judged, blind, judged_points, blind_points = 0.0, 0.0, 0.0, 0.0
    for state in running(setup, 60):
        ends = [state.position.playout(seed, 0.2)[0].outcome() for seed in range(30)]
        shares, scores = state.position.evaluate()
        for seat in setup.seats:
            won = sum((ranks[seat] == 1) / ranks.count(1) for _, ranks in ends) / len(ends)
            points = sum(ended[seat] for ended, _ in ends) / len(ends)
            judged += abs(shares[seat] - won)
            blind += abs(1 / setup.players - won)
            judged_points += abs(scores[seat] - points)
            blind_points += abs((low + high) / 2 - points)
    assert judged < blind
    assert judged_points < blind_points


@over(ALL_TABLES)
@pytest.mark.parametrize("noise", [0.0, 0.25, 1.0])
def test_playouts_reach_an_end(setup: Setup, noise: float) -> None:
    for seed, state in enumerate(positions(setup, 60)):
        end, played = state.position.playout(seed, noise)
        assert end.to_move == -1
        assert end.check() == 0
        assert (played == 0) == state.is_terminal


@over(GAMES)
@pytest.mark.parametrize("noise", [-0.1, 1.5, math.nan])
def test_noise_is_a_share(setup: Setup, noise: float) -> None:
    with pytest.raises(ValueError, match="noise: expected 0 to 1"):
        setup.new(0).position.playout(1, noise)


@over(TABLES)
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_playouts_stop_after_the_plies_asked_for(setup: Setup, noise: float) -> None:
    for seed, state in enumerate(running(setup, 60)):
        _, length = state.position.playout(seed, noise)
        for plies in (0, 1, 2, 3, 7):
            after, played = state.position.playout(seed, noise, plies)
            assert played == min(plies, length)
            assert after.check() == 0
            assert (after.to_move == -1) == (played == length)
            assert bool(after.legal()) == (after.to_move >= 0)
        assert state.position.playout(seed, noise, 0)[0] == state.position
        assert state.position.playout(seed, noise, length)[0] == state.position.playout(seed, noise)[0]


@over(TABLES)
def test_a_playout_without_noise_plays_legal_moves(setup: Setup) -> None:
    for seed, state in enumerate(running(setup, 100)):
        assert choices(state, seed, 0.0)


@over(TABLES)
def test_a_playout_of_noise_1_chooses_uniformly_among_the_legal_actions(setup: Setup) -> None:
    tried = 0
    for state in various(setup):
        count = len(state.legal_actions)
        samples = 400 + 40 * count
        met = Counter(choices(state, seed, 1.0) for seed in range(samples))
        assert () not in met, "a playout plays nothing but legal actions"
        if count > 1 and all(len(group) == 1 for group in met):
            tried += 1
            counts = [met[action,] for action in state.legal_actions]
            assert chi_square_fits(counts, [samples / count] * count), (state, counts)
    assert tried, "no position has children that differ"


def various(setup: Setup) -> list[State]:
    """Positions with a choice, of every phase and every number of choices met in play: one of each."""
    met = {(state.phase, len(state.legal_actions)): state for state in positions(setup)}
    return [state for (_, choices), state in met.items() if choices > 1]


@over(TABLES)
def test_noise_is_the_share_of_uniform_moves(setup: Setup) -> None:
    """Half the moves at noise 1/2 are the sensible one, and half are uniform."""
    for state in running(setup, 60):
        count = len(state.legal_actions)
        if count == 1:
            continue
        sensible = {choices(state, seed, 0.0) for seed in range(20)}
        if len(sensible) == 1 and len(only := sensible.pop()) == 1:
            chosen = sum(choices(state, seed, 0.5) == only for seed in range(400))
            share = 0.5 + 0.5 / count
            assert chi_square_fits([chosen, 400 - chosen], [400 * share, 400 * (1 - share)])
            return
    pytest.fail("no position has one sensible move among several")


@over(TABLES)
def test_perft_counts_decisions(setup: Setup) -> None:
    for state in [setup.new(1), *running(setup, 40)]:
        position = state.position
        assert position.perft(0) == 1
        assert position.perft(1) == len(state.legal_actions)
        grandchildren = 0
        for action in state.legal_actions:
            child = position.copy(None)
            child.apply(action)
            grandchildren += max(1, len(child.legal()))
        assert position.perft(2) == grandchildren


# The registry


def test_every_value_of_every_option_is_tried() -> None:
    tried = {(setup.name, key, value) for setup in ALL_TABLES for key, value in setup.options}
    for name in NAMES:
        for option in game_class(name).options:
            assert {(name, option.name, value) for value in values(option)} <= tried


@over(GAMES)
def test_every_option_says_what_it_does_and_has_a_default(setup: Setup) -> None:
    for option in setup.game.options:
        assert option.help
        assert option.choices or option.low < option.high
        for value in values(option):
            assert option.parse(spoken(value)) == value
        for players in setup.game.seats:
            value = setup.game.option_values(players)[option.name]
            assert option.accept(value) == value
