"""Section on the ranking with and without the excluded raters, and without each rater in turn."""

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isnan

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.leave_one_out import LeaveOneOut
from analysis.values.estimate import Estimate
from features.assessments import names
from features.blocks import Block, Figure, Heading, Progress, method_of
from features.exclusion import exclusion_intervals, leave_one_out_of
from features.plotting.panels import at_top_right, text_trace, vertical_line
from features.plotting.series import Dot, circle_markers, dots, row_chart
from features.plotting.theme import (
    EN_SPACE,
    SHUFFLE_GREY,
    THREE_DIGITS,
    Look,
    NumberFormat,
    PlotlyFigure,
    count,
    decimal,
    escape,
    group_colour,
    shorten,
    write_rank,
)
from features.program import computed_by
from features.raters import exclusion_findings as findings
from features.raters import rater_results
from features.raters.rater_results import RankingChange, RankingSpec
from features.study import Scenario, Study

MOST_LINES = 60
"""Systems in one slope chart; of more, those that move most are drawn."""
RISES, FALLS = "#0072B2", "#D55E00"
_FEW = 25
"""Up to this many systems each has its label; beyond, those that moved and both ends."""
_HEIGHT, _LABEL = 620, 13
"""Pixels of a slope chart at most, and of a label."""
MOST_RATERS = 30
"""Raters in one picture; of more, those that move the ranking most."""
_LEAST = 0.01
"""Least range of an axis: less would make a picture of nothing."""
Names = Sequence[str] | NDArray[np.str_]
"""By code."""


def slopes(
    exclusion: Exclusion, names: Names, what: str, look: Look, write_score: NumberFormat = THREE_DIGITS
) -> PlotlyFigure:
    """Draw ranks with everyone on the left, without the excluded raters on the right; `what` is ranked, a plural."""
    change, gone = exclusion.change, len(exclusion.excluded)
    shown = _movers(change.shifts)
    left, right, shift = change.rank_before[shown], change.rank_after[shown], change.shifts[shown]
    place = np.searchsorted(exclusion.systems, change.systems[shown])
    ranks = np.concatenate([left, right, [1.0]])
    low, high = float(ranks.min()), float(ranks.max())
    height = min(_HEIGHT, max(240, 80 + 30 * int(high - low + 1)))
    ends = [vertical_line(x, look.grid, dash="", layer="below") for x in (0, 1)]
    margin = {"l": 8, "r": 8, "t": 12, "b": 36}
    made = look.layout(height=height, hovermode="closest", shapes=ends, margin=margin)
    made["xaxis"] = look.axis(
        range=[-0.75, 1.75],
        tickvals=[0, 1],
        ticktext=["With everyone", f"Without {count(gone)} rater{'' if gone == 1 else 's'}"],
        showgrid=False,
        fixedrange=True,
    )
    made["yaxis"] = look.axis(visible=False, range=[high + 0.7, low - 0.7], fixedrange=True)
    kinds = (
        (shift == 0, SHUFFLE_GREY, "solid", "circle"),
        (shift > 0, RISES, "solid", "triangle-up"),
        (shift < 0, FALLS, "dash", "triangle-down"),
    )
    hovers = np.array(
        [
            f"{escape(names[exclusion.systems[at]])}<br>before {write_score(exclusion.before[at])}"
            f"<br>after {write_score(exclusion.after[at])}"
            for at in place
        ]
    )
    traces = [
        _segments(left[of], right[of], hovers[of].tolist(), colour, dash, symbol)
        for of, colour, dash, symbol in kinds
        if of.any()
    ]
    drawn = [str(names[system]) for system in exclusion.systems[place]]
    room = _LABEL * (high - low + 1.4) / (height - 48)
    if drawn:
        traces += [_labels(x, at, shift, drawn, room, look) for x, at in ((0, left), (1, right))]
    if len(shown) < len(change.systems):
        remark = f"{len(shown)} of {count(len(change.systems))} {escape(what)}: those that move most"
        made["annotations"] = [at_top_right(remark, look)]
    elif not len(shown):
        made["annotations"] = [at_top_right(escape(exclusion.reason or change.pearson.reason), look)]
    return {"data": traces, "layout": made}


def _movers(shifts: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return positions of the systems drawn, in order; of too many, those that move most, both ends among equals."""
    n = len(shifts)
    if n <= MOST_LINES:
        return np.arange(n)
    outward = np.abs(np.arange(n) - (n - 1) / 2)
    return np.sort(np.lexsort((-outward, -np.abs(shifts)))[:MOST_LINES])


def _segments(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    hover: Sequence[str],
    colour: str,
    dash: str,
    symbol: str,
) -> PlotlyFigure:
    """Return all lines of one kind as one trace, None between them."""
    n, stays = len(left), symbol == "circle"
    ends = [end for pair in zip(left.tolist(), right.tolist(), strict=True) for end in (*pair, None)]
    marker = {
        "color": colour,
        "size": [5, 5 if stays else 8, 5] * n,
        "symbol": ["circle", symbol, "circle"] * n,
    }
    line = {"color": colour, "dash": dash, "width": 1.2 if stays else 2}
    hovers = [text for one in hover for text in (one, one, "")]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [0, 1, None] * n,
        "y": ends,
        "marker": marker,
        "line": line,
        "text": hovers,
        "hovertemplate": "%{text}<extra></extra>",
    }


def _labels(
    x: int,
    ranks: NDArray[np.float64],
    moves: NDArray[np.float64],
    names: Sequence[str],
    room: float,
    look: Look,
) -> PlotlyFigure:
    """Return the names at one end: systems of one rank share a label, and none overlap; of many, those that moved."""
    together: dict[float, list[int]] = {}
    for at, rank in enumerate(ranks.tolist()):
        together.setdefault(rank, []).append(at)
    ends = float(ranks.min()), float(ranks.max())
    weight = {rank: (rank in ends, max(abs(moves[at]) for at in of)) for rank, of in together.items()}
    kept: list[float] = []
    for rank in sorted(together, key=lambda rank: weight[rank], reverse=True):
        is_wanted = len(ranks) <= _FEW or any(weight[rank])
        if is_wanted and all(abs(rank - other) >= room for other in kept):
            kept.append(rank)
    placed = []
    for rank in kept:
        parts = [shorten(" = ".join(names[at] for at in together[rank]), 22), f"{rank:g}", ""]
        placed.append((float(x), rank, EN_SPACE.join(parts if x == 0 else reversed(parts))))
    colors = [look.ink if weight[rank][1] > 0 else look.faint for rank in kept]
    return text_trace(placed, colors, 11, "middle left" if x == 0 else "middle right")


def leave_one_out_dots(
    one_by_one: LeaveOneOut, names: Names, color: str, excluded: Collection[int], look: Look
) -> PlotlyFigure:
    """Draw 1 minus the correlation per rater, the largest on top, excluded raters hollow."""
    ranked = one_by_one.compares_ranks
    moved = 1 - (one_by_one.spearman if ranked else one_by_one.pearson)
    shift = np.nan_to_num(one_by_one.largest_shift)
    order = np.lexsort((-one_by_one.ratings, -shift, np.where(np.isnan(moved), 1, -moved)))[:MOST_RATERS]
    known = [(row, at) for row, at in enumerate(order.tolist()) if not isnan(moved[at])]
    hollow = [one_by_one.raters[at] in excluded for _, at in known]
    drawn = [Dot(row, Estimate(float(moved[at])), _hover(one_by_one, at, names)) for row, at in known]
    raters = len(one_by_one.raters)
    remarks = [f"{len(order)} of {count(raters)} raters"] if len(order) < raters else []
    remarks += ["undefined: no dot"] if len(known) < len(order) else []
    furthest = 1.05 * max([_LEAST, *(dot.estimate.value for dot in drawn)])
    return row_chart(
        [names[rater] for rater in one_by_one.raters[order]],
        [dots(drawn, color, 8, circle_markers(color, hollow))],
        {
            "title": f"1 − {'Spearman' if ranked else 'Pearson'}'s {'ρ' if ranked else 'r'}",
            "range": [0, furthest],
        },
        look,
        row=17,
        remark=", ".join(remarks),
        hovermode="closest",
    )


def _hover(one_by_one: LeaveOneOut, at: int, names: Names) -> str:
    return (
        f"{escape(names[one_by_one.raters[at]])}<br>ρ = {decimal(one_by_one.spearman[at], 3)}, "
        f"r = {decimal(one_by_one.pearson[at], 3)}<br>largest shift {write_rank(one_by_one.largest_shift[at])}, "
        f"{decimal(one_by_one.swaps[at], 0)} pairs swap<br>{count(one_by_one.ratings[at])} ratings"
    )


@computed_by(
    rater_results.compare_rankings,
    "results = {**vars(found), 'change': found.here.after - found.here.before}",
)
def exclusion_section(study: Study, scenario: Scenario, spec: RankingSpec) -> Iterator[Block]:
    """Yield how the ranking changes without the excluded raters, and without each rater in turn."""
    rule, every_rater = scenario.qualification, names(study, "rater")
    points = None if rule is None else rater_results.qualification(study, rule)
    qualified = [findings.qualification_table(points, rule, every_rater)] if rule and points else []
    found = rater_results.compare_points(study, scenario, spec, every_measure=False)
    if scenario.excludes:
        found = yield from _change(study, scenario, spec, found, qualified)
        yield Heading("Each rater in turn")
    each = leave_one_out_of(study, spec.measure, spec.exclusion)
    yield from _one_by_one(study, scenario, replace(found, one_by_one=each))
    yield method_of("raters", "exclusion", ["owczarzak2012"])


def change_section(study: Study, scenario: Scenario, spec: RankingSpec) -> Iterator[Block]:
    """Yield how the ranking changes without the excluded raters, without intervals, for the report."""
    found = rater_results.compare_points(study, scenario, spec)
    yield findings.change_finding(found, scenario)
    yield findings.summary_table(found.points)


def change_blocks(found: RankingChange, scenario: Scenario) -> Iterator[Block]:
    """Yield how a ranking changes without the excluded raters, without intervals."""
    yield from _slopes_blocks(found, scenario)
    yield findings.systems_table(found)


def _slopes_blocks(found: RankingChange, scenario: Scenario) -> Iterator[Block]:
    yield findings.change_finding(found, scenario)
    if found.here.change.pearson.n:
        caption = "Ranks of the {what} with everyone and without the excluded raters."
        draw = partial(slopes, found.here, found.ranked, found.what, write_score=found.write_score)
        yield Figure("slopes", (caption, {"what": found.what}), draw)


def _change(
    study: Study,
    scenario: Scenario,
    spec: RankingSpec,
    found: RankingChange,
    qualified: Sequence[Block],
) -> Generator[Block, None, RankingChange]:
    yield from _slopes_blocks(found, scenario)
    yield Progress("Intervals and random exclusions")
    drawn = exclusion_intervals(study, scenario, spec.exclusion)
    found = replace(rater_results.compare_points(study, scenario, spec), drawn=drawn)
    yield findings.systems_table(found)
    yield from qualified
    drops = None if found.drawn is None else {measure: of for measure, (_, of) in found.drawn.items()}
    yield findings.summary_table(found.points, drops)
    yield from findings.change_notes(found, scenario)
    return found


def _one_by_one(study: Study, scenario: Scenario, found: RankingChange) -> Iterator[Block]:
    yield findings.single_finding(found, is_main=not scenario.excludes)
    one_by_one = found.one_by_one
    if one_by_one is None or one_by_one.reason:
        return
    ranked = one_by_one.compares_ranks
    if ranked and np.nanmin(one_by_one.spearman) == 1:  # the finding says so, and a figure would be of zeros
        return
    color = group_colour(study.candidate, study.groups)
    caption = "Change of the ranking by {measure} without each rater, the largest on top."
    draw = partial(leave_one_out_dots, one_by_one, found.raters, color, set(scenario.left_out_codes))
    yield Figure("leave-one-out", (caption, {"measure": found.measure}), draw)
    yield findings.one_by_one_table(found, one_by_one)
