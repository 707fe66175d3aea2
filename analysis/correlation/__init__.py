"""Correlations of two columns of numbers."""

from analysis.correlation.two_columns import Correlation, kendall, pearson, spearman, strength

__all__ = ["Correlation", "kendall", "pearson", "spearman", "strength"]
