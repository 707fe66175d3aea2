"""Whether one scale tells all comparisons: expected wins beside those observed, and circles of preference."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.systems.bradley_terry import ON, Scale, outcome_chances
from analysis.systems.clustered_intervals import (
    Additions,
    Covariance,
    information,
    on_scale,
    slopes,
    two_ways,
)
from analysis.systems.paired_comparisons import FIRST, SECOND, TIE, PairedComparisons, coded
from analysis.values.types import Codes, Flags, Floats

FEWEST_EXPECTED = 5.0
"""Expected count that at most a fifth of the cells may miss for the chi-square approximation (Cochran 1954)."""
MOST_RESULTS = 2_000
"""Of pairs, up to which it is worked out how votes on one item and of one rater resemble each other."""


@dataclass(frozen=True, eq=False)
class GoodnessOfFit:
    """Observed against expected: `expected` (S, S) wins of the row plus half the ties, `residual` (S, S) of
    observed less expected in standard deviations, both NaN where a pair was not compared on the scale.

    `statistic` is Pearson's chi-square over the outcomes of the pairs, with `degrees` of freedom; `inflated` how many
    times as large chance makes it as it would independent votes; `p`, NaN with its `reason`.
    """

    expected: Floats
    residual: Floats
    statistic: float
    degrees: int
    p: float
    reason: str = ""
    inflated: float = 1.0


def goodness_of_fit(
    scale: Scale,
    comparisons: PairedComparisons | None = None,
    item: ArrayLike | None = None,
    rater: ArrayLike | None = None,
) -> GoodnessOfFit:
    """How far the pairs' own results are from what the one scale expects.

    Parameters
    ----------
    scale : of (S,) systems
    comparisons : the N that it was fitted to; without them votes count as independent
    item, rater : (N,) ids of what was judged and who judged; None where nobody knows

    Returns
    -------
    GoodnessOfFit

    Notes
    -----
    Votes on one item, and those of one rater, resemble each other and so make Pearson's chi-square larger than
    independent votes would: it is divided by what they make of it on average, and its degrees of freedom are those of a
    sum of unequal parts.
    Source: Pearson's chi-square on the outcomes of Davidson 1970; few data: Cochran 1954; votes that resemble each
    other: Rao and Scott 1984, section 4 (second-order correction); their variance: Cameron,
    Gelbach and Miller 2011, section 2.
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
    elif comparisons is not None and len(expected) > MOST_RESULTS:
        reason = f"there are more than {MOST_RESULTS} results of pairs"
    p, inflated = nan, 1.0
    if not reason and comparisons is None:
        p = float(special.chdtrc(degrees, statistic))
    elif not reason and comparisons is not None:
        chance = _chance(scale, comparisons, item, rater, met, has_ties)
        p, mean = _second_order(statistic, degrees, expected, chance)
        inflated = mean / degrees
    seen = np.where(met, share, nan), np.where(met, residual, nan)
    return GoodnessOfFit(*seen, statistic if degrees > 0 else nan, max(degrees, 0), p, reason, inflated)


def _chance(
    scale: Scale,
    comparisons: PairedComparisons,
    item: ArrayLike | None,
    rater: ArrayLike | None,
    met: Flags,
    has_ties: Flags,
) -> Covariance:
    """Of the m results less their expectations, which follow the fitted strengths and nu: over items and raters."""
    items, raters = coded(comparisons, item, rater)
    kept, place = on_scale(scale, comparisons)
    first, second = comparisons.first[kept], comparisons.second[kept]
    outcome, offered = comparisons.outcome[kept], comparisons.offered[kept]
    win, tied = outcome_chances(scale.strength[first] - scale.strength[second], np.array(scale.tie))
    plain = special.expit(scale.strength[first] - scale.strength[second])
    win, tied = np.where(offered, win, plain), np.where(offered, tied, 0.0)
    cell = np.full((*met.shape, 2), -1)  # of a win of the row, of a tie
    cell[met, 0] = np.arange(met.sum())
    cell[has_ties, 1] = met.sum() + np.arange(has_ties.sum())
    m, k = int(met.sum() + has_ties.sum()), int(place.max(initial=-1)) + 1
    where = np.column_stack(
        [
            cell[first, second, 0],
            cell[second, first, 0],
            cell[np.minimum(first, second), np.maximum(first, second), 1],
        ]
    )
    more = np.column_stack(
        [(outcome == FIRST) - win, (outcome == SECOND) - (1 - win - tied), (outcome == TIE) - tied]
    )
    of_fit = slopes(scale, comparisons, kept, place)
    both = Additions(
        np.hstack([np.maximum(where, 0), m + of_fit.place]),
        np.hstack([np.where(where >= 0, more, 0.0), of_fit.value]),
        m + of_fit.sums,
    )
    on = np.flatnonzero(scale.position == ON)
    follow = _by_parameters(scale, met, has_ties, place, k) @ np.linalg.pinv(
        information(scale, on), hermitian=True
    )
    apart = np.hstack([np.eye(m), -follow])
    found = two_ways(both, items[kept], raters[kept], 0)
    return Covariance(
        apart @ found.items @ apart.T,
        apart @ found.raters @ apart.T,
        found.degrees_items,
        found.degrees_raters,
    )


def _by_parameters(scale: Scale, met: Flags, has_ties: Flags, place: Codes, k: int) -> Floats:
    """How the expected results (m,) grow with k strengths and ln nu (m, k + 1)."""
    d = np.where(met, scale.strength[:, None] - scale.strength[None, :], 0)
    win, tied = outcome_chances(d, np.array(scale.tie))
    plain, share = special.expit(d), win + tied / 2
    forced = scale.compared - scale.offered
    columns = [
        (met, scale.offered * win * (1 - share) + forced * plain * (1 - plain), -scale.offered * win * tied),
        (has_ties, scale.offered * tied * (0.5 - share), scale.offered * tied * (1 - tied)),
    ]
    parts = []
    for which, by_strength, by_tie in columns:
        row, column = np.nonzero(which)
        part = np.zeros((len(row), k + 1))
        part[np.arange(len(row)), place[row]] = by_strength[which]
        part[np.arange(len(row)), place[column]] = -by_strength[which]
        part[:, k] = by_tie[which] * (scale.tie > 0)
        parts.append(part)
    return np.vstack(parts)


def _second_order(
    statistic: float, degrees: int, expected: Floats, chance: Covariance
) -> tuple[float, float]:
    """p of a chi-square of results with this chance, and its mean under it.

    Sums of squares of estimated covariances hold their chance, which is taken off (Srivastava 2005).
    Source: Rao and Scott 1984.
    """
    root = np.outer(np.sqrt(expected), np.sqrt(expected))
    of_items = chance.items / root
    own = float(np.trace(of_items))
    mean = own + max(float(np.trace(chance.raters / root)), 0.0)
    if not own > 0:
        return nan, nan
    squares = float((of_items**2).sum()) - own**2 / chance.degrees_items
    worth = min(own**2 / squares, float(degrees)) if squares > 0 else float(degrees)
    return float(special.chdtrc(worth, worth * statistic / mean)), mean


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
    The winner of a pair has the larger share, a tie counting half.
    Source: Kendall and Babington Smith 1940.
    """
    beats = (scale.wins > scale.wins.T).astype(np.float64)
    either = beats + beats.T
    circular, triples = (float(np.trace(m @ m @ m)) for m in (beats, either))
    return round(circular / 3), round(triples / 6)
