"""Who plays the games of a plan: every executor plays each once, whatever happens to its workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from multiprocessing import active_children
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import pytest
from refusals import refused
from sfumato import arena
from sfumato.arena import Executor, Processes, here, run
from sfumato.plan import Settings, entrants, tables
from sfumato.records import TIMES, Record, Results, opened, read
from sfumato.seated import binding

AGENTS = ("random", "greedy", "ismcts:sims=30")
#: seconds after which a test gives up waiting
PATIENCE = 180


def plan(*agents: str, blocks: int = 3, games: tuple[str, ...] = ("leduc_poker", "connect_four")) -> Settings:
    return Settings(tables(games), entrants(agents or AGENTS), blocks=blocks)


def timeless(record: Record) -> dict[str, object]:
    """All of a record that does not differ from run to run."""
    return {name: value for name, value in msgspec.structs.asdict(record).items() if name not in TIMES}


def of(settings: Settings, executor: Executor) -> list[dict[str, object]]:
    records = sorted(run(settings, executor, Results()), key=lambda record: record.number)
    return [timeless(record) for record in records]


def eventually(happened: object, what: str) -> None:
    """Waits until a function says yes."""
    deadline = time.monotonic() + PATIENCE
    while not happened():  # type: ignore[operator]
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def test_every_game_is_played_once_and_the_same_in_this_process_and_in_others() -> None:
    settings = plan()
    alone = of(settings, here)
    assert [record["number"] for record in alone] == list(range(settings.total))
    assert of(settings, Processes(1)) == alone
    assert of(settings, Processes(3)) == alone


def test_games_are_handed_out_in_order() -> None:
    settings = plan(blocks=1)
    for executor in (here, Processes(1)):
        assert [each.number for each in run(settings, executor, Results())] == list(range(settings.total))


def test_only_games_that_the_results_lack_are_played() -> None:
    settings = plan(blocks=1)
    some = Results()
    some.records = [record for record in run(settings, here, Results()) if record.number % 3]
    assert [each.number for each in run(settings, here, some)] == list(range(0, settings.total, 3))
    some.records = list(run(settings, here, Results()))
    assert not list(run(settings, Processes(2), some)), "nothing is left, and no worker is started"


@pytest.mark.parametrize("spec", ["random", "greedy:noise=0.5", "ismcts:sims=20", "cheat:sims=20"])
@pytest.mark.parametrize("game", ["leduc_poker", "oh_hell"])
def test_blocks_of_an_agent_against_itself_tie_exactly(game: str, spec: str) -> None:
    settings = plan(f"a={spec}", f"b={spec}", games=(game,))
    records = list(run(settings, here, Results()))
    for block in range(settings.blocks):
        games = [record for record in records if record.block == block]
        assert len({(record.actions, record.scores) for record in games}) == 1
        results = [(agent, score) for record in games
                   for agent, score in zip(record.agents, record.scores, strict=True)]
        assert sorted(score for agent, score in results if agent == 0) == \
               sorted(score for agent, score in results if agent == 1)


def test_a_worker_that_is_killed_is_replaced_and_no_game_is_lost_or_counted_twice() -> None:
    settings = plan("ismcts:sims=300", "greedy", blocks=10)
    numbers, killed = [], 0
    for record in run(settings, Processes(2), Results()):
        numbers.append(record.number)
        if len(numbers) in (3, 9):  # a third time might be the end of a game
            os.kill(active_children()[-1].pid or 0, signal.SIGKILL)
            killed += 1
    assert killed == 2
    assert sorted(numbers) == list(range(settings.total))


def test_a_game_whose_worker_always_dies_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "work", dies)
    with refused("game 0", "died 3 times", "exit code 7"):
        of(plan(), Processes(1))


def dies(talk: Connection, _settings: Settings) -> None:
    talk.recv()
    os._exit(7)


@pytest.mark.parametrize("executor", [here, Processes(2)])
def test_what_a_worker_refuses_ends_the_run_in_one_line(executor: Executor) -> None:
    settings = plan()
    other = [msgspec.structs.replace(table, cards="0" * 32) for table in settings.games]
    with refused("card table", "0" * 32):
        of(msgspec.structs.replace(settings, games=tuple(other)), executor)
    assert not active_children()


def test_a_fault_of_the_program_in_a_worker_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "work", fails)
    with pytest.raises(RuntimeError, match="ZeroDivisionError: division by zero") as caught:
        of(plan(), Processes(1))
    assert "in fails" in caught.value.__notes__[0]


def fails(talk: Connection, _settings: Settings) -> None:
    try:
        talk.recv() / 0
    except ZeroDivisionError as error:
        talk.send(arena.portable(error))


def test_a_run_that_is_left_early_ends_its_workers() -> None:
    with closing(run(plan(), Processes(2), Results())) as games:
        next(games)
        assert len(active_children()) == 2
    assert not active_children()


WITHOUT_END = """
import sys
from pathlib import Path
from multiprocessing import active_children
from sfumato.arena import Processes, run
from sfumato.plan import Settings, entrants, tables
from sfumato.records import opened

settings = Settings(tables(["connect_four"]), entrants(["ismcts:sims=500", "greedy"]), blocks=100000)
with opened(Path(sys.argv[1]), settings, 1) as results:
    for number, _ in enumerate(run(settings, Processes(2), results)):
        if number == 5:
            print(*(child.pid for child in active_children()), flush=True)
"""


def test_workers_whose_run_was_killed_end_and_the_file_is_free_again(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    command = [sys.executable, "-c", WITHOUT_END, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        workers = [int(word) for word in running.stdout.readline().split()]
        running.kill()
    assert len(workers) == 2
    eventually(lambda: not any(map(alive, workers)), "the workers go on alone")
    heading, records = read(file)
    assert len(records) >= 5
    with opened(file, heading.settings, 1, resume=True) as results:
        assert results.records == records


ENGINE_WITHOUT_END = """
import os
import sys
from multiprocessing import active_children
from sfumato.arena import Processes, here, run
from sfumato.plan import Settings, entrants, tables
from sfumato.records import Results

settings = Settings(tables(["leduc_poker"]), entrants(["greedy", sys.argv[1]]), blocks=100000)
if __name__ == "__main__":
    for number, _ in enumerate(run(settings, Processes(1) if sys.argv[2:] else here, Results())):
        if number == 3:
            print(active_children()[0].pid if sys.argv[2:] else os.getpid(), flush=True)
"""


@pytest.mark.skipif(not binding(), reason="this system cannot kill a program together with its parent")
@pytest.mark.parametrize("workers", [(), ("worker",)])
def test_an_engine_that_ignores_the_end_of_its_input_ends_with_the_run_or_the_worker_that_is_killed(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    numbers = tmp_path / "numbers"
    engine = f"{sys.executable} {Path(__file__).with_name('faulty_engine.py')} never_ends"
    spec = f"cmd[sims=5]:sh -c 'echo $$ >> {numbers}; exec {engine}'"
    command = [sys.executable, "-c", ENGINE_WITHOUT_END, spec, *workers]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            owner = int(running.stdout.readline())
            engine_of_it = int(numbers.read_text("ascii").split()[0])
            assert alive(engine_of_it)
            os.kill(owner, signal.SIGKILL)
            eventually(lambda: not alive(engine_of_it), "an engine goes on alone")
        finally:
            running.kill()


def alive(process: int) -> bool:
    """Whether a process runs; one that waits to be buried does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# --- a Dask cluster -------------------------------------------------------------------------------------


def test_on_a_cluster_that_loses_a_worker_nothing_is_lost_and_nothing_counts_twice() -> None:
    distributed = pytest.importorskip("distributed")
    from sfumato.cluster import Cluster
    from sfumato.signature import signature

    settings = plan("ismcts:sims=300", "greedy", blocks=15)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                  silence_logs=50) as local:
        records = []
        for record in run(settings, Cluster(local.scheduler_address, signature()), Results()):
            records.append(record)
            if len(records) == 7:
                os.kill(local.workers[0].process.pid, signal.SIGKILL)
        with refused("this program has 1"):
            of(settings, Cluster(local.scheduler_address, 1))
    records.sort(key=lambda each: each.number)
    assert [timeless(each) for each in records] == of(settings, here)


def test_a_cluster_that_is_not_there_is_one_line() -> None:
    pytest.importorskip("distributed")
    from sfumato.cluster import Cluster

    with refused("tcp://127.0.0.1:9", "no Dask scheduler answers"):
        of(plan(), Cluster("tcp://127.0.0.1:9", 1, patience=1))


def test_who_waits_for_a_cluster_is_told_so(capsys: pytest.CaptureFixture[str],
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    from sfumato import cluster

    monkeypatch.setattr(cluster, "SILENCE", 0.0)
    with refused("no Dask scheduler answers"):
        of(plan(), cluster.Cluster("tcp://127.0.0.1:9", 1, patience=1))
    assert capsys.readouterr().err == \
        "sfumato: waiting for the Dask cluster at tcp://127.0.0.1:9, 1 s at most\n"


@pytest.mark.parametrize("address", ["nonsense", "nonsense://x", "nonsense://x:1", "", "tcp://x"])
def test_what_is_no_address_is_refused_before_anything_is_looked_for(address: str) -> None:
    from sfumato.cluster import Cluster

    with refused("--dask", "expected an address as in tcp://host:8786", repr(address)):
        Cluster(address, 1)


SMALL_CLUSTER = """
import time
from distributed import LocalCluster

cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None,
                       protocol="tcp", host="127.0.0.1")
print(cluster.scheduler_address, flush=True)
time.sleep(600)
"""


def test_a_cluster_that_goes_away_is_one_line() -> None:
    pytest.importorskip("distributed")
    from sfumato.cluster import Cluster
    from sfumato.signature import signature

    command = [sys.executable, "-c", SMALL_CLUSTER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as cluster:
        assert cluster.stdout is not None
        address = cluster.stdout.readline().strip()
        try:
            games = run(plan(blocks=100_000), Cluster(address, signature(), patience=10), Results())
            next(games)
            cluster.kill()
            with refused(address, "the cluster has gone away"):
                for _ in games:
                    pass
        finally:
            cluster.kill()
