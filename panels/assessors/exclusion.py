"""What if they go: the ranking with and without the raters of the scenario, and without each one in turn."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.assessors.exclusion import Exclusion, ExclusionSpec, Intervals, RandomDrops
from analysis.assessors.leave_one_out import LeaveOneOut
from analysis.values.estimate import Estimate
from charts.assessors.raters import leave_one_out_bars, slopes
from charts.parts.numbers import count, decimal, interval
from findings.study import Scenario, Study
from findings.words import Sentence, listed
from panels.assessors import rankings
from panels.assessors.assessments import names
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

PENDING = "…"
METHODS = {
    "the additive model where cells are missing": "automatic",
    "the additive model": "additive",
    "the plain mean over topics": "plain",
}
_EXACT = partial(decimal, digits=3)
WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Pearson r", "Spearman ρ", "r, random", "ρ, random"), _EXACT),
    **dict.fromkeys(("Before", "After", "Difference"), _EXACT),
    **dict.fromkeys(("Rank before", "Rank after", "Largest shift"), partial(decimal, digits=1)),
    "Shift": lambda shift: ("+" if shift > 0 else "") + decimal(shift, 1),
    **dict.fromkeys(("Ratings left", "Topics left", "Raters left", "Ratings", "Pairs that swap"), count),
}


def show(study: Study, scenario: Scenario) -> None:
    """Finding, slope chart, Table 2, the systems, then leaving out one at a time."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = study.measures[0]
        if len(study.measures) > 1:
            measure = st.selectbox(
                "Ranked by", study.measures, key="ranked_by", bind="query-params", width=320
            )
        with st.popover("More"):
            method = st.selectbox(
                "A system's score is",
                list(METHODS),
                key="method",
                bind="query-params",
                help="Without some raters, systems may miss different topics; a plain mean then mixes the topics' "
                "difficulty into the systems. The model (system + topic) does not.",
            )
            draws = draws_control()
            random = st.number_input(
                "Random exclusions", 20, 5000, 200, 20, key="random", bind="query-params",
                help="How often equally many raters are left out at random, to hold this exclusion against.",
            )  # fmt: skip
            seed = seed_control()
    spec = ExclusionSpec(METHODS[method], int(random), draws, seed)
    if scenario.excludes:
        _show_exclusion(study, scenario, measure, spec, finding)
    _show_one_by_one(study, scenario, measure, spec, finding)


def _show_exclusion(
    study: Study, scenario: Scenario, measure: str, spec: ExclusionSpec, finding: Any
) -> None:
    point = rankings.point(study, measure, scenario, spec)
    ranked = rankings.ranked_names(study, measure)
    with finding:
        template, values = _finding(study, scenario, measure, point)
        say(template, **values)
    title = rankings.what(study, measure)[:-1].capitalize()
    figure = slopes(point, ranked, rankings.what(study, measure), look())
    if point.change.pearson.n:
        draw(
            st,
            figure,
            key="slopes",
            alt=f"Ranks of the {rankings.what(study, measure)} with everyone and without the raters left out",
        )
    let_it_be_drawn(f"slopes {study.key} {measure} {scenario.left_out_codes} {spec.method}")
    summary, systems = st.empty(), st.empty()
    with summary:
        show_table(
            _summary(study, scenario, spec, None), WRITTEN, alt="The ranking before and after per measure"
        )
    with systems:
        show_table(_systems(point, ranked, None, title), WRITTEN, alt="Scores and ranks before and after")
    drawn = rankings.drawn(study, scenario, spec)
    if drawn is not None:
        with summary:
            show_table(
                _summary(study, scenario, spec, drawn),
                WRITTEN,
                alt="The ranking before and after per measure",
            )
        with systems:
            show_table(
                _systems(point, ranked, drawn[measure][0], title),
                WRITTEN,
                alt="Scores and ranks before and after",
            )
    for template, values in _remarks(point, ranked, None if drawn is None else drawn[measure]):
        note(template, **values)
    downloads(
        "exclusion", lambda: _systems(point, ranked, drawn and drawn[measure][0], title), lambda: figure
    )


def _show_one_by_one(
    study: Study, scenario: Scenario, measure: str, spec: ExclusionSpec, finding: Any
) -> None:
    found = rankings.one_by_one(study, measure, spec)
    if found is None:
        return
    who = names(study, "rater")
    if not scenario.excludes:
        with finding:
            template, values = _first_finding(study, measure, found, who)
            say(template, **values)
    st.subheader("Each rater in turn")
    if found.reason:
        warn("{reason}.", reason=found.reason[:1].upper() + found.reason[1:])
        return
    if found.reason_ranks:
        note("{reason}.", reason=found.reason_ranks)
    figure = leave_one_out_bars(found, who, look(), set(scenario.left_out_codes))
    draw(
        st,
        figure,
        key="one_by_one",
        alt="Spearman's correlation of the ranking with and without each rater",
    )
    table = _one_by_one_table(found, who)
    show_table(table, WRITTEN, alt="What leaving out each rater in turn does to the ranking", most=10)
    downloads("leave-one-out", lambda: table, lambda: figure)


def _finding(study: Study, scenario: Scenario, measure: str, point: Exclusion) -> Sentence:
    change = point.change
    values = {
        "k": len(scenario.left_out_codes),
        "s": "" if len(scenario.left_out_codes) == 1 else "s",
        "name": scenario.name,
        "measure": measure,
        "what": rankings.what(study, measure),
        "reason": point.reason or change.spearman.reason,
        "rho": decimal(change.spearman.value, 3),
        "r": decimal(change.pearson.value, 3),
        "n": count(change.pearson.n),
        "swaps": count(change.swaps),
        "lost": len(point.lost),
    }
    if not change.spearman.defined:
        return "Without {k} rater{s} ({name}) the ranking by {measure} cannot be compared: {reason}.", values
    sentence = (
        "Without <b>{k} rater{s}</b> ({name}) the ranking of {n} {what} by {measure} "
        + ("keeps its order" if change.swaps == 0 else "has <b>{swaps} pairs</b> in opposite order")
        + ": Spearman's ρ <b>{rho}</b>, Pearson's r {r} with the ranking by everyone."
    )
    if point.lost:
        sentence += " <b>{lost}</b> lose all their ratings."
    return sentence, values


def _first_finding(study: Study, measure: str, found: LeaveOneOut, who: Any) -> Sentence:
    ranks = not np.isnan(found.spearman).all()
    figures = found.spearman if ranks else found.pearson
    defined = np.flatnonzero(~np.isnan(figures))
    values: dict[str, object] = {
        "measure": measure,
        "what": rankings.what(study, measure),
        "reason": found.reason or found.reason_ranks,
        "term": "Spearman's ρ" if ranks else "Pearson's r",
    }
    if found.reason or not len(defined):
        return (
            "Nobody is left out. Choose whom in the sidebar (<b>Leave out</b>). Leaving out raters one at a time "
            "is undefined for {measure}: {reason}.",
            values,
        )
    at = defined[np.argmin(figures[defined])]
    values |= {
        "rater": who[found.raters[at]],
        "value": decimal(float(figures[at]), 3),
        "shift": decimal(float(found.largest_shift[at]), 0),
    }
    return (
        "Nobody is left out yet: choose whom in the sidebar (<b>Leave out</b>). Of single raters, <b>{rater}</b> would "
        "move the ranking of {what} by {measure} most: {term} <b>{value}</b> with the ranking by everyone"
        + (", at most {shift} ranks." if ranks else "."),
        values,
    )


def _summary(
    study: Study,
    scenario: Scenario,
    spec: ExclusionSpec,
    drawn: dict[str, tuple[Intervals, RandomDrops]] | None,
) -> pd.DataFrame:
    """The paper's Table 2, a row per measure, with random exclusions and what is left beside it."""
    rows = []
    for measure in study.measures:
        point = rankings.point(study, measure, scenario, spec)
        by_chance = None if drawn is None else drawn[measure][1]
        row: dict[str, Any] = {"Measure": measure}
        for term, random, here, elsewhere in (
            ("Pearson r", "r, random", point.change.pearson, by_chance and by_chance.pearson),
            ("Spearman ρ", "ρ, random", point.change.spearman, by_chance and by_chance.spearman),
        ):
            row[term] = here.value
            row[random] = elsewhere.value if elsewhere else np.nan
            row[f"{random} 5–95 %"] = interval(elsewhere, 3) if elsewhere else PENDING
        row |= {
            "Pairs that swap": point.change.swaps,
            "Systems lost": len(point.lost),
            "Raters left": point.raters_left,
            "Topics left": point.topics_left,
            "Ratings left": point.ratings_left,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _systems(point: Exclusion, ranked: Any, drawn: Intervals | None, title: str) -> pd.DataFrame:
    """One row per system: scores with intervals, ranks, and how many others each is tied with."""
    change = point.change
    place = {system: at for at, system in enumerate(change.systems.tolist())}
    rows = []
    for at, system in enumerate(point.systems.tolist()):
        here = place.get(system)
        rows.append(
            {
                title: str(ranked[system]),
                "Before": float(point.before[at]),
                "Before, 95 %": _between(drawn, "before", at),
                "After": float(point.after[at]),
                "After, 95 %": _between(drawn, "after", at),
                "Rank before": np.nan if here is None else float(change.rank_before[here]),
                "Rank after": np.nan if here is None else float(change.rank_after[here]),
                "Shift": np.nan if here is None else float(change.shifts[here]),
                "Tied with, before": _ties(drawn, "ties_before", at),
                "Tied with, after": _ties(drawn, "ties_after", at),
            }
        )
    return pd.DataFrame(rows).sort_values("Before", ascending=False, ignore_index=True)


def _between(drawn: Intervals | None, side: str, at: int) -> str:
    if drawn is None:
        return PENDING
    low, high = getattr(drawn, f"{side}_low")[at], getattr(drawn, f"{side}_high")[at]
    return interval(Estimate(0.0, float(low), float(high)))


def _ties(drawn: Intervals | None, name: str, at: int) -> str:
    return PENDING if drawn is None else count(int(getattr(drawn, name)[at]))


def _one_by_one_table(found: LeaveOneOut, who: Any) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "Left out": who[found.raters],
            "Spearman ρ": found.spearman,
            "Pearson r": found.pearson,
            "Largest shift": found.largest_shift,
            "Pairs that swap": found.swaps,
            "Systems lost": found.lost,
            "Ratings": found.ratings,
        }
    )
    return table.sort_values("Spearman ρ", ignore_index=True)


def _remarks(point: Exclusion, ranked: Any, drawn: tuple[Intervals, RandomDrops] | None) -> list[Sentence]:
    told: list[Sentence] = [
        (
            "Scores: {method}. Before and after share data, so both correlations are near 1 by construction; "
            "hold them against those of random exclusions.",
            {
                "method": f"additive model ({point.why})" if point.method == "additive" else "means",
            },
        )
    ]
    if point.lost:
        lost = [str(ranked[system]) for system in point.lost]
        told.append(("Without any ratings left: {lost}.", {"lost": listed(lost, 8)}))
    if drawn is None:
        return told
    chance, random = drawn
    if chance.reason:
        told.append(("No intervals: {reason}.", {"reason": chance.reason}))
    else:
        told.append(
            (
                "Intervals: {draws} draws of {before} (before) and {after} (after). Tied with: how many others' "
                "intervals overlap, a cautious sign of a tie.",
                {
                    "draws": count(chance.draws),
                    "before": chance.resampled_before,
                    "after": chance.resampled_after,
                },
            )
        )
    if random.reason:
        told.append(("No random exclusions: {reason}.", {"reason": random.reason}))
    else:
        told.append(
            (
                "Random exclusions: {how} of {k}; median and 5–95 %.",
                {
                    "how": f"all {count(len(random.pearsons))} choices"
                    if random.every
                    else f"{count(len(random.pearsons))} random choices",
                    "k": "1 rater" if random.dropped == 1 else f"{count(random.dropped)} raters",
                },
            )
        )
    return told


EXPLANATION = r"""
**Scores.** A system's score is the mean over topics (topic and condition where there are both) of the mean
score within the topic. Where an exclusion leaves systems with different topics, the additive model *system +
topic* is fitted to the cells' means by least squares, and the score is the mean of the fitted values over all
topics that are left; with all cells present it is the plain mean. Without systems, items are ranked by their
MOS.

**Before and after.** Pearson's and Spearman's correlation of the scores with everyone and without the raters
left out (the paper's Table 2). They share most of their data, so they are near 1 by construction. Beside them:
the same for equally many raters chosen at random (all choices where there are few), median and 5–95 %.

**Intervals** weigh raters and topics anew in every draw and repeat the whole estimate, before and after with
the same weights; where each topic was judged by one rater, raters are drawn with all their topics. Overlapping
intervals are a cautious sign of a tie, not a test.

**Each rater in turn.** The same when only that rater goes.

Source: Owczarzak, Rankel, Dang and Conroy 2012, section 3 and Table 2. The intervals, the additive model and
the random exclusions are not in the paper.
"""
