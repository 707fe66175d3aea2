"""Comparison of two groups of raters on one measure: agreement on the items, and difference of level.

Figures come from sums per item, so that `compare` (raw ratings) and `compare_sums` (sums from a database) share one
path. Only the bootstrap and the permutation of raters need single ratings; for many items they are replaced by
Fisher's z and the two-way variance, which need sums per rater only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np

from analysis.comparison.clusters import (
    NO_BELONGING,
    Belonging,
    SystemCorrelations,
    correlate_systems,
    find_clusters,
)
from analysis.comparison.comparison_intervals import (
    FEWEST_FOR_INTERVAL,
    analytic_intervals,
    bootstrap_intervals,
    figures_without_intervals,
    limits_of_agreement,
    no_intervals_reason,
)
from analysis.comparison.level_tests import (
    TESTS,
    Equivalence,
    Tails,
    Test,
    equivalence,
    level_tails,
    mann_whitney,
    permutation_test,
    same_scale,
    slope_of_difference,
    wilcoxon,
)
from analysis.comparison.true_scores import (
    COLUMN,
    MANY,
    SharedSums,
    TrueScores,
    true_scores,
    true_scores_from_sums,
    undefined_true_scores,
)
from analysis.comparison.variance_components import (
    ItemPairs,
    RaterInfluence,
    concordance_variance,
    correlation_variance,
    estimate_two_way_variance,
    summarize_pairs,
)
from analysis.correlation.two_columns import kendall, pearson, spearman, strength, undefined_reason
from analysis.resampling.intervals import scale_progress
from analysis.resampling.pigeonhole import RatingMatrix, rating_matrix, unrated_matrix
from analysis.values.distributions import Description, describe_means
from analysis.values.estimate import (
    ALTERNATIVES,
    Alternative,
    BootstrapSpec,
    Estimate,
    InputError,
    OnProgress,
    Scope,
    chosen_scope,
)
from analysis.values.ratings import Ratings, settle


@dataclass(frozen=True)
class ComparisonSpec:
    """Settings of a comparison.

    Parameters
    ----------
    alternative : of the p values of differences: "less" and "greater" are about candidate against reference
    bootstrap : draws (0: no intervals), seed, level
    permutations : of raters' group labels (0: no such test)
    raters_are_persons : False where rater ids are only slots; the variance over raters is then ignored
    most_items_drawn : above this many shared items, intervals are analytic
    margin : of the equivalence test, in scale points; None: 0.25 of the SD of all single reference ratings
    scope : of intervals and of the test of level; None: raters like these if each group has 6 or more, else these

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
    margin: float | None = None
    scope: Scope | None = "raters like these"

    def __post_init__(self) -> None:
        if self.alternative not in ALTERNATIVES:
            raise InputError(
                f"`alternative` must be one of {', '.join(ALTERNATIVES)}, got {self.alternative!r}"
            )
        for name in ("permutations", "most_items_drawn"):
            if getattr(self, name) < 0:
                raise InputError(f"`{name}` must be 0 or more, got {getattr(self, name)}")
        if self.margin is not None and not 0 < self.margin < inf:
            raise InputError(f"`margin` must be above 0, got {self.margin}")
        chosen_scope(self.scope, 0)


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
    limit_low, limit_high : limits of agreement, between which 95% of items' differences lie (Bland-Altman)
    concordance : Lin's concordance correlation: 1 where both sides give every item the same
    equivalence : two one-sided tests of the mean difference against a margin
    same_scale : False where the reference is a column of numbers that cannot be on the scale of the ratings
    slope : of the difference on the mean of both MOS (Bland-Altman), as it is: unequal numbers of ratings alone tilt it
    true_scores : spread, reliability, ceiling and corrected correlation without the chance in the means
    systems : correlations of both sides' means of systems
    clusters : what items hang on and was drawn in their place, or why not, in words; "" where they hang on nothing
    raters_worth : how many raters of equal shares those of candidate and reference are worth; NaN where nobody rated
    few : what so few raters can tell, "" where they are enough
    rater_tails : p by raters, from the model of the mean difference's interval; `rater_test` names the test, or why
        there is none
    permuted_tails : p by exchange of the raters' labels, where everybody rated everything; `permuted_test` likewise
    u, u_tails : Mann-Whitney U of the candidate (pairs of items in which the candidate is higher, ties half)
    rank_biserial : 2 U / (n n) - 1, from -1 to 1, positive where the candidate is higher
    wilcoxon, wilcoxon_tails : sum of the ranks of the differences in which the candidate is higher, and its p
    interval_method : how the intervals were made, in words
    reasons : sentences on what is undefined and why
    scope : of the intervals, the equivalence test and `level_tails`; figures of true scores are of raters like these
    item_tails : p by items, from the model of the mean difference's interval for these raters; `item_test` likewise

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
    concordance: Estimate
    equivalence: Equivalence
    slope: float
    true_scores: TrueScores
    systems: SystemCorrelations
    clusters: str
    raters_worth: tuple[float, float]
    same_scale: bool
    few: str
    rater_tails: Tails
    rater_test: str
    permuted_tails: Tails
    permuted_test: str
    u: float
    u_tails: Tails
    rank_biserial: float
    wilcoxon: float
    wilcoxon_tails: Tails
    interval_method: str
    reasons: tuple[str, ...]
    scope: Scope = "raters like these"
    item_tails: Tails = field(default_factory=Tails)
    item_test: str = ""

    @property
    def level_tails(self) -> Tails:
        """p of the test of level in the scope of the intervals."""
        return self.rater_tails if self.scope == "raters like these" else self.item_tails

    @property
    def level_test(self) -> str:
        """Name of that test, or why there is none."""
        return self.rater_test if self.scope == "raters like these" else self.item_test

    @property
    def level_p(self) -> float:
        """p of that test under the spec's alternative."""
        return self.level_tails.of(self.spec.alternative)

    @property
    def rater_p(self) -> float:
        """p of the test by raters under the spec's alternative."""
        return self.rater_tails.of(self.spec.alternative)

    @property
    def permuted_p(self) -> float:
        """p by exchange of the raters' labels under the spec's alternative."""
        return self.permuted_tails.of(self.spec.alternative)

    @property
    def u_p(self) -> float:
        """p of Mann-Whitney U under the spec's alternative."""
        return self.u_tails.of(self.spec.alternative)

    @property
    def wilcoxon_p(self) -> float:
        """p of the paired Wilcoxon test under the spec's alternative."""
        return self.wilcoxon_tails.of(self.spec.alternative)

    def tails(self, test: Test) -> Tails:
        """All p of one of the tests, on the shared items (n,)."""
        return {
            "raters": self.rater_tails,
            "items": self.item_tails,
            "Mann-Whitney": self.u_tails,
            "Wilcoxon": self.wilcoxon_tails,
        }[test]


@dataclass(frozen=True)
class OrderSummary:
    """Spearman's rho of both sides, with the field names of `Comparison`."""

    spearman: Estimate
    strength: str
    items_shared: int


@dataclass(frozen=True)
class Flip:
    """Choice of test and tail that changes the verdict on a difference."""

    test: Test
    alternative: Alternative
    p: float
    significant: bool


def compare(
    candidate: Ratings,
    reference: Ratings | Mapping[Any, float],
    spec: ComparisonSpec | None = None,
    on_progress: OnProgress = None,
    belonging: Belonging = NO_BELONGING,
    merged: tuple[Ratings, Ratings] | None = None,
) -> Comparison:
    """Compare candidate and reference on one measure: every figure of section 1 of the methods.

    Parameters
    ----------
    candidate : ratings of n items
    reference : another group's ratings, or one number per item (NaN: none); items enter as MOS (n,) each
    spec : alternative, bootstrap, permutations; the default if absent
    on_progress : called between blocks with the share done; what it raises stops the work
    belonging : the system and the topic of items: where there are 8 or more, intervals draw those with all their items
    merged : both groups with one rating per rater and item, for the figures of true scores, where raters rated items
        more than once

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
    Does not say whether either is right. The correlation is that between the MOS of such groups, of this many ratings
    per item, over all items such as these: more ratings would raise it. Scope: these raters (items random), or raters
    like these (items and raters of both groups random), for which the group with fewer raters counts. Intervals: the
    pigeonhole bootstrap's shape, centered on the estimate, as wide as the two-way variance says
    (`analysis.resampling.pigeonhole`); above `spec.most_items_drawn` items analytic. The mean difference takes its
    variance from `analysis.comparison.variance_components` in both cases.
    Source: Iskender et al. 2020, sections 4 and 4.1; methods: sections 0 and 1.

    >>> crowd = Ratings(list("aabbccdd"), [1, 2] * 4, [5, 4, 3, 4, 2, 2, 1, 2])
    >>> compared = compare(crowd, {"a": 4.0, "b": 3.1, "c": 3.0, "d": 1.5, "e": 2.0})
    >>> compared.spearman.value, round(compared.mean_difference.value, 3), compared.left_out_reference
    (1.0, -0.025, 1)
    """
    spec = spec or ComparisonSpec()
    candidate, reference = _match_id_types(candidate, reference)
    pairs, influence = summarize_pairs(candidate, reference)
    shared = pairs.shared()
    n = len(shared.item)
    analytic = n > spec.most_items_drawn
    needs_samples = (
        not analytic and n >= FEWEST_FOR_INTERVAL and bool(spec.bootstrap.draws or spec.permutations)
    )
    sides = None
    if needs_samples:
        other = (
            rating_matrix(reference, shared.item)
            if isinstance(reference, Ratings)
            else unrated_matrix(shared.sum_reference)
        )
        sides = rating_matrix(candidate, shared.item), other
    true_score_figures = undefined_true_scores(COLUMN)
    if isinstance(reference, Ratings):
        true_score_figures = true_scores(
            *(merged or (candidate, reference)),
            shared.item,
            find_clusters(belonging.of(shared.item)).codes,
            spec.raters_are_persons,
            analytic or bool(needs_samples and spec.bootstrap.draws),
            spec.bootstrap.level,
            spec.bootstrap.seed,
            on_progress if analytic else None,
        )
    return _compare(pairs, influence, spec, sides, on_progress, analytic, true_score_figures, belonging)


def summarize_order(pairs: ItemPairs) -> OrderSummary:
    """Compute Spearman's rho from sums per item (n,) without an interval, which is fast for very many items.

    Source: methods: section 1.
    """
    shared = pairs.shared()
    mos = settle(np.stack([shared.mos_candidate, shared.mos_reference]))
    rho = spearman(*mos).estimate
    return OrderSummary(replace(rho, low=nan, high=nan), strength(rho.value), len(shared.item))


def compare_sums(
    pairs: ItemPairs,
    influence: RaterInfluence,
    spec: ComparisonSpec | None = None,
    belonging: Belonging = NO_BELONGING,
    shared_ratings: tuple[Ratings, Ratings] | SharedSums | None = None,
    on_progress: OnProgress = None,
) -> Comparison:
    """Compare candidate and reference as `compare`, from sums per item and per rater, with analytic intervals.

    Parameters
    ----------
    pairs : (n,) sums per item rated by either group
    influence : (r,) sums per group and rater over the shared items
    spec : alternative and level; its draws and permutations are not used
    belonging : the system and the topic of items
    shared_ratings : ratings of candidate and reference, or sums of them, for figures of true scores
    on_progress : called between blocks with the share done; what it raises stops the work

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
    For millions of ratings; for few items use bootstrap intervals. Raters' sums are over a sample of the items above
    40,000 shared items. Correlations: Fisher's z, with its variance (Bonett & Wright's for rho, with ties for tau) plus
    that due to raters, which is proportional to that of Pearson's r.
    Source: Iskender et al. 2020, section 4.1; Bonett & Wright 2000; Owen 2007; methods: section 0.
    """
    spec = spec or ComparisonSpec()
    true_score_figures = undefined_true_scores(MANY if len(influence.of(False).rater) else COLUMN)
    if shared_ratings is not None:
        items = pairs.shared().item
        clusters = find_clusters(belonging.of(items)).codes
        persons, level, seed = spec.raters_are_persons, spec.bootstrap.level, spec.bootstrap.seed
        if isinstance(shared_ratings, SharedSums):
            true_score_figures = true_scores_from_sums(
                shared_ratings, clusters, persons, level, seed, on_progress
            )
        else:
            true_score_figures = true_scores(
                *shared_ratings, items, clusters, persons, True, level, seed, on_progress
            )
    return _compare(pairs, influence, spec, None, None, True, true_score_figures, belonging)


def verdict_flips(comparison: Comparison, threshold: float = 0.05) -> tuple[Flip, ...]:
    """Find other choices of test or tail that would change the verdict on the mean difference.

    Parameters
    ----------
    comparison : of one measure over (n,) items
    threshold : p below it is called significant

    Returns
    -------
    tuple of Flip
        against the test of level in its scope (Mann-Whitney where undefined) under the spec's alternative. Of the
        one-sided tails only the one that follows the data is considered. Empty if all agree.

    Notes
    -----
    Source: methods, section 1.
    """
    difference = comparison.mean_difference.value
    following: Alternative = "greater" if difference > 0 else "less"
    of_scope: Test = "raters" if comparison.scope == "raters like these" else "items"
    base: Test = "Mann-Whitney" if isnan(comparison.level_p) else of_scope
    verdict = comparison.tails(base).of(comparison.spec.alternative) < threshold
    flips = []
    for test in TESTS:
        for alternative in ("two-sided", following):
            p = comparison.tails(test).of(alternative)
            if not isnan(p) and (p < threshold) != verdict:
                flips.append(Flip(test, alternative, p, p < threshold))
    return tuple(flips)


def _compare(
    pairs: ItemPairs,
    influence: RaterInfluence,
    spec: ComparisonSpec,
    sides: tuple[RatingMatrix, RatingMatrix] | None,
    on_progress: OnProgress,
    analytic: bool,
    true_score_figures: TrueScores,
    belonging: Belonging,
) -> Comparison:
    shared = pairs.shared()
    n = len(shared.item)
    belonging = belonging.of(shared.item)
    clusters = find_clusters(belonging)
    mos_candidate, mos_reference = settle(np.stack([shared.mos_candidate, shared.mos_reference]))
    level = spec.bootstrap.level
    raters = [len(influence.of(side).rater) for side in (True, False)]
    scope = chosen_scope(spec.scope, min(filter(None, raters), default=0), spec.raters_are_persons)
    over_raters = scope == "raters like these"
    counted_influence = influence if over_raters else influence.without_rows()
    item_variance, rater_variance = (
        estimate_two_way_variance(shared, influence_of_raters, clusters.codes) if n > 1 else None
        for influence_of_raters in (influence.without_rows(), influence)
    )
    error = rater_variance if over_raters else item_variance
    ranked, linear, ordered = (
        measure(mos_candidate, mos_reference, level=level) for measure in (spearman, pearson, kendall)
    )
    correlations = ranked, linear, ordered
    u, u_tails = mann_whitney(mos_candidate, mos_reference)
    of_wilcoxon, wilcoxon_tails = wilcoxon(mos_candidate, mos_reference)
    difference = float((mos_candidate - mos_reference).mean()) if n else nan
    item_tails, item_test = level_tails(difference, item_variance, "items")
    rater_tails, rater_test = (
        level_tails(difference, rater_variance, "items and raters")
        if spec.raters_are_persons
        else (Tails(), "rater ids are only slots, no persons")
    )
    permuted_tails, permuted_test = _permutation_tails(sides, spec, scale_progress(on_progress, 0.0, 0.2))
    if sides is not None and spec.bootstrap.draws:
        report_bootstrap = scale_progress(on_progress, 0.2, 1.0)
        intervals, method = bootstrap_intervals(
            mos_candidate,
            mos_reference,
            correlations,
            error,
            spec.bootstrap,
            over_raters,
            sides,
            report_bootstrap,
            clusters,
        )
    elif analytic:
        rater_variances = (
            correlation_variance(shared, counted_influence),
            concordance_variance(shared, counted_influence),
        )
        intervals, method = analytic_intervals(
            mos_candidate, mos_reference, correlations, error, rater_variances, level, over_raters, clusters,
            n if influence.taken is None else len(influence.taken),
        )  # fmt: skip
    else:
        intervals, method = (
            figures_without_intervals(mos_candidate, mos_reference, correlations),
            no_intervals_reason(n),
        )
    if not spec.raters_are_persons:
        method += "; rater ids are slots"
    limits = limits_of_agreement(mos_candidate - mos_reference, error, level, clusters)
    reasons = [
        undefined_reason(mos_candidate, mos_reference)
        or ranked.estimate.reason * (not ranked.estimate.defined),
        error.reason if error is not None else "",
    ]
    if over_raters and not rater_tails.defined:
        reasons.append(f"the test by raters is undefined: {rater_test}")
    elif not item_tails.defined:
        reasons.append(f"the test by items is undefined: {item_test}")
    return Comparison(
        spec=spec,
        candidate=describe_means(mos_candidate, shared.n_candidate, len(influence.of(True).rater)),
        reference=describe_means(mos_reference, shared.n_reference, len(influence.of(False).rater)),
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
        concordance=intervals[3],
        rmse=intervals[4],
        mean_difference=intervals[5],
        limit_low=limits[0],
        limit_high=limits[1],
        equivalence=equivalence(intervals[5].value, error, spec.margin, pairs),
        slope=slope_of_difference(mos_candidate, mos_reference),
        true_scores=true_score_figures,
        systems=correlate_systems(mos_candidate, mos_reference, belonging.system, level),
        clusters=clusters.description,
        raters_worth=rater_variance.effective_raters
        if rater_variance is not None and spec.raters_are_persons
        else (nan, nan),
        same_scale=len(influence.of(False).rater) > 0 or same_scale(mos_candidate, mos_reference),
        few=error.few if error is not None else "",
        rater_tails=rater_tails,
        rater_test=rater_test,
        permuted_tails=permuted_tails,
        permuted_test=permuted_test,
        u=u,
        u_tails=u_tails,
        rank_biserial=2 * u / n**2 - 1 if n else nan,
        wilcoxon=of_wilcoxon,
        wilcoxon_tails=wilcoxon_tails,
        interval_method=method,
        reasons=tuple(dict.fromkeys(reason for reason in reasons if reason)),
        scope=scope,
        item_tails=item_tails,
        item_test=item_test,
    )


def _permutation_tails(
    sides: tuple[RatingMatrix, RatingMatrix] | None, spec: ComparisonSpec, on_progress: OnProgress
) -> tuple[Tails, str]:
    if not spec.permutations:
        return Tails(), "it was not asked for"
    if sides is None or not spec.raters_are_persons:
        return Tails(), "there are too few items, too many, or no persons to exchange labels of"
    return permutation_test(*sides, spec.permutations, spec.bootstrap.seed, on_progress)


def _match_id_types(
    candidate: Ratings, reference: Ratings | Mapping[Any, float]
) -> tuple[Ratings, Ratings | Mapping[Any, float]]:
    """Convert the rater ids of both groups to text if they are text in one group."""
    if not isinstance(reference, Ratings) or candidate.rater.dtype.kind == reference.rater.dtype.kind:
        return candidate, reference
    first, second = (Ratings(g.item, g.rater.astype(str), g.score, g.order) for g in (candidate, reference))
    return first, second
