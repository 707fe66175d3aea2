"""Rules by which raters are left out, such that a draw of raters and topics can apply them anew."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.reliability import rater_reliability
from analysis.assessors.consistency import Assessments, identical_texts
from analysis.assessors.exclusion_intervals import (
    Intervals,
    RankingChange,
    Stays,
    compare_both,
    draw_intervals,
    no_intervals,
    ranking_change,
)
from analysis.assessors.system_model import (
    NOT_CONNECTED,
    additive_means,
    additive_means_with_raters,
    cannot_model,
    is_complete,
    kept_means,
    plain_means,
)
from analysis.pairs.paired_differences import no_differences
from analysis.pairs.system_table import Cells, cells
from analysis.screening.observer_rejection import Divisor, below, bt500, lowest, p913
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
"""Ratings x draws up to which a rule is applied anew in each draw: some half a minute."""
_WORK_OF_P913 = 5
NONE = BootstrapSpec(0)


@dataclass(frozen=True)
class ExclusionRule:
    """Whom to leave out by one measure's ratings.

    "on texts" is alpha on identical texts, "with others" the correlation with the others' mean: the `how_many` lowest,
    or those below `limit`; `divisor` is that of BT.500.
    """

    kind: Kind
    how_many: int = 1
    limit: float = 0.5
    divisor: Divisor = "n - 1"

    @property
    def looks_at_repeats(self) -> bool:
        """True where a rater's judgments are compared with each other; otherwise raters are compared."""
        return self.kind.endswith("on texts")

    def chosen(self, of: Assessments) -> Codes:
        """Codes of the raters that the rule finds."""
        if self.kind == "BT.500":
            screened = bt500(of.ratings(), self.divisor)
            return np.asarray(screened.raters[screened.rejected], dtype=np.int64)
        if self.kind == "P.913":
            judged = p913(of.ratings(), of.system if of.has_systems else None)
            return np.asarray(judged.raters[judged.rejected], dtype=np.int64)
        if self.looks_at_repeats:
            own = identical_texts(of.rater, of.text, of.score, None, NONE)
            raters, values = own.raters, np.array([estimate.value for estimate in own.alpha])
        else:
            others = rater_reliability(of.ratings())
            raters, values = others.raters, others.correlation
        lowest_first = self.kind.startswith("lowest")
        found = lowest(values, self.how_many) if lowest_first else below(values, self.limit)
        return np.asarray(raters[found], dtype=np.int64)

    def too_much_work(self, ratings: int, draws: int) -> bool:
        """Return True where so many draws would take too long."""
        return ratings * draws * (_WORK_OF_P913 if self.kind == "P.913" else 1) > MOST_WORK

    def in_draws(self, of: Assessments, table: Cells, by_hand: tuple[int, ...] = ()) -> Stays:
        """Return who stays in a draw of the raters and topics of a table; those picked by hand never do.

        A topic drawn twice is two topics with other items; a rater drawn twice counts twice among the others, but is
        not held against himself (for texts, where nobody else matters, once).
        """
        rater = _places(table.raters, of.rater)
        topic = _places(table.topics, of.block)
        known = np.flatnonzero((rater >= 0) & (topic >= 0))
        kept = _rows(of, known)
        rater, topic = rater[known], topic[known]
        hand = np.isin(table.raters, by_hand)

        def stays(raters: Codes, topics: Codes) -> Flags:
            times = np.minimum(raters, 1) if self.looks_at_repeats else raters
            return ~hand & ~np.isin(table.raters, self.chosen(_drawn(kept, times[rater], topics[topic])))

        return stays


def _places(ids: NDArray[np.int64], given: Codes) -> Codes:
    """Return where each is among the ascending ids, -1 where it is not."""
    at = np.clip(np.searchsorted(ids, given), 0, max(len(ids) - 1, 0))
    return np.where(ids[at] == given, at, -1) if len(ids) else np.full(len(given), -1)


def _drawn(of: Assessments, times: Codes, copies: Codes) -> Assessments:
    """The ratings, each as often as its rater was drawn, in as many copies of its topic."""
    rows = np.repeat(np.arange(len(of)), times * copies)
    copy = (np.arange(len(rows)) - np.searchsorted(rows, rows)) % np.maximum(copies[rows], 1)
    drawn = _rows(of, rows)
    items, texts = int(of.item.max(initial=0)) + 1, int(of.text.max(initial=0)) + 1
    return replace(
        drawn, item=drawn.item + copy * items, text=np.where(drawn.text >= 0, drawn.text + copy * texts, -1)
    )


def _rows(of: Assessments, rows: Codes) -> Assessments:
    return Assessments(
        of.measure,
        of.item[rows],
        of.rater[rows],
        of.score[rows],
        of.order[rows],
        of.seconds[rows],
        of.system[rows],
        of.topic[rows],
        of.condition[rows],
        of.split[rows],
        of.text[rows],
    )


Method = Literal["automatic", "additive", "plain"]
EVERYONE_OUT = "all raters are left out, so there is nobody to rank by"
NOBODY_OUT = "nobody is left out, so nothing changes"
NO_RATINGS = "there are no ratings"
PLAIN_MEANS = "pairs are compared by the additive model, and plain means are of different topics here"


def check_method(method: str) -> None:
    """That a method is one of those there are."""
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
    """Scores and ranking before and after some raters went.

    `systems` (s,) ids; `before`, `after` (s,) scores, NaN where a system has no ratings left; `method` what
    was used, `why` this one; `excluded` the ids that were found and went; `ratings`, `topics`, `raters` before
    and `…_left` after; `reason` why there is no comparison, or that there is nothing to compare.
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
        """Systems that have no ratings left."""
        return self.change.lost


def system_scores(
    system: ArrayLike, topic: ArrayLike, rater: ArrayLike, score: ArrayLike, without: Iterable[Any] = ()
) -> dict[Any, float]:
    """Each system's mean over topics of the topic's mean.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    without : ids of raters whose ratings do not count; ids that gave no ratings change nothing

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
    table = cells(system, topic, rater, score)
    return _as_dict(table, plain_means(table, kept_means(table, kept(table, without))[None])[0])


def additive_scores(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    without: Iterable[Any] = (),
    raters: bool = False,
) -> dict[Any, float]:
    """Each system's mean over *all* topics that are left, by least squares on the cells' means.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    without : ids of raters whose ratings do not count
    raters : also a term for raters; the cells are then (system, topic, rater)

    Returns
    -------
    dict
        system -> score; a system without ratings is not in it; NaN for all where systems fall into groups
        that share no topic, or are more than the model holds.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    With all cells there it is `system_scores`. A score is the mean over topics of the fitted values (with raters: over
    topics, of the mean over the topic's raters). Source: Searle 1971, Linear Models, section 7.1; methods, section 3.

    >>> scores = additive_scores(["a", "a", "b"], [1, 2, 1], ["x", "x", "x"], [1, 5, 4])
    >>> {system: round(score, 9) for system, score in scores.items()}
    {'a': 3.0, 'b': 6.0}
    """
    table = cells(system, topic, rater, score)
    keep = kept(table, without)
    means = kept_means(table, keep)
    if raters:
        scores, _ = additive_means_with_raters(table, keep)
    elif cannot_model(table):
        scores = np.full(len(table.systems), nan)
    else:
        scores = additive_means(table, means[None])[0]
    there = np.bincount(table.system, ~np.isnan(means), len(table.systems)) > 0
    return dict(zip(table.systems[there].tolist(), scores[there].tolist(), strict=True))


def exclusion(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    without: Iterable[Any] = (),
    spec: ExclusionSpec = ExclusionSpec(),
) -> Exclusion:
    """Scores and ranking of systems before and after some raters go: the figures that come at once.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    without : ids of the raters that go
    spec : only its `method` matters here

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    Before and after share data, so that the correlations are near 1 by construction: see `random_drops`. The method is
    one for both sides.
    Source: Owczarzak et al. 2012, section 3, Table 2; methods, section 3.
    """
    return exclusion_of_cells(cells(system, topic, rater, score), without, spec)


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
    """Intervals of all scores before and after, and of their difference.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers
    point : what `exclusion` found on the same ratings
    spec : draws, seed and level
    on_progress : called between blocks with the share done
    rule : to be applied anew in each draw, to these assessments, beside the raters picked by hand; without it, or
        where that would take too long, those that went stay away in every draw

    Returns
    -------
    Intervals
        (s,) each; without figures, but with a reason, where there is nothing to draw from.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    See `analysis.assessors.exclusion_intervals`.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2; methods, section 0.
    """
    return intervals_of_cells(cells(system, topic, rater, score), point, spec, on_progress, rule)


def intervals_of_cells(
    table: Cells,
    point: Exclusion,
    spec: ExclusionSpec,
    on_progress: OnProgress = None,
    rule: tuple[ExclusionRule, Assessments, tuple[int, ...]] | None = None,
) -> Intervals:
    """`intervals` of ratings that are a table of systems by topics already (methods, section 0)."""
    if point.reason not in ("", NOBODY_OUT):
        return no_intervals(len(table.systems), point.reason)
    bootstrap = BootstrapSpec(spec.draws, spec.seed, spec.level)
    keep = kept(table, point.excluded)
    scope = chosen_scope(spec.scope, point.raters_left)
    pairs = compare_both(table, keep, scope, spec.level, spec.has_topics)
    if spec.method == "plain" and spec.has_topics and not is_complete(table, kept_means(table, keep)):
        pairs = (no_differences(len(table.systems), PLAIN_MEANS, scope),) * 2
    anew = rule is not None and not rule[0].too_much_work(len(rule[1]), spec.draws)
    return draw_intervals(
        table,
        keep,
        point.method,
        bootstrap,
        (point.before, point.after),
        on_progress,
        rule[0].in_draws(rule[1], table, rule[2]) if rule is not None and anew else None,
        scope,
        pairs,
    )


def kept(table: Cells, without: Iterable[Any]) -> NDArray[np.bool_]:
    """Return whether each rater stays."""
    gone = set(without)
    return np.array([rater not in gone for rater in table.raters.tolist()], dtype=bool)


def exclusion_of_cells(table: Cells, without: Iterable[Any], spec: ExclusionSpec) -> Exclusion:
    """`exclusion` of ratings that are a table of systems by topics already (methods, section 3)."""
    keep = kept(table, without)
    everyone, means = kept_means(table, np.ones(len(keep), dtype=bool)), kept_means(table, keep)
    left = int(table.counts[keep[table.rater]].sum())
    return _exclusion(table, everyone, means, table.raters, keep, left, spec)


def exclusion_of_sums(
    table: Cells, left: Cells, raters: NDArray[Any], without: Iterable[Any], spec: ExclusionSpec
) -> Exclusion:
    """`exclusion` from what `raters` (w,) and those who stay gave each cell, as of one rater each (methods, 3)."""
    one = np.ones(1, dtype=bool)
    many = int(table.topics.max(initial=0)) + 2
    of_all, of_left = (
        each.systems[each.system] * many + each.topics[each.topic] + 1 for each in (table, left)
    )
    means = np.full(len(of_all), nan)
    means[np.searchsorted(of_all, of_left)] = kept_means(left, one)
    keep = ~np.isin(raters, list(without))
    return _exclusion(table, kept_means(table, one), means, raters, keep, int(left.counts.sum()), spec)


def _exclusion(
    table: Cells,
    everyone: Floats,
    means: Floats,
    raters: NDArray[Any],
    keep: NDArray[np.bool_],
    ratings_left: int,
    spec: ExclusionSpec,
) -> Exclusion:
    scores = before_and_after(table, everyone, means[None], spec.method)
    before, after, modelled, failure = scores[0][0], scores[1][0], bool(scores[2][0]), scores[3]
    method: Literal["additive", "plain"] = "additive" if modelled else "plain"
    left = ~np.isnan(means)
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
    there = np.bincount(table.system, left, len(table.systems)) > 0
    change = replace(change, lost=tuple(table.systems[~there].tolist()))
    if not change.pearson.defined and reason not in ("", NOBODY_OUT):
        undefined = Estimate(nan, n=change.pearson.n, reason=reason)
        change = replace(change, pearson=undefined, spearman=undefined)
    return Exclusion(
        table.systems,
        before,
        after,
        change,
        method,
        _why(spec.method, modelled, failure),
        tuple(raters[~keep].tolist()),
        int(table.counts.sum()),
        ratings_left,
        len(table.topics),
        len(np.unique(table.topic[left])),
        len(keep),
        int(keep.sum()),
        reason,
    )


def before_and_after(
    table: Cells, everyone: Floats, left: Floats, method: Method, versions: int = 1
) -> tuple[Floats, Floats, NDArray[np.bool_], str]:
    """Scores (k, s) before and after each of k exclusions that leave the cells' means `left` (k, c)."""
    # Both sides of an exclusion by one method: whether that is the additive model (k,), and why it failed
    # somewhere; `versions` as for `cannot_model`.
    before, after = np.tile(plain_means(table, everyone[None]), (len(left), 1)), plain_means(table, left)
    modelled = np.full(len(left), method == "additive")
    if method == "automatic":
        modelled |= not is_complete(table, everyone)
        modelled |= [not is_complete(table, means) for means in left]
    if not modelled.any():
        return before, after, modelled, ""
    failure = cannot_model(table, versions)
    means = np.vstack([everyone, left[modelled]])
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


def _why(method: Method, modelled: bool, failure: str) -> str:
    if method != "automatic":
        return failure or "chosen"
    if modelled:
        return "some systems have no ratings in some topics"
    return failure or "no cell is missing, and then the additive model gives the same"


def _as_dict(table: Cells, scores: Floats) -> dict[Any, float]:
    there = ~np.isnan(scores)
    return dict(zip(table.systems[there].tolist(), scores[there].tolist(), strict=True))
