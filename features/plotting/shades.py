"""A matrix of shares: its shaded cells, their colours, and the ink that is read on them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from features.plotting.figure import Figure
from features.plotting.theme import Look

_LIGHT = "#FFFFFF", "#7FB8D8", "#00507D"
_DARK = "#1A1F26", "#1F6E9C", "#A6DBF7"
"""Colors of shares 0, ½ and 1: one hue, one way in lightness."""
_BRIGHT = 0.179
"""Luminance above which black is easier to read than white (WCAG's contrast)."""


def ink_on(part: float, look: Look) -> str:
    """Black or white, whichever is easier to read on the colour of that share."""
    below, middle, above = (_rgb(colour) for colour in share_scale(look))
    start, end, way = (below, middle, 2 * part) if part < 0.5 else (middle, above, 2 * part - 1)
    linear = ((start + way * (end - start)) / 255) ** 2.2
    return "#000000" if linear @ (0.2126, 0.7152, 0.0722) > _BRIGHT else "#FFFFFF"


def _rgb(colour: str) -> NDArray[np.float64]:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], dtype=np.float64)


def share_scale(look: Look) -> tuple[str, str, str]:
    """Colours of shares 0, ½ and 1."""
    return _DARK if look.dark else _LIGHT


def share_cells(
    shares: Sequence[Sequence[float | None]], told: Sequence[Sequence[str]], look: Look, gap: int = 2
) -> Figure:
    """A matrix of shares as shaded cells at 0, 1, 2, …, each with what its hover tells; those without a share stay
    empty."""
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
        "hovertext": told,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverongaps": False,
    }
