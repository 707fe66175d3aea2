"""Errors that a caller of `analysis` can cause."""

from analysis.values.estimate import InputError

__all__ = ["InputError"]
