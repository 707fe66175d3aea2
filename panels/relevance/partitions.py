"""Partitions: does a metric know which documents' summaries mislead, however documents are grouped."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from analysis.relevance.partition_intervals import partition_intervals
from analysis.relevance.partitions import BIN_EDGES, PartitionSpec, PartitionStudy, partition_study
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.relevance.partitions import Outline, outlines
from features.plotting.figure import Figure
from features.results import cached, keep, key_of, long_result
from features.study import Study
from findings.code import relevance as program
from findings.relevance import judgments
from findings.relevance.metrics import nothing_to_correlate
from findings.relevance.partitions import Drawn, finding_of, notes, partition_table, remarks
from findings.relevance.rows import Rows, texts
from panels.relevance.controls import metric_control, side_control
from panels.relevance.full_text import main_rows
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.sampling_controls import seed_control
from ui.stages import OnProgress, conclude, show_stages
from ui.words import say

USUAL = (1, 2, 4)
"""Group sizes of the paper, always in the table."""
LARGEST = 20
MOST_AHEAD = 2_000_000
"""Documents times partitions up to which all sizes are worked out ahead: less than a second."""


@dataclass(frozen=True, eq=False)
class Asked:
    """The metric and the agreement that a visitor looks at."""

    study: Study
    rows: Rows
    metric: str
    side: str

    def key(self, what: str, *parts: object) -> str:
        return key_of(self.study.dataset, what, self.rows.full_text, self.metric, self.side, *parts)


def show(study: Study) -> None:
    """Finding, group size, the distributions at once and then their intervals, Table 10, remarks."""
    rows = main_rows(study)
    closed = nothing_to_correlate(rows.surrogates, judgments.metrics(study))
    if closed is not None:
        say(*closed)
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = Asked(study, rows, metric_control(study), side_control(rows.surrogates))
        size = st.slider(
            "Documents per group",
            1,
            LARGEST,
            4,
            key="group_size",
            bind="query-params",
            width=260,
            help="Larger groups have steadier rates but there are fewer of them.",
        )
        with st.popover("More"):
            draws = st.number_input(
                "Random partitions", 100, 100_000, 10_000, 1000, key="partition_draws", bind="query-params"
            )
            seed = seed_control("partition_seed")
    spec = PartitionSpec((int(size),), draws, seed, rows.full_text)
    picture = st.empty()
    partitioned = study_of(asked, spec)
    if partitioned is None:
        return

    def draw_partitions(drawn: Drawn, stage: str) -> None:
        with finding:
            show_finding(finding_of(rows.surrogates, asked.metric, asked.side, drawn))
        draw(
            picture,
            figure(rows, drawn),
            key=f"partitions {stage}",
            alt=f"Correlation of {asked.metric} with agreement over random partitions, by surrogate",
        )

    bare = Drawn(partitioned)
    known = cached(_key_of_intervals(asked, bare))
    later = ("with intervals", partial(_with_intervals, asked))
    drawn = show_stages(
        bare if known is None else replace(bare, intervals=known),
        draw_partitions,
        *([later] if known is None else []),
        first="closed" if known is None else "with intervals",
    )
    with st.container():
        sizes = _all_sizes(asked, spec)
    if sizes is None:
        return
    conclude(
        "partitions",
        [
            (
                partition_table(rows.surrogates, sizes),
                "Correlation over random partitions by surrogate and group size",
            )
        ],
        notes=notes(drawn),
        remarks=remarks(rows.surrogates, partitioned),
        figure=lambda: figure(rows, drawn),
    )
    _compute_other_sizes(asked, spec)
    show_code(lambda: program.partitions(study, asked.metric, asked.side, spec, _sizes(spec)))


def study_of(asked: Asked, spec: PartitionSpec) -> PartitionStudy | None:
    """Random partitions into groups of one size; None while stopped."""

    def compute(on_progress: OnProgress) -> PartitionStudy:
        judged = texts(asked.study, asked.rows, asked.metric, asked.side)
        return _light(partition_study(judged, spec, on_progress))

    return long_result(
        asked.key("partitions", spec), f"Partitions into groups of {spec.group_sizes[0]}", compute
    )


def _compute_other_sizes(asked: Asked, spec: PartitionSpec) -> None:
    """Compute every other size once all is drawn, so that a step of the control waits for nothing. All sizes take the
    same random orders, so together they cost little more than one."""
    judged = texts(asked.study, asked.rows, asked.metric, asked.side)
    specs = {size: replace(spec, group_sizes=(size,)) for size in range(1, LARGEST + 1)}
    missing = [size for size in specs if cached(asked.key("partitions", specs[size])) is None]
    if not missing or judged.documents * spec.draws > MOST_AHEAD:
        return
    of_all = _light(partition_study(judged, replace(spec, group_sizes=tuple(missing))))
    for size in missing:
        of_size = tuple(one for one in of_all.partitions if one.group_size == size)
        keep(asked.key("partitions", specs[size]), PartitionStudy(specs[size], of_size))


def _light(partitioned: PartitionStudy) -> PartitionStudy:
    """Return it without the single draws: the cache keeps what is shown."""
    without = tuple(replace(one, correlations=one.correlations[:0]) for one in partitioned.partitions)
    return replace(partitioned, partitions=without)


def _bootstrap(drawn: Drawn) -> BootstrapSpec:
    return BootstrapSpec(seed=drawn.study.spec.seed)


def _key_of_intervals(asked: Asked, drawn: Drawn) -> str:
    return asked.key("intervals of partitions", drawn.study.spec, _bootstrap(drawn))


def _with_intervals(asked: Asked, drawn: Drawn) -> Drawn | None:

    def compute(on_progress: OnProgress) -> tuple[Estimate, ...]:
        judged = texts(asked.study, asked.rows, asked.metric, asked.side)
        return partition_intervals(judged, drawn.study, _bootstrap(drawn), on_progress=on_progress)

    intervals = long_result(
        _key_of_intervals(asked, drawn),
        f"Intervals for groups of {drawn.group_size}",
        compute,
    )
    return None if intervals is None else replace(drawn, intervals=intervals)


def _all_sizes(asked: Asked, spec: PartitionSpec) -> Sequence[Drawn] | None:
    """Everything that the table shows: the paper's sizes and the chosen one.

    What is known takes no place on the page: a browser renders even an empty one at every step.
    """
    sizes = []
    for size in _sizes(spec):
        of_size = replace(spec, group_sizes=(size,))
        partitioned = cached(asked.key("partitions", of_size)) or study_of(asked, of_size)
        if partitioned is None:
            return None
        bare = Drawn(partitioned)
        intervals = cached(_key_of_intervals(asked, bare))
        drawn = _with_intervals(asked, bare) if intervals is None else replace(bare, intervals=intervals)
        if drawn is None:
            return None
        sizes.append(drawn)
    return sizes


def _sizes(spec: PartitionSpec) -> list[int]:
    return sorted({*USUAL, *spec.group_sizes})


def figure(rows: Rows, drawn: Drawn) -> Figure:
    """An outline per surrogate, with the interval of its mean where it is drawn."""
    intervals = drawn.intervals or [None] * len(drawn.study.partitions)
    return outlines(
        [
            Outline(
                rows.surrogates.names[one.surrogate],
                one.counts.tolist(),
                one.mean,
                one.sd,
                interval,
                one.reason,
            )
            for one, interval in zip(drawn.study.partitions, intervals, strict=True)
        ],
        BIN_EDGES.tolist(),
        "Correlation over groups (r)",
        look(),
    )


EXPLANATION = r"""
**Partitions.** Agreement on one document is coarse, so the documents of each event are put at random into groups of the
same size. A group's rate is the share of its judgments that agree, its metric the mean over its texts. Pearson's
correlation over the groups is worked out for each of many random partitions (10,000 in the paper); the outline is their
histogram, one per surrogate. With one document per group all partitions are the same.

**The SD over draws is no standard error.** It tells how much the arbitrary grouping matters. However many partitions
are drawn, raters and documents stay the same. The **interval** resamples raters and documents (within their events) and
is centred on the mean correlation on Fisher's z.

Larger groups average out more of what is particular to single documents, so that differences between events weigh more:
correlations of different group sizes are not comparable as such. Documents beyond the last full group of an event are
left out of that partition.

Not for: whether better surrogates have a higher metric (see *Automatic metrics*).

Sources: Hobson, Dorr, Monz and Schwartz 2007, section 5.3.3, Table 10; Owen 2007.
"""
