"""Rankings with and without the excluded raters on every measure, and without each rater in turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion, ExclusionSpec
from analysis.assessors.exclusion_intervals import Intervals
from analysis.assessors.leave_one_out import LeaveOneOut, RandomDrops
from features import exclusion as rankings
from features.assessments import names
from features.study import Scenario, Study

Drawn = Mapping[str, tuple[Intervals, RandomDrops]]
"""Intervals and random exclusions by measure."""


@dataclass(frozen=True)
class RankingSpec:
    """Measure that ranks, and how scores are made and intervals drawn."""

    measure: str
    exclusion: ExclusionSpec = field(default_factory=ExclusionSpec)


@dataclass(frozen=True, eq=False)
class RankingChange:
    """Ranking by `measure` with everyone and without the excluded raters, and those by all measures.

    `what` is ranked, in the plural; `ranked` and `raters` are names by code. `drawn` is None while stopped and before
    intervals are drawn, `one_by_one` while stopped.
    """

    measure: str
    what: str
    ranked: NDArray[np.str_]
    raters: NDArray[np.str_]
    points: Mapping[str, Exclusion]
    drawn: Drawn | None = None
    one_by_one: LeaveOneOut | None = None

    @property
    def here(self) -> Exclusion:
        """The ranking by the measure chosen."""
        return self.points[self.measure]

    @property
    def intervals(self) -> Intervals | None:
        """Intervals of the measure chosen."""
        return None if self.drawn is None else self.drawn[self.measure][0]


def compare_points(study: Study, scenario: Scenario, spec: RankingSpec) -> RankingChange:
    """Compare the rankings without intervals."""
    measures = dict.fromkeys([spec.measure, *study.measures])
    points = {each: rankings.exclusion(study, each, scenario, spec.exclusion) for each in measures}
    return RankingChange(
        spec.measure,
        rankings.kind_of_ranked(study, spec.measure),
        rankings.names_of_ranked(study, spec.measure),
        names(study, "rater"),
        points,
    )


def compare_rankings(study: Study, scenario: Scenario, spec: RankingSpec) -> RankingChange:
    """Compare the rankings with and without the excluded raters, with intervals, and without each rater in turn."""
    return replace(
        compare_points(study, scenario, spec),
        drawn=rankings.exclusion_intervals(study, scenario, spec.exclusion),
        one_by_one=rankings.leave_one_out_of(study, spec.measure, spec.exclusion),
    )
