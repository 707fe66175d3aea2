"""Studies of a reference group and candidates with known truth."""

from typing import Any

import numpy as np

from analysis.values.ratings import Ratings


def rated(
    rng: np.random.Generator, items: int, raters: int, per_item: int, severity: float = 0.5
) -> tuple[np.ndarray, Ratings]:
    """True values (items,) of variance 1, and ratings: severities, and chance of SD .8."""
    who = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item].ravel()
    item = np.repeat(np.arange(items), per_item)
    truth = rng.normal(0, 1, items)
    score = truth[item] + rng.normal(0, severity, raters)[who] + rng.normal(0, 0.8, len(item))
    return truth, Ratings(item, who, score)


def by_item(values: np.ndarray) -> dict[Any, float]:
    return dict(enumerate(values.tolist()))
