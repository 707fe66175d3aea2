"""How many ratings per item are enough: curves, fit and knee."""

from analysis.repetitions.knee import knee
from analysis.repetitions.repetition import RepetitionSpec, orders, simulate
from analysis.repetitions.saturation import Curves, Saturation, fit

__all__ = ["Curves", "RepetitionSpec", "Saturation", "fit", "knee", "orders", "simulate"]
