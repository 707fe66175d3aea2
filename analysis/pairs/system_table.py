"""Letters for a table of systems: systems that share one do not clearly differ."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.estimate import Codes, Floats, InputError
from analysis.values.ratings import coded, finite_numbers

MOST = 200
"""Most letters; where pairs differ without an order, they would double with each pair."""
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def letters(rank: ArrayLike, significant: ArrayLike) -> tuple[str, ...]:
    """Letters such that two systems share one exactly when they do not differ significantly (Piepho 2004, "An
    algorithm for a letter-based representation of all-pairwise comparisons"); "" for all where it takes too many.

    >>> letters([1, 2, 3], [[False, False, True], [False, False, False], [True, False, False]])
    ('A', 'AB', 'B')
    """
    # All systems share a first letter. Each significant pair splits every letter that both have into two,
    # one without each, and letters whose systems are all in another are absorbed.
    order = np.argsort(np.asarray(rank, dtype=np.float64), kind="stable")
    differ = np.asarray(significant, dtype=np.bool_)[np.ix_(order, order)]
    k = len(order)
    columns = {(1 << k) - 1} if k else set()
    for first, second in zip(*np.nonzero(np.triu(differ, 1)), strict=True):
        pair = 1 << int(first) | 1 << int(second)
        split = {column for column in columns if column & pair == pair}
        kept = columns - split
        halves = {column & ~(1 << int(one)) for column in split for one in (first, second)}
        every = kept | halves
        columns = kept | {
            half for half in halves if not any(half & other == half for other in every if other != half)
        }
        if len(columns) > MOST:
            return ("",) * k
    sets = sorted([place for place in range(k) if column >> place & 1] for column in columns)
    written: list[str] = [""] * k
    for letter, places in enumerate(sets):
        for place in places:
            written[order[place]] += ALPHABET[letter] if letter < len(ALPHABET) else f"({letter + 1})"
    return tuple(written)


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """First and last rank (k,) that each of k systems may have, all of them at once."""

    low: Codes
    high: Codes


def rank_intervals(above: ArrayLike) -> RankIntervals:
    """Between which ranks each system lies, all intervals at once.

    Parameters
    ----------
    above : (k, k) whether the row's system is clearly above the column's, all pairs considered together

    Notes
    -----
    From one more than the number clearly above it to the number not clearly below. Where the risk of any false entry of
    `above` is at most 5%, all these intervals hold the true ranks in 95% of studies or more: no further rule. A
    pair that was not compared counts as not different.
    Source: Mohamad, Goeman and van Zwet 2019, "Simultaneous confidence intervals for ranks with application to ranking
    institutions", section 3.

    >>> found = rank_intervals([[False, False, True], [False, False, True], [False, False, False]])
    >>> found.low.tolist(), found.high.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    surely = np.asarray(above, dtype=np.bool_)
    return RankIntervals(1 + surely.sum(axis=0), len(surely) - surely.sum(axis=1))


@dataclass(frozen=True, eq=False)
class Cells:
    """The table of systems by topics, and which rater gave how much to which cell.

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


def cells(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None = None,
) -> Cells:
    """Ratings as a table of systems by topics; each counts as its weight (N,) says, all the same without."""
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
        systems, topics, raters, system_of, topic_of, *_by_rater(cell, r, scores, len(raters), weights)
    )


@dataclass(frozen=True, eq=False)
class Ranked:
    """A table with what it is of: whether systems are ranked, not items, and within topics."""

    table: Cells
    has_systems: bool
    has_topics: bool


def ranked(
    place: Codes, score: Floats, topics: int, conditions: int, raters: int, has_raters: bool = True
) -> Ranked:
    """The same table as of `Assessments.ranking`, from ratings (N,) in any order.

    Parameters
    ----------
    place : (N,) (((system + 1) (topics + 1) + topic + 1) (conditions + 1) + condition + 1) raters + rater, of codes
        from 0, -1 for none
    score : (N,) numbers
    topics, conditions, raters : how many have a code
    has_raters : if not, all ratings count as of one
    """
    if not has_raters:
        place, raters = place // max(raters, 1), 1
    pairs, sums, counts = _sums(place, score)
    cell, rater = np.divmod(pairs, max(raters, 1))
    there, at = coded(cell)
    system, within = np.divmod(there, (topics + 1) * (conditions + 1))
    topic, condition = (each - 1 for each in np.divmod(within, conditions + 1))
    block = topic * (int(condition.max(initial=0)) + 2) + condition + 1
    unknown = int((system == 0).sum())  # cells of no system come first
    if unknown:
        known = at >= unknown
        at, rater, sums, counts = at[known] - unknown, rater[known], sums[known], counts[known]
    (systems, s), (blocks, t) = coded(system[unknown:] - 1), coded(block[unknown:])
    raters_there, r = coded(rater)
    has_topics = bool((topic[unknown:] >= 0).any())
    return Ranked(Cells(systems, blocks, raters_there, s, t, at, r, sums, counts), bool(len(s)), has_topics)


def as_of_one(system: Codes, topic: Codes, sums: Floats, counts: Floats) -> Cells:
    """The table of cells (c,), each once, as if one rater had given all that is in them."""
    order = np.lexsort((topic, system))
    (systems, s), (topics, t) = coded(system[order]), coded(topic[order])
    nobody = np.zeros(len(order), dtype=np.int64)
    return Cells(
        systems,
        topics,
        np.zeros(1, dtype=np.int64),
        s,
        t,
        np.arange(len(order)),
        nobody,
        sums[order],
        counts[order],
    )


def _by_rater(
    cell: Codes, rater: Codes, score: Floats, raters: int, weight: Floats | None = None
) -> tuple[Codes, Codes, Floats, Floats]:
    """Cell, rater, sum and number (e,) of the scores (N,) of each pair that occurs, ascending."""
    pairs, sums, counts = _sums(cell * raters + rater, score, weight)
    return *np.divmod(pairs, max(raters, 1)), sums, counts


def _sums(place: Codes, score: Floats, weight: Floats | None = None) -> tuple[Codes, Floats, Floats]:
    """Places (e,) that occur, ascending, with the sum and number of their scores (N,)."""
    found = None
    if int(place.max(initial=0)) > 4 * len(place) + 1000:
        found, place = coded(place)
    counts = np.bincount(place, weight)
    there = np.flatnonzero(counts) if found is None else np.arange(len(found))
    sums = np.bincount(place, score if weight is None else score * weight)
    return (
        there if found is None else found,
        sums[there].astype(np.float64, copy=False),
        counts[there].astype(np.float64),
    )
