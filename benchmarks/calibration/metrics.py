"""Automatic metrics against human ratings: correlations over systems and within raters, and two metrics compared."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log, nan
from typing import Any

import numpy as np

from analysis.assessors.automatic_metrics import MetricAgreement, MetricScores, metric_agreement
from analysis.assessors.metric_training import TrainingSpec, table5
from analysis.assessors.summary_scores import SummaryScores
from analysis.assessors.system_model import mean_by_system
from analysis.correlation.metric_comparison import MetricPair, accuracy_intervals, compare_metrics
from analysis.correlation.metric_difference import preference_curve, preference_rate
from analysis.correlation.rank_rows import CorrelationName
from analysis.values.estimate import BootstrapSpec, Estimate
from benchmarks.calibration.simulation import Kind, Simulation

Outcomes = Mapping[str, bool | float | None]
Pairs = tuple[MetricPair, ...]
LARGE_CONTEST = 600
"""Systems whose correlation, the mean of several such studies, is the truth."""
REPEATED = 12
QUICK, NONE = BootstrapSpec(200), BootstrapSpec(0)
FEWEST = 6


def _covers(estimate: Estimate, truth: float) -> bool | None:
    return None if estimate.low != estimate.low else bool(estimate.low <= truth <= estimate.high)


@dataclass(frozen=True)
class Contest:
    """Systems judged on topics by raters, each topic by one of them where nested, with a metric of every text.

    `slope` how much topics differ in how far the metric sees quality; `tails` gives systems a t distribution.
    """

    systems: int
    topics: int
    raters: int
    nested: bool = False
    noise: float = 0.7
    slope: float = 0.0
    tails: bool = False

    @property
    def words(self) -> str:
        raters = "each topic by one" if self.nested else "all rate everything"
        suffix = ", heavy tails" if self.tails else ", topics differ in slope" if self.slope else ""
        loose = ", weak metric" if self.noise > 1 else ""
        return f"{self.systems} systems, {self.topics} topics, {self.raters} raters, {raters}{loose}{suffix}"

    def draw(self, rng: np.random.Generator, systems: int | None = None) -> tuple[np.ndarray, ...]:
        s, t, w = systems or self.systems, self.topics, 1 if self.nested else self.raters
        system, topic, rater = (axis.ravel() for axis in np.indices((s, t, w)))
        quality = rng.standard_t(4, s) / 2**0.5 if self.tails else rng.normal(size=s)
        metric = (quality[:, None] * (1 + self.slope * rng.normal(size=t))) + rng.normal(0, self.noise, s)[
            :, None
        ]
        shared = rng.normal(0, 0.7, t)
        metric = metric + shared + rng.normal(0, 0.7, (s, t))
        latent = (quality[:, None] + rng.normal(0, 0.4, (s, t)) + shared)[system, topic]
        if self.nested:
            rater = topic % self.raters
        latent = (
            latent
            + rng.normal(0, 0.4, self.raters)[rater]
            + rng.normal(0, 0.3, (s, self.raters))[system, rater]
        )
        latent = latent + rng.uniform(0.5, 1.1, self.raters)[rater] * rng.normal(size=len(latent))
        return metric[system, topic], system * t + topic, system, topic, rater, np.rint(3 + latent)


def agreement(contest: Contest, correlation: CorrelationName) -> Simulation:
    """Simulate new systems, raters and topics; the truth is that of many systems with as many raters and topics."""
    name = "Pearson's r" if correlation == "pearson" else "Spearman's rho"
    system_level = f"metric over systems, {name}"
    summary_level = f"metric on single items, {name}"
    change = f"change of the metric over systems, {name}"
    change_within = f"change of the metric on single items, {name}"

    def found(columns: tuple[np.ndarray, ...], spec: BootstrapSpec) -> MetricAgreement:
        return metric_agreement(MetricScores(*columns), [0], correlation, spec)

    def figures(result: MetricAgreement) -> dict[str, Estimate]:
        return {
            system_level: result.system_level.before,
            summary_level: result.summary_level.before,
            change: result.system_level.difference,
            change_within: result.summary_level.difference,
        }

    def truth(rng: np.random.Generator) -> dict[str, float]:
        repeated = [figures(found(contest.draw(rng, LARGE_CONTEST), NONE)) for _ in range(REPEATED)]
        return {name: float(np.mean([one[name].value for one in repeated])) for name in repeated[0]}

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        observed = figures(found(contest.draw(rng), QUICK))
        return {name: _covers(observed[name], true[name]) for name in true}

    words = f"{contest.words}, {name}"
    return Simulation(
        "metrics",
        f"agreement: {words}",
        contest.words,
        dict.fromkeys((system_level, summary_level, change, change_within), "interval"),
        study,
        truth,
    )


@dataclass(frozen=True)
class Rivals:
    """Two metrics that go equally well with human scores over all systems: each has its own taste for systems,
    `alike` the share that both have in common, and errors of single texts."""

    systems: int
    topics: int
    taste: float = 0.7
    alike: float = 0.0
    tails: bool = False

    @property
    def words(self) -> str:
        suffix = ", heavy tails" if self.tails else ""
        shared = f", {self.alike:.0%} of their variance shared" if self.alike else ""
        return f"{self.systems} systems, {self.topics} topics, errors over systems of SD {self.taste}{shared}{suffix}"

    def draw(
        self, rng: np.random.Generator, tastes: tuple[float, ...]
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
        """Draw a metric for each of the tastes, in units of `taste`, on different scales."""
        s, t = self.systems, self.topics
        system, topic = (axis.ravel() for axis in np.indices((s, t)))
        quality = rng.standard_t(4, s) / 2**0.5 if self.tails else rng.normal(size=s)
        common, hard = rng.normal(size=s), rng.normal(size=t)
        metrics = {}
        for number, scale in enumerate(tastes):
            taste = self.alike**0.5 * common + (1 - self.alike) ** 0.5 * rng.normal(size=s)
            level = (quality + scale * self.taste * taste)[system] + hard[topic]
            metrics[f"metric {number}"] = (1 + 4 * number) * (level + rng.normal(size=s * t)) + number
        return metrics, system, topic, quality[system] + hard[topic] + 0.8 * rng.normal(size=s * t)


def rivals(design: Rivals, correlation: CorrelationName) -> Simulation:
    """Simulate Williams' test of equal metrics, and intervals with a worse second one."""
    name = "Pearson's r" if correlation == "pearson" else "Spearman's rho"
    figures: dict[str, Kind] = {
        f"Williams' test, {name}": "test",
        f"difference of two metrics, {name}": "interval",
        f"BOOT-BOTH, {name}": "interval",
        f"PERM-BOTH, for these systems, {name}": "cautious test",
        f"PERM-BOTH, taken for other systems, {name}": "misused test",
        f"Williams' test, Holm-adjusted, {name}": "cautious test",
    }

    def compared(
        systems: Rivals, rng: np.random.Generator, tastes: tuple[float, ...], spec: BootstrapSpec
    ) -> Pairs:
        metrics, system, topic, score = systems.draw(rng, tastes)
        return compare_metrics(metrics, system, topic, score, correlation, spec)

    def truth(rng: np.random.Generator) -> float:
        (pair,) = compared(replace(design, systems=20_000), rng, (1.0, 1.6), NONE)
        return pair.difference.value

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        (unequal,) = compared(design, rng, (1.0, 1.6), QUICK)
        expected = true if unequal.better == "metric 0" else -true
        of_three = compared(design, rng, (1.0, 1.0, 1.0), NONE)
        (exchangeable,) = compared(replace(design, alike=1.0), rng, (1.0, 1.0), QUICK)
        (equal,) = compared(design, rng, (1.0, 1.0), QUICK)
        outcomes = (
            of_three[0].p,
            _covers(unequal.difference, expected),
            _covers(unequal.resampled, expected),
            exchangeable.p_permuted,
            equal.p_permuted,
            min(pair.p_holm for pair in of_three),
        )
        return dict(zip(figures, outcomes, strict=True))

    words = f"{design.words}, {name}"
    return Simulation("metrics", f"two metrics: {words}", design.words, figures, study, truth)


TRAINED_METRIC = "trained metric and human scores", "change of a trained metric's correlation"


def trained(contest: Contest) -> Simulation:
    """A metric that learned from one contest, was chosen on a second and is tested on a third, all of the same kind;
    with and without one rater in the first two. The truth is that of this metric over many systems."""
    spec = TrainingSpec(0, 1, 2, methods=("huber", "nnls"), largest_subset=2, bootstrap=BootstrapSpec(100))

    def judged(rng: np.random.Generator, split: int, systems: int | None = None) -> SummaryScores:
        metric, item, system, topic, rater, score = contest.draw(rng, systems)
        others = rng.normal(0, 1, (2, int(item.max()) + 1))[:, item]
        features = np.column_stack([metric, metric + others[0], others[1]])
        return SummaryScores(
            features,
            score[:, None],
            system,
            split * contest.topics + topic,
            np.full(len(score), split),
            rater,
        )

    def truth(rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
        many = [judged(rng, 2, LARGE_CONTEST) for _ in range(REPEATED)]
        return [(mean_by_system(one, one.features), mean_by_system(one, one.scores[:, 0])) for one in many]

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        parts = [judged(rng, split) for split in range(3)]
        columns = "features", "scores", "system", "topic", "split", "rater"
        rows = SummaryScores(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))
        (cell,) = table5(rows, 0, spec, (0,))
        of_both = [
            float(np.mean([np.corrcoef(x[:, model.features] @ model.coefficients, y)[0, 1] for x, y in true]))
            if model is not None and model.method
            else nan
            for model in (cell.everyone, cell.left_out)
        ]
        return {
            TRAINED_METRIC[0]: _covers(cell.everyone.correlation_test, of_both[0]),
            TRAINED_METRIC[1]: _covers(cell.difference, round(of_both[1] - of_both[0], 9)),
        }

    kinds: dict[str, Kind] = {
        TRAINED_METRIC[0]: "interval",
        TRAINED_METRIC[1]: "interval",
    }
    return Simulation("metrics", f"trained: {contest.words}", contest.words, kinds, study, truth)


def worth(systems: int, noise: float, steps: bool = False) -> Simulation:
    """Simulate systems whose metric is people's mean plus noise, in whole steps where asked."""

    def draw(rng: np.random.Generator, number: int) -> tuple[np.ndarray, np.ndarray]:
        human = rng.normal(size=number)
        metric = human + noise * rng.normal(size=number)
        return human, np.rint(4 * metric) / 4 if steps else metric

    def study(rng: np.random.Generator, rate: float) -> Outcomes:
        needed = preference_curve(*draw(rng, systems)).needed[0.8]
        true_difference = log(2.5) / rate
        if not needed.defined:
            return {"difference of a metric": None}
        return {"difference of a metric": needed.low <= true_difference and not true_difference > needed.high}

    def truth(rng: np.random.Generator) -> float:
        return float(np.mean([preference_rate(*draw(rng, LARGE_CONTEST)) for _ in range(REPEATED)]))

    design = f"{systems} systems, a metric with noise {noise:g}{', in steps' if steps else ''}"
    return Simulation(
        "metrics",
        f"worth: {design}",
        design,
        {"difference of a metric": "interval"},
        study,
        truth,
        fixed_raters=True,
    )


ACCURACY = ("pairwise accuracy of a metric", "soft pairwise accuracy", "accuracy on single items")


def accuracy(systems: int, items: int, noise: float, grades: bool = False) -> Simulation:
    """Simulate systems on the same items, a metric with noise by system and by output; people's scores in grades."""

    def draw(rng: np.random.Generator, number: int) -> tuple[np.ndarray, np.ndarray]:
        level = rng.normal(size=number)[:, None]
        human = level + 2 * rng.normal(size=(number, items))
        metric = level + noise * rng.normal(size=(number, 1)) + rng.normal(size=(number, items))
        return np.clip(np.rint(human), -2, 2) if grades else human, metric

    def study(rng: np.random.Generator, expected: tuple[float, ...]) -> Outcomes:
        result = accuracy_intervals(*draw(rng, systems), permutations=200)
        estimates = result.pairwise, result.soft, result.segments
        return {
            name: _covers(one, value) for name, one, value in zip(ACCURACY, estimates, expected, strict=True)
        }

    def truth(rng: np.random.Generator) -> tuple[float, ...]:
        repeated = [accuracy_intervals(*draw(rng, 60), permutations=200) for _ in range(REPEATED)]
        return tuple(
            float(np.mean([getattr(one, name).value for one in repeated]))
            for name in ("pairwise", "soft", "segments")
        )

    design = f"{systems} systems, {items} items, a metric with noise {noise:g}{', grades' if grades else ''}"
    kinds: dict[str, Kind] = dict.fromkeys(ACCURACY, "interval")
    return Simulation("metrics", f"accuracy: {design}", design, kinds, study, truth, fixed_raters=True)


CONTESTS = (
    Contest(8, 10, 6),
    Contest(16, 10, 6),
    Contest(30, 8, 6),
    Contest(20, 40, 8, nested=True),
    Contest(16, 12, 8, noise=2.0),
    Contest(16, 12, 8, slope=0.5),
    Contest(16, 12, 8, tails=True),
    Contest(12, 20, 3),
)
RIVALS = (
    Rivals(8, 10),
    Rivals(10, 50, alike=0.6),
    Rivals(16, 20),
    Rivals(16, 20, taste=1.5),
    Rivals(30, 10, alike=0.6),
    Rivals(16, 20, tails=True),
)
TRAINED = (
    Contest(16, 10, 6),
    Contest(20, 24, 8, nested=True),
    Contest(12, 12, 3),
    Contest(24, 8, 6, noise=1.2),
)
SIMULATIONS = (
    tuple(
        make
        for correlation in ("pearson", "spearman")
        for make in (
            *(rivals(design, correlation) for design in RIVALS),
            *(agreement(contest, correlation) for contest in CONTESTS),
        )
    )
    + tuple(trained(contest) for contest in TRAINED)
    + tuple(
        worth(systems, noise, steps)
        for systems in (8, 12, 24, 60)
        for noise, steps in ((0.5, False), (1.0, False), (2.0, False), (1.0, True))
    )
    + (
        accuracy(8, 30, 1.0),
        accuracy(12, 50, 0.5),
        accuracy(24, 50, 1.0),
        accuracy(24, 30, 0.5, grades=True),
        accuracy(40, 20, 2.0),
    )
)
