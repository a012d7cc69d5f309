"""The search for people and programs: settings, limits, threads, and what comes out.

A search knows what the seat to move knows and nothing else: its trees are handed `hide(state, seat)`, and
every world in them comes out of `deal`. The result depends on the seed, the settings, the limit of
simulations and the number of trees; never on threads, nor on what the seat cannot know.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .ext.rng import mixed
from .ext.tree import MOST_SIMS, Tree
from .games.errors import SfumatoError, shown
from .games.state import State, fresh
from .parameters import Parameter, Value, accept_all

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .ext.state import Position
    from .games import Step
    from .games.game import Game

    Report = Callable[["Result"], None]
    Clock = Callable[[], float]

#: How a search thinks. The defaults are the plain search; a game's own stand in `Game.search`.
SETTINGS = (
    Parameter("variant", "one tree, one per seat, re-determinized, one per world, or none", "so",
              choices=("so", "mo", "ris", "pimc", "flat")),
    Parameter("chance", "what is drawn shares a node, or splits it", "open", choices=("open", "split")),
    Parameter("c", "exploration: the weight of the unknown", 0.7, low=0, high=100),
    Parameter("urgency", "of a move not yet tried, above the mean of those tried; 10: always first", 10.0,
              low=-1, high=10),
    Parameter("guided", "the game's simple move is tried first", False),
    Parameter("noise", "share of uniformly random moves in playouts", 1.0, low=0, high=1),
    Parameter("cut", "plies of a playout before it is judged; -1: to the end", -1, low=-1, high=10_000),
    Parameter("rank", "weight of the finishing order in the payoff", 0.0, low=0, high=1),
    Parameter("score", "weight of the points in the payoff; the win has the rest", 0.0, low=0, high=1),
    Parameter("worlds", "worlds of variant pimc", 20, low=1, high=1000),
    Parameter("plain", "leave the game's own settings aside", False),
)
#: What a variant does not look at.
UNUSED = {"pimc": ("trees",), "flat": ("c", "urgency", "guided")}
#: Those that a tree takes as they are.
TREE = ("c", "urgency", "guided", "noise", "cut", "rank", "score")
#: Without any limit a search runs so many simulations,
DEFAULT_SIMS = 10_000
#: and where only nodes or confidence limit it, which may never be reached, so many, or so many per node.
MOST_UNDECIDED = 1_000_000
MOST_PER_NODE = 100
#: When a search stops: the first limit that is reached.
LIMITS = (
    Parameter("sims", "simulations, in all", DEFAULT_SIMS, low=1, high=MOST_SIMS),
    Parameter("ms", "milliseconds", 1000.0, low=0, high=10**9),
    Parameter("nodes", "nodes, in all", 1_000_000, low=1, high=10**10),
    Parameter("confidence", "stop when the best move's interval lies above the second's", 0.95, low=0.5,
              high=0.999999),
)
#: How the work is spread.
MEANS = (
    Parameter("trees", "independent trees, added up at the root", 1, low=1, high=1024),
    Parameter("threads", "threads that share the trees; no part of the result", 1, low=1, high=256),
    Parameter("memory", "megabytes for nodes; once full, nothing is added", 4096, low=1, high=10**6),
)
#: A position with one move is judged by so many.
ONLY_MOVE_SIMS = 64
#: Bytes without which a tree cannot begin, per seat.
LEAST_MEMORY = 4096
#: Moves of a principal variation.
LONGEST = 12
#: The level of the intervals in a result.
LEVEL = 0.95
#: Seconds that a batch of simulations should take: between two, limits are looked at.
BATCH = 0.001
#: Limits of confidence are judged when each tree has run so many simulations, and then a quarter more, ...
FIRST_LOOK = 100


class Move(NamedTuple):
    """A root move. Shares and points are those of the seat that searches."""

    action: int
    words: str
    #: simulations that chose it, those kept from an earlier search included
    visits: int
    #: simulations that could have chosen it
    availability: int
    #: expected share of the win over this search's simulations; None: they never tried it
    win_share: float | None
    #: where the share lies, at the level of `LEVEL`, if the simulations were independent (they adapt)
    interval: tuple[float, float]
    #: expected points, likewise
    score: float | None

    def __index__(self) -> int:
        return self.action


class Ply(NamedTuple):
    """A move of the principal variation, as the searching seat would see it."""

    seat: int
    words: str


@dataclass(frozen=True)
class Result:
    """What a search found."""

    #: the seat that searched
    seat: int
    #: the legal moves, best first
    moves: list[Move]
    #: expected share of the win of each seat
    shares: list[float]
    #: expected points of each seat
    scores: list[float]
    #: the most visited way down
    variation: list[Ply]
    #: what ended it: sims, ms, nodes, confidence, cancelled or only_move
    stop: str
    sims: int
    nodes: int
    #: bytes of all nodes
    memory: int
    #: no room was left for more nodes
    full: bool
    #: seconds
    elapsed: float = field(compare=False)

    @property
    def best(self) -> Move:
        return self.moves[0]


class Searcher:
    """Searches with one set of settings, and keeps its tree from one move to the next.

    After `search`, tell it every step that is played at the table (`advance`), those of others included: what
    was learnt below what really happened is kept for the next `search` of the same seat. One thing at a time:
    while a search is under way, only `cancel` may be called.
    """

    def __init__(self, **settings: Value | None) -> None:
        self._given = accept_all((*SETTINGS, *MEANS), settings, "a search")
        check_weights(self._given)
        self._trees: list[Tree] = []
        self._busy = False
        self._cancelled = False
        #: what the trees' seat knew after the last step that they followed: there, and only there, they go on
        self._followed: State | None = None

    def settings(self, game: Game) -> dict[str, Value]:
        """Every setting in force for a game."""
        plain = {each.name: each.default for each in (*SETTINGS, *MEANS)}
        own = {} if self._given.get("plain") else game.search
        return {**plain, **accept_all(SETTINGS, own, f"{game.name}'s search"), **self._given}

    def cancel(self) -> None:
        """Ends the search that is under way in another thread, within a few simulations; it returns what it
        has. One that has not begun is not ended: `search` takes `cancelled` for that."""
        self._cancelled = True
        for tree in self._trees:
            tree.cancel()

    def search(self, state: State, *, seat: int | None = None, seed: int | None = None,
               cancelled: Callable[[], bool] | None = None, report: Report | None = None,
               report_every_ms: float = 100.0, clock: Clock = time.monotonic,
               **limits: float | None) -> Result:
        """The moves of the seat to move, judged.

        `report` is called with what there is, now and then; `cancelled` is asked now and then, from the first
        simulation on, whether to stop. At least one simulation is run.
        """
        chosen = accept_all(LIMITS, limits, "a search", (*SETTINGS, *MEANS))
        if not isinstance(state, State):
            raise SfumatoError("bad_state", f"expected a State, got {type(state).__name__}")
        if state.is_terminal:
            raise SfumatoError("over", "the game is over: there is no move to search for")
        if seat is not None and seat != state.to_move:
            raise SfumatoError("bad_seat", f"seat {state.to_move} is to move, not seat {shown(seat)}", "seat")
        settings = self.settings(state.game)
        check_together(settings, self._given)
        seed = fresh(seed)
        self._begin()
        try:
            self._plant(state, settings, seed, timed="ms" in chosen and "sims" not in chosen)
            asked = cancelled or (lambda: False)
            run = Run(self._trees, state, settings, chosen, clock, lambda: self._cancelled or asked())
            if report is not None:
                run.report, run.report_every = report, report_every_ms / 1000
            return run.whole()
        finally:
            self._busy = False

    def _begin(self) -> None:
        if self._busy:
            raise SfumatoError("busy", "this searcher is searching already")
        self._busy, self._cancelled = True, False

    def advance(self, step: Step, state: State) -> bool:
        """Follows a step that was played; `state` is the table after it, or what the seat knows of it. True
        if something of the tree is kept."""
        if self._busy:
            raise SfumatoError("busy", "this searcher is searching")
        kept = False
        for tree in self._trees:
            revealed, chance = step.keys(tree.seat)
            kept |= tree.advance(step.seat, step.labels[tree.seat], revealed, chance, state.position.to_move,
                                 state.position.phase)
        self._followed = state.hidden(self._trees[0].seat) if kept else None
        if not kept:
            self._trees = []
        return kept

    def _plant(self, state: State, settings: Mapping[str, Value], seed: int, timed: bool) -> None:
        hidden = state.hidden(cast("int", state.to_move)).position
        followed, self._followed = self._followed, None
        mine = len(self._trees) == self._count(settings, timed) and self._trees[0].seat == state.to_move
        if mine and followed is not None and followed.position == hidden:
            for number, tree in enumerate(self._trees):
                tree.rebase(hidden, mixed(seed, number))
            return
        kind = "perfect" if settings["variant"] == "pimc" else cast("str", settings["variant"])
        self._trees = self._planted(hidden, kind, settings, seed, timed)

    def _count(self, settings: Mapping[str, Value], timed: bool) -> int:
        """How many trees."""
        if settings["variant"] == "pimc":
            return cast("int", settings["worlds"])
        return cast("int", settings["threads" if timed and "trees" not in self._given else "trees"])

    def _planted(self, position: Position, kind: str, settings: Mapping[str, Value], seed: int, timed: bool,
                 truth: bool = False) -> list[Tree]:
        """Trees that have not grown yet."""
        count = self._count(settings, timed)
        memory = (cast("int", settings["memory"]) << 20) // count
        if memory < LEAST_MEMORY * position.table.players:
            message = f"{settings['memory']} MB are too little for {count} trees"
            raise SfumatoError("bad_parameter", message, "memory")
        split = settings["chance"] == "split"
        taken: dict[str, Any] = {name: settings[name] for name in TREE}
        return [
            Tree(position, kind, mixed(seed, number), split=split, memory=memory, turn=number / count,
                 truth=truth, **taken)
            for number in range(count)
        ]


def search(state: State, **given: Any) -> Result:
    """One search for the seat to move: settings, means and limits as keywords; `seed`, `report`, `clock`."""
    mine = {each.name for each in (*SETTINGS, *MEANS)}
    settings = {name: value for name, value in given.items() if name in mine}
    rest = {name: value for name, value in given.items() if name not in mine}
    return Searcher(**settings).search(state, **rest)


def check_weights(settings: Mapping[str, Value], hint: str = "") -> None:
    """The weights of a payoff are shares of one."""
    rank, score = cast("float", settings.get("rank", 0.0)), cast("float", settings.get("score", 0.0))
    if rank + score > 1:
        message = f"rank and score are shares of 1, here {rank} and {score}{hint}"
        raise SfumatoError("bad_parameter", message, "score")


def check_together(settings: Mapping[str, Value], given: Mapping[str, Value]) -> None:
    """Refuses settings that contradict each other, and given ones that the variant would not look at."""
    own = [name for name in ("rank", "score") if name not in given]
    check_weights(settings, f" ({own[0]} is the game's own)" if own else "")
    for name in UNUSED.get(cast("str", settings["variant"]), ()):
        if name in given:
            raise SfumatoError("bad_parameter", f"variant {settings['variant']} has no use for it", name)


class Run:
    """One search under way."""

    def __init__(self, trees: Sequence[Tree], state: State, settings: Mapping[str, Value],
                 limits: Mapping[str, Value], clock: Clock, cancelled: Callable[[], bool]) -> None:
        self.trees = trees
        self.game = state.game
        self.flat = settings["variant"] == "flat"
        self.by_world = settings["variant"] == "pimc"
        self.only_move = len(state.legal_actions) == 1
        self.threads = min(cast("int", settings["threads"]), len(trees))
        self.ms = cast("float | None", limits.get("ms"))
        self.confidence = cast("float | None", limits.get("confidence"))
        sims = cast("int", limits.get("sims", self.enough(limits)))
        self.quota = shared_out(min(sims, ONLY_MOVE_SIMS) if self.only_move else sims, len(trees))
        nodes = cast("int | None", limits.get("nodes"))
        # 0: no limit
        self.most_nodes = shared_out(max(nodes, len(trees)) if nodes else 0, len(trees))
        self.clock = clock
        self.cancelled = cancelled
        self.report: Report | None = None
        self.report_every = 0.1
        self.started = clock()
        self.reported = self.started
        self.batch = [1] * len(trees)

    @staticmethod
    def enough(limits: Mapping[str, Value]) -> int:
        """Simulations that end a search whose limits do not speak of them."""
        if not limits:
            return DEFAULT_SIMS
        if "ms" in limits:
            return MOST_SIMS
        nodes = cast("int", limits.get("nodes", 0))
        return min(MOST_SIMS, max(MOST_PER_NODE * nodes, MOST_UNDECIDED if "confidence" in limits else 0))

    def whole(self) -> Result:
        """Runs until a limit is reached."""
        look = FIRST_LOOK
        while True:
            self.stretch(look if self.confidence else None)
            stop = self.reached(look)
            if stop:
                return self.result(stop)
            if self.confidence and self.looked(look):
                look += look // 4
            if self.report is not None and self.clock() - self.reported >= self.report_every:
                self.reported = self.clock()
                self.report(self.result("running"))

    def stretch(self, look: int | None) -> None:
        """Lets every tree run on, until a limit, the next look at the intervals, or the next report."""
        if self.threads == 1:
            self.grow(range(len(self.trees)), look)
            return
        from concurrent.futures import ThreadPoolExecutor  # slow to import, and seldom needed

        with ThreadPoolExecutor(self.threads) as pool:
            parts = [range(first, len(self.trees), self.threads) for first in range(self.threads)]
            try:
                for done in [pool.submit(self.grow, part, look) for part in parts]:
                    done.result()
            except BaseException:
                for tree in self.trees:
                    tree.cancel()
                raise

    def grow(self, part: Sequence[int], look: int | None) -> None:
        """Runs some of the trees in turn, a batch each, in one thread; at first one simulation each, whatever
        the limits."""
        for number in part:
            if self.trees[number].sims == 0:
                self.trees[number].run(1)
        running = True
        while running and not self.cancelled() and not self.late():
            running = False
            for number in part:
                left = self.left(number, look)
                if left:
                    start = self.clock()
                    ran = self.trees[number].run(min(left, self.batch[number]), self.most_nodes[number])
                    running |= ran == min(left, self.batch[number])
                    self.batch[number] = next_batch(self.batch[number], self.clock() - start)
                    if self.late() or self.cancelled():
                        return
            if self.report is not None and self.clock() - self.reported >= self.report_every:
                return

    def left(self, number: int, look: int | None) -> int:
        """Simulations that a tree may still run."""
        tree, quota, most = self.trees[number], self.quota[number], self.most_nodes[number]
        if most and (tree.nodes >= most or tree.full):
            return 0
        return max(0, min(quota, look or quota) - tree.sims)

    def late(self) -> bool:
        return self.ms is not None and (self.clock() - self.started) * 1000 >= self.ms

    def reached(self, look: int) -> str:
        """The limit that ends the search, or an empty word."""
        if self.cancelled():
            return "cancelled"
        if all(self.left(number, None) == 0 for number in range(len(self.trees))):
            if any(tree.sims < quota for tree, quota in zip(self.trees, self.quota, strict=True)):
                return "nodes"
            return "only_move" if self.only_move else "sims"
        if self.late():
            return "ms"
        return "confidence" if self.confidence and self.looked(look) and self.decided() else ""

    def looked(self, look: int) -> bool:
        """Every tree has run as many simulations as it may before the next look."""
        return all(self.left(number, look) == 0 for number in range(len(self.trees)))

    def decided(self) -> bool:
        """The best move's payoff lies above every other's. A heuristic: simulations are not independent."""
        level = cast("float", self.confidence)
        best, *others = [interval(payoff, move.visits, level) for payoff, move in self.ranked()]
        return all(best[0] > other[1] for other in others)

    def ranked(self) -> list[tuple[float, Move]]:
        """The root moves over all trees, best first, each with its mean payoff."""
        seat = self.trees[0].seat
        found = []
        for rows in zip(*(tree.moves() for tree in self.trees), strict=True):
            action = rows[0].action
            visits, sims = sum(row.visits for row in rows), sum(row.sims for row in rows)
            payoff = sum(row.visits * row.payoff for row in rows) / visits if visits else 0.0
            tried = [row for row in rows if row.sims]
            if self.by_world:
                # a world in which the move does well has most of its simulations, and still counts once
                share = mean([row.shares[seat] / row.sims for row in tried])
                score = mean([row.scores[seat] / row.sims for row in tried])
            else:
                share = sum(row.shares[seat] for row in rows) / sims if sims else None
                score = sum(row.scores[seat] for row in rows) / sims if sims else None
            draws = len(tried) if self.by_world else sims
            move = Move(action, self.game.words(action), visits, sum(row.availability for row in rows),
                        share, interval(share, draws, LEVEL), score)
            found.append((payoff if self.flat else visits, payoff, -action, move))
        return [(payoff, move) for _, payoff, _, move in sorted(found, reverse=True)]

    def result(self, stop: str) -> Result:
        moves = [move for _, move in self.ranked()]
        rows = [row for tree in self.trees for row in tree.moves()]
        sims = max(1, sum(row.sims for row in rows))
        seats = range(self.trees[0].table.players)
        ways = (tree.variation(moves[0].action, LONGEST) for tree in self.trees)
        way = next((way for way in ways if way), [])
        return Result(
            seat=self.trees[0].seat,
            moves=moves,
            shares=[sum(row.shares[seat] for row in rows) / sims for seat in seats],
            scores=[sum(row.scores[seat] for row in rows) / sims for seat in seats],
            variation=[Ply(mover, self.game.words(label)) for mover, label in way],
            stop=stop,
            sims=sum(tree.sims for tree in self.trees),
            nodes=sum(tree.nodes for tree in self.trees),
            memory=sum(tree.memory for tree in self.trees),
            full=any(tree.full for tree in self.trees),
            elapsed=self.clock() - self.started,
        )


def shared_out(total: int, parts: int) -> list[int]:
    """A number in whole parts that differ by one at most."""
    return [total // parts + (number < total % parts) for number in range(parts)]


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def next_batch(batch: int, took: float) -> int:
    """The size of a batch that takes about `BATCH` seconds."""
    if took <= BATCH / 16:
        return min(batch * 8, 1 << 16)
    return max(1, min(int(batch * BATCH / took), batch * 8, 1 << 16))


def interval(share: float | None, count: int, level: float) -> tuple[float, float]:
    """Wilson's interval for a share that was met as the mean of so many independent draws between 0 and 1."""
    if share is None or count == 0:
        return 0.0, 1.0
    z = deviations(level)
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    # rounding must not shut out a share of 0 or 1
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def deviations(level: float) -> float:
    """How many standard deviations to each side hold such a share of a normal distribution."""
    if level == LEVEL:
        return 1.959963984540054
    from statistics import NormalDist  # slow to import, and seldom needed

    return NormalDist().inv_cdf(0.5 + level / 2)
