"""The synthetic study `rankings`: five systems translate segments, and raters rank their translations.

Made, not collected, and after no paper. A translation has a strength: that of its system, and how well the system does
on this segment. Ranks follow strength and Gumbel noise, which is the Plackett-Luce model that the page fits. Every
truth in it is planted, so tests can look for it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 1975
"""The year of Plackett's paper; not chosen among others."""
SYSTEMS = {"Atlas": 1.5, "Birch": 0.4, "Cedar": 0.4, "Delta": -0.6, "Ember": -1.7}
"""Strength of each system: Atlas is clearly best, Birch and Cedar are equal."""
SEGMENTS, RATERS, RATERS_PER_SEGMENT = 40, 20, 5
"""Segments, raters, and raters of each segment."""
FIT = 0.3
"""SD of a system's quality on a segment, added to its strength."""
TRANSLATORS = 8
"""Raters who translate for a living, the first ones; the others are students."""
SHARPER = 1.5
"""Factor by which translators see differences of strength more clearly than students."""
CARELESS = "rater 13"
"""Student who ranks at random, and fast."""
SECONDS = 75.0

COLUMNS = ("item_id", "rater_id", "option", "rank", "position", "seconds", "rater_profession", "rater_age")

Table = dict[str, NDArray[Any]]


def generate(seed: int = SEED) -> Table:
    """Return a row per rank, 1,000 in all: column -> array (1000,). The same seed gives the same study."""
    rng = np.random.default_rng(seed)
    names = np.array([f"rater {number:02d}" for number in range(1, RATERS + 1)])
    is_translator, careless = np.arange(RATERS) < TRANSLATORS, names == CARELESS
    ages = np.where(is_translator, rng.integers(30, 60, RATERS), rng.integers(20, 30, RATERS))
    segment, rater = assign(rng, SEGMENTS, RATERS, RATERS_PER_SEGMENT)

    strength = np.array([*SYSTEMS.values()]) + FIT * rng.standard_normal((SEGMENTS, len(SYSTEMS)))
    sharpness = np.where(careless, 0.0, np.where(is_translator, SHARPER, 1.0))
    utility = sharpness[rater, None] * strength[segment] + rng.gumbel(size=(len(rater), len(SYSTEMS)))
    pace = np.where(careless, 0.3, np.exp(0.25 * rng.standard_normal(RATERS)))
    seconds = SECONDS * pace[rater] * np.exp(0.35 * rng.standard_normal(len(rater)))
    ranking_columns = {
        "item_id": np.array([f"segment {number:02d}" for number in range(1, SEGMENTS + 1)])[segment],
        "rater_id": names[rater],
        "seconds": seconds.round(1),
        "rater_profession": np.where(is_translator, "translator", "student")[rater],
        "rater_age": ages[rater],
    }
    table = {name: np.repeat(values, len(SYSTEMS)) for name, values in ranking_columns.items()} | {
        "option": np.tile([*SYSTEMS], len(rater)),
        "rank": (-utility).argsort(axis=1).argsort(axis=1).ravel() + 1,
        "position": rng.random(utility.shape).argsort(axis=1).ravel() + 1,
    }
    return {name: table[name] for name in COLUMNS}


def assign(
    rng: np.random.Generator, items: int, raters: int, raters_per_item: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return items and raters (items * raters_per_item,): all raters rate equally many items if possible."""
    rounds = np.tile(np.arange(raters), (items * raters_per_item // raters, 1))
    return np.repeat(np.arange(items), raters_per_item), rng.permuted(rounds, axis=1).ravel()
