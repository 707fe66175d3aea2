"""Spearman's rho of rows of values that stay, with references and numbers of items that change from draw to draw.

Rows are counted by products with one sparse matrix that says which item has which value in which row: a draw of items
with replacement says how often each counts, and no value is looked up again. Sums are those of
`analysis.correlation.running`, over values that are whole numbers.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.correlation.sums import pearson_of_sums
from analysis.values.whole_numbers import tie_exact

Whole = NDArray[np.int64]
MOST_COUNTED = 4
"""Values that a row may have for each item: more are sooner sorted."""
MOST_ITEMS = 1 << 16
"""Items up to which sums of their ranks stay whole in floating point."""


def pays(values: Whole, span: Whole) -> bool:
    """Whether rows (m, b, n) of values from 0 to the `span` (m,) are better counted than sorted."""
    m, _, n = values.shape
    return bool(0 < n <= MOST_ITEMS and int(span.sum()) + m <= MOST_COUNTED * m * n)


class CountedRows:
    """Rows (m, b, n) of whole values from 0 to the `span` (m,) of each."""

    def __init__(self, values: Whole, span: Whole) -> None:
        m, b, n = values.shape
        self.shape = m, b
        width = np.asarray(span) + 1
        self._blocks = []
        for at in range(b):
            first = np.cumsum(width) - width
            place = (values[:, at] + first[:, None]).ravel()
            order = np.argsort(place, kind="stable")
            ends = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=int(width.sum())))])
            there = sparse.csr_array((np.ones(m * n), (order % n).astype(np.int32), ends), (len(ends) - 1, n))
            self._blocks.append((there, first))

    def spearman(self, reference: NDArray[np.float64], times: Whole) -> NDArray[np.float64]:
        """(m, b, d) rho of each row with d references, (d, n) or (d, b, n), whose items count so many `times` (d, n).

        Source: Spearman's rho with average ranks, as the definition reads with every item written down that often.
        """
        m, b = self.shape
        rho = np.empty((m, b, len(times)))
        number = times.sum(axis=1)
        alike = reference.ndim == 2
        rank = drawn_ranks(reference, times) if alike else np.empty(0)
        for at, (there, first) in enumerate(self._blocks):
            ranks = rank if alike else drawn_ranks(reference[:, at], times)
            weighed = ranks * times
            found = there @ np.ascontiguousarray(np.concatenate([times, weighed]).T, dtype=np.float64)
            counted, rank_sum = (half.astype(np.int64) for half in np.split(found, 2, axis=1))
            up_to = np.cumsum(counted, axis=0)  # of the rows before, too: ranks less their mean add up to 0
            shared = np.add.reduceat((2 * up_to - counted) * rank_sum, first)
            spread = (number**3 - np.add.reduceat(counted**3, first)) / 3
            rho[:, at] = pearson_of_sums(spread, (ranks * weighed).sum(axis=1), shared)
        rho[:, :, number < 2] = np.nan
        return rho


def drawn_ranks(reference: NDArray[np.float64], times: Whole) -> Whole:
    """Twice the average ranks (d, n) of references whose items count so many times, less their mean.

    >>> drawn_ranks(np.array([[3.0, 1.0, 3.0]]), np.array([[1, 1, 1]])).tolist()
    [[1, -2, 1]]
    >>> drawn_ranks(np.array([[3.0, 1.0, 2.0]]), np.array([[2, 1, 0]])).tolist()
    [[1, -2, -1]]
    """
    ranks = np.empty(times.shape, dtype=np.int64)
    for row, (values, often) in enumerate(zip(tie_exact(reference), times, strict=True)):
        order = np.argsort(values, kind="stable")
        starts = np.flatnonzero(np.diff(values[order], prepend=values.min(initial=0) - 1))
        alike = np.add.reduceat(often[order], starts)
        doubled = 2 * np.cumsum(alike) - alike - often.sum()
        ranks[row, order] = np.repeat(doubled, np.diff(starts, append=len(order)))
    return ranks
