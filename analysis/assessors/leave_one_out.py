"""Rankings of systems without each rater in turn, and without random sets of raters."""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.assessors.exclusion import (
    NO_RATINGS,
    Exclusion,
    ExclusionSpec,
    Method,
    check_method,
    scores_before_and_after,
)
from analysis.assessors.exclusion_intervals import possible_exclusions, row_correlations
from analysis.assessors.system_model import (
    NOT_CONNECTED,
    additive_means,
    cell_means,
    is_complete,
    plain_means,
    too_large_reason,
)
from analysis.correlation.rank_rows import FEWEST_PAIRS, discordant_rows, midranks
from analysis.pairs.system_table import Cells, build_cells
from analysis.resampling.intervals import blocks
from analysis.values.estimate import Estimate, Floats, OnProgress
from analysis.values.ratings import coded, settle

_DROPS_BLOCK = 2_000_000
"""Cells in a block of random exclusions."""


@dataclass(frozen=True, eq=False)
class RandomDrops:
    """Effect on the ranking of excluding the same number of random raters.

    `pearson`, `spearman`: median, 5% and 95% over the n random sets in which they are defined; `pearsons`,
    `spearmans` (d,) of each set; `dropped` raters in each; `every` is True if these are all possible sets.
    """

    pearson: Estimate
    spearman: Estimate
    pearsons: Floats
    spearmans: Floats
    dropped: int
    every: bool
    reason: str = ""


def random_drops(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    point: Exclusion,
    spec: ExclusionSpec | None = None,
    on_progress: OnProgress = None,
    weight: ArrayLike | None = None,
) -> RandomDrops:
    """Compute the correlations of the ranking with those without the same number of random raters.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    point : result of `exclusion` on the same ratings
    spec : random exclusions and seed
    on_progress : called between blocks with the share done
    weight : (N,) weight of each rating, 1 if not given

    Returns
    -------
    RandomDrops
        (d,) correlations, of all possible sets if these are at most `spec.random`.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    The random raters may include the excluded ones. Source: methods, section 3 ("dropping equally many random
    assessors").
    """
    spec = ExclusionSpec() if spec is None else spec
    table = build_cells(system, topic, rater, score, weight)
    w, dropped = len(table.raters), len(point.excluded)
    reason = point.reason or ("" if spec.random else "no random exclusions were asked for")
    if reason:
        none = Estimate(nan, reason=reason)
        return RandomDrops(none, none, np.empty(0), np.empty(0), dropped, False, reason)
    exclusions, are_all = possible_exclusions(w, dropped, spec.random, np.random.default_rng([spec.seed, 2]))
    all_means = cell_means(table, np.ones(w, dtype=bool))
    correlations_of_draws = np.empty((2, len(exclusions)))
    for block in blocks(len(exclusions), _DROPS_BLOCK // max(len(table.system), 1), on_progress):
        remaining_means = np.stack(
            [
                cell_means(table, ~np.isin(np.arange(w), excluded_raters))
                for excluded_raters in exclusions[block]
            ]
        )
        before, after, _, _ = scores_before_and_after(
            table, all_means, remaining_means, spec.method, len(exclusions)
        )
        correlations_of_draws[:, block] = row_correlations(before, after)
    return RandomDrops(
        _median_estimate(correlations_of_draws[0]),
        _median_estimate(correlations_of_draws[1]),
        correlations_of_draws[0],
        correlations_of_draws[1],
        dropped,
        are_all,
    )


def _median_estimate(correlations: Floats) -> Estimate:
    defined = correlations[~np.isnan(correlations)]
    if not len(defined):
        return Estimate(nan, reason="the correlation is undefined in every random exclusion")
    low, median, high = np.quantile(defined, [0.05, 0.5, 0.95])
    return Estimate(float(median), float(low), float(high), len(defined))


MOST_RANKED = 5_000_000
"""Raters x systems up to which the systems are ranked without each rater; above it, only Pearson's r is computed."""
ONE_RATER = "there is only one rater; without them nobody is left"
TOO_MANY_RANKS = (
    f"ranks are made anew for at most {MOST_RANKED} pairs of a rater and what is ranked; "
    "with more only Pearson's r is given"
)
_BLOCK = 400_000


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Changes of the ranking without each rater, (w,) each, by ascending rater id.

    `raters` ids; `pearson`, `spearman` between the scores with and without that rater; `largest_shift` of a
    rank; `swaps` pairs of systems in opposite order; `lost` systems without remaining ratings; `ratings` of the
    rater. NaN where undefined. `method` used and the reason for it (`why`); `reason` for which all is undefined,
    `reason_ranks` for which all but Pearson's r is.
    """

    raters: NDArray[Any]
    pearson: Floats
    spearman: Floats
    largest_shift: Floats
    swaps: Floats
    lost: NDArray[np.int64]
    ratings: NDArray[np.int64]
    method: Literal["additive", "plain"]
    why: str
    reason: str = ""
    reason_ranks: str = ""

    @property
    def compares_ranks(self) -> bool:
        """True if ranks are compared; otherwise only Pearson's r is defined."""
        return not bool(np.isnan(self.spearman).all())

    @property
    def strongest(self) -> int | None:
        """Index of the rater without whom the ranking changes most; None if no correlation is defined."""
        correlation = self.spearman if self.compares_ranks else self.pearson
        return None if np.isnan(correlation).all() else int(np.nanargmin(correlation))


@dataclass(frozen=True, eq=False)
class _WithoutRaters:
    """Means without each rater of the cells (e,) and systems (p,) that the rater rated."""

    means: Floats
    """(c,) of the cells with all raters."""
    remaining_means: Floats
    """(e,) a cell's mean without the rater, NaN where nobody else rated it."""
    rater: NDArray[np.int64]
    system: NDArray[np.int64]
    score: Floats
    """(p,) a system's plain mean without the rater, NaN without other ratings."""


def leave_one_out(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    method: Method = "automatic",
    on_progress: Callable[[float], object] | None = None,
    weight: ArrayLike | None = None,
) -> LeaveOneOut:
    """Rank the systems without each rater in turn.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    method : "plain", "additive", or "automatic" as `analysis.assessors.exclusion.ExclusionSpec`
    on_progress : called between blocks of raters with the share done
    weight : (N,) weight of each rating, 1 if not given

    Returns
    -------
    LeaveOneOut
        (w,) each.

    Raises
    ------
    InputError
        where lengths differ, a score is not a finite number, or the method is unknown.

    Notes
    -----
    Equals `analysis.assessors.exclusion.exclusion` of each rater. Does not show how good a rater is: raters with more
    ratings have more influence. Takes O(N) and a ranking per rater. "automatic" is the plain mean for raters without
    whom no cell of a complete table is empty, and wherever the additive model cannot be fitted, as `why` explains.
    Source: Owczarzak et al. 2012, Table 2 ("-1 worst"); methods, section 3 (leave-one-out).
    """
    check_method(method)
    table = build_cells(system, topic, rater, score, weight)
    w, s = len(table.raters), len(table.systems)
    ratings = np.bincount(coded(np.asarray(rater))[1], minlength=w)
    without = _leave_out_raters(table)
    n_lost = np.bincount(without.rater[np.isnan(without.score)], minlength=w)
    modelled, model, model_reason = _choose_model(table, without, method)
    none = np.full(w, nan)
    if w < 2 or (method == "additive" and not modelled.any()):
        reason = NO_RATINGS if w == 0 else ONE_RATER if w == 1 else model_reason
        return LeaveOneOut(
            table.raters, none, none, none, none, n_lost, ratings, model, model_reason, reason, reason
        )
    if model == "plain" and w * s > MOST_RANKED:
        r = _updated_pearson(table, without)
        return LeaveOneOut(
            table.raters, r, none, none, none, n_lost, ratings, model, model_reason, "", TOO_MANY_RANKS
        )
    changes = np.empty((4, w))
    plain_before = plain_means(table, without.means[None])[0]
    additive_before = additive_means(table, without.means[None])[0] if modelled.any() else plain_before
    by_rater = np.argsort(table.rater, kind="stable")
    starts = np.searchsorted(table.rater[by_rater], np.arange(w + 1))
    for block in blocks(w, _BLOCK // max(s, len(table.system) if modelled.any() else 1)):
        before = np.where(modelled[block, None], additive_before, plain_before)
        after = np.tile(plain_before, (block.stop - block.start, 1))
        rows = slice(*np.searchsorted(without.rater, [block.start, block.stop]))
        after[without.rater[rows] - block.start, without.system[rows]] = without.score[rows]
        modelled_rows = np.flatnonzero(modelled[block])
        if len(modelled_rows):
            means = np.tile(without.means, (len(modelled_rows), 1))
            for row, w_index in enumerate(block.start + modelled_rows):
                entries = by_rater[starts[w_index] : starts[w_index + 1]]
                means[row, table.cell[entries]] = without.remaining_means[entries]
            fitted = additive_means(table, means)
            failed = np.isnan(fitted).all(axis=1) & (method == "automatic")
            before[modelled_rows[failed]] = plain_before
            after[modelled_rows[~failed]] = fitted[~failed]
        changes[:, block] = _ranking_changes(before, after)
        if on_progress is not None:
            on_progress(block.stop / w)
    r, rho, shift, swaps = changes
    return LeaveOneOut(table.raters, r, rho, shift, swaps, n_lost, ratings, model, model_reason)


def _leave_out_raters(table: Cells) -> _WithoutRaters:
    s, c = len(table.systems), len(table.system)
    total, count = (np.bincount(table.cell, values, c) for values in (table.sums, table.counts))
    means = total / count
    remaining = count[table.cell] - table.counts
    is_emptied = remaining == 0
    remaining_means = np.where(
        is_emptied, nan, (total[table.cell] - table.sums) / np.where(is_emptied, 1.0, remaining)
    )
    change = np.where(is_emptied, 0.0, remaining_means) - means[table.cell]
    pair_code = table.rater * s + table.system[table.cell]
    order = np.argsort(pair_code, kind="stable")
    pair_code = pair_code[order]
    starts = np.flatnonzero(np.diff(pair_code, prepend=-1))
    if not len(pair_code):
        return _WithoutRaters(means, remaining_means, pair_code, pair_code, means)
    rater, system = pair_code[starts] // s, pair_code[starts] % s
    topics = np.bincount(table.system, minlength=s)[system] - np.add.reduceat(is_emptied[order] * 1, starts)
    sums = np.bincount(table.system, means, s)[system] + np.add.reduceat(change[order], starts)
    return _WithoutRaters(
        means, remaining_means, rater, system, np.where(topics > 0, sums / np.maximum(topics, 1), nan)
    )


def _choose_model(
    table: Cells, without: _WithoutRaters, method: Method
) -> tuple[NDArray[np.bool_], Literal["additive", "plain"], str]:
    """Return the raters (w,) for whom the additive model is fitted, the name of the method, and the reason for it."""
    w = len(table.raters)
    none = np.zeros(w, dtype=bool)
    if method == "plain":
        return none, "plain", "chosen"
    model: Literal["additive", "plain"] = "additive" if method == "additive" else "plain"
    is_modelled = ~none
    if method == "automatic" and is_complete(table, without.means):
        emptied = np.bincount(table.rater, np.isnan(without.remaining_means), w) > 0
        is_modelled = emptied & ~_empties_whole_lines(table, without)
        if not is_modelled.any():
            return none, model, "no cell is missing, and then the additive model gives the same"
    too_large = too_large_reason(table, int(is_modelled.sum()))
    if too_large:
        return none, model, too_large
    if np.isnan(additive_means(table, without.means[None])).all():
        return none, model, NOT_CONNECTED
    return is_modelled, "additive", "chosen" if method == "additive" else "some systems lack some topics"


def _empties_whole_lines(table: Cells, without: _WithoutRaters) -> NDArray[np.bool_]:
    """Return True for raters (w,) without whom only whole topics or whole systems of a complete table are empty."""
    w, s, t = len(table.raters), len(table.systems), len(table.topics)
    emptied_entries = np.flatnonzero(np.isnan(without.remaining_means))
    number_emptied = np.bincount(table.rater[emptied_entries], minlength=w)
    is_whole = np.zeros(w, dtype=bool)
    for codes, size in ((table.topic, t), (table.system, s)):
        lines, number = np.unique(
            table.rater[emptied_entries] * size + codes[table.cell[emptied_entries]], return_counts=True
        )
        full = number == s * t // max(size, 1)
        in_full_lines = np.bincount(lines[full] // max(size, 1), number[full], w)
        is_whole |= in_full_lines == number_emptied
    return is_whole


def _ranking_changes(before: Floats, after: Floats) -> Floats:
    """Return Pearson, Spearman, largest shift and swaps (4, k) of pairs of rankings (k, s)."""
    x, y = settle(before), settle(after)
    is_undefined = np.isnan(x) | np.isnan(y)
    x, y = np.where(is_undefined, nan, x), np.where(is_undefined, nan, y)
    shifts = np.where(is_undefined, 0.0, np.abs(midranks(-x) - midranks(-y)))
    defined = (~is_undefined).any(axis=1)
    shift = np.where(defined, shifts.max(axis=1, initial=0.0), nan)
    swaps = np.where(defined, discordant_rows(x, y), nan)
    return np.vstack([row_correlations(x, y), shift, swaps])


def _updated_pearson(table: Cells, without: _WithoutRaters) -> Floats:
    """Return Pearson's r of the plain means with and without each rater (w,), from sums over their systems."""
    w, s = len(table.raters), len(table.systems)
    before = plain_means(table, without.means[None])[0]
    center = before.mean()
    before = before - center
    x, y = before[without.system], without.score - center
    is_defined = ~np.isnan(y)

    def updated(total: float, old: Floats, new: Floats) -> Floats:
        changed = np.where(is_defined, new, 0.0) - old
        return np.asarray(total + np.bincount(without.rater, changed, w), dtype=np.float64)

    n = s - np.bincount(without.rater[~is_defined], minlength=w).astype(np.float64)
    square = float(before @ before)
    sum_x, sum_y = updated(0.0, x, x), updated(0.0, x, y)
    xx, yy, xy = updated(square, x * x, x * x), updated(square, x * x, y * y), updated(square, x * x, x * y)
    size = np.maximum(n, 1)
    xx, yy, xy = xx - sum_x**2 / size, yy - sum_y**2 / size, xy - sum_x * sum_y / size
    defined = (n >= FEWEST_PAIRS) & (np.minimum(xx, yy) > 1e-12 * max(square, 1e-300))
    r: Floats = np.full(w, nan)
    r[defined] = np.clip(xy[defined] / np.sqrt(xx[defined] * yy[defined]), -1.0, 1.0)
    return r
