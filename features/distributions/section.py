"""Section of "Distributions": the blocks that its page and the card of the overview show."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.blocks import Block, Figure, card_of, not_enough_data
from features.distributions import findings
from features.distributions.results import Bars, Distributions, DistributionSpec, describe_groups
from features.plotting.labels import label_lines
from features.plotting.numbers import count, share
from features.plotting.panels import LEGEND_ON_TOP, grid, panel_title
from features.plotting.theme import Look, PlotlyFigure, escape, group_colour, group_dash, shorten, translucent
from features.program import method_of, study_program
from features.study import Study


def histograms(
    panels: Sequence[tuple[str, Sequence[Bars]]], groups: Sequence[str], look: Look, what: str
) -> PlotlyFigure:
    """Draw the share of each bar as filled steps, so that two groups of different size can be compared.

    `panels` holds (measure, bars of each group); `what` names what is counted, in the plural. A click on a bar gives
    its panel and its place among the bars, whatever its group.
    """
    made = grid(
        look,
        [panel_title(measure) for measure, _ in panels],
        x_title="Rating" if len(panels) != 1 else f"Rating, {shorten(panels[0][0], 30)}",
        y_title=f"Share of {what}",
        y_axis={"tickformat": ".0%", "rangemode": "tozero"},
        shared_x=_share_a_scale([bars[0].edges for _, bars in panels if bars]),
        legend=LEGEND_ON_TOP,
        hovermode="x",
        barmode="overlay",
        bargap=0,
    )
    traces: list[PlotlyFigure] = []
    for panel, (_, bars) in enumerate(panels):
        for one in bars:
            if one.counts.sum():
                traces += [
                    _steps(one, groups, panel == 0) | made.on(panel),
                    _middles(one, groups, panel) | made.on(panel),
                ]
    return label_lines({"data": traces, "layout": made.layout}, look)


def _share_a_scale(edges: Sequence[NDArray[np.float64]]) -> bool:
    """Return True where all measures overlap and none has twice the range of another."""
    ranges = [float(np.ptp(of_measure)) for of_measure in edges]
    overlap = max((e[0] for e in edges), default=0) < min((e[-1] for e in edges), default=1)
    return bool(overlap) and max(ranges, default=0) <= 2 * min(ranges, default=0)


def _steps(bars: Bars, groups: Sequence[str], in_legend: bool) -> PlotlyFigure:
    color, dash = group_colour(bars.group, groups), group_dash(bars.group, groups)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(bars.group),
        "x": [float(bars.edges[0]), *bars.edges.tolist()],
        "y": [0.0, *_shares(bars).tolist(), 0.0],
        "line": {"shape": "hv", "color": color, "width": 2, "dash": dash},
        "fill": "tozeroy",
        "fillcolor": translucent(color, 0.18),
        "hoverinfo": "skip",
        "showlegend": in_legend,
        "legendgroup": escape(bars.group),
    }


def _middles(bars: Bars, groups: Sequence[str], panel: int) -> PlotlyFigure:
    """Return the points over the middles of the bars, which carry the hover text and can be selected."""
    filled = np.flatnonzero(bars.counts)
    shares = _shares(bars)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": ((bars.edges[:-1] + bars.edges[1:]) / 2)[filled].tolist(),
        "y": shares[filled].tolist(),
        "customdata": [[panel, int(at)] for at in filled],
        "marker": {"color": group_colour(bars.group, groups), "size": 9, "opacity": 0},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0}},
        "text": [
            f"{escape(bars.group)}<br>{bars.edges[at]:g} to {bars.edges[at + 1]:g}: {count(bars.counts[at])} "
            f"({share(shares[at], 1)})"
            for at in filled
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }


def _shares(bars: Bars) -> NDArray[np.float64]:
    return np.asarray(bars.counts / (bars.counts.sum() or 1))


HISTOGRAMS = "histograms"
"""Name of the figure."""


def distributions_section(study: Study, spec: DistributionSpec, comparison: str) -> Iterator[Block]:
    """Yield where the groups' ratings lie on the scale; `comparison` is the title of the page that compares groups."""
    found = describe_groups(study, spec)
    if not found.descriptions:
        yield not_enough_data(
            "None of the chosen measures has ratings. Choose others, or exclude and filter less."
        )
        return
    yield findings.distribution_finding(study, found.descriptions, comparison)
    yield _figure(study, found)
    yield findings.descriptions_table(found.descriptions, study.raters_are_persons)
    yield from findings.undefined_warnings(found.descriptions)
    yield method_of("distributions", "descriptions", ["iskender2020"])


def _figure(study: Study, found: Distributions) -> Figure:
    has_items = found.spec.values == "item means"
    values, counted = ("item MOS", "items") if has_items else ("single ratings", "ratings")

    def draw(look: Look) -> dict[str, Any]:
        return histograms(list(found.histograms.items()), study.groups, look, counted)

    hint = "A click on a bar leads to its items." if has_items else ""
    return Figure(HISTOGRAMS, ("Distribution of {values} by group.", {"values": values}), draw, hint=hint)


def distributions_card(study: Study, comparison: str) -> Iterator[Block]:
    """Yield the finding, and the histogram of the measure with the largest gap."""
    described = describe_groups(study, DistributionSpec(measures=())).descriptions
    widest = (findings.widest_apart(described),) if described else ()
    yield from card_of(distributions_section(study, DistributionSpec(measures=widest), comparison))


def distributions_program(study: Study, spec: DistributionSpec) -> str:
    """Return a program that describes the groups' ratings without a browser."""
    lines = ["results = {(each.measure, each.group): each.description for each in found.descriptions}"]
    return study_program(study, None, describe_groups, spec, lines)
