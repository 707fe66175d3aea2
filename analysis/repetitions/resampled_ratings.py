"""The curve again on resampled items and raters: what `knee_intervals` reads.

A draw takes items and, within each group, raters with replacement; each drawn item then gets fresh shuffles
of the ratings by the drawn raters, copies included, and starts over with them where there are fewer than m.
All draws of a block go through the correlation at once.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.running import correlate, prepared
from analysis.repetitions.knee_intervals import USUAL
from analysis.repetitions.rating_orders import lay_out, permutations, resolve
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.score_table import ScoreTable
from analysis.resampling.draws import OnProgress, blocks
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings


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

    Split halves draw items only, since a rater drawn twice would stand on both sides.
    Source: Owen 2007 (pigeonhole bootstrap).
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
    for block in blocks(bootstrap.draws, _BLOCK // (study.items * study.places * shuffles), on_progress):
        drawn[block] = study.draw(rng, block.stop - block.start, shuffles)
    return drawn


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
    mos = reference.mos()
    return dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))


def _mean_of_orders(rho: NDArray[np.float64]) -> NDArray[np.float64]:
    """(d, m) means over shuffles of (m, d, s), NaN where all are."""
    there = ~np.isnan(rho)
    number = there.sum(axis=2)
    total = np.where(there, rho, 0).sum(axis=2)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan).T
