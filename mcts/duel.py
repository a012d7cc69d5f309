"""One game of the arena, from its deal to its end.

A player at fault (it crashed, was late, said nonsense, played what is illegal, or refused) ends the game: it
is ranked last and alone, and the others share the first rank, however they stood; nobody has points. A game
that does not end is broken off as a fault of the table: all share the first rank.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from .agents import own_seed
from .games.errors import SfumatoError
from .plan import MAX_PLIES
from .records import Fault
from .seated import GRACE, Answered, Faulty

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .games import Game, State
    from .plan import Planned
    from .seated import Player


class Limits(NamedTuple):
    """What is allowed to every player, beside its own clock."""

    #: milliseconds for a move, and for all moves of a seat in a game
    move_ms: float | None = None
    game_ms: float | None = None
    #: decisions after which a game is broken off
    max_plies: int = MAX_PLIES


UNLIMITED = Limits()
#: said to who was late
WITH_GRACE = f", with the grace of {GRACE:g} s"


class Played(NamedTuple):
    """A game that was played, as a `Record` keeps it."""

    actions: tuple[int, ...]
    scores: tuple[float, ...]
    ranks: tuple[int, ...]
    fault: Fault | None
    plies: int
    sims: tuple[int, ...]
    thought: tuple[float, ...]
    seconds: float


def play(game: Game, planned: Planned, players: Sequence[Player], limits: Limits = UNLIMITED,
         key: int = 0, now: Callable[[], float] = time.monotonic) -> Played:
    """Plays a planned game to its end. `players` has an entry per agent of the settings; their seeds come
    from the key, and tell nothing of the deal."""
    started = now()
    state = game.new(len(planned.agents), planned.seed)
    duel = Duel(state, [players[each] for each in planned.agents], key, limits, now)
    fault = duel.whole()
    scores, ranks = standing(state, fault)
    return Played(tuple(duel.actions), scores, ranks, fault, len(duel.actions), tuple(duel.sims),
                  tuple(duel.thought), now() - started)


def standing(state: State, fault: Fault | None) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Points and ranks, per seat."""
    if fault is None:
        scores, ranks, _ = state.outcome
        return tuple(scores), tuple(ranks)
    seats = range(state.players)
    return tuple(0.0 for _ in seats), tuple(state.players if seat == fault.seat else 1 for seat in seats)


class Duel:
    """A game under way."""

    def __init__(self, state: State, seats: Sequence[Player], key: int, limits: Limits,
                 now: Callable[[], float]) -> None:
        self.state = state
        self.seats = seats
        self.key = key
        self.limits = limits
        self.now = now
        self.actions: list[int] = []
        self.sims = [0] * state.players
        self.thought = [0.0] * state.players

    def whole(self) -> Fault | None:
        """Plays to the end, or to the first fault."""
        seat = 0
        try:
            for seat, each in enumerate(self.seats):  # noqa: B007
                each.begin(self.state.game, self.state.players)
            while self.state.to_move is not None:
                if len(self.actions) == self.limits.max_plies:
                    return Fault(None, "endless", f"no end after {self.limits.max_plies} moves")
                seat = self.state.to_move
                self.move(seat)
        except Faulty as fault:
            self.seats[seat].close(at_once=True)
            return Fault(seat, fault.kind, fault.reason)
        return None

    def move(self, seat: int) -> None:
        """The seat to move plays."""
        allowed = self.allowed(seat)
        answered, took = self.asked(seat, allowed)
        if allowed is not None and took > allowed:
            raise Faulty("late", f"its answer took {took:.4g} s, and it had {allowed:.4g} s{WITH_GRACE}")
        self.sims[seat] += answered.sims
        try:
            self.actions.append(self.state.apply(answered.action).action)
        except SfumatoError as error:
            raise Faulty("illegal", error.message) from None

    def asked(self, seat: int, seconds: float | None) -> tuple[Answered, float]:
        """A player's answer, and how long it took."""
        player, seed = self.seats[seat], own_seed(self.key, seat, len(self.actions))
        view = player.view(self.state, seat)
        started = self.now()
        try:
            answered = player.answer(view, seed, seconds)
        except Faulty as fault:
            if fault.kind == "late" and seconds is not None:
                raise Faulty("late", f"{fault.reason}{WITH_GRACE}") from None
            raise
        finally:
            took = self.now() - started
            self.thought[seat] += took
        return answered, took

    def allowed(self, seat: int) -> float | None:
        """Seconds after which nobody waits for the seat's move; None: any time. A grace is granted for every
        move, and of the clock of the game once."""
        player, used = self.seats[seat], self.thought[seat] * 1000
        per_game = [each - used for each in (self.limits.game_ms, player.game_ms) if each is not None]
        per_move = [each for each in (self.limits.move_ms, player.ms) if each is not None]
        return max(0.0, min(per_game + per_move) / 1000 + GRACE) if per_game or per_move else None
