"""The protocol engine, whatever carries its messages: requests in, exactly one answer each.

Requests take effect in the order in which they come. What takes long is done by worker threads and answered
out of order; it judges the table as it was when its request came. A refused request changes nothing. What is
secret (seeds, decks, other hands, tokens) is in no answer but the referee's blob, in no error and in no log.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from . import __version__
from .agents import KINDS
from .bounds import Bounds, check_plain
from .games import NAMES, SfumatoError, State
from .games.errors import short, shown, unknown
from .games.game import place
from .held import Held, HeldGames, restore, save, secret
from .library import Library
from .methods import (
    ERRORS,
    LEVEL,
    METHODS,
    Apply,
    ApplyReply,
    BestMove,
    Cancel,
    CancelReply,
    Done,
    Error,
    Follow,
    FollowReply,
    Found,
    GamesReply,
    Hello,
    HelloReply,
    Legal,
    LegalMovesReply,
    LoadGame,
    NewGame,
    NewGameReply,
    ObserveReply,
    OfGame,
    OfMover,
    OfSeat,
    RenderReply,
    Reply,
    Report,
    SaveGameReply,
    Schema,
    SchemaReply,
    Status,
    Undo,
    View,
    described,
    notified,
    unknown_fields,
)
from .pool import Job, Pool
from .questions import answer, offered, question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from msgspec import Struct

    from .methods import Method, Params

#: codes of the library that have another name here
RENAMED = {"bad_parameter": "bad_params", "bad_seed": "bad_params", "bad_state": "bad_blob"}
#: what an error in an observation may be, beside `bad_observation`
OF_OBSERVATION = ("bad_table", "bad_option", "bad_game", "bad_observation")


class Peer(Protocol):
    """Who is answered. Its methods are called by several threads, and wait for nobody."""

    def answer(self, id: int, error: Error | None, result: Reply | None) -> None:  # noqa: A002
        """The one final answer to a request."""

    def notify(self, method: str, params: Struct, key: object = None) -> None:
        """Something unasked; where it cannot be sent yet, a later one with the same key takes its place."""


@dataclass(eq=False)
class Call:
    """A request under way. Without an id nobody waits for an answer."""

    id: int | None
    method: Method
    params: Any
    warnings: list[str]
    #: the held game that is being searched
    held: Held | None = None
    job: Job | None = None


class Engine:
    """Answers requests. `ask` is called by one thread; it returns at once and never raises."""

    def __init__(self, peer: Peer, bounds: Bounds | None = None, cards: Iterable[tuple[str, str]] = (), *,
                 clock: Callable[[], float] = time.monotonic, secret: Callable[[], str] = secret,
                 log: Callable[[str, str], None] = lambda *_: None) -> None:
        self.peer = peer
        self.bounds = bounds or Bounds()
        self.library = Library(cards)
        self.held = HeldGames(self.bounds, secret)
        self.clock = clock
        self.log = log
        #: `shutdown` was asked for
        self.stopping = False
        self._closing = False
        self._pool = Pool(self.bounds.workers)
        self._pending: dict[int, Call] = {}
        self._lock = threading.Lock()

    # --- requests -----------------------------------------------------------------------------------

    def ask(self, id: int | None, method: str, params: object) -> None:  # noqa: A002
        """A request, or with id None a notification, which is obeyed and not answered."""
        if id in self._pending:  # its answer would be taken for that of the first
            message = f"the request with id {id} is not answered yet: this one is left aside"
            self.peer.notify("error", Error(code="bad_request", message=message, path="id"))
            return
        try:
            call = self._read(id, method, params)
            result = getattr(self, f"_{method}")(call, call.params)
        except SfumatoError as error:
            self._answer(id, refusal(error), None)
        except Exception as fault:
            self._answer(id, self._fault(method, fault), None)
        else:
            if result is not None:
                self._answer(id, None, warned(result, call.warnings))

    def _read(self, id: int | None, name: str, params: object) -> Call:  # noqa: A002
        """The request, checked against the definition of its method."""
        if self._closing:
            raise SfumatoError("closing", "the engine is ending")
        if name not in METHODS:
            raise unknown("unknown_method", "method", name, METHODS)
        if not isinstance(params, dict):
            raise SfumatoError("bad_params", f"expected a map, got {shown(params)}")
        check_plain(params, self.bounds)
        method = METHODS[name]
        extra = [f"unknown field {shown(field)}" for field in unknown_fields(params, method.params)]
        return Call(id, method, typed(params, method.params), extra[:10])

    def _answer(self, id: int | None, error: Error | None, result: Reply | None) -> None:  # noqa: A002
        if id is not None:
            try:
                self.peer.answer(id, error, result)
            except Exception as fault:  # the answer cannot be written
                self.peer.answer(id, self._fault("an answer", fault), None)
        elif error is not None:
            self.log("warning", f"a notification was refused: {error.code}")

    def _fault(self, method: str, fault: Exception) -> Error:
        """The answer where the engine itself is wrong. Messages may hold secrets: only the place is told."""
        trace = fault.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f"{trace.tb_frame.f_code.co_name}, line {trace.tb_lineno}" if trace else "an unknown place"
        self.log("error", f"{method}: {type(fault).__name__} in {where}")
        return Error(code="internal", message=f"a fault of the engine ({type(fault).__name__})", path="")

    def _game(self, call: Call) -> tuple[Held, int | None]:
        """The held game of a request, and the seat that asks; None: the referee."""
        held = self.held.find(call.params.game)
        return held, held.seat_of(call.params.token, call.method.role, call.method.name)

    # --- the engine itself --------------------------------------------------------------------------

    def _hello(self, _: Call, params: Hello) -> HelloReply:
        if params.protocol is not None and params.protocol > LEVEL:
            message = f"this engine speaks level {LEVEL} of the protocol, not {params.protocol}"
            raise SfumatoError("bad_params", message, "protocol")
        return HelloReply(
            name="sfumato", version=__version__, protocol=LEVEL, limits=self.bounds, games=list(NAMES),
            agents=[offered(kind, self.bounds) for kind in KINDS.values()], methods=described(),
            notifications=notified(), errors=ERRORS,
        )

    def _ping(self, _: Call, __: Params) -> Done:
        return Done()

    def _games(self, _: Call, __: Params) -> GamesReply:
        return GamesReply(games=self.library.listed())

    def _schema(self, _: Call, params: Schema) -> SchemaReply:
        return SchemaReply(schema=self.library.game(params.game, None, {}).schema())

    def _shutdown(self, _: Call, __: Params) -> Done:
        self.stopping = True
        return Done()

    # --- held games ---------------------------------------------------------------------------------

    def _new_game(self, _: Call, params: NewGame) -> NewGameReply:
        game = self.library.game(params.game, params.cards, params.options)
        state = game.new(params.players, params.seed, params.seen)
        return self.held.hold(state, 0, params.private).opened()

    def _load_game(self, _: Call, params: LoadGame) -> NewGameReply:
        return self.held.hold(*restore(params.blob, self.library), params.private).opened()

    def _save_game(self, call: Call, _: OfGame) -> SaveGameReply:
        return SaveGameReply(blob=save(self._game(call)[0]))

    def _close_game(self, call: Call, _: OfGame) -> Done:
        del self.held.games[self._game(call)[0].id]
        return Done()

    def _undo(self, call: Call, params: Undo) -> Status:
        return self._game(call)[0].take_back(params.moves)

    def _legal_moves(self, call: Call, params: OfMover) -> LegalMovesReply:
        held, own = self._game(call)
        state = held.state
        seat = held.view(own, params.seat)
        mine = state.legal_actions if seat in (None, state.to_move) else []
        moves = [Legal(action=action, words=state.words(action)) for action in mine]
        return LegalMovesReply(to_move=state.to_move, phase=state.phase, moves=moves)

    def _observe(self, call: Call, params: OfSeat) -> ObserveReply:
        state, seat = self._looked(call, params)
        return ObserveReply(observation=state.observation(seat), setup=setup_of(state, seat))

    def _render(self, call: Call, params: OfSeat) -> RenderReply:
        state, seat = self._looked(call, params)
        return RenderReply(text=state.render(seat))

    def _looked(self, call: Call, params: OfSeat) -> tuple[State, int]:
        """The table, and the seat that looks at it."""
        held, own = self._game(call)
        seat = held.view(own, params.seat)
        if seat is None:
            raise SfumatoError("bad_params", "missing: whose view?", "seat")
        return held.state, seat

    def _apply(self, call: Call, params: Apply) -> ApplyReply:
        held, own = self._game(call)
        state, mover = held.state, running(held.state)
        if own not in (None, mover):
            raise SfumatoError("bad_seat", f"seat {mover} is to move, and the token is seat {own}'s", "token")
        if own is not None and params.seen:
            raise SfumatoError("forbidden", "what a move brings is scripted by the referee alone", "seen")
        for index, seat in enumerate(params.views):
            if seat in params.views[:index]:
                raise SfumatoError("bad_params", "named twice", f"views[{index}]")
            held.view(own, seat, f"views[{index}]")
        before = state.kept()
        step = state.apply(params.action, params.seen)
        held.history.append(before)
        held.played += 1
        told = params.views if own is None else [own]
        views = [View(seat=seat, action=step.label(seat), seen=step.words(seat)) for seat in told]
        return ApplyReply(**held.status(), seat=mover, views=views)

    # --- tables that others hold --------------------------------------------------------------------

    def _follow(self, _: Call, params: Follow) -> FollowReply:
        if (params.observation is None) == (params.start is None):
            raise SfumatoError("bad_params", "expected either an observation or a start", "observation")
        if (params.action is None) != (params.observation is None):
            raise SfumatoError("bad_params", "goes with an observation, and only there", "action")
        return followed(self.library, params)

    # --- what takes long ----------------------------------------------------------------------------

    def _best_move(self, call: Call, params: BestMove) -> None:
        hidden = self._known(call, params)
        asked = question(params, hidden, self.bounds, searching=call.method.name == "analyze")

        def report(so_far: Found) -> None:
            if call.id is not None:
                self.peer.notify("report", Report(id=call.id, so_far=so_far), key=call.id)

        def work(job: Job) -> None:
            error, result = None, None
            try:
                result = warned(answer(asked, lambda: job.cancelled, self.clock, report), call.warnings)
            except SfumatoError as refused:
                error = refusal(refused)
            except Exception as fault:
                error = self._fault(call.method.name, fault)
            self._finish(call, error, result)

        key = call.held.id if call.held else "observation"
        self._later(call, Job(work, key, params.priority, asked.threads))

    _analyze = _best_move

    def _known(self, call: Call, params: BestMove) -> State:
        """What the seat to move knows, of a held game or by an observation."""
        if (params.game is None) == (params.observation is None):
            raise SfumatoError("bad_params", "expected either a held game or an observation", "game")
        if params.observation is not None:
            return observed(self.library, params.observation)
        held, own = self._game(call)
        mover = running(held.state)
        if own not in (None, mover):
            raise SfumatoError("bad_seat", f"seat {mover} is to move, and the token is seat {own}'s", "token")
        call.held = held
        return held.state.hidden(mover)

    def _later(self, call: Call, job: Job) -> None:
        """Has a worker do it and answer."""
        if call.id is None:
            raise SfumatoError("bad_request", "a notification cannot be answered", "method")
        with self._lock:
            if len(self._pending) >= self.bounds.queue:
                raise SfumatoError("busy", f"{len(self._pending)} requests wait or are worked on")
            self._pending[call.id] = call
            if call.held:
                call.held.searches += 1
        call.job = job
        self._pool.submit(job)

    def _finish(self, call: Call, error: Error | None, result: Reply | None) -> None:
        with self._lock:
            del self._pending[call.id]  # type: ignore[arg-type]
            if call.held:
                call.held.searches -= 1
        self._answer(call.id, error, result)

    def _cancel(self, asked: Call, params: Cancel) -> None:
        with self._lock:
            call = self._pending.get(params.id)
        self._answer(asked.id, None, warned(CancelReply(cancelled=call is not None), asked.warnings))
        if call is not None:
            self._end(call)

    def _end(self, call: Call) -> None:
        """Ends a request early. One that nobody has begun is worked on here: since it is cancelled, it ends
        after its first simulation."""
        assert call.job is not None
        if self._pool.withdraw(call.job):
            call.job.work(call.job)

    def cancel_all(self) -> None:
        """Ends everything that is under way; each request is still answered."""
        with self._lock:
            calls = list(self._pending.values())
        for call in calls:
            self._end(call)

    def close(self) -> None:
        """Takes no more requests."""
        self._closing = True

    def join(self, seconds: float | None = None) -> bool:
        """Waits until everything is answered; False: it took too long."""
        return self._pool.join(seconds)


# --- helpers --------------------------------------------------------------------------------------------


def typed(params: Mapping[str, Any], kind: type[Params]) -> Params:
    """Plain parameters as their struct; an error names the place."""
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as error:
        message, path = place(error)
        raise SfumatoError("bad_params", message, exact(path, params)) from None


def exact(path: str, params: Mapping[str, Any]) -> str:
    """The place with the name of a rule option, which a validator leaves open."""
    outer, found, _ = path.partition("options[...]")
    options = (params.get("start") if outer else params) or {}
    wrong = [name for name, value in options.get("options", {}).items()
             if not isinstance(value, str | int | bool)] if found else []
    return f"{outer}options.{short(wrong[0])}" if wrong else path


def warned(result: Reply, warnings: list[str]) -> Reply:
    if warnings:
        result.warnings = warnings
    return result


def refusal(error: SfumatoError) -> Error:
    """A refused call as data, with a code of the protocol."""
    code = RENAMED.get(error.code, error.code)
    return Error(code=code if code in ERRORS else "bad_params", message=error.message, path=error.path)


def running(state: State) -> int:
    """The seat to move."""
    if state.to_move is None:
        raise SfumatoError("over", "the game is over")
    return state.to_move


def setup_of(state: State, seat: int) -> list[str] | None:
    """What the deal showed to the seat; None once a move has been played."""
    try:
        return state.setup_words(seat)
    except SfumatoError:  # not_new
        return None


def in_observation(error: SfumatoError) -> SfumatoError:
    """The same error, as a place in the request."""
    code = error.code if error.code in OF_OBSERVATION else "bad_observation"
    path = error.path if error.path.startswith("observation") else f"observation.{error.path}".rstrip(".")
    return SfumatoError(code, error.message, path)


def observed(library: Library, seen: Mapping[str, Any]) -> State:
    """What the seat of an observation knows; it must be the one to move."""
    try:
        state = library.of_observation(seen).from_observation(seen, seed=0)
    except SfumatoError as error:
        raise in_observation(error) from None
    if running(state) != seen["seat"]:
        message = f"seat {state.to_move} is to move, and this is what seat {seen['seat']} knows"
        raise SfumatoError("bad_seat", message, "observation.seat")
    return state.hidden(seen["seat"])


def followed(library: Library, params: Follow) -> FollowReply:
    """The first or the next observation of a seat."""
    if params.start is not None:
        start = params.start
        game = library.game(start.game, start.cards, start.options, "start.")
        try:
            return FollowReply(observation=game.start(start.players, start.seat, params.seen))
        except SfumatoError as error:
            path = f"start.{error.path}" if error.path in ("seat", "players") else error.path
            raise SfumatoError(error.code, error.message, path) from None
    assert params.observation is not None and params.action is not None
    try:
        game = library.of_observation(params.observation)
        return FollowReply(observation=game.follow(params.observation, params.action, params.seen))
    except SfumatoError as error:
        if error.code in ("bad_action", "bad_event"):
            raise
        raise in_observation(error) from None
