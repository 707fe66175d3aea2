"""From a study's ratings to the variances that a plan rests on: the Planning page and the report take the same."""

from collections.abc import Callable

import numpy as np

from analysis.items.rating_spread import RatingSpread, rating_spread
from analysis.study_planning.pilot import severity, unknown
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.variance.components import Components
from features.repetitions.details_results import one_way_of
from features.repetitions.ratings_results import candidate_ratings
from features.results import key_of, query, result
from features.study import Study
from findings.assessors.variance_components import drawn, known, laid_out, sources, without_intervals
from findings.planning.basis import KINDS, Basis, of_preset, of_ratings

USUAL = "speech study"
COLUMNS = {
    "system": "a column that names each item's system (codec, model, condition)",
    "topic": "one that names what is the same under every system (topic, sentence, source clip)",
}
"""What ratings must have for systems to be planned for, in words."""
STOPPED = "working out their variances was stopped"


def of_open(study: Study, measure: str, about_systems: bool = True) -> Basis:
    """The variances of one measure's ratings by the candidate group with what so many ratings leave open, or of a
    preset where these cannot be told; how far a difference of systems varies where that is asked (`about_systems`).
    """
    basis, surer = at_once(study, measure, about_systems)
    return basis if surer is None else surer()


def at_once(
    study: Study, measure: str, about_systems: bool = True
) -> tuple[Basis, Callable[[], Basis] | None]:
    """The same without what ratings leave open where that is not there yet, and what draws it then."""
    made = laid_out(study, measure)
    if about_systems and (reason := unknown(sources(study, measure, made))):
        return of_preset(KINDS[USUAL], reason + would_tell(study)), None
    closed = without_intervals(study, measure, made)
    if closed is None or closed.reason:
        return of_preset(KINDS[USUAL], STOPPED if closed is None else closed.reason), None
    found = known(study, measure, BootstrapSpec())
    basis = of_components(study, measure, found or closed)
    if found is not None:
        return basis, None
    return (
        basis,
        lambda: (
            basis
            if (better := drawn(study, measure, closed, BootstrapSpec(), made)) is None
            else of_components(study, measure, better)
        ),
    )


def severity_of_open(study: Study) -> Estimate:
    """The raters' share of what the open ratings of an item differ by, on their first measure; else of a preset."""
    basis = of_preset(KINDS[USUAL]) if study.holds_choices else of_open(study, study.measures[0], False)
    return severity(basis.pilot)


def would_tell(study: Study) -> str:
    """Which columns would let the open ratings tell how far systems differ; "" where they are there."""
    missing = [words for column, words in COLUMNS.items() if not study.whole.has(column)]
    return f". It takes {' and '.join(missing)}, chosen on the Data page" if missing else ""


def of_components(study: Study, measure: str, found: Components) -> Basis:
    """The same where the variances are at hand."""
    ends = query(study.whole, "score_range", measure=measure, group=study.candidate)
    return of_ratings(found, float(ends["high"][0] - ends["low"][0]))


def usual_half(study: Study, measure: str) -> float:
    """What half of an interval many ask for: 6 of 100 of the range of the scores."""
    known = one_way_of(study, measure).ratings
    return 0.06 * (float(np.ptp(candidate_ratings(study, measure).score)) if known else 1.0)


def spread_of(study: Study, measure: str) -> RatingSpread:
    """Return the variance of the ratings of an item by the candidate group, pooled over items."""
    once = study.between_raters
    return result(
        key_of(once.dataset, "rating spread", measure, study.candidate, study.reference),
        lambda: rating_spread(candidate_ratings(once, measure)),
    )
