"""Planned votes: power and precision of a preference, and accuracy of majority labels."""

from collections.abc import Mapping
from functools import cache
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.agreement.reliability import one_way
from analysis.planning.difference import Power
from analysis.planning.workloads import check_at_least, check_positive, check_shares, t_test_power
from analysis.resampling.influence import add_variances, item_variance, rater_variance
from analysis.resampling.intervals import t_quantile, wilson_interval_from_variance
from analysis.systems.bradley_terry import pseudo_inverse
from analysis.values.estimate import Estimate, InputError
from analysis.values.ratings import Ratings


def quality_by_known_answers(
    item: ArrayLike, rater: ArrayLike, right: ArrayLike, level: float = 0.95
) -> Estimate:
    """Estimate the share of votes that are not guesses, from votes between two sides with a known answer.

    Parameters
    ----------
    item, rater : (N,) codes from 0
    right : (N,) True if the vote is for the known side
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
    A guess is right half of the time. Not where careful raters may disagree with the known answer: their votes would
    count as guesses.
    Source: methods, section 4 (a worker's share of equal answers); Cameron, Gelbach and Miller 2011 (two ways of
    clustering); Dean and Pagano 2015 (the interval).

    >>> round(quality_by_known_answers([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]).value, 2)
    0.5
    """
    items, raters = (np.asarray(one, dtype=np.int64) for one in (item, rater))
    is_right = np.asarray(right, dtype=np.float64)
    if not len(items) == len(raters) == len(is_right):
        raise InputError(
            f"`item`, `rater` and `right` must be equally long, got {len(items)}, {len(raters)} and {len(is_right)}"
        )
    item_count = len(np.unique(items))
    if item_count < 2:
        return Estimate(nan, n=len(is_right), reason="fewer than 2 items have a known answer")
    value = float(is_right.mean())
    influence = (is_right - value) / len(is_right)
    by_items = item_variance(
        float((np.bincount(items, influence) ** 2).sum()) * item_count / (item_count - 1), item_count
    )
    variance = add_variances(by_items, rater_variance(influence, raters, int(raters.max()) + 1))
    low, high = wilson_interval_from_variance(
        value, variance.variance, len(is_right), level, variance.degrees
    )
    quality, lower, upper = (max(2 * float(end) - 1, 0.0) for end in (value, low, high))
    return Estimate(quality, lower, upper, len(is_right))


def least_quality_by_agreement(chosen: ArrayLike, votes: ArrayLike) -> float:
    """Estimate the lower bound of the share of votes that are not guesses from the agreement on items.

    Parameters
    ----------
    chosen, votes : (items,) votes for one side, and all votes, of each item

    Returns
    -------
    float
        NaN where no item has 2 votes

    Notes
    -----
    Two votes on an item agree with probability (1 + q² m) / 2, where q is the share of votes that are not guesses and
    m, at most 1, the agreement of careful raters. Votes identify q² m only, and so the lower bound of q.
    Source: Fleiss 1971, "Measuring nominal scale agreement among many raters" (the share of pairs that agree).

    >>> least_quality_by_agreement([2, 0, 1, 1], [2, 2, 2, 2]), least_quality_by_agreement([4, 0], [4, 4])
    (0.0, 1.0)
    """
    k, n = (np.asarray(one, dtype=np.float64) for one in (chosen, votes))
    pairs = (n * (n - 1)).sum()
    if not pairs:
        return nan
    agreement = (k * (k - 1) + (n - k) * (n - k - 1)).sum() / pairs
    return sqrt(max(2 * float(agreement) - 1, 0.0))


def pair_reductions(
    strengths: ArrayLike, counts: ArrayLike | Mapping[tuple[int, int], int]
) -> dict[tuple[int, int], float]:
    """Return the reduction of the average variance of all differences by one more comparison of each pair.

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
    count_matrix = _symmetric_counts(counts, systems)
    difference = strength[:, None] - strength[None, :]
    weight = 1 / (2 + np.exp(difference) + np.exp(-difference))
    information = -count_matrix * weight
    np.fill_diagonal(information, -information.sum(axis=1))
    if np.linalg.matrix_rank(information, hermitian=True) < systems - 1:
        raise InputError("`counts` do not connect all systems, so that they have no common scale")
    covariance = pseudo_inverse(information)
    first, second = np.triu_indices(systems, 1)
    pair_covariance = (
        covariance[first] - covariance[second]
    )  # (pairs, systems): covariance of each difference with the systems
    contrast = pair_covariance[:, first] - pair_covariance[:, second]  # (pairs, pairs) of the differences
    w = weight[first, second]
    reduction = w * (contrast**2).mean(axis=1) / (1 + w * np.diagonal(contrast))
    return {(int(i), int(j)): float(each) for i, j, each in zip(first, second, reduction, strict=True)}


def _symmetric_counts(counts: ArrayLike | Mapping[tuple[int, int], int], systems: int) -> NDArray[np.float64]:
    """Return the comparisons of each pair as a symmetric matrix with diagonal 0."""
    if isinstance(counts, Mapping):
        matrix = np.zeros((systems, systems))
        for (i, j), count in counts.items():
            if not (0 <= i < systems and 0 <= j < systems and i != j):
                raise InputError(f"`counts` has the pair {(i, j)}, but there are {systems} systems")
            matrix[i, j] += count
            matrix[j, i] += count
    else:
        matrix = np.array(counts, dtype=np.float64)
        if matrix.shape != (systems, systems) or not np.array_equal(matrix, matrix.T):
            raise InputError(f"`counts` must be symmetric, ({systems}, {systems}), got {matrix.shape}")
        np.fill_diagonal(matrix, 0.0)
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InputError("`counts` must be 0 or more")
    return matrix


def preference_power(
    share: float,
    items: float,
    votes_per_item: float,
    item_sd: float = 0.0,
    quality: float = 1.0,
    alpha: float = 0.05,
    comparisons: int = 1,
) -> Power:
    """Return the power of a test of a preference against one half.

    Parameters
    ----------
    share : share of all judgments that prefer one system, such as 0.6
    items, votes_per_item : number of items, and of votes on each
    item_sd : standard deviation of the items' own shares
    quality : share of the votes that are judgments; the others are guesses, which bias the share towards one half
    alpha, comparisons : significance level and number of pairs (Bonferroni)

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
    For these workers: votes of one item are independent, items are sampled. Two-sided t over the items' shares.
    Source: Cochran 1977, section 10.3 (two-stage sampling); Student 1908.

    >>> round(preference_power(0.6, 100, 2).power, 2), round(preference_power(0.6, 100, 2, quality=0.5).power, 2)
    (0.82, 0.29)
    """
    if not 0 <= quality <= 1:
        raise InputError(f"`quality` must be from 0 to 1, got {quality}")
    check_at_least("items", items, 1)
    check_shares(alpha=alpha)
    check_at_least("comparisons", comparisons, 1)
    vote_share = 0.5 + quality * (share - 0.5)
    error = sqrt(share_variance(vote_share, items, votes_per_item, quality * item_sd))
    t = (vote_share - 0.5) / error
    return Power(float(t_test_power(t, items - 1, alpha / comparisons)), t, items - 1)


def preference_half_width(
    share: float, items: float, votes_per_item: float, item_sd: float = 0.0, level: float = 0.95
) -> float:
    """Return the half-width of the interval of the share of votes that prefer one system.

    Parameters
    ----------
    share : expected share of the votes
    items, votes_per_item : number of items, and of votes on each
    item_sd : standard deviation of the items' own shares
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
    For these workers: votes of one item are independent, items are sampled.
    Source: Cochran 1977, section 10.3 (two-stage sampling); Student 1908.

    >>> round(preference_half_width(0.5, 100, 10), 4)
    0.0314
    """
    check_at_least("items", items, 1)
    check_shares(level=level)
    df = items - 1
    quantile = float(t_quantile(df, level)) if df > 0 else nan
    return quantile * sqrt(share_variance(share, items, votes_per_item, item_sd))


def share_variance(share: float, items: float, votes_per_item: float, item_sd: float) -> float:
    """Return the variance of a share of votes: between items, and of votes within them."""
    check_shares(share=share)
    check_at_least("item_sd", item_sd, 0)
    check_positive("votes_per_item", votes_per_item)
    within = share * (1 - share) - item_sd**2
    if within < 0:
        raise InputError(
            f"`item_sd` must be at most {sqrt(share * (1 - share)):.3g} for a share of {share}, got {item_sd}"
        )
    return (item_sd**2 + within / votes_per_item) / items


def accuracy_of_votes(accuracy: float, votes: int, options: int = 2, icc: float = 0.0) -> float:
    """Return the share of items with a right majority of votes, ties broken at random.

    Parameters
    ----------
    accuracy : of one vote; wrong options are equally likely
    votes : number of votes on an item
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
    The probability of a right vote has a beta distribution over items with this mean and correlation; votes on an item
    are independent. Not where one wrong option attracts the votes.
    Source: Condorcet 1785; Snow et al. 2008, section 4; Skellam 1948 (the beta-binomial distribution).

    >>> round(accuracy_of_votes(0.7, 3), 3), round(accuracy_of_votes(0.7, 2), 3)
    (0.784, 0.7)
    """
    _check_vote_model(accuracy, options, icc)
    check_at_least("votes", votes, 1)
    right = np.arange(votes + 1)
    if icc == 0 or accuracy in {0, 1}:
        log_probability = special.xlogy(right, accuracy) + special.xlog1py(votes - right, -accuracy)
    else:
        a, b = _beta_parameters(accuracy, icc)
        log_probability = special.betaln(right + a, votes - right + b) - special.betaln(a, b)
    log_combinations = (
        special.gammaln(votes + 1) - special.gammaln(right + 1) - special.gammaln(votes - right + 1)
    )
    return float(np.exp(log_probability + log_combinations) @ _majority_win_probabilities(votes, options))


def accuracy_limit(accuracy: float, options: int = 2, icc: float = 0.0) -> float:
    """Return the limit of `accuracy_of_votes` for infinitely many votes: the share of items whose right option
    leads.

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
    _check_vote_model(accuracy, options, icc)
    if accuracy in {0, 1}:
        return float(accuracy)
    if icc == 0:
        return 1 / options if accuracy == 1 / options else float(accuracy > 1 / options)
    return float(special.betaincc(*_beta_parameters(accuracy, icc), 1 / options))


def accuracy_of_subsamples(item: ArrayLike, choice: ArrayLike, answer: ArrayLike) -> NDArray[np.float64]:
    """Return the share of items with a right majority among 1, 2, … of their votes, ties broken at random.

    Parameters
    ----------
    item, choice : (N,) whole numbers from 0: the item of each vote, and its option
    answer : (N,) the right option of the item

    Returns
    -------
    array
        (m,) for 1 to m votes, m the median number of an item's votes; n votes over the items with n or more

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    All subsets of n of an item's votes are equally likely. Unlike in `accuracy_of_votes`, wrong votes keep their actual
    distribution over options. Source: sampling without replacement (multivariate hypergeometric).

    >>> accuracy_of_subsamples([0, 0, 0, 1, 1, 1], [1, 1, 0, 0, 1, 0], [1, 1, 1, 1, 1, 1]).round(3).tolist()
    [0.5, 0.5, 0.5]
    """
    items, choices, right = (np.asarray(one, dtype=np.int64) for one in (item, choice, answer))
    if not len(items) == len(choices) == len(right):
        raise InputError(
            f"`item`, `choice` and `answer` must be equally long, got {len(items)}, {len(choices)} and {len(right)}"
        )
    if not len(items):
        return np.zeros(0)
    _, item_code = np.unique(items, return_inverse=True)
    counts = np.zeros((item_code.max() + 1, max(choices.max(), right.max()) + 1), dtype=np.int64)
    np.add.at(counts, (item_code, choices), 1)
    answers = np.zeros(len(counts), dtype=np.int64)
    answers[item_code] = right
    right_votes = counts[np.arange(len(counts)), answers]
    counts[np.arange(len(counts)), answers] = 0
    patterns, pattern_counts = np.unique(
        np.column_stack([right_votes, np.sort(counts, axis=1)]), axis=0, return_counts=True
    )
    votes = patterns.sum(axis=1)
    median_votes = int(np.median(counts.sum(axis=1) + right_votes))
    wins, item_counts = np.zeros(median_votes), np.zeros(median_votes)
    for pattern, total, pattern_count in zip(
        patterns.tolist(), votes.tolist(), pattern_counts.tolist(), strict=True
    ):
        usable = min(median_votes, total)
        wins[:usable] += (
            pattern_count
            * _subsample_win_probabilities(pattern[0], tuple(filter(None, pattern[1:])))[:usable]
        )
        item_counts[:usable] += pattern_count
    return np.asarray(wins / item_counts)


@cache
def _subsample_win_probabilities(right: int, wrong: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the probability (n,) that the right option wins among 1 to n of an item's votes, given the votes for
    each option."""
    n = right + sum(wrong)
    wins = np.zeros(n + 1)
    for right_votes in range(1, right + 1):
        combinations = np.zeros(
            (len(wrong) + 1, n + 1)
        )  # by number of tied options and number of votes drawn
        combinations[0, 0] = 1.0
        for votes in wrong:
            choices = special.comb(votes, np.arange(min(right_votes, votes + 1)))
            tied = np.roll(combinations, 1, axis=0)
            combinations = np.array([np.convolve(row, choices)[: n + 1] for row in combinations])
            if votes >= right_votes:
                combinations[:, right_votes:] += tied[:, : n + 1 - right_votes] * special.comb(
                    votes, right_votes
                )
        split_wins = (combinations / np.arange(1, len(combinations) + 1)[:, None]).sum(axis=0)
        wins[right_votes:] += special.comb(right, right_votes) * split_wins[: n + 1 - right_votes]
    return np.asarray(wins[1:] / special.comb(n, np.arange(1, n + 1)))


def icc_of_right_votes(item: ArrayLike, right: ArrayLike) -> float:
    """Return the intraclass correlation over items of votes being right or wrong.

    Parameters
    ----------
    item : (N,) ids
    right : (N,) True if the vote is right

    Returns
    -------
    float
        the one-way intraclass correlation, at least 0; NaN where no item has two votes, or all votes are equal

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
    is_right = np.asarray(right, dtype=np.float64)
    icc = one_way(Ratings(item, np.arange(len(is_right)), is_right)).icc
    return max(icc, 0.0) if icc == icc else nan


def _check_vote_model(accuracy: float, options: int, icc: float) -> None:
    if not 0 <= accuracy <= 1:
        raise InputError(f"`accuracy` must be from 0 to 1, got {accuracy}")
    if not 0 <= icc < 1:
        raise InputError(f"`icc` must be from 0 to below 1, got {icc}")
    check_at_least("options", options, 2)


def _beta_parameters(accuracy: float, icc: float) -> tuple[float, float]:
    """Return the parameters of the beta distribution of the items' probabilities of a right vote."""
    return accuracy * (1 / icc - 1), (1 - accuracy) * (1 / icc - 1)


@cache
def _majority_win_probabilities(votes: int, options: int) -> NDArray[np.float64]:
    """Return the probability (votes + 1,) that this many right votes win, with wrong options equally likely.

    Votes for wrong options are Poisson counts conditional on their sum, so that their distributions are convolved.
    """
    order = np.arange(votes + 1)
    wins = np.zeros(votes + 1)
    for right in range(votes + 1):
        wrong = votes - right
        wrong_probability = _poisson_probabilities(order, wrong / (options - 1))
        below_probability = np.where(order < right, wrong_probability, 0.0)
        for tied in range(options):
            tied_votes = tied * right
            if tied_votes > wrong or (tied and not right):
                break
            below_sums = np.zeros(votes + 1)
            below_sums[0] = 1.0
            for _ in range(options - 1 - tied):
                below_sums = np.convolve(below_sums, below_probability)[: votes + 1]
            probability = special.comb(options - 1, tied) * wrong_probability[right] ** tied
            wins[right] += (
                probability
                * below_sums[wrong - tied_votes]
                / (1 + tied)
                / _poisson_probabilities(order, wrong)[wrong]
            )
    return wins


def _poisson_probabilities(count: NDArray[np.int64], mean: float) -> NDArray[np.float64]:
    """Return the Poisson probability of each count."""
    return np.asarray(np.exp(special.xlogy(count, mean) - mean - special.gammaln(count + 1)))


def votes_for_accuracy(
    accuracy: float, wanted: float, options: int = 2, most: int = 199, icc: float = 0.0, least: int = 1
) -> float:
    """Return the fewest votes per item with a majority of this accuracy; infinite where `most` are too few.

    Parameters
    ----------
    accuracy : of one vote
    wanted : accuracy of the majority
    options : 2 or more
    most : largest number of votes
    icc : as in `accuracy_of_votes`
    least : smallest number of votes

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
    check_shares(wanted=wanted)
    check_at_least("most", most, 1)
    check_at_least("least", least, 1)
    if (
        accuracy_limit(accuracy, options, icc) < wanted
        and accuracy_of_votes(accuracy, 1, options, icc) < wanted
    ):
        return inf
    return next(
        (n for n in range(least, most + 1) if accuracy_of_votes(accuracy, n, options, icc) >= wanted), inf
    )
