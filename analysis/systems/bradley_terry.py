"""One scale for all systems from comparisons of pairs: Bradley-Terry with ties after Davidson, with its intervals.

P(i beats j) = p_i / (p_i + p_j + nu sqrt(p_i p_j)), and a tie has the rest. All of 'both', 'neither' and 'tie'
count as ties. A comparison that offered no tie (two choices only) has nu = 0. The win probabilities given that
there is no tie are the same in both cases, so different designs fit on one scale. The counts of each pair are the
sufficient statistics.

The maximum-likelihood strengths are finite only where the graph of wins and ties is strongly connected (Ford 1957) and,
with ties, some cycle in it has more wins than ties. Otherwise a larger distance or more ties always fits better. The
scale is that of the largest component for which this holds: as the other systems move away, only its own comparisons
determine it.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.systems.rankings import PairedComparisons, comparisons_from_ids, count_table_index
from analysis.values.estimate import Codes, Flags, Floats

ABOVE, ON, BELOW, APART = 1, 0, -1, 2
"""Position of a system relative to the scale."""
MOST_STEPS = 200
SMALLEST_STEP = 1e-9
"""Convergence tolerance of Newton's method: the remaining error is of the order of its square."""
_STRENGTH_DIGITS = 9
"""Decimals to which strengths are compared: the fit is no more precise."""
_RELATIVE_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Scale:
    """All systems on one scale.

    `systems` (S,) ids; `strength` (S,) log p, mean 0 over the systems on the scale, NaN off it; `chance` (S,) the
    expected share of wins, a tie counting half, against a system of strength 0 where a tie is offered; `tie` is nu, 0
    without ties, NaN where all comparisons that offered a tie are ties. `wins` (S, S) of the row over the column,
    `ties` (S, S) symmetric, `offered` (S, S) comparisons that offered a tie, all weighted; `numbers` (S, S) comparisons
    without weights. `position` (S,): 0 on the scale, 1 above it, -1 below it, 2 not connected; `reasons` (S,) why a
    system is not on the scale.
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
    def is_identified(self) -> bool:
        """True where all systems are on the scale."""
        return bool(len(self.systems) and (self.position == ON).all())

    @cached_property
    def compared(self) -> Floats:
        """Weighted number of comparisons of each pair (S, S)."""
        return self.wins + self.wins.T + self.ties

    @cached_property
    def shares(self) -> Floats:
        """Share of the comparisons with the column's system that the row's system won, a tie counting half (S, S)."""
        parts = np.full(self.compared.shape, nan)
        return np.asarray(
            np.divide(self.wins + self.ties / 2, self.compared, out=parts, where=self.compared > 0)
        )

    @property
    def comparisons(self) -> Codes:
        """Number of comparisons of each system (S,), without weights."""
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
        """Systems from the strongest to the weakest (S,): those above, on and below the scale, then the others. Among
        equally strong systems, the one with the larger share of wins comes first."""
        rank = np.select([self.position == ABOVE, self.position == ON, self.position == BELOW], [0, 1, 2], 3)
        return np.lexsort(
            (-np.nan_to_num(self.shares_won), -np.nan_to_num(self.strength).round(_STRENGTH_DIGITS), rank)
        ).astype(np.int64)

    @property
    def places(self) -> dict[int, int]:
        """Rank of each system on the scale, 1 for the strongest."""
        on_scale = [system for system in self.order.tolist() if self.position[system] == ON]
        return {system: rank for rank, system in enumerate(on_scale, start=1)}


@dataclass(frozen=True, eq=False)
class TableFits:
    """Fits of b tables of counts.

    `strength` (b, S), NaN off the scale; `tie` (b,) nu, NaN where all comparisons that offered a tie are ties;
    `reachable` (b, S, S) True where wins and ties lead from the row to the column; `component` (b, S) True on the
    scale; `is_bounded` (b,) True where nu has a finite maximum.
    """

    strength: Floats
    tie: Floats
    reachable: Flags
    component: Flags
    is_bounded: Flags


def fit(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    weight: ArrayLike | None = None,
    offered: ArrayLike | None = None,
) -> Scale:
    """Fit one scale to all comparisons by maximum likelihood.

    Parameters
    ----------
    first, second : (N,) ids of the two systems
    outcome : (N,) 0 the first won, 1 the second, 2 a tie
    weight : (N,) how much each comparison counts, 0 or more; None: 1
    offered : (N,) True where a tie could be chosen; None: everywhere

    Returns
    -------
    Scale

    Raises
    ------
    InputError
        where lengths differ, an outcome is unknown, a system meets itself or a weight is negative.

    Notes
    -----
    The model assumes that strengths are additive (transitivity): check it with `goodness_of_fit`. The position in which
    a system was shown is ignored. With two systems, the scale adds nothing to their shares.
    Source: Bradley and Terry 1952; Davidson 1970; identification: Ford 1957.

    >>> scale = fit(["a"] * 7, ["b"] * 7, [0, 0, 0, 0, 2, 1, 1])
    >>> np.exp(scale.strength[0] - scale.strength[1]).round(3).item(), round(scale.tie, 3)
    (2.0, 0.354)
    """
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)
    return fit_comparisons(replace(comparisons_from_ids(first, second, outcome, offered), weight=weights))


def fit_comparisons(comparisons: PairedComparisons) -> Scale:
    """Fit one scale to encoded comparisons, as `fit` does."""
    s, cell = len(comparisons.systems), count_table_index(comparisons)
    counts = np.bincount(cell, comparisons.weight, 3 * s * s).astype(np.float64).reshape(1, 3, s, s)
    numbers = np.bincount(cell, minlength=3 * s * s).reshape(3, s, s).sum(axis=0)
    fits = fit_count_tables(counts)
    component = fits.component[0]
    offered_wins, forced_wins, ties = counts[0, 0], counts[0, 1], counts[0, 2] + counts[0, 2].T
    tie = float(fits.tie[0]) if component.any() else nan
    position, reasons = _locate_systems(fits, comparisons.systems, (offered_wins + forced_wins, ties))
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
        _log_likelihood(offered_wins, forced_wins, ties, strength, tie, component),
    )


def pseudo_inverse(information: Floats) -> Floats:
    """Return the Moore-Penrose inverse, in which the undetermined mean of all strengths (eigenvalue about 1e-16) is
    dropped."""
    return np.asarray(np.linalg.pinv(information, _RELATIVE_TOLERANCE, hermitian=True))


def expected_share(difference: ArrayLike, tie: ArrayLike) -> Floats:
    """Return the expected share of wins, a tie counting half, of a system that is `difference` stronger (Davidson
    1970).

    >>> expected_share([0.0, np.log(4)], 0.5).tolist()
    [0.5, 0.75]
    """
    d, nu = np.asarray(difference, dtype=np.float64), np.asarray(tie, dtype=np.float64)
    win, tied = outcome_probabilities(d, np.nan_to_num(nu))
    return np.where(np.isnan(nu), np.where(np.isnan(d), nan, 0.5), win + tied / 2)


def fit_count_tables(counts: Floats) -> TableFits:
    """Fit many tables of counts (b, 3, S, S) by maximum likelihood, each on its largest component with a finite scale
    (Davidson 1970; components: Ford 1957)."""
    offered_wins, wins = counts[:, 0], counts[:, 0] + counts[:, 1]
    ties = counts[:, 2] + counts[:, 2].transpose(0, 2, 1)
    # Where nu is infinite, ties carry no information about strengths.
    only_ties = _any_in_table(ties > 0) & ~_any_in_table(offered_wins > 0)
    ties = np.where((only_ties & _any_in_table(wins > 0))[:, None, None], 0, ties)
    reachable = _reachable((wins > 0) | (ties > 0))
    component = _largest_component(reachable, wins + wins.transpose(0, 2, 1) + ties)
    inside = component[:, :, None] & component[:, None, :]
    offered_wins, wins, ties = (np.where(inside, count, 0) for count in (offered_wins, wins, ties))
    has_wins = _any_in_table(wins > 0)
    is_bounded = ~_any_in_table(ties > 0) | only_ties | _has_winning_cycle(offered_wins, wins, ties)
    component = component & is_bounded[:, None]
    strength, tie = np.zeros(component.shape), np.where(only_ties, nan, 0.0)
    is_solvable = is_bounded & has_wins
    if is_solvable.any():
        strength[is_solvable], nu = _maximize_likelihood(
            offered_wins[is_solvable], wins[is_solvable], ties[is_solvable], component[is_solvable]
        )
        tie[is_solvable] += nu
    return TableFits(np.where(component, strength, nan), tie, reachable, component, is_bounded)


def _any_in_table(flags: Flags) -> Flags:
    """Return True for each table (b, S, S) with a true entry."""
    found: Flags = np.logical_or.reduce(flags, axis=(1, 2))
    return found


def _reachable(direct: Flags) -> Flags:
    """Return the transitive closure (b, S, S) of a relation, each system reaching itself."""
    s = direct.shape[1]
    connected = (direct | np.eye(s, dtype=np.bool_)).astype(np.float32)
    steps = 1
    while steps < s - 1:
        connected = np.minimum(connected @ connected, 1)
        steps *= 2
    reachable: Flags = connected > 0
    return reachable


def _largest_component(reachable: Flags, pair_counts: Floats) -> Flags:
    """Return the largest strongly connected component of two or more systems (b, S); among equal ones, the one with the
    most comparisons."""
    if reachable.shape[1] == 0:
        return np.zeros(reachable.shape[:2], dtype=np.bool_)
    mutual = reachable & reachable.transpose(0, 2, 1)
    size = mutual.sum(axis=2)
    within = (mutual @ (pair_counts * mutual).sum(axis=2, keepdims=True))[:, :, 0]
    total = np.maximum(pair_counts.sum(axis=(1, 2)), 1)
    best = (size + within / (2 * total[:, None])).argmax(axis=1)
    chosen = mutual[np.arange(len(best)), best]
    largest: Flags = chosen & (size[np.arange(len(best)), best] > 1)[:, None]
    return largest


def _has_winning_cycle(offered_wins: Floats, wins: Floats, ties: Floats) -> Flags:
    """Return True where some cycle has more wins with a tie offered than ties (b,), found as a negative cycle."""
    has_cycle = _any_in_table((offered_wins > 0) & (offered_wins.transpose(0, 2, 1) > 0))
    unsolved = np.flatnonzero(~has_cycle)
    if not len(unsolved):
        return has_cycle
    s = wins.shape[1]
    distance = np.where(ties[unsolved] > 0, 1.0, np.inf)
    distance = np.where(wins[unsolved] > 0, 0.0, distance)
    distance = np.where(offered_wins[unsolved] > 0, -1.0, distance)
    for through in range(s):
        distance = np.minimum(distance, distance[:, :, through, None] + distance[:, through, None, :])
        distance = np.maximum(distance, -float(s))
    has_cycle[unsolved] = np.logical_or.reduce(np.diagonal(distance, axis1=1, axis2=2) < 0, axis=1)
    return has_cycle


def _maximize_likelihood(
    offered_wins: Floats, wins: Floats, ties: Floats, component: Flags
) -> tuple[Floats, Floats]:
    """Return strengths (b, S) and nu (b,) of all tables at once, by Newton's method with step halving."""
    b, s = component.shape
    offered = offered_wins + offered_wins.transpose(0, 2, 1) + ties
    forced = wins + wins.transpose(0, 2, 1) + ties - offered
    won = (wins + ties / 2).sum(axis=2)
    tied = ties.sum(axis=(1, 2)) / 2
    has_ties = tied > 0
    all_offered = offered.sum(axis=(1, 2)) / 2
    strength = np.zeros((b, s))
    log_tie = np.log(2 * np.where(has_ties, tied, 1) / np.maximum(all_offered - tied, 0.5))
    diagonal = np.arange(s)

    def log_likelihood_at(strength: Floats, log_tie: Floats) -> Floats:
        half = np.abs(strength[:, :, None] - strength[:, None, :]) / 2
        mean_plus_half = (strength[:, :, None] + strength[:, None, :]) / 2 + half
        nu = np.where(has_ties, np.exp(log_tie), 0)[:, None, None]
        untied = mean_plus_half + np.log1p(np.exp(-2 * half))
        free = mean_plus_half + np.log1p(np.exp(-2 * half) + nu * np.exp(-half))
        total = (forced * untied + offered * free).sum(axis=(1, 2)) / 2
        log_likelihood: Floats = (strength * won).sum(axis=1) + np.where(has_ties, log_tie * tied, 0) - total
        return log_likelihood

    current = log_likelihood_at(strength, log_tie)
    for _ in range(MOST_STEPS):
        d = strength[:, :, None] - strength[:, None, :]
        nu = np.where(has_ties, np.exp(log_tie), 0)
        win, tie = outcome_probabilities(d, nu[:, None, None])
        share, untied = win + tie / 2, special.expit(d)
        curvature = forced * untied * (1 - untied) + offered * (win + tie / 4 - share**2)
        score = np.zeros((b, s + 1))
        score[:, :s] = np.where(component, won - (forced * untied + offered * share).sum(axis=2), 0)
        score[:, s] = np.where(has_ties, tied - (offered * tie).sum(axis=(1, 2)) / 2, 0)
        information = np.zeros((b, s + 1, s + 1))
        information[:, :s, :s] = 1 / s - curvature
        information[:, diagonal, diagonal] = (
            1 / s + curvature.sum(axis=2) - curvature[:, diagonal, diagonal] + ~component
        )
        mixed = np.where(has_ties[:, None], (offered * tie * (0.5 - share)).sum(axis=2), 0)
        information[:, :s, s] = information[:, s, :s] = mixed
        information[:, s, s] = np.where(has_ties, (offered * tie * (1 - tie)).sum(axis=(1, 2)) / 2, 1)
        step = np.linalg.solve(information, score[:, :, None])[:, :, 0]
        step /= np.maximum(np.abs(step).max(axis=1, keepdims=True) / 3, 1)
        for _ in range(30):
            candidate = log_likelihood_at(strength + step[:, :s], log_tie + step[:, s])
            worse = candidate < current - 1e-12 * np.abs(current)
            if not worse.any():
                break
            step[worse] /= 2
        strength, log_tie, current = strength + step[:, :s], log_tie + step[:, s], candidate
        if np.abs(step).max() < SMALLEST_STEP:
            break
    strength -= np.where(component, strength, 0).sum(axis=1, keepdims=True) / component.sum(
        axis=1, keepdims=True
    )
    return strength, np.where(has_ties, np.exp(log_tie), 0)


def outcome_probabilities(d: Floats, nu: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities of a win and of a tie of a system that is `d` stronger."""
    half = np.exp(-np.abs(d) / 2)
    whole = 1 + half**2 + nu * half
    return np.where(d >= 0, 1, half**2) / whole, nu * half / whole


def _log_likelihood(
    offered_wins: Floats, forced_wins: Floats, ties: Floats, strength: Floats, tie: float, component: Flags
) -> float:
    """Return the log-likelihood of the comparisons among the systems on the scale."""
    if not component.any():
        return nan
    inside = np.outer(component, component)
    d = np.where(inside, strength[:, None] - strength[None, :], 0)
    win, tied = outcome_probabilities(d, np.array(tie)) if tie >= 0 else (np.ones(d.shape), np.ones(d.shape))
    return float(
        special.xlogy(offered_wins * inside, win).sum()
        + special.xlogy(forced_wins * inside, special.expit(d)).sum()
        + special.xlogy(ties * inside, tied).sum() / 2
    )


def _locate_systems(
    fits: TableFits, systems: NDArray[Any], counts: tuple[Floats, Floats]
) -> tuple[Codes, tuple[str, ...]]:
    """Return each system's position relative to the scale and why it is not on it."""
    s = len(systems)
    wins, ties = counts
    component, reachable = fits.component[0], fits.reachable[0]
    if not component.any():
        reason = (
            "systems win in one direction only, so nothing bounds the distance between them"
            if fits.is_bounded[0]
            else "whoever is ahead was at most tied with, never beaten, so nothing bounds the distance"
        )
        return np.full(s, APART), (reason,) * s
    leads_down, leads_up = reachable[:, component].any(axis=1), reachable[component].any(axis=0)
    position = np.select(
        [component, leads_down & ~leads_up, leads_up & ~leads_down], [ON, ABOVE, BELOW], APART
    ).astype(np.int64)
    connected = _reachable(((wins + wins.T + ties) > 0)[None])[0]
    scale = _join_names(systems[component])
    reasons = []
    for i in range(s):
        if position[i] == ON:
            reasons.append("")
        elif position[i] == ABOVE:
            is_unanimous = wins[:, i].sum() + ties[i].sum() == 0
            reasons.append(
                "it won every comparison, so it lies above the scale by an unknown distance"
                if is_unanimous
                else "no win or tie leads up to it from the scale, so it lies above by an unknown distance"
            )
        elif position[i] == BELOW:
            is_unanimous = wins[i].sum() + ties[i].sum() == 0
            reasons.append(
                "it lost every comparison, so it lies below the scale by an unknown distance"
                if is_unanimous
                else "no win or tie leads from it up to the scale, so it lies below by an unknown distance"
            )
        elif not wins[i].any() and not wins[:, i].any() and not ties[i].any():
            reasons.append("it was never compared")
        elif not connected[i][component].any():
            reasons.append(f"no chain of comparisons joins it to {scale}")
        else:
            reasons.append(f"wins lead neither from it to {scale} nor back, so their distance is unknown")
    return position, tuple(reasons)


def _join_names(systems: NDArray[Any]) -> str:
    names = [str(system) for system in systems.tolist()]
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]])
