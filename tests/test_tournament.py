"""The commands `tournament` and `match`: as people run, interrupt, kill and resume them."""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from click.testing import Result
from commands import run
from results import played, settings, spoilt
from rich.console import Console
from sfumato import cli_arena, records, tournament
from sfumato.elo import Bounds
from sfumato.plan import Settings, entrants, tables
from sfumato.records import TIMES, Record, read
from sfumato.scoreboard import Board, draw_match, draw_standings
from sfumato.sequential import Sequential
from sfumato.standings import match, standings
from sfumato.tournament import Goal, command

PATIENCE = 300
#: The program, but for its signature, which takes a second to compute; workers do not ask for it.
PROGRAM = """
from sfumato import signature
signature.signature = lambda: 1
from sfumato.cli import main
main()
"""
GAMES = ("leduc_poker", "connect_four")
AGENTS = ("--agents", "random", "greedy", "ismcts:sims=60")
SMALL = ("tournament", *GAMES, *AGENTS, "--blocks", "2", "--workers", "0")


@pytest.fixture(autouse=True)
def _signature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament, "signature", lambda: 1)


def start(*args: str) -> subprocess.Popen[str]:
    """The program, at the head of a group of its own, as a shell starts it."""
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *args], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.PIPE, start_new_session=True)


def finish(*args: str) -> str:
    """What the program prints."""
    with start(*args) as process:
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    return output


def timeless(file: Path) -> list[dict[str, object]]:
    """The records by number, without what differs from run to run."""
    return [{name: value for name, value in msgspec.structs.asdict(record).items() if name not in TIMES}
            for record in read(file)[1]]


def wait_for_games(file: Path, games: int, process: subprocess.Popen[str]) -> None:
    """Waits until a file has so many games, or the program has ended."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and (not file.exists() or file.read_bytes().count(b"\n") <= games):
        assert time.monotonic() < deadline
        time.sleep(0.002)


# --- killed, interrupted, resumed -----------------------------------------------------------------------


def killed_again_and_again(folder: Path, arguments: Sequence[str], kills: int,
                           workers: Sequence[str]) -> None:
    """A run that is killed at random moments ends with the table and the games of an undisturbed one."""
    calm, killed = folder / "calm.jsonl", folder / "killed.jsonl"
    undisturbed = finish(*arguments, "--out", str(calm), "--workers", "2")
    chance = random.Random(kills)
    total = len(read(calm)[1])
    moments = sorted(chance.sample(range(total - total // 20), kills))
    deaths = 0
    for index, moment in enumerate(moments):
        how = ("--out", str(killed), "--resume", "--workers", workers[index % len(workers)])
        with start(*arguments, *how) as process:
            wait_for_games(killed, moment, process)
            time.sleep(0.01 * chance.random())
            process.kill()
            process.communicate(timeout=PATIENCE)
        deaths += process.returncode == -signal.SIGKILL
    assert deaths >= kills // 2, "the games are too short for this test"
    assert finish(*arguments, "--out", str(killed), "--resume") == undisturbed
    assert timeless(killed) == timeless(calm)


def test_a_run_killed_at_twenty_moments_ends_with_the_table_of_an_undisturbed_one(tmp_path: Path) -> None:
    killed_again_and_again(tmp_path, ("tournament", *GAMES, *AGENTS, "--blocks", "30"), 20, ["0", "2"])


@pytest.mark.slow
@pytest.mark.parametrize("round_", range(10))
def test_a_run_killed_at_many_moments_ends_with_the_same_table(tmp_path: Path, round_: int) -> None:
    arguments = ("tournament", *GAMES, "oh_hell", *AGENTS, "--blocks", "20", "--seed", str(round_))
    killed_again_and_again(tmp_path, arguments, 20 + round_, ["0", "1", "2", "3"])


@pytest.mark.parametrize("workers", ["0", "2"])
def test_an_interrupted_run_keeps_its_games_says_how_to_go_on_and_goes_on(tmp_path: Path,
                                                                          workers: str) -> None:
    file = tmp_path / "results.jsonl"
    arguments = ("tournament", "connect_four", "--agents", "ismcts:sims=200", "greedy", "--blocks", "30")
    kept_in = ("--out", str(file), "--workers", workers)
    with start(*arguments, *kept_in) as process:
        wait_for_games(file, 5, process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers hear of it too
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    kept = len(read(file)[1])
    assert 5 <= kept < 60
    assert errors == (f"sfumato tournament: interrupted after {kept} of 60 games, kept in {file}; "
                      "the same command with --resume goes on\n")
    assert "greedy" in output, "the table so far"
    result = run(*arguments, *kept_in, "--resume")
    assert "60 games on 30 deals" in result.output
    assert result.output == run(*arguments, "--workers", "0").output, "without a file it is the same table"


def test_an_interrupted_run_without_a_file_says_what_would_have_kept_it(
    monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(settings: Settings, *_others: object) -> Iterator[Record]:
        yield from (won(settings, number, first=True) for number in range(3))
        raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "run", interrupted)
    result = run("match", "greedy", "random", "--game", "leduc_poker")
    assert result.exit_code == 130
    assert result.stderr == ("sfumato match: interrupted after 3 of 200 games; "
                             "with --out FILE they would have been kept\n")
    assert "2: 2 won, 0 tied, 0 lost" in result.stdout, "what counts so far"


# --- the tournament -------------------------------------------------------------------------------------


def test_a_tournament_prints_its_tables(golden: Callable[[str, str], None]) -> None:
    result = run(*SMALL)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == "", "no bar where nobody sees it"
    golden("tournament", "\n".join(line.rstrip() for line in result.output.splitlines()) + "\n")


@pytest.mark.parametrize(("given", "meant"), [
    ("g --agents a b", "g --agent a --agent b"),
    ("--agents a b --blocks 2 g", "--agent a --agent b --blocks 2 g"),
    ("g --agents a --agents b c", "g --agent a --agent b --agent c"),
    ("g --agent a --agents b -o x=1", "g --agent a --agent b -o x=1"),
    ("--agents a -- g h", "--agent a -- g h"),
    ("g --agents", "g --agents"),
    ("g --agents --blocks 2", "g --agents --blocks 2"),
    ("g --agents=a b", "g --agents=a b"),
])
def test_agents_takes_all_words_up_to_the_next_option(given: str, meant: str) -> None:
    assert list(cli_arena.one_by_one(given.split())) == meant.split()


def test_json_has_the_settings_and_the_tables() -> None:
    found = json.loads(run(*SMALL, "--json").output)
    assert [table["name"] for table in found["settings"]["games"]] == list(GAMES)
    assert found["standings"]["games"] == 24
    assert {row["name"] for row in found["standings"]["rows"]} == set(AGENTS[1:])


def test_the_page_names_a_command_that_plays_the_same_games(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = run(*SMALL, "--html", str(page), "--seed", "5")
    assert result.exit_code == 0, result.stderr
    again = "sfumato tournament leduc_poker connect_four --agents random greedy ismcts:sims=60"
    assert again in page.read_text("utf-8")


@pytest.mark.parametrize("words", [
    "leduc_poker --agents a=greedy random --seed 4",
    "oh_hell leduc_poker --players 2,3,4 -o tricks=3 --agents 'x y=ismcts:sims=3' greedy flat --gauntlet",
    "enigma connect_four --players 4 --agents greedy random",
    "leduc_poker oh_hell --agents greedy random 'cmd[ms=5]:./x --y \"a b\"' --move-ms 5 --game-ms 70",
])
def test_the_command_of_settings_gives_these_settings(words: str, given: list[Settings]) -> None:
    run("tournament", *shlex.split(words))
    run(*command(given[0])[1:])
    assert given[1] == given[0]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings that commands give, without playing."""
    settings: list[Settings] = []

    def play(of: Settings, *_others: object) -> None:
        settings.append(of)
        raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "play", play)
    return settings


def test_agents_are_given_at_once_or_one_by_one(given: list[Settings]) -> None:
    run("tournament", "leduc_poker", "--agents", "random", "greedy", "flat", "--blocks", "2")
    run("tournament", "--agent", "random", "--agent", "greedy", "--blocks", "2", "--agent", "flat",
        "leduc_poker")
    assert given[0] == given[1]
    assert [agent.spec for agent in given[0].agents] == ["random", "greedy", "flat"]


def refusal(result: Result) -> str:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize(("words", "part"), [
    ("tournament", "Missing argument 'GAME...'"),
    ("tournament chess --agents greedy random", "unknown game 'chess'"),
    ("tournament leduc_poker", "expected two agents or more, got 0"),
    ("tournament leduc_poker --agents greedy", "expected two agents or more, got 1"),
    ("tournament leduc_poker --agents greedy greedy", "agent greedy: there are two of this name"),
    ("tournament leduc_poker --agents greedy stockfish", "unknown agent 'stockfish'"),
    ("tournament leduc_poker --agents greedy ismcts:sims=-1", "expected a whole number from"),
    ("tournament leduc_poker --agents greedy cmd:./no-such-program", "./no-such-program cannot be started"),
    ("tournament --agents greedy random leduc_poker", "Missing argument 'GAME...'"),
    ("tournament leduc_poker --players two --agents greedy random", "expected numbers separated by commas"),
    ("tournament leduc_poker --players 9 --agents greedy random", "leduc_poker is for 2 players, not 9"),
    ("tournament leduc_poker -o speed=1 --agents greedy random", "unknown option of leduc_poker 'speed'"),
    ("tournament leduc_poker --agents greedy random --blocks 0", "0 is not in the range"),
    ("tournament leduc_poker --agents greedy random --seed -1", "expected a whole number from 0"),
    ("tournament leduc_poker --agents greedy random --resume", "--out FILE"),
    ("tournament leduc_poker --agents greedy random --workers 2 --dask tcp://x", "exclude each other"),
    ("tournament leduc_poker --agents greedy random --out no/such/folder", "No such file or directory"),
    ("tournament leduc_poker --agents greedy random --html no/such/page", "a folder that exists"),
    ("match greedy random", "Missing option '--game'"),
    ("match greedy --game leduc_poker", "Missing argument 'B'"),
    ("match greedy random --game leduc_poker --sprt 5 0", "of which the first is lower, got 5.0 0.0"),
    ("match greedy random --game leduc_poker --sprt 0 5 --alpha 2", "expected shares above 0"),
    ("match greedy random --game leduc_poker --sprt 0 inf", "from -2000 to 2000, got 0 inf"),
    ("match greedy random --game leduc_poker --sprt nan 5", "from -2000 to 2000, got nan 5"),
    ("match greedy random --game leduc_poker --sprt 0 100000", "from -2000 to 2000, got 0 100000"),
    ("match greedy random --game leduc_poker --sprt 0 5 --beta nan", "expected shares above 0"),
    ("match greedy random --game leduc_poker --alpha 0.1", "they need --sprt"),
    ("match greedy random --game leduc_poker --beta 0.05", "they need --sprt"),
    ("match greedy random --game leduc_poker --dask nonsense", "expected an address as in tcp://host:8786"),
    ("match greedy random --game leduc_poker --seed lucky", "'lucky' is not a valid integer"),
])
def test_nonsense_is_refused_in_one_line_before_anything_is_played(words: str, part: str) -> None:
    assert part in refusal(run(*words.split()))


def test_a_file_is_not_written_over_and_not_mixed_with_other_settings(tmp_path: Path) -> None:
    words = ("match", "greedy", "random", "--game", "leduc_poker", "--blocks", "3", "--workers", "0")
    kept = ("--out", str(tmp_path / "results.jsonl"))
    table = run(*words, *kept).output
    assert "--resume goes on with it" in refusal(run(*words, *kept))
    assert "seed is 0 there, and 1 here" in refusal(run(*words, "--seed", "1", "--resume", *kept))
    assert run(*words, "--resume", *kept).output == table


@pytest.mark.parametrize("option", ["--out", "--html"])
def test_a_file_without_a_name_is_refused(option: str) -> None:
    assert "expected the name of a file" in refusal(run(*SMALL, option, ""))


def test_a_page_does_not_take_the_place_of_the_results(tmp_path: Path) -> None:
    file, link = tmp_path / "results.jsonl", tmp_path / "link"
    link.symlink_to(file)
    for page in (file, tmp_path / "x" / ".." / "results.jsonl", link):
        (tmp_path / "x").mkdir(exist_ok=True)
        assert "--html would write over the results" in \
            refusal(run(*SMALL, "--out", str(file), "--html", str(page)))
    assert not file.exists()
    run(*SMALL, "--out", str(file))
    before, other = file.read_bytes(), tmp_path / "other"
    other.hardlink_to(file)
    assert "--html would write over the results" in \
        refusal(run(*SMALL, "--out", str(file), "--resume", "--html", str(other)))
    assert file.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_page_that_cannot_be_written_is_told_by_its_name() -> None:
    assert "/dev/full: No space left" in refusal(run(*SMALL, "--html", "/dev/full"))


def test_what_never_began_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    refusal(run(*SMALL[:-2], "--out", str(file), "--dask", "nonsense"))
    assert not file.exists()


def test_a_run_that_goes_on_with_more_blocks_ends_with_the_table_of_all_of_them(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    words = ("tournament", *GAMES, *AGENTS, "--workers", "0")
    for blocks in ("1", "3"):
        found = run(*words, "--blocks", blocks, "--out", str(file), "--resume")
        assert found.output == run(*words, "--blocks", blocks).output
    assert "not fewer" in refusal(run(*words, "--blocks", "2", "--out", str(file), "--resume"))


def test_a_random_seed_is_told_and_kept_and_another_each_time(tmp_path: Path) -> None:
    seeds = set()
    for name in "ab":
        file = tmp_path / name
        found = run(*SMALL, "--seed", "random", "--out", str(file))
        seeds.add(read(file)[0].settings.seed)
        assert f"seed {read(file)[0].settings.seed}" in " ".join(found.output.split())
    assert len(seeds) == 2


def test_an_interrupt_after_a_game_is_written_counts_it(tmp_path: Path,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    real = records.ResultsFile.append

    def append(self: records.ResultsFile, record: Record) -> None:
        real(self, record)
        if record.number == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(records.ResultsFile, "append", append)
    file = tmp_path / "results.jsonl"
    result = run(*SMALL, "--out", str(file))
    assert result.exit_code == 130
    assert "interrupted after 6 of 24 games" in result.stderr
    assert len(read(file)[1]) == 6


def test_names_are_not_broken_where_tables_go_into_a_pipe() -> None:
    long = "ismcts:sims=2,c=0.75,plain,memory=64"
    result = run("tournament", *GAMES, "--agents", long, "random", "greedy", "--blocks", "1", "--workers",
                 "0", env={"COLUMNS": None})
    assert result.exit_code == 0, result.stderr
    assert result.output.count(long) == 3, "in each of the tables"


COPIES = "Every block is a copy of the first, and counts as if it were not: "


def test_blocks_that_are_copies_of_each_other_are_told_in_a_line() -> None:
    agents = ("a=greedy", "b=greedy", "ismcts:sims=5")
    result = run("tournament", *GAMES, "--agents", *agents, "--blocks", "6", "--workers", "0",
                 env={"COLUMNS": None})
    assert result.output.endswith(f"{COPIES}connect_four, a and b. The intervals are too narrow\n")
    dealt = run("match", *agents[:2], "--game", "leduc_poker", "--workers", "0", "--blocks", "2")
    assert COPIES not in " ".join(dealt.output.split()), "two deals"
    words = ("match", *agents[:2], "--game", "connect_four", "--workers", "0", "--blocks")
    assert COPIES in " ".join(run(*words, "2").output.split())
    assert COPIES not in " ".join(run(*words, "1").output.split()), "one block is no copy"


# --- the match ------------------------------------------------------------------------------------------


def test_a_match_of_a_fixed_number_of_deals_prints_what_it_found(golden: Callable[[str, str], None]) -> None:
    result = run("match", "best=ismcts:sims=60", "greedy", "--game", "leduc_poker", "--blocks", "20",
                 "--workers", "0")
    assert result.exit_code == 0, result.stderr
    golden("match", "\n".join(line.rstrip() for line in result.output.splitlines()) + "\n")


def test_a_match_stops_at_the_same_deal_whoever_plays_it(tmp_path: Path) -> None:
    words = ("match", "ismcts:sims=60", "random", "--game", "connect_four", "--sprt", "0", "100")
    alone = run(*words, "--workers", "0")
    assert "+100 rather than +0 Elo" in " ".join(alone.output.split())
    file = ("--out", str(tmp_path / "match.jsonl"))
    for more in (("--workers", "3"), ("--workers", "2", *file), ("--resume", *file)):
        assert run(*words, *more).output == alone.output
    numbers = [record.number for record in read(tmp_path / "match.jsonl")[1]]
    assert len(numbers) < 1000, "it stopped long before the end"


def test_a_match_is_not_judged_by_other_bounds_than_it_was_played_for(tmp_path: Path) -> None:
    words = ("match", "greedy", "random", "--game", "leduc_poker", "--blocks", "3", "--workers", "0",
             "--out", str(tmp_path / "match.jsonl"), "--resume")
    assert run(*words, "--sprt", "0", "10").exit_code == 0
    assert "sprt[1] is 10.0 there, and 20.0 here" in refusal(run(*words, "--sprt", "0", "20"))
    assert "sprt[2] is 0.05 there" in refusal(run(*words, "--sprt", "0", "10", "--alpha", "0.1"))
    assert "and None here" in refusal(run(*words))
    assert run(*words, "--sprt", "0", "10", "--blocks", "4").exit_code == 0, "more deals of the same test"


def test_a_match_without_a_decision_says_that_it_is_open() -> None:
    words = "match a=greedy b=greedy --game leduc_poker --sprt -5 5 --blocks 5 --workers 0"
    result = run(*words.split())
    assert "after 5 deals: open" in " ".join(result.output.split())
    assert "50.0%" in result.output


def test_a_match_of_three_seats_plays_both_against_two_of_the_other() -> None:
    words = "match greedy random --game oh_hell --blocks 2 --json --workers 0"
    result = run(*words.split())
    found = json.loads(result.output)["match"]["meeting"]
    assert (found["games"], found["deals"]) == (12, 2)


def won(settings: Settings, number: int, first: bool) -> Record:
    """A game that the first agent won or lost."""
    planned = settings.planned(number)
    ranks = tuple(1 if (agent == 0) == first else 2 for agent in planned.agents)
    return Record(**planned._asdict(), actions=(), scores=(0.0, 0.0), ranks=ranks, fault=None, plies=0,
                  sims=(0, 0), thought=(0.0, 0.0), seconds=0.0)


def test_a_sequential_test_judges_deals_in_their_order_whatever_order_games_end_in() -> None:
    settings = Settings(tables(["leduc_poker"]), entrants(["greedy", "random"]), blocks=400)
    chance = random.Random(3)
    games = [won(settings, number, chance.random() < 0.6) for number in range(settings.total)]
    decided = set()
    for seed in range(10):
        goal = Sequential(settings, Bounds(0, 30))
        late = random.Random(seed)
        order = sorted(games, key=lambda game: game.number + 8 * late.random())
        for record in order:
            goal.add(record)
            if goal.decided:
                break
        assert goal.sprt is not None
        counted = goal.counted(order)
        decided.add((goal.sprt.blocks, goal.sprt.decision, len(counted)))
    (blocks, decision, counted_games), = decided
    assert decision == "H1"
    assert 1 < blocks < 400
    assert counted_games == 2 * blocks


# --- what is drawn --------------------------------------------------------------------------------------


def drawn(draw: Callable[[Console], None]) -> str:
    console = Console(width=80, record=True, file=open(os.devnull, "w"), highlight=False)  # noqa: PTH123, SIM115
    draw(console)
    return console.export_text()


def test_faults_are_told_with_their_reasons() -> None:
    plan = settings("random", "greedy")
    records = played(plan)
    records[1] = spoilt(records[1], 0, "late", "took 300 ms of 200")
    records[2] = spoilt(records[2], None, "endless", "no end after 10,000 moves")
    text = drawn(lambda console: draw_standings(console, plan, standings(plan, records), records))
    assert "Game 1: greedy late: took 300 ms of 200" in text
    assert "Game 2: endless: no end after 10,000 moves" in text
    assert "faults" in text


def test_points_are_said_to_leave_out_games_that_a_fault_ended() -> None:
    plan = settings("random", "greedy", games=(("leduc_poker", 2, {}),))
    records = played(plan)
    said = "Points ahead: without the games that a fault ended"
    assert said not in drawn(lambda console: draw_standings(console, plan, standings(plan, records), records))
    records[1] = spoilt(records[1], 0, "late", "took 300 ms of 200")
    assert said in drawn(lambda console: draw_standings(console, plan, standings(plan, records), records))


def test_several_games_have_no_points_in_common_and_it_is_said_how_they_weigh() -> None:
    plan = settings("random", "greedy")
    records = played(plan)
    text = drawn(lambda console: draw_standings(console, plan, standings(plan, records), records))
    assert "points ahead" not in text
    assert "Every deal weighs alike in the score, and every game played in the rating" in text
    assert "No bounds: these take 8 deals, and 2 of every game" in text, "there are three of each"


def test_games_of_blocks_that_are_not_whole_are_said_to_be_left_out() -> None:
    plan = settings("random", "greedy")
    records = played(plan)[:-1]
    text = drawn(lambda console: draw_standings(console, plan, standings(plan, records), records))
    assert "Left out, since their block is not whole yet: 2 games" in text


def test_nothing_played_is_no_table_full_of_nothing() -> None:
    plan = settings("random", "greedy", games=(("leduc_poker", 2, {}),))
    assert "0 games" in drawn(lambda console: draw_standings(console, plan, standings(plan, []), []))
    assert "no deal has been played" in drawn(lambda console: draw_match(console, plan, match(plan, []), []))


def test_the_live_board_tells_games_pace_time_left_and_scores() -> None:
    plan = settings("random", "greedy", games=(("leduc_poker", 2, {}),), blocks=50)
    clock = [100.0]
    board = Board(plan, Goal(), lambda: clock[0])
    games = [won(plan, number, first=False) for number in range(21)]
    board.count(games[0])
    assert "left" not in drawn(lambda console: console.print(board.draw())), "it cannot know yet"
    for record in games[1:]:
        board.add(record)
    clock[0] += 10
    text = drawn(lambda console: console.print(board.draw()))
    assert "21 of 100 games" in text
    assert "2 a second" in text
    assert "39.5 s left" in text
    assert text.index("greedy") < text.index("random"), "who is ahead stands first"
