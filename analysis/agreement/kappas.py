"""Agreement on labels beyond what chance would give: Cohen's kappa of two raters, Fleiss' of any number."""

from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.chance_sums import CongerSums, fleiss_sums
from analysis.agreement.credit import Weights, credit
from analysis.agreement.rating_table import rating_table
from analysis.agreement.ratio_intervals import ALL_EQUAL, ItemSums, ratio_interval, ratio_value
from analysis.agreement.units import labels_of, unit_table
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    bootstrap: BootstrapSpec | None = None,
    weights: Weights = "identity",
) -> Estimate:
    """Cohen's kappa, plain or weighted, of two raters who gave the same items a label each.

    Parameters
    ----------
    first, second : (n,) labels of any sortable kind, one pair per item
    bootstrap : the level of the interval; 0 draws: none
    weights : credit for near misses between numbers: "identity" none, "linear", "quadratic", "ordinal"

    Returns
    -------
    Estimate
        n = items. Undefined without items and where both always gave one and the same label.

    Raises
    ------
    InputError
        where lengths differ, labels are of different kinds or missing, or weights need numbers and got words.

    Notes
    -----
    Ordered labels want weights. Not for more than two raters (`analysis.agreement.chance_corrected`: Fleiss' and
    Conger's kappa, the mean over pairs). The interval is one over items, for these two raters
    (`analysis.agreement.ratio_intervals`).
    Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted kappa".

    >>> cohen_kappa(["y", "y", "n", "n"], ["y", "n", "n", "n"]).value
    0.5
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    one, two = labels_of("first", first), labels_of("second", second)
    n = len(one)
    if n != len(two):
        raise InputError(f"`first` and `second` need one label per item each, got {n} and {len(two)}")
    if n == 0:
        return Estimate(nan, n=0, reason="there are no items")
    if (one.dtype.kind in "US") != (two.dtype.kind in "US"):
        raise InputError(
            f"labels of `first` and `second` must be of one kind, text or numbers; got {one.dtype} and {two.dtype}"
        )
    item = np.tile(np.arange(n), 2)
    table = rating_table(item, np.repeat([0, 1], n), np.concatenate([one, two]))
    return _estimate(CongerSums.of_table(table, credit(table.values, weights)), spec)


def fleiss_kappa(unit: ArrayLike, value: ArrayLike, bootstrap: BootstrapSpec | None = None) -> Estimate:
    """Fleiss' kappa of labels given to units by any number of raters.

    Parameters
    ----------
    unit : (N,) ids; equal ids are the same unit
    value : (N,) labels of any sortable kind
    bootstrap : the level of the interval; 0 draws: none

    Returns
    -------
    Estimate
        n = units with two labels or more. Undefined where there is no such unit, or where all labels of such
        units are equal.

    Raises
    ------
    InputError
        where lengths differ or labels are missing.

    Notes
    -----
    Raters may differ from unit to unit. Not for ordered labels (alpha, ordinal). kappa = (p_a - p_e) / (1 - p_e): p_a
    is the mean over units with two labels of the share of equal pairs, p_e the sum of squares of the mean over all
    units of their shares of each label. With equal numbers of labels this is Fleiss 1971. Intervals as in
    `krippendorff_alpha`.
    Source: Fleiss 1971; Gwet 2014, chapter 2 (unequal numbers of labels).

    >>> fleiss_kappa([1, 1, 1, 2, 2, 2], ["a", "a", "a", "b", "b", "a"]).value.__round__(4)
    0.25
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    table = unit_table(unit, labels_of("value", value), fewest=1)
    counts: Any = table.given
    pairs = table.counts * (table.counts - 1)
    equal = np.asarray((counts * counts).sum(axis=1)).ravel() - table.counts
    agreed = np.divide(equal, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
    share = counts.multiply(1 / table.counts[:, None]).tocsr() if len(pairs) else counts
    return _estimate(fleiss_sums(table.counts, agreed, share), spec)


def _estimate(sums: ItemSums, spec: BootstrapSpec) -> Estimate:
    if spec.draws:
        return ratio_interval(sums, spec.level)
    value = ratio_value(sums)
    return Estimate(value, n=sums.paired, reason="" if value == value else ALL_EQUAL)
