"""Tests of the difference in level of two groups: over items and raters, permutation, Mann-Whitney and Wilcoxon."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, inf, isnan, nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.comparison.clusters import clustered_variance
from analysis.comparison.variance_components import ItemPairs, TwoWayVariance
from analysis.correlation.rank_rows import midranks
from analysis.resampling.intervals import interval_from_error, jackknife_variance
from analysis.resampling.pigeonhole import RatingMatrix
from analysis.values.estimate import ALTERNATIVES, Alternative, Floats, InputError, OnProgress, student_p
from analysis.values.ratings import settle

Test = Literal["raters", "items", "Mann-Whitney", "Wilcoxon"]


NO_SPREAD = "all differences are equal, so chance has no size"
TESTS: tuple[Test, ...] = ("raters", "items", "Mann-Whitney", "Wilcoxon")


@dataclass(frozen=True)
class Tails:
    """The p of one test under each alternative; NaN where the test is undefined.

    Notes
    -----
    "less" and "greater" are about the candidate, compared on (n,) items. Source: methods, section 1.
    """

    two_sided: float = nan
    less: float = nan
    greater: float = nan

    @property
    def defined(self) -> bool:
        """Return True where the test has a p."""
        return not isnan(self.two_sided)

    def of(self, alternative: Alternative) -> float:
        """The p under one alternative, a number, not an array (n,)."""
        return {"two-sided": self.two_sided, "less": self.less, "greater": self.greater}[alternative]


def mann_whitney_p(u: float, n_candidate: int, n_reference: int, tie_term: float = 0.0) -> Tails:
    """Compute p of a Mann-Whitney U by the normal approximation with continuity and tie correction.

    Parameters
    ----------
    u : of the candidate: pairs in which the candidate is higher, ties counting half
    n_candidate, n_reference : items of each, ranked together as (n,) values
    tie_term : sum of t³ - t over groups of t equal values

    Returns
    -------
    Tails
        NaN where there is nothing to compare or all values are equal.

    Raises
    ------
    InputError
        where U does not lie between 0 and n_candidate · n_reference.

    Notes
    -----
    For these raters only: it treats items as independent and as unpaired. A paper's U is often the smaller of the two;
    its one-sided p is then `.less`.
    Source: Mann & Whitney 1947; Iskender et al. 2020, Table 1 (one-sided); methods: section 1.

    >>> round(mann_whitney_p(985.0, 50, 50).less, 3), round(mann_whitney_p(985.0, 50, 50).two_sided, 3)
    (0.034, 0.068)
    """
    max_u = n_candidate * n_reference
    if not 0 <= u <= max_u:
        raise InputError(
            f"`u` must lie between 0 and {max_u} for {n_candidate} and {n_reference} items, got {u}"
        )
    n = n_candidate + n_reference
    if max_u == 0:
        return Tails()
    variance = max_u / 12 * (n + 1 - tie_term / (n * (n - 1)))
    if variance <= 0:
        return Tails()

    def above(value: float) -> float:
        return float(special.ndtr(-(value - max_u / 2 - 0.5) / sqrt(variance)))

    return Tails(min(1.0, 2 * above(max(u, max_u - u))), above(max_u - u), above(u))


def level_tails(difference: float, error: TwoWayVariance | None, units: str) -> tuple[Tails, str]:
    """Test the mean difference of MOS by its error over items (and raters); return p and the test's name or reason.

    The interval of the mean difference is the same model's: it holds 0 just where p is above its level.
    """
    if error is None:
        return Tails(), "it needs at least 2 shared items"
    if error.reason:
        return Tails(), error.reason
    if error.error == 0:
        return Tails(), NO_SPREAD
    t = difference / error.error
    p = [student_p(t, error.degrees, alternative) for alternative in ALTERNATIVES]
    variance = "two-way variance" if "and" in units else "variance"
    return Tails(*p), f"t test on the {variance} over {units}, {error.degrees:.0f} degrees of freedom"


def mann_whitney(mos_candidate: Floats, mos_reference: Floats) -> tuple[float, Tails]:
    """U of the first side's MOS (n,) over the second's, and its p, exact for up to 25 items, ties included."""
    n = len(mos_candidate)
    if n == 0:
        return nan, Tails()
    scores = _settle_both(mos_candidate, mos_reference).ravel()
    ranks = midranks(scores[None])[0]
    u = float(ranks[:n].sum()) - n * (n + 1) / 2
    if n > _MOST_EXACT_U:
        ties = np.unique(scores, return_counts=True)[1].astype(np.float64)
        return u, mann_whitney_p(u, n, n, float((ties**3 - ties).sum()))
    if not np.ptp(scores):
        return u, Tails()
    doubled = np.rint(2 * ranks).astype(np.int64)
    distribution = np.zeros((n + 1, int(doubled.sum()) + 1))
    distribution[0, 0] = 1.0
    for rank in doubled.tolist():
        chosen = np.zeros_like(distribution)
        chosen[1:, rank:] = distribution[:-1, : distribution.shape[1] - rank]
        distribution = (distribution + chosen) / 2
    return u, _exact_tails(distribution[n] / distribution[n].sum(), int(doubled[:n].sum()))


def wilcoxon(mos_candidate: Floats, mos_reference: Floats) -> tuple[float, Tails]:
    """Sum of the ranks of the differences of MOS (n,) in which the first side is higher, and its p.

    Exact for up to 50 items, ties included; items without a difference do not count (Wilcoxon 1945).
    """
    candidate, reference = _settle_both(mos_candidate, mos_reference)
    step = _COARSER * float(np.abs([candidate, reference]).max(initial=0.0))
    difference = np.rint((candidate - reference) / step) * step if step else candidate - reference
    nonzero = difference[difference != 0]
    if not len(nonzero):
        return nan, Tails()
    size = np.abs(nonzero)
    ranks = midranks(size[None])[0]
    higher = float(ranks[nonzero > 0].sum())
    if len(difference) <= _MOST_EXACT_W:
        doubled = np.rint(2 * ranks).astype(np.int64)
        distribution = np.zeros(int(doubled.sum()) + 1)
        distribution[0] = 1.0
        for rank in doubled.tolist():
            shifted = np.zeros_like(distribution)
            shifted[rank:] = distribution[: len(distribution) - rank]
            distribution = (distribution + shifted) / 2
        return higher, _exact_tails(distribution, round(2 * higher))
    n = len(nonzero)
    ties = np.unique(size, return_counts=True)[1].astype(np.float64)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    z = (higher - n * (n + 1) / 4) / sqrt(variance)
    two_sided, less, greater = special.ndtr([-abs(z), z, -z])
    return higher, Tails(min(1.0, 2 * float(two_sided)), float(less), float(greater))


_MOST_EXACT_U, _MOST_EXACT_W = 25, 50
_COARSER = 1e-9
"""Differences closer than this share of the largest mean are equal: each mean is settled to 12 digits."""


def _settle_both(mos_candidate: Floats, mos_reference: Floats) -> Floats:
    """Both sides (2, n) on one scale: ties between them are ties of the exact means."""
    return settle(np.stack([mos_candidate, mos_reference]))


def _exact_tails(distribution: Floats, index: int) -> Tails:
    """Tails of a distribution (s,) at one of its places."""
    less, greater = float(distribution[: index + 1].sum()), float(distribution[index:].sum())
    return Tails(min(1.0, 2 * min(less, greater)), min(1.0, less), min(1.0, greater))


BLOCK = 500
UNEQUAL = "labels can be exchanged only where every rater rated every item; workloads are unequal here"
SHARED = "somebody rated in both groups, so that labels cannot be exchanged freely"
FEWEST = 20
"""With fewer ways to label the raters no p below .05 can come out."""


def permutation_test(
    candidate: RatingMatrix,
    reference: RatingMatrix,
    exchanges: int,
    seed: int,
    on_progress: OnProgress = None,
) -> tuple[Tails, str]:
    """p of the studentised mean difference under exchanged labels, all of them where they are fewer than asked for.

    Source: methods, section 1; Chung and Romano 2013, "Exact and asymptotically robust permutation tests".
    """
    if not reference.raters.size or not candidate.raters.size:
        return Tails(), "one side has no raters"
    if np.intersect1d(candidate.raters, reference.raters).size:
        return Tails(), SHARED
    if not (_is_complete(candidate) and _is_complete(reference)):
        return Tails(), UNEQUAL
    scores = np.hstack([_to_dense(candidate.sums), _to_dense(reference.sums)])
    first, raters = len(candidate.raters), scores.shape[1]
    labelings = comb(raters, first)
    if labelings < FEWEST or min(first, raters - first) < 2:
        return Tails(), f"there are only {labelings} ways to label the raters"
    observed = float(_studentized_differences(scores, np.arange(raters)[:, None] < first)[0])
    if np.isnan(observed):
        return Tails(), NO_SPREAD
    is_exhaustive = labelings <= exchanges
    blocks: list[Floats] = []
    for labels in (
        _all_labels(raters, first) if is_exhaustive else _random_labels(raters, first, exchanges, seed)
    ):
        blocks.append(_studentized_differences(scores, labels))
        if on_progress is not None:
            on_progress(sum(map(len, blocks)) / min(labelings, exchanges))
    t = np.nan_to_num(np.concatenate(blocks))
    tolerance = 1e-9 * max(abs(observed), 1.0)
    as_extreme = np.abs(t) >= abs(observed) - tolerance, t <= observed + tolerance, t >= observed - tolerance
    n_observed = 0 if is_exhaustive else 1
    tails = Tails(
        *((int(is_extreme.sum()) + n_observed) / (t.size + n_observed) for is_extreme in as_extreme)
    )
    description = f"all {labelings} ways" if is_exhaustive else f"{exchanges} random ways (seed {seed})"
    return tails, f"studentised difference under {description} to label the raters"


def _studentized_differences(scores: Floats, labels: NDArray[np.bool_]) -> Floats:
    """(b,) t of the difference for labels (r, b), with the two-way variance of complete groups."""
    items = len(scores)
    of_rater = scores.mean(axis=0)
    means, of_raters = [], np.zeros(labels.shape[1])
    for group in (labels, ~labels):
        weight = group.astype(np.float64)
        k = weight.sum(axis=0)
        mean = scores @ weight / k
        centre = (of_rater @ weight) / k
        between_raters = ((of_rater**2) @ weight - k * centre**2) / (k - 1)
        whole = ((scores**2) @ weight).sum(axis=0) - k * (mean**2).sum(axis=0)
        rest = (whole - items * (k - 1) * between_raters) / ((items - 1) * (k - 1))
        of_raters += np.maximum(between_raters - rest / items, 0.0) / k
        means.append(mean)
    difference = means[0] - means[1]
    variance = difference.var(axis=0, ddof=1) / items + of_raters
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(variance > 0, difference.mean(axis=0) / np.sqrt(variance), np.nan))


def _all_labels(raters: int, first: int) -> list[NDArray[np.bool_]]:
    labels = np.zeros((raters, comb(raters, first)), dtype=np.bool_)
    for place, chosen in enumerate(combinations(range(raters), first)):
        labels[list(chosen), place] = True
    return [labels]


def _random_labels(raters: int, first: int, exchanges: int, seed: int) -> list[NDArray[np.bool_]]:
    rng = np.random.default_rng([seed, 1])
    sizes = [min(BLOCK, exchanges - start) for start in range(0, exchanges, BLOCK)]
    return [rng.permuted(np.tile(np.arange(raters)[:, None] < first, size), axis=0) for size in sizes]


def _is_complete(side: RatingMatrix) -> bool:
    return bool((_to_dense(side.counts) == 1).all())


def _to_dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


SHARE_OF_SD = 0.25
"""The default margin, as a share of the SD of all single reference ratings."""
ERROR_QUANTILES = 400
"""Standard errors over which a power is averaged."""
MOST_DEGREES = 1e9
"""Degrees of freedom above which more change nothing."""
LARGEST_CONCORDANCE = 1 - 1e-9
"""Value at which leave-one-out concordances are clipped, as Fisher's z of 1 is infinite."""
ALPHA = 0.05
"""Level of the equivalence test, whose interval has level 1 - 2 · .05."""


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests that the mean difference lies within ± `margin` scale points, and their 90% interval.

    `p` is the larger of both; `power` the chance of p < .05 if there is no difference at all; `margin_is` says where
    the margin comes from; `reason` why there is no p.
    Source: Schuirmann 1987; methods: section 1.
    """

    margin: float
    margin_is: str
    p: float = nan
    low: float = nan
    high: float = nan
    reason: str = ""
    power: float = nan

    @property
    def equivalent(self) -> bool:
        """Return True where both tests reject at .05, that is, the 90% interval lies within the margin."""
        return self.p < ALPHA


def equivalence(
    difference: float, error: TwoWayVariance | None, margin: float | None, pairs: ItemPairs
) -> Equivalence:
    """Test equivalence by the model of the mean difference; `pairs` are of all items (n,)."""
    margin_source = "as it was set"
    if margin is None:
        sd = sd_of_single_ratings(pairs)
        margin = SHARE_OF_SD * sd
        margin_source = f"{SHARE_OF_SD:g} of the SD of all single reference ratings, {sd:.2f}"
    reason = (
        "it needs at least 2 shared items"
        if error is None
        else error.reason
        or (NO_SPREAD if error.error == 0 else "")
        or ("" if margin > 0 else "the reference's ratings are all equal, which leaves no margin")
    )
    if reason or error is None:
        return Equivalence(margin, margin_source, reason=reason)
    p_lower = student_p((difference + margin) / error.error, error.degrees, "greater")
    p_upper = student_p((difference - margin) / error.error, error.degrees, "less")
    low, high = interval_from_error(difference, error.error, 1 - 2 * ALPHA, error.degrees)
    power = power_at_no_difference(margin / error.error, error.degrees)
    return Equivalence(margin, margin_source, max(p_lower, p_upper), float(low), float(high), power=power)


def power_at_no_difference(margin: float, degrees: float) -> float:
    """Return the power of the equivalence test for a margin, in standard errors, if there is no difference.

    Averaged over estimated standard errors. Source: Julious 2004, "Sample sizes for clinical trials with Normal data",
    section 5.

    >>> round(power_at_no_difference(3.0, 20), 2), round(power_at_no_difference(1.5, 20), 2)
    (0.79, 0.03)
    """
    df = min(degrees, MOST_DEGREES)
    chance = (np.arange(ERROR_QUANTILES) + 0.5) / ERROR_QUANTILES
    error = np.sqrt(2 * special.gammaincinv(df / 2, chance) / df)
    acceptance = margin - float(special.stdtrit(df, 1 - ALPHA)) * error
    return float(np.maximum(2 * special.ndtr(acceptance) - 1, 0.0).mean())


def sd_of_single_ratings(pairs: ItemPairs) -> float:
    """Return the SD (n - 1) of all single reference ratings of items (n,), NaN below two."""
    rated = pairs.n_reference > 0
    n, total, squares = (values[rated] for values in pairs.side(False))
    ratings = float(n.sum())
    if ratings < 2:
        return nan
    mean = float(total.sum()) / ratings
    within = np.maximum(squares - total**2 / n, 0.0).sum()
    return sqrt(float(within + (n * (total / n - mean) ** 2).sum()) / (ratings - 1))


def default_margin(score: Floats) -> float | None:
    """Return the default margin from single ratings (N,) of the reference, None if they do not vary."""
    margin = SHARE_OF_SD * float(score.std(ddof=1)) if len(score) > 1 else 0.0
    return margin if margin > 0 else None


def same_scale(x: Floats, y: Floats) -> bool:
    """Return True if both values (n,) may be on one scale, unlike a metric from 0 to 1 and ratings from 1 to 5.

    They may not where one has fractions within −1 … 1 and the other goes beyond 2 or begins at 1, where one is below 0
    and the other above 0 throughout, or where spans or levels are far apart.
    """
    if not len(x):
        return True
    for metric, scores in ((x, y), (y, x)):
        is_unit = np.abs(metric).max() <= 1 and bool((metric % 1).any())
        if (is_unit and (np.abs(scores).max() > 2 or scores.min() >= 1)) or metric.max() < 0 < scores.min():
            return False
    spans = [float(np.ptp(values)) or 1.0 for values in (x, y)]
    return max(spans) <= 5 * min(spans) and abs(float(x.mean() - y.mean())) <= 2 * max(spans)


def slope_of_difference(x: Floats, y: Floats) -> float:
    """Compute the slope of the difference x - y (n,) on the mean of both, which also depends on both sides' errors.

    Source: Bland & Altman 1999, "Measuring agreement in method comparison studies", section 3.2.
    """
    if len(x) < 3:
        return nan
    middle, difference = (x + y) / 2, x - y
    deviation = middle - middle.mean()
    spread = float(deviation @ deviation)
    return float(deviation @ difference) / spread if spread > 0 else nan


def concordance_rows(x: Floats, y: Floats) -> Floats:
    """Compute Lin's concordance of each row of x (b, n) with the same row of y, 1 for equal rows.

    Source: Lin 1989, "A concordance correlation coefficient to evaluate reproducibility" (moments divide by n).
    """
    missing = np.isnan(x) | np.isnan(y)
    n = np.maximum((~missing).sum(axis=1, keepdims=True), 1)
    x, y = np.where(missing, 0.0, x), np.where(missing, 0.0, y)
    mean_x, mean_y = x.sum(axis=1, keepdims=True) / n, y.sum(axis=1, keepdims=True) / n
    dx, dy = np.where(missing, 0.0, x - mean_x), np.where(missing, 0.0, y - mean_y)
    xx, yy, xy = (np.einsum("ij,ij->i", *both) for both in ((dx, dx), (dy, dy), (dx, dy)))
    return concordance_from_sums(xx, yy, xy, (n * (mean_x - mean_y) ** 2)[:, 0])


def concordance_from_sums(xx: Floats, yy: Floats, xy: Floats, between: Floats) -> Floats:
    """Compute Lin's concordance (b,) from sums of squares and products around the means, and n (mean x - mean y)²."""
    denominator = xx + yy + between
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, 2 * xy / denominator, nan)


def concordance_error(
    x: Floats, y: Floats, by_raters: float, clusters: Sequence[NDArray[np.int64]] = ()
) -> tuple[float, float]:
    """Return the standard error of Fisher's z of the concordance of both (n,), and its degrees of freedom.

    The delete-one jackknife over items, or the delta method over clusters or if a single item differs, plus the
    variance due to raters. With few items the delta method alone is too small: its intervals covered in 84% of studies
    of 12 items, the jackknife's with Student's t in 93%.
    Source: Tukey 1958; Lin 1989 (the delta method).
    """
    n, concordance = len(x), float(concordance_rows(x[None], y[None])[0])
    if n < 4 or isnan(concordance) or 1 - concordance**2 < 1e-9:
        return nan, inf
    leave_one_out = np.clip(leave_one_out_concordance(x, y), -LARGEST_CONCORDANCE, LARGEST_CONCORDANCE)
    if clusters or np.isnan(leave_one_out).any():
        influence = concordance_influence(x, y) / (1 - concordance**2)
        variance, degrees = clustered_variance(influence, clusters, parameters=2)
        return sqrt(variance + by_raters), degrees
    return _add_rater_variance(jackknife_variance(np.arctanh(leave_one_out)), n - 1.0, by_raters)


def rmse_error(
    difference: Floats, by_raters: float, clusters: Sequence[NDArray[np.int64]] = ()
) -> tuple[float, float]:
    """Return the standard error of the logarithm of the RMSE of differences (n,), and its degrees of freedom.

    The delete-one jackknife over items, or the delta method over clusters or if a single item differs, plus the
    variance of the mean square due to raters.
    Source: Tukey 1958.
    """
    n, squares = len(difference), difference**2
    total = float(squares.sum())
    by_raters /= (2 * total / n) ** 2
    remaining = total - squares
    if clusters or not remaining.min() > 1e-12 * total:
        variance, degrees = clustered_variance(squares, clusters)
        return sqrt(variance / (2 * total / n) ** 2 + by_raters), degrees
    return _add_rater_variance(jackknife_variance(np.log(remaining) / 2), n - 1.0, by_raters)


def _add_rater_variance(item_variance: float, degrees: float, by_raters: float) -> tuple[float, float]:
    """Return the error of the sum of the variances over items and raters, with Satterthwaite's degrees of freedom."""
    variance = item_variance + by_raters
    return sqrt(variance), variance**2 / (item_variance**2 / degrees) if item_variance > 0 else inf


def leave_one_out_concordance(x: Floats, y: Floats) -> Floats:
    """Compute leave-one-out values (n,) of Lin's concordance of x and y (n,), NaN if only that item differs."""
    n = len(x)
    dx, dy, shift = x - x.mean(), y - y.mean(), float(x.mean() - y.mean())
    share = n / (n - 1)
    xx, yy, xy = (
        np.asarray(float(one @ other) - share * one * other) for one, other in ((dx, dx), (dy, dy), (dx, dy))
    )
    between = (n - 1) * (shift - (dx - dy) / (n - 1)) ** 2
    whole = float(dx @ dx + dy @ dy) + n * shift**2
    none_differ = xx + yy + between <= 1e-12 * whole
    return np.where(none_differ, nan, concordance_from_sums(xx, yy, xy, between))


def concordance_influence(x: Floats, y: Floats) -> Floats:
    """Return the influence of each item (n,) on the concordance, by the delta method."""
    concordance = float(concordance_rows(x[None], y[None])[0])
    dx, dy, shift = x - x.mean(), y - y.mean(), float(x.mean() - y.mean())
    whole = float((dx**2).mean() + (dy**2).mean()) + shift**2
    gains: Floats = (2 * dx * dy - concordance * (dx**2 + dy**2 + 2 * shift * (dx - dy))) / whole
    return gains
