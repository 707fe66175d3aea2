"""Curves with and without the least reliable quarter."""

import numpy as np
import pytest

from analysis.repetitions.attenuation import sensitivity
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.values.ratings import Ratings


def study(noise_of_bad_raters, seed=0, n=60, raters=16, m=8):
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 1, n)
    item = np.repeat(np.arange(n), m)
    rater = np.concatenate([rng.permutation(raters)[:m] for _ in range(n)])
    noise = np.where(rater < 4, noise_of_bad_raters, 1.0)
    return Ratings(item, rater, quality[item] + noise * rng.normal(0, 1, n * m)), dict(enumerate(quality))


def test_the_measure_with_bad_raters_gains_most():
    good, bad = (sensitivity(*study(noise)) for noise in (1.0, 6.0))
    assert (good.excluded, bad.excluded, bad.raters) == (4, 4, 16)
    assert bad.gain > 0.1
    assert abs(good.gain) < 0.05


def test_both_curves_are_read_at_equally_many_ratings():
    found = sensitivity(*study(6.0))
    assert found.everyone.repetitions == found.without.repetitions
    at = found.everyone.repetitions - 1
    assert found.correlation == pytest.approx(found.everyone.points[:, at].mean())
    assert found.gain == pytest.approx(found.correlation_without - found.correlation)


def test_columns_need_not_stay_whole():
    assert np.isfinite(sensitivity(*study(6.0), RepetitionSpec(order="by column")).gain)


def test_leaving_nobody_out_changes_nothing():
    ratings, reference = study(2.0)
    found = sensitivity(ratings, reference, share=0.0)
    np.testing.assert_array_equal(found.everyone.points, simulate(ratings, reference).points)
    assert found.gain == 0
    assert "too few raters" in found.reason


def test_split_halves_and_the_undefined():
    assert np.isfinite(sensitivity(study(3.0)[0], None, RepetitionSpec(repetitions=8)).gain)
    empty = sensitivity(Ratings([], [], []))
    assert np.isnan(empty.gain)
    one = sensitivity(Ratings([0, 1, 2], [7, 7, 7], [1, 2, 3]), {0: 1, 1: 2, 2: 3})
    assert one.excluded == 0
    assert one.gain == 0
    assert "too few raters" in one.reason


def test_an_item_only_bad_raters_rated_is_left_out_on_both_sides():
    ratings, reference = study(6.0)
    more = Ratings(
        np.append(ratings.item, [99]), np.append(ratings.rater, [0]), np.append(ratings.score, [1.0])
    )
    found = sensitivity(more, reference | {99: 0.0})
    assert found.everyone.items.tolist() == found.without.items.tolist()
    assert 0.9 * 61 <= found.everyone.items[0] <= 60
