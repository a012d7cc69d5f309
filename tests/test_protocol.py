"""The protocol as it is written down: the page, stored conversations, and no way to peek."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from desk import Desk, Refused, busy
from sfumato.bounds import Bounds
from sfumato.client import COMMAND
from sfumato.methods import COMMON, ERRORS, METHODS
from walks import TABLES, Setup, over

ROOT = Path(__file__).parents[1]
Golden = Callable[[str, str], None]


def page_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("protocol_page", ROOT / "docs/protocol_page.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_as_the_definition_says(request: pytest.FixtureRequest, golden: Golden) -> None:
    text = page_module().page()
    if request.config.getoption("--update-golden"):
        (ROOT / "PROTOCOL.md").write_text(text, "utf-8")
    assert (ROOT / "PROTOCOL.md").read_text("utf-8") == text, "`make golden` writes PROTOCOL.md anew"


def test_the_page_explains_every_method_field_and_error() -> None:
    text = (ROOT / "PROTOCOL.md").read_text("utf-8")
    for method in METHODS.values():
        _, _, section = text.partition(f"\n### {method.name}\n")
        section = section.partition("\n### ")[0]
        assert f'"method": "{method.name}"' in section
        for field in (*method.params.__struct_fields__, *method.result.__struct_fields__):
            assert f"| `{field}` |" in section
    for code in ERRORS:
        assert f"| `{code}` |" in text


def test_every_error_belongs_to_a_method_and_every_code_is_explained() -> None:
    named = {*COMMON, "unknown_method", *(code for method in METHODS.values() for code in method.errors)}
    assert named == set(ERRORS)


# --- stored conversations -------------------------------------------------------------------------------

#: A line is a method with its parameters; `$blob`, `$seen` stand for what an earlier answer brought.
TALKS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "hello": [("hello", {"protocol": 1}), ("hello", {"protocol": 2}), ("games", {})],
    "referee": [
        ("ping", {}),
        ("new_game", {"game": "leduc_poker", "seed": 7, "seen": ["hand 0 K", "hand 1 J"], "mood": "good"}),
        ("legal_moves", {"game": "g1"}),
        ("observe", {"game": "g1", "seat": 1}),
        ("render", {"game": "g1", "seat": 0}),
        ("best_move", {"game": "g1", "limits": {"sims": 200}, "include": ["variation", "belief"]}),
        ("apply", {"game": "g1", "action": "raise", "views": [0, 1]}),
        ("apply", {"game": "g1", "action": "call", "seen": ["public J"], "views": [0, 1]}),
        ("analyze", {"game": "g1", "limits": {"sims": 200}, "include": ["worlds"], "worlds": 3}),
        ("save_game", {"game": "g1"}),
        ("undo", {"game": "g1", "moves": 2}),
        ("load_game", {"blob": "$blob"}),
        ("apply", {"game": "g2", "action": "call"}),
        ("apply", {"game": "g2", "action": "raise"}),
        ("apply", {"game": "g2", "action": "fold", "views": [1]}),
        ("legal_moves", {"game": "g2"}),
        ("close_game", {"game": "g2"}),
        ("shutdown", {}),
    ],
    "follow": [
        ("schema", {"game": "connect_four"}),
        ("follow", {"start": {"game": "leduc_poker", "players": 2, "seat": 0}, "seen": ["hand 0 K"]}),
        ("best_move", {"observation": "$seen", "agent": "greedy"}),
        ("follow", {"observation": "$seen", "action": "call"}),
        ("follow", {"observation": "$seen", "action": "raise"}),
        ("follow", {"observation": "$seen", "action": "call", "seen": ["public Q"]}),
    ],
    "private": [
        ("new_game", {"game": "leduc_poker", "seed": 7, "private": True}),
        ("observe", {"game": "g1", "token": "t1"}),
        ("observe", {"game": "g1", "token": "t1", "seat": 1}),
        ("observe", {"game": "g1", "seat": 0}),
        ("apply", {"game": "g1", "token": "t2", "action": "call"}),
        ("apply", {"game": "g1", "token": "t1", "action": "call"}),
        ("best_move", {"game": "g1", "token": "t2", "agent": "greedy"}),
        ("undo", {"game": "g1", "token": "t1"}),
        ("save_game", {"game": "g1", "token": "t2"}),
        ("undo", {"game": "g1", "token": "t3"}),
    ],
    "errors": [
        ("frobnicate", {}),
        ("new_game", {}),
        ("new_game", {"game": 7}),
        ("new_game", {"game": "leduc_pokr"}),
        ("new_game", {"game": "leduc_poker", "players": 3}),
        ("new_game", {"game": "oh_hell", "options": {"tricks": 99}}),
        ("new_game", {"game": "oh_hell", "options": {"trick": 1}}),
        ("new_game", {"game": "oh_hell", "cards": "none"}),
        ("new_game", {"game": "leduc_poker", "seen": ["public"]}),
        ("new_game", {"game": "leduc_poker", "seed": 7}),
        ("observe", {"game": "g1", "seat": 2}),
        ("observe", {"game": "g2", "seat": 0}),
        ("apply", {"game": "g1", "action": "fold"}),
        ("apply", {"game": "g1", "action": "jump"}),
        ("undo", {"game": "g1"}),
        ("best_move", {"game": "g1", "agent": "deep_blue"}),
        ("best_move", {"game": "g1", "limits": {"ms": 1e9}}),
        ("analyze", {"game": "g1", "agent": "greedy"}),
        ("best_move", {"observation": {"game": "leduc_poker"}}),
        ("load_game", {"blob": b"nonsense"}),
        ("cancel", {"id": 99}),
        ("ping", {"list": [0] * 65}),
        ("apply", {"game": "g1", "action": "call", "seen": ["public K"]}),
        ("apply", {"game": "g1", "action": "raise"}),
        ("apply", {"game": "g1", "action": "fold"}),
        ("apply", {"game": "g1", "action": "call"}),
        ("best_move", {"game": "g1"}),
    ],
}


def spoken(value: Any) -> str:
    """Plain data on a line; texts of several lines and bytes as JSON has them."""
    return msgspec.json.encode(value).decode()


@pytest.mark.parametrize("name", TALKS)
def test_a_stored_conversation_goes_as_it_went(name: str, golden: Golden) -> None:
    desk = Desk(Bounds(workers=1, threads=1, items=64))
    kept: dict[str, Any] = {}
    lines = []
    for method, params in TALKS[name]:
        lines.append(f"> {method} {spoken(params)}")
        given = {key: kept[value] if isinstance(value, str) and value[:1] == "$" else value
                 for key, value in params.items()}
        try:
            found = desk.ask(method, **given)
        except Refused as refused:
            lines.append(f"! {refused.code} at {json.dumps(refused.path)}: {refused.message}")
            continue
        kept.update({f"${each}": found[each] for each in ("blob",) if each in found})
        if "observation" in found:
            kept["$seen"] = found["observation"]
        if method == "hello":  # on the page, and too long for a line
            found = {key: found[key] for key in ("name", "version", "protocol", "limits", "games")}
        lines.append(f"< {spoken(found)}")
    golden(f"talk-{name}", "\n".join(lines) + "\n")


def test_a_stored_conversation_with_an_engine_under_load(golden: Golden) -> None:
    """One worker and a queue of two; the first search runs until it is cancelled, since time stands still."""
    desk = Desk(Bounds(workers=1, threads=1, queue=2))
    running = busy(desk)
    game, lines = "g1", ["# g1 is being searched by the one worker"]

    def say(method: str, **params: Any) -> int:
        number = desk.send(method, **params)
        lines.append(f"> {number} {method} {spoken(params)}")
        return number

    def hear(*numbers: int) -> None:
        for number in numbers:
            try:
                lines.append(f"< {number} {spoken(desk.wait(number))}")
            except Refused as refused:
                lines.append(f"! {number} {refused.code} at {json.dumps(refused.path)}: {refused.message}")

    waiting = say("best_move", game=game, limits={"ms": 1000}, include=["belief"])
    hear(say("best_move", game=game), say("ping"))
    hear(say("cancel", id=waiting), waiting)
    waiting = say("best_move", game=game, agent="greedy")
    desk.engine.ask(waiting, "ping", {})
    lines.extend([f"> {waiting} ping {{}}   # the same id again", f"<   {spoken(desk.notes[-1])}"])
    desk.engine.library.listed = lambda: [][0]  # type: ignore[method-assign]
    lines.append("# the engine has a fault")
    hear(say("games"))
    hear(say("shutdown"))
    desk.engine.close()
    hear(say("ping"))
    desk.engine.cancel_all()
    assert desk.engine.join(60)
    assert desk.answers[running].stop == "cancelled"
    golden("talk-load", "\n".join(lines) + "\n")


#: Bytes that come in, line by line: what is no request, what is no good request, and a good one.
LINES = (
    b"{", b"[1]", b'"ping"', b'{"id": 1}', b'{"id": -1, "method": "ping"}', b'{"id": 1.5, "method": "ping"}',
    b'{"id": 2, "method": 7}', b'{"id": 3, "method": "ping", "params": [1]}',
    b'{"id": 4, "method": "ping", "params": {"mood": "good"}}', b'{"method": "ping"}', b"",
    b'{"id": 5, "method": "shutdown"}', b'{"id": 6, "method": "ping"}', b"",
)


def test_a_stored_conversation_in_lines_of_json(golden: Golden) -> None:
    child = subprocess.run([*COMMAND, "--json"], input=b"\n".join(LINES), capture_output=True, check=False,
                           timeout=60)
    assert (child.returncode, child.stderr) == (0, b"")
    asked = [f"> {line.decode()}" for line in LINES]
    golden("talk-lines", "\n".join([*asked, "", *child.stdout.decode().splitlines()]) + "\n")


def test_the_stored_conversations_have_every_method_and_every_error() -> None:
    assert {method for talk in TALKS.values() for method, _ in talk} >= set(METHODS)
    talked = "".join(path.read_text("utf-8") for path in (ROOT / "tests/golden").glob("talk-*.txt"))
    assert {code for code in ERRORS if not re.search(f'! (\\d+ )?{code} at|"code":"{code}"', talked)} == set()


# --- no peeking -----------------------------------------------------------------------------------------


def twin(desk: Desk, game: str, seat: int, seed: int) -> str:
    """Another held game, of which the seat sees the same."""
    held = desk.engine.held
    state = held.games[game].state.dealt(seat, seed)
    return held.hold(state, held.games[game].played, private=False).id


@over(TABLES)
def test_two_games_that_the_mover_cannot_tell_apart_have_the_same_answers(setup: Setup) -> None:
    desk = Desk(Bounds(games=10_000))
    luck = random.Random(1)
    game = desk.new(setup.name, players=setup.players)
    for number in range(12):
        status = desk.ask("legal_moves", game=game)
        seat = status["to_move"]
        if seat is None:
            break
        other = twin(desk, game, seat, number)
        agents = ["ismcts:sims=60", "ismcts:sims=60,variant=mo", "ismcts:sims=60,variant=ris", "greedy",
                  "pimc:sims=60,worlds=4", "flat:sims=60", "random"]
        asked: list[tuple[str, dict[str, Any]]] = [
            ("observe", {"seat": seat}), ("render", {"seat": seat}), ("legal_moves", {}),
            ("apply", {"action": -1}), ("apply", {"action": "no such thing"}),
            *(("best_move", {"agent": agent, "include": ["belief", "worlds"]}) for agent in agents),
            ("analyze", {"limits": {"sims": 60}}),
        ]
        for method, params in asked:
            first, second = (said(desk, method, game=each, **params) for each in (game, other))
            if method == "observe":  # the twin was not dealt here: it cannot tell its set-up
                first["setup"] = second["setup"] = None
            assert first == second, method
        desk.ask("apply", game=game, action=luck.choice(status["moves"])["action"])


def said(desk: Desk, method: str, **params: Any) -> Any:
    """An answer or an error, but for the game's id."""
    try:
        return desk.ask(method, **params)
    except Refused as refused:
        return {"code": refused.code, "message": refused.message, "path": refused.path}
