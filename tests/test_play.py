"""`sfumato play`: people at the terminal. What they type, what they see, and what they must never see."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import commands
import msgspec
import pytest
from click.testing import Result
from rich.console import Console
from sfumato import NAMES, SfumatoError, load, search
from sfumato.agents import OPPONENT, own_seed
from sfumato.games.state import checksum
from sfumato.play import Play, chosen
from sfumato.saved import MAGIC, VERSION, File, Session, begin, resume, save
from sfumato.table import draw_moves

#: ranks that appear nowhere else on a screen
CARDS = """
[deck]
source = "for these tests"
ranks = ["Jackal", "Quagga", "Kestrel"]
copies = 2
"""
PLAYS = [f"play {face} {cell}" for face in ("ag", "bh", "ci", "dj", "ek")
         for cell in ("top", "left", "centre", "right", "bottom")]


def run(*args: str, typed: str = "") -> Result:
    return commands.run("play", *args, typed=typed)


@pytest.fixture
def cards(tmp_path: Path) -> str:
    file = tmp_path / "animals.toml"
    file.write_text(CARDS, "utf-8")
    return str(file)


def hands(cards: str, seed: int) -> list[str]:
    return [words.split()[-1] for words in load("leduc_poker", cards).new(seed=seed).setup_words(None)]


def session(seed: int = 4) -> Session:
    return begin("leduc_poker", {}, None, None, [0], ["greedy"], seed)


# --- what is typed --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "move"), [
    ("1", "play ag top"),
    ("25", "play ek bottom"),
    ("play ci right", "play ci right"),
    ("PLAY CI RIGHT", "play ci right"),
    ("play ci r", "play ci right"),
    ("p ci r", "play ci right"),
    ("ci right", "play ci right"),
])
def test_a_move_is_named_by_its_number_or_by_words_that_fit_no_other(typed: str, move: str) -> None:
    assert chosen(typed, PLAYS) == move


@pytest.mark.parametrize(("typed", "message"), [
    ("0", "there is no move 0; `table` shows the moves"),
    ("26", "there is no move 26; `table` shows the moves"),
    ("9" * 5000, "there is no move 9"),
    ("٣", "there is no move ٣"),
    ("²", "is no move here"),
    ("ci", "'ci' may be any of 5 moves: play ci top, play ci left, play ci centre, play ci right, ..."),
    ("right ci", "'right ci' is no move here and no command; try help"),
    ("frob", "'frob' is no move here and no command; try help"),
])
def test_what_names_no_move_or_several_is_refused(typed: str, message: str) -> None:
    with pytest.raises(SfumatoError, match=re.escape(message)):
        chosen(typed, PLAYS)


def drawn(moves: list[str], width: int = 80) -> list[str]:
    out = io.StringIO()
    draw_moves(Console(file=out, width=width, highlight=False), moves)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_twenty_five_moves_take_a_quarter_of_a_small_terminal() -> None:
    assert drawn(PLAYS) == [
        "play ...",
        " 1 ag top       6 bh top      11 ci top      16 dj top      21 ek top",
        " 2 ag left      7 bh left     12 ci left     17 dj left     22 ek left",
        " 3 ag centre    8 bh centre   13 ci centre   18 dj centre   23 ek centre",
        " 4 ag right     9 bh right    14 ci right    19 dj right    24 ek right",
        " 5 ag bottom   10 bh bottom   15 ci bottom   20 dj bottom   25 ek bottom",
    ]


def test_moves_that_begin_alike_share_a_column() -> None:
    assert [line.split()[:6] for line in drawn(PLAYS[:20])[1:3]] == [
        ["1", "ag", "top", "6", "bh", "top"],
        ["2", "ag", "left", "7", "bh", "left"],
    ]


def test_moves_that_differ_by_a_number_only_are_chosen_by_it() -> None:
    columns = ["column 0", "column 1", "column 3", "column 10"]
    assert drawn(columns) == ["column ...", " 0    1    3   10"]
    assert drawn(["column 3"]) == ["3 column 3"]
    assert chosen("3", columns) == chosen("3", ["column 3"]) == "column 3"
    assert chosen("col 10", columns) == "column 10"
    with pytest.raises(SfumatoError, match="there is no move 2"):
        chosen("2", columns)


def test_few_moves_take_a_line_and_words_that_differ_stay() -> None:
    assert drawn(["fold", "call", "raise"]) == ["1 fold   2 call   3 raise"]
    assert drawn(["take_key a", "take_key b", "decline"]) == ["1 take_key a   2 take_key b   3 decline"]
    assert drawn(["play ag top"]) == ["1 play ag top"]


def test_moves_too_long_for_two_columns_stand_below_each_other() -> None:
    assert drawn(["bid the moon", "bid a sun"], width=20)[1:] == ["1 the moon", "2 a sun"]


# --- a game at the screen -------------------------------------------------------------------------------


def test_a_whole_game_by_words_and_numbers() -> None:
    result = run("leduc_poker", "--seed", "4", typed="call\n1\ncall\n1\ncall\n")
    assert result.exit_code == 0
    assert "Leduc poker, you are seat 0" in result.output
    assert "1 call   2 raise" in result.output
    assert "you: call" in result.output
    assert re.search(r"rank +seat +score +win share", result.output)
    assert result.output.endswith("The seed was 4.\n")
    assert "\x1b" not in result.output


def test_a_wrong_line_is_explained_and_asked_again() -> None:
    result = run("leduc_poker", "--seed", "4", typed="7\n\nfrob\nhelp\ntable\nquit\n")
    assert "there is no move 7; `table` shows the moves" in result.output
    assert "'frob' is no move here and no command; try help" in result.output
    assert "back to your previous decision" in result.output
    assert result.output.count("you are seat 0") == 2, "once at first and once for `table`"
    assert result.output.count("(1-2, words or help)> ") == 6
    assert "The game was not saved." in result.output
    assert result.exit_code == 0


def test_the_end_of_input_ends_politely() -> None:
    result = run("leduc_poker", "--seed", "4", typed="")
    assert result.exit_code == 0
    assert result.output.endswith("The game was not saved.\n")


@pytest.mark.parametrize("name", NAMES)
def test_every_game_can_be_played_from_every_seat(name: str) -> None:
    players = load(name).seats[-1]
    typed = "1\n2\n0\n3\n" * 500  # what is no move is asked again
    for seat in range(players):
        table = ("--players", str(players), "--seat", str(seat), "--seed", "1", "--agent", "greedy")
        result = run(name, *table, typed=typed)
        assert result.exit_code == 0
        assert result.output.endswith("The seed was 1.\n")
        # What is typed is not echoed here, so what follows a prompt stands on its line.
        lines = result.output.replace("help)> ", "help)> \n").splitlines()
        assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", NAMES)
def test_the_screen_is_the_same_in_every_world_that_the_seat_cannot_tell_apart(name: str) -> None:
    now = begin(name, {}, None, None, [0], ["random"], 3)
    while now.state.to_move is not None:
        screens = set()
        for state in (now.state, now.state.dealt(0, seed=1), now.state.dealt(0, seed=2)):
            out = io.StringIO()
            words = state.legal_words if state.to_move == 0 else []
            Play(replace(now, state=state), Console(file=out, width=80)).draw(0, words)
            screens.add(out.getvalue())
        assert len(screens) == 1
        now.state.apply(now.state.legal_actions[0])


def test_a_person_sees_neither_the_other_hand_nor_the_seed(cards: str) -> None:
    seed = next(seed for seed in range(123_456_789, 123_456_999) if len(set(hands(cards, seed))) == 2)
    own, other = hands(cards, seed)
    result = run("leduc_poker", "--cards", cards, "--seed", str(seed), typed="raise\nhelp\nquit\n")
    assert own in result.output
    # The other's rank may lie open on the table, but only there.
    assert not re.search(rf"card {other}", result.output.replace(f"public card {other}", ""))
    assert f"hand 1 {other}" not in result.output
    assert str(seed) not in result.output


def test_several_people_pass_the_screen_and_see_only_their_own_hands(cards: str) -> None:
    seed = next(seed for seed in range(100) if len(set(hands(cards, seed))) == 2)
    own = hands(cards, seed)
    typed = "\nraise\n\nfold\n\n"  # Enter, seat 0 raises, Enter, seat 1 folds (and sees the end), Enter
    people = ("--seat", "0", "--seat", "1")
    result = run("leduc_poker", "--cards", cards, "--seed", str(seed), *people, typed=typed)
    first, second, third = result.output.split("Pass the screen to seat ")[1:]
    assert (first[0], second[0], third[0]) == ("0", "1", "0")
    assert own[0] in first
    assert own[1] not in first
    assert own[1] in second
    assert own[0] not in second
    assert own[0] in third
    assert own[1] not in third
    assert "seat 0 (a person): raise" in second
    assert "seat 1 (a person): fold" in third
    assert re.search(r"1 +seat 0 \(a person\) +1 +1", third), "the one who did not fold wins the ante"


def test_undo_goes_back_to_the_persons_previous_decision() -> None:
    result = run("leduc_poker", "--seed", "4", typed="undo\nraise\nundo\nquit\n")
    assert "There is no earlier decision of yours." in result.output
    start, again = (text.split("\n1 call")[0] for text in result.output.split("you are seat 0")[1::2])
    assert start == again
    assert "Back to your previous decision." in result.output


def test_after_undo_the_table_has_the_same_future() -> None:
    played = session()
    before = played.state.to_bytes()
    played.remember(0)
    played.state.apply("call")
    played.state.apply("call")  # the public card falls
    played.move = 2
    after = played.state.to_bytes()
    assert played.undo(0)
    assert (played.state.to_bytes(), played.move, played.decisions) == (before, 0, [])
    played.state.apply("call")
    played.state.apply("call")
    assert played.state.to_bytes() == after
    assert not played.undo(0)


def test_undo_at_a_shared_screen_takes_back_to_the_same_persons_decision() -> None:
    typed = "\ncall\n\nraise\n\nundo\nquit\n"  # seat 0 calls, seat 1 raises, seat 0 takes both back
    result = run("leduc_poker", "--seed", "4", "--seat", "0", "--seat", "1", typed=typed)
    last = result.output.split("Back to your previous decision.")[1]
    assert "you are seat 0" in last
    assert "pot 2" in last


# --- a search as opponent, and as adviser ---------------------------------------------------------------


def test_the_opponent_searches_unless_another_is_named() -> None:
    result = run("leduc_poker", "--seed", "4", typed="raise\nquit\n")
    assert f"seat 1 ({OPPONENT}): " in result.output
    assert begin("oh_hell", {}, None, None, [1], [], 4).seats == [OPPONENT, None, OPPONENT]


def test_a_saved_game_keeps_the_opponents_spec(tmp_path: Path) -> None:
    spec = "ismcts:sims=50,variant=mo"
    run("leduc_poker", "--agent", spec, "--seed", "4", typed=f"save {tmp_path}/g\n")
    assert resume(tmp_path / "g").seats == [None, spec]
    assert f"seat 1 ({spec}): " in run("--resume", f"{tmp_path}/g", typed="raise\n").output


def hinted(output: str) -> list[list[str]]:
    """The rows of a hint, each in words."""
    rows = output.split("score\n")[1].splitlines()[1:]
    return [row.split() for row in rows[:rows.index(next(row for row in rows if "%" not in row))]]


def test_a_hint_shows_the_best_moves_with_their_numbers_and_win_shares() -> None:
    result = run("leduc_poker", "--seed", "4", typed="hint\nquit\n")
    rows = hinted(result.output)
    assert sorted(row[:2] for row in rows) == [["1", "call"], ["2", "raise"]]
    found = search(load("leduc_poker").new(seed=4), sims=20_000, seed=own_seed(4, 0, 0))
    assert rows[0][1] == found.best.words
    assert rows[0][4] == f"{100 * found.best.win_share:.1f}%"  # type: ignore[operator]


def test_a_hint_in_a_game_with_many_moves_shows_a_few() -> None:
    result = run("enigma", "--seed", "541", "--agent", "greedy", typed="hint\nquit\n")
    assert len(hinted(result.output)) == 3
    assert "\nand 22 more\n" in result.output


def test_a_hint_changes_neither_the_table_nor_its_future(tmp_path: Path) -> None:
    table = ("enigma", "--seed", "541", "--agent", "random")
    saved = [
        run(*table, typed=f"1\n{hint}2\n{hint}save {tmp_path}/{number}\n") and resume(tmp_path / str(number))
        for number, hint in enumerate(["", "hint\nhint\n"])
    ]
    assert saved[0].state.to_bytes() == saved[1].state.to_bytes()
    assert saved[0].move == saved[1].move
    assert saved[0].decisions == saved[1].decisions


@pytest.mark.parametrize("name", NAMES)
def test_a_hint_is_the_same_in_every_world_that_the_seat_cannot_tell_apart(name: str) -> None:
    now = begin(name, {}, None, None, [0], ["greedy"], 3)
    while now.state.to_move != 0:
        now.state.apply(now.state.greedy)
    hints = set()
    for state in (now.state, now.state.dealt(0, seed=1), now.state.dealt(0, seed=2)):
        out = io.StringIO()
        Play(replace(now, state=state), Console(file=out, width=80)).hint(0, state.legal_words)
        hints.add(out.getvalue())
    assert len(hints) == 1


# --- saving ---------------------------------------------------------------------------------------------


def test_a_saved_game_goes_on_as_if_it_had_not_been_left(tmp_path: Path, cards: str) -> None:
    file = str(tmp_path / "a game.sfumato")
    table = ("leduc_poker", "--cards", cards, "--agent", "random", "--seed", "9")
    whole = run(*table, typed="raise\ncall\ncall\ncall\n")
    left = run(*table, typed=f"raise\nsave {file}\nquit\n")
    assert f"To go on: sfumato play --resume '{file}'" in left.output.split("Saved.")[1]
    Path(cards).unlink()
    on = run("--resume", file, typed="call\ncall\ncall\n")
    assert on.exit_code == 0
    ending = on.output.split("words or help)> ", 1)[1]
    assert whole.output.endswith(ending)
    undone = run("--resume", file, typed="undo\nquit\n")
    assert "Back to your previous decision." in undone.output, "the way back is saved too"


def test_saving_without_a_name_takes_the_games_or_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--resume leduc_poker.sfumato" in run("leduc_poker", typed="save\n").output
    assert "--resume other" in run("leduc_poker", typed="save other\nsave\n").output.split("Saved.")[2]
    assert "--resume other" in run("--resume", "other", typed="save\n").output
    assert sorted(file.name for file in tmp_path.iterdir()) == ["leduc_poker.sfumato", "other"]


def test_saving_over_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("dear friend")
    result = run("leduc_poker", typed=f"save {file}\nsave {tmp_path}/no/such\nquit\n")
    output = " ".join(result.output.split())
    assert "there is another file of this name; choose another name" in output
    assert f"{tmp_path}/no/such:Nosuchfileordirectory" in output.replace(" ", ""), "on one line or two"
    assert file.read_text() == "dear friend"
    assert "The game was not saved." in output


def test_saving_over_another_saved_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "g"
    run("leduc_poker", "--seed", "4", typed=f"save {file}\n")
    other = run("leduc_poker", "--seed", "5", typed=f"save {file}\nquit\n")
    assert "there is another saved game of this name; choose another name" in " ".join(other.output.split())
    assert "The game was not saved." in other.output
    assert resume(file).seed == 4


def test_a_session_saves_again_to_its_own_file_and_the_one_it_came_from(tmp_path: Path) -> None:
    file = tmp_path / "g"
    first = run("leduc_poker", "--seed", "4", typed=f"save {file}\nraise\nsave\nquit\n")
    assert first.output.count("Saved.") == 2
    on = run("--resume", str(file), typed=f"undo\nsave {file}\nsave {tmp_path}/./g\n")
    assert on.output.count("Saved.") == 2
    assert resume(file).move == 0


def test_what_another_session_has_saved_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    save(session(), tmp_path / "g")
    mine, other = resume(tmp_path / "g"), resume(tmp_path / "g")
    other.move = 2
    save(other, tmp_path / "g")
    with pytest.raises(SfumatoError, match="there is another saved game of this name"):
        save(mine, tmp_path / "g")
    assert resume(tmp_path / "g").move == 2
    (tmp_path / "g").unlink()
    save(mine, tmp_path / "g")


def test_saving_without_a_name_takes_one_that_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("leduc_poker.sfumato", "leduc_poker-2.sfumato", "leduc_poker-3.sfumato"):
        assert run("leduc_poker", typed="save\nsave\n").output.count(f"--resume {name}\n") == 3


@pytest.mark.parametrize("name", ["~nobody-of-this-name/g", "a\0b", "loop", "pipe", "."])
def test_a_name_that_no_saved_game_can_have_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    os.mkfifo("pipe")
    result = run("leduc_poker", typed=f"save {name}\nquit\n")
    assert result.exit_code == 0
    assert "Saved." not in result.output
    assert result.output.endswith("The game was not saved.\n")


def test_leaving_after_further_moves_says_what_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "g"
    result = run("leduc_poker", "--seed", "4", typed=f"save {file}\nraise\nquit\n")
    last = f"What came after the last save is lost.\nTo go on: sfumato play --resume {file}\n"
    assert last in result.output


def test_the_card_table_is_read_once_so_that_it_may_come_through_a_pipe(tmp_path: Path) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "g"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(CARDS,), daemon=True)
    writer.start()
    result = run("leduc_poker", "--cards", str(pipe), "--seed", "4", typed=f"save {file}\nquit\n")
    writer.join(timeout=10)
    assert result.exit_code == 0
    assert resume(file).cards == CARDS


@pytest.mark.parametrize(("text", "message"), [
    (b"x = 1", "unknown section 'x'"),
    (b"[deck", "not a TOML file: "),
    (b"\xff", "not a TOML file: "),
    (CARDS.replace("2", "0").encode(), "deck.copies: "),
])
def test_a_bad_card_table_is_refused_by_its_own_name(tmp_path: Path, text: bytes, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(text)
    result = run("leduc_poker", "--cards", str(file))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"sfumato: {file}: {message}")


def written(file: File) -> bytes:
    body = msgspec.msgpack.encode(file)
    return MAGIC + VERSION + b"\n" + checksum(body) + body


def content(**changes: object) -> File:
    now = session()
    file = File("leduc_poker", {}, None, [None, "greedy"], 4, 0, now.state.to_bytes(), [])
    return msgspec.structs.replace(file, **changes)


@pytest.mark.parametrize(("data", "message"), [
    (b"", "this is not a game that `sfumato play` saved"),
    (b"\x00" * 100, "this is not a game that `sfumato play` saved"),
    (written(content()).replace(b"play 1", b"play 2", 1), "saved in format 2; this program reads format 1"),
    (written(content())[:-1], "the file is cut short or damaged: its checksum does not fit"),
    (written(content(game="chess")), "unknown game 'chess'"),
    (written(content(options={"x": 1})), "unknown option of leduc_poker 'x'"),
    (written(content(cards="x = 1")), "unknown section 'x'"),
    (written(content(seats=["greedy", "greedy"])), "seats: expected 2 with a person among them"),
    (written(content(seats=[None])), "seats: expected 2 with a person among them"),
    (written(content(seats=[None, "deep_blue"])), "unknown agent 'deep_blue'"),
    (written(content(state=b"123")), "this is not a saved state"),
    (written(content(decisions=[(1, 0, content().state)])), "decisions: one of them is of another table"),
    (written(content(seed=-1)), "seed"),
    (written(content(move=-1)), "move"),
])
def test_a_file_that_is_no_saved_game_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    file = tmp_path / "g.sfumato"
    file.write_bytes(data)
    result = run("--resume", str(file))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"sfumato: {file}: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_resuming_takes_nothing_beside_the_file(tmp_path: Path) -> None:
    save(session(), tmp_path / "g")
    for other in ("leduc_poker", "--seed 0", "--seat 0", "--players 2", "--agent greedy", "-o x=1"):
        result = run("--resume", str(tmp_path / "g"), *other.split())
        assert result.exit_code == 2
        assert "--resume takes the whole game from the file" in result.stderr
    assert resume(tmp_path / "g").state.to_bytes() == session().state.to_bytes()


# --- a real terminal ------------------------------------------------------------------------------------


class Terminal:
    """`sfumato play` in a terminal of its own, 80 by 24. Every wait is bounded."""

    def __init__(self, *args: str) -> None:
        self.shown = ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(COLUMNS="80", LINES="24", TERM="xterm", NO_COLOR="1")
            os.execv(sys.executable, [sys.executable, "-m", "sfumato", "play", *args])

    def until(self, text: str, seconds: float = 30) -> str:
        """What appears up to the text."""
        end = time.monotonic() + seconds
        while text not in self.shown:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"{text!r} did not appear in {self.shown!r}"
            self.shown += os.read(self.terminal, 4096).decode()
        before, _, self.shown = self.shown.partition(text)
        return before

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def interrupt(self, answer: str) -> None:
        """Presses Ctrl-C until it is answered: Python overlooks one that falls between prompt and wait."""
        for _ in range(10):
            self.type("\x03")
            try:
                self.until(answer, seconds=3)
            except AssertionError:
                continue
            return
        pytest.fail("ten interrupts were not answered")

    def end(self) -> int:
        """The exit code, once the program has gone."""
        try:
            while select.select([self.terminal], [], [], 30)[0] and os.read(self.terminal, 4096):
                pass
        except OSError:  # so a terminal says that the other side has gone
            pass
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is not None:
            os.kill(self.pid, signal.SIGKILL)
            self.end()


def test_a_game_with_real_keystrokes() -> None:
    with Terminal("leduc_poker", "--seed", "4", "--seat", "0", "--seat", "1") as terminal:
        terminal.until("Seat 0, press Enter")
        terminal.type("\r")
        assert terminal.until("> ").count("\x1b[3J") == 1, "the screen and what scrolled away are wiped"
        terminal.type("rai\t\r")
        terminal.until("Pass the screen to seat 1.")
        terminal.type("\r")
        page = terminal.until("> ")
        assert "seat 0 (a person): raise" in re.sub(r"\x1b\[\d*m", "", page)
        assert not re.search(r"\x1b\[[\d;]*3\dm", page), "NO_COLOR is honoured"
        terminal.type("\x1b[A\r")  # the arrow up must not bring back what seat 0 typed
        terminal.until("> ")
        terminal.type("undo\r")
        terminal.until("There is no earlier decision of yours.")
        terminal.type("fold\r")
        terminal.until("Pass the screen to seat 0.")
        terminal.type("\r")
        terminal.until("The seed was 4.")
        assert terminal.end() == 0


def test_an_interrupt_and_the_end_of_input_in_a_terminal(tmp_path: Path) -> None:
    with Terminal("leduc_poker") as terminal:
        terminal.until("> ")
        terminal.interrupt("The game was not saved.")
        terminal.until("sfumato: interrupted")
        assert terminal.end() == 130
    with Terminal("leduc_poker") as terminal:
        terminal.until("> ")
        terminal.type(f"save {tmp_path}/g\r")
        terminal.until("To go on")
        terminal.until("> ")
        terminal.type("\x04")
        terminal.until(f"To go on: sfumato play --resume {tmp_path}/g")
        assert terminal.end() == 0
