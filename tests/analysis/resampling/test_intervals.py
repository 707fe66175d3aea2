"""The interval rules against NumPy and SciPy, their laws, and how often they cover where that is known exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from analysis.resampling.intervals import (
    ANGLE,
    FISHER,
    IDENTITY,
    LOG,
    UNIT_INTERVAL,
    bootstrap_error,
    center_samples,
    expanded_percentiles,
    fieller_interval,
    has_enough_samples,
    inflate_samples,
    interval_from_error,
    order_statistics,
    percentile_interval,
    pseudo_value_interval,
    scaled_percentiles,
    wilson_interval,
    wilson_interval_from_samples,
    wilson_interval_from_variance,
)

NONE = float("nan")
SKEWED = np.random.default_rng(0).exponential(1, 100_000)


def with_gaps(drawn):
    """The same draws among others that are undefined."""
    gaps = np.full((len(drawn) // 2, *drawn.shape[1:]), NONE)
    return np.random.default_rng(1).permutation(np.concatenate([drawn, gaps]))


def test_percentiles_are_numpys_where_units_are_many():
    drawn = np.random.default_rng(2).normal(0, 1, (201, 3))
    low, high = percentile_interval(np.zeros(3), drawn, 0.9)
    np.testing.assert_allclose([low, high], np.quantile(drawn, [0.05, 0.95], axis=0), rtol=1e-14)
    np.testing.assert_array_equal(percentile_interval(np.zeros(3), with_gaps(drawn), 0.9), [low, high])


def test_percentiles_of_few_units_lie_further_out():
    drawn = np.random.default_rng(3).normal(0, 1, (2000, 2))
    low, high = percentile_interval(np.zeros(2), drawn, 0.95, [5, 1])
    np.testing.assert_allclose(low[0], np.quantile(drawn[:, 0], expanded_percentiles(5, 0.95)[0]))
    np.testing.assert_allclose(high[0], np.quantile(drawn[:, 0], expanded_percentiles(5, 0.95)[1]))
    assert low[0] < np.quantile(drawn[:, 0], 0.025)
    assert np.isnan([low[1], high[1]]).all()


def test_tails_are_widened_by_students_t():
    """Hesterberg 2015, section 4: the normal tail beyond t sqrt(n / (n - 1))."""
    below, above = expanded_percentiles(10, 0.95)
    assert below == pytest.approx(stats.norm.sf(stats.t.ppf(0.975, 9) * np.sqrt(10 / 9)))
    assert above == pytest.approx(1 - below)
    assert expanded_percentiles(np.inf, 0.9)[0] == pytest.approx(0.05)


def test_means_of_few_normal_values_are_covered():
    """In 4,000 samples of 6, widened percentiles cover the mean in 93%, plain in 86%."""
    rng = np.random.default_rng(4)
    samples = rng.normal(0, 1, (6, 4000))
    drawn = rng.multinomial(6, np.full(6, 1 / 6), 800) @ samples / 6
    for units, least, most in ((6, 0.92, 0.96), (np.inf, 0.84, 0.88)):
        low, high = percentile_interval(samples.mean(axis=0), drawn, 0.95, units)
        assert least < ((low <= 0) & (high >= 0)).mean() < most


def test_a_variance_of_independent_trials_is_worth_their_number():
    _, low, high = wilson_interval(70, 100)
    np.testing.assert_allclose(
        wilson_interval_from_variance(0.7, 0.7 * 0.3 / 100, 1, 0.95, np.inf), [low, high]
    )
    _, low, high = wilson_interval(40, 40)
    np.testing.assert_allclose(wilson_interval_from_variance(1.0, 0.0, 40, 0.95, np.inf), [low, high])
    assert np.diff(wilson_interval_from_variance(0.7, 0.0021, 1, 0.95, 4)) > np.diff(
        wilson_interval_from_variance(0.7, 0.0021, 1, 0.95, 99)
    )


def test_widened_draws_keep_their_mean_and_have_the_variance_asked_for():
    drawn = np.random.default_rng(4).uniform(0.1, 0.9, (50, 2))
    for scale in (FISHER, ANGLE):
        before, after = scale.forward(drawn), scale.forward(inflate_samples(drawn, [0.0, 0.01], scale))
        np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0))
        np.testing.assert_allclose(
            after.var(axis=0, ddof=1) - before.var(axis=0, ddof=1), [0, 0.01], atol=1e-12
        )
    still = np.full((5, 1), 0.5)
    np.testing.assert_allclose(inflate_samples(still, 1.0, FISHER), still)


def test_moved_draws_have_the_estimate_as_their_mean():
    drawn = with_gaps(np.random.default_rng(6).uniform(0.2, 0.9, (50, 2)))
    for scale in (FISHER, ANGLE):
        on_scale = scale.forward(center_samples([0.4, 0.8], drawn, scale))
        np.testing.assert_allclose(np.nanmean(on_scale, axis=0), scale.forward(np.array([0.4, 0.8])))


def test_shaped_has_the_shape_of_the_draws_and_the_width_of_the_variance():
    low, high = scaled_percentiles(5.0, SKEWED, 0.95, 1e9, 4.0)
    assert low == pytest.approx(5 + 2 * (np.quantile(SKEWED, 0.025) - 1), abs=0.05)
    assert high == pytest.approx(5 + 2 * (np.quantile(SKEWED, 0.975) - 1), abs=0.1)
    assert scaled_percentiles(5.0, SKEWED, 0.95, 3, 0.0) == (5.0, 5.0)
    assert np.isnan(scaled_percentiles(5.0, np.ones(9), 0.95, 3, 1.0)).all()
    assert np.isnan(scaled_percentiles(5.0, SKEWED, 0.95, NONE, NONE)).all()


def test_shaped_by_the_draws_own_variance_stretches_for_few_units():
    drawn = np.random.default_rng(7).normal(2, 1, 400)
    low, high = scaled_percentiles(0.0, np.append(drawn, [np.inf, NONE]), 0.95, 4)
    factor = stats.t.ppf(0.975, 4) / stats.norm.ppf(0.975)
    expected = factor * (np.quantile(drawn, [0.025, 0.975]) - drawn.mean())
    assert (low, high) == pytest.approx(tuple(expected))


def test_order_statistics_are_draws_and_unknown_ones_count_against_both_ends():
    drawn = np.arange(100.0)
    assert order_statistics(drawn, 0.95) == (2, 97)
    drawn[50:53] = NONE
    low, high = order_statistics(drawn, 0.95)
    assert np.isnan([low, high]).all()
    assert order_statistics(drawn, 0.95, 0, 99) == (0, 99)
    assert order_statistics(np.array([1.0, 2.0, np.inf]), 0.9).low == 1
    assert np.isnan(order_statistics(np.array([1.0, 2.0, np.inf]), 0.9).high)


def test_by_error_is_students_interval_of_a_mean_and_fishers_of_a_correlation():
    values = np.array([1.0, 4.0, 2.0, 8.0])
    error = values.std(ddof=1) / 2
    expected = stats.t.interval(0.9, 3, values.mean(), error)
    assert interval_from_error(values.mean(), error, 0.9, 3) == pytest.approx(expected)
    x, y = np.random.default_rng(8).normal(0, 1, (2, 20))
    r = stats.pearsonr(x, y)
    expected = r.confidence_interval(0.95)
    assert interval_from_error(r.statistic, 1 / np.sqrt(17), 0.95, scale=FISHER) == pytest.approx(
        tuple(expected)
    )
    assert interval_from_error(2.0, 0.1, 0.95, scale=LOG) == pytest.approx(
        (2 * np.exp(-0.1 * stats.norm.ppf(0.975)), 2 * np.exp(0.1 * stats.norm.ppf(0.975)))
    )
    assert interval_from_error(0.9, 1.0, 0.95, limits=UNIT_INTERVAL) == (0, 1)
    assert np.isnan(interval_from_error(0.9, NONE, 0.95)).all()


@pytest.mark.parametrize("trials", [5, 10, 20, 50, 200])
def test_wilson_covers_what_its_docstring_says(trials):
    hits, true = np.arange(trials + 1), np.linspace(0.0005, 0.9995, 2000)
    _, low, high = wilson_interval(hits, np.full(trials + 1, trials))
    covered = (low[:, None] <= true) & (true <= high[:, None])
    coverage = (stats.binom.pmf(hits[:, None], trials, true) * covered).sum(axis=0)
    assert coverage.mean() == pytest.approx(0.953, abs=0.003)
    assert coverage[(true > 0.05) & (true < 0.95)].min() > 0.89


def test_wilson_is_scipys():
    for hits, trials in ((0, 7), (3, 7), (7, 7)):
        expected = stats.binomtest(hits, trials).proportion_ci(0.9, "wilson")
        assert wilson_interval(hits, trials, 0.9) == pytest.approx((hits / trials, *expected))
    assert np.isnan(wilson_interval(0, 0)).all()


def test_draws_of_independent_trials_are_worth_their_number():
    drawn = np.random.default_rng(9).binomial(40, 0.7, 100_000) / 40
    low, high = (float(end) for end in wilson_interval(28, 40)[1:])
    assert wilson_interval_from_samples(0.7, drawn, 1, 0.95, 10**9) == pytest.approx((low, high), abs=0.003)
    low, high = (float(end) for end in wilson_interval(40, 40)[1:])
    assert wilson_interval_from_samples(1.0, np.ones(100), 40, 0.95, 10**9) == pytest.approx((low, high))
    assert np.isnan(wilson_interval_from_samples(NONE, drawn, 1, 0.95, 10)).all()


def test_without_each_of_its_values_a_mean_gets_students_interval_of_half_the_degrees():
    values = np.random.default_rng(6).normal(3, 1, 21)
    left = (values.sum() - values) / 20
    half = stats.t.ppf(0.975, 10) * values.std(ddof=1) / np.sqrt(21)
    found = pseudo_value_interval(values.mean(), left, 0.95, scale=IDENTITY, limits=(-np.inf, np.inf))
    assert found == pytest.approx((values.mean() - half, values.mean() + half))


def test_over_rows_and_columns_their_variances_add_up_minus_that_of_cells():
    rng = np.random.default_rng(7)
    table = rng.normal(0, 1, 12)[:, None] + rng.normal(0, 1, 5) + rng.normal(0, 1, (12, 5))
    total = table.sum()
    rows, columns = (total - table.sum(axis=1)) / 55, (total - table.sum(axis=0)) / 48
    cells = (total - table.ravel()) / 59
    found = pseudo_value_interval(table.mean(), rows, 0.95, columns, cells, IDENTITY, (-np.inf, np.inf))

    def variance(left):
        return (len(left) - 1) ** 2 / len(left) * np.var(left, ddof=1)

    among = variance(columns) - variance(cells)
    both = variance(rows) + among
    degrees = min(both**2 / (variance(rows) ** 2 / 5.5 + among**2 / 4), 4)
    assert found.high - table.mean() == pytest.approx(stats.t.ppf(0.975, degrees) * np.sqrt(both))


def test_no_interval_where_nothing_changes_or_nothing_is_left():
    assert np.isnan(pseudo_value_interval(1.0, np.ones(9), 0.95)).all()
    assert np.isnan(pseudo_value_interval(0.5, np.array([0.4, NONE, 0.6]), 0.95)).all()
    assert np.isnan(pseudo_value_interval(0.5, np.array([0.4]), 0.95)).all()
    some = np.array([0.4, 0.5, 0.6])
    assert np.isnan(pseudo_value_interval(0.5, some, 0.95, np.array([0.4, NONE]), some)).all()


def test_half_of_the_draws_must_be_defined():
    drawn = np.array([[1, 1, 1], [2, 2, NONE], [3, NONE, NONE], [4, NONE, NONE]])
    assert has_enough_samples(drawn).tolist() == [True, True, False]
    np.testing.assert_allclose(bootstrap_error(drawn), [np.std([1, 2, 3, 4], ddof=1), np.sqrt(0.5), NONE])
    assert np.isnan(percentile_interval(np.ones(3), drawn, 0.95).low).tolist() == [False, False, True]
    assert np.isnan(scaled_percentiles(np.ones(3), drawn, 0.95, 9).low).tolist() == [False, False, True]
    assert np.isnan(percentile_interval(1.0, np.empty(0), 0.95)).all()


@given(
    arrays(np.float64, (30, 2), elements=st.floats(0.01, 0.99)),
    arrays(np.float64, 2, elements=st.floats(0.01, 0.99)),
    st.sampled_from([0.5, 0.9, 0.95]),
)
def test_every_interval_holds_its_estimate(drawn, value, level):
    made = [
        percentile_interval(value, drawn, level, 7),
        *(
            interval_from_error(value, drawn.std(axis=0), level, 3, scale=scale)
            for scale in (FISHER, ANGLE, LOG)
        ),
        scaled_percentiles(value, drawn, level, 5, scale=FISHER),
        *([pseudo_value_interval(float(v), left, level) for v, left in zip(value, drawn.T, strict=True)]),
    ]
    for low, high in made[-2:]:
        assert np.isnan(low) or low <= high
    for low, high in made[:-2]:
        known = ~np.isnan(low)
        assert (low[known] <= value[known]).all()
        assert (value[known] <= high[known]).all()


@pytest.mark.parametrize("above", [-1.0, 0.4, 3.0])
def test_fieller_holds_just_the_ratios_that_are_not_ruled_out(above: float) -> None:
    covariance = np.array([[0.2, 0.05], [0.05, 0.1]])
    low, high = fieller_interval(above, 2.0, covariance, 0.95)
    ratios = np.linspace(-4, 4, 80_001)
    error = np.sqrt(covariance[0, 0] - 2 * ratios * covariance[0, 1] + ratios**2 * covariance[1, 1])
    held = ratios[np.abs(above - 2.0 * ratios) <= 1.959964 * error]
    assert (float(low), float(high)) == pytest.approx((held.min(), held.max()), abs=2e-4)


def test_fieller_has_no_bounds_where_the_figure_below_may_be_0() -> None:
    assert np.isnan(fieller_interval(1.0, 0.3, np.eye(2), 0.95)).all()
    low, high = fieller_interval(5.0, 1.0, np.eye(2), 0.95)
    assert high == np.inf
    ratios = np.linspace(0, 50, 500_001)
    held = ratios[np.abs(5.0 - ratios) <= 1.959964 * np.sqrt(1 + ratios**2)]
    assert held.max() == 50
    assert float(low) == pytest.approx(held.min(), abs=2e-4)
