"""Sfumato: an AI opponent engine for board games with hidden hands and shuffled decks."""

from .games import NAMES, Game, Outcome, SfumatoError, State, Step, load
from .search import Move, Result, Searcher, search

__all__ = [
    "NAMES", "Game", "Move", "Outcome", "Result", "Searcher", "SfumatoError", "State", "Step", "__version__",
    "load", "search",
]

#: As in pyproject.toml (a test compares them). Reading the installed metadata would cost every import more
#: than the compiled modules do.
__version__ = "0.1.0"
