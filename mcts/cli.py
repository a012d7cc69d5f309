"""The command line: commands and options only; what they do lives in the modules they call."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import __version__
from .agents import DEFAULT, KINDS
from .demo import demo
from .games import NAMES, SfumatoError, game_class, load
from .games.errors import unknown
from .games.option import spoken
from .games.state import fresh
from .play import Play
from .playthrough import playthrough
from .saved import begin, resume
from .streams import drop_output, ready, require_open
from .table import draw_games, draw_rules, screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .games import Game
    from .games.option import Value

F = TypeVar("F", bound="Callable[..., Any]")

EPILOG = f"""\b
Agents: {", ".join(kind.describe() for kind in KINDS.values())}.

\b
Completion for this shell (bash; zsh and fish likewise):
  eval "$(_SFUMATO_COMPLETE=bash_source sfumato)"
"""


class OneLine(click.Group):
    """Commands whose every failure is one line on stderr and exit code 2; 130 after an interrupt."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None,
             complete_var: str | None = None, standalone_mode: bool = True, **extra: Any) -> Any:
        try:
            require_open("output", sys.stdout)
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()  # here, where a full disk can still be told
        except SystemExit as leaving:  # so click and rich leave, silently, when the reader of a pipe has gone
            code = 2 if leaving.code else 0
        except click.Abort:
            code = fail("interrupted", 130)
        except click.ClickException as error:
            code = fail(error.format_message(), context=getattr(error, "ctx", None))
        except SfumatoError as error:
            code = fail(str(error))
        except OSError as error:
            said = error.strerror or str(error)
            code = fail(f"{error.filename}: {said}" if error.filename else said)
            if error.filename is None:
                drop_output()
        except Exception as error:
            if "SFUMATO_TRACEBACK" in os.environ:
                raise
            fault = f"{type(error).__name__}: {error}"
            code = fail(f"{fault} (a fault of the program; SFUMATO_TRACEBACK=1 shows where)")
        if standalone_mode:
            sys.exit(code)
        return code


def fail(message: str, code: int = 2, context: click.Context | None = None) -> int:
    """Says in one line what went wrong; returns the exit code."""
    where = context.command_path if context else "sfumato"
    click.echo(f"{where}: {' '.join(message.split())}", err=True)
    return code


# --- what several commands take -------------------------------------------------------------------------


def require_game(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    """Refuses the name of a game that there is not."""
    if name is not None and name not in NAMES:
        raise unknown("bad_game", "game", name, NAMES)
    return name


def complete_game(_context: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Names of games for the shell."""
    return [name for name in NAMES if name.startswith(start)]


def complete_option(context: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Rule options of the game named before, with their values, for the shell."""
    # While the option's value is still missing, click has not yet told GAME from other arguments.
    named = [name for name in (context.params.get("game"), *context.args) if name in NAMES]
    options = game_class((named or NAMES)[0]).options
    written = [f"{option.name}={spoken(value)}" for option in options for value in option.choices or ("",)]
    return [each for each in written if each.startswith(start)]


def complete_agent(_context: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Names of agents for the shell."""
    return [name for name in KINDS if name.startswith(start)]


def a_game(required: bool = True) -> Callable[[F], F]:
    """The argument GAME."""
    return click.argument("game", required=required, callback=require_game, shell_complete=complete_game)


def table_options(function: F) -> F:
    """The options of every command that sets up a table."""
    for option in (
        click.option("--cards", metavar="FILE", help="A card table in place of the game's own."),
        click.option("-o", "--option", "options", multiple=True, metavar="NAME=VALUE",
                     shell_complete=complete_option, help="A rule option; `sfumato games` lists them."),
        click.option("--seed", type=int, metavar="N", help="The seed of all chance; any if not given."),
        click.option("--players", type=int, metavar="N", help="Number of players; the fewest if not given."),
    ):
        function = option(function)
    return function


def agents_option(text: str) -> Callable[[F], F]:
    """The option --agent."""
    return click.option("--agent", "agents", multiple=True, metavar="SPEC", help=text,
                        shell_complete=complete_agent)


bots_option = agents_option(f"Who plays, seat by seat, over again.  [default: {', '.join(DEFAULT)}]")
no_color_option = click.option("--no-color", is_flag=True, help="No colours, as with NO_COLOR set.")


def read_options(game: str, options: Sequence[str]) -> dict[str, Value]:
    """The rule options that the command line names."""
    known = {option.name: option for option in game_class(game).options}
    values: dict[str, Value] = {}
    for written in options:
        name, equals, text = written.partition("=")
        if not equals:
            raise SfumatoError("bad_option", f"expected NAME=VALUE, got {written!r}", "option")
        if name not in known:
            raise unknown("bad_option", f"option of {game}", name, known)
        if name in values:
            raise SfumatoError("bad_option", "given twice", f"option {name}")
        values[name] = known[name].parse(text)
    return values


def set_up(game: str, options: Sequence[str], cards: str | None, players: int | None) -> tuple[Game, int]:
    """The game as the command line has it, and the number of players."""
    loaded = load(game, cards, **read_options(game, options))
    return loaded, loaded.seats[0] if players is None else players


@click.group(cls=OneLine, invoke_without_command=True, subcommand_metavar="[COMMAND] [ARGS]...",
             epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sfumato", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """An AI opponent engine for board games with hidden hands and shuffled decks."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command("games")
@no_color_option
def games_command(no_color: bool) -> None:
    """List the games and their options."""
    draw_games(screen(no_color), [load(name) for name in NAMES])


@cli.command("rules")
@a_game()
@no_color_option
def rules_command(game: str, no_color: bool) -> None:
    """Show the rules of a game."""
    draw_rules(screen(no_color), load(game).rules_page)


@cli.command("demo")
@a_game(required=False)
@table_options
@bots_option
@click.option("--every", type=click.IntRange(min=0), default=10, show_default=True, metavar="N",
              help="Draw the table after every N moves; 0: only at the start and the end.")
@no_color_option
def demo_command(game: str | None, players: int | None, seed: int | None, options: tuple[str, ...],
                 cards: str | None, agents: tuple[str, ...], every: int, no_color: bool) -> None:
    """Watch bots play a whole game.

    Without GAME: the first game that `sfumato games` lists.
    """
    loaded, players = set_up(game or NAMES[0], options, cards, players)
    demo(screen(no_color), loaded, players, open_seed(seed), agents or DEFAULT, every)


@cli.command("playthrough")
@a_game()
@table_options
@bots_option
def playthrough_command(game: str, players: int | None, seed: int | None, options: tuple[str, ...],
                        cards: str | None, agents: tuple[str, ...]) -> None:
    """Write down a whole game between bots.

    Plain text: every legal move, and what each seat saw and knew after each step.
    """
    loaded, players = set_up(game, options, cards, players)
    for line in playthrough(loaded, players, open_seed(seed), agents or DEFAULT):
        click.echo(line)


@cli.command("perft")
@a_game()
@click.option("--depth", type=click.IntRange(1, 64), required=True, metavar="D",
              help="Decisions to look ahead, 1 to 64.")
@table_options
def perft_command(game: str, depth: int, players: int | None, seed: int | None, options: tuple[str, ...],
                  cards: str | None) -> None:
    """Count the sequences of 1 to D decisions from the start.

    Chance falls as the seed has it; a sequence that ends the game early counts too.
    """
    loaded, players = set_up(game, options, cards, players)
    seed = open_seed(seed)
    position = loaded.new(players, seed).position
    click.echo(f"{game}, {players} players, seed {seed}")
    # The count runs outside Python, where an interrupt would wait for its end.
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        for plies in range(1, depth + 1):
            click.echo(f"{plies:>3} {position.perft(plies):>20}")
    finally:
        signal.signal(signal.SIGINT, handler)


@cli.command("play")
@a_game(required=False)
@click.option("--seat", "people", type=int, multiple=True, metavar="N",
              help="A person's seat; again for each further person.  [default: 0]")
@table_options
@agents_option("Who plays the other seats, over again.  [default: greedy]")
@click.option("--resume", "file", type=click.Path(path_type=Path), metavar="FILE",
              help="Go on with a game that was saved; takes all else from the file.")
@no_color_option
@click.pass_context
def play_command(context: click.Context, game: str | None, people: tuple[int, ...], players: int | None,
                 seed: int | None, options: tuple[str, ...], cards: str | None, agents: tuple[str, ...],
                 file: Path | None, no_color: bool) -> None:
    """Play against bots, alone or with others at one screen."""
    require_open("input", sys.stdin)
    if file is not None:
        given = [name for name in context.params if name not in ("file", "no_color") and context.params[name]]
        if given or seed is not None or players is not None:
            raise click.UsageError("--resume takes the whole game from the file: give nothing beside it")
        session = resume(file)
    elif game is None:
        raise click.UsageError(f"name a game ({', '.join(NAMES)}), or a saved one with --resume FILE")
    else:
        session = begin(game, read_options(game, options), cards, players, people or (0,), agents, seed)
    Play(session, screen(no_color), file).run()


def open_seed(seed: int | None) -> int:
    """The given seed, or a short one for a game whose seed is no secret."""
    return fresh(None) >> 40 if seed is None else seed


def main() -> None:
    """The program `sfumato`."""
    ready()
    cli(prog_name="sfumato")
