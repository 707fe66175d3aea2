"""Raters who rank: who ranks like the others; results and section."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan, tanh

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.exclusion_intervals import ranking_change
from analysis.assessors.naming import FEWEST_UNITS, compare_with_typical, pooled_variance
from analysis.systems.rank_agreement import (
    correlation_with_others,
    correlation_with_position,
    rater_estimates,
)
from analysis.values.estimate import BootstrapSpec
from features.assessments import ranked
from features.blocks import Block, Heading, card_of, method_of
from features.program import computed_by
from features.raters.attributes_results import attributes_of
from features.raters.attributes_section import shares_blocks
from features.raters.consistency_section import (
    ORDER,
    PROGRAM,
    TABLE,
    WITH_OTHERS,
    leading_columns,
    rater_figure,
    undefined_notes,
)
from features.raters.exclusion_section import change_blocks
from features.raters.naming_findings import ComparedRaters, Statistic, naming_finding
from features.raters.ranking import RaterRanking, rank_raters
from features.raters.rater_results import RankingChange
from features.raters.workers import by_rater, rater_groups
from features.study import Scenario, Study, key_of, query, result
from features.systems.rankings import RankingSpec, fit_options
from features.words import table_of

WITH_MEAN_RANKS = Statistic("r", tanh, "task", "tasks")


@dataclass(frozen=True)
class RankersSpec:
    """Raters who share fewer tasks with others are not drawn."""

    fewest_items: int = FEWEST_UNITS


@dataclass(frozen=True, eq=False)
class RankersFound:
    """Raters in the order of the ranking: the correlation of each one's ranks with the mean ranks of the others."""

    ranking: RaterRanking


def rank_rankers(study: Study, spec: RankersSpec) -> RankersFound:
    """Rank raters by the correlation of their ranks with the mean ranks of the others."""

    def compare() -> tuple[ComparedRaters, list[str]]:
        names, group_of = query(study.whole, "rater_names")["name"], rater_groups(study)
        changes = correlation_with_others(ranked(study))
        tests = compare_with_typical(changes.z, changes.units, pooled_variance(changes), unit="tasks")
        called = names[changes.raters].tolist()
        groups = [group_of.get(int(code), "") for code in changes.raters.tolist()]
        return ComparedRaters("", called, rater_estimates(changes), tests, WITH_MEAN_RANKS), groups

    compared, groups = result(key_of(study.dataset, "rankers", study.candidate), compare)
    raters = rank_raters(compared, groups, marks_chance=True)
    return RankersFound(
        RaterRanking(raters, compared, "Agreement with the others' mean ranks, r", spec.fewest_items)
    )


def others_values(study: Study) -> NDArray[np.float64]:
    """Return the correlation with the others' mean ranks by rater code, of everyone, NaN where it is undefined."""
    changes = result(
        key_of(study.whole, "rankers of all", study.candidate),
        lambda: correlation_with_others(ranked(study.everyone)),
    )
    return by_rater(study, changes.raters, np.tanh(changes.z))


def position_values(study: Study) -> NDArray[np.float64]:
    """Return the correlation of ranks with positions by rater code, of everyone, NaN where it is undefined."""
    return by_rater(study, *correlation_with_position(ranked(study.everyone)))


def compare_scales(study: Study) -> RankingChange:
    """Compare the ranking of options by everyone with that without the excluded raters."""
    spec = RankingSpec(BootstrapSpec(draws=0))
    before, after = (fit_options(one, spec) for one in (study.everyone, study))
    of, left = before.rankings, after.rankings
    strength = dict(zip(after.scale.systems.tolist(), after.scale.strength.tolist(), strict=True))
    systems = np.arange(len(before.scale.systems))
    found = np.array([strength.get(name, nan) for name in before.scale.systems.tolist()])
    here = Exclusion(
        systems,
        before.scale.strength,
        found,
        ranking_change(systems, before.scale.strength, found),
        "plain",
        "",
        tuple(sorted(set(of.rater.tolist()) - set(left.rater.tolist()))),
        of.rankings,
        left.rankings,
        of.tasks,
        left.tasks,
        of.raters,
        left.raters,
    )
    called = query(study.whole, "rater_names")["name"]
    what = "items" if of.is_best_worst else "systems"
    return RankingChange("strength", what, before.scale.systems.astype(np.str_), called, {"strength": here})


@computed_by(rank_rankers, PROGRAM)
def rankers_section(study: Study, scenario: Scenario, spec: RankersSpec) -> Iterator[Block]:
    """Yield how the ranking of options changes without the excluded raters, then who ranks like the others."""
    if study.dataset.without:
        yield from change_blocks(compare_scales(study), scenario)
        yield Heading("Who ranks like the others")
    found = rank_rankers(study, spec)
    yield from _blocks(study, found)
    yield from undefined_notes(found.ranking, "task")
    yield from shares_blocks(attributes_of(study))
    yield method_of("raters", "rankers", ["habibi2012", "holm1979", "benjamini1995"])


def _blocks(study: Study, found: RankersFound) -> Iterator[Block]:
    naming = naming_finding([found.ranking.compared])
    yield replace(naming, name="typical") if study.dataset.without else naming
    yield from rater_figure(found.ranking, study, WITH_OTHERS)
    columns, ends = leading_columns("r", "Tasks", found.ranking.raters)
    yield table_of(TABLE, f"Agreement of each rater with the others, {ORDER}.", [*columns, *ends])


def rankers_card(study: Study) -> Iterator[Block]:
    """Yield who ranks like the others, for the overview."""
    yield from card_of(_blocks(study, rank_rankers(study, RankersSpec())))
