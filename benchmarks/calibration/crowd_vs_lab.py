"""Crowd vs lab: crossed raters of balanced and unequal workloads, few and many."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.comparison.clusters import Belonging
from analysis.comparison.comparison import ComparisonSpec, compare, compare_sums
from analysis.comparison.level_tests import concordance_rows
from analysis.comparison.variance_components import summarize_pairs
from analysis.correlation.two_columns import kendall, pearson, spearman
from analysis.values.distributions import anderson_darling
from analysis.values.estimate import BootstrapSpec, holm
from analysis.values.ratings import Ratings
from benchmarks.calibration.simulation import Kind, Simulation


@dataclass(frozen=True)
class Side:
    """Raters of one group, the number per item, and the inequality of their loads (Zipf's exponent)."""

    raters: int
    per_item: int
    unequal: float = 0.0


@dataclass(frozen=True)
class Design:
    """A study of two groups: items with a quality (SD .6), raters with a severity, chance within a rating."""

    candidate: Side
    reference: Side
    items: int = 60
    severity: float = 0.4
    chance: float = 0.9
    own: float = 0.25
    shift: float = 0.0
    sensitivity: float = 0.0
    quality: float = 0.6

    @property
    def words(self) -> str:
        unequal = ", raters of unequal sensitivity" if self.sensitivity else ""
        alike = f", items of SD {self.quality:g}" if self.quality != 0.6 else ""
        return f"{self.items} items, {self._side(self.candidate)} against {self._side(self.reference)}{unequal}{alike}"

    @staticmethod
    def _side(side: Side) -> str:
        if side.per_item == side.raters:
            return f"all {side.raters} raters"
        return f"{side.per_item} of {side.raters} raters" + (", Zipf loads" if side.unequal else "")


def rate_items(
    side: Side, latent: np.ndarray, design: Design, rng: np.random.Generator, group: str
) -> Ratings:
    """Return whole scores from 1 to 5 for a latent value of each item (n,)."""
    load = 1 / np.arange(1, side.raters + 1) ** side.unequal
    keys = np.log(rng.random((len(latent), side.raters))) / load
    assigned = np.argsort(-keys, axis=1)[:, : side.per_item]
    severity = rng.normal(0, design.severity, side.raters)
    slope = 1.0
    if design.sensitivity:
        slope = (1 + rng.normal(0, design.sensitivity, side.raters))[assigned]
    expected = 3.2 + (latent[:, None] - 3.2) * slope
    score = expected + severity[assigned] + rng.normal(0, design.chance, assigned.shape)
    item = np.repeat(np.arange(len(latent)), side.per_item)
    return Ratings(
        item, np.char.add(group, assigned.ravel().astype(str)), np.clip(np.rint(score.ravel()), 1, 5)
    )


def draw_study(design: Design, rng: np.random.Generator) -> tuple[Ratings, Ratings]:
    """Draw a study."""
    quality = rng.normal(3.2, design.quality, design.items)
    latent = [quality + shift + rng.normal(0, design.own, design.items) for shift in (design.shift, 0.0)]
    return (
        rate_items(design.candidate, latent[0], design, rng, "a"),
        rate_items(design.reference, latent[1], design, rng, "b"),
    )


CLOSED = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0)
QUICK = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0)
ITEMS_OF_TRUTH, GROUPS = 2000, 60
"""Items, and pairs of groups of raters of the study's own size, whose average is the truth."""
Study = Callable[[np.random.Generator, Any], Mapping[str, bool | float | None]]
Truth = Callable[[np.random.Generator], Mapping[str, float]]


def true_figures(design: Design) -> Truth:
    """Return a function for limits of agreement, correlations and RMSE over very many items, of groups of this size."""

    def truth(rng: np.random.Generator) -> Mapping[str, float]:
        large = replace(design, items=ITEMS_OF_TRUTH)
        rows = []
        for _ in range(GROUPS):
            x, y = (side.mos()[1] for side in draw_study(large, rng))
            variance = (x - y).var(ddof=1)
            correlations = (measure(x, y).estimate.value for measure in (spearman, pearson, kendall))
            rows.append(
                [*correlations, concordance_rows(x[None], y[None])[0], ((x - y) ** 2).mean(), variance]
            )
        rho, r, tau, concordance, square, variance = np.mean(rows, axis=0)
        return {
            "Spearman's rho": rho,
            "Pearson's r": r,
            "Kendall's tau-b": tau,
            "Lin's concordance": concordance,
            "RMSE": np.sqrt(square),
            "limit": 1.96 * np.sqrt(variance),
        }

    return truth


def mean_difference(design: Design) -> Study:
    """Simulate equal groups, whose true difference is 0. Equivalence is tested in a second study in which all scores
    of the candidate are raised by just the margin."""

    def study(rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        candidate, reference = draw_study(design, rng)
        compared = compare_sums(*summarize_pairs(candidate, reference), CLOSED)
        difference, limit = compared.mean_difference, compared.limit_high
        raised = Ratings(candidate.item, candidate.rater, candidate.score + MARGIN)
        at_margin = compare(raised, reference, replace(QUICK, margin=MARGIN))
        return {
            "mean difference": difference.low <= 0 <= difference.high,
            "test of level over raters": compared.rater_tails.two_sided,
            "limits of agreement": limit.low <= truth["limit"] <= limit.high,
            "equivalence test": at_margin.equivalence.p,
        }

    return study


MARGIN = 0.5


def correlations(design: Design, spec: ComparisonSpec) -> Study:
    """Simulate correlations, concordance and RMSE of the study's own groups, over items like these."""

    def study(rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        sides = draw_study(design, rng)
        compared = compare_sums(*summarize_pairs(*sides), spec) if spec is CLOSED else compare(*sides, spec)
        figures = compared.spearman, compared.pearson, compared.kendall, compared.concordance, compared.rmse
        return {
            name: figure.low <= truth[name] <= figure.high
            for name, figure in zip(OF_ORDER, figures, strict=True)
        }

    return study


def true_score_figures(design: Design) -> Truth:
    """Return figures of true scores, expectations over raters, and reliabilities for groups of the design's size."""

    def truth(rng: np.random.Generator) -> Mapping[str, float]:
        quality = rng.normal(3.2, design.quality, 200_000)
        sides = [quality + rng.normal(0, design.own, len(quality)) for _ in range(2)]
        expected = [expected_scores(latent, design, rng) for latent in sides]
        many = replace(design, items=1000)
        spread = [[side.mos()[1].var(ddof=1) for side in draw_study(many, rng)] for _ in range(3 * GROUPS)]
        candidate, reference = (e.var() / v for e, v in zip(expected, np.mean(spread, axis=0), strict=True))
        return {
            "ratio of true SDs": 1.0,
            "reliability of the candidate's means": candidate,
            "reliability of the reference's means": reference,
            "ceiling": np.sqrt(reference),
            "corrected correlation": float(np.corrcoef(*expected)[0, 1]),
        }

    return truth


def expected_scores(latent: np.ndarray, design: Design, rng: np.random.Generator) -> np.ndarray:
    """Return the expected whole score from 1 to 5 of latent values (n,) over raters and chance within a rating."""
    slopes = (
        1 + design.sensitivity * special.ndtri((np.arange(40) + 0.5) / 40) if design.sensitivity else (1.0,)
    )
    sd = np.hypot(design.severity, design.chance)
    steps = (np.arange(2, 6) - 0.5)[:, None]
    return np.mean(
        [1 + special.ndtr((3.2 + (latent - 3.2) * b - steps) / sd).sum(axis=0) for b in slopes], axis=0
    )


def true_scores(design: Design) -> Study:
    """Simulate figures of true scores; both sides' items have equal spread."""

    def study(rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        estimates = compare(*draw_study(design, rng), CLOSED).true_scores
        figures = (
            estimates.spread,
            estimates.reliability_candidate,
            estimates.reliability_reference,
            estimates.ceiling,
            estimates.corrected,
        )
        covered = {
            name: figure.low <= truth[name] <= figure.high if figure.low == figure.low else None
            for name, figure in zip(OF_TRUTH, figures, strict=True)
        }
        return covered | {
            "test of equal true SDs": estimates.spread_p if estimates.spread_p == estimates.spread_p else None
        }

    return study


@dataclass(frozen=True)
class Nested:
    """Items that belong to systems and, where there are topics, to a topic each: every system on every topic."""

    systems: int
    per_system: int = 1
    topics: int = 0

    @property
    def items(self) -> int:
        return self.systems * (self.topics or self.per_system)

    @property
    def words(self) -> str:
        return f"{self.systems} systems on {self.topics} topics" if self.topics else f"{self.systems} systems"

    def clusters(self) -> Belonging:
        item = np.arange(self.items)
        size = self.topics or self.per_system
        topic = item % size if self.topics else np.full(self.items, -1)
        return Belonging(item, item // size, topic)

    def latent(self, rng: np.random.Generator) -> list[np.ndarray]:
        """Return the latent values of both groups (n,): quality, and deviations by system, topic and item."""
        belonging = self.clusters()

        def effect(of_system: float, of_topic: float, of_item: float) -> np.ndarray:
            topic = rng.normal(0, of_topic, self.topics)[belonging.topic] if self.topics else 0.0
            return (
                rng.normal(0, of_system, self.systems)[belonging.system]
                + topic
                + rng.normal(0, of_item, self.items)
            )

        quality = 3.2 + effect(0.45, 0.25, 0.3)
        return [quality + effect(0.18, 0.12, 0.15) for _ in range(2)]


def draw_nested_study(design: Design, nested: Nested, rng: np.random.Generator) -> tuple[Ratings, Ratings]:
    """Draw a study of items in systems and topics."""
    latent = nested.latent(rng)
    return (
        rate_items(design.candidate, latent[0], design, rng, "a"),
        rate_items(design.reference, latent[1], design, rng, "b"),
    )


def true_nested_figures(design: Design, nested: Nested) -> Truth:
    """Return a function for figures over very many systems and topics; correlations over systems have the study's
    topics."""

    def truth(rng: np.random.Generator) -> Mapping[str, float]:
        large = replace(nested, systems=60 if nested.topics else 600, topics=nested.topics and 60)
        of_items, of_systems = [], []
        for _ in range(GROUPS):
            x, y = (side.mos()[1] for side in draw_nested_study(design, large, rng))
            correlations = (measure(x, y).estimate.value for measure in (spearman, pearson, kendall))
            of_items.append(
                [
                    *correlations,
                    concordance_rows(x[None], y[None])[0],
                    ((x - y) ** 2).mean(),
                    (x - y).var(ddof=1),
                ]
            )
            many_systems = replace(nested, systems=400)
            x, y = (
                side.mos()[1].reshape(400, -1).mean(axis=1)
                for side in draw_nested_study(design, many_systems, rng)
            )
            of_systems.append([measure(x, y).estimate.value for measure in (spearman, pearson)])
        rho, r, tau, concordance, square, variance = np.mean(of_items, axis=0)
        figures = (rho, r, tau, concordance, np.sqrt(square), *np.mean(of_systems, axis=0))
        return dict(zip((*OF_ORDER, *OVER_SYSTEMS), figures, strict=True)) | {
            "limit": 1.96 * np.sqrt(variance)
        }

    return truth


def nested_items(design: Design, nested: Nested, spec: ComparisonSpec) -> Study:
    """Simulate figures over items with intervals over their systems and topics, and correlations over systems."""

    def study(rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        sides, belonging = draw_nested_study(design, nested, rng), nested.clusters()
        compared = (
            compare_sums(*summarize_pairs(*sides), spec, belonging)
            if spec is CLOSED
            else compare(*sides, spec, belonging=belonging)
        )
        figures = (
            compared.spearman,
            compared.pearson,
            compared.kendall,
            compared.concordance,
            compared.rmse,
            compared.systems.spearman,
            compared.systems.pearson,
        )
        difference, limit = compared.mean_difference, compared.limit_high
        return {
            name: figure.low <= truth[name] <= figure.high
            for name, figure in zip((*OF_ORDER, *OVER_SYSTEMS), figures, strict=True)
        } | {
            "mean difference": difference.low <= 0 <= difference.high,
            "test of level over raters": compared.rater_tails.two_sided,
            "limits of agreement": limit.low <= truth["limit"] <= limit.high,
        }

    return study


def no_correlation(design: Design) -> Study:
    """Simulate p of no correlation for unrelated sides, with fixed raters as severity is 0."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        candidate = draw_study(design, rng)[0]
        compared = compare(candidate, draw_study(design, rng)[1], CLOSED)
        return {
            "p of Spearman's rho": compared.spearman_p,
            "p of Mann-Whitney U": compared.u_tails.two_sided,
        }

    return study


def equal_items(design: Design) -> Study:
    """Simulate raters without severity and equal items on both sides, so that only items are random."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        compared = compare(*draw_study(design, rng), CLOSED)
        return {"p of Wilcoxon's W": compared.wilcoxon_tails.two_sided}

    return study


def equal_groups(design: Design) -> Study:
    """Simulate equal groups in which everybody rated all items."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        compared = compare(*draw_study(design, rng), EXCHANGED)
        return {"test of level by exchanged labels": compared.permuted_tails.two_sided}

    return study


def several_measures(design: Design) -> Study:
    """Simulate four measures of the same study; a family rejects if its smallest adjusted p does."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        of_level, of_equality, of_spread = [], [], []
        for _measure in range(4):
            candidate, reference = draw_study(design, rng)
            raised = Ratings(candidate.item, candidate.rater, candidate.score + MARGIN)
            compared = compare(candidate, reference, CLOSED)
            of_level.append(compared.rater_tails.two_sided)
            of_spread.append(compared.true_scores.spread_p)
            of_equality.append(compare(raised, reference, replace(QUICK, margin=MARGIN)).equivalence.p)
        return {
            "Holm-adjusted p of level": float(holm(of_level).min()),
            "Holm-adjusted p of equivalence": float(holm(of_equality).min()),
            "Holm-adjusted p of equal true SDs": float(np.nanmin(holm(of_spread))),
        }

    return study


def normal_mos(design: Design) -> Study:
    """Simulate MOS from a normal distribution."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        return {"p of normality (Anderson-Darling)": anderson_darling(rng.normal(3, 1, design.items)).p}

    return study


EXCHANGED = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=499)
DRAWN = ComparisonSpec(bootstrap=BootstrapSpec(400), permutations=0)
OF_TRUTH = (
    "ratio of true SDs",
    "reliability of the candidate's means",
    "reliability of the reference's means",
    "ceiling",
    "corrected correlation",
)
OVER_SYSTEMS = "Spearman's rho over systems", "Pearson's r over systems"
OF_ORDER = "Spearman's rho", "Pearson's r", "Kendall's tau-b", "Lin's concordance", "RMSE"


DESIGNS = {
    "6 of all, 40 sparse": Design(Side(40, 3), Side(6, 6)),
    "12 Zipf, 24 of all": Design(Side(12, 3, 1.0), Side(24, 24)),
    "20, 20": Design(Side(20, 5), Side(20, 5)),
    "8 of all, 8 of all, 20 items": Design(Side(8, 8), Side(8, 8), items=20),
    "40 sparse, 12 of 6": Design(Side(40, 3), Side(12, 6)),
}
SENSITIVE = {
    "unequal sensitivity, 24 of all, 24 of all": Design(
        Side(24, 24), Side(24, 24), items=50, sensitivity=0.5
    ),
}
LARGER = SENSITIVE | {
    "100 items, 40 sparse, 40 sparse": Design(Side(40, 5, 0.5), Side(40, 5, 0.5), items=100),
    "150 items, 60 sparse, 12 of 6": Design(Side(60, 6, 0.5), Side(12, 6, 0.5), items=150),
    "200 items, 100 sparse, 100 sparse": Design(Side(100, 3, 0.5), Side(100, 3, 0.5), items=200),
}
UNEQUAL = {
    "24 of all, 40 sparse": Design(Side(24, 24), Side(40, 3)),
    "items much alike": Design(Side(40, 6), Side(20, 10), items=100, quality=0.35, own=0.15),
}
ONE_SIDE_FEW = {"24 of all, 3 of all": Design(Side(24, 24), Side(3, 3))}
NESTED = {
    "20 systems": Nested(20, 4),
    "50 systems": Nested(50, 4),
    "10 systems": Nested(10, 10),
    "14 systems on 12 topics": Nested(14, topics=12),
    "10 systems on 30 topics": Nested(10, topics=30),
}
RATING_THEM = Design(Side(40, 4), Side(12, 6))
FEW = {f"40 sparse, {few} of all": Design(Side(40, 3), Side(few, few)) for few in (2, 3, 4, 5)}
_OF_ITEMS: tuple[tuple[str, Callable[[Design], Study], Mapping[str, Kind]], ...] = (
    (
        "items unrelated, raters fixed",
        no_correlation,
        {"p of Spearman's rho": "test", "p of Mann-Whitney U": "test"},
    ),
    ("items alike, raters fixed", equal_items, {"p of Wilcoxon's W": "test"}),
)
ALL_RATE_ALL = {
    f"{raters} of all, {raters} of all, {items} items": Design(
        Side(raters, raters), Side(raters, raters), items=items
    )
    for raters, items in ((4, 60), (8, 30), (12, 50))
}
NO_SEVERITY = {
    f"no severity, {name}": replace(design, severity=0.0)
    for name, design in (
        ("20 items", Design(Side(8, 8), Side(8, 8), items=20)),
        ("60 items, sparse", Design(Side(40, 3), Side(6, 6))),
    )
}
OF_LEVEL: Mapping[str, Kind] = {
    "mean difference": "interval",
    "test of level over raters": "test",
    "limits of agreement": "interval",
    "equivalence test": "cautious test",
}
OF_FEW: Mapping[str, Kind] = {
    "mean difference": "interval",
    "test of level over raters": "cautious test",
    "limits of agreement": "interval",
    "equivalence test": "cautious test",
}
INTERVALS_OF_TRUTH: Mapping[str, Kind] = {
    **dict.fromkeys(OF_TRUTH, "interval"),
    "test of equal true SDs": "test",
}
TRUTH_OF_FEW: Mapping[str, Kind] = {
    **dict.fromkeys(OF_TRUTH, "interval"),
    "test of equal true SDs": "cautious test",
}
OF_NESTED: Mapping[str, Kind] = {
    **dict.fromkeys(("mean difference", "limits of agreement"), "interval"),
    "test of level over raters": "test",
}
INTERVALS_OF_ORDER: Mapping[str, Kind] = dict.fromkeys(OF_ORDER, "interval")
PAGE = "crowd_vs_lab"


def describe_raters(raters: int, total: int) -> str:
    return f"all {total} raters" if raters == total else f"{raters} of {total} raters"


def equal_spread(candidate: int, reference: int, per_item: int) -> Simulation:
    """Simulate the test of equal true SDs between whole scores from 1 to 5, with so many candidate ratings per item."""

    def side(
        raters: int, n_ratings: int, truth: NDArray[np.float64], name: str, rng: np.random.Generator
    ) -> Ratings:
        shape = len(truth), raters
        scores = truth[:, None] + rng.normal(0, 0.4, raters) + rng.normal(0, 0.8, shape)
        item, rater = np.nonzero(np.argsort(rng.random(shape), axis=1) < n_ratings)
        whole = np.clip(np.rint(3 + scores), 1, 5)
        return Ratings(item, np.char.add(name, rater.astype(str)), whole[item, rater])

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        true = rng.normal(0, 1, 60)
        sides = (
            side(candidate, per_item, true, "a", rng),
            side(reference, reference, true, "b", rng),
        )
        p = compare(*sides, CLOSED).true_scores.spread_p
        return {"test of equal true SDs": p if p == p else None}

    design = f"60 items, whole scores, {describe_raters(per_item, candidate)} against all {reference} raters"
    figures: dict[str, Kind] = {"test of equal true SDs": "cautious test"}
    return Simulation("crowd_vs_lab", f"equal spread: {design}", design, figures, study)


def tied_scores(items: int, levels: int, r: float) -> Simulation:
    """Simulate the analytic interval of Kendall's tau-b between scores of few levels."""

    def scores(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        values = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], count).T
        return np.clip(np.floor((values + 2) / 4 * levels), 0, levels - 1)

    def truth(rng: np.random.Generator) -> float:
        return kendall(*scores(400_000, rng)).estimate.value

    def study(rng: np.random.Generator, tau: Any) -> Mapping[str, bool | float | None]:
        found = kendall(*scores(items, rng)).estimate
        return {"Kendall's tau-b": found.low <= tau <= found.high if found.low == found.low else None}

    design = f"{items} items, scores of {levels} levels at r = {r}, analytic"
    figures: dict[str, Kind] = {"Kendall's tau-b": "interval"}
    return Simulation("crowd_vs_lab", f"ties: {design}", design, figures, study, truth, fixed_raters=True)


SIMULATIONS = (
    *(equal_spread(*design) for design in ((24, 3, 24), (24, 6, 24), (40, 12, 4), (12, 12, 12))),
    *(tied_scores(*design) for design in ((50, 5, 0.9), (200, 3, 0.5), (6000, 5, 0.9), (6000, 2, 0.5))),
    *(
        Simulation(
            PAGE, f"level: {name}", design.words, figures, mean_difference(design), true_figures(design)
        )
        for designs, figures in ((DESIGNS | LARGER, OF_LEVEL), (FEW, OF_FEW))
        for name, design in designs.items()
    ),
    *(
        Simulation(
            PAGE,
            f"true scores: {name}",
            design.words,
            figures,
            true_scores(design),
            true_score_figures(design),
        )
        for designs, figures in (
            (DESIGNS | UNEQUAL | SENSITIVE, INTERVALS_OF_TRUTH),
            (ONE_SIDE_FEW | FEW, TRUTH_OF_FEW),
        )
        for name, design in designs.items()
        if name != "40 sparse, 2 of all"
    ),
    *(
        Simulation(
            PAGE,
            f"items in systems, {how}: {name}",
            f"{nested.words}, {replace(RATING_THEM, items=nested.items).words}, {how}",
            OF_NESTED | dict.fromkeys((*OF_ORDER, *OVER_SYSTEMS), "interval"),
            nested_items(RATING_THEM, nested, spec),
            true_nested_figures(RATING_THEM, nested),
        )
        for how, spec in (("analytic", CLOSED), ("bootstrap", DRAWN))
        for name, nested in NESTED.items()
        if spec is CLOSED or name == "20 systems"  # drawn, a study of more items takes 0.1 to 0.25 s
    ),
    *(
        Simulation(
            PAGE,
            f"exchanged labels: {name}",
            design.words,
            {"test of level by exchanged labels": "cautious test"},
            equal_groups(design),
        )
        for name, design in ALL_RATE_ALL.items()
    ),
    *(
        Simulation(PAGE, f"{how}: {name}", f"{design.words}, {how}", figures, study(design))
        for name, design in NO_SEVERITY.items()
        for how, study, figures in _OF_ITEMS
    ),
    *(
        Simulation(
            PAGE,
            f"{how}: {name}",
            f"{design.words}, {how}",
            INTERVALS_OF_ORDER,
            correlations(design, spec),
            true_figures(design),
        )
        for how, spec in (("analytic", CLOSED), ("bootstrap", DRAWN))
        for name, design in (DESIGNS | (LARGER if spec is CLOSED else SENSITIVE)).items()
    ),
    *(
        Simulation(
            PAGE,
            f"bootstrap: {name}",
            f"{design.words}, bootstrap",
            dict.fromkeys(OF_ORDER, "interval"),
            correlations(design, DRAWN),
            true_figures(design),
        )
        for name, design in FEW.items()
    ),
    *(
        Simulation(
            PAGE,
            f"four measures: {name}",
            f"four measures, {DESIGNS[name].words}",
            {
                "Holm-adjusted p of level": "cautious test",
                "Holm-adjusted p of equivalence": "cautious test",
                "Holm-adjusted p of equal true SDs": "cautious test",
            },
            several_measures(DESIGNS[name]),
        )
        for name in ("6 of all, 40 sparse", "12 Zipf, 24 of all")
    ),
    *(
        Simulation(
            PAGE,
            f"normal MOS of {items} items",
            f"normal MOS of {items} items",
            {"p of normality (Anderson-Darling)": "test"},
            normal_mos(Design(Side(1, 1), Side(1, 1), items=items)),
        )
        for items in (8, 60)
    ),
)
