"""Agreement: alpha and the reliability of one rating at a ceiling, over topics, and over systems and topics.

An interval with a warning counts as undefined: the rows are about intervals without one.
"""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from analysis.agreement.agreement_summary import agreement_summary
from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.reliability import consistency_icc
from analysis.values.estimate import SCOPES, Estimate, Scope
from analysis.values.ratings import Ratings
from benchmarks.calibration.assessors import Panel
from benchmarks.calibration.real_ratings import load_ratings, population_file
from benchmarks.calibration.simulation import Kind, Simulation
from benchmarks.calibration.variance import TWO_WAY, Unequal
from features.agreement.findings import agreement_finding
from features.agreement.results import GroupAgreement

Outcomes = Mapping[str, bool | float | None]
Floats = np.ndarray[Any, Any]
LARGE_STUDY = 40_000
ALPHA, ONE = "alpha, interval", "reliability of one rating"
FALSE_AGREEMENT = "raters said to agree who rate at random"


def draw_at_ceiling(rng: np.random.Generator, items: int) -> Floats:
    """Draw scores (items, 4), most of which are the highest of five."""
    latent = rng.normal(4.4, 0.9, items)[:, None] + rng.normal(0, 0.8, (items, 4))
    return np.clip(np.rint(latent), 1, 5)


def draw_symmetric(rng: np.random.Generator, items: int) -> Floats:
    """Draw scores (items, 3) in the middle of the scale, by raters of unequal severity."""
    latent = rng.normal(3, 1, items)[:, None] + np.array([-0.4, 0.0, 0.4]) + rng.normal(0, 0.8, (items, 3))
    return np.clip(np.rint(latent), 1, 5)


def draw_two_raters(rng: np.random.Generator, items: int) -> Floats:
    """Draw scores (items, 2) at a ceiling by two raters."""
    return draw_at_ceiling(rng, items)[:, :2]


def compute_alpha(score: Floats, system: Floats | None = None, topic: Floats | None = None) -> Estimate:
    item = np.repeat(np.arange(len(score)), score.shape[1])
    clusters = {name: None if of is None else of[item] for name, of in (("system", system), ("topic", topic))}
    return krippendorff_alpha(item, score.ravel(), **clusters)


def compute_reliability(score: Floats) -> Estimate:
    centered = score - score.mean(axis=0)
    number = np.full(len(score), float(score.shape[1]))
    return consistency_icc(number, centered.sum(axis=1), (centered**2).sum(axis=1))


def covers(estimate: Estimate, truth: float) -> bool | None:
    """Return True if the interval covers the truth, None if it is undefined or has a warning."""
    return (
        None
        if estimate.warning or estimate.low != estimate.low
        else bool(estimate.low <= truth <= estimate.high)
    )


def agreement_over_items(
    draw: Callable[[np.random.Generator, int], Floats], items: int, words: str
) -> Simulation:
    def truth(rng: np.random.Generator) -> tuple[float, float]:
        many = draw(rng, LARGE_STUDY)
        return compute_alpha(many).value, compute_reliability(many).value

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        score = draw(rng, items)
        return {
            ALPHA: covers(compute_alpha(score), true[0]),
            ONE: covers(compute_reliability(score), true[1]),
        }

    design = f"{items} items, {words}"
    figures: dict[str, Kind] = {ALPHA: "interval", ONE: "interval"}
    return Simulation("agreement", f"agreement: {design}", design, figures, study, truth, True)


def resampled_agreement(population: str, per_item: int, items: int) -> Simulation:
    """Simulate alpha of items resampled from real ones with their ratings."""
    figures: dict[str, Kind] = {ALPHA: "interval"}

    def truth(_: np.random.Generator) -> float:
        return compute_alpha(load_ratings(population, per_item)).value

    def study(rng: np.random.Generator, true: float) -> Outcomes:
        real = load_ratings(population, per_item)
        return {ALPHA: covers(compute_alpha(real[rng.integers(0, len(real), items)]), true)}

    design = f"{items} items, {per_item} ratings each, resampled from real {population}"
    return Simulation(
        "agreement", f"real: {design}", design, figures, study, truth, True, population_file(population)
    )


def agreement_on_labels(items: int, raters: int, share: float) -> Simulation:
    """Simulate alpha of one of three labels, of which the first is right for most items."""
    figures: dict[str, Kind] = {"alpha, nominal": "interval"}

    def draw_items(rng: np.random.Generator, number: int) -> Floats:
        right = rng.choice(3, number, p=(share, (1 - share) / 2, (1 - share) / 2))
        seen = rng.random((number, raters)) < 0.8
        return np.where(seen, right[:, None], rng.integers(0, 3, (number, raters))).astype(float)

    def alpha(score: Floats) -> Estimate:
        item = np.repeat(np.arange(len(score)), raters)
        return krippendorff_alpha(item, score.ravel(), "nominal")

    design = f"{items} items, all {raters} raters per item, one of 3 labels right on {share:.0%}"
    return Simulation(
        "agreement",
        f"labels: {design}",
        design,
        figures,
        lambda rng, true: {"alpha, nominal": covers(alpha(draw_items(rng, items)), true)},
        lambda rng: alpha(draw_items(rng, LARGE_STUDY)).value,
        fixed_raters=True,
    )


def agreement_of_other_raters(design: Unequal) -> Simulation:
    """Simulate alpha and the reliability of one rating for other raters, who differ in severity and noise."""
    variance = TWO_WAY["item"], TWO_WAY["rater"], TWO_WAY["rest"]
    crossed = design.per_item == design.raters
    reliability = variance[0] / (variance[0] + variance[2] + (0 if crossed else variance[1]))

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        found = agreement_summary(Ratings(*design.ratings(rng)), "raters like these")
        return {ALPHA: covers(found.alpha, variance[0] / sum(variance)), ONE: covers(found.one, reliability)}

    words = f"{design.words}, raters like these"
    figures: dict[str, Kind] = {ALPHA: "interval", ONE: "interval"}
    return Simulation("agreement", f"others: {words}", words, figures, study)


def agreement_of_panel(panel: Panel) -> Simulation:
    """Simulate alpha and the reliability of one rating for raters who stay, and who rate many or few items."""

    def truth(rng: np.random.Generator) -> tuple[float, float]:
        many = agreement_summary(panel.draw(rng, LARGE_STUDY), "these raters")
        return many.alpha.value, many.one.value

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        found = agreement_summary(panel.draw(rng), "these raters")
        return {ALPHA: covers(found.alpha, true[0]), ONE: covers(found.one, true[1])}

    figures: dict[str, Kind] = {ALPHA: "interval", ONE: "interval"}
    return Simulation("agreement", f"panel: {panel.words}", panel.words, figures, study, truth, True)


def agreement_over_clusters_of_loads(systems: int, topics: int) -> Simulation:
    """Simulate alpha of every system on every topic, each output rated by 3 of 12 raters who stay, with Zipf loads."""
    raters, per_item = 12, 3
    of_raters = np.random.default_rng(7)
    severity, noise = of_raters.normal(0, 0.3, raters), of_raters.uniform(0.5, 1.1, raters)

    def assign(rng: np.random.Generator, items: int) -> Floats:
        lots = rng.exponential(size=(items, raters)) * np.arange(1, raters + 1)
        return np.argsort(lots, axis=1)[:, :per_item]

    def truth(rng: np.random.Generator) -> float:
        """Return alpha from the components, and from severities and noises of very many outputs' raters."""
        assigned = assign(rng, 20 * LARGE_STUDY)
        severity_part = 2 * severity[assigned].var(axis=1, ddof=1).mean()
        noisy = 2 * (noise[assigned] ** 2).mean()
        observed = severity_part + noisy
        expected = 2 * (0.25 + 0.49 + 0.16) + 2 * severity[assigned].var() + noisy
        return float(1 - observed / expected)

    def study(rng: np.random.Generator, true: float) -> Outcomes:
        system, topic = (part.ravel() for part in np.indices((systems, topics)))
        assigned = assign(rng, len(system))
        quality = rng.normal(0, 0.5, systems)[system] + rng.normal(0, 0.7, topics)[topic]
        quality += rng.normal(0, 0.4, len(system))
        score = 3 + quality[:, None] + severity[assigned] + noise[assigned] * rng.normal(size=assigned.shape)
        return {ALPHA: covers(compute_alpha(score, system, topic), true)}

    words = f"{systems} systems x {topics} topics, {per_item} of {raters} raters, Zipf loads"
    figures: dict[str, Kind] = {ALPHA: "interval"}
    return Simulation("agreement", f"agreement: {words}", words, figures, study, truth, True)


def random_ratings(items: int, raters: int, scope: Scope) -> Simulation:
    """Simulate the finding of the page for scores unrelated to the items, most of them high."""
    page: Any = SimpleNamespace(
        groups=["raters"],
        measures=["score"],
        candidate="raters",
        raters_are_persons=True,
        whole=SimpleNamespace(has=lambda _: False),
    )

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        item, rater = (codes.ravel() for codes in np.indices((items, raters)))
        severity = rng.normal(0, 0.2, raters)[rater]
        score = np.clip(np.rint(rng.normal(4.2, 0.8, len(item)) + severity), 1, 5)
        figures = agreement_summary(Ratings(item, rater, score), scope)
        headline = agreement_finding(page, [GroupAgreement("score", "raters", figures)]).headline[0]
        return {FALSE_AGREEMENT: 0.0 if headline.startswith("Raters agree on") else 1.0}

    words = f"{items} items, all {raters} raters per item, scores at random, {scope}, through the finding of the page"
    kinds: dict[str, Kind] = {FALSE_AGREEMENT: "verdict test"}
    return Simulation("agreement", f"at random: {words}", words, kinds, study)


def agreement_over_clusters(systems: int, topics: int) -> Simulation:
    """Simulate alpha of items in systems and topics; with one system, topics have four items."""
    outputs = 4 if systems == 1 else 1

    def draw_items(rng: np.random.Generator, systems: int, topics: int) -> tuple[Floats, Floats, Floats]:
        system, topic = (np.repeat(part.ravel(), outputs) for part in np.indices((systems, topics)))
        quality = (
            rng.normal(0, 0.5 if systems > 1 else 0, systems)[system] + rng.normal(0, 0.7, topics)[topic]
        )
        latent = (
            3 + (quality + rng.normal(0, 0.4, len(system)))[:, None] + rng.normal(0, 0.8, (len(system), 3))
        )
        return latent, system, topic

    variance = (0.25 if systems > 1 else 0.0) + 0.49 + 0.16

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        score, system, topic = draw_items(rng, systems, topics)
        found = compute_alpha(score, system if systems > 1 else None, topic)
        return {ALPHA: covers(found, variance / (variance + 0.64))}

    design = f"{systems} systems x {topics} topics" if systems > 1 else f"{topics} topics of {outputs} items"
    return Simulation(
        "agreement",
        f"agreement: {design}",
        design,
        {ALPHA: "interval"},
        study,
        fixed_raters=True,
    )


SIMULATIONS = (
    *(agreement_over_items(draw_at_ceiling, items, "4 raters at a ceiling") for items in (20, 40, 80)),
    *(agreement_over_items(draw_two_raters, items, "2 raters at a ceiling") for items in (40, 150)),
    *(agreement_over_items(draw_symmetric, items, "3 raters of unequal severity") for items in (20, 40)),
    *(
        agreement_over_items(draw_symmetric, items, "3 raters of unequal severity, few items")
        for items in (12,)
    ),
    *(agreement_over_items(draw_two_raters, items, "2 raters at a ceiling, few items") for items in (15,)),
    *(
        resampled_agreement(population, per_item, items)
        for population, per_item in (
            ("video quality", 4),
            ("speech quality", 3),
            ("summary correctness", 3),
            ("translation penalties", 3),
        )
        for items in ((12, 20, 40, 80) if population == "video quality" else (20, 40, 80))
    ),
    *(agreement_on_labels(items, 3, 0.85) for items in (20, 40)),
    *(
        agreement_of_other_raters(design)
        for design in (
            Unequal(40, 10, 10, 0.45),
            Unequal(80, 10, 4, 0.45),
            Unequal(40, 5, 5, 0.25),
            Unequal(40, 3, 3, 0.45),
            Unequal(20, 8, 8, 0.25),
            Unequal(80, 20, 4, 0.25, zipf=True),
        )
    ),
    *(
        random_ratings(*design)
        for design in (
            (40, 3, SCOPES[0]),
            (20, 2, SCOPES[0]),
            (100, 4, SCOPES[0]),
            (60, 12, SCOPES[1]),
            (40, 5, SCOPES[1]),
        )
    ),
    *(agreement_over_clusters(*shape) for shape in ((1, 10), (1, 40), (6, 12), (8, 30), (16, 100))),
    *(
        agreement_of_panel(panel)
        for panel in (
            Panel(8, 2, 20, zipf=True),
            Panel(20, 4, 60, zipf=True),
            Panel(40, 3, 100, zipf=True),
            Panel(12, 3, 40, ceiling=True, zipf=True),
        )
    ),
    *(agreement_over_clusters_of_loads(*shape) for shape in ((6, 12), (8, 30))),
)
