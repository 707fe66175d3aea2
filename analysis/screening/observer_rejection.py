"""Rejection of observers by ITU-R BT.500 and ITU-T P.913, and the raters that remain."""

from dataclasses import dataclass
from math import nan
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.screening.subject_model import means_by_code
from analysis.values.estimate import Counts, Flags, Floats, InputError
from analysis.values.ratings import Ratings, coded

BT500_SHARE = 0.05
BT500_BALANCE = 0.3
ROUNDING = 1e-9
"""Tolerance for scores of exactly two SDs, which count as far."""
Divisor = Literal["n - 1", "n"]
"""Divisor in an item's SD: n - 1 as in the standard, or n as in the package sureal."""
BT500_FEWEST: dict[Divisor, int] = {"n - 1": 6, "n": 5}
"""Fewest ratings of an item for which one of them can lie two standard deviations from their mean."""
_IN_WORDS = {5: "five", 6: "six"}


@dataclass(frozen=True, eq=False)
class Bt500:
    """Results of BT.500.

    `raters` (w,), `p`, `q` (w,) numbers of scores far above and far below the others', `ratings` (w,) numbers, `far`
    = (p + q) / ratings, `balance` = |p - q| / (p + q) (NaN where both are 0), `rejected` (w,). A `reason` where no
    rater can be rejected.
    """

    raters: NDArray[Any]
    p: Counts
    q: Counts
    ratings: Counts
    far: Floats
    balance: Floats
    rejected: Flags
    reason: str = ""


def bt500(ratings: Ratings, divisor: Divisor = "n - 1") -> Bt500:
    """Reject raters whose scores are often far from the others', in both directions.

    Parameters
    ----------
    ratings : N ratings by w raters
    divisor : of an item's SD; "n - 1" as in the standard, "n" as in the package sureal (0.9.0), which finds more far
        scores

    Returns
    -------
    Bt500
        arrays (w,).

    Raises
    ------
    InputError
        for an unknown divisor.

    Notes
    -----
    For erratic raters on items with six ratings or more; biased (one-sided) raters are kept.
    Far is two SDs of the item's scores or more where their kurtosis is within 2 … 4, else sqrt(20) SDs.
    Rejected: more than 5% of a rater's scores far, and |p - q| / (p + q) below 0.3.
    Where raters rated different items, J is the number of the rater's own ratings. Items with equal scores are ignored;
    by the letter of the standard, and in sureal, they count as far on both sides for all raters, so that a few such
    items would make all raters suspicious.
    Source: ITU-R BT.500-15, Annex 1, screening of the observers (BT.500-13: Annex 2, section 2.3.1).
    """
    if divisor not in get_args(Divisor):
        raise InputError(f'`divisor` must be "n - 1" or "n", got {divisor!r}')
    _, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    w = len(raters)
    count = np.bincount(item)
    deviation = ratings.score - means_by_code(item, ratings.score)[item]
    second, fourth = (means_by_code(item, deviation**power) for power in (2, 4))
    has_variance = _range_by_code(item, ratings.score) > 0
    kurtosis = np.divide(fourth, second**2, out=np.zeros(len(count)), where=has_variance)
    normal = (kurtosis >= 2 - ROUNDING) & (kurtosis <= 4 + ROUNDING)
    sd = np.sqrt(second if divisor == "n" else second * count / np.maximum(count - 1, 1))
    limit = np.where(normal, 2, np.sqrt(20)) * sd * (1 - ROUNDING)
    p, q = (
        np.bincount(rater[has_variance[item] & (side * deviation >= limit[item])], minlength=w)
        for side in (1, -1)
    )
    rating_counts = np.bincount(rater, minlength=w)
    share_far = (p + q) / np.maximum(rating_counts, 1)
    balance = np.divide(np.abs(p - q), p + q, out=np.full(w, nan), where=p + q > 0)
    with np.errstate(invalid="ignore"):
        rejected = (share_far > BT500_SHARE) & (balance < BT500_BALANCE)
    min_ratings = BT500_FEWEST[divisor]
    reason = (
        ""
        if (count >= min_ratings).any()
        else f"no item has {_IN_WORDS[min_ratings]} ratings, so none can lie far from the others"
    )
    return Bt500(raters, p, q, rating_counts, share_far, balance, rejected, reason)


def _range_by_code(code: Counts, values: Floats) -> Any:
    """Return the largest minus the smallest value of each code."""
    high, low = (
        np.full(int(code.max(initial=-1)) + 1, -np.inf),
        np.full(int(code.max(initial=-1)) + 1, np.inf),
    )
    np.maximum.at(high, code, values)
    np.minimum.at(low, code, values)
    return high - low


FEWEST_PAIRS = 3
"""Fewest ratings, or systems, of a rater for a correlation."""


@dataclass(frozen=True, eq=False)
class P913:
    """Results of P.913.

    `raters` (w,), `by_item` (w,) correlation of a rater's scores with the items' MOS, `by_system` (w,) of the
    rater's means with the systems' MOS (NaN without systems), both with all raters included; `ratings`, `systems`
    (w,) their numbers; `rejected` (w,), `turn` (w,) the order of rejection (1 first, 0 if kept); `reasons` (w,) why
    a correlation is undefined; such raters are kept.
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
    """Reject raters whose scores do not correlate with the MOS, one at a time.

    Parameters
    ----------
    ratings : N ratings by w raters
    system : (N,) codes of the system (HRC) of each rating, -1 for none; optional
    threshold : smallest acceptable correlation with the items' MOS (r1)
    system_threshold : smallest acceptable correlation with the systems' MOS (r2)

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
    Not for raters with few ratings, nor for items that differ little. Without systems a rater is discarded for r1 below
    its threshold; with systems only where r2 is also below its threshold. The worst rater is rejected first (lowest r1;
    with systems the largest mean shortfall), then MOS and correlations are recomputed over the remaining raters, until
    none is below. A rater's own scores are part of the MOS, as in P.913, which raises r on items with few ratings;
    `analysis.agreement.reliability.rater_reliability` excludes them. Needs three ratings (systems); where r2 is
    undefined, r1 alone decides.
    Source: ITU-T P.913 (2016 and 2021), Annex A: A.1 by PVS (r1 < 0.75), A.2 by PVS and HRC (r1 < 0.75 and
    r2 < 0.8), as in two implementations of it.
    """
    for name, value in (("threshold", threshold), ("system_threshold", system_threshold)):
        if not -1 <= value <= 1:
            raise InputError(f"`{name}` must be between -1 and 1, got {value}")
    codes = np.full(len(ratings), -1) if system is None else np.asarray(system)
    if codes.shape != ratings.score.shape:
        raise InputError(f"`system` needs one code per rating, {len(ratings)}, got shape {codes.shape}")
    _, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    w = len(raters)
    score = ratings.score - (ratings.score.mean() if len(ratings) else 0)
    items = _RemainingCorrelations(item, rater, score, w, by_mean=False)
    has_system = codes >= 0
    hrc = coded(codes[has_system])[1]
    systems = _RemainingCorrelations(hrc, rater[has_system], score[has_system], w, by_mean=True)
    first, first_system = items.correlation(), systems.correlation()
    r1, r2 = first, first_system
    turn = np.zeros(w, dtype=np.int64)
    while True:
        with np.errstate(invalid="ignore"):
            is_below = (turn == 0) & (r1 < threshold) & ~(r2 >= system_threshold)
        if not is_below.any():
            break
        shortfall = np.where(np.isnan(r2), threshold - r1, (threshold - r1 + system_threshold - r2) / 2)
        worst = int(np.argmax(np.where(is_below, shortfall, -np.inf)))
        turn[worst] = turn.max() + 1
        items.exclude(worst)
        systems.exclude(worst)
        r1, r2 = items.correlation(), systems.correlation()
    total_counts = np.bincount(rater, minlength=w)
    reasons = tuple(
        ""
        if r == r
        else f"fewer than {FEWEST_PAIRS} ratings"
        if is_too_few
        else "the scores, or the MOS, do not vary"
        for r, is_too_few in zip(first, total_counts < FEWEST_PAIRS, strict=True)
    )
    return P913(
        raters, first, first_system, total_counts, systems.n.astype(np.int64), turn > 0, turn, reasons
    )


class _RemainingCorrelations:
    """Correlations of raters with the mean scores of units (items or systems) while raters are excluded one by one.

    They are of single scores with the unit's mean or, `by_mean`, of a rater's mean per unit with it. The sums of a
    table of raters by units are updated only in the columns of the units that an excluded rater scored.
    """

    def __init__(self, unit: Counts, rater: Counts, score: Floats, raters: int, by_mean: bool) -> None:
        shape = raters, int(unit.max(initial=-1)) + 1
        self.rating_counts: Any = sparse.csr_array((np.ones(len(unit)), (rater, unit)), shape=shape)
        self.sums: Any = sparse.csr_array((score, (rater, unit)), shape=shape)
        self.unit_sum = np.bincount(unit, weights=score, minlength=shape[1]).astype(np.float64)
        self.unit_count = np.bincount(unit, minlength=shape[1]).astype(np.float64)
        self.mos = self.unit_sum / self.unit_count
        counts, values = self.rating_counts.tocsc(), self.sums.tocsc()
        self.xx = np.bincount(rater, weights=score**2, minlength=raters)
        if by_mean:
            values.data /= counts.data
            counts.data[:] = 1
            self.xx = values.power(2).sum(axis=1)
        self.counts, self.values = counts, values
        self.n, self.x = counts.sum(axis=1), values.sum(axis=1)
        self.y, self.yy, self.xy = counts @ self.mos, counts @ self.mos**2, values @ self.mos
        self.rounding_tolerance = 1e-12 * float((score**2).sum())

    def exclude(self, rater: int) -> None:
        """Exclude one rater's scores from the units' means."""
        entries = slice(self.rating_counts.indptr[rater], self.rating_counts.indptr[rater + 1])
        units = self.rating_counts.indices[entries]
        self.unit_sum[units] -= self.sums.data[entries]
        self.unit_count[units] -= self.rating_counts.data[entries]
        old_means = self.mos[units]
        has_ratings = self.unit_count[units] > 0
        new_means = np.divide(
            self.unit_sum[units], self.unit_count[units], out=old_means.copy(), where=has_ratings
        )
        self.mos[units] = new_means
        counts, values = self.counts[:, units], self.values[:, units]
        self.y += counts @ (new_means - old_means)
        self.yy += counts @ (new_means**2 - old_means**2)
        self.xy += values @ (new_means - old_means)

    def correlation(self) -> Floats:
        """Return Pearson's r of each rater (w,), NaN with too few pairs or without variance."""
        n = np.maximum(self.n, 1)
        xx, yy = self.xx - self.x**2 / n, self.yy - self.y**2 / n
        defined = (self.n >= FEWEST_PAIRS) & (xx > self.rounding_tolerance) & (yy > self.rounding_tolerance)
        return np.where(
            defined, (self.xy - self.x * self.y / n) / np.sqrt(np.where(defined, xx * yy, 1)), nan
        )


def lowest_indices(values: ArrayLike, how_many: int) -> NDArray[np.int64]:
    """Return the indices of the lowest values, lowest first (worst assessors, Owczarzak et al. 2012, Table 2).

    >>> lowest_indices([0.5, float("nan"), 0.1, 0.9], 2)
    array([2, 0])
    """
    array = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(array))
    return known[np.argsort(array[known], kind="stable")][:how_many]


def indices_below(values: ArrayLike, limit: float) -> NDArray[np.int64]:
    """Return the indices of values below a limit, without NaN (methods, section 3).

    >>> indices_below([0.5, float("nan"), 0.1], 0.5)
    array([2])
    """
    return np.flatnonzero(np.asarray(values, dtype=np.float64) < limit)


def indices_above(values: ArrayLike, limit: float) -> NDArray[np.int64]:
    """Return the indices of values above a limit, without NaN (methods, section 3).

    >>> indices_above([0.5, float("nan"), 0.1], 0.2)
    array([0])
    """
    return np.flatnonzero(np.asarray(values, dtype=np.float64) > limit)


def exclusion_gain(before: float, after: float) -> float:
    """Return the change of a figure by an exclusion: after minus before, NaN where either is undefined (the
    comparisons of Owczarzak et al. 2012, Tables 3 and 4).

    >>> exclusion_gain(0.5, 0.75)
    0.25
    """
    return after - before
