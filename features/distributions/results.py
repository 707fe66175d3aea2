"""Descriptions of each group's ratings, computed from sums per item and cached, and the items of a bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.values.distributions import Description, describe_means, histogram, histogram_edges
from analysis.values.estimate import Floats
from analysis.values.ratings import settle
from features.assessments import candidate_pairs, item_pairs
from features.study import Study, digits_of_scores, key_of, query, result

Values = Literal["item means", "single ratings"]


@dataclass(frozen=True)
class DistributionSpec:
    """Values that the histograms show, and the measures with a histogram; None stands for all of the study."""

    values: Values = "item means"
    measures: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Bars:
    """Histogram of one group: `edges` (b + 1,), `counts` (b,) of values, or of the weights of ratings."""

    group: str
    edges: Floats
    counts: NDArray[Any]

    def ends(self, at: int) -> tuple[float, float]:
        """Return from and below which value a bar's values lie; the last bar also holds its upper edge."""
        low, high = self.edges[at : at + 2].tolist()
        return low, high if at < len(self.counts) - 1 else 2 * high - low


@dataclass(frozen=True)
class GroupDescription:
    """Description of the item means of a measure and group, with the decimals that means are written with."""

    measure: str
    group: str
    description: Description
    score_digits: int = 2


@dataclass(frozen=True, eq=False)
class Distributions:
    """Descriptions of each measure and group, and the histograms of the groups by measure."""

    spec: DistributionSpec
    descriptions: Sequence[GroupDescription]
    histograms: Mapping[str, Sequence[Bars]]


def shown_groups(study: Study) -> tuple[str, ...]:
    """Return the candidate and, where it is another group, the reference, in the data set's order."""
    return tuple(group for group in study.groups if group in (study.candidate, study.reference))


def describe_groups(study: Study, spec: DistributionSpec) -> Distributions:
    """Describe the ratings of each chosen measure by the candidate and the reference, where there are any."""
    cells = query(study.dataset, "cells")
    keys = zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True)
    raters = dict(zip(keys, cells["raters"].tolist(), strict=True))
    descriptions = [
        GroupDescription(
            measure,
            group,
            _describe(study, measure, group, raters[measure, group]),
            digits_of_scores(study, measure, group),
        )
        for measure in study.measures
        for group in shown_groups(study)
        if (measure, group) in raters
    ]
    measures = study.measures if spec.measures is None else spec.measures
    return Distributions(
        spec, descriptions, {measure: _histograms(study, measure, spec.values) for measure in measures}
    )


def bars_on_one_scale(
    values: Mapping[str, Floats], counts: Mapping[str, NDArray[Any]] | None = None
) -> list[Bars]:
    """Return the histograms of several groups on shared edges; `counts` says how often each value of a group occurs."""
    known = [of_group for of_group in values.values() if len(of_group)]
    if not known:
        return []
    edges = histogram_edges(known)
    return [
        Bars(group, edges, histogram(of_group, edges, None if counts is None else counts[group]))
        for group, of_group in values.items()
    ]


def _histograms(study: Study, measure: str, values: Values) -> list[Bars]:
    groups = shown_groups(study)
    if values == "item means":
        return bars_on_one_scale({group: _rated_items(study, measure, group)[0] for group in groups})
    query_name = "weighted_score_counts" if study.dataset.is_weighted else "score_counts"
    rows = query(study.dataset, query_name, measure=measure)
    rated = {group: rows["group"] == group for group in groups}
    return bars_on_one_scale(
        {group: rows["score"][of_group] for group, of_group in rated.items()},
        {group: rows["count"][of_group] for group, of_group in rated.items()},
    )


def _describe(study: Study, measure: str, group: str, raters: int) -> Description:
    means, counts, _ = _rated_items(study, measure, group)
    key = key_of(study.dataset, "description", measure, group)
    return result(key, lambda: describe_means(means, counts, raters))


def items_between(study: Study, measure: str, group: str, low: float, high: float) -> NDArray[np.int64]:
    """Return the codes of the items whose MOS in the group is at least `low` and less than `high`."""
    means, _, items = _rated_items(study, measure, group)
    settled = settle(means)
    return items[(settled >= low) & (settled < high)]


def _rated_items(study: Study, measure: str, group: str) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return MOS (weighted where ratings have weights), number of ratings and code of each item the group rated."""
    if study.dataset.is_weighted:
        rows = query(study.dataset, "weighted_items", measure=measure, group=group)
        return rows["mean"], rows["count"], rows["item"]
    sums = item_pairs(study, measure) if study.reference is not None else candidate_pairs(study, measure)
    is_candidate = group == study.candidate
    means = sums.mos_candidate if is_candidate else sums.mos_reference
    counts = sums.n_candidate if is_candidate else sums.n_reference
    rated = counts > 0
    return means[rated], counts[rated], np.asarray(sums.item)[rated]
