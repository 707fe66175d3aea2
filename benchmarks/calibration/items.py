"""Single items: MOS, spread of their ratings, and correlation with the agreement of raters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.items.disagreement import disagreement, discrimination
from analysis.items.rating_spread import item_mean, rating_spread
from analysis.values.ratings import Ratings
from benchmarks.calibration.simulation import Simulation

SHARES = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
POINTS = np.arange(1.0, 6.0)


def assign_raters(
    items: int, raters: int, per_item: int, zipf: bool, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return who rates each item, (items, per_item) codes; with Zipf loads the first rater has most items."""
    lots = rng.random((items, raters))
    if zipf:
        lots = -np.log(lots) * np.arange(1, raters + 1)
    return np.argsort(lots, axis=1)[:, :per_item]


@dataclass(frozen=True)
class EqualItems:
    """Items whose ratings all come from one distribution over five points."""

    items: int
    per_item: int

    def study(self, rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        score = rng.choice(POINTS, size=(self.items, self.per_item), p=SHARES)
        item, rater = np.indices(score.shape)
        mean = float(SHARES @ POINTS)
        sd = float(SHARES @ (POINTS - mean) ** 2) ** 0.5
        result = disagreement(Ratings(item.ravel(), rater.ravel(), score.ravel()))
        mos = item_mean(score[0], rater[0])
        return {
            "MOS of an item": None if mos.high <= mos.low else mos.low <= mean <= mos.high,
            "SD of an item's ratings": None
            if np.isnan(result.low[0])
            else result.low[0] <= sd <= result.high[0],
            "Holm-adjusted p of disagreement": float(np.nanmin(result.p)),
        }


@dataclass(frozen=True)
class UnbiasedRaters:
    """Raters of unequal severity, noise and use of the five points, who see every item alike."""

    items: int
    raters: int
    per_item: int
    zipf: bool = False

    def study(self, rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        assigned = assign_raters(self.items, self.raters, self.per_item, self.zipf, rng)
        use, noise = rng.uniform(0.3, 1.2, self.raters), rng.uniform(0.5, 1.3, self.raters)
        score = (
            3 + use[assigned] * rng.normal(size=(self.items, 1)) + rng.normal(0, 0.4, self.raters)[assigned]
        )
        score = np.clip(np.round(score + noise[assigned] * rng.normal(size=assigned.shape)), 1, 5)
        item = np.indices(assigned.shape)[0]
        result = discrimination(Ratings(item.ravel(), assigned.ravel(), score.ravel()))
        measured = ~np.isnan(result.r)
        if not measured.any():
            return {"discrimination of an item": None, "Holm-adjusted p of discrimination": None}
        first = int(np.flatnonzero(measured)[0])
        return {
            "discrimination of an item": bool(result.low[first] <= 0 <= result.high[first]),
            "Holm-adjusted p of discrimination": float(np.nanmin(result.p)),
        }


@dataclass(frozen=True)
class VaryingRaters:
    """Items whose raters differ in severity and, with a standard deviation of .25 of its log, in noise.

    `weights` is the standard deviation of the log of the raters' weights, 0 for none.
    """

    items: int
    raters: int
    per_item: int
    weights: float = 0.0
    zipf: bool = False

    def study(self, rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        assigned = assign_raters(self.items, self.raters, self.per_item, self.zipf, rng)
        quality, noise = rng.normal(0, 0.8, self.items), 0.7 * np.exp(rng.normal(0, 0.25, self.raters))
        score = (
            quality[:, None]
            + rng.normal(0, 0.4, self.raters)[assigned]
            + noise[assigned] * rng.normal(size=assigned.shape)
        )
        item = np.indices(assigned.shape)[0]
        spread = rating_spread(Ratings(item.ravel(), assigned.ravel(), score.ravel()))
        if not self.weights:
            mos = item_mean(score[0], assigned[0], spread=spread)
            return {"MOS of an item": bool(mos.low <= quality[0] <= mos.high)}
        weight = np.exp(rng.normal(0, self.weights, self.raters))[assigned[0]]
        mos = item_mean(score[0], assigned[0], spread=spread, weight=weight)
        return {WEIGHTED: bool(mos.low <= quality[0] <= mos.high)}


WEIGHTED = "weighted MOS of an item"
SIMULATIONS = (
    *(
        Simulation(
            "items",
            f"weighted, {one.items} items, {one.per_item} of {one.raters} raters, {one.weights}",
            f"{one.items} items, {one.per_item} of {one.raters} raters each, unequal severity and noise, weights whose "
            f"log has a standard deviation of {one.weights}",
            {WEIGHTED: "interval"},
            one.study,
        )
        for one in (
            VaryingRaters(40, 5, 5, 0.3),
            VaryingRaters(60, 20, 3, 0.6),
            VaryingRaters(60, 20, 8, 0.6),
            VaryingRaters(15, 10, 4, 0.6),
            VaryingRaters(60, 20, 8, 1.2),
            VaryingRaters(60, 40, 24, 1.2),
            VaryingRaters(8, 12, 6, 1.2),
        )
    ),
    *(
        Simulation(
            "items",
            f"levels, {one.items} items, {one.per_item} of {one.raters} raters" + ", Zipf loads" * one.zipf,
            f"{one.items} items, {one.per_item} of {one.raters} raters each{', Zipf loads' * one.zipf}, unequal "
            "severity and noise",
            {"MOS of an item": "interval"},
            one.study,
        )
        for one in (
            VaryingRaters(40, 3, 3),
            VaryingRaters(40, 5, 5),
            VaryingRaters(60, 20, 3),
            VaryingRaters(60, 20, 8),
            VaryingRaters(15, 10, 4),
            VaryingRaters(60, 20, 3, zipf=True),
            VaryingRaters(100, 40, 5, zipf=True),
        )
    ),
    *(
        Simulation(
            "items",
            f"alike, {one.items} items",
            f"{one.items} items, {one.per_item} ratings each on five points",
            {
                "MOS of an item": "interval",
                "SD of an item's ratings": "interval",
                "Holm-adjusted p of disagreement": "cautious test",
            },
            one.study,
        )
        for one in (EqualItems(50, 24), EqualItems(200, 8))
    ),
    *(
        Simulation(
            "items",
            f"intact, {one.per_item} of {one.raters} raters" + ", Zipf loads" * one.zipf,
            f"{one.items} items, {one.per_item} of {one.raters} raters each{', Zipf loads' * one.zipf} on five points, "
            "unequal severity, noise and use of the scale",
            {"discrimination of an item": "interval", "Holm-adjusted p of discrimination": "cautious test"},
            one.study,
        )
        for one in (
            UnbiasedRaters(50, 24, 24),
            UnbiasedRaters(60, 40, 12),
            UnbiasedRaters(60, 40, 12, zipf=True),
        )
    ),
)
