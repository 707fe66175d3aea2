"""Crowd vs lab: crossed raters of balanced and unequal workloads, few and many."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.correlation.two_columns import kendall, pearson, spearman
from analysis.crowd_vs_lab.comparison import ComparisonSpec, compare
from analysis.crowd_vs_lab.equality import concordance_rows
from analysis.distributions.distribution import anderson_darling
from analysis.values.estimate import BootstrapSpec
from analysis.values.p_values import holm
from analysis.values.ratings import Ratings
from benchmarks.calibration.experiment import Experiment, Kind


@dataclass(frozen=True)
class Side:
    """Raters of one group, how many rate an item, and how unequal their shares of the work are (Zipf's exponent)."""

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

    @property
    def words(self) -> str:
        return f"{self.items} items, {self._side(self.candidate)} against {self._side(self.reference)}"

    @staticmethod
    def _side(side: Side) -> str:
        if side.per_item == side.raters:
            return f"{side.raters} raters of all"
        return f"{side.per_item} of {side.raters} raters" + (", Zipf loads" if side.unequal else "")


def rated(side: Side, felt: np.ndarray, design: Design, rng: np.random.Generator, group: str) -> Ratings:
    """Whole scores from 1 to 5 of what is felt about each item (n,)."""
    load = 1 / np.arange(1, side.raters + 1) ** side.unequal
    keys = np.log(rng.random((len(felt), side.raters))) / load
    who = np.argsort(-keys, axis=1)[:, : side.per_item]
    severity = rng.normal(0, design.severity, side.raters)
    score = felt[:, None] + severity[who] + rng.normal(0, design.chance, who.shape)
    item = np.repeat(np.arange(len(felt)), side.per_item)
    return Ratings(item, np.char.add(group, who.ravel().astype(str)), np.clip(np.rint(score.ravel()), 1, 5))


def drawn(design: Design, rng: np.random.Generator) -> tuple[Ratings, Ratings]:
    """One study."""
    quality = rng.normal(3.2, 0.6, design.items)
    felt = [quality + shift + rng.normal(0, design.own, design.items) for shift in (design.shift, 0.0)]
    return (
        rated(design.candidate, felt[0], design, rng, "a"),
        rated(design.reference, felt[1], design, rng, "b"),
    )


CLOSED = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0)
ITEMS_OF_TRUTH, GROUPS = 2000, 60
"""Items, and pairs of groups of raters of the study's own size, whose average is the truth."""
Study = Callable[[np.random.Generator, Any], Mapping[str, bool | float | None]]
Truth = Callable[[np.random.Generator], Mapping[str, float]]


def truth_of(design: Design) -> Truth:
    """Limits of agreement, correlations and RMSE over infinitely many items, of groups of the design's size."""

    def truth(rng: np.random.Generator) -> Mapping[str, float]:
        many = replace(design, items=ITEMS_OF_TRUTH)
        rows = []
        for _ in range(GROUPS):
            x, y = (side.mos()[1] for side in drawn(many, rng))
            apart = (x - y).var(ddof=1)
            correlations = (measure(x, y).estimate.value for measure in (spearman, pearson, kendall))
            rows.append([*correlations, concordance_rows(x[None], y[None])[0], ((x - y) ** 2).mean(), apart])
        rho, r, tau, concordance, square, apart = np.mean(rows, axis=0)
        return {
            "Spearman's rho": rho,
            "Pearson's r": r,
            "Kendall's tau-b": tau,
            "Lin's concordance": concordance,
            "RMSE": np.sqrt(square),
            "limit": 1.96 * np.sqrt(apart),
        }

    return truth


def level(design: Design) -> Study:
    """Both groups rate alike, so the true difference is 0. Equivalence is asked of a second study in which all scores
    of the candidate are raised by just the margin."""

    def study(rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        candidate, reference = drawn(design, rng)
        compared = compare(candidate, reference, CLOSED)
        difference, limit = compared.mean_difference, compared.limit_high
        raised = Ratings(candidate.item, candidate.rater, candidate.score + MARGIN)
        at_margin = compare(raised, reference, replace(CLOSED, margin=MARGIN))
        return {
            "mean difference": difference.low <= 0 <= difference.high,
            "test of level over raters": compared.rater_tails.two_sided,
            "limits of agreement": limit.low <= truth["limit"] <= limit.high,
            "equivalence test": at_margin.equivalence.p,
        }

    return study


MARGIN = 0.5


def order(design: Design, spec: ComparisonSpec) -> Study:
    """Correlations, concordance and RMSE of the study's own groups, over items such as these."""

    def study(rng: np.random.Generator, truth: Any) -> Mapping[str, bool | float | None]:
        compared = compare(*drawn(design, rng), spec)
        figures = compared.spearman, compared.pearson, compared.kendall, compared.concordance, compared.rmse
        return {
            name: figure.low <= truth[name] <= figure.high
            for name, figure in zip(OF_ORDER, figures, strict=True)
        }

    return study


def unrelated(design: Design) -> Study:
    """The items of both sides have nothing in common: p of no correlation, raters fixed as severity is 0."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        candidate = drawn(design, rng)[0]
        compared = compare(candidate, drawn(design, rng)[1], CLOSED)
        return {
            "p of Spearman's rho": compared.spearman_p,
            "p of Mann-Whitney U": compared.u_tails.two_sided,
        }

    return study


def same_items(design: Design) -> Study:
    """Raters without severity and items alike on both sides: items are the only chance that is left."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        compared = compare(*drawn(design, rng), CLOSED)
        return {"p of Wilcoxon's W": compared.wilcoxon_tails.two_sided}

    return study


def exchanged(design: Design) -> Study:
    """Everybody rated everything, and both groups rate alike."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        compared = compare(*drawn(design, rng), EXCHANGED)
        return {"test of level by exchanged labels": compared.permuted_tails.two_sided}

    return study


def several_measures(design: Design) -> Study:
    """Four measures of the same study; a family rejects where its smallest adjusted p does."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        of_level, of_equality = [], []
        for _measure in range(4):
            candidate, reference = drawn(design, rng)
            raised = Ratings(candidate.item, candidate.rater, candidate.score + MARGIN)
            of_level.append(compare(candidate, reference, CLOSED).rater_tails.two_sided)
            of_equality.append(compare(raised, reference, replace(CLOSED, margin=MARGIN)).equivalence.p)
        return {
            "Holm-adjusted p of level": float(holm(of_level).min()),
            "Holm-adjusted p of equivalence": float(holm(of_equality).min()),
        }

    return study


def normal_items(design: Design) -> Study:
    """MOS that come from a normal curve."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        return {"p of normality (Anderson-Darling)": anderson_darling(rng.normal(3, 1, design.items)).p}

    return study


EXCHANGED = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=499)
DRAWN = ComparisonSpec(bootstrap=BootstrapSpec(400), permutations=0)
OF_ORDER = "Spearman's rho", "Pearson's r", "Kendall's tau-b", "Lin's concordance", "RMSE"


DESIGNS = {
    "6 of all, 40 sparse": Design(Side(40, 3), Side(6, 6)),
    "12 Zipf, 24 of all": Design(Side(12, 3, 1.0), Side(24, 24)),
    "20, 20": Design(Side(20, 5), Side(20, 5)),
    "8 of all, 8 of all, 20 items": Design(Side(8, 8), Side(8, 8), items=20),
    "40 sparse, 12 of 6": Design(Side(40, 3), Side(12, 6)),
}
FEW = {f"40 sparse, {few} of all": Design(Side(40, 3), Side(few, few)) for few in (2, 3, 4, 5)}
_OF_ITEMS: tuple[tuple[str, Callable[[Design], Study], Mapping[str, Kind]], ...] = (
    (
        "items unrelated, raters fixed",
        unrelated,
        {"p of Spearman's rho": "test", "p of Mann-Whitney U": "test"},
    ),
    ("items alike, raters fixed", same_items, {"p of Wilcoxon's W": "test"}),
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
    "mean difference": "cautious interval",
    "test of level over raters": "cautious test",
    "limits of agreement": "cautious interval",
    "equivalence test": "cautious test",
}
INTERVALS_OF_ORDER: Mapping[str, Kind] = dict.fromkeys(OF_ORDER, "interval")
ROOM = "crowd_vs_lab"
EXPERIMENTS = (
    *(
        Experiment(ROOM, f"level: {name}", design.words, figures, level(design), truth_of(design), 2000)
        for designs, figures in ((DESIGNS, OF_LEVEL), (FEW, OF_FEW))
        for name, design in designs.items()
    ),
    *(
        Experiment(
            ROOM,
            f"exchanged labels: {name}",
            design.words,
            {"test of level by exchanged labels": "cautious test"},
            exchanged(design),
            studies=1000,
        )
        for name, design in ALL_RATE_ALL.items()
    ),
    *(
        Experiment(ROOM, f"{how}: {name}", f"{design.words}, {how}", figures, study(design), studies=2000)
        for name, design in NO_SEVERITY.items()
        for how, study, figures in _OF_ITEMS
    ),
    *(
        Experiment(
            ROOM,
            f"{how}: {name}",
            f"{design.words}, {how}",
            INTERVALS_OF_ORDER,
            order(design, spec),
            truth_of(design),
            studies,
        )
        for how, spec, studies in (("analytic", CLOSED, 2000), ("drawn", DRAWN, 400))
        for name, design in DESIGNS.items()
    ),
    *(
        Experiment(
            ROOM,
            f"drawn: {name}",
            f"{design.words}, drawn",
            dict.fromkeys(OF_ORDER, "cautious interval"),
            order(design, DRAWN),
            truth_of(design),
            400,
        )
        for name, design in FEW.items()
    ),
    *(
        Experiment(
            ROOM,
            f"four measures: {name}",
            f"four measures, {DESIGNS[name].words}",
            {
                "Holm-adjusted p of level": "cautious test",
                "Holm-adjusted p of equivalence": "cautious test",
            },
            several_measures(DESIGNS[name]),
            studies=600,
        )
        for name in ("6 of all, 40 sparse", "12 Zipf, 24 of all")
    ),
    *(
        Experiment(
            ROOM,
            f"normal MOS of {items} items",
            f"normal MOS of {items} items",
            {"p of normality (Anderson-Darling)": "test"},
            normal_items(Design(Side(1, 1), Side(1, 1), items=items)),
            studies=2000,
        )
        for items in (8, 60)
    ),
)
