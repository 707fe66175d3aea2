"""Repetitions: how many ratings (or choices) per item are enough, and what fewer would cost."""

import streamlit as st

from analysis.repetitions.fitted_curves import median_knee
from features.results import LARGEST_BOOTSTRAP
from findings.code import repetitions as program
from findings.repetitions.curves import EXPLANATION, finding, no_other_reference, remarks
from findings.repetitions.knee_table import TABLE, full_table, how_drawn, shown_table
from findings.repetitions.measure_rules import reliabilities
from findings.repetitions.rating_curves import fitted_curves, sampled_measures
from panels.repetitions import (
    aggregations,
    choice_curves,
    cost,
    curve_picture,
    knee_table,
    leaving_out,
    more_ratings,
    stopping_rules,
    unreliable_raters,
)
from panels.repetitions.settings import settings
from ui.conclusions import show_code, show_finding
from ui.errors import told_in_words
from ui.stages import conclude
from ui.visit.study import study
from ui.words import say, warn

opened = study()
if opened.holds_choices:
    choice_curves.show(opened)
    st.stop()
if (same := no_other_reference(opened)) is not None:
    say(*same)
    st.stop()

told, effect = st.empty(), st.empty()
chosen = settings(opened)
with told_in_words():
    fitted = fitted_curves(opened, chosen.spec, chosen.sensitivity)
figure = curve_picture.show(opened, chosen, fitted)
with told:
    show_finding(finding(opened, fitted, reliabilities(opened, chosen.scope), chosen.enough.reliability))
with effect:
    leaving_out.say_change(opened, chosen, fitted)
with st.container():
    intervals = knee_table.show(opened, chosen, fitted)
    if intervals is not None:
        with told:
            show_finding(
                finding(
                    opened, fitted, reliabilities(opened, chosen.scope), chosen.enough.reliability, intervals
                )
            )
    remarked = remarks(fitted, sampled_measures(opened), LARGEST_BOOTSTRAP)
    for remark in remarked:
        warn(*remark)
    leaving_out.show(opened, chosen, fitted)

CLOSER = {
    "Cost": lambda: cost.show(opened, fitted),
    "Stopping rules": lambda: stopping_rules.show(opened, chosen, fitted, intervals),
    "More ratings": lambda: more_ratings.show(opened, chosen, fitted, intervals),
    "Other aggregations": lambda: aggregations.show(opened, chosen, median_knee(fitted)),
    "Unreliable raters": lambda: unreliable_raters.show(opened, chosen),
}
section = st.segmented_control(
    "Look closer", list(CLOSER), default="Cost", required=True, key="section", bind="query-params"
)
CLOSER[section]()
conclude(
    "repetitions",
    [],
    explanation=lambda: st.markdown(EXPLANATION),
    shown_above=[(shown_table(fitted, intervals), TABLE)],
    told_above=[
        *([] if intervals is None else [how_drawn(opened, chosen.bootstrap, chosen.scope)]),
        *remarked,
    ],
    download=lambda: full_table(fitted, intervals),
    figure=figure,
)
show_code(lambda: program.code(opened, chosen.spec, chosen.sensitivity, chosen.bootstrap, chosen.scope))
