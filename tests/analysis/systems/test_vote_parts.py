"""Parts of votes in a share, against slopes by small steps and against votes left out one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.systems import clustered_intervals
from analysis.systems.preference import (
    DROPPED,
    EQUAL,
    MAJORITY,
    PCCH,
    WEIGHTED,
    PreferenceSpec,
    first_list_share,
    relevance_and_weights,
    vote_influence,
)
from analysis.values.votes import Lists, Votes
from analysis.workers import glad, pcch

TWO, FOUR = Lists(0, 1), Lists(0, 1, 2, 3)


def study(seed, options=4, items=9, raters=6):
    rng = np.random.default_rng(seed)
    item, rater = (code.ravel() for code in np.indices((items, raters)))
    kept = rng.random(len(item)) < 0.8
    kept[:raters] = True
    lean = rng.integers(0, 2, items)[item]
    choice = np.where(rng.random(len(item)) < 0.6, lean, rng.integers(0, options, len(item)))
    return Votes(item[kept], rater[kept], choice[kept], items, raters, options)


def share(votes, lists, vote_weight, rater_weight, item_weight):
    """The first list's share, written out (Eqs. 2, 3 and 6)."""
    prv, total = np.zeros(votes.options), 0.0
    for item in range(votes.items):
        own = votes.item == item
        weight = vote_weight[own] * rater_weight[votes.rater[own]]
        if not weight.any():
            weight = vote_weight[own]
        if item_weight[item] and own.any():
            prv += item_weight[item] * np.bincount(votes.choice[own], weight, votes.options) / weight.sum()
            total += item_weight[item]
    prv /= total
    extra = (prv[2] - prv[3]) / 2 if lists.both is not None else 0.0
    return (prv[0] + extra) / (prv[0] + prv[1] + 2 * extra)


@settings(max_examples=20, deadline=None)
@given(
    some.integers(0, 10_000), some.sampled_from([2, 4]), some.sampled_from([EQUAL, WEIGHTED, PCCH, DROPPED])
)
def test_parts_are_slopes_of_the_share_by_the_votes_weight(seed, options, method):
    votes, lists, spec = study(seed, options), TWO if options == 2 else FOUR, PreferenceSpec(2)
    relevance, item_weight = relevance_and_weights(votes, lists, spec, (method,))[method]
    if np.isnan(first_list_share(relevance, item_weight, lists)[0]):
        return
    r = pcch.fit_votes(votes).r
    weight = np.ones(votes.raters) if method == EQUAL else np.maximum(r, 0)
    if method == DROPPED:
        weight = np.ones(votes.raters)
        weight[np.argsort(r, kind="stable")[:2]] = 0
    parts = vote_influence(votes, lists, spec, method, relevance, item_weight, r)
    for vote in range(0, len(votes), 5):
        step = np.zeros(len(votes))
        step[vote] = 1e-5
        up, down = (
            share(votes, lists, np.ones(len(votes)) + way * step, weight, item_weight[0]) for way in (1, -1)
        )
        assert parts[vote] == pytest.approx((up - down) / 2e-5, abs=1e-7)


@settings(max_examples=15, deadline=None)
@given(some.integers(0, 10_000))
def test_parts_of_a_majority_are_what_leaving_the_vote_out_turns(seed):
    votes = study(seed, 2)
    relevance, item_weight = relevance_and_weights(votes, TWO, PreferenceSpec(), (MAJORITY,))[MAJORITY]
    parts = vote_influence(votes, TWO, PreferenceSpec(), MAJORITY, relevance, item_weight, np.zeros(6))
    for vote in range(0, len(votes), 4):
        own = votes.choice[votes.item == votes.item[vote]].tolist()
        with_it = 0.5 + 0.5 * np.sign(own.count(0) - own.count(1))
        own.remove(votes.choice[vote])
        without = 0.5 + 0.5 * np.sign(own.count(0) - own.count(1))
        n = len(own) + 1
        items = len(np.unique(votes.item))
        assert parts[vote] == pytest.approx((with_it - without) * (n - 1) / n / items)


def test_parts_of_glad_take_the_vote_out_of_its_items_posterior():
    votes = study(3, 3)
    fitted = glad.fit_votes(votes)
    parts = clustered_intervals.influence_on_glad(votes, fitted.posterior)
    for vote in range(0, len(votes), 7):
        item = votes.item[vote]
        chance = np.ones(3)
        for other in np.flatnonzero(votes.item == item):
            if other == vote:
                continue
            right = 1 / (1 + np.exp(-fitted.ability[votes.rater[other]] * np.exp(-fitted.difficulty[item])))
            chance *= np.where(np.arange(3) == votes.choice[other], right, (1 - right) / 2)
        n = (votes.item == item).sum()
        expected = (fitted.posterior[item] - chance / chance.sum()) * (n - 1) / n
        assert parts[vote] == pytest.approx(expected, abs=1e-9)


def test_one_rater_has_no_part_in_glad():
    votes = Votes(np.arange(4), np.zeros(4, dtype=int), np.array([0, 1, 0, 0]), 4, 1, 2)
    assert not clustered_intervals.influence_on_glad(votes, glad.fit_votes(votes).posterior).any()
