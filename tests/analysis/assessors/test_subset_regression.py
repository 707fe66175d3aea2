"""The three regressions against statsmodels, scipy and closed formulas, one subset at a time."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import optimize

from analysis.assessors.subset_regression import fit_canonical, fit_huber, fit_non_negative, is_redundant


def made(seed, n=60, f=5):
    """Features of very different scales, a response with outliers, and a second response."""
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 1, (n, f)) * 10.0 ** rng.integers(-2, 3, f) + rng.normal(0, 5, f)
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    response = scaled @ rng.normal(0, 1, f) + rng.standard_t(1.5, n) + 3
    return features, np.column_stack([response, scaled[:, 0] + rng.normal(0, 1, n)])


def all_of_size(f, k):
    return np.array(list(combinations(range(f), k)))


seeds = some.integers(0, 10_000)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("size", [1, 3, 5])
def test_huber_is_that_of_statsmodels(seed, size):
    api = pytest.importorskip("statsmodels.api")
    features, responses = made(seed)
    subsets = all_of_size(5, size)
    found = fit_huber(features, responses[:, 0], subsets)
    for at, subset in enumerate(subsets):
        design = np.column_stack([np.ones(len(features)), features[:, subset]])
        oracle = api.RLM(responses[:, 0], design, M=api.robust.norms.HuberT(1.345))
        fitted = oracle.fit(maxiter=500, tol=1e-12, conv="coefs").fittedvalues
        assert found.predict(features)[at] == pytest.approx(fitted, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_non_negative_is_scipys_with_the_intercept_free(seed):
    features, responses = made(seed)
    subsets = all_of_size(5, 3)
    found = fit_non_negative(features, responses[:, 0], subsets)
    n = len(features)
    for at, subset in enumerate(subsets):
        # an intercept of either sign: a column of ones and one of minus ones
        design = np.column_stack([np.ones(n), -np.ones(n), features[:, subset]])
        weights, residual = optimize.nnls(design, responses[:, 0], maxiter=1000)
        predicted = found.predict(features)[at]
        assert np.linalg.norm(responses[:, 0] - predicted) == pytest.approx(residual, rel=1e-8)
        assert found.weights[at] == pytest.approx(weights[2:], rel=1e-6, abs=1e-8)
        assert (found.weights >= 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_canonical_variate_reaches_the_first_canonical_correlation(seed):
    features, responses = made(seed)
    subsets = all_of_size(5, 2)
    found = fit_canonical(features, responses, subsets, 0).predict(features)
    q_y = np.linalg.qr(responses - responses.mean(axis=0))[0]
    for at, subset in enumerate(subsets):
        q_x = np.linalg.qr(features[:, subset] - features[:, subset].mean(axis=0))[0]
        first = np.linalg.svd(q_x.T @ q_y, compute_uv=False)[0]
        variate = found[at] - found[at].mean()
        reached = np.linalg.norm(q_y.T @ variate) / np.linalg.norm(variate)
        assert reached == pytest.approx(first, abs=1e-9)
        assert np.corrcoef(variate, responses[:, 0])[0, 1] >= 0


def test_canonical_correlation_with_one_response_is_least_squares():
    features, responses = made(1)
    found = fit_canonical(features, responses[:, :1], all_of_size(5, 5), 0)
    design = np.column_stack([np.ones(len(features)), features])
    expected = design @ np.linalg.lstsq(design, responses[:, 0], rcond=None)[0]
    assert found.predict(features)[0] == pytest.approx(expected, abs=1e-7)


def test_a_constant_or_a_double_response_changes_nothing():
    features, responses = made(2)
    more = np.column_stack([responses, np.full(len(features), 2.0), responses[:, 1] * 3 + 1])
    once = fit_canonical(features, responses, all_of_size(5, 2), 0).predict(features)
    several = fit_canonical(features, more, all_of_size(5, 2), 0).predict(features)
    for one, other in zip(once, several, strict=True):
        # doubling a measure does not change what its mixtures can reach
        assert abs(np.corrcoef(one, other)[0, 1]) == pytest.approx(1, abs=1e-9)


@given(seed=seeds, shift=some.floats(-50, 50), scale=some.floats(0.01, 100))
def test_predictions_follow_the_units_of_the_response_and_not_of_the_features(seed, shift, scale):
    features, responses = made(seed, n=30, f=3)
    subsets = all_of_size(3, 2)
    for fit in (
        lambda x, y: fit_huber(x, y[:, 0], subsets),
        lambda x, y: fit_non_negative(x, y[:, 0], subsets),
        lambda x, y: fit_canonical(x, y, subsets, 0),
    ):
        before = fit(features, responses).predict(features)
        other = features * scale + shift
        after = fit(other, responses * scale + shift).predict(other)
        assert after == pytest.approx(before * scale + shift, rel=1e-5, abs=1e-5 * scale)


def test_huber_holds_where_a_few_rows_are_far_off():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (200, 1))
    y = 2 * x[:, 0] + 1 + rng.normal(0, 0.1, 200)
    y[:10] += 500
    found = fit_huber(x, y, np.array([[0]]))
    assert found.weights[0, 0] == pytest.approx(2, abs=0.05)
    assert found.intercepts[0] == pytest.approx(1, abs=0.05)


def test_rows_met_exactly_end_hubers_steps():
    x = np.arange(10.0)[:, None]
    found = fit_huber(x, 3 * x[:, 0] - 1, np.array([[0]]))
    assert found.predict(x)[0] == pytest.approx(3 * x[:, 0] - 1)
    constant = fit_huber(x, np.full(10, 4.0), np.array([[0]]))
    assert constant.predict(x)[0] == pytest.approx(np.full(10, 4.0))


def test_a_feature_that_follows_from_others_is_redundant():
    rng = np.random.default_rng(0)
    features = rng.normal(0, 1, (30, 4))
    features[:, 2] = features[:, 0] - 2 * features[:, 1]
    features[:, 3] = 7.0
    assert is_redundant(features, np.array([[0, 1, 2]])).tolist() == [True]
    assert is_redundant(features, np.array([[0, 1], [0, 2], [1, 3]])).tolist() == [False, False, True]


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_a_subset_is_fitted_the_same_alone_as_among_others(seed):
    features, responses = made(seed, n=25, f=4)
    subsets = all_of_size(4, 2)
    together = fit_huber(features, responses[:, 0], subsets)
    alone = [fit_huber(features, responses[:, 0], subset[None]) for subset in subsets]
    assert together.weights == pytest.approx(np.array([one.weights[0] for one in alone]), rel=1e-6, abs=1e-9)
