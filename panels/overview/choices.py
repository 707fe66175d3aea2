"""Overview of a study of choices: which system or label method wins, who is reliable, how many votes are enough."""

import streamlit as st

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.workers import label_accuracy
from analysis.workers.preference import PreferenceSpec
from charts.parts.panels import MOST
from charts.parts.theme import GROUP_COLOURS
from charts.repetitions.curves import Panel, repetitions
from charts.workers.labels import accuracy_dots
from findings.study import Study
from panels.parts.pictures import draw, look
from panels.parts.shelf import key_of, result
from panels.parts.tables import show_table
from panels.parts.words import say
from panels.repetitions import choice_curves, curves
from panels.repetitions.choice_simulations import AGAINST, View, fitted, is_known
from panels.workers import labels, preference, ranking, votes


def show(study: Study) -> None:
    """Each page's finding with a small picture, without intervals; then what was chosen how often."""
    there = votes.batches(study)
    if not there:
        say("Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).")
        return
    first, second = st.columns(2, gap="large")
    with first:
        if votes.is_pairs(study):
            _show_winner(study, there[0])
        else:
            _show_labels(study, there[0])
    with second:
        st.subheader("Who is reliable")
        _show_workers(study)
    st.subheader("Repetitions")
    _show_curves(study, there[:MOST])
    st.subheader("What was chosen how often")
    show_table(votes.counted(there), votes.COUNTED_WRITTEN, alt="Votes per comparison and option", most=11)


def _show_winner(study: Study, batch: votes.Batch) -> None:
    st.subheader("Which system wins")
    designs = preference.designs_of(study, batch)
    spec = PreferenceSpec(dropped=preference.usually_dropped(designs), draws=0)
    found = {each.name: preference.at_hand(study, each, spec) for each in designs}
    template, values = preference.finding_of(batch, found[batch.name])
    say(template, **values)
    draw(
        st,
        preference.figure(study, designs, found, spec),
        key="overview_winner",
        alt=f"Share of the preference of {batch.first} and {batch.second} by each method",
    )


def _show_labels(study: Study, batch: votes.Batch) -> None:
    st.subheader("Labels with gold")
    if not (batch.gold >= 0).any():
        say(
            "No gold answers are known: give the column <b>gold</b> at import to see which method is right most often."
        )
        return
    methods = (label_accuracy.ALONE, label_accuracy.MAJORITY, label_accuracy.WEIGHTED)
    found = label_accuracy.compared(
        {
            method: result(
                key_of(study.dataset, f"labels: {method}", study.candidate, batch.name),
                lambda method=method: label_accuracy.labelled(batch.votes, batch.gold, method),
            )
            for method in methods
        }
    )
    template, values = labels.finding_of(found)
    say(template, **values)
    draw(
        st,
        accuracy_dots(found, look()),
        key="overview_labels",
        alt="Share of items that get their gold label",
    )


def _show_workers(study: Study) -> None:
    shown = ranking.at_a_glance(study)
    if shown is None:
        return
    least = ranking.usually_fewest(shown)
    template, values = ranking.finding_of(shown, least)
    say(template, **values)
    draw(
        st,
        ranking.figure(shown, least),
        key="overview_workers",
        alt="Agreement of each worker with the others, the most reliable on top",
    )


def _show_curves(study: Study, there: tuple[votes.Batch, ...]) -> None:
    against = next(each for each in AGAINST if any(is_known(batch, each) for batch in there))
    view = View(ChoiceRepetitionSpec(shuffles=curves.DEFAULT_SHUFFLES), against, 1.0)
    found = fitted(study, there, view)
    if found is None:
        return
    template, values = choice_curves.finding(found, view)
    say(template, **values)
    draw(
        st,
        repetitions(
            [Panel(one.measure, one.curves, one.saturation, one.knee) for one in found],
            f"Share of items with the {against}",
            GROUP_COLOURS[0],
            look(),
            "votes",
        ),
        key="overview_votes",
        alt=f"Share of items with the {against} against the number of votes per item",
    )
