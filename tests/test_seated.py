"""Who sits at a seat: what specs mean and what is refused, and programs that do everything wrong."""

from __future__ import annotations

import os
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from faulty_engine import FAULTS
from sfumato import SfumatoError, load, seated
from sfumato.agents import KINDS as OF_THIS_PROCESS
from sfumato.cheat import CheatAgent
from sfumato.checked import LARGEST
from sfumato.duel import Played, play
from sfumato.plan import Planned
from sfumato.seated import HELP, Cheating, InProcess, Players, Program, check, player

FAULTY = f"{sys.executable} {Path(__file__).with_name('faulty_engine.py')}"
SERVE = f"{sys.executable} -m sfumato serve"
LEDUC = [(load("leduc_poker"), 2)]


def faulty(fault: str, moves: int = 0, more: str = "") -> str:
    return f"cmd[sims=5{more}]:{FAULTY} {fault} {moves}"


def games(specs: Players, *seeds: int, game: str = "leduc_poker") -> list[Played]:
    """A game of each deal, the agents in their order."""
    return [play(load(game), Planned(0, 0, seed, 0, tuple(range(len(specs))), seed), specs)
            for seed in seeds]


def number_of(program: object) -> int:
    """The process of a program that runs."""
    assert isinstance(program, Program) and program._talk is not None
    return program._talk.process.pid


def runs(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


# --- specs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OF_THIS_PROCESS)
def test_every_agent_of_this_process_may_sit(name: str) -> None:
    found = player(name)
    assert isinstance(found, InProcess) and not isinstance(found, Cheating)


def test_cheat_takes_the_parameters_of_a_search() -> None:
    found = player("cheat:sims=7,c=1.5,plain")
    assert isinstance(found, Cheating) and isinstance(found.mind, CheatAgent)
    assert found.mind.limits == {"sims": 7}
    assert found.mind.settings == {"variant": "so", "c": 1.5, "plain": True}


@pytest.mark.parametrize(("spec", "words", "asking", "clock"), [
    ("cmd:engine", ["engine"], {}, (None, None)),
    ("cmd:./a --flag 'two words' x=\"1,2\"", ["./a", "--flag", "two words", "x=1,2"], {}, (None, None)),
    ("cmd[ms=200]:a [b]: c", ["a", "[b]:", "c"], {"limits": {"ms": 200.0}}, (200, None)),
    ("cmd[]:a", ["a"], {}, (None, None)),
    ("cmd[sims=10,nodes=20,game_ms=5000]:a", ["a"], {"limits": {"sims": 10, "nodes": 20}}, (None, 5000)),
    ("cmd[agent=ismcts:sims=10,c=2]:a", ["a"], {"agent": "ismcts:sims=10,c=2"}, (None, None)),
    ("cmd[ms=9,agent=greedy]:a", ["a"], {"limits": {"ms": 9.0}, "agent": "greedy"}, (9, None)),
])
def test_a_program_is_named_with_its_words_and_how_it_is_asked(
    spec: str, words: list[str], asking: object, clock: tuple[float | None, float | None]
) -> None:
    found = player(spec)
    assert isinstance(found, Program)
    assert (found.words, found.asking, (found.ms, found.game_ms)) == (words, asking, clock)


@pytest.mark.parametrize(("spec", "words"), [
    ("cmd:", "agent cmd:: expected a program after the colon"),
    ("cmd: ", "expected a program after the colon"),
    ("cmd", "agent cmd: expected cmd:PROGRAM or cmd[key=value,...]:PROGRAM"),
    ("cmd[ms=1]", "unknown agent 'cmd[ms=1]'; known: "),
    ("cmd:a 'b", "no closing quotation in \"a 'b\""),
    ("cmd[ms=soon]:a", "ms: expected a number from 0"),
    ("cmd[ms=1,ms=2]:a", "ms: given twice"),
    ("cmd[ms=1,]:a", "unknown parameter of cmd ''"),
    ("cmd[time=1]:a", "unknown parameter of cmd 'time'"),
    ("cheat:variant=mo", "unknown parameter of cheat 'variant'"),
    ("nobody", "unknown agent 'nobody'; known: random, greedy, flat, pimc, ismcts, cheat, cmd"),
])
def test_a_wrong_spec_is_refused_in_one_line(spec: str, words: str) -> None:
    with pytest.raises(SfumatoError) as caught:
        player(spec)
    assert caught.value.code == "bad_agent"
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_examples_of_the_help_are_specs() -> None:
    said = " ".join(HELP.split())
    for example in ("ismcts:sims=1000,variant=mo", "cheat:sims=1000", 'cmd:./engine --flag "two words"',
                    "cmd[ms=200]:./engine", "cmd[ms=200,agent=ismcts:variant=mo]:sfumato serve"):
        assert example in said
        player(example)
    assert f"than {seated.ANSWER:g} seconds" in said
    assert f"a grace of {1000 * seated.GRACE:g} milliseconds" in said


# --- before a tournament --------------------------------------------------------------------------------


def test_a_program_that_can_play_says_its_name() -> None:
    assert check(f"cmd:{SERVE}", LEDUC).startswith("sfumato 0.")
    assert check("greedy", LEDUC) == "greedy"


@pytest.mark.parametrize(("spec", "words"), [
    ("cmd:/no/such/engine -x", "/no/such/engine cannot be started: No such file or directory"),
    (f"cmd:{Path(__file__).parent}", "cannot be started: Permission denied"),
    (f"cmd:{Path(__file__)}", "cannot be started: Permission denied"),
    ("cmd:'a\0b'", "cannot be started: embedded null byte"),
    (faulty("dead"), "it has ended with code 1; on stderr: no licence"),
    (faulty("narrow"), "it does not offer leduc_poker"),
    (faulty("refusing"), "busy: not in the mood"),
    (f"cmd[agent=nobody]:{SERVE}", "bad_agent: agent: unknown agent 'nobody'"),
    (f"cmd[sims=1,agent=ismcts:sims=1]:{SERVE}", "limits.sims: the agent's spec names sims too"),
    ("pimc:memory=1,worlds=1000", "memory: 1 MB are too little for 1000 trees"),
])
def test_who_cannot_play_is_refused_in_one_line_beforehand(spec: str, words: str) -> None:
    with pytest.raises(SfumatoError) as caught:
        check(spec, LEDUC)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.path.startswith(f"agent {spec[:20]}")


def test_a_check_waits_for_nothing_but_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seated, "FIRST", 0.1)
    check(faulty("silent"), LEDUC)
    check("ismcts:sims=1000000000", LEDUC)


# --- programs at the table ------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "players"), [("leduc_poker", 2), ("oh_hell", 3), ("enigma", 2)])
def test_our_engine_plays_what_the_same_agent_plays_in_this_process(name: str, players: int) -> None:
    specs = [["ismcts:sims=50,variant=mo", f"cmd[agent=ismcts:sims=50,variant=mo]:{SERVE}"],
             ["greedy:noise=0.5", f"cmd[agent=greedy:noise=0.5]:{SERVE}"],
             ["ismcts:sims=20", f"cmd[sims=20]:{SERVE}"]]
    apart = []
    for kind in (0, 1):
        with Players([each[kind] for each in specs[:players]]) as seats:
            found = games(seats, 1, 2, game=name)
        assert [each.fault for each in found] == [None, None]
        apart.append([(each.actions, each.scores, each.ranks, each.sims) for each in found])
    assert apart[0] == apart[1]


def test_a_program_is_kept_from_game_to_game_and_ends_at_last() -> None:
    with Players([faulty("none"), "greedy"]) as seats:
        games(seats, 1)
        number = number_of(seats[0])
        games(seats, 2, 3)
        assert number_of(seats[0]) == number
    assert not runs(number)


def test_a_program_at_several_seats_is_one_process() -> None:
    with Players([faulty("none")]) as seats:
        found = play(load("oh_hell"), Planned(0, 0, 0, 0, (0, 0, 0), 1), seats)
        assert found.fault is None


def test_a_program_that_ended_between_games_is_started_anew_without_a_fault() -> None:
    with Players([faulty("none"), "greedy"]) as seats:
        games(seats, 1)
        number = number_of(seats[0])
        os.kill(number, 9)
        deadline = time.monotonic() + 60
        while not seats[0]._talk.process.poll() and time.monotonic() < deadline:  # type: ignore[attr-defined]
            time.sleep(0.01)
        assert games(seats, 2)[0].fault is None
        assert number_of(seats[0]) != number


#: fault: its kind, and words of its reason
TOLD = {
    "silent": ("late", "no answer to best_move within 0.25"),
    "slow": ("late", "no answer to best_move within 0.25"),
    "crashing": ("crashed", "it has ended with code 3; on stderr: out of ?[31mcheese"),
    "illegal": ("illegal", "leduc_poker has no action 1000000"),
    "refusing": ("refused", "busy: not in the mood"),
    "complaining": ("refused", 'it cannot answer: {"code":"bad_request","message":"what is that?"'),
    "chatty": ("garbage", r"on stdout: 73, in the bytes b'I think\n'; expected: stdout carries messages"),
    "wrong_id": ("garbage", "an answer with id 4, to no open request"),
    "formless": ("garbage", "{}; expected: a result of best_move; Object missing required field `seat`"),
    "flooding": ("late", "no answer to best_move within 0.25"),
    "swelling": ("garbage", "(BufferFull)"),
    "wailing": ("late", "; on stderr: wo"),
    "dead": ("crashed", "it has ended with code 1; on stderr: no licence"),
    "mute": ("late", "no answer to hello within 0.2 s"),
    "narrow": ("refused", "it does not offer leduc_poker"),
    "outdated": ("refused", "it does not offer leduc_poker with the card table"),
}
AT_THE_START = {"dead", "mute", "narrow", "outdated"}
#: those that play as they should
FINE = {"none", "never_ends"}


def test_every_fault_is_tried() -> None:
    assert {*TOLD, *FINE} == set(FAULTS)


@pytest.mark.parametrize("fault", TOLD)
def test_a_faulty_program_loses_its_game_is_killed_and_started_anew(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seated, "START", 0.2 if fault == "mute" else 60.0)
    started: list[int] = []
    begin = seated.Talk.__init__
    monkeypatch.setattr(seated.Talk, "__init__", lambda self, *args, **named: (
        begin(self, *args, **named), started.append(self.process.pid))[0])
    kind, words = TOLD[fault]
    # only those that never answer have a short clock: a busy machine must not make the others late
    with Players(["greedy", faulty(fault, more=",ms=1" if kind == "late" else "")]) as seats:
        found = games(seats, 1, 2)
        assert len(started) == 2
        assert not any(map(runs, started))
    for each in found:
        assert each.fault is not None
        assert (each.fault.seat, each.fault.kind) == (1, kind)
        assert words in each.fault.reason
        assert len(each.fault.reason) <= 520 and each.fault.reason.isprintable()
        assert (each.ranks, each.plies > 0) == ((1, 2), fault not in AT_THE_START)


def test_the_games_before_and_after_a_fault_are_those_without_it() -> None:
    with Players(["greedy", faulty("crashing", 3)]) as seats:
        found = games(seats, *range(6))
    with Players(["greedy", "ismcts:sims=5"]) as seats:
        expected = games(seats, *range(6))
    whole = [number for number, each in enumerate(found) if each.fault is None]
    assert 1 < len(whole) < 6
    assert [found[number].actions for number in whole] == [expected[number].actions for number in whole]
    for one, other in zip(found, expected, strict=True):
        assert one.actions == other.actions[:one.plies]


@pytest.mark.parametrize("fault", ["flooding", "swelling", "wailing"])
def test_endless_output_takes_little_memory(fault: str) -> None:
    """What the largest message may have, twice over."""
    tracemalloc.start()
    try:
        with Players([faulty(fault, more=",ms=1000")] * 2) as seats:
            assert games(seats, 1)[0].fault is not None
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * LARGEST


def test_a_program_that_never_ends_is_killed_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell that starts our engine, which does not end, and another program besides."""
    monkeypatch.setattr(seated, "END", 0.1)
    file = tmp_path / "number"
    script = f"sleep 600 & echo $! > {file}; {FAULTY} never_ends"
    with Players(["greedy", f"cmd[sims=5]:sh -c '{script}'"]) as seats:
        assert games(seats, 1)[0].fault is None
        number, other = number_of(seats[1]), int(file.read_text())
        assert runs(other)
    assert not runs(number)
    deadline = time.monotonic() + 60
    while lives(other) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not lives(other)


def lives(number: int) -> bool:
    """Whether a process that is not our own child runs; one that is dead may still wait to be noticed."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_long_conversation_keeps_nothing() -> None:
    with Players(["greedy", faulty("none")]) as seats:
        games(seats, *range(10))
        talk = seats[1]._talk  # type: ignore[attr-defined]
        assert not (talk.open or talk.answers or talk.order or talk.notes)
