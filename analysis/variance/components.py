"""From which variances could these estimates have come? Draws by way of mean squares, which vary as chi-squared does.

The means of a source's levels vary by its own variance and by shares of those of finer sources: items vary within
systems, ratings within items. These variances of means are nearly uncorrelated, and chance in each is that of
chi-squared; variances themselves, being their differences, have no such law.
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
from analysis.variance.reml import MOST_LEVELS, NO_REST, levels_left, reml
from analysis.variance.sources import ITEM, RATER, REST, SYSTEM, TOPIC, Design, Source, Unseparated, design

LEAST_DEGREES = 0.1


def weights(design: Design) -> Floats:
    """Share of each variance by which the means of each source's levels vary, (k + 1, k + 1); the residual apart."""
    k = len(design.sources)
    made = np.eye(k + 1)
    for coarse in range(k):
        of_levels = design.counts(coarse)
        made[coarse, k] = (1 / of_levels).mean()
        for fine in range(k):
            within = None if fine == coarse else design.within(coarse, fine)
            if within is not None:
                shares = design.counts(fine) / of_levels[within]
                made[coarse, fine] = float((shares**2).sum()) / len(of_levels)
    return made


def drawn(
    variance: Floats,
    covariance: Floats,
    weights: Floats,
    rng: np.random.Generator,
    draws: int,
    of_log_residual: float = 0.0,
) -> Floats:
    """Variances (draws, k + 1) that may lie behind these estimates (k + 1,), below 0 where a draw says so.

    Each mean square has the degrees of freedom that its variance gives it, 2 mean square² / variance, and is divided by
    a chi-squared over its degrees; on complete ratings these are the mean squares of the analysis of variance. What
    correlation sparse ratings leave between them, their draws have too (by way of normal ones). The residual varies at
    least as a variance of its logarithm of `of_log_residual` says: raters may be unequally noisy.
    Source: Weerahandi 1993, "Generalized confidence intervals"; Satterthwaite 1946; Burdick & Graybill 1992,
    "Confidence Intervals on Variance Components", chapter 6 (means of unequally many).
    """
    square = weights @ variance
    together = weights @ covariance @ weights.T
    wider = np.ones(len(variance))
    wider[-1] = np.sqrt(max(of_log_residual * square[-1] ** 2 / max(together[-1, -1], 1e-300), 1.0))
    together = together * np.outer(wider, wider)
    chance = np.diagonal(together)
    known = (square > 0) & (chance > 0)
    error = np.sqrt(np.where(known, chance, 1.0))
    degrees = np.maximum(2 * np.where(known, square / error, 1.0) ** 2, LEAST_DEGREES)
    normal = rng.normal(size=(draws, len(variance))) @ _root(together / np.outer(error, error)).T
    below = np.clip(special.ndtr(normal), 1e-12, 1 - 1e-12)
    chi = 2 * special.gammaincinv(degrees / 2, below)
    drawn_square = np.where(known, square * degrees / np.maximum(chi, 1e-12), square)
    return np.asarray(np.linalg.solve(weights, drawn_square.T).T)


def _root(correlation: Floats) -> Floats:
    """A matrix whose product with its transpose is this one, as near as one with no negative eigenvalue comes."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    length = np.sqrt((root**2).sum(axis=1))
    return np.asarray(root / np.where(length > 0, length, 1.0)[:, None])


Finer = tuple[int, NDArray[np.int64]] | None
"""The finest source within another one, and in which level of that one its levels lie."""
SIGNS = 12, 100
"""Studies of random signs that the traces of the covariance are taken from, at least and at most: the spread of a
variance of l levels is then known as well as by 12 (l - 1) degrees of freedom or more."""
AT_ONCE = 4
"""Studies whose sums are worked out together."""
MOST_SCORES = 20_000_000
"""Scores of random signs, beyond the least number of studies."""
MOST_ALIKE = 1e10
"""Condition of the equations beyond which sums of squares do not tell the sources apart."""


def expected(design: Design) -> Floats:
    """Parts of each variance that each source's sum of squares, and that of all, holds, (k + 1, k + 1)."""
    k, n = len(design.sources), design.ratings
    counts = [design.counts(at) for at in range(k)]
    of_mean = np.array([float((of**2).sum()) / n for of in counts])
    holds = np.empty((k + 1, k + 1))
    holds[:k, :k] = design.held - of_mean
    holds[:k, k] = [len(of) - 1 for of in counts]
    holds[k, :k], holds[k, k] = n - of_mean, n - 1
    return holds


def solvable(design: Design) -> bool:
    """Return True where the sums of squares tell the sources apart."""
    holds = expected(design)
    return bool(np.linalg.cond(holds / np.diagonal(holds)) < MOST_ALIKE)


def moments(design: Design) -> Floats:
    """Variances (k + 1,) of k sources and of the rest, negative ones as they come.

    Source: Henderson 1953, method 1; Searle, Casella & McCulloch 1992, section 5.3; Brennan 2001, section 7.2.
    """
    k = len(design.sources)
    observed = [
        float((total**2 / design.counts(at)).sum()) for at, total in zip(range(k), design.totals, strict=True)
    ]
    return np.asarray(
        np.linalg.solve(expected(design), np.array([*observed, design.squares])), dtype=np.float64
    )


def covariance(
    design: Design, variance: Floats, seed: int, on_progress: Callable[[float], object] | None = None
) -> Floats:
    """Covariance (k + 1, k + 1) of the moments' estimates over studies of this design with these variances.

    Sums of squares y'Ay and y'By of normal y with covariance matrix V covary by 2 tr(AVBV). With V = LL' that is twice
    the expected product of L'ALz and L'BLz for random signs z: a study of effects and rests that are only up or down.
    Source: Searle, Casella & McCulloch 1992, section 5.3; Hutchinson 1990, "A stochastic estimator of the trace".
    """
    rng = np.random.default_rng(seed)
    of = np.maximum(variance, 0.0)
    k, n = len(design.sources), design.ratings
    counts = [design.counts(at) for at in range(k)]
    studies = int(np.clip(MOST_SCORES // n, *SIGNS))
    products = np.zeros((k + 1, k + 1))
    finer = [design.finer(at) for at in range(k)]
    for start in range(0, studies, AT_ONCE):
        sums, squares = [], 0.0
        for study in range(start, min(start + AT_ONCE, studies)):
            score = _signed(design, of, finer, rng)
            sums.append(_sums(design, score, finer))
            squares += float(score @ score)
            if on_progress is not None:
                on_progress((study + 1) / studies)
        totals = [np.column_stack(of_each) for of_each in zip(*sums, strict=True)]
        products += _products(design, of, totals, counts, finer, squares)
    solve = np.linalg.inv(expected(design))
    return np.asarray(2 / studies * solve @ products @ solve.T, dtype=np.float64)


def _signed(design: Design, variance: Floats, finer: list[Finer], rng: np.random.Generator) -> Floats:
    """(n,) centred scores of effects and rests that are up or down by the root of their variance."""
    score = _signs(rng, variance[-1], design.ratings)
    if design.place is not None:
        score = score[design.place]
    effects = [_signs(rng, one, source.levels) for source, one in zip(design.sources, variance, strict=False)]
    for effect, within in zip(effects, finer, strict=True):
        if within is not None:
            effects[within[0]] += effect[within[1]]
    given = np.empty_like(score)
    for source, effect, within in zip(design.sources, effects, finer, strict=True):
        if within is None:
            score += np.take(effect, source.level, out=given, mode="clip")
    score -= score.mean()
    return score


def _signs(rng: np.random.Generator, variance: float, n: int) -> Floats:
    up = np.unpackbits(np.frombuffer(rng.bytes(-(-n // 8)), dtype=np.uint8), count=n)
    return np.asarray(np.array([-1.0, 1.0])[up] * np.sqrt(variance), dtype=np.float64)


def _products(
    design: Design,
    variance: Floats,
    totals: list[Floats],
    counts: list[Floats],
    finer: list[Finer],
    squares: float,
) -> Floats:
    """Products (k + 1, k + 1) of L'Ay and L'By, added up over studies y, from totals (levels, studies) and squares."""
    k = len(totals)
    means = [total / of[:, None] for total, of in zip(totals, counts, strict=True)]
    of_rest, found = np.empty((k + 1, k + 1)), np.zeros((k + 1, k + 1))
    for level, seen in _seen(design, means, totals, counts, finer):
        of_rest[level] = means[level].ravel() @ seen
        of_rest[k, level] = of_rest[level, k]
        found += variance[level] * (seen.T @ seen)
    of_rest[k, k] = squares
    found += variance[k] * of_rest
    return found


def _seen(
    design: Design, means: list[Floats], totals: list[Floats], counts: list[Floats], finer: list[Finer]
) -> Iterator[tuple[int, Floats]]:
    """Each source with the sums (levels x studies, k + 1), over its levels, of ratings that are each source's means
    (levels, studies), and of the scores themselves.

    Of sources of which one lies within the other only the finest are met with what crosses them.
    """
    k, studies = len(means), means[0].shape[1]
    finest = [at if within is None else within[0] for at, within in enumerate(finer)]
    spread = [mean if within is None else mean[within[1]] for mean, within in zip(means, finer, strict=True)]
    for each in sorted(set(finest)):
        levels = len(counts[each])
        sums = np.empty((levels, studies, k + 1))
        sums[:, :, k] = totals[each]
        for other in sorted(set(finest)):
            of = [source for source in range(k) if finest[source] == other]
            columns = np.stack([spread[source] for source in of], axis=2).reshape(len(counts[other]), -1)
            met = counts[each][:, None] * columns if each == other else design.meetings(each, other) @ columns
            sums[:, :, of] = met.reshape(levels, studies, len(of))
        yield each, sums.reshape(-1, k + 1)
        for coarse, within in enumerate(finer):
            if within is not None and within[0] == each:
                place = within[1], np.arange(levels)
                into = sparse.csr_array((np.ones(levels), place), shape=(len(means[coarse]), levels))
                yield coarse, np.asarray(into @ sums.reshape(levels, -1), dtype=np.float64).reshape(-1, k + 1)


def _sums(design: Design, score: Floats, finer: list[Finer]) -> list[Floats]:
    """Sums of scores per level of each source; those of a source with a finer one from that one's."""
    sums = [
        source.sums(score) if within is None else np.empty(0)
        for source, within in zip(design.sources, finer, strict=True)
    ]
    for at, within in enumerate(finer):
        if within is not None:
            sums[at] = np.bincount(within[1], sums[within[0]], design.sources[at].levels).astype(
                np.float64, copy=False
            )
    return sums


Method = Literal["REML", "moments"]

ALL_EQUAL = "all ratings are equal, so there is no variance to share out"
NOTHING_REPEATS = "no item, rater, system or topic has two ratings that could be compared with the others"
FEWEST = 3
"""Ratings."""
NOT_SOLVABLE = (
    "sums of squares do not tell the sources apart here, and the design is too large for a likelihood"
)
TOO_FEW = f"fewer than {FEWEST} ratings have no variance to share out"


@dataclass(frozen=True)
class ItemSample:
    """So many items, drawn by a seed of all that a group rated on a measure."""

    items: int
    of: int
    seed: int


@dataclass(frozen=True, eq=False)
class Components:
    """Variances of k sources and of the rest, and what they rest on.

    `sources` (k + 1,) names, the rest last; `facets` what each is made of; `levels` (k + 1,) how many, the rest's being
    ratings; `variance` (k + 1,) as estimated, with moments perhaps below 0; `covariance` (k + 1, k + 1) of REML's
    estimates. `drawn` (draws, k + 1) are variances that other studies like this one would be as likely to have come
    from, and intervals of variances are their percentiles. `jackknife` gives the intervals of the residual and of
    whatever is an intraclass correlation. There are none where the sources explain every rating exactly. `unseparated`
    sources are part of others in this design. `counts` is the number of items, raters, systems and topics, in the
    `sample` where the ratings are those of some items; `converged` whether REML came to its peak.
    Without any variances there is a `reason`.
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
        """The variances (k + 1,) with 0 for those estimated below."""
        return np.maximum(self.variance, 0.0)

    @property
    def below_zero(self) -> tuple[str, ...]:
        """Sources whose variance was estimated below 0, which counts as 0."""
        return tuple(name for name, v in zip(self.sources, self.variance, strict=True) if v < 0)

    def variances(self) -> dict[str, Estimate]:
        """Each source's variance with its interval; n levels."""
        found = self._estimates(self.counted, np.maximum(self.drawn, 0.0))
        if self.jackknife is not None and self.sources == (ITEM, RATER, REST):
            residual = self.jackknife.interval_of_residual(found[REST].value, self.level)
            found[REST] = replace(residual, n=found[REST].n)
        return found

    def shares(self) -> dict[str, Estimate]:
        """Each source's share of the variance of a single rating, with its interval; n levels.

        With items and raters alone, the share of items is ICC(A,1).
        """
        of_all = np.maximum(self.drawn, 0.0)
        whole = of_all.sum(axis=1, keepdims=True)
        shares = np.divide(of_all, whole, out=np.full_like(of_all, nan), where=whole > 0)
        found = self._estimates(self.counted / max(float(self.counted.sum()), 1e-300), shares)
        if self.jackknife is not None and self.sources == (ITEM, RATER, REST):
            own, *noise = self.counted.tolist()
            share = self.interval_of_icc(own, sum(noise), "agreement", 1)
            found[ITEM] = replace(share, n=found[ITEM].n)
        return found

    def interval_of_icc(self, signal: float, noise: float, figure: Figure, ratings: float) -> Estimate:
        """Return signal / (signal + noise / ratings), `noise` being that of one rating, with its interval."""
        if not signal + noise > 0:
            return Estimate(nan, reason=ALL_EQUAL)
        value = signal / (signal + noise / ratings)
        if self.jackknife is None or not noise > 0:
            return Estimate(value)
        found = self.jackknife.interval_of_icc(value, signal / noise, figure, ratings, self.level)
        return replace(found, low=max(found.low, 0.0)) if found.low < 0 else found

    def _estimates(self, values: Floats, drawn: Floats) -> dict[str, Estimate]:
        ends = percentile_interval(values, drawn, self.level)
        rows = zip(self.sources, values, ends.low, ends.high, self.levels, strict=True)
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
    """Variance components of ratings, complete or not, with what their intervals are drawn from.

    Parameters
    ----------
    item, rater : (N,) ids of any kind, one per rating
    score : (N,) numbers
    system, topic : (N,) ids or, below 0, none; a rating without one is left out where others have one
    bootstrap : draws of the intervals and their seed; with 0 draws there are none
    on_progress : called with the share done

    Returns
    -------
    Components
        in squared points of the scale; `reason` where there is nothing to share out.

    Raises
    ------
    InputError
        where the columns differ in length or a score is no finite number.

    Notes
    -----
    Because of what is rated, who rates, which system made it, what it is about, or the rest. Sources and raters, items,
    systems and topics are taken as drawn from many like them; not for ordered categories of few values where the
    distances between them mean nothing, and not to compare studies whose items were chosen to differ more. Which
    sources are taken is read from the design: one that other sources (or the rest) account for wholly is `unseparated`,
    as is item × rater where nobody rates an item twice. REML up to 600 levels beside the largest source's, Henderson's
    first method (moments) above. Intervals of what is an intraclass correlation, and of the residual where only items
    and raters are separated from it: jackknives over raters, who may be unequally noisy, and over items (over topics
    from 10 on, over systems and topics from 5 of both on). Others: the variance of the means of each source's levels
    gets Satterthwaite's degrees of freedom from the estimates' covariance, the residual at least as few as its
    jackknife says, and is divided by draws of chi-squared over them (generalized confidence intervals; on complete
    ratings these are the mean squares of the analysis of variance).
    Source: Searle, Casella & McCulloch 1992, chapters 5 and 6; Brennan 2001; intervals: Arvesen 1969; Weerahandi 1993,
    "Generalized confidence intervals"; Burdick, Borror & Montgomery 2005, section 3; Satterthwaite 1946.

    >>> complete = components([1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 1, 2], [1, 2, 3, 3, 5, 6], bootstrap=BootstrapSpec(0))
    >>> complete.sources, complete.variance.round(2).tolist()
    (('item', 'rater', 'rest'), [4.0, 0.17, 0.17])
    """
    made = design(item, rater, score, system, topic)
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    return with_intervals(estimated(made), made, spec, on_progress)


def estimated(design: Design, on_progress: OnProgress = None) -> Components:
    """The variances of a design's sources, without intervals."""
    k = len(design.sources)
    found = Components(
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
        _why_undefined(design),
    )
    if found.reason:
        return found
    if found.method == "REML":
        fit = reml(design, on_progress)
        return replace(found, variance=fit.variance, covariance=fit.covariance, converged=fit.converged)
    if not solvable(design):
        return replace(found, reason=NOT_SOLVABLE)
    return replace(found, variance=moments(design))


def fits_likelihood(design: Design) -> bool:
    """True where the design is small enough for REML; the variances of others take less than the design itself."""
    return levels_left(design) <= MOST_LEVELS


def with_intervals(
    found: Components, design: Design, spec: BootstrapSpec, on_progress: OnProgress = None
) -> Components:
    """The same with what its intervals are drawn from, where they are asked for and can be had."""
    variance = found.variance
    exact = 0 <= variance[-1] <= 2 * NO_REST * variance.sum()
    if found.reason or exact or not spec.draws:
        return replace(found, level=spec.level)
    jackknife = _jackknife(design, spec.seed)
    spread = found.covariance
    if spread is None:
        spread = covariance(design, variance, spec.seed, on_progress)
    of_log = 0.0 if jackknife is None or jackknife.reason else jackknife.spreads["residual"].variance
    rng = np.random.default_rng(spec.seed)
    values = drawn(variance, spread, weights(design), rng, spec.draws, of_log)
    return replace(found, drawn=values, level=spec.level, jackknife=jackknife)


def _jackknife(design: Design, seed: int) -> Jackknife | None:
    """Jackknife over items and raters; None where the design does not separate them from the residual."""
    by_name = {source.name: source for source in design.sources}
    if not {ITEM, RATER} <= set(by_name):
        return None
    item, rater = by_name[ITEM].level, by_name[RATER].level
    cells = average_repeats(item, rater, design.score)
    return jackknife_components(cells, _clusters(by_name, item), seed)


def _clusters(by_name: Mapping[str, Source], item: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Topic and system (n,) of each item, or one of them; none where too few could be left out one by one."""
    kinds = [by_name[name] for name in (TOPIC, SYSTEM) if name in by_name]
    if len(kinds) > 1 and min(one.levels for one in kinds) < FEWEST_OF_BOTH:
        kinds = kinds[:1]
    if len(kinds) == 1 and kinds[0].levels < FEWEST_ITEMS:
        kinds = []
    found = np.zeros((len(kinds), int(item.max()) + 1), dtype=np.int64)
    for at, kind in enumerate(kinds):
        found[at, item] = kind.level
    return list(found)


def _why_undefined(design: Design) -> str:
    if design.ratings < FEWEST:
        return TOO_FEW
    if not design.squares > 0:
        return ALL_EQUAL
    return "" if design.sources else NOTHING_REPEATS
