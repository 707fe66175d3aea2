"""Scores and rankings without some raters: by hand, against slow loops, against pandas and statsmodels, and laws."""

from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.assessors.exclusion import ExclusionSpec, additive_scores, exclusion, intervals, system_scores
from analysis.assessors.exclusion_intervals import compare_rankings
from analysis.assessors.leave_one_out import random_drops
from analysis.values.estimate import InputError

QUICK = ExclusionSpec(draws=200, random=50)


def intervals_and_drops(ratings, point, spec=QUICK):
    """Intervals and random drops of an exclusion."""
    return intervals(*ratings, point, spec), random_drops(*ratings, point, spec)


def by_hand():
    """Three systems, two topics, two raters who rate everything: rater y turns the last two around in topic 2."""
    cells = {
        ("a", 1, "x"): 5, ("a", 2, "x"): 3, ("b", 1, "x"): 4, ("b", 2, "x"): 2, ("c", 1, "x"): 3, ("c", 2, "x"): 1,
        ("a", 1, "y"): 5, ("a", 2, "y"): 5, ("b", 1, "y"): 4, ("b", 2, "y"): 1, ("c", 1, "y"): 3, ("c", 2, "y"): 5,
    }  # fmt: skip
    system, topic, rater = zip(*cells, strict=True)
    return list(system), list(topic), list(rater), list(cells.values())


def slow_scores(system, topic, rater, score, without=()):
    cells = defaultdict(lambda: defaultdict(list))
    for s, t, r, y in zip(system, topic, rater, score, strict=True):
        if r not in without:
            cells[s][t].append(y)
    return {s: float(np.mean([np.mean(scores) for scores in topics.values()])) for s, topics in cells.items()}


def slow_additive(system, topic, rater, score, without=(), raters=False):
    """Least squares by a dense design of dummies, then the mean of the fitted values over topics (and their raters)."""
    cells = defaultdict(list)
    for s, t, r, y in zip(system, topic, rater, score, strict=True):
        if r not in without:
            cells[s, t, r if raters else None].append(y)
    names = [sorted({cell[part] for cell in cells}, key=str) for part in range(3)]
    flat = [(part, name) for part in range(3) for name in names[part]]

    def dummies(cell):
        return [float(cell[part] == name) for part, name in flat]

    effects, *_ = np.linalg.lstsq(
        np.array([dummies(cell) for cell in cells]),
        np.array([np.mean(v) for v in cells.values()]),
        rcond=None,
    )
    met = {t: sorted({r for _, topic, r in cells if topic == t}, key=str) for t in names[1]}
    return {
        s: float(np.mean([np.mean([dummies((s, t, r)) @ effects for r in met[t]]) for t in names[1]]))
        for s in names[0]
    }


def study(seed=0, systems=7, topics=6, raters=5, ratings=160):
    rng = np.random.default_rng(seed)
    system, topic = rng.integers(0, systems, ratings), rng.integers(0, topics, ratings)
    rater = rng.integers(0, raters, ratings)
    score = np.rint(3 + 0.4 * system + topic % 3 + rng.normal(0, 1, ratings))
    return system, topic, rater, score


def crossed(seed=0, systems=6, topics=5, raters=4):
    system, topic, rater = (
        part.ravel() for part in np.meshgrid(*map(np.arange, (systems, topics, raters)), indexing="ij")
    )
    return system, topic, rater, np.random.default_rng(seed).normal(system * 0.3 + topic, 1.0)


def nested(seed=0, systems=8, topics=24, raters=6):
    """The paper's design: each topic is judged by one rater."""
    system, topic = (
        part.ravel() for part in np.meshgrid(np.arange(systems), np.arange(topics), indexing="ij")
    )
    score = np.random.default_rng(seed).normal(system * 0.3 + topic % 5, 1.0)
    return system, topic, topic % raters, score


def as_dict(exclusion, values):
    known = ~np.isnan(values)
    return dict(zip(exclusion.systems[known].tolist(), values[known].tolist(), strict=True))


def test_by_hand():
    found = exclusion(*by_hand(), without=["y"])
    assert as_dict(found, found.before) == {"a": 4.5, "b": 2.75, "c": 3.0}
    assert as_dict(found, found.after) == {"a": 4.0, "b": 3.0, "c": 2.0}
    change = found.change
    assert change.systems.tolist() == ["a", "c", "b"]
    assert change.rank_before.tolist() == [1, 2, 3]
    assert change.rank_after.tolist() == [1, 3, 2]
    assert change.shifts.tolist() == [0, -1, 1]
    assert change.swapped == (("c", "b"),)
    assert change.swaps == 1
    assert change.spearman.value == pytest.approx(0.5)
    assert change.pearson.value == pytest.approx(1.5 / np.sqrt(43 / 24 * 2))
    assert (found.ratings, found.ratings_left, found.raters_left, found.topics_left) == (12, 6, 1, 2)
    assert found.lost == ()
    assert found.method == "plain"


def test_additive_by_hand():
    """b misses the hard topic: the plain mean puts it first, the model where it belongs."""
    system, topic, score = ["a", "a", "b", "c", "c"], [1, 2, 1, 1, 2], [5, 3, 4.5, 3, 1]
    assert system_scores(system, topic, ["x"] * 5, score) == {"a": 4, "b": 4.5, "c": 2}
    found = additive_scores(system, topic, ["x"] * 5, score)
    assert found == pytest.approx({"a": 4, "b": 3.5, "c": 2})
    assert found["b"] < found["a"]


@given(some.integers(0, 10_000), some.sets(some.integers(0, 6)))
def test_scores_are_those_of_a_slow_loop(seed, without):
    ratings = study(seed)
    assert system_scores(*ratings, without) == pytest.approx(slow_scores(*ratings, without), abs=1e-9)


@given(some.integers(0, 10_000), some.sets(some.integers(0, 4), max_size=3), some.booleans())
def test_additive_scores_are_those_of_a_dense_fit(seed, without, raters):
    ratings = study(seed)
    found = additive_scores(*ratings, without, raters)
    assert found == pytest.approx(slow_additive(*ratings, without, raters), abs=1e-9)


@pytest.mark.parametrize("raters", [False, True])
def test_additive_is_plain_when_complete(raters):
    ratings = crossed()
    for without in ((), (1,), (0, 3)):
        expected = system_scores(*ratings, without)
        assert additive_scores(*ratings, without, raters) == pytest.approx(expected, abs=1e-12)


def test_with_one_rater_per_topic_a_term_for_raters_changes_nothing():
    system, topic, rater, score = nested()
    some_cells = np.random.default_rng(1).random(len(score)) < 0.7
    ratings = system[some_cells], topic[some_cells], rater[some_cells], score[some_cells]
    assert additive_scores(*ratings, raters=True) == pytest.approx(additive_scores(*ratings), abs=1e-9)


def test_a_term_for_raters_takes_severity_out():
    rng = np.random.default_rng(0)
    system, topic, rater, _ = crossed(systems=5, topics=30, raters=4)
    score = system + 0.1 * topic + np.array([-2.0, 0, 1, 3])[rater]
    some_cells = rng.random(len(score)) < 0.4
    ratings = system[some_cells], topic[some_cells], rater[some_cells], score[some_cells]
    exact = np.diff(list(additive_scores(*ratings, raters=True).values()))
    assert exact == pytest.approx(np.ones(4))
    assert not np.allclose(np.diff(list(additive_scores(*ratings).values())), 1)


@settings(max_examples=15, deadline=None)
@given(some.integers(0, 10_000), some.booleans())
def test_a_topics_difficulty_does_not_change_additive_differences(seed, raters):
    system, topic, rater, score = study(seed)
    shifted = score + np.array([0.0, 10, -3, 5, 2, 7])[topic]
    before, after = (
        additive_scores(system, topic, rater, values, (2,), raters) for values in (score, shifted)
    )
    moved = [after[name] - before[name] for name in before]
    assert np.ptp(moved) == pytest.approx(0, abs=1e-9)


@given(some.integers(0, 10_000), some.sampled_from(["automatic", "additive", "plain"]))
def test_excluding_nobody_changes_nothing(seed, method):
    found = exclusion(*study(seed), spec=ExclusionSpec(method=method))
    assert found.change.pearson.value == pytest.approx(1)
    assert found.change.spearman.value == pytest.approx(1)
    assert found.change.swaps == 0
    assert "nobody" in found.reason


@given(some.integers(0, 10_000), some.integers(0, 10_000))
def test_the_order_of_rows_does_not_matter(seed, order):
    ratings = study(seed)
    mixed = np.random.default_rng(order).permutation(len(ratings[0]))
    one, other = exclusion(*ratings, (1,)), exclusion(*(column[mixed] for column in ratings), (1,))
    np.testing.assert_allclose(one.before, other.before, atol=1e-12)
    np.testing.assert_allclose(one.after, other.after, atol=1e-12)
    assert one.change.rank_after.tolist() == other.change.rank_after.tolist()
    assert one.change.swapped == other.change.swapped


def test_ids_of_any_kind_give_the_same():
    system, topic, rater, score = study()
    named = exclusion([f"s{s}" for s in system], topic - 3.5, [f"r{r}" for r in rater], score, ("r2",))
    coded = exclusion(system, topic + 10**12, rater, score, (2,))
    np.testing.assert_allclose(named.after, coded.after)
    assert named.excluded == ("r2",)


@settings(max_examples=50, deadline=None)
@given(some.dictionaries(some.integers(0, 12), some.tuples(*[some.integers(0, 4)] * 2), max_size=9))
def test_comparing_is_what_scipy_and_a_loop_over_pairs_say(scores):
    before = {system: float(first) for system, (first, _) in scores.items()}
    after = {system: second / 10 for system, (_, second) in scores.items() if system % 5}
    found = compare_rankings(before, after)
    both = [system for system in before if system in after]
    assert set(found.lost) == set(before) - set(after)
    swaps = sum((before[i] - before[j]) * (after[i] - after[j]) < 0 for i, j in combinations(both, 2))
    assert found.swaps == len(found.swapped) == swaps
    assert all(before[i] > before[j] and after[i] < after[j] for i, j in found.swapped)
    ranks = stats.rankdata([-after[system] for system in both])
    assert dict(zip(found.systems.tolist(), found.rank_after.tolist(), strict=True)) == dict(
        zip(both, ranks.tolist(), strict=True)
    )
    x, y = [before[system] for system in both], [after[system] for system in both]
    if len(both) < 3 or len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(found.pearson.value)
        assert np.isnan(found.spearman.value)
        assert found.pearson.reason
    else:
        assert found.pearson.value == pytest.approx(stats.pearsonr(x, y).statistic)
        assert found.spearman.value == pytest.approx(stats.spearmanr(x, y).statistic)


def test_swaps_of_many_systems_are_counted_though_not_listed():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 50, 1500), rng.integers(0, 50, 1500)
    found = compare_rankings(dict(enumerate(x)), dict(enumerate(y)))
    assert found.swapped == ()
    assert found.swaps == ((x[:, None] > x) & (y[:, None] < y)).sum()


def test_where_raters_judge_whole_topics_the_topics_go_with_them():
    ratings = nested()
    found = exclusion(*ratings, (0, 1))
    assert (found.topics, found.topics_left) == (24, 16)
    assert found.method == "plain"
    assert "no cell is missing" in found.why


def test_missing_cells_call_for_the_additive_model():
    ratings = study(3, ratings=60)
    found = exclusion(*ratings, (1,))
    assert found.method == "additive"
    assert as_dict(found, found.after) == pytest.approx(slow_additive(*ratings, (1,)))
    plain = exclusion(*ratings, (1,), ExclusionSpec(method="plain"))
    assert as_dict(plain, plain.after) == pytest.approx(slow_scores(*ratings, (1,)))


def test_systems_without_a_common_topic_are_left_to_the_plain_mean():
    ratings = ["a", "a", "b", "b", "c"], [1, 2, 3, 4, 4], ["x", "y", "x", "y", "y"], [1, 2, 3, 4, 5]
    found = exclusion(*ratings, ["x"])
    assert (found.method, found.after.tolist()) == ("plain", [2, 4, 5])
    assert "share no topic" in found.why
    asked = exclusion(*ratings, ["x"], ExclusionSpec(method="additive"))
    assert np.isnan(asked.before).all()
    assert "share no topic" in asked.reason
    assert "share no topic" in asked.change.pearson.reason
    assert all(np.isnan(score) for score in additive_scores(*ratings).values())
    assert all(np.isnan(score) for score in additive_scores(*ratings, raters=True).values())


def test_a_system_judged_by_one_rater_is_lost_with_them():
    system, topic, rater, score = study()
    only = np.where(system == 6, 9, rater)
    ratings = system, topic, only, score
    found = exclusion(*ratings, (9,), QUICK)
    assert found.lost == (6,)
    assert 6 not in found.change.systems
    assert np.isnan(found.after[6])
    assert not np.isnan(found.before[6])
    assert np.isnan(intervals(*ratings, found, QUICK).after_low[6])
    assert 6 not in system_scores(system, topic, only, score, (9,))


@pytest.mark.parametrize(
    ("ratings", "without", "reason"),
    [
        (study(), range(5), "all raters are left out"),
        (([], [], [], []), (), "no ratings"),
        ((["a", "b", "c"], [1, 1, 1], ["x"] * 3, [1, 2, 3]), ("x",), "all raters are left out"),
    ],
)
def test_with_nothing_left_everything_is_undefined_and_says_why(ratings, without, reason):
    found = exclusion(*ratings, without, QUICK)
    between, random = intervals_and_drops(ratings, found)
    assert reason in found.reason
    assert not found.change.pearson.defined
    assert reason in found.change.pearson.reason
    assert not random.spearman.defined
    assert reason in random.reason
    assert reason in between.reason
    assert np.isnan(found.after).all()


@pytest.mark.parametrize("method", ["automatic", "additive", "plain"])
def test_constant_scores_have_no_correlation_but_the_same_scores(method):
    system, topic, rater, score = study()
    ratings, spec = (system, topic, rater, np.full(len(score), 0.1)), ExclusionSpec(method, 20, 50)
    found = exclusion(*ratings, (1,), spec)
    between, random = intervals_and_drops(ratings, found, spec)
    assert found.after == pytest.approx(np.full(7, 0.1))
    assert "same score" in found.change.pearson.reason
    assert found.change.swaps == 0
    assert not random.pearson.defined
    assert random.pearson.reason
    assert between.before_low == pytest.approx(np.full(7, 0.1))


def test_two_systems_are_too_few_for_a_correlation():
    found = compare_rankings({"a": 1, "b": 2}, {"a": 2, "b": 1})
    assert "at least 3 systems" in found.spearman.reason
    assert found.swaps == 1


def test_random_drops_are_all_choices_where_these_are_few():
    ratings = study()
    point = exclusion(*ratings, (0, 3))
    found = random_drops(*ratings, point, QUICK)
    assert found.every
    assert len(found.pearsons) == 10
    assert found.dropped == 2
    each = [exclusion(*ratings, pair).change for pair in combinations(range(5), 2)]
    assert found.pearsons == pytest.approx([change.pearson.value for change in each])
    assert found.spearmans == pytest.approx([change.spearman.value for change in each])
    assert found.spearman.value == pytest.approx(np.median(found.spearmans))


def test_random_drops_repeat_with_their_seed():
    ratings = study(raters=30, ratings=900)
    point = exclusion(*ratings, (0, 3, 7))
    one, same = (random_drops(*ratings, point, QUICK) for _ in range(2))
    assert not one.every
    assert len(one.pearsons) == 50
    assert one.pearsons.tolist() == same.pearsons.tolist()


def slow_interval(ratings, without, method, raters_drawn, topics_drawn, draws, seed):
    """Every rating repeated by its weight, one draw after the other; the same weights as the fast one draws."""
    system, topic, rater, score = ratings
    rng = np.random.default_rng([seed, 1])
    weights = []
    for units in (raters_drawn, topics_drawn):
        drawn = rng.multinomial(units - 1, np.full(units, 1 / units), size=draws)
        weights.append(drawn * units / (units - 1))
    scores = []
    for rater_weight, topic_weight in zip(*weights, strict=True):
        out = {}
        for s in np.unique(system):
            top = bottom = 0.0
            for t in np.unique(topic):
                here = (system == s) & (topic == t) & ~np.isin(rater, without)
                if here.any():
                    weight = topic_weight[t] * rater_weight[rater[here]] / here.sum()
                    top, bottom = top + weight @ score[here], bottom + weight.sum()
            out[s] = top / bottom if bottom else np.nan
        scores.append(list(out.values()))
    return np.quantile(np.array(scores), [0.025, 0.975], axis=0)


def test_intervals_are_those_of_a_slow_bootstrap():
    ratings = crossed(systems=4, topics=6, raters=7)
    spec = ExclusionSpec(method="plain", draws=60, seed=4)
    found = intervals(*ratings, exclusion(*ratings, (2,), spec), spec)
    for without, low, high in (
        ((), found.before_low, found.before_high),
        ((2,), found.after_low, found.after_high),
    ):
        expected = slow_interval(ratings, without, "plain", 7, 6, 60, 4)
        np.testing.assert_allclose([low, high], expected, atol=1e-9)


def test_additive_intervals_are_plain_ones_when_complete():
    ratings = crossed()
    found = [
        intervals(*ratings, exclusion(*ratings, (2,), spec), spec)
        for spec in (ExclusionSpec("plain", draws=80), ExclusionSpec("additive", draws=80))
    ]
    for name in ("before_low", "after_high", "difference_low"):
        np.testing.assert_allclose(*(getattr(one, name) for one in found), atol=1e-9)


@pytest.mark.parametrize("ratings", [crossed(), nested(), study()])
def test_intervals_hold_their_scores_and_the_difference_is_narrower(ratings):
    found = exclusion(*ratings, (1,))
    between = intervals(*ratings, found, ExclusionSpec(draws=300))
    assert (between.before_low <= found.before).all()
    assert (found.before <= between.before_high).all()
    assert (between.after_low <= found.after).all()
    assert (found.after <= between.after_high).all()
    difference = between.difference_high - between.difference_low
    assert difference.mean() < (between.after_high - between.after_low).mean()


@pytest.mark.parametrize("without", [(2,), (0, 3, 4)])
@pytest.mark.parametrize("method", ["plain", "additive"])
def test_the_change_has_the_interval_of_two_samples_of_raters(without, method):
    """If all rate all: scipy's interval of kept and excluded raters, times the share of raters excluded."""
    system, _, rater, score = ratings = crossed(systems=4, topics=6, raters=7)
    spec = ExclusionSpec(method, draws=20)
    found = intervals(*ratings, exclusion(*ratings, without, spec), spec)
    of_raters = np.array([[score[(system == s) & (rater == w)].mean() for w in range(7)] for s in range(4)])
    gone = np.isin(np.arange(7), without)
    for s in range(4):
        apart = stats.ttest_ind(of_raters[s, ~gone], of_raters[s, gone]).confidence_interval(0.95)
        expected = np.array([apart.low, apart.high]) * gone.mean()
        assert [found.difference_low[s], found.difference_high[s]] == pytest.approx(expected, abs=1e-9)


def test_what_cannot_be_resampled_is_named():
    system, topic, rater, score = crossed()

    def what(topic, rater, without=(), scope="raters like these"):
        point = exclusion(system, topic, rater, score, without)
        found = intervals(system, topic, rater, score, point, replace(QUICK, scope=scope))
        return found.resampled_before, found.resampled_after, found.reason

    one = np.zeros(len(score), dtype=int)
    assert what(topic, rater, (0,))[:2] == ("raters and topics", "raters and topics")
    assert what(topic, rater, (0, 1, 2))[:2] == ("raters and topics", "topics")
    assert what(topic, rater, scope="these raters")[:2] == ("topics", "topics")
    assert what(one, rater)[0] == "raters"
    assert what(topic, one)[0] == "topics"
    assert what(topic, topic % 3)[0] == "raters with their topics"
    assert "nothing to resample" in what(one, one)[2]


def test_systems_whose_intervals_overlap_are_distinguished_by_their_difference():
    """All raters and topics see both systems, which differ by .4 while raters and topics vary by 1."""
    rng = np.random.default_rng(0)
    system, topic, rater = (part.ravel() for part in np.indices((2, 20, 8)))
    score = rng.normal(0, 1, 20)[topic] + rng.normal(0, 1, 8)[rater] + 0.4 * system
    score = score + rng.normal(0, 0.3, len(score))
    between = intervals(
        system, topic, rater, score, exclusion(system, topic, rater, score, (1,)), ExclusionSpec(draws=300)
    )
    assert between.before_low[1] < between.before_high[0]
    assert between.pairs_before.number_different == between.pairs_after.number_different == 1
    assert between.pairs_before.letters == ("B", "A")
    assert between.pairs_before.low[1, 0] > 0.1


def test_progress_goes_from_little_to_all():
    point = exclusion(*study(), (1,))
    for slow in (intervals, random_drops):
        told = []
        slow(*study(), point, QUICK, told.append)
        assert told == sorted(told)
        assert told[-1] == pytest.approx(1)


def test_intervals_cover_the_truth():
    """Raters with opinions of their own about systems, in the paper's nested design: 95% should hold the truth."""
    rng = np.random.default_rng(0)
    systems, topics, raters = 6, 32, 16
    system, topic = (
        part.ravel() for part in np.meshgrid(np.arange(systems), np.arange(topics), indexing="ij")
    )
    rater = topic % raters
    held = []
    for _ in range(60):
        opinion = rng.normal(0, 0.5, (systems, raters)) + rng.normal(0, 0.5, raters)
        score = opinion[system, rater] + rng.normal(0, 0.7, topics)[topic] + rng.normal(0, 0.5, len(system))
        spec = ExclusionSpec(draws=200)
        found = intervals(system, topic, rater, score, exclusion(system, topic, rater, score, (), spec), spec)
        held += ((found.before_low <= 0) & (found.before_high >= 0)).tolist()
    assert 0.88 <= np.mean(held) <= 0.99


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: ExclusionSpec(method="mean"), "`method`"),
        (lambda: ExclusionSpec(random=-1), "`random`"),
        (lambda: ExclusionSpec(draws=-1), "`draws`"),
        (lambda: ExclusionSpec(level=1), "`level`"),
        (lambda: system_scores([1, 2], [1], [1, 2], [1, 2]), "`topic`"),
        (lambda: system_scores([1], [1], [1], [np.nan]), "`score`"),
        (lambda: system_scores([1], [1], [1], ["good"]), "`score`"),
        (lambda: compare_rankings({"a": np.inf}, {"a": 1}), "finite"),
    ],
)
def test_wrong_arguments_are_reported(wrong, told):
    with pytest.raises(InputError, match=told):
        wrong()


def test_real_reviewers_against_pandas(shared_data):
    rows = pd.read_csv(shared_data / "squality_summary_ratings.csv")
    rows = rows[rows.measure == rows.measure.iloc[0]]
    gone = sorted(rows.rater.unique())[0]
    found = exclusion(rows.system, rows.topic, rows.rater, rows.score, [gone], ExclusionSpec("plain"))
    for values, left in ((found.before, rows), (found.after, rows[rows.rater != gone])):
        expected = left.pivot_table(index="system", columns="topic", values="score").mean(axis=1)
        assert as_dict(found, values) == pytest.approx(expected.to_dict())
    assert found.ratings_left == (rows.rater != gone).sum()
    assert found.topics_left == rows[rows.rater != gone].topic.nunique()
    assert found.raters_left == rows.rater.nunique() - 1
