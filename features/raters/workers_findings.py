"""Verdicts and tables on raters of choices: agreement beyond chance, and how far the methods agree."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isnan

import numpy as np
import pandas as pd

from analysis.values.estimate import Estimate
from analysis.workers.polls import Poll
from features.blocks import Finding, NextStep, Note, Status, Table, Text
from features.evidence import capitalized, for_raters
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, share
from features.raters.consistency_findings import ORDER, TABLE, verdict_columns
from features.raters.naming_findings import naming_finding
from features.raters.ranking import CHANCE, RankedRater, RaterRanking
from features.raters.workers_results import DAWID_SKENE, GLAD, MAJORITY, R_W, WorkersFound
from features.study import Scenario
from features.tables import Column, Shown, estimate_columns, table_of
from features.verdicts import clear, not_enough_data, too_few
from features.words import counted, number_repeats, throughout

STOPPED = Finding(("The ranking of the raters was stopped.", {}), status=Status.NOT_APPLICABLE)
_EXACT, _TENTH = partial(decimal, digits=3), partial(decimal, digits=1)
_PERCENT = partial(share, digits=1)
_NAMED = 3
"""Raters named in the evidence."""


def chance_finding(found: WorkersFound) -> Finding:
    """Return how many raters do not agree with the others beyond chance."""
    raters = judged(found.ranking)
    if not raters:
        return _missing(found)
    low = sorted((one for one in raters if one.mark == CHANCE), key=lambda one: -one.figure.value)
    values: dict[str, object] = {"k": count(len(low)), "n": count(len(raters))}
    headline = (
        f"{{k}} of {{n}} raters {'does' if len(low) == 1 else 'do'} not agree with the others beyond chance."
    )
    if low and len(raters) == 1:
        headline = "The {n} rater with enough items does not agree with the others beyond chance."
    if not low:
        values["all"] = capitalized(throughout(len(raters), len(raters), "raters"))
        headline = "{all} agree with the others beyond chance."
        if len(raters) == 1:
            headline = "The {n} rater with enough items agrees with the others beyond chance."
    shown = low[-_NAMED:] or [min(raters, key=lambda one: one.figure.value)]
    named = [f"{one.name} r_w {decimal_with_interval(one.figure)}" for one in reversed(shown)]
    return clear(
        headline,
        values,
        f"Lowest: {named[0]}",
        *named[1:],
        "95% CI of each",
        counted(found.all_items, "item"),
        for_raters("raters like these"),
    )


def judged(ranking: RaterRanking) -> list[RankedRater]:
    """Return the raters with enough items whose agreement has an interval."""
    return [one for one in ranking.with_enough if not isnan(one.figure.low)]


def _missing(found: WorkersFound) -> Finding:
    ranking, step = found.ranking, NextStep("Upload more choices", "datasets.py")
    most = max((one.figure.n for one in ranking.raters), default=0)
    if most < ranking.fewest:
        purpose, there = "compare raters", f"{counted(most, 'shared item')} per rater"
        return too_few(purpose, {}, there, ranking.fewest, next_step=step)
    reasons = [one.figure.reason for one in ranking.raters if one.figure.reason]
    return not_enough_data(
        "Not enough data to say who agrees with the others: {reason}.",
        {"reason": reasons[0] if reasons else "no interval is defined"},
        next_step=step,
    )


def typical_finding(found: WorkersFound) -> Finding | None:
    """Return who is clearly less or more consistent than the typical rater; None where too few can be compared."""
    finding = replace(naming_finding([found.ranking.compared]), name="typical")
    return None if finding.status is Status.NOT_ENOUGH_DATA else finding


def exclusion_finding(found: WorkersFound, everyone: WorkersFound, scenario: Scenario) -> Finding:
    """Return how many raters do not agree beyond chance without the excluded ones, and with everyone."""
    before, after = (sum(one.mark == CHANCE for one in judged(of.ranking)) for of in (everyone, found))
    who = scenario.who if len(scenario.names) == 1 else "the excluded raters"
    values: dict[str, object] = {"who": who, "after": count(after)}
    if before == after:
        headline = "Without {who}, the number of raters not beyond chance stays {after}."
    elif not after:
        headline = "Without {who}, all raters agree with the others beyond chance."
    else:
        verb = "rater does" if after == 1 else "raters do"
        headline = f"Without {{who}}, {{after}} {verb} not agree with the others beyond chance."
    median = [
        np.median([one.figure.value for one in judged(of.ranking)] or [np.nan]) for of in (found, everyone)
    ]
    return clear(
        headline,
        values,
        f"With everyone {count(before)}",
        f"median r_w {decimal(float(median[0]))} and {decimal(float(median[1]))}",
        counted(len(found.ranking.raters), "rater"),
        "in these choices",
        name="exclusion",
    )


def workers_table(found: WorkersFound) -> Table:
    """Return a row per rater with its figure by every method."""
    raters, known = found.ranking.raters, found.known
    figure, *ends = estimate_columns(R_W, [one.figure for one in raters], _EXACT)
    columns = [
        Column("Rater", [one.name for one in raters]),
        figure,
        Column("Items", found.items, count),
        *verdict_columns(raters),
    ]
    if known:
        answers, *more = estimate_columns(f"e_w, {known}", _known(raters), _PERCENT)
        columns.append(answers)
        ends += [*more, Column("Items known", [one.n for one in _known(raters)], count, False)]
    columns += [
        Column(MAJORITY, found.methods[MAJORITY], _PERCENT, False),
        Column(GLAD, found.methods[GLAD], _EXACT, False),
        Column(DAWID_SKENE, found.methods[DAWID_SKENE], _PERCENT, False),
    ]
    if (found.votes != found.items).any():
        columns.append(Column("Votes", found.votes, count, False))
    if not np.isnan(found.seconds).all():
        columns.append(Column("Seconds", found.seconds, _TENTH, False))
    return table_of(TABLE, f"Agreement of each rater with the others, {ORDER}.", [*columns, *ends])


def _known(raters: Sequence[RankedRater]) -> list[Estimate]:
    return [one.known or Estimate(np.nan) for one in raters]


def votes_table(polls: Sequence[Poll]) -> Shown:
    """Return how often each option of each poll was chosen."""
    rows = [
        {
            "Comparison": poll.name,
            "Items": poll.votes.items,
            "Raters": poll.votes.raters,
            "Option": option,
            "Votes": votes,
        }
        for poll in polls
        for option, votes in zip(poll.options, poll.votes.per_option.tolist(), strict=True)
    ]
    return pd.DataFrame(rows), dict.fromkeys(("Votes", "Items", "Raters"), count)


def methods_table(found: WorkersFound) -> Table:
    """Return Spearman's rho of method pairs over raters, with the number of raters."""
    names, rho = list(found.methods), found.rank_correlations

    def cell(one: str, other: str) -> str:
        of_both = rho.get((one, other), rho.get((other, one)))
        if of_both is None:
            return ""
        return f"{decimal(of_both.value) if of_both.defined else '–'} ({count(of_both.n)})"

    caption = "Spearman's ρ of each pair of methods, with the number of raters."
    columns = [
        Column("Method", names),
        *(Column(other, [cell(one, other) for one in names]) for other in names),
    ]
    return table_of("methods", caption, columns)


def methods_notes(found: WorkersFound) -> list[Note]:
    """Return which methods agree least on these raters, what that means, and why some have no correlation."""
    told: list[Text] = []
    known = {pair: rho for pair, rho in found.rank_correlations.items() if rho.defined}
    if known:
        (one, other), lowest = min(known.items(), key=lambda entry: entry[1].value)
        if lowest.value < max(rho.value for rho in known.values()):
            ends = "" if isnan(lowest.low) else f" ({interval(lowest)})"
            values = {"one": one, "other": other, "rho": decimal(lowest.value) + ends}
            told.append(("Methods agree least on {one} and {other}: ρ = {rho}.", values))
        told.append(
            (
                "Methods mean different things by reliable. r_w and the majority compare a rater with the others; GLAD "
                "also counts how hard items are; Dawid-Skene forgives a rater who always confuses the same options; "
                "only e_w uses known answers. Look at the choices of a rater whom methods rank differently.",
                {},
            )
        )
    reasons = sorted({rho.reason for rho in found.rank_correlations.values() if not rho.defined})
    dashes: list[Text] = [("A dash: {reason}.", {"reason": one}) for one in reasons]
    return [Note(text) for text in number_repeats([*told, *dashes])]


def workers_notes(found: WorkersFound) -> list[Note]:
    """Return how intervals were made, and who has no weight in PCC-H."""
    told: list[Text] = []
    if found.intervals:
        told.append(("Intervals: {how}.", {"how": found.intervals}))
    below = sum(one.figure.value <= 0 for one in found.ranking.raters if one.figure.defined)
    if below:
        text = "Raters with an r_w of 0 or less have no weight in PCC-H: {below}."
        told.append((text, {"below": count(below)}))
    return [Note(text) for text in told]
