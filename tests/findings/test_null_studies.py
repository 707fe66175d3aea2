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
from analysis.agreement.one_way_intervals import one_way_intervals
from analysis.agreement.reliability import one_way
from analysis.crowd_vs_lab.comparison import ComparisonSpec, compare
from analysis.items.disagreement import disagreement
from analysis.items.discrimination import discrimination
from analysis.items.rating_spread import rating_spread
from analysis.raters.naming import compare_with_typical, pooled_variance
from analysis.replacement.alternative_annotator import alternative_annotator_test
from analysis.study_planning.budget import StudyCosts
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.values.scope import SCOPES, Scope
from analysis.values.votes import Votes
from analysis.workers.pcch_reliability import reliabilities
from analysis.workers.reliability_changes import reliability_changes
from features.blocks import Finding, Status
from features.raters.naming_findings import ComparedRaters, naming_finding
from features.replacement.findings import replacement_finding
from features.replacement.specs import CandidateResult, ReplacementSpec
from findings.crowd_vs_lab.agreement import level_finding, order_finding
from findings.items.all_items import AllItems, broken_finding, disagreement_finding
from findings.planning import enough
from findings.planning.apart import Prices
from findings.repetitions.needed import Reliability, ratings_finding
from tests.findings.studies import said, study_of

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


def count_clear(findings: Sequence[Finding]) -> int:
    return sum(one.status is Status.CLEAR for one in findings)


@pytest.mark.parametrize("scope", SCOPES)
def test_comparison_of_equal_groups_finds_no_level_and_of_unrelated_ones_no_order(scope: Scope) -> None:
    spec = replace(CLOSED, scope=scope)

    def level(rng: np.random.Generator) -> Finding | None:
        truth = rng.normal(0, 1, 25)
        return level_finding(STUDY, [compare(ratings_of(rng, truth, 6), ratings_of(rng, truth, 6), spec)])

    def order(rng: np.random.Generator) -> Finding:
        sides = [ratings_of(rng, rng.normal(0, 1, 25), 6) for _ in range(2)]
        return order_finding(STUDY, [compare(*sides, spec)])

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
        needed = ratings_finding([Reliability("focus", summary)], 0.8)
        assert needed.status is not Status.CLEAR or "do not agree" in said(needed)
        parts = one_way(rated), one_way_intervals(rated), rating_spread(rated), summary
        told = enough.finding(
            enough.SoFar("focus", *parts, 0.5, 0.8), Prices(StudyCosts(1.0, 0.0, 0.0, 0.0), "", 1.0)
        )
        assert Status.CLEAR not in {one.status for one in told}
        assert "That is enough" not in " ".join(map(said, told))


def test_items_that_are_all_alike_are_neither_disputed_nor_broken() -> None:
    names = np.array([f"item {at}" for at in range(20)])

    def disputed(rng: np.random.Generator) -> Finding:
        return disagreement_finding(disagreement(ratings_of(rng, rng.normal(0, 1, 20), 12)), names, "focus")

    def broken(rng: np.random.Generator) -> Finding:
        rated = ratings_of(rng, rng.normal(0, 1, 20), 12)
        items = AllItems(np.arange(20), disagreement(rated), discrimination(rated))
        return broken_finding(items, names)

    for found in (drawn(disputed), drawn(broken)):
        assert count_clear(found) <= AT_MOST


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
