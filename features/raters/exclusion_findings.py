"""Verdicts, tables and notes on the ranking with and without excluded raters, and without each one in turn."""

from collections.abc import Mapping
from math import ceil, nan

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.exclusion_intervals import Intervals
from analysis.assessors.leave_one_out import LeaveOneOut, RandomDrops
from analysis.screening.rating_behavior import Qualification
from analysis.values.estimate import Estimate, shorten
from features.blocks import MAIN, Finding, Note, Table, Text, capitalized, clear, not_enough_data
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    count,
    decimal,
    interval,
    share,
    write_rank,
)
from features.raters.rater_results import RankingChange
from features.study import QualificationRule, Scenario
from features.words import Column, counted, estimate_columns, listed, table_of

SINGLE = "single raters"
"""Name of the finding on the rater whose exclusion changes the ranking most."""
_FEWEST_CHOICES = 40
"""Possible exclusions from which 5% of them mean something."""
_SAME = 1e-9
_FEWEST_OTHERS = 2
"""Raters with whom the one that changes the ranking most is compared."""


def qualification_table(found: Qualification, rule: QualificationRule, names: NDArray[np.str_]) -> Table:
    """Return a row per rater: the share of points, and whether it passes, the lowest first."""
    order = np.lexsort((found.points, ~found.judged)).tolist()
    verdicts = np.where(found.failed, "fails", np.where(found.judged, "passes", "not judged"))
    caption = "Share of points of each rater with {whom} on {measure}, {span} points for an equal rating."
    values = {"whom": rule.whom, "measure": rule.on, "span": f"{found.span:g}"}
    return table_of(
        "qualification",
        (caption, values),
        [
            Column("Rater", [str(names[found.raters[at]]) for at in order]),
            Column("Points", found.points[order], PERCENT_ONE_DIGIT),
            Column("Known ratings", found.ratings[order], count),
            Column("Qualification", [str(verdicts[at]) for at in order]),
        ],
        f"Qualification ({int(found.failed.sum())} of {int(found.judged.sum())} fail)",
    )


def change_finding(found: RankingChange, scenario: Scenario) -> Finding:
    """Return how many pairs of systems change order without the excluded raters."""
    change = found.here.change
    lost = [str(found.ranked[system]) for system in found.here.lost]
    without = f"without ratings: {listed(lost, 8)}" if lost else ""
    values: dict[str, object] = {
        "who": scenario.who if len(scenario.names) == 1 else "the excluded raters",
        "measure": found.measure,
        "what": found.what,
        "swaps": count(change.swaps),
    }
    if not change.spearman.defined:
        headline = "Not enough data to compare the ranking by {measure} without {who}."
        return not_enough_data(headline, values, found.here.reason or change.spearman.reason, without)
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
        without,
        "in these ratings",
    )


def single_finding(found: RankingChange, is_main: bool) -> Finding:
    """Return the rater without whom the ranking changes most, which is about these ratings only."""
    one_by_one, name = found.one_by_one, MAIN if is_main else SINGLE
    if one_by_one is None:
        return not_enough_data("Excluding each rater in turn was stopped.", name=name)
    if one_by_one.reason:
        return not_enough_data("{reason}.", {"reason": capitalized(one_by_one.reason)}, name=name)
    values: dict[str, object] = {"measure": found.measure, "what": found.what}
    if (strongest := one_by_one.strongest) is None:
        headline = (
            "Not enough data to compare rankings by {measure}: fewer than three {what} differ in score."
        )
        return not_enough_data(headline, values, name=name)
    ranks = one_by_one.compares_ranks
    term, correlation = ("ρ", one_by_one.spearman) if ranks else ("r", one_by_one.pearson)
    others, raters = np.delete(correlation, strongest), counted(int(np.isfinite(correlation).sum()), "rater")
    if np.isfinite(others).sum() < _FEWEST_OTHERS:
        headline = "Not enough data to compare single raters: you have {raters}, it needs 3."
        return not_enough_data(headline, {"raters": raters}, name=name)
    if ranks and np.nanmin(correlation) == 1:
        headline = "The ranking by {measure} is the same without any one rater."
        return clear(headline, values, "ρ = 1.000 each time", raters, "in these ratings", name=name)
    who = Scenario(names=(str(found.raters[one_by_one.raters[strongest]]),)).who
    least = decimal(float(np.nanmin(others)), 3)
    above = "rounds to 1.000" if least == "1.000" else f"stays at {least} or above"
    return clear(
        f"The ranking by {{measure}} changes most without {{rater}}, {term} = {{value}}.",
        values | {"rater": who, "value": decimal(float(correlation[strongest]), 3)},
        f"Without any other rater {term} {above}",
        f"at most {counted(ceil(float(one_by_one.largest_shift[strongest])), 'rank')}" if ranks else "",
        raters,
        one_by_one.reason_ranks,
        "in these ratings",
        name=name,
    )


def summary_table(points: Mapping[str, Exclusion], drops: Mapping[str, RandomDrops] | None = None) -> Table:
    """Return the paper's Table 2, a row per measure, with random exclusions and what remains."""
    of = points.values()
    columns = [Column("Measure", list(points))]
    for name, term, random in (
        ("spearman", "Spearman ρ", "ρ, random"),
        ("pearson", "Pearson r", "r, random"),
    ):
        columns.append(Column(term, [getattr(one.change, name).value for one in of], THREE_DIGITS))
        if drops is not None:
            elsewhere = [getattr(drops[measure], name).value for measure in points]
            texts = [_among_random(drops[measure], one, name) for measure, one in points.items()]
            columns.append(Column(random, elsewhere, THREE_DIGITS, name == "spearman"))
            columns.append(Column(f"{random} 5–95%", texts, None, name == "spearman"))
    columns += [
        Column("Pairs that swap", [one.change.swaps for one in of], count),
        Column("Systems lost", [len(one.lost) for one in of], count, False),
        Column("Raters left", [one.raters_left for one in of], count),
        Column("Topics left", [one.topics_left for one in of], count, False),
        Column("Ratings left", [one.ratings_left for one in of], count, False),
    ]
    caption, values = "The ranking without the excluded raters by measure", dict[str, object]()
    if drops:
        caption, values = _captioned(caption, next(iter(drops.values())))
    return table_of("ranking-without", (f"{caption}.", values), columns)


def _captioned(caption: str, drops: RandomDrops) -> tuple[str, dict[str, object]]:
    """Return the caption with how many random exclusions it is compared with."""
    if drops.reason:
        return f"{caption}; no random exclusions: {{reason}}", {"reason": drops.reason}
    number, raters = count(len(drops.pearsons)), counted(drops.dropped, "rater")
    kind = "possible" if drops.every else "random"
    return f"{caption}, and {number} {kind} exclusions of {raters}, median and 5–95%", {}


def _among_random(drops: RandomDrops, one: Exclusion, name: str) -> str:
    """Return 5 and 95% of a correlation's random exclusions, or its rank among them where they are few."""
    here: Estimate = getattr(one.change, name)
    if not drops.every or len(drops.pearsons) >= _FEWEST_CHOICES or not here.defined:
        return interval(getattr(drops, name), 3)
    figures = drops.spearmans if name == "spearman" else drops.pearsons
    known = figures[~np.isnan(figures)]
    return f"lower than {int((known > here.value + _SAME).sum())} of {len(known)}"


def systems_table(found: RankingChange) -> Table:
    """Return one row per system, the best first: scores and ranks before and after."""
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

    columns = [
        Column(found.what[:-1].capitalize(), [str(found.ranked[system]) for system in here.systems[order]]),
        *estimate_columns("Before", estimates(here.before, "before"), found.write_score),
        *estimate_columns("After", estimates(here.after, "after"), found.write_score),
        *estimate_columns("Change", estimates(here.after - here.before, "difference"), found.write_score),
        Column("Rank before", of_change(change.rank_before), write_rank),
        Column("Rank after", of_change(change.rank_after), write_rank),
        Column("Shift", of_change(change.shifts), _shift),
    ]
    caption = "Scores and ranks of {what} by {measure}, with everyone and without the excluded raters."
    return table_of("systems", (caption, {"what": found.what, "measure": found.measure}), columns)


def _shift(shift: float) -> str:
    return ("+" if shift > 0 else "") + write_rank(shift)


def one_by_one_table(found: RankingChange, one_by_one: LeaveOneOut) -> Table:
    """Return the ranking without each rater in turn, the one who changes it most first."""
    order = np.argsort(one_by_one.spearman, kind="stable")
    columns = [
        Column("Without", found.raters[one_by_one.raters[order]].tolist()),
        Column("Spearman ρ", one_by_one.spearman[order], THREE_DIGITS),
        Column("Largest shift", one_by_one.largest_shift[order], write_rank),
        Column("Pairs that swap", one_by_one.swaps[order], count),
        Column("Ratings", one_by_one.ratings[order], count),
        Column("Pearson r", one_by_one.pearson[order], THREE_DIGITS, False),
        Column("Systems lost", one_by_one.lost[order], count, False),
    ]
    caption = "The ranking by {measure} without each rater in turn, compared with that by everyone."
    return table_of("leave-one-out", (caption, {"measure": found.measure}), columns)


def change_notes(found: RankingChange, scenario: Scenario) -> list[Note]:
    """Return what is to be known of scores and intervals, and how many pairs clearly differ."""
    here, intervals = found.here, found.intervals
    texts: list[Text] = []
    if here.method == "additive":
        texts.append(("Scores are from the additive model ({why}).", {"why": here.why}))
    if intervals is None:
        return [Note(text) for text in texts]
    if intervals.reason:
        return [Note(text) for text in (*texts, ("No intervals: {reason}.", {"reason": intervals.reason}))]
    texts += _on_rule(intervals, scenario, found.raters)
    before, after = intervals.pairs_before, intervals.pairs_after
    text = (
        "Clearly differ: {apart} of {pairs} pairs before, {apart_after} of {pairs_after} after, for {scope}."
    )
    values = {
        "apart": count(before.number_different),
        "pairs": count(before.pairs),
        "apart_after": count(after.number_different),
        "pairs_after": count(after.pairs),
        "scope": before.scope,
    }
    if not before.reason:
        texts.append((text, values))
    elif found.what == "systems":
        texts.append(("Pairs are not compared: {reason}.", {"reason": before.reason}))
    return [Note(text) for text in texts]


def _on_rule(intervals: Intervals, scenario: Scenario, raters: np.ndarray) -> list[Text]:
    """Return whom a rule excluded in the bootstrap samples; nothing where raters were picked by hand alone."""
    by_hand, again = set(scenario.by_hand), intervals.exclusion_shares
    if set(scenario.left_out_codes) == by_hand:
        return []
    if again is None:
        return [("Intervals do not show that the rule might exclude others in other data.", {})]
    often = sorted(
        ((part, rater) for rater, part in again.items() if part > 0 and rater not in by_hand), reverse=True
    )
    who = [f"{shorten(raters[rater])} in {share(part)}" for part, rater in often]
    return [("In the bootstrap samples the rule excluded {who}.", {"who": listed(who) or "nobody"})]
