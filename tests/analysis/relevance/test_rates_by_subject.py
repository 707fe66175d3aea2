"""Rates by subject: equal to counting by hand, and to the agreement of the subject's judgments alone."""

import numpy as np
import pytest

from analysis.relevance.agreements import agreement
from analysis.relevance.judgments import Judgments
from analysis.relevance.rater_pairs import rates_by_subject, seconds_by_subject
from analysis.values.estimate import InputError


def study(seed=0, n=300):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n).astype(float)
    truth[rng.random(n) < 0.1] = np.nan
    return rng.integers(0, 4, n), rng.integers(0, 3, n), rng.integers(0, 2, n), truth


def judged(subject, surrogate, judgment, surrogates=None, seconds=None):
    """Judgments whose raters are the subjects."""
    n = len(subject)
    return Judgments(subject, [1] * n, range(n), surrogate, judgment, seconds=seconds, surrogates=surrogates)


def test_a_subjects_rates_are_those_of_its_judgments_alone():
    subject, surrogate, judgment, truth = study()
    found = rates_by_subject(judged(subject, surrogate, judgment), "rater", truth)
    for who in range(4):
        own = subject == who
        alone = agreement(surrogate[own], judgment[own], truth[own])
        for which, one in alone.items():
            for figure in ("accuracy", "precision", "recall", "f_score"):
                np.testing.assert_allclose(getattr(found, figure)[who, which], getattr(one, figure).value)


def test_empty_cells_and_rates_without_a_denominator_are_undefined():
    found = rates_by_subject(judged([0, 1], [0, 0], [0, 1], range(2)), "rater", [0, np.nan])
    np.testing.assert_array_equal(found.accuracy, [[1, np.nan], [np.nan, np.nan]])
    assert np.isnan(found.precision).all()
    assert np.isnan(found.recall).all()
    assert np.isnan(found.f_score).all()


def test_seconds_are_means_of_the_known_ones():
    found = seconds_by_subject(
        judged(list("aabb"), [0, 0, 0, 1], [0] * 4, range(3), [2, np.nan, 3, 8]), "rater"
    )
    np.testing.assert_array_equal(found, [[2, np.nan, np.nan], [3, 8, np.nan]])


def test_events_are_subjects_as_well_and_truths_are_checked():
    of = Judgments([1, 2, 1], ["b", "a", "a"], [1, 2, 3], [0, 0, 0], [1, 1, 0])
    assert rates_by_subject(of, "event", [1, 0, 0]).accuracy.tolist() == [[0.5], [1.0]]
    with pytest.raises(InputError, match="`truth`"):
        rates_by_subject(of, "rater", [1, 0])
