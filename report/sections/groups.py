"""The groups compared: every group against the reference, in order and in level."""

from collections.abc import Callable, Sequence
from functools import partial
from math import isnan

import pandas as pd

from analysis.comparison.comparison import Comparison, ComparisonSpec
from analysis.values.names import shorten
from charts.crowd_vs_lab.items import ItemMos, scatter
from features.blocks import Finding
from features.plotting.figure import Figure
from features.plotting.numbers import decimal, decimal_with_interval, p_value
from features.plotting.panels import MOST
from features.plotting.theme import Look, group_colour
from features.study import Scenario, Study
from features.verdicts import clear_if, excludes, prefix
from features.words import Sentence
from findings.crowd_vs_lab import all_groups
from findings.crowd_vs_lab.agreement import (
    SIGNIFICANT,
    equality_finding,
    how_tested,
    level_finding,
    order_finding,
    remarks,
    scope_of,
)
from findings.crowd_vs_lab.cautions import cautions
from findings.crowd_vs_lab.comparisons import comparisons
from findings.crowd_vs_lab.every_group import correlation_dots, level_dots
from findings.crowd_vs_lab.item_mos import item_mos
from findings.crowd_vs_lab.tables import dashes, full_table, leaving_out_table, short_table
from findings.crowd_vs_lab.without_chance import ceiling_finding, spread_finding, systems_finding
from findings.leaving_out import most_changed
from report.parts.asked import Asked
from report.parts.by_group import below_each_other
from report.parts.model import LOOK, Picture, Section, Table, given
from report.parts.opening import of_each_group


def section(study: Study, scenario: Scenario, asked: Asked) -> Section | None:
    """Correlations, differences and their tests per measure, group by group; None where nothing is to compare."""
    if not study.comparable:
        return None
    spec = ComparisonSpec(
        bootstrap=asked.bootstrap(), raters_are_persons=study.raters_are_persons, scope=asked.generalize
    )
    studies = of_each_group(study, asked)
    compared = {each.candidate: given(comparisons(each, spec)) for each in studies}
    several = len(studies) > 1
    findings: list[Finding] = (
        [all_groups.finding(study, compared), _levels(study, compared)] if several else []
    )
    of_each = [_of(told, each, several) for each in studies for told in _told(each, compared[each.candidate])]
    findings += [] if several else of_each
    first = studies[0]
    tables = [_table(study, compared, studies), _tests(study, compared)]
    if study.dataset.without:
        everyone = given(comparisons(first.everyone, spec))
        changes = [
            (measure, before.spearman, after.spearman)
            for measure, before, after in zip(
                study.measures, everyone, compared[first.candidate], strict=True
            )
        ]
        findings.append(most_changed(scenario, changes, "Spearman's ρ"))
        tables.append(
            Table(
                "groups-without",
                ("Figures with everyone, without the raters left out, and the difference.", {}),
                leaving_out_table(first, everyone, compared[first.candidate]),
            )
        )
    return Section(
        "groups",
        "Groups compared",
        findings=findings,
        details=of_each if several else (),
        pictures=_pictures(study, studies, compared),
        tables=tables,
        warnings=[one for each in studies for one in cautions(each, compared[each.candidate])],
        notes=[one for each in studies for one in remarks(each, compared[each.candidate])],
        methods=[
            (
                "An item's mean opinion score (MOS) is the mean of all its ratings in a group. Groups are compared "
                "over the items that both rated: in order by Spearman's ρ, in level by the mean difference and its "
                "test, in distance by the RMSE. Intervals of correlations are based on {draws} bootstrap samples of "
                "items{raters} (seed {seed}); p values over the measures are adjusted after Holm (1979); whether both "
                "sides are level within a margin is tested as equivalence, adjusted likewise. The design follows "
                "Iskender, Polzehl and Möller (2020).",
                {
                    "draws": spec.bootstrap.draws,
                    "seed": spec.bootstrap.seed,
                    "raters": " and raters" if "like" in scope_of(compared[first.candidate]) else "",
                },
            ),
            how_tested(compared[first.candidate]),
        ],
        cited=["iskender2020", "holm1979", "spearman1904"],
    )


def _levels(study: Study, compared: all_groups.ByGroup) -> Finding:
    """How far each group's level lies from the reference's."""
    told = []
    for group, of in compared.items():
        if len(of) == 1:
            (one,) = of
            told.append(
                f"{shorten(group)} {decimal_with_interval(one.mean_difference)} (p {_p(one.level_p)})"
            )
        else:
            differ = [one for one in of if excludes(one.mean_difference)]
            told.append(f"{shorten(group)} on {len(differ)} of {len(of)} measures")
    one_measure = all(len(of) == 1 for of in compared.values())
    return clear_if(
        any(excludes(one.mean_difference) for of in compared.values() for one in of),
        "Levels, minus that of {reference}: <b>{told}</b>."
        if one_measure
        else "The interval of the difference in level from {reference} leaves out 0: <b>{told}</b>.",
        {"reference": study.reference_name, "told": "; ".join(told)},
        scope_of([one for of in compared.values() for one in of]),
    )


def _p(p: float) -> str:
    written = p_value(p)
    return written if written.startswith("<") else f"= {written}"


def _told(study: Study, compared: Sequence[Comparison]) -> list[Finding]:
    more = (level_finding, spread_finding, equality_finding, systems_finding, ceiling_finding)
    told = (finding(study, compared) for finding in more)
    return [order_finding(study, compared), *(one for one in told if one is not None)]


def _of(told: Finding, study: Study, several: bool) -> Finding:
    """A finding with the group that it is of, where there are several."""
    return prefix(told, "<b>{this_group}</b>: ", {"this_group": study.candidate}) if several else told


def _table(study: Study, compared: all_groups.ByGroup, studies: Sequence[Study]) -> Table:
    full = {group: full_table(of, study.measures) for group, of in compared.items()}
    notes = list(
        dict.fromkeys(_hashable(one) for each in studies for one in dashes(each, compared[each.candidate]))
    )
    whole = pd.concat([part.assign(Group=group) for group, part in full.items()], ignore_index=True)
    return Table(
        "groups",
        (
            "Each group against {reference}: correlation, mean difference and RMSE per measure, with 95 % intervals.",
            {"reference": study.reference_name},
        ),
        below_each_other(
            {group: short_table(part) for group, part in full.items()},
            {group: {"Group": group} if len(full) > 1 else {} for group in full},
        ),
        full=whole[["Group", *(column for column in whole if column != "Group")]],
        notes=[(template, dict(values)) for template, values in notes],
    )


def _tests(study: Study, compared: all_groups.ByGroup) -> Table:
    """Medians, correlation and the tests of level side by side, as in Iskender et al. 2020, Table 1."""
    several = len(compared) > 1
    parts = []
    for group, of in compared.items():
        part = full_table(of, study.measures)
        if several:
            part["Group"] = group
        part[_MEDIAN] = [one.candidate.median for one in of]
        part[_ITS_MEDIAN] = [one.reference.median for one in of]
        of_scope = part["p (items, Holm)"].fillna(part["p (raters, Holm)"])
        part[_SIGNIFICANT] = of_scope.map(_yes_or_no)
        parts.append(part)
    rows = pd.concat(parts, ignore_index=True)
    columns = [name for name in ("Group", "Measure", *_TESTS) if name in rows and not rows[name].isna().all()]
    return Table(
        "groups-tests",
        (
            "Medians of the items' MOS, Spearman's ρ, and tests of level against {reference}: Mann and Whitney's U "
            "over the items' MOS, which holds for these raters only, and a test {scope}. The level differs "
            "significantly where its p, after Holm, is below {limit}.",
            {
                "reference": study.reference_name,
                "limit": f"{SIGNIFICANT:g}"[1:],
                "scope": scope_of([one for of in compared.values() for one in of]),
            },
        ),
        (rows[columns], {name: _TESTS[name] for name in columns if name in _TESTS}),
        full=rows[[name for name in ("Group", "Measure", *_TESTS, *_UNPRINTED) if name in rows]],
        notes=_correlations(rows["p of ρ"]),
    )


def _yes_or_no(p: float) -> str:
    return "" if isnan(p) else "yes" if p < SIGNIFICANT else "no"


def _correlations(p: pd.Series) -> list[Sentence]:
    """How surely the correlations are not 0, in one sentence."""
    known = p.dropna()
    if known.empty:
        return []
    each = "of every correlation" if len(known) == len(p) else "of every correlation that is known"
    written = p_value(known.max())
    return [
        ("p {each}: {p}.", {"each": each, "p": written if written.startswith("<") else f"{written} or less"})
    ]


_MEDIAN, _ITS_MEDIAN = "Median", "Median, reference"
_SIGNIFICANT = "Significant"
_TESTS: dict[str, Callable[[float], str]] = {
    **dict.fromkeys((_MEDIAN, _ITS_MEDIAN, "Spearman ρ"), partial(decimal, digits=3)),
    "Mann-Whitney U": partial(decimal, digits=1),
    "p (U)": p_value,
    **dict.fromkeys(("p (raters, Holm)", "p (items, Holm)"), p_value),
    _SIGNIFICANT: str,
}
"""As printed; the rest is in the files of the table."""
_UNPRINTED = ("p of ρ", "Mean difference", "p (raters)", "p (items)", "Rank-biserial")


def _hashable(sentence: Sentence) -> tuple[str, tuple[tuple[str, object], ...]]:
    return sentence[0], tuple(sentence[1].items())


def _pictures(study: Study, studies: Sequence[Study], compared: all_groups.ByGroup) -> list[Picture]:
    reference = {"reference": study.reference_name}
    pictures = [
        Picture(
            "order",
            (
                "How alike the items are ordered: Spearman's ρ with {reference}, with 95 % intervals.",
                reference,
            ),
            lambda look: correlation_dots(study, compared, look),
        )
    ]
    if level_dots(study, compared, LOOK) is not None:
        pictures.append(
            Picture(
                "level",
                (
                    "How far the levels lie apart: mean difference from {reference}, with 95 % intervals.",
                    reference,
                ),
                partial(level_dots, study, compared),
            )
        )
    for each in studies:
        there = [
            item_mos(each, measure, one)
            for measure, one in zip(each.measures, compared[each.candidate], strict=True)
            if one.items_shared
        ][:MOST]
        if there:
            pictures.append(
                Picture(
                    f"items-{len(pictures) - 1}",
                    (
                        "Each item's MOS in {group} against {reference}, a panel per measure.",
                        {**reference, "group": each.candidate},
                    ),
                    partial(_items, each, there),
                )
            )
    return pictures


def _items(study: Study, there: Sequence[ItemMos], look: Look) -> Figure:
    colour = group_colour(study.candidate, study.groups)
    return scatter(
        there, study.candidate, study.reference_name, colour, look, study.reference_column is not None
    )
