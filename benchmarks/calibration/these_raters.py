"""Crowd vs lab and Replacing raters for these raters: panels of raters who stay, and other items in each study."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.clusters import NO_BELONGING
from analysis.comparison.comparison import Comparison, ComparisonSpec, compare, compare_sums
from analysis.comparison.variance_components import summarize_pairs
from analysis.standing_in import alternative_annotator_test, effective_number_of_raters, shared_errors
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from benchmarks.calibration.crowd_vs_lab import OF_ORDER, OVER_SYSTEMS, Design, Nested, Side
from benchmarks.calibration.simulation import Kind, Simulation

Floats = NDArray[np.float64]
PANELS = 20
"""Panels of raters, of which each study has one; coverage is the mean over them."""
ITEMS_OF_TRUTH = 20_000
"""Items that each panel rates for its true figures."""
MARGIN = 0.5
ANALYTIC = ComparisonSpec(
    bootstrap=BootstrapSpec(0), permutations=0, most_items_drawn=0, margin=MARGIN, scope="these raters"
)
DRAWN = replace(ANALYTIC, bootstrap=BootstrapSpec(400), most_items_drawn=5000)
CEILING = 4.4
"""Mean of the items' qualities on a scale from 1 to 5 where scores are at a ceiling."""


@dataclass(frozen=True)
class Panel:
    """Raters of one group: their severities, noises and slopes (w,), how many rate an item, and Zipf's exponent."""

    severity: Floats
    noise: Floats
    slope: Floats
    per_item: int
    unequal: float = 0.0

    @classmethod
    def draw(cls, side: Side, design: Design, rng: np.random.Generator) -> "Panel":
        """Draw the raters of a group, of unequal severity, noise and use of the scale."""
        n = side.raters
        noise = design.chance * np.exp(rng.normal(0, 0.25, n))
        slope = 1 + rng.normal(0, design.sensitivity or 0.15, n)
        return cls(rng.normal(0, design.severity, n), noise, slope, side.per_item, side.unequal)

    def rate(self, latent: Floats, center: float, rng: np.random.Generator, group: str) -> Ratings:
        """Return whole scores from 1 to 5 for latent values (n,) of items around the middle."""
        n, w = len(latent), len(self.severity)
        load = 1 / np.arange(1, w + 1) ** self.unequal
        assigned = np.argsort(-np.log(rng.random((n, w))) / load, axis=1)[:, : self.per_item]
        score = center + (latent[:, None] - center) * self.slope[assigned] + self.severity[assigned]
        score += self.noise[assigned] * rng.normal(size=assigned.shape)
        names = np.char.add(group, assigned.ravel().astype(str))
        return Ratings(np.repeat(np.arange(n), self.per_item), names, np.clip(np.rint(score.ravel()), 1, 5))


Panels = tuple[Panel, Panel]
Truths = list[tuple[Panels, Mapping[str, float]]]


@dataclass(frozen=True)
class Groups:
    """Two groups, the mean quality of their items, and how items belong to systems and topics."""

    design: Design
    middle: float = 3.2
    nested: Nested | None = None

    @property
    def words(self) -> str:
        design = replace(self.design, items=self.nested.items) if self.nested else self.design
        systems = f"{self.nested.words}, " if self.nested else ""
        return f"{systems}{design.words}" + (", scores at a ceiling" if self.middle == CEILING else "")

    def felt(self, rng: np.random.Generator, nested: Nested | None, items: int) -> list[Floats]:
        """Return the latent values of items (n,) for both groups."""
        if nested:
            return [one - 3.2 + self.middle for one in nested.latent(rng)]
        quality = rng.normal(self.middle, self.design.quality, items)
        return [quality + rng.normal(0, self.design.own, items) for _ in range(2)]

    def sides(
        self, panels: Panels, rng: np.random.Generator, nested: Nested | None = None, items: int = 0
    ) -> tuple[Ratings, Ratings]:
        """Draw a study by these panels, of the design's own size by default."""
        latent = self.felt(rng, nested or self.nested, items or self.design.items)
        first, second = (
            panel.rate(each, self.middle, rng, name)
            for panel, each, name in zip(panels, latent, "ab", strict=True)
        )
        return first, second

    def truths(self, rng: np.random.Generator) -> Truths:
        """Draw panels, and let each of them rate many items."""
        truths: Truths = []
        for _ in range(PANELS):
            candidate, reference = (
                Panel.draw(side, self.design, rng) for side in (self.design.candidate, self.design.reference)
            )
            panels = candidate, reference
            large_nested = self.nested and (
                replace(self.nested, systems=200, topics=100)
                if self.nested.topics
                else replace(self.nested, systems=ITEMS_OF_TRUTH // self.nested.per_system)
            )
            comparison = compare_sums(
                *summarize_pairs(*self.sides(panels, rng, large_nested, ITEMS_OF_TRUTH)), ANALYTIC
            )
            truth = dict(zip(OF_ORDER, (one.value for one in correlation_figures(comparison)), strict=True))
            truth |= {
                "mean difference": comparison.mean_difference.value,
                "limit": comparison.limit_high.value,
            }
            truths.append((panels, truth | self._over_systems(panels, rng)))
        return truths

    def _over_systems(self, panels: Panels, rng: np.random.Generator) -> Mapping[str, float]:
        """Return the correlations of many systems' means, each over the study's own number of items."""
        if not self.nested:
            return {}
        large = replace(self.nested, systems=2000 if self.nested.topics == 0 else 1000)
        x, y = (
            side.mos()[1].reshape(large.systems, -1).mean(axis=1) for side in self.sides(panels, rng, large)
        )
        ranks = (np.argsort(np.argsort(one)) for one in (x, y))
        return dict(zip(OVER_SYSTEMS, (np.corrcoef(*ranks)[0, 1], np.corrcoef(x, y)[0, 1]), strict=True))


def correlation_figures(compared: Comparison) -> tuple[Estimate, ...]:
    return compared.spearman, compared.pearson, compared.kendall, compared.concordance, compared.rmse


def _covers(estimate: Estimate, truth: float) -> bool | None:
    return bool(estimate.low <= truth <= estimate.high) if estimate.low == estimate.low else None


def shift_scores(ratings: Ratings, shift: float) -> Ratings:
    return Ratings(ratings.item, ratings.rater, ratings.score + shift)


def compare_groups(groups: Groups, spec: ComparisonSpec, has_tests: bool = False) -> Simulation:
    """Simulate a comparison for these raters.

    p of level and of equivalence come from studies in which the true difference is moved to 0 and to the margin.
    """
    order = OF_ORDER + (OVER_SYSTEMS if groups.nested else ())

    def compared(sides: tuple[Ratings, Ratings]) -> Comparison:
        belonging = groups.nested.clusters() if groups.nested else NO_BELONGING
        if spec is ANALYTIC:
            return compare_sums(*summarize_pairs(*sides), spec, belonging)
        return compare(*sides, spec, belonging=belonging)

    def study(rng: np.random.Generator, truths: Truths) -> Mapping[str, bool | float | None]:
        panels, truth = truths[rng.integers(len(truths))]
        candidate, reference = groups.sides(panels, rng)
        result = compared((candidate, reference))
        over_systems = (result.systems.spearman, result.systems.pearson) if groups.nested else ()
        figures = dict(zip(order, (*correlation_figures(result), *over_systems), strict=True))
        figures |= {"mean difference": result.mean_difference}
        covered: dict[str, bool | float | None] = {
            name: _covers(figure, truth[name]) for name, figure in figures.items()
        }
        covered["limits of agreement"] = _covers(result.limit_high, truth["limit"])
        if has_tests:
            level = shift_scores(candidate, -truth["mean difference"])
            covered["test of level over items"] = compared((level, reference)).item_tails.two_sided
            at_margin = compared((shift_scores(level, MARGIN), reference))
            covered["equivalence test"] = at_margin.equivalence.p
        return covered

    kinds: dict[str, Kind] = dict.fromkeys((*order, "mean difference", "limits of agreement"), "interval")
    if has_tests:
        kinds |= {"test of level over items": "test", "equivalence test": "cautious test"}
    method = "analytic" if spec is ANALYTIC else "bootstrap"
    return Simulation(
        "these_raters",
        f"groups, {method}: {groups.words}",
        f"{groups.words}, {method}",
        kinds,
        study,
        groups.truths,
        True,
    )


@dataclass(frozen=True)
class Judges:
    """Items, each rated by some raters of a panel, and three candidates whose errors share a part."""

    items: int
    raters: int
    per_item: int
    zipf: bool = False
    ceiling: bool = False

    @property
    def words(self) -> str:
        raters = f"all {self.raters}" if self.per_item == self.raters else f"{self.per_item} of {self.raters}"
        loads = ", Zipf loads" if self.zipf else ""
        return f"{self.items} items, {raters} raters per item{loads}" + ", scores at a ceiling" * self.ceiling

    def panel(self, rng: np.random.Generator) -> Panel:
        side = Side(self.raters, self.per_item, float(self.zipf))
        return Panel.draw(side, Design(side, side, severity=0.5, chance=0.8), rng)

    def rated(
        self, panel: Panel, rng: np.random.Generator, items: int = 0
    ) -> tuple[Ratings, list[dict[Any, float]]]:
        n, center = items or self.items, CEILING if self.ceiling else 3.0
        true = rng.normal(0, 1, n)
        common, separate = 0.3**0.5 * rng.normal(0, 0.8, n), 0.7**0.5 * rng.normal(0, 0.8, (3, n))
        candidates = [dict(enumerate((center + true + common + one).tolist())) for one in separate]
        return panel.rate(center + true, center, rng, "r"), candidates


def judge_candidates(design: Judges) -> Simulation:
    """Simulate what candidates are worth, and their advantage over a rater, for these raters."""
    names = (
        "effective number of raters",
        "errors shared by two candidates",
        "errors shared by all candidates",
        "independent candidates",
        "advantage of a candidate",
    )

    def figures(ratings: Ratings, candidates: list[dict[Any, float]]) -> tuple[Estimate, ...]:
        for_these = partial(effective_number_of_raters, scope="these raters")
        errors = shared_errors(ratings, candidates, scope="these raters")
        pair = Estimate(errors.correlations[0, 1], errors.low[0, 1], errors.high[0, 1])
        answers = ratings.rater, ratings.item, ratings.score, candidates[0]
        min_items = min(10, design.items)
        advantage = alternative_annotator_test(
            *answers, "negative rmse", fewest=min_items, scope="these raters"
        ).advantage
        return for_these(ratings, candidates[0]), pair, errors.correlation, errors.worth, advantage

    def truths(rng: np.random.Generator) -> list[tuple[Panel, Mapping[str, float]]]:
        panels = [design.panel(rng) for _ in range(PANELS)]
        large = (figures(*design.rated(panel, rng, ITEMS_OF_TRUTH)) for panel in panels)
        return [
            (panel, dict(zip(names, (one.value for one in found), strict=True)))
            for panel, found in zip(panels, large, strict=True)
        ]

    def study(rng: np.random.Generator, truths_of_panels: Any) -> Mapping[str, bool | float | None]:
        panel, truth = truths_of_panels[rng.integers(len(truths_of_panels))]
        found = figures(*design.rated(panel, rng))
        return {name: _covers(figure, truth[name]) for name, figure in zip(names, found, strict=True)}

    return Simulation(
        "these_raters",
        f"candidates: {design.words}",
        f"{design.words}, unequal raters",
        dict.fromkeys(names, "interval"),
        study,
        truths,
        fixed_raters=True,
    )


def label_items(items: int, raters: int, per_item: int, zipf: bool = False) -> Simulation:
    """Simulate the advantage over raters who give one of three labels, each rightly as often as before."""

    def draw(skill: Floats, rng: np.random.Generator, n: int) -> tuple[Any, Any, Any, dict[Any, Any]]:
        lots = (
            -np.log(rng.random((n, raters))) * np.arange(1, raters + 1) if zipf else rng.random((n, raters))
        )
        assigned = np.argsort(lots, axis=1)[:, :per_item].ravel()
        item, true = np.repeat(np.arange(n), per_item), rng.integers(0, 3, n)
        value = np.where(rng.random(len(item)) < skill[assigned], true[item], rng.integers(0, 3, len(item)))
        candidate = np.where(rng.random(n) < 0.6, true, rng.integers(0, 3, n))
        return assigned, item, value, dict(enumerate(candidate.tolist()))

    def found(skill: Floats, rng: np.random.Generator, n: int) -> Estimate:
        answers = draw(skill, rng, n)
        return alternative_annotator_test(*answers, fewest=min(10, items), scope="these raters").advantage

    def truths(rng: np.random.Generator) -> list[tuple[Floats, float]]:
        skills = [rng.uniform(0.4, 0.9, raters) for _ in range(PANELS)]
        return [(skill, found(skill, rng, ITEMS_OF_TRUTH).value) for skill in skills]

    def study(rng: np.random.Generator, truths_of_skills: Any) -> Mapping[str, bool | float | None]:
        skill, truth = truths_of_skills[rng.integers(len(truths_of_skills))]
        return {"advantage of a candidate": _covers(found(skill, rng, items), truth)}

    raters_in_words = f"all {raters}" if per_item == raters else f"{per_item} of {raters}"
    loads = ", Zipf loads" if zipf else ""
    words = f"{items} items, {raters_in_words} raters per item{loads}, unequal raters, labels"
    figures: dict[str, Kind] = {"advantage of a candidate": "interval"}
    return Simulation("these_raters", f"advantage: {words}", words, figures, study, truths, True)


COMPARED = (
    Groups(Design(Side(40, 3), Side(6, 6))),
    Groups(Design(Side(40, 3), Side(3, 3))),
    Groups(Design(Side(40, 3), Side(2, 2))),
    Groups(Design(Side(8, 4), Side(1, 1), items=40)),
    Groups(Design(Side(8, 8), Side(8, 8), items=20)),
    Groups(Design(Side(12, 3, 1.0), Side(5, 5))),
    Groups(Design(Side(5, 5), Side(4, 4), items=12)),
    Groups(Design(Side(5, 5), Side(4, 4), items=40), CEILING),
    Groups(Design(Side(40, 4), Side(5, 5)), nested=Nested(20, 4)),
    Groups(Design(Side(30, 4, 1.0), Side(20, 3, 1.0), items=80)),
    Groups(Design(Side(12, 3, 1.0), Side(8, 3, 1.0), items=40), CEILING),
    Groups(Design(Side(8, 2, 1.0), Side(8, 2, 1.0), items=20)),
    Groups(Design(Side(30, 4, 1.0), Side(12, 3, 1.0)), nested=Nested(20, 4)),
)
WITH_TESTS = 0, 1, 3, 6, 7, 9, 10, 11
"""Designs in which the tests of level and of equivalence are made, too."""
SIMULATIONS = (
    *(compare_groups(one, ANALYTIC, at in WITH_TESTS) for at, one in enumerate(COMPARED)),
    *(compare_groups(COMPARED[at], DRAWN) for at in (6, 7)),
    *(
        judge_candidates(design)
        for design in (
            Judges(60, 3, 3),
            Judges(40, 2, 2),
            Judges(15, 5, 5),
            Judges(100, 12, 4, zipf=True),
            Judges(60, 5, 5, ceiling=True),
            Judges(40, 8, 3, zipf=True),
            Judges(100, 12, 4, zipf=True, ceiling=True),
        )
    ),
    *(label_items(*design) for design in ((60, 3, 3), (100, 12, 4), (100, 12, 4, True))),
)
