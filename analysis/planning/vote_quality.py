"""How many votes are no guesses, from votes at hand: what the power of a preference is weakened by."""

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from analysis.resampling.carried import carried, of_items, together
from analysis.resampling.intervals import wilson_of_variance
from analysis.values.errors import InputError
from analysis.values.estimate import Estimate


def quality_by_known_answers(
    item: ArrayLike, rater: ArrayLike, right: ArrayLike, level: float = 0.95
) -> Estimate:
    """The share of votes that are no guesses, from votes between two sides whose right one is known.

    Parameters
    ----------
    item, rater : (N,) codes from 0
    right : (N,) whether the vote is for the known side
    level : of the interval

    Returns
    -------
    Estimate
        2 (share right) - 1, at least 0, with its interval over items and raters; NaN for fewer than 2 items

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    A guess is right half of the time. Not where those who look closely may disagree with the known answer: their votes
    would count as guesses.
    Source: methods, section 4 (a worker's share of equal answers); Cameron, Gelbach and Miller 2011 (two ways of
    clustering); Dean and Pagano 2015 (the interval).

    >>> round(quality_by_known_answers([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]).value, 2)
    0.5
    """
    items, raters = (np.asarray(one, dtype=np.int64) for one in (item, rater))
    hit = np.asarray(right, dtype=np.float64)
    if not len(items) == len(raters) == len(hit):
        raise InputError(
            f"`item`, `rater` and `right` must be equally long, got {len(items)}, {len(raters)} and {len(hit)}"
        )
    many = len(np.unique(items))
    if many < 2:
        return Estimate(nan, n=len(hit), reason="fewer than 2 items have a known answer")
    value = float(hit.mean())
    parts = (hit - value) / len(hit)
    by_item = of_items(float((np.bincount(items, parts) ** 2).sum()) * many / (many - 1), many)
    chance = together(by_item, carried(parts, raters, int(raters.max()) + 1))
    low, high = wilson_of_variance(value, chance.variance, len(hit), level, chance.degrees)
    told, least, most = (max(2 * float(end) - 1, 0.0) for end in (value, low, high))
    return Estimate(told, least, most, len(hit))


def least_quality_by_agreement(chosen: ArrayLike, votes: ArrayLike) -> float:
    """The least share of votes that are no guesses with which votes on the same item agree as often as these.

    Parameters
    ----------
    chosen, votes : (items,) votes for one side, and all votes, of each item

    Returns
    -------
    float
        NaN where no item has 2 votes

    Notes
    -----
    Two votes on an item agree in (1 + q² m) / 2 of the cases, where q of the votes are no guesses and m says how far
    those who look closely agree about the items, 1 at most. Votes alone tell q² m, and so the least q, but not q.
    Source: Fleiss 1971, "Measuring nominal scale agreement among many raters" (the share of pairs that agree).

    >>> least_quality_by_agreement([2, 0, 1, 1], [2, 2, 2, 2]), least_quality_by_agreement([4, 0], [4, 4])
    (0.0, 1.0)
    """
    k, n = (np.asarray(one, dtype=np.float64) for one in (chosen, votes))
    pairs = (n * (n - 1)).sum()
    if not pairs:
        return nan
    agree = (k * (k - 1) + (n - k) * (n - k - 1)).sum() / pairs
    return sqrt(max(2 * float(agree) - 1, 0.0))
