"""Overview of a study of choices: which system or label method wins, who is reliable, how many votes are enough."""

import streamlit as st

from analysis import label_accuracy
from analysis.choice_repetition import ChoiceRepetitionSpec
from analysis.preference import PreferenceSpec
from charts.labels import accuracy_dots
from charts.panels import MOST
from charts.repetitions import Panel, repetitions
from charts.theme import GROUP_COLOURS
from pages import _choice_curves, _curves, _labels_panel, _preference_panel, _ranking_panel, _votes
from pages._choice_simulations import AGAINST, View, fitted, is_known
from pages._pictures import draw
from pages._results import key_of, result
from pages._study import Study, look
from pages._tables import show_table
from pages._words import say


def show(study: Study) -> None:
    """Each page's finding with a small picture, without intervals; then what was chosen how often."""
    there = _votes.batches(study)
    if not there:
        say("Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).")
        return
    first, second = st.columns(2, gap="large")
    with first:
        if _votes.is_pairs(study):
            _show_winner(study, there[0])
        else:
            _show_labels(study, there[0])
    with second:
        st.subheader("Who is reliable")
        _show_workers(study)
    st.subheader("Repetitions")
    _show_curves(study, there[:MOST])
    st.subheader("What was chosen how often")
    show_table(_votes.counted(there), _votes.COUNTED_WRITTEN, alt="Votes per comparison and option", most=11)


def _show_winner(study: Study, batch: _votes.Batch) -> None:
    st.subheader("Which system wins")
    designs = _preference_panel.designs_of(study, batch)
    spec = PreferenceSpec(dropped=_preference_panel.usually_dropped(designs), draws=0)
    found = {each.name: _preference_panel.at_hand(study, each, spec) for each in designs}
    template, values = _preference_panel.finding_of(batch, found[batch.name])
    say(template, **values)
    draw(
        st,
        _preference_panel.figure(study, designs, found, spec),
        key="overview_winner",
        alt=f"Share of the preference of {batch.first} and {batch.second} by each method",
    )


def _show_labels(study: Study, batch: _votes.Batch) -> None:
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
    template, values = _labels_panel.finding_of(found)
    say(template, **values)
    draw(
        st,
        accuracy_dots(found, look()),
        key="overview_labels",
        alt="Share of items that get their gold label",
    )


def _show_workers(study: Study) -> None:
    shown = _ranking_panel.at_a_glance(study)
    if shown is None:
        return
    least = _ranking_panel.usually_fewest(shown)
    template, values = _ranking_panel.finding_of(shown, least)
    say(template, **values)
    draw(
        st,
        _ranking_panel.figure(shown, least),
        key="overview_workers",
        alt="Agreement of each worker with the others, the most reliable on top",
    )


def _show_curves(study: Study, there: tuple[_votes.Batch, ...]) -> None:
    against = next(each for each in AGAINST if any(is_known(batch, each) for batch in there))
    view = View(ChoiceRepetitionSpec(shuffles=_curves.DEFAULT_SHUFFLES), against, 1.0)
    found = fitted(study, there, view)
    if found is None:
        return
    template, values = _choice_curves.finding(found, view)
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
