"""Speed against agreement: what each surrogate saves in seconds, and what is lost for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right, level, upright
from features.plotting.numbers import decimal, share
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.series_dots import around, hover, with_ends
from features.plotting.theme import GROUP_COLOURS, GROUP_SYMBOLS, Look, axis, escape, layout, shorten
from features.plotting.whiskers import ends, error_bars

TRADEOFF_HEIGHT = 380
MOST_NAMED = 14
"""Points that carry their names; of more, names are in the hovers."""


@dataclass(frozen=True)
class Tradeoff:
    """What one surrogate saves in seconds, and the share of agreement that is lost for it."""

    name: str
    saved: Estimate
    lost: Estimate


def tradeoff(
    series: Sequence[tuple[str, Sequence[Tradeoff]]],
    full_text: str,
    look: Look,
) -> Figure:
    """Seconds saved per judgment (to the right) against agreement lost (downwards); the full text is where both
    are 0. Each series is one kind of agreement; the best place is the upper right."""
    made = layout(look, height=TRADEOFF_HEIGHT, hovermode="closest")
    made["margin"] = {"l": 60, "r": 16, "t": 42 if len(series) > 1 else 14, "b": 54}
    if len(series) > 1:
        made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    kept = [(name, [p for p in points if p.saved.defined and p.lost.defined]) for name, points in series]
    every = [p for _, points in kept for p in points]
    across = around([*ends(p.saved for p in every), 0.0], room=0.12)
    down = around([*ends(p.lost for p in every), 0.0], room=0.12)
    made["xaxis"] = axis(look, "Seconds saved per judgment", range=list(across), nticks=7)
    made["yaxis"] = axis(look, "Agreement lost", range=[down[1], down[0]], nticks=7, tickformat=".0%")
    made["shapes"] = [
        upright(0.0, look.faint, layer="below"),
        level(0, look.faint, dash="dot"),
    ]
    made["annotations"] = [at_top_right("faster, and nothing lost ↗", look, yanchor="top", yshift=-2)]
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


def _points(points: Sequence[Tradeoff], name: str, at: int, look: Look, every: int) -> Figure:
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
        "error_x": error_bars([p.saved for p in points], colour),
        "error_y": error_bars([p.lost for p in points], colour),
        **({"text": [shorten(p.name, 14) for p in points]} if named else {}),
        "textposition": _sides(x, y),
        "textfont": {"size": 12, "color": look.ink},
        "hovertext": [
            f"{hover(p.name, 'saves', p.saved, seconds)} s<br>"
            f"{escape(name)}: {with_ends(p.lost, partial(share, digits=1))} lost"
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
