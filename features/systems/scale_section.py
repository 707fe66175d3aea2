"""Section of "Ranking systems" that places all systems on one scale, from comparisons of pairs."""

from collections.abc import Iterator
from functools import partial
from math import isnan

import numpy as np

from analysis.systems.bradley_terry import ON, Scale
from analysis.systems.covariates import StyleEffects
from analysis.systems.goodness_of_fit import GoodnessOfFit
from analysis.systems.scale_intervals import ScaleIntervals, chance_estimates, strength_estimates
from analysis.values.estimate import Estimate
from features.blocks import Block, Figure, Heading, in_stages, last_stage, method_of
from features.plotting.panels import at_top_right, horizontal_line, remark, text_trace, vertical_line
from features.plotting.series import Dot, axis_range, dots, row_chart, values_and_ends
from features.plotting.shades import matrix_layout, share_cells
from features.plotting.theme import (
    GROUP_COLOURS,
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    Look,
    PlotlyFigure,
    count,
    escape,
    group_colour,
    interval_text,
    share,
    shorten,
)
from features.program import computed_by
from features.study import Study
from features.systems import scale_findings as findings
from features.systems.scale_findings import cluster_of, ranks_of
from features.systems.scale_results import Axis, ScaleSpec, SystemsOnScale, scale_stages, usable

MOST_SYSTEMS = 30
"""Systems drawn; of more, the strongest."""
WINS, LOSES = GROUP_COLOURS[0], GROUP_COLOURS[5]
"""Ends of the colors of the matrix of wins."""
TITLES: dict[Axis, str] = {
    "chance": "Chance to win against an average system",
    "strength": "Log-strength (average system: 0)",
}
_ROW, _LOW_ROW, _MANY = 24, 17, 15
"""Height of a row in pixels, the same of many, and how many are many."""


def scale_dots(
    scale: Scale, drawn: ScaleIntervals | None, on: Axis, color: str, look: Look, what: str = "system"
) -> PlotlyFigure:
    """Draw systems from the strongest to the weakest, with whiskers where there are intervals, and lines of clusters.

    A system without a place on the scale has the reason in its row.
    """
    drawn, order = usable(drawn), scale.order[:MOST_SYSTEMS].tolist()
    estimates = (chance_estimates if on == "chance" else strength_estimates)(scale, drawn)
    middle, percent = (0.5, {"tickformat": ".0%"}) if on == "chance" else (0.0, {})
    inside = values_and_ends(estimates[at] for at in order if estimates[at].defined)
    low, high = axis_range([middle - 0.1, middle + 0.1, *inside], 0.08)
    if on == "chance":
        low, high = max(low, -0.02), min(high, 1.02)
    known, words = list[Dot](), list[tuple[float, float, str]]()
    for row, at in enumerate(order):
        if scale.position[at] == ON:
            known.append(Dot(row, estimates[at], _hover(scale, estimates[at], at, drawn, on)))
        else:
            words.append((middle, row, cluster_of(scale, drawn, at)))
    traces = [dots(known, color, 9, thickness=1.6, cliponaxis=False), text_trace(words, look.faint, 12)]
    clusters = [int(drawn.cluster[at]) if drawn else 0 for at in order]
    starts = [row for row in range(1, len(order)) if 0 < clusters[row] != clusters[row - 1] > 0]
    labels = [
        remark(f"cluster {clusters[row]}", look, 11, x=1.01, xanchor="left", y=row, yref="y")
        for row in ([clusters.index(1), *starts] if starts else [])
    ]
    return row_chart(
        [str(scale.systems[at]) for at in order],
        [trace for trace in traces if trace["x"]],
        {"title": TITLES[on].replace("system", what), "range": [low, high], **percent},
        look,
        row=_row(len(order)),
        remark=_not_all_drawn(scale, "the strongest "),
        right=64 if labels else 14,
        annotations=labels,
        shapes=[
            vertical_line(middle, look.faint, layer="below"),
            *(horizontal_line(row - 0.5, look.faint) for row in starts),
        ],
    )


def win_matrix(scale: Scale, fit: GoodnessOfFit, look: Look) -> PlotlyFigure:
    """Draw the share of comparisons that the row's system won against the column's, a tie counting half, in percent.

    Columns carry the numbers of the rows where their names would not fit. A click on a cell gives both systems' places
    in `scale.systems`.
    """
    order = scale.order[:MOST_SYSTEMS]
    places, k = order.tolist(), len(order)
    shares = scale.shares[np.ix_(order, order)].tolist()
    cells = [[None if isnan(value) else value for value in row] for row in shares]
    numbered = [row for row in range(k) if k <= _MANY or row == 0 or row % 5 == 4]
    heads = names = [shorten(scale.systems[at], 18) for at in places]
    if sum(map(len, names)) > (24 if look.narrow else 80):
        heads = [str(row + 1) for row in range(k)]
        names = [f"{name}  {head}" for name, head in zip(names, heads, strict=True)]
    title = remark("Row beats column, %", look, 11, x=0, xanchor="left", y=1, yanchor="bottom", yshift=20)
    cut = _not_all_drawn(scale, "")
    made = matrix_layout(names, heads, look, 96 + _row(k) * max(k, 4))
    made |= {
        "hovermode": "closest",
        "hoverdistance": -1,  # the nearest middle is that of the cell under the pointer, however wide cells are
        "plot_bgcolor": look.grid,  # of pairs that were never compared
        "margin": {"l": 10, "r": 10, "t": 44, "b": 10},
        "annotations": [title, *([at_top_right(cut, look, 11, yshift=20)] if cut else [])],
    }
    ticks = {"tickvals": numbered, "ticktext": [heads[row] for row in numbered]}
    made["xaxis"] |= {"side": "top", "tickangle": 0, **ticks}
    heat = share_cells(cells, [], look, gap=1) | {
        "colorscale": [[0, LOSES], [0.5, look.ground], [1, WINS]],
        "showscale": not look.narrow,
        "colorbar": {"thickness": 10, "outlinewidth": 0, "tickvals": [0, 0.5, 1], "tickformat": ".0%"},
        "text": [["" if cell is None else f"{100 * cell:.0f}" for cell in row] for row in cells],
        "texttemplate": "%{text}",
        "hoverinfo": "skip",
        "hovertemplate": None,
    }
    at, invisible = [(row, column) for row in range(k) for column in range(k)], {"marker": {"opacity": 0}}
    middles = {
        "type": "scatter",
        "mode": "markers",
        "x": [column for _, column in at],
        "y": [row for row, _ in at],
        "hovertext": [_pair(scale, fit, places[row], places[column]) for row, column in at],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": [[places[row], places[column]] for row, column in at],
        "marker": {"size": 9, "opacity": 0},
        "selected": invisible,
        "unselected": invisible,
    }
    return {"data": [heat, middles] if k else [heat], "layout": made}


def _row(rows: int) -> int:
    return _ROW if rows <= _MANY else _LOW_ROW


def _not_all_drawn(scale: Scale, which: str) -> str:
    """Return the remark that not all systems are drawn, where so."""
    k = len(scale.systems)
    return f"{which}{MOST_SYSTEMS} of {count(k)} systems" if k > MOST_SYSTEMS else ""


def _pair(scale: Scale, fit: GoodnessOfFit, i: int, j: int) -> str:
    one, other = escape(scale.systems[i]), escape(scale.systems[j])
    compared = scale.compared[i, j]
    if i == j:
        return one
    if compared == 0:
        return f"{one} and {other} were never compared"
    won, tied, lost = (count(number) for number in (scale.wins[i, j], scale.ties[i, j], scale.wins[j, i]))
    number = scale.numbers[i, j]
    text = f"{one} against {other}: {share(scale.shares[i, j], 1)} of {count(number)} comparisons"
    by = "" if number == compared else " by weight"
    text += f"<br>{won} won, {tied} tied, {lost} lost{by}"
    expected = fit.expected[i, j] / compared
    return text if isnan(expected) else f"{text}<br>the scale expects {share(expected, 1)}"


def _hover(scale: Scale, estimate: Estimate, at: int, drawn: ScaleIntervals | None, on: Axis) -> str:
    name, write = escape(scale.systems[at]), PERCENT_ONE_DIGIT if on == "chance" else THREE_DIGITS
    text = write(estimate.value)
    if drawn:
        text += f" ({interval_text(estimate, write)})<br>rank {ranks_of(drawn, at)}"
    return f"{name}<br>{text}<br>{count(estimate.n)} comparisons"


@computed_by(
    scale_stages,
    "results = {'systems': found.chances, 'pairs': found.pairs, 'scale': found}",
    "if found.style is not None:",
    "    results['adjusted'] = found.adjusted_chances",
)
def scale_section(study: Study, spec: ScaleSpec) -> Iterator[Block]:
    """Yield the scale of all systems, first without intervals; then what position and style do, and all pairs."""
    found = yield from in_stages(scale_stages(study, spec), partial(_scale_blocks, study, spec))
    if not found.has_scale:
        return
    yield findings.systems_table(found)
    yield from findings.scale_remarks(found)
    if found.position is not None:
        yield findings.position_finding(found.scale, found.position, spec.bootstrap)
    if found.style is not None:
        yield from _style_blocks(study, found.style, spec)
    yield Heading("Pairs")
    caption = "Share of comparisons that the row's system won against the column's, in percent"
    caption += "; a tie is half a win." if found.scale.ties.any() else "."
    draw = partial(win_matrix, found.scale, found.fit)
    yield Figure("wins", (caption, {}), draw, hint="Click a cell to open its pair.")
    yield findings.pairs_table(found, spec.bootstrap)
    sources, bootstrap = ["bradley1952", "davidson1970", "cameron2011", "chiang2024"], spec.bootstrap
    yield method_of("systems", "scale", sources, draws=bootstrap.draws, seed=bootstrap.seed)


def _scale_blocks(study: Study, spec: ScaleSpec, found: SystemsOnScale) -> Iterator[Block]:
    yield findings.scale_finding(found, spec.bootstrap)
    if found.has_scale:
        yield scale_figure(study, found.scale, found.intervals, spec.axis)


def scale_figure(
    study: Study,
    scale: Scale,
    drawn: ScaleIntervals | None,
    axis: Axis,
    adjusted: str = "",
    what: str = "system",
) -> Figure:
    """Return the figure of a scale, in the color of the group that chose."""
    color = group_colour(study.candidate, study.groups)
    caption = (
        "All {what}s on one scale{adjusted}, the strongest on top, with intervals. Lines separate clusters."
    )
    draw = partial(scale_dots, scale, drawn, axis, color, what=what)
    values = {"adjusted": adjusted, "what": what}
    return Figure("style" if adjusted else "scale", (caption, values), draw)


def _style_blocks(study: Study, style: StyleEffects, spec: ScaleSpec) -> Iterator[Block]:
    yield Heading("Adjusted for style")
    yield findings.style_finding(style, spec.bootstrap)
    if not style.reason:
        yield scale_figure(study, style.adjusted, style.intervals, spec.axis, ", adjusted for style")
        yield findings.style_table(style)
        yield from findings.effect_findings(style, spec.bootstrap)
        yield findings.effects_table(style)
    yield from findings.style_remarks(style)


def scale_card(study: Study) -> Iterator[Block]:
    """Yield the scale of all systems for the overview, with its intervals, which take moments."""
    yield from _scale_blocks(study, ScaleSpec(), last_stage(scale_stages(study, ScaleSpec())))
