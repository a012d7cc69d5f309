"""Plays the games of a plan: in this process or in processes of its own (`cluster` has a third way).

An executor takes the settings and the numbers of the games to play, hands the games out in order, one at a
time, and yields every game's record exactly once, in whatever order they end. It cleans up when it is closed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections import deque
from contextlib import closing, contextmanager, suppress
from multiprocessing import connection, get_context, resource_tracker
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, NoReturn, Protocol

from .duel import Limits, play
from .games import SfumatoError
from .plan import load_table
from .records import Record
from .seated import Players

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from .plan import Settings
    from .records import Results

#: times that a game is begun before it is given up, if its worker dies each time
TRIES = 3
#: seconds that workers are given to end by themselves
GRACE = 5.0


class Executor(Protocol):
    """Plays games."""

    def __call__(self, settings: Settings, numbers: Sequence[int]) -> Generator[Record, None, None]:
        """The records of these games, as they end."""


def run(settings: Settings, executor: Executor, results: Results) -> Generator[Record, None, None]:
    """Plays all games that the results lack; yields every record once it is written down."""
    done = {record.number for record in results.records}
    with closing(executor(settings, [each for each in range(settings.total) if each not in done])) as games:
        for record in games:
            results.append(record)
            yield record


class Hall:
    """Where games are played one after the other: keeps the loaded games, and agents with their engines."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.limits = Limits(settings.move_ms, settings.game_ms, settings.max_plies)
        self.games = [load_table(table) for table in settings.games]
        self.players = Players(agent.spec for agent in settings.agents)

    def play(self, number: int) -> Record:
        planned = self.settings.planned(number)
        played = play(self.games[planned.game], planned, self.players, self.limits,
                      self.settings.key(planned))
        return Record(**planned._asdict(), **played._asdict())

    def close(self) -> None:
        self.players.close()


def here(settings: Settings, numbers: Sequence[int]) -> Generator[Record, None, None]:
    """Plays in this process."""
    with closing(Hall(settings)) as hall:
        for number in numbers:
            yield hall.play(number)


# --- processes ------------------------------------------------------------------------------------------


class Processes:
    """Plays in processes of its own. One that dies is replaced, and its game played again."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __call__(self, settings: Settings, numbers: Sequence[int]) -> Generator[Record, None, None]:
        crew = Crew(settings, numbers)
        try:
            for _ in range(min(self.workers, len(numbers))):
                crew.hire()
            yield from crew.play()
        finally:
            crew.dismiss()


class Crew:
    """The workers of a run, each with a game to play."""

    def __init__(self, settings: Settings, numbers: Sequence[int]) -> None:
        self.settings = settings
        self.left = deque(numbers)
        self.deaths: dict[int, int] = {}
        self.workers: dict[Connection, BaseProcess] = {}
        #: what each worker plays
        self.busy: dict[Connection, int] = {}

    def play(self) -> Generator[Record, None, None]:
        while self.busy:
            for talk in connection.wait(list(self.busy)):
                assert isinstance(talk, connection.Connection)
                try:
                    answer = talk.recv()
                except (EOFError, OSError):
                    self.replace(talk)
                    continue
                del self.busy[talk]
                if isinstance(answer, Exception):
                    raise answer
                self.hand_out(talk)
                yield answer

    def hire(self) -> None:
        """Starts a worker: a new interpreter, since a copy of this one would hold the results' lock."""
        context = get_context("spawn")
        talk, far = context.Pipe()
        process = context.Process(target=work, args=(far, self.settings), daemon=True)
        with uninterrupted():
            process.start()
        far.close()
        self.workers[talk] = process
        self.hand_out(talk)

    def hand_out(self, talk: Connection) -> None:
        """Gives a worker the next game. If it has died, `play` finds out."""
        if self.left:
            self.busy[talk] = self.left.popleft()
            with suppress(OSError):
                talk.send(self.busy[talk])

    def replace(self, talk: Connection) -> None:
        """Has another worker play the game of one that died."""
        number, process = self.busy.pop(talk), self.workers.pop(talk)
        talk.close()
        process.join()
        self.deaths[number] = self.deaths.get(number, 0) + 1
        if self.deaths[number] == TRIES:
            message = f"its worker died {TRIES} times, at last with exit code {process.exitcode}"
            raise SfumatoError("worker_died", message, f"game {number}")
        self.left.appendleft(number)
        self.hire()

    def dismiss(self) -> None:
        """Ends all workers; what they are playing is dropped."""
        for talk in self.workers:
            talk.close()
        deadline = time.monotonic() + GRACE
        for process in self.workers.values():
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A terminal interrupts all processes. What starts here does not hear of it: `talk` tells it."""
    resource_tracker.ensure_running()  # else it would start with the first worker, and let interrupts through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def work(talk: Connection, settings: Settings) -> None:
    """A worker: plays the games whose numbers come, until there is nobody to tell."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, leave)
    numbers: SimpleQueue[int] = SimpleQueue()
    Thread(target=listen, args=(talk, numbers), daemon=True).start()
    with suppress(BrokenPipeError, ConnectionResetError):
        try:
            with closing(Hall(settings)) as hall:
                while True:
                    talk.send(hall.play(numbers.get()))
        except BrokenPipeError:
            raise
        except Exception as error:
            talk.send(portable(error))


def listen(talk: Connection, numbers: SimpleQueue[int]) -> None:
    """Takes numbers while games are played, so that a worker learns at once that it is alone, and ends."""
    try:
        while True:
            numbers.put(talk.recv())
    except (EOFError, OSError):
        os.kill(os.getpid(), signal.SIGTERM)  # wakes the main thread, which ends the players' programs
        time.sleep(GRACE)
        os._exit(1)


def leave(_signal: int, _frame: object) -> NoReturn:
    sys.exit()


def portable(error: Exception) -> Exception:
    """An error that reaches another process whole; the place of a fault of the program goes with it."""
    if isinstance(error, SfumatoError):
        return error
    fault = RuntimeError(f"{type(error).__name__}: {error}")
    fault.add_note("".join(traceback.format_exception(error)))
    return fault
