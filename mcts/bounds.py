"""What an engine grants to a stranger: one struct of bounds, shown by `hello` and set by flags of `serve`."""

from __future__ import annotations

import os
from typing import Annotated, Any

from msgspec import Meta, Struct

from .games.errors import SfumatoError, short, writable

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Bounds(Struct, frozen=True, kw_only=True):
    """The bounds in force. What lies beyond one is refused with `too_large` or `busy`."""

    message_bytes: Annotated[int, Meta(ge=1024, le=1 << 28, description="bytes of a message")] = 1 << 20
    depth: Annotated[int, Meta(ge=4, le=200, description="maps and lists inside one another")] = 24
    text: Annotated[int, Meta(ge=64, le=1 << 24, description="characters of a text, bytes of a blob")] = 65536
    items: Annotated[int, Meta(ge=64, le=1 << 16, description="entries of a list or a map")] = 4096
    games: Annotated[int, Meta(ge=1, le=100_000, description="games held at once")] = 1000
    undo: Annotated[int, Meta(ge=0, le=100_000, description="moves that a game can take back")] = 200
    queue: Annotated[int, Meta(ge=1, le=100_000, description="requests that wait or are worked on")] = 256
    workers: Annotated[int, Meta(ge=1, le=256, description="threads that search, in all")] = CORES
    threads: Annotated[int, Meta(ge=1, le=256, description="threads of one search")] = CORES
    ms: Annotated[int, Meta(ge=1, le=86_400_000, description="milliseconds of one search")] = 60_000
    nodes: Annotated[int, Meta(ge=1, le=10**10, description="nodes of one search")] = 20_000_000
    memory: Annotated[int, Meta(ge=1, le=10**6, description="megabytes for the nodes of one search")] = 512
    worlds: Annotated[int, Meta(ge=5, le=1000, description="sampled worlds of one reply")] = 100
    output_bytes: Annotated[
        int, Meta(ge=1024, le=1 << 30, description="bytes of replies that nobody has read, before the engine "
                  "stops reading requests")
    ] = 1 << 22


def check_plain(value: object, bounds: Bounds) -> None:
    """Refuses what no parameters can be made of, and what is too long or too deep. Without recursion: nothing
    that comes in may use up the stack."""
    left: list[tuple[object, int, str]] = [(value, 1, "")]
    while left:
        found, depth, path = left.pop()
        if isinstance(found, str | bytes):
            if len(found) > bounds.text:
                raise SfumatoError("too_large", f"longer than {bounds.text}: {len(found)}", path)
            if isinstance(found, str) and not writable_as_it_is(found):
                raise SfumatoError("bad_params", "this is no text in UTF-8", path)
        elif isinstance(found, dict | list):
            if depth > bounds.depth:
                raise SfumatoError("too_large", f"more than {bounds.depth} maps and lists inside one another")
            if len(found) > bounds.items:
                raise SfumatoError("too_large", f"more than {bounds.items} entries: {len(found)}", path)
            left += inside(found, depth + 1, path)
        elif isinstance(found, int):  # true and false too
            if not -(1 << 63) <= found < 1 << 64:
                raise SfumatoError("bad_params", "a number of more than 64 bits", path)
        elif not isinstance(found, float | None):
            message = "expected maps with texts as names, lists, texts and numbers"
            raise SfumatoError("bad_params", message, path)


def inside(found: dict[Any, Any] | list[Any], depth: int, path: str) -> list[tuple[object, int, str]]:
    """The entries of a map or list with their depth and place; the names of a map are looked at too."""
    if isinstance(found, list):
        return [(each, depth, f"{path}[{index}]") for index, each in enumerate(found)]
    dot = "." if path else ""
    parts = [(each, depth, f"{path}{dot}{short(writable(str(name)))}") for name, each in found.items()]
    return parts + [(name if isinstance(name, str) else object(), depth, path) for name in found]


def writable_as_it_is(text: str) -> bool:
    return text.isascii() or writable(text) == text
