"""Changes of figures between two versions of a data set (Data, What changed)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alpha import alpha_without_each_unit, krippendorff_alpha
from analysis.resampling.influence import (
    InfluenceValues,
    estimate_change,
    influence_from_leave_one_out,
    influence_of_mean,
)
from analysis.values.estimate import BootstrapSpec
from benchmarks.calibration.simulation import Simulation

NO_DRAWS = BootstrapSpec(draws=0, seed=0)


@dataclass(frozen=True)
class Revised:
    """Two versions of `items` each, `shared` of them in both; the newer one moves items by .2, rates with half the
    noise, and answers of share `share` become right as often again."""

    items: int
    shared: int
    share: float = 0.3
    ratings: int = 4
    noise: float = 1.0

    def study(self, rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        n_items = 2 * self.items - self.shared
        old, new = np.arange(self.items), np.arange(n_items - self.items, n_items)
        unit = rng.normal(size=n_items)
        before = unit[:, None] + rng.normal(0, self.noise, (n_items, self.ratings))
        after = unit[:, None] + rng.normal(0.2, self.noise / 2, (n_items, self.ratings))
        uniform = rng.random(n_items)
        is_right, is_right_later = uniform < self.share, uniform < 2 * self.share
        return {
            "change of a mean between versions": _covers(
                influence_of_mean(old, before[old].mean(axis=1)),
                influence_of_mean(new, after[new].mean(axis=1)),
                0.2,
            ),
            "change of a share between versions": _covers(
                influence_of_mean(old, is_right[old]), influence_of_mean(new, is_right_later[new]), self.share
            ),
            "change of alpha between versions": _covers(
                compute_alpha(old, before[old]),
                compute_alpha(new, after[new]),
                1 / (1 + (self.noise / 2) ** 2) - 1 / (1 + self.noise**2),
            ),
        }


def compute_alpha(units: NDArray[np.int64], score: NDArray[np.float64]) -> InfluenceValues:
    unit = np.repeat(units, score.shape[1])
    value = krippendorff_alpha(unit, score.ravel(), bootstrap=NO_DRAWS).value
    names, left = alpha_without_each_unit(unit, score.ravel())
    return influence_from_leave_one_out(names, value, left)


def _covers(before: InfluenceValues, after: InfluenceValues, truth: float) -> bool | None:
    found = estimate_change(before, after)
    return bool(found.low <= truth <= found.high) if found.low < found.high else None


SIMULATIONS = tuple(
    Simulation(
        "data",
        f"versions, {one.shared} of {one.items} items in both, shares {one.share:g}",
        f"{one.items} items in each of two versions, {one.shared} of them in both, {one.ratings} ratings each; the "
        f"newer version halves their noise, moves them by 0.2, turns a share of {one.share:g} into {2 * one.share:g}",
        {
            "change of a mean between versions": "interval",
            "change of a share between versions": "interval",
            "change of alpha between versions": "interval",
        },
        one.study,
    )
    for one in (Revised(40, 20), Revised(40, 40), Revised(100, 0, 0.05), Revised(10, 8), Revised(8, 0, 0.1))
)
