"""GLAD: abilities of raters and difficulties of items, by expectation maximization.

EM's steps shrink by about the same share each time. Two steps, r and the change v of the second against the first, tell
how far the climb would go: leap by -2 a r + a a v from the first point, a = -|r| / |v|. Whoever leaps looks whether the
likelihood is higher there, and else goes on from the third point, where EM would have been.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.estimate import Codes, Flags, Floats, InputError
from analysis.values.votes import Votes, coded
from analysis.workers.polls import STILL_IN_HAND, DrawnVotes, drawn_votes, most_probable

PLAIN = 8
"""Steps before the first leap: the early ones choose among maxima, and a leap could land by another one."""
LONGEST = 64.0
"""Most steps of a leap."""


def leaps_at(step: int) -> bool:
    """Return True where a leap follows this step (from 0) and the one before it."""
    return step > PLAIN and (step - PLAIN) % 2 == 1


def leap(
    first: Sequence[Floats],
    second: Sequence[Floats],
    third: Sequence[Floats],
    often: Sequence[Floats],
    draw: Sequence[Codes],
) -> list[Floats]:
    """Return where to leap to in each draw, from three successive points of parameters (m, …) each.

    `draw` (m,): whose parameters they are, and `often` (m,): how often the draw holds them.
    Source: Varadhan and Roland 2008, "Simple and globally convergent methods for accelerating the convergence of any EM
    algorithm", sections 3 and 6 (SQUAREM, scheme S3).
    """
    steps = [two - one for one, two in zip(first, second, strict=True)]
    changes = [three - two - step for two, three, step in zip(second, third, steps, strict=True)]
    length, change = (_squares(parts, often, draw) for parts in (steps, changes))
    far = np.sqrt(length / np.where(change > 0, change, np.inf))
    far = np.clip(far, 1.0, LONGEST)
    leaps = []
    for one, step, turn, of in zip(first, steps, changes, draw, strict=True):
        own = far[of].reshape(-1, *[1] * (one.ndim - 1))
        leaps.append(one + 2 * own * step + own**2 * turn)
    return leaps


def _squares(parts: Sequence[Floats], often: Sequence[Floats], draw: Sequence[Codes]) -> Floats:
    """The sum of squares of each draw's parameters."""
    draws = max(int(of.max(initial=-1)) for of in draw) + 1
    return np.asarray(
        sum(
            np.bincount(of, weight * (part.reshape(len(part), -1) ** 2).sum(axis=1), draws)
            for part, weight, of in zip(parts, often, draw, strict=True)
        )
    )


PRIOR_MEAN = 1.0
"""Of alpha and of beta, both with variance 1; EM starts from it."""
TURNS = 2
"""Of alpha and beta in an M-step, at most: two raise its sum enough, and EM comes back to it."""
TURNS_OF_PLAIN = 50
"""The same where an M-step should reach its highest point."""
SMALL_STEP = 1e-3
"""An M-step ends where no parameter moves further in a turn."""
LONGEST_STEP = 3.0
"""A step of Newton's method is cut to it."""
HALVINGS = 30
"""How often a step that goes too far is halved, at most."""
ROUNDING = 1e-12
"""A sum lower by this, for each vote in it, is as high as before."""


@dataclass(frozen=True)
class GladSpec:
    """End of EM: where the log-likelihood of the votes plus the log priors rises by less than `tolerance` per vote,
    or after `iterations`, and then it has not converged.

    A `tolerance` of minus infinity always does all `iterations`, and these are EM's plain steps with full M-steps.

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
        """Return True where every step is EM's own, whatever it gains."""
        return self.tolerance == -np.inf


@dataclass(frozen=True, eq=False)
class GladFit:
    """The model on codes.

    `posterior` (q, k), NaN where an item has no vote; `label` (q,) of highest probability, -1 where unknown,
    the lowest code of those `tied` (q,); `ability` (w,) alpha: 0 guesses, negative is worse than guessing;
    `difficulty` (q,) -beta: higher is harder; both NaN without votes, and all NaN with a `reason` where votes
    cannot tell; `log_likelihood` (iterations,) of the votes plus the log priors, at each E-step.
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

    `fit` has the same on codes, with what EM did; `reason` says why abilities and difficulties are NaN.
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
    """True labels, raters' abilities and items' difficulties.

    Parameters
    ----------
    rater, item, label : (N,) any ids
    spec : when to stop

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
    Not when raters mix up certain labels or prefer one: wrong answers are spread evenly over the other options; see
    `dawid_skene`.
    Source: Whitehill et al. 2009, "Whose vote should count more", sections 2 and 3.
    """
    of = coded(rater, item, label)
    fitted = fit_votes(of.votes, spec)
    items = of.item_ids.tolist()
    return Glad(
        of.options,
        {name: of.options[code] for name, code in zip(items, fitted.label.tolist(), strict=True)},
        dict(zip(items, fitted.posterior, strict=True)),
        dict(zip(items, fitted.tied.tolist(), strict=True)),
        dict(zip(of.rater_ids.tolist(), fitted.ability.tolist(), strict=True)),
        dict(zip(items, fitted.difficulty.tolist(), strict=True)),
        fitted,
        fitted.reason,
    )


def fit_votes(votes: Votes, spec: GladSpec | None = None) -> GladFit:
    """The same on codes (Whitehill et al. 2009, sections 2, 3 and 3.1, Eqs. 1 and 2; k > 2 options as in its
    section 2, last paragraph, and in crowd-kit)."""
    # The right answer has probability sigmoid(alpha exp(beta)), each wrong one an equal part of the rest;
    # labels are equally likely beforehand, alpha and beta are N(1, 1). EM always starts from alpha = beta =
    # 1, the means of the priors: the model has several maxima (all abilities negative and the labels turned
    # round), and this one believes that raters mean well. Difficulty is -beta and not the paper's 1 /
    # exp(beta): it orders items alike, has the prior's unit, and does not stretch the hard end.
    once = np.ones((1, votes.raters)), np.ones((1, votes.items))
    final = _em(votes, *once, GladSpec() if spec is None else spec)
    posterior = final.posterior[0]
    label, tied = most_probable(posterior)
    reason = _cannot_tell(votes)
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


def posterior_draws(
    votes: Votes, rater_weight: Floats, item_weight: Floats, spec: GladSpec | None = None
) -> Floats:
    """The whole fit again for each draw of raters and items (Owen 2007, "The pigeonhole bootstrap", section
    2); NaN where a draw holds no vote on an item."""
    # A copy of a rater is a further rater with the same answers, a copy of an item a further item: the
    # draw's posterior is that of the data set drawn. Every draw starts from the means of the priors, as
    # `fit` does.
    return _em(votes, rater_weight, item_weight, GladSpec() if spec is None else spec).posterior


def _cannot_tell(votes: Votes) -> str:
    if votes.options < 2:
        return "with one option there is no wrong answer"
    if len(np.unique(votes.rater)) < 2:
        return "one rater alone cannot be held against others"
    return ""


@dataclass(eq=False)
class _Final:
    """End of EM: posterior (b, q, k), alpha (b, w), beta (b, q); `history` of the first draw."""

    posterior: Floats
    alpha: Floats
    beta: Floats
    history: list[float]
    converged: bool

    def settle(self, held: DrawnVotes, alpha: Floats, beta: Floats, ended: Flags) -> None:
        """Take the parameters of those draws that ended (b,)."""
        raters, items = ended[held.raters.draw], ended[held.items.draw]
        self.alpha.ravel()[held.raters.place[raters]] = alpha[raters]
        self.beta.ravel()[held.items.place[items]] = beta[items]


class _Weights(NamedTuple):
    """Return how often each vote's (n,) rater and item were drawn, and these summed by rater (w,) and by item (q,)."""

    rater: Floats
    item: Floats
    of_rater: Floats
    of_item: Floats

    @classmethod
    def of(cls, held: DrawnVotes) -> "_Weights":
        rater, item = held.raters.often[held.rater], held.items.often[held.item]
        sums = np.bincount(held.rater, item), np.bincount(held.item, rater)
        return cls(rater, item, *(each.astype(np.float64) for each in sums))


def _em(votes: Votes, rater_weight: Floats, item_weight: Floats, spec: GladSpec) -> _Final:
    q, w, k, b = votes.items, votes.raters, votes.options, len(rater_weight)
    final = _Final(
        np.full((b, q, k), nan), np.full((b, w), PRIOR_MEAN), np.full((b, q), PRIOR_MEAN), [], True
    )
    whole = held = drawn_votes(votes, rater_weight, item_weight)
    if not len(held):
        return final
    if k == 1:
        final.posterior.ravel()[held.items.place] = 1.0
        return final
    alpha, beta = np.full(len(held.raters), PRIOR_MEAN), np.full(len(held.items), PRIOR_MEAN)
    going = np.ones(held.draws, dtype=np.bool_)
    weights = _Weights.of(held)
    enough = spec.tolerance * np.maximum(held.by_draw(weights.of_item), 1)
    last = np.full(held.draws, nan)
    before, safe = (alpha, beta), None  # safe: where EM would be had it not leapt
    turns = TURNS_OF_PLAIN if spec.plain else TURNS
    for step in range(spec.iterations):
        posterior, likelihood, at = _e_step(held, weights, alpha, beta)
        if safe is not None:
            fell = ~(likelihood - last >= np.maximum(enough, 0)) & going
            if fell.any():
                alpha = np.where(fell[held.raters.draw], safe[0], alpha)
                beta = np.where(fell[held.items.draw], safe[1], beta)
                posterior, likelihood, at = _e_step(held, weights, alpha, beta)
        if held.number[0] == 0 and going[0]:
            final.history.append(float(likelihood[0]))
        right = posterior.ravel()[held.cell]
        after = _m_step(held, weights, right, at, alpha, beta, turns)
        rises = ~(likelihood - last < enough) & going
        final.settle(held, *after, going if step == spec.iterations - 1 else going & ~rises)
        going, last = rises, likelihood
        if not going.any():
            break
        points = [before, (alpha, beta), after]
        if going.sum() <= STILL_IN_HAND * len(going):
            of_raters, of_items = going[held.raters.draw], going[held.items.draw]
            points = [(one[of_raters], other[of_items]) for one, other in points]
            held, last, enough = held.of_draws(going), last[going], enough[going]
            weights, going = _Weights.of(held), np.ones(held.draws, dtype=np.bool_)
        before, here, after = points
        safe = after if leaps_at(step) and not spec.plain else None
        often, draw = (held.raters.often, held.items.often), (held.raters.draw, held.items.draw)
        alpha, beta = after if safe is None else leap(before, here, after, often, draw)
        before = here
    final.converged = not going.any()
    ends = final.alpha.ravel()[whole.raters.place], final.beta.ravel()[whole.items.place]
    posterior, _, _ = _e_step(whole, _Weights.of(whole), *ends)
    final.posterior.reshape(-1, k)[whole.items.place] = posterior.T
    return final


def _e_step(
    held: DrawnVotes, weights: _Weights, alpha: Floats, beta: Floats
) -> tuple[Floats, Floats, "_Chances"]:
    """Posterior (k, q), the log-likelihood of the votes plus the log priors (b,), and each vote's chances."""
    k, log_wrong = held.options, np.log(max(held.options - 1, 1))
    at = _Chances.at(alpha[held.rater] * np.exp(beta)[held.item])
    cells = k * len(held.items)
    score = np.bincount(held.cell, weights.rater * (at.z + log_wrong), cells).reshape(k, -1)
    highest = score.max(axis=0)
    likely = np.exp(score - highest)
    total = likely.sum(axis=0)
    of_items = highest + np.log(total) - np.log(k)
    of_items -= np.bincount(held.item, weights.rater * (at.lost + log_wrong))
    of_raters = np.bincount(held.raters.draw, held.raters.often * _prior(alpha))
    return likely / total, held.by_draw(of_items + _prior(beta)) + of_raters, at


def _prior(parameter: Floats) -> Floats:
    return -0.5 * (parameter - PRIOR_MEAN) ** 2


def _m_step(
    held: DrawnVotes,
    weights: _Weights,
    right: Floats,
    at: "_Chances",
    alpha: Floats,
    beta: Floats,
    turns: int,
) -> tuple[Floats, Floats]:
    """Alpha (w,) and beta (q,) that make the expected log-likelihood higher, or highest after many turns."""
    # A vote adds right z - log(1 + exp(z)), z = alpha exp(beta), to the sum of its rater and to that of its
    # item. Copies of a rater multiply all of that rater's own sum, prior included, which does not move its
    # highest point; they matter to the items' sums, and copies of an item to the raters'.
    of_raters = weights.item, weights.of_rater
    new_alpha, at = _climb(alpha, at, held.rater, right, *of_raters, np.exp(beta)[held.item], False)
    of_items = weights.rater, weights.of_item
    new_beta, at = _climb(beta, at, held.item, right, *of_items, new_alpha[held.rater], True)
    moving = np.zeros(held.draws, dtype=np.bool_)
    moving[held.raters.draw[np.abs(new_alpha - alpha) >= SMALL_STEP]] = True
    moving[held.items.draw[np.abs(new_beta - beta) >= SMALL_STEP]] = True
    if turns == 1 or not moving.any():
        return new_alpha, new_beta
    if moving.all():
        return _m_step(held, weights, right, at, new_alpha, new_beta, turns - 1)
    raters, items = moving[held.raters.draw], moving[held.items.draw]
    votes = items[held.item]
    part, chances = held.of_draws(moving), _Chances(*(each[votes] for each in at))
    of_part = right[votes], chances, new_alpha[raters], new_beta[items]
    new_alpha[raters], new_beta[items] = _m_step(part, _Weights.of(part), *of_part, turns - 1)
    return new_alpha, new_beta


class _Chances(NamedTuple):
    """Return for every vote (n,) z, the probability sigmoid(z) of being right, and log(1 + exp(z))."""

    z: Floats
    correct: Floats
    lost: Floats

    @classmethod
    def at(cls, z: Floats) -> "_Chances":
        # With -|z| in each exp nothing overflows; in place, it takes a third of the time.
        low = np.minimum(z, 0.0)
        whole = 2 * low
        whole -= z
        np.exp(whole, out=whole)
        whole += 1
        lost = np.log(whole)
        lost += z
        lost -= low
        correct = np.exp(low, out=low)
        correct /= whole
        return cls(z, correct, lost)


def _climb(
    parameter: Floats,
    at: _Chances,
    code: Codes,
    right: Floats,
    weight: Floats,
    worth: Floats,
    other: Floats,
    logarithm: bool,
) -> tuple[Floats, _Chances]:
    """One step of Newton's method for every parameter (m,) separately, and the votes after it."""
    # z is the parameter, or its exponential, times `other` (n,); `worth` (m,) sums the weights (n,). Where the
    # curvature is the wrong way round, what can be negative of it is left out; a step is halved until it does
    # not lower the parameter's own sum.
    slope = at.z if logarithm else other
    weighed, expected = weight * right, weight * at.correct
    pulled = weighed - expected
    pulled *= slope
    pull = np.bincount(code, pulled)
    bent = 1 - at.correct
    for factor in (expected, slope, slope):
        bent *= factor
    curvature = np.bincount(code, bent) + 1
    if logarithm:
        whole = curvature - pull
        curvature = np.where(whole > 0, whole, curvature)
    step = np.clip((pull - (parameter - PRIOR_MEAN)) / curvature, -LONGEST_STEP, LONGEST_STEP)
    least = -ROUNDING * (1 + worth)
    for _ in range(HALVINGS):
        new = parameter + step
        there = _Chances.at((np.exp(new) if logarithm else new)[code] * other)
        gained = there.z - at.z
        gained *= weighed
        lost = there.lost - at.lost
        lost *= weight
        gained -= lost
        lower = np.bincount(code, gained) + _prior(new) - _prior(parameter) < least
        if not lower.any():
            break
        step[lower] /= 2
    return new, there
