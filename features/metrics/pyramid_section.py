"""Section of "Pyramid": manual minus automatic Pyramid score of each rater, from joined contributors."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from analysis.assessors.pyramid import AssessorDifferences, PyramidScores, TopicScores, by_topic
from analysis.values.estimate import BootstrapSpec, Estimate, InputError
from data.dataset import Dataset
from features.assessments import pyramid_differences, score_pyramid
from features.blocks import Block, Figure
from features.cache import Stopped
from features.methods import method_of
from features.metrics import pyramid_findings as findings
from features.metrics.pyramid_figures import difference_dots
from features.program import study_program
from features.study import Scenario, Study


@dataclass(frozen=True, eq=False)
class RaterPyramids:
    """Pyramid scores of the summaries, and mP - aP of each rater."""

    scores: PyramidScores
    of_each: AssessorDifferences

    @property
    def differences(self) -> dict[str, Estimate]:
        """Return mP - aP by rater."""
        return dict(findings.by_name(self.of_each))

    @property
    def topics(self) -> TopicScores:
        """Return mean scores by rater and topic."""
        return by_topic(self.scores)


def score_raters(study: Study, spec: BootstrapSpec, contributors: Dataset) -> RaterPyramids:
    """Score the summaries by their contributors, and return mP - aP of each rater with its interval.

    Raises
    ------
    InputError
        where a column of the contributors cannot be read.
    Stopped
        where the computation was stopped.
    """
    scores = score_pyramid(study, contributors)
    if scores is None:
        raise Stopped
    return RaterPyramids(scores, pyramid_differences(study, contributors, scores, spec))


def pyramid_section(
    study: Study, scenario: Scenario, spec: BootstrapSpec, contributors: Dataset | None
) -> Iterator[Block]:
    """Yield mP - aP of each rater, then topic by topic."""
    if contributors is None or not study.whole.has("text"):
        yield findings.nothing_to_score(study.whole.has("text"))
        return
    try:
        found = score_raters(study, spec, contributors)
    except Stopped:
        return
    except InputError as error:
        yield findings.unusable(str(error))
        return
    if scenario.excludes:
        yield findings.exclusion_finding(scenario)
    yield findings.pyramid_finding(found.of_each, scenario)
    if found.differences:
        rows = findings.by_name(found.of_each)
        caption = "Manual minus automatic Pyramid score of each rater with its 95% CI, the lowest on top."
        draw = partial(difference_dots, rows, excluded=set(scenario.names))
        yield Figure("pyramid", (caption, {}), draw)
        yield findings.raters_table(found.of_each, scenario)
        yield findings.topics_table(found.scores)
    yield from findings.pyramid_warnings(found.scores)
    yield from findings.pyramid_notes(found.scores, spec)
    yield method_of("metrics", "pyramid", ["owczarzak2012", "nenkova2004"])


def pyramid_program(study: Study, spec: BootstrapSpec, joined: tuple[str, Dataset]) -> str:
    """Return a program that scores the raters without a browser."""
    lines = ["results = {'raters': found.differences, 'sizes': found.of_each, 'topics': found.topics}"]
    return study_program(study.everyone, None, score_raters, spec, lines, joined)
