"""The curve on resampled items, spread as far as raters make it, for `knee_intervals`.

A sample takes items with replacement, each with the same shuffles of its ratings. What raters carry from item to
item is added: how the curve varies without one of about twenty parts of the raters after the other, minus how it varies
where every item leaves out these parts in a separate order.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.rank_rows import correlate, prepare_reference
from analysis.correlation.two_columns import CountedRows, is_counting_faster
from analysis.repetitions.knee import USUAL
from analysis.repetitions.rating_orders import BY_ITEM, ScoreTable, cells, lay_out
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.resampling.intervals import FISHER, inflate_samples
from analysis.values.estimate import BootstrapSpec, Floats, InputError, OnProgress
from analysis.values.ratings import Ratings, coded

Whole = NDArray[np.int64]
Part = Mapping[Any, int]
"""A rater's part."""
PARTS = 20
"""Of a group's raters, each left out once; with fewer raters each is a part."""
AT_ONCE = 10
"""Resampled studies between two looks at whether somebody has stopped them."""


def resampled_curves(
    ratings: Ratings,
    reference: Ratings | Mapping[Any, float] | None = None,
    spec: RepetitionSpec | None = None,
    bootstrap: BootstrapSpec | None = None,
    shuffles: int = 20,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> Floats:
    """The mean curve of each of many resampled studies.

    Source: Cameron, Gelbach & Miller 2011, section 2.2 (items + raters - their crossing), with a jackknife of raters.
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
    study = _Resampling(ratings, known, replace(spec, shuffles=shuffles), m)
    of_items, of_raters = (np.random.default_rng([spec.seed, bootstrap.seed, which]) for which in (0, 1))
    parts: list[Part] = []
    if raters_are_persons:
        parts = study.deal(of_raters, reference if isinstance(reference, Ratings) else None)
    steps = bootstrap.draws + sum(2 * _number(part) for part in parts)
    done = 0

    def step(figure: Floats) -> Floats:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done / steps)
        return figure

    def each(of: Callable[[Whole], Floats], rows: Whole) -> Floats:
        blocks = (rows[at : at + AT_ONCE] for at in range(0, len(rows), AT_ONCE))
        return np.array([step(figure) for block in blocks for figure in of(block)]).reshape(-1, m)

    drawn = each(study.of_items, of_items.integers(0, study.items, (bootstrap.draws, study.items)))
    spread = np.zeros(m)
    for part in parts:
        own = np.tile(np.arange(_number(part)), (study.items, 1))
        without = study.without(part)
        shared, apart = (each(without, order.T) for order in (own, of_raters.permuted(own, axis=1)))
        spread += (_number(part) - 1) * (shared.var(axis=0) - apart.var(axis=0))
    return inflate_samples(drawn, np.maximum(np.nan_to_num(spread), 0), FISHER)


class _Resampling:
    """The study that is drawn from: its items, what they are held against, and a few shuffles of their ratings."""

    def __init__(
        self, ratings: Ratings, known: Mapping[Any, float] | None, spec: RepetitionSpec, m: int
    ) -> None:
        layout = lay_out(ratings)
        ids = layout.items.tolist()
        values = np.array([np.nan if known is None else known.get(item, np.nan) for item in ids])
        rows = np.arange(len(ids)) if known is None else np.flatnonzero(~np.isnan(values))
        self.spec, self.m, self.h = spec, m, m if known is None else 0
        self.item, self.raters = layout.items[rows], np.unique(ratings.rater)
        self.items = len(rows)
        self.table = ScoreTable(ratings, layout)
        every = [cell[:, :, rows] for _, cell in cells(layout, spec.order, spec.shuffles, spec.seed)]
        self.cell = np.concatenate(every, axis=1)
        self.counts = layout.counts[rows]
        self.needed = np.arange(1, m + 1) + self.h
        self.against = self._latter_half(self.cell, self.counts) if self.h else values[rows]
        self.running = self._running(self.cell[:m], self.counts)
        self.counted = self._counted() if spec.correlation == "spearman" else []
        self.other: _Reference | None = None

    def of_items(self, picked: Whole) -> Floats:
        """(d, m) the mean curves of items drawn (d, n)."""
        if self.counted and self.spec.aggregation in BY_ITEM:
            times = np.array([np.bincount(one, minlength=self.items) for one in picked])
            return self._of_counted(np.broadcast_to(self.against, (len(times), *self.against.shape)), times)
        return np.array([self._of_picked(one) for one in picked])

    def _of_picked(self, picked: Whole) -> Floats:
        counts = self.counts[picked]
        if self.spec.aggregation in BY_ITEM:
            values, span = self.running[0][:, :, picked], self.running[1]
        else:
            values, span = self._running(self.cell[: self.m, :, picked], counts)
        return self._curve(values, span, self.against[..., picked], counts)

    def deal(self, rng: np.random.Generator, reference: Ratings | None) -> list[Part]:
        """The raters dealt into parts, those of the candidate group and those of the reference alone."""
        dealt = [_dealt(rng, self.raters)]
        if reference is not None:
            self.other = _Reference(reference, self.item, self.against)
            dealt.append(_dealt(rng, np.setdiff1d(self.other.raters, self.raters)))
        return [part for part in dealt if _number(part) > 1]

    def without(self, part: Part) -> Callable[[Whole], Floats]:
        """What gives (d, m) Fisher's z of the curves where each item leaves out the ratings of one part (d, n) of the
        raters.

        An item that has fewer left than it needs starts over with them, or keeps its own where none are left for one
        of its sides.
        """
        code = np.array([part.get(rater, -1) for rater in self.raters.tolist()])
        ours = bool((code >= 0).any())
        cell = np.ascontiguousarray(np.moveaxis(self.cell, 0, 2)) if ours else self.cell
        rater = self.table.rater.ravel()[cell]
        there, parts = rater >= 0, code[rater]

        def of(gone: Whole) -> Floats:
            against = [self.against if self.other is None else self.other.without(part, one) for one in gone]
            if ours:
                curves = [
                    self._left(cell, there, parts != one[:, None], known)
                    for one, known in zip(gone, against, strict=True)
                ]
            elif self.counted:
                return self._z(self._of_counted(np.array(against), np.ones(gone.shape, dtype=np.int64)))
            else:
                curves = [self._curve(*self.running, known, self.counts) for known in against]
            return self._z(np.array(curves))

        return of

    def _left(
        self, cell: NDArray[np.intp], there: NDArray[np.bool_], kept: NDArray[np.bool_], against: Floats
    ) -> Floats:
        """(m,) the mean curve of the cells `there` (shuffles, n, places) that are `kept`."""
        left = there & kept
        fewest = np.minimum(self.counts, 2 * self.h) - self.h if self.h else np.zeros_like(self.counts)
        few = left.sum(axis=2) <= fewest
        left[few] = there[few]
        number = left.sum(axis=2)
        first = np.cumsum(number).reshape(number.shape) - number
        places = np.arange(max(self.m, min(2 * self.h, cell.shape[2])))[:, None, None]
        taken = cell[left].take(first + places % number)
        if self.h:
            against = self._latter_half(taken, number)
        return self._curve(*self._running(taken[: self.m], self.counts), against, self.counts)

    def _z(self, curves: Floats) -> Floats:
        return np.asarray(FISHER.forward(curves))

    def _running(self, cell: NDArray[np.intp], counts: Whole) -> tuple[Whole, Whole]:
        given = np.arange(self.m)[:, None] < counts
        return self.table.values(self.spec.aggregation, cell, given)

    def _curve(self, values: Whole, span: Whole, against: Floats, counts: Whole) -> Floats:
        """(m,) mean over shuffles; items with fewer ratings leave the curve as they do in the study itself."""
        rho = np.empty(values.shape[:2])
        for at in self._stretches(counts):
            which = counts >= self.needed[at.start]
            part, known = values[at], against
            if not which.all():
                part, known = part[:, :, which], known[..., which]
            rho[at] = correlate(
                self.spec.correlation, part, span[at], prepare_reference(self.spec.correlation, known)
            )
        return _mean_of_orders(rho)

    def _counted(self) -> list[tuple[slice, NDArray[np.bool_], CountedRows]]:
        """The study's own values ready to be counted, stretch by stretch; none where sorting them is sooner done."""
        values, span = self.running
        made = []
        for at in self._stretches(self.counts):
            which = self.counts >= self.needed[at.start]
            part = values[at][:, :, which]
            if not is_counting_faster(part, span[at]):
                return []
            made.append((at, which, CountedRows(part, span[at])))
        return made

    def _of_counted(self, against: Floats, times: Whole) -> Floats:
        """(d, m) mean curves of items that count so many times (d, n), each draw against its own values."""
        rho = np.empty((*self.running[0].shape[:2], len(times)))
        for at, which, counted in self.counted:
            rho[at] = counted.spearman(against[..., which], times[:, which])
        return np.array([_mean_of_orders(one) for one in np.moveaxis(rho, 2, 0)])

    def _stretches(self, counts: Whole) -> Iterator[slice]:
        """Stretches of r that rest on the same items."""
        number = (counts >= self.needed[:, None]).sum(axis=1)
        ends = [*(np.flatnonzero(np.diff(number)) + 1).tolist(), self.m]
        for start, end in zip([0, *ends], ends, strict=False):
            yield slice(start, end)

    def _latter_half(self, cell: NDArray[np.intp], left: Whole) -> Floats:
        """(shuffles, n) mean of the last h of an item's first 2 h ratings, of those that are left (…, n)."""
        ends = np.minimum(self.counts, 2 * self.h)
        scores = self.table.scores.ravel()
        total, number = np.zeros(cell.shape[1:]), np.zeros(cell.shape[1:])
        for place in range(min(2 * self.h, len(cell))):
            counts = (place >= ends - self.h) & (place < np.minimum(ends, left))
            total += counts * scores[cell[place]]
            number += counts
        return np.asarray(total / np.maximum(number, 1))


class _Reference:
    """The reference group's item means without some of its raters."""

    def __init__(self, ratings: Ratings, items: NDArray[Any], means: Floats) -> None:
        place = np.searchsorted(items, ratings.item)
        shared = place < len(items)
        shared[shared] = items[place[shared]] == ratings.item[shared]
        self.item, self.score, self.means = place[shared], ratings.score[shared], means
        self.raters, self.rater = coded(ratings.rater[shared])

    def without(self, part: Part, gone: Whole) -> Floats:
        """(n,) means; an item that has ratings of that part only keeps its own."""
        code = np.array([part.get(rater, -1) for rater in self.raters.tolist()])
        left = code[self.rater] != gone[self.item]
        item, n = self.item[left], len(self.means)
        count = np.bincount(item, minlength=n)
        total = np.bincount(item, weights=self.score[left], minlength=n)
        return np.where(count > 0, total / np.maximum(count, 1), self.means)


def _dealt(rng: np.random.Generator, raters: NDArray[Any]) -> Part:
    """Each rater's part, parts as equal as can be."""
    part = np.arange(len(raters)) % PARTS
    return dict(zip(raters.tolist(), rng.permutation(part).tolist(), strict=True))


def _number(part: Part) -> int:
    return max(part.values(), default=-1) + 1


def _means(reference: Ratings) -> dict[Any, float]:
    mos = reference.mos()
    return dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))


def _mean_of_orders(rho: Floats) -> Floats:
    """(m,) means over shuffles of (m, s), NaN where all are."""
    there = ~np.isnan(rho)
    number = there.sum(axis=1)
    return np.where(number > 0, np.where(there, rho, 0).sum(axis=1) / np.maximum(number, 1), np.nan)
