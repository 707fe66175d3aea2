"""Candidate against reference."""

from analysis.crowd_vs_lab.comparison import (
    Comparison,
    ComparisonSpec,
    compare,
    mann_whitney_p,
    verdict_flips,
)
from analysis.values.p_values import holm

__all__ = ["Comparison", "ComparisonSpec", "compare", "holm", "mann_whitney_p", "verdict_flips"]
