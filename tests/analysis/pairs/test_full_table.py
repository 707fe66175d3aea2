"""Changes and variances from a table of all combinations: those of the sums over the combinations that occur."""

import numpy as np
import pytest

from analysis.pairs import cluster_jackknife, least_squares
from analysis.pairs.cluster_jackknife import (
    added_variances,
    added_variances_of_table,
    cluster_changes,
    cluster_changes_of_table,
)
from analysis.pairs.least_squares import Design, Fit, fit_design
from analysis.pairs.paired_differences import paired_differences

SHAPES = [(3, 7, 12), (4, 12, 6)]


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(least_squares, "SMALLEST", 0)


def columns(shape: tuple[int, int, int], missing: float) -> tuple[np.ndarray, ...]:
    """Systems, topics and raters of whom some never met: a share of combinations, and rater 0 all topics but one."""
    rng = np.random.default_rng(sum(shape))
    system, topic, rater = (each.ravel() for each in np.indices(shape))
    kept = (rng.random(len(system)) >= missing) & ((rater > 0) | (topic == 1))
    return system[kept], topic[kept], rater[kept], rng.normal(size=int(kept.sum())) + system[kept]


def fitted(shape: tuple[int, int, int], missing: float) -> Fit:
    system, topic, rater, mean = columns(shape, missing)
    count = np.random.default_rng(1).integers(1, 4, len(system)).astype(float)
    cells, cell = np.unique(system * shape[1] + topic, return_inverse=True)
    return fit_design(Design(*np.divmod(cells, shape[1]), cell, rater, count, mean * count))


@pytest.mark.parametrize("shape", SHAPES, ids=["more raters", "more topics"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_table_has_the_changes_and_variances_of_the_combinations(
    shape: tuple[int, int, int], missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fitted(shape, missing)
    table = made.table
    assert table is not None
    monkeypatch.setattr(least_squares, "SMALLEST", 1_000)
    listed = fitted(shape, missing)
    for name in ("score", "inverse", "share", "inner_weight", "column_weight", "equations"):
        np.testing.assert_allclose(getattr(made, name), getattr(listed, name), atol=1e-12)
    topic, rater = made.design.topic, made.design.rater
    order = (rater, topic) if shape[2] > shape[1] else (topic, rater)
    cell = np.unique(order[0] * 100 + order[1], return_inverse=True)[1]
    found = zip(
        (*order, cell),
        cluster_changes_of_table(made, table),
        added_variances_of_table(made, table),
        strict=True,
    )
    for cluster, change, added in found:
        np.testing.assert_allclose(change, cluster_changes(listed, cluster), atol=1e-10)
        for mine, others in zip(added, added_variances(listed, cluster), strict=True):
            np.testing.assert_allclose(mine, others, rtol=1e-10)


def test_few_or_scattered_combinations_have_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fitted(SHAPES[0], 0.7).table is None
    monkeypatch.setattr(least_squares, "SMALLEST", 1_000)
    assert fitted(SHAPES[0], 0.0).table is None


@pytest.mark.parametrize("shape", SHAPES, ids=["more raters", "more topics"])
def test_pairs_are_compared_alike_with_and_without_a_table(
    shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = columns(shape, 0.2)
    found = paired_differences(*given, "raters like these")
    monkeypatch.setattr(least_squares, "SMALLEST", 1_000)
    without = paired_differences(*given, "raters like these")
    assert not found.reason
    np.testing.assert_allclose(found.error, without.error, rtol=1e-10)
    np.testing.assert_allclose(found.df, without.df, rtol=1e-9)


def test_levels_that_are_a_small_part_are_left_out_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    made = fitted((3, 6, 80), 0.1)
    monkeypatch.setattr(cluster_jackknife, "MOST_STEPS", 0)
    solved = cluster_changes(made, made.design.rater)
    monkeypatch.undo()
    monkeypatch.setattr(cluster_jackknife, "_solve_scores", None)
    np.testing.assert_allclose(cluster_changes(made, made.design.rater), solved, atol=1e-12)
