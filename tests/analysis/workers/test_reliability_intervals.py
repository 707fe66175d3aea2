"""Intervals of r_w: their variances against slopes by small steps, what carries, and where there are none."""

from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from analysis.values.estimate import InputError
from analysis.values.votes import Votes
from analysis.workers.pcch_reliability import correlations
from analysis.workers.worker_ranking import (
    ReliabilityVariance,
    add_reliability_intervals,
    rank_workers,
    reliability_intervals,
    reliability_variance,
)

STEP = 1e-5


def votes(rows, options=2):
    """Votes from one row per worker, one choice per item, -1: none."""
    table = np.array(rows)
    rater, item = np.nonzero(table >= 0)
    return Votes(item, rater, table[rater, item], table.shape[1], table.shape[0], options)


def study(seed, items=20, workers=6, options=3, share=0.7):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, options, items)
    skill = np.linspace(0.4, 0.9, workers)[:, None]
    right = rng.random((workers, items)) < skill
    choice = np.where(right, truth, rng.integers(0, options, right.shape))
    choice[rng.random(choice.shape) > share] = -1
    return votes(choice, options)


def slope(v, worker, poll, raters=None, items=None):
    """Slope of a worker's r_w in the weight of one rater or one item."""
    moved = []
    for way in (1, -1):
        weight = np.ones((1, v.raters)), np.ones((1, v.items))
        which = weight[0] if items is None else weight[1]
        which[0, raters if items is None else items] += way * STEP
        moved.append(correlations(v, *weight, poll=poll)[0, worker])
    return (moved[0] - moved[1]) / (2 * STEP)


@pytest.mark.parametrize(("seed", "polls"), [(0, False), (1, True)])
def test_variances_are_those_of_slopes_by_small_steps(seed, polls):
    v = study(seed)
    poll = np.arange(v.items) % 2 if polls else np.zeros(v.items, dtype=int)
    found = reliability_variance(v, poll)
    r = correlations(v, poll=poll)[0]
    for worker in range(v.raters):
        if isnan(r[worker]):
            continue
        own = np.flatnonzero(v.rater == worker)
        n = len(own)
        by_item = [slope(v, worker, poll, items=item) for item in v.item[own]]
        # several polls: weights of items also shift how much each poll counts, which is no part of r_w's noise
        if not polls:
            assert found.items[worker] == pytest.approx(np.sum(np.square(by_item)) * n / (n - 1), rel=1e-3)
        met = [c for c in range(v.raters) if c != worker and np.isin(v.item[v.rater == c], v.item[own]).any()]
        by_rater = [slope(v, worker, poll, raters=c) for c in met]
        singles = []
        for vote in np.flatnonzero((v.rater != worker) & np.isin(v.item, v.item[own])):
            rater = v.rater.copy()
            rater[vote] = v.raters
            apart = Votes(v.item, rater, v.choice, v.items, v.raters + 1, v.options)
            singles.append(slope(apart, worker, poll, raters=v.raters))
        between = max(np.sum(np.square(by_rater)) - np.sum(np.square(singles)), 0)
        expected = between * len(met) / (len(met) - 1)
        assert found.others[worker] == pytest.approx(expected, rel=1e-3, abs=1e-8)
        assert found.degrees[worker] == len(met) - 1


def test_intervals_contain_their_estimate_and_slots_are_over_items_only():
    v = study(1, items=60)
    found = add_reliability_intervals(rank_workers(v), v)
    assert all(e.low <= e.value <= e.high for e in found.r)
    assert found.intervals == "Fisher's z over items and the other raters"
    slots = add_reliability_intervals(rank_workers(v), v, raters_are_persons=False)
    assert slots.intervals == "Fisher's z over items"
    assert all(a.low <= b.low and b.high <= a.high for a, b in zip(found.r, slots.r, strict=True))


def test_very_many_meetings_leave_the_others_as_they_are(monkeypatch):
    v = study(2)
    monkeypatch.setattr("analysis.workers.worker_ranking.MOST_VOTE_PAIRS", 10)
    assert add_reliability_intervals(rank_workers(v), v).intervals == "Fisher's z over items"


def test_fishers_variance_is_the_least():
    none = ReliabilityVariance(*np.zeros((2, 1)), np.full(1, np.inf), np.array([28.0]))
    low, high = reliability_intervals(np.array([0.6]), none, 0.95)
    half = stats.norm.ppf(0.975) / sqrt(25)
    assert (low[0], high[0]) == pytest.approx(tuple(np.tanh(np.arctanh(0.6) + np.array([-half, half]))))


def test_random_raters_with_few_votes_per_poll_hardly_ever_agree_beyond_chance():
    """With all items as n, 0 was excluded in 23 of 100."""
    rng, excluded = np.random.default_rng(0), []
    for _ in range(40):
        asked = rng.integers([2250, 15], size=(900, 2))
        cell, item = np.unique(asked[:, 0], return_inverse=True)
        v, poll = Votes(item, asked[:, 1], rng.integers(0, 3, 900), len(cell), 15, 3), cell % 15
        low, high = reliability_intervals(correlations(v, poll=poll)[0], reliability_variance(v, poll), 0.95)
        excluded += ((low > 0) | (high < 0))[~np.isnan(low)].tolist()
    assert np.mean(excluded) < 0.07


def test_perfect_agreement_and_three_items_have_no_interval():
    same = votes([[0, 1, 0, 1, 1, 0]] * 3)
    for v in (same, votes([[0, 1, 1], [0, 1, 0], [0, 0, 1]])):
        found = add_reliability_intervals(rank_workers(v), v)
        assert all(isnan(e.low) and isnan(e.high) for e in found.r)
        assert all(e.defined for e in found.r)


def test_a_poll_that_does_not_fit_is_refused():
    v = study(0)
    with pytest.raises(InputError, match="`poll` must have shape"):
        add_reliability_intervals(rank_workers(v), v, poll=[1])
