"""What tells careful raters from careless ones: bias, the screening rules of BT.500 and P.913, runs, checks, speed."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

from analysis.resampling.intervals import by_error, wilson
from analysis.values.errors import InputError
from analysis.values.ratings import Ratings

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

BT500_SHARE = 0.05
BT500_BALANCE = 0.3
ROUNDING = 1e-9
"""Scores of exactly two SDs are far, whatever the last digit says."""
BT500_FEWEST = 5
"""Ratings of an item below which none of them can lie two of their standard deviations from their mean."""
FEWEST_PAIRS = 3
"""Ratings, or systems, that a rater needs for a correlation."""


@dataclass(frozen=True, eq=False)
class Bias:
    """Each rater's mean deviation from the items' MOS.

    `raters` (w,), `bias`, `low`, `high` (w,), `ratings` (w,) counts of what it rests on: ratings of items that
    others rated too. NaN without any; the interval is NaN for a single one.
    """

    raters: NDArray[Any]
    bias: Floats
    low: Floats
    high: Floats
    ratings: Counts


def bias(ratings: Ratings, level: float = 0.95) -> Bias:
    """How much each rater's scores lie above or below the MOS of the items rated.

    Parameters
    ----------
    ratings : N ratings by w raters
    level : of the intervals

    Returns
    -------
    Bias
        arrays (w,).

    Raises
    ------
    InputError
        for a level outside 0 … 1.

    Notes
    -----
    Answers: who is severe, who is lenient? Not "who is careless": see `analysis.screening.subject_model`. A rater's own
    scores count in the MOS, as P.913 has it, so on items with few ratings the bias comes out too small
    (halved with two). Items that nobody else rated say nothing and do not count. The interval is Student's t
    over the rater's deviations, for these items.
    Source: ITU-T P.913 (2021), 12.4 (subject bias).

    >>> bias(Ratings([1, 1, 2, 2], ["a", "b", "a", "b"], [3, 4, 1, 2])).bias
    array([-0.5,  0.5])
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    _, item = np.unique(ratings.item, return_inverse=True)
    raters, rater = np.unique(ratings.rater, return_inverse=True)
    w = len(raters)
    met = np.unique(item * max(w, 1) + rater) // max(w, 1)
    shared = np.bincount(met)[item] > 1
    who, deviation = rater[shared], (ratings.score - _means(item, ratings.score)[item])[shared]
    count = np.bincount(who, minlength=w)
    mean = np.divide(
        np.bincount(who, weights=deviation, minlength=w), count, out=np.full(w, nan), where=count > 0
    )
    squares = np.bincount(who, weights=(deviation - mean[who]) ** 2, minlength=w)
    degrees = np.maximum(count - 1, 1)
    error = np.where(count > 1, np.sqrt(squares / degrees / np.maximum(count, 1)), nan)
    return Bias(raters, mean, *by_error(mean, error, level, degrees), count)


@dataclass(frozen=True, eq=False)
class Bt500:
    """The verdicts of BT.500.

    `raters` (w,), `p`, `q` (w,) how many scores lie far above and far below the others', `ratings` (w,)
    counts, `far` = (p + q) / ratings, `balance` = |p - q| / (p + q) (NaN where both are 0), `rejected` (w,).
    A `reason` where no rater can be rejected at all.
    """

    raters: NDArray[Any]
    p: Counts
    q: Counts
    ratings: Counts
    far: Floats
    balance: Floats
    rejected: Flags
    reason: str = ""


def bt500(ratings: Ratings) -> Bt500:
    """Which raters often score far from the others, in both directions.

    Parameters
    ----------
    ratings : N ratings by w raters

    Returns
    -------
    Bt500
        arrays (w,).

    Notes
    -----
    Answers: whose scores are erratic? Not for items with fewer than five ratings (none of them can be far from
    the mean), nor for one-sided raters: those are biased, and kept.
    Far is two SDs of the item's scores or more where their kurtosis is within 2 … 4, else sqrt(20) SDs.
    Rejected: more than 5 % of a rater's scores far, and |p - q| / (p + q) below 0.3.
    Where raters rated different items, J is the number of the rater's own ratings. The SD divides by n, as in
    the package sureal (0.9.0); BT.500's own by n - 1. Items whose scores are all equal count for nobody; by the
    letter, and in sureal, they count as far on both sides for everyone, so that a few of them suffice to
    make all raters suspicious.
    Source: ITU-R BT.500-15, Annex 1, screening of the observers (BT.500-13: Annex 2, section 2.3.1).
    """
    _, item = np.unique(ratings.item, return_inverse=True)
    raters, rater = np.unique(ratings.rater, return_inverse=True)
    w = len(raters)
    count = np.bincount(item)
    deviation = ratings.score - _means(item, ratings.score)[item]
    second, fourth = (_means(item, deviation**power) for power in (2, 4))
    varied = _spread(item, ratings.score) > 0
    kurtosis = np.divide(fourth, second**2, out=np.zeros(len(count)), where=varied)
    normal = (kurtosis >= 2 - ROUNDING) & (kurtosis <= 4 + ROUNDING)
    limit = np.where(normal, 2, np.sqrt(20)) * np.sqrt(second) * (1 - ROUNDING)
    p, q = (
        np.bincount(rater[varied[item] & (side * deviation >= limit[item])], minlength=w) for side in (1, -1)
    )
    given = np.bincount(rater, minlength=w)
    far = (p + q) / np.maximum(given, 1)
    balance = np.divide(np.abs(p - q), p + q, out=np.full(w, nan), where=p + q > 0)
    with np.errstate(invalid="ignore"):
        rejected = (far > BT500_SHARE) & (balance < BT500_BALANCE)
    reason = (
        "" if (count >= BT500_FEWEST).any() else "no item has five ratings, so none can lie far from the rest"
    )
    return Bt500(raters, p, q, given, far, balance, rejected, reason)


@dataclass(frozen=True, eq=False)
class P913:
    """The verdicts of P.913.

    `raters` (w,), `by_item` (w,) correlation of a rater's scores with the items' MOS, `by_system` (w,) of the
    rater's means with the systems' MOS (NaN where systems are not given), both while all raters are in;
    `ratings`, `systems` (w,) what they rest on; `rejected` (w,), `turn` (w,) when each went (1 first, 0
    stays); `reasons` (w,) why a correlation is undefined; such raters stay.
    """

    raters: NDArray[Any]
    by_item: Floats
    by_system: Floats
    ratings: Counts
    systems: Counts
    rejected: Flags
    turn: Counts
    reasons: tuple[str, ...]


def p913(
    ratings: Ratings,
    system: ArrayLike | None = None,
    threshold: float = 0.75,
    system_threshold: float = 0.8,
) -> P913:
    """Which raters' scores do not follow the MOS, discarded one at a time.

    Parameters
    ----------
    ratings : N ratings by w raters
    system : (N,) codes of the system (HRC) behind each rating, -1 where there is none; optional
    threshold : below which the correlation with the items' MOS (r1) speaks against a rater
    system_threshold : the same for the systems' MOS (r2)

    Returns
    -------
    P913
        arrays (w,).

    Raises
    ------
    InputError
        for a threshold outside -1 … 1, or another number of systems than of ratings.

    Notes
    -----
    Answers: who orders the items unlike the rest? Not for raters with a handful of ratings, nor for items that
    differ little: then good raters fall below 0.75 too.
    Without systems a rater is discarded for r1 below its threshold; with systems only where r2 is below its
    own as well. The worst goes first (lowest r1; with systems the largest mean shortfall), then MOS and
    correlations are taken again over those left, until nobody is below. A rater's own scores count in the MOS,
    as in P.913: on items with few ratings that raises r; `analysis.agreement.reliability.rater_reliability` leaves them
    out. Needs three ratings (systems); where r2 is undefined, r1 alone decides.
    Source: ITU-T P.913 (2016 and 2021), Annex A: A.1 by PVS (r1 < 0.75), A.2 by PVS and HRC (r1 < 0.75 and
    r2 < 0.8), read through two implementations of it, as the text itself was not at hand.
    """
    for name, value in (("threshold", threshold), ("system_threshold", system_threshold)):
        if not -1 <= value <= 1:
            raise InputError(f"`{name}` must be between -1 and 1, got {value}")
    codes = np.full(len(ratings), -1) if system is None else np.asarray(system)
    if codes.shape != ratings.score.shape:
        raise InputError(f"`system` needs one code per rating, {len(ratings)}, got shape {codes.shape}")
    _, item = np.unique(ratings.item, return_inverse=True)
    raters, rater = np.unique(ratings.rater, return_inverse=True)
    w = len(raters)
    score = ratings.score - (ratings.score.mean() if len(ratings) else 0)
    items = _Followed(item, rater, score, w, by_mean=False)
    known = codes >= 0
    hrc = np.unique(codes[known], return_inverse=True)[1]
    systems = _Followed(hrc, rater[known], score[known], w, by_mean=True)
    first, first_system = items.correlation(), systems.correlation()
    r1, r2 = first, first_system
    turn = np.zeros(w, dtype=np.int64)
    while True:
        with np.errstate(invalid="ignore"):
            below = (turn == 0) & (r1 < threshold) & ~(r2 >= system_threshold)
        if not below.any():
            break
        shortfall = np.where(np.isnan(r2), threshold - r1, (threshold - r1 + system_threshold - r2) / 2)
        worst = int(np.argmax(np.where(below, shortfall, -np.inf)))
        turn[worst] = turn.max() + 1
        items.leave(worst)
        systems.leave(worst)
        r1, r2 = items.correlation(), systems.correlation()
    given = np.bincount(rater, minlength=w)
    reasons = tuple(
        ""
        if r == r
        else f"fewer than {FEWEST_PAIRS} ratings"
        if few
        else "the scores, or the MOS, do not vary"
        for r, few in zip(first, given < FEWEST_PAIRS, strict=True)
    )
    return P913(raters, first, first_system, given, systems.n.astype(np.int64), turn > 0, turn, reasons)


class _Followed:
    """Scores beside the mean score of their unit (item or system) while raters leave one by one.

    Correlations are of single scores with the unit's mean or, `by_mean`, of a rater's mean per unit with it.
    Kept are a table of raters by units and, per rater, sums over its cells; a rater's leaving changes only the
    columns of the units it scored.
    """

    def __init__(self, unit: Counts, rater: Counts, score: Floats, raters: int, by_mean: bool) -> None:
        shape = raters, int(unit.max(initial=-1)) + 1
        self.given: Any = sparse.csr_array((np.ones(len(unit)), (rater, unit)), shape=shape)
        self.sums: Any = sparse.csr_array((score, (rater, unit)), shape=shape)
        self.unit_sum = np.bincount(unit, weights=score, minlength=shape[1]).astype(np.float64)
        self.unit_count = np.bincount(unit, minlength=shape[1]).astype(np.float64)
        self.mos = self.unit_sum / self.unit_count
        counts, values = self.given.tocsc(), self.sums.tocsc()
        self.xx = np.bincount(rater, weights=score**2, minlength=raters)
        if by_mean:
            values.data /= counts.data
            counts.data[:] = 1
            self.xx = values.power(2).sum(axis=1)
        self.counts, self.values = counts, values
        self.n, self.x = counts.sum(axis=1), values.sum(axis=1)
        self.y, self.yy, self.xy = counts @ self.mos, counts @ self.mos**2, values @ self.mos
        self.tiny = 1e-12 * float((score**2).sum())

    def leave(self, rater: int) -> None:
        """Take one rater's scores out of the units' means."""
        own = slice(self.given.indptr[rater], self.given.indptr[rater + 1])
        units = self.given.indices[own]
        self.unit_sum[units] -= self.sums.data[own]
        self.unit_count[units] -= self.given.data[own]
        before = self.mos[units]
        left = self.unit_count[units] > 0
        after = np.divide(self.unit_sum[units], self.unit_count[units], out=before.copy(), where=left)
        self.mos[units] = after
        counts, values = self.counts[:, units], self.values[:, units]
        self.y += counts @ (after - before)
        self.yy += counts @ (after**2 - before**2)
        self.xy += values @ (after - before)

    def correlation(self) -> Floats:
        """Pearson's r of each rater (w,), NaN where there are too few pairs or no spread."""
        n = np.maximum(self.n, 1)
        xx, yy = self.xx - self.x**2 / n, self.yy - self.y**2 / n
        defined = (self.n >= FEWEST_PAIRS) & (xx > self.tiny) & (yy > self.tiny)
        return np.where(
            defined, (self.xy - self.x * self.y / n) / np.sqrt(np.where(defined, xx * yy, 1)), nan
        )


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
    """How long each rater kept giving the same answer.

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
    Answers: who clicks the same answer again and again? Not where the items come sorted by quality: then runs
    are honest. `chance` is the expected number of runs of `longest` or more answers, at most 1: with c of n
    answers equal to v, (n - c + 1) c (c - 1) … / (n (n - 1) …) with `longest` factors, summed over v. It never
    is below the true probability and close to it where it is small. One who gave a single answer throughout
    has chance 1: no order would differ; look at the longest run itself.
    Source: Mood 1940, "The distribution theory of runs", section 3 (expected numbers); Boole's inequality.

    >>> found = runs(["a"] * 6, [3, 3, 3, 3, 1, 2], range(6))
    >>> found.longest, found.repeated, found.chance
    (array([4]), array([0.6]), array([0.2]))
    """
    ids, values, places = _columns(rater=rater, score=score, order=order)
    raters, code = np.unique(ids, return_inverse=True)
    w, total = len(raters), len(code)
    count = np.bincount(code, minlength=w)
    by_time = np.lexsort((places.astype(np.float64), code))
    who, said = code[by_time], values[by_time]
    same = (who[1:] == who[:-1]) & (said[1:] == said[:-1])
    start = np.flatnonzero(np.concatenate([np.ones(min(total, 1), dtype=np.bool_), ~same]))
    longest = np.zeros(w, dtype=np.int64)
    np.maximum.at(longest, who[start], np.diff(start, append=total))
    repeats = np.bincount(who[1:][same], minlength=w)
    repeated = np.divide(repeats, count - 1, out=np.full(w, nan), where=count > 1)
    distinct, said_code = np.unique(said, return_inverse=True)
    answer, equal = np.unique(who * max(len(distinct), 1) + said_code, return_counts=True)
    owner = answer // max(len(distinct), 1)
    often = equal >= longest[owner]
    owner, c = owner[often], equal[often]
    n, length = count[owner], longest[owner]
    log = special.gammaln(c + 1) - special.gammaln(c - length + 1)
    log -= special.gammaln(n + 1) - special.gammaln(n - length + 1)
    expected = np.bincount(owner, weights=(n - c + 1) * np.exp(log), minlength=w)
    return Runs(raters, count, longest, repeated, np.minimum(expected, 1.0))


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
    """How many check questions each rater answered otherwise than expected.

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
    Answers: who did not pay attention? Not with one or two checks each: see how wide the interval is. The
    interval is Wilson's.
    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    >>> failed_checks(["a"] * 4, [5, 5, 1, 2], [5, 5, 5, float("nan")]).share
    array([0.33333333])
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    if not tolerance >= 0:
        raise InputError(f"`tolerance` must be 0 or more, got {tolerance}")
    ids, answers, right = _columns(rater=rater, score=score, expected=expected)
    raters, code = np.unique(ids, return_inverse=True)
    w = len(raters)
    known = ~np.isnan(right.astype(np.float64))
    checks = np.bincount(code[known], minlength=w)
    passed = np.abs(answers.astype(np.float64) - right.astype(np.float64)) <= tolerance
    failed = np.bincount(code[known & ~passed], minlength=w)
    share, low, high = wilson(failed, checks, level)
    return FailedChecks(raters, checks, failed, np.bincount(code[~known], minlength=w), share, low, high)


@dataclass(frozen=True, eq=False)
class Speed:
    """How fast raters work.

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
    Answers: who cannot have looked properly? Not where raters met items of very different length. The default,
    twice as fast as the typical rater, is Leiner's relative speed index of 2.
    Source: Leiner 2019, "Too fast, too straight, too weird", Survey Research Methods 13(3).

    >>> speed(["a", "a", "b", "c"], [4, 6, 5, 2]).too_fast
    array([False, False,  True])
    """
    if not 0 <= factor <= 1:
        raise InputError(f"`factor` must be between 0 and 1, got {factor}")
    ids, times = _columns(rater=rater, seconds=seconds)
    raters, code = np.unique(ids, return_inverse=True)
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


def _means(code: Counts, values: Floats) -> Floats:
    counts = np.bincount(code)
    means: Floats = np.bincount(code, weights=values) / np.maximum(counts, 1)
    return means


def _spread(code: Counts, values: Floats) -> Any:
    """Largest less smallest value of each code."""
    high, low = (
        np.full(int(code.max(initial=-1)) + 1, -np.inf),
        np.full(int(code.max(initial=-1)) + 1, np.inf),
    )
    np.maximum.at(high, code, values)
    np.minimum.at(low, code, values)
    return high - low


def _columns(**columns: ArrayLike) -> list[NDArray[Any]]:
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    lengths = {name: array.shape for name, array in arrays.items()}
    if len(set(lengths.values())) > 1 or any(len(shape) != 1 for shape in lengths.values()):
        told = ", ".join(f"`{name}` has shape {shape}" for name, shape in lengths.items())
        raise InputError(f"all arrays must be 1-d and equally long, one entry per rating; {told}")
    return list(arrays.values())
