"""Rules that exclude raters, applied again in each bootstrap sample of raters and topics."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.reliability import rater_reliability
from analysis.assessors.consistency import Assessments, consistency_on_texts
from analysis.assessors.exclusion_intervals import (
    Intervals,
    RankingChange,
    RaterFilter,
    ScoreIntervals,
    draw_intervals,
    empty_intervals,
    ranking_change,
    score_intervals,
)
from analysis.assessors.system_model import (
    NOT_CONNECTED,
    additive_means,
    additive_means_with_raters,
    cell_means,
    is_complete,
    plain_means,
    too_large_reason,
)
from analysis.pairs.paired_differences import PairedDifferences, compare_cells, undefined_differences
from analysis.pairs.system_table import Cells, build_cells
from analysis.screening.observer_rejection import Divisor, bt500, indices_below, lowest_indices, p913
from analysis.values.estimate import (
    BootstrapSpec,
    Codes,
    Estimate,
    Flags,
    Floats,
    InputError,
    OnProgress,
    Scope,
    chosen_scope,
)

Kind = Literal[
    "lowest on texts", "below on texts", "lowest with others", "below with others", "BT.500", "P.913"
]
MOST_WORK = 30_000_000
"""Ratings x samples up to which a rule is applied in each bootstrap sample: about half a minute."""
_WORK_OF_P913 = 5
NO_BOOTSTRAP = BootstrapSpec(0)


@dataclass(frozen=True)
class ExclusionRule:
    """Rule that selects the raters to exclude by one measure's ratings.

    "on texts" is alpha on identical texts, "with others" the correlation with the others' mean: the `how_many` lowest,
    or those below `limit`; `divisor` is that of BT.500.
    """

    kind: Kind
    how_many: int = 1
    limit: float = 0.5
    divisor: Divisor = "n - 1"

    @property
    def uses_identical_texts(self) -> bool:
        """True if the rule compares a rater's judgments of identical texts, False if it compares raters."""
        return self.kind.endswith("on texts")

    def find_raters(self, assessments: Assessments) -> Codes:
        """Return the codes of the raters that the rule excludes."""
        if self.kind == "BT.500":
            screened = bt500(assessments.ratings(), self.divisor)
            return np.asarray(screened.raters[screened.rejected], dtype=np.int64)
        if self.kind == "P.913":
            judged = p913(assessments.ratings(), assessments.system if assessments.has_systems else None)
            return np.asarray(judged.raters[judged.rejected], dtype=np.int64)
        if self.uses_identical_texts:
            texts = consistency_on_texts(
                assessments.rater, assessments.text, assessments.score, None, NO_BOOTSTRAP
            )
            raters, values = texts.raters, np.array([estimate.value for estimate in texts.alpha])
        else:
            others = rater_reliability(assessments.ratings())
            raters, values = others.raters, others.correlation
        lowest_first = self.kind.startswith("lowest")
        is_excluded = (
            lowest_indices(values, self.how_many) if lowest_first else indices_below(values, self.limit)
        )
        return np.asarray(raters[is_excluded], dtype=np.int64)

    def is_too_slow(self, ratings: int, draws: int) -> bool:
        """Return True if applying the rule in so many bootstrap samples takes too long."""
        return ratings * draws * (_WORK_OF_P913 if self.kind == "P.913" else 1) > MOST_WORK

    def sample_filter(
        self, assessments: Assessments, table: Cells, excluded_by_hand: tuple[int, ...] = ()
    ) -> RaterFilter:
        """Return the function that gives the included raters of a bootstrap sample; those `excluded_by_hand` never are.

        A topic drawn twice is two topics with different items. A rater drawn twice counts twice among the others, but
        is not compared with the copy (for texts, where no other rater matters, once).
        """
        rater = _find_positions(table.raters, assessments.rater)
        topic = _find_positions(table.topics, assessments.block)
        rows = np.flatnonzero((rater >= 0) & (topic >= 0))
        ranked = _select_rows(assessments, rows)
        rater, topic = rater[rows], topic[rows]
        is_excluded_by_hand = np.isin(table.raters, excluded_by_hand)

        def stays(raters: Codes, topics: Codes) -> Flags:
            times = np.minimum(raters, 1) if self.uses_identical_texts else raters
            return ~is_excluded_by_hand & ~np.isin(
                table.raters, self.find_raters(_resample_ratings(ranked, times[rater], topics[topic]))
            )

        return stays


def _find_positions(known_ids: NDArray[np.int64], ids: Codes) -> Codes:
    """Return the position of each id in the ascending known ids, -1 if it is missing."""
    at = np.clip(np.searchsorted(known_ids, ids), 0, max(len(known_ids) - 1, 0))
    return np.where(known_ids[at] == ids, at, -1) if len(known_ids) else np.full(len(ids), -1)


def _resample_ratings(assessments: Assessments, times: Codes, copies: Codes) -> Assessments:
    """Repeat each rating as often as its rater was drawn, in as many copies of its topic."""
    rows = np.repeat(np.arange(len(assessments)), times * copies)
    copy = (np.arange(len(rows)) - np.searchsorted(rows, rows)) % np.maximum(copies[rows], 1)
    resampled = _select_rows(assessments, rows)
    items, texts = int(assessments.item.max(initial=0)) + 1, int(assessments.text.max(initial=0)) + 1
    return replace(
        resampled,
        item=resampled.item + copy * items,
        text=np.where(resampled.text >= 0, resampled.text + copy * texts, -1),
    )


def _select_rows(assessments: Assessments, rows: Codes) -> Assessments:
    return Assessments(
        assessments.measure,
        assessments.item[rows],
        assessments.rater[rows],
        assessments.score[rows],
        assessments.order[rows],
        assessments.seconds[rows],
        assessments.system[rows],
        assessments.topic[rows],
        assessments.condition[rows],
        assessments.split[rows],
        assessments.text[rows],
    )


Method = Literal["automatic", "additive", "plain"]
EVERYONE_OUT = "all raters are left out, so there is nobody to rank by"
NOBODY_OUT = "nobody is left out, so nothing changes"
NO_RATINGS = "there are no ratings"
PLAIN_MEANS = "pairs are compared by the additive model, and plain means are of different topics here"


def check_method(method: str) -> None:
    """Raise an error for an unknown method."""
    if method not in get_args(Method):
        allowed = ", ".join(f'"{name}"' for name in get_args(Method))
        raise InputError(f"`method` must be one of {allowed}, got {method!r}")


@dataclass(frozen=True)
class ExclusionSpec:
    """Settings of scores and of their intervals.

    `method`: "plain" is the mean over topics, "additive" the model system + topic, "automatic" the model where
    cells are missing and it can be fitted. `random` how many random exclusions, `draws` of the intervals. `scope` of
    intervals and pairs: None for raters like these from 6 raters on. `has_topics` is False where topics stand for items
    that each belong to one system.

    Raises
    ------
    InputError
        where a value is not allowed.
    """

    method: Method = "automatic"
    random: int = 200
    draws: int = 1000
    seed: int = 0
    level: float = 0.95
    scope: Scope | None = None
    has_topics: bool = True

    def __post_init__(self) -> None:
        check_method(self.method)
        for name, number in (("random", self.random), ("draws", self.draws)):
            if number < 0:
                raise InputError(f"`{name}` must be 0 (none) or more, got {number}")
        if not 0 < self.level < 1:
            raise InputError(f"`level` must be between 0 and 1, got {self.level}")


@dataclass(frozen=True, eq=False)
class Exclusion:
    """Scores and ranking before and after the exclusion of some raters.

    `systems` (s,) ids; `before`, `after` (s,) scores, NaN for a system without ratings; `method` used and the reason
    for it (`why`); `excluded` ids that had ratings; `ratings`, `topics`, `raters` before and `…_left` after; `reason`
    for which nothing is compared.
    """

    systems: NDArray[Any]
    before: Floats
    after: Floats
    change: RankingChange
    method: Literal["additive", "plain"]
    why: str
    excluded: tuple[Any, ...]
    ratings: int
    ratings_left: int
    topics: int
    topics_left: int
    raters: int
    raters_left: int
    reason: str = ""

    @property
    def lost(self) -> tuple[Any, ...]:
        """Systems without remaining ratings."""
        return self.change.lost


def system_scores(
    system: ArrayLike, topic: ArrayLike, rater: ArrayLike, score: ArrayLike, without: Iterable[Any] = ()
) -> dict[Any, float]:
    """Compute each system's mean over topics of the topic's mean.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    without : ids of raters to exclude; ids without ratings have no effect

    Returns
    -------
    dict
        system -> score; a system without ratings is not in it.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    Where systems miss different topics, see `additive_scores`.
    Source: Owczarzak et al. 2012, section 3; methods, section 3.

    >>> system_scores(["a", "a", "a", "b"], [1, 1, 2, 1], ["x", "y", "x", "x"], [1, 3, 5, 4])
    {'a': 3.5, 'b': 4.0}
    """
    table = build_cells(system, topic, rater, score)
    return _scores_by_system(
        table, plain_means(table, cell_means(table, included_raters(table, without))[None])[0]
    )


def additive_scores(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    without: Iterable[Any] = (),
    raters: bool = False,
) -> dict[Any, float]:
    """Compute each system's mean over *all* remaining topics, by least squares on the cells' means.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    without : ids of raters to exclude
    raters : True for a term for raters; the cells are then (system, topic, rater)

    Returns
    -------
    dict
        system -> score, without systems that have no ratings; all NaN if groups of systems share no topic, or if there
        are too many systems.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    Equals `system_scores` if no cell is missing. A score is the mean over topics of the fitted values (with raters:
    over topics, of the mean over the topic's raters).
    Source: Searle 1971, Linear Models, section 7.1; methods, section 3.

    >>> scores = additive_scores(["a", "a", "b"], [1, 2, 1], ["x", "x", "x"], [1, 5, 4])
    >>> {system: round(score, 9) for system, score in scores.items()}
    {'a': 3.0, 'b': 6.0}
    """
    table = build_cells(system, topic, rater, score)
    keep = included_raters(table, without)
    means = cell_means(table, keep)
    if raters:
        scores, _ = additive_means_with_raters(table, keep)
    elif too_large_reason(table):
        scores = np.full(len(table.systems), nan)
    else:
        scores = additive_means(table, means[None])[0]
    has_ratings = np.bincount(table.system, ~np.isnan(means), len(table.systems)) > 0
    return dict(zip(table.systems[has_ratings].tolist(), scores[has_ratings].tolist(), strict=True))


def exclusion(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    without: Iterable[Any] = (),
    spec: ExclusionSpec = ExclusionSpec(),
) -> Exclusion:
    """Compare scores and ranking of systems before and after some raters are excluded, without intervals.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    without : ids of the raters to exclude
    spec : only its `method` is used

    Returns
    -------
    Exclusion
        scores (s,) before and after, NaN for systems without ratings, and the change of the ranking.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    Before and after share data, so that the correlations are near 1 by construction: see `random_drops`. Both use the
    same method.
    Source: Owczarzak et al. 2012, section 3, Table 2; methods, section 3.
    """
    return exclusion_of_cells(build_cells(system, topic, rater, score), without, spec)


def intervals(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    point: Exclusion,
    spec: ExclusionSpec = ExclusionSpec(),
    on_progress: OnProgress = None,
    rule: tuple[ExclusionRule, Assessments, tuple[int, ...]] | None = None,
) -> Intervals:
    """Estimate intervals of all scores before and after, and of their difference.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    point : result of `exclusion` on the same ratings
    spec : draws, seed and level
    on_progress : called between blocks with the share done
    rule : rule, its assessments, and raters excluded by hand, to apply in each bootstrap sample; without it, or where
        that takes too long, the same raters are excluded in every sample

    Returns
    -------
    Intervals
        (s,) each; NaN with a reason if there is nothing to resample.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    See `analysis.assessors.exclusion_intervals`.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2; methods, section 0.
    """
    return intervals_of_cells(build_cells(system, topic, rater, score), point, spec, on_progress, rule)


def intervals_of_cells(
    table: Cells,
    point: Exclusion,
    spec: ExclusionSpec,
    on_progress: OnProgress = None,
    rule: tuple[ExclusionRule, Assessments, tuple[int, ...]] | None = None,
    everyone: ScoreIntervals | None = None,
) -> Intervals:
    """Estimate `intervals` from a table of systems by topics (methods, section 0), with known ones of `everyone`."""
    if point.reason not in ("", NOBODY_OUT):
        return empty_intervals(len(table.systems), point.reason)
    keep = included_raters(table, point.excluded)
    scope = chosen_scope(spec.scope, point.raters_left)
    before = everyone or intervals_of_everyone(table, point.method, spec, scope)
    pairs = before.pairs, before.pairs if keep.all() else _compare_pairs(table, keep, spec, scope)
    if spec.method == "plain" and spec.has_topics and not is_complete(table, cell_means(table, keep)):
        pairs = (undefined_differences(len(table.systems), PLAIN_MEANS, scope),) * 2
    reapply = rule is not None and not rule[0].is_too_slow(len(rule[1]), spec.draws)
    return draw_intervals(
        table,
        keep,
        point.method,
        _bootstrap_of(spec),
        (point.before, point.after),
        on_progress,
        rule[0].sample_filter(rule[1], table, rule[2]) if rule is not None and reapply else None,
        scope,
        pairs,
        before,
    )


def intervals_of_everyone(
    table: Cells, method: Literal["additive", "plain"], spec: ExclusionSpec, scope: Scope
) -> ScoreIntervals:
    """Estimate intervals of all scores by all raters, the same for every exclusion with this method and scope."""
    all_raters = np.ones(len(table.raters), dtype=bool)
    pairs = _compare_pairs(table, None, spec, scope)
    return score_intervals(table, all_raters, method, _bootstrap_of(spec), scope, pairs)


def _compare_pairs(
    table: Cells, keep: NDArray[np.bool_] | None, spec: ExclusionSpec, scope: Scope
) -> PairedDifferences:
    return compare_cells(table, keep, scope, spec.level, spec.has_topics)


def _bootstrap_of(spec: ExclusionSpec) -> BootstrapSpec:
    return BootstrapSpec(spec.draws, spec.seed, spec.level)


def included_raters(table: Cells, without: Iterable[Any]) -> NDArray[np.bool_]:
    """Return the mask of the raters that are not excluded (w,)."""
    excluded = set(without)
    return np.array([rater not in excluded for rater in table.raters.tolist()], dtype=bool)


def exclusion_of_cells(table: Cells, without: Iterable[Any], spec: ExclusionSpec) -> Exclusion:
    """Compute `exclusion` from a table of systems by topics (methods, section 3)."""
    keep = included_raters(table, without)
    all_means, remaining_means = cell_means(table, np.ones(len(keep), dtype=bool)), cell_means(table, keep)
    ratings_left = int(table.counts[keep[table.rater]].sum())
    return _exclusion(table, all_means, remaining_means, table.raters, keep, ratings_left, spec)


def exclusion_of_sums(
    table: Cells, remaining: Cells, raters: NDArray[Any], without: Iterable[Any], spec: ExclusionSpec
) -> Exclusion:
    """Compute `exclusion` from the sums of each cell by all `raters` (w,) and by the remaining ones (methods, 3)."""
    mask = np.ones(1, dtype=bool)
    topics = int(table.topics.max(initial=0)) + 2
    all_cells, remaining_cells = (
        each.systems[each.system] * topics + each.topics[each.topic] + 1 for each in (table, remaining)
    )
    means = np.full(len(all_cells), nan)
    means[np.searchsorted(all_cells, remaining_cells)] = cell_means(remaining, mask)
    keep = ~np.isin(raters, list(without))
    return _exclusion(table, cell_means(table, mask), means, raters, keep, int(remaining.counts.sum()), spec)


def _exclusion(
    table: Cells,
    all_means: Floats,
    remaining_means: Floats,
    raters: NDArray[Any],
    keep: NDArray[np.bool_],
    ratings_left: int,
    spec: ExclusionSpec,
) -> Exclusion:
    scores = scores_before_and_after(table, all_means, remaining_means[None], spec.method)
    before, after, modelled, failure = scores[0][0], scores[1][0], bool(scores[2][0]), scores[3]
    method: Literal["additive", "plain"] = "additive" if modelled else "plain"
    has_mean = ~np.isnan(remaining_means)
    reason = (
        NO_RATINGS
        if not len(keep)
        else EVERYONE_OUT
        if not keep.any()
        else NOBODY_OUT
        if keep.all()
        else failure
        if modelled
        else ""
    )
    change = ranking_change(table.systems, before, after)
    has_ratings = np.bincount(table.system, has_mean, len(table.systems)) > 0
    change = replace(change, lost=tuple(table.systems[~has_ratings].tolist()))
    if not change.pearson.defined and reason not in ("", NOBODY_OUT):
        undefined = Estimate(nan, n=change.pearson.n, reason=reason)
        change = replace(change, pearson=undefined, spearman=undefined)
    return Exclusion(
        table.systems,
        before,
        after,
        change,
        method,
        _method_reason(spec.method, modelled, failure),
        tuple(raters[~keep].tolist()),
        int(table.counts.sum()),
        ratings_left,
        len(table.topics),
        len(np.unique(table.topic[has_mean])),
        len(keep),
        int(keep.sum()),
        reason,
    )


def scores_before_and_after(
    table: Cells, all_means: Floats, remaining_means: Floats, method: Method, versions: int = 1
) -> tuple[Floats, Floats, NDArray[np.bool_], str]:
    """Compute scores (k, s) before and after each of k exclusions, from the cells' means without them (k, c).

    Return also where the additive model was used (k,), and why it failed. Both sides use the same method; `versions` is
    as for `too_large_reason`.
    """
    before, after = (
        np.tile(plain_means(table, all_means[None]), (len(remaining_means), 1)),
        plain_means(table, remaining_means),
    )
    modelled = np.full(len(remaining_means), method == "additive")
    if method == "automatic":
        modelled |= not is_complete(table, all_means)
        modelled |= [not is_complete(table, means) for means in remaining_means]
    if not modelled.any():
        return before, after, modelled, ""
    failure = too_large_reason(table, versions)
    means = np.vstack([all_means, remaining_means[modelled]])
    fitted = np.full((len(means), len(table.systems)), nan) if failure else additive_means(table, means)
    failed = np.isnan(fitted).all(axis=1) & ~np.isnan(means).all(axis=1)
    if failed.any():
        failure = failure or NOT_CONNECTED
    if method == "automatic":
        fits = ~(failed[1:] | failed[0])
        modelled[modelled] = fits
        fitted = np.vstack([fitted[:1], fitted[1:][fits]])
    before[modelled], after[modelled] = fitted[0], fitted[1:]
    return before, after, modelled, failure


def _method_reason(method: Method, modelled: bool, failure: str) -> str:
    if method != "automatic":
        return failure or "chosen"
    if modelled:
        return "some systems have no ratings in some topics"
    return failure or "no cell is missing, and then the additive model gives the same"


def _scores_by_system(table: Cells, scores: Floats) -> dict[Any, float]:
    has_score = ~np.isnan(scores)
    return dict(zip(table.systems[has_score].tolist(), scores[has_score].tolist(), strict=True))
