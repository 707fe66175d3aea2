"""Ranking systems: rate of calling some pair of equally good systems different, for both scopes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.pairs.paired_differences import paired_differences
from analysis.pairs.system_table import rank_intervals
from analysis.systems.system_ranking import system_ranking
from analysis.values.estimate import SCOPES, Scope
from benchmarks.calibration.simulation import Simulation
from features.systems.scores_findings import ranking_finding
from features.systems.scores_results import RankedSystems, ScoresSpec

Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
NONE_DIFFER = "No two systems clearly differ."


@dataclass(frozen=True)
class Panel:
    """Equally good systems on topics, each cell rated by some raters.

    `severity`, `taste` (system × rater) and `fit` (system × topic) are SDs, `noise` the SD of the logarithm of raters'
    noise. `loads` of raters are equal or Zipf's. `scale` rounds scores to 1 to 5, about their middle or near the top.
    `odd` multiplies the first system's `fit`.
    """

    systems: int
    topics: int
    raters: int
    per_cell: int
    severity: float = 0.4
    taste: float = 0.25
    fit: float = 0.35
    noise: float = 0.0
    loads: str = "equal"
    scale: str = ""
    odd: float = 1.0
    one_per_topic: bool = False

    @property
    def words(self) -> str:
        """Return the design in words."""
        raters = f"{self.per_cell} of {self.raters} raters"
        if self.one_per_topic:
            raters = f"one of {self.raters} raters per topic"
        elif self.per_cell == self.raters:
            raters = f"all {self.raters} raters"
        parts = [f"{self.systems} equal systems", f"{self.topics} topics", raters]
        parts += ["Zipf loads"] if self.loads == "Zipf" else []
        parts += [self.scale] if self.scale else []
        parts += ["unequal noise"] if self.noise else []
        parts += ["strong severity and preferences"] if self.severity > 0.5 else []
        parts += ["one odd system"] if self.odd > 1 else []
        return ", ".join(parts)

    def draw(self, rng: np.random.Generator, scope: Scope) -> Columns:
        """Draw a study; for these raters no rater prefers a system, so that the systems are equal to them."""
        s, t, w = self.systems, self.topics, self.raters
        loads = 1 / np.arange(1, w + 1) if self.loads == "Zipf" else np.ones(w)
        keys = np.log(rng.random((s, t, w))) / loads  # of the largest keys, a sample by loads
        assigned = np.argsort(-keys, axis=2)[:, :, : self.per_cell]
        if self.one_per_topic:
            assigned = np.broadcast_to((np.arange(t) % w)[None, :, None], (s, t, 1))
        system, topic, _ = np.indices(assigned.shape)
        taste = rng.normal(0, self.taste, (s, w)) * (scope == "raters like these")
        fit = rng.normal(0, self.fit, (s, t))
        fit[0] *= self.odd
        sharp = np.exp(rng.normal(0, self.noise, w)) if self.noise else np.ones(w)
        score = 3.0 + rng.normal(0, 0.5, t)[topic] + rng.normal(0, self.severity, w)[assigned]
        score = (
            score + fit[system, topic] + taste[system, assigned] + rng.normal(0, 0.3, (t, w))[topic, assigned]
        )
        score = score + 0.7 * sharp[assigned] * rng.normal(size=assigned.shape)
        if self.scale:
            score = np.clip(np.rint(score + (1.5 if self.scale == "ceiling" else 0)), 1, 5)
        return system.ravel(), topic.ravel(), assigned.ravel(), score.ravel()


PANELS = (
    Panel(6, 30, 3, 3),
    Panel(8, 40, 5, 5, scale="five points"),
    Panel(10, 20, 8, 8, noise=0.45),
    Panel(10, 20, 20, 20),
    Panel(10, 30, 8, 2),
    Panel(10, 30, 8, 2, severity=1.0, taste=0.6),
    Panel(6, 30, 20, 3),
    Panel(10, 60, 40, 3, loads="Zipf"),
    Panel(10, 40, 20, 2, scale="ceiling"),
    Panel(10, 40, 12, 2, loads="Zipf", noise=0.45),
    Panel(6, 24, 8, 1, one_per_topic=True),
    Panel(10, 30, 10, 10, odd=3.0),
    Panel(60, 12, 5, 5),
    Panel(3, 6, 3, 3),
    Panel(4, 8, 4, 4, scale="ceiling", noise=0.45),
)


def any_pair(panel: Panel, scope: Scope) -> Simulation:
    """Simulate all pairs, by the smallest adjusted p."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, float | None]:
        found = paired_differences(*panel.draw(rng, scope), scope)
        return {"some pair of equal systems": None if found.reason else float(np.nanmin(found.p))}

    return Simulation(
        "systems",
        f"some pair, {scope}: {panel.words}",
        f"{panel.words}, {scope}",
        {"some pair of equal systems": "familywise test"},
        study,
    )


def page_finding(panel: Panel, scope: Scope) -> Simulation:
    """Simulate the page's finding, which is wrong where its headline says that systems differ."""
    spec = ScoresSpec("score", scope=scope)

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, float | None]:
        columns = panel.draw(rng, scope)
        point = exclusion(*columns)
        drawn = intervals(*columns, point, ExclusionSpec(draws=20, scope=scope))
        ranking = system_ranking(point, drawn, np.bincount(columns[0]))
        names = np.array([f"system {at}" for at in range(panel.systems)])
        ranked = RankedSystems(ranking, None, names, point, panel.raters)
        return {"verdict on equal systems": float(ranking_finding(ranked, spec).headline[0] == NONE_DIFFER)}

    return Simulation(
        "systems",
        f"verdict, {scope}: {panel.words}",
        f"{panel.words}, {scope}",
        {"verdict on equal systems": "familywise test"},
        study,
    )


def ranks(panel: Panel) -> Simulation:
    """Simulate simultaneous intervals of ranks; every second system is half a point worse than the previous one."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | None]:
        system, topic, rater, score = panel.draw(rng, "raters like these")
        differences = paired_differences(system, topic, rater, score - system // 2 / 2, "raters like these")
        intervals = rank_intervals(differences.is_different & (differences.differences > 0))
        best = 2 * (np.arange(panel.systems) // 2) + 1  # two of equal quality share two ranks
        return {"ranks of all systems": bool((intervals.low <= best).all() and (best < intervals.high).all())}

    words = panel.words.replace("equal systems", "systems, two of each quality")
    return Simulation("systems", f"ranks: {words}", words, {"ranks of all systems": "interval"}, study)


SIMULATIONS = (
    *(any_pair(panel, scope) for scope in SCOPES for panel in PANELS),
    *(ranks(panel) for panel in (Panel(6, 20, 4, 4), PANELS[4], PANELS[10], PANELS[9])),
    *(
        page_finding(panel, scope)
        for panel, scope in (
            (PANELS[0], SCOPES[0]),
            (PANELS[4], SCOPES[1]),
            (Panel(3, 6, 2, 2), SCOPES[0]),
            (Panel(4, 8, 3, 3, scale="ceiling"), SCOPES[1]),
            (PANELS[9], SCOPES[1]),
            (PANELS[8], SCOPES[0]),
            (PANELS[9], SCOPES[0]),
            (PANELS[7], SCOPES[0]),
        )
    ),
)
