"""A program under check: a child process that claims to speak the protocol and may do anything else.

It may crash, hang, flood, print nonsense or never end: each is a `Failed` with what was sent, what came and
what was expected, never an endless wait. What holds for every conversation is watched here, whatever is
checked: one answer per request, nothing about a request after its answer, nothing but messages on stdout.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgpack  # type: ignore[import-untyped]
import msgspec

from . import methods as m
from .games.errors import short
from .wire import CHUNK, is_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: seconds between two looks at a child that is waited for
LOOK = 0.02
#: bytes of one message
LARGEST = 1 << 24
#: notifications that nobody has asked about
MOST_NOTES = 100_000
#: characters of what is shown to people
SHOWN = 400
#: bytes of the error stream that are kept
LOG = 2000


class Failed(Exception):  # noqa: N818
    """A promise that is not kept; `place`: where PROTOCOL.md makes it, if not where the check says."""

    def __init__(self, sent: str, came: str, expected: str, place: str = "") -> None:
        super().__init__(came)
        self.place = place
        self.sent, self.came, self.expected = (seemly(each) for each in (sent, came, expected))


@dataclass(frozen=True)
class Answer:
    """An answer as it came: one of the two is None."""

    id: int
    error: Any
    result: Any

    def __str__(self) -> str:
        return f"error {plain(self.error)}" if self.error is not None else plain(self.result)


@dataclass(frozen=True)
class Note:
    """A notification as it came."""

    method: str
    params: Any

    def __str__(self) -> str:
        return f"{self.method} {plain(self.params)}"


class Nonsense(Exception):  # noqa: N818
    """Something on stdout that is no message."""


def plain(value: object) -> str:
    """Data for people, on one line."""
    try:
        return short(msgspec.json.encode(value).decode(), SHOWN)
    except (TypeError, ValueError, RecursionError):
        return short(repr(value), SHOWN)


def seemly(text: str) -> str:
    """A text that a terminal shows and does not obey."""
    return short("".join(each if each.isprintable() else "?" for each in text), 2 * SHOWN)


# --- messages as bytes, from the client's side ----------------------------------------------------------


class Speech(Protocol):
    """One of the two transports."""

    def request(self, id: int | None, method: str, params: object) -> bytes:  # noqa: A002
        """A request; without an id a notification."""

    def feed(self, data: bytes) -> Iterator[Answer | Note]:
        """The messages that these bytes complete. Raises `Nonsense`."""

    @property
    def rest(self) -> bool:
        """Whether a message has begun and not ended."""


class Arrays:
    """MessagePack-RPC."""

    def __init__(self) -> None:
        self._unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=LARGEST)
        self._fed = self._read = 0

    def request(self, id: int | None, method: str, params: object) -> bytes:  # noqa: A002
        kind = [2] if id is None else [0, id]
        return msgspec.msgpack.encode([*kind, method, [params]])

    def feed(self, data: bytes) -> Iterator[Answer | Note]:
        self._fed += len(data)
        try:
            self._unpacker.feed(data)
            for value in self._unpacker:
                self._read = self._unpacker.tell()
                yield read_array(value)
        except Nonsense as found:
            raise Nonsense(f"{found}, in the bytes {short(repr(data), 80)}") from None
        except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
            raise Nonsense(f"{short(repr(data), 80)} ({str(error) or type(error).__name__})") from None

    @property
    def rest(self) -> bool:
        return self._fed != self._read


class Lines:
    """JSON lines."""

    def __init__(self) -> None:
        self._rest = b""

    def request(self, id: int | None, method: str, params: object) -> bytes:  # noqa: A002
        named = {} if id is None else {"id": id}
        return msgspec.json.encode({**named, "method": method, "params": params}) + b"\n"

    def feed(self, data: bytes) -> Iterator[Answer | Note]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            yield read_line(line)
        if len(self._rest) > LARGEST:
            raise Nonsense(f"a line of more than {LARGEST} bytes")

    @property
    def rest(self) -> bool:
        return bool(self._rest)


def read_array(value: Any) -> Answer | Note:
    match value:
        case [1, id, error, result] if is_id(id) and (error is None) != (result is None):
            return Answer(id, error, result)
        case [2, str(method), [params]]:
            return Note(method, params)
    raise Nonsense(plain(value))


def read_line(line: bytes) -> Answer | Note:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Nonsense(short(repr(line), SHOWN)) from None
    match value:
        case {"id": id, "result": dict(result), **more} if is_id(id) and "error" not in more:
            return Answer(id, None, result)
        case {"id": id, "error": dict(error), **more} if is_id(id) and "result" not in more:
            return Answer(id, error, None)
        case {"method": str(method), "params": params, **more} if "id" not in more:
            return Note(method, params)
    raise Nonsense(plain(value))


# --- the child ------------------------------------------------------------------------------------------


class Child:
    """A child process that is spoken to. `timeout`: seconds for every answer, and for its end."""

    def __init__(self, command: Sequence[str], as_json: bool, timeout: float) -> None:
        self.as_json = as_json
        self.timeout = timeout
        # A session of its own: an interrupt is ours alone, and what it started ends with it.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            start_new_session=True,
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._in, self._out, self._err = (
            each.fileno() for each in (self.process.stdin, self.process.stdout, self.process.stderr)
        )
        os.set_blocking(self._in, False)
        self._reading = {self._out, self._err}
        self.speech: Speech = Lines() if as_json else Arrays()
        #: by id: requests that are not answered, and answers that nobody has asked about yet
        self.open: Counter[int] = Counter()
        self.answers: dict[int, list[Answer]] = {}
        self.notes: list[Note] = []
        #: the ids in the order of their answers
        self.order: list[int] = []
        self.log = b""
        self._id = 0
        #: what was sent last, and what came last, for people
        self.sent = self.came = "nothing"

    # --- bytes ----------------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether it says no more."""
        return self._out not in self._reading

    def look(self, seconds: float, data: memoryview | None = None) -> int:
        """Waits until something can be read or written, at most so long. Takes what came; returns how many
        bytes of the data were written."""
        poll = select.poll()
        for descriptor in self._reading:
            poll.register(descriptor, select.POLLIN)
        if data:
            poll.register(self._in, select.POLLOUT)
        ready = dict(poll.poll(max(0.0, seconds) * 1000))
        for descriptor in sorted(self._reading & ready.keys()):
            self._take(descriptor, os.read(descriptor, CHUNK))
        return os.write(self._in, data) if data and self._in in ready else 0

    def _take(self, descriptor: int, data: bytes) -> None:
        if not data:
            self._reading.discard(descriptor)
            if descriptor == self._out and self.speech.rest:
                raise Failed(self.sent, "the output ends inside of a message", "whole messages")
        elif descriptor == self._err:
            self.log = (self.log + data)[-LOG:]
        else:
            try:
                for message in self.speech.feed(data):
                    self._note(message)
            except Nonsense as found:
                expected = "stdout carries messages of the protocol and nothing else"
                raise Failed(self.sent, f"on stdout: {found}", expected, "Transport") from None

    def _note(self, message: Answer | Note) -> None:
        """Keeps what came, and watches what holds for all of it."""
        self.came = str(message)
        if isinstance(message, Answer):
            if not self.open[message.id]:
                raise Failed(self.sent, f"an answer with id {message.id}, to no open request: {message}",
                             "exactly one answer to every request, with its id", "What holds")
            self.open[message.id] -= 1
            self.answers.setdefault(message.id, []).append(message)
            self.order.append(message.id)
            return
        if message.method == "report":
            about: Any = message.params.get("id") if isinstance(message.params, dict) else None
            if not is_id(about) or not self.open[about]:
                raise Failed(self.sent, f"a report on request {about}, which is not under way",
                             "nothing is said about a request after its answer", "What holds")
        self.notes.append(message)
        if len(self.notes) > MOST_NOTES:
            raise Failed(self.sent, f"more than {MOST_NOTES} notifications", "a report every so often")

    def write(self, data: bytes, shown: str = "") -> None:
        """Writes all of it, or as much as the child takes before it ends."""
        self.sent = shown or short(repr(data), SHOWN)
        left, deadline = memoryview(data), time.monotonic() + self.timeout
        with contextlib.suppress(BrokenPipeError):
            while left and not self.ended:
                left = left[self.look(deadline - time.monotonic(), left):]
                if left and time.monotonic() > deadline:
                    raise self._failed("it reads no more", "requests are read")

    # --- requests -------------------------------------------------------------------------------------

    def encode(self, method: str, params: object, number: int | None = None) -> tuple[int, bytes]:
        """A request that is about to be sent: its id, and its bytes."""
        if number is None:
            self._id += 1
            number = self._id
        self.open[number] += 1
        return number, self.speech.request(number, method, params)

    def send(self, method: str, params: object, number: int | None = None) -> int:
        """Sends a request; returns its id."""
        number, data = self.encode(method, params, number)
        self.write(data, f"{method} {plain(params)}")
        return number

    def tell(self, method: str, params: object) -> None:
        """Sends a notification."""
        self.write(self.speech.request(None, method, params), f"notification {method} {plain(params)}")

    def wait(self, number: int, sent: str | None = None) -> Answer:
        """The answer to a request; what else comes is kept."""
        self.until(lambda: bool(self.answers.get(number)), f"an answer to request {number}", sent)
        found = self.answers[number].pop(0)
        self.came = str(found)
        return found

    def until(self, met: Any, expected: str, sent: str | None = None) -> None:
        """Waits until something has come."""
        self.sent = sent or self.sent
        deadline = time.monotonic() + self.timeout
        while not met():
            if self.ended:
                raise self._failed(self._how_it_ended(), expected)
            if time.monotonic() > deadline:
                raise self._failed(f"nothing within {self.timeout:g} s", expected)
            self.look(deadline - time.monotonic())

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f"it has ended with code {self.process.wait(self.timeout)}"
        return "it has closed its output"

    def _failed(self, came: str, expected: str) -> Failed:
        """With the last line that it said to people, if there is one."""
        said = self.log.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return Failed(self.sent, f"{came}; on stderr: {short(said, 200)}" if said else came, expected)

    def ask(self, method: str, /, **params: Any) -> Any:
        """The typed result of a method."""
        return self.result(method, self.wait(self.send(method, params)))

    def result(self, method: str, answer: Answer) -> Any:
        """An answer's result, which must be of the method's type."""
        if answer.error is not None:
            self.error(answer)
            raise Failed(self.sent, str(answer), f"a result of {method}")
        return self.typed(answer.result, m.METHODS[method].result, f"a result of {method}")

    def typed(self, value: object, kind: type[Any], expected: str) -> Any:
        try:
            return msgspec.convert(value, kind)
        except (msgspec.ValidationError, RecursionError) as error:
            raise Failed(self.sent, plain(value), f"{expected}; {error}") from None

    def error(self, answer: Answer) -> m.Error:
        """An answer's error, which must be an error of the protocol."""
        self.require(answer.error is not None, "an error", answer)
        found: m.Error = self.typed(answer.error, m.Error, "an error as a map of code, message and path")
        self.require(found.code in m.ERRORS, f"a code that the protocol has, not {found.code}", answer)
        self.require(found.code != "internal", "no fault of the engine", answer)
        return found

    def refused(self, code: str, method: str, /, **params: Any) -> m.Error:
        """The error of a request that must be refused, with this code."""
        answer = self.wait(self.send(method, params))
        self.require(answer.error is not None, f"the error {code}")
        found = self.error(answer)
        self.require(found.code == code, f"the error {code}")
        return found

    def require(self, kept: bool, expected: str, came: object = None) -> None:
        """Fails unless the promise is kept."""
        if not kept:
            raise Failed(self.sent, self.came if came is None else short(str(came), SHOWN), expected)

    def same(self, first: dict[str, Any], second: dict[str, Any], expected: str) -> None:
        """Fails unless both maps are alike, and shows in what they differ."""
        other = [name for name in first if first[name] != second.get(name)]
        self.require(not other, f"{expected}: {plain({name: first[name] for name in other})}",
                     plain({name: second.get(name) for name in other}))

    def errors(self) -> list[m.Error]:
        """The error notifications that came and were not asked about yet."""
        found = [each for each in self.notes if each.method == "error"]
        self.notes = [each for each in self.notes if each.method != "error"]
        return [self.error(Answer(0, each.params, None)) for each in found]

    def told(self, method: str) -> bool:
        """Whether such a notification came and was not asked about yet."""
        return any(each.method == method for each in self.notes)

    def reports(self) -> list[m.Report]:
        """The reports that came and were not asked about yet."""
        found = [each for each in self.notes if each.method == "report"]
        self.notes = [each for each in self.notes if each.method != "report"]
        return [self.typed(each.params, m.Report, "a report") for each in found]

    # --- its end --------------------------------------------------------------------------------------

    def signal(self, number: signal.Signals) -> None:
        self.sent = number.name
        self.process.send_signal(number)

    def close(self) -> None:
        """Ends its input."""
        assert self.process.stdin
        self.sent += ", then the end of input"
        self.process.stdin.close()

    def end(self, code: int) -> None:
        """Waits for its end: with this code, and with everything answered."""
        deadline = time.monotonic() + self.timeout
        while self.process.poll() is None or not self.ended:
            if time.monotonic() > deadline:
                raise self._failed(f"no end within {self.timeout:g} s", f"its end, with code {code}")
            # Where nothing more can be read there is nothing to wait for but time.
            self.look(LOOK) if self._reading else time.sleep(LOOK)
        found = self.process.returncode
        if found != code:
            raise self._failed(f"it has ended with code {found}", f"its end, with code {code}")
        left = [number for number, count in self.open.items() if count]
        self.require(not left, "an answer to everything that was asked", f"none to request {left}")

    def kill(self) -> None:
        """Ends it, whatever it does."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for each in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert each
            each.close()
