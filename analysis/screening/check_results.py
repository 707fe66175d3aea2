"""How often each rater failed checks whose answer is known."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.intervals import wilson
from analysis.screening.rating_columns import equally_long
from analysis.values.codes import coded
from analysis.values.errors import InputError
from analysis.values.types import Counts, Floats


@dataclass(frozen=True, eq=False)
class FailedChecks:
    """Check questions and how many were failed.

    `raters` (w,), `checks`, `failed`, `unknown` (w,) counts, `share` (w,) of the checks that were failed with
    `low`, `high` (w,); NaN without checks.
    """

    raters: NDArray[Any]
    checks: Counts
    failed: Counts
    unknown: Counts
    share: Floats
    low: Floats
    high: Floats


def failed_checks(
    rater: ArrayLike, score: ArrayLike, expected: ArrayLike, tolerance: float = 0.0, level: float = 0.95
) -> FailedChecks:
    """How many check questions each rater answered otherwise than expected.

    Parameters
    ----------
    rater : (N,) ids, check rows only
    score : (N,) answers; NaN (no answer) fails
    expected : (N,) right answers; NaN where not known, counted apart
    tolerance : how far an answer may lie from the right one, in score points; P.808 allows 1 for gold clips
    level : of the intervals

    Returns
    -------
    FailedChecks
        arrays (w,).

    Raises
    ------
    InputError
        where lengths differ, for a level outside 0 … 1 or a tolerance below 0.

    Notes
    -----
    The interval is Wilson's.
    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    >>> failed_checks(["a"] * 4, [5, 5, 1, 2], [5, 5, 5, float("nan")]).share
    array([0.33333333])
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    if not tolerance >= 0:
        raise InputError(f"`tolerance` must be 0 or more, got {tolerance}")
    ids, answers, right = equally_long(rater=rater, score=score, expected=expected)
    raters, code = coded(ids)
    w = len(raters)
    known = ~np.isnan(right.astype(np.float64))
    checks = np.bincount(code[known], minlength=w)
    passed = np.abs(answers.astype(np.float64) - right.astype(np.float64)) <= tolerance
    failed = np.bincount(code[known & ~passed], minlength=w)
    share, low, high = wilson(failed, checks, level)
    return FailedChecks(raters, checks, failed, np.bincount(code[~known], minlength=w), share, low, high)
