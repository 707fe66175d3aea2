"""Shares of the preference for each of two systems: the spec, and its results, cached by method.

A rater's repeats of a comparison count as one vote, since raters are weighted by their agreement with the others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.systems import design_differences, position_effect, preference
from analysis.systems.design_differences import Design
from analysis.systems.preference import CLOSED, DROPPED, GLAD, METHODS, PCCH, Preference, PreferenceSpec
from analysis.values.estimate import Estimate
from analysis.workers import glad, pcch
from analysis.workers.pcch import Difficulty
from analysis.workers.polls import Poll, on_the_same_pair
from features.opening import check_known
from features.polls import polls
from features.results import cached, key_of, long_result, query, result
from features.study import Study

FEWEST_ITEMS = 10
"""Items that a verdict on two systems needs."""
MOST_DESIGNS = 3
"""Designs side by side; more would be too narrow on a phone."""
QUICK_VOTES = 20_000
"""Votes up to which GLAD is fitted before the first figure."""
MOST_CACHED = 2_000_000
"""Reliabilities, one per rater and bootstrap sample, that are cached so that a step of the slider is quick."""
EVERYONE = tuple(method for method in CLOSED if method != DROPPED)
"""Methods that drop no rater, without GLAD, which takes longer."""
RELIABILITIES = "reliabilities"
_TOGETHER = (EVERYONE, (DROPPED,), (GLAD,))
"""Methods that are computed and cached together."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairSpec:
    """The name of a comparison of two systems, how shares are computed, and whether all pairs are listed."""

    comparison: str
    shares: PreferenceSpec = field(default_factory=PreferenceSpec)
    all_pairs: bool = False


@dataclass(frozen=True, eq=False)
class ComparedPair:
    """Shares of two systems under each design in which they were compared, by the comparison's name.

    `poll` is the comparison asked for; `systems` names all systems of the study. `differences` holds the first system's
    share under the first design minus that under another, by the other design and by method.
    """

    poll: Poll
    designs: Sequence[Poll]
    spec: PreferenceSpec
    preferences: Mapping[str, Preference]
    systems: Sequence[str]
    differences: Mapping[str, Mapping[str, Estimate]]

    @property
    def preference(self) -> Preference:
        """Shares in the comparison asked for."""
        return self.preferences[self.poll.name]

    @property
    def answers(self) -> bool:
        """True where PCC-H has shares, from enough items for a verdict."""
        return self.preference.shares[PCCH].defined and self.preference.items >= FEWEST_ITEMS


def find_designs(study: Study, comparison: str) -> tuple[Poll, list[Poll]]:
    """Return the comparison of a name, and those of the same systems that fit side by side with it."""
    there = polls(study.between_raters)
    by_name = {poll.name: poll for poll in there}
    check_known("comparison", [comparison], list(by_name))
    poll = by_name[comparison]
    same = on_the_same_pair(poll, there)
    return poll, same if len(same) <= MOST_DESIGNS else [poll]


def compare_pair(study: Study, spec: PairSpec) -> ComparedPair:
    """Compare two systems by every method, with intervals and the differences between designs.

    Parameters
    ----------
    study : study of choices between two systems
    spec : the comparison, by its name, and how shares are computed

    Returns
    -------
    ComparedPair
        without the intervals whose computation was stopped.
    """
    for _ in compute_stages(study, spec):
        pass
    return preview_pair(study, spec)


def preview_pair(study: Study, spec: PairSpec) -> ComparedPair:
    """Return what is known of two systems at once: shares, and what is cached of their intervals and differences."""
    poll, designs = find_designs(study, spec.comparison)
    differences: dict[str, dict[str, Estimate]] = {}
    for other in designs[1:]:
        keys = _keys_of_difference(study, designs[0], other, spec.shares)
        known = {method: one for key in keys.values() for method, one in (cached(key) or {}).items()}
        differences[other.design] = {method: known[method] for method in METHODS if method in known}
    shares = {each.name: preview_shares(study, each, spec.shares) for each in designs}
    systems = query(study.dataset, "options")["name"].tolist()
    return ComparedPair(poll, designs, spec.shares, shares, systems, differences)


def preview_shares(study: Study, poll: Poll, spec: PreferenceSpec) -> Preference:
    """Return the shares of one comparison, with the intervals that are cached or a matter of moments."""
    parts, closed = _Parts(study, poll, spec), _Parts(study, poll, replace(spec, draws=0))
    at_once = closed.quick(CLOSED)
    shares = {**at_once.shares, **closed.quick_glad()}
    reliability = cached(parts.key(RELIABILITIES))
    if reliability is not None and parts.are_few:
        parts.quick((DROPPED,), reliability)
    for methods in _TOGETHER:
        kept = cached(parts.key(methods))
        shares |= kept.shares if kept is not None else {}
    return replace(at_once, shares={method: shares[method] for method in METHODS if method in shares})


def compute_stages(study: Study, spec: PairSpec) -> Iterator[str]:
    """Compute what `preview_pair` lacks; yield the label of each piece of work before it begins."""
    _, (first, *others) = find_designs(study, spec.comparison)
    every = [_Parts(study, each, spec.shares) for each in (first, *others)]
    for label, together in (("Intervals", _TOGETHER[:2]), ("Intervals of GLAD", _TOGETHER[2:])):
        missing = [parts for parts in every if any(cached(parts.key(each)) is None for each in together)]
        if missing:
            yield label
        for parts in missing:
            reliability = parts.long_reliability() if (DROPPED,) in together else None
            for methods in together:
                dropped = " with raters dropped" if methods == (DROPPED,) else ""
                parts.long(methods, label + dropped, reliability)
    for other in others:
        keys = _keys_of_difference(study, first, other, spec.shares)
        label = f"Difference between {first.design} and {other.design}"
        if any(cached(key) is None for key in keys.values()):
            yield label
            one, two = (Design(b.votes, b.both_lists, b.item_code, b.rater_code) for b in (first, other))
            for methods, key in keys.items():
                counts = _Parts(study, _larger(first, other), spec.shares).effective(methods)
                given = one, two, counts, methods, study.raters_are_persons
                what = f"{label}: {', '.join(methods)}"
                long_result(key, what, partial(design_differences.between_designs, *given))


def cache_neighbors(study: Study, spec: PairSpec) -> None:
    """Compute what is quick with one rater fewer and one more dropped, so that a step of the slider is instant."""
    poll, designs = find_designs(study, spec.comparison)
    most = min(each.votes.raters for each in designs) - 1
    for dropped in (spec.shares.dropped + 1, spec.shares.dropped - 1):
        if len(poll.votes) <= QUICK_VOTES and 0 <= dropped <= most:
            for each in designs:
                preview_shares(study, each, replace(spec.shares, dropped=dropped))


def shares_of_everyone(study: Study, poll: Poll, spec: PreferenceSpec) -> Preference:
    """Return the shares by methods that drop no rater, with intervals unless stopped; GLAD where that is quick."""
    closed = _Parts(study, poll, replace(spec, draws=0, dropped=0))
    kept = _Parts(study, poll, spec).long(EVERYONE, "Intervals for all pairs") or closed.quick(EVERYONE)
    return replace(kept, shares={**kept.shares, **closed.quick_glad()})


def position_bias(study: Study, poll: Poll, spec: PreferenceSpec) -> Estimate:
    """Return the share of choices of the system in first position."""
    given = poll.votes, poll.both_lists, poll.first_shown, spec.level, study.raters_are_persons
    return result(_Parts(study, poll, spec).key("position"), lambda: position_effect.position_bias(*given))


def item_difficulty(study: Study, poll: Poll, spec: PreferenceSpec) -> tuple[Difficulty, Floats | None]:
    """Return the difficulty of each item by its votes, and by GLAD where that is quick."""
    parts = _Parts(study, poll, replace(spec, draws=0))

    def compute() -> tuple[Difficulty, Floats | None]:
        fitted = glad.fit_votes(poll.votes).difficulty if parts.are_few else None
        return pcch.difficulty(poll.votes, spec.min_votes), fitted

    return result(parts.key("items"), compute)


@dataclass(frozen=True)
class _Parts:
    """Shares of one comparison, cached by the methods that are computed together."""

    study: Study
    poll: Poll
    spec: PreferenceSpec

    @property
    def are_few(self) -> bool:
        return len(self.poll.votes) <= QUICK_VOTES

    def effective(self, what: str | Sequence[str]) -> PreferenceSpec:
        """Only one method depends on how many are dropped; of many votes GLAD is fitted once, without intervals."""
        if GLAD in what and not self.are_few:
            return replace(self.spec, dropped=0, draws=0)
        return self.spec if DROPPED in what else replace(self.spec, dropped=0)

    def key(self, what: str | Sequence[str]) -> str:
        of = self.study.candidate, self.poll.name, self.effective(what), what
        return key_of(self.study.between_raters.dataset, "preference", *of)

    def compute(
        self,
        methods: Sequence[str],
        reliability: Floats | None = None,
        on_progress: Callable[[float], object] | None = None,
    ) -> Preference:
        given = self.effective(methods), methods, self.study.raters_are_persons, reliability, on_progress
        return preference.preference(self.poll.votes, self.poll.both_lists, *given)

    def quick(self, methods: Sequence[str], reliability: Floats | None = None) -> Preference:
        return result(self.key(methods), lambda: self.compute(methods, reliability))

    def quick_glad(self) -> Mapping[str, Estimate]:
        return self.quick((GLAD,)).shares if self.are_few else {}

    def long(
        self, methods: Sequence[str], label: str, reliability: Floats | None = None
    ) -> Preference | None:
        compute = partial(self.compute, methods, reliability)
        return long_result(self.key(methods), f"{label}, {self.poll.name}", compute)

    def long_reliability(self) -> Floats | None:
        """Return the reliabilities of raters in all bootstrap samples, None where they are too many to be cached."""
        if self.spec.draws * self.poll.votes.raters > MOST_CACHED:
            return None
        compute = partial(preference.drawn_reliabilities, self.poll.votes, self.spec)
        return long_result(self.key(RELIABILITIES), f"Reliabilities of raters, {self.poll.name}", compute)


def _keys_of_difference(
    study: Study, first: Poll, second: Poll, spec: PreferenceSpec
) -> dict[tuple[str, ...], str]:
    parts = _Parts(study, _larger(first, second), spec)
    return {methods: parts.key((first.name, second.name, *methods)) for methods in _TOGETHER}


def _larger(first: Poll, second: Poll) -> Poll:
    return max(first, second, key=lambda poll: len(poll.votes))
