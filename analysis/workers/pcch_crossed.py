"""r_w where every rater judged every item once: all draws from a few matrix products.

The others of a rater are then equally many on all items, so that their mean is their sum up to a factor that no
correlation sees, and what it takes are sums over items of whole numbers: exact, and the same for any rater but for
what the rater's own votes add. `analysis.workers.pcch.correlations` uses it where it can.
"""

import numpy as np
from numpy.typing import NDArray

from analysis.values.votes import Votes

Floats = NDArray[np.float64]


def is_crossed(votes: Votes) -> bool:
    """Whether every rater judged every item exactly once (the complete table of methods, section 4, as in
    Habibi and Popescu-Belis 2012, section 4. Arrays (n,))."""
    if not len(votes) or len(votes) != votes.items * votes.raters:
        return False
    return bool((np.bincount(votes.item * votes.raters + votes.rater, minlength=len(votes)) == 1).all())


def correlations(votes: Votes, raters: Floats, items: Floats) -> Floats:
    """r_w of every rater in every draw, NaN where no option varies (Habibi and Popescu-Belis 2012, section
    5.1, Eq. 1, as `analysis.workers.pcch.correlations`)."""
    # With T the votes for an option on an item, m how often the rater was drawn and x the rater's own
    # choice, the others' votes are T - m x; x is 0 or 1, so that all sums follow from those of T, T², x and
    # x T.
    n = items.sum(axis=0)
    others = raters.sum(axis=0) > raters
    shape = np.broadcast_shapes(raters.shape, n.shape)
    total, varying = np.zeros(shape), np.zeros(shape)
    for option in range(votes.options):
        own = np.zeros((votes.raters, votes.items))
        chosen = votes.choice == option
        own[votes.rater[chosen], votes.item[chosen]] = 1.0
        everyone = own.T @ raters
        weighted = items * everyone
        sum_t, sum_tt = weighted.sum(axis=0), (weighted * everyone).sum(axis=0)
        sum_x, sum_xt = own @ items, own @ weighted
        sum_y, sum_xy = sum_t - raters * sum_x, sum_xt - raters * sum_x
        sum_yy = sum_tt - 2 * raters * sum_xt + raters**2 * sum_x
        spread = sum_x * (n - sum_x) * (n * sum_yy - sum_y**2)
        varies = (spread > 0) & others
        total += np.where(varies, (n * sum_xy - sum_x * sum_y) / np.sqrt(np.where(varies, spread, 1.0)), 0.0)
        varying += varies
    r = np.where(varying > 0, total / np.maximum(varying, 1.0), np.nan)
    return np.clip(r, -1.0, 1.0).T
