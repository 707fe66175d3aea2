"""What ratings may vary with: items, raters, systems, topics and interactions, as far as a design tells them apart.

A source is a partition of the ratings; its variance matrix has ones where two ratings share a level. Sources whose
matrices depend on each other linearly cannot be told apart by any method, so each is taken only where it adds something
to those before it: items, raters, systems and topics first, then interactions. The rest is what is left.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.values.codes import coded
from analysis.values.columns import finite_numbers
from analysis.values.errors import InputError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

ITEM, RATER, SYSTEM, TOPIC, REST = "item", "rater", "system", "topic", "rest"
BY = " × "
INTERACTIONS = ((SYSTEM, TOPIC), (SYSTEM, RATER), (TOPIC, RATER), (ITEM, RATER))
ALONE = 1e-3
"""Share of a source's variance matrix that those before it must leave unexplained."""
REPEATED = 0.1
"""Share of the ratings that must repeat a level of an interaction; one that is hardly ever repeated is the rest."""

MOST_CELLS = 2
"""Cells of two sources' levels, for each rating, that are counted one by one."""


@dataclass(frozen=True, eq=False)
class Source:
    """One source: its name, the facets it is made of, and the level (N,) of each rating, from 0."""

    name: str
    facets: frozenset[str]
    level: Codes
    levels: int

    def sums(self, score: Floats) -> Floats:
        """Sums of scores (N,) per level (levels,)."""
        return np.bincount(self.level, score, self.levels).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Unseparated:
    """A source that the design cannot tell from others: it is part of `within`."""

    name: str
    within: str


@dataclass(frozen=True, eq=False)
class Design:
    """N ratings, the sources that they tell apart, and sums over them.

    `score` (N,) is less its mean; `met[i, j]` (levels of i, levels of j), sparse, i <= j, counts the ratings of two
    sources' levels, `totals[i]` (levels of i) sums up their scores, `squares` all squared scores. `left_out` ratings
    have no system or topic though others have.
    """

    sources: tuple[Source, ...]
    unseparated: tuple[Unseparated, ...]
    score: Floats
    met: dict[tuple[int, int], Any]
    totals: tuple[Floats, ...]
    squares: float
    levels: dict[str, int]
    left_out: int

    @property
    def ratings(self) -> int:
        """How many there are."""
        return len(self.score)

    def counts(self, source: int) -> Floats:
        """Ratings of each level (levels,) of a source."""
        return np.asarray(self.met[source, source].diagonal())

    def meetings(self, one: int, other: int) -> Any:
        """Ratings of each two levels (levels of one, levels of other) of two sources, sparse."""
        return self.met[one, other] if one <= other else self.met[other, one].T

    def finer(self, source: int) -> tuple[int, Codes] | None:
        """The source of most levels that all lie within one of this one's, and in which (levels of the finer,) they
        lie; None where there is none."""
        levels = [len(total) for total in self.totals]
        finer = [
            at for at in range(len(levels)) if at != source and self.meetings(at, source).nnz == levels[at]
        ]
        if not finer:
            return None
        finest = max(finer, key=lambda at: levels[at])
        return finest, self.meetings(finest, source).tocsr().indices


def design(
    item: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    system: ArrayLike | None = None,
    topic: ArrayLike | None = None,
) -> Design:
    """Ratings (N,) with the sources that they tell apart; codes below 0 of systems and topics are none."""
    scores = finite_numbers("score", score)
    columns = {ITEM: np.asarray(item), RATER: np.asarray(rater)}
    columns |= {
        name: np.asarray(column)
        for name, column in ((SYSTEM, system), (TOPIC, topic))
        if column is not None and _known(np.asarray(column)).any()
    }
    for name, column in columns.items():
        if column.shape != scores.shape:
            raise InputError(
                f"`{name}` and `score` must be 1-d and equally long, one entry per rating; "
                f"got shapes {column.shape} and {scores.shape}"
            )
    kept = np.ones(len(scores), dtype=np.bool_)
    for name in set(columns) & {SYSTEM, TOPIC}:
        kept &= _known(columns[name])
    facets = {name: _levels(column[kept]) for name, column in columns.items()}
    centred = scores[kept] - (scores[kept].mean() if kept.any() else 0.0)
    sources, unseparated, met = _told_apart(facets)
    return Design(
        tuple(sources),
        tuple(unseparated),
        centred,
        met,
        tuple(s.sums(centred) for s in sources),
        float((centred**2).sum()),
        {name: levels for name, (_, levels) in facets.items()},
        int((~kept).sum()),
    )


def _known(column: NDArray[Any]) -> NDArray[np.bool_]:
    return column >= 0 if column.dtype.kind in "if" else np.ones(column.shape, dtype=np.bool_)


def _levels(column: NDArray[Any]) -> tuple[Codes, int]:
    ids, code = coded(column)
    return code, len(ids)


def _candidates(facets: dict[str, tuple[Codes, int]]) -> Iterator[Source]:
    """Single facets, coarse ones (systems, topics) last, then interactions of those that have two levels or more."""
    for name, (level, levels) in facets.items():
        yield Source(name, frozenset({name}), level, levels)
    for one, other in INTERACTIONS:
        if one in facets and other in facets:
            (a, _), (b, many) = facets[one], facets[other]
            yield Source(f"{one}{BY}{other}", frozenset({one, other}), *_pairs(a * many + b))


def _pairs(place: Codes) -> tuple[Codes, int]:
    """Levels of pairs, without the codes of pairs that are hardly ever repeated: those are the rest."""
    if place.max(initial=0) > MOST_CELLS * len(place):
        there = np.sort(place)
        different = int(np.count_nonzero(there[1:] != there[:-1])) + min(len(there), 1)
        if different > (1 - REPEATED) * len(place):
            return np.empty(0, dtype=np.int64), different
    return _levels(place)


def _told_apart(
    facets: dict[str, tuple[Codes, int]],
) -> tuple[list[Source], list[Unseparated], dict[tuple[int, int], Any]]:
    n = len(next(iter(facets.values()))[0])
    taken: list[Source] = []
    unseparated: list[Unseparated] = []
    met: dict[tuple[int, int], Any] = {}
    alike = np.array(
        [[max(n - 1.0, 1.0)]]
    )  # of the rest with itself; then of each source taken with all before it
    for source in _candidates(facets):
        if source.levels < 2:
            continue
        if len(source.facets) > 1 and source.levels > (1 - REPEATED) * n:
            unseparated.append(Unseparated(source.name, REST))
            continue
        tables = [
            _through_parts(at, source, taken, met, facets) if len(source.facets) > 1 else None
            for at in range(len(taken))
        ]
        tables = [
            _met(one, source) if table is None else table for one, table in zip(taken, tables, strict=True)
        ]
        tables.append(_met(source, source))
        row = np.array([_alike_with_rest(tables[-1]), *(_alike(table) for table in tables)])
        grown = np.block([[alike, row[:-1, None]], [row[None, :-1], row[-1:, None]]])
        explained = row[:-1] @ np.linalg.solve(alike, row[:-1])
        if row[-1] <= 0 or 1 - explained / row[-1] < ALONE:
            closest = [REST, *(each.name for each in taken)][
                int(np.argmax(row[:-1] / np.sqrt(np.diagonal(alike))))
            ]
            unseparated.append(Unseparated(source.name, closest))
            continue
        at = len(taken)
        taken.append(source)
        met |= {(before, at): table for before, table in enumerate(tables)}
        alike = grown
    return taken, unseparated, met


def _through_parts(
    at: int,
    pair: Source,
    taken: list[Source],
    met: dict[tuple[int, int], Any],
    facets: dict[str, tuple[Codes, int]],
) -> Any:
    """`_met` of a source taken with an interaction, read from how the source meets one of its two facets where the
    other is the same for all ratings of a level; None where it is not."""
    place = {source.name: number for number, source in enumerate(taken)}
    for same, varying in permutations(sorted(pair.facets)):
        if not {same, varying} <= set(place):
            continue
        lies, meets = (
            met[at, other] if at <= other else met[other, at].T for other in (place[same], place[varying])
        )
        (a, of_same), (b, of_varying) = facets[same], facets[varying]
        if lies.nnz != taken[at].levels or of_same * of_varying > MOST_CELLS * len(a):
            continue
        level = np.zeros((of_same, of_varying), dtype=np.int64)
        level[a, b] = pair.level
        meets = meets.tocsr()
        rows = np.repeat(lies.tocsr().indices, np.diff(meets.indptr))
        found = level[rows, meets.indices].astype(meets.indices.dtype)
        return sparse.csr_array((meets.data, found, meets.indptr), shape=(taken[at].levels, pair.levels))
    return None


def _met(one: Source, other: Source) -> Any:
    """How many ratings two sources' levels share, (levels of one, levels of other), sparse."""
    if one is other:
        return sparse.diags_array(np.bincount(one.level, minlength=one.levels).astype(np.float64)).tocsr()
    coarse, fine = (one, other) if one.levels <= other.levels else (other, one)
    within = np.zeros(fine.levels, dtype=np.int64)
    within[fine.level] = coarse.level
    if np.array_equal(within[fine.level], coarse.level):
        place = np.arange(fine.levels)
        shared = sparse.coo_array((np.bincount(fine.level).astype(np.float64), (within, place)))
        return (shared if coarse is one else shared.T).tocsr()
    if one.levels * other.levels <= MOST_CELLS * len(one.level):
        cell = np.bincount(one.level * other.levels + other.level, minlength=one.levels * other.levels)
        return sparse.csr_array(cell.reshape(one.levels, other.levels).astype(np.float64))
    places = one.level, other.level
    return sparse.coo_array((np.ones(len(one.level)), places), shape=(one.levels, other.levels)).tocsr()


def _alike(met: Any) -> float:
    """Trace of the product of two sources' variance matrices, the mean taken out, from how often levels met."""
    of_one, of_other = met.sum(axis=1), met.sum(axis=0)
    n = of_one.sum()
    return float(
        (met.data**2).sum()
        - 2 / n * (of_one @ (met @ of_other))
        + (of_one**2).sum() * (of_other**2).sum() / n**2
    )


def _alike_with_rest(met: Any) -> float:
    counts = met.diagonal()
    return float(counts.sum() - (counts**2).sum() / counts.sum())
