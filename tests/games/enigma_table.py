"""Builders of Enigma positions: crosses, hands and keys in the rules' letters, everything else filled in.

`position(crosses=["ag bh ci dj ek", "fl ah bi cj dk"], hands=["al"], keys=["bg"])` is a table of two: seat 0
holds `al` and four more cards, seat 1 five cards, all other cards are the deck. Cards that are not named come
from what remains, in the order of the faces. A hand card of a later shuffle is written with its mark: `al:1`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.games import Game, State, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TABLES = Path(__file__).with_name("tables")
#: all 66 pairs of different symbols, one copy each
PAIRS66 = TABLES / "enigma_pairs66.toml"
#: 22 and 20 different faces, for two players with two cards and with no card in the deck
DIFFERENT22 = TABLES / "enigma_different22.toml"
DIFFERENT20 = TABLES / "enigma_different20.toml"
#: 11 faces in two copies, and 16 faces in two copies for three players: two cards in the deck
DOUBLE11 = TABLES / "enigma_double11.toml"
DOUBLE16 = TABLES / "enigma_double16.toml"

SYMBOLS = "abcdefghijkl"
CELLS = ("top", "left", "centre", "right", "bottom")
PHASES = ("play", "bonus", "over")
NONE = 255

#: crosses without a line, and without two equal symbols in any line; no card stands in two of them
QUIET = ("ag bh ci dj ek", "fl ah bi cj dk", "bg ch di ej fk", "cg dh ei fj al")


@cache
def enigma(cards: Path | None = None, **options: Any) -> Game:
    """The game, loaded once for each card table and set of options."""
    return load("enigma", cards=cards, **options)


def faces_of(game: Game) -> dict[str, int]:
    """Copies of each face, in the order of the face ids, read from the card table alone."""
    return read_faces(game.cards_file)


@cache
def read_faces(cards_file: str) -> dict[str, int]:
    if cards_file == "enigma.toml":
        return {upper + lower: 2 for upper, lower in product("abcdef", "ghijkl")}
    rows = tomllib.loads(Path(cards_file).read_text("utf-8"))["deck"]["face"]
    return {"".join(sorted(row["symbols"])): row["copies"] for row in rows}


def fields(
    crosses: Sequence[str],
    hands: Sequence[str] = (),
    keys: Sequence[str] = (),
    *,
    game: Game,
    to_move: int = 0,
    phase: str = "play",
    turns: int = 0,
    shuffle: int = 0,
    bonus_used: Iterable[int] = (),
    deck: str | int | None = None,
    short: int | None = None,
) -> dict[str, Any]:
    """The fields of the core's state. `deck` names the deck's cards or says how many there are, the rest is
    discarded; left out, nothing is discarded. `short` is the seat whose hand has four cards."""
    players = len(crosses)
    faces = faces_of(game)
    number = {face: index for index, face in enumerate(faces)}
    left = Counter(faces)
    short = to_move if phase == "bonus" else short
    held = [[card.split(":") for card in words.split()] for words in hands]
    held += [[] for _ in range(players - len(held))]
    left.subtract(" ".join(crosses).split())
    left.subtract(face for hand in held for face, *_ in hand)
    named_deck = deck.split() if isinstance(deck, str) else []
    left.subtract(named_deck)
    assert min(left.values()) >= 0, f"more cards named than there are: {-left}"
    assert set(left) == set(faces), f"no such faces: {set(left) - set(faces)}"
    rest = [face for face in faces for _ in range(left[face])]
    for seat, hand in enumerate(held):
        missing = (4 if seat == short else 5) - len(hand)
        assert missing >= 0, f"seat {seat} holds too many cards"
        hand += [[face] for face in rest[:missing]]
        del rest[:missing]
    count = len(rest) if deck is None else deck if isinstance(deck, int) else 0
    pile, discarded = Counter(rest[:count]), Counter(rest[count:])
    pile.update(named_deck)
    no_cross = [[NONE] * 5 for _ in range(4 - players)]
    hand_mark, hand_face = [[0] * 5 for _ in range(4)], [[NONE] * 5 for _ in range(4)]
    for seat, hand in enumerate(held):
        cards = sorted((int(mark[0]) if mark else 0, number[face]) for face, *mark in hand)
        for slot, (mark, face) in enumerate(cards):
            hand_mark[seat][slot], hand_face[seat][slot] = mark, face
    empty = [0] * (78 - len(faces))
    return {
        "to_move": to_move if phase != "over" else -1,
        "phase": PHASES.index(phase),
        "bonus_used": sum(1 << seat for seat in bonus_used),
        "deck_n": pile.total(),
        "turns": turns,
        "shuffle": shuffle,
        "keys": [key_bits(keys[seat]) if seat < len(keys) else 0 for seat in range(4)],
        "hand_mark": hand_mark,
        "hand_face": hand_face,
        "cross": [[number[face] for face in cross.split()] for cross in crosses] + no_cross,
        "deck": [pile[face] for face in faces] + empty,
        "discard": [discarded[face] for face in faces] + empty,
    }


def position(
    crosses: Sequence[str],
    hands: Sequence[str] = (),
    keys: Sequence[str] = (),
    *,
    game: Game | None = None,
    seed: int = 0,
    **more: Any,
) -> State:
    """A table in this position, with the game's default rules unless `game` is given."""
    game = game or enigma()
    return from_fields(game, len(crosses), fields(crosses, hands, keys, game=game, **more), seed)


def from_fields(game: Game, players: int, values: dict[str, Any], seed: int = 0) -> State:
    """A table from the core's own fields; ValueError names the broken invariant."""
    return State(game, game.table(players).read(game.write_state(values), seed=seed))


def key_bits(letters: str) -> int:
    return sum(1 << SYMBOLS.index(letter) for letter in letters)


# --- reading a table, as a referee sees it --------------------------------------------------------------


def cross(state: State, seat: int) -> str:
    """The five cards: top, left, centre, right, bottom."""
    names = list(faces_of(state.game))
    return " ".join(names[face] for face in state.fields().cross[seat])


def hand(state: State, seat: int) -> str:
    """The hand by mark, then face; a card of a later shuffle than 0 with its mark: `al:1`."""
    names, read = list(faces_of(state.game)), state.fields()
    cards = zip(read.hand_mark[seat], read.hand_face[seat], strict=True)
    return " ".join(names[face] + (f":{mark}" if mark else "") for mark, face in cards if face != NONE)


def faces_in_hand(state: State, seat: int) -> list[str]:
    return [card.split(":")[0] for card in hand(state, seat).split()]


def keys(state: State, seat: int) -> str:
    """The letters of the keys that the seat owns."""
    bits = state.fields().keys[seat]
    return "".join(letter for index, letter in enumerate(SYMBOLS) if bits >> index & 1)


def pile(state: State, name: str) -> list[str]:
    """The cards of `deck` or `discard`, in the order of the faces."""
    counts = getattr(state.fields(), name)
    return [face for face, count in zip(faces_of(state.game), counts, strict=False) for _ in range(count)]


def bonus_used(state: State) -> list[int]:
    """The seats that have taken their bonus key."""
    return [seat for seat in range(state.players) if state.fields().bonus_used >> seat & 1]
