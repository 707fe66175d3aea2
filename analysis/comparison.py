"""Candidate against reference."""

from analysis.crowd_vs_lab.clusters import Belonging
from analysis.crowd_vs_lab.comparison import Comparison, ComparisonSpec, compare, verdict_flips
from analysis.crowd_vs_lab.level_tests import mann_whitney_p
from analysis.values.p_values import holm

__all__ = ["Belonging", "Comparison", "ComparisonSpec", "compare", "holm", "mann_whitney_p", "verdict_flips"]
