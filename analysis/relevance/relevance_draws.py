"""Chance over raters and events of a relevance study: sums in every bootstrap sample, and intervals from them.

Every rater sees the same events, so a sample weighs both; documents of an event stay together. Figures are closed in
sums over judgments, so a sample is a matrix product of sums by rater and event with how often each was drawn. Raters
and events are drawn apart and their variances added.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import isnan, sqrt
from typing import Any

import numpy as np
from scipy import sparse

from analysis.relevance.judgments import Judgments
from analysis.resampling.draws import multiplicities
from analysis.resampling.intervals import EVERYWHERE, IDENTITY, Transform, by_error, deviation, enough, wilson
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.quotients import ratio
from analysis.values.types import Codes, Floats, OnProgress

_ALIKE = 1e-12
FEW_DRAWS = "the figure is undefined in more than half of the draws, so there is no interval"
ALIKE = "every draw gives the same value, so there is no interval"
NOTHING_TO_DRAW = "a single rater and a single document cannot be resampled, so there is no interval"


@dataclass(frozen=True, eq=False)
class Units:
    """What a draw weighs: `rater` and `unit` (N,) codes of the judgments, `raters` and `units` of them.

    Units are events or, where there is only one event or one rater, documents; `resampled` says which.
    """

    rater: Codes
    unit: Codes
    raters: int
    units: int
    resampled: str

    @property
    def kinds(self) -> int:
        """How many kinds of draws there are: of raters and of units, or only of what there are several of."""
        return 2 if self.raters > 1 and self.units > 1 else 1

    @property
    def fewest(self) -> int:
        """Raters or units, whichever are fewer but more than one; 1 where nothing can be resampled."""
        return min((many for many in (self.raters, self.units) if many > 1), default=1)


def units(judgments: Judgments) -> Units:
    """What is to be resampled in these judgments (Owen 2007, "The pigeonhole bootstrap", section 2)."""
    codes = judgments.codes
    if codes.raters > 1 and codes.events > 1:
        return Units(codes.rater, codes.event, codes.raters, codes.events, "raters and events")
    alone = " and ".join(
        f"one {what}" for what, n in (("rater", codes.raters), ("event", codes.events)) if n == 1
    )
    what = " and ".join(
        many for many, n in (("raters", codes.raters), ("documents", codes.documents)) if n > 1
    )
    resampled = f"{what} (there is only {alone})" if what else "nothing"
    return Units(codes.rater, codes.document, codes.raters, codes.documents, resampled)


def drawn_sums(
    sums: Any, rater: Codes, of: Units, spec: BootstrapSpec, on_progress: OnProgress = None
) -> Iterator[tuple[Floats, Floats]]:
    """Sums and the raters' weights in blocks of draws, of raters and then of units (Cameron, Gelbach & Miller 2011,
    section 2.2)."""
    work = max(sums.nnz, sums.shape[0])
    for kind in range(of.kinds):
        tell = None if on_progress is None else _part(on_progress, kind, of.kinds)
        for of_raters, of_units in multiplicities(of.raters, of.units, spec.draws, spec.seed, work, tell):
            one_alone = of.kinds > 1
            weight = np.ones_like(of_raters.T) if one_alone and kind == 1 else of_raters.T
            times = np.ones_like(of_units.T) if one_alone and kind == 0 else of_units.T
            weight = weight[rater]
            if weight.ndim == 3:
                weight = weight[:, 0] * weight[:, 1]
            yield np.asarray(sums @ np.ascontiguousarray(times)), weight


def _part(on_progress: Callable[[float], object], at: int, parts: int) -> Callable[[float], object]:
    return lambda done: on_progress((at + done) / parts)


def with_interval(
    estimate: Estimate,
    drawn: Floats,
    of: Units,
    spec: BootstrapSpec,
    independent: int = 0,
    scale: Transform = IDENTITY,
    within: tuple[float, float] = EVERYWHERE,
) -> Estimate:
    """An estimate with the interval that its draws (kinds x draws,) give (Cameron, Gelbach & Miller 2011;
    Satterthwaite 1946; Wilson 1927)."""
    # Draws that are all alike (everybody is always right) show no chance at all; a share has Wilson's interval for
    # its documents then, other figures have none.
    if not estimate.defined or spec.draws == 0:
        return estimate
    if of.fewest == 1 and not independent:
        return replace(estimate, reason=NOTHING_TO_DRAW)
    kinds = drawn.reshape(of.kinds, -1)
    if not enough(kinds.T).all():
        return replace(estimate, reason=FEW_DRAWS)
    spread = np.nanmax(kinds, axis=1) - np.nanmin(kinds, axis=1)
    if of.fewest == 1 or float(spread.max()) <= _ALIKE:
        if not independent:
            return replace(estimate, reason=ALIKE)
        return share(estimate.value * independent, independent, spec.level, estimate)
    variance, degrees = _variance(deviation(scale.forth(kinds.T)) ** 2, of)
    low, high = by_error(estimate.value, sqrt(variance), spec.level, degrees, within, scale)
    return replace(estimate, low=float(low), high=float(high))


def _variance(squares: Floats, of: Units) -> tuple[float, float]:
    """Variance over new raters and units, and its degrees of freedom, from those of each kind of draws."""
    many = np.array([n for n in (of.raters, of.units) if n > 1])
    parts = squares * many / (many - 1)
    variance = float(parts.sum())
    return variance, variance**2 / float((parts**2 / (many - 1)).sum())


def share(hits: float, trials: int, level: float, estimate: Estimate | None = None) -> Estimate:
    """A share with Wilson's interval (Wilson 1927, "Probable inference, the law of succession, and
    statistical inference")."""
    value, low, high = (float(end) for end in wilson(hits, trials, level))
    estimate = Estimate(value, n=trials) if estimate is None else estimate
    if isnan(value):
        return estimate
    return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value))


def mean_over(groups: Any, values: Floats, weight: Floats) -> Floats:
    """Weighted means of values within groups, of those that are defined."""
    weight = np.where(np.isnan(values), 0.0, weight)
    return ratio(groups @ (weight * np.nan_to_num(values)), groups @ weight)


def membership(group: Codes, groups: int) -> Any:
    """Which group each one belongs to, as a matrix."""
    return sparse.csr_array((np.ones(len(group)), (group, np.arange(len(group)))), shape=(groups, len(group)))
