"""Stacked bars of the four answers, with the intervals of what is shared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from analysis.comprehension.answer_levels import FIGURES
from analysis.values.estimate import Estimate
from charts.comprehension.authors import most_asked
from charts.comprehension.figure_names import ANSWERS, FIGURE_NAMES, LEVELS
from features.plotting.figure import Figure
from features.plotting.marks import upright
from features.plotting.numbers import count, decimal, share, share_with_interval
from features.plotting.short_names import told_apart
from features.plotting.theme import Look, axis, escape, layout, shorten
from features.plotting.whiskers import interval_lines

MOST_ROWS = 12
"""Authors drawn in one part of the bars; of more, those with most questions."""
_LIGHT = {"R": "#004B79", "P": "#6FB7E6", "I": "#D55E00", "N": "#D3D7DC"}
_DARK = {"R": "#1F78B4", "P": "#9AD0F2", "I": "#E0701A", "N": "#39414A"}
_INK_LIGHT = {"R": "#FFFFFF", "P": "#000000", "I": "#000000", "N": "#000000"}
_INK_DARK = {"R": "#FFFFFF", "P": "#000000", "I": "#000000", "N": "#FFFFFF"}
_KEY = "R relevant, P partially relevant,<br>I irrelevant, N not found"
_ROW, _LOW_ROW, _TITLE_ROW = 42, 34, 0.85
_FEW_ROWS = 12
"""Bars up to which their rows are tall."""
_BAR, _LETTER = 0.76, -0.16
_WHISKER = {"R": 0.1, "R+P": 0.25}
_ROOM_FOR_BOTH, _ROOM_FOR_LETTER = 0.11, 0.035
"""Shares whose bar has room for letter and number, and for the letter alone, on a phone."""
_ROOM_FOR_NAME = 0.28
"""Share of the width that the name of a level takes, on a phone."""


@dataclass(frozen=True)
class Row:
    """One bar: a name and the shares of its answers by `FIGURES`."""

    name: str
    shares: Mapping[str, Estimate]


@dataclass(frozen=True)
class Part:
    """Bars under one title."""

    title: str
    rows: Sequence[Row]


def colours(look: Look) -> dict[str, str]:
    """The colour of each answer: apart in hue for colour-blind readers, and in lightness for everyone."""
    return _DARK if look.dark else _LIGHT


def answer_bars(parts: Sequence[Part], look: Look, level: Mapping[str, Estimate] | None = None) -> Figure:
    """Stacked bars of R, P, I and N under their titles, whiskers at R and R + P; lines at the `level`s of all."""
    rows: list[tuple[float, Row]] = []
    titles: list[tuple[float, str]] = []
    y = 0.0
    for part in parts:
        drawn = _most_asked(part.rows)
        fewer = f"{len(drawn)} of {count(len(part.rows))}" if len(drawn) < len(part.rows) else ""
        if part.title or fewer:
            title = f"<b>{shorten(part.title, 28)}</b>" if part.title else ""
            titles.append((y, ", ".join(filter(None, (title, fewer)))))
            y += _TITLE_ROW
        for row in drawn:
            rows.append((y, row))
            y += 1
        y += 0.15
    lines = {f: e for f, e in (level or {}).items() if f in LEVELS and e.defined}
    made = layout(
        look,
        height=round((_ROW if len(rows) <= _FEW_ROWS else _LOW_ROW) * max(y, 2)) + 84 + (34 if lines else 0),
        barmode="overlay",
    )
    made["hovermode"] = "closest"
    made["margin"] = {"l": 8, "r": 22, "t": 40 if lines else 6, "b": 64}
    made["xaxis"] = axis(
        look,
        _KEY,
        range=[0, 1],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        ticktext=["0", "25 %", "50 %", "75 %", "100 %"],
        ticklabeloverflow="allow",
        showgrid=False,
        fixedrange=True,
    )
    made["yaxis"] = axis(
        look,
        tickvals=[at for at, _ in rows],
        ticktext=told_apart([row.name for _, row in rows], 14),
        tickfont={"color": look.ink, "size": 12.5},
        range=[max(y, 2) - 0.5, -0.55],
        ticks="outside",
        ticklen=6,
        tickcolor="rgba(0,0,0,0)",
        showgrid=False,
        fixedrange=True,
    )
    made["annotations"] = [_title(at, text, look) for at, text in titles]
    made["annotations"] += _level_names(lines, look)
    made["shapes"] = [
        upright(e.value, look.ink, 1.3, dash="", xref="x", layer="below") for e in lines.values()
    ]
    known = [(at, row) for at, row in rows if row.shares["R"].defined]
    traces = [_bars(known, answer, look) for answer in ANSWERS]
    traces += [_letters(known, answer, look) for answer in ANSWERS]
    traces += _whiskers(known, look)
    traces.append(_undefined([(at, row) for at, row in rows if not row.shares["R"].defined], look))
    return {"data": [trace for trace in traces if trace["y"]], "layout": made}


def _most_asked(rows: Sequence[Row]) -> list[Row]:
    return [rows[at] for at in most_asked([r.name for r in rows], [r.shares["R"].n for r in rows], MOST_ROWS)]


def _bars(known: Sequence[tuple[float, Row]], answer: str, look: Look) -> Figure:
    return {
        "type": "bar",
        "orientation": "h",
        "x": [row.shares[answer].value for _, row in known],
        "y": [at for at, _ in known],
        "base": [_base(row, answer) for _, row in known],
        "width": _BAR,
        "marker": {"color": colours(look)[answer], "line": {"width": 1, "color": look.ground}},
        "hovertext": [_bar_hover(row) for _, row in known],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _base(row: Row, answer: str) -> float:
    """Where an answer's part of the bar begins."""
    before = list(ANSWERS)[: list(ANSWERS).index(answer)]
    return float(sum(row.shares[each].value for each in before))


def _letters(known: Sequence[tuple[float, Row]], answer: str, look: Look) -> Figure:
    """The answer's letter in its part of the bar, with the per cent where there is room."""
    roomy = [
        (at, row, row.shares[answer].value)
        for at, row in known
        if row.shares[answer].value >= _ROOM_FOR_LETTER
    ]
    ink = _INK_DARK if look.dark else _INK_LIGHT
    return {
        "type": "scatter",
        "mode": "text",
        "x": [_base(row, answer) + value / 2 for _, row, value in roomy],
        "y": [at + _LETTER for at, _, _ in roomy],
        "text": [
            f"{answer} {decimal(100 * value, 0)}" if value >= _ROOM_FOR_BOTH else answer
            for _, _, value in roomy
        ],
        "textfont": {"size": 12, "color": ink[answer]},
        "hoverinfo": "skip",
    }


def _whiskers(known: Sequence[tuple[float, Row]], look: Look) -> list[Figure]:
    """The intervals of R and R + P as lines with a halo, to be seen on any of the four colours."""
    spans = [
        (at + _WHISKER[figure], row.shares[figure].low, row.shares[figure].high)
        for at, row in known
        for figure in LEVELS
        if not isnan(row.shares[figure].low)
    ]
    return [interval_lines(spans, look.ground, 5), interval_lines(spans, look.ink, 2)]


def _undefined(rows: Sequence[tuple[float, Row]], look: Look) -> Figure:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [0.0] * len(rows),
        "y": [at for at, _ in rows],
        "text": ["undefined"] * len(rows),
        "textposition": "middle right",
        "textfont": {"size": 12, "color": look.faint},
        "hovertext": [f"{escape(row.name)}<br>{escape(row.shares['R'].reason)}" for _, row in rows],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _bar_hover(row: Row) -> str:
    lines = [f"{FIGURE_NAMES[f]}: {share_with_interval(row.shares[f], 1)}" for f in FIGURES]
    return "<br>".join([escape(row.name), *lines, f"{count(row.shares['R'].n)} questions"])


def _title(y: float, text: str, look: Look) -> Figure:
    return {
        "text": text,
        "bgcolor": look.ground,
        "x": 0,
        "y": y,
        "xref": "x",
        "yref": "y",
        "xanchor": "left",
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": 13, "color": look.ink},
    }


def _level_names(lines: Mapping[str, Estimate], look: Look) -> list[Figure]:
    """R and R + P written over their lines, away from each other."""
    made: list[Figure] = []
    for figure, e in lines.items():
        anchor = "right" if figure == "R" else "left"
        if not _ROOM_FOR_NAME < e.value < 1 - _ROOM_FOR_NAME:
            anchor = "right" if e.value > 0.5 else "left"
        made.append(
            {
                "text": f"{FIGURE_NAMES[figure]} {share(e.value)}",
                "x": e.value,
                "y": 1,
                "xref": "x",
                "yref": "paper",
                "yshift": 16 if made and made[0]["xanchor"] == anchor else 0,
                "xanchor": anchor,
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12, "color": look.ink},
            }
        )
    return made
