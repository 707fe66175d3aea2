"""Dawid-Skene: true labels of items and confusion matrices of raters, by expectation maximization.

With the votes as a sparse matrix of items by (rater, answer), each step of EM is one matrix product. SQUAREM
accelerates every other step (`analysis.workers.glad`).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.estimate import Codes, Flags, Floats
from analysis.values.votes import Votes, encode_votes
from analysis.workers.glad import EmSpec, is_squarem_step, squarem_step
from analysis.workers.polls import COMPACT_BELOW, VoteSamples, most_probable_option, sample_votes

SMALLEST_PROBABILITY = 1e-10
"""Smallest probability, so that answers that never occurred remain possible."""


class DawidSkeneSpec(EmSpec):
    """Convergence of Dawid-Skene, by the log-likelihood of the votes."""


@dataclass(frozen=True, eq=False)
class DawidSkeneFit:
    """The fitted model with codes.

    `posterior` (q, k), NaN where an item has no vote; `label` (q,) of highest probability, -1 where unknown, the
    lowest code of those `tied` (q,); `confusion` (w, k, k) probability of an answer given [true, answered]; `met`
    (w, k) the expected number of the rater's votes on items of a class: where it is 0, that row of `confusion` is
    uniform over the answers the rater used; `prior` (k,) of the classes; `accuracy` (w,) prior times diagonal, over
    the classes that the rater met, NaN without votes; `log_likelihood` (iterations,) of the votes at each E-step.
    """

    posterior: Floats
    label: Codes
    tied: NDArray[np.bool_]
    confusion: Floats
    met: Floats
    prior: Floats
    accuracy: Floats
    log_likelihood: Floats
    iterations: int
    converged: bool

    def observed_confusion(self, rater: int) -> Floats:
        """Return one rater's confusion matrix (k, k), NaN in the rows of classes that the rater never met."""
        return np.where(self.met[rater][:, None] > 0, self.confusion[rater], np.nan)


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """By item: `label`, `posterior` (k,) and `tied`; by rater: `accuracy` and `confusion` (k, k).

    Arrays are in the order of `options`, confusion matrices as [true, answered]; `fit` holds the same by code.
    """

    options: tuple[Any, ...]
    label: dict[Any, Any]
    posterior: dict[Any, Floats]
    tied: dict[Any, bool]
    accuracy: dict[Any, float]
    confusion: dict[Any, Floats]
    prior: dict[Any, float]
    fit: DawidSkeneFit


def fit(
    rater: ArrayLike, item: ArrayLike, label: ArrayLike, spec: DawidSkeneSpec | None = None
) -> DawidSkene:
    """Estimate true labels and raters' confusion matrices.

    Parameters
    ----------
    rater, item, label : (N,) any ids
    spec : convergence criterion

    Returns
    -------
    DawidSkene
        of all items and raters that occur; options are the labels that occur, sorted.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Not for few votes per rater: each rater's confusion matrix has k (k - 1) parameters; see `glad` for one parameter
    per rater. EM starts from the shares of votes and finds a local maximum; there may be others.
    Source: Dawid and Skene 1979, "Maximum likelihood estimation of observer error-rates using the EM
    algorithm", section 3.
    """
    encoded = encode_votes(rater, item, label)
    fitted = fit_votes(encoded.votes, spec)
    items, raters = encoded.item_ids.tolist(), encoded.rater_ids.tolist()
    return DawidSkene(
        encoded.options,
        {name: encoded.options[code] for name, code in zip(items, fitted.label.tolist(), strict=True)},
        dict(zip(items, fitted.posterior, strict=True)),
        dict(zip(items, fitted.tied.tolist(), strict=True)),
        dict(zip(raters, fitted.accuracy.tolist(), strict=True)),
        dict(zip(raters, fitted.confusion, strict=True)),
        dict(zip(encoded.options, fitted.prior.tolist(), strict=True)),
        fitted,
    )


def fit_votes(votes: Votes, spec: DawidSkeneSpec | None = None) -> DawidSkeneFit:
    """Fit Dawid-Skene to encoded votes (Dawid and Skene 1979, section 3, Eqs. 2.3 to 2.5)."""
    # `accuracy` is the sum of prior times the diagonal of the confusion matrix over the classes the rater met: the
    # probability that the rater is right about an item like those of the data set.
    unit_weights = np.ones((1, votes.raters)), np.ones((1, votes.items))
    final, history, converged = _em(votes, *unit_weights, DawidSkeneSpec() if spec is None else spec)
    posterior, confusion, class_mass, prior = (
        part[0] for part in (final.posterior, final.confusion, final.met, final.prior)
    )
    weight = np.where(class_mass > SMALLEST_PROBABILITY, prior, 0.0)
    total = weight.sum(axis=1)
    diagonal_sum = (weight * np.diagonal(confusion, axis1=1, axis2=2)).sum(axis=1)
    accuracy = np.where(total > 0, diagonal_sum / np.where(total > 0, total, 1.0), np.nan)
    label, tied = most_probable_option(posterior)
    return DawidSkeneFit(
        posterior,
        label,
        tied,
        confusion,
        class_mass,
        prior,
        accuracy,
        np.array(history),
        len(history),
        converged,
    )


def bootstrap_posteriors(
    votes: Votes, rater_weight: Floats, item_weight: Floats, spec: DawidSkeneSpec | None = None
) -> Floats:
    """Refit the model to each draw of raters and items (Owen 2007, "The pigeonhole bootstrap", section 2); NaN where
    a draw has no vote on an item."""
    return _em(votes, rater_weight, item_weight, DawidSkeneSpec() if spec is None else spec)[0].posterior


@dataclass(frozen=True, eq=False)
class _Result:
    """Result of EM in b draws: posterior (b, q, k), confusion (b, w, k, k), met (b, w, k), prior (b, k)."""

    posterior: Floats
    confusion: Floats
    met: Floats
    prior: Floats

    @classmethod
    def unknown(cls, votes: Votes, draws: int) -> "_Result":
        q, w, k = votes.items, votes.raters, votes.options
        return cls(
            np.full((draws, q, k), np.nan),
            np.zeros((draws, w, k, k)),
            np.zeros((draws, w, k)),
            np.full((draws, k), np.nan),
        )

    def store(self, samples: VoteSamples, state: "_State", ended: Flags) -> None:
        """Store the state of the draws that ended (b,)."""
        items, raters = ended[samples.items.draw], ended[samples.raters.draw]
        k = samples.options
        self.posterior.reshape(-1, k)[samples.items.index[items]] = state.posterior[:, items].T
        of_raters = samples.raters.index[raters]
        self.confusion.reshape(-1, k, k)[of_raters] = state.confusion[raters].swapaxes(1, 2)
        self.met.reshape(-1, k)[of_raters] = state.mass[raters].sum(axis=1)
        self.prior[samples.number[ended]] = state.prior[ended]


@dataclass(frozen=True, eq=False)
class _State:
    """State of the running draws: posterior (k, q), mass and confusion (w, k, k) as [answered, true], prior (b, k)."""

    posterior: Floats
    mass: Floats
    confusion: Floats
    prior: Floats

    def parts(self) -> tuple[Floats, ...]:
        return self.posterior, self.mass, self.confusion, self.prior

    def select_draws(self, samples: VoteSamples, mask: Flags) -> "_State":
        of_items, of_raters = mask[samples.items.draw], mask[samples.raters.draw]
        return _State(
            self.posterior[:, of_items], self.mass[of_raters], self.confusion[of_raters], self.prior[mask]
        )

    def replace_draws(self, samples: VoteSamples, is_replaced: Flags, other: "_State") -> "_State":
        """Return the state with the masked draws (b,) taken from another state."""
        of_raters = is_replaced[samples.raters.draw][:, None, None]
        masks = is_replaced[samples.items.draw], of_raters, of_raters, is_replaced[:, None]
        return _State(
            *(
                np.where(mask, new, old)
                for mask, old, new in zip(masks, self.parts(), other.parts(), strict=True)
            )
        )


def _em(
    votes: Votes, rater_weight: Floats, item_weight: Floats, spec: DawidSkeneSpec
) -> tuple[_Result, list[float], bool]:
    """Return the result of each draw, the log-likelihoods of the first draw, and whether all converged."""
    final = _Result.unknown(votes, len(rater_weight))
    samples = sample_votes(votes, rater_weight, item_weight)
    history: list[float] = []
    if not len(samples):
        return final, history, True
    is_running = np.ones(samples.draws, dtype=np.bool_)
    vote_weight = samples.raters.multiplicity[samples.rater]
    item_weight_sum = np.bincount(samples.item, vote_weight).astype(np.float64)
    required_gain = spec.tolerance * np.maximum(samples.sum_by_draw(item_weight_sum), 1)
    cells = samples.options * len(samples.items)
    posterior = np.bincount(samples.cell, vote_weight, cells).reshape(samples.options, -1) / item_weight_sum
    current = previous = _m_step(samples, posterior)
    previous_likelihood, em_point = np.full(samples.draws, -np.inf), None
    for step in range(spec.iterations):
        posterior, likelihood = _e_step(samples, current)
        if em_point is not None:
            has_dropped = ~(likelihood - previous_likelihood >= np.maximum(required_gain, 0)) & is_running
            if has_dropped.any():
                current = current.replace_draws(samples, has_dropped, em_point)
                posterior, likelihood = _e_step(samples, current)
        following = _m_step(samples, posterior)
        if samples.number[0] == 0 and is_running[0]:
            history.append(float(likelihood[0]))
        is_rising = (likelihood - previous_likelihood >= required_gain) & is_running
        if step == spec.iterations - 1:
            final.store(samples, following, is_running)
        elif (is_running & ~is_rising).any():
            final.store(samples, following, is_running & ~is_rising)
        is_running, previous_likelihood = is_rising, likelihood
        if not is_running.any():
            break
        if is_running.sum() <= COMPACT_BELOW * len(is_running):
            previous, current, following = (
                point.select_draws(samples, is_running) for point in (previous, current, following)
            )
            samples, previous_likelihood, required_gain = (
                samples.select_draws(is_running),
                previous_likelihood[is_running],
                required_gain[is_running],
            )
            is_running = np.ones(samples.draws, dtype=np.bool_)
        em_point = following if is_squarem_step(step) and not spec.plain else None
        previous, current = (
            current,
            following if em_point is None else _extrapolate(samples, previous, current, following),
        )
    return final, history, not is_running.any()


def _m_step(samples: VoteSamples, posterior: Floats) -> _State:
    """Return confusion matrices and prior from the posterior of the items (k, q), weighted by multiplicity."""
    k, raters = samples.options, len(samples.raters)
    weighed = np.ascontiguousarray((posterior * samples.items.multiplicity).T)
    mass = np.asarray(samples.answers_transposed @ weighed).reshape(raters, k, k)
    confusion = _normalize(np.maximum(mass, SMALLEST_PROBABILITY * samples.used[:, :, None]))
    return _State(posterior, mass, confusion, _normalize(samples.sum_by_draw(posterior).T))


def _extrapolate(samples: VoteSamples, first: _State, second: _State, third: _State) -> _State:
    """Extrapolate the confusion matrices and the prior by SQUAREM, with negative values set to 0."""
    one, two, three = ((point.confusion, point.prior) for point in (first, second, third))
    once, draws = np.ones(samples.draws), np.arange(samples.draws)
    leaps = squarem_step(one, two, three, (samples.raters.multiplicity, once), (samples.raters.draw, draws))
    confusion, prior = (_normalize(np.maximum(part, 0.0)) for part in leaps)
    return replace(third, confusion=confusion, prior=prior)


def _e_step(samples: VoteSamples, state: _State) -> tuple[Floats, Floats]:
    """Return the posterior of each item (k, q) and the log-likelihood (b,) of votes, with raters' multiplicities."""
    k = samples.options
    log_confusion = samples.raters.multiplicity[:, None, None] * np.log(
        np.maximum(state.confusion, SMALLEST_PROBABILITY)
    )
    score = samples.answers @ log_confusion.reshape(-1, k)
    score += np.log(np.maximum(state.prior, SMALLEST_PROBABILITY)).take(samples.items.draw, axis=0)
    score = np.ascontiguousarray(score.T)
    highest = score.max(axis=0)
    score -= highest
    likelihood = np.exp(score, out=score)
    total = likelihood.sum(axis=0)
    likelihood /= total
    return likelihood, samples.sum_by_draw(highest + np.log(total))


def _normalize(mass: Floats) -> Floats:
    """Divide by the sum over the second axis, unless it is 0."""
    total = mass.sum(axis=1, keepdims=True)
    return mass / np.where(total > 0, total, 1.0)
