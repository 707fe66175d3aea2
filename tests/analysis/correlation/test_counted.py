"""Rows that are counted once give the rho of any draw of their items."""

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from analysis.correlation.two_columns import CountedRows, is_counting_faster, weighted_ranks


@pytest.mark.parametrize("of_each_row", [False, True])
def test_rho_is_that_of_the_items_written_down_as_often_as_they_were_drawn(of_each_row: bool) -> None:
    rng = np.random.default_rng(4)
    values, span = rng.integers(0, 6, (3, 2, 30)), np.array([5, 7, 5])
    reference = rng.integers(0, 4, (5, 2, 30) if of_each_row else (5, 30)) / 3
    times = rng.integers(0, 4, (5, 30))
    found = CountedRows(values, span).spearman(reference, times)
    for m in range(3):
        for b in range(2):
            for d in range(5):
                known = reference[d, b] if of_each_row else reference[d]
                expected = spearmanr(np.repeat(values[m, b], times[d]), np.repeat(known, times[d])).statistic
                assert found[m, b, d] == pytest.approx(expected)


def test_ranks_are_the_average_ones_of_what_was_drawn() -> None:
    rng = np.random.default_rng(5)
    reference, times = rng.integers(0, 5, (1, 20)).astype(np.float64) / 3, rng.integers(1, 4, (1, 20))
    written = np.repeat(reference[0], times[0])
    expected = 2 * rankdata(written) - len(written) - 1
    np.testing.assert_array_equal(np.repeat(weighted_ranks(reference, times)[0], times[0]), expected)


def test_what_does_not_vary_or_was_drawn_once_has_no_rho() -> None:
    rows = CountedRows(np.array([[[0, 0, 0]], [[0, 1, 2]]]), np.array([2, 2]))
    found = rows.spearman(np.array([[1.0, 2.0, 3.0]] * 2), np.array([[1, 1, 1], [0, 1, 0]]))
    assert np.isnan(found[0]).all()
    assert found[1, 0, 0] == 1
    assert np.isnan(found[1, 0, 1])


def test_few_values_are_counted_and_many_sorted() -> None:
    values = np.zeros((2, 1, 10), dtype=np.int64)
    assert is_counting_faster(values, np.array([5, 9]))
    assert not is_counting_faster(values, np.array([5, 900]))
    assert not is_counting_faster(values[:, :, :0], np.array([5, 9]))
