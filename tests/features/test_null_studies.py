"""Studies in which nothing is to be found, through the findings: few of them, each drawn by its seed.

Where a test at 5% is looked at, at most 3 of 20 studies may reject it (probability .98); where an interval or the
reference's reliability decides, none.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from analysis.agreement.agreement_summary import agreement_summary
from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.intraclass import one_way_intervals
from analysis.agreement.reliability import one_way
from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.assessors.typical_rater import compare_with_typical, correlation_changes, pooled_variance
from analysis.comparison.comparison import Comparison, ComparisonSpec, compare
from analysis.items.disagreement import disagreement, discrimination
from analysis.items.rating_spread import rating_spread
from analysis.repetitions import repetition, resampled_ratings
from analysis.repetitions.attenuation import ratings_needed
from analysis.repetitions.knee import fit_curves, knee_interval
from analysis.replacement.alternative_annotator import alternative_annotator_test
from analysis.systems.system_ranking import system_ranking
from analysis.values.estimate import SCOPES, BootstrapSpec, Estimate, Scope
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes
from analysis.workers.pcch_reliability import reliabilities
from analysis.workers.worker_ranking import reliability_changes
from features.agreement.findings import agreement_finding
from features.agreement.results import GroupAgreement
from features.blocks import Finding, Status
from features.comparison.findings import level_finding, order_finding
from features.comparison.results import Compared
from features.items.results import ItemList, ItemsSpec
from features.items.section import disagreement_finding, faults_finding
from features.planning.stopping import SoFar, stopping_finding
from features.raters.typical_rater_findings import ComparedRaters, naming_finding
from features.repetitions.ratings_findings import curve_finding, is_apart_from_0, needed_finding
from features.repetitions.ratings_results import Needed, RatingsSpec, Repetitions
from features.replacement.findings import replacement_finding
from features.replacement.specs import CandidateResult, ReplacementSpec
from features.systems.scores_findings import ranking_finding
from features.systems.scores_results import RankedSystems, ScoresSpec
from tests.features.studies import said, study_of

STUDIES = 20
AT_MOST = 3
STUDY = study_of("focus")
CLOSED = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0)


def ratings_of(rng: np.random.Generator, truth: np.ndarray, raters: int, noise: float = 1.0) -> Ratings:
    """Ratings of all items by raters who differ in nothing but chance."""
    score = truth[:, None] + rng.normal(0, noise, (len(truth), raters))
    item, rater = (each.ravel() for each in np.indices(score.shape))
    return Ratings(item, rater, score.ravel())


def drawn(study: Callable[[np.random.Generator], Finding | None], studies: int = STUDIES) -> list[Finding]:
    found = (study(np.random.default_rng([2026, seed])) for seed in range(studies))
    return [one for one in found if one is not None]


def _compared(one: Comparison) -> Compared:
    return Compared("crowd", "lab", ["focus"], [one])


def count_clear(findings: Sequence[Finding]) -> int:
    return sum(one.status is Status.CLEAR for one in findings)


@pytest.mark.parametrize("scope", SCOPES)
def test_comparison_of_equal_groups_finds_no_level_and_of_unrelated_ones_no_order(scope: Scope) -> None:
    spec = replace(CLOSED, scope=scope)

    def level(rng: np.random.Generator) -> Finding | None:
        truth = rng.normal(0, 1, 25)
        return level_finding(_compared(compare(ratings_of(rng, truth, 6), ratings_of(rng, truth, 6), spec)))

    def order(rng: np.random.Generator) -> Finding:
        sides = [ratings_of(rng, rng.normal(0, 1, 25), 6) for _ in range(2)]
        return order_finding(_compared(compare(*sides, spec)))

    for found in (drawn(level), drawn(order)):
        assert len(found) == STUDIES
        assert count_clear(found) <= AT_MOST


@pytest.mark.parametrize("scope", SCOPES)
def test_repetitions_and_planning_name_no_number_for_raters_who_do_not_agree(scope: Scope) -> None:
    for seed in range(STUDIES):
        rated = ratings_of(np.random.default_rng(seed), np.zeros(30), 6)
        summary = agreement_summary(rated, scope)
        if summary.one.low > 0:  # 1 in 40 studies by chance
            continue
        needed = needed_finding([Needed("focus", summary, ratings_needed(summary, 0.8))], 0.8)
        assert needed.status is not Status.CLEAR or "do not agree" in said(needed)
        parts = one_way(rated), one_way_intervals(rated), rating_spread(rated), summary
        told = stopping_finding(SoFar("focus", *parts, 0.5, 0.8))
        assert told.status is not Status.CLEAR


def test_items_that_are_all_alike_neither_are_disputed_nor_look_faulty() -> None:
    names, disputed, faulty = np.array([f"item {at}" for at in range(20)]), 0, 0
    for seed in range(STUDIES):
        rng = np.random.default_rng([2026, seed])
        rated = ratings_of(rng, rng.normal(0, 1, 20), 12)
        found = ItemList(ItemsSpec("focus"), names, disagreement(rated), discrimination(rated), True)
        disputed += "out" in disagreement_finding(found).headline[1]
        faulty += "out" in faults_finding(found).headline[1]
    assert max(disputed, faulty) <= AT_MOST


def test_nobody_may_replace_raters_who_do_not_agree() -> None:
    asked = ReplacementSpec("lab", "focus", "negative rmse", fewest=20)

    def replaces(rng: np.random.Generator) -> Finding:
        reference = ratings_of(rng, np.zeros(40), 6)
        values = dict(enumerate(rng.normal(0, 0.1, 40).tolist()))
        answers = reference.rater, reference.item, reference.score
        test = alternative_annotator_test(*answers, values, asked.score, fewest=asked.fewest, level=None)
        alpha = krippendorff_alpha(reference.item, reference.score)
        one = CandidateResult("metric", "column", test, Estimate(np.nan), None, agreement=alpha)
        return replacement_finding(asked, (one,))

    found = drawn(replaces)
    assert count_clear(found) == 0
    assert any(said(one).startswith("Passing the test says little") for one in found)


@pytest.mark.parametrize("has_ceiling", [False, True])
def test_equally_good_raters_are_not_named(has_ceiling: bool) -> None:
    def named(rng: np.random.Generator) -> Finding:
        felt = rng.normal(4.6 if has_ceiling else 3, 1, 40)[:, None] + rng.normal(0, 0.4, 12)
        score = np.clip(np.rint(felt + rng.normal(0, 1, (40, 12))), 1, 5)
        item, rater = (each.ravel() for each in np.indices(score.shape))
        changes = correlation_changes(Ratings(item, rater, score.ravel()))
        tests = compare_with_typical(changes.z, changes.units, pooled_variance(changes))
        figures = [Estimate(0.5, n=40)] * 12
        return naming_finding([ComparedRaters("focus", [f"r{at}" for at in range(12)], figures, tests)])

    found = drawn(named)
    assert all(one.status is not Status.NOT_ENOUGH_DATA for one in found)
    assert sum("clearly" in said(one) and "No rater" not in said(one) for one in found) <= AT_MOST


@pytest.mark.parametrize("scope", SCOPES)
def test_equal_systems_do_not_differ(scope: Scope) -> None:
    systems, topics, raters = 6, 20, 6
    spec = ScoresSpec("focus", scope=scope)

    def ranked(rng: np.random.Generator) -> Finding:
        system, topic, rater = (each.ravel() for each in np.indices((systems, topics, raters)))
        score = 3 + rng.normal(0, 0.5, topics)[topic] + rng.normal(0, 0.5, raters)[rater]
        score += rng.normal(0, 0.4, (systems, topics))[system, topic] + rng.normal(0, 0.8, len(system))
        if scope == "raters like these":
            score += rng.normal(0, 0.3, (systems, raters))[system, rater]
        columns = system, topic, rater, score
        point = exclusion(*columns)
        compared = intervals(*columns, point, ExclusionSpec(draws=20, scope=scope))
        ranking = system_ranking(point, compared, np.bincount(system))
        names = np.array([f"system {at}" for at in range(systems)])
        return ranking_finding(RankedSystems(ranking, None, names, point, raters), spec)

    found = drawn(ranked)
    assert count_clear(found) <= AT_MOST
    assert sum(said(one) != "No two systems clearly differ." for one in found) <= AT_MOST


def test_unrelated_reference_has_no_knee() -> None:
    spec = repetition.RepetitionSpec(shuffles=20)
    resampled = 0

    def curve(rng: np.random.Generator) -> Finding:
        nonlocal resampled
        ratings, reference = (ratings_of(rng, rng.normal(0, 1, 40), 12) for _ in range(2))
        items, means, _ = reference.mos()
        curves = repetition.simulate(ratings, dict(zip(items.tolist(), means.tolist(), strict=True)), spec)
        fitted = fit_curves(["focus"], [curves], 1.0)
        knees = None
        if is_apart_from_0(fitted[0].correlation):  # elsewhere the finding uses no bootstrap samples
            again = resampled_ratings.resampled_curves(ratings, reference, spec, BootstrapSpec(50), 20)
            knees = (knee_interval(curves, again, fitted=fitted[0].saturation),)
            resampled += 1
        return curve_finding(STUDY, Repetitions((), fitted, knees), RatingsSpec(spec))

    found = drawn(curve)
    assert resampled <= AT_MOST
    assert sum("knee" in one.headline[1] for one in found) == 0


@pytest.mark.parametrize(("raters", "scope"), [(4, "these raters"), (8, "raters like these")])
def test_raters_at_random_do_not_agree(raters: int, scope: Scope) -> None:
    def agreement(rng: np.random.Generator) -> Finding:
        score = np.clip(np.rint(4.2 + 0.8 * rng.normal(0, 1, (40, raters))), 1, 5)
        item, rater = (each.ravel() for each in np.indices(score.shape))
        summary = agreement_summary(Ratings(item, rater, score.ravel()), scope)
        return agreement_finding(STUDY, [GroupAgreement("focus", "crowd", summary)])

    found = drawn(agreement)
    assert sum(said(one).startswith("Raters agree on") for one in found) <= AT_MOST
    assert any("do not agree beyond chance" in said(one) for one in found)


def test_equally_good_workers_are_not_named() -> None:
    workers, items = 12, 40

    def named(rng: np.random.Generator) -> Finding:
        truth = rng.integers(0, 2, items)
        item, rater = (each.ravel() for each in np.indices((items, workers)))
        right = rng.random(len(item)) < 0.8
        votes = Votes(item, rater, np.where(right, truth[item], 1 - truth[item]), items, workers, 2)
        r = reliabilities(votes)[0]
        changes = reliability_changes(votes, r, np.full(workers, items))
        tests = compare_with_typical(changes.z, changes.units, pooled_variance(changes))
        names = [f"w{at}" for at in range(workers)]
        return naming_finding([ComparedRaters("label", names, [Estimate(one) for one in r], tests)])

    found = drawn(named)
    assert (
        sum(
            "clearly" in said(one) and "No rater" not in said(one) and "nobody" not in said(one)
            for one in found
        )
        <= AT_MOST
    )
