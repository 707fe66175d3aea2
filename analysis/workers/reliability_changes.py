"""Change of each worker's r_w when one of the worker's items is removed."""

import numpy as np
from numpy.typing import ArrayLike

from analysis.raters.changes import NO_SPREAD, RaterChanges, fisher
from analysis.values.quotients import ratio
from analysis.values.types import Codes, Floats
from analysis.values.votes import Votes


def reliability_changes(
    votes: Votes, r: ArrayLike, items: ArrayLike, poll: Codes | None = None
) -> RaterChanges:
    """Return Fisher's z of each worker's r_w, and its change without each item.

    Parameters
    ----------
    votes : N votes by w workers on q items
    r, items : (w,) the workers' r_w, NaN where undefined, and their items that others judged, too
    poll : (q,) code of the comparison that an item belongs to; None for one

    Returns
    -------
    RaterChanges
        arrays (w,) and (m,), over the items that another worker judged, too.

    Notes
    -----
    For each option Pearson's correlation is computed anew from centered sums less the item's part; then the mean over
    the options that still vary, and over polls by the number of votes compared.
    Source: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1 (as `analysis.workers.pcch_reliability.correlations`).
    """
    w = votes.raters
    of_item = np.zeros(votes.items, dtype=np.int64) if poll is None else np.asarray(poll, dtype=np.int64)
    groups = (int(of_item.max(initial=0)) + 1) * w
    pair, at = np.unique(votes.item * max(w, 1) + votes.rater, return_inverse=True)
    item, rater = np.divmod(pair, max(w, 1))
    own = np.bincount(at, minlength=len(pair))
    others = votes.per_item[item] - own
    group = of_item[item] * w + rater
    counted = np.where(others > 0, own, 0).astype(np.float64)
    n = np.bincount(group, counted, groups).astype(np.float64)
    left = n[group] - counted
    whole, without = np.zeros((2, groups)), np.zeros((2, len(pair)))
    for option in range(votes.options):
        chosen = np.bincount(at, votes.choice == option, len(pair)).astype(np.float64)
        share = ratio(np.bincount(votes.item, votes.choice == option, votes.items)[item] - chosen, others)
        y = np.where(others > 0, share, 0.0)
        x = chosen / own
        dx, dy = (v - ratio(np.bincount(group, counted * v, groups), n)[group] for v in (x, y))
        # A worker's several votes on an item have one y, and the square of x of each vote is x itself.
        within = chosen - own * x * x
        parts = np.where(others > 0, np.stack([own * dx * dx + within, own * dy * dy, own * dx * dy]), 0.0)
        sums = np.stack([np.bincount(group, part, groups).astype(np.float64) for part in parts])
        moved = np.where(others > 0, np.stack([dx * dx, dy * dy, dx * dy]), 0.0)
        rest: Floats = sums[:, group] - parts - counted**2 * moved / np.where(left > 0, left, 1.0)
        least = NO_SPREAD * n
        _add(whole, sums, least)
        _add(without, rest, least[group])
    of_group, of_rest = (ratio(total, varying) for total, varying in (whole, without))
    weight = np.where(np.isnan(of_group), 0.0, n)
    above, below = (
        np.bincount(np.arange(groups) % max(w, 1), column, w)
        for column in (weight * np.nan_to_num(of_group), weight)
    )
    kept = np.where(np.isnan(of_rest), 0.0, left)
    r_without = ratio(
        above[rater] - weight[group] * np.nan_to_num(of_group[group]) + kept * np.nan_to_num(of_rest),
        below[rater] - weight[group] + kept,
    )
    met = others > 0
    z = fisher(r)
    change = np.nan_to_num(fisher(r_without) - z[rater])
    return RaterChanges(
        np.arange(w), z, np.asarray(items, dtype=np.int64), item[met], rater[met], change[met]
    )


def _add(totals: Floats, sums: Floats, least: Floats) -> None:
    """Add the correlation of each column of sums (3, c) to the totals, and 1 to their number, where both sides vary."""
    xx, yy, xy = sums
    varies = (xx > least) & (yy > least)
    totals += np.where(
        varies, np.stack([xy / np.sqrt(np.where(varies, xx * yy, 1.0)), np.ones(len(xx))]), 0.0
    )
