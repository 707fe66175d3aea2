"""How far one ranking of systems is another."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.ranks import midranks
from analysis.correlation.rows import FEWEST, discordant_rows, pearson_rows, spearman_rows
from analysis.values.errors import InputError
from analysis.values.estimate import Estimate
from analysis.values.types import Floats
from analysis.values.whole_numbers import settle

LISTED = 1_000
"""Systems up to which the pairs that swap are listed; above, they are only counted."""


@dataclass(frozen=True, eq=False)
class RankingChange:
    """Two rankings of the same systems.

    `systems` (k,) ids in both, best before first; `rank_before`, `rank_after`, `shifts` (k,): 1 is best, equal
    scores share their middle rank, a positive shift is a rise. `pearson`, `spearman` between the scores, n
    systems; `swaps` pairs of systems in opposite order, `swapped` these pairs (the one that was ahead first;
    empty above 1,000 systems); `lost` ids that only the first ranking has.
    """

    systems: NDArray[Any]
    rank_before: Floats
    rank_after: Floats
    pearson: Estimate
    spearman: Estimate
    swaps: int
    swapped: tuple[tuple[Any, Any], ...]
    lost: tuple[Any, ...]

    @property
    def shifts(self) -> Floats:
        """Ranks gained (k,)."""
        return self.rank_before - self.rank_after


def compare_rankings(before: Mapping[Any, float], after: Mapping[Any, float]) -> RankingChange:
    """How far one ranking of systems is another.

    Parameters
    ----------
    before, after : system -> score, NaN where undefined

    Returns
    -------
    RankingChange
        over the k systems in both, arrays (k,).

    Raises
    ------
    InputError
        where a score is infinite.

    Notes
    -----
    Rankings that share data agree by construction: hold the correlations against those of random exclusions. Undefined
    for fewer than 3 systems or equal scores.
    Source: Owczarzak et al. 2012, Table 2.

    >>> change = compare_rankings({"a": 3, "b": 2, "c": 1}, {"a": 2.5, "b": 2.75, "c": 1})
    >>> change.spearman.value, change.swapped
    (0.5, (('a', 'b'),))
    """
    ids = np.empty(len(before), dtype=object)
    ids[:] = list(before)
    first = np.array([before[system] for system in before], dtype=np.float64)
    second = np.array([after.get(system, nan) for system in before], dtype=np.float64)
    if np.isinf(first).any() or np.isinf(second).any():
        raise InputError("scores must be finite, or NaN where a system has none; got an infinite one")
    return ranking_change(ids, first, second)


def ranking_change(systems: NDArray[Any], before: Floats, after: Floats) -> RankingChange:
    """As `compare_rankings`, for aligned arrays."""
    both = np.flatnonzero(~np.isnan(before) & ~np.isnan(after))
    lost = systems[~np.isnan(before) & np.isnan(after)]
    x, y = settle(before[both]), settle(after[both])
    order = np.argsort(-x, kind="stable")
    both, x, y = both[order], x[order], y[order]
    rank_x, rank_y = midranks(-np.vstack([x, y]))
    reason = _no_correlation(x, y)
    r, rho = (
        (nan, nan)
        if reason
        else (float(pearson_rows(x[None], y[None])[0]), float(pearson_rows(rank_x[None], rank_y[None])[0]))
    )
    swapped: tuple[tuple[Any, Any], ...] = ()
    if len(both) <= LISTED:
        ahead, behind = np.nonzero((x[:, None] > x[None, :]) & (y[:, None] < y[None, :]))
        ids = systems[both].tolist()
        swapped = tuple((ids[i], ids[j]) for i, j in zip(ahead.tolist(), behind.tolist(), strict=True))
        swaps = len(swapped)
    else:
        swaps = int(discordant_rows(x[None], y[None])[0])
    n = len(both)
    return RankingChange(
        systems[both],
        rank_x,
        rank_y,
        Estimate(r, n=n, reason=reason),
        Estimate(rho, n=n, reason=reason),
        swaps,
        swapped,
        tuple(lost.tolist()),
    )


def correlations(before: Floats, after: Floats) -> Floats:
    """Pearson's r and Spearman's rho of each pair of rows, of systems that both have."""
    x, y = settle(before), settle(after)
    few = (~np.isnan(x) & ~np.isnan(y)).sum(axis=1) < FEWEST
    return np.where(few, nan, np.stack([pearson_rows(x, y), spearman_rows(x, y)]))


def _no_correlation(x: Floats, y: Floats) -> str:
    if len(x) < FEWEST:
        return f"a correlation needs at least {FEWEST} systems that have scores before and after; there are {len(x)}"
    flat = [side for side, values in (("before", x), ("after", y)) if np.ptp(values) == 0]
    return f"all systems have the same score {' and '.join(flat)}" if flat else ""
