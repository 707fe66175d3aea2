"""Section on the ranking with and without the excluded raters, and without each rater in turn."""

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isnan

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.leave_one_out import LeaveOneOut
from features.blocks import Block, Figure, Heading, Progress
from features.plotting.marks import at_top_right
from features.plotting.numbers import EN_SPACE, count, decimal
from features.plotting.series import outlined
from features.plotting.theme import (
    GROUP_COLOURS,
    SHUFFLE_GREY,
    Look,
    PlotlyFigure,
    axis,
    escape,
    group_colour,
    layout,
    shorten,
)
from features.program import method_of, study_program
from features.raters import exclusion_findings as findings
from features.raters import exclusion_results as results
from features.raters.exclusion_results import RankingChange, RankingSpec
from features.study import Scenario, Study

MOST_LINES = 60
"""Systems in one slope chart; of more, those that move most are drawn."""
RISES, FALLS = "#0072B2", "#D55E00"
_FEW = 25
"""Up to this many systems each has its label; beyond, the ones that moved and both ends."""
_HEIGHT = 620
_LABEL, _SMALL_LABEL = 13, 9.5
"""Height of a label in pixels, and where it is crowded."""
MOST_RATERS = 30
"""Raters in one picture; of more, those that move the ranking most."""
_LEAST = 0.01
"""Of an axis: less would make a picture of nothing."""
_ROW = 17
Names = Sequence[str] | NDArray[np.str_]
"""By code."""


def slopes(exclusion: Exclusion, names: Names, what: str, look: Look) -> PlotlyFigure:
    """Draw ranks with everyone on the left, without the excluded raters on the right; `what` is ranked, a plural."""
    change, gone = exclusion.change, len(exclusion.excluded)
    shown = _movers(change.shifts, MOST_LINES)
    left, right, shift = change.rank_before[shown], change.rank_after[shown], change.shifts[shown]
    place = np.searchsorted(exclusion.systems, change.systems[shown])
    lost, lost_rank = _lost(exclusion)
    ranks = np.concatenate([left, right, lost_rank, [1.0]])
    low, high = float(ranks.min()), float(ranks.max())
    height = min(_HEIGHT, max(240, 80 + 30 * int(high - low + 1)))
    made = layout(look, height=height, hovermode="closest", shapes=[_upright(x, look) for x in (0, 1)])
    made["margin"] = {"l": 8, "r": 8, "t": 12, "b": 36}
    made["xaxis"] = axis(
        look,
        range=[-0.75, 1.75],
        tickvals=[0, 1],
        ticktext=["With everyone", f"Without {count(gone)} rater{'' if gone == 1 else 's'}"],
        showgrid=False,
        fixedrange=True,
    )
    made["yaxis"] = axis(look, visible=False, range=[high + 0.7, low - 0.7], fixedrange=True)
    kinds = (
        (shift == 0, SHUFFLE_GREY, "solid", "circle"),
        (shift > 0, RISES, "solid", "triangle-up"),
        (shift < 0, FALLS, "dash", "triangle-down"),
    )
    traces = [
        _segments(left[of], right[of], _hovers(exclusion, names, place[of]), colour, dash, symbol)
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
                "text": _hovers(exclusion, names, lost),
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    drawn = [str(names[system]) for system in exclusion.systems[place]]
    gone_names = [f"{names[system]} (lost)" for system in exclusion.systems[lost]]
    rank_height = (height - 48) / (high - low + 1.4)
    before, moves = np.concatenate([left, lost_rank]), np.concatenate([shift, np.full(len(lost), 99.0)])
    stay = _runs(left, shift) if len(shown) > _FEW else []
    if len(before):
        traces.append(_labels(0, before, moves, drawn + gone_names, rank_height, look, stay))
    if len(right):
        traces.append(_labels(1, right, shift, drawn, rank_height, look, stay))
    if len(shown) < len(change.systems):
        told = f"{len(shown)} of {count(len(change.systems))} {escape(what)}: those that move most"
        made["annotations"] = [at_top_right(told, look)]
    elif not len(shown):
        made["annotations"] = [at_top_right(escape(exclusion.reason or change.pearson.reason), look)]
    return {"data": traces, "layout": made}


def _lost(exclusion: Exclusion) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return places of the systems without ratings left, and the ranks between which they stood."""
    lost = np.flatnonzero(np.isin(exclusion.systems, list(exclusion.lost)) & ~np.isnan(exclusion.before))[
        :MOST_LINES
    ]
    kept = exclusion.before[~np.isnan(exclusion.after)]
    ahead = [int((kept > exclusion.before[at]).sum()) for at in lost]
    return lost, np.array(ahead, dtype=np.float64) + 0.5


def _movers(shifts: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Return positions of the systems drawn, in order; of too many, those that move most, both ends among equals."""
    n = len(shifts)
    if n <= most:
        return np.arange(n)
    outward = np.abs(np.arange(n) - (n - 1) / 2)
    return np.sort(np.lexsort((-outward, -np.abs(shifts)))[:most])


def _hovers(exclusion: Exclusion, names: Names, places: NDArray[np.intp]) -> list[str]:
    def scored(value: float) -> str:
        return "no ratings" if isnan(value) else decimal(value, 3)

    return [
        f"{escape(names[exclusion.systems[at]])}<br>before {scored(exclusion.before[at])}"
        f"<br>after {scored(exclusion.after[at])}"
        for at in places
    ]


def _segments(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    hover: Sequence[str],
    colour: str,
    dash: str,
    symbol: str,
) -> PlotlyFigure:
    """Return all lines of one kind as one trace, None between them."""
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


def _runs(ranks: NDArray[np.float64], shift: NDArray[np.float64]) -> list[tuple[float, str]]:
    """Return runs of neighbors that stay, between both ends: the middle of their ranks and their number."""
    inner = np.flatnonzero((shift == 0) & (ranks > ranks.min()) & (ranks < ranks.max()))
    runs = np.split(inner, np.flatnonzero(np.diff(inner) > 1) + 1)
    return [
        (float(ranks[run].mean()), f"{ranks[run[0]]:g} to {ranks[run[-1]]:g}: {len(run)} stay")
        for run in runs
        if len(run) > 1
    ]


def _labels(
    x: int,
    ranks: NDArray[np.float64],
    moves: NDArray[np.float64],
    names: Sequence[str],
    rank_height: float,
    look: Look,
    stay: Sequence[tuple[float, str]] = (),
) -> PlotlyFigure:
    """Return the names at one end: systems of one rank share a label, those that `stay` one a run; none overlap."""
    label, size = (_LABEL, 11.0) if rank_height >= _LABEL else (_SMALL_LABEL, 9.5)
    room = label / rank_height
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
    for rank, told in stay:
        if all(abs(rank - other) >= room for other in kept):
            kept.append(rank)
            moved[rank] = False
            text.append(f"{told}{EN_SPACE}" if x == 0 else f"{EN_SPACE}{told}")
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


def _upright(x: float, look: Look) -> PlotlyFigure:
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


def leave_one_out_bars(
    one_by_one: LeaveOneOut,
    names: Names,
    color: str,
    excluded: Collection[int],
    look: Look,
) -> PlotlyFigure:
    """Draw 1 minus the correlation and the largest shift per rater, the largest on top, excluded raters hollow."""
    ranked = one_by_one.compares_ranks
    moved = 1 - (one_by_one.spearman if ranked else one_by_one.pearson)
    order = np.lexsort(
        (
            -one_by_one.ratings,
            -np.nan_to_num(one_by_one.largest_shift),
            np.where(np.isnan(moved), 1, -moved),
        )
    )[:MOST_RATERS]
    hollow = [rater in excluded for rater in one_by_one.raters[order].tolist()]
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
    traces = _stems(moved[order], hovers, hollow, (color, look), {})
    if ranked:
        made["xaxis2"] = axis(
            look, "Largest shift in ranks", rangemode="tozero", nticks=5, domain=[0.66, 1], anchor="y"
        )
        traces += _stems(one_by_one.largest_shift[order], hovers, hollow, (color, look), {"xaxis": "x2"})
    raters = len(one_by_one.raters)
    told = [f"{len(order)} of {count(raters)} raters"] if len(order) < raters else []
    told += ["undefined: no dot"] if np.isnan(moved[order]).any() else []
    if told:
        made["margin"]["t"] = 28
        made["annotations"] = [at_top_right(", ".join(told), look)]
    return {"data": traces, "layout": made}


def _hover(one_by_one: LeaveOneOut, at: int, names: Names) -> str:
    return (
        f"{escape(names[one_by_one.raters[at]])}<br>ρ = {decimal(one_by_one.spearman[at], 3)}, "
        f"r = {decimal(one_by_one.pearson[at], 3)}<br>largest shift {decimal(one_by_one.largest_shift[at], 1)}, "
        f"{decimal(one_by_one.swaps[at], 0)} pairs swap<br>{count(one_by_one.ratings[at])} ratings"
    )


def _stems(
    values: NDArray[np.float64],
    text: Sequence[str],
    hollow: Sequence[bool],
    colored: tuple[str, Look],
    where: dict[str, str],
) -> list[PlotlyFigure]:
    color, look = colored
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
            "color": color,
            "size": 8,
            **outlined(color, [hollow[at] for at in known]),
        },
        "text": [text[at] for at in known],
        "hovertemplate": "%{text}<extra></extra>",
    }
    return [trace | where for trace in (stems, dots)]


def exclusion_section(study: Study, scenario: Scenario, spec: RankingSpec) -> Iterator[Block]:
    """Yield how the ranking changes without the excluded raters, and without each rater in turn."""
    found = results.compare_points(study, scenario, spec)
    if scenario.excludes:
        found = yield from _change(study, scenario, spec, found)
        yield Heading("Each rater in turn")
    one_by_one = replace(found, one_by_one=results.exclude_each(study, spec))
    yield from _one_by_one(study, scenario, one_by_one)
    if not scenario.excludes:
        yield Progress("Intervals of differences")
        drawn = replace(found, drawn=results.draw_intervals(study, scenario, spec))
        if (pairs := findings.pairs_finding(drawn)) is not None:
            yield pairs
    yield method_of("raters", "exclusion", ["owczarzak2012"])


def change_section(study: Study, scenario: Scenario, spec: RankingSpec) -> Iterator[Block]:
    """Yield how the ranking changes without the excluded raters, without intervals, for the report."""
    found = results.compare_points(study, scenario, spec)
    yield findings.change_finding(found, scenario)
    yield findings.summary_table(found.points)


def _change(
    study: Study, scenario: Scenario, spec: RankingSpec, found: RankingChange
) -> Generator[Block, None, RankingChange]:
    yield findings.change_finding(found, scenario)
    if found.here.change.pearson.n:
        caption = "Ranks of the {what} with everyone and without the excluded raters."
        draw = partial(slopes, found.here, found.ranked, found.what)
        yield Figure("slopes", (caption, {"what": found.what}), draw)
    yield Progress("Intervals and random exclusions")
    found = replace(found, drawn=results.draw_intervals(study, scenario, spec))
    yield findings.systems_table(found)
    drops = None if found.drawn is None else {measure: of for measure, (_, of) in found.drawn.items()}
    yield findings.summary_table(found.points, drops)
    yield from findings.change_notes(found, scenario)
    return found


def _one_by_one(study: Study, scenario: Scenario, found: RankingChange) -> Iterator[Block]:
    yield findings.single_finding(found, is_main=not scenario.excludes)
    one_by_one = found.one_by_one
    if one_by_one is None or one_by_one.reason:
        return
    color = (
        group_colour(study.candidate, study.groups) if study.candidate in study.groups else GROUP_COLOURS[0]
    )
    caption = "Change of the ranking by {measure} without each rater, the largest on top."
    draw = partial(leave_one_out_bars, one_by_one, found.raters, color, set(scenario.left_out_codes))
    yield Figure("leave-one-out", (caption, {"measure": found.measure}), draw)
    yield findings.one_by_one_table(found, one_by_one)


def exclusion_program(study: Study, scenario: Scenario, spec: RankingSpec) -> str:
    """Return a program that compares the rankings without a browser."""
    lines = ["results = {**vars(found), 'change': found.here.after - found.here.before}"]
    return study_program(study, scenario, results.compare_rankings, spec, lines)
