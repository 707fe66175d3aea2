"""Chance over raters and documents of the mean correlation over partitions."""

from collections.abc import Callable, Iterator
from math import nan
from typing import Any

import numpy as np

from analysis.correlation.rows import FEWEST
from analysis.relevance.judged_texts import JudgedTexts
from analysis.relevance.partitions import BLOCK, DocumentTable, Partition, PartitionStudy, correlated
from analysis.resampling.draws import blocks, times_drawn
from analysis.resampling.intervals import FISHER, shaped
from analysis.resampling.pigeonhole import NEAR
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.types import Floats, OnProgress

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
    weight = times_drawn(rng, raters, size).T
    near = 1 + NEAR * (weight - 1)
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
    few = (~np.isnan(rate)).sum(axis=2) < FEWEST
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
    by_documents, by_raters, by_ratings = (float(FISHER.forth(kind).var(ddof=1)) for kind in known[1:])
    by_partitions = float(np.nanmean(added / (1 - np.clip(kinds[1], -_PERFECT, _PERFECT) ** 2) ** 2))
    degrees = n - table.events
    of_documents = max(by_documents - by_partitions, 0.0) * n / degrees
    of_raters = max(by_raters - by_ratings, 0.0) / NEAR**2 * (raters / (raters - 1) if raters > 1 else 0.0)
    variance = of_documents + of_raters
    if variance == 0:
        return Estimate(of_size.mean, n=n, reason=ALIKE)
    spread = of_documents**2 / degrees + of_raters**2 / max(raters - 2, 1)
    low, high = shaped(of_size.mean, kinds[0], spec.level, variance**2 / spread, variance, FISHER)
    return Estimate(of_size.mean, float(low), float(high), n)


def _part(on_progress: Callable[[float], object], done: int, parts: int) -> Callable[[float], object]:
    return lambda share: on_progress((done + share) / parts)
