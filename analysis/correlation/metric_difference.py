"""Probability that people prefer the system with the higher automatic metric, by the difference of the metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, log, nan

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression
from scipy.special import stdtrit

from analysis.resampling.intervals import jackknife_variance
from analysis.values.estimate import Codes, Estimate, Flags, Floats, InputError
from analysis.values.ratings import finite_numbers, numbers

FEWEST_SYSTEMS = 8
"""Fewest systems for a curve."""
CHANCES = (0.8, 0.9, 0.95)
_GRID = 61
_STEPS = 60
"""Steps of the bisection, each halving the error."""
TOO_FEW_SYSTEMS = f"fewer than {FEWEST_SYSTEMS} systems have both scores"
CONSTANT_METRIC = "the metric is the same for all systems"
BEYOND = "the curve does not get there within the observed differences"


@dataclass(frozen=True, eq=False)
class PreferenceCurve:
    """Probability that people prefer the system with the higher metric, by the difference of the metric.

    `rate` is k of 1 - exp(-k x) / 2, or of 1 - exp(-k x) for clear differences; `at` (g,) are differences from 0 to the
    largest observed, `chance`, `low` and `high` (g,) the curve with its band, and `steps` (p,) the monotone fit at the
    observed differences `observed` (p,). `needed` holds the difference for each chance. `tied` pairs have equal means
    by people and are excluded; `sign_reversed` is True for a metric with negative correlation.
    """

    rate: float
    at: Floats
    chance: Floats
    low: Floats
    high: Floats
    observed: Floats
    steps: Floats
    needed: Mapping[float, Estimate] = field(default_factory=dict)
    systems: int = 0
    tied: int = 0
    sign_reversed: bool = False
    clear_only: bool = False
    reason: str = ""

    @property
    def pairs(self) -> int:
        """Number of pairs in the fit."""
        return len(self.observed)

    def chance_at(self, difference: float) -> float:
        """Return the chance at a difference, NaN beyond the observed ones or without a curve."""
        if self.reason or not 0 <= difference <= self.at[-1]:
            return nan
        return float(_preference_chance(self.rate * np.asarray(difference), self.clear_only))


def preference_curve(
    human: ArrayLike,
    metric: ArrayLike,
    clear: ArrayLike | None = None,
    chances: Sequence[float] = CHANCES,
    level: float = 0.95,
) -> PreferenceCurve:
    """Fit the probability that people prefer the system with the higher metric, by the size of the difference.

    Parameters
    ----------
    human, metric : (systems,) means of each system, NaN where unknown
    clear : (systems, systems) True where people's difference of two systems is clear; then the probability is that
        people clearly prefer the system with the higher metric, of all pairs
    chances : probabilities for which the difference is computed
    level : of the band and of the intervals

    Returns
    -------
    PreferenceCurve
        with a reason if fewer than 8 systems have both scores, or the metric is the same for all.

    Raises
    ------
    InputError
        where the shapes do not fit, or a score is infinite.

    Notes
    -----
    P = 1 - exp(-k x) / 2 by maximum likelihood with k >= 0, and a monotone (isotonic) fit. Pairs with equal metrics
    count half for each side. The interval of the square root of k is from the jackknife over systems with their pairs,
    with Student's t; band and differences follow from its ends. The sign of a metric with negative correlation is
    reversed first. Valid within the observed differences only, and for systems like these.
    Source: Kocmi, Zouhar, Federmann and Post 2024; methods: section 12.
    """
    people, machine = numbers("human", human), numbers("metric", metric)
    if people.shape != machine.shape:
        raise InputError(f"`human` and `metric` must be equally long, got {len(people)} and {len(machine)}")
    if np.isinf(people).any() or np.isinf(machine).any():
        raise InputError("`human` and `metric` must not hold infinite scores; use NaN for a missing one")
    is_defined = ~np.isnan(people) & ~np.isnan(machine)
    if clear is not None:
        clear_pairs = np.asarray(clear, dtype=bool)
        if clear_pairs.shape != (len(people), len(people)):
            raise InputError(f"`clear` must be (systems, systems), got {clear_pairs.shape}")
        clear = clear_pairs[np.ix_(is_defined, is_defined)]
    people, machine = people[is_defined], machine[is_defined]
    none = np.empty(0)

    def undefined(reason: str) -> PreferenceCurve:
        empty = {chance: Estimate(nan, n=len(people), reason=reason) for chance in chances}
        return PreferenceCurve(
            nan,
            none,
            none,
            none,
            none,
            none,
            none,
            empty,
            len(people),
            reason=reason,
            clear_only=clear is not None,
        )

    if len(people) < FEWEST_SYSTEMS:
        return undefined(TOO_FEW_SYSTEMS)
    if np.ptp(machine) <= 1e-12 * np.abs(machine).max():
        return undefined(CONSTANT_METRIC)
    sign_reversed = np.corrcoef(people, machine)[0, 1] < 0 if np.ptp(people) > 0 else False
    machine = -machine if sign_reversed else machine
    first, second = np.triu_indices(len(people), 1)
    by_people, by_metric = people[first] - people[second], machine[first] - machine[second]
    ties = np.abs(by_people) <= 1e-12 * np.maximum(np.abs(people[first]), np.abs(people[second]))
    clear_only = clear is not None
    is_used = np.ones(len(ties), dtype=bool) if clear_only else ~ties
    if not is_used.any():
        return undefined("people tie all systems")
    x = np.abs(by_metric)[is_used]
    y = np.where(by_metric == 0, 0.5, (by_people * by_metric > 0).astype(np.float64))[is_used]
    if isinstance(clear, np.ndarray):
        y = y * clear[first, second][is_used]
    largest = float(x.max())
    rate, slow, fast = (
        each / largest
        for each in _rate_interval(first[is_used], second[is_used], x / largest, y, clear_only, level)
    )
    grid = np.linspace(0.0, largest, _GRID)
    order = np.argsort(x, kind="stable")
    return PreferenceCurve(
        rate,
        grid,
        _preference_chance(rate * grid, clear_only),
        _preference_chance(slow * grid, clear_only),
        _preference_chance(fast * grid, clear_only),
        x[order],
        np.asarray(isotonic_regression(y[order]).x),
        {
            chance: _difference_at_chance(chance, rate, slow, fast, largest, len(people), clear_only)
            for chance in chances
        },
        len(people),
        int((~is_used).sum()),
        bool(sign_reversed),
        clear_only,
    )


def preference_rate(human: ArrayLike, metric: ArrayLike) -> float:
    """Fit the rate k of `preference_curve` to two arrays (systems,) without ties or missing values."""
    people, machine = finite_numbers("human", human), finite_numbers("metric", metric)
    first, second = np.triu_indices(len(people), 1)
    differences = machine[first] - machine[second]
    y = ((people[first] - people[second]) * differences > 0).astype(np.float64)
    largest = float(np.abs(differences).max())
    return (
        float(_fit_rates(np.abs(differences) / largest, y, np.ones((1, len(differences))), False)[0])
        / largest
    )


def clear_differences(scores: ArrayLike, level: float = 0.95) -> Flags:
    """Return the mask of pairs of systems (s, s) whose human scores differ in a paired t test over items.

    Parameters
    ----------
    scores : (systems, items) people's means, NaN where unknown
    level : of the two-sided interval of a pair's mean difference

    Notes
    -----
    A pair needs two shared items. There is no adjustment for the number of pairs, as the question is about one pair.
    Source: methods: section 12.
    """
    table = np.asarray(scores, dtype=np.float64)
    is_clear = np.zeros((len(table), len(table)), dtype=bool)
    for first in range(len(table) - 1):
        differences = table[first] - table[first + 1 :]
        is_known = ~np.isnan(differences)
        n = is_known.sum(axis=1)
        enough = n > 1
        filled = np.where(is_known, differences, 0.0)
        mean = filled.sum(axis=1) / np.maximum(n, 1)
        variance = (np.where(is_known, differences - mean[:, None], 0.0) ** 2).sum(axis=1) / np.maximum(
            n - 1, 1
        )
        half_width = stdtrit(np.maximum(n - 1, 1), 0.5 + level / 2) * np.sqrt(variance / np.maximum(n, 1))
        is_clear[first, first + 1 :] = enough & (np.abs(mean) > half_width)
    return np.asarray(is_clear | is_clear.T)


def _preference_chance(exponent: Floats, clear_only: bool) -> Floats:
    """Return the probability of preference at k x."""
    return np.asarray(1 - np.exp(-exponent) * (1.0 if clear_only else 0.5))


def _difference_at_chance(
    chance: float, rate: float, slow: float, fast: float, largest: float, systems: int, clear_only: bool
) -> Estimate:
    """Return the difference at a probability of preference; ends beyond the observed differences are NaN."""
    exponent = -log((1 - chance) * (1.0 if clear_only else 2.0))
    value = exponent / rate if rate > 0 else np.inf
    if value > largest:
        return Estimate(nan, n=systems, reason=BEYOND)
    low = exponent / fast if fast > 0 else nan
    high = exponent / slow if slow > 0 else nan
    return Estimate(float(value), low, high if isnan(high) or high <= largest else nan, systems)


def _fit_rates(x: Floats, y: Floats, weight: Floats, clear_only: bool) -> Floats:
    """Fit k (b,) by maximum likelihood for weights (b, p) of the pairs, by bisection of the derivative."""
    low, high = np.zeros(len(weight)), np.full(len(weight), 1e6)
    share = 1.0 if clear_only else 0.5
    for _ in range(_STEPS):
        midpoint = np.where(high > 1e3, np.sqrt(np.maximum(low, 1e-3) * high), (low + high) / 2)
        decay = np.exp(-midpoint[:, None] * x)
        missing = np.maximum(1 - share * decay, 1e-300)
        slope = (weight * x * (y * share * decay / missing - (1 - y))).sum(axis=1)
        rises = slope > 0
        low, high = np.where(rises, midpoint, low), np.where(rises, high, midpoint)
    return np.asarray(np.where(high < 1e-9, 0.0, (low + high) / 2))


def _rate_interval(
    first: Codes, second: Codes, x: Floats, y: Floats, clear_only: bool, level: float
) -> tuple[float, float, float]:
    """Return k and both ends of its jackknife interval over systems."""
    systems = int(max(first.max(), second.max())) + 1
    excluded = np.arange(systems)[:, None]
    weight = np.vstack([np.ones(len(x)), (first != excluded) & (second != excluded)]).astype(np.float64)
    root = np.sqrt(_fit_rates(x, y, weight, clear_only))
    error = float(np.sqrt(jackknife_variance(root[1:])))
    half_width = float(stdtrit(systems - 1, 0.5 + level / 2)) * error
    return float(root[0]) ** 2, max(float(root[0]) - half_width, 0.0) ** 2, (float(root[0]) + half_width) ** 2
