"""One scale for all systems from comparisons of pairs: Bradley-Terry with ties after Davidson, with its intervals.

P(i beats j) = p_i / (p_i + p_j + nu sqrt(p_i p_j)), and the tie has the rest. 'Both', 'neither' and 'tie' are all
ties here. A comparison that offered no tie (two choices only) has nu = 0: the chances given that nobody ties are
the same in both, so different designs fit on one scale. Everything rests on the counts of each pair.

The likelihood has its maximum at finite strengths only where wins and ties lead from every system to every
other one (Ford 1957) and, with ties, where some round trip along them holds more wins than ties; else a larger
distance or more ties would always fit better. The largest part of the systems for which this holds keeps its
scale: as the others move away, its own comparisons alone decide on it.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.systems.rankings import PairedComparisons, cells, compared
from analysis.values.estimate import Codes, Flags, Floats

ABOVE, ON, BELOW, APART = 1, 0, -1, 2
"""Where a system lies as seen from the scale."""
MOST_STEPS = 200
SMALLEST_STEP = 1e-9
"""Newton's last step; what is left after it is of the order of its square."""
_DIGITS = 9
_SINGULAR = 1e-12
"""Strengths that agree to so many digits are equal: the fit knows no more."""


@dataclass(frozen=True, eq=False)
class Scale:
    """All systems on one scale.

    `systems` (S,) ids; `strength` (S,) log p, mean 0 over the systems on the scale, NaN beyond it; `chance` (S,)
    the expected share of wins, a tie counting half, against a system of strength 0 when a tie is on offer; `tie`
    is nu, 0 where nobody tied, NaN where everybody who could did. `wins` (S, S) of the row over the column, `ties`
    (S, S) symmetric, `offered` (S, S) comparisons that offered a tie, all weighted; `numbers` (S, S) comparisons
    without weights. `position` (S,): 0 on the scale, 1 above it,
    -1 below it, 2 apart; `reasons` (S,) say why a system is not on the scale.
    """

    systems: NDArray[Any]
    strength: Floats
    chance: Floats
    tie: float
    wins: Floats
    ties: Floats
    offered: Floats
    numbers: Codes
    position: Codes
    reasons: tuple[str, ...]
    log_likelihood: float

    @property
    def identified(self) -> bool:
        """Return True where all systems are on the scale."""
        return bool(len(self.systems) and (self.position == ON).all())

    @cached_property
    def compared(self) -> Floats:
        """Comparisons of each pair (S, S), weighted."""
        return self.wins + self.wins.T + self.ties

    @cached_property
    def shares(self) -> Floats:
        """Share of its comparisons with the column's system that the row's won, a tie counting half (S, S)."""
        parts = np.full(self.compared.shape, nan)
        return np.asarray(
            np.divide(self.wins + self.ties / 2, self.compared, out=parts, where=self.compared > 0)
        )

    @property
    def comparisons(self) -> Codes:
        """Comparisons of each system (S,), without weights."""
        total: Codes = self.numbers.sum(axis=1)
        return total

    @property
    def shares_won(self) -> Floats:
        """Share of its comparisons that each system won (S,), a tie counting half."""
        total = self.compared.sum(axis=1)
        return np.asarray((self.won + self.tied / 2) / np.where(total > 0, total, nan))

    @property
    def won(self) -> Floats:
        """Wins of each system (S,)."""
        total: Floats = self.wins.sum(axis=1)
        return total

    @property
    def lost(self) -> Floats:
        """Defeats of each system (S,)."""
        total: Floats = self.wins.sum(axis=0)
        return total

    @property
    def tied(self) -> Floats:
        """Ties of each system (S,)."""
        total: Floats = self.ties.sum(axis=1)
        return total

    @property
    def order(self) -> Codes:
        """Systems from the strongest to the weakest (S,): those above, on, below the scale, then the others; of
        equally strong ones, the one with the larger share of wins first."""
        rank = np.select([self.position == ABOVE, self.position == ON, self.position == BELOW], [0, 1, 2], 3)
        return np.lexsort(
            (-np.nan_to_num(self.shares_won), -np.nan_to_num(self.strength).round(_DIGITS), rank)
        ).astype(np.int64)

    @property
    def places(self) -> dict[int, int]:
        """Place of each system that is on the scale, from 1, the strongest first."""
        on = [at for at in self.order.tolist() if self.position[at] == ON]
        return {at: place for place, at in enumerate(on, start=1)}


@dataclass(frozen=True, eq=False)
class Fitted:
    """Fits of b tables of counts.

    `strength` (b, S), NaN off the scale; `tie` (b,) nu, NaN where all comparisons that offered a tie are ties;
    `reach` (b, S, S) whether wins and ties lead from the row to the column; `part` (b, S) who is on the scale;
    `bounded` (b,) whether wins keep the ties in check.
    """

    strength: Floats
    tie: Floats
    reach: Flags
    part: Flags
    bounded: Flags


def fit(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    weight: ArrayLike | None = None,
    offered: ArrayLike | None = None,
) -> Scale:
    """One scale from all comparisons, by maximum likelihood.

    Parameters
    ----------
    first, second : (N,) ids of the two systems
    outcome : (N,) 0 the first won, 1 the second, 2 a tie
    weight : (N,) how much each comparison counts, 0 or more; None: 1
    offered : (N,) whether a tie could be chosen; None: everywhere

    Returns
    -------
    Scale

    Raises
    ------
    InputError
        where lengths differ, an outcome is unknown, a system meets itself or a weight is negative.

    Notes
    -----
    It assumes that strengths add up (who beats the one that beats me beats me more): hold it against `goodness_of_fit`.
    Which position a system was shown in does not enter. With two systems it says no more than their shares do.
    Source: Bradley and Terry 1952; Davidson 1970; identification: Ford 1957.

    >>> scale = fit(["a"] * 7, ["b"] * 7, [0, 0, 0, 0, 2, 1, 1])
    >>> np.exp(scale.strength[0] - scale.strength[1]).round(3).item(), round(scale.tie, 3)
    (2.0, 0.354)
    """
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)
    return fit_comparisons(replace(compared(first, second, outcome, offered), weight=weights))


def fit_comparisons(comparisons: PairedComparisons) -> Scale:
    """The same as `fit`, on codes."""
    s, cell = len(comparisons.systems), cells(comparisons)
    counts = np.bincount(cell, comparisons.weight, 3 * s * s).astype(np.float64).reshape(1, 3, s, s)
    numbers = np.bincount(cell, minlength=3 * s * s).reshape(3, s, s).sum(axis=0)
    fits = fitted(counts)
    part = fits.part[0]
    offered_wins, forced_wins, ties = counts[0, 0], counts[0, 1], counts[0, 2] + counts[0, 2].T
    tie = float(fits.tie[0]) if part.any() else nan
    position, reasons = _positions(fits, comparisons.systems, (offered_wins + forced_wins, ties))
    strength = fits.strength[0]
    return Scale(
        comparisons.systems,
        strength,
        expected_share(strength, tie),
        tie,
        offered_wins + forced_wins,
        ties,
        offered_wins + offered_wins.T + ties,
        numbers + numbers.T,
        position,
        reasons,
        _log_likelihood(offered_wins, forced_wins, ties, strength, tie, part),
    )


def inverse(information: Floats) -> Floats:
    """Return the inverse (Moore-Penrose) without the level of all strengths, which rounding leaves at about 1e-16."""
    return np.asarray(np.linalg.pinv(information, _SINGULAR, hermitian=True))


def expected_share(difference: ArrayLike, tie: ArrayLike) -> Floats:
    """Chance to win, a tie counting half, of a system that is `difference` stronger (Davidson 1970).

    >>> expected_share([0.0, np.log(4)], 0.5).tolist()
    [0.5, 0.75]
    """
    d, nu = np.asarray(difference, dtype=np.float64), np.asarray(tie, dtype=np.float64)
    win, tied = outcome_chances(d, np.nan_to_num(nu))
    return np.where(np.isnan(nu), np.where(np.isnan(d), nan, 0.5), win + tied / 2)


def fitted(counts: Floats) -> Fitted:
    """Maximum likelihood for many tables of counts at once, each on the largest part that has a scale
    (Davidson 1970; the part, Ford 1957)."""
    offered_wins, wins = counts[:, 0], counts[:, 0] + counts[:, 1]
    ties = counts[:, 2] + counts[:, 2].transpose(0, 2, 1)
    only_ties = _any(ties > 0) & ~_any(offered_wins > 0)  # nu is infinite: ties then say nothing of strengths
    ties = np.where((only_ties & _any(wins > 0))[:, None, None], 0, ties)
    reach = _reach((wins > 0) | (ties > 0))
    part = _largest_part(reach, wins + wins.transpose(0, 2, 1) + ties)
    inside = part[:, :, None] & part[:, None, :]
    offered_wins, wins, ties = (np.where(inside, count, 0) for count in (offered_wins, wins, ties))
    won = _any(wins > 0)
    bounded = ~_any(ties > 0) | only_ties | _more_wins_than_ties(offered_wins, wins, ties)
    part = part & bounded[:, None]
    strength, tie = np.zeros(part.shape), np.where(only_ties, nan, 0.0)
    solved = bounded & won
    if solved.any():
        strength[solved], nu = _maximum(offered_wins[solved], wins[solved], ties[solved], part[solved])
        tie[solved] += nu
    return Fitted(np.where(part, strength, nan), tie, reach, part, bounded)


def _any(flags: Flags) -> Flags:
    """Return for each table (b, S, S) whether anything in it is true."""
    there: Flags = np.logical_or.reduce(flags, axis=(1, 2))
    return there


def _reach(direct: Flags) -> Flags:
    """Return who can be reached from whom, (b, S, S), themselves included."""
    s = direct.shape[1]
    linked = (direct | np.eye(s, dtype=np.bool_)).astype(np.float32)
    steps = 1
    while steps < s - 1:
        linked = np.minimum(linked @ linked, 1)
        steps *= 2
    reached: Flags = linked > 0
    return reached


def _largest_part(reach: Flags, compared: Floats) -> Flags:
    """The largest set of two systems or more that reach each other, (b, S); of equal ones the most compared."""
    if reach.shape[1] == 0:
        return np.zeros(reach.shape[:2], dtype=np.bool_)
    mutual = reach & reach.transpose(0, 2, 1)
    size = mutual.sum(axis=2)
    within = (mutual @ (compared * mutual).sum(axis=2, keepdims=True))[:, :, 0]
    total = np.maximum(compared.sum(axis=(1, 2)), 1)
    best = (size + within / (2 * total[:, None])).argmax(axis=1)
    chosen = mutual[np.arange(len(best)), best]
    largest: Flags = chosen & (size[np.arange(len(best)), best] > 1)[:, None]
    return largest


def _more_wins_than_ties(offered_wins: Floats, wins: Floats, ties: Floats) -> Flags:
    """Return whether some round trip (b,) holds more wins with a tie on offer than ties: a negative cycle."""
    holds = _any((offered_wins > 0) & (offered_wins.transpose(0, 2, 1) > 0))
    left = np.flatnonzero(~holds)
    if not len(left):
        return holds
    s = wins.shape[1]
    steps = np.where(ties[left] > 0, 1.0, np.inf)
    steps = np.where(wins[left] > 0, 0.0, steps)
    steps = np.where(offered_wins[left] > 0, -1.0, steps)
    for through in range(s):
        steps = np.minimum(steps, steps[:, :, through, None] + steps[:, through, None, :])
        steps = np.maximum(steps, -float(s))
    holds[left] = np.logical_or.reduce(np.diagonal(steps, axis1=1, axis2=2) < 0, axis=1)
    return holds


def _maximum(offered_wins: Floats, wins: Floats, ties: Floats, part: Flags) -> tuple[Floats, Floats]:
    """Newton's method with halved steps for all tables at once: strengths (b, S) and nu (b,)."""
    b, s = part.shape
    offered = offered_wins + offered_wins.transpose(0, 2, 1) + ties
    forced = wins + wins.transpose(0, 2, 1) + ties - offered
    won = (wins + ties / 2).sum(axis=2)
    tied = ties.sum(axis=(1, 2)) / 2
    has_ties = tied > 0
    all_offered = offered.sum(axis=(1, 2)) / 2
    strength = np.zeros((b, s))
    log_tie = np.log(2 * np.where(has_ties, tied, 1) / np.maximum(all_offered - tied, 0.5))
    diagonal = np.arange(s)

    def likelihood(strength: Floats, log_tie: Floats) -> Floats:
        half = np.abs(strength[:, :, None] - strength[:, None, :]) / 2
        top = (strength[:, :, None] + strength[:, None, :]) / 2 + half
        nu = np.where(has_ties, np.exp(log_tie), 0)[:, None, None]
        plain = top + np.log1p(np.exp(-2 * half))
        free = top + np.log1p(np.exp(-2 * half) + nu * np.exp(-half))
        total = (forced * plain + offered * free).sum(axis=(1, 2)) / 2
        reached: Floats = (strength * won).sum(axis=1) + np.where(has_ties, log_tie * tied, 0) - total
        return reached

    now = likelihood(strength, log_tie)
    for _ in range(MOST_STEPS):
        d = strength[:, :, None] - strength[:, None, :]
        nu = np.where(has_ties, np.exp(log_tie), 0)
        win, tie = outcome_chances(d, nu[:, None, None])
        share, plain = win + tie / 2, special.expit(d)
        spread = forced * plain * (1 - plain) + offered * (win + tie / 4 - share**2)
        slope = np.zeros((b, s + 1))
        slope[:, :s] = np.where(part, won - (forced * plain + offered * share).sum(axis=2), 0)
        slope[:, s] = np.where(has_ties, tied - (offered * tie).sum(axis=(1, 2)) / 2, 0)
        bend = np.zeros((b, s + 1, s + 1))
        bend[:, :s, :s] = 1 / s - spread
        bend[:, diagonal, diagonal] = 1 / s + spread.sum(axis=2) - spread[:, diagonal, diagonal] + ~part
        across = np.where(has_ties[:, None], (offered * tie * (0.5 - share)).sum(axis=2), 0)
        bend[:, :s, s] = bend[:, s, :s] = across
        bend[:, s, s] = np.where(has_ties, (offered * tie * (1 - tie)).sum(axis=(1, 2)) / 2, 1)
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        step /= np.maximum(np.abs(step).max(axis=1, keepdims=True) / 3, 1)
        for _ in range(30):
            tried = likelihood(strength + step[:, :s], log_tie + step[:, s])
            worse = tried < now - 1e-12 * np.abs(now)
            if not worse.any():
                break
            step[worse] /= 2
        strength, log_tie, now = strength + step[:, :s], log_tie + step[:, s], tried
        if np.abs(step).max() < SMALLEST_STEP:
            break
    strength -= np.where(part, strength, 0).sum(axis=1, keepdims=True) / part.sum(axis=1, keepdims=True)
    return strength, np.where(has_ties, np.exp(log_tie), 0)


def outcome_chances(d: Floats, nu: Floats) -> tuple[Floats, Floats]:
    """Chance to win and to tie of a system that is `d` stronger."""
    half = np.exp(-np.abs(d) / 2)
    whole = 1 + half**2 + nu * half
    return np.where(d >= 0, 1, half**2) / whole, nu * half / whole


def _log_likelihood(
    offered_wins: Floats, forced_wins: Floats, ties: Floats, strength: Floats, tie: float, part: Flags
) -> float:
    """Of the comparisons among the systems on the scale."""
    if not part.any():
        return nan
    inside = np.outer(part, part)
    d = np.where(inside, strength[:, None] - strength[None, :], 0)
    win, tied = outcome_chances(d, np.array(tie)) if tie >= 0 else (np.ones(d.shape), np.ones(d.shape))
    return float(
        special.xlogy(offered_wins * inside, win).sum()
        + special.xlogy(forced_wins * inside, special.expit(d)).sum()
        + special.xlogy(ties * inside, tied).sum() / 2
    )


def _positions(
    fits: Fitted, systems: NDArray[Any], counts: tuple[Floats, Floats]
) -> tuple[Codes, tuple[str, ...]]:
    """Return where each system lies as seen from the scale, and why it is not on it."""
    s = len(systems)
    wins, ties = counts
    part, reach = fits.part[0], fits.reach[0]
    if not part.any():
        reason = (
            "systems win in one direction only, so nothing bounds the distance between them"
            if fits.bounded[0]
            else "whoever is ahead was at most tied with, never beaten, so nothing bounds the distance"
        )
        return np.full(s, APART), (reason,) * s
    down, up = reach[:, part].any(axis=1), reach[part].any(axis=0)
    position = np.select([part, down & ~up, up & ~down], [ON, ABOVE, BELOW], APART).astype(np.int64)
    joined = _reach(((wins + wins.T + ties) > 0)[None])[0]
    scale = _named(systems[part])
    reasons = []
    for at in range(s):
        if position[at] == ON:
            reasons.append("")
        elif position[at] == ABOVE:
            alone = wins[:, at].sum() + ties[at].sum() == 0
            reasons.append(
                "it won every comparison, so it lies above the scale by an unknown distance"
                if alone
                else "no win or tie leads up to it from the scale, so it lies above by an unknown distance"
            )
        elif position[at] == BELOW:
            alone = wins[at].sum() + ties[at].sum() == 0
            reasons.append(
                "it lost every comparison, so it lies below the scale by an unknown distance"
                if alone
                else "no win or tie leads from it up to the scale, so it lies below by an unknown distance"
            )
        elif not wins[at].any() and not wins[:, at].any() and not ties[at].any():
            reasons.append("it was never compared")
        elif not joined[at][part].any():
            reasons.append(f"no chain of comparisons joins it to {scale}")
        else:
            reasons.append(f"wins lead neither from it to {scale} nor back, so their distance is unknown")
    return position, tuple(reasons)


def _named(systems: NDArray[Any]) -> str:
    names = [str(system) for system in systems.tolist()]
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]])
