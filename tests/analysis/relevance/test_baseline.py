"""Shares of the way from a baseline to the full text: by hand, the equation that Fieller's ends solve, and edges."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.relevance.judgments import Judgments
from analysis.relevance.metric_means import (
    IS_END,
    NO_SPREAD,
    NOT_ABOVE,
    FigureCovariance,
    Units,
    figure_covariance,
    share_of_improvement,
)
from analysis.relevance.rater_pairs import compare_agreements
from analysis.values.estimate import BootstrapSpec, Estimate

NOBODY = np.zeros(0, dtype=np.int64)
FIGURES = [Estimate(0.5, n=40), Estimate(0.65, n=40), Estimate(0.7, n=40), Estimate(0.45, n=40)]
BASELINE, FULL_TEXT = 0, 2


def random_spread(seed: int = 0, size: float = 0.0005) -> FigureCovariance:
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(2, 4, 4))
    return FigureCovariance(size * roots @ np.swapaxes(roots, 1, 2) / 4, (10, 20))


def test_each_surrogate_is_placed_between_both_ends():
    shares, way = share_of_improvement(FIGURES, random_spread(), BASELINE, FULL_TEXT)
    assert [shares[at].value for at in (1, 3)] == pytest.approx([0.75, -0.25])
    assert way.value == pytest.approx(0.2)
    assert {shares[at].reason for at in (BASELINE, FULL_TEXT)} == {IS_END}


@pytest.mark.parametrize("seed", range(5))
def test_both_ends_are_as_far_from_the_data_as_students_t_allows(seed):
    spread = random_spread(seed)
    share = share_of_improvement(FIGURES, spread, BASELINE, FULL_TEXT)[0][1]
    assert share.low < 0.75 < share.high

    def apart(ratio: float) -> tuple[float, np.ndarray]:
        weights = np.array([ratio - 1, 1, -ratio, 0])
        return weights @ [one.value for one in FIGURES], np.array(
            [weights @ each @ weights for each in spread.covariance]
        )

    parts = apart(0.75)[1]
    degrees = parts.sum() ** 2 / (parts**2 / [9, 19]).sum()
    for end in (share.low, share.high):
        distance, variance = apart(end)
        assert abs(distance) / np.sqrt(variance.sum()) == pytest.approx(stats.t.ppf(0.975, degrees))


def test_the_share_is_undefined_unless_the_full_text_is_clearly_better():
    shares, way = share_of_improvement(FIGURES, random_spread(size=0.1), BASELINE, FULL_TEXT)
    assert shares[1].reason == NOT_ABOVE
    assert way.low < 0 < way.value
    turned, _ = share_of_improvement(FIGURES, random_spread(), FULL_TEXT, BASELINE)
    assert turned[1].reason == NOT_ABOVE
    undrawn, way = share_of_improvement(
        FIGURES, FigureCovariance(np.empty((0, 4, 4)), ()), BASELINE, FULL_TEXT
    )
    assert (undrawn[1].reason, undrawn[1].defined) == (NO_SPREAD, False)
    unknown = [*FIGURES[:3], Estimate(np.nan, reason="nobody judged it")]
    assert (
        share_of_improvement(unknown, random_spread(), BASELINE, FULL_TEXT)[0][3].reason == "nobody judged it"
    )


def test_covariances_are_numpys_widened_for_few_units():
    drawn = np.random.default_rng(1).normal(size=(3, 2 * 50))
    found = figure_covariance(drawn, Units(NOBODY, NOBODY, 5, 8, ""), BootstrapSpec(50))
    assert found.covariance[0] == pytest.approx(np.cov(drawn[:, :50]) * 5 / 4)
    assert found.covariance[1] == pytest.approx(np.cov(drawn[:, 50:]) * 8 / 7)
    one = figure_covariance(drawn[:, :50], Units(NOBODY, NOBODY, 1, 8, ""), BootstrapSpec(50))
    assert (one.many, len(one.covariance)) == ((8,), 1)
    assert figure_covariance(drawn, Units(NOBODY, NOBODY, 5, 8, ""), BootstrapSpec(0)).many == ()


def test_by_relevance_prediction_the_full_text_agrees_with_itself():
    rng = np.random.default_rng(2)
    rater, event, document, surrogate = (axis.ravel() for axis in np.indices((8, 6, 5, 3)))
    gold = np.repeat(rng.random((6, 5)) < 0.5, 3)
    right = rng.random(len(rater)) < np.array([0.55, 0.75, 0.95])[surrogate]
    judged = np.where(right, np.tile(gold, 8), ~np.tile(gold, 8)).astype(float)
    study = Judgments(rater, event, document, surrogate, judged, gold=np.tile(gold, 8).astype(float))
    both = compare_agreements(study, 2, BootstrapSpec(200))
    accuracies = [one.accuracy for one in both.prediction]
    accuracies[2] = replace(accuracies[0], value=1.0)
    shares, way = share_of_improvement(accuracies, both.prediction_spread, 0, 2)
    assert way.value == pytest.approx(1 - accuracies[0].value)
    expected = (accuracies[1].value - accuracies[0].value) / (1 - accuracies[0].value)
    assert shares[1].value == pytest.approx(expected)
    assert shares[1].low < expected < shares[1].high
    assert both.prediction_spread.covariance[:, 2].tolist() == [[0.0] * 3] * 2
