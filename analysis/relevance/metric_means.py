"""Bootstrap of raters and events of a relevance study, and metric means with their intervals.

Every rater sees the same events, so both are resampled; documents of an event stay together. Figures are functions of
sums over judgments, so that a sample is a matrix product of sums by rater and event with their bootstrap weights.
Raters and events are resampled separately and their variances added.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from scipy import sparse

from analysis.relevance.judgments import OUTCOMES, JudgedTexts, Judgments, MetricTable, encode_combinations
from analysis.resampling.intervals import (
    IDENTITY,
    UNBOUNDED,
    Transform,
    bootstrap_error,
    crossed_bootstrap_counts,
    fieller_interval,
    has_enough_samples,
    interval_from_error,
    scale_progress,
    wilson_interval,
)
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio

_ALIKE = 1e-12
FEW_DRAWS = "the figure is undefined in more than half of the draws, so there is no interval"
ALIKE = "every draw gives the same value, so there is no interval"
NOTHING_TO_DRAW = "a single rater and a single document cannot be resampled, so there is no interval"


@dataclass(frozen=True, eq=False)
class Units:
    """Resampled units: `rater` and `unit` (N,) codes of the judgments, `raters` and `units` their numbers.

    Units are events or, with only one event or one rater, documents; `resampled` names them.
    """

    rater: Codes
    unit: Codes
    raters: int
    units: int
    resampled: str

    @property
    def resampled_kinds(self) -> int:
        """Number of separate bootstraps: of raters and of units, or of only one of them."""
        return 2 if self.raters > 1 and self.units > 1 else 1

    @property
    def fewest_units(self) -> int:
        """Smaller number of raters and units that is above one; 1 where nothing can be resampled."""
        return min((many for many in (self.raters, self.units) if many > 1), default=1)


def find_units(judgments: Judgments) -> Units:
    """Return the units to resample in these judgments (Owen 2007, "The pigeonhole bootstrap", section 2)."""
    codes = judgments.codes
    if codes.raters > 1 and codes.events > 1:
        return Units(codes.rater, codes.event, codes.raters, codes.events, "raters and events")
    single = " and ".join(
        f"one {units}" for units, count in (("rater", codes.raters), ("event", codes.events)) if count == 1
    )
    units = " and ".join(
        unit for unit, count in (("raters", codes.raters), ("documents", codes.documents)) if count > 1
    )
    resampled = f"{units} (there is only {single})" if units else "nothing"
    return Units(codes.rater, codes.document, codes.raters, codes.documents, resampled)


def bootstrap_sums(
    sums: Any, rater: Codes, units: Units, spec: BootstrapSpec, on_progress: OnProgress = None
) -> Iterator[tuple[Floats, Floats]]:
    """Yield sums and rater weights of blocks of bootstrap samples, of raters and then of units (Cameron et al.
    2011)."""
    work = max(sums.nnz, sums.shape[0])
    for kind in range(units.resampled_kinds):
        report_progress = scale_progress(
            on_progress, kind / units.resampled_kinds, (kind + 1) / units.resampled_kinds
        )
        for of_raters, of_units in crossed_bootstrap_counts(
            units.raters, units.units, spec.draws, spec.seed, work, report_progress
        ):
            is_separate = units.resampled_kinds > 1
            weight = np.ones_like(of_raters.T) if is_separate and kind == 1 else of_raters.T
            unit_weight = np.ones_like(of_units.T) if is_separate and kind == 0 else of_units.T
            weight = weight[rater]
            if weight.ndim == 3:
                weight = weight[:, 0] * weight[:, 1]
            yield np.asarray(sums @ np.ascontiguousarray(unit_weight)), weight


def add_interval(
    estimate: Estimate,
    samples: Floats,
    units: Units,
    spec: BootstrapSpec,
    independent: int = 0,
    scale: Transform = IDENTITY,
    limits: tuple[float, float] = UNBOUNDED,
) -> Estimate:
    """Add an interval to an estimate from its bootstrap samples (kinds x draws,) (Cameron, Gelbach & Miller 2011;
    Satterthwaite 1946; Wilson 1927)."""
    # Equal samples (everybody is always right) have no variance: a share then has Wilson's interval over documents,
    # other figures have none.
    if not estimate.defined or spec.draws == 0:
        return estimate
    if units.fewest_units == 1 and not independent:
        return replace(estimate, reason=NOTHING_TO_DRAW)
    kinds = samples.reshape(units.resampled_kinds, -1)
    if not has_enough_samples(kinds.T).all():
        return replace(estimate, reason=FEW_DRAWS)
    ranges = np.nanmax(kinds, axis=1) - np.nanmin(kinds, axis=1)
    if units.fewest_units == 1 or float(ranges.max()) <= _ALIKE:
        if not independent:
            return replace(estimate, reason=ALIKE)
        return wilson_share(estimate.value * independent, independent, spec.level, estimate)
    variance, degrees = _two_way_variance(bootstrap_error(scale.forward(kinds.T)) ** 2, units)
    low, high = interval_from_error(estimate.value, sqrt(variance), spec.level, degrees, limits, scale)
    return replace(estimate, low=float(low), high=float(high))


def _two_way_variance(squares: Floats, units: Units) -> tuple[float, float]:
    """Return the variance over new raters and units, with its degrees of freedom, from that of each bootstrap."""
    counts = np.array([n for n in (units.raters, units.units) if n > 1])
    parts = squares * counts / (counts - 1)
    variance = float(parts.sum())
    return variance, variance**2 / float((parts**2 / (counts - 1)).sum())


def wilson_share(hits: float, trials: int, level: float, estimate: Estimate | None = None) -> Estimate:
    """Return a share with Wilson's interval (Wilson 1927, "Probable inference, the law of succession, and
    statistical inference")."""
    value, low, high = (float(end) for end in wilson_interval(hits, trials, level))
    estimate = Estimate(value, n=trials) if estimate is None else estimate
    if isnan(value):
        return estimate
    return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value))


def group_means(groups: Any, values: Floats, weight: Floats) -> Floats:
    """Return weighted means of the defined values within groups."""
    weight = np.where(np.isnan(values), 0.0, weight)
    return ratio(groups @ (weight * np.nan_to_num(values)), groups @ weight)


def membership_matrix(group: Codes, groups: int) -> Any:
    """Return the sparse indicator matrix of group membership."""
    return sparse.csr_array((np.ones(len(group)), (group, np.arange(len(group)))), shape=(groups, len(group)))


_OUTCOMES = {"tp": "true positive", "tn": "true negative", "fp": "false positive", "fn": "false negative"}


@dataclass(frozen=True)
class MetricMean:
    """A metric's `mean` over the `n` texts of a surrogate and its `sd`; `without_value` counts texts without a
    value."""

    surrogate: Any
    mean: float
    sd: float
    n: int
    without_value: int
    reason: str = ""


@dataclass(frozen=True)
class OutcomeMean:
    """A metric's mean over judgments of one outcome ("tp", "tn", "fp", "fn") of one surrogate, with n judgments of
    `texts` different texts.
    """

    surrogate: Any
    outcome: str
    mean: Estimate
    texts: int


def metric_means(metric: MetricTable) -> tuple[MetricMean, ...]:
    """Return a metric's mean, SD and number of texts of each surrogate.

    Parameters
    ----------
    metric : texts with their values (M,), NaN where unknown

    Returns
    -------
    tuple of MetricMean
        by surrogate, in ascending order.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    To test their differences over events, use `analysis.relevance.anova.repeated_measures` with events as subjects, and
    `analysis.relevance.tukey`.
    Source: Hobson et al. 2007, Tables 3 and 9; methods, section 6.

    >>> metric_means(MetricTable([1, 1, 1], ["a", "b", "c"], ["h"] * 3, [0.1, 0.3, float("nan")]))[0].mean
    0.2
    """
    value = np.asarray(metric.value, dtype=np.float64)
    surrogates, code = np.unique(np.asarray(metric.surrogate), return_inverse=True)
    if value.ndim != 1 or code.shape != value.shape:
        raise InputError(
            f"`metric.value` and `metric.surrogate` must be 1-d and equally long, got {value.shape} and {code.shape}"
        )
    is_defined = np.isfinite(value)
    n = np.bincount(code[is_defined], minlength=len(surrogates))
    mean = ratio(np.bincount(code[is_defined], value[is_defined], len(surrogates)), n)
    squares = np.bincount(
        code[is_defined], (value[is_defined] - mean[code[is_defined]]) ** 2, len(surrogates)
    )
    sd = np.sqrt(ratio(squares, np.where(n > 1, n - 1, 0)))
    missing = np.bincount(code[~is_defined], minlength=len(surrogates))
    return tuple(
        MetricMean(
            name, float(mean[k]), float(sd[k]), int(n[k]), int(missing[k]), _undefined_sd_reason(int(n[k]))
        )
        for k, name in enumerate(surrogates.tolist())
    )


def outcome_means(
    texts: JudgedTexts, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> tuple[OutcomeMean, ...]:
    """Return a metric's mean over true and false positives and negatives of each surrogate.

    Parameters
    ----------
    texts : t texts (t,) with N judgments (N,), of k surrogates
    bootstrap : of the intervals, over raters and documents
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    tuple of OutcomeMean
        k x 4, by surrogate and then as in `OUTCOMES`.

    Notes
    -----
    A text counts once per judgment of that outcome. Intervals are for other raters and other documents of these events.
    Source: Hobson et al. 2007, section 5.4; methods, section 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    k, kinds = len(texts.surrogates), len(OUTCOMES)
    cell = texts.surrogate[texts.text] * kinds + texts.outcome
    value = texts.metric[texts.text]
    n = np.bincount(cell, minlength=k * kinds)
    mean = ratio(np.bincount(cell, value, k * kinds), n)
    seen = np.unique(cell * max(len(texts.metric), 1) + texts.text) // max(len(texts.metric), 1)
    distinct = np.bincount(seen, minlength=k * kinds)
    units = _text_units(texts)
    samples = _bootstrap_outcome_means(cell, value, k * kinds, units, spec, on_progress)
    return tuple(
        OutcomeMean(
            name,
            outcome,
            add_interval(
                Estimate(float(mean[index]), n=int(n[index]), reason=_no_outcome(outcome, int(n[index]))),
                samples[index],
                units,
                spec,
            ),
            int(distinct[index]),
        )
        for index, (name, outcome) in enumerate(
            (name, outcome) for name in texts.surrogates.tolist() for outcome in OUTCOMES
        )
    )


def _undefined_sd_reason(n: int) -> str:
    if n == 0:
        return "no text of it has a metric value"
    return "one text has no spread" if n == 1 else ""


def _no_outcome(outcome: str, n: int) -> str:
    return "" if n else f"no judgment of it is a {_OUTCOMES[outcome]}"


def _text_units(texts: JudgedTexts) -> Units:
    raters, rater = np.unique(texts.rater, return_inverse=True)
    documents, unit = np.unique(texts.document[texts.text], return_inverse=True)
    many = [what for what, n in (("raters", len(raters)), ("documents", len(documents))) if n > 1]
    return Units(rater, unit, len(raters), len(documents), " and ".join(many) or "nothing")


def _bootstrap_outcome_means(
    cell: Codes, value: Floats, cells: int, units: Units, spec: BootstrapSpec, on_progress: OnProgress
) -> Floats:
    """Return means (cells, draws) under resampled raters and documents."""
    if not len(cell) or spec.draws == 0:
        return np.full((cells, spec.draws * units.resampled_kinds), nan)
    row, rows = encode_combinations(cell, units.rater)
    first = np.zeros(rows, dtype=np.int64)
    first[row] = np.arange(len(row))
    by_unit = membership_matrix(units.unit, units.units)
    row_membership = membership_matrix(row, rows)
    counts, sums = row_membership @ by_unit.T, (row_membership * value) @ by_unit.T
    groups = membership_matrix(cell[first], cells)
    means = []
    counts_and_sums = sparse.vstack([counts, sums], format="csr")
    for row_sums, weight in bootstrap_sums(counts_and_sums, units.rater[first], units, spec, on_progress):
        n, total = row_sums[:rows], row_sums[rows:]
        means.append(group_means(groups, ratio(total, n), n * weight))
    return np.concatenate(means, axis=1)


NOT_ABOVE = "the full text is not clearly better than the baseline"
NO_SPREAD = "nothing was resampled, so it is not known whether the full text is better than the baseline"
IS_END = "it is one end of the way"


@dataclass(frozen=True, eq=False)
class FigureCovariance:
    """Covariances (kinds, k, k) of k figures over new units of each kind; `many` counts the units.

    Kinds are raters and events, or one of them; none without resampling.
    """

    covariance: Floats
    many: tuple[int, ...]

    def contrast_variance(self, weights: Floats) -> tuple[float, float]:
        """Return the variance of a weighted sum (k,) of the figures, and Satterthwaite's degrees of freedom."""
        nonzero = np.flatnonzero(weights)
        parts = np.array(
            [weights[nonzero] @ each[np.ix_(nonzero, nonzero)] @ weights[nonzero] for each in self.covariance]
        )
        total = float(parts.sum())
        denominator = float((parts**2 / (np.array(self.many) - 1)).sum()) if len(parts) else 0.0
        return total, total**2 / denominator if denominator > 0 else np.inf


def figure_covariance(samples: Floats, units: Units, spec: BootstrapSpec) -> FigureCovariance:
    """Return the covariances of figures (k, kinds x draws) under resampling (Cameron, Gelbach and Miller 2011)."""
    unit_counts = tuple(n for n in (units.raters, units.units) if n > 1)[: units.resampled_kinds]
    if spec.draws < 2 or not unit_counts or len(unit_counts) < units.resampled_kinds:
        return FigureCovariance(np.empty((0, len(samples), len(samples))), ())
    kinds = np.moveaxis(samples.reshape(len(samples), units.resampled_kinds, -1), 1, 0)
    is_defined = (~np.isnan(kinds)).astype(np.float64)
    counts = np.maximum(is_defined.sum(axis=2, keepdims=True), 1)
    means = np.nansum(kinds, axis=2, keepdims=True) / counts
    deviations = np.where(is_defined > 0, kinds - means, 0.0)
    joint_counts = is_defined @ np.swapaxes(is_defined, 1, 2)
    covariance = (deviations @ np.swapaxes(deviations, 1, 2)) / np.where(
        joint_counts > 1, joint_counts - 1, nan
    )
    widening = np.array([n / (n - 1) for n in unit_counts])
    return FigureCovariance(covariance * widening[:, None, None], unit_counts)


def share_of_improvement(
    values: Sequence[Estimate],
    covariance: FigureCovariance,
    baseline: int,
    full_text: int,
    level: float = 0.95,
) -> tuple[tuple[Estimate, ...], Estimate]:
    """Return each surrogate's share of the improvement from the baseline to the full text, and that improvement.

    Parameters
    ----------
    values : figures of the k surrogates, such as their accuracy
    covariance : covariance of these figures
    baseline, full_text : indices of both surrogates

    Returns
    -------
    shares : (k,)
        (value - baseline) / (full text - baseline) with Fieller's interval; NaN with the reason for these two, for
        undefined figures, and where the improvement is not clearly above 0.
    improvement : full text minus baseline, with its interval

    Notes
    -----
    Source: Fieller 1954; the two baselines are those of Hobson, Dorr, Monz and Schwartz 2007, section 7.

    >>> figures = [Estimate(0.5), Estimate(0.65), Estimate(0.7)]
    >>> spread = FigureCovariance(np.diag([1e-4, 1e-4, 1e-4])[None], (101,))
    >>> shares, improvement = share_of_improvement(figures, spread, baseline=0, full_text=2)
    >>> round(shares[1].value, 2), round(improvement.value, 2), shares[0].reason
    (0.75, 0.2, 'it is one end of the way')
    """
    baseline_value, full_text_value = values[baseline], values[full_text]
    unit_vectors = np.eye(len(values))
    length = full_text_value.value - baseline_value.value
    variance, degrees = covariance.contrast_variance(unit_vectors[full_text] - unit_vectors[baseline])
    interval = interval_from_error(length, sqrt(variance) if variance >= 0 else nan, level, degrees)
    n = min(baseline_value.n, full_text_value.n)
    improvement = Estimate(length, nan, nan, n, baseline_value.reason or full_text_value.reason)
    if covariance.many and not isnan(length):
        improvement = Estimate(length, float(interval.low), float(interval.high), n)

    def share_at(index: int) -> Estimate:
        estimate = values[index]
        if index in (baseline, full_text):
            return Estimate(nan, n=estimate.n, reason=IS_END)
        if not (estimate.defined and baseline_value.defined and full_text_value.defined):
            return Estimate(
                nan, n=estimate.n, reason=estimate.reason or baseline_value.reason or full_text_value.reason
            )
        if not covariance.many:
            return Estimate(nan, n=estimate.n, reason=NO_SPREAD)
        if not improvement.low > 0:
            return Estimate(nan, n=estimate.n, reason=NOT_ABOVE)
        numerator, denominator = (
            unit_vectors[index] - unit_vectors[baseline],
            unit_vectors[full_text] - unit_vectors[baseline],
        )
        value = (estimate.value - baseline_value.value) / length
        _, degrees_of_ratio = covariance.contrast_variance(numerator - value * denominator)
        total = covariance.covariance.sum(axis=0)
        pair = np.array([numerator, denominator])
        ratio_interval = fieller_interval(
            estimate.value - baseline_value.value, length, pair @ total @ pair.T, level, degrees_of_ratio
        )
        if not np.isfinite(ratio_interval).all():
            return Estimate(nan, n=estimate.n, reason=NOT_ABOVE)
        return Estimate(value, float(ratio_interval.low), float(ratio_interval.high), estimate.n)

    return tuple(share_at(index) for index in range(len(values))), improvement
