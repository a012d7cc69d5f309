"""Compiled code: the state contract, chance and one core per game. Numbers only, no words, no files."""
