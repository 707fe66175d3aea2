"""Figures of groups compared: dots of correlations and differences, items on both sides, every two groups."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.comparison import Comparison, OrderSummary
from analysis.comparison.level_tests import same_scale
from analysis.values.estimate import Estimate
from features.comparison.findings import level_p, tests_of
from features.comparison.results import MOST_NAMED, Compared, ItemMos
from features.plotting.panels import at_top_right, grid, horizontal_line, panel_title, remark
from features.plotting.series import MOST_ROWS, Cell, dots_by_group
from features.plotting.shades import correlation_cells, matrix_layout
from features.plotting.theme import (
    THREE_DIGITS,
    Look,
    NumberFormat,
    PlotlyFigure,
    decimal,
    escape,
    estimate_in_table,
    point_marker,
    shorten,
    translucent,
)

MOST_POINTS = 4000
"""Points of all panels together; a browser is slow with more."""
_BINS = 40
_PLACES, _FEW = 20, 3
"""Places along each axis of a panel; the items in a place with so few are isolated."""
_CELL = 34
Digits = tuple[int, int]
"""Decimals of x and y in hover boxes."""


def order_dots(by_group: Mapping[str, Compared], groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw each group's correlation with the reference by measure, the highest on top; write the lowest of one."""
    cells = _cells(by_group, lambda one: one.spearman)
    title = f"Spearman's ρ with {shorten(_reference(by_group))}{_sorted(cells)}"
    made = dots_by_group(cells, groups, title, look)
    if len(by_group) > 1:
        return made
    return _label(made, cells, min(cells, key=lambda cell: cell[2].value), decimal, look)


def level_dots(by_group: Mapping[str, Compared], groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw each group's difference from the reference by measure, hollow where it is not significant after Holm."""
    cells = _cells(by_group, difference_of)
    title = f"Difference from {shorten(_reference(by_group))}, scale points{_sorted(cells)}"

    def format_of(row: str, group: str) -> NumberFormat:
        c = by_group[group]
        return c.difference_formats[list(c.measures).index(row) if row in c.measures else 0]

    made = dots_by_group(cells, groups, title, look, format_of=format_of)
    tests = {group: tests_of(c, level_p) for group, c in by_group.items()}
    is_by_group = all(row == group for row, group, _ in cells)
    found = {
        (group if is_by_group else measure, group)
        for group, (_, significant) in tests.items()
        for measure, *_ in significant
    }
    for trace in made["data"]:
        shown = [(row, of) in found for row, of, _ in cells if escape(of) == trace["name"]]
        symbol = trace["marker"]["symbol"]
        trace["marker"] = trace["marker"] | {
            "symbol": [symbol if is_found else f"{symbol}-open" for is_found in shown]
        }
    most_tested = max(len(tested) for tested, _ in tests.values())
    if most_tested:
        remark_text = "hollow: not significant" + (" after Holm" if most_tested > 1 else "")
        made["layout"]["annotations"].append(at_top_right(remark_text, look, yshift=8))
        made["layout"]["margin"]["t"] += 12
    if len(by_group) > 1:
        return made
    most = max(cells, key=lambda cell: abs(cell[2].value))
    c = next(iter(by_group.values()))
    return _label(made, cells, most, c.difference_format(most[0]), look)


def _sorted(cells: Sequence[Cell]) -> str:
    """Return the order of the rows as an axis names it, where there are several."""
    return ", sorted" if len(cells) > 1 else ""


def difference_of(one: Comparison | OrderSummary) -> Estimate:
    """Return the difference in level, undefined where both sides are on different scales."""
    return one.mean_difference if isinstance(one, Comparison) and one.same_scale else Estimate(nan)


def _reference(by_group: Mapping[str, Compared]) -> str:
    return next(iter(by_group.values())).reference


def _cells(
    by_group: Mapping[str, Compared], read: Callable[[Comparison | OrderSummary], Estimate]
) -> list[Cell]:
    """Return the dots of a row by measure, sorted by the mean over groups, or of one measure by group."""
    cells = [
        (measure, group, estimate)
        for group, c in by_group.items()
        for measure, one in zip(c.measures, c.of, strict=True)
        if (estimate := read(one)).defined
    ]
    if len({measure for measure, _, _ in cells}) == 1 < len(by_group):
        cells = [(group, group, estimate) for _, group, estimate in cells]
    means: dict[str, list[float]] = {}
    for row, _, estimate in cells:
        means.setdefault(row, []).append(estimate.value)
    return sorted(cells, key=lambda cell: -float(np.mean(means[cell[0]])))


def _label(
    made: PlotlyFigure, cells: Sequence[Cell], at: Cell, write: NumberFormat, look: Look
) -> PlotlyFigure:
    """Write the number of a finding over its dot."""
    row = list(dict.fromkeys(row for row, _, _ in cells)).index(at[0])
    if row >= MOST_ROWS:
        return made
    place: PlotlyFigure = {"x": at[2].value, "y": row, "xref": "x", "yref": "y", "yshift": 13}
    font = {"size": 12, "color": look.ink}
    made["layout"]["annotations"].append(remark(write(at[2].value), look, font=font, **place))
    return made


def correlation_matrix(
    groups: Sequence[str], rho: Mapping[tuple[str, str], Estimate], measure: str, look: Look
) -> PlotlyFigure:
    """Draw the correlation of every two groups from -1 to 1; a click gives the row and the column."""
    names, places, nothing = [shorten(group, 18) for group in groups], range(len(groups)), Estimate(nan)
    both = [
        [rho.get((row, column)) or rho.get((column, row)) or nothing for column in groups] for row in groups
    ]
    hovers = [
        [
            f"{escape(groups[y])} and {escape(groups[x])}, {escape(measure)}<br>ρ = "
            f"{estimate_in_table(both[y][x], THREE_DIGITS)}"
            for x in places
        ]
        for y in places
    ]
    values = [[e.value if e.defined else None for e in row] for row in both]
    heat, *others = correlation_cells(values, hovers, look, title="ρ")
    heat["customdata"] = [[[y, x] for x in places] for y in places]
    made = matrix_layout(names, names, look, height=110 + _CELL * max(len(groups), 3))
    return {"data": [heat, *others], "layout": made}


def scatter(
    panels: Sequence[ItemMos],
    candidate: str,
    reference: str,
    color: str,
    look: Look,
    by_column: bool = False,
) -> PlotlyFigure:
    """Draw each item at (reference, candidate), with the line of identity; a column of numbers has no MOS.

    Measures on different scales have their own axes.
    """
    spans = _spans(panels)
    on_one = all(same_scale(panel.mos_candidate, panel.mos_reference) for panel in panels)
    alike = _have_one_scale(panels)
    made = grid(
        look,
        [panel_title(panel.measure, f"ρ = {decimal(panel.spearman.value)}") for panel in panels],
        x_title=shorten(reference) if by_column else f"MOS of {shorten(reference)}",
        y_title=f"MOS of {shorten(candidate)}",
        square=on_one,
        shared_x=alike or (by_column and not on_one),
        shared_y=alike,
    )
    traces: list[PlotlyFigure] = []
    for at, panel in enumerate(panels):
        digits = panel.score_digits[1], panel.score_digits[0]
        if on_one:
            low, high = spans[at]
            for axis in (made.xaxes[at], made.yaxes[at]):
                made.layout[f"{axis[0]}axis{axis[1:]}"]["range"] = [low, high]
            line = {"color": look.faint, "width": 1, "dash": "dash"}
            ends = {"x": [low, high], "y": [low, high], "mode": "lines", "line": line, "hoverinfo": "skip"}
            traces.append({"type": "scatter", **ends, **made.on(at)})
        most = MOST_POINTS // len(panels)
        drawn = _points(panel.mos_reference, panel.mos_candidate, panel, digits, color, most)
        traces += [trace | made.on(at) for trace in drawn]
    return {"data": traces, "layout": made.layout}


def differences(
    panels: Sequence[ItemMos], candidate: str, reference: str, color: str, look: Look
) -> PlotlyFigure:
    """Draw each item's difference against its mean, with the mean difference and limits of agreement (Bland-Altman)."""
    alike = _have_one_scale(panels)
    made = grid(
        look,
        [panel_title(panel.measure) for panel in panels],
        x_title="Mean of both groups' MOS",
        y_title=f"{shorten(candidate, 20)} − {shorten(reference, 20)}",
        y_axis=_range_around_zero(panels) if alike else {},
        shared_x=alike,
        shared_y=alike,
    )
    traces: list[PlotlyFigure] = []
    shapes: list[PlotlyFigure] = []
    for at, panel in enumerate(panels):
        middle = (panel.mos_candidate + panel.mos_reference) / 2
        difference = panel.mos_candidate - panel.mos_reference
        digits = max(panel.score_digits), panel.difference_digits
        drawn = _points(middle, difference, panel, digits, color, MOST_POINTS // len(panels))
        traces += [trace | made.on(at) for trace in drawn]
        where = {"xref": f"{made.xaxes[at]} domain", "yref": made.yaxes[at]}
        shapes += _levels(panel, look, where)
        made.layout["annotations"] += _level_labels(panel, look, where)
    made.layout["shapes"] = shapes
    return {"data": traces, "layout": made.layout}


def _points(
    x: NDArray[np.float64], y: NDArray[np.float64], panel: ItemMos, digits: Digits, color: str, most: int
) -> list[PlotlyFigure]:
    """Return every item as a point; of more than `most` their density, and isolated items as points."""
    if len(x) <= most:
        return [_dots(x, y, panel, digits, color, np.arange(len(x)))]
    density = _density(x, y, digits, color)
    if len(x) > MOST_NAMED:
        return [density]
    number, *edges = np.histogram2d(x, y, bins=_PLACES)
    places = (
        np.clip(np.searchsorted(edge, values, side="right") - 1, 0, _PLACES - 1)
        for edge, values in zip(edges, (x, y), strict=True)
    )
    beside = number[tuple(places)]
    apart = np.argsort(beside, kind="stable")[: min(most // 4, int((beside <= _FEW).sum()))]
    return [density, _dots(x, y, panel, digits, color, apart)]


def _place_in_hover(digits: Digits) -> str:
    return f"(%{{x:.{digits[0]}f}}, %{{y:.{digits[1]}f}})"


def _density(x: NDArray[np.float64], y: NDArray[np.float64], digits: Digits, color: str) -> PlotlyFigure:
    number, x_edges, y_edges = np.histogram2d(x, y, bins=_BINS)
    shown = np.where(number > 0, number, np.nan)
    return {
        "type": "heatmap",
        "x": ((x_edges[:-1] + x_edges[1:]) / 2).tolist(),
        "y": ((y_edges[:-1] + y_edges[1:]) / 2).tolist(),
        "z": [[None if isnan(cell) else int(cell) for cell in row] for row in shown.T],
        "colorscale": [[0, translucent(color, 0.3)], [1, color]],
        "showscale": False,
        "hovertemplate": f"%{{z}} items near {_place_in_hover(digits)}<extra></extra>",
    }


def _dots(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    panel: ItemMos,
    digits: Digits,
    color: str,
    shown: NDArray[np.int64],
) -> PlotlyFigure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x[shown].tolist(),
        "y": y[shown].tolist(),
        "marker": point_marker(color, 7) if len(x) <= 400 else point_marker(color, 4, many=True),
        "text": [shorten(name, 60) for name in panel.names[shown].tolist()],
        "customdata": [] if panel.codes is None else panel.codes[shown].tolist(),
        "hovertemplate": f"%{{text}}<br>{_place_in_hover(digits)}<extra></extra>",
    }


def _levels(panel: ItemMos, look: Look, where: PlotlyFigure) -> list[PlotlyFigure]:
    estimates = panel.mean_difference, *panel.limits
    bands = [
        {
            "type": "rect",
            "x0": 0,
            "x1": 1,
            "y0": estimate.low,
            "y1": estimate.high,
            "fillcolor": translucent(look.ink, 0.09),
            "line": {"width": 0},
            "layer": "below",
            **where,
        }
        for estimate in estimates
        if not isnan(estimate.low)
    ]
    lines = [
        horizontal_line(e.value, look.ink, 1.5 if e is panel.mean_difference else 1.2, dash, **where)
        for e, dash in zip(estimates, ("solid", "dot", "dot"), strict=True)
        if e.defined
    ]
    return [*bands, horizontal_line(0.0, look.faint, dash="solid", **where), *lines]


def _level_labels(panel: ItemMos, look: Look, where: PlotlyFigure) -> list[PlotlyFigure]:
    place: PlotlyFigure = {
        "x": 1,
        "xanchor": "right",
        "yanchor": "bottom",
        "font": {"size": 11, "color": look.ink},
    }
    return [
        remark(decimal(estimate.value, max(panel.score_digits)), look, y=estimate.value, **place, **where)
        for estimate in (panel.mean_difference, *panel.limits)
        if estimate.defined
    ]


def _have_one_scale(panels: Sequence[ItemMos]) -> bool:
    """Return True if the candidate's ratings of all measures may be on one scale."""
    rated = [panel.mos_candidate for panel in panels if len(panel.mos_candidate)]
    return all(same_scale(rated[0], other) for other in rated[1:])


def _spans(panels: Sequence[ItemMos]) -> list[tuple[float, float]]:
    """Return the range of each panel's scores; the same for all where their measures are on one scale."""
    scores = [[panel.mos_candidate, panel.mos_reference] for panel in panels]
    if _have_one_scale(panels):
        return [_span([values for both in scores for values in both])] * len(panels)
    return [_span(both) for both in scores]


def _range_around_zero(panels: Sequence[ItemMos]) -> PlotlyFigure:
    """Return a range for differences that are almost 0, around which Plotly would draw thousandths of a point."""
    low, high = _span([values for p in panels for values in (p.mos_candidate, p.mos_reference)])
    far = max((float(np.abs(p.mos_candidate - p.mos_reference).max(initial=0)) for p in panels), default=0.0)
    tenth = (high - low) / 10
    return {"range": [-tenth, tenth]} if far < tenth / 10 else {}


def _span(arrays: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    full = [array for array in arrays if len(array)]
    if not full:
        return 0.0, 1.0
    low, high = min(float(a.min()) for a in full), max(float(a.max()) for a in full)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room
