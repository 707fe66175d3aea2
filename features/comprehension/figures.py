"""Figures of answers and of authors."""

from collections.abc import Collection, Mapping, Sequence
from math import isnan

from analysis.comprehension.answer_levels import FIGURES, Levels
from analysis.comprehension.answer_shares import Pairs
from analysis.values.estimate import Estimate
from features.comprehension.findings import ANSWERS, FIGURE_NAMES, most_asked
from features.comprehension.results import AuthorPairs, Lengths, Machines, Shared
from features.plotting.panels import remark, text_trace, vertical_line
from features.plotting.series import (
    Point,
    axis_range,
    interval_lines,
    point_chart,
    point_trace,
    span_of,
)
from features.plotting.shades import matrix_layout, share_cells, share_numbers
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    Look,
    PlotlyFigure,
    count,
    decimal,
    escape,
    estimate_in_table,
    share,
    short_names,
    shorten,
)

LEVELS = ("R", "R+P")
"""Shares whose intervals are drawn."""
_LIGHT = {"R": "#004B79", "P": "#6FB7E6", "I": "#D55E00", "N": "#D3D7DC"}
_DARK = {"R": "#1F78B4", "P": "#9AD0F2", "I": "#E0701A", "N": "#39414A"}
_INK_LIGHT = {"R": "#FFFFFF", "P": "#000000", "I": "#000000", "N": "#000000"}
_INK_DARK = {"R": "#FFFFFF", "P": "#000000", "I": "#000000", "N": "#FFFFFF"}
_KEY = "Share of answers: R relevant, P partially<br>relevant, I irrelevant, N not found"
"""Title of the bars' axis, in the two lines that a narrow figure takes."""
_ROW, _LOW_ROW, _TITLE_ROW = 42, 34, 0.85
_FEW_ROWS = 12
"""Bars up to which their rows are tall."""
_AUTHORS_ON_CARD = 4
"""Summary authors up to which a card shows them."""
_BAR, _LETTER = 0.76, -0.16
_WHISKER = {"R": 0.1, "R+P": 0.25}
_ROOM_FOR_BOTH, _ROOM_FOR_LETTER = 0.11, 0.035
"""Shares whose bar has room for letter and number, and for the letter alone, on a phone."""
_ROOM_FOR_NAME = 0.28
"""Share of the width that the name of a level needs, on a phone."""
_CELL = 40
_FEW_COLUMNS = 7
"""Columns up to which cells have room for words, on a phone."""
MOST_POINTS = 60
"""Authors in the scatter; of more, those with most questions."""
Shares = Mapping[str, Estimate]
"""Shares of the answers of one bar, by `FIGURES`."""
Bars = Sequence[tuple[str, Shares]]
"""Names and shares of bars under one title."""


def colours(look: Look) -> dict[str, str]:
    """Return the color of each answer: they differ in hue, and in lightness for readers who cannot see that."""
    return _DARK if look.dark else _LIGHT


def shares_bars(shared: Shared, look: Look) -> PlotlyFigure:
    """Draw all answers, then by summary author, machines separately, and by question author.

    A card has room for all answers and a few summary authors.
    """

    def bars(levels: Levels, codes: Sequence[int]) -> Bars:
        return [(shared.names[code], levels.of(code)) for code in codes if code < len(levels)]

    by_writer, by_asker = shared.everyone.by_summary_author, shared.shown.by_question_author
    overall = shared.shown.overall.of(0)
    people = [code for code in shared.writers if code not in shared.machines]
    machines = [code for code in shared.writers if code in shared.machines]
    parts: dict[str, Bars] = {"": [("All", overall)]}
    if not look.on_card or len(people) <= _AUTHORS_ON_CARD:
        parts["By summary author"] = bars(by_writer, people)
    if not look.on_card:
        parts["Machine summaries"] = bars(by_writer, machines)
        parts["By question author"] = bars(by_asker, shared.askers)
    return answer_bars(parts, look, overall)


def types_bars(shared: Shared, look: Look) -> PlotlyFigure | None:
    """Draw the answers by type of story; None without types."""
    if shared.types is None:
        return None
    rows = [(name, shared.types.levels.of(at)) for at, name in enumerate(shared.type_names)]
    return answer_bars({"": rows}, look)


def machines_bars(found: Machines, look: Look) -> PlotlyFigure:
    """Draw the answers of each machine, and of people on the same questions."""
    if len(found.levels) == 1:
        ((name, level),) = found.figures.items()
        return answer_bars({"": [(name, level.machine), ("people", level.people)]}, look)
    parts = {
        name: [("machine", level.machine), ("people", level.people)] for name, level in found.figures.items()
    }
    return answer_bars(parts, look)


def answer_bars(parts: Mapping[str, Bars], look: Look, level: Shares | None = None) -> PlotlyFigure:
    """Draw stacked bars of R, P, I and N under titles, whiskers at R and R + P, and lines at the level of all."""
    rows, titles, y = list[tuple[float, str, Shares]](), list[tuple[float, str]](), 0.0
    for title, bars in parts.items():
        if not bars:
            continue
        drawn = most_asked([name for name, _ in bars], [of["R"].n for _, of in bars])
        fewer = f"{len(drawn)} of {count(len(bars))}" if len(drawn) < len(bars) else ""
        if title or fewer:
            bold = f"<b>{shorten(title, 28)}</b>" if title else ""
            titles.append((y, ", ".join(filter(None, (bold, fewer)))))
            y += _TITLE_ROW
        rows += [(y + at, *bars[place]) for at, place in enumerate(drawn)]
        y += len(drawn) + 0.15
    lines = {f: e for f, e in (level or {}).items() if f in LEVELS and e.defined}
    row = _ROW if len(rows) <= _FEW_ROWS and not look.on_card else _LOW_ROW
    made = look.layout(height=round(row * max(y, 2)) + 84 + (34 if lines else 0), hovermode="closest")
    made |= {"barmode": "overlay", "margin": {"l": 8, "r": 22, "t": 40 if lines else 6, "b": 64}}
    fixed: PlotlyFigure = {"showgrid": False, "fixedrange": True}
    shares = {"range": [0, 1], "tickvals": [0, 0.25, 0.5, 0.75, 1], "tickformat": ".0%"}
    key = _KEY if look.narrow or look.on_card else _KEY.replace("<br>", " ")
    made["xaxis"] = look.axis(key, ticklabeloverflow="allow", **shares, **fixed)
    made["yaxis"] = look.axis(
        tickvals=[at for at, *_ in rows],
        ticktext=short_names([name for _, name, _ in rows], 14),
        tickfont={"color": look.ink, "size": 12.5},
        range=[max(y, 2) - 0.5, -0.55],
        **fixed,
    )
    heads: PlotlyFigure = {
        "bgcolor": look.ground,
        "font": {"size": 13, "color": look.ink},
        "xanchor": "left",
        "x": 0,
    }
    made["annotations"] = [remark(text, look, xref="x", yref="y", y=at, **heads) for at, text in titles]
    made["annotations"] += _level_names(lines, look)
    made["shapes"] = [
        vertical_line(e.value, look.ink, 1.3, dash="", xref="x", layer="below") for e in lines.values()
    ]
    known = [(at, name, of) for at, name, of in rows if of["R"].defined]
    traces = [_bars(known, answer, look) for answer in ANSWERS]
    traces += [_bar_labels(known, answer, look) for answer in ANSWERS]
    spans = [
        (at + _WHISKER[figure], of[figure].low, of[figure].high)
        for at, _, of in known
        for figure in LEVELS
        if not isnan(of[figure].low)
    ]
    halo = (look.ground, 5), (look.ink, 2)  # lines with a halo can be seen on any of the four colors
    traces += [interval_lines(spans, color, width) for color, width in halo]
    lacking = [(at, name, of["R"].reason) for at, name, of in rows if not of["R"].defined]
    undefined = text_trace([(0.0, at, "undefined") for at, *_ in lacking], look.faint, 12, "middle right")
    reason_texts = [f"{escape(name)}<br>{escape(reason)}" for _, name, reason in lacking]
    traces.append(undefined | _hover_texts(reason_texts))
    return {"data": [trace for trace in traces if trace["y"]], "layout": made}


def _hover_texts(texts: Sequence[str]) -> PlotlyFigure:
    return {"hoverinfo": None, "hovertext": texts, "hovertemplate": "%{hovertext}<extra></extra>"}


def _bars(known: Sequence[tuple[float, str, Shares]], answer: str, look: Look) -> PlotlyFigure:
    return {
        "type": "bar",
        "orientation": "h",
        "x": [of[answer].value for *_, of in known],
        "y": [at for at, *_ in known],
        "base": [_base(of, answer) for *_, of in known],
        "width": _BAR,
        "marker": {"color": colours(look)[answer], "line": {"width": 1, "color": look.ground}},
        **_hover_texts([_bar_hover(name, of) for _, name, of in known]),
    }


def _base(of: Shares, answer: str) -> float:
    """Return the start of an answer's part of the bar."""
    before = list(ANSWERS)[: list(ANSWERS).index(answer)]
    return float(sum(of[each].value for each in before))


def _bar_labels(known: Sequence[tuple[float, str, Shares]], answer: str, look: Look) -> PlotlyFigure:
    """Return the answer's letter in its part of the bar, with the percent where there is room."""
    placed = []
    for at, _, of in known:
        value = of[answer].value
        if value >= _ROOM_FOR_LETTER:
            text = f"{answer} {decimal(100 * value, 0)}" if value >= _ROOM_FOR_BOTH else answer
            placed.append((_base(of, answer) + value / 2, at + _LETTER, text))
    return text_trace(placed, (_INK_DARK if look.dark else _INK_LIGHT)[answer], 12)


def _bar_hover(name: str, of: Shares) -> str:
    lines = [f"{FIGURE_NAMES[f]}: {estimate_in_table(of[f], PERCENT_ONE_DIGIT)}" for f in FIGURES]
    return "<br>".join([escape(name), *lines, f"{count(of['R'].n)} questions"])


def _level_names(lines: Shares, look: Look) -> list[PlotlyFigure]:
    """Return the names of R and R + P over their lines, away from each other."""
    made: list[PlotlyFigure] = []
    for figure, e in lines.items():
        anchor = "right" if figure == "R" else "left"
        if not _ROOM_FOR_NAME < e.value < 1 - _ROOM_FOR_NAME:
            anchor = "right" if e.value > 0.5 else "left"
        place: PlotlyFigure = {"x": e.value, "y": 1, "xref": "x", "xanchor": anchor, "yanchor": "bottom"}
        shift = 16 if made and made[0]["xanchor"] == anchor else 0
        font = {"size": 12, "color": look.ink}
        text = f"{FIGURE_NAMES[figure]} {share(e.value)}"
        made.append(remark(text, look, yshift=shift, font=font, **place))
    return made


def authors_matrix(found: AuthorPairs, look: Look) -> PlotlyFigure:
    """Draw the chosen share of each pair of authors; of many, those with most questions."""
    pairs = found.pairs
    questions = pairs.levels.questions.reshape(pairs.authors, pairs.authors)
    names = found.names[: pairs.authors]
    return pair_matrix(
        pairs, names, most_asked(names, questions.sum(axis=0) + questions.sum(axis=1)), found.share, look
    )


def pair_matrix(
    pairs: Pairs, names: Sequence[str], shown: Sequence[int], figure: str, look: Look
) -> PlotlyFigure:
    """Draw a share of each summary author (rows) on each question author (columns), of the `shown` codes."""
    name_of = dict(zip(shown, short_names([names[code] for code in shown], 12), strict=True))
    questions = pairs.levels.questions.reshape(pairs.authors, pairs.authors)
    wrote = [code for code in shown if questions[code].any()]
    asked = [code for code in shown if questions[:, code].any()]
    rows, columns = ([name_of[code] for code in codes] for codes in (wrote, asked))
    height, ink = 120 + _CELL * max(len(wrote), 2), {"color": look.ink, "size": 12}
    made = matrix_layout(rows, columns, look, height, ("Summary of", "Questions of"), tickfont=ink)
    shares = [[pairs.levels.estimate(pairs.place(w, q), figure) for q in asked] for w in wrote]
    parts = [[e.value if e.defined else None for e in row] for row in shares]
    hovers = [
        [_cell_hover(names[w], names[q], figure, e) for q, e in zip(asked, row, strict=True)]
        for w, row in zip(wrote, shares, strict=True)
    ]
    roomy = len(asked) <= _FEW_COLUMNS
    empty = [(x, y) for y, row in enumerate(parts) for x, part in enumerate(row) if part is None]
    placed = [(x, y, "own" if wrote[y] == asked[x] and roomy else "–") for x, y in empty]
    gaps = text_trace(placed, look.faint, 11) | _hover_texts([hovers[y][x] for x, y in empty])
    traces = share_cells(parts, hovers, look), share_numbers(parts, look, 13 if roomy else 11), gaps
    return {"data": [trace for trace in traces if trace["y"]], "layout": made}


def _cell_hover(summary_author: str, question_author: str, figure: str, e: Estimate) -> str:
    if e.defined:
        return (
            f"Summary of {shorten(summary_author)}<br>Questions of {shorten(question_author)}<br>"
            f"{FIGURE_NAMES[figure]}: {estimate_in_table(e, PERCENT_ONE_DIGIT)}<br>{count(e.n)} questions"
        )
    if summary_author == question_author:
        return f"{shorten(summary_author)}: a summary is never asked its own author's questions"
    return f"No question of {shorten(question_author)} was put to a summary of {shorten(summary_author)}"


def found_by_length(found: Lengths, look: Look) -> PlotlyFigure:
    """Draw the share found by the mean length of each author's summaries."""
    lengths, levels = found.found.table.characters.mean, found.found.levels

    def points(codes: Collection[int], kind: str) -> list[Point]:
        of_each = []
        for code in (code for code in codes if code < len(levels)):
            name, characters, share_found = found.names[code], lengths[code], levels.estimate(code, "found")
            hover = (
                f"{escape(name)}{kind}<br>{decimal(characters, 1)} characters<br>"
                f"found: {estimate_in_table(share_found, PERCENT_ONE_DIGIT)}, {count(share_found.n)} questions"
            )
            of_each.append(Point(name, Estimate(float(characters)), share_found, hover))
        return of_each

    people, machines = points(found.found.people, ""), points(found.machines, " (machine)")
    return length_scatter(people, machines, found.correlations, look)


def length_scatter(
    people: Sequence[Point], machines: Sequence[Point], correlations: Mapping[str, Estimate], look: Look
) -> PlotlyFigure:
    """Draw the share found by the mean length of each author's summaries, each with its name; machines hollow."""
    both = [
        sorted((p for p in points if p.x.defined and p.y.defined), key=lambda point: -point.y.n)
        for points in (people, machines)
    ]
    most = sorted((point for points in both for point in points), key=lambda point: -point.y.n)
    drawn = {id(point) for point in most[:MOST_POINTS]}
    kept = [[point for point in points if id(point) in drawn] for points in both]
    x, y = span_of(most[:MOST_POINTS])
    low, high = axis_range(y, 0.0)
    shown = [max(low - 0.06, -0.02), min(high + 0.06, 1.02)]
    words = [f"{what} r = {estimate_in_table(r)}" for what, r in correlations.items() if r.defined]
    fewer = [f"{count(MOST_POINTS)} drawn"] if len(most) > MOST_POINTS else []
    hollow = point_trace(kept[1], "machines", 5, look, symbol="diamond-open")
    return point_chart(
        [point_trace(kept[0], "people", 0, look), hollow],
        {
            "title": "Mean length of the summaries, characters",
            "range": list(axis_range(x, 0.12, 0.02 * max([1.0, *x]))),
        },
        {"title": "Found (R + P + I)", "range": shown, "tickformat": ".0%"},
        ("<br>" if look.narrow else ", ").join([*(words or ["no correlation"]), *fewer]),
        look,
    )
