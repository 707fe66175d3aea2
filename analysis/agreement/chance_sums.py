"""Fleiss' and Conger's kappa as 1 - O / E: disagreeing pairs of an item over those that chance would give.

O is the mean over items with two ratings of the share of pairs that disagree; E is 1 less the chance of agreeing.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from analysis.agreement.rating_table import RatingTable
from analysis.agreement.ratio_intervals import ItemSums
from analysis.values.types import Floats

_BLOCK = 4_000_000


def fleiss_sums(number: Floats, agreed: Floats, share: Any, credit: Floats | None = None) -> ItemSums:
    """Return the sums of Fleiss' kappa: chance is two draws from the mean share of each value.

    `number` (n,) of an item's ratings, `agreed` (n,) share of its pairs that agree, `share` (n, q) of its ratings by
    value; `credit` (q, q) that two values earn, None for equal ones alone.
    """
    several, there = (number > 1).astype(np.float64), (number > 0).astype(np.float64)
    within = several * np.where(1 - agreed > 1e-12, 1 - agreed, 0.0)
    return ItemSums(several, within, there, there, share, correction=0.0, product=credit)


@dataclass(frozen=True, eq=False)
class CongerSums(ItemSums):
    """Sums of Conger's kappa: chance is two raters, each of whom keeps to the own share of each value.

    `ratings` (n, w) 1 where a rater rated an item, and `given` (n, w q) 1 where the rater gave it that value, sparse.
    `product` (q, q) is the credit that two values earn.
    """

    ratings: Any = None
    given: Any = None

    @classmethod
    def of_table(cls, table: RatingTable, credit: Floats) -> "CongerSums":
        """Return the sums of a table of ratings."""
        n, w, q = len(table.items), len(table.raters), len(table.values)
        number = table.counts.sum(axis=1)
        pairs = np.where(number > 1, number * (number - 1), 1.0)
        agreed = (table.counts * (table.counts @ credit - 1)).sum(axis=1) / pairs
        share = table.counts / np.maximum(number, 1)[:, None]
        of = fleiss_sums(number, agreed, share, credit)
        ones = np.ones(len(table.item))
        ratings = sparse.csr_array((ones, (table.item, table.rater)), shape=(n, w))
        given = sparse.csr_array((ones, (table.item, table.rater * q + table.value)), shape=(n, w * q))
        return cls(of.compared, of.within, of.count, of.squares, of.totals, 0.0, credit, ratings, given)

    @classmethod
    def of_two(cls, first: Floats, second: Floats) -> "CongerSums":
        """Return the sums of Cohen's kappa of two raters from the shares (n, q) of each value that both gave items."""
        n, ones = len(first), np.ones(len(first))
        of = fleiss_sums(2 * ones, (first * second).sum(axis=1), (first + second) / 2, np.eye(first.shape[1]))
        given = sparse.csr_array(np.hstack([first, second]))
        ratings = sparse.csr_array(np.ones((n, 2)))
        return cls(of.compared, of.within, of.count, of.squares, of.totals, 0.0, of.product, ratings, given)

    def expected(self, weights: Floats) -> Floats:
        """Return E (b,) with items as often as the weights (b, n) say."""
        return self._expected(weights @ self.ratings, weights @ self.given)

    def without_each(self) -> tuple[Floats, Floats]:
        """Return O and E without each item (n,)."""
        o, _ = super().without_each()
        n = len(self.count)
        number, given = self.ratings.sum(axis=0), self.given.sum(axis=0)
        size = max(_BLOCK // max(self.given.shape[1], 1), 1)
        e = [
            self._expected(
                number - self.ratings[at : at + size].toarray(), given - self.given[at : at + size].toarray()
            )
            for at in range(0, n, size)
        ]
        return o, np.concatenate(e)

    def influence_on_expected(self, weights: Floats) -> Floats:
        """Return by how much each item (b, n) moves E, times their number; 0 on average over the weights."""
        number, share, raters = self._shares(weights @ self.ratings, weights @ self.given)
        others = (share.sum(axis=1, keepdims=True) - share) @ np.asarray(self.product)
        pairs = np.maximum(raters * (raters - 1), 1)[:, None, None]
        slope = -2 * others / np.maximum(number, 1)[:, :, None] / pairs
        level = -(slope * share).sum(axis=2)
        moved = self.given @ slope.reshape(len(weights), -1).T + self.ratings @ level.T
        return np.asarray(moved.T * weights.sum(axis=1)[:, None])

    def _shares(self, number: Floats, given: Floats) -> tuple[Floats, Floats, Floats]:
        """Return ratings (b, w) and shares (b, w, q) of each rater, and how many raters (b,) have any."""
        share = given.reshape(*number.shape, -1) / np.maximum(number, 1)[:, :, None]
        return number, share, (number > 0).sum(axis=1)

    def _expected(self, number: Floats, given: Floats) -> Floats:
        _, share, raters = self._shares(number, given)
        every = share.sum(axis=1)
        together = ((every @ np.asarray(self.product)) * every).sum(axis=1)
        same = ((share @ np.asarray(self.product)) * share).sum(axis=(1, 2))
        pairs = raters * (raters - 1.0)
        return np.where(pairs > 0, 1 - (together - same) / np.where(pairs > 0, pairs, 1.0), np.nan)
