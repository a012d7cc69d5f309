"""Types of leduc_poker.pyx."""

from .state import Table

RULES: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]]
STATE: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]]
EVENT: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]]
LIMITS: dict[str, int]

def table(rules: bytes) -> Table: ...
