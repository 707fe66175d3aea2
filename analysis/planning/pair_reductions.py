"""What one more comparison of each pair of systems would add to one scale of all systems."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.errors import InputError


def pair_reductions(
    strengths: ArrayLike, counts: ArrayLike | Mapping[tuple[int, int], int]
) -> dict[tuple[int, int], float]:
    """Return by how much one more comparison of each pair reduces the average variance of all differences.

    Parameters
    ----------
    strengths : (S,) log-strengths of the systems on one scale (Bradley-Terry)
    counts : (S, S) comparisons of each pair so far, symmetric, or a mapping of pairs of places to them

    Returns
    -------
    dict
        for each pair (i, j) of places in `strengths`, i < j, the reduction of the mean over all pairs of the variance
        of the difference of both log-strengths.

    Raises
    ------
    InputError
        where there are fewer than two systems, a strength is not finite, counts are negative or not symmetric, or the
        comparisons do not connect all systems.

    Notes
    -----
    One comparison of i and j has the information w = p (1 - p) on the contrast c = e_i - e_j, and changes the
    covariance of the strengths to S - w (S c)(S c)' / (1 + w c' S c).
    Source: optimal design, as in Mikhailiuk et al. 2020; methods: section 11.
    """
    strength = np.asarray(strengths, dtype=np.float64)
    systems = strength.size
    if strength.ndim != 1 or systems < 2 or not np.isfinite(strength).all():
        raise InputError("`strengths` must hold a finite number for each of two systems or more")
    number = _as_matrix(counts, systems)
    difference = strength[:, None] - strength[None, :]
    weight = 1 / (2 + np.exp(difference) + np.exp(-difference))
    information = -number * weight
    np.fill_diagonal(information, -information.sum(axis=1))
    if np.linalg.matrix_rank(information, hermitian=True) < systems - 1:
        raise InputError("`counts` do not connect all systems, so that they have no common scale")
    covariance = np.linalg.pinv(information, hermitian=True)
    first, second = np.triu_indices(systems, 1)
    of_pairs = covariance[first] - covariance[second]  # (pairs, systems): covariance of each difference
    contrast = of_pairs[:, first] - of_pairs[:, second]  # (pairs, pairs) of the differences
    w = weight[first, second]
    reduction = w * (contrast**2).mean(axis=1) / (1 + w * np.diagonal(contrast))
    return {(int(i), int(j)): float(each) for i, j, each in zip(first, second, reduction, strict=True)}


def _as_matrix(counts: ArrayLike | Mapping[tuple[int, int], int], systems: int) -> NDArray[np.float64]:
    """Return the comparisons of each pair as a symmetric matrix without a diagonal."""
    if isinstance(counts, Mapping):
        number = np.zeros((systems, systems))
        for (i, j), each in counts.items():
            if not (0 <= i < systems and 0 <= j < systems and i != j):
                raise InputError(f"`counts` has the pair {(i, j)}, but there are {systems} systems")
            number[i, j] += each
            number[j, i] += each
    else:
        number = np.array(counts, dtype=np.float64)
        if number.shape != (systems, systems) or not np.array_equal(number, number.T):
            raise InputError(f"`counts` must be symmetric, ({systems}, {systems}), got {number.shape}")
        np.fill_diagonal(number, 0.0)
    if not np.isfinite(number).all() or (number < 0).any():
        raise InputError("`counts` must be 0 or more")
    return number
