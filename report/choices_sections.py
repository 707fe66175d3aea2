"""Sections of studies of choices, rankings, answers and relevance judgments."""

from collections.abc import Callable, Iterable, Iterator

from analysis.systems.preference import PreferenceSpec
from analysis.workers.polls import polls_of_same_pair
from features.agreement.sets import SetsSpec, sets_section
from features.assessments import count_compared_systems, labeled, polls, questions_of, ranked
from features.blocks import Block, Finding
from features.comprehension.results import AnswersSpec, lengths_are_known
from features.comprehension.section import length_section, shares_section
from features.raters.answer_agreement import LabelersSpec, RankersSpec, labelers_section, rankers_section
from features.raters.workers import WorkersSpec, workers_section
from features.relevance.agreement_results import AccuracySpec, RatersSpec, main_study, metrics
from features.relevance.agreement_section import accuracy_section, raters_section
from features.relevance.metrics_findings import missing_metric
from features.relevance.metrics_results import MetricSpec
from features.relevance.metrics_section import correlation_section
from features.study import Scenario, Study
from features.systems.crowd_sets import CrowdSetsSpec, crowd_sets_section
from features.systems.pairs_section import all_pairs_section, default_spec, pair_section
from features.systems.rankings import RankingSpec, rankings_section
from features.systems.scale_results import ScaleSpec
from features.systems.scale_section import scale_section
from report.blocks import Section, build_section, merge_sections
from report.settings import SECTION_TITLES, ReportSettings

MAX_PAIRS = 12
"""Pairs of systems up to which each is looked at for itself; the scale says more of so many."""


def systems(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield all systems on one scale where there are more than two, then each pair."""
    all_polls = polls(study)
    if count_compared_systems(study) > 2:
        spec = ScaleSpec(style=study.whole.option_numbers, bootstrap=settings.bootstrap())
        yield build_section("systems", "Systems on one scale", scale_section(study, spec))
    if len(all_polls) <= MAX_PAIRS:
        yield _pairs_section(study, settings)


def _pairs_section(study: Study, settings: ReportSettings) -> Section:
    """Return all pairs, then each: in full under the design with most items, under others its finding."""
    name, title, all_polls = "pairs-of-systems", "Pairs of systems", polls(study)
    bootstrap = settings.bootstrap()
    shares = PreferenceSpec(draws=bootstrap.draws, seed=bootstrap.seed)
    sections = [build_section(name, title, all_pairs_section(study, shares))] if len(all_polls) > 1 else []
    for nth, poll in enumerate(all_polls, 1):
        blocks = pair_section(study, default_spec(study, poll, bootstrap))
        if poll is not max(polls_of_same_pair(poll, all_polls), key=lambda each: each.votes.items):
            blocks = (block for block in blocks if isinstance(block, Finding))
        sections.append(build_section(name, title, blocks, f"-{nth}"))
    return merge_sections(sections)


def workers(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the section on the raters' agreement over all comparisons, and on changes without excluded raters."""
    yield build_section("workers", "The raters of choices", workers_section(study, scenario, WorkersSpec()))


def rankings(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    if len(ranked(study)):
        spec = RankingSpec(bootstrap=settings.bootstrap(), scope=settings.generalize, tasks=settings.tasks)
        yield build_section("systems", "Systems on one scale", rankings_section(study, scenario, spec))


def rankers(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the section on raters whose rankings agree with the others."""
    if len(ranked(study)):
        blocks = rankers_section(study, scenario, RankersSpec())
        yield build_section("workers", "The raters who ranked", blocks)


def set_agreement(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    yield from _by_question(
        study,
        "agreement",
        SECTION_TITLES["agreement"],
        lambda question: sets_section(study, scenario, SetsSpec(question, settings.generalize)),
    )


def crowd_sets(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    yield from _by_question(
        study,
        "labels",
        "The crowd's labels",
        lambda question: crowd_sets_section(study, scenario, CrowdSetsSpec(question)),
    )


def labelers(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    yield from _by_question(
        study,
        "workers",
        "The raters who labeled",
        lambda question: labelers_section(study, LabelersSpec(question)),
    )


def _by_question(
    study: Study, name: str, title: str, section: Callable[[str], Iterable[Block]]
) -> Iterator[Section]:
    if not len(labeled(study).sets):
        return
    questions = questions_of(study)
    yield merge_sections(
        build_section(name, title, section(question), f"-{nth}" if len(questions) > 1 else "")
        for nth, question in enumerate(questions, 1)
    )


def comprehension(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield the shares of answers, then the summaries' length where it is known."""
    spec = AnswersSpec(bootstrap=settings.bootstrap())
    yield build_section(
        "comprehension", SECTION_TITLES["comprehension"], shares_section(study, scenario, spec)
    )
    if lengths_are_known(study):
        yield build_section("summary-length", "Summary length", length_section(study, scenario, spec))


def relevance(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    """Yield agreement with gold and with the own full text, and kappa."""
    bootstrap = settings.bootstrap()
    accuracy = accuracy_section(study, scenario, AccuracySpec(bootstrap=bootstrap, by_event=False))
    yield build_section("relevance", SECTION_TITLES["relevance"], accuracy)
    raters = raters_section(study, scenario, RatersSpec(bootstrap=bootstrap))
    yield build_section("kappa", "Whether raters agree", raters)


def surrogate_metrics(study: Study, scenario: Scenario, settings: ReportSettings) -> Iterator[Section]:
    surrogates = main_study(study).surrogates
    if missing_metric(surrogates, metrics(study)) is None:
        yield merge_sections(
            build_section(
                "metrics",
                SECTION_TITLES["metrics"],
                correlation_section(
                    study, scenario, MetricSpec(metric, surrogates.sides[0], seed=settings.seed)
                ),
                f"-{nth}",
            )
            for nth, metric in enumerate(metrics(study), 1)
        )
