"""Repetition curves of the open study of choices: from votes to simulated curves, fits and draws, cached.

Above `LARGEST_BOOTSTRAP` items the curves rest on a seeded sample of them; the page says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.choice_repetition import resampled_curves, simulate
from analysis.repetitions.curves import Curves
from analysis.repetitions.fitted_curves import FittedCurves, fit_curves
from analysis.repetitions.knee_intervals import knee_interval
from analysis.repetitions.rating_orders import reach
from analysis.values.estimate import BootstrapSpec
from analysis.values.votes import Codes, Votes
from analysis.workers.polls import Poll
from features.results import LARGEST_BOOTSTRAP, cached, key_of, long_result, part, result
from features.study import Study
from findings.repetitions.choice_curves import ALL_VOTES, EXPERT, GOLD, ChoiceView
from findings.repetitions.knee_table import SHUFFLES, Intervals
from findings.repetitions.rating_curves import Range


def truth_of(poll: Poll, against: str) -> Codes | None:
    """(items,) the option that each item's answer is held against, None for that of all votes."""
    return {GOLD: poll.gold, EXPERT: poll.expert, ALL_VOTES: None}[against]


def is_known(poll: Poll, against: str) -> bool:
    """Whether it is known of any item."""
    truth = truth_of(poll, against)
    return truth is None or bool((truth >= 0).any())


def range_of_votes(polls: Sequence[Poll], against: str) -> Range:
    """How far the curves of these polls can run."""
    counts = []
    for poll in polls:
        votes, truth, _ = _sampled(poll, against)
        each = votes.per_item
        counts.append(each[(each > 0) & (True if truth is None else truth >= 0)])
    every = np.concatenate(counts)
    usual = min((reach(one) for one in counts if len(one)), default=1)
    return Range(int(every.min()), usual, int(every.max()))


def _sampled(poll: Poll, against: str) -> tuple[Votes, Codes | None, NDArray[np.float64]]:
    """Votes, what is true and the order of a poll; of very many items a sample, those with a known answer first."""
    truth = truth_of(poll, against)
    if poll.votes.items <= LARGEST_BOOTSTRAP:
        return poll.votes, truth, poll.order
    order = np.random.default_rng(0).permutation(poll.votes.items)
    if truth is not None:
        order = order[np.argsort(truth[order] < 0, kind="stable")]
    taken = np.zeros(poll.votes.items, dtype=np.bool_)
    taken[order[:LARGEST_BOOTSTRAP]] = True
    kept = taken[poll.votes.item]
    return poll.votes.of(kept), truth, poll.order[kept]


def fitted_votes(study: Study, polls: Sequence[Poll], view: ChoiceView) -> tuple[FittedCurves, ...] | None:
    """All polls under one view, simulated from scratch and fitted together; None while that is stopped."""
    names = tuple(poll.name for poll in polls)

    def compute(on_progress: Callable[[float], object]) -> tuple[Curves, ...]:
        curves = []
        for at, poll in enumerate(polls):
            votes, truth, order = _sampled(poll, view.against)
            curves.append(simulate(votes, truth, view.spec, order, part(on_progress, at, len(polls))))
        return tuple(curves)

    label = f"Curves by {view.spec.weights}"
    curves = long_result(
        view_key(study, "choice curves", replace(view, sensitivity=0.0), names), label, compute
    )
    if curves is None:
        return None
    return result(
        view_key(study, "fitted choices", view, names),
        lambda: fit_curves(names, curves, view.sensitivity),
    )


def known_intervals(
    study: Study, fitted: Sequence[FittedCurves], view: ChoiceView, bootstrap: BootstrapSpec
) -> Intervals:
    """The intervals if their draws are there already."""
    draws = cached(_draws_key(study, view, bootstrap))
    return None if draws is None else _read(study, fitted, view, bootstrap, draws)


def intervals_of_votes(
    study: Study,
    polls: Sequence[Poll],
    fitted: Sequence[FittedCurves],
    view: ChoiceView,
    bootstrap: BootstrapSpec,
) -> Intervals:
    """The intervals, drawn under a progress line where need be; None while that is stopped."""

    def compute(on_progress: Callable[[float], object]) -> tuple[NDArray[np.float64], ...]:
        drawn = []
        for at, poll in enumerate(polls):
            votes, truth, _ = _sampled(poll, view.against)
            told = part(on_progress, at, len(polls))
            drawn.append(
                resampled_curves(votes, truth, view.spec, bootstrap, SHUFFLES, study.raters_are_persons, told)
            )
        return tuple(drawn)

    draws = long_result(_draws_key(study, view, bootstrap), "Intervals of curves and knees", compute)
    return None if draws is None else _read(study, fitted, view, bootstrap, draws)


def _read(
    study: Study,
    fitted: Sequence[FittedCurves],
    view: ChoiceView,
    bootstrap: BootstrapSpec,
    draws: Sequence[NDArray[np.float64]],
) -> Intervals:
    return result(
        view_key(study, "choice knees", view, bootstrap),
        lambda: tuple(
            knee_interval(one.curves, drawn, view.sensitivity, bootstrap.level, shares=True)
            for one, drawn in zip(fitted, draws, strict=True)
        ),
    )


def view_key(study: Study, what: str, view: ChoiceView, *parts: object) -> str:
    """The cache key of something made from the curves of one view."""
    return key_of(study.dataset, what, study.candidate, view, *parts)


def _draws_key(study: Study, view: ChoiceView, bootstrap: BootstrapSpec) -> str:
    """Draws depend neither on the number of shuffles nor on how the knee is found."""
    bare = replace(view, spec=replace(view.spec, shuffles=0), sensitivity=0.0)
    return view_key(study, "choice draws", bare, bootstrap)
