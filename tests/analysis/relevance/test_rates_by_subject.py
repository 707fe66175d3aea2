"""Rates by subject: equal to counting by hand, and to the agreement of the subject's judgments alone."""

import numpy as np
import pytest

from analysis.relevance.agreements import agreement
from analysis.relevance.rates_by_subject import rates_by_subject, seconds_by_subject
from analysis.values.errors import InputError


def study(seed=0, n=300):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n).astype(float)
    truth[rng.random(n) < 0.1] = np.nan
    return rng.integers(0, 4, n), rng.integers(0, 3, n), rng.integers(0, 2, n), truth


def test_a_subjects_rates_are_those_of_its_judgments_alone():
    subject, surrogate, judgment, truth = study()
    found = rates_by_subject(subject, surrogate, judgment, truth)
    for who in range(4):
        own = subject == who
        alone = agreement(surrogate[own], judgment[own], truth[own])
        for which, one in alone.items():
            for figure in ("accuracy", "precision", "recall", "f_score"):
                np.testing.assert_allclose(getattr(found, figure)[who, which], getattr(one, figure).value)


def test_empty_cells_and_rates_without_a_denominator_are_undefined():
    found = rates_by_subject([0, 1], [0, 0], [0, 1], [0, np.nan], surrogates=2)
    np.testing.assert_array_equal(found.accuracy, [[1, np.nan], [np.nan, np.nan]])
    assert np.isnan(found.precision).all()
    assert np.isnan(found.recall).all()
    assert np.isnan(found.f_score).all()


def test_seconds_are_means_of_the_known_ones():
    found = seconds_by_subject(list("aabb"), [0, 0, 0, 1], [2, np.nan, 3, 8], 3)
    np.testing.assert_array_equal(found, [[2, np.nan, np.nan], [3, 8, np.nan]])


def test_lengths_and_codes_are_checked():
    with pytest.raises(InputError):
        rates_by_subject([1, 2], [0], [1, 0], [1, 0])
    with pytest.raises(InputError):
        rates_by_subject([1, 2], [0, 5], [1, 0], [1, 0], surrogates=2)
    with pytest.raises(InputError):
        seconds_by_subject([1, 2], [0, 1], [1])
