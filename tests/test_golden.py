"""Golden files: one whole game in words per game and player count, and perft counts.

`make golden` writes them anew; the diff is then read by a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.agents import WRITTEN
from sfumato.games import NAMES, game_class, load
from sfumato.games.option import Value
from sfumato.playthrough import playthrough
from walks import TABLES, Setup, over

SEED = 1
#: perft goes deeper until it counts more sequences than this, or no more than before
PERFT_ENOUGH = 1_000_000


@dataclass(frozen=True)
class Chosen:
    """How a golden game is played: short enough to be read, and with much to read about."""

    seed: int = SEED
    agents: tuple[str, ...] = WRITTEN
    options: dict[str, Value] = field(default_factory=dict)


CHOSEN = {
    # a bonus key is taken, and seven keys win, in 15 decisions
    "enigma-2p": Chosen(seed=541),
    # a bonus key is declined, and the cap ends the game
    "enigma-3p": Chosen(seed=2279, agents=("random",), options={"max_rounds": 9}),
    # two keys in one turn, a bonus key, the discard pile becomes the deck, seven keys win
    "enigma-4p": Chosen(seed=390),
    "oh_hell-3p": Chosen(options={"tricks": 4}),
    # every kind of decision, a reshuffle, a card turned over for Leonardo; the last painting ends the game
    "davinci-2p": Chosen(seed=17),
    # the cap ends these; every action, paintings completed, cards turned over with 3 and 4 players
    "davinci-3p": Chosen(seed=244, options={"round_cap": 5}),
    "davinci-4p": Chosen(seed=270, agents=("random", "greedy"), options={"round_cap": 4}),
    "davinci-5p": Chosen(seed=1005, agents=("random",), options={"round_cap": 3}),
    # every kind of decision; powers that place, roll again and swap; the third masterpiece ends the game
    "painters_studio-2p": Chosen(seed=553, agents=("greedy",)),
    # the cap ends these; powers that buy, gain, place, swap; that gain and turn a die
    "painters_studio-3p": Chosen(seed=1105, agents=("random",), options={"max_rounds": 4}),
    "painters_studio-4p": Chosen(seed=505, options={"max_rounds": 3}),
}


def chosen(setup: Setup) -> Chosen:
    return CHOSEN.get(str(setup), Chosen())


def whole_game(setup: Setup) -> str:
    how = chosen(setup)
    game = load(setup.name, **how.options)
    return "\n".join(playthrough(game, setup.players, how.seed, how.agents)) + "\n"


@over(TABLES)
def test_a_playthrough_is_the_golden_one(setup: Setup, golden: Callable[[str, str], None]) -> None:
    golden(str(setup), whole_game(setup))


@over(TABLES)
def test_a_playthrough_repeats(setup: Setup) -> None:
    assert whole_game(setup) == whole_game(setup)


def test_the_golden_games_of_enigma_show_what_seldom_happens() -> None:
    two, three, four = (whole_game(Setup("enigma", players)) for players in (2, 3, 4))
    for game in (two, four):
        assert re.search(r"plays \[\d+\] take_key", game)
        assert 'result.reason: "keys"' in game
    assert re.search(r"plays \[\d+\] decline", three)
    assert 'result.reason: "cap"' in three
    assert "shuffle: 1" in four


def test_perft_counts_are_the_golden_ones(golden: Callable[[str, str], None]) -> None:
    lines = [f"# sequences of decisions from the set-up with seed {SEED}, by depth"]
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
    how = chosen(setup)
    state = load(setup.name, **how.options).new(setup.players, how.seed)
    for action in re.findall(r"^  plays \[(\d+)\]", whole_game(setup), re.MULTILINE):
        state.apply(int(action))
    assert state.is_terminal
