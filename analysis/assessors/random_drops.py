"""What dropping as many raters at random does to the ranking of systems."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.assessors.exclusion import Exclusion, ExclusionSpec, before_and_after
from analysis.assessors.exclusion_intervals import who_may_go
from analysis.assessors.ranking_change import correlations
from analysis.assessors.system_model import kept_means
from analysis.pairs.system_table import cells
from analysis.resampling.draws import blocks
from analysis.values.estimate import Estimate
from analysis.values.types import Floats, OnProgress

_BLOCK = 2_000_000
"""Cells in a block of random exclusions."""


@dataclass(frozen=True, eq=False)
class RandomDrops:
    """What dropping equally many random raters does to the ranking.

    `pearson`, `spearman`: median, 5% and 95% over the n draws in which they are defined; `pearsons`,
    `spearmans` (d,) each draw; `dropped` raters in each; `every`: these are all possible choices.
    """

    pearson: Estimate
    spearman: Estimate
    pearsons: Floats
    spearmans: Floats
    dropped: int
    every: bool
    reason: str = ""


def random_drops(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    point: Exclusion,
    spec: ExclusionSpec | None = None,
    on_progress: OnProgress = None,
) -> RandomDrops:
    """How well the ranking survives when as many raters go at random.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    point : what `exclusion` found on the same ratings
    spec : random exclusions and seed
    on_progress : called between blocks with the share done

    Returns
    -------
    RandomDrops
        (d,) correlations: all possible choices where these are at most `spec.random`.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    The chosen raters may be among the random ones. Source: methods, section 3 ("dropping equally many random
    assessors").
    """
    spec = ExclusionSpec() if spec is None else spec
    table = cells(system, topic, rater, score)
    w, gone = len(table.raters), len(point.excluded)
    reason = point.reason or ("" if spec.random else "no random exclusions were asked for")
    if reason:
        none = Estimate(nan, reason=reason)
        return RandomDrops(none, none, np.empty(0), np.empty(0), gone, False, reason)
    chosen, every = who_may_go(w, gone, spec.random, np.random.default_rng([spec.seed, 2]))
    everyone = kept_means(table, np.ones(w, dtype=bool))
    of_draws = np.empty((2, len(chosen)))
    for block in blocks(len(chosen), _BLOCK // max(len(table.system), 1), on_progress):
        left = np.stack([kept_means(table, ~np.isin(np.arange(w), some)) for some in chosen[block]])
        before, after, _, _ = before_and_after(table, everyone, left, spec.method, len(chosen))
        of_draws[:, block] = correlations(before, after)
    return RandomDrops(_middle(of_draws[0]), _middle(of_draws[1]), of_draws[0], of_draws[1], gone, every)


def _middle(figures: Floats) -> Estimate:
    known = figures[~np.isnan(figures)]
    if not len(known):
        return Estimate(nan, reason="the correlation is undefined in every random exclusion")
    low, middle, high = np.quantile(known, [0.05, 0.5, 0.95])
    return Estimate(float(middle), float(low), float(high), len(known))
