"""Estimates with interval, n and scope, p values, input errors, array types, and names in messages."""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Literal
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
"""Ids as indices into the sorted distinct ids."""
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
OnProgress = Callable[[float], object] | None
"""Called with the share done, between 0 and 1."""


class InputError(ValueError):
    """An argument cannot be used; the message says which, what is allowed, what was given and how to fix it."""


@dataclass(frozen=True)
class Estimate:
    """An estimate with its interval and number of units.

    `value`, `low` and `high` are NaN where undefined; `reason` then says why in a sentence for a page. `n` counts
    the units of the estimate (items, unless its method says otherwise).
    """

    value: float
    low: float = nan
    high: float = nan
    n: int = 0
    reason: str = ""
    warning: str = ""

    @property
    def defined(self) -> bool:
        """True where the value is defined.

        >>> Estimate(0.5).defined, Estimate(nan, reason="all scores are equal").defined
        (True, False)
        """
        return self.value == self.value

    def excludes(self, null: float = 0.0) -> bool:
        """Return True where the interval is defined and excludes the null.

        >>> Estimate(0.5, 0.1, 0.9).excludes(), Estimate(0.5, -0.1, 0.9).excludes(), Estimate(0.5).excludes()
        (True, False, False)
        """
        return self.low > null or self.high < null


@dataclass(frozen=True)
class BootstrapSpec:
    """Settings of bootstrap intervals: number of draws, seed, and confidence level.

    Raises
    ------
    InputError
        where `draws` is below 0 or `level` not between 0 and 1.
    """

    draws: int = 1000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.draws < 0:
            raise InputError(f"`draws` must be 0 (no interval) or more, got {self.draws}")
        if not 0 < self.level < 1:
            raise InputError(f"`level` must be between 0 and 1, got {self.level}")


Scope = Literal["these raters", "raters like these"]
"""Items or topics are always random, raters only in the second scope."""
SCOPES: tuple[Scope, ...] = ("these raters", "raters like these")
FEWEST_RANDOM = 6
"""Fewest raters for which a comparison generalizes to raters like these by default."""


def default_scope(raters: int, raters_are_persons: bool = True) -> Scope:
    """Return the default scope for this many raters; where rater ids are slots, these raters.

    >>> default_scope(5), default_scope(6), default_scope(6, raters_are_persons=False)
    ('these raters', 'raters like these', 'these raters')
    """
    return "raters like these" if raters_are_persons and raters >= FEWEST_RANDOM else "these raters"


def chosen_scope(scope: Scope | None, raters: int, raters_are_persons: bool = True) -> Scope:
    """Return the requested scope, the default for None; these raters where rater ids are slots.

    >>> chosen_scope(None, 5), chosen_scope("raters like these", 5), chosen_scope("raters like these", 5, False)
    ('these raters', 'raters like these', 'these raters')
    """
    if scope is None or not raters_are_persons:
        return default_scope(raters, raters_are_persons)
    if scope not in SCOPES:
        raise InputError(f"`scope` must be one of {', '.join(map(repr, SCOPES))}, got {scope!r}")
    return scope


Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")


def student_p(t: float, degrees: float, alternative: Alternative) -> float:
    """Return p of a t value.

    Source: Student 1908.

    >>> round(student_p(2.0, 10, "two-sided"), 4)
    0.0734
    """
    from scipy import special  # imported lazily: processes that read uploads do not need scipy

    if alternative == "two-sided":
        return float(min(1.0, 2 * special.stdtr(degrees, -abs(t))))
    return float(special.stdtr(degrees, t if alternative == "less" else -t))


def holm(p: ArrayLike) -> Floats:
    """Return p values adjusted for testing several measures (Holm).

    Parameters
    ----------
    p : (k,) p values; NaN is kept and not counted

    Returns
    -------
    (k,)

    Raises
    ------
    InputError
        where a value is not between 0 and 1.

    Notes
    -----
    Source: Holm 1979; methods: section 1.

    >>> holm([0.01, 0.04, float("nan"), 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    return _adjust_sorted(
        p, lambda sorted_p: np.maximum.accumulate(sorted_p * np.arange(len(sorted_p), 0, -1))
    )


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Return p values adjusted to control the false discovery rate.

    Parameters
    ----------
    p : (k,) p values; NaN is kept and not counted

    Returns
    -------
    (k,)

    Raises
    ------
    InputError
        where a value is not between 0 and 1.

    Notes
    -----
    For screening many hypotheses; for claims about single ones, use `holm`.
    Source: Benjamini and Hochberg 1995, "Controlling the false discovery rate".

    >>> benjamini_hochberg([0.01, 0.04, float("nan"), 0.03]).round(3).tolist()
    [0.03, 0.04, nan, 0.04]
    """

    def adjust(sorted_p: Floats) -> Floats:
        steps = sorted_p * len(sorted_p) / np.arange(1, len(sorted_p) + 1)
        return np.minimum.accumulate(steps[::-1])[::-1]

    return _adjust_sorted(p, adjust)


def _adjust_sorted(p: ArrayLike, adjust: Callable[[Floats], Floats]) -> Floats:
    """Return p values adjusted in ascending order, at most 1; NaN is kept."""
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or np.any((values < 0) | (values > 1)):
        raise InputError("`p` must be 1-d and hold values between 0 and 1")
    adjusted = np.full(values.shape, nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    adjusted[order] = np.minimum(adjust(values[order]), 1.0)
    return adjusted


LONGEST_SHOWN = 200
"""Largest number of characters of a name on a page, in a report or in a message."""


def shorten(text: object, width: int = LONGEST_SHOWN) -> str:
    """Cut a text to `width` characters, with an ellipsis at the end if it was longer.

    >>> shorten("abcdef", 4), shorten("abcd", 4), shorten(7.5)
    ('abc…', 'abcd', '7.5')
    """
    plain = str(text)
    return plain if len(plain) <= width else plain[: width - 1].rstrip() + "…"


def distinct_label(name: object) -> str:
    """Cut a name for a control or a column head, with a hash of the whole name at the end, so that different names
    stay different.

    >>> distinct_label("crowd"), distinct_label("x" * 300)[188:]
    ('crowd', 'xx… 1b432d13')
    """
    text = str(name)
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{shorten(text, LONGEST_SHOWN - 9)} {crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def thousands(number: int) -> str:
    """Format a count with commas between thousands.

    >>> thousands(21600)
    '21,600'
    """
    return f"{number:,}"
