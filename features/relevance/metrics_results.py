"""An automatic metric compared with how well people judge: correlations, means, and random partitions, cached."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan

from analysis.correlation.metric_comparison import MetricPair
from analysis.relevance import anova, tukey
from analysis.relevance.judgments import JudgedTexts
from analysis.relevance.metric_correlations import (
    LEVELS,
    CorrelationSpec,
    Level,
    Measure,
    MetricCorrelations,
    compare_metrics_of_texts,
    correlations,
)
from analysis.relevance.metric_means import MetricMean, OutcomeMean, metric_means, outcome_means
from analysis.relevance.partitions import (
    Partition,
    PartitionSpec,
    PartitionStudy,
    partition_intervals,
    partition_study,
)
from analysis.values.estimate import Alternative, BootstrapSpec, Estimate
from features.blocks import Progress, map_stages
from features.relevance.agreement_results import Differences, MainStudy, main_study, metric_table, texts_of
from features.study import OnProgress, Study, cached, key_of, long_result, put_result, result

ByLevel = Mapping[Level, MetricCorrelations]
Outcomes = Mapping[tuple[int, str], OutcomeMean]
"""Mean of the metric by surrogate and outcome."""
PAPER_SIZES = (1, 2, 4)
"""Group sizes of the paper, always in the table."""
LARGEST_SIZE = 20
_PARTITIONS, _INTERVALS = "partitions", "intervals of partitions"
MOST_AHEAD = 2_000_000
"""Documents times partitions up to which all sizes are computed ahead, in less than a second."""


@dataclass(frozen=True)
class MetricSpec:
    """A metric compared with people's judgments under one agreement.

    `measure` and `level` are those of the points that are drawn, `compared` the metrics compared with each other. The
    full text is left out unless `keep_full_text`; which one it is, `full_text` says: "" for none, None for the one
    whose name says so.
    """

    metric: str
    side: str
    measure: Measure = "accuracy"
    level: Level = "system"
    alternative: Alternative = "two-sided"
    keep_full_text: bool = False
    compared: tuple[str, ...] = ()
    full_text: str | None = None
    seed: int = 0


@dataclass(frozen=True, eq=False)
class ComparedMetric:
    """Correlations of a metric by level, its means, and other metrics; what is not computed yet is missing."""

    spec: MetricSpec
    main: MainStudy
    texts: JudgedTexts
    by_level: ByLevel
    means: Sequence[MetricMean]
    differences: Differences
    compared: Sequence[MetricPair] = ()
    outcomes: Outcomes | None = None

    @property
    def drawn(self) -> MetricCorrelations | None:
        """Correlations of the level that is drawn; None while stopped."""
        return self.by_level.get(self.spec.level)

    @property
    def is_complete(self) -> bool:
        return len(self.by_level) == len(LEVELS)

    @property
    def figures(self) -> dict[str, object]:
        parts = self.differences.figures | {"means of texts": self.means, "compared": self.compared}
        return {level: of.cells for level, of in self.by_level.items()} | parts | {"outcomes": self.outcomes}


@dataclass(frozen=True)
class PartitionsSpec:
    """Random partitions of documents into groups of `size`; `side` and `full_text` as in `MetricSpec`."""

    metric: str
    side: str
    size: int = 4
    draws: int = 10_000
    seed: int = 0
    full_text: str | None = None

    @property
    def sizes(self) -> list[int]:
        """The chosen group size and those of the paper."""
        return sorted({*PAPER_SIZES, self.size})


@dataclass(frozen=True, eq=False)
class SizedPartitions:
    """Random partitions into groups of one size, and the intervals of their means once they are known."""

    study: PartitionStudy
    intervals: tuple[Estimate, ...] | None = None

    @property
    def means(self) -> list[tuple[Partition, Estimate]]:
        """Partitions of each surrogate, and their mean correlation with its interval as far as it is known."""
        partitions = self.study.partitions
        ends = zip(partitions, self.intervals or [Estimate(nan)] * len(partitions), strict=True)
        return [(one, Estimate(one.mean, of.low, of.high, reason=one.reason)) for one, of in ends]


@dataclass(frozen=True, eq=False)
class Partitions:
    """Partitions into groups of each size that is computed so far, none while stopped."""

    spec: PartitionsSpec
    main: MainStudy
    sizes: Sequence[SizedPartitions]

    @property
    def chosen(self) -> list[tuple[Partition, Estimate]]:
        """Partitions of each surrogate into groups of the chosen size, and their mean correlation."""
        return [each for sized in self.sizes for each in sized.means if each[0].group_size == self.spec.size]

    @property
    def means(self) -> dict[str, Estimate]:
        """Mean correlation of each surrogate over partitions into groups of the chosen size."""
        return {self.main.surrogates.names[one.surrogate]: mean for one, mean in self.chosen}

    @property
    def figures(self) -> dict[tuple[int, str], object]:
        return {
            (one.group_size, self.main.surrogates.names[one.surrogate]): {"partitions": one, "mean": mean}
            for sized in self.sizes
            for one, mean in sized.means
        }


def metric_stages(study: Study, spec: MetricSpec) -> Iterator[ComparedMetric | Progress]:
    """Yield the correlations of the level that is drawn, then of all levels, then metrics compared and outcomes."""
    found = yield from map_stages(correlation_stages(study, spec), lambda stage: stage)
    if not found.is_complete:
        return
    if len(spec.compared) > 1:
        yield Progress("Comparison of metrics")
        found = replace(found, compared=_compare_metrics(study, spec, found.main) or ())
    yield Progress("Intervals by outcome")
    outcomes = long_result(
        key_of(study.dataset, "outcome means", found.main.full_text, spec.metric, spec.side),
        "Intervals by outcome",
        partial(outcome_means, found.texts, BootstrapSpec()),
    )
    of_outcome = {(one.surrogate, one.outcome): one for one in outcomes or ()}
    yield replace(found, outcomes=None if outcomes is None else of_outcome)


def correlation_stages(study: Study, spec: MetricSpec) -> Iterator[ComparedMetric | Progress]:
    """Yield the correlations of the level that is drawn, then those of all levels, unless these are cached."""
    main = main_study(study, spec.full_text)
    texts = texts_of(study, main, spec.metric, spec.side)
    computed = ComparedMetric(spec, main, texts, {}, *_compare_means(study, spec, main))
    specs = {
        level: CorrelationSpec(level, spec.alternative, main.full_text, spec.keep_full_text, seed=spec.seed)
        for level in LEVELS
    }
    keys = {
        level: key_of(study.dataset, "metric correlations", main.full_text, spec.metric, spec.side, of)
        for level, of in specs.items()
    }

    def add(found: ComparedMetric, level: Level) -> ComparedMetric:
        one = long_result(keys[level], "Permutations", partial(correlations, texts, specs[level]))
        return found if one is None else replace(found, by_level={**found.by_level, level: one})

    if any(cached(key) is None for key in keys.values()):
        yield add(computed, spec.level)
        yield Progress("Permutations")
    for level in LEVELS:
        computed = add(computed, level)
    yield computed


def _compare_means(
    study: Study, spec: MetricSpec, main: MainStudy
) -> tuple[Sequence[MetricMean], Differences]:
    def compute() -> tuple[Sequence[MetricMean], Differences]:
        of = metric_table(study, spec.metric)
        of = of if spec.keep_full_text else of.without(main.full_text)
        test = anova.repeated_measures(of.event, of.surrogate, of.value)
        names = spec.metric, spec.metric, ""
        pairs = tukey.tukey_after_anova(test)
        return metric_means(of), Differences(*names, "events", main.surrogates, test, pairs)

    of = main.full_text, spec.metric, spec.keep_full_text
    return result(key_of(study.dataset, "means of a metric", *of), compute)


def _compare_metrics(study: Study, spec: MetricSpec, main: MainStudy) -> tuple[MetricPair, ...] | None:
    left_out = None if spec.keep_full_text else main.full_text

    def compute(on_progress: OnProgress) -> tuple[MetricPair, ...]:
        texts = {
            name: texts_of(study, main, name, spec.side).exclude_surrogate(left_out) for name in spec.compared
        }
        return compare_metrics_of_texts(
            texts, measure=spec.measure, bootstrap=BootstrapSpec(), on_progress=on_progress
        )

    of = main.full_text, spec.compared, spec.side, spec.measure, spec.keep_full_text
    return long_result(
        key_of(study.dataset, "metrics of texts compared", *of), "Comparison of metrics", compute
    )


def partition_stages(study: Study, spec: PartitionsSpec) -> Iterator[Partitions | Progress]:
    """Yield partitions into groups of the chosen size, unless these are cached; then those of all sizes."""
    if cached(_partitions_key(study, spec, _INTERVALS, spec.size)) is None:
        yield preview_partitions(study, spec)
        yield Progress("Intervals")
    yield _in_sizes(study, spec, [_add_intervals(study, spec, size) for size in spec.sizes])


def preview_partitions(study: Study, spec: PartitionsSpec) -> Partitions:
    """Return partitions into groups of the chosen size without intervals."""
    return _in_sizes(study, spec, [_partition_into(study, spec, spec.size)])


def _in_sizes(study: Study, spec: PartitionsSpec, sizes: Sequence[SizedPartitions | None]) -> Partitions:
    return Partitions(spec, main_study(study, spec.full_text), [one for one in sizes if one is not None])


def compute_other_sizes(study: Study, spec: PartitionsSpec) -> None:
    """Compute every other size, with the same random orders, so that a step of the control is instant."""
    keys = {size: _partitions_key(study, spec, _PARTITIONS, size) for size in range(1, LARGEST_SIZE + 1)}
    missing = [size for size, key in keys.items() if cached(key) is None]
    if missing and _texts_of(study, spec).documents * spec.draws <= MOST_AHEAD:
        every = _partition(study, spec, *missing)
        for size in missing:
            of_size = tuple(one for one in every.partitions if one.group_size == size)
            put_result(keys[size], replace(every, spec=_spec_of(study, spec, size), partitions=of_size))


def _texts_of(study: Study, spec: PartitionsSpec) -> JudgedTexts:
    return texts_of(study, main_study(study, spec.full_text), spec.metric, spec.side)


def _spec_of(study: Study, spec: PartitionsSpec, *sizes: int) -> PartitionSpec:
    return PartitionSpec(sizes, spec.draws, spec.seed, main_study(study, spec.full_text).full_text)


def _partitions_key(study: Study, spec: PartitionsSpec, what: str, size: int) -> str:
    of_size = _spec_of(study, spec, size)
    return key_of(study.dataset, what, of_size.full_text, spec.metric, spec.side, of_size)


def _partition(
    study: Study, spec: PartitionsSpec, *sizes: int, on_progress: OnProgress | None = None
) -> PartitionStudy:
    """Return partitions without the correlation of each: the cache keeps what is shown."""
    found = partition_study(_texts_of(study, spec), _spec_of(study, spec, *sizes), on_progress)
    light = tuple(replace(one, correlations=one.correlations[:0]) for one in found.partitions)
    return replace(found, partitions=light)


def _partition_into(study: Study, spec: PartitionsSpec, size: int) -> SizedPartitions | None:
    found = long_result(
        _partitions_key(study, spec, _PARTITIONS, size),
        f"Partitions into groups of {size}",
        lambda on_progress: _partition(study, spec, size, on_progress=on_progress),
    )
    return None if found is None else SizedPartitions(found)


def _add_intervals(study: Study, spec: PartitionsSpec, size: int) -> SizedPartitions | None:
    """Return partitions into groups of a size with the intervals of their means, as far as these are not stopped."""
    bare = _partition_into(study, spec, size)
    if bare is None:
        return None
    compute = partial(partition_intervals, _texts_of(study, spec), bare.study, BootstrapSpec(seed=spec.seed))
    intervals = long_result(
        _partitions_key(study, spec, _INTERVALS, size),
        f"Intervals for groups of {size}",
        lambda on_progress: compute(on_progress=on_progress),
    )
    return replace(bare, intervals=intervals)
