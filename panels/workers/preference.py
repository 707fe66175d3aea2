"""Which system wins: shares of the preference by six ways to weigh the votes, and whether the design matters."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.values.estimate import Estimate
from analysis.workers import glad, preference
from analysis.workers.polls import Poll
from analysis.workers.preference import (
    CLOSED,
    DROPPED,
    GLAD,
    METHODS,
    PCCH,
    Design,
    Difficulty,
    Preference,
    PreferenceSpec,
)
from charts.parts.numbers import count, decimal, percent, points, share
from charts.parts.theme import GROUP_COLOURS, group_colour
from charts.workers.preference import MOST_DESIGNS, preference_bars
from findings.study import Study
from findings.words import Sentence, listed
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.shelf import key_of, result, shelved
from panels.parts.store import query
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.workers.polls import chosen_poll, polls

QUICK_VOTES = 20_000
"""Votes up to which GLAD is fitted before the picture is drawn."""
USUALLY_DROPPED = 0.4
"""Share of the raters that are dropped at first: four of ten in the paper."""
MOST_SHELVED = 2_000_000
"""Reliabilities, one per worker and draw, that are kept so that a step of the slider is quick."""
KEEPING = tuple(method for method in CLOSED if method != DROPPED)
"""Methods whose intervals do not change with how many are dropped, GLAD apart since it takes longer."""
RELIABILITIES = "reliabilities"
_SHARE_OF, _LESS = "Share of ", " less "
_WHOLE = "whole"
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_EXACT = partial(decimal, digits=3)
_TENTH = partial(share, digits=1)
Found = Mapping[str, Preference]
"""What was found of each poll, by its name."""


def show(study: Study) -> None:
    """Finding, bars per design, the paper's tables as one, all pairs, and the items by difficulty."""
    finding = st.empty()
    poll, designs, spec = _controls(study)
    picture = st.empty()
    found = _at_hand_of(study, designs, spec)
    missing = any(_missing(study, each, spec) for each in designs)
    _draw(study, poll, designs, spec, found, finding, picture, "closed" if missing else _WHOLE)
    let_it_be_drawn(f"preference {study.key} {study.candidate} {poll.name} {spec}")
    if missing:
        _put_on_the_shelf(study, designs, spec, CLOSED)
        found = _at_hand_of(study, designs, spec)
        _draw(study, poll, designs, spec, found, finding, picture, "but GLAD's intervals")
        _put_on_the_shelf(study, designs, spec, (GLAD,))
        found = _at_hand_of(study, designs, spec)
        _draw(study, poll, designs, spec, found, finding, picture, _WHOLE)
    differences = {other.design: _between(study, designs[0], other, spec) for other in designs[1:]}
    table = methods_table(poll, designs, found, differences, spec)
    percents = {name: _TENTH for name in table if name.startswith(_SHARE_OF) or _LESS in name}
    show_table(table, percents, alt="Shares by method and design, with intervals")
    for template, values in _notes(study, poll, designs, found, differences, spec):
        note(template, **values)
    for each in designs:
        for template, values in remarks(each, found[each.name], spec):
            warn(template, **values)
    downloads("preference", lambda: table, lambda: figure(study, designs, found, spec))
    _show_all_pairs(study, spec)
    _show_items(study, poll, spec)


def _controls(study: Study) -> tuple[Poll, list[Poll], PreferenceSpec]:
    """The comparison, the designs of its pair, and how shares are worked out."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        poll = chosen_poll(study)
        designs = designs_of(study, poll)
        most = min(each.votes.raters for each in designs) - 1
        dropped = 0
        if most > 0:
            dropped = st.slider(
                "Drop the least reliable",
                0,
                most,
                usually_dropped(designs),
                key="dropped",
                bind="query-params",
                help="So many workers, those with the lowest r_w, are left out by the method of that name (Table 3 "
                "of the paper). The other methods keep everyone.",
                width=260,
            )
        with st.popover("More"):
            min_votes = st.number_input(
                "Fewest votes per item",
                1,
                20,
                3,
                key="min_votes",
                bind="query-params",
                help="PCC-H gives items with fewer votes no weight: one or two votes agree by accident.",
            )
            draws = draws_control("preference_draws")
            seed = seed_control("preference_seed")
    return poll, designs, PreferenceSpec(int(dropped), int(min_votes), draws, seed)


def usually_dropped(designs: Sequence[Poll]) -> int:
    """How many of the least reliable are dropped at first, so that one is left under every design."""
    raters = min(each.votes.raters for each in designs)
    return max(min(1, raters - 1), min(raters - 1, round(USUALLY_DROPPED * raters)))


def designs_of(study: Study, poll: Poll) -> list[Poll]:
    """The polls on the same pair of systems, the chosen one among them."""
    same = [each for each in polls(study) if (each.first, each.second) == (poll.first, poll.second)]
    return same if len(same) <= MOST_DESIGNS else [poll]


def _draw(
    study: Study,
    poll: Poll,
    designs: Sequence[Poll],
    spec: PreferenceSpec,
    found: Found,
    finding: Any,
    picture: Any,
    which: str,
) -> None:
    """Says and draws what is known by now."""
    with finding:
        template, values = finding_of(poll, found[poll.name])
        say(template, **values)
    draw(
        picture,
        figure(study, designs, found, spec),
        key=f"preference {which}",
        alt=f"Share of the preference of {poll.first} and {poll.second} by each method, with intervals",
    )


def figure(study: Study, designs: Sequence[Poll], found: Found, spec: PreferenceSpec) -> dict[str, Any]:
    systems = query(study.dataset, "options")["name"].tolist()
    pair = designs[0].first, designs[0].second
    return preference_bars(
        [(each.design or each.name, found[each.name].shares) for each in designs],
        pair,
        (_colour(pair[0], systems), _colour(pair[1], systems)),
        look(),
        {DROPPED: _method_name(DROPPED, spec)},
    )


def _colour(system: str, systems: Sequence[str]) -> str:
    return group_colour(system, systems) if system in systems else GROUP_COLOURS[0]


def _method_name(method: str, spec: PreferenceSpec) -> str:
    return f"least reliable {count(spec.dropped)} dropped" if method == DROPPED else method


def _key(study: Study, poll: Poll, spec: PreferenceSpec, what: str | Sequence[str]) -> str:
    return key_of(
        study.dataset, "preference", study.candidate, poll.name, _what_counts(poll, spec, what), what
    )


def _what_counts(poll: Poll, spec: PreferenceSpec, what: str | Sequence[str]) -> PreferenceSpec:
    """Only one method depends on how many are dropped; of many votes GLAD is fitted once and not in draws."""
    if GLAD in what and len(poll.votes) > QUICK_VOTES:
        return replace(spec, dropped=0, draws=0)
    return spec if DROPPED in what else replace(spec, dropped=0)


def _computed(
    study: Study, poll: Poll, spec: PreferenceSpec, methods: Sequence[str], **more: Any
) -> Preference:
    counts = _what_counts(poll, spec, methods)
    return preference.preference(
        poll.votes, poll.lists, counts, methods, raters_are_persons=study.raters_are_persons, **more
    )


def _missing(study: Study, poll: Poll, spec: PreferenceSpec) -> bool:
    return any(shelved(_key(study, poll, spec, what)) is None for what in (KEEPING, (DROPPED,), (GLAD,)))


def _at_hand_of(study: Study, designs: Sequence[Poll], spec: PreferenceSpec) -> Found:
    return {each.name: at_hand(study, each, spec) for each in designs}


def at_hand(study: Study, poll: Poll, spec: PreferenceSpec) -> Preference:
    """What can be told at once: closed figures, and every interval that is on the shelf or a matter of moments."""
    closed = replace(spec, draws=0)
    found = result(_key(study, poll, closed, CLOSED), lambda: _computed(study, poll, closed, CLOSED))
    shares = dict(found.shares)
    if len(poll.votes) <= QUICK_VOTES:
        fitted = result(_key(study, poll, closed, (GLAD,)), lambda: _computed(study, poll, closed, (GLAD,)))
        shares |= fitted.shares
    reliability = shelved(_key(study, poll, spec, RELIABILITIES))
    if reliability is not None and len(poll.votes) <= QUICK_VOTES:
        result(
            _key(study, poll, spec, (DROPPED,)),
            lambda: _computed(study, poll, spec, (DROPPED,), reliability=reliability),
        )
    for what in (KEEPING, (DROPPED,), (GLAD,)):
        part = shelved(_key(study, poll, spec, what))
        if part is not None:
            shares |= part.shares
    return replace(found, shares={method: shares[method] for method in METHODS if method in shares})


def _put_on_the_shelf(
    study: Study, designs: Sequence[Poll], spec: PreferenceSpec, methods: Sequence[str]
) -> None:
    """Draws the intervals of all designs, with a progress line where it takes long."""
    for at, each in enumerate(designs):
        which = f" ({at + 1} of {len(designs)})" if len(designs) > 1 else ""
        if GLAD in methods:
            _long(study, each, spec, (GLAD,), f"Intervals of GLAD{which}")
            continue
        reliability = None
        if spec.draws * each.votes.raters <= MOST_SHELVED:
            reliability = long_result(
                _key(study, each, spec, RELIABILITIES),
                f"Reliabilities in all draws{which}",
                partial(_reliabilities, study, each, spec),
            )
        _long(study, each, spec, KEEPING, f"Intervals{which}", reliability)
        _long(study, each, spec, (DROPPED,), f"Intervals with raters dropped{which}", reliability)


def _reliabilities(study: Study, poll: Poll, spec: PreferenceSpec, on_progress: Any) -> Any:
    return preference.drawn_reliabilities(poll.votes, spec, study.raters_are_persons, on_progress)


def _long(
    study: Study,
    poll: Poll,
    spec: PreferenceSpec,
    methods: Sequence[str],
    label: str,
    reliability: Any = None,
) -> Preference | None:
    return long_result(
        _key(study, poll, spec, methods),
        label,
        lambda on_progress: _computed(
            study, poll, spec, methods, reliability=reliability, on_progress=on_progress
        ),
    )


def _between(study: Study, first: Poll, second: Poll, spec: PreferenceSpec) -> dict[str, Estimate]:
    """The first system's share under one design less that under another, by method."""
    found: dict[str, Estimate] = {}
    sides = [Design(b.votes, b.lists, b.item_code, b.rater_code) for b in (first, second)]
    largest = max(first, second, key=lambda poll: len(poll.votes))
    for what, label in ((KEEPING, ""), ((DROPPED,), " with raters dropped"), ((GLAD,), " by GLAD")):
        part = long_result(
            _key(study, largest, spec, (first.name, second.name, *what)),
            f"Difference between designs{label}",
            lambda on_progress, what=what: preference.between_designs(
                *sides, _what_counts(largest, spec, what), what, study.raters_are_persons, on_progress
            ),
        )
        found |= part or {}
    return {method: found[method] for method in METHODS if method in found}


def finding_of(poll: Poll, found: Preference) -> Sentence:
    """Which system wins by PCC-H, how surely, and whether the other methods agree."""
    ours = found.shares[PCCH]
    if not ours.defined:
        return (
            "Which of {first} and {second} wins is undefined by PCC-H: {why}.",
            {"first": poll.first, "second": poll.second, "why": ours.reason},
        )
    ahead, behind = winner(poll, ours), loser(poll, ours)
    told = share_of(poll, ours, ahead)
    values: dict[str, object] = {"ahead": ahead, "behind": behind, "share": share(told.value)}
    between = ""
    if not np.isnan(told.low):
        between = " ({between})"
        values["between"] = percent(told)
    values["agreement"] = _agreement(poll, found, ahead)
    if ours.value == 0.5:
        return "Neither {ahead} nor {behind} is ahead by PCC-H: <b>{share}</b>" + between + ".", values
    if told.low <= 0.5:
        return (
            "{ahead} has <b>{share}</b>"
            + between
            + " against {behind} by PCC-H: <b>not distinguishable from "
            "50 %</b>; {agreement}.",
            values,
        )
    return (
        "<b>{ahead}</b> wins over {behind} with <b>{share}</b>" + between + " by PCC-H; {agreement}.",
        values,
    )


def winner(poll: Poll, ours: Estimate) -> str:
    """The system with more than half of the preference; the first where both have half."""
    return poll.second if ours.value < 0.5 else poll.first


def loser(poll: Poll, ours: Estimate) -> str:
    return poll.first if ours.value < 0.5 else poll.second


def share_of(poll: Poll, ours: Estimate, system: str) -> Estimate:
    return ours if system == poll.first else preference.of_the_second(ours)


def _agreement(poll: Poll, found: Preference, ahead: str) -> str:
    known = {method: share_of(poll, e, ahead).value for method, e in found.shares.items() if e.defined}
    against = [method for method, value in known.items() if value < 0.5]
    halves = [method for method, value in known.items() if value == 0.5]
    defined = "" if len(known) == len(found.shares) else " that are defined"
    if not against and not halves:
        return f"all {_NUMBERS.get(len(known), len(known))} methods{defined} agree"
    told = [f"{listed(against, len(METHODS))} would have it the other way round"] if against else []
    return ", ".join(told + ([f"a draw by {listed(halves, len(METHODS))}"] if halves else []))


def methods_table(
    poll: Poll,
    designs: Sequence[Poll],
    found: Found,
    differences: Mapping[str, Mapping[str, Estimate]],
    spec: PreferenceSpec,
) -> pd.DataFrame:
    """The paper's Tables 2 to 6: the share of the system that wins, by method and design."""
    system = winner(poll, found[poll.name].shares[PCCH])
    methods = [method for method in METHODS if any(method in one.shares for one in found.values())]
    columns: dict[str, Any] = {"Method": [_method_name(method, spec) for method in methods]}
    for each in designs:
        told = [share_of(each, found[each.name].shares.get(m, Estimate(np.nan)), system) for m in methods]
        which = f", {each.design}" if len(designs) > 1 else ""
        columns[f"{_SHARE_OF}{system}{which}"] = [e.value for e in told]
        columns[f"95 %{which}"] = [percent(e, 1) for e in told]
    for design, between in differences.items():
        told = [
            preference.of_the_other_list(between.get(m, Estimate(np.nan)), system == poll.second)
            for m in methods
        ]
        columns[f"{designs[0].design}{_LESS}{design}"] = [e.value for e in told]
        columns[f"95 % of the difference{f' to {design}' if len(differences) > 1 else ''}"] = [
            percent(e, 1) for e in told
        ]
    return pd.DataFrame(columns)


def _notes(
    study: Study,
    poll: Poll,
    designs: Sequence[Poll],
    found: Found,
    differences: Mapping[str, Mapping[str, Estimate]],
    spec: PreferenceSpec,
) -> list[Sentence]:
    """What the figures rest on, whether the design matters, and whether the position does."""
    system = winner(poll, found[poll.name].shares[PCCH])
    told: list[Sentence] = [
        (
            "Rests on {what}.",
            {
                "what": "; ".join(
                    f"{_under(designs, each)}{count(len(each.votes))} choices of {count(each.votes.items)} items by "
                    f"{count(each.votes.raters)} workers"
                    for each in designs
                )
            },
        )
    ]
    for design, between in differences.items():
        one = preference.of_the_other_list(between.get(PCCH, Estimate(np.nan)), system == poll.second)
        if not np.isnan(one.low):
            told.append(
                (
                    "By PCC-H the share of {system} under {one} less that under {other} is {points}: "
                    + (
                        "the design matters." if one.low > 0 or one.high < 0 else "no difference can be told."
                    ),
                    {"system": system, "one": designs[0].design, "other": design, "points": points(one)},
                )
            )
    if spec.dropped:
        told.append(
            (
                "Dropped: {who}.",
                {
                    "who": "; ".join(
                        _under(designs, each)
                        + listed([str(each.rater_names[at]) for at in found[each.name].left_out])
                        for each in designs
                    )
                },
            )
        )
    shown = _position_bias(study, poll, spec)
    if poll.first_shown.all() or not poll.first_shown.any():
        told.append(
            (
                "{first} and {second} never changed places, so a bias for a position cannot be told.",
                {"first": poll.first, "second": poll.second},
            )
        )
    elif shown.defined:
        biased = shown.low > 0.5 or shown.high < 0.5
        told.append(
            (
                "Of {n} choices of a list, {share} ({between}) went to the one in first position: "
                + ("workers lean to a position." if biased else "no bias for a position can be told."),
                {"n": count(shown.n), "share": share(shown.value), "between": percent(shown)},
            )
        )
    else:
        told.append(("Bias for a position is undefined: {why}.", {"why": shown.reason}))
    return told


def _under(designs: Sequence[Poll], poll: Poll) -> str:
    return f"{poll.design}: " if len(designs) > 1 else ""


def _position_bias(study: Study, poll: Poll, spec: PreferenceSpec) -> Estimate:
    return result(
        _key(study, poll, spec, "position"),
        lambda: preference.position_bias(
            poll.votes, poll.lists, poll.first_shown, spec, study.raters_are_persons
        ),
    )


def remarks(poll: Poll, found: Preference, spec: PreferenceSpec) -> list[Sentence]:
    """What is undefined, flagged or rests on little, each once."""
    design = poll.design or poll.name
    told: list[Sentence] = []
    reasons: dict[str, list[str]] = {}
    for method, estimate in found.shares.items():
        if not estimate.defined:
            reasons.setdefault(estimate.reason, []).append(_method_name(method, spec))
    for reason, methods in reasons.items():
        told.append(("Undefined by {methods}: {reason}.", {"methods": listed(methods, 9), "reason": reason}))
    if len(poll.votes) > QUICK_VOTES:
        told.append(
            ("GLAD has no interval above {most} votes: it would take too long.", {"most": count(QUICK_VOTES)})
        )
    if found.flagged:
        who = listed([str(poll.rater_names[rater]) for rater in found.flagged])
        told.append(
            (
                "No agreement with the others can be worked out for {who}, who made the same choice throughout or "
                "shared no item: r_w counts as 0.",
                {"who": who},
            )
        )
    if found.below_minimum:
        told.append(
            (
                "{n} items have fewer than {least} votes: PCC-H gives them no weight.",
                {"n": count(found.below_minimum), "least": spec.min_votes},
            )
        )
    if found.equally_weighted:
        told.append(
            (
                "On {n} items no worker who agrees with the others judged: their votes count equally there.",
                {"n": count(found.equally_weighted)},
            )
        )
    if found.no_item_weights:
        told.append(("No item has a clear majority or enough votes: PCC-H weighs all items equally.", {}))
    if found.resampled != "items and raters":
        lone = (
            "one worker"
            if poll.votes.raters == 1
            else "one item"
            if poll.votes.items == 1
            else "ids are slots"
        )
        told.append(
            (
                "Intervals draw {what} only ({lone}).",
                {"what": found.resampled, "lone": lone},
            )
            if found.resampled
            else ("There is one item and one worker, so no interval can be drawn.", {})
        )
    return [(f"{{design}}: {template}", {**values, "design": design}) for template, values in told]


def _show_all_pairs(study: Study, spec: PreferenceSpec) -> None:
    """One row per comparison, where there are several."""
    there = polls(study)
    if len(there) < 2:
        return
    st.subheader("All pairs")
    table = pairs_table(there, {each.name: _kept(study, each, spec, at) for at, each in enumerate(there)})
    written = {name: _TENTH for name in table if name == "Share by PCC-H" or name in METHODS}
    show_table(table, written | dict.fromkeys(("Items", "Workers", "Votes"), count), alt="All comparisons")
    downloads("all_pairs", lambda: table)


def _kept(study: Study, poll: Poll, spec: PreferenceSpec, at: int) -> Preference:
    """The methods that keep everyone, with intervals once they are drawn; GLAD as far as it is quick."""
    closed = replace(spec, draws=0, dropped=0)
    found = _long(study, poll, spec, KEEPING, f"Intervals of all pairs ({at + 1})")
    if found is None:
        found = result(_key(study, poll, closed, KEEPING), lambda: _computed(study, poll, closed, KEEPING))
    if len(poll.votes) > QUICK_VOTES:
        return found
    fitted = result(_key(study, poll, closed, (GLAD,)), lambda: _computed(study, poll, closed, (GLAD,)))
    return replace(found, shares={**found.shares, **fitted.shares})


def pairs_table(polls: Sequence[Poll], found: Found) -> pd.DataFrame:
    """Per comparison the system ahead by PCC-H, its share with the interval, and its share by other methods."""
    rows = []
    for poll in polls:
        one = found[poll.name]
        ours = one.shares[PCCH]
        ahead = winner(poll, ours)
        told = share_of(poll, ours, ahead)
        rows.append(
            {
                "Comparison": poll.name,
                "Ahead by PCC-H": ahead if ours.defined else "",
                "Share by PCC-H": told.value,
                "95 %": percent(told, 1),
                **{m: share_of(poll, e, ahead).value for m, e in one.shares.items() if m != PCCH},
                "Items": one.items,
                "Workers": one.raters,
                "Votes": one.votes,
            }
        )
    return pd.DataFrame(rows)


def _show_items(study: Study, poll: Poll, spec: PreferenceSpec) -> None:
    st.subheader("Items by difficulty")
    table = result(
        _key(study, poll, replace(spec, draws=0), "items"),
        lambda: items_table(
            poll,
            preference.difficulty(poll.votes, spec.min_votes),
            glad.fit_votes(poll.votes).difficulty if len(poll.votes) <= QUICK_VOTES else None,
        ),
    )
    written = dict.fromkeys(("Entropy", "Weight (W_q)", "Difficulty (GLAD)"), _EXACT)
    show_table(table, written, alt="Items from the hardest to the easiest, with their votes", most=12)
    downloads("items", lambda: table)


def items_table(poll: Poll, hard: Difficulty, fitted: Any) -> pd.DataFrame:
    """One row per item, the hardest first."""
    columns: dict[str, Any] = {"Item": poll.item_names}
    columns |= {f"{option}: votes": hard.chosen[:, at] for at, option in enumerate(poll.options)}
    columns |= {"Entropy": hard.entropy, "Weight (W_q)": hard.weight}
    if fitted is not None:
        columns["Difficulty (GLAD)"] = fitted
    for name, answers in (("Expert", poll.expert), ("Gold", poll.gold)):
        if (answers >= 0).any():
            columns[name] = np.append(poll.options, "")[answers]
    order = ["Entropy", "Difficulty (GLAD)"] if fitted is not None else ["Entropy"]
    return pd.DataFrame(columns).sort_values(order, ascending=False, ignore_index=True, kind="stable")


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

**Intervals** draw items and workers with replacement and repeat everything in each draw: $r_w$, $W_q$, who is dropped,
GLAD. A draw holds some workers twice, so it sees more agreement than there is; the draws' percentiles are therefore
moved (on the arcsine scale) so that their middle is the share found. In simulations they held the truth in 96 to
100 % of studies (GLAD was not simulated): they are cautious.

**Differences between designs** draw items and workers once for both designs.

**Position.** The share of the list in first position among choices of a list. It shows a bias only where positions were
drawn at random.

Departures from the paper: the logarithm's base is the number of options, so that $W_q$ stays within 0 and 1; items with
fewer votes than the minimum have no weight, since one or two votes agree by accident; the paper's *majority voting* is
our *equal weights*.

Sources: Habibi and Popescu-Belis 2012, section 5, Eqs. 1 to 6, and section 6, Tables 2 to 6; Whitehill et al. 2009
(GLAD); Owen 2007 (draws of items and workers).
"""
