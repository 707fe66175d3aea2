"""Chance over items and raters of figures from what they are without each item, each rater and each rating."""

import numpy as np

from analysis.resampling.carried import Chance, of_items, together
from analysis.resampling.jackknife import jackknife_covariance
from analysis.values.scope import Scope
from analysis.values.types import Floats


def covariances(
    items: Floats,
    raters: Floats,
    ratings: Floats,
    times: Floats | None = None,
    scope: Scope = "raters like these",
) -> tuple[Floats, Floats]:
    """Over items and by raters, (s, s) each, of figures without each item (n, s), rater (w, s) and rating (N, s), of
    which each stands for `times` (N,) equal ones; by raters 0 for these raters.

    What raters carry from item to item is what leaving them out changes beyond what leaving out single ratings does.
    Source: Cameron, Gelbach and Miller 2011, section 2.2 (items + raters - their crossing); Tukey 1958.
    """
    if scope == "these raters":
        return jackknife_covariance(items), np.zeros((items.shape[1], items.shape[1]))
    carried = jackknife_covariance(raters) - jackknife_covariance(ratings, times)
    if np.isnan(carried).any():
        return jackknife_covariance(items), carried
    size, along = np.linalg.eigh(carried)
    return jackknife_covariance(items), (along * np.maximum(size, 0.0)) @ along.T


def chance_along(contrast: Floats, parts: tuple[Floats, Floats], items: int, raters: int) -> Chance:
    """The variance of a contrast (s,) of the figures, with Satterthwaite's degrees of freedom."""
    over_items, by_raters = (float(contrast @ part @ contrast) for part in parts)
    return together(of_items(over_items, items), Chance(by_raters, by_raters**2 / max(raters - 1, 1)))
