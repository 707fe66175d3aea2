"""Verdict on two systems, the paper's tables, all pairs, items by difficulty, and what is to be known of them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.items.rating_spread import effective_number
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
    clear_if,
    confidence_interval,
    excludes,
    name_of,
    not_enough_data,
    too_few,
    uncertain,
)
from features.plotting.numbers import count, points, share, share_with_interval
from features.systems import pairs_results
from features.systems.pairs_results import FEWEST_ITEMS, ComparedPair
from features.systems.scores_findings import EXACT, TENTH
from features.words import Column, counted, estimate_columns, listed, table_of, throughout, why_column

MOST_TIMES = 20
"""Multiple of its items that a study may be told to collect."""
_UNKNOWN = Estimate(np.nan)


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
    if poll.votes.weight is not None:
        items += f", effective n {count(effective_number(poll.votes.weight))} of {counted(len(poll.votes), 'choice')}"
    values = _pair(poll, why=pcch.reason, ahead=name_of(ahead), behind=behind, share=share(told.value))
    number = f"{ahead} {share(told.value)} by PCC-H"
    line = confidence_interval(told, share), items, raters, poll.design
    if not pcch.defined:
        headline = "PCC-H gives no preference between {first} and {second}: {why}."
        return not_enough_data(headline, values, *line)
    if preference.items < FEWEST_ITEMS:
        purpose, step = (
            "compare {first} and {second}",
            NextStep("Plan more items", "planning.py", {"plan": "Is one preferred?"}),
        )
        return too_few(purpose, values, items, FEWEST_ITEMS, number, *line, next_step=step)
    known = [one.value for one in shares.values() if one.defined]
    agreement = f"{throughout(sum(value > 0.5 for value in known), len(known), 'methods')} agree"
    if told.value == 0.5 or told.low <= 0.5 <= told.high:
        headline = "Neither {first} nor {second} is clearly preferred."
        needed = _items_needed(told, preference.items)
        return uncertain(headline, values, number, *line, agreement, needed)
    headline = "{ahead} is preferred over {behind} with a share of {share}."
    return clear_if(excludes(told, 0.5), headline, values, *line, "by PCC-H", agreement)


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


def methods_table(found: ComparedPair) -> Table:
    """Return the paper's Tables 2 to 6: the share of the system ahead, by method and design."""
    designs, poll = found.designs, found.poll
    system, _ = ahead_by(poll, found.preference.shares[PCCH])
    methods = [m for m in METHODS if any(m in one.shares for one in found.preferences.values())]
    columns, every = [Column("Method", [method_name(method, found.spec) for method in methods])], []
    for each in designs:
        shares = shares_of(each, found.preferences[each.name], system)
        every.append([shares.get(method, _UNKNOWN) for method in methods])
        which = f", {each.design}" if len(designs) > 1 else ""
        columns += estimate_columns(f"Share of {system}{which}", every[-1], TENTH)
    for other, between in found.differences.items():
        told = [of_the_other_list(between.get(m, _UNKNOWN), system == poll.second) for m in methods]
        name = f"{designs[0].design} minus {other}"
        columns += estimate_columns(name, told, TENTH, [points(one) for one in told])
    caption = "Share of the preference of {first} and {second} by method and design."
    undefined = why_column(zip(*every, strict=True))
    columns += [undefined] if any(undefined.values) else []
    return table_of("methods", (caption, _pair(poll)), columns)


def pair_notes(found: ComparedPair, in_first_position: Estimate) -> list[Note]:
    """Return who is dropped, and whether position matters."""
    position = Note(_position(found.poll, in_first_position))
    if not found.spec.dropped:
        return [position]
    dropped = [
        listed([str(each.rater_names[at]) for at in found.preferences[each.name].left_out])
        + (f" ({each.design})" if len(found.designs) > 1 else "")
        for each in found.designs
    ]
    text = "Dropped as least reliable on {first} and {second}: {who}."
    return [Note((text, _pair(found.poll, who="; ".join(dropped)))), position]


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
    """Return what counts as 0, or is based on little."""
    told: list[Text] = []
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
        *estimate_columns("Share by PCC-H", pcch, TENTH),
        *(Column(m, [shares.get(m, _UNKNOWN).value for shares in told], TENTH, False) for m in others),
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
        Column("Entropy", hard.entropy[order], EXACT),
        Column("Weight (W_q)", hard.weight[order], EXACT),
    ]
    if fitted is not None:
        columns.append(Column("Difficulty (GLAD)", fitted[order], EXACT))
    for name, answers in (("Expert", poll.expert), ("Gold", poll.gold)):
        if (answers >= 0).any():
            columns.append(Column(name, np.append(poll.options, "")[answers[order]]))
    caption = "Items of {first} and {second} from the hardest to the easiest, with their votes."
    return table_of("difficulty", (caption, _pair(poll)), columns, fold="Items by difficulty")
