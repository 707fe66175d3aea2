"""Raters compared with the typical rater, without a store behind them."""

from collections.abc import Sequence

import numpy as np

from analysis.assessors.typical_rater import PooledVariance, clipped_fisher_z, compare_with_typical
from analysis.values.estimate import Estimate
from features.raters.typical_rater_findings import ComparedRaters

ONE = PooledVariance(1.0, 500.0)
"""Variance of correlations of normal scores."""


def compared(
    names: Sequence[str], figures: Sequence[Estimate], measure: str = "focus", fewest_above: int = 10
) -> ComparedRaters:
    """Raters with these correlations over n items each."""
    z = clipped_fisher_z([each.value for each in figures])
    tests = compare_with_typical(z, [each.n for each in figures], ONE, fewest_above)
    return ComparedRaters(measure, list(names), list(figures), tests)


def panel(*correlations: float, n: int = 50, measure: str = "focus") -> ComparedRaters:
    """Raters a, b, c … with these correlations and intervals of ± .1."""
    figures = [Estimate(r, r - 0.1, r + 0.1, n) for r in np.array(correlations).tolist()]
    return compared([chr(ord("a") + at) for at in range(len(figures))], figures, measure)
