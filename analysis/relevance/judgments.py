"""Judgments of relevance as arrays: ids as codes, and what is allowed in a column."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.errors import InputError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_CLOSE = 4
"""Numbers per id up to which counting them all is quicker than sorting."""


def coded(name: str, values: ArrayLike, length: int | None = None) -> tuple[Codes, int]:
    """Ids as codes from 0 and how many there are."""
    array = np.asarray(values)
    if array.ndim != 1 or (length is not None and len(array) != length):
        told = "be 1-d" if length is None else f"have one id per judgment, {length}"
        raise InputError(f"`{name}` must {told}, got shape {array.shape}")
    try:
        return _ranked(array)
    except TypeError as error:
        raise InputError(f"`{name}` must hold ids of one kind, text or numbers: {error}") from error


def joint(*codes: Codes) -> tuple[Codes, int]:
    """One code for each combination that occurs, and how many do."""
    found, many = codes[0], int(codes[0].max(initial=-1)) + 1
    for code in codes[1:]:
        found, many = _ranked(found * (int(code.max(initial=-1)) + 1) + code)
    return found, many


def _ranked(ids: NDArray[Any]) -> tuple[Codes, int]:
    """Each id's place among the ids that occur, and how many do; without sorting where they are close
    together."""
    if len(ids) and ids.dtype.kind in "iu" and int(ids.max()) - int(ids.min()) < _CLOSE * len(ids):
        above = ids.astype(np.int64) - int(ids.min())
        place = np.cumsum(np.bincount(above) > 0)
        return place[above] - 1, int(place[-1])
    found, code = np.unique(ids, return_inverse=True)
    return code.astype(np.int64), len(found)


def codes(name: str, values: ArrayLike, length: int, many: int | None = None) -> tuple[Codes, int]:
    """Codes that are used as they are, and how many there may be."""
    code = np.asarray(values)
    if code.shape != (length,) or (length and code.dtype.kind not in "iu"):
        raise InputError(
            f"`{name}` needs one whole-number code per judgment, {length}, got {code.dtype} of shape {code.shape}"
        )
    code = code.astype(np.int64)
    k = int(code.max(initial=-1)) + 1 if many is None else many
    if length and not 0 <= int(code.min()) <= int(code.max()) < k:
        raise InputError(f"`{name}` must hold codes from 0 to {k - 1}, got {code.min()} to {code.max()}")
    return code, k


def yes_or_no(name: str, values: ArrayLike, length: int, may_lack: bool = False) -> Floats:
    """Judgments, or a truth that may not be known."""
    array = numbers(name, values, length)
    wrong = (array != 0) & (array != 1) & ~(np.isnan(array) & may_lack)
    if wrong.any():
        where = int(np.flatnonzero(wrong)[0])
        allowed = "0, 1 or NaN for not known" if may_lack else "0 or 1"
        raise InputError(f"`{name}` must be {allowed}, got {array[where]:g} at position {where}")
    return array


def numbers(name: str, values: ArrayLike, length: int) -> Floats:
    """A column of numbers, NaN where not known."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must hold numbers: {error}") from error
    if array.shape != (length,):
        raise InputError(f"`{name}` needs one number per judgment, {length}, got shape {array.shape}")
    return array
