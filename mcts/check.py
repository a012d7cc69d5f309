"""`sfumato check`: does a program keep what PROTOCOL.md promises? Any program, whoever wrote it.

There are two levels. The core is what a program needs to be asked for moves by observation: `hello`, `ping`,
`games`, `best_move`, `cancel` and `shutdown`, with the framing, the errors and the ends of every kind. The
full protocol is every method. `hello` lists the methods that a program offers: what needs another one is
skipped, but a program without the core fails. The truth about a game comes from this library: the check
deals and referees itself, and hands over what a seat knows. Games that it does not know are checked as far as
the program holds them itself.

Checks are small functions in `checks.py` and `checks_games.py`. Most share one child. One that needs an end,
or follows a failure, has a fresh child.
"""

from __future__ import annotations

import contextlib
import random
import signal
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from .checked import Child, Failed
from .games import NAMES, SfumatoError, load
from .games.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from . import methods as m
    from .games import Game, State

#: methods that every program has
CORE = ("hello", "ping", "games", "best_move", "cancel", "shutdown")
#: seconds that a search is given to begin, where nothing tells that it has
BEGIN = 1.0
#: milliseconds that a search must be allowed to take to be met while it runs
RUNS = 1000


class Skipped(Exception):  # noqa: N818
    """A check that does not apply."""


@dataclass(frozen=True)
class Check:
    """A promise, and how to try it."""

    name: str
    #: where PROTOCOL.md promises it
    place: str
    sentence: str
    #: methods without which it does not apply
    needs: tuple[str, ...]
    run: Callable[[Trial], None]

    def __contains__(self, word: str) -> bool:
        return word.lower() in f"{self.name} {self.sentence}".lower()


#: every check, in order
CHECKS: list[Check] = []


def check(name: str, place: str, *needs: str) -> Callable[[Callable[[Trial], None]], Callable[[Trial], None]]:
    """Adds a function to the checks; its docstring is what it promises."""
    def add(function: Callable[[Trial], None]) -> Callable[[Trial], None]:
        CHECKS.append(Check(name, place, function.__doc__ or "", needs, function))
        return function

    return add


def all_checks() -> list[Check]:
    from . import checks, checks_games  # noqa: F401

    return CHECKS


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Holds an interrupt back until a child that has been started is known to whoever ends it."""
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


class Trial:
    """A program under check: how it is started, and what it says of itself."""

    def __init__(self, command: Sequence[str], as_json: bool, timeout: float, only: Sequence[str]) -> None:
        self.command = command
        self.as_json = as_json
        self.timeout = timeout
        self.only = only
        self._shared: Child | None = None
        self._fresh: list[Child] = []
        self._speechless = False

    def fresh(self) -> Child:
        """A child of one check's own."""
        with uninterrupted():
            self._fresh.append(Child(self.command, self.as_json, self.timeout))
        return self._fresh[-1]

    @property
    def child(self) -> Child:
        """The child that checks share."""
        if self._shared is None:
            with uninterrupted():
                self._shared = Child(self.command, self.as_json, self.timeout)
        return self._shared

    def clear(self, spoilt: bool) -> None:
        """Ends the fresh children, and the shared one if a check has failed."""
        gone, self._fresh = self._fresh, []
        if spoilt and self._shared is not None:
            gone.append(self._shared)
            self._shared = None
        for each in gone:
            each.kill()

    def settle(self) -> None:
        """What is still to come belongs to this check: nothing but the answer to a ping."""
        if self._shared is not None and self.offers("ping"):
            self._shared.ask("ping")
            self._shared.require(not self._shared.errors(), "no error notification")
            self._shared.reports()

    @cached_property
    def hello(self) -> m.HelloReply:
        """What the program says of itself."""
        if self._speechless:
            raise Skipped("hello has failed")
        self._speechless = True
        found: m.HelloReply = self.child.ask("hello")
        self._speechless = False
        return found

    @cached_property
    def games(self) -> list[m.GameOf]:
        """The games to check."""
        found: list[m.GameOf] = self.child.ask("games").games
        names = [each.name for each in found]
        self.child.require(all(each.players for each in found), "player counts of every game")
        for name in self.only:
            if name not in names:
                raise unknown("bad_game", "game of the program", name, names)
        return [each for each in found if each.name in (self.only or names)]

    def offers(self, *methods: str) -> bool:
        return {*methods} <= {each.name for each in self.hello.methods}

    # --- positions --------------------------------------------------------------------------------------

    def tables(self) -> Iterator[tuple[Game, int]]:
        """The games that are known here too, with the fewest and with the most players."""
        for each in self.games:
            game = load(each.name) if each.name in NAMES else None
            if game is not None and game.cards_digest in [table.cards for table in each.tables]:
                for players in sorted({min(each.players), max(each.players)} & {*game.seats}):
                    yield game, players

    def deals(self, seed: int = 7) -> list[State]:
        """A new table of each. There is at least one."""
        found = [game.new(players, seed) for game, players in self.tables()]
        if not found:
            raise Skipped("none of its games is known here, with its card table")
        return found

    @cached_property
    def widest(self) -> State:
        """A position with many moves, for a search that takes long."""
        return max(self.deals(), key=lambda state: len(state.legal_actions))

    def asking(self, **more: object) -> dict[str, object]:
        """A question by observation, for `best_move` and `analyze`."""
        state = self.widest
        assert state.to_move is not None
        return {"observation": state.observation(state.to_move), **more}

    def search(self, child: Child) -> int:
        """A search that runs until it is cancelled, and has begun; its id."""
        if self.hello.limits.ms < RUNS:
            raise Skipped(f"its searches take {self.hello.limits.ms} ms at most")
        child.reports()
        number = child.send("best_move", self.asking(limits={"ms": self.hello.limits.ms}, report_every_ms=10))
        with contextlib.suppress(Failed):
            patience, child.timeout = child.timeout, min(BEGIN, child.timeout)
            try:
                child.until(lambda: not child.open[number] or child.told("report"), "its begin")
            finally:
                child.timeout = patience
        if child.answers.get(number):
            stop = child.result("best_move", child.wait(number)).stop
            raise Skipped(f"its searches end at once, with stop {stop}")
        child.reports()
        return number

    def luck(self) -> random.Random:
        """The same choices in every run."""
        return random.Random(7)


@dataclass(frozen=True)
class Found:
    """What a check brought."""

    check: Check
    #: ok, failed or skipped
    how: str
    why: str = ""
    failure: Failed | None = None


def tried(trial: Trial, check: Check) -> Found:
    """Runs one check, which can fail and never hang."""
    found = Found(check, "ok")
    try:
        missing = [name for name in check.needs if not trial.offers(name)]
        if missing:
            raise Skipped(f"{missing[0]} is not offered")
        check.run(trial)
        trial.settle()
    except Skipped as skipped:
        found = Found(check, "skipped", str(skipped))
    except Failed as failed:
        found = Found(check, "failed", failure=failed)
    trial.clear(found.how == "failed")
    return found


def chosen(words: Sequence[str]) -> list[Check]:
    """The checks with one of these words in the name or the sentence; without words all."""
    found = [each for each in all_checks() if not words or any(word in each for word in words)]
    if not found:
        raise SfumatoError("bad_option", f"no check has {' or '.join(map(repr, words))} in it", "--only")
    return found


# --- for people -----------------------------------------------------------------------------------------

STYLES = {"ok": "green", "failed": "bold red", "skipped": "yellow"}


def line(*parts: tuple[str, int, str] | str) -> Text:
    """Texts with their widths and styles, and at last one that takes the rest."""
    return Text("  ").join(Text(each) if isinstance(each, str) else Text(each[0].ljust(each[1]), each[2])
                           for each in parts)


def name_width() -> int:
    return max(len(each.name) for each in all_checks())


def draw_checks(console: Console) -> None:
    """Every check with its sentence."""
    for each in all_checks():
        console.print(line((each.name, name_width(), "bold"), each.sentence), soft_wrap=True)


def draw_found(console: Console, found: Found) -> None:
    """A line, and for a failure what was sent, what came and what was expected."""
    console.print(line((found.how, 7, STYLES[found.how]), (found.check.name, name_width(), "bold"),
                       found.why or found.check.sentence), soft_wrap=True)
    if found.failure is not None:
        details = Table.grid(padding=(0, 2, 0, 0))
        details.add_column(width=7)
        details.add_column(style="cyan", no_wrap=True)
        details.add_column(overflow="fold")
        for name in ("sent", "came", "expected"):
            details.add_row("", name, Text(getattr(found.failure, name)))
        details.add_row("", "promised", f"PROTOCOL.md, {found.failure.place or found.check.place}")
        console.print(details)


def run(console: Console, trial: Trial, checks: Sequence[Check]) -> bool:
    """Checks the program and tells; True: nothing failed."""
    found = []
    try:
        for each in checks:
            found.append(tried(trial, each))
            draw_found(console, found[-1])
    finally:
        trial.clear(spoilt=True)
    counts = {how: sum(each.how == how for each in found) for how in STYLES}
    text = Text(", ".join(f"{count} {how}" for how, count in counts.items() if count), "bold")
    if not counts["failed"] and len(checks) == len(all_checks()):
        text.append(verdict(trial, [each.check for each in found if each.how == "skipped"]))
    console.print(text)
    return not counts["failed"]


def verdict(trial: Trial, skipped: Sequence[Check]) -> str:
    """Which level a program has shown to keep, if no check failed."""
    if any(trial.offers(*each.needs) for each in skipped):  # something was offered and could not be tried
        return ""
    return ": it keeps the core of the protocol" if skipped else ": it keeps the protocol"
