"""Sections of a study of ratings."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from analysis.comparison.comparison import ComparisonSpec
from analysis.systems.label_accuracy import FITTED_DRAWS
from features.agreement.results import AgreementSpec, summarize_agreement
from features.agreement.section import agreement_section
from features.assessments import is_pairs, polls, pooled
from features.blocks import Block, Figure, Finding, Table, Text, Warning
from features.comparison.results import GroupsSpec
from features.comparison.section import ITEMS, all_groups_section, groups_section
from features.items.section import standing_out_section
from features.metrics.difference import MOST_METRICS, DifferenceSpec, compute_difference, difference_section
from features.metrics.results import MetricSpec, offered_metrics
from features.metrics.section import all_metrics_section
from features.repetitions.ratings_findings import fits_table, obstacle
from features.repetitions.ratings_results import Enough, default_spec, fitted_curves
from features.repetitions.ratings_section import (
    NOTHING_TO_WEIGH,
    Weighed,
    cost_section,
    ratings_section,
    rules_section,
)
from features.repetitions.votes import default_votes_spec, votes_cost_section, votes_section
from features.study import Scenario, Study
from features.systems.labels_results import ClassesSpec, KnownSpec, has_methods
from features.systems.labels_section import classes_section, crowd_section, known_method, labels_section
from features.systems.scores_results import ScoresSpec, has_systems
from features.systems.scores_section import scores_section
from features.systems.two_scales import scales_section
from report.blocks import Section, build_section, merge_groups, merge_sections, require
from report.settings import SECTION_TITLES, ReportSettings, open_each_candidate


def agreement(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield alpha, reliability of a mean and split halves per measure and group, with intervals."""
    groups = (*settings.groups, *([study.reference] if study.reference else [])) if settings.groups else ()
    spec = AgreementSpec(settings.generalize, groups)
    require(summarize_agreement(study, spec))
    blocks = agreement_section(study, scenario, spec)
    yield build_section("agreement", SECTION_TITLES["agreement"], blocks)


def comparisons(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return each group compared with the reference, as one section."""
    persons, bootstrap = study.raters_are_persons, settings.bootstrap()
    spec = GroupsSpec(
        ComparisonSpec(bootstrap=bootstrap, raters_are_persons=persons, scope=settings.generalize)
    )
    studies = open_each_candidate(study, settings)
    build = partial(build_section, "groups", SECTION_TITLES["groups"])
    sections = {
        each.candidate: build(groups_section(each, scenario, spec, [each.candidate])) for each in studies
    }
    if len(sections) < 2:
        return list(sections.values())
    overall = build(all_groups_section(study, spec, list(sections)))
    (section,) = merge_groups(sections, overall.findings)
    items = [one for one in section.pictures if one.name.startswith(ITEMS)]
    return [replace(section, pictures=[*overall.pictures, *items])]


def items(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return the section on items that stand out in the ratings of each group; none if no item has a rating."""
    sections = {
        each.candidate: build_section("items", SECTION_TITLES["items"], standing_out_section(each))
        for each in open_each_candidate(study, settings)
    }
    return merge_groups({group: section for group, section in sections.items() if section.tables})


MAX_COMPARED = 12
"""Pairs of systems up to which the labels of each are compared with gold."""


def labels(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the section on labels; none for pairs of systems without known answers."""
    all_polls, bootstrap = polls(study), settings.bootstrap()
    if not all_polls or (is_pairs(study) and not pooled(study)[0].known_answers):
        return
    build = partial(build_section, "labels", SECTION_TITLES["labels"])
    spec = KnownSpec(bootstrap=bootstrap, draws_of_fitted=min(bootstrap.draws, FITTED_DRAWS))
    sections = [] if is_pairs(study) else [build(classes_section(study, ClassesSpec()))]
    sections.append(build(crowd_section(study, spec)))
    if has_methods(study) and len(all_polls) <= MAX_COMPARED:
        for nth, poll in enumerate(all_polls, 1):
            blocks = labels_section(study, replace(spec, comparison=poll.name))
            if len(all_polls) > 1:
                blocks = (_name_comparison(block, poll.name) for block in blocks)
            sections.append(build(blocks, f"-{nth}" if len(all_polls) > 1 else ""))
    yield merge_sections([*sections, build([known_method(spec)])])


def _name_comparison(block: Block, name: str) -> Block:
    """Return a block that names the comparison that it is about."""

    def add_name(text: Text) -> Text:
        return "{comparison}: " + text[0], {**text[1], "comparison": name}

    match block:
        case Finding():
            return replace(block, headline=add_name(block.headline))
        case Figure() | Table():
            return replace(block, caption=add_name(block.caption))
        case Warning():
            return replace(block, text=add_name(block.text))
    return block


def systems(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return the ranking of each group's systems by every measure."""
    sections = {}
    for candidate_study in open_each_candidate(study, settings):
        measures = [measure for measure in candidate_study.measures if has_systems(candidate_study, measure)]
        if measures:
            sections[candidate_study.candidate] = merge_sections(
                build_section(
                    "systems",
                    "Ranking systems",
                    _scores(candidate_study, scenario, settings, measure),
                    f"-{nth}",
                )
                for nth, measure in enumerate(measures, 1)
            )
    return merge_groups(sections)


def _scores(study: Study, scenario: Scenario, settings: ReportSettings, measure: str) -> Iterator[Block]:
    spec = ScoresSpec(measure, bootstrap=settings.bootstrap(), scope=settings.generalize)
    yield from scores_section(study, scenario, spec)
    if study.comparisons is not None:
        yield from scales_section(study, scenario, spec, study.comparisons)


def metrics(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return the correlation of each metric with the scores over systems and single items."""
    build = partial(build_section, "metrics", SECTION_TITLES["metrics"])
    metrics = [one for one in offered_metrics(study, None).values() if one.origin == "items"]
    specs = [MetricSpec(one, bootstrap=settings.bootstrap()) for one in metrics]
    difference_spec = DifferenceSpec(metrics[0], study.measures[0], compared=tuple(metrics[1:MOST_METRICS]))
    sections = {}
    for candidate_study in open_each_candidate(study, settings):
        section = build(all_metrics_section(candidate_study, scenario, specs))
        difference = (
            compute_difference(candidate_study, scenario, difference_spec)
            if study.whole.has("system")
            else None
        )
        if difference is not None and not difference.curve.reason:
            section = merge_sections(
                [section, build(difference_section(candidate_study, scenario, difference_spec, None))]
            )
        sections[candidate_study.candidate] = section
    return merge_groups(sections)


DRAWS = 100
"""Bootstrap samples of a knee's interval, as on the page: each repeats the whole simulation."""


def repetitions(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return ratings needed, curves, stopping rules and savings of each group, none where items have one rating."""
    studies = [each for each in open_each_candidate(study, settings) if each.reference != each.candidate]
    if all(obstacle(each) is not None for each in studies):
        return []
    sections = {each.candidate: _of_group(each, settings) for each in studies}
    return merge_groups(sections)


def _of_group(study: Study, settings: ReportSettings) -> Section:
    spec = default_spec(study, settings.bootstrap(DRAWS), settings.generalize)
    blocks = ratings_section(study, spec)
    if obstacle(study) is None:
        fits = fits_table(fitted_curves(study, spec.curves, spec.sensitivity))
        more = rules_section(study, spec, Enough()), _costs(cost_section(study, spec, Weighed()))
        blocks = chain(blocks, [fits], *more)
    return build_section("repetitions", SECTION_TITLES["repetitions"], blocks)


def _costs(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield what the knees save, where there are any: nobody can enter another number in a report."""
    return (one for one in blocks if not isinstance(one, Finding) or one.name != NOTHING_TO_WEIGH)


def vote_repetitions(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the curves of votes, and what fewer would save."""
    spec = default_votes_spec(study, settings.bootstrap(DRAWS))
    blocks = chain(votes_section(study, spec), _costs(votes_cost_section(study, spec, Weighed())))
    yield build_section("repetitions", "How many votes are enough", blocks)
