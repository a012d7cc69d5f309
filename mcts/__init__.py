"""Sfumato."""
