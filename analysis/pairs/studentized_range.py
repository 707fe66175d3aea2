"""The studentized range of k means, for many quantities and degrees of freedom at once.

It is integrated here because scipy's `studentized_range` needs some 30 ms per probability and a second per quantile.
"""

from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.optimize.elementwise import find_root

from analysis.values.types import Floats

SCALES, POINTS, DEGREE = 160, 128, 100
"""Nodes for the scale of the error and for the largest of k normal numbers; degree of the range's polynomial."""
FARTHEST = 9.0
"""Standard deviations beyond which no normal number is looked for."""
WIDEST = 14.0
"""Standard deviations that no range of normal numbers exceeds."""
RARE = 1e-17
"""Probability of an error's scale beyond which it is left out."""
MOST_DEGREES = 1e9
"""Degrees of freedom above which more change nothing."""
NODES = 32
"""Degree of the table of quantiles over 1 / df."""
BLOCK = 4_000_000
"""Numbers in memory at once."""


def range_p(q: ArrayLike, k: int, df: ArrayLike) -> Floats:
    """Return the probabilities that the studentized range of k means exceeds q.

    Parameters
    ----------
    q : (n,) values
    k : number of means
    df : degrees of freedom, one number or (n,), 1 or more

    Notes
    -----
    Equal to scipy's `studentized_range.sf` to about 1e-10. Source: Lund & Lund 1983, "Algorithm AS 190".

    >>> range_p([3.7729], 3, 12).round(4).tolist()
    [0.05]
    """
    # The range of k normal numbers is at most w with probability k ∫ φ(z) (Φ(z) - Φ(z - w))^(k - 1) dz,
    # which is taken once as a polynomial in w; the error's scale is averaged over on its logarithm.
    polynomial = _range_of_normals(k)
    given = np.asarray(q, dtype=np.float64)
    degrees = np.broadcast_to(np.asarray(df, dtype=np.float64), given.shape)
    step = max(1, BLOCK // SCALES)
    parts = []
    for start in range(0, len(given), step):
        of_these = degrees[start : start + step]
        scale, weight = _scales(of_these[:1] if (of_these == of_these[0]).all() else of_these)
        wide = np.minimum(given[start : start + step, None] * scale, WIDEST)
        parts.append(((1 - polynomial(wide)) * weight).sum(axis=1))
    return np.asarray(np.clip(np.concatenate([np.empty(0), *parts]), 0.0, 1.0))


def critical_range(level: float, k: int, df: float) -> float:
    """Return the studentized range of k means that is exceeded with probability 1 - level.

    >>> round(critical_range(0.95, 3, 12), 4)
    3.7729
    """
    return float(_quantiles(level, k, np.array([df]))[0])


def critical_ranges(level: float, k: int, df: ArrayLike) -> Floats:
    """Return the same for many degrees of freedom (…,), each 1 or more, from a table over 1 / df (to about 1e-6)."""
    inverse = 1 / np.clip(np.asarray(df, dtype=np.float64), 1.0, MOST_DEGREES)
    return np.asarray(np.exp(_table(level, k)(inverse)))


@lru_cache(maxsize=64)
def _table(level: float, k: int) -> np.polynomial.Chebyshev:
    """Logarithm of the quantile as a polynomial in 1 / df from 0 to 1."""

    def log_quantiles(inverse: Floats) -> Floats:
        return np.asarray(np.log(_quantiles(level, k, 1 / np.maximum(inverse, 1 / MOST_DEGREES))))

    return np.polynomial.Chebyshev.interpolate(log_quantiles, NODES, (0.0, 1.0))


def _quantiles(level: float, k: int, df: Floats) -> Floats:
    def excess(q: Floats, of: Floats) -> Floats:
        return range_p(q, k, of) - (1 - level)

    high = np.full(len(df), 4.0)
    while (beyond := excess(high, df) > 0).any():
        high = np.where(beyond, 2 * high, high)
    found = find_root(excess, (np.zeros(len(df)), high), args=(df,))
    return np.asarray(found.x)


@lru_cache(maxsize=64)
def _range_of_normals(k: int) -> np.polynomial.Chebyshev:
    """Probability that the range of k normal numbers is at most w, as a polynomial from 0 to WIDEST."""
    node, width = _nodes(POINTS)
    z = FARTHEST * node
    density = k * FARTHEST * width * np.exp(-z * z / 2) / sqrt(2 * np.pi)
    below = special.ndtr(z)

    def inside(w: Floats) -> Floats:
        inner: Floats = (below - special.ndtr(z - w[:, None])) ** (k - 1) @ density
        return inner

    return np.polynomial.Chebyshev.interpolate(inside, DEGREE, (0.0, WIDEST))


def _scales(df: Floats) -> tuple[Floats, Floats]:
    """Values (n, SCALES) of sqrt(chi² / df) and how often they are, on the logarithm's nodes."""
    low = np.log(special.gammaincinv(df / 2, RARE)) / 2
    high = np.log(special.gammainccinv(df / 2, RARE)) / 2
    node, width = _nodes(SCALES)
    x = low[:, None] + (high - low)[:, None] * (node + 1) / 2
    density = df[:, None] * x - np.exp(2 * x)
    weight = width * np.exp(density - density.max(axis=1, keepdims=True))
    return np.exp(x) * np.sqrt(2 / df)[:, None], weight / weight.sum(axis=1, keepdims=True)


@lru_cache(maxsize=4)
def _nodes(number: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre on -1 to 1."""
    node, width = np.polynomial.legendre.leggauss(number)
    return np.asarray(node), np.asarray(width)
