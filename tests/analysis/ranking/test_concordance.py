"""Kendall's W by a printed example, SciPy's Friedman test, and all permutations of a small table."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare

from analysis.systems.rankings import kendalls_w
from analysis.values.estimate import InputError

EXAMPLE = [(1, 2, 3, 4, 5, 6), (2, 1, 3, 4, 6, 5), (1, 3, 2, 5, 4, 6), (3, 1, 2, 4, 5, 6)]


def test_the_example_of_the_methods() -> None:
    found = kendalls_w(EXAMPLE)
    assert found.value == pytest.approx(0.8571, abs=5e-5)
    assert found.chi_squared == pytest.approx(17.143, abs=5e-4)
    assert found.by_permutation
    assert found.p < 0.0042


@pytest.mark.parametrize("digits", [3, 0], ids=["without ties", "with ties"])
def test_chi_squared_is_that_of_friedmans_test(digits: int) -> None:
    scores = np.random.default_rng(1).normal(0, 2, (7, 9)).round(digits)
    statistic, p = friedmanchisquare(*scores.T)
    found = kendalls_w(scores)
    assert not found.by_permutation
    assert (found.chi_squared, found.p) == pytest.approx((statistic, p))


def test_p_of_few_ranks_is_that_of_all_permutations() -> None:
    ranks = np.array([(1, 2, 3), (1, 3, 2), (2, 1, 3)])
    every = [np.array(rows).sum(axis=0) for rows in product(permutations((1, 2, 3)), repeat=3)]
    spread = ((np.array(every) - 6.0) ** 2).sum(axis=1)
    exact = (spread >= ((ranks.sum(axis=0) - 6.0) ** 2).sum()).mean()
    assert kendalls_w(ranks).p == pytest.approx(exact, abs=0.015)
    assert kendalls_w(ranks).p == kendalls_w(ranks, seed=0).p


@given(st.integers(2, 5), st.integers(2, 6), st.integers(0, 10_000))
def test_it_lies_between_0_and_1_and_equal_rankings_reach_1(raters: int, items: int, seed: int) -> None:
    ranks = np.random.default_rng(seed).permuted(np.tile(np.arange(items), (raters, 1)), axis=1)
    assert -1e-12 <= kendalls_w(ranks).value <= 1 + 1e-12
    assert kendalls_w(np.tile(ranks[0], (raters, 1))).value == pytest.approx(1)


def test_what_is_undefined_has_a_reason() -> None:
    for ranks in ([(1, 2, 3)], [(1,), (1,)], [(1, 1, 1), (2, 2, 2)]):
        found = kendalls_w(ranks)
        assert np.isnan(found.value)
        assert found.reason
    with pytest.raises(InputError, match="without gaps"):
        kendalls_w([(1, np.nan), (1, 2)])
