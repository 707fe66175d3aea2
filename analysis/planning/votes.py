"""Planned votes: power and precision of a preference, and accuracy of majority labels."""

from collections.abc import Mapping
from functools import cache
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.agreement.reliability import one_way
from analysis.planning.difference import Power
from analysis.planning.workloads import at_least, positive, power_of_t, shares
from analysis.resampling.carried import add_variances, item_variance, rater_variance
from analysis.resampling.intervals import t_quantile, wilson_interval_from_variance
from analysis.systems.bradley_terry import inverse
from analysis.values.estimate import Estimate, InputError
from analysis.values.ratings import Ratings


def quality_by_known_answers(
    item: ArrayLike, rater: ArrayLike, right: ArrayLike, level: float = 0.95
) -> Estimate:
    """The share of votes that are no guesses, from votes between two sides whose right one is known.

    Parameters
    ----------
    item, rater : (N,) codes from 0
    right : (N,) whether the vote is for the known side
    level : of the interval

    Returns
    -------
    Estimate
        2 (share right) - 1, at least 0, with its interval over items and raters; NaN for fewer than 2 items

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    A guess is right half of the time. Not where those who look closely may disagree with the known answer: their votes
    would count as guesses.
    Source: methods, section 4 (a worker's share of equal answers); Cameron, Gelbach and Miller 2011 (two ways of
    clustering); Dean and Pagano 2015 (the interval).

    >>> round(quality_by_known_answers([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]).value, 2)
    0.5
    """
    items, raters = (np.asarray(one, dtype=np.int64) for one in (item, rater))
    hit = np.asarray(right, dtype=np.float64)
    if not len(items) == len(raters) == len(hit):
        raise InputError(
            f"`item`, `rater` and `right` must be equally long, got {len(items)}, {len(raters)} and {len(hit)}"
        )
    many = len(np.unique(items))
    if many < 2:
        return Estimate(nan, n=len(hit), reason="fewer than 2 items have a known answer")
    value = float(hit.mean())
    parts = (hit - value) / len(hit)
    by_item = item_variance(float((np.bincount(items, parts) ** 2).sum()) * many / (many - 1), many)
    chance = add_variances(by_item, rater_variance(parts, raters, int(raters.max()) + 1))
    low, high = wilson_interval_from_variance(value, chance.variance, len(hit), level, chance.degrees)
    told, least, most = (max(2 * float(end) - 1, 0.0) for end in (value, low, high))
    return Estimate(told, least, most, len(hit))


def least_quality_by_agreement(chosen: ArrayLike, votes: ArrayLike) -> float:
    """The least share of votes that are no guesses with which votes on the same item agree as often as these.

    Parameters
    ----------
    chosen, votes : (items,) votes for one side, and all votes, of each item

    Returns
    -------
    float
        NaN where no item has 2 votes

    Notes
    -----
    Two votes on an item agree in (1 + q² m) / 2 of the cases, where q of the votes are no guesses and m says how far
    those who look closely agree about the items, 1 at most. Votes alone tell q² m, and so the least q, but not q.
    Source: Fleiss 1971, "Measuring nominal scale agreement among many raters" (the share of pairs that agree).

    >>> least_quality_by_agreement([2, 0, 1, 1], [2, 2, 2, 2]), least_quality_by_agreement([4, 0], [4, 4])
    (0.0, 1.0)
    """
    k, n = (np.asarray(one, dtype=np.float64) for one in (chosen, votes))
    pairs = (n * (n - 1)).sum()
    if not pairs:
        return nan
    agree = (k * (k - 1) + (n - k) * (n - k - 1)).sum() / pairs
    return sqrt(max(2 * float(agree) - 1, 0.0))


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
    covariance = inverse(information)
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


def preference_power(
    share: float,
    items: float,
    votes_per_item: float,
    item_sd: float = 0.0,
    quality: float = 1.0,
    alpha: float = 0.05,
    comparisons: int = 1,
) -> Power:
    """The chance of telling a preference from a draw.

    Parameters
    ----------
    share : of all judgments that prefer one system, such as 0.6
    items, votes_per_item : in all, and of each
    item_sd : how far the items' own shares differ
    quality : share of the votes that are judgments; the rest are guesses, which pull the share towards one half
    alpha, comparisons : risk of a false preference, and over how many pairs (Bonferroni)

    Returns
    -------
    Power
        NaN for one item

    Raises
    ------
    InputError
        where an argument lies outside its range, or items differ more than shares can.

    Notes
    -----
    For these workers: votes of one item are independent, items are drawn. Two-sided t over the items' shares.
    Source: Cochran 1977, section 10.3 (two-stage sampling); Student 1908.

    >>> round(preference_power(0.6, 100, 2).power, 2), round(preference_power(0.6, 100, 2, quality=0.5).power, 2)
    (0.82, 0.29)
    """
    if not 0 <= quality <= 1:
        raise InputError(f"`quality` must be from 0 to 1, got {quality}")
    at_least("items", items, 1)
    shares(alpha=alpha)
    at_least("comparisons", comparisons, 1)
    told = 0.5 + quality * (share - 0.5)
    error = sqrt(share_variance(told, items, votes_per_item, quality * item_sd))
    t = (told - 0.5) / error
    return Power(float(power_of_t(t, items - 1, alpha / comparisons)), t, items - 1)


def preference_half_width(
    share: float, items: float, votes_per_item: float, item_sd: float = 0.0, level: float = 0.95
) -> float:
    """Half of the width of the interval of the share of votes that prefer one system.

    Parameters
    ----------
    share : of the votes that is expected
    items, votes_per_item : in all, and of each
    item_sd : how far the items' own shares differ
    level : of the interval

    Returns
    -------
    float
        NaN for one item

    Raises
    ------
    InputError
        where an argument lies outside its range, or items differ more than shares can.

    Notes
    -----
    For these workers: votes of one item are independent, items are drawn. Source: Cochran 1977, section 10.3 (two-stage
    sampling); Student 1908.

    >>> round(preference_half_width(0.5, 100, 10), 4)
    0.0314
    """
    at_least("items", items, 1)
    shares(level=level)
    df = items - 1
    half = float(t_quantile(df, level)) if df > 0 else nan
    return half * sqrt(share_variance(share, items, votes_per_item, item_sd))


def share_variance(share: float, items: float, votes_per_item: float, item_sd: float) -> float:
    """The variance of a share of votes: between items, and of votes within them."""
    shares(share=share)
    at_least("item_sd", item_sd, 0)
    positive("votes_per_item", votes_per_item)
    within = share * (1 - share) - item_sd**2
    if within < 0:
        raise InputError(
            f"`item_sd` must be at most {sqrt(share * (1 - share)):.3g} for a share of {share}, got {item_sd}"
        )
    return (item_sd**2 + within / votes_per_item) / items


def accuracy_of_votes(accuracy: float, votes: int, options: int = 2, icc: float = 0.0) -> float:
    """Return the share of items on which the majority of votes is right, ties drawn by lot.

    Parameters
    ----------
    accuracy : of one vote; the wrong options share the rest alike
    votes : of an item
    options : 2 or more
    icc : correlation of right and wrong between two votes on an item, from 0 (all items equally hard) to below 1

    Returns
    -------
    float
        between 0 and 1

    Raises
    ------
    InputError
        where an argument lies outside its range.

    Notes
    -----
    Items are right with chances from a beta distribution with this mean and correlation, votes on an item are
    independent. Not where one wrong option attracts the votes.
    Source: Condorcet 1785; Snow et al. 2008, section 4; Skellam 1948 (the beta-binomial distribution).

    >>> round(accuracy_of_votes(0.7, 3), 3), round(accuracy_of_votes(0.7, 2), 3)
    (0.784, 0.7)
    """
    _checked(accuracy, options, icc)
    at_least("votes", votes, 1)
    right = np.arange(votes + 1)
    if icc == 0 or accuracy in {0, 1}:
        chance = special.xlogy(right, accuracy) + special.xlog1py(votes - right, -accuracy)
    else:
        a, b = _beta(accuracy, icc)
        chance = special.betaln(right + a, votes - right + b) - special.betaln(a, b)
    ways = special.gammaln(votes + 1) - special.gammaln(right + 1) - special.gammaln(votes - right + 1)
    return float(np.exp(chance + ways) @ _wins(votes, options))


def accuracy_limit(accuracy: float, options: int = 2, icc: float = 0.0) -> float:
    """Return the limit of that share with endlessly many votes: the share of items whose right option leads.

    Parameters
    ----------
    accuracy, options, icc : as in `accuracy_of_votes`

    Returns
    -------
    float
        between 0 and 1

    Raises
    ------
    InputError
        where an argument lies outside its range.

    Notes
    -----
    Source: as `accuracy_of_votes`.

    >>> accuracy_limit(0.7), round(accuracy_limit(0.7, 2, 0.5), 3)
    (1.0, 0.728)
    """
    _checked(accuracy, options, icc)
    if accuracy in {0, 1}:
        return float(accuracy)
    if icc == 0:
        return 1 / options if accuracy == 1 / options else float(accuracy > 1 / options)
    return float(special.betaincc(*_beta(accuracy, icc), 1 / options))


def accuracy_of_own_votes(item: ArrayLike, choice: ArrayLike, answer: ArrayLike) -> NDArray[np.float64]:
    """Return the share of items on which the majority of 1, 2, … of their own votes is right, ties drawn by lot.

    Parameters
    ----------
    item, choice : (N,) whole numbers from 0: the item of each vote, and its option
    answer : (N,) the right option of the item

    Returns
    -------
    array
        (m,) for 1 to m votes, m the median number of an item's votes; n votes over the items that have as many

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Every choice of n of an item's votes counts alike. Unlike `accuracy_of_votes`, wrong votes gather on the options
    that attracted them. Source: sampling without replacement (multivariate hypergeometric).

    >>> accuracy_of_own_votes([0, 0, 0, 1, 1, 1], [1, 1, 0, 0, 1, 0], [1, 1, 1, 1, 1, 1]).round(3).tolist()
    [0.5, 0.5, 0.5]
    """
    items, given, right = (np.asarray(one, dtype=np.int64) for one in (item, choice, answer))
    if not len(items) == len(given) == len(right):
        raise InputError(
            f"`item`, `choice` and `answer` must be equally long, got {len(items)}, {len(given)} and {len(right)}"
        )
    if not len(items):
        return np.zeros(0)
    _, place = np.unique(items, return_inverse=True)
    counts = np.zeros((place.max() + 1, max(given.max(), right.max()) + 1), dtype=np.int64)
    np.add.at(counts, (place, given), 1)
    answers = np.zeros(len(counts), dtype=np.int64)
    answers[place] = right
    own = counts[np.arange(len(counts)), answers]
    counts[np.arange(len(counts)), answers] = 0
    patterns, times = np.unique(np.column_stack([own, np.sort(counts, axis=1)]), axis=0, return_counts=True)
    votes = patterns.sum(axis=1)
    most = int(np.median(counts.sum(axis=1) + own))
    wins, number = np.zeros(most), np.zeros(most)
    for pattern, total, many in zip(patterns.tolist(), votes.tolist(), times.tolist(), strict=True):
        here = min(most, total)
        wins[:here] += many * _drawn_wins(pattern[0], tuple(filter(None, pattern[1:])))[:here]
        number[:here] += many
    return np.asarray(wins / number)


@cache
def _drawn_wins(right: int, wrong: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the chance (n,) that the right option wins among 1 to n of an item's votes, from each option's votes."""
    n = right + sum(wrong)
    wins = np.zeros(n + 1)
    for drawn in range(1, right + 1):
        ways = np.zeros((len(wrong) + 1, n + 1))  # by options tied with the right one, by votes drawn
        ways[0, 0] = 1.0
        for votes in wrong:
            fewer = special.comb(votes, np.arange(min(drawn, votes + 1)))
            tied = np.roll(ways, 1, axis=0)
            ways = np.array([np.convolve(row, fewer)[: n + 1] for row in ways])
            if votes >= drawn:
                ways[:, drawn:] += tied[:, : n + 1 - drawn] * special.comb(votes, drawn)
        shared = (ways / np.arange(1, len(ways) + 1)[:, None]).sum(axis=0)
        wins[drawn:] += special.comb(right, drawn) * shared[: n + 1 - drawn]
    return np.asarray(wins[1:] / special.comb(n, np.arange(1, n + 1)))


def icc_of_right_votes(item: ArrayLike, right: ArrayLike) -> float:
    """Return the intraclass correlation over items of votes being right or wrong.

    Parameters
    ----------
    item : (N,) ids
    right : (N,) whether the vote is right

    Returns
    -------
    float
        the one-way intraclass correlation, at least 0; NaN where no item has two votes, or all votes are alike

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Source: Shrout and Fleiss 1979, ICC(1,1), of 0 and 1.

    >>> icc_of_right_votes([1, 1, 2, 2, 3, 3], [1, 1, 0, 0, 1, 1])
    1.0
    """
    hit = np.asarray(right, dtype=np.float64)
    found = one_way(Ratings(item, np.arange(len(hit)), hit)).icc
    return max(found, 0.0) if found == found else nan


def _checked(accuracy: float, options: int, icc: float) -> None:
    if not 0 <= accuracy <= 1:
        raise InputError(f"`accuracy` must be from 0 to 1, got {accuracy}")
    if not 0 <= icc < 1:
        raise InputError(f"`icc` must be from 0 to below 1, got {icc}")
    at_least("options", options, 2)


def _beta(accuracy: float, icc: float) -> tuple[float, float]:
    """Both parameters of the items' chances to be right."""
    return accuracy * (1 / icc - 1), (1 - accuracy) * (1 / icc - 1)


@cache
def _wins(votes: int, options: int) -> NDArray[np.float64]:
    """Return the chance (votes + 1,) that so many right votes win, the others spread over wrong options at random.

    Votes for wrong options are Poisson counts that happen to add up: their generating functions multiply.
    """
    order = np.arange(votes + 1)
    wins = np.zeros(votes + 1)
    for right in range(votes + 1):
        wrong = votes - right
        other = _poisson(order, wrong / (options - 1))
        lower = np.where(order < right, other, 0.0)
        for tied in range(options):
            used = tied * right
            if used > wrong or (tied and not right):
                break
            fewer = np.zeros(votes + 1)
            fewer[0] = 1.0
            for _ in range(options - 1 - tied):
                fewer = np.convolve(fewer, lower)[: votes + 1]
            ways = special.comb(options - 1, tied) * other[right] ** tied
            wins[right] += ways * fewer[wrong - used] / (1 + tied) / _poisson(order, wrong)[wrong]
    return wins


def _poisson(count: NDArray[np.int64], mean: float) -> NDArray[np.float64]:
    """The chance of each count."""
    return np.asarray(np.exp(special.xlogy(count, mean) - mean - special.gammaln(count + 1)))


def votes_for_accuracy(
    accuracy: float, wanted: float, options: int = 2, most: int = 199, icc: float = 0.0, least: int = 1
) -> float:
    """Return the fewest votes per item whose majority is right as often as wanted; infinite where `most` are too few.

    Parameters
    ----------
    accuracy : of one vote
    wanted : of the majority
    options : 2 or more
    most : votes to look at
    icc : as in `accuracy_of_votes`
    least : votes to begin with

    Returns
    -------
    float
        a whole number, or infinity

    Raises
    ------
    InputError
        where an argument lies outside its range.

    Notes
    -----
    Source: Condorcet 1785; see `accuracy_of_votes`.

    >>> votes_for_accuracy(0.7, 0.9), votes_for_accuracy(0.5, 0.9, most=9)
    (9, inf)
    """
    shares(wanted=wanted)
    at_least("most", most, 1)
    at_least("least", least, 1)
    if (
        accuracy_limit(accuracy, options, icc) < wanted
        and accuracy_of_votes(accuracy, 1, options, icc) < wanted
    ):
        return inf
    return next(
        (n for n in range(least, most + 1) if accuracy_of_votes(accuracy, n, options, icc) >= wanted), inf
    )
