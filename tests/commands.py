"""Runs commands of the program in this process, as a shell would."""

from __future__ import annotations

import inspect

from click.testing import CliRunner, Result
from sfumato.cli import cli

#: Before 8.2 click mixes the two outputs unless it is told not to; since then it never does.
APART = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


def run(*args: str, typed: str = "", **extra: object) -> Result:
    """A command, in a terminal of 80 columns, with what a person types."""
    runner = CliRunner(env={"COLUMNS": "80"}, **APART)
    return runner.invoke(cli, args, input=typed, prog_name="sfumato", **extra)
