"""Partitions: does a metric know which documents' summaries mislead, however documents are grouped."""

from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import streamlit as st

from analysis.relevance import partitions
from analysis.relevance.partitions import BIN_EDGES, Partition, PartitionSpec, PartitionStudy
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.parts.numbers import count, decimal, interval, share
from charts.relevance.partitions import Outline, outlines
from findings.study import Study
from findings.words import Sentence
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.sampling_controls import seed_control
from panels.parts.shelf import key_of, result, shelved
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.relevance.rows import Rows, main_rows, metric_control, nothing_to_correlate, side_control, texts

USUAL = (1, 2, 4)
"""Group sizes of the paper, always in the table."""
LARGEST = 20
MOST_AHEAD = 2_000_000
"""Documents times partitions up to which all sizes are worked out ahead: less than a second."""
Intervals = tuple[Estimate, ...]
_EXACT = partial(decimal, digits=3)
_TENTH = partial(share, digits=1)
WRITTEN = {
    **dict.fromkeys(("Mean r", "SD over draws"), _EXACT),
    **dict.fromkeys(("Largest group rate", "Smallest group rate"), _TENTH),
    **dict.fromkeys(("Group size", "Groups", "Left over"), count),
}


def show(study: Study) -> None:
    """Finding, group size, the distributions at once and then their intervals, Table 10, remarks."""
    rows = main_rows(study)
    closed = nothing_to_correlate(study, rows)
    if closed:
        say(closed)
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = metric_control(study)
        side = side_control(rows)
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
    place = st.empty()
    shown = study_of(study, rows, metric, side, spec)
    if shown is None:
        return
    _say_and_draw(rows, metric, side, shown, None, finding, place, "closed")
    let_it_be_drawn(f"partitions {study.key} {metric} {side} {spec}")
    drawn = _intervals(study, rows, metric, side, shown)
    if drawn is not None:
        _say_and_draw(rows, metric, side, shown, drawn, finding, place, "with intervals")
    if any(not isnan(one.mean) for one in shown.partitions):
        note(
            "The outline shows {n} random partitions; its width, the SD over draws, is no standard error: raters and "
            "documents are the same in all of them. The whiskers are the 95 % interval over raters and documents.",
            n=count(draws),
        )
    told = _all_sizes(study, rows, metric, side, spec)
    if told is None:
        return
    table = partition_table(rows, told)
    show_table(table, WRITTEN, alt="Correlation over random partitions by surrogate and group size")
    for template, values in remarks(rows, shown):
        warn(template, **values)
    downloads("partitions", lambda: table, lambda: figure(rows, metric, side, shown, drawn))
    _put_other_sizes_on_the_shelf(study, rows, metric, side, spec)


def study_of(study: Study, rows: Rows, metric: str, side: str, spec: PartitionSpec) -> PartitionStudy | None:
    """Random partitions into groups of one size; None while stopped."""
    return long_result(
        _key(study, rows, metric, side, spec),
        f"Partitions into groups of {spec.group_sizes[0]}",
        lambda on_progress: _light(
            partitions.partition_study(texts(study, rows, metric, side), spec, on_progress)
        ),
    )


def _key(study: Study, rows: Rows, metric: str, side: str, spec: PartitionSpec) -> str:
    return key_of(study.dataset, "partitions", rows.full_text, metric, side, spec)


def _put_other_sizes_on_the_shelf(
    study: Study, rows: Rows, metric: str, side: str, spec: PartitionSpec
) -> None:
    """Once all is drawn: every other size, so that a step of the control waits for nothing. All sizes take the same
    random orders, so together they cost little more than one."""
    judged = texts(study, rows, metric, side)
    own = {size: replace(spec, group_sizes=(size,)) for size in range(1, LARGEST + 1)}
    missing = [size for size in own if shelved(_key(study, rows, metric, side, own[size])) is None]
    if not missing or judged.documents * spec.draws > MOST_AHEAD:
        return
    found = _light(partitions.partition_study(judged, replace(spec, group_sizes=tuple(missing))))
    for size in missing:
        of_size = tuple(one for one in found.partitions if one.group_size == size)
        result(
            _key(study, rows, metric, side, own[size]),
            lambda size=size, of_size=of_size: replace(found, spec=own[size], partitions=of_size),
        )


def _light(found: PartitionStudy) -> PartitionStudy:
    """Without the single draws: the shelf holds what is shown."""
    return replace(
        found, partitions=tuple(replace(one, correlations=one.correlations[:0]) for one in found.partitions)
    )


def _intervals(study: Study, rows: Rows, metric: str, side: str, shown: PartitionStudy) -> Intervals | None:
    spec = BootstrapSpec(seed=shown.spec.seed)
    return long_result(
        key_of(study.dataset, "intervals of partitions", rows.full_text, metric, side, shown.spec, spec),
        f"Intervals for groups of {shown.spec.group_sizes[0]}",
        lambda on_progress: partitions.partition_intervals(
            texts(study, rows, metric, side), shown, spec, on_progress=on_progress
        ),
    )


def _all_sizes(
    study: Study, rows: Rows, metric: str, side: str, spec: PartitionSpec
) -> list[tuple[Partition, Estimate]] | None:
    """Everything that the table shows: the paper's sizes and the chosen one."""
    told = []
    for size in sorted({*USUAL, *spec.group_sizes}):
        own = replace(spec, group_sizes=(size,))
        found = study_of(study, rows, metric, side, own)
        drawn = None if found is None else _intervals(study, rows, metric, side, found)
        if found is None or drawn is None:
            return None
        told += zip(found.partitions, drawn, strict=True)
    return told


def _say_and_draw(
    rows: Rows,
    metric: str,
    side: str,
    shown: PartitionStudy,
    drawn: Intervals | None,
    finding: Any,
    place: Any,
    which: str,
) -> None:
    with finding:
        template, values = finding_of(rows, metric, side, shown, drawn)
        say(template, **values)
    draw(
        place,
        figure(rows, metric, side, shown, drawn),
        key=f"partitions {which}",
        alt=f"Correlation of {metric} with agreement over random partitions, by surrogate",
    )


def figure(
    rows: Rows, metric: str, side: str, shown: PartitionStudy, drawn: Intervals | None
) -> dict[str, Any]:
    return outlines(
        [
            Outline(
                str(rows.surrogates[one.surrogate]),
                one.counts.tolist(),
                one.mean,
                one.sd,
                None if drawn is None else drawn[at],
                one.reason,
            )
            for at, one in enumerate(shown.partitions)
        ],
        BIN_EDGES.tolist(),
        "Correlation over groups (r)",
        look(),
    )


def finding_of(
    rows: Rows, metric: str, side: str, shown: PartitionStudy, drawn: Intervals | None
) -> Sentence:
    """How far groups' rates go with the metric, by surrogate."""
    known = [(at, one) for at, one in enumerate(shown.partitions) if not isnan(one.mean)]
    size = shown.spec.group_sizes[0]
    values: dict[str, object] = {"metric": metric, "side": side, "size": count(size)}
    if not known:
        reasons = dict.fromkeys(one.reason for one in shown.partitions)
        return "No correlation over groups of {size}: {why}.", values | {
            "why": "; ".join(reasons) or "there is no surrogate but the full text"
        }
    told = []
    for at, one in sorted(known, key=lambda each: -each[1].mean)[:4]:
        ends = drawn[at] if drawn is not None else Estimate(one.mean)
        between = "" if isnan(ends.low) else f" ({interval(ends)})"
        told.append(f"{decimal(one.mean)}{between} for {rows.surrogates[one.surrogate]}")
    grouped = "In groups of {size} documents" if size > 1 else "Document by document"
    return (
        grouped + " <b>{metric}</b> and agreement ({side}) correlate at <b>{told}</b>{open}.",
        values | {"told": ", ".join(told), "open": _open([drawn[at] for at, _ in known] if drawn else [])},
    )


def _open(intervals: list[Estimate]) -> str:
    known = [one for one in intervals if not isnan(one.low)]
    if not known or any(one.low > 0 or one.high < 0 for one in known):
        return ""
    return ": not distinguishable from none"


def partition_table(rows: Rows, told: list[tuple[Partition, Estimate]]) -> pd.DataFrame:
    """Table 10 of the paper, with the interval that its SD is not."""
    return pd.DataFrame(
        [
            {
                "Surrogate": str(rows.surrogates[one.surrogate]),
                "Group size": one.group_size,
                "Groups": one.groups,
                "Mean r": one.mean,
                "95 % interval": interval(drawn, 3),
                "SD over draws": one.sd,
                "5th to 95th of draws": f"{_EXACT(one.low)} to {_EXACT(one.high)}"
                if not isnan(one.low)
                else "–",
                "Largest group rate": one.largest_rate,
                "Smallest group rate": one.smallest_rate,
                "Left over": one.left_over,
            }
            for one, drawn in sorted(told, key=lambda each: (each[0].surrogate, each[0].group_size))
        ]
    )


def remarks(rows: Rows, shown: PartitionStudy) -> list[Sentence]:
    """What fills no group, and what is undefined."""
    told: list[Sentence] = []
    for one in shown.partitions:
        name = str(rows.surrogates[one.surrogate])
        if isnan(one.mean) and any(not isnan(other.mean) for other in shown.partitions):
            told.append(("{name}: undefined, since {why}.", {"name": name, "why": one.reason}))
        elif one.undefined and not isnan(one.mean):
            told.append(
                (
                    "{name}: {share} of the partitions have no correlation, since {why}.",
                    {"name": name, "share": _TENTH(one.undefined), "why": one.reason},
                )
            )
        if one.left_over and not isnan(one.mean):
            told.append(
                (
                    "{name}: {n} of {of} documents fill no group, other ones in each partition.",
                    {"name": name, "n": count(one.left_over), "of": count(one.documents)},
                )
            )
    return told


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
