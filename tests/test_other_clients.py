"""`sfumato serve` with a MessagePack-RPC client that others wrote: pynvim's, which is made for Neovim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pynvim.msgpack_rpc import child_session
from pynvim.msgpack_rpc.async_session import AsyncSession
from pynvim.msgpack_rpc.event_loop import EventLoop
from pynvim.msgpack_rpc.msgpack_stream import MsgpackStream
from sfumato.client import COMMAND
from sfumato.games import NAMES, State, game_class
from walks import MOST_DECISIONS, Setup, over

Ask = Callable[..., Any]

FEWEST = [Setup(name, game_class(name).seats[0]) for name in NAMES]
#: every game at its smallest and its largest table
TABLES = FEWEST + [Setup(name, seats[-1]) for name in NAMES if len(seats := game_class(name).seats) > 1]
#: decisions that are followed at the larger tables; at the smallest it is the whole game
PLIES = 100
LIMITS = {"sims": 20}


class Refused(Exception):  # noqa: N818
    """The error of an answer, as it came."""


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Asks one child engine, which ends well when it is told to."""
    session = child_session(list(COMMAND))
    session.error_wrapper = Refused
    yield lambda method, **params: session.request(method, params)
    assert session.request("shutdown") == {}
    # It greets its Neovim in a notification, which we cannot read; this is told, and all else went on.
    assert session.next_message().args[0]["code"] == "bad_request"
    with pytest.raises(EOFError, match="return_code = 0"):
        session.next_message()
    session.close()


def best(ask: Ask, **table: Any) -> Any:
    return ask("best_move", limits=LIMITS, top=0, **table)


@over(TABLES)
def test_it_plays_whole_games(setup: Setup, ask: Ask) -> None:
    held = ask("new_game", game=setup.name, players=setup.players, seed=3)
    twin = setup.new(3)
    for _ in range(MOST_DECISIONS):
        if held["to_move"] is None:
            break
        found = best(ask, game=held["game"])
        assert found["seat"] == held["to_move"] == twin.to_move
        twin.apply(found["action"])
        held = ask("apply", game=held["game"], action=found["words"])
    assert held["outcome"] == twin.outcome._asdict()
    assert ask("close_game", game=held["game"]) == {}


def first(ask: Ask, truth: State) -> list[Any]:
    """What each seat knows after the deal, from what it was shown."""
    table = {"game": truth.game.name, "players": truth.players}
    return [
        ask("follow", start={**table, "seat": seat}, seen=truth.setup_words(seat))["observation"]
        for seat in range(truth.players)
    ]


def move(ask: Ask, truth: State, known: list[Any]) -> list[Any]:
    """The seat to move decides from what it knows; then what each seat knows, from what it saw."""
    assert truth.to_move is not None
    step = truth.apply(best(ask, observation=known[truth.to_move])["words"])
    return [
        ask("follow", observation=known[seat], action=step.label(seat), seen=step.words(seat))["observation"]
        for seat in range(truth.players)
    ]


@over(TABLES)
def test_it_plays_at_its_own_table_by_observations_alone(setup: Setup, ask: Ask) -> None:
    truth = setup.new(5)
    known = first(ask, truth)
    for _ in range(MOST_DECISIONS if setup in FEWEST else PLIES):
        assert known == [truth.observation(seat) for seat in setup.seats]
        if truth.is_terminal:
            break
        known = move(ask, truth, known)
    assert truth.is_terminal or setup not in FEWEST


def test_errors_reach_it_as_data(ask: Ask) -> None:
    with pytest.raises(Refused) as caught:
        ask("new_game", game="none_such")
    [error] = caught.value.args
    assert (error["code"], error["path"]) == ("bad_game", "game")
    with pytest.raises(Refused) as caught:
        ask("none_such")
    assert caught.value.args[0]["code"] == "unknown_method"


def test_it_has_many_requests_in_flight_hears_reports_and_cancels() -> None:
    session = AsyncSession(MsgpackStream(EventLoop("child", list(COMMAND))))
    came: dict[str, Any] = {}
    asked = ("new_game", "long", "short", "ping", "cancel")
    reports: list[Any] = []

    def send(name: str, method: str, **params: Any) -> None:
        def keep(error: Any, result: Any) -> None:
            assert error is None
            came[name] = result
            if len(came) == len(asked):
                session.stop()

        session.request(method, [params], keep)

    def hear(name: str, args: list[Any]) -> None:
        assert name == "report"
        reports.append(args[0])
        if len(reports) == 1:
            send("cancel", "cancel", id=args[0]["id"])

    send("new_game", "new_game", game="enigma", seed=1)
    send("long", "best_move", game="g1", limits={"ms": 50_000}, report_every_ms=10)
    send("short", "best_move", game="g1", limits=LIMITS)
    send("ping", "ping")
    session.run(None, hear)
    assert came["cancel"] == {"cancelled": True}
    assert came["long"]["stop"] == "cancelled"
    assert came["short"]["sims"] == LIMITS["sims"]
    assert {report["id"] for report in reports} == {2}
    session.close()
