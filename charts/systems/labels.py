"""Labels against gold: how often each method is right, and what is taken for what."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.systems.label_accuracy import ALONE, LabelAccuracy
from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right
from features.plotting.numbers import count, decimal, share
from features.plotting.shades import ink_on, share_cells
from features.plotting.short_names import told_apart
from features.plotting.theme import GROUP_COLOURS, Look, axis, escape, layout, shorten
from features.plotting.whiskers import Dot, chart, dots, ends, outlined, span

MOST_CLASSES = 12
"""Classes in one confusion matrix; of more, the most frequent are drawn."""
_ROW = 44
_CELL = 38


def accuracy_dots(compared: LabelAccuracy, look: Look) -> Figure:
    """Accuracy of each method with its interval, the highest on top; one worker alone is hollow."""
    known = sorted(
        ((method, e) for method, e in compared.accuracy.items() if e.defined), key=lambda pair: -pair[1].value
    )
    inside = ends(e for _, e in known)
    low, high = span(inside, 0.08, least=0.02)
    dots_of_methods = dots(
        [Dot(y, e, _hover(method, e, compared)) for y, (method, e) in enumerate(known)],
        GROUP_COLOURS[0],
        size=10,
        marker=outlined(GROUP_COLOURS[0], [method == ALONE for method, _ in known]),
        written=[share(e.value, 1) for _, e in known],
        ink=look.ink,
        cliponaxis=False,
    )
    return chart(
        [escape(method) for method, _ in known],
        [dots_of_methods],
        {
            "title": "Items with gold that get their gold label",
            "range": [max(low, -0.01), min(high, 1.01)],
            "tickformat": ".0%" if max(inside, default=1.0) - min(inside, default=0.0) > 0.04 else ".1%",
            "nticks": 6,
        },
        {"range": [max(len(known), 2) - 0.5, -0.6], "tickfont": {"color": look.ink, "size": 12}},
        look,
        margin=(10, 16, 10, 46),
        height=70 + _ROW * max(len(known), 2),
    )


def confusion_map(
    cells: NDArray[Any],
    names: Sequence[Any] | NDArray[Any],
    look: Look,
    unit: str = "",
    columns: str = "Answered",
    rows: str = "Gold",
    frequency: NDArray[Any] | None = None,
) -> Figure:
    """Shares of each row (the true class), (k, k), written as percent; rows of nothing stay empty.

    `cells` are counts of `unit` ("votes"), told in the hovers, or shares where it is "". Of more than 12 classes
    the most frequent are drawn, by `frequency` (k,), else by what the cells hold; shares are of all classes.
    """
    total = np.nansum(cells, axis=1)
    often = total + np.nansum(cells, axis=0) if frequency is None else frequency
    shown = np.sort(np.argsort(-often, kind="stable")[:MOST_CLASSES])
    shares = np.divide(
        cells, total[:, None], out=np.full(cells.shape, np.nan), where=(total > 0)[:, None], dtype=np.float64
    )[np.ix_(shown, shown)]
    told = told_apart([names[code] for code in shown], 12)
    made = layout(look, height=110 + _CELL * max(len(shown), 2))
    made["margin"] = {"l": 10, "r": 10, "t": 26, "b": 46}
    places = list(range(len(shown)))
    ends = {"tickvals": places, "showgrid": False, "fixedrange": True, "ticktext": told}
    made["xaxis"] = axis(look, columns, range=[-0.5, len(shown) - 0.5], **ends)
    made["yaxis"] = axis(look, rows, range=[len(shown) - 0.5, -0.5], **ends)
    remark = "% of each row"
    if len(often) > len(shown):
        remark += f", {len(shown)} of {count(len(often))} classes: the most frequent"
    made["annotations"] = [at_top_right(remark, look)]
    heat = share_cells(
        [[None if isnan(part) else part for part in row] for row in shares.tolist()],
        [
            [
                _cell_hover(
                    (rows, names[true]),
                    (columns, names[label]),
                    float(shares[y, x]),
                    cells[true, label],
                    total[true],
                    unit,
                )
                for x, label in enumerate(shown.tolist())
            ]
            for y, true in enumerate(shown.tolist())
        ],
        look,
    )
    written = [(x, y, part) for (y, x), part in np.ndenumerate(shares) if not isnan(part)]
    numbers = {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _, _ in written],
        "y": [y for _, y, _ in written],
        "text": [decimal(100 * part, 0) for _, _, part in written],
        "textfont": {"size": 12, "color": [ink_on(part, look) for _, _, part in written]},
        "hoverinfo": "skip",
    }
    return {"data": [heat, numbers], "layout": made}


def _hover(method: str, estimate: Estimate, compared: LabelAccuracy) -> str:
    def percent(e: Estimate) -> str:
        return "" if isnan(e.low) else f" ({share(e.low, 1)} to {share(e.high, 1)})"

    lines = [escape(method), f"{share(estimate.value, 1)}{percent(estimate)} of {count(estimate.n)} items"]
    if compared.labels[method].ties:
        lines.append(f"{count(compared.labels[method].ties)} of them tie")
    if method in compared.difference:
        apart = compared.difference[method]
        between = (
            "" if isnan(apart.low) else f" ({decimal(100 * apart.low, 1)} to {decimal(100 * apart.high, 1)})"
        )
        lines.append(f"{decimal(100 * apart.value, 1)} points from majority vote{between}")
    return "<br>".join(lines)


def _cell_hover(
    row: tuple[str, Any], column: tuple[str, Any], part: float, cell: float, total: float, unit: str
) -> str:
    lines = [f"{what}: {shorten(name)}" for what, name in (row, column)]
    counted = f", {_counted(cell)} of {_counted(total)} {unit}" if unit and not isnan(part) else ""
    return "<br>".join([*lines, share(part, 1) + counted])


def _counted(number: float) -> str:
    """Counts of items may be parts where options tie."""
    return count(number) if float(number).is_integer() else decimal(float(number), 1)
