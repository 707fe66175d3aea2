"""Points of every level: their distances are the differences that alpha is defined by."""

from typing import Any

import numpy as np
import pytest

from analysis.agreement.alpha import level_points

VALUES = np.array([0.0, 0.5, 1.0, 3.0, 40.0])
MARGINAL = np.array([2.0, 5.0, 1.0, 4.0, 3.0])


def squared(points: Any) -> Any:
    dense = np.asarray(points.todense()) if hasattr(points, "todense") else points
    return ((dense[:, None] - dense[None]) ** 2).sum(axis=2)


def expected(level: str) -> Any:
    """Krippendorff 2011, section D."""
    v, w = VALUES[:, None], VALUES[None]
    if level == "nominal":
        return (v != w).astype(float)
    if level == "interval":
        return (v - w) ** 2
    if level == "ratio":
        return np.where(v == w, 0.0, ((v - w) / np.where(v + w > 0, v + w, 1.0)) ** 2)
    size = len(VALUES)
    between = [
        [MARGINAL[min(a, b) : max(a, b) + 1].sum() - (MARGINAL[a] + MARGINAL[b]) / 2 for b in range(size)]
        for a in range(size)
    ]
    return np.array(between) ** 2


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_squared_distances_are_the_differences_up_to_a_scale(level: Any) -> None:
    found, wanted = squared(level_points(level, VALUES, MARGINAL)), expected(level)
    np.testing.assert_allclose(found / found.max(), wanted / wanted.max(), atol=1e-10)


def test_ratios_need_few_dimensions_and_keep_small_differences() -> None:
    values = 1e4 + np.arange(300.0)
    points = level_points("ratio", values, np.ones(300))
    assert points.shape[1] < 50
    found = squared(points)[0, 1]
    assert found == pytest.approx(((values[0] - values[1]) / (values[0] + values[1])) ** 2, rel=1e-6)
