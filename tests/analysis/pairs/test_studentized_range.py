"""Quantiles of the studentized range from a table, against those found one by one and against Student's t."""

import numpy as np
import pytest
from scipy import stats

from analysis.pairs.paired_differences import critical_range, critical_ranges, range_p

DEGREES = [1.0, 1.4, 2.6, 7.3, 31.0, 400.0, 1e12]


@pytest.mark.parametrize("k", [3, 60])
def test_the_table_holds_the_quantiles(k: int) -> None:
    alone = [critical_range(0.95, k, min(df, 1e9)) for df in DEGREES]
    np.testing.assert_allclose(critical_ranges(0.95, k, DEGREES), alone, rtol=2e-6)


def test_of_two_means_it_is_students_t() -> None:
    np.testing.assert_allclose(
        critical_ranges(0.95, 2, DEGREES), np.sqrt(2) * stats.t.ppf(0.975, DEGREES), rtol=1e-7
    )


def test_probabilities_take_degrees_one_by_one() -> None:
    q, df = np.array([1.0, 3.0, 5.0]), np.array([2.0, 9.0, 30.0])
    one_by_one = [range_p([each], 4, degrees)[0] for each, degrees in zip(q, df, strict=True)]
    np.testing.assert_allclose(range_p(q, 4, df), one_by_one, rtol=1e-12)
