"""The protocol: every method with its parameters, its result and who may ask it, and every error.

This is the one definition. Requests are checked against it, `hello` describes itself from it, and PROTOCOL.md
is written from it. A new field, method or error states the level since which it is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from .bounds import Bounds
from .search import DEFAULT_SIMS

#: The protocol's level. PROTOCOL.md says what may change within one, and what may not.
LEVEL = 1


def told(description: str, **bounds: Any) -> Meta:
    """What a field is for, and its bounds."""
    return Meta(description=description, **bounds)


Seat = Annotated[int, Meta(ge=0, le=63)]
Count = Annotated[int, Meta(ge=1)]
GameId = Annotated[str, told("the held game, as `new_game` named it")]
Token = Annotated[str | None, told("of a private game: the seat's token, or the referee's")]
Action = int | str
Options = dict[str, str | int | bool]
Played = Annotated[Action, told("what is played, as id or in words")]
Phase = Annotated[str, told("what is asked")]
ToMove = Annotated[Seat | None, told("the seat that decides now; null: the game is over")]


class Params(Struct, kw_only=True):
    """What a request says."""


class Reply(Struct, kw_only=True):
    """What an answer says."""

    warnings: Annotated[
        list[str] | UnsetType, told("what the request said in vain; only there if there is any")
    ] = UNSET


# --- the engine itself ----------------------------------------------------------------------------------


class Hello(Params):
    protocol: Annotated[
        Annotated[int, Meta(ge=1)] | None, told("the level that the client needs; a higher one is refused")
    ] = None


class Described(Struct, kw_only=True):
    """A method, described."""

    name: str
    description: str
    since: Annotated[int, told("the level that brought it")]
    role: Annotated[str, told("who may ask it of a private game: anyone, seat or referee")]
    params: Annotated[dict[str, Any], told("JSON Schema of the parameters")]
    result: Annotated[dict[str, Any], told("JSON Schema of the result")]
    errors: Annotated[list[str], told("codes of its errors")]


class HelloReply(Reply):
    name: str
    version: str
    protocol: Annotated[int, told("the level that the engine speaks")]
    limits: Annotated[Bounds, told("the bounds in force")]
    games: Annotated[list[str], told("the games' names")]
    agents: Annotated[list[dict[str, Any]], told("kinds of agents with their parameters")]
    methods: list[Described]
    notifications: Annotated[dict[str, Any], told("JSON Schema of each notification's parameters")]
    errors: Annotated[dict[str, str], told("every error code, explained")]


class Nothing(Params):
    pass


class Done(Reply):
    pass


class Table(Struct, kw_only=True):
    """A card table."""

    cards: Annotated[str, told("its digest, which stands in every observation")]
    file: Annotated[str, told("the name of its file")]


class OptionOf(Struct, kw_only=True):
    """A rule option."""

    name: str
    description: str
    default: Annotated[str | int | bool, told("its value at the smallest table, if not named")]
    choices: Annotated[list[str | int | bool], told("the values that it may have; none: low to high")]
    low: int
    high: int


class GameOf(Struct, kw_only=True):
    """A game."""

    name: str
    title: str
    players: Annotated[list[int], told("the player counts")]
    hidden: Annotated[bool, told("whether seats know different things")]
    random: Annotated[bool, told("whether there is chance")]
    options: list[OptionOf]
    tables: Annotated[list[Table], told("its card tables; the first one is the default")]


class GamesReply(Reply):
    games: list[GameOf]


class Schema(Params):
    game: Annotated[str, told("the game's name")]


class SchemaReply(Reply):
    schema: Annotated[dict[str, Any], told("JSON Schema of the game's observations")]


class Cancel(Params):
    id: Annotated[int, told("the id of the request to end", ge=0)]


class CancelReply(Reply):
    cancelled: Annotated[bool, told("false: there is no such request, or it has been answered")]


# --- held games -----------------------------------------------------------------------------------------


class NewGame(Params):
    game: Annotated[str, told("the game's name")]
    players: Annotated[Count | None, told("number of players; null: the fewest")] = None
    options: Annotated[Options, told("rule options by name")] = {}
    cards: Annotated[str | None, told("digest of the card table; null: the game's own")] = None
    seed: Annotated[
        Annotated[int, Meta(ge=0)] | None, told("of all chance; null: one that nobody can guess")
    ] = None
    seen: Annotated[list[str], told("words that script the deal; the rest is drawn")] = []
    private: Annotated[bool, told("hand out a token per seat, and one for the referee")] = False


class Outcome(Struct, kw_only=True):
    """A finished game, seat by seat."""

    scores: Annotated[list[float], told("points of each seat")]
    ranks: Annotated[list[int], told("1 is best, ties are shared")]
    win_shares: Annotated[list[float], told("each seat's share of the win; they add up to 1")]


class Status(Reply):
    game: Annotated[str, told("the id of the held game")]
    players: int
    to_move: ToMove
    phase: Phase
    played: Annotated[int, told("moves played")]
    outcome: Annotated[Outcome | None, told("once the game is over")]


class NewGameReply(Status):
    tokens: Annotated[list[str] | None, told("a token per seat, for that seat alone; if private")]
    referee: Annotated[str | None, told("the referee's token, if private")]


class OfGame(Params, kw_only=True):
    game: GameId
    token: Token = None


class OfSeat(OfGame):
    seat: Annotated[Seat | None, told("whose view; with a seat's token that seat, else required")] = None


class OfMover(OfGame):
    seat: Annotated[Seat | None, told("whose moves; null: the token's seat, or the one to move")] = None


class Legal(Struct, kw_only=True):
    """A legal move."""

    action: int
    words: str


class LegalMovesReply(Reply):
    to_move: ToMove
    phase: Phase
    moves: Annotated[list[Legal], told("by id, ascending; none unless the seat is to move")]


class ObserveReply(Reply):
    observation: Annotated[dict[str, Any], told("all that the seat knows, as `schema` says")]
    setup: Annotated[
        list[str] | None, told("what the deal showed to the seat, while nothing has been played")
    ]


class RenderReply(Reply):
    text: Annotated[str, told("the table as the seat sees it, at most 80 columns wide")]


class Apply(OfGame):
    action: Played
    seen: Annotated[
        list[str], told("words that script what the move brings; the referee's alone")
    ] = []
    views: Annotated[
        list[Seat], told("seats whose view of the move is told; with a seat's token its own")
    ] = []


class View(Struct, kw_only=True):
    """What a seat saw of a move: what `follow` takes."""

    seat: int
    action: Annotated[str, told("what was played, as the seat saw it")]
    seen: Annotated[list[str], told("what it showed to the seat beyond that")]


class ApplyReply(Status):
    seat: Annotated[int, told("the seat that moved")]
    views: list[View]


class Undo(OfGame):
    moves: Annotated[int, told("how many moves to take back", ge=1)] = 1


class SaveGameReply(Reply):
    blob: Annotated[bytes, told("the whole table, its future included: the referee's alone. "
                                "Base64 text in JSON")]


class LoadGame(Params):
    blob: Annotated[bytes, told("what `save_game` gave")]
    private: Annotated[bool, told("hand out new tokens")] = False


class Start(Struct, kw_only=True):
    """A table that somebody else deals."""

    game: Annotated[str, told("the game's name")]
    players: Annotated[int, Meta(ge=1)]
    seat: Annotated[Seat, told("the seat that looks")]
    options: Annotated[Options, told("rule options by name")] = {}
    cards: Annotated[str | None, told("digest of the card table; null: the game's own")] = None


class Follow(Params):
    observation: Annotated[
        dict[str, Any] | None, told("what the seat knew; either this and `action`, or `start`")
    ] = None
    start: Annotated[Start | None, told("a new table, of which `seen` tells the deal")] = None
    action: Annotated[
        Action | None, told("what was played, as the seat saw it, as id or in words")
    ] = None
    seen: Annotated[list[str], told("what the deal or the move showed to the seat beyond that")] = []


class FollowReply(Reply):
    observation: Annotated[dict[str, Any], told("what the seat knows now")]


# --- searches -------------------------------------------------------------------------------------------


class Limits(Struct, kw_only=True):
    """When a search ends: with the first one that is reached."""

    sims: Annotated[Annotated[int, Meta(ge=1, le=10**9)] | None, told("simulations, in all")] = None
    ms: Annotated[Annotated[float, Meta(ge=0)] | None, told("milliseconds")] = None
    nodes: Annotated[Count | None, told("nodes, in all")] = None
    confidence: Annotated[
        Annotated[float, Meta(ge=0.5, le=0.999999)] | None,
        told("end when the best move's interval lies above all others"),
    ] = None


class BestMove(Params):
    game: Annotated[str | None, told("the held game; either this or `observation`")] = None
    token: Token = None
    observation: Annotated[
        dict[str, Any] | None, told("what the seat to move knows, in place of a held game")
    ] = None
    agent: Annotated[str, told("who thinks: a spec such as `ismcts:variant=mo` or `greedy`")] = "ismcts"
    limits: Annotated[
        Limits, told(f"the first one reached ends the search; none: {DEFAULT_SIMS} simulations")
    ] = msgspec.field(default_factory=Limits)
    seed: Annotated[int, told("of the search: the same one, the same answer", ge=0)] = 0
    threads: Annotated[
        Count | None, told("threads of the search; null: 1. No part of the answer under `sims`")
    ] = None
    top: Annotated[Annotated[int, Meta(ge=0)] | None, told("the best so many moves; null: all")] = 3
    include: Annotated[
        tuple[Literal["variation", "belief", "worlds"], ...],
        told("more to be told: the expected line; what may lie where the seat cannot see, on "
             "average; some worlds that the seat cannot tell apart"),
    ] = ()
    worlds: Annotated[int, told("how many worlds `include` brings", ge=1)] = 5
    priority: Annotated[
        int, told("who waits longest starts first, among those of the highest", ge=-100, le=100)
    ] = 0
    report_every_ms: Annotated[
        Annotated[float, Meta(ge=10)] | None, told("send a `report` so often; null: never")
    ] = None


class Analyze(BestMove):
    top: Annotated[Annotated[int, Meta(ge=0)] | None, told("the best so many moves; null: all")] = None
    include: Annotated[
        tuple[Literal["variation", "belief", "worlds"], ...], told("as for `best_move`")
    ] = ("variation",)


class Judged(Struct, kw_only=True):
    """A move, judged. Share, interval and score are those of the reply's `seat`."""

    action: int
    words: str
    visits: Annotated[int, told("simulations that chose it")]
    availability: Annotated[int, told("simulations that could have chosen it")]
    win_share: Annotated[float | None, told("expected share of the win, 0 to 1; null: never tried")]
    interval: Annotated[list[float], told("where the share lies (95%), if simulations were independent")]
    score: Annotated[float | None, told("expected points; null: never tried")]


class Ply(Struct, kw_only=True):
    """A move of the expected line, as the searching seat would see it."""

    seat: int
    words: str


class Found(Reply):
    seat: Annotated[int, told("whose move it is, and whose shares and points `moves` tells")]
    action: Annotated[int, told("the move to play")]
    words: Annotated[str, told("the same in words")]
    moves: Annotated[list[Judged], told("best first, as many as `top`; none from agents that do not search")]
    shares: Annotated[list[float] | None, told("expected share of the win of every seat")]
    scores: Annotated[list[float] | None, told("expected points of every seat")]
    stop: Annotated[
        Literal["sims", "ms", "nodes", "confidence", "only_move", "cancelled", "running", "none"],
        told("what ended it; `running`: not yet; `none`: there was no search"),
    ]
    sims: Annotated[int, told("simulations")]
    nodes: Annotated[int, told("nodes of the trees")]
    full: Annotated[bool, told("there was no memory for more nodes")]
    elapsed_ms: Annotated[float, told("milliseconds of the search, without waiting")]
    agent: Annotated[str, told("who thought")]
    seed: int
    variation: Annotated[list[Ply] | None, told("the expected line, if included")]
    belief: Annotated[
        dict[str, dict[str, float]] | None,
        told("per place and card: how many of it lie there on average, if included"),
    ]
    worlds: Annotated[
        list[dict[str, list[str]]] | None,
        told("worlds dealt from what the seat knows: per place the cards there, if included"),
    ]


class Report(Struct, kw_only=True):
    """What a search has so far."""

    id: Annotated[int, told("of the request")]
    so_far: Annotated[Found, told("as the answer of `best_move` or `analyze` will be, with `stop` `running`")]


class Error(Struct, kw_only=True):
    """Why a request is refused."""

    code: Annotated[str, told("one of the codes below")]
    message: Annotated[str, told("a sentence for people")]
    path: Annotated[str, told("the place in the parameters, `observation.hand[2]`; empty: none")]


# --- the methods ----------------------------------------------------------------------------------------

#: who may ask a method of a private game: anyone (it needs no game), a seat for itself, the referee only
Role = Literal["anyone", "seat", "referee"]


@dataclass(frozen=True)
class Method:
    """A method."""

    name: str
    description: str
    params: type[Params]
    result: type[Reply]
    role: Role = "anyone"
    #: codes of its errors, beside those of every method
    errors: tuple[str, ...] = ()
    since: int = 1


#: errors of every method
COMMON = ("bad_request", "bad_params", "too_large", "closing", "internal")
#: errors of what concerns a held game, a card table, an observation
HELD = ("no_game", "forbidden")
TABLE = ("bad_game", "bad_option", "bad_table")
SEEN = ("bad_observation", *TABLE)
METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("hello", "What the engine is, speaks and grants.", Hello, HelloReply),
        Method("games", "The games with their options and card tables.", Nothing, GamesReply),
        Method("schema", "The JSON Schema of a game's observations.", Schema, SchemaReply,
               errors=("bad_game",)),
        Method("new_game", "Deals a game, which the engine holds as its referee.", NewGame, NewGameReply,
               errors=(*TABLE, "bad_players", "bad_event", "busy")),
        Method("legal_moves", "What the seat to move may do.", OfMover, LegalMovesReply, "seat",
               (*HELD, "bad_seat")),
        Method("observe", "What one seat knows, and nothing else.", OfSeat, ObserveReply, "seat",
               (*HELD, "bad_seat")),
        Method("render", "The table as one seat sees it, drawn for people.", OfSeat, RenderReply, "seat",
               (*HELD, "bad_seat")),
        Method("apply", "Plays a move of the seat to move.", Apply, ApplyReply, "seat",
               (*HELD, "bad_seat", "bad_action", "bad_event", "over")),
        Method("undo", "Takes moves back; the table's future stays as it was.", Undo, Status, "referee",
               HELD),
        Method("save_game", "The whole table as an opaque blob.", OfGame, SaveGameReply, "referee", HELD),
        Method("load_game", "Holds a saved table as a new game; its moves cannot be taken back.", LoadGame,
               NewGameReply, errors=("bad_blob", "bad_table", "busy")),
        Method("close_game", "Lets a held game go.", OfGame, Done, "referee", HELD),
        Method("follow", "Keeps a seat's observation up to date at a table that somebody else holds.", Follow,
               FollowReply, errors=(*SEEN, "bad_players", "bad_seat", "bad_action", "bad_event")),
        Method("best_move", "The move that an agent would play.", BestMove, Found, "seat",
               (*HELD, *SEEN, "bad_seat", "over", "bad_agent", "busy")),
        Method("analyze", "Every move, judged by a search.", Analyze, Found, "seat",
               (*HELD, *SEEN, "bad_seat", "over", "bad_agent", "busy")),
        Method("cancel", "Ends a search, which is answered with what there is.", Cancel, CancelReply),
        Method("ping", "Answers.", Nothing, Done),
        Method("shutdown", "Cancels what is under way, answers everything and ends.", Nothing, Done),
    )
}
#: What the engine sends unasked, and what it says.
NOTIFICATIONS: dict[str, tuple[type[Struct], str]] = {
    "report": (Report, "What a search has so far, every `report_every_ms`."),
    "error": (Error, "Something that came in cannot be answered: it is no request, or its id is that of a "
                     "request that is not answered yet."),
}
#: Every error.
ERRORS: dict[str, str] = {
    "bad_request": "The message is no request, or its id belongs to a request that is not answered yet.",
    "unknown_method": "There is no such method.",
    "bad_params": "A parameter is missing, is of another type, or lies outside its range; `path` says which.",
    "too_large": "Something lies beyond the engine's bounds, which `hello` tells.",
    "busy": "Too many requests wait, or every held game is being searched. Ask again later.",
    "bad_game": "There is no game of this name.",
    "bad_players": "The game is not for so many players.",
    "bad_option": "The game has no such rule option, or the option has no such value.",
    "bad_table": "The engine has no card table with this digest.",
    "bad_seat": "There is no such seat, or it is not the one to move.",
    "bad_action": "There is no such action, or it is not legal now.",
    "bad_event": "The words of `seen` are none of the game's, or nothing that can happen here shows them.",
    "bad_observation": "The observation does not fit the schema, or contradicts itself; `path` says where.",
    "bad_agent": "There is no such agent, it has no such parameter, or it does not search.",
    "bad_blob": "This is no saved game, it is damaged, or of another version.",
    "no_game": "No such game is held: the id is wrong, or the game was closed.",
    "forbidden": "The token does not allow this.",
    "over": "The game is over.",
    "closing": "The engine is ending and takes no more requests.",
    "internal": "A fault of the engine. The log says where; please report it.",
}


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """The JSON Schema of a struct, whole in itself."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    own = parts.pop(kind.__name__, schema)
    return {**own, "$defs": parts} if parts else own


def described() -> list[Described]:
    """Every method as `hello` tells it."""
    return [
        Described(name=each.name, description=each.description, since=each.since, role=each.role,
                  params=schema_of(each.params), result=schema_of(each.result),
                  errors=[*COMMON, *each.errors])
        for each in METHODS.values()
    ]


def notified() -> dict[str, Any]:
    """Every notification as `hello` tells it."""
    return {
        name: {"description": text, "params": schema_of(kind)} for name, (kind, text) in NOTIFICATIONS.items()
    }


def unknown_fields(given: object, kind: type[Struct], path: str = "") -> list[str]:
    """The fields of a map that its struct, and the structs in it, do not have."""
    if not isinstance(given, dict):
        return []
    found = [f"{path}{name}" for name in given if name not in kind.__struct_fields__]
    for name, inner in INNER.get(kind, {}).items():
        found += unknown_fields(given.get(name), inner, f"{path}{name}.")
    return found


#: structs inside of parameters
INNER: dict[type[Struct], dict[str, type[Struct]]] = {
    Follow: {"start": Start}, BestMove: {"limits": Limits}, Analyze: {"limits": Limits},
}
