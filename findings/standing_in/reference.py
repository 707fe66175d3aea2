"""Whom a candidate would stand in for, and who is left to be a candidate."""

import numpy as np
from numpy.typing import NDArray

from features.results import OnProgress, key_of, long_result, query
from features.study import Study
from findings.standing_in.answers import given

FEW = 10
"""Different scores up to which equal answers are worth counting."""


def reference_of(study: Study) -> str:
    """The group whose raters might be replaced: the sidebar's reference or the one group; of choices the largest."""
    if study.holds_choices:
        cells = query(study.dataset, "cells")
        return str(cells["group"][int(np.argmax(cells["raters"]))])
    return study.reference or study.candidate


def other_groups(study: Study, measure: str, reference: str) -> list[str]:
    """The other groups that rated the measure, or that chose."""
    cells = query(study.dataset, "cells")
    there = slice(None) if study.holds_choices else cells["measure"] == measure
    rated = set(cells["group"][there].tolist())
    return [group for group in study.groups if group in rated and group != reference]


def raters_of_others(study: Study, measure: str, reference: str) -> dict[str, tuple[str, int]]:
    """The raters of other groups by name: their group and code; none while the reading of them is stopped."""

    def find(on_progress: OnProgress) -> dict[str, tuple[str, int]]:
        names = query(study.dataset, "rater_names")["name"]
        groups = other_groups(study, measure, reference)
        found: dict[str, tuple[str, int]] = {}
        for at, group in enumerate(groups):
            on_progress(at / len(groups))
            codes = _raters(study, measure, group)
            found |= {str(names[code]): (group, int(code)) for code in codes}
        return found

    key = key_of(study.dataset, "raters of other groups", measure, reference)
    return long_result(key, "Raters to choose from", find) or {}


def _raters(study: Study, measure: str, group: str) -> NDArray[np.int64]:
    """The codes of a group's raters on the measure."""
    if study.dataset.has_sums:
        return query(study.dataset, "cell_raters", measure=measure, group=group)["rater"]  # type: ignore[no-any-return]
    return np.unique(given(study, measure, group).rater)


def few_values(study: Study, measure: str, reference: str) -> bool:
    """Whether the reference gave so few different scores that equal ones are worth counting."""
    return bool(query(study.dataset, "few_scores", measure=measure, group=reference)["different"][0] <= FEW)
