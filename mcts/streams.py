"""The program's input and output: what a terminal cannot show is spelled out, what is closed is refused."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import unicodedata

from .games import SfumatoError

#: signs of the rules pages and of rich, for terminals that have ASCII only
SPELLED = {
    "•": "*", "▌": "|", "─": "-", "×": "x", "−": "-", "–": "-", "→": "->", "…": "...", "’": "'",
}
#: the name under which Python knows `spell`
HANDLER = "sfumato.spell"


def spell(error: UnicodeError) -> tuple[bytes, int]:
    """What stands for characters that an encoding does not have; an error handler of Python's codecs."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start:error.end]
    return b"".join(map(spell_one, found)), error.end


def spell_one(character: str) -> bytes:
    """Its spelling, its letter without the accent, or a question mark."""
    if "\udc80" <= character <= "\udcff":  # a byte of a file's name, kept by Python as it came
        return bytes([ord(character) & 0xFF])
    letter = unicodedata.normalize("NFKD", character).encode("ascii", "ignore")
    return SPELLED[character].encode() if character in SPELLED else letter or b"?"


codecs.register_error(HANDLER, spell)


def spelled(text: str, encoding: str) -> str:
    """The text as the encoding can have it."""
    return text.encode(encoding, HANDLER).decode(encoding, "surrogateescape")


def ready() -> None:
    """Makes the streams take whatever the games, the rules pages and people's file names bring."""
    for stream, handler in ((sys.stdin, "surrogateescape"), (sys.stdout, HANDLER)):
        if isinstance(stream, io.TextIOWrapper):  # None: the stream is closed
            stream.reconfigure(errors=handler)


def require_open(name: str, stream: object) -> None:
    """Refuses to begin with a closed stream, for which Python has None."""
    if stream is None:
        raise SfumatoError("closed", f"the standard {name} is closed")


def drop_output() -> None:
    """Sends what could not be written nowhere: Python would try again, and complain, as it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
