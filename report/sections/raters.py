"""The raters: who is consistent, whom screening rules would leave out, and what changes without them."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from analysis.assessors.exclusion import ExclusionSpec
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from features.assessments import names, of_group
from features.blocks import Finding
from features.comparison.results import comparison
from features.notices import change_columns, who_is_left_out
from features.notices import written as written_changes
from features.plotting.numbers import decimal
from features.raters import rater_results as raters
from features.raters.consistency_findings import FIGURES, TABLE
from features.raters.consistency_results import ConsistencySpec
from features.raters.consistency_section import consistency_section
from features.raters.exclusion_results import RankingSpec
from features.raters.exclusion_section import change_section
from features.study import Scenario, Study
from features.tables import Shown
from features.verdicts import not_applicable, uncertain
from features.words import counted, listed
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Section, Table
from report.parts.of_blocks import section_of
from report.parts.opening import of_each_group

TITLE = "The raters, and what changes without some of them"
MOST_PICTURED = 40
"""Raters up to which each is drawn."""


def sections(study: Study, scenario: Scenario, asked: Asked) -> list[Section]:
    """Each group's raters, where they are told apart."""
    if not study.whole.has("rater_id"):
        return []
    studies = of_each_group(study, asked)
    parts = {each.candidate: _section(each, scenario, asked) for each in studies}
    return of_all(parts, [_of_all(parts, study.measures[0])])


def _of_all(parts: Mapping[str, Section], measure: str) -> Finding:
    """How consistent the raters of each group are on the first measure."""
    told = []
    for group, part in parts.items():
        values = _values(part, measure)
        told.append(
            f"{shorten(group)} {decimal(values.median())} ({decimal(values.min())} to {decimal(values.max())}, "
            f"{counted(len(values), 'rater')})"
            if len(values)
            else f"{shorten(group)} –"
        )
    return uncertain(
        "Median consistency of raters on {measure}, with its range: <b>{told}</b>.",
        {"measure": measure, "told": "; ".join(told)},
    )


def _values(part: Section, measure: str) -> "pd.Series[float]":
    """Return the consistency of each rater on a measure."""
    rows = {table.name: table.shown[0] for table in part.tables}
    if "consistency" in rows:
        return rows["consistency"][measure].dropna()
    one = rows.get(TABLE, pd.DataFrame())
    return next((one[name] for name in FIGURES if name in one), pd.Series(dtype=float)).dropna()


def _section(study: Study, scenario: Scenario, asked: Asked) -> Section:
    spec = ConsistencySpec(bootstrap=asked.bootstrap())
    part = section_of("raters", TITLE, consistency_section(study, scenario, spec, on_all=True))
    told, tables = list(part.findings), list(part.tables)
    if study.raters_are_persons:
        caption = (
            "Raters whom screening rules reject, and {figure} with everyone and without them. Nobody was excluded by a "
            "rule."
        )
        tables.append(Table("screening", (caption, {"figure": _figure_name(study)}), _by_rules(study)))
    if scenario.excludes:
        told.insert(0, not_applicable(*who_is_left_out(scenario)))
        ranking = RankingSpec(study.measures[0], ExclusionSpec(draws=0, random=0, seed=asked.seed))
        without = section_of("raters", TITLE, change_section(study, scenario, ranking))
        told += without.findings
        tables += without.tables
    drawn = part.pictures if len(raters.raters(study)) <= MOST_PICTURED else []
    return replace(part, findings=told, pictures=drawn, tables=tables)


def _figure_name(study: Study) -> str:
    return f"Spearman's ρ with {study.reference_name}" if study.comparable else "Krippendorff's alpha"


def _symbol(study: Study) -> str:
    return "ρ" if study.comparable else "Alpha"


def _by_rules(study: Study) -> Shown:
    """Per measure and rule: who would go, and the measure's figure with everyone and without them."""
    called, rows, changes = names(study, "rater"), [], set()
    for measure, rule in product(study.measures, ("ITU-R BT.500", "ITU-T P.913")):
        verdicts = (raters.bt500 if rule == "ITU-R BT.500" else raters.p913)(study, measure)
        gone = called[verdicts.raters[np.asarray(verdicts.rejected, dtype=np.bool_)]].tolist()
        before, after = _figure(study, measure), None
        if gone and len(gone) < len(verdicts.raters):
            after = _figure(replace(study, dataset=study.whole.leaving_out(tuple(gone))), measure)
        columns = change_columns(_symbol(study), before.value, float("nan") if after is None else after.value)
        changes |= set(columns)
        rows.append(
            {
                "Measure": measure,
                "Rule": rule,
                "Would leave out": listed(gone) if gone else "nobody",
                "Raters": f"{len(gone)} of {len(verdicts.raters)}",
                **columns,
            }
        )
    return pd.DataFrame(rows), {**dict.fromkeys(changes, decimal), **written_changes(changes)}


def _figure(study: Study, measure: str) -> Estimate:
    if study.comparable:
        return comparison(study, measure).spearman
    return of_group(study, measure, study.candidate).alpha
