"""A core's structs as Python sees them: bytes to named values and back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Layout:
    """One struct of a core, from the list in `numpy.dtype` notation that stands beside it."""

    def __init__(self, fields: Sequence[tuple[Any, ...]]) -> None:
        self.dtype = np.dtype(list(fields))
        self.names: tuple[str, ...] = self.dtype.names or ()

    def read(self, data: bytes) -> SimpleNamespace:
        """The fields as plain numbers and (nested) lists."""
        record = np.frombuffer(data, self.dtype, 1)[0]
        return SimpleNamespace(**{name: record[name].tolist() for name in self.names})

    def write(self, values: Mapping[str, Any]) -> bytes:
        """The struct with these fields; those left out are 0."""
        record = np.zeros((), self.dtype)
        for name, value in values.items():
            record[name] = value
        return record.tobytes()
