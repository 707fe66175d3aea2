"""Options on one scale, from rankings and best-worst choices: spec and results, cached."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from analysis.systems.bradley_terry import Scale, fit_comparisons
from analysis.systems.goodness_of_fit import GoodnessOfFit, PairedVotes, goodness_of_fit, position_effect
from analysis.systems.rank_agreement import BestWorstScores, Concordance, best_worst_scores, concordance
from analysis.systems.ranked_options import (
    RankedOptions,
    RankingScope,
    TaskScope,
    clusters,
    fit_ranked,
    implied_pairs,
    knows_position,
    scale_of_rankings,
)
from analysis.values.estimate import BootstrapSpec, Codes, Floats, Scope
from features.assessments import ranked
from features.blocks import Progress, last_of
from features.study import OnProgress, Study, interval_stages, key_of, query, result
from features.systems.scale_results import Axis, SystemsOnScale

MOST_OPTIONS = 200
"""Options that one scale is fitted to: pairs of more take too long."""


@dataclass(frozen=True)
class RankingSpec:
    """One scale for all options that were ranked.

    `bootstrap` holds the level of the intervals, and draws and seed of the adjustment for all pairs; `axis` is what
    figures show. `scope` and `tasks` say which raters and tasks intervals generalize to, None for the default.
    """

    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    axis: Axis = "chance"
    scope: Scope | None = None
    tasks: TaskScope | None = None

    @property
    def generalizes_to(self) -> RankingScope:
        """Return the raters and tasks together."""
        return RankingScope(self.scope, self.tasks)


@dataclass(frozen=True, eq=False)
class OptionsOnScale(SystemsOnScale):
    """Options on one scale, from rankings.

    `agreement` is Kendall's W with the `tasks` by name, None for best-worst choices, which have `counted` scores.
    """

    ranked: RankedOptions | None = None
    agreement: Concordance | None = None
    counted: BestWorstScores | None = None
    tasks: tuple[str, ...] = ()

    @property
    def rankings(self) -> RankedOptions:
        """Return the rankings."""
        assert self.ranked is not None
        return self.ranked

    @property
    def unit(self) -> str:
        """Return what the scale is based on, in a word."""
        return "choice" if self.rankings.is_best_worst else "ranking"

    @property
    def what(self) -> str:
        """Return what is on the scale, in a word."""
        return "item" if self.rankings.is_best_worst else "system"

    @property
    def has_too_many(self) -> bool:
        """Return True where there are too many options for one scale."""
        return len(self.rankings.options) > MOST_OPTIONS

    def met(self, at: int) -> int:
        """Return how many rankings an option was in."""
        return int(self.times[at])

    @cached_property
    def times(self) -> Codes:
        """Number of rankings of each option (S,)."""
        return np.bincount(self.rankings.option, minlength=len(self.rankings.options))

    @cached_property
    def mean_ranks(self) -> Floats:
        """Mean rank of each option (S,)."""
        total = np.bincount(self.rankings.option, self.rankings.rank, len(self.rankings.options))
        return np.asarray(total / np.maximum(self.times, 1))


def fit_options(study: Study, spec: RankingSpec) -> OptionsOnScale:
    """Place the options of rankings on one scale, with intervals, and say how far raters agree."""
    return last_of(option_stages(study, spec))


def option_stages(study: Study, spec: RankingSpec) -> Iterator[OptionsOnScale | Progress]:
    """Yield the scale of all options without intervals, unless these are there already; then with all there is."""
    yield from interval_stages(
        study,
        "Scale of rankings",
        partial(_place, study, spec.generalizes_to),
        spec.bootstrap,
        study.candidate,
        spec.generalizes_to,
    )


def _votes(study: Study) -> PairedVotes:
    return result(_key(study, "implied pairs"), lambda: implied_pairs(_on_scale(study)))


def _scale(study: Study) -> Scale:
    return result(_key(study, "scale of rankings"), lambda: fit_ranked(_on_scale(study), _votes(study)))


def _on_scale(study: Study) -> RankedOptions:
    """Return the rankings, none where there are too many options for one scale."""
    of = ranked(study)
    if len(of.options) <= MOST_OPTIONS:
        return of
    none = np.zeros(0, dtype=np.int64)
    return RankedOptions(none, none, none, np.zeros(0), np.zeros(0), of.options[:0])


def _place(
    study: Study, scope: RankingScope, bootstrap: BootstrapSpec, on_progress: OnProgress | None
) -> OptionsOnScale:
    """Return the options on their scale; with draws also its intervals, the effect of position and the agreement."""
    of, votes, scale, persons = ranked(study), _votes(study), _scale(study), study.raters_are_persons
    task, rater = clusters(of, persons, scope)
    by_task, by_rater = task[votes.row], None if rater is None else rater[votes.row]

    def fit_pairs() -> GoodnessOfFit:
        return goodness_of_fit(fit_comparisons(votes.comparisons), votes.comparisons, by_task, by_rater)

    fit = result(_key(study, "fit of rankings", scope), fit_pairs)
    if not bootstrap.draws:
        return OptionsOnScale(votes, scale, fit, ranked=of)
    intervals = scale_of_rankings(of, scale, votes, bootstrap, persons, scope)
    known, position = np.zeros(0, dtype=np.bool_), None
    if len(votes.comparisons):
        known = knows_position(of, votes)
    if known.any():
        position = position_effect(
            votes.comparisons.of(known),
            votes.first_shown[known],
            by_task[known],
            None if by_rater is None else by_rater[known],
            bootstrap.level,
        )
    agreement, counted = None, None
    if of.is_best_worst:
        counted = best_worst_scores(of, bootstrap.level, bootstrap.seed, persons, scope=scope)
    else:
        agreement = concordance(of, bootstrap.level, persons, scope)
    names = query(study.dataset, "item_names")["name"]
    tasks = () if agreement is None else tuple(names[agreement.tasks].tolist())
    return OptionsOnScale(
        votes,
        scale,
        fit,
        intervals,
        position,
        None,
        of,
        agreement,
        counted,
        tasks,
    )


def _key(study: Study, what: str, *parts: object) -> str:
    return key_of(study.dataset, what, study.candidate, *parts)
