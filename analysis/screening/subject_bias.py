"""How far each rater lies above or below the others: the subject bias of P.913."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.intervals import by_error
from analysis.screening.rating_columns import means_by
from analysis.values.codes import coded, sums_of_pairs
from analysis.values.errors import InputError
from analysis.values.ratings import Ratings
from analysis.values.types import Counts, Floats


@dataclass(frozen=True, eq=False)
class Bias:
    """Each rater's mean deviation from the items' MOS.

    `raters` (w,), `bias`, `low`, `high` (w,), `ratings` (w,) counts of what it rests on: ratings of items that
    others rated too. NaN without any; the interval is NaN for a single one.
    """

    raters: NDArray[Any]
    bias: Floats
    low: Floats
    high: Floats
    ratings: Counts


def bias(ratings: Ratings, level: float = 0.95) -> Bias:
    """How much each rater's scores lie above or below the MOS of the items rated.

    Parameters
    ----------
    ratings : N ratings by w raters
    level : of the intervals

    Returns
    -------
    Bias
        arrays (w,).

    Raises
    ------
    InputError
        for a level outside 0 … 1.

    Notes
    -----
    A rater's own scores count in the MOS, as P.913 has it, so on items with few ratings the bias comes out too small
    (halved with two). Items that nobody else rated say nothing and do not count. The interval is Student's t
    over the rater's deviations, for these items.
    Source: ITU-T P.913 (2021), 12.4 (subject bias).

    >>> bias(Ratings([1, 1, 2, 2], ["a", "b", "a", "b"], [3, 4, 1, 2])).bias
    array([-0.5,  0.5])
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    _, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    w = len(raters)
    shared = np.bincount(sums_of_pairs(item, rater, ratings.score)[0])[item] > 1
    who, deviation = rater[shared], (ratings.score - means_by(item, ratings.score)[item])[shared]
    count = np.bincount(who, minlength=w)
    mean = np.divide(
        np.bincount(who, weights=deviation, minlength=w), count, out=np.full(w, nan), where=count > 0
    )
    squares = np.bincount(who, weights=(deviation - mean[who]) ** 2, minlength=w)
    degrees = np.maximum(count - 1, 1)
    error = np.where(count > 1, np.sqrt(squares / degrees / np.maximum(count, 1)), nan)
    return Bias(raters, mean, *by_error(mean, error, level, degrees), count)
