"""A matrix of shares or correlations: its axes, its cells, their colors, and the ink that is read on them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from features.plotting.panels import at_top_right, text_trace
from features.plotting.theme import Look, PlotlyFigure, decimal

_LIGHT = "#FFFFFF", "#7FB8D8", "#00507D"
_DARK = "#1A1F26", "#1F6E9C", "#A6DBF7"
"""Colors of shares 0, ½ and 1: one hue, one way in lightness."""
_DIVERGING_LIGHT = "#B2500B", "#F3EBDA", "#00507D"
_DIVERGING_DARK = "#F2A065", "#4A4538", "#8CC9F0"
"""Colors of correlations −1, 0 and 1; that of 0 is not the page's."""
_MISSING_LIGHT, _MISSING_DARK = "#C4C9CF", "#272C33"
"""Color of a cell without a value."""
_BRIGHT = 0.179
"""Luminance above which black is easier to read than white (WCAG's contrast)."""


def ink_on(part: float, look: Look) -> str:
    """Black or white, whichever is easier to read on the colour of that share."""
    return _ink_between(share_scale(look), part)


def _ink_between(scale: tuple[str, str, str], part: float) -> str:
    below, middle, above = (_rgb(colour) for colour in scale)
    start, end, way = (below, middle, 2 * part) if part < 0.5 else (middle, above, 2 * part - 1)
    return _ink(start + way * (end - start))


def _ink(rgb: NDArray[np.float64]) -> str:
    return "#000000" if (rgb / 255) ** 2.2 @ (0.2126, 0.7152, 0.0722) > _BRIGHT else "#FFFFFF"


def _rgb(colour: str) -> NDArray[np.float64]:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], dtype=np.float64)


def share_scale(look: Look) -> tuple[str, str, str]:
    """Colours of shares 0, ½ and 1."""
    return _DARK if look.dark else _LIGHT


def matrix_layout(
    rows: Sequence[str],
    columns: Sequence[str],
    look: Look,
    height: float,
    titles: tuple[str, str] = ("", ""),
    remark: str = "",
    **ticks: object,
) -> PlotlyFigure:
    """Return the layout of a matrix with named rows, from top to bottom, and columns; `titles` are theirs."""
    margin = {"l": 10, "r": 10, "t": 26 if remark else 12, "b": 46}
    annotations = [at_top_right(remark, look)] if remark else []
    made = look.layout(height=height, margin=margin, annotations=annotations)
    for side, names, title in (("yaxis", rows, titles[0]), ("xaxis", columns, titles[1])):
        first, last = -0.5, max(len(names), 1) - 0.5
        places = {"tickvals": list(range(len(names))), "ticktext": list(names)}
        shown = [first, last] if side == "xaxis" else [last, first]
        made[side] = look.axis(title, range=shown, showgrid=False, fixedrange=True, **places, **ticks)
    return made


def share_cells(
    shares: Sequence[Sequence[float | None]], hovers: Sequence[Sequence[str]], look: Look, gap: int = 2
) -> PlotlyFigure:
    """Return a matrix of shares as shaded cells at 0, 1, 2, …, with hover texts; undefined cells stay empty."""
    return {
        "type": "heatmap",
        "x": list(range(len(shares[0]) if shares else 0)),
        "y": list(range(len(shares))),
        "z": shares,
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[at, colour] for at, colour in zip((0.0, 0.5, 1.0), share_scale(look), strict=True)],
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
        "hovertext": hovers,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverongaps": False,
    }


def share_numbers(shares: Sequence[Sequence[float | None]], look: Look, size: int = 12) -> PlotlyFigure:
    """Return the numbers on the cells of `share_cells`, in percent."""
    known = [(x, y, part) for y, row in enumerate(shares) for x, part in enumerate(row) if part is not None]
    inks = [ink_on(min(max(part, 0.0), 1.0), look) for *_, part in known]
    return text_trace([(x, y, decimal(100 * part, 0)) for x, y, part in known], inks, size)


_OVER_CELLS = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "ypad": 26, "len": 0.7}
"""Place of a color bar on a phone, with room for a remark between it and the cells."""


def correlation_cells(
    correlations: Sequence[Sequence[float | None]],
    hovers: Sequence[Sequence[str]],
    look: Look,
    with_numbers: bool = True,
    title: str = "Pearson's r",
) -> list[PlotlyFigure]:
    """Return a matrix of correlations on a diverging scale, cells without one in grey; `told` are the hover texts."""
    scale = _DIVERGING_DARK if look.dark else _DIVERGING_LIGHT
    missing = _MISSING_DARK if look.dark else _MISSING_LIGHT
    cells = share_cells(correlations, hovers, look, gap=1) | {
        "zmin": -1,
        "colorscale": [[at, color] for at, color in zip((0.0, 0.5, 1.0), scale, strict=True)],
        "showscale": True,
        "colorbar": {
            "title": {"text": title, "side": "top" if look.narrow else "right", "font": {"size": 13}},
            **(_OVER_CELLS if look.narrow else {}),
            "thickness": 10,
            "outlinewidth": 0,
            "tickvals": [-1, -0.5, 0, 0.5, 1],
            "ticktext": [decimal(value, 1) for value in (-1, -0.5, 0, 0.5, 1)],
        },
    }
    empty = [[1.0 if value is None else None for value in row] for row in correlations]
    grey = share_cells(empty, hovers, look, gap=1) | {"colorscale": [[0, missing], [1, missing]]}
    if not with_numbers:
        return [cells, grey]
    known = [(x, y, r) for y, row in enumerate(correlations) for x, r in enumerate(row) if r is not None]
    inks = [_ink_between(scale, (r + 1) / 2) for *_, r in known]
    return [cells, grey, text_trace([(x, y, decimal(r)) for x, y, r in known], inks, 11)]
