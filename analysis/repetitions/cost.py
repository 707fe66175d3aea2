"""Costs and times of fewer ratings, and measures that suffer most from unreliable raters."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.reliability import rater_reliability, without_least_reliable
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.saturation import Curves
from analysis.values.estimate import InputError
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


@dataclass(frozen=True)
class CostSpec:
    """The price list.

    Parameters
    ----------
    price : of one rating or one assignment, in any currency
    per : 'rating', or 'assignment' where one person rates all measures of an item at once for one price
    fixed : what does not depend on the number of ratings (qualification, set-up)
    seconds : that one rating (of one measure) takes; NaN where unknown

    Raises
    ------
    InputError
        for negative amounts or an unknown unit.

    Notes
    -----
    Source: Iskender et al. 2020, section 3.2 (1.2 euros per task and per qualification).
    """

    price: float = 0.0
    per: Literal["rating", "assignment"] = "assignment"
    fixed: float = 0.0
    seconds: float = nan

    def __post_init__(self) -> None:
        for name in ("price", "fixed", "seconds"):
            if getattr(self, name) < 0:
                raise InputError(f"`{name}` must be 0 or more, got {getattr(self, name)}")
        if self.per not in ("rating", "assignment"):
            raise InputError(f"`per` must be 'rating' or 'assignment', got {self.per!r}")


@dataclass(frozen=True, eq=False)
class Costs:
    """Costs of r = 1 … m ratings per item.

    `repetitions` (m,), `money` (m,) fixed cost included, `seconds` (m,) of all raters together, `saved` (m,)
    share of the whole cost of m, `saved_of_ratings` (m,) share without the fixed cost. NaN where the cost of
    m is 0 or the seconds are unknown.
    """

    repetitions: NDArray[np.int64]
    money: NDArray[np.float64]
    seconds: NDArray[np.float64]
    saved: NDArray[np.float64]
    saved_of_ratings: NDArray[np.float64]

    def below(self, amount: float) -> int:
        """Return the most ratings per item that cost less than an amount, 0 for none.

        >>> costs(50, 9, 24, CostSpec(price=1.2, fixed=82 * 1.2)).below(15 * 71)  # the paper's laboratory
        16
        """
        return int(np.count_nonzero(self.money < amount))


def costs(items: int, measures: int, repetitions: int, spec: CostSpec) -> Costs:
    """Return what a study costs with 1 … m ratings per item, and what that saves against m.

    Parameters
    ----------
    items : rated
    measures : rated on each item
    repetitions : m
    spec : the price list

    Returns
    -------
    Costs
        arrays (m,).

    Raises
    ------
    InputError
        for counts below 1.

    Notes
    -----
    Not what they would have given up: see the curve.
    Source: Iskender et al. 2020, sections 3.2 and 5. The paper's 66% leaves out its 82 paid qualifications;
    with them 62% are saved.

    >>> paper = costs(50, 9, 24, CostSpec(price=1.2, fixed=82 * 1.2))
    >>> round(paper.money[-1], 2), round(paper.saved_of_ratings[7], 2), round(paper.saved[7], 2)
    (np.float64(1538.4), np.float64(0.67), np.float64(0.62))
    """
    for name, number in (("items", items), ("measures", measures), ("repetitions", repetitions)):
        if number < 1:
            raise InputError(f"`{name}` must be a whole number from 1, got {number}")
    r = np.arange(1, repetitions + 1)
    assignments = items * r.astype(np.float64)
    ratings = assignments * measures
    money = spec.fixed + spec.price * (ratings if spec.per == "rating" else assignments)
    saved = 1 - money / money[-1] if money[-1] > 0 else np.full(repetitions, nan)
    return Costs(r, money, ratings * spec.seconds, saved, 1 - r / repetitions)


MOST_BY_CHANCE = 1.5
"""Ratings per time above which times are taken to be of assignments: equal whole seconds meet by chance too."""


@dataclass(frozen=True)
class Times:
    """The times in the data: their median, and how many ratings share one time."""

    median: float = nan
    ratings_per_time: float = 1.0

    @property
    def of_assignments(self) -> bool:
        """Return True where they are judged to be of whole assignments, repeated on each of its ratings."""
        return self.ratings_per_time >= MOST_BY_CHANCE

    def settled(self) -> "Times":
        """The same, where the import has settled that each time is of one rating."""
        return Times(self.median)

    def of_one_rating(self, of_assignments: bool) -> float:
        """Seconds that one rating takes; an assignment's are shared out over its ratings."""
        return self.median / self.ratings_per_time if of_assignments else self.median


def times_of(rater: ArrayLike, seconds: NDArray[np.float64], measures: float = 1.0) -> Times:
    """Times of one measure's ratings (N,), in their order, each repeated on so many measures."""
    known = seconds[np.isfinite(seconds)]
    if not len(known):
        return Times()
    return Times(float(np.median(known)), measures * ratings_per_time(rater, seconds))


def ratings_per_time(rater: ArrayLike, seconds: NDArray[np.float64]) -> float:
    """Return how many ratings share one time: rows (N,) by stretches of a rater's consecutive rows with equal seconds.

    Near 1 where each rating has its own time; the number of ratings in an assignment where its time is repeated
    on each of them. Rows must stand in the order in which they came. NaN where no time is known.

    >>> ratings_per_time([1, 1, 1, 2, 2, 2], np.array([60.0, 60, 60, 45, 45, 45]))
    3.0
    """
    who = np.unique(np.asarray(rater), return_inverse=True)[1]
    known = np.isfinite(seconds)
    who, times = who[known], seconds[known]
    if not len(times):
        return nan
    by_rater = np.argsort(who, kind="stable")
    who, times = who[by_rater], times[by_rater]
    starts = 1 + int(((who[1:] != who[:-1]) | (times[1:] != times[:-1])).sum())
    return len(times) / starts


def repeated(cells: NDArray[np.float64]) -> float:
    """Count equal rows (N, 3) of rater, item and seconds: near the number of measures where one time is of all.

    >>> repeated(np.array([[1, 1, 30.0], [1, 1, 30], [1, 2, 20], [1, 2, 20]]))
    2.0
    """
    known = cells[np.isfinite(cells[:, 2])]
    return len(known) / len(np.unique(known, axis=0)) if len(known) else 1.0
