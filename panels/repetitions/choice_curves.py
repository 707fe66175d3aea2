"""The Repetitions page for choices: how many votes per item are enough for the answer, and what fewer would cost.

Curves are shares of items answered as the reference has it, one panel per poll of choices. The picture comes
first, then what takes longer: the other weights beside the chosen ones, the intervals.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.repetitions.cost import Times, times_of
from analysis.repetitions.fitted_curves import FittedCurves
from analysis.workers.polls import Poll
from charts.repetitions.curves import Band, repetitions
from features.plotting.figure import Figure
from features.plotting.panels import MOST
from features.plotting.theme import GROUP_COLOURS, group_colour
from features.polls import polls
from features.results import LARGEST_BOOTSTRAP, key_of, result
from features.study import Study
from findings.code import choices as program
from findings.leaving_out import NOBODY_LEFT
from findings.repetitions.choice_curves import (
    AGAINST,
    EXPLANATION,
    STOPPED,
    ChoiceView,
    finding,
    how_drawn,
    notes,
    remarks,
    wording,
)
from findings.repetitions.choice_tables import TABLE, full_table, shown_table
from findings.repetitions.knee_table import Intervals
from findings.repetitions.rating_curves import DEFAULT_SHUFFLES
from findings.repetitions.vote_curves import (
    fitted_votes,
    intervals_of_votes,
    is_known,
    known_intervals,
    range_of_votes,
)
from panels.repetitions import answer_weights, cost, leaving_out
from panels.repetitions.choice_settings import choice_settings
from ui.conclusions import show_code, show_finding
from ui.controls import measures_on_show
from ui.errors import told_in_words
from ui.pictures import draw, look
from ui.stages import conclude, show_stages
from ui.tables import show_table
from ui.words import note, say, warn


def show(study: Study) -> None:
    """The whole page below its title."""
    asked = polls(study)
    if not asked:
        say(*NOBODY_LEFT)
        return
    told = st.empty()
    view, bootstrap = choice_settings(asked)
    picture, table = st.empty(), st.empty()
    with told_in_words():
        fitted = fitted_votes(study, asked, view)
    with told:
        show_finding(STOPPED if fitted is None else finding(fitted, view))
    if fitted is None:
        return
    shown = measures_on_show([poll.name for poll in asked], MOST)

    def show_curves(intervals: Intervals | None, _: str) -> None:
        figures.append(_draw(study, fitted, view, shown, intervals, picture, table))

    def weights_then_intervals(known: Intervals | None) -> Intervals | None:
        answer_weights.show(study, asked, view, fitted)
        return None if known is not None else intervals_of_votes(study, asked, fitted, view, bootstrap)

    figures: list[Callable[[], Figure]] = []
    known = known_intervals(study, fitted, view, bootstrap)
    intervals = show_stages(
        known,
        show_curves,
        ("with intervals", weights_then_intervals),
    )
    if intervals is not None:
        with told:
            show_finding(finding(fitted, view, intervals))
    every = [poll.votes for poll in asked]
    noted = [*([] if intervals is None else [how_drawn(study, bootstrap)]), *notes(every, view)]
    remarked = remarks(every, fitted, view, LARGEST_BOOTSTRAP)
    with st.container():
        for sentence in noted:
            note(*sentence)
        for sentence in remarked:
            warn(*sentence)
        _show_without(study, view, fitted)
    cost.weigh(fitted, _times(study, asked), wording(view))
    conclude(
        "repetitions",
        [],
        explanation=lambda: st.markdown(EXPLANATION),
        shown_above=[(shown_table(fitted, intervals), TABLE)],
        told_above=[*noted, *remarked],
        download=lambda: full_table(fitted, intervals),
        figure=figures[-1],
    )
    show_code(lambda: program.repetitions(study, view, bootstrap))


def show_at_a_glance(study: Study, asked: Sequence[Poll]) -> None:
    """The finding with the curves, held against the best that is known."""
    against = next(each for each in AGAINST if any(is_known(poll, each) for poll in asked))
    spec = ChoiceRepetitionSpec(DEFAULT_SHUFFLES, range_of_votes(asked, against).repetitions)
    view = ChoiceView(spec, against, 1.0)
    fitted = fitted_votes(study, asked, view)
    if fitted is None:
        return
    show_finding(finding(fitted, view))
    draw(
        st,
        repetitions(fitted, f"Share of items with the {against}", GROUP_COLOURS[0], look(), "votes"),
        key="overview_votes",
        alt=f"Share of items with the {against} against the number of votes per item",
    )


def _draw(
    study: Study,
    fitted: Sequence[FittedCurves],
    view: ChoiceView,
    shown: Sequence[str],
    intervals: Intervals,
    picture: DeltaGenerator,
    table: DeltaGenerator,
) -> Callable[[], Figure]:
    """Draws curves and table with what is known of their intervals, and returns what draws the curves."""
    bands = [None] * len(fitted) if intervals is None else [(one.low, one.high) for one in intervals]
    drawn = [pair for pair in zip(fitted, bands, strict=True) if pair[0].measure in shown]
    figure = partial(_figure, study, [one for one, _ in drawn], view.against, [band for _, band in drawn])
    draw(
        picture,
        figure(),
        key="curves" if intervals is None else "curves with intervals",
        alt=f"Share of items with the {view.against} against the number of votes per item, one panel per comparison, "
        "with fitted curve and knee",
    )
    with table:
        show_table(*shown_table(fitted, intervals), alt=TABLE)
    return figure


def _figure(study: Study, fitted: Sequence[FittedCurves], against: str, bands: Sequence[Band] = ()) -> Figure:
    grouped = study.candidate in study.groups
    colour = group_colour(study.candidate, study.groups) if grouped else GROUP_COLOURS[0]
    return repetitions(fitted, f"Share of items with the {against}", colour, look(), "votes", bands)


def _show_without(study: Study, view: ChoiceView, fitted: Sequence[FittedCurves]) -> None:
    """What leaving raters out changes, where the scenario leaves some out."""
    if not study.dataset.without:
        return
    everyone = fitted_votes(study.everyone, polls(study.everyone), view)
    if everyone is not None:
        leaving_out.show_shares(everyone, fitted, view.against)


def _times(study: Study, asked: Sequence[Poll]) -> Times:
    """The times of the votes."""

    def read() -> Times:
        raters = np.concatenate([poll.votes.rater for poll in asked])
        times = times_of(raters, np.concatenate([poll.seconds for poll in asked]))
        return times.settled() if "@seconds" in study.dataset.mapping else times

    return result(key_of(study.dataset, "times of votes", study.candidate), read)
