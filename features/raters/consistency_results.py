"""Consistency of raters: on identical texts or with the others, on all measures, and results of screening rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from analysis.assessors.consistency import Consistency
from analysis.assessors.system_model import RaterFigures
from analysis.assessors.typical_rater import FEWEST_UNITS
from analysis.screening.observer_rejection import P913, Bt500
from analysis.screening.rating_behavior import FailedChecks, HighAnchors, Runs, Speed
from analysis.screening.subject_model import Bias, SubjectModel
from analysis.values.estimate import BootstrapSpec
from features.blocks import Progress
from features.plotting.theme import THREE_DIGITS, NumberFormat, decimal
from features.raters import rater_results
from features.raters.ranking import KnownAnswers, RaterRanking, rank_raters
from features.raters.rater_results import ANCHOR, CLOSED, REFERENCE
from features.raters.typical_rater_findings import ComparedRaters, leading_measure
from features.study import Study, cached, difference_writer, long_result, score_writer

MOST_SCREENED = 10_000_000
"""Ratings of a measure by a group up to which raters are screened without being asked to: each rule reads all."""
ON_TEXTS, WITH_OTHERS = "Alpha on identical texts", "Correlation with the mean of the others"
"""Titles of both figures on an axis."""


@dataclass(frozen=True)
class ConsistencySpec:
    """Measure whose raters are shown, "" for the one on which they differ most; `screens_many` reads many ratings."""

    measure: str = ""
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    screens_many: bool = False


@dataclass(frozen=True)
class AgreementSpec:
    """Measure whose raters are shown, "" for the first; those who share fewer items with others are not drawn."""

    measure: str = ""
    fewest_items: int = FEWEST_UNITS


@dataclass(frozen=True, eq=False)
class Screening:
    """Results of screening rules for the raters of one measure; None where the data set has no columns for a rule."""

    bias: Bias
    runs: Runs
    bt500: Bt500
    p913: P913
    model: SubjectModel | None
    speed: Speed | None
    checks: FailedChecks | None
    repeats: Mapping[str, Consistency] = field(default_factory=dict)
    """Alpha of raters with themselves on repeated items, by measure."""
    scattered: ComparedRaters | None = None
    references: FailedChecks | None = None
    """Share of hidden references that each rater rated below 90."""
    anchors: HighAnchors | None = None
    """Share of mid-range anchors that each rater rated above 90."""
    write_score: NumberFormat = decimal
    """Format of SDs in points of the scale."""
    write_difference: NumberFormat = THREE_DIGITS
    """Format of differences in points of the scale."""


@dataclass(frozen=True, eq=False)
class ConsistencyFound:
    """Raters of one group: figures and tests by measure, and the results of screening on the measure shown."""

    group: str
    measure: str
    ranked: Mapping[str, RaterFigures]
    compared: Sequence[ComparedRaters]
    screening: Screening | None = None

    @property
    def ranking(self) -> RaterRanking:
        here = next(one for one in self.compared if one.measure == self.measure)
        title = ON_TEXTS if isinstance(self.ranked[self.measure], Consistency) else WITH_OTHERS
        of_group = [self.group] * len(here.names)
        return RaterRanking(rank_raters(here, of_group, among=self.compared), here, title)


def compare_without_intervals(study: Study, measure: str = "") -> ConsistencyFound:
    """Compare the raters of each measure, at once; by default the one on which they differ most is shown."""
    ranked = _rank(study, CLOSED)
    compared = _compare(study, ranked)
    shown = measure or leading_measure(compared) or study.measures[0]
    return ConsistencyFound(study.candidate, shown, ranked, compared)


def consistency_stages(study: Study, spec: ConsistencySpec) -> Iterator[ConsistencyFound | Progress]:
    """Yield the raters without intervals unless these are kept, with intervals, then with screening."""
    closed = compare_without_intervals(study, spec.measure)
    key = rater_results.key(study.between_raters, "consistency of all", study.measures, spec.bootstrap)
    if cached(key) is None:
        yield closed
        yield Progress("Intervals of all raters")
    ranked = long_result(key, "Intervals of all raters", partial(_rank, study, spec.bootstrap))
    found = closed if ranked is None else replace(closed, ranked=ranked, compared=_compare(study, ranked))
    yield found
    if spec.screens_many or not has_many_ratings(study, found.measure):
        yield Progress("Screening")
        yield replace(found, screening=_screen(study, found.measure, spec.bootstrap))


def has_many_ratings(study: Study, measure: str) -> bool:
    """Return True where screening takes minutes."""
    return int(rater_results.numbers(study, measure).sum()) > MOST_SCREENED


def agreement_stages(study: Study, spec: AgreementSpec) -> Iterator[RaterRanking | Progress]:
    """Yield the agreement of raters with the others; of a large data set the reference follows."""
    measure = spec.measure or study.measures[0]
    if study.whole.has_sums and study.comparable:
        yield _agreement(study, measure, spec, refers=False)
        yield Progress("Agreement with the reference")
    yield _agreement(study, measure, spec, refers=study.comparable)


def _rank(
    study: Study, bootstrap: BootstrapSpec, on_progress: Callable[[float], object] | None = None
) -> dict[str, RaterFigures]:
    ranked: dict[str, RaterFigures] = {}
    for at, measure in enumerate(study.measures, 1):
        ranked[measure] = rater_results.ranked(study, measure, bootstrap)
        if on_progress is not None:
            on_progress(at / len(study.measures))
    return ranked


def _compare(study: Study, ranked: Mapping[str, RaterFigures]) -> list[ComparedRaters]:
    return [rater_results.compared(study, measure, one) for measure, one in ranked.items()]


def _screen(study: Study, measure: str, bootstrap: BootstrapSpec) -> Screening:
    repeats = {each: rater_results.alpha_on_repeats(study, each, bootstrap) for each in study.measures}
    has_control = partial(rater_results.has_control, study, measure)
    return Screening(
        rater_results.bias(study, measure),
        rater_results.runs(study, measure),
        rater_results.bt500(study, measure),
        rater_results.p913(study, measure),
        rater_results.model(study, measure),
        rater_results.speed(study, measure) if study.whole.has("seconds") else None,
        rater_results.failed_checks(study) if study.whole.has("check") else None,
        {each: one for each, one in repeats.items() if one is not None and one.sets.any()},
        rater_results.scattered(study, measure),
        rater_results.failed_references(study, measure) if has_control(REFERENCE) else None,
        rater_results.high_anchors(study, measure) if has_control(ANCHOR) else None,
        score_writer(study, measure),
        difference_writer(study, measure),
    )


def _agreement(study: Study, measure: str, spec: AgreementSpec, refers: bool) -> RaterRanking:
    compared = rater_results.compared(
        study, measure, rater_results.compute_agreement_with_others(study, measure, BootstrapSpec())
    )
    known = rater_results.compute_agreement_with_reference(study, measure) if refers else None
    ranked = rank_raters(compared, [study.candidate] * len(compared.names), known)
    axis = f"Correlation with {study.reference_name}, e_w"
    answers = KnownAnswers(study.reference_name, axis, is_share=False) if refers else None
    return RaterRanking(ranked, compared, f"{WITH_OTHERS}, r_w", spec.fewest_items, answers)
