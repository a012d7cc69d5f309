"""Types of painters_studio.pyx."""

from .state import Table

RULES: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]]
STATE: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]]
EVENT: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]]

def table(rules: bytes) -> Table: ...
