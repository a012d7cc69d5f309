"""What a tournament plays: its settings, and from these every game with its number, seats and seed.

The unit is the duplicate block: one deal, played by one match-up of agents at every rotation of its seats.
All match-ups of a game's block number play the same deal. Nothing here depends on workers, time or results:
the same settings, the same games.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec

from .games import NAMES, SfumatoError, game_class, load
from .games.errors import short, shown, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .games import Game
    from .games.option import Value

Pairing = Literal["round-robin", "gauntlet"]
#: of a block's seatings, where this is no fewer than all of them, else the rotations
ALL_SEATINGS = 6
#: decisions after which a game is broken off
MAX_PLIES = 10_000
#: what may stand before `=` and a spec; a spec of our own has a colon or nothing there
NAMED = re.compile(r"(?P<name>[^\W_][\w .+-]*)=(?P<spec>.+)", re.DOTALL)
#: and what is meant for a name, if nothing of a spec stands before the `=`
MEANT = re.compile(r"(?P<name>[^:\[=]*)=.*", re.DOTALL)
LONGEST_NAME = 40
Count = Annotated[int, msgspec.Meta(ge=1)]
Index = Annotated[int, msgspec.Meta(ge=0)]


class Entrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the agents that are compared: what tables call it, and its spec."""

    name: str
    spec: str


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game as it is played: how many seats, the options in force, the digest of the card table."""

    name: str
    players: int
    options: dict[str, str | int | bool]
    cards: str


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Everything that decides the games."""

    games: tuple[Table, ...]
    agents: tuple[Entrant, ...]
    pairing: Pairing = "round-robin"
    blocks: Count = 1
    seed: Index = 0
    #: milliseconds that a move, and all moves of a seat in a game, may take
    move_ms: Count | None = None
    game_ms: Count | None = None
    max_plies: Count = MAX_PLIES
    #: of a sequential test, which ends a match early: elo0, elo1, alpha and beta
    sprt: tuple[float, float, float, float] | None = None

    @cached_property
    def round(self) -> tuple[Sitting, ...]:
        """The games of one block number, in order: game by game, match-up by match-up, seating by seating."""
        return tuple(
            Sitting(game, number, seats)
            for game, table in enumerate(self.games)
            for number, matchup in enumerate(matchups(len(self.agents), table.players, self.pairing))
            for seats in seatings(matchup)
        )

    @property
    def total(self) -> int:
        """How many games there are."""
        return self.blocks * len(self.round)

    def planned(self, number: int) -> Planned:
        """The game of a number, 0 to `total` - 1. The block number is outermost: a run that is cut short
        is balanced."""
        block, place = divmod(number, len(self.round))
        game, matchup, agents = self.round[place]
        table = self.games[game]
        return Planned(number, game, block, matchup, agents, deal_seed(self.seed, table, block))

    def key(self, planned: Planned) -> int:
        """From which the agents of a game have their seeds: one for all games of a deal."""
        return agents_key(self.seed, self.games[planned.game], planned.block)


class Sitting(NamedTuple):
    """A game of a round: which game, which match-up of it, and an agent's index per seat."""

    game: int
    matchup: int
    agents: tuple[int, ...]


class Planned(NamedTuple):
    """A game to be played. `agents` has an index into the settings' agents per seat; the agent at a seat
    plays move m with the seed `agents.own_seed(key, seat, m)`, where the settings have the key."""

    number: int
    game: int
    block: int
    matchup: int
    agents: tuple[int, ...]
    seed: int


def matchups(agents: int, players: int, pairing: Pairing) -> list[tuple[int, ...]]:
    """Who meets whom at a table.

    With agents enough for all seats: every choice of as many as there are seats. With fewer: for every pair,
    one of them against the other at all other seats, both ways. In a gauntlet: those with the first agent.
    """
    if agents >= players:
        met = list(combinations(range(agents), players))
    else:
        met = [(one, *[other] * (players - 1))
               for pair in combinations(range(agents), 2) for one, other in (pair, pair[::-1])]
    return [each for each in met if pairing == "round-robin" or 0 in each]


def seatings(matchup: Sequence[int]) -> list[tuple[int, ...]]:
    """The seatings of a block: all distinct ones if they are few, else the distinct rotations."""
    every = dict.fromkeys(permutations(matchup))
    if len(every) <= ALL_SEATINGS:
        return list(every)
    return list(dict.fromkeys((*matchup[turn:], *matchup[:turn]) for turn in range(len(matchup))))


def deal_seed(seed: int, table: Table, block: int) -> int:
    """The seed of a deal: never of who plays it. Of 48 bits, which every reader of JSON keeps."""
    return hashed(f"{seed} {table.name} {table.players} {block}", 6)


def agents_key(seed: int, table: Table, block: int) -> int:
    """A program sees its own seeds: what they come from is no deal's seed, and too long to be tried out."""
    return hashed(f"agents {seed} {table.name} {table.players} {block}", 32)


def hashed(written: str, size: int) -> int:
    """A number of so many bytes."""
    return int.from_bytes(hashlib.blake2b(written.encode(), digest_size=size).digest(), "big")


# --- from what a person gives ---------------------------------------------------------------------------


def entrants(given: Iterable[str]) -> tuple[Entrant, ...]:
    """The agents that SPEC or NAME=SPEC name; tables call them by the name, or else by the spec."""
    agents: list[Entrant] = []
    for written in given:
        named = NAMED.fullmatch(written)
        if not named and (meant := MEANT.fullmatch(written)):
            message = f"a name is of letters, digits, spaces and . + - _, a letter or digit first, got " \
                      f"{shown(meant['name'])}; a spec follows the `=`"
            raise SfumatoError("bad_agent", message, f"agent {short(written)}")
        agent = Entrant(named["name"], named["spec"]) if named else Entrant(written, written)
        if named and len(agent.name) > LONGEST_NAME:
            message = f"a name has at most {LONGEST_NAME} characters"
            raise SfumatoError("bad_agent", message, f"agent {written}")
        if agent.name in [each.name for each in agents]:
            message = "there are two of this name; give one of them another, as in `other=SPEC`"
            raise SfumatoError("bad_agent", message, f"agent {agent.name}")
        agents.append(agent)
    if len(agents) < 2:
        raise SfumatoError("bad_agent", f"expected two agents or more, got {len(agents)}", "agents")
    return tuple(agents)


def tables(names: Iterable[str], counts: Sequence[int] = (),
           options: Sequence[str] = ()) -> tuple[Table, ...]:
    """The games at every one of the player counts that they can be played with (if none: the fewest), with
    the options NAME=VALUE that they have."""
    names = list(names)
    for index, name in enumerate(names):
        if name not in NAMES:
            raise unknown("bad_game", "game", name, NAMES)
        if name in names[:index]:
            raise SfumatoError("bad_game", "given twice", f"game {name}")
    if counts and not any(players in game_class(name).seats for name in names for players in counts):
        load(names[0]).require_players(counts[0])
    chosen = read_options(names, options)
    return tuple(table_of(load(name, None, **chosen[name]), players)
                 for name in names for players in seats_of(name, counts))


def table_of(game: Game, players: int) -> Table:
    return Table(game.name, players, game.option_values(players), game.cards_digest)


def seats_of(name: str, counts: Sequence[int]) -> list[int]:
    """The player counts among those given with which a game can be played, or else its fewest."""
    seats = game_class(name).seats
    return [players for players in dict.fromkeys(counts) if players in seats] or [seats[0]]


def read_options(names: Sequence[str], written: Iterable[str]) -> dict[str, dict[str, Value]]:
    """The values of NAME=VALUE for every game that has the option; at least one has to have it."""
    known = {name: {option.name: option for option in game_class(name).options} for name in names}
    chosen: dict[str, dict[str, Value]] = {name: {} for name in names}
    for each in written:
        key, equals, text = each.partition("=")
        if not equals:
            raise SfumatoError("bad_option", f"expected NAME=VALUE, got {each!r}", "option")
        having = [name for name in names if key in known[name]]
        if not having:
            all_known = dict.fromkeys(option for options in known.values() for option in options)
            raise unknown("bad_option", f"option of {', '.join(names)}", key, all_known)
        for name in having:
            if key in chosen[name]:
                raise SfumatoError("bad_option", "given twice", f"option {key}")
            chosen[name][key] = known[name][key].parse(text)
    return chosen


def load_table(table: Table) -> Game:
    """The game of a table, with the very card table that its digest names."""
    game = load(table.name, None, **table.options)
    if game.cards_digest != table.cards:
        message = f"played with the card table {table.cards}; this program has {game.cards_digest}"
        raise SfumatoError("bad_table", message, f"game {table.name}")
    return game
