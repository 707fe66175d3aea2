"""Which of two systems wins: a bar per method, one system's share from the left, the other's from the right."""

from collections.abc import Mapping, Sequence
from math import isnan

from analysis.systems.preference import of_the_second
from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.numbers import percent, share
from features.plotting.theme import Look, axis, escape, layout, shorten
from features.plotting.whiskers import interval_lines

MOST_DESIGNS = 3
"""Panels side by side; more would be too narrow on a phone."""
_ROW = 54
_BAR = 0.54
_NAME, _NUMBER, _WHISKER = -0.41, -0.1, 0.16
"""Where in a row a method's name, its shares and its interval stand, the middle of its bar being 0."""
_TICKS = (0.25, 0.5, 0.75)
_ROOM = 0.18
"""The least share whose number has room within its own part of the bar, with several panels on a phone."""
_MARGIN = 0.012


def preference_bars(
    panels: Sequence[tuple[str, Mapping[str, Estimate]]],
    systems: tuple[str, str],
    colours: tuple[str, str],
    look: Look,
    names: Mapping[str, str] | None = None,
) -> Figure:
    """A panel per design (its name, and the first system's share by method), all with the same methods in order.

    A line stands at one half and whiskers tell the intervals; `names` are what methods are called on the page.
    """
    methods = list(dict.fromkeys(method for _, shares in panels for method in shares))
    rows = len(methods)
    made = layout(look, height=96 + _ROW * max(rows, 1), barmode="overlay", hovermode="closest")
    made["margin"] = {"l": 8, "r": 8, "t": 46 if len(panels) > 1 else 26, "b": 44}
    gap = 0.04 if len(panels) > 1 else 0.0
    width = (1 - gap * (len(panels) - 1)) / max(len(panels), 1)
    made["yaxis"] = axis(look, visible=False, range=[rows - 0.5, -0.75], fixedrange=True)
    made["annotations"], made["shapes"] = [], []
    traces: list[Figure] = []
    for at, (title, shares) in enumerate(panels):
        suffix = str(at + 1) if at else ""
        domain = [at * (width + gap), min(at * (width + gap) + width, 1.0)]
        made[f"xaxis{suffix}"] = axis(
            look,
            domain=domain,
            range=[0, 1],
            tickvals=list(_TICKS),
            ticktext=[share(tick) for tick in _TICKS],
            showgrid=False,
            fixedrange=True,
            anchor="y",
            **({"matches": "x"} if at else {}),
        )
        traces += [
            trace | {"xaxis": f"x{suffix}", "yaxis": "y"}
            for trace in _panel(
                methods, shares, systems, colours, look, _ROOM / (1 if len(panels) > 1 else 2)
            )
        ]
        made["shapes"].append(_half(f"x{suffix}", look))
        made["annotations"] += _ends(domain, systems, look, 18 if len(panels) > 1 else 22)
        if len(panels) > 1:
            made["annotations"].append(_title(title, sum(domain) / 2, look))
        if at == 0:
            traces.append(_method_names(methods, names or {}, look))
    made["annotations"].append(
        {
            "text": "Share of the preference",
            "x": 0.5,
            "y": 0,
            "yshift": -42,
            "xref": "paper",
            "yref": "paper",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 13, "color": look.ink},
        }
    )
    return {"data": traces, "layout": made}


def _panel(
    methods: Sequence[str],
    shares: Mapping[str, Estimate],
    systems: tuple[str, str],
    colours: tuple[str, str],
    look: Look,
    room: float,
) -> list[Figure]:
    known = [(y, shares[m]) for y, m in enumerate(methods) if m in shares and shares[m].defined]
    hover = [_hover(methods[y], e, systems) for y, e in known]
    rows = [y for y, _ in known]
    values = [e.value for _, e in known]
    rest = [1 - value for value in values]
    traces = [
        _bars(rows, values, [0.0] * len(rows), colours[0], hover),
        _bars(rows, rest, values, colours[1], hover),
        _numbers(rows, values, 0.0, colours[0], room),
        _numbers(rows, rest, 1.0, colours[1], room),
        *_whiskers(known, look),
        _undefined(methods, shares, look),
    ]
    return [trace for trace in traces if trace["y"]]


def _bars(rows: list[int], widths: list[float], base: list[float], colour: str, hover: list[str]) -> Figure:
    return {
        "type": "bar",
        "orientation": "h",
        "x": widths,
        "y": rows,
        "base": base,
        "width": _BAR,
        "marker": {"color": colour, "line": {"width": 0}},
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _numbers(rows: list[int], shares: list[float], end: float, colour: str, room: float) -> Figure:
    """Shares at the end of the bar where they begin, if there is room on their own colour."""
    shown = [(y, value) for y, value in zip(rows, shares, strict=True) if value >= room]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [end + (_MARGIN if end == 0 else -_MARGIN)] * len(shown),
        "y": [y + _NUMBER for y, _ in shown],
        "text": [share(value) for _, value in shown],
        "textposition": "middle right" if end == 0 else "middle left",
        "textfont": {"size": 13, "color": _on(colour)},
        "hoverinfo": "skip",
    }


def _whiskers(known: Sequence[tuple[int, Estimate]], look: Look) -> list[Figure]:
    """Intervals as a line with a halo in the colour of the ground, to be seen on either colour."""
    with_ends = [(y + _WHISKER, e) for y, e in known if not (isnan(e.low) or isnan(e.high))]
    spans = [(y, e.low, e.high) for y, e in with_ends]
    marks = {
        "type": "scatter",
        "mode": "markers",
        "x": [e.value for _, e in with_ends],
        "y": [y for y, _ in with_ends],
        "marker": {"symbol": "line-ns", "size": 11, "line": {"width": 2, "color": look.ink}},
        "hoverinfo": "skip",
    }
    return [interval_lines(spans, look.ground, 5), interval_lines(spans, look.ink, 2), marks]


def _undefined(methods: Sequence[str], shares: Mapping[str, Estimate], look: Look) -> Figure:
    unknown = [(y, shares[m]) for y, m in enumerate(methods) if m in shares and not shares[m].defined]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [0.0] * len(unknown),
        "y": [y for y, _ in unknown],
        "text": ["undefined" for _ in unknown],
        "textposition": "middle right",
        "textfont": {"size": 12, "color": look.faint},
        "hovertext": [escape(e.reason) for _, e in unknown],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _method_names(methods: Sequence[str], names: Mapping[str, str], look: Look) -> Figure:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [0.0] * len(methods),
        "y": [y + _NAME for y in range(len(methods))],
        "text": [escape(names.get(method, method)) for method in methods],
        "textposition": "middle right",
        "textfont": {"size": 12, "color": look.ink},
        "hoverinfo": "skip",
        "cliponaxis": False,
        "xaxis": "x",
        "yaxis": "y",
    }


def _ends(domain: Sequence[float], systems: tuple[str, str], look: Look, width: int) -> list[Figure]:
    """The systems' names over the left and the right end of a panel."""
    return [
        {
            "text": f"<b>{shorten(name, width)}</b>",
            "x": domain[at],
            "y": 1,
            "xref": "paper",
            "yref": "paper",
            "xanchor": anchor,
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 13, "color": look.ink},
        }
        for at, (name, anchor) in enumerate(zip(systems, ("left", "right"), strict=True))
    ]


def _title(text: str, x: float, look: Look) -> Figure:
    return {
        "text": shorten(text, 24),
        "x": x,
        "y": 1,
        "yshift": 20,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12.5, "color": look.faint},
    }


def _half(xaxis: str, look: Look) -> Figure:
    return {
        "type": "line",
        "xref": xaxis,
        "yref": "paper",
        "x0": 0.5,
        "x1": 0.5,
        "y0": 0,
        "y1": 1,
        "line": {"color": look.ink, "width": 1.2, "dash": "dot"},
    }


def _hover(method: str, estimate: Estimate, systems: tuple[str, str]) -> str:
    theirs = of_the_second(estimate)
    told = "<br>".join(
        f"{shorten(name)}: {share(e.value, 1)} ({percent(e, 1)})"
        for name, e in zip(systems, (estimate, theirs), strict=True)
    )
    return f"{escape(method)}<br>{told}"


def _on(colour: str) -> str:
    """Black or white, whichever is read more easily on a `#rrggbb` colour (WCAG's relative luminance)."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#FFFFFF"
