"""Whatever comes in: no crash, no hang, one answer for every request, and no secret."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from resource import RUSAGE_SELF, getrusage
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sfumato import NAMES, load
from sfumato.bounds import Bounds
from sfumato.engine import Engine
from sfumato.held import HeldGames
from sfumato.methods import ERRORS, METHODS, Error, Reply
from sfumato.wire import Broken, JsonLines, Message, MessagePack, Wire

SMALL = Bounds(ms=2, nodes=500, memory=1, workers=1, threads=1, queue=4, games=3, undo=2, worlds=5,
               message_bytes=4096, text=500, items=64, depth=8)
CASES = 10_000
MOST_CASES = 500_000
TABLES = {name: load(name).new(seed=7) for name in NAMES}
#: megabytes that all of this may add to what the process holds: a few searches of a megabyte of nodes, caches
#: of games and tables, and what Python keeps
MOST_MEMORY = 150


class Counting:
    """Counts answers, and holds each to its form."""

    def __init__(self) -> None:
        self.answers: Counter[int] = Counter()
        #: requests left aside, because their id was that of another one under way
        self.aside = 0

    def answer(self, id: int, error: Error | None, result: Reply | None) -> None:  # noqa: A002
        assert (error is None) != (result is None)
        if error is not None:
            assert error.code in ERRORS
            assert error.code != "internal", error.message
            assert len(error.message) + len(error.path) < 2500
        msgspec.msgpack.encode(error)
        msgspec.json.encode(result)
        self.answers[id] += 1

    def notify(self, method: str, params: msgspec.Struct, key: object = None) -> None:  # noqa: ARG002
        msgspec.msgpack.encode(params)
        self.aside += method == "error"


def talk(name: str) -> list[tuple[str, dict[str, Any]]]:
    """A valid conversation about a game, with everything in it."""
    state = TABLES[name]
    seat, seen, setup = state.to_move, state.observation(state.to_move), state.setup_words(state.to_move)
    action = state.legal_actions[0]
    step = state.clone(1).apply(action)
    return [
        ("new_game", {"game": name, "private": True, "players": state.players, "options": {}}),
        ("legal_moves", {"game": "g1"}), ("observe", {"game": "g1", "seat": 0}),
        ("best_move", {"game": "g1", "limits": {"sims": 20}, "include": ["worlds"], "top": 1}),
        ("apply", {"game": "g1", "action": state.words(action), "views": [0, 1]}),
        ("save_game", {"game": "g1"}),
        ("undo", {"game": "g1", "moves": 1}), ("cancel", {"id": 4}), ("ping", {}),
        ("best_move", {"observation": seen, "agent": "ismcts:sims=10,variant=mo", "seed": 3}),
        ("follow", {"observation": seen, "action": step.label(seat), "seen": step.words(seat)}),
        ("render", {"game": "g1", "seat": 1}),
        ("follow", {"start": {"game": name, "players": state.players, "seat": seat}, "seen": setup}),
        ("schema", {"game": name}), ("analyze", {"game": "g1", "limits": {"nodes": 9}}),
        ("load_game", {"blob": "c2Z1bWF0bw=="}), ("close_game", {"game": "g1"}),
    ]


def as_arrays(talk: list[tuple[str, dict[str, Any]]]) -> list[bytes]:
    return [msgpack.packb([0, number, *each[:1], [each[1]]]) for number, each in enumerate(talk)]


def as_lines(talk: list[tuple[str, dict[str, Any]]]) -> list[bytes]:
    return [msgspec.json.encode({"id": number, "method": method, "params": params}) + b"\n"
            for number, (method, params) in enumerate(talk)]


#: long headings, deep nesting, numbers and texts that no parameter has
ODD = (b"\xdd\xff\xff\xff\xff", b"\xdf\x00\x10\x00\x00", b"\xc6\x7f", b"\x91" * 40, b"[" * 40, b"1e999",
       b"-1", b"null", b"\\ud800")


def altered(data: bytes, luck: random.Random) -> bytes:
    """The bytes with some damage."""
    found = bytearray(data)
    for _ in range(luck.choice((1, 1, 1, 2, 3, 8))):
        place = luck.randrange(len(found) + 1)
        kind = luck.randrange(6)
        if kind == 0 and place < len(found):
            found[place] ^= 1 << luck.randrange(8)
        elif kind == 1 and place < len(found):
            found[place] = luck.randrange(256)
        elif kind == 2:
            del found[place:place + luck.choice((1, 1, 2, 30))]
        elif kind == 3:
            found[place:place] = luck.randbytes(luck.choice((1, 2, 9)))
        elif kind == 4:
            other = luck.randrange(len(found) + 1)
            found[place:place] = found[other:other + luck.choice((1, 5, 60))]
        else:
            found[place:place + 1] = luck.choice(ODD)
    return bytes(found)


def converse(engine: Engine, wire: Wire, data: bytes, cancel: bool) -> None:
    """Feeds the bytes in pieces; every request that they hold is answered once."""
    peer = Counting()
    engine.peer = peer
    asked: Counter[int] = Counter()
    try:
        for start in range(0, len(data), 1000):
            for message in wire.feed(data[start:start + 1000]):
                if isinstance(message, Message):
                    if message.id is not None:
                        asked[message.id] += 1
                    engine.ask(message.id, message.method, message.params)
        list(wire.end())
    except Broken as broken:
        assert broken.code in ERRORS
    if cancel:
        engine.cancel_all()
    assert engine.join(60), "a request hangs"
    assert set(peer.answers) == set(asked)
    assert peer.answers.total() + peer.aside == asked.total()


TRANSPORTS: list[Any] = [
    pytest.param(MessagePack, as_arrays, id="msgpack"), pytest.param(JsonLines, as_lines, id="json"),
]


def fuzz(wire: Callable[[Bounds], Wire], write: Callable[[Any], list[bytes]], first: int, cases: int) -> None:
    talks = {name: write(talk(name)) for name in NAMES}
    engine = Engine(Counting(), SMALL)
    before = getrusage(RUSAGE_SELF).ru_maxrss
    for seed in range(first, first + cases):
        luck = random.Random(seed)
        name = luck.choice(NAMES)
        messages = talks[name]
        some = luck.sample(messages, luck.randint(1, 4)) if luck.random() < 0.7 else messages
        engine.held = HeldGames(SMALL)
        engine.held.hold(TABLES[name].clone(seed), 0, private=False)
        converse(engine, wire(SMALL), altered(b"".join(some), luck), cancel=luck.random() < 0.3)
    assert (getrusage(RUSAGE_SELF).ru_maxrss - before) / 1024 < MOST_MEMORY


@pytest.mark.parametrize(("wire", "write"), TRANSPORTS)
def test_a_conversation_with_damaged_bytes(wire: Callable[[Bounds], Wire],
                                           write: Callable[[Any], list[bytes]]) -> None:
    fuzz(wire, write, 0, CASES)


@pytest.mark.slow
@pytest.mark.parametrize(("wire", "write"), TRANSPORTS)
def test_many_conversations_with_damaged_bytes(wire: Callable[[Bounds], Wire],
                                               write: Callable[[Any], list[bytes]]) -> None:
    fuzz(wire, write, CASES, MOST_CASES)


@pytest.mark.parametrize(("wire", "write"), TRANSPORTS)
def test_an_undamaged_conversation_is_answered_throughout(wire: Callable[[Bounds], Wire],
                                                          write: Callable[[Any], list[bytes]]) -> None:
    for name in NAMES:
        assert max(map(len, write(talk(name)))) <= SMALL.message_bytes, "else nothing else is read"
        converse(Engine(Counting(), SMALL), wire(SMALL), b"".join(write(talk(name))), cancel=False)


def test_a_child_survives_damaged_lines() -> None:
    """The same through real streams: the last request is answered, and the peak of memory is known."""
    luck = random.Random(5)
    talks = [b"".join(as_lines(talk(name))) for name in NAMES]
    damaged = b"\n".join(altered(luck.choice(talks), luck) for _ in range(1000))
    last = b'\n{"id": 4000000000, "method": "ping"}\n'
    flags = ["--json", "--max-ms", "2", "--max-nodes", "500", "--max-memory", "1", "--max-games", "3"]
    # The peak of the child's own memory: what getrusage tells begins with its parent's.
    watched = ("import re, sys; from sfumato.cli import main\n"
               "try: main()\n"
               "finally: print(re.search('VmHWM:\\\\s+(.*) kB', open('/proc/self/status').read())[1], "
               "file=sys.stderr)")
    child = subprocess.run([sys.executable, "-c", watched, "serve", *flags], input=damaged + last,
                           capture_output=True, check=False, timeout=120)
    said = [json.loads(line) for line in child.stdout.splitlines()]
    assert (child.returncode, [each for each in said if each.get("id") == 4_000_000_000]) == (
        0, [{"id": 4_000_000_000, "result": {}}])
    assert {each["error"]["code"] for each in said if "error" in each} <= set(ERRORS) - {"internal"}
    assert b" error " not in child.stderr
    assert int(child.stderr.split()[-1]) / 1024 < 100 + MOST_MEMORY


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=20)
    | st.sampled_from(["g1", "leduc_poker", "call", "ismcts:sims=5", "hand 0 K", "worlds", 0, 1, 7]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ENGINE = Engine(Counting(), SMALL)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_parameters_are_answered(method: str, data: st.DataObject) -> None:
    names = METHODS[method].params.__struct_fields__
    params = data.draw(st.dictionaries(st.sampled_from([*names, "frob"]), PLAIN, max_size=6))
    ENGINE.peer = peer = Counting()
    ENGINE.ask(1, method, params)
    ENGINE.cancel_all()
    assert ENGINE.join(60)
    assert peer.answers == {1: 1}
