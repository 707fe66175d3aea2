"""A metric against human scores: by hand, against a loop that resamples whole copies, and by laws."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.assessors.automatic_metrics import (
    EVERYONE_OUT,
    NO_RATINGS,
    NOBODY_OUT,
    MetricScores,
    metric_agreement,
)
from analysis.values.estimate import BootstrapSpec, InputError
from data.samples import assessors

QUICK = BootstrapSpec(draws=100)
NONE = BootstrapSpec(draws=0)


def study(seed=0, n=300, systems=6, topics=5, raters=4):
    """Ratings in any cells, with gaps; the metric belongs to the item, which is a system's text of a topic."""
    rng = np.random.default_rng(seed)
    system, topic = rng.integers(0, systems, n), rng.integers(0, topics, n)
    item = system * topics + topic
    quality = rng.normal(0, 1, systems)[system] + rng.normal(0, 0.5, systems * topics)[item]
    metric = quality + rng.normal(0, 0.7, systems * topics)[item]
    score = np.rint(3 + quality + rng.normal(0, 1, n))
    return {
        "metric": metric,
        "item": item,
        "system": system,
        "topic": topic,
        "rater": rng.integers(0, raters, n),
        "score": score,
    }


def system_level_by_hand(s, raters, correlation):
    means = []
    for system in sorted(set(s["system"])):
        cells = []
        for topic in sorted(set(s["topic"])):
            here = (s["system"] == system) & (s["topic"] == topic) & np.isin(s["rater"], raters)
            if here.any():
                cells.append((s["score"][here].mean(), s["metric"][here].mean()))
        if cells:
            means.append(np.mean(cells, axis=0))
    return correlation(*np.array(means).T).statistic


def summary_level_by_hand(s, raters, correlation):
    found = []
    for rater in raters:
        mine = s["rater"] == rater
        items = sorted(set(s["item"][mine]))
        x = [s["score"][mine & (s["item"] == item)].mean() for item in items]
        y = [s["metric"][s["item"] == item][0] for item in items]
        found.append(correlation(x, y).statistic)
    return np.mean(found)


@pytest.mark.parametrize(("name", "by"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr)])
@pytest.mark.parametrize("seed", range(3))
def test_both_levels_before_and_after_equal_a_loop(seed, name, by):
    s = study(seed)
    found = metric_agreement(MetricScores(**s), without=[1, 3], correlation=name, bootstrap=NONE)
    for level, by_hand in (
        (found.system_level, system_level_by_hand),
        (found.summary_level, summary_level_by_hand),
    ):
        before, after = by_hand(s, [0, 1, 2, 3], by), by_hand(s, [0, 2], by)
        assert level.before.value == pytest.approx(before, abs=1e-12)
        assert level.after.value == pytest.approx(after, abs=1e-12)
        assert level.difference.value == pytest.approx(after - before, abs=1e-12)
    assert (found.system_level.before.n, found.summary_level.after.n) == (6, 2)
    assert found.excluded.tolist() == [False, True, False, True]
    assert found.ratings_left == np.isin(s["rater"], [0, 2]).sum()


def test_by_hand():
    # two topics, three systems; rater x judged topic 1, rater y topic 2
    found = metric_agreement(
        MetricScores(
            metric=[0.1, 0.2, 0.6, 0.3, 0.4, 0.2],
            item=list("abcdef"),
            system=["p", "q", "r"] * 2,
            topic=[1, 1, 1, 2, 2, 2],
            rater=["x"] * 3 + ["y"] * 3,
            score=[1, 2, 3, 2, 2, 5],
        ),
        without=["y"],
        bootstrap=NONE,
    )
    np.testing.assert_allclose(found.human_before, [1.5, 2, 4])
    np.testing.assert_allclose(found.metric_before, [0.2, 0.3, 0.4])
    np.testing.assert_allclose(found.human_after, [1, 2, 3])
    np.testing.assert_allclose(found.metric_after, [0.1, 0.2, 0.6])
    assert found.system_level.before.value == pytest.approx(5 / np.sqrt(28))
    assert found.rater_correlation[0] == pytest.approx(0.5 / np.sqrt(0.28))
    assert (found.topics, found.topics_left, found.ratings, found.ratings_left) == (2, 1, 6, 3)
    assert found.resampled == "systems and raters with their topics"


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_a_weighted_draw_equals_the_study_with_copied_raters_and_topics(name):
    """Repeat the vectorized draws on a full copy of the ratings."""
    from analysis.assessors.automatic_metrics import _IncludedRatings, _RaterItemPairs
    from analysis.pairs.system_table import build_cells

    s = study(7)
    columns = MetricScores(**s)
    where = columns.system, columns.topic, columns.rater
    human, machine = build_cells(*where, columns.score), build_cells(*where, columns.metric)
    times = np.array([[2], [0], [1], [1], [1]])
    by = stats.pearsonr if name == "pearson" else stats.spearmanr
    side = _IncludedRatings(human, machine, np.ones(4, dtype=bool), name, "raters like these")
    means = {
        (system, topic): [
            s[what][(s["system"] == system) & (s["topic"] == topic)].mean() for what in ("score", "metric")
        ]
        for system in range(6)
        for topic in range(5)
    }
    expected = [
        np.mean([means[system, topic] for topic in range(5) for _ in range(times[topic, 0])], axis=0)
        for system in range(6)
    ]
    drawn = side.weighted_means(np.ones((4, 1)), times.astype(float))
    assert pytest.approx(np.array(expected), abs=1e-10) == drawn[:, 0].T
    chosen = np.array([[0, 0, 2, 3, 5, 5]])
    assert side.correlations_of_systems(chosen) == pytest.approx(
        by(*side.means[:, chosen[0]]).statistic, abs=1e-10
    )

    copies = np.array([[2], [0], [1], [1], [0], [2]])
    found = _RaterItemPairs(human, columns, name).correlations(copies.astype(float), times.astype(float))[
        :, 0
    ]
    for rater in range(4):
        x, y = [], []
        for item in sorted(set(s["item"][s["rater"] == rater])):
            here = (s["rater"] == rater) & (s["item"] == item)
            often = times[item % 5, 0] * copies[item // 5, 0]
            x += [s["score"][here].mean()] * often
            y += [s["metric"][here][0]] * often
        assert found[rater] == pytest.approx(by(x, y).statistic, abs=1e-10)


def test_intervals_for_these_raters_are_over_other_systems_and_topics_alone():
    s = study(3, systems=15, topics=8)
    s["score"] = s["score"] + np.random.default_rng(3).normal(0, 2, (60, 60))[s["rater"], s["system"]]
    for_others, for_these = (
        metric_agreement(MetricScores(**s), bootstrap=QUICK, scope=scope)
        for scope in ("raters like these", "these raters")
    )
    assert for_others.resampled == "systems, raters and topics"
    assert for_these.resampled == "systems and topics"
    one, two = (found.system_level.before for found in (for_others, for_these))
    assert one.value == two.value
    assert two.high - two.low < one.high - one.low


@example(207, "spearman")  # no rank moves: the difference has a value and no interval
@given(some.integers(0, 10**6), some.sampled_from(["pearson", "spearman"]))
@settings(max_examples=15, deadline=None)
def test_order_names_and_scales_do_not_matter_and_intervals_hold_their_estimates(seed, name):
    s = study(seed, systems=15, topics=4)
    found = metric_agreement(MetricScores(**s), without=[2], correlation=name, bootstrap=QUICK)
    order = np.random.default_rng(seed).permutation(len(s["score"]))
    moved = {column: values[order] for column, values in s.items()}
    moved["metric"], moved["score"] = 3 * moved["metric"] - 1, 10 + 2 * moved["score"]
    again = metric_agreement(MetricScores(**moved), without=[2, 99], correlation=name, bootstrap=QUICK)
    for level in ("system_level", "summary_level"):
        for part in ("before", "after", "difference"):
            one, two = (getattr(getattr(result, level), part) for result in (found, again))
            assert one.value == pytest.approx(two.value, abs=1e-9)
            assert one.low <= one.value <= one.high or (np.isnan([one.low, one.high]).all() and one.reason)
            assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-7, nan_ok=True)
    np.testing.assert_array_equal(found.rater_items, again.rater_items)


def test_ratings_without_a_metric_value_are_left_out_and_counted():
    s = study(3)
    unknown = s["item"] % 4 == 0
    s["metric"] = np.where(unknown, np.nan, s["metric"])
    s["score"][~unknown & (np.arange(300) % 50 == 0)] = np.nan
    known = np.isfinite(s["metric"]) & np.isfinite(s["score"])
    found = metric_agreement(MetricScores(**s), bootstrap=NONE)
    without = metric_agreement(
        MetricScores(**{name: column[known] for name, column in s.items()}), bootstrap=NONE
    )
    assert found.without_metric == 300 - known.sum()
    assert found.system_level.before.value == without.system_level.before.value
    assert found.ratings == known.sum()


def test_undefined_is_nan_with_a_reason():
    s = study(1)
    every = metric_agreement(MetricScores(**s), without=[0, 1, 2, 3], bootstrap=QUICK)
    assert every.system_level.after.reason == every.summary_level.after.reason == EVERYONE_OUT
    assert every.system_level.difference.reason == EVERYONE_OUT
    assert every.system_level.before.defined
    nobody = metric_agreement(MetricScores(**s), bootstrap=QUICK)
    assert nobody.system_level.difference.reason == nobody.summary_level.difference.reason == NOBODY_OUT
    flat = metric_agreement(MetricScores(**(s | {"metric": np.ones(300)})), without=[0], bootstrap=QUICK)
    assert "metric is the same for all systems" in flat.system_level.before.reason
    assert "no rater has 3 items" in flat.summary_level.before.reason
    assert flat.undefined_raters == 4
    same = metric_agreement(MetricScores(**(s | {"score": np.ones(300)})), bootstrap=QUICK)
    assert same.system_level.before.reason == "all systems have the same score"
    two = metric_agreement(
        MetricScores(**{name: column[s["system"] < 2] for name, column in s.items()}), bootstrap=QUICK
    )
    assert two.system_level.before.reason == "a correlation needs at least 3 systems; there are 2"
    assert two.summary_level.before.defined
    perfect = metric_agreement(
        MetricScores(**(s | {"metric": s["score"] * 2.0, "item": np.arange(300)})), bootstrap=QUICK
    )
    assert perfect.system_level.before.value == pytest.approx(1)
    assert "no room for an interval" in perfect.system_level.before.reason
    empty = metric_agreement(MetricScores([], [], [], [], [], []), bootstrap=QUICK)
    assert empty.system_level.before.reason == empty.summary_level.before.reason == NO_RATINGS
    none = metric_agreement(MetricScores(**(s | {"metric": np.full(300, np.nan)})), bootstrap=QUICK)
    assert none.system_level.after.reason == NO_RATINGS
    assert none.without_metric == 300


def test_few_items_leave_a_rater_undefined():
    found = metric_agreement(
        MetricScores(
            metric=[1, 2, 3, 1, 2, 1.0],
            item=[1, 2, 3, 1, 2, 1],
            system=[1, 2, 3, 1, 2, 1],
            topic=[0] * 6,
            rater=list("aaabbc"),
            score=[1, 3, 2, 1, 2, 3],
        ),
        bootstrap=QUICK,
    )
    np.testing.assert_allclose(found.rater_correlation, [0.5, np.nan, np.nan])
    assert found.rater_items.tolist() == [3, 2, 1]
    assert found.undefined_raters == 2
    assert found.resampled == "systems and raters"


def test_wrong_arguments_are_reported():
    with pytest.raises(InputError, match="`correlation` must be"):
        metric_agreement(MetricScores(**study()), correlation="kendall")
    with pytest.raises(InputError, match=r"equally long.*`rater` has shape \(1,\)"):
        metric_agreement(MetricScores(**(study() | {"rater": [1]})))
    with pytest.raises(InputError, match="`metric` must hold numbers"):
        metric_agreement(MetricScores(**(study() | {"metric": ["high"] * 300})))


def test_progress_is_reported_up_to_the_end():
    told = []
    metric_agreement(MetricScores(**study()), bootstrap=QUICK, on_progress=told.append)
    assert told[-1] == 1.0


def test_intervals_cover_what_other_raters_and_topics_give():
    """Each topic judged by one of eight raters, as in the paper; the truth is the mean over many such studies."""
    rng = np.random.default_rng(1)
    quality = rng.normal(0, 0.5, 20)
    metric = quality + rng.normal(0, 0.3, 20)

    def drawn():
        system, topic = np.divmod(np.arange(20 * 40), 40)
        rater, text = topic // 5, rng.normal(0, 0.6, 800)
        noise = rng.uniform(0.3, 1.2, 8)[rater] * rng.normal(0, 1, 800)
        score = quality[system] + text + rng.normal(0, 0.4, 8)[rater] + noise
        value = metric[system] + 0.8 * text + rng.normal(0, 0.4, 800)
        return value, np.arange(800), system, topic, rater, score

    many = [metric_agreement(MetricScores(*drawn()), bootstrap=NONE) for _ in range(150)]
    studies = [metric_agreement(MetricScores(*drawn()), bootstrap=QUICK) for _ in range(60)]
    for level in ("system_level", "summary_level"):
        truth = np.tanh(np.mean([np.arctanh(getattr(found, level).before.value) for found in many]))
        found = [getattr(study, level).before for study in studies]
        assert 0.85 <= np.mean([one.low <= truth <= one.high for one in found]) <= 1.0


def test_the_sample_agrees_as_planted():
    """ROUGE-2 sees content best, so it follows responsiveness more than readability (the paper's Table 3); the
    least consistent assessor drags the summary level down (its Table 4)."""
    table = assessors.generate()
    machine = table["system_kind"] == "machine"
    found = {}
    for measure in ("Readability", "Responsiveness"):
        here = machine & (table["measure"] == measure)
        columns = ["rouge2", "item_id", "system", "topic", "rater_id", "score"]
        found[measure] = metric_agreement(
            MetricScores(*(table[name][here] for name in columns)), without=["C"], bootstrap=NONE
        )
    assert found["Readability"].system_level.before.value < found["Responsiveness"].system_level.before.value
    assert found["Responsiveness"].summary_level.difference.value > 0
    assert found["Responsiveness"].system_level.before.n == 50
    # the figures of data/samples/README.md, which the sample's own tests compute another way
    assert found["Readability"].system_level.before.value == pytest.approx(0.727, abs=0.0005)
    assert found["Readability"].summary_level.before.value == pytest.approx(0.563, abs=0.0005)
