"""Raters that figures generalize to: these raters, or raters like these."""

from typing import Literal

from analysis.values.errors import InputError

Scope = Literal["these raters", "raters like these"]
"""Items or topics are always taken as random, raters in the second scope only."""
SCOPES: tuple[Scope, ...] = ("these raters", "raters like these")
FEWEST_RANDOM = 6
"""Raters from which a comparison generalizes to raters like these by default."""


def default_scope(raters: int, raters_are_persons: bool = True) -> Scope:
    """Return the scope of figures of so many raters; where rater ids are slots there are no raters like these.

    >>> default_scope(5), default_scope(6), default_scope(6, raters_are_persons=False)
    ('these raters', 'raters like these', 'these raters')
    """
    return "raters like these" if raters_are_persons and raters >= FEWEST_RANDOM else "these raters"


def chosen_scope(scope: Scope | None, raters: int, raters_are_persons: bool = True) -> Scope:
    """Return the scope asked for, the default for None; these raters where rater ids are slots.

    >>> chosen_scope(None, 5), chosen_scope("raters like these", 5), chosen_scope("raters like these", 5, False)
    ('these raters', 'raters like these', 'these raters')
    """
    if scope is None or not raters_are_persons:
        return default_scope(raters, raters_are_persons)
    if scope not in SCOPES:
        raise InputError(f"`scope` must be one of {', '.join(map(repr, SCOPES))}, got {scope!r}")
    return scope
