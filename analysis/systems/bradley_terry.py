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
from math import exp, log, nan
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
class TableFit:
    """Fit of a table of counts.

    `strength` (S,), NaN off the scale; `tie` is nu, NaN where all comparisons that offered a tie are ties; `reachable`
    (S, S) True where wins and ties lead from the row to the column; `component` (S,) True on the scale; `is_bounded`
    True where nu has a finite maximum.
    """

    strength: Floats
    tie: float
    reachable: Flags
    component: Flags
    is_bounded: bool


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
    counts = np.bincount(cell, comparisons.weight, 3 * s * s).astype(np.float64).reshape(3, s, s)
    numbers = np.bincount(cell, minlength=3 * s * s).reshape(3, s, s).sum(axis=0)
    fitted = _fit_table(counts)
    offered_wins, forced_wins, ties = counts[0], counts[1], counts[2] + counts[2].T
    tie = fitted.tie if fitted.component.any() else nan
    position, reasons = _locate_systems(fitted, comparisons.systems, (offered_wins + forced_wins, ties))
    strength = fitted.strength
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
        _log_likelihood(offered_wins, forced_wins, ties, strength, tie, fitted.component),
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


def _fit_table(counts: Floats) -> TableFit:
    """Fit a table of counts (3, S, S) by maximum likelihood, on its largest component with a finite scale (Davidson
    1970; components: Ford 1957)."""
    offered_wins, wins = counts[0], counts[0] + counts[1]
    ties = counts[2] + counts[2].T
    only_ties = bool((ties > 0).any() and not (offered_wins > 0).any())
    if only_ties and (wins > 0).any():  # nu is infinite, and ties carry no information about strengths
        ties = np.zeros_like(ties)
    reachable = _reachable((wins > 0) | (ties > 0))
    component = _largest_component(reachable, wins + wins.T + ties)
    inside = np.outer(component, component)
    offered_wins, wins, ties = (np.where(inside, count, 0) for count in (offered_wins, wins, ties))
    is_bounded = not (ties > 0).any() or only_ties or _has_winning_cycle(offered_wins, wins, ties)
    component = component & is_bounded
    strength, tie = np.zeros(len(component)), nan if only_ties else 0.0
    if is_bounded and (wins > 0).any():
        strength, nu = _maximize_likelihood(offered_wins, wins, ties, component)
        tie += nu
    return TableFit(np.where(component, strength, nan), tie, reachable, component, is_bounded)


def _reachable(direct: Flags) -> Flags:
    """Return the transitive closure (S, S) of a relation, each system reaching itself."""
    s = len(direct)
    connected = (direct | np.eye(s, dtype=np.bool_)).astype(np.float32)
    steps = 1
    while steps < s - 1:
        connected = np.minimum(connected @ connected, 1)
        steps *= 2
    reachable: Flags = connected > 0
    return reachable


def _largest_component(reachable: Flags, pair_counts: Floats) -> Flags:
    """Return the largest strongly connected component of two or more systems (S,); among equal ones, the one with the
    most comparisons."""
    if len(reachable) == 0:
        return np.zeros(0, dtype=np.bool_)
    mutual = reachable & reachable.T
    size = mutual.sum(axis=1)
    within = mutual @ (pair_counts * mutual).sum(axis=1)
    best = int((size + within / (2 * max(pair_counts.sum(), 1))).argmax())
    largest: Flags = mutual[best] & (size[best] > 1)
    return largest


def _has_winning_cycle(offered_wins: Floats, wins: Floats, ties: Floats) -> bool:
    """Return True where some cycle has more wins with a tie offered than ties, found as a negative cycle."""
    if ((offered_wins > 0) & (offered_wins.T > 0)).any():
        return True
    s = len(wins)
    distance = np.where(ties > 0, 1.0, np.inf)
    distance = np.where(wins > 0, 0.0, distance)
    distance = np.where(offered_wins > 0, -1.0, distance)
    for through in range(s):
        distance = np.minimum(distance, distance[:, through, None] + distance[through])
        distance = np.maximum(distance, -float(s))
    return bool((np.diagonal(distance) < 0).any())


def _maximize_likelihood(
    offered_wins: Floats, wins: Floats, ties: Floats, component: Flags
) -> tuple[Floats, float]:
    """Return strengths (S,) and nu, by Newton's method with step halving."""
    s = len(component)
    offered = offered_wins + offered_wins.T + ties
    forced = wins + wins.T + ties - offered
    won = (wins + ties / 2).sum(axis=1)
    tied, all_offered = float(ties.sum()) / 2, float(offered.sum()) / 2
    has_ties = tied > 0
    strength = np.zeros(s)
    log_tie = log(2 * (tied if has_ties else 1) / max(all_offered - tied, 0.5))
    diagonal = np.arange(s)

    def nu_at(log_tie: float) -> Floats:
        return np.array(exp(log_tie) if has_ties else 0.0)

    def log_likelihood_at(strength: Floats, log_tie: float) -> float:
        half = np.abs(strength[:, None] - strength) / 2
        mean_plus_half = (strength[:, None] + strength) / 2 + half
        untied = mean_plus_half + np.log1p(np.exp(-2 * half))
        free = mean_plus_half + np.log1p(np.exp(-2 * half) + nu_at(log_tie) * np.exp(-half))
        total = (forced * untied + offered * free).sum() / 2
        return float((strength * won).sum() + (log_tie * tied if has_ties else 0) - total)

    current = log_likelihood_at(strength, log_tie)
    for _ in range(MOST_STEPS):
        win, tie = outcome_probabilities(strength[:, None] - strength, nu_at(log_tie))
        share, untied = win + tie / 2, special.expit(strength[:, None] - strength)
        curvature = forced * untied * (1 - untied) + offered * (win + tie / 4 - share**2)
        score, information = np.zeros(s + 1), np.zeros((s + 1, s + 1))
        score[:s] = np.where(component, won - (forced * untied + offered * share).sum(axis=1), 0)
        information[:s, :s] = 1 / s - curvature
        information[diagonal, diagonal] = (
            1 / s + curvature.sum(axis=1) - curvature[diagonal, diagonal] + ~component
        )
        information[s, s] = 1
        if has_ties:
            score[s] = tied - (offered * tie).sum() / 2
            information[:s, s] = information[s, :s] = (offered * tie * (0.5 - share)).sum(axis=1)
            information[s, s] = (offered * tie * (1 - tie)).sum() / 2
        step = np.linalg.solve(information, score)
        step /= max(np.abs(step).max() / 3, 1)
        for _ in range(30):
            candidate = log_likelihood_at(strength + step[:s], log_tie + step[s])
            if candidate >= current - 1e-12 * abs(current):
                break
            step /= 2
        strength, log_tie, current = strength + step[:s], log_tie + float(step[s]), candidate
        if np.abs(step).max() < SMALLEST_STEP:
            break
    return strength - strength[component].mean(), float(nu_at(log_tie))


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
    fitted: TableFit, systems: NDArray[Any], counts: tuple[Floats, Floats]
) -> tuple[Codes, tuple[str, ...]]:
    """Return each system's position relative to the scale and why it is not on it."""
    s = len(systems)
    wins, ties = counts
    component, reachable = fitted.component, fitted.reachable
    if not component.any():
        reason = (
            "systems win in one direction only, so nothing bounds the distance between them"
            if fitted.is_bounded
            else "whoever is ahead was at most tied with, never beaten, so nothing bounds the distance"
        )
        return np.full(s, APART), (reason,) * s
    leads_down, leads_up = reachable[:, component].any(axis=1), reachable[component].any(axis=0)
    position = np.select(
        [component, leads_down & ~leads_up, leads_up & ~leads_down], [ON, ABOVE, BELOW], APART
    ).astype(np.int64)
    connected = _reachable((wins + wins.T + ties) > 0)
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
