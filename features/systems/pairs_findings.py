"""Verdict on two systems, the paper's tables, all pairs, items by difficulty, and what is to be known of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.systems.preference import (
    DROPPED,
    METHODS,
    PCCH,
    Preference,
    PreferenceSpec,
    items_to_tell,
    of_the_other_list,
    of_the_second,
)
from analysis.values.estimate import Estimate
from analysis.workers.pcch import Difficulty
from analysis.workers.polls import Poll
from features.blocks import Finding, NextStep, Note, Status, Table, Text, Warning
from features.evidence import confidence_interval, evidence
from features.plotting.numbers import count, decimal, percent, points, share, share_with_interval
from features.systems import pairs_results
from features.systems.pairs_results import FEWEST_ITEMS, ComparedPair
from features.systems.scores_findings import system_name
from features.tables import Written
from features.verdicts import excludes
from features.words import counted, listed

MOST_TIMES = 20
"""Multiple of its items that a study may be told to collect."""
_EXACT = partial(decimal, digits=3)
_UNKNOWN = Estimate(np.nan)


def method_name(method: str, spec: PreferenceSpec) -> str:
    """Return the name of a method on the page."""
    return f"least reliable {count(spec.dropped)} dropped" if method == DROPPED else method


def ahead_by(poll: Poll, pcch: Estimate) -> tuple[str, str]:
    """Return the system with more than half of the preference, and the other; the first first where both have half."""
    return (poll.second, poll.first) if pcch.value < 0.5 else (poll.first, poll.second)


def pair_finding(poll: Poll, preference: Preference) -> Finding:
    """Return which system is preferred by PCC-H, and whether the other methods agree."""
    pcch = preference.shares[PCCH]
    ahead, behind = ahead_by(poll, pcch)
    told = _share_of(poll, pcch, ahead)
    items, raters = counted(preference.items, "item"), counted(preference.raters, "rater")
    values: dict[str, object] = {"first": poll.first, "second": poll.second, "why": pcch.reason}
    values |= {"ahead": system_name(ahead), "behind": behind, "share": share(told.value)}
    number, method = f"{ahead} {share(told.value)} by PCC-H", "by PCC-H"
    numbers = confidence_interval(told, share), items, raters, poll.design
    if not pcch.defined:
        headline = "PCC-H gives no preference between {first} and {second}: {why}."
        return Finding((headline, values), evidence(*numbers), Status.NOT_ENOUGH_DATA)
    if preference.items < FEWEST_ITEMS:
        headline = f"Not enough data to compare {{first}} and {{second}}: {items}, it needs {FEWEST_ITEMS}."
        step = NextStep("Plan more items", "planning.py")
        return Finding((headline, values), evidence(number, *numbers), Status.NOT_ENOUGH_DATA, next_step=step)
    agreement = _agreement(poll, preference, ahead)
    if np.isnan(told.low) and told.value > 0.5:
        headline = "{ahead} has {share} of the preference over {behind}."
        return Finding((headline, values), evidence(*numbers, method, agreement), Status.UNCERTAIN)
    if excludes(told, 0.5):
        headline = "{ahead} is preferred over {behind} with a share of {share}."
        return Finding((headline, values), evidence(*numbers, method, agreement), Status.CLEAR)
    line = evidence(number, *numbers, agreement, _items_needed(told, preference.items))
    return Finding(("Neither {first} nor {second} is clearly preferred.", values), line, Status.UNCERTAIN)


def _items_needed(told: Estimate, items: int) -> str:
    number = items_to_tell(told, items)
    if told.value == 0.5:
        return ""
    if number > MOST_TIMES * items:
        return f"even {MOST_TIMES} times the items would not decide"
    digits = max(len(str(int(number))) - 2, 0)
    return f"about {count(round(number, -digits))} items like these would decide"


def _share_of(poll: Poll, first: Estimate, system: str) -> Estimate:
    return first if system == poll.first else of_the_second(first)


def _agreement(poll: Poll, preference: Preference, ahead: str) -> str:
    known = {method: _share_of(poll, e, ahead).value for method, e in preference.shares.items() if e.defined}
    against = [method for method, value in known.items() if value < 0.5]
    halves = [method for method, value in known.items() if value == 0.5]
    if not against and not halves:
        defined = "" if len(known) == len(preference.shares) else "defined "
        return f"all {len(known)} {defined}methods agree"
    told = [f"the opposite by {listed(against, len(METHODS))}"] if against else []
    return ", ".join(told + ([f"a tie by {listed(halves, len(METHODS))}"] if halves else []))


def methods_table(found: ComparedPair) -> Table:
    """Return the paper's Tables 2 to 6: the share of the system ahead, by method and design."""
    designs, poll = found.designs, found.poll
    system, _ = ahead_by(poll, found.preference.shares[PCCH])
    methods = [m for m in METHODS if any(m in one.shares for one in found.preferences.values())]
    columns: dict[str, Any] = {"Method": [method_name(method, found.spec) for method in methods]}
    formats: dict[str, Written] = {}

    def add(head: str, interval: str, told: list[Estimate], write: Callable[[Estimate], str]) -> None:
        columns[head] = [one.value for one in told]
        columns[interval] = [percent(one, 1) for one in told]
        formats[head] = [write(one) for one in told]

    for each in designs:
        shares = found.preferences[each.name].shares
        which = f", {each.design}" if len(designs) > 1 else ""
        told = [_share_of(each, shares.get(m, _UNKNOWN), system) for m in methods]
        add(f"Share of {system}{which}", f"95% CI{which}", told, partial(share_with_interval, digits=1))
    for other, between in found.differences.items():
        which = f" to {other}" if len(found.differences) > 1 else ""
        told = [of_the_other_list(between.get(m, _UNKNOWN), system == poll.second) for m in methods]
        add(f"{designs[0].design} minus {other}", f"95% CI of the difference{which}", told, points)
    pair = {"first": poll.first, "second": poll.second}
    caption: Text = ("Share of the preference of {first} and {second} by method and design.", pair)
    return Table("methods", caption, pd.DataFrame(columns), ("Method", *formats), formats)


def pair_notes(found: ComparedPair, in_first_position: Estimate) -> list[Note]:
    """Return the sizes of the designs, their differences, who is dropped, and whether position matters."""
    poll, designs = found.poll, found.designs
    system, behind = ahead_by(poll, found.preference.shares[PCCH])

    several = len(designs) > 1
    sizes = [
        f"{counted(len(each.votes), 'choice')} of {counted(each.votes.items, 'item')} by "
        f"{counted(each.votes.raters, 'rater')}" + (f" ({each.design})" if several else "")
        for each in designs
    ]
    pair = {"first": poll.first, "second": poll.second}
    text = "{first} and {second} were compared in {what}."
    told: list[Text] = [(text, {**pair, "what": listed(sizes)})]
    for design, between in found.differences.items():
        one = of_the_other_list(between.get(PCCH, _UNKNOWN), system == poll.second)
        verdict = "the design matters" if excludes(one) else "no clear effect of the design"
        template = (
            "By PCC-H the share of {system} over {behind} under {one} minus that under {other} is {points}: "
        )
        values = {"system": system, "behind": behind, "one": designs[0].design, "other": design}
        told += [] if np.isnan(one.low) else [(f"{template}{verdict}.", {**values, "points": points(one)})]
    if found.spec.dropped:
        dropped = [
            listed([str(each.rater_names[at]) for at in found.preferences[each.name].left_out])
            + (f" ({each.design})" if several else "")
            for each in designs
        ]
        text = "Dropped as least reliable on {first} and {second}: {who}."
        told.append((text, {**pair, "who": "; ".join(dropped)}))
    if poll.first_shown.all() or not poll.first_shown.any():
        template = "{first} and {second} never swapped positions, so the effect of position is unknown."
        told.append((template, pair))
    elif in_first_position.defined:
        verdict = "position matters" if excludes(in_first_position, 0.5) else "no clear effect of position"
        template = "Of {n} choices of {first} or {second}, {share} went to the one in first position: "
        values = {"n": count(in_first_position.n), "share": share_with_interval(in_first_position)}
        told.append((f"{template}{verdict}.", {**pair, **values}))
    else:
        template = "The effect of position on {first} and {second} is undefined: {why}."
        told.append((template, {**pair, "why": in_first_position.reason}))
    return [Note(text) for text in told]


def pair_warnings(poll: Poll, preference: Preference, spec: PreferenceSpec) -> list[Warning]:
    """Return what is undefined, counts as 0 or is based on little."""
    reasons: dict[str, list[str]] = {}
    for method, estimate in preference.shares.items():
        if not estimate.defined:
            reasons.setdefault(estimate.reason, []).append(method_name(method, spec))
    told: list[Text] = [
        ("Undefined by {methods}: {why}.", {"methods": listed(methods, 9), "why": why})
        for why, methods in reasons.items()
    ]
    lone = "there is one rater" if poll.votes.raters == 1 else "rater ids are slots"
    values = {
        "most": count(pairs_results.QUICK_VOTES),
        "who": listed([str(poll.rater_names[rater]) for rater in preference.flagged]),
        "light": counted(preference.below_minimum, "item"),
        "least": spec.min_votes,
        "equal": counted(preference.equally_weighted, "item"),
        "reach": f"cover other items only, since {lone}" if preference.resampled else "need two items",
    }
    many = len(poll.votes) > pairs_results.QUICK_VOTES
    for holds, text in (
        (many, "GLAD has no interval above {most} votes: it would take too long."),
        (
            preference.flagged,
            "r_w is undefined, and counts as 0, for {who}: no variation, or no item shared.",
        ),
        (preference.below_minimum, "PCC-H gives no weight to {light} with fewer than {least} votes."),
        (
            preference.equally_weighted,
            "Votes count equally on {equal} that no rater with positive r_w judged.",
        ),
        (
            preference.no_item_weights,
            "PCC-H weighs all items equally: none has a clear majority and enough votes.",
        ),
        (preference.resampled != "items and raters", "Intervals {reach}."),
    ):
        told += [(text, values)] if holds else []
    return [Warning(("{poll}: " + text, {**needed, "poll": poll.name})) for text, needed in told]


def pairs_table(polls: Sequence[Poll], preferences: Mapping[str, Preference]) -> Table:
    """Return per comparison the system ahead by PCC-H, and its share by each method."""
    rows, intervals = [], []
    for poll in polls:
        one = preferences[poll.name]
        pcch = one.shares[PCCH]
        ahead, _ = ahead_by(poll, pcch)
        told = _share_of(poll, pcch, ahead)
        intervals.append(share_with_interval(told, 1))
        rows.append(
            {
                "Comparison": poll.name,
                "Ahead by PCC-H": ahead if pcch.defined else "",
                "Share by PCC-H": told.value,
                "95% CI": percent(told, 1),
                **{m: _share_of(poll, e, ahead).value for m, e in one.shares.items() if m != PCCH},
                "Items": one.items,
                "Raters": one.raters,
                "Votes": one.votes,
            }
        )
    formats: dict[str, Written] = dict.fromkeys(METHODS, partial(share, digits=1))
    formats |= {"Share by PCC-H": intervals, **dict.fromkeys(("Items", "Raters", "Votes"), count)}
    first = "Comparison", "Ahead by PCC-H", "Share by PCC-H", "Items", "Raters", "Votes"
    caption: Text = ("Comparisons: the system ahead by PCC-H, and its share by each method.", {})
    return Table("comparisons", caption, pd.DataFrame(rows), first, formats)


def items_table(poll: Poll, hard: Difficulty, fitted: NDArray[np.float64] | None) -> Table:
    """Return one row per item, the hardest first; `fitted` holds GLAD's difficulties."""
    columns: dict[str, Any] = {"Item": poll.item_names}
    columns |= {f"{option}: votes": hard.chosen[:, at] for at, option in enumerate(poll.options)}
    columns |= {"Entropy": hard.entropy, "Weight (W_q)": hard.weight}
    order = ["Entropy"]
    if fitted is not None:
        columns["Difficulty (GLAD)"] = fitted
        order.append("Difficulty (GLAD)")
    for name, answers in (("Expert", poll.expert), ("Gold", poll.gold)):
        if (answers >= 0).any():
            columns[name] = np.append(poll.options, "")[answers]
    table = pd.DataFrame(columns).sort_values(order, ascending=False, ignore_index=True, kind="stable")
    caption: Text = ("Items from the hardest to the easiest, with their votes.", {})
    formats = dict.fromkeys(("Entropy", "Weight (W_q)", "Difficulty (GLAD)"), _EXACT)
    return Table("items", caption, table, formats=formats, fold="Items by difficulty")
