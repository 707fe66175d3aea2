"""Beyond half of the ratings: what split halves say about all of them, and about more; costs and times of fewer.

Only half of an item's ratings can be held against the other half, so the simulated curve ends at h.
Spearman-Brown carries it on: from the correlation c of two means of h ratings follow the reliability of one
rating and of any number of them.
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
from analysis.repetitions.saturation import Curves, mean_and_number, r_squared, where_falling_ends
from analysis.resampling.intervals import fisher_z
from analysis.values.estimate import Estimate, Floats, InputError
from analysis.values.ratings import Ratings


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Split halves carried on to r = 1 … R ratings.

    `halves` is c, the mean over shuffles of Pearson's r between the halves of h ratings; `reliability_of_one`
    rho_1; `reliability` (R,) of the mean of r ratings; `curve` (R,) its correlation with a mean of h other
    ratings, sqrt(rho_r rho_h). NaN with a `reason` where c is not positive.
    """

    halves: float
    h: int
    reliability_of_one: float
    reliability: NDArray[np.float64]
    curve: NDArray[np.float64]
    reason: str = ""


def extrapolate(curves: Curves, repetitions: int) -> Extrapolation:
    """Carry a split-half curve on to more ratings, arrays (R,).

    c / (h - (h - 1) c) = rho_1 and rho_k = k rho_1 / (1 + (k - 1) rho_1). This is repeatability, not validity: raters
    may agree about the wrong thing. Not for ratings whose order matters (learning, fatigue).
    Source: Spearman 1910, Brown 1910.

    >>> curves = Curves(np.array([0.8]), np.array([[0.8]]), np.array([9]), pearson_of_halves=np.array([0.8]))
    >>> extrapolate(curves, 2).reliability.round(3)
    array([0.8 , 0.889])
    """
    if curves.pearson_of_halves is None:
        raise InputError("`curves` must come from split halves, so from `simulate` with `reference` None")
    if repetitions < 1:
        raise InputError(f"`repetitions` must be a whole number from 1, got {repetitions}")
    h = curves.repetitions
    known = curves.pearson_of_halves[~np.isnan(curves.pearson_of_halves)]
    halves = float(known.mean()) if len(known) else float("nan")
    if not halves > 0:
        undefined = np.full(repetitions, np.nan)
        reason = (
            curves.reason
            or "the halves have no positive Pearson correlation, so nothing can be said about more ratings"
        )
        return Extrapolation(halves, h, float("nan"), undefined, undefined, reason)
    one = halves / (h - (h - 1) * halves)
    r = np.arange(1, repetitions + 1)
    reliability = r * one / (1 + (r - 1) * one)
    return Extrapolation(halves, h, one, reliability, np.sqrt(reliability * halves))


MOST_FOR_OTHERS = 1_000
"""Upper end of the ratings needed beyond which the raters are too few for raters like these."""
NO_RELIABILITY = "raters do not agree beyond chance, so no mean gets reliable"


def ratings_for(reliability: float, target: float) -> float:
    """Return the first number of ratings whose mean reaches a reliability: Spearman-Brown solved for it.

    Infinite where one rating has none, NaN where it is undefined.
    Source: methods, section 2, rule 3; Spearman 1910, Brown 1910.

    >>> ratings_for(0.3, 0.8)
    10.0
    """
    if isnan(reliability):
        return nan
    if reliability <= 0:
        return inf
    return float(max(ceil(target * (1 - reliability) / ((1 - target) * reliability) - 1e-9), 1))


def ratings_needed(found: AgreementSummary, target: float) -> Estimate:
    """Return the ratings per item at which their mean reaches a reliability, with the interval of one rating's.

    The upper end is infinite where the reliability of one rating may be 0. NaN with a reason where the reliability has
    no interval, and, for raters like these, below 3 raters or where the upper end exceeds 1,000.
    """
    one = found.one
    if found.scope == OTHERS and found.raters < FEWEST_FOR_OTHERS:
        return Estimate(nan, n=one.n, reason=too_few_raters_reason(found.raters))
    if not one.defined or isnan(one.low):
        return Estimate(nan, n=one.n, reason=one.reason, warning=one.warning)
    value, low, high = (ratings_for(end, target) for end in (one.value, one.high, one.low))
    if found.scope == OTHERS and high > MOST_FOR_OTHERS:
        reason = f"{found.raters} raters leave open whether 1,000 ratings are enough with raters like these"
        return Estimate(nan, n=one.n, reason=reason, warning=one.warning)
    return Estimate(value, low, high, one.n, warning=one.warning)


@dataclass(frozen=True)
class Advice:
    """Means to narrow the interval of a reliability: more `of` raters or items, `number` in all where it is known."""

    of: Literal["raters", "items"]
    number: float = nan


def advise(found: AgreementSummary, wanted: float | None = None) -> Advice | None:
    """Return what would narrow the interval of one rating's reliability, to a half-width on z where one is wanted.

    Raters where they make up at least half of its variance, else items; None where more items alone cannot narrow it so
    far. How many items is unknown where they are counted by systems and topics: more items of these narrow little.
    """
    one = found.one
    half = (fisher_z(one.high) - fisher_z(one.low)) / 2
    if found.items_share < 0.5:
        return Advice("raters")
    if wanted is None or isnan(half) or found.by_clusters:
        return Advice("items")
    left = wanted**2 - half**2 * (1 - found.items_share)
    return Advice("items", float(ceil(one.n * half**2 * found.items_share / left))) if left > 0 else None


TOO_WIDE = 4
"""Times the lower end of the ratings needed up to which the upper end leaves a number to plan with."""


def narrow_enough(reliability: float, ratio: float = TOO_WIDE) -> float:
    """Return the half-width on Fisher's z with which the ends of the ratings needed are in this ratio.

    Ratings needed are in proportion to (1 - ρ) / ρ, which is 2 / (exp(2z) - 1).
    """
    at = exp(2 * atanh(min(reliability, 0.99)))
    return log((sqrt((ratio - 1) ** 2 + 4 * ratio * at**2) - ratio + 1) / (2 * at)) / 2


ZERO = 1e-9
"""Mean correlation up to which there is none: what rounding leaves of it."""
_GRID = np.concatenate([[0.0], np.geomspace(1e-3, 1e4, 160)])


@dataclass(frozen=True, eq=False)
class Attenuation:
    """The fitted curve rho_inf sqrt(r / (r + lambda)) and how well it describes each order.

    `rho_inf` is the limit, `ratings_for_half` lambda: with that many ratings half of the mean's variance is
    signal. `r_squared_measured` is for the measured order, `r_squared_shuffled` (k,) for each shuffle; `n`
    the number of points. Where not defined, figures are NaN and `reason` says why.
    """

    rho_inf: float
    ratings_for_half: float
    r_squared_measured: float
    r_squared_shuffled: Floats = field(repr=False)
    n: int = 0
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Return True where a curve was found."""
        return self.rho_inf == self.rho_inf

    def at(self, r: Any) -> Floats:
        """The curve after r ratings.

        Source: Spearman 1904 (attenuation) with Spearman-Brown.
        """
        ratings = np.asarray(r, dtype=np.float64)
        return np.asarray(self.rho_inf * np.sqrt(ratings / (ratings + self.ratings_for_half)))


def fit(curves: Curves) -> Attenuation:
    """Fit rho_inf sqrt(r / (r + lambda)) to all points of all orders together, by least squares.

    Parameters
    ----------
    curves : measured (m,) and shuffled (k, m), as `repetition.simulate` gives them; NaN are left out

    Returns
    -------
    Attenuation
        with NaN and a reason where the points do not determine a limit within 0 … 1.

    Notes
    -----
    Exact for Pearson's r and ratings
    that are exchangeable within an item, close for Spearman's rho; not for a reference made of the same
    ratings. rho_inf stays at or below 1: where the best fit would be above, the best one with rho_inf = 1 is
    taken.
    Source: Spearman 1904 with Spearman-Brown; methods, section 2 (the paper fits the exponential only).
    """
    return fit_all([curves])[0]


def fit_all(every: Sequence[Curves]) -> list[Attenuation]:
    """The same for several measures at once."""
    widest = max((len(curves.measured) for curves in every), default=0)
    mean = np.full((len(every), widest), nan)
    weight = np.zeros((len(every), widest))
    for row, curves in enumerate(every):
        m = len(curves.measured)
        mean[row, :m], weight[row, :m] = mean_and_number(curves.points)
    limit, half = fit_means(mean, weight)
    return [_described(curves, float(limit[i]), float(half[i])) for i, curves in enumerate(every)]


def fit_means(mean: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Fit many curves to weighted means per number of ratings."""
    w = np.where(np.isnan(mean), 0, weight)
    y = np.where(w > 0, mean, 0)
    enough = ((w > 0).sum(axis=1) >= 3) & ((w * y).sum(axis=1) > ZERO * w.sum(axis=1))
    r = np.arange(1, mean.shape[1] + 1, dtype=np.float64)
    squared = r / (r + _GRID[:, None])
    best = np.argmin(_left(w, y, np.sqrt(squared)), axis=1)
    bounded = best < len(_GRID) - 1
    low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, len(_GRID) - 1)]
    half = where_falling_ends(low, high, lambda half: _descent(half, r, y, w))
    limit, _ = _best_limit(half, r, y, w)
    limited = enough & bounded
    return np.where(limited, limit, nan), np.where(limited, half, np.where(enough, inf, nan))


def _left(w: Floats, y: Floats, curve: Floats) -> Floats:
    """(d, g) squared error of each of g curves at its best rho_inf in … 1, less a number that is the same for all."""
    shared, norm = (w * y) @ curve.T, w @ (curve**2).T
    limit = np.minimum(shared / np.where(norm > 0, norm, 1), 1)
    error: Floats = limit * (limit * norm - 2 * shared)
    return error


def _best_limit(half: Floats, r: Floats, y: Floats, w: Floats) -> tuple[Floats, Floats]:
    """(d,) best rho_inf in … 1 for each lambda, (d, m) sqrt(r / (r + lambda))."""
    curve = np.sqrt(r / (r + half[:, None]))
    shared, norm = (w * y * curve).sum(axis=1), (w * curve**2).sum(axis=1)
    return np.minimum(shared / np.where(norm > 0, norm, 1), 1), curve


def _descent(half: Floats, r: Floats, y: Floats, w: Floats) -> Floats:
    """(d,) the fall of the squared error with lambda; at the best rho_inf only lambda's own part is left."""
    limit, curve = _best_limit(half, r, y, w)
    reached = limit[:, None] * curve
    fall: Floats = (w * (reached - y) * reached / (r + half[:, None])).sum(axis=1)
    return fall


def _described(curves: Curves, limit: float, half: float) -> Attenuation:
    k, m = curves.shuffled.shape
    number = int(np.isfinite(curves.points).sum())
    if limit != limit:
        if number == 0:
            reason = curves.reason or "there is no correlation to fit a curve to"
        elif half == inf:
            reason = f"no limit in sight: the correlation rises all the way to {m} ratings"
        elif np.nanmean(curves.points) <= ZERO:
            reason = "the correlation is not positive, so more ratings do not raise it"
        else:
            reason = "fewer than three numbers of ratings do not determine a curve"
        return Attenuation(nan, nan, nan, np.full(k, nan), number, reason)
    r = np.arange(1, m + 1)
    described = r_squared(curves.points, limit * np.sqrt(r / (r + half)))
    return Attenuation(limit, half, float(described[0]), described[1:], number)


SPARED = 0.1
"""Share of items that may be left out so that the others can be read at more ratings."""


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """One measure with everyone's ratings and without the least reliable raters'.

    `everyone` and `without` are curves over the same r = 1 … m, m being what both allow; `raters` how many
    there are, `gone` how many of them went. `correlation` and `correlation_without` are the means over orders
    at m, `gain` their difference; NaN with a `reason` where not defined.
    """

    everyone: Curves
    without: Curves
    raters: int
    gone: int
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

    Both curves are read at equally many ratings per item, so that the gain is not one of numbers. It is a little too
    good, since the same ratings choose the raters; the reference is not looked at for that.
    Source: future work of Iskender et al. 2020, section 5.
    """
    spec = spec or RepetitionSpec()
    left, gone = drop_least_reliable_raters(ratings, share)
    known = rater_reliability(ratings)
    both, left = _on_items_with_enough(ratings, left, spec.repetitions)
    smallest = min((int(side.mos().counts.min()) for side in (both, left) if len(side)), default=1)
    order = (
        "within items" if spec.order == "by column" else spec.order
    )  # raters that go leave gaps in columns
    shared = replace(spec, order=order, repetitions=min(smallest, spec.repetitions or smallest))
    everyone, without = simulate(both, reference, shared), simulate(left, reference, shared)
    m = min(everyone.repetitions, without.repetitions)
    first, second = everyone.mean_at(m), without.mean_at(m)
    if gone == 0:
        reason = "too few raters share enough items to say who is unreliable"
    else:
        reason = everyone.reason or without.reason
    return Sensitivity(everyone, without, len(known.raters), gone, first, second, second - first, reason)


def _on_items_with_enough(
    ratings: Ratings, left: Ratings, repetitions: int | None
) -> tuple[Ratings, Ratings]:
    """Both sides on the items that keep as many ratings as 90% of the items do."""
    items, _, counts = left.mos()
    if len(items) == 0:
        return left, left
    every = np.zeros(len(ratings.mos().items), dtype=np.int64)
    every[: len(counts)] = counts
    enough = max(int(np.quantile(every, SPARED, method="lower")), 1)
    kept = items[counts >= min(enough, repetitions or enough)]
    return _of_items(ratings, kept), _of_items(left, kept)


def _of_items(ratings: Ratings, items: NDArray[Any]) -> Ratings:
    keep = np.isin(ratings.item, items)
    order = None if ratings.order is None else ratings.order[keep]
    return Ratings(ratings.item[keep], ratings.rater[keep], ratings.score[keep], order)


@dataclass(frozen=True)
class CostSpec:
    """The price list.

    Parameters
    ----------
    price : of one rating or one assignment, in any currency
    per : 'rating', or 'assignment' where one person rates all measures of an item at once for one price
    fixed : what does not depend on the number of ratings (qualification, set-up)
    seconds : that one rating (of one measure) takes; NaN where unknown

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

    `repetitions` (m,), `money` (m,) fixed cost included, `seconds` (m,) of all raters together, `saved` (m,)
    share of the whole cost of m, `saved_of_ratings` (m,) share without the fixed cost. NaN where the cost of
    m is 0 or the seconds are unknown.
    """

    repetitions: NDArray[np.int64]
    money: NDArray[np.float64]
    seconds: NDArray[np.float64]
    saved: NDArray[np.float64]
    saved_of_ratings: NDArray[np.float64]

    def below(self, amount: float) -> int:
        """Return the most ratings per item that cost less than an amount, 0 for none.

        >>> costs(50, 9, 24, CostSpec(price=1.2, fixed=82 * 1.2)).below(15 * 71)  # the paper's laboratory
        16
        """
        return int(np.count_nonzero(self.money < amount))


def costs(items: int, measures: int, repetitions: int, spec: CostSpec) -> Costs:
    """Return what a study costs with 1 … m ratings per item, and what that saves against m.

    Parameters
    ----------
    items : rated
    measures : rated on each item
    repetitions : m
    spec : the price list

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
    Not what they would have given up: see the curve.
    Source: Iskender et al. 2020, sections 3.2 and 5. The paper's 66% leaves out its 82 paid qualifications;
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


MOST_BY_CHANCE = 1.5
"""Ratings per time above which times are taken to be of assignments: equal whole seconds meet by chance too."""


@dataclass(frozen=True)
class Times:
    """The times in the data: their median, and how many ratings share one time."""

    median: float = nan
    ratings_per_time: float = 1.0

    @property
    def of_assignments(self) -> bool:
        """Return True where they are judged to be of whole assignments, repeated on each of its ratings."""
        return self.ratings_per_time >= MOST_BY_CHANCE

    def settled(self) -> "Times":
        """The same, where the import has settled that each time is of one rating."""
        return Times(self.median)

    def of_one_rating(self, of_assignments: bool) -> float:
        """Seconds that one rating takes; an assignment's are shared out over its ratings."""
        return self.median / self.ratings_per_time if of_assignments else self.median


def times_of(rater: ArrayLike, seconds: NDArray[np.float64], measures: float = 1.0) -> Times:
    """Times of one measure's ratings (N,), in their order, each repeated on so many measures."""
    known = seconds[np.isfinite(seconds)]
    if not len(known):
        return Times()
    return Times(float(np.median(known)), measures * ratings_per_time(rater, seconds))


def ratings_per_time(rater: ArrayLike, seconds: NDArray[np.float64]) -> float:
    """Return how many ratings share one time: rows (N,) by stretches of a rater's consecutive rows with equal seconds.

    Near 1 where each rating has its own time; the number of ratings in an assignment where its time is repeated
    on each of them. Rows must stand in the order in which they came. NaN where no time is known.

    >>> ratings_per_time([1, 1, 1, 2, 2, 2], np.array([60.0, 60, 60, 45, 45, 45]))
    3.0
    """
    who = np.unique(np.asarray(rater), return_inverse=True)[1]
    known = np.isfinite(seconds)
    who, times = who[known], seconds[known]
    if not len(times):
        return nan
    by_rater = np.argsort(who, kind="stable")
    who, times = who[by_rater], times[by_rater]
    starts = 1 + int(((who[1:] != who[:-1]) | (times[1:] != times[:-1])).sum())
    return len(times) / starts


def repeated(cells: NDArray[np.float64]) -> float:
    """Count equal rows (N, 3) of rater, item and seconds: near the number of measures where one time is of all.

    >>> repeated(np.array([[1, 1, 30.0], [1, 1, 30], [1, 2, 20], [1, 2, 20]]))
    2.0
    """
    known = cells[np.isfinite(cells[:, 2])]
    return len(known) / len(np.unique(known, axis=0)) if len(known) else 1.0
