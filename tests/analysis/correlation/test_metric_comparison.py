"""Two metrics on the same scores: against loops that permute and draw whole tables, and by laws."""

from math import isnan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.correlation import metric_comparison
from analysis.correlation.dependent import correlation_difference, shared_column_correlations, williams_test
from analysis.correlation.metric_comparison import compare_metrics
from analysis.values.estimate import BootstrapSpec, InputError, holm

QUICK, NONE = BootstrapSpec(200), BootstrapSpec(0)
BY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}


def study(seed=0, systems=12, topics=8, taste=(0.3, 1.2)):
    """Every text rated twice; metrics that see quality with a taste of their own."""
    rng = np.random.default_rng(seed)
    system, topic = (axis.ravel() for axis in np.indices((systems, topics)))
    quality = rng.normal(size=systems)
    metrics = {
        name: (quality + spread * rng.normal(size=systems))[system] + 0.5 * rng.normal(size=len(system))
        for name, spread in zip(("close", "far"), taste, strict=True)
    }
    twice = np.tile(np.arange(len(system)), 2)
    score = quality[system][twice] + rng.normal(size=len(twice))
    return {name: values[twice] for name, values in metrics.items()}, system[twice], topic[twice], score


def table(values, system, topic):
    """Means by system and topic."""
    return np.array(
        [
            [values[(system == s) & (topic == t)].mean() for t in range(topic.max() + 1)]
            for s in range(system.max() + 1)
        ]
    )


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_closed_figures_equal_those_of_scipy_on_a_table(name):
    metrics, system, topic, score = study()
    (pair,) = compare_metrics(metrics, system, topic, score, name, NONE)
    close, far, human = (table(values, system, topic).mean(axis=1) for values in (*metrics.values(), score))
    r = [BY[name](*both).statistic for both in ((close, human), (far, human), (close, far))]
    assert (pair.better, pair.other) == ("close", "far")
    assert pair.correlations == pytest.approx(r[:2])
    ranks = name == "spearman"
    assert pair.p == pair.p_holm == pytest.approx(williams_test(*r, 12, ranks=ranks).p)
    zou = correlation_difference(r[0], r[1], shared_column_correlations(*r), 12, ranks=ranks)
    assert (pair.difference.low, pair.difference.high) == pytest.approx((zou.low, zou.high))
    assert (pair.difference.n, pair.texts) == (12, 96)
    assert isnan(pair.p_permuted)
    assert isnan(pair.resampled.low)


def test_permutations_equal_a_loop_over_whole_tables():
    """Deutsch et al. 2021, algorithm of PERM-BOTH: standardise, exchange single texts, correlate over systems."""
    metrics, system, topic, score = study(3, topics=6)
    (pair,) = compare_metrics(metrics, system, topic, score, bootstrap=QUICK)
    x, y, z = (table(values, system, topic) for values in (*metrics.values(), score))
    x, y = ((values - values.mean()) / values.std() for values in (x, y))
    human = z.mean(axis=1)

    def apart(first, second):
        return (
            stats.pearsonr(first.mean(axis=1), human).statistic
            - stats.pearsonr(second.mean(axis=1), human).statistic
        )

    masks = np.random.default_rng([0, 5]).random((200, x.size)) < 0.5
    drawn = [apart(np.where(mask, y, x), np.where(mask, x, y)) for mask in masks.reshape(200, *x.shape)]
    as_far = (np.abs(drawn) >= abs(apart(x, y)) - 1e-12).sum()
    assert pair.p_permuted == pytest.approx((1 + as_far) / 201)


def test_boot_both_equals_a_loop_over_drawn_tables():
    metrics, system, topic, score = study(5, topics=6)
    (pair,) = compare_metrics(metrics, system, topic, score, bootstrap=QUICK)
    x, y, z = (table(values, system, topic) for values in (*metrics.values(), score))
    rng = np.random.default_rng([0, 6])
    times = rng.multinomial(6, np.full(6, 1 / 6), size=200)
    chosen = rng.integers(0, 12, (200, 12))
    drawn = []
    for topics, systems in zip(times, chosen, strict=True):
        first, second, human = (
            np.repeat(values, topics, axis=1)[systems].mean(axis=1) for values in (x, y, z)
        )
        drawn.append(stats.pearsonr(first, human).statistic - stats.pearsonr(second, human).statistic)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert pair.resampled.low == pytest.approx(min(low, pair.resampled.value))
    assert pair.resampled.high == pytest.approx(max(high, pair.resampled.value))


@settings(max_examples=15, deadline=None)
@given(some.integers(0, 10**6), some.sampled_from(["pearson", "spearman"]))
def test_order_names_scales_and_signs_do_not_matter(seed, name):
    metrics, system, topic, score = study(seed)
    (one,) = compare_metrics(metrics, system, topic, score, name, QUICK)
    assume(
        min(one.correlations) > 0 and one.difference.value > 0
    )  # of ranks both can be 0: no sign, no order
    order = np.random.default_rng(seed).permutation(len(score))
    turned = {"far": -3 * metrics["far"][order] + 1, "close": metrics["close"][order] / 7}
    (other,) = compare_metrics(turned, system[order], topic[order], 2 * score[order] - 9, name, QUICK)
    assert (one.better, one.other) == (other.better, other.other)
    assert one.correlations == pytest.approx(other.correlations)
    assert (one.p, one.difference.low, one.difference.high) == pytest.approx(
        (other.p, other.difference.low, other.difference.high)
    )
    assert one.difference.low <= one.difference.value <= one.difference.high


def test_all_pairs_are_adjusted_together_and_each_rests_on_what_both_metrics_know():
    metrics, system, topic, score = study(2)
    rng = np.random.default_rng(1)
    metrics["noise"] = rng.normal(size=len(score))
    metrics["close"] = np.where(system == 0, np.nan, metrics["close"])
    pairs = compare_metrics(metrics, system, topic, score, bootstrap=NONE)
    assert len(pairs) == 3
    np.testing.assert_allclose([pair.p_holm for pair in pairs], holm([pair.p for pair in pairs]))
    assert {frozenset((pair.better, pair.other)): pair.difference.n for pair in pairs} == {
        frozenset(("close", "far")): 11,
        frozenset(("close", "noise")): 11,
        frozenset(("far", "noise")): 12,
    }


def test_few_systems_name_no_winner():
    metrics, system, topic, score = study(1, systems=7, taste=(0.0, 5.0))
    (pair,) = compare_metrics(metrics, system, topic, score, bootstrap=NONE)
    assert not pair.differs
    assert pair.difference.n < metric_comparison.FEWEST_SYSTEMS
    many, system, topic, score = study(1, systems=40, taste=(0.0, 5.0))
    (pair,) = compare_metrics(many, system, topic, score, bootstrap=NONE)
    assert pair.differs


def test_undefined_is_nan_with_a_reason():
    metrics, system, topic, score = study(1)

    def reason(**changed):
        given = {"metrics": metrics, "system": system, "topic": topic, "score": score} | changed
        (pair,) = compare_metrics(**given, bootstrap=QUICK)
        assert isnan(pair.p)
        assert isnan(pair.difference.low)
        assert not pair.differs
        return pair.difference.reason

    assert reason(score=np.ones(len(score))) == "all systems have the same score"
    assert reason(metrics=metrics | {"far": np.ones(len(score))}) == "far is the same for all systems"
    assert "at least 3 systems" in reason(score=np.where(system < 2, score, np.nan))
    assert "there are 0" in reason(score=np.full(len(score), np.nan))
    assert compare_metrics({"close": metrics["close"]}, system, topic, score) == ()


def test_wrong_arguments_and_progress_are_reported():
    metrics, system, topic, score = study()
    with pytest.raises(InputError, match="`far` must hold numbers"):
        compare_metrics(metrics | {"far": ["high"] * len(score)}, system, topic, score)
    with pytest.raises(InputError, match=r"equally long; `topic` has shape \(3,\)"):
        compare_metrics(metrics, system, topic[:3], score)
    with pytest.raises(InputError, match="`score` must be 1-d"):
        compare_metrics(metrics, system, topic, score[None])
    told = []
    compare_metrics(metrics, system, topic, score, bootstrap=QUICK, on_progress=told.append)
    assert told[-1] == 1.0


def test_three_systems_of_real_ratings_name_no_winner(shared_data):
    """SQuALITY: three systems, 100 topics; the best metric there could be, and one of length of the name."""
    rows = np.genfromtxt(
        shared_data / "squality_summary_ratings.csv",
        delimiter=",",
        dtype=str,
        skip_header=1,
        encoding="utf-8",
    )
    rows = (
        rows[rows[:, 2] == "overall"] if (rows[:, 2] == "overall").any() else rows[rows[:, 2] == rows[0, 2]]
    )
    system, topic, score = rows[:, 5], rows[:, 6], rows[:, 3].astype(float)
    of_item = {item: score[rows[:, 0] == item].mean() for item in np.unique(rows[:, 0])}
    metrics = {
        "mean": np.array([of_item[item] for item in rows[:, 0]]),
        "rank": rows[:, 4].astype(float),
    }
    (pair,) = compare_metrics(metrics, system, topic, score, bootstrap=QUICK)
    assert not pair.differs
    assert len(np.unique(system)) < metric_comparison.FEWEST_SYSTEMS
