"""A game of the arena: seeds, clocks, faults and ranks, what a seat is handed, and the one that cheats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import sqrt
from statistics import mean, stdev
from typing import Any

import pytest
from sfumato import NAMES, State, load
from sfumato.agents import agent, own_seed
from sfumato.duel import UNLIMITED, Limits, Played, play
from sfumato.plan import Planned
from sfumato.seated import GRACE, Answered, Cheating, InProcess, Player, Players, player


class Spy:
    """Plays any legal move, and keeps what it was handed."""

    def __init__(self) -> None:
        self.shown: list[State] = []
        self.seeds: list[int] = []

    def choose(self, hidden: State, seed: int, report: object = None) -> int:  # noqa: ARG002
        self.shown.append(hidden)
        self.seeds.append(seed)
        return hidden.legal_actions[seed % len(hidden.legal_actions)]


def planned(*agents: int, seed: int = 7) -> Planned:
    return Planned(number=0, game=0, block=0, matchup=0, agents=agents, seed=seed)


def played(game: str, players: list[Player], *agents: int, limits: Limits = UNLIMITED,
           **more: Any) -> Played:
    return play(load(game), planned(*agents or range(len(players))), players, limits, **more)


def same(one: Played, other: Played) -> bool:
    """Alike but for time."""
    return one._replace(thought=(), seconds=0) == other._replace(thought=(), seconds=0)


# --- games ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_the_one_that_its_actions_replay(name: str) -> None:
    game = load(name)
    for players in game.seats:
        found = play(game, planned(*range(players)), Players(["greedy", "random"] * players))
        state = game.new(players, 7)
        for action in found.actions:
            state.apply(action)
        scores, ranks, _ = state.outcome
        assert (found.scores, found.ranks, found.fault) == (tuple(scores), tuple(ranks), None)
        assert found.plies == len(found.actions)
        assert len(found.sims) == len(found.thought) == players
        assert 0 <= sum(found.thought) <= found.seconds


def test_simulations_are_counted_per_seat() -> None:
    found = played("connect_four", [player("flat:sims=20"), player("greedy")])
    assert found.sims[1] == 0
    assert 0 < found.sims[0] <= 20 * (found.plies + 1) // 2


@pytest.mark.parametrize(("name", "players"), [("enigma", 2), ("leduc_poker", 2), ("oh_hell", 3)])
def test_a_self_play_block_ties_exactly(name: str, players: int) -> None:
    specs = Players(["ismcts:sims=20"] * 2)
    seatings = [tuple(int(seat == mine) for seat in range(players)) for mine in range(players)]
    first, *others = [play(load(name), planned(*seats, seed=3), specs) for seats in seatings]
    assert all(same(first, other) for other in others)


def test_a_move_has_the_seed_of_its_key_seat_and_number_and_not_of_the_deal() -> None:
    spies = [Spy(), Spy()]
    found = played("connect_four", [InProcess(each) for each in spies], key=5)
    assert [seed for each in spies for seed in each.seeds] == [
        own_seed(5, seat, move) for seat in (0, 1) for move in range(seat, found.plies, 2)
    ]


# --- what a seat is handed ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_nobody_is_handed_another_seats_secrets(name: str) -> None:
    game = load(name)
    players = game.seats[0]
    spies = [Spy() for _ in range(players)]
    found = play(game, planned(*range(players)), [InProcess(each) for each in spies])
    shown: list[Iterator[State]] = [iter(each.shown) for each in spies]
    state = game.new(players, 7)
    for action in found.actions:
        assert state.to_move is not None
        handed = next(shown[state.to_move])
        # what any world that the seat cannot tell apart would have shown, future included
        other = state.dealt(state.to_move, 99).hidden(state.to_move)
        assert handed == other
        assert handed.to_bytes() == other.to_bytes()
        state.apply(action)


def test_a_program_is_handed_the_seats_observation_and_nothing_else() -> None:
    asked: list[Any] = []

    class Talk:
        def asked(self, method: str, params: dict[str, Any], seconds: float) -> Any:  # noqa: ARG002
            asked.append((method, params))
            return Answered(load("leduc_poker").from_observation(params["observation"]).legal_actions[-1])

        def kill(self) -> None:
            pass

    found = player("cmd[sims=9,agent=ismcts:c=1]:true")
    found._talk = Talk()  # type: ignore[attr-defined]
    found.begin = lambda *_: None  # type: ignore[method-assign]
    state = load("leduc_poker").new(2, 7)
    for number, action in enumerate(played("leduc_poker", [found], 0, 0, key=5).actions):
        assert state.to_move is not None
        seed = own_seed(5, state.to_move, number)
        assert asked[number] == ("best_move", {
            "observation": state.observation(state.to_move), "seed": seed, "top": 0, "limits": {"sims": 9},
            "agent": "ismcts:c=1",
        })
        state.apply(action)


def test_the_one_that_cheats_is_handed_the_position_and_not_its_future() -> None:
    spy = Spy()
    found = play(load("enigma"), planned(0, 0), [Cheating(spy)])
    state = load("enigma").new(2, 7)
    for action, handed in zip(found.actions, spy.shown, strict=True):
        assert handed == state
        assert handed.position.streams != state.position.streams
        state.apply(action)


def test_what_the_one_that_cheats_plays_depends_on_hidden_cards() -> None:
    """Seat 0 holds a queen, and was raised."""
    def answer(spec: str, other: str) -> str:
        state = load("leduc_poker").new(2, 1, seen=["hand 0 Q", f"hand 1 {other}"])
        state.apply("call")
        state.apply("raise")
        found = player(spec)
        return state.words(found.answer(found.view(state, 0), 1, None).action)

    assert [answer("cheat:sims=2000", other) for other in "JK"] == ["raise", "fold"]
    assert answer("ismcts:sims=2000", "J") == answer("ismcts:sims=2000", "K")


# --- the ceiling ----------------------------------------------------------------------------------------


def ahead(name: str, players: int, blocks: int, specs: list[str]) -> tuple[float, float]:
    """The first agent's points beyond the mean of the others, per block: their mean, and the half of its 95%
    interval."""
    game, found = load(name), []
    for seed in range(blocks):
        margins = []
        for seat in range(players):
            seats = [int(other != seat) for other in range(players)]
            scores = play(game, planned(*seats, seed=seed), Players(specs)).scores
            margins.append(scores[seat] - (sum(scores) - scores[seat]) / (players - 1))
        found.append(mean(margins))
    return mean(found), 1.96 * stdev(found) / sqrt(blocks)


@pytest.mark.parametrize(("name", "players", "blocks"), [("leduc_poker", 2, 400), ("oh_hell", 3, 60)])
def test_to_see_all_cards_is_worth_points(name: str, players: int, blocks: int) -> None:
    margin, half = ahead(name, players, blocks, ["cheat:sims=200", "ismcts:sims=200"])
    assert margin - half > 0


def test_to_see_all_cards_is_worth_nothing_where_none_are_hidden() -> None:
    spec = "sims=100,plain"
    one, other = (play(load("connect_four"), planned(0, 1), Players([f"{kind}:{spec}", "greedy"]))
                  for kind in ("cheat", "ismcts"))
    assert same(one, other)


# --- faults ---------------------------------------------------------------------------------------------


class Wrong:
    """Plays the first legal move, and from move `number` of its own on does something else."""

    def __init__(self, number: int, action: Any) -> None:
        self.left = number
        self.action = action

    def choose(self, hidden: State, seed: int, report: object = None) -> Any:  # noqa: ARG002
        self.left -= 1
        if self.left >= 0:
            return hidden.legal_actions[0]
        if isinstance(self.action, Exception):
            raise self.action
        return self.action


@pytest.mark.parametrize(("action", "kind", "reason"), [
    (99, "illegal", "connect_four has no action 99"),
    (None, "illegal", "connect_four has no action None"),
    (ZeroDivisionError("by zero"), "crashed", "ZeroDivisionError: by zero"),
    (RuntimeError("two\nlines\x1b"), "crashed", "RuntimeError: two lines?"),
])
def test_an_agent_at_fault_loses_the_game(action: Any, kind: str, reason: str) -> None:
    found = played("connect_four", [player("greedy"), InProcess(Wrong(2, action))])
    assert found.fault is not None
    assert (found.fault.seat, found.fault.kind, found.fault.reason) == (1, kind, reason)
    assert (found.plies, found.ranks, found.scores) == (5, (1, 2), (0.0, 0.0))


def test_a_move_that_is_not_legal_now_is_told_with_those_that_are() -> None:
    state = load("oh_hell").new(3, 7)
    card = next(action for action in range(52) if action not in state.legal_actions)
    found = played("oh_hell", [InProcess(Wrong(0, card))], 0, 0, 0)
    assert found.fault is not None
    assert found.fault.kind == "illegal"
    assert "is not legal here; legal: bid" in found.fault.reason


def test_a_seat_at_fault_is_last_and_alone_and_the_others_share_the_win() -> None:
    found = played("oh_hell", [player("greedy"), InProcess(Wrong(1, 99))], 0, 1, 0)
    assert found.fault is not None
    assert (found.fault.seat, found.ranks) == (1, (1, 3, 1))


def test_a_game_without_end_is_a_fault_of_the_table() -> None:
    found = played("connect_four", [player("greedy")], 0, 0, limits=Limits(max_plies=5))
    assert found.fault is not None
    assert (found.fault.seat, found.fault.kind) == (None, "endless")
    assert (found.plies, found.ranks, found.scores) == (5, (1, 1), (0.0, 0.0))


def test_a_game_may_end_with_its_last_allowed_move() -> None:
    whole = played("connect_four", [player("greedy")], 0, 0)
    assert same(whole, played("connect_four", [player("greedy")], 0, 0, limits=Limits(max_plies=whole.plies)))


# --- clocks ---------------------------------------------------------------------------------------------


class Thinker(InProcess):
    """Plays the first legal move; each takes as long as the test's clock says."""

    def __init__(self, ms: float | None = None, game_ms: float | None = None) -> None:
        super().__init__(agent("greedy"))
        self.ms, self.game_ms = ms, game_ms
        self.allowed: list[float | None] = []

    def answer(self, view: State, seed: int, seconds: float | None) -> Answered:
        self.allowed.append(seconds)
        return super().answer(view, seed, seconds)


def ticking(seconds: float) -> Any:
    """A clock that goes on by so much whenever it is read: a move reads it twice."""
    ticks = count()
    return lambda: next(ticks) * seconds


@pytest.mark.parametrize(("limits", "took", "late"), [
    (Limits(), 1000.0, False),
    (Limits(move_ms=500), 0.5, False),
    (Limits(move_ms=500), 0.5 + GRACE, False),
    (Limits(move_ms=500), 0.51 + GRACE, True),
    (Limits(game_ms=100_000), 0.5, False),
    (Limits(move_ms=100_000, game_ms=500), 1, True),
    (Limits(game_ms=1), GRACE / 100, False),
    (Limits(game_ms=1), GRACE / 2, True),
])
def test_a_player_is_late_beyond_its_time_and_the_grace(limits: Limits, took: float, late: bool) -> None:
    found = played("connect_four", [Thinker()], 0, 0, limits=limits, now=ticking(took))
    assert (found.fault is not None and found.fault.kind == "late") == late
    assert found.plies > 0 or late


def test_a_late_answer_is_not_played_and_says_how_late_it_was() -> None:
    found = played("connect_four", [Thinker()], 0, 0, limits=Limits(move_ms=500), now=ticking(2))
    assert found.fault is not None
    assert found.fault.reason == "its answer took 2 s, and it had 0.75 s, with the grace of 0.25 s"
    assert (found.fault.seat, found.actions, found.thought) == (0, (), (2, 0))


def test_the_shortest_clock_counts_and_that_of_the_game_runs_down() -> None:
    thinker, other = Thinker(ms=2000, game_ms=60_000), Thinker()
    limits = Limits(move_ms=3000, game_ms=4500)
    found = played("connect_four", [thinker, other], limits=limits, now=ticking(1))
    assert [round(each - GRACE, 6) for each in thinker.allowed if each is not None] == [2, 2, 2, 1.5, 0.5]
    assert [round(each - GRACE, 6) for each in other.allowed if each is not None] == [3, 3, 2.5, 1.5]
    assert found.fault is not None
    assert (found.fault.seat, found.fault.kind, found.thought) == (0, "late", (5, 4))


def test_a_search_that_would_take_for_ever_is_ended_and_late() -> None:
    found = played("connect_four", [player("ismcts:ms=100000000")], 0, 0, limits=Limits(move_ms=1))
    assert found.fault is not None
    assert (found.fault.kind, found.plies) == ("late", 0)
