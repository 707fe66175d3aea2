"""What a crowd's labels say: the share of each class, which classes are confused, and how far the crowd's label is an
expert's or gold."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.chance_sums import CongerSums
from analysis.agreement.ratio_intervals import ratio_interval
from analysis.agreement.units import ONE_UNIT
from analysis.resampling.intervals import wilson_of_variance
from analysis.systems.label_accuracy import MAJORITY, labelled
from analysis.values.estimate import Estimate
from analysis.values.types import Codes, Floats
from analysis.values.votes import Votes
from analysis.workers import majority

NOTHING_KNOWN = "no item has both a known answer and a vote"


@dataclass(frozen=True, eq=False)
class ClassShares:
    """By class (k,): its `votes`, and its `share` of an item's votes, mean over items. `together` (k, k): how often, of
    two votes on one item, one is for the row's class and the other for the column's, in votes; rows add to the votes on
    items of two votes or more."""

    votes: Codes
    share: tuple[Estimate, ...]
    together: Floats

    @property
    def order(self) -> list[int]:
        """Classes that were given, the most common first."""
        common = np.argsort([-one.value for one in self.share], kind="stable")
        return [int(at) for at in common if self.votes[at]]

    @property
    def confused(self) -> Floats:
        """Share of the column's class among an item's other votes, where one vote is for the row's class (k, k)."""
        rows = self.together.sum(axis=1, keepdims=True)
        parts = np.full_like(self.together, nan)
        return np.asarray(np.divide(self.together, rows, out=parts, where=rows > 0))

    @property
    def mistaken_for(self) -> tuple[Codes, Floats]:
        """Class that each class (k,) is most often confused with, and how often; NaN where it is with none."""
        others = np.nan_to_num(self.confused - np.diag(np.diagonal(self.confused)))
        often = others.max(axis=1)
        return others.argmax(axis=1), np.where(often > 0, often, nan)

    @property
    def most_confused(self) -> tuple[int, int, float] | None:
        """Of two votes on one item that differ, the classes they are for most often, and how often where the rarer of
        the two is one of them; None where no two differ."""
        apart = np.triu(self.together, 1)
        if not apart.any():
            return None
        one, other = (int(at) for at in np.unravel_index(apart.argmax(), apart.shape))
        rows = self.together.sum(axis=1)
        if rows[other] < rows[one]:
            one, other = other, one
        return one, other, float(self.together[one, other] / rows[one])


def class_shares(votes: Votes, level: float = 0.95) -> ClassShares:
    """The share of each class and which classes are confused.

    Parameters
    ----------
    votes : N votes on q items with k classes
    level : of the intervals, which are over items, for these raters

    Notes
    -----
    Of an item of n votes each pair of votes counts 1 / (n - 1), so that each vote counts once (Krippendorff's
    coincidences).
    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C; Wilson 1927.
    """
    counts = np.bincount(votes.item * votes.options + votes.choice, minlength=votes.items * votes.options)
    table = counts.reshape(votes.items, votes.options).astype(np.float64)
    share = majority.shares(votes)
    n = len(share)
    value, error = share.mean(axis=0), share.var(axis=0, ddof=1) / n if n > 1 else np.full(votes.options, nan)
    told = []
    for one, variance in zip(value.tolist(), error.tolist(), strict=True):
        low, high = (
            wilson_of_variance(one, variance, n, level, n - 1)
            if n > 1
            else (np.asarray(nan), np.asarray(nan))
        )
        told.append(Estimate(one, float(low), float(high), n, "" if n > 1 else ONE_UNIT))
    several = table[table.sum(axis=1) > 1]
    weight = 1 / (several.sum(axis=1) - 1)
    together = (several * weight[:, None]).T @ several - np.diag((several * weight[:, None]).sum(axis=0))
    given = np.bincount(votes.choice, minlength=votes.options)
    return ClassShares(given, tuple(told), together)


@dataclass(frozen=True, eq=False)
class CrowdAgainst:
    """The crowd's majority label held against a known answer, over `items` that have one.

    `accuracy` the share of equal ones, `kappa` beyond chance, `confusion` (k, k) items by known answer and the
    crowd's label, `ties` items whose best labels tie: each counts a part.
    """

    accuracy: float
    kappa: Estimate
    confusion: Floats
    items: int
    ties: int


def crowd_against(votes: Votes, known: ArrayLike, level: float = 0.95) -> CrowdAgainst:
    """How far the label that most give is the known answer.

    Parameters
    ----------
    votes : N votes on q items with k classes
    known : (q,) the expert's answer or gold, -1 where not known

    Raises
    ------
    InputError
        where `known` does not fit the votes.

    Notes
    -----
    Cohen's kappa of two raters, the crowd being one; of t labels that tie each counts 1 / t, as breaking ties at random
    would on average. The interval is one over items, for these raters (`analysis.agreement.ratio_intervals`). Source:
    Cohen 1960.
    """
    answers = np.asarray(known)
    label = labelled(votes, answers, MAJORITY)
    n, cells = label.items, label.confusion
    if not n:
        return CrowdAgainst(nan, Estimate(nan, reason=NOTHING_KNOWN), cells, 0, 0)
    there = ~np.isnan(label.right)
    true, shares = answers[there], label.shares[there]
    sums = CongerSums.of_two(np.eye(cells.shape[0])[true], shares)
    return CrowdAgainst(label.accuracy, ratio_interval(sums, level), cells, n, label.ties)
