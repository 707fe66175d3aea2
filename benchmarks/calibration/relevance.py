"""Relevance: both agreements, agreement between raters, tests of surrogates, metrics, partitions, order of showing."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.correlation.rank_rows import CorrelationName
from analysis.relevance import tukey
from analysis.relevance.agreements import paper_kappa
from analysis.relevance.anova import repeated_measures_table
from analysis.relevance.judgments import JudgedTexts, Judgments, MetricTable, judged_texts
from analysis.relevance.metric_correlations import LEVELS, CorrelationSpec, correlations
from analysis.relevance.metric_means import outcome_means, share_of_improvement
from analysis.relevance.partitions import PartitionSpec, partition_intervals, partition_study
from analysis.relevance.rater_pairs import (
    PairedRate,
    agreement_between_raters,
    compare_agreements,
    compare_agreements_by_event,
)
from analysis.relevance.tukey import same_judgments
from analysis.values.estimate import BootstrapSpec, Estimate
from benchmarks.calibration.simulation import Kind, Simulation

Outcomes = Mapping[str, bool | float | None]
FEWEST = 6
"""Raters below which a test is called cautious."""
SAME_DESIGN = 200
"""Studies of the same design whose mean is the truth."""
QUICK, NONE = BootstrapSpec(200), BootstrapSpec(0)
AGREEMENTS = {
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "F": "f_score",
    "kappa within the rater": "kappa",
}
FULL_TEXT = 0
LDC, PREDICTION = "LDC", "RP"


def _covers(estimate: Estimate, truth: float) -> bool | None:
    return None if estimate.low != estimate.low else bool(estimate.low <= truth <= estimate.high)


def mean_outcomes(outcomes: list[dict[str, Estimate]]) -> dict[str, float]:
    return {name: float(np.nanmean([one[name].value for one in outcomes])) for name in outcomes[0]}


@dataclass(frozen=True)
class Design:
    """Raters who judge documents of events from the full text and from surrogates; `easy` is accuracy in log odds."""

    raters: int
    events: int
    documents: int
    easy: float = 1.2
    surrogates: int = 2
    worst: float = -0.3

    @property
    def words(self) -> str:
        near = ", mostly right" if self.easy > 2 else ""
        return f"{self.raters} raters, {self.events} events of {self.documents} documents{near}"

    def draw(self, rng: np.random.Generator, fixed: np.random.Generator | None = None) -> Judgments:
        """Draw new raters, and new events and documents unless they have a separate generator."""
        r, e, d, k = self.raters, self.events, self.documents, self.surrogates + 1
        texts = rng if fixed is None else fixed
        shape = r, e, d, k
        rater, event, document, surrogate = (axis.ravel() for axis in np.indices(shape))
        gold = texts.random((e, d)) < 0.5
        right = np.broadcast_to(self.easy + np.array([1.0, *np.linspace(0.3, self.worst, k - 1)]), shape)
        right = right + (e > 1) * texts.normal(0, 0.4, (e, 1, 1)) + texts.normal(0, 0.5, (e, d, 1))
        right = right + texts.normal(0, 0.5, (e, d, k))
        right = right + rng.normal(0, 0.5, (r, 1, 1, 1)) + rng.normal(0, 0.2, (r, e, 1, 1))
        correct = rng.random(shape) < 1 / (1 + np.exp(-right))
        truth = np.broadcast_to(gold[:, :, None], shape)
        seconds = np.exp(
            rng.normal(3, 0.5, shape) + rng.normal(0, 0.4, (r, 1, 1, 1)) - 0.8 * (np.arange(k) > 0)
        )
        return Judgments(
            rater,
            event,
            document,
            surrogate,
            np.where(correct, truth, ~truth).ravel().astype(np.float64),
            gold=truth.ravel().astype(np.float64),
            seconds=seconds.ravel(),
        )


def _agreements(judged: Judgments, spec: BootstrapSpec) -> dict[str, Estimate]:
    comparison = compare_agreements(judged, FULL_TEXT, spec)
    figures = {}
    for name, field in AGREEMENTS.items():
        figures[f"{name} (LDC)"] = getattr(comparison.ldc[1], field)
        figures[f"{name} (RP)"] = getattr(comparison.prediction[1], field)
    pairs = agreement_between_raters(judged, spec).surrogates[1]
    return figures | {
        "kappa with gold beyond chance": paper_kappa(comparison.ldc[1].accuracy),
        "accuracy lost against the full text": comparison.ldc_lost[1],
        "judgments unlike those of the full text": comparison.prediction_lost[1],
        "mean seconds": comparison.seconds[1],
        "seconds saved": comparison.seconds_saved[1],
        "kappa between raters": pairs.kappa,
        "equal judgments of raters": pairs.agreement,
    }


def agreement(design: Design) -> Simulation:
    """Simulate agreement with new raters and events."""

    def truth(rng: np.random.Generator) -> dict[str, float]:
        return mean_outcomes([_agreements(design.draw(rng), NONE) for _ in range(SAME_DESIGN)])

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        found = _agreements(design.draw(rng), QUICK)
        return {name: _covers(found[name], true[name]) for name in true}

    names = _agreements(design.draw(np.random.default_rng(0)), NONE)
    return Simulation(
        "relevance",
        f"agreement: {design.words}",
        design.words,
        dict.fromkeys(names, "interval"),
        study,
        truth,
    )


def agreement_within_event(design: Design) -> Simulation:
    """Simulate agreement within an event, with new raters and documents."""
    names = {
        "accuracy (LDC)": "accuracy within an event (LDC)",
        "accuracy (RP)": "accuracy within an event (RP)",
    }

    def found(judged: Judgments, spec: BootstrapSpec) -> dict[str, Estimate]:
        (comparison,) = compare_agreements_by_event(judged, FULL_TEXT, spec).values()
        return {
            "accuracy within an event (LDC)": comparison.ldc[1].accuracy,
            "accuracy within an event (RP)": comparison.prediction[1].accuracy,
        }

    def truth(rng: np.random.Generator) -> dict[str, float]:
        return mean_outcomes([found(design.draw(rng), NONE) for _ in range(4 * SAME_DESIGN)])

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        observed = found(design.draw(rng), QUICK)
        return {name: _covers(observed[name], true[name]) for name in true}

    words = f"{design.raters} raters, one event of {design.documents} documents"
    kinds = dict.fromkeys(names.values(), "interval")
    return Simulation("relevance", f"event: {words}", words, kinds, study, truth)


def paired_agreement(raters: int) -> Simulation:
    """Simulate new raters on the same documents; random judgments agree as often with gold as with the full text."""
    design = Design(raters, 6, 6)
    level, p, adjusted = (
        "difference of the two agreements",
        "paired t of the agreements",
        "Holm-adjusted p of the agreements",
    )

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        judged = design.draw(rng, np.random.default_rng(3))
        of_summary = judged.surrogate > 0
        answers = np.where(of_summary, rng.random(len(judged)) < 0.5, judged.judgment)
        guessed = Judgments(
            judged.rater, judged.event, judged.document, judged.surrogate, answers, gold=judged.gold
        )
        tests = compare_agreements(guessed, FULL_TEXT, NONE).difference
        return {
            level: _covers(tests[1].difference, 0.0),
            p: tests[1].p,
            adjusted: min(tests[1].p_holm, tests[2].p_holm),
        }

    cautious = raters < FEWEST
    return Simulation(
        "relevance",
        f"paired: {raters} raters",
        f"{raters} raters, 36 documents that stay, two surrogates judged by guess",
        {
            level: "interval",
            p: "cautious test" if cautious else "test",
            adjusted: "cautious test",
        },
        study,
    )


BASELINE_FIGURES = {
    LDC: "place between baseline and full text (LDC)",
    PREDICTION: "place between baseline and full text (RP)",
}


def baseline_comparison(design: Design) -> Simulation:
    """Simulate new raters and events; the last of three summaries is the baseline, with lower accuracy."""

    def found(judged: Judgments, spec: BootstrapSpec) -> dict[str, tuple[Estimate, Estimate]]:
        comparison = compare_agreements(judged, FULL_TEXT, spec)
        prediction = [one.accuracy for one in comparison.prediction]
        prediction[FULL_TEXT] = Estimate(1.0)
        sides = {
            LDC: ([one.accuracy for one in comparison.ldc], comparison.ldc_spread),
            PREDICTION: (prediction, comparison.prediction_spread),
        }
        shares_by_side = {
            side: share_of_improvement(*agreements, design.surrogates, FULL_TEXT)
            for side, agreements in sides.items()
        }
        return {
            BASELINE_FIGURES[side]: (shares[1], improvement)
            for side, (shares, improvement) in shares_by_side.items()
        }

    def truth(rng: np.random.Generator) -> dict[str, float]:
        means = np.zeros((2, 3))
        for _ in range(SAME_DESIGN):
            comparison = compare_agreements(design.draw(rng), FULL_TEXT, NONE)
            for side, agreements in enumerate((comparison.ldc, comparison.prediction)):
                text = agreements[FULL_TEXT].accuracy.value if side == 0 else 1.0
                means[side] += (
                    agreements[1].accuracy.value,
                    agreements[design.surrogates].accuracy.value,
                    text,
                )
        shares = (means[:, 0] - means[:, 1]) / (means[:, 2] - means[:, 1])
        return dict(zip(BASELINE_FIGURES.values(), shares.tolist(), strict=True))

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        observed = found(design.draw(rng), QUICK)
        return {name: _covers(share, true[name]) for name, (share, _) in observed.items()}

    words = f"{design.words}, {design.surrogates} surrogates, the last one a baseline"
    kinds: dict[str, Kind] = dict.fromkeys(BASELINE_FIGURES.values(), "interval")
    return Simulation("relevance", f"placed: {words}", words, kinds, study, truth)


RATES: Mapping[str, PairedRate] = {"precision": "precision", "F": "f_score"}


def paired_agreement_rates(raters: int, relevant: float) -> Simulation:
    """Raters whose full-text judgments are gold's in another order; a surrogate judged by guess agrees with both alike.

    `relevant` is the share of relevant documents.
    """

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        rater, surrogate, document = (axis.ravel() for axis in np.indices((raters, 3, 40)))
        gold = np.tile(np.arange(40) < relevant * 40, (raters, 3, 1)).astype(np.float64)
        answers = (rng.random(gold.shape) < 0.5).astype(np.float64)
        answers[:, FULL_TEXT] = rng.permuted(gold[:, FULL_TEXT], axis=1)
        judged = Judgments(rater, document % 4, document, surrogate, answers.ravel(), gold=gold.ravel())
        tests_by_rate = compare_agreements(judged, FULL_TEXT, NONE).differences
        outcomes: dict[str, bool | float | None] = {}
        for name, rate in RATES.items():
            tests = tests_by_rate[rate]
            outcomes[f"difference of the two agreements in {name}"] = _covers(tests[1].difference, 0.0)
            outcomes[f"paired t of the agreements in {name}"] = tests[1].p
            outcomes[f"Holm-adjusted p of the agreements in {name}"] = min(tests[1].p_holm, tests[2].p_holm)
        return outcomes

    kinds: dict[str, Kind] = {}
    for name in RATES:
        kinds[f"difference of the two agreements in {name}"] = "interval"
        kinds[f"paired t of the agreements in {name}"] = "cautious test" if raters < FEWEST else "test"
        kinds[f"Holm-adjusted p of the agreements in {name}"] = "cautious test"
    return Simulation(
        "relevance",
        f"paired rates: {raters} raters, {relevant:.0%} relevant",
        f"{raters} raters, 40 documents that stay, {relevant:.0%} relevant, two surrogates judged by guess",
        kinds,
        study,
    )


@dataclass(frozen=True)
class Table:
    """Values of subjects under conditions; `uneven` where one condition varies three times as much as the others."""

    subjects: int
    conditions: int
    uneven: bool = False
    missing: int = 0

    @property
    def words(self) -> str:
        variances = ", one varies three times as much" if self.uneven else ", all vary alike"
        gaps = f", {self.missing} cells missing" if self.missing else ""
        return f"{self.subjects} subjects, {self.conditions} surrogates{variances}{gaps}"

    def draw(self, rng: np.random.Generator, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n, k = self.subjects, self.conditions
        scale = np.where(self.uneven & (np.arange(k) == 0), 3.0, 1.0)
        subject = rng.normal(0, 1, n)
        table = means + subject[:, None] + scale * rng.normal(size=(n, k))
        table.ravel()[rng.choice(n * k, self.missing, replace=False)] = np.nan
        return table, subject


def analysis_of_variance(table: Table) -> Simulation:
    """Simulate a true null, and means of which the first and the last differ by three standard errors."""
    k, n = table.conditions, table.subjects
    means = np.linspace(0, 3 / n**0.5, k)
    noncentrality = n * float(((means - means.mean()) ** 2).sum())
    few = n < FEWEST
    exact: Kind = "cautious test" if few else "test"
    figures: dict[str, Kind] = {"adjusted p of two surrogates": "cautious test"}
    if not table.missing:
        figures["p of surrogates, Greenhouse-Geisser"] = "cautious test"
    if not table.uneven:
        figures |= {"p of surrogates": exact, "difference of two surrogates": "interval"}
        if not table.missing:
            figures |= {"partial eta squared": "interval", "mean of a surrogate": "interval"}

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        test = repeated_measures_table(table.draw(rng, np.zeros(k))[0])
        pairs = tukey.tukey_after_anova(test)
        values, subject = table.draw(rng, means)
        differing = repeated_measures_table(values)
        of_pairs = tukey.tukey_after_anova(differing)
        true_differences = means[:, None] - means
        pair = np.triu_indices(k, 1)
        first, eta = differing.means[0], differing.partial_eta_squared
        level = subject.mean()
        outcomes = {
            "adjusted p of two surrogates": float(pairs.p[pair].min()),
            "p of surrogates, Greenhouse-Geisser": test.p_greenhouse_geisser,
            "p of surrogates": test.p,
            "difference of two surrogates": bool(
                ((of_pairs.low <= true_differences) & (true_differences <= of_pairs.high))[pair].all()
            ),
            "partial eta squared": _covers(eta, noncentrality / (noncentrality + n * k - n + 1)),
            "mean of a surrogate": bool(first.low <= means[0] + level <= first.high),
        }
        return {name: outcomes[name] for name in figures}

    return Simulation("relevance", f"anova: {table.words}", table.words, figures, study)


def partitions(design: Design, size: int) -> Simulation:
    """Simulate new raters and documents of these events; the metric correlates with the clarity of summaries."""
    figure = "correlation over partitions"

    def texts(rng: np.random.Generator) -> JudgedTexts:
        judged, metric = add_metric(design, rng)
        return judged_texts(judged, judged.gold, metric)

    spec = PartitionSpec((size,), 20, 0, FULL_TEXT)

    def truth(rng: np.random.Generator) -> float:
        each = [partition_study(texts(rng), spec).partitions[0].mean for _ in range(4 * SAME_DESIGN)]
        return float(np.nanmean(each))

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        of = texts(rng)
        (interval, *_) = partition_intervals(of, partition_study(of, spec), QUICK)
        return {figure: _covers(interval, true)}

    words = f"{design.words}, {size} documents a group"
    return Simulation("relevance", f"partitions: {words}", words, {figure: "interval"}, study, truth)


def add_metric(design: Design, rng: np.random.Generator) -> tuple[Judgments, MetricTable]:
    """Draw judgments, and a metric that is higher for right ones."""
    judged = design.draw(rng)
    k = design.surrogates + 1
    text = (judged.event * design.documents + judged.document) * k + judged.surrogate
    right = np.bincount(text, judged.judgment == judged.gold) / design.raters
    event, document, surrogate = (axis.ravel() for axis in np.indices((design.events, design.documents, k)))
    return judged, MetricTable(event, document, surrogate, right + rng.normal(0, 0.3, len(right)))


def outcomes(design: Design) -> Simulation:
    """Simulate the mean of a metric over right and wrong judgments, with new raters and documents."""
    names = tuple(
        f"metric of {name}"
        for name in ("true positives", "true negatives", "false positives", "false negatives")
    )

    def found(rng: np.random.Generator, spec: BootstrapSpec) -> dict[str, Estimate]:
        judged, metric = add_metric(design, rng)
        means = outcome_means(judged_texts(judged, judged.gold, metric), spec)
        return {name: one.mean for name, one in zip(names, means[4:8], strict=True)}

    def truth(rng: np.random.Generator) -> dict[str, float]:
        return mean_outcomes([found(rng, NONE) for _ in range(2 * SAME_DESIGN)])

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        here = found(rng, QUICK)
        return {name: _covers(here[name], true[name]) for name in true}

    return Simulation(
        "relevance",
        f"outcomes: {design.words}",
        design.words,
        dict.fromkeys(names, "interval"),
        study,
        truth,
    )


@dataclass(frozen=True)
class Summaries:
    """Surrogates whose metric correlates with the accuracy of judgments, in easy and hard events."""

    surrogates: int
    events: int
    raters: int = 8
    documents: int = 6
    hard: float = 0.5

    @property
    def words(self) -> str:
        return f"{self.surrogates} surrogates, {self.events} events of {self.documents} documents, {self.raters} raters"

    def draw(
        self, rng: np.random.Generator, correlation: float, surrogates: int | None = None
    ) -> JudgedTexts:
        k, e, d, r = surrogates or self.surrogates, self.events, self.documents, self.raters
        quality, other, hard = rng.normal(size=k), rng.normal(size=k), rng.normal(0, self.hard, e)
        latent = correlation * quality + (1 - correlation**2) ** 0.5 * other
        event, document, surrogate = (axis.ravel() for axis in np.indices((e, d, k)))
        metric = 0.5 * latent[surrogate] + rng.normal(0, 0.25, (k, e))[surrogate, event]
        metric = metric - hard[event] + rng.normal(0, 0.5, len(event))
        right = 1.0 + 0.5 * quality[surrogate] + rng.normal(0, 0.25, (k, e))[surrogate, event] - hard[event]
        correct = rng.random((len(event), r)) < 1 / (1 + np.exp(-right))[:, None]
        gold = np.repeat(rng.integers(0, 2, len(event)), r)
        judged = Judgments(
            np.tile(np.arange(r), len(event)),
            *(np.repeat(column, r) for column in (event, document, surrogate)),
            np.where(correct.ravel(), gold, 1 - gold),
            gold=gold,
        )
        return judged_texts(judged, judged.gold, MetricTable(event, document, surrogate, metric))


OVER = {
    "system": "surrogates",
    "system x event": "surrogates x events",
    "event-adjusted": "adjusted for events",
}
FORMS: tuple[tuple[CorrelationName, str], ...] = (("pearson", "Pearson's r"), ("spearman", "Spearman's rho"))


def metric(summaries: Summaries) -> Simulation:
    """Simulate new surrogates and events: p of an unrelated metric, intervals of a related one."""
    p_of = {
        (level, form): f"p of a metric, {OVER[level]}, {name}" for level in LEVELS for form, name in FORMS
    }
    r_of = {
        (level, form): f"metric and accuracy, {OVER[level]}, {name}"
        for level in LEVELS
        for form, name in FORMS
    }

    def truth(rng: np.random.Generator) -> dict[tuple[str, str], float]:
        values_by_cell: dict[tuple[str, str], list[float]] = {key: [] for key in r_of}
        for _ in range(10):
            large = summaries.draw(rng, 0.8, 200)
            for level, form in r_of:
                spec = CorrelationSpec(level, permutations=1)
                values_by_cell[level, form].append(
                    correlations(large, spec).cell("accuracy", form).estimate.value
                )
        return {key: float(np.mean(values)) for key, values in values_by_cell.items()}

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        unrelated, related = summaries.draw(rng, 0.0), summaries.draw(rng, 0.8)
        outcomes: dict[str, bool | float | None] = {}
        for level in LEVELS:
            spec = CorrelationSpec(level, permutations=500)
            tested, correlated = (
                correlations(unrelated, spec),
                correlations(related, replace(spec, permutations=1)),
            )
            for form, _ in FORMS:
                outcomes[p_of[level, form]] = tested.cell("accuracy", form).p
                estimate = correlated.cell("accuracy", form).estimate
                outcomes[r_of[level, form]] = _covers(estimate, true[level, form])
        return outcomes

    kinds: dict[str, Kind] = dict.fromkeys(p_of.values(), "cautious test")
    kinds |= dict.fromkeys(r_of.values(), "interval")
    return Simulation("relevance", f"metric: {summaries.words}", summaries.words, kinds, study, truth)


def repeated_judgments(raters: int, documents: int, same: float) -> Simulation:
    """Simulate the share of equal judgments of the same document, with new raters, or new documents for few raters."""
    figure = "equal judgments given twice"
    has_few_raters = raters < 5
    persons = np.random.default_rng(5).normal(0, 0.7, raters)
    log_odds = np.log(same / (1 - same))

    def chances(rng: np.random.Generator, n: int) -> np.ndarray:
        return np.asarray(
            1 / (1 + np.exp(-log_odds - (persons if has_few_raters else rng.normal(0, 0.7, n))))
        )

    def truth(rng: np.random.Generator) -> float:
        return float(chances(rng, 1_000_000).mean())

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        equal = rng.random((raters, documents)) < chances(rng, raters)[:, None]
        rater, document, time = (axis.ravel() for axis in np.indices((raters, documents, 2)))
        judgment = np.where((time == 0) | equal.repeat(2, axis=1).ravel(), 1.0, 0.0)
        judged = Judgments(
            rater,
            np.zeros(len(rater)),
            document,
            np.zeros(len(rater)),
            judgment,
            order_label=np.full(len(rater), "S1D2"),
            presentation=np.where(time == 0, "S1", "D2"),
        )
        return {figure: _covers(same_judgments(judged, QUICK).pairs["S1D2", "S1", "D2"].share, true)}

    words = f"{raters} raters, {documents} documents each, {same:.0%} equal"
    return Simulation(
        "relevance", f"order: {words}", words, {figure: "interval"}, study, truth, has_few_raters
    )


BASELINES = (
    Design(6, 10, 10, 0.6, worst=-1.0),
    Design(12, 12, 6, 0.6, worst=-1.0),
    Design(20, 20, 4, 2.2, worst=-1.5),
)
SIMULATIONS = (
    *(
        agreement(design)
        for design in (
            Design(8, 10, 6),
            Design(20, 20, 4),
            Design(6, 6, 10),
            Design(8, 10, 6, 3.0),
            Design(14, 20, 10),
        )
    ),
    agreement(Design(4, 3, 10)),
    *(agreement_within_event(design) for design in (Design(8, 1, 20), Design(20, 1, 10))),
    *(baseline_comparison(design) for design in BASELINES),
    *(paired_agreement(raters) for raters in (4, 8, 20)),
    *(paired_agreement_rates(raters, relevant) for raters, relevant in ((4, 0.5), (8, 0.2), (20, 0.2))),
    *(
        analysis_of_variance(table)
        for table in (
            Table(6, 4),
            Table(10, 3),
            Table(20, 6),
            Table(10, 4, uneven=True),
            Table(20, 6, uneven=True),
            Table(12, 4, missing=6),
            Table(3, 4),
        )
    ),
    *(outcomes(design) for design in (Design(8, 10, 6), Design(20, 5, 8))),
    *(
        partitions(*design)
        for design in ((Design(8, 10, 6), 1), (Design(8, 10, 6), 2), (Design(20, 5, 12), 4))
    ),
    *(
        metric(summaries)
        for summaries in (Summaries(8, 10), Summaries(10, 6), Summaries(20, 8), Summaries(5, 10))
    ),
    *(repeated_judgments(*design) for design in ((8, 20, 0.8), (20, 20, 0.9), (5, 10, 0.8), (3, 20, 0.8))),
)
