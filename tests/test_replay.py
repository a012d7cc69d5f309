"""`sfumato replay`: recorded games as a spectator or a seat saw them, and what a search thinks of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import results
from click.testing import Result
from commands import run
from msgspec.structs import replace
from sfumato import load
from sfumato.agents import OPPONENT
from sfumato.records import Record
from sfumato.replay import Opinion, judge, moves, recorded, summed
from sfumato.search import Move

SETTINGS = results.settings("greedy", "random", blocks=2)
RECORDS = results.played(SETTINGS)
#: the numbers of a game of two seats and of one of three
TWO, THREE = (next(each.number for each in RECORDS if len(each.agents) == seats) for seats in (2, 3))
#: cheap, and the same every time
JUDGE = "ismcts:sims=300"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(results.write(tmp_path_factory.mktemp("replay") / "results.jsonl", SETTINGS, RECORDS))


def changed(tmp_path: Path, other: Record) -> str:
    """A file in which one game differs."""
    records = [other if each.number == other.number else each for each in RECORDS]
    return str(results.write(tmp_path / "changed.jsonl", SETTINGS, records))


def told(output: str) -> list[str]:
    """The moves of a replay, without their numbers."""
    return re.findall(r"^ *\d+ (seat \d \(.*)$", output, re.MULTILINE)


def one_line(result: Result, *parts: str) -> None:
    """It failed, and said so in a line with all of these."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr


# --- what is shown --------------------------------------------------------------------------------------


def test_without_a_number_the_games_are_listed(file: str) -> None:
    output = run("replay", file).output
    assert f"{len(RECORDS)} of {SETTINGS.total} games" in output
    assert max(map(len, output.splitlines())) <= 80
    for record in RECORDS:
        assert re.search(rf"^ +{record.number} +{record.block} +{record.plies} ", output, re.MULTILINE)


@pytest.mark.parametrize("number", [TWO, THREE])
def test_a_replay_has_every_move_and_the_result(file: str, number: int) -> None:
    record = RECORDS[number]
    output = run("replay", file, str(number)).output
    assert len(told(output)) == record.plies
    assert f"the end, after {record.plies} moves" in output
    for seat, index in enumerate(record.agents):
        name = SETTINGS.agents[index].name
        line = rf"^ {record.ranks[seat]} +seat {seat} \({name}\) +{record.scores[seat]:g} "
        assert re.search(line, output, re.MULTILINE)
    assert "\x1b" not in output


def test_a_spectator_sees_all_hands_and_a_seat_its_own(file: str) -> None:
    table = SETTINGS.games[RECORDS[THREE].game]
    start = load(table.name, **table.options).new(table.players, RECORDS[THREE].seed)
    everything, mine = (run("replay", file, str(THREE), *seat).output for seat in ([], ["--seat", "1"]))
    assert start.render(None) in everything
    assert str(RECORDS[THREE].seed) in everything
    assert start.render(1) in mine
    assert start.render(None) not in mine
    assert str(RECORDS[THREE].seed) not in mine, "with the seed anybody could deal the hands again"


def test_the_table_is_drawn_as_often_as_told(file: str) -> None:
    plies = RECORDS[THREE].plies
    often = run("replay", file, str(THREE), "--every", "1").output
    assert re.findall(r"^after (\d+) moves", often, re.MULTILINE) == [str(n) for n in range(1, plies)]
    assert "\nafter" not in run("replay", file, str(THREE), "--every", "0").output


def test_a_game_that_a_fault_ended_says_why_and_who_lost(tmp_path: Path) -> None:
    spoilt = results.spoilt(RECORDS[THREE], 2, "late", "took 312 ms of 200 ms")
    file = changed(tmp_path, spoilt)
    output = run("replay", file, str(THREE)).output
    assert "seat 2 (random) lost by a fault, late: took 312 ms of 200 ms" in output
    assert re.search(r"^ 3 +seat 2 \(random\)", output, re.MULTILINE)
    assert re.search(rf"^ +{THREE} .* late, seat 2 *$", run("replay", file).output, re.MULTILINE)


def test_a_game_without_end_is_nobodys_fault(tmp_path: Path) -> None:
    spoilt = results.spoilt(RECORDS[TWO], None, "endless", "more than 3 moves")
    file = changed(tmp_path, spoilt)
    assert "nobody's fault, endless: more than 3 moves" in run("replay", file, str(TWO)).output


def test_a_torn_last_line_hides_that_game_only(file: str, tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(Path(file).read_bytes()[:-20])
    last = RECORDS[-1].number
    assert run("replay", str(torn), str(last - 1)).exit_code == 0
    one_line(run("replay", str(torn), str(last)), f"there is no game {last}: it has {len(RECORDS) - 1} of ")
    torn.write_bytes(Path(file).read_bytes().partition(b"\n")[0] + b"\n")
    one_line(run("replay", str(torn), "0"), f"there is no game 0: it has 0 of {SETTINGS.total} games")


def test_every_game_of_a_tournament_is_replayed(tmp_path: Path) -> None:
    file = str(tmp_path / "results.jsonl")
    agents = ("random", "greedy", "cheat:sims=20")
    done = run("tournament", "leduc_poker", "oh_hell", "--agents", *agents, "-o", "tricks=2", "--blocks", "2",
               "--workers", "0", "--out", file)
    assert done.exit_code == 0
    listed = json.loads(run("replay", file, "--json").output)["games"]
    assert len(listed) == 2 * (3 * 2 + 6)
    for each in listed:
        shown = json.loads(run("replay", file, str(each["number"]), "--json").output)
        assert len(shown["moves"]) == each["plies"]
        assert set(shown["agents"]) <= set(agents)


# --- the engine's opinion -------------------------------------------------------------------------------


def test_an_analysis_repeats_and_sums_up_each_seat(file: str) -> None:
    args = ("replay", file, str(THREE), "--analyze", JUDGE)
    output = run(*args).output
    assert run(*args).output == output
    assert f"as {JUDGE} sees it" in output
    choices = [sum(move.seat == seat and len(move.before.legal_actions) > 1
                   for move in moves(recorded(Path(file), THREE))) for seat in range(3)]
    for seat, count in enumerate(choices):
        assert re.search(rf"^ seat {seat} \(\w+\) +{count} +\d+\.\d% +\d+\.\d% ", output, re.MULTILINE)
    assert len(re.findall(r"^ +(win share|never tried)", output, re.MULTILINE)) == sum(choices)


def test_a_seats_analysis_keeps_to_its_own_moves(file: str) -> None:
    shown = json.loads(run("replay", file, str(THREE), "--seat", "1", "--analyze", JUDGE, "--json").output)
    assert [each["seat"] for each in shown["summary"]] == [1]
    for move in shown["moves"]:
        assert ("opinion" in move) == (move["seat"] == 1)
        assert ("action" in move) == (move["seat"] == 1), "an id may tell what a label hides"


def test_an_opinion_depends_on_nothing_that_the_mover_does_not_know(file: str) -> None:
    """The same search of what the mover knew, in another world, holds the same of the moves."""
    shown = json.loads(run("replay", file, str(TWO), "--analyze", JUDGE, "--json").output)
    first = next(moves(recorded(Path(file), TWO)))
    world = first.before.dealt(first.seat, seed=5)
    judged = first._replace(before=world)
    by = judge(JUDGE, no_color=True)
    assert by is not None
    opinion = by.look(judged, RECORDS[TWO].seed)
    assert opinion is not None
    assert opinion.to_map() == shown["moves"][0]["opinion"]


def a_move(action: int, share: float | None) -> Move:
    return Move(action, f"move {action}", 10, 10, share, (0, 1), share)


def test_what_is_lost_is_how_much_better_the_best_move_is() -> None:
    assert Opinion(a_move(1, 0.25), a_move(2, 0.75)).lost == 0.5
    assert Opinion(a_move(1, 0.75), a_move(2, 0.5)).lost == 0, "never less than nothing"
    assert Opinion(a_move(1, None), a_move(2, 0.5)).lost is None, "a move never tried is not judged"


def test_a_summary_counts_agreement_loss_and_the_worst_move() -> None:
    good = Opinion(a_move(1, 0.5), a_move(1, 0.5))
    bad = Opinion(a_move(1, 0.25), a_move(2, 0.75))
    untried = Opinion(a_move(1, None), a_move(2, 0.75))
    assert summed(0, [(1, good), (4, bad), (6, bad), (9, untried)]) == (0, 4, 0.25, 1 / 3, 4, 0.5)
    assert summed(1, [(2, good)]) == (1, 1, 1.0, 0.0, None, 0.0)
    assert summed(1, [(2, untried)]) == (1, 1, 0.0, None, None, 0.0)


def test_without_a_spec_the_search_that_gives_people_hints_judges(file: str) -> None:
    assert json.loads(run("replay", file, str(TWO), "--json", "--analyze").output)["judge"] == OPPONENT


# --- for programs ---------------------------------------------------------------------------------------


def test_programs_get_the_list_and_a_game_as_one_object_each(file: str) -> None:
    listed = json.loads(run("replay", file, "--json").output)
    assert [each["number"] for each in listed["games"]] == [each.number for each in RECORDS]
    shown = json.loads(run("replay", file, str(TWO), "--json").output)
    assert [each["action"] for each in shown["moves"]] == list(RECORDS[TWO].actions)
    assert shown["seed"] == RECORDS[TWO].seed
    assert {name: shown[name] for name in listed["games"][0]} == listed["games"][TWO]


# --- failures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "message"), [
    (["999"], f"there is no game 999: it has {len(RECORDS)} of {SETTINGS.total} games"),
    (["-1"], "No such option"),
    (["one"], "'one' is not a valid integer"),
    (["0", "--seat", "2"], "seat: expected 0 to 1, got 2"),
    (["0", "--analyze", "random"], "expected one that searches (flat, pimc, ismcts)"),
    (["--seat", "1"], "name the number of a game; without one the games are listed"),
])
def test_what_a_file_does_not_have_is_one_line(file: str, args: list[str], message: str) -> None:
    one_line(run("replay", file, *args), message)


def test_a_file_that_is_not_there_or_no_results_is_one_line(tmp_path: Path) -> None:
    one_line(run("replay", "no/such.jsonl"), "no/such.jsonl: No such file or directory")
    other = tmp_path / "other.jsonl"
    for content in (b"", b"\x00\xff", b"{}\n", b"hello\n"):
        other.write_bytes(content)
        one_line(run("replay", str(other), "0"), str(other))


def test_moves_that_cannot_be_played_are_told_by_their_number(tmp_path: Path) -> None:
    actions = (*RECORDS[TWO].actions[:1], 0, 0, 0)
    file = changed(tmp_path, replace(RECORDS[TWO], actions=actions, plies=len(actions)))
    one_line(run("replay", file, str(TWO)), f"game {TWO}, move ", "damaged, or of another version")


def test_an_end_that_the_moves_do_not_lead_to_is_told(tmp_path: Path) -> None:
    file = changed(tmp_path, replace(RECORDS[TWO], scores=(-55.0, 55.0)))
    one_line(run("replay", file, str(TWO)), f"game {TWO}: its moves lead to another end than it says")


def test_another_card_table_is_told(tmp_path: Path) -> None:
    tables = tuple(replace(table, cards="00ff") for table in SETTINGS.games)
    others = replace(SETTINGS, games=tables)
    file = results.write(tmp_path / "cards.jsonl", others, RECORDS)
    one_line(run("replay", str(file), str(TWO)), f"game {TWO}: played with the card table 00ff; ")
