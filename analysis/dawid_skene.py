"""Dawid-Skene."""

from analysis.workers.dawid_skene import DawidSkene, DawidSkeneSpec, fit

__all__ = ["DawidSkene", "DawidSkeneSpec", "fit"]
