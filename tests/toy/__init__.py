"""Builds the toy core, and games for it out of nested tuples.

A game is written as it is played: `decide(seat, ...)`, `secretly(seat, ...)`, `draw((weight, then), ...)`,
`wins(...)`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import sfumato
from sfumato.games.state import State

HERE = Path(__file__).parent
BUILD = HERE.parent.parent / "build" / "toy"
EVERYBODY = 100
SETUP = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup
source, folder, include = sys.argv[1:4]
sys.argv[1:] = ["-q", "build_ext", "--build-lib", folder, "--build-temp", folder + "/temp"]
flags = ["-O2", "-ffp-contract=off"]
setup(name="toy_core", py_modules=[], ext_modules=cythonize(
    [Extension("toy_core", [source], extra_compile_args=flags)], include_path=[include], build_dir=folder,
    compiler_directives={"language_level": 3, "cdivision": True}, quiet=True))
"""


@cache
def core() -> ModuleType:
    """The compiled core; it is built anew when its source, or the contract, has changed."""
    package = Path(sfumato.__file__).parent
    sources = [HERE / "toy_core.pyx", *sorted((package / "ext").glob("*.px[di]"))]
    digest = hashlib.blake2b(b"".join(source.read_bytes() for source in sources), digest_size=8).hexdigest()
    folder = BUILD / f"{digest}-{sys.version_info[0]}{sys.version_info[1]}"
    if not list(folder.glob("toy_core*.so")):
        command = [sys.executable, "-c", SETUP, str(HERE / "toy_core.pyx"), str(folder), str(package.parent)]
        subprocess.run(command, check=True, cwd=HERE.parent)
    spec = importlib.util.spec_from_file_location("toy_core", next(folder.glob("toy_core*.so")))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ToyGame:
    """What a search asks of a game."""

    name = "toy"
    search: dict[str, object] = {}

    def words(self, action: int) -> str:
        return f"move {action}" if action < 8 else "move ?"


def decide(seat: int, *then: tuple) -> tuple:
    return ("decide", seat, False, then)


def secretly(seat: int, *then: tuple) -> tuple:
    """The others see that the seat has chosen, and not what."""
    return ("decide", seat, True, then)


def draw(*then: tuple[int, tuple], shown: bool = True) -> tuple:
    """(weight, what follows), ..."""
    return ("draw", shown, then)


def wins(*by_world: int) -> tuple:
    """The winner in each world; one number: in all of them."""
    return ("wins", by_world)


def draws(count: int, then: tuple) -> tuple:
    """One of eight drawn for all to see, so many times: 8 ** count ways to the same place."""
    for _ in range(count):
        then = draw(*[(1, then)] * 8)
    return then


def chance_of(percent: int, seat: int = 0, other: int = 1) -> tuple:
    """The seat wins with this chance, else the other."""
    return draw((percent, wins(seat)), (100 - percent, wins(other)))


def position(tree: tuple, players: int = 2, views: list[list[int]] | None = None, world: int = 0) -> State:
    """The first position of a game. `views`: per seat, per world, the lowest world that looks the same."""
    worlds = len(views[0]) if views else 1
    rules = np.zeros((), np.dtype(core().RULES))
    rules["players"], rules["worlds"] = players, worlds
    for seat in range(players):
        rules["view"][seat][:worlds] = views[seat] if views else [0]
    nodes: list[int] = []
    write(rules, nodes, tree, [()] * players, {}, worlds)
    rules["nodes"] = len(nodes)
    table = core().table(rules.tobytes())
    state = np.zeros((), np.dtype(core().STATE))
    state["world"], state["to_move"] = world, rules["node"][0]["mover"]
    return State(ToyGame(), table.read(state.tobytes()))  # type: ignore[arg-type]


def write(rules, nodes, tree, known, first, worlds) -> int:
    """Writes a node and all below it; `known` is what each seat has seen on the way. Equal children of a draw
    are one node: nobody has more to decide there for having come another way."""
    number = len(nodes)
    nodes.append(number)
    node = rules["node"][number]
    for seat, seen in enumerate(known):
        node["same"][seat] = first.setdefault((seat, seen, tree[0]), number)
    if tree[0] == "wins":
        node["mover"] = -1
        node["winner"][:worlds] = tree[1] * (worlds if len(tree[1]) == 1 else 1)
        for seat in range(len(known)):
            node["same"][seat] = number
        return number
    branches = tree[-1] if tree[0] == "decide" else [then for _, then in tree[2]]
    node["n"] = len(branches)
    if tree[0] == "decide":
        node["mover"], node["secret"] = tree[1], tree[2]
    else:
        node["mover"], node["shown"] = -2, tree[1]
        node["weight"][: len(branches)] = [weight for weight, _ in tree[2]]
    for index, branch in enumerate(branches):
        after = [
            (*seen, "?" if (tree[0] == "decide" and tree[2] and tree[1] != seat)
             or (tree[0] == "draw" and not tree[1]) else index)
            for seat, seen in enumerate(known)
        ]
        twin = next((k for k in range(index) if tree[0] == "draw" and branches[k] is branch), None)
        child = rules["node"][number]["child"][twin] if twin is not None else (
            write(rules, nodes, branch, after, first, worlds))
        rules["node"][number]["child"][index] = child
    return number
