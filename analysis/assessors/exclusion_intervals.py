"""Changes of a ranking of systems when raters are excluded, with intervals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, inf, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.assessors.system_model import additive_means, cannot_model, kept_means, plain_means
from analysis.correlation.rank_rows import FEWEST, discordant_rows, midranks, pearson_rows, spearman_rows
from analysis.pairs.paired_differences import PairedDifferences, compare_cells, no_differences
from analysis.pairs.system_table import Cells
from analysis.resampling.intervals import Ends, blocks, by_error, deviation, one_fewer, shaped
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, InputError, Scope
from analysis.values.ratings import different, occurring, ratio, settle

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
    """Return how far one ranking of systems is another.

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


Stays = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""How often each rater (w,) and each topic (t,) is in a draw -> who stays in it (w,)."""
MOST_DRAWN = 5_000
"""Systems up to which intervals are drawn."""
FEW = 6
"""Raters or topics below which intervals of scores are widened though both are drawn (88% cover otherwise)."""
MOST_GONE = 400
"""Sets of raters that go in turn, for the variance of a change."""
_BLOCK = 2_000_000
"""Cells in a block of draws."""
MOST_EMPTY = 8
"""Places of a matrix of cells by raters, for each that is not empty, up to which all are multiplied: a processor does
that with so many in the time that it needs to look up one."""
_RULED = 50
"""Draws in a block where a rule is applied in each."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of all systems' scores, (s,) each, NaN where there is none.

    `before_low` … `after_high`, and of the difference after less before (NaN with two raters); `resampled_before` and
    `resampled_after` name what was drawn ("raters and topics", "topics", …; empty: nothing could be);
    `pairs_before` and `pairs_after` compare all pairs of systems, without draws; `again` by rater in what share of
    the draws that hold this one the rule left it out, None where those left out were the same in all;
    `reason` says why there are none.
    """

    before_low: Floats
    before_high: Floats
    after_low: Floats
    after_high: Floats
    difference_low: Floats
    difference_high: Floats
    resampled_before: str
    resampled_after: str
    draws: int
    pairs_before: PairedDifferences
    pairs_after: PairedDifferences
    again: dict[Any, float] | None = None
    reason: str = ""


def draw_intervals(
    table: Cells,
    keep: NDArray[np.bool_],
    method: Literal["additive", "plain"],
    spec: BootstrapSpec,
    values: tuple[Floats, Floats],
    on_progress: Callable[[float], object] | None = None,
    rule: Stays | None = None,
    scope: Scope = "raters like these",
    pairs: tuple[PairedDifferences, PairedDifferences] | None = None,
) -> Intervals:
    """Intervals of all scores before and after, and of their difference.

    Parameters
    ----------
    table : of s systems and w raters
    keep : (w,) which raters stay
    method : how a draw's scores are made
    spec : draws, seed and level
    values : (s,) scores before and after
    on_progress : called between blocks with the share done
    rule : who stays in a draw; `keep` in all where not given
    scope : these raters draws topics only, where there are several
    pairs : all pairs compared before and after, None to compare them here

    Returns
    -------
    Intervals
        (s,) each; without figures, but with a reason, where there is nothing to draw from.

    Notes
    -----
    A system whose raters are missing from more than half the draws has no interval. A rating weighs as often as its
    rater and its topic were drawn.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2; Rao & Wu 1988; methods, section 0.
    """
    s, everyone = len(table.systems), np.ones(len(keep), dtype=bool)
    what = resampled(table, everyone, scope), resampled(table, keep, scope)
    before_and_after = pairs or compare_both(table, keep, scope, spec.level)
    reason = _no_intervals(table, method, spec.draws, what[0])
    if reason:
        return no_intervals(s, reason, before_and_after)
    alike = bool(keep.all()) and rule is None
    whole = _Side(table, everyone, what[0])
    sides = whole, whole if alike else _Side(table, keep, what[1])
    rng = np.random.default_rng([spec.seed, 1])
    fit = additive_means if method == "additive" else plain_means
    before, after = np.empty((2, spec.draws, s))
    held, gone = np.zeros((2, len(keep)))
    at_once = _BLOCK // max(len(table.system), 1)
    for block in blocks(spec.draws, at_once if rule is None else min(at_once, _RULED), on_progress):
        size = block.stop - block.start
        weights = one_fewer(rng, len(table.raters), size).T, one_fewer(rng, len(table.topics), size).T
        stay = None if rule is None else _staying(rule, *weights, what[0])
        if stay is not None:
            there = weights[0] > 0
            held, gone = held + there.sum(axis=1), gone + (there & ~stay).sum(axis=1)
        before[block] = fit(table, *sides[0].weighed(*weights))
        after[block] = before[block] if alike else fit(table, *sides[1].weighed(*weights, stay))
    before[:, sides[0].single], after[:, sides[1].single] = nan, nan
    return Intervals(
        *_around_mean(before, spec.level, sides[0].degrees),
        *_around_mean(after, spec.level, sides[1].degrees),
        *_of_change(table, keep, values[1] - values[0], fit, spec),
        *what,
        spec.draws,
        *before_and_after,
        None if rule is None else dict(zip(table.raters.tolist(), ratio(gone, held).tolist(), strict=True)),
    )


def _of_change(
    table: Cells, keep: NDArray[np.bool_], change: Floats, fit: Callable[..., Floats], spec: BootstrapSpec
) -> Ends:
    """End (s,) of each score's change when those who do not stay (w,) go."""
    w, gone = len(keep), int((~keep).sum())
    if gone == 0:
        return Ends(change, change)
    if w < 3:  # one who stays and one who goes tell nothing of the spread of either
        return Ends(np.full(len(change), nan), np.full(len(change), nan))
    chosen, every = who_may_go(w, gone, MOST_GONE, np.random.default_rng([spec.seed, 7]))
    before = fit(table, kept_means(table, np.ones(w, dtype=bool))[None])
    changes = []
    for block in blocks(len(chosen), _BLOCK // max(len(table.system), 1)):
        left = np.stack([kept_means(table, ~np.isin(np.arange(w), some)) for some in chosen[block]])
        changes.append(fit(table, left) - before)
    of_any = deviation(np.concatenate(changes)) ** 2 * ((len(chosen) - 1) / len(chosen) if every else 1.0)
    pooled = np.maximum((w - 1) * of_any - change**2, 0.0) / (w - 2)
    return by_error(change, np.sqrt(pooled), spec.level, w - 2)


def who_may_go(raters: int, gone: int, most: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], bool]:
    """Sets of raters that may go (d, gone): all there are, and whether they are all, or so many at random."""
    if comb(raters, gone) <= most:
        return np.array(list(combinations(range(raters), gone)), dtype=np.int64).reshape(-1, gone), True
    return np.array([rng.choice(raters, gone, replace=False) for _ in range(most)]), False


def _staying(rule: Stays, raters: Floats, topics: Floats, what: str) -> NDArray[np.bool_]:
    """Return who stays (w, b) in each of b draws of raters (w, b) and topics (t, b)."""
    times = _times(raters) if "raters" in what else np.ones(raters.shape, dtype=np.int64)
    copies = (
        _times(topics) if what in ("topics", "raters and topics") else np.ones(topics.shape, dtype=np.int64)
    )
    return np.stack([rule(*drawn) for drawn in zip(times.T, copies.T, strict=True)], axis=1)


def _times(weights: Floats) -> NDArray[np.int64]:
    """Return how often each unit was drawn, from its rescaled weight."""
    units = len(weights)
    return np.rint(weights * ((units - 1) / units if units > 1 else 1)).astype(np.int64)


def compare_both(
    table: Cells, keep: NDArray[np.bool_], scope: Scope, level: float = 0.95, has_topics: bool = True
) -> tuple[PairedDifferences, PairedDifferences]:
    """Compare all pairs of systems by everyone, and by the raters to keep."""
    before = compare_cells(table, None, scope, level, has_topics)
    return before, before if keep.all() else compare_cells(table, keep, scope, level, has_topics)


def no_intervals(
    systems: int, reason: str, pairs: tuple[PairedDifferences, PairedDifferences] | None = None
) -> Intervals:
    """That there are none, and why."""
    none = np.full(systems, nan)
    before, after = pairs or (no_differences(systems, reason), no_differences(systems, reason))
    return Intervals(none, none, none, none, none, none, "", "", 0, before, after, None, reason)


def _of_kept(table: Cells, keep: NDArray[np.bool_]) -> slice | NDArray[np.bool_]:
    """Return which pairs of cell and rater (e,) are of raters to keep: without copying, where all are."""
    return slice(None) if keep.all() else keep[table.rater]


def resampled(table: Cells, keep: NDArray[np.bool_], scope: Scope = "raters like these") -> str:
    """Return what a bootstrap can draw from: "raters and topics", "raters with their topics", "raters", "topics", ""
    (Owen 2007 (crossed); Cameron & Miller 2015, section 2 (nested))."""
    at = _of_kept(table, keep)
    topic, rater = table.topic[table.cell[at]], table.rater[at]
    topics, raters = different(topic), different(rater)
    if topics > 1 and scope == "these raters":
        return "topics"
    if topics > 1 and raters > 1:
        nested = different(topic * len(table.raters) + rater) == topics
        return "raters with their topics" if nested else "raters and topics"
    return "raters" if raters > 1 else "topics" if topics > 1 else ""


def _by_rater(table: Cells, values: Floats) -> Any:
    """One value (e,) of each pair of cell and rater as a matrix of cells by raters, sparse where most never met."""
    c, w = len(table.system), len(table.raters)
    if c * w > MOST_EMPTY * len(values):
        return sparse.csr_array((values, (table.cell, table.rater)), shape=(c, w))
    matrix = np.zeros((c, w))
    matrix[table.cell, table.rater] = values
    return matrix


class _Side:
    """One side of a bootstrap: its ratings as matrices of cells by raters, each cell's counts adding to 1."""

    def __init__(self, table: Cells, keep: NDArray[np.bool_], what: str) -> None:
        c = len(table.system)
        weight = keep[table.rater].astype(np.float64)
        n = np.bincount(table.cell, table.counts * weight, c)[table.cell]
        weight = np.where(n > 0, weight / np.where(n > 0, n, 1.0), 0.0)
        self._sums, self._shares = (_by_rater(table, of * weight) for of in (table.sums, table.counts))
        self._table = table
        self._topic = table.topic
        self._what = what
        self._raters = int(keep.sum())
        self._topics = different(table.topic[table.cell[_of_kept(table, keep)]])
        self._units = self._of_each_system(table, keep)

    @cached_property
    def _as_given(self) -> tuple[Any, Any]:
        """Numbers and sums of the scores, whoever stays."""
        return _by_rater(self._table, self._table.counts), _by_rater(self._table, self._table.sums)

    @property
    def single(self) -> NDArray[np.bool_]:
        """Systems (s,) that only one of the units drawn tells of, so that their chance cannot be seen."""
        return self._units < 2

    def _of_each_system(self, table: Cells, keep: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the drawn units of each system (s,): the more of raters and topics where both are drawn."""
        at = _of_kept(table, keep)
        system, s = table.system[table.cell[at]], len(table.systems)

        def units(of: NDArray[np.int64]) -> NDArray[np.int64]:
            many = int(of.max(initial=0)) + 1
            return np.bincount(occurring(system * many + of) // many, minlength=s)

        raters, topics = units(table.rater[at]), units(table.topic[table.cell[at]])
        if self._what == "raters and topics":
            return np.maximum(raters, topics)
        return topics if self._what == "topics" else raters

    @property
    def degrees(self) -> float:
        """Of freedom of Student's t where one kind of unit is drawn, since few vary less than they should."""
        if self._what == "raters and topics":
            fewer = min(self._raters, self._topics)
            return 2.0 * fewer if fewer < FEW else inf
        return max((self._topics if self._what == "topics" else self._raters) - 1, 1)

    def weighed(
        self, raters: Floats, topics: Floats, stay: NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Floats]:
        """Means and weights of the cells (b, c) from weights of raters (w, b) and topics (t, b)."""
        if "raters" not in self._what:
            raters = np.ones_like(raters)
        if self._what in ("raters", "raters with their topics"):
            topics = np.ones_like(topics)
        if stay is not None:
            counts, totals = self._as_given
            given = np.asarray(counts @ (raters * stay))
            shares = ratio(given, np.asarray(counts @ stay.astype(np.float64)))
            weight = np.where(np.isnan(shares), 0.0, shares) * topics[self._topic]
            return ratio(totals @ (raters * stay), given).T, weight.T
        shares = np.asarray(self._shares @ raters)
        return ratio(self._sums @ raters, shares).T, (shares * topics[self._topic]).T


def _no_intervals(table: Cells, method: str, draws: int, what: str) -> str:
    if draws == 0:
        return "no draws were asked for"
    if not what:
        return "with one rater and one topic there is nothing to resample"
    systems = len(table.systems)
    if systems > MOST_DRAWN:
        return f"intervals are drawn for at most {MOST_DRAWN} of what is ranked; there are {systems}"
    return cannot_model(table, 2 * draws) if method == "additive" else ""


def _around_mean(drawn: Floats, level: float, degrees: float) -> Ends:
    """End (s,) of the middle `level` of the draws (draws, s), stretched from their mean for few units."""
    known = ~np.isnan(drawn)
    mean = ratio(np.where(known, drawn, 0.0).sum(axis=0), known.sum(axis=0))
    return shaped(mean, drawn, level, degrees)
