"""Systems on one scale, from comparisons of pairs (Bradley-Terry): spec and results, cached."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal

import numpy as np

from analysis.items.rating_spread import effective_number
from analysis.systems.bradley_terry import Scale, fit_comparisons
from analysis.systems.clustered_intervals import sandwich_intervals
from analysis.systems.covariates import StyleEffects, style_effects
from analysis.systems.goodness_of_fit import (
    GoodnessOfFit,
    Pair,
    PairedVotes,
    PositionEffect,
    design_name,
    goodness_of_fit,
    list_pairs,
    paired_votes,
    position_effect,
)
from analysis.systems.scale_intervals import ScaleIntervals, chance_estimates
from analysis.values.estimate import BootstrapSpec, Estimate, Floats
from features.assessments import polls
from features.blocks import Progress
from features.study import ALL_GROUPS, OnProgress, Study, interval_stages, key_of, query, result

Axis = Literal["chance", "strength"]


@dataclass(frozen=True)
class ScaleSpec:
    """One scale for all systems.

    `designs` are the designs of comparison to use, all if empty; `style` names the numbers of outputs to adjust for,
    such as their length; `bootstrap` holds the level of the intervals, and draws and seed of the adjustment for all
    pairs; `axis` is what figures show. `weighted`: choices that have weights count by these.
    """

    designs: tuple[str, ...] = ()
    style: tuple[str, ...] = ()
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    axis: Axis = "chance"
    weighted: bool = True


@dataclass(frozen=True, eq=False)
class SystemsOnScale:
    """Systems on one scale.

    `fit` compares the scale with each pair's own result. `intervals` and `position`, the effect of being shown first,
    are None where they were not asked for; `style` has the scale adjusted for style, None without any. `what` is on the
    scale, which is based on `unit`s, each in a word.
    """

    votes: PairedVotes
    scale: Scale
    fit: GoodnessOfFit
    intervals: ScaleIntervals | None = None
    position: PositionEffect | None = None
    style: StyleEffects | None = None
    what: str = "system"
    unit: str = "comparison"

    @property
    def chances(self) -> dict[str, Estimate]:
        """Chance of each system to win against an average one, by its name, the strongest first."""
        return _by_name(self.scale, self.intervals)

    @property
    def adjusted_chances(self) -> dict[str, Estimate]:
        """The same with style adjusted for; empty where it is not."""
        return {} if self.style is None else _by_name(self.style.adjusted, self.style.intervals)

    @property
    def pairs(self) -> list[Pair]:
        """Every pair that was compared, or that the scale compares, the stronger system first."""
        return list_pairs(self.scale, self.intervals, self.fit)

    @property
    def total(self) -> int:
        """Number of units."""
        return len(self.votes.comparisons)

    def met(self, at: int) -> int:
        """Return the number of units that a system was in."""
        return int(self.scale.comparisons[at])

    @cached_property
    def effective(self) -> Floats | None:
        """Effective number of each system's comparisons (S,), None where all count alike."""
        of = self.votes.comparisons
        if of.weight is None:
            return None
        own = [(of.first == at) | (of.second == at) for at in range(len(of.systems))]
        return np.array([effective_number(of.weight[each]) for each in own])

    @property
    def has_scale(self) -> bool:
        """True where systems have a place on the scale."""
        return bool(self.scale.places)


def _by_name(scale: Scale, drawn: ScaleIntervals | None) -> dict[str, Estimate]:
    each = chance_estimates(scale, drawn)
    return {str(scale.systems[at]): each[at] for at in scale.order.tolist()}


def usable(intervals: ScaleIntervals | None) -> ScaleIntervals | None:
    """Return the intervals; None where there is a reason that there are none."""
    return None if intervals is None or intervals.reason else intervals


def designs_in(study: Study) -> tuple[str, ...]:
    """Return the designs that pairs of systems were compared under."""
    return tuple(dict.fromkeys(design_name(poll) for poll in polls(study)))


def scale_of(study: Study, spec: ScaleSpec) -> Scale:
    """Return the strength of each system, without intervals."""
    votes = _votes(study, spec)
    return result(_key(study, spec, "scale"), lambda: fit_comparisons(votes.comparisons))


def scale_stages(study: Study, spec: ScaleSpec) -> Iterator[SystemsOnScale | Progress]:
    """Yield the scale of all systems without intervals, unless these are there already; then with all there is."""
    bootstrap = spec.bootstrap if scale_of(study, spec).places else BootstrapSpec(draws=0)
    place = partial(_place, study, spec)
    yield from interval_stages(
        study, "Intervals of the scale", place, bootstrap, *_given(study, spec), spec.style
    )


def _place(
    study: Study, spec: ScaleSpec, bootstrap: BootstrapSpec, on_progress: OnProgress | None
) -> SystemsOnScale:
    """Return the systems on their scale; with draws also its intervals, the effect of position and that of style."""
    votes, scale = _votes(study, spec), scale_of(study, spec)
    of, clusters = votes.comparisons, (votes.item, votes.rater if study.raters_are_persons else None)
    fit = result(_key(study, spec, "fit of the scale"), lambda: goodness_of_fit(scale, of, *clusters))
    if not bootstrap.draws:
        return SystemsOnScale(votes, scale, fit)
    intervals = result(
        _key(study, spec, "intervals of the scale", bootstrap),
        lambda: sandwich_intervals(of, *clusters, bootstrap),
    )
    position = position_effect(of, votes.first_shown, *clusters, bootstrap.level)
    chosen, style = {} if study.candidate == ALL_GROUPS else {"group": study.candidate}, {}
    for name in spec.style:
        numbers = query(study.dataset, "option_numbers", told=name, **chosen)
        style[name] = votes.order_by_system(numbers["first"], numbers["second"])
    effects = style_effects(of, style, *clusters, bootstrap) if style else None
    return SystemsOnScale(votes, scale, fit, intervals, position, effects)


def _votes(study: Study, spec: ScaleSpec) -> PairedVotes:
    _, designs, weighted = _given(study, spec)
    return result(_key(study, spec, "paired votes"), lambda: paired_votes(polls(study), designs, weighted))


def _key(study: Study, spec: ScaleSpec, what: str, *parts: object) -> str:
    return key_of(study.dataset, what, *_given(study, spec), *parts)


def _given(study: Study, spec: ScaleSpec) -> tuple[str, tuple[str, ...], bool]:
    """Return the group, the designs and the weighting that every result depends on."""
    return study.candidate, spec.designs or designs_in(study), spec.weighted
