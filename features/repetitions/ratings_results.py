"""Ratings needed per item, and curves of ratings with their knees and intervals: spec and results, cached.

Above `LARGEST_BOOTSTRAP` items curves are computed from a seeded sample of them; the page says so. Bootstrap samples do
not depend on the number of shuffles, so a step of that slider reads them again but computes none.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.intraclass import OneWayIntervals, one_way_intervals
from analysis.agreement.reliability import OneWay, one_way
from analysis.correlation.rank_rows import Correlation
from analysis.items.rating_spread import RatingSpread, rating_spread
from analysis.repetitions import attenuation as attenuation_module
from analysis.repetitions.attenuation import (
    Attenuation,
    Sensitivity,
    Times,
    ratings_needed,
    repetitions_of_times,
    sensitivity,
    summarize_times,
)
from analysis.repetitions.knee import DEFAULT_BOOTSTRAP, FittedCurves, KneeInterval, fit_curves, knee_interval
from analysis.repetitions.rating_orders import (
    AGGREGATIONS,
    ITEMWISE_AGGREGATIONS,
    Aggregation,
    largest_common_count,
)
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.resampled_ratings import resampled_curves
from analysis.repetitions.saturation import Curves, mean_and_count
from analysis.repetitions.stopping import (
    NestedVariances,
    Stop,
    StoppingSpec,
    apply_stopping_rules,
    nested_variance_components,
)
from analysis.values.estimate import BootstrapSpec, Estimate, Scope, chosen_scope
from analysis.values.ratings import Ratings
from features.assessments import fewest_raters, has_many_items, of_group
from features.blocks import Progress, last_stage
from features.study import (
    LARGEST_BOOTSTRAP,
    OnProgress,
    Study,
    cached,
    key_of,
    long_results,
    query,
    ratings,
    read,
    result,
)

T = TypeVar("T")


def candidate_ratings(study: Study, measure: str) -> Ratings:
    """Return the ratings that a curve runs over: those of items that the reference knows, or a sample of them."""
    return _group_ratings(study, measure, study.candidate, study.reference)


def _group_ratings(study: Study, measure: str, group: str, shared_with: str | None) -> Ratings:
    chosen: dict[str, Any] = {}
    if has_many_items(study, measure, group):
        chosen = {"max_items": LARGEST_BOOTSTRAP}
        if shared_with is not None:
            chosen["shared_with"] = shared_with
    return ratings(study.dataset, measure, group, **chosen)


def _once(study: Study, what: str, measure: str, compute: Callable[[Ratings], T]) -> T:
    """Return what is computed from the ratings where a rater's repeats of an item count as one."""
    once = study.between_raters
    key = key_of(once.dataset, what, measure, study.candidate, study.reference)
    return result(key, lambda: compute(candidate_ratings(once, measure)))


def one_way_of(study: Study, measure: str) -> OneWay:
    return _once(study, "one-way", measure, one_way)


def one_way_intervals_of(study: Study, measure: str) -> OneWayIntervals:
    compute = partial(one_way_intervals, raters_are_persons=study.raters_are_persons)
    return _once(study, "one-way intervals", measure, compute)


def spread_of(study: Study, measure: str) -> RatingSpread:
    """Return the variance of the ratings of an item, pooled over items."""
    return _once(study, "rating spread", measure, rating_spread)


def score_span(study: Study, measure: str) -> float:
    """Return the range of the scores, 1 where none of an item is known."""
    known = one_way_of(study, measure).ratings
    return float(np.ptp(candidate_ratings(study, measure).score)) if known else 1.0


DEFAULT_SHUFFLES = 200
AHEAD = 50
"""Shuffles are simulated in multiples of so many."""
SHUFFLES_OF_SAMPLE = 20
"""Shuffles of each bootstrap sample (methods, section 0)."""
TARGET = 0.8
SYMBOLS: dict[Correlation, str] = {
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
    "kendall": "Kendall's τ-b",
}


@dataclass(frozen=True)
class RatingsSpec:
    """Curves of ratings, and the reliability whose ratings are asked for.

    `target` is the reliability of an item's mean, `curves` how curves are simulated, `sensitivity` Kneedle's S,
    `bootstrap` how the knees' intervals are drawn (0 draws: none). `scope` is that of the reliability and of the knees'
    intervals, None for raters like these from 6 raters on.
    """

    curves: RepetitionSpec
    target: float = TARGET
    sensitivity: float = 1.0
    bootstrap: BootstrapSpec = DEFAULT_BOOTSTRAP
    scope: Scope | None = None

    @property
    def correlation(self) -> str:
        return SYMBOLS[self.curves.correlation]


@dataclass(frozen=True)
class Needed:
    """Ratings per item that a measure needs for the target, with the agreement that they follow from."""

    measure: str
    agreement: AgreementSummary
    ratings: Estimate

    @property
    def has_number(self) -> bool:
        """True where a number of ratings can be named."""
        one = self.agreement.one
        return one.low > 0 and not one.warning and bool(np.isfinite(self.ratings.value))


@dataclass(frozen=True, eq=False)
class Repetitions:
    """Ratings needed by each measure (none of votes), fitted curves, and knees' intervals once they are known."""

    needed: tuple[Needed, ...]
    fitted: tuple[FittedCurves, ...]
    intervals: tuple[KneeInterval, ...] | None = None


def default_spec(
    study: Study, bootstrap: BootstrapSpec = DEFAULT_BOOTSTRAP, scope: Scope | None = None
) -> RatingsSpec:
    curves = RepetitionSpec(DEFAULT_SHUFFLES, range_of_repetitions(study).repetitions, seed=bootstrap.seed)
    return RatingsSpec(curves, bootstrap=bootstrap, scope=scope)


def count_ratings_needed(
    study: Study, target: float = TARGET, scope: Scope | None = None
) -> tuple[Needed, ...]:
    """Return the ratings that each chosen measure needs, from the agreement that other pages show, too."""
    summaries = {measure: of_group(study, measure, study.candidate, scope) for measure in study.measures}
    return tuple(
        Needed(measure, found, ratings_needed(found, target)) for measure, found in summaries.items()
    )


def simulate_repetitions(study: Study, spec: RatingsSpec) -> Repetitions:
    """Simulate and fit the curves of a study's ratings, without intervals where these were stopped."""
    return last_stage(repetition_stages(study, spec))


def repetition_stages(study: Study, spec: RatingsSpec) -> Iterator[Repetitions | Progress]:
    """Yield the fitted curves, then the same with the knees' intervals."""
    needed = count_ratings_needed(study, spec.target, spec.scope)
    fitted = fitted_curves(study, spec.curves, spec.sensitivity)
    yield Repetitions(needed, fitted)
    if spec.bootstrap.draws:
        yield Progress("Intervals of the knees")
        if (intervals := knee_intervals(study, spec, fitted)) is not None:
            yield Repetitions(needed, fitted, intervals)


def known_repetitions(study: Study, spec: RatingsSpec) -> Repetitions:
    """Return the same with the knees' intervals only where their bootstrap samples are there already."""
    known = cached(_samples_key(study, spec)) is not None
    return simulate_repetitions(
        study, spec if known else replace(spec, bootstrap=replace(spec.bootstrap, draws=0))
    )


def reference_values(study: Study, measure: str) -> dict[Any, float] | None:
    """Return the reference's value of each item of a curve: a group's MOS or a column; None for split halves."""
    if study.reference_column is None and study.reference is None:
        return None

    def read() -> dict[Any, float]:
        item, value = _known_values(study, measure)
        here = np.isin(item, candidate_ratings(study, measure).item)
        return dict(zip(item[here].tolist(), value[here].tolist(), strict=True))

    of = study.candidate, study.reference, study.reference_column
    return result(key_of(study.dataset, "reference", measure, *of), read)


def _known_values(study: Study, measure: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return all items that the reference knows, and their values."""
    if study.reference_column is not None:
        rows = query(study.dataset, "item_numbers", column=study.reference_column)
        return rows["item"], rows["value"]
    rows = query(study.dataset, "cell_means", measure=measure, group=study.reference)
    return rows["item"], rows["mean"]


def fitted_curves(study: Study, spec: RepetitionSpec, sensitivity: float) -> tuple[FittedCurves, ...]:
    """Return the curves of all chosen measures under one spec, fitted together."""

    def compute() -> tuple[FittedCurves, ...]:
        curves = [_simulated(study, measure, spec) for measure in study.measures]
        return fit_curves(study.measures, curves, sensitivity)

    return result(curves_key(study, "fitted", spec, sensitivity), compute)


def _simulated(study: Study, measure: str, spec: RepetitionSpec) -> Curves:
    """Return one measure's curves.

    The first shuffles are the same however many there are, so some are simulated ahead: most steps of the slider
    simulate none, and every other only new ones.
    """
    rated, known = candidate_ratings(study, measure), reference_values(study, measure)

    def key(shuffles: int) -> str:
        of = study.candidate, study.reference, study.reference_column
        return key_of(study.dataset, "shuffles", measure, *of, replace(spec, shuffles=shuffles))

    def compute() -> Curves:
        fewer = (cached(key(shuffles)) for shuffles in range(ahead - AHEAD, 0, -AHEAD))
        before = next((curves for curves in fewer if curves is not None), None)
        return simulate(rated, known, replace(spec, shuffles=ahead), before)

    ahead = ceil(spec.shuffles / AHEAD) * AHEAD
    return simulate(rated, known, spec, result(key(ahead), compute))


def knee_intervals(
    study: Study, spec: RatingsSpec, fitted: Sequence[FittedCurves]
) -> tuple[KneeInterval, ...] | None:
    """Return the interval of each knee; None while stopped."""
    bare, varies = replace(spec.curves, shuffles=0), varies_raters(study, spec.scope)

    def resample(measure: str, on_progress: OnProgress) -> NDArray[np.float64]:
        known: Any = reference_values(study, measure)
        if study.reference is not None:  # its raters are resampled, too
            known = _group_ratings(study, measure, study.reference, study.candidate)
        given = bare, spec.bootstrap, SHUFFLES_OF_SAMPLE, varies
        return resampled_curves(candidate_ratings(study, measure), known, *given, on_progress=on_progress)

    samples = long_results(_samples_key(study, spec), "Intervals of the knees", study.measures, resample)
    key = curves_key(study, "knee intervals", spec.curves, spec.sensitivity, spec.bootstrap, varies)
    return intervals_from(samples, key, fitted, spec.sensitivity, spec.bootstrap.level)


def intervals_from(
    samples: tuple[NDArray[np.float64], ...] | None,
    key: str,
    fitted: Sequence[FittedCurves],
    sensitivity: float,
    level: float,
) -> tuple[KneeInterval, ...] | None:
    """Return the interval of each knee from its bootstrap samples, cached; None without samples."""
    if samples is None:
        return None

    def of_curve(one: FittedCurves, drawn: NDArray[np.float64]) -> KneeInterval:
        shares = one.curves.shares
        saturation = None if shares else one.saturation
        return knee_interval(one.curves, drawn, sensitivity, level, shares=shares, fitted=saturation)

    return result(key, lambda: tuple(map(of_curve, fitted, samples)))


def _samples_key(study: Study, spec: RatingsSpec) -> str:
    """Return the cache key of the bootstrap samples, which do not depend on the number of shuffles."""
    bare, varies = replace(spec.curves, shuffles=0), varies_raters(study, spec.scope)
    return curves_key(study, "resampled", bare, spec.bootstrap, varies)


def varies_raters(study: Study, scope: Scope | None) -> bool:
    """Return True where intervals of knees are for raters like these."""
    raters = fewest_raters(study, study.candidate)
    return chosen_scope(scope, raters, study.raters_are_persons) == "raters like these"


def curves_key(study: Study, what: str, *parts: object) -> str:
    """Return the cache key of something made from the curves of the chosen measures."""
    of = study.measures, study.candidate, study.reference, study.reference_column
    return key_of(study.dataset, what, *of, *parts)


@dataclass(frozen=True)
class Range:
    """Numbers of ratings or votes per item: that all items of all curves have, that most have, and the largest."""

    smallest: int = 1
    usual: int = 1
    most: int = 1

    @property
    def repetitions(self) -> int | None:
        """Number at which curves end by default, as a spec says it."""
        return None if self.usual == self.smallest else self.usual


def range_of_counts(counts: Sequence[NDArray[np.int64]]) -> Range:
    """Return the range of the numbers per item of each curve."""
    rated = [one for one in counts if len(one)]
    if not rated:
        return Range()
    smallest, most = (min(int(one.min()) for one in rated), max(int(one.max()) for one in rated))
    return Range(smallest, min(largest_common_count(one) for one in rated), most)


def range_of_repetitions(study: Study) -> Range:
    """Return how far the curves of the chosen measures can run."""

    def compute() -> Range:
        each = []
        for measure in study.measures:
            known = reference_values(study, measure)
            items, counts = np.unique(candidate_ratings(study, measure).item, return_counts=True)
            each.append(counts if known is None else counts[np.isin(items, list(known))])
        return range_of_counts(each)

    return result(curves_key(study, "range of repetitions"), compute)


def has_two_ratings(study: Study) -> bool:
    """Return True where some item has two ratings of a measure by the candidate."""
    if range_of_repetitions(study).most > 1:
        return True
    return any(one.agreement.one.n > 0 for one in count_ratings_needed(study))


FEWER_SHUFFLES = 50
"""Shuffles of figures without bands: a mean over so many moves by less than the width of a line."""


MeanCurves = Mapping[str, Mapping[Aggregation, NDArray[np.float64]]]
"""measure -> aggregation -> mean curve over orders (m,)."""


@dataclass(frozen=True)
class Enough:
    """Thresholds of the stopping rules, widths and distances as shares of the scale."""

    share: float = 0.95
    gain: float = 0.005
    reliability: float = TARGET
    width: float = 0.25
    distance: float = 0.1
    power: float = 0.8

    def spec(self, scale: float) -> StoppingSpec:
        """Return the same in points of a scale; a measure whose scores are all equal has none."""
        return StoppingSpec(
            share=self.share,
            gain=self.gain,
            reliability=self.reliability,
            width=self.width * scale if scale > 0 else None,
            distance=self.distance * scale if scale > 0 else None,
            power=self.power,
        )


@dataclass(frozen=True)
class MeasureRules:
    """One measure with the limit of its curve, its stopping rules, and the intervals that are known."""

    fitted: FittedCurves
    attenuation: Attenuation
    components: OneWay
    stops: tuple[Stop, ...]
    interval: KneeInterval | None
    of_components: OneWayIntervals
    agreement: AgreementSummary
    scale: float = 0.0


def measure_rules(
    study: Study, spec: RatingsSpec, found: Repetitions, enough: Enough
) -> tuple[MeasureRules, ...]:
    """Return limits and stopping rules of all measures."""

    def of_measure(one: FittedCurves, limit: Attenuation, interval: KneeInterval | None) -> MeasureRules:
        rated, components = candidate_ratings(study, one.measure), one_way_of(study, one.measure)
        scale = float(np.ptp(rated.score)) if len(rated) else 0.0
        agreement = of_group(study, one.measure, study.candidate, spec.scope)
        systems = _systems(study, one.measure, rated)
        rules = apply_stopping_rules(limit, components, enough.spec(scale), systems, agreement.one)
        intervals = one_way_intervals_of(study, one.measure)
        return MeasureRules(one, limit, components, rules, interval, intervals, agreement, scale)

    def compute() -> tuple[MeasureRules, ...]:
        limits = attenuation_module.fit_all([one.curves for one in found.fitted])
        return tuple(map(of_measure, found.fitted, limits, found.intervals or (None,) * len(limits)))

    drawn = None if found.intervals is None else found.intervals[0].draws
    return result(curves_key(study, "stopping rules", spec, enough, drawn), compute)


def _systems(study: Study, measure: str, rated: Ratings) -> NestedVariances | None:
    if not study.dataset.has("system"):
        return None
    rows = query(study.dataset, "systems")
    systems = dict(zip(rows["item"].tolist(), rows["system"].tolist(), strict=True))
    return result(
        key_of(study.dataset, "nested", measure, study.candidate, study.reference),
        lambda: nested_variance_components(rated, systems),
    )


def aggregated_curves(study: Study, spec: RatingsSpec) -> MeanCurves | None:
    """Return the mean curve of each measure under every aggregation; None while stopped."""
    fewer = replace(spec.curves, shuffles=min(FEWER_SHUFFLES, spec.curves.shuffles), aggregation="mean")
    kinds = AGGREGATIONS if study.raters_are_persons else ITEMWISE_AGGREGATIONS

    def mean_of(one: tuple[str, Aggregation], _: OnProgress) -> NDArray[np.float64]:
        measure, kind = one
        rated, known = candidate_ratings(study, measure), reference_values(study, measure)
        return mean_and_count(simulate(rated, known, replace(fewer, aggregation=kind)).points)[0]

    every = [(measure, kind) for measure in study.measures for kind in kinds]
    key = curves_key(study, "aggregations", fewer)
    if (means := long_results(key, "Other aggregations", every, mean_of)) is None:
        return None
    found = dict(zip(every, means, strict=True))
    return {measure: {kind: found[measure, kind] for kind in kinds} for measure in study.measures}


def rater_sensitivities(study: Study, spec: RatingsSpec) -> tuple[Sensitivity, ...] | None:
    """Return each measure's curves with and without its least reliable raters; None while stopped."""
    fewer = replace(spec.curves, shuffles=min(FEWER_SHUFFLES, spec.curves.shuffles))

    def of_measure(measure: str, _: OnProgress) -> Sensitivity:
        return sensitivity(candidate_ratings(study, measure), reference_values(study, measure), fewer)

    key = curves_key(study, "sensitivity", fewer)
    return long_results(key, "Without unreliable raters", study.measures, of_measure)


def times_of_ratings(study: Study) -> Times:
    if not study.dataset.has("seconds"):
        return Times()

    def compute() -> Times:
        every = [
            read(study.dataset, "ratings", measure=measure, group=study.candidate)
            for measure in study.measures
        ]
        cells = [np.column_stack([rows["rater"], rows["item"], rows["seconds"]]) for rows in every]
        times = summarize_times(
            every[0]["rater"], every[0]["seconds"], repetitions_of_times(np.vstack(cells))
        )
        return times.as_single_ratings() if "@seconds" in study.dataset.mapping else times

    return result(key_of(study.dataset, "times", study.measures, study.candidate), compute)
