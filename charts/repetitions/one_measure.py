"""One measure in detail: both models of its curve with their limit, the knee against m, and aggregations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.aggregation import Aggregation
from analysis.repetitions.attenuation import Attenuation
from analysis.repetitions.knee import KneesByRepetitions
from analysis.repetitions.knee_intervals import KneeInterval
from analysis.repetitions.saturation import Saturation
from features.plotting.figure import Figure
from features.plotting.numbers import decimal
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_DASHES,
    GROUP_SYMBOLS,
    Look,
    axis,
    layout,
    translucent,
)

HEIGHT = 340


@dataclass(frozen=True)
class Models:
    """One measure: its mean curve over orders (m,), both fitted models, and the band where it is known."""

    mean: NDArray[np.float64]
    saturation: Saturation
    attenuation: Attenuation
    interval: KneeInterval | None


def models(shown: Models, correlation: str, colour: str, look: Look) -> Figure:
    """The mean curve with its interval, the exponential and the attenuation curve, both carried on to 2 m."""
    m = len(shown.mean)
    x, beyond = np.arange(1, m + 1), np.arange(1, max(2 * m, 2) + 1)
    made = layout(look, height=HEIGHT, showlegend=True, hovermode="x")
    made["legend"] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False}
    made["margin"] = {"l": 56, "r": 16, "t": 60, "b": 48}
    made["xaxis"] = axis(look, "Ratings per item", range=[0.5, len(beyond) + 0.5])
    made["yaxis"] = axis(look, correlation)
    made["shapes"] = [_upright(m, look)]
    made["annotations"] = [
        _note(m, 0, f"{m} collected", look, yref="y domain", yanchor="bottom", xanchor="left")
    ]
    traces = []
    if shown.interval is not None and np.isfinite(shown.interval.low).any():
        traces.append(_band(x, shown.interval, colour))
    traces.append(_line(x, shown.mean, "Mean over orders", colour, "solid", 2.2))
    if shown.saturation.defined:
        traces.append(_line(beyond, shown.saturation.at(beyond), "Exponential", look.ink, "solid", 1.4))
    if shown.attenuation.defined:
        traces.append(_line(beyond, shown.attenuation.at(beyond), "Attenuation", look.ink, "dash", 1.4))
        limit = shown.attenuation.rho_inf
        made["shapes"].append(_level(limit, look))
        told = f"limit {decimal(limit)}"
        made["annotations"].append(
            _note(len(beyond), limit, told, look, yref="y", yanchor="bottom", xanchor="right")
        )
    return {"data": traces, "layout": made}


def knees_by_repetitions(knees: KneesByRepetitions, m: int, knee: int | None, look: Look) -> Figure:
    """Where the knee would lie had one collected another number of ratings."""
    made = layout(look, height=HEIGHT, showlegend=True)
    made["legend"] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False}
    made["margin"] = {"l": 56, "r": 16, "t": 60, "b": 48}
    made["xaxis"] = axis(look, "Ratings per item collected (m)", range=[0, len(knees.repetitions) + 0.5])
    made["yaxis"] = axis(look, "Knee", rangemode="tozero")
    whole = np.where(knees.knee > 0, knees.knee, np.nan)
    traces = [
        _line(knees.repetitions, knees.closed_form, "Between whole numbers", look.faint, "dot", 1.4),
        _line(knees.repetitions, whole, "Knee", look.ink, "solid", 1.8),
    ]
    if knee is not None:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": [m],
                "y": [knee],
                "text": [f"<b>{knee}</b>"],
                "textposition": "top left",
                "marker": {"color": look.ink, "size": 9},
                "hovertemplate": "%{x} collected: knee at %{y}<extra></extra>",
                "showlegend": False,
            }
        )
    return {"data": traces, "layout": made}


def aggregations(curves: Mapping[Aggregation, NDArray[np.float64]], correlation: str, look: Look) -> Figure:
    """The mean curve (m,) of each aggregation, told apart by colour, dash and marker."""
    made = layout(look, height=HEIGHT, showlegend=True, hovermode="x")
    made["legend"] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    made["margin"] = {"l": 56, "r": 16, "t": 80, "b": 48}
    made["xaxis"] = axis(look, "Ratings per item")
    made["yaxis"] = axis(look, correlation)
    traces = []
    for at, (name, curve) in enumerate(curves.items()):
        style = at % len(GROUP_COLOURS)
        line = _line(
            np.arange(1, len(curve) + 1), curve, name, GROUP_COLOURS[style], GROUP_DASHES[style], 1.8
        )
        marker = {"symbol": GROUP_SYMBOLS[style], "size": 5, "color": GROUP_COLOURS[style]}
        traces.append(line | {"mode": "lines+markers", "marker": marker})
    return {"data": traces, "layout": made}


def _line(x: NDArray[Any], y: NDArray[np.float64], name: str, colour: str, dash: str, width: float) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x.tolist(),
        "y": [None if value != value else round(value, 4) for value in np.asarray(y, float).tolist()],
        "name": name,
        "line": {"color": colour, "dash": dash, "width": width},
        "hovertemplate": f"{name} %{{y:.3f}}<extra></extra>",
    }


def _band(x: NDArray[Any], interval: KneeInterval, colour: str) -> Figure:
    known = np.isfinite(interval.low)
    low, high, at = interval.low[known], interval.high[known], x[known].tolist()
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*at, *reversed(at)],
        "y": [round(value, 4) for value in [*high.tolist(), *reversed(low.tolist())]],
        "fill": "toself",
        "fillcolor": translucent(colour, 0.15),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "name": "95 % interval",
    }


def _upright(x: float, look: Look) -> Figure:
    line = {"color": look.faint, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain", "line": line}


def _level(y: float, look: Look) -> Figure:
    line = {"color": look.faint, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": 0, "x1": 1, "y0": y, "y1": y, "xref": "x domain", "line": line}


def _note(x: float, y: float, text: str, look: Look, **place: Any) -> Figure:
    font = {"size": 12, "color": look.faint}
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": font, **place}
