"""Which of two systems wins: the finding, the paper's tables, all pairs, and the items by difficulty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from features.blocks import Finding
from features.plotting.numbers import count, decimal, percent, points, share
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data, uncertain
from features.words import Sentence, counted, listed

FEWEST_ITEMS = 10
"""Items below which no system is said to win."""
MOST_TIMES = 20
"""How many times its items a study may be told to collect."""
_SHARE_OF, _LESS = "Share of ", " less "
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_EXACT = partial(decimal, digits=3)
_TENTH = partial(share, digits=1)


@dataclass(frozen=True, eq=False)
class UnderDesigns:
    """Preferences for one pair of systems under each of its `designs`, by name of the poll.

    `poll` is the one asked for; `differences` are of the first system's share under the first design less that under
    another, by the other's name and by method.
    """

    poll: Poll
    designs: Sequence[Poll]
    spec: PreferenceSpec
    preferences: Mapping[str, Preference]
    differences: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)

    @property
    def chosen(self) -> Preference:
        """The preference in the poll asked for."""
        return self.preferences[self.poll.name]

    @property
    def ahead(self) -> str:
        """The system ahead by PCC-H in the poll asked for."""
        return winner(self.poll, self.chosen.shares[PCCH])


def method_name(method: str, spec: PreferenceSpec) -> str:
    """What a method is called on the page."""
    return f"least reliable {count(spec.dropped)} dropped" if method == DROPPED else method


def finding(poll: Poll, preference: Preference) -> Finding:
    """Which system wins by PCC-H, how surely, and whether the other methods agree."""
    ours = preference.shares[PCCH]
    if not ours.defined:
        return not_enough_data(
            "Which of {first} and {second} wins is undefined by PCC-H: {why}.",
            {"first": poll.first, "second": poll.second, "why": ours.reason},
        )
    ahead, behind = winner(poll, ours), _loser(poll, ours)
    told = _share_of(poll, ours, ahead)
    values: dict[str, object] = {"ahead": ahead, "behind": behind, "share": share(told.value)}
    between = ""
    if not np.isnan(told.low):
        between = " ({between})"
        values["between"] = percent(told)
    values["agreement"] = _agreement(poll, preference, ahead)
    if preference.items < FEWEST_ITEMS:
        values |= {"items": counted(preference.items, "item"), "least": FEWEST_ITEMS}
        return not_enough_data(
            "Which of {ahead} and {behind} wins <b>cannot be told</b> from {items}: {least} or more would be needed. "
            "By PCC-H {ahead} has {share}" + between + ".",
            values,
        )
    if ours.value == 0.5:
        return uncertain(
            "Neither {ahead} nor {behind} is ahead by PCC-H: <b>{share}</b>" + between + ".", values
        )
    if told.low <= 0.5:
        return uncertain(
            "{ahead} has <b>{share}</b>"
            + between
            + " against {behind} by PCC-H: <b>not distinguishable from "
            "50 %</b>{needed}; {agreement}.",
            values | {"needed": _needed(told, preference.items)},
        )
    return clear_if(
        told.low > 0.5,
        "<b>{ahead}</b> wins over {behind} with <b>{share}</b>" + between + " by PCC-H; {agreement}.",
        values,
    )


def _needed(told: Estimate, items: int) -> str:
    """What would tell, where that is within reach."""
    number = items_to_tell(told, items)
    if number > MOST_TIMES * items:
        return f" (not even {MOST_TIMES} times the items would tell)"
    digits = max(len(str(int(number))) - 2, 0)
    return f" (about {count(round(number, -digits))} items like these would tell)"


def winner(poll: Poll, ours: Estimate) -> str:
    """The system with more than half of the preference; the first where both have half."""
    return poll.second if ours.value < 0.5 else poll.first


def _loser(poll: Poll, ours: Estimate) -> str:
    return poll.first if ours.value < 0.5 else poll.second


def _share_of(poll: Poll, ours: Estimate, system: str) -> Estimate:
    return ours if system == poll.first else of_the_second(ours)


def _agreement(poll: Poll, preference: Preference, ahead: str) -> str:
    known = {method: _share_of(poll, e, ahead).value for method, e in preference.shares.items() if e.defined}
    against = [method for method, value in known.items() if value < 0.5]
    halves = [method for method, value in known.items() if value == 0.5]
    defined = "" if len(known) == len(preference.shares) else " that are defined"
    if not against and not halves:
        return f"all {_NUMBERS.get(len(known), len(known))} methods{defined} agree"
    told = [f"{listed(against, len(METHODS))} would have it the other way round"] if against else []
    return ", ".join(told + ([f"a draw by {listed(halves, len(METHODS))}"] if halves else []))


def methods_table(under: UnderDesigns) -> Shown:
    """The paper's Tables 2 to 6: the share of the system that wins, by method and design."""
    designs, system = under.designs, under.ahead
    methods = [m for m in METHODS if any(m in preference.shares for preference in under.preferences.values())]
    columns: dict[str, Any] = {"Method": [method_name(method, under.spec) for method in methods]}
    for each in designs:
        shares = under.preferences[each.name].shares
        told = [_share_of(each, shares.get(m, Estimate(np.nan)), system) for m in methods]
        which = f", {each.design}" if len(designs) > 1 else ""
        columns[f"{_SHARE_OF}{system}{which}"] = [e.value for e in told]
        columns[f"95 %{which}"] = [percent(e, 1) for e in told]
    for design, between in under.differences.items():
        told = [_difference(under, between, m) for m in methods]
        columns[f"{designs[0].design}{_LESS}{design}"] = [e.value for e in told]
        columns[f"95 % of the difference{f' to {design}' if len(under.differences) > 1 else ''}"] = [
            percent(e, 1) for e in told
        ]
    shares_of = [name for name in columns if name.startswith(_SHARE_OF) or _LESS in name]
    return pd.DataFrame(columns), dict.fromkeys(shares_of, _TENTH)


def _difference(under: UnderDesigns, between: Mapping[str, Estimate], method: str) -> Estimate:
    """Of the shares of the system that is ahead."""
    return of_the_other_list(between.get(method, Estimate(np.nan)), under.ahead == under.poll.second)


def notes(under: UnderDesigns, in_first_position: Estimate) -> list[Sentence]:
    """What the figures rest on, whether the design matters, and whether the position does."""
    poll, designs = under.poll, under.designs
    told: list[Sentence] = [
        (
            "Rests on {what}.",
            {
                "what": "; ".join(
                    f"{_under(designs, each)}{counted(len(each.votes), 'choice')} of "
                    f"{counted(each.votes.items, 'item')} by "
                    f"{counted(each.votes.raters, 'worker')}"
                    for each in designs
                )
            },
        )
    ]
    for design, between in under.differences.items():
        one = _difference(under, between, PCCH)
        if not np.isnan(one.low):
            told.append(
                (
                    "By PCC-H the share of {system} under {one} less that under {other} is {points}: "
                    + (
                        "the design matters." if one.low > 0 or one.high < 0 else "no difference can be told."
                    ),
                    {"system": under.ahead, "one": designs[0].design, "other": design, "points": points(one)},
                )
            )
    if under.spec.dropped:
        told.append(
            (
                "Dropped: {who}.",
                {
                    "who": "; ".join(
                        _under(designs, each)
                        + listed([str(each.rater_names[at]) for at in under.preferences[each.name].left_out])
                        for each in designs
                    )
                },
            )
        )
    if poll.first_shown.all() or not poll.first_shown.any():
        told.append(
            (
                "{first} and {second} never changed places, so a bias for a position cannot be told.",
                {"first": poll.first, "second": poll.second},
            )
        )
    elif in_first_position.defined:
        biased = in_first_position.low > 0.5 or in_first_position.high < 0.5
        told.append(
            (
                "Of {n} choices of a list, {share} ({between}) went to the one in first position: "
                + ("workers lean to a position." if biased else "no bias for a position can be told."),
                {
                    "n": count(in_first_position.n),
                    "share": share(in_first_position.value),
                    "between": percent(in_first_position),
                },
            )
        )
    else:
        told.append(("Bias for a position is undefined: {why}.", {"why": in_first_position.reason}))
    return told


def _under(designs: Sequence[Poll], poll: Poll) -> str:
    return f"{poll.design}: " if len(designs) > 1 else ""


def remarks(poll: Poll, preference: Preference, spec: PreferenceSpec, most_votes: int) -> list[Sentence]:
    """What is undefined, flagged or rests on little, each once; GLAD has no interval above `most_votes`."""
    design = poll.design or poll.name
    told: list[Sentence] = []
    reasons: dict[str, list[str]] = {}
    for method, estimate in preference.shares.items():
        if not estimate.defined:
            reasons.setdefault(estimate.reason, []).append(method_name(method, spec))
    for reason, methods in reasons.items():
        told.append(("Undefined by {methods}: {reason}.", {"methods": listed(methods, 9), "reason": reason}))
    if len(poll.votes) > most_votes:
        told.append(
            ("GLAD has no interval above {most} votes: it would take too long.", {"most": count(most_votes)})
        )
    if preference.flagged:
        who = listed([str(poll.rater_names[rater]) for rater in preference.flagged])
        told.append(
            (
                "No agreement with the others can be worked out for {who}, who made the same choice throughout or "
                "shared no item: r_w counts as 0.",
                {"who": who},
            )
        )
    if preference.below_minimum:
        told.append(
            (
                "PCC-H gives no weight to {n} with fewer than {least} votes.",
                {"n": counted(preference.below_minimum, "item"), "least": spec.min_votes},
            )
        )
    if preference.equally_weighted:
        told.append(
            (
                "On {n} no worker who agrees with the others judged: votes count equally there.",
                {"n": counted(preference.equally_weighted, "item")},
            )
        )
    if preference.no_item_weights:
        told.append(("No item has a clear majority or enough votes: PCC-H weighs all items equally.", {}))
    if preference.resampled != "items and raters":
        lone = "one worker" if poll.votes.raters == 1 else "ids are slots"
        told.append(
            ("Intervals are over items only ({lone}).", {"lone": lone})
            if preference.resampled
            else ("There is one item, so no interval can be drawn.", {})
        )
    return [(f"{{design}}: {template}", {**values, "design": design}) for template, values in told]


def pairs_table(polls: Sequence[Poll], preferences: Mapping[str, Preference]) -> Shown:
    """Per comparison the system ahead by PCC-H, its share with the interval, and its share by other methods."""
    rows = []
    for poll in polls:
        one = preferences[poll.name]
        ours = one.shares[PCCH]
        ahead = winner(poll, ours)
        told = _share_of(poll, ours, ahead)
        rows.append(
            {
                "Comparison": poll.name,
                "Ahead by PCC-H": ahead if ours.defined else "",
                "Share by PCC-H": told.value,
                "95 %": percent(told, 1),
                **{m: _share_of(poll, e, ahead).value for m, e in one.shares.items() if m != PCCH},
                "Items": one.items,
                "Workers": one.raters,
                "Votes": one.votes,
            }
        )
    table = pd.DataFrame(rows)
    shares = dict.fromkeys((name for name in table if name == "Share by PCC-H" or name in METHODS), _TENTH)
    return table, shares | dict.fromkeys(("Items", "Workers", "Votes"), count)


def items_table(poll: Poll, hard: Difficulty, fitted: NDArray[np.float64] | None) -> Shown:
    """One row per item, the hardest first; `fitted` are GLAD's difficulties."""
    columns: dict[str, Any] = {"Item": poll.item_names}
    columns |= {f"{option}: votes": hard.chosen[:, at] for at, option in enumerate(poll.options)}
    columns |= {"Entropy": hard.entropy, "Weight (W_q)": hard.weight}
    if fitted is not None:
        columns["Difficulty (GLAD)"] = fitted
    for name, answers in (("Expert", poll.expert), ("Gold", poll.gold)):
        if (answers >= 0).any():
            columns[name] = np.append(poll.options, "")[answers]
    order = ["Entropy", "Difficulty (GLAD)"] if fitted is not None else ["Entropy"]
    table = pd.DataFrame(columns).sort_values(order, ascending=False, ignore_index=True, kind="stable")
    return table, dict.fromkeys(("Entropy", "Weight (W_q)", "Difficulty (GLAD)"), _EXACT)


EXPLANATION = r"""
**Share of the preference (PRV).** For a worker *w*, item *q* and option *a*, $X_{wqa}$ is 1 for the option that was
chosen and 0 otherwise; choices are told by system, not by position. Then

$$RV_{qa} = \frac{\sum_w r_w X_{wqa}}{\sum_w r_w}, \quad
H_q = -\sum_a RV_{qa} \log_A RV_{qa}, \quad W_q = 1 - H_q, \quad
PRV_a = \frac{\sum_q W_q RV_{qa}}{\sum_q W_q}.$$

$r_w$ is how far the worker's choices correlate with the mean of the others' (negative counts as 0), $A$ the number
of options. With four options each list gains half of *both* and loses half of *neither*; a tie counts as *both*. The
two lists' values are divided by their sum. Where most judgments say *neither*, shares are undefined.

| method | workers | items |
| --- | --- | --- |
| equal weights (Table 2) | equally | equally |
| least reliable dropped (Table 3) | those with the lowest $r_w$ not at all, the others equally | equally |
| worker weights (Table 4) | by $r_w$ | equally |
| PCC-H (Table 5) | by $r_w$ | by $W_q$ |
| item-wise majority | one vote each | one winner each; a tied item counts half to each |
| GLAD (Table 6) | by fitted ability | by fitted difficulty |

**Intervals** draw items with replacement and repeat everything in each draw: $r_w$, $W_q$, who is dropped, GLAD. That
is all chance but the workers'. What workers carry from item to item is added from the votes themselves: each vote's
part in the share, summed by worker; what the sums' squares hold beyond the votes' own squares is theirs. Both together
set the width, on the arcsine scale, with Student's *t* (Satterthwaite). In simulated studies they covered the truth 92
to 98 of 100 times (docs/calibration.md); drawing workers as well covers 99 to 100. With one item there is none.

**Differences between designs** draw items once for both designs, and a worker of both has one sum.

**Position.** The share of the list in first position among choices of a list, with its interval over items and workers.
It shows a bias only where positions were drawn at random.

Departures from the paper: the logarithm's base is the number of options, so that $W_q$ stays within 0 and 1; items with
fewer votes than the minimum have no weight, since one or two votes agree by accident; the paper's *majority voting* is
our *equal weights*.

Sources: Habibi and Popescu-Belis 2012, section 5, Eqs. 1 to 6, and section 6, Tables 2 to 6; Whitehill et al. 2009
(GLAD); Owen 2007 (draws of items and workers).
"""
