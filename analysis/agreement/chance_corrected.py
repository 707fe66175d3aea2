"""Agreement beyond chance, where chance is defined in four ways, plain or weighted, with intervals and differences.

All are (p_a - p_e) / (1 - p_e): p_a is the weighted share of agreeing pairs of ratings of an item, averaged over items,
and the coefficients differ in what they call chance (p_e). Their errors are linear: every item pulls the coefficient
by so much, and the mean of what items pull is the coefficient. So a difference of two coefficients has an interval too.
"""

from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.intervals import by_error
from analysis.values.errors import InputError
from analysis.values.estimate import Estimate

Floats = NDArray[np.float64]
Weights = Literal["identity", "linear", "quadratic", "ordinal"]
Name = Literal["percent agreement", "Brennan-Prediger", "Gwet AC", "Fleiss kappa", "Conger kappa"]
NAMES: tuple[Name, ...] = ("percent agreement", "Brennan-Prediger", "Gwet AC", "Fleiss kappa", "Conger kappa")

NO_PAIRS = "no item has two ratings"
ALL_EQUAL = "everyone gave the same value, so chance agreement is certain"
ONE_VALUE = "a scale of one value leaves nothing to agree on"
ONE_ITEM = "a single item does not show how items differ, so there is no interval"


@dataclass(frozen=True, eq=False)
class Agreement:
    """Coefficients of one table of ratings, and what each item pulls at them.

    `estimates` by name; `pulls` (n,) by name, whose mean is the coefficient and whose spread is its error; `items`
    (n,) ids.
    """

    estimates: dict[Name, Estimate]
    pulls: dict[Name, Floats]
    items: NDArray[Any]
    level: float

    def difference(self, other: "Agreement", name: Name, other_name: Name | None = None) -> Estimate:
        """This coefficient less another one's, paired over the items that both have.

        Parameters
        ----------
        other : of the same items, by other raters, on another measure, or with other weights
        name, other_name : which coefficient of either; the same one where only one is named

        Returns
        -------
        Estimate
            n = shared items. Undefined where either is, or where items are not the same.

        Notes
        -----
        Answers: do these raters agree more than those? Two overlapping intervals do not say that they do not. Over
        items, for these raters. Source: Gwet 2016, "Testing the difference of correlated agreement coefficients for
        statistical significance", Educational and Psychological Measurement 76(4).
        """
        mine, theirs = self.estimates[name], other.estimates[other_name or name]
        for one in (mine, theirs):
            if not one.defined:
                return Estimate(nan, n=0, reason=one.reason)
        if not np.array_equal(self.items, other.items):
            return Estimate(nan, n=0, reason="the two do not rest on the same items")
        return _estimate(
            mine.value - theirs.value, self.pulls[name] - other.pulls[other_name or name], self.level
        )


def agreement_coefficients(
    item: ArrayLike,
    rater: ArrayLike,
    value: ArrayLike,
    weights: Weights = "identity",
    scale: ArrayLike | None = None,
    level: float = 0.95,
) -> Agreement:
    """Percent agreement, Brennan-Prediger, Gwet's AC1 or AC2, Fleiss' and Conger's kappa of any number of raters.

    Parameters
    ----------
    item, rater : (N,) ids; a rater gives an item one value, and need not rate every item
    value : (N,) labels of any sortable kind; numbers for weights other than "identity"
    weights : credit for near misses: "identity" none; "linear" and "quadratic" by the distance of the values, as share
        of the longest; "ordinal" by how many values lie between
    scale : the values that could be given; those that occur where not given. Brennan-Prediger and Gwet's AC depend on
        how many there are
    level : of the intervals

    Returns
    -------
    Agreement
        n = items with two values or more. Undefined without such an item, on a scale of one value, and, for the two
        kappas, where everyone gave the same value. Conger's kappa of two raters is Cohen's.

    Raises
    ------
    InputError
        where lengths differ, a value is missing or not on the scale, a rater rated an item twice, or weights need
        numbers and got labels.

    Notes
    -----
    Answers: do raters give an item the same value more often than chance would? With most items of one kind kappas
    fall however much raters agree (chance is then almost certain); Gwet's AC does not. They differ in what chance is,
    so report which. Not for numbers on a fine scale: Krippendorff's alpha, ICC. Intervals are over items, for these
    raters, with Student's t; errors are those of the coefficient itself, not of the hypothesis that it is 0.
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th edition, chapters 2 to 5; Fleiss, Cohen, Everitt 1969.

    >>> items, raters = [1, 1, 2, 2, 3, 3, 4, 4], ["a", "b"] * 4
    >>> agreed = agreement_coefficients(items, raters, [1, 1, 1, 2, 2, 2, 1, 1])
    >>> agreed.estimates["Conger kappa"].value.__round__(2), agreed.estimates["percent agreement"].value
    (0.5, 0.75)
    """
    values, place, table = _counted(item, rater, value, scale)
    credit = _credit(values, weights)
    items, (item_code, rater_code) = place
    counts = np.asarray(table.sum(axis=1), dtype=np.float64)
    rated = counts.sum(axis=1)
    several = rated > 1
    n, n_paired = len(items), int(several.sum())
    if n_paired == 0:
        return _undefined(items, 0, NO_PAIRS, level)
    if len(values) < 2:
        return _undefined(items, n_paired, ONE_VALUE, level)
    share = counts / rated[:, None]
    pair = np.where(several, rated * (rated - 1), 1.0)
    agreed = np.where(several, (counts * (counts @ credit - 1)).sum(axis=1) / pair, 0.0)
    p_a = agreed.sum() / n_paired
    agreed_pull = n / n_paired * agreed
    popular = share.mean(axis=0)
    q, total = len(values), credit.sum()
    estimates: dict[Name, Estimate] = {}
    pulls: dict[Name, Floats] = {}

    def settle(name: Name, p_e: float, chance_pull: Floats | float) -> None:
        if 1 - p_e < 1e-12:
            estimates[name], pulls[name] = Estimate(nan, n=n_paired, reason=ALL_EQUAL), np.full(n, nan)
            return
        coefficient = (p_a - p_e) / (1 - p_e)
        own = np.where(several, (agreed_pull - n / n_paired * p_e) / (1 - p_e), 0.0)
        pulls[name] = own - 2 * (1 - coefficient) * (chance_pull - p_e) / (1 - p_e)
        estimates[name] = _estimate(float(coefficient), pulls[name], level, n_paired)

    settle("percent agreement", 0.0, 0.0)
    settle("Brennan-Prediger", total / q**2, total / q**2)
    settle(
        "Gwet AC",
        float(total / (q * (q - 1)) * (popular * (1 - popular)).sum()),
        total / (q * (q - 1)) * (share * (1 - popular)).sum(axis=1),
    )
    settle("Fleiss kappa", float(popular @ credit @ popular), share @ (credit @ popular))
    settle("Conger kappa", *_conger(table, credit, item_code, rater_code))
    return Agreement(estimates, pulls, items, level)


def _conger(
    table: NDArray[np.int64], credit: Floats, item_code: NDArray[np.int64], rater_code: NDArray[np.int64]
) -> tuple[float, Floats]:
    """Chance where each rater keeps to the shares of the own ratings, and what each item pulls at it."""
    n, raters, _ = table.shape
    by_rater = table.sum(axis=0) / np.maximum(table.sum(axis=(0, 2)), 1)[:, None]
    mean = by_rater.mean(axis=0)
    spread = (by_rater.T @ by_rater - raters * np.outer(mean, mean)) / max(raters - 1, 1)
    p_e = float((credit * (np.outer(mean, mean) - spread / raters)).sum())
    rated: NDArray[np.bool_] = table.sum(axis=2) > 0
    n_of = rated.sum(axis=0)
    # what an item pulls: the shares of the raters who rated it move towards its values
    lean = table / np.maximum(n_of, 1)[None, :, None] * n
    missed = np.where(
        rated[:, :, None], lean - by_rater * (n / np.maximum(n_of, 1) - 1)[None, :, None], by_rater
    )
    together = missed.sum(axis=1)
    all_shares = by_rater.sum(axis=0)
    cross = together @ credit @ all_shares - np.einsum("irk,kl,rl->i", missed, credit, by_rater)
    return p_e, np.asarray(cross / (raters * max(raters - 1, 1)))


def _counted(
    item: ArrayLike, rater: ArrayLike, value: ArrayLike, scale: ArrayLike | None
) -> tuple[NDArray[Any], tuple[NDArray[Any], tuple[NDArray[np.int64], NDArray[np.int64]]], NDArray[np.int64]]:
    """The scale's values, the items with the codes of items and raters, and (n, r, q) who gave what to which item."""
    columns = {
        name: np.asarray(given) for name, given in (("item", item), ("rater", rater), ("value", value))
    }
    lengths = {name: column.shape for name, column in columns.items()}
    if len(set(lengths.values())) > 1 or columns["item"].ndim != 1:
        raise InputError(f"`item`, `rater` and `value` need one entry per rating each, got shapes {lengths}")
    given = columns["value"]
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise InputError("`value` must have no missing numbers; leave such ratings out")
    values = np.unique(given if scale is None else np.asarray(scale))
    at = np.clip(np.searchsorted(values, given), 0, max(len(values) - 1, 0))
    if len(given) and not (values[at] == given).all():
        off = given[values[at] != given][0]
        raise InputError(f"`value` must be on the scale {values.tolist()}, got {off}")
    items, item_code = np.unique(columns["item"], return_inverse=True)
    raters, rater_code = np.unique(columns["rater"], return_inverse=True)
    table = np.zeros((len(items), len(raters), len(values)), dtype=np.int64)
    np.add.at(table, (item_code, rater_code, at), 1)
    twice = table.sum(axis=2) > 1
    if twice.any():
        where = np.argwhere(twice)[0]
        raise InputError(
            f"a rater gives an item one value, got {int(table[tuple(where)].sum())} of rater "
            f"{raters[where[1]]} for item {items[where[0]]}"
        )
    return values, (items, (item_code, rater_code)), table


def _credit(values: NDArray[Any], weights: Weights) -> Floats:
    """(q, q) how much two values agree: 1 on the diagonal."""
    q = len(values)
    if weights == "identity":
        return np.eye(q)
    if values.dtype.kind not in "iuf":
        raise InputError(f"weights {weights!r} need numbers as values, got {values[:3].tolist()}")
    if weights == "ordinal":
        ranks = np.arange(q)
        between = np.abs(ranks[:, None] - ranks) + 1
        pairs = between * (between - 1) / 2
        return np.asarray(1 - pairs / max(pairs.max(), 1))
    number = values.astype(np.float64)
    distance = np.abs(number[:, None] - number) / max(float(np.ptp(number)), 1e-300)
    if weights == "linear":
        return np.asarray(1 - distance)
    if weights == "quadratic":
        return np.asarray(1 - distance**2)
    raise InputError(f'`weights` must be "identity", "linear", "quadratic" or "ordinal", got {weights!r}')


def _estimate(value: float, pulls: Floats, level: float, n: int | None = None) -> Estimate:
    """With Student's t over what items pull."""
    items = len(pulls)
    if items < 2:
        return Estimate(value, nan, nan, n or items, ONE_ITEM)
    error = np.sqrt(((pulls - value) ** 2).sum() / (items - 1) / items)
    ends = by_error(value, error, level, items - 1, within=(-np.inf, 1.0))
    return Estimate(value, float(ends.low), float(ends.high), n or items)


def _undefined(items: NDArray[Any], n: int, reason: str, level: float) -> Agreement:
    nothing = np.full(len(items), nan)
    return Agreement(
        {name: Estimate(nan, n=n, reason=reason) for name in NAMES},
        dict.fromkeys(NAMES, nothing),
        items,
        level,
    )
