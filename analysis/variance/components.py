"""Variance components of ratings, with generalized confidence intervals from samples of mean squares.

The variance of the means of a source's levels is its own variance plus parts of those of nested sources: items vary
within systems, ratings within items. These mean squares are nearly uncorrelated and distributed as scaled chi-squared;
variance components are their differences and have no such distribution.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

from analysis.resampling.intervals import percentile_interval
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, OnProgress
from analysis.variance.jackknives import (
    FEWEST_ITEMS,
    FEWEST_OF_BOTH,
    Figure,
    Jackknife,
    average_repeats,
    jackknife_components,
)
from analysis.variance.reml import MOST_LEVELS, SMALLEST_RESIDUAL, dense_levels, reml
from analysis.variance.sources import ITEM, RATER, REST, SYSTEM, TOPIC, Design, Source, Unseparated, design

LEAST_DEGREES = 0.1


def mean_square_weights(design: Design) -> Floats:
    """Return the weights (k + 1, k + 1) of each variance in the variance of the means of each source's levels, the
    residual last."""
    k = len(design.sources)
    matrix = np.eye(k + 1)
    for coarse in range(k):
        level_counts = design.counts(coarse)
        matrix[coarse, k] = (1 / level_counts).mean()
        for fine in range(k):
            parents = None if fine == coarse else design.parent_levels(coarse, fine)
            if parents is not None:
                shares = design.counts(fine) / level_counts[parents]
                matrix[coarse, fine] = float((shares**2).sum()) / len(level_counts)
    return matrix


def sample_variances(
    variance: Floats,
    covariance: Floats,
    weights: Floats,
    rng: np.random.Generator,
    draws: int,
    of_log_residual: float = 0.0,
) -> Floats:
    """Return generalized samples (draws, k + 1) of the variances behind these estimates (k + 1,), which may be
    negative.

    Each mean square has Satterthwaite's degrees of freedom, 2 mean square² / variance, and is divided by a chi-squared
    over its degrees; on complete ratings these are the mean squares of the analysis of variance. The samples have the
    correlation of the mean squares in sparse designs (a normal copula). The variance of the log residual is at least
    `of_log_residual`: raters may have unequal noise.
    Source: Weerahandi 1993, "Generalized confidence intervals"; Satterthwaite 1946; Burdick & Graybill 1992,
    "Confidence Intervals on Variance Components", chapter 6 (means of unequally many).
    """
    mean_square = weights @ variance
    mean_square_covariance = weights @ covariance @ weights.T
    inflation = np.ones(len(variance))
    inflation[-1] = np.sqrt(
        max(of_log_residual * mean_square[-1] ** 2 / max(mean_square_covariance[-1, -1], 1e-300), 1.0)
    )
    mean_square_covariance = mean_square_covariance * np.outer(inflation, inflation)
    mean_square_variance = np.diagonal(mean_square_covariance)
    is_positive = (mean_square > 0) & (mean_square_variance > 0)
    error = np.sqrt(np.where(is_positive, mean_square_variance, 1.0))
    degrees = np.maximum(2 * np.where(is_positive, mean_square / error, 1.0) ** 2, LEAST_DEGREES)
    normal = (
        rng.normal(size=(draws, len(variance)))
        @ _correlation_root(mean_square_covariance / np.outer(error, error)).T
    )
    probability = np.clip(special.ndtr(normal), 1e-12, 1 - 1e-12)
    chi = 2 * special.gammaincinv(degrees / 2, probability)
    sampled_mean_square = np.where(is_positive, mean_square * degrees / np.maximum(chi, 1e-12), mean_square)
    return np.asarray(np.linalg.solve(weights, sampled_mean_square.T).T)


def _correlation_root(correlation: Floats) -> Floats:
    """Return a matrix whose product with its transpose is the nearest positive semidefinite correlation matrix.

    The symmetric root: with others, such as the eigenvectors alone, one seed would give other draws where the linear
    algebra library chooses other signs.
    """
    values, vectors = np.linalg.eigh(correlation)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    length = np.sqrt((root**2).sum(axis=1))
    return np.asarray(root / np.where(length > 0, length, 1.0)[:, None])


Finer = tuple[int, NDArray[np.int64]] | None
"""Finest source nested in another source, and the level of that source of each of its levels."""
TRACE_STUDIES = 12, 100
"""Fewest and most studies of random signs for the traces of the covariance; the precision for l levels is that of at
least 12 (l - 1) degrees of freedom."""
STUDIES_PER_BLOCK = 4
"""Studies in a block."""
MOST_SCORES = 20_000_000
"""Largest number of random scores, beyond the fewest studies."""
LARGEST_CONDITION = 1e10
"""Largest condition number of the equations for which sums of squares separate the sources."""


def expected_sums_of_squares(design: Design) -> Floats:
    """Return the coefficients (k + 1, k + 1) of each variance in the expected sum of squares of each source and in
    the total."""
    k, n = len(design.sources), design.ratings
    counts = [design.counts(source) for source in range(k)]
    mean_part = np.array([float((level_counts**2).sum()) / n for level_counts in counts])
    coefficients = np.empty((k + 1, k + 1))
    coefficients[:k, :k] = design.overlap - mean_part
    coefficients[:k, k] = [len(level_counts) - 1 for level_counts in counts]
    coefficients[k, :k], coefficients[k, k] = n - mean_part, n - 1
    return coefficients


def is_solvable(design: Design) -> bool:
    """Return True where the sums of squares separate the sources."""
    coefficients = expected_sums_of_squares(design)
    return bool(np.linalg.cond(coefficients / np.diagonal(coefficients)) < LARGEST_CONDITION)


def estimate_by_moments(design: Design) -> Floats:
    """Estimate variances (k + 1,) of k sources and the residual by Henderson's method 1, possibly negative.

    Source: Henderson 1953, method 1; Searle, Casella & McCulloch 1992, section 5.3; Brennan 2001, section 7.2.
    """
    k = len(design.sources)
    observed = [
        float((total**2 / design.counts(at)).sum()) for at, total in zip(range(k), design.totals, strict=True)
    ]
    return np.asarray(
        np.linalg.solve(expected_sums_of_squares(design), np.array([*observed, design.squares])),
        dtype=np.float64,
    )


def moments_covariance(
    design: Design, variance: Floats, seed: int, on_progress: Callable[[float], object] | None = None
) -> Floats:
    """Return the covariance (k + 1, k + 1) of the moment estimates for this design and these variances.

    Sums of squares y'Ay and y'By of normal y with covariance matrix V covary by 2 tr(AVBV). With V = LL' that is twice
    the expected product of L'ALz and L'BLz for random signs z: a study with effects and residuals of random sign.
    Source: Searle, Casella & McCulloch 1992, section 5.3; Hutchinson 1990, "A stochastic estimator of the trace".
    """
    rng = np.random.default_rng(seed)
    nonnegative_variance = np.maximum(variance, 0.0)
    k, n = len(design.sources), design.ratings
    counts = [design.counts(source) for source in range(k)]
    studies = int(np.clip(MOST_SCORES // n, *TRACE_STUDIES))
    products = np.zeros((k + 1, k + 1))
    finer = [design.finest_nested(source) for source in range(k)]
    for start in range(0, studies, STUDIES_PER_BLOCK):
        sums, squares = [], 0.0
        for study in range(start, min(start + STUDIES_PER_BLOCK, studies)):
            score = _random_sign_scores(design, nonnegative_variance, finer, rng)
            sums.append(_level_sums(design, score, finer))
            squares += float(score @ score)
            if on_progress is not None:
                on_progress((study + 1) / studies)
        totals = [np.column_stack(of_each) for of_each in zip(*sums, strict=True)]
        products += _sums_of_products(design, nonnegative_variance, totals, counts, finer, squares)
    inverse = np.linalg.inv(expected_sums_of_squares(design))
    return np.asarray(2 / studies * inverse @ products @ inverse.T, dtype=np.float64)


def _random_sign_scores(
    design: Design, variance: Floats, finer: list[Finer], rng: np.random.Generator
) -> Floats:
    """Return centered scores (n,) of effects and residuals of random sign with the given variances."""
    score = _random_signs(rng, variance[-1], design.ratings)
    if design.place is not None:
        score = score[design.place]
    effects = [
        _random_signs(rng, source_variance, source.levels)
        for source, source_variance in zip(design.sources, variance, strict=False)
    ]
    for effect, within in zip(effects, finer, strict=True):
        if within is not None:
            effects[within[0]] += effect[within[1]]
    buffer = np.empty_like(score)
    for source, effect, within in zip(design.sources, effects, finer, strict=True):
        if within is None:
            score += np.take(effect, source.level, out=buffer, mode="clip")
    score -= score.mean()
    return score


def _random_signs(rng: np.random.Generator, variance: float, n: int) -> Floats:
    is_positive = np.unpackbits(np.frombuffer(rng.bytes(-(-n // 8)), dtype=np.uint8), count=n)
    return np.asarray(np.array([-1.0, 1.0])[is_positive] * np.sqrt(variance), dtype=np.float64)


def _sums_of_products(
    design: Design,
    variance: Floats,
    totals: list[Floats],
    counts: list[Floats],
    finer: list[Finer],
    squares: float,
) -> Floats:
    """Return products (k + 1, k + 1) of L'Ay and L'By, summed over studies y, from totals (levels, studies) and
    squares."""
    k = len(totals)
    means = [total / of[:, None] for total, of in zip(totals, counts, strict=True)]
    of_rest, products = np.empty((k + 1, k + 1)), np.zeros((k + 1, k + 1))
    for level, sums in _cross_sums(design, means, totals, counts, finer):
        of_rest[level] = means[level].ravel() @ sums
        of_rest[k, level] = of_rest[level, k]
        products += variance[level] * (sums.T @ sums)
    of_rest[k, k] = squares
    products += variance[k] * of_rest
    return products


def _cross_sums(
    design: Design, means: list[Floats], totals: list[Floats], counts: list[Floats], finer: list[Finer]
) -> Iterator[tuple[int, Floats]]:
    """Yield each source with the sums (levels x studies, k + 1), over its levels, of each source's means (levels,
    studies) and of the scores.

    For nested sources, only the finest is crossed with other sources.
    """
    k, studies = len(means), means[0].shape[1]
    finest = [at if within is None else within[0] for at, within in enumerate(finer)]
    expanded = [
        mean if within is None else mean[within[1]] for mean, within in zip(means, finer, strict=True)
    ]
    for base in sorted(set(finest)):
        levels = len(counts[base])
        sums = np.empty((levels, studies, k + 1))
        sums[:, :, k] = totals[base]
        for other in sorted(set(finest)):
            members = [source for source in range(k) if finest[source] == other]
            columns = np.stack([expanded[source] for source in members], axis=2).reshape(
                len(counts[other]), -1
            )
            products = (
                counts[base][:, None] * columns
                if base == other
                else design.cross_counts(base, other) @ columns
            )
            sums[:, :, members] = products.reshape(levels, studies, len(members))
        yield base, sums.reshape(-1, k + 1)
        for coarse, within in enumerate(finer):
            if within is not None and within[0] == base:
                indices = within[1], np.arange(levels)
                aggregation = sparse.csr_array((np.ones(levels), indices), shape=(len(means[coarse]), levels))
                yield (
                    coarse,
                    np.asarray(aggregation @ sums.reshape(levels, -1), dtype=np.float64).reshape(-1, k + 1),
                )


def _level_sums(design: Design, score: Floats, finer: list[Finer]) -> list[Floats]:
    """Return sums of scores per level of each source; those of a source with a nested one are derived from it."""
    sums = [
        source.sums(score) if within is None else np.empty(0)
        for source, within in zip(design.sources, finer, strict=True)
    ]
    for index, within in enumerate(finer):
        if within is not None:
            sums[index] = np.bincount(within[1], sums[within[0]], design.sources[index].levels).astype(
                np.float64, copy=False
            )
    return sums


Method = Literal["REML", "moments"]

ALL_EQUAL = "all ratings are equal, so there is no variance to share out"
NOTHING_REPEATS = "no item, rater, system or topic has two ratings that could be compared with the others"
FEWEST_RATINGS = 3
"""Ratings."""
NOT_SOLVABLE = (
    "sums of squares do not tell the sources apart here, and the design is too large for a likelihood"
)
TOO_FEW = f"fewer than {FEWEST_RATINGS} ratings have no variance to share out"


@dataclass(frozen=True)
class ItemSample:
    """Random sample of `items` from all items `of` a group and measure, with its seed."""

    items: int
    of: int
    seed: int


@dataclass(frozen=True, eq=False)
class Components:
    """Variances of k sources and of the residual, with their basis.

    `sources` (k + 1,) names, the residual last; `facets` the facets of each; `levels` (k + 1,) their numbers, for
    the residual that of ratings; `variance` (k + 1,) as estimated, by moments possibly negative; `covariance` (k +
    1, k + 1) of REML estimates. `drawn` (draws, k + 1) are generalized samples of the variances, and intervals are
    their percentiles. `jackknife` gives the intervals of the residual and of intraclass correlations. There are none
    where the sources explain every rating exactly. `unseparated` sources are part of others in this design. `counts`
    are the numbers of items, raters, systems and topics, of the `sample` if the ratings are those of some items;
    `converged` is True if REML converged. Without variances there is a `reason`.
    """

    sources: tuple[str, ...]
    facets: tuple[frozenset[str], ...]
    levels: tuple[int, ...]
    variance: Floats
    covariance: Floats | None
    drawn: Floats
    level: float
    method: Method
    unseparated: tuple[Unseparated, ...]
    counts: dict[str, int]
    ratings: int
    left_out: int
    reason: str = ""
    converged: bool = True
    sample: ItemSample | None = None
    jackknife: Jackknife | None = None

    @property
    def counted(self) -> Floats:
        """Variances (k + 1,) with negative estimates replaced by 0."""
        return np.maximum(self.variance, 0.0)

    def variances(self) -> dict[str, Estimate]:
        """Return each source's variance with its interval; n levels."""
        estimates = self._estimates(self.counted, np.maximum(self.drawn, 0.0))
        if self.jackknife is not None and self.sources == (ITEM, RATER, REST):
            residual = self.jackknife.interval_of_residual(estimates[REST].value, self.level)
            estimates[REST] = replace(residual, n=estimates[REST].n)
        return estimates

    def shares(self) -> dict[str, Estimate]:
        """Return each source's share of the variance of a single rating, with its interval; n levels.

        With items and raters only, the share of items is ICC(A,1).
        """
        of_all = np.maximum(self.drawn, 0.0)
        total = of_all.sum(axis=1, keepdims=True)
        shares = np.divide(of_all, total, out=np.full_like(of_all, nan), where=total > 0)
        estimates = self._estimates(self.counted / max(float(self.counted.sum()), 1e-300), shares)
        if self.jackknife is not None and self.sources == (ITEM, RATER, REST):
            object_variance, *noise = self.counted.tolist()
            share = self.interval_of_icc(object_variance, sum(noise), "agreement", 1)
            estimates[ITEM] = replace(share, n=estimates[ITEM].n)
        return estimates

    def interval_of_icc(self, signal: float, noise: float, figure: Figure, ratings: float) -> Estimate:
        """Return signal / (signal + noise / ratings) with its interval, where `noise` is that of one rating."""
        if not signal + noise > 0:
            return Estimate(nan, reason=ALL_EQUAL)
        value = signal / (signal + noise / ratings)
        if self.jackknife is None or not noise > 0:
            return Estimate(value)
        found = self.jackknife.interval_of_icc(value, signal / noise, figure, ratings, self.level)
        return replace(found, low=max(found.low, 0.0)) if found.low < 0 else found

    def _estimates(self, values: Floats, samples: Floats) -> dict[str, Estimate]:
        interval = percentile_interval(values, samples, self.level)
        rows = zip(self.sources, values, interval.low, interval.high, self.levels, strict=True)
        return {name: Estimate(float(v), float(low), float(high), n) for name, v, low, high, n in rows}


def components(
    item: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    system: ArrayLike | None = None,
    topic: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Components:
    """Estimate variance components of ratings, complete or not, with their intervals.

    Parameters
    ----------
    item, rater : (N,) ids of any kind, one per rating
    score : (N,) numbers
    system, topic : (N,) ids, below 0 for none; ratings without one are excluded if others have one
    bootstrap : draws of the intervals and their seed; 0 draws for no intervals
    on_progress : called with the share done

    Returns
    -------
    Components
        in squared points of the scale; `reason` without any variance.

    Raises
    ------
    InputError
        where the columns differ in length or a score is not a finite number.

    Notes
    -----
    Sources are items, raters, systems, topics, their interactions and the residual, all random. Not for ordered
    categories without meaningful distances, and not for comparing studies whose items were selected to differ more. The
    design determines the sources: one that is confounded with others (or the residual) is `unseparated`, such as item ×
    rater without repeated ratings. REML up to 600 levels besides the largest source's, Henderson's method 1 (moments)
    above. Intervals of intraclass correlations, and of the residual with items and raters only, are jackknives over
    raters, who may have unequal noise, and over items (over topics from 10 on, over systems and topics from 5 of both
    on). Other intervals are generalized confidence intervals: the mean square of each source has Satterthwaite's
    degrees of freedom from the estimates' covariance, for the residual at most those of its jackknife, and is divided
    by draws of chi-squared over them (on complete ratings these are the mean squares of the analysis of variance).
    Source: Searle, Casella & McCulloch 1992, chapters 5 and 6; Brennan 2001; intervals: Arvesen 1969; Weerahandi 1993,
    "Generalized confidence intervals"; Burdick, Borror & Montgomery 2005, section 3; Satterthwaite 1946.

    >>> complete = components([1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 1, 2], [1, 2, 3, 3, 5, 6], bootstrap=BootstrapSpec(0))
    >>> complete.sources, complete.variance.round(2).tolist()
    (('item', 'rater', 'rest'), [4.0, 0.17, 0.17])
    """
    rating_design = design(item, rater, score, system, topic)
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    return add_intervals(estimate_components(rating_design), rating_design, spec, on_progress)


def estimate_components(design: Design, on_progress: OnProgress = None) -> Components:
    """Estimate the variances of a design's sources, without intervals."""
    k = len(design.sources)
    result = Components(
        (*(source.name for source in design.sources), REST),
        (*(source.facets for source in design.sources), frozenset({REST})),
        (*(source.levels for source in design.sources), design.ratings),
        np.full(k + 1, nan),
        None,
        np.empty((0, k + 1)),
        BootstrapSpec().level,
        "REML" if fits_likelihood(design) else "moments",
        design.unseparated,
        design.levels,
        design.ratings,
        design.left_out,
        _undefined_reason(design),
    )
    if result.reason:
        return result
    if result.method == "REML":
        fit = reml(design, on_progress)
        return replace(result, variance=fit.variance, covariance=fit.covariance, converged=fit.converged)
    if not is_solvable(design):
        return replace(result, reason=NOT_SOLVABLE)
    return replace(result, variance=estimate_by_moments(design))


def fits_likelihood(design: Design) -> bool:
    """Return True where the design is small enough for REML."""
    return dense_levels(design) <= MOST_LEVELS


def add_intervals(
    result: Components, design: Design, spec: BootstrapSpec, on_progress: OnProgress = None
) -> Components:
    """Add the samples and the jackknife for intervals, if requested and defined."""
    variance = result.variance
    is_exact = 0 <= variance[-1] <= 2 * SMALLEST_RESIDUAL * variance.sum()
    if result.reason or is_exact or not spec.draws:
        return replace(result, level=spec.level)
    jackknife = _jackknife_of_design(design, spec.seed)
    estimate_covariance = result.covariance
    if estimate_covariance is None:
        estimate_covariance = moments_covariance(design, variance, spec.seed, on_progress)
    log_residual_variance = (
        0.0 if jackknife is None or jackknife.reason else jackknife.spreads["residual"].variance
    )
    rng = np.random.default_rng(spec.seed)
    samples = sample_variances(
        variance, estimate_covariance, mean_square_weights(design), rng, spec.draws, log_residual_variance
    )
    return replace(result, drawn=samples, level=spec.level, jackknife=jackknife)


def _jackknife_of_design(design: Design, seed: int) -> Jackknife | None:
    """Return the jackknife over items and raters; None where the design does not separate them from the residual."""
    by_name = {source.name: source for source in design.sources}
    if not {ITEM, RATER} <= set(by_name):
        return None
    item, rater = by_name[ITEM].level, by_name[RATER].level
    cells = average_repeats(item, rater, design.score)
    return jackknife_components(cells, _clusters(by_name, item), seed)


def _clusters(by_name: Mapping[str, Source], item: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return topic and system (n,) of each item, or one of them; none where too few could be left out."""
    kinds = [by_name[name] for name in (TOPIC, SYSTEM) if name in by_name]
    if len(kinds) > 1 and min(one.levels for one in kinds) < FEWEST_OF_BOTH:
        kinds = kinds[:1]
    if len(kinds) == 1 and kinds[0].levels < FEWEST_ITEMS:
        kinds = []
    codes = np.zeros((len(kinds), int(item.max()) + 1), dtype=np.int64)
    for index, kind in enumerate(kinds):
        codes[index, item] = kind.level
    return list(codes)


def _undefined_reason(design: Design) -> str:
    if design.ratings < FEWEST_RATINGS:
        return TOO_FEW
    if not design.squares > 0:
        return ALL_EQUAL
    return "" if design.sources else NOTHING_REPEATS
