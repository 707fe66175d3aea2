"""Automatic metrics: how often they order systems, and outputs for an item, as people do."""

from analysis.correlation.metric_comparison import (
    TieCalibrated,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    tie_calibrated_accuracy,
)

__all__ = ["TieCalibrated", "pairwise_accuracy", "soft_pairwise_accuracy", "tie_calibrated_accuracy"]
