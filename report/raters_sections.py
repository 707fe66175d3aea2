"""Sections on the raters and on where the variance comes from."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from analysis.assessors.exclusion import ExclusionSpec
from analysis.comparison.comparison import ComparisonSpec
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
)
from features.metrics.pyramid import pyramid_section
from features.notices import exclusion_in_words
from features.plotting.theme import count, decimal, share
from features.raters import rater_results
from features.raters import variance_section as findings
from features.raters.attributes_results import AttributesSpec, attributes_of
from features.raters.attributes_section import attributes_section
from features.raters.consistency_results import ConsistencySpec
from features.raters.consistency_section import consistency_section
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
from features.words import Column, estimate_columns, extent_in_words, table_of
from report.blocks import Section, build_section, merge_groups, merge_sections, require
from report.settings import SECTION_TITLES, ReportSettings, open_each_candidate

TITLE = "The raters, and what changes without some of them"
MAX_DRAWN_RATERS = 40
"""Raters up to which each is drawn."""


def raters(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the section on each group's raters, then who misses content that they marked elsewhere."""
    studies = open_each_candidate(study, settings)
    yield from merge_groups({each.candidate: _group_section(each, scenario, settings) for each in studies})
    if study.contributors is not None and study.whole.has("text"):
        blocks = pyramid_section(study, scenario, settings.bootstrap(), study.contributors)
        yield build_section("pyramid", "Pyramid", blocks)


def _group_section(study: Study, scenario: Scenario, settings: ReportSettings) -> Section:
    build = partial(build_section, "raters", TITLE)
    spec = ConsistencySpec(bootstrap=settings.bootstrap())
    section = build(consistency_section(study, scenario, spec, on_all=True))
    drawn = section.pictures if len(rater_results.raters(study)) <= MAX_DRAWN_RATERS else ()
    sections = [replace(section, pictures=drawn)]
    if attributes_of(study):
        sections.append(build(attributes_section(study, AttributesSpec())))
    if scenario.excludes:
        ranking = RankingSpec(study.measures[0], ExclusionSpec(draws=0, random=0, seed=settings.seed))
        change = build(change_section(study, scenario, ranking))
        excluded = not_applicable(*exclusion_in_words(scenario))
        sections.append(replace(change, findings=[excluded, *change.findings], pictures=()))
    return merge_sections(sections)


ComponentsByGroup = dict[tuple[str, str], Components]
"""Variances by group and measure."""


def variance(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the variances by source of each measure and group, where they are known."""
    components: ComponentsByGroup = {}
    for candidate_study in open_each_candidate(study, settings):
        for measure in candidate_study.measures:
            closed = require(without_intervals(candidate_study, measure))
            if closed.reason or closed.shares() == {}:
                continue
            components[candidate_study.candidate, measure] = require(
                draw_intervals(candidate_study, measure, closed, settings.bootstrap())
            )
    if components:
        blocks = _variance_blocks(components, len(study.groups) > 1, settings.bootstrap().draws)
        yield build_section("variance", SECTION_TITLES["variance"], blocks)


def _variance_blocks(components: ComponentsByGroup, has_groups: bool, draws: int) -> Iterator[Block]:
    yield _largest_source_finding(components)
    yield _components_table(components, has_groups)
    remarks = [one for of in components.values() for one in findings.variance_warnings(of)]
    yield from {str(one): one for one in remarks}.values()
    sampled = {measure: of.sample for (_, measure), of in components.items() if of.sample is not None}
    for measure, sample in sampled.items():
        template, values = findings.of_items(sample)
        yield Note((f"{{measure}}: {template}", {**values, "measure": measure}))
    yield method_of("raters", "variance", ["brennan2001", "searle1992"], draws=draws)


def _largest_source_finding(components: ComponentsByGroup) -> Finding:
    """Return which source is largest, and on how many measures."""
    if len(components) == 1:
        (((_, measure), only),) = components.items()
        return findings.components_finding(only, measure)
    largest = {
        key: max(of.shares().items(), key=lambda named: named[1].value) for key, of in components.items()
    }
    name, times = Counter(name for name, _ in largest.values()).most_common(1)[0]
    with_intervals = [of for of in components.values() if of.jackknife is None or not of.jackknife.reason]
    are_clear = [
        findings.largest_is_clear(of.shares()) and not findings.has_few_topics(of) for of in with_intervals
    ]
    shares = [e.value for source, e in largest.values() if source == name]
    finding = clear_if(
        sum(are_clear) == len(components),
        "The largest source of variance is {source} on {extent}.",
        {"source": findings.called(name), "extent": extent_in_words(times, len(components), "measures")},
        f"{share(min(shares))} to {share(max(shares))} of the variance of a single rating",
        f"clear on {count(sum(are_clear))}" if any(are_clear) else "",
    )
    return finding if with_intervals else replace(finding, status=Status.NOT_ENOUGH_DATA)


def _components_table(components: ComponentsByGroup, has_groups: bool) -> blocks.Table:
    """Return a row per group, measure and source, with its share and variance."""
    rows = [(key, name, of) for key, of in components.items() for name in of.shares()]
    variances = [of.variances()[name] for _, name, of in rows]
    columns = [
        *([Column("Group", [group for (group, _), _, _ in rows])] if has_groups else []),
        Column("Measure", [measure for (_, measure), _, _ in rows]),
        Column("Source", [findings.called(name) for _, name, _ in rows]),
        *estimate_columns("Share", [of.shares()[name] for _, name, of in rows], share),
        *estimate_columns("Variance", variances, partial(decimal, digits=3)),
        Column("Levels", [e.n for e in variances], count, False),
    ]
    caption = "Share and variance of a single rating by source, with 95% intervals."
    return table_of("variance", caption, columns)


def standing_in(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the verdict, advantage and worth of each candidate per measure, where there are candidates."""
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
    name = "standing-in", SECTION_TITLES["standing-in"]
    sections = [build_section(*name, measures_section(study, specs))] if specs else []
    if is_offered(study):
        judged = default_pass_rate(study)
        if not compute_pass_rates(study, judged).is_complete:
            sections.append(build_section(*name, pass_rate_section(study, judged)))
    if sections:
        yield merge_sections(sections)
