"""Simulated studies of two groups: crossed raters, unequal shares of the work, whole scores."""

from dataclasses import dataclass

import numpy as np

from analysis.values.ratings import Ratings


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
