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
        self._nested: dict[tuple[str, str], bool] = {}

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
        if (coarse, fine) not in self._nested:
            (a, coarse_levels), (b, fine_levels) = self._facets[coarse], self._facets[fine]
            is_nested = coarse_levels <= fine_levels
            for rows in (slice(FIRST_CHECKED), slice(None)):
                if is_nested:
                    parents = np.zeros(fine_levels, dtype=np.int64)
                    parents[b[rows]] = a[rows]
                    is_nested = bool(np.array_equal(parents[b[rows]], a[rows]))
            self._nested[coarse, fine] = is_nested
        return self._nested[coarse, fine]

    def _combine(self, names: tuple[str, ...]) -> JointLevels:
        joint, n_joint = self._facets[names[0]]
        for name in names[1:]:
            level, levels = self._facets[name]
            if n_joint * levels > MOST_JOINT_LEVELS * len(joint):
                joint = joint * levels + level
                if _all_differ(joint):
                    return JointLevels(None, len(joint))
                ids, joint = coded(joint)
                n_joint = len(ids)
            else:
                joint, n_joint = joint * levels + level, n_joint * levels
        return JointLevels(joint, n_joint)


def _all_differ(codes: Codes) -> bool:
    ordered = np.sort(codes)
    return bool((ordered[1:] != ordered[:-1]).all())


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
    _shared_counts: dict[tuple[int, int], Any] = field(default_factory=dict, repr=False)

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

    def cross_counts(self, first: int, second: int) -> Any:
        """Return the sparse table (levels of first, levels of second) of ratings shared by two sources' levels,
        computed on demand."""
        if (first, second) not in self._shared_counts:
            table = (
                self.cross_counts(second, first).T.tocsr()
                if first > second
                else self._cross_counts_by_facet(first, second)
            )
            self._shared_counts[first, second] = (
                _cross_counts(self.sources[first], self.sources[second]) if table is None else table
            )
        return self._shared_counts[first, second]

    def _cross_counts_by_facet(self, first: int, second: int) -> Any:
        """Return `cross_counts` with an interaction from those with one of its facets, where the other facet is
        constant within the source's levels; None otherwise."""
        pair, index = self.sources[second], {source.name: at for at, source in enumerate(self.sources)}
        if first == second or len(pair.facets) < 2 or not pair.facets <= set(index):
            return None
        for same, varying in permutations(index[name] for name in sorted(pair.facets)):
            of_same, of_varying = self.sources[same].levels, self.sources[varying].levels
            if first in (same, varying) or of_same * of_varying > MOST_CELLS * self.ratings:
                continue
            parents = self.parent_levels(same, first)
            if parents is None:
                continue
            level = np.zeros((of_same, of_varying), dtype=np.int64)
            level[self.sources[same].level, self.sources[varying].level] = pair.level
            meets = self.cross_counts(first, varying)
            columns = level[np.repeat(parents, np.diff(meets.indptr)), meets.indices].astype(
                meets.indices.dtype
            )
            shape = self.sources[first].levels, pair.levels
            return sparse.csr_array((meets.data, columns, meets.indptr), shape=shape)
        return None

    def parent_levels(self, coarse: int, fine: int) -> Codes | None:
        """Return the level of the coarse source of each level (levels of the fine,) of a nested one; None if not
        nested."""
        if (
            self.overlap[fine, coarse] < self.ratings - 0.5
        ):  # a level in two parents reduces the overlap by 1 or more
            return None
        parents = np.zeros(self.sources[fine].levels, dtype=np.int64)
        parents[self.sources[fine].level] = self.sources[coarse].level
        return parents

    def finest_nested(self, source: int) -> tuple[int, Codes] | None:
        """Return the nested source with most levels, and the parent of each of its levels (levels of the nested,);
        None without one."""
        finest: tuple[int, Codes] | None = None
        for index, each in enumerate(self.sources):
            if index != source and (finest is None or each.levels > self.sources[finest[0]].levels):
                parents = self.parent_levels(source, index)
                finest = finest if parents is None else (index, parents)
        return finest


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
    is_kept = np.ones(len(scores), dtype=np.bool_)
    for name in set(columns) & {SYSTEM, TOPIC}:
        is_kept &= _is_known(columns[name])
    if not is_kept.all():
        scores, columns = scores[is_kept], {name: column[is_kept] for name, column in columns.items()}
    ordered = None if order is None else np.asarray(order)[is_kept]
    facets = {name: _levels(column) for name, column in columns.items()}
    centred = scores - scores.mean() if len(scores) and np.ptp(scores) > 0 else np.zeros(len(scores))
    sources, unseparated, overlap = _separate_sources(facets)
    return Design(
        tuple(sources),
        tuple(unseparated),
        centred,
        overlap,
        tuple(s.sums(centred) for s in sources),
        float((centred**2).sum()),
        {name: levels for name, (_, levels) in facets.items()},
        int((~is_kept).sum()),
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
    for first, second in INTERACTIONS:
        if first in facets and second in facets:
            (a, _), (b, n_second) = facets[first], facets[second]
            names, nothing = frozenset({first, second}), (np.empty(0, dtype=np.int64), len(a))
            pairs = (
                nothing
                if partitions.joint_levels(names).all_differ
                else _interaction_levels(a * n_second + b)
            )
            yield Source(f"{first}{BY}{second}", names, *pairs)


def _interaction_levels(codes: Codes) -> tuple[Codes, int]:
    """Return levels of pairs, without codes for pairs that are hardly ever repeated, which count as residual."""
    if codes.max(initial=0) > MOST_CELLS * len(codes):
        ordered = np.sort(codes)
        different = int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(len(ordered), 1)
        if different > (1 - SMALLEST_REPEATED) * len(codes):
            return np.empty(0, dtype=np.int64), different
    return _levels(codes)


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


def _pair_with_source(first: Source, second: Source, joint: JointLevels) -> tuple[float, float, float]:
    """Return for two sources, from the ratings of each pair of levels, the trace (`_trace_of_products`) and the
    `Design.overlap` of either with the other."""
    n = joint.counts
    of_one, of_other = (joint.counts_of(each.name, each.level, each.counts) for each in (first, second))
    if joint.all_differ:
        trace = _trace_of_products(first, second, float(len(of_one)), float(of_one @ of_other))
        return trace, float(first.levels), float(second.levels)
    squares = n**2
    trace = _trace_of_products(first, second, float(squares.sum()), float((n * of_one) @ of_other))
    return trace, float((squares / of_one).sum()), float((squares / of_other).sum())


def _trace_of_products(first: Source, second: Source, squared: float, by_counts: float) -> float:
    """Return the trace of the product of two sources' centered variance matrices, from the sum of squared numbers of
    shared ratings, and the sum of these numbers times both levels' numbers."""
    n = len(first.level)
    products = float((first.counts**2).sum()) * float((second.counts**2).sum())
    return squared - 2 / n * by_counts + products / n**2


def _cross_counts(first: Source, second: Source) -> Any:
    """Return the number of ratings shared by two sources' levels, sparse (levels of first, levels of second)."""
    if first is second:
        return sparse.diags_array(np.bincount(first.level, minlength=first.levels).astype(np.float64)).tocsr()
    coarse, fine = (first, second) if first.levels <= second.levels else (second, first)
    parents = np.zeros(fine.levels, dtype=np.int64)
    parents[fine.level] = coarse.level
    if np.array_equal(parents[fine.level], coarse.level):
        index = np.arange(fine.levels)
        shared = sparse.coo_array((np.bincount(fine.level).astype(np.float64), (parents, index)))
        return (shared if coarse is first else shared.T).tocsr()
    if first.levels * second.levels <= MOST_CELLS * len(first.level):
        cell = np.bincount(first.level * second.levels + second.level, minlength=first.levels * second.levels)
        return sparse.csr_array(cell.reshape(first.levels, second.levels).astype(np.float64))
    indices = first.level, second.level
    return sparse.coo_array((np.ones(len(first.level)), indices), shape=(first.levels, second.levels)).tocsr()
