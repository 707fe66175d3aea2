"""Comparisons of two systems at a time, as codes: who met whom, and who won."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.columns import coded as values_coded
from analysis.values.estimate import InputError
from analysis.values.types import Codes, Flags

FIRST, SECOND, TIE = range(3)
"""Outcomes of a comparison."""


@dataclass(frozen=True, eq=False)
class PairedComparisons:
    """N comparisons as codes: `first`, `second` (N,) places in `systems` (S,), `outcome` (N,), `offered` (N,).

    `outcome` is 0 where the first won, 1 where the second did, 2 for a tie; `offered` says whether a tie could
    have been chosen.
    """

    first: Codes
    second: Codes
    outcome: Codes
    offered: Flags
    systems: NDArray[Any]

    def __post_init__(self) -> None:
        lengths = [len(part) for part in (self.first, self.second, self.outcome, self.offered)]
        if len(set(lengths)) > 1:
            raise InputError(
                f"`first`, `second`, `outcome` and `offered` must be equally long, got {lengths}"
            )
        for name, codes, many in (
            ("first", self.first, len(self.systems)),
            ("second", self.second, len(self.systems)),
            ("outcome", self.outcome, 3),
        ):
            if len(codes) and not (codes.min() >= 0 and codes.max() < many):
                raise InputError(f"`{name}` must lie in 0 … {many - 1}, got {codes.min()} to {codes.max()}")
        if (self.first == self.second).any():
            raise InputError("a system cannot be compared with itself; leave such rows out")
        if ((self.outcome == TIE) & ~self.offered).any():
            raise InputError("`offered` must be true wherever `outcome` is a tie")

    def __len__(self) -> int:
        return len(self.first)

    def of(self, kept: Flags) -> "PairedComparisons":
        """Those that are kept (N,), of the same systems."""
        return PairedComparisons(
            self.first[kept], self.second[kept], self.outcome[kept], self.offered[kept], self.systems
        )


def compared(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, offered: ArrayLike | None = None
) -> PairedComparisons:
    """Comparisons from any ids (Bradley and Terry 1952)."""
    one, other = np.asarray(first), np.asarray(second)
    if len(one) != len(other):
        raise InputError(f"`first` and `second` must be equally long, got {len(one)} and {len(other)}")
    both = np.concatenate([one, other])
    systems = np.unique(both)
    codes = np.searchsorted(systems, both)  # of few systems in many rows, quicker than the inverse
    free = np.ones(len(one), dtype=np.bool_) if offered is None else np.asarray(offered, dtype=np.bool_)
    return PairedComparisons(
        codes[: len(one)].astype(np.int64),
        codes[len(one) :].astype(np.int64),
        np.asarray(outcome, dtype=np.int64),
        free,
        systems,
    )


def coded(
    comparisons: PairedComparisons, item: ArrayLike | None, rater: ArrayLike | None
) -> tuple[Codes, Codes]:
    """Codes (N,) of items and of raters; without ids each vote is of an item of its own, and all of one rater."""
    given = (
        np.arange(len(comparisons)) if item is None else item,
        np.zeros(len(comparisons)) if rater is None else rater,
    )
    items, raters = (values_coded(np.asarray(ids))[1] for ids in given)
    if not len(items) == len(raters) == len(comparisons):
        raise InputError(
            f"`item` and `rater` must be as long as the comparisons, got {len(items)}, {len(raters)} and "
            f"{len(comparisons)}"
        )
    return items, raters


def cells(comparisons: PairedComparisons) -> Codes:
    """The place of each comparison in a table of counts (3, S, S): wins with a tie on offer, wins without,
    ties (sufficient statistics of Davidson 1970)."""
    s = len(comparisons.systems)
    swapped = comparisons.outcome == SECOND
    winner = np.where(swapped, comparisons.second, comparisons.first)
    loser = np.where(swapped, comparisons.first, comparisons.second)
    kind = np.where(comparisons.outcome == TIE, 2, np.where(comparisons.offered, 0, 1))
    return (kind * s + winner) * s + loser
