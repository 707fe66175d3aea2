"""Agreement of an automatic metric with raters, before and after an exclusion, and metrics compared, cached."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import MetricAgreement, MetricScores, metric_agreement
from analysis.assessors.summary_scores import rouge
from analysis.correlation.metric_comparison import MetricPair, compare_metrics
from analysis.correlation.rank_rows import CorrelationName
from analysis.values.estimate import BootstrapSpec, Scope
from data.dataset import Dataset
from features.assessments import assessments, item_numbers, item_texts, names, system_kinds
from features.blocks import Progress, last_stage
from features.cache import Stopped
from features.exclusion import kind_of_ranked, names_of_ranked
from features.study import OnProgress, Scenario, Study, cached, key_of, long_result, long_results, query

ROUGE = {"ROUGE-2 of the texts": "rouge2", "ROUGE-1 of the texts": "rouge1", "ROUGE-L of the texts": "rougeL"}
"""The first is shown where there is no other metric: it is the paper's."""
T = TypeVar("T")
Values = NDArray[np.float64]
ByMeasure = Mapping[str, MetricAgreement]
Joined = tuple[str, Dataset] | None
"""The file of metrics under its key, None for none."""
_CLOSED = BootstrapSpec(draws=0)


@dataclass(frozen=True)
class Metric:
    """A metric by its shown name: a `column` of the items or of the joined file, or a kind of ROUGE of the texts."""

    name: str
    origin: Literal["items", "joined", "texts"]
    column: str


def joined_file_in_use(metrics: Sequence[Metric], joined: Joined) -> Joined:
    """Return the joined file where one of the metrics comes from it."""
    return joined if any(metric.origin == "joined" for metric in metrics) else None


@dataclass(frozen=True)
class MetricSpec:
    """A metric compared with raters, and metrics compared with each other.

    `kind` is the only kind of systems that counts, "" for all; `compared` are compared in pairs, fewer than two not.
    """

    metric: Metric
    compared: tuple[Metric, ...] = ()
    kind: str = ""
    correlation: CorrelationName = "pearson"
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)


@dataclass(frozen=True, eq=False)
class MetricResult:
    """Agreement with the metric by measure, and pairs of metrics.

    `ranked` are the names of what is ranked by measure, `what` the plural word for it; `is_drawn` is True with
    intervals. `pairs` is None before metrics are compared, or where none are.
    """

    spec: MetricSpec
    agreements: ByMeasure
    ranked: Mapping[str, NDArray[np.str_]]
    what: str
    is_drawn: bool = False
    pairs: Mapping[str, tuple[MetricPair, ...]] | None = None


def offered_metrics(study: Study, joined: Dataset | None) -> dict[str, Metric]:
    """Return the metrics of the items by their shown names: of the joined file, numeric columns, ROUGE of the texts."""
    offered: list[Metric] = []
    if joined is not None:
        offered += [Metric(f"{one} ({joined.name})", "joined", one) for one in joined.named("item number")]
    offered += [Metric(one, "items", one) for one in study.whole.named("item number")]
    if study.whole.has("text", "reference_text"):
        offered += [Metric(name, "texts", kind) for name, kind in ROUGE.items()]
    return {metric.name: metric for metric in offered}


def list_kinds(study: Study) -> list[str]:
    return sorted({kind for kind in system_kinds(study).tolist() if kind})


def compare_with_metric(
    study: Study, scenario: Scenario, spec: MetricSpec, joined: Dataset | None = None
) -> MetricResult:
    """Compare a metric with the ratings of the candidate, and metrics with each other.

    Raises
    ------
    Stopped
        where the computation of the correlations was stopped; later results are missing where theirs was.
    """
    return last_stage(metric_stages(study, scenario, spec, joined))


def metric_stages(
    study: Study, scenario: Scenario, spec: MetricSpec, joined: Dataset | None
) -> Iterator[MetricResult | Progress]:
    """Yield the agreement without intervals, unless these are there already; with them; then with pairs of metrics."""
    closed = _agreements(study, scenario, replace(spec, bootstrap=_CLOSED), joined)
    if closed is None:
        raise Stopped
    found = MetricResult(
        spec,
        closed,
        {measure: names_of_ranked(study, measure) for measure in study.measures},
        kind_of_ranked(study, study.measures[0]),
    )
    if spec.bootstrap.draws:
        if cached(_key(study, scenario, spec, joined)) is None:
            yield found
            yield Progress("Intervals of the correlations")
        drawn = _agreements(study, scenario, spec, joined)
        found = found if drawn is None else replace(found, agreements=drawn, is_drawn=True)
    if len(spec.compared) > 1:
        yield found
        yield Progress("Comparison of metrics")
        found = replace(found, pairs=_pairs(study, scenario, spec, joined))
    yield found


def metric_values(study: Study, metric: Metric, joined: Dataset | None) -> Values | None:
    """Return the metric by item code, NaN where an item has none; None while stopped."""
    if metric.origin == "texts":
        by_kind = long_result(
            key_of(study.whole, "rouge"),
            "ROUGE of the texts",
            lambda on_progress: rouge(*item_texts(study), on_progress=on_progress),
        )
        return None if by_kind is None else by_kind[metric.column]
    if metric.origin == "items" or joined is None:
        return item_numbers(study, metric.column)
    rows = query(joined, "item_numbers", column=metric.column)
    named = query(joined, "item_names")["name"][rows["item"]]
    value = dict(zip(named.tolist(), rows["value"].tolist(), strict=True))
    return np.array([value.get(name, np.nan) for name in names(study, "item").tolist()])


def rows_of(study: Study, measure: str, kind: str) -> tuple[Any, ...]:
    """Return item, what is ranked, topic, rater and score of the ratings of one measure and kind of system."""
    a = assessments(study, measure)
    kept = a.ranked >= 0
    if kind:
        kept &= np.append(system_kinds(study), "")[a.system] == kind
    return tuple(column[kept] for column in (a.item, a.ranked, a.block, a.rater, a.score))


def _key(study: Study, scenario: Scenario, spec: MetricSpec, joined: Dataset | None) -> str:
    file = "" if joined is None else joined.sha256
    parts = study.candidate, study.measures, scenario.left_out_codes, replace(spec, compared=()), file
    return key_of(study.whole, "metric agreement", *parts)


def _agreements(
    study: Study, scenario: Scenario, spec: MetricSpec, joined: Dataset | None
) -> ByMeasure | None:
    """Return the agreement by measure with everyone and without those excluded; None while stopped."""
    values = metric_values(study, spec.metric, joined)
    if values is None:
        return None

    def of_measure(measure: str, on_progress: OnProgress) -> MetricAgreement:
        item, ranked, block, rater, score = rows_of(study, measure, spec.kind)
        scores = MetricScores(values[item], item, ranked, block, rater, score)
        given = scenario.left_out_codes, spec.correlation, spec.bootstrap
        scope: Scope = "raters like these" if study.raters_are_persons else "these raters"
        return metric_agreement(scores, *given, on_progress, scope)

    label = "Intervals of the correlations" if spec.bootstrap.draws else "Correlations of the metric"
    return _by_measure(study, _key(study, scenario, spec, joined), label, of_measure)


def _pairs(
    study: Study, scenario: Scenario, spec: MetricSpec, joined: Dataset | None
) -> Mapping[str, tuple[MetricPair, ...]] | None:
    values = {one.name: metric_values(study, one, joined) for one in spec.compared}
    known = {name: column for name, column in values.items() if column is not None}
    if len(known) < len(values):
        return None

    def of_measure(measure: str, on_progress: OnProgress) -> tuple[MetricPair, ...]:
        item, system, topic, rater, score = rows_of(study, measure, spec.kind)
        stays = ~np.isin(rater, list(scenario.left_out_codes))
        compared = {name: column[item[stays]] for name, column in known.items()}
        scores = system[stays], topic[stays], score[stays]
        return compare_metrics(compared, *scores, spec.correlation, spec.bootstrap, on_progress)

    arguments = scenario, replace(spec, metric=spec.compared[0]), joined
    key = f"{_key(study, *arguments)} {spec.compared}"
    return _by_measure(study, key, "Comparison of metrics", of_measure)


def _by_measure(
    study: Study, key: str, label: str, compute: Callable[[str, OnProgress], T]
) -> Mapping[str, T] | None:
    found = long_results(key, label, study.measures, compute)
    return None if found is None else dict(zip(study.measures, found, strict=True))
