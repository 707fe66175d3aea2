"""A metric against how well people judge, a point per surrogate, or per surrogate and event."""

from collections.abc import Sequence
from dataclasses import dataclass

from features.plotting.figure import Figure
from features.plotting.marks import at_top_right
from features.plotting.numbers import decimal
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.theme import GROUP_COLOURS, GROUP_SYMBOLS, Look, axis, escape, layout, rimmed, shorten
from features.plotting.whiskers import span

MOST_NAMED = 12
"""Points that carry their names."""
MOST_POINTS = 2000
MOST_COLOURED = 6
"""Surrogates that have a colour and marker of their own where there are many points."""


@dataclass(frozen=True)
class Point:
    """A surrogate's metric and measure, pooled or in one event ("" where pooled)."""

    surrogate: str
    event: str
    metric: float
    value: float


def scatter(
    points: Sequence[Point],
    metric: str,
    measure: str,
    told: str,
    look: Look,
    adjusted: bool = False,
) -> Figure:
    """Points with `told` (the correlation) above them; `adjusted` values are differences from the event's mean."""
    drawn = points[:MOST_POINTS]
    surrogates = list(dict.fromkeys(point.surrogate for point in drawn))
    pooled = all(not point.event for point in drawn)
    coloured = not pooled and len(surrogates) <= MOST_COLOURED
    made = layout(look, height=400, hovermode="closest")
    made["margin"] = {"l": 60, "r": 16, "t": 62 if coloured and len(surrogates) > 1 else 34, "b": 54}
    less = ", less the event's mean" if adjusted else ""
    made["xaxis"] = axis(
        look,
        f"{shorten(metric, 24)}{less}",
        range=list(span([p.metric for p in drawn], 0.1, least=0.01)),
        nticks=6,
    )
    made["yaxis"] = axis(
        look,
        f"{escape(measure)}{less}",
        range=list(span([p.value for p in drawn], 0.1, least=0.01)),
        nticks=6,
        tickformat=".0%",
    )
    made["annotations"] = [at_top_right(told if drawn else "nothing to draw", look, 12)]
    if coloured and len(surrogates) > 1:
        made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    groups = surrogates if coloured else [""]
    traces = []
    for at, group in enumerate(groups):
        own = [p for p in drawn if not coloured or p.surrogate == group]
        named = pooled and len(drawn) <= MOST_NAMED
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text" if named else "markers",
                "name": shorten(group, 18),
                "x": [p.metric for p in own],
                "y": [p.value for p in own],
                "marker": rimmed(GROUP_COLOURS[at], 9, many=len(drawn) > 100) | {"symbol": GROUP_SYMBOLS[at]},
                **({"text": [shorten(p.surrogate, 14) for p in own]} if named else {}),
                "textposition": [_side(p.metric, [q.metric for q in drawn]) for p in own]
                if named
                else "top center",
                "textfont": {"size": 12, "color": look.ink},
                "hovertext": [_hover(p, metric, measure) for p in own],
                "hovertemplate": "%{hovertext}<extra></extra>",
                "cliponaxis": False,
            }
        )
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}


def _hover(point: Point, metric: str, measure: str) -> str:
    where = f", {escape(point.event)}" if point.event else ""
    return (
        f"{escape(point.surrogate)}{where}<br>{escape(metric)}: {decimal(point.metric, 3)}<br>"
        f"{escape(measure)}: {decimal(100 * point.value, 1)} %"
    )


def _side(x: float, every: Sequence[float]) -> str:
    """A name stands to the inner side of its point."""
    return "top left" if x > (min(every) + max(every)) / 2 else "top right"
