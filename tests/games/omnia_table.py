"""Builders of OMNIA positions, and readers of a table.

`position(hands=["C1/2"], works="purple purple red", coins=[1, 1])` is a table of two at the first turn: seat
0 (the seat that looks, unless `seat` says otherwise) is to play and holds `C1/2`. Cards that are not named
lie as if packet p had been the cards 7p to 7p + 6 and everybody had always kept the two lowest. `own` gives
works, inventions and characters to seats, `pack` names the bottom of the city pack with the seats that know
it: `"vinci:0 ?:01"`.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from sfumato.games import Game, State, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SYMBOLS = ("coins1", "coins2", "work", "invention", "character", "city")
LETTERS = {"W": "work", "I": "invention", "P": "character", "C": "city", "1": "coins1", "2": "coins2"}
MARKS = {
    2: ("WW", "II", "WI", "WP", "IP", "WC", "IC", "W1", "I1", "W2", "I2", "PC", "P2", "C1"),
    3: ("WI", "WP", "IP", "WC", "I1", "P1", "W2"),
    4: ("WI", "WP", "IP", "IC", "W1", "I2", "PC"),
}
#: words of the action cards, by id
ACTIONS = [f"{letters}/{mark}" for mark, cards in MARKS.items() for letters in cards]
#: face or character: copies, price, points, effect
WORKS = {
    "purple": (4, 0, 0, "none"),
    "yellow": (4, 0, 0, "none"),
    "red": (4, 0, 0, "none"),
    "orange": (4, 0, 0, "none"),
    "leo_w0": (1, 2, 2, "invention"),
    "leo_w1": (1, 1, 1, "character"),
    "leo_w2": (1, 2, 3, "none"),
}
INVENTIONS = {
    "azure": (4, 0, 0, "none"),
    "green": (4, 0, 0, "none"),
    "blue": (4, 0, 0, "none"),
    "teal": (4, 0, 0, "none"),
    "leo_i0": (1, 2, 2, "work"),
    "leo_i1": (1, 1, 1, "character"),
    "leo_i2": (1, 2, 3, "none"),
}
CHARACTERS = {
    "cesare_borgia": (1, 1, 1, "city"),
    "lorenzo_de_medici": (1, 0, 0, "coins2"),
    "ludovico_il_moro": (1, 3, 4, "none"),
    "verrocchio": (1, 1, 0, "work"),
    "luca_pacioli": (1, 1, 0, "invention"),
    "isabella_d_este": (1, 2, 1, "work"),
    "machiavelli": (1, 2, 1, "invention"),
    "ser_piero": (1, 0, 1, "coins1"),
    "caterina": (1, 0, 1, "none"),
    "cecilia_gallerani": (1, 1, 2, "none"),
    "lisa_gherardini": (1, 2, 3, "none"),
    "francesco_i": (1, 4, 6, "none"),
    "bramante": (1, 0, 0, "city"),
    "salai": (1, 2, 0, "character"),
    "botticelli": (1, 3, 2, "work"),
    "francesco_melzi": (1, 3, 2, "invention"),
}
KINDS = {"work": WORKS, "invention": INVENTIONS, "character": CHARACTERS}
CITIES = {
    "vinci": {"set": 3, "inventions": 2, "inventions_mode": "same"},
    "amboise": {"set": 8, "inventions": 3, "inventions_mode": "same"},
    "firenze": {"set": 3, "works": 2, "works_mode": "same"},
    "milano": {"set": 8, "works": 3, "works_mode": "same"},
    "roma": {"set": 7, "works": 4, "works_mode": "diff"},
    "imola": {"set": 7, "inventions": 4, "inventions_mode": "diff"},
    "pavia": {"set": 2, "works": 1, "inventions": 1},
    "urbino": {"set": 4, "works": 1, "inventions": 1, "characters": 1},
    "mantova": {"set": 3, "characters": 2},
    "venezia": {"set": 2, "coins": 1},
    "bologna": {"majority": 4, "of": "characters"},
    "vigevano": {"majority": 3, "of": "cards"},
    "parma": {"majority": 7, "of": "works"},
    "cesena": {"majority": 7, "of": "inventions"},
    "genova": {"majority": 4, "of": "coins"},
    "piombino": {"majority": 5, "of": "works_inventions"},
}
COINS, HAND, ROUNDS, SHOWN, DRAWN = 18, 7, 6, 3, 3
DRAFT = "draft"

#: card -> (packet, step in which it was or will be kept)
World = dict[str, tuple[int, int]]


@cache
def omnia(**options: Any) -> Game:
    """The game, loaded once for each set of options."""
    return load("omnia", **options)


def action_pack(players: int) -> list[str]:
    """The action cards in the game, by id (OM-S6)."""
    return [card for card in ACTIONS if int(card[-1]) <= players]


def in_order(cards: Iterable[str], order: Iterable[str]) -> list[str]:
    """Cards in the order of their ids."""
    return sorted(cards, key=list(order).index)


def by_id(cards: Iterable[str]) -> list[str]:
    return in_order(cards, ACTIONS)


def counts(words: str, faces: Mapping[str, Any]) -> dict[str, int]:
    """Faces and how many there are of each, as an observation writes them."""
    return dict(Counter(in_order(words.split(), faces)))


def symbols_of(card: str) -> list[str]:
    return in_order((LETTERS[letter] for letter in card[:2]), SYMBOLS)


# --- building a position --------------------------------------------------------------------------------


def holder(place: tuple[int, int], players: int) -> int:
    packet, step = place
    return (packet + step) % players


def lay(players: int, hands: Sequence[str] = (), packets: Sequence[str] = ()) -> World:
    """Where each card is kept. `packets` lists the seven cards of a packet in the order in which they are
    kept; a card of `hands` that lies elsewhere changes places with one that is not named there."""
    cards = " ".join(packets).split() if packets else action_pack(players)
    steps = (0, 0, 1, 1, 2, 2, 3)
    world = {card: (number // HAND, steps[number % HAND]) for number, card in enumerate(cards)}
    named = " ".join(hands).split()
    for seat, words in enumerate(hands):
        for card in words.split():
            if holder(world[card], players) != seat:
                other = next(
                    free for free in world if free not in named and holder(world[free], players) == seat
                )
                world[card], world[other] = world[other], world[card]
    return world


def visits_of(world: World, players: int, seat: int, step: int, kept: int) -> list[dict[str, Any]]:
    """What a seat saw of packets, up to a step; in the last of them it has kept so many cards."""
    visits = []
    for at in range(step + 1):
        packet = (seat - at) % players
        inside = by_id(card for card, (home, when) in world.items() if home == packet and when >= at)
        own = [card for card in world if world[card] == (packet, at)]
        visits.append(
            {
                "packet": packet,
                "step": at,
                "seen": inside,
                "kept": by_id(own if at < step or step == 3 else own[:kept]),
            }
        )
    return visits


def turn_order(players: int, round_: int, options: Mapping[str, Any]) -> list[int]:
    first = round_ % players if options["first_player"] == "rotate" else 0
    return [(first + turn) % players for turn in range(players)]


def tableau(words: str) -> tuple[dict[str, int], dict[str, int], list[str]]:
    """Works, inventions and characters of a seat, as an observation writes them."""
    cards = words.split()
    unknown = [card for card in cards if not any(card in faces for faces in KINDS.values())]
    assert not unknown, unknown
    works, inventions, characters = (
        [card for card in cards if card in faces] for faces in (WORKS, INVENTIONS, CHARACTERS)
    )
    return (
        counts(" ".join(works), WORKS),
        counts(" ".join(inventions), INVENTIONS),
        in_order(characters, CHARACTERS),
    )


def read_pack(words: str, cities: Sequence[str], seat: int) -> tuple[list[str | None], list[list[int]]]:
    """The city pack as a seat sees it: what is not named lies on top, unknown."""
    below = words.split()
    entries = ["?"] * (len(CITIES) - len(cities) - len(below)) + below
    pack, known = [], []
    for entry in entries:
        city, _, seats = entry.partition(":")
        known.append([int(number) for number in seats])
        pack.append(city if seat in known[-1] else None)
    return pack, known


def observed(
    hands: Sequence[str] = (),
    *,
    game: Game | None = None,
    players: int = 2,
    packets: Sequence[str] = (),
    to_move: int | None = 0,
    seat: int | None = None,
    phase: str = "play",
    round: int = 0,  # noqa: A002
    draft_step: int = 3,
    kept_now: int = 0,
    played: Sequence[str] = (),
    works: str = "purple yellow red",
    inventions: str = "azure green blue",
    characters: str = "cesare_borgia lorenzo_de_medici ludovico_il_moro",
    own: Sequence[str] = (),
    coins: Sequence[int] = (),
    cities: str = "milano",
    pack: str = "",
    **more: Any,
) -> dict[str, Any]:
    """The observation of the seat that looks. `played` names cards that seats have played; the rest of what
    is due by round and turn are the lowest cards not named in `hands`. Fields by their own names override
    everything."""
    game = game or omnia()
    options = game.option_values(players)
    seat = (to_move or 0) if seat is None else seat
    world = lay(players, [*hands, *[""] * (players - len(hands))], packets)
    seats = range(players)
    done = dict.fromkeys(seats, round)
    if phase not in (DRAFT, "over"):
        order = turn_order(players, round, options)
        for other in order[: order.index(to_move)]:
            done[other] += 1
    gone = []
    for other in seats:
        named = played[other].split() if other < len(played) else []
        spared = " ".join(hands).split()
        free = [card for card in world if holder(world[card], players) == other and card not in spared]
        gone.append(by_id((named + [card for card in free if card not in named])[: done[other]]))
    kept = 2 if to_move is None or seat < to_move else kept_now if seat == to_move else 0
    visits = visits_of(world, players, seat, draft_step, kept)
    held = [card for visit in visits for card in visit["kept"] if card not in gone[seat]]
    laid = [tableau(own[other] if other < len(own) else "") for other in seats]
    money = list(coins) or [1] * players
    active = in_order(cities.split(), CITIES)
    city_pack, city_known = read_pack(pack, active, seat)
    return {
        "game": "omnia",
        "cards": game.cards_digest,
        "options": options,
        "players": players,
        "seat": seat,
        "to_move": to_move,
        "phase": phase,
        "round": round,
        "draft_step": draft_step,
        "kept_now": kept_now,
        "visits": visits,
        "hand": by_id(held),
        "played": gone,
        "card": None,
        "left": [],
        "passed": False,
        "first_plain": None,
        "pending": None,
        "work_market": counts(works, WORKS),
        "invention_market": counts(inventions, INVENTIONS),
        "character_market": in_order(characters.split(), CHARACTERS),
        "works": [each[0] for each in laid],
        "inventions": [each[1] for each in laid],
        "characters": [each[2] for each in laid],
        "coins": money,
        "bank": COINS - sum(money),
        "cities_active": active,
        "city_pack": city_pack,
        "city_known": city_known,
        **more,
    }


def position(hands: Sequence[str] = (), *, game: Game | None = None, seed: int = 0, **more: Any) -> State:
    """A table in this position, with the game's default rules unless `game` is given."""
    game = game or omnia()
    return game.from_observation(observed(hands, game=game, **more), seed=seed)


def turn(card: str, *, to_move: int = 0, **more: Any) -> State:
    """The seat to move has just played a card."""
    hands = [*[""] * to_move, card]
    state = position(hands, to_move=to_move, **more)
    state.apply(f"play {card}")
    return state


def finished(own: Sequence[str], cities: str, coins: Sequence[int] = (), **more: Any) -> State:
    """A game that is over; nothing is left in the market unless it is given."""
    players = max(2, len(own))
    given = {"works": "", "inventions": "", "characters": "", "players": players, **more}
    money = [*coins, *[0] * (players - len(coins))]
    return position(
        own=own, cities=cities, coins=money, phase="over", to_move=None, round=ROUNDS, seat=0, **given
    )


def points(own: Sequence[str], cities: str, coins: Sequence[int] = (), **more: Any) -> list[int]:
    """The points of everybody at the end."""
    return finished(own, cities, coins, **more).outcome.scores


def draft(players: int, packets: Sequence[str] = (), *, seed: int = 0, game: Game | None = None) -> State:
    """A new table with these packets; by default packet p has the cards 7p to 7p + 6."""
    cards = action_pack(players)
    lots = packets or [" ".join(cards[7 * seat : 7 * seat + 7]) for seat in range(players)]
    words = [f"packet {seat} {lot}" for seat, lot in enumerate(lots)]
    return (game or omnia()).new(players=players, seed=seed, seen=words)


def keep_all(state: State, *cards: str) -> None:
    for card in cards:
        state.apply(f"keep {card}")


def keep_lowest(state: State) -> State:
    """Plays the draft to its end, or until `play`: everybody keeps the lowest cards."""
    while state.phase == DRAFT:
        state.apply(state.legal_actions[0])
    return state


# --- reading a table, as a referee sees it --------------------------------------------------------------


def look(state: State, seat: int = 0) -> dict[str, Any]:
    """What all see, and what the seat sees on top."""
    return state.observation(seat)


def hand(state: State, seat: int) -> list[str]:
    return look(state, seat)["hand"]


def market(state: State) -> str:
    """The cards face up, by kind and id."""
    seen = look(state)
    faces = [
        face
        for zone in ("work_market", "invention_market")
        for face, count in seen[zone].items()
        for _ in range(count)
    ]
    return " ".join(faces + seen["character_market"])


def owned(state: State, seat: int) -> str:
    """The works, inventions and characters of a seat."""
    seen = look(state)
    faces = [
        face
        for zone in ("works", "inventions")
        for face, count in seen[zone][seat].items()
        for _ in range(count)
    ]
    return " ".join(faces + seen["characters"][seat])


def money(state: State) -> tuple[int, ...]:
    """The coins of each seat, then the bank."""
    seen = look(state)
    return (*seen["coins"], seen["bank"])


def slots(state: State) -> World:
    """The packet of each action card and the step in which it was kept, 4 while it is in the packet: as they
    truly lie."""
    pack = action_pack(state.players)
    return {card: (slot >> 3, slot & 7) for card, slot in zip(pack, state.fields().slot, strict=False)}


def slots_seen(state: State) -> World:
    """The same, put together from what the seats see."""
    found = {}
    for seat in range(state.players):
        seen = look(state, seat)
        for visit in seen["visits"]:
            if state.phase == DRAFT and visit["step"] == seen["draft_step"]:
                found |= dict.fromkeys(visit["seen"], (visit["packet"], 4))
            found |= dict.fromkeys(visit["kept"], (visit["packet"], visit["step"]))
    return found


def city_order(state: State) -> list[str]:
    """The city pack from the top, as it truly lies."""
    fields = state.fields()
    return [list(CITIES)[number] for number in list(fields.city_pack)[: fields.city_len]]
