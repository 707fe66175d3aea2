"""How consistent each assessor is: with itself on identical texts and repeated items, and with the others."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.alpha import alpha_without_each, interval_alpha
from analysis.agreement.reliability import FEWEST_ITEMS, rater_reliability
from analysis.raters.changes import correlation_changes, variance_ratio
from analysis.resampling.intervals import FISHER, by_error
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
OnProgress = Callable[[float], object] | None

FEWEST_SETS = 2
"""Sets of identical texts that an assessor must have judged."""
CONSTANT = "gave all items the same score"
"""Reason of a rater without variation."""


@dataclass(frozen=True, eq=False)
class Consistency:
    """Each assessor's agreement with itself.

    `raters` (w,) ascending ids, all of them; `alpha` (w,) estimates, n = sets; `sets` (w,) of identical texts
    judged more than once, `judgements` (w,) in them. `by_split`: the same for each split's judgements alone.
    """

    raters: NDArray[Any]
    alpha: tuple[Estimate, ...]
    sets: Counts
    judgements: Counts
    by_split: dict[int, "Consistency"] | None = None


def identical_texts(
    rater: ArrayLike,
    text: ArrayLike,
    score: ArrayLike,
    split: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Consistency:
    """Krippendorff's alpha of each assessor over identical texts that it judged more than once.

    Parameters
    ----------
    rater : (N,) ids
    text : (N,) codes; equal codes are identical texts, -1 is none
    score : (N,) numbers
    split : (N,) codes of the year or part, -1 for none; optional
    bootstrap : of the intervals, which resample the assessor's sets
    on_progress : called between assessors with the share done

    Returns
    -------
    Consistency
        arrays (w,); alpha undefined with its reason for fewer than two sets or without differences.

    Raises
    ------
    InputError
        where lengths differ or a score is not finite.

    Notes
    -----
    Answers: does this assessor give the same text the same score? Not "is the assessor right". A unit is one
    set of identical texts; the metric is interval. 1: identical texts always score alike; 0: they differ as
    any two of the assessor's scores do.
    Source: Owczarzak et al. 2012, section 3, Table 1; Krippendorff 2011, "Computing Krippendorff's alpha".
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    ratings = Ratings(text, rater, score)
    raters, code = np.unique(ratings.rater, return_inverse=True)
    parts = np.full(len(ratings), -1) if split is None else np.asarray(split)
    if parts.shape != code.shape:
        raise InputError(f"`split` needs one code per rating, {len(code)}, got shape {parts.shape}")
    splits = [int(part) for part in np.unique(parts) if part >= 0]
    steps = len(raters) * (1 + len(splits))

    def consistency(kept: NDArray[np.bool_], done: int) -> Consistency:
        kept = kept & (ratings.item >= 0)
        told = None if on_progress is None else lambda place: on_progress((done + place) / steps)
        return _consistency(raters, code[kept], ratings.item[kept], ratings.score[kept], spec, told)

    pooled = consistency(np.ones(len(ratings), dtype=np.bool_), 0)
    if split is None:
        return pooled
    apart = {part: consistency(parts == part, len(raters) * (i + 1)) for i, part in enumerate(splits)}
    return replace(pooled, by_split=apart)


def repeated_items(ratings: Ratings, bootstrap: BootstrapSpec | None = None) -> Consistency:
    """Krippendorff's alpha of each rater over the items that it rated more than once.

    Parameters
    ----------
    ratings : N ratings by w raters of one measure, repeats included
    bootstrap : of the intervals, which leave out each of the rater's items in turn

    Returns
    -------
    Consistency
        arrays (w,); alpha undefined with its reason for fewer than two items or without differences.

    Notes
    -----
    Answers: does this rater give the same item the same score again? Not "is the rater right", and not for raters who
    could see their earlier rating. A unit is one item; the metric is interval.
    Source: as `identical_texts`, with the item in place of the text; Krippendorff 2011, "Computing Krippendorff's
    alpha".

    >>> twice = Ratings(list("aabbcc"), ["r"] * 6, [1, 1, 3, 4, 5, 5])
    >>> round(repeated_items(twice).alpha[0].value, 3)
    0.95
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    raters, code = np.unique(ratings.rater, return_inverse=True)
    _, item = np.unique(ratings.item, return_inverse=True)
    return _consistency(raters, code, item, ratings.score, spec, None, "item rated more than once")


def _consistency(
    raters: NDArray[Any],
    code: Counts,
    text: Counts,
    score: Floats,
    spec: BootstrapSpec,
    on_step: Callable[[int], object] | None,
    unit: str = "set of identical texts judged more than once",
) -> Consistency:
    w = len(raters)
    texts = int(text.max(initial=0)) + 1
    cell, place = np.unique(code * texts + text, return_inverse=True)
    count = np.bincount(place, minlength=len(cell))
    means = np.bincount(code, weights=score, minlength=w) / np.maximum(np.bincount(code, minlength=w), 1)
    centred = score - means[code]
    total, squares = _sums(place, centred), _sums(place, centred**2)
    several = count > 1
    owner = cell[several] // texts
    count, total, squares = count[several], total[several], squares[several]
    start = np.searchsorted(owner, np.arange(w + 1))
    alpha = []
    for place_of in range(w):
        own = slice(start[place_of], start[place_of + 1])
        alpha.append(_alpha_of_sets(count[own], total[own], squares[own], spec, unit))
        if on_step is not None:
            on_step(place_of + 1)
    judgements = np.bincount(owner, weights=count, minlength=w).astype(np.int64)
    return Consistency(raters, tuple(alpha), np.diff(start), judgements)


def _alpha_of_sets(count: Counts, total: Floats, squares: Floats, spec: BootstrapSpec, unit: str) -> Estimate:
    sets = len(count)
    if sets < FEWEST_SETS:
        return Estimate(nan, n=sets, reason=f"{'no' if sets == 0 else 'only one'} {unit}")
    return replace(interval_alpha(count, total, squares, spec), n=sets)


@dataclass(frozen=True, eq=False)
class OthersAgreement:
    """Each rater's agreement with the others.

    `raters` (w,) ascending ids; `correlation`, `low`, `high` (w,) with the mean of the others on the same
    items, with Fisher's z; `items` (w,) shared; `reasons` (w,) where undefined. `alpha_all` of
    everyone over items, n = items with two ratings or more; `alpha_without` (w,) the same when that rater goes.
    """

    raters: NDArray[Any]
    correlation: Floats
    low: Floats
    high: Floats
    items: Counts
    reasons: tuple[str, ...]
    alpha_all: Estimate
    alpha_without: Floats


def agreement_with_others(
    ratings: Ratings, bootstrap: BootstrapSpec | None = None, widening: float | None = None
) -> OthersAgreement:
    """How each rater agrees with the others, and what the agreement of all would be without that rater.

    Parameters
    ----------
    ratings : N ratings by w raters
    bootstrap : of the interval of everyone's alpha, and its level of all
    widening : how many times as large as Fisher's the variance of correlations is; None: by the jackknife

    Returns
    -------
    OthersAgreement
        arrays (w,).

    Notes
    -----
    The correlation does not mind severity, alpha (interval metric, units are items) does: with alpha higher without a
    rater, that rater disagrees more than the rest. Not for consistency: a lone expert disagrees with everyone.
    Intervals of the correlation are Fisher's z over the rater's items, for these raters, with the variance of the
    jackknife of all raters where that is larger: with Fisher's alone they held in 65 to 80 of 100 studies in which most
    scores were the highest.
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, on numeric ratings; Krippendorff 2011; methods,
    sections 3 (fallback) and 4 (last line).
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    reliability = rater_reliability(ratings)
    _, item = np.unique(ratings.item, return_inverse=True)
    count = np.bincount(item)
    centred = ratings.score - (ratings.score.mean() if len(ratings) else 0)
    total, squares = _sums(item, centred), _sums(item, centred**2)
    _, alpha_without = alpha_without_each(ratings.item, ratings.rater, ratings.score)
    return told_of_each(
        reliability.raters,
        reliability.correlation,
        reliability.items,
        reliability.constant,
        interval_alpha(count, total, squares, spec),
        alpha_without,
        spec.level,
        variance_ratio(correlation_changes(ratings)) if widening is None else widening,
    )


def told_of_each(
    raters: NDArray[Any],
    correlation: Floats,
    items: Counts,
    constant: NDArray[np.bool_],
    alpha_all: Estimate,
    alpha_without: Floats,
    level: float,
    widening: float = 1.0,
) -> OthersAgreement:
    """The agreement (w,) with its intervals, and why it is undefined where it is."""
    known = items > FEWEST_ITEMS
    error = np.where(known, widening**0.5 / np.sqrt(np.where(known, items - 3, 1)), nan)
    low, high = by_error(correlation, error, level, scale=FISHER)
    reasons = tuple(
        ""
        if r == r
        else f"fewer than {FEWEST_ITEMS} items shared with others"
        if shared < FEWEST_ITEMS
        else CONSTANT
        if same
        else "the others' means do not vary"
        for r, shared, same in zip(correlation, items, constant, strict=True)
    )
    return OthersAgreement(raters, correlation, low, high, items, reasons, alpha_all, alpha_without)


def _sums(code: Counts, values: Floats) -> Floats:
    return np.bincount(code, weights=values).astype(np.float64)
