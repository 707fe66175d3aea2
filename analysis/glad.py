"""GLAD."""

from analysis.workers.glad import Glad, GladSpec, fit

__all__ = ["Glad", "GladSpec", "fit"]
