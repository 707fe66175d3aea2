"""Where the variance comes from: shares by source, and coefficients against the number of raters or items."""

from collections.abc import Mapping, Sequence
from math import isnan

from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.marks import band, upright
from features.plotting.numbers import count, decimal_with_interval, share, share_with_interval
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.theme import GROUP_COLOURS, Look, axis, escape, layout
from features.plotting.whiskers import Dot, chart, dots

HEIGHT = 380
_ROW = 44


def variance_shares(shares: Mapping[str, Estimate], look: Look) -> PlotlyFigure:
    """A row per source with its share of the variance of a single rating; `shares` by the names to be written."""
    drawn = [
        Dot(at, e, f"{escape(name)}<br>{share_with_interval(e, 1)}, n = {count(e.n)}")
        for at, (name, e) in enumerate(shares.items())
        if e.defined
    ]
    written = [share(dot.estimate.value) for dot in drawn]
    return chart(
        [escape(name) for name in shares],
        [dots(drawn, GROUP_COLOURS[0], 9, written=written, ink=look.ink, cliponaxis=False)] if drawn else [],
        {
            "title": "Share of the variance of a single rating",
            "range": [-0.02, 1.04],
            "tickformat": ".0%",
            "nticks": 6,
        },
        {
            "range": [max(len(shares), 2) - 0.5, -0.7],
            "tickfont": {"color": look.ink, "size": 12.5},
            "fixedrange": True,
        },
        look,
        (10, 20, 26, 48),
        height=max(HEIGHT, 90 + _ROW * len(shares)),
        hovermode="closest",
    )


def d_study_curve(
    along: str,
    numbers: Sequence[int],
    curves: Mapping[str, Sequence[Estimate]],
    chosen: int,
    look: Look,
) -> PlotlyFigure:
    """Each coefficient against the number of raters or items (`along`), with its band; the `chosen` one is marked."""
    traces: list[PlotlyFigure] = []
    for place, (name, estimates) in enumerate(curves.items()):
        colour, dash = GROUP_COLOURS[place], ("solid", "dash")[place % 2]
        traces += band(numbers, estimates, colour)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": escape(name),
                "x": list(numbers),
                "y": [None if isnan(e.value) else e.value for e in estimates],
                "line": {"color": colour, "width": 2, "dash": dash},
                "text": [f"{escape(name)}: {decimal_with_interval(e)}" for e in estimates],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    made = layout(
        look,
        height=HEIGHT,
        showlegend=True,
        legend=LEGEND_ON_TOP,
        hovermode="x",
        shapes=[upright(chosen, look.ink)],
    )
    made["margin"] = {"l": 56, "r": 16, "t": 44, "b": 48}
    made["xaxis"] = axis(look, along, range=[min(numbers) - 0.3, max(numbers) + 0.3], nticks=8)
    made["yaxis"] = axis(look, "Coefficient", range=[0, 1.02], nticks=6)
    return {"data": traces, "layout": made}
