"""Manual less automatic Pyramid score of each assessor, as in Figure 1 of Owczarzak et al. 2012."""

from collections.abc import Collection, Sequence
from math import isnan
from typing import Any

from analysis.values.estimate import Estimate
from charts.parts.numbers import count, decimal, interval
from charts.parts.theme import GROUP_COLOURS, Look, axis, escape, layout, shorten

MOST_RATERS = 40
"""Assessors in one picture; of more, the lowest."""
_ROW = 24
_COLOUR = GROUP_COLOURS[0]


def differences(
    rows: Sequence[tuple[str, Estimate]], look: Look, excluded: Collection[str] = ()
) -> dict[str, Any]:
    """One dot with its interval per assessor, the lowest at the bottom, those left out hollow."""
    shown = sorted(rows, key=lambda row: row[1].value)[:MOST_RATERS]
    made = layout(look, height=90 + _ROW * max(len(shown), 4))
    made["margin"] = {"l": 10, "r": 16, "t": 24, "b": 46}
    made["xaxis"] = axis(
        look, "mP − aP: manual less automatic Pyramid score", zeroline=True, zerolinecolor=look.faint
    )
    made["yaxis"] = axis(
        look,
        tickvals=list(range(len(shown))),
        ticktext=[shorten(name, 26) for name, _ in shown],
        range=[-0.6, max(len(shown), 1) - 0.4],
        showgrid=False,
    )
    if len(shown) < len(rows):
        made["annotations"] = [_remark(f"the lowest {len(shown)} of {count(len(rows))} assessors", look)]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": [e.value for _, e in shown],
        "y": list(range(len(shown))),
        "marker": {
            "color": _COLOUR,
            "size": 9,
            "symbol": ["circle-open" if name in excluded else "circle" for name, _ in shown],
            "line": {"color": _COLOUR, "width": 1.5},
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [0 if isnan(e.high) else e.high - e.value for _, e in shown],
            "arrayminus": [0 if isnan(e.low) else e.value - e.low for _, e in shown],
            "color": _COLOUR,
            "thickness": 1.5,
            "width": 0,
        },
        "text": [_hover(name, e, name in excluded) for name, e in shown],
        "hovertemplate": "%{text}<extra></extra>",
    }
    return {"data": [dots], "layout": made}


def _hover(name: str, estimate: Estimate, excluded: bool) -> str:
    return (
        f"{escape(name)}{' (left out)' if excluded else ''}<br>{decimal(estimate.value, 3)} "
        f"({interval(estimate, 3)}), {count(estimate.n)} topics"
    )


def _remark(text: str, look: Look) -> dict[str, Any]:
    return {
        "text": text,
        "x": 1,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "right",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11, "color": look.faint},
    }
