"""The study that a report looks at: what the sidebar of the pages chooses, from what is asked."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from analysis.values.estimate import InputError
from data.dataset import Dataset
from data.errors import listed
from features.assessments import shares_items
from features.comparison.results import candidates
from features.raters.exclusion_rules import LINES, ruled, together
from features.raters.exclusion_rules import read as read_rule
from features.results import check_known, open_study, query
from features.study import Scenario, Study
from report.parts.asked import Asked


def opened(
    dataset: Dataset, key: str, asked: Asked, contributors: Dataset | None = None
) -> tuple[Study, Scenario]:
    """The study with the first of the groups asked for as the candidate, and who is left out.

    `contributors` are those of the study's pyramid, where there are some.

    Raises
    ------
    InputError
        where something is asked for that the data set does not have.
    """
    study = everyone(dataset, key, asked)
    if contributors is not None and not shares_items(study.whole, contributors):
        raise InputError("`contributors`: they speak of none of the items")
    return leaving_out(replace(study, contributors=contributors), asked)


def everyone(dataset: Dataset, key: str, asked: Asked) -> Study:
    """The same study with nobody left out."""
    return (
        _of_ratings(dataset, key, asked)
        if dataset.kind == "ratings"
        else open_study(dataset, key=key, merge=asked.merge)
    )


def of_each_group(study: Study, asked: Asked) -> list[Study]:
    """The study with each group as the candidate: those asked for, else all but the reference."""
    groups = [group for group in study.groups if group in asked.groups and group != study.reference]
    return [replace(study, candidate=group) for group in groups or candidates(study) or [study.candidate]]


def _of_ratings(dataset: Dataset, key: str, asked: Asked) -> Study:
    study = open_study(
        dataset, key=key, reference=asked.reference, measures=asked.measures, merge=asked.merge
    )
    check_known("groups", asked.groups, study.groups)
    chosen = [group for group in study.groups if group in asked.groups] or list(study.groups)
    if study.candidate in chosen and study.candidate != study.reference:
        return study
    reference = study.reference_column or study.reference
    return replace(study, candidate=next((group for group in chosen if group != reference), chosen[0]))


def leaving_out(study: Study, asked: Asked) -> tuple[Study, Scenario]:
    """The study without the raters and those found by the rules that are asked for, and who they are."""
    if not asked.without:
        return study, Scenario()
    names = query(study.whole, "rater_names")["name"] if study.whole.rater_column else np.empty(0, str)
    picked = [one for one in asked.without if one in names]
    ruled = [_ruled(study, asked, one, names.tolist()) for one in asked.without if one not in names]
    finding = [one for one in ruled if one.excludes]
    by_rule = finding[0] if len(finding) == 1 else _all_of(names, finding)
    why = "; ".join(one.reason for one in ruled if one.reason)
    chosen = replace(together(study, picked, by_rule), applied=True, reason=why)
    return replace(study, dataset=study.whole.leaving_out(chosen.names)), chosen


def _ruled(study: Study, asked: Asked, line: str, names: Sequence[str]) -> Scenario:
    """Whom a rule finds in every group that is held against the reference."""
    rule = read_rule(line)
    if rule is None:
        rules = ", ".join(LINES)
        raise InputError(
            f"`without`: {line!r} is neither a rater ({listed(list(names)[:5]) or 'none'}, …) nor a rule: {rules} "
            "(… on MEASURE)"
        )
    each = of_each_group(study, asked) if study.whole.kind == "ratings" else [study]
    found = [ruled(one, rule) for one in each]
    if len(found) == 1:
        return found[0]
    there = [
        replace(one, name=f"{one.name} in {of.candidate}")
        for of, one in zip(each, found, strict=True)
        if one.excludes
    ]
    if not there:
        return Scenario(reason=found[0].reason)
    return _all_of(np.asarray(names), there)


def _all_of(names: NDArray[np.str_], every: Sequence[Scenario]) -> Scenario:
    """All that several rules leave out."""
    codes = sorted({code for one in every for code in one.left_out_codes})
    told = " and ".join(one.name for one in every)
    return Scenario(told, tuple(codes), tuple(names[codes].tolist()))
