"""Does one group rate higher? Tests over raters, and of items as Mann-Whitney and Wilcoxon have them."""

from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from analysis.correlation.ranks import midranks
from analysis.crowd_vs_lab.variance_components import TwoWay
from analysis.values.errors import InputError
from analysis.values.p_values import ALTERNATIVES, Alternative, student_p
from analysis.values.whole_numbers import settle

Floats = NDArray[np.float64]
Test = Literal["raters", "Mann-Whitney", "Wilcoxon"]


NO_SPREAD = "all differences are equal, so chance has no size"
TESTS: tuple[Test, ...] = ("raters", "Mann-Whitney", "Wilcoxon")


@dataclass(frozen=True)
class Tails:
    """The p of one test under each alternative; NaN where the test is undefined.

    Notes
    -----
    "less" and "greater" are about the candidate, compared on (n,) items. Source: methods, section 1.
    """

    two_sided: float = nan
    less: float = nan
    greater: float = nan

    @property
    def defined(self) -> bool:
        """Whether the test has a p."""
        return not isnan(self.two_sided)

    def of(self, alternative: Alternative) -> float:
        """The p under one alternative, a number, not an array (n,)."""
        return {"two-sided": self.two_sided, "less": self.less, "greater": self.greater}[alternative]


def mann_whitney_p(u: float, n_candidate: int, n_reference: int, tie_term: float = 0.0) -> Tails:
    """p of a Mann-Whitney U by the normal approximation with continuity and tie correction.

    Parameters
    ----------
    u : of the candidate: pairs in which the candidate is higher, ties counting half
    n_candidate, n_reference : items of each, ranked together as (n,) values
    tie_term : sum of t³ - t over groups of t equal values

    Returns
    -------
    Tails
        NaN where there is nothing to compare or all values are equal.

    Raises
    ------
    InputError
        where U does not lie between 0 and n_candidate · n_reference.

    Notes
    -----
    Answers: could one group's items be drawn from the other's? For these raters only: it treats items as
    independent and as unpaired. A paper's U is often the smaller of the two; its one-sided p is then `.less`.
    Source: Mann & Whitney 1947; Iskender et al. 2020, Table 1 (one-sided); methods: section 1.

    >>> round(mann_whitney_p(985.0, 50, 50).less, 3), round(mann_whitney_p(985.0, 50, 50).two_sided, 3)
    (0.034, 0.068)
    """
    most = n_candidate * n_reference
    if not 0 <= u <= most:
        raise InputError(
            f"`u` must lie between 0 and {most} for {n_candidate} and {n_reference} items, got {u}"
        )
    n = n_candidate + n_reference
    if most == 0:
        return Tails()
    variance = most / 12 * (n + 1 - tie_term / (n * (n - 1)))
    if variance <= 0:
        return Tails()

    def above(value: float) -> float:
        return float(special.ndtr(-(value - most / 2 - 0.5) / sqrt(variance)))

    return Tails(min(1.0, 2 * above(max(u, most - u))), above(most - u), above(u))


def by_raters(difference: float, error: TwoWay | None) -> tuple[Tails, str]:
    """p of the mean difference of MOS over items and raters, and which test it is or why there is none.

    The interval of the mean difference is the same model's: it holds 0 just where p is above its level.
    """
    if error is None:
        return Tails(), "it needs at least 2 shared items"
    if error.reason:
        return Tails(), error.reason
    if error.error == 0:
        return Tails(), NO_SPREAD
    t = difference / error.error
    p = [student_p(t, error.degrees, alternative) for alternative in ALTERNATIVES]
    return Tails(
        *p
    ), f"t test on the two-way variance over items and raters, {error.degrees:.0f} degrees of freedom"


def mann_whitney(mos_candidate: Floats, mos_reference: Floats) -> tuple[float, Tails]:
    """U of the first side's MOS (n,) over the second's, and its p."""
    n = len(mos_candidate)
    if n == 0:
        return nan, Tails()
    both = np.concatenate([mos_candidate, mos_reference])
    u = float(midranks(both[None])[0, :n].sum()) - n * (n + 1) / 2
    ties = np.unique(both, return_counts=True)[1].astype(np.float64)
    return u, mann_whitney_p(u, n, n, float((ties**3 - ties).sum()))


_MOST_EXACT = 50
"""Up to this many items scipy takes the exact distribution of Wilcoxon's sum where there are no ties."""


def wilcoxon(mos_candidate: Floats, mos_reference: Floats) -> tuple[float, Tails]:
    """Sum of the ranks of the differences of MOS (n,) in which the first side is higher, and its p."""
    difference = settle(mos_candidate - mos_reference)
    if not difference.any():
        return nan, Tails()
    if len(difference) > _MOST_EXACT:
        return _wilcoxon_of_many(difference[difference != 0])
    greater = stats.wilcoxon(difference, alternative="greater")
    less = stats.wilcoxon(difference, alternative="less")
    two_sided = min(1.0, 2 * min(float(less.pvalue), float(greater.pvalue)))
    return float(greater.statistic), Tails(two_sided, float(less.pvalue), float(greater.pvalue))


def _wilcoxon_of_many(difference: Floats) -> tuple[float, Tails]:
    """By the normal approximation with tie correction; one ranking serves all three tails."""
    n = len(difference)
    size = np.abs(difference)
    higher = float(midranks(size[None])[0][difference > 0].sum())
    ties = np.unique(size, return_counts=True)[1].astype(np.float64)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    z = (higher - n * (n + 1) / 4) / sqrt(variance)
    two_sided, less, greater = special.ndtr([-abs(z), z, -z])
    return higher, Tails(min(1.0, 2 * float(two_sided)), float(less), float(greater))
