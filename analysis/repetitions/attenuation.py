"""Attenuation curves, extrapolation of split halves to more ratings, and costs and times of fewer.

Only half of an item's ratings can be compared with the other half, so the simulated curve ends at h. Spearman-Brown
extrapolates it: the correlation c of two means of h ratings gives the reliability of any number of ratings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import atanh, ceil, exp, inf, isnan, log, nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.reliability import (
    FEWEST_FOR_OTHERS,
    OTHERS,
    drop_least_reliable_raters,
    rater_reliability,
    too_few_raters_reason,
)
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.saturation import Curves, find_root_regula_falsi, mean_and_count, r_squared
from analysis.resampling.intervals import fisher_z
from analysis.values.estimate import Estimate, Floats, InputError
from analysis.values.ratings import Ratings


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Extrapolation of split halves to r = 1 … R ratings.

    `halves` is c, the mean over shuffles of Pearson's r between the halves of h ratings; `reliability_of_one` rho_1;
    `reliability` (R,) of the mean of r ratings; `curve` (R,) its correlation with a mean of h other ratings,
    sqrt(rho_r rho_h). NaN with a `reason` where c is not positive.
    """

    halves: float
    h: int
    reliability_of_one: float
    reliability: NDArray[np.float64]
    curve: NDArray[np.float64]
    reason: str = ""


def extrapolate(curves: Curves, repetitions: int) -> Extrapolation:
    """Extrapolate a split-half curve to more ratings, arrays (R,).

    c / (h - (h - 1) c) = rho_1 and rho_k = k rho_1 / (1 + (k - 1) rho_1). This is repeatability, not validity:
    raters may agree on a wrong answer. Not for ratings whose order matters (learning, fatigue). Source: Spearman
    1910, Brown 1910.

    >>> curves = Curves(np.array([0.8]), np.array([[0.8]]), np.array([9]), pearson_of_halves=np.array([0.8]))
    >>> extrapolate(curves, 2).reliability.round(3)
    array([0.8 , 0.889])
    """
    if curves.pearson_of_halves is None:
        raise InputError("`curves` must come from split halves, so from `simulate` with `reference` None")
    if repetitions < 1:
        raise InputError(f"`repetitions` must be a whole number from 1, got {repetitions}")
    h = curves.repetitions
    defined = curves.pearson_of_halves[~np.isnan(curves.pearson_of_halves)]
    halves = float(defined.mean()) if len(defined) else float("nan")
    if not halves > 0:
        undefined = np.full(repetitions, np.nan)
        reason = (
            curves.reason
            or "the halves have no positive Pearson correlation, so nothing can be said about more ratings"
        )
        return Extrapolation(halves, h, float("nan"), undefined, undefined, reason)
    single = halves / (h - (h - 1) * halves)
    r = np.arange(1, repetitions + 1)
    reliability = r * single / (1 + (r - 1) * single)
    return Extrapolation(halves, h, single, reliability, np.sqrt(reliability * halves))


MOST_FOR_OTHERS = 1_000
"""Largest upper bound of the ratings needed for which the number of raters suffices for raters like these."""
NO_RELIABILITY = "raters do not agree beyond chance, so no mean gets reliable"


def ratings_for_reliability(reliability: float, target: float) -> float:
    """Return the smallest number of ratings whose mean reaches a reliability, by Spearman-Brown.

    Infinite for a reliability of 0, NaN where it is undefined. Source: methods, section 2, rule 3; Spearman 1910,
    Brown 1910.

    >>> ratings_for_reliability(0.3, 0.8)
    10.0
    """
    if isnan(reliability):
        return nan
    if reliability <= 0:
        return inf
    return float(max(ceil(target * (1 - reliability) / ((1 - target) * reliability) - 1e-9), 1))


def ratings_needed(summary: AgreementSummary, target: float) -> Estimate:
    """Return the ratings per item for a reliability of their mean, with the interval from that of one rating.

    The upper bound is infinite where the reliability of one rating may be 0. NaN with a reason where the reliability
    has no interval, and, for raters like these, below 3 raters or where the upper bound exceeds 1,000.
    """
    single = summary.one
    if summary.scope == OTHERS and summary.raters < FEWEST_FOR_OTHERS:
        return Estimate(nan, n=single.n, reason=too_few_raters_reason(summary.raters))
    if not single.defined or isnan(single.low):
        return Estimate(nan, n=single.n, reason=single.reason, warning=single.warning)
    value, low, high = (
        ratings_for_reliability(end, target) for end in (single.value, single.high, single.low)
    )
    if summary.scope == OTHERS and high > MOST_FOR_OTHERS:
        raters = f"from {summary.raters} raters"
        reason = f"{raters} it is unclear whether even 1,000 ratings by raters like these are enough"
        return Estimate(nan, n=single.n, reason=reason, warning=single.warning)
    return Estimate(value, low, high, single.n, warning=single.warning)


@dataclass(frozen=True)
class Advice:
    """Advice to narrow the interval of a reliability: more `of` raters or items, with their total `number` where
    known."""

    of: Literal["raters", "items"]
    number: float = nan


def advise_on_width(summary: AgreementSummary, target: float | None = None) -> Advice | None:
    """Return how to narrow the interval of one rating's reliability, to the `target` half-width on Fisher's z if
    given.

    More raters where they make up at least half of its variance, else more items; None where more items alone do not
    suffice. The number of items is unknown for clusters by systems and topics.
    """
    single = summary.one
    half_width = (fisher_z(single.high) - fisher_z(single.low)) / 2
    if summary.items_share < 0.5:
        return Advice("raters")
    if target is None or isnan(half_width) or summary.by_clusters:
        return Advice("items")
    remaining_variance = target**2 - half_width**2 * (1 - summary.items_share)
    return (
        Advice("items", float(ceil(single.n * half_width**2 * summary.items_share / remaining_variance)))
        if remaining_variance > 0
        else None
    )


LARGEST_RATIO = 4
"""Largest ratio of the bounds of the ratings needed that still allows planning."""


def plannable_half_width(reliability: float, ratio: float = LARGEST_RATIO) -> float:
    """Return the half-width on Fisher's z at which the bounds of the ratings needed have this ratio.

    Ratings needed are proportional to (1 - ρ) / ρ, which is 2 / (exp(2z) - 1).
    """
    odds = exp(2 * atanh(min(reliability, 0.99)))
    return log((sqrt((ratio - 1) ** 2 + 4 * ratio * odds**2) - ratio + 1) / (2 * odds)) / 2


ZERO_CORRELATION = 1e-9
"""Mean correlation up to which it is taken as 0, a rounding error."""
_GRID = np.concatenate([[0.0], np.geomspace(1e-3, 1e4, 160)])


@dataclass(frozen=True, eq=False)
class Attenuation:
    """The fitted curve rho_inf sqrt(r / (r + lambda)) and its fit to each order.

    `rho_inf` is the limit, `ratings_for_half` lambda: with this number of ratings half of the mean's variance is
    signal. `r_squared_measured` is for the measured order, `r_squared_shuffled` (k,) for each shuffle; `n` the
    number of points. Undefined figures are NaN with a `reason`.
    """

    rho_inf: float
    ratings_for_half: float
    r_squared_measured: float
    r_squared_shuffled: Floats = field(repr=False)
    n: int = 0
    reason: str = ""

    @property
    def defined(self) -> bool:
        """True where a curve was fitted."""
        return self.rho_inf == self.rho_inf

    def at(self, r: Any) -> Floats:
        """Return the curve after r ratings.

        Source: Spearman 1904 (attenuation) with Spearman-Brown.
        """
        ratings = np.asarray(r, dtype=np.float64)
        return np.asarray(self.rho_inf * np.sqrt(ratings / (ratings + self.ratings_for_half)))


def fit(curves: Curves) -> Attenuation:
    """Fit rho_inf sqrt(r / (r + lambda)) to all points of all orders together, by least squares.

    Parameters
    ----------
    curves : measured (m,) and shuffled (k, m) from `repetition.simulate`; NaN are excluded

    Returns
    -------
    Attenuation
        NaN with a reason where the points do not determine a limit within 0 … 1.

    Notes
    -----
    Exact for Pearson's r and ratings that are exchangeable within items, approximate for Spearman's rho; not for a
    reference made from the same ratings. rho_inf is constrained to at most 1.
    Source: Spearman 1904 with Spearman-Brown; methods, section 2 (the paper fits the exponential only).
    """
    return fit_all([curves])[0]


def fit_all(all_curves: Sequence[Curves]) -> list[Attenuation]:
    """Fit the curves of several measures at once."""
    widest = max((len(curves.measured) for curves in all_curves), default=0)
    mean = np.full((len(all_curves), widest), nan)
    weight = np.zeros((len(all_curves), widest))
    for row, curves in enumerate(all_curves):
        m = len(curves.measured)
        mean[row, :m], weight[row, :m] = mean_and_count(curves.points)
    limit, half = fit_means(mean, weight)
    return [
        _attenuation_from_fit(curves, float(limit[i]), float(half[i])) for i, curves in enumerate(all_curves)
    ]


def fit_means(mean: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Fit many curves to weighted means for each number of ratings."""
    w = np.where(np.isnan(mean), 0, weight)
    y = np.where(w > 0, mean, 0)
    is_sufficient = ((w > 0).sum(axis=1) >= 3) & ((w * y).sum(axis=1) > ZERO_CORRELATION * w.sum(axis=1))
    r = np.arange(1, mean.shape[1] + 1, dtype=np.float64)
    squared = r / (r + _GRID[:, None])
    best = np.argmin(_relative_squared_error(w, y, np.sqrt(squared)), axis=1)
    has_limit = best < len(_GRID) - 1
    low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, len(_GRID) - 1)]
    half = find_root_regula_falsi(low, high, lambda half: _error_gradient(half, r, y, w))
    limit, _ = _best_limit(half, r, y, w)
    is_defined = is_sufficient & has_limit
    return np.where(is_defined, limit, nan), np.where(is_defined, half, np.where(is_sufficient, inf, nan))


def _relative_squared_error(w: Floats, y: Floats, curve: Floats) -> Floats:
    """Return the squared error (d, g) of g curves at their best rho_inf up to 1, minus a term common to all curves."""
    shared, norm = (w * y) @ curve.T, w @ (curve**2).T
    limit = np.minimum(shared / np.where(norm > 0, norm, 1), 1)
    error: Floats = limit * (limit * norm - 2 * shared)
    return error


def _best_limit(half: Floats, r: Floats, y: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Return the best rho_inf up to 1 for each lambda (d,), and sqrt(r / (r + lambda)) (d, m)."""
    curve = np.sqrt(r / (r + half[:, None]))
    shared, norm = (w * y * curve).sum(axis=1), (w * curve**2).sum(axis=1)
    return np.minimum(shared / np.where(norm > 0, norm, 1), 1), curve


def _error_gradient(half: Floats, r: Floats, y: Floats, w: Floats) -> Floats:
    """Return the negative derivative of the squared error by lambda (d,), at the best rho_inf."""
    limit, curve = _best_limit(half, r, y, w)
    fitted = limit[:, None] * curve
    gradient: Floats = (w * (fitted - y) * fitted / (r + half[:, None])).sum(axis=1)
    return gradient


def _attenuation_from_fit(curves: Curves, limit: float, half: float) -> Attenuation:
    k, m = curves.shuffled.shape
    number = int(np.isfinite(curves.points).sum())
    if limit != limit:
        if number == 0:
            reason = curves.reason or "there is no correlation to fit a curve to"
        elif half == inf:
            reason = f"no limit in sight: the correlation rises all the way to {m} ratings"
        elif np.nanmean(curves.points) <= ZERO_CORRELATION:
            reason = "the correlation is not positive, so more ratings do not raise it"
        else:
            reason = "fewer than three numbers of ratings do not determine a curve"
        return Attenuation(nan, nan, nan, np.full(k, nan), number, reason)
    r = np.arange(1, m + 1)
    described = r_squared(curves.points, limit * np.sqrt(r / (r + half)))
    return Attenuation(limit, half, float(described[0]), described[1:], number)


EXCLUDABLE_SHARE = 0.1
"""Share of items that may be excluded so that the others have more ratings."""


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """One measure with all ratings and without those of the least reliable raters.

    `everyone` and `without` are curves over the same r = 1 … m, m being the smaller maximum; `raters` is the number
    of raters, `excluded` the number of excluded ones. `correlation` and `correlation_without` are the means over
    orders at m, `gain` their difference; NaN with a `reason` where undefined.
    """

    everyone: Curves
    without: Curves
    raters: int
    excluded: int
    correlation: float
    correlation_without: float
    gain: float
    reason: str = ""


def sensitivity(
    ratings: Ratings,
    reference: Mapping[Any, float] | None = None,
    spec: RepetitionSpec | None = None,
    share: float = 0.25,
) -> Sensitivity:
    """Compare the curves with and without the raters that agree least with the others.

    Both curves are compared at the same number of ratings per item. The gain is slightly optimistic, since the same
    ratings select the raters; the selection does not use the reference. Source: future work of Iskender et al. 2020,
    section 5.
    """
    spec = spec or RepetitionSpec()
    reliable, excluded = drop_least_reliable_raters(ratings, share)
    reliabilities = rater_reliability(ratings)
    all_ratings, reliable = _select_common_items(ratings, reliable, spec.repetitions)
    smallest = min((int(side.mos().counts.min()) for side in (all_ratings, reliable) if len(side)), default=1)
    # Excluded raters leave gaps in columns.
    order = "within items" if spec.order == "by column" else spec.order
    common_spec = replace(spec, order=order, repetitions=min(smallest, spec.repetitions or smallest))
    with_all, with_reliable = (
        simulate(all_ratings, reference, common_spec),
        simulate(reliable, reference, common_spec),
    )
    m = min(with_all.repetitions, with_reliable.repetitions)
    value_with_all, value_with_reliable = with_all.mean_at(m), with_reliable.mean_at(m)
    if excluded == 0:
        reason = "too few raters share enough items to say who is unreliable"
    else:
        reason = with_all.reason or with_reliable.reason
    return Sensitivity(
        with_all,
        with_reliable,
        len(reliabilities.raters),
        excluded,
        value_with_all,
        value_with_reliable,
        value_with_reliable - value_with_all,
        reason,
    )


def _select_common_items(
    ratings: Ratings, reliable: Ratings, repetitions: int | None
) -> tuple[Ratings, Ratings]:
    """Select in both sides the items that keep as many ratings as 90% of the items do."""
    items, _, counts = reliable.mos()
    if len(items) == 0:
        return reliable, reliable
    all_counts = np.zeros(len(ratings.mos().items), dtype=np.int64)
    all_counts[: len(counts)] = counts
    needed = max(int(np.quantile(all_counts, EXCLUDABLE_SHARE, method="lower")), 1)
    selected = items[counts >= min(needed, repetitions or needed)]
    return _select_items(ratings, selected), _select_items(reliable, selected)


def _select_items(ratings: Ratings, items: NDArray[Any]) -> Ratings:
    keep = np.isin(ratings.item, items)
    order = None if ratings.order is None else ratings.order[keep]
    return Ratings(ratings.item[keep], ratings.rater[keep], ratings.score[keep], order)


@dataclass(frozen=True)
class CostSpec:
    """Prices and times of ratings.

    Parameters
    ----------
    price : of one rating or one assignment, in any currency
    per : 'rating', or 'assignment' where one price covers all measures of an item
    fixed : costs that do not depend on the number of ratings (qualification, set-up)
    seconds : time of one rating (of one measure); NaN where unknown

    Raises
    ------
    InputError
        for negative amounts or an unknown unit.

    Notes
    -----
    Source: Iskender et al. 2020, section 3.2 (1.2 euros per task and per qualification).
    """

    price: float = 0.0
    per: Literal["rating", "assignment"] = "assignment"
    fixed: float = 0.0
    seconds: float = nan

    def __post_init__(self) -> None:
        for name in ("price", "fixed", "seconds"):
            if getattr(self, name) < 0:
                raise InputError(f"`{name}` must be 0 or more, got {getattr(self, name)}")
        if self.per not in ("rating", "assignment"):
            raise InputError(f"`per` must be 'rating' or 'assignment', got {self.per!r}")


@dataclass(frozen=True, eq=False)
class Costs:
    """Costs of r = 1 … m ratings per item.

    `repetitions` (m,), `money` (m,) with fixed costs, `seconds` (m,) of all raters together, `saved` (m,) share of
    the total cost of m, `saved_of_ratings` (m,) share without the fixed cost. NaN where the cost of m is 0 or the
    seconds are unknown.
    """

    repetitions: NDArray[np.int64]
    money: NDArray[np.float64]
    seconds: NDArray[np.float64]
    saved: NDArray[np.float64]
    saved_of_ratings: NDArray[np.float64]

    def below(self, amount: float) -> int:
        """Return the largest number of ratings per item that costs less than an amount, 0 for none.

        >>> costs(50, 9, 24, CostSpec(price=1.2, fixed=82 * 1.2)).below(15 * 71)  # the paper's laboratory
        16
        """
        return int(np.count_nonzero(self.money < amount))


def costs(items: int, measures: int, repetitions: int, spec: CostSpec) -> Costs:
    """Return the costs of a study with 1 … m ratings per item, and the savings against m.

    Parameters
    ----------
    items : number of items
    measures : number of measures of each item
    repetitions : m
    spec : prices and times

    Returns
    -------
    Costs
        arrays (m,).

    Raises
    ------
    InputError
        for counts below 1.

    Notes
    -----
    The loss of precision is shown by the curve.
    Source: Iskender et al. 2020, sections 3.2 and 5. The paper's 66% exclude its 82 paid qualifications;
    with them 62% are saved.

    >>> paper = costs(50, 9, 24, CostSpec(price=1.2, fixed=82 * 1.2))
    >>> round(paper.money[-1], 2), round(paper.saved_of_ratings[7], 2), round(paper.saved[7], 2)
    (np.float64(1538.4), np.float64(0.67), np.float64(0.62))
    """
    for name, number in (("items", items), ("measures", measures), ("repetitions", repetitions)):
        if number < 1:
            raise InputError(f"`{name}` must be a whole number from 1, got {number}")
    r = np.arange(1, repetitions + 1)
    assignments = items * r.astype(np.float64)
    ratings = assignments * measures
    money = spec.fixed + spec.price * (ratings if spec.per == "rating" else assignments)
    saved = 1 - money / money[-1] if money[-1] > 0 else np.full(repetitions, nan)
    return Costs(r, money, ratings * spec.seconds, saved, 1 - r / repetitions)


LARGEST_RATIO_BY_CHANCE = 1.5
"""Ratings per distinct time above which times are taken as those of assignments; equal seconds also occur by chance."""


@dataclass(frozen=True)
class Times:
    """Median of the recorded times, and the number of ratings per distinct time."""

    median: float = nan
    ratings_per_time: float = 1.0

    @property
    def of_assignments(self) -> bool:
        """True where times are judged to be those of whole assignments, repeated on each rating."""
        return self.ratings_per_time >= LARGEST_RATIO_BY_CHANCE

    def as_single_ratings(self) -> "Times":
        """Return the times where the import determined that each is of one rating."""
        return Times(self.median)

    def seconds_per_rating(self, of_assignments: bool) -> float:
        """Return the seconds of one rating; an assignment's time is divided by its ratings."""
        return self.median / self.ratings_per_time if of_assignments else self.median


def summarize_times(rater: ArrayLike, seconds: NDArray[np.float64], measures: float = 1.0) -> Times:
    """Summarize the times of one measure's ratings (N,), in row order, each repeated on this many measures."""
    defined = seconds[np.isfinite(seconds)]
    if not len(defined):
        return Times()
    return Times(float(np.median(defined)), measures * ratings_per_time(rater, seconds))


def ratings_per_time(rater: ArrayLike, seconds: NDArray[np.float64]) -> float:
    """Return the number of ratings per distinct time: rows (N,) per run of a rater's consecutive rows with equal
    seconds.

    Near 1 for separate times; the number of ratings in an assignment where its time is repeated on each rating. Rows
    must be in chronological order. NaN without known times.

    >>> ratings_per_time([1, 1, 1, 2, 2, 2], np.array([60.0, 60, 60, 45, 45, 45]))
    3.0
    """
    rater_code = np.unique(np.asarray(rater), return_inverse=True)[1]
    known = np.isfinite(seconds)
    rater_code, times = rater_code[known], seconds[known]
    if not len(times):
        return nan
    by_rater = np.argsort(rater_code, kind="stable")
    rater_code, times = rater_code[by_rater], times[by_rater]
    starts = 1 + int(((rater_code[1:] != rater_code[:-1]) | (times[1:] != times[:-1])).sum())
    return len(times) / starts


def repetitions_of_times(cells: NDArray[np.float64]) -> float:
    """Return rows per distinct row (N, 3) of rater, item and seconds: near the number of measures where all share
    one time.

    >>> repetitions_of_times(np.array([[1, 1, 30.0], [1, 1, 30], [1, 2, 20], [1, 2, 20]]))
    2.0
    """
    known = cells[np.isfinite(cells[:, 2])]
    return len(known) / len(np.unique(known, axis=0)) if len(known) else 1.0
