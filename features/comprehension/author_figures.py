"""Figures of authors: a matrix of pairs, and the share found by length of the summaries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from analysis.comprehension.answer_shares import Pairs
from analysis.values.estimate import Estimate
from features.comprehension.results import AuthorPairs, Lengths
from features.comprehension.shares_findings import FIGURE_NAMES, most_asked
from features.plotting.figure import PlotlyFigure
from features.plotting.marks import at_top_right, texts
from features.plotting.numbers import EN_SPACE, count, decimal, interval, share_with_interval
from features.plotting.shades import matrix_layout, share_cells, share_numbers
from features.plotting.short_names import told_apart
from features.plotting.theme import GROUP_COLOURS, SHUFFLE_GREY, Look, axis, escape, layout, shorten
from features.plotting.whiskers import ends, error_bars

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
