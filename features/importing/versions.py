"""Two data sets, or two versions of one, compared: rows, raters, items, and the main figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.alpha import alpha_without_each_unit, krippendorff_alpha
from analysis.correlation.two_columns import spearman
from analysis.resampling.influence import (
    InfluenceValues,
    estimate_change,
    influence_from_leave_one_out,
    influence_of_mean,
)
from analysis.screening.observer_rejection import exclusion_gain
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings, RatingsComparison, compare_ratings
from data.dataset import Dataset
from features.blocks import Finding, Table, clear_if, uncertain
from features.importing.joining import Figure, Figures, shares_in
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    UNDEFINED,
    count,
    decimal,
    interval,
    share,
)
from features.study import key_of, merge_of, open_study, query, ratings, result
from features.words import DASH, Column, Sentence, Shown, counted, table_of

NOT_THERE = Estimate(float("nan"), reason="it is not there")


class Changed(NamedTuple):
    """A figure before and after, and the difference with its interval over items."""

    name: str
    before: Estimate
    after: Estimate
    difference: Estimate


def compare_figures(old: Figures, new: Figures) -> tuple[Changed, ...]:
    """Return the figures of both, those of the first one first."""
    nothing = Figure(NOT_THERE)
    return tuple(_changed(name, old.get(name, nothing), new.get(name, nothing)) for name in {**old, **new})


def _changed(name: str, before: Figure, after: Figure) -> Changed:
    plain = Estimate(
        exclusion_gain(before.estimate.value, after.estimate.value), reason=before.why or after.why
    )
    if before.pulls is None or after.pulls is None or not plain.defined:
        return Changed(name, before.estimate, after.estimate, plain)
    return Changed(name, before.estimate, after.estimate, estimate_change(before.pulls, after.pulls))


def most_changed(changes: Sequence[Changed]) -> list[Finding]:
    """Return the share that changed most, where any did."""
    known = [each for each in changes if each.before.defined and each.after.defined]
    if not known:
        return []
    most = max(known, key=lambda each: abs(exclusion_gain(each.before.value, each.after.value)))
    if most.before.value == most.after.value:
        return [uncertain("All shares are as they were.")]
    values = {"name": most.name, "after": share(most.after.value, 1), "before": share(most.before.value, 1)}
    headline = "Of the shares, that of {name} changed most: <b>{after}</b> instead of {before}."
    return [clear_if(most.difference.excludes(), headline, values)]


def interval_notes(differences: Sequence[Estimate], units: str) -> list[Sentence]:
    """Return what intervals of differences over these units say, where there are some."""
    if all(isnan(one.low) for one in differences):
        return []
    return [
        (
            "The change in these rows is known exactly. Its 95% interval is for other {units} like these and the same "
            "raters; {units} in both versions are compared with themselves.",
            {"units": units},
        )
    ]


def changes_table(changes: Sequence[Changed]) -> Shown:
    rows = [
        {
            "Share": each.name,
            "Before": each.before.value,
            "After": each.after.value,
            "Difference in points": 100 * exclusion_gain(each.before.value, each.after.value),
            "95%": interval(Estimate(0.0, 100 * each.difference.low, 100 * each.difference.high), 1),
            "Why": _undefined_reason(each),
        }
        for each in changes
    ]
    written = dict.fromkeys(("Before", "After"), PERCENT_ONE_DIGIT)
    return pd.DataFrame(rows), written | {"Difference in points": _signed}


def _undefined_reason(each: Changed) -> str:
    """Return why a side or the interval of the difference is not there."""
    sides = dict.fromkeys(e.reason for e in (each.before, each.after) if not e.defined)
    return "; ".join(sides or [each.difference.reason])


def _signed(difference: float) -> str:
    text = decimal(difference, 1)
    return f"+{text}" if difference > 0 and text != UNDEFINED else text


QUICK = BootstrapSpec(draws=0)
_SEVERAL = {"story": "stories"}
_CALLED = {
    "ratings": ("item", "rater"),
    "choices": ("item", "rater"),
    "label sets": ("item", "rater"),
    "rankings": ("task", "rater"),
    "comprehension": ("story", "author", "judge"),
    "relevance": ("event", "surrogate", "rater"),
    "contributors": ("item", "content unit", "rater"),
    "metrics": ("item",),
}
"""Names of each kind."""


@dataclass(frozen=True)
class Names:
    """Numbers of items or raters that both versions have, and that only one has."""

    both: int
    gone: int
    added: int


@dataclass(frozen=True)
class Cell:
    """One measure by one group; a version without it has no figures. `rho` is of the MOS of `shared` items."""

    measure: str
    group: str
    rows: RatingsComparison
    mean: tuple[float, float]
    mean_change: Estimate
    alpha: tuple[float, float]
    alpha_change: Estimate
    rho: float
    shared: int


@dataclass(frozen=True)
class TwoVersions:
    """Changes from one data set to another of its kind: names, cells of ratings, and shares."""

    rows: tuple[int, int]
    names: Mapping[str, Names]
    cells: tuple[Cell, ...] = ()
    shares: tuple[Changed, ...] = ()


def two_versions(before: Dataset, after: Dataset) -> TwoVersions:
    """Compare both by the names of items and raters."""
    return result(
        key_of(before, "held against", after.sha256),
        lambda: _compared(before.as_saved, after.as_saved),
    )


def difference(found: TwoVersions, before: str, after: str) -> Sentence:
    values: dict[str, object] = {"before": before, "after": after}
    if not found.cells:
        values |= {"rows": count(found.rows[1]), "of": count(found.rows[0])}
        return "{after} holds <b>{rows}</b> rows, {before} <b>{of}</b>.", values
    rows = [cell.rows for cell in found.cells]
    same, changed, gone, added = (
        sum(getattr(one, name) for one in rows) for name in ("same", "changed", "gone", "added")
    )
    if not changed and not gone and not added:
        return "{before} and {after} hold the same <b>{same}</b> ratings.", {**values, "same": count(same)}
    values |= {"same": count(same), "changed": count(changed), "gone": count(gone), "added": count(added)}
    return (
        "Ratings from {before} to {after}: <b>{added}</b> added, <b>{gone}</b> gone, <b>{changed}</b> with another "
        "score, {same} as they were.",
        values,
    )


def names_changed(found: TwoVersions) -> list[Sentence]:
    """Return how many items, raters and the like came and went."""
    return [
        (
            "{both} in both, {added} new, {gone} gone.",
            {
                "both": counted(names.both, one, _SEVERAL.get(one, "")),
                "added": count(names.added),
                "gone": count(names.gone),
            },
        )
        for one, names in found.names.items()
    ]


def cells_table(cells: Sequence[Cell]) -> Table:
    """Return one row per measure and group: rows, MOS and alpha of both versions, and rho of the MOS."""
    means = [_before_and_after(*cell.mean, digits=2) for cell in cells]
    alphas = [_before_and_after(*cell.alpha, digits=3) for cell in cells]
    return table_of(
        "versions",
        "What changed, per measure and group.",
        [
            Column("Measure", [cell.measure for cell in cells]),
            Column("Group", [cell.group for cell in cells]),
            Column("Same", [cell.rows.same for cell in cells], count, False),
            Column("Other score", [cell.rows.changed for cell in cells], count),
            Column("Gone", [cell.rows.gone for cell in cells], count),
            Column("Added", [cell.rows.added for cell in cells], count),
            Column("Mean", [cell.mean[1] for cell in cells], means),
            Column("Mean before", [cell.mean[0] for cell in cells], decimal, False),
            Column("Mean, change", [cell.mean_change.value for cell in cells], THREE_DIGITS, False),
            Column("Mean, 95%", [interval(cell.mean_change, 3) for cell in cells]),
            Column("Alpha", [cell.alpha[1] for cell in cells], alphas),
            Column("Alpha before", [cell.alpha[0] for cell in cells], THREE_DIGITS, False),
            Column("Alpha, change", [cell.alpha_change.value for cell in cells], THREE_DIGITS, False),
            Column("Alpha, 95%", [interval(cell.alpha_change, 3) for cell in cells]),
            Column("ρ of the MOS", [cell.rho for cell in cells], THREE_DIGITS),
            Column("Shared items", [cell.shared for cell in cells], count, False),
        ],
    )


def _before_and_after(before: float, after: float, digits: int) -> str:
    """Return a figure of both versions in one cell."""
    return " → ".join(DASH if isnan(one) else decimal(one, digits) for one in (before, after))


def _compared(before: Dataset, after: Dataset) -> TwoVersions:
    rows = before.rows_kept, after.rows_kept
    names = {one: _names(_named_in(before, one), _named_in(after, one)) for one in _CALLED[before.kind]}
    names = {one: there for one, there in names.items() if there.both or there.gone or there.added}
    if before.kind != "ratings":
        old, new = (shares_in(open_study(dataset)) for dataset in (before, after))
        return TwoVersions(rows, names, shares=compare_figures(old, new))
    both = before, after, _merged(before), _merged(after)
    cells = dict.fromkeys([*_cells(before), *_cells(after)])
    return TwoVersions(
        rows, names, tuple(_cell(*cell, *(_named(each, *cell) for each in both)) for cell in cells)
    )


def _named_in(dataset: Dataset, one: str) -> NDArray[np.str_]:
    """Return the names of all items, raters or the like of a data set; none without such a column."""
    match dataset.kind:
        case "comprehension":
            found = query(dataset, "comprehension_names", column=one)
        case "relevance":
            found = query(dataset, "judgment_names", column=one)
        case "contributors":
            rows = query(dataset, "contributors")
            of = zip(rows["topic"], rows["scu"], strict=True)  # a unit's id is its own within its topic
            named = [f"{topic}\x1f{unit}" for topic, unit in of] if one == "content unit" else rows[one]
            found = {"name": np.setdiff1d(named, [""])}
        case _ if dataset.has(f"{one}_id"):
            found = query(dataset, f"{one}_names")
        case _:
            found = {"name": np.empty(0, dtype=np.str_)}
    names: NDArray[np.str_] = found["name"]
    return names


def _cells(dataset: Dataset) -> list[tuple[str, str]]:
    cells = query(dataset, "cells")
    return list(zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True))


def _names(before: NDArray[np.str_], after: NDArray[np.str_]) -> Names:
    both = len(np.intersect1d(before, after))
    return Names(both, len(before) - both, len(after) - both)


def _named(dataset: Dataset, measure: str, group: str) -> Ratings:
    """Return one cell's ratings, if any, by the names of items and raters, which both versions share."""
    if (measure, group) not in _cells(dataset):
        return Ratings([], [], [])
    items, raters = (_named_in(dataset, one) for one in ("item", "rater"))
    given = ratings(dataset, measure, group)
    return Ratings(items[given.item], raters[given.rater], given.score)


def _merged(dataset: Dataset) -> Dataset:
    """Return the view with one rating per rater and item."""
    merge = merge_of(dataset, "mean")
    return dataset if merge is None else dataset.merging_repeats(merge)


def _cell(
    measure: str, group: str, before: Ratings, after: Ratings, merged_before: Ratings, merged_after: Ratings
) -> Cell:
    old, new = before.mos(), after.mos()
    shared, at, other_at = np.intersect1d(
        old.items.astype(str), new.items.astype(str), assume_unique=True, return_indices=True
    )
    return Cell(
        measure,
        group,
        compare_ratings(before, after),
        (_mean(old.means), _mean(new.means)),
        estimate_change(
            influence_of_mean(old.items.astype(str), old.means),
            influence_of_mean(new.items.astype(str), new.means),
        ),
        (_alpha(merged_before), _alpha(merged_after)),
        estimate_change(_alpha_pulls(merged_before), _alpha_pulls(merged_after)),
        spearman(old.means[at], new.means[other_at]).estimate.value,
        len(shared),
    )


def _mean(means: NDArray[np.float64]) -> float:
    return float(means.mean()) if len(means) else nan


def _alpha(ratings: Ratings) -> float:
    return (
        krippendorff_alpha(ratings.item, ratings.score, bootstrap=QUICK).value if len(ratings.score) else nan
    )


def _alpha_pulls(ratings: Ratings) -> InfluenceValues:
    items, left = alpha_without_each_unit(ratings.item, ratings.score)
    return influence_from_leave_one_out(items.astype(str), _alpha(ratings), left)


def comparable_datasets(dataset: Dataset, own: Sequence[Dataset]) -> list[Dataset]:
    """Return the data sets that it can be compared with, the version before it first."""
    others = [each for each in own if each.kind == dataset.kind and each.id != dataset.id]
    return sorted(others, key=lambda each: each.id != dataset.replaces)
