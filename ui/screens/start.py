"""The start page: an example, the ways in, and the samples."""

from dataclasses import replace

import streamlit as st

from data.samples import SAMPLES
from features.blocks import Finding
from features.notices import OF_THE_SAMPLE
from features.repetitions.ratings_section import ratings_card
from features.results import query
from features.study import Study, usual_roles
from ui.render import remember_doubts, render_card
from ui.store import store
from ui.words import note


def show_picture() -> None:
    """Draw the finding and the ratings needed by each measure."""
    sample = SAMPLES[0]
    dataset = store().by_key(sample.key)
    assert dataset is not None
    remember_doubts(dataset)
    cells = query(dataset, "cells")
    groups = tuple(dict.fromkeys(cells["group"].tolist()))
    measures = tuple(dict.fromkeys(cells["measure"].tolist()))
    candidate, reference = usual_roles(groups)
    note(*OF_THE_SAMPLE, name=sample.name)
    study = Study(
        key=sample.key,
        whole=dataset,
        dataset=dataset,
        groups=groups,
        all_measures=measures,
        candidate=groups[candidate],
        reference=groups[reference],
        reference_column=None,
        measures=measures,
    )
    blocks = [
        replace(one, next_step=None) if isinstance(one, Finding) else one for one in ratings_card(study)
    ]
    render_card("start", blocks)


def show_ways_in() -> None:
    """Draw the buttons for one's own file and for what was open."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Upload a file", type="primary", icon=":material/upload:"):
            st.switch_page("datasets.py")
        if "d" in st.session_state and st.button("Continue with the last data set"):
            st.switch_page("overview.py", query_params={"d": st.session_state["d"]})
