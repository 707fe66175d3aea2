"""Tukey's honestly significant difference for repeated measures, with letters for systems that do not differ.

The test is for means over the same subjects: the error is MS_error of systems x subjects with (k - 1)(n - 1) degrees of
freedom. It differs from Tukey's test for independent groups.
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
from analysis.relevance.judgments import Judgments, encode_combinations
from analysis.relevance.metric_means import Units, add_interval, wilson_share
from analysis.resampling.intervals import ANGLE, UNIT_INTERVAL, crossed_bootstrap_counts
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio

HSD = "Tukey's HSD for repeated measures"
KRAMER = "Tukey-Kramer: each pair with its own standard error, because cells are missing"

ONE_MEAN = "there is only one mean, and nothing to compare it with"


@dataclass(frozen=True, eq=False)
class Tukey:
    """Simultaneous comparison of all pairs of k means.

    `hsd` is the least significant difference, NaN if it depends on the pair (then in `least`); `q` the critical
    value of the studentized range. Matrices (k, k), row minus column: `differences`, `low` and `high` of their
    simultaneous intervals, `p`, `least` the least significant difference, `significant`. `letters` (k,): systems
    that share a letter do not differ significantly, all others do; the best has an A. With a `reason`, all is NaN,
    nothing significant and letters are empty.
    """

    method: str
    hsd: float
    q: float
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
        """True where the test is defined."""
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
    """Test all pairs of means of conditions with the same n subjects by Tukey's honestly significant difference.

    Parameters
    ----------
    means : (k,) of the conditions
    ms_error : mean square of conditions x subjects
    n : subjects
    df_error : degrees of freedom of `ms_error`, (k - 1)(n - 1)
    level : 1 minus the familywise error rate
    variances : (k, k) of the differences of two means, instead of 2 `ms_error` / `n`, where cells are missing
    lower_is_better : True if the lowest mean (such as seconds) gets the letter A

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
    Not needed for two systems (a paired t test), and conservative for few planned comparisons. HSD = q(level; k,
    df_error) sqrt(MS_error / n); with `variances` v, q sqrt(v_ij / 2) for each pair as Tukey and Kramer did, of which
    the level is approximate. It assumes equal variances of all differences (Greenhouse-Geisser epsilon near 1).
    Source: Tukey 1953; Kramer 1956; Hobson et al. 2007, Table 1; letters: Piepho 2004 (insert and absorb); methods:
    section 6.

    >>> test = hsd([4.85, 4.72, 2.68, 1.68], 1.9678, 5, 12)
    >>> round(test.hsd, 3), test.letters
    (2.634, ('A', 'A', 'AB', 'B'))
    """
    mean = np.asarray(means, dtype=np.float64)
    _check_arguments(mean, ms_error, n, df_error, level)
    k = len(mean)
    pair_variances = (
        np.full((k, k), 2 * ms_error / n) if variances is None else _check_variances(variances, k)
    )
    method = HSD if variances is None else KRAMER
    if k < 2:
        return _undefined(method, k, level, ONE_MEAN)
    error = np.sqrt(pair_variances / 2)
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


def tukey_after_anova(
    analysed: RepeatedMeasures, level: float = 0.95, *, lower_is_better: bool = False
) -> Tukey:
    """Test all pairs of conditions of an analysis of variance or mixed model by Tukey's test.

    >>> from analysis.relevance.anova import repeated_measures_table
    >>> tukey_after_anova(repeated_measures_table([[1, 2, 7], [2, 2, 9], [1, 3, 8]])).letters
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


def _check_arguments(mean: Floats, ms_error: float, n: int, df_error: float, level: float) -> None:
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


def _check_variances(variances: ArrayLike, k: int) -> Floats:
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
"""Fewest raters for a bootstrap over raters."""
WILSON = "Wilson's over documents"
NO_PAIRS = "no rater judged the same document in both presentations"


@dataclass(frozen=True)
class SameJudgments:
    """Judgments of the same document by the same rater in two presentations under one order label.

    `share` of equal ones (its n counts documents of a rater), `same` their number; `lacking` counts those with only
    one of the two presentations; `raters` who saw both; `interval` names the method.
    """

    share: Estimate
    same: int
    lacking: int
    raters: int
    interval: str

    @property
    def changed(self) -> int:
        """Number of judgments that differ."""
        return self.share.n - self.same


@dataclass(frozen=True)
class OrderStudy:
    """Equal judgments by (order label, presentation, presentation).

    Excluded: `repeated` judgments after the first of the same document in the same presentation, and `unlabelled`
    ones, without a label or a presentation.
    """

    pairs: dict[tuple[Any, Any, Any], SameJudgments]
    repeated: int
    unlabelled: int


def same_judgments(
    judgments: Judgments, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> OrderStudy:
    """Estimate the share of equal judgments for each order label and pair of its presentations.

    Parameters
    ----------
    judgments : (N,) with order labels and presentations
    bootstrap : of the intervals, over raters if there are at least five
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    OrderStudy
        presentations of a pair in the order of the label, else in ascending order.

    Notes
    -----
    Compare the same pair between labels; a high share alone is no evidence, since raters remember. With fewer than five
    raters the interval is Wilson's over documents, for these raters.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 6, Table 11; methods, section 6.

    >>> study = same_judgments(Judgments([7] * 4, [1] * 4, [1, 1, 2, 2], ["h"] * 4, [1, 1, 1, 0],
    ...     order_label=["S1D1"] * 4, presentation=["S1", "D1"] * 2))
    >>> study.pairs["S1D1", "S1", "D1"].share.value
    0.5
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    rater_code = judgments.codes.rater
    (labels, label), (presentations, presentation_code) = (
        _encode_names(part) for part in (judgments.order_label, judgments.presentation)
    )
    rows = np.argsort(judgments.order, kind="stable")
    rows = rows[(label[rows] >= 0) & (presentation_code[rows] >= 0)]
    text, texts = encode_combinations(label[rows], rater_code[rows], judgments.codes.document[rows])
    distinct_keys, first_rows = np.unique(presentation_code[rows] * max(texts, 1) + text, return_index=True)
    first_judgments = np.full(len(presentations) * texts, nan)
    first_judgments[distinct_keys] = judgments.judgment[rows[first_rows]]
    judged = first_judgments.reshape(len(presentations), texts)
    row_of_text = rows[np.unique(text, return_index=True)[1]]

    presentation_pairs = [
        (code, first, second)
        for code, name in enumerate(labels.tolist())
        for first, second in combinations(
            _presentation_order(name, presentations, judged[:, label[row_of_text] == code]), 2
        )
    ]
    pairs = {}
    for index, (code, first, second) in enumerate(presentation_pairs):
        has_label = label[row_of_text] == code
        first_time, second_time, rater_of_text = (
            judged[first, has_label],
            judged[second, has_label],
            rater_code[row_of_text[has_label]],
        )
        key = tuple(part.item() for part in (labels[code], presentations[first], presentations[second]))
        pairs[key] = _compare_presentations(first_time, second_time, rater_of_text, spec)
        if on_progress is not None:
            on_progress((index + 1) / len(presentation_pairs))
    return OrderStudy(pairs, len(rows) - len(distinct_keys), len(rater_code) - len(rows))


def _compare_presentations(first: Floats, second: Floats, rater: Codes, spec: BootstrapSpec) -> SameJudgments:
    """Compare judgments (n,) of the same texts, NaN where missing."""
    has_both = ~np.isnan(first) & ~np.isnan(second)
    lacking = int((np.isnan(first) != np.isnan(second)).sum())
    equal, n = (first == second)[has_both], int(has_both.sum())
    raters, rater_code = np.unique(rater[has_both], return_inverse=True)
    same = int(equal.sum())
    equal_share = wilson_share(same, n, spec.level)
    if n == 0:
        return SameJudgments(replace(equal_share, reason=NO_PAIRS), 0, lacking, 0, "")
    if len(raters) < FEWEST_RATERS or spec.draws == 0:
        return SameJudgments(equal_share, same, lacking, len(raters), WILSON)
    units = Units(rater_code, np.zeros(n, dtype=np.int64), len(raters), 1, "raters")
    by_rater = np.bincount(rater_code, equal.astype(np.float64)), np.bincount(rater_code).astype(np.float64)
    weights = np.concatenate([w for w, _ in crossed_bootstrap_counts(len(raters), 1, spec.draws, spec.seed)])
    samples = ratio(weights @ by_rater[0], weights @ by_rater[1])
    estimate = Estimate(equal_share.value, n=n)
    return SameJudgments(
        add_interval(estimate, samples, units, spec, n, ANGLE, UNIT_INTERVAL),
        same,
        lacking,
        len(raters),
        "bootstrap over raters",
    )


def _presentation_order(label: Any, presentations: NDArray[Any], judged: Floats) -> list[int]:
    """Return the judged presentations under a label, in the order in which it names them."""
    judged_codes = np.flatnonzero((~np.isnan(judged)).any(axis=1)).tolist()
    is_named = isinstance(label, str) and presentations.dtype.kind == "U"
    position = {code: label.find(presentations[code]) if is_named else -1 for code in judged_codes}
    return sorted(judged_codes, key=lambda code: (position[code] < 0, position[code], code))


def _encode_names(names: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Return names and the code of each judgment (N,), -1 without a name."""
    if names.dtype.kind == "O":
        names = np.array(["" if each is None else str(each) for each in names])
    distinct, code = np.unique(names, return_inverse=True)
    is_named = distinct != "" if distinct.dtype.kind == "U" else distinct >= 0
    return distinct[is_named], np.where(is_named, np.cumsum(is_named) - 1, -1)[code]
