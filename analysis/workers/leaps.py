"""Longer steps for EM that never lower its likelihood: from three points of a slow climb, a leap along it.

EM's steps shrink by about the same share each time. Two steps, r and the change v of the second against the first, tell
how far the climb would go: leap by -2 a r + a a v from the first point, a = -|r| / |v|. Whoever leaps looks whether the
likelihood is higher there, and else goes on from the third point, where EM would have been.
"""

from collections.abc import Sequence

import numpy as np

from analysis.values.types import Codes, Floats

PLAIN = 8
"""Steps before the first leap: the early ones choose among maxima, and a leap could land by another one."""
LONGEST = 64.0
"""How many steps long a leap is at most."""


def leaps_at(step: int) -> bool:
    """Whether a leap follows this step (from 0) and the one before it."""
    return step > PLAIN and (step - PLAIN) % 2 == 1


def leap(
    first: Sequence[Floats],
    second: Sequence[Floats],
    third: Sequence[Floats],
    often: Sequence[Floats],
    draw: Sequence[Codes],
) -> list[Floats]:
    """Where to leap to in each draw, from three successive points of parameters (m, …) each.

    `draw` (m,): whose parameters they are, and `often` (m,): how often the draw holds them.
    Source: Varadhan and Roland 2008, "Simple and globally convergent methods for accelerating the convergence of any EM
    algorithm", sections 3 and 6 (SQUAREM, scheme S3).
    """
    steps = [two - one for one, two in zip(first, second, strict=True)]
    changes = [three - two - step for two, three, step in zip(second, third, steps, strict=True)]
    length, change = (_squares(parts, often, draw) for parts in (steps, changes))
    far = np.sqrt(length / np.where(change > 0, change, np.inf))
    far = np.clip(far, 1.0, LONGEST)
    leaps = []
    for one, step, turn, of in zip(first, steps, changes, draw, strict=True):
        own = far[of].reshape(-1, *[1] * (one.ndim - 1))
        leaps.append(one + 2 * own * step + own**2 * turn)
    return leaps


def _squares(parts: Sequence[Floats], often: Sequence[Floats], draw: Sequence[Codes]) -> Floats:
    """The sum of squares of each draw's parameters."""
    draws = max(int(of.max(initial=-1)) for of in draw) + 1
    return np.asarray(
        sum(
            np.bincount(of, weight * (part.reshape(len(part), -1) ** 2).sum(axis=1), draws)
            for part, weight, of in zip(parts, often, draw, strict=True)
        )
    )
