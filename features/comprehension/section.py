"""Sections of "Comprehension": the blocks of each question that its page shows and its report prints."""

from collections.abc import Iterator
from functools import partial

from features.blocks import Block, Figure, Heading, in_stages, method_of
from features.comprehension import figures, findings, results
from features.comprehension.findings import FIGURE_NAMES
from features.comprehension.results import (
    AnswersSpec,
    AuthorPairs,
    AuthorsSpec,
    Judges,
    Lengths,
    Machines,
    Shared,
)
from features.exclusion import exclusion_change
from features.plotting.series import estimate_dots
from features.plotting.theme import decimal
from features.program import computed_by
from features.study import Scenario, Study

SOURCES = ["kolluru2005"]


@computed_by(results.shares_stages)
def shares_section(study: Study, scenario: Scenario, spec: AnswersSpec) -> Iterator[Block]:
    """Yield how much summaries share, by author, then by type of story: first without intervals."""
    stages = results.shares_stages(study, spec)
    found = yield from in_stages(stages, partial(_shares_blocks, study, scenario, spec))
    yield findings.overall_table(found)
    yield findings.authors_table(found)
    yield from findings.shares_warnings(found)
    if found.types is not None:
        yield Heading("By type of story")
        yield findings.types_finding(found)
        caption = "Shares of the four answers by type of story, with 95% CI of R and R + P."
        yield Figure("types", (caption, {}), partial(figures.types_bars, found))
        yield findings.types_table(found.types, found.type_names)
        yield from findings.types_notes(found)
    yield Heading("Do authors differ")
    yield from map(partial(findings.differences_finding, found), found.differences)
    if any(not one.reason for one in found.differences.values()):
        yield findings.differences_table(found)
    bootstrap = spec.bootstrap
    yield method_of(
        "comprehension", "shares", [*SOURCES, "hotelling1931"], draws=bootstrap.draws, seed=bootstrap.seed
    )


def _shares_blocks(study: Study, scenario: Scenario, spec: AnswersSpec, found: Shared) -> Iterator[Block]:
    stages, read = results.shares_stages, findings.changes_of
    yield from exclusion_change(study, scenario, "R + P of", found, stages, spec, read)
    yield findings.shares_finding(found)
    caption = (
        "Shares of the four answers by author, with 95% CI of R and R + P; lines are at the level of all."
    )
    yield Figure("shares", (caption, {}), partial(figures.shares_bars, found))


@computed_by(results.authors_stages)
def authors_section(study: Study, scenario: Scenario, spec: AuthorsSpec) -> Iterator[Block]:
    """Yield whose summaries answer whose questions, then the questions and answers of a pair."""
    stages = results.authors_stages(study, spec)
    found = yield from in_stages(stages, partial(_authors_blocks, study, scenario, spec))
    if found.figures:
        yield findings.author_pairs_table(found)
    if spec.writer and spec.asker:
        yield Heading("Questions and answers of a pair")
        texts, summaries = results.read_texts(study, spec), results.read_summaries(study)
        stories = results.names(study, "story")
        yield from findings.pair_blocks(spec, texts, summaries, stories, found.names)
    yield method_of("comprehension", "authors", SOURCES)


def _authors_blocks(
    study: Study, scenario: Scenario, spec: AuthorsSpec, found: AuthorPairs
) -> Iterator[Block]:
    figure = FIGURE_NAMES[spec.share]
    what, stages = f"{figure} for summaries of", results.authors_stages
    yield from exclusion_change(study, scenario, what, found, stages, spec, findings.shares_of_pairs)
    yield findings.authors_finding(found)
    if found.figures:
        caption = "{share} of each summary author (rows) on each author's questions (columns), in percent."
        yield Figure("authors", (caption, {"share": figure}), partial(figures.authors_matrix, found))


@computed_by(results.length_stages)
def length_section(study: Study, scenario: Scenario, spec: AnswersSpec) -> Iterator[Block]:
    """Yield whether longer summaries answer more questions, and how long each author's are."""
    stages = results.length_stages(study, spec)
    found = yield from in_stages(stages, partial(_length_blocks, study, scenario, spec))
    yield findings.length_table(found)
    yield from findings.length_notes(found)
    yield method_of("comprehension", "length", SOURCES)


def _length_blocks(study: Study, scenario: Scenario, spec: AnswersSpec, found: Lengths) -> Iterator[Block]:
    if not results.lengths_are_known(study):
        yield findings.UNKNOWN
        return
    stages = results.length_stages
    yield from exclusion_change(
        study, scenario, "r", found, stages, spec, lambda of: of.correlations, decimal
    )
    yield findings.length_finding(found)
    caption = "Share found by mean summary length, with 95% CI, a dot per author; machines are hollow."
    yield Figure("length", (caption, {}), partial(figures.found_by_length, found))


@computed_by(results.judges_stages)
def judges_section(study: Study, scenario: Scenario, spec: AnswersSpec) -> Iterator[Block]:
    called, present = results.names(study, "judge"), results.present_judges(study)
    if len(present) < 2:
        yield findings.too_few_judges([called[code] for code in present])
        return
    stages = results.judges_stages(study, spec)
    found = yield from in_stages(stages, partial(_judges_blocks, study, scenario, spec))
    yield findings.alphas_table(found)
    yield Heading("Shares by judge")
    yield findings.judges_table(found)
    yield from findings.judges_warnings(found)
    yield Heading("Pairs of judges")
    yield findings.judge_pairs_table(found)
    yield method_of("comprehension", "judges", [*SOURCES, "krippendorff2011", "cohen1960"])


def _judges_blocks(study: Study, scenario: Scenario, spec: AnswersSpec, found: Judges) -> Iterator[Block]:
    stages, read = results.judges_stages, findings.alphas_of
    yield from exclusion_change(study, scenario, "alpha of", found, stages, spec, read, decimal)
    yield findings.judges_finding(found)
    caption = "Krippendorff's alpha of the judges by three ways to compare answers, with 95% CI."
    draw = partial(estimate_dots, read(found), "Krippendorff's alpha", shares=False, guide=0.0)
    yield Figure("alphas", (caption, {}), draw)


@computed_by(results.machines_stages)
def machines_section(study: Study, scenario: Scenario, spec: AnswersSpec) -> Iterator[Block]:
    """Yield how near each machine comes to people's summaries on the same questions."""
    chosen, writers = results.machines_of(study, spec), results.read_answers(study).writers
    if not chosen or {*writers} <= {*chosen}:
        yield findings.NO_PEOPLE if chosen else findings.NO_MACHINE
        return
    stages = results.machines_stages(study, spec)
    found = yield from in_stages(stages, partial(_machines_blocks, study, scenario, spec))
    yield findings.machines_table(found)
    yield from findings.machines_warnings(found)
    yield method_of("comprehension", "machines", SOURCES)


def _machines_blocks(study: Study, scenario: Scenario, spec: AnswersSpec, found: Machines) -> Iterator[Block]:
    what, stages = "the share of the human level of", results.machines_stages
    yield from exclusion_change(study, scenario, what, found, stages, spec, lambda of: of.ratios)
    yield findings.machines_finding(found)
    caption = "Shares of the four answers of each machine and of people on the same questions, with 95% CI."
    yield Figure("machines", (caption, {}), partial(figures.machines_bars, found))
