"""Our engine with one fault at the table: `python faulty_engine.py FAULT [MOVES]`. The fault shows after so
many moves, at once if no number is given.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from sfumato import cli, library, serve
from sfumato import methods as m
from sfumato.bounds import Bounds
from sfumato.wire import MessagePack
from wrong_engine import answers, patched

#: the real output: `serve` keeps it for itself
OUT = os.dup(1)
FAULTS: dict[str, Callable[[], None]] = {}


def fault(function: Callable[[], None]) -> Callable[[], None]:
    FAULTS[function.__name__] = function
    return function


def after(moves: int, act: Callable[..., None]) -> None:
    """From then on, `act(send, number, error, result)` stands for the answer with a move."""
    played = count()

    def change(send: Any, number: int, error: Any, result: Any) -> None:
        wrong = isinstance(result, m.Found) and next(played) >= moves
        (act if wrong else lambda send, *said: send(*said))(send, number, error, result)

    answers(change)


def at_a_move(act: Callable[..., None]) -> Callable[..., None]:
    """A fault that shows with a move."""
    FAULTS[act.__name__] = lambda: after(int((sys.argv[2:] or ["0"])[0]), act)
    return act


def forever(data: bytes, descriptor: int = OUT) -> None:
    while True:
        os.write(descriptor, data)


@at_a_move
def none(send: Any, *said: Any) -> None:
    """Nothing is wrong."""
    send(*said)


@at_a_move
def silent(*_: Any) -> None:
    pass


@at_a_move
def slow(send: Any, *said: Any) -> None:
    """It answers at last, when nobody waits any longer."""
    time.sleep(600)
    send(*said)


@at_a_move
def crashing(*_: Any) -> None:
    os.write(2, b"what happens now\nout of \x1b[31mcheese\n")
    os._exit(3)


@at_a_move
def illegal(send: Any, number: int, error: Any, result: m.Found) -> None:
    result.action = 1_000_000
    send(number, error, result)


@at_a_move
def refusing(send: Any, number: int, *_: Any) -> None:
    send(number, m.Error(code="busy", message="not in the mood", path=""), None)


@at_a_move
def complaining(*_: Any) -> None:
    error = m.Error(code="bad_request", message="what is that?", path="")
    os.write(OUT, MessagePack(Bounds()).notification("error", error))


@at_a_move
def chatty(*_: Any) -> None:
    os.write(OUT, b"I think\n")
    time.sleep(600)


@at_a_move
def wrong_id(send: Any, number: int, error: Any, result: Any) -> None:
    send(number + 1, error, result)


@at_a_move
def formless(send: Any, number: int, *_: Any) -> None:
    """Another method's result."""
    send(number, None, m.Done())


@at_a_move
def flooding(send: Any, number: int, error: Any, result: Any) -> None:
    """Reports without end, and never an answer."""
    report = m.Report(id=number, so_far=result)
    forever(100 * MessagePack(Bounds()).notification("report", report))


@at_a_move
def swelling(*_: Any) -> None:
    """One message without end."""
    os.write(OUT, b"\xc6\xff\xff\xff\xff")
    forever(bytes(1 << 16))


@at_a_move
def wailing(*_: Any) -> None:
    """Without end, to people."""
    forever(b"woe is me\n" * 1000, descriptor=2)


@fault
def dead() -> None:
    """It ends at once."""
    sys.exit("no licence")


@fault
def mute() -> None:
    """It says nothing at all."""
    time.sleep(600)


@fault
def narrow() -> None:
    """It knows other games."""
    patched(library.Library, "listed", lambda before, *args: before(*args)[:1])


@fault
def outdated() -> None:
    """It has other cards."""
    def other(before: Any, *args: Any) -> Iterator[m.GameOf]:
        found = before(*args)
        for each in found:
            each.tables = [m.Table(cards="00", file="old.toml")]
        return found

    patched(library.Library, "listed", other)


@fault
def never_ends() -> None:
    serve.Server.finish = lambda *_: time.sleep(600)  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    sys.argv[1:] = ["serve"]
    cli.main()
