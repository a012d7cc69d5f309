"""Messages as bytes: MessagePack-RPC as its specification has it, and the same as JSON lines.

MessagePack-RPC: `[0, id, method, [params]]` asks, `[1, id, error, result]` answers, `[2, method, [params]]`
tells; the array of parameters holds one map, or nothing. JSON: one object per line, `{"id", "method",
"params"}` asks, `{"id", "result"}` or `{"id", "error"}` answers, and without an id it tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgpack  # type: ignore[import-untyped]
import msgspec

from .games import SfumatoError
from .games.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from msgspec import Struct

    from .bounds import Bounds
    from .methods import Error, Reply

MOST_ID = (1 << 32) - 1
#: times as many entries of a list or map are read as are allowed
READ = 8
#: bytes read at a time
CHUNK = 1 << 16


@dataclass(frozen=True)
class Message:
    """A request, or with id None a notification."""

    id: int | None
    method: str
    params: Any


@dataclass(frozen=True)
class Wrong:
    """Something that is neither; `id` says whom to tell, if anybody."""

    id: int | None
    message: str
    path: str = ""


class Broken(Exception):  # noqa: N818
    """The stream cannot be read on."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Wire(Protocol):
    """One way to write messages."""

    def feed(self, data: bytes) -> Iterator[Message | Wrong]:
        """The messages that the next bytes complete. Raises `Broken`."""

    def end(self) -> Iterator[Message | Wrong]:
        """What is left when no more bytes come. Raises `Broken`."""

    def answer(self, id: int, error: Error | None, result: Reply | None) -> bytes:  # noqa: A002
        """An answer in bytes."""

    def notification(self, method: str, params: Struct) -> bytes:
        """A notification in bytes."""


def is_id(value: object) -> bool:
    return type(value) is int and 0 <= value <= MOST_ID


class NoMap:
    """Stands for a map with a name that is no text, which no parameter has."""

    def __repr__(self) -> str:
        return "a map with a name that is no text"


def a_map(pairs: list[tuple[Any, Any]]) -> object:
    """A map, if all its names are texts."""
    return dict(pairs) if all(type(name) is str for name, _ in pairs) else NoMap()


class MessagePack:
    """MessagePack-RPC. The unpacker holds no more than one message and one chunk."""

    def __init__(self, bounds: Bounds) -> None:
        self.most = bounds.message_bytes
        self._fed = 0
        self._read = 0
        # What is a little too long is read and refused; room for more is not even made.
        many = READ * bounds.items
        # Wrong bytes in a text, and odd names in a map, are the fault of one request and not of the stream.
        self._unpacker = msgpack.Unpacker(
            raw=False, unicode_errors="surrogateescape", strict_map_key=False, object_pairs_hook=a_map,
            max_buffer_size=self.most + CHUNK, max_array_len=many, max_map_len=many,
            max_str_len=self.most, max_bin_len=self.most, max_ext_len=self.most,
        )

    def feed(self, data: bytes) -> Iterator[Message | Wrong]:
        for start in range(0, len(data), CHUNK):
            part = data[start:start + CHUNK]
            self._fed += len(part)
            self._unpacker.feed(part)
            yield from self._complete()
            if self._fed - self._read > self.most:
                raise self._too_long()

    def _complete(self) -> Iterator[Message | Wrong]:
        while True:
            try:
                value = self._unpacker.unpack()
            except msgpack.OutOfData:
                return
            except (ValueError, msgpack.UnpackException, TypeError, OverflowError, RecursionError) as error:
                what = str(error) or type(error).__name__
                if "exceeds max" in what:
                    raise Broken("too_large", f"a list, map or text is too long: {what}") from None
                raise Broken("bad_request", f"these bytes are no MessagePack message: {what}") from None
            if self._unpacker.tell() - self._read > self.most:
                raise self._too_long()
            self._read = self._unpacker.tell()
            yield read_array(value)

    def _too_long(self) -> Broken:
        return Broken("too_large", f"a message of more than {self.most} bytes")

    def end(self) -> Iterator[Message | Wrong]:
        if self._fed != self._read:
            raise Broken("bad_request", "the input ends inside of a message")
        return iter(())

    def answer(self, id: int, error: Error | None, result: Reply | None) -> bytes:  # noqa: A002
        return msgspec.msgpack.encode([1, id, error, result])

    def notification(self, method: str, params: Struct) -> bytes:
        return msgspec.msgpack.encode([2, method, [params]])


def read_array(value: object) -> Message | Wrong:
    """A message of MessagePack-RPC."""
    if not isinstance(value, list) or not value or type(value[0]) is not int:
        return Wrong(None, "expected [0, id, method, [params]] or [2, method, [params]]")
    if value[0] == 2:
        if len(value) != 3:
            return Wrong(None, "expected a notification: [2, method, [params]]")
        return a_message(None, value[1], value[2])
    if value[0] != 0:
        return Wrong(None, f"expected a request or a notification: type 0 or 2, not {shown(value[0])}")
    id = value[1] if len(value) > 1 and is_id(value[1]) else None  # noqa: A001
    if len(value) != 4:
        return Wrong(id, "expected a request: [0, id, method, [params]]")
    if id is None:
        return Wrong(None, f"expected a whole number from 0 to {MOST_ID}", "id")
    return a_message(id, value[2], value[3])


def a_message(id: int | None, method: object, params: object) -> Message | Wrong:  # noqa: A002
    if not isinstance(method, str):
        return Wrong(id, "expected the name of a method", "method")
    if not isinstance(params, list) or len(params) > 1:
        return Wrong(id, "expected the parameters as an array that holds one map, or nothing", "params")
    return Message(id, method, params[0] if params else {})


class JsonLines:
    """One JSON object per line."""

    def __init__(self, bounds: Bounds) -> None:
        self.most = bounds.message_bytes
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[Message | Wrong]:
        *lines, rest = data.split(b"\n")
        for line in lines:
            whole = bytes(self._rest) + line
            self._rest.clear()
            yield from self._line(whole)
        self._rest += rest
        if len(self._rest) > self.most:
            raise Broken("too_large", f"a line of more than {self.most} bytes")

    def _line(self, line: bytes) -> Iterator[Message | Wrong]:
        if len(line) > self.most:
            raise Broken("too_large", f"a line of more than {self.most} bytes")
        if line.strip():
            yield read_line(line)

    def end(self) -> Iterator[Message | Wrong]:
        """A last line needs no end, but it must be whole."""
        for found in self._line(bytes(self._rest)):
            if isinstance(found, Wrong) and found.id is None:
                raise Broken("bad_request", f"the input ends inside of a message: {found.message}")
            yield found

    def answer(self, id: int, error: Error | None, result: Reply | None) -> bytes:  # noqa: A002
        said: dict[str, Any] = {"id": id, "result": result} if error is None else {"id": id, "error": error}
        return msgspec.json.encode(said) + b"\n"

    def notification(self, method: str, params: Struct) -> bytes:
        return msgspec.json.encode({"method": method, "params": params}) + b"\n"


def read_line(line: bytes) -> Message | Wrong:
    """A message in JSON."""
    try:
        value = decoded(line)
    except (ValueError, RecursionError) as error:
        what = "too deep" if isinstance(error, RecursionError) else error
        return Wrong(None, f"this line is no JSON: {what}")
    if not isinstance(value, dict):
        return Wrong(None, 'expected an object: {"id": 1, "method": "ping", "params": {}}')
    if "id" in value and not is_id(value["id"]):
        return Wrong(None, f"expected a whole number from 0 to {MOST_ID}, got {shown(value['id'])}", "id")
    return a_message(value.get("id"), value.get("method"), [value.get("params", {})])


def decoded(line: bytes) -> Any:
    """The value of a line. Half a character or a number beyond all bounds is the fault of one request, whose
    id is to be known: what the strict reader refuses, a patient one reads."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, ValueError):
        import json  # slow to import, and seldom needed

        return json.loads(line, parse_int=lambda digits: int(digits[:30]), parse_constant=float)


def as_error(wrong: Wrong) -> SfumatoError:
    return SfumatoError("bad_request", wrong.message, wrong.path)
