"""A number with its interval, and how the interval is drawn."""

from analysis.values.estimate import BootstrapSpec, Estimate

__all__ = ["BootstrapSpec", "Estimate"]
