"""Both scopes of a comparison: items alone, or items and raters."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.comparison.comparison import Comparison, ComparisonSpec, compare
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings

SPECS = [
    ComparisonSpec(bootstrap=BootstrapSpec(200), permutations=0),
    ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0),
]


def group(rng: np.random.Generator, truth: np.ndarray, raters: int, first: int) -> Ratings:
    """Ratings of all items by raters who are unequally severe."""
    n = len(truth)
    score = truth[:, None] + rng.normal(0, 0.6, raters) + rng.normal(0, 0.5, (n, raters))
    return Ratings(
        np.repeat(np.arange(n), raters), np.tile(np.arange(first, first + raters), n), score.ravel()
    )


def both(raters: tuple[int, int] = (8, 7)) -> tuple[Ratings, Ratings]:
    rng = np.random.default_rng(3)
    truth = rng.normal(3, 1, 30)
    return group(rng, truth, raters[0], 0), group(rng, truth, raters[1], 100)


def scoped(spec: ComparisonSpec) -> tuple[Comparison, Comparison]:
    these, like = (
        compare(*both(), replace(spec, scope=one)) for one in ("these raters", "raters like these")
    )
    return these, like


@pytest.mark.parametrize("spec", SPECS)
def test_for_these_raters_level_is_the_paired_t_test_of_items(spec):
    found, _ = scoped(spec)
    x, y = (side.mos().means for side in both())
    expected = stats.ttest_rel(x, y)
    low, high = expected.confidence_interval()
    assert found.level_p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.mean_difference.low, found.mean_difference.high) == pytest.approx((low, high))
    assert (found.equivalence.p < 0.05) == (found.equivalence.equivalent)
    assert "items" in found.level_test


@pytest.mark.parametrize("spec", SPECS)
def test_raters_like_these_widen_every_interval_and_change_no_figure(spec):
    these, like = scoped(spec)
    for name in ("spearman", "pearson", "kendall", "concordance", "rmse", "mean_difference", "limit_low"):
        narrow, wide = getattr(these, name), getattr(like, name)
        assert narrow.value == wide.value
        assert narrow.high - narrow.low <= (wide.high - wide.low) * (
            1.1 if spec.bootstrap.draws else 1.0 + 1e-9
        )
    assert like.level_p == like.rater_p == these.rater_p > these.level_p
    assert these.raters_worth == like.raters_worth


@pytest.mark.parametrize(("raters", "scope"), [((8, 5), "these raters"), ((6, 6), "raters like these")])
def test_the_smaller_group_decides_where_nothing_is_asked(raters, scope):
    spec = replace(SPECS[1], scope=None)
    assert compare(*both(raters), spec).scope == scope
    assert compare(*both(raters), replace(spec, raters_are_persons=False)).scope == "these raters"


def test_a_single_reference_rater_leaves_an_interval_for_this_rater():
    found = compare(*both((8, 1)), replace(SPECS[1], scope=None))
    assert found.mean_difference.low < found.mean_difference.high
    assert not found.few
