"""Shares of two systems: a bar per method, one system's share from the left, the other's from the right."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import isnan

from analysis.systems.preference import DROPPED, PCCH, of_the_second
from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import remark, upright
from features.plotting.numbers import share, share_with_interval
from features.plotting.theme import Look, axis, escape, group_colour, layout, shorten
from features.plotting.whiskers import interval_lines
from features.systems.pairs_findings import method_name
from features.systems.pairs_results import ComparedPair

_ROW, _BAR = 54, 0.54
_NAME, _NUMBER, _WHISKER = -0.41, -0.1, 0.16
"""Positions of a method's name, its shares and its interval within a row, from the middle of its bar."""
_TICKS = (0.25, 0.5, 0.75)
_LEAST = 0.18
"""Least share whose number fits into its part of the bar, with several panels on a phone."""
_GAP = 0.04
_MARGIN = 0.012
_ON_HOVER = {"hovertemplate": "%{hovertext}<extra></extra>"}


def pair_bars(found: ComparedPair, look: Look) -> Figure:
    """Draw a panel per design with the shares of both systems by each method."""
    panels = [(each.design or each.name, found.preferences[each.name].shares) for each in found.designs]
    pair = found.poll.first, found.poll.second
    first, second = (group_colour(system, found.systems) for system in pair)
    names = {DROPPED: method_name(DROPPED, found.spec)}
    return preference_bars(panels, pair, (first, second), look, names)


def preference_bars(
    panels: Sequence[tuple[str, Mapping[str, Estimate]]],
    systems: tuple[str, str],
    colours: tuple[str, str],
    look: Look,
    names: Mapping[str, str] | None = None,
) -> Figure:
    """Draw a panel per design (its name, and the first system's share by method), all with the same methods in order.

    A line marks one half and whiskers are intervals; `names` are what methods are called where it is not their name.
    """
    methods = list(dict.fromkeys(method for _, shares in panels for method in shares))
    several = len(panels) > 1
    made = layout(look, height=96 + _ROW * max(len(methods), 1), barmode="overlay", hovermode="closest")
    made["margin"] = {"l": 8, "r": 8, "t": 46 if several else 26, "b": 44}
    made["yaxis"] = axis(look, visible=False, range=[len(methods) - 0.5, -0.75], fixedrange=True)
    label = partial(remark, look=look, xanchor="center", yanchor="bottom")
    strong = {"size": 13, "color": look.ink}
    made["annotations"] = [label("Share of the preference", x=0.5, y=0, yshift=-42, font=strong)]
    made["shapes"] = []
    traces: list[Figure] = []
    width = (1 - _GAP * (len(panels) - 1)) / max(len(panels), 1)
    for at, (title, shares) in enumerate(panels):
        suffix, start = str(at + 1) if at else "", at * (width + _GAP)
        domain = start, min(start + width, 1.0)
        made[f"xaxis{suffix}"] = axis(
            look,
            domain=[*domain],
            range=[0, 1],
            tickvals=[*_TICKS],
            ticktext=[share(tick) for tick in _TICKS],
            showgrid=False,
            fixedrange=True,
            anchor="y",
            **({"matches": "x"} if at else {}),
        )
        drawn = _panel(methods, shares, systems, colours, look, _LEAST if several else _LEAST / 2)
        traces += [trace | {"xaxis": f"x{suffix}", "yaxis": "y"} for trace in drawn if trace["y"]]
        made["shapes"].append(upright(0.5, look.ink, 1.2, xref=f"x{suffix}"))
        for name, x, side in zip(systems, domain, ("left", "right"), strict=True):
            text = f"<b>{shorten(name, 18 if several else 22)}</b>"
            made["annotations"].append(label(text, x=x, y=1, xanchor=side, font=strong))
        if several:
            text, middle = shorten(title, 24), sum(domain) / 2
            made["annotations"].append(label(text, size=12.5, x=middle, y=1, yshift=20))
        if at == 0:
            named = {PCCH: f"<b>{PCCH}</b>"} | {one: escape(name) for one, name in (names or {}).items()}
            called = [named.get(method, method) for method in methods]
            heights = [y + _NAME for y in range(len(methods))]
            traces.append(_texts(0.0, heights, called, look.ink, 12) | {"xaxis": "x", "yaxis": "y"})
    return {"data": traces, "layout": made}


def _panel(
    methods: Sequence[str],
    shares: Mapping[str, Estimate],
    systems: tuple[str, str],
    colours: tuple[str, str],
    look: Look,
    least: float,
) -> list[Figure]:
    there = [(y, method, shares[method]) for y, method in enumerate(methods) if method in shares]
    known = [(y, method, one) for y, method, one in there if one.defined]
    rows, values = [y for y, _, _ in known], [one.value for _, _, one in known]
    others = [1 - value for value in values]
    hover = [_hover(method, one, systems) for _, method, one in known]
    bars = {"type": "bar", "orientation": "h", "y": rows, "width": _BAR, "hovertext": hover} | _ON_HOVER
    drawn: list[Figure] = []
    for parts, base, colour in ((values, [0.0] * len(rows), colours[0]), (others, values, colours[1])):
        drawn.append(bars | {"x": parts, "base": base, "marker": {"color": colour, "line": {"width": 0}}})
    for parts, x, colour in ((values, _MARGIN, colours[0]), (others, 1 - _MARGIN, colours[1])):
        fitting = [(y + _NUMBER, share(part)) for y, part in zip(rows, parts, strict=True) if part >= least]
        heights, texts = [y for y, _ in fitting], [text for _, text in fitting]
        drawn.append(_texts(x, heights, texts, _ink_on(colour), 13))
    whiskers = [(y + _WHISKER, one) for y, _, one in known if not (isnan(one.low) or isnan(one.high))]
    spans = [(y, one.low, one.high) for y, one in whiskers]
    marks = {
        "type": "scatter",
        "mode": "markers",
        "x": [one.value for _, one in whiskers],
        "y": [y for y, _ in whiskers],
        "marker": {"symbol": "line-ns", "size": 11, "line": {"width": 2, "color": look.ink}},
        "hoverinfo": "skip",
    }
    unknown = [(y, escape(one.reason)) for y, _, one in there if not one.defined]
    undefined = _texts(0.0, [y for y, _ in unknown], ["undefined"] * len(unknown), look.faint, 12)
    undefined |= {"hoverinfo": None, "hovertext": [why for _, why in unknown]} | _ON_HOVER
    halo = interval_lines(spans, look.ground, 5)  # shows whiskers on bars of either color
    return [*drawn, halo, interval_lines(spans, look.ink, 2), marks, undefined]


def _texts(x: float, rows: Sequence[float], texts: Sequence[str], colour: str, size: float) -> Figure:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x] * len(rows),
        "y": [*rows],
        "text": [*texts],
        "textposition": "middle right" if x < 0.5 else "middle left",
        "textfont": {"size": size, "color": colour},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def _hover(method: str, first: Estimate, systems: tuple[str, str]) -> str:
    both = zip(systems, (first, of_the_second(first)), strict=True)
    told = [f"{shorten(name)}: {share_with_interval(one, 1)}" for name, one in both]
    return "<br>".join([escape(method), *told])


def _ink_on(colour: str) -> str:
    """Return black or white, whichever has more contrast with a `#rrggbb` color (WCAG's relative luminance)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.1791 else "#FFFFFF"
