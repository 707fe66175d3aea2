"""Signs of careless rating: failed checks, fast ratings, long runs of one score; points for ratings near known ones."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.resampling.intervals import wilson_interval
from analysis.screening.subject_model import equally_long
from analysis.values.estimate import Counts, Flags, Floats, InputError
from analysis.values.ratings import coded


@dataclass(frozen=True, eq=False)
class FailedChecks:
    """Check questions and how many were failed.

    `raters` (w,), `checks`, `failed`, `unknown` (w,) counts, `share` (w,) of the checks that were failed with
    `low`, `high` (w,); NaN without checks.
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
    """Return how many check questions each rater answered otherwise than expected.

    Parameters
    ----------
    rater : (N,) ids, check rows only
    score : (N,) answers; NaN (no answer) fails
    expected : (N,) right answers; NaN where not known, counted apart
    tolerance : how far an answer may lie from the right one, in score points; P.808 allows 1 for gold clips
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
    ids, answers, right = equally_long(rater=rater, score=score, expected=expected)
    raters, code = coded(ids)
    w = len(raters)
    known = ~np.isnan(right.astype(np.float64))
    checks = np.bincount(code[known], minlength=w)
    passed = np.abs(answers.astype(np.float64) - right.astype(np.float64)) <= tolerance
    failed = np.bincount(code[known & ~passed], minlength=w)
    share, low, high = wilson_interval(failed, checks, level)
    return FailedChecks(raters, checks, failed, np.bincount(code[~known], minlength=w), share, low, high)


@dataclass(frozen=True, eq=False)
class Speed:
    """Speed of raters.

    `raters` (w,), `seconds` (w,) median per rating (NaN where no time is known), `ratings` (w,) with a known
    time, `too_fast` (w,); `typical` median of the raters' medians, `limit` below which a rater is too fast.
    """

    raters: NDArray[Any]
    seconds: Floats
    ratings: Counts
    too_fast: Flags
    typical: float
    limit: float


def speed(rater: ArrayLike, seconds: ArrayLike, factor: float = 0.5) -> Speed:
    """Each rater's median seconds per rating, and who is much faster than the rest.

    Parameters
    ----------
    rater : (N,) ids
    seconds : (N,) per rating, NaN where unknown
    factor : a median below this share of the median of the raters' medians is too fast

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
    Not where raters met items of very different length. By default twice as fast as the typical rater, Leiner's 2.
    Source: Leiner 2019, "Too fast, too straight, too weird", Survey Research Methods 13(3).

    >>> speed(["a", "a", "b", "c"], [4, 6, 5, 2]).too_fast
    array([False, False,  True])
    """
    if not 0 <= factor <= 1:
        raise InputError(f"`factor` must be between 0 and 1, got {factor}")
    ids, times = equally_long(rater=rater, seconds=seconds)
    raters, code = coded(ids)
    w = len(raters)
    known = ~np.isnan(times.astype(np.float64))
    who, took = code[known], times[known].astype(np.float64)
    took = took[np.lexsort((took, who))]
    count = np.bincount(who, minlength=w)
    start = np.cumsum(count) - count
    timed = count > 0
    median = np.full(w, nan)
    lower, upper = (start + (count - 1) // 2)[timed], (start + count // 2)[timed]
    median[timed] = (took[lower] + took[upper]) / 2
    typical = float(np.median(median[timed])) if timed.any() else nan
    limit = factor * typical
    with np.errstate(invalid="ignore"):
        return Speed(raters, median, count, median < limit, typical, limit)


@dataclass(frozen=True, eq=False)
class Runs:
    """Equal answers in a row.

    `raters` (w,), `ratings` (w,) counts, `longest` (w,) run, `repeated` (w,) share of answers that equal the
    one before (NaN for one answer), `chance` (w,) that the same answers in random order give a run at least
    as long: at most this.
    """

    raters: NDArray[Any]
    ratings: Counts
    longest: Counts
    repeated: Floats
    chance: Floats


def runs(rater: ArrayLike, score: ArrayLike, order: ArrayLike) -> Runs:
    """Return how long each rater kept giving the same answer.

    Parameters
    ----------
    rater : (N,) ids
    score : (N,) numbers
    order : (N,) place in time; ties as they stand, unknown (NaN) last

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
    over v. It is close to the true probability where that is small. One who gave a single answer throughout has
    chance 1: no order would differ; look at the longest run.
    Source: Mood 1940, "The distribution theory of runs", section 3 (expected numbers); Boole's inequality.

    >>> equal = runs(["a"] * 6, [3, 3, 3, 3, 1, 2], range(6))
    >>> equal.longest, equal.repeated, equal.chance
    (array([4]), array([0.6]), array([0.2]))
    """
    ids, values, places = equally_long(rater=rater, score=score, order=order)
    raters, code = coded(ids)
    w, total = len(raters), len(code)
    count = np.bincount(code, minlength=w)
    by_time = _by_rater_and_time(code, places.astype(np.float64))
    who, said = code[by_time], values[by_time]
    same = (who[1:] == who[:-1]) & (said[1:] == said[:-1])
    start = np.flatnonzero(np.concatenate([np.ones(min(total, 1), dtype=np.bool_), ~same]))
    longest = np.zeros(w, dtype=np.int64)
    np.maximum.at(longest, who[start], np.diff(start, append=total))
    repeats = np.bincount(who[1:][same], minlength=w)
    repeated = np.divide(repeats, count - 1, out=np.full(w, nan), where=count > 1)
    distinct, said_code = coded(said)
    answer, of_answer = coded(who * max(len(distinct), 1) + said_code)
    equal = np.bincount(of_answer)
    owner = answer // max(len(distinct), 1)
    often = equal >= longest[owner]
    owner, c = owner[often], equal[often]
    n, length = count[owner], longest[owner]
    log = special.gammaln(c + 1) - special.gammaln(c - length + 1)
    log -= special.gammaln(n + 1) - special.gammaln(n - length + 1)
    expected = np.bincount(owner, weights=(n - c + 1) * np.exp(log), minlength=w)
    return Runs(raters, count, longest, repeated, np.minimum(expected, 1.0))


def _by_rater_and_time(code: Counts, places: Floats) -> NDArray[np.intp]:
    """The order of the answers by rater and, within one, in time; unknown times last."""
    earlier, later = places[:-1], places[1:]
    if not (later >= earlier).all():
        return np.lexsort((places, code))
    few = code.max(initial=0) < 1 << 16
    return np.argsort(code.astype(np.uint16) if few else code, kind="stable")  # few codes need no comparing


PASS_MARK = 0.625
"""Share of points from which the paper's workers passed."""


@dataclass(frozen=True, eq=False)
class Qualification:
    """Points of raters, as shares of all points that they could get.

    `raters`, `points` (w,), NaN without a known rating, `ratings` (w,) that count; `judged` (w,) have enough of these,
    and `failed` (w,) are judged and below the pass mark. `span` of the scale.
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
    """Return each rater's share of points, and who fails.

    Of raters' ids and ratings (N,), with known ratings of the same items as `expected` (N,), NaN where not known. A
    rating that matches gets `span` points, the width of the scale, one less for each point of deviation, never below
    0. Raters with `fewest` known ratings are judged. Raises `InputError` where lengths differ or no span is above 0.
    Source: Iskender, Polzehl and Möller 2020, section 3.2 (4 points on a scale from 1 to 5, pass mark 0.625).

    >>> qualify(["w"] * 4, [5, 4, 2, 4], [5, 5, 1, 1], span=4).points.tolist()
    [0.6875]
    """
    if not span > 0:
        raise InputError(f"`span` must be above 0, got {span}")
    ids, scores, known = equally_long(rater=rater, score=score, expected=expected)
    raters, code = coded(ids)
    gap = np.abs(scores.astype(np.float64) - known.astype(np.float64))
    here = ~np.isnan(gap)
    ratings = np.bincount(code[here], minlength=len(raters))
    got = np.bincount(code[here], np.maximum(1 - gap[here] / span, 0.0), len(raters))
    points = np.where(ratings > 0, got / np.maximum(ratings, 1), np.nan)
    judged = ratings >= max(fewest, 1)
    failed = judged & (points < pass_mark - 1e-12)
    return Qualification(raters, points, ratings, judged, failed, float(span))
