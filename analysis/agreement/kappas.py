"""Agreement on labels beyond what chance would: Cohen's kappa of two raters, Fleiss' of any number."""

from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.agreement.credit import Weights, credit
from analysis.agreement.disagreement import FleissKappa, chance_corrected, with_interval
from analysis.agreement.units import (
    ALL_EQUAL,
    NO_PAIRS,
    ONE_UNIT,
    interval_of_left_out,
    labels_of,
    unit_table,
)
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate

Floats = NDArray[np.float64]


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
    Answers: how much more often do two raters agree than if each labelled at random with their own shares? Ordered
    labels want weights. Not for more than two raters (`analysis.agreement.chance_corrected`: Fleiss' and Conger's
    kappa, the mean over pairs). The interval leaves out each item in turn
    (`analysis.resampling.intervals.jackknifed`), for these two raters.
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
    labels, code = np.unique(np.concatenate([one, two]), return_inverse=True)
    if len(labels) == 1:
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    pairs, times = np.unique(code[:n] * len(labels) + code[n:], return_counts=True)
    rows, columns = np.divmod(pairs, len(labels))
    k, shape = np.arange(len(pairs)), (len(pairs), len(labels))
    ones = np.ones(len(pairs))
    of_first, of_second = (sparse.csr_array((ones, (k, place)), shape=shape) for place in (rows, columns))

    worth = credit(labels, weights)

    def kappa(counts: Floats) -> Floats:
        total = counts.sum(axis=1)
        agreed = counts @ worth[rows, columns] / total
        chance = (((counts @ of_first) @ worth) * (counts @ of_second)).sum(axis=1) / total**2
        return chance_corrected(agreed, chance)

    value = float(kappa(times[None, :].astype(np.float64))[0])
    if spec.draws == 0 or n == 1:
        return Estimate(value, n=n, reason=ONE_UNIT if spec.draws else "")
    left = np.repeat(kappa(times - np.eye(len(pairs))), times)
    return interval_of_left_out(value, left, n, spec.level)


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
    Answers: how much more often do two raters of a unit agree than any two labels of the data would? Raters may
    differ from unit to unit. Not for ordered labels (alpha, ordinal). With unequal numbers n_u of labels, of
    which x_uv are v, and m units: kappa = 1 - (sum over units of n_u - sum of x_uv² / n_u) / ((N - m) (1 - sum of
    p_v²)), p_v the share of v among all N labels; with equal numbers this is Fleiss 1971. Units with one label do
    not count. Intervals as in `krippendorff_alpha`.
    Source: Fleiss 1971; Fleiss, Levin & Paik 2003, "Statistical methods for rates and proportions", section 18.3.

    >>> fleiss_kappa([1, 1, 1, 2, 2, 2], ["a", "a", "a", "b", "b", "a"]).value.__round__(4)
    0.25
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    table = unit_table(unit, labels_of("value", value))
    n = len(table.counts)
    if n == 0:
        return Estimate(nan, n=0, reason=NO_PAIRS)
    if len(table.values) == 1:
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    return with_interval(FleissKappa(table), table, spec, None)
