"""Figures by name as dots with whiskers and their number."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from analysis.values.estimate import Estimate
from charts.comprehension.authors import told_apart
from charts.parts.numbers import decimal, decimal_with_interval, share, share_with_interval
from charts.parts.theme import GROUP_COLOURS, Look, axis, escape, layout

_ROW = 42


def estimate_dots(
    rows: Sequence[tuple[str, Estimate]],
    title: str,
    look: Look,
    line: tuple[float, str] | None = None,
    shares: bool = False,
) -> dict[str, Any]:
    """Figures by name as dots with whiskers and their number; an upright `line` with its name to hold them against."""
    known = [(name, e) for name, e in rows if e.defined]
    made = layout(look, height=70 + _ROW * max(len(known), 2), hovermode="closest")
    made["margin"] = {"l": 10, "r": 22, "t": 26 if line else 8, "b": 46}
    ends = [end for _, e in known for end in (e.value, e.low, e.high) if not isnan(end)]
    ends += [0.0, line[0]] if line else [0.0]
    low, high = min(ends), max([1.0, *ends])
    made["xaxis"] = axis(
        look,
        title,
        range=[low - 0.03 * (high - low), high + 0.06 * (high - low)],
        nticks=6,
        **({"tickformat": ".0%"} if shares else {}),
    )
    made["yaxis"] = axis(
        look,
        tickvals=list(range(len(known))),
        ticktext=told_apart([name for name, _ in known], 18),
        tickfont={"color": look.ink, "size": 12.5},
        range=[max(len(known), 2) - 0.5, -0.6],
        showgrid=False,
        fixedrange=True,
    )
    if line:
        made["shapes"] = [dotted(line[0], look)]
        right = line[0] > (low + high) / 2
        made["annotations"] = [
            remark(line[1], look) | {"x": line[0], "xref": "x", "xanchor": "right" if right else "left"}
        ]
    dots = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [e.value for _, e in known],
        "y": list(range(len(known))),
        "marker": {"size": 8, "color": GROUP_COLOURS[0]},
        "text": [share(e.value) if shares else decimal(e.value) for _, e in known],
        "textposition": "top center",
        "textfont": {"size": 12, "color": look.ink},
        "error_x": error([e for _, e in known], GROUP_COLOURS[0]),
        "hovertext": [
            f"{escape(name)}<br>{share_with_interval(e, 1) if shares else decimal_with_interval(e, 3)}"
            for name, e in known
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }
    return {"data": [dots] if known else [], "layout": made}


def error(estimates: Sequence[Estimate], colour: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if isnan(e.high) else e.high - e.value for e in estimates],
        "arrayminus": [0 if isnan(e.low) else e.value - e.low for e in estimates],
        "color": colour,
        "thickness": 1.3,
        "width": 0,
    }


def dotted(x: float, look: Look) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "line": {"color": look.ink, "width": 1.3, "dash": "dot"},
    }


def remark(text: str, look: Look) -> dict[str, Any]:
    return {
        "text": text,
        "x": 1,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "right",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "color": look.faint},
    }
