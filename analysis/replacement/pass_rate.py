"""True pass rates from a judge whose error rates are estimated from items that people also labeled."""

from dataclasses import dataclass
from math import ceil, inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from analysis.resampling.intervals import wilson_interval
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Flags, Floats, InputError

NO_BETTER = "the judge is not clearly better than chance, so that its errors cannot be corrected"
DEFAULT_BOOTSTRAP = BootstrapSpec()


def corrected_pass_rate(
    pass_rate: float,
    n: int,
    specificity: float,
    fails: int,
    sensitivity: float,
    passes: int,
    level: float = 0.95,
) -> Estimate:
    """Estimate the share of items that people would pass, from a judge's share and its error rates.

    Parameters
    ----------
    pass_rate : share of items that the judge passes, from 0 to 1
    n : items that the judge labeled
    specificity : share of items failed by people that the judge also fails
    fails : number of these items
    sensitivity : share of items passed by people that the judge also passes
    passes : number of these items
    level : of the interval

    Returns
    -------
    Estimate
        the corrected rate, with an interval for the sampling error of all three samples; `n` is that of the judge. NaN
        with a reason where sensitivity + specificity is not clearly above 1.

    Raises
    ------
    InputError
        where a share is not between 0 and 1, a number below 1, or the level not between 0 and 1.

    Notes
    -----
    theta = (p + q0 - 1) / (q0 + q1 - 1), clipped to 0 and 1. Valid if the judge has the same error rates in both
    samples, for any share of passes; the labeled items need not be a random sample of all.
    Source: Rogan and Gladen 1978, Lee et al. 2025; methods: section 13.
    """
    for name, share in (
        ("pass_rate", pass_rate),
        ("specificity", specificity),
        ("sensitivity", sensitivity),
    ):
        if not 0 <= share <= 1:
            raise InputError(f"`{name}` must be between 0 and 1, got {share}")
    for name, number in (("n", n), ("fails", fails), ("passes", passes)):
        if number < 1:
            raise InputError(f"`{name}` must be 1 or more, got {number}")
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    z = float(ndtri((1 + level) / 2))
    p, total = (n * pass_rate + z**2 / 2) / (n + z**2), n + z**2
    q0, m0 = (fails * specificity + 1) / (fails + 2), fails + 2
    q1, m1 = (passes * sensitivity + 1) / (passes + 2), passes + 2
    error0, error1 = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    youden = q0 + q1 - 1
    if specificity + sensitivity <= 1 or youden <= z * sqrt(error0 + error1):
        return Estimate(nan, n=n, reason=NO_BETTER)
    theta = _clip_share((p + q0 - 1) / youden)
    shift = 2 * z**2 * (theta * error1 - (1 - theta) * error0)
    error = sqrt(p * (1 - p) / total + (1 - theta) ** 2 * error0 + theta**2 * error1) / youden
    value = _clip_share((pass_rate + specificity - 1) / (specificity + sensitivity - 1))
    return Estimate(value, _clip_share(theta + shift - z * error), _clip_share(theta + shift + z * error), n)


def _clip_share(share: float) -> float:
    return min(max(share, 0.0), 1.0)


@dataclass(frozen=True)
class JudgeErrors:
    """Error rates of a judge on items that people also labeled.

    `sensitivity` is the share of items passed by people that it passes, `specificity` the share of items failed by
    people that it fails; their `n` are the numbers of these items; NaN without any.
    """

    sensitivity: Estimate
    specificity: Estimate


def judge_errors(judge: ArrayLike, people: ArrayLike, level: float = 0.95) -> JudgeErrors:
    """Estimate a judge's sensitivity and specificity with Wilson's intervals.

    Parameters
    ----------
    judge, people : (m,) True where the judge, and people, pass each item that both labeled
    level : of the intervals

    Returns
    -------
    JudgeErrors
        shares of the m1 items that people pass, and of the m0 items that they fail; NaN with a reason for none.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Source: Wilson 1927; methods: section 13.

    >>> found = judge_errors([1, 1, 0, 0, 1], [1, 1, 1, 0, 0])
    >>> round(found.sensitivity.value, 3), found.specificity.value, found.sensitivity.n
    (0.667, 0.5, 3)
    """
    passed, truth = np.asarray(judge, dtype=bool), np.asarray(people, dtype=bool)
    if passed.shape != truth.shape or passed.ndim != 1:
        raise InputError(
            f"`judge` and `people` must be 1-d and equally long, got shapes {passed.shape} and {truth.shape}"
        )

    def share(hits: Flags, verdict: str) -> Estimate:
        if not len(hits):
            return Estimate(nan, reason=f"people {verdict} none of the items that they labeled")
        value, low, high = (float(each) for each in wilson_interval(hits.sum(), len(hits), level))
        return Estimate(value, low, high, len(hits))

    return JudgeErrors(share(passed[truth], "pass"), share(~passed[~truth], "fail"))


def pass_rate_behind(pass_rate: float, n: int, errors: JudgeErrors, level: float = 0.95) -> Estimate:
    """Estimate `corrected_pass_rate` from a judge's error rates.

    Parameters
    ----------
    pass_rate : share of the (n,) items that the judge passes
    n : items that the judge labeled
    errors : of the judge, from `judge_errors`
    level : of the interval

    Returns
    -------
    Estimate
        NaN with a reason where an error rate is unknown, or the judge is not clearly better than chance.

    Raises
    ------
    InputError
        where an argument of `corrected_pass_rate` would be wrong.

    Notes
    -----
    Source: Rogan and Gladen 1978; Lee et al. 2025; methods: section 13.
    """
    q1, q0 = errors.sensitivity, errors.specificity
    if not (q1.defined and q0.defined):
        return Estimate(nan, n=n, reason=q1.reason or q0.reason)
    return corrected_pass_rate(pass_rate, n, q0.value, q0.n, q1.value, q1.n, level)


def pass_rate_difference(
    first: float, n_first: int, second: float, n_second: int, errors: JudgeErrors, level: float = 0.95
) -> Estimate:
    """Estimate the difference of two systems' true pass rates from one judge's shares.

    Parameters
    ----------
    first, second : shares that the judge passes of each system's (n,) items, from 0 to 1
    n_first, n_second : items of each that the judge labeled
    errors : of the judge, the same for both systems
    level : of the interval

    Returns
    -------
    Estimate
        the first minus the second, with an interval; `n` are the items of both. NaN with a reason where the judge is
        not clearly better than chance.

    Raises
    ------
    InputError
        where an argument of `corrected_pass_rate` would be wrong.

    Notes
    -----
    (p1 - p2) / (q0 + q1 - 1), not clipped. The variance is by linearization: the judge's errors scale both rates
    equally. Shares are shrunk toward one half as in Agresti and Caffo 2000. Valid if the judge has the same error rates
    on both systems; the items of both are assumed independent.
    Source: Rogan and Gladen 1978; methods: section 13.
    """
    for rate, n in ((first, n_first), (second, n_second)):
        corrected = pass_rate_behind(rate, n, errors, level)
        if not corrected.defined:
            return Estimate(nan, n=n_first + n_second, reason=corrected.reason)
    q1, q0 = errors.sensitivity, errors.specificity
    z = float(ndtri((1 + level) / 2))
    youden, errors_squared = _smoothed(q0.value, q0.n) + _smoothed(q1.value, q1.n) - 1, 0.0
    for q in (q0, q1):
        share = _smoothed(q.value, q.n)
        errors_squared += share * (1 - share) / (q.n + 2)
    rates = [(_smoothed(rate, n), n + 2) for rate, n in ((first, n_first), (second, n_second))]
    center = (rates[0][0] - rates[1][0]) / youden
    rate_variance = sum(p * (1 - p) / n for p, n in rates)
    error = sqrt(rate_variance + center**2 * errors_squared) / youden
    value = (first - second) / (q0.value + q1.value - 1)
    low, high = max(center - z * error, -1.0), min(center + z * error, 1.0)
    return Estimate(value, min(low, value), max(high, value), n_first + n_second)


def _smoothed(share: float, n: int) -> float:
    return (n * share + 1) / (n + 2)


@dataclass(frozen=True)
class LabelsNeeded:
    """Further items to label that people pass and that they fail; infinite where no number suffices."""

    passes: float
    fails: float


def labels_to_halve(pass_rate: float, n: int, errors: JudgeErrors) -> LabelsNeeded:
    """Return the fewest further labels that halve the interval of `corrected_pass_rate`, optimally allocated.

    Parameters
    ----------
    pass_rate : share of the (n,) items that the judge passes
    n : items that the judge labeled
    errors : of the judge, on the (m,) items labeled by people

    Returns
    -------
    LabelsNeeded
        infinite where the judge's sample causes more than half of the width; NaN where the rate is undefined.

    Notes
    -----
    The variance is a + b0 / m0 + b1 / m1; the optimal m0 and m1 are proportional to the square roots of b0 and b1.
    Source: Neyman 1934 (allocation); methods: section 13.
    """
    corrected = pass_rate_behind(pass_rate, n, errors)
    if not corrected.defined:
        return LabelsNeeded(nan, nan)
    q0, q1 = (_smoothed(q.value, q.n) for q in (errors.specificity, errors.sensitivity))
    counts = np.array([errors.specificity.n, errors.sensitivity.n], dtype=np.float64) + 2
    error_variances = np.array(
        [(1 - corrected.value) ** 2 * q0 * (1 - q0), corrected.value**2 * q1 * (1 - q1)]
    )
    rate_variance = pass_rate * (1 - pass_rate) / n
    allowed_variance = (rate_variance + float((error_variances / counts).sum())) / 4 - rate_variance
    if allowed_variance <= 0:
        return LabelsNeeded(inf, inf)
    required = np.sqrt(error_variances) * float(np.sqrt(error_variances).sum()) / allowed_variance
    for index in (0, 1):
        if required[index] < counts[index]:  # sufficient; the other uses the remaining variance
            required[index] = counts[index]
            remaining_variance = allowed_variance - error_variances[index] / counts[index]
            required[1 - index] = (
                error_variances[1 - index] / remaining_variance if remaining_variance > 0 else inf
            )
    fails, passes = (
        more if more == inf else float(ceil(more)) for more in np.maximum(required - counts, 0.0)
    )
    return LabelsNeeded(passes, fails)


@dataclass(frozen=True, eq=False)
class CorrectedShares:
    """True shares of all classes corrected for a judge's errors, the `judged` shares (k,), and its confusion matrix.

    `confusion` (k, k) counts labeled items by people's class and the judge's.
    """

    shares: tuple[Estimate, ...]
    judged: Floats
    confusion: Codes


def corrected_shares(
    judge: ArrayLike, people: ArrayLike, classes: int, bootstrap: BootstrapSpec = DEFAULT_BOOTSTRAP
) -> CorrectedShares:
    """Estimate the shares of classes that people would give, from a judge's labels and its confusion matrix.

    Parameters
    ----------
    judge : (N,) class of each item, from 0 to `classes` - 1
    people : (N,) people's class, -1 where nobody labeled the item
    classes : number of classes, 2 or more
    bootstrap : draws, seed and level of the intervals

    Returns
    -------
    CorrectedShares
        NaN with a reason where people never gave a class, or the judge is not clearly better than chance.

    Raises
    ------
    InputError
        where lengths differ, or a class is out of range.

    Notes
    -----
    Solves shares x M = judged shares, M the confusion matrix with rows that sum to 1; clipped at 0 and normalized.
    Intervals are percentiles of draws of both samples from Dirichlet distributions with 2 / k added to each count, so
    that a class without observed errors is not certain. Undefined where M's determinant is at most 0 in more than 2.5%
    of the draws. Valid if the judge has the same error rates on labeled and other items.
    Source: Rogan and Gladen 1978; Lee et al. 2025; methods: section 13.
    """
    labels, truth = np.asarray(judge, dtype=np.int64), np.asarray(people, dtype=np.int64)
    if labels.shape != truth.shape or labels.ndim != 1:
        raise InputError(
            f"`judge` and `people` must be 1-d and equally long, got shapes {labels.shape} and {truth.shape}"
        )
    if (
        classes < 2
        or not len(labels)
        or labels.min() < 0
        or truth.min() < -1
        or max(labels.max(), truth.max()) >= classes
    ):
        raise InputError(f"classes must be from 0 to {classes - 1}, and people's may be -1 for none")
    counts = np.bincount(labels, minlength=classes)
    is_known = truth >= 0
    confusion = np.bincount(truth[is_known] * classes + labels[is_known], minlength=classes**2).reshape(
        classes, classes
    )
    judged = counts / counts.sum()

    def undefined(reason: str) -> CorrectedShares:
        return CorrectedShares((Estimate(nan, n=len(labels), reason=reason),) * classes, judged, confusion)

    if not confusion.sum(axis=1).all():
        return undefined("people gave one of the classes to none of the items that they labeled")
    rows = confusion / confusion.sum(axis=1, keepdims=True)
    if np.linalg.det(rows) <= 0:
        return undefined(NO_BETTER)
    value = _solve_shares(rows[None], judged[None])[0]
    rng, prior_count = np.random.default_rng(bootstrap.seed), 2 / classes
    drawn_rows = np.stack([rng.dirichlet(row + prior_count, bootstrap.draws) for row in confusion], axis=1)
    drawn_shares = rng.dirichlet(counts + prior_count, bootstrap.draws)
    is_invertible = np.linalg.det(drawn_rows) > 0
    if bootstrap.draws and is_invertible.mean() < 0.975:
        return undefined(NO_BETTER)
    samples = _solve_shares(drawn_rows[is_invertible], drawn_shares[is_invertible])
    tail = (1 - bootstrap.level) / 2
    ends = np.quantile(samples, [tail, 1 - tail], axis=0) if bootstrap.draws else np.full((2, classes), nan)
    low, high = np.minimum(ends[0], value), np.maximum(ends[1], value)
    shares = tuple(
        Estimate(float(value[at]), float(low[at]), float(high[at]), len(labels)) for at in range(classes)
    )
    return CorrectedShares(shares, judged, confusion)


def _solve_shares(rows: Floats, judged: Floats) -> Floats:
    """Return the shares (b, k) from judged shares (b, k) and confusion matrices (b, k, k)."""
    found = np.linalg.solve(np.swapaxes(rows, 1, 2), judged[:, :, None])[:, :, 0]
    cut = np.clip(found, 0.0, 1.0)
    return np.asarray(cut / cut.sum(axis=1, keepdims=True))
