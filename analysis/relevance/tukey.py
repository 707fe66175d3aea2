"""Tukey's honestly significant difference for repeated measures, with letters for systems that do not differ.

The test is that of means that share their subjects: the error is MS_error of systems x subjects with its
(k - 1)(n - 1) degrees of freedom. Tukey's test for independent groups is another one.
"""

from dataclasses import dataclass
from math import isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.pairs.letters import letters
from analysis.pairs.studentized_range import critical_range, range_p
from analysis.relevance.anova import RepeatedMeasures
from analysis.values.errors import InputError
from analysis.values.types import Floats

HSD = "Tukey's HSD for repeated measures"
KRAMER = "Tukey-Kramer: each pair with its own standard error, because cells are missing"

ONE_MEAN = "there is only one mean, and nothing to compare it with"


@dataclass(frozen=True, eq=False)
class Tukey:
    """All pairs of k means compared at once.

    `hsd` is the least difference that is significant, NaN where each pair has its own (then in `least`); `q` the
    critical value of the studentized range. Matrices (k, k), row less column: `differences`, `low` and `high` of
    their simultaneous intervals, `p`, `least` the least significant difference, `significant`. `letters` (k,):
    systems that share a letter do not differ significantly, all others do; the best has an A.
    Where `reason` says something, all is NaN, nothing significant and letters are empty.
    """

    method: str
    hsd: float
    q: float
    df_error: float
    level: float
    differences: Floats
    low: Floats
    high: Floats
    p: Floats
    least: Floats
    significant: NDArray[np.bool_]
    letters: tuple[str, ...]
    reason: str

    @property
    def defined(self) -> bool:
        """Whether there is a test at all."""
        return not self.reason


def hsd(
    means: ArrayLike,
    ms_error: float,
    n: int,
    df_error: float,
    level: float = 0.95,
    *,
    variances: ArrayLike | None = None,
    lower_is_better: bool = False,
) -> Tukey:
    """Tukey's honestly significant difference between the means of conditions that share their n subjects.

    Parameters
    ----------
    means : (k,) of the conditions
    ms_error : mean square of conditions x subjects
    n : subjects
    df_error : degrees of freedom of `ms_error`, (k - 1)(n - 1)
    level : 1 less the probability of any significant difference where none is
    variances : (k, k) of the differences of two means, instead of 2 `ms_error` / `n`, where cells are missing
    lower_is_better : whether the letter A goes to the lowest mean (seconds) instead of the highest

    Returns
    -------
    Tukey
        undefined with its reason for fewer than two means.

    Raises
    ------
    InputError
        where a number is missing or out of range, or `variances` has another shape.

    Notes
    -----
    Not needed for two systems (it is the paired t test then), and too strict where few pairs were of interest from the
    start. HSD = q(level; k, df_error) sqrt(MS_error / n); with `variances` v, q sqrt(v_ij / 2) for each pair as Tukey
    and Kramer did, of which the level is approximate. It assumes that differences of all pairs vary alike
    (Greenhouse-Geisser epsilon near 1).
    Source: Tukey 1953; Kramer 1956; Hobson et al. 2007, Table 1; letters: Piepho 2004 (insert and absorb); methods:
    section 6.

    >>> test = hsd([4.85, 4.72, 2.68, 1.68], 1.9678, 5, 12)
    >>> round(test.hsd, 3), test.letters
    (2.634, ('A', 'A', 'AB', 'B'))
    """
    mean = np.asarray(means, dtype=np.float64)
    _check(mean, ms_error, n, df_error, level)
    k = len(mean)
    of_pairs = np.full((k, k), 2 * ms_error / n) if variances is None else _variances(variances, k)
    method = HSD if variances is None else KRAMER
    if k < 2:
        return _undefined(method, k, level, ONE_MEAN)
    error = np.sqrt(of_pairs / 2)
    np.fill_diagonal(error, 0.0)
    q = critical_range(level, k, df_error)
    differences = mean[:, None] - mean
    least = q * error
    significant = np.abs(differences) > least
    np.fill_diagonal(significant, False)
    upper = np.triu_indices(k, 1)
    p = np.ones((k, k))
    p[upper] = range_p(np.abs(differences[upper]) / error[upper], k, df_error)
    p = np.minimum(p, p.T)
    return Tukey(
        method=method,
        hsd=q * sqrt(ms_error / n) if variances is None else nan,
        q=q,
        df_error=df_error,
        level=level,
        differences=differences,
        low=differences - least,
        high=differences + least,
        p=p,
        least=least,
        significant=significant,
        letters=letters(mean if lower_is_better else -mean, significant),
        reason="",
    )


def after(analysed: RepeatedMeasures, level: float = 0.95, *, lower_is_better: bool = False) -> Tukey:
    """Tukey's test of all pairs of conditions of an analysis of variance or mixed model.

    >>> from analysis.relevance.anova import of_table
    >>> after(of_table([[1, 2, 7], [2, 2, 9], [1, 3, 8]])).letters
    ('B', 'B', 'A')
    """
    variances = analysed.difference_variances if analysed.missing else None
    if analysed.reason:
        return _undefined(KRAMER if analysed.missing else HSD, analysed.k, level, analysed.reason)
    means = [mean.value for mean in analysed.means]
    return hsd(
        means,
        analysed.ms_error,
        analysed.n,
        analysed.df2,
        level,
        variances=variances,
        lower_is_better=lower_is_better,
    )


def _check(mean: Floats, ms_error: float, n: int, df_error: float, level: float) -> None:
    if mean.ndim != 1 or not np.isfinite(mean).all():
        raise InputError(f"`means` must be 1-d and finite, got {mean}; leave out what is missing")
    if isnan(ms_error) or ms_error <= 0:
        raise InputError(f"`ms_error` must be above 0, got {ms_error}; without an error there is no test")
    if n < 1:
        raise InputError(f"`n` must be at least 1 subject, got {n}")
    if isnan(df_error) or df_error < 1:
        raise InputError(f"`df_error` must be at least 1, got {df_error}")
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")


def _variances(variances: ArrayLike, k: int) -> Floats:
    matrix = np.array(variances, dtype=np.float64)
    if matrix.shape != (k, k):
        raise InputError(f"`variances` must be {k} by {k}, one per pair of means, got shape {matrix.shape}")
    off = matrix[~np.eye(k, dtype=np.bool_)]
    if not (np.isfinite(off).all() and (off > 0).all()) or not np.allclose(matrix, matrix.T):
        raise InputError("`variances` of differences must be symmetric, finite and above 0")
    return matrix


def _undefined(method: str, k: int, level: float, reason: str) -> Tukey:
    empty = np.full((k, k), nan)
    return Tukey(
        method=method,
        hsd=nan,
        q=nan,
        df_error=nan,
        level=level,
        differences=empty,
        low=empty,
        high=empty,
        p=empty,
        least=empty,
        significant=np.zeros((k, k), dtype=np.bool_),
        letters=("",) * k,
        reason=reason,
    )
