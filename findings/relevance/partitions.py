"""Partitions: does a metric know which documents' summaries mislead, however documents are grouped."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan

import pandas as pd

from analysis.relevance.partitions import Partition, PartitionStudy
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, share
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence
from findings.relevance.surrogates import Surrogates

MOST_NAMED = 4
"""Surrogates whose correlation the finding tells."""
_EXACT, _TENTH = partial(decimal, digits=3), partial(share, digits=1)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Random partitions of one group size and, once they are drawn, the intervals of their mean correlations."""

    study: PartitionStudy
    intervals: tuple[Estimate, ...] | None = None

    @property
    def group_size(self) -> int:
        return self.study.spec.group_sizes[0]

    @property
    def known(self) -> list[tuple[Partition, Estimate]]:
        """The partitions with a correlation and its interval, as far as it is drawn."""
        intervals = self.intervals or [Estimate(one.mean) for one in self.study.partitions]
        both = zip(self.study.partitions, intervals, strict=True)
        return [(one, drawn) for one, drawn in both if not isnan(one.mean)]


def finding_of(surrogates: Surrogates, metric: str, side: str, drawn: Drawn) -> Finding:
    """How far groups' rates go with the metric, by surrogate."""
    values: dict[str, object] = {"metric": metric, "side": side, "size": count(drawn.group_size)}
    if not drawn.known:
        reasons = dict.fromkeys(one.reason for one in drawn.study.partitions)
        return not_enough_data(
            "No correlation over groups of {size}: {why}.",
            {**values, "why": "; ".join(reasons) or "there is no surrogate but the full text"},
        )
    highest = sorted(drawn.known, key=lambda each: -each[0].mean)[:MOST_NAMED]
    correlations = [
        f"{decimal_with_interval(Estimate(one.mean, ends.low, ends.high))} for {surrogates.names[one.surrogate]}"
        for one, ends in highest
    ]
    grouped = "In groups of {size} documents" if drawn.group_size > 1 else "Document by document"
    intervals = [ends for _, ends in drawn.known if not isnan(ends.low)]
    none_apart = intervals and all(ends.low <= 0 <= ends.high for ends in intervals)
    return clear_if(
        bool(intervals) and not none_apart,
        f"{grouped} <b>{{metric}}</b> and agreement ({{side}}) correlate at <b>{{correlations}}</b>"
        f"{': not distinguishable from none' if none_apart else ''}.",
        {**values, "correlations": ", ".join(correlations)},
    )


def notes(drawn: Drawn) -> list[Sentence]:
    """What the outline is, and what it is not."""
    if not drawn.known:
        return []
    return [
        (
            "The outline shows {n} random partitions; its width, the SD over draws, is no standard error: raters and "
            "documents are the same in all of them. The whiskers are the 95 % interval over raters and documents.",
            {"n": count(drawn.study.spec.draws)},
        )
    ]


def remarks(surrogates: Surrogates, study: PartitionStudy) -> list[Sentence]:
    """What fills no group, and what is undefined."""
    made: list[Sentence] = []
    any_known = any(not isnan(one.mean) for one in study.partitions)
    for one in study.partitions:
        name = surrogates.names[one.surrogate]
        if isnan(one.mean):
            if any_known:
                made.append(("{name}: undefined, since {why}.", {"name": name, "why": one.reason}))
            continue
        if one.undefined:
            made.append(
                (
                    "{name}: {share} of the partitions have no correlation, since {why}.",
                    {"name": name, "share": _TENTH(one.undefined), "why": one.reason},
                )
            )
        if one.left_over:
            made.append(
                (
                    "{name}: {n} of {of} documents fill no group, other ones in each partition.",
                    {"name": name, "n": count(one.left_over), "of": count(one.documents)},
                )
            )
    return made


def partition_table(surrogates: Surrogates, sizes: Sequence[Drawn]) -> Shown:
    """Table 10 of the paper, with the interval that its SD is not."""
    both = [
        (one, ends)
        for drawn in sizes
        for one, ends in zip(drawn.study.partitions, drawn.intervals or (), strict=True)
    ]
    rows = [
        {
            "Surrogate": surrogates.names[one.surrogate],
            "Group size": one.group_size,
            "Groups": one.groups,
            "Mean r": one.mean,
            "95 % interval": interval(ends, 3),
            "SD over draws": one.sd,
            "5th to 95th of draws": "–" if isnan(one.low) else f"{_EXACT(one.low)} to {_EXACT(one.high)}",
            "Largest group rate": one.largest_rate,
            "Smallest group rate": one.smallest_rate,
            "Left over": one.left_over,
        }
        for one, ends in sorted(both, key=lambda each: (each[0].surrogate, each[0].group_size))
    ]
    return pd.DataFrame(rows), {
        **dict.fromkeys(("Mean r", "SD over draws"), _EXACT),
        **dict.fromkeys(("Largest group rate", "Smallest group rate"), _TENTH),
        **dict.fromkeys(("Group size", "Groups", "Left over"), count),
    }
