"""Curves of votes along their number, with fits, knees and intervals: spec and results, cached.

Above `LARGEST_BOOTSTRAP` items curves are computed from a seeded sample of them; the page says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec, Weights, resampled_curves, simulate
from analysis.repetitions.cost import Times, times_of
from analysis.repetitions.knee import USUAL, FittedCurves, KneeInterval, fit_curves
from analysis.repetitions.saturation import Curves
from analysis.values.estimate import BootstrapSpec
from analysis.values.types import Codes
from analysis.values.votes import Votes
from analysis.workers.polls import Poll
from features.assessments import polls
from features.blocks import Progress, last_of
from features.repetitions.ratings_results import (
    DEFAULT_SHUFFLES,
    SHUFFLES_OF_SAMPLE,
    Range,
    Repetitions,
    intervals_from,
    range_of_counts,
)
from features.results import LARGEST_BOOTSTRAP, OnProgress, cached, in_parts, key_of, result
from features.study import Study

GOLD, EXPERT, ALL_VOTES = "gold answer", "expert's answer", "answer of all votes"
AGAINST = (GOLD, EXPERT, ALL_VOTES)
"""Answers that the crowd's can be compared with, the best first."""


@dataclass(frozen=True)
class VotesSpec:
    """Curves of votes: how they are simulated, the answers they are compared with, Kneedle's S, and the intervals.

    `most` is the number of comparisons, the first ones, None for all.
    """

    curves: ChoiceRepetitionSpec
    against: str = ALL_VOTES
    sensitivity: float = 1.0
    bootstrap: BootstrapSpec = USUAL
    most: int | None = None

    @property
    def other_weights(self) -> "VotesSpec":
        """The same by the other way from votes to an answer."""
        other: Weights = "PCC-H" if self.curves.weights == "majority" else "majority"
        return replace(self, curves=replace(self.curves, weights=other))


def default_votes_spec(study: Study, bootstrap: BootstrapSpec = USUAL, most: int | None = None) -> VotesSpec:
    """Return the spec of a page on which nothing was chosen."""
    against = known_answers(study)[0]
    repetitions = range_of_votes(study, against).repetitions
    curves = ChoiceRepetitionSpec(DEFAULT_SHUFFLES, repetitions, bootstrap.seed)
    return VotesSpec(curves, against, bootstrap=bootstrap, most=most)


def known_answers(study: Study) -> list[str]:
    """Return what the answers of a study can be compared with, the best first."""
    truths = {against: [_truth_of(poll, against) for poll in polls(study)] for against in AGAINST}
    return [
        against
        for against, known in truths.items()
        if any(truth is None or (truth >= 0).any() for truth in known)
    ]


def _truth_of(poll: Poll, against: str) -> Codes | None:
    """Return the option (items,) that each item's answer is compared with, None for that of all votes."""
    return {GOLD: poll.gold, EXPERT: poll.expert, ALL_VOTES: None}[against]


def range_of_votes(study: Study, against: str) -> Range:
    """Return how far the curves of all polls can run."""
    counts = []
    for poll in polls(study):
        votes, truth, _ = _sampled(poll, against)
        each = votes.per_item
        counts.append(each[(each > 0) & (True if truth is None else truth >= 0)])
    return range_of_counts(counts)


def _sampled(poll: Poll, against: str) -> tuple[Votes, Codes | None, NDArray[np.float64]]:
    """Return votes, true answers and order of a poll; of very many items a sample, those with a known answer first."""
    truth = _truth_of(poll, against)
    if poll.votes.items <= LARGEST_BOOTSTRAP:
        return poll.votes, truth, poll.order
    order = np.random.default_rng(0).permutation(poll.votes.items)
    if truth is not None:
        order = order[np.argsort(truth[order] < 0, kind="stable")]
    taken = np.zeros(poll.votes.items, dtype=np.bool_)
    taken[order[:LARGEST_BOOTSTRAP]] = True
    kept = taken[poll.votes.item]
    return poll.votes.of(kept), truth, poll.order[kept]


def simulate_votes(study: Study, spec: VotesSpec) -> Repetitions:
    """Simulate and fit the curves of a study's votes, without intervals where these were stopped."""
    return last_of(vote_stages(study, spec))


def vote_stages(study: Study, spec: VotesSpec) -> Iterator[Repetitions | Progress]:
    """Yield the fitted curves, unless their intervals are there already; then with them. Nothing where stopped."""
    if (fitted := fitted_votes(study, spec)) is None:
        yield Repetitions((), ())
        return
    if not spec.bootstrap.draws or cached(_samples_key(study, spec)) is None:
        yield Repetitions((), fitted)
    if spec.bootstrap.draws:
        yield Progress("Intervals of curves and knees")
        yield Repetitions((), fitted, _intervals(study, spec, fitted))


def fitted_votes(study: Study, spec: VotesSpec) -> tuple[FittedCurves, ...] | None:
    """Return the curves of all polls under one spec, fitted together; None while stopped."""
    there = polls(study)[: spec.most]
    names = tuple(poll.name for poll in there)

    def of_poll(poll: Poll, on_progress: OnProgress) -> Curves:
        votes, truth, order = _sampled(poll, spec.against)
        return simulate(votes, truth, spec.curves, order, on_progress)

    key = _key(study, "choice curves", names, spec.curves, spec.against)
    curves = in_parts(key, f"Curves by {spec.curves.weights}", there, of_poll)
    if curves is None:
        return None
    return result(
        _key(study, "fitted choices", names, spec.curves, spec.against, spec.sensitivity),
        lambda: fit_curves(names, curves, spec.sensitivity),
    )


def _intervals(
    study: Study, spec: VotesSpec, fitted: Sequence[FittedCurves]
) -> tuple[KneeInterval, ...] | None:
    def resample(poll: Poll, on_progress: OnProgress) -> NDArray[np.float64]:
        votes, truth, _ = _sampled(poll, spec.against)
        given = spec.curves, spec.bootstrap, SHUFFLES_OF_SAMPLE, study.raters_are_persons
        return resampled_curves(votes, truth, *given, on_progress)

    label, there = "Intervals of curves and knees", polls(study)[: spec.most]
    samples = in_parts(_samples_key(study, spec), label, there, resample)
    key = _key(study, "choice knees", spec)
    return intervals_from(samples, key, fitted, spec.sensitivity, spec.bootstrap.level)


def times_of_votes(study: Study) -> Times:
    """Return the times of the votes."""

    def read() -> Times:
        there = polls(study)
        raters = np.concatenate([poll.votes.rater for poll in there])
        times = times_of(raters, np.concatenate([poll.seconds for poll in there]))
        return times.settled() if "@seconds" in study.dataset.mapping else times

    return result(_key(study, "times of votes"), read)


def _key(study: Study, what: str, *parts: object) -> str:
    return key_of(study.dataset, what, study.candidate, *parts)


def _samples_key(study: Study, spec: VotesSpec) -> str:
    """Return the cache key of the bootstrap samples, which depend neither on the shuffles nor on Kneedle's S."""
    bare = replace(spec, curves=replace(spec.curves, shuffles=0), sensitivity=0.0)
    return _key(study, "choice samples", bare)
