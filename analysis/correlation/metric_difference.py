"""Worth of a difference of an automatic metric: how likely people prefer the system with the higher one."""

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
"""Systems below which no curve is fitted."""
CHANCES = (0.8, 0.9, 0.95)
_GRID = 61
_STEPS = 60
"""Steps of the bisection, each halving the error."""
FEW = f"fewer than {FEWEST_SYSTEMS} systems have both scores"
ALIKE = "the metric is the same for all systems"
BEYOND = "the curve does not get there within the observed differences"


@dataclass(frozen=True, eq=False)
class PreferenceCurve:
    """Chance that people prefer the system with the higher metric, by the difference of the metric.

    `rate` is k of 1 - exp(-k x) / 2, or of 1 - exp(-k x) for clear differences; `at` (g,) are differences from 0 to the
    largest observed, `chance`, `low` and `high` (g,) the curve with its band, and `steps` (p,) the monotone fit at the
    observed differences `observed` (p,). `needed` holds the difference for each chance. `tied` pairs have equal means
    by people and are left out; `turned` is True where a metric that falls where scores rise was turned round.
    """

    rate: float
    at: Floats
    chance: Floats
    low: Floats
    high: Floats
    observed: Floats
    preferred: Floats
    steps: Floats
    needed: Mapping[float, Estimate] = field(default_factory=dict)
    systems: int = 0
    tied: int = 0
    turned: bool = False
    of_clear: bool = False
    reason: str = ""

    @property
    def pairs(self) -> int:
        """Return the number of pairs that count."""
        return len(self.observed)

    def chance_at(self, difference: float) -> float:
        """Return the chance at a difference, NaN beyond the observed ones or without a curve."""
        if self.reason or not 0 <= difference <= self.at[-1]:
            return nan
        return float(_chance(self.rate * np.asarray(difference), self.of_clear))


def preference_curve(
    human: ArrayLike,
    metric: ArrayLike,
    clear: ArrayLike | None = None,
    chances: Sequence[float] = CHANCES,
    level: float = 0.95,
) -> PreferenceCurve:
    """Return how likely people prefer the system with the higher metric, by the size of the difference.

    Parameters
    ----------
    human, metric : (systems,) means of each system, NaN where not known
    clear : (systems, systems) True where people's difference of two systems is clear; then the chance is that people
        clearly prefer the system with the higher metric, of all pairs
    chances : for which the difference is given
    level : of the band and of the intervals

    Returns
    -------
    PreferenceCurve
        with the reason in it where fewer than 8 systems have both scores, or the metric is the same for all.

    Raises
    ------
    InputError
        where the shapes do not fit, or a score is infinite.

    Notes
    -----
    P = 1 - exp(-k x) / 2 by maximum likelihood with k >= 0, and a monotone (isotonic) fit. Pairs with equal metrics
    count half to either side. The interval of the root of k is from the jackknife over systems with their pairs, with
    Student's t; band and differences follow from its ends. A metric that correlates negatively with people is turned
    round first. Right within the observed differences only, and for systems like these.
    Source: Kocmi, Zouhar, Federmann and Post 2024; methods: section 12.
    """
    people, machine = numbers("human", human), numbers("metric", metric)
    if people.shape != machine.shape:
        raise InputError(f"`human` and `metric` must be equally long, got {len(people)} and {len(machine)}")
    if np.isinf(people).any() or np.isinf(machine).any():
        raise InputError("`human` and `metric` must not hold infinite scores; use NaN for a missing one")
    known = ~np.isnan(people) & ~np.isnan(machine)
    if clear is not None:
        given = np.asarray(clear, dtype=bool)
        if given.shape != (len(people), len(people)):
            raise InputError(f"`clear` must be (systems, systems), got {given.shape}")
        clear = given[np.ix_(known, known)]
    people, machine = people[known], machine[known]
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
            none,
            empty,
            len(people),
            reason=reason,
            of_clear=clear is not None,
        )

    if len(people) < FEWEST_SYSTEMS:
        return undefined(FEW)
    if np.ptp(machine) <= 1e-12 * np.abs(machine).max():
        return undefined(ALIKE)
    turned = np.corrcoef(people, machine)[0, 1] < 0 if np.ptp(people) > 0 else False
    machine = -machine if turned else machine
    first, second = np.triu_indices(len(people), 1)
    by_people, by_metric = people[first] - people[second], machine[first] - machine[second]
    ties = np.abs(by_people) <= 1e-12 * np.maximum(np.abs(people[first]), np.abs(people[second]))
    of_clear = clear is not None
    kept = np.ones(len(ties), dtype=bool) if of_clear else ~ties
    if not kept.any():
        return undefined("people tie all systems")
    x = np.abs(by_metric)[kept]
    y = np.where(by_metric == 0, 0.5, (by_people * by_metric > 0).astype(np.float64))[kept]
    if isinstance(clear, np.ndarray):
        y = y * clear[first, second][kept]
    most = float(x.max())
    rate, slow, fast = (
        each / most for each in _with_ends(first[kept], second[kept], x / most, y, of_clear, level)
    )
    at = np.linspace(0.0, most, _GRID)
    order = np.argsort(x, kind="stable")
    return PreferenceCurve(
        rate,
        at,
        _chance(rate * at, of_clear),
        _chance(slow * at, of_clear),
        _chance(fast * at, of_clear),
        x[order],
        y[order],
        np.asarray(isotonic_regression(y[order]).x),
        {chance: _needed(chance, rate, slow, fast, most, len(people), of_clear) for chance in chances},
        len(people),
        int((~kept).sum()),
        bool(turned),
        of_clear,
    )


def preference_rate(human: ArrayLike, metric: ArrayLike) -> float:
    """Return the rate k of `preference_curve` without intervals, for two arrays (systems,) without ties or gaps."""
    people, machine = finite_numbers("human", human), finite_numbers("metric", metric)
    first, second = np.triu_indices(len(people), 1)
    apart = machine[first] - machine[second]
    y = ((people[first] - people[second]) * apart > 0).astype(np.float64)
    most = float(np.abs(apart).max())
    return float(_rates(np.abs(apart) / most, y, np.ones((1, len(apart))), False)[0]) / most


def clear_differences(scores: ArrayLike, level: float = 0.95) -> Flags:
    """Return which pairs of systems (s, s) differ clearly by people: a paired t test over items.

    Parameters
    ----------
    scores : (systems, items) people's means, NaN where not known
    level : of the two-sided interval of a pair's mean difference

    Notes
    -----
    A pair needs two shared items. Pairs are not adjusted for their number: the question is about one pair.
    Source: methods: section 12.
    """
    table = np.asarray(scores, dtype=np.float64)
    found = np.zeros((len(table), len(table)), dtype=bool)
    for at in range(len(table) - 1):
        apart = table[at] - table[at + 1 :]
        there = ~np.isnan(apart)
        n = there.sum(axis=1)
        enough = n > 1
        filled = np.where(there, apart, 0.0)
        mean = filled.sum(axis=1) / np.maximum(n, 1)
        spread = (np.where(there, apart - mean[:, None], 0.0) ** 2).sum(axis=1) / np.maximum(n - 1, 1)
        half = stdtrit(np.maximum(n - 1, 1), 0.5 + level / 2) * np.sqrt(spread / np.maximum(n, 1))
        found[at, at + 1 :] = enough & (np.abs(mean) > half)
    return np.asarray(found | found.T)


def _chance(of: Floats, of_clear: bool) -> Floats:
    """Return the chance at k x."""
    return np.asarray(1 - np.exp(-of) * (1.0 if of_clear else 0.5))


def _needed(
    chance: float, rate: float, slow: float, fast: float, most: float, systems: int, of_clear: bool
) -> Estimate:
    """Return the difference at a chance; ends beyond the observed differences are open."""
    wanted = -log((1 - chance) * (1.0 if of_clear else 2.0))
    value = wanted / rate if rate > 0 else np.inf
    if value > most:
        return Estimate(nan, n=systems, reason=BEYOND)
    low = wanted / fast if fast > 0 else nan
    high = wanted / slow if slow > 0 else nan
    return Estimate(float(value), low, high if isnan(high) or high <= most else nan, systems)


def _rates(x: Floats, y: Floats, weight: Floats, of_clear: bool) -> Floats:
    """Return k (b,) of most likelihood for weights (b, p) of the pairs, by bisection of the slope."""
    low, high = np.zeros(len(weight)), np.full(len(weight), 1e6)
    share = 1.0 if of_clear else 0.5
    for _ in range(_STEPS):
        middle = np.where(high > 1e3, np.sqrt(np.maximum(low, 1e-3) * high), (low + high) / 2)
        left = np.exp(-middle[:, None] * x)
        missing = np.maximum(1 - share * left, 1e-300)
        slope = (weight * x * (y * share * left / missing - (1 - y))).sum(axis=1)
        rises = slope > 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return np.asarray(np.where(high < 1e-9, 0.0, (low + high) / 2))


def _with_ends(
    first: Codes, second: Codes, x: Floats, y: Floats, of_clear: bool, level: float
) -> tuple[float, float, float]:
    """Return k and both ends of its interval, each system left out once with its pairs."""
    systems = int(max(first.max(), second.max())) + 1
    left = np.arange(systems)[:, None]
    weight = np.vstack([np.ones(len(x)), (first != left) & (second != left)]).astype(np.float64)
    root = np.sqrt(_rates(x, y, weight, of_clear))
    error = float(np.sqrt(jackknife_variance(root[1:])))
    half = float(stdtrit(systems - 1, 0.5 + level / 2)) * error
    return float(root[0]) ** 2, max(float(root[0]) - half, 0.0) ** 2, (float(root[0]) + half) ** 2
