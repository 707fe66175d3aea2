"""Ratings by the levels that several facets have together: what the tables of two sources' levels hold, added up
without making the tables."""

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

MOST_PLACES = 2
"""Places of facets' levels together, for each rating, up to which there is one for every combination."""
LOOKED_AT = 10_000
"""Ratings that are looked at first, to see that one facet does not hold another."""


class Together:
    """Levels that facets have together, from those of the ratings (N,); None where no two ratings share one.

    `counts` (levels,) is how many ratings each level has.
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
        """Of a partition that these levels lie in, of this name, with levels (N,) and their counts: its count at each
        of these."""
        if self.all_differ:
            return counts[level]
        if name not in self._seen:
            self._seen[name] = counts[level[self._rating]]
        return self._seen[name]


class Partitions:
    """The ratings by any facets, each a column of levels (N,) with how many there are."""

    def __init__(self, facets: dict[str, tuple[Codes, int]]) -> None:
        self._facets = facets
        self._made: dict[tuple[str, ...], Together] = {}
        self._holds: dict[tuple[str, str], bool] = {}

    def by(self, names: frozenset[str]) -> Together:
        """The levels of these facets together; a facet that another of them holds changes nothing."""
        needed = [name for name in self._facets if name in names]
        for name in tuple(needed):
            if any(other != name and self._is_held(name, other) for other in needed):
                needed.remove(name)
        key = tuple(needed)
        if key not in self._made:
            self._made[key] = self._together(key)
        return self._made[key]

    def _is_held(self, coarse: str, fine: str) -> bool:
        """Return True where all ratings of a level of one facet have the same level of another."""
        if (coarse, fine) not in self._holds:
            (a, few), (b, many) = self._facets[coarse], self._facets[fine]
            held = few <= many
            for some in (slice(LOOKED_AT), slice(None)):
                if held:
                    within = np.zeros(many, dtype=np.int64)
                    within[b[some]] = a[some]
                    held = bool(np.array_equal(within[b[some]], a[some]))
            self._holds[coarse, fine] = held
        return self._holds[coarse, fine]

    def _together(self, names: tuple[str, ...]) -> Together:
        place, places = self._facets[names[0]]
        for name in names[1:]:
            level, levels = self._facets[name]
            if places * levels > MOST_PLACES * len(place):
                place = place * levels + level
                if _all_differ(place):
                    return Together(None, len(place))
                ids, place = coded(place)
                places = len(ids)
            else:
                place, places = place * levels + level, places * levels
        return Together(place, places)


def _all_differ(places: Codes) -> bool:
    there = np.sort(places)
    return bool((there[1:] != there[:-1]).all())


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

    @cached_property
    def counts(self) -> Floats:
        """Ratings of each level (levels,)."""
        return np.bincount(self.level, minlength=self.levels).astype(np.float64)

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
    """N ratings, the sources that they separate, and sums over them.

    `score` (N,) is less its mean; `held[i, j]` adds up, over the levels of source i, the squared numbers of ratings
    that each level of j shares with it, by its own number; `totals[i]` (levels of i) sums up their scores, `squares`
    all squared scores. `left_out` ratings have no system or topic though others have. `order` (N,) are numbers by which
    the ratings would stand in the study's order; None where they do.
    """

    sources: tuple[Source, ...]
    unseparated: tuple[Unseparated, ...]
    score: Floats
    held: Floats
    totals: tuple[Floats, ...]
    squares: float
    levels: dict[str, int]
    left_out: int
    order: Codes | None = None
    _met: dict[tuple[int, int], Any] = field(default_factory=dict, repr=False)

    @property
    def ratings(self) -> int:
        """Return how many there are."""
        return len(self.score)

    @cached_property
    def place(self) -> Codes | None:
        """Return where each rating (N,) stands in the study's order; None where they stand in it."""
        return None if self.order is None else coded(self.order)[1]

    def counts(self, source: int) -> Floats:
        """Ratings of each level (levels,) of a source."""
        return self.sources[source].counts

    def meetings(self, one: int, other: int) -> Any:
        """Ratings of two levels (levels of one, levels of other) of two sources, sparse; counted when asked for."""
        if (one, other) not in self._met:
            table = self.meetings(other, one).T.tocsr() if one > other else self._through_parts(one, other)
            self._met[one, other] = _met(self.sources[one], self.sources[other]) if table is None else table
        return self._met[one, other]

    def _through_parts(self, one: int, other: int) -> Any:
        """`meetings` with an interaction, read from how the source meets one of its two facets where the other is the
        same for all ratings of a level; None where it is not."""
        pair, place = self.sources[other], {source.name: at for at, source in enumerate(self.sources)}
        if one == other or len(pair.facets) < 2 or not pair.facets <= set(place):
            return None
        for same, varying in permutations(place[name] for name in sorted(pair.facets)):
            of_same, of_varying = self.sources[same].levels, self.sources[varying].levels
            if one in (same, varying) or of_same * of_varying > MOST_CELLS * self.ratings:
                continue
            lies = self.within(same, one)
            if lies is None:
                continue
            level = np.zeros((of_same, of_varying), dtype=np.int64)
            level[self.sources[same].level, self.sources[varying].level] = pair.level
            meets = self.meetings(one, varying)
            found = level[np.repeat(lies, np.diff(meets.indptr)), meets.indices].astype(meets.indices.dtype)
            shape = self.sources[one].levels, pair.levels
            return sparse.csr_array((meets.data, found, meets.indptr), shape=shape)
        return None

    def within(self, coarse: int, fine: int) -> Codes | None:
        """In which level of one source each level (levels of the fine,) of another lies; None where they do not."""
        if self.held[fine, coarse] < self.ratings - 0.5:  # a level that lies in two holds less by 1 or more
            return None
        within = np.zeros(self.sources[fine].levels, dtype=np.int64)
        within[self.sources[fine].level] = self.sources[coarse].level
        return within

    def finer(self, source: int) -> tuple[int, Codes] | None:
        """The source of most levels that all lie within one of this one's, and in which (levels of the finer,) they
        lie; None where there is none."""
        found: tuple[int, Codes] | None = None
        for at, each in enumerate(self.sources):
            if at != source and (found is None or each.levels > self.sources[found[0]].levels):
                within = self.within(source, at)
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
    """Ratings (N,) with the sources that they separate; codes below 0 of systems and topics are none. `order` are
    whole numbers by which the ratings would stand in the study's order, where they do not."""
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
    if not kept.all():
        scores, columns = scores[kept], {name: column[kept] for name, column in columns.items()}
    ordered = None if order is None else np.asarray(order)[kept]
    facets = {name: _levels(column) for name, column in columns.items()}
    centred = scores - scores.mean() if len(scores) and np.ptp(scores) > 0 else np.zeros(len(scores))
    sources, unseparated, held = _separable(facets)
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


def _known(column: NDArray[Any]) -> NDArray[np.bool_]:
    return column >= 0 if column.dtype.kind in "if" else np.ones(column.shape, dtype=np.bool_)


def _levels(column: NDArray[Any]) -> tuple[Codes, int]:
    ids, code = coded(column)
    return code, len(ids)


def _candidates(facets: dict[str, tuple[Codes, int]], partitions: Partitions) -> Iterator[Source]:
    """Single facets, coarse ones (systems, topics) last, then interactions of those that have two levels or more."""
    for name, (level, levels) in facets.items():
        yield Source(name, frozenset({name}), level, levels)
    for one, other in INTERACTIONS:
        if one in facets and other in facets:
            (a, _), (b, many) = facets[one], facets[other]
            both, nothing = frozenset({one, other}), (np.empty(0, dtype=np.int64), len(a))
            pairs = nothing if partitions.by(both).all_differ else _pairs(a * many + b)
            yield Source(f"{one}{BY}{other}", both, *pairs)


def _pairs(place: Codes) -> tuple[Codes, int]:
    """Levels of pairs, without the codes of pairs that are hardly ever repeated: those are the rest."""
    if place.max(initial=0) > MOST_CELLS * len(place):
        there = np.sort(place)
        different = int(np.count_nonzero(there[1:] != there[:-1])) + min(len(there), 1)
        if different > (1 - REPEATED) * len(place):
            return np.empty(0, dtype=np.int64), different
    return _levels(place)


def _separable(facets: dict[str, tuple[Codes, int]]) -> tuple[list[Source], list[Unseparated], Floats]:
    n = len(next(iter(facets.values()))[0])
    partitions = Partitions(facets)
    taken: list[Source] = []
    unseparated: list[Unseparated] = []
    alike = np.array(
        [[max(n - 1.0, 1.0)]]
    )  # of the rest with itself; then of each source taken with all before it
    held = np.empty((0, 0))
    for source in _candidates(facets, partitions):
        if source.levels < 2:
            continue
        if len(source.facets) > 1 and source.levels > (1 - REPEATED) * n:
            unseparated.append(Unseparated(source.name, REST))
            continue
        beside = [_beside(one, source, partitions.by(one.facets | source.facets)) for one in taken]
        itself = _alike(source, source, float((source.counts**2).sum()), float((source.counts**3).sum()))
        rest = n - float((source.counts**2).sum()) / n
        row = np.array([rest, *(trace for trace, _, _ in beside), itself])
        explained = row[:-1] @ np.linalg.solve(alike, row[:-1])
        if row[-1] <= 0 or 1 - explained / row[-1] < ALONE:
            closest = [REST, *(each.name for each in taken)][
                int(np.argmax(row[:-1] / np.sqrt(np.diagonal(alike))))
            ]
            unseparated.append(Unseparated(source.name, closest))
            continue
        taken.append(source)
        alike = np.block([[alike, row[:-1, None]], [row[None, :-1], row[-1:, None]]])
        of_taken, of_source = (np.array([each[at] for each in beside]) for at in (1, 2))
        held = np.block([[held, of_taken[:, None]], [of_source[None, :], np.full((1, 1), float(n))]])
    return taken, unseparated, held


def _beside(one: Source, other: Source, both: Together) -> tuple[float, float, float]:
    """Of two sources, from the ratings of each two levels: `_alike`, and `Design.held` of either with the other."""
    n = both.counts
    of_one, of_other = (both.counts_of(each.name, each.level, each.counts) for each in (one, other))
    if both.all_differ:
        trace = _alike(one, other, float(len(of_one)), float(of_one @ of_other))
        return trace, float(one.levels), float(other.levels)
    squares = n**2
    trace = _alike(one, other, float(squares.sum()), float((n * of_one) @ of_other))
    return trace, float((squares / of_one).sum()), float((squares / of_other).sum())


def _alike(one: Source, other: Source, squared: float, by_counts: float) -> float:
    """Trace of the product of two sources' variance matrices, the mean taken out: from the sum of the squared numbers
    of ratings that two levels share, and from that of these numbers, each times both levels' own."""
    n = len(one.level)
    both = float((one.counts**2).sum()) * float((other.counts**2).sum())
    return squared - 2 / n * by_counts + both / n**2


def _met(one: Source, other: Source) -> Any:
    """Return how many ratings two sources' levels share, (levels of one, levels of other), sparse."""
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
