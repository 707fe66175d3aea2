"""Length of summaries beside what is found of others' questions in them, and its picture."""

from collections.abc import Sequence

from analysis.comprehension.length_and_found import LengthAndFound, Summaries, length_and_found
from analysis.values.estimate import BootstrapSpec
from charts.comprehension.length_scatter import Point, length_scatter
from features.plotting.figure import Figure
from features.plotting.theme import Look
from features.results import OnProgress
from features.study import Study
from findings.comprehension import answers

LABEL = "Intervals of length"


def lengths_of(
    study: Study, machines: tuple[int, ...], bootstrap: BootstrapSpec, on_progress: OnProgress | None = None
) -> LengthAndFound:
    """Length beside what is found; machines stay out of the correlations."""
    given, there = answers.answers(study), answers.summaries(study)
    story, author, words, characters = (there[name] for name in ("story", "author", "words", "characters"))
    summaries = Summaries(story, author, words, characters, len(answers.names(study, "author")))
    return length_and_found(given, summaries, machines, bootstrap, on_progress)


def scatter(by_length: LengthAndFound, names: Sequence[str], machines: Sequence[int], look: Look) -> Figure:
    """A dot per author."""
    lengths, levels = by_length.table.characters.mean, by_length.levels
    points = [
        Point(names[code], float(lengths[code]), levels.estimate(code, "found"), code in machines)
        for code in [*by_length.people, *machines]
        if code < len(levels)
    ]
    return length_scatter(points, by_length.over_authors, look)
