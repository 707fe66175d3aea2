"""Which measure suffers most from unreliable raters: its curve with everyone, and without the least reliable."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.reliability import rater_reliability, without_least_reliable
from analysis.repetitions.curves import Curves
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.values.ratings import Ratings

SPARED = 0.1
"""Share of items that may be left out so that the others can be read at more ratings."""


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """One measure with everyone's ratings and without the least reliable raters'.

    `everyone` and `without` are curves over the same r = 1 … m, m being what both allow; `raters` how many
    there are, `gone` how many of them went. `correlation` and `correlation_without` are the means over orders
    at m, `gain` their difference; NaN with a `reason` where not defined.
    """

    everyone: Curves
    without: Curves
    raters: int
    gone: int
    correlation: float
    correlation_without: float
    gain: float
    reason: str = ""


def sensitivity(
    ratings: Ratings,
    reference: Mapping[Any, float] | None = None,
    spec: RepetitionSpec | None = None,
    share: float = 0.25,
) -> Sensitivity:
    """Compare the curves with and without the raters that agree least with the others.

    Both curves are read at equally many ratings per item, so that the gain is not one of numbers. It is a little too
    good, since the same ratings choose the raters; the reference is not looked at for that.
    Source: future work of Iskender et al. 2020, section 5.
    """
    spec = spec or RepetitionSpec()
    left, gone = without_least_reliable(ratings, share)
    known = rater_reliability(ratings)
    both, left = _on_items_with_enough(ratings, left, spec.repetitions)
    smallest = min((int(side.mos().counts.min()) for side in (both, left) if len(side)), default=1)
    order = (
        "within items" if spec.order == "by column" else spec.order
    )  # raters that go leave gaps in columns
    shared = replace(spec, order=order, repetitions=min(smallest, spec.repetitions or smallest))
    everyone, without = simulate(both, reference, shared), simulate(left, reference, shared)
    m = min(everyone.repetitions, without.repetitions)
    first, second = everyone.mean_at(m), without.mean_at(m)
    if gone == 0:
        reason = "too few raters share enough items to say who is unreliable"
    else:
        reason = everyone.reason or without.reason
    return Sensitivity(everyone, without, len(known.raters), gone, first, second, second - first, reason)


def _on_items_with_enough(
    ratings: Ratings, left: Ratings, repetitions: int | None
) -> tuple[Ratings, Ratings]:
    """Both sides on the items that keep as many ratings as 90% of the items do."""
    items, _, counts = left.mos()
    if len(items) == 0:
        return left, left
    every = np.zeros(len(ratings.mos().items), dtype=np.int64)
    every[: len(counts)] = counts
    enough = max(int(np.quantile(every, SPARED, method="lower")), 1)
    kept = items[counts >= min(enough, repetitions or enough)]
    return _of_items(ratings, kept), _of_items(left, kept)


def _of_items(ratings: Ratings, items: NDArray[Any]) -> Ratings:
    keep = np.isin(ratings.item, items)
    order = None if ratings.order is None else ratings.order[keep]
    return Ratings(ratings.item[keep], ratings.rater[keep], ratings.score[keep], order)
