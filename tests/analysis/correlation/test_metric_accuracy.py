"""Accuracies of metrics by the values of the methods, slow definitions, and gaps."""

import csv
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from analysis.correlation.metric_comparison import (
    accuracy_intervals,
    common_means,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    tie_calibrated_accuracy,
)
from analysis.values.estimate import InputError

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "summaries_25_systems_metrics.csv"
PRINTED = {
    "rouge_1": (0.6558, 0.683, 0.5243),
    "rouge_2": (0.6341, 0.687, 0.5084),
    "rouge_l": (0.6123, 0.643, 0.5193),
    "js_2": (0.7428, 0.763, 0.5104),
    "mover_score": (0.6159, 0.636, 0.5201),
    "bert_score_recall": (0.7645, 0.773, 0.5504),
}
"""Pairwise, soft pairwise and segment-level accuracy without an epsilon, from ../shared/methods.md, section 12."""


@pytest.fixture(scope="module")
def tables() -> dict[str, np.ndarray]:
    if not SHARED.exists():
        pytest.skip("there is no folder ../shared/data next to this checkout")
    with SHARED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    systems, topics = (sorted({row[name] for row in rows}) for name in ("system", "topic"))
    made: dict[str, np.ndarray] = defaultdict(lambda: np.full((len(systems), len(topics)), np.nan))
    for row in rows:
        for name in ("score", *PRINTED):
            made[name][systems.index(row["system"]), topics.index(row["topic"])] = float(row[name])
    return made


@pytest.mark.parametrize("metric", PRINTED)
def test_the_values_of_the_methods(tables: dict[str, np.ndarray], metric: str) -> None:
    human, scores = tables["score"], tables[metric]
    hard, soft, segments = PRINTED[metric]
    assert pairwise_accuracy(human, scores) == pytest.approx(hard, abs=5e-5)
    assert soft_pairwise_accuracy(human, scores) == pytest.approx(soft, abs=0.005)
    calibrated = tie_calibrated_accuracy(human, scores)
    assert calibrated.at_zero == pytest.approx(segments, abs=5e-5)
    assert calibrated.accuracy >= calibrated.at_zero
    found = accuracy_intervals(human, scores)
    assert found.pairwise.value == pytest.approx(pairwise_accuracy(human, scores))
    assert found.soft.value == pytest.approx(soft_pairwise_accuracy(human, scores))
    assert found.segments.value == pytest.approx(calibrated.accuracy)


def slow_accuracy(human: np.ndarray, metric: np.ndarray, epsilon: float) -> float:
    right, pairs = 0, 0
    for item in range(human.shape[1]):
        for i, j in combinations(range(len(human)), 2):
            h, m = human[i, item] - human[j, item], metric[i, item] - metric[j, item]
            if np.isnan(h) or np.isnan(m):
                continue
            pairs += 1
            right += int(h == 0) if abs(m) <= epsilon else int(h * m > 0)
    return right / pairs


def some_scores(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 4, (5, 12)).astype(float)
    metric = human + rng.integers(-2, 3, human.shape) / 2
    metric[rng.random(human.shape) < 0.1] = np.nan
    return human, metric


@pytest.mark.parametrize("seed", range(5))
def test_ties_are_calibrated_by_trying_every_epsilon(seed: int) -> None:
    human, metric = some_scores(seed)
    found = tie_calibrated_accuracy(human, metric)
    tried = {epsilon: slow_accuracy(human, metric, epsilon) for epsilon in np.arange(0, 6.5, 0.5)}
    best = max(tried.values())
    assert found.accuracy == pytest.approx(best)
    assert found.epsilon == min(epsilon for epsilon, value in tried.items() if value == pytest.approx(best))
    assert found.at_zero == pytest.approx(tried[0.0])


def test_ties_of_people_are_left_out_and_those_of_the_metric_are_wrong() -> None:
    human, metric = [[1.0], [2.0], [2.0], [3.0]], [[1.0], [1.0], [5.0], [6.0]]
    assert pairwise_accuracy(human, metric) == pytest.approx(4 / 5)
    assert np.isnan(pairwise_accuracy([[1.0], [1.0]], [[1.0], [2.0]]))


def test_a_metric_as_sure_as_people_is_right_and_a_reversed_one_is_not() -> None:
    human, _ = some_scores(3)
    assert soft_pairwise_accuracy(human, 3 * human + 1) == 1
    assert soft_pairwise_accuracy(human, -human) < 0.7
    assert soft_pairwise_accuracy(human, -human, seed=1) == soft_pairwise_accuracy(human, -human, seed=1)


def test_p_values_of_a_pair_are_those_of_all_swaps() -> None:
    human, metric = np.array([[3.0, 4, 2, 5], [1.0, 3, 3, 2]]), np.array([[1.0, 0, 1, 0], [0.0, 1, 0, 1]])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1)
    exact = [
        ((scores[0] - scores[1]) @ signs >= (scores[0] - scores[1]).sum()).mean()
        for scores in (human, metric)
    ]
    wanted = 1 - abs(exact[0] - exact[1])
    assert soft_pairwise_accuracy(human, metric, permutations=50_000) == pytest.approx(wanted, abs=0.01)


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="one shape"):
        pairwise_accuracy([[1.0, 2.0]], [[1.0]])
    with pytest.raises(InputError, match="infinite"):
        tie_calibrated_accuracy([[1.0], [np.inf]], [[1.0], [2.0]])
    with pytest.raises(InputError, match="1 or more"):
        soft_pairwise_accuracy([[1.0]], [[1.0]], permutations=0)
    assert np.isnan(tie_calibrated_accuracy([[1.0]], [[1.0]]).accuracy)


def test_an_interval_leaves_out_each_system_with_all_its_pairs() -> None:
    """The jackknife by hand, on Fisher's scale, with Student's t."""
    rng = np.random.default_rng(5)
    human = rng.normal(0, 1, 12)[:, None] + rng.normal(0, 1, (12, 30))
    metric = human.mean(axis=1)[:, None] + rng.normal(0, 1.5, (12, 30))
    found = accuracy_intervals(human, metric).pairwise
    scale = [
        np.arctanh(2 * pairwise_accuracy(np.delete(human, at, 0), np.delete(metric, at, 0)) - 1)
        for at in range(12)
    ]
    whole = np.arctanh(2 * pairwise_accuracy(human, metric) - 1)
    half = stats.t.ppf(0.975, 11) * np.sqrt(11 / 12 * ((scale - np.mean(scale)) ** 2).sum())
    low, high = (1 + np.tanh([whole - half, whole + half])) / 2
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.n == 12


def test_few_systems_have_no_interval() -> None:
    found = accuracy_intervals(*some_scores(1))
    assert np.isnan(found.pairwise.low)
    assert "8 systems" in found.pairwise.reason


def test_common_means_are_over_the_items_that_have_both_scores() -> None:
    people, machine = common_means(
        [[1.0, 3.0, np.nan], [2.0, np.nan, 5.0]], [[4.0, np.nan, 7.0], [np.nan, 6.0, 8.0]]
    )
    assert people.tolist() == [1.0, 5.0]
    assert machine.tolist() == [4.0, 8.0]
