"""Cross comprehension: what was found of each other's questions, by author, by pair and by length of summary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from analysis.comprehension.answer_levels import FIGURES
from analysis.comprehension.answer_shares import Pairs
from analysis.values.estimate import Estimate
from charts.assessors.raters import EN_SPACE
from charts.parts.numbers import count, decimal, interval, share
from charts.parts.theme import GROUP_COLOURS, SHUFFLE_GREY, Look, axis, escape, layout, shorten
from charts.workers.labels import ink_on, share_scale
from charts.workers.preference import percent

MOST_ROWS = 12
"""Authors drawn in one part of the bars; of more, those with most questions."""
MOST_AUTHORS = 12
"""Authors in the matrix; of more, those with most questions."""
MOST_POINTS = 60
"""Authors in the scatter; of more, those with most questions."""
ANSWERS = {"R": "relevant", "P": "partially relevant", "I": "irrelevant", "N": "not found"}
_LIGHT = {"R": "#004B79", "P": "#6FB7E6", "I": "#D55E00", "N": "#D3D7DC"}
_DARK = {"R": "#1F78B4", "P": "#9AD0F2", "I": "#E0701A", "N": "#39414A"}
_INK_LIGHT = {"R": "#FFFFFF", "P": "#000000", "I": "#000000", "N": "#000000"}
_INK_DARK = {"R": "#FFFFFF", "P": "#000000", "I": "#000000", "N": "#FFFFFF"}
_KEY = "R relevant, P partially relevant,<br>I irrelevant, N not found"
LEVELS = ("R", "R+P")
"""The levels that summaries share, whose intervals are drawn."""
WRITTEN = {"R+P": "R + P", "found": "found (R + P + I)"}
"""How figures are written that are no single answer."""
_ROW, _LOW_ROW, _TITLE_ROW = 42, 34, 0.85
_FEW_ROWS = 12
"""Bars up to which their rows are tall."""
_BAR, _LETTER = 0.76, -0.16
_WHISKER = {"R": 0.1, "R+P": 0.25}
_ROOM_FOR_BOTH, _ROOM_FOR_LETTER = 0.11, 0.035
"""Shares whose bar has room for letter and number, and for the letter alone, on a phone."""
_ROOM_FOR_NAME = 0.28
"""Share of the width that the name of a level takes, on a phone."""
_CELL = 40
_FEW_COLUMNS = 7
"""Columns up to which cells have room for words, on a phone."""
_LONGER, _MACHINE = GROUP_COLOURS[0], GROUP_COLOURS[5]


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


@dataclass(frozen=True)
class Point:
    """One author: mean length of the summaries, and the share found in them."""

    name: str
    characters: float
    found: Estimate
    machine: bool = False


def colours(look: Look) -> dict[str, str]:
    """The colour of each answer: apart in hue for colour-blind readers, and in lightness for everyone."""
    return _DARK if look.dark else _LIGHT


def answer_bars(
    parts: Sequence[Part], look: Look, level: Mapping[str, Estimate] | None = None
) -> dict[str, Any]:
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
    made["shapes"] = [_upright(e.value, look) for e in lines.values()]
    known = [(at, row) for at, row in rows if row.shares["R"].defined]
    traces = [_bars(known, answer, look) for answer in ANSWERS]
    traces += [_letters(known, answer, look) for answer in ANSWERS]
    traces += _whiskers(known, look)
    traces.append(_undefined([(at, row) for at, row in rows if not row.shares["R"].defined], look))
    return {"data": [trace for trace in traces if trace["y"]], "layout": made}


def pair_matrix(
    pairs: Pairs, names: Sequence[str], shown: Sequence[int], figure: str, look: Look
) -> dict[str, Any]:
    """A share of each summary author (rows) on each question author (columns), the number in each cell.

    `shown` are the codes of the authors to draw. An author's own cell stays empty.
    """
    told = told_apart([names[code] for code in shown], 12)
    wrote = [code for code in shown if pairs.levels.questions[_row_of(pairs, code)].any()]
    asked = [code for code in shown if pairs.levels.questions[_column_of(pairs, code)].any()]
    name_of = dict(zip(shown, told, strict=True))
    made = layout(look, height=120 + _CELL * max(len(wrote), 2))
    made["margin"] = {"l": 10, "r": 10, "t": 12, "b": 46}
    made["xaxis"] = axis(
        look,
        "Questions of",
        range=[-0.5, max(len(asked), 1) - 0.5],
        tickvals=list(range(len(asked))),
        ticktext=[name_of[code] for code in asked],
        tickfont={"color": look.ink, "size": 12},
        showgrid=False,
        fixedrange=True,
    )
    made["yaxis"] = axis(
        look,
        "Summary of",
        range=[max(len(wrote), 1) - 0.5, -0.5],
        tickvals=list(range(len(wrote))),
        ticktext=[name_of[code] for code in wrote],
        tickfont={"color": look.ink, "size": 12},
        showgrid=False,
        fixedrange=True,
    )
    shares = [[pairs.levels.estimate(pairs.place(w, q), figure) for q in asked] for w in wrote]
    heat = {
        "type": "heatmap",
        "x": list(range(len(asked))),
        "y": list(range(len(wrote))),
        "z": [[e.value if e.defined else None for e in row] for row in shares],
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[at, colour] for at, colour in zip((0.0, 0.5, 1.0), share_scale(look), strict=True)],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hovertext": [
            [_cell_hover(names[w], names[q], figure, e) for q, e in zip(asked, row, strict=True)]
            for w, row in zip(wrote, shares, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverongaps": False,
    }
    roomy = len(asked) <= _FEW_COLUMNS
    cells = [(x, y, e) for y, row in enumerate(shares) for x, e in enumerate(row)]
    known = [(x, y, e.value) for x, y, e in cells if e.defined]
    numbers = {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _, _ in known],
        "y": [y for _, y, _ in known],
        "text": [decimal(100 * value, 0) for _, _, value in known],
        "textfont": {"size": 13 if roomy else 11, "color": [ink_on(value, look) for _, _, value in known]},
        "hoverinfo": "skip",
    }
    empty = [(x, y, e) for x, y, e in cells if not e.defined]
    gaps = {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _, _ in empty],
        "y": [y for _, y, _ in empty],
        "text": ["own" if wrote[y] == asked[x] and roomy else "–" for x, y, _ in empty],
        "textfont": {"size": 11, "color": look.faint},
        "hovertext": [_gap_hover(names[wrote[y]], names[asked[x]]) for x, y, _ in empty],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    return {"data": [trace for trace in (heat, numbers, gaps) if trace["y"]], "layout": made}


def length_scatter(points: Sequence[Point], r: Estimate, look: Look) -> dict[str, Any]:
    """The share found against the mean length of each author's summaries, each with its name; machines hollow."""
    both = [point for point in points if point.found.defined and not isnan(point.characters)]
    drawn = sorted(both, key=lambda point: -point.found.n)[:MOST_POINTS]
    made = layout(look, height=420, hovermode="closest")
    made["margin"] = {"l": 56, "r": 14, "t": 44, "b": 50}
    lengths = [point.characters for point in drawn]
    ends = [
        end
        for point in drawn
        for end in (point.found.value, point.found.low, point.found.high)
        if not isnan(end)
    ]
    low, high = min(lengths, default=0.0), max(lengths, default=1.0)
    room = 0.12 * max(high - low, 0.02 * max(high, 1.0))
    made["xaxis"] = axis(
        look, "Mean length of the summaries, characters", range=[low - room, high + room], nticks=6
    )
    made["yaxis"] = axis(
        look,
        "Found (R + P + I)",
        range=[max(min(ends, default=0.0) - 0.06, -0.02), min(max(ends, default=1.0) + 0.06, 1.02)],
        tickformat=".0%",
        nticks=6,
    )
    told = f"r = {decimal(r.value, 3)} ({interval(r, 3)})" if r.defined else "no correlation"
    remarks = [told, f"{count(r.n)} authors"]
    if len(drawn) < len(both):
        remarks.append(f"{count(len(drawn))} drawn")
    made["annotations"] = [_remark(", ".join(remarks), look)]
    traces = [
        _points([p for p in drawn if p.machine is machine], colour, symbol, (low + high) / 2, look)
        for machine, colour, symbol in ((False, _LONGER, "circle"), (True, _MACHINE, "diamond-open"))
    ]
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}


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
        made["shapes"] = [_dotted(line[0], look)]
        right = line[0] > (low + high) / 2
        made["annotations"] = [
            _remark(line[1], look) | {"x": line[0], "xref": "x", "xanchor": "right" if right else "left"}
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
        "error_x": _error([e for _, e in known], GROUP_COLOURS[0]),
        "hovertext": [f"{escape(name)}<br>{_told(e, shares)}" for name, e in known],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }
    return {"data": [dots] if known else [], "layout": made}


def most_asked(names: Sequence[str], questions: Sequence[int], most: int = MOST_AUTHORS) -> list[int]:
    """Places of the names to draw, in order: all, or of more than `most` those with most questions."""
    often = sorted(range(len(names)), key=lambda at: -questions[at])[:most]
    return sorted(often)


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Names cut to a width, escaped; those that would look alike lose what they begin with in common.

    >>> told_apart(["annotator 1 of 12", "annotator 10 of 12", "Ann"], 10)
    ['…1 of 12', '…10 of 12', 'Ann']
    """
    short = [shorten(name, width) for name in names]
    alike: dict[str, list[str]] = {}
    for name, cut in zip(names, short, strict=True):
        alike.setdefault(cut, []).append(name)
    return [
        cut if len(set(alike[cut])) == 1 else shorten(f"…{name[_shared(alike[cut]) :]}", width)
        for name, cut in zip(names, short, strict=True)
    ]


def _shared(names: Sequence[str]) -> int:
    """How many characters all names begin with, a number at the end not cut apart."""
    first, last = min(names), max(names)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return len(first[:same].rstrip("0123456789"))


def _most_asked(rows: Sequence[Row]) -> list[Row]:
    return [rows[at] for at in most_asked([r.name for r in rows], [r.shares["R"].n for r in rows], MOST_ROWS)]


def _bars(known: Sequence[tuple[float, Row]], answer: str, look: Look) -> dict[str, Any]:
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


def _letters(known: Sequence[tuple[float, Row]], answer: str, look: Look) -> dict[str, Any]:
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


def _whiskers(known: Sequence[tuple[float, Row]], look: Look) -> list[dict[str, Any]]:
    """The intervals of R and R + P as lines with a halo, to be seen on any of the four colours."""
    ends = [
        (at + _WHISKER[figure], row.shares[figure])
        for at, row in known
        for figure in LEVELS
        if not isnan(row.shares[figure].low)
    ]
    lines = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for _, e in ends for x in (e.low, e.high, None)],
        "y": [y for at, _ in ends for y in (at, at, None)],
        "hoverinfo": "skip",
    }
    return [
        lines | {"line": {"color": look.ground, "width": 5}},
        lines | {"line": {"color": look.ink, "width": 2}},
    ]


def _undefined(rows: Sequence[tuple[float, Row]], look: Look) -> dict[str, Any]:
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
    lines = [f"{WRITTEN.get(f, f)}: {_told(row.shares[f], True)}" for f in FIGURES]
    return "<br>".join([escape(row.name), *lines, f"{count(row.shares['R'].n)} questions"])


def _told(e: Estimate, shares: bool) -> str:
    between = "" if isnan(e.low) else f" ({percent(e, 1) if shares else interval(e, 3)})"
    return (share(e.value, 1) if shares else decimal(e.value, 3)) + between


def _cell_hover(wrote: str, asked: str, figure: str, e: Estimate) -> str:
    if not e.defined:
        return ""
    return (
        f"Summary of {shorten(wrote)}<br>Questions of {shorten(asked)}<br>"
        f"{WRITTEN.get(figure, figure)}: {_told(e, True)}<br>{count(e.n)} questions"
    )


def _gap_hover(wrote: str, asked: str) -> str:
    if wrote == asked:
        return f"{shorten(wrote)}: a summary is never asked its own author's questions"
    return f"No question of {shorten(asked)} was put to a summary of {shorten(wrote)}"


def _points(points: Sequence[Point], colour: str, symbol: str, middle: float, look: Look) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [point.characters for point in points],
        "y": [point.found.value for point in points],
        "marker": {"size": 10, "color": colour, "symbol": symbol, "line": {"width": 1.5, "color": colour}},
        "text": [f"{EN_SPACE}{shorten(point.name, 10)}{EN_SPACE}" for point in points],
        "textposition": ["middle right" if point.characters < middle else "middle left" for point in points],
        "textfont": {"size": 12, "color": look.ink},
        "error_y": _error([point.found for point in points], SHUFFLE_GREY),
        "hovertext": [
            f"{escape(p.name)}{' (machine)' if p.machine else ''}<br>{decimal(p.characters, 1)} characters<br>"
            f"found: {_told(p.found, True)}, {count(p.found.n)} questions"
            for p in points
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }


def _error(estimates: Sequence[Estimate], colour: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if isnan(e.high) else e.high - e.value for e in estimates],
        "arrayminus": [0 if isnan(e.low) else e.value - e.low for e in estimates],
        "color": colour,
        "thickness": 1.3,
        "width": 0,
    }


def _row_of(pairs: Pairs, code: int) -> slice:
    return slice(pairs.place(code, 0), pairs.place(code, pairs.authors))


def _column_of(pairs: Pairs, code: int) -> slice:
    return slice(code, None, pairs.authors)


def _title(y: float, text: str, look: Look) -> dict[str, Any]:
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


def _level_names(lines: Mapping[str, Estimate], look: Look) -> list[dict[str, Any]]:
    """R and R + P written over their lines, away from each other."""
    made: list[dict[str, Any]] = []
    for figure, e in lines.items():
        anchor = "right" if figure == "R" else "left"
        if not _ROOM_FOR_NAME < e.value < 1 - _ROOM_FOR_NAME:
            anchor = "right" if e.value > 0.5 else "left"
        made.append(
            {
                "text": f"{WRITTEN.get(figure, figure)} {share(e.value)}",
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


def _upright(x: float, look: Look) -> dict[str, Any]:
    """A line behind the bars: seen between them, and never through a number."""
    return _dotted(x, look) | {"layer": "below", "line": {"color": look.ink, "width": 1.3}}


def _dotted(x: float, look: Look) -> dict[str, Any]:
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
        "font": {"size": 12, "color": look.faint},
    }
