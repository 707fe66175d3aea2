"""The synthetic study `label sets`: a crowd names all emotions in posts, and gold sets are known.

Made, not collected, and after no paper. A post has one to three of six emotions, its gold set. A rater finds each of
them with a chance, and adds others with a smaller one. Every truth in it is planted, so tests can look for it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.samples.rankings import assign

SEED = 2006
"""The year of the paper on MASI; not chosen among others."""
LABELS = {"joy": 0.42, "sadness": 0.33, "anger": 0.28, "surprise": 0.22, "fear": 0.17, "disgust": 0.12}
"""Relative frequency of emotions in posts."""
POSTS, RATERS, RATERS_PER_POST = 60, 12, 6
SIZES = (0.55, 0.35, 0.10)
"""Shares of posts with one, two and three emotions."""
FINDS, ADDS = (0.78, 0.95), 0.04
"""Range of the raters' chances to find an emotion, and the chance to add a wrong one."""
HARD, MISS_RATE_OF_HARD = "disgust", 0.6
"""Emotion that is found least, and its chance relative to the others."""
CARELESS = "rater 05"
"""Rater who names one or two emotions at random, and is fast."""
SECONDS = 18.0

COLUMNS = ("item_id", "rater_id", "labels", "gold", "seconds")

Table = dict[str, NDArray[Any]]


def generate(seed: int = SEED) -> Table:
    """Return a row per set of labels, 360 in all: column -> array (360,). The same seed gives the same study."""
    rng = np.random.default_rng(seed)
    names = np.array([f"rater {number:02d}" for number in range(1, RATERS + 1)])
    careless = names == CARELESS
    weight = np.array([*LABELS.values()])
    sizes = rng.permutation(np.repeat([1, 2, 3], [round(share * POSTS) for share in SIZES]))
    gold = _mark_largest(np.log(weight) + rng.gumbel(size=(POSTS, len(LABELS))), sizes)
    post, rater = assign(rng, POSTS, RATERS, RATERS_PER_POST)

    hit_rate = rng.permutation(np.linspace(*FINDS, RATERS))[rater, None] * np.where(
        np.array([*LABELS]) == HARD, MISS_RATE_OF_HARD, 1
    )
    luck = rng.random((len(rater), len(LABELS)))
    chosen = luck < np.where(gold[post], hit_rate, ADDS)
    guessed = _mark_largest(rng.random(luck.shape), rng.integers(1, 3, len(rater)))
    chosen = np.where(careless[rater, None] | ~chosen.any(axis=1, keepdims=True), guessed, chosen)
    pace = np.where(careless, 0.3, np.exp(0.2 * rng.standard_normal(RATERS)))
    seconds = SECONDS * pace[rater] * np.exp(0.4 * rng.standard_normal(len(rater)))
    return {
        "item_id": np.array([f"post {number:02d}" for number in range(1, POSTS + 1)])[post],
        "rater_id": names[rater],
        "labels": _as_cells(chosen),
        "gold": _as_cells(gold)[post],
        "seconds": seconds.round(1),
    }


def _mark_largest(values: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the largest values in each row (n, k), as many as given by `sizes` (n,)."""
    largest: NDArray[np.bool_] = (-values).argsort(axis=1).argsort(axis=1) < sizes[:, None]
    return largest


def _as_cells(chosen: NDArray[np.bool_]) -> NDArray[np.str_]:
    """Return sets (n, labels) as texts (n,)."""
    return np.array([";".join(np.array([*LABELS])[row]) for row in chosen])
