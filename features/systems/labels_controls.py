"""Controls of labels that are compared with known answers, each above the part of the section that it changes."""

from dataclasses import replace
from itertools import chain

import numpy as np
import streamlit as st

from analysis.systems.label_accuracy import DRAWS_OF_FITTED
from analysis.values.estimate import BootstrapSpec
from features.plotting.numbers import count
from features.polls import polls, pooled
from features.study import Study
from features.systems import labels_section as section
from features.systems.labels_results import AGGREGATED, KnownSpec, has_methods, poll_of
from ui.controls import choose_one
from ui.render import render
from ui.sampling_controls import draws_control, seed_control

MOST_RATERS = 2000
"""Raters to choose from; of more, those with most votes."""


def show_known(study: Study) -> None:
    """Draw the section on known answers part by part, each below its controls."""
    finding, controls, blocks = st.container(), st.container(), st.container()
    spec, known = KnownSpec(), pooled(study)[0].known_answers
    if len(known) > 1:
        with controls:
            spec = replace(spec, known=choose_one("Known answers", known, key="known_answers", width=160))
    if not has_methods(study):
        every = chain(section.crowd_section(study, spec), [section.known_method(spec)])
        render("against-known", every, finding=finding, code=lambda: section.known_program(study, spec))
        return
    if known:
        with blocks:
            render("against-known", section.crowd_section(study, spec), finding=finding)
        st.header("Accuracy of the methods")
    spec = _show_methods(study, spec)
    last = chain(section.items_section(study, spec), [section.known_method(spec)])
    render("aggregated-labels", last, code=lambda: section.known_program(study, spec))


def _show_methods(study: Study, spec: KnownSpec) -> KnownSpec:
    """Draw how right each method and each rater is; return what was chosen."""
    finding = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        there = [poll.name for poll in polls(study)]
        if len(there) > 1:
            spec = replace(spec, comparison=choose_one("Comparison", there, key="compared", width=320))
        enough = section.has_enough_gold(study, spec)
        if enough:
            spec = _choose_samples(spec)
    with st.container():
        render("labels", section.methods_section(study, spec), finding=finding)
    if enough:
        st.header("By class")
        method = st.selectbox("Labels by", AGGREGATED, key="label_method", bind="query-params", width=320)
        spec = replace(spec, method=method)
        with st.container():
            render("label-classes", section.by_class_section(study, spec))
        st.header("By rater")
        spec = replace(spec, rater=_choose_rater(study, spec))
        with st.container():
            render("raters-against-gold", section.raters_section(study, spec))
    return spec


def _choose_samples(spec: KnownSpec) -> KnownSpec:
    slow = "Fewer where there are so many votes that this would need much longer than ten seconds."
    fitted = "Dawid-Skene and GLAD are fitted again in each of them, which is slow."
    label, key = "Bootstrap samples of fitted models", "label_model_draws"
    with st.popover("Settings"):
        draws = draws_control("label_draws", fewest=0, help=slow)
        again = st.number_input(
            label, 0, 5000, DRAWS_OF_FITTED, 50, key=key, bind="query-params", help=fitted
        )
        bootstrap = BootstrapSpec(draws, seed_control("label_seed"))
    return replace(spec, bootstrap=bootstrap, draws_of_fitted=int(again))


def _choose_rater(study: Study, spec: KnownSpec) -> str:
    poll = poll_of(study, spec)
    most = np.argsort(-poll.votes.per_rater, kind="stable")[:MOST_RATERS]
    label = "Rater" if len(most) == poll.votes.raters else f"Rater (the {count(MOST_RATERS)} with most votes)"
    return choose_one(label, [str(poll.rater_names[code]) for code in np.sort(most)], key="worker", width=320)
