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
    made = partial(build_section, "groups", SECTION_TITLES["groups"])
    parts = {each.candidate: made(groups_section(each, scenario, spec, [each.candidate])) for each in studies}
    if len(parts) < 2:
        return list(parts.values())
    whole = made(all_groups_section(study, spec, list(parts)))
    (section,) = merge_groups(parts, whole.findings)
    items = [one for one in section.pictures if one.name.startswith(ITEMS)]
    return [replace(section, pictures=[*whole.pictures, *items])]


def items(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return the section on items that stand out in the ratings of each group; none if no item has a rating."""
    parts = {
        each.candidate: build_section("items", SECTION_TITLES["items"], standing_out_section(each))
        for each in open_each_candidate(study, settings)
    }
    return merge_groups({group: part for group, part in parts.items() if part.tables})


MAX_COMPARED = 12
"""Pairs of systems up to which the labels of each are compared with gold."""


def labels(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the section on labels; none for pairs of systems without known answers."""
    there, bootstrap = polls(study), settings.bootstrap()
    if not there or (is_pairs(study) and not pooled(study)[0].known_answers):
        return
    made = partial(build_section, "labels", SECTION_TITLES["labels"])
    spec = KnownSpec(bootstrap=bootstrap, draws_of_fitted=min(bootstrap.draws, FITTED_DRAWS))
    parts = [] if is_pairs(study) else [made(classes_section(study, ClassesSpec()))]
    parts.append(made(crowd_section(study, spec)))
    if has_methods(study) and len(there) <= MAX_COMPARED:
        for nth, poll in enumerate(there, 1):
            blocks = labels_section(study, replace(spec, comparison=poll.name))
            if len(there) > 1:
                blocks = (_name_comparison(block, poll.name) for block in blocks)
            parts.append(made(blocks, f"-{nth}" if len(there) > 1 else ""))
    yield merge_sections([*parts, made([known_method(spec)])])


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
    parts = {}
    for each in open_each_candidate(study, settings):
        measures = [measure for measure in each.measures if has_systems(each, measure)]
        if measures:
            parts[each.candidate] = merge_sections(
                build_section(
                    "systems", "Ranking systems", _scores(each, scenario, settings, measure), f"-{nth}"
                )
                for nth, measure in enumerate(measures, 1)
            )
    return merge_groups(parts)


def _scores(study: Study, scenario: Scenario, settings: ReportSettings, measure: str) -> Iterator[Block]:
    spec = ScoresSpec(measure, bootstrap=settings.bootstrap(), scope=settings.generalize)
    yield from scores_section(study, scenario, spec)
    if study.comparisons is not None:
        yield from scales_section(study, scenario, spec, study.comparisons)


def metrics(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return the correlation of each metric with the scores over systems and single items."""
    made = partial(build_section, "metrics", SECTION_TITLES["metrics"])
    metrics = [one for one in offered_metrics(study, None).values() if one.origin == "items"]
    specs = [MetricSpec(one, bootstrap=settings.bootstrap()) for one in metrics]
    asked_of = DifferenceSpec(metrics[0], study.measures[0], compared=tuple(metrics[1:MOST_METRICS]))
    parts = {}
    for each in open_each_candidate(study, settings):
        part = made(all_metrics_section(each, scenario, specs))
        found = compute_difference(each, scenario, asked_of) if study.whole.has("system") else None
        if found is not None and not found.curve.reason:
            part = merge_sections([part, made(difference_section(each, scenario, asked_of, None))])
        parts[each.candidate] = part
    return merge_groups(parts)


DRAWS = 100
"""Bootstrap samples of a knee's interval, as on the page: each repeats the whole simulation."""


def repetitions(study: Study, scenario: Scenario, settings: ReportSettings) -> list[Section]:
    """Return ratings needed, curves, stopping rules and savings of each group, none where items have one rating."""
    studies = [each for each in open_each_candidate(study, settings) if each.reference != each.candidate]
    if all(obstacle(each) is not None for each in studies):
        return []
    parts = {each.candidate: _of_group(each, settings) for each in studies}
    return merge_groups(parts)


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
