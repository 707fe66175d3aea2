"""Sections of "Comprehension": the blocks of each question that its page shows and its report prints."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Block, Figure, Heading, card_of, in_stages
from features.comprehension import answers_findings, figures, people_findings, results
from features.comprehension.results import (
    AnswersSpec,
    AuthorPairs,
    AuthorsSpec,
    Judges,
    Lengths,
    Machines,
    Shared,
)
from features.plotting.numbers import decimal, share
from features.program import method_of, study_program
from features.study import Scenario, Study
from features.verdicts import largest_change

CLOSED = BootstrapSpec(draws=0)
SOURCES = ["kolluru2005"]


def shares_section(study: Study, scenario: Scenario, spec: AnswersSpec) -> Iterator[Block]:
    """Yield how much summaries share, by author, then by type of story: first without intervals."""
    found = yield from in_stages(
        results.shares_stages(study, spec), partial(_shares_blocks, study, scenario, spec)
    )
    yield answers_findings.overall_table(found)
    yield answers_findings.authors_table(found)
    yield from answers_findings.shares_warnings(found)
    yield from answers_findings.shares_notes(found)
    if found.types is not None:
        yield Heading("By type of story")
        yield answers_findings.types_finding(found)
        caption = "Shares of the four answers by type of story, with 95% CI of R and R + P."
        yield Figure("types", (caption, {}), partial(figures.types_bars, found))
        yield from answers_findings.types_tables(found)
        yield from answers_findings.types_notes(found)
    bootstrap = spec.bootstrap
    yield method_of("comprehension", "shares", SOURCES, draws=bootstrap.draws, seed=bootstrap.seed)


def _shares_blocks(study: Study, scenario: Scenario, spec: AnswersSpec, found: Shared) -> Iterator[Block]:
    if study.dataset.without:
        before = results.shares_at_once(study.everyone, spec)
        yield _change(
            scenario, "R + P of", answers_findings.changes_of(before), answers_findings.changes_of(found)
        )
    yield answers_findings.shares_finding(found)
    caption = (
        "Shares of the four answers, by summary author and by question author, with 95% CI of R and R + P."
    )
    yield Figure("shares", (caption, {}), partial(figures.shares_bars, found))


def _change(
    scenario: Scenario,
    what: str,
    before: Mapping[str, Estimate],
    after: Mapping[str, Estimate],
    write: Callable[[float], str] = share,
) -> Block:
    return largest_change(scenario, what, before, after, write, "judge")


def shares_card(study: Study, scenario: Scenario) -> list[Block]:
    """Return the finding and the shares without intervals for the overview."""
    return card_of(
        _shares_blocks(study, scenario, AnswersSpec(), results.shares_at_once(study, AnswersSpec()))
    )


def shares_program(study: Study, spec: AnswersSpec) -> str:
    """Return a program that computes the shares without a browser."""
    return study_program(study, None, results.share_answers, spec, ["results = found.figures"])


def authors_section(study: Study, scenario: Scenario, spec: AuthorsSpec) -> Iterator[Block]:
    """Yield whose summaries answer whose questions, then the questions and answers of a pair."""
    stages = results.authors_stages(study, spec)
    found = yield from in_stages(stages, partial(_authors_blocks, study, scenario, spec))
    if found.figures:
        yield people_findings.author_pairs_table(found)
        yield from people_findings.authors_notes(found)
    if spec.writer and spec.asker:
        yield Heading("Questions and answers of a pair")
        texts, there = results.read_texts(study, spec), results.read_summaries(study)
        summaries = people_findings.summaries_table(there, results.names(study, "story"), found.names)
        yield from people_findings.pair_blocks(spec, texts, summaries)
    yield method_of("comprehension", "authors", SOURCES)


def _authors_blocks(
    study: Study, scenario: Scenario, spec: AuthorsSpec, found: AuthorPairs
) -> Iterator[Block]:
    if study.dataset.without:
        closed = AuthorsSpec(
            AnswersSpec(spec.answers.machines, spec.answers.with_machines, CLOSED), spec.share
        )
        before = results.compare_authors(study.everyone, closed)
        named = [
            {" and questions of ".join(pair): e for pair, e in of.estimates.items()} for of in (before, found)
        ]
        yield _change(
            scenario, f"{answers_findings.FIGURE_NAMES[spec.share]} for summaries of", named[0], named[1]
        )
    yield people_findings.authors_finding(found)
    if found.figures:
        caption = "{share} of each summary author (rows) on each author's questions (columns), in percent."
        draw = partial(figures.authors_matrix, found)
        yield Figure("authors", (caption, {"share": answers_findings.FIGURE_NAMES[spec.share]}), draw)


def authors_program(study: Study, spec: AuthorsSpec) -> str:
    """Return a program that computes the shares of each pair without a browser."""
    return study_program(study, None, results.compare_authors, spec, ["results = found.figures"])


def length_section(study: Study, scenario: Scenario, spec: AnswersSpec) -> Iterator[Block]:
    """Yield whether longer summaries answer more questions, and how long each author's are."""
    stages = results.length_stages(study, spec)
    found = yield from in_stages(stages, partial(_length_blocks, study, scenario, spec))
    yield answers_findings.length_table(found)
    yield from answers_findings.length_notes(found)
    yield method_of("comprehension", "length", SOURCES)


def _length_blocks(study: Study, scenario: Scenario, spec: AnswersSpec, found: Lengths) -> Iterator[Block]:
    if not results.lengths_are_known(study):
        yield answers_findings.UNKNOWN
        return
    if study.dataset.without:
        before = results.compare_lengths(study.everyone, AnswersSpec(spec.machines, bootstrap=CLOSED))
        yield _change(scenario, "r", before.correlations, found.correlations, decimal)
    yield answers_findings.length_finding(found)
    caption = "Share found by mean summary length, with 95% CI, a dot per author."
    yield Figure("length", (caption, {}), partial(figures.found_by_length, found))


def length_card(study: Study, scenario: Scenario) -> list[Block]:
    """Return the finding and the scatter without intervals for the overview."""
    return card_of(length_section(study, scenario, AnswersSpec(bootstrap=CLOSED)))


def length_program(study: Study, spec: AnswersSpec) -> str:
    """Return a program that correlates length with what is found without a browser."""
    return study_program(study, None, results.compare_lengths, spec, ["results = found.figures"])


def judges_section(study: Study, scenario: Scenario, spec: AnswersSpec) -> Iterator[Block]:
    """Yield whether judges agree, and each judge's shares."""
    called, present = results.names(study, "judge"), results.present_judges(study)
    if len(present) < 2:
        yield people_findings.too_few_judges([called[code] for code in present])
        return
    stages = results.judges_stages(study, spec)
    found = yield from in_stages(stages, partial(_judges_blocks, study, scenario, spec))
    yield people_findings.alphas_table(found)
    yield Heading("Shares by judge")
    caption = "Shares of the four answers by judge, with 95% CI of R and R + P."
    yield Figure("judges", (caption, {}), partial(figures.judges_bars, found))
    yield people_findings.judges_table(found)
    yield from people_findings.judges_notes(found)
    yield from people_findings.judges_warnings(found)
    yield Heading("Pairs of judges")
    yield people_findings.judge_pairs_table(found)
    yield method_of("comprehension", "judges", [*SOURCES, "krippendorff2011", "cohen1960"])


def _judges_blocks(study: Study, scenario: Scenario, spec: AnswersSpec, found: Judges) -> Iterator[Block]:
    if study.dataset.without:
        closed = AnswersSpec(spec.machines, spec.with_machines, CLOSED)
        before = results.compare_judges(study.everyone, closed)
        alphas = [
            {people_findings.ALPHAS[name]: of.agreement.alpha[name] for name in people_findings.ALPHAS}
            for of in (before, found)
        ]
        yield _change(scenario, "alpha of", alphas[0], alphas[1], decimal)
    yield people_findings.judges_finding(found)
    caption = "Krippendorff's alpha of the judges by three ways to compare answers, with 95% CI."
    yield Figure("alphas", (caption, {}), partial(figures.alpha_dots, found))


def judges_program(study: Study, spec: AnswersSpec) -> str:
    """Return a program that compares judges without a browser."""
    return study_program(study, None, results.compare_judges, spec, ["results = found.figures"])


def machines_section(study: Study, scenario: Scenario, spec: AnswersSpec) -> Iterator[Block]:
    """Yield how near each machine comes to people's summaries on the same questions."""
    chosen, writers = results.machines_of(study, spec), results.read_answers(study).writers
    if not chosen or {*writers} <= {*chosen}:
        yield people_findings.NO_PEOPLE if chosen else people_findings.NO_MACHINE
        return
    stages = results.machines_stages(study, spec)
    found = yield from in_stages(stages, partial(_machines_blocks, study, scenario, spec))
    yield people_findings.machines_table(found)
    yield from people_findings.machines_warnings(found)
    yield people_findings.NOTE
    yield method_of("comprehension", "machines", SOURCES)


def _machines_blocks(study: Study, scenario: Scenario, spec: AnswersSpec, found: Machines) -> Iterator[Block]:
    if study.dataset.without:
        before = results.compare_machines(study.everyone, AnswersSpec(spec.machines, bootstrap=CLOSED))
        yield _change(scenario, "the share of the human level of", before.ratios, found.ratios)
    yield people_findings.machines_finding(found)
    if sum(e.defined for e in found.ratios.values()) > 1:
        caption = "R + P of each machine as a share of the human level, with 95% CI, the highest on top."
        yield Figure("ratios", (caption, {}), partial(figures.ratio_dots, found))
    caption = "Shares of the four answers of each machine and of people on the same questions, with 95% CI."
    yield Figure("machines", (caption, {}), partial(figures.machines_bars, found))


def machines_program(study: Study, spec: AnswersSpec) -> str:
    """Return a program that compares machines with people without a browser."""
    return study_program(study, None, results.compare_machines, spec, ["results = found.figures"])
