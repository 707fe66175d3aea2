"""Agreement of each group's raters on each measure, of rater pairs, and by every coefficient: spec and results, cached.

In all of them a rater's repeats of an item count as one value.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.alpha import Weights
from analysis.agreement.kappas import RaterPairs, rater_pairs
from analysis.assessors.consistency import (
    AgreementFigure,
    ChanceCorrected,
    chance_corrected_agreement,
    overall_agreement,
)
from analysis.repetitions.rating_orders import largest_common_count
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.values.estimate import Estimate, Scope
from analysis.values.ratings import Ratings
from features.assessments import has_many_items, of_group
from features.blocks import Progress
from features.study import (
    LARGEST_BOOTSTRAP,
    OnProgress,
    Study,
    cached,
    key_of,
    long_result,
    long_results,
    query,
    ratings,
    read,
    result,
)

TENTATIVE = 2 / 3
"""Krippendorff's minimum of alpha for tentative conclusions (2004, page 241)."""
SPLITS = 200
"""Random splits of an item's ratings into halves."""


@dataclass(frozen=True)
class AgreementSpec:
    """Agreement of a study's raters.

    `scope` says whom intervals generalize to, None for the default of each measure and group. `groups` are those looked
    at, all if empty. `measure` is that of the rater pairs and of all coefficients, "" for the first. `coefficients`
    says whether all coefficients are wanted: with credit for near misses by `weights`, and minus those of another
    measure or group of the same name as `compared`, "" for none.
    """

    scope: Scope | None = None
    groups: tuple[str, ...] = ()
    measure: str = ""
    coefficients: bool = False
    weights: Weights = "quadratic"
    compared: str = ""


@dataclass(frozen=True)
class GroupAgreement:
    """Agreement of one group's raters on one measure.

    `halves` is the correlation of the means of two halves of `half` ratings per item, None before it is computed.
    """

    measure: str
    group: str
    summary: AgreementSummary
    halves: Estimate | None = None
    half: int = 0

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's alpha of single ratings."""
        return self.summary.alpha

    @property
    def has_verdict(self) -> bool:
        """True where there is enough to say whether raters agree."""
        return self.alpha.defined and self.alpha.low == self.alpha.low and not self.alpha.warning


Agreements = tuple[GroupAgreement, ...]


def summarize_agreement(study: Study, spec: AgreementSpec) -> Agreements | None:
    """Return the agreement of each group on each measure that it rated; None while stopped."""
    study, cells = study.between_raters, _measured_groups(study, spec)

    def summarize(one: tuple[str, str], _: OnProgress) -> GroupAgreement:
        return GroupAgreement(*one, of_group(study, *one, spec.scope))

    key = key_of(study.dataset, "agreement at a glance", cells, spec.scope)
    return long_results(key, "Agreement of the raters", cells, summarize)


def agreement_stages(study: Study, spec: AgreementSpec) -> Iterator[Agreements | Progress]:
    """Yield the agreement of each group on each measure, then with split halves; nothing while stopped."""
    found = summarize_agreement(study, spec)
    if found is None:
        return
    study = study.between_raters
    key = key_of(study.dataset, "agreement of halves", _measured_groups(study, spec), spec.scope)
    if cached(key) is None:
        yield found
        if not any(each.alpha.defined for each in found):
            return
        yield Progress("Split halves")

    def halve(each: GroupAgreement, _: OnProgress) -> GroupAgreement:
        halves, half = _split_halves(study, each.measure, each.group)
        return replace(each, halves=halves, half=half)

    halved = long_results(key, "Split halves", found, halve)
    if halved is not None:
        yield halved


def _measured_groups(study: Study, spec: AgreementSpec) -> list[tuple[str, str]]:
    cells = query(study.between_raters.dataset, "cells")
    rated = set(zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True))
    groups = [group for group in study.groups if not spec.groups or group in spec.groups]
    return [(m, g) for m in study.measures for g in groups if (m, g) in rated]


def _split_halves(study: Study, measure: str, group: str) -> tuple[Estimate, int]:
    """Return the mean correlation of two random halves of each item's ratings, and the ratings in a half.

    Of very many items a sample is split.
    """
    sample = {"max_items": LARGEST_BOOTSTRAP} if has_many_items(study, measure, group) else {}
    rated = ratings(study.dataset, measure, group, **sample)
    counts = np.unique(rated.item, return_counts=True)[1]
    usual = largest_common_count(counts)
    spec = RepetitionSpec(SPLITS, None if usual == counts.min(initial=usual) else usual)
    curves = simulate(rated, None, spec)
    half = curves.repetitions
    items = int(curves.items[-1]) if half else 0
    return Estimate(curves.mean_at(half), n=items, reason=curves.reason), half


def measure_of(study: Study, spec: AgreementSpec) -> str:
    return spec.measure or study.measures[0]


def pair_raters(study: Study, measure: str) -> RaterPairs:
    """Return the agreement of pairs of the candidate's raters, those with the highest mean correlation first.

    Of many ratings only those of the busiest raters are read.
    """
    study = study.between_raters

    def compute() -> RaterPairs:
        rows = read(study.dataset, "busiest", measure=measure, group=study.candidate)
        return sort_pairs(rater_pairs(Ratings(rows["item"], rows["rater"], rows["score"])))

    return result(key_of(study.dataset, "pairs of raters", measure, study.candidate), compute)


def sort_pairs(pairs: RaterPairs) -> RaterPairs:
    """Return the same pairs with the raters in the order of their mean correlation, those without one last."""
    known = ~np.isnan(pairs.correlation)
    number = known.sum(axis=1)
    mean = np.where(known, pairs.correlation, 0.0).sum(axis=1) / np.maximum(number, 1)
    order = np.lexsort((np.arange(len(mean)), -mean, number == 0))
    square = np.ix_(order, order)
    return RaterPairs(
        pairs.raters[order], pairs.items[square], pairs.equal[square], pairs.correlation[square]
    )


def correlations_of(pairs: RaterPairs) -> NDArray[np.float64]:
    """Return the correlations of the pairs that have one, in ascending order."""
    upper = pairs.correlation[np.triu_indices(len(pairs.raters), 1)]
    return np.sort(upper[~np.isnan(upper)])


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Every coefficient of agreement by its name, and the differences from those of another measure or group.

    `are_complete` is False where there are too many ratings and values for agreement beyond chance. `rare_end` is the
    highest grade where few ratings have it, so that the scale may be longer; None elsewhere.
    """

    measure: str
    compared: str
    figures: dict[str, AgreementFigure]
    differences: dict[str, AgreementFigure]
    are_complete: bool
    rare_end: float | None = None


OF_CROSSED_RATERS = frozenset(
    ("ICC(A,1)", "ICC(C,1)", "ICC(A,k)", "ICC(C,k)", "Conger's kappa", "Cohen's kappa", "mean pairwise kappa")
)
"""Coefficients that need to know which ratings are of the same rater."""
RARE = 0.05
"""Percent of the ratings at the highest grade, as a share, below which the scale may be longer."""


def comparable_studies(study: Study, measure: str) -> dict[str, tuple[Study, str]]:
    """Return the other measures and groups that coefficients can be compared with, by name: a study and its measure."""
    others = {each: (study, each) for each in study.all_measures if each != measure}
    groups = [group for group in study.groups if group != study.candidate]
    return others | {f"group {group}": (replace(study, candidate=group), measure) for group in groups}


def compute_coefficients(study: Study, spec: AgreementSpec) -> Coefficients | None:
    """Return every coefficient of the candidate's raters on a measure; None while stopped."""
    measure = measure_of(study, spec)
    others = comparable_studies(study, measure)
    study = study.between_raters
    figures: dict[str, AgreementFigure] | None = long_result(
        key_of(study.dataset, "agreement of everyone", measure, study.candidate),
        "All coefficients",
        lambda on_progress: overall_agreement(ratings(study.dataset, measure, study.candidate), on_progress),
    )
    if figures is None:
        return None
    found = _beyond_chance(study, measure, spec.weights)
    differences: dict[str, AgreementFigure] = {}
    if found is not None:
        figures = figures | found.figures
        if spec.compared in others:
            other = _beyond_chance(*others[spec.compared], spec.weights)
            differences = {} if other is None else found.differences(other)
    if not study.raters_are_persons:
        figures, differences = (
            {
                name: replace(figure, random=None)
                for name, figure in each.items()
                if name not in OF_CROSSED_RATERS
            }
            for each in (figures, differences)
        )
    return Coefficients(
        measure, spec.compared, figures, differences, found is not None, _rare_end(study, measure)
    )


def _rare_end(study: Study, measure: str) -> float | None:
    """Return the highest of the whole grades that all groups gave, where few ratings have it."""
    given = query(study.whole, "score_counts", measure=measure)
    score, times = given["score"], given["count"]
    if not len(score) or (score % 1).any():
        return None
    highest = score.max()
    return float(highest) if times[score == highest].sum() < RARE * times.sum() else None


def _beyond_chance(study: Study, measure: str, weights: Weights) -> ChanceCorrected | None:
    """Return agreement beyond chance, on the scale of all groups; None where there are too many ratings and values."""
    study = study.between_raters

    def compute() -> ChanceCorrected | None:
        scores = query(study.whole, "score_counts", measure=measure)["score"]
        return chance_corrected_agreement(ratings(study.dataset, measure, study.candidate), weights, scores)

    return result(
        key_of(study.dataset, "agreement beyond chance", measure, study.candidate, weights), compute
    )
