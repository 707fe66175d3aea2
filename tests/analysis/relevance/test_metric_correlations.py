from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.relevance.judgments import OUTCOMES, Judgments, MetricTable, judged_texts
from analysis.relevance.metric_correlations import (
    LEVELS,
    MEASURES,
    NO_TEXTS,
    ONE_SURROGATE_PER_EVENT,
    TOO_FEW_CLUSTERS,
    CorrelationSpec,
    correlations,
    stars,
)
from analysis.relevance.metric_means import metric_means, outcome_means
from analysis.values.estimate import BootstrapSpec, InputError

QUICK = BootstrapSpec(draws=200)
TEXTS = ["event", "document", "surrogate"]


def study(seed=0, raters=4, events=4, documents=6, surrogates=4, missing=0.0):
    """Judgments, right the more often the higher the metric; some truths and metric values not known."""
    rng = np.random.default_rng(seed)
    table = pd.MultiIndex.from_product(
        [range(raters), range(events), range(documents), [f"s{k}" for k in range(surrogates)]],
        names=["rater", *TEXTS],
    ).to_frame(index=False)
    metric = table[TEXTS].drop_duplicates().reset_index(drop=True)
    metric["value"] = rng.normal(0.3, 0.1, len(metric)) + 0.05 * metric["event"]
    metric.loc[rng.random(len(metric)) < missing, "value"] = np.nan
    table["truth"] = rng.integers(0, 2, len(table)).astype(float)
    value = table.merge(metric, on=TEXTS)["value"].fillna(0.3)
    right = rng.random(len(table)) < np.clip(0.6 + value - 0.3, 0, 1)
    table["judgment"] = np.where(right, table["truth"], 1 - table["truth"])
    table.loc[rng.random(len(table)) < missing, "truth"] = np.nan
    return table, metric


def texts_of(table, metric):
    *columns, truth = (table[name].to_numpy() for name in ("rater", *TEXTS, "judgment", "truth"))
    return judged_texts(
        Judgments(*columns), truth, MetricTable(*(metric[name].to_numpy() for name in (*TEXTS, "value")))
    )


def points_by_hand(table, metric, by):
    """Metric and measures of each point, from rows."""
    known = table.merge(metric, on=TEXTS).dropna(subset=["truth", "value"])
    points = {}
    for name, here in known.groupby(by):
        said, true = here["judgment"] == 1, here["truth"] == 1
        precision = (said & true).sum() / said.sum() if said.any() else np.nan
        recall = (said & true).sum() / true.sum() if true.any() else np.nan
        both = said.sum() + true.sum()
        points[name] = {
            "metric": here.drop_duplicates(TEXTS)["value"].mean(),
            "accuracy": (said == true).mean(),
            "precision": precision,
            "recall": recall,
            "f_score": 2 * (said & true).sum() / both if both else np.nan,
        }
    return pd.DataFrame(points).T


def adjusted_by_hand(points, measure):
    """Points that have the measure, less their event's means, of events with several."""
    event = points.index.get_level_values(1)
    left = points[[measure, "metric"]][points[measure].notna()]
    event = left.index.get_level_values(1)
    several = left.groupby(event)[measure].transform("size") > 1
    left, event = left[several], event[several]
    return left - left.groupby(event).transform("mean"), len(set(event))


def varies(points, measure):
    return len(points) >= 3 and points["metric"].nunique() > 1 and points[measure].nunique() > 1


def test_by_hand():
    # one event, three surrogates of four documents, one rater; relevant: a, b
    documents = list("abcd")
    judgment = {"p": [1, 1, 0, 0], "q": [1, 1, 1, 0], "r": [1, 0, 1, 0]}
    metric = {"p": 0.5, "q": 0.3, "r": 0.2}
    said = np.concatenate(list(judgment.values()))
    texts = judged_texts(
        Judgments([1] * 12, [1] * 12, documents * 3, np.repeat(list("pqr"), 4), said),
        [1, 1, 0, 0] * 3,
        MetricTable([1] * 12, documents * 3, np.repeat(list("pqr"), 4), np.repeat(list(metric.values()), 4)),
    )
    found = correlations(texts)
    np.testing.assert_allclose(
        found.value, [[1, 3 / 4, 1 / 2], [1, 2 / 3, 1 / 2], [1, 1, 1 / 2], [1, 4 / 5, 1 / 2]]
    )
    np.testing.assert_allclose(found.metric[0], [0.5, 0.3, 0.2])
    accuracy = found.cell("accuracy", "pearson")
    # deviations: metric 1/6, -1/30, -2/15; accuracy 1/4, 0, -1/4
    assert accuracy.estimate.value == pytest.approx((3 / 40) / np.sqrt(7 / 150 * 1 / 8))
    assert found.cell("recall", "spearman").estimate.value == pytest.approx(np.sqrt(3) / 2)
    assert (accuracy.degrees, accuracy.estimate.n, accuracy.left_out) == (1, 3, 0)
    assert found.p_by == "Student's t"


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", LEVELS[:2])
@given(seed=some.integers(0, 10**6), missing=some.sampled_from([0.0, 0.2, 0.6]))
@settings(max_examples=3, deadline=None)
def test_points_equal_a_loop_over_rows_and_scipy(level, alternative, seed, missing):
    table, metric = study(seed, raters=2, missing=missing)
    found = correlations(texts_of(table, metric), CorrelationSpec(level, alternative, permutations=10))
    points = points_by_hand(table, metric, ["surrogate"] if level == "system" else ["surrogate", "event"])
    for measure in MEASURES:
        left = points[points[measure].notna()]
        for name, by in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
            cell = found.cell(measure, name)
            if not varies(left, measure):
                assert cell.estimate.reason
                continue
            expected = by(left["metric"], left[measure], alternative=alternative)
            assert cell.estimate.value == pytest.approx(expected.statistic, abs=1e-10)
            assert cell.p_of_points == pytest.approx(expected.pvalue, abs=1e-9)
            if level == "system" and name == "pearson":
                assert cell.p == cell.p_of_points
            assert (cell.estimate.n, cell.left_out) == (len(left), len(points) - len(left))
            assert cell.stars == stars(cell.p)
            assert np.isnan(cell.smallest_p) == (level == "system")


def test_over_surrogates_and_events_p_permutes_whole_surrogates_around_their_mean():
    table, metric = study(11, raters=2, surrogates=5, missing=0.0)
    found = correlations(texts_of(table, metric), CorrelationSpec("system x event"))
    points = points_by_hand(table, metric, ["surrogate", "event"])
    of_metric = points["metric"].unstack()
    for name, by in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        value = points["accuracy"].unstack().to_numpy().ravel()
        drawn = np.array(
            [
                by(of_metric.to_numpy()[list(order)].ravel(), value).statistic
                for order in permutations(range(5))
            ]
        )
        away = np.abs(drawn - drawn.mean())
        assert found.cell("accuracy", name).p == pytest.approx((away >= away[0] - 1e-9).mean())
    assert "all 120 permutations" in found.p_by


@pytest.mark.parametrize("level", LEVELS[1:])
def test_intervals_over_surrogates_and_events_rest_on_what_each_adds_to_r(level):
    """The influence of a point on a weighted correlation, by numbers instead of by its formula."""
    table, metric = study(5, raters=3, surrogates=7, missing=0.0)
    found = correlations(texts_of(table, metric), CorrelationSpec(level, permutations=10))
    x, y, r = found.metric[0], found.value[0], found.cell("accuracy", "pearson").estimate

    step, n = 1e-6, len(x)
    influence = np.array(
        [(_weighted(x, y, 1 + step * (np.arange(n) == i)) - r.value) / step for i in range(n)]
    )
    events = len(np.unique(found.event))
    free = n - (events if level == "event-adjusted" else 1) - 1
    variance = spread = 0.0
    for codes in (found.surrogate, found.event):
        k = len(np.unique(codes))
        part = sum(influence[codes == c].sum() ** 2 for c in range(k)) * k / (k - 1) * n / free
        variance, spread = variance + part, spread + part**2 / (k - 1)
    half = stats.t.ppf(0.975, variance**2 / spread) * np.sqrt(variance) / (1 - r.value**2)
    assert (r.low, r.high) == pytest.approx(
        tuple(np.tanh(np.arctanh(r.value) + side * half) for side in (-1, 1)), abs=1e-4
    )


def _weighted(x, y, weights):
    covariance = np.cov(x, y, aweights=weights)
    return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])


@given(seed=some.integers(0, 10**6), missing=some.sampled_from([0.0, 0.3, 0.7]))
@settings(max_examples=10, deadline=None)
def test_event_adjusted_equals_pandas(seed, missing):
    table, metric = study(seed, raters=1, surrogates=5, missing=missing)
    found = correlations(texts_of(table, metric), CorrelationSpec("event-adjusted", permutations=10))
    points = points_by_hand(table, metric, ["surrogate", "event"])
    for measure in MEASURES:
        left, events = adjusted_by_hand(points, measure)
        # sums in another order differ in the last bits, which would break ties of ranks
        x, y = left["metric"].round(12), left[measure].round(12)
        pearson, spearman = found.cell(measure, "pearson"), found.cell(measure, "spearman")
        if not varies(left.round(12), measure):
            assert pearson.estimate.reason not in ("", TOO_FEW_CLUSTERS)
            continue
        assert pearson.estimate.value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
        assert spearman.estimate.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
        assert pearson.degrees == len(left) - events - 1
        assert bool(pearson.estimate.reason) == np.isnan(pearson.estimate.low)
        if pearson.degrees < 1 or abs(pearson.estimate.value) > 1 - 1e-9:
            continue
        upper_tail = stats.t.sf(
            abs(pearson.estimate.value) * np.sqrt(pearson.degrees / (1 - pearson.estimate.value**2)),
            pearson.degrees,
        )
        assert pearson.p_of_points == pytest.approx(2 * upper_tail, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore")  # of pingouin and the packages that it imports
def test_event_adjusted_equals_the_repeated_measures_correlation(seed):
    """Events take the place of subjects: Bakdash and Marusich 2017, by an analysis of covariance."""
    import pingouin

    table, metric = study(seed, surrogates=6)
    found = correlations(texts_of(table, metric), CorrelationSpec("event-adjusted", permutations=10))
    points = points_by_hand(table, metric, ["surrogate", "event"])
    points = points.rename_axis(["surrogate", "event"]).reset_index()
    for measure in MEASURES:
        cell = found.cell(measure, "pearson")
        theirs = pingouin.rm_corr(points, "metric", measure, "event").iloc[0]
        ours = cell.estimate.value, cell.degrees, cell.p_of_points
        assert ours == pytest.approx(tuple(theirs.iloc[:3]), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_p_equals_every_exchange_of_four_surrogates(seed):
    """Whole surrogates swap their metric in all events; the correlation is worked out anew each time."""
    table, metric = study(seed, documents=8)
    texts = texts_of(table, metric)
    points = points_by_hand(table, metric, ["surrogate", "event"])
    by_tail = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}
    found = {tail: correlations(texts, CorrelationSpec("event-adjusted", tail)) for tail in by_tail}
    assert found["two-sided"].p_by == "all 24 permutations of whole surrogates"
    for measure in MEASURES:
        left, _ = adjusted_by_hand(points, measure)
        assert len(left) == len(points)
        x, y = (left[name].unstack().to_numpy().round(12) for name in ("metric", measure))
        for name, by in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
            drawn = [by(x[list(order)].ravel(), y.ravel()).statistic for order in permutations(range(4))]
            for tail, size in by_tail.items():
                cell, far = found[tail].cell(measure, name), size(drawn)
                assert cell.p == pytest.approx(np.mean(far >= far[0] - 1e-9))
                assert cell.smallest_p == pytest.approx(np.mean(far >= far.max() - 1e-9))


def test_random_permutations_come_near_all_of_them_and_are_seeded():
    texts = texts_of(*study(5, surrogates=6))
    every = correlations(texts, CorrelationSpec("event-adjusted"))
    spec = CorrelationSpec("event-adjusted", permutations=700, seed=3)
    told = []
    some_of_them, again = correlations(texts, spec, told.append), correlations(texts, spec)
    assert some_of_them.p_by == "700 random permutations of whole surrogates, seed 3"
    assert told[-1] == 1.0
    for one, two, three in zip(every.cells, some_of_them.cells, again.cells, strict=True):
        assert two.p == pytest.approx(one.p, abs=0.08)
        assert two.smallest_p == pytest.approx(1 / 701)
        assert two.p == three.p


def test_permutations_do_not_take_points_of_one_surrogate_for_independent():
    """Metric and accuracy each differ between surrogates but not with each other: p of points is far too small."""
    rng = np.random.default_rng(2)
    too_small, of_surrogates = [], []
    for _ in range(150):
        rate, metric = rng.uniform(0.3, 0.9, 5), rng.normal(0, 1, 5)
        surrogate, event, document = (
            axis.ravel() for axis in np.meshgrid(range(5), range(6), range(30), indexing="ij")
        )
        right = rng.random(len(event)) < rate[surrogate]
        texts = judged_texts(
            Judgments(np.zeros(900), event, document, surrogate, right), np.ones(900),
            MetricTable(event, document, surrogate, metric[surrogate] + rng.normal(0, 0.1, 900)),
        )  # fmt: skip
        cell = correlations(texts, CorrelationSpec("event-adjusted")).cell("accuracy", "pearson")
        too_small.append(cell.p_of_points <= 0.05)
        of_surrogates.append(cell.p <= 0.05)
    assert np.mean(too_small) > 0.3
    assert np.mean(of_surrogates) < 0.11


def test_full_text_is_left_out_before_means_are_removed():
    table, metric = study(1)
    without = table[table["surrogate"] != "s3"]
    for level in LEVELS:
        left_out = correlations(texts_of(table, metric), CorrelationSpec(level, full_text="s3"))
        never_there = correlations(texts_of(without, metric), CorrelationSpec(level))
        kept = correlations(
            texts_of(table, metric), CorrelationSpec(level, full_text="s3", keep_full_text=True)
        )
        assert left_out.cells == never_there.cells
        assert kept.cells == correlations(texts_of(table, metric), CorrelationSpec(level)).cells
        assert left_out.surrogates.tolist() == ["s0", "s1", "s2"]
        assert kept.cells != left_out.cells


@given(some.integers(0, 10**6), some.sampled_from(LEVELS))
@settings(max_examples=15, deadline=None)
def test_names_and_the_order_of_rows_do_not_matter(seed, level):
    table, metric = study(seed, missing=0.1)
    found = correlations(texts_of(table, metric), CorrelationSpec(level))
    rename = {f"s{k}": f"system {9 - k}" for k in range(4)}
    table, metric = (
        side.assign(
            surrogate=side["surrogate"].map(rename), event=7 - side["event"], document=-side["document"]
        ).sample(frac=1, random_state=seed % 1000)
        for side in (table, metric)
    )
    again = correlations(texts_of(table.assign(rater=-table["rater"]), metric), CorrelationSpec(level))
    for one, two in zip(found.cells, again.cells, strict=True):
        assert one.estimate.value == pytest.approx(two.estimate.value, abs=1e-9, nan_ok=True)
        assert one.p == pytest.approx(two.p, abs=1e-7, nan_ok=True)
        assert one.estimate.n == two.estimate.n


def test_a_metric_that_is_the_accuracy_correlates_perfectly():
    table, metric = study(3)
    rate = (table["judgment"] == table["truth"]).groupby([table["surrogate"], table["event"]]).mean()
    metric["value"] = [rate[s, e] for s, e in zip(metric["surrogate"], metric["event"], strict=True)]
    for level in LEVELS:
        cell = correlations(texts_of(table, metric), CorrelationSpec(level)).cell("accuracy", "pearson")
        assert cell.estimate.value == pytest.approx(1)


def test_undefined_is_nan_with_a_reason():
    table, metric = study(0)

    def reasons(level, table=table, metric=metric):
        found = correlations(texts_of(table, metric), CorrelationSpec(level))
        for cell in found.cells:
            assert cell.estimate.defined == (not np.isnan(cell.p))
            assert cell.estimate.defined or (cell.stars, cell.degrees) == ("", 0)
        return [cell.estimate.reason for cell in found.cells if not cell.estimate.defined]

    one_surrogate = table[table["surrogate"] == "s0"]
    assert (
        reasons("system", one_surrogate)[0]
        == "a correlation needs at least 3 surrogates with accuracy; there are 1"
    )
    assert reasons("system x event", one_surrogate) == []
    assert reasons("event-adjusted", one_surrogate) == [ONE_SURROGATE_PER_EVENT] * 8
    one_event = table[table["event"] == 0]
    assert reasons("event-adjusted", one_event) == []
    constant = metric.assign(value=0.1 + 0.2)
    assert reasons("system", metric=constant) == ["the metric is the same at all points"] * 8
    assert (
        reasons("event-adjusted", metric=metric.assign(value=metric["event"] / 10))
        == ["the metric is the same within every event"] * 8
    )
    all_no = reasons("system x event", table.assign(judgment=0))
    assert "with precision; there are 0" in all_no[0]
    assert "recall is the same at all points" in all_no
    no_truth = reasons("system", table.assign(truth=np.nan))
    assert no_truth == [NO_TEXTS] * 8
    assert reasons("event-adjusted", metric=metric.assign(value=np.nan)) == [NO_TEXTS] * 8
    two = table[table["surrogate"].isin(["s0", "s1"])]
    cell = correlations(texts_of(two, metric), CorrelationSpec("event-adjusted")).cell("accuracy", "pearson")
    assert (cell.p, cell.smallest_p) == (1, 1)


def test_wrong_arguments_are_reported():
    with pytest.raises(InputError, match="`level` must be one of system, "):
        CorrelationSpec("document")
    with pytest.raises(InputError, match="`alternative` must be one of two-sided, "):
        CorrelationSpec(alternative="one-sided")
    with pytest.raises(InputError, match="`permutations` must be 1 or more, got 0"):
        CorrelationSpec(permutations=0)
    with pytest.raises(InputError, match="`measure` must be one of accuracy, "):
        correlations(texts_of(*study())).cell("kappa", "pearson")
    with pytest.raises(InputError, match="equally long"):
        metric_means(MetricTable([1], ["a"], ["h", "h"], [0.1]))


def test_metric_means_equal_pandas():
    _, metric = study(2, missing=0.4)
    groups = metric.groupby("surrogate")["value"]
    for found, (name, expected) in zip(
        metric_means(MetricTable(*(metric[part].to_numpy() for part in (*TEXTS, "value")))),
        groups,
        strict=True,
    ):
        assert found.surrogate == name
        assert found.mean == pytest.approx(expected.mean())
        assert found.sd == pytest.approx(expected.std())
        assert (found.n, found.without_value) == (expected.count(), expected.isna().sum())


def test_metric_means_of_few_texts_say_so():
    one, none = metric_means(MetricTable([1, 1], ["a", "a"], ["h", "t"], [0.5, np.nan]))
    assert (one.mean, one.reason) == (0.5, "one text has no spread")
    assert np.isnan([one.sd, none.mean]).all()
    assert none.reason == "no text of it has a metric value"


@given(some.integers(0, 10**6))
@settings(max_examples=5, deadline=None)
def test_outcome_means_equal_pandas_and_intervals_hold_them(seed):
    table, metric = study(seed, missing=0.2)
    rows = table.merge(metric, on=TEXTS).dropna(subset=["truth", "value"])
    kind = np.where(rows["judgment"] == 1, "p", "n") + np.where(rows["judgment"] == rows["truth"], "t", "f")
    rows["outcome"] = [k[1] + k[0] for k in kind]
    for found in outcome_means(texts_of(table, metric), QUICK):
        here = rows[(rows["surrogate"] == found.surrogate) & (rows["outcome"] == found.outcome)]
        assert found.mean.n == len(here)
        assert found.texts == len(here.drop_duplicates(TEXTS))
        assert found.mean.value == pytest.approx(here["value"].mean(), nan_ok=True)
        assert found.mean.defined or found.mean.reason.startswith("no judgment of it is a")
        if found.mean.low == found.mean.low:
            assert found.mean.low <= found.mean.value <= found.mean.high


def test_outcome_means_without_judgments_are_undefined():
    table, metric = study(0)
    told = []
    found = outcome_means(texts_of(table.assign(judgment=1, truth=1), metric), QUICK, told.append)
    assert told[-1] == 1.0
    assert [each.outcome for each in found] == list(OUTCOMES) * 4
    by_outcome = {each.outcome: each.mean for each in found}
    assert by_outcome["tp"].defined
    assert by_outcome["fn"].reason == "no judgment of it is a false negative"
    nothing = outcome_means(texts_of(table.assign(truth=np.nan), metric), QUICK)
    assert not any(each.mean.defined for each in nothing)


@pytest.mark.slow
def test_outcome_intervals_cover_what_other_raters_and_documents_give():
    def drawn(seed):
        return outcome_means(texts_of(*study(seed, raters=6, events=3, documents=12, surrogates=1)), QUICK)

    many = [drawn(seed) for seed in range(80)]
    for outcome in range(4):
        truth = np.mean([each[outcome].mean.value for each in many])
        inside = [each[outcome].mean.low <= truth <= each[outcome].mean.high for each in many]
        assert np.mean(inside) >= 0.88


@pytest.mark.parametrize("level", LEVELS)
def test_a_full_text_and_nothing_else_is_undefined_with_the_reason(level):
    metric = MetricTable(np.array([0, 0]), np.array([0, 1]), np.array([5, 5]), np.array([0.1, 0.2]))
    texts = judged_texts(Judgments([0, 0], [0, 0], [0, 1], [5, 5], [1, 0]), [1.0, 1.0], metric)
    found = correlations(texts, CorrelationSpec(level=level, full_text=5))
    assert all(np.isnan(cell.estimate.value) and cell.estimate.reason for cell in found.cells)
