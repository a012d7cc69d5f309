"""A core's structs as Python sees them: bytes to named values and back."""

from __future__ import annotations

import struct
from math import prod
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: the types of a field, in the notation of numpy, as `struct` writes them
CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f4": "f",
         "f8": "d"}


class OutOfRange(Exception):  # noqa: N818
    """A field of the struct cannot hold what it was given."""

    def __init__(self, field: str) -> None:
        super().__init__(f"a number in {field} is too large or too small")
        self.field = field


class Layout:
    """One struct of a core, from the list in the notation of `numpy.dtype` that stands beside it."""

    def __init__(self, fields: Sequence[tuple[Any, ...]]) -> None:
        #: of each field its name and shape, and how it is packed
        self._fields = [(name, shape, struct.Struct(f"={prod(shape)}{CODES[kind]}"))
                        for name, kind, shape in ((*field, ())[:3] for field in fields)]
        self._whole = struct.Struct("=" + "".join(each.format[1:] for _, _, each in self._fields))
        self.size = self._whole.size
        #: names, types and shapes, as plain data
        self.written: list[list[str]] = [[str(part) for part in field] for field in fields]

    def read(self, data: bytes) -> SimpleNamespace:
        """The fields as plain numbers and (nested) lists."""
        values, start, found = self._whole.unpack(data), 0, SimpleNamespace()
        for name, shape, _ in self._fields:
            end = start + prod(shape)
            setattr(found, name, nested(values[start:end], shape))
            start = end
        return found

    def write(self, values: Mapping[str, Any]) -> bytes:
        """The struct with these fields; those left out are 0. OutOfRange names a field that cannot be."""
        parts = []
        for name, shape, packed in self._fields:
            if name not in values:
                parts.append(bytes(packed.size))
                continue
            try:
                parts.append(packed.pack(*flat(values[name], shape)))
            except (struct.error, OverflowError, TypeError, ValueError):
                raise OutOfRange(name) from None
        return b"".join(parts)


def nested(values: Sequence[Any], shape: Sequence[int]) -> Any:
    """Numbers in a row as lists within lists."""
    if not shape:
        return values[0]
    if len(shape) == 1:
        return list(values)
    step = len(values) // shape[0]
    return [nested(values[start:start + step], shape[1:]) for start in range(0, len(values), step)]


def flat(value: Any, shape: Sequence[int]) -> list[Any]:
    """Lists within lists as numbers in a row. ValueError: it has another shape."""
    if not shape:
        return [value]
    if len(value) != shape[0]:
        raise ValueError
    return list(value) if len(shape) == 1 else [each for part in value for each in flat(part, shape[1:])]
