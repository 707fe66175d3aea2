"""Figures of "Agreement": alpha and the reliability of means by measure and group, and a matrix of rater pairs."""

from collections.abc import Sequence

from analysis.agreement.kappas import FEWEST_SHARED, RaterPairs
from features.agreement.results import TENTATIVE, Agreements
from features.plotting.marks import remark, upright
from features.plotting.numbers import count, decimal, share
from features.plotting.series import dots_by_group
from features.plotting.shades import correlation_cells, matrix_layout
from features.plotting.theme import Look, PlotlyFigure, escape, told_apart

ALPHA_AXIS = "One rating (Krippendorff's alpha)"
MEAN_AXIS = "Mean of an item's ratings (ICC)"
_MOST_WITH_NUMBERS = 16


def alpha_dots(found: Agreements, groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw the alpha of single ratings, a row per measure and a dot with its interval per group.

    A line marks the usual minimum where the axis reaches it.
    """
    cells = [(each.measure, each.group, each.alpha) for each in found]
    made = dots_by_group(cells, groups, ALPHA_AXIS, look)
    if made["layout"]["xaxis"]["range"][1] > TENTATIVE:
        made["layout"]["shapes"].append(upright(TENTATIVE, look.faint, layer="between"))
        place: PlotlyFigure = {"x": TENTATIVE, "xref": "x", "y": 0, "yanchor": "bottom", "xanchor": "right"}
        made["layout"]["annotations"].append(remark(f"usual minimum {decimal(TENTATIVE)}", look, **place))
    return made


def mean_dots(found: Agreements, groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw the reliability of the mean of an item's ratings, in the same rows."""
    cells = [(each.measure, each.group, each.summary.mean) for each in found]
    return dots_by_group(cells, groups, MEAN_AXIS, look, guide=None)


def pair_matrix(pairs: RaterPairs, names: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw Pearson's r of each rater pair; pairs with too few shared items are grey."""
    number = len(names)
    labels = told_apart(names, 10)
    height = min(130 + 26 * max(number, 4), 640)
    made = matrix_layout(labels, labels, look, height=height, remark="highest mean r first")
    if look.narrow and number > _MOST_WITH_NUMBERS:
        made["xaxis"]["showticklabels"] = False  # they would overlap; the order is that of the rows
    r = [[value if value == value else None for value in row] for row in pairs.correlation.tolist()]
    hovers = [[_hover(pairs, names, x, y) for x in range(number)] for y in range(number)]
    return {
        "data": correlation_cells(r, hovers, look, with_numbers=number <= _MOST_WITH_NUMBERS),
        "layout": made,
    }


def _hover(pairs: RaterPairs, names: Sequence[str], x: int, y: int) -> str:
    shared = int(pairs.items[y, x])
    if x == y:
        return f"{escape(names[x])}: {count(shared)} items"
    told = f"{escape(names[y])} and {escape(names[x])}<br>"
    r = float(pairs.correlation[y, x])
    if r != r:
        why = f"fewer than {FEWEST_SHARED}" if shared < FEWEST_SHARED else "no variation on them"
        return f"{told}no r: {count(shared)} shared items, {why}"
    equal = share(float(pairs.equal[y, x]), 1)
    return f"{told}r = {decimal(r, 3)}, equal values {equal}, {count(shared)} shared items"
