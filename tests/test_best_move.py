"""`sfumato best-move`: positions from a deal or from what a seat knows, limits, answers and refusals."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import Result
from commands import run
from sfumato import NAMES, State, load, search
from sfumato.best_move import LARGEST, play_moves
from sfumato.progress import share_done
from sfumato.search import LIMITS


def best_move(*args: str, **extra: object) -> Result:
    return run("best-move", *args, **extra)


def answer(*args: str, **extra: object) -> dict[str, Any]:
    """What --json says, but for the time it took."""
    result = best_move(*args, "--json", **extra)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    found: dict[str, Any] = json.loads(result.stdout)
    assert found.pop("elapsed") > 0
    return found


def refused(*args: str, **extra: object) -> str:
    result = best_move(*args, **extra)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr.partition(": ")[2].rstrip()


def observation(tmp_path: Path, state: State, seat: int, changes: dict[str, object] | None = None) -> str:
    file = tmp_path / "seen.json"
    file.write_text(json.dumps({**state.observation(seat), **(changes or {})}), "utf-8")
    return str(file)


# --- the answer -----------------------------------------------------------------------------------------


def test_people_are_shown_the_table_of_the_seat_to_move_and_what_the_search_found() -> None:
    result = best_move("leduc_poker", "--seed", "3", "--moves", "raise, call", "--sims", "1000")
    lines = [line.rstrip() for line in result.output.splitlines()]
    assert lines[0].startswith("leduc_poker, 2 players, seed 3, 2 moves played: seat 0 to bet ")
    assert lines[2:4] == ["seat 0  card Q  paid  3  to move", "seat 1  card ?  paid  3"]
    assert " ".join(lines[4].split()) == "move visits of all win share 95% interval score"
    assert {lines[6].split()[0], lines[7].split()[0]} == {"raise", "call"}
    assert lines[8].startswith("expected  seat 0 ")
    assert lines[9].startswith("line      0: ")
    assert lines[10].startswith("effort    1,000 simulations in ")
    assert lines[11:] == ["stopped   all simulations are done"]
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in result.output


@pytest.mark.parametrize("name", NAMES)
def test_every_game_has_an_answer_that_fits_the_screen(name: str) -> None:
    result = best_move(name, "--seed", "1", "--sims", "50", "--players", str(load(name).seats[-1]))
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80


def test_json_has_the_fields_of_a_result_and_what_was_asked() -> None:
    found = answer("leduc_poker", "--seed", "3", "--moves", "raise,call", "--sims", "1000")
    asked = ("game", "players", "seed", "played", "agent", "search_seed")
    assert {name: found.pop(name) for name in asked} == {
        "game": "leduc_poker", "players": 2, "seed": 3, "played": 2, "agent": "ismcts:sims=1000",
        "search_seed": 0,
    }
    state = load("leduc_poker").new(2, seed=3)
    state.apply("raise")
    state.apply("call")
    result = search(state, sims=1000, seed=0)
    assert found == {
        "seat": 0,
        "moves": [
            {"action": move.action, "words": move.words, "visits": move.visits,
             "availability": move.availability, "win_share": move.win_share,
             "interval": list(move.interval), "score": move.score}
            for move in result.moves
        ],
        "shares": result.shares, "scores": result.scores,
        "variation": [{"seat": ply.seat, "words": ply.words} for ply in result.variation],
        "stop": "sims", "sims": 1000, "nodes": result.nodes, "memory": result.memory, "full": False,
    }


def test_the_same_question_has_the_same_answer_in_a_new_process() -> None:
    args = ("enigma", "--seed", "7", "--sims", "300", "--json")
    command = [sys.executable, "-m", "sfumato", "best-move", *args]
    again = json.loads(subprocess.check_output(command, text=True, timeout=60))
    del again["elapsed"]
    assert again == answer(*args)


def test_another_seed_of_the_search_has_another_answer() -> None:
    first, second = (answer("enigma", "--seed", "7", "--sims", "300", "--search-seed", seed) for seed in "12")
    assert first["moves"] != second["moves"]


def test_top_says_how_many_moves_are_shown() -> None:
    game = ("enigma", "--seed", "7", "--sims", "100")
    assert len(answer(*game)["moves"]) == 25
    assert len(answer(*game, "--top", "3")["moves"]) == 3
    assert best_move(*game).output.count("\nplay ") == 5
    shown = best_move(*game, "--top", "2").output
    assert shown.count("\nplay ") == 2
    assert "\nand 23 more\n" in shown
    assert "more" not in best_move(*game, "--top", "100").output


@pytest.mark.parametrize(("args", "stop"), [
    (["--sims", "50"], "sims"),
    (["--ms", "1"], "ms"),
    (["--nodes", "20"], "nodes"),
    (["--agent", "flat:sims=60"], "sims"),
    (["--agent", "pimc:worlds=3", "--sims", "60"], "sims"),
    (["--sims", "60", "--trees", "2", "--threads", "2"], "sims"),
    ([], "sims"),
])
def test_the_limit_that_was_reached_is_named(args: list[str], stop: str) -> None:
    assert answer("leduc_poker", "--seed", "1", *args)["stop"] == stop


def test_a_confident_search_says_so() -> None:
    # In a column of three the fourth stone wins at once: nothing else comes near.
    moves = "column 0, column 1, column 0, column 1, column 0, column 6"
    found = answer("connect_four", "--moves", moves, "--confidence", "0.9")
    assert (found["stop"], found["moves"][0]["words"]) == ("confidence", "column 0")
    assert found["agent"] == "ismcts:confidence=0.9"


def test_without_a_limit_it_runs_a_hundred_thousand_simulations() -> None:
    found = answer("leduc_poker", "--seed", "1", "--agent", "ismcts:variant=mo")
    assert (found["sims"], found["agent"]) == (100_000, "ismcts:variant=mo,sims=100000")


def test_every_limit_of_the_search_is_an_option() -> None:
    shown = best_move("--help").output
    for limit in LIMITS:
        assert f"  --{limit.name} " in shown


# --- a deal and its moves -------------------------------------------------------------------------------


@pytest.mark.parametrize("written", [
    "raise, call", "raise,call", "raise\ncall\n", "2, 1", "2\n1\n", " raise ,\n\n  1,", "raise\r\ncall\r\n",
])
def test_moves_are_words_or_ids_between_commas_or_lines(written: str) -> None:
    state = load("leduc_poker").new(2, seed=3)
    assert play_moves(state, written) == 2
    expected = load("leduc_poker").new(2, seed=3)
    expected.apply("raise")
    expected.apply("call")
    assert state == expected


def test_moves_come_from_the_command_line_a_file_or_the_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "moves.txt"
    file.write_text("raise\ncall\n", "utf-8")
    deal = ("leduc_poker", "--seed", "3", "--sims", "20")
    expected = answer(*deal, "--moves", "raise, call")
    assert answer(*deal, "--moves", f"@{file}") == expected
    assert answer(*deal, "--moves", "-", typed="raise\ncall\n") == expected


@pytest.mark.parametrize(("moves", "message"), [
    ("raise, frob", "move 2 (frob): unknown action 'frob'; known: fold, call, raise"),
    ("raise, 9", "move 2 (9): leduc_poker has no action 9"),
    ("fold", "move 1 (fold): 'fold' is not legal here; legal: call, raise"),
    ("raise, fold, call", "move 3 (call): the game is over"),
    ("raise, fold", "the game is over: there is no move to search for"),
    ("9" * 5000, "move 1 (999"),
    ("@no/such", "no/such: No such file or directory"),
])
def test_a_bad_move_is_refused_by_its_number_and_text(moves: str, message: str) -> None:
    assert refused("leduc_poker", "--seed", "3", "--moves", moves).startswith(message)


def test_the_name_of_a_file_in_place_of_moves_is_told_how_to_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.txt").write_text("raise")
    said = refused("leduc_poker", "--moves", "game.txt")
    assert said == "move 1 (game.txt): there is a file of this name: --moves @game.txt plays what it says"


def test_a_file_that_holds_no_moves_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "g"
    file.write_bytes(b"\xff\xfe")
    assert refused("leduc_poker", "--moves", f"@{file}") == f"{file}: expected moves as text"
    file.write_bytes(b"1," * LARGEST)
    assert refused("leduc_poker", "--moves", f"@{file}") == f"{file}: longer than 1,048,576 bytes"


# --- what a seat knows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_what_the_seat_knows_gives_the_same_answer_as_the_deal(name: str, tmp_path: Path) -> None:
    state = load(name).new(seed=5)
    for _ in range(2):
        state.apply(state.greedy)
    played = load(name).new(seed=5)
    moves = []
    for _ in range(2):
        moves.append(played.words(played.greedy))
        played.apply(moves[-1])
    assert state.to_move is not None
    seen = answer("--observation", observation(tmp_path, state, state.to_move), "--sims", "100")
    dealt = answer(name, "--seed", "5", "--moves", ",".join(moves), "--sims", "100")
    del dealt["seed"], dealt["played"]
    assert seen == dealt


def test_an_observation_may_be_json_or_messagepack_from_a_file_or_the_standard_input(tmp_path: Path) -> None:
    seen = load("leduc_poker").new(seed=3).observation(0)
    file = tmp_path / "seen"
    answers = []
    for data in (msgspec.json.encode(seen), b"\xef\xbb\xbf \n" + msgspec.json.encode(seen),
                 msgspec.msgpack.encode(seen)):
        file.write_bytes(data)
        answers.append(answer("--observation", str(file), "--sims", "20"))
        answers.append(answer("leduc_poker", "--observation", "-", "--sims", "20", typed=data))
    assert all(each == answers[0] for each in answers)


def test_the_options_of_an_observation_are_honoured(tmp_path: Path) -> None:
    state = load("oh_hell", tricks=2).new(seed=4)
    assert state.to_move is not None
    found = answer("--observation", observation(tmp_path, state, state.to_move), "--sims", "20")
    assert sorted(move["words"] for move in found["moves"]) == ["bid 0", "bid 1", "bid 2"]


def test_an_observation_of_another_card_table_takes_that_table(tmp_path: Path) -> None:
    cards = tmp_path / "animals.toml"
    cards.write_text('[deck]\nsource = "for this test"\nranks = ["A", "B", "C"]\ncopies = 2\n')
    file = observation(tmp_path, load("leduc_poker", cards).new(seed=1), 0)
    assert "cards: the loaded card table is " in refused("--observation", file)
    assert answer("--observation", file, "--cards", str(cards), "--sims", "20")["sims"] == 20


@pytest.mark.parametrize(("changes", "message"), [
    ({"game": "chess"}, "game: unknown game 'chess'"),
    ({"game": ["x"]}, "game: expected the name of a game, got ['x']"),
    ({"game": None}, "game: expected the name of a game, got None"),
    ({"options": None}, "options: expected a map, got None"),
    ({"options": {}}, "options.tricks: missing"),
    ({"options": {"cards": 3}}, "options: unknown option of oh_hell 'cards'"),
    ({"options": {"tricks": 99}}, "tricks: expected a whole number"),
    ({"seat": 7}, "seat: expected 0 to 2, got 7"),
    ({"hand": ["ZZ"]}, "hand"),
])
def test_a_wrong_observation_is_refused_by_file_and_place(
    changes: dict[str, object], message: str, tmp_path: Path
) -> None:
    state = load("oh_hell").new(seed=4)
    assert state.to_move is not None
    file = observation(tmp_path, state, state.to_move, changes)
    assert refused("--observation", file).startswith(f"{file}: {message}")


@pytest.mark.parametrize("data", [b"", b"hello", b"[1]", b"\x91\x01", b"\xc1", b"[" * 100_000],
                         ids=["nothing", "text", "json list", "list", "reserved", "deep"])
def test_what_is_no_map_is_refused(data: bytes) -> None:
    said = refused("--observation", "-", typed=data)
    assert said == "standard input: expected an observation: a map, as JSON or MessagePack"


def test_broken_json_is_told_where() -> None:
    assert refused("--observation", "-", typed=b'{"a" 1}').startswith("standard input: JSON is malformed")


def test_only_the_seat_to_move_is_answered(tmp_path: Path) -> None:
    state = load("leduc_poker").new(seed=3)
    file = observation(tmp_path, state, 1)
    assert refused("--observation", file) == f"{file}: seat: seat 0 is to move, and this is what seat 1 knows"
    state.apply("raise")
    state.apply("fold")
    over = refused("--observation", observation(tmp_path, state, 1))
    assert over == "the game is over: there is no move to search for"


@pytest.mark.parametrize("args", [["--seed", "1"], ["--players", "2"], ["-o", "x=1"], ["--moves", ""]])
def test_an_observation_takes_no_deal_beside_it(args: list[str], tmp_path: Path) -> None:
    file = observation(tmp_path, load("leduc_poker").new(seed=3), 0)
    assert refused("--observation", file, *args).startswith("--observation brings its table: leave out ")


# --- refusals and interrupts ----------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "message"), [
    ([], "name a game (" + ", ".join(NAMES) + "), or what a seat knows with --observation FILE"),
    (["chess"], "unknown game 'chess'"),
    (["enigma", "--observation", "no/such"], "no/such: No such file or directory"),
    (["leduc_poker", "--sims", "0"],
     "Invalid value for '--sims': expected a whole number from 1 to 1,000,000,000, got '0'"),
    (["leduc_poker", "--ms", "-1"], "Invalid value for '--ms': expected a number from 0 to"),
    (["leduc_poker", "--confidence", "2"], "Invalid value for '--confidence': expected a number from 0.5"),
    (["leduc_poker", "--threads", "x"], "Invalid value for '--threads': expected a whole number"),
    (["leduc_poker", "--search-seed", "-1"], "Invalid value for '--search-seed': expected a whole number"),
    (["leduc_poker", "--top", "0"], "Invalid value for '--top'"),
    (["leduc_poker", "--agent", "greedy"], "agent greedy: expected one that searches (flat, pimc, ismcts)"),
    (["leduc_poker", "--agent", "deep_blue"], "unknown agent 'deep_blue'"),
    (["leduc_poker", "--agent", "ismcts:sims=3", "--sims", "4"],
     "agent ismcts:sims=3,sims=4: sims: given twice"),
    (["leduc_poker", "--agent", "pimc", "--trees", "2"], "agent pimc:trees=2,sims=100000: unknown parameter"),
])
def test_a_wrong_question_is_refused(args: list[str], message: str) -> None:
    assert refused(*args).startswith(message)


def test_an_observation_of_another_game_than_was_named_is_refused(tmp_path: Path) -> None:
    file = observation(tmp_path, load("leduc_poker").new(seed=3), 0)
    said = refused("enigma", "--observation", file)
    assert said == f"{file}: game: the observation is of leduc_poker, not of enigma"


#: longer than any test waits
LONG = ("best-move", "enigma", "--seed", "1", "--ms", "600000", "--agent", "ismcts:memory=64")


@pytest.mark.parametrize("threads", ["1", "2"])
def test_an_interrupt_ends_the_search_with_what_there_is(threads: str) -> None:
    """The bar on the terminal's error stream says that the search runs; the answer goes to a pipe."""
    screen, error = pty.openpty()
    command = [sys.executable, "-m", "sfumato", *LONG, "--threads", threads, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=error, text=True) as process:
        try:
            os.close(error)
            shown = ""
            while "simulations" not in shown:
                assert select.select([screen], [], [], 60)[0], "no bar appeared"
                shown += os.read(screen, 4096).decode()
            assert "seat 0 thinks" in shown or "seat 1 thinks" in shown
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()
            os.close(screen)
    assert process.returncode == 130
    found = json.loads(output)
    assert found["stop"] == "cancelled"
    assert found["sims"] == sum(move["visits"] for move in found["moves"]) > 0


def test_without_a_terminal_there_is_no_bar() -> None:
    env = os.environ | {"FORCE_COLOR": "1"}
    command = [sys.executable, "-m", "sfumato", *LONG[:4], "--ms", "300"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=env)
    assert result.stderr == ""


def test_the_bar_shows_the_limit_that_is_nearest() -> None:
    used = {"sims": 50, "nodes": 20, "ms": 0.0}
    assert share_done(used, {"sims": 100}) == 0.5
    assert share_done(used, {"sims": 100, "nodes": 20}) == 1.0
    assert share_done(used, {"sims": 10}) == 1.0
    assert share_done(used, {"ms": 100.0}) == 0.0
    assert share_done(used, {"ms": 0.0}) is None
    assert share_done(used, {"confidence": 0.9}) is None, "nobody knows when"
