"""An engine without a process: requests as calls, answers as plain data, and everything it said."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from sfumato.bounds import Bounds
from sfumato.engine import Engine
from sfumato.methods import COMMON, METHODS, Error, Reply

#: seconds after which an answer counts as missing
PATIENCE = 60


class Refused(Exception):  # noqa: N818
    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(f"{error['code']} at {error['path']!r}: {error['message']}")
        self.code, self.path, self.message = error["code"], error["path"], error["message"]


def allowed(method: str) -> tuple[str, ...]:
    """The errors that a method may have."""
    return (*COMMON, *METHODS[method].errors) if method in METHODS else ("unknown_method", "closing")


class Desk:
    """Asks an engine and keeps what it says. Tokens are `t1`, `t2`, ...; time stands still unless told."""

    def __init__(self, bounds: Bounds | None = None, cards: Iterable[tuple[str, str]] = (),
                 clock: Callable[[], float] = lambda: 0.0) -> None:
        tokens = itertools.count(1)
        self.log: list[tuple[str, str]] = []
        self.engine = Engine(self, bounds, cards, clock=clock, secret=lambda: f"t{next(tokens)}",
                             log=lambda level, text: self.log.append((level, text)))
        self.answers: dict[int, Any] = {}
        self.asked: dict[int, str] = {}
        self.notes: list[tuple[str, Any]] = []
        self.ids = itertools.count(1)
        self.came = threading.Condition()

    def answer(self, id: int, error: Error | None, result: Reply | None) -> None:  # noqa: A002
        with self.came:
            assert id not in self.answers, "one final answer each"
            assert (error is None) != (result is None)
            self.answers[id] = error if error is not None else result
            self.came.notify_all()

    def notify(self, method: str, params: msgspec.Struct, key: object = None) -> None:  # noqa: ARG002
        with self.came:
            assert getattr(params, "id", None) not in self.answers, "nothing is said after an answer"
            self.notes.append((method, msgspec.to_builtins(params)))
            self.came.notify_all()

    def send(self, method: str, /, **params: Any) -> int:
        number = next(self.ids)
        self.asked[number] = method
        self.engine.ask(number, method, params)
        return number

    def wait(self, number: int) -> dict[str, Any]:
        with self.came:
            assert self.came.wait_for(lambda: number in self.answers, PATIENCE), "no answer"
        found = self.answers[number]
        plain: dict[str, Any] = msgspec.to_builtins(found, builtin_types=(bytes,))
        if isinstance(found, Error):
            method = self.asked[number]
            assert found.code in allowed(method), f"{method} has no error {found.code}"
            raise Refused(plain)
        return plain

    def ask(self, method: str, /, **params: Any) -> dict[str, Any]:
        return self.wait(self.send(method, **params))

    def new(self, game: str = "leduc_poker", **params: Any) -> str:
        """The id of a new game."""
        found: str = self.ask("new_game", game=game, **{"seed": 7, **params})["game"]
        return found


def busy(desk: Desk, **params: Any) -> int:
    """A search that runs until it is cancelled, since time stands still at this desk. It has begun, unless
    others have taken all workers."""
    number = desk.send("best_move", **{"game": desk.new(), "limits": {"ms": 1000}, **params})
    pool = desk.engine._pool
    while pool._waiting and pool._free:
        time.sleep(0.001)
    return number


@contextmanager
def refused(code: str, path: str | None = None, *parts: str) -> Iterator[None]:
    """What happens inside is refused with this code, at this place, with these parts of a message."""
    with pytest.raises(Refused) as caught:
        yield
    assert caught.value.code == code, str(caught.value)
    assert path is None or caught.value.path == path
    for part in parts:
        assert part in caught.value.message
