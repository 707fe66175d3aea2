"""Clusters of items: against statsmodels' clustered standard errors, and correlations over systems of real ratings."""

from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.comparison.clusters import (
    NO_BELONGING,
    Belonging,
    clustered_variance,
    correlate_systems,
    find_clusters,
)
from analysis.comparison.comparison import ComparisonSpec, compare, compare_sums
from analysis.comparison.variance_components import summarize_pairs
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings
from tests.analysis.comparison import crossed_studies

ANALYTIC = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0)
DRAWN = ComparisonSpec(bootstrap=BootstrapSpec(200), permutations=0)
RNG = np.random.default_rng(5)
SYSTEM, TOPIC = np.repeat(np.arange(10), 12), np.tile(np.arange(12), 10)
GAINS = RNG.normal(size=10)[SYSTEM] + RNG.normal(size=12)[TOPIC] + RNG.normal(size=120)


def clustered_by_statsmodels(groups: np.ndarray) -> float:
    from statsmodels.regression.linear_model import OLS

    fitted = OLS(GAINS, np.ones(120)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    return float(fitted.cov_params()[0, 0])


def test_over_one_kind_it_is_statsmodels_clustered_variance() -> None:
    for code in (SYSTEM, TOPIC, RNG.integers(0, 9, 120)):
        assert clustered_variance(GAINS, (code,))[0] == pytest.approx(
            clustered_by_statsmodels(code), rel=1e-9
        )


def test_over_two_kinds_it_is_both_minus_that_over_items() -> None:
    parts = [clustered_by_statsmodels(code) for code in (SYSTEM, TOPIC)]
    over_items = GAINS.var(ddof=1) / 120
    variance, degrees = clustered_variance(GAINS, (SYSTEM, TOPIC))
    assert variance == pytest.approx(sum(parts) - over_items, rel=1e-9)
    assert 9 <= degrees <= 20


def test_items_that_hang_on_nothing_have_the_plain_variance() -> None:
    assert clustered_variance(GAINS, ()) == pytest.approx((GAINS.var(ddof=1) / 120, 119))
    assert clustered_variance(GAINS, (np.arange(120),)) == pytest.approx((GAINS.var(ddof=1) / 120, 119))


def test_clusters_are_drawn_from_8_on_and_told() -> None:
    item, none = np.arange(120), np.full(120, -1)
    both = find_clusters(Belonging(item, SYSTEM, TOPIC))
    assert both.description == "10 systems and 12 topics with all their items"
    assert len(both.codes) == 2
    few = find_clusters(Belonging(item, np.repeat(np.arange(3), 40), np.tile(np.arange(40), 3)))
    assert few.description == "40 topics with all their items; 3 systems held as they are, being fewer than 8"
    assert len(few.codes) == 1
    assert find_clusters(Belonging(item, item, none)).description == ""
    assert find_clusters(NO_BELONGING.of(item)).codes == ()
    some = np.where(item < 100, SYSTEM, -1)
    (code,) = find_clusters(Belonging(item, some, none)).codes
    assert len(np.unique(code)) == len(np.unique(some[some >= 0])) + 20


def test_unknown_items_belong_to_nothing() -> None:
    belonging = Belonging(np.array(["a", "c"]), np.array([0, 1]), np.array([3, 4])).of(
        np.array(["b", "c", "d"])
    )
    assert belonging.system.tolist() == [-1, 1, -1]
    assert belonging.topic.tolist() == [-1, 4, -1]
    with pytest.raises(InputError, match="equally long"):
        Belonging(np.arange(3), np.arange(2), np.arange(3))


def hung(systems: int, per_system: int) -> tuple[Ratings, Ratings, Belonging]:
    """Ratings of items whose systems differ much and whose groups see systems differently."""
    rng = np.random.default_rng(2)
    system = np.repeat(np.arange(systems), per_system)
    quality = rng.normal(3, 0.7, systems)[system]
    groups = []
    for name in "ab":
        felt = quality + rng.normal(0, 0.4, systems)[system]
        score = felt[:, None] + rng.normal(0, 0.3, 8) + rng.normal(0, 0.5, (len(felt), 8))
        rater = np.char.add(name, np.tile(np.arange(8), len(felt)).astype(str))
        groups.append(Ratings(np.repeat(np.arange(len(felt)), 8), rater, score.ravel()))
    return *groups, Belonging(np.arange(len(system)), system, np.full(len(system), -1))


@pytest.mark.parametrize("spec", [ANALYTIC, DRAWN], ids=["analytic", "drawn"])
def test_items_of_a_system_are_not_taken_as_independent(spec: ComparisonSpec) -> None:
    candidate, reference, belonging = hung(12, 10)
    plain = compare(candidate, reference, spec)
    found = compare(candidate, reference, spec, belonging=belonging)
    assert "12 systems with all their items" in found.interval_method
    for name in ("spearman", "pearson", "kendall", "concordance", "mean_difference", "limit_low"):
        wide, narrow = getattr(found, name), getattr(plain, name)
        assert wide.value == narrow.value
        assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low), name
    assert found.rater_p > plain.rater_p
    interval_holds_0 = found.mean_difference.low <= 0 <= found.mean_difference.high
    assert (found.rater_p > 0.05) == interval_holds_0
    spread, narrower = found.true_scores.corrected, plain.true_scores.corrected
    assert spread.high - spread.low > narrower.high - narrower.low


def test_sums_and_ratings_give_the_same_over_systems() -> None:
    candidate, reference, belonging = hung(12, 10)
    found = compare(candidate, reference, ANALYTIC, belonging=belonging)
    of_sums = compare_sums(*summarize_pairs(candidate, reference), ANALYTIC, belonging)
    assert of_sums.systems == found.systems
    assert of_sums.mean_difference == found.mean_difference
    assert of_sums.spearman == found.spearman


def test_without_systems_there_is_no_correlation_over_them() -> None:
    found = correlate_systems(GAINS, GAINS, np.full(120, -1), 0.95)
    assert found.systems == 0
    assert found.spearman.reason == "no systems are named for the items"
    two = correlate_systems(GAINS, GAINS + TOPIC, np.repeat([0, 1], 60), 0.95)
    assert isnan(two.spearman.value)
    assert two.systems == 2


def test_real_ratings_over_items_and_over_systems(shared_data: Path) -> None:
    rows = pd.read_csv(shared_data / "speech_mos_lab_vs_crowd.csv", low_memory=False)
    rows = rows[rows["check"].isna()]
    crowd, lab = (rows[rows["group"] == group] for group in ("crowd_mturk_es", "lab"))
    sides = [Ratings(g["item"].to_numpy(str), g["rater"].to_numpy(str), g["score"]) for g in (crowd, lab)]
    of_item = rows.groupby("item")["system"].first()
    belonging = Belonging(
        of_item.index.to_numpy(str),
        of_item.astype("category").cat.codes.to_numpy(),
        np.full(len(of_item), -1),
    )
    found = compare(*sides, ANALYTIC, belonging=belonging)
    means = pd.concat([g.groupby("item")["score"].mean() for g in (crowd, lab)], axis=1).dropna()
    assert found.spearman.value == pytest.approx(stats.spearmanr(means).statistic)
    of_systems = means.groupby(of_item).mean().round(9)
    assert found.systems.systems == len(of_systems) == 50
    assert found.systems.spearman.value == pytest.approx(stats.spearmanr(of_systems).statistic)
    assert found.systems.pearson.value == pytest.approx(np.corrcoef(of_systems.to_numpy().T)[0, 1])


def test_a_single_reference_rater_leaves_the_difference_without_interval() -> None:
    design = crossed_studies.Design("", 30, (10, 1), (10, 1))
    (x, in_x), (y, in_y) = crossed_studies.study(design, np.random.default_rng(0))
    candidate, reference = (
        crossed_studies.as_ratings(x, in_x, "a"),
        crossed_studies.as_ratings(y, in_y, "b"),
    )
    for spec in (ANALYTIC, DRAWN):
        found = compare(candidate, reference, spec)
        for figure in (found.mean_difference, found.limit_low, found.limit_high):
            assert figure.defined
            assert isnan(figure.low)
            assert "single rater" in figure.reason
        assert isnan(found.rater_p)
        assert isnan(found.equivalence.p)
        assert not isnan(found.spearman.low)
    slots = compare(candidate, reference, replace(ANALYTIC, raters_are_persons=False))
    assert not isnan(slots.mean_difference.low)


def test_what_systems_share_is_seen_over_systems_where_items_hide_it() -> None:
    # As in DialSummEval's fluency: next to nothing over 1,400 items, much over their 14 systems. Its ratings are not
    # among the shared data, so that .075 and .69 are not recomputed here.
    rng = np.random.default_rng(8)
    system = np.repeat(np.arange(14), 100)
    quality = rng.normal(0, 0.2, 14)[system]
    x, y = (quality + rng.normal(0, 0.7, 1400) for _ in range(2))
    found = correlate_systems(x, y, system, 0.95)
    assert stats.spearmanr(x, y).statistic < 0.15
    assert found.spearman.value > 0.6
    assert found.spearman.n == found.pearson.n == 14
    means = pd.DataFrame({"x": x, "y": y}).groupby(system).mean()
    assert found.spearman.value == pytest.approx(stats.spearmanr(means).statistic)
