"""`sfumato check`: our engine passes, and each of many wrong engines is caught by the check for its fault."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from commands import run
from sfumato.check import CORE, all_checks
from sfumato.client import COMMAND
from sfumato.methods import METHODS
from sfumato.schemas import misfit
from wrong_engine import FAULTS

ROOT = Path(__file__).parents[1]
WRONG = str(Path(__file__).with_name("wrong_engine.py"))
NAMES = [each.name for each in all_checks()]


def checked(*args: str, fault: str = "none") -> Result:
    return run("check", *args, "--", sys.executable, WRONG, fault)


def found(result: Result, how: str) -> list[str]:
    """The names of the checks that went so."""
    return re.findall(rf"^{how} +(\S+)", result.output, re.MULTILINE)


# --- our engine -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["msgpack", "json"])
def test_our_engine_keeps_the_protocol(flags: list[str]) -> None:
    result = run("check", *flags, "--timeout", "60", *COMMAND, *flags)
    assert found(result, "failed") == [], result.output
    assert found(result, "skipped") == []
    assert sorted(found(result, "ok")) == sorted(NAMES)
    assert result.exit_code == 0
    assert result.output.endswith(": it keeps the protocol\n")


def test_an_engine_with_the_core_alone_passes() -> None:
    result = checked("--timeout", "60", "--game", "leduc_poker", fault="core_only")
    assert found(result, "failed") == [], result.output
    assert result.output.endswith(": it keeps the core of the protocol\n")
    assert set(found(result, "skipped")) == {each.name for each in all_checks() if {*each.needs} - {*CORE}}
    assert "new_game is not offered" in result.output


def test_an_engine_with_narrow_bounds_is_no_wrong_engine() -> None:
    narrow = {"ms": 5, "text": 64, "items": 64, "message-bytes": 4096, "depth": 4, "games": 1, "undo": 1,
              "workers": 1, "queue": 1, "threads": 1, "worlds": 5, "nodes": 1000, "output-bytes": 1024}
    flags = [word for name, value in narrow.items() for word in (f"--max-{name}", str(value))]
    result = run("check", "--game", "leduc_poker", *COMMAND, *flags)
    assert (result.exit_code, found(result, "failed")) == (0, []), result.output
    assert {"cancel", "save"} <= set(found(result, "skipped"))
    assert re.search(r"^\d+ ok, \d+ skipped$", result.output, re.MULTILINE), "it has not shown all of it"


def test_every_method_is_needed_by_a_check() -> None:
    needed = {name for each in all_checks() for name in each.needs}
    assert needed | {"hello"} == set(METHODS)


def test_every_check_names_its_place_on_the_page_and_fits_a_line() -> None:
    page = (ROOT / "PROTOCOL.md").read_text("utf-8")
    assert len(set(NAMES)) == len(NAMES)
    widest = max(map(len, NAMES))
    for each in all_checks():
        assert re.search(rf"^##+ {re.escape(each.place)}$", page, re.MULTILINE), each.place
        assert each.sentence.endswith(".")
        assert len("skipped") + widest + len(each.sentence) + 4 <= 80, each.name


# --- wrong engines --------------------------------------------------------------------------------------

#: fault: the check that must catch it, and words of what it says
CAUGHT = {
    "lacks_games": ("core", "no games"),
    "answers_twice": ("one-answer", "to no open request"),
    "never_answers_a_search": ("play", "nothing within 1 s"),
    "answers_with_another_id": ("ids", "an answer with id 1, to no open request"),
    "has_an_error_of_its_own": ("errors", "bad_mood"),
    "forgets_a_field": ("results", "mood is missing"),
    "plays_what_is_illegal": ("play", "a move out of"),
    "counts_wrong": ("sims", "after 1 simulations"),
    "has_moods": ("seed", "the same as before"),
    "peeks": ("no-peek", "the same in"),
    "talks_on_stdout": ("stdout", "messages of the protocol and nothing else"),
    "ignores_cancel": ("cancel", "nothing within 1 s"),
    "thinks_alone": ("out-of-order", "nothing within 1 s"),
    "reports_late": ("reports", "which is not under way"),
    "crashes_on_bad_input": ("malformed", "it has ended with code 3"),
    "shrugs_at_a_broken_stream": ("broken-stream", "it has ended with code 0"),
    "drops_signals": ("signals", "it has ended with code -15"),
    "never_ends": ("end-of-input", "no end within 1 s"),
    "has_no_bounds": ("bounds", "too_large"),
    "opens_everything": ("tokens", "the error forbidden"),
    "keeps_closed_games": ("close", "the error no_game"),
    "takes_nothing_back": ("undo", "the error bad_params"),
    "warns_of_nothing": ("unknown-field", "a warning that names no_such_field"),
}


@pytest.mark.parametrize("fault", CAUGHT)
def test_a_wrong_engine_is_caught(fault: str) -> None:
    name, words = CAUGHT[fault]
    result = checked("-k", name, "--timeout", "1", fault=fault)
    assert result.exit_code == 1
    assert name in found(result, "failed")
    said = " ".join(result.output.split())
    assert words in said
    assert re.search(r"sent .* came .* expected .* promised PROTOCOL.md, ", said)


def test_every_fault_is_tried() -> None:
    assert {*CAUGHT, "none", "core_only"} == set(FAULTS)


@pytest.mark.parametrize(("code", "words"), [
    ("pass", "it has ended with code 0"),
    ("import sys; sys.exit('no licence')", "it has ended with code 1; on stderr: no licence"),
    ("import time; time.sleep(600)", "nothing within 0.2 s"),
    ("import os, time; os.close(1); time.sleep(600)", "it has closed its output"),
    ("import os\nwhile True: os.write(1, b'y' * 9999)", "on stdout: 121, in the bytes"),
    ("import os\nwhile True: os.write(2, b'y' * 9999)", "nothing within 0.2 s"),
    ("import os\nwhile data := os.read(0, 9999): os.write(1, data)", 'on stdout: [0,1,"ping",[{}]]'),
    ("import os, time; os.write(1, b'\\x94\\x01'); time.sleep(600)", "nothing within 0.2 s"),
    ("import os; os.read(0, 1); os.write(1, b'\\x94\\x01')", "the output ends inside of a message"),
], ids=["ends", "fails", "hangs", "closes", "floods", "floods the log", "echoes", "half", "cut short"])
def test_a_program_that_is_no_engine_fails_and_hangs_nothing(code: str, words: str) -> None:
    result = run("check", "--timeout", "0.2", "--", sys.executable, "-c", code)
    assert result.exit_code == 1
    assert found(result, "failed")[:2] == ["stdout", "hello"]
    assert len(found(result, "skipped")) == len(NAMES) - 2, "without a hello there is nothing to try"
    assert words in " ".join(result.output.split())


def test_what_a_program_says_cannot_draw_on_the_terminal() -> None:
    code = "import sys; sys.exit('\\x1b[2J\\x07gone')"
    result = run("check", "-k", "stdout", "--timeout", "5", "--", sys.executable, "-c", code)
    assert "?[2J?gone" in result.output
    assert "\x1b" not in result.output


# --- the command ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "message"), [
    (["no-such-program"], "no-such-program: No such file or directory"),
    ([str(ROOT)], "Permission denied"),
    ([], "name the program to check"),
    (["-k", "no such word", "true"], "no check has 'no such word' in it"),
    (["--timeout", "0", "true"], "--timeout"),
    (["-k", "play", "--game", "chess", *COMMAND], "unknown game of the program 'chess'"),
])
def test_wrong_usage_is_one_line_and_code_2(args: list[str], message: str) -> None:
    result = run("check", *args)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr


def test_the_checks_are_listed_with_a_sentence_each() -> None:
    result = run("check", "--list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == NAMES


def test_a_game_can_be_picked() -> None:
    result = checked("-k", "play", "--game", "leduc_poker")
    assert (result.exit_code, found(result, "ok")) == (0, ["play"])
    assert result.output.endswith("1 ok\n")


def test_an_interrupt_is_one_line_and_leaves_no_child() -> None:
    """The program under check tells its own number, and says nothing else."""
    code = "import os, sys, time; print(os.getpid(), file=open(sys.argv[1], 'w'), flush=1); time.sleep(600)"
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "sfumato", "check", "--timeout", "60", "--",
               sys.executable, "-c", code, f"/proc/{os.getpid()}/fd/{writing}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        child = int(os.read(reading, 100))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    os.close(reading)
    os.close(writing)
    assert (process.returncode, out, err.strip()) == (130, "", "sfumato: interrupted")
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


# --- schemas --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "schema", "words"), [
    ({"a": 1}, {"type": "object", "required": ["b"]}, "result.b is missing"),
    ({"a": "1"}, {"type": "object", "properties": {"a": {"type": "integer"}}}, "result.a is no integer"),
    ({"a": True}, {"properties": {"a": {"type": "integer"}}}, "result.a is no integer"),
    ([1, 70], {"items": {"type": "integer", "maximum": 63}}, "result[1] is out of its range"),
    ("x", {"enum": ["y"]}, "result is none of"),
    (1.5, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "result fits none of 2 choices"),
    ({"a": {"b": 1}}, {"$ref": "#/$defs/A", "$defs": {"A": {"additionalProperties": {"$ref": "#/$defs/B"}},
                                                    "B": {"type": "null"}}}, "result.a is no null"),
    (1, {"$ref": "#/nowhere"}, "cannot be read"), (1, {"$ref": "#"}, "cannot be read"),
    (1, 7, "cannot be read"), (1, {"type": "whole"}, "cannot be read"),
])
def test_a_misfit_is_told_by_its_place(value: object, schema: object, words: str) -> None:
    assert words in (misfit(value, schema) or "")


@pytest.mark.parametrize(("value", "schema"), [
    ({"a": [1, None], "b": b"x"}, {"type": "object", "required": ["a"], "properties": {
        "a": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "b": {"type": "string"}}}),
    (0.5, {"type": "number", "minimum": 0, "maximum": 1}), (True, {"type": "boolean"}), (1, {}),
])
def test_what_fits_is_no_misfit(value: object, schema: object) -> None:
    assert misfit(value, schema) is None
