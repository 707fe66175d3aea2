"""Whom a comparison generalizes to: these raters, or raters like these."""

from typing import Literal

Scope = Literal["these raters", "raters like these"]
"""Items or topics are always taken as random, raters in the second scope only."""
SCOPES: tuple[Scope, ...] = ("these raters", "raters like these")
FEWEST_RANDOM = 6
"""Raters from which a comparison generalizes to raters like these by default."""


def default_scope(raters: int) -> Scope:
    """Return the scope of a comparison by so many raters.

    >>> default_scope(5), default_scope(6)
    ('these raters', 'raters like these')
    """
    return "raters like these" if raters >= FEWEST_RANDOM else "these raters"
