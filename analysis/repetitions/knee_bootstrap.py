"""How sure the knee is: the whole estimate again on resampled items and raters.

A draw takes items and, within each group, raters with replacement; each drawn item then gets fresh shuffles
of the ratings by the drawn raters, copies included, and starts over with them where there are fewer than m.
All draws of a block go through the correlation at once.

Copies add no information, so the curves of draws lie below the data's, the more the more ratings are
averaged. Draws therefore give the spread around their own mean; band and knees are those of the draws moved
(on Fisher's scale) so that their mean curve is the estimate's. A slow test counts how often the
band then holds the truth: 94 to 98 % at most numbers of ratings.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.running import correlate, prepared
from analysis.repetitions import attenuation
from analysis.repetitions.curves import Curves
from analysis.repetitions.rating_orders import lay_out, permutations, resolve
from analysis.repetitions.repetition import RepetitionSpec, fit, simulate
from analysis.repetitions.saturation import fit_means, knees, mean_and_number
from analysis.repetitions.score_table import ScoreTable
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings

OnProgress = Callable[[float], object] | None
_CLOSEST = 1 - 1e-9
"""Correlations nearer to 1 are taken back to this before Fisher's z."""


@dataclass(frozen=True, eq=False)
class KneeInterval:
    """The knee with its interval, and the curve's.

    `knee` the estimate; its `low` and `high` hold the middle of the draws that have a knee; `without_knee`
    the share of draws that have none. `mean` (m,) is the curve's mean over orders, `low` (m,) and `high` (m,)
    its band. `rho_inf` (d,) and `ratings_for_half` (d,) are the attenuation curve of each draw. `resampled`
    says what was drawn.
    """

    knee: Estimate
    without_knee: float
    mean: NDArray[np.float64] = field(repr=False)
    low: NDArray[np.float64] = field(repr=False)
    high: NDArray[np.float64] = field(repr=False)
    rho_inf: NDArray[np.float64] = field(repr=False)
    ratings_for_half: NDArray[np.float64] = field(repr=False)
    draws: int = 0
    reason: str = ""


USUAL = BootstrapSpec(draws=100)
"""Draws where none are asked for: each repeats a whole simulation."""


def bootstrap_knee(
    ratings: Ratings,
    reference: Ratings | Mapping[Any, float] | None = None,
    spec: RepetitionSpec | None = None,
    bootstrap: BootstrapSpec | None = None,
    shuffles: int = 20,
    sensitivity: float = 1.0,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> KneeInterval:
    """The knee with an interval over items and raters, and a band for the curve.

    Parameters
    ----------
    ratings, reference, bootstrap, shuffles, raters_are_persons, on_progress : as for `resampled_curves`
    spec : of the simulation
    sensitivity : of the knee

    Returns
    -------
    KneeInterval
        arrays (m,) and (d,).

    Raises
    ------
    InputError
        as `simulate`, and for fewer than one shuffle. What `on_progress` raises stops the work.

    Notes
    -----
    Answers: would another study of this size have put the knee elsewhere? Not whether the knee is the right
    place to stop: it moves with m.
    Source: Owen 2007 (pigeonhole bootstrap); methods, sections 0 and 2.
    """
    spec = spec or RepetitionSpec()
    bootstrap = bootstrap or USUAL
    known = _means(reference) if isinstance(reference, Ratings) else reference
    curves = simulate(ratings, known, spec)
    drawn = resampled_curves(ratings, reference, spec, bootstrap, shuffles, raters_are_persons, on_progress)
    return knee_interval(curves, drawn, sensitivity, bootstrap.level)


def resampled_curves(
    ratings: Ratings,
    reference: Ratings | Mapping[Any, float] | None = None,
    spec: RepetitionSpec | None = None,
    bootstrap: BootstrapSpec | None = None,
    shuffles: int = 20,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> NDArray[np.float64]:
    """The mean curve of each of many resampled studies.

    Parameters
    ----------
    ratings : N ratings of the candidate group
    reference : the reference group's ratings, whose raters are then drawn too; or item id -> value; or None
        for split halves
    spec : of the simulation; its number of shuffles does not matter
    bootstrap : draws and seed; 100 draws if not given
    shuffles : in each draw
    raters_are_persons : if not, only items are drawn
    on_progress : called between blocks with the share done

    Returns
    -------
    (d, m) array
        NaN where no shuffle of a draw is defined; no rows where there is nothing to correlate.

    Raises
    ------
    InputError
        as `simulate`, and for fewer than one shuffle. What `on_progress` raises stops the work.

    Notes
    -----
    Answers nothing by itself: `knee_interval` reads it. Split halves draw items only, since a rater drawn
    twice would stand on both sides.
    Source: Owen 2007 (pigeonhole bootstrap); methods, sections 0 and 2.
    """
    spec = spec or RepetitionSpec()
    bootstrap = bootstrap or USUAL
    if shuffles < 1:
        raise InputError(f"`shuffles` must be 1 or more, got {shuffles}")
    known = _means(reference) if isinstance(reference, Ratings) else reference
    curves = simulate(ratings, known, replace(spec, shuffles=0))
    m = curves.repetitions
    if m == 0 or curves.items[0] < 2:
        return np.empty((0, m))
    study = _Resampling(ratings, reference, known, spec, m, raters_are_persons and reference is not None)
    rng = np.random.default_rng([spec.seed, bootstrap.seed])
    drawn = np.empty((bootstrap.draws, m))
    block = max(1, _BLOCK // (study.items * study.places * shuffles))
    for start in range(0, bootstrap.draws, block):
        size = min(block, bootstrap.draws - start)
        drawn[start : start + size] = study.draw(rng, size, shuffles)
        if on_progress is not None:
            on_progress((start + size) / bootstrap.draws)
    return drawn


def knee_interval(
    curves: Curves, drawn: NDArray[np.float64], sensitivity: float = 1.0, level: float = 0.95
) -> KneeInterval:
    """The knee of a study's curves with the interval that resampled studies give it.

    Parameters
    ----------
    curves : of the study itself: measured (m,), shuffled (k, m)
    drawn : (d, m) mean curves of resampled studies, from `resampled_curves`
    sensitivity : of the knee
    level : to cover

    Returns
    -------
    KneeInterval
        arrays (m,) and (d,).

    Raises
    ------
    InputError
        for a negative sensitivity.

    Notes
    -----
    Answers: would another study of this size have put the knee elsewhere?
    Source: Owen 2007; moving the draws to the estimate as Efron and Tibshirani 1993, section 10 (bias).
    """
    mean, _ = mean_and_number(curves.points)
    return interval_of_draws(curves, _moved(drawn, mean), sensitivity, level)


def interval_of_draws(
    curves: Curves, moved: NDArray[np.float64], sensitivity: float = 1.0, level: float = 0.95
) -> KneeInterval:
    """The knee's interval from draws that have been moved to the estimate already.

    Parameters
    ----------
    curves : of the study itself: measured (m,), shuffled (k, m)
    moved : (d, m) mean curves of resampled studies, their mean that of the study
    sensitivity : of the knee
    level : to cover

    Returns
    -------
    KneeInterval
        arrays (m,) and (d,).

    Raises
    ------
    InputError
        for a negative sensitivity.

    Notes
    -----
    Answers: the same as `knee_interval`, for curves of anything that is not a correlation.
    Source: Owen 2007 (pigeonhole bootstrap); methods, sections 0 and 2.
    """
    m = curves.repetitions
    estimate = fit(curves)
    found = int(knees(np.array([estimate.a]), np.array([estimate.b]), max(m, 1), sensitivity)[0])
    mean, number = mean_and_number(curves.points)
    items = int(curves.items.max(initial=0))
    if len(moved) == 0 or not (number > 0).any():
        nothing, none = np.full(m, np.nan), np.zeros(0)
        knee = Estimate(float(found or np.nan), n=items, reason=estimate.reason)
        return KneeInterval(knee, np.nan, mean, nothing, nothing, none, none, 0, curves.reason)
    a, b, _, _ = fit_means(moved, np.ones_like(moved), np.full(len(moved), m))
    each = knees(a, b, max(m, 1), sensitivity)
    limit, half = attenuation.fit_means(moved, np.ones_like(moved))
    tails = (1 - level) / 2, (1 + level) / 2
    low, high = _quantiles(moved, tails)
    return KneeInterval(
        _knee_estimate(found, each, tails, items, m, estimate.reason),
        float((each == 0).mean()),
        mean,
        np.fmin(low, mean),
        np.fmax(high, mean),
        limit,
        half,
        len(moved),
    )


_BLOCK = 1 << 16
"""Ratings of drawn studies at once: what they need stays in the processor's cache."""


class _Resampling:
    """The study that is drawn from: item rows, raters, reference."""

    def __init__(
        self,
        ratings: Ratings,
        reference: Ratings | Mapping[Any, float] | None,
        known: Mapping[Any, float] | None,
        spec: RepetitionSpec,
        m: int,
        draw_raters: bool,
    ) -> None:
        layout = lay_out(ratings)
        values = np.array(
            [np.nan if known is None else known.get(item, np.nan) for item in layout.items.tolist()]
        )
        rows = np.arange(len(layout.items)) if known is None else np.flatnonzero(~np.isnan(values))
        self.spec, self.m, self.draw_raters = spec, m, draw_raters
        self.order = resolve(spec.order, layout)
        self.table = ScoreTable(ratings, layout)
        self.h = m if known is None else 0
        self.places = m + self.h
        self.rater, self.rows = layout.rater[rows], rows
        self.counts = layout.counts[rows]
        self.items, self.width = self.rater.shape
        self.values = values[rows]
        self.reference = None
        if isinstance(reference, Ratings) and draw_raters:
            self.reference = _Reference(reference, layout.items[rows], self.values)

    def draw(self, rng: np.random.Generator, draws: int, shuffles: int) -> NDArray[np.float64]:
        """(draws, m) mean curves of that many resampled studies."""
        picked = rng.integers(0, self.items, (draws, self.items))
        cell = np.empty((self.places, draws * shuffles, self.items), dtype=np.intp)
        known = np.empty((draws, self.items))
        for d in range(draws):
            cell[:, d * shuffles : (d + 1) * shuffles] = self._cells(rng, picked[d], shuffles)
            values = self.values if self.reference is None else self.reference.draw(rng)
            known[d] = values[picked[d]]
        counts = np.minimum(self.counts[picked], self.places)
        half = self._latter_half(cell, np.repeat(counts, shuffles, axis=0)) if self.h else None
        first = cell[: self.m]
        given = np.ones((self.m, self.items), dtype=bool)
        running, span = self.table.values(self.spec.aggregation, first, given)
        rho = np.empty((self.m, draws * shuffles))
        if counts.min() >= self.places:
            if half is None:
                against = np.repeat(prepared(self.spec.correlation, known), shuffles, axis=0)
            else:
                against = prepared(self.spec.correlation, half)
            rho[:] = correlate(self.spec.correlation, running, span, against)
        else:
            values = np.repeat(known, shuffles, axis=0) if half is None else half
            for d in range(draws):
                part = slice(d * shuffles, (d + 1) * shuffles)
                self._one_by_one(rho, running, span, values, counts[d], part)
        return _mean_of_orders(rho.reshape(self.m, draws, shuffles))

    def _cells(self, rng: np.random.Generator, picked: NDArray[np.int64], shuffles: int) -> NDArray[np.intp]:
        """(places, shuffles, n) cells of the drawn items' ratings by the drawn raters, in fresh orders."""
        raters = self.table.raters
        times = np.ones(raters + 1, dtype=np.int64)
        if self.draw_raters:
            times[:-1] = np.bincount(rng.integers(0, raters, raters), minlength=raters)
        times[-1] = 0  # rater -1: past the last rating
        rater = self.rater[picked]
        copies = times[rater]
        missed = copies.sum(axis=1) == 0
        copies[missed] = rater[missed] >= 0  # none of its raters was drawn: the item keeps them
        total = copies.sum(axis=1)
        n, w = rater.shape
        wide = int(total.max())
        filled = np.arange(wide) < total[:, None]
        cell = np.zeros((n, wide), dtype=np.intp)
        own = (self.rows[picked] * w)[:, None] + np.arange(w)
        cell[filled] = np.repeat(own.ravel(), copies.ravel())
        if self.order == "within items":
            column = permutations(rng, (shuffles, n, wide), counts=total)
        elif self.order == "by column":
            column = np.repeat(permutations(rng, (shuffles, 1, wide)), n, axis=1) % total[:, None]
        else:
            column = self._by_rater(rng, times, rater, copies, filled, shuffles)
        if total.min() >= self.places:
            column = column[:, :, : self.places]
        else:
            again = np.broadcast_to(np.arange(self.places) % total[:, None], (shuffles, n, self.places))
            column = np.take_along_axis(column, again, axis=-1)
        column = column + (np.arange(n) * wide)[:, None]
        drawn: NDArray[np.intp] = cell.ravel().take(column).transpose(2, 0, 1)
        return drawn

    def _by_rater(
        self,
        rng: np.random.Generator,
        times: NDArray[np.int64],
        rater: NDArray[np.int64],
        copies: NDArray[np.int64],
        filled: NDArray[np.bool_],
        shuffles: int,
    ) -> NDArray[np.int64]:
        """Columns by a random order of the drawn raters, each copy a rater of its own."""
        n, wide = filled.shape
        slots = np.maximum(times[:-1], 1)
        first = np.cumsum(slots) - slots
        each = np.repeat(rater.ravel(), copies.ravel())
        start = np.cumsum(copies.ravel()) - copies.ravel()
        copy = np.arange(len(each)) - np.repeat(start, copies.ravel())
        slot = np.full((n, wide), int(slots.sum()))
        slot[filled] = first[each] + np.minimum(copy, slots[each] - 1)
        rank = np.full((shuffles, int(slots.sum()) + 1), int(slots.sum()))
        rank[:, :-1] = permutations(rng, (shuffles, int(slots.sum())))
        keys: NDArray[np.int64] = rank[:, slot] * wide + np.arange(wide)
        keys.sort(axis=-1)
        keys %= wide
        return keys

    def _latter_half(self, cell: NDArray[np.intp], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """(b, n) mean of the last h of each item's ratings."""
        scores = self.table.scores.ravel()
        total = np.zeros(counts.shape)
        for back in range(1, self.h + 1):
            place = np.maximum(counts - back, 0)
            total += scores[np.take_along_axis(cell, place[None], axis=0)[0]]
        mean: NDArray[np.float64] = total / self.h
        return mean

    def _one_by_one(
        self,
        rho: NDArray[np.float64],
        values: NDArray[np.int64],
        span: NDArray[np.int64],
        against: NDArray[np.float64],
        counts: NDArray[np.int64],
        part: slice,
    ) -> None:
        """Items with fewer ratings leave the curve as they do in the study itself."""
        for r in range(self.m):
            which = np.flatnonzero(counts >= r + 1 + self.h)
            at = slice(r, r + 1)
            known = prepared(self.spec.correlation, against[part][:, which])
            rho[at, part] = correlate(self.spec.correlation, values[at, part][:, :, which], span[at], known)


class _Reference:
    """The reference group's item means under resampled raters."""

    def __init__(self, ratings: Ratings, items: NDArray[Any], means: NDArray[np.float64]) -> None:
        place = np.searchsorted(items, ratings.item)
        shared = place < len(items)
        shared[shared] = items[place[shared]] == ratings.item[shared]
        self.item, self.score, self.means = place[shared], ratings.score[shared], means
        raters, self.rater = np.unique(ratings.rater[shared], return_inverse=True)
        self.raters = len(raters)

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """(n,) means; an item none of whose raters was drawn keeps its own."""
        times = np.bincount(rng.integers(0, self.raters, self.raters), minlength=self.raters)[self.rater]
        count = np.bincount(self.item, weights=times, minlength=len(self.means))
        total = np.bincount(self.item, weights=times * self.score, minlength=len(self.means))
        return np.where(count > 0, total / np.maximum(count, 1), self.means)


def _means(reference: Ratings) -> dict[Any, float]:
    found = reference.mos()
    return dict(zip(found.items.tolist(), found.means.tolist(), strict=True))


def _mean_of_orders(rho: NDArray[np.float64]) -> NDArray[np.float64]:
    """(d, m) means over shuffles of (m, d, s), NaN where all are."""
    there = ~np.isnan(rho)
    number = there.sum(axis=2)
    total = np.where(there, rho, 0).sum(axis=2)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan).T


def _moved(drawn: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """The draws with their mean moved to the estimate, on Fisher's scale."""
    z = np.arctanh(np.clip(drawn, -_CLOSEST, _CLOSEST))
    there = ~np.isnan(z)
    centre = np.where(there, z, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    moved: NDArray[np.float64] = np.tanh(z - centre + np.arctanh(np.clip(mean, -_CLOSEST, _CLOSEST)))
    return moved


def _quantiles(drawn: NDArray[np.float64], tails: tuple[float, float]) -> NDArray[np.float64]:
    """(2, m), NaN where no draw is defined."""
    out = np.full((2, drawn.shape[1]), np.nan)
    some = ~np.isnan(drawn).all(axis=0)
    if some.any():
        out[:, some] = np.nanquantile(drawn[:, some], tails, axis=0)
    return out


def _knee_estimate(
    found: int, each: NDArray[np.int64], tails: tuple[float, float], items: int, m: int, reason: str
) -> Estimate:
    have = each[each > 0]
    if not found:
        told = reason or (
            "too few repetitions for a knee" if m < 6 else "the curve is not flat enough for a knee"
        )
        return Estimate(np.nan, n=items, reason=told)
    if len(have) == 0:
        return Estimate(float(found), n=items, reason="no draw has a knee, so it has no interval")
    low, high = np.quantile(have, tails, method="inverted_cdf")
    return Estimate(float(found), float(min(low, found)), float(max(high, found)), items)
