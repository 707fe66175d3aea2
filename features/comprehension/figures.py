"""Figures of answers and of authors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from analysis.comprehension.answer_levels import FIGURES, Levels
from analysis.comprehension.answer_shares import Pairs
from analysis.values.estimate import Estimate
from features.comprehension.answers_findings import ANSWERS, FIGURE_NAMES, most_asked
from features.comprehension.people_findings import ALPHAS
from features.comprehension.results import AuthorPairs, Judges, Lengths, Machines, Shared
from features.plotting.marks import at_top_right, texts, upright
from features.plotting.numbers import (
    EN_SPACE,
    count,
    decimal,
    decimal_with_interval,
    interval,
    share,
    share_with_interval,
)
from features.plotting.series import Dot, chart, dots, ends, error_bars, interval_lines
from features.plotting.shades import matrix_layout, share_cells, share_numbers
from features.plotting.theme import (
    GROUP_COLOURS,
    SHUFFLE_GREY,
    Look,
    PlotlyFigure,
    axis,
    escape,
    layout,
    shorten,
    told_apart,
)

LEVELS = ("R", "R+P")
"""Shares whose intervals are drawn."""
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
"""Share of the width that the name of a level needs, on a phone."""
_DOT_ROW = 42


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
    """Return the color of each answer: they differ in hue, and in lightness for readers who cannot see that."""
    return _DARK if look.dark else _LIGHT


def shares_bars(shared: Shared, look: Look) -> PlotlyFigure:
    """Draw all answers, then by summary author, machines separately, and by question author."""

    def rows(levels: Levels, codes: Sequence[int]) -> list[Row]:
        return [Row(shared.names[code], levels.of(code)) for code in codes if code < len(levels)]

    by_writer, by_asker = shared.everyone.by_summary_author, shared.shown.by_question_author
    overall = shared.shown.overall.of(0)
    people = [code for code in shared.writers if code not in shared.machines]
    machines = [code for code in shared.writers if code in shared.machines]
    parts = [
        Part("", [Row("All", overall)]),
        Part("By summary author", rows(by_writer, people)),
        Part("Machine summaries", rows(by_writer, machines)),
        Part("By question author", rows(by_asker, shared.askers)),
    ]
    return answer_bars([part for part in parts if part.rows], look, overall)


def types_bars(shared: Shared, look: Look) -> PlotlyFigure | None:
    """Draw the answers by type of story; None without types."""
    if shared.types is None:
        return None
    rows = [Row(name, shared.types.levels.of(at)) for at, name in enumerate(shared.type_names)]
    return answer_bars([Part("", rows)], look)


def judges_bars(found: Judges, look: Look) -> PlotlyFigure:
    """Draw the answers by judge."""
    levels = found.agreement.by_judge
    rows = [Row(found.names[at], levels.of(at)) for at in found.present if at < len(levels)]
    return answer_bars([Part("", rows)], look)


def alpha_dots(found: Judges, look: Look) -> PlotlyFigure:
    """Draw the three alphas."""
    rows = [(called, found.agreement.alpha[name]) for name, called in ALPHAS.items()]
    return estimate_dots(rows, "Krippendorff's alpha", look)


def machines_bars(found: Machines, look: Look) -> PlotlyFigure:
    """Draw the answers of each machine, and of people on the same questions."""
    several = len(found.levels) > 1
    parts = [
        Part(
            name if several else "",
            [Row("machine" if several else name, level.machine), Row("people", level.people)],
        )
        for name, level in found.figures.items()
    ]
    return answer_bars(parts, look)


def ratio_dots(found: Machines, look: Look) -> PlotlyFigure:
    """Draw R + P of each machine as a share of the human level, the highest on top."""
    rows = sorted(found.ratios.items(), key=lambda row: -row[1].value if row[1].defined else 0)
    line = 1.0, "the human level"
    return estimate_dots(rows, "R + P, share of the human level", look, line, shares=True)


def answer_bars(
    parts: Sequence[Part], look: Look, level: Mapping[str, Estimate] | None = None
) -> PlotlyFigure:
    """Draw stacked bars of R, P, I and N under titles, whiskers at R and R + P, and lines at the level of all."""
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
        ticktext=["0", "25%", "50%", "75%", "100%"],
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
    return [rows[at] for at in most_asked([r.name for r in rows], [r.shares["R"].n for r in rows])]


def _bars(known: Sequence[tuple[float, Row]], answer: str, look: Look) -> PlotlyFigure:
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
    """Return the start of an answer's part of the bar."""
    before = list(ANSWERS)[: list(ANSWERS).index(answer)]
    return float(sum(row.shares[each].value for each in before))


def _letters(known: Sequence[tuple[float, Row]], answer: str, look: Look) -> PlotlyFigure:
    """Return the answer's letter in its part of the bar, with the percent where there is room."""
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


def _whiskers(known: Sequence[tuple[float, Row]], look: Look) -> list[PlotlyFigure]:
    """Return the intervals of R and R + P as lines with a halo, which can be seen on any of the four colors."""
    spans = [
        (at + _WHISKER[figure], row.shares[figure].low, row.shares[figure].high)
        for at, row in known
        for figure in LEVELS
        if not isnan(row.shares[figure].low)
    ]
    return [interval_lines(spans, look.ground, 5), interval_lines(spans, look.ink, 2)]


def _undefined(rows: Sequence[tuple[float, Row]], look: Look) -> PlotlyFigure:
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


def _title(y: float, text: str, look: Look) -> PlotlyFigure:
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


def _level_names(lines: Mapping[str, Estimate], look: Look) -> list[PlotlyFigure]:
    """Return the names of R and R + P over their lines, away from each other."""
    made: list[PlotlyFigure] = []
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


def estimate_dots(
    rows: Sequence[tuple[str, Estimate]],
    title: str,
    look: Look,
    line: tuple[float, str] | None = None,
    shares: bool = False,
) -> PlotlyFigure:
    """Draw estimates by name as dots with whiskers and their numbers; `line` is a reference with its name."""
    known = [(name, e) for name, e in rows if e.defined]
    inside = [*ends(e for _, e in known), *([0.0, line[0]] if line else [0.0])]
    low, high = min(inside), max([1.0, *inside])
    marks: PlotlyFigure = {}
    if line:
        side = "right" if line[0] > (low + high) / 2 else "left"
        marks["shapes"] = [upright(line[0], look.ink, 1.3, xref="x")]
        marks["annotations"] = [at_top_right(line[1], look, 12, x=line[0], xref="x", xanchor=side)]
    drawn = dots(
        [Dot(at, e, f"{escape(name)}<br>{_written(e, shares)}") for at, (name, e) in enumerate(known)],
        GROUP_COLOURS[0],
        8,
        thickness=1.3,
        written=[share(e.value) if shares else decimal(e.value) for _, e in known],
        ink=look.ink,
        cliponaxis=False,
    )
    return chart(
        told_apart([name for name, _ in known], 18),
        [drawn] if known else [],
        {
            "title": title,
            "range": [low - 0.03 * (high - low), high + 0.06 * (high - low)],
            "nticks": 6,
            **({"tickformat": ".0%"} if shares else {}),
        },
        {
            "tickfont": {"color": look.ink, "size": 12.5},
            "range": [max(len(known), 2) - 0.5, -0.6],
            "fixedrange": True,
        },
        look,
        (10, 22, 26 if line else 8, 46),
        height=70 + _DOT_ROW * max(len(known), 2),
        hovermode="closest",
        **marks,
    )


def _written(e: Estimate, shares: bool) -> str:
    return share_with_interval(e, 1) if shares else decimal_with_interval(e, 3)


_CELL = 40
_FEW_COLUMNS = 7
"""Columns up to which cells have room for words, on a phone."""
MOST_POINTS = 60
"""Authors in the scatter; of more, those with most questions."""
_PERSON, _MACHINE = GROUP_COLOURS[0], GROUP_COLOURS[5]


def authors_matrix(found: AuthorPairs, look: Look) -> PlotlyFigure:
    """Draw the chosen share of each pair of authors."""
    drawn = authors_drawn(found.pairs, found.names)
    return pair_matrix(found.pairs, found.names, drawn, found.share, look)


def found_by_length(found: Lengths, look: Look) -> PlotlyFigure:
    """Draw the share found by the mean length of each author's summaries."""
    lengths, levels = found.found.table.characters.mean, found.found.levels
    points = [
        Point(found.names[code], float(lengths[code]), levels.estimate(code, "found"), code in found.machines)
        for code in [*found.found.people, *found.machines]
        if code < len(levels)
    ]
    return length_scatter(points, found.correlations, look)


def authors_drawn(pairs: Pairs, names: Sequence[str]) -> list[int]:
    """Return the codes of the authors to draw: of many those with most questions, asked and put to their summaries."""
    questions = pairs.levels.questions.reshape(pairs.authors, pairs.authors)
    return most_asked(names[: pairs.authors], questions.sum(axis=0) + questions.sum(axis=1))


def pair_matrix(
    pairs: Pairs, names: Sequence[str], shown: Sequence[int], figure: str, look: Look
) -> PlotlyFigure:
    """Draw a share of each summary author (rows) on each question author (columns), the number in each cell.

    `shown` are the codes of the authors to draw. An author's own cell stays empty.
    """
    told = told_apart([names[code] for code in shown], 12)
    wrote = [code for code in shown if pairs.levels.questions[_row_of(pairs, code)].any()]
    asked = [code for code in shown if pairs.levels.questions[_column_of(pairs, code)].any()]
    name_of = dict(zip(shown, told, strict=True))
    rows, columns = ([name_of[code] for code in codes] for codes in (wrote, asked))
    height, ink = 120 + _CELL * max(len(wrote), 2), {"color": look.ink, "size": 12}
    made = matrix_layout(rows, columns, look, height, ("Summary of", "Questions of"), tickfont=ink)
    shares = [[pairs.levels.estimate(pairs.place(w, q), figure) for q in asked] for w in wrote]
    parts = [[e.value if e.defined else None for e in row] for row in shares]
    heat = share_cells(
        parts,
        [
            [_cell_hover(names[w], names[q], figure, e) for q, e in zip(asked, row, strict=True)]
            for w, row in zip(wrote, shares, strict=True)
        ],
        look,
    )
    roomy = len(asked) <= _FEW_COLUMNS
    cells = [(x, y, e) for y, row in enumerate(shares) for x, e in enumerate(row)]
    numbers = share_numbers(parts, look, 13 if roomy else 11)
    empty = [(x, y, e) for x, y, e in cells if not e.defined]
    words = ["own" if wrote[y] == asked[x] and roomy else "–" for x, y, _ in empty]
    placed = [(x, y, word) for (x, y, _), word in zip(empty, words, strict=True)]
    gaps = texts(placed, look.faint, 11) | {
        "hoverinfo": None,
        "hovertext": [_gap_hover(names[wrote[y]], names[asked[x]]) for x, y, _ in empty],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    return {"data": [trace for trace in (heat, numbers, gaps) if trace["y"]], "layout": made}


def _cell_hover(wrote: str, asked: str, figure: str, e: Estimate) -> str:
    if not e.defined:
        return ""
    return (
        f"Summary of {shorten(wrote)}<br>Questions of {shorten(asked)}<br>"
        f"{FIGURE_NAMES[figure]}: {share_with_interval(e, 1)}<br>{count(e.n)} questions"
    )


def _gap_hover(wrote: str, asked: str) -> str:
    if wrote == asked:
        return f"{shorten(wrote)}: a summary is never asked its own author's questions"
    return f"No question of {shorten(asked)} was put to a summary of {shorten(wrote)}"


def _row_of(pairs: Pairs, code: int) -> slice:
    return slice(pairs.place(code, 0), pairs.place(code, pairs.authors))


def _column_of(pairs: Pairs, code: int) -> slice:
    return slice(code, None, pairs.authors)


@dataclass(frozen=True)
class Point:
    """One author: mean length of the summaries, and the share found in them."""

    name: str
    characters: float
    found: Estimate
    machine: bool = False


def length_scatter(points: Sequence[Point], correlations: Mapping[str, Estimate], look: Look) -> PlotlyFigure:
    """Draw the share found by the mean length of each author's summaries, each with its name; machines hollow."""
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
    words = [
        f"{what} r = {decimal(r.value)} ({interval(r)})" for what, r in correlations.items() if r.defined
    ]
    words = words or ["no correlation"]
    if len(drawn) < len(both):
        words.append(f"{count(len(drawn))} drawn")
    made["annotations"] = [at_top_right(", ".join(words), look, 12)]
    traces = [
        _points([p for p in drawn if p.machine is machine], colour, symbol, (low + high) / 2, look)
        for machine, colour, symbol in ((False, _PERSON, "circle"), (True, _MACHINE, "diamond-open"))
    ]
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}


def _points(points: Sequence[Point], colour: str, symbol: str, middle: float, look: Look) -> PlotlyFigure:
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
