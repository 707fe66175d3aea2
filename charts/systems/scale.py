"""One scale for all systems: dots with intervals in clusters, and who beat whom."""

from collections.abc import Sequence
from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.systems.bradley_terry import ABOVE, BELOW, ON, Scale
from analysis.systems.goodness_of_fit import GoodnessOfFit
from analysis.systems.scale_intervals import ScaleIntervals, chances, strengths
from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.numbers import count, decimal, interval, share
from features.plotting.theme import GROUP_COLOURS, Look, axis, escape, layout, shorten
from features.plotting.whiskers import chart, ends, interval_lines, span

Axis = Literal["chance", "strength"]
MOST_SYSTEMS = 30
"""Systems drawn; of more, the strongest."""
WINS, LOSES = GROUP_COLOURS[0], GROUP_COLOURS[5]
TITLES = {
    "chance": "Chance to win against an average system",
    "strength": "Log-strength (average system: 0)",
}
_ROW, _LOW_ROW = 24, 17
"""Height of a row in pixels, and where there are many."""
_MANY = 15


def scale_dots(scale: Scale, look: Look, drawn: ScaleIntervals | None = None, on: Axis = "chance") -> Figure:
    """Systems from the strongest to the weakest, with whiskers once they are `drawn`; a line parts clusters.

    A system beyond the scale is a hollow triangle at the edge it lies behind; one that cannot be compared has the
    word 'apart' in its place. An open end of an interval runs to the edge.
    """
    order = scale.order[:MOST_SYSTEMS].tolist()
    estimates = chances(scale, drawn) if on == "chance" else strengths(scale, drawn)
    middle = 0.5 if on == "chance" else 0.0
    low, high = _span([estimates[at] for at in order], middle, on)
    clusters = [int(drawn.cluster[at]) if drawn else 0 for at in order]
    clustered = max(clusters, default=0) > 1
    dividers = [
        _line(look, y=row - 0.5)
        for row in range(1, len(order))
        if clusters[row] != clusters[row - 1] and clusters[row] and clusters[row - 1]
    ]
    hover = {at: _hover(scale, estimates[at], at, drawn, on) for at in order}
    known = [(row, at) for row, at in enumerate(order) if scale.position[at] == ON]
    traces = []
    if drawn:
        traces.append(
            interval_lines(
                [
                    (row, low if isnan(e.low) else e.low, high if isnan(e.high) else e.high)
                    for row, e in ((row, estimates[at]) for row, at in known)
                    if not (isnan(e.low) and isnan(e.high))
                ],
                WINS,
                1.6,
            )
        )
    traces.append(
        _marks(
            [(row, estimates[at].value, hover[at]) for row, at in known],
            {"size": 9, "color": WINS, "symbol": "circle"},
        )
    )
    pad = 0.02 * (high - low)
    beyond = {ABOVE: ("triangle-right-open", high - pad), BELOW: ("triangle-left-open", low + pad)}
    off = [(row, at, int(scale.position[at])) for row, at in enumerate(order) if scale.position[at] != ON]
    traces.append(
        _marks(
            [(row, beyond[where][1], hover[at]) for row, at, where in off if where in beyond],
            {
                "size": 10,
                "color": look.faint,
                "symbol": [beyond[where][0] for _, _, where in off if where in beyond],
            },
        )
    )
    apart = [(row, middle, hover[at]) for row, at, where in off if where not in beyond]
    traces.append(
        _marks(apart, {})
        | {
            "mode": "text",
            "text": ["apart"] * len(apart),
            "hovertext": [text for _, _, text in apart],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "textfont": {"size": 11, "color": look.faint},
        }
    )
    return chart(
        [shorten(scale.systems[at], 18) for at in order],
        [trace for trace in traces if trace["x"]],
        {"title": TITLES[on], "range": [low, high], "nticks": 6}
        | ({"tickformat": ".0%"} if on == "chance" else {}),
        {"range": [max(len(order), 1) - 0.4, -0.6]},
        look,
        margin=(10, 64 if clustered else 10, 26, 46),
        height=86 + _row(len(order)) * max(len(order), 3),
        shapes=[_line(look, x=middle, dash="dot"), *dividers],
        annotations=[*(_cluster_labels(clusters, look) if clustered else []), *_drawn(scale, order, look)],
    )


def _cluster_labels(clusters: Sequence[int], look: Look) -> list[Figure]:
    return [
        _label(f"cluster {cluster}", look, x=1.01, xanchor="left", y=clusters.index(cluster), yref="y")
        for cluster in sorted(set(clusters) - {0})
    ]


def _drawn(scale: Scale, order: Sequence[int], look: Look) -> list[Figure]:
    """The remark that not all systems are drawn, where so."""
    if len(order) == len(scale.systems):
        return []
    text = f"the strongest {len(order)} of {count(len(scale.systems))} systems"
    return [_label(text, look, y=1, yref="paper", yanchor="bottom")]


def win_matrix(scale: Scale, look: Look, fit: GoodnessOfFit | None = None) -> Figure:
    """Share of comparisons that the row's system won against the column's, a tie counting half, in percent.

    Columns carry the numbers of the rows, so that the picture stays readable on a phone. A click on a cell gives both
    systems' places in `scale.systems`.
    """
    order = scale.order[:MOST_SYSTEMS]
    k = len(order)
    compared = scale.compared[np.ix_(order, order)]
    points = (scale.wins + scale.ties / 2)[np.ix_(order, order)]
    shares = np.divide(points, compared, out=np.full((k, k), np.nan), where=compared > 0)
    # the nearest middle is that of the cell under the pointer, however wide cells are
    made = layout(look, height=96 + _row(k) * max(k, 4), hovermode="closest", hoverdistance=-1)
    made["margin"] = {"l": 10, "r": 10, "t": 44, "b": 10}
    made["yaxis"] = axis(
        look,
        tickvals=list(range(k)),
        ticktext=[f"{shorten(scale.systems[at], 18)}  {row + 1}" for row, at in enumerate(order)],
        range=[k - 0.5, -0.5],
        showgrid=False,
    )
    numbered = [row for row in range(k) if k <= _MANY or row == 0 or row % 5 == 4]
    made["xaxis"] = axis(
        look,
        side="top",
        tickvals=numbered,
        ticktext=[str(row + 1) for row in numbered],
        tickangle=0,
        range=[-0.5, k - 0.5],
        showgrid=False,
    )
    text = "Row beats column, %"
    if k < len(scale.systems):
        text += f"; {k} of {count(len(scale.systems))} systems"
    title = _label(text, look, x=0, xanchor="left", y=1, yref="paper", yanchor="bottom", yshift=20)
    made["annotations"] = [title]
    cells = _rows(shares)
    places = order.tolist()
    middles = {
        "type": "scatter",
        "mode": "markers",
        "x": [column for _ in range(k) for column in range(k)],
        "y": [row for row in range(k) for _ in range(k)],
        "customdata": [[i, j] for i in places for j in places],
        "marker": {"size": 9, "opacity": 0},
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "hovertext": [_pair(scale, fit, i, j) for i in places for j in places],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    trace = {
        "type": "heatmap",
        "x": list(range(k)),
        "y": list(range(k)),
        "z": cells,
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, LOSES], [0.5, "#262C34" if look.dark else "#F1F2F4"], [1, WINS]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "text": [["" if cell is None else f"{100 * cell:.0f}" for cell in row] for row in cells],
        "texttemplate": "%{text}",
        "hoverinfo": "skip",
    }
    return {"data": [trace, middles] if k else [trace], "layout": made}


def _row(rows: int) -> int:
    return _ROW if rows <= _MANY else _LOW_ROW


def _rows(values: NDArray[np.float64]) -> list[list[float | None]]:
    return [[None if isnan(value) else value for value in row] for row in values.tolist()]


def _pair(scale: Scale, fit: GoodnessOfFit | None, i: int, j: int) -> str:
    one, other = escape(scale.systems[i]), escape(scale.systems[j])
    compared = scale.compared[i, j]
    if i == j:
        return one
    if compared == 0:
        return f"{one} and {other} were never compared"
    points = (scale.wins[i, j] + scale.ties[i, j] / 2) / compared
    text = (
        f"{one} against {other}: {share(points, 1)} of {count(compared)} comparisons<br>{count(scale.wins[i, j])} "
        f"won, {count(scale.ties[i, j])} tied, {count(scale.wins[j, i])} lost"
    )
    if fit is not None and not isnan(fit.expected[i, j]):
        text += f"<br>the scale expects {share(fit.expected[i, j] / compared, 1)}"
    return text


def _hover(scale: Scale, estimate: Estimate, at: int, drawn: ScaleIntervals | None, on: Axis) -> str:
    name = escape(scale.systems[at])
    if not estimate.defined:
        return f"{name}<br>{escape(estimate.reason)}"
    value = share(estimate.value, 1) if on == "chance" else decimal(estimate.value, 3)
    text = f"{name}<br>{value}"
    if drawn is not None and not drawn.reason:
        ends = (
            f"{share(estimate.low, 1)} to {share(estimate.high, 1)}"
            if on == "chance"
            else interval(estimate, 3)
        )
        low, high = int(drawn.rank_low[at]), int(drawn.rank_high[at])
        text += f" ({ends})<br>rank {low}" + ("" if low == high else f" to {high}")
    return f"{text}<br>{count(estimate.n)} comparisons"


def _span(estimates: Sequence[Estimate], middle: float, on: Axis) -> tuple[float, float]:
    """The axis: everything finite and the middle, with some room at both ends."""
    inside = ends(e for e in estimates if e.defined)
    low, high = span([middle - 0.1, middle + 0.1, *inside], 0.08)
    return (max(low, -0.02), min(high, 1.02)) if on == "chance" else (low, high)


def _marks(points: list[tuple[int, float, str]], marker: Figure) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x for _, x, _ in points],
        "y": [y for y, _, _ in points],
        "marker": marker,
        "text": [text for _, _, text in points],
        "hovertemplate": "%{text}<extra></extra>",
        "cliponaxis": False,
    }


def _line(look: Look, x: float | None = None, y: float | None = None, dash: str = "solid") -> Figure:
    """A line across the whole picture: upright at `x`, or level at `y`."""
    where = (
        {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper"}
        if y is None
        else {"x0": 0, "x1": 1, "xref": "paper", "y0": y, "y1": y}
    )
    return {
        "type": "line",
        "layer": "below",
        "line": {"color": look.faint, "width": 1, "dash": dash},
        **where,
    }


def _label(text: str, look: Look, **place: Any) -> Figure:
    return {
        "text": text,
        "x": 1,
        "xref": "paper",
        "xanchor": "right",
        "showarrow": False,
        "font": {"size": 11, "color": look.faint},
        **place,
    }
