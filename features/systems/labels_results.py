"""Labels of items: how common classes are, and how the labels of a crowd and of methods compare with known answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from analysis.systems.label_accuracy import (
    ALONE,
    CLOSED,
    FITTED_DRAWS,
    GLAD,
    MAJORITY,
    METHODS,
    ClassShares,
    CrowdComparison,
    Gold,
    LabelAccuracy,
    affordable_draws,
    class_shares,
    compare_crowd_with_known,
    count_gold_items,
    label_accuracy,
    label_agreement,
)
from analysis.values.estimate import BootstrapSpec, Estimate, Scope
from analysis.workers import dawid_skene
from analysis.workers.dawid_skene import DawidSkeneFit
from analysis.workers.polls import Poll
from features.assessments import by_design, polls, pooled
from features.blocks import Progress, last_stage
from features.study import Study, cached, key_of, long_result, result

T = TypeVar("T")
FEWEST_ITEMS = 10
"""Items below which nothing is concluded."""
ALL_COMPARISONS = "all comparisons"
AGGREGATED = tuple(method for method in METHODS if method != ALONE)
"""Methods that make one label of several votes."""


@dataclass(frozen=True)
class ClassesSpec:
    """Shares of the classes, which leave nothing to choose."""


@dataclass(frozen=True)
class KnownSpec:
    """Labels compared with known answers.

    `known` says with whose answers the crowd's are compared, "gold" or "expert", "" for the first that are known.
    `comparison` is the pair of systems whose votes the methods aggregate, "" for the first. Dawid-Skene and GLAD are
    fitted again in each of `draws_of_fitted` samples. `method` and `rater` are those whose confusions are drawn, "" for
    no rater. Intervals of the methods hold for `scope`, by default as everywhere.
    """

    known: str = ""
    comparison: str = ""
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    draws_of_fitted: int = FITTED_DRAWS
    method: str = MAJORITY
    rater: str = ""
    scope: Scope | None = None


@dataclass(frozen=True, eq=False)
class ClassesFound:
    """Shares of the classes `options` on so many items."""

    options: tuple[str, ...]
    items: int
    shares: ClassShares


@dataclass(frozen=True, eq=False)
class CrowdFound:
    """The crowd's label compared with the answers `known`: of all items, and under each design or comparison."""

    known: str
    options: tuple[str, ...]
    whole: CrowdComparison
    parts: Mapping[str, CrowdComparison]

    @property
    def rows(self) -> Mapping[str, CrowdComparison]:
        """Agreement on all items first, where there are several parts, then on each part."""
        return {ALL_COMPARISONS: self.whole, **self.parts} if len(self.parts) > 1 else self.parts


def count_classes(study: Study, spec: ClassesSpec) -> ClassesFound:
    """Return how common each label is, and which are confused."""
    poll = polls(study)[0]
    key = key_of(study.dataset, "shares of classes", study.candidate, poll.name, spec)
    shares = result(key, lambda: class_shares(poll.votes))
    return ClassesFound(poll.options, poll.votes.items, shares)


def compare_known(study: Study, spec: KnownSpec) -> dict[str, object]:
    """Compare the labels of the crowd and of each method with known answers."""
    found: dict[str, object] = {"crowd": compare_crowd(study, spec)}
    if has_methods(study):
        methods = last_stage(method_stages(study, spec))
        found |= {"methods": methods, "same": compare_labels(methods), "Dawid-Skene": fit_raters(study, spec)}
    return found


def compare_crowd(study: Study, spec: KnownSpec) -> CrowdFound | None:
    """Compare the label that most raters give with the known answers; None where none are known."""
    poll = pooled(study)[0]
    known = spec.known or next(iter(poll.known_answers), "")
    if not known:
        return None

    def compare(part: Poll) -> CrowdComparison:
        return result(
            key_of(study.dataset, "crowd against known", study.candidate, part.name, known),
            lambda: compare_crowd_with_known(part.votes, part.known(known)),
        )

    parts = {part.name: compare(part) for part in by_design(study) if (part.known(known) >= 0).any()}
    return CrowdFound(known, poll.options, compare(poll), parts)


def has_methods(study: Study) -> bool:
    """Return False where answers are known, but none of them is gold."""
    known = pooled(study)[0].known_answers
    return not known or "gold" in known


def poll_of(study: Study, spec: KnownSpec) -> Poll:
    """Return the poll whose votes are aggregated."""
    there = polls(study)
    return next((poll for poll in there if poll.name == spec.comparison), there[0])


def count_gold(study: Study, spec: KnownSpec) -> Gold:
    return _of(study, spec, "gold known", lambda poll: count_gold_items(poll.votes, poll.gold))


def has_enough_gold(study: Study, spec: KnownSpec) -> bool:
    return count_gold(study, spec).items >= FEWEST_ITEMS


def compare_methods(study: Study, spec: KnownSpec, methods: Sequence[str] = METHODS) -> LabelAccuracy:
    """Compare the labels of some methods with gold, without intervals."""
    none = BootstrapSpec(draws=0)
    return _of(
        study, spec, f"labels by {methods}", lambda poll: label_accuracy(poll.votes, poll.gold, none, methods)
    )


def method_stages(study: Study, spec: KnownSpec) -> Iterator[LabelAccuracy | Progress]:
    """Yield the methods compared with gold: closed ones first, then all with their intervals, unless stopped."""
    if not has_enough_gold(study, spec):
        yield compare_methods(study, spec, AGGREGATED)
        return
    poll = poll_of(study, spec)
    votes = len(poll.votes)
    bootstrap = replace(spec.bootstrap, draws=affordable_draws(spec.bootstrap.draws, votes, MAJORITY))
    of_fitted = affordable_draws(spec.draws_of_fitted, votes, GLAD)
    key = _key(study, spec, "intervals", bootstrap, of_fitted, spec.scope)
    if cached(key) is None:
        yield compare_methods(study, spec, CLOSED)
        yield Progress("Dawid-Skene, GLAD and intervals")
    given = poll.votes, poll.gold, bootstrap, METHODS, of_fitted, study.raters_are_persons
    compute = partial(label_accuracy, *given, scope=spec.scope)
    drawn = long_result(key, "Intervals of the methods", compute)
    yield compare_methods(study, spec) if drawn is None else drawn


def compare_labels(methods: LabelAccuracy) -> dict[tuple[str, str], Estimate]:
    """Return how often two methods give the same label, which needs no gold."""
    return label_agreement({name: methods.labels[name] for name in AGGREGATED})


def fit_raters(study: Study, spec: KnownSpec) -> DawidSkeneFit:
    """Fit each rater's confusions without gold."""
    return _of(study, spec, "Dawid-Skene fit", lambda poll: dawid_skene.fit_votes(poll.votes))


def _of(study: Study, spec: KnownSpec, what: str, compute: Callable[[Poll], T]) -> T:
    return result(_key(study, spec, what), lambda: compute(poll_of(study, spec)))


def _key(study: Study, spec: KnownSpec, what: str, *parts: object) -> str:
    return key_of(study.dataset, f"labels: {what}", study.candidate, poll_of(study, spec).name, *parts)
