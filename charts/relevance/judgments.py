"""Relevance: figures of surrogates side by side with their intervals, and speed against agreement."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any

from analysis.values.estimate import Estimate
from charts.parts.numbers import count, decimal, share
from charts.parts.panels import LEGEND_ON_TOP
from charts.parts.theme import GROUP_COLOURS, GROUP_SYMBOLS, Look, axis, escape, layout, shorten

MOST_ROWS = 30
"""Surrogates drawn one below the other; the first ones of more."""
TRADEOFF_HEIGHT = 380
MOST_NAMED = 14
"""Points that carry their names; of more, names are in the hovers."""
_ROW, _SERIES = 16, 15
"""Height in pixels of a row without, and for each of its series."""


@dataclass(frozen=True)
class Series:
    """One figure of all rows, such as one kind of agreement of all surrogates."""

    name: str
    estimates: Sequence[Estimate]


@dataclass(frozen=True)
class Tradeoff:
    """What one surrogate saves in seconds, and the share of agreement that is lost for it."""

    name: str
    saved: Estimate
    lost: Estimate


def dots(
    names: Sequence[str],
    series: Sequence[Series],
    title: str,
    look: Look,
    shares: bool = True,
    letters: Sequence[str] = (),
    guide: float | None = None,
    height: int = 0,
) -> dict[str, Any]:
    """One row per name, in each a dot with whiskers per series; `letters` stand at the right of their rows.

    `shares` are written in percent, other figures as they are; `guide` is a dotted upright line; `height` at least,
    so that the picture is level with its neighbour.
    """
    rows = min(len(names), MOST_ROWS)
    many = max(len(series), 1)
    on_top = len(series) > 1
    own = 100 + 26 * on_top + (_ROW + _SERIES * many) * max(rows, 2)
    made = layout(look, height=max(own, height), hovermode="closest")
    made["margin"] = {"l": 8, "r": 16 + 14 * any(letters), "t": 40 if on_top else 14, "b": 48}
    if on_top:
        made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    made["yaxis"] = axis(
        look,
        tickvals=list(range(rows)),
        ticktext=[shorten(name, 18) for name in names[:rows]],
        range=[max(rows, 1) - 0.45, -0.55],
        showgrid=False,
        tickfont={"color": look.ink, "size": 12.5},
    )
    drawn = [e for one in series for e in one.estimates[:rows] if e.defined]
    low, high = _span(drawn, [] if guide is None else [guide])
    if shares:
        low, high = max(low, -1.02), min(high, 1.02)
    made["xaxis"] = axis(look, title, range=[low, high], nticks=7)
    if shares:
        made["xaxis"]["tickformat"] = ".0%"
    made["shapes"] = [_level(row + 0.5, look) for row in range(rows - 1)]
    if guide is not None:
        made["shapes"].append(_upright(guide, look))
    made["annotations"] = [
        _beside(letter, look, y=row) for row, letter in enumerate(letters[:rows]) if letter
    ]
    if not drawn:
        made["annotations"].append(_remark("nothing is defined", look, x=0.5, y=0.5))
    elif rows < len(names):
        text = f"the first {rows} of {count(len(names))}"
        made["annotations"].append(_remark(text, look, x=1, y=1, xanchor="right", yanchor="bottom"))
    write: Callable[[float], str] = partial(share, digits=1) if shares else partial(decimal, digits=3)
    traces = [
        _dotted(names, one, at, many, write)
        for at, one in enumerate(series)
        if any(e.defined for e in one.estimates[:rows])
    ]
    return {"data": traces, "layout": made}


def tradeoff(
    series: Sequence[tuple[str, Sequence[Tradeoff]]],
    full_text: str,
    look: Look,
) -> dict[str, Any]:
    """Seconds saved per judgment (to the right) against agreement lost (downwards); the full text is where both
    are 0. Each series is one kind of agreement; the best place is the upper right."""
    made = layout(look, height=TRADEOFF_HEIGHT, hovermode="closest")
    made["margin"] = {"l": 58, "r": 16, "t": 40 if len(series) > 1 else 14, "b": 48}
    if len(series) > 1:
        made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    kept = [(name, [p for p in points if p.saved.defined and p.lost.defined]) for name, points in series]
    every = [p for _, points in kept for p in points]
    across = _span([p.saved for p in every], [0.0], room=0.12)
    down = _span([p.lost for p in every], [0.0], room=0.12)
    made["xaxis"] = axis(look, "Seconds saved per judgment", range=list(across), nticks=7)
    made["yaxis"] = axis(look, "Agreement lost", range=[down[1], down[0]], nticks=7, tickformat=".0%")
    made["shapes"] = [
        _upright(0.0, look),
        {
            "type": "line",
            "layer": "below",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": 0,
            "y1": 0,
            "line": {"color": look.faint, "width": 1, "dash": "dot"},
        },
    ]
    made["annotations"] = [
        _remark("faster, and nothing lost ↗", look, x=1, y=1, xanchor="right", yanchor="top", yshift=-2)
    ]
    traces = [_points(points, name, at, look, len(every)) for at, (name, points) in enumerate(kept) if points]
    traces.append(
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [0],
            "y": [0],
            "text": [shorten(full_text, 16)],
            "textposition": "bottom right",
            "textfont": {"size": 12, "color": look.faint},
            "marker": {"size": 9, "symbol": "circle-open", "color": look.faint, "line": {"width": 1.5}},
            "hovertemplate": f"{escape(full_text)}<br>what the others are held against<extra></extra>",
            "showlegend": False,
            "cliponaxis": False,
        }
    )
    return {"data": traces, "layout": made}


def _dotted(
    names: Sequence[str], one: Series, at: int, many: int, write: Callable[[float], str]
) -> dict[str, Any]:
    colour = GROUP_COLOURS[at % len(GROUP_COLOURS)]
    place = (at - (many - 1) / 2) * 0.7 / many
    known = [(row, e) for row, e in enumerate(one.estimates[:MOST_ROWS]) if e.defined]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escape(one.name),
        "x": [e.value for _, e in known],
        "y": [row + place for row, _ in known],
        "marker": {"size": 9, "color": colour, "symbol": GROUP_SYMBOLS[at % len(GROUP_SYMBOLS)]},
        "error_x": _whiskers([e for _, e in known], colour),
        "text": [_hover(names[row], one.name, e, write) for row, e in known],
        "hovertemplate": "%{text}<extra></extra>",
        "cliponaxis": False,
    }


def _points(points: Sequence[Tradeoff], name: str, at: int, look: Look, every: int) -> dict[str, Any]:
    colour = GROUP_COLOURS[at % len(GROUP_COLOURS)]
    x, y = [p.saved.value for p in points], [p.lost.value for p in points]
    named = every <= MOST_NAMED
    seconds = partial(decimal, digits=1)
    return {
        "type": "scatter",
        "mode": "markers+text" if named else "markers",
        "name": escape(name),
        "x": x,
        "y": y,
        "marker": {"size": 10, "color": colour, "symbol": GROUP_SYMBOLS[at % len(GROUP_SYMBOLS)]},
        "error_x": _whiskers([p.saved for p in points], colour),
        "error_y": _whiskers([p.lost for p in points], colour),
        **({"text": [shorten(p.name, 14) for p in points]} if named else {}),
        "textposition": _sides(x, y),
        "textfont": {"size": 12, "color": look.ink},
        "hovertext": [
            f"{_hover(p.name, 'saves', p.saved, seconds)} s<br>"
            f"{escape(name)}: {_told(p.lost, partial(share, digits=1))} lost"
            for p in points
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }


def _sides(x: Sequence[float], y: Sequence[float]) -> list[str]:
    """Where each name stands: clear of its own whiskers and away from the nearest other point."""
    wide, tall = (max(max(ends) - min(ends), 1e-9) if ends else 1.0 for ends in (x, y))
    sides = []
    for at in range(len(x)):
        apart = [((x[o] - x[at]) / wide, (y[o] - y[at]) / tall) for o in range(len(x)) if o != at]
        across, down = min(apart, key=lambda d: d[0] ** 2 + d[1] ** 2, default=(1.0, 1.0))
        sides.append(f"{'top' if down > 0 else 'bottom'} {'left' if across > 0 else 'right'}")
    return sides


def _whiskers(estimates: Sequence[Estimate], colour: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if isnan(e.high) else e.high - e.value for e in estimates],
        "arrayminus": [0 if isnan(e.low) else e.value - e.low for e in estimates],
        "color": colour,
        "thickness": 1.5,
        "width": 0,
    }


def _hover(name: str, what: str, e: Estimate, write: Callable[[float], str]) -> str:
    return f"{escape(name)}<br>{escape(what)}: {_told(e, write)}"


def _told(e: Estimate, write: Callable[[float], str]) -> str:
    between = "" if isnan(e.low) else f" ({write(e.low)} to {write(e.high)})"
    return f"{write(e.value)}{between}"


def _span(estimates: Sequence[Estimate], more: Sequence[float], room: float = 0.06) -> tuple[float, float]:
    """The axis: all figures and their intervals, with some room at both ends."""
    ends = [end for e in estimates for end in (e.value, e.low, e.high) if not isnan(end)] + list(more)
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    margin = room * max(high - low, 0.02 * max(abs(high), abs(low), 1.0))
    return low - margin, high + margin


def _upright(x: float, look: Look) -> dict[str, Any]:
    return {
        "type": "line",
        "layer": "below",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "line": {"color": look.faint, "width": 1, "dash": "dot"},
    }


def _level(y: float, look: Look) -> dict[str, Any]:
    return {
        "type": "line",
        "layer": "below",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": y,
        "y1": y,
        "line": {"color": look.grid, "width": 1},
    }


def _beside(letter: str, look: Look, y: float) -> dict[str, Any]:
    return {
        "text": f"<b>{escape(letter)}</b>",
        "xref": "paper",
        "x": 1,
        "y": y,
        "xanchor": "left",
        "xshift": 6,
        "showarrow": False,
        "font": {"size": 13, "color": look.ink},
    }


def _remark(text: str, look: Look, **place: Any) -> dict[str, Any]:
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "font": {"size": 11.5, "color": look.faint},
        **place,
    }
