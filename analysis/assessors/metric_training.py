"""Training a metric: which features, fitted how, predict the assessors' scores of systems in data not yet seen.

The search of Owczarzak et al. 2012, section 4: fit on one split, choose on a second, fit again there, test on
a third. It is done with everyone's judgments and without some assessors' in the first two; the third always
keeps everyone, so that both metrics are compared with the same scores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from math import comb, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import MetricScores, metric_agreement
from analysis.assessors.subset_regression import (
    Models,
    fit_canonical,
    fit_huber,
    fit_non_negative,
    is_redundant,
)
from analysis.assessors.summary_scores import SummaryScores
from analysis.assessors.system_model import FEWEST_SYSTEMS, is_constant, mean_by_system, pearson_by_row
from analysis.correlation.dependent import correlation_change, shared_column_correlations
from analysis.resampling.intervals import scale_progress
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress

Method = Literal["huber", "nnls", "cca"]
METHODS: tuple[Method, ...] = ("huber", "nnls", "cca")
FEWEST_SPLITS, FEWEST_FEATURES = 3, 2
DEFAULT_FITS = 2000
MOST_FITS = 100_000
"""Largest number of fits per search."""
BLOCK = 400_000
"""Rows x subsets in a block, few enough for a quick stop."""
SEARCH_SHARE = 0.9
"""Approximate share of the work before the bootstrap."""


@dataclass(frozen=True)
class TrainingSpec:
    """Settings of a search: splits, methods, subsets and bootstrap.

    `train`, `choose`, `test` are codes of the splits A, B and C; `methods` in the order that breaks ties;
    `largest_subset` the largest number of features of a model.
    """

    train: int
    choose: int
    test: int
    methods: tuple[Method, ...] = METHODS
    largest_subset: int = 3
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)

    def __post_init__(self) -> None:
        if len({self.train, self.choose, self.test}) < 3:
            raise InputError(
                f"`train`, `choose` and `test` must be three different splits, got {self.train}, {self.choose} "
                f"and {self.test}; what a metric learned from cannot test it"
            )
        if not self.methods or set(self.methods) - set(METHODS):
            raise InputError(f"`methods` must be some of {', '.join(METHODS)}, got {self.methods!r}")
        if self.largest_subset < 1:
            raise InputError(f"`largest_subset` must be 1 or more, got {self.largest_subset}")


@dataclass(frozen=True, eq=False)
class Trained:
    """The chosen model and its performance.

    `features` are indices of the chosen features; a prediction is `intercept` + features @ `coefficients` (k,), as
    fitted on the choosing split. `correlation_choose` is the correlation on that split, `correlation_test` on the test
    split (`n`: systems), `predicted` (s,) the predicted scores of the tested systems. `fits` counts the compared
    models, `systems` and `topics` those in the test split, `summaries` the judgments of each split, `unknown` those
    excluded for lack of a feature or the score. `resampled` names the units that the interval resamples.
    """

    method: Method | None
    features: tuple[int, ...]
    coefficients: Floats
    intercept: float
    correlation_choose: float
    correlation_test: Estimate
    predicted: Floats = field(repr=False)
    fits: int
    systems: int
    topics: int
    summaries: tuple[int, int, int]
    unknown: int
    resampled: str = ""
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Cell:
    """One column of Table 5: a condition (-1: there is only one), and systems only or with humans.

    `difference` is the correlation without the excluded raters minus that of `everyone`, over the same systems;
    `left_out` is None if nobody is excluded.
    """

    condition: int
    systems_only: bool
    everyone: Trained
    left_out: Trained | None
    difference: Estimate


def number_of_fits(features: int, largest_subset: int, methods: int = len(METHODS)) -> int:
    """Count the models in a search over all subsets of up to `largest_subset` features.

    Source: Owczarzak et al. 2012, section 4 ("each subset of the features in turn").

    >>> number_of_fits(6, 6), number_of_fits(15, 4)
    (189, 5820)
    """
    return methods * sum(comb(features, size) for size in range(1, min(largest_subset, features) + 1))


def default_largest_subset(features: int, methods: int = len(METHODS), fits: int = DEFAULT_FITS) -> int:
    """Return the largest subset size, at least 1, whose search takes at most `fits` fits.

    >>> default_largest_subset(6), default_largest_subset(15), default_largest_subset(2000)
    (6, 3, 1)
    """
    size = 1
    while size < features and number_of_fits(features, size + 1, methods) <= fits:
        size += 1
    return size


def train(
    rows: SummaryScores,
    response: int,
    spec: TrainingSpec,
    without: Sequence[int] = (),
    on_progress: OnProgress = None,
) -> Trained:
    """Train the best model of a measure, chosen on one split and tested on another.

    Parameters
    ----------
    rows : n judgments, of features (n, f) and measures (n, h)
    response : index of the measure to predict
    spec : splits, methods, size of the search, draws
    without : codes of assessors whose judgments are neither learned from nor chosen with
    on_progress : called between blocks with the share done

    Returns
    -------
    Trained
        NaN with a reason where a split is missing or says too little.

    Raises
    ------
    InputError
        where `response` is no column of the scores, or the search has more than 100,000 fits.

    Notes
    -----
    Does not say whether it tells single summaries apart. Every subset of features (but those in which one follows from
    the others) times every method is fitted on the judgments of the training split; the one whose predictions have the
    highest Pearson correlation with the measure over systems in the choosing split is fitted again there, and
    correlated in the test split, where all assessors stay. A system's score, predicted or given, is the mean over
    topics of the topic's mean. Canonical correlation sees all measures at once and so only judgments that have them
    all; the others ask for the chosen measure only. The interval is that of any metric
    (`analysis.assessors.automatic_metrics`), for other systems, assessors and topics. The predictions stay as they are
    in every draw: the search is not repeated, so the interval is for this metric, not for the way of finding it.
    Source: Owczarzak et al. 2012, section 4; methods, section 3.
    """
    if not 0 <= response < rows.scores.shape[1]:
        raise InputError(f"`response` must be a place among {rows.scores.shape[1]} measures, got {response}")
    n_fits = number_of_fits(rows.features.shape[1], spec.largest_subset, len(spec.methods))
    if n_fits > MOST_FITS:
        raise InputError(
            f"`largest_subset` must keep the search within {MOST_FITS} fits, got {spec.largest_subset} of "
            f"{rows.features.shape[1]} features, which makes {n_fits}; choose fewer features or a smaller subset"
        )
    in_splits = np.isin(rows.split, [spec.train, spec.choose, spec.test])
    is_complete = in_splits & np.isfinite(rows.features).all(axis=1) & np.isfinite(rows.scores[:, response])
    is_kept = ~np.isin(rows.rater, list(without))
    learning, choosing, testing = (
        rows.select(is_complete & (rows.split == split) & (is_kept | (split == spec.test)))
        for split in (spec.train, spec.choose, spec.test)
    )
    untrained = Trained(
        None, (), np.empty(0), nan, nan, Estimate(nan), np.empty(0), 0,
        len(np.unique(testing.system)), len(np.unique(testing.topic)),
        (len(learning), len(choosing), len(testing)), int((in_splits & ~is_complete).sum()),
    )  # fmt: skip
    reason = _reason_against_training(learning, choosing, testing, response)
    if reason:
        return _undefined_result(untrained, reason)
    method, subset, best, fits = _search(
        learning, choosing, response, spec, scale_progress(on_progress, 0.0, SEARCH_SHARE)
    )
    untrained = replace(untrained, fits=fits)
    if method is None:
        return _undefined_result(untrained, "no model tells the systems of the choosing split apart")
    model = _fit_models(method, _rows_for_method(method, choosing), response, np.array([subset]))
    trained = replace(
        untrained,
        method=method,
        features=subset,
        coefficients=model.weights[0],
        intercept=float(model.intercepts[0]),
        correlation_choose=best,
    )
    return _test_model(
        trained,
        testing,
        model.predict(testing.features)[0],
        response,
        spec.bootstrap,
        scale_progress(on_progress, SEARCH_SHARE, 1.0),
    )


def table5(
    rows: SummaryScores,
    response: int,
    spec: TrainingSpec,
    without: Sequence[int] = (),
    on_progress: OnProgress = None,
) -> tuple[Cell, ...]:
    """The paper's Table 5 for one measure: with everyone and without some, by condition and kind of system.

    Parameters
    ----------
    rows : n judgments, of features (n, f) and measures (n, h)
    response, spec, without, on_progress : as for `train`

    Returns
    -------
    tuple of Cell
        systems only (NoModels) first, then with humans (AllPeers), each by condition. Where it is not known
        who is a person, or all are the same, there is no 'systems only'.

    Raises
    ------
    InputError
        as `train`.

    Notes
    -----
    The selection of rows goes for all three splits. The interval of a difference is for two metrics on the same systems
    and scores. Source: Owczarzak et al. 2012, Table 5; Zou 2007.
    """
    columns = list(_column_masks(rows))
    steps = len(columns) * (2 if len(without) else 1)
    cells: list[Cell] = []

    def trained(part: SummaryScores, left_out: Sequence[int], step: int) -> Trained:
        report_step = scale_progress(on_progress, step / steps, (step + 1) / steps)
        return train(part, response, spec, left_out, report_step)

    for index, (condition, systems_only, mask) in enumerate(columns):
        part = rows.select(mask)
        step = index * steps // len(columns)
        before = trained(part, (), step)
        after = trained(part, without, step + 1) if len(without) else None
        difference = _difference(before, after, spec.bootstrap.level)
        cells.append(Cell(condition, systems_only, before, after, difference))
    return tuple(cells)


def _column_masks(rows: SummaryScores) -> Iterator[tuple[int, bool, NDArray[np.bool_]]]:
    all_rows = np.ones(len(rows), dtype=bool)
    conditions = [-1] if rows.condition is None else np.unique(rows.condition).tolist() or [-1]
    kinds = [(False, all_rows)]
    if rows.machine is not None and 0 < rows.machine.sum() < len(rows):
        kinds.insert(0, (True, rows.machine))
    for systems_only, is_kind in kinds:
        for condition in conditions:
            in_condition = all_rows if rows.condition is None else rows.condition == condition
            yield condition, systems_only, is_kind & in_condition


def _reason_against_training(
    learning: SummaryScores, choosing: SummaryScores, testing: SummaryScores, response: int
) -> str:
    """Return the reason why nothing can be trained or tested, "" if it can."""
    for name, part in (("training", learning), ("choosing", choosing), ("test", testing)):
        if not len(part):
            return f"the {name} split has no judgment with all features and the measure known"
    for name, part in (("training", learning), ("choosing", choosing)):
        if len(part) < FEWEST_SYSTEMS:
            return f"the {name} split has fewer judgments ({len(part)}) than the smallest model needs (3)"
    for name, part in (("choosing", choosing), ("test", testing)):
        scores = mean_by_system(part, part.scores[:, response])
        if len(scores) < FEWEST_SYSTEMS:
            return f"a correlation needs three systems, the {name} split has {len(scores)}"
        if is_constant(scores):
            return f"all systems of the {name} split have the same mean score"
    if not len(_varying_features(learning, choosing)):
        return "every feature is constant in the training or the choosing split"
    return ""


def _undefined_result(untrained: Trained, reason: str) -> Trained:
    return replace(
        untrained, reason=reason, correlation_test=Estimate(nan, n=untrained.systems, reason=reason)
    )


def _varying_features(learning: SummaryScores, choosing: SummaryScores) -> Codes:
    """Return the indices of the features that vary in both splits."""
    each = np.arange(learning.features.shape[1])[:, None]
    return np.flatnonzero(~is_redundant(learning.features, each) & ~is_redundant(choosing.features, each))


def _search(
    learning: SummaryScores,
    choosing: SummaryScores,
    response: int,
    spec: TrainingSpec,
    on_progress: OnProgress,
) -> tuple[Method | None, tuple[int, ...], float, int]:
    """Find the method and subset with the highest correlation on the choosing split; return also the number of fits."""
    usable = _varying_features(learning, choosing)
    largest = min(spec.largest_subset, len(usable), len(learning) - 2, len(choosing) - 2)
    planned = number_of_fits(len(usable), largest, len(spec.methods))
    scores = mean_by_system(choosing, choosing.scores[:, response])
    system_features = mean_by_system(choosing, choosing.features)
    rows_by_method = {
        method: (_rows_for_method(method, learning), _rows_for_method(method, choosing))
        for method in spec.methods
    }
    best: tuple[Method | None, tuple[int, ...], float] = None, (), nan
    fits = n_tried = 0
    for subsets in _subset_blocks(usable, largest, len(learning)):
        for method in spec.methods:
            first, second = rows_by_method[method]
            unique = _full_rank_subsets(method, subsets, first, second)
            if len(unique):
                predicted = _fit_models(method, first, response, unique).predict(system_features)
                correlations = pearson_by_row(predicted, scores)
                fits += int(np.isfinite(correlations).sum())
                highest = int(np.argmax(np.where(np.isnan(correlations), -np.inf, correlations)))
                if correlations[highest] > (best[2] + 1e-12 if best[0] else -np.inf):
                    best = method, tuple(unique[highest].tolist()), float(correlations[highest])
            n_tried += len(subsets)
            if on_progress is not None:
                on_progress(n_tried / planned)
    return *best, fits


def _subset_blocks(usable: Codes, largest: int, n: int) -> Iterator[Codes]:
    """Yield all subsets, small ones first, in blocks (s, k) of one size."""
    for size in range(1, largest + 1):
        places = np.fromiter(chain.from_iterable(combinations(usable.tolist(), size)), dtype=np.int64)
        subsets = places.reshape(-1, size)
        step = max(BLOCK // max(n, size**2), 1)
        for start in range(0, len(subsets), step):
            yield subsets[start : start + step]


def _rows_for_method(method: Method, rows: SummaryScores) -> SummaryScores:
    """Return the rows for a method; canonical correlation needs judgments with all measures."""
    if method != "cca":
        return rows
    return rows.select(np.asarray(np.isfinite(rows.scores).all(axis=1)))


def _full_rank_subsets(method: Method, subsets: Codes, first: SummaryScores, second: SummaryScores) -> Codes:
    """Return the subsets with a unique model in both splits."""
    responses = first.scores.shape[1] if method == "cca" else 1
    if min(len(first), len(second)) < subsets.shape[1] + responses + 1:
        return subsets[:0]
    return subsets[~is_redundant(first.features, subsets) & ~is_redundant(second.features, subsets)]


def _fit_models(method: Method, rows: SummaryScores, response: int, subsets: Codes) -> Models:
    match method:
        case "huber":
            return fit_huber(rows.features, rows.scores[:, response], subsets)
        case "nnls":
            return fit_non_negative(rows.features, rows.scores[:, response], subsets)
        case "cca":
            return fit_canonical(rows.features, rows.scores, subsets, response)


def _test_model(
    trained: Trained,
    testing: SummaryScores,
    predicted: Floats,
    response: int,
    bootstrap: BootstrapSpec,
    on_progress: OnProgress,
) -> Trained:
    observed = testing.scores[:, response]
    by_system = mean_by_system(testing, predicted)
    value = float(pearson_by_row(by_system[None], mean_by_system(testing, observed))[0])
    if np.isnan(value):
        return _undefined_result(
            trained, "the chosen model gives all systems of the test split the same score"
        )
    summaries = np.arange(len(testing))
    scores = MetricScores(predicted, summaries, testing.system, testing.topic, testing.rater, observed)
    agreement = metric_agreement(scores, bootstrap=bootstrap, on_progress=on_progress)
    return replace(
        trained,
        correlation_test=replace(agreement.system_level.before, value=value),
        predicted=by_system,
        resampled=agreement.resampled,
    )


def _difference(full: Trained, reduced: Trained | None, level: float) -> Estimate:
    if reduced is None:
        return Estimate(nan, reason="nobody is left out")
    if full.reason or reduced.reason:
        return Estimate(nan, n=full.systems, reason=full.reason or reduced.reason)
    before, after = full.correlation_test.value, reduced.correlation_test.value
    correlation = float(pearson_by_row(reduced.predicted[None], full.predicted)[0])
    return correlation_change(
        after, before, shared_column_correlations(after, before, correlation), full.systems, level
    )
