"""Descriptions of the groups' ratings: from the store's reductions to results, cached."""

import numpy as np
from numpy.typing import NDArray

from analysis.distributions.distribution import Description, describe_means
from analysis.values.whole_numbers import settle
from features.results import key_of, query, result
from features.study import Study
from findings.crowd_vs_lab.comparisons import candidate_sums, pairs
from findings.distributions.descriptions import Described, shown_groups


def descriptions(study: Study) -> Described:
    """Every chosen measure and shown group that has ratings."""
    cells = query(study.dataset, "cells")
    there = {
        (measure, group): raters
        for measure, group, raters in zip(
            cells["measure"].tolist(), cells["group"].tolist(), cells["raters"].tolist(), strict=True
        )
    }
    return [
        (measure, group, _described(study, measure, group, there[measure, group]))
        for measure in study.measures
        for group in shown_groups(study)
        if (measure, group) in there
    ]


def _described(study: Study, measure: str, group: str, raters: int) -> Description:
    mos, counts = item_mos(study, measure, group)
    return result(
        key_of(study.dataset, "description", measure, group), lambda: describe_means(mos, counts, raters)
    )


def item_mos(study: Study, measure: str, group: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """MOS and number of ratings of every item that the group rated."""
    mos, counts, _ = _rated(study, measure, group)
    return mos, counts


def items_between(study: Study, measure: str, group: str, low: float, high: float) -> NDArray[np.int64]:
    """Codes of the items whose MOS in the group is at least `low` and less than `high`."""
    mos, _, items = _rated(study, measure, group)
    at = settle(mos)
    return items[(at >= low) & (at < high)]


def _rated(
    study: Study, measure: str, group: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    sums = pairs(study, measure) if study.reference is not None else candidate_sums(study, measure)
    is_candidate = group == study.candidate
    mos = sums.mos_candidate if is_candidate else sums.mos_reference
    counts = sums.n_candidate if is_candidate else sums.n_reference
    rated = counts > 0
    return mos[rated], counts[rated], np.asarray(sums.item)[rated]
