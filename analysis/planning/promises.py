"""Further ratings of a study in progress: what is known so far of a goal, and what they promise, with its interval."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.intraclass import spearman_brown
from analysis.items.rating_spread import RatingSpread
from analysis.pairs.paired_differences import PairedDifferences
from analysis.planning.collection import Collected, Goal, ItemGoal, RatersAsked, Strategy, SystemGoal, collect
from analysis.planning.collection_items import ItemMeans, OwnRepeats, item_means, simulation_interval
from analysis.planning.pilot import Pilot
from analysis.values.estimate import Codes, Estimate, Flags, Floats
from analysis.values.ratings import Ratings

DRAWN_NUMBERS, MOST_DRAWS, FEWEST_DRAWS = 300_000, 300, 60
"""Numbers that a simulated promise draws, and its draws at most and at least."""
CHANCE = 0.75
"""Variance of the logarithm of a half-width that is estimated again, per degree of freedom: half of it where the new
judgments are of the same kind as those so far, and more where they are of others (by simulation)."""
MOST_POINTS = 25
"""Points of a scale up to which simulated scores keep to it."""
WIDER = "wider than the scale: too few items have two ratings"


@dataclass(frozen=True)
class Asked:
    """Number of further judgments that are asked for, and of whom.

    At most `cap` of the `further` ones are by one rater, at most `new` raters are new; `seed` decides between equals.
    """

    further: int
    strategy: Strategy = "targeted"
    raters: RatersAsked = "raters so far and new ones"
    cap: int = 50
    new: int = 20
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Source:
    """Judgments so far under a goal.

    `units` (I,) name what is judged, `counts` (I,) its judgments; `raters` are names, none where ids are slots. `now`
    is the figure of the goal, `size` words on what it is based on; `rises` says that more is better. `of` counts all
    items where these are a sample. `errors_known` is False where the figure holds only if raters share no errors.
    """

    units: NDArray[np.str_]
    raters: NDArray[np.str_]
    counts: Floats
    now: float = nan
    size: tuple[str, ...] = ()
    rises: bool = False
    of: int = 0
    seed: int = 0
    errors_known: bool = True
    reason: str = ""

    @property
    def limit(self) -> float:
        """Figure that no number of judgments of these units goes beyond."""
        return inf if self.rises else 0.0

    def collect(self, asked: Asked) -> Collected:
        """Choose the further judgments."""
        raise NotImplementedError

    def promise(self, collected: Collected) -> Estimate:
        """Return the figure after them, with the interval of what may be found."""
        raise NotImplementedError

    def each(self, collected: Collected) -> tuple[Floats, Floats]:
        """Return the figure of each unit before and after (I,), NaN where units have none."""
        return np.full(len(self.units), nan), np.full(len(self.units), nan)


NONE = np.empty(0, dtype=np.str_)
LACKING = Source(NONE, NONE, np.empty(0))


@dataclass(frozen=True, eq=False)
class RatingsSource(Source):
    """Ratings of items with a goal on their means; `done` (I, R) is who has rated what."""

    means: ItemMeans = field(kw_only=True)
    done: Flags = field(kw_only=True)
    goal: Goal = field(kw_only=True)
    reliability: tuple[Estimate, float] | None = None
    differences: PairedDifferences | None = None
    pilot: Pilot | None = None
    degrees: float = inf
    widest: float = inf
    """Range of the scores: no half-width beyond it is promised."""

    @property
    def limit(self) -> float:
        if not isinstance(self.goal, SystemGoal):
            return super().limit
        return self.now * sqrt(self.goal.floor / self._variance_now)

    def collect(self, asked: Asked) -> Collected:
        raters = asked.raters if len(self.raters) else "new raters"
        return collect(
            self.done, asked.further, self.goal, asked.strategy, asked.cap, raters, asked.seed, asked.new
        )

    def promise(self, collected: Collected) -> Estimate:
        if not len(collected):
            return Estimate(self.now)
        further = np.bincount(collected.item, minlength=len(self.done)).astype(np.float64)
        if self.reliability is not None:
            assert isinstance(self.goal, ItemGoal)
            single, k = self.reliability
            ratio = self.goal.value(self.means.counts) / self.goal.value(self.means.counts + further)
            return spearman_brown(single, k * ratio)
        draws = int(np.clip(DRAWN_NUMBERS / len(self.done), FEWEST_DRAWS, MOST_DRAWS))
        if isinstance(self.goal, ItemGoal):
            interval = simulation_interval(
                self.means.simulate_half_widths(further, draws, self.seed).max(axis=1).tolist()
            )
            return interval if interval.high <= self.widest else Estimate(nan, reason=WIDER)
        return self._of_systems(self.goal, collected)

    def each(self, collected: Collected) -> tuple[Floats, Floats]:
        further = np.bincount(collected.item, minlength=len(self.done)).astype(np.float64)
        means = self.means
        after = means.half_widths(means.counts + further, means.squares + further * means.variances)
        after = np.where(after <= self.widest, after, nan)
        return means.current_half_widths, np.asarray(np.where(further > 0, after, means.current_half_widths))

    @cached_property
    def _cells(self) -> tuple[Codes, Codes]:
        item, rater = np.nonzero(self.done)
        return item, rater

    @cached_property
    def _variance_now(self) -> float:
        assert isinstance(self.goal, SystemGoal)
        return self.goal.value(*self._cells)

    def _of_systems(self, goal: SystemGoal, collected: Collected) -> Estimate:
        """Scale the half-width so far by the model's variances before and after, with each draw of the components."""
        before = self._cells
        after = np.append(before[0], collected.item), np.append(before[1], collected.rater)
        parts = [_parts_of(goal, *cells) for cells in (before, after)]
        names_of = ("item", "rater", "system_rater")
        coefficients = np.array([getattr(goal, name) for name in names_of] + [1.0])
        value = self.now * sqrt(float(parts[1] @ coefficients) / float(parts[0] @ coefficients))
        draws = {} if self.pilot is None else self.pilot.drawn
        if not draws or not len(draws["residual"]):
            return Estimate(value)
        components = components_of(draws)
        residual = components["residual"] / max(self.pilot.estimated["residual"], 1e-12)  # type: ignore[union-attr]
        columns = [
            components[name] if getattr(goal, name) > 0 else np.zeros(len(residual)) for name in names_of
        ]
        draws_of_parts = np.column_stack([*columns, residual])
        ratio = np.sqrt((draws_of_parts @ parts[1]) / np.maximum(draws_of_parts @ parts[0], 1e-300))
        rng = np.random.default_rng(self.seed)
        noise = np.sqrt(CHANCE / self.degrees * np.maximum(1 - ratio**2, 0))
        half_widths = self.now * ratio * np.exp(noise * rng.standard_normal(len(ratio)))
        return replace(simulation_interval(half_widths.tolist()), value=value)


@dataclass(frozen=True, eq=False)
class RepeatsSource(Source):
    """Ratings of one rater, who may judge items again; `topics` are names, of the items where these have none."""

    own: OwnRepeats = field(kw_only=True)
    topics: NDArray[np.str_] = field(kw_only=True)
    has_topics: bool = field(kw_only=True)

    def collect(self, asked: Asked) -> Collected:
        items = self.own.collect(asked.further, asked.strategy, asked.seed)
        return Collected(items, np.zeros(len(items), dtype=np.int64), 1)

    def promise(self, collected: Collected) -> Estimate:
        """Return half the width of the interval of alpha."""
        return self.both(collected)[0] if len(collected) else Estimate(self.now)

    def both(self, collected: Collected) -> tuple[Estimate, Estimate]:
        """Return half the width of the interval of alpha, and alpha."""
        return self.own.simulate_alpha(collected.item, seed=self.seed)


def _parts_of(goal: SystemGoal, item: Codes, rater: Codes) -> Floats:
    """Return what one of each variance adds to that of the differences: item, rater, system by rater, residual."""
    unit = replace(goal, item=0.0, rater=0.0, system_rater=0.0, residual=np.zeros(len(goal.residual)))
    ones = replace(unit, item=1.0), replace(unit, rater=1.0), replace(unit, system_rater=1.0)
    made = [one.value(item, rater) for one in ones]
    return np.array([*made, replace(unit, residual=goal.residual).value(item, rater)])


def components_of(parts: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return a plan's variances as those of single ratings: of items, raters, systems by raters and the residual."""
    return {
        "item": 2 * parts["item_slope"],
        "rater": np.maximum(parts["rater"] - parts["rater_slope"], 0.0),
        "system_rater": 2 * parts["rater_slope"],
        "residual": parts["residual"] + parts["rater_item"],
    }


def own_repeats(unit: Codes, score: Floats, block: Codes) -> OwnRepeats:
    """Return one rater's repeats from the `unit` and `score` (n,) of each rating, and each unit's `block`."""
    of_unit, score = np.unique(unit, return_inverse=True)[1], score - score.mean()
    points = np.unique(score)
    counts, totals, squares = (
        np.bincount(of_unit, weights).astype(np.float64) for weights in (None, score, score**2)
    )
    step = float(np.diff(points).min()) if 1 < len(points) <= MOST_POINTS else 0.0
    return OwnRepeats(counts, totals, squares, block, step)


def ratings_of(
    rated: Ratings, spread: RatingSpread, units: NDArray[np.str_], raters: NDArray[np.str_]
) -> RatingsSource:
    """Return ratings of items 0, 1, … by raters 0, 1, …, with the goal on the mean variance of items' means."""
    means = item_means(rated, spread)
    is_rated = np.zeros((len(units), len(raters)), dtype=np.bool_)
    is_rated[rated.item, rated.rater] = True
    goal = ItemGoal(means.variances, largest=False)
    return RatingsSource(
        units,
        raters,
        means.counts,
        reason=spread.reason,
        means=means,
        done=is_rated,
        goal=goal,
    )


def differences_source(
    base: RatingsSource, differences: PairedDifferences, pilot: Pilot, system: Codes, pairs: Floats
) -> RatingsSource:
    """Return the ratings with a goal on the differences of systems (S, S) that `pairs` marks; `system` (I,) codes."""
    variances = {name: np.asarray(value) for name, value in pilot.estimated.items()}
    parts = {name: float(value) for name, value in components_of(variances).items()}
    residual = parts["residual"] * base.means.variances / base.means.variances.mean()
    of_raters = differences.scope == "raters like these"
    severity, slope = parts["rater"] * of_raters, parts["system_rater"] * of_raters
    return replace(
        base,
        now=root_mean_square((differences.high - differences.low) / 2, pairs),
        goal=SystemGoal(system, residual, pairs, parts["item"], severity, slope),
        differences=differences,
        pilot=pilot,
        degrees=float(np.nanmedian(differences.df)),
    )


def pair_of(systems: NDArray[np.str_], chosen: tuple[str, ...]) -> Floats:
    """Return a goal on the difference of two systems (S, S), the first two by default, of none where one is missing."""
    pairs = np.zeros((len(systems), len(systems)))
    index = [int(np.flatnonzero(systems == name)[0]) for name in chosen if (systems == name).any()]
    index = index if chosen else [0, 1]
    if len(index) == 2:
        pairs[index[0], index[1]] = pairs[index[1], index[0]] = 1.0
    return pairs


def root_mean_square(halves: Floats, pairs: Floats) -> float:
    """Return the root of the mean square of the half-widths (S, S) of these pairs, NaN where none has one."""
    here = halves[(pairs > 0) & ~np.isnan(halves)]
    return float(np.sqrt(np.mean(here**2))) if len(here) else nan
