"""RV, W_q and PRV of PCC-H: what items say when raters and items weigh differently."""

from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from scipy import sparse

from analysis.values.quotients import ratio
from analysis.values.types import Codes, Flags, Floats
from analysis.values.votes import Lists, Votes

NOTHING = 1e-12
"""What rounding leaves of a correlation or a share that is 0, or of 1 less the entropy of equal shares."""
TINY = np.finfo(np.float64).tiny
"""What stands for 0 in a logarithm that is multiplied by it."""


class Chosen:
    """Who chose which option of each item, asked for in many draws."""

    def __init__(self, votes: Votes) -> None:
        self.votes = votes
        self._cell = votes.choice * votes.items + votes.item
        self._cells = votes.items * votes.options

    def by(self, rater_weight: Floats) -> Floats:
        """Weights (w, b) of those who chose each option of each item (k, q, b)."""
        draws = rater_weight.shape[1]
        if draws == 1:
            chosen = summed(self._cell, rater_weight[self.votes.rater, 0], self._cells)
        else:
            chosen = self._matrix @ rater_weight
        return np.asarray(chosen).reshape(self.votes.options, self.votes.items, draws)

    def relevance(self, weight: Floats, rater_weight: Floats) -> tuple[Floats, Flags]:
        """RV of trusted raters' weights (b, w), and where all count as in the draw, as all of them are 0."""
        # Departs from Eq. 2 where it divides 0 by 0: votes weigh alike there.
        trusted = self.by(weight.T)
        total = trusted.sum(axis=0)
        equal = np.zeros(total.shape, dtype=np.bool_)
        if not (total > 0).all():
            everyone = self.by(rater_weight.T)
            equal = (total <= 0) & (everyone.sum(axis=0) > 0)
            trusted = np.where(equal, everyone, trusted)
            total = trusted.sum(axis=0)
        return shared(trusted, total), equal.T

    @cached_property
    def _matrix(self) -> Any:
        of = np.ones(len(self.votes)), (self._cell, self.votes.rater)
        return sparse.csr_array(of, shape=(self._cells, self.votes.raters))


def summed(code: Codes, weight: Floats, many: int) -> Floats:
    """Weights summed by code."""
    return np.asarray(np.bincount(code, weight, many), dtype=np.float64)


def relevance(votes: Votes, weight: Floats, rater_weight: Floats | None = None) -> tuple[Floats, Flags]:
    """RV: what share of an item's weight went to each option (Habibi and Popescu-Belis 2012, section 5.1, Eq.
    2)."""
    return Chosen(votes).relevance(
        weight, np.ones((1, votes.raters)) if rater_weight is None else rater_weight
    )


def shared(chosen: Floats, total: Floats) -> Floats:
    """What share (b, q, k) of an item's whole weight (q, b) went to each option (k, q, b), in the same place."""
    chosen /= np.where(total > 0, total, nan)
    return chosen.T


def item_weights(relevance: Floats, counted: Floats, min_votes: int) -> Floats:
    """W_q: how much each item counts, from 0 where all options are as likely to 1 where all chose one (Habibi
    and Popescu-Belis 2012, section 5.2, Eqs. 4 and 5)."""
    # W_q = 1 - H_q, with H_q = - sum over a of RV_qa log RV_qa. Departs from Eq. 4 in that the logarithm is
    # to base A, the number of options: a logarithm of another base can make W_q negative.
    weight = certainty(relevance, counted, min_votes)
    known = _known(relevance)
    enough = known & (counted >= min_votes)
    instead = np.where(enough.any(axis=-1, keepdims=True), enough, known)
    return np.where((weight > 0).any(axis=-1, keepdims=True), weight, instead)


def weighted_share(relevance: Floats, item_weight: Floats) -> Floats:
    """PRV: the mean of the items' RV, weighted (Habibi and Popescu-Belis 2012, section 5.2, Eq. 6)."""
    known = _known(relevance)
    if not known.all():
        item_weight, relevance = item_weight * known, np.where(known[:, :, None], relevance, 0.0)
    told = np.einsum("kqb,qb->kb", relevance.T, item_weight.T)
    return ratio(told, item_weight.sum(axis=1)).T


def _known(relevance: Floats) -> Flags:
    """Which items anybody judged (b, q)."""
    return np.asarray(~np.isnan(relevance[..., :1]).any(axis=-1))


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
    entropy = np.zeros(relevance.shape[::-1][1:])
    for share in relevance.T:
        entropy -= share * np.log(np.maximum(share, TINY))
    weight = 1 - entropy.T / np.log(max(relevance.shape[-1], 2))
    return np.where((counted >= min_votes) & (weight > NOTHING), weight, 0.0)
