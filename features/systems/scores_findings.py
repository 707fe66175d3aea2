"""Verdicts and tables of systems' scores: which system ranks first, and which systems differ."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from analysis.assessors.exclusion import PLAIN_MEANS
from analysis.pairs.paired_differences import FEWEST_RATERS
from analysis.systems.system_ranking import SystemRanking
from analysis.values.estimate import Estimate
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Table,
    Text,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    for_raters,
    name_of,
    not_applicable,
    not_enough_data,
    uncertain,
)
from features.plotting.theme import (
    count,
    decimal,
    p_value,
    write_rank,
)
from features.study import Scenario
from features.systems.scores_results import RankedSystems, ScoresSpec
from features.words import UNNAMED, Column, counted, estimate_columns, listed, table_of

MOST_LETTERS = 8
"""Letters at one system that can be read."""


def first_system_headline(
    names: Sequence[str], alike: Sequence[str], some_differ: bool, what: str = "system"
) -> tuple[str, dict[str, object]]:
    """Return the headline on the first of two systems or more, where those `alike` do not clearly differ from it."""
    first, *others = names
    values: dict[str, object] = {"first": name_of(first, what), "other": (alike or others)[0]}
    values |= {"others": count(len(others)), "alike": count(len(alike))}
    if not alike:
        rivals = "{other}" if len(others) == 1 else f"the other {{others}} {what}s"
        return f"{{first}} ranks above {rivals}.", values
    if not some_differ:
        return f"No two {what}s clearly differ.", values
    rivals = "{other}" if len(alike) == 1 else "{alike} others"
    return f"{{first}} ranks first, but {rivals} may be as good.", values


def missing_systems(group: str, measure: str) -> Finding:
    return not_enough_data(
        "Not enough data to rank systems: no item has one.",
        {},
        f"Ratings by {group} on {measure}",
        "choose another group or measure in the sidebar",
        next_step=NextStep("Map a column to system", "datasets.py"),
    )


def ranking_finding(ranked: RankedSystems, spec: ScoresSpec) -> Finding:
    """Return which system ranks first, and whether it differs from the others."""
    ranking, names = ranked.ranking, ranked.ranked_names
    if not names:
        headline = "Not enough data to rank systems: none has a rating."
        return not_enough_data(headline, {}, f"Measure: {spec.measure}")
    first, line = {"first": name_of(names[0])}, _evidence(ranked, spec)
    if len(names) == 1:
        return not_applicable("{first} is the only one, so there is no ranking.", first, *line)
    if ranking.pairs is None:
        return uncertain("{first} ranks first.", first, *line)
    if ranking.pairs.reason:
        headline, step = "Not enough data to say which systems differ.", _next_step(ranked)
        return not_enough_data(headline, {}, capitalized(ranking.reason), *_sizes(ranked), next_step=step)
    alike = [names[at] for at in np.flatnonzero(~ranking.pairs.is_different[0]) if at]
    headline, values = first_system_headline(names, alike, ranking.pairs.number_different > 0)
    unnamed = "" if "{first}" in headline else f"first: {names[0]}"
    return clear_if(not alike, headline, values, unnamed, *line)


def _evidence(ranked: RankedSystems, spec: ScoresSpec) -> list[str]:
    ranking, score, rank = ranked.ranking, ranked.ranking.scores[0], ""
    if ranking.has_comparisons:
        low, high = int(ranking.rank_low[0]), int(ranking.rank_high[0])
        rank = f"rank {low}" if low == high else f"rank {low}–{high}"
    return [
        f"{capitalized(spec.measure)} {ranked.write_score(score.value)}",
        confidence_interval(score, ranked.write_score),
        rank,
        _pairs_that_differ(ranking),
        _power(ranked) if ranking.pairs is not None and not ranking.pairs.number_different else "",
        *_sizes(ranked),
        "the lowest score ranks first" if spec.ranks_lowest_first else "",
    ]


def _sizes(ranked: RankedSystems) -> list[str]:
    """Return the numbers of systems and raters, and the scope where there is one."""
    return [
        counted(len(ranked.ranking), "system"),
        counted(ranked.raters, "rater") if ranked.has_persons else UNNAMED,
        "" if ranked.scope is None else for_raters(ranked.scope),
    ]


def _next_step(ranked: RankedSystems) -> NextStep | None:
    """Return the step to the other score or scope, where that is what is missing."""
    if ranked.ranking.reason == PLAIN_MEANS:
        return NextStep("Score by the additive model", "systems.py", {"method": "the additive model"})
    if ranked.scope != "raters like these" or ranked.raters >= FEWEST_RATERS:
        return None
    return NextStep("Compare for these raters", "systems.py", {"generalize": "these raters"})


def _power(ranked: RankedSystems) -> str:
    """Return which difference such a study finds, "" where that is not known."""
    pairs = ranked.ranking.pairs
    if pairs is None or isnan(pairs.detectable):
        return ""
    return f"a difference of {ranked.write_score(pairs.detectable)} would be found with 80% power"


def _pairs_that_differ(ranking: SystemRanking) -> str:
    pairs = ranking.pairs
    if pairs is None or pairs.reason:
        return ""
    return f"{count(pairs.number_different)} of {counted(pairs.pairs, 'pair')} differ"


def exclusion_finding(ranked: RankedSystems, scenario: Scenario) -> Finding:
    """Return how the ranking changes without the excluded raters, in these ratings."""
    change, lost, before = ranked.exclusion.change, ranked.exclusion.lost, ranked.by_everyone
    moved = int((change.shifts != 0).sum())
    values: dict[str, object] = {"who": scenario.who, "moved": count(moved)}
    headline = f"Without {{who}}, {'{moved} systems change' if moved else 'no system changes'} rank."
    if before is not None and len(before) and len(ranked.ranking):
        old, new = before.systems[0], ranked.ranking.systems[0]
        if old != new:
            headline = "Without {who}, {new} ranks first instead of {old}."
            values |= {"old": ranked.names[old], "new": name_of(ranked.names[new])}
    rho = change.spearman
    finding = clear(
        headline,
        values,
        f"Spearman's ρ with the ranking by everyone {decimal(rho.value, 3)}" if rho.defined else "",
        counted(len(change.systems), "system"),
        f"{counted(len(lost), 'system')} without ratings" if lost else "",
        "in these ratings",
        name="exclusion",
    )
    step = NextStep("Compare both rankings", "assessors.py", {"question": "What if they go"})
    return replace(finding, next_step=step)


def letters_are_readable(ranking: SystemRanking) -> bool:
    """Return True where there are letters, and few enough at each system to be read."""
    widest = max(map(len, ranking.letters), default=0)
    return ranking.has_comparisons and 0 < widest <= MOST_LETTERS


def rank_with_interval(ranking: SystemRanking, at: int) -> str:
    text = write_rank(ranking.rank[at])
    low, high = int(ranking.rank_low[at]), int(ranking.rank_high[at])
    return f"{text} ({low} to {high})" if ranking.has_comparisons else text


def ranking_table(ranked: RankedSystems, spec: ScoresSpec) -> Table:
    ranking, has_letters = ranked.ranking, letters_are_readable(ranked.ranking)
    score, *ends = estimate_columns("Score", ranking.scores, ranked.write_score)
    is_certain = ranking.rank_low == ranking.rank_high
    ranks = [
        write_rank(ranking.rank[at]) if is_certain[at] else rank_with_interval(ranking, at)
        for at in range(len(ranking))
    ]
    columns = [Column("System", ranked.ranked_names), score, Column("Rank", ranking.rank, ranks)]
    if ranking.has_comparisons:
        columns.append(Column("Letters", list(ranking.letters), None, has_letters))
        columns.append(Column("May be equal to", ranking.possibly_equal, count, not has_letters))
    columns.append(Column("Ratings", [score.n for score in ranking.scores], count))
    if ranked.effective:
        effective = [ranked.effective[system] for system in ranking.systems.tolist()]
        columns.append(Column("Effective n", effective, count))
    columns += ends
    if ranking.has_comparisons:
        columns.append(Column("Rank from", ranking.rank_low, count, False))
        columns.append(Column("Rank to", ranking.rank_high, count, False))
    return table_of(
        "systems", ("Systems by {measure}, the first on top.", {"measure": spec.measure}), columns
    )


def pairs_table(ranked: RankedSystems) -> Table:
    """Return one row per pair, the one ahead first: their difference with an interval that holds for all pairs."""
    pairs, names = ranked.ranking.pairs, ranked.names[ranked.ranking.systems]
    if pairs is None:
        raise ValueError("pairs need intervals")
    both = first, second = np.triu_indices(len(names), 1)
    of_pairs = zip(*(each[both].tolist() for each in (pairs.differences, pairs.low, pairs.high)), strict=True)
    caption = "Differences between systems, adjusted for topics and raters; their 95% CI hold for all pairs at once."
    columns = [
        Column("First", names[first]),
        Column("Second", names[second]),
        *estimate_columns("Difference", [Estimate(*each) for each in of_pairs], ranked.write_difference),
        Column("Adjusted p", pairs.p[both], p_value),
        Column("Differ", np.where(pairs.is_different[both], "yes", "no")),
    ]
    return table_of("pairs", caption, columns, f"All pairs: {_pairs_that_differ(ranked.ranking)}")


def ranking_notes(ranked: RankedSystems) -> list[Note]:
    """Return how scores are adjusted, which difference such a study finds, and which systems have no interval."""
    ranking, found, power = ranked.ranking, ranked.exclusion, _power(ranked)
    texts: list[Text] = []
    if found.method == "additive":
        texts.append(("Scores come from the additive model system + topic: {why}.", {"why": found.why}))
    if ranking.is_adjusted:
        texts.append(("Scores are adjusted for raters' severity, because not all raters rated the same.", {}))
    if power:
        texts.append(("In a study of this size, all pairs tested, {power}.", {"power": power}))
    bare = [name for name, score in ranked.scores.items() if isnan(score.low)]
    if 0 < len(bare) < len(ranked.scores):
        texts.append(("No interval for {who}: too few raters or items rate them.", {"who": listed(bare)}))
    return [Note(text) for text in texts]
