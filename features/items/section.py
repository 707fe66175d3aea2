"""Sections of "Items": the list of all items of a measure, one item, and one rater."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.blocks import MAIN, Block, Figure, Note, Table, Text, clear, in_stages, method_of
from features.items import findings
from features.items.results import ItemList, ItemsSpec, describe_item, item_stages, list_items, ratings_by
from features.plotting.panels import at_top_right, remark
from features.plotting.series import dots_by_group
from features.plotting.theme import GROUP_COLOURS, Look, PlotlyFigure, axis, count, layout, shorten
from features.program import computed_by
from features.study import Study
from features.words import counted, listed, stacked

MOST_POINTS = 5000
"""Points that are drawn; of more, those that stand out and the first."""
MOST_NAMED = 6
"""Points that are named in the figure, where no more stand out."""
_USUAL, _STANDS_OUT = GROUP_COLOURS[0], GROUP_COLOURS[5]


def item_points(found: ItemList, look: Look) -> PlotlyFigure:
    """Draw a point per item shown, at its MOS and what the items are sorted by."""
    if found.spec.order == "faults":
        stands_out, title = found.is_faulty, "r with agreement"
    else:
        stands_out, title = found.is_disputed, "SD of the item's ratings"
    x = np.where(found.is_shown, found.spread.mean, np.nan)
    out = int(stands_out.sum())
    told = f"Diamonds: {count(out)} of {count(len(stands_out))} items" if out else ""
    return points(x, found.height, found.names.tolist(), stands_out, ("MOS", title), look, told)


def points(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    names: Sequence[str],
    stands_out: NDArray[np.bool_],
    titles: tuple[str, str],
    look: Look,
    told: str = "",
) -> PlotlyFigure:
    """Draw a point per name at (x, y), diamonds for what stands out; `customdata` is the place among the names."""
    made = layout(look, height=420, hovermode="closest", margin={"l": 56, "r": 14, "t": 24, "b": 54})
    made["xaxis"], made["yaxis"] = axis(look, titles[0]), axis(look, titles[1])
    drawn = ~(np.isnan(x) | np.isnan(y))
    traces = []
    for out, color, symbol in ((False, _USUAL, "circle"), (True, _STANDS_OUT, "diamond")):
        at = np.flatnonzero(drawn & (stands_out == out))[:MOST_POINTS]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": x[at].tolist(),
                "y": y[at].tolist(),
                "customdata": at.tolist(),
                "marker": {"size": 11 if out else 8, "symbol": symbol, "color": color, "opacity": 0.85},
                "text": [shorten(names[place], 60) for place in at],
                "hovertemplate": "%{text}<br>(%{x:.2f}, %{y:.2f})<extra></extra>",
            }
        )
    named = np.flatnonzero(drawn & stands_out)
    made["annotations"] = [
        *([at_top_right(told, look)] if told else []),
        *(
            remark(
                shorten(names[at], 24),
                look,
                12,
                x=float(x[at]),
                xref="x",
                y=float(y[at]),
                yref="y",
                yshift=13,
            )
            for at in named.tolist()
            if len(named) <= MOST_NAMED
        ),
    ]
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}


NO_FAULTS: Text = (
    "Nobody is named who gave these ratings, so no item can be called faulty by raters who agree with the others.",
    {},
)
ITEMS, RATINGS_OF_RATER = "items", "rater_points"
"""Names of the figures that can be clicked."""
HINT = "A click on a point or a checked row leads to the item's ratings."
MOST_STANDING_OUT = 10
"""Items of a measure that a report prints."""


@computed_by(list_items)
def items_section(study: Study, spec: ItemsSpec) -> Iterator[Block]:
    """Yield the items of a measure that stand out: first those on which raters disagree, then with faulty items."""
    yield from findings.exclusion_finding(study, spec.measure)
    yield from in_stages(item_stages(study, spec), partial(_list_blocks, study, spec))
    yield method_of("items", "items", ["holm1979", "box1953"])


def _list_blocks(study: Study, spec: ItemsSpec, found: ItemList) -> Iterator[Block]:
    if not len(found.names):
        yield findings.no_items(spec.measure)
        return
    by_faults = spec.order == "faults"
    both = [
        findings.disagreement_finding(found, name="disagreement" if by_faults else MAIN),
        findings.faults_finding(found, name=MAIN if by_faults else "faults"),
    ]
    if study.raters_are_persons:
        yield from reversed(both) if by_faults else both
    else:
        yield both[0]
        yield Note(NO_FAULTS)
    yield from findings.shown_note(found)
    caption = "Items by MOS and {what}; diamonds stand out beyond chance."
    what = "r with agreement" if by_faults else "SD of their ratings"
    if np.isfinite(found.height[found.is_shown]).any():
        yield Figure(ITEMS, (caption, {"what": what}), partial(item_points, found), hint=HINT)
    if found.is_shown.any():
        yield findings.items_table(found)


@computed_by(describe_item, "results = found.means")
def item_section(study: Study, item: str) -> Iterator[Block]:
    """Yield one item's MOS by measure and group, and every rating of it."""
    yield from findings.exclusion_finding(study)
    found = describe_item(study, item)
    yield findings.item_finding(found, study.candidate, study.raters_are_persons)
    if not found.cells:
        return

    def draw(look: Look) -> dict[str, Any]:
        return dots_by_group(found.cells, study.groups, "MOS", look, guide=None)

    yield Figure("item_means", ("MOS of the item by measure and group, with 95% CI.", {}), draw)
    yield findings.means_table(found)
    yield findings.ratings_table(found.rows, "rater")
    yield method_of("items", "item", [])


@computed_by(ratings_by, "results = dict(enumerate(zip(found['item'], found['score'], found['others'])))")
def rater_section(study: Study, rater: str) -> Iterator[Block]:
    """Yield every rating by one rater, compared with the mean of the other raters of the item."""
    yield from findings.exclusion_finding(study)
    rows = ratings_by(study, rater)
    yield findings.rater_finding(rater, rows)
    if not len(rows["score"]):
        return
    names = rows["item"].tolist()

    def draw(look: Look) -> dict[str, Any]:
        titles = "Mean of the item's other raters", "Score by the rater"
        return points(rows["others"], rows["score"], names, np.zeros(len(names), np.bool_), titles, look)

    caption = "Each score by the rater and the mean of the item's other raters."
    yield Figure(RATINGS_OF_RATER, (caption, {}), draw, hint=HINT)
    yield findings.ratings_table(rows, "item")
    yield method_of("items", "rater", [])


def standing_out_section(study: Study) -> Iterator[Block]:
    """Yield the items of all measures that stand out, for a report."""
    every = [list_items(study, ItemsSpec(measure)) for measure in study.measures]
    rated = [found for found in every if len(found.names)]
    if not rated:
        return
    clean, out = [], dict[str, Table]()
    for found in rated:
        measure = found.spec.measure
        if found.is_disputed.any():
            yield findings.disagreement_finding(found, name=f"disagreement on {measure}")
        if found.is_faulty.any():
            yield findings.faults_finding(found, name=f"faults on {measure}")
        standing_out = found.rows[(found.is_disputed | found.is_faulty)[found.rows]]
        if len(standing_out):
            out[measure] = findings.items_table(found, standing_out[:MOST_STANDING_OUT])
        elif findings.can_stand_out(found):
            clean.append(measure)
    if clean:
        values = {"measures": listed(clean, 12) if len(clean) < 12 else counted(len(clean), "measure")}
        yield clear("No item stands out on {measures}.", values, findings.SCOPE, name="clean")
    if not clean and not out:
        yield findings.disagreement_finding(rated[0])
    if out:
        caption = "Items on which raters disagree more than on the others, or that are possibly faulty."
        yield stacked("items", caption, "Measure", out)
    whole = {found.spec.measure: findings.items_table(found) for found in rated}
    yield replace(stacked("all-items", "Every item by measure.", "Measure", whole), fold="All items")
    yield method_of("items", "items", ["holm1979", "box1953"])
