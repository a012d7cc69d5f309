"""Where the search spends its time: `python -m bench.profile` prints a table of shares by part.

It needs Linux's `perf`. The package is built once more with debug information and frame pointers; then each
work runs under `perf record` by the processor's clock, and every sample inside the search belongs to the
outermost part on its stack, inlined functions included.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato.games

from .trees import grow

#: game, set-up in words, simulations, trees; exploration and weight of points as in the other parts
WORKS = (
    ("enigma", "", 10_000, 100, 0.7, 0.0),
    ("enigma", "", 1_000_000, 1, 0.7, 0.0),
    ("davinci", "", 10_000, 30, 0.7, 0.0),
    ("omnia", "", 10_000, 50, 0.7, 0.0),
    ("oh_hell", "tricks 5", 10_000, 500, 15 / 27, 1.0),
    ("oh_hell", "tricks 17", 10_000, 200, 15 / 27, 1.0),
    ("leduc_poker", "hand 0 Q", 10_000, 2_000, 18.2 / 26, 1.0),
    ("connect_four", "", 10_000, 1_000, 1.0, 0.0),
)
#: the game's functions, called through its table; then those of the tree, by their names
CORE = {"deal": "dealing", "playout": "playout", "legal": "legal", "apply": "apply", "label": "legal",
        "outcome": "payoff", "seen": "keys"}
TREE = {
    "begin": "dealing",
    "choose": "selection", "find": "selection", "best_of": "selection", "best_of_all": "selection",
    "any_of_label": "selection",
    "step": "apply",
    "outcome_key": "keys",
    "add": "memory", "enlarge": "memory", "descend": "memory",
    "judge": "payoff",
    "teach": "teaching", "note": "teaching",
}
OURS = "__pyx_f_7sfumato_3ext_"
TREE_NAMES = OURS + "4tree_"
PARTS = ("dealing", "legal", "apply", "keys", "selection", "memory", "playout", "payoff", "teaching", "rest")


def build(folder: str) -> None:
    """The package with names and stacks that perf can read; else as `make build` has it."""
    command = [sys.executable, "setup.py", "-q", "build"]
    command += ["--build-base", f"{folder}/base", "--build-lib", folder]
    # Without its own frame a function would hide its caller's.
    frames = "-g -fno-omit-frame-pointer -fno-shrink-wrap -fno-optimize-sibling-calls"
    flags = {"CFLAGS": frames, "SFUMATO_NATIVE": "1"}
    subprocess.run(command, check=True, env={**os.environ, **flags}, capture_output=True)


def part_of(stack: list[str]) -> str | None:
    """The part that a sample belongs to, its frames outermost first; None: it is not of the search."""
    part = "rest" if any(frame.endswith("Tree_5run") for frame in stack) else None
    for frame in stack:
        if part and frame.startswith(OURS):
            module, function = named(frame)
            if module == "tree":
                part = TREE.get(function, part)
            elif function in CORE:
                return CORE[function]
    return part


def named(frame: str) -> tuple[str, str]:
    """Module and function of Cython's name: __pyx_f_7sfumato_3ext_4tree_choose."""
    rest = frame.removeprefix(OURS)
    length = len(rest) - len(rest.lstrip("0123456789"))
    end = length + int(rest[:length])
    return rest[length:end], rest[end + 1:]


def stacks(script: str, folder: str) -> list[list[str]]:
    """The samples of `perf script -F ip,sym`: a frame per line, innermost first, empty lines between; here
    outermost first. A function that the compiler has changed has a suffix: find.isra.0."""
    samples = [[line.split(maxsplit=1) for line in reversed(sample.strip().splitlines())]
               for sample in script.split("\n\n") if sample.strip()]
    places = {place for sample in samples for place, name in sample if name.startswith(TREE_NAMES)}
    inlined = inlined_at(places, folder)
    return [[name for place, symbol in sample for name in inlined.get(place, [symbol.partition(".")[0]])]
            for sample in samples]


def inlined_at(places: set[str], folder: str) -> dict[str, list[str]]:
    """The functions that the compiler has put together at a place of the tree's module, outermost first."""
    module = next(Path(folder, "sfumato/ext").glob("tree.*.so"))
    ordered = sorted(places)
    command = ["addr2line", "-a", "-f", "-i", "-e", str(module), *ordered]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found: dict[int, list[str]] = {}
    for line in lines:
        if line.startswith("0x"):
            found[int(line, 16)] = names = []
        elif line.startswith("__pyx_f_"):
            names.insert(0, line)
    return {place: found[int(place, 16)] for place in ordered if found[int(place, 16)]}


def measured(number: int, folder: str) -> Counter[str]:
    data = f"{folder}/perf.data"
    there = {**os.environ, "PYTHONPATH": folder}
    record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-g", "-o", data]
    subprocess.run([*record, sys.executable, "-m", "bench.profile", str(number)], check=True, env=there)
    script = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym"], check=True, capture_output=True)
    found = (part_of(stack) for stack in stacks(script.stdout.decode(), folder))
    return Counter(part for part in found if part)


def work(number: int) -> None:
    name, words, sims, times, c, score = WORKS[number]
    state = sfumato.games.load(name).new(seed=1, seen=[words] if words else [])
    grow(state.position, sims, times, c=c, score=score)


def main() -> None:
    print("| work |", " | ".join(PARTS), "| samples |\n|---|" + "--:|" * (len(PARTS) + 1))
    with TemporaryDirectory() as folder:
        build(folder)
        for number, (name, words, sims, *_) in enumerate(WORKS):
            counts = measured(number, folder)
            total = counts.total()
            shares = " | ".join(f"{100 * counts[part] / total:.0f}%" for part in PARTS)
            what = f"`{name}`{words and ', ' + words}, {sims:,} simulations"
            print(f"| {what} | {shares} | {total:,} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work(int(sys.argv[1]))
    else:
        main()
