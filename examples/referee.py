"""A referee who owns the table; each seat's engine is told what that seat sees, and nothing else.

    python referee.py leduc_poker --deal "hand 0 K" "hand 1 J"

A real table would do as well: `Seat` needs the deal and each move in the words of a person who sits there.
"""

import argparse
from contextlib import ExitStack

import sfumato
from sfumato.client import Engine

parser = argparse.ArgumentParser(description="Engines play at a table that none of them holds.")
parser.add_argument("game", nargs="?", default="leduc_poker", choices=sfumato.NAMES)
parser.add_argument("--players", type=int, help="number of players; by default the fewest")
parser.add_argument("--deal", nargs="+", default=(), metavar="WORDS", help="cards dealt; the rest is drawn")
parser.add_argument("--sims", type=int, default=2000, help="simulations of each search")


class Seat:
    """One seat with an engine of its own. All that it ever hears is printed."""

    def __init__(self, number: int, engine: Engine) -> None:
        self.number, self.engine = number, engine
        self.knows: dict[str, object] = {}

    def deal(self, game: str, players: int, seen: list[str]) -> None:
        print(f"  to seat {self.number}:", ", ".join(seen) or "nothing to see")
        start = {"game": game, "players": players, "seat": self.number}
        self.knows = self.engine.follow(start=start, seen=seen).observation

    def hear(self, action: str, seen: list[str]) -> None:
        print(f"  to seat {self.number}:", ", ".join([action, *seen]))
        self.knows = self.engine.follow(observation=self.knows, action=action, seen=seen).observation

    def choose(self, sims: int) -> str:
        return self.engine.best_move(observation=self.knows, limits={"sims": sims}).words


def play(table: sfumato.State, sims: int) -> None:
    """Plays the table to its end. Only this function sees `table`."""
    with ExitStack() as engines:
        seats = [Seat(number, engines.enter_context(Engine())) for number in range(table.players)]
        print("the deal")
        for seat in seats:
            seat.deal(table.game.name, table.players, table.setup_words(seat.number))
        while table.to_move is not None:
            step = table.apply(seats[table.to_move].choose(sims))
            print(f"seat {step.seat}: {step.label(None)}")
            for seat in seats:
                seat.hear(step.label(seat.number), step.words(seat.number))
                # From what it heard alone it knows what its place at the table shows: no less, and no more.
                assert seat.knows == table.observation(seat.number)
    print("points by seat:", *table.outcome.scores)


if __name__ == "__main__":
    args = parser.parse_args()
    try:
        play(sfumato.load(args.game).new(args.players, seen=args.deal), args.sims)
    except sfumato.SfumatoError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("\nThe game is left.")
