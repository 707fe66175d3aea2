"""Naming raters: rates of naming somebody among equal raters, and of finding a noisy rater."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.agreement.alpha import krippendorff_alpha
from analysis.assessors.attributes import compare_estimates, compare_values, estimate_severities, value_curve
from analysis.assessors.consistency import agreement_with_others
from analysis.assessors.typical_rater import (
    FEWEST_UNITS,
    FEWEST_VOTES_ABOVE,
    RaterChanges,
    TypicalComparison,
    alpha_changes,
    compare_with_typical,
    correlation_changes,
    name_raters,
    pooled_variance,
    scatter_changes,
)
from analysis.repetitions.repetition import RepetitionSpec
from analysis.standing_in import alternative_annotator_test
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes
from analysis.workers.pcch_reliability import correlations
from analysis.workers.worker_ranking import reliability_changes
from benchmarks.calibration.simulation import Kind, Simulation
from features.raters.typical_rater_findings import ComparedRaters, naming_finding
from features.replacement.findings import replacement_finding
from features.replacement.specs import CandidateResult, ReplacementSpec

Outcomes = Mapping[str, bool | float | None]
NAMED = "a rater named although all are alike"
DIFFER = "test that raters differ"
FOUND = "a noisy rater named"
SCATTER = "a rater named for scatter although all are alike"
PASSES = "a candidate passes although raters do not agree"
NOISY = 2.5
"""Noise SD of the rater who is to be found, over that of the others."""


@dataclass(frozen=True)
class EqualRaters:
    """Raters with their own severity and equal noise, who rate whole scores from 1 to 5."""

    items: int
    raters: int
    per_item: int
    ceiling: bool = False
    zipf: bool = False

    @property
    def words(self) -> str:
        raters = f"all {self.raters}" if self.per_item == self.raters else f"{self.per_item} of {self.raters}"
        suffix = (", Zipf loads" if self.zipf else "") + (", scores at a ceiling" if self.ceiling else "")
        return f"{self.items} items, {raters} raters per item{suffix}"

    @property
    def sparse(self) -> bool:
        """True if raters rate only some of the items, which makes the test of any difference conservative."""
        return self.per_item < self.raters

    def draw(self, rng: np.random.Generator, noisy: float = 1.0) -> Ratings:
        """Draw ratings of new items by new raters, the first with a multiple of the noise."""
        lots = rng.random((self.items, self.raters))
        if self.zipf:
            lots = -np.log(lots) * np.arange(1, self.raters + 1)
        assigned = np.argsort(lots, axis=1)[:, : self.per_item]
        noise = np.where(assigned == 0, noisy, 1.0) * rng.normal(0, 1, assigned.shape)
        latent = rng.normal(0, 1, self.items)[:, None] + rng.normal(0, 0.4, self.raters)[assigned] + noise
        score = np.clip(np.rint(latent + (4.6 if self.ceiling else 3.0)), 1, 5)
        return Ratings(np.repeat(np.arange(self.items), self.per_item), assigned.ravel(), score.ravel())


def make_tests(changes: RaterChanges, fewest_above: int = FEWEST_UNITS) -> TypicalComparison:
    """Return the tests as on the pages."""
    return compare_with_typical(changes.z, changes.units, pooled_variance(changes), fewest_above)


def smallest_p(tests: TypicalComparison) -> float | None:
    """Return the smallest adjusted p of a rater who may be named, None if nobody was tested."""
    if tests.reason:
        return None
    (named,) = name_raters([tests])
    may = tests.tested & ((tests.t < 0) | tests.may_be_above)
    return float(named.p[may].min())


def finding_outcome(*measures: TypicalComparison) -> float | None:
    """Return 0 if the page's finding names somebody on one of the measures, else 1."""
    if any(tests.reason for tests in measures):
        return None
    compared_raters = [
        ComparedRaters(
            f"measure {number}",
            [f"r{rater}" for rater in range(len(tests.p))],
            [Estimate(0.5, n=50)] * len(tests.p),
            tests,
        )
        for number, tests in enumerate(measures)
    ]
    return 0.0 if "k" in naming_finding(compared_raters).headline[1] else 1.0


def equal_raters(design: EqualRaters, through_finding: bool = False) -> Simulation:
    """Simulate correlations and scatter of equal raters, and one rater with more noise."""
    figures: dict[str, Kind] = {
        NAMED: "familywise test",
        DIFFER: "cautious test" if design.sparse else "test",
        FOUND: "power test",
    }
    if not design.ceiling:  # at a ceiling raters of other severity do use another part of the scale
        figures[SCATTER] = "familywise test"

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        ratings = design.draw(rng)
        tests = make_tests(correlation_changes(ratings))
        noisy = make_tests(correlation_changes(design.draw(rng, NOISY)))
        (named,) = name_raters([noisy])
        return {
            NAMED: (finding_outcome if through_finding else smallest_p)(tests),
            DIFFER: None if tests.reason else tests.p_differ,
            FOUND: None if noisy.reason else float(not named.below[0]),
            SCATTER: smallest_p(make_tests(scatter_changes(ratings))),
        }

    words = design.words + (", through the finding of the page" if through_finding else "")
    return Simulation("raters", f"alike: {words}", words, figures, study)


def equal_raters_on_texts(sets: int, raters: int) -> Simulation:
    """Simulate alphas on identical texts of equally consistent raters, two ratings of each text."""

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        felt = rng.normal(0, 1, (raters, sets))[:, :, None] + rng.normal(0, 0.7, (raters, sets, 2))
        score = np.clip(np.rint(felt + 3), 1, 5)
        rater, text, _ = (index.ravel() for index in np.indices(score.shape))
        tests = make_tests(alpha_changes(rater, text, score.ravel()))
        return {NAMED: smallest_p(tests), DIFFER: None if tests.reason else tests.p_differ}

    words = f"{sets} sets of two identical texts, {raters} raters"
    kinds: dict[str, Kind] = {NAMED: "familywise test", DIFFER: "cautious test"}
    return Simulation("raters", f"texts: {words}", words, kinds, study)


def equal_raters_on_measures(design: EqualRaters, measures: int) -> Simulation:
    """Simulate the finding of the pages Assessors and Overview for equal raters on several measures."""

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        tests = [make_tests(correlation_changes(design.draw(rng))) for _ in range(measures)]
        return {NAMED: finding_outcome(*tests)}

    words = f"{design.words}, {measures} measures, through the finding of the page"
    return Simulation("raters", f"measures: {words}", words, {NAMED: "familywise test"}, study)


def equal_raters_in_choices(
    items: int, workers: int, per_item: int, through_finding: bool = False
) -> Simulation:
    """Simulate r_w of workers of equal skill, who choose one of two options."""

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        assigned = np.argsort(rng.random((items, workers)), axis=1)[:, :per_item].ravel()
        item = np.repeat(np.arange(items), per_item)
        truth, ease = rng.integers(0, 2, items), rng.beta(6, 2, items)
        choice = np.where(rng.random(len(item)) < ease[item], truth[item], 1 - truth[item])
        votes = Votes(item, assigned, choice, items, workers, 2)
        changes = reliability_changes(votes, correlations(votes)[0], votes.per_rater)
        tests = make_tests(changes, FEWEST_VOTES_ABOVE)
        named = finding_outcome(tests) if through_finding else smallest_p(tests)
        return {NAMED: named, DIFFER: None if tests.reason else tests.p_differ}

    raters_in_words = f"all {workers}" if per_item == workers else f"{per_item} of {workers}"
    words = f"{items} items, {raters_in_words} workers per item, 2 options"
    words += ", through the finding of the page" if through_finding else ""
    kinds: dict[str, Kind] = {NAMED: "familywise test", DIFFER: "cautious test"}
    return Simulation("raters", f"choices: {words}", words, kinds, study)


def random_reference(items: int, raters: int) -> Simulation:
    """Simulate the finding on a candidate near the middle of the scale, with reference raters who rate at random."""
    spec = ReplacementSpec("lab", "", "negative rmse")

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        item, rater = (index.ravel() for index in np.indices((items, raters)))
        score = rng.integers(1, 6, len(item)).astype(float)
        values = dict(enumerate((3 + rng.normal(0, 0.3, items)).tolist()))
        test = alternative_annotator_test(rater, item, score, values, "negative rmse", level=None)
        agreement = krippendorff_alpha(item, score)
        candidate = CandidateResult("model", "column", test, Estimate(np.nan), None, agreement=agreement)
        return {PASSES: 0.0 if replacement_finding(spec, (candidate,)).status == "clear" else 1.0}

    words = f"{items} items, all {raters} raters per item, scores at random"
    kinds: dict[str, Kind] = {PASSES: "verdict test"}
    return Simulation("raters", f"no agreement: {words}", words, kinds, study)


DESIGNS = ((60, 6, 6), (50, 24, 24), (100, 40, 10), (200, 60, 6), (30, 12, 12))


@dataclass(frozen=True)
class RatersWithAttribute:
    """Raters with values of an attribute that does not matter, on items that stay.

    `sizes` raters of each value; each item has `per_item` raters, all where 0. Severities are skewed; of the first
    value they and the noise spread `uneven` times as much. `ceiling`: whole numbers up to 5, mostly 5.
    """

    items: int
    sizes: tuple[int, ...]
    per_item: int = 0
    uneven: float = 1.0
    ceiling: bool = False

    @property
    def words(self) -> str:
        parts = [f"{self.items} items", f"values with {', '.join(map(str, self.sizes))} raters"]
        parts += [f"{self.per_item} per item"] if self.per_item else []
        parts += ["one varies twice as much"] if self.uneven != 1 else []
        return ", ".join([*parts, *(["most scores are 5"] if self.ceiling else [])])

    def draw(self, rng: np.random.Generator) -> tuple[Ratings, np.ndarray]:
        """Draw ratings by new raters, and the code of each rater's value."""
        value = np.repeat(np.arange(len(self.sizes)), self.sizes)
        n, w = self.items, len(value)
        scale = np.where(value == 0, self.uneven, 1.0)
        severity = scale * 0.2 * (rng.gamma(4, 1, w) - 4)
        quality = np.random.default_rng(5).normal(4.3 if self.ceiling else 3, 0.8, n)
        latent = quality[:, None] + severity + scale * rng.normal(0, 0.7, (n, w))
        score = np.clip(np.rint(latent), 1, 5) if self.ceiling else latent
        rated = np.ones((n, w), dtype=bool)
        if self.per_item:
            order = rng.random((n, w)).argsort(axis=1)
            rated = order < self.per_item
        item, rater = np.nonzero(rated)
        return Ratings(item, rater, score[item, rater]), value


LEVEL, AGREEMENT = "scores by an attribute", "agreement by an attribute"


def equal_values(test: RatersWithAttribute) -> Simulation:
    """Simulate tests and intervals of null differences, and the mean score of a value."""
    k = len(test.sizes)
    intervals = {f"difference of {name}": "interval" for name in (LEVEL, AGREEMENT)} if k == 2 else {}
    kinds: dict[str, Kind] = {
        f"p of {name}": "test" if k == 2 else "familywise test" for name in (LEVEL, AGREEMENT)
    }
    if test.uneven != 1 or test.ceiling:  # noise lowers agreement, and severe raters meet the ceiling less
        kinds.pop(f"p of {AGREEMENT}")
        intervals.pop(f"difference of {AGREEMENT}", "")
    kinds |= intervals  # type: ignore[arg-type]
    if not test.ceiling:
        kinds["mean score of a value"] = "interval"

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        ratings, value = test.draw(rng)
        mean = float(ratings.mos().means.mean())
        score = mean + estimate_severities(ratings.item, ratings.rater, ratings.score)
        consistency = agreement_with_others(ratings, BootstrapSpec(0))
        agreement = np.full(len(value), np.nan)
        agreement[consistency.raters] = np.where(
            consistency.items >= FEWEST_UNITS, consistency.correlation, np.nan
        )
        outcomes: dict[str, bool | float | None] = {}
        for name, figure in ((LEVEL, score), (AGREEMENT, agreement)):
            comparison = compare_values(figure, value, k)
            outcomes[f"p of {name}"] = min((pair.p for pair in comparison.pairs.values()), default=None)
            if k == 2 and comparison.pairs:
                pair = comparison.pairs[0, 1].difference
                outcomes[f"difference of {name}"] = bool(pair.low <= 0 <= pair.high)
            if name == LEVEL:
                truth = np.random.default_rng(5).normal(3, 0.8, test.items).mean()
                first = comparison.means[-1]
                outcomes["mean score of a value"] = bool(first.low <= truth <= first.high)
        return outcomes

    return Simulation("raters", f"by value: {test.words}", test.words, kinds, study)


CURVE = "correlation after some ratings by an attribute"


def equal_curves(test: RatersWithAttribute, r: int) -> Simulation:
    """Simulate curves of raters with irrelevant values after r ratings per item, with a fixed reference."""
    k = len(test.sizes)
    spec = RepetitionSpec(shuffles=20)
    truth_of_items = np.random.default_rng(5).normal(4.3 if test.ceiling else 3, 0.8, test.items)
    truth_of_items = truth_of_items + np.random.default_rng(6).normal(0, 0.3, test.items)
    reference = dict(enumerate(truth_of_items.tolist()))

    def curves(rng: np.random.Generator) -> list[tuple[float, float, int]]:
        ratings, value = test.draw(rng)
        result = []
        for code in range(k):
            has_value = value[ratings.rater] == code
            curve = value_curve(
                Ratings(ratings.item[has_value], ratings.rater[has_value], ratings.score[has_value]),
                reference,
                spec,
            )
            at_r = float(curve.curve[r - 1]) if len(curve.curve) >= r else np.nan
            result.append((at_r, curve.variance_at(r), test.sizes[code]))
        return result

    def truth(rng: np.random.Generator) -> float:
        return float(np.nanmean([curves(rng)[-1][0] for _ in range(300)]))

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        result = compare_estimates(curves(rng))
        outcomes: dict[str, bool | float | None] = {
            f"p of {CURVE}": min((pair.p for pair in result.pairs.values()), default=None),
            CURVE: bool(result.means[-1].low <= true <= result.means[-1].high),
        }
        if k == 2 and result.pairs:
            pair = result.pairs[0, 1].difference
            outcomes[f"difference of {CURVE}"] = bool(pair.low <= 0 <= pair.high)
        return outcomes

    kinds: dict[str, Kind] = {
        f"p of {CURVE}": "cautious test" if k == 2 else "familywise test",
        CURVE: "interval",
    }
    if k == 2:
        kinds[f"difference of {CURVE}"] = "interval"
    words = f"{test.words}, {r} ratings per item"
    return Simulation("raters", f"by curve: {words}", words, kinds, study, truth)


SIMULATIONS = (
    *(
        equal_curves(*design)
        for design in (
            (RatersWithAttribute(30, (12, 12)), 4),
            (RatersWithAttribute(50, (24, 22), per_item=20), 6),
            (RatersWithAttribute(40, (8, 8, 12)), 3),
            (RatersWithAttribute(60, (25, 15), per_item=20, ceiling=True), 4),
            (RatersWithAttribute(30, (6, 20)), 1),
        )
    ),
    *(
        equal_values(test)
        for test in (
            RatersWithAttribute(30, (12, 12)),
            RatersWithAttribute(30, (30, 8), uneven=2.0),
            RatersWithAttribute(60, (20, 20), per_item=6),
            RatersWithAttribute(60, (25, 15), per_item=12, ceiling=True),
            RatersWithAttribute(40, (6, 6, 10, 20)),
            RatersWithAttribute(40, (5, 5)),
        )
    ),
    *(equal_raters(EqualRaters(*design, ceiling)) for design in DESIGNS for ceiling in (False, True)),
    *(equal_raters(EqualRaters(*design), through_finding=True) for design in DESIGNS[1:3]),
    *(
        equal_raters(design, through_finding=True)
        for design in (
            EqualRaters(12, 5, 5),
            EqualRaters(15, 12, 12, ceiling=True),
            EqualRaters(100, 20, 4, zipf=True),
        )
    ),
    *(equal_raters_on_measures(EqualRaters(40, 8, 8, ceiling), 4) for ceiling in (False, True)),
    *(equal_raters_on_texts(sets, raters) for sets, raters in ((30, 8), (15, 12))),
    *(equal_raters_in_choices(*design) for design in ((132, 10, 10), (100, 20, 5), (300, 60, 5))),
    *(equal_raters_in_choices(*design, through_finding=True) for design in ((60, 8, 8), (400, 20, 5))),
    *(random_reference(*design) for design in ((60, 6), (200, 3))),
)
