"""What ratings cost and take, and what fewer of them would save."""

from dataclasses import dataclass
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.values.errors import InputError


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
    """What r = 1 … m ratings per item cost.

    `repetitions` (m,), `money` (m,) fixed cost included, `seconds` (m,) of all raters together, `saved` (m,)
    share of the whole cost of m, `saved_of_ratings` (m,) share without the fixed cost. NaN where the cost of
    m is 0 or the seconds are unknown.
    """

    repetitions: NDArray[np.int64]
    money: NDArray[np.float64]
    seconds: NDArray[np.float64]
    saved: NDArray[np.float64]
    saved_of_ratings: NDArray[np.float64]


def costs(items: int, measures: int, repetitions: int, spec: CostSpec) -> Costs:
    """What a study costs with 1 … m ratings per item, and what that saves against m.

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
    Answers: what would fewer ratings have saved? Not what they would have given up: see the curve.
    Source: Iskender et al. 2020, sections 3.2 and 5. The paper's 66 % leaves out its 82 paid qualifications;
    with them 62 % are saved.

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


def median_seconds(seconds: NDArray[np.float64]) -> float:
    """What one rating takes by the data: the median of the seconds known, NaN where none is."""
    known = seconds[np.isfinite(seconds)]
    return float(np.median(known)) if len(known) else nan
