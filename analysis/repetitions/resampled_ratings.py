"""Mean curves of resampled items with the variance of raters added, for `knee_interval`.

A sample draws items with replacement, each with the same shuffles of its ratings. The variance of raters across items
is added: that of a jackknife over about twenty parts of the raters, minus the same with parts in an independent order
for each item.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.rank_rows import correlate, prepare_reference
from analysis.correlation.two_columns import CountedRows, is_counting_faster
from analysis.repetitions.knee import DEFAULT_BOOTSTRAP
from analysis.repetitions.rating_orders import ITEMWISE_AGGREGATIONS, ScoreTable, draw_cells, lay_out
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.resampling.intervals import FISHER, inflate_samples
from analysis.values.estimate import BootstrapSpec, Floats, InputError, OnProgress
from analysis.values.ratings import Ratings, coded

Integers = NDArray[np.int64]
Part = Mapping[Any, int]
"""Part of each rater."""
RATER_PARTS = 20
"""Number of parts of a group's raters, each left out once; with fewer raters each is a part."""
STUDIES_PER_STEP = 10
"""Resampled studies between checks for cancellation."""


def resampled_curves(
    ratings: Ratings,
    reference: Ratings | Mapping[Any, float] | None = None,
    spec: RepetitionSpec | None = None,
    bootstrap: BootstrapSpec | None = None,
    shuffles: int = 20,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> Floats:
    """Return the mean curve of each of many resampled studies.

    Source: Cameron, Gelbach & Miller 2011, section 2.2 (items + raters - their crossing), with a jackknife of
    raters.
    """
    spec = spec or RepetitionSpec()
    bootstrap = bootstrap or DEFAULT_BOOTSTRAP
    if shuffles < 1:
        raise InputError(f"`shuffles` must be 1 or more, got {shuffles}")
    known = _item_means(reference) if isinstance(reference, Ratings) else reference
    curves = simulate(ratings, known, replace(spec, shuffles=0))
    m = curves.repetitions
    if m == 0 or curves.items[0] < 2:
        return np.empty((0, m))
    study = _Resampling(ratings, known, replace(spec, shuffles=shuffles), m)
    item_rng, rater_rng = (np.random.default_rng([spec.seed, bootstrap.seed, which]) for which in (0, 1))
    parts: list[Part] = []
    if raters_are_persons:
        parts = study.deal_raters(rater_rng, reference if isinstance(reference, Ratings) else None)
    steps = bootstrap.draws + sum(2 * _count_parts(part) for part in parts)
    done = 0

    def step(figure: Floats) -> Floats:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done / steps)
        return figure

    def each(of: Callable[[Integers], Floats], rows: Integers) -> Floats:
        blocks = (rows[at : at + STUDIES_PER_STEP] for at in range(0, len(rows), STUDIES_PER_STEP))
        return np.array([step(figure) for block in blocks for figure in of(block)]).reshape(-1, m)

    drawn = each(study.sampled_curves, item_rng.integers(0, study.items, (bootstrap.draws, study.items)))
    rater_variance = np.zeros(m)
    for part in parts:
        own = np.tile(np.arange(_count_parts(part)), (study.items, 1))
        without = study.without(part)
        joint, independent = (each(without, order.T) for order in (own, rater_rng.permuted(own, axis=1)))
        rater_variance += (_count_parts(part) - 1) * (joint.var(axis=0) - independent.var(axis=0))
    return inflate_samples(drawn, np.maximum(np.nan_to_num(rater_variance), 0), FISHER)


class _Resampling:
    """Study to resample: its items, their reference, and a few shuffles of their ratings."""

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
        every = [cell[:, :, rows] for _, cell in draw_cells(layout, spec.order, spec.shuffles, spec.seed)]
        self.cell = np.concatenate(every, axis=1)
        self.counts = layout.counts[rows]
        self.needed = np.arange(1, m + 1) + self.h
        self.reference = self._latter_half(self.cell, self.counts) if self.h else values[rows]
        self.running = self._running_values(self.cell[:m], self.counts)
        self.counted = self._counted() if spec.correlation == "spearman" else []
        self.other: _Reference | None = None

    def sampled_curves(self, picked: Integers) -> Floats:
        """Return the mean curves (d, m) of sampled items (d, n)."""
        if self.counted and self.spec.aggregation in ITEMWISE_AGGREGATIONS:
            times = np.array([np.bincount(one, minlength=self.items) for one in picked])
            return self._counted_curves(
                np.broadcast_to(self.reference, (len(times), *self.reference.shape)), times
            )
        return np.array([self._sampled_curve(one) for one in picked])

    def _sampled_curve(self, picked: Integers) -> Floats:
        counts = self.counts[picked]
        if self.spec.aggregation in ITEMWISE_AGGREGATIONS:
            values, span = self.running[0][:, :, picked], self.running[1]
        else:
            values, span = self._running_values(self.cell[: self.m, :, picked], counts)
        return self._curve(values, span, self.reference[..., picked], counts)

    def deal_raters(self, rng: np.random.Generator, reference: Ratings | None) -> list[Part]:
        """Deal raters into parts: those of the candidate group, and those of the reference alone."""
        dealt = [_deal_raters(rng, self.raters)]
        if reference is not None:
            self.other = _Reference(reference, self.item, self.reference)
            dealt.append(_deal_raters(rng, np.setdiff1d(self.other.raters, self.raters)))
        return [part for part in dealt if _count_parts(part) > 1]

    def without(self, part: Part) -> Callable[[Integers], Floats]:
        """Return a function that gives Fisher's z of the curves (d, m) where each item excludes the ratings of one
        part (d, n) of the raters.

        An item with too few remaining ratings reuses them in order, or keeps all where none remain for one of its
        sides.
        """
        code = np.array([part.get(rater, -1) for rater in self.raters.tolist()])
        affects_candidate = bool((code >= 0).any())
        cell = np.ascontiguousarray(np.moveaxis(self.cell, 0, 2)) if affects_candidate else self.cell
        rater = self.table.rater.ravel()[cell]
        is_given, parts = rater >= 0, code[rater]

        def curves_without(gone: Integers) -> Floats:
            against = [
                self.reference if self.other is None else self.other.without(part, one) for one in gone
            ]
            if affects_candidate:
                curves = [
                    self._leave_out_curve(cell, is_given, parts != one[:, None], known)
                    for one, known in zip(gone, against, strict=True)
                ]
            elif self.counted:
                return self._to_fisher_z(
                    self._counted_curves(np.array(against), np.ones(gone.shape, dtype=np.int64))
                )
            else:
                curves = [self._curve(*self.running, known, self.counts) for known in against]
            return self._to_fisher_z(np.array(curves))

        return curves_without

    def _leave_out_curve(
        self, cell: NDArray[np.intp], is_given: NDArray[np.bool_], is_kept: NDArray[np.bool_], against: Floats
    ) -> Floats:
        """Return the mean curve (m,) of the cells `is_given` (shuffles, n, places) that are kept."""
        remaining = is_given & is_kept
        fewest = np.minimum(self.counts, 2 * self.h) - self.h if self.h else np.zeros_like(self.counts)
        has_too_few = remaining.sum(axis=2) <= fewest
        remaining[has_too_few] = is_given[has_too_few]
        count = remaining.sum(axis=2)
        first = np.cumsum(count).reshape(count.shape) - count
        places = np.arange(max(self.m, min(2 * self.h, cell.shape[2])))[:, None, None]
        selected_cells = cell[remaining].take(first + places % count)
        if self.h:
            against = self._latter_half(selected_cells, count)
        return self._curve(*self._running_values(selected_cells[: self.m], self.counts), against, self.counts)

    def _to_fisher_z(self, curves: Floats) -> Floats:
        return np.asarray(FISHER.forward(curves))

    def _running_values(self, cell: NDArray[np.intp], counts: Integers) -> tuple[Integers, Integers]:
        given = np.arange(self.m)[:, None] < counts
        return self.table.values(self.spec.aggregation, cell, given)

    def _curve(self, values: Integers, span: Integers, against: Floats, counts: Integers) -> Floats:
        """Return the mean over shuffles (m,); items with fewer ratings leave the curve as in the study itself."""
        rho = np.empty(values.shape[:2])
        for at in self._ranges_of_equal_items(counts):
            which = counts >= self.needed[at.start]
            part, known = values[at], against
            if not which.all():
                part, known = part[:, :, which], known[..., which]
            rho[at] = correlate(
                self.spec.correlation, part, span[at], prepare_reference(self.spec.correlation, known)
            )
        return _mean_over_orders(rho)

    def _counted(self) -> list[tuple[slice, NDArray[np.bool_], CountedRows]]:
        """Return the study's values prepared for counting, for each range of r; empty where sorting is faster."""
        values, span = self.running
        made = []
        for at in self._ranges_of_equal_items(self.counts):
            which = self.counts >= self.needed[at.start]
            part = values[at][:, :, which]
            if not is_counting_faster(part, span[at]):
                return []
            made.append((at, which, CountedRows(part, span[at])))
        return made

    def _counted_curves(self, against: Floats, times: Integers) -> Floats:
        """Return mean curves (d, m) of items with multiplicities (d, n), each sample with separate reference values."""
        rho = np.empty((*self.running[0].shape[:2], len(times)))
        for at, which, counted in self.counted:
            rho[at] = counted.spearman(against[..., which], times[:, which])
        return np.array([_mean_over_orders(one) for one in np.moveaxis(rho, 2, 0)])

    def _ranges_of_equal_items(self, counts: Integers) -> Iterator[slice]:
        """Yield ranges of r with the same items."""
        number = (counts >= self.needed[:, None]).sum(axis=1)
        ends = [*(np.flatnonzero(np.diff(number)) + 1).tolist(), self.m]
        for start, end in zip([0, *ends], ends, strict=False):
            yield slice(start, end)

    def _latter_half(self, cell: NDArray[np.intp], remaining_counts: Integers) -> Floats:
        """Return the mean (shuffles, n) of the last h of an item's first 2 h ratings, among the remaining ones (…,
        n)."""
        ends = np.minimum(self.counts, 2 * self.h)
        scores = self.table.scores.ravel()
        total, number = np.zeros(cell.shape[1:]), np.zeros(cell.shape[1:])
        for place in range(min(2 * self.h, len(cell))):
            counts = (place >= ends - self.h) & (place < np.minimum(ends, remaining_counts))
            total += counts * scores[cell[place]]
            number += counts
        return np.asarray(total / np.maximum(number, 1))


class _Reference:
    """Item means of the reference group without some of its raters."""

    def __init__(self, ratings: Ratings, items: NDArray[Any], means: Floats) -> None:
        place = np.searchsorted(items, ratings.item)
        shared = place < len(items)
        shared[shared] = items[place[shared]] == ratings.item[shared]
        self.item, self.score, self.means = place[shared], ratings.score[shared], means
        self.raters, self.rater = coded(ratings.rater[shared])

    def without(self, part: Part, excluded_part: Integers) -> Floats:
        """Return item means (n,); an item with ratings of the excluded part only keeps its mean."""
        code = np.array([part.get(rater, -1) for rater in self.raters.tolist()])
        is_kept = code[self.rater] != excluded_part[self.item]
        item, n = self.item[is_kept], len(self.means)
        count = np.bincount(item, minlength=n)
        total = np.bincount(item, weights=self.score[is_kept], minlength=n)
        return np.where(count > 0, total / np.maximum(count, 1), self.means)


def _deal_raters(rng: np.random.Generator, raters: NDArray[Any]) -> Part:
    """Deal raters at random into parts of about equal size."""
    part = np.arange(len(raters)) % RATER_PARTS
    return dict(zip(raters.tolist(), rng.permutation(part).tolist(), strict=True))


def _count_parts(part: Part) -> int:
    return max(part.values(), default=-1) + 1


def _item_means(reference: Ratings) -> dict[Any, float]:
    mos = reference.mos()
    return dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))


def _mean_over_orders(rho: Floats) -> Floats:
    """Return means over shuffles (m,) of (m, s), NaN where all are NaN."""
    there = ~np.isnan(rho)
    number = there.sum(axis=1)
    return np.where(number > 0, np.where(there, rho, 0).sum(axis=1) / np.maximum(number, 1), np.nan)
