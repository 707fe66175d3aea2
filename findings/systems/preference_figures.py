"""Preferences for one of two systems, cached: what can be told at once, and what is drawn with a progress line."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.systems import design_differences, position_effect, preference
from analysis.systems.design_differences import Design
from analysis.systems.preference import CLOSED, DROPPED, GLAD, METHODS, Preference, PreferenceSpec
from analysis.values.estimate import Estimate
from analysis.workers import glad, pcch
from analysis.workers.pcch import Difficulty
from analysis.workers.polls import Poll
from features.results import cached, key_of, long_result, result
from features.study import Study

QUICK_VOTES = 20_000
"""Votes up to which GLAD is fitted before the picture is drawn."""
MOST_CACHED = 2_000_000
"""Reliabilities, one per worker and draw, that are kept so that a step of the slider is quick."""
KEEPING = tuple(method for method in CLOSED if method != DROPPED)
"""Methods whose intervals do not change with how many are dropped, GLAD apart since it takes longer."""
RELIABILITIES = "reliabilities"
Floats = NDArray[np.float64]
OnProgress = Callable[[float], object]


def at_hand(study: Study, poll: Poll, spec: PreferenceSpec) -> Preference:
    """What can be told at once: closed figures, and every interval that is in the cache or a matter of moments."""
    closed = replace(spec, draws=0)
    at_once = result(_key(study, poll, closed, CLOSED), lambda: _computed(study, poll, closed, CLOSED))
    shares = dict(at_once.shares)
    if len(poll.votes) <= QUICK_VOTES:
        fitted = result(_key(study, poll, closed, (GLAD,)), lambda: _computed(study, poll, closed, (GLAD,)))
        shares |= fitted.shares
    reliability = cached(_key(study, poll, spec, RELIABILITIES))
    if reliability is not None and len(poll.votes) <= QUICK_VOTES:
        result(
            _key(study, poll, spec, (DROPPED,)),
            lambda: _computed(study, poll, spec, (DROPPED,), reliability=reliability),
        )
    for what in (KEEPING, (DROPPED,), (GLAD,)):
        part = cached(_key(study, poll, spec, what))
        if part is not None:
            shares |= part.shares
    return replace(at_once, shares={method: shares[method] for method in METHODS if method in shares})


def put_neighbours_in_cache(study: Study, designs: Sequence[Poll], spec: PreferenceSpec) -> None:
    """What can be told at once of one rater fewer and one more dropped: a step of the slider then waits for nothing."""
    most = min(each.votes.raters for each in designs) - 1
    for dropped in (spec.dropped + 1, spec.dropped - 1):
        if 0 <= dropped <= most:
            for each in designs:
                at_hand(study, each, replace(spec, dropped=dropped))


def is_missing(study: Study, poll: Poll, spec: PreferenceSpec) -> bool:
    """Return True where some interval is not in the cache yet."""
    return any(cached(_key(study, poll, spec, what)) is None for what in (KEEPING, (DROPPED,), (GLAD,)))


def put_in_cache(study: Study, designs: Sequence[Poll], spec: PreferenceSpec, methods: Sequence[str]) -> None:
    """Draws the intervals of all designs, with a progress line where it takes long."""
    for at, each in enumerate(designs):
        which = f" ({at + 1} of {len(designs)})" if len(designs) > 1 else ""
        if GLAD in methods:
            _long(study, each, spec, (GLAD,), f"Intervals of GLAD{which}")
            continue
        reliability = None
        if spec.draws * each.votes.raters <= MOST_CACHED:
            reliability = long_result(
                _key(study, each, spec, RELIABILITIES),
                f"Reliabilities in all draws{which}",
                partial(_reliabilities, each, spec),
            )
        _long(study, each, spec, KEEPING, f"Intervals{which}", reliability)
        _long(study, each, spec, (DROPPED,), f"Intervals with raters dropped{which}", reliability)


def between_designs(study: Study, first: Poll, second: Poll, spec: PreferenceSpec) -> dict[str, Estimate]:
    """The first system's share under one design less that under another, by method."""
    one, other = (Design(b.votes, b.both_lists, b.item_code, b.rater_code) for b in (first, second))
    largest = max(first, second, key=lambda poll: len(poll.votes))

    def compute(methods: Sequence[str], on_progress: OnProgress) -> dict[str, Estimate]:
        counts = _what_counts(largest, spec, methods)
        return design_differences.between_designs(
            one, other, counts, methods, study.raters_are_persons, on_progress
        )

    differences: dict[str, Estimate] = {}
    for methods, label in ((KEEPING, ""), ((DROPPED,), " with raters dropped"), ((GLAD,), " by GLAD")):
        key = _key(study, largest, spec, (first.name, second.name, *methods))
        of_methods = long_result(key, f"Difference between designs{label}", partial(compute, methods))
        differences |= of_methods or {}
    return {method: differences[method] for method in METHODS if method in differences}


def of_those_kept(study: Study, poll: Poll, spec: PreferenceSpec, at: int) -> Preference:
    """The methods that keep everyone, with intervals once they are drawn; GLAD as far as it is quick."""
    closed = replace(spec, draws=0, dropped=0)
    kept = _long(study, poll, spec, KEEPING, f"Intervals of all pairs ({at + 1})")
    if kept is None:
        kept = result(_key(study, poll, closed, KEEPING), lambda: _computed(study, poll, closed, KEEPING))
    if len(poll.votes) > QUICK_VOTES:
        return kept
    fitted = result(_key(study, poll, closed, (GLAD,)), lambda: _computed(study, poll, closed, (GLAD,)))
    return replace(kept, shares={**kept.shares, **fitted.shares})


def position_bias(study: Study, poll: Poll, spec: PreferenceSpec) -> Estimate:
    """The share of choices of whatever stood first."""
    return result(
        _key(study, poll, spec, "position"),
        lambda: position_effect.position_bias(
            poll.votes, poll.both_lists, poll.first_shown, spec.level, study.raters_are_persons
        ),
    )


def difficulty(study: Study, poll: Poll, spec: PreferenceSpec) -> tuple[Difficulty, Floats | None]:
    """How hard each item is by its votes, and by GLAD where that is quick."""
    return result(
        _key(study, poll, replace(spec, draws=0), "items"),
        lambda: (
            pcch.difficulty(poll.votes, spec.min_votes),
            glad.fit_votes(poll.votes).difficulty if len(poll.votes) <= QUICK_VOTES else None,
        ),
    )


def _long(
    study: Study,
    poll: Poll,
    spec: PreferenceSpec,
    methods: Sequence[str],
    label: str,
    reliability: Floats | None = None,
) -> Preference | None:
    return long_result(
        _key(study, poll, spec, methods),
        label,
        lambda on_progress: _computed(
            study, poll, spec, methods, reliability=reliability, on_progress=on_progress
        ),
    )


def _reliabilities(poll: Poll, spec: PreferenceSpec, on_progress: OnProgress) -> Floats:
    return preference.drawn_reliabilities(poll.votes, spec, on_progress)


def _computed(
    study: Study,
    poll: Poll,
    spec: PreferenceSpec,
    methods: Sequence[str],
    reliability: Floats | None = None,
    on_progress: OnProgress | None = None,
) -> Preference:
    counts = _what_counts(poll, spec, methods)
    return preference.preference(
        poll.votes, poll.both_lists, counts, methods, study.raters_are_persons, reliability, on_progress
    )


def _key(study: Study, poll: Poll, spec: PreferenceSpec, what: str | Sequence[str]) -> str:
    return key_of(
        study.dataset, "preference", study.candidate, poll.name, _what_counts(poll, spec, what), what
    )


def _what_counts(poll: Poll, spec: PreferenceSpec, what: str | Sequence[str]) -> PreferenceSpec:
    """Only one method depends on how many are dropped; of many votes GLAD is fitted once and not in draws."""
    if GLAD in what and len(poll.votes) > QUICK_VOTES:
        return replace(spec, dropped=0, draws=0)
    return spec if DROPPED in what else replace(spec, dropped=0)
