"""The greedy rule of The Painter's Studio in plain Python: what each decision is worth for the seat to move
of a `Referee`."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from painters_studio_table import COLOURS, KIND, PAINTINGS, PATRONS

if TYPE_CHECKING:
    from painters_studio_model import Referee

MASTERPIECES_TO_END = 3


class Greedy:
    """The plan of the seat to move: what it aims at, and what a paint of each colour is worth to it."""

    def __init__(self, table: Referee) -> None:
        self.table = table
        self.seat = table.mover
        self.own = table.paint[self.seat]
        self.left = self.rounds_left()
        self.target = max(
            table.display,
            key=lambda name: (round(self.aim(name), 9), -list(PAINTINGS).index(name)),
            default=None,
        )
        self.lacks = [self.target is not None and self.lacking(self.target)[c] > 0 for c in range(4)]
        self.weight = [
            1 if lacks else 0.1 if held >= 4 else 0.35
            for lacks, held in zip(self.lacks, self.own, strict=True)
        ]

    def rounds_left(self) -> float:
        table = self.table
        if table.final_round is not None:
            left = table.final_round - table.round + 1
        else:
            best = max(table.masterpieces(seat) for seat in range(table.players))
            left = {0: 8, 1: 6}.get(best, 3)
        return min(left, table.options["max_rounds"] - table.round + 1)

    # --- paintings ----------------------------------------------------------------------------------

    def lacking(self, name: str) -> list[int]:
        return [max(0, cost - held) for cost, held in zip(PAINTINGS[name].cost, self.own, strict=True)]

    def value(self, name: str) -> float:
        table, card = self.table, PAINTINGS[name]
        worth = card.points + self.power(name)
        if card.masterpiece and table.first_master is None:
            worth += 1.5
            if table.masterpieces(self.seat) + 1 >= MASTERPIECES_TO_END:
                worth += 4
        after = copy.copy(table)
        after.paintings = [list(names) for names in table.paintings]
        after.paintings[self.seat].append(name)
        for patron in table.hands[self.seat]:
            worth += after.patron_points(self.seat, patron) - table.patron_points(self.seat, patron)
        return worth - 0.4 * min(card.ret, sum(table.students[self.seat]))

    def power(self, name: str) -> float:
        card = PAINTINGS[name]
        if card.when is None:
            return 0
        if card.when == "turn":
            return {"swap_paint": 1.5, "set_die": 2}.get(card.effect, 1) * self.left / 6
        each = {"gain_inspiration": 0.7, "place_students": 0.6, "gain_paint": 0.8}
        if card.effect in each:
            return each[card.effect] * card.n
        return {"collect_paint": 1.2, "draw_patron": 3, "recover_die": 0.9}.get(card.effect, 0.4)

    def aim(self, name: str) -> float:
        return self.value(name) / (1.2 + 0.8 * sum(self.lacking(name)))

    def wanted(self, name: str) -> bool:
        price = 1.2 + 0.8 * sum(PAINTINGS[name].cost)
        return name == self.target or self.left <= 1 or self.value(name) / price > 0.75

    # --- students and paint -------------------------------------------------------------------------

    def income(self, table: Referee) -> float:
        return sum(self.weight[colour] for colour in table.collected(self.seat))

    def others_paints(self, table: Referee) -> int:
        seats = (seat for seat in range(table.players) if seat != self.seat)
        return sum(len(table.collected(seat)) for seat in seats)

    def with_students(self, owner: int, *changes: tuple[int, int]) -> Referee:
        """The table after some students of a seat came or went."""
        after = copy.copy(self.table)
        after.students = [list(placed) for placed in self.table.students]
        for colour, change in changes:
            after.students[owner][colour] += change
        return after

    def shift(self, owner: int, words: str) -> float:
        a, b = (COLOURS.index(colour) for colour in words.split()[1:])
        after = self.with_students(owner, (a, -1), (b, 1))
        gained = self.income(after) - self.income(self.table)
        return gained + 0.25 * (self.others_paints(self.table) - self.others_paints(after))

    def best_shift(self, *owners: int) -> float:
        return max(self.shift(owner, words) for owner in owners for words in self.table._shifts(owner))

    def place(self, colour: int) -> float:
        after = self.with_students(self.seat, (colour, 1))
        mine = after.students[self.seat][colour]
        best = max(after.students[seat][colour] for seat in range(after.players) if seat != self.seat)
        gained = self.income(after) - self.income(self.table)
        worth = 0.15 + 1.2 * gained * min(1, self.left / 3) + 0.05 * self.weight[colour]
        return worth + 0.12 * self.weight[colour] * (mine == best) - 0.02 * max(0, mine - best - 1)

    def swap(self, words: str) -> float:
        a, b = (COLOURS.index(colour) for colour in words.split()[1:])
        spare = self.target is None or self.own[a] > PAINTINGS[self.target].cost[a]
        return 0.9 * (self.weight[b] - (0.3 if spare else 1.2))

    def collect(self) -> float:
        colours = self.table.collected(self.seat)
        worth = 0.9 * sum(max(self.weight[colour], 0.5) for colour in colours)
        return worth - 0.6 * (len(colours) == 1 and self.weight[colours[0]] < 0.5)

    def use(self, name: str) -> float:
        card, table = PAINTINGS[name], self.table
        if card.effect == "swap_paint":
            return max(self.swap(words) for words in table._swaps())
        if card.effect == "set_die":
            kind = KIND[card.n]
            useful = {
                "paint": 2 if any(map(self.wanted, table.payable(self.seat))) else -1,
                "collect": 0.9 if len(table.collected(self.seat)) >= 2 else -1,
            }[kind]
            return -1 if kind in table.dice else useful
        if card.effect == "reroll_die":
            return 0.35 if {"place", "move"} & set(table.dice) else -1
        if card.effect == "move_own":
            return 0.8 * self.best_shift(self.seat)
        return 0.5 if self.target and sum(self.lacking(self.target)) == 1 else -1

    # --- decisions ----------------------------------------------------------------------------------

    def worth(self, words: str) -> float:
        return getattr(self, f"_{self.table.phase}")(words)

    def _patron(self, words: str) -> float:
        patron = PATRONS[words.split()[1]]
        # `critic` counts the very paintings that `museum` counts.
        best = {"per_masterpiece": 5, "per_big": 5, "per_lead": 3, "per_inspiration": 2, "per_paint": 2}
        return best.get(patron.score, 4)

    def _start(self, words: str) -> float:
        colour = COLOURS.index(words.split()[1])
        asked = sum(PAINTINGS[name].cost[colour] for name in self.table.display)
        return asked - 3 * sum(placed[colour] for placed in self.table.students)

    def _turn(self, words: str) -> float:
        name, *what = words.split()
        tokens = self.table.tokens[self.seat]
        return {
            "end_turn": lambda: 0.3,
            "place": lambda: self.place(COLOURS.index(what[0])),
            "gain": lambda: 0.2 + 0.8 * self.weight[COLOURS.index(what[0])],
            "move": lambda: 0.1 + 0.8 * self.best_shift(*range(self.table.players)),
            "collect": self.collect,
            "paint": lambda: 0.5 + self.value(what[0]) if self.wanted(what[0]) else -0.5,
            "inspire_paint": lambda: self.for_tokens(what[0]),
            "inspire": lambda: 0.2 if self.left <= 1 else 0.42,
            "reroll": lambda: 0.45 if tokens >= 2 else -1,
            "draw_patron": lambda: 3 if self.left <= 3 or tokens >= 4 else 1,
            "use": lambda: self.use(what[0]),
        }[name]()

    def for_tokens(self, name: str) -> float:
        value = self.value(name)
        return value - 1.6 if self.wanted(name) and value > 2 else -1

    def _return(self, words: str) -> float:
        """The least income lost, then the fuller pile."""
        colour = COLOURS.index(words.split()[1])
        lost = self.income(self.with_students(self.seat, (colour, -1))) - self.income(self.table)
        return lost + 0.001 * self.table.students[self.seat][colour]

    def _move(self, words: str) -> float:
        return 0.01 if words == "skip" else self.shift(self.table.owner, words)

    def _e_gain(self, words: str) -> float:
        return self._turn(words)

    _e_place = _e_buy = _e_gain

    def _e_own(self, words: str) -> float:
        return self.shift(self.seat, words)

    def _e_swap(self, words: str) -> float:
        return self.swap(words)

    def _e_set(self, words: str) -> float:
        kind = words.split()[1]
        paints = len(self.table.collected(self.seat))
        return {"place": 0.3, "move": 0.5, "collect": -paints, "gain": -1, "paint": -2}[kind]

    _e_reroll = _e_set
