"""r_w of complete tables is what the general way gives, draw by draw, in less time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.values.votes import Votes
from analysis.workers import pcch_reliability


def crossed(seed, items=8, raters=5, options=4, same=0.3):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, options, (items, raters))
    table[:, rng.random(raters) < same] = 0  # raters who always say the same
    item, rater = np.indices(table.shape).reshape(2, -1)
    order = rng.permutation(item.size)
    return Votes(item[order], rater[order], table.ravel()[order], items, raters, options)


@given(some.integers(0, 10_000), some.integers(1, 8), some.integers(1, 6), some.integers(2, 4))
def test_it_is_the_general_way(seed, items, raters, options):
    votes = crossed(seed, items, raters, options)
    assert pcch_reliability.is_crossed(votes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pcch_reliability, "is_crossed", lambda _: False)
        for of_raters, of_items in crossed_bootstrap_counts(raters, items, 30, seed):
            expected = pcch_reliability.correlations(votes, of_raters, of_items)
            found = pcch_reliability.crossed_correlations(votes, of_raters.T, of_items.T)
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_what_is_not_complete_or_has_votes_twice_is_not_crossed():
    votes = crossed(0)
    assert not pcch_reliability.is_crossed(votes.select(np.arange(len(votes)) > 0))
    twice = votes.item.copy()
    twice[0] = (twice[0] + 1) % votes.items
    assert not pcch_reliability.is_crossed(
        Votes(twice, votes.rater, votes.choice, votes.items, votes.raters, votes.options)
    )
    assert not pcch_reliability.is_crossed(votes.select(np.zeros(len(votes), dtype=bool)))
