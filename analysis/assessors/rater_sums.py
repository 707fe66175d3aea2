"""Each rater's agreement with the others from sums per rater, as a database adds them up: no rating is looked at."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alpha import alpha_of_changes, interval_alpha
from analysis.agreement.reliability import FEWEST_ITEMS
from analysis.assessors.consistency import OthersAgreement, told_of_each
from analysis.correlation.sums import pearson_of_sums
from analysis.values.estimate import BootstrapSpec

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RaterSums:
    """Sums of one measure's ratings by one group, a row per rater; what the query "rater_sums" returns.

    Parameters
    ----------
    rater : (w,) ids, ascending
    ratings : (w,) how many each gave
    items : (w,) those of them that others rated too
    own, others, products : (w,) over these items, sums of squares around their means of the rater's mean score, of
        the mean of all other ratings, and of the products of the two
    count, total, squares, within : (w,) what the rater's leaving changes in the items' sums, those with two ratings or
        more: number, total and squares of their scores (less the mean of all) and n SS / (n - 1)

    Notes
    -----
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, with the mean of the others as the item's sum less one's
    own; Krippendorff 2011, section D.
    """

    rater: NDArray[Any]
    ratings: Counts
    items: Counts
    own: Floats
    others: Floats
    products: Floats
    count: Floats
    total: Floats
    squares: Floats
    within: Floats


def agreement_of_sums(
    sums: RaterSums,
    count: Counts,
    total: Floats,
    squares: Floats,
    bootstrap: BootstrapSpec | None = None,
    widening: float = 1.0,
) -> OthersAgreement:
    """What `analysis.assessors.consistency.agreement_with_others` says, from sums.

    Parameters
    ----------
    sums : of w raters
    count, total, squares : (u,) of each item, number, total and squares of its scores less the mean of all
    bootstrap : of the interval of everyone's alpha, and its level of all
    widening : how many times as large as Fisher's the variance of correlations is, as single ratings show

    Returns
    -------
    OthersAgreement
        arrays (w,); alpha without a rater is undefined where hardly any spread is left then.

    Notes
    -----
    As `agreement_with_others` in all else.
    Source: methods, section 4, last line.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    tiny = 1e-18 * float(squares.sum())
    enough = (sums.items >= FEWEST_ITEMS) & (sums.own > tiny) & (sums.others > tiny)
    changes = np.stack([sums.count, sums.total, sums.squares, sums.within], axis=1)
    alpha_without, lost = alpha_of_changes(count.astype(np.float64), total, squares, changes)
    return told_of_each(
        sums.rater,
        pearson_of_sums(sums.own, sums.others, sums.products, enough),
        sums.items,
        sums.own <= tiny,
        interval_alpha(count, total, squares, spec),
        np.where(lost, nan, alpha_without),
        spec.level,
        widening,
    )
