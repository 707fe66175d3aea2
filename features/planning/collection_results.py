"""Goals of further judgments, what is known so far, and what these are expected to bring."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isnan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.intraclass import spearman_brown
from analysis.pairs.paired_differences import paired_differences
from analysis.planning.collection import STRATEGIES, Collected, RatersAsked, Strategy
from analysis.planning.collection_choices import all_pairs
from analysis.planning.promises import (
    LACKING,
    NONE,
    WIDER,
    Asked,
    RatingsSource,
    RepeatsSource,
    Source,
    differences_source,
    own_repeats,
    pair_of,
    ratings_of,
    root_mean_square,
)
from analysis.planning.promises_of_choices import (
    FEWEST_VOTES,
    PairsSource,
    labels_source,
    part_of_raters,
    places_on_scale,
    points_of,
    unused_names,
)
from analysis.systems.bradley_terry import ON
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, InputError, Scope
from analysis.values.ratings import Ratings, coded
from data.dataset import Dataset
from features.assessments import assessments, clusters_of_items, is_pairs, names, of_group, polls
from features.blocks import Progress, for_raters, last_stage, map_stages
from features.notices import has_repeated_ratings, holding_of
from features.planning.variances import OPEN, Variances, VariancesSpec, usual_difference, variance_stages
from features.planning.votes import open_votes
from features.plotting.theme import count, decimal, estimate_with_interval
from features.raters import rater_results
from features.repetitions.ratings_results import score_span, spread_of
from features.study import NO_REFERENCE, Study, digits_of_scores, key_of, open_study, query, ratings, result
from features.systems.scale_results import ScaleSpec, SystemsOnScale, scale_stages, usable
from features.words import counted

ITEMS, RELIABILITY = "every item's mean", "reliability of item means"
ALL_SYSTEMS, TWO_SYSTEMS = "differences of all systems", "difference of two systems"
CONSISTENCY = "a rater's consistency"
SCALE, TWO_ON_SCALE = "a preference scale of all systems", "two systems on the scale"
LABELS_RIGHT = "labels that are right"
MOST_ITEMS, MOST_CELLS = 20_000, 4_000_000
"""Items, and items times raters, up to which all items are considered; a random sample of more."""
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

    @property
    def asked(self) -> Asked:
        return Asked(self.further, self.strategy, self.raters, self.cap, self.new, self.seed)


def usual_precision(study: Study, spec: CollectionSpec) -> float:
    """Return a precision that many ask for: of means 6, of differences 7.5 of 100 of the range of the scores."""
    if spec.goal == RELIABILITY:
        return 0.8
    range_of = score_span(study, spec.measure or study.measures[0])
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
    rater_names = names(study, "rater")[found.raters].tolist()
    known = [
        (name, alpha) for name, alpha in zip(rater_names, found.alpha, strict=True) if alpha.low == alpha.low
    ]
    return dict(sorted(known, key=lambda one: one[1].low - one[1].high))


def _of_repeats(study: Study, spec: CollectionSpec, measure: str) -> Source:
    alpha_by_rater = repeating_raters(study, measure)
    if not alpha_by_rater or (spec.rater and spec.rater not in alpha_by_rater):
        rater_name = spec.rater or "no rater"
        return replace(
            LACKING, reason=f"{rater_name} has too few items judged twice for an interval of alpha"
        )
    name = spec.rater or next(iter(alpha_by_rater))
    a = assessments(study, measure)
    is_by_rater = names(study, "rater")[a.rater] == name
    texts = rater_results.ranks_by_texts(study, measure)
    is_by_rater &= (a.text >= 0) if texts else True
    unit, first = np.unique((a.text if texts else a.item)[is_by_rater], return_index=True)
    item, topic = a.item[is_by_rater][first], a.topic[is_by_rater][first]
    has_topics = bool((topic >= 0).all())
    blocks, block = np.unique(topic if has_topics else item, return_inverse=True)
    own = own_repeats((a.text if texts else a.item)[is_by_rater], a.score[is_by_rater], block)
    alpha = alpha_by_rater[name]
    return RepeatsSource(
        names(study, "item")[item],
        np.array([name]),
        own.counts,
        now=(alpha.high - alpha.low) / 2,
        size=(
            f"alpha {estimate_with_interval(alpha)}",
            counted(own.repeated, "set" if texts else "item") + " judged twice",
        ),
        of=len(unit),
        seed=spec.seed,
        own=own,
        topics=names(study, "topic" if has_topics else "item")[blocks],
        has_topics=has_topics,
    )


def _of_ratings(study: Study, spec: CollectionSpec) -> Iterator[Source | Progress]:
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
        now, widest = float(base.means.current_half_widths.max()), score_span(study, measure)
        reason = f"now ±\u00a0{decimal(now)}, {WIDER}" if now > widest else ""
        yield replace(base, goal=base.means.goal, now=now, widest=widest, reason=reason)
    else:
        yield from _of_systems(study, spec, measure, base, item_of)


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
    asks_for_all = spec.goal != TWO_SYSTEMS
    pairs = all_pairs(len(present)) if asks_for_all else pair_of(systems[present], spec.systems)
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

    def promise(variances: Variances) -> RatingsSource:
        if variances.reason:
            return replace(base, reason=variances.reason)
        return differences_source(base, found, variances.pilot, of_items, pairs)

    spec_of_open = VariancesSpec(OPEN, measure)
    yield from map_stages(variance_stages(study, spec_of_open, about_systems=False), promise)


def source_stages(study: Study, spec: CollectionSpec) -> Iterator[Source | Progress]:
    """Yield the judgments so far under a goal; for systems first without what the components leave open."""
    if not study.holds_choices:
        yield from _of_ratings(study, spec)
        return
    if not is_pairs(study):
        yield _of_labels(study, spec)
        return
    for stage in scale_stages(study, ScaleSpec(weighted=False)):
        if isinstance(stage, Progress):
            yield stage
        else:
            found = stage
    yield _of_pairs(study, spec, found)


def _of_pairs(study: Study, spec: CollectionSpec, found: SystemsOnScale) -> Source:
    scale, intervals, votes = found.scale, usable(found.intervals), found.votes
    on = np.flatnonzero(scale.position == ON)
    if intervals is None or len(on) < 2:
        reason = found.intervals.reason if found.intervals else "the systems are not on one scale"
        return replace(LACKING, reason=reason or "the systems are not on one scale")
    systems = scale.systems[on].astype(str)
    both = np.ix_(on, on)
    compared = scale.compared[both]
    pairs = all_pairs(len(on))
    if spec.goal == TWO_ON_SCALE:
        pairs = pair_of(systems, spec.systems)
    half = root_mean_square(((intervals.difference_high - intervals.difference_low) / 2)[both], pairs)
    place, item, rater, item_of, rater_of = places_on_scale(votes, on)
    raters = names(study, "rater")[rater_of] if study.raters_are_persons else NONE
    first, second = np.triu_indices(len(on), 1)
    return PairsSource(
        np.array([f"{systems[a]} – {systems[b]}" for a, b in zip(first, second, strict=True)]),
        raters,
        compared[first, second],
        now=float(points_of(half)),
        size=(
            counted(len(on), "system"),
            counted(int(compared.sum() / 2), "comparison"),
            counted(len(raters), "rater") if len(raters) else "",
        ),
        of=len(first),
        seed=spec.seed,
        reason="" if half == half else "the two systems are not on one scale",
        systems=systems,
        strengths=scale.strength[on],
        tie=0.0 if np.isnan(scale.tie) else scale.tie,
        offered=float(scale.offered[both].sum() / max(compared.sum(), 1)),
        compared=compared,
        pairs=pairs,
        half=half,
        of_raters=part_of_raters(scale, votes.comparisons, votes.item, votes.rater, on, pairs)
        if len(raters)
        else (0.0, 0.0),
        place=place,
        item=item,
        rater=rater,
        items=names(study, "item")[item_of],
    )


def _of_labels(study: Study, spec: CollectionSpec) -> Source:
    known, poll = open_votes(study), polls(study)[0]
    if known is None:
        return replace(
            LACKING, reason=f"how often votes are right needs known answers or {FEWEST_VOTES} votes per item"
        )
    if known.accuracy <= 1 / known.options:
        return replace(LACKING, reason="votes are no better than chance")
    answer = poll.gold if (poll.gold >= 0).any() else poll.expert
    key = key_of(study.dataset, "gains of labels", study.candidate, spec.seed)
    source = result(
        key, lambda: labels_source(poll.votes, answer, known, poll.item_names, poll.rater_names, spec.seed)
    )
    votes, checked = poll.votes, int((answer >= 0).sum())
    told = f"answers of {count(checked)} known" if checked else ""
    return replace(source, size=(counted(votes.items, "item"), counted(votes.raters, "rater"), told))


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
