"""How often each unit is in each draw of a bootstrap, and draws in blocks that tell their progress.

A draw is a row of counts: how often it holds every rater, item or story. A figure of a whole block of draws is then a
product of matrices. Generators are passed; only `multiplicities` makes its own, one for raters and one for items.
"""

from collections.abc import Iterator

import numpy as np

from analysis.values.types import Floats, OnProgress

MANY = 5_000
"""Units from which those that are drawn are picked one after the other, in a tenth of the time of a multinomial."""
BLOCK = 2_000_000
"""Votes times draws worked on at once: small enough to stop soon and to stay in memory."""


def blocks(draws: int, size: int, on_progress: OnProgress = None) -> Iterator[slice]:
    """Slices of at most `size` that cover all draws; after each, `on_progress` is told the share done."""
    size = max(size, 1)
    for start in range(0, draws, size):
        block = slice(start, min(start + size, draws))
        yield block
        if on_progress is not None:
            on_progress(block.stop / draws)


def times_drawn(rng: np.random.Generator, units: int, size: int) -> Floats:
    """How often each unit is in each draw with replacement, (size, units)."""
    if units == 0:
        return np.zeros((size, 0))
    return rng.multinomial(units, np.full(units, 1 / units), size=size).astype(np.float64)


def times_picked(rng: np.random.Generator, units: int, size: int) -> Floats:
    """The same as `times_drawn`, one place after another: quicker for few units, other draws for the same seed."""
    place = rng.integers(0, units, (size, units)) + units * np.arange(size)[:, None]
    return np.bincount(place.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)


def one_fewer(rng: np.random.Generator, units: int, size: int) -> Floats:
    """Weights (size, units) of draws of one unit fewer than there are, rescaled to as many; one unit alone weighs 1.

    Their variance is that of new units, which plain draws of n units fall short of by 1 in n.
    Source: Rao & Wu 1988, "Resampling inference with complex survey data", section 2.
    """
    if units < 2:
        return np.ones((size, units))
    rescaled = units / (units - 1)
    if units <= MANY:
        drawn = rng.multinomial(units - 1, np.full(units, 1 / units), size=size)
        return np.asarray(drawn * rescaled, dtype=np.float64)
    weights = np.empty((size, units))
    for row in weights:
        row[:] = np.bincount(rng.integers(0, units, units - 1), minlength=units)
        row *= rescaled
    return weights


def multiplicities(
    raters: int, items: int, draws: int, seed: int, votes: int = 0, on_progress: OnProgress = None
) -> Iterator[tuple[Floats, Floats]]:
    """Draws of raters (b, raters) and of items (b, items), crossed, in blocks sized for so many votes.

    The size of the blocks does not change what is drawn: raters and items have a generator each.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2.
    """
    of_raters, of_items = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    for block in blocks(draws, min(BLOCK // max(votes, raters, items, 1), draws), on_progress):
        size = block.stop - block.start
        yield times_drawn(of_raters, raters, size), times_drawn(of_items, items, size)
