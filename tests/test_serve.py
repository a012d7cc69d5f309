"""`sfumato serve` as other programs meet it: real child processes, both transports, ends of every kind."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgpack
import pytest
from commands import run
from sfumato import SfumatoError, load
from sfumato.client import COMMAND, AsyncEngine, Engine, Gone, InProcess, Process

PATIENCE = 60


class Child:
    """A child engine, spoken to in bytes."""

    def __init__(self, *args: str, as_json: bool = True) -> None:
        command = [*COMMAND, *(["--json"] if as_json else []), *args]
        self.as_json = as_json
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0)
        self.unpacker = msgpack.Unpacker()
        self.rest = b""
        self.met: list[Any] = []

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)

    def send(self, number: int, method: str, **params: Any) -> None:
        if self.as_json:
            self.write(json.dumps({"id": number, "method": method, "params": params}).encode() + b"\n")
        else:
            self.write(msgpack.packb([0, number, method, [params]]))

    def receive(self) -> Any:
        """The next message, as `(id, error, result)` or `(method, params)`."""
        assert self.process.stdout
        while not self.met:
            assert select.select([self.process.stdout], [], [], PATIENCE)[0], "no message"
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, "the engine has ended"
            self.met += self.lines(data) if self.as_json else self.arrays(data)
        return self.met.pop(0)

    def lines(self, data: bytes) -> Iterator[Any]:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            said = json.loads(line)
            yield (said["id"], said.get("error"), said.get("result")) if "id" in said else (
                said["method"], said["params"])

    def arrays(self, data: bytes) -> Iterator[Any]:
        self.unpacker.feed(data)
        for said in self.unpacker:
            yield tuple(said[1:]) if said[0] == 1 else (said[1], said[2][0])

    def ask(self, number: int, method: str, **params: Any) -> Any:
        self.send(number, method, **params)
        found, error, result = self.receive()
        assert (found, error) == (number, None)
        return result

    def end(self) -> tuple[int, list[Any], str]:
        """Ends the input; the exit code, what else was said, and the log."""
        out, err = self.process.communicate(timeout=PATIENCE)
        rest = [*self.met, *(self.lines(out) if self.as_json else self.arrays(out))]
        assert not self.rest
        return self.process.returncode, rest, err.decode()


@pytest.fixture(params=[True, False], ids=["json", "msgpack"])
def child(request: pytest.FixtureRequest) -> Iterator[Callable[..., Child]]:
    """Starts children that speak one of the two transports, and ends those that a failed test left."""
    made: list[Child] = []

    def start(*args: str) -> Child:
        made.append(Child(*args, as_json=request.param))
        return made[-1]

    yield start
    for each in made:
        if each.process.poll() is None:
            each.process.kill()
            each.process.communicate()


Start = Callable[..., Child]


def test_a_game_and_the_end_of_input(child: Start) -> None:
    engine = child()
    assert engine.ask(1, "new_game", game="leduc_poker", seed=7)["game"] == "g1"
    assert engine.ask(2, "best_move", game="g1", limits={"sims": 100})["sims"] == 100
    blob = engine.ask(3, "save_game", game="g1")["blob"]
    assert engine.ask(4, "load_game", blob=blob)["game"] == "g2"
    assert engine.end() == (0, [], "")


def test_answers_come_out_of_order(child: Start) -> None:
    engine = child()
    engine.ask(1, "new_game", game="enigma", seed=7)
    engine.send(2, "best_move", game="g1", limits={"ms": 30_000})
    assert engine.ask(3, "ping") == {}
    assert engine.ask(4, "observe", game="g1", seat=0)["observation"]["seat"] == 0
    engine.send(5, "cancel", id=2)
    found = {number: (error, result) for number, error, result in (engine.receive(), engine.receive())}
    assert found[5] == (None, {"cancelled": True})
    error, result = found[2]
    assert (error, result["stop"]) == (None, "cancelled")
    assert engine.end()[0] == 0


def test_reports_are_notifications(child: Start) -> None:
    engine = child()
    engine.ask(1, "new_game", game="enigma", seed=7)
    engine.send(2, "best_move", game="g1", limits={"ms": 300}, report_every_ms=20)
    said = engine.receive()
    reports = 0
    while said[0] == "report":
        assert said[1]["id"] == 2
        reports += 1
        said = engine.receive()
    assert said[0] == 2 and reports


def test_the_end_of_input_finishes_what_is_under_way(child: Start) -> None:
    engine = child()
    engine.send(1, "new_game", game="enigma", seed=7)
    engine.send(2, "best_move", game="g1", limits={"sims": 20_000})
    code, said, _ = engine.end()
    assert code == 0
    assert [(number, error) for number, error, _ in said] == [(1, None), (2, None)]
    assert said[1][2]["stop"] == "sims"


def test_the_end_of_input_cancels_if_told(child: Start) -> None:
    engine = child("--on-eof", "cancel", "--max-workers", "1")
    engine.ask(1, "new_game", game="enigma", seed=7)
    engine.send(2, "best_move", game="g1", limits={"ms": 50_000}, report_every_ms=10)
    assert engine.receive()[0] == "report"
    engine.send(3, "best_move", game="g1", limits={"ms": 50_000})
    code, said, _ = engine.end()
    answers = {each[0]: each for each in said if each[0] != "report"}
    assert code == 0
    assert answers[2][2]["stop"] == "cancelled"
    assert answers[3][2]["stop"] == "cancelled"


def test_shutdown_ends_it_while_the_input_is_open(child: Start) -> None:
    engine = child()
    engine.ask(1, "new_game", game="enigma", seed=7)
    engine.send(2, "best_move", game="g1", limits={"ms": 50_000})
    engine.send(3, "shutdown")
    assert engine.process.wait(PATIENCE) == 0
    code, said, _ = engine.end()
    assert (code, sorted(each[0] for each in said)) == (0, [2, 3])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_ends_it_with_every_request_answered(child: Start, number: signal.Signals) -> None:
    engine = child("--max-workers", "1")
    engine.ask(1, "new_game", game="enigma", seed=7)
    for request in range(2, 6):
        engine.send(request, "best_move", game="g1", limits={"ms": 50_000}, report_every_ms=10)
    assert engine.receive()[0] == "report"
    engine.process.send_signal(number)
    assert engine.process.wait(PATIENCE) == 0
    code, said, log = engine.end()
    assert (code, log) == (0, "")
    assert sorted(each[0] for each in said if each[0] != "report") == [2, 3, 4, 5]


def test_what_is_no_request_is_told_and_does_no_harm(child: Start) -> None:
    engine = child()
    wrong = [b"[1]", b'"x"', b'{"method": 7}', b'{"id": -1, "method": "ping"}', b"{", b"\xff\xfe"] if (
        engine.as_json) else [msgpack.packb(each) for each in (
            7, [], [0], [3, 1, "ping", []], [1, 1, None, {}], [2, 7, []], [0, -1, "ping", []])]
    for each in wrong:
        engine.write(each + (b"\n" if engine.as_json else b""))
        method, params = engine.receive()
        assert (method, params["code"]) == ("error", "bad_request")
    assert engine.ask(1, "ping") == {}
    assert engine.end()[0] == 0


def test_a_malformed_request_with_an_id_is_answered() -> None:
    engine = Child(as_json=False)
    for number, wrong in enumerate(([0, 0], [0, 1, 7, []], [0, 2, "ping", {}], [0, 3, "ping", [{}, {}]],
                                    [0, 4, "ping", [{1: 2}]], [0, 5, "ping", [{"x": b"\xff"}]])):
        engine.write(msgpack.packb(wrong))
        found, error, result = engine.receive()
        assert found == number
        assert result is None if number < 5 else result
        assert number == 5 or error["code"] in ("bad_request", "bad_params")
    engine.write(b"\x94\x00\x06\xa4ping\x91\x81\xa1x\xa1\xff")
    assert engine.receive()[1]["code"] == "bad_params", "a text that is no UTF-8"
    assert engine.end()[0] == 0


@pytest.mark.parametrize("broken", [
    b"\xc1", b"\x94\x00\x01", b"\xdd\xff\xff\xff\xff", b"\x91" * 3000, b"\xdb\x7f\xff\xff\xff" + b"a" * 100,
    b"\x94\x00\x01\xa4ping\x91\xda\xff\xff" + b"a" * 40_000,
], ids=["never used", "cut short", "array", "depth", "text", "long"])
def test_a_broken_stream_is_one_error_and_code_2(broken: bytes) -> None:
    engine = Child("--max-message-bytes", "20000", as_json=False)
    engine.ask(1, "new_game", game="enigma", seed=7)
    engine.send(2, "best_move", game="g1", limits={"ms": 50_000})
    engine.write(broken)
    code, said, log = engine.end()
    assert code == 2
    assert log.count("\n") == 1
    assert sorted(str(each[0]) for each in said) == ["2", "error"], "what was asked before is still answered"


@pytest.mark.parametrize("broken", [b'{"id": 1, "meth', b"x" * 30_000, b'{"id": 1}' + b" " * 30_000 + b"\n"])
def test_a_broken_line_is_one_error_and_code_2(broken: bytes) -> None:
    engine = Child("--max-message-bytes", "20000")
    engine.write(broken)
    code, said, _ = engine.end()
    assert (code, [each[0] for each in said]) == (2, ["error"])


def test_the_last_line_needs_no_end() -> None:
    engine = Child()
    engine.write(b'\n\r\n{"id": 1, "method": "ping"}')
    assert engine.end() == (0, [(1, None, {})], "")


def test_a_reader_that_is_slow_blocks_no_search_and_fills_no_memory() -> None:
    """Nobody reads the answers, but a search goes on to its end; then everything is there, each once."""
    engine = Child("--max-output-bytes", "20000")
    engine.ask(1, "new_game", game="enigma", seed=7)
    engine.send(2, "best_move", game="g1", limits={"ms": 600}, report_every_ms=10)
    assert engine.process.stdin
    os.set_blocking(engine.process.stdin.fileno(), False)
    asked, full = 2, 0
    while full < 20:  # until the engine has read no more for a second
        try:  # a short line goes into a pipe as a whole, or not at all
            os.write(engine.process.stdin.fileno(),
                     b'{"id": %d, "method": "schema", "params": {"game": "enigma"}}\n' % (asked + 1))
            asked, full = asked + 1, 0
        except BlockingIOError:
            full += 1
            time.sleep(0.05)
    with open(f"/proc/{engine.process.pid}/status") as file:  # noqa: PTH123
        memory = next(int(row.split()[1]) for row in file if row.startswith("VmRSS"))
    assert memory < 300_000
    os.set_blocking(engine.process.stdin.fileno(), True)
    answered = set()
    while len(answered) < asked - 1:
        said = engine.receive()
        if said[0] != "report":
            assert said[0] not in answered
            answered.add(said[0])
    assert engine.end()[0] == 0


def test_a_reader_that_has_gone_ends_it() -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen([*COMMAND, "--json"], stdin=subprocess.PIPE, stdout=writing,
                               stderr=subprocess.PIPE)
    os.close(writing)
    os.close(reading)
    assert process.stdin
    process.stdin.write(b'{"id": 1, "method": "ping"}\n')
    process.stdin.flush()
    assert process.wait(PATIENCE) == 2
    assert process.stderr and b"the output is closed" in process.stderr.read()
    process.stdin.close()
    process.stderr.close()


def test_an_unread_log_hangs_nothing() -> None:
    engine = Child("--log-level", "debug")
    for number in range(5000):
        engine.ask(number, "ping")
    assert engine.end()[0] == 0


def test_the_log_says_what_is_asked_and_nothing_of_the_table() -> None:
    engine = Child("--log-level", "debug")
    engine.ask(1, "new_game", game="leduc_poker", seed=424242)
    engine.ask(2, "observe", game="g1", seat=0)
    code, _, log = engine.end()
    assert code == 0
    assert [line.split(maxsplit=1)[1] for line in log.splitlines()] == [
        "info serving level 1 of the protocol", "debug 'new_game' (1)", "debug 'observe' (2)",
        "info ended with code 0",
    ]


def test_hello_tells_the_bounds_that_flags_set() -> None:
    engine = Child("--max-games", "3", "--max-ms", "5000")
    limits = engine.ask(1, "hello")["limits"]
    assert (limits["games"], limits["ms"]) == (3, 5000)
    assert engine.end()[0] == 0


@pytest.mark.parametrize(("args", "message"), [
    (["--max-games", "0"], "--max-games"),
    (["--cards", "enigma"], "expected GAME=FILE"),
    (["--cards", "chess=x.toml"], "unknown game 'chess'"),
    (["--cards", "enigma=no/such.toml"], "no/such.toml: No such file"),
    (["--on-eof", "panic"], "--on-eof"),
])
def test_wrong_flags_are_one_line(args: list[str], message: str) -> None:
    result = subprocess.run([*COMMAND, *args], input=b"", capture_output=True, check=False, timeout=PATIENCE)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.count(b"\n") == 1
    assert message in result.stderr.decode()
    assert run("serve", "--help").exit_code == 0


def test_what_is_wrong_inside_of_a_line_is_answered_under_its_id() -> None:
    engine = Child()
    for number, wrong in enumerate((b'"\\ud800"', b"1e400", b"9" * 5000, b"NaN")):
        engine.write(b'{"id": %d, "method": "ping", "params": {"x": [%s]}}\n' % (number, wrong))
        found, error, _ = engine.receive()
        assert (found, error["code"], error["path"]) == (number, "bad_params", "x[0]")
    engine.write(b'{"id": null, "method": "shutdown"}\n')
    method, params = engine.receive()
    assert (method, params["code"], params["path"]) == ("error", "bad_request", "id")
    assert engine.ask(9, "ping") == {}
    assert engine.end()[0] == 0


def test_a_list_that_is_too_long_is_answered() -> None:
    engine = Child("--max-items", "100", as_json=False)
    engine.send(1, "ping", x=[0] * 101)
    found, error, _ = engine.receive()
    assert (found, error["code"], error["path"]) == (1, "too_large", "x")
    engine.write(msgpack.packb([0, 2, "ping", [{1: 2}]]))
    assert engine.receive()[1]["message"] == "expected a map, got a map with a name that is no text"
    engine.send(3, "ping", x=[0] * 1000)
    code, said, _ = engine.end()
    assert (code, [(name, error["code"]) for name, error in said]) == (2, [("error", "too_large")])


def test_requests_behind_a_shutdown_are_refused() -> None:
    engine = Child()
    engine.write(b"".join(b'{"id": %d, "method": "%s"}\n' % (number, method)
                          for number, method in enumerate((b"ping", b"shutdown", b"ping", b"games"))))
    code, said, _ = engine.end()
    assert code == 0
    assert [(number, error and error["code"]) for number, error, _ in said] == [
        (0, None), (1, None), (2, "closing"), (3, "closing")]


def test_an_output_that_does_not_wait_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = subprocess.Popen([*COMMAND, "--json"], stdin=subprocess.PIPE, stdout=writing)
    os.close(writing)
    assert process.stdin
    process.stdin.write(b"".join(b'{"id": %d, "method": "hello"}\n' % number for number in range(20)))
    process.stdin.close()
    time.sleep(0.3)
    with open(reading, "rb") as file:  # noqa: PTH123
        assert [json.loads(line)["id"] for line in file] == list(range(20))
    assert process.wait(PATIENCE) == 0


# --- clients --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("transport", [None, InProcess], ids=["child", "in process"])
def test_the_client_plays_a_game(transport: type[InProcess] | None) -> None:
    with Engine(transport=transport() if transport else None, timeout=PATIENCE) as engine:
        assert engine.hello().protocol == 1
        assert engine.games().games[0].name
        assert engine.schema(game="leduc_poker").schema == load("leduc_poker").schema()
        status = engine.new_game(game="leduc_poker", seed=7)
        game = status.game
        assert engine.render(game=game, seat=0).text
        seen = engine.observe(game=game, seat=0).observation
        assert engine.follow(observation=seen, action="raise").observation["to_move"] == 1
        while engine.legal_moves(game=game).moves:
            engine.apply(game=game, action=engine.best_move(game=game, limits={"sims": 50}).action)
        assert engine.undo(game=game).outcome is None
        assert engine.analyze(game=game, limits={"sims": 50}).variation
        again = engine.load_game(blob=engine.save_game(game=game).blob).game
        assert engine.observe(game=again, seat=0).observation == engine.observe(game=game, seat=0).observation
        engine.close_game(game=game)
        with pytest.raises(SfumatoError) as caught:
            engine.render(game=game, seat=0)
        assert (caught.value.code, caught.value.path) == ("no_game", "game")
        engine.ping()


def test_the_client_waits_for_answers_in_any_order() -> None:
    with Engine(timeout=PATIENCE) as engine:
        game = engine.new_game(game="enigma", seed=7).game
        told: list[int] = []
        slow = engine.send("best_move", lambda found: told.append(found.sims), game=game,
                           limits={"ms": 50_000}, report_every_ms=10)
        quick = engine.send("best_move", game=game, limits={"sims": 10})
        assert engine.wait(quick).sims == 10
        while not told:
            engine.ping()
        assert engine.cancel(slow).cancelled
        assert engine.wait(slow).stop == "cancelled"


def test_the_client_says_when_the_engine_has_gone() -> None:
    with Engine(timeout=PATIENCE) as engine:
        engine.shutdown()
        with pytest.raises(Gone, match="ended with code 0"):
            engine.ping()
            engine.ping()
    short = [sys.executable, "-c", "import sys; sys.exit(3)"]
    with Engine(short) as engine, pytest.raises(Gone, match="code 3"):
        engine.ping()
        engine.ping()
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with Engine(silent, timeout=0.2) as engine, pytest.raises(Gone, match="no answer within"):
        engine.ping()


def script(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_a_search_that_nobody_waits_for_any_more_is_not_finished() -> None:
    with Engine(timeout=PATIENCE) as engine:
        game = engine.new_game(game="enigma").game
        engine.send("best_move", game=game, limits={"ms": 50_000})
        engine.close()
        engine.close()
    assert isinstance(engine._transport, Process)
    assert engine._transport._child.returncode == 0


@pytest.mark.parametrize("said", [
    b"\xc1", b"\x07", b"\x90", b"\x93\x01\x01\xc0", b"\x94\x01\x01\xc0\x07", b"\x93\x02\xa6report\x90",
], ids=["no MessagePack", "a number", "empty", "cut short", "no map", "no report"])
def test_the_client_says_when_an_engine_does_not_speak_the_protocol(said: bytes) -> None:
    odd = script(f"import sys; sys.stdout.buffer.write({said!r}); sys.stdout.flush(); sys.stdin.read()")

    async def play() -> None:
        async with AsyncEngine(odd) as engine:
            with pytest.raises(Gone, match="does not speak the protocol"):
                await engine.new_game(game="enigma")

    with Engine(odd, timeout=PATIENCE) as engine, pytest.raises(Gone, match="does not speak the protocol"):
        engine.new_game(game="enigma")
    asyncio.run(asyncio.wait_for(play(), PATIENCE))


def test_the_client_waits_no_longer_than_told_for_an_engine_that_does_not_read() -> None:
    with Engine(script("import sys; sys.stdin.buffer.raw.read(1); import time; time.sleep(600)"),
                timeout=0.2) as engine:
        assert isinstance(engine._transport, Process)
        engine._transport.patience = 0.2
        with pytest.raises(Gone, match=r"has read nothing for 0\.2 seconds"):
            engine.send("ping", x="a" * 1_000_000)


def test_the_client_notices_a_closed_output_while_it_writes() -> None:
    closed = script("import os, time; os.close(1); time.sleep(600)")
    with Engine(closed, timeout=PATIENCE) as engine:
        assert isinstance(engine._transport, Process)
        engine._transport.patience = 0.2
        with pytest.raises(Gone, match="closed its streams"):
            engine.send("ping", x="a" * 1_000_000)


def test_a_report_that_is_not_taken_is_told_to_who_waits() -> None:
    def fail(found: object) -> None:
        raise RuntimeError("not now")

    async def play() -> None:
        async with AsyncEngine() as engine:
            game = (await engine.new_game(game="enigma", seed=7)).game
            with pytest.raises(RuntimeError, match="not now"):
                await engine.best_move(fail, game=game, limits={"ms": 50_000}, report_every_ms=10)

    asyncio.run(asyncio.wait_for(play(), PATIENCE))


def test_an_engine_that_does_not_end_is_killed() -> None:
    deaf = Process([sys.executable, "-c", "import time; time.sleep(600)"])
    deaf.patience = 0.2
    deaf.close()
    assert deaf._child.returncode == -signal.SIGKILL


def test_an_engine_that_talks_to_people_all_the_time_hangs_no_client() -> None:
    loud = ("import sys; from sfumato.cli import main; sys.stderr.write('x' * 1_000_000); "
            "sys.argv[1:] = ['serve']; main()")
    with Engine([sys.executable, "-c", loud], stderr=subprocess.DEVNULL, timeout=PATIENCE) as engine:
        engine.ping()


def test_the_asyncio_client_asks_many_things_at_once() -> None:
    async def play() -> None:
        async with AsyncEngine() as engine:
            game = (await engine.call("new_game", game="enigma", seed=7)).game
            asked = [engine.best_move(game=game, limits={"sims": sims}) for sims in range(10, 30)]
            assert [found.sims for found in await asyncio.gather(*asked)] == list(range(10, 30))
            with pytest.raises(SfumatoError, match="unknown game"):
                await engine.new_game(game="chess")
            with pytest.raises(AttributeError, match="no method castle"):
                engine.castle  # noqa: B018
            slow = asyncio.create_task(engine.call("best_move", game=game, limits={"ms": 50_000}))
            await engine.call("ping")
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            await engine.call("shutdown")
            with pytest.raises(Gone):
                for _ in range(100):
                    await engine.call("ping")
                    await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(play(), PATIENCE))


def test_somebody_who_starts_it_in_a_terminal_is_told_what_it_is_for() -> None:
    leading, following = os.openpty()
    process = subprocess.Popen(COMMAND, stdin=following, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(following)
    assert process.stderr and process.stdout
    assert b"this is for programs" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert (process.wait(PATIENCE), process.stdout.read()) == (0, b"")
    os.close(leading)
    process.stdout.close()
    process.stderr.close()
