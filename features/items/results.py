"""Items of a measure, sorted by what stands out, and the ratings of one item or by one rater, cached.

A rater's repeats of an item count as one value, except in its mean.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.items.disagreement import (
    Disagreement,
    Discrimination,
    disagreement_from_sums,
    discrimination,
)
from analysis.items.rating_spread import RatingSpread, effective_number, item_mean, rating_spread
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings, settle
from features.blocks import Progress, last_stage
from features.plotting.theme import NumberFormat, decimal
from features.study import Study, cached, key_of, long_result, query, ratings, read, result, score_writer

MOST_RATINGS = 10_000_000
"""Ratings of a measure by a group up to which a page searches for faulty items by default: it reads each of them."""
MOST_ITEMS = 20_000
"""Items that the spread of an item's ratings is pooled over."""
LEVEL = 0.05
"""Adjusted p below which an item stands out."""
Order = Literal["disagreement", "faults"]
Cells = list[tuple[str, str, Estimate]]
"""A measure, a group, and the item's MOS there."""


@dataclass(frozen=True)
class ItemsSpec:
    """Items of one measure: what they are sorted by, and the ends of the MOS of those shown, None for any.

    `finds_faults` is False where faulty items are not searched for, which reads each rating.
    """

    measure: str
    order: Order = "disagreement"
    mos_from: float | None = None
    mos_below: float | None = None
    finds_faults: bool = True


@dataclass(frozen=True, eq=False)
class ItemList:
    """Items of one measure that the candidate rated: arrays (n,), and `rows`, the places of those shown in order.

    `faults` are all NaN before faulty items `were_searched`; `write_score` writes MOS and SD.
    """

    spec: ItemsSpec
    names: NDArray[np.str_]
    spread: Disagreement
    faults: Discrimination
    were_searched: bool = False
    write_score: NumberFormat = decimal

    @property
    def is_disputed(self) -> NDArray[np.bool_]:
        """True for items on which raters disagree more than on the others, beyond chance."""
        return self.spread.p < LEVEL

    @property
    def is_faulty(self) -> NDArray[np.bool_]:
        """True for items that raters who agree with the others rate unexpectedly, beyond chance."""
        return self.faults.p < LEVEL

    @property
    def is_shown(self) -> NDArray[np.bool_]:
        """True for items whose MOS lies in the chosen range."""
        low, high = self.spec.mos_from, self.spec.mos_below
        mos = settle(self.spread.mean)
        return ~((mos < (-np.inf if low is None else low)) | (mos >= (np.inf if high is None else high)))

    @property
    def height(self) -> NDArray[np.float64]:
        """Value that decides the order: r with agreement, or the SD of the ratings."""
        return self.faults.r if self.spec.order == "faults" else self.spread.sd

    @property
    def rows(self) -> NDArray[np.int64]:
        """Places of the items shown: those first that stand out most."""
        p, by_size = self.spread.p, -self.spread.low
        if self.spec.order == "faults":
            p, by_size = self.faults.p, self.faults.r
        keys = -self.spread.sd, by_size, p  # few ratings have an SD without an interval
        last = [np.nan_to_num(settle(key), nan=9e9) for key in keys]
        order = np.lexsort((-self.spread.ratings, *last))
        return order[self.is_shown[order]]

    @property
    def figures(self) -> dict[str, tuple[float, float, float]]:
        """MOS, SD of the ratings and r with agreement (NaN where not known) of each item by its name."""
        of_each = zip(self.spread.mean.tolist(), self.spread.sd.tolist(), self.faults.r.tolist(), strict=True)
        return dict(zip(self.names.tolist(), of_each, strict=True))


def list_items(study: Study, spec: ItemsSpec) -> ItemList:
    """List the items of a measure that the candidate rated, without faults where their search was stopped."""
    return last_stage(item_stages(study, spec))


def item_stages(study: Study, spec: ItemsSpec) -> Iterator[ItemList | Progress]:
    """Yield the items without faults, unless these are there already; then with them."""
    spread = _with_weighted_means(study, spec.measure, spread_of_items(study, spec.measure))
    names = query(study.dataset, "item_names")["name"][np.asarray(spread.items, dtype=np.int64)]
    found = ItemList(
        spec, names, spread, without_search(len(names)), write_score=score_writer(study, spec.measure)
    )
    if not spec.finds_faults or not len(names) or not study.raters_are_persons:
        yield found
        return
    once, label = study.between_raters, "Items"
    key = key_of(once.dataset, "faulty items", spec.measure, study.candidate)
    if cached(key) is None:
        yield found
        yield Progress(label)
    faults = long_result(key, label, lambda _: discrimination(_ratings(once, spec.measure)))
    yield found if faults is None else replace(found, faults=faults, were_searched=True)


def _with_weighted_means(study: Study, measure: str, spread: Disagreement) -> Disagreement:
    """Return the same with weighted MOS where ratings have weights; the SD and its test use none."""
    if not study.dataset.is_weighted:
        return spread
    rows = query(study.dataset, "weighted_items", measure=measure, group=study.candidate)
    return replace(spread, mean=rows["mean"][np.searchsorted(rows["item"], spread.items)])


def without_search(items: int) -> Discrimination:
    """Return what is known of that many items before faulty ones were searched for."""
    unknown = np.full(items, np.nan)
    return Discrimination(np.arange(items), np.zeros(items, np.int64), unknown, unknown, unknown, unknown)


def spread_of_items(study: Study, measure: str) -> Disagreement:
    """Return on which items the candidate disagrees."""
    once = study.between_raters
    parameters = {"measure": measure, "group": study.candidate}

    def compute() -> Disagreement:
        items = query(once.dataset, "cell_means", **parameters)
        fourth = float(read(once.dataset, "fourth_powers", **parameters)["fourth"][0])
        sums = items["item"], items["count"], items["mean"], items["squares"]
        found = disagreement_from_sums(*sums, fourth)
        return (
            found
            if once is study
            else replace(found, mean=query(study.dataset, "cell_means", **parameters)["mean"])
        )

    return result(key_of(once.dataset, "items' spread", measure, study.candidate), compute)


def search_is_long(study: Study, measure: str) -> bool:
    """Return True where there are so many ratings that faulty items are searched for only on request."""
    return int(spread_of_items(study, measure).ratings.sum()) > MOST_RATINGS


def _ratings(study: Study, measure: str) -> Ratings:
    """Return the ratings; they are read without their order and not kept."""
    rows = read(study.dataset, "scores", measure=measure, group=study.candidate)
    return Ratings(rows["item"], rows["rater"], rows["score"])


@dataclass(frozen=True, eq=False)
class ItemRatings:
    """Ratings of one item (columns of equal length), what is known `about` it, and its MOS by measure and group.

    `write_scores` write scores, by measure and group.
    """

    name: str
    rows: Mapping[str, Any]
    about: Mapping[str, Any]
    cells: Cells
    is_weighted: bool = False
    write_scores: Mapping[tuple[str, str], NumberFormat] = field(default_factory=dict)

    def write_score(self, measure: str, group: str) -> NumberFormat:
        """Return the format of means of a measure by a group."""
        return self.write_scores.get((measure, group), decimal)

    @property
    def effective(self) -> dict[tuple[str, str], float]:
        """Effective number of ratings by measure and group, where these have weights."""
        if not self.is_weighted:
            return {}
        of = {(m, g): (self.rows["measure"] == m) & (self.rows["group"] == g) for m, g, _ in self.cells}
        return {cell: effective_number(self.rows["weight"][own]) for cell, own in of.items()}

    @property
    def means(self) -> dict[tuple[str, str], Estimate]:
        return {(measure, group): mos for measure, group, mos in self.cells}


def describe_item(study: Study, item: str) -> ItemRatings:
    """Return the ratings of an item by its name, and its MOS by measure and group, in the study's order."""
    rows = query(study.dataset, "ratings_of_item", item=item)
    cells = []
    for measure, group in product(study.measures, study.groups):
        own = (rows["measure"] == measure) & (rows["group"] == group)
        if own.any():
            spread = _spread_of_group(study, measure, group)
            weight = rows["weight"][own] if study.dataset.is_weighted else None
            mos = item_mean(rows["score"][own], rows["rater"][own], spread=spread, weight=weight)
            cells.append((measure, group, mos))
    about = query(study.dataset, "about_item", item=item)
    write_scores = {
        (measure, group): score_writer(study, measure, group)
        for measure, group in product(study.measures, study.groups)
    }
    return ItemRatings(item, rows, about, cells, study.dataset.is_weighted, write_scores)


def _spread_of_group(study: Study, measure: str, group: str) -> RatingSpread:
    """Return the variance of an item's ratings by a group, pooled over all items or a sample of many."""
    once = study.between_raters.dataset
    return result(
        key_of(once, "rating spread", measure, group),
        lambda: rating_spread(ratings(once, measure, group, max_items=MOST_ITEMS)),
    )


def ratings_by(study: Study, rater: str) -> Mapping[str, Any]:
    """Return the ratings by a rater, with the mean of the item's other raters for each."""
    return query(study.dataset, "ratings_of_rater", rater=rater)
