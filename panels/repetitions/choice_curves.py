"""The Repetitions page for choices: how many votes per item are enough for the answer, and what fewer would cost.

Curves are shares of items answered as the reference has it, one panel per poll of choices. The picture comes
first, then what takes longer: the other weights beside the chosen ones, the intervals.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec, Weights
from analysis.repetitions.cost import CostSpec, costs
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.workers.polls import Poll
from charts.parts.numbers import count, interval, share, share_saved
from charts.parts.panels import MOST
from charts.parts.theme import GROUP_COLOURS, group_colour
from charts.repetitions.curves import Panel, repetitions
from findings.study import Study
from findings.words import Sentence
from panels.parts.controls import measures_on_show
from panels.parts.downloads import downloads
from panels.parts.errors import told_in_words
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.shelf import key_of, result
from panels.parts.store import LARGEST_BOOTSTRAP
from panels.parts.tables import show_table
from panels.parts.words import how_computed, note, say, warn
from panels.repetitions import choice_simulations, curves, exclusion_effect, knee_intervals, weighing
from panels.repetitions.choice_simulations import (
    AGAINST,
    ALL_VOTES,
    EXPERT,
    View,
    fitted,
    is_known,
    known_intervals,
    range_of_votes,
    view_key,
)
from panels.repetitions.curves import Fitted
from panels.repetitions.knee_intervals import PENDING, SHUFFLES, Intervals
from panels.workers.polls import polls

ANSWER_BY: dict[str, Weights] = {"majority": "majority", "PCC-H weights": "PCC-H"}
GIVES = {"majority": "majority gives", "PCC-H": "majority by PCC-H weights gives"}
RENAMED = {"Measure": "Comparison", "Ratings per item": "Votes per item"}
AFTER_ONE, AT_KNEE, AT_KNEE_INTERVAL, AFTER_ALL = "After 1", "At the knee", "At the knee, 95 %", "After all"
IN_PERCENT = (AFTER_ONE, AT_KNEE, AT_KNEE_INTERVAL, AFTER_ALL)
TABLE = "Fitted curve, knee with its interval, and share of items after one vote, at the knee and after all"
_percent = partial(share, digits=1)
WRITTEN: dict[str, Callable[[float], str]] = knee_intervals.WRITTEN | dict.fromkeys(
    (AFTER_ONE, AT_KNEE, AFTER_ALL), _percent
)


def show(study: Study) -> None:
    """The whole page below its title."""
    there = polls(study)
    if not there:
        say("Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).")
        return
    place = st.empty()
    view, bootstrap = _controls(there)
    picture, table = st.empty(), st.empty()
    with told_in_words():
        found = fitted(study, there, view)
    if found is None:
        with place:
            say("The curves are not computed: they were stopped.")
        return
    template, values = finding(found, view)
    with place:
        say(template, **values)
    shown = measures_on_show([poll.name for poll in there], MOST)
    intervals = known_intervals(study, found, view, bootstrap)
    figure = _draw(study, found, view, shown, intervals, picture)
    _table(table, found, intervals)
    let_it_be_drawn(view_key(study, "picture", view, tuple(shown)))
    _beside_each_other(study, there, view, found)
    if intervals is None:
        intervals = choice_simulations.intervals(study, there, found, view, bootstrap)
        if intervals is not None:
            figure = _draw(study, found, view, shown, intervals, picture)
            _table(table, found, intervals)
    for template, values in how_drawn(study, bootstrap) if intervals is not None else ():
        note(template, **values)
    for template, values in notes(there, found, view):
        note(template, **values)
    for template, values in remarks(there, found, view):
        warn(template, **values)
    _without(study, view, found)
    weighing.weigh(found, _seconds(study, there), wording(view))
    how_computed(lambda: st.markdown(EXPLANATION))
    downloads("repetitions", lambda: full_table(found, intervals), lambda: figure)


def _controls(there: Sequence[Poll]) -> tuple[View, BootstrapSpec]:
    known = [against for against in AGAINST if any(is_known(poll, against) for poll in there)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        answer_by = st.selectbox(
            "Answer by",
            list(ANSWER_BY),
            key="answer_by",
            bind="query-params",
            width=170,
            help="Whose votes count how much: all alike, or each worker's as much as they agree with the others "
            "(r_w) over the votes so far.",
        )
        against = st.selectbox(
            "Held against the",
            known,
            key="answer_against",
            bind="query-params",
            width=200,
            help="What is right: what is known to be, what the expert says, or what all votes together say. The last "
            "shows how soon answers stop changing, not whether they are right.",
        )
        smallest, most = range_of_votes(there, against)
        shuffles = st.slider(
            "Shuffles",
            1,
            1000,
            curves.DEFAULT_SHUFFLES,
            key="shuffles",
            bind="query-params",
            help="Random orders of each item's votes. Few show how much luck there is in one order; many make the "
            "fitted curve steady.",
        )
        largest = smallest
        if most > 1:
            largest = st.slider(
                "Largest number of votes per item",
                1,
                most,
                smallest,
                key="repetitions",
                bind="query-params",
                help="How far the curves run. Beyond an item's last vote it leaves the curve.",
            )
        with st.popover("More"):
            draws = draws_control(
                usual=100,
                label="Draws for the intervals",
                help="Each draw repeats the whole simulation on other items and workers.",
            )
            seed = seed_control()
            sensitivity = st.slider(
                "Sensitivity of the knee (S)",
                0.0,
                15.0,
                1.0,
                0.5,
                key="sensitivity",
                bind="query-params",
                help="Kneedle's S: a higher value wants a flatter curve after the knee.",
            )
    spec = ChoiceRepetitionSpec(
        shuffles, None if largest == smallest else largest, seed, ANSWER_BY[answer_by]
    )
    return View(spec, against, sensitivity), BootstrapSpec(draws=draws, seed=seed)


def _draw(
    study: Study,
    found: Sequence[Fitted],
    view: View,
    shown: Sequence[str],
    intervals: Intervals,
    place: Any,
) -> dict[str, Any]:
    bands = [None] * len(found) if intervals is None else [(one.low, one.high) for one in intervals]
    panels = [
        Panel(one.measure, one.curves, one.saturation, one.knee, band=band)
        for one, band in zip(found, bands, strict=True)
        if one.measure in shown
    ]
    grouped = study.candidate in study.groups
    colour = group_colour(study.candidate, study.groups) if grouped else GROUP_COLOURS[0]
    figure = repetitions(panels, f"Share of items with the {view.against}", colour, look(), "votes")
    draw(
        place,
        figure,
        key="curves" if intervals is None else "curves with intervals",
        alt=f"Share of items with the {view.against} against the number of votes per item, one panel per comparison, "
        "with fitted curve and knee",
    )
    return figure


def _table(place: Any, found: Sequence[Fitted], intervals: Intervals) -> None:
    with place:
        show_table(shown_table(found, intervals), WRITTEN, alt=TABLE)


def shown_table(found: Sequence[Fitted], intervals: Intervals) -> pd.DataFrame:
    """The knee with its interval, the share of items after one vote, there and after all, then the fitted curves."""
    table = knee_intervals.shown_table(found, intervals).rename(columns=RENAMED).assign(**_shares(found))
    table[AT_KNEE_INTERVAL] = (
        PENDING if intervals is None else [_percent_interval(one) for one in _at_knee(found, intervals)]
    )
    last = [column for column in table if column in ("a", "b", "c") or str(column).startswith("R²")]
    first = [column for column in table if column not in (*last, *IN_PERCENT)]
    return table[[*first, *IN_PERCENT, *last]]


def _percent_interval(estimate: Estimate) -> str:
    low, high = 100 * estimate.low, 100 * estimate.high
    return interval(Estimate(0.0, low, high), 1) + (" %" if low == low else "")


def full_table(found: Sequence[Fitted], intervals: Intervals) -> pd.DataFrame:
    """The same to take away: R² of every shuffle, the intervals' ends as numbers."""
    table = knee_intervals.full_table(found, intervals).rename(columns=RENAMED)
    added = _shares(found)
    if intervals is not None:
        at_knee = _at_knee(found, intervals)
        added |= {
            f"{AT_KNEE} low": [one.low for one in at_knee],
            f"{AT_KNEE} high": [one.high for one in at_knee],
        }
    return table.assign(**added)


def _shares(found: Sequence[Fitted]) -> dict[str, list[float]]:
    return {
        AFTER_ONE: [one.curves.mean_at(min(1, one.curves.repetitions)) for one in found],
        AT_KNEE: [one.curves.mean_at(one.knee or 0) for one in found],
        AFTER_ALL: [one.curves.mean_at(one.curves.repetitions) for one in found],
    }


def _at_knee(found: Sequence[Fitted], intervals: Intervals) -> list[Estimate]:
    return [
        Estimate(nan)
        if one.knee is None or not drawn.draws
        else Estimate(
            one.curves.mean_at(one.knee), float(drawn.low[one.knee - 1]), float(drawn.high[one.knee - 1])
        )
        for one, drawn in zip(found, intervals or (), strict=True)
    ]


def finding(found: Sequence[Fitted], view: View) -> Sentence:
    """Where more votes stop paying, what is saved there and what is given up."""
    known = [one for one in found if one.curves.repetitions]
    with_knee = sorted((one for one in known if one.knee is not None), key=lambda one: one.knee or 0)
    if not known:
        return "Nothing can be said about how many votes are enough: {why}.", {
            "why": "; ".join(sorted({one.curves.reason for one in found}))
        }
    one = with_knee[len(with_knee) // 2] if with_knee else known[0]
    m = one.curves.repetitions
    r = one.knee or 1
    first, last = (one.curves.mean_at(r), one.curves.mean_at(m))
    digits = 0 if share(first) != share(last) else 1
    values: dict[str, object] = {
        "r": r,
        "m": m,
        "of": f"on {one.measure}, " if len(found) > 1 else "",
        "gives": GIVES[view.spec.weights],
        "against": view.against,
        "first": share(first, digits),
        "last": share(last, digits),
        "saved": share_saved(float(costs(1, 1, m, CostSpec()).saved_of_ratings[r - 1])),
        "s": "" if m == 1 else "s",
    }
    gives = "{of}{gives} the {against} for <b>{first}</b> of the items"
    if m == 1:
        return (
            f"With the one vote that every item has, {gives}. How many are enough cannot be told from that.",
            values,
        )
    if not with_knee:
        values["why"] = "; ".join(sorted({_why_no_knee(each) for each in known}))
        return (
            f"More votes per item still pay, or there are too few to tell: with one vote per item {gives}, with "
            "{m} for <b>{last}</b> (no knee: {why}).",
            values,
        )
    template = (
        f"At <b>{{r}}</b> of {{m}} votes per item {gives} instead of {{last}}: <b>{{saved}}</b> of the "
    )
    template += "votes saved."
    if len(found) > 1:
        values |= {"low": with_knee[0].knee, "high": with_knee[-1].knee, "k": len(with_knee), "n": len(found)}
        template += " Knees lie from <b>{low} to {high}</b> ({k} of {n} comparisons have one)."
    return template, values


def _why_no_knee(one: Fitted) -> str:
    m = one.curves.repetitions
    if one.curves.reason or m <= 5:
        return one.curves.reason or f"{m} {'vote is' if m == 1 else 'votes are'} too few for a knee"
    return one.saturation.reason or "the curve after it is not flat enough"


def _beside_each_other(study: Study, there: Sequence[Poll], view: View, found: Sequence[Fitted]) -> None:
    """Both ways to an answer at the same number of votes, so that they can be compared without switching."""
    other_weights: Weights = "majority" if view.spec.weights == "PCC-H" else "PCC-H"
    other = fitted(study, there, replace(view, spec=replace(view.spec, weights=other_weights)))
    if other is None:
        return
    heads, weighted = (found, other) if view.spec.weights == "majority" else (other, found)
    table = both(found, heads, weighted)
    if len(table) == 1:
        row = table.iloc[0]
        if row["Majority"] == row["Majority"]:
            say(
                "After {r} of {m} votes per item, majority gives the {against} for <b>{heads}</b> of the items and "
                "PCC-H weights for <b>{weighted}</b>; after all, {all_heads} and {all_weighted}.",
                r=row["Votes"],
                m=found[0].curves.repetitions,
                against=view.against,
                heads=_percent(row["Majority"]),
                weighted=_percent(row["PCC-H weights"]),
                all_heads=_percent(row["Majority, all"]),
                all_weighted=_percent(row["PCC-H weights, all"]),
            )
    else:
        show_table(
            table,
            dict.fromkeys((c for c in table if c not in ("Comparison", "Votes")), _percent),
            alt="Share of items by majority and by PCC-H weights, at the knee and after all votes",
        )
    if view.against == ALL_VOTES:
        note("Each is held against its own answer of all votes.")


def both(found: Sequence[Fitted], heads: Sequence[Fitted], weighted: Sequence[Fitted]) -> pd.DataFrame:
    """Majority and PCC-H weights at the knee of the curves shown (after all votes where there is none)."""
    rows = []
    for one, by_heads, by_weight in zip(found, heads, weighted, strict=True):
        m = one.curves.repetitions
        r = one.knee or m
        at_r = by_heads.curves.mean_at(r), by_weight.curves.mean_at(r)
        rows.append(
            {
                "Comparison": one.measure,
                "Votes": r,
                "Majority": at_r[0],
                "PCC-H weights": at_r[1],
                "Difference": at_r[1] - at_r[0],
                "Majority, all": by_heads.curves.mean_at(m),
                "PCC-H weights, all": by_weight.curves.mean_at(m),
            }
        )
    return pd.DataFrame(rows)


def _without(study: Study, view: View, found: Sequence[Fitted]) -> None:
    """What leaving raters out changes, where the scenario leaves some out."""
    if not study.dataset.without:
        return
    everyone = fitted(study.everyone, polls(study.everyone), view)
    if everyone is not None:
        exclusion_effect.show_shares(everyone, found, view.against)


def how_drawn(study: Study, bootstrap: BootstrapSpec) -> list[Sentence]:
    """What the intervals rest on."""
    what = (
        "items and workers"
        if study.raters_are_persons
        else "items only, since raters are slots and not persons"
    )
    return [
        (
            "Intervals of curve and knee: from {draws} draws of {what}, each with {shuffles} shuffles and everything "
            "fitted again; seed {seed}. R² is that of the one fitted curve for each order.",
            {"draws": bootstrap.draws, "what": what, "shuffles": SHUFFLES, "seed": bootstrap.seed},
        )
    ]


def notes(there: Sequence[Poll], found: Sequence[Fitted], view: View) -> list[Sentence]:
    """What to know when reading the curves."""
    told: list[Sentence] = []
    if view.against == ALL_VOTES:
        told.append(
            (
                "Once all its votes are counted, an item agrees with the answer of all votes by construction (one "
                "whose options tie, by chance): this shows how soon answers stop changing, not whether they are right.",
                {},
            )
        )
    if view.spec.weights == "majority" and any(len(poll.options) == 2 for poll in there):
        told.append(
            (
                "With two options a second, fourth … vote only adds ties, so the curve rises at odd numbers; the "
                "fitted one runs between its steps.",
                {},
            )
        )
    return told


def remarks(there: Sequence[Poll], found: Sequence[Fitted], view: View) -> list[Sentence]:
    """What is undefined, left out or sampled, each reason once."""
    told: dict[str, list[str]] = {}
    for poll, one in zip(there, found, strict=True):
        reasons = [one.curves.reason]
        if one.knee is None and one.curves.repetitions:
            reasons.append(_why_no_knee(one))
        items, left_out = one.curves.items, one.curves.left_out
        if left_out:
            reasons.append(f"{count(left_out)} item{_s(left_out)} without {_article(view.against)} left out")
        if len(items) and items[-1] < items[0]:
            reasons.append(
                f"items with fewer votes leave the curve: {count(items[0])} at the first vote, {count(items[-1])} at "
                "the last"
            )
        most = int(poll.votes.per_item.max(initial=0))
        if view.spec.repetitions is None and one.curves.repetitions < most:
            reasons.append(
                f"the curve ends at the fewest votes of an item ({one.curves.repetitions}; the most are {most}); move "
                "the largest number of votes up to see more"
            )
        if poll.votes.items > LARGEST_BOOTSTRAP:
            reasons.append(f"the curves rest on {count(LARGEST_BOOTSTRAP)} items drawn at random (seed 0)")
        for reason in dict.fromkeys(reasons):
            if reason:
                told.setdefault(reason, []).append(one.measure)
    return [
        ("{where}: {reason}.", {"where": ", ".join(where[:MOST]), "reason": reason})
        for reason, where in told.items()
    ]


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _article(against: str) -> str:
    return f"an {against} are" if against == EXPERT else f"a {against} are"


def wording(view: View) -> weighing.Wording:
    """How the cost panel speaks of votes."""
    return weighing.Wording(
        one="vote",
        given="votes",
        of="comparison",
        figure=f"share of items with the {view.against}",
        told=f"the {view.against} for <b>{{first_r}}</b> of the items instead of {{first_m}} ({{first}})",
        priced={},
        seconds_help="Time for one vote. Left empty: the median of the data's seconds.",
        written=share,
        digits=1,
        digits_in_table=1,
    )


def _seconds(study: Study, there: Sequence[Poll]) -> float:
    """The median of the data's seconds per vote, NaN where there are none."""

    def read() -> float:
        seconds = np.concatenate([poll.seconds for poll in there])
        seconds = seconds[np.isfinite(seconds)]
        return float(np.median(seconds)) if len(seconds) else nan

    return result(key_of(study.dataset, "seconds of votes", study.candidate), read)


EXPLANATION = r"""
**Curves.** An item's answer after *r* votes is its most voted option among the first *r*: a system, both, neither, a
tie, or a label. The curve is the share of items whose answer is the gold one (or the expert's, or that of all votes),
for *r* = 1 … *m*; where options tie it counts what drawing one of them gives on average. The measured order is the
`order` column's, else the time stamps', else the file's; a shuffle draws a fresh order of each item's votes without
replacement. *m* is the smallest number of votes of an item unless you raise it; items with fewer then leave the curve.

**Answer of all votes.** Without gold, this says how soon answers stop changing. At *m* the share is 1 by construction
where all items have *m* votes and no options tie. It is no measure of being right.

**PCC-H weights.** A vote counts as much as its worker's $r_w$, the correlation of their choices with the mean of the
others', none below 0; where all of an item's are 0, its votes count alike. At *r* the weights use only the first *r*
votes of every item in that order: weights from all votes would know answers that are not yet asked. One vote per item
tells nothing about workers, so both curves start together.

**Fit and knee.** As for ratings: $y = a\,(1 - e^{-b x}) + c$ by least squares through all points of all orders, and the
knee where Kneedle (Satopää et al. 2011) finds it on the fitted curve. **It moves with m**: it says where *this* curve
flattens. No knee where $a \le 0$, $b(m - 1) < 3$ or $m \le 5$. With two options, majority rises at odd *r* only; the
fitted curve runs between the steps. Shares in sentences and tables are means over the orders, not the fitted curve.

**Intervals** draw items and workers with replacement; each drawn item has as many votes as before, from the drawn
workers, a worker drawn twice voting twice, copies anywhere in the order and never 'others' to each other. All is
simulated, weighted and fitted again. Copies shift every drawn curve (down against gold, up against all votes), so
the draws are moved (after the arcsine of the root) until their mean is the estimate's. The band of
the shuffles only shows luck of the order *given these votes*.

Sources: Iskender, Polzehl and Möller 2020, section 4.2, for the repetitions; Habibi and Popescu-Belis 2012, section 5,
Eqs. 1 and 2, for the weights; Owen 2007 for the intervals. Bringing the two together is ours.
"""
