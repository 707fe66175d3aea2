"""Simulated studies of two groups with a known truth: crossed raters, unequal shares of the work, whole scores.

Truth by huge simulation: for the mean difference, groups of thousands of raters; for correlations and RMSE, thousands
of items rated by groups of the study's own size, drawn many times, since that is what is estimated.
"""

from dataclasses import dataclass, replace

import numpy as np

from analysis.correlation.two_columns import kendall, pearson, spearman
from analysis.crowd_vs_lab.comparison import Comparison, ComparisonSpec, compare
from analysis.values.ratings import Ratings

FIGURES = ("mean_difference", "spearman", "pearson", "kendall", "rmse")


@dataclass(frozen=True)
class Design:
    """A kind of study: raters, and ratings of each item, in candidate and reference."""

    name: str
    items: int
    raters: tuple[int, int]
    per_item: tuple[int, int]
    severity: float = 0.4
    sensitivity: float = 0.0
    chance: float = 0.9


DESIGNS = (
    Design("complete: 50 items x 24 + 24 raters", 50, (24, 24), (24, 24)),
    Design("complete, raters of unequal sensitivity", 50, (24, 24), (24, 24), sensitivity=0.5),
    Design("complete, small: 20 items x 24 + 24", 20, (24, 24), (24, 24)),
    Design("complete, tiny: 20 items x 8 + 8", 20, (8, 8), (8, 8)),
    Design("incomplete: 50 items, 24 of 46 workers + 24", 50, (46, 24), (24, 24)),
    Design("incomplete: 50 items, 24 of 46 + 24 of 46", 50, (46, 46), (24, 24)),
    Design("incomplete: 150 items, 6 of 60 + 6 of 12", 150, (60, 12), (6, 6)),
    Design("sparse: 100 items, 5 of 40 + 5 of 40", 100, (40, 40), (5, 5)),
    Design("sparse: 200 items, 3 of 100 + 3 of 100", 200, (100, 100), (3, 3)),
    Design("no severity: 50 items x 24 + 24", 50, (24, 24), (24, 24), severity=0.0),
)


def study(design: Design, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Scores (items, raters) and who rated what, for candidate and reference."""
    quality = rng.normal(3.3, 0.6, design.items)
    sides = []
    for shift, raters, per_item in zip((0.15, 0.0), design.raters, design.per_item, strict=True):
        own = quality + shift + rng.normal(0, 0.25, design.items)
        sensitivity = 1 + rng.normal(0, design.sensitivity, raters)
        severity = rng.normal(0, design.severity, raters)
        felt = 3.3 + np.outer(own - 3.3, sensitivity) + severity
        scores = np.clip(np.rint(felt + rng.normal(0, design.chance, felt.shape)), 1, 5)
        rated = np.ones(scores.shape, dtype=bool)
        if per_item < raters:
            # Workers take unequal shares of the work.
            eagerness = rng.gamma(1.5, 1.0, raters) + 0.1
            turn = np.argsort(np.log(rng.random(scores.shape)) / -eagerness, axis=1)[:, :per_item]
            rated[:] = False
            np.put_along_axis(rated, turn, True, axis=1)
        sides.append((scores, rated))
    return sides


def as_ratings(scores: np.ndarray, rated: np.ndarray, group: str) -> Ratings:
    item, rater = np.nonzero(rated)
    return Ratings(item, np.char.add(group, rater.astype(str)), scores[item, rater])


def truth(design: Design, rng: np.random.Generator, groups: int = 60) -> dict[str, float]:
    """The figures of infinitely many items; correlations and RMSE for groups of the design's size."""
    many = replace(design, items=3000)
    found = []
    for _ in range(groups):
        x, y = ((s * r).sum(axis=1) / r.sum(axis=1) for s, r in study(many, rng))
        correlations = (f(x, y).estimate.value for f in (spearman, pearson, kendall))
        found.append([*correlations, ((x - y) ** 2).mean()])
    rho, r, tau, square = np.mean(found, axis=0)
    crowded = replace(design, items=1500, raters=(3000, 3000), per_item=(3000, 3000))
    difference = np.mean([_difference(study(crowded, rng)) for _ in range(3)])
    return {
        "spearman": float(rho),
        "pearson": float(r),
        "kendall": float(tau),
        "rmse": float(np.sqrt(square)),
        "mean_difference": float(difference),
    }


def coverage(
    design: Design, studies: int, spec: ComparisonSpec, seed: int
) -> dict[str, tuple[float, float, float]]:
    """Per figure: share of intervals that cover, and shares that lie above and below the truth."""
    rng = np.random.default_rng(seed)
    known = truth(design, rng)
    found = [_compared(design, spec, rng) for _ in range(studies)]
    table = {}
    for figure in FIGURES:
        estimates = [getattr(each, figure) for each in found]
        above = np.mean([e.low > known[figure] for e in estimates])
        below = np.mean([e.high < known[figure] for e in estimates])
        table[figure] = (float(1 - above - below), float(above), float(below))
    return table


def _compared(design: Design, spec: ComparisonSpec, rng: np.random.Generator) -> Comparison:
    (x, in_x), (y, in_y) = study(design, rng)
    return compare(as_ratings(x, in_x, "a"), as_ratings(y, in_y, "b"), spec)


def _difference(sides: list[tuple[np.ndarray, np.ndarray]]) -> float:
    (x, _), (y, _) = sides
    return float(x.mean() - y.mean())
