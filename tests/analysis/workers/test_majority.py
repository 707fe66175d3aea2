"""Majority votes against counting by hand, and laws."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from analysis.values.votes import Votes
from analysis.workers import polls

VOTES = some.lists(some.tuples(some.integers(0, 3), some.integers(0, 4), some.integers(0, 2)), min_size=1)


def votes_of(rows, items=5, raters=5, options=3):
    rater, item, choice = (np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    return Votes(item, rater, choice, items, raters, options)


def test_label_and_share_by_hand():
    share = polls.shares(votes_of([(0, 0, 0), (1, 0, 1), (2, 0, 1), (0, 1, 1), (1, 1, 0)], 2, 3, 2))
    label, tied = polls.most_probable_option(share)
    assert label.tolist() == [1, 0]
    assert tied.tolist() == [False, True]
    np.testing.assert_allclose(share[0], [1 / 3, 2 / 3])


@given(VOTES)
def test_equals_counting(rows):
    share = polls.shares(votes_of(rows))
    found, tied = polls.most_probable_option(share)
    for item in {row[1] for row in rows}:
        count = Counter(option for _, at, option in rows if at == item)
        most = max(count.values())
        winners = sorted(option for option in count if count[option] == most)
        assert found[item] == winners[0]
        assert tied[item] == (len(winners) > 1)
        for option in range(3):
            assert np.isclose(share[item][option], count[option] / count.total())


def test_no_votes_are_nan_and_no_label():
    share = polls.shares(votes_of([(0, 1, 2)]))
    assert np.isnan(share[0]).all()
    label, tied = polls.most_probable_option(share)
    assert label.tolist() == [-1, 2, -1, -1, -1]
    assert not tied.any()


def test_rounding_does_not_choose_the_label():
    label, tied = polls.most_probable_option(np.array([[0.5 - 1e-14, 0.5 + 1e-14], [0.4, 0.6]]))
    assert label.tolist() == [0, 1]
    assert tied.tolist() == [True, False]
