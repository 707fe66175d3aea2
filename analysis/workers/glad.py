"""GLAD: abilities of raters and difficulties of items, by expectation maximization.

EM converges linearly and is accelerated by SQUAREM: from a step r and the change v of the next step, it extrapolates by
-2 a r + a a v from the first point, a = -|r| / |v|. Where the likelihood is not higher there, EM continues from the
third point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.estimate import Codes, Flags, Floats, InputError
from analysis.values.votes import Votes, encode_votes
from analysis.workers.polls import COMPACT_BELOW, VoteSamples, most_probable_option, sample_votes

PLAIN_STEPS = 8
"""EM steps before the first extrapolation, which might otherwise lead to another maximum."""
LONGEST_EXTRAPOLATION = 64.0
"""Largest step length of an extrapolation."""


def is_squarem_step(step: int) -> bool:
    """Return True where an extrapolation follows this step (from 0) and the one before it."""
    return step > PLAIN_STEPS and (step - PLAIN_STEPS) % 2 == 1


def squarem_step(
    first: Sequence[Floats],
    second: Sequence[Floats],
    third: Sequence[Floats],
    often: Sequence[Floats],
    draw: Sequence[Codes],
) -> list[Floats]:
    """Extrapolate in each draw from three successive points of parameters (m, …) each.

    `draw` (m,) is the draw of each parameter, `often` (m,) its multiplicity.
    Source: Varadhan and Roland 2008, "Simple and globally convergent methods for accelerating the convergence of any EM
    algorithm", sections 3 and 6 (SQUAREM, scheme S3).
    """
    steps = [two - start for start, two in zip(first, second, strict=True)]
    changes = [three - two - step for two, three, step in zip(second, third, steps, strict=True)]
    length, change = (_sum_of_squares_by_draw(parts, often, draw) for parts in (steps, changes))
    step_length = np.sqrt(length / np.where(change > 0, change, np.inf))
    step_length = np.clip(step_length, 1.0, LONGEST_EXTRAPOLATION)
    extrapolated = []
    for start, step, curvature, draw_of_parameter in zip(first, steps, changes, draw, strict=True):
        own_length = step_length[draw_of_parameter].reshape(-1, *[1] * (start.ndim - 1))
        extrapolated.append(start + 2 * own_length * step + own_length**2 * curvature)
    return extrapolated


def _sum_of_squares_by_draw(
    parts: Sequence[Floats], often: Sequence[Floats], draw: Sequence[Codes]
) -> Floats:
    """Return the sum of squares of each draw's parameters."""
    draws = max(int(codes.max(initial=-1)) for codes in draw) + 1
    return np.asarray(
        sum(
            np.bincount(codes, weight * (part.reshape(len(part), -1) ** 2).sum(axis=1), draws)
            for part, weight, codes in zip(parts, often, draw, strict=True)
        )
    )


PRIOR_MEAN = 1.0
"""Prior mean of alpha and beta, both with variance 1; the start of EM."""
M_STEP_ITERATIONS = 2
"""Maximum alternations of alpha and beta in an M-step, as a partial M-step suffices for EM."""
FULL_M_STEP_ITERATIONS = 50
"""Maximum alternations in a full M-step."""
SMALL_STEP = 1e-3
"""Convergence tolerance of the parameters in an M-step."""
LONGEST_STEP = 3.0
"""Largest step of Newton's method."""
HALVINGS = 30
"""Maximum number of step halvings."""
ROUNDING = 1e-12
"""Decrease of a log-likelihood per vote that counts as rounding error."""


@dataclass(frozen=True)
class EmSpec:
    """Convergence of EM: the log-likelihood rises by less than `tolerance` per vote; after `iterations` without this,
    EM has not converged.

    A `tolerance` of minus infinity always does all `iterations`, as plain EM.

    Raises
    ------
    InputError
        where a value is not allowed.
    """

    iterations: int = 5000
    tolerance: float = 1e-8

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise InputError(f"`iterations` must be 1 or more, got {self.iterations}")
        if np.isnan(self.tolerance):
            raise InputError("`tolerance` must be a number, got NaN")

    @property
    def plain(self) -> bool:
        """True for plain EM steps without acceleration."""
        return self.tolerance == -np.inf


class GladSpec(EmSpec):
    """Convergence of GLAD, whose log-likelihood includes the log priors; plain EM has full M-steps."""


@dataclass(frozen=True, eq=False)
class GladFit:
    """The fitted model with codes.

    `posterior` (q, k), NaN where an item has no vote; `label` (q,) of highest probability, -1 where unknown, the
    lowest code of those `tied` (q,); `ability` (w,) alpha: 0 is guessing, negative is worse than guessing;
    `difficulty` (q,) -beta: higher is harder; both NaN without votes, and all NaN with a `reason` where not
    identified; `log_likelihood` (iterations,) of the votes plus the log priors, at each E-step.
    """

    posterior: Floats
    label: Codes
    tied: NDArray[np.bool_]
    ability: Floats
    difficulty: Floats
    log_likelihood: Floats
    iterations: int
    converged: bool
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Glad:
    """By item: `label`, `posterior` (k,) in the order of `options`, `tied` and `difficulty`; by rater: `ability`.

    `fit` holds the same by code, with the course of EM; `reason` says why abilities and difficulties are NaN.
    """

    options: tuple[Any, ...]
    label: dict[Any, Any]
    posterior: dict[Any, Floats]
    tied: dict[Any, bool]
    ability: dict[Any, float]
    difficulty: dict[Any, float]
    fit: GladFit
    reason: str = ""


def fit(rater: ArrayLike, item: ArrayLike, label: ArrayLike, spec: GladSpec | None = None) -> Glad:
    """Estimate true labels, raters' abilities and items' difficulties.

    Parameters
    ----------
    rater, item, label : (N,) any ids
    spec : convergence criterion

    Returns
    -------
    Glad
        of all items and raters that occur; options are the labels that occur, sorted.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Not where raters confuse certain labels or prefer one: wrong answers are equally likely over the other options; see
    `dawid_skene`.
    Source: Whitehill et al. 2009, "Whose vote should count more", sections 2 and 3.
    """
    encoded = encode_votes(rater, item, label)
    fitted = fit_votes(encoded.votes, spec)
    items = encoded.item_ids.tolist()
    return Glad(
        encoded.options,
        {name: encoded.options[code] for name, code in zip(items, fitted.label.tolist(), strict=True)},
        dict(zip(items, fitted.posterior, strict=True)),
        dict(zip(items, fitted.tied.tolist(), strict=True)),
        dict(zip(encoded.rater_ids.tolist(), fitted.ability.tolist(), strict=True)),
        dict(zip(items, fitted.difficulty.tolist(), strict=True)),
        fitted,
        fitted.reason,
    )


def fit_votes(votes: Votes, spec: GladSpec | None = None) -> GladFit:
    """Fit GLAD to encoded votes (Whitehill et al. 2009, sections 2, 3 and 3.1, Eqs. 1 and 2; k > 2 options as in its
    section 2, last paragraph, and in crowd-kit)."""
    # The right answer has probability sigmoid(alpha exp(beta)), each wrong one an equal part of the rest;
    # labels are equally likely beforehand, alpha and beta are N(1, 1). EM always starts from alpha = beta =
    # 1, the means of the priors: the model has several maxima (such as all abilities negative and the
    # labels reversed), and this start assumes competent raters. Difficulty is -beta instead of the paper's 1 /
    # exp(beta): the order of items is the same, on the scale of the prior.
    once = np.ones((1, votes.raters)), np.ones((1, votes.items))
    final = _em(votes, *once, GladSpec() if spec is None else spec)
    posterior = final.posterior[0]
    label, tied = most_probable_option(posterior)
    reason = _unidentified_reason(votes)
    judged, judging = (
        np.bincount(code, minlength=many) > 0
        for code, many in ((votes.item, votes.items), (votes.rater, votes.raters))
    )
    return GladFit(
        posterior,
        label,
        tied,
        np.where(judging & (not reason), final.alpha[0], nan),
        np.where(judged & (not reason), -final.beta[0], nan),
        np.array(final.history),
        len(final.history),
        final.converged,
        reason,
    )


def bootstrap_posteriors(
    votes: Votes, rater_weight: Floats, item_weight: Floats, spec: GladSpec | None = None
) -> Floats:
    """Refit the model to each draw of raters and items (Owen 2007, "The pigeonhole bootstrap", section 2); NaN where
    a draw has no vote on an item."""
    # Copies of a rater or an item are separate raters or items with the same votes. Every draw starts from the
    # means of the priors, as in `fit`.
    return _em(votes, rater_weight, item_weight, GladSpec() if spec is None else spec).posterior


def _unidentified_reason(votes: Votes) -> str:
    if votes.options < 2:
        return "with one option there is no wrong answer"
    if len(np.unique(votes.rater)) < 2:
        return "one rater alone cannot be held against others"
    return ""


@dataclass(eq=False)
class _Result:
    """Result of EM: posterior (b, q, k), alpha (b, w), beta (b, q); `history` of the first draw."""

    posterior: Floats
    alpha: Floats
    beta: Floats
    history: list[float]
    converged: bool

    def store(self, samples: VoteSamples, alpha: Floats, beta: Floats, ended: Flags) -> None:
        """Store the parameters of the draws that ended (b,)."""
        raters, items = ended[samples.raters.draw], ended[samples.items.draw]
        self.alpha.ravel()[samples.raters.index[raters]] = alpha[raters]
        self.beta.ravel()[samples.items.index[items]] = beta[items]


class _Weights(NamedTuple):
    """Multiplicities of each vote's (n,) rater and item, and their sums by rater (w,) and by item (q,)."""

    rater: Floats
    item: Floats
    of_rater: Floats
    of_item: Floats

    @classmethod
    def from_samples(cls, samples: VoteSamples) -> "_Weights":
        rater, item = samples.raters.multiplicity[samples.rater], samples.items.multiplicity[samples.item]
        sums = np.bincount(samples.rater, item), np.bincount(samples.item, rater)
        return cls(rater, item, *(each.astype(np.float64) for each in sums))


def _em(votes: Votes, rater_weight: Floats, item_weight: Floats, spec: GladSpec) -> _Result:
    q, w, k, b = votes.items, votes.raters, votes.options, len(rater_weight)
    final = _Result(
        np.full((b, q, k), nan), np.full((b, w), PRIOR_MEAN), np.full((b, q), PRIOR_MEAN), [], True
    )
    all_samples = samples = sample_votes(votes, rater_weight, item_weight)
    if not len(samples):
        return final
    if k == 1:
        final.posterior.ravel()[samples.items.index] = 1.0
        return final
    alpha, beta = np.full(len(samples.raters), PRIOR_MEAN), np.full(len(samples.items), PRIOR_MEAN)
    is_running = np.ones(samples.draws, dtype=np.bool_)
    weights = _Weights.from_samples(samples)
    required_gain = spec.tolerance * np.maximum(samples.sum_by_draw(weights.of_item), 1)
    previous_likelihood = np.full(samples.draws, nan)
    previous, em_point = (alpha, beta), None  # em_point: the point without extrapolation
    m_step_iterations = FULL_M_STEP_ITERATIONS if spec.plain else M_STEP_ITERATIONS
    for step in range(spec.iterations):
        posterior, likelihood, vote_probabilities = _e_step(samples, weights, alpha, beta)
        if em_point is not None:
            has_dropped = ~(likelihood - previous_likelihood >= np.maximum(required_gain, 0)) & is_running
            if has_dropped.any():
                alpha = np.where(has_dropped[samples.raters.draw], em_point[0], alpha)
                beta = np.where(has_dropped[samples.items.draw], em_point[1], beta)
                posterior, likelihood, vote_probabilities = _e_step(samples, weights, alpha, beta)
        if samples.number[0] == 0 and is_running[0]:
            final.history.append(float(likelihood[0]))
        right = posterior.ravel()[samples.cell]
        updated = _m_step(samples, weights, right, vote_probabilities, alpha, beta, m_step_iterations)
        is_rising = ~(likelihood - previous_likelihood < required_gain) & is_running
        final.store(samples, *updated, is_running if step == spec.iterations - 1 else is_running & ~is_rising)
        is_running, previous_likelihood = is_rising, likelihood
        if not is_running.any():
            break
        points = [previous, (alpha, beta), updated]
        if is_running.sum() <= COMPACT_BELOW * len(is_running):
            of_raters, of_items = is_running[samples.raters.draw], is_running[samples.items.draw]
            points = [(one[of_raters], other[of_items]) for one, other in points]
            samples, previous_likelihood, required_gain = (
                samples.select_draws(is_running),
                previous_likelihood[is_running],
                required_gain[is_running],
            )
            weights, is_running = _Weights.from_samples(samples), np.ones(samples.draws, dtype=np.bool_)
        previous, current, updated = points
        em_point = updated if is_squarem_step(step) and not spec.plain else None
        often, draw = (
            (samples.raters.multiplicity, samples.items.multiplicity),
            (samples.raters.draw, samples.items.draw),
        )
        alpha, beta = updated if em_point is None else squarem_step(previous, current, updated, often, draw)
        previous = current
    final.converged = not is_running.any()
    parameters = final.alpha.ravel()[all_samples.raters.index], final.beta.ravel()[all_samples.items.index]
    posterior, _, _ = _e_step(all_samples, _Weights.from_samples(all_samples), *parameters)
    final.posterior.reshape(-1, k)[all_samples.items.index] = posterior.T
    return final


def _e_step(
    samples: VoteSamples, weights: _Weights, alpha: Floats, beta: Floats
) -> tuple[Floats, Floats, "_VoteProbabilities"]:
    """Return the posterior (k, q), the log-likelihood of the votes plus the log priors (b,), and each vote's
    probabilities."""
    k, log_wrong = samples.options, np.log(max(samples.options - 1, 1))
    vote_probabilities = _VoteProbabilities.from_logit(alpha[samples.rater] * np.exp(beta)[samples.item])
    cells = k * len(samples.items)
    score = np.bincount(samples.cell, weights.rater * (vote_probabilities.z + log_wrong), cells).reshape(
        k, -1
    )
    highest = score.max(axis=0)
    weights_of_options = np.exp(score - highest)
    total = weights_of_options.sum(axis=0)
    of_items = highest + np.log(total) - np.log(k)
    of_items -= np.bincount(samples.item, weights.rater * (vote_probabilities.log_partition + log_wrong))
    of_raters = np.bincount(samples.raters.draw, samples.raters.multiplicity * _log_prior(alpha))
    return (
        weights_of_options / total,
        samples.sum_by_draw(of_items + _log_prior(beta)) + of_raters,
        vote_probabilities,
    )


def _log_prior(parameter: Floats) -> Floats:
    return -0.5 * (parameter - PRIOR_MEAN) ** 2


def _m_step(
    samples: VoteSamples,
    weights: _Weights,
    right: Floats,
    vote_probabilities: "_VoteProbabilities",
    alpha: Floats,
    beta: Floats,
    iterations: int,
) -> tuple[Floats, Floats]:
    """Return alpha (w,) and beta (q,) that increase the expected log-likelihood, or maximize it after many
    iterations."""
    # A vote adds right z - log(1 + exp(z)), z = alpha exp(beta), to the log-likelihoods of its rater and its
    # item. Copies of a rater multiply the rater's own log-likelihood, prior included, and so do not change its
    # maximum; they only count in the items' log-likelihoods, and copies of items in the raters'.
    of_raters = weights.item, weights.of_rater
    new_alpha, vote_probabilities = _newton_step(
        alpha, vote_probabilities, samples.rater, right, *of_raters, np.exp(beta)[samples.item], False
    )
    of_items = weights.rater, weights.of_item
    new_beta, vote_probabilities = _newton_step(
        beta, vote_probabilities, samples.item, right, *of_items, new_alpha[samples.rater], True
    )
    moving = np.zeros(samples.draws, dtype=np.bool_)
    moving[samples.raters.draw[np.abs(new_alpha - alpha) >= SMALL_STEP]] = True
    moving[samples.items.draw[np.abs(new_beta - beta) >= SMALL_STEP]] = True
    if iterations == 1 or not moving.any():
        return new_alpha, new_beta
    if moving.all():
        return _m_step(samples, weights, right, vote_probabilities, new_alpha, new_beta, iterations - 1)
    raters, items = moving[samples.raters.draw], moving[samples.items.draw]
    votes = items[samples.item]
    part, chances = (
        samples.select_draws(moving),
        _VoteProbabilities(*(each[votes] for each in vote_probabilities)),
    )
    of_part = right[votes], chances, new_alpha[raters], new_beta[items]
    new_alpha[raters], new_beta[items] = _m_step(part, _Weights.from_samples(part), *of_part, iterations - 1)
    return new_alpha, new_beta


class _VoteProbabilities(NamedTuple):
    """For every vote (n,) z, the probability sigmoid(z) of being right, and log(1 + exp(z))."""

    z: Floats
    correct: Floats
    log_partition: Floats

    @classmethod
    def from_logit(cls, z: Floats) -> "_VoteProbabilities":
        # exp(-|z|) cannot overflow; in-place operations take a third of the time.
        low = np.minimum(z, 0.0)
        denominator = 2 * low
        denominator -= z
        np.exp(denominator, out=denominator)
        denominator += 1
        log_partition = np.log(denominator)
        log_partition += z
        log_partition -= low
        correct = np.exp(low, out=low)
        correct /= denominator
        return cls(z, correct, log_partition)


def _newton_step(
    parameter: Floats,
    vote_probabilities: _VoteProbabilities,
    code: Codes,
    right: Floats,
    weight: Floats,
    weight_sum: Floats,
    other: Floats,
    logarithm: bool,
) -> tuple[Floats, _VoteProbabilities]:
    """Do one step of Newton's method for every parameter (m,) separately, and return the votes' new probabilities."""
    # z is the parameter, or its exponential, times `other` (n,); `weight_sum` (m,) sums the weights (n,). Where the
    # curvature is the wrong way round, what can be negative of it is left out; a step is halved until it does
    # not lower the parameter's own sum.
    slope = vote_probabilities.z if logarithm else other
    weighted_right, expected = weight * right, weight * vote_probabilities.correct
    gradient_terms = weighted_right - expected
    gradient_terms *= slope
    gradient = np.bincount(code, gradient_terms)
    curvature_terms = 1 - vote_probabilities.correct
    for factor in (expected, slope, slope):
        curvature_terms *= factor
    curvature = np.bincount(code, curvature_terms) + 1
    if logarithm:
        full_curvature = curvature - gradient
        curvature = np.where(full_curvature > 0, full_curvature, curvature)
    step = np.clip((gradient - (parameter - PRIOR_MEAN)) / curvature, -LONGEST_STEP, LONGEST_STEP)
    smallest_gain = -ROUNDING * (1 + weight_sum)
    for _ in range(HALVINGS):
        new = parameter + step
        new_probabilities = _VoteProbabilities.from_logit((np.exp(new) if logarithm else new)[code] * other)
        gain = new_probabilities.z - vote_probabilities.z
        gain *= weighted_right
        lost_terms = new_probabilities.log_partition - vote_probabilities.log_partition
        lost_terms *= weight
        gain -= lost_terms
        has_dropped = np.bincount(code, gain) + _log_prior(new) - _log_prior(parameter) < smallest_gain
        if not has_dropped.any():
            break
        step[has_dropped] /= 2
    return new, new_probabilities
