"""Systems in order, each with what a ranking says of it: score, rank, who is not told apart from it."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.exclusion_intervals import Intervals
from analysis.correlation.ranks import midranks
from analysis.pairs.letters import letters
from analysis.pairs.paired_differences import PairedDifferences
from analysis.pairs.ranks import rank_intervals
from analysis.values.estimate import Estimate
from analysis.values.types import Codes
from analysis.values.whole_numbers import settle

SAME = 1e-9
"""Part of a score below which an adjustment is rounding."""


@dataclass(frozen=True, eq=False)
class SystemRanking:
    """k systems that have a score, the first on top.

    `systems` (k,) ids; `scores` each with its interval, n ratings; `rank` (k,), equal scores share their middle rank;
    `rank_low`, `rank_high` (k,) their intervals and `letters` (k,), 0 and "" where pairs are not compared; `pairs`
    compares all two in this order, None where nothing was drawn yet; `reason` says why there are no intervals.
    `is_adjusted` is True where not all raters rated the same, so that scores are adjusted for who rated what, as the
    paired differences are.
    """

    systems: NDArray[Any]
    scores: tuple[Estimate, ...]
    rank: NDArray[np.float64]
    rank_low: Codes
    rank_high: Codes
    letters: tuple[str, ...]
    pairs: PairedDifferences | None
    reason: str = ""
    is_adjusted: bool = False

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def compared(self) -> bool:
        """Whether pairs could be compared."""
        return self.pairs is not None and not self.pairs.reason

    @property
    def not_told_apart(self) -> Codes:
        """From how many others each system is not told apart (k,)."""
        if self.pairs is None:
            return np.zeros(len(self), dtype=np.int64)
        return np.asarray(len(self) - 1 - self.pairs.apart.sum(axis=1), dtype=np.int64)


def system_ranking(
    point: Exclusion,
    drawn: Intervals | None,
    ratings: ArrayLike,
    without: bool = False,
    lowest_first: bool = False,
) -> SystemRanking:
    """Rank systems by everyone, or `without` those left out.

    Parameters
    ----------
    point : scores of s systems
    drawn : their intervals, None before they are drawn
    ratings : (s,) number of ratings of each system
    lowest_first : whether a low score ranks first
    """
    values = point.after if without else point.before
    low, high = np.full((2, len(values)), nan)
    pairs = None
    if drawn is not None:
        low, high = (drawn.after_low, drawn.after_high) if without else (drawn.before_low, drawn.before_high)
        pairs = drawn.pairs_after if without else drawn.pairs_before
    shift = np.zeros(len(values)) if pairs is None else _adjustment(values, pairs)
    values, low, high = values + shift, low + shift, high + shift
    sign = 1.0 if lowest_first else -1.0
    there = np.flatnonzero(~np.isnan(values))
    settled = settle(values[there])
    order = there[np.argsort(sign * settled, kind="stable")]
    rank = np.sort(midranks(sign * settled[None])[0]) if len(there) else np.zeros(0)
    given = np.asarray(ratings)
    scores = tuple(
        Estimate(float(values[at]), float(low[at]), float(high[at]), n=int(given[at])) for at in order
    )
    systems = point.systems[order]
    if pairs is None or pairs.reason:
        none = np.zeros(len(order), dtype=np.int64)
        reason = "" if drawn is None or pairs is None else pairs.reason
        listed = None if pairs is None else pairs.select(order)
        return SystemRanking(systems, scores, rank, none, none, ("",) * len(order), listed, reason)
    pairs = pairs.select(order)
    ranks = rank_intervals(pairs.apart & (sign * pairs.differences < 0))
    marks = letters(rank, pairs.apart)
    return SystemRanking(
        systems, scores, rank, ranks.low, ranks.high, marks, pairs, is_adjusted=bool(shift.any())
    )


def _adjustment(values: NDArray[np.float64], pairs: PairedDifferences) -> NDArray[np.float64]:
    """Return by how much adjusting for raters moves each score (s,), so that differences of scores are those of pairs;
    the mean stays."""
    known = ~np.isnan(pairs.scores)
    shift = np.zeros(len(values))
    if known.any():
        shift[known] = pairs.scores[known] - values[known] + values[known].mean()
    return np.where(np.abs(shift) > SAME * np.nanmax(np.abs(values), initial=0.0), shift, 0.0)
