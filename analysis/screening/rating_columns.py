"""Columns of ratings: checked to be equally long, and averaged by a code."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.errors import InputError
from analysis.values.types import Counts, Floats


def means_by(code: Counts, values: Floats) -> Floats:
    """The mean of the values (N,) of each code."""
    counts = np.bincount(code)
    means: Floats = np.bincount(code, weights=values) / np.maximum(counts, 1)
    return means


def equally_long(**columns: ArrayLike) -> list[NDArray[Any]]:
    """The columns as arrays, if they are 1-d and equally long."""
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    lengths = {name: array.shape for name, array in arrays.items()}
    if len(set(lengths.values())) > 1 or any(len(shape) != 1 for shape in lengths.values()):
        told = ", ".join(f"`{name}` has shape {shape}" for name, shape in lengths.items())
        raise InputError(f"all arrays must be 1-d and equally long, one entry per rating; {told}")
    return list(arrays.values())
