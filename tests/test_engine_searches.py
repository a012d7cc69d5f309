"""`best_move` and `analyze` without a process: answers, limits, reports, cancelling, and whose turn it is."""

from __future__ import annotations

import time
from typing import Any

import pytest
from desk import Desk, busy, refused
from sfumato import load, search
from sfumato.bounds import Bounds


def test_best_move_is_what_the_search_finds() -> None:
    desk = Desk()
    game = desk.new("enigma")
    found = desk.ask("best_move", game=game, limits={"sims": 300}, seed=4, top=2, include=["variation"])
    state = load("enigma").new(2, seed=7)
    result = search(state, sims=300, seed=4)
    assert (found["action"], found["words"]) == (result.best.action, result.best.words)
    assert [move["visits"] for move in found["moves"]] == [move.visits for move in result.moves[:2]]
    assert found["moves"][0]["interval"] == list(result.best.interval)
    assert (found["shares"], found["stop"], found["sims"]) == (result.shares, "sims", 300)
    assert [ply["words"] for ply in found["variation"]] == [ply.words for ply in result.variation]
    assert found["belief"] is None and found["worlds"] is None


def test_analyze_judges_every_move_and_tells_the_line() -> None:
    desk = Desk()
    game = desk.new("enigma")
    found = desk.ask("analyze", game=game, limits={"sims": 100})
    assert len(found["moves"]) == len(desk.ask("legal_moves", game=game)["moves"])
    assert found["variation"]
    with refused("bad_agent", "agent", "expected one that searches (flat, pimc, ismcts)"):
        desk.ask("analyze", game=game, agent="greedy")


def test_belief_and_worlds_are_dealt_from_what_the_seat_knows() -> None:
    desk = Desk()
    game = desk.new(seen=["hand 0 K", "hand 1 J"])
    found = desk.ask("best_move", game=game, limits={"sims": 10}, include=["belief", "worlds"], worlds=50)
    assert sum(found["belief"]["hand 1"].values()) == pytest.approx(1)
    assert len(found["worlds"]) == 50
    assert {world["hand 1"][0] for world in found["worlds"]} == {"J", "Q", "K"}


@pytest.mark.parametrize(("limits", "stop"), [
    ({"sims": 50}, "sims"), ({"nodes": 20}, "nodes"), ({"confidence": 0.5}, "confidence"),
    ({"sims": 100000, "nodes": 20}, "nodes"), ({}, "sims"),
])
def test_the_first_limit_that_is_reached_ends_a_search(limits: dict[str, Any], stop: str) -> None:
    desk = Desk()
    found = desk.ask("best_move", game=desk.new("enigma"), limits=limits)
    assert found["stop"] == stop
    if not limits:
        assert found["sims"] == 10_000


def test_time_ends_a_search_and_so_does_the_bound_that_nobody_named() -> None:
    ticks = iter(range(10**9))
    desk = Desk(Bounds(ms=2000), clock=lambda: next(ticks) / 100)
    assert desk.ask("best_move", game=desk.new("enigma"), limits={"ms": 500})["stop"] == "ms"
    found = desk.ask("best_move", game=desk.new("enigma"), limits={"sims": 10**9})
    assert (found["stop"], found["elapsed_ms"] >= 2000) == ("ms", True)


@pytest.mark.parametrize(("params", "code", "path"), [
    ({"agent": "deep_blue"}, "bad_agent", "agent"),
    ({"agent": "ismcts:depth=3"}, "bad_agent", "agent"),
    ({"agent": "ismcts:sims=10", "limits": {"sims": 10}}, "bad_params", "limits.sims"),
    ({"agent": "ismcts:threads=1", "threads": 1}, "bad_params", "threads"),
    ({"agent": "ismcts:ms=9999999"}, "too_large", "agent"),
    ({"agent": "ismcts:memory=100000"}, "too_large", "agent"),
    ({"agent": "ismcts:threads=200"}, "too_large", "agent"),
    ({"threads": 200}, "too_large", "threads"),
    ({"limits": {"ms": 1e9}}, "too_large", "limits.ms"),
    ({"limits": {"nodes": 10**9}}, "too_large", "limits.nodes"),
    ({"limits": {"sims": 0}}, "bad_params", "limits.sims"),
    ({"limits": {"sims": "many"}}, "bad_params", "limits.sims"),
    ({"limits": 5}, "bad_params", "limits"),
    ({"limits": {"confidence": 2}}, "bad_params", "limits.confidence"),
    ({"limits": {"ms": float("nan")}}, "bad_params", "limits.ms"),
    ({"worlds": 101}, "too_large", "worlds"),
    ({"include": ["truth"]}, "bad_params", "include[0]"),
    ({"top": -1}, "bad_params", "top"),
    ({"priority": 101}, "bad_params", "priority"),
    ({"report_every_ms": 0}, "bad_params", "report_every_ms"),
    ({"observation": {}}, "bad_params", "game"),
    ({"game": None}, "bad_params", "game"),
    ({"game": "g7"}, "no_game", "game"),
])
def test_a_question_beyond_its_bounds_is_refused(params: dict[str, Any], code: str, path: str) -> None:
    desk = Desk()
    with refused(code, path):
        desk.ask("best_move", **{"game": desk.new(), **params})


def test_threads_are_no_part_of_the_answer() -> None:
    desk = Desk(Bounds(workers=4, threads=4))
    game = desk.new("enigma")
    one, four = (
        desk.ask("best_move", game=game, agent="ismcts:trees=4", limits={"sims": 200}, threads=threads)
        for threads in (1, 4)
    )
    assert one == four


def test_reports_come_while_a_search_runs_and_none_after_its_answer() -> None:
    desk = Desk(clock=time.monotonic)
    number = desk.send("best_move", game=desk.new("enigma"), limits={"ms": 200}, report_every_ms=20)
    found = desk.wait(number)
    assert len(desk.notes) >= 2
    assert {name for name, _ in desk.notes} == {"report"}
    assert all(note["id"] == number and note["so_far"]["stop"] == "running" for _, note in desk.notes)
    sims = [note["so_far"]["sims"] for _, note in desk.notes]
    assert sims == sorted(sims) and sims[-1] <= found["sims"]


def test_a_cancelled_search_answers_with_what_it_has() -> None:
    desk = Desk()
    number = busy(desk)
    assert desk.ask("cancel", id=number) == {"cancelled": True}
    found = desk.wait(number)
    assert found["stop"] == "cancelled"
    assert desk.ask("cancel", id=number) == {"cancelled": False}
    assert desk.ask("cancel", id=12345) == {"cancelled": False}


def test_a_request_that_has_not_begun_is_cancelled_at_once() -> None:
    desk = Desk(Bounds(workers=1))
    first = busy(desk)
    second = busy(desk, include=["variation", "belief", "worlds"])
    assert desk.ask("cancel", id=second) == {"cancelled": True}
    found = desk.answers[second]
    assert (found.stop, found.sims, found.belief, found.worlds) == ("cancelled", 1, None, None)
    assert found.variation, "what one simulation brings"
    desk.ask("cancel", id=first)
    assert desk.wait(first)["stop"] == "cancelled"


def test_when_the_queue_is_full_the_engine_is_busy() -> None:
    desk = Desk(Bounds(workers=1, queue=2))
    numbers = [busy(desk), busy(desk)]
    with refused("busy", "", "2 requests wait or are worked on"):
        desk.wait(busy(desk))
    assert desk.ask("ping") == {}, "what takes no time is still answered"
    desk.engine.cancel_all()
    assert desk.engine.join(60)
    assert set(numbers) <= set(desk.answers)


def order(desk: Desk, numbers: list[int]) -> list[int]:
    """The order in which requests were answered."""
    for number in numbers:
        desk.wait(number)
    return [number for number in desk.answers if number in numbers]


def test_a_higher_priority_starts_first() -> None:
    desk = Desk(Bounds(workers=1))
    game = desk.new()
    blocking = busy(desk)
    low, normal, high = (
        desk.send("best_move", game=game, limits={"sims": 5}, priority=priority) for priority in (-5, 0, 5)
    )
    desk.ask("cancel", id=blocking)
    assert order(desk, [low, normal, high]) == [high, normal, low]


def test_games_take_turns() -> None:
    desk = Desk(Bounds(workers=1))
    many, one = desk.new(), desk.new()
    blocking = busy(desk)
    crowd = [desk.send("best_move", game=many, limits={"sims": 5}) for _ in range(4)]
    single = desk.send("best_move", game=one, limits={"sims": 5})
    desk.ask("cancel", id=blocking)
    assert order(desk, [*crowd, single]).index(single) == 1


def test_a_search_judges_the_table_as_it_was_when_it_was_asked() -> None:
    desk = Desk(Bounds(workers=1))
    game = desk.new("oh_hell")
    blocking = busy(desk)
    before = desk.ask("legal_moves", game=game)
    number = desk.send("best_move", game=game, limits={"sims": 5})
    desk.ask("apply", game=game, action=before["moves"][0]["action"])
    desk.ask("close_game", game=game)
    desk.ask("cancel", id=blocking)
    assert desk.wait(number)["seat"] == before["to_move"]
