"""What a candidate says of each item: a group's ratings as one value, and a metric on the scale of the ratings."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.replacement.answers import commonest, summed
from analysis.values.errors import InputError
from analysis.values.ratings import Ratings

FEWEST_ITEMS = 10
"""Items that a line is drawn through."""


def group_values(item: ArrayLike, value: ArrayLike, score: str = "negative rmse") -> dict[Any, Any]:
    """One value per item of a group's answers, as a candidate of `alternative_annotator_test`.

    Parameters
    ----------
    item, value : (N,) the group's answers, numbers or labels
    score : "negative rmse": an item's mean; "accuracy": its commonest answer, of equally common ones the first in order

    Returns
    -------
    dict
        item -> value, by ascending item

    Raises
    ------
    InputError
        where lengths differ, or a mean is asked of what is no number.

    Notes
    -----
    Not how surely: the mean of two answers counts as that of twenty.
    Source: Calderon, Reichart and Dror 2025, section 3; methods, section 7 ("a group is aggregated first").

    >>> group_values(["a", "a", "b"], [1, 2, 5]), group_values(["a", "a", "a"], ["x", "y", "y"], "accuracy")
    ({'a': 1.5, 'b': 5.0}, {'a': 'y'})
    """
    items, values = np.asarray(item), np.asarray(value)
    if items.shape != values.shape or items.ndim != 1:
        raise InputError(
            f"`item` and `value` must be 1-d and equally long, got shapes {items.shape} and {values.shape}"
        )
    ids, code = np.unique(items, return_inverse=True)
    if score == "accuracy":
        labels, of_label = np.unique(values, return_inverse=True)
        found = labels[commonest(of_label.astype(np.float64), code, len(ids)).astype(np.int64)]
        return dict(zip(ids.tolist(), found.tolist(), strict=True))
    if not np.issubdtype(values.dtype, np.number):
        raise InputError('`value` must hold numbers for a mean; labels have a commonest one ("accuracy")')
    means = summed(code, values, len(ids)) / np.bincount(code, minlength=len(ids))
    return dict(zip(ids.tolist(), means.tolist(), strict=True))


def on_the_scale_of(reference: Ratings, candidate: Mapping[Any, float]) -> dict[Any, float]:
    """A candidate's values on the scale of the reference: what a straight line foretells from them.

    Parameters
    ----------
    reference : N ratings (N,)
    candidate : item -> its value on any scale

    Returns
    -------
    dict
        item -> value; empty where fewer than 10 items have both, or all values of the candidate are equal

    Raises
    ------
    InputError
        where a value of the candidate is infinite.

    Notes
    -----
    Least squares of the reference's means on the candidate's values; the line of an item that the reference rated is
    drawn without that item, so that none is foretold from itself.
    Answers: how near would a metric from 0 to 1 come, were it put on the scale of 1 to 5? Not: what is its level, which
    the line takes from the reference. A metric that tells nothing becomes the mean of all items, which is seldom far
    from anybody: see how many raters it is worth.
    Source: Cook and Weisberg 1982, section 2.2 (residuals without the item itself).
    """
    told = {one: float(value) for one, value in candidate.items() if value is not None and value == value}
    if np.isinf(list(told.values())).any():
        raise InputError("a candidate's values must be finite; leave out what is missing")
    mos = reference.mos()
    means = dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))
    both = [one for one in told if one in means]
    x, y = np.array([told[one] for one in both]), np.array([means[one] for one in both])
    if len(both) < FEWEST_ITEMS or np.ptp(x) == 0:
        return {}
    around = x - x.mean()
    squares = float(around @ around)
    slope = float(around @ y) / squares
    line = {one: float(y.mean() + slope * (value - x.mean())) for one, value in told.items()}
    itself = 1 / len(x) + around**2 / squares
    left = y - (y.mean() + slope * around)
    without = np.where(itself < 1, y - left / np.where(itself < 1, 1 - itself, 1.0), np.nan)
    return line | {one: float(value) for one, value in zip(both, without, strict=True) if value == value}
