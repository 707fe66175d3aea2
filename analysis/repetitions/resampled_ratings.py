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
    reference_values = _item_means(reference) if isinstance(reference, Ratings) else reference
    curves = simulate(ratings, reference_values, replace(spec, shuffles=0))
    m = curves.repetitions
    if m == 0 or curves.items[0] < 2:
        return np.empty((0, m))
    study = _Resampling(ratings, reference_values, replace(spec, shuffles=shuffles), m)
    item_rng, rater_rng = (np.random.default_rng([spec.seed, bootstrap.seed, stream]) for stream in (0, 1))
    parts: list[Part] = []
    if raters_are_persons:
        parts = study.deal_raters(rater_rng, reference if isinstance(reference, Ratings) else None)
    steps = bootstrap.draws + sum(2 * _count_parts(part) for part in parts)
    steps_done = 0

    def step(figure: Floats) -> Floats:
        nonlocal steps_done
        steps_done += 1
        if on_progress is not None:
            on_progress(steps_done / steps)
        return figure

    def mean_curves(compute_curves: Callable[[Integers], Floats], rows: Integers) -> Floats:
        blocks = (rows[start : start + STUDIES_PER_STEP] for start in range(0, len(rows), STUDIES_PER_STEP))
        return np.array([step(figure) for block in blocks for figure in compute_curves(block)]).reshape(-1, m)

    samples = mean_curves(
        study.sampled_curves, item_rng.integers(0, study.items, (bootstrap.draws, study.items))
    )
    rater_variance = np.zeros(m)
    for part in parts:
        identical = np.tile(np.arange(_count_parts(part)), (study.items, 1))
        without = study.without(part)
        joint, independent = (
            mean_curves(without, order.T) for order in (identical, rater_rng.permuted(identical, axis=1))
        )
        rater_variance += (_count_parts(part) - 1) * (joint.var(axis=0) - independent.var(axis=0))
    return inflate_samples(samples, np.maximum(np.nan_to_num(rater_variance), 0), FISHER)


class _Resampling:
    """Study to resample: its items, their reference, and a few shuffles of their ratings."""

    def __init__(
        self, ratings: Ratings, reference: Mapping[Any, float] | None, spec: RepetitionSpec, m: int
    ) -> None:
        layout = lay_out(ratings)
        ids = layout.items.tolist()
        values = np.array([np.nan if reference is None else reference.get(item, np.nan) for item in ids])
        rows = np.arange(len(ids)) if reference is None else np.flatnonzero(~np.isnan(values))
        self.spec, self.m, self.h = spec, m, m if reference is None else 0
        self.item, self.raters = layout.items[rows], np.unique(ratings.rater)
        self.items = len(rows)
        self.table = ScoreTable(ratings, layout)
        cells = [cell[:, :, rows] for _, cell in draw_cells(layout, spec.order, spec.shuffles, spec.seed)]
        self.cell = np.concatenate(cells, axis=1)
        self.counts = layout.counts[rows]
        self.needed = np.arange(1, m + 1) + self.h
        self.reference = self._latter_half(self.cell, self.counts) if self.h else values[rows]
        self.running = self._running_values(self.cell[:m], self.counts)
        self.counted = self._counted() if spec.correlation == "spearman" else []
        self.other: _Reference | None = None

    def sampled_curves(self, sampled: Integers) -> Floats:
        """Return the mean curves (d, m) of sampled items (d, n)."""
        if self.counted and self.spec.aggregation in ITEMWISE_AGGREGATIONS:
            times = np.array([np.bincount(items, minlength=self.items) for items in sampled])
            return self._counted_curves(
                np.broadcast_to(self.reference, (len(times), *self.reference.shape)), times
            )
        return np.array([self._sampled_curve(items) for items in sampled])

    def _sampled_curve(self, items: Integers) -> Floats:
        counts = self.counts[items]
        if self.spec.aggregation in ITEMWISE_AGGREGATIONS:
            values, largest = self.running[0][:, :, items], self.running[1]
        else:
            values, largest = self._running_values(self.cell[: self.m, :, items], counts)
        return self._curve(values, largest, self.reference[..., items], counts)

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

        def curves_without(excluded: Integers) -> Floats:
            references = [
                self.reference if self.other is None else self.other.without(part, excluded_part)
                for excluded_part in excluded
            ]
            if affects_candidate:
                curves = [
                    self._leave_out_curve(cell, is_given, parts != excluded_part[:, None], target)
                    for excluded_part, target in zip(excluded, references, strict=True)
                ]
            elif self.counted:
                return self._to_fisher_z(
                    self._counted_curves(np.array(references), np.ones(excluded.shape, dtype=np.int64))
                )
            else:
                curves = [self._curve(*self.running, target, self.counts) for target in references]
            return self._to_fisher_z(np.array(curves))

        return curves_without

    def _leave_out_curve(
        self, cell: NDArray[np.intp], is_given: NDArray[np.bool_], is_kept: NDArray[np.bool_], target: Floats
    ) -> Floats:
        """Return the mean curve (m,) of the cells `is_given` (shuffles, n, places) that are kept."""
        remaining = is_given & is_kept
        fewest = np.minimum(self.counts, 2 * self.h) - self.h if self.h else np.zeros_like(self.counts)
        has_too_few = remaining.sum(axis=2) <= fewest
        remaining[has_too_few] = is_given[has_too_few]
        count = remaining.sum(axis=2)
        first = np.cumsum(count).reshape(count.shape) - count
        positions = np.arange(max(self.m, min(2 * self.h, cell.shape[2])))[:, None, None]
        selected_cells = cell[remaining].take(first + positions % count)
        if self.h:
            target = self._latter_half(selected_cells, count)
        return self._curve(*self._running_values(selected_cells[: self.m], self.counts), target, self.counts)

    def _to_fisher_z(self, curves: Floats) -> Floats:
        return np.asarray(FISHER.forward(curves))

    def _running_values(self, cell: NDArray[np.intp], counts: Integers) -> tuple[Integers, Integers]:
        given = np.arange(self.m)[:, None] < counts
        return self.table.values(self.spec.aggregation, cell, given)

    def _curve(self, values: Integers, largest: Integers, target: Floats, counts: Integers) -> Floats:
        """Return the mean over shuffles (m,); items with fewer ratings leave the curve as in the study itself."""
        rho = np.empty(values.shape[:2])
        for repetitions in self._ranges_of_equal_items(counts):
            items = counts >= self.needed[repetitions.start]
            block, reference = values[repetitions], target
            if not items.all():
                block, reference = block[:, :, items], reference[..., items]
            rho[repetitions] = correlate(
                self.spec.correlation,
                block,
                largest[repetitions],
                prepare_reference(self.spec.correlation, reference),
            )
        return _mean_over_orders(rho)

    def _counted(self) -> list[tuple[slice, NDArray[np.bool_], CountedRows]]:
        """Return the study's values prepared for counting, for each range of r; empty where sorting is faster."""
        values, largest = self.running
        ranges = []
        for repetitions in self._ranges_of_equal_items(self.counts):
            items = self.counts >= self.needed[repetitions.start]
            block = values[repetitions][:, :, items]
            if not is_counting_faster(block, largest[repetitions]):
                return []
            ranges.append((repetitions, items, CountedRows(block, largest[repetitions])))
        return ranges

    def _counted_curves(self, references: Floats, times: Integers) -> Floats:
        """Return mean curves (d, m) of items with multiplicities (d, n), each sample with separate reference values."""
        rho = np.empty((*self.running[0].shape[:2], len(times)))
        for repetitions, items, counted in self.counted:
            rho[repetitions] = counted.spearman(references[..., items], times[:, items])
        return np.array([_mean_over_orders(curve) for curve in np.moveaxis(rho, 2, 0)])

    def _ranges_of_equal_items(self, counts: Integers) -> Iterator[slice]:
        """Yield ranges of r with the same items."""
        number = (counts >= self.needed[:, None]).sum(axis=1)
        ends = [*(np.flatnonzero(np.diff(number)) + 1).tolist(), self.m]
        for start, end in zip([0, *ends], ends, strict=False):
            yield slice(start, end)

    def _latter_half(self, cell: NDArray[np.intp], remaining_counts: Integers) -> Floats:
        """Return the mean (shuffles, n) of the last h of an item's first 2 h ratings, among the remaining ones (…,
        n)."""
        stops = np.minimum(self.counts, 2 * self.h)
        scores = self.table.scores.ravel()
        total, number = np.zeros(cell.shape[1:]), np.zeros(cell.shape[1:])
        for position in range(min(2 * self.h, len(cell))):
            counts = (position >= stops - self.h) & (position < np.minimum(stops, remaining_counts))
            total += counts * scores[cell[position]]
            number += counts
        return np.asarray(total / np.maximum(number, 1))


class _Reference:
    """Item means of the reference group without some of its raters."""

    def __init__(self, ratings: Ratings, items: NDArray[Any], means: Floats) -> None:
        index = np.searchsorted(items, ratings.item)
        is_shared = index < len(items)
        is_shared[is_shared] = items[index[is_shared]] == ratings.item[is_shared]
        self.item, self.score, self.means = index[is_shared], ratings.score[is_shared], means
        self.raters, self.rater = coded(ratings.rater[is_shared])

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
    is_defined = ~np.isnan(rho)
    number = is_defined.sum(axis=1)
    return np.where(number > 0, np.where(is_defined, rho, 0).sum(axis=1) / np.maximum(number, 1), np.nan)
