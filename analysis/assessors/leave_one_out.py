"""Rankings of systems without each rater in turn, and without as many raters at random."""

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
    before_and_after,
    check_method,
)
from analysis.assessors.exclusion_intervals import correlations, who_may_go
from analysis.assessors.system_model import (
    NOT_CONNECTED,
    additive_means,
    cannot_model,
    is_complete,
    kept_means,
    plain_means,
)
from analysis.correlation.rank_rows import FEWEST, discordant_rows, midranks
from analysis.pairs.system_table import Cells, cells
from analysis.resampling.intervals import blocks
from analysis.values.estimate import Estimate, Floats, OnProgress
from analysis.values.ratings import coded, settle

_DROPS_BLOCK = 2_000_000
"""Cells in a block of random exclusions."""


@dataclass(frozen=True, eq=False)
class RandomDrops:
    """Effect on the ranking of dropping equally many random raters.

    `pearson`, `spearman`: median, 5% and 95% over the n draws in which they are defined; `pearsons`,
    `spearmans` (d,) each draw; `dropped` raters in each; `every`: these are all possible choices.
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
    """Return how well the ranking survives when as many raters go at random.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    point : what `exclusion` found on the same ratings
    spec : random exclusions and seed
    on_progress : called between blocks with the share done
    weight : (N,) how much each rating counts, all the same where not given

    Returns
    -------
    RandomDrops
        (d,) correlations: all possible choices where these are at most `spec.random`.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    The chosen raters may be among the random ones. Source: methods, section 3 ("dropping equally many random
    assessors").
    """
    spec = ExclusionSpec() if spec is None else spec
    table = cells(system, topic, rater, score, weight)
    w, gone = len(table.raters), len(point.excluded)
    reason = point.reason or ("" if spec.random else "no random exclusions were asked for")
    if reason:
        none = Estimate(nan, reason=reason)
        return RandomDrops(none, none, np.empty(0), np.empty(0), gone, False, reason)
    chosen, every = who_may_go(w, gone, spec.random, np.random.default_rng([spec.seed, 2]))
    everyone = kept_means(table, np.ones(w, dtype=bool))
    of_draws = np.empty((2, len(chosen)))
    for block in blocks(len(chosen), _DROPS_BLOCK // max(len(table.system), 1), on_progress):
        left = np.stack([kept_means(table, ~np.isin(np.arange(w), some)) for some in chosen[block]])
        before, after, _, _ = before_and_after(table, everyone, left, spec.method, len(chosen))
        of_draws[:, block] = correlations(before, after)
    return RandomDrops(_middle(of_draws[0]), _middle(of_draws[1]), of_draws[0], of_draws[1], gone, every)


def _middle(figures: Floats) -> Estimate:
    known = figures[~np.isnan(figures)]
    if not len(known):
        return Estimate(nan, reason="the correlation is undefined in every random exclusion")
    low, middle, high = np.quantile(known, [0.05, 0.5, 0.95])
    return Estimate(float(middle), float(low), float(high), len(known))


MOST_RANKED = 5_000_000
"""Raters x systems up to which the systems are ranked anew for each rater; above, only Pearson's r is given."""
ONE_RATER = "there is only one rater; without them nobody is left"
TOO_MANY_RANKS = (
    f"ranks are made anew for at most {MOST_RANKED} pairs of a rater and what is ranked; "
    "with more only Pearson's r is given"
)
_BLOCK = 400_000


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Changes of the ranking when one rater goes, (w,) each, by ascending rater id.

    `raters` ids; `pearson`, `spearman` between the scores with and without that rater; `largest_shift` of a
    rank; `swaps` pairs of systems in opposite order; `lost` systems without ratings then; `ratings` that the
    rater gave. NaN where undefined. `method` that was used and `why`; `reason` why nothing is defined,
    `reason_ranks` why everything but Pearson's r is not.
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
        """Return True where ranks are compared; otherwise Pearson's r is all there is."""
        return not bool(np.isnan(self.spearman).all())

    @property
    def strongest(self) -> int | None:
        """Place of the rater without whom the ranking changes most; None where no correlation is defined."""
        correlation = self.spearman if self.compares_ranks else self.pearson
        return None if np.isnan(correlation).all() else int(np.nanargmin(correlation))


@dataclass(frozen=True, eq=False)
class _Gone:
    """Changes by each rater's leaving to the cells (e,) and to the systems (p,) they rated."""

    means: Floats
    """(c,) of the cells with everyone."""
    left: Floats
    """(e,) a cell's mean without the rater, NaN where nobody else rated it."""
    rater: NDArray[np.int64]
    system: NDArray[np.int64]
    score: Floats
    """(p,) a system's plain mean without the rater, NaN where nothing is left."""


def leave_one_out(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    method: Method = "automatic",
    on_progress: Callable[[float], object] | None = None,
    weight: ArrayLike | None = None,
) -> LeaveOneOut:
    """The ranking of systems without each rater in turn.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    method : "plain", "additive", or "automatic" as `analysis.assessors.exclusion.ExclusionSpec`
    on_progress : called between blocks of raters with the share done
    weight : (N,) how much each rating counts, all the same where not given

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
    For each rater it is what `analysis.assessors.exclusion.exclusion` gives. Not for whether a rater is good: one who
    rated more moves more. In O(N) and a ranking per rater. "automatic" is the plain mean for raters that leave no cell
    empty in a complete table, and wherever the additive model cannot be fitted; `why` tells.
    Source: Owczarzak et al. 2012, Table 2 ("-1 worst"); methods, section 3 (leave-one-out).
    """
    check_method(method)
    table = cells(system, topic, rater, score, weight)
    w, s = len(table.raters), len(table.systems)
    ratings = np.bincount(coded(np.asarray(rater))[1], minlength=w)
    gone = _without_each(table)
    lost = np.bincount(gone.rater[np.isnan(gone.score)], minlength=w)
    modelled, used, why = _modelled(table, gone, method)
    none = np.full(w, nan)
    if w < 2 or (method == "additive" and not modelled.any()):
        reason = NO_RATINGS if w == 0 else ONE_RATER if w == 1 else why
        return LeaveOneOut(table.raters, none, none, none, none, lost, ratings, used, why, reason, reason)
    if used == "plain" and w * s > MOST_RANKED:
        r = _updated_pearson(table, gone)
        return LeaveOneOut(table.raters, r, none, none, none, lost, ratings, used, why, "", TOO_MANY_RANKS)
    figures = np.empty((4, w))
    plain_before = plain_means(table, gone.means[None])[0]
    additive_before = additive_means(table, gone.means[None])[0] if modelled.any() else plain_before
    by_rater = np.argsort(table.rater, kind="stable")
    starts = np.searchsorted(table.rater[by_rater], np.arange(w + 1))
    for block in blocks(w, _BLOCK // max(s, len(table.system) if modelled.any() else 1)):
        before = np.where(modelled[block, None], additive_before, plain_before)
        after = np.tile(plain_before, (block.stop - block.start, 1))
        here = slice(*np.searchsorted(gone.rater, [block.start, block.stop]))
        after[gone.rater[here] - block.start, gone.system[here]] = gone.score[here]
        fit = np.flatnonzero(modelled[block])
        if len(fit):
            means = np.tile(gone.means, (len(fit), 1))
            for row, one in enumerate(block.start + fit):
                given = by_rater[starts[one] : starts[one + 1]]
                means[row, table.cell[given]] = gone.left[given]
            fitted = additive_means(table, means)
            failed = np.isnan(fitted).all(axis=1) & (method == "automatic")
            before[fit[failed]] = plain_before
            after[fit[~failed]] = fitted[~failed]
        figures[:, block] = _changes(before, after)
        if on_progress is not None:
            on_progress(block.stop / w)
    r, rho, shift, swaps = figures
    return LeaveOneOut(table.raters, r, rho, shift, swaps, lost, ratings, used, why)


def _without_each(table: Cells) -> _Gone:
    s, c = len(table.systems), len(table.system)
    total, count = (np.bincount(table.cell, values, c) for values in (table.sums, table.counts))
    means = total / count
    remaining = count[table.cell] - table.counts
    empty = remaining == 0
    left = np.where(empty, nan, (total[table.cell] - table.sums) / np.where(empty, 1.0, remaining))
    change = np.where(empty, 0.0, left) - means[table.cell]
    flat = table.rater * s + table.system[table.cell]
    order = np.argsort(flat, kind="stable")
    flat = flat[order]
    starts = np.flatnonzero(np.diff(flat, prepend=-1))
    if not len(flat):
        return _Gone(means, left, flat, flat, means)
    rater, system = flat[starts] // s, flat[starts] % s
    topics = np.bincount(table.system, minlength=s)[system] - np.add.reduceat(empty[order] * 1, starts)
    sums = np.bincount(table.system, means, s)[system] + np.add.reduceat(change[order], starts)
    return _Gone(means, left, rater, system, np.where(topics > 0, sums / np.maximum(topics, 1), nan))


def _modelled(
    table: Cells, gone: _Gone, method: Method
) -> tuple[NDArray[np.bool_], Literal["additive", "plain"], str]:
    """For which raters (w,) the additive model is fitted, what to call the method, and why."""
    w = len(table.raters)
    none = np.zeros(w, dtype=bool)
    if method == "plain":
        return none, "plain", "chosen"
    used: Literal["additive", "plain"] = "additive" if method == "additive" else "plain"
    chosen = ~none
    if method == "automatic" and is_complete(table, gone.means):
        emptied = np.bincount(table.rater, np.isnan(gone.left), w) > 0
        chosen = emptied & ~_whole_topics(table, gone)
        if not chosen.any():
            return none, used, "no cell is missing, and then the additive model gives the same"
    too_large = cannot_model(table, int(chosen.sum()))
    if too_large:
        return none, used, too_large
    if np.isnan(additive_means(table, gone.means[None])).all():
        return none, used, NOT_CONNECTED
    return chosen, "additive", "chosen" if method == "additive" else "some systems lack some topics"


def _whole_topics(table: Cells, gone: _Gone) -> NDArray[np.bool_]:
    """Return whether the cells that a rater empties in a complete table (w,) are whole topics or whole systems only."""
    w, s, t = len(table.raters), len(table.systems), len(table.topics)
    at = np.flatnonzero(np.isnan(gone.left))
    emptied = np.bincount(table.rater[at], minlength=w)
    whole = np.zeros(w, dtype=bool)
    for codes, size in ((table.topic, t), (table.system, s)):
        lines, number = np.unique(table.rater[at] * size + codes[table.cell[at]], return_counts=True)
        full = number == s * t // max(size, 1)
        in_full_lines = np.bincount(lines[full] // max(size, 1), number[full], w)
        whole |= in_full_lines == emptied
    return whole


def _changes(before: Floats, after: Floats) -> Floats:
    """Pearson, Spearman, largest shift and swaps (4, k) of pairs of rankings (k, s)."""
    x, y = settle(before), settle(after)
    out = np.isnan(x) | np.isnan(y)
    x, y = np.where(out, nan, x), np.where(out, nan, y)
    shifts = np.where(out, 0.0, np.abs(midranks(-x) - midranks(-y)))
    defined = (~out).any(axis=1)
    shift = np.where(defined, shifts.max(axis=1, initial=0.0), nan)
    swaps = np.where(defined, discordant_rows(x, y), nan)
    return np.vstack([correlations(x, y), shift, swaps])


def _updated_pearson(table: Cells, gone: _Gone) -> Floats:
    """Pearson's r of the plain means with and without each rater (w,) from sums over the systems they rated."""
    w, s = len(table.raters), len(table.systems)
    before = plain_means(table, gone.means[None])[0]
    middle = before.mean()
    before = before - middle
    x, y = before[gone.system], gone.score - middle
    there = ~np.isnan(y)

    def updated(with_everyone: float, old: Floats, new: Floats) -> Floats:
        changed = np.where(there, new, 0.0) - old
        return np.asarray(with_everyone + np.bincount(gone.rater, changed, w), dtype=np.float64)

    n = s - np.bincount(gone.rater[~there], minlength=w).astype(np.float64)
    square = float(before @ before)
    sum_x, sum_y = updated(0.0, x, x), updated(0.0, x, y)
    xx, yy, xy = updated(square, x * x, x * x), updated(square, x * x, y * y), updated(square, x * x, x * y)
    size = np.maximum(n, 1)
    xx, yy, xy = xx - sum_x**2 / size, yy - sum_y**2 / size, xy - sum_x * sum_y / size
    defined = (n >= FEWEST) & (np.minimum(xx, yy) > 1e-12 * max(square, 1e-300))
    r: Floats = np.full(w, nan)
    r[defined] = np.clip(xy[defined] / np.sqrt(xx[defined] * yy[defined]), -1.0, 1.0)
    return r
