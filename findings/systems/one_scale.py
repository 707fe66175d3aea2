"""All systems on one scale from pairs of them: the fit, its intervals, how much standing first helps, and style."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.systems.bradley_terry import Scale, fit_comparisons
from analysis.systems.clustered_intervals import clustered
from analysis.systems.covariates import StyleEffects, style_effects
from analysis.systems.goodness_of_fit import GoodnessOfFit, goodness_of_fit
from analysis.systems.paired_votes import PairedVotes, paired_votes
from analysis.systems.scale_intervals import ScaleIntervals
from analysis.systems.scale_position import PositionEffect, position_effect
from analysis.values.estimate import BootstrapSpec
from features.polls import polls
from features.results import key_of, query, result
from features.study import ALL_GROUPS, Study


def paired_of(study: Study, designs: Sequence[str]) -> PairedVotes:
    """All comparisons under some designs."""
    return result(_key(study, designs, "paired votes"), lambda: paired_votes(polls(study), designs))


def scale_of(study: Study, designs: Sequence[str], paired: PairedVotes) -> Scale:
    """Every system's strength."""
    return result(_key(study, designs, "scale"), lambda: fit_comparisons(paired.comparisons))


def fit_of(study: Study, designs: Sequence[str], paired: PairedVotes, scale: Scale) -> GoodnessOfFit:
    """How well one scale fits."""
    return result(
        _key(study, designs, "fit of the scale"),
        lambda: goodness_of_fit(scale, paired.comparisons, paired.item, _persons(study, paired)),
    )


def intervals_of(
    study: Study, designs: Sequence[str], paired: PairedVotes, spec: BootstrapSpec
) -> ScaleIntervals:
    """Intervals, ranks and clusters."""
    return result(
        _key(study, designs, "intervals of the scale", spec),
        lambda: clustered(paired.comparisons, paired.item, _persons(study, paired), spec),
    )


def position_effect_of(
    study: Study, designs: Sequence[str], paired: PairedVotes, spec: BootstrapSpec
) -> PositionEffect:
    """How much standing first helps."""
    return result(
        _key(study, designs, "position effect", spec.level),
        lambda: position_effect(
            paired.comparisons, paired.first_shown, paired.item, _persons(study, paired), spec.level
        ),
    )


def style_of(
    study: Study, designs: Sequence[str], paired: PairedVotes, told: Sequence[str], spec: BootstrapSpec
) -> StyleEffects:
    """How much what is told of both outputs helps, such as their length, and the systems without its help."""

    def found() -> StyleEffects:
        chosen = {} if study.candidate == ALL_GROUPS else {"group": study.candidate}
        style = {}
        for name in told:
            numbers = query(study.dataset, "option_numbers", told=name, **chosen)
            style[name] = paired.by_system(numbers["first"], numbers["second"])
        return style_effects(paired.comparisons, style, paired.item, _persons(study, paired), spec)

    return result(_key(study, designs, "style", tuple(told), spec), found)


def plain_intervals_of(
    study: Study, designs: Sequence[str], paired: PairedVotes, style: StyleEffects, spec: BootstrapSpec
) -> ScaleIntervals:
    """Intervals of the scale on which style counts as it will, of the comparisons whose style is known."""
    known, persons = style.known, _persons(study, paired)
    if known.all():
        return intervals_of(study, designs, paired, spec)
    return result(
        _key(study, designs, "intervals beside style", style.names, spec),
        lambda: clustered(
            paired.comparisons.of(known),
            paired.item[known],
            None if persons is None else persons[known],
            spec,
        ),
    )


def _persons(study: Study, paired: PairedVotes) -> NDArray[np.int64] | None:
    """Who gave each vote; None where ids are only slots."""
    return paired.rater if study.raters_are_persons else None


def _key(study: Study, designs: Sequence[str], what: str, *spec: object) -> str:
    return key_of(study.dataset, what, study.candidate, tuple(designs), *spec)
