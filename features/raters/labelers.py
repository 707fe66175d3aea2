"""Raters who give sets of labels: who gives those that the others give, and the gold ones; results and section."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan, tanh

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.naming import FEWEST_UNITS, compare_with_typical, pooled_variance
from analysis.systems.rank_agreement import rater_estimates
from analysis.systems.set_accuracy import changes_with_others, mean_share, similarities
from analysis.values.estimate import Estimate
from features.blocks import Block, card_of, method_of, not_applicable
from features.label_sets import MOST_CELLS, TOO_MANY, Labeled, labeled
from features.plotting.theme import count
from features.program import computed_by
from features.raters.consistency_section import (
    ORDER,
    PERCENT,
    PROGRAM,
    TABLE,
    WITH_OTHERS,
    add_known,
    known_blocks,
    leading_columns,
    rater_figure,
    undefined_notes,
)
from features.raters.naming_findings import ComparedRaters, Statistic, naming_finding
from features.raters.ranking import KnownAnswers, RaterRanking, rank_raters
from features.raters.workers import by_rater, rater_groups
from features.study import Study, key_of, query, result
from features.words import table_of

ALPHA_OF_SETS = Statistic("alpha", tanh)
SLOTS = "Who labels like the others is unknown, because rater ids are slots."
_SAME = "the sets of these items do not differ"
_NO_GOLD = "none of the rater's items has a gold set"


@dataclass(frozen=True)
class LabelersSpec:
    """Raters on one question, "" for the first; those who share fewer items with others are not drawn."""

    question: str = ""
    fewest_items: int = FEWEST_UNITS


@dataclass(frozen=True, eq=False)
class LabelersFound:
    """Raters in the order of the ranking: alpha of each one's sets with those of the others."""

    ranking: RaterRanking
    too_many: bool = False


def rank_labelers(study: Study, spec: LabelersSpec) -> LabelersFound:
    """Rank raters by how far their sets of labels agree with those of the others."""
    found = labeled(study, spec.question)

    def compare() -> tuple[ComparedRaters, list[str], list[Estimate]]:
        names, group_of = query(study.whole, "rater_names")["name"], rater_groups(study)
        changes = changes_with_others(found.sets)
        tests = compare_with_typical(changes.z, changes.units, pooled_variance(changes))
        estimates = rater_estimates(changes, undefined=_SAME)
        groups = [group_of.get(int(code), "") for code in changes.raters.tolist()]
        known = [_like_gold(found, int(code)) for code in changes.raters.tolist()]
        called = names[changes.raters].tolist()
        return ComparedRaters("", called, estimates, tests, ALPHA_OF_SETS), groups, known

    key = key_of(study.dataset, "labelers", study.candidate, found.question)
    compared, groups, known = result(key, compare)
    gold = len(found.known_items) > 0
    raters = rank_raters(compared, groups, known if gold else None, marks_chance=True)
    answers = KnownAnswers("the gold sets", "Mean Jaccard index with gold", is_share=True) if gold else None
    title = "Agreement with the others' sets, alpha"
    return LabelersFound(RaterRanking(raters, compared, title, spec.fewest_items, answers), found.too_many)


def _like_gold(found: Labeled, rater: int) -> Estimate:
    """Return the mean Jaccard index of a rater's sets with the gold sets."""
    own = found.sets.where(found.sets.rater == rater)
    similar = similarities(own, found.known, found.known_items)[1] if len(own) else np.zeros(0)
    return mean_share(similar, _NO_GOLD) if len(similar) else Estimate(nan, reason=_NO_GOLD)


def others_values(study: Study, question: str) -> NDArray[np.float64]:
    """Return alpha with the others' sets by rater code, of everyone, NaN where it is undefined."""
    found = labeled(study.everyone, question)
    key = key_of(study.whole, "labelers of all", study.candidate, found.question)
    changes = result(key, lambda: changes_with_others(found.sets))
    return by_rater(study, changes.raters, np.tanh(changes.z))


def gold_values(study: Study, question: str) -> NDArray[np.float64]:
    """Return the mean Jaccard index with the gold sets by rater code, of everyone, NaN where no set is known."""
    found = labeled(study.everyone, question)
    raters = np.unique(found.sets.rater)
    return by_rater(study, raters, np.array([_like_gold(found, int(code)).value for code in raters]))


@computed_by(rank_labelers, PROGRAM)
def labelers_section(study: Study, spec: LabelersSpec) -> Iterator[Block]:
    """Yield who gives the labels that the others give, and how far these are gold."""
    if not study.raters_are_persons:
        yield not_applicable(SLOTS, {}, "A slot may hold another rater for each item")
        return
    found = rank_labelers(study, spec)
    if found.too_many:
        yield not_applicable(TOO_MANY, {"most": count(MOST_CELLS)})
        return
    yield from _blocks(study, found)
    yield from undefined_notes(found.ranking)
    yield from known_blocks(found.ranking, study.groups)
    yield method_of("raters", "labelers", ["habibi2012", "passonneau2006", "holm1979", "benjamini1995"])


def _blocks(study: Study, found: LabelersFound) -> Iterator[Block]:
    yield naming_finding([found.ranking.compared])
    yield from rater_figure(found.ranking, study, WITH_OTHERS)
    raters = found.ranking.raters
    columns, ends = leading_columns("Alpha", "Items", raters)
    if found.ranking.known is not None:
        columns, ends = add_known("Jaccard with gold", raters, PERCENT, columns, ends)
    yield table_of(TABLE, f"Agreement of each rater with the others, {ORDER}.", [*columns, *ends])


def labelers_card(study: Study) -> Iterator[Block]:
    """Yield who labels like the others, for the overview."""
    if study.raters_are_persons:
        yield from card_of(_blocks(study, rank_labelers(study, LabelersSpec())))
