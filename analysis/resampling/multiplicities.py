"""Chance over items and workers: how often each draw of the pigeonhole bootstrap holds every one of them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BLOCK = 2_000_000
"""Votes times draws worked on at once: small enough to stop soon and to stay in memory."""


def multiplicities(
    raters: int, items: int, draws: int, seed: int, votes: int = 0
) -> Iterator[tuple[Floats, Floats]]:
    """Draws of raters and of items with replacement, in blocks.

    Parameters
    ----------
    raters, items : how many there are
    draws, seed : in all, and of the generator
    votes : how many votes a draw is worked out on; it sets the size of the blocks

    Returns
    -------
    iterator of (rater_weight (b, raters), item_weight (b, items))
        how often each is drawn; rows sum to `raters` and `items`.

    Raises
    ------
    Never.

    Notes
    -----
    The size of the blocks does not change what is drawn: raters and items have a generator each.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2; methods, section 0.
    """
    of_raters, of_items = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    block = max(min(BLOCK // max(votes, raters, items, 1), draws), 1)
    for start in range(0, draws, block):
        size = min(block, draws - start)
        yield _drawn(of_raters, raters, size), _drawn(of_items, items, size)


def _drawn(rng: np.random.Generator, units: int, size: int) -> Floats:
    if units == 0:
        return np.zeros((size, 0))
    return rng.multinomial(units, np.full(units, 1 / units), size=size).astype(np.float64)
