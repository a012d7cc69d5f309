"""Whatever comes in: no crash, no hang, one answer for every request, and no secret."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sfumato import load
from sfumato.bounds import Bounds
from sfumato.engine import Engine
from sfumato.held import HeldGames
from sfumato.methods import ERRORS, METHODS, Error, Reply
from sfumato.wire import Broken, JsonLines, Message, MessagePack, Wire

SMALL = Bounds(ms=2, nodes=500, memory=1, workers=1, threads=1, queue=4, games=3, undo=2, worlds=5,
               message_bytes=4096, text=500, items=64, depth=8)
CASES = 10_000
STATE = load("leduc_poker").new(2, seed=7)
MOST_CASES = 500_000


class Counting:
    """Counts answers, and holds each to its form."""

    def __init__(self) -> None:
        self.answers: Counter[int] = Counter()

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


def talk() -> list[tuple[str, dict[str, Any]]]:
    """A valid conversation, with everything in it."""
    seen = STATE.observation(0)
    return [
        ("new_game", {"game": "leduc_poker", "private": True, "players": 2, "options": {}}),
        ("legal_moves", {"game": "g1"}), ("observe", {"game": "g1", "seat": 0}),
        ("best_move", {"game": "g1", "limits": {"sims": 20}, "include": ["worlds"], "top": 1}),
        ("apply", {"game": "g1", "action": "raise", "views": [0, 1]}), ("save_game", {"game": "g1"}),
        ("undo", {"game": "g1", "moves": 1}), ("cancel", {"id": 4}), ("ping", {}),
        ("best_move", {"observation": seen, "agent": "ismcts:sims=10,variant=mo", "seed": 3}),
        ("follow", {"observation": seen, "action": "call", "seen": []}),
        ("render", {"game": "g1", "seat": 1}),
        ("follow", {"start": {"game": "leduc_poker", "players": 2, "seat": 0}, "seen": ["hand 0 K"]}),
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
    assert peer.answers == asked


TRANSPORTS: list[Any] = [
    pytest.param(MessagePack, as_arrays, id="msgpack"), pytest.param(JsonLines, as_lines, id="json"),
]


def fuzz(wire: Callable[[Bounds], Wire], write: Callable[[Any], list[bytes]], first: int, cases: int) -> None:
    messages = write(talk())
    engine = Engine(Counting(), SMALL)
    for seed in range(first, first + cases):
        luck = random.Random(seed)
        some = luck.sample(messages, luck.randint(1, 4)) if luck.random() < 0.7 else messages
        engine.held = HeldGames(SMALL)
        engine.held.hold(STATE.clone(seed), 0, private=False)
        converse(engine, wire(SMALL), altered(b"".join(some), luck), cancel=luck.random() < 0.3)


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
    converse(Engine(Counting(), SMALL), wire(SMALL), b"".join(write(talk())), cancel=False)


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
