"""Builders of Atelier Da Vinci positions, and readers of a table, all through observations.

`position(hands=["red2 ?blue1", "?"], places=["gioconda 3=green2 5=blue1*", "cena"], table="blue2")` is a
table of three. Seat 0 is to move (the seat that looks, unless `seat` says otherwise); it has a known card
and a hidden one, seat 1 a hidden card that is dealt from what seat 0 has not seen, seat 2 no card. A card
drawn from a later deck than the first is written with its cycle: `?blue1:2`, or `?:2` in another hand. A
card placed in this turn has a star. `"ginevra open 3"` is a painting on which only slot 3 is open, filled
with any cards that are left. Seat 2 holds the token, so that no Leonardo Action and no end of the round
follows a turn of seat 0.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from sfumato.games import Game, State, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

COLOURS = ("blue", "red", "yellow", "brown", "green")
FACES = tuple(f"{colour}{value}" for colour in COLOURS for value in (1, 2, 3, 4))
#: values of the cards of one colour, by the number of players
VALUES = {
    2: (1, 2, 2, 3, 4),
    3: (1, 2, 2, 3, 4, 1, 3),
    4: (1, 2, 2, 3, 4, 1, 3, 2, 4),
    5: (1, 2, 2, 3, 4, 1, 3, 2, 4, 1, 3),
}
SLOTS = {
    "gioconda": ("brown", "red", "yellow", "green", "yellow", "blue"),
    "cena": ("blue", "blue", "red", "green", "red", "brown"),
    "rocce": ("green", "brown", "brown", "green", "yellow", "red"),
    "annunciazione": ("yellow", "blue", "brown", "yellow", "blue", "green"),
    "magi": ("red", "green", "brown", "red", "blue", "yellow"),
    "ermellino": ("blue", "red", "red", None, "yellow", "blue"),
    "ginevra": (None, "yellow", "brown", "green", "brown", "yellow"),
    "battista": ("brown", "green", "blue", None, "red", "green"),
}
POINTS = {
    "gioconda": 5,
    "cena": 4,
    "rocce": 4,
    "annunciazione": 3,
    "magi": 3,
    "ermellino": 3,
    "ginevra": 2,
    "battista": 2,
}
IN_PLAY = {2: 5, 3: 6, 4: 7, 5: 8}
MASTERIES = {
    "blue_red": ("blue", "blue", "red"),
    "red_yellow": ("red", "red", "yellow"),
    "yellow_brown": ("yellow", "yellow", "brown"),
    "brown_green": ("brown", "brown", "green"),
    "green_blue": ("green", "green", "blue"),
    "palette": ("blue", "red", "yellow", "brown", "green"),
}
ACHIEVEMENTS = {
    "five_cards": 4,
    "two_masteries": 5,
    "colour_pair": 3,
    "two_paintings": 3,
    "four_colours": 4,
    "empty_hand": 3,
}


@cache
def davinci(**options: Any) -> Game:
    """The game, loaded once for each set of options."""
    return load("davinci", **options)


def prepared(players: int) -> Counter[str]:
    """The colour deck for so many players."""
    return Counter(f"{colour}{value}" for colour in COLOURS for value in VALUES[players])


def colour_of(face: str) -> str:
    return face[:-1]


def value_of(face: str) -> int:
    return int(face[-1])


def by_face(faces: Iterable[str]) -> list[str]:
    return sorted(faces, key=FACES.index)


def counts(faces: Iterable[str]) -> dict[str, int]:
    """Faces and how many there are of each, as an observation writes them."""
    return dict(Counter(by_face(faces)))


# --- building a position --------------------------------------------------------------------------------


def read_hand(words: str) -> tuple[list[str], list[tuple[int, str]]]:
    """Known faces, and (cycle, face) of the hidden cards; the face of another's hidden card is empty."""
    known, hidden = [], []
    for word in words.split():
        if word.startswith("?"):
            face, _, cycle = word[1:].partition(":")
            hidden.append((int(cycle or 0), face))
        else:
            known.append(word)
    return known, hidden


class Pile:
    """The cards not yet laid anywhere."""

    def __init__(self, players: int) -> None:
        self.left = prepared(players)

    def use(self, faces: Iterable[str]) -> list[str]:
        faces = list(faces)
        self.left.subtract(faces)
        assert min(self.left.values()) >= 0, f"more cards named than there are: {-self.left}"
        return faces

    def any_of(self, colour: str) -> str:
        face = next(face for face in FACES if colour_of(face) == colour and self.left[face] > 0)
        self.left[face] -= 1
        return face

    def rest(self) -> list[str]:
        return [face for face in FACES for _ in range(self.left[face])]


def read_place(words: str | None, pile: Pile) -> dict[str, Any] | None:
    """A place of the observation; slots left to be filled hold the colour alone until `fill`."""
    if words is None:
        return None
    painting, *laid = words.split()
    cards: list[str | None] = [None] * 6
    fresh = []
    if laid[:1] == ["open"]:
        cards = [None if str(slot) in laid else colour for slot, colour in enumerate(SLOTS[painting])]
    else:
        for word in laid:
            slot, _, face = word.partition("=")
            fresh += [int(slot)] if face.endswith("*") else []
            cards[int(slot)] = face.rstrip("*")
        pile.use(face for face in cards if face)
    return {"painting": painting, "cards": cards, "fresh": sorted(fresh)}


def fill(place: dict[str, Any] | None, pile: Pile) -> None:
    if place:
        place["cards"] = [pile.any_of(card) if card in COLOURS else card for card in place["cards"]]


def observed(
    hands: Sequence[str] = (),
    places: Sequence[str | None] = ("rocce", "magi"),
    table: str = "",
    *,
    game: Game | None = None,
    players: int = 3,
    to_move: int | None = 0,
    seat: int | None = None,
    leonardo: int | None = None,
    esteem: Sequence[int] = (),
    masteries: Mapping[str, int] | None = None,
    achievements: Sequence[str] = ("two_masteries", "colour_pair"),
    taken: Mapping[str, int] | None = None,
    paintings_left: int | None = None,
    unseen: str | int | None = None,
    old: Mapping[int, str] | None = None,
    cycle: int = 0,
    drawn: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The observation of the seat that looks. `unseen` names the cards of the deck and of the others' hidden
    cards of this cycle, or says how many they are (the rest is discarded); left out, nothing is discarded.
    `old` names the pools of past cycles. `paintings_left` gives paintings to the last seat until so many are
    left. Fields by their own names override everything."""
    game = game or davinci()
    seat = (to_move or 0) if seat is None else seat
    pile = Pile(players)
    held = [read_hand(words) for words in [*hands, *[""] * (players - len(hands))]]
    own_hidden = sorted(held[seat][1], key=lambda card: (card[0], FACES.index(card[1])))
    for known, _ in held:
        pile.use(known)
    pile.use(face for _, face in own_hidden)
    on_table = pile.use(table.split())
    old_pools = {number: pile.use(words.split()) for number, words in sorted((old or {}).items())}
    pile.use([drawn] if drawn else [])
    named = pile.use(unseen.split()) if isinstance(unseen, str) else []
    laid = [read_place(words, pile) for words in places]
    for place in laid:
        fill(place, pile)
    rest = pile.rest()
    if unseen is None:
        named, rest = rest, []
    elif isinstance(unseen, int):
        named, rest = rest[:unseen], rest[unseen:]
    in_hands = sum(
        number == cycle for other in range(players) if other != seat for number, _ in held[other][1]
    )
    owned = dict(taken or {})
    free = [name for name in SLOTS if name not in owned and all(not p or p["painting"] != name for p in laid)]
    face_up = sum(place is not None for place in laid)
    if paintings_left is not None:
        count = IN_PLAY[players] - face_up - len(owned) - paintings_left
        owned |= dict.fromkeys(free[::-1][:count], players - 1)
    return {
        "game": "davinci",
        "cards": game.cards_digest,
        "options": game.option_values(players),
        "players": players,
        "seat": seat,
        "to_move": to_move,
        "phase": "main",
        "round": 1,
        "leonardo": players - 1 if leonardo is None else leonardo,
        "help": None,
        "cycle": cycle,
        "table": counts(on_table),
        "discard": counts(rest),
        "deck_count": len(named) - in_hands,
        "paintings_left": IN_PLAY[players] - face_up - len(owned),
        "places": laid,
        "taken": {name: owned[name] for name in SLOTS if name in owned},
        "masteries": {name: masteries[name] for name in MASTERIES if name in masteries} if masteries else {},
        "achievements": list(achievements),
        "esteem": [*esteem, *[0] * (players - len(esteem))],
        "hands": [
            {
                "known": counts(known),
                "hidden": [list(pair) for pair in sorted(Counter(c for c, _ in hidden).items())],
            }
            for known, hidden in held
        ],
        "own_hidden": [list(card) for card in own_hidden],
        "old_pools": [{"cycle": number, "cards": counts(faces)} for number, faces in old_pools.items()],
        "take_left": 0,
        "last_face": None,
        "last_slot": None,
        "placed": 0,
        "to_discard": 0,
        "drawn": drawn,
        "done_count": {},
        **more,
    }


def position(
    hands: Sequence[str] = (),
    places: Sequence[str | None] = ("rocce", "magi"),
    table: str = "",
    *,
    game: Game | None = None,
    seed: int = 0,
    **more: Any,
) -> State:
    """A table in this position, with the game's default rules unless `game` is given."""
    game = game or davinci()
    return game.from_observation(observed(hands, places, table, game=game, **more), seed=seed)


# --- reading a table, as a referee sees it --------------------------------------------------------------


def look(state: State, seat: int = 0) -> dict[str, Any]:
    """What all see, and what the seat sees on top."""
    return state.observation(seat)


def known(state: State, seat: int) -> str:
    """The cards of a hand that everybody knows, in the order of the faces."""
    return " ".join(expanded(look(state)["hands"][seat]["known"]))


def hidden(state: State, seat: int) -> list[tuple[int, str]]:
    """Cycle and face of a hand's hidden cards."""
    return [(cycle, face) for cycle, face in look(state, seat)["own_hidden"]]


def hand(state: State, seat: int) -> str:
    """All cards of a hand, in the order of the faces."""
    return " ".join(by_face([*known(state, seat).split(), *(face for _, face in hidden(state, seat))]))


def others_hidden(state: State, seat: int) -> tuple[tuple[tuple[int, str], ...], ...]:
    """The hidden cards of the other seats, lowest seat first, in the form of an enumeration."""
    return tuple(tuple(sorted(hidden(state, other))) for other in range(state.players) if other != seat)


def expanded(cards: Mapping[str, int]) -> list[str]:
    """The faces of a map of counts, one by one."""
    return [face for face in FACES for _ in range(cards.get(face, 0))]


def deck(state: State) -> list[str]:
    """The cards of the deck: all that lie nowhere else."""
    seen = look(state)
    left = prepared(state.players)
    left.subtract(expanded(seen["table"]) + expanded(seen["discard"]))
    left.subtract(face for place in seen["places"] if place for face in place["cards"] if face)
    left.subtract([seen["drawn"]] if seen["drawn"] else [])
    for seat in range(state.players):
        left.subtract(hand(state, seat).split())
    return expanded(left)


def current_pool(seen: Mapping[str, Any]) -> Counter[str]:
    """The faces of the deck and of the others' hidden cards of the current cycle, worked out from an
    observation: what is left of the prepared deck."""
    left = prepared(seen["players"])
    for zone in (seen["table"], seen["discard"], *(own["known"] for own in seen["hands"])):
        left.subtract(zone)
    left.subtract(face for _, face in seen["own_hidden"])
    left.subtract(face for place in seen["places"] if place for face in place["cards"] if face)
    left.subtract([seen["drawn"]] if seen["drawn"] else [])
    for pool in seen["old_pools"]:
        left.subtract(pool["cards"])
    return left


# --- words ----------------------------------------------------------------------------------------------


def shows(seat: int, cycle: int, *faces: str) -> str:
    """The word that lays hidden cards of a hand open."""
    return f"shows {seat} {cycle} {' '.join(faces)}"


def leonardo(painting: str, slot: int, face: str) -> str:
    """The words of a placement by the Leonardo Action."""
    return f"leonardo {painting} {slot} {face}"


def laid_open(words: Iterable[str]) -> list[tuple[int, int, str]]:
    """Seat, cycle and face of every card that the words lay open."""
    found = []
    for word in words:
        name, *values = word.split()
        if name == "shows":
            found += [(int(values[0]), int(values[1]), face) for face in values[2:]]
    return found


def of_chance(words: Iterable[str]) -> list[str]:
    return [word for word in words if not word.startswith("shows ")]
