"""Curves by raters of one kind: the same as simulate's, and exact when a rater is left out by hand."""

import numpy as np
import pytest

from analysis.assessors.attributes import value_curve
from analysis.repetitions.repetition import RepetitionSpec, orders, simulate
from analysis.values.ratings import Ratings

SPEC = RepetitionSpec(shuffles=6, seed=3, order="within items")


def study(seed: int = 0, items: int = 14, raters: int = 7) -> tuple[Ratings, dict[int, float]]:
    rng = np.random.default_rng(seed)
    item, rater = np.nonzero(rng.random((items, raters)) < 0.8)
    quality = rng.normal(3, 1, items)
    score = np.clip(np.rint(quality[item] + rng.normal(0, 0.8, len(item))), 1, 5)
    return Ratings(item, rater, score), dict(enumerate(quality.tolist()))


def test_the_curve_is_that_of_repetitions():
    ratings, reference = study()
    found = value_curve(ratings, reference, SPEC)
    m = int(ratings.mos().counts.max())
    expected = simulate(ratings, reference, RepetitionSpec(6, m, 3, order="within items")).shuffled.mean(
        axis=0
    )
    assert found.curve == pytest.approx(expected[: len(found.curve)])
    assert 1 < len(found.curve) <= m


def test_a_rater_who_is_left_out_is_followed_by_the_next_rating():
    ratings, reference = study(1)
    r, width = 3, int(ratings.mos().counts.max())
    drawn = orders(ratings, RepetitionSpec(6, width, 3, order="within items"), reference)
    without = []
    for gone in range(7):
        of_orders = []
        for order in drawn:
            means, known = [], []
            for item, places in enumerate(order.tolist()):
                left = [p for p in places if p >= 0 and ratings.rater[p] != gone]
                had = [p for p in places if p >= 0]
                if len(had) >= r and len(left) >= r:
                    means.append(ratings.score[left[:r]].sum())
                    known.append(reference[item])
            ranks = [np.argsort(np.argsort(known)), _midranks(means)]
            of_orders.append(np.corrcoef(*ranks)[0, 1])
        without.append(np.mean(of_orders))
    expected = 6 / 7 * np.sum((np.array(without) - np.mean(without)) ** 2)
    assert value_curve(ratings, reference, SPEC).variance_at(r) == pytest.approx(expected)


def _midranks(values: list[float]) -> np.ndarray:
    return np.array([np.mean([other < value for other in values]) + np.mean([other == value for other in values]) / 2
                     for value in values])  # fmt: skip


def test_one_rater_has_no_variance_and_unknown_items_do_not_count():
    ratings, reference = study(2)
    one = ratings.rater == 0
    alone = Ratings(ratings.item[one], ratings.rater[one], ratings.score[one])
    assert np.isnan(value_curve(alone, reference, SPEC).variance_at(1))
    fewer = {item: value for item, value in reference.items() if item > 4}
    assert len(value_curve(ratings, fewer, SPEC).known) == 9
