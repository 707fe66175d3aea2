"""Tukey's honestly significant difference for repeated measures, with letters for systems that do not differ.

The test is that of means that share their subjects: the error is MS_error of systems x subjects with its
(k - 1)(n - 1) degrees of freedom. Tukey's test for independent groups is another one.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.pairs.paired_differences import critical_range, range_p
from analysis.pairs.system_table import letters
from analysis.relevance.anova import RepeatedMeasures
from analysis.relevance.judgments import Judgments, joint
from analysis.relevance.metric_means import Units, share, with_interval
from analysis.resampling.intervals import ANGLE, UNIT_INTERVAL, crossed_bootstrap_counts
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio

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
        """Return True where there is a test at all."""
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


FEWEST_RATERS = 5
"""Raters below which draws of raters would say little."""
WILSON = "Wilson's over documents"
NO_PAIRS = "no rater judged the same document in both presentations"


@dataclass(frozen=True)
class SameJudgments:
    """Judgments of the same document by the same rater in two presentations under one order label.

    `share` of equal ones (its n counts documents of a rater), `same` how many; `lacking` those with only one of the
    two presentations; `raters` who saw both; `interval` how it was made.
    """

    share: Estimate
    same: int
    lacking: int
    raters: int
    interval: str

    @property
    def changed(self) -> int:
        """Return how many judgments differ."""
        return self.share.n - self.same


@dataclass(frozen=True)
class OrderStudy:
    """Equal judgments by (order label, presentation, presentation).

    Set aside: `repeated` judgments after the first of the same document in the same presentation, and `unlabelled`
    ones, without a label or a presentation.
    """

    pairs: dict[tuple[Any, Any, Any], SameJudgments]
    repeated: int
    unlabelled: int


def same_judgments(
    judgments: Judgments, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> OrderStudy:
    """The share of equal judgments for each order label and pair of its presentations.

    Parameters
    ----------
    judgments : (N,) with order labels and presentations
    bootstrap : of the intervals, over raters where there are at least five
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    OrderStudy
        presentations of a pair in the order in which the label names them, else in theirs.

    Notes
    -----
    Compare the same pair between labels; a high share alone is no proof, since raters remember. With fewer than
    five raters the interval is Wilson's over documents, for these raters: draws of two or three say little.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 6, Table 11; methods, section 6.

    >>> study = same_judgments(Judgments([7] * 4, [1] * 4, [1, 1, 2, 2], ["h"] * 4, [1, 1, 1, 0],
    ...     order_label=["S1D1"] * 4, presentation=["S1", "D1"] * 2))
    >>> study.pairs["S1D1", "S1", "D1"].share.value
    0.5
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    who = judgments.codes.rater
    (labels, label), (presentations, shown) = (
        _named(each) for each in (judgments.order_label, judgments.presentation)
    )
    place = np.argsort(judgments.order, kind="stable")
    place = place[(label[place] >= 0) & (shown[place] >= 0)]
    text, texts = joint(label[place], who[place], judgments.codes.document[place])
    seen, first = np.unique(shown[place] * max(texts, 1) + text, return_index=True)
    flat = np.full(len(presentations) * texts, nan)
    flat[seen] = judgments.judgment[place[first]]
    judged = flat.reshape(len(presentations), texts)
    of_text = place[np.unique(text, return_index=True)[1]]

    wanted = [
        (code, one, other)
        for code, name in enumerate(labels.tolist())
        for one, other in combinations(_as_shown(name, presentations, judged[:, label[of_text] == code]), 2)
    ]
    pairs = {}
    for done, (code, one, other) in enumerate(wanted):
        own = label[of_text] == code
        first_time, again, by = judged[one, own], judged[other, own], who[of_text[own]]
        key = tuple(each.item() for each in (labels[code], presentations[one], presentations[other]))
        pairs[key] = _same(first_time, again, by, spec)
        if on_progress is not None:
            on_progress((done + 1) / len(wanted))
    return OrderStudy(pairs, len(place) - len(seen), len(who) - len(place))


def _same(one: Floats, other: Floats, rater: Codes, spec: BootstrapSpec) -> SameJudgments:
    """Judgments (n,) of the same texts, NaN where there is none."""
    both = ~np.isnan(one) & ~np.isnan(other)
    lacking = int((np.isnan(one) != np.isnan(other)).sum())
    equal, n = (one == other)[both], int(both.sum())
    raters, by = np.unique(rater[both], return_inverse=True)
    same = int(equal.sum())
    equal_share = share(same, n, spec.level)
    if n == 0:
        return SameJudgments(replace(equal_share, reason=NO_PAIRS), 0, lacking, 0, "")
    if len(raters) < FEWEST_RATERS or spec.draws == 0:
        return SameJudgments(equal_share, same, lacking, len(raters), WILSON)
    of = Units(by, np.zeros(n, dtype=np.int64), len(raters), 1, "raters")
    by_rater = np.bincount(by, equal.astype(np.float64)), np.bincount(by).astype(np.float64)
    weights = np.concatenate([w for w, _ in crossed_bootstrap_counts(len(raters), 1, spec.draws, spec.seed)])
    drawn = ratio(weights @ by_rater[0], weights @ by_rater[1])
    plain = Estimate(equal_share.value, n=n)
    return SameJudgments(
        with_interval(plain, drawn, of, spec, n, ANGLE, UNIT_INTERVAL),
        same,
        lacking,
        len(raters),
        "bootstrap over raters",
    )


def _as_shown(label: Any, presentations: NDArray[Any], judged: Floats) -> list[int]:
    """The presentations under a label that somebody judged, in the order in which it names them."""
    there = np.flatnonzero((~np.isnan(judged)).any(axis=1)).tolist()
    named = isinstance(label, str) and presentations.dtype.kind == "U"
    at = {place: label.find(presentations[place]) if named else -1 for place in there}
    return sorted(there, key=lambda place: (at[place] < 0, at[place], place))


def _named(given: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Names and the code of each judgment (N,), -1 where it has none."""
    if given.dtype.kind == "O":
        given = np.array(["" if each is None else str(each) for each in given])
    names, code = np.unique(given, return_inverse=True)
    known = names != "" if names.dtype.kind == "U" else names >= 0
    return names[known], np.where(known, np.cumsum(known) - 1, -1)[code]
