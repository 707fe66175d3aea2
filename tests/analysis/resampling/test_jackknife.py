"""The jackknife against what it is known to give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.resampling.intervals import jackknife_covariance, jackknife_groups


def test_of_means_it_is_their_covariance_over_n() -> None:
    values = np.random.default_rng(0).normal(size=(23, 2))
    without = (values.sum(axis=0) - values) / 22
    assert jackknife_covariance(without) == pytest.approx(np.cov(values.T) / 23)


def test_one_part_has_no_variance_and_an_undefined_figure_none_either() -> None:
    assert np.isnan(jackknife_covariance(np.ones((1, 3)))).all()
    unknown = jackknife_covariance(np.array([[1.0, 1.0], [np.nan, 2.0]]))
    assert np.isnan(unknown).tolist() == [[True, True], [True, False]]


@given(st.integers(1, 60), st.integers(2, 20))
def test_every_unit_is_in_one_part_and_parts_are_about_equal(units: int, most: int) -> None:
    parts = jackknife_groups(units, most, np.random.default_rng(1))
    sizes = np.bincount(parts)
    assert len(parts) == units
    assert len(sizes) == min(units, most)
    assert sizes.max() - sizes.min() <= 1


def test_one_part_may_stand_for_several() -> None:
    rng = np.random.default_rng(4)
    without, times = rng.normal(5, 1, (20, 3)), rng.integers(1, 6, 20)
    several = jackknife_covariance(np.repeat(without, times, axis=0))
    assert np.allclose(jackknife_covariance(without, times.astype(float)), several, rtol=1e-12)
