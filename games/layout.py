"""A core's structs as Python sees them: bytes to named values and back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class OutOfRange(Exception):  # noqa: N818
    """A field of the struct cannot hold what it was given."""

    def __init__(self, field: str) -> None:
        super().__init__(f"a number in {field} is too large or too small")
        self.field = field


class Layout:
    """One struct of a core, from the list in `numpy.dtype` notation that stands beside it."""

    def __init__(self, fields: Sequence[tuple[Any, ...]]) -> None:
        self.dtype = np.dtype(list(fields))
        self.names: tuple[str, ...] = self.dtype.names or ()
        #: names, types and shapes, as plain data
        self.written: list[list[str]] = [[str(part) for part in field] for field in self.dtype.descr]

    def read(self, data: bytes) -> SimpleNamespace:
        """The fields as plain numbers and (nested) lists."""
        record = np.frombuffer(data, self.dtype, 1)[0]
        return SimpleNamespace(**{name: record[name].tolist() for name in self.names})

    def write(self, values: Mapping[str, Any]) -> bytes:
        """The struct with these fields; those left out are 0. OutOfRange names a field that cannot be."""
        record = np.zeros((), self.dtype)
        for name, value in values.items():
            try:
                record[name] = value
            except (OverflowError, ValueError):
                raise OutOfRange(name) from None
            # An older numpy wraps a number around instead of refusing it.
            if not np.array_equal(record[name], np.asarray(value, object)):
                raise OutOfRange(name)
        return record.tobytes()
