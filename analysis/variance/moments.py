"""Variances from sums of squares, for more ratings than a likelihood can be fitted to: Henderson's first method.

For each source the squared sums of its levels, each over its number of ratings, are set equal to what they are expected
to be, which is linear in the variances. It takes one pass over the ratings, may give negative variances, and on
complete ratings is the analysis of variance.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from analysis.variance.sources import Design

Floats = NDArray[np.float64]
SIMULATED = 100, 400
"""Studies simulated for the covariance of the estimates, at least and at most: errors are then known to 7 or 4 %."""
MOST_SCORES = 20_000_000
"""Scores simulated, beyond the least number of studies."""
MOST_ALIKE = 1e10
"""Condition of the equations beyond which sums of squares do not tell the sources apart."""


def expected(design: Design) -> Floats:
    """What each source's sum of squares, and that of all, is expected to hold of each variance, (k + 1, k + 1)."""
    k, n = len(design.sources), design.ratings
    counts = [design.counts(at) for at in range(k)]
    of_mean = np.array([float((of**2).sum()) / n for of in counts])
    holds = np.empty((k + 1, k + 1))
    for one in range(k):
        for other in range(k):
            met = design.meetings(one, other)
            squared = met.multiply(met).sum(axis=1)
            holds[one, other] = float((squared / counts[one]).sum()) - of_mean[other]
        holds[one, k] = len(counts[one]) - 1
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
    """Covariance (k + 1, k + 1) of the moments' estimates over studies of this design with these variances."""
    rng = np.random.default_rng(seed)
    deviation = np.sqrt(np.maximum(variance, 0.0))
    k, n = len(design.sources), design.ratings
    counts = [design.counts(at) for at in range(k)]
    solve = np.linalg.inv(expected(design))
    studies = int(np.clip(MOST_SCORES // n, *SIMULATED))
    found = np.empty((studies, k + 1))
    finer = [design.finer(at) for at in range(k)]
    for study in range(studies):
        score = rng.normal(0, deviation[-1], n)
        effects = [
            rng.normal(0, spread, source.levels)
            for source, spread in zip(design.sources, deviation, strict=False)
        ]
        for effect, within in zip(effects, finer, strict=True):
            if within is not None:
                effects[within[0]] += effect[within[1]]
        for source, effect, within in zip(design.sources, effects, finer, strict=True):
            if within is None:
                score += effect[source.level]
        score -= score.mean()
        totals = _sums(design, score, finer)
        squares = [float((total**2 / of).sum()) for total, of in zip(totals, counts, strict=True)]
        found[study] = solve @ [*squares, float((score**2).sum())]
        if on_progress is not None:
            on_progress((study + 1) / studies)
    return np.atleast_2d(np.cov(found.T))


def _sums(design: Design, score: Floats, finer: list[tuple[int, NDArray[np.int64]] | None]) -> list[Floats]:
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
