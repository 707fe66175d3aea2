"""Standing in: advantage, effective number of raters, shared errors and corrected scores, of known or drawn truth."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from analysis.agreement.alpha import krippendorff_alpha
from analysis.standing_in import (
    alternative_annotator_test,
    corrected_score,
    corrected_shares,
    effective_number_of_raters,
    judge_errors,
    pass_rate_behind,
    pass_rate_difference,
    shared_errors,
)
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from benchmarks.calibration.real_ratings import load_speech_scores, population_file
from benchmarks.calibration.simulation import Kind, Simulation
from features.replacement.findings import replacement_finding
from features.replacement.specs import CandidateResult, ReplacementSpec

ERROR, SEVERITY, NOISE, SHARED = 0.8, 0.5, 0.8, 0.3
"""SDs of candidates' errors (of which this share is common to all), raters' severities and the rest; true values: 1."""
OF_TRUTH = 4000
"""Studies whose mean advantage is its true value."""
EPSILON = 0.2


@dataclass(frozen=True)
class Judged:
    """Items, each rated by some of the raters; the first most often where loads follow Zipf."""

    items: int
    raters: int
    per_item: int
    zipf: bool = False

    @property
    def words(self) -> str:
        who = f"all {self.raters}" if self.per_item == self.raters else f"{self.per_item} of {self.raters}"
        return f"{self.items} items, {who} raters per item" + (", Zipf loads" if self.zipf else "")

    def assign(self, rng: np.random.Generator) -> np.ndarray:
        lots = rng.exponential(size=(self.items, self.raters))
        if self.zipf:
            lots = lots * np.arange(1, self.raters + 1)
        return np.argsort(lots, axis=1)[:, : self.per_item].ravel()

    def numbers(self, rng: np.random.Generator) -> tuple[Ratings, list[dict[Any, float]]]:
        """Draw ratings, and three candidates with correlated errors."""
        item, rater = np.repeat(np.arange(self.items), self.per_item), self.assign(rng)
        truth = rng.normal(0, 1, self.items)
        score = truth[item] + rng.normal(0, SEVERITY, self.raters)[rater] + rng.normal(0, NOISE, len(item))
        common = SHARED**0.5 * rng.normal(0, ERROR, self.items)
        own = (1 - SHARED) ** 0.5 * rng.normal(0, ERROR, (3, self.items))
        return Ratings(item, rater, score), [dict(enumerate((truth + common + one).tolist())) for one in own]

    def answers(self, rng: np.random.Generator, labels: bool) -> tuple[Any, Any, Any, dict[Any, float], Any]:
        """Draw whole scores or one of three labels, and a candidate."""
        if not labels:
            ratings, candidates = self.numbers(rng)
            return (
                ratings.rater,
                ratings.item,
                np.clip(np.round(ratings.score), -2, 2),
                candidates[0],
                "negative rmse",
            )
        item, rater = np.repeat(np.arange(self.items), self.per_item), self.assign(rng)
        truth, clear = rng.integers(0, 3, self.items), rng.beta(6, 3, self.items)
        sure = np.clip(clear[item] + rng.normal(0, 0.1, self.raters)[rater], 0.05, 0.98)
        value = np.where(rng.random(len(item)) < sure, truth[item], rng.integers(0, 3, len(item)))
        own = np.where(rng.random(self.items) < clear, truth, rng.integers(0, 3, self.items))
        return rater, item, value, dict(enumerate(own.tolist())), "accuracy"


def _covers(estimate: Estimate, truth: float) -> bool | None:
    return None if estimate.low != estimate.low else bool(estimate.low <= truth <= estimate.high)


def advantage(design: Judged, labels: bool) -> Simulation:
    """Simulate the advantage for new items and raters; its truth is the mean over many studies."""
    least = min(10, design.items)

    def found(rng: np.random.Generator) -> Estimate:
        return alternative_annotator_test(*design.answers(rng, labels), fewest=least).advantage

    kind = "labels" if labels else "numbers"
    return Simulation(
        "standing_in",
        f"advantage: {design.words}, {kind}",
        f"{design.words}, {kind}",
        {"advantage of a candidate": "interval"},
        lambda rng, truth: {"advantage of a candidate": _covers(found(rng), truth)},
        lambda rng: float(np.mean([found(rng).value for _ in range(OF_TRUTH)])),
    )


def equivalent_candidate(items: int, raters: int, per_item: int = 0) -> Simulation:
    """Simulate one rater's p, and the finding of the page, with a candidate whose disadvantage is exactly epsilon.

    Raters are fixed and give one of two labels rightly in 8 of 10 cases. Where only `per_item` of them rate an item,
    loads follow Zipf and the p is that of any tested rater. All are right equally often, so that the candidate's
    disadvantage depends on the number of the others alone.
    """
    design = Judged(items, raters, per_item or raters, zipf=bool(per_item))
    spec = ReplacementSpec("lab", "", "accuracy", EPSILON)

    def study(rng: np.random.Generator, accuracy: float) -> Mapping[str, bool | float | None]:
        answers = _two_labels(rng, items, raters, accuracy)
        if per_item:
            rater, item, value, *candidate = answers
            assigned = design.assign(rng).reshape(items, per_item)
            is_given = (rater[:, None] == assigned[item]).any(axis=1)
            answers = rater[is_given], item[is_given], value[is_given], *candidate
        test = alternative_annotator_test(*answers, epsilon=EPSILON)
        agreement = krippendorff_alpha(answers[1], answers[2], "nominal")
        candidate_result = CandidateResult("model", "column", test, Estimate(nan), None, agreement=agreement)
        return {
            "p of replacing one rater": float(rng.choice(test.p) if per_item else test.p[0]),
            "a candidate passes although it is worse": 0.0
            if replacement_finding(spec, (candidate_result,)).status == "clear"
            else 1.0,
        }

    def truth(rng: np.random.Generator) -> float:
        low, high = 0.3, 0.8
        for _ in range(14):
            midpoint = (low + high) / 2
            _, _, value, candidate_labels, _ = _two_labels(rng, 40_000, design.per_item, midpoint)
            labels = value.reshape(design.per_item, -1)
            other_labels = np.delete(labels, 0, axis=0)
            candidate_values = np.array([candidate_labels[at] for at in range(labels.shape[1])])
            f, h = (
                (other_labels == candidate_result).mean(axis=0)
                for candidate_result in (candidate_values, labels[0])
            )
            gap = ((h >= f).astype(float) - (f >= h)).mean()
            low, high = (midpoint, high) if gap > EPSILON else (low, midpoint)
        return (low + high) / 2

    words = f"{design.words}, labels"
    kinds: dict[str, Kind] = {
        "p of replacing one rater": "cautious test",
        "a candidate passes although it is worse": "verdict test",
    }
    return Simulation("standing_in", f"replaced: {words}", words, kinds, study, truth, fixed_raters=True)


def _two_labels(
    rng: np.random.Generator, items: int, raters: int, accuracy: float
) -> tuple[Any, Any, Any, dict[Any, Any], Any]:
    truth = rng.integers(0, 2, items)
    labels = np.where(rng.random((raters, items)) < 0.8, truth, 1 - truth)
    candidate = np.where(rng.random(items) < accuracy, truth, 1 - truth)
    rater, item = np.indices(labels.shape)
    return rater.ravel(), item.ravel(), labels.ravel(), dict(enumerate(candidate.tolist())), "accuracy"


def candidate_worth(design: Judged) -> Simulation:
    """Simulate the worth of a candidate and the correlation of errors, with known truth."""
    complete = design.per_item == design.raters
    of_one = NOISE**2 + (0.0 if complete else SEVERITY**2)
    raters = of_one / ERROR**2
    independent = 3 / (1 + 2 * SHARED)

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        ratings, candidates = design.numbers(rng)
        errors = shared_errors(ratings, candidates)
        pair = Estimate(errors.correlations[0, 1], errors.low[0, 1], errors.high[0, 1])
        return {
            "effective number of raters": _covers(effective_number_of_raters(ratings, candidates[0]), raters),
            "errors shared by two candidates": _covers(pair, SHARED),
            "errors shared by all candidates": _covers(errors.correlation, SHARED),
            "independent candidates": _covers(errors.worth, independent),
        }

    figures = (
        "effective number of raters",
        "errors shared by two candidates",
        "errors shared by all candidates",
        "independent candidates",
    )
    return Simulation(
        "standing_in", f"worth: {design.words}", design.words, dict.fromkeys(figures, "interval"), study
    )


def corrected_scores(items: int, rated: int, correlation: float) -> Simulation:
    """Simulate a candidate with this correlation with the reference's means, one point too high."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        y = rng.normal(0, 1, items)
        f = 1 + correlation * y + (1 - correlation**2) ** 0.5 * rng.normal(0, 1, items)
        result = corrected_score(f, np.where(np.arange(items) < rated, y, np.nan))
        return {
            "corrected score, tuned": _covers(result.tuned, 0.0),
            "corrected score, plain": _covers(result.plain, 0.0),
            "score of the reference alone": _covers(result.reference, 0.0),
        }

    design = f"{rated} of {items} items have a reference, candidate at r = {correlation}"
    figures: dict[str, Kind] = dict.fromkeys(
        ("corrected score, tuned", "corrected score, plain", "score of the reference alone"), "interval"
    )
    return Simulation("standing_in", f"corrected: {design}", design, figures, study, fixed_raters=True)


def corrected_scores_at_ceiling(rated: int, share: float) -> Simulation:
    """Simulate whole scores, most of them the highest, and a candidate of the same kind; the truth is that of new
    items."""
    noise = 0.7

    def study(rng: np.random.Generator, truth: float) -> Mapping[str, bool | float | None]:
        true = rng.normal(0, 1, 200)
        y = np.clip(np.rint(5 + share * true + rng.normal(0, noise, 200)), 1, 5)
        f = np.clip(np.rint(5 + true + rng.normal(0, noise, 200)), 1, 5)
        found = corrected_score(f, np.where(np.arange(200) < rated, y, np.nan))
        return {"corrected score, tuned": _covers(found.tuned, truth)}

    def truth(_: np.random.Generator) -> float:
        spread = (share**2 + noise**2) ** 0.5
        return float(5 - norm.cdf((np.arange(1, 5) + 0.5 - 5) / spread).sum())

    design = f"{rated} of 200 items have a reference, scores with a ceiling at r = {share}"
    return Simulation(
        "standing_in",
        f"corrected: {design}",
        design,
        {"corrected score, tuned": "interval"},
        study,
        truth,
        fixed_raters=True,
    )


def corrected_real_scores(rated: int) -> Simulation:
    """Simulate mean scores of real speech samples: the laboratory is the reference, the crowd the candidate.

    The truth is the mean of the population that items are drawn from. The mean of the items of one study lies in the
    interval more often, since those of them that were rated are a part of it.
    """

    def study(rng: np.random.Generator, truth: float) -> Mapping[str, bool | float | None]:
        lab, crowd = load_speech_scores()
        some = rng.integers(0, len(lab), 200)
        found = corrected_score(crowd[some], np.where(np.arange(200) < rated, lab[some], np.nan))
        return {"corrected score, tuned": _covers(found.tuned, truth)}

    design = f"{rated} of 200 items have a reference, resampled from real speech quality"
    figures: dict[str, Kind] = {"corrected score, tuned": "interval"}
    return Simulation(
        "standing_in",
        f"corrected: {design}",
        design,
        figures,
        study,
        lambda rng: float(load_speech_scores()[0].mean()),
        fixed_raters=True,
        needs=population_file("speech quality"),
    )


def pass_rates(rate: float, sensitivity: float, specificity: float, labeled: int) -> Simulation:
    """Simulate a judge of 2,000 items of one system and of another that passes .1 less often."""
    items, other = 2000, max(rate - 0.1, 0.05)

    def judged(rng: np.random.Generator, share: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        truth = rng.random(items) < share
        return truth, np.where(truth, rng.random(items) < sensitivity, rng.random(items) >= specificity)

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        truth, judge = judged(rng, rate)
        second = judged(rng, other)[1]
        errors = judge_errors(judge[:labeled], truth[:labeled])
        first_rate, second_rate = float(judge.mean()), float(second.mean())
        true_share = float(truth[:labeled].mean())
        return {
            "true pass rate": _covers(pass_rate_behind(first_rate, items, errors), rate),
            "difference of true pass rates": _covers(
                pass_rate_difference(first_rate, items, second_rate, items, errors), rate - other
            ),
            "sensitivity of a judge": _covers(errors.sensitivity, sensitivity)
            if 0 < true_share < 1
            else None,
        }

    design = (
        f"{labeled} of 2000 items are labeled by people, {100 * rate:g}% pass, the judge's sensitivity is "
        f"{sensitivity:g} and its specificity {specificity:g}"
    )
    names = ("true pass rate", "difference of true pass rates", "sensitivity of a judge")
    figures: dict[str, Kind] = dict.fromkeys(names, "interval")
    return Simulation("standing_in", f"pass rates: {design}", design, figures, study, fixed_raters=True)


def class_shares(labeled: int, right: float, shares: tuple[float, float, float]) -> Simulation:
    """Simulate a judge that gives one of three classes to 2,000 items and errs to either other class alike."""
    items = 2000

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        truth = rng.choice(3, items, p=shares)
        judge = np.where(rng.random(items) < right, truth, (truth + rng.integers(1, 3, items)) % 3)
        told = np.where(np.arange(items) < labeled, truth, -1)
        found = corrected_shares(judge, told, 3, BootstrapSpec(draws=200, seed=int(rng.integers(2**31))))
        return {"true share of a class": _covers(found.shares[0], shares[0])}

    told_shares = ", ".join(f"{one:g}" for one in shares)
    design = (
        f"{labeled} of 2000 items are labeled by people, classes have shares {told_shares}, the judge is right in "
        f"{100 * right:g}%"
    )
    return Simulation(
        "standing_in",
        f"class shares: {design}",
        design,
        {"true share of a class": "interval"},
        study,
        fixed_raters=True,
    )


SIMULATIONS = (
    *(
        pass_rates(rate, *errors, labeled)
        for rate in (0.1, 0.5, 0.9)
        for errors in ((0.7, 0.7), (0.95, 0.95), (0.95, 0.7), (0.7, 0.95))
        for labeled in (50, 150, 500)
    ),
    *(
        class_shares(labeled, right, shares)
        for labeled in (60, 200)
        for right in (0.7, 0.9)
        for shares in ((0.2, 0.3, 0.5), (0.8, 0.1, 0.1))
    ),
    *(
        advantage(design, labels)
        for design in (Judged(60, 6, 6), Judged(60, 12, 4), Judged(200, 10, 3), Judged(100, 12, 4, zipf=True))
        for labels in (True, False)
    ),
    advantage(Judged(60, 4, 4), False),
    *(equivalent_candidate(items, raters) for items, raters in ((40, 3), (100, 6))),
    *(equivalent_candidate(*design) for design in ((100, 8, 4), (200, 12, 5))),
    *(
        candidate_worth(design)
        for design in (Judged(60, 6, 6), Judged(100, 12, 4), Judged(60, 40, 3), Judged(100, 12, 4, zipf=True))
    ),
    candidate_worth(Judged(60, 3, 3)),
    candidate_worth(Judged(12, 5, 5)),
    *(corrected_scores_at_ceiling(rated, share) for rated in (8, 15, 30) for share in (0.3, 1.0)),
    *(corrected_real_scores(rated) for rated in (10, 20, 40)),
    *(
        corrected_scores(*design)
        for design in ((1000, 50, 0.8), (200, 100, 0.8), (1000, 20, 0.3), (1000, 200, 0.0))
    ),
)
