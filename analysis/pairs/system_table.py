"""Tables of systems by topics and raters, rank intervals, and letters for systems that do not clearly differ."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.estimate import Codes, Floats, InputError
from analysis.values.ratings import coded, finite_numbers

MOST_LETTERS = 200
"""Largest number of letters, which may double with each pair if differences have no order."""
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def letters(rank: ArrayLike, significant: ArrayLike) -> tuple[str, ...]:
    """Return letters such that two systems share one exactly if they do not differ significantly, "" if too many.

    Source: Piepho 2004, "An algorithm for a letter-based representation of all-pairwise comparisons".

    >>> letters([1, 2, 3], [[False, False, True], [False, False, False], [True, False, False]])
    ('A', 'AB', 'B')
    """
    # All systems share a first letter. Each significant pair splits every letter of both into two, one without each,
    # and letters whose systems all have another letter are removed.
    order = np.argsort(np.asarray(rank, dtype=np.float64), kind="stable")
    differ = np.asarray(significant, dtype=np.bool_)[np.ix_(order, order)]
    k = len(order)
    columns = {(1 << k) - 1} if k else set()
    for first, second in zip(*np.nonzero(np.triu(differ, 1)), strict=True):
        pair = 1 << int(first) | 1 << int(second)
        split = {column for column in columns if column & pair == pair}
        unsplit = columns - split
        halves = {column & ~(1 << int(one)) for column in split for one in (first, second)}
        candidates = unsplit | halves
        columns = unsplit | {
            half for half in halves if not any(half & other == half for other in candidates if other != half)
        }
        if len(columns) > MOST_LETTERS:
            return ("",) * k
    sets = sorted([index for index in range(k) if column >> index & 1] for column in columns)
    labels: list[str] = [""] * k
    for letter, indices in enumerate(sets):
        for index in indices:
            labels[order[index]] += ALPHABET[letter] if letter < len(ALPHABET) else f"({letter + 1})"
    return tuple(labels)


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Simultaneous intervals of the ranks of k systems (k,)."""

    low: Codes
    high: Codes


def rank_intervals(above: ArrayLike) -> RankIntervals:
    """Return simultaneous rank intervals from pairwise comparisons.

    Parameters
    ----------
    above : (k, k) True where the row's system is clearly above the column's, adjusted for all pairs

    Notes
    -----
    From 1 + the number of systems clearly above to the number not clearly below. If the family-wise error rate of
    `above` is at most 5%, all intervals cover the true ranks in at least 95% of studies. Pairs that were not compared
    count as not different.
    Source: Mohamad, Goeman and van Zwet 2019, "Simultaneous confidence intervals for ranks with application to ranking
    institutions", section 3.

    >>> found = rank_intervals([[False, False, True], [False, False, True], [False, False, False]])
    >>> found.low.tolist(), found.high.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    is_above = np.asarray(above, dtype=np.bool_)
    return RankIntervals(1 + is_above.sum(axis=0), len(is_above) - is_above.sum(axis=1))


@dataclass(frozen=True, eq=False)
class Cells:
    """Table of systems by topics, with sums of scores by cell and rater.

    Parameters
    ----------
    systems, topics, raters : (s,), (t,), (w,) ascending ids
    system, topic : (c,) codes of the cells that have ratings, ordered by system, then topic
    cell, rater : (e,) codes of the pairs of cell and rater, ordered by cell, then rater
    sums, counts : (e,) sum and number of that rater's scores in that cell; with weights, of their products and of them

    Notes
    -----
    Source: Owczarzak et al. 2012, section 3 (systems by topics).
    """

    systems: NDArray[Any]
    topics: NDArray[Any]
    raters: NDArray[Any]
    system: Codes
    topic: Codes
    cell: Codes
    rater: Codes
    sums: Floats
    counts: Floats

    @property
    def starts(self) -> Codes:
        """First cell of each system (s,)."""
        return np.searchsorted(self.system, np.arange(len(self.systems)))


def build_cells(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None = None,
) -> Cells:
    """Build the table of systems by topics from ratings (N,), with weights (N,) or equal ones."""
    scores = finite_numbers("score", score)
    weights = None if weight is None else finite_numbers("weight", weight)
    columns = {"system": np.asarray(system), "topic": np.asarray(topic), "rater": np.asarray(rater)}
    columns |= {} if weights is None else {"weight": weights}
    for name, column in columns.items():
        if column.shape != scores.shape:
            raise InputError(
                "`system`, `topic`, `rater`, `score` and `weight` must be 1-d and equally long, one entry per rating; "
                f"`{name}` has shape {column.shape} and `score` {scores.shape}"
            )
    (systems, s), (topics, t), (raters, r) = (coded(columns[name]) for name in ("system", "topic", "rater"))
    places, cell = coded(s * len(topics) + t)
    system_of, topic_of = np.divmod(places, max(len(topics), 1))
    return Cells(
        systems,
        topics,
        raters,
        system_of,
        topic_of,
        *_sum_by_cell_and_rater(cell, r, scores, len(raters), weights),
    )


@dataclass(frozen=True, eq=False)
class RankedCells:
    """Table with flags: `has_systems` is False if items are ranked, `has_topics` if there are no topics."""

    table: Cells
    has_systems: bool
    has_topics: bool


def cells_from_codes(
    code: Codes, score: Floats, topics: int, conditions: int, raters: int, has_raters: bool = True
) -> RankedCells:
    """Build the table of `Assessments.ranking` from ratings (N,) in any order.

    Parameters
    ----------
    code : (N,) (((system + 1) (topics + 1) + topic + 1) (conditions + 1) + condition + 1) raters + rater, of codes
        from 0, -1 for none
    score : (N,) numbers
    topics, conditions, raters : numbers of codes
    has_raters : False to treat all ratings as those of one rater
    """
    if not has_raters:
        code, raters = code // max(raters, 1), 1
    pairs, sums, counts = _sum_by_code(code, score)
    cell, rater = np.divmod(pairs, max(raters, 1))
    cells_present, cell_index = coded(cell)
    system, within = np.divmod(cells_present, (topics + 1) * (conditions + 1))
    topic, condition = (each - 1 for each in np.divmod(within, conditions + 1))
    block = topic * (int(condition.max(initial=0)) + 2) + condition + 1
    number_unknown = int((system == 0).sum())  # cells of no system come first
    if number_unknown:
        is_known = cell_index >= number_unknown
        cell_index, rater, sums, counts = (
            cell_index[is_known] - number_unknown,
            rater[is_known],
            sums[is_known],
            counts[is_known],
        )
    (systems, s), (blocks, t) = coded(system[number_unknown:] - 1), coded(block[number_unknown:])
    raters_there, r = coded(rater)
    has_topics = bool((topic[number_unknown:] >= 0).any())
    return RankedCells(
        Cells(systems, blocks, raters_there, s, t, cell_index, r, sums, counts), bool(len(s)), has_topics
    )


def cells_from_sums(system: Codes, topic: Codes, sums: Floats, counts: Floats) -> Cells:
    """Build the table of cells (c,) with a single rater from the cells' sums and counts."""
    order = np.lexsort((topic, system))
    (systems, s), (topics, t) = coded(system[order]), coded(topic[order])
    rater = np.zeros(len(order), dtype=np.int64)
    return Cells(
        systems,
        topics,
        np.zeros(1, dtype=np.int64),
        s,
        t,
        np.arange(len(order)),
        rater,
        sums[order],
        counts[order],
    )


def _sum_by_cell_and_rater(
    cell: Codes, rater: Codes, score: Floats, raters: int, weight: Floats | None = None
) -> tuple[Codes, Codes, Floats, Floats]:
    """Return cell, rater, sum and number (e,) of the scores (N,) of each pair that occurs, ascending."""
    pairs, sums, counts = _sum_by_code(cell * raters + rater, score, weight)
    return *np.divmod(pairs, max(raters, 1)), sums, counts


def _sum_by_code(code: Codes, score: Floats, weight: Floats | None = None) -> tuple[Codes, Floats, Floats]:
    """Return the codes (e,) that occur, ascending, with the sum and number of their scores (N,)."""
    codes = None
    if int(code.max(initial=0)) > 4 * len(code) + 1000:
        codes, code = coded(code)
    counts = np.bincount(code, weight)
    occurring = np.flatnonzero(counts) if codes is None else np.arange(len(codes))
    sums = np.bincount(code, score if weight is None else score * weight)
    return (
        occurring if codes is None else codes,
        sums[occurring].astype(np.float64, copy=False),
        counts[occurring].astype(np.float64),
    )
