"""How far each rater's leaving moves the ranking."""

from collections.abc import Collection, Sequence
from math import isnan

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.leave_one_out import LeaveOneOut
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right
from features.plotting.numbers import count, decimal
from features.plotting.theme import Look, axis, escape, layout, shorten
from features.plotting.whiskers import outlined

MOST_RATERS = 30
"""Raters in one picture; of more, those that move the ranking most."""
_LEAST = 0.01
"""Of an axis: less would make a picture of nothing."""
_COLOUR = "#0072B2"
_ROW = 17


def leave_one_out_bars(
    one_by_one: LeaveOneOut,
    names: Sequence[str] | NDArray[np.str_],
    look: Look,
    left_out_codes: Collection[int] = (),
) -> Figure:
    """1 less the correlation and the largest shift per rater, the strongest on top; `names` by rater code."""
    ranked = one_by_one.compares_ranks
    moved = 1 - (one_by_one.spearman if ranked else one_by_one.pearson)
    order = np.lexsort(
        (
            -one_by_one.ratings,
            -np.nan_to_num(one_by_one.largest_shift),
            np.where(np.isnan(moved), 1, -moved),
        )
    )[:MOST_RATERS]
    hollow = [rater in set(left_out_codes) for rater in one_by_one.raters[order].tolist()]
    made = layout(look, height=90 + _ROW * max(len(order), 4))
    made["margin"] = {"l": 10, "r": 12, "t": 10, "b": 46}
    labels = [shorten(names[rater], 20) for rater in one_by_one.raters[order]]
    made["yaxis"] = axis(
        look,
        tickvals=list(range(len(order))),
        ticktext=labels,
        range=[len(order) - 0.4, -0.6],
        showgrid=False,
    )
    title = "1 − Spearman's ρ" if ranked else "1 − Pearson's r"
    furthest = 1.05 * max([_LEAST, *moved[order][~np.isnan(moved[order])].tolist()])
    made["xaxis"] = axis(look, title, range=[0, furthest], nticks=5, domain=[0, 0.58 if ranked else 1])
    hovers = [_hover(one_by_one, at, names) for at in order.tolist()]
    traces = _stems(moved[order], hovers, hollow, look, {})
    if ranked:
        made["xaxis2"] = axis(
            look, "Largest shift in ranks", rangemode="tozero", nticks=5, domain=[0.66, 1], anchor="y"
        )
        traces += _stems(one_by_one.largest_shift[order], hovers, hollow, look, {"xaxis": "x2"})
    raters = len(one_by_one.raters)
    told = [f"{len(order)} of {count(raters)} raters"] if len(order) < raters else []
    told += ["undefined: no dot"] if np.isnan(moved[order]).any() else []
    if told:
        made["margin"]["t"] = 28
        made["annotations"] = [at_top_right(", ".join(told), look)]
    return {"data": traces, "layout": made}


def _hover(one_by_one: LeaveOneOut, at: int, names: Sequence[str] | NDArray[np.str_]) -> str:
    return (
        f"{escape(names[one_by_one.raters[at]])}<br>ρ = {decimal(one_by_one.spearman[at], 3)}, "
        f"r = {decimal(one_by_one.pearson[at], 3)}<br>largest shift {decimal(one_by_one.largest_shift[at], 1)}, "
        f"{decimal(one_by_one.swaps[at], 0)} pairs swap<br>{count(one_by_one.ratings[at])} ratings"
    )


def _stems(
    values: NDArray[np.float64],
    text: Sequence[str],
    hollow: Sequence[bool],
    look: Look,
    where: dict[str, str],
) -> list[Figure]:
    known = [at for at, value in enumerate(values.tolist()) if not isnan(value)]
    stems = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for at in known for x in (0.0, float(values[at]), None)],
        "y": [y for at in known for y in (at, at, None)],
        "line": {"color": look.grid, "width": 2},
        "hoverinfo": "skip",
    }
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": [float(values[at]) for at in known],
        "y": known,
        "marker": {
            "color": _COLOUR,
            "size": 8,
            **outlined(_COLOUR, [hollow[at] for at in known]),
        },
        "text": [text[at] for at in known],
        "hovertemplate": "%{text}<extra></extra>",
    }
    return [trace | where for trace in (stems, dots)]
