"""Accuracy of a metric: how often it orders systems, or the systems' outputs for an item, as people do.

Scores are arrays (systems, items), NaN where a system has none for an item.
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.errors import InputError
from analysis.values.types import Floats

_BLOCK = 2_000_000
"""Numbers of a block of permuted differences."""


@dataclass(frozen=True)
class TieCalibrated:
    """Accuracy with metric differences of at most `epsilon` taken for ties, and without any such (`at_zero`).

    `pairs` counts the pairs of outputs for one item that both people and the metric score.
    """

    accuracy: float
    epsilon: float
    at_zero: float
    pairs: int


def pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> float:
    """Return the share of pairs of systems whose means a metric orders as people do.

    Parameters
    ----------
    human, metric : (systems, items) scores; a system's mean is over the items that both score

    Returns
    -------
    float
        from 0 to 1. Pairs with equal means by people are left out; equal means by the metric alone count as wrong. NaN
        where no pair is left.

    Raises
    ------
    InputError
        where the arrays differ in shape or hold infinite scores. Source: Kocmi et al. 2021; methods: section 12.
    """
    people, machine = _scores(human, metric)
    signs = [_signs_of_pairs(_row_means(scores)) for scores in (people, machine)]
    known = (signs[0] != 0) & ~np.isnan(signs[0]) & ~np.isnan(signs[1])
    return float((signs[0] == signs[1])[known].mean()) if known.any() else nan


def soft_pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, permutations: int = 1000, seed: int = 0
) -> float:
    """Return how alike people and a metric are in how sure they are of each pair of systems.

    Parameters
    ----------
    human, metric : (systems, items) scores; a pair is compared on the items for which both systems have both scores
    permutations : random swaps of both systems' scores of items, the same for all pairs, people and metric
    seed : of the swaps

    Returns
    -------
    float
        1 minus the mean over pairs of |p by people - p by the metric|, p the one-sided p value of the paired
        permutation test that the first system is better. NaN where no pair shares an item.

    Raises
    ------
    InputError
        where the arrays differ in shape or hold infinite scores, or `permutations` is below 1.
        Source: Thompson et al. 2024; methods: section 12.
    """
    if permutations < 1:
        raise InputError(f"`permutations` must be 1 or more, got {permutations}")
    people, machine = _scores(human, metric)
    swaps = np.random.default_rng(seed).choice([-1.0, 1.0], (permutations, people.shape[1]))
    known = ~np.isnan(people)
    total, pairs = 0.0, 0
    for first in range(len(people) - 1):
        both = known[first] & known[first + 1 :]
        shared = both.any(axis=1)
        p = [_one_sided_p(scores, first, both, swaps)[shared] for scores in (people, machine)]
        total += float(np.abs(p[0] - p[1]).sum())
        pairs += int(shared.sum())
    return 1 - total / pairs if pairs else nan


def tie_calibrated_accuracy(human: ArrayLike, metric: ArrayLike) -> TieCalibrated:
    """Return how often a metric orders two systems' outputs for an item as people do, ties included.

    Parameters
    ----------
    human, metric : (systems, items) scores

    Returns
    -------
    TieCalibrated
        the share of pairs that are concordant, or tied by both, with the epsilon up to which metric differences are
        ties; of several that are best, the smallest. NaN where no pair is scored by both.

    Raises
    ------
    InputError
        where the arrays differ in shape or hold infinite scores.

    Notes
    -----
    acc = (C + T_hm) / (C + D + T_h + T_m + T_hm) over all pairs within an item.
    Source: Deutsch, Foster and Freitag 2023; methods: section 12.
    """
    people, machine = _scores(human, metric)
    upper = np.triu_indices(len(people), 1)
    by_people, by_metric = (
        np.concatenate([scores[i] - scores[j] for i, j in zip(*upper, strict=True)] or [np.empty(0)])
        for scores in (people, machine)
    )
    known = ~np.isnan(by_people)
    by_people, by_metric = by_people[known], by_metric[known]
    if not by_people.size:
        return TieCalibrated(nan, nan, nan, 0)
    size = np.abs(by_metric)
    order = np.argsort(size, kind="stable")
    tied, alike = by_people == 0, by_people * by_metric > 0
    gain = np.cumsum(tied[order].astype(np.int64) - alike[order])
    last_of_size = np.append(np.flatnonzero(np.diff(size[order])), size.size - 1)
    epsilons = np.concatenate([[0.0], size[order][last_of_size]])
    right = np.concatenate(
        [[int((tied & (size == 0)).sum() + alike.sum())], alike.sum() + gain[last_of_size]]
    )
    best = int(right.argmax())
    return TieCalibrated(
        float(right[best] / size.size), float(epsilons[best]), float(right[0] / size.size), size.size
    )


def _scores(human: ArrayLike, metric: ArrayLike) -> tuple[Floats, Floats]:
    """Return both tables, each NaN where the other is."""
    people, machine = np.array(human, dtype=np.float64), np.array(metric, dtype=np.float64)
    if people.ndim != 2 or people.shape != machine.shape:
        raise InputError(
            f"`human` and `metric` must be tables (systems, items) of one shape, got {people.shape} and {machine.shape}"
        )
    if np.isinf(people).any() or np.isinf(machine).any():
        raise InputError("`human` and `metric` must not hold infinite scores; use NaN for a missing one")
    missing = np.isnan(people) | np.isnan(machine)
    people[missing] = machine[missing] = nan
    return people, machine


def _row_means(scores: Floats) -> Floats:
    known = ~np.isnan(scores)
    counts = known.sum(axis=1)
    sums = np.where(known, scores, 0.0).sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(len(scores), nan), where=counts > 0)
    return means


def _signs_of_pairs(means: Floats) -> Floats:
    """Return the sign of each pair's difference; differences of the order of rounding are ties."""
    first, second = np.triu_indices(len(means), 1)
    difference = means[first] - means[second]
    rounding = 1e-12 * np.maximum(np.abs(means[first]), np.abs(means[second]))
    signs: Floats = np.where(np.abs(difference) <= rounding, 0.0, np.sign(difference))
    return signs


def _one_sided_p(scores: Floats, first: int, both: NDArray[np.bool_], swaps: Floats) -> Floats:
    """Return the p values that a system is better than each later one, on the items that both have."""
    differences = np.where(both, scores[first] - scores[first + 1 :], 0.0)
    observed = differences.sum(axis=1)
    rounding = 1e-12 * np.abs(differences).sum(axis=1)
    reached = np.zeros(len(differences))
    step = max(1, _BLOCK // max(len(differences), 1))
    for start in range(0, len(swaps), step):
        permuted = differences @ swaps[start : start + step].T
        reached += (permuted >= (observed - rounding)[:, None]).sum(axis=1)
    p: Floats = reached / len(swaps)
    return p
