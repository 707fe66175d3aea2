"""An automatic metric against human scores of systems, with everyone and without some raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import MetricAgreement
from charts.parts.numbers import decimal
from charts.parts.panels import LEGEND_ON_TOP, grid, panel_title
from charts.parts.theme import GROUP_COLOURS, SHUFFLE_GREY, Look, shorten

MOST_POINTS = 2000
"""Systems drawn in one panel; of more, every so many-th."""
TERMS = {"pearson": "r", "spearman": "ρ"}
_COLOUR = GROUP_COLOURS[0]


@dataclass(frozen=True, eq=False)
class Panel:
    """One measure: what was found, and the names of its systems (s,), in the order of `agreement.systems`."""

    measure: str
    agreement: MetricAgreement
    names: NDArray[np.str_]


def scatter(panels: Sequence[Panel], metric: str, look: Look) -> dict[str, Any]:
    """Each system at (metric, human score): filled with everyone, hollow without the raters left out."""
    excluded = any(panel.agreement.excluded.any() for panel in panels)
    made = grid(
        look,
        [panel_title(panel.measure, _told(panel.agreement)) for panel in panels],
        x_title=shorten(metric, 40),
        y_title="Mean human score",
        **({"legend": LEGEND_ON_TOP} if excluded else {}),
    )
    for axis in made.yaxes[1:]:
        made.layout[f"yaxis{axis[1:]}"].pop("matches", None)
        made.layout[f"yaxis{axis[1:]}"]["showticklabels"] = True
    for axis in made.xaxes:
        made.layout[f"xaxis{axis[1:]}"] |= {"nticks": 3, "tickangle": 0}
    traces: list[dict[str, Any]] = []
    for at, panel in enumerate(panels):
        traces += [{"showlegend": at == 0} | trace | made.on(at) for trace in _traces(panel, excluded, look)]
    return {"data": traces, "layout": made.layout}


def _told(agreement: MetricAgreement) -> str:
    level, term = agreement.system_level, TERMS[agreement.correlation]
    told = f"{term} = {decimal(level.before.value)}"
    return f"{told} → {decimal(level.after.value)}" if agreement.excluded.any() else told


def _traces(panel: Panel, excluded: bool, look: Look) -> list[dict[str, Any]]:
    found = panel.agreement
    every = np.arange(len(found.systems))[:: -(-len(found.systems) // MOST_POINTS) or 1]
    before = every[~np.isnan(found.human_before[every])]
    if not excluded:
        return [_dots(panel, before, "before", "Everyone", "circle", look)]
    both = before[~np.isnan(found.human_after[before])]
    lost = before[np.isnan(found.human_after[before])]
    moves = {
        "type": "scatter",
        "mode": "lines",
        "x": _between(found.metric_before[both], found.metric_after[both]),
        "y": _between(found.human_before[both], found.human_after[both]),
        "line": {"color": SHUFFLE_GREY, "width": 1},
        "hoverinfo": "skip",
        "name": "Move",
        "showlegend": False,
    }
    drawn = [moves, _dots(panel, both, "before", "Everyone", "circle", look)]
    drawn.append(_dots(panel, both, "after", "Without them", "circle-open", look))
    if len(lost):
        drawn.append(_dots(panel, lost, "before", "No ratings left", "x-thin-open", look))
    return drawn


def _dots(
    panel: Panel, at: NDArray[np.int64], side: str, name: str, symbol: str, look: Look
) -> dict[str, Any]:
    found = panel.agreement
    return {
        "type": "scatter",
        "mode": "markers",
        "x": getattr(found, f"metric_{side}")[at].tolist(),
        "y": getattr(found, f"human_{side}")[at].tolist(),
        "name": name,
        "marker": {
            "color": _COLOUR if symbol != "x-thin-open" else look.ink,
            "symbol": symbol,
            "size": 7,
            "opacity": 0.75,
        },
        "text": [shorten(panel.names[system], 60) for system in at],
        "hovertemplate": f"%{{text}}<br>(%{{x:.3f}}, %{{y:.2f}}), {name.lower()}<extra></extra>",
    }


def _between(start: NDArray[np.float64], end: NDArray[np.float64]) -> list[float | None]:
    """Ends of separate lines, in one trace."""
    return [value for pair in zip(start.tolist(), end.tolist(), strict=True) for value in (*pair, None)]
