"""Each surrogate's place on the way from a lower baseline, such as the first words of a text, to the full text."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan, sqrt

import numpy as np

from analysis.relevance.metric_means import Units
from analysis.resampling.intervals import by_error, fieller
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.types import Floats

NOT_ABOVE = "the full text is not clearly better than the baseline"
NO_SPREAD = "nothing was resampled, so it is not known whether the full text is better than the baseline"
IS_END = "it is one end of the way"


@dataclass(frozen=True, eq=False)
class Spread:
    """Covariances (kinds, k, k) of k figures under draws of each kind, for new units, of which there are `many` each.

    Kinds are raters and events, or only one of them; none where nothing was resampled.
    """

    covariance: Floats
    many: tuple[int, ...]

    def chance(self, weights: Floats) -> tuple[float, float]:
        """Return the variance of a weighted sum (k,) of the figures, and Satterthwaite's degrees of freedom."""
        used = np.flatnonzero(weights)
        parts = np.array(
            [weights[used] @ each[np.ix_(used, used)] @ weights[used] for each in self.covariance]
        )
        total = float(parts.sum())
        spread = float((parts**2 / (np.array(self.many) - 1)).sum()) if len(parts) else 0.0
        return total, total**2 / spread if spread > 0 else np.inf


def spread_of(drawn: Floats, of: Units, spec: BootstrapSpec) -> Spread:
    """Return the covariances of figures (k, kinds x draws) under resampling (Cameron, Gelbach and Miller 2011)."""
    many = tuple(n for n in (of.raters, of.units) if n > 1)[: of.kinds]
    if spec.draws < 2 or not many or len(many) < of.kinds:
        return Spread(np.empty((0, len(drawn), len(drawn))), ())
    kinds = np.moveaxis(drawn.reshape(len(drawn), of.kinds, -1), 1, 0)
    known = (~np.isnan(kinds)).astype(np.float64)
    counts = np.maximum(known.sum(axis=2, keepdims=True), 1)
    means = np.nansum(kinds, axis=2, keepdims=True) / counts
    apart = np.where(known > 0, kinds - means, 0.0)
    both = known @ np.swapaxes(known, 1, 2)
    covariance = (apart @ np.swapaxes(apart, 1, 2)) / np.where(both > 1, both - 1, nan)
    widened = np.array([n / (n - 1) for n in many])
    return Spread(covariance * widened[:, None, None], many)


def way_to_full_text(
    values: Sequence[Estimate], spread: Spread, baseline: int, full_text: int, level: float = 0.95
) -> tuple[tuple[Estimate, ...], Estimate]:
    """Return each surrogate's share of the way from the baseline to the full text, and the length of the way.

    Parameters
    ----------
    values : figures of the k surrogates, such as their accuracy
    spread : of these figures
    baseline, full_text : places of both ends

    Returns
    -------
    shares : (k,)
        (value - baseline) / (full text - baseline) with Fieller's interval; NaN with the reason at both ends, where a
        figure is undefined, and where the way is not clearly longer than 0.
    way : full text minus baseline, with its interval

    Notes
    -----
    Source: Fieller 1954; the two baselines are those of Hobson, Dorr, Monz and Schwartz 2007, section 7.

    >>> figures = [Estimate(0.5), Estimate(0.65), Estimate(0.7)]
    >>> spread = Spread(np.diag([1e-4, 1e-4, 1e-4])[None], (101,))
    >>> shares, way = way_to_full_text(figures, spread, baseline=0, full_text=2)
    >>> round(shares[1].value, 2), round(way.value, 2), shares[0].reason
    (0.75, 0.2, 'it is one end of the way')
    """
    low, top = values[baseline], values[full_text]
    unit = np.eye(len(values))
    length = top.value - low.value
    variance, degrees = spread.chance(unit[full_text] - unit[baseline])
    ends = by_error(length, sqrt(variance) if variance >= 0 else nan, level, degrees)
    n = min(low.n, top.n)
    way = Estimate(length, nan, nan, n, low.reason or top.reason)
    if spread.many and not isnan(length):
        way = Estimate(length, float(ends.low), float(ends.high), n)

    def share(place: int) -> Estimate:
        one = values[place]
        if place in (baseline, full_text):
            return Estimate(nan, n=one.n, reason=IS_END)
        if not (one.defined and low.defined and top.defined):
            return Estimate(nan, n=one.n, reason=one.reason or low.reason or top.reason)
        if not spread.many:
            return Estimate(nan, n=one.n, reason=NO_SPREAD)
        if not way.low > 0:
            return Estimate(nan, n=one.n, reason=NOT_ABOVE)
        above, below = unit[place] - unit[baseline], unit[full_text] - unit[baseline]
        value = (one.value - low.value) / length
        _, of_both = spread.chance(above - value * below)
        total = spread.covariance.sum(axis=0)
        pair = np.array([above, below])
        of_ratio = fieller(one.value - low.value, length, pair @ total @ pair.T, level, of_both)
        if not np.isfinite(of_ratio).all():
            return Estimate(nan, n=one.n, reason=NOT_ABOVE)
        return Estimate(value, float(of_ratio.low), float(of_ratio.high), one.n)

    return tuple(share(place) for place in range(len(values))), way
