"""Whether one scale tells all comparisons: expected wins beside those observed, and circles of preference."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.workers.scale.bradley_terry import ON, Scale, outcome_chances

Floats = NDArray[np.float64]

FEWEST_EXPECTED = 5.0
"""Expected count that at most a fifth of the cells may miss for the chi-square approximation (Cochran 1954)."""


@dataclass(frozen=True, eq=False)
class GoodnessOfFit:
    """Observed against expected: `expected` (S, S) wins of the row plus half the ties, `residual` (S, S) of
    observed less expected in standard deviations, both NaN where a pair was not compared on the scale.

    `statistic` is Pearson's chi-square over the outcomes of the pairs, with `degrees` of freedom and `p`, NaN with
    its `reason`.
    """

    expected: Floats
    residual: Floats
    statistic: float
    degrees: int
    p: float
    reason: str = ""


def goodness_of_fit(scale: Scale) -> GoodnessOfFit:
    """How far the pairs' own results are from what the one scale expects.

    Parameters
    ----------
    scale : of (S,) systems

    Returns
    -------
    GoodnessOfFit

    Notes
    -----
    Answers: do strengths add up, or does somebody beat just the one that beats the others? It takes comparisons as
    independent; several raters of one item are not, so that a small p may also mean that items differ.
    Source: Pearson's chi-square on the outcomes of Davidson 1970; few data: Cochran 1954.
    """
    s = len(scale.systems)
    on = scale.position == ON
    met = on[:, None] & on[None, :] & (scale.compared > 0)
    if not met.any() or np.isnan(scale.tie):
        reason = "every comparison that could be tied was" if met.any() else "no two systems are on the scale"
        return GoodnessOfFit(np.full((s, s), nan), np.full((s, s), nan), nan, 0, nan, reason)
    d = np.where(met, scale.strength[:, None] - scale.strength[None, :], 0)
    forced = scale.compared - scale.offered
    win, tied = outcome_chances(d, np.array(scale.tie))
    plain = special.expit(d)
    expected_wins = scale.offered * win + forced * plain
    expected_ties = scale.offered * tied
    share = expected_wins + expected_ties / 2
    variance = scale.offered * (win + tied / 4 - (win + tied / 2) ** 2) + forced * plain * (1 - plain)
    residual = (scale.wins + scale.ties / 2 - share) / np.sqrt(np.where(met, variance, 1))
    upper = np.triu(met)
    has_ties = upper & (expected_ties > 0)
    observed = np.concatenate([scale.wins[met], scale.ties[has_ties]])
    expected = np.concatenate([expected_wins[met], expected_ties[has_ties]])
    statistic = float(((observed - expected) ** 2 / expected).sum())
    degrees = int(upper.sum() + has_ties.sum() - (on.sum() - 1) - (scale.tie > 0))
    reason = ""
    if degrees <= 0:
        reason = "there are no more results than strengths, so any scale would fit them"
    elif (expected < FEWEST_EXPECTED).mean() > 0.2 or expected.min() < 1:
        reason = "there are too few comparisons of some pairs for the chi-square approximation"
    p = nan if reason else float(special.chdtrc(degrees, statistic))
    seen = np.where(met, share, nan), np.where(met, residual, nan)
    return GoodnessOfFit(*seen, statistic if degrees > 0 else nan, max(degrees, 0), p, reason)


def circular_triads(scale: Scale) -> tuple[int, int]:
    """Triples of systems that beat each other in a circle, and all triples in which each pair has a winner.

    Parameters
    ----------
    scale : of (S,) systems

    Returns
    -------
    circular, all

    Notes
    -----
    Answers: is there an order at all? The winner of a pair has the larger share, a tie counting half.
    Source: Kendall and Babington Smith 1940.
    """
    beats = (scale.wins > scale.wins.T).astype(np.float64)
    either = beats + beats.T
    circular, triples = (float(np.trace(m @ m @ m)) for m in (beats, either))
    return round(circular / 3), round(triples / 6)
