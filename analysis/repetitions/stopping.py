"""Five answers to 'how many ratings per item are enough', none of which moves with how many were collected.

Two rest on the attenuation curve, two on how ratings of one item differ, one on telling systems apart.
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
from analysis.repetitions.attenuation import NO_RELIABILITY, Attenuation, ratings_for
from analysis.resampling.intervals import order_statistics, t_quantile
from analysis.values.estimate import Estimate, InputError
from analysis.values.ratings import Ratings, coded

MOST = 1_000_000
"""A rule that asks for more ratings per item than this has no answer."""

Rule = Literal[
    "share of the limit", "gain of one more", "reliability", "width of the interval", "difference of systems"
]

ON_THE_CURVE: tuple[Rule, ...] = ("share of the limit", "gain of one more")
"""Rules whose answers have an interval: that of the curve they rest on."""

ON_COMPONENTS: tuple[Rule, ...] = ("width of the interval",)
"""Rules whose answers have the interval of the components they rest on."""


@dataclass(frozen=True)
class StoppingSpec:
    """Precision that is enough.

    Parameters
    ----------
    share : of the limiting correlation
    gain : correlation that one more rating must bring at least
    reliability : that the mean rating must reach, ICC(1,k)
    width : of an item's mean interval, from end to end, in points of the scale; None leaves the rule out
    level : of that interval
    distance : in points of the scale, by which two systems differ; None leaves the rule out
    power : the chance to tell them apart (two-sided test at 1 - level)

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
    """One rule's answer: that many ratings per item, or None and the reason."""

    rule: Rule
    ratings: int | None
    reason: str = ""


def stops(
    attenuation: Attenuation,
    components: OneWay,
    spec: StoppingSpec,
    systems: "Systems | None" = None,
    reliability: Estimate | None = None,
) -> tuple[Stop, ...]:
    """All rules that the spec and the data allow, in the order of the methods page.

    Parameters
    ----------
    attenuation : the attenuation curve fitted to all points (k + 1, m)
    components : of the candidate's ratings
    spec : what is enough
    systems : where items belong to systems
    reliability : of one rating; ICC(1,1) of the components where not given

    Returns
    -------
    tuple of Stop

    Notes
    -----
    Source: methods, section 2; each rule's own function says more.
    """
    limit, half = np.array([attenuation.rho_inf]), np.array([attenuation.ratings_for_half])
    one = Estimate(components.icc, reason=components.reason) if reliability is None else reliability
    answers = [
        _stop("share of the limit", float(within_share(half, spec.share)[0]), attenuation.reason),
        _stop("gain of one more", float(small_gain(limit, half, spec.gain)[0]), attenuation.reason),
        _stop("reliability", ratings_for(one.value, spec.reliability), one.reason or NO_RELIABILITY),
    ]
    if spec.width is not None:
        answers.append(
            _stop(
                "width of the interval",
                narrow(components.sd_within, spec.width, components.degrees, spec.level),
                components.reason,
            )
        )
    if spec.distance is not None and systems is not None:
        needed = ratings_for_difference(systems, spec.distance, spec.power, 1 - spec.level)
        answers.append(
            _stop("difference of systems", needed, systems.reason or _too_few_items(systems, spec))
        )
    return tuple(answers)


def interval_of(
    stop: Stop, limits: NDArray[np.float64], halves: NDArray[np.float64], spec: StoppingSpec
) -> Estimate:
    """A rule on the curve with the middle of the draws (d,) of its limit and lambda; one without an answer counts as
    beyond any number, so that the interval may have no upper end.
    """
    if stop.ratings is None or stop.rule not in ON_THE_CURVE:
        return Estimate(nan)
    if stop.rule == "share of the limit":
        drawn = within_share(halves, spec.share)
    else:
        drawn = small_gain(limits, halves, spec.gain)
    if not np.isfinite(drawn).any():
        return Estimate(float(stop.ratings))
    low, high = (float(end) for end in order_statistics(np.where(np.isnan(drawn), inf, drawn), 0.95))
    most = inf if np.isnan(high) else max(high, float(stop.ratings))
    return Estimate(float(stop.ratings), float(np.fmin(low, stop.ratings)), _open(most))


def interval_of_components(
    stop: Stop, intervals: OneWayIntervals, spec: StoppingSpec, degrees: float
) -> Estimate:
    """Return a rule on how ratings of an item differ with its interval, infinite beyond `MOST`.

    `degrees` of freedom of the SD within items.
    """
    if stop.ratings is None or stop.rule not in ON_COMPONENTS:
        return Estimate(nan)
    ends = [
        narrow(sd, spec.width or nan, degrees, spec.level)
        for sd in (intervals.sd_within.low, intervals.sd_within.high)
    ]
    return Estimate(float(stop.ratings), ends[0], _open(ends[1]))


def _open(end: float) -> float:
    return inf if end > MOST else end


def _stop(rule: Rule, ratings: float, reason: str) -> Stop:
    if isfinite(ratings) and ratings <= MOST:
        return Stop(rule, int(ratings))
    return Stop(rule, None, reason or "no number of ratings reaches this")


def within_share(half: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """First r at which sqrt(r / (r + lambda)) reaches a share of its limit.

    >>> within_share(np.array([2.0]), 0.95)
    array([19.])
    """
    needed = half * share**2 / (1 - share**2)
    return np.maximum(np.ceil(needed - 1e-9), 1)


def small_gain(limit: NDArray[np.float64], half: NDArray[np.float64], gain: float) -> NDArray[np.float64]:
    """First r where one more rating raises rho_inf sqrt(r / (r + lambda)) by less than a gain.

    >>> small_gain(np.array([0.9]), np.array([2.0]), 0.02)
    array([5.])
    """

    def rise(r: NDArray[np.float64]) -> NDArray[np.float64]:
        gained: NDArray[np.float64] = limit * (np.sqrt((r + 1) / (r + 1 + half)) - np.sqrt(r / (r + half)))
        return gained

    low, high = np.zeros(len(half)), np.full(len(half), 2.0**20)
    for _ in range(20):  # low gains enough, high does not
        middle = (low + high) / 2
        enough = rise(middle) >= gain
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return np.where(np.isnan(limit * half), np.nan, high)


def narrow(sd: float, width: float, degrees: float, level: float = 0.95) -> float:
    """First r at which the mean interval of an item's MOS is narrower than a width.

    Student's, mean ± t SD / sqrt(r), with the degrees of freedom of the SD that is pooled over items.

    >>> narrow(0.9, 1.0, 150)
    13.0
    """
    if sd != sd or degrees != degrees:
        return nan
    if not width > 0:
        return inf
    needed = (2 * float(t_quantile(degrees, level)) * sd / width) ** 2
    return float(max(floor(needed) + 1, 1)) if needed <= MOST else inf


@dataclass(frozen=True)
class Systems:
    """Variances of items of one system and of ratings of one item.

    `between_items` variance of a system's items, `within_items` of an item's ratings, `items_per_system` the
    harmonic mean, `systems` how many. NaN with a `reason` where not defined.
    """

    between_items: float
    within_items: float
    items_per_system: float
    systems: int
    reason: str = ""


def nested(ratings: Ratings, systems: Mapping[Any, Any]) -> Systems:
    """Variance components of items within systems and ratings within items.

    Items within a system estimate within + n0 between, n0 = (N - sum over systems of squared counts / N_s) / (items
    - systems).
    Source: Searle, Casella and McCulloch 1992, section 3.6 (nested, unequal counts); arrays (N,).
    """
    ids, item = coded(ratings.item)
    named = [systems.get(one) for one in ids.tolist()]
    has_one = np.array([name is not None for name in named], dtype=bool)
    keep = has_one[item] if len(ids) else np.zeros(0, dtype=bool)
    names = {name: code for code, name in enumerate(dict.fromkeys(n for n in named if n is not None))}
    if len(names) < 2:
        return Systems(nan, nan, nan, len(names), "fewer than two systems have ratings")
    code = np.array([names[name] if name is not None else 0 for name in named])
    score, item = ratings.score[keep], item[keep]
    n, total, s = int(has_one.sum()), len(score), len(names)
    per_system = np.bincount(code[has_one], minlength=s)
    harmonic = float(s / (1 / per_system).sum())
    counts = np.bincount(item, minlength=len(ids))
    means = np.bincount(item, weights=score, minlength=len(ids)) / np.maximum(counts, 1)
    if total == n or n == s:
        what = "no item has two ratings" if total == n else "no system has two items"
        return Systems(nan, nan, harmonic, s, f"{what}, so differences cannot be separated from chance")
    size = np.bincount(code[item], minlength=s)
    system_mean = np.bincount(code[item], weights=score, minlength=s) / size
    within = float(((score - means[item]) ** 2).sum()) / (total - n)
    around = float((counts * (means - system_mean[code]) ** 2)[has_one].sum()) / (n - s)
    squares = np.bincount(code[has_one], weights=(counts[has_one] ** 2).astype(np.float64), minlength=s)
    typical = (total - float((squares / size).sum())) / (n - s)
    return Systems(max((around - within) / typical, 0.0), within, harmonic, s)


def ratings_for_difference(
    systems: Systems, distance: float, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Ratings per item with which two systems a distance apart differ significantly with a power.

    Two independent sets of items, normal approximation; cautious where the systems were tried on the same topics. A
    severity that a rater keeps over all items cancels only where raters rate both systems.
    """
    if systems.reason:
        return float("nan")
    spread = distance / float(special.ndtri(1 - alpha / 2) + special.ndtri(power))
    left = spread**2 * systems.items_per_system / 2 - systems.between_items
    if left <= 0:
        return inf
    return float(max(ceil(systems.within_items / left - 1e-9), 1))


def _too_few_items(systems: Systems, spec: StoppingSpec) -> str:
    z = float(special.ndtri((1 + spec.level) / 2) + special.ndtri(spec.power))
    distance = spec.distance or inf
    items = ceil(2 * z**2 * systems.between_items / distance**2) + 1
    return f"no number of ratings is enough: about {items} items per system are needed, not more ratings"
