"""Power and widths of a planned study from a pilot's variances."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from analysis.agreement.intraclass import one_way_intervals
from analysis.planning import (
    DifferencePlan,
    Pilot,
    difference_power,
    pilot,
    power_with_pilot,
    quality_by_known_answers,
)
from analysis.planning.pilot import mos_half_widths, severity, system_half_widths
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.variance.components import components
from benchmarks.calibration.simulation import Simulation
from benchmarks.calibration.variance import SYSTEMS, TWO_WAY, Rated
from features.planning.precision import (
    AGREEMENT,
    CORRELATION,
    OF_OTHERS,
    Likely,
    PrecisionSpec,
    plannable_reliability,
)
from features.planning.precision import of_reliability as precision_of

PLANNED: dict[str, Any] = {
    "residual": SYSTEMS["rest"],
    "rater_slope": SYSTEMS["system × rater"] / 2,
    "item_slope": SYSTEMS["item"] / 2,
    "rater": SYSTEMS["rater"] + SYSTEMS["system × rater"] / 2,
    "item": SYSTEMS["topic"] + SYSTEMS["item"] / 2,
    "rater_item": SYSTEMS["topic × rater"],
}
DIFFERENCES: dict[Any, float] = {"crossed": 0.5, "both within": 1.0}
"""Difference of each design, with a power well within 0 and 1."""


def power(design: Rated) -> Simulation:
    """Simulate the power with 20 raters and 40 topics, crossed and both within."""
    plans = {
        f"power from a pilot, {name}": DifferencePlan(20, 40, d, design=name, **PLANNED)
        for name, d in DIFFERENCES.items()
    }
    truth = {
        f"power from a pilot, {name}": difference_power(20, 40, d, design=name, **PLANNED).power
        for name, d in DIFFERENCES.items()
    }

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        spec = BootstrapSpec(300, int(rng.integers(1 << 30)))
        found = pilot(components(**design.draw(rng), bootstrap=spec))
        measured = {name: power_with_pilot(found, plan) for name, plan in plans.items()}
        return {
            name: None if one.reason else one.low <= truth[name] <= one.high for name, one in measured.items()
        }

    return Simulation(
        "planning",
        f"pilot: {design.words}",
        design.words,
        dict.fromkeys(plans, "interval"),
        study,
    )


def widths(design: Rated) -> Simulation:
    """Simulate half-widths of a MOS of 8 ratings, and of a system's mean over 20 raters and 40 topics."""
    planted = Pilot(PLANNED, {name: np.empty(0) for name in PLANNED}, 0.95)

    def half_widths(estimates: Pilot) -> dict[str, Estimate]:
        return {
            "± of a MOS from a pilot": mos_half_widths(estimates, [8], 20, 40)[0],
            "± of a system's mean from a pilot": system_half_widths(estimates, 20, [40], 8)[0],
        }

    truth = {name: one.value for name, one in half_widths(planted).items()}

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        spec = BootstrapSpec(300, int(rng.integers(1 << 30)))
        measured = half_widths(pilot(components(**design.draw(rng), bootstrap=spec)))
        return {name: one.low <= truth[name] <= one.high for name, one in measured.items()}

    name = f"pilot's widths: {design.words}"
    return Simulation("planning", name, design.words, dict.fromkeys(truth, "interval"), study)


def agreement_widths(design: Rated) -> Simulation:
    """Simulate half-widths of an agreement and of a correlation, over a pilot's interval of reliability.

    An agreement is known worst at a middling reliability: the same width comes from a reliability below and from one
    above, so that what holds the one holds more than 95% of the truths.
    """
    size, planted = PrecisionSpec(items=100, raters=8, per_item=4), TWO_WAY["item"] / sum(TWO_WAY.values())

    def half_widths(reliable: float, likely: Likely) -> dict[str, Estimate]:
        spec = replace(size, reliability=reliable)
        return {
            "± of an agreement from a pilot": precision_of(replace(spec, what=AGREEMENT), likely).here,
            "± of a correlation from a pilot": precision_of(replace(spec, what=CORRELATION), likely).here,
        }

    truth = {name: one.value for name, one in half_widths(planted, None).items()}
    agreement, correlation = truth

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        columns = design.draw(rng)
        icc = one_way_intervals(Ratings(columns["item"], columns["rater"], columns["score"])).icc
        likely = plannable_reliability(icc)
        if likely is None:
            return dict.fromkeys(truth)
        measured = half_widths(min(max(icc.value, 0.01), 0.99), likely)
        return {name: one.low <= truth[name] <= one.high for name, one in measured.items()}

    name = f"pilot's reliability: {design.words}"
    return Simulation("planning", name, design.words, {agreement: "interval", correlation: "interval"}, study)


def agreement_widths_of_other_raters(design: Rated) -> Simulation:
    """Simulate half-widths of an agreement for other raters, 100 items of 4 ratings by 12 raters.

    The ends are the least and the most over a pilot's intervals of reliability and of the raters' share of the variance
    within items, two intervals that cover 95% each, so that they cover more.
    """
    size, planted = (
        PrecisionSpec(OF_OTHERS, items=100, raters=12, per_item=4),
        TWO_WAY["item"] / sum(TWO_WAY.values()),
    )
    share = TWO_WAY["rater"] / (TWO_WAY["rater"] + TWO_WAY["rest"])
    truth = precision_of(replace(size, reliability=planted), severity=Estimate(share)).here.value
    figure = "± of an agreement for other raters from a pilot"

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        columns = design.draw(rng)
        icc = one_way_intervals(Ratings(columns["item"], columns["rater"], columns["score"])).icc
        likely = plannable_reliability(icc)
        if likely is None:
            return {figure: None}
        spec = BootstrapSpec(300, int(rng.integers(1 << 30)))
        rater_share = severity(pilot(components(**columns, bootstrap=spec)))
        spec = replace(size, reliability=min(max(icc.value, 0.01), 0.99))
        measured = precision_of(spec, likely, rater_share).here
        return {figure: measured.low <= truth <= measured.high}

    name = f"pilot's reliability, other raters: {design.words}"
    return Simulation("planning", name, design.words, {figure: "interval"}, study)


def vote_widths(items: int, per_item: int, raters: int, differ: float) -> Simulation:
    """Simulate votes with known answers by workers who differ in accuracy around 70% by an SD."""
    differing = f"differing by {differ:g}" if differ else "all alike"
    words = f"{items} items, {per_item} of {raters} workers each, {differing}"

    def quality(rng: np.random.Generator, workers: int) -> np.ndarray:
        return np.clip(rng.normal(0.7, differ, workers), 0, 1)

    def study(rng: np.random.Generator, truth: float) -> Mapping[str, bool | float | None]:
        rater = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item].ravel()
        looked = rng.random(len(rater)) < quality(rng, raters)[rater]
        right = looked | (rng.random(len(rater)) < 0.5)
        measured = quality_by_known_answers(np.repeat(np.arange(items), per_item), rater, right)
        return {"votes that are no guesses": measured.low <= truth <= measured.high}

    return Simulation(
        "planning",
        f"guesses: {words}",
        words,
        {"votes that are no guesses": "interval"},
        study,
        truth=lambda rng: float(quality(rng, 1_000_000).mean()),
    )


PILOTS = (Rated(6, 6, systems=6, topics=10), Rated(8, 3, systems=8, topics=12))
RELIABILITIES = (
    Rated(6, 6, items=60),
    Rated(40, 3, items=60),
    Rated(12, 3, items=60, zipf=True),
    Rated(6, 6, items=10),
    Rated(3, 3, items=30),
)
SIMULATIONS = (
    *(power(design) for design in PILOTS),
    widths(PILOTS[0]),
    *(agreement_widths(design) for design in RELIABILITIES),
    *(agreement_widths_of_other_raters(design) for design in RELIABILITIES[:4]),
    vote_widths(60, 4, 20, 0.15),
    vote_widths(200, 5, 8, 0.2),
    vote_widths(20, 3, 10, 0.0),
    vote_widths(40, 5, 5, 0.2),
)
