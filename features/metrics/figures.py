"""An automatic metric against human scores of systems, with everyone and without some raters."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import MetricAgreement
from features.metrics.findings import TERMS
from features.metrics.results import MetricResult
from features.plotting.figure import PlotlyFigure
from features.plotting.numbers import decimal
from features.plotting.panels import LEGEND_ON_TOP, grid, panel_title
from features.plotting.theme import GROUP_COLOURS, SHUFFLE_GREY, Look, rimmed, shorten

MOST_POINTS = 2000
"""Systems drawn in one panel; of more, every so many-th."""
_COLOR = GROUP_COLOURS[0]


def scatter(found: MetricResult, measures: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw each system at (metric, human score): filled with everyone, hollow without the excluded raters."""
    panels = [(found.agreements[one], found.ranked[one][found.agreements[one].systems]) for one in measures]
    excluded = any(agreement.excluded.any() for agreement, _ in panels)
    legend: PlotlyFigure = {"legend": LEGEND_ON_TOP} if excluded else {}
    made = grid(
        look,
        [
            panel_title(measure, _told(agreement))
            for measure, (agreement, _) in zip(measures, panels, strict=True)
        ],
        x_title=shorten(found.spec.metric.name, 40),
        y_title="Mean score by raters",
        **legend,
    )
    for axis in made.yaxes[1:]:
        made.layout[f"yaxis{axis[1:]}"].pop("matches", None)
        made.layout[f"yaxis{axis[1:]}"]["showticklabels"] = True
    for axis in made.xaxes:
        made.layout[f"xaxis{axis[1:]}"] |= {"nticks": 3, "tickangle": 0}
    traces: list[PlotlyFigure] = []
    for at, panel in enumerate(panels):
        traces += [{"showlegend": at == 0} | trace | made.on(at) for trace in _traces(*panel, excluded, look)]
    return {"data": traces, "layout": made.layout}


def _told(agreement: MetricAgreement) -> str:
    level, term = agreement.system_level, TERMS[agreement.correlation]
    told = f"{term} = {decimal(level.before.value)}"
    return f"{told} → {decimal(level.after.value)}" if agreement.excluded.any() else told


def _traces(
    agreement: MetricAgreement, names: NDArray[np.str_], excluded: bool, look: Look
) -> list[PlotlyFigure]:
    panel = agreement, names
    every = np.arange(len(agreement.systems))[:: -(-len(agreement.systems) // MOST_POINTS) or 1]
    before = every[~np.isnan(agreement.human_before[every])]
    if not excluded:
        return [_dots(*panel, before, "before", "Everyone", "circle", look)]
    both = before[~np.isnan(agreement.human_after[before])]
    lost = before[np.isnan(agreement.human_after[before])]
    moves = {
        "type": "scatter",
        "mode": "lines",
        "x": _between(agreement.metric_before[both], agreement.metric_after[both]),
        "y": _between(agreement.human_before[both], agreement.human_after[both]),
        "line": {"color": SHUFFLE_GREY, "width": 1},
        "hoverinfo": "skip",
        "name": "Move",
        "showlegend": False,
    }
    drawn = [moves, _dots(*panel, both, "before", "Everyone", "circle", look)]
    drawn.append(_dots(*panel, both, "after", "Without them", "circle-open", look))
    if len(lost):
        drawn.append(_dots(*panel, lost, "before", "No ratings left", "x-thin-open", look))
    return drawn


def _dots(
    agreement: MetricAgreement,
    names: NDArray[np.str_],
    at: NDArray[np.int64],
    side: str,
    name: str,
    symbol: str,
    look: Look,
) -> PlotlyFigure:
    color = _COLOR if symbol != "x-thin-open" else look.ink
    return {
        "type": "scatter",
        "mode": "markers",
        "x": getattr(agreement, f"metric_{side}")[at].tolist(),
        "y": getattr(agreement, f"human_{side}")[at].tolist(),
        "name": name,
        "marker": rimmed(color, 7) | {"symbol": symbol} | ({"color": color} if "open" in symbol else {}),
        "text": [shorten(names[system], 60) for system in at],
        "hovertemplate": f"%{{text}}<br>(%{{x:.3f}}, %{{y:.2f}}), {name.lower()}<extra></extra>",
    }


def _between(start: NDArray[np.float64], end: NDArray[np.float64]) -> list[float | None]:
    """Return the ends of separate lines, in one trace."""
    return [value for pair in zip(start.tolist(), end.tolist(), strict=True) for value in (*pair, None)]
