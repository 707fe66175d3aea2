"""The additive model system + topic against a least squares fit, and plain means where nothing is missing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from analysis.assessors.system_model import additive_means, cell_means, is_complete, plain_means
from analysis.pairs.system_table import build_cells


def table_of(seed: int, missing: int):
    """Five systems in eight topics, one rating each, without some cells."""
    rng = np.random.default_rng(seed)
    system, topic = (axis.ravel() for axis in np.indices((5, 8)))
    kept = np.sort(rng.permutation(40)[: 40 - missing])
    return build_cells(system[kept], topic[kept], np.zeros(len(kept), int), rng.normal(size=len(kept)))


@pytest.mark.parametrize("seed", range(4))
def test_missing_cells_are_fitted_by_least_squares(seed: int) -> None:
    table = table_of(seed, missing=9)
    score = table.sums / table.counts
    design = np.zeros((len(score), 13))
    design[np.arange(len(score)), table.system] = 1
    design[np.arange(len(score)), 5 + table.topic] = 1
    fitted = np.linalg.lstsq(design, score, rcond=None)[0]
    expected = fitted[:5] + fitted[5:].mean()
    assert_allclose(additive_means(table, score[None])[0], expected, rtol=1e-9)
    assert not is_complete(table, score)


def test_of_a_complete_table_both_means_are_the_same() -> None:
    table = table_of(7, missing=0)
    means = cell_means(table, np.array([True]))[None]
    assert is_complete(table, means[0])
    assert_allclose(additive_means(table, means), plain_means(table, means), rtol=1e-12)
    assert_allclose(plain_means(table, means)[0], means.reshape(5, 8).mean(axis=1), rtol=1e-12)


def test_a_system_without_a_link_to_the_others_has_no_score() -> None:
    table = build_cells([0, 1, 2], [0, 0, 1], [0, 0, 0], [1.0, 2.0, 3.0])
    assert np.isnan(additive_means(table, np.array([[1.0, 2.0, 3.0]]))).any()
