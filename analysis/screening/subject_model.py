"""The subject model of ITU-T P.910 and P.913: bias and inconsistency of raters, and quality of items."""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special
from scipy.sparse import csgraph

from analysis.resampling.intervals import interval_from_error
from analysis.values.estimate import Codes, Counts, Floats, InputError
from analysis.values.ratings import Ratings, coded, sums_of_pairs


def means_by_code(code: Counts, values: Floats) -> Floats:
    """Return the mean of the values (N,) of each code."""
    counts = np.bincount(code)
    means: Floats = np.bincount(code, weights=values) / np.maximum(counts, 1)
    return means


def check_equal_length(**columns: ArrayLike) -> list[NDArray[Any]]:
    """Return the columns as arrays, or raise an error unless they are 1-d and equally long."""
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    lengths = {name: array.shape for name, array in arrays.items()}
    if len(set(lengths.values())) > 1 or any(len(shape) != 1 for shape in lengths.values()):
        shapes_text = ", ".join(f"`{name}` has shape {shape}" for name, shape in lengths.items())
        raise InputError(f"all arrays must be 1-d and equally long, one entry per rating; {shapes_text}")
    return list(arrays.values())


MOST_RATERS = 1_000
"""Largest number of raters for which variances are estimated."""
_MOST_STEPS = 2_000
_CONVERGENCE = 1e-10
_FLOOR = 1e-3


def noise_intervals(item: Codes, rater: Codes, score: Floats, w: int, level: float) -> tuple[Floats, Floats]:
    """Return bounds (w,) of the standard deviation of each rater's noise, NaN where it is not identified.

    Source: Grubbs 1948, "On estimating precision of measuring instruments and product variability"; Satterthwaite 1946.
    """
    none = np.full(w, np.nan)
    if w > MOST_RATERS or not len(score):
        return none, none
    n = int(item.max()) + 1
    design = sparse.csr_array((np.ones(len(item)), (item, rater)), shape=(n, w))
    per_item = np.maximum(np.bincount(item, minlength=n), 1)
    per_rater = np.bincount(rater, minlength=w)
    has_several = per_rater > 1
    residual = _residuals(item, rater, score, per_item, np.maximum(per_rater, 1))
    squares = np.bincount(rater, residual**2, w) / np.where(has_several, 1 - 1 / np.maximum(per_rater, 2), 1)
    inverse = 1 / per_item
    share = _shared_item_sums(design, inverse**2)
    equations = share + np.diag(np.asarray(design.T @ (1 - 2 * inverse)))
    values, vectors = np.linalg.eigh(equations)
    is_null = values <= 1e-9 * max(float(values[-1]), 1.0)
    is_identified = has_several & (np.abs(vectors[:, is_null]) < 1e-7).all(axis=1)
    inverse_equations = (vectors[:, ~is_null] / values[~is_null]) @ vectors[:, ~is_null].T
    variance = inverse_equations @ squares
    plausible = np.maximum(
        variance, _FLOOR * max(float(variance[is_identified].mean()), 0.0) if is_identified.any() else 0.0
    )
    covariance = (
        inverse_equations @ _squares_covariance(design, plausible, inverse, share) @ inverse_equations
    )
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    degrees = np.maximum(2 * plausible**2 / np.where(error > 0, error**2, np.inf), 1.0)
    low, high = (
        np.sqrt(plausible * degrees / special.chdtri(degrees, 0.5 + side * level / 2)) for side in (-1, 1)
    )
    return np.where(is_identified & (error > 0), low, np.nan), np.where(
        is_identified & (error > 0), high, np.nan
    )


def _residuals(item: Codes, rater: Codes, score: Floats, per_item: Codes, per_rater: Codes) -> Floats:
    """Fit score = item + rater by least squares."""
    bias = np.zeros(len(per_rater))
    sd = float(score.std())
    for _ in range(_MOST_STEPS):
        quality = np.bincount(item, score - bias[rater], len(per_item)) / per_item
        before, bias = bias, np.bincount(rater, score - quality[item], len(per_rater)) / per_rater
        if np.abs(bias - before).max() <= _CONVERGENCE * sd:
            break
    return np.asarray(score - quality[item] - bias[rater])


def _shared_item_sums(incidence: sparse.csr_array, weight: Floats) -> Floats:
    """Return sums (w, w) of the weights (n,) of the items that two raters both rated."""
    return np.asarray((incidence.T @ (incidence * weight[:, None])).toarray(), dtype=np.float64)


def _squares_covariance(
    incidence: sparse.csr_array, variance: Floats, inverse: Floats, share: Floats
) -> Floats:
    """Return covariances (w, w) of the raters' sums of squares: twice the squared covariances of their residuals.

    `share` (w, w) are the sums of `inverse` squared over the items that two raters both rated.
    """
    item_variance = np.asarray(incidence @ variance) * inverse**2
    pair = variance[:, None] + variance
    covariance = (
        _shared_item_sums(incidence, item_variance**2)
        - 2 * pair * _shared_item_sums(incidence, item_variance * inverse)
        + pair**2 * share
    )
    own_weight = 1 - 2 * inverse
    diagonal = (
        incidence.T @ item_variance**2
        + 2 * variance * (incidence.T @ (item_variance * own_weight))
        + variance**2 * (incidence.T @ own_weight**2)
    )
    np.fill_diagonal(covariance, diagonal)
    return np.asarray(2 * covariance)


@dataclass(frozen=True, eq=False)
class Bias:
    """Mean deviation of each rater from the items' MOS.

    `raters` (w,), `bias`, `low`, `high` (w,), `ratings` (w,) numbers of ratings of items with other raters. NaN
    without any; the interval is NaN for a single one.
    """

    raters: NDArray[Any]
    bias: Floats
    low: Floats
    high: Floats
    ratings: Counts


def bias(ratings: Ratings, level: float = 0.95) -> Bias:
    """Estimate the mean deviation of each rater's scores from the MOS of the items rated.

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
    A rater's own scores are part of the MOS, as in P.913, so that on items with few ratings the bias is too small
    (halved with two). Items without other raters are excluded. The interval is Student's t over the rater's deviations,
    for these items.
    Source: ITU-T P.913 (2021), 12.4 (subject bias).

    >>> bias(Ratings([1, 1, 2, 2], ["a", "b", "a", "b"], [3, 4, 1, 2])).bias
    array([-0.5,  0.5])
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    _, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    w = len(raters)
    has_others = np.bincount(sums_of_pairs(item, rater, ratings.score)[0])[item] > 1
    shared_rater, deviation = (
        rater[has_others],
        (ratings.score - means_by_code(item, ratings.score)[item])[has_others],
    )
    count = np.bincount(shared_rater, minlength=w)
    mean = np.divide(
        np.bincount(shared_rater, weights=deviation, minlength=w), count, out=np.full(w, nan), where=count > 0
    )
    squares = np.bincount(shared_rater, weights=(deviation - mean[shared_rater]) ** 2, minlength=w)
    degrees = np.maximum(count - 1, 1)
    error = np.where(count > 1, np.sqrt(squares / degrees / np.maximum(count, 1)), nan)
    return Bias(raters, mean, *interval_from_error(mean, error, level, degrees), count)


MOST_ITERATIONS = 1000
CONVERGENCE = 1e-8
"""Convergence tolerance: largest change of a quality, in standard deviations of the scores."""
SMALLEST_INCONSISTENCY = 0.3
"""Smallest inconsistency in the weights, as a share of the residual SD with equal weights of all raters."""
SINGLE_RATING = "one rating cannot separate bias from inconsistency"
NO_SHARED_ITEMS = "shares no items with other raters, so its bias cannot be separated from the items' quality"
AT_FLOOR = "stays so close to the estimated quality that the weight is held at the largest allowed"


@dataclass(frozen=True, eq=False)
class SubjectModel:
    """Quality of items, bias of raters, and inconsistency of raters with its interval.

    `items` (n,), `quality` (n,); `raters` (w,), `bias`, `inconsistency`, `inconsistency_low`, `inconsistency_high`
    (w,), `rater_reasons` (w,) sentences for undefined or bounded figures. `iterations`, `converged`; all NaN with a
    `reason` without enough data.
    """

    items: NDArray[Any]
    quality: Floats
    raters: NDArray[Any]
    bias: Floats
    inconsistency: Floats
    inconsistency_low: Floats
    inconsistency_high: Floats
    rater_reasons: tuple[str, ...]
    iterations: int
    converged: bool
    reason: str = ""


def subject_model(
    ratings: Ratings,
    level: float = 0.95,
    on_progress: Callable[[float], object] | None = None,
) -> SubjectModel:
    """Fit score = quality of the item + bias of the rater + N(0, inconsistency of the rater²) by maximum likelihood.

    Parameters
    ----------
    ratings : N ratings of n items by w raters; gaps and repeated ratings are fine
    level : of the intervals
    on_progress : called between iterations with the share of the maximum number of iterations

    Returns
    -------
    SubjectModel
        arrays (n,) and (w,).

    Raises
    ------
    InputError
        for a level outside 0 … 1.

    Notes
    -----
    Not for raters with few ratings each, nor where raters use different parts of the scale.
    Biases have mean 0 over the raters of a group that shares items. Raters with one rating (whose bias is still
    estimated from the others' quality) and raters without shared items are excluded from the fit; an item that only
    they rated has no quality.
    The likelihood is unbounded: it diverges where one rater's inconsistency goes to 0 and this rater's scores become
    the quality, which happens with few ratings per item. Weights therefore use an inconsistency of at least 30% of the
    residual SD of the fit with equal weights (a departure from Annex E, without effect above it), and the estimate is
    the local maximum near that fit.
    Intervals of the inconsistency (`noise_intervals`) may reach far above the estimate, which is too small with few
    raters.
    Source: ITU-T P.910 (2022), Annex E (alternating projection); Li, Bampis et al. 2020, "A simple model for
    subject behavior in subjective experiments", sections 4 and 5.
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    items, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    n, w = len(items), len(raters)
    rating_counts = np.bincount(rater, minlength=w)
    reasons = np.where(rating_counts < 2, SINGLE_RATING, "").astype(object)
    reason = _insufficient_data_reason(n, w, rating_counts)
    is_used = rating_counts[rater] > 1
    group, is_unconnected = _connected_groups(item[is_used], rater[is_used], n, w)
    reasons[is_unconnected & (rating_counts > 1)] = NO_SHARED_ITEMS
    is_used &= ~is_unconnected[rater]
    if not reason and not is_used.any():
        reason = "no two raters with several ratings share items"
    if not reason and np.ptp(ratings.score[is_used]) == 0:
        reason = "all scores are equal"
    if reason:
        all_reasons = tuple(str(rater_reason) or reason for rater_reason in reasons)
        return _undefined(items, raters, all_reasons, reason)
    centre = float(ratings.score[is_used].mean())
    score = ratings.score[is_used] - centre
    quality, bias, floor, iterations, converged = _fit_subject_model(
        item[is_used], rater[is_used], score, n, w, on_progress
    )
    fitted = np.flatnonzero(~np.isnan(bias))
    shift = _divide(
        np.bincount(group[fitted], weights=bias[fitted], minlength=w + n),
        np.bincount(group[fitted], minlength=w + n),
        0.0,
    )
    bias -= shift[group[:w]]
    quality += shift[group[w:]]
    residual = score - quality[item[is_used]] - bias[rater[is_used]]
    degrees = np.bincount(rater[is_used], minlength=w).astype(np.float64)
    variance = _divide(np.bincount(rater[is_used], weights=residual**2, minlength=w), degrees)
    inconsistency = np.sqrt(variance)
    reasons[inconsistency < floor] = AT_FLOOR
    has_single_rating = (rating_counts[rater] == 1) & ~np.isnan(quality[item])
    bias[rater[has_single_rating]] = (
        ratings.score[has_single_rating] - centre - quality[item[has_single_rating]]
    )
    low, high = noise_intervals(item[is_used], rater[is_used], score, w, level)
    return SubjectModel(
        items,
        quality + centre,
        raters,
        bias,
        inconsistency,
        np.minimum(low, inconsistency),
        np.maximum(high, inconsistency),
        tuple(str(rater_reason) for rater_reason in reasons),
        iterations,
        converged,
        "" if converged else f"the fit still moved after {iterations} iterations",
    )


def _insufficient_data_reason(n: int, w: int, rating_counts: NDArray[np.int64]) -> str:
    if not n:
        return "no ratings"
    if w < 2:
        return "one rater alone cannot separate bias and inconsistency from the items' quality"
    if n < 2:
        return "one item alone cannot separate a rater's bias from inconsistency"
    if rating_counts.max() < 2:
        return "every rater gave one rating only, which cannot separate bias from inconsistency"
    return ""


def _undefined(
    items: NDArray[Any], raters: NDArray[Any], reasons: tuple[str, ...], reason: str
) -> SubjectModel:
    q, b = np.full(len(items), np.nan), np.full(len(raters), np.nan)
    return SubjectModel(items, q, raters, b, b, b, b, reasons, 0, False, reason)


def _connected_groups(
    item: NDArray[np.int64], rater: NDArray[np.int64], n: int, w: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the connected group of each rater and item (w + n,), and a mask of raters without other raters or with
    one item (w,)."""
    graph = sparse.coo_array((np.ones(len(item), dtype=np.int8), (rater, w + item)), shape=(w + n, w + n))
    count, labels = csgraph.connected_components(graph, directed=False)
    group = labels.astype(np.int64)
    is_sufficient = (np.bincount(group[:w], minlength=count) > 1) & (
        np.bincount(group[w:], minlength=count) > 1
    )
    return group, ~is_sufficient[group[:w]]


def _fit_subject_model(
    item: NDArray[np.int64],
    rater: NDArray[np.int64],
    score: Floats,
    n: int,
    w: int,
    on_progress: Callable[[float], object] | None,
) -> tuple[Floats, Floats, float, int, bool]:
    """Return qualities (n,) and biases (w,), NaN without ratings; the smallest inconsistency; iterations;
    convergence."""
    # The first fit has equal weights, so that neither the start nor the smallest inconsistency depends on biases.
    counts = sparse.csr_array((np.ones(len(item)), (item, rater)), shape=(n, w))
    sums = sparse.csr_array((score, (item, rater)), shape=(n, w))
    by_rater, sums_by_rater = counts.T.tocsr(), sums.T.tocsr()
    item_count, rater_count = np.bincount(item, minlength=n), np.bincount(rater, minlength=w)
    rater_sum, squares = (np.bincount(rater, weights=x, minlength=w) for x in (score, score**2))
    standard_deviation = float(score.std())
    quality = _divide(np.bincount(item, weights=score, minlength=n), item_count, 0.0)
    bias = _divide(rater_sum - by_rater @ quality, rater_count, 0.0)
    weight, floor = (rater_count > 0).astype(np.float64), 0.0
    iterations, has_converged = 0, False
    while not (has_converged and floor) and iterations < MOST_ITERATIONS:
        if has_converged or floor:
            residual_squares = (
                squares - 2 * (sums_by_rater @ quality) + by_rater @ quality**2 - rater_count * bias**2
            )
            floor = floor or max(
                SMALLEST_INCONSISTENCY * float(np.sqrt(max(residual_squares.sum(), 0.0) / len(score))),
                1e-6 * standard_deviation,
            )
            weight = np.where(
                rater_count > 0, 1 / np.maximum(_divide(residual_squares, rater_count, 0.0), floor**2), 0.0
            )
        previous = quality
        quality = _divide(sums @ weight - counts @ (weight * bias), np.asarray(counts @ weight), 0.0)
        bias = _divide(rater_sum - by_rater @ quality, rater_count, 0.0)
        iterations += 1
        has_converged = float(np.abs(quality - previous).max()) <= CONVERGENCE * standard_deviation
        if on_progress is not None:
            on_progress(iterations / MOST_ITERATIONS)
    quality[item_count == 0] = np.nan
    bias[rater_count == 0] = np.nan
    return quality, bias, floor, iterations, has_converged


def _divide(total: Any, count: NDArray[Any], otherwise: float = np.nan) -> Any:
    """Divide total by count, with a default value where the count is 0."""
    return np.divide(total, count, out=np.full(len(total), otherwise), where=count > 0)
