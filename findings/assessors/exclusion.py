"""What if they go: the ranking with and without the raters of a scenario, and without each one in turn."""

from collections.abc import Callable, Mapping
from functools import partial
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.exclusion_intervals import Intervals
from analysis.assessors.leave_one_out import LeaveOneOut
from analysis.assessors.random_drops import RandomDrops
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import count, decimal, interval, share
from features.study import Scenario
from features.tables import Shown
from features.verdicts import clear_if, not_applicable, not_enough_data, uncertain
from features.words import Sentence, counted, listed
from findings.leaving_out import left_out_words

PENDING = "…"
"""What stands in a table until its intervals are drawn."""
_NAMED = 5
_FEWEST_CHOICES = 40
"""Possible exclusions from which 5 % of them mean something."""
_SAME = 1e-9
_FEWEST_OTHERS = 2
"""Raters beside whom the one that moves the ranking most is named."""
_MOST_LETTERS = 8
NO_CORRELATION = "a correlation needs at least three {what} whose scores differ, whoever goes"
_EXACT = partial(decimal, digits=3)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Pearson r", "Spearman ρ", "r, random", "ρ, random"), _EXACT),
    **dict.fromkeys(("Before", "After", "Change"), _EXACT),
    **dict.fromkeys(("Rank before", "Rank after", "Largest shift"), partial(decimal, digits=1)),
    "Shift": lambda shift: ("+" if shift > 0 else "") + decimal(shift, 1),
    **dict.fromkeys(("Ratings left", "Topics left", "Raters left", "Ratings", "Pairs that swap"), count),
}
Names = NDArray[np.str_]
"""Names by code."""


def finding(scenario: Scenario, exclusion: Exclusion, measure: str, what: str) -> Finding:
    """How far the ranking of the systems (or whatever `what` they are) changes without the scenario's raters."""
    change = exclusion.change
    values = left_out_words(scenario) | {
        "measure": measure,
        "what": what,
        "reason": exclusion.reason or change.spearman.reason,
        "rho": decimal(change.spearman.value, 3),
        "r": decimal(change.pearson.value, 3),
        "n": count(change.pearson.n),
        "swaps": count(change.swaps),
        "lost": len(exclusion.lost),
    }
    if not change.spearman.defined:
        return not_enough_data(
            "Without {k} rater{s} ({name}) the ranking by {measure} cannot be compared: {reason}.", values
        )
    sentence = (
        "Without <b>{k} rater{s}</b> ({name}) the ranking of {n} {what} by {measure} "
        + ("keeps its order" if change.swaps == 0 else "has <b>{swaps} pairs</b> in opposite order")
        + ": Spearman's ρ <b>{rho}</b>, Pearson's r {r} with the ranking by everyone."
    )
    if exclusion.lost:
        sentence += " <b>{lost}</b> lose all their ratings."
    return uncertain(sentence, values)


def first_finding(
    everyone: Exclusion, drawn: Intervals | None, ranked: Names, measure: str, what: str
) -> Finding:
    """While nobody is left out: which systems everyone tells apart, once their differences are drawn."""
    if drawn is None:
        return not_applicable("Nobody is left out yet: choose whom in the sidebar (<b>Leave out</b>).")
    pairs = drawn.pairs_before
    values: dict[str, object] = {"measure": measure, "what": what, "reason": drawn.reason or pairs.reason}
    if values["reason"]:
        return not_enough_data(
            "Nobody is left out yet: choose whom in the sidebar (<b>Leave out</b>). Which {what} differ by {measure} "
            "cannot be told: {reason}.",
            values,
        )
    looked_at = pairs.apart if pairs.told_apart else ~np.isnan(pairs.low)
    one, other = np.unravel_index(
        np.nanargmax(np.where(looked_at, pairs.differences, nan)), pairs.differences.shape
    )
    value, low, high = (float(of[one, other]) for of in (pairs.differences, pairs.low, pairs.high))
    values |= {
        "apart": count(pairs.told_apart),
        "pairs": counted(pairs.pairs, "pair"),
        "one": ranked[everyone.systems[one]],
        "other": ranked[everyone.systems[other]],
        "difference": decimal(value),
        "between": interval(Estimate(value, low, high)),
        "raters": counted(everyone.raters, "rater"),
    }
    return clear_if(
        bool(pairs.told_apart),
        ("<b>{apart}</b> of {pairs}" if pairs.told_apart else "<b>None</b> of {pairs}")
        + " of {what} can be told apart by {measure}; the largest difference is that of {one} and {other}: "
        "<b>{difference}</b> ({between}), from {raters}. Nobody is left out yet: choose whom in the sidebar "
        "(<b>Leave out</b>).",
        values,
        for_raters(pairs.scope),
    )


def of_single_raters(one_by_one: LeaveOneOut, raters: Names, measure: str, what: str) -> Sentence:
    """Whose leaving moves the ranking most, which tells of these ratings only."""
    ranks, strongest = one_by_one.compares_ranks, one_by_one.strongest
    values: dict[str, object] = {
        "measure": measure,
        "what": what,
        "term": "Spearman's ρ" if ranks else "Pearson's r",
    }
    if strongest is None:
        return "Undefined for {measure}: {reason}.", values | {"reason": NO_CORRELATION.format(what=what)}
    correlation = one_by_one.spearman if ranks else one_by_one.pearson
    others = np.delete(correlation, strongest)
    if np.isfinite(others).sum() < _FEWEST_OTHERS:
        return (
            "Whose leaving would move the ranking of {what} by {measure} most cannot be told: at least three raters "
            "are needed whose leaving can be held against each other.",
            values,
        )
    values |= {
        "rater": raters[one_by_one.raters[strongest]],
        "least": decimal(float(np.nanmin(others)), 3),
        "value": decimal(float(correlation[strongest]), 3),
        "shift": decimal(float(one_by_one.largest_shift[strongest]), 0),
    }
    return (
        "Of single raters, <b>{rater}</b> would move the ranking of {what} by {measure} most: {term} <b>{value}</b> "
        "with the ranking by everyone"
        + (", at most {shift} ranks" if ranks else "")
        + "; without any other it stays at {least} or above. These are figures of these ratings, not of other raters.",
        values,
    )


def summary_table(
    exclusions: Mapping[str, Exclusion], by_chance: Mapping[str, RandomDrops] | None = None
) -> Shown:
    """The paper's Table 2, a row per measure, with random exclusions and what is left beside it."""
    rows = []
    for measure, exclusion in exclusions.items():
        drops = None if by_chance is None else by_chance[measure]
        row: dict[str, object] = {"Measure": measure}
        for term, random, here, elsewhere in (
            ("Pearson r", "r, random", exclusion.change.pearson, drops and drops.pearson),
            ("Spearman ρ", "ρ, random", exclusion.change.spearman, drops and drops.spearman),
        ):
            row[term] = here.value
            row[random] = elsewhere.value if elsewhere else nan
            row[f"{random} 5–95 %"] = PENDING
            if elsewhere and by_chance is not None:
                row[f"{random} 5–95 %"] = _among_random(by_chance[measure], here, elsewhere)
        row |= {
            "Pairs that swap": exclusion.change.swaps,
            "Systems lost": len(exclusion.lost),
            "Raters left": exclusion.raters_left,
            "Topics left": exclusion.topics_left,
            "Ratings left": exclusion.ratings_left,
        }
        rows.append(row)
    return pd.DataFrame(rows), _WRITTEN


def _among_random(drops: RandomDrops, here: Estimate, elsewhere: Estimate) -> str:
    """Where a correlation lies among those of random exclusions: their 5 to 95%, or its rank where they are few."""
    if not _are_few(drops) or not here.defined:
        return interval(elsewhere, 3)
    figures = drops.pearsons if elsewhere is drops.pearson else drops.spearmans
    known = figures[~np.isnan(figures)]
    lower = int((known > here.value + _SAME).sum())
    return f"lower than {lower} of {len(known)}"


def _are_few(drops: RandomDrops) -> bool:
    return drops.every and len(drops.pearsons) < _FEWEST_CHOICES


def systems_table(
    exclusion: Exclusion, ranked: Names, what: str, intervals: Intervals | None = None
) -> Shown:
    """One row per system, the best first: scores with intervals, ranks, letters (none shared: told apart)."""
    change = exclusion.change
    place = {system: at for at, system in enumerate(change.systems.tolist())}
    rows = []
    for at, system in enumerate(exclusion.systems.tolist()):
        here = place.get(system)
        rows.append(
            {
                what[:-1].capitalize(): str(ranked[system]),
                "Before": float(exclusion.before[at]),
                "Before, 95 %": _between(intervals, "before", at),
                "After": float(exclusion.after[at]),
                "After, 95 %": _between(intervals, "after", at),
                "Change": float(exclusion.after[at] - exclusion.before[at]),
                "Change, 95 %": _between(intervals, "difference", at),
                "Rank before": nan if here is None else float(change.rank_before[here]),
                "Rank after": nan if here is None else float(change.rank_after[here]),
                "Shift": nan if here is None else float(change.shifts[here]),
                **_not_told_apart(intervals, at),
            }
        )
    return pd.DataFrame(rows).sort_values("Before", ascending=False, ignore_index=True), _WRITTEN


def _not_told_apart(intervals: Intervals | None, at: int) -> dict[str, object]:
    """Letters before and after or, where they would be too many to read, from how many others."""
    if intervals is None:
        return {"Letters before": PENDING, "Letters after": PENDING}
    both = {"before": intervals.pairs_before, "after": intervals.pairs_after}
    if not _too_many_letters(intervals):
        return {f"Letters {when}": pairs.letters[at] for when, pairs in both.items()}
    return {
        f"Not told apart {when}": count(int((~pairs.apart[at] & ~np.isnan(pairs.low[at])).sum()))
        for when, pairs in both.items()
    }


def _too_many_letters(intervals: Intervals) -> bool:
    return any(
        not pairs.reason and (not any(pairs.letters) or max(map(len, pairs.letters)) > _MOST_LETTERS)
        for pairs in (intervals.pairs_before, intervals.pairs_after)
    )


def _between(intervals: Intervals | None, side: str, at: int) -> str:
    if intervals is None:
        return PENDING
    low, high = getattr(intervals, f"{side}_low")[at], getattr(intervals, f"{side}_high")[at]
    return interval(Estimate(0.0, float(low), float(high)))


def one_by_one_table(one_by_one: LeaveOneOut, raters: Names) -> Shown:
    """What leaving out each rater does to the ranking, the one who moves it most first."""
    table = pd.DataFrame(
        {
            "Left out": raters[one_by_one.raters],
            "Spearman ρ": one_by_one.spearman,
            "Pearson r": one_by_one.pearson,
            "Largest shift": one_by_one.largest_shift,
            "Pairs that swap": one_by_one.swaps,
            "Systems lost": one_by_one.lost,
            "Ratings": one_by_one.ratings,
        }
    )
    return table.sort_values("Spearman ρ", ignore_index=True), _WRITTEN


def undefined(one_by_one: LeaveOneOut) -> Sentence:
    """Why leaving out one rater at a time has no figures."""
    return "{reason}.", {"reason": one_by_one.reason[:1].upper() + one_by_one.reason[1:]}


def notes(
    exclusion: Exclusion,
    ranked: Names,
    drawn: tuple[Intervals, RandomDrops] | None = None,
    scenario: Scenario | None = None,
    raters: Names | None = None,
) -> list[Sentence]:
    """How scores, intervals and random exclusions were made, and what has no ratings left."""
    told: list[Sentence] = [
        (
            "Scores: {method}. Before and after share data, so both correlations are near 1 by construction; "
            "hold them against those of random exclusions.",
            {"method": f"additive model ({exclusion.why})" if exclusion.method == "additive" else "means"},
        )
    ]
    if exclusion.lost:
        lost = [str(ranked[system]) for system in exclusion.lost]
        told.append(("Without any ratings left: {lost}.", {"lost": listed(lost, 8)}))
    if drawn is None:
        return told
    who_goes = [] if drawn[0].reason else [_on_who_goes(drawn[0], scenario or Scenario(), raters)]
    return [*told, _on_intervals(drawn[0]), *who_goes, *_on_pairs(drawn[0]), _on_random_drops(drawn[1])]


def _on_intervals(intervals: Intervals) -> Sentence:
    if intervals.reason:
        return "No intervals: {reason}.", {"reason": intervals.reason}
    return (
        "Intervals: {draws} draws of {before} (before) and {after} (after); of the change: from what others' leaving "
        "would change; where each topic has one rater it is wider than it says and held in 99 to 100 of 100 simulated "
        "studies.",
        {
            "draws": count(intervals.draws),
            "before": intervals.resampled_before,
            "after": intervals.resampled_after,
        },
    )


def _on_who_goes(intervals: Intervals, scenario: Scenario, raters: Names | None) -> Sentence:
    """Whether draws left out the same raters, and where a rule chose anew, whom."""
    if intervals.again is None:
        if set(scenario.left_out_codes) == set(scenario.by_hand):
            return "Those left out were picked by hand and stay out in every draw.", {}
        return (
            "Those left out are the same in every draw, although a rule chose them: intervals after the exclusion do "
            "not show that other data would leave out others.",
            {},
        )
    often = sorted(
        (
            (part, rater)
            for rater, part in intervals.again.items()
            if part > 0 and rater not in scenario.by_hand
        ),
        reverse=True,
    )
    told = [
        f"{rater if raters is None else shorten(raters[rater])} in {share(part)}"
        for part, rater in often[:_NAMED]
    ]
    more = len(often) - len(told)
    return (
        "The rule was applied anew in every draw. Of the draws that hold them, it left out {who}{more}."
        if told
        else "The rule was applied anew in every draw and left out nobody.",
        {"who": ", ".join(told), "more": f", {counted(more, 'other')} less often" if more else ""},
    )


def _on_pairs(intervals: Intervals) -> list[Sentence]:
    """How many pairs are told apart by their own differences."""
    before, after = intervals.pairs_before, intervals.pairs_after
    if intervals.reason:
        return []
    if before.reason:
        return [("No letters: {reason}.", {"reason": before.reason})]
    return [
        (
            "Told apart by their own difference: <b>{apart}</b> of {pairs} pairs before, <b>{apart_after}</b> of "
            "{pairs_after} after (all pairs at once, for {scope}). "
            + (
                "The last columns count from how many others one is not told apart."
                if _too_many_letters(intervals)
                else "Two that share a letter are not told apart."
            ),
            {
                "apart": count(before.told_apart),
                "pairs": count(before.pairs),
                "apart_after": count(after.told_apart),
                "pairs_after": count(after.pairs),
                "scope": before.scope,
            },
        )
    ]


def _on_random_drops(drops: RandomDrops) -> Sentence:
    if drops.reason:
        return "No random exclusions: {reason}.", {"reason": drops.reason}
    choices = count(len(drops.pearsons))
    return (
        "Random exclusions: {how} of {k}; median and "
        + ("than how many of them the correlation is lower." if _are_few(drops) else "5–95 %."),
        {
            "how": f"all {choices} choices" if drops.every else f"{choices} random choices",
            "k": "1 rater" if drops.dropped == 1 else f"{count(drops.dropped)} raters",
        },
    )


EXPLANATION = r"""
**Scores.** A system's score is the mean over topics (topic and condition where there are both) of the mean
score within the topic. Where an exclusion leaves systems with different topics, the additive model *system +
topic* is fitted to the cells' means by least squares, and the score is the mean of the fitted values over all
topics that are left; with all cells present it is the plain mean. Without systems, items are ranked by their
MOS.

**Before and after.** Pearson's and Spearman's correlation of the scores with everyone and without the raters
left out (the paper's Table 2). They share most of their data, so they are near 1 by construction. Beside them:
the same for equally many raters chosen at random (all choices where there are few), median and 5–95 %; below 40
possible choices, than how many of them the correlation is lower.

**Intervals** weigh raters (from 6 on) and topics anew in every draw and repeat the whole estimate, before and after
with the same weights; where each topic was judged by one rater, raters are drawn with all their topics. A rule that
looks at ratings (the least consistent, below a limit, BT.500, P.913) is applied anew in every draw, to the raters and
topics of that draw: a topic drawn twice has other items, a rater drawn twice counts twice among the others. Raters
picked by hand stay out, and so do those found by other rules, or where there are too many ratings and draws; the note
under the table says which.

The **change** has an interval of its own, since the raters who stay are in both scores: how much the score moves when
as many raters go, whoever they are, gives the spread of single raters' scores (less what those who go differ from the
others), and the change is held against it with Student's *t*, as two samples are: those who stay, those who go. It
needs three raters.

**Letters.** Two systems that share no letter differ clearly: the simultaneous interval of *their difference*, adjusted
for topics and raters, excludes 0. Intervals of two systems may overlap and their difference still be clear, since they
share raters and topics. Intervals and letters hold for raters like these from 6 raters on, for these raters below; the
procedure is that of Ranking systems (jackknife over topics and raters, studentized range). It needs 6 topics.

**Each rater in turn.** The same when only that rater goes.

Source: Owczarzak, Rankel, Dang and Conroy 2012, section 3 and Table 2. The intervals, the additive model and
the random exclusions are not in the paper.
"""
