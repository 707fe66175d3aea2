"""Verdict on two systems, the paper's tables, all pairs, items by difficulty, and what is to be known of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
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
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Table,
    Text,
    Warning,
    clear,
    confidence_interval,
    excludes,
    not_enough_data,
    too_few,
    uncertain,
)
from features.plotting.numbers import count, decimal, percent, points, share, share_with_interval
from features.systems import pairs_results
from features.systems.pairs_results import FEWEST_ITEMS, ComparedPair
from features.systems.scores_findings import system_name
from features.words import Column, counted, listed, table_of

MOST_TIMES = 20
"""Multiple of its items that a study may be told to collect."""
_UNKNOWN = Estimate(np.nan)
_EXACT, _TENTH = partial(decimal, digits=3), partial(share, digits=1)


def method_name(method: str, spec: PreferenceSpec) -> str:
    """Return the name of a method on the page."""
    return f"least reliable {count(spec.dropped)} dropped" if method == DROPPED else method


def ahead_by(poll: Poll, pcch: Estimate) -> tuple[str, str]:
    """Return the system with more than half of the preference, and the other; the first first where both have half."""
    return (poll.second, poll.first) if pcch.value < 0.5 else (poll.first, poll.second)


def _pair(poll: Poll, **more: object) -> dict[str, object]:
    return {"first": poll.first, "second": poll.second, **more}


def pair_finding(poll: Poll, preference: Preference) -> Finding:
    """Return which system is preferred by PCC-H, and whether the other methods agree."""
    pcch = preference.shares[PCCH]
    ahead, behind = ahead_by(poll, pcch)
    shares = shares_of(poll, preference, ahead)
    told = shares[PCCH]
    items, raters = counted(preference.items, "item"), counted(preference.raters, "rater")
    values = _pair(poll, why=pcch.reason, ahead=system_name(ahead), behind=behind, share=share(told.value))
    number, line = f"{ahead} {share(told.value)} by PCC-H", (confidence_interval(told, share), items, raters)
    if not pcch.defined:
        headline = "PCC-H gives no preference between {first} and {second}: {why}."
        return not_enough_data(headline, values, *line, poll.design)
    if preference.items < FEWEST_ITEMS:
        purpose, step = "compare {first} and {second}", NextStep("Plan more items", "planning.py")
        return too_few(purpose, values, items, FEWEST_ITEMS, number, *line, poll.design, next_step=step)
    agreement = _agreement(shares)
    if excludes(told, 0.5):
        headline = "{ahead} is preferred over {behind} with a share of {share}."
        return clear(headline, values, *line, poll.design, "by PCC-H", agreement)
    if np.isnan(told.low) and told.value > 0.5:
        headline = "{ahead} has {share} of the preference over {behind}."
        return uncertain(headline, values, *line, poll.design, "by PCC-H", agreement)
    needed = _items_needed(told, preference.items)
    headline = "Neither {first} nor {second} is clearly preferred."
    return uncertain(headline, values, number, *line, poll.design, agreement, needed)


def _items_needed(told: Estimate, items: int) -> str:
    number = items_to_tell(told, items)
    if told.value == 0.5:
        return ""
    if number > MOST_TIMES * items:
        return f"even {MOST_TIMES} times the items would not decide"
    digits = max(len(str(int(number))) - 2, 0)
    return f"about {count(round(number, -digits))} items like these would decide"


def shares_of(poll: Poll, preference: Preference, system: str) -> Mapping[str, Estimate]:
    """Return the share of one of two systems by each method."""
    if system == poll.first:
        return preference.shares
    return {method: of_the_second(one) for method, one in preference.shares.items()}


def _agreement(shares: Mapping[str, Estimate]) -> str:
    """Return whether all methods prefer the system whose shares these are."""
    known = {method: one.value for method, one in shares.items() if one.defined}
    against = [method for method, value in known.items() if value < 0.5]
    halves = [method for method, value in known.items() if value == 0.5]
    if not against and not halves:
        return f"all {len(known)} {'' if len(known) == len(shares) else 'defined '}methods agree"
    told = [f"the opposite by {listed(against, len(METHODS))}"] if against else []
    return ", ".join(told + ([f"a tie by {listed(halves, len(METHODS))}"] if halves else []))


def methods_table(found: ComparedPair) -> Table:
    """Return the paper's Tables 2 to 6: the share of the system ahead, by method and design."""
    designs, poll = found.designs, found.poll
    system, _ = ahead_by(poll, found.preference.shares[PCCH])
    methods = [m for m in METHODS if any(m in one.shares for one in found.preferences.values())]
    columns = [Column("Method", [method_name(method, found.spec) for method in methods])]

    def add(heading: str, interval: str, told: list[Estimate], write: Callable[[Estimate], str]) -> None:
        columns.append(Column(heading, [one.value for one in told], [write(one) for one in told]))
        columns.append(Column(interval, [percent(one, 1) for one in told], None, False))

    for each in designs:
        shares = shares_of(each, found.preferences[each.name], system)
        which = f", {each.design}" if len(designs) > 1 else ""
        told = [shares.get(method, _UNKNOWN) for method in methods]
        add(f"Share of {system}{which}", f"95% CI{which}", told, partial(share_with_interval, digits=1))
    for other, between in found.differences.items():
        which = f" to {other}" if len(found.differences) > 1 else ""
        told = [of_the_other_list(between.get(m, _UNKNOWN), system == poll.second) for m in methods]
        add(f"{designs[0].design} minus {other}", f"95% CI of the difference{which}", told, points)
    caption = "Share of the preference of {first} and {second} by method and design."
    return table_of("methods", (caption, _pair(poll)), columns)


def pair_notes(found: ComparedPair, in_first_position: Estimate) -> list[Note]:
    """Return the sizes of the designs, their differences, who is dropped, and whether position matters."""
    poll, designs = found.poll, found.designs
    system, behind = ahead_by(poll, found.preference.shares[PCCH])
    of_design = {each.name: f" ({each.design})" if len(designs) > 1 else "" for each in designs}
    sizes = [
        f"{counted(len(each.votes), 'choice')} of {counted(each.votes.items, 'item')} by "
        f"{counted(each.votes.raters, 'rater')}{of_design[each.name]}"
        for each in designs
    ]
    told: list[Text] = [("{first} and {second} were compared in {what}.", _pair(poll, what=listed(sizes)))]
    for design, between in found.differences.items():
        one = of_the_other_list(between.get(PCCH, _UNKNOWN), system == poll.second)
        verdict = "the design matters" if excludes(one) else "no clear effect of the design"
        text = (
            "By PCC-H the share of {system} over {behind} under {one} minus that under {other} is {points}: "
        )
        values = {"system": system, "behind": behind, "one": designs[0].design, "other": design}
        told += [] if np.isnan(one.low) else [(f"{text}{verdict}.", {**values, "points": points(one)})]
    if found.spec.dropped:
        dropped = [
            listed([str(each.rater_names[at]) for at in found.preferences[each.name].left_out])
            + of_design[each.name]
            for each in designs
        ]
        text = "Dropped as least reliable on {first} and {second}: {who}."
        told.append((text, _pair(poll, who="; ".join(dropped))))
    told.append(_position(poll, in_first_position))
    return [Note(text) for text in told]


def _position(poll: Poll, in_first: Estimate) -> Text:
    if poll.first_shown.all() or not poll.first_shown.any():
        text = "{first} and {second} never swapped positions, so the effect of position is unknown."
        return text, _pair(poll)
    if not in_first.defined:
        text = "The effect of position on {first} and {second} is undefined: {why}."
        return text, _pair(poll, why=in_first.reason)
    verdict = "position matters" if excludes(in_first, 0.5) else "no clear effect of position"
    text = f"Of {{n}} choices of {{first}} or {{second}}, {{share}} went to the one in first position: {verdict}."
    return text, _pair(poll, n=count(in_first.n), share=share_with_interval(in_first))


def pair_warnings(poll: Poll, preference: Preference, spec: PreferenceSpec) -> list[Warning]:
    """Return what is undefined, counts as 0 or is based on little."""
    reasons: dict[str, list[str]] = {}
    for method, estimate in preference.shares.items():
        if not estimate.defined:
            reasons.setdefault(estimate.reason, []).append(method_name(method, spec))
    told = [
        (f"Undefined by {listed(methods, 9)}: {{why}}.", {"why": why}) for why, methods in reasons.items()
    ]
    most, lone = pairs_results.QUICK_VOTES, poll.votes.raters == 1
    if len(poll.votes) > most:
        told.append((f"GLAD has no interval above {count(most)} votes: it would take too long.", {}))
    if preference.flagged:
        who = listed([str(poll.rater_names[rater]) for rater in preference.flagged])
        text = "r_w is undefined, and counts as 0, for {who}: no variation, or no item shared."
        told.append((text, {"who": who}))
    if preference.below_minimum:
        light = counted(preference.below_minimum, "item")
        told.append((f"PCC-H gives no weight to {light} with fewer than {spec.min_votes} votes.", {}))
    if preference.equally_weighted:
        equal = counted(preference.equally_weighted, "item")
        told.append((f"Votes count equally on {equal} that no rater with positive r_w judged.", {}))
    if preference.no_item_weights:
        told.append(("PCC-H weighs all items equally: none has a clear majority and enough votes.", {}))
    if not preference.resampled:
        told.append(("Intervals need two items.", {}))
    elif preference.resampled != "items and raters":
        why = "there is one rater" if lone else "rater ids are slots"
        told.append((f"Intervals cover other items only, since {why}.", {}))
    return [Warning(("{poll}: " + text, {**values, "poll": poll.name})) for text, values in told]


def pairs_table(found: Sequence[tuple[Poll, Preference]]) -> Table:
    """Return per comparison the system ahead by PCC-H, and its share by each method."""
    ahead = [ahead_by(poll, one.shares[PCCH])[0] for poll, one in found]
    told = [shares_of(poll, one, system) for (poll, one), system in zip(found, ahead, strict=True)]
    pcch = [shares[PCCH] for shares in told]
    named = [system if e.defined else "" for system, e in zip(ahead, pcch, strict=True)]
    others = [method for method in METHODS if method != PCCH and any(method in shares for shares in told)]
    columns = [
        Column("Comparison", [poll.name for poll, _ in found]),
        Column("Ahead by PCC-H", named),
        Column("Share by PCC-H", [e.value for e in pcch], [share_with_interval(e, 1) for e in pcch]),
        Column("95% CI", [percent(e, 1) for e in pcch], None, False),
        *(Column(m, [shares.get(m, _UNKNOWN).value for shares in told], _TENTH, False) for m in others),
        Column("Items", [one.items for _, one in found], count),
        Column("Raters", [one.raters for _, one in found], count),
        Column("Votes", [one.votes for _, one in found], count),
    ]
    caption = "Comparisons: the system ahead by PCC-H, and its share by each method."
    return table_of("comparisons", caption, columns)


def items_table(poll: Poll, hard: Difficulty, fitted: NDArray[np.float64] | None) -> Table:
    """Return one row per item, the hardest first; `fitted` holds GLAD's difficulties."""
    order = np.lexsort([-hard.entropy] if fitted is None else [-fitted, -hard.entropy])
    columns = [
        Column("Item", poll.item_names[order]),
        *(Column(f"{name}: votes", hard.chosen[order, at]) for at, name in enumerate(poll.options)),
        Column("Entropy", hard.entropy[order], _EXACT),
        Column("Weight (W_q)", hard.weight[order], _EXACT),
    ]
    if fitted is not None:
        columns.append(Column("Difficulty (GLAD)", fitted[order], _EXACT))
    for name, answers in (("Expert", poll.expert), ("Gold", poll.gold)):
        if (answers >= 0).any():
            columns.append(Column(name, np.append(poll.options, "")[answers[order]]))
    caption = "Items of {first} and {second} from the hardest to the easiest, with their votes."
    return table_of("difficulty", (caption, _pair(poll)), columns, fold="Items by difficulty")
