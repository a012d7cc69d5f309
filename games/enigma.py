"""The Enigma of Leonardo: words, drawing and observations of ext/enigma.pyx."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

import msgspec

from ..ext import enigma
from .errors import shown
from .game import Game, Observation
from .option import Option
from .speech import Speech, Spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import SimpleNamespace

    from .game import Setting
    from .option import Value

NO_CARD = 255
LETTERS = "abcdefghijkl"
CELLS = ("top", "left", "centre", "right", "bottom")
FACES = 78
SEATS = 4
KEYS_TO_WIN = 7
WIDTH = 80

Letter = Literal["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
Copies = Annotated[int, msgspec.Meta(ge=1, le=20)]
Count = Annotated[int, msgspec.Meta(ge=1)]


class Face(msgspec.Struct, forbid_unknown_fields=True):
    symbols: Annotated[list[Letter], msgspec.Meta(min_length=2, max_length=2)]
    copies: Copies
    source: str = ""


class Deck(msgspec.Struct, forbid_unknown_fields=True):
    source: str = ""
    copies: Copies | None = None
    upper: list[Letter] | None = None
    lower: list[Letter] | None = None
    face: list[Face] | None = None


class Symbols(msgspec.Struct, forbid_unknown_fields=True):
    a: str
    b: str
    c: str
    d: str
    e: str
    f: str
    g: str
    h: str
    i: str
    j: str
    k: str
    l: str  # noqa: E741
    source: str = ""


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    source: str = ""
    players: list[int] = msgspec.field(default_factory=lambda: [2, 4])
    dealt: int = 10
    cross: int = 5
    hand: int = 5
    keys_different: int = 12
    keys_to_win: int = 7
    line: int = 3
    bonus_symbols: int = 5
    bonus_per_player: int = 1


class Cards(msgspec.Struct, forbid_unknown_fields=True):
    deck: Deck
    symbols: Symbols
    numbers: Numbers


class HandCard(msgspec.Struct, forbid_unknown_fields=True):
    face: str
    #: the shuffle that the card last went through
    shuffle: int


class Result(msgspec.Struct, forbid_unknown_fields=True):
    #: keys, cap or dead_end
    reason: str
    ranks: list[int]


class Seen(Observation):
    """What a seat knows in Enigma. Faces are two letters, symbols one; maps of counts hold no zeros."""

    #: complete turns
    turns: int
    #: per seat: cell to face
    crosses: list[dict[str, str]]
    #: per seat: the symbols of its keys
    keys: list[list[str]]
    #: per seat: whether the free key for five equal symbols was taken
    bonus_used: list[bool]
    #: the own cards, by shuffle, then face
    hand: list[HandCard]
    #: per seat: shuffle to number of hand cards
    hand_marks: list[dict[str, Count]]
    #: face to number of cards
    discard: dict[str, Count]
    deck_count: int
    #: number of the current shuffle
    shuffle: int
    #: per shuffle the cards of it that this seat cannot see: face to number
    unseen: dict[str, dict[str, Count]]
    #: null until the game is over
    result: Result | None


class Enigma(Game):
    """Collect seven keys with a cross of five cards that the right neighbour keeps disturbing."""

    name = "enigma"
    title = "The Enigma of Leonardo"
    seats = range(2, 5)
    phases = ("play", "bonus", "over")
    core = enigma
    card_table = Cards
    observation: ClassVar[type[Observation]] = Seen
    per_seat = ("crosses", "keys", "bonus_used", "hand_marks")
    # bench/README.md has the matches
    search: ClassVar[Mapping[str, Setting]] = {
        "c": 0.2, "urgency": 0.1, "guided": True, "noise": 0.0, "cut": 1,
    }
    invariants = (
        "a number that the game does not have",
        "nobody is to move before the end, or somebody after it",
        "more turns than there are",
        "a hand with too few or too many cards",
        "a hand out of order, or with a card of a shuffle yet to come",
        "the cards are not those of the table",
        "keys that cannot be owned so",
        "no free key is due",
        "the game is over though nothing ended it, or goes on after its end",
    )
    options = (
        Option("standing_lines", "which lines give keys: all that stand, or those of the played card",
               ("count", "played_line")),
        Option("key_supply", "a key of each symbol for every player, or one in all",
               ("per_player", "single")),
        Option("losers", "losers share a rank, or are ordered by their keys", ("equal", "by_keys")),
        Option("max_rounds", "the game ends after so many rounds", low=1, high=1000),
        Option("cap_result", "who wins then: the players with most keys, or nobody", ("most_keys", "draw")),
    )

    # --- cards ---------------------------------------------------------------------------------------

    def prepare(self, cards: Cards) -> None:
        if msgspec.structs.replace(cards.numbers, source="") != Numbers():
            raise self.bad_cards("these numbers are fixed and cannot be replaced", "numbers")
        pairs = self._pairs(cards.deck)
        self.faces = ["".join(sorted(pair)) for pair, _ in pairs]
        self.copies = [copies for _, copies in pairs]
        for number, face in enumerate(self.faces):
            if face in self.faces[:number]:
                raise self.bad_cards(f"{face} is listed twice", f"deck.face[{number}]")
        if not 1 <= len(self.faces) <= FACES:
            raise self.bad_cards(f"expected 1 to {FACES} faces, got {len(self.faces)}", "deck")
        if not 20 <= sum(self.copies) <= 250:
            raise self.bad_cards(f"expected 20 to 250 cards in all, got {sum(self.copies)}", "deck")
        self.symbol_names = {letter: getattr(cards.symbols, letter) for letter in LETTERS}
        self.speech = Speech(
            Spoken("first"),
            Spoken("cross", self.faces, seat=True),
            Spoken("hand", self.faces, seat=True, unordered=True),
            Spoken("from"),
            Spoken("draw", self.faces),
        )

    def _pairs(self, deck: Deck) -> list[tuple[str, int]]:
        product = (deck.copies, deck.upper, deck.lower)
        if deck.face is not None:
            if product != (None, None, None):
                message = "expected either a list of faces or copies, upper and lower, not both"
                raise self.bad_cards(message, "deck")
            return [("".join(face.symbols), face.copies) for face in deck.face]
        for field, value in zip(("copies", "upper", "lower"), product, strict=True):
            if value is None:
                raise self.bad_cards("missing (or a list of faces under deck.face)", f"deck.{field}")
        copies, upper, lower = cast("tuple[int, list[str], list[str]]", product)
        return [(above + below, copies) for above in upper for below in lower]

    def digest_of(self, cards: Cards) -> object:  # noqa: ARG002
        return list(zip(self.faces, self.copies, strict=True))

    def write_rules(self, players: int, options: Mapping[str, Value]) -> dict[str, Any]:
        if sum(self.copies) < 10 * players:
            message = f"{players} players are dealt {10 * players} cards, the table has {sum(self.copies)}"
            raise self.bad_cards(message, "deck")
        rest = FACES - len(self.faces)
        return {
            "max_turns": cast("int", options["max_rounds"]) * players,
            "symbols": [letters_to_bits(face) for face in self.faces] + [0] * rest,
            "copies": self.copies + [0] * rest,
            "faces": len(self.faces),
            "players": players,
            "cards": sum(self.copies),
            "played_line": options["standing_lines"] == "played_line",
            "single": options["key_supply"] == "single",
            "by_keys": options["losers"] == "by_keys",
            "cap_draw": options["cap_result"] == "draw",
        }

    # --- words ---------------------------------------------------------------------------------------

    def action_words(self) -> list[str | None]:
        faces = [*self.faces, *[None] * (FACES - len(self.faces))]
        plays = [None if face is None else f"play {face} {cell}" for face in faces for cell in CELLS]
        return [*plays, *(f"take_key {letter}" for letter in LETTERS), "decline"]

    def tell(self, event: SimpleNamespace, seat: int | None) -> list[str]:
        words = []
        if event.played != NO_CARD:
            words.append(self.speech.say("from", event.mark))
        if event.drawn != NO_CARD and seat in (None, event.mover):
            words.append(self.speech.say("draw", event.drawn))
        return words

    def remarks(self, event: SimpleNamespace) -> list[str]:
        said = [f"key {letter} ({self.symbol_names[letter]})" for letter in bits_to_letters(event.keys)]
        if event.reshuffled:
            said.append("the discard pile becomes the deck")
        return said

    def tell_setup(self, state: SimpleNamespace, seat: int | None, players: int) -> list[str]:
        words = [self.speech.say("first", state.to_move)]
        words += [self.speech.say("cross", *state.cross[other], seat=other) for other in range(players)]
        words += [
            self.speech.say("hand", *state.hand_face[other], seat=other)
            for other in range(players)
            if seat in (None, other)
        ]
        return words

    # --- observations --------------------------------------------------------------------------------

    def observe(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, Any]:
        everyone = range(players)
        hands = [hand_cards(state, other) for other in everyone]
        pools: dict[int, list[int]] = {state.shuffle: list(state.deck)}
        for other in everyone:
            if other != seat:
                for mark, face in hands[other]:
                    pools.setdefault(mark, [0] * FACES)[face] += 1
        return {
            "turns": state.turns,
            "crosses": [
                {cell: self.faces[face] for cell, face in zip(CELLS, state.cross[other], strict=True)}
                for other in everyone
            ],
            "keys": [bits_to_letters(state.keys[other]) for other in everyone],
            "bonus_used": [bool(state.bonus_used >> other & 1) for other in everyone],
            "hand": [HandCard(self.faces[face], mark) for mark, face in hands[seat]],
            "hand_marks": [tally(str(mark) for mark, _ in hand) for hand in hands],
            "discard": self._counts(state.discard),
            "deck_count": state.deck_n,
            "shuffle": state.shuffle,
            "unseen": {str(mark): self._counts(pools[mark]) for mark in sorted(pools) if any(pools[mark])},
            "result": self._result(state) if state.to_move < 0 else None,
        }

    def _counts(self, counts: list[int]) -> dict[str, int]:
        return {self.faces[face]: count for face, count in enumerate(counts) if count}

    def _result(self, state: SimpleNamespace) -> Result:
        if max(state.scores) >= KEYS_TO_WIN:
            reason = "keys"
        else:
            # A hand of four cards: the game ended before the draw.
            early = any(hand[-1] == NO_CARD for hand in state.hand_face[: len(state.ranks)])
            reason = "dead_end" if early else "cap"
        return Result(reason, state.ranks)

    def hidden_places(self, state: SimpleNamespace, seat: int, players: int) -> dict[str, list[str]]:
        return {
            f"hand {other}": [self.faces[face] for _, face in hand_cards(state, other)]
            for other in range(players)
            if other != seat
        }

    def normal(self, seen: Seen) -> Seen:
        hand = sorted(seen.hand, key=lambda card: (card.shuffle, self.faces.index(card.face)))
        return msgspec.structs.replace(seen, hand=hand, keys=[sorted(keys) for keys in seen.keys])

    def restore(self, seen: Seen) -> dict[str, Any]:
        reader = Reader(self, seen)
        reader.check_names()
        reader.check_turns()
        reader.check_hands()
        reader.check_pools()
        reader.check_keys()
        reader.check_end()
        return reader.fields()

    # --- drawing -------------------------------------------------------------------------------------

    def draw(self, state: SimpleNamespace, seat: int | None, players: int) -> str:
        max_turns = cast("int", self.option_values(players)["max_rounds"]) * players
        lines = [f"turn {min(state.turns + 1, max_turns)} of {max_turns}   deck {state.deck_n}"]
        if state.shuffle:
            lines[0] += f"   shuffle {state.shuffle}   age: shuffles since a card was drawn"
        lines += self._discard(state)
        columns = [self._column(state, other, seat) for other in range(players)]
        lines += ["".join(f"{part:<20}" for part in row).rstrip() for row in zip(*columns, strict=True)]
        shown = "  ".join(f"{letter} {name}" for letter, name in self.symbol_names.items())
        half = shown.find("  ", len(shown) // 2)
        return "\n".join([*lines, shown[:half], shown[half:].strip()])

    def _discard(self, state: SimpleNamespace) -> list[str]:
        """The discard pile, which everybody may look through: its size and its cards."""
        head = f"discard {sum(state.discard)}  "
        cards = self._counts(state.discard).items()
        written = " ".join(face if count == 1 else f"{face}*{count}" for face, count in cards)
        return wrap(head + written, WIDTH, subsequent_indent=" " * len(head))

    def _column(self, state: SimpleNamespace, other: int, seat: int | None) -> list[str]:
        top, left, centre, right, bottom = (self.faces[face] for face in state.cross[other])
        cards = hand_cards(state, other)
        known = seat is None or seat == other
        hand = " ".join(self.faces[face] if known else "??" for _, face in cards)
        ages = (state.shuffle - mark for mark, _ in cards)
        written = " ".join(f"{age:>2}" if age < 10 else "9+" for age in ages)
        keys = "".join(bits_to_letters(state.keys[other])) or "-"
        if state.to_move < 0:
            note = f"rank {state.ranks[other]}"
        else:
            note = "to move" if state.to_move == other else ""
        return [
            f"seat {other}  {note}".rstrip(),
            f"      {top}",
            f"   {left} {centre} {right}",
            f"      {bottom}",
            f"keys {keys}" + (" bonus" if not state.bonus_used >> other & 1 else ""),
            f"hand {hand}",
            *([f"age  {written}"] if state.shuffle else []),
        ]


class Reader:
    """Reads an observation back: the checks in their order, then the hidden state's fields."""

    def __init__(self, game: Enigma, seen: Seen) -> None:
        self.game = game
        self.seen = seen
        options = game.option_values(seen.players)
        self.max_turns = cast("int", options["max_rounds"]) * seen.players
        self.single = options["key_supply"] == "single"
        self.face_ids = {face: number for number, face in enumerate(game.faces)}

    def refuse(self, code: str, message: str, path: str) -> Exception:
        return self.game.refuse(code, message, path)

    def check_names(self) -> None:
        """bad_field (keys of maps), bad_face, bad_symbol, bad_cross."""
        seen = self.seen
        named: list[tuple[str, Iterable[str]]] = [("unseen", seen.unseen)]
        named += ((f"hand_marks[{at}]", held) for at, held in enumerate(seen.hand_marks))
        for path, marks in named:
            for mark in marks:
                if not re.fullmatch("0|[1-9][0-9]{0,3}", mark):
                    raise self.refuse("bad_field", f"expected a shuffle's number, got {shown(mark)}", path)
        for path, faces in self._named_faces():
            for face in faces:
                if face not in self.face_ids:
                    raise self.refuse("bad_face", f"no face {shown(face)} in the card table", path)
        for seat, keys in enumerate(seen.keys):
            for at, letter in enumerate(keys):
                if letter not in tuple(LETTERS):
                    path = f"keys[{seat}][{at}]"
                    raise self.refuse("bad_symbol", f"expected a letter a to l, got {shown(letter)}", path)
        for seat, cross in enumerate(seen.crosses):
            if set(cross) != set(CELLS):
                raise self.refuse("bad_cross", f"expected the cells {', '.join(CELLS)}", f"crosses[{seat}]")

    def _named_faces(self) -> Iterable[tuple[str, Iterable[str]]]:
        seen = self.seen
        for seat, cross in enumerate(seen.crosses):
            for cell, face in cross.items():
                yield f"crosses[{seat}].{cell}", [face]
        for at, card in enumerate(seen.hand):
            yield f"hand[{at}].face", [card.face]
        yield "discard", seen.discard
        for mark, pool in seen.unseen.items():
            yield f"unseen.{mark}", pool

    def check_turns(self) -> None:
        seen = self.seen
        if not 0 <= seen.turns <= self.max_turns:
            raise self.refuse("bad_turn", f"expected 0 to {self.max_turns}, got {seen.turns}", "turns")
        if seen.phase != "over" and seen.turns == self.max_turns:
            raise self.refuse("bad_turn", f"after {self.max_turns} turns the game is over", "turns")

    def check_hands(self) -> None:
        """bad_hand_size, bad_marks."""
        seen = self.seen
        sizes = [sum(marks.values()) for marks in seen.hand_marks]
        early = seen.phase == "over" and seen.turns < self.max_turns
        for seat, size in enumerate(sizes):
            due = (4,) if seen.phase == "bonus" and seat == seen.to_move else (4, 5) if early else (5,)
            if size not in due:
                message = f"expected {due[0]} cards, got {size}"
                raise self.refuse("bad_hand_size", message, f"hand_marks[{seat}]")
        if early and sizes.count(4) != 1:
            raise self.refuse("bad_hand_size", "exactly one seat must have 4 cards", "hand_marks")
        if len(seen.hand) != sizes[seen.seat]:
            message = f"expected {sizes[seen.seat]} cards, got {len(seen.hand)}"
            raise self.refuse("bad_hand_size", message, "hand")
        if not 0 <= seen.shuffle <= seen.turns:
            raise self.refuse("bad_marks", f"expected 0 to {seen.turns}, got {seen.shuffle}", "shuffle")
        for seat, marks in enumerate(seen.hand_marks):
            for mark in marks:
                if int(mark) > seen.shuffle:
                    message = f"shuffle {mark} is yet to come"
                    raise self.refuse("bad_marks", message, f"hand_marks[{seat}].{mark}")
        if tally(str(card.shuffle) for card in seen.hand) != seen.hand_marks[seen.seat]:
            raise self.refuse("bad_marks", f"does not agree with hand_marks[{seen.seat}]", "hand")

    def check_pools(self) -> None:
        """bad_pool, bad_cards."""
        seen = self.seen
        places = {str(seen.shuffle): seen.deck_count}
        if seen.deck_count < 0:
            raise self.refuse("bad_pool", f"expected 0 or more, got {seen.deck_count}", "deck_count")
        for seat, marks in enumerate(seen.hand_marks):
            if seat != seen.seat:
                for mark, count in marks.items():
                    places[mark] = places.get(mark, 0) + count
        for mark in [*places, *seen.unseen]:
            held = sum(seen.unseen.get(mark, {}).values())
            if held != places.get(mark, 0) or (mark in seen.unseen and held == 0):
                message = f"expected {places.get(mark, 0)} cards, got {held}"
                raise self.refuse("bad_pool", message, f"unseen.{mark}")
        total = [0] * len(self.game.faces)
        for face, count in self._all_cards():
            total[self.face_ids[face]] += count
        for face, count, copies in zip(self.game.faces, total, self.game.copies, strict=True):
            if count != copies:
                message = f"the table has {copies} of {face}, here are {count}"
                raise self.refuse("bad_cards", message, "")

    def _all_cards(self) -> Iterable[tuple[str, int]]:
        seen = self.seen
        for cross in seen.crosses:
            yield from ((face, 1) for face in cross.values())
        yield from ((card.face, 1) for card in seen.hand)
        yield from seen.discard.items()
        for pool in seen.unseen.values():
            yield from pool.items()

    def check_keys(self) -> None:
        """bad_keys, bad_bonus."""
        seen = self.seen
        owned: list[str] = []
        for seat, keys in enumerate(seen.keys):
            path = f"keys[{seat}]"
            if len(set(keys)) != len(keys):
                raise self.refuse("bad_keys", "a symbol stands twice", path)
            winner = seen.phase == "over" and sum(seen.hand_marks[seat].values()) == 4
            if len(keys) > (8 if winner else 6):
                raise self.refuse("bad_keys", f"{len(keys)} keys are too many here", path)
            if self.single and set(keys) & set(owned):
                raise self.refuse("bad_keys", "a single key is owned by two seats", path)
            owned += keys
        if seen.phase == "bonus":
            self._check_bonus(set(owned))

    def _check_bonus(self, taken: set[str]) -> None:
        mover = cast("int", self.seen.to_move)
        mine = set(self.seen.keys[mover])
        gone = taken if self.single else mine
        common = set.intersection(*(set(face) for face in self.seen.crosses[mover].values()))
        if self.seen.bonus_used[mover]:
            raise self.refuse("bad_bonus", "the seat to move has used its bonus", f"bonus_used[{mover}]")
        if not common:
            raise self.refuse("bad_bonus", "the five cards share no symbol", f"crosses[{mover}]")
        if common - gone:
            message = f"the line key {min(common - gone)} must have been received"
            raise self.refuse("bad_bonus", message, f"keys[{mover}]")
        if len(gone) == len(LETTERS):
            raise self.refuse("bad_bonus", "no key is left to take", f"keys[{mover}]")

    def check_end(self) -> None:
        seen = self.seen
        most = max(len(keys) for keys in seen.keys)
        left = len(LETTERS) - sum(len(keys) for keys in seen.keys)
        dead_end = self.single and most + left < KEYS_TO_WIN
        if seen.phase != "over":
            if dead_end:
                raise self.refuse("bad_result", "nobody can reach 7 keys: the game is over", "phase")
            if seen.result is not None:
                raise self.refuse("bad_result", "must be null until the game is over", "result")
            return
        if most < KEYS_TO_WIN and seen.turns < self.max_turns and not dead_end:
            raise self.refuse("bad_result", "nothing has ended the game", "phase")
        if seen.result is None:
            raise self.refuse("bad_result", "missing although the game is over", "result")
        over = self.game.table(seen.players).read(self.game.write_state(self.fields()))
        _, ranks = over.outcome()
        reason = "keys" if most >= KEYS_TO_WIN else "cap" if seen.turns == self.max_turns else "dead_end"
        if seen.result != Result(reason, ranks):
            raise self.refuse("bad_result", f"expected {reason} with ranks {ranks}", "result")

    def fields(self) -> dict[str, Any]:
        """The hidden state: each pool in sorted order over its places, as the core's `hide` lays it."""
        seen = self.seen
        pools = {
            int(mark): sorted(self.face_ids[face] for face, count in pool.items() for _ in range(count))
            for mark, pool in seen.unseen.items()
        }
        marks, faces = [[0] * 5 for _ in range(SEATS)], [[NO_CARD] * 5 for _ in range(SEATS)]
        for seat in range(seen.players):
            if seat == seen.seat:
                cards = sorted((card.shuffle, self.face_ids[card.face]) for card in seen.hand)
            else:
                held = sorted((int(mark), count) for mark, count in seen.hand_marks[seat].items())
                cards = [(mark, pools[mark].pop(0)) for mark, count in held for _ in range(count)]
            for at, (mark, face) in enumerate(cards):
                marks[seat][at], faces[seat][at] = mark, face
        crosses = [[NO_CARD] * 5 for _ in range(SEATS)]
        for seat, cross in enumerate(seen.crosses):
            crosses[seat] = [self.face_ids[cross[cell]] for cell in CELLS]
        deck = [0] * FACES
        for face in pools.get(seen.shuffle, []):
            deck[face] += 1
        return {
            "to_move": -1 if seen.to_move is None else seen.to_move,
            "phase": self.game.phases.index(seen.phase),
            "bonus_used": sum(used << seat for seat, used in enumerate(seen.bonus_used)),
            "deck_n": seen.deck_count,
            "turns": seen.turns,
            "shuffle": seen.shuffle,
            "keys": [letters_to_bits(keys) for keys in seen.keys] + [0] * (SEATS - seen.players),
            "hand_mark": marks,
            "hand_face": faces,
            "cross": crosses,
            "deck": deck,
            "discard": [*(seen.discard.get(face, 0) for face in self.game.faces),
                        *[0] * (FACES - len(self.game.faces))],
        }


def letters_to_bits(letters: Iterable[str]) -> int:
    bits = 0
    for letter in letters:
        bits |= 1 << LETTERS.index(letter)
    return bits


def bits_to_letters(bits: int) -> list[str]:
    return [letter for number, letter in enumerate(LETTERS) if bits >> number & 1]


def hand_cards(state: SimpleNamespace, seat: int) -> list[tuple[int, int]]:
    """The (mark, face) of each hand card."""
    pairs = zip(state.hand_mark[seat], state.hand_face[seat], strict=True)
    return [(mark, face) for mark, face in pairs if face != NO_CARD]


def tally(words: Iterable[str]) -> dict[str, int]:
    """How often each number occurs, in the order of the numbers."""
    counts: dict[str, int] = {}
    for word in sorted(words, key=int):
        counts[word] = counts.get(word, 0) + 1
    return counts


GAME = Enigma
