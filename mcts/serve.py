"""`sfumato serve`: the engine on the standard streams.

One thread reads and asks, the engine's workers think, one thread writes. The output carries the protocol and
nothing else; what is said to people goes to the error stream, and is dropped where nobody reads it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from .engine import Engine, refusal
from .games.errors import shown
from .methods import LEVEL, Error
from .outbox import Outbox
from .wire import CHUNK, Broken, JsonLines, MessagePack, Wrong, as_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from msgspec import Struct

    from .bounds import Bounds
    from .methods import Reply
    from .wire import Message, Wire

LEVELS = ("error", "warning", "info", "debug")
#: seconds that a reader who does not read is waited for once a signal has come
PATIENCE = 5.0
#: seconds between two looks at the signals while something else is waited for
LOOK = 0.05


class Log:
    """Lines for people. A line that would have to wait for its reader is dropped."""

    def __init__(self, level: str, descriptor: int = 2) -> None:
        self._most = LEVELS.index(level)
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)

    def __call__(self, level: str, text: str) -> None:
        if LEVELS.index(level) > self._most:
            return
        line = f"{time.strftime('%H:%M:%S')} {level} {' '.join(text.split())}"[:500] + "\n"
        try:
            # Whatever poll finds writable takes this many bytes at once.
            if any(event & select.POLLOUT for _, event in self._poll.poll(0)):
                os.write(self._descriptor, line.encode("utf-8", "replace"))
        except OSError:
            pass


class Sender:
    """The engine's peer: messages into the outbox."""

    def __init__(self, wire: Wire, outbox: Outbox) -> None:
        self.wire = wire
        self.outbox = outbox

    def answer(self, id: int, error: Error | None, result: Reply | None) -> None:  # noqa: A002
        self.outbox.put(self.wire.answer(id, error, result))

    def notify(self, method: str, params: Struct, key: object = None) -> None:
        self.outbox.put(self.wire.notification(method, params), key)


class Server:
    """One engine on two file descriptors."""

    def __init__(self, source: int, target: int, bounds: Bounds, cards: Iterable[tuple[str, str]], *,
                 as_json: bool, on_eof: Literal["finish", "cancel"], log: Log) -> None:
        self.source = source
        self.on_eof = on_eof
        self.log = log
        self.wire: Wire = JsonLines(bounds) if as_json else MessagePack(bounds)
        #: bytes in this pipe wake the reading thread: a signal came, or the reader of our output has gone
        self.woken, self.wake = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(self.woken, False)
        self.outbox = Outbox(target, bounds.output_bytes, lambda: os.write(self.wake, b"!"))
        self.sender = Sender(self.wire, self.outbox)
        self.engine = Engine(self.sender, bounds, cards, log=log)
        self.signalled = False

    def run(self) -> int:
        """Serves until there is nothing more to do; returns the exit code."""
        self.log("info", f"serving level {LEVEL} of the protocol")
        if os.isatty(self.source) and isinstance(self.wire, MessagePack):
            self.log("warning", "this is for programs: people may type requests with --json")
        code, cancel = 0, True
        try:
            cancel = not self.read_all() or self.on_eof == "cancel"
        except Broken as broken:
            self.log("error", f"the input is broken: {broken.message}")
            self.sender.notify("error", Error(code=broken.code, message=broken.message, path=""))
            code = 2
        self.finish(cancel)
        if self.outbox.broken:
            self.log("error", "nobody reads the answers any more: the output is closed")
            code = 2
        self.log("info", f"ended with code {code}")
        return code

    def read_all(self) -> bool:
        """Reads and asks. True: the input has ended; False: something else ends the engine."""
        poll = select.poll()
        poll.register(self.source, select.POLLIN)
        poll.register(self.woken, select.POLLIN)
        while not self.ending:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if self.woken in ready:
                os.read(self.woken, 1024)
            elif self.source in ready:
                data = os.read(self.source, CHUNK)
                if not data:
                    self.take(self.wire.end())
                    return not self.ending
                self.take(self.wire.feed(data))
        return False

    @property
    def ending(self) -> bool:
        return self.signalled or self.outbox.broken or self.engine.stopping

    def take(self, messages: Iterator[Message | Wrong]) -> None:
        """Asks the engine, one message after the other, as fast as the answers are read. What has been read
        behind the end is refused."""
        for message in messages:
            while not self.outbox.room(LOOK):
                if self.ending:
                    break
            if self.ending:
                self.engine.close()
            if isinstance(message, Wrong):
                self.refuse(message)
            else:
                self.log("debug", f"{shown(message.method)} ({message.id})")
                self.engine.ask(message.id, message.method, message.params)

    def refuse(self, wrong: Wrong) -> None:
        """Answers what is no request, as far as it can be answered."""
        error = refusal(as_error(wrong))
        if wrong.id is None:
            self.sender.notify("error", error)
        else:
            self.sender.answer(wrong.id, error, None)

    def finish(self, cancel: bool) -> None:
        """Answers everything that is under way, and writes it all. A signal cuts it short."""
        self.engine.close()
        while not cancel and not self.engine.join(LOOK):
            cancel = self.signalled or self.outbox.broken
        if cancel:
            self.engine.cancel_all()
            if not self.engine.join(PATIENCE):
                self.log("error", "a search does not end: its answer is lost")
        deadline = None
        while not self.outbox.flush(LOOK):
            if self.signalled and deadline is None:
                deadline = time.monotonic() + PATIENCE
            if deadline is not None and time.monotonic() > deadline:
                self.log("error", "nobody reads the answers: they are lost")
                return


@contextmanager
def signals(server: Server) -> Iterator[None]:
    """While it lasts, SIGTERM, SIGINT and SIGHUP end the server cleanly."""
    def stop(*_: object) -> None:
        server.signalled = True

    before = {each: signal.signal(each, stop) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    woke = signal.set_wakeup_fd(server.wake, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(woke)
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def own_output() -> Iterator[int]:
    """A descriptor of the standard output that nobody else has: other prints go to the error stream."""
    sys.stdout.flush()
    target = os.dup(1)
    os.dup2(2 if sys.stderr is not None else os.open(os.devnull, os.O_WRONLY), 1)
    try:
        yield target
    finally:
        os.dup2(target, 1)
        os.close(target)


def serve(bounds: Bounds, cards: Iterable[tuple[str, str]], *, as_json: bool,
          on_eof: Literal["finish", "cancel"], log_level: str) -> int:
    """Serves the standard streams; returns the exit code."""
    with own_output() as target:
        server = Server(0, target, bounds, cards, as_json=as_json, on_eof=on_eof, log=Log(log_level))
        with signals(server):
            return server.run()
