"""Curves along the number of ratings or votes per item, one small panel per measure or comparison."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.knee import FittedCurves
from features.plotting.figure import PlotlyFigure
from features.plotting.panels import LEGEND_ON_TOP, Grid, grid, panel_title
from features.plotting.theme import SHUFFLE_GREY, Look, translucent

SINGLE_LINES = 10
"""Shuffles up to which each is a line; more are drawn as median and band."""
MOST_MARKED = 12
"""Ratings per item up to which each has a mark on its line."""
Band = tuple[NDArray[np.float64], NDArray[np.float64]] | None
"""Ends (m,) of a curve's interval, where they are known and not drawn elsewhere."""
Spread = Sequence[NDArray[np.float64]]
"""Low quantile, median and high quantile (m,) of the shuffles."""


def repetition_curves(
    fitted: Sequence[FittedCurves],
    y_title: str,
    color: str,
    look: Look,
    given: str = "ratings",
    bands: Sequence[Band] = (),
) -> PlotlyFigure:
    """Draw the measured order, shuffles, fitted curve and knee of each measure along `given`, ratings or votes."""
    longest = max((one.longest for one in fitted), default=1)
    bands = bands or [None] * len(fitted)
    spreads = [quantiles(one.curves.shuffled, (0.05, 0.5, 0.95)) for one in fitted]
    made = grid(
        look,
        [panel_title(one.measure) for one in fitted],
        x_title=f"{given.capitalize()} per item",
        y_title=y_title,
        x_axis={"range": [0.5, longest + 0.5], **({"dtick": 1} if longest <= 6 else {})},
        legend=LEGEND_ON_TOP,
        y_axis={"range": _range(fitted, spreads, bands)},
        hovermode="x",
    )
    made.layout["shapes"] = []
    traces: list[PlotlyFigure] = []
    for at, (one, spread, band) in enumerate(zip(fitted, spreads, bands, strict=True)):
        drawn = _traces(one, spread, band, color, look, given, in_legend=at == 0)
        traces += [trace | made.on(at) for trace in drawn]
        if one.knee is not None:
            _mark_knee(made, at, one.knee, look)
    return {"data": traces, "layout": made.layout}


def _range(fitted: Sequence[FittedCurves], spreads: Sequence[Spread], bands: Sequence[Band]) -> list[float]:
    """Return the range of what is drawn, at full tenths, so that a new shuffle moves no axis."""
    drawn = [
        row
        for one, (low, _, high), band in zip(fitted, spreads, bands, strict=True)
        for row in (
            one.curves.measured,
            low,
            high,
            *_beyond(one),
            *(band or ()),
        )
    ]
    values = np.concatenate(drawn) if drawn else np.zeros(0)
    values = values[~np.isnan(values)]
    if not len(values):
        return [0.0, 1.0]
    return [float(np.floor(10 * values.min()) / 10), float(np.ceil(10 * values.max()) / 10)]


def _beyond(one: FittedCurves) -> list[NDArray[np.float64]]:
    return [] if one.beyond is None else [one.beyond.curve, one.beyond.reliability]


def _traces(
    one: FittedCurves, spread: Spread, band: Band, color: str, look: Look, given: str, in_legend: bool
) -> list[PlotlyFigure]:
    m = one.curves.repetitions
    x = list(range(1, m + 1))
    traces = _shuffles(one.curves.shuffled, spread, x, given, in_legend)
    for at, end in enumerate(band or ()):
        thin = {"color": translucent(color, 0.7), "width": 1, "dash": "dot"}
        traces.append(_line(x, end, "Curve, 95%", thin, given, in_legend and at == 0))
    if one.saturation.defined:
        traces.append(
            _line(x, one.saturation.at(x), "Fitted", {"color": look.ink, "width": 1.5}, given, in_legend)
        )
    if one.beyond is not None:
        dotted = {"color": look.ink, "width": 1.5, "dash": "dot"}
        dashed = {"color": look.ink, "width": 1.5, "dash": "dash"}
        on, every = list(range(m, one.longest + 1)), list(range(1, one.longest + 1))
        traces += [
            _line(on, one.beyond.curve[m - 1 :], "Carried on by formula", dotted, given, in_legend),
            _line(every, one.beyond.reliability, "Reliability of the mean", dashed, given, in_legend),
        ]
    measured = _line(
        x, one.curves.measured, "Measured order", {"color": color, "width": 1.6}, given, in_legend
    )
    if m <= MOST_MARKED:
        measured |= {"mode": "lines+markers", "marker": {"size": 3.5 if m > 2 else 8, "color": color}}
    return [*traces, measured]


def _shuffles(
    shuffled: NDArray[np.float64], spread: Spread, x: list[int], given: str, in_legend: bool
) -> list[PlotlyFigure]:
    k = len(shuffled)
    if k == 0:
        return []
    thin = {"color": translucent(SHUFFLE_GREY, 0.55), "width": 1}
    if k <= SINGLE_LINES:
        return [
            _line(x, row, "Shuffles", thin, given, in_legend and at == 0) for at, row in enumerate(shuffled)
        ]
    low, middle, high = spread
    band = {
        "type": "scatter",
        "mode": "lines",
        "x": [*x, *reversed(x)],
        "y": [*_shown(high), *reversed(_shown(low))],
        "fill": "toself",
        "fillcolor": translucent(SHUFFLE_GREY, 0.28),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "name": "Shuffles, 5–95%",
        "legendgroup": "band",
        "showlegend": in_legend,
    }
    median = _line(x, middle, "Shuffles, median", {"color": SHUFFLE_GREY, "width": 1.3}, given, in_legend)
    return [band, median]


def quantiles(rows: NDArray[np.float64], shares: Sequence[float]) -> list[NDArray[np.float64]]:
    """Return quantiles of each column over the rows that are defined there; NaN where none is."""
    if not len(rows):
        return [np.full(rows.shape[1], np.nan) for _ in shares]
    ordered = np.sort(rows, axis=0)  # NaN last
    there = (~np.isnan(ordered)).sum(axis=0)
    columns = np.arange(rows.shape[1])
    rows_of_quantiles = []
    for share in shares:
        place = share * np.maximum(there - 1, 0)
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, np.maximum(there - 1, 0))
        part = place - below
        value = ordered[below, columns] * (1 - part) + ordered[above, columns] * part
        rows_of_quantiles.append(np.where(there > 0, value, np.nan))
    return rows_of_quantiles


def _line(
    x: list[int], y: NDArray[np.float64], name: str, line: PlotlyFigure, given: str, in_legend: bool
) -> PlotlyFigure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": _shown(y),
        "name": name,
        "legendgroup": name,
        "showlegend": in_legend,
        "line": line,
        "hovertemplate": f"%{{x}} {given}: {name.lower()} %{{y:.3f}}<extra></extra>",
    }


def _shown(y: NDArray[np.float64]) -> list[float | None]:
    """Return values rounded to what a screen can show, with gaps where they are undefined."""
    return [None if value != value else round(value, 4) for value in np.asarray(y).tolist()]


def _mark_knee(made: Grid, at: int, knee: int, look: Look) -> None:
    made.layout["shapes"].append(
        {
            "type": "line",
            "x0": knee,
            "x1": knee,
            "y0": 0,
            "y1": 1,
            "xref": made.xaxes[at],
            "yref": f"{made.yaxes[at]} domain",
            "line": {"color": look.ink, "width": 1, "dash": "dot"},
        }
    )
    made.layout["annotations"].append(
        {
            "text": f"knee <b>{knee}</b>",
            "x": knee,
            "y": 0,
            "xref": made.xaxes[at],
            "yref": f"{made.yaxes[at]} domain",
            "xanchor": "left",
            "yanchor": "bottom",
            "xshift": 3,
            "showarrow": False,
            "font": {"size": 12, "color": look.ink},
        }
    )
