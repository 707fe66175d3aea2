"""Repeated-measures analysis of variance of conditions with the same subjects.

Subject effects are removed before conditions are compared. With missing cells, means over different subjects are not
comparable; then a mixed model with random subjects is fitted by REML. It has one variance ratio, so that subjects are
absorbed and the likelihood is a function of one number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special
from scipy.linalg import helmert
from scipy.sparse import csgraph, csr_array

from analysis.resampling.intervals import interval_from_error
from analysis.values.estimate import Estimate, Floats, InputError

ANOVA = "repeated-measures analysis of variance"
MIXED = "mixed model with random subjects (REML), because cells are missing"

LARGEST = 1e100
"""Largest absolute value whose square is finite."""
RELATIVE_ROUNDING = 1e-24
"""Share of the total sum of squares up to which an error sum of squares is rounding error."""
LOG_RATIOS = np.arange(-16.0, 41.0)
"""Grid of log ratios of subject and error variance for the maximum of the likelihood."""

NO_VALUES = "there are no values"
ONE_CONDITION = "there is only one condition with values, and nothing to compare it with"
ONE_SUBJECT = "there is only one subject, so nothing says how much differences vary between subjects"
ALL_EQUAL = "all values are equal"
NO_ERROR = (
    "conditions differ by the same amounts for every subject, so there is no error to compare them with"
)
UNCONNECTED = "the conditions fall into sets that no subject links: nobody has values in both"
SATURATED = "there are too few values to tell conditions, subjects and error apart"
NOT_MIXED = "not defined for a mixed model"
HUGE = "F is too large for an interval"


@dataclass(frozen=True, eq=False)
class RepeatedMeasures:
    """Test of differences between k conditions against their variation over n subjects.

    `f` with `df1` and `df2` degrees of freedom and its `p`; `p_greenhouse_geisser` allows for unequal variances of
    the differences: `greenhouse_geisser`, from 1 / (k - 1) to 1, is 1 for equal variances; `huynh_feldt` is its less
    conservative form. These three are NaN for a mixed model. `conditions` (k,) ids in ascending order and `means`
    (k,), each with its within-subject interval and number of subjects; `difference_variances` (k, k), squared
    standard errors of the differences of two means. `ms_error` is the mean square of conditions x subjects, for the
    mixed model the error variance; `subject_variance` the variance between subjects (may be negative except in the
    mixed model). `n` subjects, `missing` cells of n x k, `averaged` cells with several values, `empty` (e,) ids of
    excluded conditions without values. `method` in words. With a `reason`, the test is undefined and its figures are
    NaN.
    """

    method: str
    conditions: NDArray[Any]
    means: tuple[Estimate, ...]
    f: float
    df1: float
    df2: float
    p: float
    greenhouse_geisser: float
    p_greenhouse_geisser: float
    huynh_feldt: float
    partial_eta_squared: Estimate
    generalised_eta_squared: Estimate
    ms_error: float
    subject_variance: float
    difference_variances: Floats
    n: int
    missing: int
    averaged: int
    empty: NDArray[Any]
    reason: str

    @property
    def k(self) -> int:
        """Number of conditions with values."""
        return len(self.conditions)

    @property
    def defined(self) -> bool:
        """True where the test is defined."""
        return not self.reason


def repeated_measures(
    subject: ArrayLike, condition: ArrayLike, value: ArrayLike, *, level: float = 0.95
) -> RepeatedMeasures:
    """Fit a one-factor repeated-measures analysis of variance, or a mixed model with missing cells.

    Parameters
    ----------
    subject, condition : (N,) ids of any sortable kind; several values of a subject in a condition are averaged
    value : (N,) numbers, NaN for a missing one
    level : of the intervals

    Returns
    -------
    RepeatedMeasures
        undefined with its reason for one subject, one condition, constant values or unconnected conditions.

    Raises
    ------
    InputError
        where lengths differ, ids cannot be sorted, a value is infinite or `level` is not between 0 and 1.

    Notes
    -----
    For pairs of conditions, use `analysis.relevance.tukey`. Not for subjects with one condition each. Complete cells: F
    = MS_conditions / MS_error, MS_error that of conditions x subjects; p assumes equal variances of all differences
    between conditions, the Greenhouse-Geisser p does not. Missing cells: value = condition + random subject, variances
    by REML (of subjects not below 0), Wald's F with containment degrees of freedom, N - n - k + 1, which are (k - 1)(n
    - 1) for complete cells. Cells have equal weights, whatever the number of values that they average. Intervals of
    means are within-subject intervals, mean ± t sqrt(MS_error / n) (Loftus & Masson 1994; n of that condition), without
    the variance between subjects. Partial eta squared is of conditions against conditions and error, its interval from
    the noncentral F; generalised eta squared is of all sums of squares, and comparable with studies of independent
    groups.
    Source: Hobson et al. 2007, Tables 1, 3 and 9; Greenhouse & Geisser 1959; Huynh & Feldt 1976; Olejnik & Algina
    2003 (generalised eta squared); Steiger 2004 (interval); Pinheiro & Bates 2000, section 2.2 (REML); methods:
    section 6.

    >>> analysed = repeated_measures([1, 1, 1, 2, 2, 2, 3, 3, 3], list("abc") * 3, [5, 6, 7, 4, 5, 6, 8, 7, 6])
    >>> round(analysed.f, 4), analysed.df1, analysed.df2, round(analysed.ms_error, 4)
    (0.25, 2.0, 4.0, 1.3333)
    """
    number = _check_numbers(value)
    rows, row = _encode("subject", subject, len(number))
    columns, column = _encode("condition", condition, len(number))
    is_observed = ~np.isnan(number)
    cell, shape = (row * len(columns) + column)[is_observed], (len(rows), len(columns))
    counts = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(cell, weights=number[is_observed], minlength=shape[0] * shape[1]).reshape(shape)
    table = np.where(counts > 0, sums / np.maximum(counts, 1), nan)
    return _analyse(table, columns, int((counts > 1).sum()), level)


def repeated_measures_table(
    table: ArrayLike, conditions: ArrayLike | None = None, *, level: float = 0.95
) -> RepeatedMeasures:
    """Fit `repeated_measures` to a table of subjects by conditions.

    >>> analysed = repeated_measures_table([[5, 6, 7], [4, 5, 6], [8, 7, 6]])
    >>> round(analysed.p, 4)
    0.7901
    """
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2:
        raise InputError(f"`table` must be 2-d, subjects by conditions, got an array of shape {values.shape}")
    names = np.arange(values.shape[1]) if conditions is None else np.asarray(conditions)
    if names.shape != (values.shape[1],):
        raise InputError(
            f"`conditions` needs one id per column, {values.shape[1]}, got an array of shape {names.shape}"
        )
    _check_numbers(values.ravel())
    return _analyse(values, names, 0, level)


@dataclass(frozen=True, eq=False)
class _Fit:
    """Result of either method: test, `means` (k,), variances; NaN epsilons and generalised eta for the mixed model."""

    means: Floats
    f: float
    df2: float
    ms_error: float
    subject_variance: float
    difference_variances: Floats
    greenhouse_geisser: float
    huynh_feldt: float
    generalised_eta_squared: Estimate


def _analyse(table: Floats, names: NDArray[Any], averaged: int, level: float) -> RepeatedMeasures:
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    is_observed = ~np.isnan(table)
    has_values = is_observed.any(axis=0)
    has_ratings = is_observed.any(axis=1)
    table, is_observed = table[has_ratings][:, has_values], is_observed[has_ratings][:, has_values]
    n, k = table.shape
    complete = bool(is_observed.all())
    reason = _undefined_reason(table, is_observed)
    counts = is_observed.sum(axis=0)
    if reason:
        means = np.where(is_observed, table, 0.0).sum(axis=0) / np.maximum(counts, 1)
        undefined = Estimate(nan, n=n, reason=reason)
        fit = _Fit(means, nan, nan, nan, nan, np.full((k, k), nan), nan, nan, undefined)
    else:
        fit = _fit_complete_table(table) if complete else _fit_mixed_model(table, is_observed)
    df1, df2, epsilon = float(k - 1), fit.df2, fit.greenhouse_geisser
    low, high = interval_from_error(fit.means, np.sqrt(fit.ms_error / np.maximum(counts, 1)), level, df2)
    return RepeatedMeasures(
        method=ANOVA if complete else MIXED,
        conditions=names[has_values],
        means=tuple(
            Estimate(float(mean), float(a), float(b), int(count), reason)
            for mean, a, b, count in zip(fit.means, low, high, counts, strict=True)
        ),
        f=fit.f,
        df1=nan if reason else df1,
        df2=df2,
        p=float(special.fdtrc(df1, df2, fit.f)),
        greenhouse_geisser=epsilon,
        p_greenhouse_geisser=float(special.fdtrc(epsilon * df1, epsilon * df2, fit.f)),
        huynh_feldt=fit.huynh_feldt,
        partial_eta_squared=Estimate(nan, n=n, reason=reason)
        if reason
        else _partial_eta_squared(fit.f, df1, df2, n, level),
        generalised_eta_squared=fit.generalised_eta_squared,
        ms_error=fit.ms_error,
        subject_variance=fit.subject_variance,
        difference_variances=fit.difference_variances,
        n=n,
        missing=n * k - int(counts.sum()),
        averaged=averaged,
        empty=names[~has_values],
        reason=reason,
    )


def _undefined_reason(table: Floats, is_observed: NDArray[np.bool_]) -> str:
    n, k = table.shape
    if n == 0:
        return NO_VALUES
    if k < 2:
        return ONE_CONDITION
    if n < 2:
        return ONE_SUBJECT
    values = table[is_observed]
    if np.ptp(values) == 0:
        return ALL_EQUAL
    present = is_observed.astype(np.float64)
    if csgraph.connected_components(csr_array(present.T @ present), directed=False)[0] > 1:
        return UNCONNECTED
    if len(values) - n - k + 1 < 1:
        return SATURATED
    return (
        NO_ERROR
        if (_fit_fixed_effects(table, is_observed)[2] ** 2).sum() <= RELATIVE_ROUNDING * (values**2).sum()
        else ""
    )


def _fit_fixed_effects(table: Floats, is_observed: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Fit conditions and subjects as fixed effects by least squares."""
    # Returns the conditions' normal equations (k, k), their effects (k,) and the residuals (n, k), 0 where missing.
    present = is_observed.astype(np.float64)
    values = np.where(is_observed, table, 0.0)
    values_per_subject = present.sum(axis=1, keepdims=True)
    equations = np.diag(present.sum(axis=0)) - (present / values_per_subject).T @ present
    subject_means = values.sum(axis=1, keepdims=True) / values_per_subject
    effects = np.linalg.pinv(equations, hermitian=True) @ (present * (values - subject_means)).sum(axis=0)
    residuals = (values - effects) * present
    return (
        equations,
        effects,
        (residuals - residuals.sum(axis=1, keepdims=True) / values_per_subject) * present,
    )


def _fit_complete_table(table: Floats) -> _Fit:
    n, k = table.shape
    grand, means, subject_means = table.mean(), table.mean(axis=0), table.mean(axis=1)
    residuals = table - means - subject_means[:, None] + grand
    ss_conditions = n * float(((means - grand) ** 2).sum())
    ss_subjects = k * float(((subject_means - grand) ** 2).sum())
    ss_error = float((residuals**2).sum())
    df1, df2 = k - 1, (k - 1) * (n - 1)
    ms_error = ss_error / df2
    epsilon = _greenhouse_geisser(residuals)
    denominator = n - 1 - df1 * epsilon
    eta = ss_conditions / (ss_conditions + ss_subjects + ss_error)
    return _Fit(
        means=means,
        f=ss_conditions / df1 / ms_error,
        df2=float(df2),
        ms_error=ms_error,
        subject_variance=(ss_subjects / (n - 1) - ms_error) / k,
        difference_variances=2 * ms_error / n * (1 - np.eye(k)),
        greenhouse_geisser=epsilon,
        huynh_feldt=min((n * df1 * epsilon - 2) / (df1 * denominator), 1.0) if denominator > 1e-9 else 1.0,
        generalised_eta_squared=Estimate(eta, n=n, reason="no interval is known for it"),
    )


def _greenhouse_geisser(residuals: Floats) -> float:
    """Return epsilon of the residuals (n, k): 1 for equal variances of all contrasts of conditions."""
    products = (residuals / np.abs(residuals).max()).T @ residuals
    return float(np.trace(products) ** 2 / ((len(products) - 1) * (products**2).sum()))


def _fit_mixed_model(table: Floats, is_observed: NDArray[np.bool_]) -> _Fit:
    """Fit by REML from the information on conditions within subjects and that in the subjects' totals."""
    # For a ratio r of the variances of subjects and error, a subject with m values adds its total with weight
    # 1 / (m (1 + m r)), so that subjects with the same number of values are summed in advance. Means are parametrized
    # as a common level and k - 1 contrasts, since only the variance of the level grows with that between subjects.
    within, effects, residuals = _fit_fixed_effects(table, is_observed)
    (n, k), total = table.shape, int(is_observed.sum())
    start = effects + float((table - effects)[is_observed].mean())
    basis = helmert(k, full=True).T
    present = is_observed @ basis
    sums = np.where(is_observed, table - start, 0.0).sum(axis=1)
    group_sizes, group = np.unique(is_observed.sum(axis=1), return_inverse=True)
    is_in_group = [group == index for index in range(len(group_sizes))]
    products = np.stack([present[mask].T @ present[mask] for mask in is_in_group])
    totals = np.stack([sums[mask] @ present[mask] for mask in is_in_group])
    squares = np.array([sums[mask] @ sums[mask] for mask in is_in_group])
    subjects, error = np.bincount(group), float((residuals**2).sum())
    contrast_equations = np.zeros((k, k))
    contrast_equations[1:, 1:] = basis.T[1:] @ within @ basis[:, 1:]

    def solve(ratio: float) -> tuple[Floats, Floats, float]:
        """Return the equations of level and contrasts (k, k), their change from `start` (k,) and the residual sum of
        squares."""
        weight = 1 / (group_sizes * (1 + group_sizes * ratio))
        equations = contrast_equations + np.tensordot(weight, products, axes=1)
        change = np.linalg.solve(equations, weight @ totals)
        return equations, change, error + float(weight @ (squares - totals @ change))

    def deviance(ratio: float) -> float:
        equations, _, residual = solve(ratio)
        log_determinant = subjects @ np.log1p(group_sizes * ratio)
        return float(
            (total - k) * np.log(residual) + log_determinant + np.linalg.slogdet(equations).logabsdet
        )

    ratio = _minimize_deviance(deviance)
    equations, change, residual = solve(ratio)
    ms_error = residual / (total - k)
    means = start + basis @ change
    contrasts = basis.T[1:] @ means
    contrast_information = equations[1:, 1:] - np.outer(equations[1:, 0], equations[0, 1:]) / equations[0, 0]
    covariance = ms_error * basis[:, 1:] @ np.linalg.inv(contrast_information) @ basis.T[1:]
    variances = np.diag(covariance)
    return _Fit(
        means=means,
        f=float(contrasts @ contrast_information @ contrasts) / (k - 1) / ms_error,
        df2=float(total - n - k + 1),
        ms_error=ms_error,
        subject_variance=ratio * ms_error,
        difference_variances=(variances[:, None] + variances - 2 * covariance) * (1 - np.eye(k)),
        greenhouse_geisser=nan,
        huynh_feldt=nan,
        generalised_eta_squared=Estimate(nan, n=n, reason=NOT_MIXED),
    )


def _minimize_deviance(deviance: Callable[[float], float]) -> float:
    """Return the ratio of variances, 0 included, that minimizes the deviance."""
    grid_deviances = [deviance(exp(x)) for x in LOG_RATIOS]
    best = int(np.argmin(grid_deviances))
    bracket = LOG_RATIOS[max(best - 1, 0)], LOG_RATIOS[min(best + 1, len(grid_deviances) - 1)]
    minimum = optimize.minimize_scalar(
        lambda x: deviance(exp(x)), bounds=bracket, method="bounded", options={"xatol": 1e-10}
    )
    return 0.0 if deviance(0.0) <= minimum.fun else exp(float(minimum.x))


def _partial_eta_squared(f: float, df1: float, df2: float, n: int, level: float) -> Estimate:
    value = f * df1 / (f * df1 + df2)
    low, high = (_noncentrality(f, df1, df2, (1 + side * level) / 2) for side in (1, -1))
    if isnan(low) or isnan(high):
        return Estimate(value, n=n, reason=HUGE)
    cells = df1 + df2 + 1
    return Estimate(value, min(value, low / (low + cells)), max(value, high / (high + cells)), n)


def _noncentrality(f: float, df1: float, df2: float, probability: float) -> float:
    """Return the noncentrality at which F lies below f with this probability, 0 if it is lower for all."""
    if special.fdtr(df1, df2, f) <= probability:
        return 0.0

    def excess_probability(noncentrality: float) -> float:
        return float(special.ncfdtr(df1, df2, noncentrality, f)) - probability

    upper = df1 * f + 1
    while excess_probability(upper) > 0:
        upper *= 2
    if isnan(excess_probability(upper)) or excess_probability(upper) == 0:
        return nan
    return float(optimize.brentq(excess_probability, 0.0, upper, xtol=1e-12, rtol=1e-12))


def _check_numbers(value: ArrayLike) -> Floats:
    number = np.asarray(value, dtype=np.float64)
    if number.ndim != 1:
        raise InputError(f"`value` must be 1-d, got an array of shape {number.shape}")
    large = np.abs(number) > LARGEST
    if large.any():
        raise InputError(
            f"values must be at most {LARGEST:g} in size, got {number[large][0]:g}; "
            "use NaN for what is missing"
        )
    return number


def _encode(name: str, ids: ArrayLike, length: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    array = np.asarray(ids)
    if array.shape != (length,):
        raise InputError(f"`{name}` needs one id per value, {length}, got an array of shape {array.shape}")
    try:
        names, code = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise InputError(f"`{name}` must hold ids of one kind that can be sorted: {error}") from error
    return names, code.astype(np.int64)
