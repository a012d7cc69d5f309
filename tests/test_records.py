"""The file of results: what is written is found again, what is torn is mended, what is other is refused."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import msgspec
import pytest
from refusals import refused
from results import played, settings, spoilt
from sfumato.plan import Settings
from sfumato.records import Fault, Record, opened, read

SIGNATURE = 1
PLAN = settings("random", "greedy")
GAMES = played(PLAN)


def write(file: Path, *records: Record, plan: Settings = PLAN, resume: bool = False) -> None:
    with opened(file, plan, SIGNATURE, resume) as results:
        for record in records:
            results.append(record)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with four games."""
    write(tmp_path / "results.jsonl", *GAMES[:4])
    return tmp_path / "results.jsonl"


def test_what_is_written_is_read_back_whole(file: Path) -> None:
    heading, records = read(file)
    assert heading.settings == PLAN
    assert heading.signature == SIGNATURE
    assert records == GAMES[:4]


def test_a_game_is_a_line_of_json(file: Path) -> None:
    lines = file.read_bytes().splitlines()
    assert len(lines) == 5
    assert msgspec.json.decode(lines[1])["ranks"] == list(GAMES[0].ranks)


def test_games_may_end_in_any_order(tmp_path: Path) -> None:
    shuffled = random.Random(1).sample(GAMES, len(GAMES))
    write(tmp_path / "shuffled", *shuffled)
    assert read(tmp_path / "shuffled")[1] == GAMES


def test_a_fault_is_kept_with_its_reason(tmp_path: Path) -> None:
    lost = spoilt(GAMES[0], 1, "late", "took 300 ms of 200")
    write(tmp_path / "faults", lost)
    assert read(tmp_path / "faults")[1] == [lost]


def test_a_resumed_file_goes_on_where_it_ended(file: Path) -> None:
    with opened(file, PLAN, SIGNATURE, resume=True) as results:
        assert results.records == GAMES[:4]
        results.append(GAMES[4])
    assert read(file)[1] == GAMES[:5]


def test_resuming_a_file_that_is_not_there_begins_it(tmp_path: Path) -> None:
    write(tmp_path / "new", GAMES[0], resume=True)
    assert read(tmp_path / "new")[1] == GAMES[:1]


def test_a_file_that_is_there_is_not_written_over(file: Path) -> None:
    before = file.read_bytes()
    with refused("results.jsonl", "--resume"):
        write(file, GAMES[0])
    assert file.read_bytes() == before


def test_wherever_a_file_is_torn_it_goes_on_with_the_whole_lines(file: Path) -> None:
    whole = file.read_bytes()
    start = whole[:-1].rindex(b"\n") + 1
    for end in range(start, len(whole)):
        file.write_bytes(whole[:end])
        assert read(file)[1] == GAMES[:3]
        write(file, GAMES[3], resume=True)
        assert file.read_bytes() == whole


def test_a_torn_heading_is_written_again(file: Path) -> None:
    heading = file.read_bytes().partition(b"\n")[0] + b"\n"
    for end in range(len(heading)):
        file.write_bytes(heading[:end])
        write(file, resume=True)
        assert file.read_bytes() == heading


def test_a_last_line_that_a_stopped_machine_left_empty_is_cut_off(file: Path) -> None:
    with file.open("ab") as appending:
        appending.write(b"\0" * 100 + b"\n")
    write(file, GAMES[4], resume=True)
    assert read(file)[1] == GAMES[:5]


def refused_unchanged(file: Path, *parts: str, plan: Settings = PLAN, signature: int = SIGNATURE) -> None:
    before = file.read_bytes()
    with refused(str(file), *parts), opened(file, plan, signature, resume=True):
        pass
    assert file.read_bytes() == before


@pytest.mark.parametrize(("other", "parts"), [
    (msgspec.structs.replace(PLAN, seed=8), ["seed is 7 there, and 8 here"]),
    (settings("random", "greedy", sprt=(0.0, 5.0, 0.05, 0.05)), ["sprt is None there, and (0.0, 5.0,"]),
    (settings("random", "greedy:noise=0.5"), ["agents[1].name is 'greedy' there", "'greedy:noise=0.5' here"]),
    (settings("random", "greedy", "flat"), ["agents is"]),
    (settings("random", "greedy", move_ms=7), ["move_ms is None there, and 7 here"]),
    (settings("random", "greedy", pairing="gauntlet"), ["pairing is 'round-robin' there", "'gauntlet' here"]),
])
def test_a_file_of_other_settings_is_refused_by_what_differs(file: Path, other: Settings,
                                                             parts: list[str]) -> None:
    refused_unchanged(file, "other settings", *parts, plan=other)


def test_a_file_goes_on_with_more_blocks_wherever_that_was_torn(file: Path) -> None:
    before, longer = file.read_bytes(), settings("random", "greedy", blocks=4)
    more = played(longer)
    write(file, more[-1], plan=longer, resume=True)
    whole = file.read_bytes()
    for end in range(len(before), len(whole)):
        file.write_bytes(whole[:end])
        write(file, more[-1], plan=longer, resume=True)
        assert file.read_bytes() == whole
    heading, records = read(file)
    assert heading.settings == longer
    assert records == [*GAMES[:4], more[-1]]


def test_a_file_does_not_go_on_with_fewer_blocks(file: Path) -> None:
    refused_unchanged(file, "of 3 blocks", "not fewer: got 2", plan=settings("random", "greedy", blocks=2))
    write(file, plan=settings("random", "greedy", blocks=5), resume=True)
    refused_unchanged(file, "of 5 blocks", "got 3")


def test_a_heading_in_the_middle_of_other_settings_is_refused(file: Path) -> None:
    write(file.with_name("other"), plan=settings("random", "greedy", move_ms=7))
    with file.open("ab") as appending:
        appending.write(file.with_name("other").read_bytes())
    refused_unchanged(file, "other settings", "move_ms")


def test_a_run_that_fails_before_its_first_game_leaves_no_file(file: Path) -> None:
    new, old = file.with_name("new"), file.read_bytes()
    for resume in (False, True):
        with pytest.raises(ZeroDivisionError), opened(new, PLAN, SIGNATURE, resume):
            raise ZeroDivisionError
        assert not new.exists()
    with pytest.raises(ZeroDivisionError), opened(new, PLAN, SIGNATURE) as results:
        results.append(GAMES[0])
        raise ZeroDivisionError
    assert read(new)[1] == GAMES[:1]
    with pytest.raises(ZeroDivisionError), opened(file, PLAN, SIGNATURE, resume=True):
        raise ZeroDivisionError
    assert file.read_bytes() == old


def test_the_name_of_a_new_file_is_brought_onto_the_disk(tmp_path: Path,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    synced, real = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(os.fstat(handle).st_ino), real(handle)))
    write(tmp_path / "new", GAMES[0])
    write(tmp_path / "new", GAMES[1], resume=True)
    assert synced.count(tmp_path.stat().st_ino) == 1


def test_a_file_that_another_program_played_is_refused(file: Path) -> None:
    refused_unchanged(file, "signature 1", "signature 2", signature=2)


def test_a_file_in_another_format_is_refused(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"format":1', b'"format":2', 1))
    refused_unchanged(file, "format 2", "reads format 1")


@pytest.mark.parametrize("text", [b"my notes", b"my notes\n", b"\xff\xfe\n", b"{}\n", b'{"sfumato":1}\n'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "notes").write_bytes(text)
    refused_unchanged(tmp_path / "notes", "not a file of results")


def test_a_damaged_line_in_the_middle_is_refused_by_its_number(file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], b"{}\n", *lines[2:]]))
    refused_unchanged(file, "line 3")


def test_a_game_that_stands_there_twice_is_refused(file: Path) -> None:
    with file.open("ab") as appending:
        appending.write(file.read_bytes().splitlines(keepends=True)[2])
    refused_unchanged(file, "line 6", "game 1 was there before")


@pytest.mark.parametrize(("change", "parts"), [
    ({"number": PLAN.total}, ["number", f"0 to {PLAN.total - 1}"]),
    ({"seed": 5}, ["seed", "got 5"]),
    ({"agents": (1, 1)}, ["agents", "got (1, 1)"]),
    ({"ranks": (1,)}, ["ranks", "expected 3 entries"]),
    ({"ranks": (2, 2, 3)}, ["ranks", "expected (1, 1, 3), got (2, 2, 3)"]),
    ({"ranks": (1, 2, 3), "scores": (1.0, 2.0, 0.0)}, ["ranks", "do not fit the scores (1.0, 2.0, 0.0)"]),
    ({"fault": Fault(1, "late", "")}, ["ranks", "expected (1, 3, 1)"]),
    ({"plies": 0}, ["plies", "got 0"]),
])
def test_a_record_that_the_plan_does_not_have_is_refused(file: Path, change: dict[str, object],
                                                         parts: list[str]) -> None:
    with file.open("ab") as appending:
        appending.write(msgspec.json.encode(msgspec.structs.replace(GAMES[4], **change)) + b"\n")
    refused_unchanged(file, "line 6", *parts)


def test_two_runs_do_not_write_to_one_file(file: Path) -> None:
    with opened(file, PLAN, SIGNATURE, resume=True):
        refused_unchanged(file, "another run")
    write(file, GAMES[4], resume=True)


def test_a_full_disk_is_told_and_costs_no_more_than_the_game(file: Path,
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    going_on = opened(file, PLAN, SIGNATURE, resume=True)
    with pytest.raises(OSError, match="space") as caught, going_on as results:
        monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:20]))
        results.append(GAMES[4])
    assert caught.value.errno == errno.ENOSPC
    monkeypatch.undo()
    write(file, GAMES[4], resume=True)
    assert read(file)[1] == GAMES[:5]
