"""Pairs of raters against loops."""

import numpy as np
import pytest
from scipy import stats

from analysis.agreement.kappas import FEWEST_SHARED, MOST_RATERS, rater_pairs
from analysis.values.ratings import Ratings


def test_pairs_equal_the_loop_over_shared_items():
    rng = np.random.default_rng(0)
    item, rater = (part.ravel() for part in np.indices((40, 5)))
    keep = rng.random(200) < 0.5
    score = np.rint(3 + rng.normal(0, 1, 40)[item] + rng.normal(0, 1, 200))
    found = rater_pairs(Ratings(item[keep], rater[keep], score[keep]))
    for a in range(5):
        for b in range(5):
            mine, theirs = ({i: score[5 * i + w] for i in range(40) if keep[5 * i + w]} for w in (a, b))
            shared = sorted(mine.keys() & theirs.keys())
            assert found.items[a, b] == len(shared)
            if a == b or len(shared) < FEWEST_SHARED:
                assert np.isnan(found.equal[a, b])
                assert np.isnan(found.correlation[a, b])
                continue
            x, y = [mine[i] for i in shared], [theirs[i] for i in shared]
            assert found.equal[a, b] == pytest.approx(np.mean(np.equal(x, y)))
            assert found.correlation[a, b] == pytest.approx(stats.pearsonr(x, y).statistic)


def test_of_many_raters_the_busiest_are_looked_at():
    item = np.concatenate([np.arange(12), np.zeros(60)])
    found = rater_pairs(Ratings(item, np.concatenate([np.full(12, 99), np.arange(60)]), np.ones(72)))
    assert len(found.raters) == MOST_RATERS
    assert 99 in found.raters
    assert np.isnan(found.correlation).all()
