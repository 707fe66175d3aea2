"""Changes of r_w without an item against r_w of all other votes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.assessors.typical_rater import clipped_fisher_z
from analysis.values.votes import Votes
from analysis.workers.pcch_reliability import correlations
from analysis.workers.worker_ranking import reliability_changes


def study(seed: int, items: int = 18, workers: int = 5, options: int = 3, twice: bool = False) -> Votes:
    rng = np.random.default_rng(seed)
    item, rater = np.divmod(np.flatnonzero(rng.random(items * workers) < 0.6), workers)
    if twice:
        again = rng.random(len(item)) < 0.2
        item, rater = np.append(item, item[again]), np.append(rater, rater[again])
    truth = rng.integers(0, options, items)[item]
    choice = np.where(rng.random(len(item)) < 0.6, truth, rng.integers(0, options, len(item)))
    return Votes(item, rater, choice, items, workers, options)


@settings(max_examples=10)
@given(some.integers(0, 10_000), some.booleans(), some.booleans())
def test_a_change_is_that_of_r_w_of_all_other_votes(seed: int, polls: bool, twice: bool) -> None:
    votes = study(seed, twice=twice)
    poll = np.arange(votes.items) % 2 if polls else None
    r = correlations(votes, poll=poll)[0]
    found = reliability_changes(votes, r, votes.per_rater, poll)
    for unit, rater, change in zip(found.unit, found.rater, found.change, strict=True):
        kept = votes.select(~((votes.item == unit) & (votes.rater == rater)))
        without = clipped_fisher_z(correlations(kept, poll=poll)[0, rater]) - clipped_fisher_z(r[rater])
        assert change == pytest.approx(np.nan_to_num(without), abs=1e-9)


def test_items_that_nobody_else_judged_are_not_units() -> None:
    votes = Votes(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 0]), np.array([0, 0, 1, 1, 1]), 3, 2, 2)
    found = reliability_changes(votes, correlations(votes)[0], [2, 2])
    assert sorted(zip(found.unit.tolist(), found.rater.tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]
    assert reliability_changes(Votes(*np.zeros((3, 0), dtype=int), 0, 0, 2), [], []).change.shape == (0,)
