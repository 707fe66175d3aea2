"""One measure, two groups: how far they agree on the items, and whether one rates higher.

Everything closed comes from sums per item, so `compare` (raw ratings) and `compare_sums` (a database's
reductions) share one path. Only what is drawn by chance, the bootstrap and the permutation of raters, needs
to know who rated what; above a number of items that is replaced by Fisher's z and the two-way variance,
which need sums per rater only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import atanh, exp, inf, isinf, isnan, log, nan, sqrt, tanh
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from analysis.correlation.ranks import midranks
from analysis.correlation.rows import kendall_rows, pearson_rows, spearman_rows
from analysis.correlation.two_columns import Correlation, kendall, pearson, spearman, strength, why_undefined
from analysis.crowd_vs_lab.variance_components import (
    ItemPairs,
    RaterPulls,
    TwoWay,
    correlation_variance,
    pair_up,
    stride,
    two_way,
)
from analysis.distributions.distribution import Description, describe_means
from analysis.resampling.pigeonhole import (
    Draws,
    Side,
    numbers_side,
    permuted_differences,
    pigeonhole,
    shaped_interval,
    side,
    two_way_variance,
)
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.p_values import ALTERNATIVES, Alternative, student_p
from analysis.values.ratings import Ratings
from analysis.values.whole_numbers import settle

Floats = NDArray[np.float64]
Test = Literal["raters", "Mann-Whitney", "Wilcoxon"]
TESTS: tuple[Test, ...] = ("raters", "Mann-Whitney", "Wilcoxon")

FEWEST_FOR_INTERVAL = 5
"""Below this many shared items a resampled interval would mostly repeat one item."""


@dataclass(frozen=True)
class ComparisonSpec:
    """What is asked of a comparison.

    Parameters
    ----------
    alternative : of the p values of differences: "less" and "greater" are about candidate against reference
    bootstrap : draws (0: no intervals), seed, level
    permutations : of raters' group labels (0: no such test)
    raters_are_persons : False where rater ids are only slots; then chance over raters is not accounted for
    most_items_drawn : above this many shared items, intervals and the raters' test are analytic

    Raises
    ------
    InputError
        where a value is not allowed.

    Notes
    -----
    Takes no arrays such as (n,). Source: methods, sections 0 and 1.
    """

    alternative: Alternative = "two-sided"
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    permutations: int = 1999
    raters_are_persons: bool = True
    most_items_drawn: int = 5000

    def __post_init__(self) -> None:
        if self.alternative not in ALTERNATIVES:
            raise InputError(
                f"`alternative` must be one of {', '.join(ALTERNATIVES)}, got {self.alternative!r}"
            )
        for name in ("permutations", "most_items_drawn"):
            if getattr(self, name) < 0:
                raise InputError(f"`{name}` must be 0 or more, got {getattr(self, name)}")


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
        """The p under one alternative, a number, not an array (n,).

        Raises
        ------
        Never.

        Notes
        -----
        Source: methods, section 1.
        """
        return {"two-sided": self.two_sided, "less": self.less, "greater": self.greater}[alternative]


@dataclass(frozen=True)
class Comparison:
    """Every figure of candidate against reference on one measure, over the items that both rated.

    Parameters
    ----------
    spec : what was asked
    candidate, reference : the groups on the shared items
    items_shared, left_out_candidate, left_out_reference : numbers of items: rated by both, by one group only
    spearman, pearson, kendall : correlations of the MOS with intervals; `…_p`: of no correlation, two-sided
    strength : Spearman's rho in a word
    rmse : root mean squared difference of MOS, on the scale of the ratings
    mean_difference : candidate minus reference
    limit_low, limit_high : limits of agreement, between which 95 % of items' differences lie (Bland-Altman)
    rater_tails : p by raters; `rater_test` names the test and what it may not tell
    u, u_tails : Mann-Whitney U of the candidate (pairs of items in which the candidate is higher, ties half)
    rank_biserial : 2 U / (n n) - 1, from -1 to 1, positive where the candidate is higher
    wilcoxon, wilcoxon_tails : sum of the ranks of the differences in which the candidate is higher, and its p
    interval_method : how the intervals were made, in words
    reasons : sentences on what is undefined and why

    Notes
    -----
    Mann-Whitney and Wilcoxon hold for these raters only. Item arrays (n,) are not kept: results are cached.
    Source: Iskender et al. 2020, section 4.1 and Table 1; methods: section 1.
    """

    spec: ComparisonSpec
    candidate: Description
    reference: Description
    items_shared: int
    left_out_candidate: int
    left_out_reference: int
    spearman: Estimate
    spearman_p: float
    pearson: Estimate
    pearson_p: float
    kendall: Estimate
    kendall_p: float
    strength: str
    rmse: Estimate
    mean_difference: Estimate
    limit_low: Estimate
    limit_high: Estimate
    rater_tails: Tails
    rater_test: str
    u: float
    u_tails: Tails
    rank_biserial: float
    wilcoxon: float
    wilcoxon_tails: Tails
    interval_method: str
    reasons: tuple[str, ...]

    @property
    def rater_p(self) -> float:
        """p of the test by raters under the spec's alternative."""
        return self.rater_tails.of(self.spec.alternative)

    @property
    def u_p(self) -> float:
        """p of Mann-Whitney U under the spec's alternative."""
        return self.u_tails.of(self.spec.alternative)

    @property
    def wilcoxon_p(self) -> float:
        """p of the paired Wilcoxon test under the spec's alternative."""
        return self.wilcoxon_tails.of(self.spec.alternative)

    def tails(self, test: Test) -> Tails:
        """All p of one of the three tests, on the shared items (n,).

        Raises
        ------
        Never.

        Notes
        -----
        Source: methods, section 1.
        """
        return {"raters": self.rater_tails, "Mann-Whitney": self.u_tails, "Wilcoxon": self.wilcoxon_tails}[
            test
        ]


@dataclass(frozen=True)
class Flip:
    """A choice of test and tail under which the verdict on a difference would be another.

    Notes
    -----
    Of one measure's (n,) items. Source: methods, section 1 (OQ and SC in the paper's Table 1).
    """

    test: Test
    alternative: Alternative
    p: float
    significant: bool


def compare(
    candidate: Ratings,
    reference: Ratings | Mapping[Any, float],
    spec: ComparisonSpec | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> Comparison:
    """Candidate against reference on one measure: every figure of section 1 of the methods.

    Parameters
    ----------
    candidate : ratings of n items
    reference : another group's ratings, or one number per item (NaN: none); items enter as MOS (n,) each
    spec : alternative, bootstrap, permutations; the default if absent
    on_progress : called between blocks with the share done; what it raises stops the work

    Returns
    -------
    Comparison
        over the items in both; what is undefined is NaN with a reason.

    Raises
    ------
    InputError
        where the item ids of both sides are of different kinds, or a number is infinite.

    Notes
    -----
    Answers: would the cheaper group have told the same as the other? Not whether either is right.
    The correlation meant is that between the MOS of such groups, of this many ratings per item, over all
    items such as these: more ratings would raise it.
    Intervals: the pigeonhole bootstrap's shape, centred on the estimate, as wide as the two-way variance
    says (`analysis.resampling.pigeonhole`); above `spec.most_items_drawn` items analytic. The mean difference takes its
    variance from `analysis.crowd_vs_lab.variance_components` in both cases.
    Source: Iskender et al. 2020, sections 4 and 4.1; methods: sections 0 and 1.

    >>> crowd = Ratings(list("aabbccdd"), [1, 2] * 4, [5, 4, 3, 4, 2, 2, 1, 2])
    >>> found = compare(crowd, {"a": 4.0, "b": 3.1, "c": 3.0, "d": 1.5, "e": 2.0})
    >>> found.spearman.value, round(found.mean_difference.value, 3), found.left_out_reference
    (1.0, -0.025, 1)
    """
    spec = spec or ComparisonSpec()
    candidate, reference = _ids_of_one_kind(candidate, reference)
    pairs, pulls = pair_up(candidate, reference)
    shared = pairs.shared()
    n = len(shared.item)
    if n > spec.most_items_drawn:
        return _compared(pairs, pulls, spec, None, on_progress, analytic=True)
    if n < FEWEST_FOR_INTERVAL or not (spec.bootstrap.draws or spec.permutations):
        return _compared(pairs, pulls, spec, None, on_progress, analytic=False)
    other = (
        side(reference, shared.item) if isinstance(reference, Ratings) else numbers_side(shared.sum_reference)
    )
    return _compared(pairs, pulls, spec, (side(candidate, shared.item), other), on_progress, analytic=False)


def compare_sums(pairs: ItemPairs, pulls: RaterPulls, spec: ComparisonSpec | None = None) -> Comparison:
    """As `compare`, from sums per item and per rater, with analytic intervals whatever the number of items.

    Parameters
    ----------
    pairs : (n,) sums per item rated by either group
    pulls : (r,) sums per group and rater over the shared items
    spec : alternative and level; its draws and permutations are not used

    Returns
    -------
    Comparison
        its closed figures equal those of `compare`.

    Raises
    ------
    InputError
        where a column's length differs from the others'.

    Notes
    -----
    Answers: the same for millions of ratings. Not for a few items: draw intervals from the ratings.
    Raters are counted on the items that the pulls rest on, which are fewer above 40,000 shared items.
    Correlations: Fisher's z, its variance (Bonett & Wright's for rho, .437 / (n - 4) for tau) plus what raters
    add to that of Pearson's r, in proportion.
    Source: Iskender et al. 2020, section 4.1; Bonett & Wright 2000; Owen 2007; methods: section 0.
    """
    return _compared(pairs, pulls, spec or ComparisonSpec(), None, None, analytic=True)


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


def verdict_flips(comparison: Comparison, threshold: float = 0.05) -> tuple[Flip, ...]:
    """Other choices of test or tail that would turn the verdict on the mean difference.

    Parameters
    ----------
    comparison : of one measure over (n,) items
    threshold : p below it is called significant

    Returns
    -------
    tuple of Flip
        against the test by raters (Mann-Whitney where that is undefined) under the spec's alternative. Of the
        one-sided tails only the one that follows the data is considered. Empty if all agree.

    Raises
    ------
    Never.

    Notes
    -----
    Answers: does what I conclude hang on a choice of mine? Source: methods, section 1.
    """
    difference = comparison.mean_difference.value
    following: Alternative = "greater" if difference > 0 else "less"
    base: Test = "Mann-Whitney" if isnan(comparison.rater_p) else "raters"
    verdict = comparison.tails(base).of(comparison.spec.alternative) < threshold
    flips = []
    for test in TESTS:
        for alternative in ("two-sided", following):
            p = comparison.tails(test).of(alternative)
            if not isnan(p) and (p < threshold) != verdict:
                flips.append(Flip(test, alternative, p, p < threshold))
    return tuple(flips)


def _compared(
    pairs: ItemPairs,
    pulls: RaterPulls,
    spec: ComparisonSpec,
    sides: tuple[Side, Side] | None,
    on_progress: Callable[[float], object] | None,
    analytic: bool,
) -> Comparison:
    shared = pairs.shared()
    n = len(shared.item)
    x, y = (
        settle(shared.sum_candidate / shared.n_candidate),
        settle(shared.sum_reference / shared.n_reference),
    )
    level = spec.bootstrap.level
    persons = pulls if spec.raters_are_persons else pulls.none()
    error = two_way(shared, persons) if n > 1 else None
    correlations = spearman(x, y, level=level), pearson(x, y, level=level), kendall(x, y, level=level)
    u, u_tails = _mann_whitney(x, y)
    wilcoxon, wilcoxon_tails = _wilcoxon(x, y)
    rater_tails, rater_test = _by_raters(x, y, error, spec, sides, on_progress, analytic)
    if sides is not None and spec.bootstrap.draws:
        intervals, method = _drawn_intervals(x, y, correlations, error, spec, sides, on_progress)
    elif analytic:
        by_raters = correlation_variance(shared, persons)
        intervals, method = _analytic_intervals(x, y, correlations, error, by_raters, spec)
    else:
        intervals, method = _bare(x, y, correlations), _why_no_intervals(n)
    limits = _limits_of_agreement(x - y, level)
    reasons = [why_undefined(x, y), error.reason if error is not None else ""]
    reasons.append("" if rater_tails.defined else f"the test by raters is undefined: {rater_test}")
    return Comparison(
        spec=spec,
        candidate=describe_means(x, shared.n_candidate, len(pulls.of(True).rater)),
        reference=describe_means(y, shared.n_reference, len(pulls.of(False).rater)),
        items_shared=n,
        left_out_candidate=int(((pairs.n_candidate > 0) & (pairs.n_reference == 0)).sum()),
        left_out_reference=int(((pairs.n_reference > 0) & (pairs.n_candidate == 0)).sum()),
        spearman=intervals[0],
        spearman_p=correlations[0].p,
        pearson=intervals[1],
        pearson_p=correlations[1].p,
        kendall=intervals[2],
        kendall_p=correlations[2].p,
        strength=strength(correlations[0].estimate.value),
        rmse=intervals[3],
        mean_difference=intervals[4],
        limit_low=limits[0],
        limit_high=limits[1],
        rater_tails=rater_tails,
        rater_test=rater_test,
        u=u,
        u_tails=u_tails,
        rank_biserial=2 * u / n**2 - 1 if n else nan,
        wilcoxon=wilcoxon,
        wilcoxon_tails=wilcoxon_tails,
        interval_method=method,
        reasons=tuple(dict.fromkeys(reason for reason in reasons if reason)),
    )


def _by_raters(
    x: Floats,
    y: Floats,
    error: TwoWay | None,
    spec: ComparisonSpec,
    sides: tuple[Side, Side] | None,
    on_progress: Callable[[float], object] | None,
    analytic: bool,
) -> tuple[Tails, str]:
    if not spec.raters_are_persons:
        return Tails(), "rater ids are only slots, no persons"
    if error is None:
        return Tails(), f"it needs at least 2 shared items; there are {len(x)}"
    difference = float((x - y).mean())
    if analytic or (sides is not None and not sides[1].raters.size):
        if error.reason:
            return Tails(), error.reason
        if error.error == 0:
            return Tails(), "all differences are equal, so chance has no size"
        t = difference / error.error
        p = [student_p(t, error.degrees, alternative) for alternative in ALTERNATIVES]
        return Tails(*p), "t test on the two-way variance over items and raters"
    if sides is None or not spec.permutations:
        return Tails(), "it was not drawn" if len(x) >= FEWEST_FOR_INTERVAL else _why_no_intervals(len(x))
    drawn = permuted_differences(*sides, spec.permutations, spec.bootstrap.seed, _part(on_progress, 0.0, 0.2))
    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size:
        return Tails(), "there are too few raters to exchange their labels"
    dust = 1e-10 * max(float(np.abs(x).max()), float(np.abs(y).max()), 1e-300)
    as_far = (
        np.abs(drawn) >= abs(difference) - dust,
        drawn <= difference + dust,
        drawn >= difference - dust,
    )
    two_sided, less, greater = ((int(far.sum()) + 1) / (drawn.size + 1) for far in as_far)
    words = f"raters' group labels permuted {drawn.size} times (seed {spec.bootstrap.seed})"
    return Tails(two_sided, less, greater), words


def _drawn_intervals(
    x: Floats,
    y: Floats,
    correlations: tuple[Correlation, ...],
    error: TwoWay | None,
    spec: ComparisonSpec,
    sides: tuple[Side, Side],
    on_progress: Callable[[float], object] | None,
) -> tuple[list[Estimate], str]:
    n, level = len(x), spec.bootstrap.level
    draws = pigeonhole(
        *sides, _statistics, spec.bootstrap, spec.raters_are_persons, _part(on_progress, 0.2, 1.0)
    )
    raters = len(sides[0].raters) + len(sides[1].raters)
    found = []
    for row, bare in enumerate(_bare(x, y, correlations)):
        if not bare.defined:
            found.append(bare)
            continue
        forth, back = _SCALES[row]
        value = forth(bare.value)
        if isinf(value):
            found.append(
                replace(bare, reason="the agreement is perfect, which leaves no room for an interval")
            )
            continue
        if row == _MEAN:
            assert error is not None
            variance, degrees = error.error**2, error.degrees
        else:
            variance, degrees = two_way_variance(_held(draws, row, value, n), row, n, raters, row in _RANKS)
        low, high = shaped_interval(value, draws.both[row], variance, degrees, level)
        reason = "too many draws leave it undefined" if isnan(low) else ""
        found.append(Estimate(bare.value, back(low), back(high), n, reason))
    return found, _drawn_method(spec, bool(sides[1].raters.size))


def _analytic_intervals(
    x: Floats,
    y: Floats,
    correlations: tuple[Correlation, ...],
    error: TwoWay | None,
    by_raters: float,
    spec: ComparisonSpec,
) -> tuple[list[Estimate], str]:
    bare = _bare(x, y, correlations)
    # What raters add is known for Pearson's r; ranks are taken to gain as much in proportion.
    widen = sqrt(1 + by_raters * max(len(x) - 3, 0))
    found = [_widened(correlation.estimate, widen) for correlation in correlations]
    rmse, difference = bare[3], bare[4]
    if error is None:
        return [*found, rmse, difference], _why_no_intervals(len(x))
    n, tail = len(x), (1 + spec.bootstrap.level) / 2
    half = float(special.stdtrit(error.degrees, tail)) * error.error
    if rmse.value > 0:
        mse = rmse.value**2
        # Delta method on log RMSE: chance over items, plus what raters do to it through the mean difference.
        variance = float(((x - y) ** 2).var(ddof=1)) / n + 4 * difference.value**2 * error.raters
        factor = exp(float(special.ndtri(tail)) * sqrt(variance) / (2 * mse))
        rmse = replace(rmse, low=rmse.value / factor, high=rmse.value * factor)
    difference = replace(difference, low=difference.value - half, high=difference.value + half)
    over = "items and raters" if spec.raters_are_persons else "items only, as rater ids are slots"
    return [*found, rmse, difference], (
        f"analytic, over {over}: Fisher's z for correlations, Student's t for the mean difference, the delta "
        f"method for RMSE, each with what raters add to the variance{_read_off(n)}"
    )


def _read_off(items: int) -> str:
    return "" if stride(items) == 1 else f" (read off 1 item of {stride(items)})"


def _widened(estimate: Estimate, factor: float) -> Estimate:
    """The interval stretched on Fisher's z."""
    if isnan(estimate.low):
        return estimate
    z = atanh(estimate.value)
    low, high = (tanh(z + factor * (atanh(end) - z)) for end in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high)


def _bare(x: Floats, y: Floats, correlations: tuple[Correlation, ...]) -> list[Estimate]:
    """Spearman, Pearson, Kendall, RMSE and mean difference without their intervals."""
    n = len(x)
    found = [replace(each.estimate, low=nan, high=nan) for each in correlations]
    if n == 0:
        none = Estimate(nan, reason="no item was rated by both sides")
        return [*found, none, none]
    difference = x - y
    rmse = float(np.sqrt((difference**2).mean()))
    return [*found, Estimate(rmse, n=n), Estimate(float(difference.mean()), n=n)]


def _statistics(x: Floats, y: Floats) -> Floats:
    """The five figures on their scales, (5, b), of item means (b, n) and (b, n)."""
    x, y = settle(x), settle(y)
    difference = x - y
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.arctanh(np.vstack([spearman_rows(x, y), pearson_rows(x, y), kendall_rows(x, y)]))
        present = ~np.isnan(difference)
        known = np.where(present, difference, 0.0)
        n = present.sum(axis=1)
        rmse = np.log(np.einsum("ij,ij->i", known, known) / n) / 2
        return np.vstack([z, rmse, known.sum(axis=1) / n])


def _forth_z(r: float) -> float:
    return atanh(r) if abs(r) < 1 - 1e-12 else inf


def _forth_log(value: float) -> float:
    return log(value) if value > 0 else inf


def _same(value: float) -> float:
    return value


_SCALES: tuple[tuple[Callable[[float], float], Callable[[float], float]], ...] = (
    (_forth_z, tanh),
    (_forth_z, tanh),
    (_forth_z, tanh),
    (_forth_log, exp),
    (_same, _same),
)
_RANKS, _RMSE, _MEAN = (0, 2), 3, 4


def _held(draws: Draws, row: int, value: float, n: int) -> Draws:
    """Draws of a correlation held within six standard errors beyond the estimate: with few items some draws
    repeat three of them, correlate perfectly, and would be infinite on Fisher's z."""
    if row >= _RMSE:
        return draws
    most = abs(value) + 6 / sqrt(n - 3)
    for kind in (draws.both, draws.items, draws.raters, draws.ratings):
        np.clip(kind[row], -most, most, out=kind[row])
    return draws


def _drawn_method(spec: ComparisonSpec, rated_reference: bool) -> str:
    told = f"{spec.bootstrap.draws} draws, seed {spec.bootstrap.seed}"
    if not spec.raters_are_persons:
        return f"bootstrap of items only, as rater ids are slots ({told}), centred on the estimate"
    raters = "raters of each group" if rated_reference else "the candidate's raters"
    return (
        f"bootstrap of items and {raters} ({told}), centred on the estimate, as wide as the variance over "
        "items and raters"
    )


def _why_no_intervals(n: int) -> str:
    if n < FEWEST_FOR_INTERVAL:
        return f"intervals and resampling need at least {FEWEST_FOR_INTERVAL} shared items; there are {n}"
    return "no intervals were asked for"


def _mann_whitney(x: Floats, y: Floats) -> tuple[float, Tails]:
    n = len(x)
    if n == 0:
        return nan, Tails()
    both = np.concatenate([x, y])
    u = float(midranks(both[None])[0, :n].sum()) - n * (n + 1) / 2
    ties = np.unique(both, return_counts=True)[1].astype(np.float64)
    return u, mann_whitney_p(u, n, n, float((ties**3 - ties).sum()))


_MOST_EXACT = 50
"""Up to this many items scipy takes the exact distribution of Wilcoxon's sum where there are no ties."""


def _wilcoxon(x: Floats, y: Floats) -> tuple[float, Tails]:
    difference = settle(x - y)
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


def _limits_of_agreement(difference: Floats, level: float) -> tuple[Estimate, Estimate]:
    n = len(difference)
    if n < 2:
        none = Estimate(nan, n=n, reason=f"limits of agreement need at least 2 shared items; there are {n}")
        return none, none
    centre, sd, z = float(difference.mean()), float(difference.std(ddof=1)), 1.96
    error = sd * sqrt(1 / n + z * z / (2 * (n - 1)))
    half = float(special.stdtrit(n - 1, (1 + level) / 2)) * error
    low, high = centre - z * sd, centre + z * sd
    return Estimate(low, low - half, low + half, n), Estimate(high, high - half, high + half, n)


def _ids_of_one_kind(
    candidate: Ratings, reference: Ratings | Mapping[Any, float]
) -> tuple[Ratings, Ratings | Mapping[Any, float]]:
    """Rater ids of both groups comparable with each other: as text where one side has text."""
    if not isinstance(reference, Ratings) or candidate.rater.dtype.kind == reference.rater.dtype.kind:
        return candidate, reference
    first, second = (Ratings(g.item, g.rater.astype(str), g.score, g.order) for g in (candidate, reference))
    return first, second


def _part(
    on_progress: Callable[[float], object] | None, start: float, end: float
) -> Callable[[float], object] | None:
    if on_progress is None:
        return None
    return lambda done: on_progress(start + (end - start) * done)
