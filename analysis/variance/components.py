"""How much of the ratings' variance is items, raters, systems, topics and the rest, and how well that is known."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.intervals import percentiles
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.types import Floats, OnProgress
from analysis.variance.jackknives import (
    FEWEST_ITEMS,
    FEWEST_OF_BOTH,
    Figure,
    Jackknife,
    average_repeats,
    jackknife_components,
)
from analysis.variance.mean_squares import drawn, weights
from analysis.variance.moments import covariance, moments, solvable
from analysis.variance.reml import MOST_LEVELS, NO_REST, levels_left, reml
from analysis.variance.sources import ITEM, RATER, REST, SYSTEM, TOPIC, Design, Source, Unseparated, design

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
        ends = percentiles(values, drawn, self.level)
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
    """Whether the design is small enough for REML; the variances of others take less than the design itself."""
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
