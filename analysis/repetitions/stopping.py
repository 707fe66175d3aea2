"""Five rules for the number of ratings per item, none of which depends on the number collected.

Two use the attenuation curve, two the variance of ratings of one item, and one the difference of systems.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.agreement.intraclass import OneWayIntervals
from analysis.agreement.reliability import OneWay
from analysis.repetitions.attenuation import NO_RELIABILITY, Attenuation, ratings_for_reliability
from analysis.resampling.intervals import order_statistics, t_quantile
from analysis.values.estimate import Estimate, InputError
from analysis.values.ratings import Ratings, coded

MOST_RATINGS = 1_000_000
"""Largest number of ratings per item that a rule may return."""

Rule = Literal[
    "share of the limit", "gain of one more", "reliability", "width of the interval", "difference of systems"
]

CURVE_RULES: tuple[Rule, ...] = ("share of the limit", "gain of one more")
"""Rules whose answers have the interval of the attenuation curve."""

COMPONENT_RULES: tuple[Rule, ...] = ("width of the interval",)
"""Rules whose answers have the interval of the variance components."""


@dataclass(frozen=True)
class StoppingSpec:
    """Settings of the stopping rules.

    Parameters
    ----------
    share : of the limiting correlation
    gain : smallest gain in correlation by one more rating
    reliability : required reliability of the mean rating, ICC(1,k)
    width : full width of an item's mean interval, in points of the scale; None omits the rule
    level : of that interval
    distance : difference of two systems, in points of the scale; None omits the rule
    power : of the two-sided test of that difference at 1 - level

    Raises
    ------
    InputError
        where a number is out of range.

    Notes
    -----
    Source: methods, section 2 (the paper has the knee only).
    """

    share: float = 0.95
    gain: float = 0.005
    reliability: float = 0.8
    width: float | None = None
    level: float = 0.95
    distance: float | None = None
    power: float = 0.8

    def __post_init__(self) -> None:
        for name in ("share", "reliability", "level", "power"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"`{name}` must be between 0 and 1, got {getattr(self, name)}")
        for name in ("gain", "width", "distance"):
            if getattr(self, name) is not None and not getattr(self, name) > 0:
                raise InputError(f"`{name}` must be above 0, got {getattr(self, name)}")


@dataclass(frozen=True)
class Stop:
    """Answer of one rule: the number of ratings per item, or None with the reason."""

    rule: Rule
    ratings: int | None
    reason: str = ""


def apply_stopping_rules(
    attenuation: Attenuation,
    components: OneWay,
    spec: StoppingSpec,
    systems: "NestedVariances | None" = None,
    reliability: Estimate | None = None,
) -> tuple[Stop, ...]:
    """Apply all rules that the spec and the data allow, in the order of the methods page.

    Parameters
    ----------
    attenuation : the attenuation curve fitted to all points (k + 1, m)
    components : variance components of the candidate's ratings
    spec : settings of the rules
    systems : variances of items and ratings, if items belong to systems
    reliability : of one rating; by default ICC(1,1) of the components

    Returns
    -------
    tuple of Stop

    Notes
    -----
    Source: methods, section 2; see the function of each rule.
    """
    limit, ratings_for_half = np.array([attenuation.rho_inf]), np.array([attenuation.ratings_for_half])
    one = Estimate(components.icc, reason=components.reason) if reliability is None else reliability
    answers = [
        _stop_or_reason(
            "share of the limit",
            float(ratings_for_share(ratings_for_half, spec.share)[0]),
            attenuation.reason,
        ),
        _stop_or_reason(
            "gain of one more",
            float(ratings_for_small_gain(limit, ratings_for_half, spec.gain)[0]),
            attenuation.reason,
        ),
        _stop_or_reason(
            "reliability", ratings_for_reliability(one.value, spec.reliability), one.reason or NO_RELIABILITY
        ),
    ]
    if spec.width is not None:
        answers.append(
            _stop_or_reason(
                "width of the interval",
                ratings_for_width(components.sd_within, spec.width, components.degrees, spec.level),
                components.reason,
            )
        )
    if spec.distance is not None and systems is not None:
        needed = ratings_for_difference(systems, spec.distance, spec.power, 1 - spec.level)
        answers.append(
            _stop_or_reason(
                "difference of systems", needed, systems.reason or _too_few_items_reason(systems, spec)
            )
        )
    return tuple(answers)


def curve_rule_interval(
    stop: Stop, limits: NDArray[np.float64], halves: NDArray[np.float64], spec: StoppingSpec
) -> Estimate:
    """Return a curve rule's answer with the percentiles of the samples (d,) of its limit and lambda; samples without
    an answer count as infinite, so that the interval may have no upper bound."""
    if stop.ratings is None or stop.rule not in CURVE_RULES:
        return Estimate(nan)
    if stop.rule == "share of the limit":
        drawn = ratings_for_share(halves, spec.share)
    else:
        drawn = ratings_for_small_gain(limits, halves, spec.gain)
    if not np.isfinite(drawn).any():
        return Estimate(float(stop.ratings))
    low, high = (float(end) for end in order_statistics(np.where(np.isnan(drawn), inf, drawn), 0.95))
    most = inf if np.isnan(high) else max(high, float(stop.ratings))
    return Estimate(float(stop.ratings), float(np.fmin(low, stop.ratings)), _open_if_large(most))


def component_rule_interval(
    stop: Stop, intervals: OneWayIntervals, spec: StoppingSpec, degrees: float
) -> Estimate:
    """Return a component rule's answer with its interval, infinite beyond `MOST_RATINGS`.

    `degrees` of freedom of the SD within items.
    """
    if stop.ratings is None or stop.rule not in COMPONENT_RULES:
        return Estimate(nan)
    ends = [
        ratings_for_width(sd, spec.width or nan, degrees, spec.level)
        for sd in (intervals.sd_within.low, intervals.sd_within.high)
    ]
    return Estimate(float(stop.ratings), ends[0], _open_if_large(ends[1]))


def _open_if_large(end: float) -> float:
    return inf if end > MOST_RATINGS else end


def _stop_or_reason(rule: Rule, ratings: float, reason: str) -> Stop:
    if isfinite(ratings) and ratings <= MOST_RATINGS:
        return Stop(rule, int(ratings))
    return Stop(rule, None, reason or "no number of ratings reaches this")


def ratings_for_share(half: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the smallest r at which sqrt(r / (r + lambda)) reaches a share of its limit.

    >>> ratings_for_share(np.array([2.0]), 0.95)
    array([19.])
    """
    needed = half * share**2 / (1 - share**2)
    return np.maximum(np.ceil(needed - 1e-9), 1)


def ratings_for_small_gain(
    limit: NDArray[np.float64], half: NDArray[np.float64], gain: float
) -> NDArray[np.float64]:
    """Return the smallest r at which one more rating raises rho_inf sqrt(r / (r + lambda)) by less than a gain.

    >>> ratings_for_small_gain(np.array([0.9]), np.array([2.0]), 0.02)
    array([5.])
    """

    def next_gain(r: NDArray[np.float64]) -> NDArray[np.float64]:
        difference: NDArray[np.float64] = limit * (
            np.sqrt((r + 1) / (r + 1 + half)) - np.sqrt(r / (r + half))
        )
        return difference

    low, high = np.zeros(len(half)), np.full(len(half), 2.0**20)
    for _ in range(20):  # the gain is large at low and small at high
        middle = (low + high) / 2
        is_large = next_gain(middle) >= gain
        low, high = np.where(is_large, middle, low), np.where(is_large, high, middle)
    return np.where(np.isnan(limit * half), np.nan, high)


def ratings_for_width(sd: float, width: float, degrees: float, level: float = 0.95) -> float:
    """Return the smallest r at which the mean interval of an item's MOS is narrower than a width.

    Student's, mean ± t SD / sqrt(r), with the degrees of freedom of the SD that is pooled over items.

    >>> ratings_for_width(0.9, 1.0, 150)
    13.0
    """
    if sd != sd or degrees != degrees:
        return nan
    if not width > 0:
        return inf
    needed = (2 * float(t_quantile(degrees, level)) * sd / width) ** 2
    return float(max(floor(needed) + 1, 1)) if needed <= MOST_RATINGS else inf


@dataclass(frozen=True)
class NestedVariances:
    """Variances of items of one system and of ratings of one item.

    `between_items` variance of a system's items, `within_items` of an item's ratings, `items_per_system` the
    harmonic mean, `systems` their number. NaN with a `reason` where undefined.
    """

    between_items: float
    within_items: float
    items_per_system: float
    systems: int
    reason: str = ""


def nested_variance_components(ratings: Ratings, systems: Mapping[Any, Any]) -> NestedVariances:
    """Estimate variance components of items within systems and ratings within items.

    The mean square of items within systems estimates within + n0 between, n0 = (N - sum over systems of squared
    counts / N_s) / (items - systems). Source: Searle, Casella and McCulloch 1992, section 3.6 (nested, unequal
    counts); arrays (N,).
    """
    ids, item = coded(ratings.item)
    named = [systems.get(one) for one in ids.tolist()]
    has_system = np.array([name is not None for name in named], dtype=bool)
    keep = has_system[item] if len(ids) else np.zeros(0, dtype=bool)
    names = {name: code for code, name in enumerate(dict.fromkeys(n for n in named if n is not None))}
    if len(names) < 2:
        return NestedVariances(nan, nan, nan, len(names), "fewer than two systems have ratings")
    code = np.array([names[name] if name is not None else 0 for name in named])
    score, item = ratings.score[keep], item[keep]
    n, total, s = int(has_system.sum()), len(score), len(names)
    per_system = np.bincount(code[has_system], minlength=s)
    harmonic = float(s / (1 / per_system).sum())
    counts = np.bincount(item, minlength=len(ids))
    means = np.bincount(item, weights=score, minlength=len(ids)) / np.maximum(counts, 1)
    if total == n or n == s:
        what = "no item has two ratings" if total == n else "no system has two items"
        return NestedVariances(
            nan, nan, harmonic, s, f"{what}, so differences cannot be separated from chance"
        )
    size = np.bincount(code[item], minlength=s)
    system_mean = np.bincount(code[item], weights=score, minlength=s) / size
    within = float(((score - means[item]) ** 2).sum()) / (total - n)
    between_mean_square = float((counts * (means - system_mean[code]) ** 2)[has_system].sum()) / (n - s)
    squares = np.bincount(code[has_system], weights=(counts[has_system] ** 2).astype(np.float64), minlength=s)
    effective_count = (total - float((squares / size).sum())) / (n - s)
    return NestedVariances(max((between_mean_square - within) / effective_count, 0.0), within, harmonic, s)


def ratings_for_difference(
    systems: NestedVariances, distance: float, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the ratings per item with which a difference of two systems is significant with a power.

    Two independent sets of items, normal approximation; conservative for systems tested on the same topics. A
    rater's severity cancels only where raters rate both systems.
    """
    if systems.reason:
        return float("nan")
    standard_error = distance / float(special.ndtri(1 - alpha / 2) + special.ndtri(power))
    remaining = standard_error**2 * systems.items_per_system / 2 - systems.between_items
    if remaining <= 0:
        return inf
    return float(max(ceil(systems.within_items / remaining - 1e-9), 1))


def _too_few_items_reason(systems: NestedVariances, spec: StoppingSpec) -> str:
    z = float(special.ndtri((1 + spec.level) / 2) + special.ndtri(spec.power))
    distance = spec.distance or inf
    items = ceil(2 * z**2 * systems.between_items / distance**2) + 1
    return f"no number of ratings is enough: about {items} items per system are needed, not more ratings"
