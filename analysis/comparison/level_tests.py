"""Does one group rate higher? Tests over raters, and of items as Mann-Whitney and Wilcoxon have them."""

from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import Literal

import numpy as np
from scipy import special

from analysis.comparison.variance_components import TwoWay
from analysis.correlation.ranks import midranks
from analysis.values.errors import InputError
from analysis.values.p_values import ALTERNATIVES, Alternative, student_p
from analysis.values.types import Floats
from analysis.values.whole_numbers import settle

Test = Literal["raters", "items", "Mann-Whitney", "Wilcoxon"]


NO_SPREAD = "all differences are equal, so chance has no size"
TESTS: tuple[Test, ...] = ("raters", "items", "Mann-Whitney", "Wilcoxon")


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
    For these raters only: it treats items as independent and as unpaired. A paper's U is often the smaller of the two;
    its one-sided p is then `.less`.
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


def level_tails(difference: float, error: TwoWay | None, over: str) -> tuple[Tails, str]:
    """Return p of the mean difference of MOS by its error over items (and raters), and the test's name or why not.

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
    variance = "two-way variance" if "and" in over else "variance"
    return Tails(*p), f"t test on the {variance} over {over}, {error.degrees:.0f} degrees of freedom"


def mann_whitney(mos_candidate: Floats, mos_reference: Floats) -> tuple[float, Tails]:
    """U of the first side's MOS (n,) over the second's, and its p, exact for up to 25 items, ties included."""
    n = len(mos_candidate)
    if n == 0:
        return nan, Tails()
    both = _settled(mos_candidate, mos_reference).ravel()
    ranks = midranks(both[None])[0]
    u = float(ranks[:n].sum()) - n * (n + 1) / 2
    if n > _MOST_EXACT_U:
        ties = np.unique(both, return_counts=True)[1].astype(np.float64)
        return u, mann_whitney_p(u, n, n, float((ties**3 - ties).sum()))
    if not np.ptp(both):
        return u, Tails()
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros((n + 1, int(doubled.sum()) + 1))
    ways[0, 0] = 1.0
    for rank in doubled.tolist():
        chosen = np.zeros_like(ways)
        chosen[1:, rank:] = ways[:-1, : ways.shape[1] - rank]
        ways = (ways + chosen) / 2
    return u, _exact(ways[n] / ways[n].sum(), int(doubled[:n].sum()))


def wilcoxon(mos_candidate: Floats, mos_reference: Floats) -> tuple[float, Tails]:
    """Sum of the ranks of the differences of MOS (n,) in which the first side is higher, and its p.

    Exact for up to 50 items, ties included; items without a difference do not count (Wilcoxon 1945).
    """
    candidate, reference = _settled(mos_candidate, mos_reference)
    step = _COARSER * float(np.abs([candidate, reference]).max(initial=0.0))
    difference = np.rint((candidate - reference) / step) * step if step else candidate - reference
    apart = difference[difference != 0]
    if not len(apart):
        return nan, Tails()
    size = np.abs(apart)
    ranks = midranks(size[None])[0]
    higher = float(ranks[apart > 0].sum())
    if len(difference) <= _MOST_EXACT_W:
        doubled = np.rint(2 * ranks).astype(np.int64)
        chance = np.zeros(int(doubled.sum()) + 1)
        chance[0] = 1.0
        for rank in doubled.tolist():
            shifted = np.zeros_like(chance)
            shifted[rank:] = chance[: len(chance) - rank]
            chance = (chance + shifted) / 2
        return higher, _exact(chance, round(2 * higher))
    n = len(apart)
    ties = np.unique(size, return_counts=True)[1].astype(np.float64)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    z = (higher - n * (n + 1) / 4) / sqrt(variance)
    two_sided, less, greater = special.ndtr([-abs(z), z, -z])
    return higher, Tails(min(1.0, 2 * float(two_sided)), float(less), float(greater))


_MOST_EXACT_U, _MOST_EXACT_W = 25, 50
_COARSER = 1e-9
"""Differences closer than this share of the largest mean are equal: each mean is settled to 12 digits."""


def _settled(mos_candidate: Floats, mos_reference: Floats) -> Floats:
    """Both sides (2, n) on one scale: ties between them are ties of the exact means."""
    return settle(np.stack([mos_candidate, mos_reference]))


def _exact(chance: Floats, place: int) -> Tails:
    """Tails of a distribution (s,) at one of its places."""
    less, greater = float(chance[: place + 1].sum()), float(chance[place:].sum())
    return Tails(min(1.0, 2 * min(less, greater)), min(1.0, less), min(1.0, greater))
