"""How far each two raters agree on the items that both rated."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.sums import around_the_means, pearson_of_sums
from analysis.values.codes import coded
from analysis.values.ratings import Ratings
from analysis.values.types import Floats

MOST_RATERS = 40
"""Raters of whom all pairs are looked at."""
FEWEST_SHARED = 10
"""Items that two raters must share for a figure of the pair: r of three items is luck."""


@dataclass(frozen=True, eq=False)
class RaterPairs:
    """Pairs of w raters.

    `raters` (w,) ids; matrices (w, w): `items` shared, `equal` the share of them that both gave the same value,
    `correlation` Pearson's r, NaN where fewer than 10 are shared, on the diagonal, or where a side does not vary.
    """

    raters: NDArray[Any]
    items: NDArray[np.int64]
    equal: Floats
    correlation: Floats


def rater_pairs(ratings: Ratings) -> RaterPairs:
    """Agreement of each two raters; of a rater's several ratings of an item the mean counts, of many raters the busiest
    40 (methods, section 10: pair by pair agreement)."""
    raters, who = coded(ratings.rater)
    busiest = np.sort(np.argsort(-np.bincount(who, minlength=len(raters)), kind="stable")[:MOST_RATERS])
    place = np.full(len(raters), -1)
    place[busiest] = np.arange(len(busiest))
    kept = place[who] >= 0
    items, item = coded(ratings.item[kept])
    table = np.zeros((2, len(items), len(busiest)))
    centre = ratings.score.mean() if len(ratings.score) else 0.0
    np.add.at(table[0], (item, place[who[kept]]), ratings.score[kept] - centre)
    np.add.at(table[1], (item, place[who[kept]]), 1.0)
    given = (table[1] > 0).astype(np.float64)
    score = table[0] / np.maximum(table[1], 1)
    shared = given.T @ given
    spread = around_the_means(
        shared,
        score.T @ given,
        given.T @ score,
        (score**2).T @ given,
        given.T @ score**2,
        score.T @ score,
    )
    enough = (shared >= FEWEST_SHARED) & ~np.eye(len(busiest), dtype=np.bool_)
    tiny = 1e-12 * max(float((score**2).sum()), 1e-300)
    defined = enough & (spread[0] > tiny) & (spread[1] > tiny)
    same = np.array(
        [
            (given * given[:, [w]] * (np.abs(score - score[:, [w]]) < 1e-9)).sum(axis=0)
            for w in range(len(busiest))
        ]
    ).reshape(len(busiest), len(busiest))
    return RaterPairs(
        raters[busiest],
        np.rint(shared).astype(np.int64),
        np.where(enough, same / np.maximum(shared, 1), np.nan),
        pearson_of_sums(*spread, defined),
    )
