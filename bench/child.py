"""A child process that answers MessagePack-RPC: the engine, or the bare echo. It never outlives its block."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgpack
import msgspec

from .answers import SFUMATO
from .imports import KEPT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

#: should this process be killed, the engine ends with its input
ENGINE = (SFUMATO, "serve", "--on-eof", "cancel")
ECHO = (sys.executable, "-m", "bench.echo")
CHUNK = 1 << 16


def request(number: int, method: str, /, **params: Any) -> bytes:
    return msgspec.msgpack.encode([0, number, method, [params]])


class Child:
    """As little as a client can do, so that it is the child that is measured."""

    def __init__(self, command: Sequence[str] = ENGINE) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=KEPT, bufsize=0)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._unpacker = msgpack.Unpacker(raw=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._in, data):]

    def answers(self) -> dict[int, Any]:
        """What the next bytes answer: error and result by the request's id."""
        data = os.read(self._out, CHUNK)
        if not data:
            raise RuntimeError(f"the child has ended with code {self._process.wait()}")
        self._unpacker.feed(data)
        return {number: (error, result) for _, number, error, result in self._unpacker}

    def results(self) -> dict[int, Any]:
        """The same where nothing may be refused."""
        found = self.answers()
        for number, (error, _) in found.items():
            if error is not None:
                raise RuntimeError(f"request {number} was refused: {error}")
        return {number: result for number, (_, result) in found.items()}

    def trip(self, data: bytes) -> Any:
        """A request's result, while no other request is under way."""
        self.send(data)
        while not (found := self.results()):
            pass
        return next(iter(found.values()))

    def ask(self, method: str, /, **params: Any) -> Any:
        return self.trip(request(0, method, **params))

    def all_results(self, requests: Sequence[bytes], flight: int) -> dict[int, Any]:
        """The results of many requests by their ids; `flight` at a time are sent and not answered yet."""
        self.send(b"".join(requests[:flight]))
        found: dict[int, Any] = {}
        while len(found) < len(requests):
            sent = len(found) + flight
            found |= self.results()
            self.send(b"".join(requests[sent:len(found) + flight]))
        return found
