"""ICC: the published example, pingouin on complete ratings, statsmodels' variance components on incomplete ones."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.agreement.intraclass import FORMS, icc
from analysis.agreement.reliability import one_way
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings
from analysis.variance.components import components
from analysis.variance.generalisability import Averaged, d_study
from analysis.variance.jackknives import FEW_ITEMS, component_intervals

NO_DRAWS = BootstrapSpec(0)
SHROUT_AND_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def long_form(table):
    item, rater = np.nonzero(~np.isnan(table))
    return Ratings(item, rater, table[item, rater])


def crossed(seed, items, raters, missing=0.0, spread=(1.0, 0.7, 1.0)):
    rng = np.random.default_rng(seed)
    table = (
        rng.normal(0, spread[0], (items, 1))
        + rng.normal(0, spread[1], (1, raters))
        + rng.normal(0, spread[2], (items, raters))
    )
    table[rng.random(table.shape) < missing] = np.nan
    return table[~np.isnan(table).all(axis=1)]


def deviance(table, variances):
    """-2 log restricted likelihood by the full covariance matrix, without constants."""
    item, rater = np.nonzero(~np.isnan(table))
    y = table[item, rater]
    item_variance, rater_variance, rest = variances
    v = (
        item_variance * (item[:, None] == item)
        + rater_variance * (rater[:, None] == rater)
        + rest * np.eye(len(y))
    )
    inverse = np.linalg.inv(v)
    ones = np.ones(len(y))
    mean = ones @ inverse @ y / (ones @ inverse @ ones)
    left = y - mean
    return np.linalg.slogdet(v)[1] + np.log(ones @ inverse @ ones) + left @ inverse @ left


def test_shrout_and_fleiss():
    """Shrout & Fleiss 1979, Table 4."""
    found = icc(long_form(SHROUT_AND_FLEISS))
    printed = {
        "one_way": 0.17,
        "agreement": 0.29,
        "consistency": 0.71,
        "one_way_k": 0.44,
        "agreement_k": 0.62,
        "consistency_k": 0.91,
    }
    for form, value in printed.items():
        estimate = getattr(found, form)
        assert estimate.value == pytest.approx(value, abs=0.005)
        assert estimate.reason == FEW_ITEMS
        assert np.isnan(estimate.low)
        assert estimate.n == 6
    assert (found.items, found.raters, found.k, found.complete) == (6, 4, 4, True)


@pytest.mark.parametrize("seed", [0, 2, 5])
def test_complete_ratings_equal_pingouin(seed):
    table = SHROUT_AND_FLEISS if seed == 0 else crossed(seed, 5 + 4 * seed, 2 + seed % 4)
    ratings = long_form(table)
    frame = pd.DataFrame({"item": ratings.item, "rater": ratings.rater, "score": ratings.score})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that pingouin imports, and of its use of pandas
        import pingouin

        expected = pingouin.intraclass_corr(frame, "item", "rater", "score").set_index("Type")
    found = icc(ratings)
    names = ("ICC(1,1)", "ICC(1,k)", "ICC(A,1)", "ICC(A,k)", "ICC(C,1)", "ICC(C,k)")
    for form, name in zip(FORMS, names, strict=True):
        estimate = getattr(found, form)
        assert estimate.value == pytest.approx(expected.loc[name, "ICC"], abs=1e-9)


@pytest.mark.parametrize(("seed", "items", "raters"), [(0, 12, 4), (1, 25, 6), (2, 40, 5)])
def test_incomplete_ratings_equal_the_variance_components_of_statsmodels(seed, items, raters):
    table = crossed(seed, items, raters, missing=0.3)
    ratings = long_form(table)
    frame = pd.DataFrame({"item": ratings.item, "rater": ratings.rater, "score": ratings.score, "all": 1})
    parts = {"item": "0 + C(item)", "rater": "0 + C(rater)"}
    from statsmodels.regression.mixed_linear_model import MixedLM

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own doubts about convergence
        fit = MixedLM.from_formula(
            "score ~ 1", groups="all", re_formula="0", vc_formula=parts, data=frame
        ).fit()
    by_name = dict(zip(fit.model.exog_vc.names, fit.vcomp, strict=True))
    item, rater, rest = by_name["item"], by_name["rater"], fit.scale
    found = icc(ratings, NO_DRAWS)
    assert found.method == "REML"
    assert found.variances == pytest.approx((item, rater, rest), abs=2e-3)
    assert found.agreement.value == pytest.approx(item / (item + rater + rest), abs=1e-3)
    assert found.consistency.value == pytest.approx(item / (item + rest), abs=1e-3)
    assert found.k == pytest.approx(1 / np.mean(1 / np.bincount(ratings.item)))
    assert found.agreement_k.value == pytest.approx(item / (item + (rater + rest) / found.k), abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_nothing_near_is_likelier_by_the_full_covariance_matrix(seed):
    spread = (1.0, 0.7, 1.0) if seed < 4 else (0.0, 2.0, 1.0) if seed < 6 else (2.0, 0.0, 0.3)
    table = crossed(seed, 9, 4, 0.25, spread)
    variances = np.array(icc(long_form(table), NO_DRAWS).variances)
    assert (variances >= 0).all()
    best = deviance(table, variances)
    for step in (*np.eye(3), *-np.eye(3)):
        for size in (1e-3, 0.05, 0.5):
            other = variances + size * step
            if (other >= [0, 0, 1e-9]).all():
                assert deviance(table, other) > best - 1e-7


def test_the_one_way_forms_are_those_of_reliability():
    ratings = long_form(crossed(5, 20, 5, 0.4))
    found = icc(ratings, NO_DRAWS)
    assert found.one_way.value == pytest.approx(one_way(ratings).icc, abs=1e-12)
    within, between = one_way(ratings).within, one_way(ratings).between
    assert found.one_way_k.value == pytest.approx(between / (between + within / found.k), abs=1e-12)


def test_intervals_are_those_of_the_variance_components():
    table = crossed(6, 24, 5, 0.2)
    ratings, spec = long_form(table), BootstrapSpec(300, seed=1)
    found = icc(ratings, spec)
    variances = components(ratings.item, ratings.rater, ratings.score, bootstrap=spec)
    (one,) = d_study(variances, [Averaged("item", 1, 1, True)])
    for estimate, other in ((found.consistency, one.coefficient), (found.agreement, one.dependability)):
        assert [estimate.value, estimate.low, estimate.high] == pytest.approx(
            [other.value, other.low, other.high], abs=1e-9
        )


def test_intervals_of_complete_ratings_are_the_jackknives():
    ratings = long_form(crossed(2, 14, 5))
    found, expected = icc(ratings), component_intervals(ratings.item, ratings.rater, ratings.score)
    for one, other in ((found.consistency, expected.consistency), (found.agreement, expected.agreement)):
        assert [one.value, one.low, one.high] == pytest.approx([other.value, other.low, other.high])
    for of_k, of_one in (
        (found.consistency_k, found.consistency),
        (found.agreement_k, found.agreement),
        (found.one_way_k, found.one_way),
    ):
        for end in ("low", "value", "high"):
            one = getattr(of_one, end)
            assert getattr(of_k, end) == pytest.approx(max(5 * one / (1 + 4 * one), -1))


def test_one_way_has_the_standard_error_of_agreement_around_its_own_value():
    found = icc(long_form(crossed(4, 30, 6, 0.3)))

    def z(rho):
        return 0.5 * np.log(1 + found.k * rho / (1 - rho))

    moved = z(found.one_way.value) - z(found.agreement.value)
    for end in ("low", "high"):
        assert z(getattr(found.one_way, end)) == pytest.approx(z(getattr(found.agreement, end)) + moved)


def test_one_missing_rating_changes_little():
    table = crossed(3, 30, 6)
    whole = icc(long_form(table))
    table[4, 2] = np.nan
    less = icc(long_form(table))
    for form in FORMS:
        one, other = getattr(whole, form), getattr(less, form)
        assert other.value == pytest.approx(one.value, abs=0.03)
        assert [other.low, other.high] == pytest.approx([one.low, one.high], abs=0.12)


@pytest.mark.parametrize("raters", [8, 60])
def test_many_ratings_recover_the_planted_variances(raters):
    rng = np.random.default_rng(8)
    n, each = 6_000, 5
    rater = np.argsort(rng.random((n, raters)), axis=1)[:, :each].ravel()
    item = np.repeat(np.arange(n), each)
    severity = rng.normal(0, 1, raters)
    severity *= 0.5 / severity.std(ddof=1)
    score = rng.normal(0, 1, n)[item] + severity[rater] + rng.normal(0, 0.8, n * each)
    found = icc(Ratings(item, rater, score))
    assert found.method == "REML"
    assert found.variances == pytest.approx((1, 0.25, 0.64), rel=0.06)
    assert found.agreement.low < 1 / 1.89 < found.agreement.high


tables = some.tuples(
    some.integers(0, 10**6), some.integers(3, 8), some.integers(2, 5), some.sampled_from([0, 0.3])
)


@settings(max_examples=20, deadline=None)
@given(tables, some.floats(-50, 50), some.floats(0.1, 20))
def test_shift_scale_and_order_do_not_matter(given_table, shift, scale):
    table = np.round(crossed(*given_table), 1)
    before = icc(long_form(table), NO_DRAWS)
    after = icc(long_form(scale * table[::-1, ::-1] + shift), NO_DRAWS)
    for form in FORMS:
        one, other = getattr(before, form), getattr(after, form)
        assert other.value == pytest.approx(one.value, abs=2e-6, nan_ok=True)


@given(
    some.lists(
        some.lists(some.sampled_from([1, 2, 3, np.nan]), min_size=3, max_size=3), min_size=1, max_size=6
    )
)
def test_small_coarse_tables_give_a_number_in_its_interval_or_a_reason(rows):
    all_forms = icc(long_form(np.array(rows, dtype=float)), BootstrapSpec(20))
    for form in FORMS:
        found = getattr(all_forms, form)
        assert np.isfinite(found.low) != bool(found.reason)
        assert not found.defined or found.value <= 1 + 1e-12
        if not found.reason:
            assert found.low <= found.value <= found.high


@pytest.mark.parametrize("missing", [False, True])
def test_perfect_agreement_is_one(missing):
    table = np.repeat([[1.0], [4.0], [2.0], [2.0], [5.0]], 4, axis=1)
    if missing:
        table[0, 1] = table[2, 3] = np.nan
    found = icc(long_form(table), BootstrapSpec(50))
    for form in FORMS:
        assert getattr(found, form).value == pytest.approx(1, abs=1e-12)


def test_a_severe_rater_costs_agreement_and_no_consistency():
    table = np.add.outer([1.0, 4.0, 2.0, 3.0], [0.0, 1.0, 2.0])
    found = icc(long_form(table))
    assert found.consistency.value == 1
    assert found.agreement.value < 0.7


def test_several_ratings_of_a_cell_are_averaged():
    once = icc(Ratings([1, 1, 2, 2, 3, 3], [1, 2] * 3, [1, 2, 3, 3, 5, 4]))
    twice = icc(Ratings([1, 1, 1, 2, 2, 3, 3], [1, 1, 2, 1, 2, 1, 2], [0, 2, 2, 3, 3, 5, 4]))
    assert (once.averaged, twice.averaged) == (0, 1)
    assert twice.agreement.value == pytest.approx(once.agreement.value, abs=1e-12)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (Ratings([], [], []), "single item"),
        (Ratings([1, 1], [1, 2], [3, 4]), "single item"),
        (Ratings([1, 2], [1, 1], [3, 4]), "single rater"),
        (Ratings([1, 1, 2, 2], [1, 2, 1, 2], [0.1] * 4), "all ratings are equal"),
        (Ratings([1, 1, 2], [1, 2, 1], [3.0, 4, 5]), "too few ratings"),
        (Ratings([1, 1, 2, 2], [1, 2, 1, 2], [1, 2, 1, 2]), "items do not differ"),
    ],
)
def test_undefined_is_nan_with_a_reason(ratings, reason):
    found = icc(ratings)
    assert not found.consistency_k.defined
    assert reason in found.consistency_k.reason


def test_exact_sums_of_items_and_raters_have_no_peak():
    table = np.add.outer([1.0, 4.0, 2.0, 3.0, 7.0], [0.0, 1.0, 2.0])
    table[0, 0] = np.nan
    found = icc(long_form(table), NO_DRAWS)
    assert "explain every rating" in found.agreement.reason
