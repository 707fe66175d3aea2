"""Variances from sums of squares, for more ratings than a likelihood can be fitted to: Henderson's first method.

For each source the squared sums of its levels, each over its number of ratings, are set equal to what they are expected
to be, which is linear in the variances. It takes one pass over the ratings, may give negative variances, and on
complete ratings is the analysis of variance.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.values.types import Floats
from analysis.variance.sources import Design

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
    """What each source's sum of squares, and that of all, is expected to hold of each variance, (k + 1, k + 1)."""
    k, n = len(design.sources), design.ratings
    counts = [design.counts(at) for at in range(k)]
    of_mean = np.array([float((of**2).sum()) / n for of in counts])
    holds = np.empty((k + 1, k + 1))
    holds[:k, :k] = design.held - of_mean
    holds[:k, k] = [len(of) - 1 for of in counts]
    holds[k, :k], holds[k, k] = n - of_mean, n - 1
    return holds


def solvable(design: Design) -> bool:
    """Whether the sums of squares tell the sources apart."""
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
    """Products (k + 1, k + 1) of L'Ay and L'By, added up over some studies y, from their totals (levels, studies) and
    sum of squares."""
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
