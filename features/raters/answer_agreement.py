"""Raters who rank, or who give sets of labels: who answers like the others; results and sections."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan, tanh

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.exclusion_intervals import ranking_change
from analysis.assessors.typical_rater import FEWEST_UNITS, RaterChanges, compare_with_typical, pooled_variance
from analysis.systems.rank_agreement import (
    UNRANKED,
    correlation_with_others,
    correlation_with_position,
    rater_estimates,
)
from analysis.systems.set_accuracy import known_set_similarities, mean_share, set_agreement_with_others
from analysis.values.estimate import BootstrapSpec, Estimate
from features.assessments import MOST_CELLS, TOO_MANY, Labeled, labeled, ranked
from features.blocks import MAIN, Block, Heading, card_of, method_of, not_applicable
from features.plotting.theme import count
from features.program import computed_by
from features.raters.attributes_results import attributes_of
from features.raters.attributes_section import shares_blocks
from features.raters.consistency_section import (
    RANKING,
    WITH_OTHERS,
    agreement_table,
    known_blocks,
    rater_figure,
    undefined_notes,
)
from features.raters.exclusion_section import change_blocks
from features.raters.ranking import KnownAnswers, RaterRanking, rank_raters
from features.raters.rater_results import RankingChange, by_code
from features.raters.typical_rater_findings import ComparedRaters, Statistic, naming_finding
from features.raters.workers import rater_groups
from features.study import Scenario, Study, key_of, query, result
from features.systems.rankings import RankingSpec, fit_options

ALPHA_OF_SETS = Statistic("alpha", tanh)
WITH_MEAN_RANKS = Statistic("r", tanh, "task", "tasks")
SLOTS = "Who labels like the others is unknown, because rater ids are slots."
_SAME = "the sets of these items do not differ"
_NO_GOLD = "none of the rater's items has a gold set"


@dataclass(frozen=True)
class LabelersSpec:
    """Raters on one question, "" for the first; those who share fewer items with others are not drawn."""

    question: str = ""
    fewest_items: int = FEWEST_UNITS


@dataclass(frozen=True)
class RankersSpec:
    """Raters who share fewer tasks with others are not drawn."""

    fewest_items: int = FEWEST_UNITS


def rank_labelers(study: Study, spec: LabelersSpec) -> RaterRanking:
    """Rank raters by how far their sets of labels agree with those of the others."""
    found = labeled(study, spec.question)

    def compare() -> tuple[ComparedRaters, list[str], list[Estimate]]:
        changes = set_agreement_with_others(found.sets)
        known = [_like_gold(found, int(code)) for code in changes.raters.tolist()]
        return *_compare(study, changes, ALPHA_OF_SETS, _SAME), known

    key = key_of(study.dataset, "labelers", study.candidate, found.question)
    compared, groups, known = result(key, compare)
    gold = len(found.known_items) > 0
    raters = rank_raters(compared, groups, known if gold else None, marks_chance=True)
    answers = KnownAnswers("the gold sets", "Mean Jaccard index with gold", is_share=True) if gold else None
    title = "Agreement with the others' sets, alpha"
    return RaterRanking(raters, compared, title, spec.fewest_items, answers)


def rank_rankers(study: Study, spec: RankersSpec) -> RaterRanking:
    """Rank raters by the correlation of their ranks with the mean ranks of the others."""
    compared, groups = result(
        key_of(study.dataset, "rankers", study.candidate),
        lambda: _compare(study, correlation_with_others(ranked(study)), WITH_MEAN_RANKS, UNRANKED),
    )
    raters = rank_raters(compared, groups, marks_chance=True)
    return RaterRanking(raters, compared, "Agreement with the others' mean ranks, r", spec.fewest_items)


def _compare(
    study: Study, changes: RaterChanges, statistic: Statistic, undefined: str
) -> tuple[ComparedRaters, list[str]]:
    """Return raters with their figures and tests against the typical rater, and the group of each."""
    names, group_of = query(study.whole, "rater_names")["name"], rater_groups(study)
    tests = compare_with_typical(changes.z, changes.units, pooled_variance(changes), unit=statistic.units)
    figures = rater_estimates(changes, undefined=undefined)
    groups = [group_of.get(int(code), "") for code in changes.raters.tolist()]
    return ComparedRaters("", names[changes.raters].tolist(), figures, tests, statistic), groups


def _like_gold(found: Labeled, rater: int) -> Estimate:
    """Return the mean Jaccard index of a rater's sets with the gold sets."""
    own = found.sets.select(found.sets.rater == rater)
    similar = known_set_similarities(own, found.known, found.known_items)[1] if len(own) else np.zeros(0)
    return mean_share(similar, _NO_GOLD) if len(similar) else Estimate(nan, reason=_NO_GOLD)


def labels_like_others(study: Study, question: str) -> NDArray[np.float64]:
    """Return alpha with the others' sets by rater code, of everyone, NaN where it is undefined."""
    found = labeled(study.everyone, question)
    key = key_of(study.whole, "labelers of all", study.candidate, found.question)
    changes = result(key, lambda: set_agreement_with_others(found.sets))
    return by_code(study, changes.raters, np.tanh(changes.z))


def labels_like_gold(study: Study, question: str) -> NDArray[np.float64]:
    """Return the mean Jaccard index with the gold sets by rater code, of everyone, NaN where no set is known."""
    found = labeled(study.everyone, question)
    raters = np.unique(found.sets.rater)
    return by_code(study, raters, np.array([_like_gold(found, int(code)).value for code in raters]))


def ranks_like_others(study: Study) -> NDArray[np.float64]:
    """Return the correlation with the others' mean ranks by rater code, of everyone, NaN where it is undefined."""
    key = key_of(study.whole, "rankers of all", study.candidate)
    changes = result(key, lambda: correlation_with_others(ranked(study.everyone)))
    return by_code(study, changes.raters, np.tanh(changes.z))


def ranks_by_position(study: Study) -> NDArray[np.float64]:
    """Return the correlation of ranks with positions by rater code, of everyone, NaN where it is undefined."""
    return by_code(study, *correlation_with_position(ranked(study.everyone)))


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


@computed_by(rank_labelers, RANKING)
def labelers_section(study: Study, spec: LabelersSpec) -> Iterator[Block]:
    """Yield who gives the labels that the others give, and how far these are gold."""
    if not study.raters_are_persons:
        yield not_applicable(SLOTS, {}, "A slot may hold another rater for each item")
        return
    if labeled(study, spec.question).too_many:
        yield not_applicable(TOO_MANY, {"most": count(MOST_CELLS)})
        return
    ranking = rank_labelers(study, spec)
    yield from _blocks(study, ranking, "Alpha")
    yield from undefined_notes(ranking)
    yield from known_blocks(ranking, study.groups)
    yield method_of("raters", "labelers", ["habibi2012", "passonneau2006", "holm1979", "benjamini1995"])


@computed_by(rank_rankers, RANKING)
def rankers_section(study: Study, scenario: Scenario, spec: RankersSpec) -> Iterator[Block]:
    """Yield how the ranking of options changes without the excluded raters, then who ranks like the others."""
    if study.dataset.without:
        yield from change_blocks(compare_scales(study), scenario)
        yield Heading("Who ranks like the others")
    ranking = rank_rankers(study, spec)
    yield from _blocks(study, ranking, "r", "typical" if study.dataset.without else MAIN)
    yield from undefined_notes(ranking, "task")
    yield from shares_blocks(attributes_of(study))
    yield method_of("raters", "rankers", ["habibi2012", "holm1979", "benjamini1995"])


def _blocks(study: Study, ranking: RaterRanking, term: str, name: str = MAIN) -> Iterator[Block]:
    """Yield who answers like the others, with the figure and the table of all raters."""
    yield replace(naming_finding([ranking.compared]), name=name)
    yield from rater_figure(ranking, study, WITH_OTHERS)
    units = ranking.compared.statistic.units.capitalize()
    yield agreement_table(ranking, term, units, "Jaccard with gold")


def labelers_card(study: Study) -> Iterator[Block]:
    """Yield who labels like the others, for the overview."""
    if study.raters_are_persons:
        yield from card_of(_blocks(study, rank_labelers(study, LabelersSpec()), "Alpha"))


def rankers_card(study: Study) -> Iterator[Block]:
    """Yield who ranks like the others, for the overview."""
    yield from card_of(_blocks(study, rank_rankers(study, RankersSpec()), "r"))
