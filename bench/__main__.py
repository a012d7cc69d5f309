"""`python -m bench [PART ...]`: measures all parts, or those named, and prints their table."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib import import_module

from .measure import one_core

PARTS = ("playouts", "turns", "paces", "deals", "sizes", "imports", "searches", "growth", "threads",
         "variants", "stops", "answers", "hello", "roundtrips", "overhead", "held", "cancels",
         "arena")


def machine() -> str:
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=False).stdout
    return (f"{platform.machine()}, {os.cpu_count()} cores "
            "(one used but by `threads`, `stops`, `cancels`, `arena`), "
            f"Python {platform.python_version()}, "
            f"{compiler.splitlines()[0] if compiler else 'no gcc'}, flags of setup.py")


def main(wanted: list[str]) -> int:
    for part in wanted:
        if part not in PARTS:
            print(f"unknown part {part!r}; known: {', '.join(PARTS)}", file=sys.stderr)
            return 2
    print(machine(), "\n\n| work | must reach | reached |\n|---|---|---|", sep="", flush=True)
    one_core()
    for part in wanted or PARTS:
        for row in import_module(f".{part}", __package__).rows():
            note = "" if row.reached else " **missed**"
            print(f"| {row.work} | {row.must} | {row.figure}{note} |", flush=True)
    return 0


sys.exit(main(sys.argv[1:]))
