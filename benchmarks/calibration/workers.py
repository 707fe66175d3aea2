"""Workers: r_w and known answers, shares of a preference, a scale of systems, accuracy of labels, over both."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.clustered_intervals import sandwich_intervals
from analysis.systems.covariates import StyleEffects, style_effects
from analysis.systems.goodness_of_fit import goodness_of_fit, position_effect
from analysis.systems.label_accuracy import (
    ALONE,
    DAWID_SKENE,
    MAJORITY,
    WEIGHTED,
    bootstrap_accuracy,
    class_shares,
    compare_crowd_with_known,
    compare_methods,
    label_items,
)
from analysis.systems.preference import (
    CLOSED,
    EQUAL,
    GLAD,
    PCCH,
    PreferenceSpec,
    position_bias,
    preference,
    preference_shares,
)
from analysis.systems.rankings import PairedComparisons
from analysis.systems.rankings import comparisons_from_ids as paired
from analysis.systems.system_ranking import Design as OneDesign
from analysis.systems.system_ranking import compare_designs
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.values.votes import Lists, Votes
from analysis.workers import pcch_reliability
from analysis.workers.worker_agreement import (
    agreement_with_majority,
    agreement_with_reference,
    correlate_known_with_r,
    rank_correlations,
)
from analysis.workers.worker_ranking import known_answer_shares, reliability_intervals, reliability_variance
from benchmarks.calibration.simulation import Kind, Simulation

Study = Callable[[np.random.Generator, Any], Mapping[str, bool | float | None]]
DRAWS = 300
DRAWS_OF_SKENE, DRAWS_OF_GLAD = 60, 40
"""Bootstrap samples of models that are fitted again in each."""
FEWEST_NAMED = 10
"""Votes of the workers that correlations over workers look at, as on the page."""
LARGE_STUDY = 2000
LISTS = {2: Lists(0, 1), 4: Lists(0, 1, 2, 3)}
FIGURES = {method: f"share of the preference, {method}" for method in (*CLOSED, GLAD)}


@dataclass(frozen=True)
class Design:
    """Numbers of items, workers, options and votes per item, and the inequality of workers' loads (Zipf's exponent).

    Where `loads_stay` the first worker has most items in every study.
    """

    items: int
    workers: int
    options: int
    per_item: int
    unequal: float = 0.0
    loads_stay: bool = False

    @property
    def words(self) -> str:
        per_item = "all" if self.per_item == self.workers else str(self.per_item)
        loads = ", Zipf loads" if self.unequal else ""
        return f"{self.items} items, {per_item} of {self.workers} workers{loads}, {self.options} options"


def assign_workers(design: Design, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return item and worker (n,) of each vote; loads are assigned to workers in random order unless they stay."""
    load = 1 / np.arange(1, design.workers + 1) ** design.unequal
    load = load if design.loads_stay else rng.permutation(load)
    keys = np.log(rng.random((design.items, design.workers))) / load
    assigned = np.argsort(-keys, axis=1)[:, : design.per_item]
    return np.repeat(np.arange(design.items), design.per_item), assigned.ravel()


def draw_answers(design: Design, skill: np.ndarray, rng: np.random.Generator, truth: np.ndarray) -> Votes:
    """Draw votes of workers who are right by their skill and the item's difficulty (SD 0.5 in logits)."""
    item, worker = assign_workers(design, rng)
    logit = np.log(skill / (1 - skill))[worker] - rng.normal(0, 0.5, design.items)[item]
    right = rng.random(len(item)) < 1 / (1 + np.exp(-logit))
    wrong = (truth[item] + rng.integers(1, design.options, len(item))) % design.options
    return Votes(
        item, worker, np.where(right, truth[item], wrong), design.items, design.workers, design.options
    )


def covers(low: float, high: float, truth: float) -> bool | None:
    """Return True if the interval covers the truth, None if there is no interval."""
    return None if np.isnan(low) or np.isnan(high) else bool(low <= truth <= high)


def worker_agreement(design: Design, right: float, rng: np.random.Generator) -> Votes:
    skill = rng.uniform(0.5, 0.95, design.workers)
    skill[0] = right
    return draw_answers(design, skill, rng, rng.integers(0, design.options, design.items))


def agreement_of_worker(design: Design, right: float) -> tuple[Callable[[np.random.Generator], float], Study]:
    """Simulate r_w of one worker who is right with this chance, among new colleagues in each study."""

    def truth(rng: np.random.Generator) -> float:
        return float(
            np.nanmean(
                [
                    pcch_reliability.correlations(worker_agreement(design, right, rng))[0, 0]
                    for _ in range(LARGE_STUDY)
                ]
            )
        )

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        votes = worker_agreement(design, right, rng)
        variance = reliability_variance(votes, np.zeros(votes.items, dtype=np.int64))
        value = pcch_reliability.correlations(votes)[0]
        low, high = reliability_intervals(value, variance, 0.95)
        return {"r_w": covers(low[0], high[0], true)}

    return truth, study


def agreement_in_polls(
    workers: int, votes: int, items: int, right: float
) -> tuple[Callable[[np.random.Generator], float], Study]:
    """Simulate r_w of one of workers who are right with this chance, over 15 polls in which each has few votes."""
    polls = 15

    def shown(rng: np.random.Generator) -> tuple[Votes, np.ndarray]:
        cells_and_workers = rng.integers([polls * items, workers], size=(votes, 2))
        cell, of_cell = np.unique(cells_and_workers[:, 0], return_inverse=True)
        truth = rng.integers(0, 3, len(cell))[of_cell]
        choice = np.where(rng.random(votes) < right, truth, rng.integers(0, 3, votes))
        return Votes(of_cell, cells_and_workers[:, 1], choice, len(cell), workers, 3), cell % polls

    def r_w(rng: np.random.Generator) -> float:
        sample, poll = shown(rng)
        return float(pcch_reliability.correlations(sample, poll=poll)[0, 0])

    def truth(rng: np.random.Generator) -> float:
        return float(np.nanmean([r_w(rng) for _ in range(LARGE_STUDY)]))

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        sample, poll = shown(rng)
        value = pcch_reliability.correlations(sample, poll=poll)[0]
        low, high = reliability_intervals(value, reliability_variance(sample, poll), 0.95)
        return {"r_w": covers(low[0], high[0], true)}

    return truth, study


def draw_choices(design: Design, better: float, rng: np.random.Generator, sd: float = 0.0) -> Votes:
    """Draw choices in which the first system is better on a share of the items, by workers of skill .5 to .95.

    `sd` is that of the logs of the workers' weights.
    """
    truth = (rng.random(design.items) > better).astype(np.int64)
    votes = draw_answers(design, rng.uniform(0.5, 0.95, design.workers), rng, truth)
    return replace(votes, weight=np.exp(rng.normal(0, sd, design.workers))[votes.rater]) if sd else votes


def preference_share(
    design: Design, better: float, methods: Sequence[str] = CLOSED, sd: float = 0.0
) -> tuple[Callable[[np.random.Generator], Any], Study]:
    """Simulate the first system's share by these methods."""
    fitted = GLAD in methods
    draws, for_truth = (DRAWS_OF_GLAD, 500) if fitted else (DRAWS, LARGE_STUDY)
    spec = PreferenceSpec(dropped=round(0.4 * design.workers), draws=draws)
    lists = LISTS[design.options]

    def truth(rng: np.random.Generator) -> dict[str, float]:
        repeated = [
            preference_shares(draw_choices(design, better, rng, sd), lists, spec, methods)
            for _ in range(for_truth)
        ]
        return {method: float(np.nanmean([one[method][0] for one in repeated])) for method in methods}

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        estimates = preference(draw_choices(design, better, rng, sd), lists, spec, methods).shares
        return {FIGURES[m]: covers(estimates[m].low, estimates[m].high, true[m]) for m in methods}

    return truth, study


def difference_of_designs(
    first: Design, second: Design
) -> tuple[Callable[[np.random.Generator], Any], Study]:
    """Simulate the difference of the first system's shares under two designs, with the same items and pool of
    workers."""
    spec = PreferenceSpec(draws=DRAWS)
    methods = EQUAL, PCCH

    def asked(rng: np.random.Generator) -> list[OneDesign]:
        truth = (rng.random(first.items) > 0.7).astype(np.int64)
        skill = rng.uniform(0.5, 0.95, max(first.workers, second.workers))
        return [
            OneDesign(
                draw_answers(design, skill[: design.workers], rng, truth),
                LISTS[design.options],
                np.arange(design.items),
                np.arange(design.workers),
            )
            for design in (first, second)
        ]

    def truth(rng: np.random.Generator) -> dict[str, float]:
        quiet = PreferenceSpec(draws=0)
        repeated = [compare_designs(*asked(rng), quiet, methods) for _ in range(LARGE_STUDY)]
        return {method: float(np.nanmean([one[method].value for one in repeated])) for method in methods}

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        measured = compare_designs(*asked(rng), spec, methods)
        return {
            f"difference between designs, {m}": covers(measured[m].low, measured[m].high, true[m])
            for m in methods
        }

    return truth, study


def position_share(design: Design, lean: float) -> tuple[Callable[[np.random.Generator], float], Study]:
    """Simulate the share of choices of the first position, by workers who prefer it more or less."""

    def shown(rng: np.random.Generator) -> tuple[Votes, np.ndarray]:
        item, worker = assign_workers(design, rng)
        first_shown = rng.random(len(item)) < 0.5
        logit = rng.normal(lean, 0.4, design.workers)[worker] + rng.normal(0, 0.7, design.items)[item] * (
            2 * first_shown - 1
        )
        takes_first = rng.random(len(item)) < 1 / (1 + np.exp(-logit))
        choice = np.where(takes_first == first_shown, 0, 1)
        return Votes(item, worker, choice, design.items, design.workers, 2), first_shown

    def truth(rng: np.random.Generator) -> float:
        return float(
            np.mean([np.mean((v.choice == 0) == f) for v, f in (shown(rng) for _ in range(LARGE_STUDY))])
        )

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        votes, first_shown = shown(rng)
        measured = position_bias(votes, LISTS[2], first_shown)
        return {"share of the first position": covers(measured.low, measured.high, true)}

    return truth, study


def known_answer_figures(design: Design) -> tuple[Callable[[np.random.Generator], Any], Study]:
    """Simulate e_w of one worker, its correlation with r_w over workers, and rho of two rankings of workers."""

    def figures(rng: np.random.Generator) -> tuple[tuple[Estimate, ...], np.ndarray]:
        gold = rng.integers(0, design.options, design.items)
        skill = rng.uniform(0.5, 0.95, design.workers)
        skill[0] = 0.8
        votes = draw_answers(design, skill, rng, gold)
        e = known_answer_shares(votes, gold)
        r = np.where(
            pcch_reliability.undefined_reliability(votes), np.nan, pcch_reliability.reliabilities(votes)[0]
        )
        of_workers = np.column_stack([r, [one.value for one in e], agreement_with_majority(votes)])
        return e, of_workers[votes.per_rater >= FEWEST_NAMED]

    def truth(rng: np.random.Generator) -> list[float]:
        repeated = [figures(rng) for _ in range(LARGE_STUDY)]
        r, accuracy, majority = np.concatenate([of_workers for _, of_workers in repeated]).T
        rho = rank_correlations({"r": r, "e": accuracy, "with the majority": majority})
        right = float(np.nanmean([e[0].value for e, _ in repeated]))
        return [right, rho["r", "e"].value, rho["r", "with the majority"].value]

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        e, of_workers = figures(rng)
        r, accuracy, majority = of_workers.T
        spearman = correlate_known_with_r(r, accuracy)[1].estimate
        rho = rank_correlations({"r": r, "majority": majority})["r", "majority"]
        return {
            "e_w": covers(e[0].low, e[0].high, true[0]),
            "e_w with r_w": covers(spearman.low, spearman.high, true[1]),
            "worker figures with each other": covers(rho.low, rho.high, true[2]),
        }

    return truth, study


def draw_comparisons(
    design: Design, systems: int, ties: float, rng: np.random.Generator, of_pairs: float = 0.0
) -> tuple[PairedComparisons, np.ndarray, np.ndarray]:
    """Draw comparisons of equal systems, with tastes of items and of workers, also for single pairs."""
    item, worker = assign_workers(design, rng)
    first, second = np.array(list(combinations(range(systems), 2)))[item % (systems * (systems - 1) // 2)].T
    liked, fits = rng.normal(0, 0.4, (design.workers, systems)), rng.normal(0, 0.5, (design.items, systems))
    gap = liked[worker, first] - liked[worker, second] + fits[item, first] - fits[item, second]
    gap = gap + rng.normal(0, of_pairs, (design.workers, systems, systems))[worker, first, second]
    weights = np.column_stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(len(gap), ties)])
    ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcome = (rng.random((len(gap), 1)) > ends[:, :2]).sum(axis=1)
    return paired(first, second, outcome), item, worker


def scale_figures(design: Design, systems: int, sd: float = 0.0) -> Study:
    """Simulate strengths, probabilities, differences and the adjusted p of any pair, with equal systems.

    `sd` is that of the logs of the workers' weights.
    """

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        comparisons, item, worker = draw_comparisons(design, systems, 0.5, rng)
        if sd:
            comparisons = replace(comparisons, weight=np.exp(rng.normal(0, sd, design.workers))[worker])
        scale = sandwich_intervals(comparisons, item, worker, BootstrapSpec(500, int(rng.integers(1 << 30))))
        return {
            "strength on the scale": covers(scale.low[0], scale.high[0], 0.0),
            "chance on the scale": covers(scale.chance_low[0], scale.chance_high[0], 0.5),
            "difference on the scale": covers(scale.difference_low[0, 1], scale.difference_high[0, 1], 0.0),
            "adjusted p of pairs on the scale": float(np.nanmin(scale.p)),
        }

    return study


def single_scale_test(design: Design, systems: int, of_pairs: float) -> Study:
    """Simulate the test of one scale for systems that are alike."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        met, item, worker = draw_comparisons(design, systems, 0.5, rng, of_pairs)
        p = goodness_of_fit(fit_comparisons(met), met, item, worker).p
        return {"p of one scale": None if np.isnan(p) else p}

    return study


def correlation_with_reference(items: int, kind: str) -> tuple[Callable[[np.random.Generator], float], Study]:
    """Simulate one rater's r with a reference over the items that have one."""

    def measured(rng: np.random.Generator, n: int) -> Estimate:
        quality = rng.gamma(2.0, 0.7, n) - 1.4 if kind == "skewed" else rng.normal(size=n)
        latent = quality + rng.normal(0, 0.8, n)
        value = quality + rng.normal(0, 0.8 + 0.5 * (kind == "weak"), n)
        score = np.clip(np.rint(3 + latent), 1, 5)
        return agreement_with_reference(
            Ratings(np.arange(n), np.zeros(n), score), dict(enumerate(value.tolist()))
        )[0]

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        result = measured(rng, items)
        return {"r with the reference": covers(result.low, result.high, true)}

    return lambda rng: measured(rng, 400_000).value, study


def position_effect_coverage(design: Design, systems: int, ties: float = 0.5) -> Study:
    """Simulate a null mean effect of position, with workers who prefer one of the positions."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        comparisons, item, worker = draw_comparisons(design, systems, ties, rng)
        is_first_shown = rng.random(len(item)) < 0.5
        leans = rng.random(len(item)) < 0.25
        to_first = rng.random(design.workers)[worker] < 0.5
        outcome = np.where(leans, np.where(to_first == is_first_shown, 0, 1), comparisons.outcome)
        votes = PairedComparisons(
            comparisons.first, comparisons.second, outcome, comparisons.offered, comparisons.systems
        )
        measured = position_effect(votes, is_first_shown, item, worker)
        return {
            "effect of standing first": covers(measured.factor.low, measured.factor.high, 1.0),
            "p of standing first": None if np.isnan(measured.p) else measured.p,
        }

    return study


def style_effect(
    design: Design, systems: int, effect: float, ties: float = 0.5
) -> tuple[Callable[[np.random.Generator], Any], Study]:
    """Simulate a mean effect of length that varies over workers; the first system writes longer."""
    pairs = np.array(list(combinations(range(systems), 2)))

    def measured(copies: int, rng: np.random.Generator) -> StyleEffects:
        own = [assign_workers(design, rng) for _ in range(copies)]
        item, worker = (
            np.concatenate([part[side] + many * at for at, part in enumerate(own)])
            for side, many in enumerate((design.items, design.workers))
        )
        items, workers = copies * design.items, copies * design.workers
        first, second = pairs[item % len(pairs)].T
        log = [5 + 0.5 * (shown == 0) + rng.normal(0, 0.6, items)[item] for shown in (first, second)]
        liked, by_length = rng.normal(0, 0.3, (workers, systems)), rng.normal(effect, 0.4, workers)
        gap = liked[worker, first] - liked[worker, second] + by_length[worker] * (log[0] - log[1]) / 0.65
        weights = np.column_stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(len(gap), ties)])
        ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
        outcome = (rng.random((len(gap), 1)) > ends[:, :2]).sum(axis=1)
        return style_effects(
            paired(first, second, outcome), {"length": (np.exp(log[0]), np.exp(log[1]))}, item, worker
        )

    def truth(rng: np.random.Generator) -> tuple[float, float]:
        many = measured(400, rng)
        return many.effect[0].value, many.strength[0].value

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        result = measured(1, rng)
        own, system = result.effect[0], result.strength[0]
        return {
            "effect of style": covers(own.low, own.high, true[0]),
            "p of style": None if np.isnan(result.p[0]) else float(result.p[0]),
            "strength without style": covers(system.low, system.high, true[1]),
        }

    return truth, study


def draw_labels(
    design: Design, rng: np.random.Generator, skill: np.ndarray | None = None
) -> tuple[Votes, np.ndarray]:
    gold = rng.integers(0, design.options, design.items)
    skill = rng.uniform(0.45, 0.95, design.workers) if skill is None else skill
    return draw_answers(design, skill, rng, gold), gold


METHODS = (MAJORITY, WEIGHTED, ALONE)
ABOVE = "accuracy above majority"


def label_accuracy(
    design: Design, methods: Sequence[str] = METHODS, are_fixed: bool = False
) -> tuple[Callable[[np.random.Generator], Any], Study]:
    """Simulate the accuracy of these methods, and the difference of one of them from majority vote.

    Raters who `are_fixed` are the same in all studies, and only items are drawn.
    """
    fitted = len(methods) == 2
    rival = methods[1]
    fewer = DRAWS_OF_GLAD if rival == GLAD else DRAWS_OF_SKENE
    draws, for_truth = (fewer, 300) if fitted else (DRAWS, LARGE_STUDY)

    def truth(rng: np.random.Generator) -> tuple[np.ndarray | None, dict[str, float]]:
        measured, skill = [], rng.uniform(0.45, 0.95, design.workers) if are_fixed else None
        for _ in range(for_truth):
            votes, gold = draw_labels(design, rng, skill)
            measured.append([label_items(votes, gold, method).accuracy for method in methods])
        return skill, dict(zip(methods, np.mean(measured, axis=0).tolist(), strict=True))

    def study(rng: np.random.Generator, skill_and_truth: Any) -> Mapping[str, bool | float | None]:
        skill, true = skill_and_truth
        votes, gold = draw_labels(design, rng, skill)
        spec = BootstrapSpec(draws, int(rng.integers(1 << 30)))
        comparison = compare_methods(
            {method: label_items(votes, gold, method) for method in methods},
            {method: bootstrap_accuracy(votes, gold, method, spec, not are_fixed) for method in methods},
            None if are_fixed else votes.raters,
        )
        difference = comparison.difference[rival]
        measured = {
            f"accuracy of labels, {m}": covers(
                comparison.accuracy[m].low, comparison.accuracy[m].high, true[m]
            )
            for m in (methods[1:] if fitted else methods)
        }
        name = f"{ABOVE}, {rival}" if fitted else ABOVE
        return measured | {name: covers(difference.low, difference.high, true[rival] - true[MAJORITY])}

    return truth, study


BALANCED, SPARSE, UNEQUAL, SMALL = (
    Design(60, 8, 2, 8),
    Design(100, 40, 2, 5),
    Design(100, 30, 2, 5, 1.0),
    Design(24, 5, 2, 5),
)
FOUR = Design(60, 20, 4, 10)
SCALE: Mapping[str, Kind] = {
    "strength on the scale": "interval",
    "chance on the scale": "interval",
    "difference on the scale": "interval",
    "adjusted p of pairs on the scale": "cautious test",
}
SCALE_OF_FEW: Mapping[str, Kind] = dict.fromkeys(list(SCALE)[:3], "interval") | {
    "adjusted p of pairs on the scale": "cautious test"
}
LABELS: Mapping[str, Kind] = dict.fromkeys(
    (*(f"accuracy of labels, {m}" for m in METHODS), ABOVE), "interval"
)


STANDING: Mapping[str, Kind] = {"effect of standing first": "interval", "p of standing first": "test"}
STANDING_OF_FEW: Mapping[str, Kind] = {
    "effect of standing first": "interval",
    "p of standing first": "cautious test",
}


def crowd_label_figures(design: Design) -> tuple[Callable[[np.random.Generator], Any], Study]:
    """Simulate the first class's share and the crowd's kappa with gold, on new items of the same workers."""
    often = np.arange(design.options, 0, -1) / np.arange(design.options + 1).sum()

    def draw(of_design: Design, skill: np.ndarray, rng: np.random.Generator) -> tuple[Votes, np.ndarray]:
        gold = rng.choice(of_design.options, of_design.items, p=often)
        return draw_answers(of_design, skill, rng, gold), gold

    def truth(rng: np.random.Generator) -> tuple[np.ndarray, float, float]:
        skill = rng.uniform(0.5, 0.9, design.workers)
        votes, gold = draw(replace(design, items=100_000), skill, rng)
        share = class_shares(votes).share[0].value
        return skill, share, compare_crowd_with_known(votes, gold).kappa.value

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        votes, gold = draw(design, true[0], rng)
        share, kappa = class_shares(votes).share[0], compare_crowd_with_known(votes, gold).kappa
        return {
            "share of a class": covers(share.low, share.high, true[1]),
            "kappa of the crowd with gold": None if kappa.warning else covers(kappa.low, kappa.high, true[2]),
        }

    return truth, study


def accuracy_by_method(method: str) -> Mapping[str, Kind]:
    """Simulate the accuracy of one fitted method."""
    return {f"accuracy of labels, {method}": "interval", f"{ABOVE}, {method}": "interval"}


STYLE = "effect of style", "strength without style"
STYLE_OF_NOTHING: Mapping[str, Kind] = {"p of style": "test"}
STYLE_OF_FEW: Mapping[str, Kind] = {"p of style": "cautious test"}
KNOWN = "e_w", "e_w with r_w", "worker figures with each other"


def interval_kinds(figures: Iterable[str]) -> Mapping[str, Kind]:
    """Return figures whose intervals are counted."""
    return dict.fromkeys(figures, "interval")


SIMULATIONS = (
    *(
        Simulation("workers", f"crowd's labels: {design.words}", f"{design.words}, the same workers in each study",
                   dict.fromkeys(("share of a class", "kappa of the crowd with gold"), "interval"), study, truth,
                   fixed_raters=True)
        for design in (
            Design(60, 8, 2, 8), Design(300, 40, 4, 5), Design(30, 5, 3, 3),
            Design(100, 20, 3, 5, 1.0, True), Design(60, 8, 2, 3, 1.0, True),
        )
        for truth, study in [crowd_label_figures(design)]
    ),
    *(
        Simulation("workers", f"scale: {design.words}, {systems} systems", f"{design.words}, {systems} systems",
                   SCALE if design.workers > 5 else SCALE_OF_FEW, scale_figures(design, systems))
        for design, systems in (
            (Design(60, 8, 3, 8), 4), (Design(100, 40, 3, 5), 4), (Design(100, 30, 3, 5, 1.0), 4),
            (Design(120, 12, 3, 6, 1.0), 4), (Design(60, 3, 3, 3), 4), (Design(200, 20, 3, 10), 6),
        )
    ),
    *(
        Simulation("workers", f"weighted scale: {design.words}, {systems} systems, {sd}",
                   f"{design.words}, {systems} systems, weights whose log has a standard deviation of {sd}",
                   SCALE if design.workers > 5 else SCALE_OF_FEW, scale_figures(design, systems, sd))
        for design, systems in (
            (Design(60, 8, 3, 8), 4), (Design(100, 40, 3, 5), 4), (Design(100, 30, 3, 5, 1.0), 4),
            (Design(60, 3, 3, 3), 4),
        )
        for sd in (0.6, 1.2)
    ),
    *(
        Simulation("workers", f"one scale: {design.words}, {systems} systems, preferences within pairs {of_pairs}",
                   f"{design.words}, {systems} systems" + ", workers prefer within pairs" * (of_pairs > 0),
                   {"p of one scale": "cautious test"},
                   single_scale_test(design, systems, of_pairs))
        for design, systems, of_pairs in (
            (Design(60, 8, 3, 8), 4, 0.0), (Design(60, 8, 3, 8), 4, 0.6), (Design(100, 40, 3, 5), 4, 0.0),
            (Design(100, 30, 3, 5, 1.0), 4, 0.6), (Design(120, 12, 3, 6, 1.0), 4, 0.0), (Design(60, 3, 3, 3), 4, 0.0),
            (Design(200, 20, 3, 10), 6, 0.6),
        )
    ),
    *(
        Simulation("workers", f"r with a reference, {items} items, {kind}",
                   f"{items} items, one rater on 5 points, {kind} reference",
                   {"r with the reference": "interval"}, study, truth)
        for items, kind in ((8, "even"), (30, "even"), (30, "weak"), (30, "skewed"), (200, "skewed"))
        for truth, study in [correlation_with_reference(items, kind)]
    ),
    *(
        Simulation("workers", f"r_w: {design.words}, right {right}", f"{design.words}, right {right}",
                   interval_kinds(("r_w",)), study, truth)
        for design, right in (
            (BALANCED, 0.55), (BALANCED, 0.95), (SPARSE, 0.75), (UNEQUAL, 0.75), (SMALL, 0.75), (FOUR, 0.75)
        )
        for truth, study in [agreement_of_worker(design, right)]
    ),
    *(
        Simulation("workers",
                   f"r_w in 15 comparisons: {votes} votes by {workers} workers, {items} items, right {right}",
                   f"{votes} votes by {workers} workers on 15 comparisons of {items} items, right {right}",
                   interval_kinds(("r_w",)), study, truth)
        for workers, votes, items, right in (
            (15, 900, 150, 0.0), (15, 900, 150, 0.6), (15, 900, 30, 0.0), (15, 900, 30, 0.6), (12, 1000, 12, 0.6)
        )
        for truth, study in [agreement_in_polls(workers, votes, items, right)]
    ),
    *(
        Simulation("workers", f"standing first: {design.words}, {systems} systems",
                   f"{design.words}, {systems} systems", STANDING if design.workers > 5 else STANDING_OF_FEW,
                   position_effect_coverage(design, systems))
        for design, systems in (
            (Design(60, 8, 3, 8), 4), (Design(100, 40, 3, 5), 4), (Design(100, 30, 3, 5, 1.0), 4),
            (Design(60, 3, 3, 3), 4),
        )
    ),
    *(
        Simulation("workers", f"style {effect}: {design.words}, {systems} systems",
                   f"{design.words}, {systems} systems, {'length helps' if effect else 'length does not help'}",
                   interval_kinds(STYLE) if effect else STYLE_OF_NOTHING if design.workers > 5 else STYLE_OF_FEW,
                   study, truth)
        for design, systems in (
            (Design(60, 8, 3, 8), 4), (Design(100, 40, 3, 5), 4), (Design(100, 30, 3, 5, 1.0), 4),
            (Design(60, 3, 3, 3), 4),
        )
        for effect in (0.0, 0.5)
        for truth, study in [style_effect(design, systems, effect)]
    ),
    *(
        Simulation("workers", f"known answers: {design.words}", f"{design.words}",
                   interval_kinds(KNOWN), study, truth)
        for design in (Design(60, 20, 2, 20), Design(200, 40, 2, 5), Design(100, 30, 2, 5, 1.0), FOUR)
        for truth, study in [known_answer_figures(design)]
    ),
    *(
        Simulation("workers", f"weighted preference: {design.words}, better on {better}, {sd}",
                   f"{design.words}, first better on {100 * better:.0f}%, "
                   f"weights whose log has a standard deviation of {sd}",
                   interval_kinds(FIGURES[m] for m in CLOSED), study, truth)
        for design, better in ((BALANCED, 0.75), (SPARSE, 0.6), (UNEQUAL, 0.75), (SMALL, 0.75), (FOUR, 0.75))
        for sd in (0.6, 1.2)
        for truth, study in [preference_share(design, better, sd=sd)]
    ),
    *(
        Simulation("workers", f"preference: {design.words}, better on {better}",
                   f"{design.words}, first better on {100 * better:.0f}%",
                   interval_kinds(FIGURES[m] for m in CLOSED), study, truth)
        for design, better in ((BALANCED, 0.75), (SPARSE, 0.6), (UNEQUAL, 0.75), (SMALL, 0.75), (FOUR, 0.75))
        for truth, study in [preference_share(design, better)]
    ),
    *(
        Simulation("workers", f"GLAD: {design.words}, better on 0.75", f"{design.words}, first better on 75%",
                   interval_kinds((FIGURES[GLAD],)), study, truth)
        for design in (Design(30, 10, 2, 5), Design(40, 12, 2, 4, 1.0))
        for truth, study in [preference_share(design, 0.75, (GLAD,))]
    ),
    *(
        Simulation("workers", f"two designs: {one.words} and {other.words}", f"{one.words}; {other.words}",
                   interval_kinds(f"difference between designs, {m}" for m in (EQUAL, PCCH)), study, truth)
        for one, other in (
            (Design(60, 12, 2, 12), Design(60, 12, 4, 12)), (Design(100, 40, 2, 5), Design(100, 30, 4, 5))
        )
        for truth, study in [difference_of_designs(one, other)]
    ),
    *(
        Simulation("workers", f"position: {design.words}, lean {lean}", f"{design.words}, lean {lean}",
                   interval_kinds(("share of the first position",)), study, truth)
        for design, lean in ((BALANCED, 0.0), (SPARSE, 0.0), (UNEQUAL, 0.5), (SMALL, 0.0))
        for truth, study in [position_share(design, lean)]
    ),
    *(
        Simulation("workers", f"labels: {design.words}", design.words,
                   LABELS, study, truth)
        for design in (BALANCED, SPARSE, UNEQUAL, FOUR)
        for truth, study in [label_accuracy(design)]
    ),
    *(
        Simulation("workers", f"labels, these raters: {design.words}", design.words,
                   LABELS, study, truth, fixed_raters=True)
        for design in (
            SMALL, Design(60, 5, 2, 5), Design(40, 3, 3, 3), Design(80, 4, 4, 2), Design(100, 5, 2, 3),
            Design(60, 5, 2, 3, 1.0, True), Design(100, 12, 2, 5, 1.0, True), Design(80, 12, 3, 3, 1.0, True),
        )
        for truth, study in [label_accuracy(design, are_fixed=True)]
    ),
    *(
        Simulation(
            "workers", f"labels by {method}: {design.words}", design.words, accuracy_by_method(method), study, truth
        )
        for method, design in (
            (DAWID_SKENE, Design(40, 12, 2, 6)), (DAWID_SKENE, Design(60, 20, 3, 7)),
            (GLAD, Design(40, 12, 2, 6)), (GLAD, Design(40, 12, 2, 4, 1.0)), (DAWID_SKENE, Design(60, 20, 3, 5, 1.0)),
        )
        for truth, study in [label_accuracy(design, (MAJORITY, method))]
    ),
    *(
        Simulation(
            "workers", f"labels by {method}, these raters: {design.words}", design.words, accuracy_by_method(method),
            study, truth, fixed_raters=True
        )
        for method, design in (
            (DAWID_SKENE, Design(60, 5, 3, 5)), (GLAD, Design(40, 5, 2, 5)),
            (DAWID_SKENE, Design(60, 8, 3, 4, 1.0, True)), (GLAD, Design(40, 8, 2, 4, 1.0, True)),
        )
        for truth, study in [label_accuracy(design, (MAJORITY, method), True)]
    ),
)  # fmt: skip
