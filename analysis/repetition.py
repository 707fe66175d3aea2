"""Repetitions: simulated curves, the fitted saturation and its knee."""

from analysis.repetitions.knee import knee
from analysis.repetitions.repetition import RepetitionSpec, orders, simulate
from analysis.repetitions.saturation import Curves, Saturation, fit

__all__ = ["Curves", "RepetitionSpec", "Saturation", "fit", "knee", "orders", "simulate"]
