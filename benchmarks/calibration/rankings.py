"""Rankings: strengths, Kendall's W, raters who rank unlike the others, and counting scores of best-worst choices."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product, starmap
from math import nan
from typing import Any

import numpy as np

from analysis.assessors.typical_rater import compare_with_typical, name_raters, pooled_variance
from analysis.systems.goodness_of_fit import position_effect
from analysis.systems.rank_agreement import (
    best_worst_scores,
    concordance,
    correlation_with_others,
    rater_estimates,
)
from analysis.systems.ranked_options import (
    FEWEST_TASKS,
    RankedOptions,
    RankingScope,
    cluster_codes,
    fit_ranked,
    has_known_order,
    implied_pairs,
    scale_of_rankings,
)
from analysis.values.estimate import FEWEST_RANDOM
from benchmarks.calibration.simulation import Kind, Simulation

Study = Callable[[np.random.Generator, Any], Mapping[str, bool | float | None]]

LARGE = 20_000
"""Rankings that the truth is taken from."""
STRENGTH, DIFFER, W = "strength from rankings", "some pair of equal options ranked apart", "Kendall's W"
P_W, RANKER, NAMED = (
    "p of Kendall's W",
    "correlation of a rater's ranks",
    "a ranker named although all are alike",
)
SCORE, POSITION = "counting score", "position of ranked options"


@dataclass(frozen=True, eq=False)
class World:
    """Fixed additions of raters (W, S) and of tasks (T, S) to the utility of options, and the tasks' options (T, k);
    None for random ones."""

    tastes: np.ndarray | None = None
    fits: np.ndarray | None = None
    options: np.ndarray | None = None


@dataclass(frozen=True)
class Contest:
    """Tasks whose options raters rank: strengths from `spread` to -`spread`, even or `skewed` to one strong option.

    `taste` (rater × option) and `fit` (task × option) are SDs of what raters and tasks add. `some` options are ranked,
    all where 0. `loads` of raters are equal or Zipf's. `rounds` makes utilities ties. `tuples` are best-worst choices.
    """

    tasks: int
    raters: int
    options: int
    some: int = 0
    spread: float = 1.0
    taste: float = 0.4
    fit: float = 0.4
    skewed: bool = False
    loads: str = "equal"
    rounds: float = 0.0
    tuples: bool = False
    per_task: int = 0

    @property
    def words(self) -> str:
        """Return the design in words."""
        tasks = "best-worst tuples" if self.tuples else "task" if self.tasks == 1 else "tasks"
        raters = (
            f"{self.per_task} of {self.raters} raters each" if self.per_task else f"all {self.raters} raters"
        )
        parts = [f"{self.tasks} {tasks}", raters, f"{self.options} options"]
        parts += [f"{self.some} in a ranking"] if self.some else []
        parts += ["one strong option"] if self.skewed else []
        parts += ["equal options"] if self.spread == 0 else []
        parts += ["Zipf loads"] if self.loads == "Zipf" else []
        parts += ["ties"] if self.rounds else []
        return ", ".join(parts)

    @property
    def strengths(self) -> np.ndarray:
        """Return the strengths (S,) of a usual rater and task."""
        if self.skewed:
            return np.append(self.spread, np.full(self.options - 1, -self.spread / 2))
        return np.asarray(np.linspace(self.spread, -self.spread, self.options))

    def draw(
        self, rng: np.random.Generator, shift: float = 0.0, world: "World | None" = None
    ) -> RankedOptions:
        """Draw a study; with few raters none has separate tastes, with few tasks none fits an option better.

        `shift` is what each place further back takes from the utility of an option. In a `world` all have.
        """
        taste, fit, per_task = self.taste, self.fit, self.per_task or self.raters
        if world is None:
            taste, fit, world = taste * (self.raters >= FEWEST_RANDOM), self._fit, World()
        return self._rank(rng, self.tasks, self.raters, per_task, taste, fit, shift, world)

    def draw_world(self, rng: np.random.Generator, scope: RankingScope) -> "World":
        """Draw what raters and tasks add that are fixed in a scope."""
        tastes, fits = (
            rng.normal(0, sd, (many, self.options))
            for sd, many in ((self.taste, self.raters), (self.fit, self.tasks))
        )
        of_raters = tastes if scope.raters == "these raters" else None
        if scope.tasks != "these tasks":
            return World(of_raters)
        return World(of_raters, fits, self._options(rng, self.tasks))

    def draw_rankings_of_world(self, rng: np.random.Generator, world: "World") -> RankedOptions:
        """Draw so many studies of a world that their rankings are `LARGE`, as one of other tasks and raters."""
        times = LARGE // (self.tasks * (self.per_task or self.raters))
        studies = [self.draw(rng, world=world) for _ in range(times)]

        def joined(name: str, shift: int = 0) -> np.ndarray:
            return np.concatenate([getattr(one, name) + shift * at for at, one in enumerate(studies)])

        task, rater = joined("task", self.tasks), joined("rater", self.raters)
        rest = (joined(name) for name in ("option", "rank", "position"))
        return RankedOptions(task, rater, *rest, studies[0].options)

    def draw_large(self, rng: np.random.Generator) -> RankedOptions:
        """Draw rankings of as many tasks, each by another rater."""
        taste = self.taste * (self.raters >= FEWEST_RANDOM)
        return self._rank(rng, LARGE, LARGE, 0, taste, self._fit, 0.0, World())

    @property
    def _fit(self) -> float:
        return self.fit * (self.tasks >= FEWEST_TASKS)

    def _options(self, rng: np.random.Generator, tasks: int) -> np.ndarray:
        """Return options of tasks (T, k), at random."""
        return np.argsort(rng.random((tasks, self.options)), axis=1)[:, : self.some or self.options]

    def _rank(
        self,
        rng: np.random.Generator,
        tasks: int,
        raters: int,
        per_task: int,
        taste: float,
        fit: float,
        shift: float,
        world: "World",
    ) -> RankedOptions:
        """Return rankings of tasks by `per_task` of the raters; 0 is another rater for each."""
        s, k = self.options, self.some or self.options
        loads = 1 / np.arange(1, raters + 1) if self.loads == "Zipf" else np.ones(raters)
        if per_task == 0:
            assigned = np.arange(tasks)[:, None]
        elif per_task == raters:
            assigned = np.broadcast_to(np.arange(raters), (tasks, raters))
        else:  # of the largest keys, a sample by loads
            assigned = np.argsort(-np.log(rng.random((tasks, raters))) / loads, axis=1)[:, :per_task]
        tastes = rng.normal(0, taste, (raters, s)) if world.tastes is None else world.tastes
        fits = rng.normal(0, fit, (tasks, s)) if world.fits is None else world.fits
        of_task = (
            (self._options(rng, tasks) if world.options is None else world.options)[:, None]
            if k < s
            else np.arange(s)[None, None]
        )
        option = np.broadcast_to(of_task, (tasks, assigned.shape[1], k))
        task, rater = np.arange(tasks)[:, None, None], assigned[:, :, None]
        position = np.argsort(rng.random(option.shape), axis=2)
        utility = self.strengths[option] + tastes[rater, option] + fits[task, option] - shift * position
        utility = utility + rng.gumbel(size=option.shape)
        if self.rounds:
            utility = np.round(utility / self.rounds)
        rank = 1.0 + (utility[..., None, :] > utility[..., :, None]).sum(axis=3)
        if self.tuples:
            rank = np.where(rank == 1, 1.0, np.where(rank == k, 3.0, 2.0))
        of_task, of_rater, ranked = (
            np.broadcast_to(one, option.shape).ravel() for one in (task, rater, option)
        )
        return RankedOptions(
            of_task, of_rater, ranked, rank.ravel(), position.ravel().astype(np.float64), np.arange(s)
        )


def strengths(contest: Contest) -> Simulation:
    """Simulate the strength of a random option, whose truth is that of a large study."""

    def truth(rng: np.random.Generator) -> np.ndarray:
        return fit_ranked(contest.draw_large(rng)).strength

    def study(rng: np.random.Generator, true: np.ndarray) -> Mapping[str, bool | None]:
        ranked, option = contest.draw(rng), int(rng.integers(contest.options))
        votes = implied_pairs(ranked)
        result = scale_of_rankings(ranked, fit_ranked(ranked, votes), votes)
        if result.reason or not np.isfinite(result.low).all():
            return {STRENGTH: None}
        return {STRENGTH: bool(result.low[option] <= true[option] <= result.high[option])}

    return _simulation("strengths", contest, {STRENGTH: "interval"}, study, truth)


def equal_options(contest: Contest) -> Simulation:
    """Simulate all pairs of equal options, by the smallest adjusted p."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, float | None]:
        ranked = contest.draw(rng)
        votes = implied_pairs(ranked)
        found = scale_of_rankings(ranked, fit_ranked(ranked, votes), votes)
        return {DIFFER: None if found.reason else float(np.nanmin(found.p))}

    return _simulation("equal options", contest, {DIFFER: "familywise test"}, study)


def agreement(contest: Contest) -> Simulation:
    """Simulate Kendall's W, with the interval of the mean correlation of two raters and the truth of large studies."""

    def truth(rng: np.random.Generator) -> float:
        large = replace(
            contest, tasks=200 if contest.tasks >= FEWEST_TASKS else contest.tasks, per_task=0, raters=40
        )
        return float(np.mean([concordance(large.draw(rng)).correlation.value for _ in range(40)]))

    def study(rng: np.random.Generator, true: float) -> Mapping[str, bool | None]:
        found = concordance(contest.draw(rng)).correlation
        return {W: bool(found.low <= true <= found.high) if np.isfinite(found.low) else None}

    return _simulation("W", contest, {W: "interval"}, study, truth)


def no_agreement(contest: Contest) -> Simulation:
    """Simulate Kendall's test, and that of the mean correlation over tasks, with raters who rank at random."""
    random_contest = replace(contest, spread=0.0, taste=0.0, fit=0.0)

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, float | None]:
        result = concordance(random_contest.draw(rng))
        return {P_W: None if np.isnan(result.p) else result.p}

    return _simulation("no agreement", random_contest, {P_W: "cautious test"}, study)


def rankers(contest: Contest) -> Simulation:
    """Simulate equal raters: the first one's correlation with the others, and the test that names raters."""
    equal_raters = replace(contest, taste=0.0)

    def truth(rng: np.random.Generator) -> float:
        large = replace(equal_raters, tasks=4000, per_task=0)
        return float(np.tanh(correlation_with_others(large.draw(rng)).z).mean())

    def study(rng: np.random.Generator, true: float) -> Mapping[str, bool | float | None]:
        changes = correlation_with_others(equal_raters.draw(rng))
        first = rater_estimates(changes)[0]
        (named,) = name_raters([compare_with_typical(changes.z, changes.units, pooled_variance(changes))])
        return {
            RANKER: bool(first.low <= true <= first.high) if np.isfinite(first.low) else None,
            NAMED: 0.0 if (named.below | named.above).any() else 1.0,
        }

    return _simulation("rankers", equal_raters, {RANKER: "interval", NAMED: "familywise test"}, study, truth)


def scores(contest: Contest) -> Simulation:
    """Simulate the counting score of a random item, whose truth is that of a large study."""

    def truth(rng: np.random.Generator) -> np.ndarray:
        return best_worst_scores(contest.draw_large(rng)).score

    def study(rng: np.random.Generator, true: np.ndarray) -> Mapping[str, bool | None]:
        found, at = best_worst_scores(contest.draw(rng), halves=0), int(rng.integers(contest.options))
        return {SCORE: bool(found.low[at] <= true[at] <= found.high[at]) if found.shown[at] else None}

    return _simulation("scores", contest, {SCORE: "interval"}, study, truth)


def positions(contest: Contest) -> Simulation:
    """Simulate a null effect of being shown first."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | None]:
        ranked = contest.draw(rng)
        votes, (task, rater) = implied_pairs(ranked), cluster_codes(ranked)
        is_known = has_known_order(ranked, votes)
        rows = votes.row[is_known]
        clusters = task[rows], None if rater is None else rater[rows]
        factor = position_effect(
            votes.comparisons.select(is_known), votes.first_shown[is_known], *clusters
        ).factor
        return {POSITION: bool(factor.low <= 1 <= factor.high) if np.isfinite(factor.low) else None}

    return _simulation("position", contest, {POSITION: "interval"}, study)


def figures_in_scope(contest: Contest, scope: RankingScope) -> Simulation:
    """Simulate the strength of a random option and Kendall's W for these raters or tasks, or counting scores."""
    words = f"{contest.words}, for {_SCOPES[scope]}"
    kinds: dict[str, Kind] = {SCORE: "interval"} if contest.tuples else {STRENGTH: "interval", W: "interval"}

    def truth(rng: np.random.Generator) -> tuple[World, np.ndarray, float]:
        world = contest.draw_world(rng, scope)
        large = contest.draw_rankings_of_world(rng, world)
        if contest.tuples:
            return world, best_worst_scores(large, halves=0).score, nan
        return world, fit_ranked(large).strength, concordance(large).correlation.value

    def study(
        rng: np.random.Generator, true: tuple[World, np.ndarray, float]
    ) -> Mapping[str, bool | float | None]:
        world, expected, w = true
        ranked, option = contest.draw(rng, world=world), int(rng.integers(contest.options))
        if contest.tuples:
            scores = best_worst_scores(ranked, halves=0, scope=scope)
            is_covered = scores.low[option] <= expected[option] <= scores.high[option]
            return {SCORE: bool(is_covered) if scores.shown[option] else None}
        votes = implied_pairs(ranked)
        result = scale_of_rankings(ranked, fit_ranked(ranked, votes), votes, scope=scope)
        r = concordance(ranked, scope=scope).correlation
        has_interval = not result.reason and np.isfinite(result.low).all()
        return {
            STRENGTH: bool(result.low[option] <= expected[option] <= result.high[option])
            if has_interval
            else None,
            W: bool(r.low <= w <= r.high) if np.isfinite(r.low) else None,
        }

    return Simulation("rankings", f"in scope: {words}", words, kinds, study, truth)


def tests_in_scope(contest: Contest, scope: RankingScope) -> Simulation:
    """Simulate all pairs of options that are equal for these raters or tasks, and a null effect of position."""
    words = f"{contest.words}, for {_SCOPES[scope]}"
    kinds: dict[str, Kind] = {DIFFER: "familywise test", POSITION: "interval"}
    fixed = replace(
        contest,
        taste=0.0 if scope.raters == "these raters" else contest.taste,
        fit=0.0 if scope.tasks == "these tasks" else contest.fit,
    )

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        ranked = fixed.draw(rng, world=World())
        votes, (first, second) = implied_pairs(ranked), cluster_codes(ranked, scope=scope)
        result = scale_of_rankings(ranked, fit_ranked(ranked, votes), votes, scope=scope)
        clusters = first[votes.row], None if second is None else second[votes.row]
        factor = position_effect(votes.comparisons, votes.first_shown, *clusters).factor
        is_covered = bool(factor.low <= 1 <= factor.high) if np.isfinite(factor.low) else None
        return {DIFFER: None if result.reason else float(np.nanmin(result.p)), POSITION: is_covered}

    return Simulation("rankings", f"equal in scope: {words}", words, kinds, study)


_SCOPES = {
    RankingScope("these raters", "tasks like these"): "these raters",
    RankingScope("raters like these", "these tasks"): "these tasks",
    RankingScope("these raters", "these tasks"): "these raters and tasks",
    RankingScope("raters like these", "tasks like these"): "raters and tasks like these",
}
CHOSEN, ALL_LIKE_THESE = tuple(_SCOPES)[:3], tuple(_SCOPES)[3]


def _simulation(
    name: str,
    contest: Contest,
    kinds: Mapping[str, Kind],
    study: Study,
    truth: Callable[[np.random.Generator], Any] = lambda rng: None,
) -> Simulation:
    return Simulation("rankings", f"{name}: {contest.words}", contest.words, kinds, study, truth)


TUPLES = (
    Contest(40, 6, 12, some=4, tuples=True),
    Contest(40, 4, 10, some=4, tuples=True),
    Contest(60, 30, 20, some=4, tuples=True, per_task=3, loads="Zipf"),
    Contest(100, 20, 50, some=4, tuples=True, per_task=2),
    Contest(60, 30, 20, some=5, tuples=True, per_task=1, spread=3.0),
    Contest(40, 10, 20, some=4, tuples=True, skewed=True, spread=2.5),
)
CONTESTS = (
    Contest(12, 5, 3),
    Contest(20, 10, 5),
    Contest(8, 6, 4),
    Contest(30, 8, 6, some=3, per_task=3),
    Contest(40, 20, 5, per_task=3, loads="Zipf"),
    Contest(20, 8, 5, skewed=True),
    Contest(20, 8, 5, rounds=1.0),
    Contest(3, 12, 4),
    Contest(1, 20, 5),
    Contest(1, 8, 4),
)
RANKERS = (
    Contest(12, 6, 4),
    Contest(20, 12, 5),
    Contest(15, 20, 3),
    Contest(30, 8, 6, some=3),
    Contest(20, 8, 5, spread=3.0),
)
SIMULATIONS = (
    *map(strengths, (*CONTESTS, *TUPLES[:3])),
    *(equal_options(replace(each, spread=0.0)) for each in (*CONTESTS[:5], *CONTESTS[6:9], TUPLES[2])),
    *map(agreement, (*(CONTESTS[at] for at in (0, 1, 2, 4, 5, 6, 7, 8, 9)), Contest(1, 10, 6, spread=3.0))),
    *map(no_agreement, (CONTESTS[0], CONTESTS[1], CONTESTS[8], Contest(1, 4, 3))),
    *map(rankers, RANKERS),
    *map(scores, TUPLES),
    *map(positions, (CONTESTS[1], CONTESTS[3], CONTESTS[8])),
    *starmap(figures_in_scope, product((*CONTESTS[1:7], TUPLES[0], TUPLES[2], TUPLES[5]), CHOSEN)),
    *(figures_in_scope(each, ALL_LIKE_THESE) for each in (CONTESTS[0], Contest(20, 3, 4))),
    *(figures_in_scope(each, CHOSEN[2]) for each in (CONTESTS[0], Contest(3, 4, 4))),
    *starmap(tests_in_scope, product((replace(CONTESTS[at], spread=0.0) for at in (1, 2, 3, 4, 6)), CHOSEN)),
)
