"""Systems ranked by their scores, with and without the raters that a scenario excludes: spec and results, cached."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import (
    Exclusion,
    ExclusionSpec,
    Method,
    exclusion_of_cells,
    exclusion_of_sums,
    intervals_of_cells,
)
from analysis.assessors.exclusion_intervals import Intervals, compare_cells
from analysis.assessors.exclusion_rules import ExclusionRule
from analysis.assessors.leave_one_out import LeaveOneOut, leave_one_out
from analysis.assessors.random_drops import RandomDrops, random_drops
from analysis.assessors.system_model import Cells, Ranked, as_of_one, cells
from analysis.assessors.system_model import ranked as ranked_of
from analysis.pairs.paired_differences import PairedDifferences
from analysis.systems.system_ranking import SystemRanking, system_ranking
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.scope import Scope
from features.assessments import Assessments, assessments, names
from features.results import cached, key_of, long_result, part, query, read, result
from features.study import Scenario, Study

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


def cell_table(study: Study, measure: str) -> Ranked:
    """The table of systems (or items) by topics: as of one rater where sums tell it, else with all raters."""
    if _sums_tell(study, measure):
        return Ranked(_of_sums(study, measure), has_systems=True, has_topics=True)
    return rater_table(study, measure)


def _sums_tell(study: Study, measure: str) -> bool:
    """Whether an item's ratings are all of one system and topic, so that sums per item tell the cells' means; not where
    some name no system, or none a topic, and where topics have conditions."""
    whole = study.whole
    if not whole.has_sums or not whole.has("system", "topic") or whole.has("condition"):
        return False
    rows = query(whole, "cell_sums", measure=measure, group=study.candidate)
    return bool(not rows["mixed"].any() and (rows["system"] >= 0).all() and (rows["topic"] >= 0).any())


def _of_sums(study: Study, measure: str, without: tuple[str, ...] = ()) -> Cells:
    """The table as of one rater, without what some gave."""
    rows = query(study.whole.leaving_out(without), "cell_sums", measure=measure, group=study.candidate)
    return as_of_one(rows["system"], rows["topic"], rows["total"], rows["count"].astype(np.float64))


def rater_table(study: Study, measure: str) -> Ranked:
    """The table of systems (or items) by topics and raters; of many ratings no more is read than it takes."""

    def compute() -> Ranked:
        if study.whole.summed and study.whole.has("system", "topic"):
            rows = read(study.whole, "cell_ratings", measure=measure, group=study.candidate)
            systems, conditions = (len(names(study, column)) for column in ("system", "condition"))
            found = ranked_of(rows["cell"], rows["rater"], rows["score"], systems, conditions)
            if found.has_topics:
                return found
        a = assessments(study, measure)
        return Ranked(cells(*a.ranking), a.has_systems, a.has_topics)

    return result(_key(study, "ranked", measure), compute)


def names_of_ranked(study: Study, measure: str) -> NDArray[np.str_]:
    """Names of what is ranked, by code: systems, or items where there are none."""
    return names(study, "system" if cell_table(study, measure).has_systems else "item")


def kind_of_ranked(study: Study, measure: str) -> str:
    """What is ranked, as a plural word."""
    return "systems" if cell_table(study, measure).has_systems else "items"


def exclusion(study: Study, measure: str, scenario: Scenario, spec: ExclusionSpec) -> Exclusion:
    """Scores and ranking before and after, at once."""
    spec, gone = _without_topics(study, measure, spec), scenario.left_out_codes

    def compute() -> Exclusion:
        if not _sums_tell(study, measure):
            return exclusion_of_cells(rater_table(study, measure).table, gone, spec)
        raters = query(study.whole, "cell_raters", measure=measure, group=study.candidate)["rater"]
        left = _of_sums(study, measure, scenario.names)
        return exclusion_of_sums(cell_table(study, measure).table, left, raters, gone, spec)

    return result(_key(study, "exclusion", measure, gone, spec.method), compute)


def _without_topics(study: Study, measure: str, spec: ExclusionSpec) -> ExclusionSpec:
    """Where there are no topics each item belongs to one system, so there is nothing for a model to share."""
    return spec if cell_table(study, measure).has_topics else replace(spec, method="plain", has_topics=False)


def _in_scope(study: Study, spec: ExclusionSpec) -> ExclusionSpec:
    """Where rater ids are slots there are no raters like these."""
    return spec if study.raters_are_persons else replace(spec, scope="these raters")


def exclusion_intervals(
    study: Study, scenario: Scenario, spec: ExclusionSpec
) -> dict[str, tuple[Intervals, RandomDrops]] | None:
    """Intervals and random exclusions of every chosen measure; None while stopped."""

    def compute(on_progress: Callable[[float], object]) -> dict[str, tuple[Intervals, RandomDrops]]:
        by_measure = {}
        halves = 2 * len(study.measures)
        for at, measure in enumerate(study.measures):
            rows, first = assessments(study, measure).ranking, exclusion(study, measure, scenario, spec)
            by_measure[measure] = (
                result(
                    _drawn_key(study, "intervals of scores", measure, scenario, spec),
                    partial(_intervals, study, measure, scenario, spec, part(on_progress, 2 * at, halves)),
                ),
                random_drops(
                    *rows,
                    first,
                    _without_topics(study, measure, spec),
                    part(on_progress, 2 * at + 1, halves),
                ),
            )
        return by_measure

    return long_result(
        _drawn_key(study, "exclusion drawn", study.measures, scenario, spec),
        "Intervals and random exclusions",
        compute,
    )


def score_intervals(study: Study, measure: str, scenario: Scenario, spec: ExclusionSpec) -> Intervals | None:
    """Intervals of one measure's scores, and all pairs; None while stopped."""
    return long_result(
        _drawn_key(study, "intervals of scores", measure, scenario, spec),
        "Intervals of the scores",
        lambda on_progress: _intervals(study, measure, scenario, spec, on_progress),
    )


def count_ratings(study: Study, measure: str, scenario: Scenario) -> NDArray[np.int64]:
    """How many ratings each system has that a ranking knows of, without those left out where that is applied."""
    gone = scenario.left_out_codes if scenario.applied else ()
    table = cell_table(study, measure).table
    if _sums_tell(study, measure):
        left = _of_sums(study, measure, scenario.names if gone else ())
        at, counts = np.searchsorted(table.systems, left.systems)[left.system], left.counts
    else:
        stays = ~np.isin(table.raters, gone)[table.rater]
        at, counts = table.system[table.cell], table.counts * stays
    return np.bincount(at, counts, len(table.systems)).astype(np.int64)


def _intervals(
    study: Study,
    measure: str,
    scenario: Scenario,
    spec: ExclusionSpec,
    on_progress: Callable[[float], object],
) -> Intervals:
    first = exclusion(study, measure, scenario, spec)
    here = _in_scope(study, _without_topics(study, measure, spec))
    return intervals_of_cells(
        rater_table(study, measure).table, first, here, on_progress, _rule(study, measure, scenario)
    )


def _drawn_key(study: Study, what: str, of: object, scenario: Scenario, spec: ExclusionSpec) -> str:
    rule = scenario.rule, scenario.judged_on, scenario.by_hand, study.merge
    return _key(study, what, of, scenario.left_out_codes, rule, spec)


def _rule(
    study: Study, measure: str, scenario: Scenario
) -> tuple[ExclusionRule, Assessments, tuple[int, ...]] | None:
    """The rule with what it looks at, where its topics are those of the ranking."""
    if scenario.rule is None:
        return None
    looks_at = study if scenario.rule.looks_at_repeats else study.between_raters
    judged, ranked = assessments(looks_at, scenario.judged_on), assessments(study, measure)
    alike = judged.condition.max(initial=-1) == ranked.condition.max(initial=-1)
    alike = alike and judged.has_topics == ranked.has_topics
    return (scenario.rule, judged, scenario.by_hand) if alike else None


def leave_one_out_of(study: Study, measure: str, spec: ExclusionSpec) -> LeaveOneOut | None:
    """What leaving out each single rater does; None while stopped."""
    spec = _without_topics(study, measure, spec)
    return long_result(
        _key(study, "leave one out", measure, spec.method),
        "Leaving out each rater in turn",
        lambda on_progress: leave_one_out(*assessments(study, measure).ranking, spec.method),
    )


def _key(study: Study, what: str, *parts: object) -> str:
    return key_of(study.whole, what, study.candidate, *parts)


@dataclass(frozen=True, eq=False)
class RankedSystems:
    """Systems ranked by their scores on one measure.

    `ranking` is by the raters that count, `by_everyone` by all raters where some are excluded, else None; `names` are
    the systems' names by id; `resampled` says what the scores' intervals resample, "" without intervals.
    """

    ranking: SystemRanking
    by_everyone: SystemRanking | None
    names: NDArray[np.str_]
    exclusion: Exclusion
    raters: int
    has_topics: bool
    resampled: str = ""
    draws: int = 0

    @property
    def scores(self) -> dict[str, Estimate]:
        """Score of each system by its name, the first on top."""
        called = self.names[self.ranking.systems].tolist()
        return dict(zip(called, self.ranking.scores, strict=True))

    @property
    def scope(self) -> Scope | None:
        """Raters that intervals and comparisons generalize to; None before there are any."""
        return None if self.ranking.pairs is None else self.ranking.pairs.scope

    @property
    def letters(self) -> dict[str, str]:
        """Letters of each system by its name: systems that share one do not clearly differ."""
        return dict(zip(self.names[self.ranking.systems].tolist(), self.ranking.letters, strict=True))


def has_systems(study: Study, measure: str) -> bool:
    """Return True where items that the candidate rated on the measure have systems."""
    return cell_table(study, measure).has_systems


def count_all_ratings(study: Study, measure: str) -> int:
    """Return how many ratings of systems the candidate gave on the measure."""
    return int(count_ratings(study, measure, Scenario()).sum())


def count_raters(study: Study, measure: str, scenario: Scenario) -> int:
    """Return how many raters' ratings count in a ranking by the measure."""
    if not has_systems(study, measure):
        return 0
    found = exclusion(study, measure, scenario, ExclusionSpec())
    return found.raters_left if scenario.applied and scenario.excludes else found.raters


def system_differences(
    study: Study, measure: str, scenario: Scenario, scope: Scope | None = None
) -> PairedDifferences:
    """Compare all pairs of systems by the raters that count, as the ranking does."""
    ranked, gone = rater_table(study, measure), scenario.left_out_codes if scenario.applied else ()

    def compute() -> PairedDifferences:
        keep = ~np.isin(ranked.table.raters, gone)
        of = scope if study.raters_are_persons else "these raters"
        return compare_cells(ranked.table, keep, of, has_topics=ranked.has_topics)

    return result(_key(study, "differences of systems", measure, gone, scope), compute)


def rank_systems(study: Study, scenario: Scenario, spec: ScoresSpec) -> RankedSystems | None:
    """Rank the systems of a study by their scores.

    Parameters
    ----------
    study : study of ratings whose items have systems (`has_systems`)
    scenario : raters to exclude, `Scenario()` for none
    spec : the measure, and how scores and intervals are computed; with 0 draws there are no intervals

    Returns
    -------
    RankedSystems
        None where the computation was stopped.
    """
    found = exclusion(study, spec.measure, scenario, spec.exclusion)
    drawn: Intervals | None = None
    if spec.bootstrap.draws:
        drawn = score_intervals(study, spec.measure, scenario, spec.exclusion)
        if drawn is None:
            return None
    excludes, low = scenario.applied and scenario.excludes, spec.ranks_lowest_first
    everyone = system_ranking(found, drawn, count_ratings(study, spec.measure, Scenario()), lowest_first=low)
    counted = count_ratings(study, spec.measure, scenario if excludes else Scenario())
    has_topics = cell_table(study, spec.measure).has_topics
    resampled = ""
    if drawn is not None and not drawn.reason:
        resampled = drawn.resampled_after if excludes else drawn.resampled_before
    return RankedSystems(
        ranking=system_ranking(found, drawn, counted, excludes, low),
        by_everyone=everyone if excludes else None,
        names=names(study, "system"),
        exclusion=found,
        raters=found.raters_left if excludes else found.raters,
        has_topics=has_topics,
        resampled=resampled if has_topics else resampled.replace("topics", "items"),
        draws=0 if drawn is None or drawn.reason else drawn.draws,
    )


def are_intervals_kept(study: Study, scenario: Scenario, spec: ScoresSpec) -> bool:
    """Return True where the intervals of the scores are there already."""
    return (
        cached(_drawn_key(study, "intervals of scores", spec.measure, scenario, spec.exclusion)) is not None
    )
