"""Clients of an engine in a child process: one that waits for each answer, and one for asyncio.

    with Engine() as engine:
        game = engine.new_game(game=..., seed=7).game
        print(engine.best_move(game=game, limits={"sims": 1000}).words)

Methods, parameters and results are those of PROTOCOL.md; a refused request raises `SfumatoError` with the
engine's code, message and path. The child's error stream is the caller's own, or nothing: never a pipe that
nobody reads.
"""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import msgpack  # type: ignore[import-untyped]
import msgspec

from . import methods as m
from .games import SfumatoError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from .bounds import Bounds

Reported = Callable[[m.Found], None]

#: the engine of this installation
COMMAND = (sys.executable, "-m", "sfumato", "serve")
CHUNK = 1 << 16
#: bytes of an answer
LARGEST = 1 << 28
#: seconds that an engine has to end
PATIENCE = 10.0
#: what is said to an engine that is no longer needed
SHUTDOWN = msgspec.msgpack.encode([2, "shutdown", [{}]])


class Gone(SfumatoError):  # noqa: N818
    """The engine has ended, does not answer in time, or says what the protocol does not have."""

    def __init__(self, message: str) -> None:
        super().__init__("gone", message)


class Session:
    """The client's side of MessagePack-RPC, without a transport: bytes in, bytes out."""

    def __init__(self) -> None:
        self._id = 0
        self._unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=LARGEST)
        #: what to do with the reports of each request
        self.reports: dict[int, Reported] = {}

    def request(self, method: str, params: dict[str, Any],
                report: Reported | None = None) -> tuple[int, bytes]:
        """A request: its id, and what to send."""
        self._id = (self._id + 1) % (1 << 32)
        if report is not None:
            self.reports[self._id] = report
        return self._id, msgspec.msgpack.encode([0, self._id, method, [params]])

    def answers(self, data: bytes) -> list[tuple[int, Any, Any]]:
        """The answers that these bytes complete: id, error, result. Reports are handed on; what cannot be
        answered counts as an answer to everything."""
        found: list[tuple[int, Any, Any]] = []
        reports: list[tuple[Reported, m.Found]] = []
        with well_formed("a message"):
            self._unpacker.feed(data)
            for message in self._unpacker:
                if message[0] == 1:
                    _, number, error, result = message
                    self.reports.pop(number, None)
                    found.append((number, error, result))
                elif message[1] == "report":
                    reports += self._report(message[2][0])
                else:
                    found.append((NOBODY, message[2][0], None))
        for told, so_far in reports:
            told(so_far)
        return found

    def _report(self, params: dict[str, Any]) -> list[tuple[Reported, m.Found]]:
        told = self.reports.get(params["id"])
        return [(told, msgspec.convert(params["so_far"], m.Found))] if told else []


#: stands for the id of something that cannot be answered
NOBODY = -1


@contextmanager
def well_formed(what: str) -> Iterator[None]:
    """Raises `Gone` where the engine says something that is not of the protocol."""
    try:
        yield
    except (ValueError, TypeError, LookupError, msgpack.UnpackException, msgspec.MsgspecError) as error:
        raise Gone(f"the engine does not speak the protocol: {what}: {error}") from None


def refused(error: Any) -> SfumatoError:
    """The engine's error as it is raised here."""
    if isinstance(error, dict):
        return SfumatoError(str(error.get("code")), str(error.get("message")), str(error.get("path", "")))
    return SfumatoError("internal", str(error))


def result_of(method: str, error: Any, result: Any) -> Any:
    """The typed result of an answer."""
    if error is not None:
        raise refused(error)
    with well_formed(f"an answer to {method}"):
        return msgspec.convert(result, m.METHODS[method].result)


# --- waiting for each answer ----------------------------------------------------------------------------


class Transport(Protocol):
    """Carries bytes to an engine and back."""

    def send(self, data: bytes, seconds: float | None) -> None:
        """Sends all of it. Raises `Gone`."""

    def receive(self, seconds: float | None) -> bytes:
        """Some bytes, as soon as there are any; none: it took too long. Raises `Gone`."""

    def close(self) -> None:
        """Ends the engine."""


def deadline_in(seconds: float | None) -> float | None:
    return None if seconds is None else time.monotonic() + seconds


def milliseconds(deadline: float | None) -> float | None:
    """What is left until a deadline, as `poll` wants it."""
    return None if deadline is None else max(0, deadline - time.monotonic()) * 1000


class Process:
    """An engine in a child process."""

    def __init__(self, command: Sequence[str] = COMMAND, stderr: int | None = None) -> None:
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, bufsize=0
        )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._in, self._out = self._child.stdin.fileno(), self._child.stdout.fileno()
        os.set_blocking(self._in, False)
        #: seconds that the child has to end
        self.patience = PATIENCE
        self._read: deque[bytes] = deque()

    def send(self, data: bytes, seconds: float | None) -> None:
        # An engine whose answers nobody reads stops reading requests: so read while writing.
        left = memoryview(data)
        deadline = deadline_in(seconds)
        poll = select.poll()
        poll.register(self._in, select.POLLOUT)
        poll.register(self._out, select.POLLIN)
        while left:
            ready = dict(poll.poll(milliseconds(deadline)))
            if not ready:
                raise Gone(f"the engine has read nothing for {seconds:g} seconds")
            if ready.get(self._in, 0) & (select.POLLERR | select.POLLHUP) or self._at_end(ready):
                raise self._gone()
            if self._out in ready:
                self._read.append(os.read(self._out, CHUNK))
            if ready.get(self._in, 0) & select.POLLOUT:
                try:
                    left = left[os.write(self._in, left):]
                except BrokenPipeError:
                    raise self._gone() from None

    def _at_end(self, ready: dict[int, int]) -> bool:
        """The engine has closed its output, and nothing is left to be read."""
        return bool(ready.get(self._out, 0)) and not ready[self._out] & select.POLLIN

    def receive(self, seconds: float | None) -> bytes:
        if not self._read:
            poll = select.poll()
            poll.register(self._out, select.POLLIN)
            if not poll.poll(milliseconds(deadline_in(seconds))):
                return b""
            self._read.append(os.read(self._out, CHUNK))
        data = self._read.popleft()
        if not data:
            raise self._gone()
        return data

    def _gone(self) -> Gone:
        try:
            return Gone(f"the engine has ended with code {self._child.wait(self.patience)}")
        except subprocess.TimeoutExpired:
            return Gone("the engine has closed its streams")

    def close(self) -> None:
        """Ends the child: it is asked to, and killed if it does not."""
        assert self._child.stdin is not None and self._child.stdout is not None
        if self._child.stdin.closed:
            return
        with suppress(OSError):  # what is under way need not be finished: nobody waits for it any more
            os.write(self._in, SHUTDOWN)
        self._child.stdin.close()
        deadline = time.monotonic() + self.patience
        poll = select.poll()
        poll.register(self._out, select.POLLIN)
        try:
            # What it still has to say is read, so that it can end.
            while poll.poll(milliseconds(deadline)) and os.read(self._out, CHUNK):
                pass
            self._child.wait(max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._child.stdout.close()


class InProcess:
    """An engine in this very process, for tests of front ends: the same bytes, no child."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        from queue import SimpleQueue

        from .bounds import Bounds
        from .engine import Engine as Answering
        from .wire import MessagePack

        self._wire = MessagePack(bounds or Bounds())
        self._out: SimpleQueue[bytes] = SimpleQueue()
        self._engine = Answering(self, bounds)

    def answer(self, id: int, error: m.Error | None, result: m.Reply | None) -> None:  # noqa: A002
        self._out.put(self._wire.answer(id, error, result))

    def notify(self, method: str, params: msgspec.Struct, key: object = None) -> None:  # noqa: ARG002
        self._out.put(self._wire.notification(method, params))

    def send(self, data: bytes, seconds: float | None) -> None:  # noqa: ARG002
        from .wire import Message

        for message in self._wire.feed(data):
            assert isinstance(message, Message)
            self._engine.ask(message.id, message.method, message.params)

    def receive(self, seconds: float | None) -> bytes:
        from queue import Empty

        try:
            return self._out.get(timeout=seconds)
        except Empty:
            return b""

    def close(self) -> None:
        self._engine.close()
        self._engine.cancel_all()
        self._engine.join(PATIENCE)


class Engine:
    """A client that waits for each answer. It belongs to one thread."""

    def __init__(self, command: Sequence[str] = COMMAND, *, transport: Transport | None = None,
                 stderr: int | None = None, timeout: float | None = None) -> None:
        self._transport = transport or Process(command, stderr)
        self._session = Session()
        self._answers: dict[int, tuple[Any, Any]] = {}
        self._methods: dict[int, str] = {}
        #: seconds that an answer may take; None: any time
        self.timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the engine."""
        self._transport.close()

    def send(self, method: str, /, report: Reported | None = None, **params: Any) -> int:
        """Sends a request without waiting; `wait` gives its answer. `report` is told what a search has so
        far, if `report_every_ms` asks for it."""
        number, data = self._session.request(method, params, report)
        self._methods[number] = method
        self._transport.send(data, self.timeout)
        return number

    def wait(self, number: int) -> Any:
        """The answer to a request that was sent; others that come meanwhile are kept."""
        deadline = deadline_in(self.timeout)
        while number not in self._answers:
            left = milliseconds(deadline)
            data = self._transport.receive(None if left is None else left / 1000)
            if not data:
                raise Gone(f"no answer within {self.timeout:g} seconds")
            for found, error, result in self._session.answers(data):
                if found == NOBODY:
                    raise refused(error)
                self._answers[found] = error, result
        return result_of(self._methods.pop(number), *self._answers.pop(number))

    def call(self, method: str, /, report: Reported | None = None, **params: Any) -> Any:
        """Sends a request and waits for its answer."""
        return self.wait(self.send(method, report, **params))

    def hello(self, **params: Any) -> m.HelloReply:
        return self.call("hello", **params)  # type: ignore[no-any-return]

    def games(self) -> m.GamesReply:
        return self.call("games")  # type: ignore[no-any-return]

    def schema(self, **params: Any) -> m.SchemaReply:
        return self.call("schema", **params)  # type: ignore[no-any-return]

    def new_game(self, **params: Any) -> m.NewGameReply:
        return self.call("new_game", **params)  # type: ignore[no-any-return]

    def legal_moves(self, **params: Any) -> m.LegalMovesReply:
        return self.call("legal_moves", **params)  # type: ignore[no-any-return]

    def observe(self, **params: Any) -> m.ObserveReply:
        return self.call("observe", **params)  # type: ignore[no-any-return]

    def render(self, **params: Any) -> m.RenderReply:
        return self.call("render", **params)  # type: ignore[no-any-return]

    def apply(self, **params: Any) -> m.ApplyReply:
        return self.call("apply", **params)  # type: ignore[no-any-return]

    def undo(self, **params: Any) -> m.Status:
        return self.call("undo", **params)  # type: ignore[no-any-return]

    def save_game(self, **params: Any) -> m.SaveGameReply:
        return self.call("save_game", **params)  # type: ignore[no-any-return]

    def load_game(self, **params: Any) -> m.NewGameReply:
        return self.call("load_game", **params)  # type: ignore[no-any-return]

    def close_game(self, **params: Any) -> m.Done:
        return self.call("close_game", **params)  # type: ignore[no-any-return]

    def follow(self, **params: Any) -> m.FollowReply:
        return self.call("follow", **params)  # type: ignore[no-any-return]

    def best_move(self, report: Reported | None = None, **params: Any) -> m.Found:
        return self.call("best_move", report, **params)  # type: ignore[no-any-return]

    def analyze(self, report: Reported | None = None, **params: Any) -> m.Found:
        return self.call("analyze", report, **params)  # type: ignore[no-any-return]

    def cancel(self, number: int) -> m.CancelReply:
        return self.call("cancel", id=number)  # type: ignore[no-any-return]

    def ping(self) -> m.Done:
        return self.call("ping")  # type: ignore[no-any-return]

    def shutdown(self) -> m.Done:
        return self.call("shutdown")  # type: ignore[no-any-return]


# --- asyncio --------------------------------------------------------------------------------------------


class AsyncEngine:
    """A client for asyncio: many requests at once, each `await`ed. A task that is cancelled cancels its
    request.

        async with AsyncEngine() as engine:
            found = await engine.best_move(game="g1")
    """

    def __init__(self, command: Sequence[str] = COMMAND, stderr: int | None = None) -> None:
        self._command = command
        self._stderr = stderr
        self._session = Session()
        self._waiting: dict[int, asyncio.Future[tuple[Any, Any]]] = {}
        self._child: asyncio.subprocess.Process
        self._reading: asyncio.Task[None]

    async def __aenter__(self) -> Self:
        self._child = await asyncio.create_subprocess_exec(
            *self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr
        )
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        assert self._child.stdin is not None
        with suppress(OSError):
            self._child.stdin.write(SHUTDOWN)
            self._child.stdin.close()
        try:
            await asyncio.wait_for(self._child.wait(), PATIENCE)
        except TimeoutError:
            self._child.kill()
            await self._child.wait()
        await self._reading

    async def _read(self) -> None:
        """Hands each answer to the one who waits for it, until the engine ends."""
        assert self._child.stdout is not None
        gone: BaseException = Gone("the engine has ended")
        try:
            while data := await self._child.stdout.read(CHUNK):
                for number, error, result in self._session.answers(data):
                    if number == NOBODY:
                        raise refused(error)
                    waiting = self._waiting.pop(number, None)
                    if waiting is not None and not waiting.done():
                        waiting.set_result((error, result))
        except Exception as error:  # the engine cannot read us, or we it, or a report was not taken
            gone = error
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(gone)
            self._waiting.clear()

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        """The methods of the protocol by their names."""
        if name not in m.METHODS:
            raise AttributeError(f"the protocol has no method {name}")
        return partial(self.call, name)

    async def call(self, method: str, /, report: Reported | None = None, **params: Any) -> Any:
        """The typed result of a method."""
        assert self._child.stdin is not None
        if self._reading.done():
            raise Gone("the engine has ended")
        number, data = self._session.request(method, params, report)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self._child.stdin.write(data)
            await self._child.stdin.drain()
            return result_of(method, *await self._waiting[number])
        except asyncio.CancelledError:
            self._child.stdin.write(msgspec.msgpack.encode([2, "cancel", [{"id": number}]]))
            raise
        except ConnectionError:
            raise Gone("the engine has ended") from None
        finally:
            self._waiting.pop(number, None)
