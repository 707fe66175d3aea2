"""Verdicts, tables and notes on the ranking with and without excluded raters, and without each one in turn."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import nan

import numpy as np

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.exclusion_intervals import Intervals
from analysis.assessors.leave_one_out import LeaveOneOut, RandomDrops
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from features.blocks import MAIN, Finding, Note, Table, Text
from features.plotting.numbers import count, decimal, interval, share
from features.raters.exclusion_results import RankingChange
from features.study import Scenario
from features.tables import Column, estimate_columns, table_of
from features.verdicts import capitalized, clear, clear_if, confidence_interval, for_raters, not_enough_data
from features.words import Sentence, counted, listed

PAIRS = "pairs"
"""Name of the finding on which systems differ by everyone's ratings."""
SINGLE = "single raters"
"""Name of the finding on the rater whose exclusion changes the ranking most."""
_NAMED = 5
_FEWEST_CHOICES = 40
"""Possible exclusions from which 5% of them mean something."""
_SAME = 1e-9
_FEWEST_OTHERS = 2
"""Raters with whom the one that changes the ranking most is compared."""
_MOST_LETTERS = 8
_EXACT, _TENTH = partial(decimal, digits=3), partial(decimal, digits=1)


def change_finding(found: RankingChange, scenario: Scenario) -> Finding:
    """Return how many pairs of systems change order without the excluded raters."""
    change, lost = found.here.change, len(found.here.lost)
    values: dict[str, object] = {
        "who": scenario.who if len(scenario.names) == 1 else "the excluded raters",
        "measure": found.measure,
        "what": found.what,
        "reason": found.here.reason or change.spearman.reason,
        "swaps": count(change.swaps),
    }
    if not change.spearman.defined:
        text = "Without {who}, the ranking by {measure} cannot be compared: {reason}."
        return not_enough_data(text, values)
    headline = "Without {who}, the ranking by {measure} keeps its order."
    if change.swaps:
        pairs = "pair of {what} changes" if change.swaps == 1 else "pairs of {what} change"
        headline = f"Without {{who}}, {{swaps}} {pairs} order by {{measure}}."
    return clear(
        headline,
        values,
        f"Spearman's ρ with the ranking by everyone {decimal(change.spearman.value, 3)}",
        f"Pearson's r {decimal(change.pearson.value, 3)}",
        f"{count(change.pearson.n)} {found.what}",
        counted(len(scenario.names), "excluded rater"),
        f"{count(lost)} without ratings" if lost else "",
        "in these ratings",
    )


def pairs_finding(found: RankingChange) -> Finding | None:
    """Return how many pairs of systems differ by everyone's ratings; None without intervals."""
    if found.intervals is None:
        return None
    pairs = found.intervals.pairs_before
    values: dict[str, object] = {"measure": found.measure, "what": found.what}
    if reason := found.intervals.reason or pairs.reason:
        headline = "Not enough data to say which {what} differ by {measure}."
        return not_enough_data(headline, values, capitalized(reason), name=PAIRS)
    looked_at = pairs.apart if pairs.told_apart else ~np.isnan(pairs.low)
    one, other = np.unravel_index(
        np.nanargmax(np.where(looked_at, pairs.differences, nan)), pairs.differences.shape
    )
    value, low, high = (float(of[one, other]) for of in (pairs.differences, pairs.low, pairs.high))
    largest = Estimate(value, low, high)
    first, second = (found.ranked[found.here.systems[at]] for at in (one, other))
    values |= {"apart": count(pairs.told_apart), "pairs": counted(pairs.pairs, "pair")}
    return clear_if(
        bool(pairs.told_apart),
        "{apart} of {pairs} of {what} clearly differ by {measure}."
        if pairs.told_apart
        else "No two {what} clearly differ by {measure}.",
        values,
        f"Largest: {first} minus {second} {decimal(largest.value)}",
        confidence_interval(largest),
        counted(found.here.raters, "rater"),
        for_raters(pairs.scope),
        "with everyone",
        name=PAIRS,
    )


def single_finding(found: RankingChange, is_main: bool) -> Finding:
    """Return the rater without whom the ranking changes most, which is about these ratings only."""
    finding = _single(found)
    return replace(finding, name=MAIN if is_main else SINGLE)


def _single(found: RankingChange) -> Finding:
    one_by_one = found.one_by_one
    if one_by_one is None:
        return not_enough_data("Excluding each rater in turn was stopped.")
    if one_by_one.reason:
        return not_enough_data("{reason}.", {"reason": capitalized(one_by_one.reason)})
    values: dict[str, object] = {"measure": found.measure, "what": found.what}
    if one_by_one.strongest is None:
        headline = (
            "Not enough data to compare rankings by {measure}: fewer than three {what} differ in score."
        )
        return not_enough_data(headline, values)
    ranks = one_by_one.compares_ranks
    correlation = one_by_one.spearman if ranks else one_by_one.pearson
    others = np.delete(correlation, one_by_one.strongest)
    known = int(np.isfinite(correlation).sum())
    if np.isfinite(others).sum() < _FEWEST_OTHERS:
        values |= {"raters": counted(known, "rater")}
        return not_enough_data(
            "Not enough data to compare single raters: you have {raters}, it needs 3.",
            values,
        )
    name = str(found.raters[one_by_one.raters[one_by_one.strongest]])
    term = "ρ" if ranks else "r"
    values |= {
        "rater": Scenario(names=(name,)).who,
        "value": decimal(float(correlation[one_by_one.strongest]), 3),
    }
    shift = one_by_one.largest_shift[one_by_one.strongest]
    return clear(
        f"The ranking by {{measure}} changes most without {{rater}}, {term} = {{value}}.",
        values,
        f"Without any other rater {term} stays at {decimal(float(np.nanmin(others)), 3)} or above",
        f"at most {decimal(float(shift), 0)} ranks" if ranks else "",
        counted(known, "rater"),
        one_by_one.reason_ranks,
        "in these ratings",
    )


def summary_table(points: Mapping[str, Exclusion], drops: Mapping[str, RandomDrops] | None = None) -> Table:
    """Return the paper's Table 2, a row per measure, with random exclusions and what remains."""
    of = points.values()
    columns = [Column("Measure", list(points))]
    for term, random in (("Spearman ρ", "ρ, random"), ("Pearson r", "r, random")):
        name = "spearman" if term == "Spearman ρ" else "pearson"
        here = [getattr(one.change, name) for one in of]
        is_first = name == "spearman"
        columns.append(Column(term, [one.value for one in here], _EXACT))
        if drops is not None:
            elsewhere = [getattr(drops[measure], name) for measure in points]
            texts = [
                _among_random(drops[measure], one, at_random)
                for measure, one, at_random in zip(points, here, elsewhere, strict=True)
            ]
            columns.append(Column(random, [one.value for one in elsewhere], _EXACT, is_first))
            columns.append(Column(f"{random} 5–95%", texts, None, is_first))
    columns += [
        Column("Pairs that swap", [one.change.swaps for one in of], count),
        Column("Systems lost", [len(one.lost) for one in of], count, False),
        Column("Raters left", [one.raters_left for one in of], count),
        Column("Topics left", [one.topics_left for one in of], count, False),
        Column("Ratings left", [one.ratings_left for one in of], count, False),
    ]
    caption = "The ranking with everyone and without the excluded raters by measure, and random exclusions."
    return table_of("ranking-without", caption, columns)


def _among_random(drops: RandomDrops, here: Estimate, elsewhere: Estimate) -> str:
    """Return 5 and 95% of a correlation's random exclusions, or its rank among them where they are few."""
    if not _are_few(drops) or not here.defined:
        return interval(elsewhere, 3)
    figures = drops.pearsons if elsewhere is drops.pearson else drops.spearmans
    known = figures[~np.isnan(figures)]
    lower = int((known > here.value + _SAME).sum())
    return f"lower than {lower} of {len(known)}"


def _are_few(drops: RandomDrops) -> bool:
    return drops.every and len(drops.pearsons) < _FEWEST_CHOICES


def systems_table(found: RankingChange) -> Table:
    """Return one row per system, the best first: scores and ranks before and after, and letters."""
    here, intervals, change = found.here, found.intervals, found.here.change
    order = np.argsort(-here.before, kind="stable")
    place = {system: at for at, system in enumerate(change.systems.tolist())}
    places = [place.get(system) for system in here.systems[order].tolist()]

    def of_change(values: np.ndarray) -> list[float]:
        return [nan if at is None else float(values[at]) for at in places]

    def estimates(values: np.ndarray, side: str) -> list[Estimate]:
        if intervals is None:
            return [Estimate(float(values[at])) for at in order]
        low, high = getattr(intervals, f"{side}_low"), getattr(intervals, f"{side}_high")
        return [Estimate(float(values[at]), float(low[at]), float(high[at])) for at in order]

    before, *before_ends = estimate_columns("Before", estimates(here.before, "before"), _EXACT)
    after, *after_ends = estimate_columns("After", estimates(here.after, "after"), _EXACT)
    moved, *moved_ends = estimate_columns("Change", estimates(here.after - here.before, "difference"), _EXACT)
    columns = [
        Column(found.what[:-1].capitalize(), [str(found.ranked[system]) for system in here.systems[order]]),
        before,
        after,
        moved,
        Column("Rank before", of_change(change.rank_before), _TENTH),
        Column("Rank after", of_change(change.rank_after), _TENTH),
        Column("Shift", of_change(change.shifts), _shift),
        *([] if intervals is None else _differences(intervals, order)),
        *before_ends,
        *after_ends,
        *moved_ends,
    ]
    caption = "Scores and ranks of {what} by {measure}, with everyone and without the excluded raters."
    return table_of("systems", (caption, {"what": found.what, "measure": found.measure}), columns)


def _shift(shift: float) -> str:
    return ("+" if shift > 0 else "") + decimal(shift, 1)


def _differences(intervals: Intervals, order: np.ndarray) -> list[Column]:
    """Return letters before and after or, where there are too many to read, the others to which one may be equal."""
    both = {"before": intervals.pairs_before, "after": intervals.pairs_after}
    if not _has_too_many_letters(intervals):
        return [
            Column(f"Letters {when}", [pairs.letters[at] for at in order], None, False)
            for when, pairs in both.items()
        ]
    return [
        Column(
            f"May be equal to, {when}",
            [int((~pairs.apart[at] & ~np.isnan(pairs.low[at])).sum()) for at in order],
            count,
            False,
        )
        for when, pairs in both.items()
    ]


def _has_too_many_letters(intervals: Intervals) -> bool:
    return any(
        not pairs.reason and (not any(pairs.letters) or max(map(len, pairs.letters)) > _MOST_LETTERS)
        for pairs in (intervals.pairs_before, intervals.pairs_after)
    )


def one_by_one_table(found: RankingChange, one_by_one: LeaveOneOut) -> Table:
    """Return the ranking without each rater in turn, the one who changes it most first."""
    order = np.argsort(one_by_one.spearman, kind="stable")
    columns = [
        Column("Without", found.raters[one_by_one.raters[order]].tolist()),
        Column("Spearman ρ", one_by_one.spearman[order], _EXACT),
        Column("Largest shift", one_by_one.largest_shift[order], _TENTH),
        Column("Pairs that swap", one_by_one.swaps[order], count),
        Column("Ratings", one_by_one.ratings[order], count),
        Column("Pearson r", one_by_one.pearson[order], _EXACT, False),
        Column("Systems lost", one_by_one.lost[order], count, False),
    ]
    caption = "The ranking by {measure} without each rater in turn, compared with that by everyone."
    return table_of("leave-one-out", (caption, {"measure": found.measure}), columns)


def change_notes(found: RankingChange, scenario: Scenario) -> list[Note]:
    """Return how scores, intervals and random exclusions were made, and what has no ratings left."""
    here = found.here
    method = f"the additive model ({here.why})" if here.method == "additive" else "means"
    text = (
        "Scores are from {method}. Before and after share data, so both correlations are near 1 by construction; "
        "compare them with those of random exclusions."
    )
    told: list[Text] = [(text, {"method": method})]
    if here.lost:
        lost = [str(found.ranked[system]) for system in here.lost]
        told.append(("Without any ratings left: {lost}.", {"lost": listed(lost, 8)}))
    if found.drawn is not None:
        intervals, drops = found.drawn[found.measure]
        told.append(_on_intervals(intervals))
        if not intervals.reason:
            told += [_on_who_goes(intervals, scenario, found.raters), *_on_pairs(intervals)]
        told.append(_on_random_drops(drops))
    return [Note(text) for text in told]


def _on_intervals(intervals: Intervals) -> Sentence:
    if intervals.reason:
        return "No intervals: {reason}.", {"reason": intervals.reason}
    return (
        "Intervals: {draws} bootstrap samples of {before} (before) and {after} (after); of the change: from what "
        "excluding others would change; where each topic has one rater it is wider than it says and held in 99 to "
        "100 of 100 simulated studies.",
        {
            "draws": count(intervals.draws),
            "before": intervals.resampled_before,
            "after": intervals.resampled_after,
        },
    )


def _on_who_goes(intervals: Intervals, scenario: Scenario, raters: np.ndarray) -> Sentence:
    """Return if all samples exclude the same raters, and where a rule chose anew, which."""
    if intervals.again is None:
        if set(scenario.left_out_codes) == set(scenario.by_hand):
            return "Excluded raters were picked by hand and stay excluded in every bootstrap sample.", {}
        return (
            "Excluded raters are the same in every bootstrap sample, although a rule chose them: intervals after the "
            "exclusion do not show that other data would exclude others.",
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
    told = [f"{shorten(raters[rater])} in {share(part)}" for part, rater in often[:_NAMED]]
    more = len(often) - len(told)
    return (
        "The rule was applied anew in every bootstrap sample. Of the samples that hold them, it excluded {who}{more}."
        if told
        else "The rule was applied anew in every bootstrap sample and excluded nobody.",
        {"who": ", ".join(told), "more": f", {counted(more, 'other')} less often" if more else ""},
    )


def _on_pairs(intervals: Intervals) -> list[Sentence]:
    """Return how many pairs clearly differ."""
    before, after = intervals.pairs_before, intervals.pairs_after
    if intervals.reason:
        return []
    if before.reason:
        return [("No letters: {reason}.", {"reason": before.reason})]
    return [
        (
            "Clearly differ: <b>{apart}</b> of {pairs} pairs before, <b>{apart_after}</b> of {pairs_after} after (all "
            "pairs at once, for {scope}). "
            + (
                "The last columns count the others to which one may be equal."
                if _has_too_many_letters(intervals)
                else "Two that share a letter do not clearly differ."
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
        + ("than how many of them the correlation is lower." if _are_few(drops) else "5–95%."),
        {
            "how": f"all {choices} choices" if drops.every else f"{choices} random choices",
            "k": "1 rater" if drops.dropped == 1 else f"{count(drops.dropped)} raters",
        },
    )
