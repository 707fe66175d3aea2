"""The raters: who is consistent, whom screening rules would leave out, and what changes without them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from analysis.assessors.consistency import Consistency
from analysis.assessors.exclusion import ExclusionSpec
from analysis.assessors.rater_estimates import Ranked, estimates
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.names import shorten
from charts.assessors.consistency import consistency_dots
from features import exclusion as rankings
from features.assessments import names
from features.blocks import Finding
from features.comparison.results import comparison
from features.plotting.numbers import count, decimal
from features.plotting.panels import MOST
from features.rater_agreement import of_group
from features.results import long_result
from features.study import Scenario, Study
from features.tables import Shown
from features.verdicts import not_applicable, uncertain
from features.words import counted, listed
from findings.assessors import consistency as findings
from findings.assessors import exclusion, rater_figures
from findings.leaving_out import change_columns, who_is_left_out
from findings.leaving_out import written as written_changes
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Picture, Section, Table, given
from report.parts.opening import of_each_group


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
        values = part.tables[0].shown[0].get(measure, pd.Series(dtype=float)).dropna()
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


def _section(study: Study, scenario: Scenario, asked: Asked) -> Section:
    raters = names(study, "rater")
    ranked = _ranked(study, asked.bootstrap())
    title = (
        "Alpha on identical texts" if findings.by_texts(ranked) else "Correlation with the mean of the others"
    )
    compared = [rater_figures.compared(study, measure, one) for measure, one in ranked.items()]
    drawn = list(ranked)[:MOST]
    told: list[Finding] = [findings.finding(compared, study.raters_are_persons)]
    tables = [
        Table(
            "consistency",
            ("{what} of each rater, by the median over measures.", {"what": title}),
            _by_measure(ranked, raters),
            full=findings.ranking_table(ranked, raters)[0],
        )
    ]
    repeats = {
        measure: rater_figures.on_repeats(study, measure, asked.bootstrap()) for measure in study.measures
    }
    known = {measure: one for measure, one in repeats.items() if one is not None and one.sets.any()}
    if known:
        tables.append(
            Table(
                "repeats",
                (
                    "Each rater's alpha with itself over the items that it rated more than once, per measure.",
                    {},
                ),
                _own_repeats(known, raters),
            )
        )
    if study.raters_are_persons:
        tables.append(
            Table(
                "screening",
                (
                    "Whom screening rules would leave out, and what would change without them in {figure}. Nobody was "
                    "left out by a rule.",
                    {"figure": _figure_name(study)},
                ),
                _by_rules(study),
            )
        )
    if scenario.excludes:
        told.insert(0, not_applicable(*who_is_left_out(scenario)))
        spec = ExclusionSpec(draws=0, random=0, seed=asked.seed, scope=asked.generalize)
        points = {measure: rankings.exclusion(study, measure, scenario, spec) for measure in study.measures}
        first = study.measures[0]
        told.append(exclusion.finding(scenario, points[first], first, rankings.kind_of_ranked(study, first)))
        tables.append(
            Table(
                "ranking-without",
                ("The ranking with everyone and without the raters left out, per measure.", {}),
                exclusion.summary_table(points),
            )
        )
    return Section(
        "raters",
        "The raters, and what changes without some of them",
        findings=told,
        pictures=[
            Picture(
                "raters",
                (
                    "Each rater's consistency with its interval, a panel per measure.",
                    {},
                ),
                lambda look: consistency_dots(compared, title, look, set(scenario.names), drawn),
            )
        ]
        if max(len(each.names) for each in compared[: len(drawn)]) <= MOST_PICTURED
        else [],
        tables=tables,
        notes=[
            *([] if findings.by_texts(ranked) else [(findings.FELL_BACK, {})]),
            *(note for one in list(known.values())[:1] for note in findings.repeats_note(one)),
        ],
        methods=[
            (
                "A rater's consistency is Krippendorff's alpha over identical texts that the rater judged again, or, "
                "without such texts, the correlation with the mean of the others (Owczarzak, Rankel, Dang and Conroy "
                "2012; Krippendorff 2011). It is compared with the typical rater's by one jackknife variance of all "
                "raters; p values are adjusted for all raters and measures (Holm 1979; above 50 raters, as a screening "
                "list, Benjamini and Hochberg 1995). Screening: the verdicts of ITU-R BT.500 and of ITU-T P.913; "
                "they are advice, and what changes without those raters is computed with the others' ratings alone.",
                {},
            )
        ],
        cited=["owczarzak2012", "krippendorff2011", "holm1979", "benjamini1995", "bt500", "p913"],
    )


MOST_PICTURED = 40
"""Raters up to which each is drawn."""


def _ranked(study: Study, spec: BootstrapSpec) -> dict[str, Ranked]:
    def compute(on_progress: Callable[[float], object]) -> dict[str, Ranked]:
        ranked: dict[str, Ranked] = {}
        for at, measure in enumerate(study.measures):
            ranked[measure] = rater_figures.ranked(study, measure, spec)
            on_progress((at + 1) / len(study.measures))
        return ranked

    key = rater_figures.key(study.between_raters, "consistency of all", study.measures, spec)
    return given(long_result(key, "Intervals of all raters", compute))


def _by_measure(ranked: dict[str, Ranked], raters: findings.Names) -> Shown:
    """A row per rater and a column per measure."""
    columns = {
        measure: pd.Series(
            {str(raters[r]): e.value for r, e in zip(one.raters.tolist(), estimates(one), strict=True)}
        )
        for measure, one in ranked.items()
    }
    table = pd.DataFrame(columns)
    table = table.loc[table.median(axis=1).sort_values(ascending=False, kind="stable").index]
    table.insert(0, "Rater", table.index)
    return table.reset_index(drop=True), dict.fromkeys(columns, decimal)


def _own_repeats(repeats: Mapping[str, Consistency], raters: findings.Names) -> Shown:
    """A row per rater and measure with repeated items."""
    rows = [
        {
            "Measure": measure,
            "Rater": str(raters[rater]),
            "Alpha": alpha.value,
            "from": alpha.low,
            "to": alpha.high,
            "Items repeated": int(sets),
        }
        for measure, one in repeats.items()
        for rater, alpha, sets in zip(one.raters.tolist(), one.alpha, one.sets, strict=True)
        if sets
    ]
    return pd.DataFrame(rows), {**dict.fromkeys(("Alpha", "from", "to"), decimal), "Items repeated": count}


def _figure_name(study: Study) -> str:
    return f"Spearman's ρ with {study.reference_name}" if study.comparable else "Krippendorff's alpha"


def _symbol(study: Study) -> str:
    return "ρ" if study.comparable else "Alpha"


def _by_rules(study: Study) -> Shown:
    """Per measure and rule: who would go, and the measure's figure with everyone and without them."""
    called, rows, changes = names(study, "rater"), [], set()
    for measure, rule in product(study.measures, ("ITU-R BT.500", "ITU-T P.913")):
        verdicts = (rater_figures.bt500 if rule == "ITU-R BT.500" else rater_figures.p913)(study, measure)
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
