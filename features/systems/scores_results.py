"""Systems ranked by their scores, with and without the raters that a scenario excludes: spec and results, cached."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion, ExclusionSpec, Method
from analysis.assessors.exclusion_intervals import Intervals
from analysis.systems.system_ranking import SystemRanking, system_ranking
from analysis.values.estimate import BootstrapSpec, Estimate, Scope
from features.assessments import names
from features.blocks import Progress
from features.exclusion import (
    cell_table,
    count_ratings,
    effective_ratings,
    exclusion,
    has_cached_intervals,
    score_intervals,
)
from features.plotting.theme import THREE_DIGITS, NumberFormat, decimal
from features.study import Scenario, Study, difference_writer, score_ends, score_writer

PENALTY_WORDS = ("penalt", "error", "mistake", "badness", "annoy", "distort")
"""Beginnings of words in a measure's name with which low scores are the good ones."""


@dataclass(frozen=True)
class ScoresSpec:
    """Scores of systems by one measure.

    `lowest_first` says whether a low score is a good one, None that the measure's name says so. `method` is how a
    system's score is made from its cells, `bootstrap` how intervals are drawn; 0 draws give scores without them.
    `scope` says whom intervals and comparisons generalize to, None for raters like these from 6 raters on.
    """

    measure: str
    lowest_first: bool | None = None
    method: Method = "automatic"
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    scope: Scope | None = None

    @property
    def ranks_lowest_first(self) -> bool:
        """True where the lowest score comes first."""
        return low_is_good(self.measure) if self.lowest_first is None else self.lowest_first

    @property
    def exclusion(self) -> ExclusionSpec:
        """Spec of the scores and their intervals."""
        return ExclusionSpec(
            method=self.method, draws=self.bootstrap.draws, seed=self.bootstrap.seed, scope=self.scope
        )


def low_is_good(measure: str) -> bool:
    """Return True where a measure's name says that low scores are the good ones.

    >>> low_is_good("mqm_penalty"), low_is_good("overall quality"), low_is_good("WER"), low_is_good("power")
    (True, False, True, False)
    """
    words = measure.casefold().replace("_", " ").replace("-", " ").split()
    return any(word.startswith(PENALTY_WORDS) or word == "wer" for word in words)


@dataclass(frozen=True, eq=False)
class RankedSystems:
    """Systems ranked by their scores on one measure.

    `ranking` is by the raters that count, `by_everyone` by all raters where some are excluded, else None; `names` are
    the systems' names by id. Without `has_persons` nobody is named who rated.
    `effective` is the effective number of each system's ratings, by id, where these have weights; `rating_range` holds
    the lowest and the highest rating that occur, `write_score` writes scores, `write_difference` differences.
    """

    ranking: SystemRanking
    by_everyone: SystemRanking | None
    names: NDArray[np.str_]
    exclusion: Exclusion
    raters: int
    has_persons: bool = True
    effective: Mapping[int, float] = field(default_factory=dict)
    rating_range: tuple[float, float] = (-inf, inf)
    write_score: NumberFormat = decimal
    write_difference: NumberFormat = THREE_DIGITS

    @property
    def ranked_names(self) -> list[str]:
        """Names of the ranked systems, the first on top."""
        return [str(name) for name in self.names[self.ranking.systems]]

    @property
    def scores(self) -> dict[str, Estimate]:
        """Score of each system by its name, the first on top."""
        return dict(zip(self.ranked_names, self.ranking.scores, strict=True))

    @property
    def letters(self) -> dict[str, str]:
        """Letters of each system by its name: systems that share one do not clearly differ."""
        return dict(zip(self.ranked_names, self.ranking.letters, strict=True))

    @property
    def scope(self) -> Scope | None:
        """Raters that intervals and comparisons generalize to; None before there are any."""
        return None if self.ranking.pairs is None else self.ranking.pairs.scope


def has_systems(study: Study, measure: str) -> bool:
    """Return True where items that the candidate rated on the measure have systems."""
    return cell_table(study, measure).has_systems


def count_raters(study: Study, measure: str, scenario: Scenario) -> int:
    """Return how many raters' ratings count in a ranking by the measure."""
    if not has_systems(study, measure):
        return 0
    found = exclusion(study, measure, scenario, ExclusionSpec())
    return found.raters_left if scenario.applied and scenario.excludes else found.raters


def ranking_stages(study: Study, scenario: Scenario, spec: ScoresSpec) -> Iterator[RankedSystems | Progress]:
    """Yield the ranking without intervals, unless these are there already; then with them."""
    rank = partial(_rank, study, scenario, spec)
    given = study, spec.measure, scenario, spec.exclusion
    if not spec.bootstrap.draws or not has_cached_intervals(*given):
        yield rank(None)
    if spec.bootstrap.draws:
        yield Progress("Intervals of the scores")
        yield rank(score_intervals(*given))


def _rank(study: Study, scenario: Scenario, spec: ScoresSpec, drawn: Intervals | None) -> RankedSystems:
    measure, excludes = spec.measure, scenario.applied and scenario.excludes
    found = exclusion(study, measure, scenario, spec.exclusion)

    def rank(without: bool) -> SystemRanking:
        ratings = count_ratings(study, measure, scenario if without else Scenario())
        return system_ranking(found, drawn, ratings, without, spec.ranks_lowest_first)

    return RankedSystems(
        ranking=rank(excludes),
        by_everyone=rank(False) if excludes else None,
        names=names(study, "system"),
        exclusion=found,
        raters=found.raters_left if excludes else found.raters,
        has_persons=study.raters_are_persons,
        effective=effective_ratings(study, measure, scenario if excludes else Scenario()),
        rating_range=score_ends(study, measure),
        write_score=score_writer(study, measure),
        write_difference=difference_writer(study, measure),
    )
