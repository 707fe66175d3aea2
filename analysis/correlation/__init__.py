"""Correlations of two columns of numbers."""

from analysis.correlation.columns import Correlation, kendall, pearson, spearman, strength

__all__ = ["Correlation", "kendall", "pearson", "spearman", "strength"]
