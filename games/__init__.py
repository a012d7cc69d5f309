"""Games for people and programs: rules, states, words, observations. No search, no protocol."""

from .errors import SfumatoError
from .game import Game, Observation
from .registry import NAMES, game_class, load
from .state import Outcome, State, Step

__all__ = ["NAMES", "Game", "Observation", "Outcome", "SfumatoError", "State", "Step", "game_class", "load"]
