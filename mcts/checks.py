"""Checks of the talk itself: framing, what an engine says of itself, errors, searches under way, and ends."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import msgspec

from . import methods as m
from .check import CORE, Skipped, check
from .wire import MOST_ID

if TYPE_CHECKING:
    from .check import Trial
    from .checked import Child

#: an id that no other request here has
FREE = 1 << 31
#: milliseconds of a search that is reported on
REPORTED = 300
#: bytes of a message that is sent only to be too long
LONGEST = 1 << 24


@check("stdout", "Transport")
def _(trial: Trial) -> None:
    """Nothing but messages is on stdout."""
    child = trial.fresh()
    child.ask("ping")
    child.wait(child.send("no_such_method", {}))
    child.close()
    child.end(0)


@check("hello", "hello")
def _(trial: Trial) -> None:
    """`hello` tells methods, schemas, errors and bounds."""
    hello = trial.hello
    child = trial.child
    child.require(hello.protocol >= m.LEVEL, f"level {m.LEVEL} or a higher one", hello.protocol)
    for method in hello.methods:
        for name in ("params", "result"):
            schema = getattr(method, name)
            child.require(schema.get("type") == "object" or "$ref" in schema,
                          f"the JSON Schema of a map as {name} of {method.name}", schema)
        unknown = {*method.errors} - {*hello.errors}
        child.require(not unknown, f"errors of {method.name} that `errors` explains", unknown)
        child.require(method.role in ("anyone", "seat", "referee"), f"a role of {method.name}", method.role)
    lost = {*m.ERRORS} - {*hello.errors}
    child.require(not lost, "an explanation of every error code", f"none of {sorted(lost)}")
    child.refused("bad_params", "hello", protocol=hello.protocol + 1)


@check("core", "Methods")
def _(trial: Trial) -> None:
    """The methods that no engine can do without are there."""
    lost = [name for name in CORE if not trial.offers(name)]
    trial.child.require(not lost, f"the methods {', '.join(CORE)}", f"no {', '.join(lost)}")


@check("games", "games", "games")
def _(trial: Trial) -> None:
    """`games` lists what `hello` names."""
    child = trial.child
    listed = child.ask("games").games
    child.require([each.name for each in listed] == trial.hello.games, f"the games {trial.hello.games}")
    for each in listed:
        child.require(bool(each.players) and min(each.players) >= 1, f"player counts of {each.name}")
        child.require(bool(each.tables), f"a card table of {each.name}")


# --- framing --------------------------------------------------------------------------------------------


@check("pieces", "Transport", "ping")
def _(trial: Trial) -> None:
    """A request may come byte by byte."""
    child = trial.child
    number, data = child.encode("ping", {})
    for byte in data:
        child.write(bytes([byte]), "ping, byte by byte")
    child.result("ping", child.wait(number))


@check("batch", "What holds", "ping")
def _(trial: Trial) -> None:
    """Many requests in one write are answered in order."""
    child = trial.child
    asked = [child.encode("ping", {}) for _ in range(50)]
    before = len(child.order)
    child.write(b"".join(data for _, data in asked), "50 pings in one write")
    for number, _ in asked:
        child.result("ping", child.wait(number))
    order = child.order[before:]
    child.require(order == [number for number, _ in asked], "answers in the order of the requests", order)


@check("ids", "Transport", "ping")
def _(trial: Trial) -> None:
    """Any id from 0 to 2^32 - 1 comes back."""
    child = trial.child
    for number in (0, MOST_ID, 0, FREE):
        child.result("ping", child.wait(child.send("ping", {}, number)))


@check("no-params", "Transport", "ping")
def _(trial: Trial) -> None:
    """Parameters may be left out."""
    child = trial.child
    child.open[FREE] += 1
    child.write(written(child, {"id": FREE, "method": "ping"} if child.as_json else [0, FREE, "ping", []]))
    child.result("ping", child.wait(FREE))


@check("notification", "Transport", "ping")
def _(trial: Trial) -> None:
    """A notification is not answered."""
    child = trial.child
    for method, params in (("ping", {}), ("cancel", {"id": FREE}), ("cancel", {}), ("no_such_method", {})):
        child.tell(method, params)


@check("unknown-method", "Errors", "ping")
def _(trial: Trial) -> None:
    """An unknown method is refused."""
    for name in ("no_such_method", "", "Ping", "__init__"):
        trial.child.refused("unknown_method", name)


@check("unknown-field", "What holds", "ping")
def _(trial: Trial) -> None:
    """An unknown field is warned of, and no error."""
    child = trial.child
    warnings = child.ask("ping", no_such_field=1).warnings
    named = isinstance(warnings, list) and any("no_such_field" in each for each in warnings)
    child.require(named, "a warning that names no_such_field")
    child.require(child.ask("ping").warnings is msgspec.UNSET, "no warnings of nothing")


#: what has an id and is no request, and what has none
MALFORMED: dict[bool, tuple[list[Any], list[Any]]] = {
    False: (
        [[0, FREE], [0, FREE, 7, []], [0, FREE, "ping", {}], [0, FREE, "ping", [{}, {}]]],
        [7, "ping", [], [0], [3, 1, "ping", []], [2, 7, []], [0, -1, "ping", []],
         [0, MOST_ID + 1, "ping", []]],
    ),
    True: (
        [{"id": FREE}, {"id": FREE, "method": 7}],
        [7, "ping", [], {}, {"method": 7}, {"id": -1, "method": "ping"},
         {"id": MOST_ID + 1, "method": "ping"}],
    ),
}


@check("malformed", "Errors", "ping")
def _(trial: Trial) -> None:
    """What is no request is refused and does no harm."""
    child = trial.child
    answered, told = MALFORMED[child.as_json]
    for each in answered:
        child.open[FREE] += 1
        child.write(written(child, each), msgspec.json.encode(each).decode())
        error = child.error(child.wait(FREE))
        child.require(error.code == "bad_request", "the error bad_request")
    for each in told:
        child.write(written(child, each), msgspec.json.encode(each).decode())
        told_error(child, "bad_request")
    if child.as_json:
        child.write(b"{\n")
        told_error(child, "bad_request")


def written(child: Child, value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n" if child.as_json else msgspec.msgpack.encode(value)


def told_error(child: Child, code: str) -> None:
    """Waits for one error notification."""
    child.until(lambda: child.told("error"), f"a notification error with code {code}")
    codes = [each.code for each in child.errors()]
    child.require(codes == [code], f"one notification error with code {code}", f"error notifications {codes}")


@check("bad-params", "Errors", "best_move", "cancel")
def _(trial: Trial) -> None:
    """Wrong parameters are refused by name."""
    child = trial.child
    wrong: list[tuple[str, object, str]] = [
        ("cancel", {}, "id"), ("cancel", {"id": "1"}, "id"), ("cancel", {"id": -1}, "id"),
        ("hello", {"protocol": "new"}, "protocol"), ("ping", 7, ""),
        ("best_move", trial.asking(limits={"sims": 0}), "limits.sims"),
        ("best_move", trial.asking(limits=[]), "limits"), ("best_move", trial.asking(top=-1), "top"),
    ]
    for method, params, path in wrong:
        error = child.error(child.wait(child.send(method, params)))
        child.require((error.code, error.path) == ("bad_params", path), f"bad_params at {path!r}")


@check("errors", "Errors", "best_move", "cancel")
def _(trial: Trial) -> None:
    """An error has a known code, a message and a path."""
    child = trial.child
    codes = {each.name: each.errors for each in trial.hello.methods}
    for method, params in (
        ("best_move", {}), ("best_move", {"observation": {}}), ("best_move", trial.asking(game="g1")),
        ("best_move", trial.asking(agent="no such agent")),
        ("best_move", {"observation": 7}), ("cancel", {"id": None}),
    ):
        error = child.error(child.wait(child.send(method, params)))
        listed = ", ".join(codes[method])
        child.require(error.code in codes[method], f"one of the errors of {method}: {listed}")
        child.require(bool(error.message.strip()) and "\n" not in error.message, "a message of one line")


# --- bounds ---------------------------------------------------------------------------------------------


@check("bounds", "hello", "best_move")
def _(trial: Trial) -> None:
    """What is beyond the bounds is `too_large`."""
    child, bounds = trial.child, trial.hello.limits
    nested: Any = 1
    for _ in range(bounds.depth + 1):
        nested = [nested]
    asked: list[dict[str, object]] = [
        {"observation": {"game": nested}}, trial.asking(limits={"ms": bounds.ms + 1}),
        trial.asking(limits={"nodes": bounds.nodes + 1}), trial.asking(threads=bounds.threads + 1),
        trial.asking(worlds=bounds.worlds + 1, include=["worlds"]),
    ]
    if bounds.text + 100 < min(bounds.message_bytes, LONGEST):
        asked.append({"observation": {"game": "x" * (bounds.text + 1)}})
    for params in asked:
        child.refused("too_large", "best_move", **params)


# --- many at once ---------------------------------------------------------------------------------------


@check("one-answer", "What holds", "best_move", "games")
def _(trial: Trial) -> None:
    """Each of many requests has exactly one answer."""
    child = trial.child
    asked: list[tuple[str, object]] = []
    for number in range(20):
        asked += [("ping", {}), ("best_move", trial.asking(limits={"sims": 1 + number})), ("games", {}),
                  ("no_such_method", {}), ("best_move", {})]
    sent = [child.encode(method, params) for method, params in asked]
    child.write(b"".join(data for _, data in sent), f"{len(sent)} requests in one write")
    for number, _ in sent:
        answer = child.wait(number)
        if answer.error is not None:
            child.error(answer)


@check("same-id", "Errors", "best_move", "cancel")
def _(trial: Trial) -> None:
    """An id is taken until it is answered."""
    child = trial.child
    number = trial.search(child)
    child.send("ping", {}, number)
    expected = "the error bad_request, as an answer or as a notification"
    child.until(lambda: child.answers.get(number) or child.told("error"), expected)
    errors = child.errors()
    if errors:
        child.open[number] -= 1
    found = errors[0] if errors else child.error(child.wait(number))
    child.require(found.code == "bad_request", expected)
    cancelled(trial, child, number)


@check("out-of-order", "What holds", "best_move", "cancel")
def _(trial: Trial) -> None:
    """Other requests are answered while a search runs."""
    child = trial.child
    number = trial.search(child)
    child.ask("ping")
    child.require(not child.answers.get(number), "a search that runs", "its answer before it was cancelled")
    if trial.hello.limits.workers > 1:
        child.ask("best_move", **trial.asking(limits={"sims": 5}))
    cancelled(trial, child, number)


def cancelled(trial: Trial, child: Child, number: int) -> None:
    """Cancels a search, which is answered with what it has."""
    child.require(child.ask("cancel", id=number).cancelled, "cancelled: true, since the search runs")
    found = child.result("best_move", child.wait(number, f"cancel {{\"id\":{number}}}"))
    child.require(found.stop == "cancelled", "stop: cancelled")
    child.require(found.action in trial.widest.legal_actions, f"a move out of {trial.widest.legal_actions}")


@check("cancel", "cancel", "best_move", "cancel")
def _(trial: Trial) -> None:
    """A cancelled search answers with what it has."""
    child = trial.child
    number = trial.search(child)
    cancelled(trial, child, number)
    for each in (number, FREE):
        child.require(not child.ask("cancel", id=each).cancelled, "cancelled: false, since nothing runs")


@check("cancel-waiting", "cancel", "best_move", "cancel")
def _(trial: Trial) -> None:
    """A search that waits is cancelled like one that runs."""
    child, bounds = trial.child, trial.hello.limits
    if bounds.workers >= min(bounds.queue, 64):
        raise Skipped(f"{bounds.workers} workers leave nobody waiting")
    running = [trial.search(child) for _ in range(bounds.workers)]
    waiting = child.send("best_move", trial.asking(limits={"ms": bounds.ms}))
    for number in (waiting, *running):
        cancelled(trial, child, number)


@check("reports", "Notifications", "best_move")
def _(trial: Trial) -> None:
    """Reports rise until the answer, and end with it."""
    child = trial.child
    if trial.hello.limits.ms < REPORTED:
        raise Skipped(f"its searches take {trial.hello.limits.ms} ms at most")
    found = child.ask("best_move", **trial.asking(limits={"ms": REPORTED}, report_every_ms=10))
    reports = child.reports()
    if found.stop == "none" or (not reports and found.elapsed_ms < REPORTED / 2):
        raise Skipped("its searches end at once")
    child.require(bool(reports), "a report every 10 ms", "none")
    sims = [each.so_far.sims for each in reports]
    child.require(sims == sorted(sims) and sims[-1] <= found.sims, "a rising number of simulations", sims)
    child.require({each.so_far.stop for each in reports} == {"running"}, "reports with stop running",
                  [each.so_far.stop for each in reports])


# --- searches -------------------------------------------------------------------------------------------


def without_time(found: m.Found) -> dict[str, Any]:
    """An answer, but for the time it took."""
    return {**msgspec.to_builtins(found), "elapsed_ms": None}


@check("sims", "best_move", "best_move")
def _(trial: Trial) -> None:
    """A search runs exactly the simulations asked for."""
    child = trial.child
    for sims in (1, 10, 123):
        found = child.ask("best_move", **trial.asking(limits={"sims": sims}))
        if found.stop == "none":
            raise Skipped("it does not search")
        child.require((found.stop, found.sims) == ("sims", sims), f"stop sims, after {sims} simulations")


@check("seed", "What holds", "best_move")
def _(trial: Trial) -> None:
    """The same seed brings the same answer."""
    child = trial.child
    asked = trial.asking(limits={"sims": 100}, seed=3)
    first = without_time(child.ask("best_move", **asked))
    for threads in {1, min(2, trial.hello.limits.threads)}:
        again = without_time(child.ask("best_move", **asked, threads=threads))
        child.same(first, again, "the same as before")


# --- ends -----------------------------------------------------------------------------------------------


@check("end-of-input", "What holds", "best_move")
def _(trial: Trial) -> None:
    """At the end of input all is answered; code 0."""
    asked = trial.asking(limits={"sims": 2000})
    child = trial.fresh()
    number = child.send("best_move", asked)
    child.close()
    child.end(0)
    child.result("best_move", child.wait(number))


@check("shutdown", "shutdown", "best_move", "shutdown")
def _(trial: Trial) -> None:
    """After `shutdown` all is answered; code 0."""
    child = trial.fresh()
    number = trial.search(child)
    child.ask("shutdown")
    child.end(0)
    child.result("best_move", child.wait(number))


@check("signals", "What holds", "best_move")
def _(trial: Trial) -> None:
    """After SIGTERM, SIGINT, SIGHUP all is answered; code 0."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        child = trial.fresh()
        searching = trial.search(child)
        child.signal(number)
        child.end(0)
        child.result("best_move", child.wait(searching))


@check("broken-stream", "What holds", "best_move")
def _(trial: Trial) -> None:
    """A broken stream is one error and code 2."""
    most = trial.hello.limits.message_bytes
    cut = b'{"id": 1, "meth' if trial.as_json else b"\x94\x00\x01"
    broken: list[tuple[str, bytes]] = [("an input that ends inside of a message", cut)]
    if not trial.as_json:
        broken.append(("bytes that are no MessagePack", b"\xc1"))
    if most <= LONGEST:
        long = msgspec.msgpack.encode([0, 1, "ping", [{"x": "x" * most}]])
        broken.append((f"a message of more than {most} bytes", long))
    for shown, data in broken:
        child = trial.fresh()
        child.send("best_move", trial.asking(limits={"sims": 50}))
        child.write(data, shown)
        if data == cut:
            child.close()
        child.end(2)
        errors = child.errors()
        child.require(len(errors) == 1, "one notification error", f"{len(errors)} of them")
