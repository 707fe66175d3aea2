"""Columns of ratings: checked to be equally long, and averaged by a code."""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special
from scipy.sparse import csgraph

from analysis.resampling.intervals import interval_from_error
from analysis.values.estimate import Codes, Counts, Floats, InputError
from analysis.values.ratings import Ratings, coded, sums_of_pairs


def means_by(code: Counts, values: Floats) -> Floats:
    """The mean of the values (N,) of each code."""
    counts = np.bincount(code)
    means: Floats = np.bincount(code, weights=values) / np.maximum(counts, 1)
    return means


def equally_long(**columns: ArrayLike) -> list[NDArray[Any]]:
    """The columns as arrays, if they are 1-d and equally long."""
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    lengths = {name: array.shape for name, array in arrays.items()}
    if len(set(lengths.values())) > 1 or any(len(shape) != 1 for shape in lengths.values()):
        told = ", ".join(f"`{name}` has shape {shape}" for name, shape in lengths.items())
        raise InputError(f"all arrays must be 1-d and equally long, one entry per rating; {told}")
    return list(arrays.values())


MOST_RATERS = 1_000
"""Raters up to whom everyone's variance is solved for."""
_MOST_STEPS = 2_000
_STILL = 1e-10
_FLOOR = 1e-3


def noise_intervals(item: Codes, rater: Codes, score: Floats, w: int, level: float) -> tuple[Floats, Floats]:
    """End (w,) for the standard deviation of each rater's noise, NaN where it cannot be separated from others' noise.

    Source: Grubbs 1948, "On estimating precision of measuring instruments and product variability"; Satterthwaite 1946.
    """
    none = np.full(w, np.nan)
    if w > MOST_RATERS or not len(score):
        return none, none
    n = int(item.max()) + 1
    given = sparse.csr_array((np.ones(len(item)), (item, rater)), shape=(n, w))
    per_item = np.maximum(np.bincount(item, minlength=n), 1)
    per_rater = np.bincount(rater, minlength=w)
    several = per_rater > 1
    residual = _residuals(item, rater, score, per_item, np.maximum(per_rater, 1))
    squares = np.bincount(rater, residual**2, w) / np.where(several, 1 - 1 / np.maximum(per_rater, 2), 1)
    inverse = 1 / per_item
    share = _together(given, inverse**2)
    equations = share + np.diag(np.asarray(given.T @ (1 - 2 * inverse)))
    values, vectors = np.linalg.eigh(equations)
    free = values <= 1e-9 * max(float(values[-1]), 1.0)
    known = several & (np.abs(vectors[:, free]) < 1e-7).all(axis=1)
    solved = (vectors[:, ~free] / values[~free]) @ vectors[:, ~free].T
    variance = solved @ squares
    plausible = np.maximum(variance, _FLOOR * max(float(variance[known].mean()), 0.0) if known.any() else 0.0)
    spread = solved @ _covariances(given, plausible, inverse, share) @ solved
    error = np.sqrt(np.maximum(np.diag(spread), 0.0))
    degrees = np.maximum(2 * plausible**2 / np.where(error > 0, error**2, np.inf), 1.0)
    low, high = (
        np.sqrt(plausible * degrees / special.chdtri(degrees, 0.5 + side * level / 2)) for side in (-1, 1)
    )
    return np.where(known & (error > 0), low, np.nan), np.where(known & (error > 0), high, np.nan)


def _residuals(item: Codes, rater: Codes, score: Floats, per_item: Codes, per_rater: Codes) -> Floats:
    """Fit score = item + rater by least squares."""
    bias = np.zeros(len(per_rater))
    spread = float(score.std())
    for _ in range(_MOST_STEPS):
        quality = np.bincount(item, score - bias[rater], len(per_item)) / per_item
        before, bias = bias, np.bincount(rater, score - quality[item], len(per_rater)) / per_rater
        if np.abs(bias - before).max() <= _STILL * spread:
            break
    return np.asarray(score - quality[item] - bias[rater])


def _together(given: sparse.csr_array, weight: Floats) -> Floats:
    """(w, w) sums of the weights (n,) of the items that two raters both rated."""
    return np.asarray((given.T @ (given * weight[:, None])).toarray(), dtype=np.float64)


def _covariances(given: sparse.csr_array, variance: Floats, inverse: Floats, share: Floats) -> Floats:
    """(w, w) of the raters' sums of squares: twice the squared covariances of their residuals, over items.

    `share` (w, w) are the sums of `inverse` squared over the items that two raters both rated.
    """
    of_items = np.asarray(given @ variance) * inverse**2
    pair = variance[:, None] + variance
    both = _together(given, of_items**2) - 2 * pair * _together(given, of_items * inverse) + pair**2 * share
    alone = 1 - 2 * inverse
    own = (
        given.T @ of_items**2
        + 2 * variance * (given.T @ (of_items * alone))
        + variance**2 * (given.T @ alone**2)
    )
    np.fill_diagonal(both, own)
    return np.asarray(2 * both)


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
    """Return how much each rater's scores lie above or below the MOS of the items rated.

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
    A rater's own scores count in the MOS, as P.913 has it, so on items with few ratings the bias comes out too small
    (halved with two). Items that nobody else rated say nothing and do not count. The interval is Student's t
    over the rater's deviations, for these items.
    Source: ITU-T P.913 (2021), 12.4 (subject bias).

    >>> bias(Ratings([1, 1, 2, 2], ["a", "b", "a", "b"], [3, 4, 1, 2])).bias
    array([-0.5,  0.5])
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    _, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    w = len(raters)
    shared = np.bincount(sums_of_pairs(item, rater, ratings.score)[0])[item] > 1
    who, deviation = rater[shared], (ratings.score - means_by(item, ratings.score)[item])[shared]
    count = np.bincount(who, minlength=w)
    mean = np.divide(
        np.bincount(who, weights=deviation, minlength=w), count, out=np.full(w, nan), where=count > 0
    )
    squares = np.bincount(who, weights=(deviation - mean[who]) ** 2, minlength=w)
    degrees = np.maximum(count - 1, 1)
    error = np.where(count > 1, np.sqrt(squares / degrees / np.maximum(count, 1)), nan)
    return Bias(raters, mean, *interval_from_error(mean, error, level, degrees), count)


QualitySpread = Literal["raters", "items"]

MOST_ITERATIONS = 1000
STILL = 1e-8
"""Largest change of a quality, in standard deviations of the scores, at which the fit has converged."""
FLOOR = 0.3
"""Least inconsistency a rater is weighted by, as a share of the residual SD with all raters weighted alike."""
SINGLE = "one rating does not tell bias from inconsistency"
ALONE = "shares no items with other raters, so its bias cannot be separated from the items' quality"
EXACT = "stays so close to the estimated quality that the weight is held at the largest allowed"


@dataclass(frozen=True, eq=False)
class SubjectModel:
    """Quality of items; bias and inconsistency of raters; each with its interval.

    `items` (n,), `quality`, `quality_low`, `quality_high` (n,), `item_ratings` (n,) counts of ratings used;
    `raters` (w,), `bias`, `bias_low`, `bias_high`, `inconsistency`, `inconsistency_low`,
    `inconsistency_high` (w,), `rater_ratings` (w,) counts, `rater_reasons` (w,) sentences where something is
    undefined or held. `groups` sets of raters that share items: biases compare within one only. `iterations`,
    `converged`; everything NaN with a `reason` where there is nothing to fit.
    """

    items: NDArray[Any]
    quality: Floats
    quality_low: Floats
    quality_high: Floats
    item_ratings: NDArray[np.int64]
    raters: NDArray[Any]
    bias: Floats
    bias_low: Floats
    bias_high: Floats
    inconsistency: Floats
    inconsistency_low: Floats
    inconsistency_high: Floats
    rater_ratings: NDArray[np.int64]
    rater_reasons: tuple[str, ...]
    groups: int
    iterations: int
    converged: bool
    reason: str = ""


def subject_model(
    ratings: Ratings,
    quality_spread: QualitySpread = "raters",
    level: float = 0.95,
    on_progress: Callable[[float], object] | None = None,
) -> SubjectModel:
    """Maximum likelihood of score = quality of the item + bias of the rater + N(0, inconsistency of the rater²).

    Parameters
    ----------
    ratings : N ratings of n items by w raters; gaps and repeated ratings are fine
    quality_spread : what an item's interval rests on. "raters": the inconsistencies of those who rated it,
        1 / sqrt(sum of 1 / inconsistency²), the Fisher information. "items": the SD of the item's own
        residuals over the root of their number, as Annex E has it; not for items with few ratings, whose
        residuals have hardly any SD
    level : of the intervals
    on_progress : called between iterations with the share of the most iterations

    Returns
    -------
    SubjectModel
        arrays (n,) and (w,).

    Raises
    ------
    InputError
        for a level outside 0 … 1 or an unknown `quality_spread`.

    Notes
    -----
    Not for raters with a handful of ratings each, nor where raters use different parts of the scale.
    Biases average 0 over the raters of a group that shares items. Left out of the fit: raters with one rating
    (their bias is still told against the others' quality) and raters who share no item with others; an item
    that only they rated has no quality.
    The likelihood has no maximum, as it grows without end when one rater's inconsistency goes to 0 and this
    rater's scores become the quality; with few ratings per item the fit does run there. So a rater is weighted
    as if the inconsistency were at least 30% of the residual SD of the fit with equal weights (a departure
    from Annex E, without effect where all are above it), and the estimate is the local maximum next to that fit.
    Intervals of qualities and biases take the other parameters as known, so they are too narrow where ratings are few:
    the bias's is inconsistency / sqrt(ratings). Those of the inconsistency are
    `analysis.screening.subject_model`'s and may reach far above the estimate, which says too little with few raters.
    Source: ITU-T P.910 (2022), Annex E (alternating projection); Li, Bampis et al. 2020, "A simple model for
    subject behavior in subjective experiments", sections 4 and 5.
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    if quality_spread not in ("raters", "items"):
        raise InputError(f'`quality_spread` must be "raters" or "items", got "{quality_spread}"')
    items, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    n, w = len(items), len(raters)
    given = np.bincount(rater, minlength=w)
    reasons = np.where(given < 2, SINGLE, "").astype(object)
    reason = _nothing_to_fit(n, w, given)
    used = given[rater] > 1
    group, alone = _groups(item[used], rater[used], n, w)
    reasons[alone & (given > 1)] = ALONE
    used &= ~alone[rater]
    if not reason and not used.any():
        reason = "no two raters with several ratings share items"
    if not reason and np.ptp(ratings.score[used]) == 0:
        reason = "all scores are equal"
    if reason:
        told = tuple(str(why) or reason for why in reasons)
        return _undefined(items, np.bincount(item, minlength=n), raters, given, told, reason)
    centre = float(ratings.score[used].mean())
    score = ratings.score[used] - centre
    quality, bias, floor, iterations, converged = _fitted(item[used], rater[used], score, n, w, on_progress)
    fitted = np.flatnonzero(~np.isnan(bias))
    shift = _per(
        np.bincount(group[fitted], weights=bias[fitted], minlength=w + n),
        np.bincount(group[fitted], minlength=w + n),
        0.0,
    )
    bias -= shift[group[:w]]
    quality += shift[group[w:]]
    residual = score - quality[item[used]] - bias[rater[used]]
    degrees = np.bincount(rater[used], minlength=w).astype(np.float64)
    variance = _per(np.bincount(rater[used], weights=residual**2, minlength=w), degrees)
    inconsistency = np.sqrt(variance)
    reasons[inconsistency < floor] = EXACT
    quality_error = _quality_error(quality_spread, item[used], rater[used], residual, variance, floor, n)
    bias_error = inconsistency / np.sqrt(np.maximum(degrees, 1))
    single = (given[rater] == 1) & ~np.isnan(quality[item])
    bias[rater[single]] = ratings.score[single] - centre - quality[item[single]]
    low, high = noise_intervals(item[used], rater[used], score, w, level)
    return SubjectModel(
        items,
        quality + centre,
        *interval_from_error(quality + centre, quality_error, level),
        np.bincount(item[used], minlength=n),
        raters,
        bias,
        *interval_from_error(bias, bias_error, level),
        inconsistency,
        np.minimum(low, inconsistency),
        np.maximum(high, inconsistency),
        given,
        tuple(str(why) for why in reasons),
        len(np.unique(group[fitted])),
        iterations,
        converged,
        "" if converged else f"the fit still moved after {iterations} iterations",
    )


def _nothing_to_fit(n: int, w: int, given: NDArray[np.int64]) -> str:
    if not n:
        return "no ratings"
    if w < 2:
        return "one rater alone does not tell bias and inconsistency from the items' quality"
    if n < 2:
        return "one item alone does not tell a rater's bias from inconsistency"
    if given.max() < 2:
        return "every rater gave one rating only, which does not tell bias from inconsistency"
    return ""


def _undefined(
    items: NDArray[Any],
    item_ratings: NDArray[np.int64],
    raters: NDArray[Any],
    given: NDArray[np.int64],
    reasons: tuple[str, ...],
    reason: str,
) -> SubjectModel:
    q, b = np.full(len(items), np.nan), np.full(len(raters), np.nan)
    return SubjectModel(
        items, q, q, q, item_ratings, raters, b, b, b, b, b, b, given, reasons, 0, 0, False, reason
    )


def _groups(
    item: NDArray[np.int64], rater: NDArray[np.int64], n: int, w: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return which raters and items hang together (w + n,), and which raters have no companion or one item (w,)."""
    links = sparse.coo_array((np.ones(len(item), dtype=np.int8), (rater, w + item)), shape=(w + n, w + n))
    count, labels = csgraph.connected_components(links, directed=False)
    group = labels.astype(np.int64)
    enough = (np.bincount(group[:w], minlength=count) > 1) & (np.bincount(group[w:], minlength=count) > 1)
    return group, ~enough[group[:w]]


def _fitted(
    item: NDArray[np.int64],
    rater: NDArray[np.int64],
    score: Floats,
    n: int,
    w: int,
    on_progress: Callable[[float], object] | None,
) -> tuple[Floats, Floats, float, int, bool]:
    """Qualities (n,) and biases (w,), NaN where there are no ratings; the least inconsistency; iterations;
    whether they stand still."""
    # First all raters are weighted alike, so that neither the start nor the least inconsistency depends on
    # their biases.
    counts = sparse.csr_array((np.ones(len(item)), (item, rater)), shape=(n, w))
    sums = sparse.csr_array((score, (item, rater)), shape=(n, w))
    by_rater, sums_by_rater = counts.T.tocsr(), sums.T.tocsr()
    item_count, rater_count = np.bincount(item, minlength=n), np.bincount(rater, minlength=w)
    rater_sum, squares = (np.bincount(rater, weights=x, minlength=w) for x in (score, score**2))
    spread = float(score.std())
    quality = _per(np.bincount(item, weights=score, minlength=n), item_count, 0.0)
    bias = _per(rater_sum - by_rater @ quality, rater_count, 0.0)
    weight, floor = (rater_count > 0).astype(np.float64), 0.0
    iterations, still = 0, False
    while not (still and floor) and iterations < MOST_ITERATIONS:
        if still or floor:
            rest = squares - 2 * (sums_by_rater @ quality) + by_rater @ quality**2 - rater_count * bias**2
            floor = floor or max(FLOOR * float(np.sqrt(max(rest.sum(), 0.0) / len(score))), 1e-6 * spread)
            weight = np.where(rater_count > 0, 1 / np.maximum(_per(rest, rater_count, 0.0), floor**2), 0.0)
        before = quality
        quality = _per(sums @ weight - counts @ (weight * bias), np.asarray(counts @ weight), 0.0)
        bias = _per(rater_sum - by_rater @ quality, rater_count, 0.0)
        iterations += 1
        still = float(np.abs(quality - before).max()) <= STILL * spread
        if on_progress is not None:
            on_progress(iterations / MOST_ITERATIONS)
    quality[item_count == 0] = np.nan
    bias[rater_count == 0] = np.nan
    return quality, bias, floor, iterations, still


def _quality_error(
    spread: QualitySpread,
    item: NDArray[np.int64],
    rater: NDArray[np.int64],
    residual: Floats,
    variance: Floats,
    floor: float,
    n: int,
) -> Floats:
    if spread == "raters":
        information = np.bincount(item, weights=1 / np.maximum(variance[rater], floor**2), minlength=n)
        known: Floats = np.sqrt(_per(np.ones(n), information))
        return known
    count = np.bincount(item, minlength=n)
    mean: Floats = _per(np.bincount(item, weights=residual, minlength=n), count)
    squares = np.bincount(item, weights=(residual - mean[item]) ** 2, minlength=n)
    error: Floats = np.sqrt(_per(squares, count**2))
    return error


def _per(total: Any, count: NDArray[Any], otherwise: float = np.nan) -> Any:
    """total / count, with its own value where there is nothing to divide by."""
    return np.divide(total, count, out=np.full(len(total), otherwise), where=count > 0)
