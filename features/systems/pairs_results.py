"""Shares of the preference for each of two systems: the spec, and its results, cached by method.

A rater's repeats of a comparison count as one vote, since raters are weighted by their agreement with the others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

from analysis.systems import preference as preference_module
from analysis.systems import system_ranking
from analysis.systems.preference import (
    CLOSED,
    DROPPED,
    EQUAL,
    GLAD,
    METHODS,
    PCCH,
    Preference,
    PreferenceSpec,
)
from analysis.systems.system_ranking import Design
from analysis.values.estimate import Estimate, Floats
from analysis.workers import glad, pcch
from analysis.workers.pcch import Difficulty
from analysis.workers.polls import Poll, polls_of_same_pair
from features.assessments import polls
from features.blocks import Progress
from features.study import Study, cached, check_known, key_of, long_result, query, result

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
        """True where the method of the verdict has shares, from enough items."""
        shares = self.preference.shares[verdict_method(self.preference)]
        return shares.defined and self.preference.items >= FEWEST_ITEMS


def verdict_method(preference: Preference) -> str:
    """Return PCC-H, or equal weights where too few of the items have the votes that PCC-H needs."""
    is_thin = preference.items >= FEWEST_ITEMS > preference.items - preference.below_minimum
    return EQUAL if is_thin and not preference.no_item_weights else PCCH


def find_designs(study: Study, comparison: str) -> tuple[Poll, list[Poll]]:
    """Return the comparison of a name, and those of the same systems that fit side by side with it."""
    there = polls(study.between_raters)
    by_name = {poll.name: poll for poll in there}
    check_known("comparison", [comparison], list(by_name))
    poll = by_name[comparison]
    same = polls_of_same_pair(poll, there)
    return poll, same if len(same) <= MOST_DESIGNS else [poll]


def pair_stages(study: Study, spec: PairSpec) -> Iterator[ComparedPair | Progress]:
    """Yield two systems with the intervals that are cached; then with those of closed methods, then with all."""
    found = preview_pair(study, spec)
    yield found
    if not found.answers:
        return
    first, *others = every = [_Parts(study, each, spec.shares) for each in found.designs]
    closed = [parts for parts in every if not (parts.has(EVERYONE) and parts.has((DROPPED,)))]
    if closed:
        yield Progress("Intervals")
        for parts in closed:
            reliability = parts.long_reliability()
            parts.long(EVERYONE, "Intervals", reliability)
            parts.long((DROPPED,), "Intervals with raters dropped", reliability)
        yield preview_pair(study, spec)
    fitted = [parts for parts in every if not parts.has((GLAD,))]
    pairs = product(others, _TOGETHER)
    differences = [pair for pair in pairs if cached(first.difference_key(*pair)) is None]
    if fitted or differences:
        yield Progress("Intervals of GLAD and of differences")
        for parts in fitted:
            parts.long((GLAD,), "Intervals of GLAD")
        for pair in differences:
            first.long_difference(*pair)
        yield preview_pair(study, spec)


def preview_pair(study: Study, spec: PairSpec) -> ComparedPair:
    """Return what is known of two systems at once: shares, and what is cached of their intervals and differences."""
    poll, designs = find_designs(study, spec.comparison)
    first, *others = (_Parts(study, each, spec.shares) for each in designs)
    differences: dict[str, dict[str, Estimate]] = {}
    for other in others:
        kept = [cached(first.difference_key(other, methods)) or {} for methods in _TOGETHER]
        known = {method: one for each in kept for method, one in each.items()}
        differences[other.poll.design] = {method: known[method] for method in METHODS if method in known}
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
    return result(_Parts(study, poll, spec).key("position"), lambda: preference_module.position_bias(*given))


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

    def has(self, methods: Sequence[str]) -> bool:
        return cached(self.key(methods)) is not None

    def compute(
        self,
        methods: Sequence[str],
        reliability: Floats | None = None,
        on_progress: Callable[[float], object] | None = None,
    ) -> Preference:
        given = self.effective(methods), methods, self.study.raters_are_persons, reliability, on_progress
        return preference_module.preference(self.poll.votes, self.poll.both_lists, *given)

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
        compute = partial(preference_module.bootstrap_reliabilities, self.poll.votes, self.spec)
        return long_result(self.key(RELIABILITIES), f"Reliabilities of raters, {self.poll.name}", compute)

    def difference_key(self, other: "_Parts", methods: Sequence[str]) -> str:
        return self.larger(other).key((self.poll.name, other.poll.name, *methods))

    def long_difference(self, other: "_Parts", methods: Sequence[str]) -> None:
        one, two = (
            Design(each.votes, each.both_lists, each.item_code, each.rater_code)
            for each in (self.poll, other.poll)
        )
        given = one, two, self.larger(other).effective(methods), methods, self.study.raters_are_persons
        label = f"Difference between {self.poll.design} and {other.poll.design}: {', '.join(methods)}"
        compute = partial(system_ranking.compare_designs, *given)
        long_result(self.difference_key(other, methods), label, compute)

    def larger(self, other: "_Parts") -> "_Parts":
        return max(self, other, key=lambda parts: len(parts.poll.votes))
