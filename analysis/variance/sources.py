"""Sources of variance that a design separates, and sums over the joint levels of facets without cross tables."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.values.estimate import Codes, Floats, InputError
from analysis.values.ratings import coded, finite_numbers

MOST_JOINT_LEVELS = 2
"""Joint levels per rating up to which every combination has a code."""
FIRST_CHECKED = 10_000
"""Ratings checked first for nesting of facets."""


class JointLevels:
    """Joint levels of facets of the ratings (N,); None where no two ratings share one.

    `counts` (levels,) is the number of ratings of each level.
    """

    def __init__(self, level: Codes | None, levels: int) -> None:
        self.all_differ = level is None
        self.counts = np.ones(1)
        if level is not None:
            counts = np.bincount(level, minlength=levels)
            rating = np.zeros(levels, dtype=np.int64)
            rating[level] = np.arange(len(level))
            self._rating = rating[counts > 0]
            self.counts = counts[counts > 0].astype(np.float64)
        self._seen: dict[str, Floats] = {}

    def counts_of(self, name: str, level: Codes, counts: Floats) -> Floats:
        """Return the counts of a coarser partition with this name and these levels (N,) at each joint level."""
        if self.all_differ:
            return counts[level]
        if name not in self._seen:
            self._seen[name] = counts[level[self._rating]]
        return self._seen[name]


class Partitions:
    """Partitions of the ratings by any facets, each given as levels (N,) with their number."""

    def __init__(self, facets: dict[str, tuple[Codes, int]]) -> None:
        self._facets = facets
        self._made: dict[tuple[str, ...], JointLevels] = {}
        self._holds: dict[tuple[str, str], bool] = {}

    def joint_levels(self, names: frozenset[str]) -> JointLevels:
        """Return the joint levels of these facets; facets in which another one is nested are dropped."""
        needed = [name for name in self._facets if name in names]
        for name in tuple(needed):
            if any(other != name and self._is_nested(name, other) for other in needed):
                needed.remove(name)
        key = tuple(needed)
        if key not in self._made:
            self._made[key] = self._combine(key)
        return self._made[key]

    def _is_nested(self, coarse: str, fine: str) -> bool:
        """Return True where each level of the fine facet lies in one level of the coarse facet."""
        if (coarse, fine) not in self._holds:
            (a, few), (b, many) = self._facets[coarse], self._facets[fine]
            held = few <= many
            for some in (slice(FIRST_CHECKED), slice(None)):
                if held:
                    within = np.zeros(many, dtype=np.int64)
                    within[b[some]] = a[some]
                    held = bool(np.array_equal(within[b[some]], a[some]))
            self._holds[coarse, fine] = held
        return self._holds[coarse, fine]

    def _combine(self, names: tuple[str, ...]) -> JointLevels:
        place, places = self._facets[names[0]]
        for name in names[1:]:
            level, levels = self._facets[name]
            if places * levels > MOST_JOINT_LEVELS * len(place):
                place = place * levels + level
                if _all_differ(place):
                    return JointLevels(None, len(place))
                ids, place = coded(place)
                places = len(ids)
            else:
                place, places = place * levels + level, places * levels
        return JointLevels(place, places)


def _all_differ(places: Codes) -> bool:
    there = np.sort(places)
    return bool((there[1:] != there[:-1]).all())


ITEM, RATER, SYSTEM, TOPIC, REST = "item", "rater", "system", "topic", "rest"
BY = " × "
INTERACTIONS = ((SYSTEM, TOPIC), (SYSTEM, RATER), (TOPIC, RATER), (ITEM, RATER))
SMALLEST_UNEXPLAINED = 1e-3
"""Smallest share of a source's variance matrix that earlier sources do not explain (tolerance)."""
SMALLEST_REPEATED = 0.1
"""Smallest share of ratings that repeat a level of an interaction; below, it counts as residual."""

MOST_CELLS = 2
"""Cells of a cross table per rating up to which it is counted densely."""


@dataclass(frozen=True, eq=False)
class Source:
    """Source of variance: its name, its facets, and the level (N,) of each rating, from 0."""

    name: str
    facets: frozenset[str]
    level: Codes
    levels: int

    @cached_property
    def counts(self) -> Floats:
        """Number of ratings of each level (levels,)."""
        return np.bincount(self.level, minlength=self.levels).astype(np.float64)

    def sums(self, score: Floats) -> Floats:
        """Return sums of scores (N,) per level (levels,)."""
        return np.bincount(self.level, score, self.levels).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Unseparated:
    """Source that the design confounds with others: it is part of `within`."""

    name: str
    within: str


@dataclass(frozen=True, eq=False)
class Design:
    """N ratings, the sources that they separate, and sums over them.

    `score` (N,) is centered; `overlap[i, j]` sums, over the levels of source i, the squared numbers of ratings
    shared with each level of j, divided by the level's number; `totals[i]` (levels of i) are sums of scores,
    `squares` is the sum of squared scores. `left_out` counts ratings without a system or topic where others have
    one. `order` (N,) are numbers that sort the ratings in the study's order; None if sorted.
    """

    sources: tuple[Source, ...]
    unseparated: tuple[Unseparated, ...]
    score: Floats
    overlap: Floats
    totals: tuple[Floats, ...]
    squares: float
    levels: dict[str, int]
    left_out: int
    order: Codes | None = None
    _met: dict[tuple[int, int], Any] = field(default_factory=dict, repr=False)

    @property
    def ratings(self) -> int:
        """Number of ratings."""
        return len(self.score)

    @cached_property
    def place(self) -> Codes | None:
        """Position of each rating (N,) in the study's order; None if sorted."""
        return None if self.order is None else coded(self.order)[1]

    def counts(self, source: int) -> Floats:
        """Return the number of ratings of each level (levels,) of a source."""
        return self.sources[source].counts

    def cross_counts(self, one: int, other: int) -> Any:
        """Return the sparse table (levels of one, levels of other) of ratings shared by two sources' levels,
        computed on demand."""
        if (one, other) not in self._met:
            table = (
                self.cross_counts(other, one).T.tocsr()
                if one > other
                else self._cross_counts_by_facet(one, other)
            )
            self._met[one, other] = (
                _cross_counts(self.sources[one], self.sources[other]) if table is None else table
            )
        return self._met[one, other]

    def _cross_counts_by_facet(self, one: int, other: int) -> Any:
        """Return `cross_counts` with an interaction from those with one of its facets, where the other facet is
        constant within the source's levels; None otherwise."""
        pair, place = self.sources[other], {source.name: at for at, source in enumerate(self.sources)}
        if one == other or len(pair.facets) < 2 or not pair.facets <= set(place):
            return None
        for same, varying in permutations(place[name] for name in sorted(pair.facets)):
            of_same, of_varying = self.sources[same].levels, self.sources[varying].levels
            if one in (same, varying) or of_same * of_varying > MOST_CELLS * self.ratings:
                continue
            lies = self.parent_levels(same, one)
            if lies is None:
                continue
            level = np.zeros((of_same, of_varying), dtype=np.int64)
            level[self.sources[same].level, self.sources[varying].level] = pair.level
            meets = self.cross_counts(one, varying)
            found = level[np.repeat(lies, np.diff(meets.indptr)), meets.indices].astype(meets.indices.dtype)
            shape = self.sources[one].levels, pair.levels
            return sparse.csr_array((meets.data, found, meets.indptr), shape=shape)
        return None

    def parent_levels(self, coarse: int, fine: int) -> Codes | None:
        """Return the level of the coarse source of each level (levels of the fine,) of a nested one; None if not
        nested."""
        if (
            self.overlap[fine, coarse] < self.ratings - 0.5
        ):  # a level in two parents reduces the overlap by 1 or more
            return None
        within = np.zeros(self.sources[fine].levels, dtype=np.int64)
        within[self.sources[fine].level] = self.sources[coarse].level
        return within

    def finest_nested(self, source: int) -> tuple[int, Codes] | None:
        """Return the nested source with most levels, and the parent of each of its levels (levels of the nested,);
        None without one."""
        found: tuple[int, Codes] | None = None
        for at, each in enumerate(self.sources):
            if at != source and (found is None or each.levels > self.sources[found[0]].levels):
                within = self.parent_levels(source, at)
                found = found if within is None else (at, within)
        return found


def design(
    item: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    system: ArrayLike | None = None,
    topic: ArrayLike | None = None,
    order: ArrayLike | None = None,
) -> Design:
    """Return ratings (N,) with the sources that they separate; codes below 0 of systems and topics mean none.
    `order` are whole numbers that sort the ratings in the study's order, if they are not sorted."""
    scores = finite_numbers("score", score)
    columns = {ITEM: np.asarray(item), RATER: np.asarray(rater)}
    columns |= {
        name: np.asarray(column)
        for name, column in ((SYSTEM, system), (TOPIC, topic))
        if column is not None and _is_known(np.asarray(column)).any()
    }
    for name, column in columns.items():
        if column.shape != scores.shape:
            raise InputError(
                f"`{name}` and `score` must be 1-d and equally long, one entry per rating; "
                f"got shapes {column.shape} and {scores.shape}"
            )
    kept = np.ones(len(scores), dtype=np.bool_)
    for name in set(columns) & {SYSTEM, TOPIC}:
        kept &= _is_known(columns[name])
    if not kept.all():
        scores, columns = scores[kept], {name: column[kept] for name, column in columns.items()}
    ordered = None if order is None else np.asarray(order)[kept]
    facets = {name: _levels(column) for name, column in columns.items()}
    centred = scores - scores.mean() if len(scores) and np.ptp(scores) > 0 else np.zeros(len(scores))
    sources, unseparated, held = _separate_sources(facets)
    return Design(
        tuple(sources),
        tuple(unseparated),
        centred,
        held,
        tuple(s.sums(centred) for s in sources),
        float((centred**2).sum()),
        {name: levels for name, (_, levels) in facets.items()},
        int((~kept).sum()),
        ordered,
    )


def _is_known(column: NDArray[Any]) -> NDArray[np.bool_]:
    return column >= 0 if column.dtype.kind in "if" else np.ones(column.shape, dtype=np.bool_)


def _levels(column: NDArray[Any]) -> tuple[Codes, int]:
    ids, code = coded(column)
    return code, len(ids)


def _candidates(facets: dict[str, tuple[Codes, int]], partitions: Partitions) -> Iterator[Source]:
    """Yield single facets, coarse ones (systems, topics) last, then interactions of facets with two or more levels."""
    for name, (level, levels) in facets.items():
        yield Source(name, frozenset({name}), level, levels)
    for one, other in INTERACTIONS:
        if one in facets and other in facets:
            (a, _), (b, many) = facets[one], facets[other]
            both, nothing = frozenset({one, other}), (np.empty(0, dtype=np.int64), len(a))
            pairs = nothing if partitions.joint_levels(both).all_differ else _interaction_levels(a * many + b)
            yield Source(f"{one}{BY}{other}", both, *pairs)


def _interaction_levels(place: Codes) -> tuple[Codes, int]:
    """Return levels of pairs, without codes for pairs that are hardly ever repeated, which count as residual."""
    if place.max(initial=0) > MOST_CELLS * len(place):
        there = np.sort(place)
        different = int(np.count_nonzero(there[1:] != there[:-1])) + min(len(there), 1)
        if different > (1 - SMALLEST_REPEATED) * len(place):
            return np.empty(0, dtype=np.int64), different
    return _levels(place)


def _separate_sources(facets: dict[str, tuple[Codes, int]]) -> tuple[list[Source], list[Unseparated], Floats]:
    n = len(next(iter(facets.values()))[0])
    partitions = Partitions(facets)
    accepted: list[Source] = []
    unseparated: list[Unseparated] = []
    traces = np.array(
        [[max(n - 1.0, 1.0)]]
    )  # of the rest with itself; then of each source taken with all before it
    overlap = np.empty((0, 0))
    for source in _candidates(facets, partitions):
        if source.levels < 2:
            continue
        if len(source.facets) > 1 and source.levels > (1 - SMALLEST_REPEATED) * n:
            unseparated.append(Unseparated(source.name, REST))
            continue
        pairs = [
            _pair_with_source(one, source, partitions.joint_levels(one.facets | source.facets))
            for one in accepted
        ]
        own_trace = _trace_of_products(
            source, source, float((source.counts**2).sum()), float((source.counts**3).sum())
        )
        residual_trace = n - float((source.counts**2).sum()) / n
        row = np.array([residual_trace, *(trace for trace, _, _ in pairs), own_trace])
        explained = row[:-1] @ np.linalg.solve(traces, row[:-1])
        if row[-1] <= 0 or 1 - explained / row[-1] < SMALLEST_UNEXPLAINED:
            closest = [REST, *(each.name for each in accepted)][
                int(np.argmax(row[:-1] / np.sqrt(np.diagonal(traces))))
            ]
            unseparated.append(Unseparated(source.name, closest))
            continue
        accepted.append(source)
        traces = np.block([[traces, row[:-1, None]], [row[None, :-1], row[-1:, None]]])
        of_taken, of_source = (np.array([each[at] for each in pairs]) for at in (1, 2))
        overlap = np.block([[overlap, of_taken[:, None]], [of_source[None, :], np.full((1, 1), float(n))]])
    return accepted, unseparated, overlap


def _pair_with_source(one: Source, other: Source, both: JointLevels) -> tuple[float, float, float]:
    """Return for two sources, from the ratings of each pair of levels, the trace (`_trace_of_products`) and the
    `Design.overlap` of either with the other."""
    n = both.counts
    of_one, of_other = (both.counts_of(each.name, each.level, each.counts) for each in (one, other))
    if both.all_differ:
        trace = _trace_of_products(one, other, float(len(of_one)), float(of_one @ of_other))
        return trace, float(one.levels), float(other.levels)
    squares = n**2
    trace = _trace_of_products(one, other, float(squares.sum()), float((n * of_one) @ of_other))
    return trace, float((squares / of_one).sum()), float((squares / of_other).sum())


def _trace_of_products(one: Source, other: Source, squared: float, by_counts: float) -> float:
    """Return the trace of the product of two sources' centered variance matrices, from the sum of squared numbers of
    shared ratings, and the sum of these numbers times both levels' numbers."""
    n = len(one.level)
    both = float((one.counts**2).sum()) * float((other.counts**2).sum())
    return squared - 2 / n * by_counts + both / n**2


def _cross_counts(one: Source, other: Source) -> Any:
    """Return the number of ratings shared by two sources' levels, sparse (levels of one, levels of other)."""
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
