"""RV, W_q and PRV of PCC-H: what items say when raters and items weigh differently."""

from math import nan

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from analysis.values.quotients import ratio
from analysis.values.votes import Lists, Votes

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
NOTHING = 1e-12
"""What rounding leaves of a correlation or a share that is 0, or of 1 less the entropy of equal shares."""


def by_option(votes: Votes, rater_weight: Floats) -> Floats:
    """Weights (w, b) of those who chose each option of each item (k, q, b)."""
    cell, cells = votes.choice * votes.items + votes.item, votes.items * votes.options
    shape = votes.options, votes.items, rater_weight.shape[1]
    if rater_weight.shape[1] == 1:
        return summed(cell, rater_weight[votes.rater, 0], cells).reshape(shape)
    counts = sparse.csr_array((np.ones(len(votes)), (cell, votes.rater)), shape=(cells, votes.raters))
    return np.asarray(counts @ rater_weight).reshape(shape)


def summed(code: Codes, weight: Floats, many: int) -> Floats:
    """Weights summed by code."""
    return np.asarray(np.bincount(code, weight, many), dtype=np.float64)


def relevance(votes: Votes, weight: Floats, rater_weight: Floats | None = None) -> tuple[Floats, Flags]:
    """RV: what share of an item's weight went to each option (Habibi and Popescu-Belis 2012, section 5.1, Eq.
    2)."""
    # Departs from Eq. 2 where it divides 0 by 0: votes weigh alike there.
    if rater_weight is None:
        rater_weight = np.ones((1, votes.raters))
    trusted, everyone = by_option(votes, weight.T), by_option(votes, rater_weight.T)
    equal = (trusted.sum(axis=0) <= 0) & (everyone.sum(axis=0) > 0)
    chosen = np.where(equal, everyone, trusted)
    return ratio(chosen, chosen.sum(axis=0)).T, equal.T


def item_weights(relevance: Floats, counted: Floats, min_votes: int) -> Floats:
    """W_q: how much each item counts, from 0 where all options are as likely to 1 where all chose one (Habibi
    and Popescu-Belis 2012, section 5.2, Eqs. 4 and 5)."""
    # W_q = 1 - H_q, with H_q = - sum over a of RV_qa log RV_qa. Departs from Eq. 4 in that the logarithm is
    # to base A, the number of options: a logarithm of another base can make W_q negative.
    weight = certainty(relevance, counted, min_votes)
    known = ~np.isnan(relevance).any(axis=-1)
    enough = known & (counted >= min_votes)
    instead = np.where(enough.any(axis=-1, keepdims=True), enough, known)
    return np.where((weight > 0).any(axis=-1, keepdims=True), weight, instead)


def weighted_share(relevance: Floats, item_weight: Floats) -> Floats:
    """PRV: the mean of the items' RV, weighted (Habibi and Popescu-Belis 2012, section 5.2, Eq. 6)."""
    known = ~np.isnan(relevance)
    weight = item_weight[:, :, None] * known
    return ratio((weight * np.where(known, relevance, 0.0)).sum(axis=1), weight.sum(axis=1))


def shares_of_lists(prv: Floats, lists: Lists) -> Floats:
    """The first list's share once those who said "both" and "neither" are told to the two lists (Habibi and
    Popescu-Belis 2012, section 5.1, Eq. 3)."""
    # Each list gains half of "both" and loses half of "neither". Eq. 3 does this for each item; as Eq. 6 is
    # a sum over items, doing it once after it gives the same. Departs from the paper's formulas, not from
    # its tables: the two are divided by their sum, so that they add to 1.
    moved = np.zeros(len(prv))
    if lists.both is not None:
        moved = moved + prv[:, lists.both] / 2
    if lists.neither is not None:
        moved = moved - prv[:, lists.neither] / 2
    first, second = prv[:, lists.first] + moved, prv[:, lists.second] + moved
    told = (np.minimum(first, second) >= -NOTHING) & (first + second > NOTHING)
    first, second = np.maximum(first, 0.0), np.maximum(second, 0.0)
    return ratio(np.where(told, first, nan), np.where(told, first + second, nan))


def certainty(relevance: Floats, counted: Floats, min_votes: int) -> Floats:
    """1 less the entropy to base A, 0 for items with few votes (b, q)."""
    entropy = special.entr(relevance).sum(axis=-1) / np.log(max(relevance.shape[-1], 2))
    weight = np.where(counted >= min_votes, np.nan_to_num(1 - entropy), 0.0)
    return np.where(weight > NOTHING, weight, 0.0)
