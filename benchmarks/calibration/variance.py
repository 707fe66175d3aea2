"""Sources of variance: components, their shares, and the coefficients of the D-study, balanced and sparse."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.variance.components import components
from analysis.variance.generalisability import Averaged, Generalisability, generalisability
from analysis.variance.jackknives import average_repeats, estimate_variances
from benchmarks.calibration.simulation import Simulation

TWO_WAY = {"item": 0.6, "rater": 0.2, "rest": 0.5}
SYSTEMS = {
    "system": 0.3,
    "topic": 0.2,
    "item": 0.2,
    "rater": 0.2,
    "system × rater": 0.15,
    "topic × rater": 0.15,
    "rest": 0.6,
}
SOURCE_NAMES = {
    "item": "items",
    "rater": "raters",
    "system": "systems",
    "topic": "topics",
    "rest": "residual",
}


@dataclass(frozen=True)
class Rated:
    """Items, of `systems` by `topics` where there are systems, each rated by some raters; the first most often where
    loads follow Zipf."""

    raters: int
    per_item: int
    items: int = 0
    systems: int = 0
    topics: int = 0
    zipf: bool = False
    method: str = "REML"

    @property
    def words(self) -> str:
        items = f"{self.systems} systems x {self.topics} topics" if self.systems else f"{self.items} items"
        raters = f"all {self.raters}" if self.per_item == self.raters else f"{self.per_item} of {self.raters}"
        return (
            f"{items}, {raters} raters per item" + (", Zipf loads" if self.zipf else "") + f", {self.method}"
        )

    @property
    def true_variances(self) -> Mapping[str, float]:
        return SYSTEMS if self.systems else TWO_WAY

    def draw(self, rng: np.random.Generator) -> dict[str, Any]:
        shape = (self.systems, self.topics) if self.systems else (1, self.items)
        lots = rng.exponential(size=(*shape, self.raters))
        if self.zipf:
            lots = lots * np.arange(1, self.raters + 1)
        assigned = np.argsort(lots, axis=2)[:, :, : self.per_item]
        system, topic, _ = np.indices(assigned.shape)

        def chance(source: str, *levels: int) -> np.ndarray:
            return rng.normal(0, self.true_variances.get(source, 0.0) ** 0.5, levels)

        score = chance("item", *shape)[system, topic] + chance("rater", self.raters)[assigned]
        score = score + chance("rest", *assigned.shape)
        columns = {"item": system * shape[1] + topic, "rater": assigned}
        if self.systems:
            score = score + chance("system", shape[0])[system] + chance("topic", shape[1])[topic]
            score = score + chance("system × rater", shape[0], self.raters)[system, assigned]
            score = score + chance("topic × rater", shape[1], self.raters)[topic, assigned]
            columns |= {"system": system, "topic": topic}
        return {name: column.ravel() for name, column in (columns | {"score": score}).items()}

    def raters_per_mean(self) -> dict[str, Averaged]:
        means = {"items": Averaged("item", self.per_item)}
        if self.systems:
            means["systems"] = Averaged("system", self.per_item, self.topics)
        return means


def true_values(result: Generalisability, planted: Mapping[str, float], errors: tuple[str, ...]) -> float:
    object_variance = sum(planted.get(t.source, 0.0) for t in result.terms if t.part == "object")
    return object_variance / (
        object_variance + sum(planted.get(t.source, 0.0) / t.over for t in result.terms if t.part in errors)
    )


def _covers(estimate: Estimate, truth: float) -> bool | None:
    return None if estimate.low != estimate.low else bool(estimate.low <= truth <= estimate.high)


def variance_components(design: Rated) -> Simulation:
    """Simulate all components, shares and coefficients of items and of systems, with new items, raters and systems."""
    planted, total = design.true_variances, sum(design.true_variances.values())
    names = [
        f"{figure}, {SOURCE_NAMES.get(source, source)}"
        for figure in ("variance", "share")
        for source in planted
    ]
    names += [
        f"{figure} of {object_name}"
        for object_name in design.raters_per_mean()
        for figure in ("generalizability coefficient", "index of dependability")
    ]

    def study(rng: np.random.Generator, _: Any) -> dict[str, bool | float | None]:
        result = components(**design.draw(rng), bootstrap=BootstrapSpec(1000, int(rng.integers(1 << 30))))
        if result.method != design.method:
            raise ValueError(f"{design.words}: fitted by {result.method}")
        variance, share = result.variances(), result.shares()
        measured: dict[str, bool | float | None] = {}
        for source, v in planted.items():
            if source in variance:
                source_name = SOURCE_NAMES.get(source, source)
                measured[f"variance, {source_name}"] = _covers(variance[source], v)
                measured[f"share, {source_name}"] = _covers(share[source], v / total)
        for object_name, averaged in design.raters_per_mean().items():
            g = generalisability(result, averaged)
            relative, absolute = (
                true_values(g, planted, ("relative",)),
                true_values(g, planted, ("relative", "absolute")),
            )
            measured[f"generalizability coefficient of {object_name}"] = _covers(g.coefficient, relative)
            measured[f"index of dependability of {object_name}"] = _covers(g.dependability, absolute)
        return measured

    return Simulation(
        "variance",
        f"variance: {design.words}",
        design.words,
        dict.fromkeys(names, "interval"),
        study,
    )


@dataclass(frozen=True)
class Unequal:
    """Items rated by raters whose noise has a standard deviation of `log_sd` on the log scale.

    Ordinal scores have five points and a ceiling: about half of the ratings are the highest.
    """

    items: int
    raters: int
    per_item: int
    log_sd: float
    ordinal: bool = False
    zipf: bool = False

    @property
    def words(self) -> str:
        raters = f"all {self.raters}" if self.per_item == self.raters else f"{self.per_item} of {self.raters}"
        scale = "five points with a ceiling" if self.ordinal else "normal scores"
        loads = ", Zipf loads" if self.zipf else ""
        return (
            f"{self.items} items, {raters} raters per item{loads}, log-SD of noise {self.log_sd:g}, {scale}"
        )

    def table(self, rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
        """Draw scores (items, raters) of all raters."""
        quality, severity, noise = (TWO_WAY[name] ** 0.5 for name in ("item", "rater", "rest"))
        of_raters = noise * np.exp(self.log_sd * rng.normal(size=raters) - self.log_sd**2)
        score = quality * rng.normal(size=(items, 1)) + severity * rng.normal(size=raters)
        score = score + of_raters * rng.normal(size=(items, raters))
        return np.clip(np.round(4.5 + score), 1, 5) if self.ordinal else score

    def ratings(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        table = self.table(rng, self.items, self.raters)
        lots = rng.random(table.shape)
        if self.zipf:
            lots = -np.log(lots) * np.arange(1, self.raters + 1)
        assigned = np.argsort(lots, axis=1)[:, : self.per_item].ravel()
        item = np.repeat(np.arange(self.items), self.per_item)
        return item, assigned, table[item, assigned]

    def truth(self, rng: np.random.Generator) -> tuple[float, float, float]:
        """Return the variances of items, raters and residual of many items and raters."""
        if not self.ordinal:
            return TWO_WAY["item"], TWO_WAY["rater"], TWO_WAY["rest"]
        variances = []
        for _ in range(10):
            score = self.table(rng, 1000, 200)
            item, rater = (codes.ravel() for codes in np.indices(score.shape))
            variances.append(estimate_variances(average_repeats(item, rater, score.ravel())))
        items, raters, residual = np.mean(variances, axis=0).tolist()
        return items, raters, residual


def components_of_unequal_raters(design: Unequal) -> Simulation:
    """Simulate residual variance, ICCs and coefficients of items, with raters who differ in noise."""
    k = design.per_item
    figures = (
        "variance, residual",
        "ICC(C,1)",
        "ICC(A,1)",
        "generalizability coefficient of items",
        "index of dependability of items",
    )

    def study(rng: np.random.Generator, truth: Any) -> dict[str, bool | float | None]:
        items, raters, residual = truth
        result = components(*design.ratings(rng), bootstrap=BootstrapSpec(2))
        if result.reason or "rater" not in result.sources or "item" not in result.sources:
            return dict.fromkeys(figures)
        single, mean = (generalisability(result, Averaged("item", r)) for r in (1, k))
        values = (
            result.variances()["rest"],
            single.coefficient,
            single.dependability,
            mean.coefficient,
            mean.dependability,
        )
        truths = (
            residual,
            items / (items + residual),
            items / (items + raters + residual),
            items / (items + residual / k),
            items / (items + (raters + residual) / k),
        )
        return {name: _covers(e, true) for name, e, true in zip(figures, values, truths, strict=True)}

    return Simulation(
        "variance",
        f"unequal raters: {design.words}",
        design.words,
        dict.fromkeys(figures, "interval"),
        study,
        truth=design.truth,
    )


UNEQUAL = (
    *(Unequal(40, raters, raters, log_sd) for raters in (3, 5, 10, 20) for log_sd in (0.0, 0.25, 0.45)),
    *(Unequal(40, raters, raters, log_sd, True) for raters in (3, 5, 10, 20) for log_sd in (0.25, 0.45)),
    *(Unequal(80, raters, 4, log_sd) for raters in (5, 10, 20) for log_sd in (0.25, 0.45)),
    Unequal(80, 10, 4, 0.45, True),
    Unequal(12, 6, 6, 0.25),
    *(Unequal(80, 20, 4, log_sd, zipf=True) for log_sd in (0.0, 0.25, 0.45)),
)
SIMULATIONS = tuple(components_of_unequal_raters(design) for design in UNEQUAL) + tuple(
    variance_components(design)
    for design in (
        Rated(6, 6, items=60),
        Rated(40, 3, items=60),
        Rated(12, 3, items=60, zipf=True),
        Rated(6, 6, items=10),
        Rated(100, 10, items=200),
        Rated(3, 3, items=30),
        Rated(700, 3, items=800, method="moments"),
        Rated(8, 3, systems=10, topics=20),
        Rated(6, 6, systems=8, topics=12),
        Rated(4, 3, systems=3, topics=30),
        Rated(60, 2, systems=30, topics=30, method="moments"),
    )
)
