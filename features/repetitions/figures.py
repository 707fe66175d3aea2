"""Figures of repetitions of ratings: ratings needed per measure, and one measure's models, knees and aggregations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.knee import FittedCurves, KneesByRepetitions
from analysis.repetitions.saturation import quantiles
from analysis.values.estimate import Estimate
from features.plotting.panels import (
    LEGEND_ON_TOP,
    Grid,
    band,
    grid,
    horizontal_line,
    label_lines,
    panel_title,
    remark,
    text_trace,
    vertical_line,
)
from features.plotting.series import Dot, dots, row_chart
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_DASHES,
    GROUP_SYMBOLS,
    SHUFFLE_GREY,
    Look,
    PlotlyFigure,
    count,
    counts,
    decimal,
    escape,
    in_two_lines,
    shorten,
    translucent,
)
from features.repetitions.ratings_results import MeasureRules, Needed

HEIGHT = 340
_TICKS = [of * 10**power for power in range(5) for of in (1, 2, 5)]
_LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False}


def needed_dots(needed: Sequence[Needed], target: float, color: str, look: Look) -> PlotlyFigure:
    """Draw the ratings needed by each measure with their interval, the most on top, and the ratings collected.

    An interval without an upper end runs to the edge; measures without a number stand below.
    """
    known = sorted((one for one in needed if one.has_number), key=lambda one: -one.ratings.value)
    rows = [*known, *(one for one in needed if not one.has_number)]
    collected = float(np.median([one.agreement.per_item for one in needed]))
    ends = [end for one in known for end in (one.ratings.value, one.ratings.low, one.ratings.high)]
    inside = [end for end in [*ends, collected] if isfinite(end)]
    low, high = min(inside) / 1.25, max(inside) * 1.25
    drawn = [
        Dot(at, replace(one.ratings, high=min(one.ratings.high, high * 2)), _hover(one, target))
        for at, one in enumerate(known)
    ]
    unknown = [
        remark("no number", look, x=0, xanchor="left", y=at, yref="y") for at in range(len(known), len(rows))
    ]
    at_line: PlotlyFigure = {
        "x": log10(collected),
        "xref": "x",
        "y": 1,
        "yanchor": "bottom",
        "xanchor": "right" if log10(collected) > log10(low) + 0.8 * log10(high / low) else "center",
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
        row=32 if look.narrow else 26,
        annotations=[*unknown, remark(f"collected: {collected:.3g}", look, **at_line)],
        shapes=[vertical_line(collected, look.faint)],
    )
    made["layout"]["yaxis"]["ticktext"] = [
        in_two_lines(one.measure, 18) if look.narrow else shorten(one.measure, 28) for one in rows
    ]
    return made


def _hover(one: Needed, target: float) -> str:
    text = f"{escape(one.measure)}<br>{count(one.ratings.value)} ratings ({counts(one.ratings)})"
    return f"{text} for {decimal(target)}<br>{count(one.ratings.n)} items"


def model_curves(
    one: MeasureRules, mean: NDArray[np.float64], correlation: str, color: str, look: Look
) -> PlotlyFigure:
    """Draw the mean curve (m,) with its interval, and both fitted models up to twice the ratings collected."""
    m, limit = len(mean), one.attenuation
    x, beyond = np.arange(1, m + 1), np.arange(1, max(2 * m, 2) + 1)
    made = _layout(look, "Ratings per item", correlation, hovermode="x")
    made["xaxis"] |= {"range": [0.5, len(beyond) + 0.5]}
    made["shapes"] = [vertical_line(m, look.faint)]
    made["annotations"] = [
        remark(f"curve ends at {m}", look, x=m, xref="x", y=0, yanchor="bottom", xanchor="left")
    ]
    traces = []
    if one.interval is not None:
        ends = zip(mean.tolist(), one.interval.low.tolist(), one.interval.high.tolist(), strict=True)
        traces = band(x.tolist(), [Estimate(*each) for each in ends], color)
        traces = [trace | {"name": "95% CI", "showlegend": True} for trace in traces]
    traces.append(_line(x, mean, "Mean over orders", color, "solid", 2.2))
    if one.fitted.saturation.defined:
        traces.append(_line(beyond, one.fitted.saturation.at(beyond), "Exponential", look.ink))
    if limit.defined:
        traces.append(_line(beyond, limit.at(beyond), "Attenuation", look.ink, "dash"))
        made["shapes"].append(horizontal_line(limit.rho_inf, look.faint, dash="dot", yref="y"))
        place: PlotlyFigure = {
            "x": len(beyond),
            "xref": "x",
            "yref": "y",
            "yanchor": "bottom",
            "xanchor": "right",
        }
        made["annotations"].append(remark(f"limit {decimal(limit.rho_inf)}", look, y=limit.rho_inf, **place))
    return label_lines({"data": traces, "layout": made}, look)


def knees_by_number(knees: KneesByRepetitions, m: int, knee: int | None, look: Look) -> PlotlyFigure:
    made = _layout(look, "Ratings per item collected (m)", "Knee")
    made["xaxis"] |= {"range": [0, len(knees.repetitions) + 0.5]}
    made["yaxis"] |= {"rangemode": "tozero"}
    exact = np.where(knees.knee > 0, knees.knee, np.nan)
    traces = [
        _line(knees.repetitions, knees.closed_form, "Between whole numbers", look.faint, "dot"),
        _line(knees.repetitions, exact, "Knee", look.ink, width=1.8),
    ]
    if knee is not None:
        text = f"knee <b>{knee}</b>"
        here = text_trace([(m, knee, text)], look.ink, 12, "top left", mode="markers+text", showlegend=False)
        traces.append(here | {"marker": {"color": look.ink, "size": 9}})
    return label_lines({"data": traces, "layout": made}, look)


def named_curves(
    curves: Mapping[Any, NDArray[np.float64]], correlation: str, look: Look, marked: int = 0
) -> PlotlyFigure:
    """Draw curves (m,) by name, such as those of aggregations, with a color, dash and marker each.

    `marked` is a number of ratings with a dotted line, 0 for none.
    """
    made = _layout(look, "Ratings per item", correlation, top=80, hovermode="x")
    made["shapes"] = [vertical_line(marked, look.faint)] if marked else []
    traces = []
    for at, (name, curve) in enumerate(curves.items()):
        color, dash, symbol = (of[at % len(of)] for of in (GROUP_COLOURS, GROUP_DASHES, GROUP_SYMBOLS))
        marker = {"symbol": symbol, "size": 5, "color": color}
        line = _line(range(1, len(curve) + 1), curve, escape(name), color, dash, 1.8)
        traces.append(line | {"mode": "lines+markers", "marker": marker})
    return label_lines({"data": traces, "layout": made}, look)


def _layout(look: Look, x: str, y: str, top: int = 60, **more: object) -> PlotlyFigure:
    made = look.layout(height=HEIGHT, showlegend=True, legend=_LEGEND, **more)
    made["margin"] = {"l": 56, "r": 16, "t": top, "b": 48}
    return made | {"xaxis": look.axis(x), "yaxis": look.axis(y)}


def _line(
    x: Iterable[int],
    y: NDArray[np.float64],
    name: str,
    color: str,
    dash: str = "solid",
    width: float = 1.4,
) -> PlotlyFigure:
    """Return a line with values rounded to what a screen can show, and gaps where they are undefined."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [int(at) for at in x],
        "y": _shown(y),
        "name": name,
        "line": {"color": color, "dash": dash, "width": width},
        "hovertemplate": f"{name} %{{y:.3f}}<extra></extra>",
    }


def _shown(y: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else round(value, 4) for value in np.asarray(y, float).tolist()]


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
    """Draw the measured order, shuffles, fitted curve and knee of each measure along `given`, ratings or votes.

    Curves of votes are shares of items, in percent.
    """
    are_shares = given == "votes"
    longest = max((one.longest_shown for one in fitted), default=1)
    bands = bands or [None] * len(fitted)
    spreads = [quantiles(one.curves.shuffled, (0.05, 0.5, 0.95)) for one in fitted]
    made = grid(
        look,
        [panel_title(one.measure) for one in fitted],
        x_title=f"{given.capitalize()} per item",
        y_title=y_title,
        x_axis={"range": [0.5, longest + 0.5], **({"dtick": 1} if longest <= 6 else {})},
        legend=LEGEND_ON_TOP,
        y_axis={"range": _range(fitted, spreads, bands), **({"tickformat": ".0%"} if are_shares else {})},
        hovermode="x",
    )
    made.layout["shapes"] = []
    traces: list[PlotlyFigure] = []
    named: set[str] = set()
    for at, (one, spread, between) in enumerate(zip(fitted, spreads, bands, strict=True)):
        for trace in _traces(one, spread, between, color, look):
            name = trace["name"]
            hover = f"%{{x}} {given}: {name.lower()} %{{y:{'.1%' if are_shares else '.3f'}}}<extra></extra>"
            group = {
                "legendgroup": name.partition(",")[0],
                "showlegend": name not in named,
                "hovertemplate": hover,
            }
            traces.append(trace | group | made.on(at))
            named.add(name)
        if one.knee is not None:
            _mark_knee(made, at, one.knee, look)
    return label_lines({"data": traces, "layout": made.layout}, look)


def _range(fitted: Sequence[FittedCurves], spreads: Sequence[Spread], bands: Sequence[Band]) -> list[float]:
    """Return the range of what is drawn, at full tenths, so that a new shuffle moves no axis."""
    drawn = [np.zeros(0)]
    for one, (low, _, high), between in zip(fitted, spreads, bands, strict=True):
        drawn += [one.curves.measured, low, high, *(between or ())]
        if one.extrapolation is not None:
            drawn += [one.extrapolation.curve, one.extrapolation.reliability]
    values = np.concatenate(drawn)
    values = values[~np.isnan(values)]
    if not len(values):
        return [0.0, 1.0]
    return [float(np.floor(10 * values.min()) / 10), float(np.ceil(10 * values.max()) / 10)]


def _traces(one: FittedCurves, spread: Spread, between: Band, color: str, look: Look) -> list[PlotlyFigure]:
    m = one.curves.repetitions
    x = range(1, m + 1)
    traces = _shuffles(one.curves.shuffled, spread, x)
    for end in between or ():
        traces.append(_line(x, end, "95% CI", translucent(color, 0.7), "dot", 1))
    if one.saturation.defined:
        traces.append(_line(x, one.saturation.at(list(x)), "Fitted", look.ink, width=1.5))
    if one.extrapolation is not None:
        on, every = range(m, one.longest_shown + 1), range(1, one.longest_shown + 1)
        traces += [
            _line(on, one.extrapolation.curve[m - 1 :], "Extended by a formula", look.ink, "dot", 1.5),
            _line(every, one.extrapolation.reliability, "Reliability of the mean", look.ink, "dash", 1.5),
        ]
    measured = _line(x, one.curves.measured, "Measured order", color, width=1.6)
    if m <= MOST_MARKED:
        measured |= {"mode": "lines+markers", "marker": {"size": 3.5 if m > 2 else 8, "color": color}}
    return [*traces, measured]


def _shuffles(shuffled: NDArray[np.float64], spread: Spread, x: range) -> list[PlotlyFigure]:
    if not len(shuffled):
        return []
    if len(shuffled) <= SINGLE_LINES:
        return [_line(x, row, "Shuffles", translucent(SHUFFLE_GREY, 0.55), width=1) for row in shuffled]
    low, middle, high = spread
    between = _line([*x, *reversed(x)], np.concatenate([high, low[::-1]]), "Shuffles, 5–95%", SHUFFLE_GREY)
    shade = translucent(SHUFFLE_GREY, 0.28)
    between |= {"fill": "toself", "fillcolor": shade, "line": {"width": 0}, "hoverinfo": "skip"}
    median = _line(x, middle, "Shuffles, median", SHUFFLE_GREY, width=1.3)
    if len(x) == 1:  # no line
        median |= {"mode": "markers", "marker": {"size": 8, "symbol": "diamond", "color": SHUFFLE_GREY}}
    return [between, median]


def _mark_knee(made: Grid, at: int, knee: int, look: Look) -> None:
    axes: PlotlyFigure = {"xref": made.xaxes[at], "yref": f"{made.yaxes[at]} domain"}
    made.layout["shapes"].append(vertical_line(knee, look.ink, **axes))
    place: PlotlyFigure = {"x": knee, "y": 0, "xanchor": "left", "yanchor": "bottom", "xshift": 3, **axes}
    ink = {"size": 12, "color": look.ink}
    made.layout["annotations"].append(remark(f"knee <b>{knee}</b>", look, font=ink, **place))
