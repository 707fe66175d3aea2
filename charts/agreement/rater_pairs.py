"""Rater by rater: how far each two agree, the number in each cell."""

from collections.abc import Sequence

from analysis.agreement.rater_pairs import RaterPairs
from features.plotting.figure import Figure
from features.plotting.numbers import count, decimal, share
from features.plotting.shades import matrix_layout, share_cells, share_numbers
from features.plotting.short_names import told_apart
from features.plotting.theme import Look, escape

_MOST_WITH_NUMBERS = 16


def rater_matrix(pairs: RaterPairs, names: Sequence[str], look: Look) -> Figure:
    """Pearson's r of each two raters as shades from 0 to 1; a pair with too few items in common stays empty."""
    w = len(names)
    told = told_apart(names, 10)
    made = matrix_layout(told, told, look, height=min(110 + 26 * max(w, 4), 620))
    r = [[value if value == value else None for value in row] for row in pairs.correlation.tolist()]
    heat = share_cells(r, [[_hover(pairs, names, x, y) for x in range(w)] for y in range(w)], look, gap=1)
    numbers = share_numbers(r, look, 11, decimal)
    return {"data": [heat, numbers] if w <= _MOST_WITH_NUMBERS and numbers["x"] else [heat], "layout": made}


def _hover(pairs: RaterPairs, names: Sequence[str], x: int, y: int) -> str:
    shared = count(int(pairs.items[y, x]))
    if x == y:
        return f"{escape(names[x])}: {shared} items"
    who = f"{escape(names[y])} and {escape(names[x])}<br>"
    return (
        f"{who}r = {decimal(float(pairs.correlation[y, x]), 3)}, equal values "
        f"{share(float(pairs.equal[y, x]), 1)}, {shared} items"
    )
