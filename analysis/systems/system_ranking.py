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
from analysis.resampling.influence import NO_VARIANCE, item_and_rater_interval, rater_variance
from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.systems.preference import (
    GLAD,
    GLAD_COST,
    METHODS,
    PreferenceSpec,
    first_list_share,
    preference_shares,
    relevance_and_weights,
    undefined_reason,
    vote_influence,
)
from analysis.values.estimate import Codes, Estimate, Floats, OnProgress
from analysis.values.ratings import settle
from analysis.values.votes import Lists, Votes
from analysis.workers import pcch


@dataclass(frozen=True, eq=False)
class Design:
    """Votes of one design, with ids of items (q,) and raters (w,) that match those of another design."""

    votes: Votes
    lists: Lists
    items: NDArray[Any]
    raters: NDArray[Any]


def compare_designs(
    first: Design,
    second: Design,
    spec: PreferenceSpec | None = None,
    methods: Sequence[str] = METHODS,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> dict[str, Estimate]:
    """Return the difference between the first list's shares under two designs, by method.

    Parameters
    ----------
    first, second : votes on the same pair of systems with the same first list; (q,) and (w,) ids of one kind
    spec, methods : as for `preference`
    raters_are_persons : if not, intervals are over items only
    on_progress : called between blocks of bootstrap samples with the share done

    Returns
    -------
    dict of method -> Estimate; n counts the items of either design

    Raises
    ------
    InputError
        where more raters are to be dropped than all but one of a design.

    Notes
    -----
    Each bootstrap sample draws items jointly for both designs, and a rater of both is one cluster, so that the
    correlation of the designs is taken into account.
    Source: Habibi and Popescu-Belis 2012, section 6 (stability over HIT designs, Tables 2 to 6); Cameron, Gelbach and
    Miller 2011, section 2.
    """
    spec = PreferenceSpec() if spec is None else spec
    sides = first, second
    items, raters = (
        np.unique(np.concatenate([getattr(side, what) for side in sides])) for what in ("items", "raters")
    )
    item_codes = [np.searchsorted(items, side.items) for side in sides]
    rater = np.concatenate([np.searchsorted(raters, side.raters)[side.votes.rater] for side in sides])
    reliability = [pcch.fit_votes(side.votes, spec.min_votes).r for side in sides]
    values = [relevance_and_weights(side.votes, side.lists, spec, methods) for side in sides]
    samples: dict[str, list[Floats]] = {method: [] for method in methods}
    cost = sum(len(side.votes) for side in sides) * (GLAD_COST if GLAD in methods else 1)
    for _, item_weight in crossed_bootstrap_counts(
        len(raters), len(items), spec.draws, spec.seed, cost, on_progress
    ):
        first_samples, second_samples = (
            preference_shares(
                side.votes,
                side.lists,
                spec,
                methods,
                np.ones((len(item_weight), side.votes.raters)),
                item_weight[:, item_code],
            )
            for side, item_code in zip(sides, item_codes, strict=True)
        )
        for method in methods:
            samples[method].append(first_samples[method] - second_samples[method])
    differences = {}
    for method in methods:
        first_share, second_share = (
            float(first_list_share(*value[method], side.lists)[0])
            for value, side in zip(values, sides, strict=True)
        )
        reasons = [
            undefined_reason(*value[method], side.lists) for value, side in zip(values, sides, strict=True)
        ]
        method_samples = np.concatenate(samples[method] or [np.empty(0)])
        by_raters = NO_VARIANCE
        if len(method_samples) and raters_are_persons and not any(reasons):
            influence = [
                sign * vote_influence(side.votes, side.lists, spec, method, *value[method], r)
                for sign, side, value, r in zip((1, -1), sides, values, reliability, strict=True)
            ]
            by_raters = rater_variance(np.concatenate(influence), rater, len(raters))
        low, high = item_and_rater_interval(
            first_share - second_share, method_samples, len(items), by_raters, spec.level
        )
        low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
        differences[method] = Estimate(
            first_share - second_share, float(low), float(high), len(items), reasons[0] or reasons[1]
        )
    return differences


RELATIVE_ROUNDING = 1e-9
"""Relative size below which an adjustment is a rounding error."""


@dataclass(frozen=True, eq=False)
class SystemRanking:
    """Ranking of the k systems that have a score.

    `systems` (k,) ids; `scores` each with its interval, n ratings; `rank` (k,), equal scores share their middle
    rank; `rank_low`, `rank_high` (k,) their intervals and `letters` (k,), 0 and "" without comparisons; `pairs`
    compares all pairs in this order, None before the bootstrap; `reason` says why there are no intervals.
    `is_adjusted` is True where raters rated different systems, so that scores are adjusted for raters as the paired
    differences are.
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
    def has_comparisons(self) -> bool:
        """True where pairs of systems could be compared."""
        return self.pairs is not None and not self.pairs.reason

    @property
    def possibly_equal(self) -> Codes:
        """Number of other systems from which each system does not clearly differ (k,)."""
        if self.pairs is None:
            return np.zeros(len(self), dtype=np.int64)
        return np.asarray(len(self) - 1 - self.pairs.is_different.sum(axis=1), dtype=np.int64)


def system_ranking(
    point: Exclusion,
    intervals: Intervals | None,
    ratings: ArrayLike,
    without: bool = False,
    lowest_first: bool = False,
) -> SystemRanking:
    """Rank systems by all raters, or `without` the excluded ones.

    Parameters
    ----------
    point : scores of s systems
    intervals : their intervals, None before the bootstrap
    ratings : (s,) number of ratings of each system
    lowest_first : True if a low score ranks first
    """
    values = point.after if without else point.before
    low, high = np.full((2, len(values)), nan)
    pairs = None
    if intervals is not None:
        low, high = (
            (intervals.after_low, intervals.after_high)
            if without
            else (intervals.before_low, intervals.before_high)
        )
        pairs = intervals.pairs_after if without else intervals.pairs_before
    shift = np.zeros(len(values)) if pairs is None else _rater_adjustment(values, pairs)
    values, low, high = values + shift, low + shift, high + shift
    sign = 1.0 if lowest_first else -1.0
    defined = np.flatnonzero(~np.isnan(values))
    rounded = settle(values[defined])
    order = defined[np.argsort(sign * rounded, kind="stable")]
    rank = np.sort(midranks(sign * rounded[None])[0]) if len(defined) else np.zeros(0)
    counts = np.asarray(ratings)
    scores = tuple(
        Estimate(float(values[at]), float(low[at]), float(high[at]), n=int(counts[at])) for at in order
    )
    systems = point.systems[order]
    if pairs is None or pairs.reason:
        zeros = np.zeros(len(order), dtype=np.int64)
        reason = "" if intervals is None or pairs is None else pairs.reason
        ordered_pairs = None if pairs is None else pairs.select(order)
        return SystemRanking(systems, scores, rank, zeros, zeros, ("",) * len(order), ordered_pairs, reason)
    pairs = pairs.select(order)
    ranks = rank_intervals(pairs.is_different & (sign * pairs.differences < 0))
    marks = letters(rank, pairs.is_different)
    return SystemRanking(
        systems, scores, rank, ranks.low, ranks.high, marks, pairs, is_adjusted=bool(shift.any())
    )


def _rater_adjustment(values: NDArray[np.float64], pairs: PairedDifferences) -> NDArray[np.float64]:
    """Return the change of each score by adjusting for raters, with the mean score unchanged."""
    is_defined = ~np.isnan(pairs.scores)
    shift = np.zeros(len(values))
    if is_defined.any():
        shift[is_defined] = pairs.scores[is_defined] - values[is_defined] + values[is_defined].mean()
    return np.where(np.abs(shift) > RELATIVE_ROUNDING * np.nanmax(np.abs(values), initial=0.0), shift, 0.0)
