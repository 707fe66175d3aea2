"""What a caller of `analysis` can do wrong."""

from analysis.values.estimate import InputError

__all__ = ["InputError"]
