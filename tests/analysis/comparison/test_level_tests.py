"""Tests of level: ties of exact means, exact p of few items, exchanged labels, one model with the interval."""

from itertools import combinations, product
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.comparison.comparison import ComparisonSpec, compare
from analysis.comparison.level_tests import UNEQUAL, mann_whitney, mann_whitney_p, wilcoxon
from analysis.comparison.variance_components import estimate_two_way_variance, summarize_pairs
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings

ANALYTIC = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0)


def test_means_that_are_equal_are_tied_between_the_sides() -> None:
    """60 items of three ratings each, 59 of them the same on both sides; one side's largest mean differs."""
    rng = np.random.default_rng(3)
    thirds = rng.integers(3, 12, 60) / 3
    other = thirds.copy()
    thirds[7], other[7] = 14 / 3, 13 / 3
    _, of_u = mann_whitney(thirds, other)
    _, of_w = wilcoxon(thirds, other)
    assert of_u.two_sided == 1.0
    assert of_w.two_sided == pytest.approx(0.3173, abs=1e-4)


small = st.lists(st.integers(1, 5), min_size=2, max_size=5)


@given(small, st.data())
def test_few_items_get_the_exact_p_of_u(candidate: list[int], data: st.DataObject) -> None:
    reference = data.draw(st.lists(st.integers(1, 5), min_size=len(candidate), max_size=len(candidate)))
    n = len(candidate)
    u, tails = mann_whitney(np.array(candidate, float), np.array(reference, float))
    both = [*candidate, *reference]
    if len(set(both)) == 1:
        assert isnan(tails.two_sided)
        return

    def u_of(chosen: tuple[int, ...]) -> float:
        rest = [both[at] for at in range(2 * n) if at not in chosen]
        return sum((both[a] > b) + (both[a] == b) / 2 for a in chosen for b in rest)

    every = [u_of(chosen) for chosen in combinations(range(2 * n), n)]
    assert u == u_of(tuple(range(n)))
    assert tails.less == pytest.approx(np.mean([each <= u for each in every]))
    assert tails.greater == pytest.approx(np.mean([each >= u for each in every]))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=7))
def test_few_items_get_the_exact_p_of_w(differences: list[int]) -> None:
    w, tails = wilcoxon(np.array(differences, float), np.zeros(len(differences)))
    apart = np.array([d for d in differences if d])
    if not len(apart):
        assert isnan(tails.two_sided)
        return
    ranks = stats.rankdata(np.abs(apart))
    every = [
        sum(rank for rank, up in zip(ranks, signs, strict=True) if up)
        for signs in product([0, 1], repeat=len(apart))
    ]
    assert w == ranks[apart > 0].sum()
    assert tails.greater == pytest.approx(np.mean([each >= w - 1e-9 for each in every]))
    assert tails.less == pytest.approx(np.mean([each <= w + 1e-9 for each in every]))


def test_without_ties_both_are_scipys_exact_tests() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.permutation(40)[:20] + 0.0, rng.permutation(40)[:20] + 0.5
    assert mann_whitney(x, y)[1].two_sided == pytest.approx(stats.mannwhitneyu(x, y, method="exact").pvalue)
    z = x + np.linspace(0, 0.4, 20)
    assert wilcoxon(z, y)[1].two_sided == pytest.approx(stats.wilcoxon(z - y, method="exact").pvalue)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_many_items_get_scipys_approximation_ties_included(alternative: str) -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(1, 6, 80) + 0.0, rng.integers(1, 6, 80) + 0.0
    expected = stats.wilcoxon(x - y, alternative=alternative, method="approx")
    tails = wilcoxon(x, y)[1]
    p = {"two-sided": tails.two_sided, "less": tails.less, "greater": tails.greater}[alternative]
    assert p == pytest.approx(expected.pvalue, rel=1e-9)


def complete(rng: np.random.Generator, raters: int, group: str, shift: float = 0.0) -> Ratings:
    items = 12
    score = (
        rng.normal(3, 1, items)[:, None]
        + rng.normal(shift, 0.4, raters)
        + rng.normal(0, 0.5, (items, raters))
    )
    item, rater = np.indices(score.shape)
    return Ratings(item.ravel(), np.char.add(group, rater.ravel().astype(str)), score.ravel())


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(2, 9), st.floats(-1, 1))
def test_the_interval_holds_nothing_just_where_p_is_above_its_level(
    seed: int, first: int, second: int, shift: float
) -> None:
    rng = np.random.default_rng(seed)
    compared = compare(complete(rng, first, "a", shift), complete(rng, second, "b"), ANALYTIC)
    difference = compared.mean_difference
    assert (difference.low <= 0 <= difference.high) == (compared.rater_p >= 0.05)


def test_with_few_raters_t_has_the_smaller_groups_degrees_and_says_so() -> None:
    rng = np.random.default_rng(1)
    error = estimate_two_way_variance(*summarize_pairs(complete(rng, 9, "a"), complete(rng, 3, "b")))
    assert error.degrees <= 2
    assert "the reference has only 3 raters" in error.few
    assert estimate_two_way_variance(*summarize_pairs(complete(rng, 9, "a"), complete(rng, 6, "b"))).few == ""


def test_labels_are_exchanged_only_where_everybody_rated_everything() -> None:
    rng = np.random.default_rng(2)
    candidate, reference = complete(rng, 5, "a"), complete(rng, 5, "b")
    spec = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=500)
    whole = compare(candidate, reference, spec)
    assert whole.permuted_tails.defined
    assert "all 252 ways" in whole.permuted_test
    part = Ratings(candidate.item[1:], candidate.rater[1:], candidate.score[1:])
    missing = compare(part, reference, spec)
    assert not missing.permuted_tails.defined
    assert missing.permuted_test == UNEQUAL
    assert missing.rater_tails.defined


def test_exchanged_t_is_the_models_own() -> None:
    """Studentised by the same variance as the interval: complete groups, whose components are all positive."""
    from analysis.comparison.level_tests import _studentized_differences

    rng = np.random.default_rng(5)
    candidate, reference = complete(rng, 8, "a", 0.3), complete(rng, 7, "b")
    pairs, pulls = summarize_pairs(candidate, reference)
    error = estimate_two_way_variance(pairs, pulls)
    t = float((pairs.mos_candidate - pairs.mos_reference).mean()) / error.error
    scores = np.hstack([g.score.reshape(12, -1) for g in (candidate, reference)])
    assert _studentized_differences(scores, np.arange(15)[:, None] < 8)[0] == pytest.approx(t, rel=1e-9)


def test_the_nine_one_sided_p_of_the_paper():
    # Iskender et al. 2020, Table 1: U and p of OQ GR NR RC FO SC SU PU SI, 50 + 50 items
    u = (985.0, 1014.5, 941.0, 1046.5, 1082.0, 994.0, 1162.0, 1231.5, 876.5)
    printed = (0.034, 0.053, 0.017, 0.081, 0.124, 0.039, 0.273, 0.451, 0.005)
    found = [mann_whitney_p(each, 50, 50) for each in u]
    assert [round(tails.less, 3) for tails in found] == list(printed)
    assert round(mann_whitney_p(985.5, 50, 50).less, 3) == 0.034
    # Two-sided, OQ and SC are no longer significant at .05, the other verdicts stay.
    flips = [(tails.less < 0.05) != (tails.two_sided < 0.05) for tails in found]
    assert flips == [True, False, False, False, False, True, False, False, False]
