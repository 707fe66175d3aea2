"""Whether raters take what they see first."""

from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.carried import NONE, carried, of_items, together
from analysis.resampling.intervals import ANGLE, by_error, wilson
from analysis.values.estimate import Estimate
from analysis.values.votes import Lists, Votes


def position_bias(
    votes: Votes,
    lists: Lists,
    first_shown: NDArray[np.bool_],
    level: float = 0.95,
    raters_are_persons: bool = True,
) -> Estimate:
    """The share of choices of whatever stood first, among those that chose one of the two lists.

    Parameters
    ----------
    votes, lists : of one pair of systems under one design
    first_shown : (N,) whether the first list stood in first position
    level : of the interval
    raters_are_persons : if not, the interval is over items only

    Returns
    -------
    Estimate
        n counts the choices of a list.

    Notes
    -----
    Near one half they do not. It says so only where positions were drawn at random; a better system that always stood
    first looks like bias. The interval is on the arcsine scale; where everybody chose one position, Wilson's for as
    many trials as items.
    Source: methods, section 4 ("position bias is reported on its own"); Cameron, Gelbach and Miller 2011, section 2.
    """
    listed = (votes.choice == lists.first) | (votes.choice == lists.second)
    if not listed.any():
        return Estimate(nan, reason="nobody chose one of the two lists")
    ahead = (votes.choice[listed] == lists.first) == first_shown[listed]
    n, value = len(ahead), float(ahead.mean())
    parts = (ahead - value) / n
    item, rater = votes.item[listed], votes.rater[listed]
    items = len(np.unique(item))
    if items < 2:
        return Estimate(value, n=n)
    by_items = of_items(float((np.bincount(item, parts) ** 2).sum()) * items / (items - 1), items)
    of_raters = carried(parts, rater, votes.raters) if raters_are_persons else NONE
    chance = together(by_items, of_raters)
    if value in (0.0, 1.0):
        _, low, high = wilson(items * value, items, level)
    else:
        error = np.sqrt(chance.variance / (4 * value * (1 - value)))
        low, high = by_error(value, error, level, chance.degrees, scale=ANGLE)
    return Estimate(value, float(low), float(high), n)
