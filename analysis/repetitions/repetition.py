"""Ratings per item: the correlation with a reference after 1 … m ratings, in many orders.

The steps follow the paper (Iskender et al. 2020, section 4.2); order, unequal counts and a missing reference, which it
leaves open, are defined here. `rating_orders` draws orders and aggregates ratings, `analysis.correlation.rank_rows`
computes correlations, in blocks of shuffles that fit the processor's cache. `saturation` and `knee` use the result.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.rank_rows import CORRELATIONS, Correlation, correlate, prepare_reference
from analysis.repetitions.rating_orders import (
    AGGREGATIONS,
    ORDERS,
    Aggregation,
    Layout,
    Order,
    ScoreTable,
    draw_cells,
    lay_out,
    resolve_order,
)
from analysis.repetitions.saturation import Curves
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings, tie_exact


@dataclass(frozen=True)
class RepetitionSpec:
    """Settings of a simulation of repetitions.

    Parameters
    ----------
    shuffles : k random orders, 0 for the measured order alone
    repetitions : m, the largest number of ratings per item; None is the smallest count over items. A number
        above an item's count makes that item leave the curve beyond its last rating; above all counts, it is
        the largest count
    seed : of the shuffles
    correlation : 'spearman', 'pearson' or 'kendall' (tau-b)
    order : what a shuffle permutes: ratings 'within items', 'raters' for all items at once, 'by column'
        repetition numbers for all items at once (the paper's), or 'automatic': raters where every rater rated
        every item exactly once, else within items
    aggregation : how an item's ratings become one value (`analysis.repetitions.rating_orders`)

    Raises
    ------
    InputError
        where a number is out of range or a word unknown.

    Notes
    -----
    Source: Iskender et al. 2020, section 4.2 (k = 5, m = 24, Spearman, by column, mean). Gives arrays (k, m).
    """

    shuffles: int = 5
    repetitions: int | None = None
    seed: int = 0
    correlation: Correlation = "spearman"
    order: Order = "automatic"
    aggregation: Aggregation = "mean"

    def __post_init__(self) -> None:
        if self.shuffles < 0:
            raise InputError(f"`shuffles` must be 0 or more, got {self.shuffles}")
        if self.repetitions is not None and self.repetitions < 1:
            raise InputError(f"`repetitions` must be None or a whole number from 1, got {self.repetitions}")
        if self.seed < 0:
            raise InputError(f"`seed` must be a whole number from 0, got {self.seed}")
        for name, allowed in (
            ("correlation", CORRELATIONS),
            ("order", ORDERS),
            ("aggregation", AGGREGATIONS),
        ):
            if getattr(self, name) not in allowed:
                choices = ", ".join(f"'{choice}'" for choice in allowed)
                raise InputError(f"`{name}` must be one of {choices}, got {getattr(self, name)!r}")


def simulate(
    ratings: Ratings,
    reference: Mapping[Any, float] | None = None,
    spec: RepetitionSpec | None = None,
    known: Curves | None = None,
) -> Curves:
    """Return the correlation with the reference after r = 1 … m ratings per item, for the measured order and k
    shuffles.

    Parameters
    ----------
    ratings : N ratings of one measure by the candidate group
    reference : item id -> value (such as the other group's MOS, a gold score, a metric); None for split
        halves. Items without a value (or NaN) are excluded and counted
    spec : settings, by default `RepetitionSpec()`
    known : an earlier result with another number of shuffles, which are reused

    Returns
    -------
    Curves
        measured (m,), shuffled (k, m), items (m,); m = h for split halves.

    Raises
    ------
    InputError
        for an infinite or non-numeric reference value, or order 'by column' with unequal counts.

    Notes
    -----
    Not for a reference that contains the candidate's ratings: the curve would then rise to 1 by construction.

    Split halves: with h = floor(m / 2), in each order the last h of an item's first m ratings are its
    reference (their plain mean), the curve runs over r = 1 … h, and an item enters at r only where its
    ratings serve both sides without overlap. This measures repeatability, not validity.

    NaN where all items have the same value at r, where the reference is constant, or with fewer than two
    items.
    Source: Iskender et al. 2020, section 4.2. Departures: orders within items or by rater, see
    `RepetitionSpec`.
    """
    spec = spec or RepetitionSpec()
    if known is not None and len(known.shuffled) >= spec.shuffles and not known.reason:
        return known.first(spec.shuffles)
    layout = lay_out(ratings)
    rows, values = _select_items_with_reference(layout, reference)
    counts = layout.counts[rows]
    m = _resolve_repetitions(counts, spec.repetitions)
    halves = reference is None
    h = m // 2 if halves else m
    order = resolve_order(spec.order, layout)
    reference_kind: Literal["item values", "split halves"] = "split halves" if halves else "item values"
    left_out = len(layout.items) - len(rows)
    if len(rows) < 2 or h == 0:
        return Curves(
            np.full(h, np.nan),
            np.full((spec.shuffles, h), np.nan),
            np.full(h, len(rows)),
            reason=_insufficient_data_reason(layout, rows, halves),
            order=order,
            reference=reference_kind,
            left_out=left_out,
            pearson_of_halves=np.full(spec.shuffles, np.nan) if halves else None,
        )
    study = _Study(ratings, layout, rows, values, m, h, spec)
    shuffled = np.empty((spec.shuffles, h))
    pearson = np.empty(spec.shuffles)
    n_known = 0
    if known is None:
        w = layout.position.shape[1]
        measured_cells = np.arange(layout.position.size).reshape(-1, w).T[:, None, :]
        measured = study.correlate_block(measured_cells)[0][:, 0]
    else:
        measured = known.measured
        n_known = min(len(known.shuffled), spec.shuffles)
        shuffled[:n_known] = known.shuffled[:n_known]
        if known.pearson_of_halves is not None:
            pearson[:n_known] = known.pearson_of_halves[:n_known]
    for part, block in draw_cells(layout, spec.order, spec.shuffles, spec.seed, n_known):
        rho, half_correlations = study.correlate_block(block)
        shuffled[part] = rho.T
        pearson[part] = half_correlations
    return Curves(
        measured,
        shuffled,
        np.array([len(items) for items in study.items_at]),
        reason=study.reason(measured, shuffled),
        order=order,
        reference=reference_kind,
        left_out=left_out,
        pearson_of_halves=pearson if halves else None,
    )


def orders(
    ratings: Ratings, spec: RepetitionSpec | None = None, reference: Mapping[Any, float] | None = None
) -> NDArray[np.int64]:
    """Return the orders that `simulate` draws, for replay.

    Parameters
    ----------
    ratings : N ratings, the same as for `simulate`
    spec : the same as for `simulate`
    reference : the same as for `simulate`; needed only if some items have no value

    Returns
    -------
    (k, n, m) array
        [s, i, r - 1] is the position in `ratings.score` of the rating that comes r-th for item i of
        `ratings.mos().items` (those in the reference) in shuffle s; -1 where the item has no such rating.

    Raises
    ------
    InputError
        for order 'by column' with unequal counts.

    Notes
    -----
    `simulate` needs far less memory for large studies.
    Source: Iskender et al. 2020, section 4.2, step 5.
    """
    spec = spec or RepetitionSpec()
    layout = lay_out(ratings)
    rows, _ = _select_items_with_reference(layout, reference)
    m = _resolve_repetitions(layout.counts[rows], spec.repetitions)
    result = np.full((spec.shuffles, len(rows), m), -1)
    position = layout.position.ravel()
    for part, block in draw_cells(layout, spec.order, spec.shuffles, spec.seed):
        result[part] = position[block[:m][:, :, rows]].transpose(1, 2, 0)
    return result


class _Study:
    """Data of one simulation that are common to all shuffles."""

    def __init__(
        self,
        ratings: Ratings,
        layout: Layout,
        rows: NDArray[np.intp],
        reference: NDArray[np.float64],
        m: int,
        h: int,
        spec: RepetitionSpec,
    ) -> None:
        self.spec, self.layout, self.reference, self.m, self.h = spec, layout, reference, m, h
        self.rows = rows if len(rows) < len(layout.items) else slice(None)
        self.counts = np.minimum(layout.counts[rows], m)
        self.halves = m != h
        needed = np.arange(1, h + 1) + (h if self.halves else 0)
        self.items_at = [np.flatnonzero(self.counts >= r) for r in needed]
        self.is_observed = np.arange(h)[:, None] < self.counts
        self.table = ScoreTable(ratings, layout)
        self.item_ranges = [
            (repetitions, items, prepare_reference(spec.correlation, reference[items]))
            for repetitions, items in self._ranges_of_equal_items()
        ]

    def _ranges_of_equal_items(self) -> Iterator[tuple[slice, NDArray[np.intp]]]:
        """Yield ranges of r with the same items, and these items."""
        start = 0
        for r in range(1, self.h + 1):
            if r == self.h or len(self.items_at[r]) < len(self.items_at[start]):
                yield slice(start, r), self.items_at[start]
                start = r

    def correlate_block(self, cell: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return correlations (h, b) of one block of orders, and Pearson's r of the halves (b,)."""
        cell = cell[:, :, self.rows]
        first = cell[: self.h]
        values, largest = self.table.values(self.spec.aggregation, first, self.is_observed)
        half = self._latter_half(cell) if self.halves else None
        rho = np.empty(values.shape[:2])
        for repetitions, items, reference in self.item_ranges:
            block = values[repetitions] if len(items) == values.shape[2] else values[repetitions][:, :, items]
            target = reference if half is None else prepare_reference(self.spec.correlation, half[:, items])
            rho[repetitions] = correlate(self.spec.correlation, block, largest[repetitions], target)
        return rho, np.zeros(cell.shape[1]) if half is None else self._pearson_of_halves(first, half)

    def _latter_half(self, cell: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the mean of the last h of each item's first m ratings (b, n)."""
        total = np.zeros(cell.shape[1:])
        scores = self.table.scores.ravel()
        columns = np.arange(cell.shape[2])
        for back in range(1, self.h + 1):
            place = np.maximum(self.counts - back, 0)
            total += scores[cell[place, :, columns].T]
        mean: NDArray[np.float64] = total / self.h
        return mean

    def _pearson_of_halves(
        self, cell: NDArray[np.intp], latter_half: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        items = self.items_at[-1]
        former = tie_exact(self.table.scores.ravel().take(cell[:, :, items]).sum(axis=0)[None])
        latter = prepare_reference("pearson", latter_half[:, items])
        rho: NDArray[np.float64] = correlate("pearson", former, former.max(axis=(1, 2)), latter)[0]
        return rho

    def reason(self, measured: NDArray[np.float64], shuffled: NDArray[np.float64]) -> str:
        undefined = np.isnan(measured)
        if len(shuffled):
            undefined = undefined | np.isnan(shuffled).any(axis=0)
        if not undefined.any():
            return ""
        r = int(np.flatnonzero(undefined)[0]) + 1
        if len(self.items_at[r - 1]) < 2:
            return f"from r = {r} on fewer than two items have enough ratings"
        if not self.halves and np.ptp(tie_exact(self.reference)) == 0:
            return "all items have the same reference value, so no correlation is defined"
        if np.ptp(self.table.scores[self.layout.position >= 0]) == 0:
            return "all ratings are equal, so no correlation is defined"
        return f"in some orders all items have the same value after {r} {'rating' if r == 1 else 'ratings'}"


def _select_items_with_reference(
    layout: Layout, reference: Mapping[Any, float] | None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the rows of the layout that have a reference value, and those values."""
    if reference is None:
        return np.arange(len(layout.items)), np.zeros(len(layout.items))
    try:
        values = np.array([reference.get(item, np.nan) for item in layout.items.tolist()], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"`reference` must give each item one number: {error}") from error
    if np.isinf(values).any():
        item = layout.items.tolist()[int(np.flatnonzero(np.isinf(values))[0])]
        raise InputError(f"`reference` must hold finite numbers, got an infinite one for item {item!r}")
    rows = np.flatnonzero(~np.isnan(values))
    return rows, values[rows]


def _resolve_repetitions(counts: NDArray[np.int64], requested: int | None) -> int:
    if len(counts) == 0:
        return 0
    return int(counts.min()) if requested is None else min(requested, int(counts.max()))


def _insufficient_data_reason(layout: Layout, rows: NDArray[np.intp], halves: bool) -> str:
    if len(layout.items) == 0:
        return "there are no ratings"
    if len(rows) == 0:
        return "no item has both ratings and a reference value"
    if len(rows) == 1:
        return "one item alone has no correlation"
    return "split halves need at least two ratings of every item; one has only one"
