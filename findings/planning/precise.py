"""How precisely a planned study tells an item's mean, a system's, a correlation, an agreement or a share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan, sqrt

import numpy as np
import pandas as pd

from analysis.items.rating_spread import FEWEST_RATERS
from analysis.planning.agreement_sizes import icc_half_width
from analysis.planning.alternatives import fewest, items_along
from analysis.planning.difference import DifferencePlan
from analysis.planning.pilot import mos_half_widths, system_half_widths
from analysis.planning.precision import correlation_interval, system_half_width
from analysis.planning.votes import preference_half_width
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, of_many
from findings.planning.apart import ALL_ALIKE
from findings.planning.basis import Basis
from findings.planning.loads import WIDTH, Loads, worth
from findings.planning.loads import cautions as cautions_of_plan

MOS, SYSTEM = "an item's mean rating (MOS)", "a system's mean"
CORRELATION, AGREEMENT, SHARE = "a correlation with a reference", "agreement (ICC, alpha)", "a share of votes"
OF_OTHERS = "agreement, for other raters too (ICC)"
WHAT = (MOS, SYSTEM, CORRELATION, AGREEMENT, OF_OTHERS, SHARE)
TYPICAL = "for a typical item; disputed items are less certain"
EXPLANATION = """
**An item's mean.** The variances of raters and residual, pooled over items, over the ratings of the item, and Student's
t with Satterthwaite's degrees of freedom: those of the raters and those of all ratings. It holds for a typical item;
disputed items are less certain. With two raters only items are compared, by the residual alone.

**A system's mean.** Raters and items are both drawn by chance: their variances over their numbers, and the rest over
all ratings, with Satterthwaite's degrees of freedom. Raters with unequal loads count by their effective number, (Σ n)²
/ Σ n² over their loads n (Kish 1965). More items do not help against few raters who differ in severity.

**A correlation with a reference.** What is expected is the correlation without noise times the root of the reliability
of the items' means (Spearman 1904); its interval is Bonett and Wright's (2000) for Spearman's ρ. It holds for these
raters: what others would change is not in it.

**Agreement.** Bonett's (2002) width of the interval of an intraclass correlation of single ratings; that of
Krippendorff's alpha for numbers is the same within 6 %. Both hold for these raters. For other raters, too (the
reliability of one rating on the Agreement page), what few raters differ by in severity comes on top: the variance of
the log of the ratio of mean squares (Shrout and Fleiss 1979) over items and over raters, with Satterthwaite's degrees
of freedom. It holds where all rate about as much and items get them in changing company; with a few who do most it is
wider.

**A share of votes.** Items are drawn, votes of an item independent (two-stage sampling, Cochran 1977, section 10.3);
for these workers.

Planned widths were held against the mean width of 300 simulated studies of each design: within 10 % for every kind, of
a MOS from 4 ratings on (of fewer, intervals are too uneven for any one figure), of an agreement for other raters from 8
raters on (with fewer it is found up to a sixth narrower).

The variances are those of *Which systems can be told apart?*: of the open ratings, of a public study, or typed. Of the
open ratings they are as unsure as so few raters leave them: the band and the range are the middle 95 % of the
half-width over draws of the variances (generalised confidence intervals); where a reliability of the open ratings is
asked for, they are the least and the most over its 95 % interval (and that of the raters' share, for other raters),
which hold the true width in 93 to 99 % of simulated pilots. Those of an agreement hold it in more than 95 %: it is
known worst at a middling reliability, so that two reliabilities have the same width, and what misses one may hold the
other.
"""


Likely = tuple[float, float] | None
"""Between which ends a pilot leaves a figure; None where it is typed."""
STEPS = 9
"""Places between such ends at which a half-width is worked out: between them it may be largest."""


@dataclass(frozen=True)
class Size:
    """The chosen numbers, and the half-width that is wanted."""

    items: int
    raters: int
    each: int
    wanted: float
    loads: Loads = ALL_ALIKE

    @property
    def study(self) -> DifferencePlan:
        """Who rates what, whatever ratings vary by."""
        each = min(self.each, self.raters)
        return DifferencePlan(
            self.raters, self.items, 0.0, 1.0, 0.0, 0.0, ratings_per_item=each, loads=self.loads.each
        )


@dataclass(frozen=True)
class Precise:
    """One figure's half-width: `half(x, k)` at x items (or ratings of an item) and k ratings per item, `x` chosen.

    `about` is the figure in words, `expected` its value where it is no half-width alone, `along` what x is, `sure` the
    half-widths at these x and the chosen ratings per item with what the pilot leaves open, and `by_raters` whether the
    number of raters counts besides.
    """

    about: str
    size: Size
    half: Callable[[int, int], float]
    along: str = "Items"
    expected: str = ""
    caveat: str = ""
    sure: Callable[[Sequence[int]], Sequence[Estimate]] | None = None
    by_raters: bool = False

    @property
    def left_open(self) -> Estimate:
        """The chosen half-width, with what the pilot leaves open."""
        return Estimate(self.here) if self.sure is None else self.sure([self.x])[0]

    @property
    def x(self) -> int:
        return self.size.items if self.along == "Items" else self.size.each

    @property
    def here(self) -> float:
        return self.half(self.x, self.size.each)

    @property
    def highest(self) -> float | None:
        """Where the picture ends: intervals of two or three ratings are many times as wide."""
        return None if isnan(self.here) else 3 * max(self.here, self.size.wanted)

    @property
    def needed(self) -> float:
        """The fewest x that reach what is wanted."""
        return fewest(lambda x: self.half(x, self.size.each) <= self.size.wanted, 2)


def of_mos(basis: Basis, size: Size) -> Precise:
    """Return the precision of an item's mean; with two raters that of items compared by both."""
    worth = size.study.effective_raters

    def sure(x: Sequence[int]) -> Sequence[Estimate]:
        return mos_half_widths(basis.pilot, x, worth, size.items)

    parts = basis.pilot.estimated
    rater, residual = parts["rater"] + parts["rater_slope"], parts["residual"] + parts["rater_item"]
    compares = worth < FEWEST_RATERS
    sd = sqrt(residual if compares else rater + residual)
    return Precise(
        "an item's MOS",
        size,
        lambda x, _: sure([x])[0].value,
        "Ratings of the item",
        caveat=("compared with other items by the same raters" if compares else "for other raters")
        + f"; the SD of the ratings of one item is {decimal(sd)}, {TYPICAL}",
        sure=sure,
    )


def of_system(basis: Basis, size: Size) -> Precise:
    """A system's mean."""
    parts = basis.pilot.estimated
    rest = parts["residual"] + parts["rater_item"]
    rater, item = parts["rater"] + parts["rater_slope"], parts["item"] + parts["item_slope"]

    def half(x: int, k: int) -> float:
        loads, each = size.loads.each, min(k, size.raters)
        return system_half_width(size.raters, x, rest, rater, item, each, loads=loads)

    def sure(x: Sequence[int]) -> Sequence[Estimate]:
        each = min(size.each, size.raters)
        return system_half_widths(basis.pilot, size.raters, x, each, size.loads.each)

    return Precise(
        "a system's mean", size, half, caveat="for other raters and other items", sure=sure, by_raters=True
    )


def within_reach(reliability: Estimate) -> Likely:
    """Between which ends a pilot's interval leaves a reliability that a study can be planned for."""
    low, high = max(reliability.low, 0.01), min(reliability.high, 0.99)
    return (low, high) if low < high else None


def _between(
    half: Callable[[float, int], float],
    value: float,
    likely: Likely,
    *others: Callable[[float, int], float],
) -> Callable[[Sequence[int]], Sequence[Estimate]] | None:
    """Half-widths along x with the least and the most that a figure within `likely` makes of them and of `others`."""
    if likely is None or not likely[0] < likely[1]:
        return None
    steps = np.linspace(*likely, STEPS)

    def sure(x: Sequence[int]) -> Sequence[Estimate]:
        made = []
        for at in x:
            halves = [half(value, at), *(each(float(one), at) for each in (half, *others) for one in steps)]
            made.append(Estimate(halves[0], min(halves), max(halves)))
        return made

    return sure


def of_correlation(limit: float, reliability: float, size: Size, likely: Likely = None) -> Precise:
    """A correlation of items' means with a reference; a pilot's reliability is `likely` between two ends."""

    def told(reliable: float, x: int, k: int) -> Estimate:
        return correlation_interval(limit, (1 - reliable) / reliable, k, x)

    def half(reliable: float, x: int, k: int) -> float:
        one = told(reliable, x, k)
        return (one.high - one.low) / 2

    return Precise(
        "the correlation with a reference (Spearman's ρ)",
        size,
        lambda x, k: half(reliability, x, k),
        expected=decimal(told(reliability, size.items, size.each).value),
        caveat="for these raters",
        sure=_between(lambda reliable, x: half(reliable, x, size.each), reliability, likely),
    )


def of_agreement(reliability: float, size: Size, likely: Likely = None) -> Precise:
    """An intraclass correlation of single ratings, or alpha; a pilot's is `likely` between two ends."""

    def half(reliable: float, x: int, k: int) -> float:
        return icc_half_width(reliable, max(k, 2), max(x, 2))

    return Precise(
        "agreement (the reliability of one rating)",
        size,
        lambda x, k: half(reliability, x, k),
        expected=decimal(reliability),
        caveat="for other items and these raters",
        sure=_between(lambda reliable, x: half(reliable, x, size.each), reliability, likely),
    )


def of_agreement_of_others(
    reliability: float, severity: Estimate, size: Size, likely: Likely = None
) -> Precise:
    """The same for other raters, too; `severity` is their share of what ratings of an item differ by, with what a pilot
    leaves open.
    """

    def at(share: float) -> Callable[[float, int, int], float]:
        def half(reliable: float, x: int, k: int) -> float:
            each = min(max(k, 2), size.raters)
            return icc_half_width(reliable, each, max(x, 2), all_raters=size.raters, severity=share)

        return half

    def chosen(share: float) -> Callable[[float, int], float]:
        return lambda reliable, x: at(share)(reliable, x, size.each)

    ends = [] if isnan(severity.low) else [chosen(end) for end in (severity.low, severity.high)]
    return Precise(
        "agreement (the reliability of one rating)",
        size,
        lambda x, k: at(severity.value)(reliability, x, k),
        expected=decimal(reliability),
        caveat="for other items and other raters, of whom all rate about as much",
        sure=_between(chosen(severity.value), reliability, likely, *ends),
        by_raters=True,
    )


def of_share(share: float, item_sd: float, size: Size, likely: Likely = None) -> Precise:
    """A share of votes; how far the items of a pilot differ is `likely` between two ends."""

    def half(sd: float, x: int, k: int) -> float:
        return preference_half_width(share, x, k, min(sd, sqrt(share * (1 - share)))) if x > 1 else nan

    return Precise(
        "the share of votes for an answer",
        size,
        lambda x, k: preference_half_width(share, x, k, item_sd),
        expected=decimal(share),
        caveat="for other items and these workers",
        sure=_between(lambda sd, x: half(sd, x, size.each), item_sd, likely),
    )


def finding(one: Precise) -> list[Finding]:
    """How narrow the chosen study's interval will be, and what the wanted width takes."""
    size, here = one.size, one.here
    who = (
        "{ratings} of an item"
        if one.along != "Items"
        else "{items}, each rated by {k} of {raters}{worth}"
        if one.by_raters
        else "{items} of {ratings} each"
    )
    values: dict[str, object] = {
        "ratings": of_many(size.each, "ratings"),
        "items": of_many(size.items, "items"),
        "k": count(min(size.each, size.raters)),
        "raters": of_many(size.raters, "raters"),
        "worth": worth(size.study),
        "half": decimal(here),
        "expected": one.expected,
        "wanted": decimal(size.wanted),
        "caveat": one.caveat,
    }
    if isnan(here):
        return [not_enough_data(f"With {who}, {one.about} has no interval: it takes more of them.", values)]
    at = " of about {expected}" if one.expected else ""
    left_open = one.left_open
    open_ = "" if isnan(left_open.low) else ", as far as the pilot knows ±\u00a0{low} to {high}"
    is_clear = isnan(left_open.low) or excludes(left_open, size.wanted)
    told = [
        clear_if(
            is_clear,
            f"With <b>{who}</b>, {one.about}{at} is known to about <b>±\u00a0{{half}}</b>{open_} (95 %, {{caveat}}).",
            values | {"low": decimal(left_open.low), "high": decimal(left_open.high)},
        )
    ]
    needed, what = one.needed, "ratings of an item" if one.along != "Items" else "items"
    if isfinite(needed):
        told.append(
            clear_if(
                is_clear,
                f"For ±\u00a0{{wanted}} it takes <b>{{needed}} {what}</b>.",
                values | {"needed": count(needed)},
            )
        )
    else:
        told.append(clear_if(is_clear, f"No number of {what} alone is enough for ±\u00a0{{wanted}}.", values))
    return told


def cautions(one: Precise) -> list[Sentence]:
    """That a width which rests on how many raters there are is rough, where it is."""
    return cautions_of_plan(one.size.study, WIDTH) if one.by_raters else []


def curves(
    one: Precise, per_item: Sequence[int], most: int
) -> dict[int, tuple[tuple[int, ...], tuple[Estimate, ...]]]:
    """The half-width along x, by ratings per item."""
    x = items_along(most, one.x, fewest=2 if one.along != "Items" else 5, points=20)
    of = (one.size.each,) if one.along != "Items" else per_item
    drawn = {k: (x, tuple(Estimate(one.half(at, k)) for at in x)) for k in of}
    return drawn if one.sure is None else drawn | {one.size.each: (x, tuple(one.sure(x)))}


def table(one: Precise, drawn: Mapping[int, tuple[Sequence[int], Sequence[Estimate]]]) -> Shown:
    """The half-width at each point of the picture, those of the chosen ratings per item first."""
    chosen_first = sorted(drawn.items(), key=lambda of: of[0] != one.size.each)
    rows = [
        {one.along: x, "Ratings per item": x if one.along != "Items" else k, "Half of the interval": e.value}
        for k, (along, found) in chosen_first
        for x, e in zip(along, found, strict=True)
    ]
    rows_shown = pd.DataFrame(rows)
    if one.along != "Items":
        rows_shown = rows_shown.drop(columns="Ratings per item")
    return rows_shown, {"Half of the interval": lambda value: decimal(value, 3)}
