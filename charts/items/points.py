"""Items as points that can be clicked: where each lies, and which stand out."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from features.plotting.figure import Figure
from features.plotting.theme import GROUP_COLOURS, Look, axis, layout, shorten

MOST_POINTS = 5000
"""Points that are drawn; of more, those that stand out and the first."""
_USUAL, _STANDS_OUT = GROUP_COLOURS[0], GROUP_COLOURS[5]


def points(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    names: Sequence[str],
    stands_out: NDArray[np.bool_],
    titles: tuple[str, str],
    look: Look,
) -> Figure:
    """A point per item at (x, y), with its name; what stands out is a diamond. `customdata` is the item's place."""
    made = layout(look, height=420, hovermode="closest", margin={"l": 56, "r": 14, "t": 15, "b": 54})
    made["xaxis"], made["yaxis"] = axis(look, titles[0]), axis(look, titles[1])
    drawn = ~(np.isnan(x) | np.isnan(y))
    traces = []
    for out, colour, symbol in ((False, _USUAL, "circle"), (True, _STANDS_OUT, "diamond")):
        at = np.flatnonzero(drawn & (stands_out == out))[:MOST_POINTS]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": x[at].tolist(),
                "y": y[at].tolist(),
                "customdata": at.tolist(),
                "marker": {"size": 11 if out else 8, "symbol": symbol, "color": colour, "opacity": 0.85},
                "text": [shorten(names[place], 60) for place in at],
                "hovertemplate": "%{text}<br>(%{x:.2f}, %{y:.2f})<extra></extra>",
            }
        )
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}
