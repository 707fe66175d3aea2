"""Assessors: how consistent each is, and what becomes of a ranking when some go."""

from collections.abc import Callable, Collection, Sequence
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion, Intervals
from analysis.assessors.leave_one_out import LeaveOneOut
from analysis.values.estimate import Estimate
from charts.parts.numbers import EN_SPACE, count, decimal, interval
from charts.parts.panels import grid, panel_title
from charts.parts.theme import SHUFFLE_GREY, Look, axis, escape, layout, shorten

MOST_LINES = 60
"""Systems in one slope chart; of more, those that move most are drawn."""
MOST_RATERS = 30
"""Raters in one dot plot."""
RISES, FALLS = "#0072B2", "#D55E00"
_FEW = 25
"""Up to this many systems each has its label; beyond, the ones that moved and both ends."""
_HEIGHT = 620
_LABEL, _SMALL_LABEL = 13, 9.5
"""Height of a label in pixels, and where it is crowded."""
_ROW = 17


def slopes(
    found: Exclusion,
    names: Sequence[Any] | NDArray[Any],
    what: str,
    look: Look,
    drawn: Intervals | None = None,
) -> dict[str, Any]:
    """Ranks with everyone on the left and without the raters left out on the right, a line per system.

    `names` by system id; `what` is the plural word for systems; hovers tell intervals once they are `drawn`.
    """
    change = found.change
    gone = len(found.excluded)
    made = layout(look, height=_HEIGHT, hovermode="closest")
    made["margin"] = {"l": 8, "r": 8, "t": 12, "b": 36}
    made["xaxis"] = axis(
        look,
        range=[-0.75, 1.75],
        tickvals=[0, 1],
        ticktext=["With everyone", f"Without {count(gone)} rater{'' if gone == 1 else 's'}"],
        showgrid=False,
        fixedrange=True,
    )
    lost = np.flatnonzero(np.isin(found.systems, list(found.lost)) & ~np.isnan(found.before))
    shown = _movers(change.shifts, MOST_LINES)
    hover = _system_hovers(found, names, drawn)
    left, right, shift = change.rank_before[shown], change.rank_after[shown], change.shifts[shown]
    place = np.searchsorted(found.systems, change.systems[shown])
    ahead = [int((found.before[~np.isnan(found.after)] > found.before[at]).sum()) for at in lost]
    lost_rank = np.array(ahead, dtype=np.float64)[:MOST_LINES] + 0.5
    lost = lost[:MOST_LINES]
    ranks = np.concatenate([left, right, lost_rank, [1.0]])
    low, high = float(ranks.min()), float(ranks.max())
    made["yaxis"] = axis(look, visible=False, range=[high + 0.7, low - 0.7], fixedrange=True)
    made["height"] = min(_HEIGHT, max(240, 80 + 30 * int(high - low + 1)))
    made["shapes"] = [_upright(x, look) for x in (0, 1)]

    kinds = (
        (shift == 0, SHUFFLE_GREY, "solid", "circle"),
        (shift > 0, RISES, "solid", "triangle-up"),
        (shift < 0, FALLS, "dash", "triangle-down"),
    )
    traces = [
        _segments(left[of], right[of], [hover[at] for at in place[of]], colour, dash, symbol)
        for of, colour, dash, symbol in kinds
        if of.any()
    ]
    if len(lost):
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [0.0] * len(lost),
                "y": lost_rank.tolist(),
                "marker": {"symbol": "circle-open", "size": 8, "color": look.ink},
                "text": [hover[at] for at in lost.tolist()],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    told = [str(names[found.systems[at]]) for at in place]
    gone_names = [f"{names[found.systems[at]]} (lost)" for at in lost]
    rank_height = (made["height"] - 48) / (high - low + 1.4)
    label = _LABEL if rank_height >= _LABEL else _SMALL_LABEL
    size = 11 if label == _LABEL else 9.5
    for x, at, moves, all_names in (
        (
            0,
            np.concatenate([left, lost_rank]),
            np.concatenate([shift, np.full(len(lost), 99.0)]),
            told + gone_names,
        ),
        (1, right, shift, told),
    ):
        if len(at):
            traces.append(_labels(x, at, moves, all_names, label / rank_height, look, size))
    if len(shown) < len(change.systems):
        made["annotations"] = [
            _remark(
                f"{len(shown)} of {count(len(change.systems))} {escape(what)}: those that move most", look
            )
        ]
    elif not len(shown):
        made["annotations"] = [_remark(escape(found.reason or change.pearson.reason), look)]
    return {"data": traces, "layout": made}


def leave_one_out_bars(
    found: LeaveOneOut, names: Sequence[Any] | NDArray[Any], look: Look, excluded: Collection[Any] = ()
) -> dict[str, Any]:
    """How far each rater's leaving moves the ranking, the one that moves it most on top; `names` by rater id."""
    ranked = not np.isnan(found.spearman).all()
    moved = 1 - (found.spearman if ranked else found.pearson)
    order = np.lexsort(
        (-found.ratings, -np.nan_to_num(found.largest_shift), np.where(np.isnan(moved), 1, -moved))
    )
    order = order[:MOST_RATERS]
    who = [found.raters[at] for at in order]
    hollow = [rater in set(excluded) for rater in found.raters[order].tolist()]
    made = layout(look, height=90 + _ROW * max(len(order), 4))
    made["margin"] = {"l": 10, "r": 12, "t": 10, "b": 46}
    places = list(range(len(order)))
    labels = [shorten(names[rater], 20) for rater in who]
    made["yaxis"] = axis(
        look, tickvals=places, ticktext=labels, range=[len(order) - 0.4, -0.6], showgrid=False
    )
    title = "1 − Spearman's ρ" if ranked else "1 − Pearson's r"
    made["xaxis"] = axis(look, title, rangemode="tozero", nticks=5, domain=[0, 0.58 if ranked else 1])
    text = [
        f"{escape(names[found.raters[at]])}<br>ρ = {decimal(found.spearman[at], 3)}, "
        f"r = {decimal(found.pearson[at], 3)}<br>largest shift {decimal(found.largest_shift[at], 1)}, "
        f"{decimal(found.swaps[at], 0)} pairs swap<br>{count(found.ratings[at])} ratings"
        for at in order
    ]
    traces = _stems(moved[order], text, hollow, look, {})
    if ranked:
        made["xaxis2"] = axis(
            look, "Largest shift in ranks", rangemode="tozero", nticks=5, domain=[0.66, 1], anchor="y"
        )
        traces += _stems(found.largest_shift[order], text, hollow, look, {"xaxis": "x2"})
    remarks = [f"{len(order)} of {count(len(found.raters))} raters"] if len(order) < len(found.raters) else []
    remarks += ["undefined: no dot"] if np.isnan(moved[order]).any() else []
    if remarks:
        made["margin"]["t"] = 28
        made["annotations"] = [_remark(", ".join(remarks), look)]
    return {"data": traces, "layout": made}


def consistency_dots(
    panels: Sequence[tuple[str, Sequence[tuple[str, Estimate]]]],
    title: str,
    look: Look,
    excluded: Collection[str] = (),
) -> dict[str, Any]:
    """One panel per measure: raters from the most to the least consistent, with whiskers; excluded ones hollow.

    Of more than 30 raters the least consistent are drawn. Raters without a figure stand below, in brackets.
    """
    chosen = [_ranked(rows) for _, rows in panels]
    ends = [
        end
        for rows in chosen
        for _, e in rows
        if e.defined
        for end in (e.value, e.low, e.high)
        if not isnan(end)
    ]
    low, high = min([0.0, *ends]), max([1.0, *ends])
    span = high - low
    most = max([len(rows) for rows in chosen], default=0)
    made = grid(
        look,
        [
            _measure_title(measure, len(rows), len(drawn))
            for (measure, rows), drawn in zip(panels, chosen, strict=True)
        ],
        x_title=title,
        y_title="",
        x_axis={
            "range": [low - 0.5 * span, high + 0.04 * span],
            "tickvals": _ticks(low, high),
            "zeroline": low < 0,
            "zerolinecolor": look.faint,
        },
        y_axis={"range": [max(most, 1) - 0.4, -0.6], "visible": False},
    )
    lines = -(-len(panels) // 3)
    made.layout["height"] = max(260, lines * (_ROW * most + 70) + 50)
    made.layout["margin"] |= {"l": 8}
    traces: list[dict[str, Any]] = []
    for at, rows in enumerate(chosen):
        traces += [
            trace | made.on(at) for trace in _dots(rows, low - 0.48 * span, low - 0.1 * span, look, excluded)
        ]
    return {"data": traces, "layout": made.layout}


def _dots(
    rows: Sequence[tuple[str, Estimate]], edge: float, undefined: float, look: Look, excluded: Collection[str]
) -> list[dict[str, Any]]:
    names = {
        "type": "scatter",
        "mode": "text",
        "x": [edge] * len(rows),
        "y": list(range(len(rows))),
        "text": [shorten(name, 14) if e.defined else f"({shorten(name, 12)})" for name, e in rows],
        "textposition": "middle right",
        "textfont": {"size": 11, "color": [look.ink if e.defined else look.faint for _, e in rows]},
        "hovertext": [_hover(name, e, name in excluded) for name, e in rows],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    known = [(y, name, e) for y, (name, e) in enumerate(rows) if e.defined]
    unknown = [(y, name, e) for y, (name, e) in enumerate(rows) if not e.defined]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": [e.value for _, _, e in known],
        "y": [y for y, _, _ in known],
        "marker": {
            "size": 8,
            "color": RISES,
            "symbol": ["circle-open" if name in excluded else "circle" for _, name, _ in known],
            "line": {"width": 1.5, "color": RISES},
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [0 if isnan(e.high) else e.high - e.value for _, _, e in known],
            "arrayminus": [0 if isnan(e.low) else e.value - e.low for _, _, e in known],
            "color": RISES,
            "thickness": 1.3,
            "width": 0,
        },
        "text": [_hover(name, e, name in excluded) for _, name, e in known],
        "hovertemplate": "%{text}<extra></extra>",
    }
    below = {
        "type": "scatter",
        "mode": "markers",
        "x": [undefined] * len(unknown),
        "y": [y for y, _, _ in unknown],
        "marker": {"size": 8, "color": look.faint, "symbol": "diamond-open"},
        "text": [_hover(name, e, name in excluded) for _, name, e in unknown],
        "hovertemplate": "%{text}<extra></extra>",
    }
    return [trace for trace in (names, dots, below) if trace["x"]]


def _hover(name: str, estimate: Estimate, excluded: bool) -> str:
    out = " (left out)" if excluded else ""
    if not estimate.defined:
        return f"{escape(name)}{out}<br>undefined: {escape(estimate.reason)}"
    return f"{escape(name)}{out}<br>{decimal(estimate.value, 3)} ({interval(estimate, 3)}), n = {count(estimate.n)}"


def _ranked(rows: Sequence[tuple[str, Estimate]]) -> list[tuple[str, Estimate]]:
    """The raters drawn, most consistent first, undefined ones last; of too many, the least consistent."""
    known = sorted((row for row in rows if row[1].defined), key=lambda row: -row[1].value)
    unknown = [row for row in rows if not row[1].defined]
    kept = known[-MOST_RATERS:]
    return kept + unknown[: MOST_RATERS - len(kept)]


def _measure_title(measure: str, raters: int, drawn: int) -> str:
    return panel_title(measure, f"{drawn} of {count(raters)} raters, the least" if drawn < raters else "")


def _ticks(low: float, high: float) -> list[float]:
    step = 0.5 if high - low <= 2.5 else 1.0
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    return [float(tick) for tick in ticks]


def _movers(shifts: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Positions of the systems drawn, in order; of too many, those that move most, both ends among equals."""
    n = len(shifts)
    if n <= most:
        return np.arange(n)
    outward = np.abs(np.arange(n) - (n - 1) / 2)
    return np.sort(np.lexsort((-outward, -np.abs(shifts)))[:most])


def _system_hovers(
    found: Exclusion, names: Sequence[Any] | NDArray[Any], drawn: Intervals | None
) -> "_Hovers":
    def scored(values: NDArray[np.float64], side: str, at: int) -> str:
        if isnan(values[at]):
            return "no ratings"
        if drawn is None:
            return decimal(values[at], 3)
        ends = Estimate(
            0.0, float(getattr(drawn, f"{side}_low")[at]), float(getattr(drawn, f"{side}_high")[at])
        )
        return f"{decimal(values[at], 3)} ({interval(ends, 3)})"

    def text(at: int) -> str:
        return (
            f"{escape(names[found.systems[at]])}<br>before {scored(found.before, 'before', at)}"
            f"<br>after {scored(found.after, 'after', at)}"
        )

    return _Hovers(text)


class _Hovers:
    """Hover texts by position, made only for what is drawn."""

    def __init__(self, text: Callable[[int], str]) -> None:
        self._text = text

    def __getitem__(self, at: int) -> str:
        return self._text(int(at))


def _segments(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    hover: Sequence[str],
    colour: str,
    dash: str,
    symbol: str,
) -> dict[str, Any]:
    """All lines of one kind as one trace, None between them."""
    n = len(left)
    ends = [end for pair in zip(left.tolist(), right.tolist(), strict=True) for end in (*pair, None)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [0, 1, None] * n,
        "y": ends,
        "line": {"color": colour, "dash": dash, "width": 1.2 if symbol == "circle" else 2},
        "marker": {
            "color": colour,
            "size": [5, 5 if symbol == "circle" else 8, 5] * n,
            "symbol": ["circle", symbol, "circle"] * n,
        },
        "text": [text for one in hover for text in (one, one, "")],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _labels(
    x: int,
    ranks: NDArray[np.float64],
    moves: NDArray[np.float64],
    names: Sequence[str],
    room: float,
    look: Look,
    size: float,
) -> dict[str, Any]:
    """Names at one end: systems of one rank share a label, and no label stands within `room` ranks of another."""
    together: dict[float, list[int]] = {}
    for at, rank in enumerate(ranks.tolist()):
        together.setdefault(rank, []).append(at)
    ends = float(ranks.min()), float(ranks.max())

    def weight(rank: float) -> tuple[bool, float]:
        return rank in ends, max(abs(moves[at]) for at in together[rank])

    many = len(ranks) > _FEW
    kept: list[float] = []
    for rank in sorted(together, key=weight, reverse=True):
        wanted = not many or weight(rank)[0] or weight(rank)[1] > 0
        if wanted and all(abs(rank - other) >= room for other in kept):
            kept.append(rank)
    moved = {rank: weight(rank)[1] > 0 for rank in kept}
    text = []
    for rank in kept:
        name = shorten(" = ".join(names[at] for at in together[rank]), 22)
        lost_only = all(names[at].endswith(" (lost)") for at in together[rank])
        number = "" if lost_only else f"{rank:g}"
        text.append(
            f"{name}{EN_SPACE}{number}{EN_SPACE}" if x == 0 else f"{EN_SPACE}{number}{EN_SPACE}{name}"
        )
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x] * len(kept),
        "y": kept,
        "text": text,
        "textposition": "middle left" if x == 0 else "middle right",
        "textfont": {"size": size, "color": [look.ink if moved[rank] else look.faint for rank in kept]},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def _stems(
    values: NDArray[np.float64],
    text: Sequence[str],
    hollow: Sequence[bool],
    look: Look,
    where: dict[str, str],
) -> list[dict[str, Any]]:
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
            "color": RISES,
            "size": 8,
            "symbol": ["circle-open" if hollow[at] else "circle" for at in known],
            "line": {"width": 1.5, "color": RISES},
        },
        "text": [text[at] for at in known],
        "hovertemplate": "%{text}<extra></extra>",
    }
    return [trace | where for trace in (stems, dots)]


def _upright(x: float, look: Look) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "layer": "below",
        "line": {"color": look.grid, "width": 1},
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
        "font": {"size": 11, "color": look.faint},
    }
