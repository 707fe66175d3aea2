"""Candidate against reference, measure by measure: from the store's reductions to results, cached.

Up to `LARGEST_BOOTSTRAP` shared items the ratings themselves are read and intervals drawn; above, the store's
sums per item and per rater are enough and intervals are analytic.
"""

from collections.abc import Callable, Sequence

import numpy as np

from analysis.comparison.clusters import Belonging
from analysis.comparison.comparison import (
    Comparison,
    ComparisonSpec,
    OrderAlone,
    compare,
    compare_sums,
    order_alone,
)
from analysis.comparison.true_scores import SharedSums
from analysis.comparison.true_variances import MOST_ITEMS, SideSums
from analysis.comparison.variance_components import ItemPairs
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings
from features.item_sums import (
    Subset,
    column_values,
    has_sums,
    is_large,
    item_pairs,
    rater_pulls,
    selection_of,
)
from features.results import (
    cached,
    in_any_order,
    key_of,
    long_result,
    part,
    query,
    ratings,
    read,
    result,
)
from features.study import Study

QUICK = ComparisonSpec(bootstrap=BootstrapSpec(draws=0), permutations=0, scope=None)
"""The closed figures alone: what a picture needs, at once."""


def comparison(
    study: Study,
    measure: str,
    spec: ComparisonSpec = QUICK,
    subset: Subset = None,
    on_progress: Callable[[float], object] | None = None,
) -> Comparison:
    """Every figure of one measure under a spec."""

    def compute() -> Comparison:
        if is_large(study, measure, subset):
            sums = item_pairs(study, measure, subset), rater_pulls(study, measure, subset)
            both = _both(study, measure, subset, sums[0]) if spec.bootstrap.draws else None
            return compare_sums(*sums, spec, belonging(study), both, on_progress)
        if study.reference is not None:
            candidate, reference = _both_ratings(study, measure, subset)
            merged = _both_ratings(study.between_raters, measure, subset) if study.merge is not None else None
            return compare(candidate, reference, spec, on_progress, belonging(study), merged)
        candidate = ratings(study.dataset, measure, study.candidate, **selection_of(subset))
        values = column_values(study, str(study.reference_column))
        return compare(candidate, values, spec, on_progress, belonging(study))

    return result(_key(study, measure, spec, subset), compute)


def _both_ratings(study: Study, measure: str, subset: Subset) -> tuple[Ratings, Ratings]:
    candidate = ratings(study.dataset, measure, study.candidate, **selection_of(subset))
    return candidate, ratings(study.dataset, measure, str(study.reference))


def _both(
    study: Study, measure: str, subset: Subset, pairs: ItemPairs
) -> tuple[Ratings, Ratings] | SharedSums | None:
    """Both sides for figures of true scores: added up where that tells them, else their ratings."""
    if study.reference is None:
        return None
    groups = study.candidate, study.reference
    once = study.between_raters
    if not has_sums(once, subset):
        return _both_ratings(once, measure, subset)
    if any(query(study.dataset, "repeats", measure=measure, group=group)["items"][0] for group in groups):
        candidate, reference = (in_any_order(study.dataset, measure, group) for group in groups)
        return candidate, reference
    shared = pairs.shared()
    alike = len(shared.item) == len(pairs.item)
    sums, raters, some = [], [], []
    for group, other in (groups, groups[::-1]):
        only = {} if alike else {"shared_with": other}
        of_raters = read(study.dataset, "rater_shares", measure=measure, group=group, **only)
        sums.append(SideSums(*shared.side(group == study.candidate), of_raters["pull"], of_raters["reach"]))
        raters.append(of_raters["rater"])
        chosen = {"max_items": MOST_ITEMS, "seed": 0, "shared_with": other}
        some.append(ratings(study.dataset, measure, group, **chosen))
    return SharedSums((sums[0], sums[1]), (raters[0], raters[1]), (some[0], some[1]), np.unique(some[0].item))


def comparisons(study: Study, spec: ComparisonSpec) -> tuple[Comparison, ...] | None:
    """All chosen measures with intervals and tests, under a progress line; None while it is stopped."""

    def compute(on_progress: Callable[[float], object]) -> tuple[Comparison, ...]:
        compared = []
        for at, measure in enumerate(study.measures):
            compared.append(
                comparison(study, measure, spec, on_progress=part(on_progress, at, len(study.measures)))
            )
            on_progress((at + 1) / len(study.measures))
        return tuple(compared)

    return long_result(_key(study, repr(study.measures), spec, None), "Intervals and tests", compute)


def by_subset(
    study: Study, measure: str, spec: ComparisonSpec, subsets: Sequence[tuple[str, str]]
) -> tuple[Comparison, ...] | None:
    """One measure for each value of a rater attribute of the candidate's raters."""

    def compute(on_progress: Callable[[float], object]) -> tuple[Comparison, ...]:
        compared = []
        for at, subset in enumerate(subsets):
            compared.append(comparison(study, measure, spec, subset))
            on_progress((at + 1) / len(subsets))
        return tuple(compared)

    return long_result(_key(study, measure, spec, repr(subsets)), "Figures per kind of rater", compute)


def best_known(study: Study, spec: ComparisonSpec) -> tuple[Comparison, ...]:
    """All chosen measures with their intervals where they are there already, else the closed figures."""
    return tuple(
        cached(_key(study, measure, spec, None)) or comparison(study, measure) for measure in study.measures
    )


def first_known(study: Study, spec: ComparisonSpec) -> tuple[Comparison | OrderAlone, ...]:
    """The same, but of a large data set, where nothing is there yet, the order alone."""

    def known(measure: str) -> Comparison | OrderAlone:
        there: Comparison | None = cached(_key(study, measure, spec, None))
        there = there or cached(_key(study, measure, QUICK, None))
        if there is not None or study.reference is None or not has_sums(study, None):
            return there or comparison(study, measure)
        return result(
            _key(study, measure, "order alone", None), lambda: order_alone(item_pairs(study, measure))
        )

    return tuple(known(measure) for measure in study.measures)


def belonging(study: Study) -> Belonging:
    """The system and the topic of each item."""
    return Belonging(**query(study.dataset, "belonging"))


def _key(study: Study, measure: str, spec: ComparisonSpec | str, subset: Subset | str) -> str:
    return key_of(
        study.dataset,
        "comparison",
        measure,
        study.candidate,
        study.reference,
        study.reference_column,
        subset,
        spec,
        study.merge,
    )
