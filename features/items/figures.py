"""Points that can be clicked: items by MOS, or ratings by the mean of the others; those that stand out are named."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from features.items.results import ItemList
from features.plotting.marks import at_top_right
from features.plotting.numbers import count
from features.plotting.theme import GROUP_COLOURS, Look, PlotlyFigure, axis, layout, shorten

MOST_POINTS = 5000
"""Points that are drawn; of more, those that stand out and the first."""
MOST_NAMED = 6
"""Points that are named in the figure, where no more stand out."""
_USUAL, _STANDS_OUT = GROUP_COLOURS[0], GROUP_COLOURS[5]


def item_points(found: ItemList, look: Look) -> PlotlyFigure:
    """Draw a point per item shown, at its MOS and what the items are sorted by."""
    if found.spec.order == "faults":
        stands_out, title = found.is_faulty, "r with agreement"
    else:
        stands_out, title = found.is_disputed, "SD of the item's ratings"
    x = np.where(found.is_shown, found.spread.mean, np.nan)
    out = int(stands_out.sum())
    told = f"Diamonds: {count(out)} of {count(len(stands_out))} items" if out else ""
    return points(x, found.height, found.names.tolist(), stands_out, ("MOS", title), look, told)


def points(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    names: Sequence[str],
    stands_out: NDArray[np.bool_],
    titles: tuple[str, str],
    look: Look,
    told: str = "",
) -> PlotlyFigure:
    """Draw a point per name at (x, y), diamonds for what stands out; `customdata` is the place among the names."""
    made = layout(look, height=420, hovermode="closest", margin={"l": 56, "r": 14, "t": 24, "b": 54})
    made["xaxis"], made["yaxis"] = axis(look, titles[0]), axis(look, titles[1])
    drawn = ~(np.isnan(x) | np.isnan(y))
    traces = []
    for out, color, symbol in ((False, _USUAL, "circle"), (True, _STANDS_OUT, "diamond")):
        at = np.flatnonzero(drawn & (stands_out == out))[:MOST_POINTS]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": x[at].tolist(),
                "y": y[at].tolist(),
                "customdata": at.tolist(),
                "marker": {"size": 11 if out else 8, "symbol": symbol, "color": color, "opacity": 0.85},
                "text": [shorten(names[place], 60) for place in at],
                "hovertemplate": "%{text}<br>(%{x:.2f}, %{y:.2f})<extra></extra>",
            }
        )
    named = np.flatnonzero(drawn & stands_out)
    made["annotations"] = [
        *([at_top_right(told, look)] if told else []),
        *(_label(x[at], y[at], names[at], look) for at in named.tolist() if len(named) <= MOST_NAMED),
    ]
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}


def _label(x: float, y: float, name: str, look: Look) -> PlotlyFigure:
    return {
        "x": float(x),
        "y": float(y),
        "text": shorten(name, 24),
        "showarrow": False,
        "yshift": 13,
        "font": {"size": 12, "color": look.ink},
    }
