"""The Painter's Studio in plain Python, from the rules alone: what a careful referee writes down. Slow and
simple; nothing here knows the core.

`Referee` follows a game from its words and says what may be done, what each seat sees and who has won.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from painters_studio_table import (
    COLOURS,
    FACE,
    KIND,
    KINDS,
    NO_SUB,
    NUMBERS,
    PAINTINGS,
    PATRONS,
    by_colour,
    in_order,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: the phase in which an effect asks its owner for a choice
ASKS = {
    "gain_paint": "e_gain",
    "place_students": "e_place",
    "move_students": "move",
    "swap_paint": "e_swap",
    "set_die": "e_set",
    "reroll_die": "e_reroll",
    "move_own": "e_own",
    "buy_paint": "e_buy",
}


class Referee:
    """The whole table, told step by step: the decision, and all that it showed."""

    def __init__(self, views: Sequence[Mapping[str, Any]]) -> None:
        """The set-up, from what each seat sees of it."""
        seen = views[0]
        self.players: int = seen["players"]
        self.options = seen["options"]
        self.first_start: int = seen["first_start"]
        self.display: list[str] = list(seen["display"])
        self.hands: list[list[str]] = [list(view["patrons"][view["seat"]]) for view in views]
        seats = range(self.players)
        self.returned: list[str | None] = [None for _ in seats]
        self.taker: list[int | None] = [None for _ in seats]
        self.paintings: list[list[str]] = [[] for _ in seats]
        self.paint = [[0] * 4 for _ in seats]
        self.students = [[0] * 4 for _ in seats]
        self.tokens = [NUMBERS["start_tokens"] for _ in seats]
        self.active = [0 for _ in seats]
        self.dice: list[str] = []
        self.used: set[str] = set()
        self.round = 0
        self.final_round: int | None = None
        self.first_master: int | None = None
        self.phase, self.mover = "patron", self.first_start
        self._begin_turn()
        self._leave()
        self.pending = False
        #: the decisions from which the mover chooses
        self.legal = self._may_now()

    def _begin_turn(self) -> None:
        self.spent = self.inspired = False
        self.last = 0

    def _leave(self) -> None:
        """No effect and no small decision is under way."""
        self.card: str | None = None
        self.left = self.colour = 0
        self.owner: int | None = None
        self.moved = False

    # --- what lies on the table ---------------------------------------------------------------------

    def stock(self, colour: int) -> int:
        return NUMBERS["paint_per_colour"] - sum(held[colour] for held in self.paint)

    def pool(self, seat: int) -> int:
        return NUMBERS["students"] - sum(self.students[seat])

    def supply(self) -> int:
        return NUMBERS["inspiration"] - sum(self.tokens)

    def painting_deck(self) -> set[str]:
        owned = {name for names in self.paintings for name in names}
        return set(PAINTINGS) - owned - set(self.display)

    def tail_order(self) -> list[int]:
        """Seats whose returned card still lies in the deck, top first (R13)."""
        seats = [(self.first_start + step) % self.players for step in range(self.players)]
        return [seat for seat in seats if self.returned[seat] and self.taker[seat] is None]

    def body(self) -> set[str]:
        held = {card for hand in self.hands for card in hand}
        return set(PATRONS) - held - {self.returned[seat] for seat in self.tail_order()}

    def patron_deck(self) -> int:
        """How many patrons are left to draw."""
        return len(PATRONS) - sum(map(len, self.hands))

    def any_stock(self) -> bool:
        return any(map(self.stock, range(4)))

    def leads(self, seat: int) -> list[int]:
        """Piles where the seat has the most students (PS-D3, PS-D4, R5)."""
        found = []
        for colour in range(4):
            own = self.students[seat][colour]
            best = max(self.students[other][colour] for other in range(self.players) if other != seat)
            if own >= 1 and (own > best or (own == best and self.players == 4)):
                found.append(colour)
        return found

    def collected(self, seat: int) -> list[int]:
        return [colour for colour in self.leads(seat) if self.stock(colour)]

    def payable(self, seat: int) -> list[str]:
        return [
            name
            for name in self.display
            if all(cost <= held for cost, held in zip(PAINTINGS[name].cost, self.paint[seat], strict=True))
        ]

    def masterpieces(self, seat: int) -> int:
        return sum(PAINTINGS[name].masterpiece for name in self.paintings[seat])

    # --- what may be done ---------------------------------------------------------------------------

    def _may_now(self) -> set[str]:
        return set(getattr(self, f"_in_{self.phase}")())

    def _in_over(self) -> list[str]:
        return []

    def _in_patron(self) -> list[str]:
        return [f"keep {card}" for card in self.hands[self.mover]]

    def _in_start(self) -> list[str]:
        return [f"place {colour}" for colour in COLOURS]

    def _in_turn(self) -> list[str]:
        found = [] if self.inspired else self._dice_decisions()
        tokens = self.tokens[self.mover]
        if tokens >= NUMBERS["cost_paint"]:
            found += [f"inspire_paint {name}" for name in self.payable(self.mover)]
        if tokens >= NUMBERS["cost_patron"] and self.patron_deck():
            found.append("draw_patron")
        found += [f"use {name}" for name in self.paintings[self.mover] if self._may_use(name)]
        if self.spent:
            return [*found, "end_turn"]
        return [*found, "inspire", *(["reroll"] if tokens >= NUMBERS["cost_reroll"] else [])]

    def _dice_decisions(self) -> list[str]:
        found = []
        if "place" in self.dice and self.pool(self.mover):
            found += [f"place {colour}" for rank, colour in enumerate(COLOURS, 1) if rank >= self.last]
        if "gain" in self.dice:
            found += [
                f"gain {COLOURS[colour]}"
                for colour in range(4)
                if self.stock(colour) and 5 + colour >= self.last
            ]
        if "move" in self.dice and any(map(any, self.students)):
            found.append("move")
        if "collect" in self.dice and self.collected(self.mover):
            found.append("collect")
        if "paint" in self.dice:
            found += [f"paint {name}" for name in self.payable(self.mover)]
        return found

    def _may_use(self, name: str) -> bool:
        return PAINTINGS[name].when == "turn" and name not in self.used and self._usable(name)

    def _usable(self, name: str) -> bool:
        """Whether the effect of a painting can do something for the mover."""
        seat = self.mover
        return {
            "gain_paint": self.any_stock,
            "gain_inspiration": lambda: self.supply() > 0,
            "place_students": lambda: self.pool(seat) > 0,
            "collect_paint": lambda: bool(self.collected(seat)),
            "move_students": lambda: any(map(any, self.students)),
            "draw_patron": self.patron_deck,
            "recover_die": lambda: self.active[seat] < NUMBERS["dice"],
            "swap_paint": lambda: bool(self._swaps()),
            "set_die": lambda: any(kind != self._kind_set(name) for kind in self.dice),
            "reroll_die": lambda: bool(self.dice),
            "move_own": lambda: any(self.students[seat]),
            "buy_paint": lambda: self.tokens[seat] >= 1 and self.any_stock(),
        }[PAINTINGS[name].effect]()

    def _kind_set(self, name: str) -> str:
        return KIND[PAINTINGS[name].n]

    def _may_skip(self) -> list[str]:
        """Effects that could hurt may be declined when painted (R10)."""
        return ["skip"] if self.pending else []

    def _shifts(self, seat: int) -> list[str]:
        return [
            f"shift {COLOURS[a]} {COLOURS[b]}"
            for a in range(4)
            for b in range(4)
            if a != b and self.students[seat][a]
        ]

    def _swaps(self) -> list[str]:
        own = self.paint[self.mover]
        return [
            f"shift {COLOURS[a]} {COLOURS[b]}"
            for a in range(4)
            for b in range(4)
            if a != b and own[a] and self.stock(b)
        ]

    def _in_return(self) -> list[str]:
        own = self.students[self.mover]
        return [
            f"back {COLOURS[colour]}"
            for colour in range(self.colour, 4)
            if own[colour] and sum(own[colour:]) >= self.left
        ]

    def _later_owners(self) -> list[int]:
        """Seats after the present owner, in the order of the move, that have a student at a pile."""
        seats = [(self.mover + step) % self.players for step in range(self.players)]
        return [seat for seat in seats[seats.index(self.owner) + 1 :] if any(self.students[seat])]

    def _in_move(self) -> list[str]:
        skip = ["skip"] if self.moved or self._later_owners() else []
        return self._shifts(self.owner) + skip

    def _in_e_gain(self) -> list[str]:
        return [
            f"gain {COLOURS[colour]}"
            for colour in range(self.colour, 4)
            if self.stock(colour) and sum(map(self.stock, range(colour, 4))) >= self.left
        ]

    def _in_e_place(self) -> list[str]:
        return [f"place {colour}" for colour in COLOURS[self.colour :]]

    def _in_e_own(self) -> list[str]:
        return self._shifts(self.mover) + self._may_skip()

    def _in_e_swap(self) -> list[str]:
        return self._swaps() + self._may_skip()

    def _in_e_set(self) -> list[str]:
        return [f"die {kind}" for kind in {*self.dice} - {self._kind_set(self.card)}] + self._may_skip()

    def _in_e_reroll(self) -> list[str]:
        return [f"die {kind}" for kind in set(self.dice)] + self._may_skip()

    def _in_e_buy(self) -> list[str]:
        return [f"gain {COLOURS[colour]}" for colour in range(4) if self.stock(colour)] + self._may_skip()

    # --- what follows -------------------------------------------------------------------------------

    def step(self, action: str, told: Sequence[str]) -> None:
        """Plays a decision and all that follow by themselves; `told` is all that it showed."""
        self.told = list(told)
        self._decide(action)
        while self.phase not in ("patron", "start", "over"):
            if len(self.legal) > 1 or (self.phase == "turn" and self.legal != {"end_turn"}):
                break
            self._decide(*self.legal)
        assert not self.told, f"nothing brings {self.told}"

    def _decide(self, action: str) -> None:
        assert action in self.legal, f"{action} is not legal"
        name, *names = action.split()
        if self.phase != "turn" or name not in ("place", "gain"):
            self.last = 0
        getattr(self, f"_{name}")(*names)
        self.legal = self._may_now()

    def _word(self, name: str) -> list[str]:
        """The values of the next word, which must have this name."""
        assert self.told, f"{name} was not told"
        word, *values = self.told.pop(0).split()
        assert word == name, f"{word} was told instead of {name}"
        return values

    def _spend(self, kind: str) -> None:
        self.dice.remove(kind)
        self.active[self.mover] -= 1
        self.spent = True

    def _keep(self, card: str) -> None:
        (other,) = (other for other in self.hands[self.mover] if other != card)
        self.hands[self.mover] = [card]
        self.returned[self.mover] = other
        self.mover = (self.mover + 1) % self.players
        if self.mover == self.first_start:
            self.phase = "start"
            self.mover = (self.first_start - 1) % self.players

    def _place(self, colour: str) -> None:
        number = COLOURS.index(colour)
        self.students[self.mover][number] += 1
        if self.phase == "start":
            if self.mover == self.first_start:
                self._begin_round()
            else:
                self.mover = (self.mover - 1) % self.players
        elif self.phase == "turn":
            self._spend("place")
            self.last = 1 + number if self.options["canonical"] else 0
        else:
            self._one_less(number)

    def _gain(self, colour: str) -> None:
        number = COLOURS.index(colour)
        self.paint[self.mover][number] += 1
        if self.phase == "turn":
            self._spend("gain")
            self.last = 5 + number if self.options["canonical"] else 0
        elif self.phase == "e_buy":
            self.tokens[self.mover] -= 1
            self._effect_done()
        else:
            self._one_less(number)

    def _one_less(self, colour: int) -> None:
        self.left -= 1
        self.colour = colour
        if not self.left:
            self._effect_done()

    def _back(self, colour: str) -> None:
        number = COLOURS.index(colour)
        self.students[self.mover][number] -= 1
        self.left -= 1
        self.colour = number
        if not self.left:
            self._power()

    def _move(self) -> None:
        self._spend("move")
        self._ask_to_move()

    def _ask_to_move(self) -> None:
        self.phase = "move"
        self.owner = self.mover
        if not any(self.students[self.mover]):
            self._next_owner()

    def _next_owner(self) -> None:
        later = self._later_owners()
        if later:
            self.owner = later[0]
        else:
            self._effect_done()

    def _shift(self, source: str, target: str) -> None:
        a, b = COLOURS.index(source), COLOURS.index(target)
        if self.phase == "e_swap":
            self.paint[self.mover][a] -= 1
            self.paint[self.mover][b] += 1
            self._effect_done()
            return
        owner = self.owner if self.phase == "move" else self.mover
        self.students[owner][a] -= 1
        self.students[owner][b] += 1
        if self.phase == "move":
            self.moved = True
            self._next_owner()
        else:
            self._effect_done()

    def _skip(self) -> None:
        if self.phase == "move":
            self._next_owner()
        else:
            self._effect_done()

    def _die(self, kind: str) -> None:
        self.dice.remove(kind)
        if self.phase == "e_set":
            self.dice.append(self._kind_set(self.card))
        else:
            self._roll_one()
        self._effect_done()

    def _roll_one(self) -> None:
        (face,) = self._word("die")
        self.dice.append(KIND[int(face)])

    def _collect(self) -> None:
        self._spend("collect")
        self._take_collected()

    def _take_collected(self) -> None:
        for colour in self.collected(self.mover):
            self.paint[self.mover][colour] += 1

    def _paint(self, name: str) -> None:
        self._spend("paint")
        self._put_up(name)

    def _inspire_paint(self, name: str) -> None:
        self.tokens[self.mover] -= NUMBERS["cost_paint"]
        self._put_up(name)

    def _put_up(self, name: str) -> None:
        """PS-D5, then R18, PS-D6."""
        card, seat = PAINTINGS[name], self.mover
        for colour in range(4):
            self.paint[seat][colour] -= card.cost[colour]
        self.display.remove(name)
        self.paintings[seat].append(name)
        self.pending, self.card = True, name
        if self.first_master is None and self.masterpieces(seat) >= NUMBERS["masterpieces_to_end"]:
            self.first_master = seat
            self.final_round = self.round + 1
        self.left = min(card.ret, sum(self.students[seat]))
        self.colour = 0
        self.phase = "return"
        if not self.left:
            self._power()

    def _power(self) -> None:
        """PS-D7."""
        if PAINTINGS[self.card].when == "painted" and self._usable(self.card):
            self._perform()
        else:
            self._effect_done()

    def _perform(self) -> None:
        """The effect of `card`, as far as possible (R10)."""
        card, seat = PAINTINGS[self.card], self.mover
        self.left = self.colour = 0
        if card.effect in ASKS:
            self.phase = ASKS[card.effect]
            if card.effect == "gain_paint":
                self.left = min(card.n, sum(map(self.stock, range(4))))
            elif card.effect == "place_students":
                self.left = min(card.n, self.pool(seat))
            elif card.effect == "move_students":
                self._ask_to_move()
            return
        if card.effect == "gain_inspiration":
            self.tokens[seat] += min(card.n, self.supply())
        elif card.effect == "collect_paint":
            self._take_collected()
        elif card.effect == "draw_patron":
            self._take_patron()
        elif card.effect == "recover_die":
            self.active[seat] += 1
            self._roll_one()
        self._effect_done()

    def _effect_done(self) -> None:
        """PS-D8 if a painting is under way; the turn goes on."""
        if self.pending and self.painting_deck():
            (name,) = self._word("refill")
            assert name in self.painting_deck(), f"{name} is not in the deck"
            self.display.append(name)
        self.pending = False
        self.phase = "turn"
        self._leave()

    def _use(self, name: str) -> None:
        self.used.add(name)
        self.card = name
        self._perform()

    def _draw_patron(self) -> None:
        self.tokens[self.mover] -= NUMBERS["cost_patron"]
        self._take_patron()

    def _take_patron(self) -> None:
        (card,) = self._word("patron")
        if self.body():
            assert card in self.body(), f"{card} is not in the body"
        else:
            owner = self.tail_order()[0]
            assert card == self.returned[owner], f"{self.returned[owner]} lay on top, not {card}"
            self.taker[owner] = self.mover
        self.hands[self.mover].append(card)

    def _reroll(self) -> None:
        self.tokens[self.mover] -= NUMBERS["cost_reroll"]
        self._roll()

    def _roll(self) -> None:
        faces = [int(face) for face in self._word("roll")]
        assert len(faces) == self.active[self.mover]
        assert faces == sorted(faces) and 2 not in faces
        self.dice = [KIND[face] for face in faces]

    def _inspire(self) -> None:
        self._spend(min(self.dice, key=KINDS.index))
        self.tokens[self.mover] += min(1, self.supply())
        self.inspired = True
        if self.options["inspiration_ends_turn"]:
            self._end_turn()

    def _end_turn(self) -> None:
        self._begin_turn()
        if self.options["power_refresh"] == "turn":
            self.used.clear()
        self.dice = []
        for step in range(1, self.players + 1):
            seat = (self.mover + step) % self.players
            if self.active[seat]:
                self.mover = seat
                self._roll()
                return
        self._round_done()

    def _round_done(self) -> None:
        self.used.clear()
        if self.round in (self.final_round, self.options["max_rounds"]):
            self.phase = "over"
            for seat in range(self.players):
                number, *cards = self._word("hand")
                assert (int(number), cards) == (seat, in_order(self.hands[seat], PATRONS))
        else:
            self._begin_round()

    def _begin_round(self) -> None:
        self.round += 1
        self.active = [NUMBERS["dice"]] * self.players
        self.mover = (self.first_start + self.round - 1) % self.players
        self.phase = "turn"
        self._roll()

    # --- the end ------------------------------------------------------------------------------------

    def patron_points(self, seat: int, name: str) -> int:
        patron = PATRONS[name]
        own = [PAINTINGS[title] for title in self.paintings[seat]]
        count = {
            "per_category": lambda: sum(card.category == patron.arg for card in own),
            "per_colour": lambda: sum(card.cost[COLOURS.index(patron.arg)] > 0 for card in own),
            "per_set": lambda: min(
                sum(card.category == category for card in own)
                for category in ("impressionist", "post_impressionist", "realist", "romantic")
            ),
            "per_masterpiece": lambda: sum(card.masterpiece for card in own),
            "per_other": lambda: sum(not card.masterpiece for card in own),
            "per_power": lambda: sum(card.when is not None for card in own),
            "per_inspiration": lambda: self.tokens[seat],
            "per_lead": lambda: len(self.leads(seat)),
            "per_paint": lambda: sum(self.paint[seat]) // patron.arg,
            "per_big": lambda: sum(card.points >= patron.arg for card in own),
        }[patron.score]()
        return min(patron.most, patron.points * count)

    def scores(self) -> list[int]:
        return [
            sum(PAINTINGS[name].points for name in self.paintings[seat])
            + sum(self.patron_points(seat, name) for name in self.hands[seat])
            + (NUMBERS["first_master_vp"] if self.first_master == seat else 0)
            for seat in range(self.players)
        ]

    def ranks(self) -> list[int]:
        standing = [
            (score, sum(self.paint[seat]), self.first_master == seat)
            for seat, score in enumerate(self.scores())
        ]
        return [1 + sum(other > own for other in standing) for own in standing]

    # --- the same table as an observation writes it -------------------------------------------------

    def seen_by(self, seat: int) -> dict[str, Any]:
        """The fields of a seat's observation, but for the envelope that never changes."""
        over, setting_up = self.phase == "over", self.phase in ("patron", "start")
        seats = range(self.players)
        return {
            "seat": seat,
            "to_move": None if over else self.mover,
            "phase": self.phase,
            "first_start": self.first_start,
            "round": self.round,
            "final_round": self.final_round,
            "first_master": self.first_master,
            "display": in_order(self.display, PAINTINGS),
            "paintings": [in_order(names, PAINTINGS) for names in self.paintings],
            "used": in_order(self.used, PAINTINGS),
            "paint": [by_colour(held) for held in self.paint],
            "students": [by_colour(placed) for placed in self.students],
            "tokens": self.tokens,
            "active": [0] * self.players if over or setting_up else self.active,
            "dice": sorted(FACE[kind] for kind in self.dice),
            "spent": self.spent,
            "inspired": self.inspired,
            "last": (self._last_words() if self.last else None),
            "patrons": [
                in_order(self.hands[other], PATRONS) if over or other == seat else None for other in seats
            ],
            "patron_counts": [len(hand) for hand in self.hands],
            "returned": [None if over else self._returned_card(other, seat) for other in seats],
            "sub": None if self.phase in ("patron", "start", "turn", "over") else self._sub(),
        }

    def _last_words(self) -> str:
        return f"{'place' if self.last < 5 else 'gain'} {COLOURS[(self.last - 1) % 4]}"

    def _returned_card(self, other: int, seat: int) -> dict[str, Any] | None:
        if self.returned[other] is None:
            return None
        known = seat in (other, self.taker[other])
        return {"patron": self.returned[other] if known else None, "taker": self.taker[other]}

    def _sub(self) -> dict[str, Any]:
        found: dict[str, Any] = {**NO_SUB, "card": self.card, "pending": self.pending}
        if self.phase in ("return", "e_gain", "e_place"):
            found |= {"left": self.left, "colour": COLOURS[self.colour]}
        if self.phase == "move":
            found |= {"owner": self.owner, "moved": self.moved}
        return found
