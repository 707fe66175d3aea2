"""Signs of careless rating: failed checks and controls, fast ratings, runs of one score; qualification points."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.resampling.intervals import wilson_interval
from analysis.screening.subject_model import check_equal_length
from analysis.values.estimate import Counts, Flags, Floats, InputError
from analysis.values.ratings import coded


@dataclass(frozen=True, eq=False)
class FailedChecks:
    """Numbers of check questions and of failed ones.

    `raters` (w,), `checks`, `failed`, `unknown` (w,) numbers, `share` (w,) of failed checks with `low`, `high` (w,);
    NaN without checks.
    """

    raters: NDArray[Any]
    checks: Counts
    failed: Counts
    unknown: Counts
    share: Floats
    low: Floats
    high: Floats


def failed_checks(
    rater: ArrayLike, score: ArrayLike, expected: ArrayLike, tolerance: float = 0.0, level: float = 0.95
) -> FailedChecks:
    """Return each rater's share of check questions with an unexpected answer.

    Parameters
    ----------
    rater : (N,) ids, check rows only
    score : (N,) answers; NaN (no answer) fails
    expected : (N,) right answers; NaN where unknown, counted separately
    tolerance : largest accepted deviation from the right answer, in score points; P.808 allows 1 for gold clips
    level : of the intervals

    Returns
    -------
    FailedChecks
        arrays (w,).

    Raises
    ------
    InputError
        where lengths differ, for a level outside 0 … 1 or a tolerance below 0.

    Notes
    -----
    The interval is Wilson's.
    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    >>> failed_checks(["a"] * 4, [5, 5, 1, 2], [5, 5, 5, float("nan")]).share
    array([0.33333333])
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    if not tolerance >= 0:
        raise InputError(f"`tolerance` must be 0 or more, got {tolerance}")
    ids, answers, right = check_equal_length(rater=rater, score=score, expected=expected)
    raters, code = coded(ids)
    w = len(raters)
    has_expected = ~np.isnan(right.astype(np.float64))
    checks = np.bincount(code[has_expected], minlength=w)
    passed = np.abs(answers.astype(np.float64) - right.astype(np.float64)) <= tolerance
    failed = np.bincount(code[has_expected & ~passed], minlength=w)
    share, low, high = wilson_interval(failed, checks, level)
    return FailedChecks(
        raters, checks, failed, np.bincount(code[~has_expected], minlength=w), share, low, high
    )


def failed_references(
    rater: ArrayLike, score: ArrayLike, lowest: float = 90.0, level: float = 0.95
) -> FailedChecks:
    """Return each rater's share of hidden references that are rated below a score.

    Parameters
    ----------
    rater : (N,) ids, ratings of hidden references only, one per item
    score : (N,) ratings, on a scale from 0 to 100 for the usual limit; NaN fails
    lowest : score from which on a hidden reference counts as found
    level : of the intervals

    Returns
    -------
    FailedChecks
        arrays (w,).

    Raises
    ------
    InputError
        where lengths differ, or for a level outside 0 … 1.

    Notes
    -----
    BS.1534 excludes raters whose share is above 15%. The interval is Wilson's.
    Source: ITU-R BS.1534-3, section 4.1.2, post-screening of assessors.

    >>> failed_references(["a", "a", "b", "b"], [100, 90, 89, 97]).share
    array([0. , 0.5])
    """
    found = np.minimum(np.asarray(score, dtype=np.float64), lowest)
    return failed_checks(rater, found, np.full(found.shape, lowest), level=level)


@dataclass(frozen=True, eq=False)
class HighAnchors:
    """Ratings of mid-range anchors above a score, with the items that do not count.

    `by_rater` numbers and shares over items that count, `items` (n,) ids, `share` (n,) of an item's raters who rate its
    anchor above the score, `set_aside` (n,) True if so many do that the item does not count.
    """

    by_rater: FailedChecks
    items: NDArray[Any]
    share: Floats
    set_aside: Flags


def high_anchors(
    rater: ArrayLike,
    item: ArrayLike,
    score: ArrayLike,
    highest: float = 90.0,
    most_raters: float = 0.25,
    level: float = 0.95,
) -> HighAnchors:
    """Return each rater's share of mid-range anchors that are rated above a score.

    Parameters
    ----------
    rater : (N,) ids, ratings of mid-range anchors only, one per rater and item
    item : (N,) ids
    score : (N,) ratings, on a scale from 0 to 100 for the usual limit; NaN (no answer) does not count
    highest : highest score with which a rater counts as noticing the impairment
    most_raters : share of an item's raters above which its ratings do not count: the anchor is hardly impaired there
    level : of the intervals

    Returns
    -------
    HighAnchors
        arrays (w,) by rater and (n,) by item.

    Raises
    ------
    InputError
        where lengths differ, or for `most_raters` or a level outside 0 … 1.

    Notes
    -----
    BS.1534 excludes raters whose share is above 15%. It says nothing on the number of items after items are set aside:
    here the share is that of the remaining ones. The interval is Wilson's.
    Source: ITU-R BS.1534-3, section 4.1.2, post-screening of assessors.

    >>> rater, item = list("abcde") * 2, [1] * 5 + [2] * 5
    >>> found = high_anchors(rater, item, [91, 60, 55, 58, 61] + [95, 96, 60, 58, 90])
    >>> found.set_aside, found.by_rater.share
    (array([False,  True]), array([1., 0., 0., 0., 0.]))
    """
    if not 0 <= most_raters <= 1:
        raise InputError(f"`most_raters` must be between 0 and 1, got {most_raters}")
    rater_ids, item_ids, scores = check_equal_length(rater=rater, item=item, score=score)
    rated = scores.astype(np.float64)
    items, code = coded(item_ids)
    n = len(items)
    answered = np.bincount(code[~np.isnan(rated)], minlength=n)
    above = np.bincount(code[rated > highest], minlength=n)
    share = np.divide(above, answered, out=np.full(n, nan), where=answered > 0)
    set_aside = share > most_raters
    expected = np.where(set_aside[code] | np.isnan(rated), nan, highest)
    by_rater = failed_checks(rater_ids, np.maximum(rated, highest), expected, level=level)
    return HighAnchors(by_rater, items, share, set_aside)


@dataclass(frozen=True, eq=False)
class Speed:
    """Speed of raters.

    `raters` (w,), `seconds` (w,) median per rating (NaN without known times), `ratings` (w,) with a known time,
    `too_fast` (w,); `typical` median of the raters' medians, `limit` below which a rater is too fast.
    """

    raters: NDArray[Any]
    seconds: Floats
    ratings: Counts
    too_fast: Flags
    typical: float
    limit: float


def speed(rater: ArrayLike, seconds: ArrayLike, factor: float = 0.5) -> Speed:
    """Return each rater's median seconds per rating, and a mask of raters that are much faster than the others.

    Parameters
    ----------
    rater : (N,) ids
    seconds : (N,) per rating, NaN where unknown
    factor : share of the median of the raters' medians below which a rater is too fast

    Returns
    -------
    Speed
        arrays (w,).

    Raises
    ------
    InputError
        where lengths differ, or for a factor outside 0 … 1.

    Notes
    -----
    Not where raters had items of very different length. The default is twice the typical speed, Leiner's 2.
    Source: Leiner 2019, "Too fast, too straight, too weird", Survey Research Methods 13(3).

    >>> speed(["a", "a", "b", "c"], [4, 6, 5, 2]).too_fast
    array([False, False,  True])
    """
    if not 0 <= factor <= 1:
        raise InputError(f"`factor` must be between 0 and 1, got {factor}")
    ids, times = check_equal_length(rater=rater, seconds=seconds)
    raters, code = coded(ids)
    w = len(raters)
    is_known = ~np.isnan(times.astype(np.float64))
    rater_code, known_times = code[is_known], times[is_known].astype(np.float64)
    known_times = known_times[np.lexsort((known_times, rater_code))]
    count = np.bincount(rater_code, minlength=w)
    start = np.cumsum(count) - count
    has_times = count > 0
    median = np.full(w, nan)
    lower, upper = (start + (count - 1) // 2)[has_times], (start + count // 2)[has_times]
    median[has_times] = (known_times[lower] + known_times[upper]) / 2
    typical = float(np.median(median[has_times])) if has_times.any() else nan
    limit = factor * typical
    with np.errstate(invalid="ignore"):
        return Speed(raters, median, count, median < limit, typical, limit)


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of equal answers.

    `raters` (w,), `ratings` (w,) numbers, `longest` (w,) run, `repeated` (w,) share of answers equal to the previous
    one (NaN for one answer), `chance` (w,) an upper bound of the probability that the same answers in random order
    have a run at least as long.
    """

    raters: NDArray[Any]
    ratings: Counts
    longest: Counts
    repeated: Floats
    chance: Floats


def runs(rater: ArrayLike, score: ArrayLike, order: ArrayLike) -> Runs:
    """Return each rater's longest run of equal answers.

    Parameters
    ----------
    rater : (N,) ids
    score : (N,) numbers
    order : (N,) position in time; ties in row order, unknown (NaN) last

    Returns
    -------
    Runs
        arrays (w,).

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Not where the items come sorted by quality. `chance` is the expected number of runs of `longest` or more answers,
    at most 1: with c of n answers equal to v, (n - c + 1) c (c - 1) … / (n (n - 1) …) with `longest` factors, summed
    over v. It is close to the true probability where that is small. A rater with only one answer has chance 1, as
    all orders are equal; see the longest run.
    Source: Mood 1940, "The distribution theory of runs", section 3 (expected numbers); Boole's inequality.

    >>> equal = runs(["a"] * 6, [3, 3, 3, 3, 1, 2], range(6))
    >>> equal.longest, equal.repeated, equal.chance
    (array([4]), array([0.6]), array([0.2]))
    """
    ids, values, times = check_equal_length(rater=rater, score=score, order=order)
    raters, code = coded(ids)
    w, total = len(raters), len(code)
    count = np.bincount(code, minlength=w)
    time_order = _sort_by_rater_and_time(code, times.astype(np.float64))
    sorted_rater, sorted_answer = code[time_order], values[time_order]
    is_repeat = (sorted_rater[1:] == sorted_rater[:-1]) & (sorted_answer[1:] == sorted_answer[:-1])
    start = np.flatnonzero(np.concatenate([np.ones(min(total, 1), dtype=np.bool_), ~is_repeat]))
    longest = np.zeros(w, dtype=np.int64)
    np.maximum.at(longest, sorted_rater[start], np.diff(start, append=total))
    repeats = np.bincount(sorted_rater[1:][is_repeat], minlength=w)
    repeated = np.divide(repeats, count - 1, out=np.full(w, nan), where=count > 1)
    distinct, answer_code = coded(sorted_answer)
    answer, of_answer = coded(sorted_rater * max(len(distinct), 1) + answer_code)
    equal = np.bincount(of_answer)
    answer_rater = answer // max(len(distinct), 1)
    reaches_longest = equal >= longest[answer_rater]
    answer_rater, c = answer_rater[reaches_longest], equal[reaches_longest]
    n, length = count[answer_rater], longest[answer_rater]
    log = special.gammaln(c + 1) - special.gammaln(c - length + 1)
    log -= special.gammaln(n + 1) - special.gammaln(n - length + 1)
    expected = np.bincount(answer_rater, weights=(n - c + 1) * np.exp(log), minlength=w)
    return Runs(raters, count, longest, repeated, np.minimum(expected, 1.0))


def _sort_by_rater_and_time(code: Counts, times: Floats) -> NDArray[np.intp]:
    """Return the order of the answers by rater and then by time; unknown times last."""
    earlier, later = times[:-1], times[1:]
    if not (later >= earlier).all():
        return np.lexsort((times, code))
    is_small = code.max(initial=0) < 1 << 16
    return np.argsort(
        code.astype(np.uint16) if is_small else code, kind="stable"
    )  # small integers are radix sorted


PASS_MARK = 0.625
"""Smallest share of points at which the paper's workers passed."""


@dataclass(frozen=True, eq=False)
class Qualification:
    """Points of raters, as shares of the maximum.

    `raters`, `points` (w,), NaN without a known rating, `ratings` (w,) number of known ratings; `judged` (w,) True
    with enough of these, `failed` (w,) True if judged and below the pass mark. `span` of the scale.
    """

    raters: NDArray[Any]
    points: Floats
    ratings: Counts
    judged: Flags
    failed: Flags
    span: float


def qualify(
    rater: ArrayLike,
    score: ArrayLike,
    expected: ArrayLike,
    span: float,
    pass_mark: float = PASS_MARK,
    fewest: int = 1,
) -> Qualification:
    """Return each rater's share of points, and a mask of raters that fail.

    Arguments are raters' ids and ratings (N,), and known ratings of the same items, `expected` (N,), NaN where unknown.
    A matching rating gets `span` points, the width of the scale, minus one for each point of deviation, at least 0.
    Raters with `fewest` known ratings are judged. Raises `InputError` where lengths differ or no span is above 0.
    Source: Iskender, Polzehl and Möller 2020, section 3.2 (4 points on a scale from 1 to 5, pass mark 0.625).

    >>> qualify(["w"] * 4, [5, 4, 2, 4], [5, 5, 1, 1], span=4).points.tolist()
    [0.6875]
    """
    if not span > 0:
        raise InputError(f"`span` must be above 0, got {span}")
    ids, scores, expected_scores = check_equal_length(rater=rater, score=score, expected=expected)
    raters, code = coded(ids)
    deviation = np.abs(scores.astype(np.float64) - expected_scores.astype(np.float64))
    is_known = ~np.isnan(deviation)
    ratings = np.bincount(code[is_known], minlength=len(raters))
    points_sum = np.bincount(code[is_known], np.maximum(1 - deviation[is_known] / span, 0.0), len(raters))
    points = np.where(ratings > 0, points_sum / np.maximum(ratings, 1), np.nan)
    judged = ratings >= max(fewest, 1)
    failed = judged & (points < pass_mark - 1e-12)
    return Qualification(raters, points, ratings, judged, failed, float(span))
