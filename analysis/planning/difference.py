"""Power of the comparison of two systems, with variances of four published studies as presets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.planning.workloads import (
    Workloads,
    check_at_least,
    check_loads,
    check_positive,
    check_shares,
    summarize_workloads,
    t_test_power,
)
from analysis.values.estimate import Floats, InputError
from analysis.values.ratings import ratio


@dataclass(frozen=True)
class Preset:
    """Variances of a study by the names in a plan, with what was `measured`, on a scale of so many points from end
    to end; `items` describes its topics, and `source` names who collected the ratings."""

    variances: Mapping[str, float]
    points: float
    measured: str
    items: str
    source: str


def _variances(
    residual: float, rater_slope: float, item_slope: float, rater: float, item: float, rater_item: float
) -> Mapping[str, float]:
    return {
        "residual": residual,
        "rater_slope": rater_slope,
        "item_slope": item_slope,
        "rater": rater,
        "item": item,
        "rater_item": rater_item,
    }


PRESETS: dict[str, Preset] = {
    "speech": Preset(
        _variances(0.381, 0.05677, 0.0494, 0.1387, 0.05291, 0.002435),
        4.0,
        "speech quality from 1 to 5: 24 listeners in a laboratory, 50 conditions",
        "spoken sentences",
        "github.com/zequeira/DAT-R (MIT)",
    ),
    "video": Preset(
        _variances(0.3571, 0.008862, 0.03978, 0.1023, 0.3527, 0.04156),
        4.0,
        "video quality from 1 to 5: 26 viewers in a laboratory, 23 encodings of 9 videos, references left out",
        "videos",
        "NFLX public data set, github.com/Netflix/sureal (Apache 2.0)",
    ),
    "summaries": Preset(
        _variances(225.7, 20.43, 43.03, 20.43, 43.03, 16.69),
        100.0,
        "overall quality of summaries from 0 to 100: 4 reviewers, 3 systems",
        "questions about a story",
        "SQuALITY, github.com/nyu-mll/SQuALITY (CC BY 4.0)",
    ),
    "translation": Preset(
        _variances(12.21, 0.1534, 4.986, 12.5, 23.91, 13.72),
        25.0,
        "translation penalties (MQM, most are 0): 10 raters, 10 systems",
        "segments",
        "WMT 2023, github.com/google/wmt-mqm-human-evaluation (Apache 2.0)",
    ),
}
"""Estimates by `pilot` from these ratings; tests/analysis/planning/test_presets.py recomputes them."""


LARGEST_SHARE, FEW = 0.2, 8
"""Largest share of a group's ratings by one rater, and fewest raters and items per rater, for accurate plans. Beyond
these limits, power deviates from simulated studies by up to .16 instead of .03, and half-widths by up to 80% instead of
10%."""
Design = Literal["crossed", "counterbalanced", "items within", "raters within", "both within"]


class Layout(NamedTuple):
    """Nesting of a design: True where raters, or items, meet only one system, and the numbers of groups of raters
    and sets of items."""

    raters_within: bool
    items_within: bool
    groups: int
    sets: int

    @property
    def both_within(self) -> bool:
        """True where a rater meets only half of the items."""
        return self.raters_within and self.items_within


LAYOUTS: dict[Design, Layout] = {
    "crossed": Layout(False, False, 1, 1),
    "counterbalanced": Layout(False, False, 2, 2),
    "items within": Layout(False, True, 1, 2),
    "raters within": Layout(True, False, 2, 1),
    "both within": Layout(True, True, 2, 2),
}


class Numbers(NamedTuple):
    """Effective number of raters, number of items, and raters per item, (…,) each."""

    raters: ArrayLike
    items: ArrayLike
    per_item: ArrayLike


class Parts(NamedTuple):
    """Parts of the variance of half of the difference: raters, items and residual."""

    raters: float
    items: float
    rest: float


@dataclass(frozen=True)
class Power:
    """Power of a two-sided test of a difference: `power` with noncentrality `t` and `df` degrees of freedom.

    `caution` says why it is approximate; "" where it is within .03 of simulated studies.
    """

    power: float
    t: float
    df: float
    caution: str = ""


@dataclass(frozen=True)
class DifferencePlan:
    """Plan of a study of two systems, all variances in the unit of `d` squared, for conditions coded -1 and 1.

    `raters` may be their effective number (`effective_raters`). `ratings_per_item`: raters of each item, None for
    all. `rater_slope` is half of the variance of rater × system, `item_slope` of item × system. `loads`: relative
    numbers of ratings by each rater, or by a sample of such raters; None for equal loads.

    Raises
    ------
    InputError
        where a number lies outside its range, the design is unknown, or one of `rater`, `item`, `rater_item` is
        missing in a design that is not crossed: 0 would overstate power.

    Notes
    -----
    Source: Westfall, Kenny and Judd 2014.
    """

    raters: float
    items: float
    d: float
    residual: float
    rater_slope: float
    item_slope: float
    rater: float | None = None
    item: float | None = None
    rater_item: float | None = None
    design: Design = "crossed"
    ratings_per_item: float | None = None
    alpha: float = 0.05
    comparisons: int = 1
    loads: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if self.design not in LAYOUTS:
            raise InputError(f"`design` must be one of {', '.join(LAYOUTS)}, got {self.design!r}")
        check_at_least("raters", self.raters, self.layout.groups)
        check_at_least("items", self.items, self.layout.sets)
        if not np.isfinite(self.d):
            raise InputError(f"`d` must be a number, got {self.d}")
        for name in ("residual", "rater_slope", "item_slope"):
            check_at_least(name, getattr(self, name), 0)
        for name in ("rater", "item", "rater_item"):
            value = getattr(self, name)
            if value is None and self.design != "crossed":
                raise InputError(
                    f"`{name}` must be given where the design is {self.design!r}: 0 would overstate power"
                )
            check_at_least(name, value or 0, 0)
        if self.ratings_per_item is not None:
            check_positive("ratings_per_item", self.ratings_per_item)
        check_shares(alpha=self.alpha)
        check_at_least("comparisons", self.comparisons, 1)
        if self.loads is not None:
            if self.raters != round(self.raters):
                raise InputError(
                    f"`raters` must be a whole number where `loads` are given, got {self.raters:g}"
                )
            object.__setattr__(self, "loads", check_loads(self.loads))

    @property
    def layout(self) -> Layout:
        """Nesting of the design."""
        return LAYOUTS[self.design]

    @property
    def per_item(self) -> float:
        """Raters of an item, by default all who can meet it."""
        return self.ratings_per_item or self.raters / (2 if self.layout.both_within else 1)

    @property
    def cells(self) -> float:
        """Number of pairs of a rater and an item; in the crossed design rated under both systems."""
        return self.items * self.per_item

    @property
    def ratings(self) -> float:
        """Number of ratings in the study."""
        return self.cells * (2 if self.design == "crossed" else 1)

    @property
    def workloads(self) -> Workloads | None:
        """Effect of unequal loads in this study; None for equal loads."""
        return self.workloads_of(self.raters, self.items, self.per_item)

    def workloads_of(self, raters: float, items: float, per_item: float) -> Workloads | None:
        """Return the effect of unequal loads in a study with other numbers."""
        if self.loads is None:
            return None
        groups, sets = self.layout.groups, self.layout.sets
        per_group = per_item / (1 if self.layout.both_within else groups)
        return summarize_workloads(tuple(self.loads), int(raters), groups, per_group, items / sets)

    @property
    def caution(self) -> str:
        """Reason why power and half-widths are approximate; "" where they are accurate."""
        unequal = self.workloads
        if unequal is not None and unequal.raters < 0.999 * self.raters and unequal.busiest > LARGEST_SHARE:
            return f"one rater does more than {100 * LARGEST_SHARE:.0f}% of the ratings"
        if self.raters < FEW:
            return f"there are fewer than {FEW} raters"
        return f"raters rate fewer than {FEW} items each" if self.cells < FEW * self.raters else ""

    @property
    def effective_raters(self) -> float:
        """Number of equally loaded raters that are equivalent to these raters."""
        return self.effective_raters_of(self.raters, self.items, self.per_item)

    def effective_raters_of(self, raters: float, items: float, per_item: float) -> float:
        """Return the effective number of raters in a study with other numbers."""
        unequal = self.workloads_of(raters, items, per_item)
        return raters if unequal is None else unequal.raters

    @property
    def numbers(self) -> Numbers:
        """Numbers that determine the degrees of freedom."""
        return Numbers(self.effective_raters, self.items, self.per_item)

    @property
    def parts(self) -> Parts:
        """Parts of the variance of half of the difference: raters, items and residual."""
        residual = self.residual / 2 if self.design == "crossed" else self.residual + (self.rater_item or 0)
        raters = self.rater_slope + (self.rater or 0) * self.layout.raters_within
        items = self.item_slope + (self.item or 0) * self.layout.items_within
        return Parts(raters / self.effective_raters, items / self.items, residual / self.cells)


def difference_power(
    raters: float,
    items: float,
    d: float,
    residual: float,
    rater_slope: float,
    item_slope: float,
    rater: float | None = None,
    item: float | None = None,
    rater_item: float | None = None,
    design: Design = "crossed",
    ratings_per_item: float | None = None,
    alpha: float = 0.05,
    comparisons: int = 1,
    loads: Sequence[float] | None = None,
) -> Power:
    """Return the power of the comparison of two systems, for other raters and other items.

    Parameters
    ----------
    raters, items : total numbers; raters may be an effective number (`effective_raters`)
    d : difference of the two systems' means
    residual : residual variance of a rating, without rater × item
    rater_slope, item_slope : variances of the difference over raters, and over items, for conditions coded -1 and 1
        (half of the variance of rater × system, and of item × system)
    rater, item, rater_item : variances of raters, items and rater × item; required unless crossed
    design : "crossed": every rater and item meets both systems; "counterbalanced": half of the raters meet half of the
        items under one system and the other items under the other, the other raters the reverse; "items within",
        "raters within", "both within": each item, rater or both meets one system
    ratings_per_item : raters of an item, if not all
    alpha, comparisons : significance level and number of tests (Bonferroni)
    loads : (p,) relative numbers of ratings by each rater; equal if not given. A rater rates no item twice: where all
        rate all items, loads are equal

    Returns
    -------
    Power
        NaN where too few raters or items leave no degrees of freedom.

    Raises
    ------
    InputError
        where `DifferencePlan` rejects an argument.

    Notes
    -----
    Degrees of freedom are those of the authors' app, which omits a factor of 2 in the slopes' mean squares of the
    crossed and counterbalanced designs. Simulated studies agree within .03 (`simulated_power`), also for unequal loads
    with the effective number of raters. Not for one dominant rater, few raters, or few items per rater: `caution` then
    says so, and power needs simulated studies.
    Source: Westfall, Kenny and Judd 2014, "Statistical power and optimal design in experiments in which samples of
    participants respond to samples of stimuli", and their app; Satterthwaite 1946.

    >>> round(difference_power(20, 20, 0.5, 0.3, 0.1, 0.1).power, 4)
    0.6638
    """
    return power_of_plan(
        DifferencePlan(
            raters,
            items,
            d,
            residual,
            rater_slope,
            item_slope,
            rater,
            item,
            rater_item,
            design,
            ratings_per_item,
            alpha,
            comparisons,
            loads,
        )
    )


def power_of_plan(plan: DifferencePlan) -> Power:
    """Return `difference_power` of a plan."""
    parts, numbers = plan.parts, plan.numbers
    df = float(satterthwaite_degrees(plan.layout, numbers, halve_slopes_as_in_app(plan.layout, parts)))
    variance = sum(parts)
    if variance == 0:
        return Power(float(plan.d != 0), np.inf if plan.d else 0.0, df, plan.caution)
    return Power(float(plan_powers(plan, numbers, parts)), plan.d / 2 / sqrt(variance), df, plan.caution)


def plan_powers(plan: DifferencePlan, numbers: Numbers, parts: Sequence[ArrayLike]) -> Floats:
    """Return the power (…,) of a plan with other numbers (…,), from the three parts of the variance."""
    variance = np.asarray(sum(np.asarray(part) for part in parts))
    has_variance = variance > 0
    t = plan.d / 2 / np.sqrt(np.where(has_variance, variance, 1.0))
    df = satterthwaite_degrees(plan.layout, numbers, halve_slopes_as_in_app(plan.layout, parts))
    return np.where(has_variance, t_test_power(t, df, plan.alpha / plan.comparisons), float(plan.d != 0))


def halve_slopes_as_in_app(layout: Layout, parts: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Halve the slopes' parts, from which the authors' app computes degrees of freedom."""
    raters, items, rest = parts
    return raters * (1 if layout.raters_within else 0.5), items * (1 if layout.items_within else 0.5), rest


def satterthwaite_degrees(layout: Layout, numbers: Numbers, parts: Sequence[ArrayLike]) -> Floats:
    """Return Satterthwaite's degrees of freedom (…,) from the parts of the variance; 0 without degrees for raters or
    items."""
    p, q, k = (np.asarray(number, dtype=np.float64) for number in numbers)
    a, b, e = (np.asarray(part, dtype=np.float64) for part in parts)
    rater_degrees, item_degrees = np.maximum(p - layout.groups, 0), np.maximum(q - layout.sets, 0)
    residual_degrees = (
        rater_degrees * item_degrees * np.minimum(k / (p / (2 if layout.both_within else 1)), 1.0)
    )
    is_defined = (rater_degrees > 0) & (item_degrees > 0)
    denominator = (
        ratio((a + e) ** 2, rater_degrees) + ratio((b + e) ** 2, item_degrees) + ratio(e**2, residual_degrees)
    )
    return np.where(
        is_defined, np.where(denominator > 0, ratio((a + b + e) ** 2, denominator), residual_degrees), 0.0
    )
