"""The examples run as their readers run them: real programs, whole games, nothing on the error stream."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import sfumato
from sfumato.games import NAMES, State, load

EXAMPLES = Path(__file__).parent.parent / "examples"
#: seconds after which a program counts as stuck
PATIENCE = 300
#: where `sfumato` is installed
SCRIPTS = sysconfig.get_path("scripts")
POINTS = "points by seat: "


def run(*command: str | Path, typed: str = "", cwd: Path | None = None,
        path: str = SCRIPTS) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": os.pathsep.join([path, os.environ["PATH"]])}
    return subprocess.run([str(word) for word in command], input=typed, cwd=cwd, env=environment,
                          capture_output=True, text=True, check=False, timeout=PATIENCE)


def lines(*command: str | Path, **how: Any) -> list[str]:
    """What a program says that ends well."""
    done = run(*command, **how)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.splitlines()


def python(example: str, *args: str, **how: Any) -> list[str]:
    return lines(sys.executable, EXAMPLES / example, *args, **how)


def moves(said: list[str]) -> list[tuple[int, str]]:
    """The seats and moves of lines such as `seat 1 (greedy):  column 3`."""
    found = (re.fullmatch(r"seat (\d+)(?: \(\w+\))?: +(.+)", line) for line in said)
    return [(int(match[1]), match[2]) for match in found if match]


def points(said: list[str]) -> list[float]:
    [line] = [line for line in said if line.startswith(POINTS)]
    return [float(word) for word in line.removeprefix(POINTS).split()]


def is_played(said: list[str], state: State) -> bool:
    """Whether these lines tell a whole legal game from this position on. Refuses an illegal move."""
    for seat, words in moves(said):
        if seat != state.to_move:
            return False
        state.apply(words)
    return state.is_terminal and points(said) == state.outcome.scores


# --- play.py --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", NAMES)
def test_a_script_plays_any_game_to_its_end(game: str) -> None:
    said = python("play.py", game, "--auto", "--sims", "20")
    assert {seat for seat, _ in moves(said)} == set(range(load(game).seats[0]))
    assert len(points(said[-1:])) == load(game).seats[0]


def test_the_game_that_is_played_is_a_legal_one() -> None:
    said = python("play.py", "connect_four", "--auto", "--sims", "20")
    assert is_played(said, load("connect_four").new())


def test_a_person_types_moves_and_is_told_which_are_none() -> None:
    columns = [f"column {column}" for column in range(7)]
    said = python("play.py", "connect_four", "--sims", "20", typed="\n".join(["jump", *columns * 42]))
    assert said.count("> That is none of your moves.") >= 1
    assert is_played([line.removeprefix("> ") for line in said], load("connect_four").new())


def test_the_end_of_input_is_a_goodbye() -> None:
    said = python("play.py", "leduc_poker", typed="raise\n")
    assert "You may: call, raise" in said
    assert said[-1] == "Goodbye." or said[-1].startswith(POINTS)
    assert python("play.py")[-1] == "Goodbye."


def test_a_game_that_is_none_is_refused_in_a_line() -> None:
    done = run(sys.executable, EXAMPLES / "play.py", "chess")
    assert done.returncode == 2
    assert "unknown game 'chess'; known: " in done.stderr.splitlines()[-1]


def test_the_first_example_stays_short() -> None:
    assert len((EXAMPLES / "play.py").read_text("utf-8").splitlines()) <= 40


# --- referee.py -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", NAMES)
def test_a_referee_lets_engines_play_any_game_by_what_they_see(game: str) -> None:
    said = python("referee.py", game, "--sims", "20")
    assert said[0] == "the deal"
    assert len(points(said[-1:])) == load(game).seats[0]


def test_the_largest_table_has_an_engine_for_each_seat() -> None:
    said = python("referee.py", "enigma", "--players", "4", "--sims", "20")
    assert {seat for seat, _ in moves(said)} == {0, 1, 2, 3}


def test_a_seat_is_told_what_it_sees_and_nothing_else() -> None:
    deal = ["hand 0 K", "hand 1 J"]
    said = python("referee.py", "leduc_poker", "--sims", "200", "--deal", *deal)
    told = [[line.removeprefix(to).split(", ") for line in said if line.startswith(to)]
            for to in ("  to seat 0: ", "  to seat 1: ")]
    assert [each.pop(0) for each in told] == [["hand 0 K"], ["hand 1 J"]]
    state = load("leduc_poker").new(seen=deal)
    for (seat, words), *heard in zip(moves(said), *told, strict=True):
        assert seat == state.to_move
        step = state.apply(words, seen=heard[0][1:])
        assert heard == [[step.label(seat), *step.words(seat)] for seat in range(2)]
    assert state.is_terminal and points(said) == state.outcome.scores


def test_a_deal_that_cannot_be_is_refused_in_a_line() -> None:
    done = run(sys.executable, EXAMPLES / "referee.py", "leduc_poker", "--deal", "hand 0 X")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "referee.py: error: seen[0]: unknown value 'X'; known: J, Q, K"


# --- pipeline.sh ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["leduc_poker", "connect_four"])
def test_a_pipeline_prints_the_best_first_move(game: str) -> None:
    [(seat, words)] = moves(lines("sh", EXAMPLES / "pipeline.sh", game))
    state = load(game).new()
    assert seat == state.to_move and words in state.legal_words


@pytest.mark.parametrize("game", ["chess", '"'])
def test_a_refused_pipeline_says_why_and_fails(game: str) -> None:
    done = run("sh", EXAMPLES / "pipeline.sh", game)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


# --- node -----------------------------------------------------------------------------------------------


def lacking(what: str) -> None:
    """Where every change is judged nothing may be missing."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with its library, in a folder of its own."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            lacking(f"{tool} is not installed")
    folder = tmp_path_factory.mktemp("node") / "example"
    shutil.copytree(EXAMPLES / "node", folder, ignore=shutil.ignore_patterns("node_modules"))
    quietly = ("--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline")
    done = run("npm", "install", *quietly, cwd=folder)
    if done.returncode:
        lacking("npm could not install the library of examples/node")
    return folder


def test_a_front_end_in_javascript_plays_a_whole_game(node: Path) -> None:
    said = lines("node", node / "play.js", "connect_four")
    assert re.fullmatch(r"several opinions: (\w+: column \d(, |$)){4}", said[0])
    assert [line.split(":")[0] for line in said[1:5]] == [*["so far"] * 3, "stopped (cancelled)"]
    assert is_played(said, load("connect_four").new())
    assert said[-2:] == ["and no further move: the game is over (over)", "the engine ended with code 0"]


#: `sfumato`, whose output comes in pieces that begin and end anywhere
IN_PIECES = """#!{python}
import os, subprocess, sys
engine = subprocess.Popen(["{sfumato}", *sys.argv[1:]], stdout=subprocess.PIPE, bufsize=0)
while said := engine.stdout.read(700):
    for start in range(0, len(said), 7):
        os.write(1, said[start:start + 7])
sys.exit(engine.wait())
"""


def test_it_reads_messages_that_come_in_pieces(node: Path, tmp_path: Path) -> None:
    relay = tmp_path / "sfumato"
    relay.write_text(IN_PIECES.format(python=sys.executable, sfumato=Path(SCRIPTS) / "sfumato"), "utf-8")
    relay.chmod(0o755)
    said = lines("node", node / "play.js", "connect_four", path=str(tmp_path))
    assert is_played(said, load("connect_four").new())


def test_without_an_engine_it_says_so_in_a_line(node: Path, tmp_path: Path) -> None:
    program = shutil.which("node")
    assert program
    done = subprocess.run([program, node / "play.js"], env={"PATH": str(tmp_path)}, capture_output=True,
                          text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "there is no sfumato on the path\n")


# --- all of them ----------------------------------------------------------------------------------------


def imported(source: str) -> set[str]:
    """What a program takes from the package, as dotted names."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "sfumato"}


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.name)
def test_an_example_uses_what_is_public(example: Path) -> None:
    source = example.read_text("utf-8")
    public = {"sfumato", "sfumato.client.Engine", "sfumato.client.AsyncEngine"}
    assert imported(source) - public <= {f"sfumato.{name}" for name in sfumato.__all__}
    assert not [node.attr for node in ast.walk(ast.parse(source))
                if isinstance(node, ast.Attribute) and node.attr.startswith("_")]


def test_every_example_is_explained() -> None:
    page = (EXAMPLES / "README.md").read_text("utf-8")
    files = [file for file in EXAMPLES.iterdir() if file.suffix in (".py", ".sh")]
    assert [file.name for file in [*files, EXAMPLES / "node"] if f"`{file.name}" not in page] == []
