"""Further choices of a study in progress: which pairs of systems to compare, and which items to label again."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from analysis.planning.collection import Strategy
from analysis.systems.bradley_terry import inverse, outcome_chances
from analysis.values.estimate import Codes, Floats, InputError

MOST_LOOKED = 12
"""Further votes on an item that are looked ahead at most."""
LEAST_ICC = 1e-4
"""Correlation of votes that stands for none."""
NUMBERS = 5_000_000
"""Numbers that simulated votes take in memory."""


def comparison_weights(strengths: Floats, tie: float = 0.0, offered: float = 1.0) -> Floats:
    """Return the information (S, S) of one comparison of each pair about the difference of their strengths.

    Parameters
    ----------
    strengths : (S,) log-strengths, or (…, S) several times
    tie : Davidson's nu, 0 without ties
    offered : share of the comparisons that offer a tie

    Notes
    -----
    p (1 - p) without ties. Source: Bradley and Terry 1952; Davidson 1970.
    """
    d = strengths[..., :, None] - strengths[..., None, :]
    plain = special.expit(d) * special.expit(-d)
    if not tie > 0:
        return np.asarray(plain)
    win, tied = outcome_chances(d, np.array(tie))
    share = win + tied / 2
    return np.asarray(offered * (win + tied / 4 - share**2) + (1 - offered) * plain)


def all_pairs(systems: int) -> Floats:
    """Return a goal on all differences of so many systems (S, S)."""
    return np.ones((systems, systems)) - np.eye(systems)


def _mean_of(pairs: Floats) -> Floats:
    """Return the matrix whose product with a covariance has the mean variance of these differences as its trace."""
    return np.asarray((np.diag(pairs.sum(axis=1)) - pairs) / (pairs.sum() / 2))


def covariance_of(weight: Floats, counts: Floats) -> Floats:
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
    return inverse(information)


def pair_variance(weight: Floats, counts: Floats, pairs: Floats) -> float:
    """Return the mean variance of the differences that `pairs` (S, S) marks, from counts (S, S) of comparisons.

    Raises
    ------
    InputError
        where the counts do not connect all systems.
    """
    return float((_mean_of(pairs) * covariance_of(weight, counts)).sum())


_LEAST = 1e-12
"""Information about each strength that is taken for certain."""


def pair_variances(weights: Floats, counts: Floats, pairs: Floats) -> Floats:
    """Return the same (draws,) with each of these weights (draws, S, S), of counts that connect all systems.

    Where weights are too small to tell systems apart, the variance is large and the same for all counts.
    """
    systems = weights.shape[-1]
    information = -weights * counts
    at = np.arange(systems)
    information[:, at, at] = 0.0
    information[:, at, at] = -information.sum(axis=-1)
    covariance = np.linalg.inv(information + 1 / systems + _LEAST * np.eye(systems)) - 1 / systems
    return np.asarray((_mean_of(pairs) * covariance).sum(axis=(1, 2)))


def difference_variances(covariance: Floats) -> Floats:
    """Return the variance of each difference of systems (S, S)."""
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own - 2 * covariance)


def collect_pairs(
    weight: Floats, counts: Floats, pairs: Floats, n: int, strategy: Strategy = "targeted", seed: int = 0
) -> tuple[Codes, Codes]:
    """Choose the pairs of the next n comparisons, one after the other.

    Parameters
    ----------
    weight : (S, S) information of one comparison, as `comparison_weights` gives it
    counts : (S, S) comparisons so far, symmetric
    pairs : (S, S) symmetric, 1 where a difference is the goal
    n : further comparisons
    strategy : "as so far" in proportion, "evenly" the pair with the fewest first, "targeted" the pair that reduces the
        mean variance most
    seed : decides between equals

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
    so_far, more = counts[first, second].astype(np.float64), np.zeros(len(first))
    chosen = np.zeros(n, dtype=np.int64)
    if strategy == "targeted":
        covariance, mean_of, w = covariance_of(weight, counts), _mean_of(pairs), weight[first, second]
        for at in range(n):
            own = np.diag(covariance)
            of_each = own[first] + own[second] - 2 * covariance[first, second]
            spread = covariance @ mean_of @ covariance
            own = np.diag(spread)
            gain = own[first] + own[second] - 2 * spread[first, second]
            best = int((w * gain / (1 + w * of_each) * (1 + 1e-9 * ties)).argmax())
            moved = covariance[:, first[best]] - covariance[:, second[best]]
            covariance = covariance - w[best] * np.outer(moved, moved) / (1 + w[best] * of_each[best])
            chosen[at] = best
    else:
        for at in range(n):
            due = -so_far - more if strategy == "evenly" else so_far * (at + 1) / so_far.sum() - more
            chosen[at] = int((due + 1e-6 * ties).argmax())
            more[chosen[at]] += 1
    return first[chosen], second[chosen]


@dataclass(frozen=True, eq=False)
class LabelGains:
    """Chance that the label of most votes on an item is right after so many further votes.

    `expected` (I, m + 1) for 0 to m votes; `drawn` (draws, I, m + 1) is that of simulated votes, and `hits` (draws, I,
    m + 1) is 1 where the label of most of them is right, a part of it where several have as many. Items are chosen by
    `guide` (I, m + 1) of other draws: a choice is not judged by the chance that led to it.
    """

    guide: Floats
    expected: Floats
    drawn: Floats
    hits: Floats

    def collect(self, n: int, counts: Floats, strategy: Strategy = "targeted", seed: int = 0) -> Codes:
        """Choose the items (n,) of the next n votes, fewer where no item may have more.

        Parameters
        ----------
        n : further votes
        counts : (I,) votes so far
        strategy : "as so far" in proportion, "evenly" the fewest first, "targeted" the items whose labels become right
            most often per vote; an item that needs several votes gets them together
        seed : decides between equals
        """
        items, most = self.expected.shape[0], self.expected.shape[1] - 1
        ties = np.random.default_rng(seed).random(items)
        more, chosen = np.zeros(items, dtype=np.int64), list[int]()
        if strategy == "targeted":
            slope, steps = self._slopes(np.arange(items), more)
            while len(chosen) < n and np.isfinite(slope).any():
                item = int((slope * (1 + 1e-9 * ties)).argmax())
                step = min(int(steps[item]), n - len(chosen))
                chosen += [item] * step
                more[item] += step
                slope[[item]], steps[[item]] = self._slopes(np.array([item]), more)
            return np.array(chosen, dtype=np.int64)
        while len(chosen) < n and (more < most).any():
            due = -counts - more if strategy == "evenly" else counts * (len(chosen) + 1) / counts.sum() - more
            item = int(np.where(more < most, due + 1e-6 * ties, -np.inf).argmax())
            chosen.append(item)
            more[item] += 1
        return np.array(chosen, dtype=np.int64)

    def _slopes(self, items: Codes, more: Codes) -> tuple[Floats, Codes]:
        """Return the largest gain per vote of each of these items, and the number of votes that has it."""
        most = self.guide.shape[1] - 1
        steps = np.arange(1, most + 1)
        at = more[items]
        ahead = at[:, None] + steps
        reached = self.guide[items[:, None], np.minimum(ahead, most)]
        gain = np.where(ahead <= most, (reached - self.guide[items, at][:, None]) / steps, -np.inf)
        return gain.max(axis=1), steps[gain.argmax(axis=1)]

    def errors_left(self, chosen: Codes, is_checked: bool = False) -> tuple[float, Floats]:
        """Return the expected part of the errors so far that these votes leave, and that of each draw (draws,).

        Errors of a draw are chances to be wrong, or wrong labels where these are checked.
        """
        items = np.arange(len(self.expected))
        more = np.bincount(chosen, minlength=len(items))
        left = float((1 - self.expected[items, more]).sum() / max((1 - self.expected[:, 0]).sum(), 1e-12))
        of = self.hits if is_checked else self.drawn
        before, after = (1 - of[:, :, 0]).sum(axis=1), (1 - of[:, items, more]).sum(axis=1)
        return left, np.where(before > 0, after / np.where(before > 0, before, 1.0), left)


def label_gains(
    votes: Codes, accuracy: float, icc: float = 0.0, draws: int = 400, seed: int = 0, error: float = 0.0
) -> LabelGains:
    """Simulate further votes on items, and how sure the label of the majority becomes.

    Parameters
    ----------
    votes : (I, k) votes of each item for each label
    accuracy : of one vote
    icc : correlation of right and wrong between two votes on an item, as in `accuracy_of_votes`
    draws : simulated courses of each item at most
    seed : of the draws
    error : standard error of `accuracy`; each course draws its own

    Returns
    -------
    LabelGains

    Raises
    ------
    InputError
        where votes are no better than chance, or an argument lies outside its range.

    Notes
    -----
    An item's votes are right with a chance from a beta distribution, wrong ones spread evenly. A course draws the label
    and this chance from what the votes so far leave open, then further votes. Not where raters differ so much in
    ability that weights decide.
    Source: Skellam 1948 (the beta-binomial distribution); Snow et al. 2008, section 4.
    """
    items, k = votes.shape
    if not 1 / k < accuracy <= 1 or not 0 <= icc < 1:
        raise InputError(
            f"`accuracy` must be above {1 / k:.2g} and `icc` from 0 to below 1, got {accuracy}, {icc}"
        )
    size = 1 / max(icc, LEAST_ICC) - 1
    courses = int(np.clip(NUMBERS / (items * k * MOST_LOOKED), 10, draws))
    rng = np.random.default_rng(seed)
    drawn = np.clip(accuracy + error * rng.standard_normal((courses, 1, 1)), 1 / k + 1e-3, 1 - 1e-6)
    right, wrong = drawn * size, (1 - drawn) * size
    counts = np.broadcast_to(votes.astype(np.float64), (courses, items, k)).copy()

    def chances() -> Floats:
        others = counts.sum(axis=-1, keepdims=True) - counts
        log = special.betaln(right + counts, wrong + others) - others * np.log(max(k - 1, 1))
        made = np.exp(log - log.max(axis=-1, keepdims=True))
        return np.asarray(made / made.sum(axis=-1, keepdims=True))

    true = _drawn(chances(), rng)
    own = np.take_along_axis(counts, true[..., None], axis=-1)[..., 0]
    ability = rng.beta(right[..., 0] + own, wrong[..., 0] + counts.sum(axis=-1) - own)
    found, hits = (np.empty((courses, items, MOST_LOOKED + 1)) for _ in range(2))
    for more in range(MOST_LOOKED + 1):
        if more:
            other = (true + rng.integers(1, max(k, 2), size=true.shape)) % k
            given = np.where(rng.random(true.shape) < ability, true, other)
            np.put_along_axis(
                counts, given[..., None], np.take_along_axis(counts, given[..., None], -1) + 1, axis=-1
            )
        first = counts == counts.max(axis=-1, keepdims=True)
        found[..., more] = (chances() * first).sum(axis=-1) / first.sum(axis=-1)
        hits[..., more] = np.take_along_axis(first, true[..., None], -1)[..., 0] / first.sum(axis=-1)
    half = courses // 2
    guide = np.maximum.accumulate(found[:half].mean(axis=0), axis=1)
    return LabelGains(guide, found[half:].mean(axis=0), found[half:], hits[half:])


def _drawn(chance: Floats, rng: np.random.Generator) -> Codes:
    """Return a code (…,) drawn with chances (…, k)."""
    below = np.cumsum(chance, axis=-1)
    at = rng.random((*below.shape[:-1], 1)) * below[..., -1:]
    return np.asarray((below <= at).sum(axis=-1).clip(0, chance.shape[-1] - 1))
