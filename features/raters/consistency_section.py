"""Sections on the consistency of raters and on their agreement with the others."""

from collections.abc import Iterator, Sequence
from functools import partial

from features.assessments import names
from features.blocks import Block, Figure, Heading, Text, card_of, in_stages
from features.program import method_of, study_program
from features.raters import consistency_findings as findings
from features.raters import consistency_results as results
from features.raters import rater_results
from features.raters.consistency_results import (
    AgreementFound,
    AgreementSpec,
    ConsistencyFound,
    ConsistencySpec,
)
from features.raters.naming_findings import naming_finding, scatter_finding
from features.raters.ranking import RaterRanking, known_scatter, rater_dots
from features.study import Scenario, Study

WITH_OTHERS: Text = ("Agreement of each rater with the others with its 95% CI, the lowest on top.", {})
PROGRAM = ["results = {**vars(found), 'raters': found.ranking.raters}"]


def consistency_section(
    study: Study, scenario: Scenario, spec: ConsistencySpec, on_all: bool = False
) -> Iterator[Block]:
    """Yield how consistent raters are, with the headline on the measure shown or `on_all`, and whom rules reject."""
    stages = results.consistency_stages(study, spec)
    found = yield from in_stages(stages, partial(_consistency_blocks, study, scenario, on_all))
    screening = found.screening
    if screening is None:
        yield findings.raters_table(found, names(study, "rater"), names(study, "split"), scenario)
        yield findings.many_ratings(int(rater_results.numbers(study, found.measure).sum()))
    elif screening.scattered is not None and (more := scatter_finding(screening.scattered)) is not None:
        yield more
    if not found.has_texts:
        yield findings.FELL_BACK
    if scenario.excludes:
        yield findings.EXCLUDED
    unit = "set" if found.ranking.compared.statistic.unit != "item" else "item"
    yield from findings.undefined_notes(found.ranking, unit)
    yield from findings.screening_notes(found)
    yield from findings.screening_warnings(found)
    called = names(study, "rater")
    if len(found.ranked) > 1:
        yield findings.measures_table(found, called)
        yield findings.orders_table(found, called)
    if screening is not None and screening.repeats:
        yield findings.repeats_table(screening.repeats, called)
    sources = ["owczarzak2012", "krippendorff2011", "holm1979", "benjamini1995", "bt500", "p913"]
    yield method_of("raters", "consistency", sources)


def _consistency_blocks(
    study: Study, scenario: Scenario, on_all: bool, found: ConsistencyFound
) -> Iterator[Block]:
    yield findings.consistency_finding(found, on_all)
    caption = "Consistency of each rater on {measure} with its 95% CI, the lowest on top."
    yield from rater_figure(found.ranking, study, (caption, {"measure": found.measure}), scenario.names)
    if found.screening is not None:
        yield findings.raters_table(found, names(study, "rater"), names(study, "split"), scenario)


def consistency_card(study: Study, scenario: Scenario) -> Iterator[Block]:
    """Yield who is consistent, and the raters of the measure on which they differ most, for the overview."""
    found = results.compare_without_intervals(study)
    yield from card_of(_consistency_blocks(study, scenario, True, found))


def agreement_section(study: Study, scenario: Scenario, spec: AgreementSpec) -> Iterator[Block]:
    """Yield the agreement of raters with the others, and with the reference where there is one."""
    found = yield from in_stages(
        results.agreement_stages(study, spec), partial(_agreement_blocks, study, scenario)
    )
    yield from known_blocks(found.ranking, study.groups)
    if scenario.excludes:
        yield findings.EXCLUDED
    yield from findings.undefined_notes(found.ranking)
    yield method_of("raters", "with_others", ["habibi2012"])


def _agreement_blocks(study: Study, scenario: Scenario, found: AgreementFound) -> Iterator[Block]:
    yield naming_finding([found.ranking.compared])
    yield from rater_figure(found.ranking, study, WITH_OTHERS, scenario.names)
    yield findings.agreement_table(found, scenario)


def rater_figure(
    ranking: RaterRanking, study: Study, caption: Text, excluded: Sequence[str] = ()
) -> Iterator[Figure]:
    """Yield the figure of the raters, where somebody can be drawn."""
    if ranking.drawn:
        yield Figure("raters", caption, partial(rater_dots, ranking, study.groups, excluded))


def known_blocks(ranking: RaterRanking, groups: tuple[str, ...]) -> Iterator[Block]:
    """Yield agreement with what is known against agreement with the others; nothing where nothing is known."""
    if ranking.known is None:
        return
    yield Heading(
        "Agreement with known answers" if ranking.known.is_share else "Agreement with the reference"
    )
    if (finding := findings.known_finding(ranking)) is not None:
        yield finding
    else:
        yield findings.no_correlation(ranking)
    if any(one.known is not None and one.known.defined for one in ranking.with_enough):
        caption = "Agreement with {known} against agreement with the others, a dot per rater."
        draw = partial(known_scatter, ranking, ranking.known, groups)
        yield Figure("known", (caption, {"known": ranking.known.name}), draw)


def consistency_program(study: Study, spec: ConsistencySpec) -> str:
    """Return a program that compares raters and screens them without a browser."""
    return study_program(study, None, results.consistency_stages, spec, PROGRAM)


def agreement_program(study: Study, spec: AgreementSpec) -> str:
    """Return a program that compares raters with the others without a browser."""
    return study_program(study, None, results.agreement_stages, spec, PROGRAM)
