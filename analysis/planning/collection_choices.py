"""Selection of further choices of a study in progress: pairs of systems to compare, and items to label again."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from analysis.planning.collection import Strategy
from analysis.systems.bradley_terry import outcome_probabilities, pseudo_inverse
from analysis.values.estimate import Codes, Floats, InputError

MOST_VOTES_AHEAD = 12
"""Maximum of further votes on an item that are simulated."""
LEAST_ICC = 1e-4
"""Smallest correlation of votes, used for 0."""
NUMBERS_PER_BLOCK = 5_000_000
"""Numbers of simulated votes held in memory."""


def comparison_weights(strengths: Floats, tie: float = 0.0, offered: float = 1.0) -> Floats:
    """Return the Fisher information (S, S) of one comparison of each pair about its difference of strengths.

    Parameters
    ----------
    strengths : (S,) or (…, S) log-strengths
    tie : Davidson's nu, 0 without ties
    offered : share of the comparisons that offer a tie

    Notes
    -----
    p (1 - p) without ties. Source: Bradley and Terry 1952; Davidson 1970.
    """
    d = strengths[..., :, None] - strengths[..., None, :]
    untied = special.expit(d) * special.expit(-d)
    if not tie > 0:
        return np.asarray(untied)
    win, tied = outcome_probabilities(d, np.array(tie))
    share = win + tied / 2
    return np.asarray(offered * (win + tied / 4 - share**2) + (1 - offered) * untied)


def all_pairs(systems: int) -> Floats:
    """Return a goal for all differences of these systems (S, S)."""
    return np.ones((systems, systems)) - np.eye(systems)


def _mean_contrast(pairs: Floats) -> Floats:
    """Return the matrix whose product with a covariance has as trace the mean variance of these differences."""
    return np.asarray((np.diag(pairs.sum(axis=1)) - pairs) / (pairs.sum() / 2))


def strength_covariance(weight: Floats, counts: Floats) -> Floats:
    """Return the covariance of strengths (S, S), up to a constant, from counts (S, S) of comparisons.

    Raises
    ------
    InputError
        where the counts do not connect all systems.
    """
    information = -weight * counts
    np.fill_diagonal(information, 0.0)
    np.fill_diagonal(information, -information.sum(axis=1))
    if np.linalg.matrix_rank(information, hermitian=True) < len(weight) - 1:
        raise InputError("`counts` do not connect all systems, so that they have no common scale")
    return pseudo_inverse(information)


def pair_variance(weight: Floats, counts: Floats, pairs: Floats) -> float:
    """Return the mean variance of the differences selected by `pairs` (S, S), from counts (S, S) of comparisons.

    Raises
    ------
    InputError
        where the counts do not connect all systems.
    """
    return float((_mean_contrast(pairs) * strength_covariance(weight, counts)).sum())


_RIDGE = 1e-12
"""Ridge added to the information about each strength."""


def pair_variances(weights: Floats, counts: Floats, pairs: Floats) -> Floats:
    """Return `pair_variance` (draws,) for each of these weights (draws, S, S), with counts that connect all systems.

    For weights near 0, the variance is large and the same for all counts.
    """
    systems = weights.shape[-1]
    information = -weights * counts
    diagonal = np.arange(systems)
    information[:, diagonal, diagonal] = 0.0
    information[:, diagonal, diagonal] = -information.sum(axis=-1)
    covariance = np.linalg.inv(information + 1 / systems + _RIDGE * np.eye(systems)) - 1 / systems
    return np.asarray((_mean_contrast(pairs) * covariance).sum(axis=(1, 2)))


def difference_variances(covariance: Floats) -> Floats:
    """Return the variance of each difference of systems (S, S)."""
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own - 2 * covariance)


def collect_pairs(
    weight: Floats, counts: Floats, pairs: Floats, n: int, strategy: Strategy = "targeted", seed: int = 0
) -> tuple[Codes, Codes]:
    """Choose the pairs of the next n comparisons one by one.

    Parameters
    ----------
    weight : (S, S) information of one comparison, as `comparison_weights` gives it
    counts : (S, S) comparisons so far, symmetric
    pairs : (S, S) symmetric, 1 for differences of interest
    n : further comparisons
    strategy : "as before" in proportion, "evenly" the pair with the fewest first, "targeted" the pair that reduces the
        mean variance most
    seed : for breaking ties

    Returns
    -------
    tuple
        (n,) codes of the first and the second system

    Raises
    ------
    InputError
        where the counts do not connect all systems.

    Notes
    -----
    One more comparison changes the covariance S to S - w (S c)(S c)' / (1 + w c' S c), c = e_i - e_j.
    Source: optimal design, as in Mikhailiuk et al. 2020; methods: section 11.
    """
    systems = len(weight)
    first, second = np.triu_indices(systems, 1)
    ties = np.random.default_rng(seed).random(len(first))
    current, added = counts[first, second].astype(np.float64), np.zeros(len(first))
    chosen = np.zeros(n, dtype=np.int64)
    if strategy == "targeted":
        covariance, mean_of, w = (
            strength_covariance(weight, counts),
            _mean_contrast(pairs),
            weight[first, second],
        )
        for step in range(n):
            diagonal = np.diag(covariance)
            pair_variance_now = diagonal[first] + diagonal[second] - 2 * covariance[first, second]
            squared_covariance = covariance @ mean_of @ covariance
            diagonal = np.diag(squared_covariance)
            gain = diagonal[first] + diagonal[second] - 2 * squared_covariance[first, second]
            best = int((w * gain / (1 + w * pair_variance_now) * (1 + 1e-9 * ties)).argmax())
            pair_covariance = covariance[:, first[best]] - covariance[:, second[best]]
            covariance = covariance - w[best] * np.outer(pair_covariance, pair_covariance) / (
                1 + w[best] * pair_variance_now[best]
            )
            chosen[step] = best
    else:
        for step in range(n):
            deficit = (
                -current - added if strategy == "evenly" else current * (step + 1) / current.sum() - added
            )
            chosen[step] = int((deficit + 1e-6 * ties).argmax())
            added[chosen[step]] += 1
    return first[chosen], second[chosen]


@dataclass(frozen=True, eq=False)
class LabelGains:
    """Probability that the majority label of an item is right after further votes.

    `expected` (I, m + 1) for 0 to m votes; `drawn` (draws, I, m + 1) is that of simulated votes, and `hits` (draws,
    I, m + 1) is 1 where their majority label is right, a part of it in a tie. Items are chosen by `guide` (I, m + 1)
    from other draws, so that the choice does not bias its evaluation.
    """

    guide: Floats
    expected: Floats
    drawn: Floats
    hits: Floats

    def collect(self, n: int, counts: Floats, strategy: Strategy = "targeted", seed: int = 0) -> Codes:
        """Choose the items (n,) of the next n votes, fewer where all items have the maximum.

        Parameters
        ----------
        n : further votes
        counts : (I,) votes so far
        strategy : "as before" in proportion, "evenly" the fewest first, "targeted" the items with the largest gain per
            vote; an item that needs several votes gets them together
        seed : for breaking ties
        """
        items, max_votes = self.expected.shape[0], self.expected.shape[1] - 1
        ties = np.random.default_rng(seed).random(items)
        added, chosen = np.zeros(items, dtype=np.int64), list[int]()
        if strategy == "targeted":
            gain, steps = self._largest_gains(np.arange(items), added)
            while len(chosen) < n and np.isfinite(gain).any():
                item = int((gain * (1 + 1e-9 * ties)).argmax())
                step = min(int(steps[item]), n - len(chosen))
                chosen += [item] * step
                added[item] += step
                gain[[item]], steps[[item]] = self._largest_gains(np.array([item]), added)
            return np.array(chosen, dtype=np.int64)
        while len(chosen) < n and (added < max_votes).any():
            deficit = (
                -counts - added if strategy == "evenly" else counts * (len(chosen) + 1) / counts.sum() - added
            )
            item = int(np.where(added < max_votes, deficit + 1e-6 * ties, -np.inf).argmax())
            chosen.append(item)
            added[item] += 1
        return np.array(chosen, dtype=np.int64)

    def _largest_gains(self, items: Codes, added: Codes) -> tuple[Floats, Codes]:
        """Return the largest gain per vote of each of these items, and the number of votes that attains it."""
        max_votes = self.guide.shape[1] - 1
        steps = np.arange(1, max_votes + 1)
        current = added[items]
        ahead = current[:, None] + steps
        accuracy_ahead = self.guide[items[:, None], np.minimum(ahead, max_votes)]
        gain = np.where(
            ahead <= max_votes, (accuracy_ahead - self.guide[items, current][:, None]) / steps, -np.inf
        )
        return gain.max(axis=1), steps[gain.argmax(axis=1)]

    def remaining_errors(self, chosen: Codes, is_checked: bool = False) -> tuple[float, Floats]:
        """Return the expected share of the current errors that remain after these votes, and that of each draw
        (draws,).

        Errors of a draw are error probabilities, or wrong labels with `is_checked`.
        """
        items = np.arange(len(self.expected))
        added = np.bincount(chosen, minlength=len(items))
        expected_share = float(
            (1 - self.expected[items, added]).sum() / max((1 - self.expected[:, 0]).sum(), 1e-12)
        )
        probability = self.hits if is_checked else self.drawn
        before, after = (1 - probability[:, :, 0]).sum(axis=1), (1 - probability[:, items, added]).sum(axis=1)
        return expected_share, np.where(before > 0, after / np.where(before > 0, before, 1.0), expected_share)


def label_gains(
    votes: Codes, accuracy: float, icc: float = 0.0, draws: int = 400, seed: int = 0, error: float = 0.0
) -> LabelGains:
    """Simulate further votes on items and the accuracy of their majority labels.

    Parameters
    ----------
    votes : (I, k) votes of each item for each label
    accuracy : of one vote
    icc : correlation of right and wrong between two votes on an item, as in `accuracy_of_votes`
    draws : maximum of simulated courses of each item
    seed : of the draws
    error : standard error of `accuracy`, which is sampled in each course

    Returns
    -------
    LabelGains

    Raises
    ------
    InputError
        where votes are no better than chance, or an argument lies outside its range.

    Notes
    -----
    The probability of a right vote has a beta distribution over items; wrong options are equally likely. A course
    samples the label and this probability from their posterior given the votes so far, then further votes. Not for
    raters who differ so much in ability that weights decide.
    Source: Skellam 1948 (the beta-binomial distribution); Snow et al. 2008, section 4.
    """
    items, k = votes.shape
    if not 1 / k < accuracy <= 1 or not 0 <= icc < 1:
        raise InputError(
            f"`accuracy` must be above {1 / k:.2g} and `icc` from 0 to below 1, got {accuracy}, {icc}"
        )
    size = 1 / max(icc, LEAST_ICC) - 1
    courses = int(np.clip(NUMBERS_PER_BLOCK / (items * k * MOST_VOTES_AHEAD), 10, draws))
    rng = np.random.default_rng(seed)
    accuracy_samples = np.clip(
        accuracy + error * rng.standard_normal((courses, 1, 1)), 1 / k + 1e-3, 1 - 1e-6
    )
    right, wrong = accuracy_samples * size, (1 - accuracy_samples) * size
    counts = np.broadcast_to(votes.astype(np.float64), (courses, items, k)).copy()

    def label_probabilities() -> Floats:
        others = counts.sum(axis=-1, keepdims=True) - counts
        log = special.betaln(right + counts, wrong + others) - others * np.log(max(k - 1, 1))
        likelihood = np.exp(log - log.max(axis=-1, keepdims=True))
        return np.asarray(likelihood / likelihood.sum(axis=-1, keepdims=True))

    true = _draw_codes(label_probabilities(), rng)
    true_votes = np.take_along_axis(counts, true[..., None], axis=-1)[..., 0]
    ability = rng.beta(right[..., 0] + true_votes, wrong[..., 0] + counts.sum(axis=-1) - true_votes)
    probability_right, hits = (np.empty((courses, items, MOST_VOTES_AHEAD + 1)) for _ in range(2))
    for added in range(MOST_VOTES_AHEAD + 1):
        if added:
            other = (true + rng.integers(1, max(k, 2), size=true.shape)) % k
            new_vote = np.where(rng.random(true.shape) < ability, true, other)
            np.put_along_axis(
                counts, new_vote[..., None], np.take_along_axis(counts, new_vote[..., None], -1) + 1, axis=-1
            )
        is_leading = counts == counts.max(axis=-1, keepdims=True)
        probability_right[..., added] = (label_probabilities() * is_leading).sum(axis=-1) / is_leading.sum(
            axis=-1
        )
        hits[..., added] = np.take_along_axis(is_leading, true[..., None], -1)[..., 0] / is_leading.sum(
            axis=-1
        )
    half_of_courses = courses // 2
    guide = np.maximum.accumulate(probability_right[:half_of_courses].mean(axis=0), axis=1)
    return LabelGains(
        guide,
        probability_right[half_of_courses:].mean(axis=0),
        probability_right[half_of_courses:],
        hits[half_of_courses:],
    )


def _draw_codes(probability: Floats, rng: np.random.Generator) -> Codes:
    """Return a code (…,) sampled with probabilities (…, k)."""
    cumulative = np.cumsum(probability, axis=-1)
    threshold = rng.random((*cumulative.shape[:-1], 1)) * cumulative[..., -1:]
    return np.asarray((cumulative <= threshold).sum(axis=-1).clip(0, probability.shape[-1] - 1))
