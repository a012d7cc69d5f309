"""The command line: commands and options only; what they do lives in the modules they call.

Modules that draw are imported by the commands that draw: who asks for a move waits for no more than it needs.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

import click

from . import __version__
from .agents import BY_NAME, KINDS, OPPONENT, SHOWN, WRITTEN
from .bounds import Bounds
from .games import NAMES, SfumatoError, game_class, load
from .games.errors import unknown
from .games.option import spoken
from .games.state import fresh
from .search import LIMITS
from .streams import drop_output, ready, require_open

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .games import Game
    from .games.option import Value
    from .parameters import Parameter

F = TypeVar("F", bound="Callable[..., Any]")

#: moves that `best-move` shows
TOP = 5

EPILOG = f"""\b
Agents: {", ".join(KINDS)}; `sfumato agents` explains them.

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


def require_seed(_context: click.Context, _parameter: click.Parameter, seed: int) -> int:
    """Refuses what cannot be a seed, by the name of the option: there may be two seeds."""
    try:
        return fresh(seed)
    except SfumatoError as error:
        raise click.BadParameter(error.message) from None


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


def bots_option(default: Sequence[str]) -> Callable[[F], F]:
    """The option --agent where bots play every seat."""
    return agents_option(f"Who plays, seat by seat, over again.  [default: {', '.join(default)}]")


def search_options(function: F) -> F:
    """The options of a command that searches: its limits and its means, as the search declares them."""
    means = (BY_NAME[name] for name in ("trees", "threads"))
    for kind, each in reversed([*(("Limit", each) for each in LIMITS), *(("Means", each) for each in means)]):
        metavar, text = "P" if each.high < 1 else "N", f"{kind}: {each.help}."
        function = click.option(f"--{each.name}", metavar=metavar, callback=reader(each), help=text)(function)
    return function


def reader(of: Parameter) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """Reads the value of one of the search's parameters."""
    def read(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Any:
        try:
            return None if text is None else of.parse(text)
        except SfumatoError as error:
            raise click.BadParameter(error.message) from None

    return read


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
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
    from .table import draw_games, screen

    draw_games(screen(no_color), [load(name) for name in NAMES])


@cli.command("rules")
@a_game()
@no_color_option
def rules_command(game: str, no_color: bool) -> None:
    """Show the rules of a game."""
    from .pages import draw_rules
    from .table import screen

    draw_rules(screen(no_color), load(game).rules_page)


@cli.command("demo")
@a_game(required=False)
@table_options
@bots_option(SHOWN)
@click.option("--every", type=click.IntRange(min=0), default=10, show_default=True, metavar="N",
              help="Draw the table after every N moves; 0: only at the start and the end.")
@no_color_option
def demo_command(game: str | None, players: int | None, seed: int | None, options: tuple[str, ...],
                 cards: str | None, agents: tuple[str, ...], every: int, no_color: bool) -> None:
    """Watch bots play a whole game.

    Without GAME: the first game that `sfumato games` lists.
    """
    from .demo import demo
    from .table import screen

    loaded, players = set_up(game or NAMES[0], options, cards, players)
    demo(screen(no_color), loaded, players, open_seed(seed), agents or SHOWN, every, cards)


@cli.command("playthrough")
@a_game()
@table_options
@bots_option(WRITTEN)
def playthrough_command(game: str, players: int | None, seed: int | None, options: tuple[str, ...],
                        cards: str | None, agents: tuple[str, ...]) -> None:
    """Write down a whole game between bots.

    Plain text: every legal move, and what each seat saw and knew after each step.
    """
    from .playthrough import playthrough

    loaded, players = set_up(game, options, cards, players)
    for line in playthrough(loaded, players, open_seed(seed), agents or WRITTEN):
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
@agents_option(f"Who plays the other seats, over again.  [default: {OPPONENT}]")
@click.option("--resume", "file", type=click.Path(path_type=Path), metavar="FILE",
              help="Go on with a game that was saved; takes all else from the file.")
@no_color_option
@click.pass_context
def play_command(context: click.Context, game: str | None, people: tuple[int, ...], players: int | None,
                 seed: int | None, options: tuple[str, ...], cards: str | None, agents: tuple[str, ...],
                 file: Path | None, no_color: bool) -> None:
    """Play against bots, alone or with others at one screen."""
    from .play import Play
    from .saved import begin, resume
    from .table import screen

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


@cli.command("best-move")
@a_game(required=False)
@table_options
@click.option("--moves", metavar="MOVES", help="The moves played so far, in words or by ids, separated by "
              "commas or lines; @FILE: from a file, -: from the standard input.")
@click.option("--observation", metavar="FILE", help="What a seat knows, as JSON or MessagePack, in place of "
              "a deal; -: from the standard input.")
@click.option("--agent", "spec", default="ismcts", show_default=True, metavar="SPEC",
              shell_complete=complete_agent, help="Which search; `sfumato agents` lists them.")
@search_options
@click.option("--search-seed", type=int, callback=require_seed, default=0, show_default=True, metavar="N",
              help="The seed of the search: the same one, the same answer.")
@click.option("--top", type=click.IntRange(min=1), metavar="N",
              help=f"Show the best N moves.  [default: {TOP}; with --json: all]")
@json_option
@no_color_option
@click.pass_context
def best_move_command(context: click.Context, /, game: str | None, players: int | None, seed: int | None,
                      options: tuple[str, ...], cards: str | None, moves: str | None, observation: str | None,
                      spec: str, search_seed: int, top: int | None, as_json: bool, no_color: bool,
                      **limits: Any) -> None:
    """Search for the best move of a position.

    The position is a deal of GAME with the moves played so far, or what the seat to move knows of a table
    (--observation, which names its game itself). The search knows what that seat knows, and nothing else.

    The first limit that is reached ends it; without any it runs 100,000 simulations. Ctrl-C ends it early,
    with what there is so far and exit code 130. README.md explains the figures and the fields of --json.
    """
    from .best_move import answer, as_map, from_deal, from_observation, searcher

    spec, player = searcher(spec, {name: value for name, value in limits.items() if value is not None})
    if observation is not None:
        if options or moves is not None or seed is not None or players is not None:
            others = "--players, --seed, -o and --moves"
            raise click.UsageError(f"--observation brings its table: leave out {others}")
        state, deal = from_observation(observation, game, cards)
    elif game is None:
        known = ", ".join(NAMES)
        raise click.UsageError(f"name a game ({known}), or what a seat knows with --observation FILE")
    else:
        loaded, players = set_up(game, options, cards, players)
        state, deal = from_deal(loaded, players, open_seed(seed), moves or "")
    result = answer(player, state, search_seed, no_color)
    if as_json:
        asked = {"game": state.game.name, "players": state.players, **deal}
        echo_json({**asked, "agent": spec, "search_seed": search_seed, **as_map(result, top)})
    else:
        from .table import draw_result, screen

        draw_result(screen(no_color), state, deal, result, top or TOP)
    if result.stop == "cancelled":
        context.exit(130)


def bound_options(function: F) -> F:
    """An option for each of the engine's bounds."""
    hints = get_type_hints(Bounds, include_extras=True)
    for name in reversed(Bounds.__struct_fields__):
        said = get_args(hints[name])[1]
        default = getattr(Bounds(), name)
        named = f"--max-{name.replace('_', '-')}"
        shown = "the cores" if name in ("workers", "threads") else f"{default:,}"
        text = f"{said.description.capitalize()}.  [default: {shown}]"
        function = click.option(named, f"most_{name}", type=click.IntRange(said.ge, said.le), default=default,
                                metavar="N", help=text)(function)
    return function


@cli.command("serve")
@click.option("--json", "as_json", is_flag=True, help="JSON lines in place of MessagePack-RPC.")
@click.option("--cards", multiple=True, metavar="GAME=FILE",
              help="Offer another card table too; again for more.")
@click.option("--on-eof", type=click.Choice(["finish", "cancel"]), default="finish", show_default=True,
              help="At the end of the input: finish the searches, or cancel them. Both are answered.")
@click.option("--log-level", type=click.Choice(["error", "warning", "info", "debug"]), default="warning",
              show_default=True, help="What is told on the error stream.")
@bound_options
@click.pass_context
def serve_command(context: click.Context, /, as_json: bool, cards: tuple[str, ...], on_eof: Any,
                  log_level: str, **most: int) -> None:
    """Answer requests of other programs on stdin and stdout.

    MessagePack-RPC, or JSON lines with --json; PROTOCOL.md describes the methods. Everything that a stranger
    can send is bounded, by these options; the method `hello` tells the bounds in force.
    """
    from .serve import serve

    require_open("input", sys.stdin)
    tables = []
    for written in cards:
        name, equals, file = written.partition("=")
        if not equals:
            raise SfumatoError("bad_option", f"expected GAME=FILE, got {written!r}", "--cards")
        require_game(context, context.command.params[0], name)
        tables.append((name, file))
    bounds = Bounds(**{name.removeprefix("most_"): value for name, value in most.items()})
    context.exit(serve(bounds, tables, as_json=as_json, on_eof=on_eof, log_level=log_level))


@cli.command("check", context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] COMMAND...")
@click.option("--json", "as_json", is_flag=True, help="The program speaks JSON lines, not MessagePack-RPC.")
@click.option("--timeout", type=click.FloatRange(0, 3600, min_open=True), default=10, show_default=True,
              metavar="SECONDS", help="How long an answer may take, and the program's end.")
@click.option("--game", "games", multiple=True, metavar="NAME",
              help="Play this game of the program's only; again for more.")
@click.option("-k", "--only", "words", multiple=True, metavar="WORD",
              help="Only checks with this word in the name or the sentence; again for more.")
@click.option("--list", "listing", is_flag=True, help="List the checks, with a sentence each.")
@no_color_option
@click.pass_context
def check_command(context: click.Context, command: tuple[str, ...], as_json: bool, timeout: float,
                  games: tuple[str, ...], words: tuple[str, ...], listing: bool, no_color: bool) -> None:
    """Check that a program keeps the protocol.

    COMMAND starts any program that claims to speak as PROTOCOL.md has it, with its own arguments:
    `sfumato check sfumato serve`, `sfumato check --json -- ./other --lines`.

    Every program must have the core: hello, ping, games, best_move by observation, cancel and shutdown. What
    needs a method that its `hello` does not list is skipped. A failure shows what was sent, what came and
    what was expected. The exit code is 0 if nothing failed, 1 if something did, and 2 if the program cannot
    be started.
    """
    from .check import Trial, chosen, draw_checks, run
    from .table import screen

    console = screen(no_color)
    if listing:
        draw_checks(console)
        return
    if not command:
        raise click.UsageError("name the program to check, as in `sfumato check sfumato serve`")
    context.exit(0 if run(console, Trial(command, as_json, timeout, games), chosen(words)) else 1)


@cli.command("signature")
@click.option("-q", "--quiet", is_flag=True, help="The number alone, without measuring.")
@json_option
@no_color_option
def signature_command(quiet: bool, as_json: bool, no_color: bool) -> None:
    """Pin all behaviour by one number.

    The same number on any machine means the same behaviour of all games and of the search. The simulations
    per second are this machine's.
    """
    from .signature import signature, speeds

    number = signature()
    if quiet:
        echo_json(number)
    elif as_json:
        echo_json({"signature": number, "speeds": [each._asdict() for each in speeds()]})
    else:
        from .table import draw_signature, screen

        draw_signature(screen(no_color), number, speeds())


@cli.command("agents")
@json_option
@no_color_option
def agents_command(as_json: bool, no_color: bool) -> None:
    """List the kinds of agents and their parameters.

    An agent is named NAME, or NAME:parameter=value,... as in `ismcts:ms=200,variant=mo`.
    """
    if as_json:
        echo_json({"agents": [kind.to_map() for kind in KINDS.values()]})
        return
    from .table import draw_agents, screen

    draw_agents(screen(no_color), list(KINDS.values()))


def echo_json(value: object) -> None:
    """Plain data on one line."""
    import msgspec

    click.echo(msgspec.json.encode(value))


def open_seed(seed: int | None) -> int:
    """The given seed, or a short one for a game whose seed is no secret."""
    return fresh(None) >> 40 if seed is None else seed


def main() -> None:
    """The program `sfumato`."""
    ready()
    cli(prog_name="sfumato")


from . import cli_arena  # noqa: E402, F401  (adds its commands)
