"""Dawid-Skene: every rater has a confusion matrix, and the true label of each item is worked out with it.

With the votes as a matrix of items by (rater, answer), both steps of EM are one product each. Every other step leaps
ahead (`analysis.workers.glad`).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.estimate import Codes, Flags, Floats, InputError
from analysis.values.votes import Votes, coded
from analysis.workers.glad import leap, leaps_at
from analysis.workers.polls import STILL_IN_HAND, DrawnVotes, drawn_votes, most_probable

LEAST = 1e-10
"""The smallest probability: an answer that never occurred stays possible."""


@dataclass(frozen=True)
class DawidSkeneSpec:
    """End of EM: where the log-likelihood of the votes rises by less than `tolerance` per vote, or after
    `iterations`, and then it has not converged.

    A `tolerance` of minus infinity always does all `iterations`, and these are EM's plain steps.

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
class DawidSkeneFit:
    """The model on codes.

    `posterior` (q, k), NaN where an item has no vote; `label` (q,) of highest probability, -1 where unknown,
    the lowest code of those `tied` (q,); `confusion` (w, k, k) probability of an answer given [true, answered];
    `met` (w, k) how many of the rater's votes were on items of a class, by the posterior: where it is 0 that
    row of `confusion` is uniform over the answers the rater used; `prior` (k,) of the classes; `accuracy` (w,)
    prior times diagonal, over the classes that the rater met, NaN without votes; `log_likelihood`
    (iterations,) of the votes at each E-step.
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

    def confusion_where_met(self, rater: int) -> Floats:
        """One rater's confusion matrix (k, k), NaN in the rows of classes that the rater never met."""
        return np.where(self.met[rater][:, None] > 0, self.confusion[rater], np.nan)


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """By item: `label`, `posterior` (k,) and `tied`; by rater: `accuracy` and `confusion` (k, k).

    Arrays are in the order of `options`, confusion matrices as [true, answered]; `fit` has them on codes.
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
    """True labels and raters' confusion matrices.

    Parameters
    ----------
    rater, item, label : (N,) any ids
    spec : when to stop

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
    Not with few votes per rater: a confusion matrix has k (k - 1) free numbers for each of them; see `glad` for one
    number per rater. EM starts from the shares of votes and goes on to the nearest maximum; there may be others.
    Source: Dawid and Skene 1979, "Maximum likelihood estimation of observer error-rates using the EM
    algorithm", section 3.
    """
    of = coded(rater, item, label)
    fitted = fit_votes(of.votes, spec)
    items, raters = of.item_ids.tolist(), of.rater_ids.tolist()
    return DawidSkene(
        of.options,
        {name: of.options[code] for name, code in zip(items, fitted.label.tolist(), strict=True)},
        dict(zip(items, fitted.posterior, strict=True)),
        dict(zip(items, fitted.tied.tolist(), strict=True)),
        dict(zip(raters, fitted.accuracy.tolist(), strict=True)),
        dict(zip(raters, fitted.confusion, strict=True)),
        dict(zip(of.options, fitted.prior.tolist(), strict=True)),
        fitted,
    )


def fit_votes(votes: Votes, spec: DawidSkeneSpec | None = None) -> DawidSkeneFit:
    """The same on codes (Dawid and Skene 1979, section 3, Eqs. 2.3 to 2.5)."""
    # `accuracy` is the sum over classes of prior times the diagonal of the confusion matrix, of the classes
    # the rater met: the chance that the rater is right about an item like those of the data set.
    once = np.ones((1, votes.raters)), np.ones((1, votes.items))
    final, history, converged = _em(votes, *once, DawidSkeneSpec() if spec is None else spec)
    posterior, confusion, met, prior = (
        part[0] for part in (final.posterior, final.confusion, final.met, final.prior)
    )
    weight = np.where(met > LEAST, prior, 0.0)
    total = weight.sum(axis=1)
    right = (weight * np.diagonal(confusion, axis1=1, axis2=2)).sum(axis=1)
    accuracy = np.where(total > 0, right / np.where(total > 0, total, 1.0), np.nan)
    label, tied = most_probable(posterior)
    return DawidSkeneFit(
        posterior,
        label,
        tied,
        confusion,
        met,
        prior,
        accuracy,
        np.array(history),
        len(history),
        converged,
    )


def posterior_draws(
    votes: Votes, rater_weight: Floats, item_weight: Floats, spec: DawidSkeneSpec | None = None
) -> Floats:
    """The whole fit again for each draw of raters and items (Owen 2007, "The pigeonhole bootstrap", section
    2); NaN where a draw holds no vote on an item."""
    return _em(votes, rater_weight, item_weight, DawidSkeneSpec() if spec is None else spec)[0].posterior


@dataclass(frozen=True, eq=False)
class _Final:
    """End of EM in b draws: posterior (b, q, k), confusion (b, w, k, k), met (b, w, k), prior (b, k)."""

    posterior: Floats
    confusion: Floats
    met: Floats
    prior: Floats

    @classmethod
    def unknown(cls, votes: Votes, draws: int) -> "_Final":
        q, w, k = votes.items, votes.raters, votes.options
        return cls(
            np.full((draws, q, k), np.nan),
            np.zeros((draws, w, k, k)),
            np.zeros((draws, w, k)),
            np.full((draws, k), np.nan),
        )

    def settle(self, held: DrawnVotes, state: "_State", ended: Flags) -> None:
        """Take those draws that ended (b,) from a state."""
        items, raters = ended[held.items.draw], ended[held.raters.draw]
        k = held.options
        self.posterior.reshape(-1, k)[held.items.place[items]] = state.posterior[:, items].T
        of_raters = held.raters.place[raters]
        self.confusion.reshape(-1, k, k)[of_raters] = state.confusion[raters].swapaxes(1, 2)
        self.met.reshape(-1, k)[of_raters] = state.mass[raters].sum(axis=1)
        self.prior[held.number[ended]] = state.prior[ended]


@dataclass(frozen=True, eq=False)
class _State:
    """The draws in hand: posterior (k, q), mass and confusion (w, k, k) as [answered, true], prior (b, k)."""

    posterior: Floats
    mass: Floats
    confusion: Floats
    prior: Floats

    def parts(self) -> tuple[Floats, ...]:
        return self.posterior, self.mass, self.confusion, self.prior

    def of_draws(self, held: DrawnVotes, kept: Flags) -> "_State":
        of_items, of_raters = kept[held.items.draw], kept[held.raters.draw]
        return _State(
            self.posterior[:, of_items], self.mass[of_raters], self.confusion[of_raters], self.prior[kept]
        )

    def with_draws(self, held: DrawnVotes, which: Flags, other: "_State") -> "_State":
        """The same, with the draws (b,) named taken from another."""
        of_raters = which[held.raters.draw][:, None, None]
        masks = which[held.items.draw], of_raters, of_raters, which[:, None]
        return _State(
            *(
                np.where(mask, new, old)
                for mask, old, new in zip(masks, self.parts(), other.parts(), strict=True)
            )
        )


def _em(
    votes: Votes, rater_weight: Floats, item_weight: Floats, spec: DawidSkeneSpec
) -> tuple[_Final, list[float], bool]:
    """Return where each draw ended, the log-likelihoods of the first draw, and whether all came to rest."""
    final = _Final.unknown(votes, len(rater_weight))
    held = drawn_votes(votes, rater_weight, item_weight)
    history: list[float] = []
    if not len(held):
        return final, history, True
    going = np.ones(held.draws, dtype=np.bool_)
    by_whom = held.raters.often[held.rater]
    given = np.bincount(held.item, by_whom).astype(np.float64)
    enough = spec.tolerance * np.maximum(held.by_draw(given), 1)
    cells = held.options * len(held.items)
    posterior = np.bincount(held.cell, by_whom, cells).reshape(held.options, -1) / given
    here = before = _m_step(held, posterior)
    last, safe = np.full(held.draws, -np.inf), None
    for step in range(spec.iterations):
        posterior, likelihood = _e_step(held, here)
        if safe is not None:
            fell = ~(likelihood - last >= np.maximum(enough, 0)) & going
            if fell.any():
                here = here.with_draws(held, fell, safe)
                posterior, likelihood = _e_step(held, here)
        after = _m_step(held, posterior)
        if held.number[0] == 0 and going[0]:
            history.append(float(likelihood[0]))
        rises = (likelihood - last >= enough) & going
        if step == spec.iterations - 1:
            final.settle(held, after, going)
        elif (going & ~rises).any():
            final.settle(held, after, going & ~rises)
        going, last = rises, likelihood
        if not going.any():
            break
        if going.sum() <= STILL_IN_HAND * len(going):
            before, here, after = (point.of_draws(held, going) for point in (before, here, after))
            held, last, enough = held.of_draws(going), last[going], enough[going]
            going = np.ones(held.draws, dtype=np.bool_)
        safe = after if leaps_at(step) and not spec.plain else None
        before, here = here, after if safe is None else _leap(held, before, here, after)
    return final, history, not going.any()


def _m_step(held: DrawnVotes, posterior: Floats) -> _State:
    """Confusion matrices and prior from what each item (k, q) seems to be, each item as often as it was drawn."""
    k, raters = held.options, len(held.raters)
    weighed = np.ascontiguousarray((posterior * held.items.often).T)
    mass = np.asarray(held.given @ weighed).reshape(raters, k, k)
    confusion = _normalised(np.maximum(mass, LEAST * held.used[:, :, None]))
    return _State(posterior, mass, confusion, _normalised(held.by_draw(posterior).T))


def _leap(held: DrawnVotes, first: _State, second: _State, third: _State) -> _State:
    """A leap of the confusion matrices and the prior; where it leads below 0, to 0."""
    one, two, three = ((point.confusion, point.prior) for point in (first, second, third))
    once, draws = np.ones(held.draws), np.arange(held.draws)
    leaps = leap(one, two, three, (held.raters.often, once), (held.raters.draw, draws))
    confusion, prior = (_normalised(np.maximum(part, 0.0)) for part in leaps)
    return replace(third, confusion=confusion, prior=prior)


def _e_step(held: DrawnVotes, state: _State) -> tuple[Floats, Floats]:
    """Return the posterior of each item (k, q) and the log-likelihood (b,) of votes, each rater as often as drawn."""
    k = held.options
    speaks = held.raters.often[:, None, None] * np.log(np.maximum(state.confusion, LEAST))
    score = held.answers @ speaks.reshape(-1, k)
    score += np.log(np.maximum(state.prior, LEAST)).take(held.items.draw, axis=0)
    score = np.ascontiguousarray(score.T)
    highest = score.max(axis=0)
    score -= highest
    likely = np.exp(score, out=score)
    total = likely.sum(axis=0)
    likely /= total
    return likely, held.by_draw(highest + np.log(total))


def _normalised(mass: Floats) -> Floats:
    """With sum 1 over the axis after the first, or 0."""
    total = mass.sum(axis=1, keepdims=True)
    return mass / np.where(total > 0, total, 1.0)
