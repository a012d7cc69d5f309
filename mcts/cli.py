"""The command line: commands and options only; what they do lives in the modules they call."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from . import __version__
from .agents import DEFAULT, KINDS
from .demo import demo
from .games import NAMES, SfumatoError, game_class, load
from .games.errors import unknown
from .games.option import spoken
from .games.state import fresh

from .playthrough import playthrough
from .table import draw_games, draw_rules, screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from .games import Game
    from .games.option import Value

F = TypeVar("F", bound="Callable[..., Any]")

EPILOG = f"""\b
Games: {", ".join(NAMES)}.
Agents: {", ".join(kind.describe() for kind in KINDS.values())}.

\b
Completion for this shell (bash; zsh and fish likewise):
  eval "$(_SFUMATO_COMPLETE=bash_source sfumato)"
"""


class OneLine(click.Group):
    """Commands whose every failure is one line on stderr and exit code 2; 130 after an interrupt."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        try:
            code = super().main(*args, standalone_mode=False, **extra)
        except click.Abort:
            code = fail("interrupted", 130)
        except click.ClickException as error:
            code = fail(error.format_message(), context=getattr(error, "ctx", None))
        except SfumatoError as error:
            code = fail(str(error))
        except OSError as error:
            code = fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        except Exception as error:
            if "SFUMATO_TRACEBACK" in os.environ:
                raise
            code = fail(f"{type(error).__name__}: {error} (a fault of the program: SFUMATO_TRACEBACK=1 shows where)")
        if standalone_mode:
            sys.exit(code)
        return code


def fail(message: str, code: int = 2, context: click.Context | None = None) -> int:
    where = context.command_path if context else "sfumato"
    click.echo(f"{where}: {' '.join(message.split())}", err=True)
    return code


class GameName(click.ParamType):
    """The name of a registered game."""

    name = "game"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        if value not in NAMES:
            raise unknown("bad_game", "game", value, NAMES)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        return [CompletionItem(name) for name in NAMES if name.startswith(incomplete)]


class RuleOption(click.ParamType):
    """A rule option as `name=value`; which there are depends on the game."""

    name = "name=value"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if "=" not in value:
            self.fail(f"expected name=value, got {value!r}", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        written = [
            f"{option.name}={spoken(choice)}"
            for option in game_class(ctx.params.get("game") or NAMES[0]).options
            for choice in option.choices or ("",)
        ]
        return [CompletionItem(each) for each in written if each.startswith(incomplete)]


class AgentSpec(click.ParamType):
    """The spec of an agent; checked when the agent is made."""

    name = "spec"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        return [CompletionItem(name, help=kind.help) for name, kind in KINDS.items() if name.startswith(incomplete)]


def a_game(required: bool = True) -> Callable[[F], F]:
    return click.argument("game", type=GameName(), required=required)


def table_options(function: F) -> F:
    """What every command that sets up a table takes."""
    for option in (
        click.option("--cards", metavar="FILE", type=click.Path(), help="A card table in place of the game's own."),
        click.option("-o", "--option", "options", multiple=True, type=RuleOption(), metavar="NAME=VALUE",
                     help="A rule option; `sfumato games` lists them."),
        click.option("--seed", type=int, metavar="N", help="The seed of all chance; chosen freely if not given."),
        click.option("--players", type=int, metavar="N", help="Number of players; the fewest if not given."),
    ):
        function = option(function)
    return function


agents_option = click.option(
    "--agent", "agents", multiple=True, type=AgentSpec(), metavar="SPEC",
    help=f"Who plays, seat by seat, over again if fewer than seats.  [default: {', '.join(DEFAULT)}]",
)
no_color_option = click.option("--no-color", is_flag=True, help="No colours, as with NO_COLOR set.")


def make_game(name: str, options: Sequence[str], cards: str | Path | None) -> tuple[Game, dict[str, Value]]:
    """The game with the options that the command line names, and these options."""
    known = {option.name: option for option in game_class(name).options}
    values: dict[str, Value] = {}
    for written in options:
        key, _, text = written.partition("=")
        if key not in known:
            raise unknown("bad_option", f"option of {name}", key, known)
        values[key] = known[key].parse(text)
    return load(name, cards, **values), values


@click.group(cls=OneLine, invoke_without_command=True, epilog=EPILOG,
             context_settings={"help_option_names": ["-h", "--help"]})
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
@agents_option
@click.option("--every", type=click.IntRange(min=0), default=10, show_default=True, metavar="N",
              help="Draw the table after every N moves; 0: only at the start and the end.")
@no_color_option
def demo_command(game: str | None, players: int | None, seed: int | None, options: tuple[str, ...],
                 cards: str | None, agents: tuple[str, ...], every: int, no_color: bool) -> None:
    """Watch bots play a whole game (without GAME: of the first that `sfumato games` lists)."""
    table, _ = make_game(game or NAMES[0], options, cards)
    seed = any_seed() if seed is None else seed
    demo(screen(no_color), table, players or table.seats[0], seed, agents or DEFAULT, every)


@cli.command("playthrough")
@a_game()
@table_options
@agents_option
def playthrough_command(game: str, players: int | None, seed: int | None, options: tuple[str, ...],
                        cards: str | None, agents: tuple[str, ...]) -> None:
    """Write down a whole game between bots.

    Plain text: every legal move, and what each seat saw and knew after each step.
    """
    table, _ = make_game(game, options, cards)
    seed = any_seed() if seed is None else seed
    for line in playthrough(table, players or table.seats[0], seed, agents or DEFAULT):
        click.echo(line)


@cli.command("perft")
@a_game()
@click.option("--depth", type=click.IntRange(1, 64), required=True, metavar="D", help="Decisions to look ahead.")
@table_options
def perft_command(game: str, depth: int, players: int | None, seed: int | None, options: tuple[str, ...],
                  cards: str | None) -> None:
    """Count the sequences of 1 to D decisions from the start.

    Chance falls as the seed has it; a sequence that ends the game early counts too.
    """
    table, _ = make_game(game, options, cards)
    seed = any_seed() if seed is None else seed
    position = table.new(players or table.seats[0], seed).position
    click.echo(f"{game}, {players or table.seats[0]} players, seed {seed}")
    # The count runs outside Python, where an interrupt would wait for its end.
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        for plies in range(1, depth + 1):
            click.echo(f"{plies:>3} {position.perft(plies):>20}")
    finally:
        signal.signal(signal.SIGINT, handler)


def any_seed() -> int:
    """A short seed for a game whose seed is no secret."""
    return fresh(None) >> 40


def main() -> None:
    """The program `sfumato`."""
    cli(prog_name="sfumato")
