"""A qualification: points for ratings near known ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.screening.subject_model import equally_long
from analysis.values.columns import coded
from analysis.values.estimate import InputError
from analysis.values.types import Counts, Flags, Floats

PASS_MARK = 0.625
"""Share of points from which the paper's workers passed."""


@dataclass(frozen=True, eq=False)
class Qualification:
    """Points of raters, as shares of all points that they could get.

    `raters`, `points` (w,), NaN without a known rating, `ratings` (w,) that count; `judged` (w,) have enough of these,
    and `failed` (w,) are judged and below the pass mark. `span` of the scale.
    """

    raters: NDArray[Any]
    points: Floats
    ratings: Counts
    judged: Flags
    failed: Flags
    span: float


def qualify(
    rater: ArrayLike,
    score: ArrayLike,
    expected: ArrayLike,
    span: float,
    pass_mark: float = PASS_MARK,
    fewest: int = 1,
) -> Qualification:
    """Return each rater's share of points, and who fails.

    Of raters' ids and ratings (N,), with known ratings of the same items as `expected` (N,), NaN where not known. A
    rating that matches gets `span` points, the width of the scale, one less for each point of deviation, never below
    0. Raters with `fewest` known ratings are judged. Raises `InputError` where lengths differ or no span is above 0.
    Source: Iskender, Polzehl and Möller 2020, section 3.2 (4 points on a scale from 1 to 5, pass mark 0.625).

    >>> qualify(["w"] * 4, [5, 4, 2, 4], [5, 5, 1, 1], span=4).points.tolist()
    [0.6875]
    """
    if not span > 0:
        raise InputError(f"`span` must be above 0, got {span}")
    ids, scores, known = equally_long(rater=rater, score=score, expected=expected)
    raters, code = coded(ids)
    gap = np.abs(scores.astype(np.float64) - known.astype(np.float64))
    here = ~np.isnan(gap)
    ratings = np.bincount(code[here], minlength=len(raters))
    got = np.bincount(code[here], np.maximum(1 - gap[here] / span, 0.0), len(raters))
    points = np.where(ratings > 0, got / np.maximum(ratings, 1), np.nan)
    judged = ratings >= max(fewest, 1)
    failed = judged & (points < pass_mark - 1e-12)
    return Qualification(raters, points, ratings, judged, failed, float(span))
