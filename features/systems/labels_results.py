"""Labels of items: how common classes are, and how the labels of a crowd and of methods compare with known answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from analysis.systems import label_accuracy
from analysis.systems.label_accuracy import (
    ALONE,
    CLOSED,
    METHODS,
    ClassShares,
    CrowdAgainst,
    Gold,
    LabelAccuracy,
    class_shares,
    crowd_against,
)
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.workers import dawid_skene
from analysis.workers.dawid_skene import DawidSkeneFit
from analysis.workers.polls import Poll
from analysis.workers.worker_agreement import AgainstGold, against_gold
from features.assessments import by_design, polls, pooled
from features.blocks import Progress
from features.results import cached, key_of, long_result, result
from features.study import Study

T = TypeVar("T")
FEWEST_ITEMS = 10
"""Items below which nothing is concluded."""
ALL_COMPARISONS = "all comparisons"
AGGREGATED = tuple(method for method in METHODS if method != ALONE)
"""Methods that make one label of several votes."""


@dataclass(frozen=True)
class ClassesSpec:
    """Shares of the classes; `level` is that of their intervals."""

    level: float = 0.95


@dataclass(frozen=True)
class KnownSpec:
    """Labels compared with known answers.

    `known` says with whose answers the crowd's are compared, "gold" or "expert", "" for the first that are known.
    `comparison` is the pair of systems whose votes the methods aggregate, "" for the first. Dawid-Skene and GLAD are
    fitted again in each of `draws_of_fitted` samples. `method` and `rater` are those whose confusions are drawn, "" for
    no rater.
    """

    known: str = ""
    comparison: str = ""
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    draws_of_fitted: int = label_accuracy.DRAWS_OF_FITTED
    method: str = label_accuracy.MAJORITY
    rater: str = ""


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
    whole: CrowdAgainst
    parts: Mapping[str, CrowdAgainst]

    @property
    def rows(self) -> Mapping[str, CrowdAgainst]:
        """Agreement on all items first, where there are several parts, then on each part."""
        return {ALL_COMPARISONS: self.whole, **self.parts} if len(self.parts) > 1 else self.parts


@dataclass(frozen=True, eq=False)
class KnownFound:
    """All that is found for a `KnownSpec`; None where there is nothing to compare with.

    `same` is the share of the items to which two methods give the same label.
    """

    crowd: CrowdFound | None
    methods: LabelAccuracy | None
    same: Mapping[tuple[str, str], Estimate]
    raters: AgainstGold | None
    dawid_skene: DawidSkeneFit | None


def count_classes(study: Study, spec: ClassesSpec) -> ClassesFound:
    """Return how common each label is, and which are confused."""
    poll = polls(study)[0]
    key = key_of(study.dataset, "shares of classes", study.candidate, poll.name, spec)
    shares = result(key, lambda: class_shares(poll.votes, spec.level))
    return ClassesFound(poll.options, poll.votes.items, shares)


def compare_known(study: Study, spec: KnownSpec) -> KnownFound:
    """Compare labels with known answers: the crowd's, those of each method, and each rater's."""
    crowd = compare_crowd(study, spec)
    if not has_methods(study):
        return KnownFound(crowd, None, {}, None, None)
    methods = compare_methods(study, spec)
    raters, fit = compare_raters(study, spec), fit_raters(study, spec)
    return KnownFound(crowd, methods, compare_labels(methods), raters, fit)


def compare_crowd(study: Study, spec: KnownSpec) -> CrowdFound | None:
    """Compare the label that most raters give with the known answers; None where none are known."""
    poll = pooled(study)[0]
    known = spec.known or next(iter(poll.known_answers), "")
    if not known:
        return None

    def compare(part: Poll) -> CrowdAgainst:
        return result(
            key_of(study.dataset, "crowd against known", study.candidate, part.name, known),
            lambda: crowd_against(part.votes, part.known(known)),
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
    """Count the items with gold."""
    return _of(study, spec, "gold known", lambda poll: label_accuracy.gold_known(poll.votes, poll.gold))


def has_enough_gold(study: Study, spec: KnownSpec) -> bool:
    """Return True where enough items have gold to compare methods."""
    return count_gold(study, spec).items >= FEWEST_ITEMS


def compare_methods(
    study: Study, spec: KnownSpec, methods: Sequence[str] = METHODS, drawn: Sequence[str] = METHODS
) -> LabelAccuracy:
    """Compare the labels of some methods with gold; those `drawn` have intervals unless stopped."""
    labels = {method: _of(study, spec, method, partial(_label, study, spec, method)) for method in methods}
    samples: dict[str, label_accuracy.AccuracyDraws] = {}
    for method in drawn if count_gold(study, spec).items else ():
        found = _draw(study, spec, method)
        samples |= {} if found is None else {method: found}
    raters = poll_of(study, spec).votes.raters if study.raters_are_persons and drawn else None
    return label_accuracy.compared(labels, samples, raters, spec.bootstrap.level)


def method_stages(study: Study, spec: KnownSpec) -> Iterator[LabelAccuracy | Progress]:
    """Yield the methods compared with gold: closed ones first, then fitted models, then their intervals."""
    if not _are_intervals_kept(study, spec):
        yield compare_methods(study, spec, CLOSED, ())
        yield Progress("Dawid-Skene, GLAD and intervals")
        yield compare_methods(study, spec, METHODS, CLOSED)
        yield Progress("Intervals of Dawid-Skene and GLAD")
    yield compare_methods(study, spec)


def compare_labels(methods: LabelAccuracy) -> dict[tuple[str, str], Estimate]:
    """Return how often two methods give the same label, which needs no gold."""
    return label_accuracy.same_label({name: methods.labels[name] for name in AGGREGATED})


def compare_raters(study: Study, spec: KnownSpec) -> AgainstGold:
    """Compare each rater's votes with gold."""
    return _of(study, spec, "workers", lambda poll: against_gold(poll.votes, poll.gold))


def fit_raters(study: Study, spec: KnownSpec) -> DawidSkeneFit:
    """Fit each rater's confusions without gold."""
    return _of(study, spec, "Dawid-Skene fit", lambda poll: dawid_skene.fit_votes(poll.votes))


def _are_intervals_kept(study: Study, spec: KnownSpec) -> bool:
    """Return True where all intervals that are asked for are there already."""
    every = [(method, _bootstrap(study, spec, method)) for method in METHODS]
    keys = [_draws_key(study, spec, method, bootstrap) for method, bootstrap in every if bootstrap.draws]
    return all(cached(key) is not None for key in keys)


def _bootstrap(study: Study, spec: KnownSpec, method: str) -> BootstrapSpec:
    """Return how a method's accuracy is drawn: at most as often as takes seconds."""
    asked = spec.draws_of_fitted if method in label_accuracy.FITTED else spec.bootstrap.draws
    votes = len(poll_of(study, spec).votes)
    return replace(spec.bootstrap, draws=label_accuracy.affordable(asked, votes, method))


def _draw(study: Study, spec: KnownSpec, method: str) -> label_accuracy.AccuracyDraws | None:
    """Return a method's accuracy in all samples; None without any, and while stopped."""
    poll, bootstrap = poll_of(study, spec), _bootstrap(study, spec, method)
    if not bootstrap.draws:
        return None
    return long_result(
        _draws_key(study, spec, method, bootstrap),
        f"Intervals of {method}",
        lambda on_progress: label_accuracy.accuracy_draws(
            poll.votes, poll.gold, method, bootstrap, study.raters_are_persons, on_progress
        ),
    )


def _draws_key(study: Study, spec: KnownSpec, method: str, bootstrap: BootstrapSpec) -> str:
    return _key(study, spec, f"draws of {method}", bootstrap)


def _label(study: Study, spec: KnownSpec, method: str, poll: Poll) -> label_accuracy.Labels:
    posterior = fit_raters(study, spec).posterior if method == label_accuracy.DAWID_SKENE else None
    return label_accuracy.labelled(poll.votes, poll.gold, method, posterior)


def _of(study: Study, spec: KnownSpec, what: str, compute: Callable[[Poll], T]) -> T:
    """Return a quick result about the poll."""
    return result(_key(study, spec, what), lambda: compute(poll_of(study, spec)))


def _key(study: Study, spec: KnownSpec, what: str, *parts: object) -> str:
    return key_of(study.dataset, f"labels: {what}", study.candidate, poll_of(study, spec).name, *parts)
