"""What an engine grants to a stranger: one struct of bounds, shown by `hello` and set by flags of `serve`."""

from __future__ import annotations

import os
from math import isfinite
from typing import Annotated, Any

from msgspec import Meta, Struct

from .games.errors import SfumatoError, short, writable

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Bounds(Struct, frozen=True, kw_only=True):
    """The bounds in force. What lies beyond one is refused with `too_large`, a full queue with `busy`; where
    there is room for no more games, the one that was not used for longest is closed."""

    message_bytes: Annotated[int, Meta(ge=1024, le=1 << 28, description="bytes of a message")] = 1 << 20
    depth: Annotated[int, Meta(ge=4, le=200, description="maps and lists inside one another")] = 24
    text: Annotated[int, Meta(ge=64, le=1 << 24, description="characters of a text, bytes of a blob")] = 65536
    items: Annotated[int, Meta(ge=64, le=1 << 16, description="entries of a list or a map")] = 4096
    games: Annotated[
        int, Meta(ge=1, le=100_000, description="games held at once; one more closes the one longest unused")
    ] = 1000
    undo: Annotated[int, Meta(ge=0, le=100_000, description="moves that a game can take back")] = 200
    queue: Annotated[int, Meta(ge=1, le=100_000, description="requests that wait or are worked on")] = 256
    workers: Annotated[int, Meta(ge=1, le=256, description="threads that search, in all")] = CORES
    threads: Annotated[int, Meta(ge=1, le=256, description="threads of one search")] = CORES
    ms: Annotated[int, Meta(ge=1, le=86_400_000, description="milliseconds of one search")] = 60_000
    nodes: Annotated[
        int, Meta(ge=1, le=10**10, description="`limits.nodes` of one search; `memory` bounds them anyway")
    ] = 20_000_000
    memory: Annotated[int, Meta(ge=1, le=10**6, description="megabytes for the nodes of one search")] = 512
    worlds: Annotated[int, Meta(ge=5, le=1000, description="sampled worlds of one reply")] = 100
    output_bytes: Annotated[
        int, Meta(ge=1024, le=1 << 30, description="bytes of replies that nobody has read, before the engine "
                  "stops reading requests")
    ] = 1 << 22


def check_plain(params: dict[str, Any], bounds: Bounds) -> None:
    """Refuses what no parameters can be made of, and what is too long or too deep. Without recursion: nothing
    that comes in may use up the stack."""
    refuse(wrong_in(params, bounds), None, "")
    left: list[tuple[dict[str, Any] | list[Any], int, Place | None]] = [(params, 1, None)]
    while left:
        outer, depth, place = left.pop()
        if depth > bounds.depth:
            message = f"more than {bounds.depth} maps and lists inside one another"
            raise SfumatoError("too_large", message)
        if isinstance(outer, dict):
            for name in outer:
                refuse(wrong_in(name if isinstance(name, str) else object(), bounds), place, "")
        for at, each in outer.items() if isinstance(outer, dict) else enumerate(outer):
            if isinstance(each, dict | list) and len(each) <= bounds.items:
                left.append((each, depth + 1, (place, at)))
            else:
                refuse(wrong_in(each, bounds), place, at)


#: the map or list that something is in, and its name or number there; written out only where it is wrong
Place = tuple["Place | None", str | int]


def wrong_in(found: object, bounds: Bounds) -> tuple[str, str] | None:
    """The code and message of what is wrong with a value, whatever is inside of it."""
    if isinstance(found, str | bytes):
        if len(found) > bounds.text:
            return "too_large", f"longer than {bounds.text}: {len(found)}"
        if isinstance(found, str) and not writable_as_it_is(found):
            return "bad_params", "this is no text in UTF-8"
    elif isinstance(found, dict | list):
        if len(found) > bounds.items:
            return "too_large", f"more than {bounds.items} entries: {len(found)}"
    elif isinstance(found, int):  # true and false too
        if not -(1 << 63) <= found < 1 << 64:
            return "bad_params", "a number of more than 64 bits"
    elif isinstance(found, float):
        if not isfinite(found):
            return "bad_params", "a number that is not finite"
    elif found is not None:
        return "bad_params", "expected maps with texts as names, lists, texts and numbers"
    return None


def refuse(wrong: tuple[str, str] | None, place: Place | None, name: str | int) -> None:
    """Raises what is wrong, if anything, with the place written out."""
    if wrong is None:
        return
    parts = []
    inner: Place | None = (place, name)
    while inner is not None:
        inner, part = inner
        parts.append(f"[{part}]" if isinstance(part, int) else f".{short(writable(part))}" if part else "")
    raise SfumatoError(*wrong, "".join(reversed(parts)).removeprefix("."))


def writable_as_it_is(text: str) -> bool:
    return text.isascii() or writable(text) == text
