"""Figures of labels: shares, kappas and accuracies as dots with whiskers, and matrices of confusions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.numbers import count, decimal, decimal_with_interval, share, share_with_interval
from features.plotting.shades import matrix_layout, share_cells, share_numbers
from features.plotting.short_names import told_apart
from features.plotting.theme import GROUP_COLOURS, Look, escape, shorten
from features.plotting.whiskers import Dot, dots, ends, outlined, row_chart, span

MOST_ROWS = 30
"""Rows drawn; of more, the first."""
MOST_CLASSES = 12
"""Classes in one matrix; of more, the most frequent."""
_ROW, _HIGH_ROW, _CELL = 26, 44, 38


@dataclass(frozen=True)
class ConfusionAxes:
    """Titles of a matrix of confusions, and the unit that its cells count, such as votes."""

    rows: str
    columns: str
    unit: str = ""


def kappa_dots(rows: Mapping[str, Estimate], look: Look) -> PlotlyFigure:
    """Draw the kappa of the crowd's label under each design or comparison."""
    title = "Kappa of the crowd's label with the known answer"
    return _dots(rows, decimal_with_interval, [0.0], look, title=title)


def share_dots(rows: Mapping[str, Estimate], look: Look) -> PlotlyFigure:
    """Draw the share of each class, in the order given."""
    title = "Share of an item's votes"
    return _dots(rows, share_with_interval, [0.0], look, title=title, tickformat=".0%")


def accuracy_dots(rows: Mapping[str, Estimate], hollow: str, look: Look) -> PlotlyFigure:
    """Draw the accuracy of each method, the highest on top; `hollow` is the one that is no rival of the others."""
    order = {name: one for name, one in sorted(rows.items(), key=lambda row: -row[1].value) if one.defined}
    inside = ends(order.values())
    digits = 0 if max(inside, default=1.0) - min(inside, default=0.0) > 0.04 else 1
    marker = outlined(GROUP_COLOURS[0], [name == hollow for name in order])
    title = "Items with gold that get their gold label"
    return _dots(order, share_with_interval, [], look, marker, title=title, tickformat=f".{digits}%")


def _dots(
    rows: Mapping[str, Estimate],
    write: Callable[[Estimate], str],
    inside: Sequence[float],
    look: Look,
    marker: PlotlyFigure | None = None,
    **x_axis: object,
) -> PlotlyFigure:
    """Draw a row for each estimate that is defined; with a marker, each has its number above it."""
    shown = [(name, one) for name, one in rows.items() if one.defined][:MOST_ROWS]
    low, high = span([*inside, *ends(one for _, one in shown)], 0.06, 0.05)
    hovers = [f"{escape(name)}<br>{write(one)}<br>{count(one.n)} items" for name, one in shown]
    drawn = [Dot(at, one, hover) for at, ((_, one), hover) in enumerate(zip(shown, hovers, strict=True))]
    written = [share(one.value, 1) for _, one in shown] if marker else []
    return row_chart(
        [name for name, _ in shown],
        [dots(drawn, GROUP_COLOURS[0], 9, marker, written=written, ink=look.ink, cliponaxis=False)],
        {"range": [low, min(high, 1.02)], **x_axis},
        look,
        row=_HIGH_ROW if marker else _ROW,
        remark=f"{len(shown)} of {count(len(rows))}" if len(shown) < len(rows) else "",
    )


def confusion_map(
    cells: NDArray[Any],
    names: Sequence[str],
    axes: ConfusionAxes,
    look: Look,
    frequency: NDArray[Any] | None = None,
) -> PlotlyFigure:
    """Draw the share of each column in each row of a matrix (k, k), in percent; rows of nothing stay empty.

    `cells` are counts, or shares where the axes have no unit. Of many classes the most frequent are drawn, by
    `frequency` (k,), by default by what the cells hold; shares are of all classes.
    """
    total = np.nansum(cells, axis=1)
    often = total + np.nansum(cells, axis=0) if frequency is None else frequency
    shown = np.sort(np.argsort(-often, kind="stable")[:MOST_CLASSES])
    k, rows_of = len(shown), np.where(total > 0, total, np.nan)[:, None]
    shares = (cells / rows_of)[np.ix_(shown, shown)]

    def hover(y: int, x: int) -> str:
        row, column = shown[y], shown[x]
        parts = f", {_counted(cells[row, column])} of {_counted(total[row])} {axes.unit}" if axes.unit else ""
        named = [f"{axes.rows}: {shorten(names[row])}", f"{axes.columns}: {shorten(names[column])}"]
        return "<br>".join([*named, share(float(shares[y, x]), 1) + parts])

    remark = "% of each row"
    if len(often) > k:
        remark += f", {k} of {count(len(often))} classes: the most frequent"
    texts = told_apart([names[code] for code in shown], 12)
    made = matrix_layout(texts, texts, look, 110 + _CELL * max(k, 2), (axes.rows, axes.columns), remark)
    parts = [[None if isnan(part) else part for part in row] for row in shares.tolist()]
    heat = share_cells(parts, [[hover(y, x) for x in range(k)] for y in range(k)], look)
    return {"data": [heat, share_numbers(parts, look)], "layout": made}


def _counted(number: float) -> str:
    """Return a count of items, which may be in parts where options tie."""
    return count(number) if float(number).is_integer() else decimal(float(number), 1)
