"""Quotients of sums, of which some are of nothing."""

from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray


def ratio(above: Any, below: Any) -> NDArray[np.float64]:
    """Quotients, NaN where `below` is not above 0."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), nan)
