"""Further ratings to collect, for items, their reliability or differences of systems: spec and results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf, isnan, nan, sqrt
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.intraclass import stepped_up
from analysis.pairs.paired_differences import PairedDifferences, paired_differences
from analysis.planning.collection import (
    STRATEGIES,
    Collected,
    Goal,
    ItemGoal,
    ItemMeans,
    RatersAsked,
    Strategy,
    SystemGoal,
    collect,
    item_means,
    promised,
)
from analysis.values.columns import coded
from analysis.values.estimate import Estimate, Scope
from analysis.values.types import Codes, Flags, Floats
from features.assessments import clusters_of_items, names, of_group
from features.blocks import Progress, last_of
from features.planning.variances import OPEN, Variances, VariancesSpec, usual_difference, variance_stages
from features.repetitions.ratings_results import score_range, spread_of
from features.results import key_of, query, ratings, result
from features.study import Study

ITEMS, RELIABILITY = "every item's mean", "reliability of item means"
ALL_SYSTEMS, TWO_SYSTEMS = "differences of all systems", "difference of two systems"
POINTS = 12
"""Places along the further ratings at which the precision is computed."""
DRAWN_NUMBERS, MOST_DRAWS, FEWEST_DRAWS = 2_000_000, 400, 60
"""Numbers that a simulated promise draws, and its draws at most and at least."""
MOST_ITEMS, MOST_CELLS = 20_000, 4_000_000
"""Items, and items times raters, up to which all items are considered; a random sample of more."""
SEED = 0


@dataclass(frozen=True)
class CollectionSpec:
    """Goal of further ratings and how they are chosen; `systems` are the two that a goal names.

    `wanted` is a half-width, or a reliability or a share of right labels. At most `cap` of the `further` ratings are by
    one rater, at most `new` raters are new. `strategy` is that of the table, `seed` decides between equals.
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
    scope: Scope | None = None
    seed: int = 0


class Source(Protocol):
    """Judgments so far under a goal: what is known `now`, and what chosen further ones bring.

    `done` (I, R) is who has judged what, under `units` (I,) names; `base` (I,) counts the judgments of each unit.
    """

    reason: str
    now: float
    rises: bool
    units: NDArray[np.str_]
    of_raters: NDArray[np.str_]
    base: Floats
    limit: float
    least: str

    def collect(self, spec: CollectionSpec) -> Collected:
        """Choose the further judgments."""

    def promise(self, collected: Collected) -> Estimate:
        """Return what they bring, with the interval of what may be found."""

    def each(self, collected: Collected) -> tuple[Floats, Floats]:
        """Return the half-width of each unit before and after (I,); NaN where units have none."""


@dataclass(frozen=True, eq=False)
class RatingsSource:
    """Ratings of items by persons or slots, with a goal on their means."""

    means: ItemMeans
    done: Flags
    goal: Goal
    units: NDArray[np.str_]
    of_raters: NDArray[np.str_]
    now: float
    level: float = 0.95
    reliability: tuple[Estimate, float] | None = None
    differences: PairedDifferences | None = None
    variances: Variances | None = None
    degrees: float = inf
    items_of: int = 0
    reason: str = ""
    least: str = ""
    seed: int = 0

    @property
    def rises(self) -> bool:
        """True where more is better."""
        return self.reliability is not None

    @property
    def base(self) -> Floats:
        """Ratings of each item so far (I,)."""
        return self.means.counts

    @property
    def limit(self) -> float:
        """Half-width that no number of ratings of these items goes below."""
        if not isinstance(self.goal, SystemGoal):
            return 0.0
        return self.now * sqrt(self.goal.floor / self._variance_now)

    def collect(self, spec: CollectionSpec) -> Collected:
        """Choose the further ratings."""
        raters = spec.raters if len(self.of_raters) else "new raters"
        return collect(
            self.done, spec.further, self.goal, spec.strategy, spec.cap, raters, spec.seed, spec.new
        )

    def promise(self, collected: Collected) -> Estimate:
        """Return the value of the goal with the interval of what may be found."""
        if not len(collected):
            return Estimate(self.now)
        more = np.bincount(collected.item, minlength=len(self.done)).astype(np.float64)
        if self.reliability is not None:
            assert isinstance(self.goal, ItemGoal)
            one, k = self.reliability
            of = self.goal.value(self.means.counts) / self.goal.value(self.means.counts + more)
            return stepped_up(one, k * of)
        draws = int(np.clip(DRAWN_NUMBERS / len(self.done), FEWEST_DRAWS, MOST_DRAWS))
        if isinstance(self.goal, ItemGoal):
            return promised(self.means.drawn(more, draws, self.seed).max(axis=1).tolist(), self.level)
        return self._of_systems(self.goal, collected)

    def each(self, collected: Collected) -> tuple[Floats, Floats]:
        """Return the half-width of each item's mean before and after (I,)."""
        more = np.bincount(collected.item, minlength=len(self.done)).astype(np.float64)
        means = self.means
        after = means.halves(means.counts + more, means.squares + more * means.variances)
        return means.now, np.asarray(np.where(more > 0, after, means.now))

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
        noise = np.sqrt(2 / self.degrees * np.maximum(1 - ratio**2, 0)) / 2
        found = self.now * ratio * np.exp(noise * rng.standard_normal(len(ratio)))
        return replace(promised(found.tolist(), self.level), value=value)


def _parts_of(goal: SystemGoal, item: Codes, rater: Codes) -> Floats:
    """Return what one of each variance adds to that of the differences: item, rater, system by rater, residual."""
    unit = replace(goal, item=0.0, rater=0.0, system_rater=0.0, residual=np.zeros(len(goal.residual)))
    made = [replace(unit, **{name: 1.0}).value(item, rater) for name in ("item", "rater", "system_rater")]
    return np.array([*made, replace(unit, residual=goal.residual).value(item, rater)])


def components_of(parts: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return a plan's variances as those of single ratings: of items, raters, systems by raters and the residual."""
    return {
        "item": 2 * parts["item_slope"],
        "rater": np.maximum(parts["rater"] - parts["rater_slope"], 0.0),
        "system_rater": 2 * parts["rater_slope"],
        "residual": parts["residual"] + parts["rater_item"],
    }


def ratings_goals(study: Study) -> list[str]:
    """Return the goals of a study of ratings."""
    return [ITEMS, RELIABILITY, *([ALL_SYSTEMS, TWO_SYSTEMS] if study.whole.has("system") else [])]


def usual_wanted(study: Study, spec: CollectionSpec) -> float:
    """Return a precision that many ask for: of means 6, of differences 7.5 of 100 of the range of the scores."""
    if spec.goal == RELIABILITY:
        return 0.8
    range_of = score_range(study, spec.measure or study.measures[0])
    return 0.06 * range_of if spec.goal == ITEMS else usual_difference(range_of)


def sizes_so_far(study: Study, measure: str) -> tuple[int, int]:
    """Return the items that were rated on a measure, and a rater's usual number of ratings, 10 at least."""
    cells = query(study.between_raters.dataset, "cells")
    here = (cells["measure"] == measure) & (cells["group"] == study.candidate)
    items, rated, raters = (int(cells[name][here].sum()) for name in ("items", "ratings", "raters"))
    return items, max(10, round(rated / max(raters, 1)))


def ratings_source(study: Study, spec: CollectionSpec) -> Iterator[RatingsSource | Progress]:
    """Yield the ratings so far under a goal; for systems first without what the components leave open."""
    measure, once = spec.measure or study.measures[0], study.between_raters
    spread = spread_of(study, measure)
    key = key_of(once.dataset, "collected so far", measure, study.candidate)
    means, done, item_of, rater_of, items = result(key, partial(_so_far, study, measure))
    base = RatingsSource(
        means,
        done,
        ItemGoal(means.variances, largest=spec.goal == ITEMS),
        names(study, "item")[item_of],
        names(study, "rater")[rater_of] if study.raters_are_persons else np.empty(0, dtype=np.str_),
        nan,
        items_of=items,
        reason=spread.reason,
        seed=spec.seed,
    )
    if base.reason:
        yield base
    elif spec.goal == RELIABILITY:
        one = of_group(study, measure, study.candidate, spec.scope).one
        k = 1 / float((1 / means.counts).mean())
        yield replace(base, reliability=(one, k), now=stepped_up(one, k).value, reason=one.reason)
    elif spec.goal == ITEMS:
        yield replace(base, goal=means.goal, now=float(means.now.max()))
    else:
        yield from _of_systems(study, spec, measure, base, item_of)


def _so_far(study: Study, measure: str) -> tuple[ItemMeans, Flags, NDArray[np.int64], NDArray[np.int64], int]:
    """Return the means of items, who has rated what, and the codes of items and raters."""
    once = study.between_raters
    rated = ratings(once.dataset, measure, study.candidate)
    item, rater, score = rated.item, rated.rater, rated.score
    items, raters = len(np.unique(item)), len(np.unique(rater))
    most = min(MOST_ITEMS, max(MOST_CELLS // max(raters, 1), 10))
    if items > most:
        kept = np.random.default_rng(SEED).choice(np.unique(item), most, replace=False)
        here = np.isin(item, kept)
        item, rater, score = item[here], rater[here], score[here]
    item_of, items_at = coded(item)
    rater_of, raters_at = coded(rater)
    done = np.zeros((len(item_of), len(rater_of)), dtype=np.bool_)
    done[items_at, raters_at] = True
    means = item_means(
        replace(rated, item=items_at, rater=raters_at, score=score, order=None), spread_of(study, measure)
    )
    return means, done, np.asarray(item_of), np.asarray(rater_of), items


def _of_systems(
    study: Study, spec: CollectionSpec, measure: str, base: RatingsSource, item_of: Codes
) -> Iterator[RatingsSource | Progress]:
    once = study.between_raters
    rated = ratings(once.dataset, measure, study.candidate)
    of_system, of_topic = clusters_of_items(once)
    systems = query(study.whole, "labels", column="system")["name"]
    told = of_system or {}
    here = np.array([each in told for each in rated.item.tolist()], dtype=np.bool_)
    system = np.array([told.get(each, -1) for each in rated.item.tolist()], dtype=np.int64)
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
    kept = np.array([int(code) in told for code in item_of.tolist()], dtype=np.bool_)
    of_items = np.searchsorted(present, [told[int(code)] for code in item_of[kept].tolist()])
    halves = ((found.high - found.low) / 2)[pairs > 0]
    now = float(np.sqrt(np.nanmean(halves**2)))
    base = replace(
        base,
        means=replace(base.means, counts=base.means.counts[kept], squares=base.means.squares[kept]),
        done=base.done[kept],
        units=base.units[kept],
        now=now,
        differences=found,
        degrees=float(np.nanmedian(found.df)),
    )
    for stage in variance_stages(study, VariancesSpec(OPEN, measure), about_systems=False):
        if isinstance(stage, Progress):
            yield stage
        elif stage.reason:
            yield replace(base, reason=stage.reason)
        else:
            given = {name: np.asarray(value) for name, value in stage.pilot.estimated.items()}
            parts = {name: float(value) for name, value in components_of(given).items()}
            relative = base.means.variances / base.means.variances.mean()
            of_raters = found.scope == "raters like these"
            goal = SystemGoal(
                of_items,
                parts["residual"] * relative,
                pairs,
                parts["item"],
                parts["rater"] * of_raters,
                parts["system_rater"] * of_raters,
            )
            yield replace(base, goal=goal, variances=stage)


def _pairs_asked(spec: CollectionSpec, systems: NDArray[np.str_]) -> Floats:
    """Return which pairs of systems count (S, S): the two that are named, else all."""
    k = len(systems)
    pairs = np.ones((k, k)) - np.eye(k)
    if spec.goal == TWO_SYSTEMS:
        first, second = (
            int(np.flatnonzero(systems == name)[0]) if (systems == name).any() else at
            for at, name in zip((0, 1), (*spec.systems, "", "")[:2], strict=True)
        )
        pairs = np.zeros((k, k))
        if first != second:
            pairs[first, second] = pairs[second, first] = 1.0
    return pairs


@dataclass(frozen=True, eq=False)
class CollectionFound:
    """What further judgments bring: `curves` of each strategy along their number, and `plans` of all of them.

    `who` is what the targeted ones bring by raters so far, by new ones and by both. `wanted` is the goal.
    """

    spec: CollectionSpec
    source: Source
    wanted: float
    plans: Mapping[Strategy, Collected]
    curves: Mapping[Strategy, tuple[tuple[int, ...], tuple[Estimate, ...]]]
    who: Mapping[RatersAsked, tuple[Collected, Estimate]]

    @property
    def reason(self) -> str:
        """Reason why nothing is known, "" where it is."""
        return self.source.reason

    def reaches(self, value: float) -> bool:
        """Return True where a value is what is wanted, or better."""
        return value >= self.wanted if self.source.rises else value <= self.wanted

    @property
    def is_reached(self) -> bool:
        """True where the judgments so far are enough."""
        return self.reaches(self.source.now)

    @property
    def plan(self) -> Collected:
        """Further judgments of the chosen strategy."""
        return self.plans[self.spec.strategy]

    @property
    def after(self) -> Estimate:
        """What the chosen strategy brings."""
        return self.curves[self.spec.strategy][1][-1]

    def needed(self, strategy: Strategy) -> float:
        """Return the further judgments after which a strategy reaches what is wanted; infinite beyond the last."""
        x, found = self.curves[strategy]
        for at, (n, one) in enumerate(zip(x, found, strict=True)):
            if self.reaches(one.value):
                if not at:
                    return float(n)
                before, value = found[at - 1].value, one.value
                part = (self.wanted - before) / (value - before) if value != before else 1.0
                return float(np.ceil(x[at - 1] + part * (n - x[at - 1])))
        return inf


def plan_collection(study: Study, spec: CollectionSpec) -> CollectionFound:
    """Find which further judgments bring most for a goal, and what they bring."""
    return last_of(collection_stages(study, spec))


def collection_stages(study: Study, spec: CollectionSpec) -> Iterator[CollectionFound | Progress]:
    """Yield what further judgments bring, for systems first without what the components leave open."""
    wanted = usual_wanted(study, spec) if spec.wanted is None else spec.wanted
    for stage in ratings_source(study, spec):
        yield stage if isinstance(stage, Progress) else _found(study, spec, stage, wanted)


def _found(study: Study, spec: CollectionSpec, source: Source, wanted: float) -> CollectionFound:
    if source.reason or isnan(source.now):
        return CollectionFound(spec, source, wanted, {}, {}, {})

    def compute() -> CollectionFound:
        plans = {each: source.collect(replace(spec, strategy=each)) for each in STRATEGIES}
        curves = {}
        for strategy, plan in plans.items():
            x = tuple(sorted({round(at) for at in np.linspace(0, len(plan), POINTS + 1).tolist()}))
            curves[strategy] = x, tuple(source.promise(plan.first(at)) for at in x)
        who: dict[RatersAsked, tuple[Collected, Estimate]] = {}
        for raters in ("raters so far", "new raters") if len(source.of_raters) else ():
            plan = source.collect(replace(spec, strategy="targeted", raters=raters))
            who[raters] = plan, source.promise(plan)
        return CollectionFound(spec, source, wanted, plans, curves, who)

    settled = getattr(source, "variances", None)
    drawn = settled is not None and len(next(iter(settled.pilot.drawn.values()), ())) > 0
    return result(key_of(study.dataset, "collection", study.candidate, wanted, drawn, spec), compute)


def assignments(found: CollectionFound) -> pd.DataFrame:
    """Return who judges what, how often, for the chosen strategy, the first to collect first."""
    plan = found.plan
    rater, order = rater_names(found.source.of_raters, plan), np.argsort(plan.rater, kind="stable")
    place = np.zeros(len(plan), dtype=np.int64)
    for code in np.unique(plan.rater).tolist():
        mine = plan.rater == code
        place[mine] = np.arange(1, mine.sum() + 1)
    frame = pd.DataFrame({"rater_id": rater, "order": place, "item_id": found.source.units[plan.item]})
    return frame.iloc[order].reset_index(drop=True)


def rater_names(known: NDArray[np.str_], plan: Collected) -> list[str]:
    """Return the rater of each further judgment: a name so far, or "new rater 1"."""
    there = set(known.tolist())
    prefix = "new rater"
    while any(name.startswith(prefix) for name in there):
        prefix = f"further {prefix}"
    codes = np.unique(plan.rater[plan.rater >= plan.known]).tolist() if len(plan) else []
    wide = len(str(len(codes)))
    new = {code: f"{prefix} {at:0{wide}}" for at, code in enumerate(codes, 1)}
    return [new[code] if code in new else str(known[code]) for code in plan.rater.tolist()]


def collection_template(study: Study, spec: CollectionSpec, found: CollectionFound) -> pd.DataFrame:
    """Return a row per rating to collect, its score empty: filled in, these are further ratings."""
    rows = assignments(found)
    belonging = query(study.whole, "belonging")
    code = {name: at for at, name in enumerate(names(study, "item").tolist())}
    at = rows["item_id"].map(code).to_numpy(dtype=np.int64)
    for column in ("system", "topic"):
        if study.whole.has(column):
            of = dict(zip(belonging["item"].tolist(), belonging[column].tolist(), strict=True))
            label: Sequence[str] = names(study, column).tolist()
            rows[column] = [label[of[one]] if of.get(one, -1) >= 0 else "" for one in at.tolist()]
    if len(study.all_measures) > 1:
        rows["measure"] = spec.measure or study.measures[0]
    if len(study.groups) > 1:
        rows["rater_group"] = study.candidate
    rows["score"] = ""
    return rows
