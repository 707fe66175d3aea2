"""Crowd vs lab: crossed raters of balanced and unequal workloads, few and many."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.crowd_vs_lab.comparison import ComparisonSpec, compare
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings
from benchmarks.calibration.experiment import Experiment, Kind


@dataclass(frozen=True)
class Side:
    """Raters of one group, how many rate an item, and how unequal their shares of the work are (Zipf's exponent)."""

    raters: int
    per_item: int
    unequal: float = 0.0


@dataclass(frozen=True)
class Design:
    """A study of two groups: items with a quality (SD .6), raters with a severity, chance within a rating."""

    candidate: Side
    reference: Side
    items: int = 60
    severity: float = 0.4
    chance: float = 0.9
    own: float = 0.25
    shift: float = 0.0

    @property
    def words(self) -> str:
        return f"{self.items} items, {self._side(self.candidate)} against {self._side(self.reference)}"

    @staticmethod
    def _side(side: Side) -> str:
        if side.per_item == side.raters:
            return f"{side.raters} raters of all"
        return f"{side.per_item} of {side.raters} raters" + (", Zipf loads" if side.unequal else "")


def rated(side: Side, felt: np.ndarray, design: Design, rng: np.random.Generator, group: str) -> Ratings:
    """Whole scores from 1 to 5 of what is felt about each item (n,)."""
    load = 1 / np.arange(1, side.raters + 1) ** side.unequal
    keys = np.log(rng.random((len(felt), side.raters))) / load
    who = np.argsort(-keys, axis=1)[:, : side.per_item]
    severity = rng.normal(0, design.severity, side.raters)
    score = felt[:, None] + severity[who] + rng.normal(0, design.chance, who.shape)
    item = np.repeat(np.arange(len(felt)), side.per_item)
    return Ratings(item, np.char.add(group, who.ravel().astype(str)), np.clip(np.rint(score.ravel()), 1, 5))


def drawn(design: Design, rng: np.random.Generator) -> tuple[Ratings, Ratings]:
    """One study."""
    quality = rng.normal(3.2, 0.6, design.items)
    felt = [quality + shift + rng.normal(0, design.own, design.items) for shift in (design.shift, 0.0)]
    return (
        rated(design.candidate, felt[0], design, rng, "a"),
        rated(design.reference, felt[1], design, rng, "b"),
    )


NULL = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0)


def level(design: Design) -> Callable[[np.random.Generator, Any], Mapping[str, bool | float | None]]:
    """Both groups rate alike, so the true difference is 0."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        compared = compare(*drawn(design, rng), NULL)
        difference = compared.mean_difference
        return {
            "mean difference": difference.low <= 0 <= difference.high,
            "test of level over raters": compared.rater_tails.two_sided,
        }

    return study


DESIGNS = {
    "6 of all, 40 sparse": Design(Side(40, 3), Side(6, 6)),
    "12 Zipf, 24 of all": Design(Side(12, 3, 1.0), Side(24, 24)),
    "20, 20": Design(Side(20, 5), Side(20, 5)),
    "8 of all, 8 of all, 20 items": Design(Side(8, 8), Side(8, 8), items=20),
    "40 sparse, 12 of 6": Design(Side(40, 3), Side(12, 6)),
}
FEW = {f"40 sparse, {few} of all": Design(Side(40, 3), Side(few, few)) for few in (2, 3, 4, 5)}
LEVEL: Mapping[str, Kind] = {"mean difference": "interval", "test of level over raters": "test"}
LEVEL_OF_FEW: Mapping[str, Kind] = {
    "mean difference": "cautious interval",
    "test of level over raters": "cautious test",
}
EXPERIMENTS = tuple(
    Experiment("crowd_vs_lab", f"level: {name}", design.words, figures, level(design), studies=2000)
    for designs, figures in ((DESIGNS, LEVEL), (FEW, LEVEL_OF_FEW))
    for name, design in designs.items()
)
