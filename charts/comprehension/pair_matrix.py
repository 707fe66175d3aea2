"""Summary author by question author: a share in each cell."""

from collections.abc import Sequence

from analysis.comprehension.answer_shares import Pairs
from analysis.values.estimate import Estimate
from charts.comprehension.authors import most_asked
from charts.comprehension.figure_names import FIGURE_NAMES
from features.plotting.figure import Figure
from features.plotting.marks import texts
from features.plotting.numbers import count, share_with_interval
from features.plotting.shades import matrix_layout, share_cells, share_numbers
from features.plotting.short_names import told_apart
from features.plotting.theme import Look, shorten

_CELL = 40
_FEW_COLUMNS = 7
"""Columns up to which cells have room for words, on a phone."""


def authors_drawn(pairs: Pairs, names: Sequence[str]) -> list[int]:
    """Codes of the authors to draw: of many those with most questions, asked and put to their summaries."""
    questions = pairs.levels.questions.reshape(pairs.authors, pairs.authors)
    return most_asked(names[: pairs.authors], questions.sum(axis=0) + questions.sum(axis=1))


def pair_matrix(pairs: Pairs, names: Sequence[str], shown: Sequence[int], figure: str, look: Look) -> Figure:
    """A share of each summary author (rows) on each question author (columns), the number in each cell.

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
