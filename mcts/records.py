"""The file of results: a heading with the settings, then a line of JSON per game, appended as games end. A
run that goes on with more blocks appends a heading of its own, which counts from then on.

A run that was killed leaves at worst a torn last line, which the next one cuts off. The order of the lines is
that in which the games ended; tables are made from the set of records, sorted by number, so that neither
order nor time matters.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from . import __version__
from .games import SfumatoError
from .games.errors import shown
from .plan import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FORMAT = 1
#: seconds between two calls that bring what is written onto the disk itself: a lost machine may cost so much
#: play, a killed program none
SYNC = 1.0
#: fields that differ from run to run
TIMES = ("thought", "seconds")
PER_SEAT = ("scores", "ranks", "sims", "thought")
#: how a heading begins, and no record
OPENING = b'{"sfumato":'


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a game was broken off."""

    #: that was at fault, and lost; None: the game itself did not end
    seat: int | None
    #: a short fixed name
    kind: str
    #: for people
    reason: str


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game that was played."""

    number: int
    #: index into the settings' games
    game: int
    block: int
    matchup: int
    #: index into the settings' agents, per seat
    agents: tuple[int, ...]
    #: of the deal
    seed: int
    #: ids, move by move
    actions: tuple[int, ...]
    #: per seat
    scores: tuple[float, ...]
    #: per seat: 1 is best, ties share
    ranks: tuple[int, ...]
    fault: Fault | None
    plies: int
    #: simulations, per seat
    sims: tuple[int, ...]
    #: seconds that each seat took to choose
    thought: tuple[float, ...]
    seconds: float


class Heading(msgspec.Struct, frozen=True):
    """The first line of a file."""

    sfumato: str
    format: int
    #: of the program that played (`sfumato signature`)
    signature: int
    settings: Settings


class Outline(msgspec.Struct, frozen=True):
    """What the heading has in every format."""

    sfumato: str
    format: int


class Results:
    """Where the records of a run go: nowhere."""

    #: what was there when the run began
    records: Sequence[Record] = ()

    def append(self, record: Record) -> None:
        """Keeps one more."""


class ResultsFile(Results):
    """A file of results that this process, and no other, appends to."""

    def __init__(self, handle: int, path: Path, records: list[Record]) -> None:
        self._handle = handle
        self._path = path
        self._synced = time.monotonic()
        self.records = records
        #: whether there is a game in it
        self.used = bool(records)

    def append(self, record: Record) -> None:
        """One game: one line, one write."""
        self.used = True
        write(self._handle, msgspec.json.encode(record) + b"\n", self._path)
        if time.monotonic() - self._synced >= SYNC:
            os.fsync(self._handle)
            self._synced = time.monotonic()


@contextmanager
def opened(path: Path, settings: Settings, signature: int, resume: bool = False) -> Iterator[ResultsFile]:
    """The file for appending: a new one, or with `resume` also one that holds a part of the same games. A new
    one is not left behind by a run that failed before its first game ended."""
    new = not path.exists()
    handle = open_file(path, resume)
    try:
        lock(handle, path)
        if new:
            sync_folder(path)
        results = ResultsFile(handle, path,
                              taken_up(handle, path, Heading(__version__, FORMAT, signature, settings)))
        try:
            yield results
        except BaseException:
            if new and not results.used:
                path.unlink()
            raise
    finally:
        os.fsync(handle)
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Brings the name of a new file onto the disk."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def open_file(path: Path, resume: bool) -> int:
    """A file that is there already is taken only to go on with it."""
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | (0 if resume else os.O_EXCL), 0o666)
    except FileExistsError:
        message = "there is a file of this name; --resume goes on with it, or choose another name"
        raise SfumatoError("bad_file", message, str(path)) from None


def lock(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SfumatoError("bad_file", "another run is writing to this file", str(path)) from None


def taken_up(handle: int, path: Path, heading: Heading) -> list[Record]:
    """What the file holds of these settings' games, after which it ends in a whole line."""
    data, line = path.read_bytes(), msgspec.json.encode(heading) + b"\n"
    if line.startswith(data):  # nothing, or a heading that was torn
        write(handle, line[len(data):], path)
        return []
    found, records, whole = parsed(data, path)
    refuse_other(found, heading, path)
    os.ftruncate(handle, whole)
    if heading.settings.blocks > found.settings.blocks:
        write(handle, line, path)
    return records


def write(handle: int, data: bytes, path: Path) -> None:
    """All of it at once: who reads the file meanwhile finds whole lines."""
    if os.write(handle, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def read(path: Path) -> tuple[Heading, list[Record]]:
    """A file of results: its heading, and its records sorted by number. A torn last line is left out."""
    heading, records, _ = parsed(path.read_bytes(), path)
    return heading, records


def parsed(data: bytes, path: Path) -> tuple[Heading, list[Record], int]:
    """Heading, records sorted by number, and how many bytes of the file are whole lines."""
    first, newline, rest = data.partition(b"\n")
    heading = parse_heading(first, str(path))
    if not newline:
        raise SfumatoError("bad_file", "the first line is torn", str(path))
    lines = rest.split(b"\n")
    torn = lines.pop()
    decoder = msgspec.json.Decoder(Record)
    records: dict[int, Record] = {}
    for index, line in enumerate(lines):
        if line.startswith(OPENING):
            heading = extended(heading, parse_heading(line, f"{path}: line {index + 2}"), path)
            continue
        try:
            record = fitting(decoder.decode(line), heading.settings)
        except (msgspec.MsgspecError, UnicodeDecodeError, SfumatoError) as error:
            if index == len(lines) - 1 and not torn and not isinstance(error, SfumatoError):
                torn = line + b"\n"  # a machine that stopped may leave a last line of the right length only
                break
            raise SfumatoError("bad_file", str(error), f"{path}: line {index + 2}") from None
        if record.number in records:
            message = f"game {record.number} was there before"
            raise SfumatoError("bad_file", message, f"{path}: line {index + 2}")
        records[record.number] = record
    return heading, [records[number] for number in sorted(records)], len(data) - len(torn)


def extended(before: Heading, heading: Heading, path: Path) -> Heading:
    """The heading of a run that went on with another's file."""
    refuse_other(before, heading, path)
    return heading


def parse_heading(line: bytes, place: str) -> Heading:
    """The heading of a file in this format."""
    try:
        outline = msgspec.json.decode(line, type=Outline)
        if outline.format == FORMAT:
            return msgspec.json.decode(line, type=Heading)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        why = f" ({error})" if line.startswith(OPENING) else ""
        message = f"this is not a file of results of `sfumato tournament` or `sfumato match`{why}"
        raise SfumatoError("bad_file", message, place) from None
    message = f"written in format {outline.format} by sfumato {outline.sfumato}; " \
              f"this program reads format {FORMAT}"
    raise SfumatoError("bad_file", message, place)


def fitting(record: Record, settings: Settings) -> Record:
    """The record, if it is of one of these settings' games."""
    if not 0 <= record.number < settings.total:
        raise SfumatoError("bad_file", f"no game of 0 to {settings.total - 1}: {record.number}", "number")
    planned = settings.planned(record.number)
    for name, value in planned._asdict().items():
        if getattr(record, name) != value:
            message = f"expected {value}, got {shown(getattr(record, name))}"
            raise SfumatoError("bad_file", message, name)
    for name in PER_SEAT:
        if len(getattr(record, name)) != len(planned.agents):
            raise SfumatoError("bad_file", f"expected {len(planned.agents)} entries", name)
    refuse_unlikely(record)
    return record


def refuse_unlikely(record: Record) -> None:
    """Refuses a result that contradicts itself. Whether it follows from the moves, `sfumato replay` finds."""
    if record.plies != len(record.actions):
        raise SfumatoError("bad_file", f"expected {len(record.actions)}, got {record.plies}", "plies")
    ranks, fault = record.ranks, record.fault
    if fault is not None:
        expected = tuple(len(ranks) if seat == fault.seat else 1 for seat in range(len(ranks)))
    else:
        expected = tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
    if ranks != expected:
        raise SfumatoError("bad_file", f"expected {expected}, got {ranks}", "ranks")
    seats = list(zip(record.scores, ranks, strict=True))
    if any(score > other and rank > behind for score, rank in seats for other, behind in seats):
        message = f"{ranks} do not fit the scores {record.scores}"
        raise SfumatoError("bad_file", message, "ranks")


def refuse_other(found: Heading, wanted: Heading, path: Path) -> None:
    """Refuses a file of other games, or of the same games played by another program. More blocks of the same
    games are no others."""
    blocks = found.settings.blocks
    if wanted.settings.blocks < blocks:
        message = f"the file is of {blocks:,} blocks, of which there may be more and not fewer: " \
                  f"got {wanted.settings.blocks:,}"
        raise SfumatoError("bad_file", message, str(path))
    differing = difference(msgspec.to_builtins(found.settings),
                           {**msgspec.to_builtins(wanted.settings), "blocks": blocks})
    if differing:
        where, here, there = differing
        message = f"the file is of other settings: {where} is {shown(here)} there, and {shown(there)} here"
        raise SfumatoError("bad_file", message, str(path))
    if found.signature != wanted.signature:
        message = (f"played by sfumato {found.sfumato} of signature {found.signature}; "
                   f"this program has signature {wanted.signature} and may play otherwise")
        raise SfumatoError("bad_file", message, str(path))


def difference(there: Any, here: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """The first place at which two settings differ, and what each has there."""
    if isinstance(there, dict) and isinstance(here, dict) and there.keys() == here.keys():
        parts = [(f"{path}.{key}".lstrip("."), there[key], here[key]) for key in there]
    elif isinstance(there, list | tuple) and isinstance(here, list | tuple) and len(there) == len(here):
        parts = [(f"{path}[{index}]", *both) for index, both in enumerate(zip(there, here, strict=True))]
    else:
        return None if there == here else (path, there, here)
    return next((found for name, one, other in parts if (found := difference(one, other, name))), None)
