"""Correlation of a metric with the rate of agreement over random groups of documents.

The rate of agreement of one document is coarse, so documents of an event are grouped at random, and the groups' rates
are correlated with the groups' mean metric. Many random partitions show the effect of the arbitrary grouping. Their
standard deviation is no standard error, since raters and documents are fixed: `partition_intervals` resamples these.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.correlation.rank_rows import FEWEST_PAIRS, pearson_rows
from analysis.relevance.judgments import JudgedTexts
from analysis.resampling.intervals import FISHER, blocks, bootstrap_counts, scale_progress, scaled_percentiles
from analysis.resampling.pigeonhole import SHRINKAGE
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress

BIN_EDGES: Floats = np.linspace(-1.0, 1.0, 81)
"""Bin edges of the histogram of correlations."""
NO_TEXTS = "no judgment of it has both a known truth and a metric value"
SAME_RATE = "all groups have the same rate of agreement"
SAME_METRIC = "all groups have the same mean metric"
_RELATIVE_ROUNDING = 1e-12
BLOCK = 1_000_000
"""Documents times draws in a block."""


@dataclass(frozen=True)
class PartitionSpec:
    """Settings of groups of documents: sizes of the groups, number of random partitions and their seed.

    `full_text` is the id of the surrogate that is the full text, excluded unless `keep_full_text`.
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

    `correlations` (draws,) NaN where undefined; `mean`, `sd`, `low` and `high` (5th and 95th percentile) of the
    defined ones, `counts` (80,) of them between `BIN_EDGES`. `groups` in every partition, made of some of the
    `documents`; `left_over` documents fill no group and are excluded from a partition, different ones each time.
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
        """Return the partitions of one surrogate into groups of one size (Hobson et al. 2007, Table 10)."""
        for partition in self.partitions:
            if (partition.surrogate, partition.group_size) == (surrogate, group_size):
                return partition
        raise InputError(f"`surrogate` {surrogate!r} has no partitions into groups of {group_size}")


def partition_study(
    texts: JudgedTexts, spec: PartitionSpec | None = None, on_progress: OnProgress = None
) -> PartitionStudy:
    """Correlate groups' rates of agreement with their mean metric, over random partitions.

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
    Larger groups have smoother rates but fewer points, with more weight of differences between events; the size is a
    choice of the analyst. A group's rate is the mean over its judgments by all raters, its metric the mean over its
    texts. Groups stay within an event and have equal sizes; documents beyond the last full group are excluded from that
    partition. Surrogates share random numbers, so that those with the same documents have the same groups. With one
    document per group all partitions are equal. The SD over draws is the effect of the grouping, not a standard error:
    see `partition_intervals`.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 5.3.3, Table 10; methods, section 6.
    """
    spec = PartitionSpec() if spec is None else spec
    if not spec.keep_full_text:
        texts = texts.exclude_surrogate(spec.full_text)
    tables = [DocumentTable(texts, k) for k in range(len(texts.surrogates))]
    correlations_by_table = [
        [_PartitionCorrelations(table, size) for size in spec.group_sizes] for table in tables
    ]
    rng = np.random.default_rng(spec.seed)
    block = max(min(BLOCK // max(texts.documents, 1), spec.draws), 1)
    for start in range(0, spec.draws, block):
        keys = rng.random((min(block, spec.draws - start), texts.documents))
        shuffled: dict[bytes, list[Codes]] = {}
        for table, by_size in zip(tables, correlations_by_table, strict=True):
            document_key = table.document.tobytes()
            if document_key not in shuffled:
                shuffled[document_key] = table.shuffle_within_events(keys)
            permuted = table.permute_columns(shuffled[document_key])
            for draws in by_size:
                draws.add(permuted)
        if on_progress is not None:
            on_progress((start + len(keys)) / spec.draws)
    return PartitionStudy(
        spec,
        tuple(
            draws.result(name, spec.draws)
            for name, by_size in zip(texts.surrogates.tolist(), correlations_by_table, strict=True)
            for draws in by_size
        ),
    )


class DocumentTable:
    """Documents of one surrogate, sorted by event: right judgments, judgments and metric of each (n,)."""

    def __init__(self, texts: JudgedTexts, surrogate: int) -> None:
        rows = np.flatnonzero(texts.surrogate == surrogate)
        judged = np.flatnonzero(texts.surrogate[texts.text] == surrogate)
        self.document, self.metric = texts.document[rows], texts.metric[rows]
        self._rater = texts.rater[judged]
        self._document_row = np.searchsorted(rows, texts.text[judged])
        self._is_right = (texts.outcome[judged] < 2).astype(np.float64)
        self.hits = np.bincount(self._document_row, self._is_right, len(rows)).astype(np.float64)
        self.judgments = np.bincount(self._document_row, minlength=len(rows)).astype(np.float64)
        _, first, event_sizes = np.unique(texts.event[rows], return_index=True, return_counts=True)
        self.events = len(event_sizes)
        self.layout = [
            first[event_sizes == size][:, None] + np.arange(size) for size in np.unique(event_sizes)
        ]
        """Indices (events of one size, that size) of the documents of each event."""

    def __len__(self) -> int:
        return len(self.document)

    def groups(self, size: int) -> int:
        """Return the total number of full groups of a size within events."""
        return sum(len(places) * (places.shape[1] // size) for places in self.layout)

    def shuffle_within_events(self, keys: Floats) -> list[Codes]:
        """Return indices (b, events, size) in random order within each event, for each block of the layout."""
        orders = []
        for rows in self.layout:
            order = np.argsort(keys[:, self.document[rows]], axis=2)
            orders.append(order + rows[:, :1])
        return orders

    def permute_columns(self, shuffled: list[Codes]) -> list[list[Floats]]:
        """Return right judgments, judgments and metric of each block of the layout in that order."""
        columns: list[Floats] = [self.hits, self.judgments, self.metric]
        return [[column[places] for column in columns] for places in shuffled]

    def sums_by_rater(self) -> tuple[Any, Any]:
        """Return right judgments and judgments of each document by each rater, (n, r) sparse."""
        raters, rater = np.unique(self._rater, return_inverse=True)
        shape = len(self), len(raters)
        hits, judgments = (
            sparse.csr_array((of, (self._document_row, rater)), shape=shape)
            for of in (self._is_right, np.ones(len(rater)))
        )
        return hits, judgments

    def resample_within_events(self, rng: np.random.Generator, size: int) -> Codes:
        """Return indices (size, n) of documents drawn with replacement within each event."""
        chosen_rows = np.empty((size, len(self)), dtype=np.int64)
        for rows in self.layout:
            chosen = rng.integers(0, rows.shape[1], (size, *rows.shape))
            chosen_rows[:, rows] = chosen + rows[:, :1]
        return chosen_rows

    def random_partitions(self, rng: np.random.Generator, size: int, partitions: int) -> Any:
        """Return random partitions as sparse (partitions x groups, n), 1 where a document belongs to a group."""
        keys = rng.random((partitions, int(self.document.max()) + 1))
        groups = np.concatenate(
            [
                _split_into_groups(rows, size).reshape(partitions, -1, size)
                for rows in self.shuffle_within_events(keys)
                if rows.shape[2] >= size
            ],
            axis=1,
        ).reshape(-1, size)
        row = np.repeat(np.arange(len(groups)), size)
        return sparse.csr_array((np.ones(groups.size), (row, groups.ravel())), shape=(len(groups), len(self)))


class _PartitionCorrelations:
    """Correlations of one table's partitions into groups of one size, collected block by block."""

    def __init__(self, table: DocumentTable, size: int) -> None:
        self._table, self._size = table, size
        self._groups = table.groups(size)
        self._samples: list[Floats] = []
        self._rates = [-np.inf, np.inf]
        self._same_rate = self._same_metric = False

    def add(self, permuted: list[list[Floats]]) -> None:
        if self._groups == 0 or (self._size == 1 and self._samples):
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
        self._same_rate |= bool(_is_constant(rate).any())
        self._same_metric |= bool(_is_constant(metric).any())
        self._samples.append(correlate_rows(metric, rate))

    def result(self, surrogate: Any, draws: int) -> Partition:
        correlations = np.concatenate(self._samples) if self._samples else np.full(draws, nan)
        correlations = np.full(draws, correlations[0]) if self._size == 1 else correlations
        defined = correlations[~np.isnan(correlations)]
        mean, sd, low, high = nan, nan, nan, nan
        if defined.size:
            mean, (low, high) = float(defined.mean()), (float(q) for q in np.quantile(defined, [0.05, 0.95]))
        if defined.size > 1:
            sd = float(defined.std(ddof=1))
        if defined.size and np.ptp(defined) == 0:
            mean, sd = float(defined[0]), 0.0 if defined.size > 1 else nan
        n_used = self._groups * self._size
        return Partition(
            surrogate,
            self._size,
            self._groups,
            len(self._table),
            len(self._table) - n_used,
            correlations,
            mean,
            sd,
            low,
            high,
            np.histogram(defined, BIN_EDGES)[0],
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
        checks = ((self._same_rate, SAME_RATE), (self._same_metric, SAME_METRIC))
        return " or ".join(sentence for holds, sentence in checks if holds)


def _split_into_groups(columns: NDArray[Any], size: int) -> NDArray[Any]:
    """Reshape (b, events, documents) to (b, events, groups, size), without documents beyond the last full group."""
    b, events, documents = columns.shape
    groups = documents // size
    return columns[:, :, : groups * size].reshape(b, events, groups, size)


def _group_sums(columns: Floats, size: int) -> Floats:
    """Return sums (b, events x groups) over the documents of each group."""
    parts = _split_into_groups(columns, size)
    sums = parts[..., 0]
    for place in range(1, size):
        sums = sums + parts[..., place]
    return sums.reshape(len(columns), -1)


def correlate_rows(metric: Floats, rate: Floats) -> Floats:
    """Return Pearson's r (b,) of rows (b, groups), NaN where a side is constant up to rounding."""
    return np.where(_is_constant(metric) | _is_constant(rate), nan, pearson_rows(metric, rate))


def _is_constant(rows: Floats) -> NDArray[np.bool_]:
    highest = np.fmax.reduce(rows, axis=1, initial=-np.inf)
    lowest = np.fmin.reduce(rows, axis=1, initial=np.inf)
    return np.asarray(
        highest - lowest <= _RELATIVE_ROUNDING * np.maximum(np.abs(highest), np.abs(lowest)), dtype=np.bool_
    )


PARTITIONS = 20
"""Random partitions in each bootstrap sample of raters and documents."""
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
    """Return intervals of the mean correlations for other raters and other documents.

    Parameters
    ----------
    texts : t texts (t,) with N judgments (N,), as given to `partition_study`
    study : its result
    bootstrap : draws, seed and level
    partitions : random partitions in each bootstrap sample
    on_progress : called between blocks with the share done

    Returns
    -------
    tuple of Estimate
        in the order of `study.partitions`; n counts documents.

    Raises
    ------
    InputError
        where `partitions` is below 1, or the study has other surrogates.

    Notes
    -----
    Bootstrap samples give the shape. They are noisier than the data, so their correlations are closer to 0: the
    interval is centered on the study's mean, on Fisher's z. Its width is that of the two-way variance
        documents + max(raters - ratings, 0)
    of `pigeonhole`. Documents are resampled within events with the observed rates, minus the variance due to few
    partitions per sample. Raters are resampled for fixed documents and partitions, with weights a quarter of the way,
    minus the same with independent samples for different documents. Student's t for few documents and raters.
    Source: Owen 2007, "The pigeonhole bootstrap"; Cameron, Gelbach and Miller 2011; methods, sections 0 and 6.
    """
    if partitions < 1:
        raise InputError(f"`partitions` must be 1 or more, got {partitions}")
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    if not study.spec.keep_full_text:
        texts = texts.exclude_surrogate(study.spec.full_text)
    sizes = study.spec.group_sizes
    if [intervals.surrogate for intervals in study.partitions[:: len(sizes)]] != texts.surrogates.tolist():
        raise InputError("`study` must be the result of `partition_study` for the same `texts`")
    intervals: list[Estimate] = []
    for k in range(len(texts.surrogates)):
        table = DocumentTable(texts, k)
        own_partitions = study.partitions[k * len(sizes) : (k + 1) * len(sizes)]
        report_progress = scale_progress(
            on_progress, k / len(texts.surrogates), (k + 1) / len(texts.surrogates)
        )
        intervals += _intervals(table, own_partitions, spec, partitions, report_progress)
    return tuple(intervals)


def _intervals(
    table: DocumentTable,
    study_partitions: tuple[Partition, ...],
    spec: BootstrapSpec,
    partitions: int,
    on_progress: OnProgress,
) -> Iterator[Estimate]:
    """Yield the intervals of one surrogate's mean correlations, by group size."""
    reasons = [_no_interval_reason(table, partition, spec) for partition in study_partitions]
    rng = np.random.default_rng([spec.seed, 1])
    partition_matrices = [
        table.random_partitions(rng, partition.group_size, partitions if partition.group_size > 1 else 1)
        if not reason and spec.draws
        else None
        for partition, reason in zip(study_partitions, reasons, strict=True)
    ]
    samples: list[list[tuple[Floats, ...]]] = [[] for _ in study_partitions]
    if any(grouping is not None for grouping in partition_matrices):
        hits, judgments = table.sums_by_rater()
        largest_nonzeros = max(grouping.nnz for grouping in partition_matrices if grouping is not None)
        block = max(min(BLOCK // largest_nonzeros, spec.draws), 20)
        for part in blocks(spec.draws, block, on_progress):
            kinds = _resampled_tables(table, hits, judgments, rng, part.stop - part.start)
            for grouping, partition, partition_samples in zip(
                partition_matrices, study_partitions, samples, strict=True
            ):
                if grouping is not None:
                    means_and_variances = [
                        _mean_correlations(grouping, partition.groups, *kind) for kind in kinds
                    ]
                    partition_samples.append(
                        (*(mean for mean, _ in means_and_variances), means_and_variances[1][1])
                    )
    for partition, reason, partition_samples in zip(study_partitions, reasons, samples, strict=True):
        raters = len(np.unique(table._rater))
        yield _interval(table, raters, partition, reason, partition_samples, spec)


def _no_interval_reason(table: DocumentTable, partition: Partition, spec: BootstrapSpec) -> str:
    if np.isnan(partition.mean):
        return partition.reason
    if abs(partition.mean) >= _PERFECT:
        return PERFECT
    return NOTHING_TO_DRAW if len(table) == table.events else ""


def _resampled_tables(
    table: DocumentTable, hits: Any, judgments: Any, rng: np.random.Generator, size: int
) -> list[tuple[Floats, Floats, Floats]]:
    """Return right judgments, judgments and metric (n, size) with resampled raters and documents, documents, raters,
    and ratings."""
    n, raters = hits.shape
    weight = bootstrap_counts(rng, raters, size).T
    damped_weight = 1 + SHRINKAGE * (weight - 1)
    permutation = rng.random((size, n)).argsort(axis=0).T
    place = table.resample_within_events(rng, size).T
    column = np.arange(size)
    full_samples, damped_samples = ([hits @ by, judgments @ by] for by in (weight, damped_weight))
    independent_samples = [np.take_along_axis(side, permutation, axis=1) for side in damped_samples]
    metric = np.broadcast_to(table.metric[:, None], (n, size))
    return [
        (full_samples[0][place, column], full_samples[1][place, column], table.metric[place]),
        (table.hits[place], table.judgments[place], table.metric[place]),
        (damped_samples[0], damped_samples[1], metric),
        (independent_samples[0], independent_samples[1], metric),
    ]


def _mean_correlations(
    grouping: Any, groups: int, hits: Floats, judgments: Floats, metric: Floats
) -> tuple[Floats, Floats]:
    """Return the mean (b,) over the partitions of each column's correlation, and the variance (b,) of that mean."""
    b = hits.shape[1]
    has_judgment = (judgments > 0).astype(np.float64)
    stacked = grouping @ np.concatenate([hits, judgments, metric * has_judgment, has_judgment], axis=1)
    hits, judgments, metric, has_judgment = np.split(stacked, 4, axis=1)
    empty = judgments == 0
    rate, mean = (
        np.where(empty, nan, total / np.where(empty, 1.0, count)).reshape(-1, groups, b).transpose(2, 0, 1)
        for total, count in ((hits, judgments), (metric, has_judgment))
    )
    has_few_groups = (~np.isnan(rate)).sum(axis=2) < FEWEST_PAIRS
    r = correlate_rows(mean.reshape(-1, groups), rate.reshape(-1, groups)).reshape(b, -1)
    r = np.where(has_few_groups, nan, r)
    known = ~np.isnan(r)
    n = known.sum(axis=1)
    mean_r = np.where(n > 0, np.where(known, r, 0.0).sum(axis=1) / np.maximum(n, 1), nan)
    squares = (np.where(known, r - mean_r[:, None], 0.0) ** 2).sum(axis=1)
    return mean_r, squares / np.maximum(n - 1, 1) / np.maximum(n, 1)


def _interval(
    table: DocumentTable,
    raters: int,
    partition: Partition,
    reason: str,
    samples: list[tuple[Floats, ...]],
    spec: BootstrapSpec,
) -> Estimate:
    """Return the study's mean with the interval from its bootstrap samples."""
    n = len(table)
    if reason or not samples:
        return Estimate(partition.mean, n=n, reason=reason)
    *kinds, added = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    known = [kind[~np.isnan(kind)] for kind in kinds]
    if min(len(kind) for kind in known) < max(spec.draws / 2, 2):
        return Estimate(partition.mean, n=n, reason=FEW_DRAWS)
    by_documents, by_raters, by_ratings = (float(FISHER.forward(kind).var(ddof=1)) for kind in known[1:])
    by_partitions = float(np.nanmean(added / (1 - np.clip(kinds[1], -_PERFECT, _PERFECT) ** 2) ** 2))
    degrees = n - table.events
    document_variance = max(by_documents - by_partitions, 0.0) * n / degrees
    rater_variance = (
        max(by_raters - by_ratings, 0.0) / SHRINKAGE**2 * (raters / (raters - 1) if raters > 1 else 0.0)
    )
    variance = document_variance + rater_variance
    if variance == 0:
        return Estimate(partition.mean, n=n, reason=ALIKE)
    uncertainty = document_variance**2 / degrees + rater_variance**2 / max(raters - 2, 1)
    low, high = scaled_percentiles(
        partition.mean, kinds[0], spec.level, variance**2 / uncertainty, variance, FISHER
    )
    return Estimate(partition.mean, float(low), float(high), n)
