"""Metrics compared on judgments: the same as on scores of systems, and planted quality is found."""

import numpy as np
import pytest
from scipy import stats

from analysis.relevance.judgments import OUTCOMES, Judgments, MetricTable, judged_texts
from analysis.relevance.metric_correlations import compare_metrics_of_texts
from analysis.values.estimate import BootstrapSpec, InputError


def study(surrogates=12, events=6, documents=4, raters=3):
    """Judgments of every surrogate of every document; a good metric, a bad one, and which texts lack one."""
    rng = np.random.default_rng(3)
    surrogate, event, document = (axis.ravel() for axis in np.indices((surrogates, events, documents)))
    helps = np.linspace(0.55, 0.95, surrogates)
    good = helps[surrogate] + rng.normal(0, 0.02, len(surrogate))
    bad = rng.normal(0, 1, surrogates)[surrogate] + rng.normal(0, 0.2, len(surrogate))
    bad[:2] = np.nan
    each = [np.repeat(column, raters) for column in (event, document, surrogate)]
    truth = np.repeat((event + document) % 2, raters)
    right = rng.random(len(truth)) < np.repeat(helps[surrogate], raters)
    who = np.tile(np.arange(raters), len(surrogate))
    of = Judgments(who, each[0], each[1], each[2], np.where(right, truth, 1 - truth))
    tables = {"good": good, "bad": bad}
    texts = {
        name: judged_texts(of, truth, MetricTable(event, document, surrogate, value))
        for name, value in tables.items()
    }
    return texts, (surrogate, event, right.reshape(-1, raters).mean(axis=1)), tables


def test_the_correlations_are_those_of_means_over_events_of_texts_that_have_both():
    texts, (surrogate, event, accuracy), metrics = study()
    (pair,) = compare_metrics_of_texts(texts, bootstrap=BootstrapSpec(0))
    both = ~np.isnan(metrics["bad"])

    def mean_of(values):
        return [
            np.mean([values[both & (surrogate == s) & (event == e)].mean() for e in range(6)])
            for s in range(12)
        ]

    expected = {name: stats.pearsonr(mean_of(metrics[name]), mean_of(accuracy)).statistic for name in metrics}
    assert (pair.better, pair.other) == ("good", "bad")
    assert pair.correlations == pytest.approx((expected["good"], abs(expected["bad"])))
    assert pair.difference.n == 12


@pytest.mark.parametrize("measure", ["precision", "recall", "f_score"])
def test_other_measures_are_rates_of_all_judgments_in_an_event(measure):
    texts, *_ = study()
    (pair,) = compare_metrics_of_texts(texts, bootstrap=BootstrapSpec(0), measure=measure)
    good = texts["good"]
    both = np.isin(good.document * 100 + good.surrogate, texts["bad"].document * 100 + texts["bad"].surrogate)
    points = {"rate": [], "metric": []}
    for surrogate in range(12):
        rates, metric = [], []
        for event in range(6):
            here = np.flatnonzero(both & (good.surrogate == surrogate) & (good.event == event))
            of = [OUTCOMES[outcome] for outcome in good.outcome[np.isin(good.text, here)]]
            tp, fp, fn = (of.count(name) for name in ("tp", "fp", "fn"))
            rates.append(
                {"precision": tp / (tp + fp), "recall": tp / (tp + fn)}.get(
                    measure, tp / (tp + (fp + fn) / 2)
                )
            )
            metric.append(good.metric[here].mean())
        points["rate"].append(np.mean(rates))
        points["metric"].append(np.mean(metric))
    expected = stats.pearsonr(points["metric"], points["rate"]).statistic
    assert pair.better == "good"
    assert pair.correlations[0] == pytest.approx(expected)


def test_an_unknown_measure_is_refused():
    with pytest.raises(InputError, match="`measure` must be one of accuracy, precision"):
        compare_metrics_of_texts(study()[0], measure="kappa")


def test_fewer_than_two_metrics_make_no_pair():
    texts, *_ = study()
    assert compare_metrics_of_texts({}) == ()
    assert compare_metrics_of_texts({"good": texts["good"]}) == ()


def test_a_metric_that_sees_how_well_people_judge_differs_from_one_that_does_not():
    (pair,) = compare_metrics_of_texts(study()[0], bootstrap=BootstrapSpec(100))
    assert pair.differs
    assert pair.difference.low > 0
