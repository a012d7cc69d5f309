"""Tables and positions for Python: one pair of classes that serves every game core.

Numbers only. Arguments are checked here, under the GIL, so that the cores need not; a refused call
raises and changes nothing.
"""

from libc.stdint cimport int16_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset
from .rng cimport (
    MAX_VALUES, MAX_WORDS, PLAYS, STREAMS, Chance, Script, below, obeyed, rewind, seed_chance,
)
from .state cimport (
    EVENT_WORDS, MAX_LABELS, MAX_LEGAL, MAX_SEATS, STATE_WORDS, Core, Position, Seen, Table, phase, to_move,
)

LIMITS = {"seats": MAX_SEATS, "state": 8 * STATE_WORDS, "event": 8 * EVENT_WORDS, "legal": MAX_LEGAL,
          "words": MAX_WORDS, "values": MAX_VALUES, "streams": STREAMS}


# Whoever has it may make tables and positions: Python has not, since a blank one could not be asked anything.
cdef object MAKING = object()


class Misfit(Exception):
    """The position cannot obey the script; nothing was changed."""


class Impossible(ValueError):
    """A position of which an invariant does not hold: `invariant` is its number."""

    def __init__(self, invariant: int) -> None:
        super().__init__(f"invariant {invariant} does not hold")
        self.invariant = invariant

    def __reduce__(self) -> tuple:
        return Impossible, (self.invariant,)


cdef class Table:
    """A core with the rules of one (card table, options, player count)."""

    def __cinit__(self, key: object):
        if key is not MAKING:
            raise TypeError("a table comes from a game core's table()")

    def __dealloc__(self):
        free(self.rules)

    @property
    def state_size(self) -> int:
        return self.core.state_size

    @property
    def actions(self) -> int:
        return self.core.actions

    @property
    def labels(self) -> int:
        return self.core.labels

    @property
    def max_legal(self) -> int:
        return self.core.max_legal

    @property
    def score_range(self) -> tuple[int, int]:
        return self.min_score, self.max_score

    @property
    def public_phases(self) -> int:
        return self.core.public_phases

    @property
    def fixed_phases(self) -> int:
        return self.core.fixed_phases

    @property
    def telling_phases(self) -> int:
        return self.core.telling_phases

    @property
    def hidden(self) -> bool:
        return self.core.hidden

    @property
    def random(self) -> bool:
        return self.core.random

    def new(self, seed: int, script: list[tuple[int, int, list[int]]] | None = None) -> Position:
        """A game set up; a script that the set-up cannot obey raises Misfit."""
        cdef Position position = blank(self)
        cdef Script words
        seed_chance(&position.chance, <uint64_t>seed)
        if script is not None:
            write_script(&words, script)
            position.chance.script = &words
        self.core.new(self.rules, position.state, &position.chance)
        position.chance.script = NULL
        if script is not None and not obeyed(&words):
            raise Misfit("the set-up cannot obey the script")
        return position

    def seen(self, event: bytes, seat: int) -> tuple[int, int]:
        """The keys of what a step showed to the seat: revealed, chance."""
        cdef Seen key
        cdef uint64_t aligned[EVENT_WORDS]
        require_seat(self, seat)
        if len(event) != self.core.event_size:
            raise ValueError(f"an event has {self.core.event_size} bytes, not {len(event)}")
        memcpy(aligned, <const char *>event, len(event))
        key = self.core.seen(self.rules, aligned, seat)
        return key.revealed, key.chance

    def read(self, state: bytes, streams: bytes | None = None, seed: int = 0) -> Position:
        """The position of these bytes; Impossible names the broken invariant."""
        cdef Position position = blank(self)
        cdef int broken
        if len(state) != self.core.state_size:
            raise ValueError(f"a state has {self.core.state_size} bytes, not {len(state)}")
        if streams is not None and len(streams) != STREAMS * sizeof(uint64_t):
            raise ValueError(f"chance has {STREAMS * sizeof(uint64_t)} bytes, not {len(streams)}")
        memcpy(position.state, <const char *>state, len(state))
        seed_chance(&position.chance, <uint64_t>seed)
        if streams is not None:
            memcpy(position.chance.stream, <const char *>streams, len(streams))
        broken = self.core.check(self.rules, position.state)
        if broken:
            raise Impossible(broken)
        return position


cdef class Position:
    """A state and its chance. Methods that look ahead return a new Position."""

    def __cinit__(self, key: object):
        if key is not MAKING:
            raise TypeError("a position comes from Table.new or Table.read")

    cdef Position twin(self):
        cdef Position other = blank(self.table)
        memcpy(other.state, self.state, self.table.core.state_size)
        other.chance = self.chance
        return other

    def __eq__(self, other: object) -> bool:
        """Whether table and state are the same; chance is no part of a position."""
        if not isinstance(other, Position):
            return NotImplemented
        return self.table is (<Position>other).table and 0 == memcmp(
            self.state, (<Position>other).state, self.table.core.state_size)

    __hash__ = None

    @property
    def state_bytes(self) -> bytes:
        return (<const char *>self.state)[:self.table.core.state_size]

    @property
    def streams(self) -> bytes:
        """Where each source of chance stands: the table's future, for the referee alone."""
        return (<const char *>self.chance.stream)[:STREAMS * sizeof(uint64_t)]

    @property
    def to_move(self) -> int:
        return to_move(self.state)

    @property
    def phase(self) -> int:
        return phase(self.state)

    def copy(self, seed: int | None) -> Position:
        """The same position with chance seeded anew; None: with the same chance (the referee's undo)."""
        cdef Position other = self.twin()
        if seed is not None:
            seed_chance(&other.chance, <uint64_t>seed)
        return other

    def legal(self) -> list[int]:
        cdef uint16_t out[MAX_LEGAL]
        cdef int i, n
        if to_move(self.state) < 0:
            return []
        n = self.table.core.legal(self.table.rules, self.state, out)
        return [out[i] for i in range(n)]

    def apply(self, action: int, script: list[tuple[int, int, list[int]]] | None = None) -> bytes:
        """Plays a legal action and returns the event; refused, nothing changes."""
        cdef uint64_t event[EVENT_WORDS]
        cdef Position after
        cdef Script words
        require_legal(self, action)
        memset(event, 0, sizeof(event))
        if script is None:
            self.table.core.apply(self.table.rules, self.state, action, &self.chance, event)
        else:
            write_script(&words, script)
            after = self.twin()
            after.chance.script = &words
            self.table.core.apply(self.table.rules, after.state, action, &after.chance, event)
            if not obeyed(&words):
                raise Misfit("the step cannot obey the script")
            after.chance.script = NULL
            memcpy(self.state, after.state, self.table.core.state_size)
            self.chance = after.chance
        return (<const char *>event)[:self.table.core.event_size]

    def hide(self, seat: int) -> Position:
        """The canonical world of what the seat knows, without the table's chance."""
        cdef Position other = self.twin()
        require_seat(self.table, seat)
        seed_chance(&other.chance, 0)
        self.table.core.hide(self.table.rules, other.state, seat)
        return other

    def deal(self, seat: int, seed: int, script: list[tuple[int, int, list[int]]] | None = None) -> Position:
        """A random world that the seat cannot tell from this one. Dealt out of the hidden position: a deal
        out of the true one would tell it to whoever knows the seed."""
        cdef Position other = self.twin()
        cdef Script words
        require_seat(self.table, seat)
        seed_chance(&other.chance, <uint64_t>seed)
        if script is not None:
            write_script(&words, script)
            other.chance.script = &words
        self.table.core.hide(self.table.rules, other.state, seat)
        self.table.core.deal(self.table.rules, other.state, seat, &other.chance)
        other.chance.script = NULL
        return other

    def redeal(self, seats: list[int], seed: int) -> Position:
        """A world dealt out of this very one, from the view of one seat after the other, as searches do."""
        cdef Position other = self.twin()
        seed_chance(&other.chance, <uint64_t>seed)
        for seat in seats:
            require_seat(self.table, seat)
            self.table.core.deal(self.table.rules, other.state, seat, &other.chance)
        return other

    def label(self, action: int, seat: int) -> int:
        require_legal(self, action)
        require_seat(self.table, seat)
        return self.table.core.label(self.table.rules, self.state, action, seat)

    def outcome(self) -> tuple[list[float], list[int]]:
        """Points and ranks of a finished game."""
        cdef double scores[MAX_SEATS]
        cdef int ranks[MAX_SEATS]
        cdef int seat
        if to_move(self.state) >= 0:
            raise ValueError("the game is not over")
        self.table.core.outcome(self.table.rules, self.state, scores, ranks)
        return ([scores[seat] for seat in range(self.table.players)],
                [ranks[seat] for seat in range(self.table.players)])

    def evaluate(self) -> tuple[list[float], list[float]]:
        """Expected win shares and points."""
        cdef double shares[MAX_SEATS]
        cdef double scores[MAX_SEATS]
        cdef int seat
        self.table.core.evaluate(self.table.rules, self.state, shares, scores)
        return ([shares[seat] for seat in range(self.table.players)],
                [scores[seat] for seat in range(self.table.players)])

    def greedy(self) -> int:
        if to_move(self.state) < 0:
            raise ValueError("the game is over")
        return self.table.core.greedy(self.table.rules, self.state)

    def playout(self, seed: int, noise: float = 1.0, plies: int = -1) -> tuple[Position, int]:
        """The position after playing on, and the number of decisions played."""
        cdef Position other = self.twin()
        cdef int played = 0
        cdef double share = require_noise(noise)
        cdef int limit = plies
        seed_chance(&other.chance, <uint64_t>seed)
        if to_move(self.state) >= 0:
            with nogil:
                played = self.table.core.playout(self.table.rules, other.state, &other.chance, share, limit)
        return other, played

    def check(self) -> int:
        return self.table.core.check(self.table.rules, self.state)

    def follow(self, seat: int, label: int, script: list[tuple[int, int, list[int]]], tries: int,
               seed: int) -> tuple[Position, bytes, int] | None:
        """A world behind this hidden position in which an action of that label can be played and obeys
        the script: the position after the step, the event, and how many worlds were dealt; None if
        `tries` worlds did not fit. The caller compares what the event shows."""
        cdef Position world = self.twin()
        cdef uint64_t event[EVENT_WORDS]
        cdef uint16_t out[MAX_LEGAL]
        cdef uint16_t fits[MAX_LEGAL]
        cdef Script words
        cdef Chance chance
        cdef const Core *core = self.table.core
        cdef const void *rules = self.table.rules
        cdef int i, n, fit, action, t = 0, looking = seat, shown = label, limit = tries
        cdef bint found = False
        require_seat(self.table, seat)
        if to_move(self.state) < 0:
            raise ValueError("the game is over")
        write_script(&words, script)
        words.label = shown
        seed_chance(&chance, <uint64_t>seed)
        chance.script = &words
        with nogil:
            while not found and t < limit:
                t += 1
                memcpy(world.state, self.state, core.state_size)
                rewind(&words)
                core.deal(rules, world.state, looking, &chance)
                rewind(&words)
                n = core.legal(rules, world.state, out)
                fit = 0
                for i in range(n):
                    if core.label(rules, world.state, out[i], looking) == shown:
                        fits[fit] = out[i]
                        fit += 1
                if fit == 0:
                    continue
                action = fits[below(&chance, PLAYS, fit)]
                memset(event, 0, sizeof(event))
                core.apply(rules, world.state, action, &chance, event)
                found = obeyed(&words)
        if not found:
            return None
        world.chance = chance
        world.chance.script = NULL
        return world, (<const char *>event)[:core.event_size], t

    def perft(self, depth: int) -> int:
        """The number of sequences of `depth` decisions (shorter ones that end the game count too),
        every outcome of chance as this table's own streams have it."""
        cdef int plies = depth
        cdef uint64_t count
        if plies < 0:
            raise ValueError(f"depth: expected 0 or more, got {depth}")
        with nogil:
            count = perft(self.table.core, self.table.rules, self.state, &self.chance, plies)
        return count


def playouts(position: Position, seed: int, count: int, noise: float = 1.0) -> int:
    """Plays `count` playouts from one position in one loop and returns the decisions played: for bench/."""
    return repeat(position, -1, <uint64_t>seed, count, require_noise(noise))


def deals(position: Position, seat: int, seed: int, count: int) -> int:
    """Copies the position and deals a world, `count` times in one loop: for bench/."""
    require_seat(position.table, seat)
    return repeat(position, seat, <uint64_t>seed, count, 0.0)


cdef uint64_t repeat(Position position, int seat, uint64_t seed, long count, double noise):
    cdef uint64_t state[STATE_WORDS]
    cdef const Core *core = position.table.core
    cdef const void *rules = position.table.rules
    cdef Chance chance
    cdef uint64_t played = 0
    cdef long _round
    if to_move(position.state) < 0:
        raise ValueError("the game is over")
    seed_chance(&chance, seed)
    with nogil:
        for _round in range(count):
            memcpy(state, position.state, core.state_size)
            if seat >= 0:
                core.deal(rules, state, seat, &chance)
                played += 1
            else:
                played += <uint64_t>core.playout(rules, state, &chance, noise, -1)
    return played


cdef uint64_t perft(const Core *core, const void *rules, const void *state, const Chance *chance,
                    int depth) noexcept nogil:
    cdef uint64_t child[STATE_WORDS]
    cdef uint16_t out[MAX_LEGAL]
    cdef Chance branch
    cdef uint64_t count = 0
    cdef int i, n
    if depth == 0 or to_move(state) < 0:
        return 1
    n = core.legal(rules, state, out)
    for i in range(n):
        memcpy(child, state, core.state_size)
        branch = chance[0]
        core.apply(rules, child, out[i], &branch, NULL)
        count += perft(core, rules, child, &branch, depth - 1)
    return count


cdef Table make_table(const Core *core, bytes rules, int players, int min_score, int max_score):
    """For a game core's table(): checks the sizes once, so that no buffer is ever too small."""
    cdef Table table = Table.__new__(Table, MAKING)
    if len(rules) != core.rules_size:
        raise ValueError(f"the rules have {core.rules_size} bytes, not {len(rules)}")
    if core.state_size > 8 * STATE_WORDS or core.event_size > 8 * EVENT_WORDS or core.max_legal > MAX_LEGAL:
        raise ValueError("the core is larger than LIMITS allow")
    if core.actions + core.labels > MAX_LABELS:
        raise ValueError(f"the core has more than {MAX_LABELS} actions and labels")
    if not 2 <= players <= MAX_SEATS:
        raise ValueError(f"players: expected 2 to {MAX_SEATS}, got {players}")
    if min_score >= max_score:
        raise ValueError(f"points: expected a range, got {min_score} to {max_score}")
    table.rules = malloc(len(rules))
    if table.rules == NULL:
        raise MemoryError
    memcpy(table.rules, <const char *>rules, len(rules))
    table.core = core
    table.players = players
    table.min_score = min_score
    table.max_score = max_score
    return table


cdef Position blank(Table table):
    cdef Position position = Position.__new__(Position, MAKING)
    position.table = table
    memset(position.state, 0, sizeof(position.state))
    position.chance.script = NULL
    return position


cdef int require_legal(Position position, int action) except -1:
    cdef uint16_t out[MAX_LEGAL]
    cdef int i
    if to_move(position.state) < 0:
        raise ValueError("the game is over")
    for i in range(position.table.core.legal(position.table.rules, position.state, out)):
        if out[i] == action:
            return 0
    raise ValueError(f"action {action} is not legal here")


cdef int require_seat(Table table, int seat) except -1:
    if not 0 <= seat < table.players:
        raise ValueError(f"seat: expected 0 to {table.players - 1}, got {seat}")
    return 0


cdef double require_noise(double noise) except -1.0:
    if not 0.0 <= noise <= 1.0:
        raise ValueError(f"noise: expected 0 to 1, got {noise}")
    return noise


cdef int write_script(Script *script, list words) except -1:
    cdef int i, k
    if len(words) > MAX_WORDS:
        raise ValueError(f"a script has at most {MAX_WORDS} words, not {len(words)}")
    script.count = len(words)
    script.label = -1
    for i in range(script.count):
        word, seat, values = words[i]
        if len(values) > MAX_VALUES:
            raise ValueError(f"word {i} of the script has more than {MAX_VALUES} values")
        script.words[i].word = word
        script.words[i].seat = seat
        script.words[i].count = len(values)
        for k in range(script.words[i].count):
            script.words[i].value[k] = <int16_t>values[k]
    rewind(script)
    return 0
