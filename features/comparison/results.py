"""Groups compared with the reference over the items that both rated: spec and results, cached.

Up to `LARGEST_BOOTSTRAP` shared items the ratings are read and intervals come from bootstrap samples; above, sums per
item and per rater are enough and intervals are analytic.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.clusters import Belonging
from analysis.comparison.comparison import (
    Comparison,
    ComparisonSpec,
    OrderSummary,
    compare,
    compare_sums,
    summarize_order,
)
from analysis.comparison.true_scores import MOST_ITEMS, SharedSums, SideSums
from analysis.comparison.variance_components import ItemPairs, summarize_pairs
from analysis.values.estimate import BootstrapSpec, Estimate, Scope
from analysis.values.ratings import Ratings
from features.assessments import (
    Subset,
    column_values,
    is_large,
    item_pairs,
    rater_pulls,
    subset_parameters,
)
from features.blocks import Progress
from features.plotting.theme import NumberFormat, decimal
from features.study import (
    USUAL_DIGITS,
    OnProgress,
    Study,
    cached,
    digits_of_column,
    digits_of_scores,
    key_of,
    long_result,
    query,
    ratings,
    read,
    report_part,
    result,
    unordered_ratings,
)

QUICK = ComparisonSpec(bootstrap=BootstrapSpec(draws=0), permutations=0, scope=None)
"""Spec of figures without intervals."""
MOST_GROUPS, MOST_WITH_INTERVALS = 12, 6
"""Groups up to which every two are compared, and up to which with intervals: pairs grow with the square."""
MOST_NAMED = 5000
"""Items of a measure up to which each has its name and can be clicked."""
UNKNOWN = Estimate(nan)
Picture = Literal["scatter", "differences"]
Row = tuple[str, str]
"""A measure of the candidate, and the one of the reference that it is compared with."""


@dataclass(frozen=True)
class GroupsSpec:
    """Comparison of groups with the reference.

    `comparison` says how intervals and tests are made. `pair` is a measure of the candidate and one of the reference,
    None to compare each measure with itself. `picture` shows the items of the measures `panels`, None for all of the
    study. `kinds` are values of a rater attribute, compared on `kinds_measure`; every two groups are compared on
    `matrix_measure`, None for no measure.
    """

    comparison: ComparisonSpec = field(default_factory=lambda: ComparisonSpec(scope=None))
    pair: Row | None = None
    picture: Picture = "scatter"
    panels: tuple[str, ...] | None = None
    kinds: tuple[tuple[str, str], ...] = ()
    kinds_measure: str = ""
    matrix_measure: str | None = None


@dataclass(frozen=True, eq=False)
class Compared:
    """Comparisons of one group with the reference, one for each of the `measures`; all repeats count in levels.

    `score_digits` are the decimals of the candidate's and of the reference's means on each measure.
    """

    candidate: str
    reference: str
    measures: Sequence[str]
    of: Sequence[Comparison | OrderSummary]
    raters_are_persons: bool = True
    has_repeats: bool = False
    score_digits: Sequence[tuple[int, int]] = ()

    def difference_format(self, measure: str) -> NumberFormat:
        """Return the format of differences on a measure in sentences: that of means."""
        return partial(decimal, digits=max(self._digits[list(self.measures).index(measure)]))

    @property
    def difference_formats(self) -> list[NumberFormat]:
        """Format of differences in tables, by measure: a digit more than means have."""
        return [partial(decimal, digits=max(both) + 1) for both in self._digits]

    @property
    def median_formats(self) -> tuple[list[NumberFormat], list[NumberFormat]]:
        """Format of medians of the candidate and of the reference, by measure: precise, as they are compared."""
        ours: list[NumberFormat] = [partial(decimal, digits=each + 1) for each, _ in self._digits]
        theirs: list[NumberFormat] = [partial(decimal, digits=each + 1) for _, each in self._digits]
        return ours, theirs

    @property
    def _digits(self) -> Sequence[tuple[int, int]]:
        return self.score_digits or [(USUAL_DIGITS, USUAL_DIGITS)] * len(self.measures)

    @property
    def full(self) -> list[Comparison]:
        """The comparisons of all measures; none while only the order of the items is known."""
        return [one for one in self.of if isinstance(one, Comparison)]

    @property
    def rows(self) -> list[tuple[str, Comparison]]:
        return list(zip(self.measures, self.full, strict=False))

    @property
    def scope_without_noise(self) -> Scope:
        """Raters that figures without rater noise hold for: others, where rater ids are those of persons."""
        return "raters like these" if self.raters_are_persons else "these raters"

    @property
    def items(self) -> int:
        """Shared items on the measure with the most."""
        return max((one.items_shared for one in self.of), default=0)


@dataclass(frozen=True, eq=False)
class GroupsCompared:
    """Groups compared with the reference.

    `by_group` holds every group, the candidate among them; `everyone` is the candidate with no rater excluded, None
    where none is. `kinds` are the comparisons by value of a rater attribute, `pairs` the correlations of every two
    groups. `is_last` says that no interval is missing.
    """

    candidate: str
    by_group: Mapping[str, Compared]
    everyone: Compared | None = None
    kinds: Compared | None = None
    pairs: Mapping[tuple[str, str], Estimate] = field(default_factory=dict)
    is_last: bool = False

    @property
    def compared(self) -> Compared:
        """The candidate and the reference."""
        return self.by_group[self.candidate]

    @property
    def comparisons(self) -> dict[str, Comparison]:
        return dict(self.compared.rows)


@dataclass(frozen=True, eq=False)
class ItemMos:
    """MOS of the shared items (n,) on both sides, their names, and how they compare; `codes` identify the items.

    Means of the candidate and of the reference are written with `score_digits`.
    """

    measure: str
    mos_candidate: NDArray[np.float64]
    mos_reference: NDArray[np.float64]
    names: NDArray[np.str_]
    spearman: Estimate
    mean_difference: Estimate = UNKNOWN
    limits: tuple[Estimate, Estimate] = (UNKNOWN, UNKNOWN)
    codes: NDArray[np.int64] | None = None
    score_digits: tuple[int, int] = (USUAL_DIGITS, USUAL_DIGITS)

    @property
    def difference_digits(self) -> int:
        return max(self.score_digits) + 1


def candidates(study: Study) -> list[str]:
    """Return the groups that are compared with the reference."""
    return [group for group in study.groups if group != study.reference] if study.comparable else []


def measure_pairs(study: Study, spec: GroupsSpec) -> list[Row]:
    return [spec.pair] if spec.pair else [(measure, measure) for measure in study.measures]


def measures_of(study: Study, group: str | None) -> list[str]:
    cells = query(study.dataset, "cells")
    return list(dict.fromkeys(cells["measure"][cells["group"] == group].tolist()))


def unshared_pair(study: Study) -> Row | None:
    """Return the first measures of candidate and reference where they share none; None where they share one."""
    if study.reference is None:
        return None
    ours, theirs = measures_of(study, study.candidate), measures_of(study, study.reference)
    return (ours[0], theirs[0]) if ours and theirs and not set(ours) & set(theirs) else None


def shared_items(study: Study, row: Row) -> ItemPairs:
    """Return the sums per item that was rated on both measures."""
    if row[0] == row[1]:
        return item_pairs(study, row[0]).shared()
    key = key_of(study.dataset, "pairs of measures", row, study.candidate, study.reference)
    return result(key, lambda: summarize_pairs(*_both_ratings(study, row, None))[0].shared())


def item_mos(study: Study, row: Row, name: str, compared: Comparison | OrderSummary) -> ItemMos:
    """Return the items of one measure as its panel shows them."""
    shared = shared_items(study, row)
    codes = np.asarray(shared.item) if len(shared.item) <= MOST_NAMED else None
    names = np.empty(0, str) if codes is None else query(study.dataset, "item_names")["name"][codes]
    level = compared if isinstance(compared, Comparison) else None
    return ItemMos(
        name,
        shared.mos_candidate,
        shared.mos_reference,
        names,
        compared.spearman,
        level.mean_difference if level else UNKNOWN,
        (level.limit_low, level.limit_high) if level else (UNKNOWN, UNKNOWN),
        codes,
        _digits(study, row),
    )


def _digits(study: Study, row: Row) -> tuple[int, int]:
    """Return the decimals of means of the candidate and of the reference on their measures."""
    ours = digits_of_scores(study, row[0])
    if study.reference_column is not None:
        return ours, digits_of_column(study, study.reference_column)
    return ours, digits_of_scores(study, row[1], study.reference)


def group_stages(
    study: Study, spec: GroupsSpec, groups: Sequence[str] | None = None
) -> Iterator[GroupsCompared | Progress]:
    """Yield the order alone where all else takes long, all figures without intervals, then with them."""
    chosen = [study.candidate] if spec.pair else list(groups or candidates(study))
    quick = _without_resampling(spec.comparison)
    if len(chosen) == 1 and (orders := _orders(study, spec)):
        yield GroupsCompared(study.candidate, {study.candidate: _compared_group(study, spec, orders)})
        yield Progress("Level and tests")
    by_group = {
        group: _compared_group(
            replace(study, candidate=group),
            spec,
            _with_cached_intervals(replace(study, candidate=group), spec),
        )
        for group in chosen
    }
    everyone = None
    if study.dataset.without:
        rows = measure_pairs(study, spec)
        whole = [comparison(study.everyone, row[0], quick, other=row[1]) for row in rows]
        everyone = _compared_group(study, spec, whole)
    found = GroupsCompared(
        study.candidate, by_group, everyone, pairs=_compare_all_groups(study, spec, QUICK) or {}
    )
    yield found
    yield Progress("Intervals and tests")
    for group in sorted(chosen, key=lambda one: one != study.candidate):
        each = [(row, None) for row in measure_pairs(study, spec)]
        label = f"Intervals and tests of {group}"
        of = _with_intervals(replace(study, candidate=group), spec, each, label)
        if of is None:
            return
        by_group = by_group | {group: _compared_group(replace(study, candidate=group), spec, of)}
        found = replace(found, by_group=by_group)
        if group == study.candidate and len(chosen) > 1:
            yield found
            yield Progress("Intervals of all groups")
    if len(study.groups) <= MOST_WITH_INTERVALS:
        found = replace(found, pairs=_compare_all_groups(study, spec, spec.comparison) or found.pairs)
    yield replace(found, kinds=_compare_kinds_of_raters(study, spec), is_last=True)


def _without_resampling(spec: ComparisonSpec) -> ComparisonSpec:
    """Return the spec without bootstrap samples and exchanged labels."""
    return replace(spec, bootstrap=replace(spec.bootstrap, draws=0), permutations=0)


def _compared_group(study: Study, spec: GroupsSpec, of: Sequence[Comparison | OrderSummary]) -> Compared:
    names = [f"{spec.pair[0]} and {spec.pair[1]}"] if spec.pair else study.measures
    return Compared(
        study.candidate,
        study.reference_name,
        names,
        of,
        raters_are_persons=study.raters_are_persons,
        has_repeats=study.merge is not None,
        score_digits=[_digits(study, row) for row in measure_pairs(study, spec)],
    )


def _orders(study: Study, spec: GroupsSpec) -> list[OrderSummary]:
    """Return the correlations of a large data set, of which nothing is cached; none of others."""
    large = study.reference is not None and not spec.pair and study.dataset.has_sums
    if not large or any(
        cached(_key(study, (measure, measure), one, None)) is not None
        for measure in study.measures
        for one in (spec.comparison, _without_resampling(spec.comparison))
    ):
        return []
    return [_order(study, measure) for measure in study.measures]


def _order(study: Study, measure: str) -> OrderSummary:
    key = _key(study, (measure, measure), "order alone", None)
    return result(key, lambda: summarize_order(item_pairs(study, measure)))


def _with_cached_intervals(study: Study, spec: GroupsSpec) -> list[Comparison]:
    """Return all comparisons, with their intervals where these are cached."""
    return [
        cached(_key(study, row, spec.comparison, None))
        or comparison(study, row[0], _without_resampling(spec.comparison), other=row[1])
        for row in measure_pairs(study, spec)
    ]


def _with_intervals(
    study: Study, spec: GroupsSpec, compared: Sequence[tuple[Row, Subset]], label: str
) -> list[Comparison] | None:
    """Return comparisons of measures and kinds of raters with intervals and tests; None while stopped."""

    def compute(on_progress: OnProgress) -> list[Comparison]:
        return [
            comparison(
                study, row[0], spec.comparison, subset, report_part(on_progress, at, len(compared)), row[1]
            )
            for at, (row, subset) in enumerate(compared)
        ]

    return long_result(_key(study, ("", ""), spec.comparison, repr(compared)), label, compute)


def _compare_kinds_of_raters(study: Study, spec: GroupsSpec) -> Compared | None:
    """Return a measure compared for each value of an attribute of the candidate's raters; None while stopped."""
    if not spec.kinds:
        return None
    row = spec.pair or (spec.kinds_measure or study.measures[0],) * 2
    of = _with_intervals(study, spec, [(row, kind) for kind in spec.kinds], "Kinds of raters")
    values = [value for _, value in spec.kinds]
    if of is None:
        return None
    digits = [_digits(study, row)] * len(values)
    return replace(_compared_group(study, spec, of), measures=values, score_digits=digits)


def _compare_all_groups(
    study: Study, spec: GroupsSpec, comparing: ComparisonSpec
) -> dict[tuple[str, str], Estimate] | None:
    """Return Spearman's rho of every two groups on one measure; None while stopped, or where they are few or many."""
    measure, two = spec.matrix_measure, list(combinations(study.groups, 2))
    if spec.pair or measure is None:
        return None

    def compute(on_progress: OnProgress) -> dict[tuple[str, str], Estimate]:
        rho = {}
        for at, (one, other) in enumerate(two):
            pair = replace(study, candidate=one, reference=other, reference_column=None)
            of = comparison(pair, measure, comparing, on_progress=report_part(on_progress, at, len(two)))
            rho[one, other] = of.spearman
        return rho

    comparing = replace(comparing, permutations=0)
    return long_result(
        key_of(study.dataset, "every two groups", measure, comparing), "Pairs of groups", compute
    )


def comparison(
    study: Study,
    measure: str,
    spec: ComparisonSpec = QUICK,
    subset: Subset = None,
    on_progress: OnProgress | None = None,
    other: str = "",
) -> Comparison:
    """Return the comparison of a measure of the candidate with the same, or another one, of the reference.

    Levels of two different measures are not compared.
    """
    row = measure, other or measure

    def compute() -> Comparison:
        if row[0] == row[1] and is_large(study, measure, subset):
            sums = item_pairs(study, measure, subset), rater_pulls(study, measure, subset)
            both = _true_sums(study, measure, subset, sums[0]) if spec.bootstrap.draws else None
            return compare_sums(*sums, spec, systems_and_topics(study), both, on_progress)
        if study.reference is None:
            candidate = ratings(study.dataset, measure, study.candidate, **subset_parameters(subset))
            values = column_values(study, str(study.reference_column))
            return compare(candidate, values, spec, on_progress, systems_and_topics(study))
        merged = _both_ratings(study.between_raters, row, subset) if study.merge is not None else None
        sides = _both_ratings(study, row, subset)
        found = compare(*sides, spec, on_progress, systems_and_topics(study), merged)
        return found if row[0] == row[1] else replace(found, same_scale=False)

    return result(_key(study, row, spec, subset), compute)


def _both_ratings(study: Study, row: Row, subset: Subset) -> tuple[Ratings, Ratings]:
    candidate = ratings(study.dataset, row[0], study.candidate, **subset_parameters(subset))
    return candidate, ratings(study.dataset, row[1], str(study.reference))


def _true_sums(
    study: Study, measure: str, subset: Subset, pairs: ItemPairs
) -> tuple[Ratings, Ratings] | SharedSums | None:
    """Return both sides for figures of true scores: sums where these suffice, else the ratings."""
    if study.reference is None:
        return None
    groups = study.candidate, study.reference
    if subset is not None or study.merge is not None:
        return _both_ratings(study.between_raters, (measure, measure), subset)
    if any(query(study.dataset, "repeats", measure=measure, group=group)["items"][0] for group in groups):
        candidate, reference = (unordered_ratings(study.dataset, measure, group) for group in groups)
        return candidate, reference
    shared = pairs.shared()
    alike = len(shared.item) == len(pairs.item)
    sums, raters, some = [], [], []
    for group, other in (groups, groups[::-1]):
        only = {} if alike else {"shared_with": other}
        of_raters = read(study.dataset, "rater_shares", measure=measure, group=group, **only)
        sums.append(SideSums(*shared.side(group == study.candidate), of_raters["pull"], of_raters["reach"]))
        raters.append(of_raters["rater"])
        chosen = {"max_items": MOST_ITEMS, "shared_with": other}
        some.append(ratings(study.dataset, measure, group, **chosen))
    return SharedSums((sums[0], sums[1]), (raters[0], raters[1]), (some[0], some[1]), np.unique(some[0].item))


def systems_and_topics(study: Study) -> Belonging:
    return Belonging(**query(study.dataset, "belonging"))


def _key(study: Study, row: Row, spec: ComparisonSpec | str, subset: Subset | str) -> str:
    sides = study.candidate, study.reference, study.reference_column
    return key_of(study.dataset, "comparison", row, *sides, subset, spec, study.merge)
