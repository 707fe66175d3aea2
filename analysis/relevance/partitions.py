"""Does a metric tell, document by document, whether a summary lets people judge well?

One document's rate of agreement is coarse, so documents of an event are put at random into small groups, and the
groups' rates are correlated with the groups' mean metric. How one groups is arbitrary: many random partitions show how
much it matters. Their spread is no standard error: however many partitions one draws, raters and documents stay the
same. Chance over those comes from `partition_intervals`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.correlation.rank_rows import FEWEST_PAIRS, pearson_rows
from analysis.relevance.judgments import JudgedTexts
from analysis.resampling.intervals import FISHER, blocks, bootstrap_counts, scaled_percentiles
from analysis.resampling.pigeonhole import SHRINKAGE
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress

BIN_EDGES: Floats = np.linspace(-1.0, 1.0, 81)
"""Of the histogram of the draws' correlations."""
NO_TEXTS = "no judgment of it has both a known truth and a metric value"
SAME_RATE = "all groups have the same rate of agreement"
SAME_METRIC = "all groups have the same mean metric"
_DUST = 1e-12
BLOCK = 1_000_000
"""Documents times draws worked on at once."""


@dataclass(frozen=True)
class PartitionSpec:
    """Settings of groups of documents: sizes of the groups, number of random partitions and their seed.

    `full_text` is the id of the surrogate that is the full text, left out unless `keep_full_text`.
    """

    group_sizes: tuple[int, ...] = (1, 2, 4)
    draws: int = 10_000
    seed: int = 0
    full_text: Any = None
    keep_full_text: bool = False

    def __post_init__(self) -> None:
        if not self.group_sizes or min(self.group_sizes) < 1:
            raise InputError(f"`group_sizes` must be one or more sizes from 1, got {self.group_sizes}")
        if self.draws < 1:
            raise InputError(f"`draws` must be 1 or more, got {self.draws}")


@dataclass(frozen=True, eq=False)
class Partition:
    """All random partitions of one surrogate's documents into groups of one size.

    `correlations` (draws,) NaN where undefined; `mean`, `sd`, `low` and `high` (5th and 95th percentile) of those that
    are defined, `counts` (80,) of them between `BIN_EDGES`. `groups` in every partition, made of some of the
    `documents`; `left_over` documents fill no group and are left out of a partition, other ones each time.
    `largest_rate` and `smallest_rate` of any group; `undefined` the share of partitions without a correlation, and
    the `reason`.
    """

    surrogate: Any
    group_size: int
    groups: int
    documents: int
    left_over: int
    correlations: Floats
    mean: float
    sd: float
    low: float
    high: float
    counts: Codes
    largest_rate: float
    smallest_rate: float
    undefined: float
    reason: str


@dataclass(frozen=True, eq=False)
class PartitionStudy:
    """Table 10 of the paper: `partitions` by surrogate and then by group size."""

    spec: PartitionSpec
    partitions: tuple[Partition, ...]

    def of(self, surrogate: Any, group_size: int) -> Partition:
        """The partitions of one surrogate into groups of one size (Hobson et al. 2007, Table 10)."""
        for partition in self.partitions:
            if (partition.surrogate, partition.group_size) == (surrogate, group_size):
                return partition
        raise InputError(f"`surrogate` {surrogate!r} has no partitions into groups of {group_size}")


def partition_study(
    texts: JudgedTexts, spec: PartitionSpec | None = None, on_progress: OnProgress = None
) -> PartitionStudy:
    """Correlation of groups' rates of agreement with their mean metric, over random partitions.

    Parameters
    ----------
    texts : t texts (t,) with N judgments (N,), of k surrogates
    spec : sizes of the groups, draws, seed and full text
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    PartitionStudy
        undefined draws are NaN; a study with no defined draw has NaN figures and the reason.

    Notes
    -----
    Larger groups give smoother rates but fewer points, and what differs between events weighs more in them; the size is
    a choice, not a finding. A group's rate is the mean over its judgments by all raters, its metric the mean over its
    texts. Groups stay within an event and all have the same size; the documents beyond the last full group are left out
    of that partition. Surrogates share their random numbers, so those with the same documents share their groups. With
    one document per group all partitions are the same. The SD over draws tells how much the grouping matters, and is
    not a standard error: see `partition_intervals`.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 5.3.3, Table 10; methods, section 6.
    """
    spec = PartitionSpec() if spec is None else spec
    if not spec.keep_full_text:
        texts = texts.of_others(spec.full_text)
    tables = [DocumentTable(texts, k) for k in range(len(texts.surrogates))]
    draws_of = [[_Draws(table, size) for size in spec.group_sizes] for table in tables]
    rng = np.random.default_rng(spec.seed)
    block = max(min(BLOCK // max(texts.documents, 1), spec.draws), 1)
    for start in range(0, spec.draws, block):
        keys = rng.random((min(block, spec.draws - start), texts.documents))
        shuffled: dict[bytes, list[Codes]] = {}
        for table, of_sizes in zip(tables, draws_of, strict=True):
            same = table.document.tobytes()
            if same not in shuffled:
                shuffled[same] = table.shuffled(keys)
            permuted = table.permuted(shuffled[same])
            for draws in of_sizes:
                draws.add(permuted)
        if on_progress is not None:
            on_progress((start + len(keys)) / spec.draws)
    return PartitionStudy(
        spec,
        tuple(
            draws.result(name, spec.draws)
            for name, of_sizes in zip(texts.surrogates.tolist(), draws_of, strict=True)
            for draws in of_sizes
        ),
    )


class DocumentTable:
    """One surrogate's documents, ordered by event: judgments in agreement, judgments and metric of each (n,)."""

    def __init__(self, texts: JudgedTexts, surrogate: int) -> None:
        own = np.flatnonzero(texts.surrogate == surrogate)
        judged = np.flatnonzero(texts.surrogate[texts.text] == surrogate)
        self.document, self.metric = texts.document[own], texts.metric[own]
        self._rater = texts.rater[judged]
        self._place = np.searchsorted(own, texts.text[judged])
        self._agree = (texts.outcome[judged] < 2).astype(np.float64)
        self.hits = np.bincount(self._place, self._agree, len(own)).astype(np.float64)
        self.judgments = np.bincount(self._place, minlength=len(own)).astype(np.float64)
        _, first, many = np.unique(texts.event[own], return_index=True, return_counts=True)
        self.events = len(many)
        self.layout = [first[many == size][:, None] + np.arange(size) for size in np.unique(many)]
        """Places (events of one size, that size) of the documents of each event."""

    def __len__(self) -> int:
        return len(self.document)

    def groups(self, size: int) -> int:
        """Return how many full groups of a size the documents of each event fill, together."""
        return sum(len(places) * (places.shape[1] // size) for places in self.layout)

    def shuffled(self, keys: Floats) -> list[Codes]:
        """Places (b, events, size) in random order within each event, for each block of the layout."""
        orders = []
        for places in self.layout:
            order = np.argsort(keys[:, self.document[places]], axis=2)
            orders.append(order + places[:, :1])
        return orders

    def permuted(self, shuffled: list[Codes]) -> list[list[Floats]]:
        """Hits, judgments and metric of each block of the layout in that order."""
        columns: list[Floats] = [self.hits, self.judgments, self.metric]
        return [[column[places] for column in columns] for places in shuffled]

    def by_rater(self) -> tuple[Any, Any]:
        """Hits and judgments of each document by each rater, (n, r) sparse."""
        raters, rater = np.unique(self._rater, return_inverse=True)
        shape = len(self), len(raters)
        hits, judgments = (
            sparse.csr_array((of, (self._place, rater)), shape=shape)
            for of in (self._agree, np.ones(len(rater)))
        )
        return hits, judgments

    def drawn_within_events(self, rng: np.random.Generator, size: int) -> Codes:
        """Places (size, n) of documents drawn with replacement within each event."""
        chosen_places = np.empty((size, len(self)), dtype=np.int64)
        for places in self.layout:
            chosen = rng.integers(0, places.shape[1], (size, *places.shape))
            chosen_places[:, places] = chosen + places[:, :1]
        return chosen_places

    def grouping(self, rng: np.random.Generator, size: int, partitions: int) -> Any:
        """Random partitions as (partitions x groups, n) sparse, 1 where a document belongs to a group."""
        keys = rng.random((partitions, int(self.document.max()) + 1))
        used = np.concatenate(
            [
                _grouped(places, size).reshape(partitions, -1, size)
                for places in self.shuffled(keys)
                if places.shape[2] >= size
            ],
            axis=1,
        ).reshape(-1, size)
        row = np.repeat(np.arange(len(used)), size)
        return sparse.csr_array((np.ones(used.size), (row, used.ravel())), shape=(len(used), len(self)))


class _Draws:
    """Correlations of one table's partitions into groups of one size, block after block."""

    def __init__(self, table: DocumentTable, size: int) -> None:
        self._table, self._size = table, size
        self._groups = table.groups(size)
        self._drawn: list[Floats] = []
        self._rates = [-np.inf, np.inf]
        self._same_rate = self._same_metric = False

    def add(self, permuted: list[list[Floats]]) -> None:
        if self._groups == 0 or (self._size == 1 and self._drawn):
            return
        if self._size == 1:
            permuted = [[column[:1] for column in columns] for columns in permuted]
        hits, judgments, metric = (
            np.concatenate(parts, axis=1)
            for parts in zip(
                *(
                    [_group_sums(column, self._size) for column in columns]
                    for columns in permuted
                    if columns[0].shape[2] >= self._size
                ),
                strict=True,
            )
        )
        rate = hits / judgments
        self._rates = [max(self._rates[0], float(rate.max())), min(self._rates[1], float(rate.min()))]
        if self._groups < FEWEST_PAIRS:
            return
        self._same_rate |= bool(_flat(rate).any())
        self._same_metric |= bool(_flat(metric).any())
        self._drawn.append(correlated(metric, rate))

    def result(self, surrogate: Any, draws: int) -> Partition:
        correlations = np.concatenate(self._drawn) if self._drawn else np.full(draws, nan)
        correlations = np.full(draws, correlations[0]) if self._size == 1 else correlations
        known = correlations[~np.isnan(correlations)]
        mean, sd, low, high = nan, nan, nan, nan
        if known.size:
            mean, (low, high) = float(known.mean()), (float(q) for q in np.quantile(known, [0.05, 0.95]))
        if known.size > 1:
            sd = float(known.std(ddof=1))
        if known.size and np.ptp(known) == 0:
            mean, sd = float(known[0]), 0.0 if known.size > 1 else nan
        used = self._groups * self._size
        return Partition(
            surrogate,
            self._size,
            self._groups,
            len(self._table),
            len(self._table) - used,
            correlations,
            mean,
            sd,
            low,
            high,
            np.histogram(known, BIN_EDGES)[0],
            self._rates[0] if self._groups else nan,
            self._rates[1] if self._groups else nan,
            float(np.isnan(correlations).mean()),
            self._reason(),
        )

    def _reason(self) -> str:
        if len(self._table) == 0:
            return NO_TEXTS
        if self._groups < FEWEST_PAIRS:
            return (
                f"a correlation needs at least {FEWEST_PAIRS} groups; the {len(self._table)} documents of its events "
                f"fill {self._groups} of {self._size}"
            )
        told = ((self._same_rate, SAME_RATE), (self._same_metric, SAME_METRIC))
        return " or ".join(sentence for holds, sentence in told if holds)


def _grouped(columns: NDArray[Any], size: int) -> NDArray[Any]:
    """(b, events, documents) as (b, events, groups, size), without the documents beyond the last full group."""
    b, events, documents = columns.shape
    groups = documents // size
    return columns[:, :, : groups * size].reshape(b, events, groups, size)


def _group_sums(columns: Floats, size: int) -> Floats:
    """Sums (b, events x groups) over the documents of each group."""
    parts = _grouped(columns, size)
    sums = parts[..., 0]
    for place in range(1, size):
        sums = sums + parts[..., place]
    return sums.reshape(len(columns), -1)


def correlated(metric: Floats, rate: Floats) -> Floats:
    """Pearson's r (b,) of rows (b, groups), NaN where a side varies by rounding errors only."""
    return np.where(_flat(metric) | _flat(rate), nan, pearson_rows(metric, rate))


def _flat(rows: Floats) -> NDArray[np.bool_]:
    highest = np.fmax.reduce(rows, axis=1, initial=-np.inf)
    lowest = np.fmin.reduce(rows, axis=1, initial=np.inf)
    return np.asarray(highest - lowest <= _DUST * np.maximum(np.abs(highest), np.abs(lowest)), dtype=np.bool_)


PARTITIONS = 20
"""Random partitions in each draw of raters and documents."""
NOTHING_TO_DRAW = "there are too few documents in each event to resample them, so there is no interval"
PERFECT = "the correlation is perfect, which leaves no room for an interval"
FEW_DRAWS = "the correlation is undefined in more than half of the draws, so there is no interval"
ALIKE = "every draw gives the same value, so there is no interval"
_PERFECT = 1 - 1e-9


def partition_intervals(
    texts: JudgedTexts,
    study: PartitionStudy,
    bootstrap: BootstrapSpec | None = None,
    partitions: int = PARTITIONS,
    on_progress: OnProgress = None,
) -> tuple[Estimate, ...]:
    """Intervals of the mean correlations for other raters and other documents.

    Parameters
    ----------
    texts : t texts (t,) with N judgments (N,), as given to `partition_study`
    study : its result
    bootstrap : draws, seed and level
    partitions : random partitions within each draw
    on_progress : called between blocks with the share done

    Returns
    -------
    tuple of Estimate
        in the order of `study.partitions`; n counts documents.

    Raises
    ------
    InputError
        where `partitions` is below 1, or the study is one of other surrogates.

    Notes
    -----
    The draws give the shape. They are noisier than the data, so correlations in them are nearer to 0: the interval is
    centred on the study's mean, on Fisher's z. Its width is that of the two-way variance
        documents + max(raters - ratings, 0)
    of `pigeonhole`: documents are drawn within their events with the rates as observed, less the variance
    that few partitions per draw add; raters are drawn for fixed documents and partitions, going a quarter of the way,
    less the same with the draws of different documents mixed. Student's t for few documents and raters.
    Source: Owen 2007, "The pigeonhole bootstrap"; Cameron, Gelbach and Miller 2011; methods, sections 0 and 6.
    """
    if partitions < 1:
        raise InputError(f"`partitions` must be 1 or more, got {partitions}")
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    if not study.spec.keep_full_text:
        texts = texts.of_others(study.spec.full_text)
    sizes = study.spec.group_sizes
    if [intervals.surrogate for intervals in study.partitions[:: len(sizes)]] != texts.surrogates.tolist():
        raise InputError("`study` must be the result of `partition_study` for the same `texts`")
    intervals: list[Estimate] = []
    for k in range(len(texts.surrogates)):
        table = DocumentTable(texts, k)
        here = study.partitions[k * len(sizes) : (k + 1) * len(sizes)]
        tell = None if on_progress is None else _part(on_progress, k, len(texts.surrogates))
        intervals += _intervals(table, here, spec, partitions, tell)
    return tuple(intervals)


def _intervals(
    table: DocumentTable,
    here: tuple[Partition, ...],
    spec: BootstrapSpec,
    partitions: int,
    on_progress: OnProgress,
) -> Iterator[Estimate]:
    """The intervals of one surrogate's mean correlations, by group size."""
    why = [_why_no_interval(table, of_size, spec) for of_size in here]
    rng = np.random.default_rng([spec.seed, 1])
    chosen = [
        table.grouping(rng, of_size.group_size, partitions if of_size.group_size > 1 else 1)
        if not told and spec.draws
        else None
        for of_size, told in zip(here, why, strict=True)
    ]
    drawn: list[list[tuple[Floats, ...]]] = [[] for _ in here]
    if any(grouping is not None for grouping in chosen):
        hits, judgments = table.by_rater()
        most = max(grouping.nnz for grouping in chosen if grouping is not None)
        block = max(min(BLOCK // most, spec.draws), 20)
        for part in blocks(spec.draws, block, on_progress):
            kinds = _drawn_tables(table, hits, judgments, rng, part.stop - part.start)
            for grouping, of_size, of_blocks in zip(chosen, here, drawn, strict=True):
                if grouping is not None:
                    each = [_mean_correlations(grouping, of_size.groups, *kind) for kind in kinds]
                    of_blocks.append((*(mean for mean, _ in each), each[1][1]))
    for of_size, told, of_blocks in zip(here, why, drawn, strict=True):
        raters = len(np.unique(table._rater))
        yield _interval(table, raters, of_size, told, of_blocks, spec)


def _why_no_interval(table: DocumentTable, of_size: Partition, spec: BootstrapSpec) -> str:
    if np.isnan(of_size.mean):
        return of_size.reason
    if abs(of_size.mean) >= _PERFECT:
        return PERFECT
    return NOTHING_TO_DRAW if len(table) == table.events else ""


def _drawn_tables(
    table: DocumentTable, hits: Any, judgments: Any, rng: np.random.Generator, size: int
) -> list[tuple[Floats, Floats, Floats]]:
    """Hits, judgments and metric (n, size) under resampled raters and documents, documents, raters, ratings."""
    n, raters = hits.shape
    weight = bootstrap_counts(rng, raters, size).T
    near = 1 + SHRINKAGE * (weight - 1)
    drawn = rng.random((size, n)).argsort(axis=0).T
    place = table.drawn_within_events(rng, size).T
    column = np.arange(size)
    whole, part = ([hits @ by, judgments @ by] for by in (weight, near))
    mixed = [np.take_along_axis(side, drawn, axis=1) for side in part]
    metric = np.broadcast_to(table.metric[:, None], (n, size))
    return [
        (whole[0][place, column], whole[1][place, column], table.metric[place]),
        (table.hits[place], table.judgments[place], table.metric[place]),
        (part[0], part[1], metric),
        (mixed[0], mixed[1], metric),
    ]


def _mean_correlations(
    grouping: Any, groups: int, hits: Floats, judgments: Floats, metric: Floats
) -> tuple[Floats, Floats]:
    """Mean (b,) over the partitions of each column's correlation, and the variance (b,) of that mean."""
    b = hits.shape[1]
    there = (judgments > 0).astype(np.float64)
    stacked = grouping @ np.concatenate([hits, judgments, metric * there, there], axis=1)
    hits, judgments, metric, there = np.split(stacked, 4, axis=1)
    empty = judgments == 0
    rate, mean = (
        np.where(empty, nan, of / np.where(empty, 1.0, by)).reshape(-1, groups, b).transpose(2, 0, 1)
        for of, by in ((hits, judgments), (metric, there))
    )
    few = (~np.isnan(rate)).sum(axis=2) < FEWEST_PAIRS
    r = correlated(mean.reshape(-1, groups), rate.reshape(-1, groups)).reshape(b, -1)
    r = np.where(few, nan, r)
    known = ~np.isnan(r)
    n = known.sum(axis=1)
    centre = np.where(n > 0, np.where(known, r, 0.0).sum(axis=1) / np.maximum(n, 1), nan)
    squares = (np.where(known, r - centre[:, None], 0.0) ** 2).sum(axis=1)
    return centre, squares / np.maximum(n - 1, 1) / np.maximum(n, 1)


def _interval(
    table: DocumentTable,
    raters: int,
    of_size: Partition,
    told: str,
    of_blocks: list[tuple[Floats, ...]],
    spec: BootstrapSpec,
) -> Estimate:
    """The study's mean with the interval that its draws give."""
    n = len(table)
    if told or not of_blocks:
        return Estimate(of_size.mean, n=n, reason=told)
    *kinds, added = (np.concatenate(parts) for parts in zip(*of_blocks, strict=True))
    known = [kind[~np.isnan(kind)] for kind in kinds]
    if min(len(kind) for kind in known) < max(spec.draws / 2, 2):
        return Estimate(of_size.mean, n=n, reason=FEW_DRAWS)
    by_documents, by_raters, by_ratings = (float(FISHER.forward(kind).var(ddof=1)) for kind in known[1:])
    by_partitions = float(np.nanmean(added / (1 - np.clip(kinds[1], -_PERFECT, _PERFECT) ** 2) ** 2))
    degrees = n - table.events
    of_documents = max(by_documents - by_partitions, 0.0) * n / degrees
    of_raters = (
        max(by_raters - by_ratings, 0.0) / SHRINKAGE**2 * (raters / (raters - 1) if raters > 1 else 0.0)
    )
    variance = of_documents + of_raters
    if variance == 0:
        return Estimate(of_size.mean, n=n, reason=ALIKE)
    spread = of_documents**2 / degrees + of_raters**2 / max(raters - 2, 1)
    low, high = scaled_percentiles(of_size.mean, kinds[0], spec.level, variance**2 / spread, variance, FISHER)
    return Estimate(of_size.mean, float(low), float(high), n)


def _part(on_progress: Callable[[float], object], done: int, parts: int) -> Callable[[float], object]:
    return lambda share: on_progress((done + share) / parts)
