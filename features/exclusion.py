"""Scores of systems with and without the raters that a scenario excludes, cached.

Everything is by one measure and the candidate's ratings. Where items have no systems, the items themselves are ranked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.consistency import Assessments
from analysis.assessors.exclusion import (
    Exclusion,
    ExclusionRule,
    ExclusionSpec,
    exclusion_of_cells,
    exclusion_of_sums,
    intervals_of_cells,
    intervals_of_everyone,
)
from analysis.assessors.exclusion_intervals import Intervals
from analysis.assessors.leave_one_out import LeaveOneOut, RandomDrops, leave_one_out, random_drops
from analysis.items.rating_spread import effective_number
from analysis.pairs.paired_differences import PairedDifferences, compare_cells
from analysis.pairs.system_table import Cells, RankedCells, build_cells, cells_from_sums
from analysis.pairs.system_table import cells_from_codes as ranked_of
from analysis.screening.observer_rejection import exclusion_gain
from analysis.values.estimate import Estimate, Scope, chosen_scope
from features.assessments import assessments, names
from features.blocks import EXCLUSION, Finding, Progress, R, S, uncertain
from features.plotting.theme import NumberFormat, share
from features.study import Scenario, Study, cached, key_of, long_result, query, read, report_part, result


def cell_table(study: Study, measure: str) -> RankedCells:
    """Return the table of systems (or items) by topics: as of one rater where sums suffice, else with all raters."""
    if _sums_suffice(study, measure):
        return RankedCells(_table_of_sums(study, measure), has_systems=True, has_topics=True)
    return rater_table(study, measure)


def _sums_suffice(study: Study, measure: str) -> bool:
    """Return True where each item is of one system and topic, so that sums per item give the cells' means."""
    whole = study.whole
    if whole.is_weighted or not whole.has_sums or not whole.has("system", "topic") or whole.has("condition"):
        return False
    rows = query(whole, "cell_sums", measure=measure, group=study.candidate)
    return bool(not rows["mixed"].any() and (rows["system"] >= 0).all() and (rows["topic"] >= 0).any())


def _table_of_sums(study: Study, measure: str, without: tuple[str, ...] = ()) -> Cells:
    """Return the table as of one rater, without the ratings of some."""
    rows = query(study.whole.leaving_out(without), "cell_sums", measure=measure, group=study.candidate)
    return cells_from_sums(rows["system"], rows["topic"], rows["total"], rows["count"].astype(np.float64))


def rater_table(study: Study, measure: str) -> RankedCells:
    """Return the table of systems (or items) by topics and raters, reading no more of the ratings than it needs."""

    def compute() -> RankedCells:
        if not study.whole.is_weighted and study.whole.has("system", "topic"):
            systems, topics, conditions, raters = (
                len(names(study, column)) for column in ("system", "topic", "condition", "rater")
            )
            labels = max(systems, conditions, topics)
            rows = read(study.whole, "cell_ratings", measure=measure, group=study.candidate, labels=labels)
            counted = topics, conditions, raters, study.raters_are_persons
            found = ranked_of(rows["place"], rows["score"], *counted)
            if found.has_topics:
                return found
        a = assessments(study, measure)
        system, topic, rater, score = a.ranking
        if not study.raters_are_persons:  # numbers of ratings say nothing of who is severe
            rater = np.zeros_like(rater)
        table = build_cells(system, topic, rater, score, _weights(study, measure))
        return RankedCells(table, a.has_systems, a.has_topics)

    return result(_key(study, "ranked", measure), compute)


def _weights(study: Study, measure: str) -> NDArray[np.float64] | None:
    """Return the weight of each rating that belongs to the ranking; None where there are none."""
    if not study.whole.is_weighted:
        return None
    rows = query(study.whole, "weights", measure=measure, group=study.candidate)
    weights: NDArray[np.float64] = rows["weight"][assessments(study, measure).ranked >= 0]
    return weights


def effective_ratings(study: Study, measure: str, scenario: Scenario) -> dict[int, float]:
    """Return the effective number of ratings of each system, by code; nothing without weights."""
    weights = _weights(study, measure)
    if weights is None:
        return {}
    system, _, rater, _ = assessments(study, measure).ranking
    stays = ~np.isin(rater, scenario.left_out_codes if scenario.applied else ())
    return {
        code: effective_number(weights[stays & (system == code)])
        for code in np.unique(system[stays]).tolist()
    }


def names_of_ranked(study: Study, measure: str) -> NDArray[np.str_]:
    """Return the names of what is ranked, by code: systems, or items where there are none."""
    return names(study, "system" if cell_table(study, measure).has_systems else "item")


def kind_of_ranked(study: Study, measure: str) -> str:
    """Return what is ranked, as a plural word."""
    return "systems" if cell_table(study, measure).has_systems else "items"


def count_ratings(study: Study, measure: str, scenario: Scenario) -> NDArray[np.int64]:
    """Return the number of ratings of each system, without those of excluded raters where the scenario is applied."""
    gone = scenario.left_out_codes if scenario.applied else ()
    table = cell_table(study, measure).table
    if study.whole.is_weighted:
        system, _, rater, _ = assessments(study, measure).ranking
        at = np.searchsorted(table.systems, system[~np.isin(rater, gone)])
        return np.bincount(at, minlength=len(table.systems))
    if _sums_suffice(study, measure):
        left = _table_of_sums(study, measure, scenario.names if gone else ())
        at, counts = np.searchsorted(table.systems, left.systems)[left.system], left.counts
    else:
        stays = ~np.isin(table.raters, gone)[table.rater]
        at, counts = table.system[table.cell], table.counts * stays
    return np.bincount(at, counts, len(table.systems)).astype(np.int64)


def exclusion(study: Study, measure: str, scenario: Scenario, spec: ExclusionSpec) -> Exclusion:
    """Return scores and ranking before and after the exclusion, without intervals."""
    spec, gone = _without_topics(study, measure, spec), scenario.left_out_codes

    def compute() -> Exclusion:
        if not _sums_suffice(study, measure):
            found = exclusion_of_cells(rater_table(study, measure).table, gone, spec)
            return found if not study.whole.is_weighted else _counted(study, measure, found)
        raters = query(study.whole, "cell_raters", measure=measure, group=study.candidate)["rater"]
        left = _table_of_sums(study, measure, scenario.names)
        return exclusion_of_sums(cell_table(study, measure).table, left, raters, gone, spec)

    return result(_key(study, "exclusion", measure, gone, spec.method), compute)


def _counted(study: Study, measure: str, found: Exclusion) -> Exclusion:
    """Return the exclusion with numbers of ratings where the table holds their weights."""
    rater = assessments(study, measure).ranking[2]
    left = int((~np.isin(rater, found.excluded)).sum())
    return replace(found, ratings=len(rater), ratings_left=left)


def exclusion_intervals(
    study: Study, scenario: Scenario, spec: ExclusionSpec
) -> dict[str, tuple[Intervals, RandomDrops]] | None:
    """Return intervals and random exclusions of every chosen measure; None while stopped."""
    halves = 2 * len(study.measures)

    def compute(on_progress: Callable[[float], object]) -> dict[str, tuple[Intervals, RandomDrops]]:
        by_measure = {}
        for at, measure in enumerate(study.measures):
            drawing, dropping = (report_part(on_progress, 2 * at + half, halves) for half in (0, 1))
            drawn = result(
                _intervals_key(study, measure, scenario, spec),
                partial(_draw, study, measure, scenario, spec, drawing),
            )
            rows, point = assessments(study, measure).ranking, exclusion(study, measure, scenario, spec)
            weights = _weights(study, measure)
            drops = random_drops(*rows, point, _without_topics(study, measure, spec), dropping, weights)
            by_measure[measure] = drawn, drops
        return by_measure

    key = _drawn_key(study, "exclusion drawn", study.measures, scenario, spec)
    return long_result(key, "Intervals and random exclusions", compute)


def score_intervals(study: Study, measure: str, scenario: Scenario, spec: ExclusionSpec) -> Intervals | None:
    """Return intervals of one measure's scores, and all pairs; None while stopped."""
    key = _intervals_key(study, measure, scenario, spec)
    return long_result(key, "Intervals of the scores", partial(_draw, study, measure, scenario, spec))


def has_cached_intervals(study: Study, measure: str, scenario: Scenario, spec: ExclusionSpec) -> bool:
    """Return True where the intervals of one measure's scores are there already."""
    return cached(_intervals_key(study, measure, scenario, spec)) is not None


def system_differences(study: Study, measure: str, scenario: Scenario) -> PairedDifferences:
    """Compare all pairs of systems by the raters that count, as the ranking does."""
    ranked, gone = rater_table(study, measure), scenario.left_out_codes if scenario.applied else ()

    def compute() -> PairedDifferences:
        keep = ~np.isin(ranked.table.raters, gone)
        scope: Scope | None = None if study.raters_are_persons else "these raters"
        return compare_cells(ranked.table, keep, scope, has_topics=ranked.has_topics)

    return result(_key(study, "differences of systems", measure, gone), compute)


def leave_one_out_of(study: Study, measure: str, spec: ExclusionSpec) -> LeaveOneOut | None:
    """Return the change of the ranking without each single rater; None while stopped."""
    spec = _without_topics(study, measure, spec)
    return long_result(
        _key(study, "leave one out", measure, spec.method),
        "Leaving out each rater in turn",
        lambda on_progress: leave_one_out(
            *assessments(study, measure).ranking, spec.method, weight=_weights(study, measure)
        ),
    )


def _without_topics(study: Study, measure: str, spec: ExclusionSpec) -> ExclusionSpec:
    """Return the spec of plain means where there are no topics: no model has anything for systems to share."""
    return spec if cell_table(study, measure).has_topics else replace(spec, method="plain", has_topics=False)


def _draw(
    study: Study,
    measure: str,
    scenario: Scenario,
    spec: ExclusionSpec,
    on_progress: Callable[[float], object],
) -> Intervals:
    table, point = rater_table(study, measure).table, exclusion(study, measure, scenario, spec)
    rule = _rule_for_bootstrap(study, measure, scenario)
    here = _without_topics(study, measure, spec)
    if not study.raters_are_persons:  # rater ids are slots: there are no raters like these
        here = replace(here, scope="these raters")
    scope = chosen_scope(here.scope, point.raters_left)
    everyone = result(
        _key(study, "intervals with everyone", measure, point.method, here, scope),
        lambda: intervals_of_everyone(table, point.method, here, scope),
    )
    return intervals_of_cells(table, point, here, on_progress, rule, everyone)


def _rule_for_bootstrap(
    study: Study, measure: str, scenario: Scenario
) -> tuple[ExclusionRule, Assessments, tuple[int, ...]] | None:
    """Return the rule with the assessments that it looks at, where their topics are those of the ranking."""
    if scenario.rule is None:
        return None
    looks_at = study if scenario.rule.uses_identical_texts else study.between_raters
    judged, ranked = assessments(looks_at, scenario.judged_on), assessments(study, measure)
    alike = judged.condition.max(initial=-1) == ranked.condition.max(initial=-1)
    alike = alike and judged.has_topics == ranked.has_topics
    return (scenario.rule, judged, scenario.by_hand) if alike else None


def _intervals_key(study: Study, measure: str, scenario: Scenario, spec: ExclusionSpec) -> str:
    return _drawn_key(study, "intervals of scores", measure, scenario, spec)


def _drawn_key(study: Study, what: str, of: object, scenario: Scenario, spec: ExclusionSpec) -> str:
    rule = scenario.rule, scenario.judged_on, scenario.by_hand, study.merge
    return _key(study, what, of, scenario.left_out_codes, rule, spec)


def _key(study: Study, what: str, *parts: object) -> str:
    return key_of(study.whole, what, study.candidate, *parts)


def name_excluded(scenario: Scenario, one: str = "rater") -> str:
    """Return the excluded raters as a headline has them: the name of one, the number of several.

    >>> [name_excluded(Scenario(names=(name,))) for name in ("07", "crowd 07")]
    ['rater 07', 'crowd 07']
    >>> name_excluded(Scenario(names=("a", "b")), "judge")
    'the 2 excluded judges'
    """
    if len(scenario.names) != 1:
        return f"the {len(scenario.names)} excluded {one}s"
    (name,) = scenario.names
    return name if " " in name or name.casefold().startswith(one) else f"{one} {name}"


def largest_change(
    scenario: Scenario,
    what: str,
    before: Mapping[str, Estimate],
    after: Mapping[str, Estimate],
    write: NumberFormat = share,
    one: str = "rater",
) -> Finding:
    """Return the figure that changes most without the excluded raters.

    `what` names the figures ("accuracy with"), which `before` and `after` hold by name; `one` is the word for a rater.
    """
    values: dict[str, object] = {"who": name_excluded(scenario, one), "what": what}
    defined = [name for name in after if after[name].defined and name in before and before[name].defined]
    scope = f"in these {'answers' if one == 'judge' else 'judgments'}"
    if not defined:
        return uncertain("Without {who}, nothing can be compared with before.", values, name=EXCLUSION)
    most = max(defined, key=lambda name: abs(exclusion_gain(before[name].value, after[name].value)))
    old, new = write(before[most].value), write(after[most].value)
    if old == new:
        headline = "Without {who}, {what} {name} stays {new}."
    else:
        headline = "Without {who}, {what} {name} is {new} instead of {old}."
    values |= {"name": most, "new": new, "old": old}
    largest = f"the largest of {len(defined)} changes" if len(defined) > 1 else ""
    return uncertain(headline, values, largest, scope, name=EXCLUSION)


def exclusion_change(
    study: Study,
    scenario: Scenario,
    what: str,
    found: R,
    stages: Callable[[Study, S], Iterable[R | Progress]],
    spec: S,
    read: Callable[[R], Mapping[str, Estimate]],
    write: NumberFormat = share,
) -> Iterator[Finding]:
    """Yield the largest change of the figures that `read` finds, where raters are excluded.

    What was `found` is compared with the first of the `stages` with everyone.
    """
    if study.dataset.without:
        before = next(stage for stage in stages(study.everyone, spec) if not isinstance(stage, Progress))
        one = "judge" if study.whole.kind == "comprehension" else "rater"
        yield largest_change(scenario, what, read(before), read(found), write, one)
