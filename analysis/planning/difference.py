"""Variances of four studies that were carried out, for who plans one of their kind and has no ratings yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.planning.workloads import (
    Workloads,
    at_least,
    checked_loads,
    positive,
    power_of_t,
    shares,
    workloads,
)
from analysis.values.estimate import Floats, InputError
from analysis.values.ratings import ratio


@dataclass(frozen=True)
class Preset:
    """A study's variances by the names that a plan has for them, `measured` how, on a scale of so many points from
    end to end; `items` are what its topics are, and `source` who collected the ratings.
    """

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
"""As `pilot` has them from these ratings; tests/analysis/planning/test_presets.py computes them again."""


BUSIEST, FEW = 0.2, 8
"""Above which share of a group's ratings by one rater, and below how many raters, or items of a rater, the power is up
to .16 off simulated studies instead of .03, and half-widths up to four fifths instead of a tenth."""
Design = Literal["crossed", "counterbalanced", "items within", "raters within", "both within"]


class Layout(NamedTuple):
    """Flags of raters, and items, that meet one system only, and how many groups raters and items fall into."""

    raters_within: bool
    items_within: bool
    groups: int
    sets: int

    @property
    def both_within(self) -> bool:
        """Return True where a rater meets half of the items only."""
        return self.raters_within and self.items_within


LAYOUTS: dict[Design, Layout] = {
    "crossed": Layout(False, False, 1, 1),
    "counterbalanced": Layout(False, False, 2, 2),
    "items within": Layout(False, True, 1, 2),
    "raters within": Layout(True, False, 2, 1),
    "both within": Layout(True, True, 2, 2),
}


class Numbers(NamedTuple):
    """Raters by their effective number, items, and raters of an item, (…,) each."""

    raters: ArrayLike
    items: ArrayLike
    per_item: ArrayLike


class Parts(NamedTuple):
    """Parts that raters, items and the rest add to the variance of half of the difference."""

    raters: float
    items: float
    rest: float


@dataclass(frozen=True)
class Power:
    """The chance of finding a difference: `power` of a two-sided test with noncentrality `t` and `df` degrees.

    `caution`: why it is only roughly what simulated studies find; "" where it is within .03.
    """

    power: float
    t: float
    df: float
    caution: str = ""


@dataclass(frozen=True)
class DifferencePlan:
    """A study of two systems, all variances in the unit of `d` squared, for conditions coded -1 and 1.

    `raters` may be their effective number (`effective_raters`). `ratings_per_item`: of how many raters each item gets,
    all who could if None. `rater_slope` is half of the variance of rater × system, `item_slope` of item × system.
    `loads`: how often each rater comes, in any unit, or some raters of whose kind the planned ones are; equal if None.

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
        at_least("raters", self.raters, self.layout.groups)
        at_least("items", self.items, self.layout.sets)
        if not np.isfinite(self.d):
            raise InputError(f"`d` must be a number, got {self.d}")
        for name in ("residual", "rater_slope", "item_slope"):
            at_least(name, getattr(self, name), 0)
        for name in ("rater", "item", "rater_item"):
            value = getattr(self, name)
            if value is None and self.design != "crossed":
                raise InputError(
                    f"`{name}` must be given where the design is {self.design!r}: 0 would overstate power"
                )
            at_least(name, value or 0, 0)
        if self.ratings_per_item is not None:
            positive("ratings_per_item", self.ratings_per_item)
        shares(alpha=self.alpha)
        at_least("comparisons", self.comparisons, 1)
        if self.loads is not None:
            if self.raters != round(self.raters):
                raise InputError(
                    f"`raters` must be a whole number where `loads` are given, got {self.raters:g}"
                )
            object.__setattr__(self, "loads", checked_loads(self.loads))

    @property
    def layout(self) -> Layout:
        """Return who meets what."""
        return LAYOUTS[self.design]

    @property
    def per_item(self) -> float:
        """Raters of an item: all who could meet it, if not said."""
        return self.ratings_per_item or self.raters / (2 if self.layout.both_within else 1)

    @property
    def cells(self) -> float:
        """Pairs of a rater and an item that they rate; in the crossed design under both systems."""
        return self.items * self.per_item

    @property
    def ratings(self) -> float:
        """Return how many ratings the study collects."""
        return self.cells * (2 if self.design == "crossed" else 1)

    @property
    def workloads(self) -> Workloads | None:
        """Return what unequal loads come to in this study; None where they are equal."""
        return self.workloads_of(self.raters, self.items, self.per_item)

    def workloads_of(self, raters: float, items: float, per_item: float) -> Workloads | None:
        """Return what they come to in a study of other numbers."""
        if self.loads is None:
            return None
        groups, sets = self.layout.groups, self.layout.sets
        of_each = per_item / (1 if self.layout.both_within else groups)
        return workloads(tuple(self.loads), int(raters), groups, of_each, items / sets)

    @property
    def caution(self) -> str:
        """Return why its power and half-widths are rough figures; "" where they are not."""
        unequal = self.workloads
        if unequal is not None and unequal.raters < 0.999 * self.raters and unequal.busiest > BUSIEST:
            return f"one rater does more than {100 * BUSIEST:.0f}% of the ratings"
        if self.raters < FEW:
            return f"there are fewer than {FEW} raters"
        return f"raters rate fewer than {FEW} items each" if self.cells < FEW * self.raters else ""

    @property
    def effective_raters(self) -> float:
        """Return how many raters with equal loads these are worth."""
        return self.effective_of(self.raters, self.items, self.per_item)

    def effective_of(self, raters: float, items: float, per_item: float) -> float:
        """The same in a study of other numbers."""
        unequal = self.workloads_of(raters, items, per_item)
        return raters if unequal is None else unequal.raters

    @property
    def numbers(self) -> Numbers:
        """Return what its degrees of freedom follow from."""
        return Numbers(self.effective_raters, self.items, self.per_item)

    @property
    def parts(self) -> Parts:
        """Return what raters, items and the rest add to the variance of half of the difference."""
        rest = self.residual / 2 if self.design == "crossed" else self.residual + (self.rater_item or 0)
        raters = self.rater_slope + (self.rater or 0) * self.layout.raters_within
        items = self.item_slope + (self.item or 0) * self.layout.items_within
        return Parts(raters / self.effective_raters, items / self.items, rest / self.cells)


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
    """The chance of finding a difference between two systems, for other raters and other items.

    Parameters
    ----------
    raters, items : in all; raters may be an effective number (`effective_raters`)
    d : difference of the two systems' means
    residual : what is left of a rating, without rater × item
    rater_slope, item_slope : how far the difference varies with raters, and with items, for conditions coded -1 and 1
        (half of the variance of rater × system, and of item × system)
    rater, item, rater_item : variances of raters, items and rater × item; required unless crossed
    design : "crossed": every rater and item meets both systems; "counterbalanced": half of the raters meet half of the
        items under one system and the rest under the other, the other half the reverse; "items within", "raters
        within", "both within": each item, rater or both meets one system
    ratings_per_item : raters of an item, if not all
    alpha, comparisons : risk of a false difference, and over how many tests (Bonferroni)
    loads : (p,) how often each rater comes, in any unit; equal if not given. A rater rates no item twice: where all
        rate all items, loads are equal

    Returns
    -------
    Power
        NaN where too few raters or items leave no degrees of freedom.

    Raises
    ------
    InputError
        where `DifferencePlan` refuses an argument.

    Notes
    -----
    Degrees of freedom as in the authors' app (in the crossed and counterbalanced designs its slopes' mean squares lack
    a factor 2); simulated studies agree within .03 (`simulated_power`), with unequal loads, too, where raters count by
    their effective number. Not where one rater does most, or there are a handful of raters, or of items for each:
    `caution` then says so, and simulated studies tell the power.
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
    """`difference_power` of a plan."""
    parts, numbers = plan.parts, plan.numbers
    df = float(degrees(plan.layout, numbers, as_the_app_has_it(plan.layout, parts)))
    variance = sum(parts)
    if variance == 0:
        return Power(float(plan.d != 0), np.inf if plan.d else 0.0, df, plan.caution)
    return Power(float(powers(plan, numbers, parts)), plan.d / 2 / sqrt(variance), df, plan.caution)


def powers(plan: DifferencePlan, numbers: Numbers, parts: Sequence[ArrayLike]) -> Floats:
    """The power (…,) of a plan with other numbers (…,), from the three parts of the variance."""
    variance = np.asarray(sum(np.asarray(part) for part in parts))
    known = variance > 0
    t = plan.d / 2 / np.sqrt(np.where(known, variance, 1.0))
    df = degrees(plan.layout, numbers, as_the_app_has_it(plan.layout, parts))
    return np.where(known, power_of_t(t, df, plan.alpha / plan.comparisons), float(plan.d != 0))


def as_the_app_has_it(layout: Layout, parts: Sequence[Any]) -> tuple[Any, Any, Any]:
    """The parts from which the authors' app takes degrees of freedom: slopes by half."""
    raters, items, rest = parts
    return raters * (1 if layout.raters_within else 0.5), items * (1 if layout.items_within else 0.5), rest


def degrees(layout: Layout, numbers: Numbers, parts: Sequence[ArrayLike]) -> Floats:
    """Satterthwaite's degrees of freedom (…,) from the parts of the variance; 0 where raters or items leave none."""
    p, q, k = (np.asarray(number, dtype=np.float64) for number in numbers)
    a, b, e = (np.asarray(part, dtype=np.float64) for part in parts)
    of_raters, of_items = np.maximum(p - layout.groups, 0), np.maximum(q - layout.sets, 0)
    of_rest = of_raters * of_items * np.minimum(k / (p / (2 if layout.both_within else 1)), 1.0)
    known = (of_raters > 0) & (of_items > 0)
    spread = ratio((a + e) ** 2, of_raters) + ratio((b + e) ** 2, of_items) + ratio(e**2, of_rest)
    return np.where(known, np.where(spread > 0, ratio((a + b + e) ** 2, spread), of_rest), 0.0)
