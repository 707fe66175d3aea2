"""Repetition curves of the open study of choices: from votes to simulated curves, fits and draws, shelved.

Above `LARGEST_BOOTSTRAP` items the curves rest on a seeded sample of them; the page says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.choice_repetition import (
    ChoiceRepetitionSpec,
    resampled_curves,
    simulate,
)
from analysis.repetitions.curves import Curves
from analysis.repetitions.knee import knee
from analysis.repetitions.knee_intervals import knee_interval
from analysis.repetitions.saturation import fit_all
from analysis.values.estimate import BootstrapSpec
from analysis.values.votes import Codes, Votes
from analysis.workers.polls import Poll
from findings.study import Study
from panels.parts.progress import long_result
from panels.parts.shelf import key_of, result, shelved
from panels.parts.store import LARGEST_BOOTSTRAP
from panels.repetitions.curves import Fitted
from panels.repetitions.knee_intervals import SHUFFLES, Intervals

GOLD, EXPERT, ALL_VOTES = "gold answer", "expert's answer", "answer of all votes"
AGAINST = (GOLD, EXPERT, ALL_VOTES)
"""What an item's answer can be held against, the best first."""


@dataclass(frozen=True)
class View:
    """What is looked at: how answers come about, what they are held against, and how the knee is found."""

    spec: ChoiceRepetitionSpec
    against: str
    sensitivity: float


def truth_of(poll: Poll, against: str) -> Codes | None:
    """(items,) the option that each item's answer is held against, None for that of all votes."""
    return {GOLD: poll.gold, EXPERT: poll.expert, ALL_VOTES: None}[against]


def is_known(poll: Poll, against: str) -> bool:
    """Whether it is known of any item."""
    truth = truth_of(poll, against)
    return truth is None or bool((truth >= 0).any())


def range_of_votes(there: Sequence[Poll], against: str) -> tuple[int, int]:
    """The largest number of votes that every item has, and the most that any has."""
    counts = []
    for poll in there:
        votes, truth, _ = _sampled(poll, against)
        each = votes.per_item
        counts.append(each[(each > 0) & (True if truth is None else truth >= 0)])
    every = np.concatenate(counts)
    return int(every.min()), int(every.max())


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


def fitted(study: Study, there: Sequence[Poll], view: View) -> tuple[Fitted, ...] | None:
    """All polls under one view, simulated from scratch and fitted together; None while that is stopped."""

    def compute(on_progress: Callable[[float], object]) -> tuple[Curves, ...]:
        found = []
        for at, poll in enumerate(there):
            votes, truth, order = _sampled(poll, view.against)
            told = _part(on_progress, at, len(there))
            found.append(simulate(votes, truth, view.spec, order, told))
        return tuple(found)

    label = f"Curves by {view.spec.weights}"
    curves = long_result(view_key(study, "choice curves", replace(view, sensitivity=0.0)), label, compute)
    if curves is None:
        return None
    return result(
        view_key(study, "fitted choices", view),
        lambda: tuple(
            Fitted(poll.name, c, f, knee(f.a, f.b, f.c, max(c.repetitions, 1), view.sensitivity), None)
            for poll, c, f in zip(there, curves, fit_all(curves), strict=True)
        ),
    )


def known_intervals(study: Study, found: Sequence[Fitted], view: View, bootstrap: BootstrapSpec) -> Intervals:
    """The intervals if their draws are there already."""
    draws = shelved(_draws_key(study, view, bootstrap))
    return None if draws is None else _read(study, found, view, bootstrap, draws)


def intervals(
    study: Study, there: Sequence[Poll], found: Sequence[Fitted], view: View, bootstrap: BootstrapSpec
) -> Intervals:
    """The intervals, drawn under a progress line where need be; None while that is stopped."""

    def compute(on_progress: Callable[[float], object]) -> tuple[NDArray[np.float64], ...]:
        drawn = []
        for at, poll in enumerate(there):
            votes, truth, _ = _sampled(poll, view.against)
            told = _part(on_progress, at, len(there))
            drawn.append(
                resampled_curves(votes, truth, view.spec, bootstrap, SHUFFLES, study.raters_are_persons, told)
            )
        return tuple(drawn)

    draws = long_result(_draws_key(study, view, bootstrap), "Intervals of curves and knees", compute)
    return None if draws is None else _read(study, found, view, bootstrap, draws)


def _read(
    study: Study,
    found: Sequence[Fitted],
    view: View,
    bootstrap: BootstrapSpec,
    draws: Sequence[NDArray[np.float64]],
) -> Intervals:
    return result(
        view_key(study, "choice knees", view, bootstrap),
        lambda: tuple(
            knee_interval(one.curves, drawn, view.sensitivity, bootstrap.level, shares=True)
            for one, drawn in zip(found, draws, strict=True)
        ),
    )


def _part(on_progress: Callable[[float], object], at: int, of: int) -> Callable[[float], object]:
    return lambda done: on_progress((at + done) / of)


def view_key(study: Study, what: str, view: View, *parts: object) -> str:
    """The cache key of something made from the curves of one view."""
    return key_of(study.dataset, what, study.candidate, view, *parts)


def _draws_key(study: Study, view: View, bootstrap: BootstrapSpec) -> str:
    """Draws depend neither on the number of shuffles nor on how the knee is found."""
    bare = replace(view, spec=replace(view.spec, shuffles=0), sensitivity=0.0)
    return view_key(study, "choice draws", bare, bootstrap)
