"""Figures of each rater of the open study, cached: consistency, screening rules, speed, checks.

All are of everyone's ratings by the candidate group: an exclusion by these figures cannot change them. Where raters are
compared, a rater's repeats of an item count once. `…_values` give one number per rater code, NaN where unknown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.assessors import consistency, typical_rater
from analysis.assessors.attributes import estimate_severities
from analysis.assessors.consistency import Assessments, Consistency, OthersAgreement
from analysis.assessors.exclusion import Exclusion, ExclusionSpec
from analysis.assessors.exclusion_intervals import Intervals
from analysis.assessors.leave_one_out import LeaveOneOut, RandomDrops
from analysis.assessors.system_model import (
    RaterFigures,
    RaterSums,
    agreement_from_sums,
    consistency_estimates,
)
from analysis.assessors.typical_rater import (
    PooledVariance,
    TypicalComparison,
    compare_with_typical,
    pooled_variance,
)
from analysis.comparison.level_tests import same_scale
from analysis.screening import observer_rejection, rating_behavior, subject_model
from analysis.screening.observer_rejection import P913, Bt500, Divisor
from analysis.screening.rating_behavior import (
    FailedChecks,
    HighAnchors,
    Qualification,
    Runs,
    Speed,
    qualify,
)
from analysis.screening.subject_model import Bias, SubjectModel
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.workers.worker_agreement import agreement_with_reference, agreement_with_reference_from_sums
from features import exclusion as rankings
from features.assessments import (
    assessments,
    controls_of,
    item_pairs,
    mid_range_anchors,
    names,
    with_controls,
)
from features.plotting.theme import NumberFormat, decimal
from features.raters.typical_rater_findings import ALPHA, CORRELATION, RESIDUAL, ComparedRaters
from features.study import (
    ALL_GROUPS,
    CHECK_QUESTIONS,
    QualificationRule,
    Scenario,
    Study,
    digits_of_scores,
    key_of,
    long_result,
    query,
    ratings,
    read,
    result,
    unordered_ratings,
)

T = TypeVar("T")
REFERENCE = "hidden reference rated low (BS.1534)"
"""Name of the rule that excludes raters who miss hidden references."""
ANCHOR = "mid-range anchor rated high (BS.1534)"
"""Name of the rule that excludes raters who rate the mid-range anchor as if it were not impaired."""
CLOSED = BootstrapSpec(draws=0)
"""Figures without intervals: what a rule needs, at once."""
MOST_READ = 2_000_000
"""Ratings of a measure up to which all are read to compare raters; of more, those of a sample of the items."""


def raters(study: Study) -> NDArray[np.int64]:
    """Return the codes of the candidate group's raters, of all groups for choices of all."""
    if study.candidate == ALL_GROUPS:
        return np.arange(len(query(study.whole, "rater_names")["name"]))
    codes: NDArray[np.int64] = query(study.whole, "group_raters", group=study.candidate)["rater"]
    return codes


def ranks_by_texts(study: Study, measure: str) -> bool:
    """Return True where raters can be ranked by identical texts; otherwise it is by agreement with the others."""
    if not (study.whole.has("text_id") or study.whole.has("text")):
        return False
    texts = assessments(study, measure).has_texts
    return texts and any(alpha.defined for alpha in consistency_estimates(alpha_on_texts(study, measure)))


def ranked(study: Study, measure: str, bootstrap: BootstrapSpec = CLOSED) -> RaterFigures:
    """Return alphas on identical texts, or the agreement with the others where there are none."""
    of = alpha_on_texts if ranks_by_texts(study, measure) else compute_agreement_with_others
    return of(study, measure, bootstrap)


def alpha_on_texts(study: Study, measure: str, bootstrap: BootstrapSpec = CLOSED) -> Consistency:
    """Return each rater's alpha on identical texts: pooled with an interval, per split without."""

    def compute() -> Consistency:
        a = assessments(study, measure)
        if bootstrap.draws:
            pooled = consistency.consistency_on_texts(a.rater, a.text, a.score, None, bootstrap)
            return replace(pooled, by_split=alpha_on_texts(study, measure).by_split)
        split = a.split if (a.split >= 0).any() else None
        return consistency.consistency_on_texts(a.rater, a.text, a.score, split, bootstrap)

    return result(key(study, "on texts", measure, bootstrap), compute)


def alpha_on_repeats(study: Study, measure: str, bootstrap: BootstrapSpec = CLOSED) -> Consistency | None:
    """Return each rater's alpha over items that it rated more than once; None where nobody rated an item twice."""
    if study.merge is None:
        return None

    def compute() -> Consistency:
        return consistency.consistency_on_items(assessments(study, measure).ratings(), bootstrap)

    return result(key(study, "on repeats", measure, bootstrap), compute)


def compute_agreement_with_others(
    study: Study, measure: str, bootstrap: BootstrapSpec = CLOSED
) -> OthersAgreement:
    """Return each rater's agreement with the others."""
    study = study.between_raters

    def compute() -> OthersAgreement:
        asked = {"measure": measure, "group": study.candidate}
        of_raters = RaterSums(**query(study.whole, "rater_sums", **asked))
        items = query(study.whole, "unit_sums", **asked)
        return agreement_from_sums(
            of_raters,
            items["count"],
            items["total"],
            items["squares"],
            bootstrap,
            variances(study, measure)[1],
        )

    return result(key(study, "with others", measure, bootstrap), compute)


def compared(study: Study, measure: str, ranked: RaterFigures) -> ComparedRaters:
    """Return the raters of a measure, as ranked, with their tests against the typical rater."""
    rater_names = names(study, "rater")[ranked.raters].tolist()
    known = consistency_estimates(ranked)
    values = [each.value for each in known]
    if isinstance(ranked, Consistency):
        z, statistic, of = typical_rater.log_disagreement(values), ALPHA, study
    else:
        z, statistic, of = typical_rater.clipped_fisher_z(values), CORRELATION, study.between_raters

    def compute() -> PooledVariance:
        a = assessments(of, measure)
        return pooled_variance(typical_rater.alpha_changes(a.rater, a.text, a.score))

    if statistic is CORRELATION:
        variance, _ = variances(of, measure)
    else:
        variance = result(key(of, "variance of alphas", measure), compute)
    tests = compare_with_typical(z, [each.n for each in known], variance, unit=statistic.units)
    return ComparedRaters(measure, rater_names, known, tests, statistic)


def scattered(study: Study, measure: str) -> ComparedRaters:
    """Return the raters of a measure with the SD of their residuals, and its tests against the typical rater's."""
    study = study.between_raters

    def compute() -> tuple[typical_rater.RaterChanges, TypicalComparison]:
        found = typical_rater.scatter_changes(_ratings(study, measure))
        return found, compare_with_typical(found.z, found.units, pooled_variance(found))

    found, tests = result(key(study, "scatter", measure), compute)
    each = zip(found.z.tolist(), found.units.tolist(), strict=True)
    figures = [Estimate(RESIDUAL.value(z), n=n) for z, n in each]
    return ComparedRaters(measure, names(study, "rater")[found.raters].tolist(), figures, tests, RESIDUAL)


def variances(study: Study, measure: str) -> tuple[PooledVariance, float]:
    """Return the variance of correlations by which raters are compared, and that of one in Fisher's, once each."""

    def compute() -> tuple[PooledVariance, float]:
        found = typical_rater.correlation_changes(_ratings(study, measure))
        return pooled_variance(found), typical_rater.variance_ratio(found)

    return result(key(study, "variances of correlations", measure), compute)


def _ratings(study: Study, measure: str) -> Ratings:
    """Return everyone's ratings; of very many, those of a random sample of the items (seed 0)."""
    number = int(numbers(study, measure).sum())
    if number <= MOST_READ:
        return unordered_ratings(study.whole, measure, study.candidate)
    items = len(query(study.whole, "unit_sums", measure=measure, group=study.candidate)["count"])
    taken = max(items * MOST_READ // number, 1)
    return ratings(study.whole, measure, study.candidate, max_items=taken)


def severity_values(study: Study, measure: str) -> tuple[NDArray[np.float64], float]:
    """Return by rater code how much higher a rater scores than the mean rater on the same items, and the mean score."""
    once = study.between_raters

    def compute() -> tuple[NDArray[np.float64], float]:
        of = _ratings(once, measure)
        item = np.unique(of.item, return_inverse=True)[1]
        raters, rater = np.unique(of.rater, return_inverse=True)
        found = estimate_severities(item, rater, of.score)
        return by_code(study, raters.astype(np.int64), found), float(of.mos().means.mean())

    return result(key(once, "severities", measure), compute)


def numbers(study: Study, measure: str) -> NDArray[np.int64]:
    """Return the number of ratings that each of those raters gave."""
    parameters = {"measure": measure, "group": study.candidate}
    return query(study.whole, "cell_raters", **parameters)["ratings"]  # type: ignore[no-any-return]


def compute_agreement_with_reference(study: Study, measure: str) -> tuple[Estimate, ...]:
    """Return each of those raters' agreement with the reference: from sums for a group where nobody is excluded."""
    once = study.between_raters

    def compute() -> tuple[Estimate, ...]:
        if study.reference is not None and study.merge is None and study.dataset == study.whole:
            asked = {"measure": measure, "group": study.candidate, "reference": study.reference}
            return agreement_with_reference_from_sums(**read(study.whole, "with_reference", **asked))
        shared = item_pairs(study, measure).shared()
        values = dict(zip(np.asarray(shared.item).tolist(), shared.mos_reference.tolist(), strict=True))
        return agreement_with_reference(assessments(once, measure).ratings(), values)

    reference = study.reference, study.reference_column
    return result(key_of(once.dataset, "raters with reference", measure, study.candidate, reference), compute)


def _of_assessments(study: Study, what: str, measure: str, compute: Callable[..., T], *parts: object) -> T:
    return result(key(study, what, measure, *parts), lambda: compute(assessments(study, measure), *parts))


def bias(study: Study, measure: str) -> Bias:
    """Return each rater's mean deviation from the items' MOS."""
    return _of_assessments(study.between_raters, "bias", measure, lambda a: subject_model.bias(a.ratings()))


def bt500(study: Study, measure: str, divisor: Divisor = "n - 1") -> Bt500:
    once = study.between_raters
    return _of_assessments(
        once, "BT.500", measure, lambda a, by: observer_rejection.bt500(a.ratings(), by), divisor
    )


def p913(study: Study, measure: str) -> P913:
    """Return P.913's verdicts, by systems too where there are some."""

    def compute(a: Assessments) -> P913:
        return observer_rejection.p913(a.ratings(), a.system if a.has_systems else None)

    return _of_assessments(study.between_raters, "P.913", measure, compute)


def runs(study: Study, measure: str) -> Runs:
    """Return equal answers in a row, in time order."""
    return _of_assessments(study, "runs", measure, lambda a: rating_behavior.runs(a.rater, a.score, a.order))


def speed(study: Study, measure: str, factor: float = 0.5) -> Speed:
    """Return each rater's median seconds per rating."""
    return _of_assessments(
        study, "speed", measure, lambda a, by: rating_behavior.speed(a.rater, a.seconds, by), factor
    )


def failed_checks(study: Study, tolerance: float = 0.0) -> FailedChecks:
    """Return the results of check questions of all measures together."""

    def compute() -> FailedChecks:
        rows = query(study.whole, "checks", group=study.candidate)
        return rating_behavior.failed_checks(rows["rater"], rows["score"], rows["expected"], tolerance)

    return result(key(study, "failed checks", tolerance), compute)


def failed_references(study: Study, measure: str, lowest: float = 90.0) -> FailedChecks:
    """Return how often the candidate's raters rate hidden references of a measure below a score."""

    def compute() -> FailedChecks:
        rater, _, score = _ratings_of_systems(study, measure, controls_of(study.whole, "reference"))
        return rating_behavior.failed_references(rater, score, lowest)

    return result(key(study, "failed references", measure, lowest), compute)


def has_control(study: Study, measure: str, rule: str) -> bool:
    """Return True where there are ratings of the control of a rule of BS.1534, on a scale up to 100."""
    systems = controls_of(study.whole, "reference") if rule == REFERENCE else mid_range_anchors(study.whole)

    def compute() -> bool:
        scores = assessments(with_controls(study), measure).score
        goes_to_100 = 10 < float(scores.max(initial=0)) <= 100
        return goes_to_100 and len(_ratings_of_systems(study, measure, systems)[0]) > 0

    return bool(systems) and result(key(study, "has control", measure, rule), compute)


def high_anchors(study: Study, measure: str, highest: float = 90.0) -> HighAnchors:
    """Return how often the candidate's raters rate mid-range anchors of a measure above a score."""

    def compute() -> HighAnchors:
        rated = _ratings_of_systems(study, measure, mid_range_anchors(study.whole))
        return rating_behavior.high_anchors(*rated, highest)

    return result(key(study, "high anchors", measure, highest), compute)


def _ratings_of_systems(
    study: Study, measure: str, systems: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return rater codes of the study, items and scores (N,) of these systems, which may be controls."""
    every = with_controls(study).between_raters
    a = assessments(every, measure)
    chosen = np.isin(names(every, "system"), systems)
    code = {name: at for at, name in enumerate(names(study, "rater").tolist())}
    rater = np.asarray([code.get(name, -1) for name in names(every, "rater").tolist()])[a.rater]
    rows = np.append(chosen, False)[a.system] & (rater >= 0)
    return rater[rows], a.item[rows], a.score[rows]


def qualification(study: Study, rule: QualificationRule) -> Qualification | None:
    """Return the points of the candidate's raters; None where nothing is known, or all scores are the same."""
    study = study.between_raters

    def compute() -> Qualification | None:
        a = assessments(study, rule.on)
        rater, score, expected = _join_known_ratings(study, rule, a)
        every = np.concatenate([a.score, score, expected[~np.isnan(expected)]])
        span = rule.span or (float(np.ptp(every)) if len(every) else 0.0)
        if not span > 0 or np.isnan(expected).all():
            return None
        return qualify(rater, score, expected, span, rule.pass_mark, rule.fewest)

    return result(key(study, "qualification", rule), compute)


def _join_known_ratings(
    study: Study, rule: QualificationRule, a: Assessments
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return raters, ratings and known ratings (N,), NaN where not known."""
    if rule.whom == CHECK_QUESTIONS:
        rows = query(study.whole, "checks", group=study.candidate)
        return rows["rater"], rows["score"], rows["expected"]
    is_group = rule.whom in study.groups
    other = replace(
        study,
        reference=rule.whom if is_group else None,
        reference_column=None if is_group else rule.whom,
        dataset=study.whole,
    )
    shared = item_pairs(other, rule.on).shared()
    if not is_group and not same_scale(shared.mos_candidate, shared.mos_reference):
        return a.rater[:0], a.score[:0], a.score[:0]  # points cost what deviates
    values = dict(zip(np.asarray(shared.item).tolist(), shared.mos_reference.tolist(), strict=True))
    ratings = a.ratings()
    expected = np.array([values.get(item, np.nan) for item in ratings.item.tolist()], dtype=np.float64)
    return ratings.rater.astype(np.int64), ratings.score, expected


def model(study: Study, measure: str) -> SubjectModel | None:
    """Return P.910's model of bias and inconsistency; None while its computation is stopped."""
    study = study.between_raters

    def compute(on_progress: Callable[[float], object]) -> SubjectModel:
        return subject_model.subject_model(assessments(study, measure).ratings(), on_progress=on_progress)

    return long_result(key(study, "P.910", measure), "Bias and inconsistency (P.910)", compute)


def alpha_values(study: Study, measure: str) -> NDArray[np.float64]:
    """Return alpha on identical texts by rater code."""
    of_each = alpha_on_texts(study, measure)
    return by_code(study, of_each.raters, [estimate.value for estimate in of_each.alpha])


def others_values(study: Study, measure: str) -> NDArray[np.float64]:
    """Return the correlation with the mean of the others by rater code."""
    of_each = compute_agreement_with_others(study, measure)
    return by_code(study, of_each.raters, of_each.correlation)


def by_code(study: Study, codes: NDArray[np.int64], values: ArrayLike) -> NDArray[np.float64]:
    """Return values by rater code, NaN for the others."""
    laid = np.full(len(query(study.whole, "rater_names")["name"]), np.nan)
    laid[codes] = np.asarray(values, dtype=np.float64)
    return laid


def key(study: Study, what: str, *parts: object) -> str:
    """Return the cache key of a result on the candidate group's raters."""
    return key_of(study.whole, what, study.candidate, *parts)


Drawn = Mapping[str, tuple[Intervals, RandomDrops]]
"""Intervals and random exclusions by measure."""


@dataclass(frozen=True)
class RankingSpec:
    """Measure that ranks, and how scores are made and intervals drawn."""

    measure: str
    exclusion: ExclusionSpec = field(default_factory=ExclusionSpec)


@dataclass(frozen=True, eq=False)
class RankingChange:
    """Ranking by `measure` with everyone and without the excluded raters, and those by all measures.

    `what` is ranked, in the plural; `ranked` and `raters` are names by code. `drawn` is None while stopped and before
    intervals are drawn, `one_by_one` while stopped. Scores are written with `score_digits`, for small changes.
    """

    measure: str
    what: str
    ranked: NDArray[np.str_]
    raters: NDArray[np.str_]
    points: Mapping[str, Exclusion]
    drawn: Drawn | None = None
    one_by_one: LeaveOneOut | None = None
    score_digits: int = 3

    @property
    def write_score(self) -> NumberFormat:
        return partial(decimal, digits=self.score_digits)

    @property
    def here(self) -> Exclusion:
        return self.points[self.measure]

    @property
    def intervals(self) -> Intervals | None:
        return None if self.drawn is None else self.drawn[self.measure][0]


def compare_points(
    study: Study, scenario: Scenario, spec: RankingSpec, *, every_measure: bool = True
) -> RankingChange:
    """Compare the rankings without intervals, by the spec's measure alone or by every chosen one."""
    measures = dict.fromkeys([spec.measure, *(study.measures if every_measure else ())])
    points = {each: rankings.exclusion(study, each, scenario, spec.exclusion) for each in measures}
    return RankingChange(
        spec.measure,
        rankings.kind_of_ranked(study, spec.measure),
        rankings.names_of_ranked(study, spec.measure),
        names(study, "rater"),
        points,
        score_digits=digits_of_scores(study, spec.measure) + 1,
    )


def compare_rankings(study: Study, scenario: Scenario, spec: RankingSpec) -> RankingChange:
    """Compare the rankings with and without the excluded raters, with intervals, and without each rater in turn."""
    return replace(
        compare_points(study, scenario, spec),
        drawn=rankings.exclusion_intervals(study, scenario, spec.exclusion),
        one_by_one=rankings.leave_one_out_of(study, spec.measure, spec.exclusion),
    )
