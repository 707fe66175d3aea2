"""What a planned study would tell, along the number of its items: a curve per number of ratings per item."""

from collections.abc import Mapping, Sequence
from math import isnan

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import band, level
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.theme import GROUP_COLOURS, GROUP_DASHES, SHUFFLE_GREY, Look, axis, layout

HEIGHT = 430
Curves = Mapping[int, tuple[Sequence[float], Sequence[Estimate]]]


def along(
    curves: Curves,
    chosen: tuple[int, float],
    titles: tuple[str, str],
    look: Look,
    *,
    wanted: float | None = None,
    same_price: Sequence[tuple[float, float, int]] = (),
    price: str = "",
    as_share: bool = True,
    named: str = "{} per item",
    highest: float | None = None,
    marked: str = "chosen",
) -> Figure:
    """A curve per number (of ratings per item), with its band where its estimates have intervals.

    `chosen` is (which curve, where on it), `marked` so; `same_price` joins the points (x, y, which curve) that a budget
    pays for; `wanted` is a level to reach. `customdata` of a point is [x, which curve]. Without shares the
    axis ends at the `highest`.
    """
    unit = ".0%" if as_share else ".2f"
    traces: list[Figure] = []
    for place, (of, (x, found)) in enumerate(curves.items()):
        colour = GROUP_COLOURS[place % len(GROUP_COLOURS)]
        here = of == chosen[0]
        if here:
            traces += band(x, found, colour)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": named.format(of),
                "x": list(x),
                "y": [None if isnan(e.value) else round(e.value, 5) for e in found],
                "customdata": [[at, of] for at in x],
                "line": {
                    "color": colour,
                    "width": 3 if here else 1.6,
                    "dash": GROUP_DASHES[place % len(GROUP_DASHES)],
                },
                "marker": {"size": 7 if here else 6, "color": colour},
                "hovertemplate": f"%{{x:.0f}}, {named.format(of)}: %{{y:{unit}}}<extra></extra>",
            }
        )
    if same_price:
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": f"for {price}",
                "x": [x for x, _, _ in same_price],
                "y": [y for _, y, _ in same_price],
                "line": {"color": SHUFFLE_GREY, "width": 2, "dash": "dot"},
                "marker": {"size": 8, "symbol": "square", "color": SHUFFLE_GREY},
                "text": [f"{x:.0f}, {named.format(of)}" for x, _, of in same_price],
                "hovertemplate": f"%{{text}}, for {price}: %{{y:{unit}}}<extra></extra>",
            }
        )
    traces += _chosen(curves, chosen, marked, look)
    made = layout(
        look,
        height=HEIGHT,
        showlegend=True,
        legend=LEGEND_ON_TOP,
        hovermode="closest",
        shapes=[] if wanted is None else [level(wanted, look.faint, dash="dash")],
        margin={"l": 66, "r": 16, "t": 64 if look.narrow else 44, "b": 54},
    )
    made["xaxis"] = axis(look, titles[0], rangemode="tozero", nticks=8)
    made["yaxis"] = axis(look, titles[1], rangemode="tozero", nticks=6)
    if as_share:
        made["yaxis"] |= {"range": [0, 1.02], "tickformat": ".0%"}
    elif highest is not None:
        made["yaxis"]["range"] = [0, highest]
    return {"data": traces, "layout": made}


def _chosen(curves: Curves, chosen: tuple[int, float], marked: str, look: Look) -> list[Figure]:
    x, found = curves[chosen[0]]
    at = next((place for place, one in enumerate(x) if one == chosen[1]), None)
    if at is None or isnan(found[at].value):
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": marked,
            "x": [chosen[1]],
            "y": [found[at].value],
            "marker": {
                "size": 15,
                "symbol": "diamond",
                "color": look.ground,
                "line": {"color": look.ink, "width": 2.5},
            },
            "hoverinfo": "skip",
        }
    ]
