"""The share found against the length of the summaries, a dot with its name per author."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right
from features.plotting.numbers import EN_SPACE, count, decimal, interval, share_with_interval
from features.plotting.theme import GROUP_COLOURS, SHUFFLE_GREY, Look, axis, escape, layout, shorten
from features.plotting.whiskers import ends, error_bars

MOST_POINTS = 60
"""Authors in the scatter; of more, those with most questions."""
_LONGER, _MACHINE = GROUP_COLOURS[0], GROUP_COLOURS[5]


@dataclass(frozen=True)
class Point:
    """One author: mean length of the summaries, and the share found in them."""

    name: str
    characters: float
    found: Estimate
    machine: bool = False


def length_scatter(points: Sequence[Point], r: Estimate, look: Look) -> Figure:
    """The share found against the mean length of each author's summaries, each with its name; machines hollow."""
    both = [point for point in points if point.found.defined and not isnan(point.characters)]
    drawn = sorted(both, key=lambda point: -point.found.n)[:MOST_POINTS]
    made = layout(look, height=420, hovermode="closest")
    made["margin"] = {"l": 60, "r": 14, "t": 44, "b": 54}
    lengths = [point.characters for point in drawn]
    shares = ends(point.found for point in drawn)
    low, high = min(lengths, default=0.0), max(lengths, default=1.0)
    room = 0.12 * max(high - low, 0.02 * max(high, 1.0))
    made["xaxis"] = axis(
        look, "Mean length of the summaries, characters", range=[low - room, high + room], nticks=6
    )
    made["yaxis"] = axis(
        look,
        "Found (R + P + I)",
        range=[max(min(shares, default=0.0) - 0.06, -0.02), min(max(shares, default=1.0) + 0.06, 1.02)],
        tickformat=".0%",
        nticks=6,
    )
    told = f"r = {decimal(r.value, 3)} ({interval(r, 3)})" if r.defined else "no correlation"
    words = [told, f"{count(r.n)} authors"]
    if len(drawn) < len(both):
        words.append(f"{count(len(drawn))} drawn")
    made["annotations"] = [at_top_right(", ".join(words), look, 12)]
    traces = [
        _points([p for p in drawn if p.machine is machine], colour, symbol, (low + high) / 2, look)
        for machine, colour, symbol in ((False, _LONGER, "circle"), (True, _MACHINE, "diamond-open"))
    ]
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}


def _points(points: Sequence[Point], colour: str, symbol: str, middle: float, look: Look) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [point.characters for point in points],
        "y": [point.found.value for point in points],
        "marker": {"size": 10, "color": colour, "symbol": symbol, "line": {"width": 1.5, "color": colour}},
        "text": [f"{EN_SPACE}{shorten(point.name, 10)}{EN_SPACE}" for point in points],
        "textposition": ["middle right" if point.characters < middle else "middle left" for point in points],
        "textfont": {"size": 12, "color": look.ink},
        "error_y": error_bars([point.found for point in points], SHUFFLE_GREY, 1.3),
        "hovertext": [
            f"{escape(p.name)}{' (machine)' if p.machine else ''}<br>{decimal(p.characters, 1)} characters<br>"
            f"found: {share_with_interval(p.found, 1)}, {count(p.found.n)} questions"
            for p in points
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }
