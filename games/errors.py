"""What a refused call raises: one kind of error, with a code for programs and the place for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


#: known names that an error lists
MOST_NAMES = 20
#: characters of a name that an error repeats
LONGEST_NAME = 60
#: characters of a value that an error repeats
LONGEST_VALUE = 200
#: characters of a whole message or place, where something long was put into it nevertheless
LONGEST_TEXT = 1000


class SfumatoError(ValueError):
    """Input that was refused: nothing was changed.

    `code` is a short fixed name, `path` the place in what was given (empty if it has none).
    """

    def __init__(self, code: str, message: str, path: str = "") -> None:
        message, path = (short(writable(text), LONGEST_TEXT) for text in (message, path))
        super().__init__(f"{path}: {message}" if path else message)
        self.code = code
        self.path = path
        self.message = message

    def __reduce__(self) -> tuple[type[SfumatoError], tuple[str, str, str]]:
        """So that it can be handed from one process to another."""
        return SfumatoError, (self.code, self.message, self.path)


def writable(text: str) -> str:
    """The text without half characters, which no file, terminal or message takes."""
    return text.encode("utf-8", "backslashreplace").decode()


def short(text: str, most: int = LONGEST_NAME) -> str:
    return text if len(text) <= most else text[:most] + "..."


def shown(value: object) -> str:
    """What was given, as an error repeats it: cut short, and whatever it is. Python itself refuses to write
    a number of 5,000 digits or a list in a list in a list ..."""
    try:
        return short(repr(value), LONGEST_VALUE)
    except Exception:
        return f"a {type(value).__name__} that cannot be written"


def unknown(code: str, what: str, given: str, known: Iterable[str], path: str = "") -> SfumatoError:
    """The error for a name that is not among the known ones."""
    from difflib import get_close_matches  # slow to import, and seldom needed

    names = list(known)
    given = short(given)
    near = get_close_matches(given, names, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    some = ", ".join(names[:MOST_NAMES]) or "none"
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return SfumatoError(code, f"unknown {what} {given!r}{hint}; known: {some}{more}", path)
