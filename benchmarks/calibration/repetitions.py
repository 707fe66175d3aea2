"""Repetitions: reliability, stopping rules, curves of ratings and of votes, and their knees.

100 draws of 20 shuffles, as on the page. What a curve's band, a knee's or a rule's interval should hold is that of the
mean curve of 300 studies of the same design, m included: the knee of studies like this one, not of one without end.
What the headlines say of all ratings and of all votes holds for these raters: there the truth is that of very many
items and the same raters.
"""

from collections.abc import Callable, Mapping
from math import sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np

from analysis.agreement.agreement_summary import AgreementSummary, agreement_summary
from analysis.agreement.intraclass import one_way_intervals
from analysis.agreement.reliability import one_way
from analysis.repetitions import attenuation, choice_repetition, repetition, resampled_ratings
from analysis.repetitions.attenuation import ratings_for_reliability, ratings_needed
from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.repetitions.knee import KneeInterval, fit_curves, knee_interval
from analysis.repetitions.repetition import RepetitionSpec
from analysis.repetitions.saturation import Curves
from analysis.repetitions.stopping import (
    StoppingSpec,
    apply_stopping_rules,
    curve_rule_interval,
    ratings_for_share,
    ratings_for_small_gain,
    ratings_for_width,
)
from analysis.resampling.intervals import wilson_interval
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes
from benchmarks.calibration.crowd_vs_lab import Side
from benchmarks.calibration.simulation import Kind, Simulation
from features.repetitions.ratings_findings import curve_finding, is_apart_from_0
from features.repetitions.ratings_results import RatingsSpec, Repetitions

Outcome = Mapping[str, bool | float | None]
UNRELATED = "a knee although the reference is unrelated"
QUALITY, SEVERITY, CHANCE = 0.6, 0.4, 0.9
TARGET, WIDTH = 0.8, 1.0
BOOTSTRAP, SHUFFLES = BootstrapSpec(100), 20
SPEC = RepetitionSpec(shuffles=20)
TARGET_RELIABILITY = StoppingSpec()
MANY = 20_000
"""Items whose figure is the truth for one study's raters."""


def rate_items(
    side: Side, quality: np.ndarray, rng: np.random.Generator, severity: np.ndarray | None = None
) -> Ratings:
    """Draw unrounded ratings, so that components are known, by new raters unless severities are given."""
    load = 1 / np.arange(1, side.raters + 1) ** side.unequal
    keys = np.log(rng.random((len(quality), side.raters))) / load
    assigned = np.argsort(-keys, axis=1)[:, : side.per_item]
    if severity is None:
        severity = rng.normal(0, SEVERITY, side.raters)
    score = quality[:, None] + severity[assigned] + rng.normal(0, CHANCE, assigned.shape)
    return Ratings(np.repeat(np.arange(len(quality)), side.per_item), assigned.ravel(), score.ravel())


def summarize_side(single: Estimate, raters: int) -> AgreementSummary:
    return AgreementSummary(single, single, single, 1.0, raters, scope="raters like these")


def components(side: Side, items: int) -> Callable[[np.random.Generator, Any], Outcome]:
    icc = QUALITY**2 / (QUALITY**2 + SEVERITY**2 + CHANCE**2)
    sd = sqrt(SEVERITY**2 + CHANCE**2)
    degrees = items * (side.per_item - 1)

    def study(rng: np.random.Generator, _: Any) -> Outcome:
        intervals = one_way_intervals(rate_items(side, rng.normal(0, QUALITY, items), rng))
        needed = ratings_needed(summarize_side(intervals.icc, side.raters), TARGET)
        return {
            "reliability of one rating": intervals.icc.low <= icc <= intervals.icc.high,
            "ratings for a reliability": None
            if needed.reason
            else needed.low <= ratings_for_reliability(icc, TARGET) <= needed.high,
            "ratings for a width": ratings_for_width(intervals.sd_within.low, WIDTH, degrees)
            <= ratings_for_width(sd, WIDTH, degrees)
            <= ratings_for_width(intervals.sd_within.high, WIDTH, degrees),
        }

    return study


def rating_headline(side: Side, items: int) -> Callable[[np.random.Generator, Any], Outcome]:
    labelled = Side(12, 12)

    def study(rng: np.random.Generator, _: Any) -> Outcome:
        severities = rng.normal(0, SEVERITY, side.raters), rng.normal(0, SEVERITY, labelled.raters)

        def after_all(number: int) -> Estimate:
            quality = rng.normal(0, QUALITY, number)
            ratings, reference = (
                rate_items(of, quality, rng, severity)
                for of, severity in zip((side, labelled), severities, strict=True)
            )
            curves = repetition.simulate(ratings, known_reference(reference), RepetitionSpec(shuffles=0))
            return fit_curves(["measure"], [curves], 1.0)[0].correlation

        measured, right = after_all(items), after_all(MANY).value
        return {"correlation with all ratings": measured.low <= right <= measured.high}

    return study


def known_reference(reference: Ratings | None) -> dict[Any, float] | None:
    if reference is None:
        return None
    mos = reference.mos()
    return dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))


def band_coverage(
    curves: Curves, draw: np.ndarray, truth: np.ndarray, votes: bool
) -> tuple[KneeInterval, dict[str, Any]]:
    """Return coverage of the true mean curve by the band at three points, and of the knee by its interval."""
    m = curves.repetitions
    interval = knee_interval(curves, draw, shares=votes)
    right = knee_interval(true_mean_curve(curves, truth), np.empty((0, m)), shares=votes).knee.value
    positions = {"1": 0, "half": m // 2 - 1, "all": m - 1}
    covered = {
        name: bool(interval.low[at] <= truth[at] <= interval.high[at]) for name, at in positions.items()
    }
    knee = interval.knee
    return interval, covered | {
        "knee": None if knee.low != knee.low or right != right else bool(knee.low <= right <= knee.high)
    }


def true_mean_curve(curves: Curves, truth: np.ndarray) -> Curves:
    return Curves(truth, np.empty((0, len(truth))), curves.items, reference=curves.reference)


def rating_curves(side: Side, items: int, halves: bool) -> tuple[Callable[..., Any], Callable[..., Outcome]]:
    name = "split-half curve" if halves else "curve"
    labelled = Side(12, 12)

    def draw(rng: np.random.Generator) -> tuple[Ratings, Ratings | None]:
        quality = rng.normal(0, QUALITY, items)
        ratings = rate_items(side, quality, rng)
        return ratings, None if halves else rate_items(labelled, quality, rng)

    def truth(rng: np.random.Generator) -> np.ndarray:
        studies = [draw(rng) for _ in range(300)]
        curves = [
            repetition.simulate(ratings, known_reference(reference), SPEC) for ratings, reference in studies
        ]
        return np.mean([one.points.mean(axis=0) for one in curves], axis=0)

    def study(rng: np.random.Generator, truth: np.ndarray) -> Outcome:
        ratings, reference = draw(rng)
        curves = repetition.simulate(ratings, known_reference(reference), SPEC)
        resampled = resampled_ratings.resampled_curves(ratings, reference, SPEC, BOOTSTRAP, SHUFFLES)
        interval, covered = band_coverage(curves, resampled, truth, votes=False)
        outcome: dict[str, bool | float | None] = {
            f"{name}, r = {r}": covered[r] for r in ("1", "half", "all")
        }
        if halves:
            return outcome
        limit = attenuation.fit(true_mean_curve(curves, truth))
        limits, half = np.array([limit.rho_inf]), np.array([limit.ratings_for_half])
        right = {
            "share of the limit": float(ratings_for_share(half, TARGET_RELIABILITY.share)[0]),
            "gain of one more": float(ratings_for_small_gain(limits, half, TARGET_RELIABILITY.gain)[0]),
        }
        fitted = attenuation.fit(curves)
        for answer in apply_stopping_rules(fitted, one_way(ratings), TARGET_RELIABILITY):
            if answer.rule in right:
                interval_of_stop: Estimate = curve_rule_interval(
                    answer, interval.rho_inf, interval.ratings_for_half, TARGET_RELIABILITY
                )
                outcome[answer.rule] = (
                    None
                    if interval_of_stop.low != interval_of_stop.low
                    else bool(interval_of_stop.low <= right[answer.rule] <= interval_of_stop.high)
                )
        return outcome | {"knee": covered["knee"]}

    return truth, study


def draw_votes(
    items: int, m: int, skill: np.ndarray, rng: np.random.Generator, zipf: bool = False
) -> tuple[Votes, np.ndarray]:
    """Draw m votes per item by workers of different skill on items of different ease, and the right answers.

    With `zipf` loads the first worker votes on most items.
    """
    workers = len(skill)
    gold, item = rng.integers(0, 2, items), np.repeat(np.arange(items), m)
    lots = rng.random((items, workers))
    if zipf:
        lots = -np.log(lots) * np.arange(1, workers + 1)
    rater = np.argsort(lots, axis=1)[:, :m].ravel()
    ease = rng.normal(0, 0.8, items)
    right = rng.random(items * m) < 1 / (1 + np.exp(-(np.log(skill / (1 - skill))[rater] + ease[item])))
    return Votes(item, rater, np.where(right, gold[item], 1 - gold[item]), items, workers, 2), gold


def vote_curves(items: int, m: int, workers: int) -> tuple[Callable[..., Any], Callable[..., Outcome]]:
    spec = ChoiceRepetitionSpec(20)

    def draw(rng: np.random.Generator) -> tuple[Votes, np.ndarray]:
        return draw_votes(items, m, rng.beta(6, 2.5, workers), rng)

    def truth(rng: np.random.Generator) -> np.ndarray:
        curves_of_studies = [
            choice_repetition.simulate(*draw(rng), spec).points.mean(axis=0) for _ in range(300)
        ]
        return np.mean(curves_of_studies, axis=0)

    def study(rng: np.random.Generator, truth: np.ndarray) -> Outcome:
        votes, gold = draw(rng)
        curves = choice_repetition.simulate(votes, gold, spec)
        resampled = choice_repetition.resampled_curves(votes, gold, spec, BOOTSTRAP, SHUFFLES)
        interval, covered = band_coverage(curves, resampled, truth, votes=True)
        index = int(interval.knee.value) - 1 if interval.knee.defined else None
        return {f"share of votes, r = {r}": covered[r] for r in ("1", "half", "all")} | {
            "knee of votes": covered["knee"],
            "share of votes at the knee": None
            if index is None
            else bool(interval.low[index] <= truth[index] <= interval.high[index]),
        }

    return truth, study


def vote_headline(
    items: int, m: int, workers: int, zipf: bool = False
) -> Callable[[np.random.Generator, Any], Outcome]:
    spec = ChoiceRepetitionSpec(0)

    def study(rng: np.random.Generator, _: Any) -> Outcome:
        skill = rng.beta(6, 2.5, workers)
        measured, right = (
            choice_repetition.simulate(*draw_votes(number, m, skill, rng, zipf), spec).mean_at(m)
            for number in (items, MANY)
        )
        _, low, high = wilson_interval(measured * items, items)
        return {"share of votes with all votes": bool(low <= right <= high)}

    return study


def unrelated_reference(side: Side, items: int) -> Simulation:
    """Simulate the finding of the page for ratings unrelated to their reference.

    The bootstrap of the curves is made only where the correlation's interval excludes 0: elsewhere the finding does not
    use it.
    """
    page: Any = SimpleNamespace(reference="lab", reference_name="lab", reference_column=None)

    def study(rng: np.random.Generator, _: Any) -> Outcome:
        ratings = rate_items(side, rng.normal(0, QUALITY, items), rng)
        reference = rate_items(Side(12, 12), rng.normal(0, QUALITY, items), rng)
        curves = repetition.simulate(ratings, known_reference(reference), SPEC)
        fitted = fit_curves(["score"], [curves], 1.0)
        knees = None
        if is_apart_from_0(fitted[0].correlation):
            resampled = resampled_ratings.resampled_curves(ratings, reference, SPEC, BOOTSTRAP, SHUFFLES)
            knees = (knee_interval(curves, resampled, fitted=fitted[0].saturation),)
        finding = curve_finding(page, Repetitions((), fitted, knees), RatingsSpec(SPEC))
        has_knee = "knee" in finding.headline[1]
        return {UNRELATED: 0.0 if has_knee else 1.0}

    words = f"{describe_side(side, items)}, unrelated reference, through the finding of the page"
    kinds: Mapping[str, Kind] = {UNRELATED: "verdict test"}
    return Simulation("repetitions", f"unrelated: {words}", words, kinds, study)


def needed_ratings_coverage(raters: int, items: int, ceiling: bool) -> Simulation:
    """Simulate the ratings needed for a reliability with these crossed raters, whose severity is fixed."""

    def draw(rng: np.random.Generator, number: int) -> Ratings:
        latent = rng.normal(4.4 if ceiling else 3.0, 0.9, number)[:, None] + np.linspace(-0.4, 0.4, raters)
        score = np.clip(np.rint(latent + rng.normal(0, 0.8, (number, raters))), 1, 5)
        item, rater = (codes.ravel() for codes in np.indices(score.shape))
        return Ratings(item, rater, score.ravel())

    def truth(rng: np.random.Generator) -> float:
        return ratings_for_reliability(agreement_summary(draw(rng, MANY), "these raters").one.value, TARGET)

    def study(rng: np.random.Generator, true: Any) -> Outcome:
        needed = ratings_needed(agreement_summary(draw(rng, items), "these raters"), TARGET)
        if needed.reason or needed.warning:
            return {"ratings for a reliability": None}
        return {"ratings for a reliability": bool(needed.low <= true <= needed.high)}

    words = f"{items} items, all {raters} raters" + (", scores at a ceiling" if ceiling else "")
    return Simulation(
        "repetitions",
        f"needed: {words}",
        words,
        interval_kinds("ratings for a reliability"),
        study,
        truth,
        fixed_raters=True,
    )


def ratings_needed_of_loads(side: Side, items: int) -> Simulation:
    """Simulate the ratings needed for a reliability with raters who stay, and who rate many or few items."""
    severity = np.random.default_rng(7).normal(0, SEVERITY, side.raters)

    def found(rng: np.random.Generator, number: int) -> AgreementSummary:
        return agreement_summary(rate_items(side, rng.normal(0, 1, number), rng, severity), "these raters")

    def truth(rng: np.random.Generator) -> float:
        return ratings_for_reliability(found(rng, MANY).one.value, TARGET)

    def study(rng: np.random.Generator, true: Any) -> Outcome:
        needed = ratings_needed(found(rng, items), TARGET)
        if needed.reason or needed.warning:
            return {"ratings for a reliability": None}
        return {"ratings for a reliability": bool(needed.low <= true <= needed.high)}

    words = describe_side(side, items)
    kinds = interval_kinds("ratings for a reliability")
    return Simulation("repetitions", f"needed: {words}", words, kinds, study, truth, fixed_raters=True)


def interval_kinds(*names: str) -> Mapping[str, Kind]:
    return dict.fromkeys(names, "interval")


def describe_side(side: Side, items: int) -> str:
    raters = (
        f"all {side.raters} raters"
        if side.per_item == side.raters
        else f"{side.per_item} of {side.raters} raters"
    )
    return f"{items} items, {raters}" + (", Zipf loads" if side.unequal else "")


_COMPONENTS = {
    "12 of all": (Side(12, 12), 60),
    "5 of 20": (Side(20, 5), 60),
    "3 of 40": (Side(40, 3), 60),
    "3 of 40 Zipf": (Side(40, 3, 1.0), 60),
    "8 of all, 20 items": (Side(8, 8), 20),
    "3 of all": (Side(3, 3), 60),
}
_CURVES = {"12 of all": (Side(12, 12), 40), "10 of 30 Zipf": (Side(30, 10, 1.0), 40)}
OF_A_KNEE = "knee of votes", "share of votes at the knee"
FEWEST_FOR_A_KNEE = 10
"""Votes of an item: of 7, one study in twelve has a knee."""
_BAND = ("r = 1", "r = half", "r = all")


def make_simulations() -> tuple[Simulation, ...]:
    simulations = [
        Simulation(
            "repetitions",
            f"components: {name}",
            describe_side(side, items),
            interval_kinds(
                "reliability of one rating",
                "ratings for a reliability",
                "ratings for a width",
            ),
            components(side, items),
        )
        for name, (side, items) in _COMPONENTS.items()
    ]
    for name, (side, items) in _CURVES.items():
        for halves in (False, True):
            truth, study = rating_curves(side, items, halves)
            curve = "split-half curve" if halves else "curve"
            rules = () if halves else ("share of the limit", "gain of one more", "knee")
            simulations.append(
                Simulation(
                    "repetitions",
                    f"{curve}: {name}",
                    f"{describe_side(side, items)}, {'split halves' if halves else '12 reference raters, all items'}",
                    interval_kinds(*(f"{curve}, {r}" for r in _BAND), *rules),
                    study,
                    truth,
                )
            )
        simulations.append(
            Simulation(
                "repetitions",
                f"headline of ratings: {name}",
                f"{describe_side(side, items)}, 12 reference raters, all items",
                interval_kinds("correlation with all ratings"),
                rating_headline(side, items),
                fixed_raters=True,
            )
        )
    for items, m, workers in ((60, 21, 30), (30, 7, 12)):
        truth, study = vote_curves(items, m, workers)
        simulations.append(
            Simulation(
                "repetitions",
                f"headline of votes: {items} items",
                f"{items} items, {m} of {workers} workers, gold known",
                interval_kinds("share of votes with all votes"),
                vote_headline(items, m, workers),
                fixed_raters=True,
            )
        )
        simulations.append(
            Simulation(
                "repetitions",
                f"votes: {items} items",
                f"{items} items, {m} of {workers} workers, gold known",
                interval_kinds(
                    *(f"share of votes, {r}" for r in _BAND), *(() if m < FEWEST_FOR_A_KNEE else OF_A_KNEE)
                ),
                study,
                truth,
            )
        )
    for items, m, workers in ((60, 9, 30), (30, 5, 12)):
        words = f"{items} items, {m} of {workers} workers, Zipf loads, gold known"
        simulations.append(
            Simulation(
                "repetitions",
                f"headline of votes: {words}",
                words,
                interval_kinds("share of votes with all votes"),
                vote_headline(items, m, workers, zipf=True),
                fixed_raters=True,
            )
        )
    simulations.append(
        Simulation(
            "repetitions",
            "headline of ratings: 3 of 20 Zipf",
            f"{describe_side(Side(20, 3, 1.0), 60)}, 12 reference raters, all items",
            interval_kinds("correlation with all ratings"),
            rating_headline(Side(20, 3, 1.0), 60),
            fixed_raters=True,
        )
    )
    simulations += [
        ratings_needed_of_loads(Side(20, 4, 1.0), 60),
        ratings_needed_of_loads(Side(8, 3, 1.0), 30),
    ]
    simulations += [unrelated_reference(Side(12, 12), 40), unrelated_reference(Side(30, 10, 1.0), 40)]
    simulations += [
        needed_ratings_coverage(*design)
        for design in ((2, 40, False), (3, 15, False), (2, 100, True), (4, 40, True), (5, 20, False))
    ]
    return tuple(simulations)


SIMULATIONS = make_simulations()
