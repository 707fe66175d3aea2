"""Figures of how far a group's raters agree, cached: at a glance, by every coefficient, by halves, pair by pair.

In each of them a rater's repeats of an item count as one value.
"""

from collections.abc import Callable
from dataclasses import replace

from analysis.agreement.credit import Weights
from analysis.agreement.rater_pairs import RaterPairs, rater_pairs
from analysis.assessors.agreement_of_everyone import (
    AgreementFigure,
    BeyondChance,
    agreement_of_everyone,
    beyond_chance,
)
from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.ratings import Ratings
from analysis.values.scope import Scope
from features.rater_agreement import of_group
from features.repetitions.ratings_results import DEFAULT_SHUFFLES, fitted_curves, range_of_repetitions
from features.results import key_of, long_result, query, ratings, read, result
from features.study import Study
from findings.agreement.summary import Agreed


def at_a_glance(study: Study, scope: Scope | None = None) -> tuple[Agreed, ...] | None:
    """Return each measure in each group that rated it, in a scope or each in its default; None while stopped."""
    study = study.between_raters
    asked = _asked(study)

    def compute(on_progress: Callable[[float], object]) -> tuple[Agreed, ...]:
        agreed = []
        for at, (measure, group) in enumerate(asked):
            agreed.append(Agreed(measure, group, of_group(study, measure, group, scope)))
            on_progress((at + 1) / len(asked))
        return tuple(agreed)

    key = key_of(study.dataset, "agreement at a glance", asked, scope)
    return long_result(key, "Agreement of the raters", compute)


def _asked(study: Study) -> list[tuple[str, str]]:
    cells = query(study.dataset, "cells")
    rated = set(zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True))
    return [(m, g) for m in study.measures for g in study.groups if (m, g) in rated]


def with_halves(
    study: Study, agreed: tuple[Agreed, ...], scope: Scope | None = None
) -> tuple[Agreed, ...] | None:
    """The same with the correlation of two halves of an item's ratings; None while stopped."""
    study = study.between_raters

    def compute(on_progress: Callable[[float], object]) -> tuple[Agreed, ...]:
        halved = []
        for at, one in enumerate(agreed):
            alone = replace(
                study, candidate=one.group, measures=(one.measure,), reference=None, reference_column=None
            )
            spec = RepetitionSpec(DEFAULT_SHUFFLES, range_of_repetitions(alone).repetitions)
            (fitted,) = fitted_curves(alone, spec, 1.0)
            halves = fitted.correlation
            if not halves.defined and fitted.curves.reason:
                halves = replace(halves, reason=fitted.curves.reason)
            halved.append(replace(one, halves=halves, h=fitted.curves.repetitions))
            on_progress((at + 1) / len(agreed))
        return tuple(halved)

    asked = [(one.measure, one.group) for one in agreed]
    return long_result(key_of(study.dataset, "agreement of halves", asked, scope), "Split halves", compute)


def of_everyone(study: Study, measure: str) -> dict[str, AgreementFigure] | None:
    """How far the candidate group's raters agree, by alpha and the ICCs; None while stopped."""
    study = study.between_raters
    return long_result(
        key_of(study.dataset, "agreement of everyone", measure, study.candidate),
        "Agreement of all raters",
        lambda on_progress: agreement_of_everyone(
            ratings(study.dataset, measure, study.candidate), on_progress
        ),
    )


def beyond(study: Study, measure: str, weights: Weights) -> BeyondChance | None:
    """The same beyond chance, on the scale of all groups; None where there are too many ratings and values."""
    study = study.between_raters

    def compute() -> BeyondChance | None:
        scores = query(study.whole, "score_counts", measure=measure)["score"]
        return beyond_chance(ratings(study.dataset, measure, study.candidate), weights, scores)

    return result(
        key_of(study.dataset, "agreement beyond chance", measure, study.candidate, weights), compute
    )


def pairs(study: Study, measure: str) -> RaterPairs:
    """How far each two of the candidate group's raters agree; of many ratings the busiest ones' are read."""
    study = study.between_raters

    def compute() -> RaterPairs:
        if not study.dataset.has_sums:
            return rater_pairs(ratings(study.dataset, measure, study.candidate))
        rows = read(study.dataset, "busiest", measure=measure, group=study.candidate)
        return rater_pairs(Ratings(rows["item"], rows["rater"], rows["score"]))

    return result(key_of(study.dataset, "pairs of raters", measure, study.candidate), compute)
