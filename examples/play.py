"""A game against the engine: `python play.py GAME`; with --auto a script plays for you."""

import argparse
import random

from sfumato import SfumatoError
from sfumato.client import Engine

parser = argparse.ArgumentParser(description="You are seat 0; the engine plays all others.")
parser.add_argument("game", nargs="?", default="leduc_poker", help="one of `sfumato games`")
parser.add_argument("--sims", type=int, default=5000, help="simulations of a search: more play better")
parser.add_argument("--auto", action="store_true", help="let a script choose your moves at random")
args = parser.parse_args()


def choose(moves: list[str]) -> str:
    if args.auto:
        return random.choice(moves)
    print("You may:", ", ".join(moves))
    while (typed := input("> ").strip()) not in moves:
        print("That is none of your moves.")
    return typed


try:
    with Engine() as engine:
        table = engine.new_game(game=args.game)
        while table.to_move is not None:
            if table.to_move == 0:
                print(engine.render(game=table.game, seat=0).text)
                move = choose([legal.words for legal in engine.legal_moves(game=table.game).moves])
            else:
                move = engine.best_move(game=table.game, limits={"sims": args.sims}).words
            table = engine.apply(game=table.game, action=move, views=[0])
            print(f"seat {table.seat}:", table.views[0].action, *table.views[0].seen, sep="  ")
        print("points by seat:", *table.outcome.scores)
except SfumatoError as error:
    parser.error(str(error))
except (EOFError, KeyboardInterrupt):
    print("\nGoodbye.")
