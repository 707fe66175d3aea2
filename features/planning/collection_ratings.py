"""Ratings so far under a goal of further ones: of items' means, their reliability, or differences of systems."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.intraclass import spearman_brown
from analysis.items.rating_spread import RatingSpread
from analysis.pairs.paired_differences import PairedDifferences, paired_differences
from analysis.planning.collection import Collected, Goal, ItemGoal, RatersAsked, Strategy, SystemGoal, collect
from analysis.planning.collection_choices import all_pairs
from analysis.planning.collection_items import ItemMeans, OwnRepeats, item_means, simulation_interval
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Flags, Floats, Scope
from analysis.values.ratings import Ratings, coded
from features.assessments import assessments, clusters_of_items, names, of_group, polls
from features.blocks import Progress, for_raters
from features.planning.variances import OPEN, Variances, VariancesSpec, usual_difference, variance_stages
from features.plotting.theme import decimal
from features.raters import rater_results
from features.repetitions.ratings_results import score_range, spread_of
from features.study import Study, key_of, query, ratings, result
from features.words import counted, with_interval

ITEMS, RELIABILITY = "every item's mean", "reliability of item means"
ALL_SYSTEMS, TWO_SYSTEMS = "differences of all systems", "difference of two systems"
CONSISTENCY = "a rater's consistency"
DRAWN_NUMBERS, MOST_DRAWS, FEWEST_DRAWS = 300_000, 300, 60
"""Numbers that a simulated promise draws, and its draws at most and at least."""
MOST_ITEMS, MOST_CELLS = 20_000, 4_000_000
"""Items, and items times raters, up to which all items are considered; a random sample of more."""
CHANCE = 0.75
"""Variance of the logarithm of a half-width that is estimated again, per degree of freedom: half of it where the new
judgments are of the same kind as those so far, and more where they are of others (by simulation)."""
MOST_POINTS = 25
"""Points of a scale up to which simulated scores keep to it."""
WIDER = "wider than the scale: too few items have two ratings"
SEED = 0
Names = NDArray[Any]


@dataclass(frozen=True)
class CollectionSpec:
    """Goal of further ratings and how they are chosen; `systems` are the two that a goal names.

    `wanted` is a half-width, or a reliability or a share of right labels. At most `cap` of the `further` ratings are by
    one rater, at most `new` raters are new; `rater` is whose consistency is the goal, "" for the one with the widest
    interval. `strategy` is that of the table, `seed` decides between equals.
    """

    goal: str = ITEMS
    measure: str = ""
    wanted: float | None = None
    further: int = 100
    strategy: Strategy = "targeted"
    raters: RatersAsked = "raters so far and new ones"
    cap: int = 50
    new: int = 20
    systems: tuple[str, ...] = ()
    rater: str = ""
    scope: Scope | None = None
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

    def collect(self, spec: CollectionSpec) -> Collected:
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
    variances: Variances | None = None
    degrees: float = inf
    widest: float = inf
    """Range of the scores: no half-width beyond it is promised."""
    averages: tuple[float, float] = (nan, nan)
    """Mean of all ratings, and of items' means: each rating then weighs 1 over those of its item."""

    @property
    def limit(self) -> float:
        if not isinstance(self.goal, SystemGoal):
            return super().limit
        return self.now * sqrt(self.goal.floor / self._variance_now)

    def collect(self, spec: CollectionSpec) -> Collected:
        raters = spec.raters if len(self.raters) else "new raters"
        return collect(
            self.done, spec.further, self.goal, spec.strategy, spec.cap, raters, spec.seed, spec.new
        )

    def promise(self, collected: Collected) -> Estimate:
        if not len(collected):
            return Estimate(self.now)
        more = np.bincount(collected.item, minlength=len(self.done)).astype(np.float64)
        if self.reliability is not None:
            assert isinstance(self.goal, ItemGoal)
            one, k = self.reliability
            of = self.goal.value(self.means.counts) / self.goal.value(self.means.counts + more)
            return spearman_brown(one, k * of)
        draws = int(np.clip(DRAWN_NUMBERS / len(self.done), FEWEST_DRAWS, MOST_DRAWS))
        if isinstance(self.goal, ItemGoal):
            found = simulation_interval(
                self.means.simulate_half_widths(more, draws, self.seed).max(axis=1).tolist()
            )
            return found if found.high <= self.widest else Estimate(nan, reason=WIDER)
        return self._of_systems(self.goal, collected)

    def each(self, collected: Collected) -> tuple[Floats, Floats]:
        more = np.bincount(collected.item, minlength=len(self.done)).astype(np.float64)
        means = self.means
        after = means.half_widths(means.counts + more, means.squares + more * means.variances)
        after = np.where(after <= self.widest, after, nan)
        return means.current_half_widths, np.asarray(np.where(more > 0, after, means.current_half_widths))

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
        one = np.array([getattr(goal, name) for name in names_of] + [1.0])
        value = self.now * sqrt(float(parts[1] @ one) / float(parts[0] @ one))
        drawn = {} if self.variances is None else self.variances.pilot.drawn
        if not drawn or not len(drawn["residual"]):
            return Estimate(value)
        held = components_of(drawn)
        residual = held["residual"] / max(self.variances.pilot.estimated["residual"], 1e-12)  # type: ignore[union-attr]
        shown = [held[name] if getattr(goal, name) > 0 else np.zeros(len(residual)) for name in names_of]
        each = np.column_stack([*shown, residual])
        ratio = np.sqrt((each @ parts[1]) / np.maximum(each @ parts[0], 1e-300))
        rng = np.random.default_rng(self.seed)
        noise = np.sqrt(CHANCE / self.degrees * np.maximum(1 - ratio**2, 0))
        found = self.now * ratio * np.exp(noise * rng.standard_normal(len(ratio)))
        return replace(simulation_interval(found.tolist()), value=value)


@dataclass(frozen=True, eq=False)
class RepeatsSource(Source):
    """Ratings of one rater, who may judge items again; `topics` are names, of the items where these have none."""

    own: OwnRepeats = field(kw_only=True)
    topics: NDArray[np.str_] = field(kw_only=True)
    has_topics: bool = field(kw_only=True)

    def collect(self, spec: CollectionSpec) -> Collected:
        items = self.own.collect(spec.further, spec.strategy, spec.seed)
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


def usual_precision(study: Study, spec: CollectionSpec) -> float:
    """Return a precision that many ask for: of means 6, of differences 7.5 of 100 of the range of the scores."""
    if spec.goal == RELIABILITY:
        return 0.8
    range_of = score_range(study, spec.measure or study.measures[0])
    return 0.06 * range_of if spec.goal == ITEMS else usual_difference(range_of)


def _size(items: int, raters: int, *more: str) -> tuple[str, ...]:
    return counted(items, "item"), counted(raters, "rater") if raters else "", *more


def current_sizes(study: Study, measure: str) -> tuple[int, int]:
    """Return the items that were judged, on a measure, and a rater's usual number of judgments, 10 at least."""
    if study.holds_choices:
        asked = polls(study)
        items = sum(one.votes.items for one in asked)
        raters = len({code for one in asked for code in one.rater_code.tolist()})
        return items, max(10, round(sum(len(one.votes) for one in asked) / max(raters, 1)))
    cells = query(study.between_raters.dataset, "cells")
    here = (cells["measure"] == measure) & (cells["group"] == study.candidate)
    items, rated, raters = (int(cells[name][here].sum()) for name in ("items", "ratings", "raters"))
    return items, max(10, round(rated / max(raters, 1)))


def repeating_raters(study: Study, measure: str) -> dict[str, Estimate]:
    """Return the raters who judged items, or identical texts, again, by name with alpha, the widest interval first."""
    if not study.raters_are_persons:
        return {}
    found = rater_results.alpha_on_repeats(study, measure, BootstrapSpec())
    if rater_results.ranks_by_texts(study, measure):
        found = rater_results.alpha_on_texts(study, measure, BootstrapSpec())
    if found is None:
        return {}
    called = names(study, "rater")[found.raters].tolist()
    known = [(name, alpha) for name, alpha in zip(called, found.alpha, strict=True) if alpha.low == alpha.low]
    return dict(sorted(known, key=lambda one: one[1].low - one[1].high))


def _of_repeats(study: Study, spec: CollectionSpec, measure: str) -> Source:
    able = repeating_raters(study, measure)
    if not able or (spec.rater and spec.rater not in able):
        who = spec.rater or "no rater"
        return replace(LACKING, reason=f"{who} has too few items judged twice for an interval of alpha")
    name = spec.rater or next(iter(able))
    a = assessments(study, measure)
    here = names(study, "rater")[a.rater] == name
    texts = rater_results.ranks_by_texts(study, measure)
    here &= (a.text >= 0) if texts else True
    unit, of_unit = np.unique((a.text if texts else a.item)[here], return_inverse=True)
    first = np.unique(of_unit, return_index=True)[1]
    item, topic, score = a.item[here][first], a.topic[here][first], a.score[here]
    score = score - score.mean()
    has_topics = bool((topic >= 0).all())
    blocks, block = np.unique(topic if has_topics else item, return_inverse=True)
    points = np.unique(score)
    counts, totals, squares = (
        np.bincount(of_unit, weights).astype(np.float64) for weights in (None, score, score**2)
    )
    step = float(np.diff(points).min()) if 1 < len(points) <= MOST_POINTS else 0.0
    own = OwnRepeats(counts, totals, squares, block, step)
    alpha = able[name]
    return RepeatsSource(
        names(study, "item")[item],
        np.array([name]),
        counts,
        now=(alpha.high - alpha.low) / 2,
        size=(
            f"alpha {with_interval(alpha, decimal)}",
            counted(own.repeated, "set" if texts else "item") + " judged twice",
        ),
        of=len(unit),
        seed=spec.seed,
        own=own,
        topics=names(study, "topic" if has_topics else "item")[blocks],
        has_topics=has_topics,
    )


def ratings_source(study: Study, spec: CollectionSpec) -> Iterator[Source | Progress]:
    """Yield the ratings so far under a goal; for systems first without what the components leave open."""
    measure, once = spec.measure or study.measures[0], study.between_raters
    if spec.goal == CONSISTENCY:
        yield _of_repeats(study, spec, measure)
        return
    spread = spread_of(study, measure)
    key = key_of(once.dataset, "collected so far", measure, study.candidate)
    so_far, item_of, rater_of, items = result(key, partial(_current_ratings, study, measure))
    compares = "for items compared by the same raters" if spread.has_two_raters else ""
    raters = names(study, "rater")[rater_of] if study.raters_are_persons else NONE
    base = replace(
        so_far,
        units=names(study, "item")[item_of],
        raters=raters,
        size=_size(len(item_of), len(raters), compares if spec.goal == ITEMS else ""),
        of=items,
        seed=spec.seed,
    )
    if base.reason:
        yield base
    elif spec.goal == RELIABILITY:
        one = of_group(study, measure, study.candidate, spec.scope).one
        k = 1 / float((1 / base.counts).mean())
        now = spearman_brown(one, k).value
        reason = one.reason or ("" if one.value > 0 else "items do not differ beyond chance")
        yield replace(base, reliability=(one, k), now=now, reason=reason, rises=True)
    elif spec.goal == ITEMS:
        now, widest = float(base.means.current_half_widths.max()), score_range(study, measure)
        reason = f"now ±\u00a0{decimal(now)}, {WIDER}" if now > widest else ""
        yield replace(base, goal=base.means.goal, now=now, widest=widest, reason=reason)
    else:
        yield from _of_systems(study, spec, measure, base, item_of)


def ratings_of(rated: Ratings, spread: RatingSpread, units: Names, raters: Names) -> RatingsSource:
    """Return ratings of items 0, 1, … by raters 0, 1, …, with the goal on the mean variance of items' means."""
    means = item_means(rated, spread)
    done = np.zeros((len(units), len(raters)), dtype=np.bool_)
    done[rated.item, rated.rater] = True
    goal = ItemGoal(means.variances, largest=False)
    averages = nan, nan
    if len(rated.score):
        of_items = np.bincount(rated.item, rated.score) / np.bincount(rated.item)
        averages = float(rated.score.mean()), float(of_items.mean())
    return RatingsSource(
        units,
        raters,
        means.counts,
        reason=spread.reason,
        means=means,
        done=done,
        goal=goal,
        averages=averages,
    )


def _current_ratings(study: Study, measure: str) -> tuple[RatingsSource, Names, Names, int]:
    """Return the ratings so far, the codes of their items and raters, and the number of all items."""
    rated = ratings(study.between_raters.dataset, measure, study.candidate)
    item, rater, score = rated.item, rated.rater, rated.score
    every, raters = np.unique(item), len(np.unique(rater))
    most = min(MOST_ITEMS, max(MOST_CELLS // max(raters, 1), 10))
    if len(every) > most:
        here = np.isin(item, np.random.default_rng(SEED).choice(every, most, replace=False))
        item, rater, score = item[here], rater[here], score[here]
    (item_of, items_at), (rater_of, raters_at) = coded(item), coded(rater)
    source = ratings_of(Ratings(items_at, raters_at, score), spread_of(study, measure), item_of, rater_of)
    return source, item_of, rater_of, len(every)


def _of_systems(
    study: Study, spec: CollectionSpec, measure: str, base: RatingsSource, item_of: Codes
) -> Iterator[RatingsSource | Progress]:
    once = study.between_raters
    rated = ratings(once.dataset, measure, study.candidate)
    of_system, of_topic = clusters_of_items(once)
    systems = query(study.whole, "labels", column="system")["name"]
    system_of_item = of_system or {}
    here = np.array([each in system_of_item for each in rated.item.tolist()], dtype=np.bool_)
    system = np.array([system_of_item.get(each, -1) for each in rated.item.tolist()], dtype=np.int64)
    has_topics = of_topic is not None
    topic = (
        rated.item if of_topic is None else np.array([of_topic.get(each, -1) for each in rated.item.tolist()])
    )
    found = result(
        key_of(once.dataset, "differences of systems", measure, study.candidate, spec.scope),
        lambda: paired_differences(
            system[here], topic[here], rated.rater[here], rated.score[here], spec.scope, 0.95, has_topics
        ),
    )
    if found.reason:
        yield replace(base, reason=found.reason)
        return
    present = np.unique(system[here])
    pairs = _pairs_asked(spec, systems[present])
    if np.isnan(root_mean_square((found.high - found.low) / 2, pairs)):
        yield replace(base, reason="the two systems have too few ratings in common")
        return
    kept = np.array([int(code) in system_of_item for code in item_of.tolist()], dtype=np.bool_)
    of_items = np.searchsorted(present, [system_of_item[int(code)] for code in item_of[kept].tolist()])
    base = replace(
        base,
        means=replace(base.means, counts=base.means.counts[kept], squares=base.means.squares[kept]),
        done=base.done[kept],
        units=base.units[kept],
        counts=base.counts[kept],
        size=_size(int(kept.sum()), len(base.raters), for_raters(found.scope)),
    )
    for stage in variance_stages(study, VariancesSpec(OPEN, measure), about_systems=False):
        if isinstance(stage, Progress):
            yield stage
        elif stage.reason:
            yield replace(base, reason=stage.reason)
        else:
            yield differences_source(base, found, stage, of_items, pairs)


def differences_source(
    base: RatingsSource, found: PairedDifferences, variances: Variances, system: Codes, pairs: Floats
) -> RatingsSource:
    """Return the ratings with a goal on the differences of systems (S, S) that `pairs` marks; `system` (I,) codes."""
    given = {name: np.asarray(value) for name, value in variances.pilot.estimated.items()}
    parts = {name: float(value) for name, value in components_of(given).items()}
    residual = parts["residual"] * base.means.variances / base.means.variances.mean()
    of_raters = found.scope == "raters like these"
    severity, slope = parts["rater"] * of_raters, parts["system_rater"] * of_raters
    return replace(
        base,
        now=root_mean_square((found.high - found.low) / 2, pairs),
        goal=SystemGoal(system, residual, pairs, parts["item"], severity, slope),
        differences=found,
        variances=variances,
        degrees=float(np.nanmedian(found.df)),
    )


def _pairs_asked(spec: CollectionSpec, systems: NDArray[np.str_]) -> Floats:
    """Return which pairs of systems count (S, S): the two that are named, else all."""
    return all_pairs(len(systems)) if spec.goal != TWO_SYSTEMS else pair_of(systems, spec.systems)


def pair_of(systems: NDArray[np.str_], chosen: tuple[str, ...]) -> Floats:
    """Return a goal on the difference of two systems (S, S), the first two by default, of none where one is missing."""
    pairs = np.zeros((len(systems), len(systems)))
    at = [int(np.flatnonzero(systems == name)[0]) for name in chosen if (systems == name).any()]
    at = at if chosen else [0, 1]
    if len(at) == 2:
        pairs[at[0], at[1]] = pairs[at[1], at[0]] = 1.0
    return pairs


def root_mean_square(halves: Floats, pairs: Floats) -> float:
    """Return the root of the mean square of the half-widths (S, S) of these pairs, NaN where none has one."""
    here = halves[(pairs > 0) & ~np.isnan(halves)]
    return float(np.sqrt(np.mean(here**2))) if len(here) else nan
