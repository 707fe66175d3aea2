"""Candidate against reference."""

from analysis.crowd_vs_lab.comparison import (
    Comparison,
    ComparisonSpec,
    compare,
    holm,
    mann_whitney_p,
    verdict_flips,
)

__all__ = ["Comparison", "ComparisonSpec", "compare", "holm", "mann_whitney_p", "verdict_flips"]
