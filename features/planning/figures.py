"""Curves of a planned study, a curve per number of ratings per item, labeled directly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import band, level, remark, texts
from features.plotting.theme import GROUP_COLOURS, GROUP_DASHES, SHUFFLE_GREY, Look, axis, escape, layout

HEIGHT = 400
Curves = Mapping[int, tuple[Sequence[float], Sequence[Estimate]]]


@dataclass(frozen=True)
class Axes:
    """Titles of the axes, and how a curve is named; `marked` is the word next to the chosen point."""

    x: str
    y: str
    named: str = "{} per item"
    as_share: bool = True
    marked: str = ""
    wanted: float | None = None
    highest: float | None = None

    @property
    def unit(self) -> str:
        """Format of y in a hover box."""
        return ".0%" if self.as_share else ".2f"


def curve_chart(
    curves: Curves,
    chosen: tuple[int, float],
    axes: Axes,
    look: Look,
    same_price: Sequence[tuple[float, float, int]] = (),
    price: str = "",
) -> Figure:
    """Draw a curve per number, with its band where its estimates have intervals.

    `chosen` is (which curve, where on it); `same_price` joins the points (x, y, which curve) that a budget pays for.
    `customdata` of a point is [x, which curve].
    """
    colors = dict(zip(curves, GROUP_COLOURS, strict=False))
    bands = [
        trace for of, (x, found) in curves.items() if of == chosen[0] for trace in band(x, found, colors[of])
    ]
    lines = [
        _line(of, x, found, place, of == chosen[0], axes)
        for place, (of, (x, found)) in enumerate(curves.items())
    ]
    top = 1.02 if axes.as_share else axes.highest or _highest(curves)
    made = layout(
        look,
        height=HEIGHT,
        hovermode="closest",
        shapes=[] if axes.wanted is None else [level(axes.wanted, look.faint, dash="dash")],
        annotations=[] if axes.wanted is None else [_wanted(axes, look)],
        margin={"l": 66, "r": 64 if look.narrow else 92, "t": 24, "b": 54},
    )
    made["xaxis"] = axis(look, axes.x, rangemode="tozero", nticks=8)
    made["yaxis"] = axis(look, axes.y, range=[0, top], nticks=6)
    if axes.as_share:
        made["yaxis"]["tickformat"] = ".0%"
    traces = [*bands, *lines, *_same_price(same_price, price, axes)]
    return {
        "data": [*traces, *_chosen(curves, chosen, axes, look), *_labels(curves, colors, axes, top)],
        "layout": made,
    }


def _line(
    of: int, x: Sequence[float], found: Sequence[Estimate], place: int, is_chosen: bool, axes: Axes
) -> Figure:
    color, name = GROUP_COLOURS[place % len(GROUP_COLOURS)], axes.named.format(of)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(x),
        "y": [None if isnan(e.value) else round(e.value, 5) for e in found],
        "customdata": [[at, of] for at in x],
        "line": {
            "color": color,
            "width": 3 if is_chosen else 1.6,
            "dash": GROUP_DASHES[place % len(GROUP_DASHES)],
        },
        "marker": {"size": 7 if is_chosen else 6, "color": color},
        "text": [_ends(e, axes) for e in found],
        "hovertemplate": f"%{{x:.0f}}, {name}: %{{y:{axes.unit}}}%{{text}}<extra></extra>",
    }


def _ends(estimate: Estimate, axes: Axes) -> str:
    if isnan(estimate.low):
        return ""
    return f" ({estimate.low:{axes.unit}} to {estimate.high:{axes.unit}})"


def _labels(curves: Curves, colors: Mapping[int, str], axes: Axes, top: float) -> list[Figure]:
    """Return the names of the curves at their right ends, apart from each other."""
    ends = sorted(
        (min(known[-1], top), x[-1], of)
        for of, (x, found) in curves.items()
        if (known := [e.value for e in found if not isnan(e.value)])
    )
    gap, placed = 0.052 * top, list[float]()
    for y, _, _ in ends:
        placed.append(max(y, placed[-1] + gap) if placed else y)
    over = max(placed[-1] - top, 0.0) if placed else 0.0
    for at in range(len(placed) - 1, -1, -1):
        lowest_above = placed[at + 1] - gap if at + 1 < len(placed) else top
        placed[at] = min(placed[at], lowest_above) if over else placed[at]
    return [
        texts([(x, y, f" {axes.named.format(of)}")], colors[of], 12.5, "middle right")
        for y, (_, x, of) in zip(placed, ends, strict=True)
    ]


def _same_price(points: Sequence[tuple[float, float, int]], price: str, axes: Axes) -> list[Figure]:
    if not points:
        return []
    name = f"for {escape(price)}"
    x, y, _ = max(points)
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": [x for x, _, _ in points],
            "y": [y for _, y, _ in points],
            "line": {"color": SHUFFLE_GREY, "width": 2, "dash": "dot"},
            "marker": {"size": 8, "symbol": "square", "color": SHUFFLE_GREY},
            "text": [f"{x:.0f}, {axes.named.format(of)}" for x, _, of in points],
            "hovertemplate": f"%{{text}}, {name}: %{{y:{axes.unit}}}<extra></extra>",
        },
        texts([(x, y, name)], SHUFFLE_GREY, 12, "bottom right"),
    ]


def _chosen(curves: Curves, chosen: tuple[int, float], axes: Axes, look: Look) -> list[Figure]:
    x, found = curves[chosen[0]]
    at = next((place for place, one in enumerate(x) if one == chosen[1]), None)
    if at is None or isnan(found[at].value):
        return []
    y = found[at].value
    return [
        {
            "type": "scatter",
            "mode": "markers+text",
            "name": "chosen",
            "x": [chosen[1]],
            "y": [y],
            "text": [f"<b>{escape(axes.marked)}</b>"],
            "textposition": "top center",
            "textfont": {"size": 14, "color": look.ink},
            "cliponaxis": False,
            "marker": {
                "size": 15,
                "symbol": "diamond",
                "color": look.ground,
                "line": {"color": look.ink, "width": 2.5},
            },
            "hoverinfo": "skip",
        }
    ]


def _wanted(axes: Axes, look: Look) -> Figure:
    """Return the name of the line that is to be reached, at its left end."""
    wanted = axes.wanted or 0.0
    text = f"wanted {wanted:.0%}" if axes.as_share else f"wanted ± {wanted:.3g}"
    return remark(text, look, x=0.01, y=wanted, yref="y", xanchor="left", yanchor="bottom")


def _highest(curves: Curves) -> float:
    values = [e.value for _, found in curves.values() for e in found if not isnan(e.value)]
    return 1.05 * max(values, default=1.0)
