"""Equality shown, not only not refuted: equivalence within a margin, Lin's concordance, and what has one scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.comparison.comparison import ComparisonSpec, compare
from analysis.comparison.level_tests import (
    concordance_error,
    concordance_rows,
    equivalence,
    power_at_no_difference,
    rmse_error,
    same_scale,
    sd_of_single_ratings,
)
from analysis.comparison.variance_components import TwoWayVariance, concordance_variance, summarize_pairs
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings

CLOSED = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0)


def crossed(seed: int, items: int, raters: int, per_item: int, name: str, shift: float = 0.0) -> Ratings:
    """Raters with severities; each item is rated by some of them."""
    rng = np.random.default_rng(seed)
    who = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item]
    score = np.linspace(2, 4, items)[:, None] + shift + rng.normal(0, 0.5, raters)[who]
    score = score + rng.normal(0, 0.8, who.shape)
    raters_of = np.char.add(name, who.ravel().astype(str))
    return Ratings(np.repeat(np.arange(items), per_item), raters_of, score.ravel())


def test_both_one_sided_tests_are_students_of_the_model() -> None:
    pairs, _ = summarize_pairs(crossed(1, 9, 8, 8, "a"), crossed(2, 9, 8, 8, "b"))
    shown = equivalence(0.1, TwoWayVariance(0.01, 0.02, 7.0), 0.5, pairs)
    error = np.sqrt(0.03)
    assert shown.p == pytest.approx(max(stats.t.sf(0.6 / error, 7), stats.t.cdf(-0.4 / error, 7)), rel=1e-9)
    assert (shown.low, shown.high) == pytest.approx(stats.t.interval(0.9, 7, 0.1, error), rel=1e-9)
    assert shown.margin_is == "as it was set"


def test_against_a_column_of_numbers_and_one_rating_by_each_rater_it_is_the_one_sample_t_test() -> None:
    # One rating of each item by a rater of his own: chance over raters is chance over items.
    rng = np.random.default_rng(4)
    gold = rng.normal(3, 1, 40)
    scores = gold + rng.normal(0.1, 0.4, 40)
    compared = compare(
        Ratings(np.arange(40), np.arange(40), scores), dict(enumerate(gold.tolist())), CLOSED
    ).equivalence
    margin = np.std(gold, ddof=1) / 4
    above = stats.ttest_1samp(scores - gold, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(scores - gold, margin, alternative="less").pvalue
    assert compared.margin == pytest.approx(margin)
    assert compared.p == pytest.approx(max(above, below), rel=1e-9)


@given(st.floats(-2, 2), st.floats(0.01, 1), st.floats(1, 50), st.floats(0.05, 2))
def test_p_is_below_its_level_just_where_the_90_percent_interval_lies_within_the_margin(
    difference: float, error: float, degrees: float, margin: float
) -> None:
    pairs, _ = summarize_pairs(crossed(1, 5, 3, 3, "a"), crossed(2, 5, 3, 3, "b"))
    shown = equivalence(difference, TwoWayVariance(error**2, 0.0, degrees), margin, pairs)
    assert shown.equivalent == (-margin < shown.low and shown.high < margin)


def test_the_margin_is_a_quarter_of_the_sd_of_all_single_reference_ratings() -> None:
    candidate, reference = crossed(1, 9, 8, 8, "a"), crossed(2, 12, 9, 4, "b")
    sd = np.std(reference.score, ddof=1)
    assert sd_of_single_ratings(summarize_pairs(candidate, reference)[0]) == pytest.approx(sd, rel=1e-12)
    compared = compare(candidate, reference, CLOSED).equivalence
    assert compared.margin == pytest.approx(sd / 4, rel=1e-12)
    assert compared.margin_is == f"0.25 of the SD of all single reference ratings, {sd:.2f}"


def test_equality_is_not_told_where_it_cannot_be() -> None:
    many = crossed(1, 9, 8, 8, "a")
    single = compare(many, crossed(2, 9, 1, 1, "b"), CLOSED).equivalence
    assert "single rater" in single.reason
    assert not single.equivalent
    assert (
        compare(many, Ratings([99], ["z"], [3]), CLOSED).equivalence.reason
        == "it needs at least 2 shared items"
    )
    flat = Ratings(np.repeat(np.arange(9), 2), ["x", "y"] * 9, [3.0] * 18)
    assert "no margin" in compare(many, flat, CLOSED).equivalence.reason
    with pytest.raises(InputError, match="above 0"):
        ComparisonSpec(margin=0.0)


def test_concordance_by_hand() -> None:
    # Variances 2/3 each, covariance 2/3, a shift of 1: 2 · 2/3 / (4/3 + 1) = 4/7.
    compared = compare(
        Ratings([0, 1, 2], ["x"] * 3, [1, 2, 3]), Ratings([0, 1, 2], ["y"] * 3, [2, 3, 4]), CLOSED
    )
    assert compared.concordance.value == pytest.approx(4 / 7, rel=1e-12)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=20))
def test_concordance_is_r_times_its_accuracy_and_never_beyond_it(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    if not (np.ptp(x) and np.ptp(y)):
        return
    ratio = x.std() / y.std()
    accuracy = 2 / (ratio + 1 / ratio + (x.mean() - y.mean()) ** 2 / (x.std() * y.std()))
    concordance = concordance_rows(x[None], y[None])[0]
    assert concordance == pytest.approx(np.corrcoef(x, y)[0, 1] * accuracy, abs=1e-12)
    with_gap = concordance_rows(np.append(x, np.nan)[None], np.append(y, 3.0)[None])[0]
    assert with_gap == pytest.approx(concordance, abs=1e-12)


def test_the_error_of_the_concordance_is_the_spread_over_samples() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 80))
    y = 0.8 * x + 0.4 + rng.normal(0, 0.6, x.shape)
    spread = np.arctanh(concordance_rows(x, y)).std()
    errors = [concordance_error(x[at], y[at], 0.0)[0] for at in range(500)]
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(spread, rel=0.06)


def without_each(values: np.ndarray) -> list[np.ndarray]:
    return [np.delete(values, at) for at in range(len(values))]


@pytest.mark.parametrize("seed", range(5))
def test_errors_of_concordance_and_rmse_are_the_jackknife_of_each_item_left_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 6, 12).astype(float)
    y = np.clip(x + rng.integers(-2, 2, 12), 1, 5).astype(float)
    pairs = list(zip(without_each(x), without_each(y), strict=True))
    z = [np.arctanh(concordance_rows(one[None], other[None])[0]) for one, other in pairs]
    logs = [np.log(np.sqrt(((one - other) ** 2).mean())) for one, other in pairs]
    for found, left in ((concordance_error(x, y, 0.0), z), (rmse_error(x - y, 0.0), logs)):
        assert found == pytest.approx((np.sqrt(11 / 12 * 12 * np.var(left)), 11), rel=1e-9)


def test_raters_add_to_both_errors_with_satterthwaites_degrees() -> None:
    x, y = np.array([1.0, 2, 3, 4, 5, 2]), np.array([1.5, 2, 2.5, 5, 4, 3])
    error, degrees = concordance_error(x, y, 0.0)
    assert concordance_error(x, y, error**2) == pytest.approx((error * np.sqrt(2), 4 * degrees))
    error, degrees = rmse_error(x - y, 0.0)
    of_mean_square = error**2 * (2 * ((x - y) ** 2).mean()) ** 2
    assert rmse_error(x - y, of_mean_square) == pytest.approx((error * np.sqrt(2), 4 * degrees))


def test_one_item_that_differs_has_the_error_of_the_delta_method() -> None:
    x, y = np.array([3.0, 3, 3, 3, 3, 3]), np.array([3.0, 3, 3, 3, 3, 4])
    error, degrees = rmse_error(x - y, 0.0)
    # The squares are 0, 0, 0, 0, 0 and 1: their mean is 1/6, its standard error 1/6.
    assert (error, degrees) == pytest.approx((0.5, 5))
    x[-1] = 5
    error, _ = concordance_error(x, y, 0.0)
    assert np.isfinite(error)


def test_the_concordance_of_twelve_items_holds_the_truth_of_new_items() -> None:
    rng = np.random.default_rng(12)
    truth, studies, held = 2 * 0.8 / (1 + 0.64 + 0.36 + 0.16), 1000, 0
    for _ in range(studies):
        x = rng.normal(size=12)
        y = 0.8 * x + 0.4 + rng.normal(0, 0.6, 12)
        error, degrees = concordance_error(x, y, 0.0)
        z = np.arctanh(concordance_rows(x[None], y[None])[0])
        held += abs(z - np.arctanh(truth)) <= stats.t.ppf(0.975, degrees) * error
    assert 0.92 <= held / studies <= 0.98


def test_what_raters_add_to_the_concordance_equals_a_numerical_derivative_summed_over_pairs_of_ratings() -> (
    None
):
    ours, theirs = crossed(1, 12, 9, 4, "a"), crossed(2, 12, 8, 3, "b", shift=0.7)
    means = [ours.mos().means, theirs.mos().means]
    total = 0.0
    for place, group in enumerate((ours, theirs)):
        pulls = []
        for item, rater, score in zip(group.item, group.rater, group.score, strict=True):
            others = group.score[(group.item == item) & (group.rater != rater)]
            ends = []
            for step in (1e-5, -1e-5):
                moved = [m.copy() for m in means]
                moved[place][item] += step * (score - others.mean()) / (len(others) + 1)
                ends.append(np.arctanh(concordance_rows(moved[0][None], moved[1][None])[0]))
            pulls.append((rater, (ends[0] - ends[1]) / 2e-5))
        raters = len(set(group.rater))
        products = sum(
            a * b
            for first, (rater, a) in enumerate(pulls)
            for second, (other, b) in enumerate(pulls)
            if first != second and rater == other
        )
        total += max((raters - 1) / raters * products, 0)
    assert concordance_variance(*summarize_pairs(ours, theirs)) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize(
    ("other", "one"),
    [
        ([0.1, 0.2, 0.35], False),
        ([0.05, 0.5, 0.98], False),  # nearly as wide as the ratings, and not far from them
        ([-0.4, 0.5, 0.9], False),
        ([-3.5, -1.0, -0.5], False),
        ([20, 60, 90], False),
        ([2.2, 3.1, 3.9], True),
        ([0.5, 2.5, 4.5], True),
        ([1, 1, 1], True),
    ],
)
def test_a_metric_is_not_on_the_scale_of_the_ratings(other: list[float], one: bool) -> None:
    assert same_scale(np.array([1.5, 3.0, 4.5]), np.array(other)) == one
    compared = compare(Ratings([0, 1, 2], ["x"] * 3, [1.5, 3, 4.5]), dict(enumerate(other)), CLOSED)
    assert compared.same_scale == one


def test_small_differences_of_one_scale_are_on_it() -> None:
    assert same_scale(np.array([-0.9, 0.1, 0.8]), np.array([-1.3, 0.2, 1.1]))  # CMOS by people and experts
    assert same_scale(np.array([0.2, 0.5, 0.9]), np.array([0.1, 0.4, 1.0]))


def test_two_groups_of_raters_are_on_one_scale_however_far_apart() -> None:
    high, low = (Ratings([0, 1], [f"{at}"] * 2, [at, at + 1.0]) for at in (90, 1))
    assert compare(high, low, CLOSED).same_scale


@pytest.mark.parametrize(("margin", "degrees"), [(2.5, 6), (3.0, 20), (4.0, 9)])
def test_the_power_at_no_difference_is_that_of_simulated_tests(margin: float, degrees: int) -> None:
    rng = np.random.default_rng(0)
    difference, error = rng.normal(size=40_000), np.sqrt(rng.chisquare(degrees, 40_000) / degrees)
    shown = np.abs(difference) + stats.t.ppf(0.95, degrees) * error < margin
    assert power_at_no_difference(margin, degrees) == pytest.approx(shown.mean(), abs=0.01)
