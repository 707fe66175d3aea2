"""Agreement on labels beyond what chance would: Cohen's kappa of two raters, Fleiss' of any number."""

from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.agreement.disagreement import FleissKappa, chance_corrected, with_interval
from analysis.agreement.units import ALL_EQUAL, BLOCK, NO_PAIRS, interval_of_draws, labels_of, unit_table
from analysis.resampling.draws import blocks
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate

Floats = NDArray[np.float64]


def cohen_kappa(first: ArrayLike, second: ArrayLike, bootstrap: BootstrapSpec | None = None) -> Estimate:
    """Cohen's kappa of two raters who labelled the same items.

    Parameters
    ----------
    first, second : (n,) labels of any sortable kind, one pair per item
    bootstrap : of the interval, 1,000 draws by default

    Returns
    -------
    Estimate
        n = items. Undefined without items and where both always gave one and the same label.

    Raises
    ------
    InputError
        where lengths differ, labels are of different kinds or missing.

    Notes
    -----
    Answers: how much more often do two raters agree than if each labelled at random with their own shares? Not
    for ordered labels, where near misses count (alpha, ordinal), nor for more than two raters (Fleiss' kappa).
    The interval resamples items and takes percentiles of the draws in which kappa is defined, widened where
    items are few.
    Source: Cohen 1960, "A coefficient of agreement for nominal scales".

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

    def kappa(drawn: Floats) -> Floats:
        agreed = drawn[:, rows == columns].sum(axis=1) / n
        chance = ((drawn @ of_first) * (drawn @ of_second)).sum(axis=1) / n**2
        return chance_corrected(agreed, chance)

    value = float(kappa(times[None, :].astype(np.float64))[0])
    rng = np.random.default_rng(spec.seed)
    drawn = [
        kappa(rng.multinomial(n, times / n, size=block.stop - block.start).astype(np.float64))
        for block in blocks(spec.draws, BLOCK // (len(pairs) + len(labels)))
    ]
    return interval_of_draws(value, np.concatenate([np.empty(0), *drawn]), n, spec)


def fleiss_kappa(unit: ArrayLike, value: ArrayLike, bootstrap: BootstrapSpec | None = None) -> Estimate:
    """Fleiss' kappa of labels given to units by any number of raters.

    Parameters
    ----------
    unit : (N,) ids; equal ids are the same unit
    value : (N,) labels of any sortable kind
    bootstrap : of the interval, 1,000 draws by default

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
