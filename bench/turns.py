"""Enigma playouts with noise 1: nanoseconds and instructions per turn.

Instructions are counted by callgrind, as the difference of two runs of this file that differ in the number
of playouts only: so the interpreter's own do not count. Callgrind knows no AVX-512, so they are counted in a
build for this machine without it.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from functools import partial
from tempfile import TemporaryDirectory

import sfumato.games
from sfumato.ext.state import playouts

from .measure import Row, middle, seconds

PLAYERS = 2
COUNT = 20_000
ROUNDS = 15
#: playouts of the two runs under callgrind
FEW, MANY = 1_000, 21_000


def new_game() -> sfumato.games.State:
    return sfumato.games.load("enigma").new(players=PLAYERS, seed=1)


def turns_per_decision(state: sfumato.games.State, sample: int = 1_000) -> float:
    """A turn is one decision, or two where a bonus key is chosen."""
    turns = decisions = 0
    for seed in range(sample):
        end, played = state.position.playout(seed)
        turns += state.game.read_state(end.state_bytes).turns
        decisions += played
    return turns / decisions


def build_for_callgrind(folder: str) -> None:
    """The package as callgrind can run it."""
    flags = "-march=native -mno-avx512f" if platform.machine() == "x86_64" else "-march=native"
    command = [sys.executable, "setup.py", "-q", "build"]
    command += ["--build-base", f"{folder}/base", "--build-lib", folder]
    plain = {name: value for name, value in os.environ.items() if name != "SFUMATO_NATIVE"}
    subprocess.run(command, check=True, env={**plain, "CFLAGS": flags}, capture_output=True)


def instructions(count: int, folder: str) -> int:
    """Instructions of a whole run with so many playouts."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [sys.executable, "-m", "bench.turns", str(count)]
    there = {**os.environ, "PYTHONPATH": folder, "PYTHONHASHSEED": "0"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=there)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found:
        raise RuntimeError(f"callgrind failed:\n{run.stderr}")
    return int(found[1])


def rows() -> list[Row]:
    if "enigma" not in sfumato.games.NAMES:
        return []
    state = new_game()
    share = turns_per_decision(state)
    turns = share * playouts(state.position, 1, COUNT)
    took = middle([seconds(partial(playouts, state.position, 1, COUNT)) for _ in range(ROUNDS)])
    figure = f"{took / turns * 1e9:.1f} ns ({turns / COUNT:.0f} turns, {COUNT / took / 1e6:.2f}M playouts/s)"
    time = Row(f"`enigma` noise-1 playout, {PLAYERS} players: time per turn", figure)
    work = "the same: instructions per turn (callgrind)"
    if not shutil.which("valgrind"):
        return [time, Row(work, "not measured: valgrind is missing")]
    more = share * (playouts(state.position, 1, MANY) - playouts(state.position, 1, FEW))
    with TemporaryDirectory() as folder:
        build_for_callgrind(folder)
        return [time, Row(work, f"{(instructions(MANY, folder) - instructions(FEW, folder)) / more:.0f}")]


if __name__ == "__main__":
    playouts(new_game().position, 1, int(sys.argv[1]))
