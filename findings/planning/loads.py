"""How unequal raters' loads will be: all alike, as in the open ratings, or a typed share by the busiest."""

from dataclasses import dataclass

import numpy as np

from analysis.planning.difference import DifferencePlan
from analysis.planning.workloads import effective_raters, loads_by_busiest
from features.assessments import assessments
from features.plotting.numbers import count, decimal, share
from features.study import Study
from features.words import Sentence, of_many

ALIKE, AS_OPEN, BUSIEST = "all the same", "as in these ratings", "a few do most"
MOST = 100
"""Loads of the open ratings that are told apart: of more raters these are evenly spread places of their order."""
EXPLANATION = """
**Unequal loads.** Where raters do not all rate as much, what they differ by counts by their effective number, (Σ n)²
/ Σ n² over their loads n (Kish 1965): a few busy ones weigh most. Nobody rates an item twice, so that loads even out
where an item needs many of the raters, and everybody rates whole items, so that where ratings are few some rate none.
Simulated studies agree with the formulas within .03 of power and a tenth of the width, except where one rater does
more than 20 % of a group's ratings, raters rate fewer than 8 items each, or there are fewer than 8 of them: there one
power in nine was more than .03 off (.16 at most) and one width in eleven more than a tenth (four fifths at most), and
the page says so. On platforms the busiest fifth often does more than half.
"""


@dataclass(frozen=True)
class Loads:
    """Raters' loads in any unit, None where all are the same; the share that the `busiest` fifth does, where typed."""

    each: tuple[float, ...] | None = None
    busiest: float | None = None
    note: Sentence | None = None


def by_busiest(of_all: float) -> Loads:
    """Loads of which the busiest fifth does a share."""
    return Loads(loads_by_busiest(of_all), of_all)


def of_open_ratings(study: Study, measure: str) -> Loads:
    """The loads of the raters of one measure's ratings by the candidate group."""
    loads = np.bincount(assessments(study, measure).rater)
    loads = np.sort(loads[loads > 0])[::-1]
    if not len(loads):
        return Loads()
    told: Sentence = (
        "The {raters} of these ratings did {least} to {most} each: as much as {worth} with equal loads.",
        {
            "raters": of_many(len(loads), "raters"),
            "least": count(loads[-1]),
            "most": of_many(loads[0], "ratings"),
            "worth": decimal(effective_raters(loads), 1),
        },
    )
    if len(loads) > MOST:
        loads = loads[((np.arange(MOST) + 0.5) / MOST * len(loads)).astype(int)]
    return Loads(tuple(loads.astype(float).tolist()), note=told)


def worth(plan: DifferencePlan) -> str:
    """What raters with unequal loads are worth, to stand behind their number; "" where loads are equal."""
    if plan.loads is None or plan.raters - plan.effective_raters < 0.05:
        return ""
    return f" (with unequal loads worth {decimal(plan.effective_raters, 1)} raters)"


POWER = "The power is rough here, since {why}: it can be off by more than 3 points, and the width by more than a tenth."
POWER_HERE = f"{POWER} <b>Check by simulation</b> below tells both for this study."
WIDTH = "The width is rough here, since {why}: it can be off by more than a tenth."
"""What a caution says of a plan's power, where the page simulates it, and of a width alone."""


def cautions(plan: DifferencePlan, told: str) -> list[Sentence]:
    """That unequal loads, or a handful of raters or items, leave a plan's figures rough, where they do."""
    return [(told, {"why": why})] if (why := plan.caution) else []


def note(loads: Loads, plan: DifferencePlan) -> Sentence | None:
    """What the loads come to in this study."""
    if loads.each is None:
        return None
    if plan.raters - plan.effective_raters < 0.05:
        return ("Where an item needs all raters who could rate it, all rate as much.", {})
    if loads.busiest is None:
        return loads.note
    return (
        "The busiest fifth of the raters does {share} of the ratings, as far as nobody rates an item twice.",
        {"share": share(loads.busiest)},
    )
