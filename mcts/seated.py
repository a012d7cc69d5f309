"""Who sits at a seat of the arena: an agent of this process, the one that cheats, or another program.

A player is handed what its seat knows (`cheat` alone: the table) and answers with the id of an action. What a
player does wrong is data: it raises `Faulty`, which ends the game, and goes on with the next one. A program
is a child process that is kept from game to game, and started anew after a fault.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from contextlib import suppress
from functools import cache
from shutil import which
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from .agents import KINDS as OF_THIS_PROCESS
from .agents import SEARCH, TREES, Kind, SearchAgent, agent, parameters, read_parameters
from .cheat import CheatAgent
from .checked import Child, Failed, Note, plain, seemly
from .games.errors import SfumatoError, short, shown
from .methods import METHODS
from .parameters import Parameter
from .search import LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType
    from typing import Self

    from .agents import Agent
    from .checked import Answer
    from .games import Game, State
    from .methods import Found, GameOf
    from .parameters import Value

#: How agents are named in the arena.
HELP = """\
An agent is named as everywhere: greedy, or ismcts:sims=1000,variant=mo ("sfumato agents" lists all). The
arena has two more kinds:

cheat:sims=1000 searches the true table, hidden cards included, but not what chance will bring: the ceiling.
Parameters are those of ismcts, but for variant.

cmd:PROGRAM ARGUMENTS is any program that keeps the protocol (see "sfumato check"), asked by observation
alone. Its words are split as a shell does it, with quotes, and no shell is started: cmd:./engine --flag
"two words". Your own shell wants the whole of it quoted: 'cmd:./engine --flag "two words"'. Brackets before
the colon say how it is asked: cmd[ms=200]:./engine. They take the limits sims, ms, nodes and confidence,
which the program is told; game_ms, its milliseconds for a whole game; and at last agent, which is everything
up to the bracket: cmd[ms=200,agent=ismcts:variant=mo]:sfumato serve. A program that takes longer than its ms,
or than 60 seconds if it has no clock at all, is late; every clock has a grace of 250 milliseconds, that of a
game once. A program sees the seed that it is asked with, which tells nothing of the deal unless it can guess
the seed of all: with a stranger's program take --seed random.
"""

#: seconds that an answer may come after its time: a busy machine is no player's fault
GRACE = 0.25
#: seconds that a program has to start and say what it offers, to answer without any clock, and to end
START, ANSWER, END = 30.0, 60.0, 2.0
#: and to answer the question by which it is tried
FIRST = 5.0
#: characters of a reason, and of a program's last words in it
LONGEST_REASON, LAST_WORDS = 500, 200
COMMAND = re.compile(r"cmd(?:\[(?P<options>[^]]*)\])?:(?P<words>.*)", re.DOTALL)
GAME_MS = Parameter("game_ms", "milliseconds for its moves of a game", 60_000.0, low=1, high=10**9)


class Faulty(Exception):  # noqa: N818
    """What a player did wrong; `kind` is one of crashed, late, garbage, illegal and refused."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = short(seemly(" ".join(reason.split())), LONGEST_REASON)


class Answered(NamedTuple):
    """A player's move, and how many simulations it took."""

    action: int
    sims: int = 0


class Player(Protocol):
    """Somebody at a seat. A player may sit at several seats of a table, and serves one thread."""

    #: milliseconds for a move and for a game that are the player's own; None: none
    ms: float | None
    game_ms: float | None

    def begin(self, game: Game, players: int) -> None:
        """Gets ready for a game at a table of so many. Raises `Faulty`."""

    def view(self, state: State, seat: int) -> Any:
        """What is handed to it of the table when the seat is to move."""

    def answer(self, view: Any, seed: int, seconds: float | None) -> Answered:
        """The move to play. After so many seconds nobody waits any longer; None: any time. Raises
        `Faulty`."""

    def close(self, at_once: bool = False) -> None:
        """Ends what it has started, `at_once` without asking; the next game begins anew."""


# --- in this process ------------------------------------------------------------------------------------


class InProcess:
    """An agent of this process, handed the canonical world of what its seat knows."""

    ms: float | None = None
    game_ms: float | None = None

    def __init__(self, mind: Agent) -> None:
        self.mind = mind

    def begin(self, game: Game, players: int) -> None:
        pass

    def view(self, state: State, seat: int) -> State:
        return state.hidden(seat)

    def answer(self, view: State, seed: int, seconds: float | None) -> Answered:
        try:
            if not isinstance(self.mind, SearchAgent):
                return Answered(self.mind.choose(view, seed))
            found = self.mind.think(view, seed, cancelled=None if seconds is None else passed(seconds))
        except SfumatoError as error:
            raise Faulty("refused", str(error)) from error
        except Exception as error:
            raise Faulty("crashed", f"{type(error).__name__}: {error}") from error
        return Answered(found.best.action, found.sims)

    def close(self, at_once: bool = False) -> None:
        pass


class Cheating(InProcess):
    """An agent that is handed the table: the position as it is, with a future of its own."""

    def view(self, state: State, seat: int) -> State:  # noqa: ARG002
        return state.clone(0)


def passed(seconds: float) -> Callable[[], bool]:
    """Asks whether so much time has passed since now."""
    deadline = time.monotonic() + seconds
    return lambda: time.monotonic() > deadline


# --- other programs -------------------------------------------------------------------------------------


class Late(Failed):
    """Nothing came in time."""


class Talk(Child):
    """A conversation that may last for many games: it keeps nothing that nobody asks for."""

    def _note(self, message: Answer | Note) -> None:
        super()._note(message)
        self.notes.clear()
        if isinstance(message, Note) and message.method == "error":
            raise Faulty("refused", f"it cannot answer: {plain(message.params)}")

    def _failed(self, came: str, expected: str) -> Failed:
        return (Failed if self.ended else Late)(self.sent, came, expected)

    def asked(self, method: str, params: dict[str, Any], seconds: float) -> Any:
        """The typed result of a method, within so many seconds."""
        deadline = time.monotonic() + seconds
        self.timeout = seconds
        try:
            number = self.send(method, params)
            self.timeout = max(0.0, deadline - time.monotonic())
            answer = self.wait(number)
            if answer.error is not None:
                raise Faulty("refused", refusal(answer.error))
            return self.typed(answer.result, METHODS[method].result, f"a result of {method}")
        except Failed as failed:
            kind = "crashed" if self.ended else "late" if isinstance(failed, Late) else "garbage"
            came = {"crashed": failed.came, "late": f"no answer to {method} within {seconds:.3g} s",
                    "garbage": f"{short(failed.came, LAST_WORDS)}; expected: {failed.expected}"}[kind]
            raise Faulty(kind, f"{came}{self.last_words()}") from None
        finally:
            self.open.clear()
            self.answers.clear()
            self.order.clear()

    def last_words(self) -> str:
        """What it last said to people, if anything."""
        self._reading.discard(self._out)
        self.look(0)
        said = self.log.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return f"; on stderr: {short(said, LAST_WORDS)}" if said else ""

    def finish(self) -> None:
        """Asks it to end, and waits a while."""
        self.timeout = END
        with suppress(Failed, Faulty):
            self.tell("shutdown", {})
            self.close()
            self.end(0)


def refusal(error: Any) -> str:
    """An error of the protocol in one line."""
    if not isinstance(error, dict):
        return plain(error)
    where = f"{error['path']}: " if error.get("path") else ""
    return f"{error.get('code')}: {where}{error.get('message')}"


class Program:
    """Another program, handed its seat's observation."""

    def __init__(self, words: Sequence[str], asking: dict[str, Any], game_ms: float | None = None) -> None:
        self.words = words
        #: parameters of `best_move` beside the observation and the seed
        self.asking = asking
        self.ms: float | None = asking.get("limits", {}).get("ms")
        self.game_ms = game_ms
        #: its name and version
        self.called = ""
        self._talk: Talk | None = None
        self._offers: dict[str, GameOf] = {}

    def begin(self, game: Game, players: int) -> None:
        if self._talk is not None and (self._talk.ended or self._talk.process.poll() is not None):
            self.close(at_once=True)
        if self._talk is None:
            self._start()
        offered = self._offers.get(game.name)
        if offered is None:
            raise Faulty("refused", f"it does not offer {game.name}")
        if players not in offered.players:
            raise Faulty("refused", f"it does not offer {game.name} for {players} players")
        if game.cards_digest not in [table.cards for table in offered.tables]:
            raise Faulty("refused", f"it does not offer {game.name} with the card table {game.cards_digest}")

    def _start(self) -> None:
        try:
            self._talk = Talk(mortal(self.words), as_json=False, timeout=START)
        except (OSError, ValueError) as error:  # a null in a word is a ValueError
            why = error.strerror if isinstance(error, OSError) else error
            raise Faulty("crashed", f"{self.words[0]} cannot be started: {why}") from None
        hello = self._talk.asked("hello", {}, START)
        self.called = f"{hello.name} {hello.version}"
        self._offers = {each.name: each for each in self._talk.asked("games", {}, START).games}

    def view(self, state: State, seat: int) -> dict[str, Any]:
        return state.observation(seat)

    def answer(self, view: dict[str, Any], seed: int, seconds: float | None) -> Answered:
        assert self._talk is not None, "begin comes first"
        params = {"observation": view, "seed": seed, "top": 0, **self.asking}
        found: Found = self._talk.asked("best_move", params, ANSWER if seconds is None else seconds)
        return Answered(found.action, found.sims)

    def close(self, at_once: bool = False) -> None:
        talk, self._talk = self._talk, None
        if talk is None:
            return
        try:
            if not at_once:
                talk.finish()
        finally:
            talk.kill()


def mortal(words: Sequence[str]) -> list[str]:
    """The command of a program that ends with us even if we are killed and it never reads to its end. A
    program that cannot be found is left to fail by itself."""
    return [*(binding() if which(words[0]) else ()), *words]


@cache
def binding() -> tuple[str, ...]:
    """What has the system kill a program together with its parent, where there is such a thing. It becomes
    the program; to do it between fork and exec would not be safe with threads."""
    words = ("setpriv", "--pdeathsig", "KILL", "--")
    with suppress(OSError):
        if not subprocess.run([*words, "true"], check=False, capture_output=True).returncode:
            return words
    return ()


# --- specs ----------------------------------------------------------------------------------------------


def no_program(**_: Value) -> Agent:
    raise SfumatoError("bad_agent", "expected cmd:PROGRAM or cmd[key=value,...]:PROGRAM")


KINDS: dict[str, Kind] = {
    **OF_THIS_PROCESS,
    "cheat": Kind("cheat", "searches the true table: the ceiling", CheatAgent,
                  parameters(f"{SEARCH} {TREES} trees")),
    "cmd": Kind("cmd", "another program, asked by observation alone", no_program, (*LIMITS, GAME_MS)),
}


def player(spec: str) -> Player:
    """The player that a spec names. Nothing is started yet."""
    command = COMMAND.fullmatch(spec)
    if command is None:
        mind = agent(spec, KINDS)
        return Cheating(mind) if isinstance(mind, CheatAgent) else InProcess(mind)
    try:
        return program(command["words"], command["options"])
    except SfumatoError as error:
        raise SfumatoError("bad_agent", str(error), f"agent {short(spec)}") from None


def program(written: str, options: str | None) -> Program:
    """The program of a spec: its words, and what its brackets say."""
    try:
        words = shlex.split(written)
    except ValueError as error:
        raise SfumatoError("bad_agent", f"{str(error).lower()} in {shown(written)}") from None
    if not words:
        raise SfumatoError("bad_agent", "expected a program after the colon")
    limits, named, spec = f",{options or ''}".partition(",agent=")
    given = read_parameters(KINDS["cmd"], limits[1:].split(",") if limits[1:] else [])
    game_ms = cast("float | None", given.pop("game_ms", None))
    asking: dict[str, Any] = {"limits": given} if given else {}
    return Program(words, {**asking, "agent": spec} if named else asking, game_ms)


class Players(list[Player]):
    """The players of some specs, in their order."""

    def __init__(self, specs: Iterable[str]) -> None:
        super().__init__(map(player, specs))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends every program, all at the same time: some may have to be waited for."""
        programs = [each for each in self if isinstance(each, Program)]
        if programs:
            from concurrent.futures import ThreadPoolExecutor  # slow to import, and seldom needed

            with ThreadPoolExecutor(len(programs)) as pool:
                list(pool.map(Program.close, programs))


def check(spec: str, tables: Iterable[tuple[Game, int]]) -> str:
    """Refuses a spec that cannot play at these tables (a game and its number of players): a program that
    cannot be started, does not offer the game, or refuses the first question. Returns what to call it."""
    found = player(spec)
    try:
        for game, players in tables:
            found.begin(game, players)
            ask_once(found, game.new(players, 0))
    except Faulty as fault:
        raise SfumatoError("bad_agent", fault.reason, f"agent {short(spec)}") from None
    finally:
        found.close()
    return found.called if isinstance(found, Program) else spec


def ask_once(asked: Player, state: State) -> None:
    """Shows whether a player refuses to answer; all else will show in its games."""
    assert state.to_move is not None
    try:
        asked.answer(asked.view(state, state.to_move), 0, FIRST if isinstance(asked, Program) else 0)
    except Faulty as fault:
        if fault.kind == "refused":
            raise
        asked.close(at_once=True)
