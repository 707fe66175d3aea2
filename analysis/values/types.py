"""Types of arrays and callbacks that all statistics share."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
"""Ids as places among the sorted distinct ones."""
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
OnProgress = Callable[[float], object] | None
"""Called with the share done, between 0 and 1."""
