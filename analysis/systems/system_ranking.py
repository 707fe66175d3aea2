"""The ranking of systems from comparisons, and the difference between two designs of the question."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.exclusion_intervals import Intervals
from analysis.correlation.rank_rows import midranks
from analysis.pairs.paired_differences import PairedDifferences
from analysis.pairs.system_table import letters, rank_intervals
from analysis.resampling.carried import NO_VARIANCE, item_and_rater_interval, rater_variance
from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.systems.preference import (
    GLAD,
    GLAD_COST,
    METHODS,
    PreferenceSpec,
    parts_of_votes,
    share_of_first,
    shares,
    weighed,
    why_undefined,
)
from analysis.values.estimate import Codes, Estimate, Floats, OnProgress
from analysis.values.ratings import settle
from analysis.values.votes import Lists, Votes
from analysis.workers import pcch


@dataclass(frozen=True, eq=False)
class Design:
    """One design's votes, with ids that tell which items (q,) and raters (w,) another design shares with it."""

    votes: Votes
    lists: Lists
    items: NDArray[Any]
    raters: NDArray[Any]


def between_designs(
    first: Design,
    second: Design,
    spec: PreferenceSpec | None = None,
    methods: Sequence[str] = METHODS,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> dict[str, Estimate]:
    """Return how far the first list's share under one design lies above that under another, by method.

    Parameters
    ----------
    first, second : the same pair of systems, its first list the same; (q,) and (w,) ids of one kind
    spec, methods : as for `preference`
    raters_are_persons : if not, intervals are over items only
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    dict of method -> Estimate; n counts the items of either design

    Raises
    ------
    InputError
        where more raters are to be dropped than all but one of a design.

    Notes
    -----
    Each draw takes items once for both designs, and raters of both carry one sum, so that what they share does not
    count as a difference.
    Source: Habibi and Popescu-Belis 2012, section 6 (stability over HIT designs, Tables 2 to 6); Cameron, Gelbach and
    Miller 2011, section 2.
    """
    spec = PreferenceSpec() if spec is None else spec
    sides = first, second
    items, raters = (
        np.unique(np.concatenate([getattr(side, what) for side in sides])) for what in ("items", "raters")
    )
    item_at = [np.searchsorted(items, side.items) for side in sides]
    rater = np.concatenate([np.searchsorted(raters, side.raters)[side.votes.rater] for side in sides])
    reliability = [pcch.fit_votes(side.votes, spec.min_votes).r for side in sides]
    values = [weighed(side.votes, side.lists, spec, methods) for side in sides]
    drawn: dict[str, list[Floats]] = {method: [] for method in methods}
    cost = sum(len(side.votes) for side in sides) * (GLAD_COST if GLAD in methods else 1)
    for _, item_weight in crossed_bootstrap_counts(
        len(raters), len(items), spec.draws, spec.seed, cost, on_progress
    ):
        a, b = (
            shares(
                side.votes,
                side.lists,
                spec,
                methods,
                np.ones((len(item_weight), side.votes.raters)),
                item_weight[:, its],
            )
            for side, its in zip(sides, item_at, strict=True)
        )
        for method in methods:
            drawn[method].append(a[method] - b[method])
    differences = {}
    for method in methods:
        ours, theirs = (
            float(share_of_first(*value[method], side.lists)[0])
            for value, side in zip(values, sides, strict=True)
        )
        reasons = [
            why_undefined(*value[method], side.lists) for value, side in zip(values, sides, strict=True)
        ]
        of_draws = np.concatenate(drawn[method] or [np.empty(0)])
        of_raters = NO_VARIANCE
        if len(of_draws) and raters_are_persons and not any(reasons):
            parts = [
                sign * parts_of_votes(side.votes, side.lists, spec, method, *value[method], r)
                for sign, side, value, r in zip((1, -1), sides, values, reliability, strict=True)
            ]
            of_raters = rater_variance(np.concatenate(parts), rater, len(raters))
        low, high = item_and_rater_interval(ours - theirs, of_draws, len(items), of_raters, spec.level)
        low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
        differences[method] = Estimate(
            ours - theirs, float(low), float(high), len(items), reasons[0] or reasons[1]
        )
    return differences


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
        """Return True where pairs could be compared."""
        return self.pairs is not None and not self.pairs.reason

    @property
    def possibly_equal(self) -> Codes:
        """Number of others that each system may be equal to (k,)."""
        if self.pairs is None:
            return np.zeros(len(self), dtype=np.int64)
        return np.asarray(len(self) - 1 - self.pairs.is_different.sum(axis=1), dtype=np.int64)


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
    ranks = rank_intervals(pairs.is_different & (sign * pairs.differences < 0))
    marks = letters(rank, pairs.is_different)
    return SystemRanking(
        systems, scores, rank, ranks.low, ranks.high, marks, pairs, is_adjusted=bool(shift.any())
    )


def _adjustment(values: NDArray[np.float64], pairs: PairedDifferences) -> NDArray[np.float64]:
    """Return how far adjusting for raters moves each score; differences are those of pairs, and the mean stays."""
    known = ~np.isnan(pairs.scores)
    shift = np.zeros(len(values))
    if known.any():
        shift[known] = pairs.scores[known] - values[known] + values[known].mean()
    return np.where(np.abs(shift) > SAME * np.nanmax(np.abs(values), initial=0.0), shift, 0.0)
