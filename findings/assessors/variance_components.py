"""Variance components of a study's ratings: the Assessors page shows them, the Planning page and the report plan with
them.
"""

from collections.abc import Callable
from functools import cache

from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import Components, estimated, fits_likelihood, with_intervals
from analysis.variance.sources import Design, design
from findings.assessors.assessments import assessments
from findings.bench import key_of, long_result, read, result, shelved
from findings.study import Study

DesignOf = Callable[[], Design]


def laid_out(study: Study, measure: str) -> DesignOf:
    """What lays one measure's ratings out when it is first asked, once for all that are given it: of millions of
    ratings that takes seconds, and too much room to be kept."""

    def compute() -> Design:
        if study.whole.summed:
            return design(**read(study.whole, "crossed_ratings", measure=measure, group=study.candidate))
        a = assessments(study, measure)
        return design(a.item, a.rater, a.score, a.system, a.topic)

    return cache(compute)


def sources(study: Study, measure: str, made: DesignOf | None = None) -> tuple[str, ...]:
    """What one measure's ratings tell apart."""
    return _at_once(study, measure, made or laid_out(study, measure))[0]


def without_intervals(study: Study, measure: str, made: DesignOf | None = None) -> Components | None:
    """One measure's variances, of everyone's ratings by the candidate group; None while stopped."""
    of = made or laid_out(study, measure)
    return _at_once(study, measure, of)[1] or long_result(
        _key(study, measure),
        "Variances",
        lambda on_progress: estimated(of(), on_progress),
    )


def _at_once(study: Study, measure: str, made: DesignOf) -> tuple[tuple[str, ...], Components | None]:
    """What the ratings tell apart, and the variances where they take no longer than that: not by a likelihood."""

    def compute() -> tuple[tuple[str, ...], Components | None]:
        names = tuple(source.name for source in made().sources)
        return names, None if fits_likelihood(made()) else estimated(made())

    return result(_key(study, measure, "sources"), compute)


def known(study: Study, measure: str, bootstrap: BootstrapSpec) -> Components | None:
    """The same as `drawn`, if it is already there."""
    found: Components | None = shelved(_key(study, measure, bootstrap))
    return found


def drawn(
    study: Study,
    measure: str,
    closed: Components,
    bootstrap: BootstrapSpec,
    made: DesignOf | None = None,
) -> Components | None:
    """The same with what its intervals are drawn from; None while stopped."""
    of = made or laid_out(study, measure)
    return long_result(
        _key(study, measure, bootstrap),
        "Intervals of the variances",
        lambda on_progress: with_intervals(closed, of(), bootstrap, on_progress),
    )


def _key(study: Study, measure: str, *parts: object) -> str:
    return key_of(study.whole, "variance components", study.candidate, measure, *parts)
