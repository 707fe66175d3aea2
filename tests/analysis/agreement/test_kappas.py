"""Kappas against statsmodels and a published table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from statsmodels.stats import inter_rater

from analysis.agreement.kappas import cohen_kappa, fleiss_kappa
from analysis.values.estimate import BootstrapSpec, InputError

FEW = BootstrapSpec(50)


@pytest.mark.parametrize("seed", range(5))
def test_cohen_equals_statsmodels(seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, 50)
    second = np.where(rng.random(50) < 0.5, first, rng.integers(0, 4, 50))
    table = inter_rater.to_table(np.stack([first, second], axis=1))[0]
    found = cohen_kappa(first.astype(str), second.astype(str))
    assert found.value == pytest.approx(inter_rater.cohens_kappa(table, return_results=False), abs=1e-12)
    assert found.low < found.value < found.high
    assert found.n == 50


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("seed", range(3))
def test_weighted_cohen_equals_statsmodels(seed, weights):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, 40)
    second = np.clip(first + rng.integers(-1, 2, 40), 0, 3)
    table = inter_rater.to_table(np.stack([first, second], axis=1))[0]
    expected = inter_rater.cohens_kappa(table, wt=weights, return_results=False)
    found = cohen_kappa(first, second, weights=weights)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.low < found.value < found.high


def test_weights_need_numbers():
    with pytest.raises(InputError, match="need numbers"):
        cohen_kappa(["a", "b"], ["b", "b"], weights="linear")


def test_cohens_example():
    """Cohen 1968, "Weighted kappa", Table 1, as frequencies of 200; unweighted kappa .492."""
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    first = np.repeat(np.arange(3), np.sum(table, axis=1))
    second = np.concatenate([np.repeat(np.arange(3), row) for row in table])
    assert cohen_kappa(first, second).value == pytest.approx(0.492, abs=0.0005)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_equals_statsmodels_for_equal_counts(seed):
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random((30, 5)) < 0.5, rng.integers(0, 4, (30, 1)), rng.integers(0, 4, (30, 5)))
    expected = inter_rater.fleiss_kappa(inter_rater.aggregate_raters(labels)[0])
    found = fleiss_kappa(np.repeat(np.arange(30), 5), labels.ravel())
    assert found.value == pytest.approx(expected, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(some.lists(some.tuples(some.sampled_from("abc"), some.sampled_from("abc")), min_size=1, max_size=30))
def test_cohen_does_not_mind_who_is_first(pairs):
    first, second = map(list, zip(*pairs, strict=True))
    one, other = cohen_kappa(first, second, FEW), cohen_kappa(second, first, FEW)
    assert one.value == pytest.approx(other.value, abs=1e-12, nan_ok=True)
    if np.isfinite(one.low):
        assert one.low <= one.value <= one.high


def test_kappa_of_one_label_is_undefined():
    assert "everyone gave the same value" in cohen_kappa(["a", "a"], ["a", "a"]).reason
    assert "no items" in cohen_kappa([], []).reason
    assert cohen_kappa(["a", "a"], ["b", "b"]).value == 0
