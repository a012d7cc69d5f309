"""Sfumato: an AI opponent engine for board games with hidden hands and shuffled decks."""

from .games import NAMES, Game, Outcome, SfumatoError, State, Step, load

__all__ = ["NAMES", "Game", "Outcome", "SfumatoError", "State", "Step", "__version__", "load"]

#: As in pyproject.toml (a test compares them). Reading the installed metadata would cost every import more
#: than the compiled modules do.
__version__ = "0.1.0"
