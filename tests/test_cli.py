"""The command line: every command as a new user tries it, and every failure as one line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import click
import pytest
import sfumato
from click.shell_completion import ShellComplete
from commands import run
from sfumato import NAMES, load
from sfumato.agents import KINDS
from sfumato.cli import cli
from sfumato.playthrough import leaves, playthrough, seen
from sfumato.streams import spelled

ROOT = Path(__file__).parents[1]


def program(*args: str, **extra: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sfumato", *args]
    return subprocess.run(command, text=True, timeout=60, check=False, **extra)  # type: ignore[call-overload, no-any-return]


def shell(redirected: str, *args: str) -> subprocess.CompletedProcess[str]:
    """The program with a stream closed or led elsewhere, as a shell writes it."""
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "sfumato", *args]
    return subprocess.run(command, text=True, timeout=60, check=False, capture_output=True)


# --- help and version -----------------------------------------------------------------------------------


def test_help_of_the_program(golden: Callable[[str, str], None]) -> None:
    result = run("--help", terminal_width=80)
    assert result.exit_code == 0
    golden("help-sfumato", result.output)
    assert run().output == result.output, "without a command the program explains itself"


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_help_of_each_command(command: str, golden: Callable[[str, str], None]) -> None:
    result = run(command, "-h", terminal_width=80)
    assert result.exit_code == 0
    assert max(len(line) for line in result.output.splitlines()) <= 80
    golden(f"help-{command}", result.output)


def test_version() -> None:
    written = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert sfumato.__version__ == written
    assert run("--version").output == f"sfumato {written}\n"
    assert program("--version", stdout=subprocess.PIPE).stdout == f"sfumato {written}\n"


def test_the_library_does_without_the_command_lines_libraries() -> None:
    code = "import sys, sfumato; sfumato.load(sfumato.NAMES[0]); print({'click', 'rich'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True, timeout=60) == "set()\n"


def test_an_answer_for_a_program_waits_for_no_library_that_draws() -> None:
    code = ("import sys; from sfumato.cli import cli; "
            "cli(['best-move', sys.argv[1], '--sims', '1', '--json'], standalone_mode=False); "
            "print([name for name in sys.modules if name.startswith('rich')])")
    output = subprocess.check_output([sys.executable, "-c", code, NAMES[0]], text=True, timeout=60)
    assert output.endswith("}\n[]\n")


def test_no_module_of_the_engine_names_a_game() -> None:
    for file in (ROOT / "mcts").glob("*.py"):
        found = [name for name in NAMES if re.search(rf"\b{name}\b", file.read_text("utf-8"))]
        assert not found, f"{file.name} names {found}"


# --- games, rules, perft --------------------------------------------------------------------------------


def test_games_lists_every_game_with_its_options() -> None:
    output = run("games").output
    assert max(len(line) for line in output.splitlines()) <= 80
    for name in NAMES:
        assert name in output
        for option in load(name).options:
            assert option.name in output
    assert re.search(r"leduc_poker +2 +yes +yes\s+Leduc poker", output)
    assert "…" not in output, "nothing is cut short"


@pytest.mark.parametrize("name", NAMES)
def test_rules_shows_the_games_page(name: str) -> None:
    result = run("rules", name)
    assert result.exit_code == 0
    assert load(name).title.lower() in result.output.lower()


def test_perft_of_leduc_poker() -> None:
    # Before a raise: call or raise. After one: fold, call or raise; after two: fold or call. A fold ends the
    # game, and two calls, or a call of a raise, the round. By hand: 2; 2 + 3; 2 + 3 + 1 + 2 + 2;
    # (2 + 3) + (1 + 2 + 2) + 1 + (2 + 3) + (1 + 2).
    result = run("perft", "leduc_poker", "--depth", "4", "--seed", "1")
    assert result.output.split("\n")[0] == "leduc_poker, 2 players, seed 1"
    assert [line.split() for line in result.output.splitlines()[1:]] == [
        ["1", "2"], ["2", "5"], ["3", "10"], ["4", "19"],
    ]


# --- agents ---------------------------------------------------------------------------------------------


def test_agents_lists_every_kind_with_every_parameter() -> None:
    output = run("agents").output
    assert max(len(line) for line in output.splitlines()) <= 80
    for kind in KINDS.values():
        assert re.search(rf"^{kind.name} +{re.escape(kind.help)} *$", output, re.MULTILINE)
        for each in kind.parameters:
            assert re.search(rf"^  {each.name} +{re.escape(each.range)} ", output, re.MULTILINE)
    shared = r"^flat, pimc, ismcts: range, default, meaning\n  sims +1 to 1,000,000,000 +10,000 "
    assert re.search(shared, output, re.MULTILINE)
    assert re.search(r"^  ms +0 to 1,000,000,000 +none ", output, re.MULTILINE)
    assert "…" not in output, "nothing is cut short"


def test_programs_get_the_agents_as_one_object() -> None:
    found = {each["name"]: each for each in json.loads(run("agents", "--json").output)["agents"]}
    assert list(found) == list(KINDS)
    assert found["random"] == {"name": "random", "help": "any legal move", "parameters": []}
    by_name = {each["name"]: each for each in found["ismcts"]["parameters"]}
    assert by_name["variant"]["choices"] == ["so", "mo", "ris"]
    assert by_name["plain"]["choices"] == [False, True]
    assert (by_name["sims"]["default"], by_name["sims"]["low"], by_name["sims"]["whole"]) == (10_000, 1, True)
    assert (by_name["c"]["default"], by_name["c"]["high"], by_name["c"]["whole"]) == (0.7, 100, False)
    assert by_name["ms"]["default"] is None, "no limit unless it is named"


# --- demo and playthrough -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_demo_plays_each_game_to_its_end(name: str) -> None:
    result = run("demo", name, "--seed", "3")
    assert result.exit_code == 0
    assert "the end, after" in result.output
    assert "seed 3: with --seed 3 the same game is shown again" in result.output
    assert "\x1b" not in result.output, "no colours where there is no terminal"


def test_demo_without_a_game_shows_the_first() -> None:
    assert run("demo", "--seed", "1").output.startswith(load(NAMES[0]).title)


def test_demo_tells_the_seed_that_shows_the_game_again() -> None:
    first = run("demo", "leduc_poker").output
    found = re.search(r"seed (\d+):", first)
    assert found
    assert run("demo", "leduc_poker", "--seed", found[1]).output == first


def test_demo_says_what_a_search_expects_of_its_moves() -> None:
    output = run("demo", "leduc_poker", "--seed", "3").output
    assert re.search(r"seat 0 \(ismcts:sims=20000\): \w+.* \[\d+\.\d%\]\n", output)
    assert not re.search(r"seat 1 \(greedy\): .*\[", output)
    assert "[in brackets: the share of the win that a search expects of its move]" in output
    assert "in brackets" not in run("demo", "leduc_poker", "--seed", "3", "--agent", "greedy").output


def test_demo_seats_the_agents_and_draws_the_table_as_often_as_told() -> None:
    output = run("demo", "leduc_poker", "--seed", "1", "--agent", "greedy:noise=0.5", "--every", "1").output
    assert "seat 0 (greedy:noise=0.5): " in output
    assert "seat 1 (greedy:noise=0.5): " in output
    assert "after 1 moves" in output
    assert "after 1 moves" not in run("demo", "leduc_poker", "--seed", "1", "--every", "0").output


@pytest.mark.parametrize("name", NAMES)
def test_a_playthrough_can_be_played_again_from_what_it_says(name: str) -> None:
    game = load(name)
    players = game.seats[-1]
    lines = list(playthrough(game, players, seed=11))
    assert lines[:2] == [f"game: {name}", f"players: {players}"]
    assert f"cards: {game.cards_digest}" in lines
    state = game.new(players, seed=11)
    for line in lines:
        if line.startswith("  plays ["):
            number, words = re.fullmatch(r"  plays \[(\d+)\] (.*)", line).groups()  # type: ignore[union-attr]
            assert state.action(words) == int(number)
            state.apply(words)
    assert state.is_terminal
    assert lines[-players:] == [
        f"  seat {seat}: rank {state.outcome.ranks[seat]}, score {state.outcome.scores[seat]:g}, "
        f"win share {state.outcome.win_shares[seat]:g}"
        for seat in range(players)
    ]


def test_a_playthrough_is_the_same_in_a_new_process_and_any_width() -> None:
    args = ("playthrough", "leduc_poker", "--seed", "7")
    env = os.environ | {"COLUMNS": "30", "FORCE_COLOR": "1"}
    again = program(*args, stdout=subprocess.PIPE, env=env)
    assert again.stdout == run(*args).output


def test_a_playthrough_tells_each_seat_what_it_saw_and_no_more() -> None:
    game = load("leduc_poker")
    lines = list(playthrough(game, 2, seed=7))
    hands = game.new(2, seed=7).setup_words(None)
    assert lines[lines.index("seat 0 at the start") + 1] == f"  sees: {hands[0]}"
    assert lines[lines.index("seat 1 at the start") + 1] == f"  sees: {hands[1]}"
    first = lines.index("1. seat 0, bet")
    assert lines[first + 1] == "  legal [1] call  [2] raise"


def test_an_observations_changes_are_told_by_their_paths() -> None:
    crosses = [{"top": "ck"}, {"top": "al"}]
    keys = [["a", "b"], []]
    known = {"turns": 1, "pools": {"0": {"ck": 2}}, "crosses": crosses, "keys": keys, "hand": ["x", "y"]}
    assert leaves(known, per_seat=("crosses", "keys")) == {
        "turns": "1", "pools.0.ck": "2", "crosses[0].top": '"ck"', "crosses[1].top": '"al"',
        "keys[0]": '["a", "b"]', "keys[1]": "[]", "hand": '["x", "y"]',
    }, "of two seats: only lists with an entry per seat are opened, whatever the others' length"


def test_what_has_gone_from_an_observation_is_told_unless_a_change_tells_it() -> None:
    game = load("leduc_poker")
    step = game.new(seed=1).apply("call")
    before = {"pile": {"ck": 1, "al": 2}, "deck": {"ck": 1, "al": 2}, "result": None}
    after = {"pile": {"ck": 1}, "deck": {}, "result": {"ranks": [1, 2]}}
    assert list(seen(step, 0, before, after))[1:] == [
        "    deck: {}", "    result.ranks: [1, 2]", "    pile.al: gone",
    ]


# --- failures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "message"), [
    (["frob"], "No such command 'frob'"),
    (["demo", "chess"], "unknown game 'chess'; known: "),
    (["demo", "leduc_pokr"], "did you mean leduc_poker?"),
    (["rules"], "Missing argument 'GAME'"),
    (["demo", "leduc_poker", "--players", "5"], "leduc_poker is for 2 players, not 5"),
    (["demo", "leduc_poker", "--players", "0"], "leduc_poker is for 2 players, not 0"),
    (["demo", "leduc_poker", "--players", "two"], "'two' is not a valid integer"),
    (["demo", "leduc_poker", "--seed", "-1"], "seed: expected a whole number from 0 to 2^64 - 1, got -1"),
    (["demo", "leduc_poker", "--every", "-1"], "--every"),
    (["demo", "leduc_poker", "-o", "x=1"], "unknown option of leduc_poker 'x'; known: none"),
    (["demo", "leduc_poker", "-o", "x"], "expected NAME=VALUE, got 'x'"),
    (["demo", "oh_hell", "-o", "tricks=2", "-o", "tricks=3"], "option tricks: given twice"),
    (["play", "oh_hell", "-o", "tricks=2", "-o", "tricks=2"], "option tricks: given twice"),
    (["demo", "leduc_poker", "--agent", "deep_blue"], "unknown agent 'deep_blue'; known: random, greedy"),
    (["demo", "leduc_poker", "--cards", "no/such.toml"], "no/such.toml: No such file or directory"),
    (["perft", "leduc_poker"], "Missing option '--depth'"),
    (["perft", "leduc_poker", "--depth", "0"], "--depth"),
    (["play"], "name a game (" + ", ".join(NAMES) + "), or a saved one with --resume FILE"),
    (["play", "leduc_poker", "--seat", "2"], "seat: expected 0 to 1, got 2"),
    (["play", "--resume", "no/such.sfumato"], "no/such.sfumato: No such file or directory"),
])
def test_a_failure_is_one_line_and_code_2(args: list[str], message: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("sfumato")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_a_fault_of_the_program_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("lost\nthe thread")

    monkeypatch.setitem(cli.commands, "broken", click.Command("broken", callback=broken))
    result = run("broken")
    assert result.exit_code == 2
    assert result.stderr == (
        "sfumato: RuntimeError: lost the thread (a fault of the program; SFUMATO_TRACEBACK=1 shows where)\n"
    )
    monkeypatch.setenv("SFUMATO_TRACEBACK", "1")
    assert isinstance(run("broken").exception, RuntimeError)


@pytest.mark.parametrize("command", ["demo", "playthrough"])
def test_a_reader_that_has_gone_is_met_with_silence(command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = program(command, "leduc_poker", "--seed", "1", stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert result.stderr == ""
    assert result.returncode == 2


@pytest.mark.parametrize("closed", [["--help"], ["games"], ["rules", "enigma"], ["demo"], ["play", "enigma"]])
def test_a_closed_output_is_one_line(closed: list[str]) -> None:
    result = shell(">&-", *closed)
    assert (result.returncode, result.stderr) == (2, "sfumato: the standard output is closed\n")


def test_a_closed_input_is_one_line() -> None:
    result = shell("<&-", "play", "enigma")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "sfumato: the standard input is closed\n"


@pytest.mark.parametrize("narrow", [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
], ids=["ascii", "latin-1", "C"])
@pytest.mark.parametrize("args", [
    ["games"], ["rules", "enigma"], ["demo", "oh_hell", "--seed", "1"], ["agents"],
    ["best-move", "enigma", "--seed", "1", "--sims", "9"],
], ids=lambda args: args[0])
def test_a_terminal_without_unicode_shows_what_it_can(args: list[str], narrow: dict[str, str]) -> None:
    env = os.environ | {"COLUMNS": "80"} | narrow
    result = program(*args, capture_output=True, env=env, encoding="latin-1")
    assert (result.returncode, result.stderr) == (0, "")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stdout.count("?") == run(*args).output.count("?"), "no sign is lost"
    if args[0] == "rules":
        assert " * Players: 2 to 4." in result.stdout
        assert "cell -> face" in result.stdout


def test_what_an_encoding_lacks_is_spelled() -> None:
    assert spelled("• 5 × 5 → König … ☃", "ascii") == "* 5 x 5 -> Konig ... ?"
    assert spelled("• 5 × 5 → König … ☃", "latin-1") == "* 5 × 5 -> König ... ?"
    assert spelled("• 5 × 5 → König … ☃", "utf-8") == "• 5 × 5 → König … ☃"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        result = program("games", stdout=full, stderr=subprocess.PIPE)
    assert (result.returncode, result.stderr) == (2, "sfumato: No space left on device\n")


# --- completion -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "start", "expected"), [
    ([], "pe", ["perft"]),
    (["demo"], "leduc", ["leduc_poker"]),
    (["demo", "leduc_poker", "--agent"], "gr", ["greedy"]),
    (["best-move", "leduc_poker", "--agent"], "is", ["ismcts"]),
    ([], "best", ["best-move"]),
    (["demo", "leduc_poker", "-o"], "", []),
    (["demo", "enigma", "--seed", "1", "-o"], "lo", ["losers=equal", "losers=by_keys"]),
    (["demo", "enigma", "-o"], "max", ["max_rounds="]),
])
def test_the_shell_completes(args: list[str], start: str, expected: list[str]) -> None:
    found = ShellComplete(cli, {}, "sfumato", "_SFUMATO_COMPLETE").get_completions(args, start)
    assert [item.value for item in found] == expected
