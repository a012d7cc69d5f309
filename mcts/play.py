"""`sfumato play`: people against agents in the terminal.

A person sees the table from the own seat only, and is told of others' moves what that seat saw of them. Where
several people share the screen, it is cleared before it is passed on. The seed stays secret until the end.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from .agents import OPPONENT, SearchAgent, agent, decide, own_seed
from .games import SfumatoError
from .pages import draw_rules
from .progress import thinking
from .saved import free_name, save
from .table import draw_found, draw_moves, draw_outcome, draw_table, numbers, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from .saved import Session

COMMANDS = {
    "hint": "the moves that a search finds best, from what you know",
    "undo": "back to your previous decision, as often as you like",
    "save [FILE]": "put the game away; `sfumato play --resume FILE` goes on with it",
    "table": "draw the table and the moves again",
    "rules": "the rules of the game",
    "help": "this page",
    "quit": "leave the game",
}
#: moves that a hint shows
HINTS = 3
#: Clears the terminal with all that has scrolled away: the next person must not find a hand there.
WIPE = "\x1b[H\x1b[2J\x1b[3J"


class Quit(Exception):  # noqa: N818 - no error: the person has had enough
    """The person leaves."""


class Play:
    """One session at one screen."""

    def __init__(self, session: Session, console: Console, file: Path | None = None) -> None:
        self.session = session
        self.console = console
        #: the file that holds the game, and the state in it
        self.file = file
        self.saved = session.state.to_bytes()
        self.agents = {seat: agent(spec) for seat, spec in enumerate(session.seats) if spec is not None}
        person = "you" if len(session.people) == 1 else "a person"
        self.names = [f"seat {seat} ({spec or person})" for seat, spec in enumerate(session.seats)]
        #: what each person has not been told yet: the move's number and a line
        self.news: dict[int, list[tuple[int, Text]]] = {seat: [] for seat in session.people}
        self.at_screen = session.people[0] if len(session.people) == 1 else None

    def run(self) -> None:
        """Plays to the end, or until the person leaves."""
        try:
            while (seat := self.session.state.to_move) is not None:
                if seat in self.agents:
                    self.agents_turn(seat)
                else:
                    self.turn(seat)
            self.finish()
        except (Quit, EOFError):
            self.farewell()
        except KeyboardInterrupt:
            self.farewell()
            raise

    def agents_turn(self, seat: int) -> None:
        session, player = self.session, self.agents[seat]
        with thinking(self.names[seat], player, self.console.no_color) as report:
            action = decide(player, session.state, seat, session.seed, session.move, report)
        self.apply(action)

    def apply(self, action: int) -> None:
        """Plays a move, and keeps for each person what that seat saw of it."""
        step = self.session.state.apply(action)
        self.session.move += 1
        for person, news in self.news.items():
            name = "you" if step.seat == person else self.names[step.seat]
            news.append((self.session.move, tell(step, person, name)))

    # --- a person's turn ----------------------------------------------------------------------------

    def turn(self, seat: int) -> None:
        """Asks a person until there is a move, or the table has gone back to an earlier one."""
        state = self.session.state
        words = state.legal_words
        self.hand_over(seat)
        self.draw(seat, words)
        prompt = f"{state.phase} ({numbers(words)[0]}-{numbers(words)[-1]}, words or help)> "
        while True:
            typed = " ".join(self.ask(prompt, words).split())
            if typed in words:
                break
            command, _, rest = typed.partition(" ")
            if command == "undo" and not rest:
                if self.undo(seat):
                    return
            elif typed and not self.obey(command, rest, seat, words):
                try:
                    typed = chosen(typed, words)
                except SfumatoError as error:
                    self.console.print(Text(str(error), "red"))
                else:
                    break
        self.session.remember(seat)
        self.apply(state.action(typed))

    def ask(self, prompt: str, words: Sequence[str]) -> str:
        """A line from the person; in a terminal it can be edited, and Tab completes moves and commands."""
        complete_with([*words, *(command.split()[0] for command in COMMANDS)])
        return input(prompt)

    def hand_over(self, seat: int) -> None:
        """Passes the screen on, if somebody else had it."""
        if self.at_screen == seat:
            return
        self.wipe()
        self.console.print(Text(f"Pass the screen to seat {seat}.", "bold"))
        self.ask(f"Seat {seat}, press Enter when nobody else looks. ", ())
        self.wipe()
        self.at_screen = seat

    def wipe(self) -> None:
        if self.console.is_terminal:
            self.console.file.write(WIPE)

    def draw(self, seat: int, words: Sequence[str]) -> None:
        """What is new for a seat, the table as it sees it, its moves."""
        for _, line in self.news[seat]:
            self.console.print(line)
        self.news[seat].clear()
        draw_table(self.console, self.session.state, seat, f"{self.session.game.title}, you are seat {seat}")
        if words:
            draw_moves(self.console, words)

    def undo(self, seat: int) -> bool:
        """Goes back to the person's previous decision. Others are not told of moves that are undone."""
        if not self.session.undo(seat):
            self.console.print("There is no earlier decision of yours.")
            return False
        self.console.print("Back to your previous decision.")
        now = self.session.move
        for person, news in self.news.items():
            news[:] = [(move, line) for move, line in news if move <= now]
            if person != seat:
                news.append((now, Text(f"{self.names[seat]} took back all after move {now}")))
        return True

    def obey(self, command: str, rest: str, seat: int, words: Sequence[str]) -> bool:
        """Does what a command says; False if it is none."""
        if command == "save":
            self.save(rest)
            return True
        if rest:
            return False
        if command == "quit":
            raise Quit
        if command == "hint":
            self.hint(seat, words)
        elif command == "table":
            self.draw(seat, words)
        elif command == "rules":
            self.rules()
        elif command in ("help", "?"):
            self.help()
        else:
            return False
        return True

    def hint(self, seat: int, words: Sequence[str]) -> None:
        """The best moves of a search that knows what the person knows. The table stays as it is."""
        session, player = self.session, agent(OPPONENT)
        assert isinstance(player, SearchAgent)
        with thinking("the hint", player, self.console.no_color) as report:
            seed = own_seed(session.seed, seat, session.move)
            result = player.think(session.state.hidden(seat), seed, report)
        draw_found(self.console, result, HINTS, numbers(words))

    def help(self) -> None:
        self.console.print("A move: its number, its words, or as much of its words as names no other move.")
        for command, meaning in COMMANDS.items():
            self.console.print(Text.assemble((f"  {command:<12}", "cyan"), meaning))

    def rules(self) -> None:
        try:
            draw_rules(self.console, self.session.game.rules_page)
        except OSError as error:
            self.console.print(Text(f"no rules page: {error.strerror}", "red"))

    # --- putting away and ending --------------------------------------------------------------------

    def save(self, name: str) -> None:
        """Saves to the named file, else to the one used before, else to a new one."""
        try:
            file = Path(name).expanduser() if name else self.file or free_name(self.session.game.name)
            save(self.session, file)
        except OSError as error:
            self.console.print(Text(f"{name or self.file or Path.cwd()}: {error.strerror}", "red"))
        except (ValueError, RuntimeError) as error:  # refused, or no name that a file could have
            self.console.print(Text(str(error), "red"))
        else:
            self.file, self.saved = file, self.session.state.to_bytes()
            self.console.print(f"Saved. {self.way_back()}", soft_wrap=True)

    def way_back(self) -> str:
        return f"To go on: sfumato play --resume {shlex.quote(str(self.file))}"

    def farewell(self) -> None:
        """The last words of a game that was left."""
        self.console.print()
        if self.file is None:
            self.console.print("The game was not saved.")
            return
        if self.saved != self.session.state.to_bytes():
            self.console.print("What came after the last save is lost.")
        self.console.print(self.way_back(), soft_wrap=True)

    def finish(self) -> None:
        """The last table for each person, starting with the one at the screen, and the result."""
        people = self.session.people
        first = people.index(self.at_screen) if self.at_screen in people else 0
        for seat in people[first:] + people[:first]:
            self.hand_over(seat)
            self.draw(seat, ())
        draw_outcome(self.console, self.session.state.outcome, self.names)
        self.console.print(f"The seed was {self.session.seed}.")


def chosen(typed: str, words: Sequence[str]) -> str:
    """The move that was typed: its number, or words that each begin a word of the move, in order."""
    if typed.isdecimal():
        by_number = dict(zip(map(str, numbers(words)), words, strict=True))
        if typed in by_number:
            return by_number[typed]
        raise SfumatoError("bad_action", f"there is no move {typed}; `table` shows the moves")
    found = [move for move in words if begins(typed.lower().split(), move.lower().split())]
    if len(found) == 1:
        return found[0]
    if not found:
        raise SfumatoError("bad_action", f"{typed!r} is no move here and no command; try help")
    some = ", ".join(found[:4]) + (", ..." if len(found) > 4 else "")
    raise SfumatoError("bad_action", f"{typed!r} may be any of {len(found)} moves: {some}")


def begins(typed: Sequence[str], move: Sequence[str]) -> bool:
    """Whether each word typed begins a word of the move, in order."""
    left = iter(move)
    return all(any(word.startswith(part) for word in left) for part in typed)


def complete_with(lines: Sequence[str]) -> None:
    """Lets Tab complete to these lines, where there is line editing.

    Lines typed are not kept: the next person at the screen must not find them with the arrow keys.
    """
    try:
        import readline
    except ImportError:
        return

    def complete(text: str, index: int) -> str | None:
        found = [line for line in lines if line.startswith(text)]
        return found[index] if index < len(found) else None

    readline.set_auto_history(False)
    readline.set_completer_delims("")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
