"""Golden files: one whole game in words per game and player count, and perft counts.

`make golden` writes them anew; the diff is then read by a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from sfumato.games import NAMES, Game, game_class, load
from sfumato.playthrough import playthrough
from walks import TABLES, Setup, over

#: options that keep a golden game short enough to be read; with four players nine rounds meet a reshuffle
SHORT: dict[str, dict[str, int | str | bool]] = {"enigma": {"max_rounds": 9}, "oh_hell": {"tricks": 4}}
SEED = 1
#: perft goes deeper until it counts more sequences than this, or no more than before
PERFT_ENOUGH = 10_000


def short_game(name: str) -> Game:
    return load(name, **SHORT.get(name, {}))


def whole_game(setup: Setup) -> str:
    return "\n".join(playthrough(short_game(setup.name), setup.players, SEED)) + "\n"


@over(TABLES)
def test_a_playthrough_is_the_golden_one(setup: Setup, golden: Callable[[str, str], None]) -> None:
    golden(str(setup), whole_game(setup))


@over(TABLES)
def test_a_playthrough_repeats(setup: Setup) -> None:
    assert whole_game(setup) == whole_game(setup)


def test_perft_counts_are_the_golden_ones(golden: Callable[[str, str], None]) -> None:
    lines = ["# sequences of decisions from the set-up with seed 1, by depth"]
    for setup in TABLES:
        position = setup.new(SEED).position
        lines.append(f"{setup}: " + " ".join(str(count) for count in perft_counts(position.perft)))
    golden("perft", "\n".join(lines) + "\n")


def perft_counts(perft: Callable[[int], int]) -> list[int]:
    counts = [perft(1), perft(2)]
    while counts[-2] < counts[-1] <= PERFT_ENOUGH:
        counts.append(perft(len(counts) + 1))
    return counts


def test_every_game_and_player_count_has_a_golden_playthrough() -> None:
    folder = Path(__file__).with_name("golden")
    for name in NAMES:
        written = {file.stem for file in folder.glob(f"{name}-*p.txt")}
        assert written == {f"{name}-{players}p" for players in game_class(name).seats}


@over(TABLES)
def test_a_golden_game_can_be_played_again_from_its_text(setup: Setup) -> None:
    """The moves of the text, played at a table of the same seed, are legal and end the game."""
    state = short_game(setup.name).new(setup.players, SEED)
    for action in re.findall(r"^  plays \[(\d+)\]", whole_game(setup), re.MULTILINE):
        state.apply(int(action))
    assert state.is_terminal
