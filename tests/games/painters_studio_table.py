"""Builders of positions of The Painter's Studio, and readers of a table, all through observations.

`position("1 2 6 6", students=[(1, 0, 2, 0)], paint=[(0, 1, 0, 0)], tokens=[3], display="im01 po09")` is a
table of three in round 1 in which seat 0 has just rolled these dice. Vectors are (blue, green, red, yellow);
what a list leaves out is nothing (students, paint, paintings), one token, four active dice. A display of
fewer than seven paintings is filled up with the most expensive others. Every seat holds one patron: the seat
that looks holds `critic` and has returned `muse`, unless `patrons` and `own_returned` say otherwise.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato import games
from sfumato.games import Game, State, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

COLOURS = ("blue", "green", "red", "yellow")
KINDS = ("place", "move", "collect", "paint", "gain")
#: the action of each face of a die
KIND = {1: "place", 2: "place", 3: "move", 4: "collect", 5: "paint", 6: "gain"}
#: the face by which a kind is written
FACE = {"place": 1, "move": 3, "collect": 4, "paint": 5, "gain": 6}
CATEGORIES = {
    "im": "impressionist",
    "po": "post_impressionist",
    "re": "realist",
    "ro": "romantic",
}
NUMBERS = {
    "paint_per_colour": 15,
    "inspiration": 20,
    "students": 12,
    "dice": 4,
    "display": 7,
    "start_tokens": 1,
    "first_master_vp": 4,
    "masterpieces_to_end": 3,
    "cost_reroll": 1,
    "cost_paint": 2,
    "cost_patron": 3,
}
OPTIONS = {"inspiration_ends_turn": True, "power_refresh": "turn", "max_rounds": 40, "canonical": True}

Vector = tuple[int, int, int, int]
NOTHING: Vector = (0, 0, 0, 0)


class Painting(NamedTuple):
    category: str
    cost: Vector
    points: int
    ret: int
    masterpiece: bool
    when: str | None
    effect: str | None
    n: int


class Patron(NamedTuple):
    score: str
    arg: str | int | None
    points: int
    most: int


def read_paintings(lines: str) -> dict[str, Painting]:
    """Lines of id, cost by colour, points, students returned, a star for a masterpiece, and the power."""
    found = {}
    for line in lines.split("\n"):
        name, cost, points, ret, *power = line.split()
        masterpiece = power[:1] == ["*"]
        when, effect, number = power[masterpiece:] or (None, None, 0)
        blue, green, red, yellow = map(int, cost)
        found[name] = Painting(
            CATEGORIES[name[:2]],
            (blue, green, red, yellow),
            int(points),
            int(ret),
            masterpiece,
            when,
            effect,
            int(number),
        )
    return found


PAINTINGS = read_paintings("""im01 1010 1 0 turn swap_paint 1
im02 1101 1 0 turn set_die 5
im03 2100 2 1 painted gain_inspiration 1
im04 1110 3 1
im05 2011 3 1 painted place_students 2
im06 3001 4 1
im07 2210 4 1 painted collect_paint 1
im08 2120 5 2 * painted gain_inspiration 2
im09 3111 7 2 *
im10 3211 9 3 *
po01 0101 1 0 turn reroll_die 1
po02 1011 1 0 turn buy_paint 1
po03 1002 2 1 painted place_students 1
po04 1101 3 1
po05 0112 3 1 painted gain_paint 1
po06 0013 4 1
po07 2102 4 1 painted draw_patron 1
po08 1202 5 2 * painted recover_die 1
po09 1113 7 2 *
po10 2113 9 3 *
re01 1010 1 0 turn set_die 4
re02 0111 1 0 turn move_own 1
re03 0021 2 1 painted gain_paint 1
re04 1011 3 1
re05 1120 3 1 painted gain_inspiration 2
re06 0130 4 1
re07 1022 4 1 painted recover_die 1
re08 2021 5 2 * painted place_students 2
re09 1131 7 2 *
re10 1132 9 3 *
ro01 0101 1 0 turn swap_paint 1
ro02 1110 1 0 turn reroll_die 1
ro03 0210 2 1 painted move_students 1
ro04 0111 3 1
ro05 1201 3 1 painted collect_paint 1
ro06 1300 4 1
ro07 0221 4 1 painted gain_paint 2
ro08 0212 5 2 * painted draw_patron 1
ro09 1311 7 2 *
ro10 1321 9 3 *""")

PATRONS = {
    "impressionism": Patron("per_category", "impressionist", 2, 8),
    "post_impressionism": Patron("per_category", "post_impressionist", 2, 8),
    "realism": Patron("per_category", "realist", 2, 8),
    "romanticism": Patron("per_category", "romantic", 2, 8),
    "blue_salon": Patron("per_colour", "blue", 1, 6),
    "green_salon": Patron("per_colour", "green", 1, 6),
    "red_salon": Patron("per_colour", "red", 1, 6),
    "yellow_salon": Patron("per_colour", "yellow", 1, 6),
    "academy": Patron("per_set", None, 6, 12),
    "museum": Patron("per_masterpiece", None, 2, 8),
    "dealer": Patron("per_other", None, 1, 6),
    "inventor": Patron("per_power", None, 1, 6),
    "muse": Patron("per_inspiration", None, 2, 6),
    "school": Patron("per_lead", None, 2, 8),
    "colourman": Patron("per_paint", 1, 1, 6),
    "critic": Patron("per_big", 5, 2, 8),
}


@cache
def studio(**options: Any) -> Game:
    """The game, loaded once for each set of options."""
    return load("painters_studio", **options)


#: the game's own card table
CARDS_FILE = Path(games.__file__).with_name("painters_studio.toml")


def with_power(folder: Path, name: str, when: str, effect: str, n: int) -> Path:
    """The game's card table, in which one painting has another power."""
    text, count = re.subn(
        rf'(id = "{name}".*?ret = \d)(, mp = true)?.*?(, name = )',
        rf'\1\2, when = "{when}", effect = "{effect}", n = {n}\3',
        CARDS_FILE.read_text("utf-8"),
    )
    assert count == 1
    path = folder / "cards.toml"
    path.write_text(text, "utf-8")
    return path


def in_order(cards: Iterable[str], table: Mapping[str, Any]) -> list[str]:
    """Cards in the order of their table."""
    wanted = set(cards)
    return [card for card in table if card in wanted]


def by_colour(vector: Sequence[int]) -> dict[str, int]:
    return dict(zip(COLOURS, vector, strict=True))


def vector(counts: Mapping[str, int]) -> Vector:
    blue, green, red, yellow = (counts[colour] for colour in COLOURS)
    return blue, green, red, yellow


# --- building a position --------------------------------------------------------------------------------


def filled(given: Sequence[Any], players: int, default: Any) -> list[Any]:
    return [*given, *[default] * (players - len(given))]


def whole_display(named: Sequence[str], owned: Iterable[str], size: int) -> list[str]:
    """The paintings named and, up to the size, the most expensive others."""
    taken = {*named, *owned}
    free = [name for name in PAINTINGS if name not in taken]
    free.sort(key=lambda name: -sum(PAINTINGS[name].cost))
    return in_order([*named, *free[: max(0, size - len(named))]], PAINTINGS)


def observed(
    dice: str = "",
    *,
    game: Game | None = None,
    players: int = 3,
    to_move: int | None = 0,
    seat: int | None = None,
    first_start: int = 0,
    display: str = "",
    paintings: Sequence[str] = (),
    paint: Sequence[Vector] = (),
    students: Sequence[Vector] = (),
    tokens: Sequence[int] = (),
    active: Sequence[int] = (),
    patrons: str = "critic",
    own_returned: str | None = "muse",
    patron_counts: Sequence[int] = (),
    taken: Mapping[int, int] | None = None,
    took: Mapping[int, str] | None = None,
    used: str = "",
    sub: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The observation of the seat that looks (the one to move, unless `seat` says otherwise). `taken` says
    who has drawn whose returned patron, `took` which card that was if the seat that looks drew it. `sub`
    names the entries that the phase uses. Other fields by their own names override everything."""
    game = game or studio()
    mover = 0 if to_move is None else to_move
    seat = mover if seat is None else seat
    faces = [int(face) for face in dice.split()]
    owned = [in_order(names.split(), PAINTINGS) for names in filled(paintings, players, "")]
    held = in_order(patrons.split(), PATRONS)
    counts = filled(patron_counts, players, 1)
    counts[seat] = len(held)
    dice_left = filled(active, players, 4)
    dice_left[mover] = len(faces)
    pending = bool(sub and sub.get("pending"))
    size = min(7 - pending, 40 - sum(map(len, owned)))
    taken, took = taken or {}, took or {}
    return {
        "game": "painters_studio",
        "cards": game.cards_digest,
        "options": game.option_values(players),
        "players": players,
        "seat": seat,
        "to_move": to_move,
        "phase": "turn",
        "first_start": first_start,
        "round": 1,
        "final_round": None,
        "first_master": None,
        "display": whole_display(display.split(), (name for names in owned for name in names), size),
        "paintings": owned,
        "used": in_order(used.split(), PAINTINGS),
        "paint": [by_colour(held_paint) for held_paint in filled(paint, players, NOTHING)],
        "students": [by_colour(placed) for placed in filled(students, players, NOTHING)],
        "tokens": filled(tokens, players, 1),
        "active": dice_left,
        "dice": sorted(1 if face == 2 else face for face in faces),
        "spent": False,
        "inspired": False,
        "last": None,
        "patrons": [held if other == seat else None for other in range(players)],
        "patron_counts": counts,
        "returned": [
            {"patron": own_returned if other == seat else took.get(other), "taker": taken.get(other)}
            for other in range(players)
        ],
        "sub": {**NO_SUB, **sub} if sub is not None else None,
        **more,
    }


NO_SUB = {"card": None, "pending": False, "left": None, "colour": None, "owner": None, "moved": None}


def position(dice: str = "", *, game: Game | None = None, seed: int = 0, **more: Any) -> State:
    """A table in this position, with the game's default rules unless `game` is given."""
    game = game or studio()
    return game.from_observation(observed(dice, game=game, **more), seed=seed)


def finished(
    hands: Sequence[str], *, game: Game | None = None, paintings: Sequence[str] = (), **more: Any
) -> State:
    """A table at its end in round 40, the cap, with these patrons in the hands."""
    players = len(hands)
    held = [in_order(words.split(), PATRONS) for words in hands]
    given = {
        "phase": "over",
        "to_move": None,
        "round": 40,
        "active": [0] * players,
        "patrons": held,
        "patron_counts": [len(cards) for cards in held],
        "returned": [None] * players,
        **more,
    }
    game = game or studio()
    seen = observed(game=game, players=players, paintings=paintings)
    return game.from_observation({**seen, **written(given, players)})


def written(fields: Mapping[str, Any], players: int) -> dict[str, Any]:
    """The fields as an observation writes them: vectors by colour, lists for all seats."""
    changed = dict(fields)
    for name in ("paint", "students"):
        if name in changed:
            changed[name] = [by_colour(given) for given in filled(changed[name], players, NOTHING)]
    if "tokens" in changed:
        changed["tokens"] = filled(changed["tokens"], players, 1)
    return changed


# --- reading a table, as a referee sees it --------------------------------------------------------------


def look(state: State, seat: int = 0) -> dict[str, Any]:
    """What all see, and what the seat sees on top."""
    return state.observation(seat)


def paint(state: State, seat: int = 0) -> Vector:
    return vector(look(state)["paint"][seat])


def students(state: State, seat: int = 0) -> Vector:
    return vector(look(state)["students"][seat])


def pool(state: State, seat: int = 0) -> int:
    return 12 - sum(students(state, seat))


def stock(state: State) -> Vector:
    """Cylinders left in the piles."""
    held = [paint(state, seat) for seat in range(state.players)]
    blue, green, red, yellow = (15 - sum(pile) for pile in zip(*held, strict=True))
    return blue, green, red, yellow


def tokens(state: State) -> list[int]:
    found: list[int] = look(state)["tokens"]
    return found


def supply(state: State) -> int:
    return 20 - sum(tokens(state))


def dice(state: State) -> str:
    return " ".join(map(str, look(state)["dice"]))


def hand(state: State, seat: int) -> str:
    """A seat's patrons, which only it sees."""
    return memory_of(state, seat)[0]


def returned(state: State, seat: int) -> str | None:
    """The patron that a seat has put under the deck, from its own memory."""
    return memory_of(state, seat)[1]


def others(state: State, seat: int) -> tuple[tuple[str, str | None], ...]:
    """Hand and returned card of the other seats, lowest seat first: what the seat does not see."""
    return tuple(memory_of(state, other) for other in range(state.players) if other != seat)


def memory_of(state: State, seat: int) -> tuple[str, str | None]:
    """A seat's hand and the card that it has returned, as it knows them."""
    seen = look(state, seat)
    entry = seen["returned"][seat]
    return " ".join(seen["patrons"][seat]), entry["patron"] if entry else None


def legal(state: State, *names: str) -> list[str]:
    """The legal decisions, or those of some names only."""
    return [words for words in state.legal_words if not names or words.split()[0] in names]


def play(state: State, *steps: str | tuple[str, ...]) -> None:
    """Plays decisions one after the other; a tuple is a decision and the words that script its chance."""
    for step in steps:
        action, *seen = (step,) if isinstance(step, str) else step
        state.apply(action, seen)
