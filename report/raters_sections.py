"""Sections on the raters and on where the variance comes from."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import pandas as pd

from analysis.assessors.exclusion import ExclusionSpec
from analysis.comparison.comparison import ComparisonSpec
from analysis.values.estimate import shorten
from analysis.variance.components import Components
from features import blocks
from features.blocks import (
    Block,
    Finding,
    Note,
    Status,
    clear_if,
    last_stage,
    method_of,
    not_applicable,
    uncertain,
)
from features.notices import exclusion_in_words
from features.plotting.theme import count, decimal, share
from features.raters import rater_results
from features.raters import variance_section as findings
from features.raters.attributes_results import AttributesSpec, attributes_of
from features.raters.attributes_section import attributes_section
from features.raters.consistency_results import ConsistencySpec
from features.raters.consistency_section import FIGURES, TABLE, consistency_section
from features.raters.exclusion_section import change_section
from features.raters.rater_results import RankingSpec
from features.raters.variance_results import draw_intervals, without_intervals
from features.replacement.pass_rate import (
    compute_pass_rates,
    default_pass_rate,
    is_offered,
    pass_rate_section,
)
from features.replacement.results import candidate_stages, default_spec
from features.replacement.section import candidates_of, measures_section
from features.study import Scenario, Study
from features.words import Column, counted, estimate_columns, table_of
from report.blocks import Section, build_section, merge_groups, merge_sections, require
from report.settings import ReportSettings, open_each_candidate

TITLE = "The raters, and what changes without some of them"
MAX_DRAWN_RATERS = 40
"""Raters up to which each is drawn."""


def sections(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return the sections on each group's raters; none where nobody is named."""
    if not study.whole.has("rater_id") or not study.raters_are_persons:
        return []
    studies = open_each_candidate(study, settings)
    parts = {each.candidate: _group_section(each, scenario, settings) for each in studies}
    return merge_groups(parts, [_summarize_consistency(parts, study.measures[0])])


def _summarize_consistency(parts: Mapping[str, Section], measure: str) -> Finding:
    """Return the finding on the raters' consistency by group, on the first measure."""
    told = []
    for group, part in parts.items():
        values = _consistency_values(part, measure)
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


def _consistency_values(part: Section, measure: str) -> "pd.Series[float]":
    """Return the consistency of each rater on a measure."""
    rows = {table.name: table.shown[0] for table in part.tables}
    if "consistency" in rows:
        return rows["consistency"][measure].dropna()
    one = rows.get(TABLE, pd.DataFrame())
    return next((one[name] for name in FIGURES if name in one), pd.Series(dtype=float)).dropna()


def _group_section(study: Study, scenario: Scenario, settings: ReportSettings) -> Section:
    made = partial(build_section, "raters", TITLE)
    spec = ConsistencySpec(bootstrap=settings.bootstrap())
    part = made(consistency_section(study, scenario, spec, on_all=True))
    if len(rater_results.raters(study)) > MAX_DRAWN_RATERS:
        part = replace(part, pictures=[])
    parts = [part]
    if attributes_of(study):
        parts.append(made(attributes_section(study, AttributesSpec())))
    if scenario.excludes:
        excluded = not_applicable(*exclusion_in_words(scenario))
        parts[0] = replace(part, findings=[excluded, *part.findings])
        ranking = RankingSpec(study.measures[0], ExclusionSpec(draws=0, random=0, seed=settings.seed))
        parts.append(made(change_section(study, scenario, ranking)))
    return merge_sections(parts)


VARIANCE_TITLE = "Where the variance comes from"
ComponentsByGroup = dict[tuple[str, str], Components]
"""Variances by group and measure."""


def variance(study: Study, settings: ReportSettings) -> Section | None:
    """Return the variances by source of each measure and group; None where they are unknown."""
    found: ComponentsByGroup = {}
    for each in open_each_candidate(study, settings):
        for measure in each.measures:
            closed = require(without_intervals(each, measure))
            if closed.reason or closed.shares() == {}:
                continue
            found[each.candidate, measure] = require(
                draw_intervals(each, measure, closed, settings.bootstrap())
            )
    if not found:
        return None
    section = _variance_blocks(found, len(study.groups) > 1, settings.bootstrap().draws)
    return build_section("variance", VARIANCE_TITLE, section)


def _variance_blocks(found: ComponentsByGroup, several: bool, draws: int) -> Iterator[Block]:
    yield _largest_source_finding(found)
    yield _components_table(found, several)
    remarks = [one for of in found.values() for one in findings.variance_warnings(of)]
    yield from {str(one): one for one in remarks}.values()
    sampled = {measure: of.sample for (_, measure), of in found.items() if of.sample is not None}
    for measure, sample in sampled.items():
        template, values = findings.of_items(sample)
        yield Note((f"{{measure}}: {template}", {**values, "measure": measure}))
    yield method_of("raters", "variance", ["brennan2001", "searle1992"], draws=draws)


def _largest_source_finding(found: ComponentsByGroup) -> Finding:
    """Return which source is largest, and on how many measures."""
    if len(found) == 1:
        (((_, measure), only),) = found.items()
        return findings.components_finding(only, measure)
    largest = {key: max(of.shares().items(), key=lambda named: named[1].value) for key, of in found.items()}
    name, times = Counter(name for name, _ in largest.values()).most_common(1)[0]
    known = [of for of in found.values() if of.jackknife is None or not of.jackknife.reason]
    are_clear = [findings.largest_is_clear(of.shares()) and not findings.has_few_topics(of) for of in known]
    shares = [e.value for source, e in largest.values() if source == name]
    finding = clear_if(
        sum(are_clear) == len(found),
        "The largest source of variance is {source} on {times} of {all} measures.",
        {"source": findings.called(name), "times": times, "all": len(found)},
        f"{share(min(shares))} to {share(max(shares))} of the variance of a single rating",
        f"clear on {count(sum(are_clear))}",
    )
    return finding if known else replace(finding, status=Status.NOT_ENOUGH_DATA)


def _components_table(found: ComponentsByGroup, several: bool) -> blocks.Table:
    """Return a row per group, measure and source, with its share and variance."""
    rows = [(key, name, of) for key, of in found.items() for name in of.shares()]
    variances = [of.variances()[name] for _, name, of in rows]
    columns = [
        *([Column("Group", [group for (group, _), _, _ in rows])] if several else []),
        Column("Measure", [measure for (_, measure), _, _ in rows]),
        Column("Source", [findings.called(name) for _, name, _ in rows]),
        *estimate_columns("Share", [of.shares()[name] for _, name, of in rows], share),
        *estimate_columns("Variance", variances, partial(decimal, digits=3)),
        Column("Levels", [e.n for e in variances], count, False),
    ]
    caption = "Share and variance of a single rating by source, with 95% intervals."
    return table_of("variance", caption, columns)


def standing_in(study: Study, settings: ReportSettings) -> Section | None:
    """Return the verdict, advantage and worth of each candidate per measure; None where there is no candidate."""
    study = study.between_raters
    specs = []
    for measure in study.measures or ("",):
        spec = default_spec(study, measure, settings.generalize)
        spec = replace(
            spec,
            comparison=ComparisonSpec(
                bootstrap=settings.bootstrap(), raters_are_persons=study.raters_are_persons, scope=spec.scope
            ),
        )
        if candidates := candidates_of(study, spec, settings.groups):
            stages = list(candidate_stages(study, spec, candidates, with_order=len(study.measures) < 2))
            specs.append((spec, last_stage(require(stages or None))))
    name = "standing-in", "Replacing raters"
    parts = [build_section(*name, measures_section(study, specs))] if specs else []
    if is_offered(study):
        judged = default_pass_rate(study)
        if not compute_pass_rates(study, judged).is_complete:
            parts.append(build_section(*name, pass_rate_section(study, judged)))
    return merge_sections(parts) if parts else None
