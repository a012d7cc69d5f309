"""Our engine with one fault: `python wrong_engine.py FAULT [flags of serve]`. A fault is a small function."""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from sfumato import cli, engine, held, serve
from sfumato import methods as m

FAULTS: dict[str, Callable[[], None]] = {}
CORE = ("hello", "ping", "games", "best_move", "cancel", "shutdown")


def fault(function: Callable[[], None]) -> Callable[[], None]:
    FAULTS[function.__name__] = function
    return function


def answers(change: Callable[[Any, int, Any, Any], None]) -> None:
    """Every answer goes through `change(send, number, error, result)`."""
    send = serve.Sender.answer
    serve.Sender.answer = lambda self, number, error, result: change(  # type: ignore[method-assign]
        lambda *said: send(self, *said), number, error, result)


def patched(owner: Any, name: str, change: Callable[..., Any]) -> None:
    """A method becomes `change(the method as it was, self, ...)`."""
    before = getattr(owner, name)
    setattr(owner, name, lambda *args, **named: change(before, *args, **named))


@fault
def none() -> None:
    """Nothing is wrong."""


@fault
def core_only() -> None:
    """It knows no more than it must."""
    for name in [name for name in m.METHODS if name not in CORE]:
        del m.METHODS[name]


@fault
def lacks_games() -> None:
    del m.METHODS["games"]


@fault
def answers_twice() -> None:
    def twice(send: Any, number: int, error: Any, result: Any) -> None:
        for _ in range(2 if isinstance(result, m.Found) else 1):
            send(number, error, result)

    answers(twice)


@fault
def never_answers_a_search() -> None:
    answers(lambda send, *said: None if isinstance(said[2], m.Found) else send(*said))


@fault
def answers_with_another_id() -> None:
    answers(lambda send, number, error, result: send(number ^ (type(result) is m.Done), error, result))


@fault
def has_an_error_of_its_own() -> None:
    def own(send: Any, number: int, error: Any, result: Any) -> None:
        if error is not None and error.code == "bad_agent":
            error.code = "bad_mood"
        send(number, error, result)

    answers(own)


@fault
def forgets_a_field() -> None:
    """The result is of our type, and not of the type that it says."""
    before = m.described

    def described() -> list[m.Described]:
        found = before()
        for each in found:
            if each.name == "cancel":
                each.result["required"].append("mood")
        return found

    engine.described = described  # type: ignore[attr-defined]


@fault
def plays_what_is_illegal() -> None:
    def illegal(send: Any, number: int, error: Any, result: Any) -> None:
        if isinstance(result, m.Found):
            result.action = 1_000_000
        send(number, error, result)

    answers(illegal)


@fault
def counts_wrong() -> None:
    def more(send: Any, number: int, error: Any, result: Any) -> None:
        if isinstance(result, m.Found):
            result.sims += 1
        send(number, error, result)

    answers(more)


@fault
def has_moods() -> None:
    """The seed of a search is its own."""
    def moody(before: Any, asked: Any, *rest: Any) -> Any:
        asked.asked.seed = time.monotonic_ns()
        return before(asked, *rest)

    patched(engine, "answer", moody)


@fault
def peeks() -> None:
    """The search of a held game depends on what nobody at the table sees."""
    def peek(before: Any, self: Any, call: Any, params: Any) -> None:
        if params.game is not None:
            params.seed = zlib.crc32(self.held.find(params.game).state.position.state_bytes)
        before(self, call, params)

    patched(engine.Engine, "_best_move", peek)


@fault
def talks_on_stdout() -> None:
    def talk(before: Any, self: Any, *said: Any) -> None:
        if said[1] is not None:
            self.outbox.put(b"that was wrong!\n")
        before(self, *said)

    patched(serve.Sender, "answer", talk)


@fault
def ignores_cancel() -> None:
    engine.Engine._cancel = lambda *_: m.CancelReply(cancelled=True)  # type: ignore[assignment, method-assign]


@fault
def thinks_alone() -> None:
    """While it searches, it hears nothing."""
    patched(engine.Engine, "_later", lambda before, self, *rest: (before(self, *rest), self.join(), None)[2])


@fault
def reports_late() -> None:
    def late(before: Any, self: Any, call: Any, error: Any, result: Any) -> None:
        before(self, call, error, result)
        if isinstance(result, m.Found):
            self.peer.notify("report", m.Report(id=call.id, so_far=result))

    patched(engine.Engine, "_finish", late)


@fault
def crashes_on_bad_input() -> None:
    serve.Server.refuse = lambda *_: os._exit(3)  # type: ignore[method-assign]


@fault
def shrugs_at_a_broken_stream() -> None:
    patched(serve.Server, "run", lambda before, self: before(self) and 0)


@fault
def drops_signals() -> None:
    serve.signals = lambda _: nullcontext()  # type: ignore[assignment]


@fault
def never_ends() -> None:
    serve.Server.finish = lambda *_: time.sleep(600)  # type: ignore[method-assign, assignment]


@fault
def has_no_bounds() -> None:
    engine.check_plain = lambda *_: None  # type: ignore[attr-defined]


@fault
def opens_everything() -> None:
    def seat_of(self: held.Held, token: str | None, *_: object) -> int | None:
        return self.tokens.index(token) if self.tokens and token in self.tokens[:-1] else None

    def view(self: held.Held, own: int | None, asked: int | None) -> int | None:
        return own if asked is None else asked

    held.Held.seat_of, held.Held.view = seat_of, view  # type: ignore[method-assign]


@fault
def keeps_closed_games() -> None:
    engine.Engine._close_game = lambda *_: m.Done()  # type: ignore[method-assign]


@fault
def takes_nothing_back() -> None:
    held.Held.take_back = lambda self, _: m.Status(**self.status())  # type: ignore[method-assign]


@fault
def warns_of_nothing() -> None:
    engine.unknown_fields = lambda *_: []  # type: ignore[attr-defined]


if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    sys.argv[1:] = ["serve", *sys.argv[2:]]
    cli.main()
