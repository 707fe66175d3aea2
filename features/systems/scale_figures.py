"""One scale for all systems: dots with intervals in clusters, and the wins of each pair."""

from collections.abc import Sequence
from math import isnan

import numpy as np

from analysis.systems.bradley_terry import ABOVE, BELOW, ON, Scale
from analysis.systems.goodness_of_fit import GoodnessOfFit
from analysis.systems.scale_intervals import ScaleIntervals, chances, strengths
from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right, level, remark, upright
from features.plotting.numbers import count, share
from features.plotting.theme import GROUP_COLOURS, Look, axis, escape, layout, shorten
from features.plotting.whiskers import chart, ends, interval_lines, span
from features.systems.scale_findings import EXACT, TENTH, between, ranks_of
from features.systems.scale_results import Axis

MOST_SYSTEMS = 30
"""Systems drawn; of more, the strongest."""
WINS, LOSES = GROUP_COLOURS[0], GROUP_COLOURS[5]
TITLES: dict[Axis, str] = {
    "chance": "Chance to win against an average system",
    "strength": "Log-strength (average system: 0)",
}
_Mark = tuple[int, float, str, int]
"""Row, value, hover text, and where the system lies as seen from the scale."""
_ROW, _LOW_ROW, _MANY = 24, 17, 15
"""Height of a row in pixels, the same of many, and how many are many."""


def scale_dots(scale: Scale, drawn: ScaleIntervals | None, on: Axis, look: Look) -> Figure:
    """Draw systems from the strongest to the weakest, with whiskers where there are intervals, and lines of clusters.

    A system beyond the scale is a hollow triangle at the edge it lies behind; one that cannot be compared has the
    words 'not connected' in its place. An open end of an interval runs to the edge.
    """
    order = scale.order[:MOST_SYSTEMS].tolist()
    estimates = chances(scale, drawn) if on == "chance" else strengths(scale, drawn)
    middle = 0.5 if on == "chance" else 0.0
    low, high = _span([estimates[at] for at in order], middle, on)
    clusters = [int(drawn.cluster[at]) if drawn else 0 for at in order]
    known, beyond, apart = list[_Mark](), list[_Mark](), list[_Mark]()
    edges = {ABOVE: high - 0.02 * (high - low), BELOW: low + 0.02 * (high - low)}
    symbols = {ABOVE: "triangle-right-open", BELOW: "triangle-left-open"}
    for row, at in enumerate(order):
        where, hover = int(scale.position[at]), _hover(scale, estimates[at], at, drawn, on)
        kind = known if where == ON else beyond if where in edges else apart
        kind.append((row, edges.get(where, middle) if where != ON else estimates[at].value, hover, where))
    lines = [
        (row, low if isnan(e.low) else e.low, high if isnan(e.high) else e.high)
        for row, e in ((row, estimates[order[row]]) for row, *_ in known)
        if not (isnan(e.low) and isnan(e.high))
    ]
    off = {"size": 10, "color": look.faint, "symbol": [symbols[where] for *_, where in beyond]}
    font = {"size": 11, "color": look.faint}
    traces = [
        interval_lines(lines, WINS, 1.6),
        _marks(known, marker={"size": 9, "color": WINS, "symbol": "circle"}),
        _marks(beyond, marker=off),
        _marks(apart, "hovertext", mode="text", text=["not connected"] * len(apart), textfont=font),
    ]
    dividers = [
        level(row - 0.5, look.faint)
        for row in range(1, len(order))
        if clusters[row] != clusters[row - 1] and clusters[row] and clusters[row - 1]
    ]
    several = sorted(set(clusters) - {0}) if dividers else []
    labels = [
        remark(f"cluster {one}", look, 11, x=1.01, xanchor="left", y=clusters.index(one), yref="y")
        for one in several
    ]
    return chart(
        [shorten(scale.systems[at], 18) for at in order],
        [trace for trace in traces if trace["x"]],
        {"title": TITLES[on], "range": [low, high], "nticks": 6}
        | ({"tickformat": ".0%"} if on == "chance" else {}),
        {"range": [max(len(order), 1) - 0.4, -0.6]},
        look,
        margin=(10, 64 if several else 10, 26, 46),
        height=86 + _row(len(order)) * max(len(order), 3),
        shapes=[upright(middle, look.faint, layer="below"), *dividers],
        annotations=[*labels, *_how_many(scale, "the strongest ", look)],
    )


def win_matrix(scale: Scale, fit: GoodnessOfFit, look: Look) -> Figure:
    """Draw the share of comparisons that the row's system won against the column's, a tie counting half, in percent.

    Columns carry the numbers of the rows, so that the picture stays readable on a phone. A click on a cell gives both
    systems' places in `scale.systems`.
    """
    order = scale.order[:MOST_SYSTEMS]
    places, k = order.tolist(), len(order)
    compared = scale.compared[np.ix_(order, order)]
    points = (scale.wins + scale.ties / 2)[np.ix_(order, order)]
    shares = np.divide(points, compared, out=np.full((k, k), np.nan), where=compared > 0)
    cells = [[None if isnan(value) else value for value in row] for row in shares.tolist()]
    numbered = [row for row in range(k) if k <= _MANY or row == 0 or row % 5 == 4]
    names = [f"{shorten(scale.systems[at], 18)}  {row + 1}" for row, at in enumerate(places)]
    title = remark("Row beats column, %", look, 11, x=0, xanchor="left", y=1, yanchor="bottom", yshift=20)
    # the nearest middle is that of the cell under the pointer, however wide cells are
    made = layout(
        look,
        height=96 + _row(k) * max(k, 4),
        hovermode="closest",
        hoverdistance=-1,
        plot_bgcolor=look.grid,  # of pairs that were never compared
        margin={"l": 10, "r": 10, "t": 44, "b": 10},
        annotations=[title, *_how_many(scale, "", look, yshift=20)],
    )
    ends_of, hidden = [-0.5, k - 0.5], {"marker": {"opacity": 0}}
    made["yaxis"] = axis(look, tickvals=list(range(k)), ticktext=names, range=ends_of[::-1], showgrid=False)
    made["xaxis"] = axis(look, side="top", tickangle=0, tickvals=numbered, range=ends_of, showgrid=False)
    made["xaxis"]["ticktext"] = [str(row + 1) for row in numbered]
    cells_at = [(row, column) for row in range(k) for column in range(k)]
    middles = _marks(
        [(row, column, _pair(scale, fit, places[row], places[column]), ON) for row, column in cells_at],
        "hovertext",
        customdata=[[places[row], places[column]] for row, column in cells_at],
        marker={"size": 9, "opacity": 0},
        selected=hidden,
        unselected=hidden,
    )
    trace = {
        "type": "heatmap",
        "x": list(range(k)),
        "y": list(range(k)),
        "z": cells,
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, LOSES], [0.5, look.ground], [1, WINS]],
        "showscale": not look.narrow,
        "colorbar": {"thickness": 10, "outlinewidth": 0, "tickvals": [0, 0.5, 1], "tickformat": ".0%"},
        "xgap": 1,
        "ygap": 1,
        "text": [["" if cell is None else f"{100 * cell:.0f}" for cell in row] for row in cells],
        "texttemplate": "%{text}",
        "hoverinfo": "skip",
    }
    return {"data": [trace, middles] if k else [trace], "layout": made}


def _row(rows: int) -> int:
    return _ROW if rows <= _MANY else _LOW_ROW


def _how_many(scale: Scale, which: str, look: Look, **place: object) -> list[Figure]:
    """Return the remark that not all systems are drawn, where so."""
    k = len(scale.systems)
    text = f"{which}{MOST_SYSTEMS} of {count(k)} systems"
    return [at_top_right(text, look, 11, **place)] if k > MOST_SYSTEMS else []


def _pair(scale: Scale, fit: GoodnessOfFit, i: int, j: int) -> str:
    one, other = escape(scale.systems[i]), escape(scale.systems[j])
    compared = scale.compared[i, j]
    if i == j:
        return one
    if compared == 0:
        return f"{one} and {other} were never compared"
    won, tied, lost = (count(number) for number in (scale.wins[i, j], scale.ties[i, j], scale.wins[j, i]))
    points = (scale.wins[i, j] + scale.ties[i, j] / 2) / compared
    text = f"{one} against {other}: {share(points, 1)} of {count(compared)} comparisons"
    text += f"<br>{won} won, {tied} tied, {lost} lost"
    expected = fit.expected[i, j] / compared
    return text if isnan(expected) else f"{text}<br>the scale expects {share(expected, 1)}"


def _hover(scale: Scale, estimate: Estimate, at: int, drawn: ScaleIntervals | None, on: Axis) -> str:
    name, write = escape(scale.systems[at]), TENTH if on == "chance" else EXACT
    if not estimate.defined:
        return f"{name}<br>{escape(estimate.reason)}"
    told = write(estimate.value)
    if drawn is not None and not drawn.reason:
        told += f" ({between(estimate, write)})<br>rank {ranks_of(drawn, at)}"
    return f"{name}<br>{told}<br>{count(estimate.n)} comparisons"


def _span(estimates: Sequence[Estimate], middle: float, on: Axis) -> tuple[float, float]:
    """Return the axis: everything finite and the middle, with some room at both ends."""
    inside = ends(e for e in estimates if e.defined)
    low, high = span([middle - 0.1, middle + 0.1, *inside], 0.08)
    return (max(low, -0.02), min(high, 1.02)) if on == "chance" else (low, high)


def _marks(points: Sequence[_Mark], hover: str = "text", **more: object) -> Figure:
    """Return marks as one trace; `hover` is the field that holds their hover texts."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x for _, x, *_ in points],
        "y": [y for y, *_ in points],
        hover: [text for _, _, text, _ in points],
        "hovertemplate": f"%{{{hover}}}<extra></extra>",
        "cliponaxis": False,
        **more,
    }
