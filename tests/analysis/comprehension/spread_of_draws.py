"""An interval from the spread of draws of stories, spelled out with scipy's Student's t."""

from collections.abc import Sequence

import numpy as np
from scipy import stats


def ends(
    value: float, drawn: Sequence[float], stories: int, lowest: float, highest: float
) -> tuple[float, float]:
    """Draws of n stories vary as n - 1 of n would; shares (0 to 1) stand on their angles."""
    share = (lowest, highest) == (0, 1)
    angles = np.arcsin(np.sqrt(np.clip(drawn, 0, 1))) if share else np.asarray(drawn)
    half = stats.t.ppf(0.975, stories - 1) * np.std(angles, ddof=1) * np.sqrt(stories / (stories - 1))
    if share:
        angle = np.arcsin(np.sqrt(value))
        low, high = np.sin(max(angle - half, 0)) ** 2, np.sin(min(angle + half, np.pi / 2)) ** 2
    else:
        low, high = max(value - half, lowest), min(value + half, highest)
    return min(low, value), max(high, value)
