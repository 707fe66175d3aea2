"""Further judgments to collect: what they bring to a goal, by how they are chosen, and who judges what."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isnan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.planning.collection import STRATEGIES, Collected, RatersAsked, Strategy
from analysis.planning.promises import Source
from analysis.planning.promises_of_choices import PairsSource, unused_names
from analysis.values.estimate import Estimate, InputError
from data.dataset import Dataset
from features.assessments import is_pairs, names
from features.blocks import Progress, last_stage, map_stages
from features.notices import has_repeated_ratings, holding_of
from features.planning.collection_sources import (
    ALL_SYSTEMS,
    CONSISTENCY,
    ITEMS,
    LABELS_RIGHT,
    RELIABILITY,
    SCALE,
    TWO_ON_SCALE,
    TWO_SYSTEMS,
    CollectionSpec,
    repeating_raters,
    source_stages,
    usual_precision,
)
from features.study import NO_REFERENCE, Study, digits_of_scores, key_of, open_study, query, result

MOST_FURTHER = 5000
POINTS = 8
"""Places along the further judgments at which the precision is computed."""
USUAL = {SCALE: 5.0, TWO_ON_SCALE: 5.0, LABELS_RIGHT: 0.95, CONSISTENCY: 0.1}
"""Half-widths in percentage points, the share of right labels, and the half-width of alpha, that many ask for."""


def goals(study: Study) -> list[str]:
    """Return the goals that fit a study."""
    if study.holds_choices:
        return [SCALE, TWO_ON_SCALE] if is_pairs(study) else [LABELS_RIGHT]
    of_systems = [ALL_SYSTEMS, TWO_SYSTEMS] if len(names(study, "system")) > 1 else []
    of_items = [ITEMS, RELIABILITY, *of_systems]
    if not any(repeating_raters(study, measure) for measure in study.measures):
        return of_items
    return (
        [*of_items, CONSISTENCY]
        if has_repeated_ratings(holding_of(study.whole))
        else [CONSISTENCY, *of_items]
    )


def usual_goal(study: Study, spec: CollectionSpec) -> float:
    """Return what many want of a goal."""
    return USUAL[spec.goal] if spec.goal in USUAL else usual_precision(study, spec)


def wanted_of(study: Study, spec: CollectionSpec) -> float:
    return usual_goal(study, spec) if spec.wanted is None else spec.wanted


def is_settled(study: Study, spec: CollectionSpec) -> bool:
    """Return True where nothing is to be collected: the goal is reached, or nothing is known of it."""
    source = next(stage for stage in source_stages(study, spec) if not isinstance(stage, Progress))
    return CollectionFound(spec, source, wanted_of(study, spec), {}, {}, {}).is_settled


@dataclass(frozen=True, eq=False)
class CollectionFound:
    """Effects of further judgments: `curves` of each strategy along their number, and `plans` of all of them.

    `by_raters` is what equally many targeted ones bring by the raters so far and by new ones. `wanted` is the goal, and
    `score_digits` are the decimals of means.
    """

    spec: CollectionSpec
    source: Source
    wanted: float
    plans: Mapping[Strategy, Collected]
    curves: Mapping[Strategy, tuple[tuple[int, ...], tuple[Estimate, ...]]]
    by_raters: Mapping[RatersAsked, tuple[Collected, Estimate]]
    score_digits: int = 2

    @property
    def reason(self) -> str:
        """Reason why nothing is known, "" where it is."""
        return self.source.reason

    def reaches(self, value: float) -> bool:
        """Return True where a value is what is wanted, or better."""
        return value >= self.wanted if self.source.rises else value <= self.wanted

    @property
    def is_reached(self) -> bool:
        return self.reaches(self.source.now)

    @property
    def is_settled(self) -> bool:
        return bool(self.reason) or isnan(self.source.now) or self.is_reached

    @property
    def plan(self) -> Collected:
        """Further judgments of the chosen strategy."""
        return self.plans[self.spec.strategy]

    @property
    def after(self) -> Estimate:
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
    return last_stage(collection_stages(study, spec))


def collection_stages(study: Study, spec: CollectionSpec) -> Iterator[CollectionFound | Progress]:
    """Yield what further judgments bring, for systems first without what the components leave open."""
    wanted = wanted_of(study, spec)
    yield from map_stages(source_stages(study, spec), partial(_find, study, spec, wanted))


def _find(study: Study, spec: CollectionSpec, wanted: float, source: Source) -> CollectionFound:
    digits = 2 if study.holds_choices else digits_of_scores(study, spec.measure or study.measures[0])
    if source.reason or isnan(source.now):
        return CollectionFound(spec, source, wanted, {}, {}, {}, digits)

    def compute() -> CollectionFound:
        plans = {each: source.collect(replace(spec.asked, strategy=each)) for each in STRATEGIES}
        curves = {}
        for strategy, plan in plans.items():
            x = tuple(sorted({round(at) for at in np.linspace(0, len(plan), POINTS + 1).tolist()}))
            curves[strategy] = x, tuple(source.promise(plan.first(at)) for at in x)
        asked: tuple[RatersAsked, ...] = (
            ("raters so far", "new raters") if len(source.raters) and spec.goal != CONSISTENCY else ()
        )
        by = {one: source.collect(replace(spec.asked, strategy="targeted", raters=one)) for one in asked}
        equal = min(map(len, by.values()), default=0)
        by_raters = {one: (plan.first(equal), source.promise(plan.first(equal))) for one, plan in by.items()}
        return CollectionFound(spec, source, wanted, plans, curves, by_raters, digits)

    pilot = getattr(source, "pilot", None)
    drawn = pilot is not None and len(next(iter(pilot.drawn.values()), ())) > 0
    return result(key_of(study.dataset, "collection", study.candidate, wanted, drawn, spec), compute)


@dataclass(frozen=True, eq=False)
class Kept:
    """A promise and its result: `now` was found with `n` judgments more than in the version `before`."""

    before: Dataset
    n: int
    now: float
    promise: Estimate


def compare_promise(found: CollectionFound, study: Study, before: Dataset) -> Kept | None:
    """Return what so many further judgments promised in the version before; None where it has no fewer."""
    spec = found.spec
    measures = (spec.measure,) if spec.measure else ()
    try:
        earlier = open_study(before, candidate=study.candidate, reference=NO_REFERENCE, measures=measures)
        so_far = plan_collection(earlier, replace(spec, further=1))
    except InputError:
        return None
    n = int(found.source.counts.sum() - so_far.source.counts.sum())
    if so_far.reason or found.reason or n < 1:
        return None
    promise = plan_collection(earlier, replace(spec, further=min(n, MOST_FURTHER)))
    return (
        Kept(before, n, found.source.now, promise.after) if promise.plans and promise.after.defined else None
    )


def rater_names(known: NDArray[np.str_], plan: Collected) -> list[str]:
    """Return the rater of each further judgment: a name so far, or "new rater 1"."""
    codes = np.unique(plan.rater[plan.rater >= plan.known]).tolist()
    new = dict(zip(codes, unused_names("new rater", known.tolist(), len(codes)), strict=True))
    return [new[code] if code in new else str(known[code]) for code in plan.rater.tolist()]


def collection_template(study: Study, spec: CollectionSpec, found: CollectionFound) -> pd.DataFrame:
    """Return a row per judgment to collect, each rater's in the order of their worth, to be filled in."""
    source, plan = found.source, found.plan
    order = np.argsort(plan.rater, kind="stable")
    before = np.r_[0, np.cumsum(np.bincount(plan.rater))]
    place = np.empty(len(plan), dtype=np.int64)
    place[order] = np.arange(len(plan)) - before[plan.rater[order]] + 1
    rows = pd.DataFrame({"rater_id": rater_names(source.raters, plan), "order": place})
    if isinstance(source, PairsSource):
        rows = rows.assign(**source.columns(plan))
    else:
        rows["item_id"] = source.units[plan.item]
    if not study.holds_choices:
        rows = rows.assign(**_belonging(study, rows["item_id"].tolist()))
        if study.whole.has("measure"):
            rows["measure"] = spec.measure or study.measures[0]
        if study.whole.has("rater_group"):
            rows["rater_group"] = study.candidate
    rows["choice" if study.holds_choices else "score"] = ""
    return rows.iloc[order].reset_index(drop=True)


def _belonging(study: Study, items: list[str]) -> dict[str, list[str]]:
    """Return the system and topic of each of these items, where the study has these columns."""
    rows = query(study.whole, "belonging")
    code = {name: at for at, name in enumerate(names(study, "item").tolist())}
    found = {}
    for column in ("system", "topic"):
        if study.whole.has(column):
            of = dict(zip(rows["item"].tolist(), rows[column].tolist(), strict=True))
            labels = [*names(study, column).tolist(), ""]
            found[column] = [labels[of.get(code[item], -1)] for item in items]
    return found
