"""What a caller of `analysis` can do wrong."""

from analysis.values.errors import InputError

__all__ = ["InputError"]
