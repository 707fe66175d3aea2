"""The true pass rate behind a judge whose errors are known from items that people labeled, too."""

from dataclasses import dataclass
from math import ceil, inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from analysis.resampling.intervals import wilson_interval
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Flags, Floats, InputError

NO_BETTER = "the judge is not clearly better than chance, so that its errors cannot be corrected"
USUAL = BootstrapSpec()


def corrected_pass_rate(
    pass_rate: float,
    n: int,
    specificity: float,
    fails: int,
    sensitivity: float,
    passes: int,
    level: float = 0.95,
) -> Estimate:
    """Return the share of items that people would pass, from a judge's share and its known errors.

    Parameters
    ----------
    pass_rate : share of items that the judge passes, from 0 to 1
    n : items that the judge labeled
    specificity : share that the judge fails of the items that people fail
    fails : items that people fail, on which the judge was checked
    sensitivity : share that the judge passes of the items that people pass
    passes : items that people pass, on which the judge was checked
    level : of the interval

    Returns
    -------
    Estimate
        the corrected rate, with an interval that holds the chance in all three samples; `n` is that of the judge. NaN
        with a reason where sensitivity and specificity do not clearly add to more than 1.

    Raises
    ------
    InputError
        where a share is not between 0 and 1, a number below 1, or the level not between 0 and 1.

    Notes
    -----
    theta = (p + q0 - 1) / (q0 + q1 - 1), cut to 0 and 1. Right where the judge errs alike in both samples, whatever
    their mix of passes and fails; the labeled items need not be a random part of all.
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
    better = q0 + q1 - 1
    if specificity + sensitivity <= 1 or better <= z * sqrt(error0 + error1):
        return Estimate(nan, n=n, reason=NO_BETTER)
    theta = _cut((p + q0 - 1) / better)
    shift = 2 * z**2 * (theta * error1 - (1 - theta) * error0)
    error = sqrt(p * (1 - p) / total + (1 - theta) ** 2 * error0 + theta**2 * error1) / better
    value = _cut((pass_rate + specificity - 1) / (specificity + sensitivity - 1))
    return Estimate(value, _cut(theta + shift - z * error), _cut(theta + shift + z * error), n)


def _cut(share: float) -> float:
    return min(max(share, 0.0), 1.0)


@dataclass(frozen=True)
class JudgeErrors:
    """Errors of a judge on items that people labeled, too.

    `sensitivity` is the share that it passes of the items that people pass, `specificity` the share that it fails of
    those that people fail; their `n` are these items, and NaN stands where there are none.
    """

    sensitivity: Estimate
    specificity: Estimate


def judge_errors(judge: ArrayLike, people: ArrayLike, level: float = 0.95) -> JudgeErrors:
    """Return a judge's sensitivity and specificity with Wilson's intervals.

    Parameters
    ----------
    judge, people : (m,) whether the judge, and people, pass each of the items that both labeled
    level : of the intervals

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

    def share(hits: Flags, what: str) -> Estimate:
        if not len(hits):
            return Estimate(nan, reason=f"people {what} none of the items that they labeled")
        value, low, high = (float(each) for each in wilson_interval(hits.sum(), len(hits), level))
        return Estimate(value, low, high, len(hits))

    return JudgeErrors(share(passed[truth], "pass"), share(~passed[~truth], "fail"))


def pass_rate_behind(pass_rate: float, n: int, errors: JudgeErrors, level: float = 0.95) -> Estimate:
    """Return `corrected_pass_rate` with a judge's errors.

    Parameters
    ----------
    pass_rate : share of the (n,) items that the judge passes
    n : items that the judge labeled
    errors : of the judge, as `judge_errors` gives them
    level : of the interval

    Returns
    -------
    Estimate
        NaN with a reason where an error is not known, or the judge is not clearly better than chance.

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
    """Return the difference of two systems' true pass rates, from the shares that one judge passes of each.

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
    (p1 - p2) / (q0 + q1 - 1), not cut. Its variance is by linearization: the judge's errors scale both rates alike, so
    that the difference depends on them only by its own size. Shares are drawn toward one half as in Agresti and Caffo
    2000. Right where the judge errs alike on both systems; the items of both count as independent.
    Source: Rogan and Gladen 1978; methods: section 13.
    """
    for rate, n in ((first, n_first), (second, n_second)):
        found = pass_rate_behind(rate, n, errors, level)
        if not found.defined:
            return Estimate(nan, n=n_first + n_second, reason=found.reason)
    q1, q0 = errors.sensitivity, errors.specificity
    z = float(ndtri((1 + level) / 2))
    of_judge, errors_squared = _smoothed(q0.value, q0.n) + _smoothed(q1.value, q1.n) - 1, 0.0
    for q in (q0, q1):
        share = _smoothed(q.value, q.n)
        errors_squared += share * (1 - share) / (q.n + 2)
    rates = [(_smoothed(rate, n), n + 2) for rate, n in ((first, n_first), (second, n_second))]
    middle = (rates[0][0] - rates[1][0]) / of_judge
    of_rates = sum(p * (1 - p) / n for p, n in rates)
    error = sqrt(of_rates + middle**2 * errors_squared) / of_judge
    value = (first - second) / (q0.value + q1.value - 1)
    low, high = max(middle - z * error, -1.0), min(middle + z * error, 1.0)
    return Estimate(value, min(low, value), max(high, value), n_first + n_second)


def _smoothed(share: float, n: int) -> float:
    return (n * share + 1) / (n + 2)


@dataclass(frozen=True)
class LabelsNeeded:
    """Further items to label, of those that people pass and of those that they fail; infinite where none suffice."""

    passes: float
    fails: float


def labels_to_halve(pass_rate: float, n: int, errors: JudgeErrors) -> LabelsNeeded:
    """Return the fewest further labels that halve the interval of `corrected_pass_rate`, split as suits it best.

    Parameters
    ----------
    pass_rate : share of the (n,) items that the judge passes
    n : items that the judge labeled
    errors : of the judge, on the (m,) items that people labeled so far

    Returns
    -------
    LabelsNeeded
        infinite where the judge's own sample makes more than half of the width; NaN where the rate is undefined.

    Notes
    -----
    The variance is a + b0 / m0 + b1 / m1; m0 and m1 with the smallest sum are as the roots of b0 and b1 to each other.
    Source: Neyman 1934 (allocation); methods: section 13.
    """
    found = pass_rate_behind(pass_rate, n, errors)
    if not found.defined:
        return LabelsNeeded(nan, nan)
    q0, q1 = (_smoothed(q.value, q.n) for q in (errors.specificity, errors.sensitivity))
    there = np.array([errors.specificity.n, errors.sensitivity.n], dtype=np.float64) + 2
    of_errors = np.array([(1 - found.value) ** 2 * q0 * (1 - q0), found.value**2 * q1 * (1 - q1)])
    of_rate = pass_rate * (1 - pass_rate) / n
    room = (of_rate + float((of_errors / there).sum())) / 4 - of_rate
    if room <= 0:
        return LabelsNeeded(inf, inf)
    wanted = np.sqrt(of_errors) * float(np.sqrt(of_errors).sum()) / room
    for at in (0, 1):
        if wanted[at] < there[at]:  # it has enough; the other takes what is left
            wanted[at] = there[at]
            left = room - of_errors[at] / there[at]
            wanted[1 - at] = of_errors[1 - at] / left if left > 0 else inf
    fails, passes = (more if more == inf else float(ceil(more)) for more in np.maximum(wanted - there, 0.0))
    return LabelsNeeded(passes, fails)


@dataclass(frozen=True, eq=False)
class CorrectedShares:
    """True shares of all classes behind a judge, the `judged` shares (k,), and how it labels what people label.

    `confusion` (k, k) counts labeled items by people's class and the judge's.
    """

    shares: tuple[Estimate, ...]
    judged: Floats
    confusion: Codes


def corrected_shares(
    judge: ArrayLike, people: ArrayLike, classes: int, bootstrap: BootstrapSpec = USUAL
) -> CorrectedShares:
    """Return the shares of classes that people would give, from a judge's labels and its confusion matrix.

    Parameters
    ----------
    judge : (N,) class of each item, from 0 to `classes` - 1
    people : (N,) people's class, -1 where nobody labeled the item
    classes : number of classes, 2 or more
    bootstrap : draws, seed and level of the intervals

    Returns
    -------
    CorrectedShares
        NaN with a reason where people gave a class to no item, or the judge is not clearly better than chance.

    Raises
    ------
    InputError
        where lengths differ, or a class is out of range.

    Notes
    -----
    Solves shares x M = judged shares, M the confusion matrix with rows that sum to 1; cut at 0 and made to sum to 1.
    Intervals are percentiles of draws of both samples from Dirichlet distributions with 2 / k added to each count, so
    that a class without an error does not count as known. Undefined where M's determinant is at most 0 in more than
    2.5% of the draws. Right where the judge errs alike on labeled and other items.
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
    known = truth >= 0
    confusion = np.bincount(truth[known] * classes + labels[known], minlength=classes**2).reshape(
        classes, classes
    )
    judged = counts / counts.sum()

    def undefined(why: str) -> CorrectedShares:
        return CorrectedShares((Estimate(nan, n=len(labels), reason=why),) * classes, judged, confusion)

    if not confusion.sum(axis=1).all():
        return undefined("people gave one of the classes to none of the items that they labeled")
    rows = confusion / confusion.sum(axis=1, keepdims=True)
    if np.linalg.det(rows) <= 0:
        return undefined(NO_BETTER)
    value = _solved(rows[None], judged[None])[0]
    rng, more = np.random.default_rng(bootstrap.seed), 2 / classes
    drawn_rows = np.stack([rng.dirichlet(row + more, bootstrap.draws) for row in confusion], axis=1)
    drawn_shares = rng.dirichlet(counts + more, bootstrap.draws)
    able = np.linalg.det(drawn_rows) > 0
    if bootstrap.draws and able.mean() < 0.975:
        return undefined(NO_BETTER)
    drawn = _solved(drawn_rows[able], drawn_shares[able])
    tail = (1 - bootstrap.level) / 2
    ends = np.quantile(drawn, [tail, 1 - tail], axis=0) if bootstrap.draws else np.full((2, classes), nan)
    low, high = np.minimum(ends[0], value), np.maximum(ends[1], value)
    shares = tuple(
        Estimate(float(value[at]), float(low[at]), float(high[at]), len(labels)) for at in range(classes)
    )
    return CorrectedShares(shares, judged, confusion)


def _solved(rows: Floats, judged: Floats) -> Floats:
    """Return the shares (b, k) behind judged shares (b, k) and confusion matrices (b, k, k)."""
    found = np.linalg.solve(np.swapaxes(rows, 1, 2), judged[:, :, None])[:, :, 0]
    cut = np.clip(found, 0.0, 1.0)
    return np.asarray(cut / cut.sum(axis=1, keepdims=True))
