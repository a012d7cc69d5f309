"""Writes PROTOCOL.md from the definition of the protocol and from conversations that are really held.

`make golden` writes it anew; a test fails when the page and the definition differ.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from sfumato.bounds import Bounds
from sfumato.engine import Engine
from sfumato.methods import COMMON, ERRORS, LEVEL, METHODS, NOTIFICATIONS, Error, Reply, schema_of

PAGE = Path(__file__).parents[1] / "PROTOCOL.md"
#: lines of an answer that the page shows
MOST_LINES = 24

OPENING = Path(__file__).with_name("protocol_opening.md")

#: For each method: what is asked before, unseen, and then what the page shows.
DEAL = {"game": "leduc_poker", "seed": 7, "seen": ["hand 0 K", "hand 1 J"]}
EXAMPLES: dict[str, tuple[list[tuple[str, dict[str, Any]]], dict[str, Any]]] = {
    "hello": ([], {"protocol": 1}),
    "games": ([], {}),
    "schema": ([], {"game": "leduc_poker"}),
    "new_game": ([], {"game": "leduc_poker", "private": True}),
    "legal_moves": ([("new_game", DEAL)], {"game": "g1"}),
    "observe": ([("new_game", DEAL)], {"game": "g1", "seat": 0}),
    "render": ([("new_game", DEAL)], {"game": "g1", "seat": 1}),
    "apply": ([("new_game", DEAL), ("apply", {"game": "g1", "action": "raise"})],
              {"game": "g1", "action": "call", "views": [0]}),
    "undo": ([("new_game", DEAL), ("apply", {"game": "g1", "action": "raise"})], {"game": "g1"}),
    "save_game": ([("new_game", DEAL)], {"game": "g1"}),
    "load_game": ([("new_game", DEAL)], {"blob": "save_game"}),
    "close_game": ([("new_game", DEAL)], {"game": "g1"}),
    "follow": ([("new_game", DEAL)], {"observation": "observe", "action": "raise", "seen": []}),
    "best_move": ([("new_game", DEAL)], {"game": "g1", "limits": {"sims": 1000, "ms": 500}, "top": 1}),
    "analyze": ([("new_game", DEAL)], {"game": "g1", "agent": "ismcts:variant=mo", "limits": {"sims": 1000},
                                       "include": ["belief", "worlds"], "worlds": 2}),
    "cancel": ([], {"id": 12}),
    "ping": ([], {}),
    "shutdown": ([], {}),
}


class Talk:
    """An engine whose clock stands still, and whose tokens can be foretold."""

    def __init__(self) -> None:
        tokens = itertools.count(1)
        self.engine = Engine(self, Bounds(workers=2, threads=2), clock=lambda: 0.0,
                             secret=lambda: f"{next(tokens):032x}")
        self.answers: dict[int, Any] = {}
        self.came = threading.Condition()

    def answer(self, id: int, error: Error | None, result: Reply | None) -> None:  # noqa: A002
        with self.came:
            said = {"id": id, "result": result} if error is None else {"id": id, "error": error}
            self.answers[id] = msgspec.json.decode(msgspec.json.encode(said))
            self.came.notify_all()

    def notify(self, method: str, params: msgspec.Struct, key: object = None) -> None:
        """The examples ask for no reports."""

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = len(self.answers) + 1
        self.engine.ask(number, method, params)
        with self.came:
            self.came.wait_for(lambda: number in self.answers)
        found: dict[str, Any] = self.answers[number]
        return found


def example(method: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A request and its answer, as they were really said."""
    before, params = EXAMPLES[method]
    talk = Talk()
    for earlier in before:
        assert "result" in talk.ask(*earlier)
    if "blob" in params:
        params = {"blob": talk.ask("save_game", {"game": "g1"})["result"]["blob"]}
    if "observation" in params:
        known = talk.ask("observe", {"game": "g1", "seat": 0})["result"]["observation"]
        params = {**params, "observation": known}
    request = {"id": len(talk.answers) + 1, "method": method, "params": params}
    answer = talk.ask(method, params)
    assert "result" in answer, answer
    return request, answer


def written(value: Any) -> str:
    """JSON for people: short things on a line; what is too long is cut."""
    lines = list(layout(value, ""))
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], "..."]
    return "\n".join(line if len(line) <= 118 else line[:115] + "..." for line in lines)


def layout(value: Any, indent: str, name: str = "", end: str = "") -> Iterator[str]:
    head = f'{indent}"{name}": ' if name else indent
    flat = json.dumps(value, ensure_ascii=False)
    if len(head) + len(flat) <= 100 or not isinstance(value, dict | list) or not value:
        yield head + flat + end
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield head + opening
    parts = list(value.items()) if isinstance(value, dict) else [("", each) for each in value]
    for number, (key, each) in enumerate(parts):
        yield from layout(each, indent + "  ", key, "," if number + 1 < len(parts) else "")
    yield indent + closing + end


# --- tables of fields -----------------------------------------------------------------------------------


def type_words(field: dict[str, Any]) -> str:
    """A field's type, for people."""
    if "$ref" in field:
        return field["$ref"].rpartition("/")[2]
    if "anyOf" in field:
        return " or ".join(type_words(each) for each in field["anyOf"])
    if "enum" in field:
        return " or ".join(f"`{each}`" for each in field["enum"])
    kind = field.get("type", "any")
    words = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false",
             "null": "null", "object": "map", "array": "list"}.get(kind, kind)
    if kind == "string" and field.get("contentEncoding"):
        words = "bytes"
    if kind == "array" and field.get("items"):
        words = f"list of {type_words(field['items'])}"
    low, high = field.get("minimum"), field.get("maximum")
    if low is not None or high is not None:
        words += f" {low:,} to {high:,}" if high is not None else f" from {low:,}"
    return words


def table(schema: dict[str, Any], defaults: bool) -> Iterator[str]:
    """The fields of a struct as a table."""
    yield "| field | type | default | |" if defaults else "| field | type | |"
    yield "|---|---|---|---|" if defaults else "|---|---|---|"
    required = schema.get("required", [])
    for name, field in schema["properties"].items():
        default = "required" if name in required else f"`{json.dumps(field.get('default', {}))}`"
        said = field.get("description", "")
        cells = [f"`{name}`", type_words(field), *([default] if defaults else []), said]
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def parts(schema: dict[str, Any], told: set[str], defaults: bool) -> Iterator[str]:
    """The structs inside of a struct, each once on the page."""
    for name, inner in schema.get("$defs", {}).items():
        if name not in told and inner.get("properties"):
            told.add(name)
            yield f"\n{name}: {inner.get('description', '')}\n"
            yield from table(inner, defaults)


def page() -> str:
    """The whole page."""
    told: set[str] = set()
    opening = OPENING.read_text("utf-8").replace("LEVEL", str(LEVEL))
    lines = [opening, "## Methods\n", "| method | | who |", "|---|---|---|"]
    lines += [f"| [`{name}`](#{name}) | {each.description} | {each.role} |" for name, each in METHODS.items()]
    for each in METHODS.values():
        params, result = schema_of(each.params), schema_of(each.result)
        lines += [f"\n### {each.name}\n", f"{each.description} Since level {each.since}; {each.role}.\n"]
        if params["properties"]:
            lines += ["Parameters:\n", *table(params, defaults=True), *parts(params, told, defaults=True), ""]
        lines += ["Result:\n", *table(result, defaults=False), *parts(result, told, defaults=False), ""]
        if each.errors:
            codes = ", ".join(f"`{code}`" for code in each.errors)
            lines += [f"Errors: {codes}, and those of every method.\n"]
        request, answer = example(each.name)
        lines += ["```json", written(request), written(answer), "```"]
    lines += ["\n## Notifications\n"]
    for name, (kind, text) in NOTIFICATIONS.items():
        lines += [f"`{name}`: {text}\n", *table(schema_of(kind), defaults=False), ""]
    common = ", ".join(f"`{code}`" for code in COMMON)
    lines += ["## Errors\n", "An error is a map of `code`, `message` and `path`.",
              f"Every method has {common}.\n", "| code | means |", "|---|---|"]
    lines += [f"| `{code}` | {text} |" for code, text in ERRORS.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
