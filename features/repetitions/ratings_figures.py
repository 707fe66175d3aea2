"""Figures of repetitions of ratings: ratings needed per measure, and one measure's models, knees and aggregations."""

from collections.abc import Mapping, Sequence
from math import inf, isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.knee import KneesByRepetitions
from analysis.repetitions.rating_orders import Aggregation
from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.marks import band, level, remark, upright
from features.plotting.numbers import count, counts, decimal
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_DASHES,
    GROUP_SYMBOLS,
    Look,
    axis,
    escape,
    layout,
    shorten,
)
from features.plotting.whiskers import Dot, dots, row_chart
from features.repetitions.details_results import MeasureRules
from features.repetitions.ratings_results import Needed

HEIGHT = 340
_TICKS = [of * 10**power for power in range(5) for of in (1, 2, 5)]
_LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False}


def needed_dots(needed: Sequence[Needed], target: float, color: str, look: Look) -> PlotlyFigure:
    """Draw the ratings needed by each measure with their interval, the most on top, and the ratings collected.

    An interval without an upper end runs to the edge; measures without a number stand below.
    """
    known = sorted((one for one in needed if one.has_number), key=lambda one: -one.ratings.value)
    rows = [*known, *(one for one in needed if not one.has_number)]
    collected = float(np.median([one.agreement.k for one in needed]))
    ends = [end for one in known for end in (one.ratings.value, one.ratings.low, one.ratings.high)]
    inside = [end for end in [*ends, collected] if isfinite(end)]
    low, high = min(inside) / 1.25, max(inside) * 1.25
    drawn = [Dot(at, _inside(one.ratings, high), _hover(one, target)) for at, one in enumerate(known)]
    unknown = [
        remark("no number", look, x=0, xanchor="left", y=at, yref="y") for at in range(len(known), len(rows))
    ]
    at_line: PlotlyFigure = {
        "x": log10(collected),
        "xref": "x",
        "y": 1,
        "yanchor": "bottom",
        "xanchor": "center",
    }
    made = row_chart(
        [one.measure for one in rows],
        [dots(drawn, color, 9, thickness=1.8)],
        {
            "title": f"Ratings per item for a reliability of {decimal(target)}",
            "type": "log",
            "range": [log10(low), log10(high)],
            "tickvals": _TICKS,
        },
        look,
        row=26,
        annotations=[*unknown, remark(f"{count(collected)} collected", look, **at_line)],
        shapes=[upright(collected, look.faint)],
    )
    made["layout"]["yaxis"]["ticktext"] = [shorten(one.measure, 18 if look.narrow else 28) for one in rows]
    return made


def _inside(found: Estimate, high: float) -> Estimate:
    """Return an estimate whose upper end can be drawn."""
    return Estimate(found.value, found.low, min(found.high, high * 2) if found.high == inf else found.high)


def _hover(one: Needed, target: float) -> str:
    told = f"{escape(one.measure)}<br>{count(one.ratings.value)} ratings ({counts(one.ratings)})"
    return f"{told} for {decimal(target)}<br>{count(one.ratings.n)} items"


def model_curves(
    one: MeasureRules, mean: NDArray[np.float64], correlation: str, color: str, look: Look
) -> PlotlyFigure:
    """Draw the mean curve (m,) with its interval, and both fitted models up to twice the ratings collected."""
    m, limit = len(mean), one.attenuation
    x, beyond = np.arange(1, m + 1), np.arange(1, max(2 * m, 2) + 1)
    made = _layout(look, "Ratings per item", correlation, hovermode="x")
    made["xaxis"] |= {"range": [0.5, len(beyond) + 0.5]}
    made["shapes"] = [upright(m, look.faint)]
    made["annotations"] = [
        remark(f"{m} collected", look, x=m, xref="x", y=0, yanchor="bottom", xanchor="left")
    ]
    traces = []
    if one.interval is not None:
        ends = zip(mean.tolist(), one.interval.low.tolist(), one.interval.high.tolist(), strict=True)
        traces = band(x.tolist(), [Estimate(*each) for each in ends], color)
        traces = [trace | {"name": "95% CI", "showlegend": True} for trace in traces]
    traces.append(_line(x, mean, "Mean over orders", color, "solid", 2.2))
    if one.fitted.saturation.defined:
        traces.append(_line(beyond, one.fitted.saturation.at(beyond), "Exponential", look.ink, "solid"))
    if limit.defined:
        traces.append(_line(beyond, limit.at(beyond), "Attenuation", look.ink, "dash"))
        made["shapes"].append(level(limit.rho_inf, look.faint, dash="dot", yref="y"))
        told, place = f"limit {decimal(limit.rho_inf)}", PlotlyFigure(x=len(beyond), xref="x", yref="y")
        made["annotations"].append(
            remark(told, look, y=limit.rho_inf, yanchor="bottom", xanchor="right", **place)
        )
    return {"data": traces, "layout": made}


def knees_by_number(knees: KneesByRepetitions, m: int, knee: int | None, look: Look) -> PlotlyFigure:
    """Draw the knee against the number of ratings collected."""
    made = _layout(look, "Ratings per item collected (m)", "Knee")
    made["xaxis"] |= {"range": [0, len(knees.repetitions) + 0.5]}
    made["yaxis"] |= {"rangemode": "tozero"}
    exact = np.where(knees.knee > 0, knees.knee, np.nan)
    traces = [
        _line(knees.repetitions, knees.closed_form, "Between whole numbers", look.faint, "dot"),
        _line(knees.repetitions, exact, "Knee", look.ink, "solid", 1.8),
    ]
    if knee is not None:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": [m],
                "y": [knee],
                "text": [f"knee <b>{knee}</b>"],
                "textposition": "top left",
                "marker": {"color": look.ink, "size": 9},
                "hovertemplate": "%{x} collected: knee at %{y}<extra></extra>",
                "showlegend": False,
            }
        )
    return {"data": traces, "layout": made}


def aggregation_curves(
    curves: Mapping[Aggregation, NDArray[np.float64]], correlation: str, look: Look
) -> PlotlyFigure:
    """Draw the mean curve (m,) of each aggregation, with a color, dash and marker each."""
    made = _layout(look, "Ratings per item", correlation, top=80, hovermode="x")
    traces = []
    for at, (name, curve) in enumerate(curves.items()):
        color, x = GROUP_COLOURS[at], np.arange(1, len(curve) + 1)
        marker = {"symbol": GROUP_SYMBOLS[at], "size": 5, "color": color}
        line = _line(x, curve, name, color, GROUP_DASHES[at], 1.8)
        traces.append(line | {"mode": "lines+markers", "marker": marker})
    return {"data": traces, "layout": made}


def _layout(look: Look, x: str, y: str, top: int = 60, **more: object) -> PlotlyFigure:
    made = layout(look, height=HEIGHT, showlegend=True, legend=_LEGEND, **more)
    made["margin"] = {"l": 56, "r": 16, "t": top, "b": 48}
    return made | {"xaxis": axis(look, x), "yaxis": axis(look, y)}


def _line(
    x: NDArray[Any], y: NDArray[np.float64], name: str, color: str, dash: str, width: float = 1.4
) -> PlotlyFigure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x.tolist(),
        "y": [None if value != value else round(value, 4) for value in np.asarray(y, float).tolist()],
        "name": name,
        "line": {"color": color, "dash": dash, "width": width},
        "hovertemplate": f"{name} %{{y:.3f}}<extra></extra>",
    }
