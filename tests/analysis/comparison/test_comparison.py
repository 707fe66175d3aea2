from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from analysis.comparison.comparison import (
    Comparison,
    ComparisonSpec,
    compare,
    compare_sums,
    summarize_order,
    verdict_flips,
)
from analysis.comparison.level_tests import Tails, mann_whitney_p
from analysis.comparison.variance_components import summarize_pairs
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings
from tests.analysis.comparison import crossed_studies

QUICK = ComparisonSpec(bootstrap=BootstrapSpec(200), permutations=199)
CLOSED = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0)
FIGURES = ("spearman", "pearson", "kendall", "rmse", "mean_difference")


def two_groups(
    seed: int = 0, items: int = 40, raters: int = 9, shift: float = 0.3
) -> tuple[Ratings, Ratings]:
    design = crossed_studies.Design("", items, (raters, raters + 2), (raters - 2, raters))
    (x, in_x), (y, in_y) = crossed_studies.study(design, np.random.default_rng(seed))
    return crossed_studies.as_ratings(x, in_x, "a"), crossed_studies.as_ratings(y, in_y, "b")


def ratings_of(table: list[list[float]], group: str, first: int = 0) -> Ratings:
    item, rater = (index.ravel() for index in np.indices(np.shape(table)))
    return Ratings(item + first, np.char.add(group, rater.astype(str)), np.ravel(table))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_every_closed_figure_is_scipys(alternative):
    ours, theirs = two_groups(1)
    found = compare(ours, theirs, replace(CLOSED, alternative=alternative))
    _, x, _ = ours.mos()
    _, y, _ = theirs.mos()
    for name, scipys in (
        ("spearman", stats.spearmanr),
        ("pearson", stats.pearsonr),
        ("kendall", stats.kendalltau),
    ):
        expected = scipys(x, y)
        assert getattr(found, name).value == pytest.approx(expected.statistic, abs=1e-9)
        assert getattr(found, f"{name}_p") == pytest.approx(expected.pvalue, rel=1e-9)
    u = stats.mannwhitneyu(x, y, alternative=alternative, method="asymptotic", use_continuity=True)
    assert found.u == u.statistic
    assert found.u_p == pytest.approx(u.pvalue, rel=1e-9)
    assert found.rank_biserial == pytest.approx(2 * u.statistic / len(x) ** 2 - 1, abs=1e-12)
    difference = np.round(x - y, 9)
    assert found.wilcoxon == stats.wilcoxon(difference, alternative="greater").statistic
    assert found.mean_difference.value == pytest.approx((x - y).mean(), abs=1e-9)
    assert found.rmse.value == pytest.approx(np.sqrt(((x - y) ** 2).mean()), abs=1e-9)
    assert found.limit_low.value == pytest.approx((x - y).mean() - 1.96 * (x - y).std(ddof=1), abs=1e-9)
    assert found.limit_high.value == pytest.approx((x - y).mean() + 1.96 * (x - y).std(ddof=1), abs=1e-9)
    assert found.candidate.median == pytest.approx(np.median(x), abs=1e-9)


def test_mann_whitney_counts_pairs():
    ours, theirs = two_groups(2, items=15)
    x, y = ours.mos().means, theirs.mos().means
    pairs = (x[:, None] > y).sum() + (x[:, None] == y).sum() / 2
    assert compare(ours, theirs, CLOSED).u == pairs


def test_bland_altmans_interval_of_the_limits():
    # Bland & Altman 1986, p. 309: PEFR, n = 17, mean -2.1, SD 38.8, limits -79.7 and 75.5 with 2 SD;
    # SE of a limit about sqrt(3 s² / n) = 16.3, t = 2.12
    differences = np.random.default_rng(0).normal(size=17)
    differences = (differences - differences.mean()) / differences.std(ddof=1) * 38.8 - 2.1
    metre = Ratings(range(17), ["a"] * 17, 400 + differences)
    found = compare(metre, dict.fromkeys(range(17), 400.0), replace(CLOSED, raters_are_persons=False))
    assert found.limit_low.value == pytest.approx(-2.1 - 1.96 * 38.8, abs=1e-6)
    assert found.limit_high.high - found.limit_high.value == pytest.approx(2.12 * 16.3, rel=0.03)


def test_exchanged_labels_are_counted_out_where_they_are_few():
    ours, theirs = (
        ratings_of([[1, 2, 1], [2, 3, 2], [1, 1, 2], [3, 3, 3], [2, 2, 2]], "a"),
        ratings_of([[3, 4, 4], [4, 5, 4], [3, 3, 4], [5, 5, 5], [4, 4, 5]], "b"),
    )
    found = compare(ours, theirs, replace(CLOSED, permutations=9999))
    # All candidates below all references: 1 of 20 labellings is as low, and 2 as far.
    assert found.permuted_tails.less == 1 / 20
    assert found.permuted_tails.two_sided == 2 / 20
    assert found.permuted_tails.greater == 1
    assert "all 20 ways" in found.permuted_test


@pytest.mark.slow
def test_rater_test_holds_its_level_where_mann_whitney_and_wilcoxon_do_not():
    design = crossed_studies.Design("", 30, (10, 10), (10, 10), severity=0.5)
    by_raters, by_items = [], []
    for seed in range(300):
        (x, in_x), (y, in_y) = crossed_studies.study(design, np.random.default_rng(seed))
        found = compare(
            crossed_studies.as_ratings(x - 0.13, in_x, "a"),
            crossed_studies.as_ratings(y, in_y, "b"),
            replace(CLOSED, permutations=199),
        )
        by_raters.append(found.rater_p)
        by_items.append(found.wilcoxon_p)
    assert np.mean(np.array(by_raters) < 0.05) == pytest.approx(0.05, abs=0.035)
    assert np.mean(np.array(by_items) < 0.05) > 0.3


def test_numbers_as_reference_take_the_t_test():
    ours, _ = two_groups(3)
    _, means, _ = ours.mos()
    reference = {int(item): float(value) for item, value in zip(range(40), means + 0.2, strict=True)}
    found = compare(ours, {**reference, 999: 1.0, 7: float("nan")}, QUICK)
    assert found.items_shared == 39
    assert found.left_out_candidate == 1
    assert found.left_out_reference == 1
    assert found.reference.raters == 0
    assert "t test" in found.rater_test
    assert found.mean_difference.value == pytest.approx(-0.2, abs=1e-9)
    assert found.mean_difference.low < -0.2 < found.mean_difference.high
    assert "candidate's raters" in found.interval_method


def test_slots_say_so_and_narrow_the_interval():
    ours, theirs = two_groups(4)
    persons = compare(ours, theirs, QUICK)
    slots = compare(ours, theirs, replace(QUICK, raters_are_persons=False))
    assert "slots" in slots.interval_method
    assert "slots" in slots.rater_test
    assert np.isnan(slots.rater_p)
    width = [c.mean_difference.high - c.mean_difference.low for c in (slots, persons)]
    assert width[0] < width[1]
    assert slots.spearman.value == persons.spearman.value


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_items_are_undefined_with_reasons(n):
    ours = ratings_of([[1, 2], [3, 3]][:n] or [[1, 2]], "a")
    theirs = ratings_of([[2, 3], [3, 5]][:n] or [[1, 2]], "b", first=0 if n else 50)
    alone = summarize_order(summarize_pairs(ours, theirs)[0])
    for found in (compare(ours, theirs), compare_sums(*summarize_pairs(ours, theirs))):
        assert alone.items_shared == found.items_shared == n
        assert alone.spearman.reason == found.spearman.reason
        assert alone.strength == found.strength
        assert np.isnan(found.spearman.value)
        assert "at least 3 items" in found.spearman.reason
        assert found.strength == "undefined"
        assert found.reasons
        assert np.isnan(found.rater_p) or n == 2
        assert found.mean_difference.defined == (n > 0)


def test_nothing_at_all():
    nothing = Ratings([], [], [])
    for reference in (nothing, {}, {"a": 1.0}):
        found = compare(nothing, reference)
        assert found.items_shared == 0
        assert np.isnan(found.u)
        assert found.candidate.reason


def test_constant_scores_are_undefined_with_a_reason():
    flat, spread = ratings_of([[3, 3]] * 8, "a"), ratings_of([[i, i] for i in range(8)], "b")
    found = compare(flat, spread, QUICK)
    assert np.isnan(found.spearman.value)
    assert "constant" in found.spearman.reason
    assert found.mean_difference.value == pytest.approx(-0.5)
    both = compare(flat, ratings_of([[3, 3]] * 8, "b"), QUICK)
    assert np.isnan(both.wilcoxon_p)
    assert np.isnan(both.u_p)
    assert both.rmse.value == 0
    assert np.isnan(both.mean_difference.low)
    assert "all differences are equal" in both.mean_difference.reason


def test_perfect_agreement_is_one():
    ours, _ = two_groups(5)
    same = Ratings(ours.item, np.char.add("x", ours.rater), ours.score)
    found = compare(ours, same, QUICK)
    for name in ("spearman", "pearson", "kendall"):
        assert getattr(found, name).value == pytest.approx(1, abs=1e-12)
        assert "perfect" in getattr(found, name).reason
    assert found.strength == "very strong"
    assert found.rmse.value == found.mean_difference.value == found.rank_biserial == 0


def closed(found: Comparison) -> list[float]:
    numbers = [getattr(found, name).value for name in FIGURES]
    numbers += [found.u, found.wilcoxon, found.rank_biserial, found.limit_low.value, found.limit_high.high]
    for tails in (found.u_tails, found.wilcoxon_tails):
        numbers += [tails.two_sided, tails.less, tails.greater]
    for side in (found.candidate, found.reference):
        numbers += [side.items, side.ratings, side.raters, side.median, side.mean, side.sd, side.skewness]
        numbers += [side.normality.statistic, side.normality.p]
    return [*numbers, found.spearman_p, found.pearson_p, found.kendall_p]


@pytest.mark.parametrize("seed", range(5))
def test_sums_give_the_same_as_ratings(seed):
    ours, theirs = two_groups(seed)
    from_ratings, from_sums = (
        compare(ours, theirs, QUICK),
        compare_sums(*summarize_pairs(ours, theirs), QUICK),
    )
    assert_allclose(closed(from_ratings), closed(from_sums), rtol=1e-9)
    analytic = compare(ours, theirs, replace(QUICK, most_items_drawn=10))
    for name in FIGURES:
        assert getattr(analytic, name) == getattr(from_sums, name)
    assert "analytic" in analytic.interval_method
    assert analytic.rater_p == from_sums.rater_p


@pytest.mark.parametrize("seed", range(5))
def test_the_order_alone_is_that_of_the_whole_comparison(seed):
    ours, theirs = two_groups(seed)
    whole, alone = compare(ours, theirs, CLOSED), summarize_order(summarize_pairs(ours, theirs)[0])
    assert alone.spearman == replace(whole.spearman, low=alone.spearman.low, high=alone.spearman.high)
    assert np.isnan([alone.spearman.low, alone.spearman.high]).all()
    assert (alone.strength, alone.items_shared) == (whole.strength, whole.items_shared)
    expected = stats.spearmanr(ours.mos().means, theirs.mos().means).statistic
    assert alone.spearman.value == pytest.approx(expected, abs=1e-9)


def test_analytic_intervals_agree_with_the_drawn_ones():
    ours, theirs = two_groups(6, 600, 12)
    drawn = compare(ours, theirs, ComparisonSpec(permutations=999))
    analytic = compare(ours, theirs, ComparisonSpec(most_items_drawn=0))
    for name in FIGURES:
        a, b = getattr(drawn, name), getattr(analytic, name)
        assert a.value == b.value
        assert (a.high - a.low) / (b.high - b.low) == pytest.approx(1, abs=0.15)
        assert a.low < a.value < a.high
    assert drawn.rater_p == pytest.approx(analytic.rater_p, abs=0.06)


def test_analytic_mean_difference_agrees_with_the_plain_pigeonhole():
    # With many ratings per item and severity well above chance the plain bootstrap is right too (Owen 2007).
    from analysis.resampling.pigeonhole import pigeonhole_bootstrap, rating_matrix

    design = crossed_studies.Design("", 400, (40, 40), (40, 40), severity=0.6)
    (x, in_x), (y, in_y) = crossed_studies.study(design, np.random.default_rng(1))
    ours, theirs = crossed_studies.as_ratings(x, in_x, "a"), crossed_studies.as_ratings(y, in_y, "b")
    items = np.arange(400)
    draws = pigeonhole_bootstrap(
        rating_matrix(ours, items),
        rating_matrix(theirs, items),
        lambda a, b: (a - b).mean(axis=1)[None],
        BootstrapSpec(3000),
    )
    found = compare_sums(*summarize_pairs(ours, theirs)).mean_difference
    assert_allclose((found.low, found.high), np.quantile(draws.both[0], [0.025, 0.975]), atol=0.03)


whole = st.integers(1, 5).map(float)


@st.composite
def small_studies(draw: st.DrawFn) -> tuple[Ratings, Ratings]:
    def group(name: str) -> Ratings:
        size = draw(st.integers(8, 60))
        item = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
        rater = draw(
            st.lists(st.sampled_from([f"{name}{i}" for i in range(5)]), min_size=size, max_size=size)
        )
        return Ratings(item, rater, draw(st.lists(whole, min_size=size, max_size=size)))

    return group("a"), group("b")


@settings(max_examples=15, deadline=None)
@given(small_studies(), st.randoms(use_true_random=False))
def test_laws(study, random):
    ours, theirs = study
    spec = ComparisonSpec(bootstrap=BootstrapSpec(60), permutations=39)
    found = compare(ours, theirs, spec)
    order = list(range(len(ours)))
    random.shuffle(order)
    mixed = compare(Ratings(ours.item[order], ours.rater[order], ours.score[order]), theirs, spec)
    assert_allclose(closed(mixed), closed(found), rtol=1e-9)
    assert_allclose(mixed.rater_p, found.rater_p)
    for name in FIGURES:
        estimate = getattr(found, name)
        assert_allclose(
            (getattr(mixed, name).low, getattr(mixed, name).high), (estimate.low, estimate.high), rtol=1e-6
        )
        assert np.isnan(estimate.low) or estimate.low <= estimate.value <= estimate.high
        if not estimate.defined:
            assert estimate.reason
    mirrored = compare(theirs, ours, spec)
    for name in ("spearman", "pearson", "kendall", "rmse"):
        assert_allclose(getattr(mirrored, name).value, getattr(found, name).value, atol=1e-12)
    assert_allclose(mirrored.mean_difference.value, -found.mean_difference.value, atol=1e-12)
    assert_allclose(mirrored.rank_biserial, -found.rank_biserial, atol=1e-12)
    assert_allclose(mirrored.u_tails.less, found.u_tails.greater, atol=1e-12)
    assert_allclose(mirrored.wilcoxon_tails.less, found.wilcoxon_tails.greater, atol=1e-12)
    assert_allclose(mirrored.limit_low.value, -found.limit_high.value, atol=1e-12)
    higher = compare(Ratings(ours.item, ours.rater, ours.score + 20), theirs, spec)
    for name in ("spearman", "pearson", "kendall"):
        assert_allclose(getattr(higher, name).value, getattr(found, name).value, atol=1e-9)
    extra = Ratings(np.append(ours.item, 77), np.append(ours.rater, "a0"), np.append(ours.score, 5.0))
    more = compare(extra, theirs, spec)
    assert more.left_out_candidate == found.left_out_candidate + 1
    for name in FIGURES:
        assert getattr(more, name).value == pytest.approx(getattr(found, name).value, abs=1e-12, nan_ok=True)


def test_decimal_scores_in_another_order_keep_their_ties():
    ours = ratings_of(
        [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.7, 0.1, 0.1], [0.1, 0.1, 0.7], [0.5, 0.5, 0.5]], "a"
    )
    theirs = ratings_of([[1, 1], [1, 1], [2, 2], [2, 2], [3, 3]], "b")
    found = compare(ours, theirs, CLOSED)
    exact = stats.spearmanr([6, 6, 9, 9, 15], [1, 1, 2, 2, 3]).statistic
    assert found.spearman.value == pytest.approx(exact, abs=1e-12)


def test_flips_name_tail_and_test():
    ours, theirs = two_groups(7)
    base = compare(ours, theirs, QUICK)
    crafted = replace(
        base,
        mean_difference=replace(base.mean_difference, value=0.2),
        rater_tails=Tails(0.06, 0.97, 0.03),
        u_tails=Tails(0.30, 0.85, 0.15),
        wilcoxon_tails=Tails(0.001, 0.999, 0.0005),
    )
    flips = [(flip.test, flip.alternative, flip.significant) for flip in verdict_flips(crafted)]
    assert flips == [
        ("raters", "greater", True),
        ("Wilcoxon", "two-sided", True),
        ("Wilcoxon", "greater", True),
    ]
    one_sided = replace(crafted, spec=replace(QUICK, alternative="greater"))
    assert ("raters", "two-sided") in {(flip.test, flip.alternative) for flip in verdict_flips(one_sided)}
    unsettled = replace(crafted, rater_tails=Tails(), u_tails=Tails(0.2, 0.9, 0.1), wilcoxon_tails=Tails())
    assert verdict_flips(unsettled) == ()


def test_unusable_arguments_are_reported():
    with pytest.raises(InputError, match="alternative"):
        ComparisonSpec(alternative="bigger")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="permutations"):
        ComparisonSpec(permutations=-1)
    with pytest.raises(InputError, match="between 0 and 2500"):
        mann_whitney_p(9850.5, 50, 50)


def test_progress_runs_from_start_to_end():
    told: list[float] = []
    compare(*two_groups(8), QUICK, on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1


@pytest.mark.parametrize(
    ("group", "items"), [("crowd_clickworker_de", 200), ("crowd_mturk_en", 199), ("crowd_mturk_es", 200)]
)
def test_speech_quality_against_the_laboratory(shared_data, group, items):
    """Real ratings, their means by pandas and the correlations by SciPy."""
    table = pd.read_csv(shared_data / "speech_mos_lab_vs_crowd.csv")
    table = table[table["check"].isna()]

    def of(name: str) -> Ratings:
        rows = table[table["group"] == name]
        return Ratings(rows["item"].to_numpy(str), rows["rater"].to_numpy(str), rows["score"])

    found = compare(of(group), of("lab"), CLOSED)
    mos = table.pivot_table(index="item", columns="group", values="score")[[group, "lab"]].dropna()
    assert found.spearman.value == pytest.approx(stats.spearmanr(mos[group], mos["lab"]).statistic, abs=1e-9)
    assert found.pearson.value == pytest.approx(stats.pearsonr(mos[group], mos["lab"]).statistic, abs=1e-9)
    assert found.items_shared == items
    assert found.left_out_candidate == 0
    assert found.left_out_reference == 200 - items
