"""Whom BT.500 rejects: raters whose scores lie far from the others' too often, on both sides."""

from dataclasses import dataclass
from math import nan
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.screening.rating_columns import means_by
from analysis.values.codes import coded
from analysis.values.errors import InputError
from analysis.values.ratings import Ratings
from analysis.values.types import Counts, Flags, Floats

BT500_SHARE = 0.05
BT500_BALANCE = 0.3
ROUNDING = 1e-9
"""Scores of exactly two SDs are far, whatever the last digit says."""
Divisor = Literal["n - 1", "n"]
"""What the sum of squares of an item's SD is divided by: the standard's n - 1, or the n of the package sureal."""
BT500_FEWEST: dict[Divisor, int] = {"n - 1": 6, "n": 5}
"""Ratings of an item below which none of them can lie two of their standard deviations from their mean."""
_IN_WORDS = {5: "five", 6: "six"}


@dataclass(frozen=True, eq=False)
class Bt500:
    """The verdicts of BT.500.

    `raters` (w,), `p`, `q` (w,) how many scores lie far above and far below the others', `ratings` (w,)
    counts, `far` = (p + q) / ratings, `balance` = |p - q| / (p + q) (NaN where both are 0), `rejected` (w,).
    A `reason` where no rater can be rejected at all.
    """

    raters: NDArray[Any]
    p: Counts
    q: Counts
    ratings: Counts
    far: Floats
    balance: Floats
    rejected: Flags
    reason: str = ""


def bt500(ratings: Ratings, divisor: Divisor = "n - 1") -> Bt500:
    """Which raters often score far from the others, in both directions.

    Parameters
    ----------
    ratings : N ratings by w raters
    divisor : of an item's SD; "n - 1" is the standard's, "n" that of the package sureal (0.9.0), which finds more
        scores far

    Returns
    -------
    Bt500
        arrays (w,).

    Raises
    ------
    InputError
        where there is no such divisor.

    Notes
    -----
    For erratic raters on items with six ratings or more; one-sided raters are biased, and kept.
    Far is two SDs of the item's scores or more where their kurtosis is within 2 … 4, else sqrt(20) SDs.
    Rejected: more than 5% of a rater's scores far, and |p - q| / (p + q) below 0.3.
    Where raters rated different items, J is the number of the rater's own ratings. Items whose scores are all equal
    count for nobody; by the letter, and in sureal, they count as far on both sides for everyone, so that a few of
    them suffice to make all raters suspicious.
    Source: ITU-R BT.500-15, Annex 1, screening of the observers (BT.500-13: Annex 2, section 2.3.1).
    """
    if divisor not in get_args(Divisor):
        raise InputError(f'`divisor` must be "n - 1" or "n", got {divisor!r}')
    _, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    w = len(raters)
    count = np.bincount(item)
    deviation = ratings.score - means_by(item, ratings.score)[item]
    second, fourth = (means_by(item, deviation**power) for power in (2, 4))
    varied = _spread(item, ratings.score) > 0
    kurtosis = np.divide(fourth, second**2, out=np.zeros(len(count)), where=varied)
    normal = (kurtosis >= 2 - ROUNDING) & (kurtosis <= 4 + ROUNDING)
    sd = np.sqrt(second if divisor == "n" else second * count / np.maximum(count - 1, 1))
    limit = np.where(normal, 2, np.sqrt(20)) * sd * (1 - ROUNDING)
    p, q = (
        np.bincount(rater[varied[item] & (side * deviation >= limit[item])], minlength=w) for side in (1, -1)
    )
    given = np.bincount(rater, minlength=w)
    far = (p + q) / np.maximum(given, 1)
    balance = np.divide(np.abs(p - q), p + q, out=np.full(w, nan), where=p + q > 0)
    with np.errstate(invalid="ignore"):
        rejected = (far > BT500_SHARE) & (balance < BT500_BALANCE)
    fewest = BT500_FEWEST[divisor]
    reason = (
        ""
        if (count >= fewest).any()
        else f"no item has {_IN_WORDS[fewest]} ratings, so none can lie far from the rest"
    )
    return Bt500(raters, p, q, given, far, balance, rejected, reason)


def _spread(code: Counts, values: Floats) -> Any:
    """Largest less smallest value of each code."""
    high, low = (
        np.full(int(code.max(initial=-1)) + 1, -np.inf),
        np.full(int(code.max(initial=-1)) + 1, np.inf),
    )
    np.maximum.at(high, code, values)
    np.minimum.at(low, code, values)
    return high - low
