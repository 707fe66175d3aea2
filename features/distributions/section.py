"""Distributions of each group and measure, computed from sums per item and cached: findings, tables and section."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.values.distributions import Description, describe_means, histogram, histogram_edges
from analysis.values.estimate import Floats
from analysis.values.ratings import settle
from features.assessments import candidate_pairs, item_pairs
from features.blocks import (
    Block,
    Figure,
    Finding,
    NextStep,
    Table,
    Warning,
    capitalized,
    card_of,
    clear,
    method_of,
    not_enough_data,
    not_tested,
    too_few,
)
from features.plotting.panels import LEGEND_ON_TOP, grid, label_lines, panel_title
from features.plotting.theme import (
    Look,
    PlotlyFigure,
    count,
    decimal,
    escape,
    group_colour,
    group_dash,
    p_value,
    share,
    shorten,
    translucent,
)
from features.program import computed_by
from features.study import Study, digits_of_scores, key_of, query, result
from features.words import Column, Shown, by_reason, counted, extent_in_words, table_of, write_each

Values = Literal["item means", "single ratings"]


@dataclass(frozen=True)
class DistributionSpec:
    """Values that the histograms show, and the measures with a histogram; None stands for all of the study."""

    values: Values = "item means"
    measures: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Bars:
    """Histogram of one group: `edges` (b + 1,), `counts` (b,) of values, or of the weights of ratings."""

    group: str
    edges: Floats
    counts: NDArray[Any]

    def ends(self, at: int) -> tuple[float, float]:
        """Return from and below which value a bar's values lie; the last bar also holds its upper edge."""
        low, high = self.edges[at : at + 2].tolist()
        return low, high if at < len(self.counts) - 1 else 2 * high - low


@dataclass(frozen=True)
class GroupDescription:
    """Description of the item means of a measure and group, with the decimals that means are written with."""

    measure: str
    group: str
    description: Description
    score_digits: int = 2


@dataclass(frozen=True, eq=False)
class Distributions:
    """Descriptions of each measure and group, and the histograms of the groups by measure."""

    spec: DistributionSpec
    descriptions: Sequence[GroupDescription]
    histograms: Mapping[str, Sequence[Bars]]


def shown_groups(study: Study) -> tuple[str, ...]:
    """Return the candidate and, where it is another group, the reference, in the data set's order."""
    return tuple(group for group in study.groups if group in (study.candidate, study.reference))


def describe_groups(study: Study, spec: DistributionSpec) -> Distributions:
    """Describe the ratings of each chosen measure by the candidate and the reference, where there are any."""
    cells = query(study.dataset, "cells")
    keys = zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True)
    raters = dict(zip(keys, cells["raters"].tolist(), strict=True))
    descriptions = [
        GroupDescription(
            measure,
            group,
            _describe(study, measure, group, raters[measure, group]),
            digits_of_scores(study, measure, group),
        )
        for measure in study.measures
        for group in shown_groups(study)
        if (measure, group) in raters
    ]
    measures = study.measures if spec.measures is None else spec.measures
    return Distributions(
        spec, descriptions, {measure: _histograms(study, measure, spec.values) for measure in measures}
    )


def bars_on_one_scale(
    values: Mapping[str, Floats], counts: Mapping[str, NDArray[Any]] | None = None
) -> list[Bars]:
    """Return the histograms of several groups on shared edges; `counts` says how often each value of a group occurs."""
    known = [of_group for of_group in values.values() if len(of_group)]
    if not known:
        return []
    edges = histogram_edges(known)
    return [
        Bars(group, edges, histogram(of_group, edges, None if counts is None else counts[group]))
        for group, of_group in values.items()
    ]


def _histograms(study: Study, measure: str, values: Values) -> list[Bars]:
    groups = shown_groups(study)
    if values == "item means":
        return bars_on_one_scale({group: _rated_items(study, measure, group)[0] for group in groups})
    query_name = "weighted_score_counts" if study.dataset.is_weighted else "score_counts"
    rows = query(study.dataset, query_name, measure=measure)
    rated = {group: rows["group"] == group for group in groups}
    return bars_on_one_scale(
        {group: rows["score"][of_group] for group, of_group in rated.items()},
        {group: rows["count"][of_group] for group, of_group in rated.items()},
    )


def _describe(study: Study, measure: str, group: str, raters: int) -> Description:
    means, counts, _ = _rated_items(study, measure, group)
    key = key_of(study.dataset, "description", measure, group)
    return result(key, lambda: describe_means(means, counts, raters))


def items_between(study: Study, measure: str, group: str, low: float, high: float) -> NDArray[np.int64]:
    """Return the codes of the items whose MOS in the group is at least `low` and less than `high`."""
    means, _, items = _rated_items(study, measure, group)
    settled = settle(means)
    return items[(settled >= low) & (settled < high)]


def _rated_items(study: Study, measure: str, group: str) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return MOS (weighted where ratings have weights), number of ratings and code of each item the group rated."""
    if study.dataset.is_weighted:
        rows = query(study.dataset, "weighted_items", measure=measure, group=group)
        return rows["mean"], rows["count"], rows["item"]
    sums = item_pairs(study, measure) if study.reference is not None else candidate_pairs(study, measure)
    is_candidate = group == study.candidate
    means = sums.mos_candidate if is_candidate else sums.mos_reference
    counts = sums.n_candidate if is_candidate else sums.n_reference
    rated = counts > 0
    return means[rated], counts[rated], np.asarray(sums.item)[rated]


FEWEST_ITEMS = 10
"""Items that a statement on a median needs."""
TABLE = "descriptions"
DEFAULT_MEASURE = "score"
"""Measure of ratings that name none."""
MORE_ITEMS = NextStep("Plan more items", "planning.py")


def distribution_finding(study: Study, described: Sequence[GroupDescription], comparison: str) -> Finding:
    """Return which group has the higher medians; `comparison` is the title of the page that tests it."""
    by_group: dict[str, dict[str, Description]] = {group: {} for group in shown_groups(study)}
    for each in described:
        by_group[each.group][each.measure] = each.description
    if len(by_group) < 2:
        return _of_one_group(described[0])
    names = {"candidate": capitalized(study.candidate), "reference": study.reference_name}
    ours, theirs = by_group[study.candidate], by_group[str(study.reference)]
    both = [measure for measure in ours if measure in theirs]
    if not both:
        return not_enough_data(
            "No measure has ratings of both {candidate} and {reference}.",
            {**names, "candidate": study.candidate},
        )
    items = {measure: min(ours[measure].items, theirs[measure].items) for measure in both}
    enough = [measure for measure in both if items[measure] >= FEWEST_ITEMS]
    if not enough:
        there = counted(max(items.values()), "item")
        return too_few("compare medians", {}, there, FEWEST_ITEMS, next_step=MORE_ITEMS)
    differences = {measure: ours[measure].median - theirs[measure].median for measure in enough}
    medians = {
        (each.measure, each.group): decimal(each.description.median, each.score_digits) for each in described
    }
    digits = {each.measure: each.score_digits for each in described}
    shown = [measure for measure in enough if abs(differences[measure]) >= 10 ** -digits[measure]]
    higher = [m for m in shown if differences[m] > 0]
    several = len(enough) > 1
    extent = extent_in_words(len(higher or shown or enough), len(enough), "measures")
    names |= {"of": study.candidate, "where": extent if several else enough[0]}
    if not shown:
        return not_tested(
            "{candidate} and {reference} have the same median on {where}.",
            names,
            "" if several else f"Median MOS {medians[enough[0], study.candidate]}",
            counted(min(items[m] for m in enough), "item"),
        )
    widest = max(shown, key=lambda measure: abs(differences[measure]))
    gap = f"{medians[widest, study.candidate]} and {medians[widest, str(study.reference)]}"
    whose = "{candidate} medians are" if several else "The {of} median is"
    found = not_tested(
        f"{whose} {'higher' if higher else 'lower'} on {{where}}.",
        names,
        f"Largest gap: {widest} {gap}" if several else f"Median MOS {gap}",
        counted(items[widest], "item"),
    )
    return replace(found, next_step=NextStep(f"Test it on {comparison}", "crowd_vs_lab.py"))


def _of_one_group(each: GroupDescription) -> Finding:
    described, items = each.description, counted(each.description.items, "item")
    of = "" if each.measure == DEFAULT_MEASURE else " for {measure}"
    values = {"measure": each.measure, "median": decimal(described.median, each.score_digits)}
    if described.items < FEWEST_ITEMS:
        return too_few("describe {measure}", values, items, FEWEST_ITEMS, next_step=MORE_ITEMS)
    ratings = counted(described.ratings, "rating")
    if described.sd == 0:
        return clear(f"All items have the same MOS of <b>{{median}}</b>{of}.", values, items, ratings)
    end = f"the median is the {described.end} MOS" if described.end else ""
    return not_tested(
        f"The median MOS is <b>{{median}}</b>{of}.",
        values,
        f"SD {decimal(described.sd, each.score_digits)}",
        items,
        ratings,
        end,
    )


def largest_gap(described: Sequence[GroupDescription]) -> str:
    """Return the measure on which the medians are furthest apart, the first where there is one group."""
    medians: dict[str, list[float]] = {}
    for each in described:
        medians.setdefault(each.measure, []).append(each.description.median)
    return max(medians, key=lambda measure: max(medians[measure]) - min(medians[measure]))


def undefined_warnings(described: Sequence[GroupDescription]) -> Iterator[Warning]:
    """Yield each reason for an undefined figure once, with the measures and groups it holds for."""
    yield from by_reason(
        (f"{each.measure} ({each.group})", f"undefined, {reason}")
        for each in described
        for reason in (each.description.reason, each.description.normality.reason)
        if reason
    )


def descriptions_table(described: Sequence[GroupDescription], has_persons: bool = True) -> Table:
    of = [each.description for each in described]
    formats = [partial(decimal, digits=each.score_digits) for each in described]
    return table_of(
        TABLE,
        "Size, center, spread and shape of each group's item MOS by measure.",
        [
            Column("Measure", [each.measure for each in described]),
            Column("Group", [each.group for each in described]),
            Column("Items", [each.items for each in of], count),
            Column("Ratings", [each.ratings for each in of], count),
            *([Column("Raters", [each.raters for each in of], count)] if has_persons else []),
            Column("Ratings per item", [_ratings_per_item(each) for each in of]),
            *(
                Column(heading, values, write_each(values, formats))
                for heading, values in (
                    ("Median", [each.median for each in of]),
                    ("Mean", [each.mean for each in of]),
                    ("SD", [each.sd for each in of]),
                )
            ),
            Column("Skewness", [each.skewness for each in of], decimal),
            Column("Normality A²", [each.normality.statistic for each in of], decimal),
            Column("p", [each.normality.p for each in of], p_value),
        ],
    )


def _ratings_per_item(described: Description) -> str:
    if described.per_item_min == described.per_item_max:
        return str(described.per_item_min)
    return f"{described.per_item_min} to {described.per_item_max} (median {described.per_item_median:g})"


def sizes_table(cells: Mapping[str, Sequence[object]], has_persons: bool = True) -> Shown:
    """Return the sizes of each measure and group, from the rows of the query `cells`; no raters where unnamed."""
    ends = zip(cells["ratings_per_item_min"], cells["ratings_per_item_max"], strict=True)
    rows = pd.DataFrame(
        {
            "Measure": cells["measure"],
            "Group": cells["group"],
            "Ratings": cells["ratings"],
            "Items": cells["items"],
            "Raters": cells["raters"],
            "Per item": [str(least) if least == most else f"{least} to {most}" for least, most in ends],
        }
    )
    if not has_persons:
        del rows["Raters"]
    return rows, dict.fromkeys([name for name in ("Ratings", "Items", "Raters") if name in rows], count)


def histograms(
    panels: Sequence[tuple[str, Sequence[Bars]]], groups: Sequence[str], look: Look, what: str
) -> PlotlyFigure:
    """Draw the share of each bar as filled steps, so that two groups of different size can be compared.

    `panels` holds (measure, bars of each group); `what` names what is counted, in the plural. A click on a bar gives
    its panel and its place among the bars, whatever its group.
    """
    value = "MOS" if what == "items" else "Rating"
    if len(panels) == 1 and panels[0][0] != DEFAULT_MEASURE:
        value = f"{value} of {shorten(panels[0][0], 30)}"
    made = grid(
        look,
        [panel_title(measure) for measure, _ in panels],
        x_title=value,
        y_title=f"Share of {what}",
        y_axis={"tickformat": ".0%", "rangemode": "tozero"},
        shared_x=_share_a_scale([bars[0].edges for _, bars in panels if bars]),
        legend=LEGEND_ON_TOP,
        hovermode="x",
        barmode="overlay",
        bargap=0,
    )
    traces: list[PlotlyFigure] = []
    for panel, (_, bars) in enumerate(panels):
        for one in bars:
            if one.counts.sum():
                traces += [
                    _steps(one, groups, panel == 0) | made.on(panel),
                    _middles(one, groups, panel) | made.on(panel),
                ]
    return label_lines({"data": traces, "layout": made.layout}, look)


def _share_a_scale(edges: Sequence[NDArray[np.float64]]) -> bool:
    """Return True where all measures overlap and none has twice the range of another."""
    ranges = [float(np.ptp(of_measure)) for of_measure in edges]
    overlap = max((e[0] for e in edges), default=0) < min((e[-1] for e in edges), default=1)
    return bool(overlap) and max(ranges, default=0) <= 2 * min(ranges, default=0)


def _steps(bars: Bars, groups: Sequence[str], in_legend: bool) -> PlotlyFigure:
    color, dash = group_colour(bars.group, groups), group_dash(bars.group, groups)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(bars.group),
        "x": [float(bars.edges[0]), *bars.edges.tolist()],
        "y": [0.0, *_shares(bars).tolist(), 0.0],
        "line": {"shape": "hv", "color": color, "width": 2, "dash": dash},
        "fill": "tozeroy",
        "fillcolor": translucent(color, 0.18),
        "hoverinfo": "skip",
        "showlegend": in_legend,
        "legendgroup": escape(bars.group),
    }


def _middles(bars: Bars, groups: Sequence[str], panel: int) -> PlotlyFigure:
    """Return the points over the middles of the bars, which carry the hover text and can be selected."""
    filled = np.flatnonzero(bars.counts)
    shares = _shares(bars)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": ((bars.edges[:-1] + bars.edges[1:]) / 2)[filled].tolist(),
        "y": shares[filled].tolist(),
        "customdata": [[panel, int(at)] for at in filled],
        "marker": {"color": group_colour(bars.group, groups), "size": 9, "opacity": 0},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0}},
        "text": [
            f"{escape(bars.group)}<br>{bars.edges[at]:g} to {bars.edges[at + 1]:g}: {count(bars.counts[at])} "
            f"({share(shares[at], 1)})"
            for at in filled
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }


def _shares(bars: Bars) -> NDArray[np.float64]:
    return np.asarray(bars.counts / (bars.counts.sum() or 1))


HISTOGRAMS = "histograms"
"""Name of the figure."""


@computed_by(
    describe_groups, "results = {(each.measure, each.group): each.description for each in found.descriptions}"
)
def distributions_section(study: Study, spec: DistributionSpec, comparison: str) -> Iterator[Block]:
    """Yield where the groups' ratings lie on the scale; `comparison` is the title of the page that compares groups."""
    found = describe_groups(study, spec)
    if not found.descriptions:
        yield not_enough_data(
            "None of the chosen measures has ratings. Choose others, or exclude and filter less."
        )
        return
    yield distribution_finding(study, found.descriptions, comparison)
    yield _figure(study, found)
    yield descriptions_table(found.descriptions, study.raters_are_persons)
    yield from undefined_warnings(found.descriptions)
    yield method_of("distributions", "descriptions", ["iskender2020"])


def _figure(study: Study, found: Distributions) -> Figure:
    has_items = found.spec.values == "item means"
    values, counted = ("item MOS", "items") if has_items else ("single ratings", "ratings")

    def draw(look: Look) -> dict[str, Any]:
        return histograms(list(found.histograms.items()), study.groups, look, counted)

    hint = "Click a bar to see its items." if has_items else ""
    return Figure(HISTOGRAMS, ("Distribution of {values} by group.", {"values": values}), draw, hint=hint)


def distributions_card(study: Study, comparison: str) -> Iterator[Block]:
    """Yield the finding, and the histogram of the measure with the largest gap."""
    described = describe_groups(study, DistributionSpec(measures=())).descriptions
    widest = (largest_gap(described),) if described else ()
    yield from card_of(distributions_section(study, DistributionSpec(measures=widest), comparison))
