"""Candidate against reference."""

from analysis.comparison.clusters import Belonging
from analysis.comparison.comparison import Comparison, ComparisonSpec, compare, verdict_flips
from analysis.comparison.level_tests import mann_whitney_p
from analysis.values.estimate import holm

__all__ = ["Belonging", "Comparison", "ComparisonSpec", "compare", "holm", "mann_whitney_p", "verdict_flips"]
